/* SPDX-License-Identifier: BSD-2-Clause */
/* RACK's reordering window against RFC 8985 6.2 step 4, worked out by hand. Segments of 1000 bytes, a round trip of 100 ms. */
#include "tests/cc/recovery_bench.h"

#define ROUND (100 * WT_MS)

static void start_rack(struct bench *b)
{
	struct wt_cc_env env = cc_env();

	start(b, "rack", 10);
	env.sack = true;
	b->choice.ops->on_event(b->state, WT_CC_ESTABLISHED, &env);
	b->view.srtt = b->view.min_rtt = ROUND;
	b->view.rto = 10 * ROUND;
}

/* An ACK at `now` of octet `una` that repeats `dsacked` octets and, a round trip after it left, SACKs a segment above a hole; SND.NXT is `next`. */
static wt_time window_after(struct bench *b, wt_time now, wt_seq una, wt_seq next, uint32_t dsacked)
{
	struct wt_ack ack = {.now = now, .flags = WT_ACK_DUP, .ack = una, .snd_nxt = next, .dsacked = dsacked, .sacked = MSS,
			     .newest = {.len = MSS, .end = una + 2 * MSS, .sent = now - ROUND}};

	b->view.snd_una = una;
	b->view.snd_nxt = next;
	b->view.sacked = MSS;
	b->view.highest_sacked = una + 2 * MSS;
	b->view.oldest_sent = now - ROUND - 1; /* the hole left just before it */
	b->view.oldest_end = una + MSS;
	b->out = (struct wt_recovery_out){0};
	b->choice.ops->on_ack(b->state, &ack, &b->view, &b->out);
	return b->choice.ops->deadline(b->state) - now;
}

static void a_d_sack_widens_the_window_by_a_quarter_once_in_a_round_trip(void **state)
{
	struct bench b;

	start_rack(&b);
	assert_int_equal(window_after(&b, 1 * WT_S, 0, 10 * MSS, 0), ROUND / 4);
	assert_int_equal(window_after(&b, 2 * WT_S, 0, 10 * MSS, MSS), 2 * ROUND / 4);
	assert_int_equal(window_after(&b, 2 * WT_S + WT_MS, 9 * MSS, 12 * MSS, MSS), 2 * ROUND / 4); /* the same round trip */
	assert_int_equal(window_after(&b, 3 * WT_S, 10 * MSS, 20 * MSS, MSS), 3 * ROUND / 4);
	finish(&b);
}

/* Sequence numbers come round: the end of a round trip is behind us for ever, not for 2 GiB. */
static void more_than_2_gib_later_a_d_sack_still_widens_it(void **state)
{
	wt_seq next = 10 * MSS, later = next + (1u << 31) + 1;
	struct bench b;

	start_rack(&b);
	assert_int_equal(window_after(&b, 1 * WT_S, 0, next, MSS), 2 * ROUND / 4);
	assert_int_equal(window_after(&b, 2 * WT_S, next, next + 10 * MSS, 0), 2 * ROUND / 4);
	assert_int_equal(window_after(&b, 3 * WT_S, later, later + 10 * MSS, MSS), 3 * ROUND / 4);
	finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_d_sack_widens_the_window_by_a_quarter_once_in_a_round_trip),
		cmocka_unit_test(more_than_2_gib_later_a_d_sack_still_widens_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
