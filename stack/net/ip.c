/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/ip.h"

#include "stack/base/bytes.h"
#include "stack/net/books.h"

void wt_ip_init(struct wt_ip *ip, const struct wt_ip_config *config)
{
	memset(ip, 0, sizeof(*ip));
	ip->config = *config;
	ip->icmp_tokens = WT_ICMP_BURST;
	wt_neighbours_init(&ip->neighbours, config->node, config->pool, &ip->ready, &config->mac, &config->addr);
	wt_fragments_init(&ip->fragments, config->node, config->pool);
}

void wt_ip_finish(struct wt_ip *ip)
{
	wt_frame_queue_clear(&ip->ready);
	wt_neighbours_finish(&ip->neighbours);
	wt_fragments_finish(&ip->fragments);
}

/* ---- addresses ---------------------------------------------------------------------------------------- */

static uint32_t netmask(const struct wt_ip *ip)
{
	return ip->config.prefix_len ? UINT32_MAX << (32 - ip->config.prefix_len) : 0;
}

static bool on_link(const struct wt_ip *ip, const struct wt_addr *addr)
{
	return ((wt_get32(addr->bytes) ^ wt_get32(ip->config.addr.bytes)) & netmask(ip)) == 0;
}

bool wt_ip_is_ours(const struct wt_ip *ip, const struct wt_addr *addr)
{
	return wt_addr_eq(addr, &ip->config.addr);
}

/* The two addresses of a subnet that are not hosts; a point-to-point link has none (RFC 3021). */
static bool is_subnet_broadcast(const struct wt_ip *ip, const struct wt_addr *addr)
{
	uint32_t host = wt_get32(addr->bytes) & ~netmask(ip);

	return ip->config.prefix_len < 31 && on_link(ip, addr) && (host == 0 || host == ~netmask(ip));
}

/* RFC 1122 3.2.1.3: may another host have this address? Ours as a source is the "land" attack. */
static bool is_other_host(const struct wt_ip *ip, const struct wt_addr *addr)
{
	uint8_t top = addr->bytes[0];

	return addr->family == WT_FAMILY_IPV4 && top != 0 && top != 127 && top < 224 &&
	       !wt_addr_eq(addr, &ip->config.addr) && !is_subnet_broadcast(ip, addr);
}

/* ---- input -------------------------------------------------------------------------------------------- */

static enum wt_ip_verdict drop(struct wt_ip *ip, wt_time now, struct wt_frame *frame, enum wt_drop cause)
{
	wt_node_drop(ip->config.node, now, frame, cause);
	return WT_IP_DONE;
}

static enum wt_ip_verdict input_ipv4(struct wt_ip *ip, wt_time now, struct wt_frame *frame, struct wt_ip_packet *packet)
{
	static const enum wt_drop causes[] = {
		[WT_IPV4_SHORT] = WT_DROP_SHORT,
		[WT_IPV4_MALFORMED] = WT_DROP_IP_HEADER,
		[WT_IPV4_BAD_CSUM] = WT_DROP_IP_CSUM,
	};
	struct wt_ipv4 *header = &packet->ip;
	enum wt_ipv4_error error = wt_ipv4_parse(frame->data + WT_ETH_HEADER, frame->len - WT_ETH_HEADER,
						 frame->csum == WT_CSUM_NONE, header);

	if (error != WT_IPV4_OK)
		return drop(ip, now, frame, causes[error]);
	if (!wt_addr_eq(&header->dst, &ip->config.addr))
		return drop(ip, now, frame, WT_DROP_NOT_OURS);
	if (!is_other_host(ip, &header->src))
		return drop(ip, now, frame, WT_DROP_IP_SOURCE);
	if (header->more_fragments || header->frag_offset) {
		frame = wt_fragments_input(&ip->fragments, now, frame, header);
		if (!frame)
			return WT_IP_DONE;
		/* our own header, right by construction */
		wt_ipv4_parse(frame->data + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, false, header);
	}
	packet->frame = frame;
	packet->payload = frame->data + WT_ETH_HEADER + header->header_len;
	packet->len = (uint32_t)header->total_len - header->header_len;
	switch (header->protocol) {
	case WT_IP_TCP:
		return WT_IP_IS_TCP;
	case WT_IP_ICMP:
		return WT_IP_IS_ICMP;
	case WT_IP_UDP:
		return WT_IP_IS_UDP;
	default:
		return WT_IP_IS_OTHER;
	}
}

enum wt_ip_verdict wt_ip_input(struct wt_ip *ip, wt_time now, struct wt_frame *frame, struct wt_ip_packet *packet)
{
	static const struct wt_mac broadcast = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
	struct wt_eth eth;
	bool to_us, to_all;

	if (!wt_eth_parse(frame->data, frame->len, &eth))
		return drop(ip, now, frame, WT_DROP_SHORT);
	to_us = memcmp(&eth.dst, &ip->config.mac, sizeof(eth.dst)) == 0;
	to_all = memcmp(&eth.dst, &broadcast, sizeof(eth.dst)) == 0;
	/* RFC 1122 3.3.6: a datagram for us alone does not come in a link broadcast */
	if (!to_us && !(to_all && eth.type == WT_ETH_ARP))
		return drop(ip, now, frame, WT_DROP_NOT_OURS);
	if (eth.type == WT_ETH_IPV4)
		return input_ipv4(ip, now, frame, packet);
	if (eth.type != WT_ETH_ARP)
		return drop(ip, now, frame, WT_DROP_PROTOCOL);
	wt_neighbours_input(&ip->neighbours, now, frame);
	return WT_IP_DONE;
}

/* ---- output ------------------------------------------------------------------------------------------- */

bool wt_ip_route(const struct wt_ip *ip, const struct wt_addr *dst, struct wt_addr *next_hop)
{
	const struct wt_addr *hop = dst;

	if (!is_other_host(ip, dst))
		return false;
	if (!on_link(ip, dst))
		hop = &ip->config.gateway;
	if (hop->family != WT_FAMILY_IPV4)
		return false;
	if (next_hop)
		*next_hop = *hop;
	return true;
}

bool wt_ip_source(const struct wt_ip *ip, const struct wt_addr *dst, struct wt_addr *src)
{
	if (!wt_ip_route(ip, dst, NULL))
		return false;
	if (!src->family)
		*src = ip->config.addr;
	return true;
}

/*
 * RFC 6864 4.1 lets a datagram with DF carry any identification; ours repeats late for a pair of hosts and tells
 * nobody how much we send to others (RFC 7739 5.3: a keyed start per destination, counters shared by few).
 */
static uint16_t next_id(struct wt_ip *ip, const struct wt_addr *dst)
{
	uint64_t hash = wt_siphash_u64(&ip->config.secret, wt_get32(dst->bytes));

	return (uint16_t)((hash >> 16) + ip->id_counter[hash % WT_IP_ID_COUNTERS]++);
}

struct wt_frame *wt_ip_output(struct wt_ip *ip, wt_time now, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst,
			      uint8_t protocol, uint8_t tos)
{
	struct wt_eth eth = {.src = ip->config.mac, .type = WT_ETH_IPV4};
	struct wt_ipv4 header = {
		.src = *src,
		.dst = *dst,
		.total_len = (uint16_t)(frame->len - WT_ETH_HEADER),
		.dont_fragment = true,
		.ttl = WT_IP_TTL,
		.protocol = protocol,
		.tos = tos,
	};
	struct wt_addr next_hop;

	if (!wt_ip_route(ip, dst, &next_hop)) {
		wt_node_drop(ip->config.node, now, frame, WT_DROP_UNROUTED);
		return NULL;
	}
	header.id = next_id(ip, dst);
	wt_eth_emit(frame->data, &eth);
	wt_ipv4_emit(frame->data + WT_ETH_HEADER, &header);
	return wt_neighbours_send(&ip->neighbours, now, frame, &next_hop);
}

void wt_ip_send(struct wt_ip *ip, wt_time now, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst,
		uint8_t protocol, uint8_t tos)
{
	frame = wt_ip_output(ip, now, frame, src, dst, protocol, tos);
	if (frame)
		wt_books_keep(ip->config.node, &ip->ready, frame);
}

/* ---- time --------------------------------------------------------------------------------------------- */

wt_time wt_ip_deadline(const struct wt_ip *ip)
{
	if (ip->ready.head)
		return ip->ready.head->time;
	return wt_time_min(wt_neighbours_deadline(&ip->neighbours), wt_fragments_deadline(&ip->fragments));
}

void wt_ip_expire(struct wt_ip *ip, wt_time now)
{
	wt_neighbours_expire(&ip->neighbours, now);
	wt_fragments_expire(&ip->fragments, now);
}
