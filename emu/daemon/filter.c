/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/filter.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

enum { SNAP = 65535, TOUCHED = 1, AROUND = 2, MERGED = 2 };

/* Both nodes: frames pass in the order they came, each by the port in its mark. */
struct gate {
	struct wt_node node;
	struct bpf_program program;
	struct wt_frame_queue passing;
};

static int filter_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	const struct gate *gate = (const struct gate *)node;

	return bpf_filter(gate->program.bf_insns, frame->data, frame->len, frame->len) ? TOUCHED : AROUND;
}

static int merge_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	return MERGED;
}

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	node->audit.queued++;
	frame->time = now;
	frame->mark = (uint8_t)node->ops->pass(node, port, now, frame);
	wt_frame_queue_push(&((struct gate *)node)->passing, frame);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_frame *frame = wt_frame_queue_pop(&((struct gate *)node)->passing);

	if (frame) {
		*port = frame->mark;
		node->audit.queued--;
		node->audit.out++;
	}
	return frame;
}

static wt_time deadline(const struct wt_node *node)
{
	return ((const struct gate *)node)->passing.head ? 0 : WT_NEVER;
}

static void destroy(struct wt_node *node)
{
	struct gate *gate = (struct gate *)node;

	wt_frame_queue_clear(&gate->passing);
	pcap_freecode(&gate->program);
	free(gate);
}

static struct gate *gate_new(const char *name, const struct wt_node_ops *ops)
{
	struct gate *gate = calloc(1, sizeof(*gate));

	if (!gate)
		return NULL;
	gate->node.ops = ops;
	gate->node.ports = 3;
	snprintf(gate->node.name, sizeof(gate->node.name), "%s", name);
	return gate;
}

int wt_filter_create(struct wt_node **filter, const char *name, const char *expression, char *err, size_t err_len)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy, .pass = filter_pass};
	struct gate *gate = gate_new(name, &ops);
	pcap_t *pcap = pcap_open_dead(DLT_EN10MB, SNAP);
	int error = gate && pcap ? 0 : -ENOMEM;

	if (error)
		snprintf(err, err_len, "out of memory");
	else if (pcap_compile(pcap, &gate->program, expression, 1, PCAP_NETMASK_UNKNOWN)) {
		snprintf(err, err_len, "\"%.80s\" is no expression of pcap-filter(7): %s", expression, pcap_geterr(pcap));
		error = -EINVAL;
	}
	if (pcap)
		pcap_close(pcap);
	if (error) {
		free(gate);
		return error;
	}
	*filter = &gate->node;
	return 0;
}

struct wt_node *wt_merge_create(const char *name)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy, .pass = merge_pass};
	struct gate *gate = gate_new(name, &ops);

	return gate ? &gate->node : NULL;
}
