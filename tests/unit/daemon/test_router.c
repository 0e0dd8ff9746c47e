/* SPDX-License-Identifier: BSD-2-Clause */
/* A router of the emulator, frame by frame: neighbours, forwarding, and what it says when there is none. */
#include "tests/unit/daemon/router_bench.h"

static void a_solicitation_of_its_addresses_is_answered(void **state)
{
	static const char *const targets[] = {"2001:db8:1::1", "fe80::77:74ff:fe10:700"};

	for (unsigned i = 0; i < 2; i++) {
		struct wt_addr target = at(targets[i]), asker = at("2001:db8:1::2");
		struct wt_mac mine = wt_router_mac(7, NET1);
		struct wt_ipv6 ip;
		struct wt_eth eth;
		struct wt_nd answer;

		put_in(NET1, 0, solicitation(targets[i]));
		answer = heard(0, NET1, &ip, &eth);
		assert_int_equal(answer.type, WT_ND_ADVERTISEMENT);
		assert_true(answer.router && answer.solicited && answer.override && answer.has_mac);
		assert_memory_equal(&answer.mac, &mine, 6);
		assert_memory_equal(&eth.dst, &host1, 6);
		assert_true(wt_addr_eq(&answer.target, &target) && wt_addr_eq(&ip.src, &target) && wt_addr_eq(&ip.dst, &asker));
	}
	put_in(NET1, 0, solicitation("2001:db8:2::1")); /* not at this port */
	put_in(NET1, 0, solicitation("2001:db8:1::9"));
	put_in(PEER, 0, solicitation("2001:db8:1::1"));
	nothing(0);
}

static void who_tries_an_address_of_its_own_is_told_by_a_group(void **state)
{
	struct wt_frame *frame = packet("::", "ff02::1:ff00:1", ICMP6, 255, 24);
	struct wt_addr target = at("2001:db8:1::1"), all = at("ff02::1");
	struct wt_ipv6 ip;
	struct wt_eth eth;
	struct wt_nd answer;

	memset(wt_frame_own_bytes(frame) + UPPER, 0, 24);
	wt_frame_own_bytes(frame)[UPPER] = WT_ND_SOLICITATION;
	memcpy(wt_frame_own_bytes(frame) + UPPER + 8, target.bytes, 16);
	sum(frame);
	put_in(NET1, 0, frame);
	answer = heard(0, NET1, &ip, &eth);
	assert_false(answer.solicited);
	assert_true(wt_addr_eq(&ip.dst, &all));
	assert_memory_equal(&eth.dst, "\x33\x33\0\0\0\1", 6);
}

static void packets_wait_until_the_neighbour_has_answered(void **state)
{
	struct wt_addr group = at("ff02::1:ff00:2"), target = at("2001:db8:2::2"), mine = at("fe80::77:74ff:fe10:701");
	struct wt_ipv6 ip;
	struct wt_eth eth;
	struct wt_nd question;
	unsigned port;

	introduce(0);
	for (unsigned i = 0; i < 3; i++) {
		struct wt_frame *frame = packet("2001:db8:1::2", "2001:db8:2::2", UDP, 64, 20 + i);

		put_in(NET1, i, frame);
	}
	question = heard(2, NET2, &ip, &eth);
	assert_int_equal(question.type, WT_ND_SOLICITATION);
	assert_true(wt_addr_eq(&question.target, &target) && wt_addr_eq(&ip.dst, &group) && wt_addr_eq(&ip.src, &mine));
	assert_memory_equal(&eth.dst, "\x33\x33\xff\0\0\2", 6);
	nothing(2);
	assert_int_equal(router->ops->deadline(router), WT_S);
	host2_answers(3, true, true, &host2);
	for (unsigned i = 0; i < 3; i++) {
		struct wt_frame *frame = take(3, &port);

		assert_non_null(frame);
		assert_int_equal(port, NET2);
		assert_memory_equal(wt_frame_own_bytes(frame), &host2, 6);
		assert_int_equal(frame->len, UPPER + 20 + i);
		assert_int_equal(wt_frame_own_bytes(frame)[IP + 7], 63);
		wt_frame_free(frame);
	}
	assert_int_equal(router->ops->deadline(router), WT_NEVER);
	put_in(NET1, 4, packet("2001:db8:1::2", "2001:db8:3:4::5", UDP, 64, 20)); /* a peer needs no question */
	wt_frame_free(take(4, &port));
	assert_int_equal(port, PEER);
}

static void who_does_not_answer_is_asked_three_times_and_then_its_senders_told(void **state)
{
	struct wt_ipv6 ip;
	struct wt_eth eth;

	introduce(0);
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:2::9", UDP, 64, 20));
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:2::9", UDP, 64, 20));
	for (unsigned i = 0; i < 3; i++) {
		heard(i * WT_S, NET2, &ip, &eth);
		nothing(i * WT_S);
		assert_int_equal(router->ops->deadline(router), (i + 1) * WT_S);
	}
	complaint(3 * WT_S, 1, 3, "2001:db8:1::1");
	complaint(3 * WT_S, 1, 3, "2001:db8:1::1");
	nothing(3 * WT_S);
	assert_int_equal(router->audit.dropped[WT_DROP_NEIGHBOUR], 2);
	assert_int_equal(router->ops->deadline(router), WT_NEVER);
}

static void an_ipv4_host_that_does_not_answer_is_told_of_too(void **state)
{
	struct wt_frame *frame = packet_ipv4("10.0.1.2", "10.0.2.9", &host1);
	unsigned port;

	put_in(NET1, 0, frame);
	for (unsigned i = 0; i < 3; i++)
		wt_frame_free(take(i * WT_S, &port)); /* ARP */
	frame = take(3 * WT_S, &port);
	assert_int_equal(port, NET1);
	assert_int_equal(wt_get32(wt_frame_own_bytes(frame) + IP + 12), 0x0a000101);
	assert_int_equal(wt_frame_own_bytes(frame)[IP + 20], 3);
	assert_int_equal(wt_frame_own_bytes(frame)[IP + 21], 1);
	wt_frame_free(frame);
}

static void what_is_sent_to_a_broadcast_address_of_a_network_goes_no_further_and_nobody_is_told(void **state)
{
	struct wt_frame *last = packet_ipv4("10.0.1.2", "10.0.2.255", &host1);

	put_in(NET1, 0, packet_ipv4("10.0.1.2", "10.0.2.255", &host1));
	put_in(NET1, 0, packet_ipv4("10.0.1.2", "10.0.1.255", &host1));
	put_in(NET1, 0, packet_ipv4("10.0.1.2", "127.0.0.1", &host1));
	put_in(NET1, 0, packet_ipv4("10.0.1.2", "224.0.1.1", &host1));
	wt_frame_own_bytes(last)[IP + 8] = 1; /* the TTL does not matter either */
	wt_packet_ipv4_checksum(wt_frame_own_bytes(last) + IP);
	put_in(NET1, 0, last);
	nothing(0);
	nothing(10 * WT_S);
	assert_int_equal(router->audit.dropped[WT_DROP_UNROUTED], 5);
}

static void an_advertisement_is_believed_as_far_as_it_was_asked_for(void **state)
{
	static const struct {
		bool solicited, override;
		const struct wt_mac *mac, *then;
	} rounds[] = {{true, false, &other, &host2}, {false, false, &other, &host2}, {false, true, &other, &other}, {true, true, &host2, &host2}};
	struct wt_mac many = {{3, 0, 0, 0, 0, 3}};
	struct wt_ipv6 ip;
	struct wt_eth eth;
	unsigned port;

	introduce(0);
	host2_answers(0, true, true, &other); /* nobody had asked */
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:2::2", UDP, 64, 20));
	heard(0, NET2, &ip, &eth);
	host2_answers(0, true, true, &many); /* no host is a group */
	nothing(0);
	host2_answers(0, true, true, &host2);
	wt_frame_free(take(0, &port));
	for (unsigned i = 0; i < 4; i++) {
		struct wt_frame *frame;

		host2_answers(i, rounds[i].solicited, rounds[i].override, rounds[i].mac);
		put_in(NET1, i, packet("2001:db8:1::2", "2001:db8:2::2", UDP, 64, 20));
		frame = take(i, &port);
		assert_memory_equal(wt_frame_own_bytes(frame), rounds[i].then, 6);
		wt_frame_free(frame);
	}
}

static void a_neighbour_long_not_heard_of_is_asked_again_and_forgotten_if_silent(void **state)
{
	wt_time now = 31 * WT_S;
	struct wt_ipv6 ip;
	struct wt_eth eth;
	unsigned port;

	introduce(0);
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:2::2", UDP, 64, 20));
	heard(0, NET2, &ip, &eth);
	host2_answers(0, true, true, &host2);
	wt_frame_free(take(0, &port));
	for (unsigned i = 0; i < 3; i++) { /* it is sent to meanwhile */
		put_in(NET1, now + i * WT_S, packet("2001:db8:1::2", "2001:db8:2::2", UDP, 64, 20));
		wt_frame_free(take(now + i * WT_S, &port));
		heard(now + i * WT_S, NET2, &ip, &eth);
		assert_memory_equal(&eth.dst, &host2, 6);
	}
	nothing(now + 3 * WT_S);
	put_in(NET1, now + 3 * WT_S, packet("2001:db8:1::2", "2001:db8:2::2", UDP, 64, 20));
	heard(now + 3 * WT_S, NET2, &ip, &eth);
	assert_memory_equal(&eth.dst, "\x33\x33\xff\0\0\2", 6);
	nothing(now + 3 * WT_S);
}

static void packets_that_go_no_further_are_told_why(void **state)
{
	introduce(0);
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:3::2", UDP, 1, 20));
	complaint(0, 3, 0, "2001:db8:1::1");
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:3::2", UDP, 0, 20));
	complaint(0, 3, 0, "2001:db8:1::1");
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:4::2", UDP, 64, 20));
	complaint(0, 1, 0, "2001:db8:1::1");
	assert_int_equal(router->audit.dropped[WT_DROP_TTL], 2);
	assert_int_equal(router->audit.dropped[WT_DROP_UNROUTED], 1);
	for (unsigned i = 0; i < 200; i++) {
		unsigned port;

		put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:4::2", UDP, 64, 20));
		wt_frame_free(take(0, &port));
	}
	assert_int_equal(router->audit.withheld, 103);
}

static void what_no_router_passes_on_it_does_not(void **state)
{
	static const struct {
		const char *src, *dst;
		enum wt_drop cause;
	} cases[] = {
		{"fe80::1", "2001:db8:3::2", WT_DROP_NOT_OURS}, {"2001:db8:1::2", "fe80::9", WT_DROP_NOT_OURS},
		{"::", "2001:db8:3::2", WT_DROP_NOT_OURS}, {"::1", "2001:db8:3::2", WT_DROP_IP_SOURCE},
		{"ff02::5", "2001:db8:3::2", WT_DROP_IP_SOURCE}, {"2001:db8:1::2", "::1", WT_DROP_NOT_OURS},
	};
	struct wt_frame *frame;

	introduce(0);
	for (unsigned i = 0; i < 6; i++) {
		uint64_t before = router->audit.dropped[cases[i].cause];

		put_in(NET1, 0, packet(cases[i].src, cases[i].dst, UDP, 64, 20));
		assert_int_equal(router->audit.dropped[cases[i].cause], before + 1);
	}
	frame = packet("2001:db8:1::2", "2001:db8:3::2", UDP, 64, 20);
	memcpy(wt_frame_own_bytes(frame), "\x33\x33\0\0\0\1", 6);
	put_in(NET1, 0, frame);
	frame = packet("2001:db8:1::2", "2001:db8:3::2", UDP, 64, 20);
	wt_frame_own_bytes(frame)[IP + 5] = 200; /* more than there is */
	put_in(NET1, 0, frame);
	put_in(NET1, 0, packet("2001:db8:1::2", "ff0e::5", UDP, 64, 20));
	assert_int_equal(router->audit.dropped[WT_DROP_IP_HEADER], 1);
	nothing(0);
}

/* What a stage of a link says in the router's name about a large packet that left by `by` comes back by it, and out to who sent that. */
static void a_link_answers(struct wt_node *link, const char *dst, unsigned by, uint8_t type)
{
	bool ipv4 = at(dst).family == WT_FAMILY_IPV4;
	struct wt_frame *frame = ipv4 ? packet_ipv4("10.0.1.2", dst, &host1) : packet("2001:db8:1::2", dst, UDP, 64, 1452);
	unsigned port = 99;

	if (ipv4) {
		frame->len = IP + 1500;
		wt_put16(wt_frame_own_bytes(frame) + IP + 2, 1500);
		wt_put16(wt_frame_own_bytes(frame) + IP + 6, 0x4000);
		wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + IP);
	}
	put_in(NET1, 0, frame);
	frame = take(0, &port);
	assert_non_null(frame);
	assert_int_equal(port, by);
	link->ops->input(link, 0, 0, frame);
	frame = link->ops->output(link, 0, &port);
	assert_non_null(frame);
	assert_int_equal(port, 0);
	put_in(by, 0, frame);
	frame = take(0, &port);
	assert_non_null(frame);
	assert_int_equal(port, NET1);
	assert_int_equal(wt_frame_own_bytes(frame)[ipv4 ? IP + 20 : UPPER], type);
	wt_frame_free(frame);
	nothing(0);
}

static void the_stages_of_a_link_may_answer_from_the_routers_own_addresses_and_no_host_may(void **state)
{
	const struct wt_sources ours = {at("10.0.2.1"), at("2001:db8:2::1")};
	const struct wt_outage out = {0, WT_S, 0, .drop = 1, .unreachable = true, .from = ours};
	const struct {
		struct wt_node *link;
		uint8_t type, type6;
	} stages[] = {
		{wt_mtu_create("x.fwd.mtu", &(struct wt_mtu_config){.mtu = 1400, .from = ours}), 3, 2},
		{wt_hops_create("x.fwd.hops", &(struct wt_hops_config){.hops = 100, .from = ours}), 11, 3},
		{wt_outage_create("x.fwd.outage", NULL, &out, 1), 3, 1},
	};
	struct wt_addr far = at("10.0.3.0");

	introduce(0);
	wt_router_add_route(router, &far, 24, PEER);
	put_in(NET2, 0, packet_ipv4("10.0.2.2", "10.0.2.1", &host2)); /* both are known */
	put_in(NET1, 0, packet_ipv4("10.0.1.2", "10.0.2.1", &host1));
	for (unsigned i = 0; i < 3; i++) {
		a_link_answers(stages[i].link, "10.0.3.2", PEER, stages[i].type);
		a_link_answers(stages[i].link, "10.0.2.2", NET2, stages[i].type);
		a_link_answers(stages[i].link, "2001:db8:3::2", PEER, stages[i].type6);
		stages[i].link->ops->destroy(stages[i].link);
	}
	for (unsigned port = 0; port < PORTS; port++) {
		put_in(port, 0, packet("2001:db8:1::1", "2001:db8:1::2", UDP, 64, 20));
		put_in(port, 0, packet_ipv4("10.0.2.1", "10.0.1.2", &host1));
	}
	assert_int_equal(router->audit.dropped[WT_DROP_IP_SOURCE], 2 * PORTS);
	nothing(0);
}

/* A link that is out says so in the name of the host behind it. */
static void who_is_answered_for_has_not_been_heard_of(void **state)
{
	struct wt_frame *frame = packet_ipv4("10.0.2.2", "10.0.1.2", &host2);
	unsigned port = 99;

	frame->from_path = 1;
	put_in(NET2, 0, frame);
	wt_frame_free(take(0, &port)); /* who has 10.0.1.2 */
	put_in(NET1, 0, packet_ipv4("10.0.1.2", "10.0.2.2", &host1));
	wt_frame_free(take(0, &port)); /* the packet that waited for it */
	assert_int_equal(port, NET1);
	frame = take(0, &port);
	assert_non_null(frame);
	assert_int_equal(port, NET2);
	assert_int_equal(wt_get16(wt_frame_own_bytes(frame) + 12), WT_ETH_ARP);
	wt_frame_free(frame);
	nothing(0);
}

static void pings_to_its_addresses_are_answered_and_broken_ones_not(void **state)
{
	static const char *const targets[] = {"2001:db8:1::1", "2001:db8:2::1", "fe80::77:74ff:fe10:700"};
	struct wt_frame *frame;
	unsigned port;

	introduce(0);
	for (unsigned i = 0; i < 3; i++) {
		struct wt_addr target = at(targets[i]);

		put_in(NET1, 0, ping("2001:db8:1::2", targets[i]));
		frame = take(0, &port);
		assert_non_null(frame);
		assert_int_equal(port, NET1);
		assert_int_equal(wt_frame_own_bytes(frame)[UPPER], 129);
		assert_memory_equal(wt_frame_own_bytes(frame) + IP + 8, target.bytes, 16);
		assert_int_equal(wt_csum_fold(wt_csum_add(wt_csum_pseudo(&(struct wt_addr){WT_FAMILY_IPV6}, &(struct wt_addr){WT_FAMILY_IPV6},
								 ICMP6, 40) + wt_csum_add(0, wt_frame_own_bytes(frame) + IP + 8, 32),
						  wt_frame_own_bytes(frame) + UPPER, 40)), 0);
		wt_frame_free(frame);
	}
	frame = ping("2001:db8:1::2", "2001:db8:1::1");
	wt_frame_own_bytes(frame)[UPPER + 20] ^= 1;
	put_in(NET1, 0, frame);
	assert_int_equal(router->audit.dropped[WT_DROP_ICMP], 1);
	put_in(NET1, 0, ping("2001:db8:1::2", "ff02::1"));
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:1::1", UDP, 64, 20));
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:1::1", 60, 64, 4)); /* a header cut off */
	nothing(0);
}

/* A datagram that holds, in a packet of either family whose upper layer begins at `upper`. */
static struct wt_frame *fill_udp(struct wt_frame *frame, unsigned upper, const char *src, const char *dst)
{
	struct wt_addr from = at(src), to = at(dst);
	uint8_t *udp = wt_frame_own_bytes(frame) + upper;
	uint32_t len = frame->len - upper;

	wt_put32(udp, 40000u << 16 | 33434);
	wt_put16(udp + 4, (uint16_t)len);
	wt_put16(udp + 6, 0);
	wt_put16(udp + 6, wt_csum_fold(wt_csum_add(wt_csum_pseudo(&from, &to, UDP, len), udp, len)));
	return frame;
}

static struct wt_frame *datagram(const char *src, const char *dst)
{
	return fill_udp(packet(src, dst, UDP, 1, 20), UPPER, src, dst);
}

static struct wt_frame *datagram_ipv4(const char *src, const char *dst)
{
	struct wt_frame *frame = packet_ipv4(src, dst, &host1);

	wt_frame_own_bytes(frame)[IP + 8] = 1; /* where a traceroute ends */
	wt_frame_own_bytes(frame)[IP + 9] = UDP;
	wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + IP);
	return fill_udp(frame, IP + 20, src, dst);
}

static void datagrams_to_its_addresses_come_to_no_port_and_that_is_told(void **state)
{
	static const char *const targets[] = {"2001:db8:1::1", "2001:db8:2::1", "fe80::77:74ff:fe10:700"};
	struct wt_frame *frame;

	introduce(0);
	for (unsigned i = 0; i < 3; i++) {
		put_in(NET1, 0, datagram("2001:db8:1::2", targets[i]));
		complaint(0, 1, 4, targets[i]);
	}
	put_in(NET1, 0, nd("fe80::2", "ff02::1:ff00:1", (struct wt_nd){.type = WT_ND_SOLICITATION, .target = at(targets[0]), .mac = host1}));
	wt_frame_free(take(0, &(unsigned){0}));
	put_in(NET1, 0, datagram("fe80::2", targets[2]));
	complaint(0, 1, 4, targets[2]);
	put_in(NET1, 0, datagram("2001:db8:1::2", "ff02::1"));
	put_in(NET1, 0, packet("2001:db8:1::2", targets[0], UDP, 64, 7));
	for (unsigned i = 0; i < 3; i++) { /* a byte is wrong, the checksum is missing, the length is too much */
		frame = datagram("2001:db8:1::2", targets[0]);
		wt_frame_own_bytes(frame)[UPPER + 12] ^= i == 0;
		if (i == 1)
			wt_put16(wt_frame_own_bytes(frame) + UPPER + 6, 0);
		if (i == 2)
			wt_put16(wt_frame_own_bytes(frame) + UPPER + 4, 21);
		put_in(NET1, 0, frame);
	}
	put_in(NET1, 0, packet("2001:db8:1::2", targets[0], 6, 64, 20)); /* no TCP here */
	nothing(0);
}

static void and_so_it_is_of_ipv4_where_the_checksum_may_be_left_out(void **state)
{
	static const char *const targets[] = {"10.0.1.1", "10.0.2.1"};
	struct wt_frame *frame;
	unsigned port;

	for (unsigned i = 0; i < 4; i++) {
		struct wt_addr target = at(targets[i % 2]);

		frame = datagram_ipv4("10.0.1.2", targets[i % 2]);
		if (i > 1)
			wt_put16(wt_frame_own_bytes(frame) + IP + 26, 0);
		put_in(NET1, 0, frame);
		frame = take(0, &port);
		assert_non_null(frame);
		assert_int_equal(port, NET1);
		assert_memory_equal(wt_frame_own_bytes(frame) + IP + 12, target.bytes, 4);
		assert_int_equal(wt_frame_own_bytes(frame)[IP + 20], 3);
		assert_int_equal(wt_frame_own_bytes(frame)[IP + 21], 3);
		assert_int_equal(frame->len, IP + 20 + 8 + 28);
		assert_int_equal(wt_get32(wt_frame_own_bytes(frame) + IP + 48), 40000u << 16 | 33434); /* the ports, for whoever sent it */
		assert_true(bench_header_holds(frame));
		assert_int_equal(wt_csum_fold(wt_csum_add(0, wt_frame_own_bytes(frame) + IP + 20, 36)), 0);
		wt_frame_free(frame);
	}
	frame = datagram_ipv4("10.0.1.2", targets[0]);
	wt_frame_own_bytes(frame)[IP + 30] ^= 1;
	put_in(NET1, 0, frame);
	frame = datagram_ipv4("10.0.1.2", targets[0]);
	wt_put16(wt_frame_own_bytes(frame) + IP + 6, 0x2000); /* a fragment: nobody puts them together */
	wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + IP);
	put_in(NET1, 0, frame);
	put_in(NET1, 0, datagram_ipv4("10.0.7.7", targets[0])); /* no way back */
	nothing(0);
}

static void its_answers_are_as_many_as_it_was_told(void **state)
{
	struct wt_refusal_rate rate;
	unsigned port, answers = 0;
	char err[200];

	assert_int_equal(wt_refusal_rate_parse("4/s burst 3", &rate, err, sizeof(err)), 0);
	wt_router_limit_answers(router, &rate);
	introduce(0);
	for (unsigned i = 0; i < 20; i++) {
		struct wt_frame *frame;

		put_in(NET1, i * 50 * WT_MS, datagram("2001:db8:1::2", "2001:db8:1::1"));
		frame = take(i * 50 * WT_MS, &port);
		answers += frame != NULL;
		wt_frame_free(frame);
	}
	assert_int_equal(answers, 3 + 3); /* and at 0.25, 0.5 and 0.75 s */
	assert_int_equal(router->audit.withheld, 14);
}

static void a_router_of_ipv4_does_not_speak_ipv6(void **state)
{
	const struct wt_addr none[WT_FAMILIES] = {0};
	struct wt_addr address = at("10.0.1.1");

	router->ops->destroy(router);
	router = wt_router_create("r", 7, PORTS, none, bench_pool);
	wt_router_set_network(router, NET1, &address, 24);
	put_in(NET1, 0, solicitation("2001:db8:1::1"));
	put_in(NET1, 0, packet("2001:db8:1::2", "2001:db8:3::2", UDP, 1, 20));
	assert_int_equal(router->audit.dropped[WT_DROP_PROTOCOL], 2);
	nothing(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_solicitation_of_its_addresses_is_answered),
		T(who_tries_an_address_of_its_own_is_told_by_a_group),
		T(packets_wait_until_the_neighbour_has_answered),
		T(who_does_not_answer_is_asked_three_times_and_then_its_senders_told),
		T(an_ipv4_host_that_does_not_answer_is_told_of_too),
		T(what_is_sent_to_a_broadcast_address_of_a_network_goes_no_further_and_nobody_is_told),
		T(an_advertisement_is_believed_as_far_as_it_was_asked_for),
		T(a_neighbour_long_not_heard_of_is_asked_again_and_forgotten_if_silent),
		T(packets_that_go_no_further_are_told_why),
		T(what_no_router_passes_on_it_does_not),
		T(the_stages_of_a_link_may_answer_from_the_routers_own_addresses_and_no_host_may),
		T(who_is_answered_for_has_not_been_heard_of),
		T(pings_to_its_addresses_are_answered_and_broken_ones_not),
		T(datagrams_to_its_addresses_come_to_no_port_and_that_is_told),
		T(and_so_it_is_of_ipv4_where_the_checksum_may_be_left_out),
		T(its_answers_are_as_many_as_it_was_told),
		T(a_router_of_ipv4_does_not_speak_ipv6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
