/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/cutter.h"

#include "emu/stage.h"
#include "stack/port/segmenter.h"
#include "stack/wire/ipv4.h"

enum { TCP_CSUM = 16 };

struct cutter {
	struct wt_stage stage;
	struct wt_pool *pool;
};

static void cut(struct cutter *cutter, wt_time now, struct wt_frame *frame)
{
	struct wt_node *node = &cutter->stage.node;
	struct wt_big_frame big = {.head = wt_frame_look(frame), .head_len = frame->len, .segment = frame->gso_size,
				   .protocol = frame->csum_offset == TCP_CSUM ? WT_IP_TCP : WT_IP_UDP};
	struct wt_frame_queue packets = {0};
	struct wt_frame *packet;
	int lost = wt_cut(&big, cutter->pool, &packets);

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
		wt_stage_ready(&cutter->stage, packet);
	}
	wt_frame_free(frame);
}

static int cutter_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	if (!frame->gso_size)
		return WT_ON;
	cut((struct cutter *)node, now, frame);
	return WT_KEPT;
}

struct wt_node *wt_cutter_create(const char *name, struct wt_pool *pool)
{
	static const struct wt_node_ops ops = {wt_stage_input, wt_stage_output, wt_stage_deadline, wt_stage_destroy, .pass = cutter_pass};
	struct cutter *cutter = wt_stage_new(sizeof(*cutter), &ops, name);

	if (cutter)
		cutter->pool = pool;
	return cutter ? &cutter->stage.node : NULL;
}
