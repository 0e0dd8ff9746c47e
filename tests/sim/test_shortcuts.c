/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run in virtual time spares itself what nobody sees: departures that are known when a frame comes, payload and checksums that nobody
 * reads, checks of a packet that is as the one before. The same worlds go the long way too, and every number must be the same: the digest
 * of each frame and its nanosecond at each host, the books of each link, all that the record says. A digest reads every frame, and a router changes
 * each, so that hosts get bytes: where they are to get segments beside their frames, they share a link and nobody takes a digest.
 */
#include <inttypes.h>

#include "tests/unit/world/worlds.h"

#include "stack/base/random.h"

#define PATHS 200

/* The record as text, but for the time on the clock. */
static char *record(struct wt_simulation *simulation, bool long_way, uint64_t *digest)
{
	struct wt_simulation_result result;
	char *text = NULL, err[300] = "not whole";
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	simulation->long_way = long_way;
	if (wt_simulation_run(simulation, &result, err, sizeof(err)) || !wt_simulation_ok(&result))
		fail_msg("%s", err);
	result.wall_s = 0;
	wt_simulation_json(out, simulation, &result);
	for (unsigned i = 0; i < result.links; i++)
		for (unsigned d = 0; d < 2; d++)
			fprintf(out, "\n%" PRIu64 " %" PRIu64 " %" PRIu64, result.hop[i][d].in, result.hop[i][d].out, result.hop[i][d].queued);
	*digest = result.digest;
	fclose(out);
	wt_simulation_result_finish(&result);
	return text;
}

static void must_be_alike(const char *world, bool with_digest)
{
	struct wt_simulation simulation;
	uint64_t digest[2];
	char *text[2];

	must_read(&simulation, world);
	simulation.digest = with_digest;
	for (unsigned i = 0; i < 2; i++)
		text[i] = record(&simulation, i, &digest[i]);
	if (digest[0] != digest[1])
		fail_msg("another digest the long way: %s", world);
	if (strcmp(text[0], text[1]))
		fail_msg("%s\n%s\n%s", world, text[0], text[1]);
	free(text[0]);
	free(text[1]);
	wt_simulation_finish(&simulation);
}

static const struct wt_key key = {12, 4};
static uint64_t drawn;

static unsigned draw(unsigned below)
{
	return (unsigned)wt_random_below(&key, drawn++, below);
}

static const char *pick(const char *const *words, unsigned count)
{
	return words[draw(count)];
}
#define PICK(...) pick((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* One to three links in a row. */
static void draw_path(char *path, size_t len)
{
	unsigned links = 1 + draw(3);

	path[0] = 0;
	for (unsigned i = 0; i < links; i++) {
		size_t at = strlen(path);
		/* one draw after another: C leaves the order of a call's arguments open, and every build must draw the same */
		const char *rate = PICK("10Mbit", "8Mbit", "3333333bit", "100Mbit");
		const char *burst = PICK("0B", "0B", "3KB", "20KB");
		const char *limit = PICK("20packets", "64KB", "5packets", "1MB");
		const char *overhead = PICK("", "", " overhead 24B");
		const char *delay = PICK("5ms", "5ms", "12345678ns", "1ns", "0ns", "5ms jitter normal 1ms");
		const char *fault = PICK("", "", "", " loss 1%", " duplicate 1%", " corrupt 0.5%", " reorder 3% delay 3ms");

		snprintf(path + at, len - at, "%srate %s burst %s limit %s%s delay %s%s", i ? "\n | " : "", rate, burst, limit, overhead, delay,
			 fault);
	}
}

static void worlds_of_random_paths_are_the_same_the_long_way(void **state)
{
	char path[6][500], world[6000];

	for (unsigned i = 0; i < PATHS; i++) {
		for (unsigned k = 0; k < 6; k++)
			draw_path(path[k], sizeof(path[k]));
		snprintf(world, sizeof(world),
			 "[run]\nbytes = %s\n[emulator]\nseed = %u\n[host a]\n[host b]\n[host c]\n[router r]\n"
			 "[link one]\nbetween = a r\nfwd = %s\nrev = %s\n[link two]\nbetween = r b\nfwd = %s\nrev = %s\n[link three]\nbetween = c r\n"
			 "fwd = %s\nrev = %s\n[flow f]\nbetween = a b\n[flow g]\nbetween = c b\nstart = 10ms\n[flow h]\nbetween = b a\n",
			 i % 3 ? "150KB" : "600KB", i + 1, path[0], path[1], path[2], path[3], path[4], path[5]);
		must_be_alike(world, true);
	}
}

/* Both ways at once and one after the other, with what settings and modules change about a segment. */
static void worlds_of_two_hosts_are_the_same_the_long_way(void **state)
{
	char path[2][500], world[6000];

	for (unsigned i = 0; i < PATHS; i++) {
		size_t at;

		draw_path(path[0], sizeof(path[0]));
		draw_path(path[1], sizeof(path[1]));
		at = (size_t)snprintf(world, sizeof(world), "[run]\nbytes = %s\n[emulator]\nseed = %u\n[host a]\n[host b]\n[link l]\nbetween = a b\nfwd = %s\n"
				      "rev = %s\n", i % 3 ? "150KB" : "600KB", i + 1, path[0], path[1]);
		for (unsigned flow = 0; flow < 3; flow++) {
			const char *mss = PICK("1000B", "1460B", "536B"), *every = PICK("1", "2", "2"), *stamps = PICK("yes", "no"), *ecn = PICK("off", "off", "on");
			const char *buffer = PICK("256KiB", "256KiB", "8KiB", "30001B"), *sack = PICK("yes", "yes", "yes", "no");
			const char *store = PICK("256KiB", "256KiB", "30000B"); /* the last whole segment of which is pushed */
			const char *sender = PICK("newreno", "cubic", "reno", "bbr", "vegas"), *recovery = PICK("sack", "rack", "sack", "newreno");

			at += (size_t)snprintf(world + at, sizeof(world) - at, "[flow f%u]\nbetween = %s\nstart = %ums\nsender = %s\nrecovery = %s\n"
					       "settings = mss=%s,ack_every=%s,timestamps=%s,ecn=%s,rcv_buffer=%s,snd_buffer=%s,sack=%s\n", flow,
					       flow % 2 ? "b a" : "a b", 10 * flow, sender, recovery, mss, every, stamps, ecn, buffer, store, sack);
		}
		must_be_alike(world, i % 4 == 3);
	}
}

/* Values, stages and queues that come and go while frames are under way; two changes at an instant at which frames leave. */
static void changes_meet_what_they_would_have_met(void **state)
{
	for (unsigned with_digest = 0; with_digest < 2; with_digest++)
		must_be_alike("[run]\nbytes = 1500KB\n[host a]\n[host b]\n[link l]\nbetween = a b\nfwd = rate 10Mbit burst 0B limit 30packets delay 8ms\n"
		      "rev = rate 10Mbit burst 0B limit 64KB delay 8ms\n[flow f]\nbetween = a b\n[flow g]\nbetween = b a\n"
		      "[at 100ms]\nfwd = rate 5Mbit burst 0B limit 30packets delay 8ms\n"
		      "[at 200ms]\nfwd = rate 5Mbit burst 0B limit 8packets delay 2ms\n"
		      "[at 300ms]\nfwd = rate 5Mbit burst 10KB limit 30packets queue codel delay 8ms\n"
		      "[at 400ms]\nfwd = rate 8Mbit burst 0B limit 30packets delay 8ms jitter normal 1ms\n"
		      "[at 500ms]\nboth = rate 8Mbit burst 0B limit 30packets delay 8ms\n"
		      "[at 516ms]\nfwd = rate 8Mbit burst 0B limit 30packets delay 3ms\nqueue = flush\n"
		      "[at 700ms]\nfwd = delay 8ms\n[at 1s]\nfwd = rate 20Mbit burst 3KB limit 50packets delay 1ms\n", with_digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worlds_of_random_paths_are_the_same_the_long_way),
		cmocka_unit_test(worlds_of_two_hosts_are_the_same_the_long_way),
		cmocka_unit_test(changes_meet_what_they_would_have_met),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
