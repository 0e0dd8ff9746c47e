/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compound TCP (Tan, Song, Zhang and Sridharan, "A compound TCP approach for high-speed and long distance networks", INFOCOM 2006;
 * draft-sridharan-tcpm-ctcp-02): the window is Reno's plus dwnd, which grows while nothing waits in queues and gives way when something does.
 *
 *   win = cwnd + dwnd;  per ACK cwnd += 1 / win
 *   Diff = win (RTT - BaseRTT) / RTT                       RTT: the least of the round trip
 *   per round trip in congestion avoidance: dwnd += max(alpha win^k - 1, 0) if Diff < gamma, else dwnd = max(dwnd - zeta Diff, 0)
 *   after a loss: cwnd halves, and win = (1 - beta) win;   after a timeout dwnd = 0
 *   alpha = 1/8, k = 3/4, beta = 1/2, gamma = 30, zeta = 1; below 38 segments dwnd stays (the draft's low window)
 *
 * gamma is fixed; the draft's tuning of it (TUBE) is not here. zeta is 1 as in the paper.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"
#include "cc/shared/power.h"

struct compound_params {
	double alpha, k, beta, gamma, zeta, low_window;
};

struct compound {
	struct compound_params params;
	struct wt_aimd window; /* of win */
	struct wt_delay delay;
	double dwnd, undo_dwnd; /* segments of win */
};

static void compound_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct compound *s = state;

	*s = (struct compound){.params = *(const struct compound_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
}

static void judge(struct compound *s, bool limited, struct wt_sender_out *out)
{
	double win = wt_aimd_segs(&s->window, out), diff = wt_delay_backlog(&s->delay, s->delay.least, win), before = s->dwnd;

	out->gauge[1] = diff;
	if (diff >= s->params.gamma) {
		s->dwnd -= s->params.zeta * diff;
		s->dwnd = s->dwnd > 0 ? s->dwnd : 0;
		wt_aimd_set(&s->window, win + s->dwnd - before, out);
	} else if (limited && win >= s->params.low_window) {
		double step = s->params.alpha * wt_power(win, s->params.k) - 1;

		step = step > 0 ? step < win ? step : win : 0; /* never faster than slow start */
		s->dwnd += step;
		wt_aimd_add(&s->window, step * s->window.mss, out);
	}
	out->gauge[0] = s->dwnd;
}

static void compound_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct compound *s = state;
	bool over = wt_delay_round(&s->delay, ack);

	if (over && s->delay.samples > 1 && out->cwnd >= out->ssthresh && !(ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE)))
		judge(s, s->delay.limited, out);
	if (wt_aimd_may_grow(ack) && !wt_aimd_slow_start(&s->window, ack, out))
		wt_aimd_climb(&s->window, ack, 1, out);
}

static void compound_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct compound *s = state;
	double win = wt_aimd_segs(&s->window, out), cwnd = win - s->dwnd, keep = 1 - s->params.beta;

	if (keep < cwnd / 2 / win)
		keep = cwnd / 2 / win; /* dwnd is never negative */
	if (!loss->same)
		s->undo_dwnd = s->dwnd;
	wt_aimd_keep(&s->window, loss, keep, out);
	s->dwnd = wt_aimd_segs(&s->window, out) - cwnd / 2;
	if (loss->why == WT_LOSS_RTO || s->dwnd < 0)
		s->dwnd = 0;
	out->gauge[0] = s->dwnd;
}

static void compound_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct compound *s = state;

	if (event == WT_CC_UNDO && s->window.prior_cwnd)
		s->dwnd = out->gauge[0] = s->undo_dwnd;
	if (event == WT_CC_ESTABLISHED || event == WT_CC_IDLE)
		s->dwnd = out->gauge[0] = 0;
	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param compound_params[] = {
	{"alpha", WT_PARAM_NUMBER, offsetof(struct compound_params, alpha),
	 "of the pace alpha win^k - 1, segments per round trip", 0.001, 10, NULL},
	{"k", WT_PARAM_NUMBER, offsetof(struct compound_params, k), "exponent of that pace", 0, 1, NULL},
	{"beta", WT_PARAM_SHARE, offsetof(struct compound_params, beta), "share of win given up after a loss", 0, 1, NULL},
	{"gamma", WT_PARAM_NUMBER, offsetof(struct compound_params, gamma),
	 "segments in queues from which dwnd gives way", 1, 10000, NULL},
	{"zeta", WT_PARAM_NUMBER, offsetof(struct compound_params, zeta),
	 "how fast it gives way: zeta times the segments in queues per round trip", 0.01, 10, NULL},
	{"low_window", WT_PARAM_NUMBER, offsetof(struct compound_params, low_window),
	 "segments below which it is Reno", 0, 100000, NULL},
};

static const struct compound_params compound_default = {.alpha = 0.125, .k = 0.75, .beta = 0.5, .gamma = 30, .zeta = 1, .low_window = 38};

const struct wt_sender_ops wt_sender_compound = {
	.name = "compound",
	.text = "Reno's window and one by delay together (Tan et al. 2006)",
	.params = compound_params,
	.param_count = sizeof(compound_params) / sizeof(compound_params[0]),
	.params_size = sizeof(struct compound_params),
	.state_size = sizeof(struct compound),
	.params_default = &compound_default,
	.gauges = (const char *const[]){"dwnd_segs", "diff_segs", NULL},
	.init = compound_init,
	.on_ack = compound_on_ack,
	.on_loss = compound_on_loss,
	.on_event = compound_on_event,
};
