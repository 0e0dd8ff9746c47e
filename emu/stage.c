/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/bytes.h"

enum { ETHERNET_HEADER = 14, TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, CLASS_SHIFT = 48 };

bool wt_packets_next(struct wt_packets *packets, const struct wt_frame *frame, uint64_t *number)
{
	const uint8_t *ip = frame->data + ETHERNET_HEADER;
	unsigned class;

	/* a packet cut short in its header still is one: it counts as protocol 0 */
	if (frame->len < ETHERNET_HEADER)
		return false;
	switch (wt_get16(frame->data + 12)) {
	case TYPE_IPV4:
		class = frame->len > ETHERNET_HEADER + 9 ? ip[9] : 0;
		break;
	case TYPE_IPV6:
		class = 256 + (frame->len > ETHERNET_HEADER + 6 ? ip[6] : 0);
		break;
	default:
		return false;
	}
	*number = (uint64_t)class << CLASS_SHIFT | packets->count[class]++;
	return true;
}

bool wt_packets_share(struct wt_packets *packets, const struct wt_key *key, const struct wt_frame *frame, double share)
{
	uint64_t number;

	if (!wt_packets_next(packets, frame, &number))
		return share >= 1;
	return wt_random_strikes(key, number, share);
}

void *wt_stage_new(size_t size, const struct wt_node_ops *ops, const char *name)
{
	struct wt_stage *stage = calloc(1, size);

	if (!stage)
		return NULL;
	stage->node.ops = ops;
	stage->node.ports = 2;
	snprintf(stage->node.name, sizeof(stage->node.name), "%s", name);
	return stage;
}

struct wt_frame *wt_stage_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_stage *stage = (struct wt_stage *)node;
	struct wt_frame *frame = stage->ready.head;

	if (!frame || frame->time > now)
		return NULL;
	wt_frame_queue_pop(&stage->ready);
	node->audit.queued--;
	node->audit.out++;
	*port = 1;
	return frame;
}

wt_time wt_stage_deadline(const struct wt_node *node)
{
	const struct wt_stage *stage = (const struct wt_stage *)node;

	return stage->ready.head ? stage->ready.head->time : WT_NEVER;
}

void wt_stage_destroy(struct wt_node *node)
{
	struct wt_stage *stage = (struct wt_stage *)node;

	if (!stage)
		return;
	wt_frame_queue_clear(&stage->ready);
	free(stage);
}
