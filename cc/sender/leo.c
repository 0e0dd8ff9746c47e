/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sender that knows when a low-orbit path is reconfigured. Starlink moves all its terminals at fixed times, every 15 s; round trip and
 * bandwidth jump, packets are lost, and none of that is congestion. After the ideas of SaTCP (Cao and Zhang, INFOCOM 2023: hold
 * the window over a handover that the link layer announces) and LeoCC (Lai et al., SIGCOMM 2025: what was measured before a
 * reconfiguration says nothing after it).
 *
 *   guard   from `before` a reconfiguration to `after` it: the window neither grows nor falls, whatever is lost; what a timeout took comes
 *           back at its end
 *   model   bandwidth (greatest delivery rate of ten round trips) and least round trip, both of this interval alone
 *   loss    outside the guard: ssthresh = max(bandwidth * least round trip, half of the window)
 *   relearn three round trips after a guard: ssthresh = bandwidth * least round trip, slow start up to it
 *
 * Else it is NewReno with growth by bytes, paced at twice the window a round trip in slow start and 1.2 of it later. The times are a schedule (`period`, `offset`), as both papers find that they are known; LeoCC
 * finds them from its own probes. Neither publication's state machine is followed: LeoCC paces by BBR's model, SaTCP is CUBIC.
 */
#include "cc/round.h"
#include "cc/shared/aimd.h"
#include "cc/shared/window.h"

#define RELEARN_ROUNDS 3u
#define BW_ROUNDS 10u

struct leo_params {
	wt_time period, offset, before, after, freeze;
};

struct leo {
	struct wt_aimd reno;
	struct leo_params params;
	struct wt_round round;
	struct wt_window bw; /* bytes per second, by rounds of this interval */
	wt_time min_rtt, began; /* of this interval; when its guard ended */
	wt_time thaw; /* the end of a freeze; 0: none */
	wt_time next; /* until then guard and freeze stay as they are */
	bool guarded;
	bool relearn;
	uint32_t held_cwnd, held_ssthresh; /* when the guard began */
};

/* Time since the start of the guard that `now` is in or after. */
static wt_time since_guard(const struct leo *l, wt_time now)
{
	wt_time since = (now - l->params.offset + l->params.before) % l->params.period;

	return since < 0 ? since + l->params.period : since;
}

static wt_time guard_length(const struct leo *l)
{
	wt_time length = l->params.before + l->params.after;

	return length < l->params.period / 2 ? length : l->params.period / 2;
}

static uint32_t bdp(const struct leo *l)
{
	double bytes = (double)wt_window_value(&l->bw) * (double)l->min_rtt / WT_S;

	return bytes < WT_SSTHRESH_INFINITE ? (uint32_t)bytes : WT_SSTHRESH_INFINITE;
}

static void begin_guard(struct leo *l, const struct wt_sender_out *out)
{
	l->guarded = true;
	l->held_cwnd = out->cwnd;
	l->held_ssthresh = out->ssthresh;
}

/* The reduction of a loss in the guard is taken back, and the model begins anew. */
static void end_guard(struct leo *l, wt_time now, struct wt_sender_out *out)
{
	l->guarded = false;
	out->cwnd = out->cwnd > l->held_cwnd ? out->cwnd : l->held_cwnd;
	out->ssthresh = out->ssthresh > l->held_ssthresh ? out->ssthresh : l->held_ssthresh;
	l->bw.any = false;
	l->min_rtt = 0;
	l->began = now;
	l->round = (struct wt_round){0};
	l->relearn = true;
}

/* When guard or freeze may change next, `since` after the guard began. */
static wt_time next_change(const struct leo *l, wt_time now, wt_time since)
{
	const wt_time edge[] = {l->params.before, l->params.before + l->params.freeze, guard_length(l), l->params.period};
	wt_time next = l->params.period;

	for (unsigned i = 0; i < 4; i++)
		if (edge[i] > since && edge[i] < next)
			next = edge[i];
	return now + next - since;
}

static void settle(struct leo *l, wt_time now, struct wt_sender_out *out)
{
	wt_time since, gap;
	bool in;

	if (now < l->next)
		return;
	since = since_guard(l, now);
	in = since < guard_length(l);
	gap = since - l->params.before;
	l->next = next_change(l, now, since);

	if (in && !l->guarded)
		begin_guard(l, out);
	if (!in && l->guarded)
		end_guard(l, now, out);
	out->hold = gap >= 0 && gap < l->params.freeze;
	l->thaw = out->hold ? now + l->params.freeze - gap : 0;
	out->gauge[2] = l->guarded;
}

/* As Linux paces: twice the window a round trip in slow start, 1.2 of it later, so that a window that comes back makes no burst. */
static void set_pacing(wt_time srtt, struct wt_sender_out *out)
{
	double rate = srtt > 0 ? (out->cwnd < out->ssthresh ? 2.0 : 1.2) * out->cwnd * WT_S / (double)srtt : 0;

	out->pacing_rate = rate < 1e12 ? (uint64_t)rate : (uint64_t)1e12;
}

static void leo_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct leo *l = state;

	*l = (struct leo){.params = *(const struct leo_params *)params};
	wt_aimd_init(&l->reno, &wt_aimd_default, env, out);
}

/* Only of what was sent since the guard. */
static void measure(struct leo *l, const struct wt_ack *ack, struct wt_sender_out *out)
{
	wt_time rtt = ack->now - ack->newest.sent;

	wt_round_over(&l->round, ack);
	if (!ack->newest.len || ack->newest.sent < l->began)
		return;
	if (!ack->newest.retransmitted && rtt > 0 && (!l->min_rtt || rtt < l->min_rtt))
		l->min_rtt = rtt;
	if (ack->rate_interval) {
		double rate = (double)(ack->delivered - ack->prior_delivered) * WT_S / (double)ack->rate_interval;

		if (!(ack->flags & WT_ACK_APP_LIMITED) || rate > (double)wt_window_value(&l->bw))
			wt_window_max(&l->bw, BW_ROUNDS, l->round.count, rate < 1e12 ? (uint64_t)rate : (uint64_t)1e12);
	}
	out->gauge[0] = (double)wt_window_value(&l->bw);
	out->gauge[1] = (double)l->min_rtt / WT_MS;
}

static void leo_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct leo *l = state;

	settle(l, ack->now, out);
	set_pacing(ack->srtt, out);
	if (l->guarded)
		return;
	measure(l, ack, out);
	if (l->relearn && l->round.count >= RELEARN_ROUNDS && l->bw.any && l->min_rtt) {
		uint32_t fair = bdp(l);

		l->relearn = false;
		out->ssthresh = fair > 2 * l->reno.mss ? fair : 2 * l->reno.mss;
	}
	wt_aimd_grow(&l->reno, ack, out);
}

static void leo_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct leo *l = state;
	uint32_t fair, window = out->cwnd;

	settle(l, loss->now, out);
	/* what was lost in the guard is found up to a round trip and a reordering window later */
	if (loss->why == WT_LOSS_DUPTHRESH && since_guard(l, loss->now) < guard_length(l) + loss->srtt + loss->srtt / 4)
		return;
	wt_aimd_loss(&l->reno, loss, out);
	fair = l->bw.any && l->min_rtt ? bdp(l) : 0;
	fair = fair < window ? fair : window;
	if (l->guarded || loss->why == WT_LOSS_ECN || fair <= out->ssthresh)
		return;
	out->ssthresh = fair;
	if (loss->why == WT_LOSS_DUPTHRESH)
		out->cwnd = fair;
}

static void leo_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct leo *l = state;

	wt_aimd_event(&l->reno, event, env, out);
	settle(l, env->now, out);
}

/* While a freeze holds, no ACK may come to end it. */
static wt_time leo_deadline(const void *state)
{
	const struct leo *l = state;

	return l->thaw ? l->thaw : WT_NEVER;
}

static void leo_on_timer(void *state, wt_time now, struct wt_sender_out *out)
{
	struct leo *l = state;

	settle(l, now, out);
}

static const struct wt_param leo_params[] = {
	{"period", WT_PARAM_TIME, offsetof(struct leo_params, period), "time between two reconfigurations (Starlink: 15 s)", 1e9, 1e12, NULL},
	{"offset", WT_PARAM_TIME, offsetof(struct leo_params, offset), "one of them, by the host's clock (Starlink: 12 s past the minute)", 0, 1e12, NULL},
	{"before", WT_PARAM_TIME, offsetof(struct leo_params, before), "the guard begins so long before a reconfiguration", 0, 1e10, NULL},
	{"after", WT_PARAM_TIME, offsetof(struct leo_params, after), "and ends so long after it", 0, 1e10, NULL},
	{"freeze", WT_PARAM_TIME, offsetof(struct leo_params, freeze), "send nothing new for so long from a reconfiguration on; 0s: send", 0, 1e10,
	 NULL},
};

static const struct leo_params leo_default = {.period = 15 * WT_S, .offset = 12 * WT_S, .before = 100 * WT_MS, .after = 400 * WT_MS};

const struct wt_sender_ops wt_sender_leo = {
	.name = "leo",
	.text = "knows when a low-orbit path is reconfigured: holds its window then, learns the path anew (after SaTCP 2023, LeoCC 2025)",
	.default_recovery = "rack",
	.params = leo_params,
	.param_count = sizeof(leo_params) / sizeof(leo_params[0]),
	.params_size = sizeof(struct leo_params),
	.state_size = sizeof(struct leo),
	.params_default = &leo_default,
	.gauges = (const char *const[]){"bandwidth_Bps", "min_rtt_ms", "guard", NULL},
	.init = leo_init,
	.on_ack = leo_on_ack,
	.on_loss = leo_on_loss,
	.on_event = leo_on_event,
	.deadline = leo_deadline,
	.on_timer = leo_on_timer,
};
