/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BIC-TCP (Xu, Harfoush and Rhee, "Binary increase congestion control (BIC) for fast long-distance networks", INFOCOM 2004): after a loss the
 * window searches the size at which it came, in the middle between here and there; once beyond, it probes for a new one as slow start would.
 *
 *   after a loss: W_max = cwnd, or (1 + keep) / 2 of it if cwnd was below the last W_max (fast convergence); cwnd *= keep = 1 - beta
 *   per round trip below W_max: (W_max - cwnd) / 2 segments, at least S_min and at most S_max
 *   from W_max on: 1, 2, 4 ... segments up to S_max (max probing)
 *   below low_window segments: Reno, and half after a loss
 *
 * The middle is taken anew with each ACK, as in the paper's pseudo-code, so a round trip leaves e^-1/2 = 0.61 of the distance, not half of it.
 */
#include "cc/shared/aimd.h"

struct bic_params {
	double s_max, s_min, keep, low_window;
	uint64_t fast_convergence;
};

/* What a loss changes beside the window, and an undo brings back. */
struct search {
	double w_max;               /* segments; 0: no loss yet */
	double probe, probe_target; /* max probing: segments per round trip, the window at which they double; probe 0: not probing */
};

struct bic {
	struct bic_params params;
	struct wt_aimd window;
	struct search search, undo;
};

static void bic_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct bic *s = state;

	*s = (struct bic){.params = *(const struct bic_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
}

/* Segments per round trip at a window of `segs`. */
static double pace(struct bic *s, double segs)
{
	double step;

	if (segs < s->params.low_window)
		return 1;
	if (segs < s->search.w_max) {
		s->search.probe = 0;
		step = (s->search.w_max - segs) / 2;
		return step > s->params.s_max ? s->params.s_max : step < s->params.s_min ? s->params.s_min : step;
	}
	if (s->search.probe == 0) {
		s->search.probe = 1;
		s->search.probe_target = segs + 1;
	} else if (segs >= s->search.probe_target && s->search.probe < s->params.s_max) {
		s->search.probe *= 2;
		s->search.probe_target = segs + s->search.probe;
	}
	return s->search.probe < s->params.s_max ? s->search.probe : s->params.s_max;
}

static void bic_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct bic *s = state;

	if (!wt_aimd_may_grow(ack) || wt_aimd_slow_start(&s->window, ack, out))
		return;
	out->gauge[1] = pace(s, wt_aimd_segs(&s->window, out));
	wt_aimd_climb(&s->window, ack, out->gauge[1], out);
}

static void bic_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct bic *s = state;
	double segs = wt_aimd_segs(&s->window, out), keep = segs < s->params.low_window ? 0.5 : s->params.keep;

	if (loss->why != WT_LOSS_RTO || loss->rto_count <= 1) {
		if (!loss->same)
			s->undo = s->search;
		s->search.w_max = s->params.fast_convergence && segs < s->search.w_max ? segs * (1 + keep) / 2 : segs;
		s->search.probe = 0;
	}
	out->gauge[0] = s->search.w_max;
	wt_aimd_keep(&s->window, loss, keep, out);
}

static void bic_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct bic *s = state;

	if (event == WT_CC_UNDO && s->window.prior_cwnd) {
		s->search = s->undo;
		out->gauge[0] = s->search.w_max;
	}
	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param bic_params[] = {
	{"s_max", WT_PARAM_NUMBER, offsetof(struct bic_params, s_max), "most segments added per round trip", 1, 1000, NULL},
	{"s_min", WT_PARAM_NUMBER, offsetof(struct bic_params, s_min), "fewest segments added per round trip", 0.001, 1, NULL},
	{"keep", WT_PARAM_SHARE, offsetof(struct bic_params, keep),
	 "share of the data in flight kept after a loss (1 - beta; Linux: 0.8)", 0, 1, NULL},
	{"low_window", WT_PARAM_NUMBER, offsetof(struct bic_params, low_window), "segments below which it is Reno", 0, 100000, NULL},
	{"fast_convergence", WT_PARAM_BOOL, offsetof(struct bic_params, fast_convergence), "leave room for new flows", 0, 0, NULL},
};

static const struct bic_params bic_default = {.s_max = 32, .s_min = 0.01, .keep = 0.875, .low_window = 14, .fast_convergence = 1};

const struct wt_sender_ops wt_sender_bic = {
	.name = "bic",
	.text = "binary search for the window of the last loss (Xu, Harfoush and Rhee 2004)",
	.params = bic_params,
	.param_count = sizeof(bic_params) / sizeof(bic_params[0]),
	.params_size = sizeof(struct bic_params),
	.state_size = sizeof(struct bic),
	.params_default = &bic_default,
	.gauges = (const char *const[]){"w_max_segs", "pace_segs", NULL},
	.init = bic_init,
	.on_ack = bic_on_ack,
	.on_loss = bic_on_loss,
	.on_event = bic_on_event,
};
