/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments that become one big frame, by the arithmetic of their headers; and cut again by the other half they are what they were. What a
 * kernel makes of such frames: tests/e2e/serve.py. */
#include "tests/unit/unit.h"

#include <sys/socket.h>
#include <unistd.h>

#include "stack/base/bytes.h"
#include "stack/port/merge.h"
#include "stack/port/segmenter.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

#define FIRST 0xfffff000u /* wraps after three segments */

enum { HEADERS = 14 + 20 + 32, MSS = 1448, FRAMES = 64 };

static struct wt_pool *pool;
static struct wt_batch_entry entry[FRAMES];
static struct wt_addr src, dst;
static uint8_t got[70000];

/* Segment number i, of `len` bytes of payload. */
static struct wt_frame *segment(unsigned i, uint32_t len)
{
	struct wt_ipv4 ip = {.src = src, .dst = dst, .id = (uint16_t)(0xfff0 + i), .ttl = 64, .protocol = WT_IP_TCP, .dont_fragment = true,
			     .total_len = (uint16_t)(52 + len), .header_len = 20};
	struct wt_frame *frame = wt_frame_new(pool);
	uint8_t *bytes = wt_frame_own_bytes(frame), *tcp = bytes + 34;

	memset(bytes, 2, 12);
	wt_put16(bytes + 12, 0x0800);
	wt_ipv4_emit(bytes + 14, &ip);
	memset(tcp, 0, 32);
	wt_put16(tcp, 7);
	wt_put16(tcp + 2, 40000);
	wt_put32(tcp + 4, FIRST + i * MSS);
	wt_put32(tcp + 8, 123456);
	tcp[12] = 8 << 4;
	tcp[13] = WT_ACK;
	wt_put16(tcp + 14, 500);
	wt_put16(tcp + 16, (uint16_t)~wt_csum_fold(wt_csum_pseudo(&src, &dst, WT_IP_TCP, 32 + len)));
	memcpy(tcp + 20, "\1\1\10\12timeecho", 12);
	for (uint32_t k = 0; k < len; k++)
		bytes[HEADERS + k] = (uint8_t)((i * MSS + k) * 7 + (i * MSS + k) / 256);
	frame->len = HEADERS + len;
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = 34;
	frame->csum_offset = 16;
	return frame;
}

static int setup(void **state)
{
	pool = wt_pool_create(2 * FRAMES + 2, 2048);
	src = wt_addr_ipv4(10, 0, 0, 2);
	dst = wt_addr_ipv4(10, 0, 0, 1);
	for (unsigned i = 0; i < FRAMES; i++)
		entry[i].frame = segment(i, MSS);
	return !pool;
}

static int teardown(void **state)
{
	for (unsigned i = 0; i < FRAMES; i++)
		wt_frame_free(entry[i].frame);
	assert_int_equal(wt_pool_free_count(pool), 2 * FRAMES + 2);
	wt_pool_destroy(pool);
	return 0;
}

static uint8_t *head(unsigned i)
{
	return wt_frame_own_head(entry[i].frame);
}

static void a_run_is_as_long_as_one_packet_of_ip_may_be(void **state)
{
	assert_int_equal(wt_merge_run(entry, FRAMES), (65535 - 52) / MSS);
	assert_int_equal(wt_merge_run(entry, 7), 7);
	assert_int_equal(wt_merge_run(entry, 1), 1);
}

/* What differs in one place is another packet. */
static void headers_that_differ_end_a_run(void **state)
{
	static const struct {
		unsigned at;
		uint8_t bits; /* to change, of the fourth segment */
		unsigned run;
	} all[] = {
		{3, 1, 3}, {15, 2, 3}, {18, 1, 10}, {19, 1, 10}, {22, 1, 3}, {29, 1, 3}, {33, 1, 3}, {35, 1, 3}, {37, 1, 3}, {41, 1, 3}, {45, 1, 3},
		{47, WT_PSH, 4}, {47, WT_FIN, 4}, {47, WT_CWR, 3}, {47, WT_ECE, 3}, {47, WT_SYN, 3}, {47, WT_RST, 3}, {47, WT_URG, 3}, {49, 1, 3},
		{20, 0x20, 3}, {65, 1, 3}, {17, 1, 3}, {24, 1, 10},
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		head(3)[all[i].at] ^= all[i].bits;
		if (wt_merge_run(entry, 10) != all[i].run)
			fail_msg("byte %u, bits %x: a run of %u", all[i].at, all[i].bits, wt_merge_run(entry, 10));
		head(3)[all[i].at] ^= all[i].bits;
	}
	entry[2].frame->csum = WT_CSUM_VALID;
	assert_int_equal(wt_merge_run(entry, 10), 2);
	entry[2].frame->csum = WT_CSUM_PARTIAL;
	wt_frame_free(entry[4].frame);
	entry[4].frame = segment(4, 100); /* shorter: the last one */
	assert_int_equal(wt_merge_run(entry, 10), 5);
	head(0)[47] |= WT_CWR; /* of the first it stays (RFC 3168 6.1.2) */
	assert_int_equal(wt_merge_run(entry, 10), 5);
	head(0)[47] |= WT_PSH; /* would come too late */
	assert_int_equal(wt_merge_run(entry, 10), 1);
}

static void what_is_written_is_right_as_one_packet_and_as_the_segments_it_is_made_of(void **state)
{
	struct virtio_net_hdr header;
	struct wt_big_frame big;
	struct wt_frame_queue cut = {0};
	uint32_t payload = 9 * MSS + 100, len = HEADERS + payload;
	uint64_t sum;
	int fd[2];

	wt_frame_free(entry[9].frame);
	entry[9].frame = segment(9, 100);
	head(0)[47] |= WT_CWR;
	head(9)[47] |= WT_PSH | WT_FIN;
	assert_int_equal(wt_merge_run(entry, FRAMES), 10);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd), 0);
	assert_int_equal(wt_merge_write(fd[1], entry, 10), 0);
	assert_int_equal(read(fd[0], got, sizeof(got)), sizeof(header) + len);
	memcpy(&header, got, sizeof(header));
	memmove(got, got + sizeof(header), len);
	assert_int_equal(header.gso_type, VIRTIO_NET_HDR_GSO_TCPV4 | VIRTIO_NET_HDR_GSO_ECN);
	assert_int_equal(header.gso_size, MSS);
	assert_int_equal(header.hdr_len, HEADERS);
	assert_int_equal(wt_get16(got + 16), len - 14);
	assert_int_equal(wt_csum_fold(wt_csum_add(0, got + 14, 20)), 0);
	assert_int_equal(got[47], WT_ACK | WT_CWR | WT_PSH | WT_FIN);
	/* completed as a card would, it is right: the sum over all, with the pseudo header's, is nothing */
	wt_put16(got + 50, wt_csum_fold(wt_csum_add(0, got + 34, len - 34)));
	sum = wt_csum_pseudo(&src, &dst, WT_IP_TCP, len - 34);
	assert_int_equal(wt_csum_fold(wt_csum_add(sum, got + 34, len - 34)), 0);
	big = (struct wt_big_frame){.head = got, .head_len = 2048, .rest = got + 2048, .rest_len = len - 2048, .segment = MSS, .protocol = WT_IP_TCP};
	assert_int_equal(wt_segment_frame(&big, pool, &cut), 0);
	for (unsigned i = 0; i < 10; i++) {
		struct wt_frame *frame = wt_frame_queue_pop(&cut);

		memcpy(wt_frame_own_head(frame) + 18, head(i) + 18, 2); /* the identification means nothing to who cuts */
		memcpy(wt_frame_own_head(frame) + 24, head(i) + 24, 2);
		assert_int_equal(frame->len, entry[i].frame->len);
		assert_memory_equal(wt_frame_look(frame), wt_frame_look(entry[i].frame), frame->len);
		wt_frame_free(frame);
	}
	assert_null(cut.head);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(a_run_is_as_long_as_one_packet_of_ip_may_be),
		CASE(headers_that_differ_end_a_run),
		CASE(what_is_written_is_right_as_one_packet_and_as_the_segments_it_is_made_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
