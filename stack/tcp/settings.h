/* SPDX-License-Identifier: BSD-2-Clause */
/* Everything about the TCP of a connection that is a choice. Presets only set these fields. */
#ifndef WT_STACK_TCP_SETTINGS_H
#define WT_STACK_TCP_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

#include "stack/text/params.h"
#include "stack/base/time.h"

enum wt_rto_formula {
	WT_RTO_RFC6298, /* srtt + max(G, 4 rttvar) */
	WT_RTO_BSD43,   /* srtt + 2 rttvar, in whole ticks, rounded down */
};

/* Least payload of a full segment, options included: 88 less 40 of options is what Linux's floor of 48 leaves (CVE-2019-11479). */
#define WT_TCP_MSS_MIN 88

enum wt_ecn_setting { WT_ECN_SETTING_OFF, WT_ECN_SETTING_PASSIVE, WT_ECN_SETTING_ON };

/* uint64_t and wt_time throughout, because the parameter table writes them. Meaning: settings.c, one line each. */
struct wt_tcp_settings {
	uint64_t mss;              /* largest payload we accept and send */
	uint64_t snd_buffer;
	uint64_t rcv_buffer;
	uint64_t window_scaling;   /* bool */
	uint64_t timestamps;       /* bool */
	uint64_t sack;             /* bool */
	uint64_t ecn;              /* enum wt_ecn_setting */
	uint64_t ect1;             /* bool */
	uint64_t nagle;            /* bool */
	uint64_t initial_window;   /* segments; 0: RFC 5681 by MSS. Unlike in RFC 6928 no bound in bytes */
	uint64_t slow_start_limit; /* most segments that one ACK adds in slow start (L of RFC 3465) */
	uint64_t undo;             /* bool: a reduction is undone when its loss proves spurious */
	uint64_t packets;          /* bool: windows as ns-2's Linux agents count them */
	uint64_t increment_mss8;   /* bool: cwnd += MSS*MSS/cwnd + MSS/8 */
	uint64_t dupthresh;        /* duplicate ACKs that mean loss */
	uint64_t ack_every;        /* full-sized segments per ACK; 1: every segment */
	wt_time ack_delay;         /* longest delay of an ACK */
	uint64_t ack_quick;        /* segments that are acknowledged one by one after a hole was filled */
	uint64_t ack_drain;        /* bool: ACKs wait until the device was read, where it says so */
	uint64_t window_update;    /* segments the window must have grown by to be told in a segment of its own */
	uint64_t window_update_part; /* or one part of the buffer of so many */
	uint64_t ack_delay_all;    /* bool: what is out of order waits for the delayed ACK too */
	uint64_t ack_delay_tick;   /* bool: delayed ACKs leave on a free-running grid of ack_delay (BSD fast timer) */
	wt_time tick;              /* timer granularity; 1 ns: exact */
	wt_time rto_initial;
	wt_time rto_min;
	wt_time rto_var_min;       /* the least that the RTO is above srtt; 0: the tick */
	wt_time rto_max;
	uint64_t rto_hold_backoff; /* bool: back-off kept until an unambiguous sample (Karn); else until new data is acked */
	uint64_t rto_backoff_most; /* doublings of the timeout, at most */
	uint64_t rto_formula;      /* enum wt_rto_formula */
	uint64_t rtt_first_tick;   /* bool: the first sample counts a tick more */
	uint64_t rtt_forget;       /* timeouts in a row after which srtt is forgotten; 0: never */
	uint64_t dupacks_strict;   /* bool: what is no duplicate ends the count of duplicate ACKs, a timeout does not */
	uint64_t rtt_one_at_a_time;/* bool: one timed segment per round trip, even with timestamps */
	uint64_t syn_retries;
	uint64_t data_retries;     /* timeouts in a row before the connection is given up (RFC 9293 3.8.3 R2) */
	wt_time user_timeout;      /* the connection ends after so long without progress (RFC 9293 3.9.1); 0: only data_retries counts */
	wt_time msl;               /* TIME-WAIT lasts two of these */
	wt_time fin_wait_2;        /* orphaned FIN-WAIT-2 is dropped after this */
	wt_time keepalive;         /* 0: off */
	wt_time keepalive_interval;
	uint64_t keepalive_probes;
};

extern const struct wt_param wt_tcp_params[];
extern const size_t wt_tcp_param_count;

/* Presets by name: "modern", "bsd90", "xkernel". 0, or -EINVAL with the known names in err. */
int wt_tcp_preset(const char *name, struct wt_tcp_settings *settings, char *err, size_t err_len);
/*
 * The modules that go with a preset: the sender of a connection that names none, and the recovery of a sender that names none of its own
 * (wt_sender_ops.default_recovery). NULL or an unknown name: those of modern.
 */
const char *wt_tcp_preset_sender(const char *name);
const char *wt_tcp_preset_recovery(const char *name);
extern const char *const wt_tcp_preset_names[]; /* NULL-terminated */

#endif
