/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of BBR version 3 (cc/sender/model/bbr3.c): what is measured, and the volumes that follow from it. Volumes in bytes, rates in bytes per second. */
#ifndef WT_CC_SHARED_BBR3_H
#define WT_CC_SHARED_BBR3_H

#include "cc/cc.h"
#include "cc/shared/window.h"

#define WT_BBR3_MIN_SEGS 4u
#define WT_BBR3_RATE_MAX 1e12 /* no link is faster */
#define WT_BBR3_NONE 1e18     /* a bound that binds nothing: the draft's Infinity */

enum wt_bbr3_state { WT_BBR3_STARTUP, WT_BBR3_DRAIN, WT_BBR3_DOWN, WT_BBR3_CRUISE, WT_BBR3_REFILL, WT_BBR3_UP, WT_BBR3_PROBE_RTT };

enum wt_bbr3_phase { WT_BBR3_ACKS_INIT, WT_BBR3_ACKS_REFILLING, WT_BBR3_ACKS_STARTING, WT_BBR3_ACKS_FEEDBACK, WT_BBR3_ACKS_STOPPING };

struct wt_bbr3_params {
	double beta, loss_threshold, headroom, margin;
	wt_time rtt_window, probe_interval, probe_rtt;
};

struct wt_bbr3 {
	struct wt_bbr3_params params;
	enum wt_bbr3_state state, undo_state;
	enum wt_bbr3_phase acks;
	struct wt_key key;
	uint64_t draws;
	uint32_t mss, initial, prior_cwnd;
	/* rounds */
	uint64_t delivered, next_round, loss_round, rounds, cycles, drain_round;
	uint32_t since_up; /* rounds */
	bool round_start, loss_round_start;
	/* the model */
	struct wt_window max_bw, extra;
	double bw, bw_latest, inflight_latest, bw_short, inflight_short, inflight_long;
	wt_time min_rtt, min_rtt_at, probe_min, probe_min_at;
	double undo_bw, undo_short, undo_long;
	/* sample of the present ACK */
	double rate, delivered_in;
	bool limited, seen_rtt;
	/* Startup */
	double full_bw;
	unsigned full_count, loss_events;
	bool full_now, filled, loss_in_round, recovering, after_rto;
	/* probing */
	bool probe_sample, too_high, precautionary, undoable, idle_restart, expired, round_done;
	double up_per_step, up_acked;
	unsigned up_rounds;
	wt_time cycle_at, wait, probe_done, probe_begin, probe_end, extra_at;
	double extra_delivered;
};

double wt_bbr3_max_bw(const struct wt_bbr3 *b);
/* One of the four states of ProbeBW. */
bool wt_bbr3_probing_bw_cycle(const struct wt_bbr3 *b);
double wt_bbr3_pipe_min(const struct wt_bbr3 *b);
/* gain * bw * min_rtt; the initial window while there is no model. */
double wt_bbr3_bdp(const struct wt_bbr3 *b, double bw, double gain);
/* What such a volume takes in whole segments: the least window, three send quanta, and room to probe. */
double wt_bbr3_quantized(const struct wt_bbr3 *b, double volume, uint64_t pacing);
/* inflight_longterm less what others may have. */
double wt_bbr3_with_headroom(const struct wt_bbr3 *b);
void wt_bbr3_start_round(struct wt_bbr3 *b);
/* A new search for the full pipe, from this bandwidth on. */
void wt_bbr3_reset_full(struct wt_bbr3 *b, double baseline);
void wt_bbr3_forget_short_term(struct wt_bbr3 *b);
/* With each ACK, first: its rate. */
void wt_bbr3_take_sample(struct wt_bbr3 *b, const struct wt_ack *ack);
/* Then, when its losses are judged, rounds and max_bw: a loss on the ACK that ends a round is of the next one (draft 5.5.10.3). */
void wt_bbr3_take_signals(struct wt_bbr3 *b, const struct wt_ack *ack);
/* Once per round trip: losses lower the short-term bounds, unless bandwidth is probed. */
void wt_bbr3_adapt_short_term(struct wt_bbr3 *b, uint32_t cwnd);
void wt_bbr3_count_extra(struct wt_bbr3 *b, const struct wt_ack *ack, uint32_t cwnd);
/* More than the threshold of the flight in which the newest segment of this ACK left. */
bool wt_bbr3_too_much_lost(const struct wt_bbr3 *b, const struct wt_ack *ack);
void wt_bbr3_check_full(struct wt_bbr3 *b);
void wt_bbr3_update_min_rtt(struct wt_bbr3 *b, const struct wt_ack *ack);

#endif
