/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank host: the command. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "tools/host/host.h"
#include "tools/common/labs.h"

enum {
	OPT_SENDER, OPT_RECOVERY, OPT_RECEIVER, OPT_PRESET, OPT_SET, OPT_CAPTURE, OPT_TRACE, OPT_PORT, OPT_ADDRESS, OPT_MAC, OPT_GATEWAY, OPT_SEED,
	OPT_MEMORY, OPT_OFFLOAD, OPT_SOCKS, OPT_REDIRECT, OPT_SERVE, OPT_READY,
};

static const struct wt_option options[] = {
	[OPT_SENDER] = {'C', "congestion", "MODULE", "sender module of programs that choose none"},
	[OPT_RECOVERY] = {0, "recovery", "MODULE", "recovery module (default: the sender module's own)"},
	[OPT_RECEIVER] = {0, "rcc", "MODULE", "receiver module (default real: a part only if the peer's SYN offers it)"},
	[OPT_PRESET] = {0, "preset", "NAME", "stack settings: modern (default), bsd90"},
	[OPT_SET] = {'S', "set", "NAME=VALUE,...", "stack settings on top of the preset; may be repeated"},
	[OPT_CAPTURE] = {0, "capture", "FILE", "pcapng of this host's engine"},
	[OPT_TRACE] = {0, "trace", "FILE", "engine events as JSON Lines"},
	[OPT_PORT] = {0, "port", "PORT", "tap:NAME or packet:INTERFACE (in a lab: known)"},
	[OPT_ADDRESS] = {0, "address", "A/PREFIX", "the engine's address, not the kernel's (in a lab: known)"},
	[OPT_MAC] = {0, "mac", "MAC", "MAC address of the engine (default: derived from the address)"},
	[OPT_GATEWAY] = {0, "gateway", "ADDRESS", "router for other networks"},
	[OPT_SEED] = {0, "seed", "N", "secrets of the stack from N (default: fresh)"},
	[OPT_MEMORY] = {0, "memory", "SIZE", "memory limit of all connections (default 1GiB)"},
	[OPT_OFFLOAD] = {0, "offload", NULL, "checksums and cutting of segments are the kernel's: 64 KB frames on the port"},
	[OPT_SOCKS] = {0, "socks", "PORT", "SOCKS5 on this port of 127.0.0.1, for programs that cannot be preloaded"},
	[OPT_REDIRECT] = {0, "redirect", "PORT", "accept connections that nft or iptables REDIRECTs to this port"},
	[OPT_SERVE] = {0, "serve", "PORT[:PORT]", "forward the engine's port to a port of 127.0.0.1; may be repeated"},
	[OPT_READY] = {0, "ready-fd", "N", "write a byte to this descriptor when the engine accepts programs"},
};

static const int shared[] = {
	[OPT_SENDER] = WT_T_SENDER, [OPT_RECOVERY] = WT_T_RECOVERY, [OPT_RECEIVER] = WT_T_RECEIVER, [OPT_PRESET] = WT_T_PRESET, [OPT_SET] = WT_T_SET,
	[OPT_CAPTURE] = WT_T_CAPTURE, [OPT_TRACE] = WT_T_TRACE, [OPT_PORT] = WT_T_PORT, [OPT_ADDRESS] = WT_T_ADDRESS, [OPT_MAC] = WT_T_MAC,
	[OPT_GATEWAY] = WT_T_GATEWAY, [OPT_SEED] = WT_T_SEED, [OPT_MEMORY] = WT_T_MEMORY, [OPT_OFFLOAD] = WT_T_OFFLOAD,
};

#define SERVES 16

struct said {
	uint16_t socks, redirect, serve[SERVES][2];
	unsigned serves;
	int ready;
};

static int take_port(const char *option, const char *value, uint16_t *port)
{
	uint64_t number;

	if (wt_parse_count(value, &number, NULL, 0) < 0 || number < 1 || number > 65535)
		return wt_fail(WT_EXIT_USAGE, "--%s: '%s' is not a port number from 1 to 65535", option, value);
	*port = (uint16_t)number;
	return WT_EXIT_OK;
}

static int take_serve(struct said *said, const char *value)
{
	char first[8];
	size_t len = strcspn(value, ":");
	int code;

	if (said->serves == SERVES)
		return wt_fail(WT_EXIT_USAGE, "--serve: at most %d ports", SERVES);
	snprintf(first, sizeof(first), "%.*s", (int)len, value);
	code = take_port("serve", len < sizeof(first) ? first : value, &said->serve[said->serves][0]);
	if (!code)
		code = take_port("serve", value[len] ? value + len + 1 : first, &said->serve[said->serves][1]);
	said->serves++;
	return code;
}

struct line {
	struct wt_daemon *daemon;
	struct said *said;
};

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	const struct line *line = arg;
	uint64_t number;

	switch (option) {
	case WT_ARGS_WORD: return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': wavetank run starts programs", value);
	case OPT_SOCKS: return take_port("socks", value, &line->said->socks);
	case OPT_REDIRECT: return take_port("redirect", value, &line->said->redirect);
	case OPT_SERVE: return take_serve(line->said, value);
	case OPT_READY:
		if (wt_parse_count(value, &number, NULL, 0) < 0 || number > 1023)
			return wt_fail(WT_EXIT_USAGE, "--ready-fd: '%s' is not an open descriptor", value);
		line->said->ready = (int)number;
		return WT_EXIT_OK;
	}
	return wt_transfer_option(&line->daemon->transfer, shared[option], value);
}

/* ---- the loop ------------------------------------------------------------------------------------------- */

static void on_epoll(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;
	struct epoll_event event[256];
	int n = epoll_wait(daemon->epoll, event, 256, 0);

	if (n <= 0)
		return;
	wt_rloop_catch_up(daemon->transfer.station.rloop);
	for (int i = 0; i < n; i++) {
		struct wt_conn *conn = wt_conn_find(daemon, (uint32_t)(event[i].data.u64 >> 32), (uint32_t)event[i].data.u64);

		if (conn && conn->fd >= 0)
			wt_pump_events(daemon, conn, event[i].events);
	}
	wt_station_touch(&daemon->transfer.station);
}

static void on_prepare(struct ev_loop *ev, ev_prepare *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;

	if (daemon->gathers && ev_now(ev) - daemon->gathers_since >= .001)
		wt_pump_gathered(daemon);
	if (!daemon->dirty)
		return;
	wt_rloop_catch_up(daemon->transfer.station.rloop);
	wt_pump_dirty(daemon);
	wt_station_touch(&daemon->transfer.station); /* windows have opened */
}

static void on_probe(struct ev_loop *ev, ev_timer *watcher, int events)
{
	wt_listener_probe(watcher->data);
	wt_station_touch(&((struct wt_daemon *)watcher->data)->transfer.station);
}

static void on_retry(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;

	ev_timer_stop(ev, watcher); /* a queue that is still full starts it anew */
	wt_rloop_catch_up(daemon->transfer.station.rloop);
	wt_listener_retry(daemon);
	wt_station_touch(&daemon->transfer.station);
}

static void on_gather(struct ev_loop *ev, ev_timer *watcher, int events)
{
	ev_timer_stop(ev, watcher);
	wt_pump_gathered(watcher->data); /* before the loop sleeps, they are written */
}

/* TCP_INFO moves with every ACK; who reads it does so a few times a second. Bytes that there was no memory for are asked for again. And a program
 * whose SYN met an ICMP error is told of it, as by Linux (RFC 5461 3.1); the engine itself would repeat the SYN until its time is over. */
static void on_refresh(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;
	struct wt_tcp_info info;

	for (uint32_t i = 0; i < daemon->high; i++) {
		struct wt_conn *conn = &daemon->conn[i];

		if (conn->kind == WT_SLOT_CONNECTION && conn->starved) {
			wt_rloop_catch_up(daemon->transfer.station.rloop);
			wt_pump_starved(daemon, conn);
			wt_station_touch(&daemon->transfer.station);
		}
		if (conn->kind != WT_SLOT_CONNECTION || !conn->tcp || !conn->busy)
			continue;
		wt_conn_publish(daemon, conn, 0);
		wt_tcp_info(conn->tcp, &info);
		conn->busy = info.unsent || info.in_flight || info.state == WT_TCP_SYN_SENT;
		if (info.state == WT_TCP_SYN_SENT && info.soft_error)
			wt_pump_unreachable(daemon, conn, -info.soft_error);
	}
}

/* ---- beginning and end ---------------------------------------------------------------------------------- */

static int open_page(struct wt_daemon *daemon)
{
	daemon->page_fd = memfd_create("wavetank", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (daemon->page_fd < 0 || ftruncate(daemon->page_fd, sizeof(*daemon->page)) < 0)
		return -errno;
	daemon->page = mmap(NULL, sizeof(*daemon->page), PROT_READ | PROT_WRITE, MAP_SHARED, daemon->page_fd, 0);
	if (daemon->page == MAP_FAILED) {
		daemon->page = NULL;
		return -errno;
	}
	daemon->page->magic = WT_HOST_MAGIC;
	daemon->page->slots = WT_HOST_SLOTS;
	memcpy(&daemon->page->address, daemon->transfer.station.addr.bytes, 4);
	/* programs read what others' connections say; they may not write it */
	return fcntl(daemon->page_fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) < 0 ? -errno : 0;
}

/* Two descriptors for a connection at most. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int begin(struct wt_daemon *daemon, const struct said *said)
{
	struct ev_loop *ev = daemon->transfer.station.ev;
	char err[300];
	int code = wt_questions_open(daemon, err, sizeof(err)), error = 0;

	if (code)
		return wt_fail(code, "%s", err);
	daemon->epoll = epoll_create1(EPOLL_CLOEXEC);
	daemon->conn = calloc(WT_HOST_SLOTS, sizeof(*daemon->conn));
	error = daemon->epoll < 0 || !daemon->conn ? -ENOMEM : open_page(daemon);
	if (error)
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot share state with programs: %s", strerror(-error));
	allow_descriptors();
	ev_io_init(&daemon->on_epoll, on_epoll, daemon->epoll, EV_READ);
	ev_prepare_init(&daemon->prepare, on_prepare);
	ev_timer_init(&daemon->probe, on_probe, .1, .1);
	ev_timer_init(&daemon->refresh, on_refresh, .05, .05);
	ev_timer_init(&daemon->retry, on_retry, .005, .005);
	ev_timer_init(&daemon->gather, on_gather, .004, .004);
	daemon->on_epoll.data = daemon->prepare.data = daemon->probe.data = daemon->refresh.data = daemon->retry.data = daemon->gather.data = daemon;
	ev_io_start(ev, &daemon->on_epoll);
	ev_prepare_start(ev, &daemon->prepare);
	ev_timer_start(ev, &daemon->probe);
	ev_timer_start(ev, &daemon->refresh);
	if (said->socks && (error = wt_gateway_socks(daemon, said->socks)) < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "--socks: port %u: %s", said->socks, strerror(-error));
	if (said->redirect && (error = wt_gateway_redirect(daemon, said->redirect)) < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "--redirect: port %u: %s", said->redirect, strerror(-error));
	for (unsigned i = 0; i < said->serves; i++)
		if ((error = wt_listener_serve(daemon, said->serve[i][0], said->serve[i][1])) != 0)
			return wt_fail(WT_EXIT_ENVIRONMENT, "--serve: port %u: %s", said->serve[i][0], strerror(error));
	return WT_EXIT_OK;
}

/* Every connection ends with an error that programs can tell from an end of file. */
static void end_all(struct wt_daemon *daemon)
{
	for (uint32_t i = 0; daemon->conn && i < daemon->high; i++) {
		struct wt_conn *conn = &daemon->conn[i];

		if (conn->kind != WT_SLOT_CONNECTION)
			continue;
		wt_conn_drop_tcp(daemon, conn, true, ECONNRESET);
		wt_conn_drop_fd(daemon, conn);
	}
	if (daemon->transfer.station.host)
		wt_station_touch(&daemon->transfer.station);
}

static void on_stop(void *arg, bool now)
{
	struct wt_daemon *daemon = arg;

	end_all(daemon);
	wt_transfer_end(&daemon->transfer);
}

static void finish(struct wt_daemon *daemon)
{
	for (uint32_t i = 0; daemon->conn && i < daemon->high; i++)
		free(daemon->conn[i].listener);
	free(daemon->conn);
	if (daemon->page)
		munmap(daemon->page, sizeof(*daemon->page));
	for (unsigned i = 0; i < 5; i++) {
		int fd = (int[]){daemon->page_fd, daemon->epoll, daemon->control, daemon->socks, daemon->redirect}[i];

		if (fd >= 0)
			close(fd);
	}
}

/* In a lab nobody reaches an engine by the kernel's TCP without noticing it. */
static int prohibit_kernel(void)
{
	const char *path = getenv("WAVETANK_HOSTS");
	FILE *file = path ? fopen(path, "re") : NULL;
	char line[200], text[64], name[64];
	struct wt_addr kernel, engine;
	int error = 0;

	while (file && !error && fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %*s %63s", text, name) == 2 && strstr(name, ".kernel") && wt_addr_parse(text, &kernel))
			for (unsigned i = 0; i < WT_LAB_ENGINES && !error; i++) {
				engine = wt_lab_engine_addr(&kernel, i);
				error = wt_prohibit(&engine);
			}
	if (file)
		fclose(file);
	return error ? wt_fail(WT_EXIT_ENVIRONMENT, "cannot keep the kernel's TCP from engine addresses: %s", strerror(-error)) : WT_EXIT_OK;
}

static int host_run(int argc, char **argv)
{
	static struct wt_daemon daemon;
	struct said said = {.ready = -1};
	char text[WT_ADDR_TEXT];
	int code;

	daemon = (struct wt_daemon){.page_fd = -1, .epoll = -1, .control = -1, .socks = -1, .redirect = -1};
	wt_transfer_init(&daemon.transfer);
	daemon.transfer.tcp.settings.snd_buffer = 512 * 1024; /* what a program has written counts as sent for it */
	/* A program reads after the ACKs of a turn have left. An update of its own for each would double their number; Linux waits until the
	 * window would be twice as wide. */
	daemon.transfer.tcp.settings.window_update = 64;
	daemon.transfer.words.receiver = "real";
	daemon.transfer.on_stop = on_stop;
	daemon.transfer.arg = &daemon;
	daemon.transfer.station_config.first_address_only = true;
	code = wt_args_each(argc, argv, take, &(struct line){&daemon, &said});
	if (!code)
		code = wt_transfer_files(&daemon.transfer, NULL, NULL);
	if (!code)
		code = wt_transfer_start(&daemon.transfer);
	if (!code)
		code = begin(&daemon, &said);
	if (!code && daemon.redirect < 0) /* a kernel looks for a route before its packet filter redirects: the refusal would come first */
		code = prohibit_kernel();
	if (!code) {
		wt_say("the engine of %s serves programs", wt_addr_format(&daemon.transfer.station.addr, text));
		wt_rloop_kick(daemon.transfer.station.rloop);
		if (said.ready >= 0 && (write(said.ready, "", 1) != 1 || close(said.ready) < 0))
			code = wt_fail(WT_EXIT_USAGE, "--ready-fd: %s", strerror(errno));
		if (!code)
			wt_transfer_run(&daemon.transfer);
	}
	end_all(&daemon);
	code = wt_transfer_finish(&daemon.transfer, code);
	finish(&daemon);
	return code;
}

const struct wt_command wt_command_host = {
	.name = "host",
	.text = "run an engine for programs instead of the kernel's TCP",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = host_run,
	.notes = "lab up --programs starts one on each host; then wavetank run starts programs over it.\n\n"
		 "  wavetank lab exec demo:a wavetank run -- curl http://b.engine/\n"
		 "  wavetank host --port packet:eth0 --address 10.0.0.2/24 --socks 1080",
};
