/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMP of a host (RFC 792, RFC 1122 3.2.2): answers echo requests, refuses what nobody here is for, and finds out which segment or
 * datagram of ours an error is about. TCP judges errors by RFC 5927; UDP tells the application.
 */
#ifndef WT_STACK_NET_ICMP_H
#define WT_STACK_NET_ICMP_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/text/addr.h"
#include "stack/base/seq.h"
#include "stack/net/net.h"

/* An error about a TCP segment or UDP datagram with our source address, from the bytes the error quotes. Anyone may have made it up. */
struct wt_icmp_error {
	uint8_t type, code;  /* WT_ICMP_UNREACHABLE or WT_ICMP_TIME_EXCEEDED */
	uint8_t protocol;    /* WT_IP_TCP or WT_IP_UDP */
	uint16_t mtu;        /* of the next hop (RFC 1191), for WT_ICMP_FRAGMENTATION_NEEDED; 0: it did not say */
	uint16_t quoted_len; /* total length of the datagram that met the error, by its header */
	struct wt_addr from; /* who sent the error */
	struct wt_tuple tuple;
	wt_seq seq;          /* of a TCP segment: TCP checks that it is in flight (RFC 5927 4.1) */
};

/*
 * Takes a packet that wt_net_input() found to be ICMP. True: *error is filled in, for the protocol it names. Echo replies go to `ready`;
 * an echo request longer than the MTU (it came in fragments) is not answered, since we send no fragments.
 */
bool wt_icmp_input(struct wt_net *net, wt_time now, const struct wt_ip_packet *packet, struct wt_icmp_error *error);

/* The same of a packet of ours that found nobody at its next hop. False: not ours, or neither TCP nor UDP over IPv4. */
bool wt_icmp_of_own(const struct wt_net *net, const struct wt_frame *frame, struct wt_icmp_error *error);
/* What an error means to an application: a negative errno. -EMSGSIZE: it is larger than the path takes. */
int wt_icmp_errno(const struct wt_icmp_error *error);

/*
 * Takes a packet that nobody here is for, and drops it; its sender is told, as often and with as much of a quote as the net's configuration
 * says. wt_net_input() let through neither broadcasts, nor fragments, nor sources that are no host
 * (RFC 1122 3.2.2).
 */
void wt_icmp_refuse(struct wt_net *net, wt_time now, const struct wt_ip_packet *packet, enum wt_refusal_kind kind, enum wt_drop cause);

#endif
