/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BBR version 1 as a part: model, states and controls, for the module `bbr` (cc/sender/model/bbr.c, which describes them) and for modules
 * that begin from it. Volumes in bytes, rates in bytes per second, times in nanoseconds.
 */
#ifndef WT_CC_SHARED_BBR_H
#define WT_CC_SHARED_BBR_H

#include "cc/cc.h"
#include "cc/shared/window.h"

enum wt_bbr_state { WT_BBR_STARTUP, WT_BBR_DRAIN, WT_BBR_PROBE_BW, WT_BBR_PROBE_RTT };

enum wt_bbr_conserve { WT_BBR_CONSERVE_FLIGHT, WT_BBR_CONSERVE_PIPE };

struct wt_bbr_params {
	double cwnd_gain, probe_gain, margin;
	uint64_t bw_rounds, conserve;
	wt_time rtt_window, probe_rtt;
	double probe_rtt_share; /* of the product that flies in ProbeRTT, four segments at least */
};

struct wt_bbr {
	struct wt_bbr_params params;
	enum wt_bbr_state state;
	uint32_t mss, initial, prior_cwnd, flight; /* flight: bytes, after the last ACK or segment sent */
	struct wt_key key;
	uint64_t draws;
	double pacing_gain, cwnd_gain;
	struct wt_window bw; /* by rounds */
	uint64_t rounds, next_round, delivered; /* next_round: a round is over when what was sent at so much delivered is */
	bool entering; /* recovery began: the window of the next ACK, or of this one, is what is in flight, and what was delivered */
	bool round_start, expired, idle_restart, filled, conserve, recovering, after_rto, round_done, seen_rtt;
	wt_time min_rtt, min_rtt_stamp, cycle_stamp, probe_done;
	wt_time probe_begin, probe_end;       /* of the last ProbeRTT; 0: none yet */
	wt_time conserve_begin, conserve_end; /* of the last packet conservation; 0: none yet */
	wt_time probe_rtt;                    /* last one of what was sent in it; 0: none yet */
	double rate; /* the present ACK's sample; 0: none */
	wt_time rtt; /* the present ACK's, of its newest segment; 0: none */
	uint64_t full_bw;
	unsigned full_count, phase;
	bool renew;      /* the path was remade: ProbeRTT, then Startup, with a new least round trip and the bandwidth below */
	double renew_bw; /* 0: nothing is known of it */
};

/* Greatest delivery rate of the filter's rounds; 0: none yet. */
double wt_bbr_bandwidth(const struct wt_bbr *b);
void wt_bbr_init(struct wt_bbr *b, const struct wt_bbr_params *params, const struct wt_cc_env *env, struct wt_sender_out *out);
/* The gain of the phase that probes, from now on. */
void wt_bbr_probe_gain(struct wt_bbr *b, double gain);
/* What an ACK says of the path, and the state that follows from it. */
void wt_bbr_measure(struct wt_bbr *b, const struct wt_ack *ack, struct wt_sender_out *out);
/* Pace and window for a path of bandwidth `bw`. */
void wt_bbr_control(struct wt_bbr *b, const struct wt_ack *ack, double bw, struct wt_sender_out *out);
void wt_bbr_loss(struct wt_bbr *b, const struct wt_loss *loss, struct wt_sender_out *out);
void wt_bbr_event(struct wt_bbr *b, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out);
void wt_bbr_sent(struct wt_bbr *b, const struct wt_sent *sent, struct wt_sender_out *out);

#endif
