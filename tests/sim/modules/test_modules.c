/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every module of the registry has to survive, in virtual time, senders with their own recovery and receiver: a module that joins the list
 * joins this test. Each transfer is compared byte for byte; the bounds are such that only a module that stalls or bursts breaks them.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/sim/scenarios.h"

/* 100 Mbit/s carry 1448 bytes of payload in frames of 1514: 95.64 Mbit/s. */
#define WIDE "rate 100Mbit burst 0B limit 500KB delay 20ms"
#define NARROW "rate 10Mbit burst 0B limit 64KB delay 20ms"

struct hardship {
	const char *name, *settings, *fwd, *rev;
	uint32_t mtu;
	uint64_t size;
	wt_time time, within; /* time: of writing, with on and off; within: simulated time in which it has to be done */
	wt_time on, off;
	bool (*proof)(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow); /* that it was what its name says */
};

static bool lost(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return result->dropped[WT_DROP_LOSS] > 10;
}

static bool cut(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return flow->info.timeouts > 0;
}

static bool overflowed(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return result->dropped[WT_DROP_QUEUE] > 0;
}

static bool reordered(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return flow->result.out_of_order_segs > 10;
}

/* Modules that answer no marks say so at their start. */
static bool not_ect(const char *name)
{
	struct wt_cc_env env = {.mss = 1448, .initial_window = 14480};
	struct wt_sender_out out = {0};
	struct wt_sender_choice choice;
	void *module;

	assert_int_equal(wt_sender_choose(name, &choice, NULL, 0), 0);
	module = calloc(1, choice.ops->state_size + 1);
	choice.ops->init(module, choice.params, &env, &out);
	free(module);
	return out.codepoint == WT_CC_NOT_ECT;
}

static bool marked(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return result->marked > 0 || not_ect(flow->info.sender);
}

static bool small(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return flow->info.snd_mss == 536 - 12; /* without timestamps */
}

static bool jumbo(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return flow->info.snd_mss == 8960 - 12;
}

static bool a_millisecond(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return flow->info.min_rtt >= WT_MS && flow->info.min_rtt < 2 * WT_MS;
}

static bool a_second(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return flow->info.min_rtt >= WT_S && flow->info.min_rtt < WT_S + 10 * WT_MS;
}

static bool held_back(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return result->dropped[WT_DROP_QUEUE] == 0 && result->simulated > (8 << 20) / 32768 * 40 * WT_MS; /* at most 32 KB in a round trip */
}

static bool paused(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow)
{
	return result->dropped[WT_DROP_QUEUE] == 0 && flow->info.cwnd <= 4 * 32768;
}

/*
 * within: what NewReno needs, several times over. 30 % loss means that three of ten timeouts are followed by another, and the timer doubles up
 * to two minutes; an outage of 5 s is over before the timer that doubles from 0.2 s has fired at 12.6 s.
 */
static const struct hardship hardships[] = {
	{.name = "30 % loss", .fwd = NARROW " loss 30%", .rev = NARROW, .size = 100000, .within = 1800 * WT_S, .proof = lost},
	{.name = "5 s of outage", .fwd = "outage at 2s for 5s " NARROW, .rev = "outage at 2s for 5s " NARROW, .size = 8 << 20, .within = 60 * WT_S,
	 .proof = cut},
	{.name = "1 ms", .fwd = "rate 100Mbit burst 0B limit 64KB delay 500us", .rev = "delay 500us", .size = 16 << 20, .within = 10 * WT_S,
	 .proof = a_millisecond},
	{.name = "1 s", .fwd = "rate 10Mbit burst 0B limit 1250KB delay 500ms", .rev = "delay 500ms", .size = 4 << 20, .within = 600 * WT_S,
	 .proof = a_second},
	{.name = "MSS 536", .settings = "mss=536B", .fwd = NARROW, .rev = NARROW, .size = 4 << 20, .within = 30 * WT_S, .proof = small},
	{.name = "MSS 8960", .settings = "mss=8960B", .mtu = 9000, .fwd = NARROW, .rev = NARROW, .size = 4 << 20, .within = 30 * WT_S,
	 .proof = jumbo},
	{.name = "a queue of one packet", .fwd = "rate 10Mbit burst 0B limit 1514B delay 20ms", .rev = NARROW, .size = 1 << 20, .within = 120 * WT_S,
	 .proof = overflowed},
	{.name = "ECN", .settings = "ecn=on", .fwd = "rate 10Mbit burst 0B limit 1MB queue codel target 1ms ecn delay 20ms", .rev = NARROW, .size = 8 << 20,
	 .within = 60 * WT_S, .proof = marked},
	{.name = "reordering of 3 packets", .fwd = WIDE " reorder 1% delay 400us", .rev = WIDE, .size = 16 << 20, .within = 60 * WT_S,
	 .proof = reordered},
	{.name = "reordering of 300 packets", .fwd = WIDE " reorder 1% delay 36ms", .rev = WIDE, .size = 16 << 20, .within = 120 * WT_S,
	 .proof = reordered},
	{.name = "limited by the application", .settings = "snd_buffer=32KB", .fwd = NARROW, .rev = NARROW, .time = 20 * WT_S, .on = 10 * WT_MS,
	 .off = 990 * WT_MS, .within = 60 * WT_S, .proof = paused},
	{.name = "limited by the peer's window", .settings = "rcv_buffer=32KB", .fwd = WIDE, .rev = WIDE, .size = 8 << 20, .within = 60 * WT_S,
	 .proof = held_back},
};

#define HARDSHIPS (sizeof(hardships) / sizeof(hardships[0]))

/* Modules that act together; recovery and receiver NULL: those of the preset. */
struct cast {
	const char *sender, *recovery, *receiver;
};

/* A scenario with them, to be changed by the caller. */
static void module(struct scenario *scenario, struct cast cast, const char *settings, const char *fwd, const char *rev)
{
	struct setup setup = {.sender = cast.sender, .recovery = cast.recovery, .receiver = cast.receiver, .settings = settings, .fwd = fwd, .rev = rev,
			      .seed = 3};

	prepare(scenario, &setup);
}

static struct cast alone(const struct wt_sender_ops *ops)
{
	return (struct cast){.sender = ops->name, .receiver = ops->default_receiver};
}

/* `what`: the module that is on trial. */
static bool suffer(const char *what, struct cast cast, const struct hardship *h)
{
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;

	module(&scenario, cast, h->settings, h->fwd, h->rev);
	scenario.mtu = h->mtu;
	scenario.flow.size = h->size;
	scenario.flow.time = h->time;
	scenario.flow.on = h->on;
	scenario.flow.off = h->off;
	result = run(&scenario, &flow);
	if (!wt_simulation_ok(&result) || !flow.got_result || !flow.result.verified)
		print_message("%s, %s: %s (%d) after %.3f simulated seconds\n", what, h->name, wt_bulk_fail_text(result.fail), result.error,
			      (double)result.simulated / 1e9);
	else if (result.simulated > h->within)
		print_message("%s, %s: it took %.1f simulated seconds\n", what, h->name, (double)result.simulated / 1e9);
	else if (h->proof && !h->proof(&result, &flow))
		print_message("%s, %s: nothing happened\n", what, h->name);
	else
		return true;
	return false;
}

static void every_sender_survives_what_paths_and_peers_do(void **state)
{
	unsigned broken = 0;

	for (size_t i = 0; wt_senders[i]; i++)
		for (size_t j = 0; j < HARDSHIPS; j++)
			broken += !suffer(wt_senders[i]->name, alone(wt_senders[i]), &hardships[j]);
	assert_int_equal(broken, 0);
}

/* Each with NewReno as the sender; that of TCP-Real with its own two companions. */
static void every_recovery_and_every_receiver_survives_what_paths_and_peers_do(void **state)
{
	unsigned broken = 0;

	for (size_t j = 0; j < HARDSHIPS; j++) {
		for (size_t i = 0; wt_recoveries[i]; i++) {
			bool real = !strcmp(wt_recoveries[i]->name, "real");

			broken += !suffer(wt_recoveries[i]->name, (struct cast){real ? "real" : "newreno", wt_recoveries[i]->name, real ? "real" : NULL},
					  &hardships[j]);
		}
		for (size_t i = 0; wt_receivers[i]; i++)
			broken += !suffer(wt_receivers[i]->name, (struct cast){.sender = "newreno", .receiver = wt_receivers[i]->name}, &hardships[j]);
	}
	assert_int_equal(broken, 0);
}

/* ---- a clean path ------------------------------------------------------------------------------------- */

static uint64_t at_20, at_40;

static void note(void *arg, const struct wt_bulk_interval *interval)
{
	if (interval->to <= 20 * WT_S)
		at_20 = interval->total;
	if (interval->to <= 40 * WT_S)
		at_40 = interval->total;
}

/* Modules that do not fill it by design, and the share that they reach. */
struct modest {
	const char *name, *why;
	double share;
};

static const struct modest senders[] = {
	{"ledbat", "a tenth of the time belongs to its slowdowns (draft 4.4)", 0.9},
	/* two drops in one round trip: from a quarter of 660 segments to the path's 345 at 25 a second, at three quarters of the rate: 1.9 s of 20 */
	{"reno", "its own recovery halves twice for two drops in a window (RFC 6582 1); by sack it fills 1.000", 0.9},
	{"fixed", "20 segments in 40 ms are 5.8 Mbit/s", 0.06},
	{"real", "its highest level is 24 waves of two segments", 0.14},
	{NULL, NULL, 0},
};

static const struct modest nobody[] = {{NULL, NULL, 0}};

static double least_share(const struct modest *modest, const char *name)
{
	for (size_t i = 0; modest[i].name; i++)
		if (!strcmp(modest[i].name, name))
			return modest[i].share;
	return 0.95;
}

/* Seconds 20 to 40 of a transfer over 100 Mbit/s, 40 ms, with a queue of one product of both. True: it reaches its share. */
static bool fills(const char *what, struct cast cast, const struct modest *modest)
{
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;
	double share;

	module(&scenario, cast, "snd_buffer=8MB,rcv_buffer=8MB", WIDE, WIDE);
	scenario.flow.time = 40 * WT_S;
	scenario.how.interval = WT_S;
	scenario.how.on_interval = note;
	at_20 = at_40 = 0;
	result = run(&scenario, &flow);
	assert_true(wt_simulation_ok(&result));
	share = (double)(at_40 - at_20) * 8 / 20 / (1e8 * 1448 / 1514);
	if (share >= least_share(modest, what) && share <= 1.001)
		return true;
	print_message("%s: %.3f of the link\n", what, share);
	return false;
}

static void every_sender_fills_a_clean_path_to_95_percent(void **state)
{
	unsigned poor = 0;

	for (size_t i = 0; wt_senders[i]; i++)
		poor += !fills(wt_senders[i]->name, alone(wt_senders[i]), senders);
	assert_int_equal(poor, 0);
}

static bool is_sender(const char *name)
{
	for (size_t i = 0; wt_senders[i]; i++)
		if (!strcmp(wt_senders[i]->name, name))
			return true;
	return false;
}

/*
 * Beside newreno; a recovery with a sender of its name beside that: newreno would hand out half a window at once where Tahoe goes back, and the queue
 * drops from that again (0.912).
 */
static void every_recovery_and_every_receiver_lets_a_sender_fill_it(void **state)
{
	unsigned poor = 0;

	for (size_t i = 0; wt_recoveries[i]; i++) {
		const char *name = wt_recoveries[i]->name;
		struct cast cast = {.sender = is_sender(name) ? name : "newreno", .recovery = name, .receiver = !strcmp(name, "real") ? name : NULL};

		poor += !fills(name, cast, is_sender(name) ? senders : nobody);
	}
	for (size_t i = 0; wt_receivers[i]; i++)
		poor += !fills(wt_receivers[i]->name, (struct cast){.sender = "newreno", .receiver = wt_receivers[i]->name}, nobody);
	assert_int_equal(poor, 0);
}

/* A window that is not used does not grow: at most doubled by the round trip that filled it first. */
static void no_senders_window_grows_where_the_peers_is_the_limit(void **state)
{
	for (size_t i = 0; wt_senders[i]; i++) {
		struct wt_simulation_result result;
		struct scenario scenario;
		struct wt_bulk_sender flow;

		module(&scenario, alone(wt_senders[i]), "rcv_buffer=64KB", WIDE, WIDE);
		scenario.flow.size = 8 << 20;
		result = run(&scenario, &flow);
		assert_true(wt_simulation_ok(&result));
		if (flow.info.cwnd > 4 * 65536)
			fail_msg("%s: a window of %u bytes where the peer takes 64 KB", wt_senders[i]->name, flow.info.cwnd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sender_survives_what_paths_and_peers_do),
		cmocka_unit_test(every_recovery_and_every_receiver_survives_what_paths_and_peers_do),
		cmocka_unit_test(every_sender_fills_a_clean_path_to_95_percent),
		cmocka_unit_test(every_recovery_and_every_receiver_lets_a_sender_fill_it),
		cmocka_unit_test(no_senders_window_grows_where_the_peers_is_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
