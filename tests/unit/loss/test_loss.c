/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/emu/emu_bench.h"

#include <stdlib.h>

enum { PACKETS = 1000000, RUNS = 12 };

static struct wt_node *make(const char *name, uint64_t seed, double share)
{
	struct wt_key key = wt_key_derive(seed, name);

	return wt_loss_create(name, &key, share);
}

/* Chi-square of the run lengths of losses against the geometric law; the last cell is "RUNS or more". */
static double run_chi_square(const uint64_t runs[RUNS], uint64_t total, double share)
{
	double chi = 0, tail = 1;

	for (unsigned i = 0; i < RUNS; i++) {
		double expected = (double)total * (i == RUNS - 1 ? tail : tail * (1 - share)), off = (double)runs[i] - expected;

		if (expected >= 5)
			chi += off * off / expected;
		tail *= share;
	}
	return chi;
}

static void a_million_packets_meet_the_share_and_the_run_lengths_asked_for(void **state)
{
	static const double shares[] = {0.01, 0.2, 1.0 / 3, 0.5};

	for (unsigned s = 0; s < 4; s++) {
		struct wt_node *node = make("fwd.loss", 2001, shares[s]);
		uint64_t runs[RUNS] = {0}, total = 0, lost;
		double expected = PACKETS * shares[s], off;
		unsigned run = 0;

		for (unsigned i = 0; i < PACKETS; i++) {
			if (!bench_passes(node, i, bench_tcp(60, i))) {
				run++;
				continue;
			}
			if (run) {
				runs[run < RUNS ? run - 1 : RUNS - 1]++;
				total++;
			}
			run = 0;
		}
		lost = node->audit.dropped[WT_DROP_LOSS];
		off = (double)lost - expected;
		/* chi-square, 1 degree of freedom, 0.1 per cent: 10.8 */
		assert_true(off * off / expected + off * off / (PACKETS - expected) < 10.8);
		/* 11 degrees, 0.1 per cent: 31.3 */
		assert_true(run_chi_square(runs, total, shares[s]) < 31.3);
		node->ops->destroy(node);
	}
}

static void none_and_all_are_exact(void **state)
{
	struct wt_node *none = make("fwd.loss", 1, 0), *all = make("rev.loss", 1, 1);

	for (unsigned i = 0; i < 10000; i++) {
		assert_true(bench_passes(none, i, bench_tcp(60, i)));
		assert_false(bench_passes(all, i, bench_tcp(60, i)));
	}
	none->ops->destroy(none);
	all->ops->destroy(all);
}

static void arp_ping_and_ipv6_neither_move_nor_meet_the_fate_of_tcp(void **state)
{
	struct wt_node *alone = make("fwd.loss", 5, 0.3), *mixed = make("fwd.loss", 5, 0.3);
	uint64_t ping_lost = 0, solicitation_lost = 0;

	for (unsigned i = 0; i < 10000; i++) {
		if (i % 3 == 0)
			assert_true(bench_passes(mixed, i, bench_arp()));
		ping_lost += i % 5 == 0 && !bench_passes(mixed, i, bench_frame(0x0800, BENCH_ICMP, 98, i));
		solicitation_lost += i % 7 == 0 && !bench_passes(mixed, i, bench_frame(0x86dd, 58, 90, i));
		assert_int_equal(bench_passes(alone, i, bench_tcp(60, i)), bench_passes(mixed, i, bench_tcp(60, i)));
	}
	/* they meet the loss themselves, being IP */
	assert_in_range(ping_lost, 500, 700);
	assert_in_range(solicitation_lost, 350, 510);
	alone->ops->destroy(alone);
	mixed->ops->destroy(mixed);
}

static void the_streams_of_seeds_and_directions_are_independent(void **state)
{
	struct wt_node *nodes[] = {make("fwd.loss", 5, 0.5), make("rev.loss", 5, 0.5), make("fwd.loss", 6, 0.5)};
	unsigned agree[2] = {0};

	for (unsigned i = 0; i < 100000; i++) {
		bool first = bench_passes(nodes[0], i, bench_tcp(60, i));

		agree[0] += first == bench_passes(nodes[1], i, bench_tcp(60, i));
		agree[1] += first == bench_passes(nodes[2], i, bench_tcp(60, i));
	}
	for (unsigned i = 0; i < 2; i++) /* 50000 +- 4 standard deviations of 158 */
		assert_in_range(agree[i], 49368, 50632);
	for (unsigned i = 0; i < 3; i++)
		nodes[i]->ops->destroy(nodes[i]);
}

static void a_packet_cut_short_is_no_reason_to_read_past_it(void **state)
{
	struct wt_node *node = make("fwd.loss", 1, 0);

	for (uint32_t len = 0; len < 40; len++) {
		struct wt_frame *frame = bench_tcp(64, 0);

		frame->len = len;
		assert_true(bench_passes(node, 0, frame));
	}
	node->ops->destroy(node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(a_million_packets_meet_the_share_and_the_run_lengths_asked_for),
		BENCH_TEST(none_and_all_are_exact),
		BENCH_TEST(arp_ping_and_ipv6_neither_move_nor_meet_the_fate_of_tcp),
		BENCH_TEST(the_streams_of_seeds_and_directions_are_independent),
		BENCH_TEST(a_packet_cut_short_is_no_reason_to_read_past_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
