/* SPDX-License-Identifier: BSD-2-Clause */
/* What looks into packets: corruption, MTU, and ICMP about what was dropped. */
#include "tests/unit/emu/queue_bench.h"

#include "stack/base/checksum.h"

enum { PACKETS = 1000000 };

static struct wt_frame *take(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_frame *frame = node->ops->output(node, now, port);

	assert_true(wt_audit_holds(&node->audit));
	return frame;
}

/* An answer about `about`: header and ICMP checksum right, addresses exchanged, the packet quoted. */
static void check_answer(struct wt_frame *answer, const struct wt_frame *about, unsigned code, unsigned mtu)
{
	const uint8_t *ip = wt_frame_own_bytes(answer) + 14, *was = wt_frame_look(about) + 14;

	assert_memory_equal(wt_frame_own_bytes(answer), wt_frame_look(about) + 6, 6);
	assert_memory_equal(wt_frame_own_bytes(answer) + 6, wt_frame_look(about), 6);
	assert_int_equal(answer->len, 14 + 20 + 8 + 28);
	assert_true(bench_header_holds(answer));
	assert_int_equal(wt_get16(ip + 2), 56);
	assert_int_equal(ip[9], 1);
	assert_memory_equal(ip + 12, was + 16, 4);
	assert_memory_equal(ip + 16, was + 12, 4);
	assert_int_equal(ip[20], 3);
	assert_int_equal(ip[21], code);
	assert_int_equal(wt_get16(ip + 26), mtu);
	assert_int_equal(wt_csum_fold(wt_csum_add(0, ip + 20, 36)), 0);
	assert_memory_equal(ip + 28, was, 28);
}

static struct wt_frame *large(uint32_t len, bool dont_fragment)
{
	struct wt_frame *frame = bench_packet(len, 0, 0, 80);

	memset(wt_frame_own_bytes(frame), 2, 6);
	memset(wt_frame_own_bytes(frame) + 6, 4, 6);
	for (uint32_t i = 34; i < len; i++)
		wt_frame_own_bytes(frame)[i] = (uint8_t)(i * 7);
	wt_put16(wt_frame_own_bytes(frame) + 20, dont_fragment ? 0x4000 : 0);
	wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + 14);
	return frame;
}

static void what_may_not_be_fragmented_is_dropped_and_its_sender_told(void **state)
{
	struct wt_node *node = bench_words("mtu 1400B");
	struct wt_frame *about = large(1414, true), *copy = wt_frame_copy(about), *answer;
	unsigned port;

	assert_true(bench_passes(node, 0, large(1414, true))); /* 1400 bytes of IP fit */
	wt_frame_free(about);
	about = large(1415, true);
	wt_frame_free(copy);
	copy = wt_frame_copy(about);
	bench_input(node, 5, about);
	answer = take(node, 5, &port);
	assert_int_equal(port, 0);
	assert_int_equal(answer->time, 5);
	check_answer(answer, copy, 4, 1400);
	assert_int_equal(node->audit.dropped[WT_DROP_MTU], 1);
	wt_frame_free(answer);
	wt_frame_free(copy);
	wt_path_finish(&bench_path);
	node = bench_words("mtu 1400B silent");
	assert_false(bench_passes(node, 0, large(1415, true)));
	assert_int_equal(node->audit.made, 0);
	wt_path_finish(&bench_path);
}

static void fragments_put_together_are_the_packet(void **state)
{
	struct wt_node *node = bench_words("mtu 576B");
	struct wt_frame *whole = large(1514, false), *copy = wt_frame_copy(whole), *frame;
	uint8_t got[1480] = {0};
	unsigned port, count = 0, bytes = 0;

	bench_input(node, 0, whole);
	while ((frame = take(node, 0, &port))) {
		const uint8_t *ip = wt_frame_own_bytes(frame) + 14;
		unsigned offset = (wt_get16(ip + 6) & 0x1fff) * 8u, len = wt_get16(ip + 2) - 20u;

		assert_int_equal(port, 1);
		assert_true(frame->len <= 14 + 576);
		assert_int_equal(frame->len, 14 + 20 + len);
		assert_true(bench_header_holds(frame));
		assert_int_equal(offset, bytes);
		assert_int_equal(!!(wt_get16(ip + 6) & 0x2000), offset + len < 1480);
		memcpy(got + offset, ip + 20, len);
		bytes += len;
		count++;
		wt_frame_free(frame);
	}
	assert_int_equal(count, 3); /* 552, 552, 376 */
	assert_int_equal(bytes, 1480);
	assert_memory_equal(got, wt_frame_own_bytes(copy) + 34, 1480);
	assert_int_equal(node->audit.made, 2);
	wt_frame_free(copy);
	wt_path_finish(&bench_path);
	node = bench_words("mtu 576B drop");
	bench_input(node, 0, large(1514, false));
	frame = take(node, 0, &port);
	assert_int_equal(port, 0);
	wt_frame_free(frame);
	wt_path_finish(&bench_path);
}

/* The headers of fragments are written anew, and would hide it. */
static void a_damaged_header_is_dropped_and_not_cut(void **state)
{
	struct wt_node *node = bench_words("mtu 576B");
	struct wt_frame *frame = large(1514, false);
	unsigned port;

	wt_frame_own_bytes(frame)[14 + 8] ^= 4; /* TTL */
	bench_input(node, 0, frame);
	assert_null(take(node, 0, &port));
	assert_int_equal(node->audit.dropped[WT_DROP_IP_CSUM], 1);
	wt_path_finish(&bench_path);
}

static void a_header_that_lies_is_not_cut(void **state)
{
	struct wt_node *node = bench_words("mtu 100B");
	static const uint8_t first[] = {0x40, 0x44, 0x4f, 0x45};

	for (unsigned i = 0; i < 4; i++) {
		struct wt_frame *frame = large(200, false), *out;
		unsigned port;

		wt_frame_own_bytes(frame)[14] = first[i];
		wt_put16(wt_frame_own_bytes(frame) + 16, 65535);
		bench_input(node, 0, frame);
		while ((out = take(node, 0, &port)))
			wt_frame_free(out);
	}
	assert_int_equal(node->audit.dropped[WT_DROP_MTU], 4);
	wt_path_finish(&bench_path);
}

static void an_outage_may_tell_the_sender_but_not_about_errors_and_later_fragments(void **state)
{
	struct wt_node *node = bench_words("outage at 1s for 1s unreachable");
	struct wt_frame *frame, *copy;
	unsigned port;

	assert_true(bench_passes(node, 0, large(100, true)));
	frame = large(100, true);
	copy = wt_frame_copy(frame);
	bench_input(node, WT_S, frame);
	frame = take(node, WT_S, &port);
	assert_int_equal(port, 0);
	check_answer(frame, copy, 1, 0);
	/* an answer to the answer, a later fragment, a broadcast, ARP: dropped and no more */
	bench_input(node, WT_S, frame);
	wt_put16(wt_frame_own_bytes(copy) + 20, 5);
	bench_input(node, WT_S, copy);
	frame = large(100, true);
	memset(wt_frame_own_bytes(frame), 255, 6);
	bench_input(node, WT_S, frame);
	bench_input(node, WT_S, bench_arp());
	assert_null(take(node, WT_S, &port));
	assert_int_equal(node->audit.dropped[WT_DROP_OUTAGE], 5);
	assert_int_equal(node->audit.made, 1);
	wt_path_finish(&bench_path);
}

static void an_outage_with_a_share_drops_that_share(void **state)
{
	struct wt_node *node = bench_words("outage every 5s for 500ms drop 99%");
	unsigned passed = 0;

	for (unsigned i = 0; i < 100000; i++)
		passed += bench_passes(node, 5 * WT_S + i, bench_tcp(60, i));
	assert_in_range(passed, 870, 1130); /* 1000, 4 deviations of 31.5 */
	assert_true(bench_passes(node, 5 * WT_S + 100000, bench_arp()));
	assert_true(bench_passes(node, 6 * WT_S, bench_tcp(60, 0)));
	wt_path_finish(&bench_path);
}

/* TTL 5 through 3 routers, and what they leave; a checksum that was wrong stays wrong by as much. */
static void routers_lower_the_ttl_and_its_end_is_told(void **state)
{
	struct wt_node *node = bench_words("hops 3");
	struct wt_frame *frame, *out;
	unsigned port;

	for (unsigned ttl = 4; ttl < 256; ttl++) {
		frame = large(200, ttl % 2);
		wt_frame_own_bytes(frame)[14 + 8] = (uint8_t)ttl;
		wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + 14);
		bench_input(node, ttl, frame);
		out = bench_output(node, ttl);
		assert_int_equal(wt_frame_own_bytes(out)[14 + 8], ttl - 3);
		assert_true(bench_header_holds(out));
		wt_frame_free(out);
	}
	frame = large(200, false);
	wt_frame_own_bytes(frame)[14 + 8] = 9;
	wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + 14);
	wt_frame_own_bytes(frame)[14 + 11] ^= 1;
	bench_input(node, 1000, frame);
	out = bench_output(node, 1000);
	assert_false(bench_header_holds(out));
	wt_frame_free(out);
	frame = bench_frame(0x86dd, BENCH_TCP, 100, 0);
	wt_frame_own_bytes(frame)[14] = 0x60;
	wt_frame_own_bytes(frame)[14 + 7] = 64;
	bench_input(node, 1000, frame);
	out = bench_output(node, 1000);
	assert_int_equal(wt_frame_own_bytes(out)[14 + 7], 61);
	wt_frame_free(out);
	assert_true(bench_passes(node, 1001, bench_arp()));
	assert_int_equal(wt_audit_dropped(&node->audit), 0);

	frame = large(200, false);
	wt_frame_own_bytes(frame)[14 + 8] = 3;
	wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + 14);
	out = wt_frame_copy(frame);
	bench_input(node, 2000, frame);
	frame = node->ops->output(node, 2000, &port);
	assert_int_equal(port, 0);
	assert_int_equal(wt_frame_own_bytes(frame)[14 + 20], 11);
	assert_memory_equal(wt_frame_own_bytes(frame) + 14 + 28, wt_frame_own_bytes(out) + 14, 28);
	wt_frame_free(frame);
	wt_frame_free(out);
	assert_int_equal(node->audit.dropped[WT_DROP_TTL], 1);
	wt_path_finish(&bench_path);

	node = bench_words("hops 255 silent");
	assert_false(bench_passes(node, 0, large(200, false)));
	wt_path_finish(&bench_path);
	node = bench_words("hops 0");
	assert_true(bench_passes(node, 0, large(200, false)));
	wt_path_finish(&bench_path);
}

/* Does the IPv4 header or the TCP-like sum over the rest notice? One flipped bit changes one of the two sums. */
static void corruption_flips_bits_that_checksums_catch(void **state)
{
	struct wt_node *node = bench_words("corrupt 1%");
	uint64_t hit = 0, places[4] = {0};
	double chi = 0;

	for (unsigned i = 0; i < PACKETS; i++) {
		struct wt_frame *frame = bench_packet(100, 7, 0, 80), *out;
		unsigned flipped = 0;
		uint8_t was[100];

		memcpy(was, wt_frame_own_bytes(frame), 100);
		bench_input(node, i, frame);
		out = bench_output(node, i);
		assert_memory_equal(wt_frame_own_bytes(out), was, 14);
		for (unsigned k = 14; k < 100; k++) {
			unsigned differs = (unsigned)(was[k] ^ wt_frame_own_bytes(out)[k]);

			flipped += (unsigned)__builtin_popcount(differs);
			if (differs)
				places[(k - 14) * 4 / 86]++;
		}
		assert_true(flipped <= 1);
		if (flipped) {
			assert_int_equal(out->csum, WT_CSUM_NONE);
			assert_false(wt_csum_fold(wt_csum_add(0, was + 14, 86)) == wt_csum_fold(wt_csum_add(0, wt_frame_own_bytes(out) + 14, 86)));
		}
		hit += flipped;
		wt_frame_free(out);
	}
	assert_int_equal(hit, node->audit.corrupted);
	assert_in_range(hit, 10000 - 400, 10000 + 400); /* 4 deviations of 99.5 */
	for (unsigned i = 0; i < 4; i++) {
		static const double bytes[] = {22, 21, 22, 21};
		double expected = (double)hit * bytes[i] / 86, off = (double)places[i] - expected;

		chi += off * off / expected;
	}
	assert_true(chi < 16.3); /* 3 degrees of freedom */
	wt_path_finish(&bench_path);
}

static void a_checksum_left_to_be_computed_is_computed_before_the_bits_are_flipped(void **state)
{
	struct wt_node *node = bench_words("corrupt 100%");

	for (unsigned i = 0; i < 1000; i++) {
		struct wt_frame *frame = bench_packet(100, i, 0, 80), *right = wt_frame_copy(frame);
		unsigned flipped = 0;

		right->csum = frame->csum = WT_CSUM_PARTIAL;
		right->csum_start = frame->csum_start = 34;
		right->csum_offset = frame->csum_offset = 16;
		wt_frame_finish_csum(right);
		bench_input(node, i, frame);
		frame = bench_output(node, i);
		for (unsigned k = 0; k < 100; k++)
			flipped += (unsigned)__builtin_popcount((unsigned)(wt_frame_own_bytes(frame)[k] ^ wt_frame_own_bytes(right)[k]));
		assert_int_equal(flipped, 1);
		wt_frame_free(frame);
		wt_frame_free(right);
	}
	wt_path_finish(&bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(what_may_not_be_fragmented_is_dropped_and_its_sender_told),
		BENCH_TEST(fragments_put_together_are_the_packet),
		BENCH_TEST(a_damaged_header_is_dropped_and_not_cut),
		BENCH_TEST(a_header_that_lies_is_not_cut),
		BENCH_TEST(an_outage_may_tell_the_sender_but_not_about_errors_and_later_fragments),
		BENCH_TEST(an_outage_with_a_share_drops_that_share),
		BENCH_TEST(routers_lower_the_ttl_and_its_end_is_told),
		BENCH_TEST(corruption_flips_bits_that_checksums_catch),
		BENCH_TEST(a_checksum_left_to_be_computed_is_computed_before_the_bits_are_flipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
