/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of AODV (RFC 3561 section 5). Parse and emit are inverse; extensions behind a message are skipped (section 9). */
#ifndef WT_STACK_WIRE_AODV_H
#define WT_STACK_WIRE_AODV_H

#include <stdbool.h>
#include <stdint.h>

#define WT_AODV_PORT 654

enum { WT_AODV_RREQ = 1, WT_AODV_RREP = 2, WT_AODV_RERR = 3, WT_AODV_RREP_ACK = 4 };
enum { WT_AODV_RREQ_LEN = 24, WT_AODV_RREP_LEN = 20, WT_AODV_RERR_MOST = 255, WT_AODV_RERR_LEN = 4 + 8 * WT_AODV_RERR_MOST };

/* Flags, as they stand in the second byte. */
enum {
	WT_AODV_JOIN = 0x80, WT_AODV_REPAIR = 0x40, WT_AODV_GRATUITOUS = 0x20, WT_AODV_DESTINATION_ONLY = 0x10, WT_AODV_UNKNOWN_SEQ = 0x08,
	WT_AODV_ACK = 0x40,       /* of a reply */
	WT_AODV_NO_DELETE = 0x80, /* of an error */
};

struct wt_aodv_rreq {
	uint8_t flags, hops;
	uint32_t id, dst, dst_seq, orig, orig_seq;
};

struct wt_aodv_rrep {
	uint8_t flags, prefix, hops;
	uint32_t dst, dst_seq, orig, lifetime_ms;
};

struct wt_aodv_rerr {
	uint8_t flags, count;
	struct {
		uint32_t dst, seq;
	} lost[WT_AODV_RERR_MOST];
};

/* The type of a message that is as long as it says, extensions included; 0: it is malformed. */
unsigned wt_aodv_type(const uint8_t *data, uint32_t len);
/* Of a message of this type. */
void wt_aodv_parse_rreq(const uint8_t *data, struct wt_aodv_rreq *rreq);
void wt_aodv_parse_rrep(const uint8_t *data, struct wt_aodv_rrep *rrep);
void wt_aodv_parse_rerr(const uint8_t *data, struct wt_aodv_rerr *rerr);
void wt_aodv_emit_rreq(uint8_t data[WT_AODV_RREQ_LEN], const struct wt_aodv_rreq *rreq);
void wt_aodv_emit_rrep(uint8_t data[WT_AODV_RREP_LEN], const struct wt_aodv_rrep *rrep);
/* Its length. */
uint32_t wt_aodv_emit_rerr(uint8_t data[WT_AODV_RERR_LEN], const struct wt_aodv_rerr *rerr);

#endif
