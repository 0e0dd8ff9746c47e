/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waves: which segments form the burst whose receiving rate a TCP-Real receiver measures. The paper leaves it open.
 *
 * A wave is the interval of sequence space [start, end) that the receiver's own ACKs have permitted. The sender is
 * ACK-clocked: the ACKs of one wave release the next, and the last of them, carrying the new level, releases the
 * extra segments. So the right edge ever permitted delimits waves without any marker from the sender.
 */
#ifndef WT_CC_TCP_REAL_WAVE_H
#define WT_CC_TCP_REAL_WAVE_H

#include "cc/cc.h"

struct wt_real_wave_rule {
	uint32_t unit;       /* segments per level */
	uint32_t mss;        /* largest payload to expect */
	double tmo_mult;     /* decision deadline in expected wave times */
	double tail_tol;     /* share of the wave that may be missing at its end without a timeout */
	bool whole;          /* the rate counts n segments, the whole wave, not the n - 1 behind the first */
	bool psh_truncates;  /* a sender that pushed its last data is not late: it had no more */
	wt_time min_span;    /* shortest usable time between first and last arrival */
};

struct wt_real_wave {
	bool known;          /* `high` is valid */
	bool open;
	bool pushed, holes, marked; /* of this wave: PSH on its last segment, a hole, a CE mark */
	wt_seq high;         /* highest sequence number received, plus one */
	wt_seq edge;         /* right edge ever permitted */
	wt_seq start, end;
	wt_seq first_end;    /* end of the first segment: n segments have n - 1 intervals */
	wt_seq last_end;
	wt_time first, last; /* arrivals */
	wt_time deadline;    /* WT_NEVER: previous rate unknown */
	uint32_t count;
	uint32_t rmss;       /* largest payload seen */
};

/* What a closed wave says. */
struct wt_real_sample {
	double rate; /* bytes per second; 0: no usable sample */
	bool timed_out, holes, marked;
	wt_seq start, end;
};

/* A segment that raises `high` opens waves and belongs to them; every other one can only find a wave overdue. */
bool wt_real_wave_advances(const struct wt_real_wave *wave, const struct wt_rx_segment *segment);
/* Does this arrival, before it is counted, close the open wave? `interval`: idle time that ends a pushed wave. */
bool wt_real_wave_overtaken(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule,
			    const struct wt_rx_segment *segment, wt_time interval, struct wt_real_sample *sample);
/* Counts an advancing segment, into a new wave if none is open. rate: of the last wave, 0: unknown. True: closed. */
bool wt_real_wave_take(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule,
		       const struct wt_rx_segment *segment, double rate, struct wt_real_sample *sample);
/* An ACK permits everything below `edge`. */
void wt_real_wave_permit(struct wt_real_wave *wave, wt_seq edge);
/* The first data segment is here: from now on `high` means something. */
void wt_real_wave_start(struct wt_real_wave *wave, const struct wt_real_wave_rule *rule,
			const struct wt_rx_segment *segment);

#endif
