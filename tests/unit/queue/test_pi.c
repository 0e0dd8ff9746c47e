/* SPDX-License-Identifier: BSD-2-Clause */
/* The two controllers, PIE (RFC 8033) and DualPI2 (RFC 9332), against the first steps of their pseudo-code by hand. */
#include "tests/unit/emu/queue_bench.h"

static double pressure(const struct wt_node *node)
{
	struct wt_rate_counts counts;

	wt_rate_counts(node, &counts);
	return counts.pressure;
}

static bool near(double a, double b)
{
	return a > b - 1e-12 && a < b + 1e-12;
}

static void take_all(struct wt_node *node, wt_time now, unsigned out[2])
{
	struct wt_frame *frame;

	while ((frame = bench_output(node, now))) {
		if (out)
			out[wt_packet_ecn(frame) == WT_ECN_CE]++;
		wt_frame_free(frame);
	}
}

/* 70 frames of a millisecond each at 0: the one that begins at k ms has waited k ms. */
static struct wt_node *backlog(const char *words)
{
	struct wt_node *node = bench_words(words);

	for (unsigned i = 0; i < 70; i++)
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_NOT_ECT, 1));
	return node;
}

/* The step at 15 ms comes before the frame of 15 ms begins: it sees the 14 ms of the one before, at 30 ms 29, at 45 ms 44. */
static void pie_moves_its_probability_as_the_pseudo_code_says(void **state)
{
	struct wt_node *node = backlog("rate 8Mbit burst 0B limit 1MB queue pie");
	double p = (0.125 * -0.001 + 1.25 * 0.014) / 2048;

	take_all(node, 14 * WT_MS, NULL);
	assert_true(pressure(node) == 0);
	take_all(node, 15 * WT_MS, NULL);
	assert_true(near(pressure(node), p));
	take_all(node, 30 * WT_MS, NULL);
	p += (0.125 * 0.014 + 1.25 * 0.015) / 512; /* p is 8.5e-6 */
	assert_true(near(pressure(node), p));
	take_all(node, 45 * WT_MS, NULL);
	p += (0.125 * 0.029 + 1.25 * 0.015) / 128; /* 4.9e-5 */
	assert_true(near(pressure(node), p));
	take_all(node, 60 * WT_MS, NULL);
	p += (0.125 * 0.044 + 1.25 * 0.015) / 32; /* 2.2e-4 */
	assert_true(near(pressure(node), p));
	/* at 75 ms nothing waits: the growth is -59 ms, and what is below 0 is 0 */
	take_all(node, 70 * WT_MS, NULL);
	bench_input(node, 75 * WT_MS, bench_packet(1000, 0, WT_ECN_NOT_ECT, 1));
	assert_true(pressure(node) == 0);
	wt_path_finish(&bench_path);
}

/* Twice what the link carries, for 2 s. The burst's 150 ms are free; then the delay is steered to the target. */
static void overload_with(const char *words, enum wt_ecn ecn, wt_time *first, unsigned out[2], uint64_t *dropped)
{
	struct wt_node *node = bench_words(words);

	*first = 0;
	out[0] = out[1] = 0;
	for (unsigned i = 0; i < 4000; i++) {
		take_all(node, i * (WT_MS / 2), out);
		bench_input(node, i * (WT_MS / 2), bench_packet(1000, i, ecn, 1));
		if (!*first && (wt_audit_dropped(&node->audit) || out[1]))
			*first = i * (WT_MS / 2);
	}
	*dropped = node->audit.dropped[WT_DROP_AQM];
	wt_path_finish(&bench_path);
}

static void pie_lets_a_burst_pass_and_then_drops_or_marks(void **state)
{
	unsigned out[2];
	uint64_t dropped;
	wt_time first;

	overload_with("rate 8Mbit burst 0B limit 10MB queue pie", WT_ECN_ECT0, &first, out, &dropped);
	assert_in_range(first, 150 * WT_MS, 500 * WT_MS);
	assert_in_range(dropped, 1000, 2000); /* the half that the link cannot carry, less what still waits */
	assert_int_equal(out[1], 0);
	overload_with("rate 8Mbit burst 0B limit 10MB queue pie ecn mark 100%", WT_ECN_ECT0, &first, out, &dropped);
	assert_int_equal(dropped, 0);
	assert_true(out[1] > 300);
	overload_with("rate 8Mbit burst 0B limit 10MB queue pie ecn", WT_ECN_ECT0, &first, out, &dropped);
	assert_true(dropped > 100 && out[1] > 1); /* up to a tenth it marks */
}

/*
 * RFC 8033 section 4.4: the allowance is renewed by an arrival while both the last step's delay and the present one are below
 * half the target, and a step takes 15 ms off. Here the arrivals of 8 ms renew it; at 15 ms the delay is 6 ms, at the next
 * arrival 10; at 30 ms nothing is left of it, and the gain makes p certain at once.
 */
static void the_allowance_is_renewed_by_arrivals_while_both_delays_are_small(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 1MB queue pie alpha 1000000 beta 0 allowance 30ms");

	for (unsigned i = 0; i < 60; i++)
		bench_input(node, 8 * WT_MS, bench_packet(1000, i, WT_ECN_NOT_ECT, 1));
	take_all(node, 18 * WT_MS, NULL);
	bench_input(node, 18 * WT_MS, bench_packet(1000, 60, WT_ECN_NOT_ECT, 1));
	take_all(node, 29 * WT_MS, NULL);
	bench_input(node, 29 * WT_MS, bench_packet(1000, 61, WT_ECN_NOT_ECT, 1));
	assert_true(pressure(node) == 0 && !node->audit.dropped[WT_DROP_AQM]);
	take_all(node, 31 * WT_MS, NULL);
	bench_input(node, 31 * WT_MS, bench_packet(1000, 62, WT_ECN_NOT_ECT, 1));
	assert_true(pressure(node) == 1);
	assert_int_equal(node->audit.dropped[WT_DROP_AQM], 1);
	wt_path_finish(&bench_path);
}

/* The head of the classic queue at 16 ms came at 0; the step precedes its departure. */
static void dualpi2_moves_p_as_the_pseudo_code_says(void **state)
{
	struct wt_node *node = backlog("rate 8Mbit burst 0B limit 1MB queue dualpi2");
	double p = 0.16 * 0.001 + 3.2 * 0.016;

	take_all(node, 16 * WT_MS, NULL);
	assert_true(near(pressure(node), p));
	take_all(node, 32 * WT_MS, NULL);
	p += 0.16 * 0.017 + 3.2 * 0.016;
	assert_true(near(pressure(node), p));
	wt_path_finish(&bench_path);
}

static void marks_are_coupled_to_the_classic_queue_by_two_and_drops_by_the_square(void **state)
{
	struct wt_node *node = bench_words("rate 8Kbit burst 0B limit 10MB queue dualpi2 update 2s alpha 0 beta 0.1 min 10s");
	unsigned low[2] = {0}, classic[2] = {0};
	char err[300];

	bench_input(node, 0, bench_packet(1000, 0, WT_ECN_NOT_ECT, 1)); /* is being sent until 1 s */
	bench_input(node, 0, bench_packet(1000, 1, WT_ECN_NOT_ECT, 1)); /* until 2 s */
	bench_input(node, 0, bench_packet(1000, 2, WT_ECN_NOT_ECT, 1)); /* waits for 2 s at the first step */
	take_all(node, 2 * WT_S, NULL);
	assert_true(near(pressure(node), 0.2));
	/* now the link is made fast, and the next step is 2 s away: p' stands at 0.2 */
	assert_int_equal(wt_path_change(&bench_path, "rate 8Gbit burst 0B limit 10MB queue dualpi2 update 2s alpha 0 beta 0.1 min 10s",
					2 * WT_S, err, sizeof(err)), 0);
	take_all(node, 2 * WT_S + WT_US, NULL);
	for (unsigned i = 0; i < 1000; i++) {
		wt_time now = 2 * WT_S + (2 + 2 * i) * WT_US;

		bench_input(node, now, bench_packet(1000, i, WT_ECN_ECT1, 1));
		take_all(node, now + WT_US, low);
		bench_input(node, now + WT_US, bench_packet(1000, i, i % 2 ? WT_ECN_ECT0 : WT_ECN_NOT_ECT, 1));
		take_all(node, now + 2 * WT_US, classic);
	}
	assert_in_range(low[1], 398, 400);                                     /* 2 p' = 0.4 */
	assert_in_range(classic[1] + node->audit.dropped[WT_DROP_AQM], 38, 41); /* p'^2 = 0.04 */
	assert_true(classic[1] > 0 && node->audit.dropped[WT_DROP_AQM] > 0);
	wt_path_finish(&bench_path);
}

static void the_low_latency_queue_goes_first_and_leaves_the_classic_one_its_share(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 10MB queue dualpi2 alpha 0 beta 0 min 100s");
	unsigned low = 0, all = 0;
	struct wt_frame *frame;

	for (unsigned i = 0; i < 1000; i++) {
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_NOT_ECT, 1));
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_ECT1, 2));
	}
	while ((frame = bench_output(node, 640 * WT_MS))) {
		low += wt_packet_ecn(frame) == WT_ECN_ECT1;
		all++;
		wt_frame_free(frame);
	}
	assert_int_equal(all, 640);
	assert_in_range(low, 598, 602); /* 15 of 16 */
	wt_path_finish(&bench_path);
}

static void a_low_latency_packet_that_waits_long_is_marked_whatever_the_classic_queue(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 10MB queue dualpi2 alpha 0 beta 0");
	unsigned out[2] = {0};

	for (unsigned i = 0; i < 10; i++)
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_ECT1, 1));
	take_all(node, 10 * WT_MS, out);
	/* sojourns 0, 1, 2 ... ms against a ramp from 0.8 to 1.2 ms: 0, then 0.5, then 1 each: the accumulator is above 1
	 * for the third and stays half above. Behind the last none waits: its queue is one packet, and Th_len spares it */
	assert_int_equal(out[1], 7);
	wt_path_finish(&bench_path);
}

/* A packet every 2 ms of which each waits for the one before: more than the ramp, but never two in the queue. */
static void a_queue_of_one_packet_is_not_marked_for_its_delay(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 10MB queue dualpi2 alpha 0 beta 0");
	unsigned out[2] = {0};

	for (unsigned i = 0; i < 100; i++) {
		bench_input(node, 4 * i * WT_MS, bench_packet(1500, i, WT_ECN_ECT1, 1)); /* 1.5 ms on the link */
		bench_input(node, 4 * i * WT_MS, bench_packet(1000, i, WT_ECN_ECT1, 1));
		take_all(node, (4 * i + 3) * WT_MS, out);
	}
	assert_int_equal(out[0], 200);
	assert_int_equal(out[1], 0);
	wt_path_finish(&bench_path);
}

/* Figure 8: the head of the low latency queue is 16 and 31 ms old at the steps; of the classic queue there is none. */
static void without_classic_traffic_the_low_latency_queue_drives_the_controller(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 1MB queue dualpi2 min 10s");
	double p = 0.16 * 0.001 + 3.2 * 0.016;

	for (unsigned i = 0; i < 70; i++)
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_ECT1, 1));
	take_all(node, 16 * WT_MS, NULL);
	assert_true(near(pressure(node), p));
	bench_input(node, 16 * WT_MS, bench_packet(1000, 70, WT_ECN_NOT_ECT, 1)); /* the younger head counts for nothing */
	take_all(node, 32 * WT_MS, NULL);
	p += 0.16 * 0.017 + 3.2 * 0.016;
	assert_true(near(pressure(node), p));
	wt_path_finish(&bench_path);
}

/* Figure 2: classic packets may be marked up to min(1 / k^2, 1). With k = 1/2 that is 1, and there they are dropped. */
static void with_a_coupling_below_one_overload_begins_at_certainty(void **state)
{
	struct wt_node *node = bench_words("rate 8Kbit burst 0B limit 10MB queue dualpi2 coupling 0.5 update 2s alpha 0 beta 1");
	unsigned out[2] = {0};

	for (unsigned i = 0; i < 20; i++)
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_ECT0, 1));
	take_all(node, 3 * WT_S, out);
	assert_true(pressure(node) == 1);
	take_all(node, 40 * WT_S, out);
	assert_int_equal(out[1], 0);
	/* two went before the first step, one at it: 0 + 1 is not above 1 */
	assert_int_equal(node->audit.dropped[WT_DROP_AQM], 17);
	wt_path_finish(&bench_path);
}

static void a_ramp_without_range_is_a_step(void **state)
{
	struct wt_node *node = bench_words("rate 8Mbit burst 0B limit 10MB queue dualpi2 alpha 0 beta 0 min 3ms range 0s");
	unsigned out[2] = {0};

	for (unsigned i = 0; i < 10; i++)
		bench_input(node, 0, bench_packet(1000, i, WT_ECN_ECT1, 1));
	take_all(node, 10 * WT_MS, out);
	/* from 3 ms on each has likelihood 1; the first of the sum 1 is not above 1, the last is alone */
	assert_int_equal(out[1], 5);
	wt_path_finish(&bench_path);
}

static void change(const char *words, wt_time now)
{
	char err[300];

	if (wt_path_change(&bench_path, words, now, err, sizeof(err)))
		fail_msg("%s: %s", words, err);
}

/* A frame takes 1.2 s, so hardly one wakes the queue. The pressure at 2.395 s, after a flush, or after the words `then` came, at 2.391 s. */
static double lonely(const char *words, bool woken, const char *then)
{
	struct wt_node *node = bench_words(words);
	double p;

	for (unsigned i = 0; i < 10; i++)
		bench_input(node, 0, bench_packet(1500, i, WT_ECN_NOT_ECT, 1));
	take_all(node, 2 * WT_S, NULL);
	if (woken)
		bench_input(node, 2390 * WT_MS, bench_packet(60, 10, WT_ECN_NOT_ECT, 1));
	if (then)
		change(then, 2391 * WT_MS);
	else
		wt_rate_flush(node, 2391 * WT_MS);
	if (then && !then[0]) /* it was taken away, and comes again */
		change(words, 2391 * WT_MS);
	bench_input(node, 2395 * WT_MS, bench_packet(60, 11, WT_ECN_NOT_ECT, 1));
	p = pressure(node);
	wt_path_finish(&bench_path);
	return p;
}

static void steps_before_a_flush_or_a_change_read_what_stood_then(void **state)
{
	static const char *const words[][2] = {
		{"rate 10Kbit burst 0B limit 1MB queue pie", "rate 10Kbit burst 0B limit 1MB queue pie target 20s"},
		{"rate 10Kbit burst 0B limit 1MB queue dualpi2", "rate 10Kbit burst 0B limit 1MB queue dualpi2 target 20s"},
	};

	for (unsigned w = 0; w < 2; w++) {
		assert_true(lonely(words[w][0], true, NULL) == 1);
		assert_true(lonely(words[w][0], false, NULL) == 1);
		assert_true(lonely(words[w][0], true, "") == 1);
		assert_true(lonely(words[w][0], false, "") == 1);
		assert_true(lonely(words[w][0], true, words[w][1]) == 1);
		assert_true(lonely(words[w][0], false, words[w][1]) == 1);
	}
}

/* Every 15 ms until 100 ms; at 120, 160, 200 ... ms from then on. A packet each millisecond shows the steps. */
static void steps_are_at_multiples_of_a_new_period_too(void **state)
{
	static const char *const words[][2] = {
		{"rate 10Kbit burst 0B limit 1MB queue dualpi2 update 15ms alpha 0.01 beta 0",
		 "rate 10Kbit burst 0B limit 1MB queue dualpi2 update 40ms alpha 0.01 beta 0"},
		{"rate 10Kbit burst 0B limit 1MB queue pie update 15ms alpha 1 beta 0 target 1ms",
		 "rate 10Kbit burst 0B limit 1MB queue pie update 40ms alpha 1 beta 0 target 1ms"},
	};

	for (unsigned w = 0; w < 2; w++) {
		struct wt_node *node = bench_words(words[w][0]);
		double p = 0;

		for (unsigned i = 0; i < 5; i++)
			bench_input(node, 0, bench_packet(14 + i, i, WT_ECN_NOT_ECT, 1));
		for (unsigned ms = 1; ms < 400; ms++) {
			bool due = ms > 100 ? ms % 40 == 0 : ms % 15 == 0;

			take_all(node, ms * WT_MS, NULL);
			if (ms == 100)
				change(words[w][1], 100 * WT_MS);
			bench_input(node, ms * WT_MS, bench_packet(60, ms, WT_ECN_NOT_ECT, 1));
			if (ms > 30)
				assert_true((pressure(node) != p) == due);
			p = pressure(node);
		}
		wt_path_finish(&bench_path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(pie_moves_its_probability_as_the_pseudo_code_says),
		BENCH_TEST(pie_lets_a_burst_pass_and_then_drops_or_marks),
		BENCH_TEST(the_allowance_is_renewed_by_arrivals_while_both_delays_are_small),
		BENCH_TEST(dualpi2_moves_p_as_the_pseudo_code_says),
		BENCH_TEST(marks_are_coupled_to_the_classic_queue_by_two_and_drops_by_the_square),
		BENCH_TEST(the_low_latency_queue_goes_first_and_leaves_the_classic_one_its_share),
		BENCH_TEST(a_low_latency_packet_that_waits_long_is_marked_whatever_the_classic_queue),
		BENCH_TEST(a_queue_of_one_packet_is_not_marked_for_its_delay),
		BENCH_TEST(without_classic_traffic_the_low_latency_queue_drives_the_controller),
		BENCH_TEST(with_a_coupling_below_one_overload_begins_at_certainty),
		BENCH_TEST(a_ramp_without_range_is_a_step),
		BENCH_TEST(steps_before_a_flush_or_a_change_read_what_stood_then),
		BENCH_TEST(steps_are_at_multiples_of_a_new_period_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
