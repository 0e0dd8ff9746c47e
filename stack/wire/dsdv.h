/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Updates of DSDV. Perkins and Bhagwat (1994) give no packet format; this is ours, over UDP:
 *
 *   kind (1 full, 2 part), 0, count (16 bits), then count times
 *   destination (32), sequence number (32), metric (8; 255: no way), 0 0 0
 */
#ifndef WT_STACK_WIRE_DSDV_H
#define WT_STACK_WIRE_DSDV_H

#include <stdbool.h>
#include <stdint.h>

#define WT_DSDV_PORT 1994

enum { WT_DSDV_FULL = 1, WT_DSDV_PART = 2, WT_DSDV_HEADER = 4, WT_DSDV_ENTRY = 12, WT_DSDV_MOST = 100, WT_DSDV_NO_WAY = 255 };

struct wt_dsdv_entry {
	uint32_t dst, seq;
	uint8_t metric;
};

/* How many entries a message has that is as long as it says; -1: it is malformed. */
int wt_dsdv_count(const uint8_t *data, uint32_t len);
void wt_dsdv_parse(const uint8_t *data, unsigned i, struct wt_dsdv_entry *entry);
void wt_dsdv_emit(uint8_t *data, unsigned i, const struct wt_dsdv_entry *entry);
/* The header of a message with so many entries; the message's length. */
uint32_t wt_dsdv_finish(uint8_t *data, unsigned kind, unsigned count);

#endif
