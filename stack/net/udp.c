/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/udp.h"

#include <errno.h>
#include <stdlib.h>

#include "stack/base/ecn.h"
#include "stack/net/books.h"
#include "stack/wire/udp.h"

#define PORT_LOW 32768u /* Linux's default range */
#define PORT_SPAN (60999u - PORT_LOW + 1)

struct wt_udp {
	struct wt_udp *next; /* of its chain */
	struct wt_udp *ready_next;
	struct wt_udp_table *table;
	struct wt_endpoint local;
	wt_udp_callback *callback;
	void *arg;
	unsigned events;
	bool in_ready, closed;
	struct wt_frame_queue waiting; /* counted as queued */
	int error;
	struct wt_endpoint error_remote;
};

void wt_udp_init(struct wt_udp_table *table, struct wt_net *net)
{
	*table = (struct wt_udp_table){.net = net, .port_counter = (uint32_t)wt_siphash_u64(&net->config.secret, WT_IP_UDP)};
}

/* ---- the table ---------------------------------------------------------------------------------------- */

static struct wt_udp **chain_of(struct wt_udp_table *table, uint16_t port)
{
	return &table->chain[port % WT_UDP_CHAINS];
}

/* The socket with exactly this endpoint. */
static struct wt_udp *find(struct wt_udp_table *table, const struct wt_endpoint *local)
{
	struct wt_udp *udp = *chain_of(table, local->port);

	while (udp && !wt_endpoint_eq(&udp->local, local))
		udp = udp->next;
	return udp;
}

/* Who gets what comes to this endpoint: the socket of this address before one of any. */
static struct wt_udp *receiver(struct wt_udp_table *table, const struct wt_endpoint *local)
{
	struct wt_udp *udp = find(table, local);

	return udp ? udp : find(table, &(struct wt_endpoint){.port = local->port});
}

/* RFC 6056 3.3.1: any free port, from a start that nobody can guess. */
static uint16_t free_port(struct wt_udp_table *table, const struct wt_addr *addr)
{
	for (unsigned tries = 0; tries < PORT_SPAN; tries++) {
		struct wt_endpoint local = {*addr, (uint16_t)(PORT_LOW + table->port_counter++ % PORT_SPAN)};

		if (!receiver(table, &local))
			return local.port;
	}
	return 0;
}

struct wt_udp *wt_udp_open(struct wt_udp_table *table, const struct wt_endpoint *local, wt_udp_callback *callback, void *arg)
{
	struct wt_endpoint at = *local;
	struct wt_udp *udp;

	errno = EADDRNOTAVAIL;
	if (at.addr.family && !wt_net_is_ours(table->net, &at.addr))
		return NULL;
	if (!at.port && !(at.port = free_port(table, &at.addr)))
		return NULL;
	errno = EADDRINUSE;
	if (find(table, &at))
		return NULL;
	udp = calloc(1, sizeof(*udp));
	if (!udp)
		return NULL;
	udp->table = table;
	udp->local = at;
	udp->callback = callback;
	udp->arg = arg;
	udp->next = *chain_of(table, at.port);
	*chain_of(table, at.port) = udp;
	return udp;
}

void wt_udp_consume(struct wt_udp *udp)
{
	struct wt_node *node = udp->table->net->config.node;
	struct wt_frame *frame = wt_books_release(node, &udp->waiting);

	if (frame)
		wt_books_take(node, frame);
}

void wt_udp_close(struct wt_udp *udp)
{
	struct wt_udp **at;

	if (!udp)
		return;
	at = chain_of(udp->table, udp->local.port);
	while (*at != udp)
		at = &(*at)->next;
	*at = udp->next;
	while (udp->waiting.head)
		wt_udp_consume(udp);
	udp->closed = true;
	if (!udp->in_ready && udp->table->telling != udp)
		free(udp);
}

void wt_udp_finish(struct wt_udp_table *table)
{
	struct wt_udp *udp;

	for (unsigned i = 0; i < WT_UDP_CHAINS; i++)
		while (table->chain[i])
			wt_udp_close(table->chain[i]);
	while ((udp = table->ready_head)) {
		table->ready_head = udp->ready_next;
		free(udp);
	}
	table->ready_tail = NULL;
}

struct wt_endpoint wt_udp_local(const struct wt_udp *udp)
{
	return udp->local;
}

/* ---- callbacks ---------------------------------------------------------------------------------------- */

static void notify(struct wt_udp *udp, unsigned event)
{
	struct wt_udp_table *table = udp->table;

	udp->events |= event;
	if (udp->in_ready || !udp->callback)
		return;
	udp->in_ready = true;
	udp->ready_next = NULL;
	if (table->ready_tail)
		table->ready_tail->ready_next = udp;
	else
		table->ready_head = udp;
	table->ready_tail = udp;
}

void wt_udp_tell(struct wt_udp_table *table, wt_time now)
{
	struct wt_udp *udp;

	while ((udp = table->ready_head)) {
		unsigned events = udp->events;

		table->ready_head = udp->ready_next;
		if (!table->ready_head)
			table->ready_tail = NULL;
		udp->in_ready = false;
		udp->events = 0;
		table->telling = udp;
		if (!udp->closed)
			udp->callback(udp->arg, udp, events, now);
		table->telling = NULL;
		if (udp->closed)
			free(udp);
	}
}

/* ---- sending ------------------------------------------------------------------------------------------ */

int wt_udp_check(const struct wt_udp *udp, const struct wt_endpoint *to, size_t len)
{
	struct wt_net *net = udp->table->net;

	const struct wt_route *route = wt_net_route(net, &to->addr);

	if (!route || to->addr.family != WT_FAMILY_IPV4)
		return -ENETUNREACH;
	return len > net->interface[route->interface].mtu - WT_IPV4_HEADER - WT_UDP_HEADER ? -EMSGSIZE : 0;
}

int wt_udp_send(struct wt_udp *udp, const struct wt_endpoint *to, const void *data, size_t len, wt_time now)
{
	struct wt_net *net = udp->table->net;
	struct wt_udp_header header = {udp->local.port, to->port, 0};
	struct wt_addr src = udp->local.addr;
	int error = wt_udp_check(udp, to, len);
	struct wt_frame *frame;

	if (error)
		return error;
	wt_net_source(net, &to->addr, &src);
	frame = wt_books_make(net->config.node, net->config.pool, now);
	if (!frame)
		return -ENOBUFS;
	if (WT_IP_PAYLOAD + WT_UDP_HEADER + len > frame->room) {
		wt_node_drop(net->config.node, now, frame, WT_DROP_POOL);
		return -ENOBUFS;
	}
	header.len = (uint16_t)(WT_UDP_HEADER + len);
	if (len)
		memcpy(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD + WT_UDP_HEADER, data, len);
	wt_udp_emit(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD, &src, &to->addr, &header);
	frame->len = WT_IP_PAYLOAD + header.len;
	frame->csum = WT_CSUM_VALID;
	wt_net_send(net, now, frame, &src, &to->addr, WT_IP_UDP, 0);
	return 0;
}

/* ---- receiving ---------------------------------------------------------------------------------------- */

void wt_udp_input(struct wt_udp_table *table, wt_time now, const struct wt_ip_packet *packet)
{
	struct wt_node *node = table->net->config.node;
	struct wt_udp_header header;
	struct wt_udp *udp;

	if (!wt_udp_parse(packet->payload, packet->len, &packet->ip.src, &packet->ip.dst, packet->frame->csum == WT_CSUM_NONE, &header)) {
		wt_node_drop(node, now, packet->frame, WT_DROP_UDP);
		return;
	}
	udp = receiver(table, &(struct wt_endpoint){packet->ip.dst, header.dst_port});
	if (!udp) {
		wt_icmp_refuse(table->net, now, packet, WT_REFUSAL_PORT, WT_DROP_UDP_PORT);
		return;
	}
	if (udp->waiting.frames >= WT_UDP_QUEUE) {
		wt_node_drop(node, now, packet->frame, WT_DROP_UDP_FULL);
		return;
	}
	packet->frame->time = now;
	wt_books_keep(node, &udp->waiting, packet->frame);
	notify(udp, WT_UDP_EV_READABLE);
}

bool wt_udp_peek(const struct wt_udp *udp, struct wt_udp_datagram *datagram)
{
	const struct wt_frame *frame = udp->waiting.head;
	struct wt_udp_header header;
	const uint8_t *data;
	struct wt_ipv4 ip;

	if (!frame)
		return false;
	/* both headers were found right when it came */
	wt_ipv4_parse(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, false, &ip);
	data = wt_frame_look(frame) + WT_ETH_HEADER + ip.header_len;
	wt_udp_parse(data, (uint32_t)ip.total_len - ip.header_len, &ip.src, &ip.dst, false, &header);
	*datagram = (struct wt_udp_datagram){
		.from = {ip.src, header.src_port},
		.to = {ip.dst, header.dst_port},
		.data = data + WT_UDP_HEADER,
		.len = (uint32_t)header.len - WT_UDP_HEADER,
		.ecn = ip.tos & WT_ECN_MASK,
		.time = frame->time,
	};
	return true;
}

void wt_udp_icmp(struct wt_udp_table *table, const struct wt_icmp_error *error)
{
	struct wt_udp *udp = receiver(table, &error->tuple.local);

	if (!udp)
		return;
	udp->error = wt_icmp_errno(error);
	udp->error_remote = error->tuple.remote;
	notify(udp, WT_UDP_EV_ERROR);
}

int wt_udp_error(struct wt_udp *udp, struct wt_endpoint *remote)
{
	int error = udp->error;

	if (remote)
		*remote = udp->error_remote;
	udp->error = 0;
	return error;
}
