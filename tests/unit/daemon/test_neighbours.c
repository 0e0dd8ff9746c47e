/* SPDX-License-Identifier: BSD-2-Clause */
/* Whom a router of the emulator believes, and what it keeps where many want a place: hosts that are absent, that lie, or are too many. */
#include "tests/unit/daemon/router_bench.h"

#include <stdio.h>

static void drain(wt_time now)
{
	struct wt_frame *frame;
	unsigned port;

	while ((frame = take(now, &port)))
		wt_frame_free(frame);
}

static void send_to(wt_time now, unsigned host, uint32_t len)
{
	char to[40];

	snprintf(to, sizeof(to), "2001:db8:2::%x", host);
	put_in(NET1, now, packet("2001:db8:1::2", to, UDP, 64, len));
}

/* What waited for host 2: so many frames, of these lengths. */
static void host2_gets(wt_time now, unsigned frames, uint32_t len)
{
	for (unsigned i = 0; i < frames; i++) {
		unsigned port;
		struct wt_frame *frame = take(now, &port);

		assert_non_null(frame);
		assert_int_equal(port, NET2);
		assert_memory_equal(wt_frame_own_bytes(frame), &host2, 6);
		assert_int_equal(frame->len, UPPER + len + i);
		wt_frame_free(frame);
	}
	nothing(now);
}

static void a_flood_of_strangers_takes_bounded_memory_and_no_neighbour_away(void **state)
{
	uint64_t most = 0;
	struct wt_frame *frame;
	unsigned port;

	introduce(0);
	for (unsigned i = 0; i < 2000; i++) {
		send_to(i, 0x100 + i / 2, 20);
		drain(i);
		assert_true(router->audit.queued <= WT_NEIGHBOUR_WAITING_ALL);
		most = router->audit.queued > most ? router->audit.queued : most;
	}
	assert_int_equal(most, WT_NEIGHBOUR_WAITING_ALL);
	assert_int_equal(router->audit.dropped[WT_DROP_NEIGHBOUR] + router->audit.queued, 2000);
	put_in(NET1, 2000, ping("2001:db8:1::2", "2001:db8:1::1"));
	frame = take(2000, &port);
	assert_non_null(frame); /* host 1 is known still */
	assert_int_equal(port, NET1);
	wt_frame_free(frame);
}

static void for_one_that_does_not_answer_the_newest_few_wait_and_others_are_found(void **state)
{
	struct wt_addr target = at("2001:db8:2::3");
	struct wt_ipv6 ip;
	struct wt_eth eth;
	struct wt_nd question;

	introduce(0);
	send_to(0, 2, 20);
	for (unsigned i = 0; i < 200; i++) {
		send_to(i, 0x100, 20);
		drain(i);
	}
	assert_int_equal(router->audit.queued, 1 + WT_NEIGHBOUR_WAITING);
	assert_int_equal(router->audit.dropped[WT_DROP_NEIGHBOUR], 200 - WT_NEIGHBOUR_WAITING);
	send_to(200, 3, 20);
	question = heard(200, NET2, &ip, &eth);
	assert_true(wt_addr_eq(&question.target, &target));
	for (unsigned i = 1; i < 20; i++)
		send_to(201, 2, 20 + i);
	nothing(201);
	assert_int_equal(router->audit.queued, 1 + 2 * WT_NEIGHBOUR_WAITING);
	host2_answers(202, true, true, &host2);
	host2_gets(202, WT_NEIGHBOUR_WAITING, 40 - WT_NEIGHBOUR_WAITING);
}

static void where_all_places_are_taken_the_longest_queue_gives_one_up(void **state)
{
	introduce(0);
	send_to(0, 2, 20); /* the oldest of all */
	for (unsigned i = 0; i < 20 * WT_NEIGHBOUR_WAITING; i++)
		send_to(1, 0x100 + i / WT_NEIGHBOUR_WAITING, 20);
	drain(1);
	assert_int_equal(router->audit.queued, WT_NEIGHBOUR_WAITING_ALL);
	send_to(2, 2, 21);
	drain(2);
	assert_int_equal(router->audit.queued, WT_NEIGHBOUR_WAITING_ALL);
	host2_answers(3, true, true, &host2);
	host2_gets(3, 2, 20);
}

static void announce(unsigned port, const char *who, const struct wt_mac *mac)
{
	struct wt_frame *frame = bench_frame(WT_ETH_ARP, 0, 60, 0);
	struct wt_arp arp = {.op = WT_ARP_REPLY, .sender_mac = *mac, .sender = at(who), .target = at("10.0.2.1")};

	wt_arp_emit(wt_frame_own_bytes(frame) + IP, &arp);
	put_in(port, 0, frame);
}

/* Does a packet leave for a host of NET2 at once? Else it is asked for. */
static bool ipv4_reaches(wt_time now, const char *dst, const struct wt_mac *mac)
{
	struct wt_frame *frame;
	unsigned port;
	bool reaches;

	put_in(NET1, now, packet_ipv4("10.0.1.2", dst, &host1));
	frame = take(now, &port);
	assert_non_null(frame);
	assert_int_equal(port, NET2);
	reaches = wt_get16(wt_frame_own_bytes(frame) + 12) == WT_ETH_IPV4;
	if (reaches) {
		assert_memory_equal(wt_frame_own_bytes(frame), mac, 6);
		assert_int_equal(wt_frame_own_bytes(frame)[IP + 8], 63);
		assert_true(bench_header_holds(frame));
	}
	wt_frame_free(frame);
	nothing(now);
	return reaches;
}

static void ipv4_sources_that_no_host_has_are_not_passed_on(void **state)
{
	static const char *const sources[] = {"127.0.0.1", "0.0.0.0", "0.1.2.3", "255.255.255.255", "224.0.0.5", "240.0.0.1",
					      "10.0.1.1", "10.0.2.1", "10.0.1.255", "10.0.2.255"};

	announce(NET2, "10.0.2.2", &host2);
	for (unsigned i = 0; i < 10; i++) {
		put_in(NET1, 0, packet_ipv4(sources[i], "10.0.2.2", &host1));
		assert_int_equal(router->audit.dropped[WT_DROP_IP_SOURCE], i + 1);
		nothing(0);
	}
	put_in(NET1, 0, packet("2001:db8:2::1", "2001:db8:3::2", UDP, 64, 20)); /* nor one of ours of IPv6 */
	assert_int_equal(router->audit.dropped[WT_DROP_IP_SOURCE], 11);
	assert_true(ipv4_reaches(0, "10.0.2.2", &host2));
}

static void nobody_is_found_at_the_broadcast_address_of_a_link(void **state)
{
	announce(NET2, "10.0.2.255", &host2);
	put_in(NET1, 0, packet_ipv4("10.0.1.2", "10.0.2.255", &host1));
	nothing(0); /* nor is it asked for */
	assert_false(ipv4_reaches(0, "10.0.2.253", &host2));
	announce(NET2, "10.0.2.254", &host2);
	assert_true(ipv4_reaches(0, "10.0.2.254", &host2));
}

/* So many lies of a host of NET1 about who is there: half in ARP, half in packets. */
static void forge(unsigned lies)
{
	for (unsigned i = 0; i < lies; i++) {
		char text[40];

		snprintf(text, sizeof(text), "10.0.1.%u", 20 + i);
		if (i & 1)
			announce(NET1, text, &host1);
		else
			put_in(NET1, 1, packet_ipv4(text, "10.0.1.1", &host1));
		nothing(1);
	}
}

static void fill_with_hosts_of_net2(void)
{
	for (unsigned i = 0; i < WT_NEIGHBOURS; i++) {
		char text[40];

		snprintf(text, sizeof(text), "10.0.2.%u", 2 + i);
		announce(NET2, text, &host2);
	}
}

static unsigned hosts_of_net2_lost(void)
{
	unsigned lost = 0;

	for (unsigned i = 0; i < WT_NEIGHBOURS; i++) {
		char text[40];

		snprintf(text, sizeof(text), "10.0.2.%u", 2 + i);
		lost += !ipv4_reaches(2000, text, &host2);
	}
	return lost;
}

static void forged_sources_take_nobodys_place(void **state)
{
	fill_with_hosts_of_net2();
	forge(200);
	assert_int_equal(hosts_of_net2_lost(), 0);
}

static void a_port_keeps_its_share_of_the_places_whatever_comes_in_by_another(void **state)
{
	announce(NET2, "10.0.2.2", &host2);
	forge(200);
	assert_true(ipv4_reaches(300, "10.0.2.2", &host2));
	assert_false(ipv4_reaches(301, "10.0.2.3", &other)); /* one of NET1 makes room, which has most */
	assert_true(ipv4_reaches(302, "10.0.2.2", &host2));
	announce(NET2, "10.0.2.3", &other);
	drain(303);
	assert_true(ipv4_reaches(304, "10.0.2.3", &other));
}

static void a_flood_of_strangers_takes_one_place_of_a_table_full_of_hosts(void **state)
{
	fill_with_hosts_of_net2();
	for (unsigned i = 0; i < 1000; i++) {
		send_to(i, 0x100 + i, 20);
		drain(i);
	}
	assert_int_equal(hosts_of_net2_lost(), 1);
}

/* A packet in one piece, with a fragment header. */
static struct wt_frame *in_a_fragment(struct wt_frame *frame)
{
	memmove(wt_frame_own_bytes(frame) + UPPER + 8, wt_frame_own_bytes(frame) + UPPER, frame->len - UPPER);
	memcpy(wt_frame_own_bytes(frame) + UPPER, (uint8_t[8]){ICMP6}, 8);
	wt_frame_own_bytes(frame)[IP + 6] = 44;
	wt_put16(wt_frame_own_bytes(frame) + IP + 4, (uint16_t)(wt_get16(wt_frame_own_bytes(frame) + IP + 4) + 8));
	frame->len += 8;
	return frame;
}

static void neighbour_discovery_in_fragments_is_ignored(void **state)
{
	struct wt_nd answer = {.type = WT_ND_ADVERTISEMENT, .solicited = true, .override = true, .target = at("2001:db8:2::2"), .mac = host2};
	struct wt_ipv6 ip;
	struct wt_eth eth;

	put_in(NET1, 0, in_a_fragment(solicitation("2001:db8:1::1")));
	nothing(0);
	send_to(0, 2, 20);
	heard(0, NET2, &ip, &eth);
	put_in(NET2, 0, in_a_fragment(nd("2001:db8:2::2", "fe80::77:74ff:fe10:701", answer)));
	nothing(0);
	put_in(NET2, 0, nd("2001:db8:2::2", "fe80::77:74ff:fe10:701", answer));
	host2_gets(0, 1, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_flood_of_strangers_takes_bounded_memory_and_no_neighbour_away),
		T(for_one_that_does_not_answer_the_newest_few_wait_and_others_are_found),
		T(where_all_places_are_taken_the_longest_queue_gives_one_up),
		T(ipv4_sources_that_no_host_has_are_not_passed_on),
		T(nobody_is_found_at_the_broadcast_address_of_a_link),
		T(forged_sources_take_nobodys_place),
		T(a_port_keeps_its_share_of_the_places_whatever_comes_in_by_another),
		T(a_flood_of_strangers_takes_one_place_of_a_table_full_of_hosts),
		T(neighbour_discovery_in_fragments_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
