/* SPDX-License-Identifier: BSD-2-Clause */
/* Worlds on the air: a string, a gateway with a wired part, stations that walk. Books, equal runs, captures of equal bytes. */
#include <inttypes.h>

#include "stack/base/random.h"
#include "tests/unit/world/worlds.h"

#define STRING "[air]\nrate = 2Mbit\nrouting = %s\n[stations n]\ncount = 5\nplace = string 250m\n[run]\ntime = 20s\nseed = %u\n" \
	"[flow f]\nbetween = n0 n4\nsender = newreno\n"

struct outcome {
	uint64_t digest, payload, disbelieved; /* disbelieved: packets whose source nobody may have */
};

static struct outcome run(const char *text)
{
	struct wt_simulation simulation;
	struct wt_simulation_result result;
	struct wt_flow_sum sum;

	must_read(&simulation, text);
	simulation.digest = simulation.checked = true;
	must_run(&simulation, &result);
	sum = wt_simulation_sum(&result);
	wt_simulation_finish(&simulation);
	wt_simulation_result_finish(&result);
	return (struct outcome){result.digest, sum.payload, result.dropped[WT_DROP_IP_SOURCE]};
}

static struct outcome string(const char *routing, unsigned seed)
{
	char text[400];

	snprintf(text, sizeof(text), STRING, routing, seed);
	return run(text);
}

/* The digests are those of every build: docs/determinism.md. */
static void a_string_is_one_run_for_one_seed(void **state)
{
	struct outcome one = string("static", 1), again = string("static", 1), other = string("static", 2);

	(void)state;
	assert_true(one.payload > 500000);
	assert_int_equal(one.digest, again.digest);
	assert_int_not_equal(one.digest, other.digest);
	print_message("static %016" PRIx64 "\n", one.digest);
}

static void aodv_finds_the_way_of_a_string(void **state)
{
	struct outcome one = string("aodv", 1), again = string("aodv", 1);

	(void)state;
	assert_true(one.payload > 300000);
	assert_int_equal(one.digest, again.digest);
}

/* DSR puts the way into every packet, which then is longer than the MTU of its host. */
static void a_source_route_has_room(void **state)
{
	(void)state;
	assert_true(string("dsr", 1).payload > 500000);
}

static void a_gateway_joins_air_and_wire(void **state)
{
	struct outcome up, down;
	const char *format = "[air]\nrouting = aodv\n[station gw]\nat = 0m 0m\n[stations n]\ncount = 3\nplace = grid 1 200m\n"
			     "[router r]\n[host s]\n[link x]\nbetween = gw r\nboth = rate 10Mbit burst 0B limit 100KB delay 5ms\n[link y]\nbetween = r s\n"
			     "both = delay 1ms\n[run]\ntime = 20s\n[flow f]\nbetween = n2 s\ndirection = %s\n";
	char text[600];

	(void)state;
	snprintf(text, sizeof(text), format, "fwd");
	up = run(text);
	snprintf(text, sizeof(text), format, "rev");
	down = run(text);
	assert_true(up.payload > 500000);
	assert_true(down.payload > 500000);
}

/* From one gateway to the other: the router follows the station, whoever sends. Who only receives says by keep-alives where it is. */
static void a_station_changes_its_gateway(void **state)
{
	const char *format = "[air]\nrouting = aodv\n[station g1]\nat = 0m 0m\n[station g2]\nat = 900m 0m\n"
			     "[station m]\nat = 100m 0m\ngo = 5s 800m 0m 50m/s\n[router r]\n[host s]\n[link x]\nbetween = g1 r\n%s[link z]\nbetween = r s\n"
			     "[run]\ntime = 80s\nsettings = keepalive=1s,keepalive_interval=1s,keepalive_probes=100\n[flow f]\nbetween = m s\ndirection = %s\n";
	static const char *const ways[] = {"fwd", "rev"};
	char text[700];
	struct outcome one, both;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), format, "", ways[i]);
		one = run(text);
		snprintf(text, sizeof(text), format, "[link y]\nbetween = g2 r\n", ways[i]);
		both = run(text);
		assert_true(one.payload > 500000);
		assert_true(both.payload > 2 * one.payload);
		assert_int_equal(one.disbelieved, 0); /* what its own station refused, a host is told by another address than its own */
	}
}

/* Out of reach at 10 s, back at 20 s: what is sent then arrives. */
static void a_station_leaves_and_comes_back(void **state)
{
	const char *format = "[air]\nrouting = aodv\n[station a]\nat = 0m 0m\n[station b]\nat = 200m 0m\n%s[run]\ntime = %s\n[flow f]\nbetween = a b\n";
	char text[400];
	struct outcome before, away, back;

	(void)state;
	snprintf(text, sizeof(text), format, "go = 10s 1200m 0m 500m/s\ngo = 20s 200m 0m 500m/s\n", "10s");
	before = run(text);
	snprintf(text, sizeof(text), format, "go = 10s 1200m 0m 500m/s\ngo = 20s 200m 0m 500m/s\n", "20s");
	away = run(text);
	snprintf(text, sizeof(text), format, "go = 10s 1200m 0m 500m/s\ngo = 20s 200m 0m 500m/s\n", "60s");
	back = run(text);
	assert_true(away.payload < before.payload * 11 / 10);
	assert_true(back.payload > 2 * before.payload);
}

static void stations_walk_and_the_books_hold(void **state)
{
	struct outcome one, again;
	const char *text = "[air]\nrouting = aodv\n[stations n]\ncount = 20\nmove = waypoint 800m 400m 5m/s 20m/s 2s\n[run]\ntime = 30s\n"
			   "[flow f]\nbetween = n0 n1\n[flow g]\nbetween = n2 n3\nstart = 1s\n[flow h]\nbetween = n4 n5\nstart = 2s\n";

	(void)state;
	one = run(text);
	again = run(text);
	assert_true(one.payload > 0);
	assert_int_equal(one.digest, again.digest);
}

/* ---- swarm ------------------------------------------------------------------------------------------------ */

enum { WORLDS = 30 };

static const char *pick(const struct wt_key *key, uint64_t *n, const char *const *words, unsigned count)
{
	return words[wt_random_below(key, (*n)++, count)];
}

/* A field of walkers or of stations that stand, an air of any kind, some flows. */
static void draw(unsigned number, char *text, size_t len)
{
	static const char *const rates[] = {"rate = 1Mbit", "rate = 2Mbit", "rate = 11Mbit\nbasic = 2Mbit\npreamble = short", "rate = 54Mbit\nbasic = 24Mbit",
					    "rate = 6Mbit\nbasic = 6Mbit"};
	static const char *const more[] = {"rts = never", "rts = 500B", "capture = off", "eifs = no", "purge = yes", "queue = 3", "retries = 2 1",
					   "sense = 250m", "captured_nav = yes"};
	static const char *const routings[] = {"aodv", "static", "aodv:hello=on", "dsr", "dsdv", "olsr"};
	static const char *const places[] = {"place = string 200m", "place = grid 3 240m", "place = field 900m 600m", "move = waypoint 700m 500m 1m/s 30m/s 1s",
					     "move = waypoint 1500m 300m 10m/s 10m/s 0s"};
	static const char *const apps[] = {"bulk", "cbr:rate=200Kbit,size=512B", "onoff:on=500ms,off=500ms"};
	struct wt_key key = wt_key_derive(number, "air swarm");
	unsigned stations, flows, used;
	uint64_t n = 0;

	stations = 2 + (unsigned)wt_random_below(&key, n++, 14);
	flows = 1 + (unsigned)wt_random_below(&key, n++, 4);
	used = (unsigned)snprintf(text, len, "[air]\n%s\n%s\nrouting = %s\n[stations n]\ncount = %u\n%s\n[run]\ntime = 6s\nseed = %u\n",
				  pick(&key, &n, rates, 5), pick(&key, &n, more, 9), pick(&key, &n, routings, 6), stations, pick(&key, &n, places, 5), number);
	for (unsigned i = 0; i < flows; i++) {
		unsigned from = (unsigned)wt_random_below(&key, n++, stations), to = (from + 1 + (unsigned)wt_random_below(&key, n++, stations - 1)) % stations;

		used += (unsigned)snprintf(text + used, len - used, "[flow f%u]\nbetween = n%u n%u\nstart = %u00ms\napp = %s\n", i, from, to,
					   (unsigned)wt_random_below(&key, n++, 20), pick(&key, &n, apps, 3));
	}
}

/* Data frames on the air. */
static uint64_t oracle(const char *text, bool capture)
{
	struct wt_simulation simulation;
	struct wt_simulation_result result;
	char err[900];
	uint64_t made = 0;

	must_read(&simulation, text);
	simulation.checked = simulation.digest = true;
	simulation.capture = capture ? "/dev/null" : NULL;
	if (wt_simulation_run(&simulation, &result, err, sizeof(err)))
		fail_msg("%s\n%s", err, text);
	if (!wt_air_holds(&simulation.world, result.air))
		fail_msg("the books of a station do not hold\n%s", text);
	for (unsigned i = 0; i < simulation.world.air.stations; i++)
		made += result.air[i].sent[WT_AIR_DATA];
	wt_simulation_finish(&simulation);
	wt_simulation_result_finish(&result);
	return made;
}

/* Every node is audited after every step; the stations' own books at the end. Who looks changes nothing. */
static void random_airs_keep_their_books(void **state)
{
	unsigned silent = 0;
	char text[1200];

	(void)state;
	for (unsigned i = 0; i < WORLDS; i++) {
		draw(i, text, sizeof(text));
		silent += !oracle(text, i % 8 == 0);
	}
	assert_true(silent < WORLDS / 3); /* told routes, and no way */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_is_one_run_for_one_seed), cmocka_unit_test(aodv_finds_the_way_of_a_string),
		cmocka_unit_test(a_source_route_has_room), cmocka_unit_test(a_gateway_joins_air_and_wire), cmocka_unit_test(a_station_changes_its_gateway),
		cmocka_unit_test(a_station_leaves_and_comes_back),
		cmocka_unit_test(stations_walk_and_the_books_hold), cmocka_unit_test(random_airs_keep_their_books),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
