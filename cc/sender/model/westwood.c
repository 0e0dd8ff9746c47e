/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP Westwood+ (Grieco and Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP congestion control", CCR
 * 34(2), 2004) and, with filter=original, TCP Westwood (Mascolo, Casetti, Gerla, Sanadidi and Wang, "TCP Westwood: bandwidth estimation
 * for enhanced transport over wireless links", MobiCom 2001): Reno whose window after a loss is what the path was measured to hold.
 *
 *   ssthresh = BWE RTTmin, after duplicate ACKs and after a timeout; cwnd = ssthresh if it is larger, one segment after a timeout
 *   plus      one sample per round trip, b = bytes delivered in it / its length;  BWE = 0.9 BWE + 0.1 b
 *   original  one sample per ACK, b(k) = bytes / (t(k) - t(k-1)), a low-pass filter of tau = 0.5 s discretised by the trapezoid rule,
 *             BWE(k) = g BWE(k-1) + (1 - g) (b(k) + b(k-1)) / 2,   g = (2 tau - dt) / (2 tau + dt)
 *             and a sample of 0 whenever tau / 2 passes without an ACK
 *
 * So a window that chance made smaller than what the path holds comes back in slow start. That begins when recovery is over: in it the window
 * that is left is the limit. Westwood+ sets cwnd = ssthresh also where that raises it, which no loss does here. A mark raises nothing.
 *
 * Delivered counts what SACK reports. The first sample is taken whole, where the papers start from 0. Without an estimate a loss halves.
 * Original overestimates where ACKs come in lumps (ACK compression): that is why plus exists, and why plus is the default.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"

enum { FILTER_PLUS, FILTER_ORIGINAL };

struct westwood_params {
	uint64_t filter;
	double gain;
	wt_time tau;
};

struct westwood {
	struct westwood_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	double bwe, sample; /* bytes per second; 0: none yet. sample: the last, of `original` */
	wt_time last;       /* when the last sample ended; 0: with the next ACK */
	uint64_t delivered; /* then */
	uint32_t held;      /* what the path was measured to hold at the loss that recovery repairs, bytes; 0: nothing to come back to */
};

static const char *const westwood_filter_words[] = {"plus", "original", NULL};

static void westwood_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct westwood *s = state;

	*s = (struct westwood){.params = *(const struct westwood_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
}

static void low_pass(struct westwood *s, double sample, double dt)
{
	double tau = (double)s->params.tau, g = (2 * tau - dt) / (2 * tau + dt);

	s->bwe = g * s->bwe + (1 - g) * (sample + s->sample) / 2;
	s->sample = sample;
}

/* A sample of the bytes delivered since the last one. */
static void take_sample(struct westwood *s, const struct wt_ack *ack)
{
	wt_time dt = ack->now - s->last, gap = s->params.tau / 2;
	double sample;

	if (s->last && dt <= 0)
		return; /* ACKs of one moment are one */
	if (s->last) {
		sample = (double)(ack->delivered - s->delivered) * WT_S / (double)dt;
		if (s->bwe == 0) {
			s->bwe = s->sample = sample;
		} else if (s->params.filter == FILTER_PLUS) {
			s->bwe += s->params.gain * (sample - s->bwe);
		} else {
			for (unsigned i = 0; dt > gap && i < 64; i++, dt -= gap)
				low_pass(s, 0, (double)gap);
			low_pass(s, sample, (double)(dt < gap ? dt : gap));
		}
	}
	s->last = ack->now;
	s->delivered = ack->delivered;
}

static void westwood_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct westwood *s = state;
	bool over = wt_delay_round(&s->delay, ack);

	if (over || (s->params.filter == FILTER_ORIGINAL && ack->delivered > s->delivered))
		take_sample(s, ack);
	out->gauge[0] = s->bwe;
	out->gauge[1] = wt_delay_ms(s->delay.base);
	wt_aimd_grow(&s->window, ack, out);
}

static void westwood_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct westwood *s = state;
	double target = s->bwe * (double)s->delay.base / WT_S;
	uint32_t held = target < WT_SSTHRESH_INFINITE ? (uint32_t)target : WT_SSTHRESH_INFINITE;

	if (target <= 0) {
		wt_aimd_loss(&s->window, loss, out);
		return;
	}
	wt_aimd_lower(&s->window, loss, held, out);
	if (s->window.params.unit == WT_AIMD_UNIT_SEGMENTS)
		held -= held % s->window.mss;
	s->held = loss->why == WT_LOSS_DUPTHRESH ? held : 0;
	if (loss->why == WT_LOSS_RTO && held > out->ssthresh)
		out->ssthresh = held;
}

static void westwood_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct westwood *s = state;

	wt_aimd_event(&s->window, event, env, out);
	if (event == WT_CC_RECOVERED && s->held > out->ssthresh)
		out->ssthresh = s->held;
	if (event == WT_CC_RECOVERED || event == WT_CC_UNDO)
		s->held = 0;
	if (event == WT_CC_IDLE) { /* silence measures nothing */
		s->last = 0;
		wt_round_restart(&s->delay.round);
	}
}

static const struct wt_param westwood_params[] = {
	{"filter", WT_PARAM_WORD, offsetof(struct westwood_params, filter),
	 "estimate: of each round trip (Westwood+), or of each ACK (Westwood)", 0, 0, westwood_filter_words},
	{"gain", WT_PARAM_SHARE, offsetof(struct westwood_params, gain),
	 "weight of a new sample in the estimate of filter=plus", 0, 1, NULL},
	{"tau", WT_PARAM_TIME, offsetof(struct westwood_params, tau), "time constant of filter=original", WT_MS, 100 * WT_S, NULL},
};

static const struct westwood_params westwood_default = {.filter = FILTER_PLUS, .gain = 0.1, .tau = WT_S / 2};

const struct wt_sender_ops wt_sender_westwood = {
	.name = "westwood",
	.text = "Reno that falls to the bandwidth it measured (Mascolo et al. 2001, 2004)",
	.params = westwood_params,
	.param_count = sizeof(westwood_params) / sizeof(westwood_params[0]),
	.params_size = sizeof(struct westwood_params),
	.state_size = sizeof(struct westwood),
	.params_default = &westwood_default,
	.gauges = (const char *const[]){"bandwidth_Bps", "base_rtt_ms", NULL},
	.init = westwood_init,
	.on_ack = westwood_on_ack,
	.on_loss = westwood_on_loss,
	.on_event = westwood_on_event,
};
