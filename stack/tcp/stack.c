/* SPDX-License-Identifier: BSD-2-Clause */
/* What the connections of a host share: queues, timers, the way in and the way out. */
#include <errno.h>
#include <stdlib.h>

#include "stack/net/books.h"
#include "stack/tcp/tcb.h"

#define CONTAINER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

/* ---- queues and timers ------------------------------------------------------------------------------------- */

/* The head leaves the queue of those with something to send. */
static struct wt_tcp *take_output(struct wt_tcp_stack *stack)
{
	struct wt_tcp *tcp = stack->output_head;

	stack->output_head = tcp->output_next;
	if (!stack->output_head)
		stack->output_tail = NULL;
	tcp->in_output = stack->quiet = false;
	return tcp;
}

void wt_tcp_out_of_output(struct wt_tcp *tcp)
{
	if (tcp->stack->quiet && tcp->stack->output_head == tcp)
		take_output(tcp->stack);
}

void wt_tcp_wants_output(struct wt_tcp *tcp)
{
	struct wt_tcp_stack *stack = tcp->stack;

	if (stack->quiet && stack->now > stack->quiet_at) /* it would have been asked, and been done, at that instant */
		take_output(stack);
	if (tcp == stack->output_head)
		stack->quiet = false;
	if (tcp->in_output)
		return;
	tcp->in_output = true;
	tcp->output_next = NULL;
	if (stack->output_tail)
		stack->output_tail->output_next = tcp;
	else
		stack->output_head = tcp;
	stack->output_tail = tcp;
}

static void push_ready(struct wt_tcp *tcp)
{
	struct wt_tcp_stack *stack = tcp->stack;

	tcp->in_ready = true;
	tcp->ready_next = NULL;
	if (stack->ready_tail)
		stack->ready_tail->ready_next = tcp;
	else
		stack->ready_head = tcp;
	stack->ready_tail = tcp;
}

void wt_tcp_notify(struct wt_tcp *tcp, unsigned events)
{
	if (tcp->handle == WT_HANDLE_NONE)
		return;
	tcp->events |= events;
	/* in the accept queue events wait for the one who accepts */
	if (!tcp->in_ready && tcp->handle == WT_HANDLE_APP && tcp->callback)
		push_ready(tcp);
}

void wt_tcp_stack_tell(struct wt_tcp_stack *stack)
{
	struct wt_tcp *tcp;

	while ((tcp = stack->ready_head)) {
		unsigned events = tcp->events;

		tcp->events = 0;
		if (tcp->handle == WT_HANDLE_APP && tcp->callback && events)
			tcp->callback(tcp->arg, tcp, events, stack->now);
		stack->ready_head = tcp->ready_next;
		if (!stack->ready_head)
			stack->ready_tail = NULL;
		tcp->in_ready = false;
		if (tcp->events && tcp->handle == WT_HANDLE_APP && tcp->callback)
			push_ready(tcp);
		else
			wt_tcb_release(tcp);
	}
}

void wt_tcp_rearm(struct wt_tcp *tcp)
{
	wt_time due = WT_NEVER;

	for (unsigned i = 0; i < WT_TIMERS; i++)
		due = wt_time_min(due, tcp->timer[i]);
	wt_heap_set(&tcp->stack->conns, &tcp->heap, due);
}

void wt_tcp_trace(struct wt_tcp_stack *stack, const struct wt_trace_event *event)
{
	stack->config.trace->event(stack->config.trace, event);
}

/* ---- the verbs of the host ----------------------------------------------------------------------------------- */

static bool tcp_csum_ok(const struct wt_ip_packet *packet)
{
	uint64_t sum;

	/* PARTIAL: it never left this process or machine, so nothing could corrupt it. What has payload by reference is such. */
	if (packet->frame->csum != WT_CSUM_NONE)
		return true;
	sum = wt_csum_pseudo(&packet->ip.src, &packet->ip.dst, WT_IP_TCP, packet->len);
	return wt_csum_fold(wt_csum_add(sum, packet->payload, packet->len)) == 0;
}

void wt_tcp_stack_input(struct wt_tcp_stack *stack, const struct wt_ip_packet *packet)
{
	const struct wt_extent *rest;
	struct wt_extent payload;
	struct wt_tcp_header seg;
	struct wt_tuple tuple;
	uint32_t from;

	if (!wt_tcp_parse(packet->payload, packet->len, &seg)) {
		wt_node_drop(stack->net->config.node, stack->now, packet->frame, WT_DROP_TCP_HEADER);
		return;
	}
	if (!tcp_csum_ok(packet)) {
		wt_node_drop(stack->net->config.node, stack->now, packet->frame, WT_DROP_TCP_CSUM);
		return;
	}
	seg.ecn = packet->ip.tos & WT_ECN_MASK;
	tuple = (struct wt_tuple){{packet->ip.dst, seg.dst_port}, {packet->ip.src, seg.src_port}};
	if (wt_frame_has_facts(packet->frame, &wt_segment_maker))
		wt_segment_heard(stack, packet, &tuple);
	stack->no_memory = false;
	stack->slice = packet->frame->gso_size;
	rest = wt_frame_rest(packet->frame, &from); /* behind the headers, as we lay frames out */
	payload = rest ? *rest : wt_extent_of(packet->payload + seg.header_len);
	wt_tcp_input(stack, &tuple, &seg, &payload, packet->len - seg.header_len);
	if (stack->no_memory)
		wt_node_drop(stack->net->config.node, stack->now, packet->frame, WT_DROP_MEMORY);
	else
		wt_books_take(stack->net->config.node, packet->frame);
}

void wt_tcp_stack_expire(struct wt_tcp_stack *stack)
{
	while (wt_heap_is_due(&stack->conns, stack->now))
		wt_tcp_run_timers(CONTAINER(wt_heap_min(&stack->conns), struct wt_tcp, heap));
	while (wt_heap_is_due(&stack->waits, stack->now))
		wt_wait_end(stack, wt_wait_of(wt_heap_min(&stack->waits)));
}

struct wt_frame *wt_tcp_stack_output(struct wt_tcp_stack *stack)
{
	struct wt_frame *frame = NULL;

	while (!frame && wt_heap_is_due(&stack->syns, stack->now))
		frame = wt_syn_timeout(stack, wt_syn_of(wt_heap_min(&stack->syns)));
	while (!frame && stack->output_head) {
		enum wt_tcp_more more = WT_TCP_NO_MORE;

		if (!stack->quiet)
			frame = wt_tcp_output(stack->output_head, &more);
		if (more == WT_TCP_NO_MORE) {
			wt_tcb_release(take_output(stack));
		} else if (more == WT_TCP_QUIET) {
			stack->quiet = true;
			stack->quiet_at = stack->now;
		}
	}
	return frame;
}

wt_time wt_tcp_stack_deadline(const struct wt_tcp_stack *stack)
{
	if (stack->ready_head || (stack->quiet ? stack->output_head->output_next : stack->output_head))
		return stack->now;
	return wt_time_min(wt_heap_due(&stack->conns), wt_time_min(wt_heap_due(&stack->syns), wt_heap_due(&stack->waits)));
}

/* ---- life ------------------------------------------------------------------------------------------------------ */

static void derive_keys(struct wt_tcp_stack *stack)
{
	const struct wt_key *secret = &stack->config.secret;

	stack->key_isn = wt_secret_subkey(secret, 1);
	stack->key_port = wt_secret_subkey(secret, 2);
	stack->key_ts = wt_secret_subkey(secret, 3);
	stack->key_hash = wt_secret_subkey(secret, 4);
	stack->key_phase = wt_secret_subkey(secret, 5);
	stack->key_module = wt_secret_subkey(secret, 6);
	stack->key_cookie = wt_secret_subkey(secret, 8);
	stack->port_counter = (uint32_t)wt_siphash_u64(secret, 6);
}

int wt_tcp_stack_init(struct wt_tcp_stack *stack, const struct wt_tcp_stack_config *config)
{
	stack->config = *config;
	stack->net = config->net;
	derive_keys(stack);
	if (wt_heap_init(&stack->conns, config->max_connections + 1) || wt_demux_init(stack) ||
	    !(stack->chunks = wt_chunks_create(config->memory)))
		return -ENOMEM;
	return 0;
}

void wt_tcp_stack_finish(struct wt_tcp_stack *stack)
{
	while (stack->all) {
		struct wt_tcp *tcp = stack->all;

		wt_demux_remove(stack, &tcp->entry);
		wt_tcb_free(tcp);
	}
	wt_heap_finish(&stack->conns);
	wt_heap_finish(&stack->syns);
	wt_heap_finish(&stack->waits);
	wt_slots_finish(&stack->slots, stack->chunks);
	wt_chunks_destroy(stack->chunks);
	free(stack->table);
}
