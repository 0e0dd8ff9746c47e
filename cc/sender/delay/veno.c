/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP Veno (Fu and Liew, "TCP Veno: TCP enhancement for transmission over wireless access networks", IEEE JSAC 21(2), 2003): Reno that asks
 * Vegas' estimate whether a loss was congestion.
 *
 *   N = cwnd (RTT - BaseRTT) / RTT                         segments in queues
 *   congestion avoidance: a segment per round trip while N < beta, one in two round trips from there on
 *   after duplicate ACKs: 4/5 of the window stay if N < beta (a random loss), else half
 *
 * RTT is the least of the last round, as in Vegas. A mark (ECN) is never random, so it halves.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"

struct veno_params {
	double beta, keep, slow;
};

struct veno {
	struct veno_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	double backlog;
};

static void veno_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct veno *s = state;

	*s = (struct veno){.params = *(const struct veno_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
}

static void veno_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct veno *s = state;

	if (wt_delay_round(&s->delay, ack)) {
		s->backlog = wt_delay_backlog(&s->delay, s->delay.least, wt_aimd_segs(&s->window, out));
		out->gauge[0] = s->backlog;
		out->gauge[1] = wt_delay_ms(s->delay.base);
	}
	if (wt_aimd_may_grow(ack) && !wt_aimd_slow_start(&s->window, ack, out))
		wt_aimd_climb(&s->window, ack, s->backlog < s->params.beta ? 1 : s->params.slow, out);
}

static void veno_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct veno *s = state;
	bool random = loss->why == WT_LOSS_DUPTHRESH && s->delay.base && s->backlog < s->params.beta;

	wt_aimd_keep(&s->window, loss, random ? s->params.keep : 0.5, out);
}

static void veno_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct veno *s = state;

	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param veno_params[] = {
	{"beta", WT_PARAM_NUMBER, offsetof(struct veno_params, beta),
	 "segments in queues from which on the path counts as congested", 0, 1000, NULL},
	{"keep", WT_PARAM_SHARE, offsetof(struct veno_params, keep),
	 "share of the data in flight kept after a loss that was no congestion", 0, 1, NULL},
	{"slow", WT_PARAM_NUMBER, offsetof(struct veno_params, slow),
	 "segments added per round trip while the path is congested", 0, 1, NULL},
};

static const struct veno_params veno_default = {.beta = 3, .keep = 0.8, .slow = 0.5};

const struct wt_sender_ops wt_sender_veno = {
	.name = "veno",
	.text = "Reno that gives up less where nothing waits in queues (Fu and Liew 2003)",
	.params = veno_params,
	.param_count = sizeof(veno_params) / sizeof(veno_params[0]),
	.params_size = sizeof(struct veno_params),
	.state_size = sizeof(struct veno),
	.params_default = &veno_default,
	.gauges = (const char *const[]){"backlog_segs", "base_rtt_ms", NULL},
	.init = veno_init,
	.on_ack = veno_on_ack,
	.on_loss = veno_on_loss,
	.on_event = veno_on_event,
};
