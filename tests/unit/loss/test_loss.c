/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/emu/emu_bench.h"

#include <stdlib.h>

enum { PACKETS = 1000000, RUNS = 12 };

static struct wt_node *make(const char *name, uint64_t seed, double share)
{
	struct wt_key key = wt_key_derive(seed, name);

	return wt_loss_create(name, &key, &(struct wt_loss_config){.share = share});
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

/* The fates of one flow, with and without others of its class beside it, which begin later, before, and in great number. */
static void packets_of_another_flow_do_not_move_the_fate_of_this_one(void **state)
{
	struct wt_node *alone = make("fwd.loss", 5, 0.3), *mixed = make("fwd.loss", 5, 0.3);
	uint64_t lost = 0, alike = 0;

	for (unsigned i = 0; i < 10000; i++) {
		bool first = bench_passes(alone, i, bench_to(bench_tcp(60, i), 1)), second;

		assert_int_equal(first, bench_passes(mixed, i, bench_to(bench_tcp(60, i), 1)));
		second = bench_passes(mixed, i, bench_to(bench_tcp(60, i), 2));
		lost += !second;
		alike += first == second;
		for (unsigned n = 0; n < i % 3; n++)
			bench_passes(mixed, i, bench_to(bench_tcp(60, i), 1000 + i % 5000));
	}
	assert_in_range(lost, 2816, 3184);  /* 3000 and 4 deviations of 46 */
	assert_in_range(alike, 5603, 5997); /* 0.3^2 + 0.7^2, and 4 deviations of 49: chance */
	/* the flow to 2 alone meets what it met beside the others, but for who came first */
	for (unsigned i = 0; i < 2; i++) {
		struct wt_node *pair[] = {make("fwd.loss", 5, 0.3), make("fwd.loss", 5, 0.3)};

		bench_passes(pair[0], 0, bench_to(bench_tcp(60, 0), 1));
		bench_passes(pair[1], 0, bench_to(bench_tcp(60, 0), 3));
		for (unsigned n = 0; n < 10000; n++) {
			if (i)
				bench_passes(pair[0], n, bench_to(bench_tcp(60, n), 4));
			assert_int_equal(bench_passes(pair[0], n, bench_to(bench_tcp(60, n), 2)), bench_passes(pair[1], n, bench_to(bench_tcp(60, n), 2)));
		}
		pair[0]->ops->destroy(pair[0]);
		pair[1]->ops->destroy(pair[1]);
	}
	alone->ops->destroy(alone);
	mixed->ops->destroy(mixed);
}

/* Those above the limit share the numbers of their class; those below keep theirs. */
static void flows_beyond_the_limit_move_only_each_other(void **state)
{
	struct wt_node *few = make("fwd.loss", 7, 0.5), *many = make("fwd.loss", 7, 0.5);
	uint64_t lost = 0;

	for (uint32_t flow = 0; flow < 100; flow++)
		assert_int_equal(bench_passes(few, 0, bench_to(bench_tcp(60, 0), flow)), bench_passes(many, 0, bench_to(bench_tcp(60, 0), flow)));
	for (uint32_t flow = 100; flow < 3 * WT_FLOWS_MAX; flow++)
		lost += !bench_passes(many, 0, bench_to(bench_tcp(60, 0), flow));
	assert_in_range(lost, 48478, 49722); /* 49102 of 98204 and 4 deviations of 157 */
	for (unsigned i = 0; i < 1000; i++) {
		assert_int_equal(bench_passes(few, 1, bench_to(bench_tcp(60, 0), i % 100)), bench_passes(many, 1, bench_to(bench_tcp(60, 0), i % 100)));
		bench_passes(many, 1, bench_to(bench_tcp(60, 0), 2 * WT_FLOWS_MAX + i));
	}
	few->ops->destroy(few);
	many->ops->destroy(many);
}

/* IEEE 802.1Q and, outside of it, 802.1ad. */
static struct wt_frame *tagged(struct wt_frame *frame, unsigned tags)
{
	memmove(wt_frame_own_bytes(frame) + 12 + 4 * tags, wt_frame_own_bytes(frame) + 12, 64);
	for (unsigned i = 0; i < tags; i++)
		wt_put32(wt_frame_own_bytes(frame) + 12 + 4 * i, (i + 1 == tags ? 0x81000000u : 0x88a80000u) | 7);
	frame->len += 4 * tags;
	return frame;
}

static void behind_vlan_tags_a_packet_meets_the_fate_of_its_class_and_flow(void **state)
{
	struct wt_node *plain = make("fwd.loss", 5, 0.3), *vlan = make("fwd.loss", 5, 0.3);
	struct wt_frame *cut;

	for (unsigned i = 0; i < 10000; i++) {
		assert_int_equal(bench_passes(plain, i, bench_tcp(60, i)), bench_passes(vlan, i, tagged(bench_tcp(60, i), i % 3)));
		assert_true(bench_passes(vlan, i, tagged(bench_arp(), 1)));
		assert_int_equal(bench_passes(plain, i, bench_frame(0x86dd, BENCH_TCP, 90, i)),
				 bench_passes(vlan, i, tagged(bench_frame(0x86dd, BENCH_TCP, 90, i), i % 3)));
		assert_true(bench_passes(vlan, i, tagged(bench_tcp(60, i), 3))); /* three tags are nobody's packet */
	}
	vlan->ops->destroy(vlan);
	plain->ops->destroy(plain);
	plain = make("fwd.loss", 1, 0);
	for (uint32_t len = 0; len < 40; len++) {
		cut = tagged(bench_tcp(64, 0), 2);
		cut->len = len;
		assert_true(bench_passes(plain, 0, cut));
	}
	plain->ops->destroy(plain);
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
		BENCH_TEST(packets_of_another_flow_do_not_move_the_fate_of_this_one),
		BENCH_TEST(flows_beyond_the_limit_move_only_each_other),
		BENCH_TEST(behind_vlan_tags_a_packet_meets_the_fate_of_its_class_and_flow),
		BENCH_TEST(the_streams_of_seeds_and_directions_are_independent),
		BENCH_TEST(a_packet_cut_short_is_no_reason_to_read_past_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
