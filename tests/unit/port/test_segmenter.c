/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/port/segmenter.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

#define HEADERS4 (14 + 20 + 32)
#define HEADERS6 (14 + 40 + 32)
#define PAYLOAD 5000

static struct wt_pool *pool;
static uint8_t bytes[HEADERS6 + PAYLOAD];
static struct wt_big_frame big;

/* A TCP segment with timestamps and 5000 bytes of payload, flags FIN PSH CWR ACK; its first 2048 bytes are the head. */
static void build(bool ipv6, uint16_t segment)
{
	uint32_t headers = ipv6 ? HEADERS6 : HEADERS4;
	uint8_t *ip = bytes + 14, *tcp = bytes + headers - 32;

	memset(bytes, 0, sizeof(bytes));
	wt_put16(bytes + 12, ipv6 ? 0x86dd : 0x0800);
	if (ipv6) {
		ip[0] = 0x60;
		wt_put16(ip + 4, 32 + PAYLOAD);
		ip[6] = 6;
		ip[7] = 64;
		ip[8] = 0xfd;
		ip[23] = 1;
		ip[24] = 0xfd;
		ip[39] = 2;
	} else {
		struct wt_ipv4 header = {.src = wt_addr_ipv4(10, 0, 0, 1), .dst = wt_addr_ipv4(10, 0, 0, 2), .id = 0xfffe, .ttl = 64,
					 .protocol = 6, .dont_fragment = true, .total_len = 52 + PAYLOAD, .header_len = 20};

		wt_ipv4_emit(ip, &header);
	}
	wt_put32(tcp + 4, 0xfffffc00); /* wraps within the payload */
	tcp[12] = 8 << 4;
	tcp[13] = WT_FIN | WT_PSH | WT_CWR | WT_ACK;
	tcp[20] = tcp[21] = 1;
	tcp[22] = 8;
	tcp[23] = 10;
	for (uint32_t i = 0; i < PAYLOAD; i++)
		bytes[headers + i] = (uint8_t)(i * 7 + i / 256);
	big = (struct wt_big_frame){.head = bytes, .head_len = 2048, .rest = bytes + 2048, .rest_len = headers + PAYLOAD - 2048, .segment = segment,
				    .protocol = WT_IP_TCP};
}

static int setup(void **state)
{
	pool = wt_pool_create(16, 2048);
	return !pool;
}

static int teardown(void **state)
{
	assert_int_equal(wt_pool_free_count(pool), 16);
	wt_pool_destroy(pool);
	return 0;
}

static void check_packet(struct wt_frame *frame, bool ipv6, uint32_t number, uint32_t segment)
{
	uint32_t headers = ipv6 ? HEADERS6 : HEADERS4, at = number * segment;
	uint32_t len = PAYLOAD - at < segment ? PAYLOAD - at : segment;
	const uint8_t *ip = wt_frame_own_bytes(frame) + 14, *tcp = wt_frame_own_bytes(frame) + headers - 32;
	struct wt_addr src = {.family = ipv6 ? WT_FAMILY_IPV6 : WT_FAMILY_IPV4}, dst = src;
	bool last = at + len == PAYLOAD;

	assert_int_equal(frame->len, headers + len);
	assert_memory_equal(wt_frame_own_bytes(frame) + headers, bytes + headers + at, len);
	assert_int_equal(wt_get32(tcp + 4), (uint32_t)(0xfffffc00 + at));
	assert_int_equal(tcp[13], WT_ACK | (number ? 0 : WT_CWR) | (last ? WT_FIN | WT_PSH : 0));
	if (ipv6) {
		assert_int_equal(wt_get16(ip + 4), 32 + len);
		memcpy(src.bytes, ip + 8, 16);
		memcpy(dst.bytes, ip + 24, 16);
	} else {
		struct wt_ipv4 header;

		assert_int_equal(wt_ipv4_parse(ip, frame->len - 14, true, &header), WT_IPV4_OK);
		assert_int_equal(header.total_len, 52 + len);
		assert_int_equal(header.id, (uint16_t)(0xfffe + number));
		src = header.src;
		dst = header.dst;
	}
	assert_int_equal(frame->csum, WT_CSUM_PARTIAL);
	wt_frame_finish_csum(frame);
	assert_int_equal(wt_csum_fold(wt_csum_add(wt_csum_pseudo(&src, &dst, 6, 32 + len), tcp, 32 + len)), 0);
}

static void a_big_frame_becomes_the_packets_it_stands_for(void **state)
{
	static const uint16_t segments[] = {1448, 1000, 1250};

	for (unsigned ipv6 = 0; ipv6 < 2; ipv6++) {
		for (unsigned i = 0; i < 3; i++) {
			struct wt_frame_queue queue = {0};
			unsigned count = (PAYLOAD + segments[i] - 1) / segments[i];

			build(ipv6, segments[i]);
			assert_int_equal(wt_segment_frame(&big, pool, &queue), 0);
			assert_int_equal(queue.frames, count);
			for (unsigned n = 0; n < count; n++) {
				struct wt_frame *frame = wt_frame_queue_pop(&queue);

				check_packet(frame, ipv6, n, segments[i]);
				wt_frame_free(frame);
			}
		}
	}
}

/* The same bytes behind a VLAN tag. */
static void tag(void)
{
	static uint8_t tagged[sizeof(bytes) + 4];

	memcpy(tagged, bytes, 12);
	wt_put32(tagged + 12, 0x81000007);
	memcpy(tagged + 16, bytes + 12, HEADERS4 + PAYLOAD - 12);
	big.head = tagged;
	big.rest = tagged + big.head_len;
	big.rest_len += 4;
}

static void a_vlan_tag_stays_in_front_of_each_packet(void **state)
{
	struct wt_frame_queue queue = {0};

	build(false, 1448);
	tag();
	assert_int_equal(wt_segment_frame(&big, pool, &queue), 0);
	assert_int_equal(queue.frames, 4);
	for (unsigned n = 0; n < 4; n++) {
		struct wt_frame *frame = wt_frame_queue_pop(&queue);

		assert_int_equal(wt_get32(wt_frame_own_bytes(frame) + 12), 0x81000007);
		assert_int_equal(frame->csum_start, 14 + 4 + 20);
		memmove(wt_frame_own_bytes(frame) + 12, wt_frame_own_bytes(frame) + 16, frame->len - 16); /* as if it had none */
		frame->len -= 4;
		frame->csum_start -= 4;
		check_packet(frame, false, n, 1448);
		wt_frame_free(frame);
	}
}

/* Of UDP the length follows, and there are no numbers. */
static void a_big_datagram_becomes_datagrams(void **state)
{
	struct wt_addr src = wt_addr_ipv4(10, 0, 0, 1), dst = wt_addr_ipv4(10, 0, 0, 2);
	struct wt_frame_queue queue = {0};
	uint8_t *udp = bytes + 34;

	build(false, 1200);
	bytes[14 + 9] = WT_IP_UDP; /* what was TCP's header behind the eighth byte is payload, 5024 bytes in all */
	wt_put16(udp + 4, 32 + PAYLOAD);
	big.protocol = WT_IP_UDP;
	assert_int_equal(wt_segment_frame(&big, pool, &queue), 0);
	assert_int_equal(queue.frames, 5);
	for (unsigned n = 0; n < 5; n++) {
		struct wt_frame *frame = wt_frame_queue_pop(&queue);
		uint32_t len = n < 4 ? 1200 : PAYLOAD + 24 - 4800;

		assert_int_equal(frame->len, 42 + len);
		assert_int_equal(wt_get16(wt_frame_own_bytes(frame) + 34 + 4), 8 + len);
		assert_int_equal(wt_get16(wt_frame_own_bytes(frame) + 14 + 2), 28 + len);
		assert_memory_equal(wt_frame_own_bytes(frame) + 42, bytes + 42 + n * 1200, len);
		assert_int_equal(frame->csum_offset, 6);
		wt_frame_finish_csum(frame);
		assert_int_equal(wt_csum_fold(wt_csum_add(wt_csum_pseudo(&src, &dst, 17, 8 + len), wt_frame_own_bytes(frame) + 34, 8 + len)), 0);
		wt_frame_free(frame);
	}
}

static void an_empty_pool_loses_the_packets_it_has_no_frames_for(void **state)
{
	struct wt_frame_queue hold = {0}, queue = {0};

	for (unsigned i = 0; i < 14; i++)
		wt_frame_queue_push(&hold, wt_frame_new(pool));
	build(false, 1000);
	assert_int_equal(wt_segment_frame(&big, pool, &queue), 3);
	assert_int_equal(queue.frames, 2);
	wt_frame_queue_clear(&queue);
	wt_frame_queue_clear(&hold);
}

static void what_is_not_a_well_formed_tcp_segment_is_refused(void **state)
{
	struct wt_frame_queue queue = {0};

#define REFUSED(change)                                                                                                          \
	do {                                                                                                                     \
		build(false, 1000);                                                                                              \
		change;                                                                                                          \
		assert_int_equal(wt_segment_frame(&big, pool, &queue), -EINVAL);                                                           \
		assert_int_equal(queue.frames, 0);                                                                               \
	} while (0)
	REFUSED(big.segment = 0);
	REFUSED(big.segment = 2000);                /* with its headers longer than a frame */
	REFUSED(bytes[14 + 9] = 17);                /* UDP */
	REFUSED(big.protocol = WT_IP_UDP);          /* is TCP */
	REFUSED(bytes[14] = 0x65);                  /* version 6 under the type of 4 */
	REFUSED(wt_put16(bytes + 12, 0x86dd));      /* the reverse */
	REFUSED(wt_put16(bytes + 14 + 2, 52 + PAYLOAD - 1)); /* shorter by its header */
	REFUSED(wt_put16(bytes + 14 + 2, 52 + PAYLOAD + 1)); /* longer */
	REFUSED(big.rest_len--);                    /* cut off */
	REFUSED(wt_put16(bytes + 14 + 2, 52); big.head_len = HEADERS4; big.rest_len = 0); /* no payload */
	REFUSED(bytes[14] = 0x44);                  /* IP header of 16 bytes */
	REFUSED(bytes[14 + 6] = 0x20);              /* a fragment */
	REFUSED(wt_put16(bytes + 12, 0x0806));      /* ARP */
	REFUSED(bytes[14 + 20 + 12] = 4 << 4);      /* TCP header of 16 bytes */
	REFUSED(bytes[14 + 20 + 12] = 15 << 4; big.head_len = HEADERS4; big.rest = bytes + HEADERS4; big.rest_len = PAYLOAD); /* beyond the head */
	REFUSED(big.head_len = 60; big.rest_len = 0); /* ends within its headers */
	REFUSED(big.head_len = 20; big.rest_len = 0);
#undef REFUSED
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(a_big_frame_becomes_the_packets_it_stands_for),
		CASE(a_vlan_tag_stays_in_front_of_each_packet),
		CASE(a_big_datagram_becomes_datagrams),
		CASE(an_empty_pool_loses_the_packets_it_has_no_frames_for),
		CASE(what_is_not_a_well_formed_tcp_segment_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
