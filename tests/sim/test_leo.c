/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders and receivers that know when the path fails: what that knowledge is worth, and that a wrong schedule is worth nothing. */
#include "tests/sim/scenarios.h"

static double megabits(const char *sender, const char *receiver, const char *fwd, const char *rev, const char *settings, struct wt_bulk_sender *flow)
{
	struct setup setup = {.settings = settings, .sender = sender, .receiver = receiver, .fwd = fwd, .rev = rev, .size = 250000000};
	struct wt_simulation_result result;
	struct scenario scenario;

	prepare(&scenario, &setup);
	result = run(&scenario, flow);
	assert_whole(&result, flow, setup.size);
	return 250e6 * 8 / 1e6 / ((double)result.simulated / WT_S);
}

/*
 * Every 15 s from 12 s on a third of the packets of 300 ms is lost, the rest of the path is clean. Reno's reduction costs it
 * seconds; most of the gain is the model that sets ssthresh, the schedule adds a few percent. */
static void the_window_survives_a_reconfiguration_at_a_known_time(void **state)
{
	static const char fwd[] = "outage every 15s for 300ms at 12s drop 30% rate 50Mbit burst 0B limit 100KB delay 50ms";
	static const char settings[] = "snd_buffer=4MB,rcv_buffer=4MB";
	struct wt_bulk_sender flow;
	double knows = megabits("leo", NULL, fwd, "delay 50ms", settings, &flow), wrong, reno;

	wrong = megabits("leo:offset=5s", NULL, fwd, "delay 50ms", settings, &flow);
	reno = megabits("newreno", NULL, fwd, "delay 50ms", settings, &flow);
	if (knows < 1.02 * wrong || knows < 1.3 * reno)
		fail_msg("%.2f Mbit/s with the schedule, %.2f with a wrong one, %.2f by NewReno", knows, wrong, reno);
}

/* The window closes 100 ms before 3 s of outage: nothing is lost, no timer backs off, the sender goes on at once. */
static void a_frozen_sender_has_no_timeout(void **state)
{
	static const char fwd[] = "outage at 5s for 3s rate 10Mbit burst 0B limit 60KB delay 20ms", rev[] = "outage at 5s for 3s delay 20ms";
	struct wt_bulk_sender flow;
	double frozen = megabits("cubic", "freeze:at=5s,lasts=3s", fwd, rev, "rcv_buffer=64KB", &flow), thawed;

	assert_int_equal(flow.info.timeouts, 0);
	thawed = megabits("cubic", NULL, fwd, rev, "rcv_buffer=64KB", &flow);
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
