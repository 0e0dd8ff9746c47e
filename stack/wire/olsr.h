/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets and messages of OLSR (RFC 3626 section 3.3, 6.1, 9.1, 12.1). */
#ifndef WT_STACK_WIRE_OLSR_H
#define WT_STACK_WIRE_OLSR_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/time.h"

#define WT_OLSR_PORT 698

enum { WT_OLSR_HELLO = 1, WT_OLSR_TC = 2, WT_OLSR_MID = 3, WT_OLSR_HNA = 4 };
enum { WT_OLSR_UNSPEC_LINK, WT_OLSR_ASYM_LINK, WT_OLSR_SYM_LINK, WT_OLSR_LOST_LINK };
enum { WT_OLSR_NOT_NEIGHBOUR, WT_OLSR_SYM_NEIGHBOUR, WT_OLSR_MPR_NEIGHBOUR };
enum { WT_OLSR_HEADER = 4, WT_OLSR_MESSAGE = 12 };

struct wt_olsr_message {
	uint8_t type, ttl, hops;
	wt_time validity;
	uint32_t orig;
	uint16_t seq;
	uint32_t size; /* with its header */
	uint8_t *head; /* in the packet */
	uint8_t *body;
	uint32_t len;  /* of the body */
};

/* The message at *at of a packet, which moves behind it. 1; 0: there is none left; -1: the packet is malformed. *at begins as 0. */
int wt_olsr_next(uint8_t *data, uint32_t len, uint32_t *at, struct wt_olsr_message *message);
/* Writes the packet's header over so many bytes of messages that stand behind it; the whole length. */
uint32_t wt_olsr_finish(uint8_t *data, uint16_t seq, uint32_t messages);
/* Writes a message's header in front of its body of `len` bytes. */
void wt_olsr_emit(uint8_t *data, const struct wt_olsr_message *message);

/* A group of addresses of a HELLO with one link code, as wt_olsr_next(). */
struct wt_olsr_group {
	uint8_t link, neighbour;
	unsigned count;
	const uint8_t *addresses;
};

int wt_olsr_next_group(const uint8_t *body, uint32_t len, uint32_t *at, struct wt_olsr_group *group);

/* Times in one byte (18.3): the code of the least that is not below it, and back. */
uint8_t wt_olsr_time_code(wt_time time);
wt_time wt_olsr_time(uint8_t code);

#endif
