/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The constant-rate application: datagrams of one size at equal distances over UDP, and a sink that measures what the path did to them.
 *
 * Each datagram has 24 bytes in front, in network byte order: "WT" and flags (two bytes each), the flow's number (4), the datagram's
 * number from 0 (8), and when it was sent in nanoseconds of the sender's clock (8); zeros follow. The n-th leaves at start + n * size / rate,
 * each computed anew, so that no rounding adds up.
 *
 * The sink counts what came, what is missing, what came twice and what came late (RFC 4737 2.2: below the next number expected), the
 * one-way delay, and its jitter as RFC 3550 6.4.1 defines it. A delay is the sink's clock minus the sender's: in virtual time they are one,
 * and in real time both count from `epoch`, that is by the wall clocks of their machines.
 *
 * A sender that `asks` wants to know what the sink saw: after its last datagram it sends empty ones with a flag, every WT_CBR_ASK, until the
 * sink's report has come that misses nothing, or WT_CBR_REPORTS of them, or WT_CBR_ASKS were in vain.
 */
#ifndef WT_TOOLS_APP_CBR_H
#define WT_TOOLS_APP_CBR_H

#include "stack/base/histogram.h"
#include "stack/host/host.h"
#include "stack/net/udp.h"
#include "stack/record/json.h"
#include "stack/text/params.h"

#define WT_CBR_HEADER 24
#define WT_CBR_SILENCE (10 * WT_S) /* nothing came for so long and for four datagrams' time: what is missing is lost */
#define WT_CBR_ASK (200 * WT_MS)
#define WT_CBR_ASKS 25
#define WT_CBR_REPORTS 5
#define WT_CBR_REPORT 168          /* bytes */
#define WT_CBR_WINDOW 8192         /* a copy of a datagram this far behind the newest is not recognised: it counts as late */

struct wt_cbr_config {
	uint64_t rate; /* of payload, bit/s */
	uint64_t size; /* payload of a datagram, bytes */
};

extern const struct wt_param wt_cbr_params[];
extern const size_t wt_cbr_param_count;

/* "cbr" or "cbr:rate=1Mbit,size=1000B". 0, or -EINVAL with one sentence in err. */
int wt_cbr_parse(const char *words, struct wt_cbr_config *config, char *err, size_t err_len);

/* What a sink saw. Times in ns. */
struct wt_cbr_report {
	uint64_t received, bytes, lost, duplicates, late, ce;
	double goodput; /* bytes per second */
	double delay_mean, jitter, jitter_max;
	wt_time delay_min, delay_p50, delay_p95, delay_p99, delay_max;
	bool done;
};

/* ---- sender ------------------------------------------------------------------------------------------- */

struct wt_cbr_sender {
	struct wt_cbr_config config;
	uint64_t datagrams; /* to be sent; 0: until it is stopped */
	uint32_t flow;
	bool asks;
	wt_time epoch;      /* of its clock */
	void (*on_done)(void *arg, struct wt_cbr_sender *sender); /* the last one has left, and who asked has been answered */
	void *arg;

	struct wt_host *host; /* NULL: not begun */
	struct wt_udp *udp;
	struct wt_endpoint remote;
	struct wt_host_timer timer;
	uint8_t *payload;
	wt_time start, last;
	uint64_t sent;   /* handed to UDP */
	uint64_t failed; /* of these, refused by it: no memory */
	uint64_t told;   /* ICMP errors about them */
	bool over;       /* nothing more is sent; who asks is not done yet */
	unsigned asked, reports;
	struct wt_cbr_report report; /* if reports */
	bool done;
};

/*
 * Begins at once; everything else happens in callbacks of the host. The caller has filled in the fields above `host`, and the sender outlives
 * its work. 0, or negative errno: as of wt_udp_open(), -ENETUNREACH, -EMSGSIZE (a datagram does not fit the MTU). wt_cbr_finish() frees.
 */
int wt_cbr_send(struct wt_cbr_sender *sender, struct wt_host *host, const struct wt_endpoint *remote, uint16_t local_port, wt_time now);
/* No more is sent; on_done is called. */
void wt_cbr_stop(struct wt_cbr_sender *sender);
void wt_cbr_finish(struct wt_cbr_sender *sender);

/* ---- sink --------------------------------------------------------------------------------------------- */

struct wt_cbr_sink {
	void (*on_done)(void *arg, struct wt_cbr_sink *sink);
	void *arg;

	struct wt_host *host; /* NULL: not here */
	struct wt_host_timer timer;
	wt_time epoch;        /* of its clock */
	uint64_t announced;   /* datagrams in all; 0: not known */
	uint64_t next;        /* number above the highest that came */
	uint64_t received, bytes; /* each datagram once */
	uint64_t duplicates, late, ce;
	wt_time first, last;  /* arrivals */
	wt_time told;         /* when the sender was done, if it said so */
	wt_time silence;
	struct wt_histogram delay;
	wt_time delay_min;
	double delay_sum;     /* ns */
	wt_time transit;      /* of the last one */
	double jitter, jitter_max; /* ns */
	uint64_t have[WT_CBR_WINDOW / 64];
	bool done;
};

/* An empty one of such a flow at this host. on_done: all came, or nothing for a while. 0 or -ENOMEM. */
int wt_cbr_await(struct wt_cbr_sink *sink, const struct wt_cbr_config *config, struct wt_host *host,
		 void (*on_done)(void *arg, struct wt_cbr_sink *sink), void *arg);

void wt_cbr_sink_finish(struct wt_cbr_sink *sink); /* accepts a zeroed one */

/* Is it a datagram of a sender? Then *flow is its flow. A sink takes one of its own. */
bool wt_cbr_is_datagram(const struct wt_udp_datagram *datagram, uint32_t *flow);
void wt_cbr_take(struct wt_cbr_sink *sink, struct wt_udp *udp, const struct wt_udp_datagram *datagram);

/* The sink of several flows at one port of a host. sinks: by the flow's number, `count` of them; those whose host is NULL are not its. */
struct wt_cbr_server {
	struct wt_udp *udp;
	struct wt_cbr_sink *sink;
	uint32_t count;
	uint64_t strange; /* datagrams that are of no flow of ours */
};

/* 0, or negative errno as of wt_udp_open(). The server must outlive its socket, which wt_cbr_serve_stop() closes. */
int wt_cbr_serve(struct wt_cbr_server *server, struct wt_cbr_sink *sinks, uint32_t count, struct wt_host *host, uint16_t port);
void wt_cbr_serve_stop(struct wt_cbr_server *server);
/* The sender has sent so many and stops: the sink waits for what is under way. */
void wt_cbr_expect(struct wt_cbr_sink *sink, uint64_t sent, wt_time now);
/* Datagrams that did not come: of those announced, else of those up to the highest that came. */
uint64_t wt_cbr_lost(const struct wt_cbr_sink *sink);
/* Bytes per second of payload between the first arrival and the last, the first datagram not counted; 0 of less than two. */
double wt_cbr_goodput(const struct wt_cbr_sink *sink);

struct wt_cbr_report wt_cbr_report_of(const struct wt_cbr_sink *sink);

/* What became of a flow: keys of the open object, and two lines for people. Of keys, those of one end if the other is NULL. */
void wt_cbr_json(struct wt_json *json, const struct wt_cbr_sender *sender, const struct wt_cbr_report *report);
void wt_cbr_text(FILE *out, const struct wt_cbr_sender *sender, const struct wt_cbr_report *report);

#endif
