/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FAST TCP (Jin, Wei and Low, "FAST TCP: motivation, architecture, algorithms, performance", INFOCOM 2004; Wei, Jin, Low and Hegde, IEEE/ACM
 * ToN 14(6), 2006): the window moves to where alpha segments of the connection wait in queues, by a share of the distance.
 *
 *   every other round trip: w = min(2 w, (1 - gamma) w + gamma (BaseRTT / RTT w + alpha))
 *   RTT is a mean over ACKs, RTT += eta (sample - RTT), eta = min(3 / w, 1/4)
 *   so at rest w (RTT - BaseRTT) / RTT = alpha
 *
 * Slow start until alpha segments wait. Losses halve, as the paper leaves it to Reno. alpha is a number of segments here; the paper's
 * experiments choose it by the rate. It needs that much room in the bottleneck's queue. The paper's even spreading of window changes and of
 * bursts is not here.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"

struct fast_params {
	double alpha, gamma, keep;
};

struct fast {
	struct fast_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	double rtt; /* ns, the mean */
	bool wait;  /* the round trip between two updates */
};

static void fast_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct fast *s = state;

	*s = (struct fast){.params = *(const struct fast_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
}

static void judge(struct fast *s, double segs, bool may_grow, struct wt_sender_out *out)
{
	double base = (double)s->delay.base, next, waits = segs * (s->rtt - base) / s->rtt;

	out->gauge[0] = waits;
	out->gauge[1] = wt_delay_ms(s->delay.base);
	out->gauge[2] = s->rtt / WT_MS;
	if (out->cwnd < out->ssthresh) {
		if (waits > s->params.alpha)
			wt_aimd_set(&s->window, segs, out);
		return;
	}
	s->wait = !s->wait;
	if (s->wait)
		return;
	next = (1 - s->params.gamma) * segs + s->params.gamma * (base / s->rtt * segs + s->params.alpha);
	next = next < 2 * segs ? next : 2 * segs;
	if (next < segs)
		wt_aimd_set(&s->window, next, out);
	else if (may_grow)
		wt_aimd_add(&s->window, (next - segs) * s->window.mss, out);
}

static void fast_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct fast *s = state;
	double segs = wt_aimd_segs(&s->window, out), eta = segs > 12 ? 3 / segs : 0.25;
	bool over = wt_delay_round(&s->delay, ack);

	if (ack->rtt)
		s->rtt = s->rtt > 0 ? s->rtt + eta * ((double)ack->rtt - s->rtt) : (double)ack->rtt;
	if (over && s->rtt > 0 && !(ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE)))
		judge(s, segs, s->delay.limited, out);
	if (wt_aimd_may_grow(ack))
		wt_aimd_slow_start(&s->window, ack, out);
}

static void fast_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct fast *s = state;

	wt_aimd_keep(&s->window, loss, s->params.keep, out);
}

static void fast_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct fast *s = state;

	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param fast_params[] = {
	{"alpha", WT_PARAM_NUMBER, offsetof(struct fast_params, alpha), "segments of the connection kept in queues", 1, 100000, NULL},
	{"gamma", WT_PARAM_NUMBER, offsetof(struct fast_params, gamma), "share of the distance gone per update", 0.01, 1, NULL},
	{"keep", WT_PARAM_SHARE, offsetof(struct fast_params, keep), "share of the data in flight kept after a loss", 0, 1, NULL},
};

static const struct fast_params fast_default = {.alpha = 20, .gamma = 0.5, .keep = 0.5};

const struct wt_sender_ops wt_sender_fast = {
	.name = "fast",
	.text = "keeps alpha segments in queues, at any rate (Jin, Wei and Low 2004)",
	.params = fast_params,
	.param_count = sizeof(fast_params) / sizeof(fast_params[0]),
	.params_size = sizeof(struct fast_params),
	.state_size = sizeof(struct fast),
	.params_default = &fast_default,
	.gauges = (const char *const[]){"queue_segs", "base_rtt_ms", "rtt_ms", NULL},
	.init = fast_init,
	.on_ack = fast_on_ack,
	.on_loss = fast_on_loss,
	.on_event = fast_on_event,
};
