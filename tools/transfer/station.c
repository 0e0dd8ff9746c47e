/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/transfer/station.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "stack/record/create.h"
#include "tools/common/cli.h"
#include "tools/lab/net.h"
#include "tools/lab/state.h"

#define POOL_FRAMES 8192 /* the most an engine holds: its send buffers live elsewhere, frames only pass */

/* ---- addresses ---------------------------------------------------------------------------------------- */

/* What lab exec says of the host we run on; the first engine's address, and "address name name..." line by line of all. */
static bool in_lab(void)
{
	return getenv("WAVETANK_LAB") && getenv("WAVETANK_HOST") && getenv("WAVETANK_ADDRESS");
}

/* Calls `each` for every host of the lab with its kernel's address, until it says true. */
static bool for_hosts(bool (*each)(void *arg, const char *name, const struct wt_addr *kernel), void *arg)
{
	const char *path = getenv("WAVETANK_HOSTS");
	FILE *file = path ? fopen(path, "re") : NULL;
	char line[200], text[64], name[64], kernel[64];
	struct wt_addr addr;
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %63s %63s", text, name, kernel) == 3 && wt_addr_parse(text, &addr) && strstr(kernel, ".kernel"))
			found = each(arg, name, &addr);
	if (file)
		fclose(file);
	return found;
}

struct wanted {
	const char *name;
	struct wt_addr *addr;
};

/* "b", "b.engine": the engine there; "b.kernel". */
static bool is_wanted(void *arg, const char *name, const struct wt_addr *kernel)
{
	const struct wanted *wanted = arg;
	size_t len = strlen(name);
	const char *rest = wanted->name + len;

	if (strncmp(wanted->name, name, len) || (*rest && strcmp(rest, ".engine") != 0 && strcmp(rest, ".kernel") != 0))
		return false;
	*wanted->addr = strcmp(rest, ".kernel") ? wt_lab_engine_addr(kernel, 0) : *kernel;
	return true;
}

int wt_station_resolve(const char *name, struct wt_addr *addr, char *err, size_t err_len)
{
	struct wanted wanted = {name, addr};

	if (wt_addr_parse(name, addr))
		return 0;
	if (!in_lab()) {
		snprintf(err, err_len, "'%s' is not an address such as 10.0.0.1 (names a and b are known inside a lab)", name);
		return -EINVAL;
	}
	if (for_hosts(is_wanted, &wanted))
		return 0;
	snprintf(err, err_len, "no host '%s' in lab '%s'; names are as of a, its engine, and a.kernel", name, getenv("WAVETANK_LAB"));
	return -EINVAL;
}

static bool parse_prefix(const char *text, struct wt_addr *addr, unsigned *prefix_len)
{
	char copy[WT_ADDR_TEXT + 4], *slash, *end;
	unsigned long len = 24;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	slash = strchr(copy, '/');
	if (!slash)
		return false;
	*slash = 0;
	len = strtoul(slash + 1, &end, 10);
	*prefix_len = (unsigned)len;
	return slash[1] >= '0' && slash[1] <= '9' && !*end && wt_addr_parse(copy, addr) && addr->family == WT_FAMILY_IPV4 &&
	       len >= 1 && len <= 31;
}

/* One engine per address and namespace: -EADDRINUSE if another has it. */
static int claim(const struct wt_addr *addr)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	char text[WT_ADDR_TEXT];
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), len;

	if (fd < 0)
		return -errno;
	len = snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1, "wavetank/%s", wt_addr_format(addr, text));
	if (bind(fd, (struct sockaddr *)&un, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) < 0) {
		len = -errno;
		close(fd);
		return len;
	}
	return fd;
}

/* Takes the address asked for, or in a lab the host's first free one. */
static int take_address(struct wt_station *station, const struct wt_station_config *config, char *err, size_t err_len)
{
	unsigned tries = !config->address && in_lab() && !config->first_address_only ? WT_LAB_ENGINES : 1;
	const char *address = config->address ? config->address : in_lab() ? getenv("WAVETANK_ADDRESS") : NULL;
	struct wt_addr first;
	char text[WT_ADDR_TEXT];

	if (!address) {
		snprintf(err, err_len, "which address? --address 10.0.0.1/24 (inside a lab it is known)");
		return WT_EXIT_USAGE;
	}
	if (!parse_prefix(address, &first, &station->prefix_len)) {
		snprintf(err, err_len, "--address: '%s' is not an IPv4 address with its prefix, such as 10.0.0.1/24", address);
		return WT_EXIT_USAGE;
	}
	for (unsigned i = 0; i < tries; i++) {
		station->addr = first;
		station->addr.bytes[3] = (uint8_t)(first.bytes[3] + 2 * i); /* wt_lab_engine_addr() */
		station->claim = claim(&station->addr);
		if (station->claim >= 0)
			return WT_EXIT_OK;
	}
	snprintf(err, err_len, station->claim == -EADDRINUSE ? "another wavetank uses address %s here" : "cannot claim address %s",
		 wt_addr_format(&station->addr, text));
	return WT_EXIT_ENVIRONMENT;
}

/* ---- parts -------------------------------------------------------------------------------------------- */

static int open_port(struct wt_station *station, const char *spec, char *err, size_t err_len)
{
	if (!spec)
		spec = getenv("WAVETANK_PORT");
	if (!spec) {
		snprintf(err, err_len, "which port? --port tap:NAME or packet:INTERFACE (inside a lab it is known)");
		return WT_EXIT_USAGE;
	}
	snprintf(station->interface, sizeof(station->interface), "%s", spec);
	if (strncmp(spec, "tap:", 4) == 0 && spec[4] && strlen(spec + 4) < 16) {
		station->port = wt_tap_open(spec + 4, station->pool, err, err_len);
	} else if (strncmp(spec, "packet:", 7) == 0 && spec[7] && strlen(spec + 7) < 16) {
		station->port = wt_packet_open(spec + 7, station->pool, err, err_len);
	} else {
		snprintf(err, err_len, "--port: '%s' is neither tap:NAME nor packet:INTERFACE", spec);
		return WT_EXIT_USAGE;
	}
	if (!station->port)
		return WT_EXIT_ENVIRONMENT;
	wt_net_wait_running(station->port->interface);
	return WT_EXIT_OK;
}

/* Kernel and engines of a host in our network that is not ours, as far as there is room. */
static bool add_neighbours(void *arg, const char *name, const struct wt_addr *kernel)
{
	struct wt_host_config *host = arg;
	unsigned at = 0;

	if (!strcmp(name, getenv("WAVETANK_HOST")) || !wt_addr_in(kernel, &host->addr, host->prefix_len))
		return false;
	while (at < WT_STATIC_NEIGHBOURS && host->neighbours[at].addr.family)
		at++;
	for (unsigned i = 0; i <= WT_LAB_ENGINES && at < WT_STATIC_NEIGHBOURS; i++, at++) {
		host->neighbours[at].addr = i ? wt_lab_engine_addr(kernel, i - 1) : *kernel;
		host->neighbours[at].mac = wt_addr_mac(&host->neighbours[at].addr);
	}
	return false;
}

/* The router of our network, or the hosts at the other end of our link. */
static void know_lab(struct wt_host_config *host)
{
	const char *gateway = getenv("WAVETANK_GATEWAY");
	char text[64], mac[64];

	if (!in_lab())
		return;
	if (!gateway)
		for_hosts(add_neighbours, host);
	else if (!host->gateway.family && sscanf(gateway, "%63s %63s", text, mac) == 2 && wt_mac_parse(mac, &host->neighbours[0].mac) &&
		 wt_addr_parse(text, &host->gateway))
		host->neighbours[0].addr = host->gateway;
}

static const char *host_name(void)
{
	return in_lab() ? getenv("WAVETANK_HOST") : "host";
}

static int create_host(struct wt_station *station, const struct wt_station_config *config, char *err, size_t err_len)
{
	struct wt_host_config host = {.addr = station->addr, .prefix_len = station->prefix_len, .pool = station->pool,
				      .mtu = station->port->mtu < 1500 ? station->port->mtu : 1500, .memory = config->memory};

	if (host.mtu < WT_HOST_MTU_MIN) {
		snprintf(err, err_len, "an MTU of %u is below %d", host.mtu, WT_HOST_MTU_MIN);
		return WT_EXIT_USAGE;
	}
	snprintf(host.name, sizeof(host.name), "%s", host_name());
	host.mac = wt_addr_mac(&station->addr);
	if (config->mac && !wt_mac_parse(config->mac, &host.mac)) {
		snprintf(err, err_len, "--mac: '%s' is not a unicast MAC address such as 02:57:54:00:00:01", config->mac);
		return WT_EXIT_USAGE;
	}
	if (config->gateway && !wt_addr_parse(config->gateway, &host.gateway)) {
		snprintf(err, err_len, "--gateway: '%s' is not an address", config->gateway);
		return WT_EXIT_USAGE;
	}
	if (config->seeded) {
		host.secret = wt_key_derive(config->seed, host.name);
	} else if (getrandom(&host.secret, sizeof(host.secret), 0) != sizeof(host.secret)) {
		snprintf(err, err_len, "no random numbers: %s", strerror(errno));
		return WT_EXIT_ENVIRONMENT;
	}
	know_lab(&host);
	if (station->journal)
		host.trace = wt_journal_trace(station->journal, host.name);
	station->host = wt_host_create(&host);
	if (!station->host || wt_graph_add(station->graph, wt_host_node(station->host)) < 0) {
		snprintf(err, err_len, "no memory");
		return WT_EXIT_ENVIRONMENT;
	}
	return WT_EXIT_OK;
}

/* Capture and journal, and what goes into them. */
static int open_files(struct wt_station *station, const struct wt_station_config *config, char *err, size_t err_len)
{
	char point[1][WT_CAPTURE_POINT], why[400];

	if (config->capture) {
		snprintf(point[0], sizeof(point[0]), "%s", host_name());
		station->capture = wt_capture_open(config->capture, wt_rloop_epoch(station->rloop), point, 1, why, sizeof(why));
		if (!station->capture) {
			snprintf(err, err_len, "cannot write the capture %s", why);
			return WT_EXIT_ENVIRONMENT;
		}
	}
	if (config->trace) {
		station->journal = wt_journal_open(config->trace);
		if (!station->journal) {
			snprintf(err, err_len, "cannot write the trace %s: %s", config->trace, wt_create_why(config->trace, errno, why));
			return WT_EXIT_ENVIRONMENT;
		}
	}
	return WT_EXIT_OK;
}

static int join(struct wt_station *station, char *err, size_t err_len)
{
	struct wt_node *host = wt_host_node(station->host), *tap = NULL;
	struct wt_drop_sink *drops = NULL;
	int result = wt_graph_add(station->graph, &station->port->node);

	if (result == 0 && station->capture) {
		tap = wt_capture_tap(station->capture, host->name);
		result = tap ? wt_graph_add(station->graph, tap) : -ENOMEM;
	}
	if (result < 0) {
		snprintf(err, err_len, "no memory");
		return WT_EXIT_ENVIRONMENT;
	}
	if (tap) {
		wt_graph_join_both(station->graph, host, 0, tap, 0);
		wt_graph_join_both(station->graph, tap, 1, &station->port->node, 0);
		drops = wt_capture_drops(station->capture, NULL);
	} else {
		wt_graph_join_both(station->graph, host, 0, &station->port->node, 0);
	}
	if (station->journal)
		drops = wt_journal_drops(station->journal, drops);
	if (drops)
		wt_graph_set_drop_sink(station->graph, drops);
	result = wt_rloop_add_port(station->rloop, station->port);
	if (result < 0)
		snprintf(err, err_len, "cannot watch the port: %s", strerror(-result));
	return result < 0 ? WT_EXIT_ENVIRONMENT : WT_EXIT_OK;
}

int wt_station_init(struct wt_station *station, const struct wt_station_config *config, char *err, size_t err_len)
{
	int code;

	*station = (struct wt_station){.claim = -1};
	code = take_address(station, config, err, err_len);
	if (code)
		return code;
	station->pool = wt_pool_create(POOL_FRAMES, 2048);
	station->graph = wt_graph_create();
	station->ev = ev_loop_new(EVFLAG_AUTO);
	if (station->graph && station->ev)
		station->rloop = wt_rloop_create(station->graph, station->ev);
	if (!station->pool || !station->rloop) {
		snprintf(err, err_len, "cannot start the event loop: %s", strerror(errno));
		return WT_EXIT_ENVIRONMENT;
	}
	code = open_port(station, config->port, err, err_len);
	if (!code)
		code = open_files(station, config, err, err_len);
	if (!code)
		code = create_host(station, config, err, err_len);
	return code ? code : join(station, err, err_len);
}

void wt_station_touch(struct wt_station *station)
{
	wt_graph_touch(station->graph, wt_host_node(station->host));
	wt_rloop_kick(station->rloop);
}

int wt_station_finish(struct wt_station *station)
{
	int result = 0, error;

	wt_rloop_destroy(station->rloop);
	/* The graph destroys host, port and taps: those it was given. */
	wt_graph_destroy(station->graph);
	if (station->capture && (error = wt_capture_close(station->capture)) < 0)
		result = error;
	if (station->journal && (error = wt_journal_close(station->journal)) < 0 && !result)
		result = error;
	if (station->ev)
		ev_loop_destroy(station->ev);
	wt_pool_destroy(station->pool);
	if (station->claim >= 0)
		close(station->claim);
	*station = (struct wt_station){.claim = -1};
	return result;
}
