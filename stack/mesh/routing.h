/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a routing module is, and what it may ask of its mesh node (docs/routing.md). A module is one file, stack/mesh/routing/<word>.c,
 * ending in one table wt_routing_<word>; its word in stack/mesh/meson.build makes it known.
 *
 * Time is an argument. A module draws no number but by wt_mesh_random(), and writes routes by wt_mesh_set_route() alone. Addresses are
 * those of IPv4, as numbers. A verb that takes a frame ends its ownership: it sends it, keeps it in a buffer, or drops it with a cause.
 */
#ifndef WT_STACK_MESH_ROUTING_H
#define WT_STACK_MESH_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/frame.h"
#include "stack/base/node.h"
#include "stack/base/time.h"
#include "stack/net/refusal.h"
#include "stack/text/params.h"
#include "stack/wire/ipv4.h"

#define WT_MESH_BROADCAST UINT32_MAX
#define WT_MESH_ALL UINT32_MAX /* of interfaces: each that routing runs on */
#define WT_ROUTING_PARAMS_MAX 512

struct wt_mesh;

/* A way to one station. One per destination, in order of destinations. */
struct wt_mesh_route {
	uint32_t dst, next;
	uint32_t seq;       /* of the destination, as it last told; only if seq_known */
	uint32_t hops;      /* or the cost, where a protocol has another metric: smaller is better */
	uint32_t interface;
	bool seq_known;
	bool valid;         /* else kept for what is known of its number */
	uint8_t flags;      /* the module's own */
	wt_time expires;    /* of a valid one: the end of its validity; of another: of its memory */
};

/* A packet of IPv4 in its frame, behind its Ethernet header. */
struct wt_mesh_packet {
	struct wt_frame *frame;
	struct wt_ipv4 ip;
	uint32_t src, dst;
	uint32_t from;      /* the neighbour that sent it to us; 0: it is our own */
	unsigned interface; /* it came in by */
};

/* A message of the module's protocol. The frame stays the node's unless the module takes it: sets it to NULL. */
struct wt_mesh_message {
	struct wt_mesh_packet *packet; /* of which the verb may take the frame */
	uint8_t *data;                 /* behind the headers of IP and UDP */
	uint32_t len;
};

struct wt_routing_ops {
	const char *name, *text;
	const struct wt_param *params;
	size_t param_count, params_size;
	const void *params_default;
	size_t state_size;
	uint8_t protocol; /* of IP whose packets are messages, for us or not; 0: none */
	uint16_t port;    /* of UDP whose datagrams are messages; 0: none */
	uint8_t ttl;      /* messages are taken only if their TTL is this; 0: whatever it is */
	bool transparent; /* frames pass as they are, and no verb is called */
	bool ordered;     /* routes have sequence numbers: wt_mesh_set_route() holds them to the rule */
	/* Optional. 0 or negative errno. State is zero and lasts as long as the node. */
	int (*init)(struct wt_mesh *mesh, void *state, const void *params);
	void (*finish)(void *state); /* optional: frees what it allocated, after a failed init, too */
	void (*on_message)(void *state, wt_time now, struct wt_mesh_message *message);
	/* Optional: a packet is about to be sent on. True: the module took the frame. */
	bool (*on_forward)(void *state, wt_time now, struct wt_mesh_packet *packet);
	/* A packet without a valid route; takes the frame. Optional: it is refused. */
	void (*on_no_route)(void *state, wt_time now, struct wt_mesh_packet *packet);
	/* A frame came back: `next` did not acknowledge it. The packet is as it was sent. Takes the frame. Optional: dropped. */
	void (*on_link_failure)(void *state, wt_time now, uint32_t next, struct wt_mesh_packet *packet);
	/* Optional, both: a packet that packet->from sent to another station was heard. It is to be looked at; the node frees it. Only where
	 * these parameters ask for it: the link layer gives such packets to no other. */
	bool (*overhears)(const void *params);
	void (*on_overheard)(void *state, wt_time now, const struct wt_mesh_packet *packet);
	wt_time (*deadline)(const void *state);        /* optional, with on_timer; WT_NEVER: nothing */
	void (*on_timer)(void *state, wt_time now);    /* at its deadline; moves the deadline on */
};

/* NULL-terminated, in the order of stack/mesh/meson.build. */
extern const struct wt_routing_ops *const wt_routings[];

struct wt_routing_choice {
	const struct wt_routing_ops *ops;
	_Alignas(16) uint8_t params[WT_ROUTING_PARAMS_MAX];
};

/* "aodv:hello=off". 0, or -EINVAL with one sentence in err. */
int wt_routing_choose(const char *text, struct wt_routing_choice *choice, char *err, size_t err_len);

/* What a node counts beside its books. */
struct wt_mesh_counts {
	uint64_t messages_sent, bytes_sent;   /* routing messages, with those passed on; bytes from the IP header on */
	uint64_t messages_received;
	uint64_t malformed;
	uint64_t discoveries;                 /* requests started, retries among them */
	uint64_t link_failures, salvaged;     /* frames that came back; of these sent another way or kept */
	uint64_t routes_written, routes_refused; /* by the loop check */
	uint64_t delivered, forwarded;        /* packets of data */
};

/* ---- about the node --------------------------------------------------------------------------------------- */

uint32_t wt_mesh_address(const struct wt_mesh *mesh);
/* Is it ours, or of a network behind one of our wires, for which we answer? */
bool wt_mesh_serves(const struct wt_mesh *mesh, uint32_t dst);
/* Networks behind our wires, from 0 on: false if there is none of this number. */
bool wt_mesh_network(const struct wt_mesh *mesh, unsigned i, uint32_t *network, unsigned *prefix);
struct wt_mesh_counts *wt_mesh_counts(struct wt_mesh *mesh);
/* The next number of this node's stream in [0, bound). */
wt_time wt_mesh_random(struct wt_mesh *mesh, wt_time bound);
/* An event for the journal: WT_TRACE_ROUTE ... Up to five numbers. */
void wt_mesh_tell(struct wt_mesh *mesh, wt_time now, unsigned type, const uint64_t field[5]);

/* ---- routes ----------------------------------------------------------------------------------------------- */

/*
 * The only way a route is written, valid or not. False: refused (a way over ourselves or to ourselves; of an ordered protocol a valid one
 * that is neither newer by sequence number, nor as new and shorter, nor the same way), or no memory.
 */
bool wt_mesh_set_route(struct wt_mesh *mesh, wt_time now, const struct wt_mesh_route *route);
/* What is known of a destination, valid or not; NULL: nothing. Valid until the next wt_mesh_set_route() or _forget(). */
const struct wt_mesh_route *wt_mesh_route(const struct wt_mesh *mesh, uint32_t dst);
/* A valid one that has not expired. */
const struct wt_mesh_route *wt_mesh_valid_route(const struct wt_mesh *mesh, wt_time now, uint32_t dst);
/* A valid one is used: it lasts until `expires` at least. */
void wt_mesh_keep_route(struct wt_mesh *mesh, uint32_t dst, wt_time expires);
void wt_mesh_forget_route(struct wt_mesh *mesh, uint32_t dst);
unsigned wt_mesh_routes(const struct wt_mesh *mesh);
const struct wt_mesh_route *wt_mesh_route_at(const struct wt_mesh *mesh, unsigned i);

/* ---- sending ---------------------------------------------------------------------------------------------- */

/* A message by UDP, from and to the module's port, after `delay`. dst WT_MESH_BROADCAST or a neighbour; counted. */
void wt_mesh_send(struct wt_mesh *mesh, wt_time now, unsigned interface, uint32_t dst, uint8_t ttl, const uint8_t *data, uint32_t len,
		  wt_time delay);
/* A new frame for an IPv4 packet of `len` bytes behind its header, or NULL. The payload is the caller's to write at wt_mesh_payload(). */
struct wt_frame *wt_mesh_make(struct wt_mesh *mesh, wt_time now, const struct wt_ipv4 *ip, uint32_t len);
/* A frame with a complete packet goes to a neighbour, or to all, after `delay`; takes it. */
void wt_mesh_transmit(struct wt_mesh *mesh, wt_time now, struct wt_frame *frame, unsigned interface, uint32_t next, wt_time delay);
/* By the route to its destination, or on_no_route(); takes the frame. Neither on_forward() nor the TTL come into it. */
void wt_mesh_route_packet(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet);
/* To our own host; takes the frame. */
void wt_mesh_deliver(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet);
/* One hop less to live. False: it was the last, its sender was told, and the frame is gone. */
bool wt_mesh_hop(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet);
/* Drops it, and tells its sender by ICMP. */
void wt_mesh_refuse(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet, enum wt_refusal_kind kind, enum wt_drop cause);
void wt_mesh_drop(struct wt_mesh *mesh, wt_time now, struct wt_mesh_packet *packet, enum wt_drop cause);
/* Reads the header again of a frame whose packet was valid. */
void wt_mesh_read(struct wt_mesh_packet *packet, struct wt_frame *frame);
/* The message was no message: counted and, unless the module took it, dropped. */
void wt_mesh_malformed(struct wt_mesh *mesh);

/* ---- packets that wait for a route ------------------------------------------------------------------------ */

struct wt_mesh_buffer {
	struct wt_mesh *mesh;
	struct wt_frame_queue queue; /* frame->time: when it came. Counted as queued */
	uint64_t limit;              /* packets; one more pushes out the oldest */
	wt_time lifetime;
};

void wt_mesh_buffer_put(struct wt_mesh_buffer *buffer, wt_time now, struct wt_mesh_packet *packet);
/* The oldest for a destination, taken out. False: none. */
bool wt_mesh_buffer_take(struct wt_mesh_buffer *buffer, uint32_t dst, struct wt_mesh_packet *packet);
bool wt_mesh_buffer_has(const struct wt_mesh_buffer *buffer, uint32_t dst);
/* All that wait for it are sent by the route they have now. */
void wt_mesh_buffer_send(struct wt_mesh_buffer *buffer, wt_time now, uint32_t dst);
/* All that wait for it are refused: no way was found. */
void wt_mesh_buffer_refuse(struct wt_mesh_buffer *buffer, wt_time now, uint32_t dst);
wt_time wt_mesh_buffer_deadline(const struct wt_mesh_buffer *buffer);
void wt_mesh_buffer_expire(struct wt_mesh_buffer *buffer, wt_time now);
void wt_mesh_buffer_clear(struct wt_mesh_buffer *buffer); /* for the end of the node */

static inline uint32_t wt_mesh_number(const struct wt_addr *addr)
{
	return (uint32_t)addr->bytes[0] << 24 | (uint32_t)addr->bytes[1] << 16 | (uint32_t)addr->bytes[2] << 8 | addr->bytes[3];
}

static inline struct wt_addr wt_mesh_addr(uint32_t number)
{
	return wt_addr_ipv4((uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8), (uint8_t)number);
}

static inline uint8_t *wt_mesh_payload(struct wt_frame *frame)
{
	return wt_frame_own_bytes(frame) + 14 + WT_IPV4_HEADER;
}

#endif
