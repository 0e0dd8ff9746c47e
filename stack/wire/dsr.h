/* SPDX-License-Identifier: BSD-2-Clause */
/* The options header of DSR (RFC 4728 section 6), between IP's header and what it carries. Flow state (section 7) is not spoken. */
#ifndef WT_STACK_WIRE_DSR_H
#define WT_STACK_WIRE_DSR_H

#include <stdbool.h>
#include <stdint.h>

#define WT_IP_DSR 48
#define WT_IP_NO_NEXT 59

enum { WT_DSR_HEADER = 4, WT_DSR_MOST = 32 /* addresses in a route of ours; longer ones are malformed to us */ };
enum { WT_DSR_NODE_UNREACHABLE = 1 };

struct wt_dsr_addresses {
	unsigned count;
	uint32_t at[WT_DSR_MOST];
};

struct wt_dsr_request { /* 6.2 */
	uint16_t id;
	uint32_t target;
	struct wt_dsr_addresses over;
};

struct wt_dsr_reply { /* 6.3: from the first hop to the target itself */
	struct wt_dsr_addresses over;
};

struct wt_dsr_error { /* 6.4 */
	uint8_t type, salvage;
	uint32_t source, destination, unreachable;
};

struct wt_dsr_route { /* 6.7 */
	uint8_t salvage, left;
	struct wt_dsr_addresses over;
	uint32_t at; /* where the option begins, from the options header on */
};

/* What a header has of each. */
struct wt_dsr {
	uint8_t next_header;
	uint32_t len; /* of the header with its options */
	bool has_request, has_reply, has_error, has_route;
	struct wt_dsr_request request;
	struct wt_dsr_reply reply;
	struct wt_dsr_error error;
	struct wt_dsr_route route;
};

#define WT_DSR_ROOM (WT_DSR_HEADER + 3 * (8 + 4 * WT_DSR_MOST) + 20)

/* False: malformed. Options that are not known are skipped. */
bool wt_dsr_parse(const uint8_t *data, uint32_t len, struct wt_dsr *dsr);
/* Writes a header with the options it has, padded to four bytes; its length. */
uint32_t wt_dsr_emit(uint8_t data[WT_DSR_ROOM], const struct wt_dsr *dsr);
/* One segment less left in a route that was parsed. */
void wt_dsr_step(uint8_t *data, const struct wt_dsr_route *route);

#endif
