/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavetank serve: four small services on our engine, each on a port, for any number of clients: what a stack is measured and tried with.
 *
 *   echo     what comes goes back (RFC 862)          source  the stream of the seed, without end (cf. RFC 864)
 *   discard  what comes is read (RFC 863)            byte    one byte, then FIN (cf. RFC 865)
 *
 * A connection of the source alone has state of its own: the place in its stream.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/app/transfer.h"

enum { ECHO, DISCARD, SOURCE, BYTE, SERVICES };

enum {
	OPT_ECHO, OPT_DISCARD, OPT_SOURCE, OPT_BYTE, OPT_CONNECTIONS, OPT_SENDER, OPT_RECOVERY, OPT_RECEIVER, OPT_PRESET, OPT_SET, OPT_MSS,
	OPT_CAPTURE, OPT_TRACE, OPT_TIMEOUT, OPT_PORT, OPT_ADDRESS, OPT_MAC, OPT_GATEWAY, OPT_SEED, OPT_MEMORY, OPT_OFFLOAD,
};

#define CONNECTIONS 65536
#define BACKLOG 4096
#define AT_ONCE (1u << 20) /* bytes of a write of the source */

static const struct wt_option options[] = {
	[OPT_ECHO] = {0, "echo", "PORT", "what comes goes back (default 7; 0: not served)"},
	[OPT_DISCARD] = {0, "discard", "PORT", "what comes is read (default 9; 0: not served)"},
	[OPT_SOURCE] = {0, "source", "PORT", "bytes without end, those of the seed (default 19; 0: not served)"},
	[OPT_BYTE] = {0, "byte", "PORT", "one byte, then the end (default 17; 0: not served)"},
	[OPT_CONNECTIONS] = {0, "connections", "N", "most connections at a time (default 65536)"},
	[OPT_SENDER] = {'C', "congestion", "MODULE", "sender module with parameters: real:profile=paper"},
	[OPT_RECOVERY] = {0, "recovery", "MODULE", "recovery module (default: the sender module's own)"},
	[OPT_RECEIVER] = {0, "rcc", "MODULE", "receiver module (default: standard)"},
	[OPT_PRESET] = {0, "preset", "NAME", "stack settings: modern (default), bsd90"},
	[OPT_SET] = {'S', "set", "NAME=VALUE,...", "settings on top of nagle=no, ack_drain=yes, rcv_buffer=512KiB; repeatable"},
	[OPT_MSS] = {'M', "set-mss", "SIZE", "largest segment: short for -S mss=SIZE"},
	[OPT_CAPTURE] = {0, "capture", "FILE", "pcapng of this end"},
	[OPT_TRACE] = {0, "trace", "FILE", "engine events as JSON Lines"},
	[OPT_TIMEOUT] = {0, "timeout", "TIME", "end after this long (exit code 124)"},
	[OPT_PORT] = {0, "port", "PORT", "tap:NAME or packet:INTERFACE (in a lab: known)"},
	[OPT_ADDRESS] = {0, "address", "A/PREFIX", "our address, not the kernel's (in a lab: known)"},
	[OPT_MAC] = {0, "mac", "MAC", "our MAC address (default: derived from the address)"},
	[OPT_GATEWAY] = {0, "gateway", "ADDRESS", "router for other networks"},
	[OPT_SEED] = {0, "seed", "N", "secrets of the stack and bytes of the source from N (default: fresh, 0)"},
	[OPT_MEMORY] = {0, "memory", "SIZE", "memory limit of all connections (default 1GiB)"},
	[OPT_OFFLOAD] = {0, "offload", NULL, "checksums and cutting of segments are the kernel's: 64 KB frames on the port"},
};

/* What `send` and `recv` have too. */
static const int shared[] = {
	[OPT_SENDER] = WT_T_SENDER, [OPT_RECOVERY] = WT_T_RECOVERY, [OPT_RECEIVER] = WT_T_RECEIVER, [OPT_PRESET] = WT_T_PRESET,
	[OPT_SET] = WT_T_SET, [OPT_MSS] = WT_T_MSS, [OPT_CAPTURE] = WT_T_CAPTURE, [OPT_TRACE] = WT_T_TRACE, [OPT_TIMEOUT] = WT_T_TIMEOUT,
	[OPT_PORT] = WT_T_PORT, [OPT_ADDRESS] = WT_T_ADDRESS, [OPT_MAC] = WT_T_MAC, [OPT_GATEWAY] = WT_T_GATEWAY, [OPT_SEED] = WT_T_SEED,
	[OPT_MEMORY] = WT_T_MEMORY, [OPT_OFFLOAD] = WT_T_OFFLOAD,
};

struct service {
	const char *name;
	wt_tcp_callback *callback;
	uint16_t port;
	uint64_t served; /* connections */
	struct serve *serve;
};

struct serve {
	struct wt_transfer transfer;
	struct service service[SERVICES];
	uint64_t received, sent; /* bytes: read, and written */
};

/* ---- the services -------------------------------------------------------------------------------------- */

#define OVER (WT_TCP_EV_ERROR | WT_TCP_EV_CLOSED)

static void take(struct serve *serve, struct wt_tcp *tcp, size_t len)
{
	wt_tcp_consume(tcp, len);
	serve->received += len;
}

/* Bytes that find no room in the send buffer stay where they are: so a client that does not read is not read. */
static void echo(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct serve *serve = ((struct service *)arg)->serve;
	const uint8_t *data;
	ssize_t written = 0;
	size_t len;

	if (events & OVER) {
		wt_tcp_close(tcp);
		return;
	}
	while ((len = wt_tcp_peek(tcp, &data)) > 0 && (written = wt_tcp_write(tcp, data, len)) > 0) {
		take(serve, tcp, (size_t)written);
		serve->sent += (uint64_t)written;
	}
	if (written < 0 && written != -EAGAIN)
		wt_tcp_abort(tcp);
	else if (!wt_tcp_readable(tcp) && wt_tcp_read(tcp, &(uint8_t){0}, 1) == 0)
		wt_tcp_close(tcp);
}

static void discard(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct serve *serve = ((struct service *)arg)->serve;
	const uint8_t *data;
	size_t len;

	while (!(events & OVER) && (len = wt_tcp_peek(tcp, &data)) > 0)
		take(serve, tcp, len);
	if (events & (OVER | WT_TCP_EV_EOF))
		wt_tcp_close(tcp);
}

struct stream {
	struct service *service;
	uint64_t at;
};

/* Ends when the client ends, and forgets then what it has not sent. */
static void source(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct stream *stream = arg;
	struct serve *serve = stream->service->serve;
	struct wt_extent from = {.pattern = &wt_bulk_stream, .key = serve->transfer.station_config.seed};
	const uint8_t *data;
	ssize_t written;
	size_t len;

	if (events & OVER) {
		wt_tcp_close(tcp);
		free(stream);
		return;
	}
	while ((len = wt_tcp_peek(tcp, &data)) > 0)
		take(serve, tcp, len);
	if (events & WT_TCP_EV_EOF) {
		wt_tcp_discard(tcp);
		wt_tcp_shutdown(tcp);
		return;
	}
	for (;;) {
		from.at = stream->at;
		written = wt_tcp_write_from(tcp, &from, AT_ONCE);
		if (written <= 0)
			break;
		stream->at += (uint64_t)written;
		serve->sent += (uint64_t)written;
	}
}

/* All of it happens when it is accepted; here its end comes. */
static void byte(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	if (!(events & WT_TCP_EV_SENT))
		discard(arg, tcp, events, now);
}

static void begin(struct service *service, struct wt_tcp *tcp, wt_time now)
{
	struct serve *serve = service->serve;
	struct stream *stream;

	service->served++;
	wt_tcp_set_callback(tcp, service->callback, service);
	if (service == &serve->service[BYTE]) {
		if (wt_tcp_write(tcp, "b", 1) == 1)
			serve->sent++;
		wt_tcp_shutdown(tcp);
	} else if (service == &serve->service[SOURCE]) {
		stream = calloc(1, sizeof(*stream));
		if (!stream) {
			wt_tcp_abort(tcp);
			return;
		}
		stream->service = service;
		wt_tcp_set_callback(tcp, source, stream);
		source(stream, tcp, 0, now);
		return;
	}
	service->callback(service, tcp, WT_TCP_EV_READABLE, now); /* what came before it was accepted */
}

static void on_accept(void *arg, struct wt_tcp *listener, unsigned events, wt_time now)
{
	struct wt_tcp *tcp;

	while ((tcp = wt_tcp_accept(listener)))
		begin(arg, tcp, now);
}

/* ---- the command --------------------------------------------------------------------------------------- */

static void on_stop(void *arg, bool now)
{
	wt_transfer_end(&((struct serve *)arg)->transfer);
}

static int set_port(struct service *service, const char *value)
{
	uint64_t port;

	if (wt_parse_count(value, &port, NULL, 0) < 0 || port > 65535)
		return wt_fail(WT_EXIT_USAGE, "--%s: '%s' is not a port number from 0 to 65535", service->name, value);
	service->port = (uint16_t)port;
	return WT_EXIT_OK;
}

static int set_connections(struct serve *serve, const char *value)
{
	uint64_t count;

	if (wt_parse_count(value, &count, NULL, 0) < 0 || count < 1 || count > 1000000)
		return wt_fail(WT_EXIT_USAGE, "--connections: '%s' is not a number from 1 to 1000000", value);
	serve->transfer.station_config.connections = (uint32_t)count + SERVICES; /* listeners have blocks, too */
	return WT_EXIT_OK;
}

static int take_option(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct serve *serve = arg;

	if (option == WT_ARGS_WORD)
		return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': serve takes only options", value);
	if (option <= OPT_BYTE)
		return set_port(&serve->service[option - OPT_ECHO], value);
	if (option == OPT_CONNECTIONS)
		return set_connections(serve, value);
	return wt_transfer_option(&serve->transfer, shared[option], value);
}

static int take_options(struct serve *serve, int argc, char **argv)
{
	int code = wt_transfer_option(&serve->transfer, WT_T_SET, "nagle=no,ack_drain=yes,rcv_buffer=512KiB"); /* more only waits in the queue of a TAP, cold */

	if (!code)
		code = wt_args_each(argc, argv, take_option, serve);
	for (unsigned i = 0; i < SERVICES && !code; i++)
		for (unsigned j = 0; j < i && !code; j++)
			if (serve->service[i].port && serve->service[i].port == serve->service[j].port)
				code = wt_fail(WT_EXIT_USAGE, "--%s and --%s cannot share port %u", serve->service[j].name, serve->service[i].name,
					       serve->service[i].port);
	return code ? code : wt_transfer_files(&serve->transfer, NULL, NULL);
}

static int listen_all(struct serve *serve)
{
	struct wt_tcp_config config = serve->transfer.tcp;
	char text[WT_ADDR_TEXT];

	config.callback = on_accept;
	for (unsigned i = 0; i < SERVICES; i++) {
		struct service *service = &serve->service[i];

		config.arg = service;
		if (service->port &&
		    !wt_tcp_listen(serve->transfer.station.host, &(struct wt_endpoint){.port = service->port}, BACKLOG, &config))
			return wt_fail(WT_EXIT_CONNECTION, "cannot listen on port %u: %s", service->port, strerror(errno));
	}
	wt_say("serving on %s: echo %u, discard %u, source %u, byte %u", wt_addr_format(&serve->transfer.station.addr, text),
	       serve->service[ECHO].port, serve->service[DISCARD].port, serve->service[SOURCE].port, serve->service[BYTE].port);
	wt_station_touch(&serve->transfer.station);
	return WT_EXIT_OK;
}

static void print_summary(const struct serve *serve)
{
	const struct service *service = serve->service;
	char received[24], sent[24];

	printf("served: %" PRIu64 " echo, %" PRIu64 " discard, %" PRIu64 " source, %" PRIu64 " byte; %s read, %s written\n", service[ECHO].served,
	       service[DISCARD].served, service[SOURCE].served, service[BYTE].served, wt_show_bytes((double)serve->received, received),
	       wt_show_bytes((double)serve->sent, sent));
	fflush(stdout);
}

static int serve_run(int argc, char **argv)
{
	struct serve serve = {.service = {{"echo", echo, 7}, {"discard", discard, 9}, {"source", source, 19}, {"byte", byte, 17}}};
	int code;

	wt_transfer_init(&serve.transfer);
	serve.transfer.on_stop = on_stop;
	serve.transfer.arg = &serve;
	serve.transfer.station_config.first_address_only = true;
	serve.transfer.station_config.connections = CONNECTIONS + SERVICES;
	for (unsigned i = 0; i < SERVICES; i++)
		serve.service[i].serve = &serve;
	code = take_options(&serve, argc, argv);
	if (!code)
		code = wt_transfer_start(&serve.transfer);
	if (!code)
		code = listen_all(&serve);
	if (!code) {
		wt_transfer_run(&serve.transfer);
		print_summary(&serve);
	}
	return wt_transfer_finish(&serve.transfer, code);
}

const struct wt_command wt_command_serve = {
	.name = "serve",
	.text = "echo, discard, source, one byte: services on our engine",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = serve_run,
	.notes = "  wavetank lab exec demo:b wavetank serve\n"
		 "  wavetank serve --port tap:wt0 --address 10.0.0.2/24",
};
