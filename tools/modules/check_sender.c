/* SPDX-License-Identifier: BSD-2-Clause */
/* What every sender module has to keep, whatever it is for. */
#include <inttypes.h>

#include "tools/modules/trial.h"

struct trial {
	const struct wt_sender_ops *ops;
	const void *params;
	struct guarded state, out;
	struct wt_cc_env env;
	struct dice dice;
	wt_time now;
	wt_seq una, nxt;
	uint64_t delivered, total_lost;
	struct wt_cc_report *report;
};

/* Facts for modules that measure: a delivered segment, a rate, losses; any of them may be missing. */
static void any_facts(struct trial *t, struct wt_ack *ack)
{
	struct dice *d = &t->dice;

	ack->snd_nxt = t->nxt;
	ack->lost = roll(d, 8) ? 0 : roll(d, 1u << 18);
	ack->dsacked = roll(d, 16) ? 0 : roll(d, 1u << 16);
	ack->marked = ack->flags & WT_ACK_ECE ? ack->acked : 0;
	ack->newly_delivered = ack->acked;
	t->delivered += ack->acked;
	t->total_lost += ack->lost;
	ack->delivered = t->delivered;
	ack->total_lost = t->total_lost;
	if (!ack->acked || !roll(d, 4))
		return;
	ack->prior_delivered = t->delivered - ack->acked - roll(d, (uint32_t)(t->delivered - ack->acked < 1u << 20 ? t->delivered - ack->acked : 1u << 20) + 1);
	ack->rate_interval = roll(d, 3) ? 1 + roll(d, 1u << 30) : 0;
	ack->newest = (struct wt_newest){
		.len = 1 + roll(d, t->env.mss),
		.end = t->una,
		.sent = t->now - roll(d, 1u << 30),
		.inflight = roll(d, 1u << 20),
		.total_lost = t->total_lost - roll(d, (uint32_t)(t->total_lost < 1u << 18 ? t->total_lost : 1u << 18) + 1),
		.retransmitted = roll(d, 2),
	};
}

static void sender_timer(struct trial *t)
{
	if (!t->ops->deadline || t->ops->deadline(inside(&t->state)) > t->now)
		return;
	t->ops->on_timer(inside(&t->state), t->now, inside(&t->out));
	wt_cc_keep(t->report, WT_CC_RULE_TIMER, t->ops->deadline(inside(&t->state)) > t->now, "after on_timer() at %" PRId64 " ns the deadline is not later",
		   t->now);
}

static void sender_ack_event(struct trial *t)
{
	struct dice *d = &t->dice;
	struct wt_cc_options options;
	struct wt_ack ack = {
		.now = t->now, .flags = roll(d, 256), .inflight = roll(d, 1u << 20), .inflight_before = roll(d, 1u << 20),
		.dupacks = roll(d, 6), .peer_window = roll(d, 1u << 20), .rtt = roll(d, 2) ? 0 : roll(d, 1u << 30),
		.srtt = roll(d, 1u << 30), .min_rtt = roll(d, 1u << 30), .tsval = roll(d, 1u << 31), .has_tsval = roll(d, 2),
		.options = &options,
	};

	any_options(d, &options);
	ack.acked = roll(d, 3) ? roll(d, t->nxt - t->una + 1) : 0;
	t->una += ack.acked;
	any_facts(t, &ack);
	ack.ack = t->una - (roll(d, 20) ? 0 : roll(d, 5000));
	if (!roll(d, 10))
		ack.options = NULL;
	if (t->ops->on_ack)
		t->ops->on_ack(inside(&t->state), &ack, inside(&t->out));
}

static void sender_other_event(struct trial *t)
{
	struct dice *d = &t->dice;
	void *state = inside(&t->state), *out = inside(&t->out);
	struct wt_loss loss = {.now = t->now, .srtt = roll(d, 1u << 30), .why = (enum wt_loss_why)roll(d, 3),
			       .inflight = roll(d, 1u << 24), .peer_window = roll(d, 1u << 20), .rto_count = roll(d, 9),
			       .dup_seen = roll(d, 2), .same = roll(d, 2)};
	struct wt_sent sent = {.now = t->now, .seq = t->nxt, .len = 1 + roll(d, t->env.mss), .retransmission = roll(d, 2)};

	switch (roll(d, 4)) {
	case 0:
		if (t->ops->on_loss)
			t->ops->on_loss(state, &loss, out);
		break;
	case 1: /* FALLBACK is the engine's answer to a module, never news for a sender that did not ask */
		if (t->ops->on_event)
			t->ops->on_event(state, (enum wt_cc_event)roll(d, WT_CC_FALLBACK), &t->env, out);
		break;
	default:
		if (sent.retransmission)
			sent.seq = t->una;
		else
			t->nxt += sent.len;
		if (t->ops->on_sent)
			t->ops->on_sent(state, &sent, out);
	}
}

static void sender_handshake(struct trial *t)
{
	struct wt_cc_options options = {1, {{253, 6, "TR\x10\x03"}}};
	struct wt_cc_option ours = {0};

	if (!roll(&t->dice, 4))
		any_options(&t->dice, &options);
	if (t->ops->on_syn_out)
		t->ops->on_syn_out(inside(&t->state), roll(&t->dice, 3), &ours);
	wt_cc_keep(t->report, WT_CC_RULE_OPTION, ours.len == 0 || (ours.len >= 2 && ours.len <= 40), "an option of %u bytes on SYN", ours.len);
	if (t->ops->on_syn_in)
		t->ops->on_syn_in(inside(&t->state), &options);
	if (t->ops->on_event)
		t->ops->on_event(inside(&t->state), WT_CC_ESTABLISHED, &t->env, inside(&t->out));
}

static bool keep_window(struct trial *t, unsigned event)
{
	const struct wt_sender_out *out = inside(&t->out);
	uint32_t floor = t->ops->floor_segs > 1 ? t->ops->floor_segs * t->env.mss : t->env.mss;

	return wt_cc_keep(t->report, WT_CC_RULE_WINDOW, out->cwnd >= floor && out->cwnd <= 0x7fffffff,
			  "after event %u cwnd is %" PRIu32 " bytes, with segments of %" PRIu32 " and a floor of %" PRIu32, event, out->cwnd,
			  t->env.mss, floor) &&
	       wt_cc_keep(t->report, WT_CC_RULE_OUTPUTS, !out->note.set || out->note.type < WT_TRACE_TYPES, "a note of type %" PRIu32, out->note.type);
}

static uint64_t sender_history(const struct wt_sender_ops *ops, const void *params, uint64_t seed, struct wt_cc_report *report)
{
	struct trial t = {.ops = ops, .params = params, .state = guarded_new(ops->state_size), .report = report,
			  .out = guarded_new(sizeof(struct wt_sender_out)), .dice = {wt_key_derive(seed, "cc"), 0}};
	struct wt_sender_out *out = inside(&t.out);
	uint64_t digest = 0;

	t.env = any_env(&t.dice);
	t.una = t.nxt = 0u - roll(&t.dice, 100000);
	ops->init(inside(&t.state), params, &t.env, out);
	keep_window(&t, 0);
	sender_handshake(&t);
	for (unsigned i = 1; i <= EVENTS; i++) {
		t.now += roll(&t.dice, 20) ? roll(&t.dice, 20000000) : 5 * WT_S;
		t.env.now = t.now;
		if (roll(&t.dice, 2))
			sender_ack_event(&t);
		else
			sender_other_event(&t);
		sender_timer(&t);
		if (!keep_window(&t, i))
			break;
		out->note.set = false;
		digest = mix(digest, &out->cwnd, sizeof(out->cwnd));
		digest = mix(digest, &out->ssthresh, sizeof(out->ssthresh));
		digest = mix(digest, &out->burst, sizeof(out->burst));
		digest = mix(digest, &out->pacing_rate, sizeof(out->pacing_rate));
		digest = mix(digest, out->gauge, sizeof(out->gauge));
	}
	guarded_end(&t.state, "state", report);
	guarded_end(&t.out, "output", report);
	return digest;
}

/* ---- by hand ------------------------------------------------------------------------------------------------ */

#define MSS 1000u

struct by_hand {
	struct guarded state;
	struct wt_sender_out out;
	uint32_t before; /* cwnd at the start */
};

static void start(struct by_hand *s, const struct wt_sender_ops *ops, const struct wt_cc_env *env)
{
	*s = (struct by_hand){.state = guarded_new(ops->state_size)};
	ops->init(inside(&s->state), ops->params_default, env, &s->out);
	if (ops->on_event)
		ops->on_event(inside(&s->state), WT_CC_ESTABLISHED, env, &s->out);
	s->before = s->out.cwnd;
}

static struct wt_cc_env usual_env(void)
{
	return (struct wt_cc_env){
		.mss = MSS, .buffer = 1000 * MSS, .initial_window = 2 * MSS, .dupthresh = 3, .tick = WT_MS, .timestamps = true,
	};
}

static void try_bytes(const struct wt_sender_ops *ops, struct wt_cc_report *report)
{
	for (int mss8 = 0; mss8 < 2; mss8++) {
		struct wt_ack ack = {.acked = 1, .flags = WT_ACK_CWND_LIMITED, .srtt = 100 * WT_MS};
		struct wt_cc_env env = usual_env();
		struct by_hand s;

		env.increment_mss8 = mss8;
		start(&s, ops, &env);
		for (uint32_t byte = 0; byte < MSS && ops->on_ack; byte++)
			ops->on_ack(inside(&s.state), &ack, &s.out);
		wt_cc_keep(report, WT_CC_RULE_BYTES, s.out.cwnd <= s.before + MSS,
			   "%u ACKs of one byte make %" PRIu32 " of %" PRIu32 " bytes of window, with segments of %u", MSS, s.out.cwnd, s.before, MSS);
		guarded_end(&s.state, "state", report);
	}
}

/* The engine asks once per window of data; a module only has to answer, whatever it does for losses, or say that its data is not ECT. */
static void try_marks(const struct wt_sender_ops *ops, struct wt_cc_report *report)
{
	struct wt_cc_options options = {0};
	struct wt_ack ack = {.flags = WT_ACK_ECE | WT_ACK_CWND_LIMITED, .srtt = 100 * WT_MS, .options = &options, .acked = MSS};
	struct wt_cc_env env = usual_env();
	struct by_hand s;
	bool good = true;

	env.initial_window = 64 * MSS;
	start(&s, ops, &env);
	for (unsigned i = 0; i < 20 && good && ops->on_loss && s.out.codepoint != WT_CC_NOT_ECT; i++) {
		uint32_t before = s.out.cwnd, after;
		struct wt_loss loss = {.why = WT_LOSS_ECN, .inflight = before, .peer_window = 64 * MSS, .srtt = 100 * WT_MS};

		ops->on_loss(inside(&s.state), &loss, &s.out);
		after = s.out.cwnd;
		good = wt_cc_keep(report, WT_CC_RULE_MARKS, after >= MSS && after <= before && (after < before || before <= 2 * MSS),
				  "a mark makes %" PRIu32 " of %" PRIu32 " bytes of window", after, before);
		ack.ack += MSS;
		ack.now += 10 * WT_MS;
		if (ops->on_ack)
			ops->on_ack(inside(&s.state), &ack, &s.out);
		good = good && wt_cc_keep(report, WT_CC_RULE_MARKS, s.out.cwnd <= after, "the ACK with the mark makes %" PRIu32 " of %" PRIu32 " bytes of window",
					  s.out.cwnd, after);
	}
	guarded_end(&s.state, "state", report);
}

void wt_cc_check_sender(const struct wt_sender_ops *ops, unsigned trials, struct wt_cc_report *report)
{
	for (uint64_t seed = 0; seed < trials; seed++) {
		const void *params = any_params(ops->presets, ops->params_default, seed);
		_Alignas(16) uint8_t copy[WT_CC_PARAMS_MAX] = {0};
		uint64_t digest;

		if (params)
			memcpy(copy, params, ops->params_size);
		digest = sender_history(ops, copy, seed, report);
		wt_cc_keep(report, WT_CC_RULE_REPEATS, digest == sender_history(ops, copy, seed, report), "history %u ended twice in two ways", (unsigned)seed);
		wt_cc_keep(report, WT_CC_RULE_RESPONDS, digest != sender_history(ops, copy, seed + 100, report),
			   "histories %u and %u end alike", (unsigned)seed, (unsigned)seed + 100);
		wt_cc_keep(report, WT_CC_RULE_MEMORY, !params || !memcmp(copy, params, ops->params_size), "it wrote into its parameters");
	}
	try_bytes(ops, report);
	try_marks(ops, report);
}
