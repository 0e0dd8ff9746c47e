/* SPDX-License-Identifier: BSD-2-Clause */
/* Recovery modules against sequences worked out by hand. Segments of 1000 bytes, the first byte is 0. */
#include "tests/cc/recovery_bench.h"

static void clear(struct bench *b)
{
	uint32_t inflate = b->out.inflate;

	b->out = (struct wt_recovery_out){.inflate = inflate};
}

static void dup(struct bench *b)
{
	struct wt_ack ack = {.flags = WT_ACK_DUP, .ack = b->view.snd_una, .dupacks = ++b->dupacks};

	clear(b);
	b->choice.ops->on_ack(b->state, &ack, &b->view, &b->out);
}

/* Everything below segment `n` is acknowledged. */
static void ack_to(struct bench *b, uint32_t n)
{
	struct wt_ack ack = {.ack = n * MSS, .acked = n * MSS - b->view.snd_una};

	b->dupacks = 0;
	b->view.count -= ack.acked / MSS;
	b->view.first = n;
	b->view.snd_una = n * MSS;
	clear(b);
	b->choice.ops->on_ack(b->state, &ack, &b->view, &b->out);
}

static void sent(struct bench *b, uint32_t segments)
{
	b->view.snd_nxt += segments * MSS;
	b->view.count += segments;
}

static void timeout(struct bench *b)
{
	b->dupacks = 0;
	clear(b);
	b->choice.ops->on_rto(b->state, &b->view, &b->out);
}

static void expect(const struct bench *b, bool enter, bool leave, uint32_t lost_to_segment, uint32_t inflate)
{
	assert_int_equal(b->out.enter, enter);
	assert_int_equal(b->out.leave, leave);
	assert_int_equal(b->out.mark, lost_to_segment != 0);
	if (lost_to_segment)
		assert_int_equal(b->out.lost_to, lost_to_segment * MSS);
	assert_int_equal(b->out.inflate, inflate * MSS);
}

static void reno_resends_one_segment_inflates_and_leaves_at_the_first_new_ack(void **state)
{
	struct bench b;

	start(&b, "reno", 10);
	dup(&b);
	expect(&b, false, false, 0, 0);
	dup(&b);
	expect(&b, false, false, 0, 0);
	dup(&b);
	expect(&b, true, false, 1, 3);
	dup(&b);
	expect(&b, false, false, 0, 4);
	dup(&b);
	expect(&b, false, false, 0, 5);
	ack_to(&b, 4); /* partial: Reno does not care */
	expect(&b, false, true, 0, 0);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, false, 5, 3); /* and enters again within the same window */
	finish(&b);
}

static void reno_once_does_not_enter_twice_in_one_window(void **state)
{
	struct bench b;

	start(&b, "reno:once=on", 10);
	for (int i = 0; i < 3; i++)
		dup(&b);
	ack_to(&b, 4);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, false, false, 0, 0);
	finish(&b);
}

static void newreno_resends_a_hole_per_partial_ack_and_deflates(void **state)
{
	struct bench b;

	start(&b, "newreno", 10);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, false, 1, 3);
	for (int i = 0; i < 4; i++)
		dup(&b);
	expect(&b, false, false, 0, 7);
	sent(&b, 2);
	ack_to(&b, 3); /* three segments out, one put back */
	expect(&b, false, false, 4, 5);
	assert_false(b.out.hold_timer);
	ack_to(&b, 6);
	expect(&b, false, false, 7, 3);
	assert_true(b.out.hold_timer); /* impatient: only the first partial ACK restarts the timer */
	ack_to(&b, 10);                /* all that was sent when recovery began */
	expect(&b, false, true, 0, 0);
	finish(&b);
}

static void newreno_waits_beyond_recover_before_it_enters_again(void **state)
{
	struct bench b;

	start(&b, "newreno", 10);
	for (int i = 0; i < 3; i++)
		dup(&b);
	sent(&b, 10);
	ack_to(&b, 10);
	expect(&b, false, true, 0, 0);
	for (int i = 0; i < 3; i++)
		dup(&b);
	assert_false(b.out.enter); /* exactly `recover` is not more than recover */
	ack_to(&b, 11);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, false, 12, 3);
	finish(&b);
}

static void newreno_takes_duplicates_after_a_timeout_for_echoes(void **state)
{
	struct bench b;

	start(&b, "newreno", 10);
	timeout(&b);
	ack_to(&b, 2);
	for (int i = 0; i < 3; i++)
		dup(&b);
	assert_false(b.out.enter);
	finish(&b);
}

static void the_ack_heuristic_enters_below_recover_after_a_small_step_only(void **state)
{
	struct bench b;

	start(&b, "newreno:heuristic=on", 20);
	timeout(&b);
	ack_to(&b, 2);
	for (int i = 0; i < 3; i++)
		dup(&b);
	assert_true(b.out.enter);
	finish(&b);

	start(&b, "newreno:heuristic=on", 20);
	timeout(&b);
	ack_to(&b, 5); /* a jump of five segments */
	for (int i = 0; i < 3; i++)
		dup(&b);
	assert_false(b.out.enter);
	finish(&b);
}

static void limited_transmit_lends_two_segments_and_takes_them_back(void **state)
{
	struct bench b;

	start(&b, "newreno", 10);
	dup(&b);
	expect(&b, false, false, 0, 1);
	dup(&b);
	expect(&b, false, false, 0, 2);
	ack_to(&b, 1);
	expect(&b, false, false, 0, 0);
	finish(&b);
	start(&b, "newreno:limited_transmit=off", 10);
	dup(&b);
	expect(&b, false, false, 0, 0);
	finish(&b);
}

static void sacked_data_does_not_inflate_twice(void **state)
{
	struct bench b;

	start(&b, "newreno:limited_transmit=off", 10);
	for (int i = 0; i < 3; i++) {
		b.view.sacked += MSS; /* the engine has taken it out of what is in flight */
		dup(&b);
	}
	expect(&b, true, false, 1, 0);
	dup(&b); /* a duplicate without SACK news */
	expect(&b, false, false, 0, 1);
	finish(&b);
}

static void a_thousand_bogus_duplicates_inflate_by_one_flight_at_most(void **state)
{
	static const char *const modules[] = {"reno", "newreno", "real:profile=paper", "real:fr_mode=window"};

	for (size_t m = 0; m < 4; m++) {
		struct bench b;

		start(&b, modules[m], 10);
		for (int i = 0; i < 1000; i++)
			dup(&b);
		assert_int_equal(b.out.inflate, 10 * MSS);
		finish(&b);
	}
}

static void tahoe_goes_back_to_the_hole_once_per_window(void **state)
{
	struct bench b;

	start(&b, "tahoe", 10);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, true, 10, 0);
	ack_to(&b, 4);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, false, false, 0, 0);
	sent(&b, 5);
	ack_to(&b, 10); /* all that was sent at the loss: what follows may be echoes of needless copies */
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, false, false, 0, 0);
	ack_to(&b, 11);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, true, 15, 0);
	finish(&b);
}

static void tahoe_of_bsd_resends_one_segment_and_may_be_without_guard(void **state)
{
	struct bench b;

	start(&b, "tahoe:resend=first,once=off", 10);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, true, 1, 0);
	ack_to(&b, 4);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, true, 5, 0);
	finish(&b);
}

static void real_single_is_reno_and_window_resends_everything(void **state)
{
	struct bench b;

	start(&b, "real:profile=paper", 10);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, false, 1, 3);
	ack_to(&b, 4);
	expect(&b, false, true, 0, 0);
	finish(&b);

	start(&b, "real:profile=paper,fr_mode=window", 10);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, false, 10, 3);
	assert_true(b.out.again);
	ack_to(&b, 4);
	expect(&b, false, true, 0, 0);
	finish(&b);
}

static void real_becomes_newreno_when_the_sender_falls_back(void **state)
{
	struct wt_cc_env env = cc_env();
	struct bench b;

	start(&b, "real:profile=paper", 10);
	b.choice.ops->on_event(b.state, WT_CC_FALLBACK, &env);
	for (int i = 0; i < 3; i++)
		dup(&b);
	expect(&b, true, false, 1, 3);
	ack_to(&b, 4);
	expect(&b, false, false, 5, 0);
	ack_to(&b, 10);
	expect(&b, false, true, 0, 0);
	finish(&b);
}

static void a_timeout_ends_recovery_and_inflation(void **state)
{
	struct bench b;

	start(&b, "newreno", 10);
	for (int i = 0; i < 5; i++)
		dup(&b);
	timeout(&b);
	expect(&b, false, false, 0, 0);
	ack_to(&b, 4);
	expect(&b, false, false, 0, 0);
	finish(&b);
}

/* Everything is acknowledged, and as much again is outstanding half a gibibyte on. */
static void travel(struct bench *b)
{
	const uint32_t way = 1u << 29;
	struct wt_ack ack = {.acked = way};

	for (uint32_t i = 0; i < RING; i++)
		b->ring[i].seq += way;
	b->view.snd_nxt += way;
	ack.ack = b->view.snd_una += way;
	b->dupacks = 0;
	clear(b);
	b->choice.ops->on_ack(b->state, &ack, &b->view, &b->out);
}

static void a_loss_three_gibibytes_after_another_is_not_taken_for_the_same(void **state)
{
	static const char *const modules[] = {"reno:once=on", "newreno", "tahoe", "sack", "real"};

	for (unsigned i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		struct bench b;

		start(&b, modules[i], 10);
		for (unsigned gibibytes = 0; gibibytes < 8; gibibytes++) {
			for (int dups = 0; dups < 3; dups++)
				dup(&b);
			assert_true(b.out.enter);
			for (unsigned halves = 0; halves <= gibibytes; halves++)
				travel(&b);
		}
		finish(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reno_resends_one_segment_inflates_and_leaves_at_the_first_new_ack),
		cmocka_unit_test(reno_once_does_not_enter_twice_in_one_window),
		cmocka_unit_test(newreno_resends_a_hole_per_partial_ack_and_deflates),
		cmocka_unit_test(newreno_waits_beyond_recover_before_it_enters_again),
		cmocka_unit_test(newreno_takes_duplicates_after_a_timeout_for_echoes),
		cmocka_unit_test(the_ack_heuristic_enters_below_recover_after_a_small_step_only),
		cmocka_unit_test(limited_transmit_lends_two_segments_and_takes_them_back),
		cmocka_unit_test(sacked_data_does_not_inflate_twice),
		cmocka_unit_test(a_thousand_bogus_duplicates_inflate_by_one_flight_at_most),
		cmocka_unit_test(tahoe_goes_back_to_the_hole_once_per_window),
		cmocka_unit_test(tahoe_of_bsd_resends_one_segment_and_may_be_without_guard),
		cmocka_unit_test(real_single_is_reno_and_window_resends_everything),
		cmocka_unit_test(real_becomes_newreno_when_the_sender_falls_back),
		cmocka_unit_test(a_timeout_ends_recovery_and_inflation),
		cmocka_unit_test(a_loss_three_gibibytes_after_another_is_not_taken_for_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
