/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/segmenter_node.h"

#include "emu/stage.h"
#include "stack/port/segmenter.h"
#include "stack/wire/ipv4.h"

enum { TCP_CSUM = 16 };

struct segmenter {
	struct wt_stage stage;
	struct wt_pool *pool;
};

static void cut(struct segmenter *segmenter, wt_time now, struct wt_frame *frame)
{
	struct wt_node *node = &segmenter->stage.node;
	struct wt_big_frame big = {.head = wt_frame_look(frame), .head_len = frame->len, .segment = frame->gso_size,
				   .protocol = frame->csum_offset == TCP_CSUM ? WT_IP_TCP : WT_IP_UDP};
	struct wt_frame_queue packets = {0};
	struct wt_frame *packet;
	int lost = wt_segment_frame(&big, segmenter->pool, &packets);

	if (lost < 0) {
		wt_frame_queue_clear(&packets);
		wt_node_drop(node, now, frame, WT_DROP_OFFLOAD);
		return;
	}
	/* it came as one */
	node->audit.made += packets.frames + (unsigned)lost - 1;
	node->audit.dropped[WT_DROP_POOL] += (unsigned)lost;
	while ((packet = wt_frame_queue_pop(&packets))) {
		packet->time = now;
		wt_stage_ready(&segmenter->stage, packet);
	}
	wt_frame_free(frame);
}

static int segmenter_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	if (!frame->gso_size)
		return WT_ON;
	cut((struct segmenter *)node, now, frame);
	return WT_KEPT;
}

struct wt_node *wt_segmenter_create(const char *name, struct wt_pool *pool)
{
	static const struct wt_node_ops ops = {wt_stage_input, wt_stage_output, wt_stage_deadline, wt_stage_destroy, .pass = segmenter_pass};
	struct segmenter *segmenter = wt_stage_new(sizeof(*segmenter), &ops, name);

	if (segmenter)
		segmenter->pool = pool;
	return segmenter ? &segmenter->stage.node : NULL;
}
