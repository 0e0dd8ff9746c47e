/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of tens of thousands of segments: what is in the window is kept, however many holes it has. */
#include "tests/sim/scenarios.h"

/*
 * 10 Gbit/s, 30 ms, a queue of half the product: slow start overshoots, and thousands of holes come at once. The queue's drops are all that is
 * sent again, nothing arrives twice, no host forgets anything for want of intervals or memory, and no timer has to help. (With at most 2048
 * intervals there were three times as many retransmissions, a timeout, and 3.1 Gbit/s.)
 * One segment per ACK in slow start: with two, modern's, half of the overshoot still overflows the queue, and a second reduction, not
 * anything that is forgotten, leaves 5.05 Gbit/s (27,913 drops).
 */
static void a_slow_start_overshoot_at_10_gigabits_loses_only_what_the_queue_dropped(void **state)
{
	struct setup setup = {.sender = "newreno", .recovery = "sack", .settings = "snd_buffer=128MB,rcv_buffer=128MB,slow_start_limit=1",
			      .fwd = "rate 10Gbit burst 0B limit 20MB delay 15ms", .rev = "rate 10Gbit burst 0B limit 20MB delay 15ms",
			      .size = 1000000000};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;
	double goodput;

	prepare(&scenario, &setup);
	result = run(&scenario, &flow);
	assert_whole(&result, &flow, setup.size);
	goodput = (double)setup.size * 8e9 / (double)result.simulated;
	print_message("%.0f Mbit/s, %u dropped by the queue, %u sent again, %.1f s wall\n", goodput / 1e6,
		      (unsigned)result.dropped[WT_DROP_QUEUE], (unsigned)flow.info.retransmits_segs, result.wall_s);
	assert_true(result.dropped[WT_DROP_QUEUE] > 10000);
	assert_int_equal(flow.info.retransmits_segs, result.dropped[WT_DROP_QUEUE]);
	assert_int_equal(flow.result.dup_segs, 0);
	assert_int_equal(result.dropped[WT_DROP_MEMORY], 0);
	assert_int_equal(flow.info.timeouts, 0);
	assert_true(goodput >= 5.5e9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_start_overshoot_at_10_gigabits_loses_only_what_the_queue_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
