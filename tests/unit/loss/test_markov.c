/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains of several states: sojourns, jumps, stationary law and drop shares against closed forms. */
#include "tests/unit/emu/queue_bench.h"
#include "tests/unit/exponential.h"

#include <stdlib.h>

#include "emu/chain.h"

enum { SOJOURNS = 1000000, PACKETS = 1000000 };

static const struct wt_chain_config three = {
	.states = 3,
	.start = 1,
	.mean = {5 * WT_MS, 1 * WT_MS, 2 * WT_MS},
	.drop = {0, 0.1, 0.8},
	.to = {{0, 0.75, 0.25}, {0.5, 0, 0.5}, {1, 0, 0}},
	.listed = {true, true, true},
};

static void sojourns_are_exponential_and_jumps_have_their_shares(void **state)
{
	struct wt_key key = wt_key_derive(2001, "chain");
	double *sample[3] = {NULL};
	unsigned count[3] = {0}, jumps[3][3] = {{0}};
	struct wt_chain chain;
	wt_time since = 0;

	for (unsigned i = 0; i < 3; i++)
		sample[i] = malloc(SOJOURNS * sizeof(double));
	wt_chain_init(&chain, &key, &three);
	for (unsigned i = 0; i < SOJOURNS; i++) {
		unsigned was = chain.state;
		wt_time end = chain.until;

		sample[was][count[was]++] = (double)(end - since);
		since = end;
		jumps[was][wt_chain_at(&chain, end)]++;
	}
	for (unsigned i = 0; i < 3; i++) {
		double chi = 0;

		assert_true(exponential_distance(sample[i], count[i], (double)three.mean[i]) < 1.95);
		for (unsigned k = 0; k < 3; k++) {
			double expected = count[i] * three.to[i][k], off = jumps[i][k] - expected;

			if (expected > 0)
				chi += off * off / expected;
			else
				assert_int_equal(jumps[i][k], 0);
		}
		assert_true(chi < 10.8); /* 1 degree of freedom, 0.1 per cent */
		free(sample[i]);
	}
}

/* By hand: jumps visit the states as 8 : 6 : 5, weighted by 5, 1 and 2 ms: 40 : 6 : 10. */
static void the_stationary_law_is_that_of_the_balance_equations(void **state)
{
	double share[WT_CHAIN_STATES];

	wt_chain_stationary(&three, share);
	for (unsigned i = 0; i < 3; i++)
		assert_true(fabs(share[i] - (double[]){40.0, 6.0, 10.0}[i] / 56) < 1e-14);
}

static void a_random_start_follows_the_stationary_law(void **state)
{
	struct wt_chain_config config = three;
	unsigned count[3] = {0};
	double chi = 0;

	config.start = 0;
	for (unsigned seed = 0; seed < 100000; seed++) {
		struct wt_key key = wt_key_derive(seed, "start");
		struct wt_chain chain;

		wt_chain_init(&chain, &key, &config);
		count[chain.state]++;
	}
	for (unsigned i = 0; i < 3; i++) {
		double expected = 100000 * (double[]){40.0, 6.0, 10.0}[i] / 56;

		chi += (count[i] - expected) * (count[i] - expected) / expected;
	}
	assert_true(chi < 13.8); /* 2 degrees of freedom */
}

static void each_state_drops_its_share_and_the_mean_is_that_of_the_law(void **state)
{
	static const char words[] = "loss markov state 5ms 0% to 2 75% to 3 25% state 1ms 10% to 1 50% to 3 50% state 2ms 80% to 1 100% start 1";
	struct wt_node *node = bench_words(words);
	struct wt_key key = wt_key_derive(1, "fwd.markov.timeline");
	uint64_t in[3] = {0}, lost[3] = {0};
	struct wt_chain chain;
	double mean;

	assert_string_equal(bench_path.text, words);
	wt_chain_init(&chain, &key, &three);
	for (unsigned i = 0; i < PACKETS; i++) {
		wt_time now = (wt_time)i * 100 * WT_US;
		unsigned at = wt_chain_at(&chain, now);

		in[at]++;
		lost[at] += !bench_passes(node, now, bench_tcp(60, i));
	}
	assert_int_equal(lost[0], 0);
	for (unsigned i = 1; i < 3; i++) {
		double expected = (double)in[i] * three.drop[i], off = (double)lost[i] - expected;

		assert_true(off * off / expected / (1 - three.drop[i]) < 10.8);
	}
	/* 100 s hold about 12500 rounds of the chain: 2 per cent are more than 4 deviations */
	mean = (6 * 0.1 + 10 * 0.8) / 56 * PACKETS;
	assert_true(fabs((double)node->audit.dropped[WT_DROP_MARKOV] - mean) < 0.05 * mean);
	wt_path_finish(&bench_path);
}

static void two_states_without_jumps_written_alternate(void **state)
{
	struct wt_node *node = bench_words("loss markov state 10ms 0% state 10ms 100%");
	unsigned changes = 0;
	bool was = true;

	for (unsigned i = 0; i < PACKETS; i++) {
		bool passes = bench_passes(node, (wt_time)i * 100 * WT_US, bench_tcp(60, i));

		changes += passes != was;
		was = passes;
	}
	assert_in_range(changes, 9400, 10400); /* 100 s by 10 ms, seen each 0.1 ms */
	wt_path_finish(&bench_path);
}

static void both_directions_may_share_one_history(void **state)
{
	static const char words[] = "loss markov state 1s 0% state 1s 100% state 1s 50% shared";
	struct wt_path fwd, rev;
	unsigned both[2] = {0};
	char err[300];

	assert_int_equal(wt_path_init_pair(&fwd, words, &rev, "loss markov state 1s 0% state 1s 100% state 1s 0% shared", 1, err,
					   sizeof(err)), 0);
	for (unsigned i = 0; i < 20000; i++) {
		bool a = bench_passes(fwd.stage[0], i * WT_MS, bench_tcp(60, i));

		/* never lost on the way back alone */
		if (!bench_passes(rev.stage[0], i * WT_MS, bench_tcp(60, i))) {
			assert_false(a);
			both[0]++;
		}
		both[1]++;
	}
	assert_in_range(both[0], 2000, 12000);
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
	assert_int_equal(wt_path_init_pair(&fwd, words, &rev, "loss markov state 1s 0% state 2s 100% state 1s 0% shared", 1, err,
					   sizeof(err)), -22);
	assert_string_equal(err, "rev: \"loss markov ... shared\" must have the sojourns, the jumps and the start of its partner in "
				 "fwd; only the drop shares may differ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(sojourns_are_exponential_and_jumps_have_their_shares),
		BENCH_TEST(the_stationary_law_is_that_of_the_balance_equations),
		BENCH_TEST(a_random_start_follows_the_stationary_law),
		BENCH_TEST(each_state_drops_its_share_and_the_mean_is_that_of_the_law),
		BENCH_TEST(two_states_without_jumps_written_alternate),
		BENCH_TEST(both_directions_may_share_one_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
