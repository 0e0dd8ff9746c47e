/* SPDX-License-Identifier: BSD-2-Clause */
/* LEDBAT++ at its target: the queue that it adds is the emulator's, seen from outside in the round trips. */
#include "tests/sim/scenarios.h"

struct watch {
	struct wt_trace_sink sink;
	wt_time from;
	double sum, most;
	unsigned samples, slowdowns;
	bool slow;
};

static void watch(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct watch *w = (struct watch *)sink;
	double queue = 0;

	if (event->type == WT_TRACE_METRICS) {
		w->slowdowns += !w->slow && event->gauge[2] != 0;
		w->slow = event->gauge[2] != 0;
	}
	if (event->type != WT_TRACE_RTT || event->time < w->from || w->slow)
		return;
	queue = (double)event->field[0] / WT_MS - 40;
	w->sum += queue;
	w->samples++;
	w->most = queue > w->most ? queue : w->most;
}

static struct wt_simulation_result flow_of(const char *sender, struct wt_bulk_sender *flow, struct watch *w)
{
	struct setup setup = {.settings = "snd_buffer=4MB,rcv_buffer=4MB", .sender = sender, .rev = "delay 20ms",
			      .fwd = "rate 10Mbit burst 0B limit 1MB delay 20ms", .size = 40000000};
	struct wt_simulation_result result;
	struct scenario scenario;

	prepare(&scenario, &setup);
	scenario.how.sink[0] = &w->sink;
	w->sink.event = watch;
	result = run(&scenario, flow);
	assert_whole(&result, flow, setup.size);
	return result;
}

/* 40 ms of path: GAIN = 1 / ceil(120/40) = 1/3 of a segment, 0.4 ms of this link, a round trip: it stays near the target. */
static void it_fills_the_link_with_sixty_milliseconds_of_queue(void **state)
{
	struct watch w = {.from = 10 * WT_S};
	struct wt_bulk_sender flow;
	struct wt_simulation_result result = flow_of("ledbat", &flow, &w);

	assert_true(w.samples > 1000);
	assert_true(w.sum / w.samples > 40 && w.sum / w.samples < 63);
	assert_true(w.most < 75);
	assert_true(w.slowdowns >= 2);
	/* a slowdown takes a tenth of the time at most (draft 4.4) */
	assert_true(40e6 * 8 / ((double)result.simulated / WT_S) > 0.88 * 10e6 * 1448 / 1514);
}

static void the_target_is_a_parameter(void **state)
{
	struct watch w = {.from = 10 * WT_S};
	struct wt_bulk_sender flow;

	flow_of("ledbat:target=20ms", &flow, &w);
	assert_true(w.sum / w.samples > 12 && w.sum / w.samples < 22);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_fills_the_link_with_sixty_milliseconds_of_queue),
		cmocka_unit_test(the_target_is_a_parameter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
