/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/flow_delay.h"

#include <errno.h>
#include <stdlib.h>

#include "emu/stage.h"
#include "stack/base/heap.h"
#include "stack/wire/ipv4.h"

enum { IP_AT = 14, PORTS = 4, HOST = 0, LINK = 1 };

struct flow {
	struct wt_heap_entry entry; /* due: when the first leaves */
	uint16_t port;
	wt_time delay;
	struct wt_frame_queue wait; /* frame->time: when it leaves */
};

struct flow_delay {
	struct wt_stage stage; /* ready: what passes, by the port in its mark */
	unsigned count;
	struct flow **flow; /* each by itself: the heap points at them */
	struct wt_heap heap;
};

static struct flow *flow_of(const struct flow_delay *node, const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_head(frame) + IP_AT;
	uint32_t header;

	if (frame->len < IP_AT + WT_IPV4_HEADER + PORTS || wt_get16(wt_frame_head(frame) + 12) != 0x0800 || (ip[9] != WT_IP_TCP && ip[9] != WT_IP_UDP) ||
	    wt_get16(ip + 6) & 0x1fff)
		return NULL;
	header = (ip[0] & 15) * 4u;
	for (unsigned i = 0; i < node->count && frame->len >= IP_AT + header + PORTS; i++)
		if (node->flow[i]->port == wt_get16(ip + header))
			return node->flow[i];
	return NULL;
}

static int pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct flow_delay *delays = (struct flow_delay *)node;
	struct flow *flow = port == HOST ? flow_of(delays, frame) : NULL;

	if (!flow)
		return port == HOST ? LINK : HOST;
	frame->time = now + flow->delay;
	node->audit.queued++;
	wt_frame_queue_push(&flow->wait, frame);
	if (flow->wait.head == frame)
		wt_heap_set(&delays->heap, &flow->entry, frame->time);
	return WT_KEPT;
}

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	int to;

	node->audit.in++;
	to = pass(node, port, now, frame);
	if (to == WT_KEPT)
		return;
	frame->time = now;
	frame->mark = (uint8_t)to;
	wt_stage_ready((struct wt_stage *)node, frame);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct flow_delay *delays = (struct flow_delay *)node;
	struct wt_frame *frame = wt_stage_output(node, now, port);
	struct wt_heap_entry *first = wt_heap_min(&delays->heap);
	struct flow *flow = (struct flow *)first;

	if (frame) {
		*port = frame->mark;
		return frame;
	}
	if (!first || first->due > now)
		return NULL;
	frame = wt_node_leave(node, &flow->wait);
	wt_heap_set(&delays->heap, &flow->entry, flow->wait.head ? flow->wait.head->time : WT_NEVER);
	*port = LINK;
	return frame;
}

static wt_time deadline(const struct wt_node *node)
{
	const struct wt_heap_entry *first = wt_heap_min(&((const struct flow_delay *)node)->heap);

	return wt_time_min(wt_stage_deadline(node), first ? first->due : WT_NEVER);
}

static void destroy(struct wt_node *node)
{
	struct flow_delay *delays = (struct flow_delay *)node;

	for (unsigned i = 0; i < delays->count; i++) {
		wt_frame_queue_clear(&delays->flow[i]->wait);
		free(delays->flow[i]);
	}
	free(delays->flow);
	wt_heap_finish(&delays->heap);
	wt_stage_destroy(node);
}

struct wt_node *wt_flow_delay_create(const char *name)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy, .pass = pass};

	return wt_stage_new(sizeof(struct flow_delay), &ops, name);
}

int wt_flow_delay_add(struct wt_node *node, uint16_t local_port, wt_time delay)
{
	struct flow_delay *delays = (struct flow_delay *)node;
	struct flow **more = realloc(delays->flow, (delays->count + 1) * sizeof(*more)), *flow;

	if (!more)
		return -ENOMEM;
	delays->flow = more;
	flow = calloc(1, sizeof(*flow));
	if (!flow || wt_heap_grow(&delays->heap, delays->count + 1)) {
		free(flow);
		return -ENOMEM;
	}
	flow->port = local_port;
	flow->delay = delay;
	flow->entry.order = delays->count;
	delays->flow[delays->count++] = flow;
	return 0;
}
