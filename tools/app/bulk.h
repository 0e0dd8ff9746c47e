/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bulk application: many bytes one way, verified at the other end, over wt_tcp callbacks only. It does no I/O of its
 * own and asks no clock, so `sim`, `send`, `recv`, the paper runs and the tests share it.
 *
 *   sender                                            receiver
 *   connect ─────────────────────────────────────────► accept
 *   request (32 bytes: what follows) ────────────────►
 *   payload: every byte a function of (seed, position) ► compares every byte
 *   FIN ─────────────────────────────────────────────► end: the stream was whole, or not
 *                          ◄───────────────── result (96 bytes: what it saw), FIN
 *
 * A request may also ask the receiver for payload (wt_bulk_fetch()): it sends the payload, waits until all of it is acknowledged, and
 * then sends one byte that differs from the byte with which the payload would go on, a report of the sender (96 bytes), and FIN.
 *
 * Request, result and report are in network byte order (bulk_wire.c). With `raw` neither is sent: plain bytes and FIN, for peers
 * such as nc, and a plain peer's bytes are counted but not compared unless the receiver was told the seed.
 *
 * Goodput is the paper's: payload / connection time, where connection time runs from the first SYN to the
 * acknowledgement of the last payload byte (and of the FIN that rides on it), both seen at the sender.
 */
#ifndef WT_TOOLS_APP_BULK_H
#define WT_TOOLS_APP_BULK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/world/result.h"
#include "stack/base/extent.h"
#include "stack/base/histogram.h"
#include "stack/host/host.h"

/* Payload: fills `data` with bytes [at, at + len) of the stream; and the number of leading bytes that agree. */
void wt_bulk_fill(uint64_t seed, uint64_t at, uint8_t *data, size_t len);
size_t wt_bulk_agree(uint64_t seed, uint64_t at, const uint8_t *data, size_t len);
/* The same by name; the key is the seed. */
extern const struct wt_pattern wt_bulk_stream;

/* What the receiver saw. Times in the receiver's clock, since the connection was accepted. */
struct wt_bulk_result {
	uint64_t bytes;           /* payload */
	uint64_t bad_at;          /* first byte that differed; valid if !verified */
	bool verified;            /* every byte compared equal, and as many as announced */
	bool compared;            /* false: raw stream, only counted */
	wt_time first, last;      /* first and last payload byte read; 0 if none */
	uint64_t segs, dup_segs, out_of_order_segs;
	uint32_t ce_segs;         /* with payload, that came with a CE mark */
	uint32_t attempts, successes; /* of a reader that keeps time (tools/app/playback.h), each below 2^24 */
	char receiver[20];        /* module */
};

/* What a sender reports to a peer that fetches: its counts when all of the payload was acknowledged. */
struct wt_bulk_report {
	uint64_t bytes;           /* payload */
	uint64_t segs, retransmits_segs, retransmits_bytes;
	uint32_t fast_recoveries, timeouts;
	wt_time mean_rtt, min_rtt;
	char sender[16], recovery[16]; /* modules */
};

/* What a connection is for: the first bytes of its client. */
enum wt_bulk_kind {
	WT_BULK_SENDS,   /* payload comes */
	WT_BULK_ASKS,    /* requests come, each wants a response (tools/app/rr.h) */
	WT_BULK_WANTS = 3, /* payload is to be sent there, and a report: wt_bulk_fetch(). 2 was the same without a report */
};

struct wt_bulk_request {
	uint64_t size, seed; /* payload, 0: until FIN; of requests: bytes of each << 32 | bytes of each response */
	uint64_t rate;       /* of payload that is wanted, bit/s in steps of 1000; 0: as fast as TCP takes it */
	unsigned kind;       /* enum wt_bulk_kind */
	unsigned streams;    /* connections of this run; 0: 1 */
	uint32_t time_ms;    /* how long payload is wanted; 0: no limit */
};

struct wt_rr;

/* Numbers of the last interval, for the live line. Times since the start of the transfer. */
struct wt_bulk_interval {
	wt_time from, to;
	uint64_t bytes, total;    /* payload acknowledged (sender) or read (receiver): in the interval, so far */
	uint64_t retransmits_segs;/* in the interval */
	struct wt_tcp_info info;  /* now */
};

enum wt_bulk_fail {
	WT_BULK_OK,
	WT_BULK_CONNECT,   /* never established; error says why */
	WT_BULK_BROKEN,    /* connection lost on the way; error says why */
	WT_BULK_PROTOCOL,  /* the peer did not speak this protocol, or closed early */
	WT_BULK_MISMATCH,  /* bytes differ, or are too many */
	WT_BULK_SHORT,     /* told to the receiver: all that came is right, and less than announced */
	WT_BULK_CANCELLED, /* by wt_bulk_*_cancel() */
	WT_BULK_IDLE,      /* it said nothing, and another one needed its place */
};

const char *wt_bulk_fail_text(enum wt_bulk_fail fail); /* a short phrase for people */

/* ---- sender ------------------------------------------------------------------------------------------- */

struct wt_bulk_sender;

#define WT_BULK_LATER ((size_t)-1)
#define WT_BULK_WRITE 16384 /* bytes of a write at most */

struct wt_bulk_send_config {
	uint64_t size;      /* payload bytes; 0: no limit but `time` */
	wt_time time;       /* stop writing this long after connecting; 0: no limit but `size` */
	bool sharp;         /* ... and forget then what was not sent: it ends as soon as what is under way has arrived */
	uint64_t seed;      /* of the payload */
	bool raw;           /* no request, no result */
	bool report;        /* with raw: a report follows the payload */
	struct wt_rr *rr;   /* it asks and waits for the response, again and again (tools/app/rr.h); NULL: it sends */
	/* Instead of the pattern (with raw): fills up to len bytes, returns the count, 0 at the end, or WT_BULK_LATER: nothing yet,
	 * wt_bulk_send_wake() follows. */
	size_t (*source)(void *arg, uint8_t *data, size_t len);
	/* A live source: pace_bytes more of the pattern exist at each pace_every since the connection stands, the first at once.
	 * 0: all of it is there. */
	uint64_t pace_bytes;
	wt_time pace_every;
	/* It writes for a while, rests for a while, and so on since the connection stands; 0: it never rests. */
	wt_time on, off;
	size_t length;      /* bytes of each write, at most WT_BULK_WRITE; 0: that */
	wt_time omit;       /* goodput counts from so long after connecting */
	unsigned streams;   /* connections of this run, told to the receiver; 0: 1 */
	wt_time interval;   /* 0: no interval calls */
	void (*on_interval)(void *arg, const struct wt_bulk_interval *interval);
	void (*on_done)(void *arg, struct wt_bulk_sender *sender); /* the sender may be freed from here */
	void *arg;
};

struct wt_bulk_sender {
	struct wt_bulk_send_config config;
	struct wt_host *host;
	struct wt_tcp *tcp;         /* NULL when done */
	struct wt_host_timer timer; /* the earliest of what follows */
	wt_time interval_at, stop_at, pace_at, omit_at;
	struct wt_bulk_interval last;
	uint64_t last_retransmits;
	wt_time omitted;            /* goodput counts from then, without so many bytes; 0: from the start */
	uint64_t omitted_bytes;
	uint64_t written;           /* of the payload */
	size_t request_left, result_have, held, held_at;
	struct wt_histogram rtts;   /* of every round trip that was measured */
	uint8_t wire[96];

	bool done, shut, stopped, eof, got_result;
	bool reported;              /* info is of the moment of the report */
	bool cut;                   /* the run ended while it went on */
	uint64_t delivered;         /* payload acknowledged by then */
	wt_time arrival;            /* ... and how long payload had been arriving, from its first to its last; 0: not known */
	enum wt_bulk_fail fail;
	int error;                  /* negative errno with CONNECT and BROKEN */
	wt_time start;              /* first SYN */
	wt_time connected;          /* 0: never */
	wt_time acked;              /* last payload byte acknowledged; 0: never */
	wt_time end;                /* result and FIN of the receiver seen, or failure */
	struct wt_tcp_info info;    /* as the connection ended, or as it was reported */
	struct wt_bulk_result result; /* of the receiver; valid if got_result */
	uint8_t *chunk;             /* of WT_BULK_WRITE bytes, for what is not written by name; NULL: all of it is */
};

/*
 * Connects and goes to work; from then on everything happens in callbacks, until on_done. The sender (caller's memory) must
 * outlive that; wt_bulk_send_finish() gives back what it took. 0, or negative errno as of wt_tcp_connect(), or -EINVAL if neither size
 * nor time bounds it (raw with source: the source does).
 */
int wt_bulk_send(struct wt_bulk_sender *sender, const struct wt_bulk_send_config *config, struct wt_host *host,
		 const struct wt_endpoint *remote, uint16_t local_port, const struct wt_tcp_config *tcp, wt_time now);
/* The same over a connection that stands. Without a request and a result: config->raw. 0 or -ENOMEM: the connection stays whose it was. */
int wt_bulk_send_on(struct wt_bulk_sender *sender, const struct wt_bulk_send_config *config, struct wt_host *host, struct wt_tcp *tcp,
		    wt_time now);
/* Paces a sender: so many bit/s. */
void wt_bulk_send_rate(struct wt_bulk_send_config *config, uint64_t rate);
/* The source has bytes again, or its end. */
void wt_bulk_send_wake(struct wt_bulk_sender *sender);
/* Stops writing now, finishes in order (FIN, result). For ^C at the first time. From outside a callback: touch the host. */
void wt_bulk_send_stop(struct wt_bulk_sender *sender);
/* Resets the connection; on_done is called. */
void wt_bulk_send_cancel(struct wt_bulk_sender *sender, wt_time now);
/* The run ends now, whatever goes on: what it came to is kept, and the connection is left to its host. */
void wt_bulk_send_cut(struct wt_bulk_sender *sender, wt_time now);
/* Of one that is done or cut, or never began (zeroed); its numbers stay, but for the round trips. */
void wt_bulk_send_finish(struct wt_bulk_sender *sender);
/* "complete", "unfinished", why it failed. */
const char *wt_bulk_outcome(const struct wt_bulk_sender *sender);
/* Payload that is known to have arrived. */
uint64_t wt_bulk_delivered(const struct wt_bulk_sender *sender);
/* What it adds to a sum of flows: of one that was cut or failed, what was acknowledged until its end. */
struct wt_flow_part wt_bulk_part(const struct wt_bulk_sender *sender);
/* Bytes per second by the definition above; of one that was cut, what was acknowledged by then over the time it had; 0 if not finished. */
double wt_bulk_goodput(const struct wt_bulk_sender *sender);

/* ---- receiver ----------------------------------------------------------------------------------------- */

struct wt_bulk_server;

/* One accepted connection; the server's memory, valid until on_done returns. */
struct wt_bulk_receiver {
	struct wt_bulk_server *server;
	struct wt_bulk_receiver *next;
	struct wt_tcp *tcp;
	struct wt_host_timer timer;
	struct wt_bulk_interval last;
	uint64_t last_retransmits;
	size_t request_have, result_left;
	uint8_t wire[97];
	uint64_t size, seed;        /* announced; size 0: until FIN */

	bool done, eof, concluded, begun;
	bool spoke;                 /* a byte came */
	bool turns;                 /* the request wants payload, which a sender takes over */
	bool fetches;               /* a report is to follow the payload */
	bool got_report;
	struct wt_bulk_report report; /* of the sender; valid if got_report */
	size_t report_have;         /* bytes of it in wire, after the byte that differs; 0: it has not begun */
	struct wt_bulk_request request;
	enum wt_bulk_fail fail;
	int error;
	wt_time omitted;            /* since accepted: what came before counts in no goodput */
	uint64_t omitted_bytes;
	wt_time accepted, end;
	wt_time heard;              /* when bytes last came, at first as accepted */
	struct wt_tcp_info info;
	struct wt_bulk_result result;
	const struct wt_bulk_reader *reader; /* NULL: everything is read as it comes */
	void *app; /* of the reader */
};

/* An application that takes the payload when it wants to, not when it comes. */
struct wt_bulk_reader {
	bool (*adopt)(const void *arg, struct wt_bulk_receiver *receiver, wt_time now); /* false: no memory */
	/* There is unread payload, or the end of the stream behind it, or room again after a write that was cut. */
	void (*on_data)(struct wt_bulk_receiver *receiver, wt_time now);
	void (*release)(struct wt_bulk_receiver *receiver); /* the connection goes */
};

#define WT_BULK_SILENCE (10 * WT_S)
#define WT_BULK_PLACES 32768 /* connections at a time: as many as a client usually has ports for */

struct wt_bulk_serve_config {
	/* Connections at a time; 0: WT_BULK_PLACES. One more takes the place of the one that is silent for longest, if that has sent nothing yet
	 * or nothing for WT_BULK_SILENCE; else it is reset. */
	unsigned max;
	unsigned most;       /* connections that send something; then nobody listens any more, and silent ones are closed. 0: without end */
	bool one_run;        /* the same for one run: as many as the first request says */
	bool raw;            /* expect no request and send no result */
	bool raw_compare;    /* raw, but compare with the pattern of raw_seed */
	uint64_t raw_seed;
	const struct wt_bulk_reader *reader; /* of connections that send; NULL: everything is read as it comes */
	const void *reader_arg;
	/* Every payload byte, in order (after comparison). May be NULL. */
	void (*sink)(void *arg, struct wt_bulk_receiver *receiver, const uint8_t *data, size_t len);
	wt_time interval;
	void (*on_accept)(void *arg, struct wt_bulk_receiver *receiver);
	void (*on_interval)(void *arg, struct wt_bulk_receiver *receiver, const struct wt_bulk_interval *interval);
	/* The connection is closed in order, our FIN acknowledged, or failed: a process that ends after this leaves no peer hanging. */
	void (*on_done)(void *arg, struct wt_bulk_receiver *receiver);
	/* A sender that was wanted is done (with one that is not all was sent): it is freed when this returns. NULL: nobody is served so. */
	void (*on_sent)(void *arg, struct wt_bulk_sender *sender);
	wt_time omit;        /* goodput counts from so long after the beginning */
	void *arg;
};

struct wt_bulk_server {
	struct wt_bulk_serve_config config;
	struct wt_host *host;
	uint16_t port;
	struct wt_tcp *listener;
	struct wt_bulk_receiver *receivers;
	struct wt_bulk_turned *turned; /* senders that were wanted */
	unsigned expected, begun;   /* connections of the first run; requests so far */
	unsigned count;             /* open now */
	uint64_t accepted, refused; /* refused: over max, or no memory */
	uint64_t evicted;           /* for being idle */
	uint64_t spoke;             /* of the accepted ones */
};

/* Listens on `port`. 0, or negative errno as of wt_tcp_listen(). Stop closes the listener and resets what is open. */
int wt_bulk_serve(struct wt_bulk_server *server, const struct wt_bulk_serve_config *config, struct wt_host *host,
		  uint16_t port, const struct wt_tcp_config *tcp);
/*
 * The client of a server that sends: connects, says what is wanted, receives it as one that was accepted, and the sender's report after
 * it. config->raw and raw_compare are set. 0, or negative errno as of wt_tcp_connect().
 */
int wt_bulk_fetch(struct wt_bulk_server *server, const struct wt_bulk_serve_config *config, struct wt_host *host,
		  const struct wt_endpoint *remote, const struct wt_tcp_config *tcp, const struct wt_bulk_request *request, wt_time now);
/* Is one run over: all of its connections have begun, and none is open? */
bool wt_bulk_run_over(const struct wt_bulk_server *server);
/* What it adds to a sum of flows; of one that fetches, the segments are the peer's. */
struct wt_flow_part wt_bulk_received_part(const struct wt_bulk_receiver *receiver);
/* Bytes per second of payload, from the beginning of the connection to the last byte, without what is to be omitted. */
double wt_bulk_received_goodput(const struct wt_bulk_receiver *receiver);
/* The counts by now of the connection with `peer`, for a run that ends before it; the server's memory. NULL: there is none. */
const struct wt_bulk_result *wt_bulk_result_now(const struct wt_bulk_server *server, const struct wt_endpoint *peer);
/* For a reader: payload bytes that wait, and taking at most len of them (compared, counted); the count taken. After the last one
 * of the stream the result is sent. From a timer, as from any callback, no touch is needed. */
size_t wt_bulk_waiting(const struct wt_bulk_receiver *receiver);
size_t wt_bulk_pull(struct wt_bulk_receiver *receiver, size_t len, wt_time now);
void wt_bulk_serve_stop(struct wt_bulk_server *server);

#endif
