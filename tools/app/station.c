/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/station.h"

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
#include "tools/common/interfaces.h"
#include "tools/common/labs.h"

enum { ENGINE, WIRE };     /* the hosts of the world */
enum { FRAMES = 8192 };    /* the most an engine holds: its send buffers live elsewhere, frames only pass */

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
		snprintf(err, err_len, "'%s' is not an address such as 10.0.0.1 (the names a and b are known only inside a lab)", name);
		return -EINVAL;
	}
	if (for_hosts(is_wanted, &wanted))
		return 0;
	snprintf(err, err_len, "no host '%s' in lab '%s'; expected a host such as a (its engine) or a.kernel", name, getenv("WAVETANK_LAB"));
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

#define CLAIM_WAITS 20
#define CLAIM_PAUSE_US 100000

/* Takes the address asked for, or in a lab the host's first free one. */
static int take_address(struct wt_station *station, const struct wt_station_config *config, char *err, size_t err_len)
{
	unsigned tries = !config->address && in_lab() && !config->first_address_only ? WT_LAB_ENGINES : 1;
	const char *address = config->address ? config->address : in_lab() ? getenv("WAVETANK_ADDRESS") : NULL;
	struct wt_addr first;
	char text[WT_ADDR_TEXT];

	if (!address) {
		snprintf(err, err_len, "our address is missing: --address 10.0.0.1/24 (a lab provides it)");
		return WT_EXIT_USAGE;
	}
	if (!parse_prefix(address, &first, &station->prefix_len)) {
		snprintf(err, err_len, "--address: '%s' is not an IPv4 address with its prefix, such as 10.0.0.1/24", address);
		return WT_EXIT_USAGE;
	}
	for (unsigned wait = 0; wait < CLAIM_WAITS; wait++) {
		for (unsigned i = 0; i < tries; i++) {
			station->addr = first;
			station->addr.bytes[3] = (uint8_t)(first.bytes[3] + 2 * i); /* wt_lab_engine_addr() */
			station->claim = claim(&station->addr);
			if (station->claim >= 0)
				return WT_EXIT_OK;
		}
		if (station->claim != -EADDRINUSE)
			break;
		usleep(CLAIM_PAUSE_US); /* the one before us may be about to end: its peer is told first */
	}
	snprintf(err, err_len, station->claim == -EADDRINUSE ? "another wavetank uses address %s here" : "cannot claim address %s",
		 wt_addr_format(&station->addr, text));
	return WT_EXIT_ENVIRONMENT;
}

/* ---- parts -------------------------------------------------------------------------------------------- */

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

/* Big frames pass as they are, and modules are told of each segment. Who looks sees segments. */
static bool is_whole(const struct wt_station *station)
{
	return station->config.offload && !station->config.capture && !station->config.trace;
}

/* What only a real wire knows: its MTU, and secrets that nobody guesses. */
static void on_engine(void *arg, const struct wt_network *net, struct wt_host_config *host)
{
	struct wt_station *station = arg;
	uint32_t mtu = net->port[WIRE]->mtu;

	host->mtu = mtu < 1500 ? mtu : 1500;
	host->big_pool = is_whole(station) ? net->big_pool : NULL;
	host->memory = station->config.memory;
	host->max_connections = station->config.connections;
	host->gateway = station->gateway;
	host->secret = station->secret;
	know_lab(host);
}

static struct wt_trace_sink *sink_of(void *arg, unsigned host)
{
	struct wt_station *station = arg;

	return station->journal ? wt_journal_trace(station->journal, station->world.host[host].name) : NULL;
}

static const char *host_name(void)
{
	return in_lab() ? getenv("WAVETANK_HOST") : "host";
}

/* A world of an engine and what is behind our port. */
static int describe(struct wt_station *station, char *err, size_t err_len)
{
	const struct wt_station_config *config = &station->config;
	const char *port = config->port ? config->port : getenv("WAVETANK_PORT");
	struct wt_world_host *engine, *wire;
	char why[300];

	wt_world_init(&station->world);
	snprintf(err, err_len, "--offload: the path of a lab carries packets, not frames of 64 KB");
	if (config->offload && in_lab())
		return WT_EXIT_USAGE;
	snprintf(err, err_len, "no memory");
	if (!wt_world_add_host(&station->world, host_name()) || !wt_world_add_host(&station->world, "wire"))
		return WT_EXIT_ENVIRONMENT;
	engine = &station->world.host[ENGINE];
	wire = &station->world.host[WIRE];
	engine->placement = WT_INSIDE;
	engine->address = station->addr;
	engine->prefix_len = station->prefix_len;
	engine->mac = wt_addr_mac(&station->addr);
	engine->numbered = wire->numbered = true;
	snprintf(err, err_len, "the port is missing: --port tap:NAME or packet:INTERFACE (a lab provides it)");
	if (!port)
		return WT_EXIT_USAGE;
	snprintf(station->interface, sizeof(station->interface), "%s", port);
	snprintf(err, err_len, "--mac: '%s' is not a unicast MAC address such as 02:57:54:00:00:01", config->mac);
	if (config->mac && !wt_mac_parse(config->mac, &engine->mac))
		return WT_EXIT_USAGE;
	snprintf(err, err_len, "--gateway: '%s' is not an address", config->gateway);
	if (config->gateway && !wt_addr_parse(config->gateway, &station->gateway))
		return WT_EXIT_USAGE;
	snprintf(err, err_len, "--port: '%.100s' is neither tap:NAME nor packet:INTERFACE", port);
	if (wt_world_place(wire, WT_OUTSIDE, port, why, sizeof(why)))
		return WT_EXIT_USAGE;
	return wt_world_check(&station->world, err, err_len) ? WT_EXIT_ENVIRONMENT : WT_EXIT_OK;
}

static int open_journal(struct wt_station *station, char *err, size_t err_len)
{
	const char *path = station->config.trace;
	char why[400];

	if (!path || (station->journal = wt_journal_open(path)))
		return WT_EXIT_OK;
	snprintf(err, err_len, "cannot write the trace %s: %s", path, wt_create_why(path, errno, why));
	return WT_EXIT_ENVIRONMENT;
}

static int open_capture(struct wt_station *station, char *err, size_t err_len)
{
	char point[1][WT_CAPTURE_POINT], why[400];

	if (!station->config.capture)
		return WT_EXIT_OK;
	snprintf(point[0], sizeof(point[0]), "%s", host_name());
	station->capture = wt_capture_open(station->config.capture, wt_rloop_epoch(station->rloop), point, 1, why, sizeof(why));
	if (station->capture)
		return WT_EXIT_OK;
	snprintf(err, err_len, "cannot write the capture %s", why);
	return WT_EXIT_ENVIRONMENT;
}

/* Port, engine, loop. */
static int open_network(struct wt_station *station, char *err, size_t err_len)
{
	const struct wt_world_build build = {.frames = FRAMES, .offload = station->config.offload, .merge = station->config.offload,
					     .gather = true, .stamps = WT_STAMPS_READ, .own = true, .trace = sink_of, .engine = on_engine,
					     .arg = station};

	if (wt_network_open(&station->net, &station->world, &build, err, err_len)) {
		if (station->net.port && station->net.port[WIRE] && station->net.port[WIRE]->mtu < WT_HOST_MTU_MIN) {
			snprintf(err, err_len, "an MTU of %u is below %d", station->net.port[WIRE]->mtu, WT_HOST_MTU_MIN);
			return WT_EXIT_USAGE;
		}
		return WT_EXIT_ENVIRONMENT;
	}
	station->port = station->net.port[WIRE];
	station->host = station->net.host[ENGINE];
	station->port->says_more = !in_lab(); /* a lab studies congestion control */
	station->port->whole_tcp = is_whole(station);
	wt_net_wait_running(station->port->interface);
	station->ev = ev_loop_new(EVFLAG_AUTO);
	station->rloop = station->ev ? wt_rloop_create(station->net.graph, station->ev) : NULL;
	if (station->rloop)
		return WT_EXIT_OK;
	snprintf(err, err_len, "cannot start the event loop: %s", strerror(errno));
	return WT_EXIT_ENVIRONMENT;
}

static int join(struct wt_station *station, char *err, size_t err_len)
{
	struct wt_drop_sink *drops = NULL;
	int error = wt_network_join(&station->net, station->capture);

	if (station->capture)
		drops = wt_capture_drops(station->capture, NULL);
	if (station->journal)
		drops = wt_journal_drops(station->journal, drops);
	if (drops)
		wt_graph_set_drop_sink(station->net.graph, drops);
	if (!error)
		error = wt_rloop_add_port(station->rloop, station->port);
	snprintf(err, err_len, "cannot watch the port: %s", strerror(-error));
	return error ? WT_EXIT_ENVIRONMENT : WT_EXIT_OK;
}

int wt_station_init(struct wt_station *station, const struct wt_station_config *config, char *err, size_t err_len)
{
	int code;

	*station = (struct wt_station){.config = *config, .claim = -1};
	code = take_address(station, config, err, err_len);
	if (!code)
		code = describe(station, err, err_len);
	if (config->seeded)
		station->secret = wt_key_derive(config->seed, host_name());
	else if (getrandom(&station->secret, sizeof(station->secret), 0) != sizeof(station->secret) && !code)
		code = snprintf(err, err_len, "cannot read random numbers: %s", strerror(errno)) ? WT_EXIT_ENVIRONMENT : 0;
	if (!code)
		code = open_journal(station, err, err_len);
	if (!code)
		code = open_network(station, err, err_len);
	if (!code)
		code = open_capture(station, err, err_len);
	return code ? code : join(station, err, err_len);
}

void wt_station_touch(struct wt_station *station)
{
	wt_graph_touch(station->net.graph, wt_host_node(station->host));
	wt_rloop_kick(station->rloop);
}

/* The first file that could not be written. */
static void tell(char *err, size_t err_len, const char *what, const char *path, int error)
{
	if (error < 0 && !*err)
		snprintf(err, err_len, "the %s %s is incomplete: %s", what, path, strerror(-error));
}

void wt_station_finish(struct wt_station *station, char *err, size_t err_len)
{
	*err = '\0';
	wt_rloop_destroy(station->rloop);
	wt_network_finish(&station->net);
	wt_world_finish(&station->world);
	tell(err, err_len, "capture", station->config.capture, wt_capture_close(station->capture));
	tell(err, err_len, "trace", station->config.trace, wt_journal_close(station->journal));
	if (station->ev)
		ev_loop_destroy(station->ev);
	if (station->claim >= 0)
		close(station->claim);
	*station = (struct wt_station){.claim = -1};
}
