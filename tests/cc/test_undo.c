/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A loss that is undone leaves no trace: two senders of one module get the same ACKs, one of them a loss and its undo between two of
 * these, and from there on both windows are the same, ACK by ACK.
 */
#include "tests/cc/feed.h"

enum { BEFORE = 11, AFTER = 12 }; /* round trips */

/* A round trip at a time of its own: a queue that grows and is empty again. */
static wt_time round_trip(unsigned round)
{
	return (40 + 14 * (round % 5)) * WT_MS;
}

static void both(struct feed twin[2], unsigned round)
{
	uint32_t segs = twin[0].s.out.cwnd / MSS;

	for (uint32_t i = 0; i < segs && i < 400; i++)
		for (unsigned j = 0; j < 2; j++)
			feed_ack(&twin[j], round_trip(round) / segs, round_trip(round));
}

/* rto: which timeout in a row it is; 0: none. */
static void lose(struct feed *f, unsigned rto, bool same)
{
	struct wt_loss loss = {.now = f->now, .why = rto ? WT_LOSS_RTO : WT_LOSS_DUPTHRESH, .inflight = f->s.out.cwnd, .peer_window = 1u << 30,
			       .rto_count = rto, .srtt = 40 * WT_MS, .same = same};

	f->s.choice.ops->on_loss(f->s.state, &loss, &f->s.out);
}

static void compare(const char *name, unsigned before, bool slow_start, bool recovery, unsigned timeouts)
{
	struct feed twin[2];

	for (unsigned j = 0; j < 2; j++) {
		feed_start(&twin[j], name);
		if (!slow_start) {
			feed_window(&twin[j], 60);
			feed_loss(&twin[j], WT_LOSS_DUPTHRESH);
			sender_event(&twin[j].s, WT_CC_RECOVERED);
		}
	}
	for (unsigned round = 0; round < before; round++)
		both(twin, round);
	if (recovery)
		lose(&twin[0], 0, false);
	for (unsigned i = 1; i <= timeouts; i++)
		lose(&twin[0], i, recovery || i > 1);
	sender_event(&twin[0].s, WT_CC_UNDO);
	for (unsigned round = before; round < before + AFTER; round++) {
		both(twin, round);
		if (twin[0].s.out.cwnd != twin[1].s.out.cwnd)
			fail_msg("%s, %s, %s, %u timeouts, undone after %u round trips: in round trip %u the window is %u, not %u", name,
				 slow_start ? "slow start" : "after a loss", recovery ? "recovery" : "no recovery", timeouts, before, round,
				 twin[0].s.out.cwnd, twin[1].s.out.cwnd);
	}
	for (unsigned j = 0; j < 2; j++)
		sender_finish(&twin[j].s);
}

static void an_undone_loss_leaves_no_trace(void **state)
{
	for (size_t i = 0; wt_senders[i]; i++)
		for (unsigned how = 2; how < 12 && wt_senders[i]->on_loss && wt_senders[i]->on_ack; how++)
			for (unsigned before = 1; before < BEFORE; before++)
				compare(wt_senders[i]->name, before, how & 1, how & 2, how / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_undone_loss_leaves_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
