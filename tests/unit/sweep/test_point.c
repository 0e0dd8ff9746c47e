/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/scratch.h"
#include "tools/sweep/run.h"

static struct wt_sweep sweep;
static struct wt_sweep_run run;
static char err[600];

#define HEAD "[sweep]\nname = x\n"

static void load(const char *text)
{
	if (wt_sweep_parse(&sweep, text, "t.ini", err, sizeof(err)) || wt_sweep_check(&sweep, err, sizeof(err)))
		fail_msg("%s", err);
}

static void resolve(uint32_t point)
{
	if (wt_sweep_resolve(&sweep, point, &run, err, sizeof(err)))
		fail_msg("%s", err);
}

/* The digest of a point of a file. */
static const char *digest_of(const char *text, uint32_t point, char digest[WT_SHA256_TEXT])
{
	load(text);
	resolve(point);
	assert_int_equal(wt_sweep_digest(&sweep, &run, digest), 0);
	wt_sweep_finish(&sweep);
	return digest;
}

static void words_go_into_braces_and_into_parameters_of_their_name(void **state)
{
	load(HEAD "[axes]\nloss = 1% 5%\nsize = 1KiB 2KiB\n[run]\nlink = delay 1ms loss {loss}\nrev = delay 2ms\n");
	resolve(3);
	assert_string_equal(run.fwd, "loss 5% delay 1ms");
	assert_string_equal(run.rev, "delay 2ms");
	assert_int_equal(run.flow.size, 2048);
	wt_sweep_finish(&sweep);
}

static void dotted_axes_set_settings_and_parameters_of_modules(void **state)
{
	load(HEAD "[axes]\nsettings.mss = 512B 1024B\nreceiver.lmax = 8 16\n[run]\nsender = reno\nreceiver = real:profile=paper\n");
	resolve(2);
	assert_string_equal(run.text[WT_SWEEP_SETTINGS], "mss=1024B");
	assert_string_equal(run.text[WT_SWEEP_RECEIVER], "real:profile=paper,lmax=8");
	assert_int_equal(run.flow.a.settings.mss, 1024);
	assert_int_equal(run.flow.b.settings.mss, 1024);
	wt_sweep_finish(&sweep);
}

static void a_variant_stands_over_run_and_an_axis_over_both(void **state)
{
	load(HEAD "[axes]\npreset = modern bsd90\n[run]\nsize = 1KiB\nsender = reno\npreset = modern\n[variant p]\nsender = tahoe\n[variant q]\nsize = 3KiB\n");
	resolve(0);
	assert_string_equal(run.flow.a.sender.ops->name, "tahoe");
	assert_int_equal(run.flow.size, 1024);
	resolve(3);
	assert_string_equal(run.flow.a.sender.ops->name, "reno");
	assert_int_equal(run.flow.size, 3072);
	assert_string_equal(run.text[WT_SWEEP_PRESET], "bsd90");
	wt_sweep_finish(&sweep);
}

static void a_user_stack_sets_both_ends_where_both_have_the_module(void **state)
{
	load(HEAD "[axes]\nstack = user:real, user:reno\n");
	resolve(0);
	assert_string_equal(run.flow.a.sender.ops->name, "real");
	assert_string_equal(run.flow.b.receiver.ops->name, "real");
	resolve(1);
	assert_string_equal(run.flow.a.sender.ops->name, "reno");
	assert_null(run.flow.b.receiver.ops); /* the default */
	wt_sweep_finish(&sweep);
}

#define WORLD "[run]\ntime = {end}\n[host a]\n[host b]\n[host c]\n[router r]\n[link la]\nbetween = a r\n[link lb]\nbetween = b r\n" \
	      "[link lc]\nbetween = r c\nboth = rate {rate} burst 0B limit 9packets delay 5ms\n" \
	      "[flow one]\nbetween = a c\nsender = {sender}\n[flow two]\nbetween = b c\napp = cbr:rate={rate}\n"

/* The sweep's text with the name of a file that holds the world. 0: it is good. */
static int load_with_world(const char *text, const char *world)
{
	char path[SCRATCH_PATH], filled[900];
	int fd = scratch_file(path), bad;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, world, strlen(world)), (ssize_t)strlen(world));
	snprintf(filled, sizeof(filled), text, path);
	bad = wt_sweep_parse(&sweep, filled, "t.ini", err, sizeof(err)) || wt_sweep_check(&sweep, err, sizeof(err));
	if (!bad)
		resolve(sweep.points - 1);
	close(fd);
	return bad;
}

static void the_world_of_a_sweep_is_a_file_in_which_axes_names_and_parameters_are_filled_in(void **state)
{
	static const char text[] = HEAD "[axes]\nnet = slow fast\n[net slow]\nrate = 1Mbit\nend = 3s\n[net fast]\nrate = 9Mbit\nend = 2s\n"
				   "[run]\nworld = %s\n[variant p]\nsender = reno\n[variant q]\nsender = cubic\n";
	char one[WT_SHA256_TEXT], other[WT_SHA256_TEXT];
	struct wt_simulation simulation;

	if (load_with_world(text, WORLD))
		fail_msg("%s", err);
	assert_int_equal(wt_sweep_digest(&sweep, &run, one), 0);
	assert_int_equal(wt_sweep_simulation(&run, 7, &simulation, err, sizeof(err)), 0);
	assert_int_equal(simulation.world.hosts, 3);
	assert_int_equal(simulation.world.seed, 7);
	assert_true(simulation.world.time == 2 * WT_S);
	assert_string_equal(simulation.flow[0].a.sender.ops->name, "cubic");
	assert_true(simulation.flow[1].datagrams && simulation.flow[1].cbr.rate == 9000000);
	wt_simulation_finish(&simulation);
	wt_sweep_finish(&sweep);
	assert_int_equal(load_with_world(text, WORLD "size = 900B\n"), 1); /* no key of a flow */
	wt_sweep_finish(&sweep);
	assert_int_equal(load_with_world(text, WORLD "bytes = 900B\n"), 0);
	assert_int_equal(wt_sweep_digest(&sweep, &run, other), 0);
	assert_string_not_equal(one, other);
	wt_sweep_finish(&sweep);
}

/* A world of two hosts without flows: one, as the parameters say; and a name may stand in the value of another. */
static void a_world_without_flows_gets_one_and_values_may_name_others(void **state)
{
	char one[WT_SHA256_TEXT], other[WT_SHA256_TEXT];
	struct wt_simulation simulation;

	for (unsigned i = 0; i < 2; i++) {
		const char *text = i ? HEAD "[axes]\nx = 1\n[x 1]\nfar = {near}0\nnear = 3\n[run]\nworld = %s\nsender = tahoe\n"
				     : HEAD "[axes]\nx = 1\n[x 1]\nfar = {near}0\nnear = 3\n[run]\nworld = %s\nsender = reno\n";

		assert_int_equal(load_with_world(text, "[run]\ntime = {far}s\n[host a]\n[host b]\n"), 0);
		assert_int_equal(wt_sweep_digest(&sweep, &run, i ? other : one), 0);
		assert_int_equal(wt_sweep_simulation(&run, 1, &simulation, err, sizeof(err)), 0);
		assert_int_equal(simulation.world.flows, 1);
		assert_true(simulation.world.time == 30 * WT_S);
		assert_string_equal(simulation.flow[0].a.sender.ops->name, i ? "tahoe" : "reno");
		wt_simulation_finish(&simulation);
		wt_sweep_finish(&sweep);
	}
	assert_string_not_equal(one, other);
}

static void a_fault_of_a_world_is_told_with_the_point_and_its_own_line(void **state)
{
	static const struct {
		const char *text, *world, *says;
	} bad[] = {
		{HEAD "[run]\nworld = %s\n", "[host a]\n[hots b]\n", "t.ini:4: world: "},
		{HEAD "[axes]\nx = 1 2\n[run]\nworld = %s\n", "[host a]\n[host b]\n[link l]\nboth = delay {x}\n", ":4: "},
		{HEAD "[axes]\nx = 1 2\n[run]\nworld = %s\n", "[run]\ntime = 1s\n[host a]\n[host b]\n", "axis 'x' changes nothing"},
		{HEAD "[axes]\nx = 1 2\n[x 1]\nspede = 3\n[run]\nworld = %s\n", "[run]\ntime = {x}s\n[host a]\n[host b]\n", "t.ini:6: 'spede' is not a parameter"},
		{HEAD "[run]\nworld = %s\nflows = 2\n", "[host a]\n[host b]\n", "t.ini:5: flows: a world file sets this itself"},
		{HEAD "[run]\nworld = %s\n", "[run]\ntime = {end}\n[host a]\n[host b]\n", "'{end}' is not an axis"},
		{HEAD "[run]\nworld = %s\n", "[run]\nbytes = 1MB\nstack = kernel:reno\n[host a]\n[host b]\n[flow f]\nbetween = a b\n",
		 "3: stack: the kernel's TCP needs real time"},
		{HEAD "backend = tap\n[run]\nworld = %s\n", "[host a]\n[host b]\n", "it never ends"},
		{HEAD "[axes]\nx = 1\n[x 1]\na = {b}\nb = {a}\n[run]\nworld = %s\n", "[run]\ntime = {a}\n", "refers to itself"},
		{HEAD "[run]\nworld = %s.none\n", "[host a]\n", "No such file"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!load_with_world(bad[i].text, bad[i].world) || !strstr(err, bad[i].says))
			fail_msg("%s\nwith\n%s\nis refused with: %s", bad[i].text, bad[i].world, err);
		wt_sweep_finish(&sweep);
	}
}

static void what_says_the_same_has_the_same_digest(void **state)
{
	char a[WT_SHA256_TEXT], b[WT_SHA256_TEXT];

	assert_string_equal(digest_of(HEAD "[axes]\nloss = 5%\n[run]\nlink = loss {loss} delay 1ms\n", 0, a),
			    digest_of("[sweep]\nname = other\nrepeats = 3\n[run]\nfwd = delay 1000us loss 5.0%\nrev = loss 5% delay 1ms\nsize = 5MiB\n", 0, b));
}

static void everything_that_changes_a_run_changes_its_digest(void **state)
{
	static const char *const texts[] = {
		HEAD, HEAD "backend = tap\n", HEAD "[run]\nfwd = delay 1ms\n", HEAD "[run]\nrev = delay 1ms\n", HEAD "[run]\nlink = delay 1ms\n",
		HEAD "[run]\nsize = 1MiB\n", HEAD "[run]\ntime = 1s\n", HEAD "[run]\nflows = 2\n", HEAD "[run]\nmtu = 1000B\n",
		HEAD "[run]\nlimit = 1h\n", HEAD "[run]\npreset = bsd90\n", HEAD "[run]\nsettings = mss=1000B\n", HEAD "[run]\nsender = reno\n",
		HEAD "[run]\nsender = real\n", HEAD "[run]\nsender = real:profile=paper\n", HEAD "[run]\nreceiver = real\n",
		HEAD "[run]\napp = playback\n", HEAD "[run]\napp = playback:read=4KB\n", HEAD "[run]\ntokens = tokens\n",
		HEAD "[run]\nrecovery = tahoe\n", HEAD "backend = tap\n[run]\nstack = kernel:cubic\n", HEAD "backend = tap\n[run]\nstack = kernel:reno\n",
	};
	enum { COUNT = sizeof(texts) / sizeof(texts[0]) };
	char digest[COUNT][WT_SHA256_TEXT];

	for (unsigned i = 0; i < COUNT; i++) {
		digest_of(texts[i], 0, digest[i]);
		for (unsigned j = 0; j < i; j++)
			if (!strcmp(digest[i], digest[j]))
				fail_msg("%s\nand\n%s\nare one run", texts[i], texts[j]);
	}
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Else the results of the old file would be shown as those of the new one. */
static void what_the_files_of_a_path_hold_is_part_of_the_digest(void **state)
{
	static const struct {
		const char *words, *one, *other;
	} cases[] = {{"rate trace %s limit 64KB", "1\n2\n", "1\n3\n"}, {"loss trace %s", "0001\n", "0010\n"},
		     {"delay 5ms jitter file %s", "1ms\n", "2ms\n"}};
	char path[SCRATCH_PATH], text[300], words[200], one[WT_SHA256_TEXT], other[WT_SHA256_TEXT];
	int fd = scratch_file(path);

	assert_true(fd >= 0);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(words, sizeof(words), cases[i].words, path);
		snprintf(text, sizeof(text), HEAD "[run]\nlink = %s\n", words);
		put_file(path, cases[i].one);
		digest_of(text, 0, one);
		put_file(path, cases[i].other);
		digest_of(text, 0, other);
		assert_string_not_equal(one, other);
		put_file(path, cases[i].one);
		assert_string_equal(digest_of(text, 0, other), one);
	}
	close(fd);
}

static void seeds_make_different_runs_of_one_point(void **state)
{
	char digest[WT_SHA256_TEXT], a[WT_SWEEP_ID], b[WT_SWEEP_ID];

	digest_of(HEAD, 0, digest);
	wt_sweep_id(digest, 1, a);
	wt_sweep_id(digest, 2, b);
	assert_int_equal(strlen(a), 32);
	assert_string_not_equal(a, b);
}

static void every_run_belongs_to_exactly_one_shard_and_shards_are_equally_large(void **state)
{
	unsigned seen[200] = {0}, ours;
	struct wt_sweep_state st;

	load(HEAD "[axes]\nsize = 1KiB 2KiB 3KiB 4KiB 5KiB 6KiB 7KiB 8KiB 9KiB 10KiB\n");
	for (unsigned shard = 0; shard < 7; shard++) {
		assert_int_equal(wt_sweep_state_init(&st, &sweep, "/nonexistent", err, sizeof(err)), 0);
		assert_int_equal(wt_sweep_state_name(&st, err, sizeof(err)), 0);
		assert_int_equal(wt_sweep_state_shard(&st, shard, 7), 0);
		ours = 0;
		for (unsigned p = 0; p < 10; p++)
			for (unsigned r = 0; r < 10; r++)
				if (wt_sweep_ours(&st, p, r)) {
					seen[p * 10 + r]++;
					ours++;
				}
		assert_in_range(ours, 14, 15);
		wt_sweep_state_finish(&st);
	}
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	wt_sweep_finish(&sweep);
}

static void a_fault_at_a_point_is_told_with_the_line_it_comes_from(void **state)
{
	static const struct {
		const char *text, *where, *what;
	} bad[] = {
		{HEAD "[axes]\nloss = 1% 200%\n[run]\nlink = loss {loss}\n", "t.ini:6: link: ", "(at loss=200%)"},
		{HEAD "[axes]\nloss = 1%\n[run]\nlink = delay 1ms\n", "t.ini:4: ", "changes nothing"},
		{HEAD "[run]\nlink = loss {lss}\n", "t.ini:4: ", "not an axis"},
		{HEAD "[run]\nlink = delay 15\n", "t.ini:4: link: ", ""},
		{HEAD "[run]\nfwd = delay 1ms\nrev = dely 1ms\n", "t.ini:5: rev: word 1 ", "dely"},
		{HEAD "[axes]\nsender = reno rno\n", "t.ini:4: sender: ", "rno"},
		{HEAD "[axes]\nsettings.msss = 1KiB\n", "t.ini:4: settings: ", "msss"},
		{HEAD "[axes]\nsender.lmax = 3\n", "t.ini:4: ", "no sender is given"},
		{HEAD "[run]\nsender = reno\n[variant p]\nsender = rela\n", "t.ini:6: sender: ", "rela"},
		{HEAD "[run]\nsize = 5\n", "t.ini:4: size: ", ""},
		{HEAD "[run]\nflows = 10001\n", "t.ini:4: flows: ", "expected 1 to 10000"},
		{HEAD "[run]\nmtu = 127B\n", "t.ini:4: mtu: ", "expected 128B"},
		{HEAD "[run]\npreset = bsd\n", "t.ini:4: preset: ", "bsd"},
		{HEAD "[run]\nstack = kernel:cubic\n", "t.ini:4: stack: ", "expected backend = tap or packet"},
		{HEAD "[run]\napp = film\n", "t.ini:4: app: ", "film"},
		{HEAD "[run]\nstack = linux\n", "t.ini:4: stack: ", "expected user"},
		{HEAD "backend = tap\n[run]\nflows = 2\nstack = kernel:reno\n", "t.ini:5: flows: ", "the kernel's TCP has one flow"},
		{HEAD "metric = speed\n", "t.ini:3: ", "'speed': expected one of goodput_kBps"},
		{HEAD "metric = flow.tcp9.goodput_kBps\n", "t.ini:3: ", "'flow.tcp9.goodput_kBps': there is no such flow or link"},
		{HEAD "metric = hop.main.fwd.out/hop.side.fwd.in\n", "t.ini:3: ", "there is no such flow or link"},
		{HEAD "[printed speed]\n1 = 2\n", "t.ini:4: ", "metric: 'speed': expected one of goodput_kBps"},
		{HEAD "metric = links_lost\n", "t.ini:3: ", "only with a world of stations"},
		{HEAD "metric =\n", "t.ini:3: ", "expected one of goodput_kBps"},
		{HEAD "[run]\nsize = 1KiB\n[sweep]\nmetric = success_percent\n", "t.ini:6: ", "only with app = playback"},
		{HEAD "metric = tokens_per_slot\n", "t.ini:3: ", "only with tokens"},
		{HEAD "backend = tap\nmetric = simulated_s\n", "t.ini:4: ", "only with backend = sim"},
		{HEAD "backend = tap\nmetric = timeouts\n[axes]\nstack = user kernel:reno\n", "t.ini:4: ", "(not at stack=kernel:reno)"},
		{HEAD "[axes]\nloss = 1% 2%\n[run]\nlink = loss {los}\n", "t.ini:6: ", "'{los}' is not an axis"},
		{HEAD "[axes]\nloss = 1% 2%\n[run]\nlink = loss {loss\n", "t.ini:6: ", "not closed"},
		{HEAD "[run]\nsize = 0B\n", "t.ini:4: size: ", "more than 0"},
		{HEAD "[run]\ntime = 0s\n", "t.ini:4: time: ", "more than 0"},
		{HEAD "[run]\nlimit = 0s\n", "t.ini:4: limit: ", "more than 0"},
		{HEAD "[run]\nmtu = 0B\n", "t.ini:4: mtu: ", "expected 128B"},
		{HEAD "[run]\nflows = two\n", "t.ini:4: flows: ", "whole number"},
		{HEAD "[run]\nreceiver = reno\n", "t.ini:4: receiver: ", "known: standard, real"},
		{HEAD "[run]\nrecovery = x\n", "t.ini:4: recovery: ", "known: tahoe"},
		{HEAD "[run]\nsettings = mss=abc\n", "t.ini:4: settings: ", "mss"},
		{HEAD "[run]\nsender = real:profile=x\n", "t.ini:4: sender: ", "known: safe"},
		{HEAD "[run]\nlink = loss trace nosuch.txt\n", "t.ini:4: link: ", "no such file"},
		{HEAD "[run]\ntokens = x\n", "t.ini:4: tokens: ", "expected tokens"},
		{HEAD "[run]\nstack = user:x\n", "t.ini:4: sender: ", "known: tahoe"},
		{HEAD "backend = tap\n[run]\nsize = 1MB\ntime = 1s\n", "t.ini:6: time: ", "by size or by time"},
		{HEAD "backend = tap\n[run]\ntokens = tokens\n", "t.ini:5: tokens: ", "only in virtual time"},
		{HEAD "backend = tap\n[run]\nstack = kernel:reno\napp = playback\n", "t.ini:6: app: ", "only with our own stack"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_sweep_parse(&sweep, bad[i].text, "t.ini", err, sizeof(err)), 0);
		assert_int_equal(wt_sweep_check(&sweep, err, sizeof(err)), -22);
		if (!strstr(err, bad[i].where) || !strstr(err, bad[i].what))
			fail_msg("%s\n... is refused with: %s", bad[i].text, err);
		wt_sweep_finish(&sweep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_go_into_braces_and_into_parameters_of_their_name),
		cmocka_unit_test(dotted_axes_set_settings_and_parameters_of_modules),
		cmocka_unit_test(a_variant_stands_over_run_and_an_axis_over_both),
		cmocka_unit_test(a_user_stack_sets_both_ends_where_both_have_the_module),
		cmocka_unit_test(the_world_of_a_sweep_is_a_file_in_which_axes_names_and_parameters_are_filled_in),
		cmocka_unit_test(a_world_without_flows_gets_one_and_values_may_name_others),
		cmocka_unit_test(a_fault_of_a_world_is_told_with_the_point_and_its_own_line),
		cmocka_unit_test(what_says_the_same_has_the_same_digest),
		cmocka_unit_test(everything_that_changes_a_run_changes_its_digest),
		cmocka_unit_test(what_the_files_of_a_path_hold_is_part_of_the_digest),
		cmocka_unit_test(seeds_make_different_runs_of_one_point),
		cmocka_unit_test(every_run_belongs_to_exactly_one_shard_and_shards_are_equally_large),
		cmocka_unit_test(a_fault_at_a_point_is_told_with_the_line_it_comes_from),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
