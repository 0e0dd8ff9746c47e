/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/tcp/segment.h"

#include <stdlib.h>

#include "stack/net/books.h"
#include "stack/tcp/tcb.h"

_Static_assert(sizeof(struct wt_facts) <= sizeof(((struct wt_frame *)0)->facts), "facts have room in a frame");

static void let_go(struct wt_template *template)
{
	if (!--template->holders)
		free(template);
}

/* ---- bytes ---------------------------------------------------------------------------------------------------- */

/* All but the ports, which lie in another line of the cache: whoever reads facts knows the connection. */
static inline void read_facts(const struct wt_frame *frame, struct wt_tcp_header *seg)
{
	const struct wt_facts *facts = (const struct wt_facts *)(const void *)frame->facts;

	wt_tcp_header_begin(seg);
	seg->seq = facts->seq;
	seg->ack = facts->ack;
	seg->window = facts->window;
	seg->flags = facts->flags;
	seg->ecn = facts->tos & WT_ECN_MASK;
	seg->has_ts = facts->has_ts;
	seg->tsval = facts->tsval;
	seg->tsecr = facts->tsecr;
	seg->sack_count = facts->sack_count;
	if (seg->sack_count)
		memcpy(seg->sack, wt_frame_beside(frame), seg->sack_count * sizeof(seg->sack[0]));
}

static void write_head(const struct wt_frame *frame, uint8_t *head)
{
	const struct wt_facts *facts = (const struct wt_facts *)(const void *)frame->facts;
	struct wt_tcp_header seg;

	read_facts(frame, &seg);
	seg.src_port = facts->template->src_port;
	seg.dst_port = facts->template->dst_port;
	wt_usual_write(&facts->template->out, head, (uint16_t)(frame->len - WT_ETH_HEADER), facts->id, facts->tos);
	wt_tcp_emit(head + WT_IP_PAYLOAD, &seg);
	wt_put16(head + WT_IP_PAYLOAD + 16, (uint16_t)~wt_csum_fold(facts->template->pseudo + wt_csum_length(frame->len - WT_IP_PAYLOAD)));
}

static void drop_facts(struct wt_frame *frame)
{
	let_go(wt_facts_of(frame)->template);
}

const struct wt_frame_maker wt_segment_maker = {write_head, drop_facts};

/* ---- templates ------------------------------------------------------------------------------------------------ */

/* Not charged to the memory of the stack: frames keep it beyond the connection, and the block of a connection is twelve times as large. */
void wt_template_learn(struct wt_tcp *tcp)
{
	struct wt_net *net = tcp->stack->net;
	const struct wt_tuple *tuple = &tcp->entry.tuple;
	const struct wt_usual_out *out;

	if (wt_pool_is_whole(net->config.pool) || (tcp->template && tcp->template->age == net->usual.age))
		return;
	if (tcp->template)
		let_go(tcp->template);
	tcp->template = NULL;
	out = wt_usual_way(net, &tuple->local.addr, &tuple->remote.addr, WT_IP_TCP);
	if (!out || !(tcp->template = aligned_alloc(WT_CACHE_LINE, sizeof(*tcp->template))))
		return;
	*tcp->template = (struct wt_template){
		.holders = 1, .age = net->usual.age, .out = *out, .pseudo = tcp->pseudo, .src_port = tuple->local.port, .dst_port = tuple->remote.port,
	};
}

void wt_template_unheard(struct wt_tcp *tcp)
{
	if (!tcp->heard)
		return;
	if (tcp->heard->to == tcp)
		tcp->heard->net = NULL;
	let_go(tcp->heard);
	tcp->heard = NULL;
}

void wt_template_leave(struct wt_tcp *tcp)
{
	wt_template_unheard(tcp);
	if (tcp->template)
		let_go(tcp->template);
	tcp->template = NULL;
}

/* ---- both ways ------------------------------------------------------------------------------------------------ */

struct wt_frame *wt_segment_begin(struct wt_tcp *tcp, uint32_t header, const struct wt_extent *text, uint32_t len)
{
	struct wt_net *net = tcp->stack->net;
	struct wt_template *template = tcp->template;
	struct wt_frame *frame = wt_books_made(net->config.node, tcp->stack->now,
					       wt_frame_new_facts(net->config.pool, &wt_segment_maker, WT_IP_PAYLOAD + header, text, len));

	if (!frame)
		return NULL;
	template->holders++;
	wt_facts_of(frame)->template = template;
	wt_facts_of(frame)->id = wt_net_id_after(net, template->out.id_hash);
	frame->mark = template->out.interface;
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = WT_IP_PAYLOAD;
	frame->csum_offset = 16;
	return frame;
}

struct wt_frame *wt_segment_build(struct wt_tcp *tcp, struct wt_tcp_header *seg, const struct wt_extent *text, uint32_t len)
{
	struct wt_frame *frame = wt_segment_begin(tcp, wt_tcp_emit_len(seg), text, len);
	struct wt_facts *facts;

	if (!frame)
		return NULL;
	facts = wt_facts_of(frame);
	facts->seq = seg->seq;
	facts->ack = seg->ack;
	facts->window = seg->window;
	facts->flags = seg->flags;
	facts->tos = seg->ecn;
	facts->has_ts = seg->has_ts;
	facts->tsval = seg->tsval;
	facts->tsecr = seg->tsecr;
	facts->sack_count = seg->sack_count;
	if (seg->sack_count)
		memcpy(wt_frame_beside(frame), seg->sack, seg->sack_count * sizeof(seg->sack[0]));
	return frame;
}

bool wt_segment_input(struct wt_tcp_stack *stack, unsigned interface, struct wt_frame *frame)
{
	static const struct wt_extent nothing;
	const struct wt_template *template;
	const struct wt_extent *rest;
	struct wt_tcp_header seg;
	uint32_t from;

	if (!wt_frame_has_facts(frame, &wt_segment_maker) || (wt_facts_of(frame)->sack_count && !wt_frame_beside(frame)))
		return false; /* where the blocks lay there are headers */
	template = wt_facts_of(frame)->template;
	if (template->net != stack->net || template->net_age != stack->net->usual.age || template->interface != interface ||
	    frame->fate != WT_FATE_UNDERWAY)
		return false;
	rest = wt_frame_rest(frame, &from);
	stack->no_memory = false;
	stack->slice = 0;
	if (!wt_plain_input(template->to, wt_facts_of(frame), rest, frame->len - from)) {
		read_facts(frame, &seg);
		wt_tcp_connection_input(template->to, &seg, rest ? rest : &nothing, frame->len - from);
	}
	if (stack->no_memory)
		wt_node_drop(stack->net->config.node, stack->now, frame, WT_DROP_MEMORY);
	else
		wt_books_take(stack->net->config.node, frame);
	return true;
}

void wt_segment_heard(struct wt_tcp_stack *stack, const struct wt_ip_packet *packet, const struct wt_tuple *tuple)
{
	struct wt_template *template = wt_facts_of(packet->frame)->template;
	struct wt_tcp *tcp;

	if (packet->frame->from_path || stack->net->config.forwards || !(tcp = wt_demux_connection(stack, tuple)))
		return;
	wt_template_unheard(tcp);
	template->holders++;
	template->net = stack->net;
	template->net_age = stack->net->usual.age;
	template->interface = packet->interface;
	template->to = tcp;
	tcp->heard = template;
}
