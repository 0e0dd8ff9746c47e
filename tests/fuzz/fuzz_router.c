/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is what happens to a router of the emulator, and to the stages that answer by ICMP: records of
 *     control byte, length (two bytes, low first), that many bytes of Ethernet frame.
 * Control: bits 0-1 the port of the router (two networks, another router), or 3: a stage, by bits 2-3 (hops, mtu, outage); bits 4-5
 * time passes (nothing, 1 ms, 1 s, 40 s); bit 6 checksums are made right first; bit 7 the frame is sent to the router's hardware address.
 *
 * Claims: the books balance and no frame is lost after every record; what was made, not forwarded, is well-formed ARP, neighbour
 * discovery, or an ICMP error with a right checksum that goes to one host and is about no ICMP error; a deadline that was served lies in
 * the future; what waits is bounded.
 */
#include <string.h>

#include "emu/router/router.h"
#include "stack/wire/packet.h"
#include "emu/path.h"
#include "stack/base/bytes.h"
#include "stack/wire/arp.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/icmp.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/nd.h"
#include "tests/fuzz/fuzz.h"

#define FRAMES 128
#define ROOM 2048
#define PORTS 3

struct world {
	struct wt_pool *pool;
	struct wt_node *router;
	struct wt_path path;
	wt_time now;
	uint64_t given[4 * FRAMES]; /* ids of frames that came from outside, the last ones */
	unsigned at;
};

static struct world w;

static void network(unsigned port, const char *gateway, unsigned prefix)
{
	struct wt_addr addr;

	CLAIM(wt_addr_parse(gateway, &addr));
	if (port < 2)
		wt_router_set_network(w.router, port, &addr, prefix);
	else
		wt_router_add_route(w.router, &addr, prefix, port);
}

static void start(void)
{
	struct wt_addr own[WT_FAMILIES] = {0};
	struct wt_pool *pool = w.pool ? w.pool : wt_pool_create(FRAMES, ROOM);
	char err[300];

	memset(&w, 0, sizeof(w));
	w.pool = pool;
	CLAIM(wt_addr_parse("10.255.0.1", &own[WT_FAMILY_IPV4]) && wt_addr_parse("2001:db8:ff::1", &own[WT_FAMILY_IPV6]));
	w.router = wt_router_create("r", 1, PORTS, own, pool);
	if (!w.router || wt_path_init(&w.path, "hops 3 from 10.9.0.1 2001:db8:9::1 | mtu 600B | outage at 1s for 1000h unreachable", "fwd", 1, err,
				      sizeof(err)))
		exit(2);
	network(0, "10.0.1.1", 24);
	network(0, "2001:db8:1::1", 64);
	network(1, "10.0.2.1", 24);
	network(1, "2001:db8:2::1", 64);
	network(2, "10.3.0.0", 16);
	network(2, "2001:db8:3::", 48);
	wt_router_set_peer(w.router, 2, &(struct wt_mac){{2, 0, 0, 0, 0, 9}});
}

/* Is it made here? Frames that came from outside go on in their own buffers. */
static bool made(const struct wt_frame *frame)
{
	for (unsigned i = 0; i < sizeof(w.given) / sizeof(w.given[0]); i++)
		if (w.given[i] == frame->id)
			return false;
	return true;
}

static void check_ipv4_error(const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETH_HEADER, *quote = ip + WT_IPV4_HEADER + WT_ICMP_HEADER;
	struct wt_ipv4 head;
	struct wt_icmp icmp;

	CLAIM(wt_ipv4_parse(ip, frame->len - WT_ETH_HEADER, true, &head) == WT_IPV4_OK);
	CLAIM(head.protocol == WT_IP_ICMP && head.total_len == frame->len - WT_ETH_HEADER && head.header_len == WT_IPV4_HEADER);
	CLAIM(wt_icmp_parse(ip + WT_IPV4_HEADER, head.total_len - WT_IPV4_HEADER, &icmp));
	CLAIM(icmp.type == WT_ICMP_UNREACHABLE || icmp.type == WT_ICMP_TIME_EXCEEDED);
	CLAIM(head.src.bytes[0] < 224 && head.dst.bytes[0] < 224 && !memcmp(quote + 12, head.dst.bytes, 4));
	if (quote[9] == WT_IP_ICMP)
		CLAIM(quote[(quote[0] & 15) * 4] == 8 || quote[(quote[0] & 15) * 4] == 0);
}

static void check_ipv6_made(const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETH_HEADER, *message = ip + WT_IPV6_HEADER, *quote = message + 8;
	struct wt_ipv6 head;
	struct wt_nd nd;

	CLAIM(wt_ipv6_parse(ip, frame->len - WT_ETH_HEADER, &head));
	CLAIM(head.next_header == WT_IP_ICMPV6 && head.payload_len == frame->len - WT_ETH_HEADER - WT_IPV6_HEADER);
	CLAIM(head.src.bytes[0] != 0xff && frame->len - WT_ETH_HEADER <= 1280);
	if (message[0] == WT_ND_SOLICITATION || message[0] == WT_ND_ADVERTISEMENT) {
		CLAIM(wt_nd_parse(&head, message, head.payload_len, &nd));
		return;
	}
	CLAIM(message[0] >= 1 && message[0] <= 3 && head.dst.bytes[0] != 0xff && !(wt_frame_look(frame)[0] & 1));
	CLAIM(!wt_csum_fold(wt_csum_add(wt_csum_pseudo(&head.src, &head.dst, WT_IP_ICMPV6, head.payload_len), message, head.payload_len)));
	CLAIM(!memcmp(quote + 8, head.dst.bytes, 16));
	if (quote[6] == WT_IP_ICMPV6)
		CLAIM(head.payload_len > 48 && quote[WT_IPV6_HEADER] >= 128);
}

static void check_made(const struct wt_frame *frame)
{
	struct wt_arp arp;

	switch (wt_get16(wt_frame_look(frame) + 12)) {
	case WT_ETH_ARP:
		CLAIM(wt_arp_parse(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, &arp));
		break;
	case WT_ETH_IPV4:
		check_ipv4_error(frame);
		break;
	default:
		CLAIM(wt_get16(wt_frame_look(frame) + 12) == WT_ETH_IPV6);
		check_ipv6_made(frame);
	}
}

static void settle(struct wt_node *node)
{
	struct wt_frame *frame;
	unsigned port;

	while ((frame = node->ops->output(node, w.now, &port))) {
		CLAIM(frame->len <= frame->room && port < node->ports);
		if (node == w.router) {
			struct wt_mac mac = wt_router_mac(1, port);

			CLAIM(frame->len >= WT_ETH_HEADER && !memcmp(wt_frame_own_bytes(frame) + 6, &mac, sizeof(mac)));
		} else if (port == 0) {
			CLAIM(made(frame));
		}
		if (made(frame) && !(node != w.router && port == 1)) /* fragments are made, too */
			check_made(frame);
		wt_frame_free(frame);
	}
	CLAIM(node->ops->deadline(node) > w.now);
	CLAIM(wt_audit_holds(&node->audit));
	CLAIM(node->audit.queued <= WT_NEIGHBOUR_WAITING_ALL);
	CLAIM(wt_pool_free_count(w.pool) + w.router->audit.queued == FRAMES);
}

/* Puts right checksums where the lengths allow it, so that inputs get past them. */
static void repair(struct wt_frame *frame)
{
	uint8_t *ip = wt_frame_own_bytes(frame) + WT_ETH_HEADER;
	uint32_t len = frame->len > WT_ETH_HEADER ? frame->len - WT_ETH_HEADER : 0;
	struct wt_ipv6_upper upper;
	struct wt_ipv4 head;

	if (len >= WT_IPV4_HEADER && wt_get16(wt_frame_own_bytes(frame) + 12) == WT_ETH_IPV4 && wt_ipv4_parse(ip, len, false, &head) == WT_IPV4_OK) {
		if (head.protocol == WT_IP_ICMP && head.total_len - head.header_len >= WT_ICMP_HEADER) {
			wt_put16(ip + head.header_len + 2, 0);
			wt_put16(ip + head.header_len + 2,
				 wt_csum_fold(wt_csum_add(0, ip + head.header_len, (size_t)head.total_len - head.header_len)));
		}
		wt_packet_ipv4_checksum(ip);
	}
	if (wt_get16(wt_frame_own_bytes(frame) + 12) == WT_ETH_IPV6 && wt_ipv6_upper(ip, len, &upper) && upper.protocol == WT_IP_ICMPV6 &&
	    upper.end - upper.at >= 4)
		wt_ipv6_icmp_checksum(ip, upper.at, upper.end - upper.at);
}

static void receive(const uint8_t *data, uint32_t len, uint8_t control)
{
	struct wt_frame *frame = wt_frame_new(w.pool);
	unsigned port = control & 3, stage = control >> 2 & 3;
	struct wt_node *node = port < PORTS ? w.router : w.path.stage[stage % 3];
	struct wt_mac mac = wt_router_mac(1, port);

	if (!frame)
		return;
	w.given[w.at++ % (sizeof(w.given) / sizeof(w.given[0]))] = frame->id;
	frame->len = len < frame->room ? len : frame->room;
	memcpy(wt_frame_own_bytes(frame), data, frame->len);
	if (control & 64 && frame->len > WT_ETH_HEADER)
		repair(frame);
	if (control & 128 && frame->len >= 6)
		memcpy(wt_frame_own_bytes(frame), &mac, sizeof(mac));
	node->ops->input(node, port < PORTS ? port : 0, w.now, frame);
	CLAIM(wt_audit_holds(&node->audit));
	settle(node);
}

/* Time passes as a driver lets it: the router is called at each deadline it named. */
static void pass(wt_time until)
{
	unsigned calls = 0;

	while (w.router->ops->deadline(w.router) <= until) {
		w.now = wt_time_max(w.now, w.router->ops->deadline(w.router));
		settle(w.router);
		CLAIM(++calls <= 16 * WT_NEIGHBOURS);
	}
	w.now = until;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_record record;

	start();
	while (fuzz_next(&data, &size, &record)) {
		pass(w.now + fuzz_pause(record.control >> 4));
		receive(record.data, record.len, record.control);
	}
	pass(w.now + 1000 * WT_S);
	CLAIM(!w.router->audit.queued && wt_pool_free_count(w.pool) == FRAMES);
	w.router->ops->destroy(w.router);
	wt_path_finish(&w.path);
	return 0;
}
