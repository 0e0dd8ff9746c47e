/* SPDX-License-Identifier: BSD-2-Clause */
/* Recovery by SACK against RFC 6675, worked out by hand. Segments of 1000 bytes, the first byte is 0, DupThresh 3. */
#include "tests/cc/recovery_bench.h"

static void start_sack(struct bench *b, uint32_t segments, bool sack)
{
	struct wt_cc_env env = cc_env();

	start(b, "sack", segments);
	env.sack = sack; /* known with the handshake */
	b->choice.ops->on_event(b->state, WT_CC_ESTABLISHED, &env);
}

/* The ACK that SACKs segment n. */
static void sack(struct bench *b, uint32_t n)
{
	struct wt_ack ack = {.flags = WT_ACK_DUP, .ack = b->view.snd_una, .sacked = MSS, .dupacks = ++b->dupacks};

	b->ring[n].flags |= WT_TX_SACKED;
	b->view.sacked += MSS;
	b->view.highest_sacked = wt_seq_max(b->view.highest_sacked, (n + 1) * MSS);
	wt_board_settle(&b->view);
	b->out = (struct wt_recovery_out){.inflate = b->out.inflate};
	b->choice.ops->on_ack(b->state, &ack, &b->view, &b->out);
}

static void ack_to(struct bench *b, uint32_t n)
{
	struct wt_ack ack = {.ack = n * MSS, .acked = n * MSS - b->view.snd_una};

	for (uint32_t i = b->view.first; i < n; i++)
		if (b->ring[i].flags & WT_TX_SACKED)
			b->view.sacked -= MSS;
	b->dupacks = 0;
	b->view.count -= ack.acked / MSS;
	b->view.first = n;
	b->view.snd_una = n * MSS;
	wt_board_settle(&b->view);
	b->out = (struct wt_recovery_out){.inflate = b->out.inflate};
	b->choice.ops->on_ack(b->state, &ack, &b->view, &b->out);
}

static void three_segments_sacked_above_a_hole_mean_that_it_is_lost(void **state)
{
	struct bench b;

	start_sack(&b, 10, true);
	sack(&b, 1);
	sack(&b, 2);
	assert_false(b.out.enter || b.out.mark);
	sack(&b, 3);
	assert_true(b.out.enter && b.out.mark);
	assert_int_equal(b.out.lost_to, 1 * MSS);
	assert_int_equal(b.out.inflate, 0); /* the pipe counts, not the duplicates */
	finish(&b);
}

static void every_hole_below_the_boundary_is_lost_at_once(void **state)
{
	struct bench b;

	start_sack(&b, 12, true);
	sack(&b, 1);
	sack(&b, 4); /* holes 0, 2, 3 */
	sack(&b, 5);
	assert_true(b.out.enter);
	assert_int_equal(b.out.lost_to, 1 * MSS); /* only 0 has three segments above it */
	sack(&b, 6);
	assert_true(b.out.mark && !b.out.enter);
	assert_int_equal(b.out.lost_to, 4 * MSS); /* 2 and 3 as well */
	assert_false(b.out.again);                /* what was resent is not resent again */
	finish(&b);
}

static void recovery_lasts_until_all_that_was_sent_at_its_start_is_acknowledged(void **state)
{
	struct bench b;

	start_sack(&b, 10, true);
	for (uint32_t i = 1; i <= 3; i++)
		sack(&b, i);
	b.view.snd_nxt += 2 * MSS;
	b.view.count += 2;
	ack_to(&b, 4);
	assert_false(b.out.leave);
	ack_to(&b, 10);
	assert_true(b.out.leave);
	finish(&b);
}

static void after_a_timeout_nothing_is_entered_below_recovery_point(void **state)
{
	struct bench b;

	start_sack(&b, 10, true);
	b.out = (struct wt_recovery_out){0};
	b.choice.ops->on_rto(b.state, &b.view, &b.out);
	for (uint32_t i = 1; i <= 5; i++)
		sack(&b, i);
	assert_false(b.out.enter);
	b.view.snd_nxt += 10 * MSS;
	b.view.count += 10;
	ack_to(&b, 10);
	assert_false(b.out.leave);
	for (uint32_t i = 11; i <= 13; i++)
		sack(&b, i);
	assert_true(b.out.enter);
	assert_int_equal(b.out.lost_to, 11 * MSS);
	finish(&b);
}

static void leaving_and_entering_again_are_two_acks(void **state)
{
	struct bench b;

	start_sack(&b, 10, true);
	for (uint32_t i = 1; i <= 3; i++)
		sack(&b, i);
	b.view.snd_nxt += 10 * MSS;
	b.view.count += 10;
	for (uint32_t i = 12; i <= 15; i++) /* 10 and 11 are lost as well, but lie beyond the recovery point */
		sack(&b, i);
	ack_to(&b, 10);
	assert_true(b.out.leave && !b.out.enter); /* both at once would say that there is no recovery (Tahoe) */
	sack(&b, 16);
	assert_true(b.out.enter && !b.out.leave);
	assert_int_equal(b.out.lost_to, 14 * MSS);
	finish(&b);
}

static void without_sack_it_is_newreno(void **state)
{
	struct wt_ack dup = {.flags = WT_ACK_DUP};
	struct bench b;

	start_sack(&b, 10, false);
	for (dup.dupacks = 1; dup.dupacks <= 3; dup.dupacks++) {
		b.out = (struct wt_recovery_out){.inflate = b.out.inflate};
		b.choice.ops->on_ack(b.state, &dup, &b.view, &b.out);
	}
	assert_true(b.out.enter);
	assert_int_equal(b.out.inflate, 3 * MSS);
	ack_to(&b, 4);
	assert_true(b.out.mark && !b.out.leave);
	assert_int_equal(b.out.lost_to, 5 * MSS);
	finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_segments_sacked_above_a_hole_mean_that_it_is_lost),
		cmocka_unit_test(every_hole_below_the_boundary_is_lost_at_once),
		cmocka_unit_test(recovery_lasts_until_all_that_was_sent_at_its_start_is_acknowledged),
		cmocka_unit_test(after_a_timeout_nothing_is_entered_below_recovery_point),
		cmocka_unit_test(leaving_and_entering_again_are_two_acks),
		cmocka_unit_test(without_sack_it_is_newreno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
