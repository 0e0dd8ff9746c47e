/* SPDX-License-Identifier: BSD-2-Clause */
/* Many stations on one air: Bianchi's analysis of saturation, and the textbook cases of hidden and exposed stations and of capture. */
#include <math.h>

#include "tests/unit/air/air_bench.h"

/* ---- saturation ------------------------------------------------------------------------------------------- */

/*
 * G. Bianchi, IEEE 802.11 - Saturation Throughput Analysis, IEEE Communications Letters 2(12), 1998: n stations that always have a frame,
 * ideal channel, no retry limit, W = 32, m = 5; the parameters of its table (FHSS, 1 Mbit/s).
 */
enum { W = 32, M = 5, PACKET = 1023, SLOT = 50, SIFS = 28, DIFS = 128, PLCP = 128, HEADER = 28 * 8 };

static double chance(double tau, unsigned n)
{
	return 1 - pow(1 - tau, n - 1);
}

static double tau_of(unsigned n)
{
	double low = 0, high = 1;

	for (unsigned i = 0; i < 200; i++) { /* both sides meet once */
		double tau = (low + high) / 2, p = chance(tau, n);
		double of_p = 2 * (1 - 2 * p) / ((1 - 2 * p) * (W + 1) + p * W * (1 - pow(2 * p, M)));

		if (of_p > tau)
			low = tau;
		else
			high = tau;
	}
	return low;
}

/* Payload per second, bits. */
static double bianchi(unsigned n, bool rts)
{
	double tau = tau_of(n), some = 1 - pow(1 - tau, n), one = n * tau * pow(1 - tau, n - 1) / some;
	double ack = PLCP + 112, ask = PLCP + 160, data = PLCP + HEADER + 8 * PACKET, success, collision;

	success = data + SIFS + ack + DIFS + (rts ? ask + SIFS + ack + SIFS : 0);
	collision = (rts ? ask : data) + DIFS;
	return some * one * 8 * PACKET / ((1 - some) * SLOT + some * one * success + some * (1 - one) * collision) * 1e6;
}

static void refill(struct bench *bench, unsigned station, const struct wt_frame *frame)
{
	if (station == 0 && wt_frame_look(frame)[11])
		bench_send(bench, wt_frame_look(frame)[11], 0, PACKET, 0);
}

static double saturated(unsigned n, bool rts)
{
	struct bench bench = {.on_frame = refill};
	struct wt_point at[BENCH_STATIONS] = {{50, 50}};
	double each;

	wt_air_config_init(&bench.config);
	assert_int_equal(wt_air_set_rates(&bench.config, 1000, 1000, false), 0);
	bench.config.phy = (struct wt_air_phy){.slot = SLOT * WT_US, .sifs = SIFS * WT_US, .plcp = PLCP * WT_US, .rx_start = PLCP * WT_US,
					       .cw_min = W - 1, .cw_max = (W << M) - 1};
	bench.config.short_retries = bench.config.long_retries = UINT32_MAX;
	bench.config.radio.capture = 0;
	bench.config.eifs = false;
	bench.config.rts = rts ? 0 : UINT32_MAX;
	for (unsigned i = 1; i <= n; i++)
		at[i] = (struct wt_point){i * 37 % 100, i * 61 % 100};
	bench_open(&bench, n + 1, at);
	for (unsigned i = 1; i <= n; i++)
		for (unsigned k = 0; k < 2; k++)
			bench_send(&bench, i, 0, PACKET, 0);
	bench_run(&bench, 120 * WT_S);
	each = (double)bench.bytes[0] * 8 / 120;
	bench_close(&bench);
	return each;
}

static void saturation_is_that_of_bianchi(void **state)
{
	static const unsigned counts[] = {2, 3, 5, 10, 15, 20, 30, 50};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(counts) / sizeof(counts[0]); i++) {
		unsigned n = counts[i / 2];
		double got = saturated(n, i % 2), expected = bianchi(n, i % 2);

		if (fabs(got / expected - 1) > 0.05)
			fail_msg("%u stations%s: %.0f bit/s, Bianchi %.0f", n, i % 2 ? " with RTS" : "", got, expected);
		print_message("%2u stations%s: %.0f bit/s, Bianchi %.0f: %+.1f %%\n", n, i % 2 ? ", RTS" : "", got, expected, 100 * (got / expected - 1));
	}
}

/* ---- hidden and exposed ----------------------------------------------------------------------------------- */

static void keep_sending(struct bench *bench, unsigned station, const struct wt_frame *frame)
{
	unsigned from = frame->fate == WT_FATE_NO_ACK ? station : wt_frame_look(frame)[11], to = frame->fate == WT_FATE_NO_ACK ? wt_frame_look(frame)[5] : station;

	bench_send(bench, from, to, 1000, 0);
}

/* Stations that are heard as far as they are received. */
static void open_narrow(struct bench *bench, unsigned stations, const struct wt_point *at, bool rts)
{
	bench->on_frame = keep_sending;
	wt_air_config_init(&bench->config);
	bench->config.radio.sense = bench->config.radio.receive;
	bench->config.rts = rts ? 0 : UINT32_MAX;
	bench_open(bench, stations, at);
}

static void start(struct bench *bench, unsigned from, unsigned to)
{
	bench_send(bench, from, to, 1000, 0);
	bench_send(bench, from, to, 1000, 0);
}

static double hidden(bool rts, double *lost)
{
	static const struct wt_point at[] = {{0, 0}, {200, 0}, {400, 0}};
	struct bench bench = {0};
	double each;
	const struct wt_air_count *count;

	open_narrow(&bench, 3, at, rts);
	start(&bench, 0, 1);
	start(&bench, 2, 1);
	bench_run(&bench, 60 * WT_S);
	count = wt_air_count(bench.air, 1);
	*lost = (double)count->heard[WT_AIR_COLLIDED] / (double)(count->heard[WT_AIR_COLLIDED] + count->heard[WT_AIR_RECEIVED]);
	each = (double)bench.got[1] / 60;
	bench_close(&bench);
	return each;
}

/* Two that do not hear each other meet at the one between them: data collide in full length, RTS only briefly. */
static void hidden_stations_collide_and_rts_helps(void **state)
{
	double lost, lost_rts, plain = hidden(false, &lost), with_rts = hidden(true, &lost_rts);

	(void)state;
	print_message("hidden: %.1f frames/s, %.0f %% lost; with RTS %.1f, %.0f %%\n", plain, 100 * lost, with_rts, 100 * lost_rts);
	assert_true(lost > 0.25);
	assert_true(lost_rts < lost / 2);
	assert_true(with_rts > 1.3 * plain);
}

/* The time that the one between them loses: from the start of the first frame to the end of the last. 1028 bytes at 2 Mbit/s: 4304 us. */
static void test_collisions_take_the_time_from_first_to_last(void **state)
{
	static const struct wt_point at[] = {{0, 0}, {200, 0}, {400, 0}};

	for (unsigned apart = 0; apart < 6; apart++) {
		struct bench bench = {0};

		wt_air_config_init(&bench.config);
		bench.config.radio.sense = bench.config.radio.receive;
		bench.config.rts = UINT32_MAX;
		bench.config.short_retries = 1;
		bench_open(&bench, 3, at);
		bench_send(&bench, 0, 1, 1000, 0);
		bench_run(&bench, apart * WT_MS);
		bench.now = apart * WT_MS;
		bench_send(&bench, 2, 1, 1000, 0);
		bench_run(&bench, WT_S);
		assert_int_equal(wt_air_count(bench.air, 1)->collided, apart == 5 ? 0 : apart * WT_MS + 4304 * WT_US);
		bench_close(&bench);
	}
}

/* Of three that hear each other the third gets what the first sends to the second, if it listens; nobody answers it twice. */
static void test_who_listens_gets_what_is_for_others(void **state)
{
	static const struct wt_point at[] = {{0, 0}, {100, 0}, {0, 100}};

	for (unsigned listens = 0; listens < 2; listens++) {
		struct bench bench = {0};

		wt_air_config_init(&bench.config);
		bench_open(&bench, 3, at);
		if (listens)
			wt_air_listen(bench.air, 2);
		for (unsigned i = 0; i < 10; i++)
			bench_send(&bench, 0, 1, 1000, 0);
		bench_run(&bench, WT_S);
		assert_int_equal(bench.got[1], 10);
		assert_int_equal(bench.got[2], listens ? 10 : 0);
		assert_int_equal(bench.got[0], 0);
		assert_int_equal(wt_air_count(bench.air, 2)->overheard, listens ? 10 : 0);
		assert_int_equal(wt_air_count(bench.air, 2)->delivered, 0);
		assert_int_equal(wt_air_count(bench.air, 2)->sent[WT_AIR_ACK], 0);
		assert_true(wt_audit_holds(&bench.node->audit));
		bench_close(&bench);
	}
}

static double exposed(bool both, bool deaf)
{
	/* 1 sends to 0, 2 to 3; the senders hear each other, no receiver hears the other pair */
	static const struct wt_point near[] = {{0, 0}, {200, 0}, {400, 0}, {600, 0}}, far[] = {{0, 0}, {200, 0}, {4000, 0}, {4200, 0}};
	struct bench bench = {0};
	double each;

	open_narrow(&bench, 4, deaf ? far : near, false);
	start(&bench, 1, 0);
	if (both)
		start(&bench, 2, 3);
	bench_run(&bench, 60 * WT_S);
	each = (double)(bench.got[0] + bench.got[3]) / 60;
	bench_close(&bench);
	return each;
}

/* Both could send at once, and do not, for each senses the other: together they get what one alone gets. */
static void exposed_stations_wait_for_each_other(void **state)
{
	double alone = exposed(false, false), near = exposed(true, false), far = exposed(true, true);

	(void)state;
	print_message("exposed: one %.1f frames/s, both %.1f, out of earshot %.1f\n", alone, near, far);
	assert_true(near < 1.1 * alone);
	assert_true(far > 1.99 * alone && far < 2.01 * alone);
}

/* ---- capture ---------------------------------------------------------------------------------------------- */

/* 2 hears 1 from 100 m; 0 is out of earshot of 1 and so far from 2 that its frame is weaker by `distance`. Who comes first counts. */
static uint64_t meet(double distance, bool weak_first, double capture, enum wt_air_end end)
{
	const struct wt_point at[] = {{distance, 0}, {-100, 0}, {0, 0}};
	struct bench bench = {0};
	uint64_t ended;

	wt_air_config_init(&bench.config);
	bench.config.radio.sense = bench.config.radio.receive;
	bench.config.radio.capture = capture;
	bench_open(&bench, 3, at);
	bench_send(&bench, weak_first ? 0 : 1, 0xffff, 1000, 0);
	bench_run(&bench, WT_MS);
	bench_send(&bench, weak_first ? 1 : 0, 0xffff, 1000, 0);
	bench_run(&bench, WT_S);
	ended = wt_air_count(bench.air, 2)->heard[end];
	bench_close(&bench);
	return ended;
}

static void a_frame_survives_a_later_one_ten_times_weaker(void **state)
{
	(void)state;
	/* both beyond the cross-over of 86 m: 180 m are (1.8)^4 = 10.5 times weaker than 100 m, 175 m 9.4 times */
	assert_int_equal(meet(180, false, 10, WT_AIR_RECEIVED), 1);
	assert_int_equal(meet(180, false, 10, WT_AIR_CAPTURED), 1);
	assert_int_equal(meet(175, false, 10, WT_AIR_RECEIVED), 0);
	assert_int_equal(meet(175, false, 10, WT_AIR_COLLIDED), 2);
	assert_int_equal(meet(180, true, 10, WT_AIR_COLLIDED), 2); /* also if the stronger comes later */
	assert_int_equal(meet(180, false, 0, WT_AIR_COLLIDED), 2);
}

/* 1 asks 2 by RTS while 0 begins a frame that is too weak to harm it. The NAV of ns-2 lasts as long as that frame, so 2 gives no CTS. */
static void a_captured_frame_stops_the_cts_where_it_sets_the_nav(void **state)
{
	static const struct wt_point at[] = {{180, 0}, {-100, 0}, {0, 0}};

	(void)state;
	for (unsigned nav = 0; nav < 2; nav++) {
		struct bench bench = {0};
		const struct wt_air_count *asks;

		wt_air_config_init(&bench.config);
		assert_false(bench.config.captured_nav); /* the standard has no such rule */
		bench.config.radio.sense = bench.config.radio.receive;
		bench.config.captured_nav = nav;
		bench_open(&bench, 3, at);
		bench_send(&bench, 1, 2, 1000, 0);
		bench_run(&bench, 100 * WT_US);
		bench_send(&bench, 0, 0xffff, 1000, 0);
		bench_run(&bench, WT_S);
		asks = wt_air_count(bench.air, 1);
		assert_int_equal(wt_air_count(bench.air, 2)->heard[WT_AIR_CAPTURED], 1);
		assert_int_equal(asks->acked, 1);
		if (nav)
			assert_in_range(asks->sent[WT_AIR_RTS], 2, 7);
		else
			assert_int_equal(asks->sent[WT_AIR_RTS], 1);
		bench_audit(&bench);
		bench_close(&bench);
	}
}

/* Two back-offs that end at one nanosecond are a collision, at whatever distance. */
static void equal_back_offs_collide(void **state)
{
	static const struct wt_point at[] = {{0, 0}, {0, 0}, {10, 0}};
	struct bench bench = {0};

	(void)state;
	wt_air_config_init(&bench.config);
	bench_open(&bench, 3, at);
	bench.now = WT_S;
	bench_send(&bench, 0, 0xffff, 1000, 0);
	bench_send(&bench, 1, 0xffff, 1000, 0);
	bench_run(&bench, 2 * WT_S);
	assert_int_equal(bench.got[2], 0);
	assert_int_equal(wt_air_count(bench.air, 2)->heard[WT_AIR_COLLIDED], 2);
	assert_int_equal(wt_air_count(bench.air, 0)->heard[WT_AIR_DEAF], 1);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_collisions_take_the_time_from_first_to_last), cmocka_unit_test(test_who_listens_gets_what_is_for_others), cmocka_unit_test(saturation_is_that_of_bianchi),
		cmocka_unit_test(hidden_stations_collide_and_rts_helps),
		cmocka_unit_test(exposed_stations_wait_for_each_other),
		cmocka_unit_test(a_frame_survives_a_later_one_ten_times_weaker),
		cmocka_unit_test(a_captured_frame_stops_the_cts_where_it_sets_the_nav),
		cmocka_unit_test(equal_back_offs_collide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
