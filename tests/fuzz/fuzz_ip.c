/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is what happens to a host's IP layer: records of
 *     control byte, length (two bytes, low first), that many bytes of Ethernet frame.
 * Control: bits 0-1 time passes (nothing, 1 ms, 1 s, 40 s); bit 2 the checksums are made right first; bit 3 the
 * frame's checksum is vouched for; bit 4 the host sends to the address in the record's first four bytes instead.
 *
 * Claims: the books balance and no frame is lost after every record; everything that leaves is a well-formed ARP or
 * IPv4 frame from us that fits the MTU; a deadline that was served lies in the future.
 */
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/net/books.h"
#include "stack/net/icmp.h"
#include "stack/net/net.h"
#include "stack/net/udp.h"
#include "stack/wire/arp.h"
#include "stack/wire/checksum.h"
#include "stack/wire/icmp.h"
#include "stack/wire/udp.h"
#include "tests/fuzz/fuzz.h"

#define FRAMES 64
#define ROOM 2048
#define MTU 1500

struct world {
	struct wt_node node;
	struct wt_pool *pool;
	struct wt_net net;
	struct wt_udp_table udp;
	wt_time now;
};

static struct world w;

/* An echo of datagrams. */
static void on_datagram(void *arg, struct wt_udp *udp, unsigned events, wt_time now)
{
	struct wt_udp_datagram in;

	wt_udp_error(udp, NULL);
	for (; wt_udp_peek(udp, &in); wt_udp_consume(udp))
		wt_udp_send(udp, &in.from, in.data, in.len, now);
}

static void start(void)
{
	static const struct wt_addr everywhere = {.family = WT_FAMILY_IPV4}, gateway = {WT_FAMILY_IPV4, {10, 0, 0, 254}},
				    us = {WT_FAMILY_IPV4, {10, 0, 0, 1}};
	struct wt_net_config config = {.interfaces = 1, .reassembles = true, .rate = {WT_ICMP_BURST, WT_ICMP_INTERVAL}, .quote = 548,
				       .secret = {1, 2}};
	struct wt_pool *pool = w.pool ? w.pool : wt_pool_create(FRAMES, ROOM);

	memset(&w, 0, sizeof(w));
	w.pool = config.pool = pool;
	config.node = &w.node;
	if (!pool)
		exit(2);
	CLAIM(!wt_net_init(&w.net, &config));
	wt_net_set_mac(&w.net, 0, &(struct wt_mac){{2, 0, 0, 0, 0, 1}}, MTU);
	CLAIM(!wt_net_add_address(&w.net, 0, &us, 24) && !wt_net_add_route(&w.net, &everywhere, 0, 0, &gateway));
	wt_udp_init(&w.udp, &w.net);
	CLAIM(wt_udp_open(&w.udp, &(struct wt_endpoint){.port = 9}, on_datagram, NULL));
	wt_neighbours_add(&w.net.neighbours, 0, &(struct wt_addr){WT_FAMILY_IPV4, {10, 0, 0, 2}}, &(struct wt_mac){{2, 0, 0, 0, 0, 2}});
}

static void check_leaving(const struct wt_frame *frame)
{
	struct wt_icmp icmp;
	struct wt_ipv4 ip;
	struct wt_eth eth;
	struct wt_arp arp;

	CLAIM(frame->len <= WT_ETH_HEADER + MTU && frame->len <= frame->room);
	CLAIM(wt_eth_parse(wt_frame_look(frame), frame->len, &eth));
	CLAIM(memcmp(&eth.src, &w.net.interface[0].mac, sizeof(eth.src)) == 0);
	if (eth.type == WT_ETH_ARP) {
		CLAIM(wt_arp_parse(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, &arp));
		CLAIM(wt_addr_eq(&arp.sender, &w.net.address[0].addr));
		return;
	}
	CLAIM(eth.type == WT_ETH_IPV4);
	CLAIM(!(eth.dst.bytes[0] & 1));
	CLAIM(wt_ipv4_parse(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, true, &ip) == WT_IPV4_OK);
	CLAIM(ip.total_len == frame->len - WT_ETH_HEADER);
	CLAIM(wt_addr_eq(&ip.src, &w.net.address[0].addr) && !wt_addr_eq(&ip.dst, &w.net.address[0].addr));
	CLAIM(ip.protocol != WT_IP_ICMP || wt_icmp_parse(wt_frame_look(frame) + WT_IP_PAYLOAD, frame->len - WT_IP_PAYLOAD, &icmp));
}

/* Puts right checksums where the lengths allow it, so that inputs get past them. */
static void repair(struct wt_frame *frame)
{
	uint8_t *header = wt_frame_own_bytes(frame) + WT_ETH_HEADER, *payload;
	struct wt_ipv4 ip;
	uint32_t len;

	if (frame->len < WT_IP_PAYLOAD ||
	    wt_ipv4_parse(header, frame->len - WT_ETH_HEADER, false, &ip) != WT_IPV4_OK)
		return;
	wt_put16(header + 10, 0);
	wt_put16(header + 10, wt_csum_fold(wt_csum_add(0, header, ip.header_len)));
	payload = header + ip.header_len;
	len = (uint32_t)ip.total_len - ip.header_len;
	if (ip.protocol == WT_IP_UDP && len >= WT_UDP_HEADER)
		wt_put16(payload + 6, 0);
	if (ip.protocol != WT_IP_ICMP || len < WT_ICMP_HEADER)
		return;
	wt_put16(payload + 2, 0);
	wt_put16(payload + 2, wt_csum_fold(wt_csum_add(0, payload, len)));
}

static void receive(const uint8_t *data, uint32_t len, uint8_t control)
{
	struct wt_frame *frame = wt_frame_new(w.pool);
	struct wt_ip_packet packet;
	struct wt_icmp_error error;

	if (!frame)
		return;
	w.node.audit.in++;
	frame->len = len < frame->room ? len : frame->room;
	memcpy(wt_frame_own_bytes(frame), data, frame->len);
	if (control & 4)
		repair(frame);
	if (control & 8)
		frame->csum = WT_CSUM_VALID;
	switch (wt_net_input(&w.net, 0, w.now, frame, &packet)) {
	case WT_IP_IS_TCP:
		CLAIM(packet.payload + packet.len <= wt_frame_own_bytes(packet.frame) + packet.frame->len);
		wt_books_take(&w.node, packet.frame);
		break;
	case WT_IP_IS_ICMP:
		if (wt_icmp_input(&w.net, w.now, &packet, &error))
			CLAIM(wt_addr_eq(&error.tuple.local.addr, &w.net.address[0].addr));
		break;
	case WT_IP_IS_UDP:
		wt_udp_input(&w.udp, w.now, &packet);
		break;
	case WT_IP_IS_OTHER:
		wt_icmp_refuse(&w.net, w.now, &packet, WT_REFUSAL_PROTOCOL, WT_DROP_PROTOCOL);
		break;
	case WT_IP_DONE:
		break;
	}
}

static void send(const uint8_t *data, uint32_t len)
{
	struct wt_frame *frame;
	struct wt_addr dst;

	if (len < 4)
		return;
	dst = wt_addr_ipv4(data[0], data[1], data[2], data[3]);
	frame = wt_books_make(&w.node, w.pool, w.now);
	if (!frame)
		return;
	frame->len = WT_IP_PAYLOAD + (len < 100 ? len : 100);
	memset(wt_frame_own_bytes(frame), 0, frame->len);
	wt_net_send(&w.net, w.now, frame, &w.net.address[0].addr, &dst, WT_IP_TCP, 0);
}

static void settle(void)
{
	struct wt_frame *frame;

	wt_net_expire(&w.net, w.now);
	wt_udp_tell(&w.udp, w.now);
	while ((frame = wt_books_release(&w.node, &w.net.ready))) {
		check_leaving(frame);
		w.node.audit.out++;
		wt_frame_free(frame);
	}
	CLAIM(wt_net_deadline(&w.net) > w.now);
	CLAIM(wt_audit_holds(&w.node.audit));
	CLAIM(wt_pool_free_count(w.pool) + w.node.audit.queued == FRAMES);
}

/* Time passes as a driver lets it: the layer is called at each deadline it named. */
static void pass(wt_time until)
{
	unsigned calls = 0;

	while (wt_net_deadline(&w.net) <= until) {
		w.now = wt_time_max(w.now, wt_net_deadline(&w.net));
		settle();
		CLAIM(++calls <= 4 * WT_NEIGHBOURS + WT_FRAGMENT_SLOTS);
	}
	w.now = until;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_record record;

	start();
	while (fuzz_next(&data, &size, &record)) {
		pass(w.now + fuzz_pause(record.control));
		if (record.control & 16)
			send(record.data, record.len);
		else
			receive(record.data, record.len, record.control);
		settle();
	}
	wt_udp_finish(&w.udp);
	wt_net_finish(&w.net);
	CLAIM(wt_pool_free_count(w.pool) == FRAMES);
	return 0;
}
