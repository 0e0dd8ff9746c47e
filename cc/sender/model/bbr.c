/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BBR, version 1 (draft-cardwell-iccrg-bbr-congestion-control-00; Cardwell, Cheng, Gunn, Yeganeh and Jacobson 2016): a model of
 * the path instead of losses.
 *
 *   BtlBw   greatest delivery rate of the last ten round trips      RTprop   least round trip of the last ten seconds
 *   pacing rate = pacing_gain * BtlBw                               cwnd     = cwnd_gain * BtlBw * RTprop + 3 send quanta
 *
 *   Startup    gain 2/ln 2 until three round trips in a row bring less than a quarter more bandwidth
 *   Drain      the inverse gain until no more is in flight than BtlBw * RTprop
 *   ProbeBW    eight phases of about RTprop each: gain 5/4, 3/4, then six times 1; begins at a random one, but not at 3/4
 *   ProbeRTT   four segments for 200 ms and a round trip, when RTprop was not seen again for ten seconds
 *
 * In the first round trip of a recovery as much goes as was delivered; when recovery is over the window is as before (4.2.3.4). The draft begins
 * it with a window of what is in flight (conserve=pipe). We begin it with the flight as RFC 5681 counts it, which has what arrived above the hole,
 * too: a fifth of losses has a recovery in every other round trip, and a window of the pipe alone then leaves the filter at 0.6 of the link.
 * Marks (ECN) are ignored, so data is sent as not ECN-capable.
 *
 * A share p of losses is borne while probe_gain * (1 - p) is above 1: at 5/4 and 20 % a probe delivers what the model knows and no more, and
 * the filter then lies below the link (Cardwell et al. 2016, on their figure 8, call that gain the setting that decides it).
 *
 * Where we differ: rates measured on what was sent in ProbeRTT are taken as application-limited by the module, because a module
 * cannot mark the connection; a round trip that left under packet conservation does not count against Startup, whose rate could not grow in
 * it; the first round trip sets the first pacing rate anew, as in Linux. Linux also paces 1 % below the model
 * (`margin`), the draft does not. Policer detection and the allowance for aggregated ACKs are in Linux alone, and not here. Linux takes a
 * fifth of losses for a policer, holds the rate that it then sees for 48 round trips, and so falls to a quarter of such a link
 * (docs/validation.md).
 */
#include "cc/shared/bbr.h"

static void show(const struct wt_bbr *b, struct wt_sender_out *out)
{
	out->gauge[0] = wt_bbr_bandwidth(b);
	out->gauge[1] = (double)b->min_rtt / WT_MS;
	out->gauge[2] = b->state;
	out->gauge[3] = b->pacing_gain;
}

static void bbr_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	wt_bbr_init(state, params, env, out);
	show(state, out);
}

static void bbr_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	wt_bbr_measure(state, ack, out);
	wt_bbr_control(state, ack, wt_bbr_bandwidth(state), out);
	show(state, out);
}

static void bbr_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	wt_bbr_loss(state, loss, out);
}

static void bbr_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	wt_bbr_event(state, event, env, out);
}

static void bbr_on_sent(void *state, const struct wt_sent *sent, struct wt_sender_out *out)
{
	wt_bbr_sent(state, sent, out);
}

#define ROW(field) offsetof(struct wt_bbr_params, field)

static const char *const conserve_words[] = {"flight", "pipe", NULL};

static const struct wt_param bbr_params[] = {
	{"cwnd_gain", WT_PARAM_NUMBER, ROW(cwnd_gain), "window in BtlBw * RTprop while probing bandwidth (4.2.3.2)", 1, 10, NULL},
	{"probe_gain", WT_PARAM_NUMBER, ROW(probe_gain), "gain while probing bandwidth; losses above 1 - 1/gain are not borne (4.3.4.2)", 1, 4, NULL},
	{"margin", WT_PARAM_NUMBER, ROW(margin), "share by which pacing stays below the model (Linux: 0.01; the draft: 0)", 0, 0.1, NULL},
	{"conserve", WT_PARAM_WORD, ROW(conserve),
	 "window where recovery begins: the flight with what arrived above the hole, or without it (4.2.3.4)", 0, 0, conserve_words},
	{"bw_rounds", WT_PARAM_COUNT, ROW(bw_rounds), "round trips that the bandwidth filter covers (4.1.1.5)", 1, 100, NULL},
	{"rtt_window", WT_PARAM_TIME, ROW(rtt_window), "time after which the least round trip is probed again (4.1.2.3)", 1e9, 100e9, NULL},
	{"probe_rtt", WT_PARAM_TIME, ROW(probe_rtt), "how long ProbeRTT holds four segments in flight (4.3.5)", 1e6, 1e9, NULL},
};

static const struct wt_bbr_params bbr_default = {
	.cwnd_gain = 2, .probe_gain = 1.25, .margin = 0, .bw_rounds = 10, .rtt_window = 10 * WT_S, .probe_rtt = 200 * WT_MS};

const struct wt_sender_ops wt_sender_bbr = {
	.name = "bbr",
	.text = "BBR version 1: paced by a model of bandwidth and round trip (draft-cardwell-iccrg-bbr-congestion-control-00)",
	.default_recovery = "rack",
	.params = bbr_params,
	.param_count = sizeof(bbr_params) / sizeof(bbr_params[0]),
	.params_size = sizeof(struct wt_bbr_params),
	.state_size = sizeof(struct wt_bbr),
	.params_default = &bbr_default,
	.gauges = (const char *const[]){"bandwidth_Bps", "min_rtt_ms", "state", "pacing_gain", NULL},
	.own_window = true,
	.init = bbr_init,
	.on_ack = bbr_on_ack,
	.on_loss = bbr_on_loss,
	.on_event = bbr_on_event,
	.on_sent = bbr_on_sent,
};
