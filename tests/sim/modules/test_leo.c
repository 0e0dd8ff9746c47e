/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders and receivers that know when the path fails: what that knowledge is worth. */
#include "tests/sim/scenarios.h"

struct watch {
	struct wt_trace_sink sink;
	double before, least; /* window just before 12 s; least of it in the 600 ms that follow */
};

static void watch(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct watch *w = (struct watch *)sink;
	double cwnd = (double)event->field[0];

	if (event->type != WT_TRACE_METRICS)
		return;
	if (event->time < 12 * WT_S)
		w->before = w->least = cwnd;
	else if (event->time < 12600 * WT_MS && cwnd < w->least)
		w->least = cwnd;
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

/*
 * Every 15 s from 12 s on a third of the packets of 300 ms is lost, the rest of the path is clean. The window stays as it is, where
 * NewReno's falls. That the path itself did not change is why a wrong schedule costs nothing here: ssthresh is the model's then.
 */
static void the_window_survives_a_reconfiguration_at_a_known_time(void **state)
{
	static const char fwd[] = "outage every 15s for 300ms at 12s drop 30% rate 50Mbit burst 0B limit 100KB delay 50ms";
	static const char settings[] = "snd_buffer=4MB,rcv_buffer=4MB";
	struct wt_bulk_sender flow;
	struct watch known, reno;
	double knows = megabits("leo", NULL, fwd, "delay 50ms", settings, &flow, &known), slow;

	slow = megabits("newreno", NULL, fwd, "delay 50ms", settings, &flow, &reno);
	assert_true(known.before > 100000 && known.least == known.before);
	assert_true(reno.least < 0.75 * reno.before);
	assert_true(knows > 1.3 * slow);
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
		cmocka_unit_test(the_window_survives_a_reconfiguration_at_a_known_time),
		cmocka_unit_test(a_frozen_sender_has_no_timeout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
