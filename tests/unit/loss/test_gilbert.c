/* SPDX-License-Identifier: BSD-2-Clause */
/* The generator of the paper's errors, against closed form: a million packets, fixed seeds. */
#include "tests/unit/emu/emu_bench.h"
#include "tests/unit/exponential.h"

#include <stdlib.h>

#include "emu/loss/markov.h"
#include "emu/path.h"

enum { SOJOURNS = 100000, PACKETS = 1000000 };

static void check_sojourns(wt_time off, wt_time on, uint64_t seed)
{
	static double values[2][SOJOURNS];
	const wt_time mean[2] = {off, on};
	struct wt_key key = wt_key_derive(seed, "sojourns");
	struct wt_markov chain;
	double product = 0;

	wt_markov_init(&chain, &key, mean, WT_MARKOV_START_OFF);
	for (unsigned i = 0; i < 2 * SOJOURNS; i++) {
		assert_int_equal(chain.state, i & 1);
		values[i & 1][i / 2] = (double)(chain.until - chain.since);
		wt_markov_at(&chain, chain.until);
	}
	/* successive sojourns are uncorrelated: mean of (x-1)(y-1), standard deviation 1/sqrt n */
	for (unsigned i = 0; i < SOJOURNS; i++)
		product += (values[0][i] / (double)off - 1) * (values[1][i] / (double)on - 1);
	assert_true(fabs(product / SOJOURNS) < 4 / sqrt(SOJOURNS));
	for (unsigned s = 0; s < 2; s++) {
		double sum = 0;

		for (unsigned i = 0; i < SOJOURNS; i++)
			sum += values[s][i];
		assert_true(fabs(sum / SOJOURNS / (double)mean[s] - 1) < 4 / sqrt(SOJOURNS));
		assert_true(exponential_distance(values[s], SOJOURNS, (double)mean[s]) < 1.95); /* 0.1 per cent */
	}
}

static void sojourns_are_exponential_with_the_mean_asked_for(void **state)
{
	check_sojourns(WT_S, WT_S, 2001);
	check_sojourns(5 * WT_S, WT_S / 2, 2001);
	check_sojourns(WT_MARKOV_MEAN_MIN, 100 * WT_S, 2);
}

/* A million packets, 10 ms apart: mean loss, and the share within each state. */
static void check_loss(const struct wt_gilbert_config *config, uint64_t seed)
{
	struct wt_key key = wt_key_derive(seed, "fwd.gilbert"), timeline = wt_key_derive(seed, "fwd.gilbert.timeline");
	struct wt_node *node = wt_gilbert_create("fwd.gilbert", &key, &timeline, config);
	double a = (double)config->mean[0] / WT_S, b = (double)config->mean[1] / WT_S, share = b / (a + b), seconds = PACKETS / 100.;
	uint64_t came[2] = {0}, lost[2] = {0};
	struct wt_markov chain;
	/* of the time spent on, over many cycles: 2 share (1 - share) / (1/a + 1/b) per second */
	double deviation = sqrt(2 * share * (1 - share) / (1 / a + 1 / b) / seconds);

	wt_markov_init(&chain, &timeline, config->mean, config->start);
	for (unsigned i = 0; i < PACKETS; i++) {
		wt_time now = (wt_time)i * 10 * WT_MS;
		unsigned in = wt_markov_at(&chain, now);

		came[in]++;
		lost[in] += !bench_passes(node, now, bench_tcp(60, i));
	}
	assert_true(fabs((double)came[1] / PACKETS - share) < 4 * deviation);
	assert_true(fabs((double)(lost[0] + lost[1]) / PACKETS - share * config->drop[1] - (1 - share) * config->drop[0]) <
		    4 * deviation * fabs(config->drop[1] - config->drop[0]) + 0.001);
	for (unsigned s = 0; s < 2; s++) {
		double expected = (double)came[s] * config->drop[s], off = (double)lost[s] - expected;

		if (config->drop[s] == 0)
			assert_int_equal(lost[s], 0);
		else
			assert_true(off * off / expected / (1 - config->drop[s]) < 10.8); /* 0.1 per cent */
	}
	assert_int_equal(node->audit.dropped[WT_DROP_MARKOV], lost[0] + lost[1]);
	node->ops->destroy(node);
}

static void the_papers_link_errors_have_the_loss_asked_for(void **state)
{
	check_loss(&(struct wt_gilbert_config){{WT_S, WT_S}, {0, 0.2}, WT_MARKOV_START_RANDOM}, 2001);
	check_loss(&(struct wt_gilbert_config){{WT_S, WT_S}, {0.01, 0.5}, WT_MARKOV_START_OFF}, 2002);
}

static void the_papers_handoff_has_the_loss_asked_for(void **state)
{
	check_loss(&(struct wt_gilbert_config){{5 * WT_S, WT_S / 2}, {0, 0.99}, WT_MARKOV_START_RANDOM}, 2001);
}

static void a_random_start_is_on_for_the_stationary_share(void **state)
{
	const wt_time mean[2] = {3 * WT_S, WT_S};
	unsigned on = 0;

	for (uint64_t seed = 0; seed < 10000; seed++) {
		struct wt_key key = wt_key_derive(seed, "start");
		struct wt_markov chain;

		wt_markov_init(&chain, &key, mean, WT_MARKOV_START_RANDOM);
		on += chain.state;
		wt_markov_init(&chain, &key, mean, WT_MARKOV_START_ON);
		assert_int_equal(chain.state, 1);
	}
	assert_in_range(on, 2327, 2673);
}

/* Was the chain on at `now`? On drops all, off drops nothing. */
static bool is_on(const struct wt_path *path, wt_time now)
{
	return !bench_passes(path->stage[0], now, bench_tcp(60, 0));
}

static void the_state_does_not_depend_on_who_asks_and_when(void **state)
{
	struct wt_path often, seldom;
	char err[300];

	assert_int_equal(wt_path_init(&often, "loss gilbert on 1s 100% off 1s 0%", "fwd", 9, err, sizeof(err)), 0);
	assert_int_equal(wt_path_init(&seldom, "loss gilbert on 1s 100% off 1s 0%", "fwd", 9, err, sizeof(err)), 0);
	for (wt_time now = 0; now < 2000 * WT_S; now += 13 * WT_MS) {
		bool on = is_on(&often, now);

		if (now % (7 * 13 * WT_MS) == 0)
			assert_int_equal(is_on(&seldom, now), on);
	}
	wt_path_finish(&often);
	wt_path_finish(&seldom);
}

/* Share of instants at which the two directions are in the same state; rev is asked at other times too. */
static double agreement(const char *words)
{
	unsigned same = 0, all = 0;
	struct wt_path fwd, rev;
	char err[300];

	if (wt_path_init_pair(&fwd, words, &rev, words, 9, err, sizeof(err)))
		fail_msg("%s", err);
	for (wt_time now = 0; now < 2000 * WT_S; now += 10 * WT_MS, all++) {
		same += is_on(&fwd, now) == is_on(&rev, now);
		is_on(&rev, now + 3 * WT_MS);
	}
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
	return (double)same / all;
}

static void shared_means_one_timeline_for_both_directions(void **state)
{
	double apart;

	assert_true(agreement("loss gilbert on 1s 100% off 1s 0% shared") == 1);
	apart = agreement("loss gilbert on 1s 100% off 1s 0%");
	assert_true(apart > 0.4 && apart < 0.6);
}

static void two_directions_of_one_timeline_still_drop_different_packets(void **state)
{
	struct wt_path fwd, rev;
	unsigned same = 0;
	char err[300];

	assert_int_equal(wt_path_init_pair(&fwd, "loss gilbert on 1h 50% off 1s 0% shared start on", &rev,
					   "loss gilbert on 1h 50% off 1s 0% shared start on", 9, err, sizeof(err)), 0);
	for (wt_time now = 0; now < 10000; now++)
		same += is_on(&fwd, now) == is_on(&rev, now);
	assert_in_range(same, 4800, 5200);
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

static void arp_passes_the_worst_state(void **state)
{
	struct wt_path path;
	char err[300];

	assert_int_equal(wt_path_init(&path, "loss gilbert on 1h 100% off 1s 0% start on", "fwd", 9, err, sizeof(err)), 0);
	assert_true(bench_passes(path.stage[0], 0, bench_arp()));
	assert_false(bench_passes(path.stage[0], 0, bench_tcp(60, 0)));
	wt_path_finish(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(sojourns_are_exponential_with_the_mean_asked_for),
		BENCH_TEST(the_papers_link_errors_have_the_loss_asked_for),
		BENCH_TEST(the_papers_handoff_has_the_loss_asked_for),
		BENCH_TEST(a_random_start_is_on_for_the_stationary_share),
		BENCH_TEST(the_state_does_not_depend_on_who_asks_and_when),
		BENCH_TEST(shared_means_one_timeline_for_both_directions),
		BENCH_TEST(two_directions_of_one_timeline_still_drop_different_packets),
		BENCH_TEST(arp_passes_the_worst_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
