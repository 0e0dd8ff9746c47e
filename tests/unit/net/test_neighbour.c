/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/net/ip_fixture.h"

/* Sends one frame of `len` bytes to addr at `now`; true if it may leave at once. */
static bool send_to(struct fixture *f, wt_time now, const struct wt_addr *addr, uint32_t len)
{
	struct wt_frame *frame = wt_neighbours_send(&f->net.neighbours, now, making(f, len), 0, addr);

	if (!frame)
		return false;
	f->node.audit.out++;
	wt_frame_free(frame);
	return true;
}

/* The next ready frame must be a request for addr. */
static void expect_request(struct fixture *f, const struct wt_addr *addr)
{
	struct wt_frame *frame = leaving(f);
	struct wt_eth eth;
	struct wt_arp arp;

	assert_non_null(frame);
	assert_true(wt_eth_parse(wt_frame_own_bytes(frame), frame->len, &eth));
	assert_int_equal(eth.dst.bytes[0] & eth.dst.bytes[5], 0xff);
	assert_memory_equal(&eth.src, &our_mac, 6);
	assert_true(wt_arp_parse(wt_frame_own_bytes(frame) + 14, frame->len - 14, &arp));
	assert_int_equal(arp.op, WT_ARP_REQUEST);
	assert_true(wt_addr_eq(&arp.target, addr) && wt_addr_eq(&arp.sender, &f->us));
	wt_frame_free(frame);
}

static void answer(struct fixture *f, wt_time now, const struct wt_addr *from, const struct wt_mac *mac)
{
	wt_arp_input(&f->net, 0, now, arriving_arp(f, (struct wt_arp){WT_ARP_REPLY, *mac, our_mac, *from, f->us}));
}

static void an_unknown_neighbour_is_asked_three_times_then_given_up(void **state)
{
	struct fixture *f = *state;
	struct wt_neighbours *table = &f->net.neighbours;

	assert_int_equal(wt_neighbours_deadline(table), WT_NEVER);
	assert_false(send_to(f, 5 * WT_S, &f->peer, 10));
	for (int i = 0; i < 3; i++) {
		expect_request(f, &f->peer);
		assert_null(leaving(f));
		assert_int_equal(wt_neighbours_deadline(table), (6 + i) * WT_S);
		wt_neighbours_expire(table, (6 + i) * WT_S - 1);
		assert_null(leaving(f));
		wt_neighbours_expire(table, (6 + i) * WT_S);
	}
	assert_null(leaving(f));
	assert_int_equal(wt_neighbours_deadline(table), WT_NEVER);
	assert_int_equal(f->node.audit.dropped[WT_DROP_NEIGHBOUR], 1);
	/* and asked afresh by the next frame */
	assert_false(send_to(f, 20 * WT_S, &f->peer, 10));
	expect_request(f, &f->peer);
}

static void tries_are_counted_from_due_times_when_woken_late(void **state)
{
	struct fixture *f = *state;

	send_to(f, 0, &f->peer, 10);
	wt_neighbours_expire(&f->net.neighbours, WT_S + 300 * WT_MS);
	assert_int_equal(wt_neighbours_deadline(&f->net.neighbours), 2 * WT_S);
}

static void what_waited_leaves_in_order_with_the_answer(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame;

	for (uint32_t i = 0; i < 5; i++)
		assert_false(send_to(f, 0, &f->peer, 10 + i));
	expect_request(f, &f->peer);
	assert_null(leaving(f)); /* one request, not five */
	answer(f, 7 * WT_MS, &f->peer, &peer_mac);
	for (uint32_t i = 0; i < 5; i++) {
		frame = leaving(f);
		assert_int_equal(frame->len, WT_IP_PAYLOAD + 10 + i);
		assert_memory_equal(wt_frame_own_bytes(frame), &peer_mac, 6);
		assert_int_equal(frame->time, 7 * WT_MS);
		wt_frame_free(frame);
	}
	assert_int_equal(wt_neighbours_deadline(&f->net.neighbours), WT_NEVER);
	assert_true(send_to(f, WT_S, &f->peer, 10));
}

static void too_many_waiting_frames_push_out_the_oldest(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame;

	for (uint32_t i = 0; i < WT_NEIGHBOUR_WAITING + 3; i++)
		send_to(f, 0, &f->peer, 100 + i);
	assert_int_equal(f->node.audit.dropped[WT_DROP_NEIGHBOUR], 3);
	expect_request(f, &f->peer);
	answer(f, 1, &f->peer, &peer_mac);
	frame = leaving(f);
	assert_int_equal(frame->len, WT_IP_PAYLOAD + 103);
	wt_frame_free(frame);
}

static void a_request_for_us_is_answered_and_learned_from(void **state)
{
	struct fixture *f = *state;
	struct wt_arp arp = {WT_ARP_REQUEST, peer_mac, {{0}}, f->peer, f->us};
	struct wt_frame *frame;

	wt_arp_input(&f->net, 0, 3, arriving_arp(f, arp));
	frame = leaving(f);
	assert_non_null(frame);
	assert_memory_equal(wt_frame_own_bytes(frame), &peer_mac, 6);
	assert_true(wt_arp_parse(wt_frame_own_bytes(frame) + 14, frame->len - 14, &arp));
	assert_int_equal(arp.op, WT_ARP_REPLY);
	assert_memory_equal(&arp.sender_mac, &our_mac, 6);
	assert_true(wt_addr_eq(&arp.sender, &f->us) && wt_addr_eq(&arp.target, &f->peer));
	wt_frame_free(frame);
	assert_true(send_to(f, 4, &f->peer, 10));
}

static void talk_between_others_makes_no_entry_but_updates_one(void **state)
{
	struct fixture *f = *state;
	struct wt_mac moved = {{2, 9, 9, 9, 9, 9}};
	struct wt_addr other = wt_addr_ipv4(10, 0, 0, 77);

	wt_arp_input(&f->net, 0, 0, arriving_arp(f, (struct wt_arp){WT_ARP_REQUEST, peer_mac, {{0}}, f->peer, other}));
	assert_null(wt_neighbours_find(&f->net.neighbours, 0, &f->peer));
	assert_null(leaving(f));
	assert_int_equal(f->node.audit.dropped[WT_DROP_NOT_OURS], 1);
	answer(f, 0, &f->peer, &peer_mac);
	wt_arp_input(&f->net, 0, 0, arriving_arp(f, (struct wt_arp){WT_ARP_REQUEST, moved, {{0}}, f->peer, other}));
	assert_memory_equal(wt_neighbours_find(&f->net.neighbours, 0, &f->peer), &moved, 6);
}

static void incredible_senders_are_not_learned(void **state)
{
	struct fixture *f = *state;
	struct wt_mac group = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
	struct wt_addr zero = wt_addr_ipv4(0, 0, 0, 0), multicast = wt_addr_ipv4(224, 0, 0, 5);

	answer(f, 0, &f->peer, &group);
	answer(f, 0, &f->us, &peer_mac);
	answer(f, 0, &zero, &peer_mac);
	answer(f, 0, &multicast, &peer_mac);
	assert_null(wt_neighbours_find(&f->net.neighbours, 0, &f->peer));
	assert_null(wt_neighbours_find(&f->net.neighbours, 0, &f->us));
	assert_null(wt_neighbours_find(&f->net.neighbours, 0, &zero));
	assert_null(wt_neighbours_find(&f->net.neighbours, 0, &multicast));
	/* a probe (RFC 5227) is answered all the same */
	wt_arp_input(&f->net, 0, 0, arriving_arp(f, (struct wt_arp){WT_ARP_REQUEST, peer_mac, {{0}}, zero, f->us}));
	wt_frame_free(leaving(f));
	assert_int_equal(f->node.audit.out, 1);
}

static void static_entries_stay_whatever_is_heard(void **state)
{
	struct fixture *f = *state;
	struct wt_mac liar = {{2, 6, 6, 6, 6, 6}};

	assert_true(wt_neighbours_add(&f->net.neighbours, 0, &f->peer, &peer_mac));
	answer(f, 0, &f->peer, &liar);
	assert_memory_equal(wt_neighbours_find(&f->net.neighbours, 0, &f->peer), &peer_mac, 6);
	assert_true(send_to(f, 10 * WT_NEIGHBOUR_LIFETIME, &f->peer, 10));
	assert_null(leaving(f)); /* no request: never stale */
}

static void an_old_entry_is_asked_for_again_while_in_use(void **state)
{
	struct fixture *f = *state;
	wt_time later = WT_NEIGHBOUR_LIFETIME + WT_S;

	answer(f, 0, &f->peer, &peer_mac);
	assert_true(send_to(f, WT_NEIGHBOUR_LIFETIME - 1, &f->peer, 10));
	assert_null(leaving(f));
	assert_true(send_to(f, later, &f->peer, 10));
	wt_net_expire(&f->net, later);
	assert_true(send_to(f, later, &f->peer, 10));
	expect_request(f, &f->peer);
	assert_null(leaving(f));
	for (int i = 1; i <= 3; i++)
		wt_neighbours_expire(&f->net.neighbours, later + i * WT_S);
	assert_null(wt_neighbours_find(&f->net.neighbours, 0, &f->peer));
}

static void a_full_table_gives_up_questions_first_then_the_longest_unused(void **state)
{
	struct fixture *f = *state;
	struct wt_neighbours *table = &f->net.neighbours;
	struct wt_addr addr;

	for (unsigned i = 0; i < WT_NEIGHBOURS - 1; i++) {
		addr = wt_addr_ipv4(10, 0, 0, (uint8_t)(100 + i));
		answer(f, 0, &addr, &peer_mac);
	}
	addr = wt_addr_ipv4(10, 0, 0, 100); /* the oldest is used */
	assert_true(send_to(f, 0, &addr, 10));
	addr = wt_addr_ipv4(10, 0, 0, 50);
	assert_false(send_to(f, 0, &addr, 10)); /* the 64th: a question */
	addr = wt_addr_ipv4(10, 0, 0, 51);
	assert_false(send_to(f, 0, &addr, 10));
	assert_int_equal(f->node.audit.dropped[WT_DROP_NEIGHBOUR], 1);
	answer(f, 0, &addr, &peer_mac); /* now all 64 are known */
	addr = wt_addr_ipv4(10, 0, 0, 52);
	answer(f, 0, &addr, &peer_mac);
	addr = wt_addr_ipv4(10, 0, 0, 101);
	assert_null(wt_neighbours_find(table, 0, &addr));
	addr = wt_addr_ipv4(10, 0, 0, 100);
	assert_non_null(wt_neighbours_find(table, 0, &addr));
}

static void a_table_of_static_entries_drops_what_it_cannot_resolve(void **state)
{
	struct fixture *f = *state;
	struct wt_addr addr;

	for (unsigned i = 0; i < WT_NEIGHBOURS; i++) {
		addr = wt_addr_ipv4(10, 0, 0, (uint8_t)(100 + i));
		assert_true(wt_neighbours_add(&f->net.neighbours, 0, &addr, &peer_mac));
	}
	assert_false(wt_neighbours_add(&f->net.neighbours, 0, &f->peer, &peer_mac));
	assert_false(send_to(f, 0, &f->peer, 10));
	assert_int_equal(f->node.audit.dropped[WT_DROP_NEIGHBOUR], 1);
}

static void short_and_foreign_arp_is_counted(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame = arriving_arp(f, (struct wt_arp){WT_ARP_REQUEST, peer_mac, {{0}}, f->peer, f->us});

	frame->len--;
	wt_arp_input(&f->net, 0, 0, frame);
	frame = arriving_arp(f, (struct wt_arp){WT_ARP_REQUEST, peer_mac, {{0}}, f->peer, f->us});
	wt_frame_own_bytes(frame)[14 + 4] = 8;
	wt_arp_input(&f->net, 0, 0, frame);
	assert_int_equal(f->node.audit.dropped[WT_DROP_SHORT], 1);
	assert_int_equal(f->node.audit.dropped[WT_DROP_PROTOCOL], 1);
	assert_null(leaving(f));
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_unknown_neighbour_is_asked_three_times_then_given_up),
		T(tries_are_counted_from_due_times_when_woken_late),
		T(what_waited_leaves_in_order_with_the_answer),
		T(too_many_waiting_frames_push_out_the_oldest),
		T(a_request_for_us_is_answered_and_learned_from),
		T(talk_between_others_makes_no_entry_but_updates_one),
		T(incredible_senders_are_not_learned),
		T(static_entries_stay_whatever_is_heard),
		T(an_old_entry_is_asked_for_again_while_in_use),
		T(a_full_table_gives_up_questions_first_then_the_longest_unused),
		T(a_table_of_static_entries_drops_what_it_cannot_resolve),
		T(short_and_foreign_arp_is_counted),
	};

	return cmocka_run_group_tests_name("neighbour", tests, NULL, NULL);
}
