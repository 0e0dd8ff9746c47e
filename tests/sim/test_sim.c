/* SPDX-License-Identifier: BSD-2-Clause */
/* Scenarios with bounds. Every bound says where it comes from. */
#include <string.h>

#include "tests/sim/scenarios.h"

/* 10 Mbit/s carry 1250000 bytes a second; a full frame is 1514 bytes, 1448 of them payload (20 IP, 20 TCP, 12 timestamps, 14 Ethernet). */
#define CLEAN_LINK "rate 10Mbit burst 0B limit 8MB delay 15ms"
#define CLEAN_RATE (1250000.0 * 1448 / 1514)

static const struct {
	const char *sender, *receiver;
} variants[] = {{"tahoe", "standard"}, {"reno", "standard"}, {"newreno", "standard"}, {"real:profile=paper", "real:profile=paper"},
		{"real:profile=paper-slow", "real:profile=paper-slow"}, {"real:profile=safe", "real:profile=safe"}};

#define EACH(i) for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)

static void every_module_fills_a_clean_link_and_none_beats_it(void **state)
{
	EACH(i) {
		struct setup setup = {.sender = variants[i].sender, .receiver = variants[i].receiver, .fwd = CLEAN_LINK,
				      .rev = CLEAN_LINK, .size = 20 << 20};
		struct wt_bulk_sender flow;
		double goodput;

		run_whole(&setup, NULL, &flow);
		goodput = wt_bulk_goodput(&flow);
		/* 17.5 s of data; the handshake and a slow start to 26 segments (one path) take a dozen round trips of 30 ms at most: 2 %.
		 * paper-slow grows a segment in two round trips: 24 levels take 24 x 4 x 30 ms, at half the rate in the mean: another 6 %. */
		if (goodput < (strstr(variants[i].sender, "slow") ? 0.92 : 0.98) * CLEAN_RATE || goodput > CLEAN_RATE)
			fail_msg("%s: %.0f bytes/s of %.0f", variants[i].sender, goodput, CLEAN_RATE);
		assert_true(flow.info.retransmits_segs == 0 && flow.info.timeouts == 0);
	}
}

/* ---- TCP-Real on a clean path ------------------------------------------------------------------------- */

struct climb {
	struct wt_trace_sink sink;
	unsigned count, levels[64];
};

static void note_level(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct climb *climb = (struct climb *)sink;

	if (event->type == WT_TRACE_LEVEL && climb->count < 64)
		climb->levels[climb->count++] = (unsigned)(event->field[0] >> 8);
}

static void tcp_real_climbs_1_1_2_4_8_16_24_on_a_clean_path_and_stays(void **state)
{
	/* The first 1 is what is announced before any wave is measured; the waves say the rest. */
	static const unsigned expected[] = {1, 2, 4, 8, 16, 24};
	struct setup setup = {.preset = "bsd90", .sender = "real:profile=paper,opt=paper4",
			      .receiver = "real:profile=paper,opt=paper4", .fwd = CLEAN_LINK, .rev = CLEAN_LINK, .size = 5 << 20};
	struct climb climb = {.sink = {note_level}};
	struct wt_bulk_sender flow;

	run_whole(&setup, &(struct wt_simulation){.sink[1] = &climb.sink}, &flow);
	assert_true(climb.count >= 20);
	for (unsigned i = 0; i < climb.count; i++)
		assert_int_equal(climb.levels[i], i < 6 ? expected[i] : 24);
	assert_int_equal((int)flow.info.gauge[0], 24);
	assert_int_equal(flow.info.cwnd, 2 * 24 * 1024);
}

static void a_real_sender_falls_back_before_a_standard_receiver_and_completes(void **state)
{
	struct setup setup = {.sender = "real", .receiver = "standard", .fwd = CLEAN_LINK, .rev = CLEAN_LINK, .size = 5 << 20};
	struct wt_bulk_sender flow;

	run_whole(&setup, NULL, &flow);
	assert_true(flow.info.fallback);
	/* as NewReno from there on: the link is filled, 4.4 s of data with half a second to start */
	assert_true(wt_bulk_goodput(&flow) > 0.88 * CLEAN_RATE);
}

static void a_standard_sender_ignores_a_real_receiver(void **state)
{
	struct setup setup = {.sender = "reno", .receiver = "real", .fwd = CLEAN_LINK, .rev = CLEAN_LINK, .size = 1 << 20};
	struct wt_bulk_sender flow;

	run_whole(&setup, NULL, &flow);
	assert_string_equal(flow.result.receiver, "real");
}

/* ---- losses ------------------------------------------------------------------------------------------- */

static void five_mib_arrive_byte_for_byte_through_loss_reordering_and_duplication(void **state)
{
	static const char *const presets[] = {"modern", "bsd90"};

	EACH(i) for (unsigned p = 0; p < 2; p++) {
		struct setup setup = {.preset = presets[p], .sender = variants[i].sender, .receiver = variants[i].receiver,
				      .fwd = "rate 10Mbit burst 0B limit 128KB loss 1% duplicate 1% reorder 2% delay 4ms delay 10ms",
				      .rev = "rate 10Mbit burst 0B limit 128KB loss 1% duplicate 1% reorder 2% delay 4ms delay 10ms",
				      .size = 5 << 20, .seed = 7 + i};
		struct wt_simulation_result result;
		struct wt_bulk_sender flow;

		result = run_whole(&setup, &(struct wt_simulation){.checked = true}, &flow);
		/* The path did what it was told: about 1 % of 3600 or 5120 frames were lost one way, fewer than 10 would be a wonder. */
		assert_true(result.dropped[WT_DROP_LOSS] > 10);
		assert_true(flow.info.retransmits_segs > 0 && flow.result.dup_segs > 0 && flow.result.out_of_order_segs > 0);
	}
}

static void a_handoff_is_survived_and_the_time_lost_is_bounded(void **state)
{
	EACH(i) {
		struct setup setup = {.sender = variants[i].sender, .receiver = variants[i].receiver,
				      .fwd = "rate 10Mbit burst 0B limit 256KB outage every 5s for 500ms at 2s delay 15ms",
				      .rev = "rate 10Mbit burst 0B limit 256KB outage every 5s for 500ms at 2s delay 15ms", .size = 10 << 20};
		struct wt_simulation_result result;
		struct wt_bulk_sender flow;

		result = run_whole(&setup, NULL, &flow);
		/* 8.8 s of data; an outage of 0.5 s costs at most 0.5 s, a doubled RTO behind it (200 ms doubled to under 1.6 s) and the
		 * recovery of a full queue (2 s at the most): the path is used at least 40 % of the time */
		if (wt_bulk_goodput(&flow) < 0.4 * CLEAN_RATE)
			fail_msg("%s: %.0f bytes/s", variants[i].sender, wt_bulk_goodput(&flow));
		assert_true(result.dropped[WT_DROP_OUTAGE] > 0);
	}
}

/* A slow-start overshoot of a long fat path drops every other segment: hundreds of holes, each resent once, nothing else. */
static void hundreds_of_holes_in_one_window_are_each_filled_once(void **state)
{
	struct setup setup = {.settings = "snd_buffer=16MiB,rcv_buffer=16MiB", .fwd = "rate 1Gbit burst 0B limit 2MB delay 20ms",
			      .rev = "delay 20ms", .size = 100 << 20};
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;

	result = run_whole(&setup, NULL, &flow);
	assert_true(result.dropped[WT_DROP_QUEUE] > 200);
	/* each once, and in each recovery the last segment may go again though it was not lost (RFC 6675 4, NextSeg rule 4) */
	assert_in_range(flow.info.retransmits_segs - result.dropped[WT_DROP_QUEUE], 0, flow.info.fast_recoveries);
	assert_int_equal(flow.info.timeouts, 0);
}

static void a_path_that_never_delivers_ends_the_connection_with_a_time_out(void **state)
{
	struct setup setup = {.sender = "newreno", .receiver = "standard", .fwd = "loss 100%", .rev = "", .size = 1000};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;

	prepare(&scenario, &setup);
	result = run(&scenario, &flow);
	assert_int_equal(result.fail, WT_BULK_CONNECT);
	assert_int_equal(result.error, -110 /* ETIMEDOUT */);
	assert_false(result.out_of_time);
	/* 1 s doubled six times and then 60 s twice, the most (RFC 6298 2.5, 5.5): 183 s, and MUST-23 wants 180 */
	assert_in_range(result.simulated, 183 * WT_S, 184 * WT_S);
}

static void a_path_that_dies_in_mid_stream_breaks_the_connection(void **state)
{
	struct setup setup = {.preset = "bsd90", .sender = "reno", .receiver = "standard",
			      .fwd = "rate 1Mbit burst 0B limit 64KB outage at 1s for 24h", .rev = "delay 5ms", .size = 1 << 20};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;

	prepare(&scenario, &setup);
	result = run(&scenario, &flow);
	assert_int_equal(result.fail, WT_BULK_BROKEN);
	assert_int_equal(result.error, -110);
	assert_true(flow.acked == 0);
}

/* ---- many flows, limits ------------------------------------------------------------------------------- */

static void sixteen_flows_share_a_link_and_all_arrive(void **state)
{
	struct setup setup = {.sender = "newreno", .receiver = "standard", .fwd = "rate 20Mbit burst 0B limit 128KB delay 10ms",
			      .rev = "rate 20Mbit burst 0B limit 128KB delay 10ms", .size = 1 << 20};
	struct wt_simulation_result result;
	struct scenario scenario;
	wt_time last = 0;
	char err[256];

	prepare(&scenario, &setup);
	scenario.flows = 16;
	assert_int_equal(simulate(&scenario, &result, err, sizeof(err)), 0);
	for (unsigned i = 0; i < 16; i++) {
		assert_whole(&result, &result.flow[i], 1 << 20);
		last = wt_time_max(last, result.flow[i].acked);
	}
	/* 16 MiB at 20 Mbit/s take 7.0 s at the least; half the link's rate is what a lossy drop-tail queue may cost */
	assert_in_range(last, 7 * WT_S, 14 * WT_S);
	wt_simulation_result_finish(&result);
}

static void a_transfer_by_time_ends_on_time(void **state)
{
	struct setup setup = {.sender = "reno", .receiver = "standard", .fwd = CLEAN_LINK, .rev = CLEAN_LINK,
			      .settings = "snd_buffer=64KB"};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;

	prepare(&scenario, &setup);
	scenario.flow.time = 10 * WT_S;
	result = run(&scenario, &flow);
	assert_whole(&result, &flow, flow.written);
	/* connected after one round trip, then 10 s, then the send buffer (64 KB: 56 ms) and a round trip */
	assert_in_range(flow.acked, 10 * WT_S, 10 * WT_S + 200 * WT_MS);
	assert_true((double)flow.written > 0.95 * 10 * CLEAN_RATE);
}

static void equal_seeds_give_equal_runs_and_other_seeds_others(void **state)
{
	struct setup setup = {.preset = "bsd90", .sender = "reno", .receiver = "standard",
			      .fwd = "rate 2Mbit burst 0B limit 128KB loss gilbert on 1s 10% off 1s 0% shared delay 15ms",
			      .rev = "rate 2Mbit burst 0B limit 128KB loss gilbert on 1s 10% off 1s 0% shared delay 15ms", .size = 1 << 20};
	struct scenario scenario;
	struct wt_bulk_sender flow;
	uint64_t first, second;

	prepare(&scenario, &setup);
	scenario.how.digest = true;
	first = run(&scenario, &flow).digest;
	second = run(&scenario, &flow).digest;
	assert_true(first == second && first != 0);
	scenario.seed++;
	assert_true(run(&scenario, &flow).digest != first);
}

static void what_observes_a_run_does_not_change_it(void **state)
{
	struct setup setup = {.sender = "real", .receiver = "real", .fwd = "rate 5Mbit burst 0B limit 64KB loss 2% delay 10ms",
			      .rev = "delay 10ms loss 2%", .size = 1 << 20};
	struct wt_simulation_result plain, watched;
	struct scenario scenario;
	struct wt_bulk_sender flow;

	prepare(&scenario, &setup);
	scenario.how.digest = true;
	plain = run(&scenario, &flow);
	scenario.how.checked = true;
	scenario.how.capture = "test_sim.pcapng";
	scenario.how.trace = "test_sim.jsonl";
	watched = run(&scenario, &flow);
	remove("test_sim.pcapng");
	remove("test_sim-host-b.pcapng");
	remove("test_sim-drops.pcapng");
	remove("test_sim.jsonl");
	assert_true(plain.digest == watched.digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_module_fills_a_clean_link_and_none_beats_it),
		cmocka_unit_test(tcp_real_climbs_1_1_2_4_8_16_24_on_a_clean_path_and_stays),
		cmocka_unit_test(a_real_sender_falls_back_before_a_standard_receiver_and_completes),
		cmocka_unit_test(a_standard_sender_ignores_a_real_receiver),
		cmocka_unit_test(five_mib_arrive_byte_for_byte_through_loss_reordering_and_duplication),
		cmocka_unit_test(a_handoff_is_survived_and_the_time_lost_is_bounded),
		cmocka_unit_test(hundreds_of_holes_in_one_window_are_each_filled_once),
		cmocka_unit_test(a_path_that_never_delivers_ends_the_connection_with_a_time_out),
		cmocka_unit_test(a_path_that_dies_in_mid_stream_breaks_the_connection),
		cmocka_unit_test(sixteen_flows_share_a_link_and_all_arrive),
		cmocka_unit_test(a_transfer_by_time_ends_on_time),
		cmocka_unit_test(equal_seeds_give_equal_runs_and_other_seeds_others),
		cmocka_unit_test(what_observes_a_run_does_not_change_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
