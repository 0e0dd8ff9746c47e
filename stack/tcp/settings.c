/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stack settings by name, and the presets. A preset is nothing but values for these fields; whoever wants the
 * 1990s with one thing changed takes the preset and overrides the field.
 */
#include "stack/tcp/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name, type, text, min, max) \
	{#name, WT_PARAM_##type, offsetof(struct wt_tcp_settings, name), text, min, max, NULL}

static const char *const formula_words[] = {"rfc6298", "bsd43", NULL};
static const char *const ecn_words[] = {"off", "passive", "on", NULL};

const struct wt_param wt_tcp_params[] = {
	FIELD(mss, SIZE, "largest payload accepted and sent, options included (RFC 9293 3.7.1, RFC 6691)", WT_TCP_MSS_MIN, 65495),
	FIELD(snd_buffer, SIZE, "send buffer", 2048, 1u << 30),
	FIELD(rcv_buffer, SIZE, "receive buffer, and so the largest window offered", 2048, 1u << 30),
	FIELD(window_scaling, BOOL, "offer window scaling (RFC 7323 2)", 0, 0),
	FIELD(timestamps, BOOL, "offer timestamps, use PAWS (RFC 7323 3-5)", 0, 0),
	FIELD(sack, BOOL, "offer SACK (RFC 2018)", 0, 0),
	{"ecn", WT_PARAM_WORD, offsetof(struct wt_tcp_settings, ecn),
	 "explicit congestion notification (RFC 3168): refuse, agree if asked, or ask", 0, 0, ecn_words},
	FIELD(ect1, BOOL, "ECT(1) instead of ECT(0): an experiment (RFC 9331); ask for it with a scalable sender only", 0, 0),
	FIELD(nagle, BOOL, "hold small segments while data is unacknowledged (RFC 9293 3.7.4)", 0, 0),
	FIELD(initial_window, COUNT, "first window in segments, of any size, as Linux; 0: by MSS as RFC 5681 3.1", 0, 1000),
	FIELD(slow_start_limit, COUNT, "most segments one ACK adds in slow start: RFC 5681 says 1, L of RFC 3465 is 2", 1, 64),
	FIELD(undo, BOOL, "undo a reduction whose loss proves spurious, by timestamps or D-SACK (RFC 3522, 3708, 4015)", 0, 0),
	FIELD(increment_mss8, BOOL, "congestion avoidance adds MSS/8 per ACK besides (4.3BSD; RFC 2525 2.4 calls it a bug)", 0, 0),
	FIELD(packets, BOOL, "windows of whole segments, half of them after a loss, slow start where cwnd = ssthresh (ns-2's Linux agents)", 0, 0),
	FIELD(dupthresh, COUNT, "duplicate ACKs that mean loss (RFC 5681 3.2)", 1, 100),
	FIELD(ack_every, COUNT, "segments per ACK; 2 is the most RFC 5681 4.2 allows, more is for history", 1, 1000),
	FIELD(ack_delay, TIME, "longest delay of an ACK (RFC 9293 3.8.6.3: below 500 ms)", 0, 10e9),
	FIELD(ack_quick, COUNT, "segments acknowledged one by one after a hole is filled (RFC 5681 4.2 allows it; as Linux: 16)", 0, 1000),
	FIELD(ack_drain, BOOL, "ACKs of data in order and window updates wait for frames that were read together (TAPs outside labs; not RFC 5681)", 0, 0),
	FIELD(window_update, COUNT, "segments read, or a part of the buffer, that make a window update of their own (BSD: 2)", 1, 1000),
	FIELD(window_update_part, COUNT, "... one part of so many of the buffer (BSD: 2; the x-kernel: 3)", 2, 1000),
	FIELD(ack_delay_all, BOOL, "out-of-order data waits for the delayed ACK too (x-kernel); off: at once (RFC 5681 4.2)", 0, 0),
	FIELD(ack_delay_tick, BOOL, "delayed ACKs leave on a free-running grid of ack_delay (BSD fast timer)", 0, 0),
	FIELD(tick, TIME, "granularity of the retransmission timer and RTT clock (G of RFC 6298)", 1, 10e9),
	FIELD(rto_initial, TIME, "RTO before the first RTT sample (RFC 6298 2.1)", 1e6, 100e9),
	FIELD(rto_min, TIME, "least RTO (RFC 6298 2.4 says 1 s; Linux and we: 200 ms)", 1e6, 100e9),
	FIELD(rto_var_min, TIMER, "least that the RTO is above the smoothed round trip (Linux and we: 200 ms); 0: G of RFC 6298", 1e6, 100e9),
	FIELD(rto_max, TIME, "most RTO, back-off included (RFC 6298 2.5: at least 60 s)", 1e9, 1000e9),
	FIELD(rto_hold_backoff, BOOL, "back-off stays until a sample from a segment sent once (Karn); off: until new data is acked", 0, 0),
	FIELD(rto_backoff_most, COUNT, "doublings of the timeout, at most (4.3BSD: 6)", 0, 30),
	{"rto_formula", WT_PARAM_WORD, offsetof(struct wt_tcp_settings, rto_formula),
	 "srtt + max(G, 4 rttvar) (RFC 6298), or srtt + 2 rttvar in whole ticks, rounded down (4.3BSD)", 0, 0, formula_words},
	FIELD(rtt_first_tick, BOOL, "the first RTT sample counts one tick more (4.3BSD counts from 1; later ones take it off)", 0, 0),
	FIELD(rtt_forget, COUNT, "more timeouts in a row than this forget the smoothed RTT (4.3BSD: 3); 0: never", 0, 100),
	FIELD(dupacks_strict, BOOL, "an old ACK that is no duplicate ends the count of duplicates, a timeout does not (4.3BSD)", 0, 0),
	FIELD(rtt_one_at_a_time, BOOL, "time one segment per round trip (BSD); off: every ACK gives a sample", 0, 0),
	FIELD(syn_retries, COUNT, "SYN retransmissions before giving up (RFC 9293 3.8.3)", 0, 30),
	FIELD(data_retries, COUNT, "timeouts in a row before giving up (RFC 9293 3.8.3 R2)", 1, 100),
	FIELD(user_timeout, TIMER, "the connection ends when data was not acknowledged for so long (RFC 9293 3.9.1, RFC 5482); 0: by data_retries", 1e6, 1e15),
	FIELD(msl, TIME, "maximum segment lifetime; TIME-WAIT lasts two (RFC 9293 3.4.2: 2 min; Linux's TIME-WAIT: 60 s)", 0, 1000e9),
	FIELD(fin_wait_2, TIME, "FIN-WAIT-2 of a closed handle is dropped after this", 1e9, 1000e9),
	FIELD(keepalive, TIMER, "idle time before keep-alive probes (RFC 9293 3.8.4); 0: none", 1e9, 1e15),
	FIELD(keepalive_interval, TIME, "time between unanswered probes", 1e9, 1e15),
	FIELD(keepalive_probes, COUNT, "unanswered probes that end the connection", 1, 100),
};

const size_t wt_tcp_param_count = sizeof(wt_tcp_params) / sizeof(wt_tcp_params[0]);

/* What the presets have in common: all of them, those of BSD, and those of today. */
#define EVERY_STACK \
	.dupthresh = 3, .window_update = 2, .rto_hold_backoff = 1, .msl = 30 * WT_S, .keepalive_interval = 75 * WT_S, .keepalive_probes = 9
#define BSD_STACK \
	EVERY_STACK, .mss = 1024, .nagle = 1, .initial_window = 1, .slow_start_limit = 1, .ack_delay = 200 * WT_MS, .ack_delay_tick = 1, \
	.tick = 500 * WT_MS, .rto_initial = 6 * WT_S, .rto_min = 1 * WT_S, .rto_max = 64 * WT_S, .rtt_one_at_a_time = 1, .syn_retries = 6, \
	.data_retries = 12, .fin_wait_2 = 600 * WT_S
#define TODAYS_STACK \
	EVERY_STACK, .window_scaling = 1, .sack = 1, .window_update_part = 2, .tick = 1, .rto_min = 200 * WT_MS, .rto_max = 60 * WT_S, \
	.syn_retries = 7 /* 183 s: RFC 9293 3.8.3 MUST-23 wants 3 minutes of a SYN */, .data_retries = 15, .fin_wait_2 = 60 * WT_S

/* What a careful stack of today does. */
static const struct wt_tcp_settings modern = {
	TODAYS_STACK,
	.mss = 1460,
	.snd_buffer = 4 << 20,
	.rcv_buffer = 4 << 20,
	.timestamps = 1,
	.ecn = WT_ECN_SETTING_PASSIVE,
	.nagle = 1,
	.initial_window = 10,
	.undo = 1,
	.slow_start_limit = 2,
	.ack_every = 2,
	.ack_delay = 40 * WT_MS,
	.ack_quick = 16,
	.rto_initial = 1 * WT_S,
	.rto_var_min = 200 * WT_MS,
	.rto_backoff_most = 30,
};

/*
 * The BSD-derived stack of the x-kernel, as the TCP-Real experiments need it: 500 ms ticks, two ticks minimum,
 * Karn with held back-off capped at 64 s, MSS/8, 64 KB windows without scaling, one segment initial window, an
 * ACK per segment (the paper's Table 1; for the others set ack_every), 200 ms fast timer.
 */
static const struct wt_tcp_settings bsd90 = {
	BSD_STACK,
	.snd_buffer = 65535,
	.rcv_buffer = 65535,
	.increment_mss8 = 1,
	.ack_every = 1,
	.window_update_part = 2,
	.rto_backoff_most = 30,
};

/*
 * The TCP of the x-kernel 3.2 and 3.3 (University of Arizona) by its public sources: 4.3BSD of 1987 with fast retransmit. Its
 * congestion rules are the profile "xkernel" of the modules reno and tahoe, which the tools choose with this preset. Data of
 * any order waits for the 200 ms timer; an application that reads at once makes an ACK for two segments or a third of the
 * buffer (window updates).
 */
static const struct wt_tcp_settings xkernel = {
	BSD_STACK,
	.snd_buffer = 4096,
	.rcv_buffer = 4096,
	.ack_every = 1000,
	.ack_delay_all = 1,
	.window_update_part = 3,
	.rto_backoff_most = 6,
	.rto_formula = WT_RTO_BSD43,
	.rtt_first_tick = 1,
	.rtt_forget = 3,
	.dupacks_strict = 1,
};

/*
 * ns-2 2.35: a window of 20 packets, an ACK per packet (TCPSink), RTO at least 200 ms and 3 s at first, no Nagle, no timestamps
 * (ns-default.tcl). Its clock for the timeout has ticks of 10 ms (`tick=10ms`), but Vegas and the Linux agents measure exactly, so the
 * clock here is exact. Windows count whole packets: ssthresh and growth in modules that have a
 * profile ns2 as in its own agents, in all others as in its Linux agents. Frames carry our headers, where ns-2 has sizes of its own.
 */
static const struct wt_tcp_settings ns2 = {
	TODAYS_STACK,
	.mss = 1000,
	.snd_buffer = 1 << 20,
	.rcv_buffer = 20000,
	.initial_window = 2,
	.slow_start_limit = 1,
	.packets = 1,
	.ack_every = 1,
	.ack_delay = 100 * WT_MS,
	.rto_initial = 3 * WT_S,
	.rto_backoff_most = 6,
};

/* In the order of the names. Without SACK `rack` and `sack` are both NewReno (RFC 6582). */
static const struct {
	const struct wt_tcp_settings *settings;
	const char *sender, *recovery;
} presets[] = {
	{&modern, "cubic", "rack"}, /* as Linux: RFC 9438, RFC 8985, RFC 9937 */
	{&bsd90, "newreno", "sack"},
	{&xkernel, "newreno", "sack"},
	{&ns2, "newreno", "sack"},
};

const char *const wt_tcp_preset_names[] = {"modern", "bsd90", "xkernel", "ns2", NULL};

/* Index of a preset, -1: there is none of that name. */
static int preset_of(const char *name)
{
	for (int i = 0; name && wt_tcp_preset_names[i]; i++)
		if (!strcmp(name, wt_tcp_preset_names[i]))
			return i;
	return -1;
}

const char *wt_tcp_preset_sender(const char *name)
{
	int i = preset_of(name);

	return presets[i < 0 ? 0 : i].sender;
}

const char *wt_tcp_preset_recovery(const char *name)
{
	int i = preset_of(name);

	return presets[i < 0 ? 0 : i].recovery;
}

int wt_tcp_preset(const char *name, struct wt_tcp_settings *settings, char *err, size_t err_len)
{
	int i = preset_of(name);

	if (i >= 0) {
		*settings = *presets[i].settings;
		return 0;
	}
	if (err)
		snprintf(err, err_len, "no preset '%s'; known: modern, bsd90, xkernel, ns2", name);
	return -EINVAL;
}
