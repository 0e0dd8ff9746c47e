/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of routers share: a router between two networks and a peer, and what hosts there send and hear. */
#ifndef WT_TESTS_EMU_ROUTER_BENCH_H
#define WT_TESTS_EMU_ROUTER_BENCH_H

#include "emu/router/router.h"
#include "tests/unit/emu/queue_bench.h"
#include "stack/wire/arp.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/nd.h"

enum { IP = 14, UPPER = 54, UDP = 17, ICMP6 = 58, PORTS = 3, NET1 = 0, NET2 = 1, PEER = 2 };

static struct wt_node *router;
static const struct wt_mac host1 = {{2, 0, 0, 0, 0, 1}}, host2 = {{2, 0, 0, 0, 0, 2}}, other = {{2, 0, 0, 0, 0, 3}};

static inline struct wt_addr at(const char *text)
{
	struct wt_addr addr;

	assert_true(wt_addr_parse(text, &addr));
	return addr;
}

static inline int setup(void **state)
{
	const struct wt_addr none[WT_FAMILIES] = {0};
	struct wt_addr address;

	bench_setup(state);
	router = wt_router_create("r", 7, PORTS, none, bench_pool);
	for (unsigned i = 0; i < 2; i++) {
		wt_router_set_network(router, i, (address = at(i ? "10.0.2.1" : "10.0.1.1"), &address), 24);
		wt_router_set_network(router, i, (address = at(i ? "2001:db8:2::1" : "2001:db8:1::1"), &address), 64);
	}
	wt_router_set_peer(router, PEER, &other);
	wt_router_add_route(router, (address = at("2001:db8:3::"), &address), 48, PEER);
	return 0;
}

static inline int teardown(void **state)
{
	router->ops->destroy(router);
	return bench_teardown(state);
}

static inline struct wt_frame *packet(const char *src, const char *dst, uint8_t protocol, uint8_t hop_limit, uint32_t len)
{
	struct wt_frame *frame = bench_frame(WT_ETH_IPV6, protocol, UPPER + len, 0);
	struct wt_ipv6 ip = {.src = at(src), .dst = at(dst), .payload_len = (uint16_t)len, .next_header = protocol, .hop_limit = hop_limit};
	struct wt_eth eth = {.dst = wt_router_mac(7, NET1), .src = host1, .type = WT_ETH_IPV6};

	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_ipv6_emit(wt_frame_own_bytes(frame) + IP, &ip);
	return frame;
}

static inline void sum(struct wt_frame *frame)
{
	struct wt_addr src = wt_addr_ipv6(wt_frame_own_bytes(frame) + IP + 8), dst = wt_addr_ipv6(wt_frame_own_bytes(frame) + IP + 24);
	uint32_t len = frame->len - UPPER;

	wt_put16(wt_frame_own_bytes(frame) + UPPER + 2, 0);
	wt_put16(wt_frame_own_bytes(frame) + UPPER + 2,
		 wt_csum_fold(wt_csum_add(wt_csum_pseudo(&src, &dst, ICMP6, len), wt_frame_own_bytes(frame) + UPPER, len)));
}

static inline struct wt_frame *ping(const char *src, const char *dst)
{
	struct wt_frame *frame = packet(src, dst, ICMP6, 64, 40);

	wt_frame_own_bytes(frame)[UPPER] = 128;
	sum(frame);
	return frame;
}

/* A solicitation or advertisement from a host at NET1 or NET2. */
static inline struct wt_frame *nd(const char *src, const char *dst, struct wt_nd message)
{
	struct wt_frame *frame = packet(src, dst, ICMP6, 255, WT_ND_LEN);
	struct wt_addr from = at(src), to = at(dst);

	wt_nd_emit(wt_frame_own_bytes(frame) + UPPER, &from, &to, &message);
	return frame;
}

static inline struct wt_frame *solicitation(const char *target)
{
	return nd("2001:db8:1::2", "ff02::1:ff00:1", (struct wt_nd){.type = WT_ND_SOLICITATION, .target = at(target), .mac = host1});
}

static inline void put_in(unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_mac mac = wt_router_mac(7, port);

	if (!(wt_frame_own_bytes(frame)[0] & 1))
		memcpy(wt_frame_own_bytes(frame), &mac, sizeof(mac));
	router->ops->input(router, port, now, frame);
	assert_true(wt_audit_holds(&router->audit));
}

/* The next frame, or NULL; its port in *port. */
static inline struct wt_frame *take(wt_time now, unsigned *port)
{
	struct wt_frame *frame = router->ops->output(router, now, port);

	assert_true(wt_audit_holds(&router->audit));
	assert_true(frame || router->ops->deadline(router) > now);
	return frame;
}

static inline void nothing(wt_time now)
{
	unsigned port;

	assert_null(take(now, &port));
}

/* Takes a message of neighbour discovery that leaves by `port`. */
static inline struct wt_nd heard(wt_time now, unsigned port, struct wt_ipv6 *ip, struct wt_eth *eth)
{
	unsigned by = 99;
	struct wt_frame *frame = take(now, &by);
	struct wt_nd message;

	assert_non_null(frame);
	assert_int_equal(by, port);
	assert_true(wt_eth_parse(wt_frame_own_bytes(frame), frame->len, eth));
	assert_true(wt_ipv6_parse(wt_frame_own_bytes(frame) + IP, frame->len - IP, ip));
	assert_int_equal(ip->payload_len, frame->len - UPPER);
	assert_true(wt_nd_parse(ip, wt_frame_own_bytes(frame) + UPPER, ip->payload_len, &message));
	wt_frame_free(frame);
	return message;
}

/* Takes an ICMPv6 error about a packet from host 1. */
static inline void complaint(wt_time now, uint8_t type, uint8_t code, const char *from)
{
	unsigned port = 99;
	struct wt_frame *frame = take(now, &port);
	struct wt_ipv6 ip;
	struct wt_addr source = at(from);

	assert_non_null(frame);
	assert_int_equal(port, NET1);
	assert_memory_equal(wt_frame_own_bytes(frame), &host1, 6);
	assert_true(wt_ipv6_parse(wt_frame_own_bytes(frame) + IP, frame->len - IP, &ip));
	assert_true(wt_addr_eq(&ip.src, &source));
	assert_int_equal(wt_frame_own_bytes(frame)[UPPER], type);
	assert_int_equal(wt_frame_own_bytes(frame)[UPPER + 1], code);
	assert_int_equal(wt_csum_fold(wt_csum_add(wt_csum_pseudo(&ip.src, &ip.dst, ICMP6, ip.payload_len), wt_frame_own_bytes(frame) + UPPER,
						  ip.payload_len)), 0);
	wt_frame_free(frame);
}

/* Host 1 becomes known: it asks for the gateway. */
static inline void introduce(wt_time now)
{
	unsigned port;

	put_in(NET1, now, solicitation("2001:db8:1::1"));
	wt_frame_free(take(now, &port));
}

static inline void host2_answers(wt_time now, bool solicited, bool override, const struct wt_mac *mac)
{
	put_in(NET2, now, nd("2001:db8:2::2", solicited ? "fe80::77:74ff:fe10:701" : "ff02::1",
			     (struct wt_nd){.type = WT_ND_ADVERTISEMENT, .solicited = solicited, .override = override,
					    .target = at("2001:db8:2::2"), .mac = *mac}));
}

static inline struct wt_frame *packet_ipv4(const char *src, const char *dst, const struct wt_mac *mac)
{
	struct wt_addr from = at(src), to = at(dst);
	struct wt_frame *frame = bench_packet(100, 0, 0, 80);

	memcpy(wt_frame_own_bytes(frame) + 6, mac, 6);
	memcpy(wt_frame_own_bytes(frame) + 26, from.bytes, 4);
	memcpy(wt_frame_own_bytes(frame) + 30, to.bytes, 4);
	wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + IP);
	return frame;
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
