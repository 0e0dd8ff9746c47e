/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders and receivers that know when the path fails: what that knowledge is worth. */
#include "tests/sim/scenarios.h"

enum { FOUND_MAX = 32 };

struct watch {
	struct wt_trace_sink sink;
	unsigned found;
	double found_s[FOUND_MAX];
};

static void watch(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct watch *w = (struct watch *)sink;

	unsigned place = 0;

	if (event->type != WT_TRACE_METRICS || !event->gauges)
		return;
	while (event->gauges[place] && strcmp(event->gauges[place], "reconfigurations")) /* NULL ends the names */
		place++;
	if (!event->gauges[place])
		return;
	while (w->found < FOUND_MAX && w->found < (unsigned)event->gauge[place])
		w->found_s[w->found++] = (double)event->time / WT_S;
}

static double megabits(const char *sender, const char *receiver, const char *fwd, const char *rev, const char *settings, struct wt_bulk_sender *flow,
		       struct watch *w)
{
	struct setup setup = {.settings = settings, .sender = sender, .receiver = receiver, .fwd = fwd, .rev = rev, .size = 100000000};
	struct wt_simulation_result result;
	struct scenario scenario;

	prepare(&scenario, &setup);
	*w = (struct watch){.sink = {watch}};
	scenario.how.sink[0] = &w->sink;
	result = run(&scenario, flow);
	assert_whole(&result, flow, setup.size);
	return 100e6 * 8 / 1e6 / ((double)result.simulated / WT_S);
}

/* Every 5 s nothing passes for 80 ms, over 45 ms at 20 Mbit/s: each silence is found when it ends, a round trip after it began or so. */
static void every_silence_is_a_reconfiguration(void **state)
{
	static const char path[] = "outage every 5s for 80ms rate 20Mbit burst 0B limit 100KB delay 20ms";
	struct wt_bulk_sender flow;
	struct watch w;

	megabits("leo", NULL, path, path, "", &flow, &w);
	assert_true(w.found >= 8);
	for (unsigned i = 0; i < w.found; i++)
		assert_true(w.found_s[i] > 5 * (i + 1) + 0.08 && w.found_s[i] < 5 * (i + 1) + 0.08 + 0.2);
}

/* Losses, a queue that comes and goes, and reordering are no silence. */
static void losses_are_no_reconfiguration(void **state)
{
	static const char *const path[] = {"rate 20Mbit burst 0B limit 100KB delay 20ms loss 5%", "rate 20Mbit burst 0B limit 300KB delay 2ms",
					   "rate 20Mbit burst 0B limit 100KB reorder 2% delay 10ms delay 20ms", "rate 300kbit burst 0B limit 20KB delay 20ms"};
	struct wt_bulk_sender flow;
	struct watch w;

	for (unsigned i = 0; i < 3; i++) {
		megabits("leo", NULL, path[i], "delay 20ms", "", &flow, &w);
		assert_int_equal(w.found, 0);
	}
}

/* With a schedule the clock says when, and silence says nothing. */
static void a_schedule_says_the_times(void **state)
{
	struct wt_bulk_sender flow;
	struct watch w;

	megabits("leo:gap=0s,period=6s,offset=2s", NULL, "outage every 5s for 80ms rate 20Mbit burst 0B limit 100KB delay 20ms", "delay 20ms", "", &flow,
		 &w);
	assert_true(w.found >= 6);
	for (unsigned i = 0; i < w.found; i++)
		assert_true(w.found_s[i] >= 2 + 6 * i && w.found_s[i] < 2 + 6 * i + 0.2);
}

/* The window closes 100 ms before 3 s of outage: nothing is lost, no timer backs off, the sender goes on at once. */
static void a_frozen_sender_has_no_timeout(void **state)
{
	static const char fwd[] = "outage at 5s for 3s rate 10Mbit burst 0B limit 60KB delay 20ms", rev[] = "outage at 5s for 3s delay 20ms";
	struct wt_bulk_sender flow;
	struct watch w;
	double frozen = megabits("cubic", "freeze:at=5s,lasts=3s", fwd, rev, "rcv_buffer=64KB", &flow, &w), thawed;

	assert_int_equal(flow.info.timeouts, 0);
	thawed = megabits("cubic", NULL, fwd, rev, "rcv_buffer=64KB", &flow, &w);
	assert_true(flow.info.timeouts >= 4);
	assert_true(frozen > thawed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_silence_is_a_reconfiguration),
		cmocka_unit_test(losses_are_no_reconfiguration),
		cmocka_unit_test(a_schedule_says_the_times),
		cmocka_unit_test(a_frozen_sender_has_no_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
