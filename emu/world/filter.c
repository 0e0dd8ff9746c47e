/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/filter.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>

#include "emu/stage.h"

enum { SNAP = 65535, TOUCHED = 1, AROUND = 2, TOGETHER = 2 };

/* Both nodes: frames pass in the order they came, each by the port in its mark. */
struct gate {
	struct wt_stage stage;
	struct bpf_program program;
};

static int filter_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	const struct gate *gate = (const struct gate *)node;

	return bpf_filter(gate->program.bf_insns, wt_frame_look(frame), frame->len, frame->len) ? TOUCHED : AROUND;
}

static int merge_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	return TOGETHER;
}

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	frame->time = now;
	frame->mark = (uint8_t)node->ops->pass(node, port, now, frame);
	wt_stage_ready((struct wt_stage *)node, frame);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_frame *frame = wt_stage_output(node, now, port);

	if (frame)
		*port = frame->mark;
	return frame;
}

static void destroy(struct wt_node *node)
{
	pcap_freecode(&((struct gate *)node)->program);
	wt_stage_destroy(node);
}

static struct gate *gate_new(const char *name, const struct wt_node_ops *ops)
{
	struct gate *gate = wt_stage_new(sizeof(*gate), ops, name);

	if (gate)
		gate->stage.node.ports = 3;
	return gate;
}

static int filter_create(struct wt_node **filter, const char *name, const char *expression, char *err, size_t err_len)
{
	static const struct wt_node_ops ops = {input, output, wt_stage_deadline, destroy, .pass = filter_pass};
	struct gate *gate = gate_new(name, &ops);
	pcap_t *pcap = pcap_open_dead(DLT_EN10MB, SNAP);
	int error = gate && pcap ? 0 : -ENOMEM;

	if (!error && pcap_compile(pcap, &gate->program, expression, 1, PCAP_NETMASK_UNKNOWN)) {
		snprintf(err, err_len, "\"%.80s\" is no expression of pcap-filter(7): %s", expression, pcap_geterr(pcap));
		error = -EINVAL;
	}
	if (pcap)
		pcap_close(pcap);
	if (error) {
		if (gate)
			wt_stage_destroy(&gate->stage.node);
		return error;
	}
	*filter = &gate->stage.node;
	return 0;
}

static struct wt_node *merge_create(const char *name)
{
	static const struct wt_node_ops ops = {input, output, wt_stage_deadline, destroy, .pass = merge_pass};
	struct gate *gate = gate_new(name, &ops);

	return gate ? &gate->stage.node : NULL;
}

static void exchange(struct wt_node *filter, struct wt_node *fresh)
{
	struct bpf_program *program = &((struct gate *)filter)->program, old = *program;

	*program = ((struct gate *)fresh)->program;
	((struct gate *)fresh)->program = old;
	destroy(fresh);
}

const struct wt_path_gates wt_filter_gates = {filter_create, merge_create, exchange};
