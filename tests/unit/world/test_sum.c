/* SPDX-License-Identifier: BSD-2-Clause */
/* The sum of flows: bytes over the time from the first start to the last end, by hand. */
#include <math.h>

#include "emu/world/result.h"
#include "stack/base/time.h"
#include "tests/unit/unit.h"

static void add(struct wt_flow_sum *sum, wt_time from, wt_time to, uint64_t bytes)
{
	wt_flow_sum_add(sum, &(struct wt_flow_part){.from = from, .to = to, .bytes = bytes, .payload = bytes, .segs = 10, .retransmits_segs = 1,
						    .goodput = to > from ? (double)bytes * 1e9 / (double)(to - from) : 0});
}

static void flows_of_one_time_add_up(void **state)
{
	struct wt_flow_sum sum = {0};

	add(&sum, WT_S, 3 * WT_S, 2000);
	add(&sum, WT_S, 3 * WT_S, 6000);
	assert_true(fabs(wt_flow_sum_goodput(&sum) - 4000) < 1e-9);
	assert_true(fabs(wt_flow_sum_jain(&sum) - 16.0 / 20) < 1e-9);
	assert_int_equal(sum.payload, 8000);
	assert_int_equal(sum.segs, 20);
	assert_int_equal(sum.retransmits_segs, 2);
}

/* One after the other on a link of 1000 B/s: the sum of their goodputs would be 2000. */
static void flows_one_after_the_other_share_the_whole_time(void **state)
{
	struct wt_flow_sum sum = {0};

	add(&sum, 0, WT_S, 1000);
	add(&sum, WT_S, 4 * WT_S, 3000);
	assert_true(fabs(wt_flow_sum_goodput(&sum) - 1000) < 1e-9);
	assert_true(fabs(wt_flow_sum_jain(&sum) - 1) < 1e-9);
}

/* A flow that delivered nothing has no part in the time: it may have waited for its peer for minutes. */
static void a_flow_without_bytes_has_no_time(void **state)
{
	struct wt_flow_sum sum = {0};

	add(&sum, 0, 100 * WT_S, 0);
	assert_true(wt_flow_sum_goodput(&sum) == 0);
	assert_true(isnan(wt_flow_sum_jain(&sum)));
	add(&sum, 2 * WT_S, 4 * WT_S, 1000);
	assert_true(fabs(wt_flow_sum_goodput(&sum) - 500) < 1e-9);
	assert_int_equal(sum.flows, 2);
}

/* What --omit leaves out counts as payload and not in the goodput. */
static void omitted_bytes_are_payload_only(void **state)
{
	struct wt_flow_sum sum = {0};

	wt_flow_sum_add(&sum, &(struct wt_flow_part){.from = WT_S, .to = 2 * WT_S, .bytes = 500, .payload = 1500, .goodput = 500});
	assert_true(fabs(wt_flow_sum_goodput(&sum) - 500) < 1e-9);
	assert_int_equal(sum.payload, 1500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_of_one_time_add_up),
		cmocka_unit_test(flows_one_after_the_other_share_the_whole_time),
		cmocka_unit_test(a_flow_without_bytes_has_no_time),
		cmocka_unit_test(omitted_bytes_are_payload_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
