/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TCP/IP host of ours on a real wire: a world of an engine inside and a port outside, with a real-time loop, a capture and a journal. What
 * `send` and `recv` stand on.
 *
 *   application ── host ── [capture tap] ── port (TAP, packet socket)
 *
 * Two engines on one address in one network namespace would reset each other's connections. So a station holds an abstract
 * unix socket named after its address: those belong to the network namespace, and die with their process.
 */
#ifndef WT_TOOLS_APP_STATION_H
#define WT_TOOLS_APP_STATION_H

#include <ev.h>

#include "emu/world/build.h"
#include "stack/record/journal.h"
#include "stack/drive/rloop.h"

struct wt_station_config {
	const char *port;        /* "tap:NAME" or "packet:INTERFACE"; NULL: $WAVETANK_PORT */
	const char *address;     /* "10.0.0.1/24"; NULL: the lab's */
	const char *mac;         /* NULL: derived from the address */
	const char *gateway;     /* NULL: none */
	const char *capture, *trace;
	uint64_t memory;         /* most bytes that connections hold; 0: the host's default */
	uint32_t connections;    /* at most; 0: the host's default */
	bool seeded;             /* secrets from seed instead of getrandom() */
	uint64_t seed;
	bool offload;            /* the kernel leaves checksums and cutting to the port, and has no packets cut for it */
	bool first_address_only; /* in a lab: a server is found at the host's first engine address, or not at all */
};

struct wt_station {
	struct wt_station_config config;
	struct wt_world world;   /* the engine, and what is behind the port */
	struct wt_network net;
	struct ev_loop *ev;
	struct wt_rloop *rloop;
	struct wt_port *port;    /* of the network, like the host */
	struct wt_host *host;
	struct wt_capture *capture;
	struct wt_journal *journal;
	struct wt_addr addr, gateway;
	unsigned prefix_len;
	struct wt_key secret;
	int claim; /* the unix socket */
	char interface[64];
};

/* Opens everything. An exit code, not 0 with one sentence in err; finish it in either case. */
int wt_station_init(struct wt_station *station, const struct wt_station_config *config, char *err, size_t err_len);
/* err: empty, or one sentence about the first of capture and journal that could not be written. */
void wt_station_finish(struct wt_station *station, char *err, size_t err_len);
/* After calls into the host from outside its callbacks. */
void wt_station_touch(struct wt_station *station);

/*
 * A host name as `send -c` takes it: an address, or in a lab "b" (its engine), "b.kernel", "b.engine". 0 or -EINVAL with a sentence.
 */
int wt_station_resolve(const char *name, struct wt_addr *addr, char *err, size_t err_len);

#endif
