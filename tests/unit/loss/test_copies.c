/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/emu/queue_bench.h"

#include <stdlib.h>

#include "emu/loss/copies.h"

enum { IPV4 = 0x0800, IPV6 = 0x86dd, HEADERS = 14 + 20 + 20, HEADERS6 = 14 + 40 + 20 };

/* A segment of one of many flows: its addresses differ in the last byte. */
static struct wt_frame *segment(unsigned type, uint8_t flow, uint32_t seq, uint32_t payload)
{
	uint32_t headers = type == IPV4 ? HEADERS : HEADERS6, tcp = headers - 20;
	struct wt_frame *frame = bench_frame(type, BENCH_TCP, headers + payload, 0);
	uint8_t *data = wt_frame_own_bytes(frame);

	if (type == IPV4) {
		data[14] = 0x45;
		wt_put16(data + 16, (uint16_t)(40 + payload));
		wt_put16(data + 20, 0); /* the bench's tag is not a fragment */
	} else {
		data[14] = 0x60;
		wt_put16(data + 18, (uint16_t)(20 + payload));
	}
	memset(data + tcp, 0, 20);
	data[tcp - 1] = flow;
	wt_put16(data + tcp, 1000);
	wt_put16(data + tcp + 2, 2000);
	wt_put32(data + tcp + 4, seq);
	data[tcp + 12] = 5 << 4;
	return frame;
}

static struct wt_copy copy_of(struct wt_copies *copies, struct wt_frame *frame, uint64_t last)
{
	struct wt_copy copy = {0, 0};

	wt_copies_next(copies, frame, last, &copy);
	wt_frame_free(frame);
	return copy;
}

#define assert_copy(copies, frame, n, k)                                                                                       \
	do {                                                                                                                   \
		struct wt_copy got = copy_of(copies, frame, 1000);                                                             \
		assert_int_equal(got.packet, n);                                                                               \
		assert_int_equal(got.copy, k);                                                                                 \
	} while (0)

static void a_packet_is_what_goes_further_and_a_copy_what_begins_in_it(void **state)
{
	for (unsigned type = IPV4; type; type = type == IPV4 ? IPV6 : 0) {
		uint32_t zero = UINT32_MAX - 2500; /* the numbers pass 2^32 on the way */
		struct wt_copies copies = {0};

		assert_copy(&copies, segment(type, 1, zero, 1000), 1, 1);
		assert_copy(&copies, segment(type, 1, zero + 1000, 1000), 2, 1);
		assert_copy(&copies, segment(type, 1, zero, 1000), 1, 2);
		assert_copy(&copies, segment(type, 2, 77, 10), 1, 1);             /* another flow */
		assert_copy(&copies, segment(type, 1, zero + 2000, 0), 0, 0);     /* no payload */
		assert_copy(&copies, segment(type, 1, zero + 2000, 1000), 3, 1);
		assert_copy(&copies, segment(type, 1, zero + 1000, 500), 2, 2);   /* cut anew */
		assert_copy(&copies, segment(type, 1, zero + 1500, 1500), 2, 3);  /* its other half, and more */
		assert_copy(&copies, segment(type, 1, zero + 2500, 1000), 3, 2);  /* its end, and what is new behind it */
		assert_copy(&copies, segment(type, 1, zero + 3500, 1000), 4, 1);
		assert_copy(&copies, segment(type, 1, zero + 6000, 1000), 5, 1);  /* one is missing: it was dropped before */
		assert_copy(&copies, segment(type, 1, zero + 3400, 10), 3, 3);
		assert_copy(&copies, segment(type, 1, zero - 10, 5), 0, 0);       /* before the first */
		assert_copy(&copies, segment(type, 2, 77, 10), 1, 2);
		wt_copies_finish(&copies);
	}
}

static void what_is_no_segment_has_no_identity(void **state)
{
	struct wt_copies copies = {0};
	struct wt_frame *frame;

	assert_copy(&copies, bench_arp(), 0, 0);
	assert_copy(&copies, bench_frame(IPV4, BENCH_ICMP, 100, 5), 0, 0);
	frame = segment(IPV4, 1, 5, 100);
	wt_put16(wt_frame_own_bytes(frame) + 20, 0x2000); /* a fragment */
	assert_copy(&copies, frame, 0, 0);
	frame = segment(IPV4, 1, 5, 100);
	frame->len -= 1; /* cut off */
	assert_copy(&copies, frame, 0, 0);
	frame = segment(IPV4, 1, 5, 100);
	wt_frame_own_bytes(frame)[34 + 12] = 0xf0; /* a header of 60 bytes: 40 of them were payload */
	assert_copy(&copies, frame, 1, 1);
	frame = segment(IPV4, 1, 5, 30);
	wt_frame_own_bytes(frame)[34 + 12] = 0xf0; /* ... more than there are */
	assert_copy(&copies, frame, 0, 0);
	frame = segment(IPV4, 1, 5, 30);
	wt_frame_own_bytes(frame)[34 + 12] = 0x40; /* shorter than a header is */
	assert_copy(&copies, frame, 0, 0);
	wt_copies_finish(&copies);
}

/* The same by a list of every byte's packet, for a sender that cuts and repeats as it likes. */
static void the_counts_are_those_of_a_list_of_all_bytes(void **state)
{
	enum { BYTES = 200000, LAST = 150 /* of some 270 */ };
	static uint32_t packet_of[BYTES], count[BYTES];
	uint32_t high = 0, packets = 0, zero = 0xfffe0000;
	struct wt_copies copies = {0};

	srand(9);
	while (high < BYTES - 2000) {
		uint32_t len = 1 + (uint32_t)rand() % 1500, from = high;
		struct wt_copy got;

		if (rand() % 3 == 0 && high)
			from = (uint32_t)rand() % high;
		if (from == high)
			packets++;
		for (uint32_t i = from; i < from + len; i++)
			packet_of[i] = i < high ? packet_of[i] : packets;
		high = from + len > high ? from + len : high;
		count[packet_of[from]]++;
		got = copy_of(&copies, segment(IPV4, 1, zero + from, len), LAST);
		if (packet_of[from] > LAST) {
			assert_int_equal(got.copy, 0);
			continue;
		}
		assert_int_equal(got.packet, packet_of[from]);
		assert_int_equal(got.copy, count[packet_of[from]]);
	}
	wt_copies_finish(&copies);
}

static void the_words_lose_the_copies_they_name_of_every_flow(void **state)
{
	struct wt_node *node = bench_words("loss copy 2:1,2:3,4-5:2");

	for (unsigned flow = 1; flow <= 20; flow++)
		for (unsigned copy = 1; copy <= 4; copy++)
			for (unsigned packet = 1; packet <= 6; packet++)
				assert_int_equal(bench_passes(node, 0, segment(IPV4, (uint8_t)flow, packet * 100, 100)),
						 !((packet == 2 && (copy == 1 || copy == 3)) || (packet >= 4 && packet <= 5 && copy == 2)));
	assert_int_equal(node->audit.dropped[WT_DROP_LIST], 20 * 4);
	wt_path_finish(&bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(a_packet_is_what_goes_further_and_a_copy_what_begins_in_it),
		BENCH_TEST(what_is_no_segment_has_no_identity),
		BENCH_TEST(the_counts_are_those_of_a_list_of_all_bytes),
		BENCH_TEST(the_words_lose_the_copies_they_name_of_every_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
