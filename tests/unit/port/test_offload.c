/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/bytes.h"
#include "stack/port/offload.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

enum { HEADERS = 54, ROOM = 2048 };

static struct wt_pool *pool, *big_pool;
static struct wt_port port;
static struct virtio_net_hdr header;
static uint8_t bytes[70000];
static uint32_t len;

/* A TCP segment over IPv4 with so much payload, as the kernel gives it to a device with offloads. */
static void build(uint32_t payload, uint16_t segment)
{
	struct wt_ipv4 ip = {.src = wt_addr_ipv4(10, 0, 0, 1), .dst = wt_addr_ipv4(10, 0, 0, 2), .ttl = 64, .protocol = WT_IP_TCP,
			     .dont_fragment = true, .total_len = (uint16_t)(40 + payload), .header_len = 20};

	memset(bytes, 2, 12);
	wt_put16(bytes + 12, 0x0800);
	wt_ipv4_emit(bytes + 14, &ip);
	memset(bytes + 34, 0, 20);
	bytes[34 + 12] = 5 << 4;
	bytes[34 + 13] = WT_ACK | WT_PSH | WT_CWR;
	wt_put16(bytes + 34 + 16, (uint16_t)~wt_csum_fold(wt_csum_pseudo(&ip.src, &ip.dst, WT_IP_TCP, 20 + payload)));
	for (uint32_t i = 0; i < payload; i++)
		bytes[HEADERS + i] = (uint8_t)(i * 7 + i / 256);
	len = HEADERS + payload;
	header = (struct virtio_net_hdr){.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .hdr_len = HEADERS, .csum_start = 34, .csum_offset = 16,
					 .gso_type = segment ? VIRTIO_NET_HDR_GSO_TCPV4 | VIRTIO_NET_HDR_GSO_ECN : 0, .gso_size = segment};
}

/* What readv() does, and then what a port does. */
static struct wt_frame *arrive(void)
{
	struct wt_frame *fresh = wt_frame_new(port.pool);
	struct virtio_net_hdr read = header;
	struct iovec parts[WT_OFFLOAD_PARTS];
	uint32_t first = len < ROOM ? len : ROOM;

	wt_offload_parts(&port, &read, fresh, parts);
	assert_ptr_equal(parts[1].iov_base, wt_frame_own_bytes(fresh));
	assert_true(parts[1].iov_len + parts[2].iov_len > len);
	memcpy(parts[1].iov_base, bytes, first);
	memcpy(parts[2].iov_base, bytes + first, len - first);
	return wt_offload_arrived(&port, &read, fresh, len);
}

static int setup(void **state)
{
	pool = wt_pool_create(64, ROOM);
	big_pool = wt_pool_create(2, WT_PORT_BIG);
	port = (struct wt_port){.pool = pool, .big_pool = big_pool};
	return wt_offload_init(&port, WT_PORT_BIG);
}

static int teardown(void **state)
{
	assert_true(wt_audit_holds(&port.node.audit));
	wt_offload_finish(&port);
	wt_frame_queue_clear(&port.cut);
	assert_int_equal(wt_pool_free_count(pool), 64);
	assert_int_equal(wt_pool_free_count(big_pool), 2);
	wt_pool_destroy(pool);
	wt_pool_destroy(big_pool);
	return 0;
}

static void an_ordinary_frame_lies_where_it_was_read_to_with_its_checksum_marked(void **state)
{
	struct virtio_net_hdr written;
	struct wt_frame *frame;

	build(1000, 0);
	frame = arrive();
	assert_int_equal(frame->len, len);
	assert_memory_equal(wt_frame_own_bytes(frame), bytes, len);
	assert_int_equal(frame->csum, WT_CSUM_PARTIAL);
	assert_int_equal(frame->gso_size, 0);
	wt_offload_header(frame, &written);
	assert_int_equal(written.flags, VIRTIO_NET_HDR_F_NEEDS_CSUM);
	assert_int_equal(written.csum_start, 34);
	assert_int_equal(written.csum_offset, 16);
	assert_int_equal(written.gso_type, VIRTIO_NET_HDR_GSO_NONE);
	wt_frame_finish_csum(frame);
	wt_offload_header(frame, &written);
	assert_int_equal(written.flags, 0);
	wt_frame_free(frame);
	assert_int_equal(port.big_frames, 0);
}

static void a_big_frame_passes_whole_and_leaves_with_the_header_it_came_with(void **state)
{
	static const uint32_t payloads[] = {1900, 5000, 65000, 65495};

	port.whole = true;
	for (unsigned i = 0; i < 4; i++) {
		struct virtio_net_hdr written;
		struct wt_frame *frame;

		build(payloads[i], 1000);
		frame = arrive();
		assert_int_equal(frame->len, len);
		assert_memory_equal(wt_frame_own_bytes(frame), bytes, len);
		wt_offload_header(frame, &written);
		assert_memory_equal(&written, &header, sizeof(header));
		wt_frame_free(frame);
	}
	assert_int_equal(port.big_frames, 4);
}

/* The number says which frame it is in captures and logs: one that two pools draw would be no name. */
static void a_big_frame_is_numbered_among_the_ordinary_ones(void **state)
{
	struct wt_frame *one, *two, *three;

	port.whole = true;
	build(100, 0);
	one = arrive();
	build(5000, 1000);
	two = arrive();
	build(100, 0);
	three = arrive();
	assert_true(one->id < two->id && two->id < three->id);
	wt_frame_free(one);
	wt_frame_free(two);
	wt_frame_free(three);
}

static void a_big_frame_that_may_not_pass_whole_is_cut(void **state)
{
	build(5000, 1000);
	assert_null(arrive());
	assert_int_equal(port.cut.frames, 5);
	assert_int_equal(port.big_frames, 1);
	assert_int_equal(wt_audit_dropped(&port.node.audit), 0);
}

static void without_memory_for_big_frames_they_are_lost_by_that_cause_and_ordinary_ones_pass(void **state)
{
	struct wt_frame *one, *two, *frame;

	port.whole = true;
	build(5000, 1000);
	one = arrive();
	two = arrive();
	assert_true(one && two);
	assert_null(arrive());
	assert_int_equal(port.node.audit.dropped[WT_DROP_POOL], 1);
	build(100, 0);
	frame = arrive();
	assert_non_null(frame);
	wt_frame_free(frame);
	wt_frame_free(one);
	wt_frame_free(two);
	build(5000, 1000);
	frame = arrive();
	assert_non_null(frame);
	wt_frame_free(frame);
}

static void headers_that_contradict_the_frame_are_refused_and_counted(void **state)
{
	unsigned refused = 0;

#define REFUSED(change)                                                                  \
	do {                                                                             \
		build(5000, 1000);                                                       \
		change;                                                                  \
		assert_null(arrive());                                                   \
		assert_int_equal(port.cut.frames, 0);                                    \
		assert_int_equal(port.node.audit.dropped[WT_DROP_MALFORMED], ++refused); \
		assert_int_equal(port.big_frames, 0);                                    \
	} while (0)
	for (unsigned whole = 0; whole < 2; whole++) {
		port.whole = whole;
		REFUSED(header.gso_size = 0);
		REFUSED(header.gso_type = VIRTIO_NET_HDR_GSO_UDP); /* fragments of one datagram: never announced */
		REFUSED(header.gso_type = 5);                      /* UDP segmentation */
		REFUSED(header.gso_type = 77);
		REFUSED(header.gso_type = VIRTIO_NET_HDR_GSO_TCPV6);
		REFUSED(header.gso_type = VIRTIO_NET_HDR_GSO_ECN); /* of nothing */
		REFUSED(len--);
		REFUSED(len = 20);
		REFUSED(bytes[34 + 12] = 0);
	}
#undef REFUSED
	/* where the checksum goes is read from the frame, not from the header */
	build(5000, 1000);
	header.csum_start = 60000;
	port.whole = true;
	{
		struct wt_frame *frame = arrive();

		assert_int_equal(frame->csum_start, 34);
		wt_frame_free(frame);
	}
}

static void packets_longer_than_a_frame_are_refused(void **state)
{
	build(5000, 3000);
	assert_null(arrive());
	assert_int_equal(port.oversize, 1);
	assert_int_equal(port.node.audit.in, 0);
	assert_int_equal(port.cut.frames, 0);
}

static void a_checksum_outside_the_frame_is_left_alone(void **state)
{
	struct virtio_net_hdr written;
	struct wt_frame *frame;

	build(100, 0);
	header.csum_start = (uint16_t)(len - 17);
	frame = arrive();
	wt_offload_header(frame, &written);
	assert_int_equal(written.flags, 0);
	wt_frame_free(frame);
}

static void what_stands_for_no_packets_and_fits_no_frame_is_too_long(void **state)
{
	build(5000, 0);
	assert_null(arrive());
	assert_int_equal(port.oversize, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(an_ordinary_frame_lies_where_it_was_read_to_with_its_checksum_marked),
		CASE(a_big_frame_passes_whole_and_leaves_with_the_header_it_came_with),
		CASE(a_big_frame_is_numbered_among_the_ordinary_ones),
		CASE(a_big_frame_that_may_not_pass_whole_is_cut),
		CASE(without_memory_for_big_frames_they_are_lost_by_that_cause_and_ordinary_ones_pass),
		CASE(headers_that_contradict_the_frame_are_refused_and_counted),
		CASE(packets_longer_than_a_frame_are_refused),
		CASE(a_checksum_outside_the_frame_is_left_alone),
		CASE(what_stands_for_no_packets_and_fits_no_frame_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
