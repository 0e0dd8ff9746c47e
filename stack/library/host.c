/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <wavetank/host.h>

#include "stack/library/library.h"
#include "stack/text/addr.h"

void wt_lib_host_config_init(struct wt_lib_host_config *config)
{
	*config = (struct wt_lib_host_config){.size = sizeof(*config), .name = "host"};
}

/* "10.0.0.1/24" */
static bool parse_prefix(const char *text, struct wt_addr *addr, unsigned *prefix)
{
	char copy[WT_ADDR_TEXT + 4], *slash, *end;

	if (!text || strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	slash = strchr(copy, '/');
	if (!slash || slash[1] < '0' || slash[1] > '9')
		return false;
	*slash = 0;
	*prefix = (unsigned)strtoul(slash + 1, &end, 10);
	return !*end && *prefix >= 1 && *prefix <= 31 && wt_addr_parse(copy, addr) && addr->family == WT_FAMILY_IPV4;
}

/* 0, or a positive errno with a sentence. */
static int read_config(const struct wt_lib_host_config *from, struct wt_host_config *to, char *err, size_t err_len)
{
	const char *wrong = NULL;

	if (from->size < sizeof(*from))
		wrong = "the configuration was not made by wt_lib_host_config_init()";
	else if (!from->name || !*from->name || strlen(from->name) >= sizeof(to->name))
		wrong = "a host needs a name of at most 23 characters";
	else if (!parse_prefix(from->address, &to->addr, &to->prefix_len))
		wrong = "the address is not one such as 10.0.0.1/24";
	else if (from->gateway && (!wt_addr_parse(from->gateway, &to->gateway) || to->gateway.family != WT_FAMILY_IPV4))
		wrong = "the gateway is not an address such as 10.0.0.254";
	else if (from->mac && !wt_mac_parse(from->mac, &to->mac))
		wrong = "the MAC address is not one such as 02:57:54:00:00:01";
	if (wrong) {
		wt_lib_refuse(EINVAL, err, err_len, "%s", wrong);
		return EINVAL;
	}
	strcpy(to->name, from->name);
	if (!from->mac)
		to->mac = wt_addr_mac(&to->addr);
	to->mtu = from->mtu;
	to->max_connections = from->max_connections;
	to->memory = from->memory;
	if (from->seeded) {
		to->secret = wt_key_derive(from->seed, from->name);
	} else if (getrandom(&to->secret, sizeof(to->secret), 0) != sizeof(to->secret)) {
		wt_lib_refuse(errno, err, err_len, "cannot read random numbers: %s", strerror(errno));
		return errno;
	}
	return 0;
}

struct wt_lib_host *wt_lib_host_wrap(struct wt_lib_graph *graph, struct wt_host *host)
{
	struct wt_lib_host *outer = calloc(1, sizeof(*outer));

	if (outer) {
		*outer = (struct wt_lib_host){.next = graph->hosts, .graph = graph, .host = host};
		graph->hosts = outer;
	}
	return outer;
}

struct wt_lib_host *wt_lib_host_create(struct wt_lib_graph *graph, const struct wt_lib_host_config *config, char *err, size_t err_len)
{
	struct wt_host_config inner = {.pool = graph->pool};
	struct wt_lib_host *outer;
	struct wt_host *host;

	if (read_config(config, &inner, err, err_len))
		return NULL;
	host = wt_host_create(&inner);
	if (!host)
		return wt_lib_refuse(errno, err, err_len, errno == EINVAL ? "an MTU of %u is too small" : "out of memory", inner.mtu);
	if (wt_graph_add(graph->graph, wt_host_node(host)) < 0) {
		wt_host_destroy(host);
		return wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
	}
	outer = wt_lib_host_wrap(graph, host); /* without it the graph keeps a host that nobody uses */
	return outer ? outer : wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
}

void wt_lib_hosts_free(struct wt_lib_host *hosts)
{
	struct wt_lib_host *next;

	for (; hosts; hosts = next) {
		next = hosts->next;
		wt_lib_tcps_free(hosts->tcps);
		wt_lib_timers_free(hosts->timers);
		free(hosts);
	}
}

struct wt_lib_node *wt_lib_host_node(struct wt_lib_host *host)
{
	return (struct wt_lib_node *)wt_host_node(host->host);
}

uint64_t wt_lib_host_memory(const struct wt_lib_host *host)
{
	return wt_host_memory(host->host);
}

uint32_t wt_lib_host_connections(const struct wt_lib_host *host)
{
	return wt_host_connections(host->host);
}
