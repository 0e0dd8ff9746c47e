/* SPDX-License-Identifier: BSD-2-Clause */
/* BBR's model against the emulator's: bandwidth and round trip are what the link was made of, and the states come in their order. */
#include <math.h>
#include <string.h>

#include "tests/sim/scenarios.h"

#define LINK 50e6 /* bit/s, on the wire */
#define PAYLOAD (LINK / 8 * 1448 / 1514) /* bytes per second of payload that fit through it */
#define STATES 4000

/* What the module shows over time. */
struct watch {
	struct wt_trace_sink sink;
	const char *settings; /* of the flow; NULL: buffers of 8 MB */
	double from_s, least, most, last, startup; /* bandwidth over that of the link: after from_s; when Startup ended */
	double min_rtt_ms;
	double now, area, seconds; /* after from_s: bandwidth times time, and time */
	struct {
		double at_s;
		unsigned state;
	} state[STATES];
	unsigned states;
};

static void watch(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct watch *w = (struct watch *)sink;
	double now = (double)event->time / WT_S;
	unsigned state;

	if (event->type != WT_TRACE_METRICS)
		return;
	assert_string_equal(event->gauges[0], "bandwidth_Bps");
	assert_string_equal(event->gauges[1], "min_rtt_ms");
	assert_string_equal(event->gauges[2], "state");
	state = (unsigned)event->gauge[2];
	if (w->now > 0 && w->now >= w->from_s) {
		w->area += (now - w->now) * w->last;
		w->seconds += now - w->now;
	}
	w->now = now;
	w->last = event->gauge[0] / PAYLOAD;
	w->min_rtt_ms = event->gauge[1];
	if (!w->states || w->state[w->states - 1].state != state) {
		assert_true(w->states < STATES);
		if (w->states == 1)
			w->startup = w->last;
		w->state[w->states].state = state;
		w->state[w->states++].at_s = now;
	}
	if (now < w->from_s)
		return;
	w->least = w->least == 0 || w->last < w->least ? w->last : w->least;
	w->most = w->last > w->most ? w->last : w->most;
}

/* 40 ms and two BDP of buffer. */
static struct wt_bulk_sender flow_of(const char *sender, uint64_t seed, const char *fwd, const char *rev, uint64_t size, struct watch *w)
{
	struct setup setup = {.settings = w->settings ? w->settings : "snd_buffer=8MB,rcv_buffer=8MB", .sender = sender, .seed = seed, .fwd = fwd,
			      .rev = rev, .size = size};
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;
	struct scenario scenario;

	prepare(&scenario, &setup);
	scenario.how.sink[0] = &w->sink;
	w->sink.event = watch;
	result = run(&scenario, &flow);
	assert_whole(&result, &flow, size);
	return flow;
}

static const char *const modules[] = {"bbr", "bbr3", NULL};

static void bandwidth_stays_within_a_twentieth_of_the_link_without_loss_and_with_two_percent(void **state)
{
	static const char *const fwd[] = {"rate 50Mbit burst 0B limit 500KB delay 20ms", "rate 50Mbit burst 0B limit 500KB delay 20ms loss 2%"};

	for (unsigned m = 0; modules[m]; m++)
		for (unsigned i = 0; i < 2; i++) {
			bool yields = m && i; /* version 3 takes more than 2 % of a flight for too much, so it sends less */
			struct watch w = {.from_s = 2};

			flow_of(modules[m], 1, fwd[i], "delay 20ms", 100000000, &w);
			assert_true(w.least > (yields ? 0.3 : 0.95) && w.most < 1.05);
			assert_true(fabs(w.min_rtt_ms - 40) < 1);
		}
}

/*
 * Of what the link lets through a fifth is lost behind it, so 0.8 of it is delivered; 1.25 * 0.8 = 1 then is no growth, and the
 * least setback stays (Cardwell et al. 2016, figure 8). While Startup fills the link the filter must see it as it is: 165
 * segments in a round trip, of which 33 +- 5 are lost, and the greatest of some ten such rounds. Lost ACKs must cost nothing.
 */
static void bandwidth_is_what_is_delivered_at_twenty_percent_loss_and_never_more_than_the_link(void **state)
{
	for (unsigned m = 0; modules[m]; m++) {
		struct watch w = {.from_s = 0};

		flow_of(modules[m], 1, "rate 50Mbit burst 0B limit 500KB delay 20ms loss 20%", "delay 20ms", m ? 2000000 : 20000000, &w);
		assert_true(w.most < 1.05);
		assert_true(m || (w.startup > 0.8 * 0.95 && w.startup < 0.8 + 2.5 * 5 / 165.0));
		w = (struct watch){.from_s = 2};
		flow_of(modules[m], 1, "rate 50Mbit burst 0B limit 500KB delay 20ms", "delay 20ms loss 20%", 50000000, &w);
		assert_true(w.least > 0.95 && w.most < 1.05);
	}
}

/*
 * In steady state, too: over 28 s the filter's mean is what is delivered, within a twentieth. With a margin of 1 % below the model 1.25 * 0.99 *
 * 0.8 is below 1, and it fell to half of the link.
 */
static void bandwidth_does_not_fall_at_twenty_percent_loss(void **state)
{
	double sum = 0;

	for (unsigned seed = 1; seed <= 3; seed++) {
		struct watch w = {.from_s = 2};

		flow_of("bbr", seed, "rate 50Mbit burst 0B limit 500KB delay 20ms loss 20%", "delay 20ms", 110000000, &w);
		assert_true(w.most < 1.05);
		sum += w.area / w.seconds / 0.8;
	}
	assert_true(sum / 3 > 0.95 && sum / 3 < 1.05);
}

#define BEFORE "loss 20% | rate 50Mbit burst 0B limit 500KB delay 20ms"

static void of_seed(const char *sender, uint64_t seed, uint64_t size, struct watch *w)
{
	*w = (struct watch){.from_s = 8};
	flow_of(sender, seed, BEFORE, "delay 20ms", size, w);
}

/*
 * A fifth is lost in front of the link, so the link can be full. Startup has to find it, though every other of its round trips is the first
 * of a recovery and cannot grow: one seed of six ended Startup at a tenth of the link.
 */
static void startup_finds_the_link_behind_twenty_percent_loss(void **state)
{
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct watch w;

		of_seed("bbr", seed, 15000000, &w);
		assert_true(w.states > 1 && w.startup > 0.95 && w.startup < 1.05);
	}
}

/*
 * Then a probe of 5/4 delivers 1.25 * 0.8 = 1 times what the model knows, and the filter wanders below the link; one of 1.4 delivers 1.12 times
 * as much, and it stays. That the gain alone decides it is what Cardwell et al. 2016 say of their figure 8.
 */
static void the_probing_gain_says_how_much_loss_is_borne(void **state)
{
	double mean = 0;
	struct watch w;

	for (uint64_t seed = 1; seed <= 4; seed++) {
		of_seed("bbr:probe_gain=1.4", seed, 60000000, &w);
		assert_true(w.least > 0.95 && w.most < 1.05);
		of_seed("bbr", seed, 60000000, &w);
		assert_true(w.most < 1.05);
		mean += w.area / w.seconds / 4;
	}
	assert_true(mean > 0.85 && mean < 1); /* Linux, measured on such a path of 10 Mbit/s: 0.26 (docs/validation.md) */
}

/*
 * Version 3 sends a share p less after each round trip with losses, by the draft's own account (1 - p)^N after N of them ("Design Considerations for
 * Choosing Constant Parameters"; 1 % is what it is to bear). 0.8 to the 63rd is nothing, so the flight is its least, four segments, and the filter
 * sees no more. Where losses teach nothing it is as version 1.
 */
static void version_three_rests_with_four_segments_at_twenty_percent_loss(void **state)
{
	double four = 4 * 1448 / (PAYLOAD * 0.0402), sum = 0;
	struct watch w;

	for (unsigned seed = 1; seed <= 8; seed++) { /* from 0.97 to 1.16 of it each: a lucky probe adds a segment or two */
		of_seed("bbr3", seed, 4000000, &w);
		assert_true(w.seconds > 10);
		sum += w.area / w.seconds / 8;
	}
	assert_true(sum > 0.98 * four && sum < 1.1 * four);
	of_seed("bbr3:loss_threshold=30%,beta=100%", 1, 60000000, &w);
	assert_true(w.area / w.seconds > 0.8 && w.most < 1.05);
}

/*
 * A flight that is lost whole, three timeouts in a row, once and every five seconds: what is delivered afterwards in a lump is no bandwidth, and
 * the rounds of single segments are none either. At no ACK from 2 s on is the filter elsewhere.
 */
static void bandwidth_stays_across_timeouts(void **state)
{
	static const char *const outages[] = {"outage at 5s for 2s drop 100%", "outage every 5s for 1s"};

	for (unsigned m = 0; modules[m]; m++)
		for (unsigned i = 0; i < 2; i++) {
			struct watch w = {.from_s = 2};
			struct wt_bulk_sender flow;
			char fwd[128];

			snprintf(fwd, sizeof(fwd), "%s rate 50Mbit burst 0B limit 500KB delay 20ms", outages[i]);
			flow = flow_of(modules[m], 1, fwd, "delay 20ms", i ? 60000000 : 100000000, &w);
			assert_true(flow.info.timeouts >= (i ? 6 : 3));
			assert_true(w.least > 0.95 && w.most < 1.05);
		}
}

/* Startup, Drain, ProbeBW; then ProbeRTT when the least round trip was not seen for ten seconds, and ProbeBW again. */
static void the_states_of_version_one_come_in_their_order(void **state)
{
	static const unsigned order[] = {0, 1, 2, 3, 2, 3, 2};
	struct watch w = {.from_s = 2};

	flow_of("bbr", 1, "rate 50Mbit burst 0B limit 500KB delay 20ms", "delay 20ms", 140000000, &w);
	assert_int_equal(w.states, 7);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(w.state[i].state, order[i]);
	assert_true(w.state[2].at_s < 1);
	for (unsigned i = 3; i < 7; i += 2) {
		double lasted = w.state[i + 1].at_s - w.state[i].at_s, since = w.state[i].at_s - (i > 3 ? w.state[i - 1].at_s : 0);

		assert_true(lasted > 0.2 && lasted < 0.2 + 2 * 0.06); /* 200 ms, what drains before it, and a round trip */
		assert_true(since > 9.5 && since < 11);
	}
}

/* Startup, Drain, then cycles of CRUISE, REFILL, UP and DOWN every two to three seconds; ProbeRTT every five, out of any of them. */
static void the_states_of_version_three_come_in_their_order(void **state)
{
	/* by state: those that may come next; Drain may reach CRUISE within one ACK, and so may DOWN */
	static const unsigned next[] = {1u << 1, 1u << 2 | 1u << 3, 1u << 3 | 1u << 4 | 1u << 6, 1u << 4 | 1u << 6, 1u << 5 | 1u << 6, 1u << 2 | 1u << 3 | 1u << 6, 1u << 3};
	struct watch w = {.from_s = 2};
	double probe_rtt = 0, up = 0;
	unsigned ups = 0, probes = 0;

	flow_of("bbr3", 1, "rate 50Mbit burst 0B limit 500KB delay 20ms", "delay 20ms", 170000000, &w);
	assert_int_equal(w.state[0].state, 0);
	for (unsigned i = 1; i < w.states; i++) {
		double at = w.state[i].at_s;

		assert_true(next[w.state[i - 1].state] >> w.state[i].state & 1);
		if (w.state[i].state == 5) {
			assert_true(!up || (at - up > 2 && at - up < 6.5)); /* two cycles, where ProbeRTT ends one before its time */
			up = at;
			ups++;
		}
		if (w.state[i].state == 6) {
			assert_true(at - probe_rtt > 5 && at - probe_rtt < 5.6);
			assert_true(w.state[i + 1].at_s - at > 0.2 && w.state[i + 1].at_s - at < 0.32);
			probe_rtt = w.state[i + 1].at_s;
			probes++;
		}
	}
	assert_true(ups >= 7 && probes >= 5);
	assert_true(w.least > 0.95 && w.most < 1.05);
}

/*
 * Behind a hole no ACK says that the window was full, if the flight does not fill it: three round trips without more bandwidth end ProbeBW_UP.
 * When each duplicate ACK said so, one of these probes lasted 0.6 s.
 */
static void version_three_ends_a_probe_behind_a_hole(void **state)
{
	static const char fwd[] = "rate 10Mbit burst 0B limit 10MB loss list 214-217,917-920,1406-1412,2840-2846,3287,4970-4976,6523-6526,6691-6697,8772,"
				  "9135-9136,10665,12427,13766 delay 20ms";
	struct watch w = {.settings = "mss=1000B,timestamps=off,ack_every=1,initial_window=10,rcv_buffer=64MiB,snd_buffer=16MiB"};
	unsigned ups = 0;

	flow_of("bbr3", 1, fwd, "delay 20ms", 14000000, &w);
	for (unsigned i = 0; i + 1 < w.states; i++)
		if (w.state[i].state == 5) {
			assert_true(w.state[i + 1].at_s - w.state[i].at_s < 0.4);
			ups++;
		}
	assert_true(ups >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bandwidth_stays_within_a_twentieth_of_the_link_without_loss_and_with_two_percent),
		cmocka_unit_test(bandwidth_is_what_is_delivered_at_twenty_percent_loss_and_never_more_than_the_link),
		cmocka_unit_test(bandwidth_does_not_fall_at_twenty_percent_loss),
		cmocka_unit_test(startup_finds_the_link_behind_twenty_percent_loss),
		cmocka_unit_test(the_probing_gain_says_how_much_loss_is_borne),
		cmocka_unit_test(version_three_rests_with_four_segments_at_twenty_percent_loss),
		cmocka_unit_test(bandwidth_stays_across_timeouts),
		cmocka_unit_test(the_states_of_version_one_come_in_their_order),
		cmocka_unit_test(the_states_of_version_three_come_in_their_order),
		cmocka_unit_test(version_three_ends_a_probe_behind_a_hole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
