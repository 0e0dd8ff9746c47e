/* SPDX-License-Identifier: BSD-2-Clause */
/* RFC 6298, step by step, and the timer arithmetic of security row 39. */
#include "stack/tcp/tcb.h"
#include "tests/unit/tcp/cmocka_head.h"

static struct wt_tcp_settings preset(const char *name)
{
	struct wt_tcp_settings settings;

	assert_int_equal(wt_tcp_preset(name, &settings, NULL, 0), 0);
	return settings;
}

static void before_any_sample_the_timeout_is_the_initial_one(void **state)
{
	struct wt_tcp_settings settings = preset("modern");
	struct wt_rtt rtt;

	wt_rtt_init(&rtt, &settings);
	assert_int_equal(wt_rtt_timeout(&rtt, &settings), 1 * WT_S);
}

static void the_first_sample_sets_srtt_and_half_of_it_as_variance(void **state)
{
	struct wt_tcp_settings settings = preset("modern");
	struct wt_rtt rtt;

	wt_rtt_init(&rtt, &settings);
	wt_rtt_sample(&rtt, &settings, 100 * WT_MS, 0);
	assert_int_equal(rtt.srtt, 100 * WT_MS);
	assert_int_equal(rtt.rttvar, 50 * WT_MS);
	assert_int_equal(wt_rtt_timeout(&rtt, &settings), 300 * WT_MS); /* 2.2: R + max(G, K*R/2) */
}

static void later_samples_move_variance_before_srtt(void **state)
{
	struct wt_tcp_settings settings = preset("modern");
	struct wt_rtt rtt;

	wt_rtt_init(&rtt, &settings);
	wt_rtt_sample(&rtt, &settings, 100 * WT_MS, 0);
	wt_rtt_sample(&rtt, &settings, 180 * WT_MS, 0);
	/* 2.3: RTTVAR = 3/4*50 + 1/4*|100-180| = 57.5; SRTT = 7/8*100 + 1/8*180 = 110; RTO = 110 + 4*57.5 = 340 */
	assert_int_equal(rtt.rttvar, 57500 * WT_US);
	assert_int_equal(rtt.srtt, 110 * WT_MS);
	assert_int_equal(wt_rtt_timeout(&rtt, &settings), 340 * WT_MS);
}

static void the_timeout_is_never_below_the_minimum_nor_above_the_maximum(void **state)
{
	struct wt_tcp_settings settings = preset("modern");
	struct wt_rtt rtt;

	wt_rtt_init(&rtt, &settings);
	for (int i = 0; i < 200; i++)
		wt_rtt_sample(&rtt, &settings, 1 * WT_MS, 0);
	assert_int_equal(wt_rtt_timeout(&rtt, &settings), 201 * WT_MS); /* rto_var_min above 1 ms */
	settings.rto_var_min = 0;
	wt_rtt_sample(&rtt, &settings, 1 * WT_MS, 0);
	assert_int_equal(wt_rtt_timeout(&rtt, &settings), 200 * WT_MS);
	rtt.backoff = 30;
	assert_int_equal(wt_rtt_timeout(&rtt, &settings), 60 * WT_S);
}

/* A queue builds up by 2 ms in 3 ms, with a sample per ACK: by the variance alone the timeout would be 20 ms above a round trip of 360 ms. */
static void a_queue_that_builds_up_leaves_the_timeout_well_above_the_round_trip(void **state)
{
	struct wt_tcp_settings settings = preset("modern");
	struct wt_rtt rtt;
	wt_time sample = 30 * WT_MS;

	wt_rtt_init(&rtt, &settings);
	for (unsigned i = 0; i < 400; i++, sample += 800 * WT_US)
		wt_rtt_sample(&rtt, &settings, sample, 0);
	assert_true(4 * rtt.rttvar < 50 * WT_MS);
	assert_true(wt_rtt_timeout(&rtt, &settings) >= sample + 190 * WT_MS);
}

static void each_backoff_doubles_and_a_sample_ends_it(void **state)
{
	struct wt_tcp_settings settings = preset("modern");
	struct wt_rtt rtt;

	wt_rtt_init(&rtt, &settings);
	wt_rtt_sample(&rtt, &settings, 100 * WT_MS, 0);
	for (unsigned i = 0; i < 5; i++) {
		rtt.backoff = i;
		assert_int_equal(wt_rtt_timeout(&rtt, &settings), (300 * WT_MS) << i);
	}
	wt_rtt_sample(&rtt, &settings, 100 * WT_MS, 0);
	assert_int_equal(rtt.backoff, 0);
}

static void absurd_samples_give_a_timeout_between_the_bounds(void **state)
{
	struct wt_tcp_settings settings = preset("modern");
	const wt_time samples[] = {0, -5, 1, WT_S, 600 * WT_S, -WT_S, 1000000 * WT_S};
	struct wt_rtt rtt;

	for (unsigned i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (unsigned j = 0; j < sizeof(samples) / sizeof(samples[0]); j++) {
			wt_rtt_init(&rtt, &settings);
			wt_rtt_sample(&rtt, &settings, samples[i], 0);
			wt_rtt_sample(&rtt, &settings, samples[j], 0);
			assert_true(rtt.srtt > 0);
			assert_true(wt_rtt_timeout(&rtt, &settings) >= settings.rto_min);
			assert_true(wt_rtt_timeout(&rtt, &settings) <= settings.rto_max);
		}
	}
}

static void with_coarse_ticks_the_least_timeout_is_the_minimum(void **state)
{
	struct wt_tcp_settings settings = preset("bsd90");
	struct wt_rtt rtt;

	wt_rtt_init(&rtt, &settings);
	wt_rtt_sample(&rtt, &settings, 0, 0); /* within one tick */
	assert_int_equal(wt_rtt_timeout(&rtt, &settings), 1 * WT_S);
	wt_rtt_sample(&rtt, &settings, 500 * WT_MS, 0);
	assert_true(wt_rtt_timeout(&rtt, &settings) >= 1 * WT_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_any_sample_the_timeout_is_the_initial_one),
		cmocka_unit_test(the_first_sample_sets_srtt_and_half_of_it_as_variance),
		cmocka_unit_test(later_samples_move_variance_before_srtt),
		cmocka_unit_test(the_timeout_is_never_below_the_minimum_nor_above_the_maximum),
		cmocka_unit_test(a_queue_that_builds_up_leaves_the_timeout_well_above_the_round_trip),
		cmocka_unit_test(each_backoff_doubles_and_a_sample_ends_it),
		cmocka_unit_test(absurd_samples_give_a_timeout_between_the_bounds),
		cmocka_unit_test(with_coarse_ticks_the_least_timeout_is_the_minimum),
	};

	return cmocka_run_group_tests_name("host_rtt", tests, NULL, NULL);
}
