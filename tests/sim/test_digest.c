/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Equal runs in every build: the digests of a fixed set of scenarios (every frame and its nanosecond at both hosts) against
 * tests/sim/digests.txt, which all compilers, optimisation levels and sanitizers share.
 *
 *   test_digest FILE            compares
 *   test_digest FILE --write    writes the file anew: in the commit that changes behaviour, with the reason in its message
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/scenarios.h"
#include "tests/unit/world/worlds.h"

#define LOSSY "rate 2Mbit burst 0B limit 128KB loss gilbert on 1s 20% off 1s 0% shared delay 15ms"
#define ROUGH "rate 10Mbit burst 20KB limit 64KB loss 1% duplicate 1% reorder 3% delay 3ms delay 12ms"
#define TIGHT "rate 5Mbit burst 3KB limit 16KB delay 20ms"
#define MARKING(queue) "rate 10Mbit burst 0B limit 64KB queue " queue " delay 12ms"
/* round numbers, where RACK's timer and a frame meet at one nanosecond if they ever do; delayed ACKs do (docs/determinism.md), if told so */
#define ROUND "rate 8Mbit burst 0B limit 64KB loss 2% reorder 2% delay 4ms delay 16ms"
#define LUMP "rate 10000B every 10ms burst 0B limit 64KB loss 1% reorder 1% delay 5ms delay 20ms"
#define HANDOFF "rate 6Mbit burst 0B limit 128KB outage every 3s for 300ms at 1s delay 15ms"

static const struct {
	const char *name;
	struct setup setup;
} scenarios[] = {
	{"tahoe-lossy", {"bsd90", NULL, "tahoe", "tahoe:resend=first,once=off", "standard", LOSSY, LOSSY, 1 << 20, 11}},
	{"reno-lossy", {"bsd90", NULL, "reno", NULL, "standard", LOSSY, LOSSY, 1 << 20, 11}},
	{"real-paper-lossy", {"bsd90", NULL, "real:profile=paper,opt=paper4", NULL, "real:profile=paper,opt=paper4", LOSSY, LOSSY,
			      1 << 20, 11}},
	{"real-slow-lossy", {"bsd90", NULL, "real:profile=paper-slow", NULL, "real:profile=paper-slow", LOSSY, LOSSY, 1 << 20, 12}},
	{"tahoe-rough", {"modern", NULL, "tahoe", NULL, "standard", ROUGH, ROUGH, 2 << 20, 13}},
	{"newreno-rough", {"modern", NULL, "newreno", NULL, "standard", ROUGH, ROUGH, 2 << 20, 21}},
	{"real-safe-rough", {"modern", NULL, "real", NULL, "real", ROUGH, ROUGH, 2 << 20, 13}},
	{"reno-tight", {"modern", NULL, "reno", NULL, "standard", TIGHT, TIGHT, 2 << 20, 14}},
	{"real-safe-tight", {"modern", NULL, "real", NULL, "real", TIGHT, TIGHT, 2 << 20, 14}},
	{"newreno-handoff", {"modern", NULL, "newreno", NULL, "standard", HANDOFF, HANDOFF, 3 << 20, 15}},
	{"real-handoff", {"bsd90", NULL, "real:profile=paper", NULL, "real:profile=paper", HANDOFF, HANDOFF, 3 << 20, 15}},
	{"newreno-ecn", {"modern", "ecn=on", "newreno", NULL, "standard", MARKING("codel ecn"), "delay 12ms", 3 << 20, 17}},
	{"real-ecn", {"modern", "ecn=on", "real", NULL, "real", MARKING("red min 10KB max 40KB gentle ecn"), "delay 12ms", 3 << 20, 17}},
	{"dctcp-dualpi2", {"modern", "ecn=on,ect1=on", "dctcp", NULL, "dctcp", MARKING("dualpi2"), "delay 12ms", 3 << 20, 17}},
	{"modern-rough", {"modern", NULL, NULL, NULL, "standard", ROUGH, ROUGH, 2 << 20, 18}},
	{"modern-tight", {"modern", NULL, NULL, NULL, "standard", TIGHT, TIGHT, 2 << 20, 18}},
	{"modern-round", {"modern", NULL, NULL, NULL, "standard", ROUND, ROUND, 2 << 20, 18}},
	{"modern-lump", {"modern", "ack_delay=39999999ns", NULL, NULL, "standard", LUMP, LUMP, 2 << 20, 18}},
	{"fallback", {"modern", NULL, "real", NULL, "standard", ROUGH, "delay 12ms", 1 << 20, 16}},
};

#define STRING(routing) "[air]\nrate = 2Mbit\nrouting = " routing "\n[stations n]\ncount = 6\nplace = string 250m\n[run]\ntime = 20s\nseed = 5\n" \
	"[flow f]\nbetween = n0 n5\nstart = 4s\nsender = newreno\n"
#define WALK(routing) "[air]\nrate = 11Mbit\nrouting = " routing "\n[stations n]\ncount = 12\nmove = waypoint 700m 300m 5m/s 15m/s 1s\n" \
	"[run]\ntime = 20s\nseed = 6\n[flow f]\nbetween = n0 n11\nstart = 4s\n[flow g]\nbetween = n5 n2\nstart = 5s\napp = cbr:rate=64kbit,size=500B\n"

/* On the air: places, powers and back-offs are doubles and draws, which every build must round and take alike. */
static const struct {
	const char *name, *text;
} airs[] = {
	{"air-string-aodv", STRING("aodv")}, {"air-string-dsr", STRING("dsr:learn=off,wait=2s,backoff=4")}, {"air-walk-olsr", WALK("olsr")},
	{"air-walk-dsdv", WALK("dsdv:period=3s")},
};

#define COUNT (sizeof(scenarios) / sizeof(scenarios[0]))
#define AIRS (sizeof(airs) / sizeof(airs[0]))

static uint64_t digest_of(const struct setup *setup, bool ties_reversed)
{
	struct wt_simulation_result result;
	struct scenario scenario;
	struct wt_bulk_sender flow;

	prepare(&scenario, setup);
	scenario.how.digest = true;
	scenario.how.ties_reversed = ties_reversed;
	result = run(&scenario, &flow);
	assert_whole(&result, &flow, setup->size);
	return result.digest;
}

static uint64_t digest_of_air(const char *text)
{
	struct wt_simulation simulation;
	struct wt_simulation_result result;

	must_read(&simulation, text);
	simulation.digest = true;
	must_run(&simulation, &result);
	wt_simulation_finish(&simulation);
	wt_simulation_result_finish(&result);
	return result.digest;
}

/* The line of a scenario in the file: its name, its digest. */
static uint64_t expected(const char *path, const char *name)
{
	FILE *file = fopen(path, "r");
	char line[128], word[64];
	uint64_t value, found = 0;

	if (!file)
		fail_msg("no %s", path);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s %" SCNx64, word, &value) == 2 && !strcmp(word, name))
			found = value;
	fclose(file);
	return found;
}

static const char *file_path;

static void every_build_sends_the_same_frames_at_the_same_nanosecond(void **state)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < COUNT + AIRS; i++) {
		const char *name = i < COUNT ? scenarios[i].name : airs[i - COUNT].name;
		uint64_t digest = i < COUNT ? digest_of(&scenarios[i].setup, false) : digest_of_air(airs[i - COUNT].text);
		uint64_t wanted = expected(file_path, name);

		if (digest == wanted)
			continue;
		print_error("%s: %016" PRIx64 ", expected %016" PRIx64 "\n", name, digest, wanted);
		wrong++;
	}
	if (wrong)
		fail_msg("%u of %zu differ; if behaviour was meant to change: test_digest %s --write", wrong, COUNT + AIRS, file_path);
}

static void the_order_in_which_nodes_were_added_changes_no_frame(void **state)
{
	for (size_t i = 0; i < COUNT; i++)
		if (digest_of(&scenarios[i].setup, true) != expected(file_path, scenarios[i].name))
			fail_msg("%s: another digest with ties of nodes reversed", scenarios[i].name);
}

static void write_file(void **state)
{
	FILE *file = fopen(file_path, "w");

	assert_non_null(file);
	for (size_t i = 0; i < COUNT; i++)
		fprintf(file, "%-20s %016" PRIx64 "\n", scenarios[i].name, digest_of(&scenarios[i].setup, false));
	for (size_t i = 0; i < AIRS; i++)
		fprintf(file, "%-20s %016" PRIx64 "\n", airs[i].name, digest_of_air(airs[i].text));
	assert_int_equal(fclose(file), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest compare[] = {
		cmocka_unit_test(every_build_sends_the_same_frames_at_the_same_nanosecond),
		cmocka_unit_test(the_order_in_which_nodes_were_added_changes_no_frame),
	};
	const struct CMUnitTest write[] = {cmocka_unit_test(write_file)};

	if (argc < 2)
		return 2;
	file_path = argv[1];
	return argc > 2 && !strcmp(argv[2], "--write") ? cmocka_run_group_tests(write, NULL, NULL)
						       : cmocka_run_group_tests(compare, NULL, NULL);
}
