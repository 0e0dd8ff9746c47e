/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lying peer: it stands on the wire beside the first host, sees what comes, and makes of the peer's ACKs what Savage et al. (1999) and
 * others after them have made: ACKs for what was not received, many ACKs for one, SACK blocks of nothing, windows that close, segments by
 * a stranger who guessed numbers.
 */
#include <stdlib.h>

#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"
#include "tests/swarm/swarm.h"

enum { HEADERS = WT_ETH_HEADER + WT_IPV4_HEADER, KNOWN = 16 };

struct liar {
	struct wt_node node; /* first */
	struct wt_pool *pool;
	struct draw draw;
	const struct plan *plan;
	unsigned lies;
	struct wt_frame_queue out; /* frame->mark: the port */
	struct {
		uint16_t port; /* of the host that is lied to */
		wt_seq top, acked; /* of what it has sent; of what the peer acknowledged */
		wt_seq first; /* of the peer's stream */
		bool known;
	} flow[KNOWN];
};

static void leave(struct liar *liar, struct wt_frame *frame, unsigned port)
{
	frame->mark = (uint8_t)port;
	liar->node.audit.queued++;
	wt_frame_queue_push(&liar->out, frame);
}

/* The headers of `model` around another TCP header. */
static void forge(struct liar *liar, const struct wt_frame *model, struct wt_tcp_header *seg)
{
	struct wt_frame *frame = wt_frame_new(liar->pool);
	struct wt_ipv4 ip;

	if (!frame)
		return;
	liar->node.audit.made++;
	memcpy(wt_frame_own_bytes(frame), wt_frame_look(model), HEADERS);
	wt_ipv4_parse(wt_frame_look(model) + WT_ETH_HEADER, model->len - WT_ETH_HEADER, false, &ip);
	ip.total_len = (uint16_t)(WT_IPV4_HEADER + wt_tcp_emit_len(seg));
	wt_ipv4_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &ip);
	frame->len = HEADERS + wt_tcp_emit(wt_frame_own_bytes(frame) + HEADERS, seg);
	frame->csum = WT_CSUM_VALID;
	leave(liar, frame, 0);
}

static void lie(struct liar *liar, const struct wt_frame *frame, const struct wt_tcp_header *honest, wt_seq top, wt_seq acked)
{
	struct wt_tcp_header seg = *honest;
	struct draw *draw = &liar->draw;
	uint32_t step;

	if (liar->lies & LIE_OPTIMISTIC && chance(draw, 30)) {
		seg.ack = wt_seq_gt(top, seg.ack) ? seg.ack + (uint32_t)below(draw, top - seg.ack + 1) : top;
		if (chance(draw, 10))
			seg.ack = top + 1 + (uint32_t)below(draw, 5000);
		forge(liar, frame, &seg);
	}
	step = honest->ack - acked;
	if (liar->lies & LIE_DIVISION && step > 10 && step < 1u << 20)
		for (unsigned i = 1; i < 6; i++) {
			seg = *honest;
			seg.ack = acked + step * i / 6;
			forge(liar, frame, &seg);
		}
	seg = *honest;
	if (liar->lies & LIE_SACK && chance(draw, 30)) {
		seg.sack_count = (uint8_t)(1 + below(draw, 3));
		for (unsigned i = 0; i < seg.sack_count; i++) {
			seg.sack[i].start = seg.ack + (uint32_t)below(draw, 8000) - 1000;
			seg.sack[i].end = seg.sack[i].start + (uint32_t)below(draw, 4000) - 200;
		}
		forge(liar, frame, &seg);
	}
	seg = *honest;
	if (liar->lies & LIE_WINDOW && chance(draw, 15)) {
		seg.window = chance(draw, 30) ? 0 : (uint16_t)below(draw, (uint64_t)seg.window + 1);
		forge(liar, frame, &seg);
	}
	seg = *honest;
	if (liar->lies & LIE_BLIND && chance(draw, 20)) {
		static const uint8_t flags[] = {WT_ACK, WT_RST, WT_SYN, WT_ACK | WT_FIN, WT_RST | WT_ACK, WT_SYN | WT_ACK};

		seg.flags = flags[below(draw, sizeof(flags))];
		seg.seq += 1 + (uint32_t)below(draw, 20000); /* in the window, but not at its edge: FIN, RST and window of a stranger */
		seg.ack -= (uint32_t)below(draw, 100000);
		seg.window = (uint16_t)below(draw, 3);
		seg.tsval += (uint32_t)below(draw, 1000000);
		if (!(seg.flags & WT_FIN))
			forge(liar, frame, &seg);
	}
}

/*
 * The peer's own octets in other segments: with old ones in front, with ones beyond the window behind. Everybody knows what they are,
 * for streams are arithmetic; so nothing that is taken is wrong, but what lies beyond the right edge must not be taken.
 */
static void overlap(struct liar *liar, const struct wt_frame *frame, const struct wt_tcp_header *honest, unsigned i, uint32_t len)
{
	const struct habits *habits = &liar->plan->habits[(honest->dst_port - 20001u) % FLOWS_MAX][1];
	uint64_t at = honest->seq - liar->flow[i].first, back = below(&liar->draw, 3000), from = at > back ? at - back : 0;
	uint64_t to = at + len + below(&liar->draw, chance(&liar->draw, 20) ? 400000 : 2000);
	struct wt_tcp_header seg = *honest;
	struct wt_frame *forged;

	to = to < habits->bytes ? to : habits->bytes;
	from = to > from + 600 && chance(&liar->draw, 30) ? to - 600 : from;
	to = to < from + 600 ? to : from + 600;
	if (to <= from)
		return;
	seg.seq = liar->flow[i].first + (uint32_t)from;
	seg.flags = WT_ACK;
	forge(liar, frame, &seg);
	forged = liar->out.tail;
	for (uint64_t k = from; forged && k < to; k++)
		wt_frame_own_bytes(forged)[forged->len++] = octet((honest->dst_port - 20001u) % FLOWS_MAX, 1, k);
	wt_frame_own_bytes(forged)[WT_ETH_HEADER + 2] = (uint8_t)((forged->len - WT_ETH_HEADER) >> 8);
	wt_frame_own_bytes(forged)[WT_ETH_HEADER + 3] = (uint8_t)(forged->len - WT_ETH_HEADER);
}

static void look(struct liar *liar, unsigned port, const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETH_HEADER;
	struct wt_tcp_header seg;
	uint32_t len = frame->len - HEADERS, end;
	unsigned i;

	if (frame->len < HEADERS + WT_TCP_HEADER || ip[9] != WT_IP_TCP || (ip[6] & 0x3f) || ip[7] || (frame->csum == WT_CSUM_NONE && port) ||
	    !wt_tcp_parse(wt_frame_look(frame) + HEADERS, len, &seg))
		return;
	i = (port ? seg.dst_port : seg.src_port) % KNOWN;
	if (!port) {
		end = seg.seq + len - seg.header_len + !!(seg.flags & (WT_SYN | WT_FIN));
		if (!liar->flow[i].known || seg.flags & WT_SYN || wt_seq_gt(end, liar->flow[i].top))
			liar->flow[i].top = end;
		liar->flow[i].known = true;
	} else if (liar->flow[i].known && (seg.flags & (WT_ACK | WT_SYN | WT_RST | WT_FIN)) == WT_ACK) {
		lie(liar, frame, &seg, liar->flow[i].top, liar->flow[i].acked);
		liar->flow[i].acked = seg.ack;
		if (liar->lies & LIE_OVERLAP && len > seg.header_len && chance(&liar->draw, 30))
			overlap(liar, frame, &seg, i, len - seg.header_len);
	} else if (seg.flags & WT_SYN) {
		liar->flow[i].acked = seg.ack;
		liar->flow[i].first = seg.seq + 1;
	}
}

static void input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct liar *liar = (struct liar *)node;

	(void)now;
	node->audit.in++;
	look(liar, port, frame);
	leave(liar, frame, port ^ 1);
}

static struct wt_frame *output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_frame *frame = wt_node_leave(node, &((struct liar *)node)->out);

	if (frame)
		*port = frame->mark;
	return frame;
}

static wt_time deadline(const struct wt_node *node)
{
	return ((const struct liar *)node)->out.head ? 0 : WT_NEVER;
}

static void destroy(struct wt_node *node)
{
	wt_frame_queue_clear(&((struct liar *)node)->out);
	free(node);
}

struct wt_node *liar_new(struct wt_pool *pool, const struct plan *plan)
{
	static const struct wt_node_ops ops = {input, output, deadline, destroy};
	struct liar *liar = calloc(1, sizeof(*liar));

	if (!liar)
		return NULL;
	liar->node = (struct wt_node){.ops = &ops, .name = "liar", .ports = 2};
	liar->pool = pool;
	liar->plan = plan;
	liar->lies = plan->lies;
	liar->draw.key = wt_key_derive(plan->seed, "liar");
	return &liar->node;
}
