/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMP and ICMPv6 about a packet that goes no further: whether an error may be sent, how often, and its bytes. Hosts, routers and the
 * stages of a path (emu/stages/refuser.h) answer by it, and by nothing else.
 */
#ifndef WT_STACK_NET_REFUSAL_H
#define WT_STACK_NET_REFUSAL_H

#include "stack/text/addr.h"
#include "stack/base/node.h"

enum wt_refusal_kind {
	WT_REFUSAL_HOPS,  /* time exceeded in transit: ICMP 11/0, ICMPv6 3/0 */
	WT_REFUSAL_SIZE,  /* fragmentation needed 3/4 (RFC 1191); packet too big 2/0 */
	WT_REFUSAL_ROUTE, /* network unreachable 3/0; no route to destination 1/0 */
	WT_REFUSAL_HOST,  /* host unreachable 3/1; address unreachable 1/3 */
	WT_REFUSAL_PORT,  /* port unreachable 3/3; 1/4 */
	WT_REFUSAL_PROTOCOL, /* protocol unreachable 3/2; of IPv6 nothing is sent */
};

/* Whose messages they are, one address for each family at most; of a family without one: the packet's destination's. */
struct wt_sources {
	struct wt_addr ipv4, ipv6;
};

struct wt_refusal {
	enum wt_refusal_kind kind;
	unsigned router;         /* how many stand in front of the one that answers: its address and its TTL follow */
	uint32_t mtu;            /* of WT_REFUSAL_SIZE */
	uint32_t quote;          /* at most so many bytes of a packet of IPv4; 0: its header and 8 (RFC 792). Of IPv6 all that fits 1280 */
	struct wt_sources from;
};

#define WT_REFUSAL_TTL 255
#define WT_IPV6_MTU 1280u            /* what every link must carry, RFC 8200 section 5 */

/* How many answers one may send, which must be limited, and by a limit that can be chosen (RFC 4443 2.4(f), RFC 1812 4.3.2.8). */
struct wt_refusal_rate {
	uint32_t burst; /* at once; 0: 100 */
	wt_time each;   /* and one more after this time; 0: 10 ms */
};

/* "1000/s", "1000/s burst 50". 0, or -EINVAL with one sentence in err. */
int wt_refusal_rate_parse(const char *text, struct wt_refusal_rate *rate, char *err, size_t err_len);

/* A bucket of tokens in scenario time. Zero-initialised it is full. */
struct wt_refusal_limit {
	struct wt_refusal_rate rate;
	wt_time full; /* when it will be */
};

/* May it be an ICMP message's source: the address of one host, and not of the machine itself? */
bool wt_source_usable(const struct wt_addr *addr);
/* The address so many behind it. */
struct wt_addr wt_source_behind(const struct wt_addr *addr, unsigned by);

/*
 * The answer about `about`, on its way back: link addresses exchanged. NULL where none may be sent (RFC 1122 3.2.2, RFC 1812
 * 4.3.2.7, RFC 4443 2.4(e)), the limit is reached (the node's audit.withheld) or the pool is exhausted (made and dropped in its
 * books). An answer is `told` and among those made; whoever keeps it counts it as queued. A checksum that `about` left open is computed, since it
 * is quoted.
 */
struct wt_frame *wt_refuse(struct wt_node *node, struct wt_refusal_limit *limit, wt_time now, struct wt_frame *about,
			   const struct wt_refusal *refusal);

#endif
