/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows computed by hand from RFC 5681, RFC 6582 and RFC 3465. MSS is 1000. */
#include "tests/cc/cc_test.h"

static void slow_start_adds_one_segment_per_ack_of_a_segment(void **state)
{
	struct sender s;

	sender_start(&s, "reno", cc_env());
	assert_int_equal(s.out.cwnd, 2000);
	assert_int_equal(s.out.ssthresh, WT_SSTHRESH_INFINITE);
	for (int i = 1; i <= 6; i++) {
		sender_ack(&s, 1000);
		assert_int_equal(s.out.cwnd, 2000 + i * 1000);
	}
	sender_ack(&s, 2000); /* a delayed ACK of two segments still counts for one */
	assert_int_equal(s.out.cwnd, 9000);
	sender_ack(&s, 300);
	assert_int_equal(s.out.cwnd, 9300);
	sender_finish(&s);
}

static void slow_start_limit_two_counts_both_segments_of_a_delayed_ack_but_not_after_a_timeout(void **state)
{
	struct wt_ack ack = {.acked = 2000, .flags = WT_ACK_CWND_LIMITED | WT_ACK_AFTER_RTO};
	struct sender s;

	sender_start(&s, "reno:slow_start_limit=2", cc_env());
	sender_ack(&s, 2000);
	assert_int_equal(s.out.cwnd, 4000);
	s.choice.ops->on_ack(s.state, &ack, &s.out);
	assert_int_equal(s.out.cwnd, 5000);
	sender_finish(&s);
}

static void the_stack_says_how_much_an_ack_may_add_in_slow_start_unless_the_module_does(void **state)
{
	struct wt_cc_env env = cc_env();
	struct sender s;

	env.slow_start_limit = 2;
	sender_start(&s, "reno", env);
	sender_ack(&s, 2000);
	assert_int_equal(s.out.cwnd, 4000);
	sender_ack(&s, 4000);
	assert_int_equal(s.out.cwnd, 6000);
	sender_finish(&s);
	sender_start(&s, "reno:slow_start_limit=1", env);
	sender_ack(&s, 2000);
	assert_int_equal(s.out.cwnd, 3000);
	sender_finish(&s);
}

static void slow_start_ends_at_ssthresh_not_beyond(void **state)
{
	struct sender s;

	sender_start(&s, "reno:slow_start_limit=2", cc_env());
	s.out.cwnd = 3900;
	s.out.ssthresh = 4000;
	sender_ack(&s, 2000);
	assert_int_equal(s.out.cwnd, 4000);
	sender_finish(&s);
}

static void a_window_of_exactly_ssthresh_may_grow_either_way(void **state)
{
	struct sender s;

	sender_start(&s, "reno:at_ssthresh=slow_start", cc_env());
	s.out.cwnd = 4000;
	s.out.ssthresh = 4000;
	sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 5000);
	sender_ack(&s, 1000); /* above it congestion avoidance alone */
	assert_int_equal(s.out.cwnd, 5000);
	sender_finish(&s);
}

static void ssthresh_may_be_whole_segments(void **state)
{
	struct sender s;

	sender_start(&s, "reno:ssthresh_unit=segments,halve=window", cc_env());
	s.out.cwnd = 11900;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 11000, 0);
	assert_int_equal(s.out.ssthresh, 5000);
	assert_int_equal(s.out.cwnd, 5000);
	s.out.cwnd = 3900;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 3000, 0);
	assert_int_equal(s.out.ssthresh, 2000); /* never below two */
	sender_finish(&s);
}

/* The stack's setting `packets`: a step of a fraction counts towards the next whole segment, and a loss forgets it. */
static void windows_of_whole_packets_grow_by_whole_packets(void **state)
{
	struct wt_cc_env env = cc_env();
	struct sender s;

	env.packets = true;
	sender_start(&s, "scalable:a=0.3,low_window=0", env);
	s.out.cwnd = 20 * MSS;
	s.out.ssthresh = 10 * MSS;
	for (unsigned ack = 1; ack <= 3; ack++) {
		sender_ack(&s, MSS);
		assert_int_equal(s.out.cwnd, 20 * MSS);
	}
	sender_ack(&s, MSS);
	assert_int_equal(s.out.cwnd, 21 * MSS);
	sender_loss(&s, WT_LOSS_DUPTHRESH, 21 * MSS, 0);
	assert_int_equal(s.out.cwnd, 18 * MSS); /* 7/8 are 18.4 */
	s.out.ssthresh = 10 * MSS;
	for (unsigned ack = 1; ack <= 3; ack++)
		sender_ack(&s, MSS);
	assert_int_equal(s.out.cwnd, 18 * MSS);
	sender_finish(&s);
}

static void the_window_does_not_grow_in_recovery_nor_when_it_was_not_full(void **state)
{
	struct wt_ack ack = {.acked = 1000, .flags = WT_ACK_CWND_LIMITED | WT_ACK_RECOVERY};
	struct sender s;

	sender_start(&s, "reno", cc_env());
	s.choice.ops->on_ack(s.state, &ack, &s.out);
	ack.flags = 0;
	s.choice.ops->on_ack(s.state, &ack, &s.out);
	assert_int_equal(s.out.cwnd, 2000);
	sender_finish(&s);
}

static void congestion_avoidance_by_bytes_adds_one_segment_per_window(void **state)
{
	struct sender s;

	sender_start(&s, "reno", cc_env());
	s.out.cwnd = 4000;
	s.out.ssthresh = 4000;
	for (int i = 0; i < 3; i++)
		sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 4000);
	sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 5000);
	sender_ack(&s, 4000);
	assert_int_equal(s.out.cwnd, 5000);
	sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 6000);
	sender_finish(&s);
}

static void half_a_segment_of_the_window_need_not_be_acknowledged_to_grow_it(void **state)
{
	struct sender s;

	sender_start(&s, "reno", cc_env());
	s.out.cwnd = s.out.ssthresh = 3500; /* half of seven segments: three of them fly */
	sender_ack(&s, 1000);
	sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 3500);
	sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 4500);
	for (int i = 0; i < 4; i++)
		sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 5500);
	sender_finish(&s);
}

static void congestion_avoidance_by_acks_is_equation_3(void **state)
{
	struct sender s;

	sender_start(&s, "reno:growth=acks", cc_env());
	s.out.cwnd = 4000;
	s.out.ssthresh = 4000;
	sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 4250); /* 1000 * 1000 / 4000 */
	sender_ack(&s, 8000);               /* an ACK is an ACK */
	assert_int_equal(s.out.cwnd, 4485); /* 1000000 / 4250 = 235 */
	sender_finish(&s);
}

/* cwnd += MSS*MSS/cwnd in real numbers is the reference; rounded down it would be 6 % short here. */
static void what_equation_3_leaves_over_is_not_lost(void **state)
{
	double exact = 100.0 * MSS, difference;
	struct sender s;

	sender_start(&s, "reno:growth=acks", cc_env());
	s.out.cwnd = s.out.ssthresh = 100 * MSS;
	for (int i = 0; i < 20000; i++) {
		sender_ack(&s, 1000);
		exact += (double)MSS * MSS / exact;
	}
	difference = (double)s.out.cwnd - exact;
	assert_true(exact > 223 * MSS && difference < 10 && difference > -10);
	sender_finish(&s);
}

static void the_old_bsd_increment_adds_an_eighth_of_a_segment(void **state)
{
	struct wt_cc_env env = cc_env();
	struct sender s;

	env.increment_mss8 = true;
	sender_start(&s, "reno", env);
	s.out.cwnd = 4000;
	s.out.ssthresh = 4000;
	sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 4375);
	sender_finish(&s);
}

static void an_ack_cut_into_bytes_is_worth_no_more_than_one_ack(void **state)
{
	static const char *const modules[] = {"reno", "reno:growth=acks", "tahoe", "newreno"};

	for (size_t m = 0; m < 4; m++)
		for (int phase = 0; phase < 4; phase++) {
			struct wt_cc_env env = cc_env();
			struct sender whole, cut;

			env.increment_mss8 = phase & 2;
			sender_start(&whole, modules[m], env);
			sender_start(&cut, modules[m], env);
			whole.out.cwnd = cut.out.cwnd = 4000;
			whole.out.ssthresh = cut.out.ssthresh = phase & 1 ? 4000 : 64000;
			sender_ack(&whole, 1000);
			for (int i = 0; i < 1000; i++)
				sender_ack(&cut, 1);
			assert_true(cut.out.cwnd <= whole.out.cwnd);
			sender_finish(&whole);
			sender_finish(&cut);
		}
}

static void three_duplicate_acks_halve_the_window_in_reno_and_end_it_in_tahoe(void **state)
{
	struct sender s;

	sender_start(&s, "reno", cc_env());
	s.out.cwnd = 20000;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 18000, 0);
	assert_int_equal(s.out.ssthresh, 9000);
	assert_int_equal(s.out.cwnd, 9000);
	sender_finish(&s);

	sender_start(&s, "tahoe", cc_env());
	s.out.cwnd = 20000;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 18000, 0);
	assert_int_equal(s.out.ssthresh, 9000);
	assert_int_equal(s.out.cwnd, 1000);
	sender_finish(&s);
}

static void the_threshold_is_at_least_two_segments_and_leaves_limited_transmit_out(void **state)
{
	struct sender s;

	sender_start(&s, "reno", cc_env());
	s.out.cwnd = 3000;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 3000, 0);
	assert_int_equal(s.out.ssthresh, 2000);
	s.out.cwnd = 10000;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 12000, 0); /* ten segments and two by limited transmit */
	assert_int_equal(s.out.ssthresh, 5000);
	sender_finish(&s);
}

static void a_timeout_sends_one_segment_and_a_repeated_one_keeps_the_threshold(void **state)
{
	struct sender s;

	sender_start(&s, "reno", cc_env());
	s.out.cwnd = 16000;
	sender_loss(&s, WT_LOSS_RTO, 16000, 1);
	assert_int_equal(s.out.cwnd, 1000);
	assert_int_equal(s.out.ssthresh, 8000);
	sender_loss(&s, WT_LOSS_RTO, 16000, 2);
	assert_int_equal(s.out.ssthresh, 8000);
	sender_finish(&s);

	sender_start(&s, "reno:halve=window", cc_env()); /* 4.3BSD: min(cwnd, peer's window), every time */
	s.out.cwnd = 100000;
	sender_loss(&s, WT_LOSS_RTO, 16000, 1);
	assert_int_equal(s.out.ssthresh, 32000);
	sender_loss(&s, WT_LOSS_RTO, 16000, 2);
	assert_int_equal(s.out.ssthresh, 2000);
	sender_finish(&s);
}

static void a_timeout_in_recovery_does_not_raise_the_threshold(void **state)
{
	struct sender s;

	sender_start(&s, "newreno", cc_env());
	s.out.cwnd = 20000;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 20000, 0);
	sender_loss(&s, WT_LOSS_RTO, 50000, 1); /* ten lost, forty waiting at the receiver */
	assert_int_equal(s.out.ssthresh, 10000);
	assert_int_equal(s.out.cwnd, 1000);
	sender_finish(&s);
}

static void idle_restarts_from_the_initial_window_and_undo_restores(void **state)
{
	struct sender s;

	sender_start(&s, "reno", cc_env());
	s.out.cwnd = 16000;
	s.out.ssthresh = 20000;
	sender_loss(&s, WT_LOSS_RTO, 16000, 1);
	sender_event(&s, WT_CC_UNDO);
	assert_int_equal(s.out.cwnd, 16000);
	assert_int_equal(s.out.ssthresh, 20000);
	sender_event(&s, WT_CC_IDLE);
	assert_int_equal(s.out.cwnd, 2000);
	assert_int_equal(s.out.ssthresh, 20000);
	sender_finish(&s);
}

/* The engine says that a timeout belongs to the loss before it: whatever a module restores, it restores it from before the first. */
static void an_undo_restores_what_was_before_the_first_loss_of_an_event(void **state)
{
	static const char *const names[] = {"reno", "newreno", "tahoe", "cubic", "bic", "htcp", "compound", "ledbat", "highspeed", "scalable",
					    "illinois", "veno", "vegas", "yeah", "hybla", "westwood", "fast", "dctcp", "prague", "bbr"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct wt_loss first = {.now = WT_S, .srtt = 100 * WT_MS, .why = WT_LOSS_DUPTHRESH, .inflight = 40000, .peer_window = 64000};
		struct wt_loss then = {.now = 2 * WT_S, .srtt = first.srtt, .why = WT_LOSS_RTO, .inflight = 10000, .peer_window = 64000,
				       .rto_count = 1, .same = true};
		struct sender s;

		sender_start(&s, names[i], cc_env());
		sender_event(&s, WT_CC_ESTABLISHED);
		s.out.cwnd = 40000;
		s.out.ssthresh = 50000;
		s.choice.ops->on_loss(s.state, &first, &s.out);
		s.choice.ops->on_loss(s.state, &then, &s.out);
		sender_event(&s, WT_CC_UNDO);
		if (s.out.cwnd != 40000 || s.out.ssthresh < 50000)
			fail_msg("%s: cwnd %u, ssthresh %u", names[i], s.out.cwnd, s.out.ssthresh);
		sender_finish(&s);
	}
}

static void the_ack_that_ends_recovery_counts_what_it_is_the_first_to_report(void **state)
{
	struct wt_ack partial = {.acked = 9000, .newly_delivered = 9000, .flags = WT_ACK_CWND_LIMITED | WT_ACK_RECOVERY};
	struct wt_ack full = {.acked = 9000, .newly_delivered = 1000, .flags = partial.flags | WT_ACK_LEAVES};
	struct sender s;

	sender_start(&s, "reno", cc_env());
	s.out.cwnd = s.out.ssthresh = 4000;
	s.choice.ops->on_ack(s.state, &partial, &s.out);
	s.choice.ops->on_ack(s.state, &full, &s.out);
	assert_int_equal(s.out.cwnd, 4000);
	sender_ack(&s, 2000);
	assert_int_equal(s.out.cwnd, 4000);
	sender_ack(&s, 1000);
	assert_int_equal(s.out.cwnd, 5000);
	sender_finish(&s);
}

static void newreno_leaves_recovery_with_little_more_than_its_flight(void **state)
{
	struct wt_ack full = {.acked = 20000, .inflight = 3000, .flags = WT_ACK_CWND_LIMITED | WT_ACK_RECOVERY};
	struct sender s;

	sender_start(&s, "newreno", cc_env());
	s.out.cwnd = 20000;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 20000, 0);
	assert_int_equal(s.out.cwnd, 10000);
	s.choice.ops->on_ack(s.state, &full, &s.out);
	sender_event(&s, WT_CC_RECOVERED);
	assert_int_equal(s.out.cwnd, 4000); /* min(ssthresh, max(FlightSize, SMSS) + SMSS) */
	assert_int_equal(s.out.ssthresh, 10000);
	sender_finish(&s);

	sender_start(&s, "newreno", (struct wt_cc_env){.mss = MSS, .initial_window = 2 * MSS, .sack = true});
	s.choice.ops->on_event(s.state, WT_CC_ESTABLISHED, &(struct wt_cc_env){.mss = MSS, .initial_window = 2 * MSS, .sack = true}, &s.out);
	s.out.cwnd = 20000;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 20000, 0);
	s.choice.ops->on_ack(s.state, &full, &s.out);
	sender_event(&s, WT_CC_RECOVERED);
	assert_int_equal(s.out.cwnd, 10000); /* with SACK the flight is known, and there is no burst to avoid */
	sender_finish(&s);

	sender_start(&s, "newreno:exit=ssthresh", cc_env());
	s.out.cwnd = 20000;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 20000, 0);
	s.choice.ops->on_ack(s.state, &full, &s.out);
	sender_event(&s, WT_CC_RECOVERED);
	assert_int_equal(s.out.cwnd, 10000);
	sender_finish(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_start_adds_one_segment_per_ack_of_a_segment),
		cmocka_unit_test(slow_start_limit_two_counts_both_segments_of_a_delayed_ack_but_not_after_a_timeout),
		cmocka_unit_test(the_stack_says_how_much_an_ack_may_add_in_slow_start_unless_the_module_does),
		cmocka_unit_test(slow_start_ends_at_ssthresh_not_beyond),
		cmocka_unit_test(a_window_of_exactly_ssthresh_may_grow_either_way),
		cmocka_unit_test(ssthresh_may_be_whole_segments),
		cmocka_unit_test(windows_of_whole_packets_grow_by_whole_packets),
		cmocka_unit_test(what_equation_3_leaves_over_is_not_lost),
		cmocka_unit_test(the_window_does_not_grow_in_recovery_nor_when_it_was_not_full),
		cmocka_unit_test(congestion_avoidance_by_bytes_adds_one_segment_per_window),
		cmocka_unit_test(half_a_segment_of_the_window_need_not_be_acknowledged_to_grow_it),
		cmocka_unit_test(congestion_avoidance_by_acks_is_equation_3),
		cmocka_unit_test(the_old_bsd_increment_adds_an_eighth_of_a_segment),
		cmocka_unit_test(an_ack_cut_into_bytes_is_worth_no_more_than_one_ack),
		cmocka_unit_test(three_duplicate_acks_halve_the_window_in_reno_and_end_it_in_tahoe),
		cmocka_unit_test(the_threshold_is_at_least_two_segments_and_leaves_limited_transmit_out),
		cmocka_unit_test(a_timeout_sends_one_segment_and_a_repeated_one_keeps_the_threshold),
		cmocka_unit_test(a_timeout_in_recovery_does_not_raise_the_threshold),
		cmocka_unit_test(idle_restarts_from_the_initial_window_and_undo_restores),
		cmocka_unit_test(an_undo_restores_what_was_before_the_first_loss_of_an_event),
		cmocka_unit_test(the_ack_that_ends_recovery_counts_what_it_is_the_first_to_report),
		cmocka_unit_test(newreno_leaves_recovery_with_little_more_than_its_flight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
