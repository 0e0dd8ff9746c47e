/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/shared/aimd.h"

const struct wt_aimd_params wt_aimd_default = {
	.growth = WT_AIMD_BYTES,
	.halve = WT_AIMD_FLIGHT,
	.deflate = 1,
};

static const struct wt_aimd_params xkernel = {
	.profile = WT_AIMD_XKERNEL,
	.growth = WT_AIMD_EVERY,
	.halve = WT_AIMD_WINDOW,
	.unit = WT_AIMD_UNIT_SEGMENTS,
	.equal = WT_AIMD_EQUAL_SLOW_START,
	.cwnd_max = 65535,
};

static const struct wt_aimd_params ns2 = {
	.profile = WT_AIMD_NS2,
	.growth = WT_AIMD_ACKS,
	.halve = WT_AIMD_WINDOW,
	.deflate = 1,
};

/* Its threshold is a whole number, its window is not: only Tahoe, whose window begins at one packet again, feels that. */
static const struct wt_aimd_params ns2_tahoe = {
	.profile = WT_AIMD_NS2,
	.growth = WT_AIMD_ACKS,
	.halve = WT_AIMD_WINDOW,
	.unit = WT_AIMD_UNIT_SEGMENTS,
	.deflate = 1,
};

#define COMMON_PRESETS                                                                             \
	{"rfc5681", "as RFC 5681 has it", &wt_aimd_default},                                       \
	{"xkernel", "4.3BSD in the x-kernel 3.2 and 3.3: every ACK counts, ssthresh in whole segments, no deflation", &xkernel}

const struct wt_cc_preset wt_aimd_presets[] = {
	COMMON_PRESETS,
	{"ns2", "ns-2's own agent: equation 3 per ACK, half of the window", &ns2},
	{NULL, NULL, NULL},
};

const struct wt_cc_preset wt_tahoe_presets[] = {
	COMMON_PRESETS,
	{"ns2", "ns-2's own agent: equation 3 per ACK, half of the window in whole segments", &ns2_tahoe},
	{NULL, NULL, NULL},
};

const char *const wt_aimd_growth_words[] = {"bytes", "acks", "every", NULL};
const char *const wt_aimd_halve_words[] = {"flight", "window", NULL};
const char *const wt_aimd_unit_words[] = {"bytes", "segments", NULL};
const char *const wt_aimd_equal_words[] = {"avoidance", "slow_start", NULL};
const char *const wt_aimd_profile_words[] = {"rfc5681", "xkernel", "ns2", NULL};

static uint32_t at_least(uint32_t value, uint32_t floor)
{
	return value > floor ? value : floor;
}

static uint32_t at_most(uint32_t value, uint32_t ceiling)
{
	return value < ceiling ? value : ceiling;
}

void wt_aimd_established(struct wt_aimd *reno, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	reno->mss = at_least(env->mss, 1);
	reno->mss8 = env->increment_mss8;
	reno->limit = at_least(env->slow_start_limit, 1);
	if (reno->params.slow_start_limit)
		reno->limit = (uint32_t)reno->params.slow_start_limit;
	reno->part = (struct wt_aimd_part){0};
	out->cwnd = at_most(at_least(env->initial_window, reno->mss), WT_SSTHRESH_INFINITE);
}

void wt_aimd_init(struct wt_aimd *reno, const struct wt_aimd_params *params,
		  const struct wt_cc_env *env, struct wt_sender_out *out)
{
	*reno = (struct wt_aimd){.params = *params};
	if (env->packets && params->profile == WT_AIMD_RFC5681) {
		reno->params.halve = WT_AIMD_WINDOW;
		reno->params.unit = WT_AIMD_UNIT_SEGMENTS;
		reno->params.equal = WT_AIMD_EQUAL_SLOW_START;
	}
	out->ssthresh = WT_SSTHRESH_INFINITE;
	wt_aimd_established(reno, env, out);
}

/* What one ACK adds in slow start. After a timeout never more than one segment (RFC 3465 2.3). */
static uint32_t doubling(const struct wt_aimd *reno, const struct wt_ack *ack)
{
	uint64_t limit = ack->flags & WT_ACK_AFTER_RTO ? 1 : reno->limit;

	limit *= reno->mss;
	if (reno->params.growth == WT_AIMD_EVERY)
		return reno->mss;
	return ack->acked < limit ? ack->acked : (uint32_t)limit;
}

bool wt_aimd_slow_start(const struct wt_aimd *reno, const struct wt_ack *ack, struct wt_sender_out *out)
{
	uint32_t step;

	if (out->cwnd > out->ssthresh || (out->cwnd == out->ssthresh && reno->params.equal != WT_AIMD_EQUAL_SLOW_START))
		return false;
	step = doubling(reno, ack);
	/* not beyond ssthresh, as Linux: after each recovery that would be a segment or two for nothing; BSD did so */
	if (!reno->mss8 && out->cwnd < out->ssthresh)
		step = at_most(step, out->ssthresh - out->cwnd);
	wt_aimd_widen(reno, step, out);
	return true;
}

/*
 * Congestion avoidance by ACKs: MSS*MSS/cwnd each, and what the division leaves over stands for the next ACK, or growth at a
 * hundred segments would be a tenth too slow. BSD's code did round down, so with mss8 or growth=every it is rounded down.
 * Small ACKs are collected until they make one segment, so that division is no gain.
 */
static uint32_t per_ack(struct wt_aimd *reno, uint32_t acked, uint32_t cwnd)
{
	uint64_t square = (uint64_t)reno->mss * reno->mss;
	bool every = reno->params.growth == WT_AIMD_EVERY;
	uint32_t step;

	if (!every) {
		reno->part.counted = at_most(reno->part.counted, reno->mss - 1) + at_most(acked, reno->mss);
		if (reno->part.counted < reno->mss)
			return 0;
		reno->part.counted -= reno->mss;
	}
	if (reno->mss8 || every)
		return at_least((uint32_t)(square / cwnd), 1) + (reno->mss8 ? reno->mss / 8 : 0);
	square += reno->part.rest;
	step = (uint32_t)(square / cwnd);
	reno->part.rest = square % cwnd;
	return step;
}

/*
 * Congestion avoidance by bytes: a segment for each window of them (RFC 5681 3.1, RFC 3465). Half of an odd window ends in half a
 * segment, which is never sent: only whole segments fly and are acknowledged, so these alone make the window that is counted.
 */
static uint32_t per_byte(struct wt_aimd *reno, uint32_t acked, uint32_t cwnd)
{
	uint32_t whole = at_least(cwnd - cwnd % reno->mss, reno->mss);

	reno->part.counted = at_most(reno->part.counted, whole) + at_most(acked, whole);
	if (reno->part.counted < whole)
		return 0;
	reno->part.counted -= whole;
	return reno->mss;
}

void wt_aimd_grow(struct wt_aimd *reno, const struct wt_ack *ack, struct wt_sender_out *out)
{
	bool every = reno->params.growth == WT_AIMD_EVERY;
	/* the ACK that ends recovery is the first of the new window; only what nothing reported before counts (Linux does so) */
	bool leaves = ack->flags & WT_ACK_LEAVES && reno->params.growth == WT_AIMD_BYTES && out->cwnd >= out->ssthresh;
	uint32_t step;

	/* RFC 3168 6.1.2: an ACK that tells of a mark opens nothing */
	if (!ack->acked || ack->flags & WT_ACK_ECE)
		return;
	if (!every && ((ack->flags & WT_ACK_RECOVERY && !leaves) || !(ack->flags & WT_ACK_CWND_LIMITED)))
		return;
	out->cwnd = at_most(out->cwnd, WT_SSTHRESH_INFINITE);
	if (wt_aimd_slow_start(reno, ack, out))
		return;
	if (reno->mss8 || reno->params.growth != WT_AIMD_BYTES)
		step = per_ack(reno, ack->acked, out->cwnd);
	else
		step = per_byte(reno, leaves ? ack->newly_delivered : ack->acked, out->cwnd);
	wt_aimd_widen(reno, step, out);
}

void wt_aimd_widen(const struct wt_aimd *reno, uint32_t step, struct wt_sender_out *out)
{
	uint32_t most = reno->params.cwnd_max ? (uint32_t)reno->params.cwnd_max : WT_SSTHRESH_INFINITE;

	if (out->cwnd < most)
		out->cwnd = at_most(out->cwnd + step, most);
}

void wt_aimd_add(struct wt_aimd *reno, double bytes, struct wt_sender_out *out)
{
	int32_t step = WT_SSTHRESH_INFINITE;

	bytes += reno->part.carry;
	if (bytes < WT_SSTHRESH_INFINITE) {
		step = (int32_t)bytes;
		if (reno->params.unit == WT_AIMD_UNIT_SEGMENTS)
			step -= step % (int32_t)reno->mss;
		reno->part.carry = bytes - step;
	} else {
		reno->part.carry = 0;
	}
	wt_aimd_widen(reno, (uint32_t)step, out);
}

void wt_aimd_climb(struct wt_aimd *reno, const struct wt_ack *ack, double segs, struct wt_sender_out *out)
{
	double bytes = segs * reno->mss * ack->acked / out->cwnd;

	wt_aimd_add(reno, bytes < ack->acked ? bytes : ack->acked, out);
}

void wt_aimd_set(struct wt_aimd *reno, double segs, struct wt_sender_out *out)
{
	double bytes = segs * reno->mss;

	out->cwnd = at_least(bytes < WT_SSTHRESH_INFINITE ? (uint32_t)bytes : WT_SSTHRESH_INFINITE, 2 * reno->mss);
	/* below the window where slow start begins at it, or it would begin again */
	out->ssthresh = at_most(out->ssthresh, out->cwnd - (reno->params.equal == WT_AIMD_EQUAL_SLOW_START));
	reno->part.carry = 0;
}

uint32_t wt_aimd_base(const struct wt_aimd *reno, const struct wt_loss *loss, const struct wt_sender_out *out)
{
	if (reno->params.halve == WT_AIMD_WINDOW)
		return at_most(out->cwnd, loss->peer_window);
	/* Not what limited transmit added (RFC 5681 3.2 step 2): before it, whole segments filled the window. */
	if (loss->why == WT_LOSS_DUPTHRESH && loss->inflight > out->cwnd)
		return out->cwnd - out->cwnd % reno->mss;
	return loss->inflight;
}

static void threshold(struct wt_aimd *reno, const struct wt_loss *loss, uint32_t target, struct wt_sender_out *out)
{
	/* A repeated timeout of the same data says nothing new (RFC 5681 3.1); 4.3BSD halved again. */
	if (loss->why == WT_LOSS_RTO && loss->rto_count > 1 && reno->params.halve == WT_AIMD_FLIGHT)
		return;
	if (!loss->same) {
		reno->prior_cwnd = out->cwnd;
		reno->prior_ssthresh = out->ssthresh;
		reno->prior_part = reno->part;
	}
	reno->part = (struct wt_aimd_part){0};
	/* In recovery the flight counts what waits at the receiver above the holes, and half of it may be far more than
	 * the window that recovery left: a timeout must not raise that. */
	target = at_most(target, out->cwnd);
	if (reno->params.unit == WT_AIMD_UNIT_SEGMENTS)
		target -= target % reno->mss;
	out->ssthresh = at_least(target, 2 * reno->mss);
}

void wt_aimd_lower(struct wt_aimd *reno, const struct wt_loss *loss, uint32_t target, struct wt_sender_out *out)
{
	threshold(reno, loss, target, out);
	/* Never a larger window than before (RFC 5681 3.1: 2 MSS of ssthresh over a cwnd of 1 MSS). */
	out->cwnd = loss->why == WT_LOSS_RTO ? reno->mss : at_most(out->cwnd, out->ssthresh);
}

void wt_aimd_keep(struct wt_aimd *reno, const struct wt_loss *loss, double keep, struct wt_sender_out *out)
{
	uint32_t base = wt_aimd_base(reno, loss, out);

	wt_aimd_lower(reno, loss, loss->why == WT_LOSS_RTO ? base / 2 : (uint32_t)(keep * base), out);
}

void wt_aimd_loss(struct wt_aimd *reno, const struct wt_loss *loss, struct wt_sender_out *out)
{
	wt_aimd_lower(reno, loss, wt_aimd_base(reno, loss, out) / 2, out);
}

void wt_aimd_event(struct wt_aimd *reno, enum wt_cc_event event, const struct wt_cc_env *env,
		   struct wt_sender_out *out)
{
	switch (event) {
	case WT_CC_ESTABLISHED:
		wt_aimd_established(reno, env, out);
		break;
	case WT_CC_MSS:
		reno->mss = at_least(env->mss, 1);
		break;
	case WT_CC_IDLE: /* restart window (RFC 5681 4.1) */
		out->cwnd = at_most(out->cwnd, at_least(env->initial_window, reno->mss));
		break;
	case WT_CC_UNDO:
		if (reno->prior_cwnd) {
			out->cwnd = at_least(out->cwnd, reno->prior_cwnd);
			out->ssthresh = at_least(out->ssthresh, reno->prior_ssthresh);
			reno->part = reno->prior_part;
			reno->prior_cwnd = 0;
		}
		break;
	case WT_CC_RECOVERED:
	case WT_CC_FALLBACK:
		break;
	}
}
