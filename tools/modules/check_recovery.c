/* SPDX-License-Identifier: BSD-2-Clause */
/* What every recovery module has to keep, whatever it is for. */
#include <inttypes.h>

#include "tools/modules/board.h"
#include "tools/modules/trial.h"

#define MSS 1000u
#define RING 256u

struct board {
	struct wt_tx_record ring[RING], *page[RING / WT_TX_PAGE];
	struct wt_outstanding view;
	uint32_t dupacks;
	bool in, sack;
	wt_time now;
	struct wt_cc_report *report;
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
	ack.snd_nxt = b->view.snd_nxt;
	ack.now = b->now;
	ack.srtt = b->view.srtt;
	ack.min_rtt = b->view.min_rtt;
	ack.dsacked = roll(d, 30) ? 0 : MSS;
	if ((ack.acked || ack.sacked) && roll(d, 5))
		ack.newest = (struct wt_newest){.len = MSS, .end = b->view.snd_una + roll(d, 9) * MSS, .sent = b->now - roll(d, 1u << 27),
						.retransmitted = roll(d, 2)};
	if (!roll(d, 30))
		ack.flags |= WT_ACK_REORDERED;
	wt_board_settle(&b->view);
	return ack;
}

static bool keep_recovery(struct board *b, const struct wt_recovery_out *out, bool timeout)
{
	uint32_t flight = b->view.snd_nxt - b->view.snd_una;
	bool on_record = false, good;

	good = wt_cc_keep(b->report, WT_CC_RULE_PHASES, !b->in || !out->enter || out->leave, "`enter` while recovery is on, without `leave`") &&
	       wt_cc_keep(b->report, WT_CC_RULE_PHASES, b->in || out->enter || !out->leave, "`leave` where recovery is not on") &&
	       wt_cc_keep(b->report, WT_CC_RULE_PHASES, !timeout || (!out->enter && !out->leave && !out->inflate),
			  "on_rto() sets enter, leave or inflate");
	for (uint32_t i = 0; i < b->view.count; i++) {
		const struct wt_tx_record *r = wt_tx_record_at(&b->view, i);

		on_record |= out->lost_to == r->seq + r->len;
	}
	good &= wt_cc_keep(b->report, WT_CC_RULE_RECORDS, !out->mark || on_record, "lost_to lies %" PRId32 " bytes above snd_una, which is no end of a record",
			   wt_seq_diff(out->lost_to, b->view.snd_una));
	good &= wt_cc_keep(b->report, WT_CC_RULE_INFLATE, out->inflate <= flight + b->view.cwnd + 3 * MSS,
			   "inflate %" PRIu32 " at a flight of %" PRIu32 " and a window of %" PRIu32 " bytes", out->inflate, flight, b->view.cwnd);
	b->in = !timeout && (b->in ? out->enter || !out->leave : out->enter && !out->leave);
	return good;
}

/* What the engine keeps over calls (cc.h). */
static void fresh(struct wt_recovery_out *out)
{
	*out = (struct wt_recovery_out){.inflate = out->inflate, .limit = out->limit, .new_first = out->new_first};
}

static void any_times(struct board *b, struct dice *d)
{
	b->view.srtt = roll(d, 5) ? 1 + roll(d, 1u << 28) : 0;
	b->view.min_rtt = b->view.srtt ? 1 + roll(d, (uint32_t)b->view.srtt) : 0;
	b->view.rto = WT_S;
	b->view.ssthresh = (2 + roll(d, 60)) * MSS;
	b->view.inflight = b->view.snd_nxt - b->view.snd_una - b->view.sacked;
	b->view.new_data = roll(d, 3) * MSS;
	b->view.oldest_sent = b->view.count ? b->now - roll(d, 1u << 27) : 0;
	b->view.oldest_end = b->view.snd_una + MSS;
}

/* True if the module's timer was due and ran. */
static bool recovery_timer(const struct wt_recovery_ops *ops, void *state, struct board *b, struct wt_recovery_out *out)
{
	if (!ops->deadline || ops->deadline(state) > b->now)
		return false;
	wt_board_settle(&b->view);
	ops->on_timer(state, b->now, &b->view, out);
	wt_cc_keep(b->report, WT_CC_RULE_TIMER, ops->deadline(state) > b->now, "after on_timer() at %" PRId64 " ns the deadline is not later", b->now);
	keep_recovery(b, out, false);
	return true;
}

static void recovery_event(const struct wt_recovery_ops *ops, void *state, struct board *b, struct dice *d, bool timeout,
			   struct wt_recovery_out *out)
{
	struct wt_ack ack;

	if (timeout) {
		b->dupacks = 0;
		if (ops->on_rto)
			ops->on_rto(state, &b->view, out);
		return;
	}
	ack = board_ack(b, d);
	ops->on_ack(state, &ack, &b->view, out);
	if (ops->allow)
		ops->allow(state, &ack, &b->view, out);
}

static uint64_t recovery_history(const struct wt_recovery_ops *ops, const void *params, uint64_t seed, struct wt_cc_report *report)
{
	struct guarded state = guarded_new(ops->state_size), memory = guarded_new(sizeof(struct wt_recovery_out));
	struct wt_cc_env env = {.mss = MSS, .buffer = 1000 * MSS, .initial_window = 2 * MSS, .dupthresh = 3, .tick = WT_MS, .timestamps = true};
	struct wt_recovery_out *out = inside(&memory);
	struct dice d = {wt_key_derive(seed, "recovery"), 0};
	struct board b = {.view = {.mss = MSS}, .report = report};
	uint64_t digest = 0;

	wt_board_pages(&b.view, b.page, b.ring, RING);
	b.view.snd_una = b.view.snd_nxt = 0u - roll(&d, 200000);
	env.sack = b.sack = roll(&d, 2);
	b.view.highest_sacked = b.view.snd_una;
	ops->init(inside(&state), params, &env);
	for (unsigned i = 0; i < EVENTS; i++) {
		bool timeout = b.view.count && !roll(&d, 200);

		b.view.cwnd = (1 + roll(&d, 64)) * MSS;
		board_send(&b, roll(&d, 4));
		b.now += roll(&d, 10) ? roll(&d, 10000000) : roll(&d, 2000000000);
		any_times(&b, &d);
		fresh(out);
		if (recovery_timer(ops, inside(&state), &b, out))
			fresh(out);
		recovery_event(ops, inside(&state), &b, &d, timeout, out);
		if (!keep_recovery(&b, out, timeout))
			break;
		if (ops->on_sent && roll(&d, 2)) {
			struct wt_sent sent = {.now = b.now, .seq = b.view.snd_nxt, .len = MSS, .retransmission = roll(&d, 2)};

			ops->on_sent(inside(&state), &sent, &b.view, out);
		}
		digest = mix(digest, &out->lost_to, sizeof(out->lost_to));
		digest = mix(digest, &out->inflate, sizeof(out->inflate));
		digest = mix(digest, &out->limit, sizeof(out->limit));
		digest = mix(digest, &out->sent_time, sizeof(out->sent_time));
		if (ops->on_event && i == EVENTS / 2)
			ops->on_event(inside(&state), WT_CC_FALLBACK, &env);
	}
	guarded_end(&state, "state", report);
	guarded_end(&memory, "output", report);
	return digest;
}

void wt_cc_check_recovery(const struct wt_recovery_ops *ops, unsigned trials, struct wt_cc_report *report)
{
	for (uint64_t seed = 0; seed < trials; seed++) {
		const void *params = any_params(ops->presets, ops->params_default, seed);
		uint64_t digest = recovery_history(ops, params, seed, report);

		wt_cc_keep(report, WT_CC_RULE_REPEATS, digest == recovery_history(ops, params, seed, report), "history %u ended twice in two ways", (unsigned)seed);
		wt_cc_keep(report, WT_CC_RULE_RESPONDS, digest != recovery_history(ops, params, seed + 100, report),
			   "histories %u and %u end alike", (unsigned)seed, (unsigned)seed + 100);
	}
}
