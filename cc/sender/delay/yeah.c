/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * YeAH-TCP (Baiocchi, Castellani and Vacirca, "YeAH-TCP: yet another highspeed TCP", PFLDnet 2007): Scalable's pace while the connection
 * keeps few segments in queues, Reno's when it keeps many, and then it takes the queue away before it overflows.
 *
 *   Q = (RTT - BaseRTT) cwnd / RTT,   L = (RTT - BaseRTT) / BaseRTT        RTT: the least of the round trip
 *   fast (Q < Qmax and L < 1/phi): Scalable TCP.   slow: Reno
 *   slow, Q > Qmax and the window above Reno's: cwnd -= Q / gamma, at most half of it, not below Reno's window
 *   a Reno flow's window beside it, `reno`: half the window when slow mode begins, one segment more per round trip in it, halved by a
 *     loss, forgotten after `zeta` round trips in fast mode
 *   after a loss: cwnd -= Q, at least an eighth and at most half; after more than rho round trips of slow mode in a row, which means that Reno
 *     flows share the link, half
 *
 * Qmax, gamma, phi, rho, zeta are 80, 1, 8, 16, 50, as the authors' code for Linux has them.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"

struct yeah_params {
	double q_max, gamma, phi, a;
	uint64_t rho, zeta;
};

struct yeah {
	struct yeah_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	double queue, reno;  /* segments; reno: 0 while there is none */
	uint32_t slow, fast; /* round trips of slow mode in a row; of fast mode since it was last forgotten */
};

static void yeah_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct yeah *s = state;

	*s = (struct yeah){.params = *(const struct yeah_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
}

static void slow_mode(struct yeah *s, double segs, bool may, struct wt_sender_out *out)
{
	double take = s->queue / s->params.gamma, left;

	if (may && s->queue > s->params.q_max && segs > s->reno) {
		left = segs - (take < segs / 2 ? take : segs / 2);
		wt_aimd_set(&s->window, left > s->reno ? left : s->reno, out);
	}
	s->reno = s->reno > 0 ? s->reno + 1 : wt_aimd_segs(&s->window, out) / 2;
	s->slow += s->slow < UINT32_MAX;
}

static void judge(struct yeah *s, bool may, struct wt_sender_out *out)
{
	double segs = wt_aimd_segs(&s->window, out), late = (double)(s->delay.least - s->delay.base) / (double)s->delay.base;

	s->queue = wt_delay_backlog(&s->delay, s->delay.least, segs);
	if (s->queue > s->params.q_max || late > 1 / s->params.phi) {
		slow_mode(s, segs, may, out);
	} else {
		s->slow = 0;
		if (++s->fast > s->params.zeta) {
			s->fast = 0;
			s->reno = 0;
		}
	}
	out->gauge[0] = s->queue;
	out->gauge[1] = s->reno;
	out->gauge[2] = s->slow;
}

static void yeah_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct yeah *s = state;
	double segs;

	if (wt_delay_round(&s->delay, ack) && s->delay.samples > 1)
		judge(s, !(ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE)), out);
	if (!wt_aimd_may_grow(ack) || wt_aimd_slow_start(&s->window, ack, out))
		return;
	segs = s->params.a * wt_aimd_segs(&s->window, out);
	wt_aimd_climb(&s->window, ack, s->slow || segs < 1 ? 1 : segs, out);
}

static void yeah_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct yeah *s = state;
	double segs = wt_aimd_segs(&s->window, out), take = s->queue;

	if (take < segs / 8)
		take = segs / 8;
	if (take > segs / 2 || s->slow > s->params.rho)
		take = segs / 2;
	s->fast = 0;
	s->reno /= 2;
	wt_aimd_keep(&s->window, loss, 1 - take / segs, out);
}

static void yeah_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct yeah *s = state;

	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param yeah_params[] = {
	{"q_max", WT_PARAM_NUMBER, offsetof(struct yeah_params, q_max),
	 "segments in queues above which slow mode begins", 1, 100000, NULL},
	{"gamma", WT_PARAM_NUMBER, offsetof(struct yeah_params, gamma), "part of the queue that is taken away: Q / gamma", 1, 100, NULL},
	{"phi", WT_PARAM_NUMBER, offsetof(struct yeah_params, phi),
	 "slow mode begins where queueing takes more than BaseRTT / phi", 1, 100, NULL},
	{"a", WT_PARAM_NUMBER, offsetof(struct yeah_params, a),
	 "segments added per segment acknowledged in fast mode (Scalable)", 0.0001, 1, NULL},
	{"rho", WT_PARAM_COUNT, offsetof(struct yeah_params, rho),
	 "round trips of slow mode after which Reno flows are there", 0, 100000, NULL},
	{"zeta", WT_PARAM_COUNT, offsetof(struct yeah_params, zeta),
	 "round trips of fast mode after which they are gone", 1, 100000, NULL},
};

static const struct yeah_params yeah_default = {.q_max = 80, .gamma = 1, .phi = 8, .a = 0.01, .rho = 16, .zeta = 50};

const struct wt_sender_ops wt_sender_yeah = {
	.name = "yeah",
	.text = "Scalable while queues are short, else Reno that drains them (Baiocchi et al. 2007)",
	.params = yeah_params,
	.param_count = sizeof(yeah_params) / sizeof(yeah_params[0]),
	.params_size = sizeof(struct yeah_params),
	.state_size = sizeof(struct yeah),
	.params_default = &yeah_default,
	.gauges = (const char *const[]){"queue_segs", "reno_segs", "slow_rounds", NULL},
	.init = yeah_init,
	.on_ack = yeah_on_ack,
	.on_loss = yeah_on_loss,
	.on_event = yeah_on_event,
};
