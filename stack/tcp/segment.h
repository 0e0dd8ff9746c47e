/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A segment beside its frame: what tells it from the segments before it stands there as numbers, and what they have in common in a template, which the
 * frame holds. The header bytes are written when somebody looks (stack/base/frame.h); a host of ours that gets the frame reads the
 * numbers. It remembers with the template whose segment this is: all checks of addresses, ports and checksums came to that once, by the bytes.
 *
 * Anybody who changes a byte on the way takes bytes from then on, and the segment is parsed like any other.
 */
#ifndef WT_STACK_TCP_SEGMENT_H
#define WT_STACK_TCP_SEGMENT_H

#include "stack/net/net.h"
#include "stack/wire/tcp.h"

struct wt_tcp;
struct wt_tcp_stack;
struct wt_tuple;

/*
 * What segments of one end of a connection have in common. Counted holders: that end, the frames, and the other end if it is a host of ours.
 * While nobody asks for bytes, only its first line of the cache is touched.
 */
struct wt_template {
	_Alignas(WT_CACHE_LINE) uint32_t holders;
	uint32_t age;             /* of the sender's net->usual: it holds while that is the same */
	const struct wt_net *net; /* who heard such a segment and found it to be the one of `to`; NULL: nobody yet */
	struct wt_tcp *to;
	uint32_t net_age, interface; /* by what it knew then, and where it came in */
	struct wt_usual_out out;
	uint64_t pseudo;          /* sum of the pseudo-header without its length */
	uint16_t src_port, dst_port;
};

extern const struct wt_frame_maker wt_segment_maker;

/* May it stand beside its frame? One without options, or with a timestamp or SACK blocks alone. */
static inline bool wt_segment_fits(const struct wt_tcp_header *seg)
{
	return !(seg->flags & WT_SYN) && !seg->experiment_count;
}

/* A segment of this connection leaves with all its bytes: if those that follow could do without, the template is made. */
void wt_template_learn(struct wt_tcp *tcp);
/* The connection gives up its templates, the one of what it sends and the one of what it hears. */
void wt_template_leave(struct wt_tcp *tcp);
void wt_template_unheard(struct wt_tcp *tcp); /* only that one: the connection leaves the table */

/* The frame of a segment that fits, by tcp->template, to leave at once by the interface in its mark. NULL: the pool is exhausted. */
/* What tells a segment from the others of its end; it stands in the frame. */
struct wt_facts {
	struct wt_template *template;
	wt_seq seq, ack;
	uint16_t window, id;
	uint8_t flags, tos;
	bool has_ts;
	uint8_t sack_count; /* the blocks lie where the headers will be written */
	uint32_t tsval, tsecr;
};

/* A frame of tcp->template, whose facts the caller fills in but for template and id. header: bytes of the TCP header. NULL: the pool is exhausted. */
struct wt_frame *wt_segment_begin(struct wt_tcp *tcp, uint32_t header, const struct wt_extent *text, uint32_t len);

static inline struct wt_facts *wt_facts_of(struct wt_frame *frame)
{
	return (struct wt_facts *)(void *)frame->facts;
}

struct wt_frame *wt_segment_build(struct wt_tcp *tcp, struct wt_tcp_header *seg, const struct wt_extent *text, uint32_t len);
/* A frame came: true, and it is taken, if it is known whose it is. */
bool wt_segment_input(struct wt_tcp_stack *stack, unsigned interface, struct wt_frame *frame);
/* It was not known, and the packet was found to be of this tuple: it is known from now on. */
void wt_segment_heard(struct wt_tcp_stack *stack, const struct wt_ip_packet *packet, const struct wt_tuple *tuple);

#endif
