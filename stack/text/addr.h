/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed addresses, so that IPv6 is a value of `family`, not a second set of functions. */
#ifndef WT_STACK_TEXT_ADDR_H
#define WT_STACK_TEXT_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wt_family { WT_FAMILY_NONE, WT_FAMILY_IPV4, WT_FAMILY_IPV6 };
#define WT_FAMILIES 3 /* of tables with a place for each; that of none stays empty */

struct wt_addr {
	uint8_t family; /* enum wt_family */
	uint8_t bytes[16]; /* IPv4: the first four, the rest zero */
};

struct wt_mac {
	uint8_t bytes[6];
};

/* An address and a TCP port (host order). */
struct wt_endpoint {
	struct wt_addr addr;
	uint16_t port;
};

/* Both ends of a connection, as one of them sees it. The address of a host that has many is part of it. */
struct wt_tuple {
	struct wt_endpoint local, remote;
};

#define WT_ADDR_TEXT 46

static inline struct wt_addr wt_addr_ipv4(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	return (struct wt_addr){WT_FAMILY_IPV4, {a, b, c, d}};
}

static inline struct wt_addr wt_addr_ipv6(const uint8_t bytes[16])
{
	struct wt_addr addr = {.family = WT_FAMILY_IPV6};

	memcpy(addr.bytes, bytes, 16);
	return addr;
}

static inline bool wt_addr_eq(const struct wt_addr *a, const struct wt_addr *b)
{
	uint64_t x[2], y[2];

	memcpy(x, a, sizeof(x));
	memcpy(y, b, sizeof(y));
	return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (uint64_t)(a->bytes[15] ^ b->bytes[15]));
}

static inline bool wt_endpoint_eq(const struct wt_endpoint *a, const struct wt_endpoint *b)
{
	return a->port == b->port && wt_addr_eq(&a->addr, &b->addr);
}

static inline bool wt_tuple_eq(const struct wt_tuple *a, const struct wt_tuple *b)
{
	return wt_endpoint_eq(&a->remote, &b->remote) && wt_endpoint_eq(&a->local, &b->local);
}

/* The hardware address of a host of ours: locally administered, readable in a capture: 02:57:54 ("WT") and the last three bytes of its
 * IPv4 address. */
static inline struct wt_mac wt_addr_mac(const struct wt_addr *addr)
{
	return (struct wt_mac){{0x02, 0x57, 0x54, addr->bytes[1], addr->bytes[2], addr->bytes[3]}};
}

/* Does it lie in the network of the first `prefix` bits of another? */
bool wt_addr_in(const struct wt_addr *addr, const struct wt_addr *network, unsigned prefix);
/* "10.0.0.1" into *addr; false if it is not an address. */
bool wt_addr_parse(const char *text, struct wt_addr *addr);
/* "02:57:54:00:00:01" into *mac; false if it is not the address of one device. */
bool wt_mac_parse(const char *text, struct wt_mac *mac);
/* Writes the address into text and returns text. */
const char *wt_addr_format(const struct wt_addr *addr, char text[WT_ADDR_TEXT]);

#endif
