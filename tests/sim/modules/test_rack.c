/* SPDX-License-Identifier: BSD-2-Clause */
/* Recovery over emulated paths: no needless timeout, nothing undone that was lost, and every granularity of the clock. */
#include "tests/sim/scenarios.h"

struct watch {
	struct wt_trace_sink sink;
	unsigned undone, timeouts;
};

static void watch(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct watch *w = (struct watch *)sink;

	w->undone += event->type == WT_TRACE_UNDONE;
	w->timeouts += event->type == WT_TRACE_RTO;
}

static struct wt_bulk_sender flow_of(const struct setup *setup, struct watch *w, struct wt_simulation_result *result)
{
	struct wt_bulk_sender flow;
	struct scenario scenario;

	prepare(&scenario, setup);
	*w = (struct watch){.sink = {watch}};
	scenario.how.sink[0] = &w->sink;
	*result = run(&scenario, &flow);
	assert_whole(result, &flow, setup->size);
	return flow;
}

/*
 * A path that keeps the order loses each segment that is held lost. So an undone reduction is a mistake. It was one where a recovery
 * began while a copy of the one before was out: the ACK of that copy echoed a time from before the first copy of the new one.
 */
static void losses_without_reordering_are_never_undone(void **state)
{
	static const char *const recoveries[] = {"rack", "fack", "sack"};
	static const char *const losses[] = {"1%", "5%", "20%"};

	for (unsigned r = 0; r < 3; r++)
		for (unsigned l = 0; l < 3; l++)
			for (uint64_t seed = 1; seed <= 3; seed++) {
				struct setup setup = {.sender = "cubic", .recovery = recoveries[r], .rev = "delay 20ms", .size = 2000000, .seed = seed};
				struct wt_simulation_result result;
				char fwd[100];
				struct watch w;

				snprintf(fwd, sizeof(fwd), "rate 20Mbit burst 0B limit 200KB delay 20ms loss %s", losses[l]);
				setup.fwd = fwd;
				flow_of(&setup, &w, &result);
				assert_int_equal(w.undone, 0);
			}
}

/*
 * At 3 % loss the window is some seven segments. A timeout then takes a copy that is lost while nothing else is in flight: RFC 8985
 * sends no probe in recovery. Of 4200 copies 3 % are lost again, and of these the few that flew alone.
 */
static void at_three_percent_loss_ten_transfers_need_one_timeout_at_most(void **state)
{
	unsigned timeouts = 0;

	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct setup setup = {.sender = "cubic", .recovery = "rack", .fwd = "rate 20Mbit burst 0B limit 200KB delay 20ms loss 3%",
				      .rev = "delay 20ms", .size = 20000000, .seed = seed};
		struct wt_simulation_result result;
		struct watch w;

		flow_of(&setup, &w, &result);
		timeouts += w.timeouts;
	}
	assert_true(timeouts <= 1);
}

static const char *const ticks[] = {"1us", "10us", "100us", "1ms", "4ms", "10ms", "50ms", "100ms", "200ms", "500ms"};

#define TICKS (sizeof(ticks) / sizeof(ticks[0]))

static const char *const recoveries[] = {"tahoe", "reno", "newreno", "newreno:early_retransmit=on", "sack", "sack:early_retransmit=on",
					 "sack:prr=off", "fack", "rack", "rack:tlp=off", "rack:prr=off", "rack:frto=off"};

#define RECOVERIES (sizeof(recoveries) / sizeof(recoveries[0]))

/*
 * Goodput falls by what timers wait for a tick, never to a standstill; what is sent again is what was lost, and a tail now and then. Tahoe alone
 * sends again what arrived. To Reno the duplicates of what flew before a timeout are a second loss (RFC 6582 3.2 step 1 is about that), and its
 * needless copy is undone by D-SACK.
 */
static void every_tick_of_the_clock_recovers_and_resends_what_was_lost(void **state)
{
	for (unsigned r = 0; r < RECOVERIES; r++) {
		wt_time exact = 0;

		for (unsigned i = 0; i < TICKS; i++) {
			struct setup setup = {.sender = "cubic", .recovery = recoveries[r], .rev = "delay 20ms", .size = 2000000,
					      .fwd = "rate 10Mbit burst 0B limit 100KB delay 20ms loss 3%"};
			struct wt_simulation_result result;
			struct wt_bulk_sender flow;
			char settings[40];
			struct watch w;

			snprintf(settings, sizeof(settings), "tick=%s", ticks[i]);
			setup.settings = settings;
			flow = flow_of(&setup, &w, &result);
			exact = exact ? exact : result.simulated;
			assert_true(result.simulated < exact + exact / 4);
			if (w.timeouts > 3 || (w.undone && r != 1))
				fail_msg("%s, tick %s: %u timeouts, %u undone", recoveries[r], ticks[i], w.timeouts, w.undone);
			assert_true(flow.info.retransmits_segs >= result.dropped[WT_DROP_LOSS] / 2);
			assert_true(r == 0 || flow.info.retransmits_segs <= result.dropped[WT_DROP_LOSS] + result.dropped[WT_DROP_QUEUE] + 5);
		}
	}
}

/*
 * Nothing is lost, but what is sent from second 1 to 4 takes 3 s, and from 7 to 10, 13 to 16: every timeout in it is needless, and Eifel finds that
 * by timestamps. What is sent again is copies of timeouts and probes; going back would repeat three flights of 69.
 */
static void eifel_undoes_needless_timeouts_at_every_tick(void **state)
{
	static const struct {
		const char *recovery, *settings;
	} way[] = {{"newreno", "timestamps=on,rcv_buffer=100KB"}, {"sack", "timestamps=on,rcv_buffer=100KB"}, {"fack", "timestamps=on,rcv_buffer=100KB"},
		   {"rack:frto=off", "timestamps=on,rcv_buffer=100KB"}};

	for (unsigned r = 0; r < 4; r++)
		for (unsigned i = 0; i < TICKS; i++) {
			struct setup setup = {.sender = "cubic", .recovery = way[r].recovery, .size = 4000000,
					      .rev = "handoff every 3s for 1ms drop 0% at 1s to-delay 20ms delay 20ms",
					      .fwd = "handoff every 3s for 1ms drop 0% at 1s to-delay 3s rate 10Mbit burst 0B limit 1MB delay 20ms"};
			struct wt_simulation_result result;
			struct wt_bulk_sender flow;
			char settings[80];
			struct watch w;

			snprintf(settings, sizeof(settings), "tick=%s,%s", ticks[i], way[r].settings);
			setup.settings = settings;
			flow = flow_of(&setup, &w, &result);
			if (!w.timeouts || !w.undone || flow.info.retransmits_segs > 30)
				fail_msg("%s, %s, tick %s: %u timeouts, %u undone, %u sent again", way[r].recovery, way[r].settings, ticks[i],
					 w.timeouts, w.undone, (unsigned)flow.info.retransmits_segs);
		}
}

/*
 * Two packets in a hundred come 4 ms late, by 3 or 4 places: within a quarter of the round trip, so RACK resends next to nothing. The peer's
 * window keeps the queue from overflowing.
 */
static void reordering_within_a_quarter_of_the_round_trip_costs_rack_next_to_nothing_at_any_tick(void **state)
{
	for (unsigned i = 0; i < TICKS; i++) {
		struct setup setup = {.sender = "cubic", .recovery = "rack", .rev = "delay 20ms", .size = 10000000,
				      .fwd = "rate 10Mbit burst 0B limit 200KB reorder 2% delay 4ms delay 20ms"};
		struct wt_simulation_result result;
		struct wt_bulk_sender flow;
		char settings[40];
		struct watch w;

		snprintf(settings, sizeof(settings), "tick=%s,rcv_buffer=64KB", ticks[i]);
		setup.settings = settings;
		flow = flow_of(&setup, &w, &result);
		if (result.dropped[WT_DROP_QUEUE] + 20 < flow.info.retransmits_segs || w.timeouts)
			fail_msg("tick %s: %u dropped, %u sent again, %u timeouts", ticks[i], (unsigned)result.dropped[WT_DROP_QUEUE],
				 (unsigned)flow.info.retransmits_segs, w.timeouts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_without_reordering_are_never_undone),
		cmocka_unit_test(at_three_percent_loss_ten_transfers_need_one_timeout_at_most),
		cmocka_unit_test(every_tick_of_the_clock_recovers_and_resends_what_was_lost),
		cmocka_unit_test(eifel_undoes_needless_timeouts_at_every_tick),
		cmocka_unit_test(reordering_within_a_quarter_of_the_round_trip_costs_rack_next_to_nothing_at_any_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
