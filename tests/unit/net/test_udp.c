/* SPDX-License-Identifier: BSD-2-Clause */
/* UDP sockets on an IP layer: who gets a datagram, when the application hears of it, and what is said where nobody is. */
#include "tests/unit/net/ip_fixture.h"

#include <errno.h>

#include "stack/net/udp.h"
#include "stack/wire/udp.h"

struct heard {
	struct wt_udp *udp; /* closed by the callback, if asked to */
	bool close;
	unsigned calls, events;
	wt_time now;
};

static struct wt_udp_table table;

static int udp_setup(void **state)
{
	struct fixture *f;

	setup(state);
	f = *state;
	wt_udp_init(&table, &f->net);
	return wt_neighbours_add(&f->net.neighbours, 0, &f->peer, &peer_mac) ? 0 : -1;
}

static int udp_teardown(void **state)
{
	wt_udp_finish(&table);
	return teardown(state);
}

static void on_event(void *arg, struct wt_udp *udp, unsigned events, wt_time now)
{
	struct heard *heard = arg;

	heard->calls++;
	heard->events |= events;
	heard->now = now;
	if (heard->close) {
		wt_udp_close(udp);
		heard->udp = NULL;
	}
}

/* A datagram from port 7000 of the peer. */
static struct wt_frame *datagram(struct fixture *f, uint16_t port, uint32_t len)
{
	struct wt_frame *frame = arriving(f, (struct wt_ipv4){.protocol = WT_IP_UDP, .tos = 3}, WT_UDP_HEADER + len, 0);

	wt_udp_emit(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD, &f->peer, &f->us, &(struct wt_udp_header){7000, port, (uint16_t)(WT_UDP_HEADER + len)});
	return frame;
}

static void hear(struct fixture *f, wt_time now, struct wt_frame *frame)
{
	struct wt_ip_packet packet;

	assert_int_equal(wt_net_input(&f->net, 0, now, frame, &packet), WT_IP_IS_UDP);
	wt_udp_input(&table, now, &packet);
}

static void a_datagram_waits_for_its_socket_whose_callback_runs_later(void **state)
{
	struct fixture *f = *state;
	struct heard heard = {0};
	struct wt_udp *udp = wt_udp_open(&table, &(struct wt_endpoint){.port = 9}, on_event, &heard);
	struct wt_udp_datagram in;

	assert_non_null(udp);
	assert_false(wt_udp_peek(udp, &in));
	for (uint32_t len = 0; len < 3; len++)
		hear(f, 5 + len, datagram(f, 9, len));
	assert_int_equal(heard.calls, 0);
	wt_udp_tell(&table, 20);
	assert_int_equal(heard.calls, 1);
	assert_int_equal(heard.events, WT_UDP_EV_READABLE);
	assert_int_equal(heard.now, 20);
	for (uint32_t len = 0; len < 3; len++) {
		assert_true(wt_udp_peek(udp, &in));
		assert_int_equal(in.len, len);
		assert_int_equal(in.time, 5 + len);
		assert_int_equal(in.ecn, 3);
		assert_true(wt_addr_eq(&in.from.addr, &f->peer) && in.from.port == 7000);
		assert_true(wt_addr_eq(&in.to.addr, &f->us) && in.to.port == 9);
		for (uint32_t i = 0; i < len; i++)
			assert_int_equal(in.data[i], WT_UDP_HEADER + i);
		wt_udp_consume(udp);
	}
	assert_false(wt_udp_peek(udp, &in));
	assert_int_equal(f->node.audit.taken, 3);
	wt_udp_tell(&table, 30);
	assert_int_equal(heard.calls, 1);
}

static void what_is_sent_is_a_datagram_with_a_right_checksum(void **state)
{
	struct fixture *f = *state;
	struct wt_udp *udp = wt_udp_open(&table, &(struct wt_endpoint){.port = 40000}, NULL, NULL);
	struct wt_endpoint to = {f->peer, 9}, far = {wt_addr_ipv4(10, 0, 0, 255), 9};
	static const uint8_t big[1473];
	struct wt_udp_header header;
	struct wt_frame *frame;
	struct wt_ipv4 ip;

	assert_int_equal(wt_udp_send(udp, &to, "abc", 3, 0), 0);
	frame = leaving(f);
	assert_int_equal(wt_ipv4_parse(wt_frame_own_bytes(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, true, &ip), WT_IPV4_OK);
	assert_true(ip.protocol == WT_IP_UDP && ip.total_len == 31 && wt_addr_eq(&ip.src, &f->us) && wt_addr_eq(&ip.dst, &f->peer));
	assert_memory_equal(wt_frame_own_bytes(frame), &peer_mac, 6);
	assert_true(wt_udp_parse(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD, 11, &ip.src, &ip.dst, true, &header));
	assert_true(header.src_port == 40000 && header.dst_port == 9 && header.len == 11);
	assert_memory_equal(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD + WT_UDP_HEADER, "abc", 3);
	wt_frame_free(frame);
	assert_int_equal(wt_udp_send(udp, &to, big, 1472, 0), 0);
	wt_frame_free(leaving(f));
	assert_int_equal(wt_udp_send(udp, &to, big, 1473, 0), -EMSGSIZE);
	assert_int_equal(wt_udp_send(udp, &far, "", 0, 0), -ENETUNREACH);
}

static void where_nobody_listens_the_sender_is_told_and_of_broken_ones_not(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame;

	hear(f, 0, datagram(f, 9, 4));
	frame = leaving(f);
	assert_non_null(frame);
	assert_int_equal(wt_frame_own_bytes(frame)[WT_IP_PAYLOAD], WT_ICMP_UNREACHABLE);
	assert_int_equal(wt_frame_own_bytes(frame)[WT_IP_PAYLOAD + 1], WT_ICMP_PORT_UNREACHABLE);
	wt_frame_free(frame);
	assert_int_equal(f->node.audit.dropped[WT_DROP_UDP_PORT], 1);
	frame = datagram(f, 9, 4);
	wt_frame_own_bytes(frame)[WT_IP_PAYLOAD + WT_UDP_HEADER]++;
	hear(f, 0, frame);
	frame = datagram(f, 9, 4);
	wt_put16(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD + 4, 13); /* longer than the packet */
	hear(f, 0, frame);
	frame = datagram(f, 9, 4);
	wt_put16(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD + 4, 7); /* shorter than a header */
	hear(f, 0, frame);
	assert_null(leaving(f));
	assert_int_equal(f->node.audit.dropped[WT_DROP_UDP], 3);
}

static void a_socket_that_is_not_read_holds_so_many(void **state)
{
	struct fixture *f = *state;
	struct wt_udp *udp = wt_udp_open(&table, &(struct wt_endpoint){.port = 9}, NULL, NULL);
	uint64_t kept = 0;

	/* the pool of the fixture is smaller than a queue */
	for (unsigned i = 0; i < POOL_FRAMES - 1; i++)
		hear(f, 0, datagram(f, 9, 1));
	kept = f->node.audit.queued;
	assert_int_equal(kept, POOL_FRAMES - 1);
	wt_udp_close(udp);
	assert_int_equal(f->node.audit.queued, 0);
	assert_int_equal(f->node.audit.taken, kept);
}

static void a_full_socket_drops_and_counts(void **state)
{
	struct fixture *f = *state;
	struct wt_pool *large = wt_pool_create(WT_UDP_QUEUE + 8, 128), *small = f->pool;
	struct wt_udp *udp = wt_udp_open(&table, &(struct wt_endpoint){.port = 9}, NULL, NULL);

	f->pool = large;
	for (unsigned i = 0; i < WT_UDP_QUEUE + 5; i++)
		hear(f, 0, datagram(f, 9, 1));
	assert_int_equal(f->node.audit.dropped[WT_DROP_UDP_FULL], 5);
	assert_int_equal(f->node.audit.queued, WT_UDP_QUEUE);
	wt_udp_close(udp);
	assert_int_equal(wt_pool_free_count(large), WT_UDP_QUEUE + 8);
	f->pool = small;
	wt_pool_destroy(large);
}

static void the_socket_of_the_address_comes_before_one_of_any(void **state)
{
	struct fixture *f = *state;
	struct wt_udp *any = wt_udp_open(&table, &(struct wt_endpoint){.port = 9}, NULL, NULL);
	struct wt_udp *ours = wt_udp_open(&table, &(struct wt_endpoint){f->us, 9}, NULL, NULL);
	struct wt_udp_datagram in;

	assert_non_null(any);
	assert_non_null(ours);
	assert_null(wt_udp_open(&table, &(struct wt_endpoint){f->us, 9}, NULL, NULL));
	assert_int_equal(errno, EADDRINUSE);
	assert_null(wt_udp_open(&table, &(struct wt_endpoint){f->peer, 10}, NULL, NULL));
	assert_int_equal(errno, EADDRNOTAVAIL);
	hear(f, 0, datagram(f, 9, 1));
	assert_true(wt_udp_peek(ours, &in));
	assert_false(wt_udp_peek(any, &in));
	wt_udp_close(ours);
	hear(f, 0, datagram(f, 9, 1));
	assert_true(wt_udp_peek(any, &in));
}

static void free_ports_are_in_the_usual_range_and_differ(void **state)
{
	uint16_t last = 0;

	for (unsigned i = 0; i < 500; i++) {
		struct wt_udp *udp = wt_udp_open(&table, &(struct wt_endpoint){0}, NULL, NULL);

		assert_non_null(udp);
		assert_true(wt_udp_local(udp).port >= 32768 && wt_udp_local(udp).port <= 60999);
		assert_int_not_equal(wt_udp_local(udp).port, last);
		last = wt_udp_local(udp).port;
	}
}

static void an_error_is_told_to_the_socket_that_sent(void **state)
{
	struct fixture *f = *state;
	struct heard heard = {0}, silent = {0};
	struct wt_udp *udp = wt_udp_open(&table, &(struct wt_endpoint){.port = 40000}, on_event, &heard);
	struct wt_icmp_error error = {.type = WT_ICMP_UNREACHABLE, .code = WT_ICMP_PORT_UNREACHABLE, .protocol = WT_IP_UDP,
				      .tuple = {{f->us, 40000}, {f->peer, 9}}};
	struct wt_endpoint remote;

	wt_udp_open(&table, &(struct wt_endpoint){.port = 40001}, on_event, &silent);
	wt_udp_icmp(&table, &error);
	wt_udp_tell(&table, 1);
	assert_int_equal(heard.events, WT_UDP_EV_ERROR);
	assert_int_equal(silent.calls, 0);
	assert_int_equal(wt_udp_error(udp, &remote), -ECONNREFUSED);
	assert_true(wt_addr_eq(&remote.addr, &f->peer) && remote.port == 9);
	assert_int_equal(wt_udp_error(udp, NULL), 0);
	error.code = WT_ICMP_FRAGMENTATION_NEEDED;
	wt_udp_icmp(&table, &error);
	assert_int_equal(wt_udp_error(udp, NULL), -EMSGSIZE);
}

static void a_callback_may_close_its_socket_and_a_closed_one_is_told_nothing(void **state)
{
	struct fixture *f = *state;
	struct heard heard = {.close = true}, never = {0};
	struct wt_udp *other = wt_udp_open(&table, &(struct wt_endpoint){.port = 10}, on_event, &never);

	heard.udp = wt_udp_open(&table, &(struct wt_endpoint){.port = 9}, on_event, &heard);
	for (unsigned i = 0; i < 3; i++)
		hear(f, 0, datagram(f, 9, 1));
	hear(f, 0, datagram(f, 10, 1));
	wt_udp_close(other);
	wt_udp_tell(&table, 1);
	assert_int_equal(heard.calls, 1);
	assert_int_equal(never.calls, 0);
	assert_int_equal(f->node.audit.queued, 0);
	hear(f, 0, datagram(f, 9, 1)); /* nobody there any more */
	assert_int_equal(f->node.audit.dropped[WT_DROP_UDP_PORT], 1);
	wt_frame_free(leaving(f));
}

static void a_checksum_left_out_is_accepted(void **state)
{
	struct fixture *f = *state;
	struct wt_udp *udp = wt_udp_open(&table, &(struct wt_endpoint){.port = 9}, NULL, NULL);
	struct wt_frame *frame = datagram(f, 9, 4);
	struct wt_udp_datagram in;

	wt_put16(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD + 6, 0);
	hear(f, 0, frame);
	assert_true(wt_udp_peek(udp, &in));
	assert_int_equal(in.len, 4);
}

#define T(name) cmocka_unit_test_setup_teardown(name, udp_setup, udp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_datagram_waits_for_its_socket_whose_callback_runs_later),
		T(what_is_sent_is_a_datagram_with_a_right_checksum),
		T(where_nobody_listens_the_sender_is_told_and_of_broken_ones_not),
		T(a_socket_that_is_not_read_holds_so_many),
		T(a_full_socket_drops_and_counts),
		T(the_socket_of_the_address_comes_before_one_of_any),
		T(free_ports_are_in_the_usual_range_and_differ),
		T(an_error_is_told_to_the_socket_that_sent),
		T(a_callback_may_close_its_socket_and_a_closed_one_is_told_nothing),
		T(a_checksum_left_out_is_accepted),
	};

	return cmocka_run_group_tests_name("udp", tests, NULL, NULL);
}
