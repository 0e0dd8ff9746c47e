/* SPDX-License-Identifier: BSD-2-Clause */
/* A peer at 10.0.0.2 made of thin air: its segments reach the host 10.0.0.1 as if they came off a wire. */
#ifndef WT_TESTS_UNIT_HOST_FORGED_H
#define WT_TESTS_UNIT_HOST_FORGED_H

#include <string.h>

#include "stack/host/internal.h"
#include "stack/wire/ethernet.h"
#include "tests/unit/tcp/cmocka_head.h"

static const struct wt_mac our_mac = {{2, 0, 0, 0, 0, 1}}, peer_mac = {{2, 0, 0, 0, 0, 2}};

/* The entry of a half-open connection, or NULL. */
static inline struct wt_syn *half_open(struct wt_host *host, const struct wt_tuple *tuple)
{
	struct wt_demux_entry *entry = wt_demux_find(&host->tcp, tuple);

	return entry && entry->kind == WT_DEMUX_SYN ? (struct wt_syn *)entry : NULL;
}

/* The host at 10.0.0.1, which knows where the peer is. */
static inline struct wt_host_config victim_config(uint64_t seed)
{
	return (struct wt_host_config){
		.name = "victim",
		.mac = our_mac,
		.addr = wt_addr_ipv4(10, 0, 0, 1),
		.prefix_len = 24,
		.secret = wt_key_derive(seed, "secret"),
		.neighbours = {{wt_addr_ipv4(10, 0, 0, 2), peer_mac}},
	};
}

/* Gives a segment with `len` bytes of payload to the host's input(). */
static inline void forge_between(struct wt_host *host, struct wt_addr from, struct wt_addr to, wt_time now, struct wt_tcp_header *seg,
				 uint32_t len)
{
	struct wt_frame *frame = wt_frame_new(host->config.pool);
	bool ours = !memcmp(&host->config.mac, &our_mac, sizeof(our_mac));
	struct wt_eth eth = {host->config.mac, ours ? peer_mac : our_mac, WT_ETH_IPV4};
	uint32_t header = wt_tcp_emit_len(seg);
	struct wt_ipv4 ip = {
		.src = from,
		.dst = to,
		.total_len = (uint16_t)(20 + header + len),
		.ttl = 64,
		.protocol = WT_IP_TCP,
	};

	assert_non_null(frame);
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_ipv4_emit(wt_frame_own_bytes(frame) + 14, &ip);
	wt_tcp_emit(wt_frame_own_bytes(frame) + 34, seg);
	memset(wt_frame_own_bytes(frame) + 34 + header, 0x5a, len);
	frame->len = 34 + header + len;
	frame->csum = WT_CSUM_VALID;
	wt_host_node(host)->ops->input(wt_host_node(host), 0, now, frame);
}

static inline void forge_from(struct wt_host *host, struct wt_addr from, wt_time now, struct wt_tcp_header *seg, uint32_t len)
{
	forge_between(host, from, wt_addr_ipv4(10, 0, 0, 1), now, seg, len);
}

static inline void forge(struct wt_host *host, wt_time now, struct wt_tcp_header *seg, uint32_t len)
{
	forge_from(host, wt_addr_ipv4(10, 0, 0, 2), now, seg, len);
}

#endif
