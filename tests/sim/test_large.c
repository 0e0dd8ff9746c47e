/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/scenarios.h"

static wt_seq transfer(const char *sender, const char *receiver, uint64_t size, uint64_t seed)
{
	struct setup setup = {.sender = sender, .receiver = receiver,
			      .fwd = "rate 1Gbit burst 0B limit 4MB loss 0.01% duplicate 0.01% reorder 0.1% delay 300us delay 1ms",
			      .rev = "delay 1ms loss 0.01%", .size = size, .seed = seed};
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;

	result = run_whole(&setup, NULL, &flow);
	print_message("%s: %llu MiB in %.1f simulated s, %.1f s wall, %llu sent again, %llu timeouts\n", sender, (unsigned long long)(size >> 20),
		      (double)result.simulated / 1e9, result.wall_s, (unsigned long long)flow.info.retransmits_segs,
		      (unsigned long long)flow.info.timeouts);
	return flow.info.iss;
}

static void half_a_gibibyte_arrives_byte_for_byte_while_sequence_numbers_wrap(void **state)
{
	/* seed 25 gives an ISN 290 MiB before the wrap */
	assert_true(transfer("newreno", "standard", 500ull << 20, 25) > UINT32_MAX - (400u << 20));
}

/* Security 29: all numbers come round, and more; SACK, RACK, timestamps and undo (reordering makes needless losses) compare them all the way. */
static void more_than_4_gib_arrive_byte_for_byte(void **state)
{
	transfer("cubic", "standard", (4ull << 30) + (300ull << 20), 25);
}

static void half_a_gibibyte_arrives_byte_for_byte_with_tcp_real(void **state)
{
	transfer("real", "real", 500ull << 20, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_a_gibibyte_arrives_byte_for_byte_while_sequence_numbers_wrap),
		cmocka_unit_test(more_than_4_gib_arrive_byte_for_byte),
		cmocka_unit_test(half_a_gibibyte_arrives_byte_for_byte_with_tcp_real),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
