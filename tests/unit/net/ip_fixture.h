/* SPDX-License-Identifier: BSD-2-Clause */
/* A host's IP layer on its own, and packets for it. */
#ifndef WT_TESTS_UNIT_IP_FIXTURE_H
#define WT_TESTS_UNIT_IP_FIXTURE_H

#include "tests/unit/unit.h"

#include "stack/base/bytes.h"
#include "stack/net/books.h"
#include "stack/net/icmp.h"
#include "stack/net/net.h"
#include "stack/wire/arp.h"
#include "stack/wire/checksum.h"
#include "stack/wire/icmp.h"

#define POOL_FRAMES 128
#define POOL_ROOM 4096

static const struct wt_mac our_mac = {{2, 0, 0, 0, 0, 1}}, peer_mac = {{2, 0, 0, 0, 0, 2}};

struct fixture {
	struct wt_node node;
	struct wt_pool *pool;
	struct wt_net net;
	struct wt_addr us, peer;
};

/* One interface with our address and, if asked for, a gateway. */
static inline void configure(struct fixture *f, unsigned prefix, bool gateway)
{
	static const struct wt_addr everywhere = {.family = WT_FAMILY_IPV4};
	const struct wt_net_config config = {.interfaces = 1, .reassembles = true, .rate = {WT_ICMP_BURST, WT_ICMP_INTERVAL}, .quote = 548,
					     .secret = {1, 2}, .node = &f->node, .pool = f->pool};

	assert_int_equal(wt_net_init(&f->net, &config), 0);
	wt_net_set_mac(&f->net, 0, &our_mac, 1500);
	assert_int_equal(wt_net_add_address(&f->net, 0, &f->us, prefix), 0);
	if (gateway)
		assert_int_equal(wt_net_add_route(&f->net, &everywhere, 0, 0, &(struct wt_addr){WT_FAMILY_IPV4, {10, 0, 0, 254}}), 0);
}

static inline int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	f.pool = wt_pool_create(POOL_FRAMES, POOL_ROOM);
	f.us = wt_addr_ipv4(10, 0, 0, 1);
	f.peer = wt_addr_ipv4(10, 0, 0, 2);
	configure(&f, 24, true);
	*state = &f;
	return 0;
}

/* Whatever a test did: the books are right and no frame is lost. */
static inline int teardown(void **state)
{
	struct fixture *f = *state;
	int rc = wt_audit_holds(&f->node.audit) ? 0 : -1;

	if (wt_pool_free_count(f->pool) + f->node.audit.queued != POOL_FRAMES)
		rc = -1;
	wt_net_finish(&f->net);
	if (wt_pool_free_count(f->pool) != POOL_FRAMES)
		rc = -1;
	wt_pool_destroy(f->pool);
	return rc;
}

/* An arriving frame from the peer to us: `len` bytes of payload counting up from `first`. */
static inline struct wt_frame *arriving(struct fixture *f, struct wt_ipv4 ip, uint32_t len, uint8_t first)
{
	struct wt_frame *frame = wt_frame_new(f->pool);
	struct wt_eth eth = {our_mac, peer_mac, WT_ETH_IPV4};

	assert_non_null(frame);
	f->node.audit.in++;
	ip.total_len = (uint16_t)(WT_IPV4_HEADER + len);
	ip.ttl = 64;
	if (ip.src.family == WT_FAMILY_NONE)
		ip.src = f->peer;
	if (ip.dst.family == WT_FAMILY_NONE)
		ip.dst = f->us;
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_ipv4_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &ip);
	for (uint32_t i = 0; i < len; i++)
		wt_frame_own_bytes(frame)[WT_IP_PAYLOAD + i] = (uint8_t)(first + i);
	frame->len = WT_IP_PAYLOAD + len;
	return frame;
}

static inline struct wt_frame *arriving_arp(struct fixture *f, struct wt_arp arp)
{
	struct wt_frame *frame = wt_frame_new(f->pool);
	struct wt_eth eth = {our_mac, arp.sender_mac, WT_ETH_ARP};

	assert_non_null(frame);
	f->node.audit.in++;
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_arp_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &arp);
	frame->len = WT_ETH_HEADER + WT_ARP_LEN;
	return frame;
}

/* The next frame that is ready, counted out; to be freed by wt_frame_free(). */
static inline struct wt_frame *leaving(struct fixture *f)
{
	struct wt_frame *frame = wt_books_release(&f->node, &f->net.ready);

	if (frame)
		f->node.audit.out++;
	return frame;
}

/* A frame of ours with `len` bytes of payload. */
static inline struct wt_frame *making(struct fixture *f, uint32_t len)
{
	struct wt_frame *frame = wt_books_make(&f->node, f->pool, 0);

	assert_non_null(frame);
	frame->len = WT_IP_PAYLOAD + len;
	memset(wt_frame_own_bytes(frame), 0, frame->len);
	return frame;
}

#endif
