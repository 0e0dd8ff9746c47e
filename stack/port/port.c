/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kinds of ports have in common: the verbs of the node, and what waits for the kernel. */
#include "stack/port/port.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/port/arrival.h"
#include "stack/port/batch.h"
#include "stack/port/interface.h"
#include "stack/port/merge.h"
#include "stack/port/offload.h"

static void wait_for_kernel(struct wt_port *port, wt_time now, struct wt_frame *frame)
{
	if (port->waiting.frames >= WT_PORT_WAITING) {
		wt_node_drop(&port->node, now, frame, WT_DROP_WIRE);
		return;
	}
	port->node.audit.queued++;
	wt_frame_queue_push(&port->waiting, frame);
}

/* What became of a frame that was to be written. */
static void conclude(struct wt_port *port, wt_time now, struct wt_frame *frame, int error)
{
	if (!error) {
		port->node.audit.taken++;
		wt_frame_free(frame);
		return;
	}
	port->last_error = error;
	if (error == -EAGAIN)
		wait_for_kernel(port, now, frame);
	else
		wt_node_drop(&port->node, now, frame, WT_DROP_WIRE);
}

static void note_late(struct wt_port *port, const struct wt_frame *frame, wt_time clock)
{
	if (port->clock)
		wt_histogram_add(&port->late, clock - frame->time);
}

static wt_time clock_of(const struct wt_port *port)
{
	return port->clock ? port->clock(port->clock_arg) : 0;
}

/* How many from there on go out by themselves, before the next run of segments that go together. *run: how long that is. */
static unsigned singles(const struct wt_port *port, unsigned from, unsigned *run)
{
	const struct wt_batch *batch = port->batch;
	unsigned at = from;

	*run = 0;
	while (at < batch->count && port->merges && (*run = wt_merge_run(&batch->entry[at], batch->count - at)) < 2)
		at++;
	if (*run >= 2)
		return at - from;
	*run = 0;
	return batch->count - from;
}

/* Fills in what became of each. False: the kernel does not do batches. */
static bool write_batch(struct wt_port *port)
{
	struct wt_batch *batch = port->batch;
	bool works = true;
	unsigned run;

	for (unsigned at = 0; at < batch->count;) {
		unsigned alone = singles(port, at, &run);
		int error;

		if (alone > 1)
			works &= wt_batch_write(batch, at, alone, port->fd);
		for (unsigned i = at; i < at + alone; i++)
			if (alone == 1 || batch->entry[i].error == -EINPROGRESS || batch->entry[i].error == -EOPNOTSUPP)
				batch->entry[i].error = port->ops->write(port, batch->entry[i].frame);
		at += alone;
		error = run ? wt_merge_write(port->fd, &batch->entry[at], run) : 0;
		for (; run; run--)
			batch->entry[at++].error = error;
	}
	return works;
}

/* One alone costs less by write(). A frame refused with EAGAIN lets those behind it in its batch pass; a TAP's send buffer, which
 * would be the reason, has no end unless somebody sets one. */
void wt_port_write(struct wt_port *port, wt_time now)
{
	struct wt_batch *batch = port->batch;
	unsigned count;
	wt_time clock;
	bool works;

	if (!batch || !batch->count)
		return;
	works = write_batch(port);
	clock = clock_of(port);
	count = batch->count;
	batch->count = 0;
	port->node.audit.queued -= count;
	for (unsigned i = 0; i < count; i++) {
		struct wt_frame *frame = batch->entry[i].frame;

		note_late(port, frame, clock);
		conclude(port, now, frame, batch->entry[i].error);
	}
	if (!works) {
		wt_batch_close(batch);
		port->batch = NULL;
	}
}

static void gather(struct wt_port *port, wt_time now, struct wt_frame *frame)
{
	port->node.audit.queued++;
	wt_batch_add(port->batch, frame);
	if (port->batch->count == WT_BATCH_FRAMES)
		wt_port_write(port, now);
}

void wt_port_gather(struct wt_port *port)
{
	if (!port->batch)
		port->batch = wt_batch_open(port->big_pool || port->ops->socket, port->ops->socket);
}

uint64_t wt_port_holds(const struct wt_port *port)
{
	return port->waiting.frames + (port->batch ? port->batch->count : 0);
}

static void write_out(struct wt_port *port, wt_time now, struct wt_frame *frame)
{
	if (port->waiting.head) { /* not past those that wait */
		wait_for_kernel(port, now, frame);
		return;
	}
	if (!port->big_pool) {
		if (frame->gso_size) {
			wt_node_drop(&port->node, now, frame, WT_DROP_OFFLOAD);
			return;
		}
		wt_frame_finish_csum(frame);
	}
	if (port->batch && port->clock && !frame->gso_size) {
		gather(port, now, frame);
		return;
	}
	wt_port_write(port, now); /* a big frame is worth a call of its own, behind those gathered */
	note_late(port, frame, clock_of(port));
	conclude(port, now, frame, port->ops->write(port, frame));
}

void wt_port_flush(struct wt_port *port, wt_time now)
{
	while (port->waiting.head) {
		int error = port->ops->write(port, port->waiting.head);
		struct wt_frame *frame;

		if (error == -EAGAIN)
			return;
		frame = wt_frame_queue_pop(&port->waiting);
		note_late(port, frame, clock_of(port));
		port->node.audit.queued--;
		if (error) {
			port->last_error = error;
			wt_node_drop(&port->node, now, frame, WT_DROP_WIRE);
		} else {
			port->node.audit.taken++;
			wt_frame_free(frame);
		}
	}
}

/* What was read goes on into the graph. */
static int pass(struct wt_node *node, unsigned from, wt_time now, struct wt_frame *frame)
{
	struct wt_port *port = (struct wt_port *)node;

	if (port->watch && frame->fate == WT_FATE_UNDERWAY)
		port->watch->frame(port->watch, port, from == 1, now, frame);
	if (from == 1)
		return 0;
	if (frame->fate != WT_FATE_UNDERWAY) {
		wt_node_drop(node, now, frame, WT_DROP_NO_ACK); /* a kernel takes nothing back */
		return WT_KEPT;
	}
	write_out(port, now, frame);
	return WT_KEPT;
}

static void input(struct wt_node *node, unsigned from, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	if (pass(node, from, now, frame) == WT_KEPT)
		return;
	node->audit.queued++;
	wt_frame_queue_push(&((struct wt_port *)node)->arrived, frame);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	*port = 0;
	return wt_node_leave(node, &((struct wt_port *)node)->arrived);
}

/* What waits for the kernel waits for its descriptor, not for a time. */
static wt_time deadline(const struct wt_node *node)
{
	return ((const struct wt_port *)node)->arrived.head ? 0 : WT_NEVER;
}

static void destroy(struct wt_node *node)
{
	wt_port_close((struct wt_port *)node);
}

struct wt_port *wt_port_new(const char *interface, const struct wt_port_ops *ops, struct wt_pool *pool)
{
	static const struct wt_node_ops node_ops = {input, output, deadline, destroy, .pass = pass};
	struct wt_port *port;
	size_t len = strlen(interface);

	/* What the kernel accepts, except '%', which it would replace by a number. */
	if (!len || len >= sizeof(port->interface) || strpbrk(interface, "/%: \t\n") || !strcmp(interface, ".") ||
	    !strcmp(interface, "..")) {
		errno = EINVAL;
		return NULL;
	}
	port = calloc(1, sizeof(*port));
	if (!port)
		return NULL;
	port->node.ops = &node_ops;
	port->node.ports = 2;
	port->ops = ops;
	port->pool = pool;
	port->fd = port->control = -1;
	memcpy(port->node.name, interface, len + 1);
	memcpy(port->interface, interface, len + 1);
	return port;
}

int wt_port_refresh(struct wt_port *port)
{
	return port->ops->refresh(port);
}

void wt_port_count_from_now(struct wt_port *port)
{
	wt_port_refresh(port);
	port->kernel_base -= port->kernel_drops;
	port->kernel_drops = 0;
}

void wt_port_stamp(struct wt_port *port, bool filter)
{
	port->stamp_filter = filter;
	port->stamps_refused = port->ops->stamp(port, false);
	port->stamps = !port->stamps_refused;
}

void wt_port_hear(struct wt_port *port)
{
	if (!port->stamps || port->hears)
		return;
	port->stamps_refused = port->ops->stamp(port, true);
	port->hears = !port->stamps_refused;
}

int wt_port_reopen(struct wt_port *port)
{
	return port->ops->reopen(port);
}

void wt_port_close(struct wt_port *port)
{
	if (!port)
		return;
	wt_frame_queue_clear(&port->cut);
	wt_frame_queue_clear(&port->arrived);
	wt_frame_queue_clear(&port->waiting);
	wt_batch_close(port->batch);
	wt_arrival_close(port->arrival);
	if (port->restore) {
		wt_interface_restore(port->control, port->interface, port->restore);
		wt_interface_note_done(port);
	}
	if (port->queue_was > 0)
		wt_interface_queue(port, port->queue_was);
	if (port->fd >= 0)
		close(port->fd);
	if (port->control >= 0)
		close(port->control);
	wt_offload_finish(port);
	wt_histogram_finish(&port->late);
	free(port);
}
