/* SPDX-License-Identifier: BSD-2-Clause */
/* What every receiver module has to keep, whatever it is for. */
#include <inttypes.h>

#include "tools/modules/trial.h"

static uint64_t receiver_segment(const struct wt_receiver_ops *ops, void *state, struct dice *d, wt_time now,
				 wt_seq *rcv_nxt, struct wt_cc_report *report)
{
	struct wt_cc_options options;
	struct wt_cc_note note = {0};
	struct wt_rx_segment s = {.now = now, .len = roll(d, 1500), .flags = roll(d, 128), .tsval = roll(d, 1u << 31) * 2,
				  .has_ts = roll(d, 2), .tsecr = roll(d, 1u << 31), .echo_age = (wt_time)roll(d, 1u << 30) - 1, .options = &options};
	unsigned verdict;

	any_options(d, &options);
	s.seq = *rcv_nxt + (roll(d, 5) ? 0 : roll(d, 200000) - 100000);
	if (s.seq == *rcv_nxt)
		*rcv_nxt += s.len;
	s.rcv_nxt = *rcv_nxt;
	verdict = ops->on_segment(state, &s, &note);
	wt_cc_keep(report, WT_CC_RULE_OUTPUTS, verdict <= (WT_RX_ACK_NOW | WT_RX_ACK_HOLD), "on_segment() answers %u", verdict);
	wt_cc_keep(report, WT_CC_RULE_OUTPUTS, !note.set || note.type < WT_TRACE_TYPES, "a note of type %" PRIu32, note.type);
	return mix(verdict, &note.field, sizeof(note.field));
}

static uint64_t receiver_ack(const struct wt_receiver_ops *ops, void *state, struct dice *d, wt_time now, wt_seq rcv_nxt,
			     struct wt_cc_report *report)
{
	struct guarded memory = guarded_new(sizeof(struct wt_rx_out));
	struct wt_rx_out *out = inside(&memory);
	struct wt_rx_ack ack = {.now = now, .rcv_nxt = rcv_nxt, .free_window = roll(d, 1u << 20),
				.option_room = roll(d, 41), .pure = roll(d, 2)};
	uint32_t window = roll(d, 1u << 20);
	uint64_t digest;
	bool fits;

	ack.right_edge = rcv_nxt + roll(d, window + 1);
	out->window = window;
	ops->on_ack_out(state, &ack, out);
	wt_cc_keep(report, WT_CC_RULE_EDGE, out->window <= window && (ops->shrinks || out->window >= ack.right_edge - rcv_nxt),
		   "window %" PRIu32 ", where %" PRIu32 " were offered and %" PRIu32 " had been promised", out->window, window, ack.right_edge - rcv_nxt);
	fits = out->option.len == 0 || (out->option.len >= 2 && ((out->option.len + 3) & ~3u) <= ack.option_room &&
					(out->option.kind == 253 || out->option.kind == 254));
	if (!wt_cc_keep(report, WT_CC_RULE_OPTION, fits, "an option of kind %u, %u bytes, in a room of %u", out->option.kind, out->option.len, ack.option_room))
		out->option.len = 0;
	digest = mix(out->window, &out->option, 2 + (out->option.len ? out->option.len - 2u : 0u));
	guarded_end(&memory, "output", report);
	return digest;
}

static uint64_t receiver_history(const struct wt_receiver_ops *ops, const void *params, uint64_t seed, struct wt_cc_report *report)
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
			part = receiver_segment(ops, inside(&state), &d, now, &rcv_nxt, report);
		else if (ops->on_ack_out)
			part = receiver_ack(ops, inside(&state), &d, now, rcv_nxt, report);
		if (ops->deadline && ops->on_timer && ops->deadline(inside(&state)) <= now) {
			ops->on_timer(inside(&state), now);
			wt_cc_keep(report, WT_CC_RULE_TIMER, ops->deadline(inside(&state)) > now, "after on_timer() at %" PRId64 " ns the deadline is not later", now);
		}
		digest = mix(digest, &part, sizeof(part));
	}
	guarded_end(&state, "state", report);
	return digest;
}

void wt_cc_check_receiver(const struct wt_receiver_ops *ops, unsigned trials, struct wt_cc_report *report)
{
	for (uint64_t seed = 0; seed < trials; seed++) {
		const void *params = any_params(ops->presets, ops->params_default, seed);
		uint64_t digest = receiver_history(ops, params, seed, report);

		wt_cc_keep(report, WT_CC_RULE_REPEATS, digest == receiver_history(ops, params, seed, report), "history %u ended twice in two ways", (unsigned)seed);
	}
}
