/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues under a saturating newreno flow: 10 Mbit/s, 30 ms of round trip, a buffer of a megabyte. The standing delay is the
 * smoothed round trip above that of the empty path, in the mean after 10 s. Every bound says where it comes from.
 */
#include <math.h>

#include "tests/sim/scenarios.h"

#define LINK "rate 10Mbit burst 0B limit 1MB"
#define BACK "delay 15ms"

/* 30 ms, and a full frame and its ACK on the link: 1.2 ms */
#define EMPTY 31.2

struct mean {
	double sum;
	unsigned count;
};

static void on_interval(void *arg, const struct wt_bulk_interval *interval)
{
	struct mean *mean = arg;

	if (interval->from < 10 * WT_S)
		return;
	mean->sum += (double)interval->info.srtt / WT_MS;
	mean->count++;
}

/* The standing delay in ms; the share of the link that payload got in *used. */
static double standing(const char *fwd, double *used)
{
	struct setup setup = {.sender = "newreno", .receiver = "standard", .fwd = fwd, .rev = BACK};
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;
	struct mean mean = {0};

	prepare(&scenario, &setup);
	scenario.flow.time = 60 * WT_S;
	scenario.how.interval = 100 * WT_MS;
	scenario.how.on_interval = on_interval;
	scenario.how.arg = &mean;
	result = run(&scenario, &flow);
	assert_true(wt_simulation_ok(&result));
	assert_true(mean.count > 400);
	*used = wt_bulk_goodput(&flow) / (1250000.0 * 1448 / 1514);
	return mean.sum / mean.count - EMPTY;
}

/* With these words behind the rate the queue stands for between `least` and `most` ms, and `part` of the link is used. */
static void stands(const char *queue, double least, double most, double part)
{
	char fwd[200];
	double used, delay;

	snprintf(fwd, sizeof(fwd), LINK "%s delay 15ms", queue);
	delay = standing(fwd, &used);
	if (delay < least || delay > most || used < part)
		fail_msg("%.1f ms, %.3f used", delay, used);
}

/* What the queues below are there to prevent: the window, or the buffer, fills the queue. */
static void a_deep_drop_tail_queue_stands_for_a_hundred_milliseconds(void **state)
{
	stands("", 100, INFINITY, 0);
}

/* A Reno flow's queue swings between nothing and the peak CoDel allows: about the target, in the mean no more than twice. */
static void codel_keeps_the_standing_delay_near_its_target(void **state)
{
	/* one Reno flow under AQM with less than a pipe of queue: some of the link is given up (RFC 8289 has 5 ms for 100 ms) */
	stands(" queue codel", 0, 10, 0.85);
}

static void pie_keeps_the_delay_near_fifteen_milliseconds(void **state)
{
	stands(" queue pie", 7.5, 22.5, 0.9);
}

/* Our TCP is classic here: the controller is PI squared, with the same target. */
static void dualpi2_keeps_the_classic_delay_near_fifteen_milliseconds(void **state)
{
	stands(" queue dualpi2", 7.5, 22.5, 0.9);
}

/* 15 KB and 45 KB are 12 and 36 ms of this link. */
static void red_holds_the_average_between_its_thresholds(void **state)
{
	/* one flow that halves its window each time cannot keep the link full with a queue of half a pipe */
	stands(" queue red min 15KB max 45KB prob 10%", 6, 36, 0.8);
}

static void fq_codel_gives_flows_equal_shares(void **state)
{
	struct setup setup = {.sender = "newreno", .receiver = "standard", .fwd = LINK " queue fq_codel delay 15ms", .rev = BACK};
	struct wt_simulation_result result;
	struct scenario scenario;
	char err[256];
	double first, second;

	prepare(&scenario, &setup);
	scenario.flow.time = 60 * WT_S;
	scenario.flows = 2;
	if (simulate(&scenario, &result, err, sizeof(err)))
		fail_msg("%s", err);
	assert_true(wt_simulation_ok(&result));
	first = (double)result.flow[0].result.bytes;
	second = (double)result.flow[1].result.bytes;
	/* a robin of a frame each: what one does not use while it recovers is all that can differ */
	if (first / second < 0.95 || first / second > 1.05 || first + second < 0.9 * 60 * 1250000.0 * 1448 / 1514)
		fail_msg("%.0f and %.0f bytes", first, second);
	wt_simulation_result_finish(&result);
}

/* Handoffs each 2 s, to half the rate and back, with the queue kept: every byte arrives. */
static void a_transfer_survives_handoffs_and_bit_errors(void **state)
{
	struct setup setup = {.sender = "newreno", .receiver = "standard",
			      .fwd = LINK " corrupt 0.1% handoff every 2s for 50ms to-rate 5Mbit to-delay 5ms delay 15ms",
			      .rev = "delay 15ms corrupt 0.1% handoff every 2s for 50ms to-delay 5ms", .size = 5 << 20};
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;

	result = run_whole(&setup, &(struct wt_simulation){.checked = true}, &flow);
	assert_true(result.dropped[WT_DROP_HANDOFF] > 0);
	/* the receiver's checksums caught what was corrupted, at one host or the other */
	assert_true(result.dropped[WT_DROP_TCP_CSUM] + result.dropped[WT_DROP_IP_CSUM] > 0);
}

/* A path MTU below the hosts': DF segments are refused and the sender told; it goes on with smaller ones. */
static void the_sender_hears_of_the_path_mtu(void **state)
{
	struct setup setup = {.sender = "newreno", .receiver = "standard", .fwd = "mtu 1000B " LINK " delay 15ms", .rev = BACK,
			      .size = 1 << 20};
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;

	result = run_whole(&setup, &(struct wt_simulation){.checked = true}, &flow);
	assert_int_equal(result.dropped[WT_DROP_UNROUTED], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deep_drop_tail_queue_stands_for_a_hundred_milliseconds),
		cmocka_unit_test(codel_keeps_the_standing_delay_near_its_target),
		cmocka_unit_test(pie_keeps_the_delay_near_fifteen_milliseconds),
		cmocka_unit_test(dualpi2_keeps_the_classic_delay_near_fifteen_milliseconds),
		cmocka_unit_test(red_holds_the_average_between_its_thresholds),
		cmocka_unit_test(fq_codel_gives_flows_equal_shares),
		cmocka_unit_test(a_transfer_survives_handoffs_and_bit_errors),
		cmocka_unit_test(the_sender_hears_of_the_path_mtu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
