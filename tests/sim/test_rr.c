/* SPDX-License-Identifier: BSD-2-Clause */
/* Request and response in virtual time: latencies are what arithmetic makes of the words of the path. */
#include "tests/sim/scenarios.h"

/* 10 Mbit/s each way: a byte takes 800 ns. With the headers of TCP (timestamps), IPv4 and Ethernet. */
#define PATH "rate 10Mbit burst 0B limit 1MB delay 10ms"
#define TOOK(bytes) ((wt_time)((bytes) + 66) * 800)

static struct wt_rr ask(const char *fwd, const char *rev, const char *app, struct wt_bulk_sender *flow)
{
	struct setup setup = {.fwd = fwd, .rev = rev};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_rr rr;
	char err[256];

	prepare(&scenario, &setup);
	scenario.flow.asks = true;
	if (wt_rr_parse(app, &scenario.flow.rr, err, sizeof(err)))
		fail_msg("%s", err);
	scenario.how.checked = true;
	if (simulate(&scenario, &result, err, sizeof(err)))
		fail_msg("%s", err);
	assert_true(wt_simulation_ok(&result));
	*flow = result.flow[0];
	rr = result.rr[0];
	result.rr[0].sample = NULL; /* ours */
	wt_simulation_result_finish(&result);
	return rr;
}

static void a_transaction_takes_the_transmission_and_propagation_of_both(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_rr rr = ask(PATH, PATH, "rr:request=100B,response=1000B,requests=50", &flow);
	wt_time each = TOOK(100) + TOOK(1000) + 20 * WT_MS;

	assert_int_equal(rr.done, 50);
	assert_int_equal(rr.asked_bytes, 50 * 100);
	assert_int_equal(rr.answered_bytes, 50 * 1000);
	for (unsigned i = 1; i < 50; i++)
		assert_int_equal(rr.sample[i], each);
	/* the first stands in one segment with the 32 bytes that say what follows */
	assert_true(rr.sample[0] - each <= TOOK(32) && rr.sample[0] >= each);
	assert_int_equal(flow.result.bytes, 50 * 100);
	assert_true(flow.got_result && flow.result.verified);
	assert_true(wt_rr_rate(&rr) > 1e9 / (double)each * 0.99 && wt_rr_rate(&rr) < 1e9 / (double)each * 1.01);
	wt_rr_finish(&rr);
}

static void who_thinks_asks_later_and_waits_no_longer(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_rr rr = ask(PATH, PATH, "rr:request=100B,response=100B,requests=20,think=75ms", &flow);
	wt_time each = 2 * TOOK(100) + 20 * WT_MS;

	assert_int_equal(rr.sample[19], each);
	assert_int_equal(rr.last_answered - rr.first_asked, 19 * (each + 75 * WT_MS) + rr.sample[0]);
	wt_rr_finish(&rr);
}

/*
 * The third data segment of the client is its third request: the tail loss probe of RACK-TLP (RFC 8985 7.2)
 * sends it again after two round trips and the longest delayed ACK, 200 ms here, without a timeout.
 */
static void a_lost_request_costs_a_probe_and_no_other_transaction(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_rr rr = ask("loss list 10 delay 10ms", "delay 10ms", "rr:request=100B,response=100B,requests=30", &flow);
	unsigned slow = 0;

	for (unsigned i = 0; i < 30; i++) {
		slow += rr.sample[i] > 20 * WT_MS;
		assert_true(rr.sample[i] == 20 * WT_MS || (rr.sample[i] >= 200 * WT_MS && rr.sample[i] < 300 * WT_MS));
	}
	assert_int_equal(slow, 1);
	assert_int_equal(flow.info.timeouts, 0);
	assert_int_equal(wt_rr_percentile(&rr, 0, 30, 50), 20 * WT_MS);
	assert_int_equal(wt_rr_percentile(&rr, 0, 30, 96), 20 * WT_MS); /* 28.8: the 29th */
	assert_int_equal(wt_rr_percentile(&rr, 0, 30, 97), rr.most);   /* 29.1: the 30th */
	wt_rr_finish(&rr);
}

static void requests_and_responses_larger_than_buffers_pass(void **state)
{
	struct wt_bulk_sender flow;
	struct wt_rr rr = ask(PATH, PATH, "rr:request=3MB,response=5MB,requests=3", &flow);

	assert_int_equal(rr.done, 3);
	assert_int_equal(rr.asked_bytes, 9000000);
	assert_int_equal(rr.answered_bytes, 15000000);
	assert_false(rr.broken);
	wt_rr_finish(&rr);
}

static void percentiles_are_of_the_nearest_rank(void **state)
{
	wt_time sample[] = {50, 10, 40, 20, 30, 7, 7};
	struct wt_rr rr = {.sample = sample, .samples = 7};

	assert_int_equal(wt_rr_percentile(&rr, 0, 5, 1), 10);
	assert_int_equal(wt_rr_percentile(&rr, 0, 5, 20), 10);
	assert_int_equal(wt_rr_percentile(&rr, 0, 5, 21), 20);
	assert_int_equal(wt_rr_percentile(&rr, 0, 5, 50), 30);
	assert_int_equal(wt_rr_percentile(&rr, 0, 5, 100), 50);
	assert_int_equal(wt_rr_percentile(&rr, 5, 100, 50), 7);
	assert_int_equal(wt_rr_percentile(&rr, 7, 7, 50), 0);
}

static void words_that_make_no_sense_are_refused(void **state)
{
	static const char *const bad[] = {"rr:request=0B", "rr:response=0B", "rrr", "rr:size=3B", "rr:think=-1s", "rr:request"};
	struct wt_rr_config config;
	char err[256];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err[0] = 0;
		assert_int_not_equal(wt_rr_parse(bad[i], &config, err, sizeof(err)), 0);
		assert_true(err[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_transaction_takes_the_transmission_and_propagation_of_both),
		cmocka_unit_test(who_thinks_asks_later_and_waits_no_longer),
		cmocka_unit_test(a_lost_request_costs_a_probe_and_no_other_transaction),
		cmocka_unit_test(requests_and_responses_larger_than_buffers_pass),
		cmocka_unit_test(percentiles_are_of_the_nearest_rank),
		cmocka_unit_test(words_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests_name("rr", tests, NULL, NULL);
}
