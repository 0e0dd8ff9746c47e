/* SPDX-License-Identifier: BSD-2-Clause */
/* What follows from air time alone. The second instrument is arithmetic with the numbers of the standard, written out here. */
#include "tests/unit/air/air_bench.h"

#define US(x) ((x) * 1000.0)

static const struct wt_point string[] = {{0, 0}, {250, 0}, {500, 0}, {750, 0}};

/* ---- one frame, to the nanosecond ------------------------------------------------------------------------- */

/* 250 m: 833.9 ns. */
#define PROP 834

static void one_frame_takes_rts_cts_and_data(void **state)
{
	struct bench bench = {0};

	(void)state;
	wt_air_config_init(&bench.config);
	bench_open(&bench, 2, string);
	bench.now = WT_S;
	bench_send(&bench, 0, 1, 1540, 0);
	bench_run(&bench, 2 * WT_S);
	assert_int_equal(bench.got[1], 1);
	/* RTS of 20 bytes and CTS of 14 at 1 Mbit/s, 1568 bytes at 2 Mbit/s, each behind 192 us; SIFS 10 us */
	assert_int_equal(bench.last[1] - WT_S, (192 + 160 + 10 + 192 + 112 + 10 + 192 + 6272) * 1000 + 3 * PROP);
	assert_int_equal(wt_air_count(bench.air, 0)->acked, 1);
	bench_close(&bench);
}

static void a_frame_to_all_takes_no_rts_and_no_ack(void **state)
{
	struct bench bench = {0};

	(void)state;
	wt_air_config_init(&bench.config);
	bench_open(&bench, 4, string);
	bench.now = WT_S;
	bench_send(&bench, 1, 0xffff, 100, 0);
	bench_run(&bench, 2 * WT_S);
	assert_int_equal(bench.got[0], 1);
	assert_int_equal(bench.got[2], 1);
	assert_int_equal(bench.got[3], 0); /* sensed there, not received */
	assert_int_equal(wt_air_count(bench.air, 3)->weak, 1);
	assert_int_equal(bench.last[2] - WT_S, (192 + 128 * 8) * 1000 + PROP);
	assert_int_equal(wt_air_count(bench.air, 1)->to_all, 1);
	bench_close(&bench);
}

static void nobody_answers_and_the_frame_comes_back(void **state)
{
	struct bench bench = {0};

	(void)state;
	wt_air_config_init(&bench.config);
	bench_open(&bench, 4, string);
	bench_send(&bench, 0, 2, 1540, 0);
	bench_send(&bench, 0, 77, 1540, 0);
	bench_run(&bench, 2 * WT_S);
	assert_int_equal(bench.back[0], 2);
	assert_int_equal(wt_air_count(bench.air, 0)->sent[WT_AIR_RTS], 14);
	assert_int_equal(wt_air_count(bench.air, 0)->turned[WT_AIR_NO_CTS], 14);
	assert_int_equal(wt_air_count(bench.air, 0)->turned[WT_AIR_GIVEN_UP], 2);
	bench_close(&bench);
}

static void routing_goes_first_and_the_queue_has_an_end(void **state)
{
	struct bench bench = {0};
	const struct wt_air_count *count;

	(void)state;
	wt_air_config_init(&bench.config);
	bench_open(&bench, 2, string);
	for (unsigned i = 0; i < 60; i++) /* one is being sent, 50 wait */
		bench_send(&bench, 0, 1, 1000, 0);
	count = wt_air_count(bench.air, 0);
	assert_int_equal(count->dropped, 9);
	bench_send(&bench, 0, 0xffff, 100, 0xc0); /* takes the place of the last */
	assert_int_equal(count->dropped, 10);
	bench_run(&bench, 14 * WT_MS); /* two frames of 5.4 ms */
	assert_int_equal(count->to_all, 1);
	bench_run(&bench, WT_S);
	assert_int_equal(bench.got[1], 51);
	bench_close(&bench);
}

/* ---- throughput ------------------------------------------------------------------------------------------- */

struct way {
	uint32_t data, basic;
	double plcp, slot, sifs, windows; /* us; CWmin + 1 */
	double ack, rts;                  /* us on the air, with PLCP */
	double (*air)(double bytes, double mbit);
};

static double dsss(double bytes, double mbit)
{
	double us = bytes * 8 / mbit, whole = (double)(long)us;

	return 192 + (whole < us ? whole + 1 : whole);
}

static double ofdm(double bytes, double mbit)
{
	double symbols = (16 + 8 * bytes + 6) / (4 * mbit), whole = (double)(long)symbols;

	return 20 + 4 * (whole < symbols ? whole + 1 : whole);
}

static const struct way ways[] = {
	{1000, 1000, 192, 20, 10, 32, 304, 352, dsss}, {2000, 1000, 192, 20, 10, 32, 304, 352, dsss},
	{5500, 1000, 192, 20, 10, 32, 304, 352, dsss}, {11000, 1000, 192, 20, 10, 32, 304, 352, dsss},
	{6000, 6000, 20, 9, 16, 16, 44, 52, ofdm}, {9000, 6000, 20, 9, 16, 16, 44, 52, ofdm},
	{12000, 6000, 20, 9, 16, 16, 44, 52, ofdm}, {18000, 6000, 20, 9, 16, 16, 44, 52, ofdm},
	{24000, 12000, 20, 9, 16, 16, 32, 36, ofdm}, {36000, 12000, 20, 9, 16, 16, 32, 36, ofdm},
	{48000, 24000, 20, 9, 16, 16, 28, 28, ofdm}, {54000, 24000, 20, 9, 16, 16, 28, 28, ofdm},
};

static double exchange_us(const struct way *way, double packet)
{
	return way->rts + way->ack /* CTS */ + way->air(packet + 28, way->data / 1000.0) + way->ack + 3 * way->sifs + 4 * PROP / 1000.0;
}

static void close_to(double got, double expected, const struct way *way, const char *what)
{
	if (got > expected * 1.01 || got < expected * 0.99)
		fail_msg("%u kbit/s, %s: %.2f us, by arithmetic %.2f us", way->data, what, got, expected);
}

/* One station always has something to send: DIFS, half the window, one exchange. */
static void refill(struct bench *bench, unsigned station, const struct wt_frame *frame)
{
	(void)frame;
	if (station == 1)
		bench_send(bench, 0, 1, 1540, 0);
}

static double saturated(const struct way *way)
{
	struct bench bench = {.on_frame = refill};
	double each;

	wt_air_config_init(&bench.config);
	assert_int_equal(wt_air_set_rates(&bench.config, way->data, way->basic, false), 0);
	bench_open(&bench, 2, string);
	bench_send(&bench, 0, 1, 1540, 0);
	bench_send(&bench, 0, 1, 1540, 0);
	bench_run(&bench, 60 * WT_S);
	each = 60e6 / (double)bench.got[1];
	bench_close(&bench);
	return each;
}

static void one_sender_has_the_throughput_of_its_air_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct way *way = &ways[i];

		close_to(saturated(way), way->sifs + 2 * way->slot + (way->windows - 1) / 2 * way->slot + exchange_us(way, 1540), way, "saturated");
	}
}

/*
 * Turns: one packet, forwarded or answered, then the next. Who sends next has drawn its back-off when the last bit reached it, unless one of its
 * own still ran, which counted on while the other waited. So the slots of a turn are a chain: the rest of what ran longer than the other's
 * turn, or a new draw. `lead[k]`: slots for which the other side counts before the side of turn k may.
 */
static double mean_slots(unsigned windows, const double lead[2])
{
	double now[64] = {0}, next[64], mean = 0;

	for (unsigned c = 0; c < windows; c++)
		now[c] = 1.0 / windows;
	for (unsigned turn = 0; turn < 2000; turn++) {
		mean = turn % 2 ? mean : 0;
		memset(next, 0, sizeof(next));
		for (unsigned c = 0; c < windows; c++) {
			mean += c * now[c];
			for (unsigned d = 0; d < windows; d++) { /* drawn by who has just sent, in whose place this turn's side now waits */
				double left = d - (c + (double)(unsigned)lead[turn % 2]), share = now[c] / windows;

				if (left > 0)
					next[(unsigned)left] += share;
				else
					for (unsigned n = 0; n < windows; n++)
						next[n] += share / windows;
			}
		}
		memcpy(now, next, sizeof(now));
	}
	return mean; /* of two turns */
}

static void answer(struct bench *bench, unsigned station, const struct wt_frame *frame)
{
	(void)frame;
	bench_send(bench, station, !station, station ? 40 : 1540, 0);
}

static void one_hop_with_answers_follows_from_air_time(void **state)
{
	const double none[2] = {0, 0};

	(void)state;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct way *way = &ways[i];
		struct bench bench = {.on_frame = answer};

		wt_air_config_init(&bench.config);
		assert_int_equal(wt_air_set_rates(&bench.config, way->data, way->basic, false), 0);
		bench_open(&bench, 2, string);
		bench_send(&bench, 0, 1, 1540, 0);
		bench_run(&bench, 60 * WT_S);
		close_to(60e6 / (double)bench.got[1], 2 * (way->sifs + 2 * way->slot) + mean_slots((unsigned)way->windows, none) * way->slot +
			 exchange_us(way, 1540) + exchange_us(way, 40), way, "one hop");
		bench_close(&bench);
	}
}

/* The first station senses the ACK of the third, and cannot read it: before its turn there is EIFS. */
static void forward(struct bench *bench, unsigned station, const struct wt_frame *frame)
{
	(void)frame;
	bench_send(bench, station == 2 ? 0 : 1, station == 2 ? 1 : 2, 1540, 0);
}

static void two_hops_follow_from_air_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const struct way *way = &ways[i];
		double difs = way->sifs + 2 * way->slot, more = way->sifs + way->ack;
		const double lead[2] = {more / way->slot, 0};
		struct bench bench = {.on_frame = forward};

		wt_air_config_init(&bench.config);
		assert_int_equal(wt_air_set_rates(&bench.config, way->data, way->basic, false), 0);
		bench_open(&bench, 3, string);
		bench_send(&bench, 0, 1, 1540, 0);
		bench_run(&bench, 120 * WT_S);
		close_to(120e6 / (double)bench.got[2], 2 * difs + more + mean_slots((unsigned)way->windows, lead) * way->slot +
			 2 * exchange_us(way, 1540), way, "two hops");
		bench_close(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_frame_takes_rts_cts_and_data),
		cmocka_unit_test(a_frame_to_all_takes_no_rts_and_no_ack),
		cmocka_unit_test(nobody_answers_and_the_frame_comes_back),
		cmocka_unit_test(routing_goes_first_and_the_queue_has_an_end),
		cmocka_unit_test(one_sender_has_the_throughput_of_its_air_time),
		cmocka_unit_test(one_hop_with_answers_follows_from_air_time),
		cmocka_unit_test(two_hops_follow_from_air_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
