/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every congestion module has to keep, whatever it is for: all of the registry, and the documentation's example, go through long
 * random histories. A module that fails here would break the engine or the repeatability of runs.
 */
#include "tests/cc/conformance.h"

extern const struct wt_sender_ops wt_sender_steps;

/* ---- parameters --------------------------------------------------------------------------------------- */

struct described {
	const char *table, *name, *text;
	const struct wt_param *params;
	size_t count, size;
	const void *defaults;
	const struct wt_cc_preset *presets;
};

#define DESCRIBED(table, ops)                                                                               \
	((struct described){table, (ops)->name, (ops)->text, (ops)->params, (ops)->param_count,             \
			    (ops)->params_size, (ops)->params_default, (ops)->presets})

static void check_values(const struct described *m, const void *params)
{
	for (size_t i = 0; i < m->count; i++) {
		char text[128], again[128], err[256] = "";
		_Alignas(16) uint8_t copy[WT_CC_PARAMS_MAX];

		memcpy(copy, params, m->size);
		wt_param_format(&m->params[i], params, text, sizeof(text));
		if (wt_param_set(m->params, m->count, copy, m->params[i].name, text, err, sizeof(err)))
			fail_msg("%s %s: %s=%s: %s", m->table, m->name, m->params[i].name, text, err);
		wt_param_format(&m->params[i], copy, again, sizeof(again));
		assert_string_equal(text, again);
		assert_memory_equal(copy, params, m->size);
	}
}

/* The ends of a parameter's range are values, beyond them is nothing. */
static void check_bounds(const struct described *m, const struct wt_param *p)
{
	_Alignas(16) uint8_t copy[WT_CC_PARAMS_MAX];
	char text[64], err[256];

	if (p->type != WT_PARAM_COUNT && p->type != WT_PARAM_NUMBER)
		return;
	assert_true(p->max > p->min);
	for (int side = 0; side < 2; side++) {
		double end = side ? p->max : p->min, beyond = side ? p->max + 1 : p->min - 1;

		memcpy(copy, m->defaults, m->size);
		snprintf(text, sizeof(text), p->type == WT_PARAM_COUNT ? "%.0f" : "%.17g", end);
		MUST(wt_param_set(m->params, m->count, copy, p->name, text, err, sizeof(err)));
		snprintf(text, sizeof(text), p->type == WT_PARAM_COUNT ? "%.0f" : "%.17g", beyond);
		assert_true(wt_param_set(m->params, m->count, copy, p->name, text, err, sizeof(err)) < 0);
	}
}

static void check_module(const struct described *m)
{
	assert_true(m->name && m->name[0] && m->text && m->text[0]);
	assert_null(strpbrk(m->name, ":,= "));
	assert_null(strchr(m->text, '\n'));
	assert_true(m->size <= WT_CC_PARAMS_MAX);
	assert_int_equal(m->count != 0, m->size != 0);
	assert_int_equal(m->count != 0, m->defaults != NULL);
	for (size_t i = 0; i < m->count; i++) {
		assert_true(m->params[i].text && m->params[i].text[0]);
		assert_true(m->params[i].offset + 8 <= m->size);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(m->params[i].name, m->params[j].name);
			assert_int_not_equal(m->params[i].offset, m->params[j].offset);
		}
		check_bounds(m, &m->params[i]);
	}
	if (m->count)
		check_values(m, m->defaults);
	for (const struct wt_cc_preset *p = m->presets; p && p->name; p++)
		check_values(m, p->params);
}

static void every_table_is_complete_and_every_parameter_reads_back(void **state)
{
	struct described all[64];
	size_t n = 0;

	bool has_example = false; /* somebody is trying the documentation's recipe */

	for (size_t i = 0; wt_senders[i]; i++) {
		all[n++] = DESCRIBED("sender", wt_senders[i]);
		has_example |= wt_senders[i] == &wt_sender_steps;
	}
	for (size_t i = 0; wt_recoveries[i]; i++)
		all[n++] = DESCRIBED("recovery", wt_recoveries[i]);
	for (size_t i = 0; wt_receivers[i]; i++)
		all[n++] = DESCRIBED("receiver", wt_receivers[i]);
	if (!has_example)
		all[n++] = DESCRIBED("sender", &wt_sender_steps);
	for (size_t i = 0; i < n; i++) {
		check_module(&all[i]);
		for (size_t j = 0; j < i; j++)
			assert_true(strcmp(all[i].table, all[j].table) || strcmp(all[i].name, all[j].name));
	}
}

static void every_default_recovery_exists_and_every_name_can_be_chosen(void **state)
{
	for (size_t i = 0; wt_senders[i]; i++) {
		struct wt_sender_choice sender;
		struct wt_recovery_choice recovery;

		MUST(wt_sender_choose(wt_senders[i]->name, &sender, NULL, 0));
		assert_ptr_equal(sender.ops, wt_senders[i]);
		MUST(wt_recovery_choose(sender.ops->default_recovery, &recovery, NULL, 0));
	}
}

/* ---- senders ------------------------------------------------------------------------------------------ */

struct trial {
	const struct wt_sender_ops *ops;
	const void *params;
	struct guarded state, out;
	struct wt_cc_env env;
	struct dice dice;
	wt_time now;
	wt_seq una, nxt;
	uint64_t delivered, total_lost;
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
	assert_true(t->ops->deadline(inside(&t->state)) > t->now);
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
			       .dup_seen = roll(d, 2)};
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
	assert_true(ours.len == 0 || (ours.len >= 2 && ours.len <= 40));
	if (t->ops->on_syn_in)
		t->ops->on_syn_in(inside(&t->state), &options);
	if (t->ops->on_event)
		t->ops->on_event(inside(&t->state), WT_CC_ESTABLISHED, &t->env, inside(&t->out));
}

static uint64_t sender_history(const struct wt_sender_ops *ops, const void *params, uint64_t seed)
{
	struct trial t = {.ops = ops, .params = params, .state = guarded_new(ops->state_size),
			  .out = guarded_new(sizeof(struct wt_sender_out)), .dice = {wt_key_derive(seed, "cc"), 0}};
	struct wt_sender_out *out = inside(&t.out);
	uint64_t digest = 0;

	t.env = any_env(&t.dice);
	t.una = t.nxt = 0u - roll(&t.dice, 100000);
	ops->init(inside(&t.state), params, &t.env, out);
	assert_true(out->cwnd >= t.env.mss);
	sender_handshake(&t);
	for (unsigned i = 0; i < EVENTS; i++) {
		t.now += roll(&t.dice, 20) ? roll(&t.dice, 20000000) : 5 * WT_S;
		t.env.now = t.now;
		if (roll(&t.dice, 2))
			sender_ack_event(&t);
		else
			sender_other_event(&t);
		sender_timer(&t);
		assert_true(out->cwnd >= t.env.mss);
		assert_true(out->cwnd >= ops->floor_segs * t.env.mss);
		assert_true(out->cwnd <= 0x7fffffff);
		assert_true(!out->note.set || out->note.type < WT_TRACE_TYPES);
		out->note.set = false;
		digest = mix(digest, &out->cwnd, sizeof(out->cwnd));
		digest = mix(digest, &out->ssthresh, sizeof(out->ssthresh));
		digest = mix(digest, &out->burst, sizeof(out->burst));
		digest = mix(digest, out->gauge, sizeof(out->gauge));
	}
	check_fringe(&t.state);
	check_fringe(&t.out);
	free(t.state.memory);
	free(t.out.memory);
	return digest;
}

static void try_sender(const struct wt_sender_ops *ops)
{
	for (uint64_t seed = 0; seed < 6; seed++) {
		const void *params = any_params(ops->presets, ops->params_default, seed);
		_Alignas(16) uint8_t copy[WT_CC_PARAMS_MAX] = {0};

		memcpy(copy, params, ops->params_size);
		assert_int_equal(sender_history(ops, params, seed), sender_history(ops, copy, seed));
		assert_int_not_equal(sender_history(ops, copy, seed), sender_history(ops, copy, seed + 100));
		assert_memory_equal(copy, params, ops->params_size);
	}
}

static void senders_keep_a_segment_of_window_stay_in_their_memory_and_repeat_themselves(void **state)
{
	for (size_t i = 0; wt_senders[i]; i++)
		try_sender(wt_senders[i]);
	try_sender(&wt_sender_steps);
}

static void an_ack_in_single_bytes_grows_no_sender_by_more_than_a_segment(void **state)
{
	for (size_t i = 0; wt_senders[i]; i++)
		for (int mss8 = 0; mss8 < 2; mss8++) {
			struct wt_cc_env env = cc_env();
			struct sender s;
			uint32_t before;

			env.increment_mss8 = mss8;
			sender_start(&s, wt_senders[i]->name, env);
			sender_event(&s, WT_CC_ESTABLISHED);
			before = s.out.cwnd;
			for (uint32_t byte = 0; byte < MSS; byte++)
				sender_ack(&s, 1);
			assert_true(s.out.cwnd <= before + MSS);
			sender_finish(&s);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_is_complete_and_every_parameter_reads_back),
		cmocka_unit_test(every_default_recovery_exists_and_every_name_can_be_chosen),
		cmocka_unit_test(senders_keep_a_segment_of_window_stay_in_their_memory_and_repeat_themselves),
		cmocka_unit_test(an_ack_in_single_bytes_grows_no_sender_by_more_than_a_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
