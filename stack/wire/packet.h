/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stage may know of the packet in a frame: enough to mark it, to tell flows apart, to find its upper layer. */
#ifndef WT_STACK_WIRE_PACKET_H
#define WT_STACK_WIRE_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/ecn.h"
#include "stack/base/frame.h"
#include "stack/base/random.h"

#define WT_ETHERNET 14

enum { WT_TYPE_IPV4 = 0x0800, WT_TYPE_IPV6 = 0x86dd };

/* What a frame carries behind its Ethernet header and at most two VLAN tags (IEEE 802.1Q, 802.1ad). */
struct wt_packet_place {
	uint32_t at;   /* where it begins; not behind the frame's end */
	uint16_t type; /* EtherType; 0: the frame is cut off before it */
};

struct wt_packet_place wt_packet_place_tagged(const struct wt_frame *frame);

static inline struct wt_packet_place wt_packet_place(const struct wt_frame *frame)
{
	uint16_t type = frame->len < WT_ETHERNET ? 0 : (uint16_t)(wt_frame_head(frame)[12] << 8 | wt_frame_head(frame)[13]);

	if (type == WT_TYPE_IPV4 || type == WT_TYPE_IPV6)
		return (struct wt_packet_place){WT_ETHERNET, type};
	return wt_packet_place_tagged(frame);
}

/* 4 or 6 if the frame holds an IP header as long as that version's shortest one, else 0. */
unsigned wt_packet_version(const struct wt_frame *frame);
/* The ECN field (RFC 3168 section 5); WT_ECN_NOT_ECT for what is not IP. */
enum wt_ecn wt_packet_ecn(const struct wt_frame *frame);
/* Marks a packet of an ECN-capable transport CE, its IPv4 header checksum updated (RFC 1624). False: it is not capable. */
bool wt_packet_mark(struct wt_frame *frame);
/* A hash of addresses, protocol and ports: equal for the packets of one flow in one direction. Fragments and protocols
 * without ports have the ports left out; what is not IP is one flow for each EtherType. */
uint64_t wt_packet_flow(const struct wt_key *key, const struct wt_frame *frame);
/* The same as bytes: ports, protocol, addresses. How many of them are used; those of two flows differ. Tags in front count for nothing. */
#define WT_PACKET_TUPLE 37
unsigned wt_packet_tuple(const struct wt_frame *frame, uint8_t tuple[WT_PACKET_TUPLE]);
/* Writes the IPv4 header checksum anew. */
void wt_packet_ipv4_checksum(uint8_t *ip);
bool wt_packet_ipv4_checksum_holds(const uint8_t *ip); /* the whole header must be there */
/* The same after a word of the header was lowered by so much (RFC 1624): a wrong one stays wrong. */
void wt_packet_ipv4_checksum_lowered(uint8_t *ip, uint16_t by);

/* The upper layer of an IPv6 packet, behind its extension headers. Offsets count from the IPv6 header. */
struct wt_ipv6_upper {
	uint8_t protocol;  /* of a later fragment: what the fragment header names */
	bool fragment;     /* a fragment header is among those passed (also one of a packet in one piece) */
	bool later;        /* not the first: what stands at `at` is the middle of something */
	uint32_t at, end;
};

/* False: no IPv6 header, fewer bytes than it says, or headers that are cut off or more than eight. */
bool wt_ipv6_upper(const uint8_t *ip, uint32_t len, struct wt_ipv6_upper *upper);
bool wt_ipv6_is_extension(uint8_t header);
/* An ICMPv6 type of neighbour discovery (RFC 4861), redirects among them? */
bool wt_ipv6_is_discovery(uint8_t type);
static inline bool wt_ipv6_is_link_local(const uint8_t *address)
{
	return address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}
/* The checksum of an ICMPv6 message of `len` bytes at `at`, with the pseudo-header (RFC 4443 2.3); 0 where it holds. */
uint16_t wt_ipv6_icmp_sum(const uint8_t *ip, uint32_t at, uint32_t len);
void wt_ipv6_icmp_checksum(uint8_t *ip, uint32_t at, uint32_t len); /* writes it */

/* No router passes it on: neighbour discovery, and addresses that mean something on one link alone (RFC 4291 2.5.6, 2.7; RFC 3927 2.7,
 * RFC 5771 section 4, RFC 1122 3.2.1.3). */
bool wt_packet_of_link(const struct wt_frame *frame);

#endif
