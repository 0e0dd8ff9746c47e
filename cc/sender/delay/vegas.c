/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP Vegas (Brakmo and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC 13(8), 1995): the window is held
 * where the connection keeps `alpha` to `beta` segments of its own in queues.
 *
 *   Expected = cwnd / BaseRTT,  Actual = cwnd / RTT,  Diff = (Expected - Actual) BaseRTT = cwnd (RTT - BaseRTT) / RTT      segments
 *   once per round trip: one segment more if Diff < alpha, one less if Diff > beta
 *   slow start doubles every other round trip and ends when Diff > gamma: the window becomes what fills the path, cwnd BaseRTT / RTT, plus one
 *
 * RTT is the least of the round, so that a delayed ACK is no queue; a round with one sample tells nothing and Reno's rule holds for it.
 * Losses are answered as by Reno. Vegas' earlier retransmission by a fine clock is recovery's part and not here.
 *
 * `profile=ns2` is the rule of ns-2's own agent (ns-2.35, tcp/tcp-vegas.cc), which the papers of the multi-hop and wired studies ran:
 *
 *   Diff = Flight - Sent BaseRTT / RTT, rounded to whole segments: what flies with the next segment, what the round sent, the mean of the round
 *   each ACK of the next round adds 1/cwnd if Diff < alpha (so delayed ACKs halve the pace), none in between; one segment less if Diff > beta
 *   slow start: each ACK of every other round adds a segment; Diff > gamma ends it, and takes an eighth of the window
 *   a round that sent one segment sets BaseRTT anew; a round in which nothing could be timed counts from its start to its end
 *   a loss takes a quarter of the window in whole segments, of three or fewer it leaves two; a timeout leaves two, and half as ssthresh
 *
 * Not of it: the fine clock, and the duplicate ACKs that its window keeps when recovery ends after exactly three of them. And what an ACK adds is
 * whole bytes here, a double there: at seven segments a round adds seven times 208 of 1460 bytes, which is no segment yet (docs/deviations.md).
 */
#include "cc/shared/aimd.h"
#include "cc/shared/delay.h"

enum { PROFILE_PAPER, PROFILE_NS2 };

static const char *const profile_words[] = {"paper", "ns2", NULL};

struct vegas_params {
	double alpha, beta, gamma, keep;
	uint64_t profile;
};

/* The state of ns-2's agent. */
struct agent {
	bool running;    /* a round is */
	bool waits;      /* slow start: the window stands in this round */
	wt_seq begun;    /* what was to be sent next when the round began; its ACK ends the round */
	wt_time since;   /* the round began then */
	wt_time sum;     /* of the round's samples */
	uint32_t samples;
	uint32_t step;   /* bytes that each ACK of this round adds */
};

struct vegas {
	struct vegas_params params;
	struct wt_aimd window;
	struct wt_delay delay;
	struct agent agent;
	bool still; /* slow start: a round trip in which the window stands, to be measured */
};

static void vegas_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct vegas *s = state;

	*s = (struct vegas){.params = *(const struct vegas_params *)params};
	wt_aimd_init(&s->window, &wt_aimd_default, env, out);
	if (s->params.profile == PROFILE_NS2)
		s->window.params.halve = WT_AIMD_WINDOW;
}

static void show(struct wt_sender_out *out, double diff, wt_time base, wt_time rtt)
{
	out->gauge[0] = diff;
	out->gauge[1] = wt_delay_ms(base);
	out->gauge[2] = wt_delay_ms(rtt);
}

/* A round is over: what it measured decides. */
static void judge(struct vegas *s, const struct wt_ack *ack, struct wt_sender_out *out)
{
	double segs = out->cwnd / s->window.mss; /* whole ones: they are what flies */
	double diff = wt_delay_backlog(&s->delay, s->delay.least, segs);

	show(out, diff, s->delay.base, s->delay.least);
	if (ack->flags & (WT_ACK_RECOVERY | WT_ACK_ECE))
		return;
	if (out->cwnd < out->ssthresh) {
		if (diff > s->params.gamma)
			wt_aimd_set(&s->window, segs - diff + 1, out);
	} else if (diff > s->params.beta) {
		wt_aimd_set(&s->window, segs - 1, out);
	} else if (diff < s->params.alpha && s->delay.limited) {
		wt_aimd_widen(&s->window, s->window.mss, out);
	}
}

/* The window of ns-2's agent has at least two segments; slow start goes on behind it, if ssthresh is above. */
static void lessen(const struct vegas *s, uint32_t by, struct wt_sender_out *out)
{
	uint32_t least = 2 * s->window.mss;

	out->cwnd = out->cwnd > least + by ? out->cwnd - by : least;
}

/* ns-2's agent at the end of a round. `next`: what it sends next. */
static void agent_judge(struct vegas *s, const struct wt_ack *ack, wt_seq next, struct wt_sender_out *out)
{
	struct agent *a = &s->agent;
	wt_time rtt = a->samples ? a->sum / a->samples : ack->now - a->since;
	double mss = s->window.mss, flight = (int32_t)(next - ack->ack) / mss + 1, sent = (int32_t)(next - a->begun) / mss;
	double diff;

	if (!s->delay.base || (rtt < s->delay.base ? a->samples != 0 : sent <= 1))
		s->delay.base = rtt;
	diff = (int)(flight - sent * (double)s->delay.base / (double)wt_time_max(rtt, 1) + 0.5);
	show(out, diff, s->delay.base, rtt);
	a->step = 0;
	if (out->cwnd < out->ssthresh) {
		a->waits = !a->waits;
		if (!a->waits && diff > s->params.gamma) {
			out->ssthresh = 2 * s->window.mss;
			lessen(s, out->cwnd / 8, out);
		} else if (!a->waits) {
			a->step = s->window.mss;
		}
	} else if (diff > s->params.beta) {
		lessen(s, s->window.mss, out);
	} else if (diff < s->params.alpha) {
		a->step = (uint32_t)(mss * mss / out->cwnd);
	}
}

/* What was sent once is timed by a fine clock, whatever the stack's `tick`. It counts in the round that begins with this ACK. */
static void agent_measure(struct vegas *s, const struct wt_ack *ack)
{
	wt_time rtt = ack->now - ack->newest.sent;

	if (!ack->newest.len || ack->newest.retransmitted)
		return;
	s->agent.sum += rtt;
	s->agent.samples++;
	if (!s->delay.base || rtt < s->delay.base)
		s->delay.base = rtt;
}

static void agent_on_ack(struct vegas *s, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct agent *a = &s->agent;
	wt_seq next = ack->flags & WT_ACK_AFTER_RTO ? ack->ack + ack->inflight : ack->snd_nxt; /* it goes back at a timeout */
	bool over = a->running && wt_seq_gt(ack->ack, a->begun);

	if (!ack->acked)
		return;
	if (!a->running)
		a->step = s->window.mss;
	else if (over)
		agent_judge(s, ack, next, out);
	if (!a->running || over) {
		a->running = true;
		a->begun = next;
		a->since = ack->now;
		a->sum = a->samples = 0;
	}
	if (a->step == s->window.mss && out->cwnd >= out->ssthresh)
		a->step = 0;
	if (a->step && !(ack->flags & WT_ACK_ECE) && out->cwnd <= next - ack->ack + 3 * s->window.mss)
		wt_aimd_widen(&s->window, a->step, out);
	agent_measure(s, ack);
}

static void agent_on_loss(struct vegas *s, const struct wt_loss *loss, struct wt_sender_out *out)
{
	uint32_t mss = s->window.mss, window = wt_aimd_base(&s->window, loss, out) / mss;
	uint32_t left = window <= 3 ? 2 : window - (uint32_t)((1 - s->params.keep) * window);

	if (loss->why == WT_LOSS_RTO) {
		wt_aimd_lower(&s->window, loss, window / 2 * mss, out);
		out->cwnd = 2 * mss;
		return;
	}
	wt_aimd_lower(&s->window, loss, left * mss, out);
	out->ssthresh = 2 * mss;
}

static void vegas_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	struct vegas *s = state;
	bool over;

	if (s->params.profile == PROFILE_NS2) {
		agent_on_ack(s, ack, out);
		return;
	}
	over = wt_delay_round(&s->delay, ack);

	if (over) /* a round that measures nothing is not waited for */
		s->still = s->delay.samples > 1 && !s->still;
	if (over && s->delay.samples > 1)
		judge(s, ack, out);
	else if (over && out->cwnd >= out->ssthresh && wt_aimd_may_grow(ack) && s->delay.limited)
		wt_aimd_widen(&s->window, s->window.mss, out);
	if (wt_aimd_may_grow(ack) && !s->still)
		wt_aimd_slow_start(&s->window, ack, out);
}

static void vegas_on_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	struct vegas *s = state;

	if (s->params.profile == PROFILE_NS2)
		agent_on_loss(s, loss, out);
	else
		wt_aimd_keep(&s->window, loss, s->params.keep, out);
}

static void vegas_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	struct vegas *s = state;

	wt_aimd_event(&s->window, event, env, out);
}

static const struct wt_param vegas_params[] = {
	{"alpha", WT_PARAM_NUMBER, offsetof(struct vegas_params, alpha),
	 "segments in queues below which the window grows", 0, 1000, NULL},
	{"beta", WT_PARAM_NUMBER, offsetof(struct vegas_params, beta), "segments in queues above which it shrinks", 0, 1000, NULL},
	{"gamma", WT_PARAM_NUMBER, offsetof(struct vegas_params, gamma), "segments in queues that end slow start", 0, 1000, NULL},
	{"keep", WT_PARAM_SHARE, offsetof(struct vegas_params, keep), "share of the data in flight kept after a loss", 0, 1, NULL},
	{"profile", WT_PARAM_WORD, offsetof(struct vegas_params, profile), "set of all parameters; others given go on top", 0, 0, profile_words},
};

static const struct vegas_params vegas_default = {.alpha = 2, .beta = 4, .gamma = 1, .keep = 0.5};
static const struct vegas_params vegas_ns2 = {.alpha = 1, .beta = 3, .gamma = 1, .keep = 0.75, .profile = PROFILE_NS2};

static const struct wt_cc_preset presets[] = {
	{"paper", "as Brakmo and Peterson have it", &vegas_default},
	{"ns2", "ns-2's own agent: the mean round trip, whole segments, 1/cwnd per ACK, a quarter less after a loss", &vegas_ns2},
	{NULL, NULL, NULL},
};

const struct wt_sender_ops wt_sender_vegas = {
	.name = "vegas",
	.text = "keeps two to four segments in queues (Brakmo and Peterson 1995)",
	.params = vegas_params,
	.param_count = sizeof(vegas_params) / sizeof(vegas_params[0]),
	.params_size = sizeof(struct vegas_params),
	.state_size = sizeof(struct vegas),
	.params_default = &vegas_default,
	.presets = presets,
	.gauges = (const char *const[]){"diff_segs", "base_rtt_ms", "rtt_ms", NULL},
	.init = vegas_init,
	.on_ack = vegas_on_ack,
	.on_loss = vegas_on_loss,
	.on_event = vegas_on_event,
};
