/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ports against the kernel, in a network namespace of this process's own: as root, or as anybody inside a user
 * namespace. Exit code 77 (skipped) with the reason where neither works.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "stack/base/bytes.h"
#include "stack/port/batch.h"
#include "stack/port/port.h"
#include "stack/drive/rloop.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ipv4.h"
#include "tests/unit/port/own_namespace.h"
#include "tests/unit/responder.h"
#include "tests/unit/toy_nodes.h"
#include "tests/unit/port/test_frames.h" /* last: its pool is a name of parameters above */

static char err[200];
static bool have_tun;

static int setup(void **state)
{
	pool = wt_pool_create(512, 2048);
	shell("ip link add wtva type veth peer name wtvb && ip link set wtva up && ip link set wtvb up &&"
	      " for i in $(seq 100); do ip -br link show wtva | grep -q ' UP ' && break; sleep 0.01; done");
	return !pool;
}

static int teardown(void **state)
{
	shell("ip link del wtva 2>/dev/null || true");
	assert_int_equal(wt_pool_free_count(pool), wt_pool_count(pool));
	wt_pool_destroy(pool);
	return 0;
}

static void send_datagram(const char *to, const char *data, int flags)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	inet_pton(AF_INET, to, &address.sin_addr);
	sendto(fd, data, strlen(data), flags, (struct sockaddr *)&address, sizeof(address));
	close(fd);
}

static bool udp_checksum_is_right(const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_look(frame) + 14, *udp = ip + 20;
	struct wt_addr src = wt_addr_ipv4(ip[12], ip[13], ip[14], ip[15]);
	struct wt_addr dst = wt_addr_ipv4(ip[16], ip[17], ip[18], ip[19]);
	uint16_t len = wt_get16(udp + 4);

	return wt_csum_fold(wt_csum_add(wt_csum_pseudo(&src, &dst, 17, len), udp, len)) == 0;
}

static void frames_cross_a_veth_pair_unchanged_and_only_to_the_other_end(void **state)
{
	struct wt_port *a = wt_packet_open("wtva", pool, err, sizeof(err));
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));
	static const uint32_t lengths[] = {60, 61, 1000, 1514};
	struct wt_frame *got;

	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->mtu, 1500);
	assert_memory_not_equal(a->mac.bytes, b->mac.bytes, 6);
	for (unsigned i = 0; i < 4; i++) {
		struct wt_frame *frame = test_frame(lengths[i], (uint8_t)i);
		struct wt_frame *copy;

		frame->csum = WT_CSUM_PARTIAL; /* what leaves is finished */
		frame->csum_start = 20;
		frame->csum_offset = 8;
		copy = wt_frame_copy(frame);
		wt_frame_finish_csum(copy);
		a->node.ops->input(&a->node, 0, 0, frame);
		got = next_frame(b, TEST_TYPE, 0);
		assert_non_null(got);
		assert_int_equal(got->len, copy->len);
		assert_memory_equal(wt_frame_own_bytes(got), wt_frame_own_bytes(copy), copy->len);
		wt_frame_free(got);
		wt_frame_free(copy);
	}
	assert_int_equal(a->node.audit.taken, 4);
	/* Nor does a port hear what the kernel sends by its own interface. */
	shell("ip addr add 10.99.0.1/24 dev wtva && ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev wtva");
	send_datagram("10.99.0.2", "not for a", 0);
	got = next_frame(b, 0x0800, 17);
	assert_non_null(got);
	wt_frame_free(got);
	while (a->ops->read(a, &got) > 0) {
		assert_true(wt_get16(wt_frame_own_bytes(got) + 12) != TEST_TYPE && wt_get16(wt_frame_own_bytes(got) + 12) != 0x0800);
		wt_frame_free(got);
	}
	wt_port_close(a);
	wt_port_close(b);
}

static void an_unfinished_checksum_of_the_kernel_arrives_marked_and_can_be_finished(void **state)
{
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));
	struct wt_frame *frame;

	assert_non_null(b);
	shell("ip addr add 10.99.0.1/24 dev wtva && ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev wtva");
	send_datagram("10.99.0.2", "unfinished", 0);
	frame = next_frame(b, 0x0800, 17);
	assert_non_null(frame);
	assert_int_equal(frame->csum, WT_CSUM_PARTIAL);
	assert_false(udp_checksum_is_right(frame));
	wt_frame_finish_csum(frame);
	assert_true(udp_checksum_is_right(frame));
	wt_frame_free(frame);
	/* With the offloads of the sending end off, it comes finished. */
	assert_int_equal(wt_offloads_off("wtva"), 0);
	send_datagram("10.99.0.2", "finished", 0);
	frame = next_frame(b, 0x0800, 17);
	assert_non_null(frame);
	assert_int_not_equal(frame->csum, WT_CSUM_PARTIAL);
	assert_true(udp_checksum_is_right(frame));
	wt_frame_free(frame);
	wt_port_close(b);
}

static void what_is_longer_than_a_frame_and_not_tcp_is_counted_and_not_cut_off(void **state)
{
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));
	struct wt_frame *frame;
	char big[5000];

	assert_non_null(b);
	shell("ip link set wtva mtu 9000 && ip link set wtvb mtu 9000 && ip addr add 10.99.0.1/24 dev wtva &&"
	      " ip neigh add 10.99.0.2 lladdr 02:00:00:00:00:02 dev wtva");
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	send_datagram("10.99.0.2", big, 0);
	send_datagram("10.99.0.2", "small", 0);
	frame = next_frame(b, 0x0800, 17);
	assert_non_null(frame);
	assert_int_equal(frame->len, 14 + 20 + 8 + 5);
	assert_int_equal(b->oversize, 1);
	wt_frame_free(frame);
	wt_port_close(b);
}

/* What the kernel's TCP sends into a veth with offloads: one frame, 10 segments, checksum unfinished. */
static void send_big_tcp_frame(const char *interface)
{
	struct virtio_net_hdr header = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .gso_type = VIRTIO_NET_HDR_GSO_TCPV4, .hdr_len = 54,
					.gso_size = 1400, .csum_start = 34, .csum_offset = 16};
	static uint8_t bytes[54 + 14000];
	struct iovec parts[2] = {{&header, sizeof(header)}, {bytes, sizeof(bytes)}};
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(interface)};
	struct wt_ipv4 ip = {.src = wt_addr_ipv4(10, 99, 0, 1), .dst = wt_addr_ipv4(10, 99, 0, 2), .ttl = 64, .protocol = 6,
			     .dont_fragment = true, .total_len = 40 + 14000, .header_len = 20};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1;

	memset(bytes, 2, 12);
	wt_put16(bytes + 12, 0x0800);
	wt_ipv4_emit(bytes + 14, &ip);
	bytes[34 + 12] = 5 << 4;
	wt_put16(bytes + 34 + 16, (uint16_t)~wt_csum_fold(wt_csum_pseudo(&ip.src, &ip.dst, 6, 20 + 14000)));
	for (unsigned i = 0; i < 14000; i++)
		bytes[54 + i] = (uint8_t)(i / 1400);
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)), 0);
	/* A fresh interface may still have the queueing discipline that drops all. */
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(writev(fd, parts, 2), sizeof(header) + sizeof(bytes));
	close(fd);
}

static void a_big_tcp_frame_of_a_sender_with_offloads_is_read_as_its_packets(void **state)
{
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));

	assert_non_null(b);
	send_big_tcp_frame("wtva");
	for (unsigned i = 0; i < 10; i++) {
		struct wt_frame *frame = next_frame(b, 0x0800, 6);

		assert_non_null(frame);
		assert_int_equal(frame->len, 54 + 1400);
		assert_int_equal(wt_get32(wt_frame_own_bytes(frame) + 34 + 4), i * 1400);
		assert_int_equal(wt_frame_own_bytes(frame)[54], i);
		assert_int_equal(frame->csum, WT_CSUM_PARTIAL);
		wt_frame_free(frame);
	}
	assert_int_equal(b->oversize, 0);
	wt_port_close(b);
}

static void our_own_end_gets_its_offloads_back_when_the_port_closes(void **state)
{
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));
	uint32_t first;

	assert_int_equal(b->offloads, 0);
	first = b->restore;
	assert_int_not_equal(first, 0);
	wt_port_close(b);
	b = wt_packet_open("wtvb", pool, err, sizeof(err));
	assert_int_equal(b->restore, first);
	wt_port_close(b);
	assert_int_equal(wt_offloads_off("wtvb"), 0);
	b = wt_packet_open("wtvb", pool, err, sizeof(err));
	assert_int_equal(b->restore, 0);
	wt_port_close(b);
}

static void a_missing_interface_is_named_in_one_sentence(void **state)
{
	assert_null(wt_packet_open("wtnone", pool, err, sizeof(err)));
	assert_int_equal(errno, ENODEV);
	assert_string_equal(err, "there is no interface wtnone in this network namespace");
	assert_null(wt_packet_open("a/b", pool, err, sizeof(err)));
	assert_null(wt_packet_open("", pool, err, sizeof(err)));
	assert_int_equal(wt_offloads_off("wtnone"), -ENODEV);
}

static void an_interface_that_is_down_refuses_frames_and_one_that_is_deleted_is_gone(void **state)
{
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));
	struct wt_frame *frame;
	int n = 0;

	shell("ip link set wtvb down");
	for (unsigned i = 0; i < 3; i++) {
		assert_in_range(b->ops->read(b, &frame), 0, 1);
		wt_frame_free(frame);
	}
	b->node.ops->input(&b->node, 0, 0, test_frame(60, 0));
	assert_int_equal(b->node.audit.dropped[WT_DROP_WIRE], 1);
	assert_int_equal(b->last_error, -ENETDOWN);
	shell("ip link set wtvb up");
	b->node.ops->input(&b->node, 0, 0, test_frame(60, 0));
	assert_int_equal(b->node.audit.taken, 1);
	shell("ip link del wtvb");
	for (unsigned i = 0; i < 3 && n >= 0; i++) {
		n = b->ops->read(b, &frame);
		if (n > 0)
			wt_frame_free(frame);
	}
	assert_true(n < 0);
	wt_port_close(b);
}

static void give_up(struct ev_loop *ev, ev_timer *timer, int events)
{
	ev_break(ev, EVBREAK_ALL);
}

static void every_packet_of_big_frames_enters_the_graph_at_once(void **state)
{
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));
	struct wt_graph *graph = wt_graph_create();
	struct ev_loop *ev = ev_loop_new(EVFLAG_AUTO);
	struct wt_rloop *rloop = wt_rloop_create(graph, ev);
	struct toy_sink sink;
	ev_timer limit;

	toy_sink_init(&sink, "sink", 1);
	wt_graph_add(graph, &b->node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join_both(graph, &b->node, 0, &sink.node, 0);
	wt_rloop_add_port(rloop, b);
	wt_rloop_kick(rloop);
	for (unsigned i = 0; i < 13; i++)
		send_big_tcp_frame("wtva");
	ev_timer_init(&limit, give_up, 5, 0);
	ev_timer_start(ev, &limit);
	while (sink.count < 130 && ev_is_active(&limit))
		ev_run(ev, EVRUN_ONCE);
	assert_true(sink.count >= 130);
	wt_rloop_destroy(rloop);
	wt_graph_destroy(graph);
	ev_loop_destroy(ev);
}

/* ---- TAP ----------------------------------------------------------------------------------------------- */

static struct wt_port *tap_or_skip(const char *name)
{
	struct wt_port *tap;

	if (!have_tun) {
		print_message("skipped: /dev/net/tun cannot be opened here\n");
		skip();
	}
	tap = wt_tap_open(name, pool, err, sizeof(err));
	if (!tap)
		print_error("%s\n", err);
	assert_non_null(tap);
	return tap;
}

static void the_kernel_finishes_checksums_before_a_tap_is_read(void **state)
{
	struct wt_port *tap = tap_or_skip("wttap");
	struct wt_frame *frame;

	shell("ip addr add 10.98.0.1/24 dev wttap && ip neigh add 10.98.0.2 lladdr 02:00:00:00:00:02 dev wttap");
	send_datagram("10.98.0.2", "complete", 0);
	frame = next_frame(tap, 0x0800, 17);
	assert_non_null(frame);
	assert_int_equal(frame->csum, WT_CSUM_NONE);
	assert_true(udp_checksum_is_right(frame));
	wt_frame_free(frame);
	wt_port_close(tap);
	shell("! ip link show wttap 2>/dev/null"); /* nothing is left behind */
}

static void a_persistent_tap_has_its_old_queue_again(void **state)
{
	struct wt_port *tap;

	if (!have_tun)
		skip();
	shell("ip tuntap add wtkept mode tap && ip link set wtkept txqueuelen 700");
	tap = tap_or_skip("wtkept");
	shell("ip link show wtkept | grep -q 'qlen 2000'");
	wt_port_close(tap);
	shell("ip link show wtkept | grep -q 'qlen 700' && ip tuntap del wtkept mode tap");
}

static void frames_the_kernel_could_not_queue_are_in_its_count(void **state)
{
	struct wt_port *tap = tap_or_skip("wttap");

	shell("ip addr add 10.98.0.1/24 dev wttap && ip neigh add 10.98.0.2 lladdr 02:00:00:00:00:02 dev wttap");
	wt_port_refresh(tap);
	assert_int_equal(tap->kernel_drops, 0);
	for (unsigned i = 0; i < 2300; i++)
		send_datagram("10.98.0.2", "flood", MSG_DONTWAIT);
	wt_port_refresh(tap);
	assert_in_range(tap->kernel_drops, 290, 310); /* 2000 are in the queue, and whatever else the kernel said */
	wt_port_close(tap);
}

static void a_tap_that_cannot_be_had_is_explained_in_one_sentence(void **state)
{
	struct wt_port *tap = tap_or_skip("wttap");
	struct wt_pool *small = wt_pool_create(4, 1000);

	assert_null(wt_tap_open("wttap", pool, err, sizeof(err)));
	assert_int_equal(errno, EBUSY);
	assert_string_equal(err, "TAP device wttap is in use by another process");
	assert_null(wt_tap_open("wtva", pool, err, sizeof(err)));
	assert_int_equal(errno, EINVAL);
	assert_null(wt_tap_open("a name that is too long", pool, err, sizeof(err)));
	assert_int_equal(errno, EINVAL);
	assert_null(wt_tap_open("wttap%d", pool, err, sizeof(err)));
	assert_null(wt_tap_open("wtsmall", small, err, sizeof(err)));
	assert_string_equal(err, "frames of 1000 bytes are too small for wtsmall, whose MTU is 1500: jumbo frames are not carried, set it to 981 or less");
	wt_pool_destroy(small);
	wt_port_close(tap);
}

static void without_a_free_frame_the_kernel_s_is_read_and_counted_lost(void **state)
{
	struct wt_port *tap = tap_or_skip("wttap");
	struct wt_frame_queue all = {0};
	struct wt_frame *frame;

	shell("ip addr add 10.98.0.1/24 dev wttap && ip neigh add 10.98.0.2 lladdr 02:00:00:00:00:02 dev wttap");
	while ((frame = wt_frame_new(pool)))
		wt_frame_queue_push(&all, frame);
	send_datagram("10.98.0.2", "lost", 0);
	while (tap->ops->read(tap, &frame) > 0)
		assert_null(frame);
	assert_true(tap->node.audit.dropped[WT_DROP_POOL] >= 1);
	assert_true(wt_audit_holds(&tap->node.audit));
	wt_frame_queue_clear(&all);
	send_datagram("10.98.0.2", "found", 0);
	frame = next_frame(tap, 0x0800, 17);
	assert_non_null(frame);
	wt_frame_free(frame);
	wt_port_close(tap);
}

static wt_time clock_at_5(const void *arg)
{
	return 5;
}

/* Under a loop, which has a clock: more frames than a batch holds, then one alone. What is refused: test_batch.c. */
static void gather_and_write(struct wt_port *tap)
{
	struct wt_port *see = wt_packet_open("wttap", pool, err, sizeof(err));
	const unsigned count = WT_BATCH_FRAMES + 9;

	tap->clock = clock_at_5;
	for (uint32_t i = 0; i < count; i++) {
		if (i == count - 1)
			wt_port_write(tap, 0);
		tap->node.ops->input(&tap->node, 0, 0, test_frame(60 + i, (uint8_t)i));
		assert_int_equal(tap->node.audit.taken + wt_port_holds(tap), i + 1);
		assert_true(wt_port_holds(tap) < WT_BATCH_FRAMES && wt_audit_holds(&tap->node.audit));
	}
	assert_int_equal(wt_port_holds(tap), tap->batch ? 1 : 0); /* without io_uring each was written at once */
	wt_port_write(tap, 0);
	assert_int_equal(tap->late.count, count);
	for (uint32_t i = 0; i < count; i++) {
		struct wt_frame *got = next_frame(see, TEST_TYPE, 0);

		assert_non_null(got);
		assert_true(got->len == 60 + i && wt_frame_own_bytes(got)[20] == i);
		wt_frame_free(got);
	}
	wt_port_close(see);
	tap->node.ops->input(&tap->node, 0, 0, test_frame(60, 0)); /* what is never written is freed */
	wt_port_close(tap);
}

static void gathered_frames_are_written_in_order_when_asked_for(void **state)
{
	struct wt_pool *big = wt_pool_create(2, WT_PORT_BIG);
	struct wt_port *tap = tap_or_skip("wttap");

	for (unsigned i = 0; i < 2; i++) {
		wt_port_gather(tap);
		gather_and_write(tap);
		tap = i ? NULL : wt_tap_open_big("wttap", pool, big, err, sizeof(err));
	}
	wt_pool_destroy(big);
}

static unsigned echoes;

static void on_icmp(struct ev_loop *ev, ev_io *watcher, int events)
{
	uint8_t packet[200];
	ssize_t n = recv(watcher->fd, packet, sizeof(packet), MSG_DONTWAIT);

	if (n >= 48 && packet[20] == 0 && !memcmp(packet + 28, "are you there, wavetank?", 20))
		echoes++;
}

static void ping(int fd, const char *to, uint16_t number)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	uint8_t packet[32] = {8, 0, 0, 0, 0x77, 0x77};

	wt_put16(packet + 6, number);
	memcpy(packet + 8, "are you there, wavetank?", 24);
	wt_put16(packet + 2, wt_csum_fold(wt_csum_add(0, packet, sizeof(packet))));
	inet_pton(AF_INET, to, &address.sin_addr);
	assert_int_equal(sendto(fd, packet, sizeof(packet), 0, (struct sockaddr *)&address, sizeof(address)), sizeof(packet));
}

/* The kernel pings the responder behind `port`, ten times, over the real-time loop. */
static void ping_through(struct wt_port *port, const char *to)
{
	struct responder responder;
	struct wt_graph *graph = wt_graph_create();
	struct ev_loop *ev = ev_loop_new(EVFLAG_AUTO);
	struct wt_rloop *rloop = wt_rloop_create(graph, ev);
	int fd = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_ICMP);
	ev_timer limit;
	ev_io icmp;

	assert_true(fd >= 0);
	responder_init(&responder);
	wt_graph_set_checked(graph, true);
	wt_graph_add(graph, &port->node);
	wt_graph_add(graph, &responder.node);
	wt_graph_join_both(graph, &port->node, 0, &responder.node, 0);
	assert_int_equal(wt_rloop_add_port(rloop, port), 0);
	ev_io_init(&icmp, on_icmp, fd, EV_READ);
	ev_io_start(ev, &icmp);
	ev_timer_init(&limit, give_up, 5, 0);
	ev_timer_start(ev, &limit);
	wt_rloop_kick(rloop);
	echoes = 0;
	for (uint16_t i = 0; i < 10; i++) {
		ping(fd, to, i);
		while (echoes <= i && ev_is_active(&limit))
			ev_run(ev, EVRUN_ONCE);
	}
	assert_int_equal(echoes, 10);
	assert_true(port->node.audit.taken >= 11); /* and the answer to ARP */
	assert_true(wt_graph_audit(graph, NULL));
	close(fd);
	wt_rloop_destroy(rloop);
	wt_graph_destroy(graph); /* closes the port */
	ev_loop_destroy(ev);
}

static void the_kernel_pings_a_node_over_a_tap(void **state)
{
	struct wt_port *tap = tap_or_skip("wttap");

	shell("ip addr add 10.98.0.1/24 dev wttap");
	ping_through(tap, "10.98.0.2");
}

static void the_kernel_pings_a_node_over_a_packet_socket(void **state)
{
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));

	assert_non_null(b);
	shell("ip addr add 10.99.0.1/24 dev wtva");
	ping_through(b, "10.99.0.2");
}

static void a_tap_that_is_deleted_is_gone(void **state)
{
	struct wt_port *tap = tap_or_skip("wttap");
	struct wt_frame *frame;
	int n;

	shell("ip link del wttap");
	while ((n = tap->ops->read(tap, &frame)) > 0)
		wt_frame_free(frame);
	assert_true(n < 0);
	tap->node.ops->input(&tap->node, 0, 0, test_frame(60, 0));
	assert_int_equal(tap->node.audit.dropped[WT_DROP_WIRE], 1);
	wt_port_close(tap);
}

/* ---- all together --------------------------------------------------------------------------------------- */

int main(void)
{
	const char *reason = own_namespace_enter();
	int fd;
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(frames_cross_a_veth_pair_unchanged_and_only_to_the_other_end),
		CASE(an_unfinished_checksum_of_the_kernel_arrives_marked_and_can_be_finished),
		CASE(what_is_longer_than_a_frame_and_not_tcp_is_counted_and_not_cut_off),
		CASE(a_big_tcp_frame_of_a_sender_with_offloads_is_read_as_its_packets),
		CASE(every_packet_of_big_frames_enters_the_graph_at_once),
		CASE(our_own_end_gets_its_offloads_back_when_the_port_closes),
		CASE(a_missing_interface_is_named_in_one_sentence),
		CASE(an_interface_that_is_down_refuses_frames_and_one_that_is_deleted_is_gone),
		CASE(the_kernel_pings_a_node_over_a_packet_socket),
		CASE(the_kernel_finishes_checksums_before_a_tap_is_read),
		CASE(a_persistent_tap_has_its_old_queue_again),
		CASE(frames_the_kernel_could_not_queue_are_in_its_count),
		CASE(a_tap_that_cannot_be_had_is_explained_in_one_sentence),
		CASE(without_a_free_frame_the_kernel_s_is_read_and_counted_lost),
		CASE(gathered_frames_are_written_in_order_when_asked_for),
		CASE(the_kernel_pings_a_node_over_a_tap),
		CASE(a_tap_that_is_deleted_is_gone),
	};

	if (reason) {
		printf("skipped: %s\n", reason);
		return 77;
	}
	fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	have_tun = fd >= 0;
	if (fd >= 0)
		close(fd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
