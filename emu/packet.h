/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stage may know of the packet in a frame: enough to mark it, to tell flows apart, and to answer it with ICMP. */
#ifndef WT_EMU_PACKET_H
#define WT_EMU_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/ecn.h"
#include "stack/base/frame.h"
#include "stack/base/random.h"

#define WT_ETHERNET 14

/* 4 or 6 if the frame holds an IP header as long as that version's shortest one, else 0. */
unsigned wt_packet_version(const struct wt_frame *frame);
/* The ECN field (RFC 3168 section 5); WT_ECN_NOT_ECT for what is not IP. */
enum wt_ecn wt_packet_ecn(const struct wt_frame *frame);
/* Marks a packet of an ECN-capable transport CE, its IPv4 header checksum updated (RFC 1624). False: it is not capable. */
bool wt_packet_mark(struct wt_frame *frame);
/* A hash of addresses, protocol and ports: equal for the packets of one flow in one direction. Fragments and protocols
 * without ports have the ports left out; what is not IP is one flow for each EtherType. */
uint64_t wt_packet_flow(const struct wt_key *key, const struct wt_frame *frame);
/* Writes the IPv4 header checksum anew. */
void wt_packet_ipv4_checksum(uint8_t *ip);
/* The same after a word of the header was lowered by so much (RFC 1624): a wrong one stays wrong. */
void wt_packet_ipv4_checksum_lowered(uint8_t *ip, uint16_t by);
/*
 * An ICMP error of `type` destination unreachable and `code` about the IPv4 packet in `frame`, on its way back: addresses
 * of both layers exchanged, the first 8 payload bytes quoted (RFC 792). `mtu` is the next hop's for code 4 (RFC 1191).
 * NULL where none may be sent (RFC 1122 3.2.2: about ICMP errors, later fragments, broadcasts), or the pool is exhausted.
 */
struct wt_frame *wt_packet_unreachable(const struct wt_frame *frame, uint8_t code, uint16_t mtu);
/* The same of type time exceeded, in transit. */
struct wt_frame *wt_packet_time_exceeded(const struct wt_frame *frame);

#endif
