/* SPDX-License-Identifier: BSD-2-Clause */
/* World files: what is refused is told with its line, its word and what was expected; what has no bound has none. */
#include "worlds.h"

#define HOSTS "[host a]\n[host b]\n"
#define LINK "[link]\nboth = delay 1ms\n"
#define AIR "[air]\n[station a]\nat = 0m 0m\n[station b]\nat = 200m 0m\n"
#define FLOW "[flow f]\nbetween = a b\n"

static const struct {
	const char *text, *said; /* "LINE: sentence": what it begins with */
} bad[] = {
	{"[hots a]\n", "1: section \"hots\" is not known here; did you mean \"host\"?"},
	{"[host a]\nadress = 10.0.0.1\n", "2: key \"adress\" is not known here"},
	{"[host a]\nmtu = 20B\n", "2: mtu: '20B': expected 68B to 9000B"},
	{"[host a]\n[router a]\n", "2: there is a host, port or router \"a\" already"},
	{"[host much-too-long]\n", "1: \"much-too-long\" is not a name: expected 1 to 8 letters"},
	{"[host a]\n[link x]\nbetween = a c\n", "3: between: there is no host, port or router \"c\" above"},
	{HOSTS "[link]\nboth = deley 1ms\n", "4: fwd: word 1 \"deley\": not known here; did you mean \"delay\"?"},
	{HOSTS "[link]\nboth = delay 1ms\n[at 1s]\nboth = delay\n", "6: fwd: "},
	{HOSTS LINK "[flow f]\n", "5: flow f: between is missing, such as between = a b"},
	{HOSTS LINK "[flow f]\nbetween = a c\n", "6: between: there is no host \"c\" above"},
	{HOSTS LINK "[flow f]\nbetween = a a\n", "6: between: a flow has two different ends"},
	{HOSTS LINK "[flow f]\nbetween = a\n", "6: between: 'a': expected the names of two hosts"},
	{HOSTS LINK FLOW, "5: flow f: it never ends: expected bytes or stop here, or time in [run]"},
	{HOSTS LINK FLOW "bytes = 0B\n", "7: bytes: '0B': expected a size above 0"},
	{HOSTS LINK FLOW "bytes = 1MB\nbytes = 2MB\n", "8: bytes is given twice in this section"},
	{HOSTS LINK FLOW "bytes = 5\n", "7: bytes: "},
	{HOSTS LINK "[run]\ntime = 1s\nseed = 3\ntime = 2s\n", "8: time is given twice in this section"},
	{HOSTS LINK "between = a b\nbetween = a b\n", "6: between is given twice in this section"},
	{HOSTS LINK FLOW "bytes = 1MB\nstop = 3s\n", "8: stop: a flow ends by bytes or by stop, not by both"},
	{HOSTS LINK FLOW "start = 3s\nstop = 3s\n", "5: flow f: expected a stop after its start, 3s"},
	{"[run]\ntime = 2s\n" HOSTS LINK FLOW "start = 3s\n", "7: flow f: it starts at 3s, after the end of the run"},
	{HOSTS LINK FLOW "bytes = 1MB\nsender = newrino\n", "8: sender: "},
	{HOSTS LINK FLOW "stop = 1s\napp = film\n", "8: app: no application 'film'; known: bulk"},
	{HOSTS LINK FLOW "stop = 1s\napp = rr:request=0B\n", "8: app: request: '0B' is out of range"},
	{HOSTS LINK FLOW "stop = 1s\napp = rr:requests=x\n", "8: app: requests: "},
	{HOSTS LINK FLOW "bytes = 1MB\napp = rr\n", "5: flow f: rr counts requests, not bytes: app = rr:requests=100"},
	{HOSTS LINK FLOW "app = rr\n", "5: flow f: it never ends"},
	{HOSTS LINK FLOW "stop = 1s\napp = cbr:rate=0bit\n", "8: app: rate: "},
	{HOSTS LINK FLOW "stop = 1s\napp = cbr\nsender = reno\n", "9: sender: flow f uses cbr, which has no TCP"},
	{HOSTS LINK FLOW "stop = 1s\napp = onoff:on=1\n", "8: app: on: "},
	{HOSTS LINK FLOW "stop = 1s\nstack = kernel\n", "8: stack: 'kernel': expected user, or kernel:NAME"},
	{HOSTS LINK FLOW "stop = 1s\nstack = kernel:reno\napp = rr\n", "8: stack: flow f: the kernel's TCP can only send bulk data"},
	{HOSTS LINK FLOW "stop = 1s\nstack = kernel:reno\nsender = reno\n", "9: sender: flow f uses the kernel's TCP, which does not take this setting"},
	{HOSTS LINK FLOW "stop = 1s\nstack = kernel:reno\n[flow g]\nbetween = b a\nstop = 1s\n", "9: flows f and g: a host has only one stack"},
	{HOSTS LINK FLOW "stop = 1s\nstack = kernel:reno\n[flow g]\nbetween = a b\nstop = 1s\nstack = kernel:reno\n",
	 "9: flows f and g: a host can have only one flow of the kernel's TCP"},
	{HOSTS LINK FLOW "bytes = 1MB\nsettings = mss=1\n", "8: settings: "},
	{HOSTS LINK FLOW "bytes = 1MB\napp = film\n", "8: app: no application 'film'; known: bulk"},
	{HOSTS LINK FLOW "bytes = 1MB\napp = onoff:on=0\n", "8: app: "},
	{HOSTS LINK FLOW "bytes = 1MB\ndirection = back\n", "8: direction \"back\" is not known here; expected one of fwd, rev"},
	{HOSTS LINK FLOW "bytes = 1MB\ncount = 0\n", "8: count: '0': expected 1 to"},
	{HOSTS LINK FLOW "bytes = 1MB\n[flow f]\n", "8: there is a flow \"f\" already"},
	{HOSTS LINK FLOW "bytes = 1MB\n[run]\ntime = 3s\n", "8: [run] must come before the flows"},
	{"[run]\ntime = 0s\n" HOSTS LINK, "2: time: '0s': expected a time above 0"},
	{"[run]\nwarmup = 1s\n" HOSTS LINK, "2: key \"warmup\" is not known here"},
	{"[host a]\n", "1: two hosts or ports are needed"},
	{"[host a]\n[host b]\n[host c]\n[link x]\nbetween = a b\n", "3: host c has 0 links, and must have one"},
	{"[host a]\n[host b]\n[router r]\n[link x]\nbetween = a b\n", "3: no link leads to router r"},
	{"[host a]\ngateway = 10.0.2.1/24\n[host b]\n[router r]\n[link x]\nbetween = a r\n[link y]\nbetween = b r\n",
	 "3: host b: its gateway is in the network of host a"},
	{"[host a]\n[host b]\n[host c]\n[host d]\n[link x]\nbetween = a b\n[link y]\nbetween = c d\n[flow f]\nbetween = a c\nbytes = 1KB\n",
	 "9: flow f: no links lead from a to c"},
	{"[host a]\n[host b]\n[router r]\n[router s]\n[link x]\nbetween = a r\n[link y]\nbetween = b s\n[flow f]\nbetween = a b\nbytes = 1KB\n",
	 "9: flow f: no links lead from a to b"},
	{"[air]\nrat = 2Mbit\n", "2: key \"rat\" is not known here; did you mean \"rate\"?"},
	{"[air]\nrate = 3Mbit\n", "2: rate: '3Mbit': expected 1, 2, 5.5 or 11Mbit"},
	{"[air]\nrate = 54Mbit\n" "[station a]\nat = 0m 0m\n[station b]\nat = 1m 0m\n", "1: air: rate 54Mbit with basic 1Mbit: expected both of DSSS"},
	{"[air]\nretries = 7\n", "2: retries: '7': expected two numbers"},
	{"[air]\ncapture = 0.5\n", "2: capture: '0.5': expected off, or how many times stronger"},
	{"[air]\nrts = sometimes\n", "2: rts: 'sometimes': expected always, never, or the size"},
	{"[air]\nrange = 250\n", "2: range: '250': expected a number of metres, such as 250m"},
	{"[air]\nsense = 100m\n[station a]\nat = 0m 0m\n[station b]\nat = 1m 0m\n", "1: air: sense 100m is below range 250m: expected"},
	{"[air]\nrouting = aodw\n[station a]\nat = 0m 0m\n[station b]\nat = 1m 0m\n", "2: routing: "},
	{"[air]\nmovement = /nowhere/at-all\n[station a]\n[station b]\n", "2: movement: /nowhere/at-all: No such file"},
	{"[air]\n[air]\n", "2: there is a section [air] above already"},
	{"[run]\ntime = 1s\n[run]\ntime = 2s\n", "3: there is a section [run] above already"},
	{"[emulator]\nseed = 3\n[emulator]\nseed = 4\n", "3: there is a section [emulator] above already"},
	{"[run x]\n", "1: [run] takes no name: there is one in a file"},
	{HOSTS LINK "[schedule zz]\n", "5: there is no link \"zz\" above"},
	{HOSTS LINK "[at 1s every 1s times 0]\n", "5: times: '0': expected 1 to 1000000"},
	{HOSTS "[router r]\n" LINK "[flow f]\nbetween = a r\n", "7: between: \"r\" is a router; a flow is between two hosts"},
	{"[air]\n", "1: air: stations are missing, such as [station a]"},
	{"[station a]\nat = 0m 0m\n[station b]\nat = 0m 1m\n", "1: station a: [air] is missing"},
	{"[air]\n[station a]\nat = 0m 0m\n[station b]\n", "4: station b: its place is missing, such as at = 0m 250m"},
	{"[air]\n[station a]\nat = 0m\n", "3: at: '0m': expected a place, such as at = 0m 250m"},
	{"[air]\n[station a]\ngo = 1s 0m 0m 1m/s\n", "3: go: at = X Y stands above it"},
	{"[air]\n[station a]\nat = 0m 0m\ngo = 1s 0m 0m 1m\n", "4: go: '1m': expected a number of metres per second"},
	{"[air]\n[stations n]\ncount = 0\n", "3: count: '0': expected 1 to 4096"},
	{"[air]\n[stations n]\nplace = string 250m\n", "3: place: count stands above it"},
	{"[air]\n[stations n]\ncount = 3\nplace = ring 250m\n", "4: place: 'ring 250m': expected string 250m, grid COLUMNS 200m, or field"},
	{"[air]\n[stations n]\ncount = 3\nmove = waypoint 100m 100m 0m/s 1m/s 0s\n", "4: move: 'waypoint 100m 100m 0m/s 1m/s 0s': expected a slowest speed above 0 m/s"},
	{"[air]\n[stations n]\n", "2: stations n: count is missing, such as count = 8"},
	{AIR "[host h]\n[link x]\nbetween = a h\n", "7: link x: a link of station a leads to a router, not to a host"},
	{AIR "[host h]\n[router r]\n[link x]\nbetween = h r\n[flow f]\nbetween = a h\nbytes = 1KB\n", "10: flow f: no links lead from a to h"},
	{"[emulator]\nsed = 3\n", "2: key \"sed\" is not known here; did you mean \"seed\"?"},
	{"[emulator]\nseed = 3\nseed = 4\n", "3: seed is given twice in this section"},
	{"[emulator]\nrelease = never\n", "2: release \"never\" is not known here; expected one of sleep, guard, spin"},
	{"[emulator]\nframes = 3\n", "2: frames: '3' is not from 64 to 1048576"},
};

static void a_fault_is_told_with_its_line_its_word_and_what_was_expected(void **state)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_simulation simulation;
		char err[900] = "nothing";
		int error = read_world(&simulation, bad[i].text, err, sizeof(err));

		wt_simulation_finish(&simulation);
		if (error && !strncmp(err, bad[i].said, strlen(bad[i].said)))
			continue;
		print_error("said: %s\nexpected: %s\n", err, bad[i].said);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void what_flows_do_not_say_stands_in_run_and_what_they_say_wins(void **state)
{
	struct wt_simulation simulation;
	const struct wt_world *world = &simulation.world;

	must_read(&simulation, "[run]\ntime = 9s\nseed = 7\nsender = reno\nbytes = 3KB\ndelay = 2ms\n" HOSTS LINK
			       "[flow f]\nbetween = a b\n[flow g]\nbetween = a b\ndirection = rev\nsender = tahoe\nstop = 4s\ncount = 3\nstart = 1s\n");
	assert_int_equal(world->flows, 4);
	assert_true(world->time == 9 * WT_S && world->seed == 7);
	assert_string_equal(simulation.flow[0].a.sender.ops->name, "reno");
	assert_true(world->flow[0].bytes == 3000 && world->flow[0].delay == 2 * WT_MS && world->flow[0].host[0] == 0);
	for (unsigned i = 1; i < 4; i++) {
		assert_string_equal(simulation.flow[i].a.sender.ops->name, "tahoe");
		assert_true(world->flow[i].host[0] == 1 && world->flow[i].stop == 4 * WT_S && !world->flow[i].bytes);
	}
	assert_string_equal(world->flow[1].name, "g.1");
	assert_string_equal(world->flow[3].name, "g.3");
	assert_int_not_equal(world->flow[1].local_port, world->flow[2].local_port);
	wt_simulation_finish(&simulation);
}

static void hosts_have_addresses_that_nobody_wrote(void **state)
{
	struct wt_simulation simulation;
	char text[WT_ADDR_TEXT];

	must_read(&simulation, "[host a]\n[host b]\ngateway = 10.9.9.2/24\n[port c]\ngateway = 10.0.0.1/30\n[router r]\n[link x]\nbetween = a r\n"
			       "[link y]\nbetween = r b\n[link z]\nbetween = c r\n");
	assert_string_equal(wt_addr_format(&simulation.world.host[0].address, text), "10.0.1.2");
	assert_string_equal(wt_addr_format(&simulation.world.host[1].address, text), "10.9.9.1");
	assert_string_equal(wt_addr_format(&simulation.world.host[2].address, text), "10.0.0.2");
	wt_simulation_finish(&simulation);
}

/* A text that grows. */
static void add(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(char **text, const char *format, ...)
{
	char *more, *both;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&more, format, args) >= 0);
	va_end(args);
	assert_true(asprintf(&both, "%s%s", *text ? *text : "", more) >= 0);
	free(*text);
	free(more);
	*text = both;
}

static void there_may_be_more_hosts_flows_and_changes_than_the_fixed_lists_had(void **state)
{
	enum { HOSTS_MANY = 60, CHANGES = 3000 };
	struct wt_simulation simulation;
	struct wt_simulation_result result;
	char *text = NULL;

	for (unsigned i = 0; i < HOSTS_MANY; i++)
		add(&text, "[host h%u]\n", i);
	add(&text, "[router hub]\n");
	for (unsigned i = 0; i < HOSTS_MANY; i++)
		add(&text, "[link l%u]\nbetween = h%u hub\nboth = rate 10Mbit burst 0B limit 64KB delay 1ms\n", i, i);
	for (unsigned i = 1; i < HOSTS_MANY; i++)
		add(&text, "[flow f%u]\nbetween = h%u h0\ncount = 2\nbytes = 20KB\nstart = %ums\n", i, i, i);
	add(&text, "[at 1ms every 1ms times %u]\nl3.fwd = rate 10Mbit burst 0B limit 64KB delay 1ms\n", CHANGES);
	must_read(&simulation, text);
	assert_int_equal(simulation.world.hosts, HOSTS_MANY);
	assert_int_equal(simulation.world.flows, 2 * (HOSTS_MANY - 1));
	assert_int_equal(simulation.world.events, CHANGES);
	must_run(&simulation, &result);
	for (unsigned i = 0; i < result.flows; i++)
		assert_true(result.flow[i].got_result && result.flow[i].result.verified && result.flow[i].result.bytes == 20000);
	wt_simulation_result_finish(&result);
	wt_simulation_finish(&simulation);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_is_told_with_its_line_its_word_and_what_was_expected),
		cmocka_unit_test(what_flows_do_not_say_stands_in_run_and_what_they_say_wins),
		cmocka_unit_test(hosts_have_addresses_that_nobody_wrote),
		cmocka_unit_test(there_may_be_more_hosts_flows_and_changes_than_the_fixed_lists_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
