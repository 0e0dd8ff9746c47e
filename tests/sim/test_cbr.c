/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams at a constant rate in virtual time: what the sink measures is what the words of the path say. */
#include "tests/sim/scenarios.h"

#define SENT 300

/* 300 datagrams of 1000 B, one each 10 ms, over `fwd`; the flow as it ended, and the drops of the path. */
static struct wt_cbr_sink cross(const char *fwd, uint64_t *dropped)
{
	struct setup setup = {.fwd = fwd, .rev = "", .size = SENT * 1000};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_cbr_sink sink;
	char err[256];

	prepare(&scenario, &setup);
	scenario.flow.datagrams = true;
	if (wt_cbr_parse("cbr:rate=800Kbit,size=1000B", &scenario.flow.cbr, err, sizeof(err)))
		fail_msg("%s", err);
	scenario.how.checked = true;
	if (simulate(&scenario, &result, err, sizeof(err)))
		fail_msg("%s", err);
	assert_true(wt_simulation_ok(&result) && wt_simulation_is_datagrams(&result, 0));
	assert_int_equal(result.datagram_sender[0].sent, SENT);
	assert_int_equal(result.datagram_sender[0].last, (SENT - 1) * 10 * WT_MS);
	sink = result.datagram_sink[0];
	assert_true(sink.done);
	*dropped = 0;
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		*dropped += result.dropped[i];
	wt_simulation_result_finish(&result);
	return sink;
}

static void a_clean_path_takes_transmission_and_propagation_of_each(void **state)
{
	uint64_t dropped;
	struct wt_cbr_sink sink = cross("rate 2Mbit burst 0B limit 64KB delay 15ms", &dropped);
	wt_time each = 1042 * 8 * 500 + 15 * WT_MS; /* with the headers of UDP, IPv4 and Ethernet */

	assert_int_equal(sink.received, SENT);
	assert_int_equal(sink.bytes, SENT * 1000);
	assert_true(sink.delay_min == each && sink.delay.worst == each && sink.delay_sum == (double)each * SENT);
	assert_true(sink.jitter == 0 && sink.jitter_max == 0);
	assert_int_equal(sink.first, each);
	assert_true(wt_cbr_goodput(&sink) == 100000);
	assert_int_equal(wt_cbr_lost(&sink) + sink.duplicates + sink.late + dropped, 0);
}

static void one_step_of_the_delay_is_a_sixteenth_of_jitter_and_fades(void **state)
{
	uint64_t dropped;
	struct wt_cbr_sink sink = cross("delay 10ms at 1s 20ms", &dropped);
	double jitter = 10e6 / 16;

	assert_true(sink.jitter_max == jitter);
	for (unsigned i = 101; i < SENT; i++)
		jitter -= jitter / 16;
	assert_true(sink.jitter > jitter * 0.999999 && sink.jitter < jitter * 1.000001);
	assert_int_equal(sink.delay_min, 10 * WT_MS);
	assert_int_equal(sink.delay.worst, 20 * WT_MS);
	assert_true(sink.delay_sum == 100 * 10e6 + 200 * 20e6);
}

static void what_the_path_drops_is_lost_and_nothing_else(void **state)
{
	uint64_t dropped;
	struct wt_cbr_sink sink = cross("loss list 1,17-18,300 delay 10ms", &dropped); /* the last one, too: the sink waits in vain */

	assert_int_equal(dropped, 4);
	assert_int_equal(wt_cbr_lost(&sink), 4);
	assert_int_equal(sink.received, SENT - 4);
	sink = cross("loss 20% delay 10ms", &dropped);
	assert_true(dropped > 30 && dropped < 90);
	assert_int_equal(wt_cbr_lost(&sink), dropped);
	sink = cross("loss 100%", &dropped);
	assert_int_equal(wt_cbr_lost(&sink), SENT);
}

static void copies_count_as_such(void **state)
{
	uint64_t dropped;
	struct wt_cbr_sink sink = cross("duplicate 100% delay 10ms", &dropped);

	assert_int_equal(sink.received, SENT);
	/* the copy of the last one comes when all has come */
	assert_true(sink.duplicates >= SENT - 1 && sink.duplicates <= SENT);
	assert_int_equal(wt_cbr_lost(&sink) + sink.late, 0);
}

/* Of those sent at 0.98 and 0.99 s, which take 30 ms: the one of 1 s takes 5 ms and comes first. */
static void who_is_overtaken_is_late(void **state)
{
	uint64_t dropped;
	struct wt_cbr_sink sink = cross("delay 30ms at 1s 5ms reordering", &dropped);

	assert_int_equal(sink.late, 2);
	assert_int_equal(sink.received, SENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clean_path_takes_transmission_and_propagation_of_each),
		cmocka_unit_test(one_step_of_the_delay_is_a_sixteenth_of_jitter_and_fades),
		cmocka_unit_test(what_the_path_drops_is_lost_and_nothing_else),
		cmocka_unit_test(copies_count_as_such),
		cmocka_unit_test(who_is_overtaken_is_late),
	};

	return cmocka_run_group_tests_name("cbr", tests, NULL, NULL);
}
