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

/* The lab host we run on: 0 or 1; -1 outside a lab. */
static int lab_host(void)
{
	const char *lab = getenv("WAVETANK_LAB"), *host = getenv("WAVETANK_HOST");

	if (!lab || !host || (host[0] != 'a' && host[0] != 'b') || host[1])
		return -1;
	return host[0] - 'a';
}

int wt_station_resolve(const char *name, struct wt_addr *addr, char *err, size_t err_len)
{
	int here = lab_host();

	if (wt_addr_parse(name, addr))
		return 0;
	if (here < 0) {
		snprintf(err, err_len, "'%s' is not an address such as 10.0.0.1 (names a and b are known inside a lab)", name);
		return -EINVAL;
	}
	if ((name[0] == 'a' || name[0] == 'b') && (!name[1] || strcmp(name + 1, ".engine") == 0)) {
		*addr = wt_lab_engine_addr((unsigned)(name[0] - 'a'), 0);
		return 0;
	}
	if ((name[0] == 'a' || name[0] == 'b') && strcmp(name + 1, ".kernel") == 0) {
		*addr = wt_lab_kernel_addr((unsigned)(name[0] - 'a'));
		return 0;
	}
	snprintf(err, err_len, "no host '%s' in lab '%s'; there are a and b (engines), a.kernel and b.kernel", name,
		 getenv("WAVETANK_LAB"));
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

static bool parse_mac(const char *text, struct wt_mac *mac)
{
	unsigned b[6];
	int end = 0;

	if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &end) != 6 || text[end])
		return false;
	for (unsigned i = 0; i < 6; i++)
		mac->bytes[i] = (uint8_t)b[i];
	return !(mac->bytes[0] & 1);
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
	int here = lab_host();
	unsigned tries = !config->address && here >= 0 && !config->first_address_only ? WT_LAB_ENGINES : 1;
	char text[WT_ADDR_TEXT];

	if (config->address) {
		if (!parse_prefix(config->address, &station->addr, &station->prefix_len)) {
			snprintf(err, err_len, "--address: '%s' is not an IPv4 address with its prefix, such as 10.0.0.1/24",
				 config->address);
			return WT_EXIT_USAGE;
		}
	} else if (here < 0) {
		snprintf(err, err_len, "which address? --address 10.0.0.1/24 (inside a lab it is known)");
		return WT_EXIT_USAGE;
	}
	for (unsigned i = 0; i < tries; i++) {
		if (!config->address) {
			station->addr = wt_lab_engine_addr((unsigned)here, i);
			station->prefix_len = 24;
		}
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

static void add_lab_neighbours(struct wt_host_config *host)
{
	int here = lab_host();
	unsigned other = here == 0;

	if (here < 0)
		return;
	for (unsigned i = 0; i <= WT_LAB_ENGINES; i++) {
		host->neighbours[i].addr = i ? wt_lab_engine_addr(other, i - 1) : wt_lab_kernel_addr(other);
		host->neighbours[i].mac = wt_lab_mac(&host->neighbours[i].addr);
	}
}

static const char *host_name(void)
{
	return lab_host() >= 0 ? getenv("WAVETANK_HOST") : "host";
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
	host.mac = wt_lab_mac(&station->addr);
	if (config->mac && !parse_mac(config->mac, &host.mac)) {
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
	add_lab_neighbours(&host);
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
