/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every congestion module has to keep, whatever it is for: all of the registry, and the documentation's example,
 * go through long random histories. A module that fails here would break the engine or the repeatability of runs.
 */
#include <stdio.h>

#include "tests/cc/cc_test.h"

#include "stack/base/random.h"
#include "stack/text/trace.h"

#define EVENTS 10000u
#define GUARD 64u
#define RING 256u

extern const struct wt_sender_ops wt_sender_steps;

/* A stream of numbers that depends on the seed alone. */
struct dice {
	struct wt_key key;
	uint64_t n;
};

static uint32_t roll(struct dice *dice, uint32_t bound)
{
	return (uint32_t)wt_random_below(&dice->key, dice->n++, bound);
}

/* Memory with a guarded fringe. */
struct guarded {
	uint8_t *memory;
	size_t size;
};

static struct guarded guarded_new(size_t size)
{
	struct guarded g = {aligned_alloc(16, (size + 2 * GUARD + 15) & ~(size_t)15), size};

	memset(g.memory, 0xa5, (size + 2 * GUARD + 15) & ~(size_t)15);
	memset(g.memory + GUARD, 0, size);
	return g;
}

static void *inside(const struct guarded *g)
{
	return g->memory + GUARD;
}

static void check_fringe(const struct guarded *g)
{
	for (size_t i = 0; i < GUARD; i++) {
		assert_int_equal(g->memory[i], 0xa5);
		assert_int_equal(g->memory[GUARD + g->size + i], 0xa5);
	}
}

static uint64_t mix(uint64_t digest, const void *data, size_t len)
{
	struct wt_key key = {digest, 1};

	return wt_siphash(&key, data, len);
}

static struct wt_cc_env any_env(struct dice *dice)
{
	static const uint32_t sizes[] = {1, 48, 536, 1000, 1448, 8948, 65483};
	uint32_t mss = sizes[roll(dice, 7)];

	return (struct wt_cc_env){
		.mss = mss,
		.buffer = roll(dice, 4) ? mss * (1 + roll(dice, 500)) : roll(dice, mss),
		.initial_window = roll(dice, 8) ? mss * (1 + roll(dice, 10)) : 0,
		.dupthresh = roll(dice, 5),
		.tick = roll(dice, 2) ? 1 : 500 * WT_MS,
		.slow_start_limit = roll(dice, 5),
		.increment_mss8 = roll(dice, 2),
		.timestamps = roll(dice, 2),
		.sack = roll(dice, 2),
	};
}

static void any_options(struct dice *dice, struct wt_cc_options *options)
{
	memset(options, 0, sizeof(*options));
	options->count = roll(dice, 3) ? 1 : roll(dice, WT_CC_OPTIONS_MAX + 1);
	for (unsigned i = 0; i < options->count; i++) {
		struct wt_cc_option *o = &options->at[i];

		*o = (struct wt_cc_option){253, 6, {'T', 'R', (uint8_t)(roll(dice, 4) ? 0 : roll(dice, 256)),
						    (uint8_t)roll(dice, 256)}};
		if (!roll(dice, 8))
			*o = (struct wt_cc_option){(uint8_t)(253 + roll(dice, 2)), (uint8_t)roll(dice, 41),
						   {(uint8_t)roll(dice, 256), (uint8_t)roll(dice, 256)}};
	}
}

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

/* Parameters for a trial: one preset after the other, or the defaults. */
static const void *any_params(const struct wt_cc_preset *presets, const void *defaults, uint64_t seed)
{
	size_t count = 0;

	while (presets && presets[count].name)
		count++;
	return count ? presets[seed % count].params : defaults;
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
};

static void sender_ack_event(struct trial *t)
{
	struct dice *d = &t->dice;
	struct wt_cc_options options;
	struct wt_ack ack = {
		.now = t->now, .flags = roll(d, 32), .inflight = roll(d, 1u << 20), .inflight_before = roll(d, 1u << 20),
		.dupacks = roll(d, 6), .peer_window = roll(d, 1u << 20), .rtt = roll(d, 2) ? 0 : roll(d, 1u << 30),
		.srtt = roll(d, 1u << 30), .min_rtt = roll(d, 1u << 30), .tsval = roll(d, 1u << 31), .has_tsval = roll(d, 2),
		.options = &options,
	};

	any_options(d, &options);
	ack.acked = roll(d, 3) ? roll(d, t->nxt - t->una + 1) : 0;
	t->una += ack.acked;
	ack.ack = t->una - (roll(d, 20) ? 0 : roll(d, 5000));
	if (!roll(d, 10))
		ack.options = NULL;
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
		assert_true(out->cwnd >= t.env.mss);
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

			env.increment_mss8 = mss8;
			sender_start(&s, wt_senders[i]->name, env);
			sender_event(&s, WT_CC_ESTABLISHED);
			for (uint32_t byte = 0; byte < MSS; byte++)
				sender_ack(&s, 1);
			assert_true(s.out.cwnd <= env.initial_window + MSS);
			sender_finish(&s);
		}
}

/* ---- recoveries --------------------------------------------------------------------------------------- */

struct board {
	struct wt_tx_record ring[RING], *page[RING / WT_TX_PAGE];
	struct wt_outstanding view;
	uint32_t dupacks;
	bool in, sack;
};

static void board_send(struct board *b, uint32_t n)
{
	for (; n && b->view.count < RING; n--, b->view.count++, b->view.snd_nxt += MSS)
		b->ring[(b->view.first + b->view.count) % RING] =
			(struct wt_tx_record){.seq = b->view.snd_nxt, .len = MSS};
}

/* SACKs record i, unless it is the hole at the front. Bytes newly SACKed. */
static uint32_t board_sack(struct board *b, uint32_t i)
{
	struct wt_tx_record *r = &b->ring[(b->view.first + i) % RING];

	if (!b->sack || i == 0 || r->flags & WT_TX_SACKED)
		return 0;
	r->flags |= WT_TX_SACKED;
	b->view.sacked += MSS;
	b->view.highest_sacked = wt_seq_max(b->view.highest_sacked, r->seq + r->len);
	return MSS;
}

static struct wt_ack board_ack(struct board *b, struct dice *d)
{
	struct wt_ack ack = {.flags = b->in ? WT_ACK_RECOVERY : 0};

	if (b->view.count && roll(d, 2)) {
		ack.flags |= WT_ACK_DUP;
		ack.dupacks = ++b->dupacks;
		ack.sacked = board_sack(b, roll(d, b->view.count));
	} else if (b->view.count) {
		uint32_t n = 1 + roll(d, roll(d, 4) ? 3 : b->view.count);

		n = n < b->view.count ? n : b->view.count;
		for (uint32_t i = 0; i < n; i++)
			if (wt_tx_record_at(&b->view, i)->flags & WT_TX_SACKED)
				b->view.sacked -= MSS;
		b->view.first += n;
		b->view.count -= n;
		b->view.snd_una += n * MSS;
		b->dupacks = 0;
		ack.acked = n * MSS;
	}
	ack.ack = b->view.snd_una;
	cc_settle(&b->view);
	return ack;
}

static void check_recovery(struct board *b, const struct wt_recovery_out *out, bool timeout)
{
	uint32_t flight = b->view.snd_nxt - b->view.snd_una;
	bool on_record = false;

	assert_false(b->in && out->enter);
	assert_true(b->in || out->enter || !out->leave);
	assert_true(!timeout || (!out->enter && !out->leave && !out->inflate));
	for (uint32_t i = 0; i < b->view.count; i++) {
		const struct wt_tx_record *r = wt_tx_record_at(&b->view, i);

		on_record |= out->lost_to == r->seq + r->len;
	}
	assert_true(!out->mark || on_record);
	assert_true(out->inflate <= flight + b->view.cwnd + 3 * MSS);
	b->in = timeout ? false : (b->in || out->enter) && !out->leave;
}

static uint64_t recovery_history(const struct wt_recovery_ops *ops, const void *params, uint64_t seed)
{
	struct guarded state = guarded_new(ops->state_size), memory = guarded_new(sizeof(struct wt_recovery_out));
	struct wt_recovery_out *out = inside(&memory);
	struct dice d = {wt_key_derive(seed, "recovery"), 0};
	struct wt_cc_env env = cc_env();
	struct board b = {.view = {.mss = MSS}};
	uint64_t digest = 0;

	cc_pages(&b.view, b.page, b.ring, RING);
	b.view.snd_una = b.view.snd_nxt = 0u - roll(&d, 200000);
	env.sack = b.sack = roll(&d, 2);
	b.view.highest_sacked = b.view.snd_una;
	ops->init(inside(&state), params, &env);
	for (unsigned i = 0; i < EVENTS; i++) {
		bool timeout = b.view.count && !roll(&d, 200);

		b.view.cwnd = (1 + roll(&d, 64)) * MSS;
		board_send(&b, roll(&d, 4));
		*out = (struct wt_recovery_out){.inflate = out->inflate};
		if (timeout) {
			b.dupacks = 0;
			ops->on_rto(inside(&state), &b.view, out);
		} else {
			struct wt_ack ack = board_ack(&b, &d);

			ops->on_ack(inside(&state), &ack, &b.view, out);
		}
		check_recovery(&b, out, timeout);
		digest = mix(digest, &out->lost_to, sizeof(out->lost_to));
		digest = mix(digest, &out->inflate, sizeof(out->inflate));
		if (ops->on_event && i == EVENTS / 2)
			ops->on_event(inside(&state), WT_CC_FALLBACK, &env);
	}
	check_fringe(&state);
	check_fringe(&memory);
	free(state.memory);
	free(memory.memory);
	return digest;
}

static void recoveries_mark_whole_records_enter_once_and_repeat_themselves(void **state)
{
	for (size_t i = 0; wt_recoveries[i]; i++) {
		const struct wt_recovery_ops *ops = wt_recoveries[i];

		for (uint64_t seed = 0; seed < 6; seed++) {
			const void *params = any_params(ops->presets, ops->params_default, seed);

			assert_int_equal(recovery_history(ops, params, seed), recovery_history(ops, params, seed));
			assert_int_not_equal(recovery_history(ops, params, seed),
					     recovery_history(ops, params, seed + 100));
		}
	}
}

/* ---- receivers ---------------------------------------------------------------------------------------- */

static uint64_t receiver_segment(const struct wt_receiver_ops *ops, void *state, struct dice *d, wt_time now,
				 wt_seq *rcv_nxt)
{
	struct wt_cc_options options;
	struct wt_cc_note note = {0};
	struct wt_rx_segment s = {.now = now, .len = roll(d, 1500), .flags = roll(d, 128), .tsval = roll(d, 1u << 31) * 2,
				  .has_ts = roll(d, 2), .options = &options};
	unsigned verdict;

	any_options(d, &options);
	s.seq = *rcv_nxt + (roll(d, 5) ? 0 : roll(d, 200000) - 100000);
	if (s.seq == *rcv_nxt)
		*rcv_nxt += s.len;
	s.rcv_nxt = *rcv_nxt;
	verdict = ops->on_segment(state, &s, &note);
	assert_true(verdict <= (WT_RX_ACK_NOW | WT_RX_ACK_HOLD));
	assert_true(!note.set || note.type < WT_TRACE_TYPES);
	return mix(verdict, &note.field, sizeof(note.field));
}

static uint64_t receiver_ack(const struct wt_receiver_ops *ops, void *state, struct dice *d, wt_time now, wt_seq rcv_nxt)
{
	struct guarded memory = guarded_new(sizeof(struct wt_rx_out));
	struct wt_rx_out *out = inside(&memory);
	struct wt_rx_ack ack = {.now = now, .rcv_nxt = rcv_nxt, .free_window = roll(d, 1u << 20),
				.option_room = roll(d, 41), .pure = roll(d, 2)};
	uint32_t window = roll(d, 1u << 20);
	uint64_t digest;

	ack.right_edge = rcv_nxt + roll(d, window + 1);
	out->window = window;
	ops->on_ack_out(state, &ack, out);
	assert_true(out->window <= window && out->window >= ack.right_edge - rcv_nxt);
	assert_true(out->option.len == 0 || (out->option.len >= 2 && ((out->option.len + 3) & ~3u) <= ack.option_room));
	assert_true(out->option.len == 0 || out->option.kind == 253 || out->option.kind == 254);
	digest = mix(out->window, &out->option, 2 + (out->option.len ? out->option.len - 2u : 0u));
	check_fringe(&memory);
	free(memory.memory);
	return digest;
}

static uint64_t receiver_history(const struct wt_receiver_ops *ops, const void *params, uint64_t seed)
{
	struct wt_cc_options options = {1, {{253, 6, "TR\x10\x03"}}};
	struct guarded state = guarded_new(ops->state_size);
	struct dice d = {wt_key_derive(seed, "receiver"), 0};
	struct wt_cc_env env = any_env(&d);
	struct wt_cc_option ours = {0};
	wt_seq rcv_nxt = 0u - roll(&d, 100000);
	uint64_t digest = 0;
	wt_time now = 0;

	if (ops->init)
		ops->init(inside(&state), params, &env);
	if (ops->on_syn_in)
		ops->on_syn_in(inside(&state), &options);
	if (ops->on_syn_out)
		ops->on_syn_out(inside(&state), 0, &ours);
	if (ops->on_event)
		ops->on_event(inside(&state), WT_CC_ESTABLISHED, &env);
	for (unsigned i = 0; i < EVENTS; i++) {
		uint64_t part = 0;

		now += roll(&d, 100) ? roll(&d, 3000000) : 3 * WT_S;
		if (ops->on_segment && roll(&d, 3))
			part = receiver_segment(ops, inside(&state), &d, now, &rcv_nxt);
		else if (ops->on_ack_out)
			part = receiver_ack(ops, inside(&state), &d, now, rcv_nxt);
		if (ops->deadline && ops->on_timer && ops->deadline(inside(&state)) <= now) {
			ops->on_timer(inside(&state), now);
			assert_true(ops->deadline(inside(&state)) > now);
		}
		digest = mix(digest, &part, sizeof(part));
	}
	check_fringe(&state);
	free(state.memory);
	return digest;
}

static void receivers_fit_the_option_space_keep_the_right_edge_and_repeat_themselves(void **state)
{
	for (size_t i = 0; wt_receivers[i]; i++) {
		const struct wt_receiver_ops *ops = wt_receivers[i];

		for (uint64_t seed = 0; seed < 6; seed++) {
			const void *params = any_params(ops->presets, ops->params_default, seed);

			assert_int_equal(receiver_history(ops, params, seed), receiver_history(ops, params, seed));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_is_complete_and_every_parameter_reads_back),
		cmocka_unit_test(every_default_recovery_exists_and_every_name_can_be_chosen),
		cmocka_unit_test(senders_keep_a_segment_of_window_stay_in_their_memory_and_repeat_themselves),
		cmocka_unit_test(an_ack_in_single_bytes_grows_no_sender_by_more_than_a_segment),
		cmocka_unit_test(recoveries_mark_whole_records_enter_once_and_repeat_themselves),
		cmocka_unit_test(receivers_fit_the_option_space_keep_the_right_edge_and_repeat_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
