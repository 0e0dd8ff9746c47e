/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every random model against its law over a million packets, fixed seeds; and the same judgement of the model with one
 * parameter two per cent off, which must fail: a test that passes whatever the words say would show nothing.
 *
 * Fates (lost, doubled, held, changed): their mean and the share of neighbours that share one, against the chain the words
 * describe. The error of both is that of a thousand batches of a thousand packets, which holds with memory, too.
 */
#include "tests/unit/emu/queue_bench.h"

#include <math.h>
#include <stdio.h>

enum { PACKETS = 1000000, BATCH = 1000, STATES = 3, LEN = 64 };

/* 0.1 per cent, both sides */
#define CRITICAL 3.29

static bool fates[PACKETS];
static uint8_t template[LEN];

/* ---- what happened ---------------------------------------------------------------------------------------------- */

/* Lost, doubled, held back or changed: any of them, whatever the stage does. */
static bool touched(struct wt_node *node, wt_time now)
{
	struct wt_frame *frame = wt_frame_new(bench_pool), *out;
	unsigned port, times = 0;
	bool whole = true;

	memcpy(wt_frame_own_bytes(frame), template, LEN);
	frame->len = LEN;
	node->ops->input(node, 0, now, frame);
	while ((out = node->ops->output(node, now, &port))) {
		times++;
		whole = whole && !memcmp(wt_frame_own_bytes(out), template, LEN);
		wt_frame_free(out);
	}
	if (node->audit.queued)
		wt_frame_free(node->ops->output(node, now + WT_US, &port));
	return times != 1 || !whole;
}

static void observe(const char *words, wt_time gap)
{
	struct wt_node *node = bench_words(words);

	for (unsigned i = 0; i < PACKETS; i++)
		fates[i] = touched(node, (wt_time)i * gap);
	assert_true(wt_audit_holds(&node->audit));
	wt_path_finish(&bench_path);
}

/* Deviations from `expected` of the mean of a thousand batches. */
static double deviations(const double batch[], double expected)
{
	const unsigned n = PACKETS / BATCH;
	double mean = 0, square = 0;

	for (unsigned i = 0; i < n; i++)
		mean += batch[i] / n;
	for (unsigned i = 0; i < n; i++)
		square += (batch[i] - mean) * (batch[i] - mean);
	return fabs(mean - expected) / sqrt(square / (n - 1) / n);
}

/* ---- what the words say ----------------------------------------------------------------------------------------- */

/* A chain seen by one packet after the other: steps from packet to packet, and the share touched in each state. */
struct law {
	unsigned states;
	double step[STATES][STATES], share[STATES];
};

static void multiply(double a[STATES][STATES], double b[STATES][STATES])
{
	double c[STATES][STATES] = {{0}};

	for (unsigned i = 0; i < STATES; i++)
		for (unsigned k = 0; k < STATES; k++)
			for (unsigned j = 0; j < STATES; j++)
				c[i][j] += a[i][k] * b[k][j];
	memcpy(a, c, sizeof(c));
}

static void square_often(double m[STATES][STATES], unsigned times)
{
	while (times--) {
		double copy[STATES][STATES];

		memcpy(copy, m, sizeof(copy));
		multiply(m, copy);
		for (unsigned i = 0; i < STATES; i++) { /* rows sum to 1: rounding would double with every square */
			double sum = m[i][0] + m[i][1] + m[i][2];

			for (unsigned j = 0; j < STATES && sum > 0; j++)
				m[i][j] /= sum;
		}
	}
}

/* A chain in time, looked at every `gap`: e^(Q gap) = (1 + Q gap / 2^24)^(2^24). */
static struct law in_time(unsigned states, const double mean[], const double to[STATES][STATES], const double share[], double gap)
{
	struct law law = {.states = states};

	for (unsigned i = 0; i < states; i++) {
		double leave = gap / mean[i] / (1 << 24);

		for (unsigned j = 0; j < states; j++)
			law.step[i][j] = i == j ? 1 - leave : leave * to[i][j];
		law.share[i] = share[i];
	}
	square_often(law.step, 24);
	return law;
}

static struct law independent(double share)
{
	return (struct law){.states = 1, .step = {{1}}, .share = {share}};
}

static struct law two(double p, double r, double first, double second)
{
	return (struct law){.states = 2, .step = {{1 - p, p}, {r, 1 - r}}, .share = {first, second}};
}

static struct law two_in_time(double off, double on, double off_share, double on_share, double gap)
{
	static const double to[STATES][STATES] = {{0, 1}, {1, 0}};

	return in_time(2, (double[]){off, on}, to, (double[]){off_share, on_share}, gap);
}

/* How far the fates are from the law: above 1 is too far. */
static double misfit(struct law law)
{
	double mean[PACKETS / BATCH] = {0}, pair[PACKETS / BATCH] = {0}, rest[STATES][STATES], expected = 0, neighbours = 0;

	for (unsigned i = 0; i < PACKETS; i++) {
		mean[i / BATCH] += fates[i] / (double)BATCH;
		if (i % BATCH)
			pair[i / BATCH] += (fates[i] && fates[i - 1]) / (double)(BATCH - 1);
	}
	memcpy(rest, law.step, sizeof(rest));
	square_often(rest, 40); /* every row is now the law of rest */
	for (unsigned i = 0; i < law.states; i++) {
		expected += rest[0][i] * law.share[i];
		for (unsigned j = 0; j < law.states; j++)
			neighbours += rest[0][i] * law.share[i] * law.step[i][j] * law.share[j];
	}
	return fmax(deviations(mean, expected), deviations(pair, neighbours)) / CRITICAL;
}

/* The first words follow the law; none of the others, each with one parameter two per cent off, does. */
static void judge(struct law law, wt_time gap, const char *const words[])
{
	double far;

	observe(words[0], gap);
	far = misfit(law);
	if (!(far < 1))
		fail_msg("%s: %.2f times what chance allows", words[0], far);
	for (unsigned i = 1; words[i]; i++) {
		observe(words[i], gap);
		far = misfit(law);
		if (!(far > 1))
			fail_msg("%s passes for %s: %.2f", words[i], words[0], far);
	}
}

#define JUDGE(law, gap, ...) judge(law, gap, (const char *const[]){__VA_ARGS__, NULL})

/* ---- the models ------------------------------------------------------------------------------------------------- */

static void independent_losses_copies_and_holds_have_their_share(void **state)
{
	JUDGE(independent(0.2), 1, "loss 20%", "loss 20.4%", "loss 19.6%");
	JUDGE(independent(0.2), 1, "duplicate 20%", "duplicate 20.4%", "duplicate 19.6%");
	JUDGE(independent(0.2), WT_MS, "reorder 20% delay 1us", "reorder 20.4% delay 1us", "reorder 19.6% delay 1us");
	JUDGE(independent(0.2), 1, "corrupt 20%", "corrupt 20.4%", "corrupt 19.6%");
	JUDGE(independent(0.2), WT_MS, "outage at 0s for 10h drop 20%", "outage at 0s for 10h drop 20.4%");
}

/* What the published rates of the paper's reverse path imply: 1 - (1 - p)^2. */
static void a_device_passed_twice_loses_what_two_devices_lose(void **state)
{
	JUDGE(independent(1 - 0.8 * 0.8), 1, "loss twice 20%", "loss twice 20.4%", "loss twice 19.6%");
	JUDGE(two_in_time(3, 2, 1 - 0.9 * 0.9, 1 - 0.5 * 0.5, 2), 2 * WT_MS, "loss gilbert on 2ms 50% off 3ms 10% twice",
	      "loss gilbert on 2ms 51% off 3ms 10% twice", "loss gilbert on 2.04ms 50% off 3ms 10% twice",
	      "loss gilbert on 2ms 50% off 3.06ms 10% twice");
}

static void two_states_in_time_have_their_sojourns_and_shares(void **state)
{
	JUDGE(two_in_time(3, 2, 0.25, 0.95, 2), 2 * WT_MS, "loss gilbert on 2ms 95% off 3ms 25%", "loss gilbert on 2.04ms 95% off 3ms 25%",
	      "loss gilbert on 2ms 93.1% off 3ms 25%", "loss gilbert on 2ms 95% off 3.06ms 25%", "loss gilbert on 2ms 95% off 3ms 25.5%");
}

/* 99 per cent for half a second each 5 s in the mean: as a Markov process, and as handoffs. */
static void the_papers_handoff_process_has_its_sojourns_and_share(void **state)
{
	const struct law law = two_in_time(5, 0.5, 0, 0.99, 1);

	JUDGE(law, WT_S, "loss gilbert on 500ms 99% off 5s 0%", "loss gilbert on 510ms 99% off 5s 0%",
	      "loss gilbert on 500ms 97% off 5s 0%", "loss gilbert on 500ms 99% off 5.1s 0%");
	JUDGE(law, WT_S, "handoff mean 5s for 500ms drop 99%", "handoff mean 5.1s for 500ms drop 99%",
	      "handoff mean 5s for 510ms drop 99%", "handoff mean 5s for 500ms drop 97%");
}

/* One state at a time loses everything: so the fates are that state. And one with a share. */
static void several_states_in_time_have_their_sojourns_jumps_and_shares(void **state)
{
	static const double to[STATES][STATES] = {{0, 0.6, 0.4}, {0.5, 0, 0.5}, {0.7, 0.3, 0}}, mean[] = {2, 3, 2};
	static const char *const form = "loss markov state %s %s to 2 %s to 3 %s state %s %s to 1 50%% to 3 50%% state %s %s to 1 70%% to 2 30%%";
	static const struct {
		const char *mean[3], *jump[2];
	} off[] = {{{"2ms", "3ms", "2ms"}, {"60%", "40%"}},
		   {{"2.04ms", "3ms", "2ms"}, {"60%", "40%"}},
		   {{"2ms", "3.06ms", "2ms"}, {"60%", "40%"}},
		   {{"2ms", "3ms", "2.04ms"}, {"60%", "40%"}},
		   {{"2ms", "3ms", "2ms"}, {"61.2%", "38.8%"}}};
	char text[5][200];
	const char *words[6] = {NULL};

	for (unsigned s = 0; s < 3; s++) {
		double share[3] = {s == 0, s == 1, s == 2};
		unsigned n = 0;

		for (unsigned i = 0; i < 5; i++) {
			/* a state's own time shows in it, and the jumps in where they lead */
			if (i && i != s + 1 && !(i == 4 && s == 1))
				continue;
			snprintf(text[n], sizeof(text[n]), form, off[i].mean[0], s == 0 ? "100%" : "0%", off[i].jump[0], off[i].jump[1],
				 off[i].mean[1], s == 1 ? "100%" : "0%", off[i].mean[2], s == 2 ? "100%" : "0%");
			words[n] = text[n];
			n++;
		}
		words[n] = NULL;
		judge(in_time(3, mean, to, share, 2), 2 * WT_MS, words);
	}
	JUDGE(in_time(3, mean, to, (double[]){0, 0.9, 0.5}, 2), 2 * WT_MS,
	      "loss markov state 2ms 0% to 2 60% to 3 40% state 3ms 90% to 1 50% to 3 50% state 2ms 50% to 1 70% to 2 30%",
	      "loss markov state 2ms 0% to 2 60% to 3 40% state 3ms 88.2% to 1 50% to 3 50% state 2ms 50% to 1 70% to 2 30%",
	      "loss markov state 2ms 0% to 2 60% to 3 40% state 3ms 90% to 1 50% to 3 50% state 2ms 51% to 1 70% to 2 30%");
}

static void a_chain_of_packets_has_its_steps_and_shares(void **state)
{
	JUDGE(two(0.4, 0.3, 0.02, 0.7), 1, "loss elliott p 40% r 30% h 30% k 98%", "loss elliott p 40.8% r 30% h 30% k 98%",
	      "loss elliott p 40% r 30.6% h 30% k 98%", "loss elliott p 40% r 30% h 30.6% k 98%", "loss elliott p 40% r 30% h 30% k 96%");
	/* p = r m / (1 - m), r = 1 / burst */
	JUDGE(two(0.5 * 0.3 / 0.7, 0.5, 0, 1), 1, "loss elliott mean 30% burst 2packets", "loss elliott mean 30.6% burst 2packets",
	      "loss elliott mean 30% burst 2.04packets", "loss elliott mean 30% burst 1.96packets");
}

/* ---- bits ------------------------------------------------------------------------------------------------------- */

/* Each bit from the IP header on, a thousand times over; chi-square, and one position in twenty with two per cent more. */
static void flipped_bits_are_anywhere_alike(void **state)
{
	enum { BITS = (LEN - WT_ETHERNET) * 8 };
	struct wt_node *node = bench_words("corrupt 100%");
	static uint64_t count[BITS];
	double chi = 0, each = PACKETS / (double)BITS;
	unsigned port, flips = 0;

	for (unsigned i = 0; i < PACKETS; i++) {
		struct wt_frame *frame = wt_frame_new(bench_pool);

		memcpy(wt_frame_own_bytes(frame), template, LEN);
		frame->len = LEN;
		node->ops->input(node, 0, i, frame);
		frame = node->ops->output(node, i, &port);
		assert_memory_equal(wt_frame_own_bytes(frame), template, WT_ETHERNET);
		for (unsigned k = WT_ETHERNET; k < LEN; k++)
			for (unsigned bit = 0, odd = wt_frame_own_bytes(frame)[k] ^ template[k]; odd >> bit; bit++) {
				count[(k - WT_ETHERNET) * 8 + bit] += odd >> bit & 1;
				flips += odd >> bit & 1;
			}
		wt_frame_free(frame);
	}
	assert_int_equal(flips, PACKETS);
	for (unsigned i = 0; i < BITS; i++)
		chi += ((double)count[i] - each) * ((double)count[i] - each) / each;
	assert_true(chi < BITS - 1 + CRITICAL * sqrt(2 * (BITS - 1)));
	/* a law that favours the first half by two per cent is another one */
	chi = 0;
	for (unsigned i = 0; i < BITS; i++) {
		double biased = each * (i < BITS / 2 ? 1.02 : 0.98);

		chi += ((double)count[i] - biased) * ((double)count[i] - biased) / biased;
	}
	assert_true(chi > BITS - 1 + CRITICAL * sqrt(2 * (BITS - 1)));
	wt_path_finish(&bench_path);
}

static int set_up(void **state)
{
	struct wt_frame *frame;

	if (bench_setup(state))
		return -1;
	frame = bench_packet(LEN, 7, WT_ECN_NOT_ECT, 1);
	memcpy(template, wt_frame_own_bytes(frame), LEN);
	wt_frame_free(frame);
	return 0;
}

#define LAW_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAW_TEST(independent_losses_copies_and_holds_have_their_share),
		LAW_TEST(a_device_passed_twice_loses_what_two_devices_lose),
		LAW_TEST(two_states_in_time_have_their_sojourns_and_shares),
		LAW_TEST(the_papers_handoff_process_has_its_sojourns_and_share),
		LAW_TEST(several_states_in_time_have_their_sojourns_jumps_and_shares),
		LAW_TEST(a_chain_of_packets_has_its_steps_and_shares),
		LAW_TEST(flipped_bits_are_anywhere_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
