/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A second TCP, for the wire at one host: it is told of each frame that enters the host and of each that leaves, knows what the RFCs make
 * of the first, and judges the second. It shares no code with the engine but the reading of TCP options.
 *
 * Numbers are of the stream: SYN has 0, the first octet 1.
 */
#ifndef WT_TESTS_SWARM_WATCH_H
#define WT_TESTS_SWARM_WATCH_H

#include "stack/record/observer.h"
#include "stack/wire/tcp.h"
#include "tests/swarm/swarm.h"

enum { SPANS = 4096, FLIGHT = 4096 };

/* Intervals, in order, apart from each other. */
struct spans {
	unsigned n;
	bool full; /* there were more than could be kept: no judgement any more */
	struct {
		uint64_t from, to;
	} at[SPANS];
};

void spans_add(struct spans *spans, uint64_t from, uint64_t to);
void spans_trim(struct spans *spans, uint64_t below);
bool spans_cover(const struct spans *spans, uint64_t from, uint64_t to);
bool spans_touch(const struct spans *spans, uint64_t from, uint64_t to); /* is any octet of it there? */
uint64_t spans_bytes(const struct spans *spans);

/* A piece of what is outstanding, as it was sent. */
struct piece {
	uint64_t from, to;
	wt_time first, last;
	unsigned times;
};

struct conn {
	uint32_t number; /* of the connection, in the host's trace */
	bool out, in;  /* our SYN, the peer's */
	bool open;     /* ours is acknowledged */
	bool off;      /* nothing more is judged: reset, or a thing that this model does not know */
	wt_seq iss, irs;
	struct wt_tcp_header syn[2]; /* ours, the peer's */
	bool ts, sack, ecn;
	unsigned scale[2];

	/* what we send */
	uint64_t una, top, edge, edge_most, wl1, wl2, gone; /* gone: below it SACKs are forgotten, by a timeout */
	uint32_t wnd, wnd_most;
	struct spans sacked;
	unsigned dups, strict_dups;
	uint64_t again;   /* below it a loss is known: what is outstanding may be resent while una has not reached it */
	bool must_resend; /* the third duplicate ACK has come */
	uint64_t acked_now, recover;
	bool resent, fin_out, lied;
	struct piece piece[FLIGHT];
	unsigned first, count, count_most; /* in the ring */
	wt_time moved, advanced, oldest, newest; /* last sign of life of the flight; of what the last ACK took off */
	bool ambiguous_newest, ambiguous;                /* that was sent more than once */
	wt_time rto_at, rto_gap, rtt_most, srtt, rttvar;
	wt_time running; /* the longest that the timer may last that was started before the last sample; 0: none is known */
	unsigned rtos, armed; /* timeouts in a row; when the timer was started */
	unsigned advanced_by; /* the frame that advanced una last: others may come at the same instant */
	bool syn_again;
	bool heard;        /* something came since the last timeout */
	uint64_t since_rto; /* bytes sent since then, without an ACK between */
	uint64_t cwnd, ssthresh, in_avoidance; /* acknowledged since the window grew there */
	bool lost_now;

	/* what comes */
	uint64_t next, right;
	struct spans waiting;
	uint64_t fin; /* where it stands; 0: not known */
	bool fin_taken;
	uint32_t ts_recent;
	bool has_ts_recent;
	uint64_t last_ack, newest_block;
	unsigned segs;
	uint64_t quick; /* segments that are still acknowledged one by one */
	wt_time owed; /* an ACK, at the latest at this time; WT_NEVER: none */
	bool reason;  /* a pure ACK has one */
	uint64_t dsack_from, dsack_to;
	bool dsack, held, echo, doubt; /* doubt: of two SYNs one asked for ECN, one did not */
	uint32_t tsval;
	wt_time tsval_at;
	bool has_tsval;
};

struct watch {
	struct wt_observer observer; /* first */
	struct run *run;
	unsigned side;
	unsigned frames, frames_most; /* seen; more than that bring nothing */
	bool repath; /* an ICMP error has come */
	wt_time now;
	struct conn *last; /* whose segment came last */
	struct conn conn[FLOWS_MAX];
};

/* A segment as it was seen. */
struct seen {
	struct wt_tcp_header tcp;
	const uint8_t *payload;
	uint32_t len; /* of payload */
	unsigned ecn; /* of the IP header */
	wt_time now;
};

static inline const struct wt_tcp_settings *settings_of(const struct watch *watch)
{
	return &watch->run->config[watch->side].settings;
}

static inline struct app *app_of(const struct watch *watch, const struct conn *conn)
{
	return &watch->run->app[conn - watch->conn][watch->side];
}

/* The place of a number, near `about`. */
static inline uint64_t place(wt_seq number, wt_seq start, uint64_t about)
{
	return about + (uint64_t)(int64_t)(int32_t)(number - start - (uint32_t)about);
}

void watch_in(struct watch *watch, struct conn *conn, const struct seen *seen);
void watch_out(struct watch *watch, struct conn *conn, const struct seen *seen);
void watch_overdue(struct watch *watch, struct conn *conn, wt_time now);
void watch_fault(struct watch *watch, const struct conn *conn, const char *format, ...) __attribute__((format(printf, 3, 4)));
wt_time watch_timer_most(const struct watch *watch, const struct conn *conn);
void watch_window(struct watch *watch, struct conn *conn);
void watch_agree(struct conn *conn);
struct piece *watch_piece(struct conn *conn, unsigned i);

#endif
