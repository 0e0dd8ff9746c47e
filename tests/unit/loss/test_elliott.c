/* SPDX-License-Identifier: BSD-2-Clause */
/* Gilbert-Elliott by the packet, and losses by list, against closed forms over a million packets. */
#include "tests/unit/emu/queue_bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/scratch.h"

enum { PACKETS = 1000000, RUNS = 20 };

static bool fates[PACKETS]; /* lost? */

static void offer(const char *words)
{
	struct wt_node *node = bench_words(words);

	for (unsigned i = 0; i < PACKETS; i++)
		fates[i] = !bench_passes(node, i, bench_tcp(60, i));
	assert_int_equal(wt_audit_dropped(&node->audit),
			 node->audit.dropped[WT_DROP_ELLIOTT] + node->audit.dropped[WT_DROP_LIST]);
	wt_path_finish(&bench_path);
}

/* Chi-square of run lengths of `what` against the geometric law that ends a run with `end`; cells below 5 are joined. */
static double runs(bool what, double end, unsigned *degrees)
{
	uint64_t count[RUNS] = {0}, total = 0;
	double chi = 0, tail = 1;
	unsigned run = 0;

	for (unsigned i = 0; i < PACKETS; i++) {
		if (fates[i] == what) {
			run++;
			continue;
		}
		if (run) {
			count[run < RUNS ? run - 1 : RUNS - 1]++;
			total++;
		}
		run = 0;
	}
	*degrees = 0;
	for (unsigned i = 0; i < RUNS; i++) {
		double expected = (double)total * (i == RUNS - 1 ? tail : tail * end), off = (double)count[i] - expected;

		tail *= 1 - end;
		if (expected < 5)
			break;
		chi += off * off / expected;
		++*degrees;
	}
	return chi;
}

static double lost(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < PACKETS; i++)
		n += fates[i];
	return (double)n / PACKETS;
}

/* In the bad state all are lost, in the good one none: runs are sojourns. 19 degrees, 0.1 per cent: 43.8. */
static void bursts_and_gaps_are_geometric(void **state)
{
	unsigned degrees;

	offer("loss elliott p 2% r 25%");
	assert_true(runs(true, 0.25, &degrees) < 43.8);
	assert_true(degrees > 15);
	assert_true(runs(false, 0.02, &degrees) < 43.8);
	/* mean p/(p+r); its variance is (1+c)/(1-c) times that of independent losses, c = 1-p-r the memory of a step */
	assert_true(lost() > 0.0740741 - 4 * 0.000262 * 2.53 && lost() < 0.0740741 + 4 * 0.000262 * 2.53);
}

static void the_mean_and_the_burst_asked_for_are_met(void **state)
{
	uint64_t bursts = 0;

	offer("loss elliott mean 9% burst 3packets");
	for (unsigned i = 1; i < PACKETS; i++)
		bursts += fates[i] && !fates[i - 1];
	assert_true(lost() > 0.088 && lost() < 0.092); /* 4 deviations: 0.0026 */
	assert_true(lost() * PACKETS / (double)bursts > 2.94 && lost() * PACKETS / (double)bursts < 3.06);
}

/* P(two in a row are lost) = sum over states s, t of pi(s) loss(s) P(s to t) loss(t). */
static void with_h_and_k_the_mean_and_the_pairs_are_those_of_the_chain(void **state)
{
	const double p = 0.1, r = 0.3, bad = p / (p + r), lose[2] = {0.05, 0.6};
	double pair = (1 - bad) * lose[0] * ((1 - p) * lose[0] + p * lose[1]) + bad * lose[1] * (r * lose[0] + (1 - r) * lose[1]);
	double mean = (1 - bad) * lose[0] + bad * lose[1];
	uint64_t pairs = 0;

	offer("loss elliott p 10% r 30% h 40% k 95%");
	for (unsigned i = 1; i < PACKETS; i++)
		pairs += fates[i] && fates[i - 1];
	assert_true(lost() > mean - 0.0030 && lost() < mean + 0.0030);
	assert_true((double)pairs / PACKETS > pair - 0.0025 && (double)pairs / PACKETS < pair + 0.0025);
}

static void other_traffic_neither_steps_the_chain_nor_meets_its_bursts(void **state)
{
	struct wt_node *node;
	unsigned alike = 0, pings = 0;

	offer("loss elliott p 2% r 25%");
	node = bench_words("loss elliott p 2% r 25%");
	for (unsigned i = 0; i < 100000; i++) {
		bool ping = !bench_passes(node, i, bench_frame(0x0800, BENCH_ICMP, 98, i));

		assert_true(bench_passes(node, i, bench_arp()));
		assert_int_equal(!bench_passes(node, i, bench_tcp(60, i)), fates[i]);
		alike += ping && fates[i];
		pings += ping;
	}
	assert_in_range(pings, 6500, 8300);
	assert_in_range(alike, 350, 750); /* 0.074 of them: chance */
	wt_path_finish(&bench_path);
}

static void stated_packets_of_each_class_are_lost_and_no_others(void **state)
{
	struct wt_node *node;

	offer("loss list 1,17,100-120,999999");
	for (unsigned i = 0; i < PACKETS; i++)
		assert_int_equal(fates[i], i + 1 == 1 || i + 1 == 17 || (i + 1 >= 100 && i + 1 <= 120) || i + 1 == 999999);
	node = bench_words("loss list 2");
	assert_true(bench_passes(node, 0, bench_tcp(60, 0)));
	assert_true(bench_passes(node, 0, bench_frame(0x0800, BENCH_ICMP, 98, 0)));
	assert_false(bench_passes(node, 0, bench_tcp(60, 0)));
	assert_false(bench_passes(node, 0, bench_frame(0x0800, BENCH_ICMP, 98, 0)));
	wt_path_finish(&bench_path);
}

static void a_trace_of_losses_is_followed_again_and_again(void **state)
{
	char name[SCRATCH_PATH], words[100], err[300], expected[200];
	int fd = scratch_file(name);
	struct wt_path path;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0100 # two of seven\n\n100\n", 25), 25);
	snprintf(words, sizeof(words), "loss trace %s", name);
	offer(words);
	for (unsigned i = 0; i < PACKETS; i++)
		assert_int_equal(fates[i], i % 7 == 1 || i % 7 == 4);
	assert_int_equal(write(fd, "012\n", 4), 4);
	assert_int_equal(wt_path_init(&path, words, "fwd", 1, err, sizeof(err)), -EINVAL);
	snprintf(expected, sizeof(expected), "word 3: %s:4: '2': only 0 (passes) and 1 (lost) may stand here", name);
	assert_string_equal(err, expected);
	close(fd);
}

static void twice_is_two_losses_in_a_row(void **state)
{
	struct wt_node *node = bench_words("loss twice 20%");
	uint64_t gone;

	for (unsigned i = 0; i < PACKETS; i++)
		bench_passes(node, i, bench_tcp(60, i));
	gone = node->audit.dropped[WT_DROP_LOSS];
	assert_in_range(gone, 360000 - 2000, 360000 + 2000); /* 4 deviations of 480 */
	wt_path_finish(&bench_path);
	node = bench_words("loss gilbert on 1s 20% off 1s 0% twice start on");
	for (unsigned i = 0; i < 10000; i++)
		bench_passes(node, 0, bench_tcp(60, i));
	gone = node->audit.dropped[WT_DROP_MARKOV];
	assert_in_range(gone, 3400, 3800);
	wt_path_finish(&bench_path);
}

struct history {
	struct wt_state_sink sink;
	unsigned count;
	struct wt_state state[1000]; /* of TCP over IPv4 */
};

static void keep(struct wt_state_sink *sink, const struct wt_node *node, const struct wt_state *state)
{
	struct history *history = (struct history *)sink;

	assert_int_equal(state->ip_version, 4);
	assert_true(state->protocol == BENCH_TCP || state->protocol == BENCH_ICMP);
	if (state->protocol == BENCH_TCP && history->count < 1000)
		history->state[history->count++] = *state;
}

/* Bad packets are all lost, good ones pass: each fate is the state that was told. Pings between them change nothing. */
static void every_change_of_state_is_told_with_the_packet_that_meets_it(void **state)
{
	static struct history history[2];

	for (unsigned noise = 0; noise < 2; noise++) {
		struct wt_node *node = bench_words("loss elliott mean 10% burst 5packets");
		struct history *told = &history[noise];

		told->sink.state = keep;
		node->states = &told->sink;
		for (unsigned i = 0; i < 5000; i++) {
			bool passes = bench_passes(node, i, bench_tcp(60, i));
			struct wt_state now;

			node->ops->state(node, i, &now);
			assert_string_equal(now.name, passes ? "good" : "bad");
			assert_int_equal(now.visit, told->count - 1);
			assert_int_equal(now.since, told->state[told->count - 1].since);
			if (noise)
				bench_passes(node, i, bench_frame(0x0800, BENCH_ICMP, 60, i));
		}
		wt_path_finish(&bench_path);
	}
	assert_in_range(history[0].count, 120, 280); /* 5000 packets, 50 a round of two states: 200 */
	assert_int_equal(history[0].count, history[1].count);
	for (unsigned i = 0; i < history[0].count; i++) {
		const struct wt_state *one = &history[0].state[i], *other = &history[1].state[i];

		assert_string_equal(one->name, other->name);
		assert_true(one->since == other->since && one->visit == i && other->visit == i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(bursts_and_gaps_are_geometric),
		BENCH_TEST(the_mean_and_the_burst_asked_for_are_met),
		BENCH_TEST(with_h_and_k_the_mean_and_the_pairs_are_those_of_the_chain),
		BENCH_TEST(other_traffic_neither_steps_the_chain_nor_meets_its_bursts),
		BENCH_TEST(every_change_of_state_is_told_with_the_packet_that_meets_it),
		BENCH_TEST(stated_packets_of_each_class_are_lost_and_no_others),
		BENCH_TEST(a_trace_of_losses_is_followed_again_and_again),
		BENCH_TEST(twice_is_two_losses_in_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
