/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CUBIC (RFC 9438; Ha, Rhee and Xu 2008): after a loss the window comes back to where it was along a cubic of the time since,
 * flat around that point, whatever the round-trip time is.
 *
 *   W_cubic(t) = C (t - K)^3 + W_max          K = cubic root of ((W_max - cwnd_epoch) / C)         in segments and seconds
 *   per ACK    cwnd += (W_cubic(t + RTT) - cwnd) / cwnd,  the target within [cwnd, 1.5 cwnd]
 *   but never below W_est, which grows as Reno would with the same share kept (4.3)
 *
 * Slow start is HyStart++ (RFC 9406). Time in which the window was not used does not count (4.2). The cubic root is Newton's,
 * made of + - * / alone. `base=window` takes the window for what RFC 9438 4.6 calls flight_size, as Linux does.
 */
#include "cc/shared/aimd.h"
#include "cc/shared/hystart.h"

enum { BASE_FLIGHT, BASE_WINDOW };

struct cubic_params {
	double c, beta;
	uint64_t base, fast_convergence, friendly, hystart;
};

/* Where the growth stands: what a loss changes, and an undo brings back (RFC 9438 4.9). */
struct curve {
	bool runs;       /* congestion avoidance runs since `begin` */
	bool from_here;  /* this epoch starts with W_max = cwnd, K = 0: no loss by duplicate ACKs came before it */
	wt_time begin, last; /* last: the last ACK for which the window was used up */
	/* segments, seconds; prior: the window before the last loss, by a timeout too, 0: none yet; fraction: bytes of growth not yet whole */
	double w_max, k, w_est, prior, fraction;
	bool started;    /* the first slow start, HyStart++'s, is over */
};

struct cubic {
	struct cubic_params params;
	struct wt_hystart hystart;
	uint32_t mss, limit; /* limit: bytes that an ACK may add in slow start without HyStart++ */
	struct curve curve, undo;
	uint32_t undo_cwnd, undo_ssthresh;
};

static uint32_t at_least(uint32_t value, uint32_t floor)
{
	return value > floor ? value : floor;
}

static uint32_t at_most(uint32_t value, uint32_t ceiling)
{
	return value < ceiling ? value : ceiling;
}

static double cubic_root(double value)
{
	double x = value > 1 ? value : 1;

	if (value <= 0)
		return 0;
	for (unsigned i = 0; i < 64; i++)
		x = (2 * x + value / (x * x)) / 3;
	return x;
}

static void show(const struct cubic *c, struct wt_sender_out *out)
{
	out->gauge[0] = c->curve.w_max;
	out->gauge[1] = c->curve.k;
}

static void cubic_start(struct cubic *c, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	c->mss = at_least(env->mss, 1);
	c->limit = at_least(env->slow_start_limit, 1) * c->mss;
	out->cwnd = at_least(env->initial_window, c->mss);
	if (out->cwnd > WT_SSTHRESH_INFINITE)
		out->cwnd = WT_SSTHRESH_INFINITE;
}

static void cubic_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct cubic *c = state;

	*c = (struct cubic){.params = *(const struct cubic_params *)params, .curve = {.from_here = true}};
	c->hystart.over = !c->params.hystart;
	out->ssthresh = WT_SSTHRESH_INFINITE;
	cubic_start(c, env, out);
}

static void begin_epoch(struct cubic *c, wt_time now, double cwnd)
{
	c->curve.runs = true;
	c->curve.begin = c->curve.last = now;
	c->curve.w_est = cwnd;
	c->curve.fraction = 0;
	if (c->curve.from_here || c->curve.w_max < cwnd) {
		c->curve.w_max = cwnd;
		c->curve.k = 0;
	} else {
		c->curve.k = cubic_root((c->curve.w_max - cwnd) / c->params.c);
	}
	c->curve.from_here = false;
}

/* 4.3: Reno's pace with the share beta kept, and Reno's own once it has come back to cwnd_prior; at once where no loss came before. */
static double friendly(struct cubic *c, double acked, double cwnd)
{
	double beta = c->params.beta, alpha = c->curve.w_est < c->curve.prior ? 3 * (1 - beta) / (1 + beta) : 1;

	c->curve.w_est += alpha * acked / cwnd;
	return c->params.friendly ? c->curve.w_est : 0;
}

static void avoid(struct cubic *c, const struct wt_ack *ack, struct wt_sender_out *out)
{
	double cwnd = (double)out->cwnd / c->mss, acked = (double)ack->acked / c->mss, rtt = (double)ack->srtt / WT_S;
	double t, offset, target, reno, step;

	if (!c->curve.runs)
		begin_epoch(c, ack->now, cwnd);
	if (!(ack->flags & WT_ACK_CWND_LIMITED)) {
		c->curve.begin += ack->now - c->curve.last;
		c->curve.last = ack->now;
		return;
	}
	c->curve.last = ack->now;
	t = (double)(ack->now - c->curve.begin) / WT_S;
	offset = t + rtt - c->curve.k;
	target = c->params.c * offset * offset * offset + c->curve.w_max;
	target = target < cwnd ? cwnd : target > 1.5 * cwnd ? 1.5 * cwnd : target;
	reno = friendly(c, acked, cwnd);
	offset = t - c->curve.k;
	if (c->params.c * offset * offset * offset + c->curve.w_max < reno)
		step = reno > cwnd ? reno - cwnd : 0;
	else
		step = (target - cwnd) / cwnd * acked;
	step = step * c->mss + c->curve.fraction;
	if (step > (double)ack->acked)
		step = (double)ack->acked; /* never faster than slow start */
	c->curve.fraction = step - (double)(uint32_t)step;
	if (out->cwnd < WT_SSTHRESH_INFINITE - (uint32_t)step)
		out->cwnd += (uint32_t)step;
}

static void slow_start(struct cubic *c, const struct wt_ack *ack, struct wt_sender_out *out)
{
	bool leave = false;
	uint32_t step = wt_hystart_grow(&c->hystart, ack, c->mss, out->pacing_rate != 0, &leave);

	if (c->hystart.over && !leave) /* RFC 3465 2.2 */
		step = at_most(step, c->limit);
	if (ack->flags & WT_ACK_AFTER_RTO)
		step = at_most(step, c->mss); /* RFC 3465 2.3 */
	out->cwnd += at_most(step, out->ssthresh - out->cwnd);
	if (leave)
		out->ssthresh = out->cwnd;
}

static void cubic_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct cubic *c = state;

	if (!ack->acked || ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE))
		return;
	if (out->cwnd >= out->ssthresh) {
		avoid(c, ack, out);
	} else if (ack->flags & WT_ACK_CWND_LIMITED) {
		slow_start(c, ack, out);
	}
	show(c, out);
}

static void cubic_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct cubic *c = state;
	double cwnd = (double)out->cwnd / c->mss, beta = c->params.beta;
	uint32_t base = c->params.base == BASE_FLIGHT && loss->inflight < out->cwnd ? loss->inflight : out->cwnd;

	if (!loss->same && (loss->why != WT_LOSS_RTO || loss->rto_count <= 1)) {
		c->undo = c->curve;
		c->undo.started = c->hystart.over;
		c->undo_cwnd = out->cwnd;
		c->undo_ssthresh = out->ssthresh;
	}
	c->curve.runs = false;
	c->hystart.over = true; /* RFC 9406 4.3: only the first slow start */
	if (loss->why != WT_LOSS_RTO || loss->rto_count <= 1) {
		c->curve.prior = cwnd;
		c->curve.w_max = c->params.fast_convergence && cwnd < c->curve.w_max ? cwnd * (1 + beta) / 2 : cwnd; /* 4.7 */
		out->ssthresh = at_least((uint32_t)(beta * base), 2 * c->mss);
	}
	c->curve.from_here = loss->why == WT_LOSS_RTO; /* 4.8 */
	if (loss->why == WT_LOSS_RTO)
		out->cwnd = c->mss;
	else if (out->cwnd > out->ssthresh)
		out->cwnd = out->ssthresh;
	show(c, out);
}

static void cubic_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct cubic *c = state;

	if (event == WT_CC_ESTABLISHED)
		cubic_start(c, env, out);
	if (event == WT_CC_MSS) {
		c->limit = c->limit / c->mss * at_least(env->mss, 1);
		c->mss = at_least(env->mss, 1);
	}
	if (event == WT_CC_IDLE) {
		uint32_t restart = at_least(env->initial_window, c->mss);

		out->cwnd = out->cwnd < restart ? out->cwnd : restart;
		c->curve.runs = false;
	}
	if (event == WT_CC_UNDO && c->undo_cwnd) {
		out->cwnd = at_least(out->cwnd, c->undo_cwnd);
		out->ssthresh = at_least(out->ssthresh, c->undo_ssthresh);
		c->curve = c->undo;
		c->hystart.over = c->undo.started;
		c->undo_cwnd = 0;
		show(c, out);
	}
}

static const char *const base_words[] = {"flight", "window", NULL};

static const struct wt_param cubic_params[] = {
	{"c", WT_PARAM_NUMBER, offsetof(struct cubic_params, c), "aggressiveness C, segments per cubic second (RFC 9438 5.1)", 0.001, 10, NULL},
	{"beta", WT_PARAM_SHARE, offsetof(struct cubic_params, beta), "share of the window kept after a loss (RFC 9438 4.6)", 0, 1, NULL},
	{"base", WT_PARAM_WORD, offsetof(struct cubic_params, base), "of what that share is: the data in flight (RFC 9438), or the window (Linux)",
	 0, 0, base_words},
	{"fast_convergence", WT_PARAM_BOOL, offsetof(struct cubic_params, fast_convergence), "leave room for new flows (RFC 9438 4.7)", 0, 0,
	 NULL},
	{"friendly", WT_PARAM_BOOL, offsetof(struct cubic_params, friendly), "never slower than Reno (RFC 9438 4.3)", 0, 0, NULL},
	{"hystart", WT_PARAM_BOOL, offsetof(struct cubic_params, hystart), "leave the first slow start by delay: HyStart++ (RFC 9406)", 0, 0,
	 NULL},
};

static const struct cubic_params cubic_default = {
	.c = 0.4, .beta = 0.7, .base = BASE_FLIGHT, .fast_convergence = 1, .friendly = 1, .hystart = 1};

const struct wt_sender_ops wt_sender_cubic = {
	.name = "cubic",
	.text = "a cubic of the time since the last loss, HyStart++ (RFC 9438, RFC 9406)",
	.params = cubic_params,
	.param_count = sizeof(cubic_params) / sizeof(cubic_params[0]),
	.params_size = sizeof(struct cubic_params),
	.state_size = sizeof(struct cubic),
	.params_default = &cubic_default,
	.gauges = (const char *const[]){"w_max_segs", "k_s", NULL},
	.init = cubic_init,
	.on_ack = cubic_on_ack,
	.on_loss = cubic_on_loss,
	.on_event = cubic_on_event,
};
