/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/net/ip_fixture.h"

#include <errno.h>

static const struct wt_ipv4 tcp = {.protocol = WT_IP_TCP};

static void expect_drop(struct fixture *f, struct wt_frame *frame, enum wt_drop cause)
{
	uint64_t before = f->node.audit.dropped[cause];
	struct wt_ip_packet packet;

	assert_int_equal(wt_net_input(&f->net, 0, 0, frame, &packet), WT_IP_DONE);
	assert_int_equal(f->node.audit.dropped[cause], before + 1);
}

static void a_packet_for_us_is_sorted_by_protocol_and_stripped_of_padding(void **state)
{
	static const uint8_t protocols[] = {WT_IP_TCP, WT_IP_ICMP, WT_IP_UDP, 132};
	static const enum wt_ip_verdict verdicts[] = {WT_IP_IS_TCP, WT_IP_IS_ICMP, WT_IP_IS_UDP, WT_IP_IS_OTHER};
	struct fixture *f = *state;
	struct wt_ip_packet packet;

	for (unsigned i = 0; i < 4; i++) {
		struct wt_frame *frame = arriving(f, (struct wt_ipv4){.protocol = protocols[i]}, 22, 0);

		frame->len += 4; /* padding to 60 bytes */
		assert_int_equal(wt_net_input(&f->net, 0, 0, frame, &packet), verdicts[i]);
		assert_int_equal(packet.len, 22);
		assert_ptr_equal(packet.payload, wt_frame_own_bytes(frame) + WT_IP_PAYLOAD);
		assert_ptr_equal(packet.frame, frame);
		wt_books_take(&f->node, frame);
	}
}

static void frames_for_others_and_foreign_protocols_are_dropped(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame;

	for (uint32_t len = 0; len < 14; len++) {
		frame = arriving(f, tcp, 20, 0);
		frame->len = len;
		expect_drop(f, frame, WT_DROP_SHORT);
	}
	frame = arriving(f, tcp, 20, 0);
	wt_frame_own_bytes(frame)[5] ^= 1;
	expect_drop(f, frame, WT_DROP_NOT_OURS);
	frame = arriving(f, tcp, 20, 0); /* an IP datagram for us alone in a link broadcast (RFC 1122 3.3.6) */
	memset(wt_frame_own_bytes(frame), 0xff, 6);
	expect_drop(f, frame, WT_DROP_NOT_OURS);
	expect_drop(f, arriving(f, (struct wt_ipv4){.dst = wt_addr_ipv4(10, 0, 0, 3)}, 20, 0), WT_DROP_NOT_OURS);
	expect_drop(f, arriving(f, (struct wt_ipv4){.dst = wt_addr_ipv4(10, 0, 0, 255)}, 20, 0), WT_DROP_NOT_OURS);
	expect_drop(f, arriving(f, (struct wt_ipv4){.dst = wt_addr_ipv4(255, 255, 255, 255)}, 20, 0), WT_DROP_NOT_OURS);
	frame = arriving(f, tcp, 20, 0);
	wt_put16(wt_frame_own_bytes(frame) + 12, WT_ETH_IPV6);
	expect_drop(f, frame, WT_DROP_PROTOCOL);
}

static void broken_ip_headers_are_dropped_by_kind(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame;

	for (uint32_t cut = 1; cut <= 40; cut++) {
		frame = arriving(f, tcp, 20, 0);
		frame->len -= cut;
		expect_drop(f, frame, WT_DROP_SHORT);
	}
	frame = arriving(f, tcp, 20, 0);
	wt_frame_own_bytes(frame)[14] = 0x55;
	expect_drop(f, frame, WT_DROP_IP_HEADER);
	frame = arriving(f, tcp, 20, 0);
	wt_frame_own_bytes(frame)[14] = 0x44;
	expect_drop(f, frame, WT_DROP_IP_HEADER);
	frame = arriving(f, tcp, 20, 0);
	wt_frame_own_bytes(frame)[14 + 8]--; /* ttl, checksum unchanged */
	expect_drop(f, frame, WT_DROP_IP_CSUM);
}

/* The way of packets like the last one (usual.h) checks what the long one does. */
static void a_broken_checksum_is_found_behind_a_packet_like_it(void **state)
{
	const struct wt_ipv4 ip = {.protocol = WT_IP_TCP};
	struct fixture *f = *state;
	struct wt_ip_packet packet;
	struct wt_frame *frame;

	for (unsigned i = 0; i < 2; i++) {
		frame = arriving(f, ip, 20, 0);
		assert_int_equal(wt_net_input(&f->net, 0, 0, frame, &packet), WT_IP_IS_TCP);
		wt_books_take(&f->node, packet.frame);
		frame = arriving(f, ip, 20, 0);
		wt_frame_own_bytes(frame)[14 + 8]--;
		expect_drop(f, frame, WT_DROP_IP_CSUM);
	}
}

static void a_vouched_for_checksum_is_not_verified_again(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;
	uint8_t vouched[] = {WT_CSUM_VALID, WT_CSUM_PARTIAL};

	for (unsigned i = 0; i < 2; i++) {
		struct wt_frame *frame = arriving(f, tcp, 20, 0);

		wt_frame_own_bytes(frame)[14 + 10] ^= 0xff;
		frame->csum = vouched[i];
		assert_int_equal(wt_net_input(&f->net, 0, 0, frame, &packet), WT_IP_IS_TCP);
		wt_books_take(&f->node, frame);
	}
}

static void sources_that_are_no_host_are_dropped(void **state)
{
	struct fixture *f = *state;
	struct wt_addr bad[] = {f->us, wt_addr_ipv4(0, 0, 0, 0), wt_addr_ipv4(0, 1, 2, 3), wt_addr_ipv4(127, 0, 0, 1),
				wt_addr_ipv4(224, 0, 0, 1), wt_addr_ipv4(240, 0, 0, 1), wt_addr_ipv4(255, 255, 255, 255),
				wt_addr_ipv4(10, 0, 0, 255), wt_addr_ipv4(10, 0, 0, 0)};
	struct wt_ip_packet packet;

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_drop(f, arriving(f, (struct wt_ipv4){.src = bad[i], .protocol = WT_IP_TCP}, 20, 0), WT_DROP_IP_SOURCE);
	/* .255 elsewhere may be a host */
	assert_int_equal(wt_net_input(&f->net, 0, 0, arriving(f, (struct wt_ipv4){.src = wt_addr_ipv4(10, 0, 1, 255), .protocol = WT_IP_TCP}, 20, 0),
				     &packet), WT_IP_IS_TCP);
	wt_books_take(&f->node, packet.frame);
}

static void options_in_the_ip_header_are_skipped(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame = arriving(f, tcp, 24, 0);
	struct wt_ip_packet packet;
	uint8_t *header = wt_frame_own_bytes(frame) + 14;

	header[0] = 0x46;
	wt_put32(header + 20, 0x94040000); /* router alert */
	wt_put16(header + 10, 0);
	wt_put16(header + 10, wt_csum_fold(wt_csum_add(0, header, 24)));
	assert_int_equal(wt_net_input(&f->net, 0, 0, frame, &packet), WT_IP_IS_TCP);
	assert_int_equal(packet.len, 20);
	assert_int_equal(packet.payload[0], 4);
	wt_books_take(&f->node, packet.frame);
}

static bool goes_by(struct fixture *f, const struct wt_addr *dst, const struct wt_addr *next)
{
	const struct wt_route *route = wt_net_route(&f->net, dst);

	return route && wt_addr_eq(route->next.family ? &route->next : dst, next);
}

static void again(struct fixture *f, unsigned prefix, bool gateway)
{
	wt_net_finish(&f->net);
	configure(f, prefix, gateway);
}

static void the_next_hop_is_the_neighbour_on_link_else_the_gateway(void **state)
{
	struct fixture *f = *state;
	struct wt_addr far = wt_addr_ipv4(192, 168, 0, 1), gateway = wt_addr_ipv4(10, 0, 0, 254);

	assert_true(goes_by(f, &f->peer, &f->peer) && goes_by(f, &far, &gateway));
	assert_false(wt_net_route(&f->net, &f->us));
	assert_false(wt_net_route(&f->net, &(struct wt_addr){0}));
	assert_false(wt_net_route(&f->net, &(struct wt_addr){WT_FAMILY_IPV4, {10, 0, 0, 255}}));
	assert_false(wt_net_route(&f->net, &(struct wt_addr){WT_FAMILY_IPV4, {255, 255, 255, 255}}));
	again(f, 24, false);
	assert_false(wt_net_route(&f->net, &far));
	again(f, 0, true); /* everybody is on the link */
	assert_true(goes_by(f, &far, &far));
	again(f, 32, false);
	assert_false(wt_net_route(&f->net, &f->peer));
	again(f, 31, false); /* two hosts and no broadcast (RFC 3021) */
	assert_true(wt_net_route(&f->net, &(struct wt_addr){WT_FAMILY_IPV4, {10, 0, 0, 0}}));
}

static void the_longest_prefix_wins_and_of_equals_the_first(void **state)
{
	struct fixture *f = *state;
	struct wt_addr far = wt_addr_ipv4(192, 168, 7, 1), other = wt_addr_ipv4(192, 168, 8, 1);
	struct wt_addr network = wt_addr_ipv4(192, 168, 7, 0), wide = wt_addr_ipv4(192, 168, 0, 0);
	struct wt_addr near = wt_addr_ipv4(10, 0, 0, 7), nearer = wt_addr_ipv4(10, 0, 0, 8), never = wt_addr_ipv4(10, 0, 0, 9);

	wt_net_add_route(&f->net, &wide, 16, 0, &near);
	assert_true(goes_by(f, &far, &near)); /* is remembered, until there is a better way */
	wt_net_add_route(&f->net, &network, 24, 0, &nearer);
	wt_net_add_route(&f->net, &network, 24, 0, &never);
	assert_true(goes_by(f, &far, &nearer) && goes_by(f, &other, &near));
}

static void each_address_is_ours_and_the_source_is_one_of_the_next_hops_network(void **state)
{
	struct fixture *f = *state;
	struct wt_addr second = wt_addr_ipv4(10, 7, 0, 1), third = wt_addr_ipv4(10, 0, 0, 99), friend = wt_addr_ipv4(10, 7, 0, 2), src = {0};
	struct wt_ip_packet packet;

	assert_int_equal(wt_net_add_address(&f->net, 0, &second, 24), 0);
	assert_non_null(wt_net_route(&f->net, &third)); /* another host's so far */
	assert_int_equal(wt_net_add_address(&f->net, 0, &third, 24), 0);
	assert_int_equal(wt_net_add_address(&f->net, 0, &third, 24), -EEXIST);
	assert_true(wt_net_source(&f->net, &friend, &src) && wt_addr_eq(&src, &second));
	src = (struct wt_addr){0};
	assert_true(wt_net_source(&f->net, &f->peer, &src) && wt_addr_eq(&src, &f->us));
	src = third; /* chosen */
	assert_true(wt_net_source(&f->net, &f->peer, &src) && wt_addr_eq(&src, &third));
	for (unsigned i = 0; i < 2; i++) {
		struct wt_ipv4 ip = {.protocol = WT_IP_TCP, .dst = i ? third : second};

		assert_int_equal(wt_net_input(&f->net, 0, 0, arriving(f, ip, 20, 0), &packet), WT_IP_IS_TCP);
		wt_books_take(&f->node, packet.frame);
	}
	expect_drop(f, arriving(f, (struct wt_ipv4){.src = third, .protocol = WT_IP_TCP}, 20, 0), WT_DROP_IP_SOURCE);
	assert_false(wt_net_route(&f->net, &second));
}

static void output_writes_both_headers_with_df_and_a_right_checksum(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame;
	struct wt_ipv4 ip;
	struct wt_eth eth;

	wt_neighbours_add(&f->net.neighbours, 0, &f->peer, &peer_mac);
	frame = wt_net_output(&f->net, 0, making(f, 100), &f->us, &f->peer, WT_IP_TCP, 2);
	assert_non_null(frame);
	assert_true(wt_eth_parse(wt_frame_own_bytes(frame), frame->len, &eth));
	assert_memory_equal(&eth.dst, &peer_mac, 6);
	assert_memory_equal(&eth.src, &our_mac, 6);
	assert_int_equal(eth.type, WT_ETH_IPV4);
	assert_int_equal(wt_ipv4_parse(wt_frame_own_bytes(frame) + 14, frame->len - 14, true, &ip), WT_IPV4_OK);
	assert_true(wt_addr_eq(&ip.src, &f->us) && wt_addr_eq(&ip.dst, &f->peer));
	assert_true(ip.dont_fragment && !ip.more_fragments && ip.frag_offset == 0);
	assert_true(ip.total_len == 120 && ip.ttl == 64 && ip.protocol == WT_IP_TCP && ip.tos == 2);
	f->node.audit.out++;
	wt_frame_free(frame);
}

static uint16_t id_towards(struct fixture *f, const struct wt_addr *dst)
{
	struct wt_frame *frame = wt_net_output(&f->net, 0, making(f, 0), &f->us, dst, WT_IP_TCP, 0);
	uint16_t id = wt_get16(wt_frame_own_bytes(frame) + 14 + 4);

	f->node.audit.out++;
	wt_frame_free(frame);
	return id;
}

static void identifications_count_per_destination_from_a_keyed_start(void **state)
{
	struct fixture *f = *state;
	struct wt_addr other = wt_addr_ipv4(10, 0, 0, 3);
	uint16_t first, second;

	wt_neighbours_add(&f->net.neighbours, 0, &f->peer, &peer_mac);
	wt_neighbours_add(&f->net.neighbours, 0, &other, &peer_mac);
	first = id_towards(f, &f->peer);
	second = id_towards(f, &other);
	assert_int_equal(id_towards(f, &f->peer), (uint16_t)(first + 1));
	assert_int_equal(id_towards(f, &other), (uint16_t)(second + 1));
	assert_int_not_equal(first, second);
	f->net.config.secret.k0 ^= 1;
	assert_int_not_equal(id_towards(f, &f->peer), (uint16_t)(first + 2));
}

static void what_cannot_be_routed_is_dropped_and_what_waits_comes_by_ready(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame;

	wt_net_send(&f->net, 0, making(f, 10), &f->us, &f->us, WT_IP_TCP, 0);
	assert_int_equal(f->node.audit.dropped[WT_DROP_UNROUTED], 1);
	wt_net_send(&f->net, 3 * WT_MS, making(f, 10), &f->us, &f->peer, WT_IP_TCP, 0);
	assert_int_equal(wt_net_deadline(&f->net), 3 * WT_MS); /* the request is ready */
	wt_frame_free(leaving(f));
	assert_int_equal(wt_net_deadline(&f->net), WT_S + 3 * WT_MS);
	wt_net_input(&f->net, 0, 4 * WT_MS, arriving_arp(f, (struct wt_arp){WT_ARP_REPLY, peer_mac, our_mac, f->peer, f->us}),
		    &(struct wt_ip_packet){0});
	frame = leaving(f);
	assert_int_equal(frame->len, WT_IP_PAYLOAD + 10);
	wt_frame_free(frame);
}

static void an_arp_broadcast_reaches_the_neighbours(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame = arriving_arp(f, (struct wt_arp){WT_ARP_REQUEST, peer_mac, {{0}}, f->peer, f->us});

	memset(wt_frame_own_bytes(frame), 0xff, 6);
	assert_int_equal(wt_net_input(&f->net, 0, 0, frame, &(struct wt_ip_packet){0}), WT_IP_DONE);
	wt_frame_free(leaving(f));
	assert_int_equal(f->node.audit.out, 1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_packet_for_us_is_sorted_by_protocol_and_stripped_of_padding),
		T(frames_for_others_and_foreign_protocols_are_dropped),
		T(broken_ip_headers_are_dropped_by_kind),
		T(a_broken_checksum_is_found_behind_a_packet_like_it),
		T(a_vouched_for_checksum_is_not_verified_again),
		T(sources_that_are_no_host_are_dropped),
		T(options_in_the_ip_header_are_skipped),
		T(the_next_hop_is_the_neighbour_on_link_else_the_gateway),
		T(the_longest_prefix_wins_and_of_equals_the_first),
		T(each_address_is_ours_and_the_source_is_one_of_the_next_hops_network),
		T(output_writes_both_headers_with_df_and_a_right_checksum),
		T(identifications_count_per_destination_from_a_keyed_start),
		T(what_cannot_be_routed_is_dropped_and_what_waits_comes_by_ready),
		T(an_arp_broadcast_reaches_the_neighbours),
	};

	return cmocka_run_group_tests_name("ip", tests, NULL, NULL);
}
