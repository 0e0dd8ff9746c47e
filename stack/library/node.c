/* SPDX-License-Identifier: BSD-2-Clause */
/* A node of the library's user: his three verbs behind the engine's, and the books kept here. What came in and has neither left nor
 * ended waits in it, as far as the books are concerned. */
#include <wavetank/node.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stack/library/library.h"

struct custom {
	struct wt_node node; /* first */
	struct wt_lib_graph *graph;
	struct wt_lib_node_ops ops;
	void *arg;
};

static void custom_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct custom *custom = (struct custom *)node;

	node->audit.in++;
	node->audit.queued++;
	custom->ops.input(custom->arg, (struct wt_lib_node *)node, port, now, (struct wt_lib_frame *)frame);
}

static struct wt_frame *custom_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct custom *custom = (struct custom *)node;
	struct wt_lib_frame *frame = custom->ops.output(custom->arg, (struct wt_lib_node *)node, now, port);

	if (frame) {
		node->audit.queued--;
		node->audit.out++;
	}
	return wt_lib_inner_frame(frame);
}

static wt_time custom_deadline(const struct wt_node *node)
{
	const struct custom *custom = (const struct custom *)node;

	return custom->ops.deadline(custom->arg);
}

static void custom_destroy(struct wt_node *node)
{
	struct custom *custom = (struct custom *)node;

	if (custom->ops.destroy)
		custom->ops.destroy(custom->arg);
	free(custom);
}

static const struct wt_node_ops custom_ops = {
	.input = custom_input, .output = custom_output, .deadline = custom_deadline, .destroy = custom_destroy,
};

struct wt_lib_node *wt_lib_node_create(struct wt_lib_graph *graph, const char *name, unsigned ports, const struct wt_lib_node_ops *ops, void *arg)
{
	struct custom *custom;

	errno = EINVAL;
	if (!ops || ops->size < sizeof(*ops) || !ops->input || !ops->output || !ops->deadline || !name || !*name ||
	    strlen(name) >= sizeof(custom->node.name) || !ports || ports > 64)
		return NULL;
	errno = ENOMEM;
	custom = calloc(1, sizeof(*custom));
	if (!custom)
		return NULL;
	custom->node.ops = &custom_ops;
	custom->node.ports = ports;
	strcpy(custom->node.name, name);
	custom->graph = graph;
	custom->ops = *ops;
	custom->arg = arg;
	if (wt_graph_add(graph->graph, &custom->node) < 0) {
		free(custom);
		return NULL;
	}
	wt_lib_settle(graph, &custom->node);
	return (struct wt_lib_node *)custom;
}

const char *wt_lib_node_name(const struct wt_lib_node *node)
{
	return wt_lib_inner_node(node)->name;
}

struct wt_lib_frame *wt_lib_node_make(struct wt_lib_node *node, const void *bytes, uint32_t len)
{
	struct custom *custom = (struct custom *)node;
	struct wt_lib_frame *frame = wt_lib_frame_new((struct wt_lib_pool *)custom->graph->pool, bytes, len);

	if (frame) {
		custom->node.audit.made++;
		custom->node.audit.queued++;
	}
	return frame;
}

void wt_lib_node_take(struct wt_lib_node *node, struct wt_lib_frame *frame)
{
	struct wt_node *inner = wt_lib_inner_node(node);

	inner->audit.queued--;
	inner->audit.taken++;
	wt_lib_frame_free(frame);
}

void wt_lib_node_drop(struct wt_lib_node *node, wt_time now, struct wt_lib_frame *frame)
{
	struct wt_node *inner = wt_lib_inner_node(node);

	inner->audit.queued--;
	wt_node_drop(inner, now, wt_lib_inner_frame(frame), WT_DROP_LOSS);
}

void wt_lib_node_books(const struct wt_lib_node *node, struct wt_lib_books *books)
{
	const struct wt_audit *audit = &wt_lib_inner_node(node)->audit;

	*books = (struct wt_lib_books){.in = audit->in, .made = audit->made, .out = audit->out, .taken = audit->taken,
				    .dropped = wt_audit_dropped(audit), .queued = audit->queued};
}
