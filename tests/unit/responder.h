/* SPDX-License-Identifier: BSD-2-Clause */
/* A node of one port that answers ARP and ICMP echo for any address: something for a kernel to ping. */
#ifndef WT_TESTS_UNIT_RESPONDER_H
#define WT_TESTS_UNIT_RESPONDER_H

#include <string.h>

#include "stack/base/bytes.h"
#include "stack/base/node.h"
#include "stack/wire/checksum.h"

struct responder {
	struct wt_node node;
	struct wt_frame_queue answers;
};

static const uint8_t responder_mac[6] = {2, 0, 0, 0, 0, 9};

static inline bool turn_arp_into_answer(uint8_t *eth)
{
	uint8_t *arp = eth + 14, asked[4];

	if (wt_get16(arp + 6) != 1)
		return false;
	wt_put16(arp + 6, 2);
	memcpy(asked, arp + 24, 4);
	memcpy(arp + 18, arp + 8, 10);
	memcpy(arp + 8, responder_mac, 6);
	memcpy(arp + 14, asked, 4);
	return true;
}

static inline bool turn_echo_into_answer(uint8_t *eth, uint32_t len)
{
	uint8_t *ip = eth + 14, *icmp = ip + 20, source[4];
	uint32_t total = wt_get16(ip + 2);

	if (ip[9] != 1 || icmp[0] != 8 || total + 14 > len)
		return false;
	memcpy(source, ip + 12, 4);
	memcpy(ip + 12, ip + 16, 4);
	memcpy(ip + 16, source, 4);
	icmp[0] = 0;
	wt_put16(icmp + 2, 0);
	wt_put16(icmp + 2, wt_csum_fold(wt_csum_add(0, icmp, total - 20)));
	return true;
}

static inline void responder_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct responder *responder = (struct responder *)node;
	unsigned type = wt_get16(wt_frame_own_bytes(frame) + 12);

	node->audit.in++;
	if (frame->len >= 42 && (type == 0x0806 ? turn_arp_into_answer(wt_frame_own_bytes(frame)) :
						  type == 0x0800 && turn_echo_into_answer(wt_frame_own_bytes(frame), frame->len))) {
		memcpy(wt_frame_own_bytes(frame), wt_frame_own_bytes(frame) + 6, 6);
		memcpy(wt_frame_own_bytes(frame) + 6, responder_mac, 6);
		node->audit.queued++;
		wt_frame_queue_push(&responder->answers, frame);
	} else {
		node->audit.taken++;
		wt_frame_free(frame);
	}
}

static inline struct wt_frame *responder_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_frame *frame = wt_frame_queue_pop(&((struct responder *)node)->answers);

	if (frame) {
		node->audit.queued--;
		node->audit.out++;
	}
	return frame;
}

static inline wt_time responder_deadline(const struct wt_node *node)
{
	return ((const struct responder *)node)->answers.head ? 0 : WT_NEVER;
}

static inline void responder_init(struct responder *responder)
{
	static const struct wt_node_ops ops = {responder_input, responder_output, responder_deadline, NULL};

	*responder = (struct responder){.node = {.ops = &ops, .name = "responder", .ports = 1}};
}

#endif
