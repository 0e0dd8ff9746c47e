/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that wait for a route, in the order they came. */
#include "stack/mesh/inside.h"
#include "stack/net/books.h"

static uint32_t destination(const struct wt_frame *frame)
{
	struct wt_mesh_packet packet;

	wt_mesh_read(&packet, (struct wt_frame *)frame);
	return packet.dst;
}

/* The first that fits, taken out; before: the one in front of it, NULL: it is the head. */
static struct wt_frame *take_out(struct wt_mesh_buffer *buffer, struct wt_frame *before)
{
	struct wt_frame_queue *queue = &buffer->queue;
	struct wt_frame *frame = before ? before->next : queue->head;

	if (before)
		before->next = frame->next;
	else
		queue->head = frame->next;
	if (queue->tail == frame)
		queue->tail = before;
	queue->frames--;
	queue->bytes -= frame->len;
	frame->next = NULL;
	buffer->mesh->node.audit.queued--;
	return frame;
}

void wt_mesh_buffer_put(struct wt_mesh_buffer *buffer, wt_time now, struct wt_mesh_packet *packet)
{
	if (buffer->limit && buffer->queue.frames >= buffer->limit)
		wt_node_drop(&buffer->mesh->node, now, take_out(buffer, NULL), WT_DROP_WAITED);
	if (!buffer->limit) {
		wt_mesh_refuse(buffer->mesh, now, packet, WT_REFUSAL_HOST, WT_DROP_NO_ROUTE);
		return;
	}
	packet->frame->time = now;
	wt_books_keep(&buffer->mesh->node, &buffer->queue, packet->frame);
}

bool wt_mesh_buffer_take(struct wt_mesh_buffer *buffer, uint32_t dst, struct wt_mesh_packet *packet)
{
	struct wt_frame *before = NULL;

	for (struct wt_frame *at = buffer->queue.head; at; before = at, at = at->next)
		if (destination(at) == dst) {
			wt_mesh_read(packet, take_out(buffer, before));
			return true;
		}
	return false;
}

bool wt_mesh_buffer_has(const struct wt_mesh_buffer *buffer, uint32_t dst)
{
	for (const struct wt_frame *at = buffer->queue.head; at; at = at->next)
		if (destination(at) == dst)
			return true;
	return false;
}

/* As many as wait now: one that finds no way comes back behind them. */
static uint32_t count_for(const struct wt_mesh_buffer *buffer, uint32_t dst)
{
	uint32_t count = 0;

	for (const struct wt_frame *at = buffer->queue.head; at; at = at->next)
		count += destination(at) == dst;
	return count;
}

void wt_mesh_buffer_send(struct wt_mesh_buffer *buffer, wt_time now, uint32_t dst)
{
	struct wt_mesh_packet packet;

	for (uint32_t left = count_for(buffer, dst); left && wt_mesh_buffer_take(buffer, dst, &packet); left--)
		wt_mesh_forward(buffer->mesh, now, &packet);
}

void wt_mesh_buffer_refuse(struct wt_mesh_buffer *buffer, wt_time now, uint32_t dst)
{
	struct wt_mesh_packet packet;

	for (uint32_t left = count_for(buffer, dst); left && wt_mesh_buffer_take(buffer, dst, &packet); left--)
		wt_mesh_refuse(buffer->mesh, now, &packet, WT_REFUSAL_HOST, WT_DROP_NO_ROUTE);
}

wt_time wt_mesh_buffer_deadline(const struct wt_mesh_buffer *buffer)
{
	return buffer->queue.head ? wt_time_add(buffer->queue.head->time, buffer->lifetime) : WT_NEVER;
}

void wt_mesh_buffer_expire(struct wt_mesh_buffer *buffer, wt_time now)
{
	while (wt_mesh_buffer_deadline(buffer) <= now)
		wt_node_drop(&buffer->mesh->node, now, take_out(buffer, NULL), WT_DROP_WAITED);
}

void wt_mesh_buffer_clear(struct wt_mesh_buffer *buffer)
{
	wt_frame_queue_clear(&buffer->queue);
}
