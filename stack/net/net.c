/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/net.h"

#include <errno.h>
#include <stdlib.h>

#include "stack/base/bytes.h"
#include "stack/net/books.h"
#include "stack/net/icmp.h"
#include "stack/wire/nd.h"

int wt_net_init(struct wt_net *net, const struct wt_net_config *config)
{
	memset(net, 0, sizeof(*net));
	net->config = *config;
	if (!net->config.lifetime)
		net->config.lifetime = WT_NEIGHBOUR_LIFETIME;
	net->limit.rate = config->rate;
	wt_neighbours_init(&net->neighbours, net);
	net->interface = calloc(config->interfaces, sizeof(*net->interface));
	if (config->reassembles)
		net->fragments = calloc(1, sizeof(*net->fragments));
	if (!net->interface || (config->reassembles && !net->fragments))
		return -ENOMEM;
	if (net->fragments)
		wt_fragments_init(net->fragments, config->node, config->pool);
	return 0;
}

void wt_net_finish(struct wt_net *net)
{
	wt_frame_queue_clear(&net->ready);
	wt_neighbours_finish(&net->neighbours);
	if (net->fragments)
		wt_fragments_finish(net->fragments);
	free(net->fragments);
	free(net->interface);
	free(net->address);
	free(net->route);
	wt_lookup_finish(&net->lookup);
	net->fragments = NULL;
	net->interface = NULL;
	net->address = NULL;
	net->route = NULL;
}

/* ---- what it is made of ------------------------------------------------------------------------------- */

void wt_net_set_mac(struct wt_net *net, unsigned interface, const struct wt_mac *mac, uint32_t mtu)
{
	struct wt_net_interface *here = &net->interface[interface];

	wt_usual_forget(&net->usual);
	here->mac = *mac;
	here->mtu = mtu;
	here->link_local = wt_nd_link_local(mac);
}

/* Room for one more in a list; it may have moved. False: no memory. */
static bool grow(void **list, unsigned count, unsigned *room, size_t size)
{
	unsigned more = *room ? 2 * *room : 4;
	void *larger;

	if (count < *room)
		return true;
	larger = calloc(more, size);
	if (!larger)
		return false;
	if (count)
		memcpy(larger, *list, count * size);
	free(*list);
	*list = larger;
	*room = more;
	return true;
}

/* The two addresses of its network that are no hosts (RFC 1122 3.2.1.3). */
static int add_broadcasts(struct wt_net *net, const struct wt_addr *addr, unsigned prefix)
{
	struct wt_addr edge = *addr;
	uint32_t all, network;
	int error;

	if (addr->family != WT_FAMILY_IPV4 || prefix >= 31)
		return 0;
	all = UINT32_MAX >> prefix;
	network = wt_get32(addr->bytes) & ~all;
	wt_put32(edge.bytes, network);
	error = wt_lookup_add(&net->lookup, &edge, WT_LOOKUP_BROADCAST, 0);
	wt_put32(edge.bytes, network | all);
	return error ? error : wt_lookup_add(&net->lookup, &edge, WT_LOOKUP_BROADCAST, 0);
}

int wt_net_add_address(struct wt_net *net, unsigned interface, const struct wt_addr *addr, unsigned prefix)
{
	void *list = net->address;

	if (wt_net_is_ours(net, addr))
		return -EEXIST;
	if (!grow(&list, net->addresses, &net->address_room, sizeof(*net->address)))
		return -ENOMEM;
	net->address = list;
	if (wt_lookup_add(&net->lookup, addr, WT_LOOKUP_OWN, net->addresses) || add_broadcasts(net, addr, prefix))
		return -ENOMEM;
	net->address[net->addresses++] = (struct wt_net_address){*addr, prefix, interface};
	return wt_net_add_route(net, addr, prefix, interface, NULL);
}

int wt_net_add_route(struct wt_net *net, const struct wt_addr *network, unsigned prefix, unsigned interface, const struct wt_addr *next)
{
	void *list = net->route;

	if (!grow(&list, net->routes, &net->route_room, sizeof(*net->route)))
		return -ENOMEM;
	net->route = list;
	if (wt_lookup_add(&net->lookup, network, (uint8_t)prefix, net->routes))
		return -ENOMEM;
	net->route[net->routes++] = (struct wt_route){*network, prefix, interface, next ? *next : (struct wt_addr){0}, false};
	net->speaks[network->family] = true;
	wt_usual_forget(&net->usual);
	net->peer.family = WT_FAMILY_NONE; /* the list may have moved, and another way be the better one */
	return 0;
}

/* ---- questions ---------------------------------------------------------------------------------------- */

bool wt_net_is_ours(const struct wt_net *net, const struct wt_addr *addr)
{
	return wt_lookup_exact(&net->lookup, addr, WT_LOOKUP_OWN) != WT_LOOKUP_NONE ||
	       (addr->family && wt_addr_eq(&net->own[addr->family], addr));
}

bool wt_net_is_here(const struct wt_net *net, unsigned interface, const struct wt_addr *addr)
{
	uint32_t at = wt_lookup_exact(&net->lookup, addr, WT_LOOKUP_OWN);

	return at != WT_LOOKUP_NONE && net->address[at].interface == interface;
}

bool wt_net_is_broadcast(const struct wt_net *net, const struct wt_addr *addr)
{
	return wt_lookup_exact(&net->lookup, addr, WT_LOOKUP_BROADCAST) != WT_LOOKUP_NONE;
}

const struct wt_net_address *wt_net_address_at(const struct wt_net *net, unsigned interface, uint8_t family, const struct wt_addr *near)
{
	const struct wt_net_address *first = NULL;

	for (unsigned i = 0; i < net->addresses; i++) {
		const struct wt_net_address *at = &net->address[i];

		if (at->interface != interface || at->addr.family != family)
			continue;
		if (near && wt_addr_in(near, &at->addr, at->prefix))
			return at;
		first = first ? first : at;
	}
	return first;
}

const struct wt_route *wt_net_look_up(const struct wt_net *net, const struct wt_addr *dst)
{
	uint32_t at = wt_lookup_longest(&net->lookup, dst);

	return at == WT_LOOKUP_NONE ? NULL : &net->route[at];
}

int wt_net_let_roam(struct wt_net *net, const struct wt_addr *host)
{
	const struct wt_route *found = wt_net_look_up(net, host);
	struct wt_route way = found ? *found : (struct wt_route){0};
	int error = found ? wt_net_add_route(net, host, host->family == WT_FAMILY_IPV4 ? 32 : 128, way.interface, &way.next) : 0;

	if (found && !error)
		net->route[net->routes - 1].roams = true;
	return error;
}

void wt_net_follow(struct wt_net *net, const struct wt_addr *src, unsigned interface)
{
	uint32_t at = wt_lookup_longest(&net->lookup, src);

	if (at == WT_LOOKUP_NONE || !net->route[at].roams || net->route[at].interface == interface)
		return;
	net->route[at].interface = interface;
	wt_usual_forget(&net->usual);
}

const struct wt_route *wt_net_route(struct wt_net *net, const struct wt_addr *dst)
{
	const struct wt_route *route;

	if (dst->family && wt_addr_eq(dst, &net->peer))
		return net->peer_route;
	if (!wt_source_usable(dst) || wt_net_is_ours(net, dst) || wt_net_is_broadcast(net, dst))
		return NULL;
	route = wt_net_look_up(net, dst);
	if (route) {
		net->peer = *dst;
		net->peer_route = route;
	}
	return route;
}

bool wt_net_source(struct wt_net *net, const struct wt_addr *dst, struct wt_addr *src)
{
	const struct wt_route *route = wt_net_route(net, dst);
	const struct wt_net_address *at;

	if (!route)
		return false;
	if (src->family)
		return true;
	at = wt_net_address_at(net, route->interface, dst->family, route->next.family ? &route->next : dst);
	*src = at ? at->addr : net->own[dst->family];
	return src->family;
}

bool wt_net_may_be_from(const struct wt_net *net, const struct wt_frame *frame, const struct wt_addr *addr)
{
	if (wt_addr_eq(addr, &net->peer)) /* it was found to be such */
		return true;
	return wt_source_usable(addr) && ((frame->from_path && net->config.forwards) || !wt_net_is_ours(net, addr)) &&
	       !wt_net_is_broadcast(net, addr);
}

/* ---- input -------------------------------------------------------------------------------------------- */

enum wt_ip_verdict wt_net_drop(struct wt_net *net, wt_time now, struct wt_frame *frame, enum wt_drop cause)
{
	wt_node_drop(net->config.node, now, frame, cause);
	return WT_IP_DONE;
}

enum wt_ip_verdict wt_net_input(struct wt_net *net, unsigned interface, wt_time now, struct wt_frame *frame, struct wt_ip_packet *packet)
{
	static const struct wt_mac broadcast = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
	struct wt_eth eth;
	bool to_us, to_all, to_group;

	if (wt_usual_input(&net->usual, interface, frame, packet))
		return WT_IP_IS_TCP;
	if (frame->fate != WT_FATE_UNDERWAY) /* it came back, and there is no other way to send it */
		return wt_net_drop(net, now, frame, WT_DROP_NO_ACK);
	if (!wt_eth_parse(wt_frame_head(frame), frame->len, &eth))
		return wt_net_drop(net, now, frame, WT_DROP_SHORT);
	to_us = memcmp(&eth.dst, &net->interface[interface].mac, sizeof(eth.dst)) == 0;
	to_all = eth.type == WT_ETH_ARP && memcmp(&eth.dst, &broadcast, sizeof(eth.dst)) == 0;
	to_group = eth.type == WT_ETH_IPV6 && net->speaks[WT_FAMILY_IPV6] && wt_get16(eth.dst.bytes) == 0x3333;
	/* RFC 1122 3.3.6: a datagram for us alone does not come in a link broadcast */
	if (!to_us && !to_all && !to_group)
		return wt_net_drop(net, now, frame, WT_DROP_NOT_OURS);
	if (eth.type == WT_ETH_IPV4 && net->speaks[WT_FAMILY_IPV4])
		return wt_net_input_ipv4(net, interface, now, frame, packet);
	if (eth.type == WT_ETH_ARP)
		wt_arp_input(net, interface, now, frame);
	else if (eth.type == WT_ETH_IPV6 && net->speaks[WT_FAMILY_IPV6])
		wt_net_input_ipv6(net, interface, now, frame);
	else
		wt_net_drop(net, now, frame, WT_DROP_PROTOCOL);
	return WT_IP_DONE;
}

/* ---- output ------------------------------------------------------------------------------------------- */

void wt_net_transmit(struct wt_net *net, struct wt_frame *frame, unsigned interface, const struct wt_mac *to, uint16_t type)
{
	struct wt_eth eth = {.dst = *to, .src = net->interface[interface].mac, .type = type};

	wt_eth_emit(wt_frame_own_head(frame), &eth);
	frame->mark = (uint8_t)interface;
	wt_books_keep(net->config.node, &net->ready, frame);
}

void wt_net_forward(struct wt_net *net, wt_time now, struct wt_frame *frame, const struct wt_route *route, const struct wt_addr *dst)
{
	wt_net_deliver(net, now, frame, route->interface, route->next.family ? &route->next : dst);
}

static struct wt_addr sender_of(const struct wt_frame *frame)
{
	const uint8_t *ip = wt_frame_head(frame) + WT_ETH_HEADER;

	return ip[0] >> 4 == 6 ? wt_addr_ipv6(ip + 8) : wt_addr_ipv4(ip[12], ip[13], ip[14], ip[15]);
}

/* The answer to `to` and the route it takes; NULL: none. */
static struct wt_frame *complain(struct wt_net *net, wt_time now, struct wt_frame *about, enum wt_refusal_kind kind, struct wt_addr *to,
				 const struct wt_route **back)
{
	struct wt_refusal refusal = {.kind = kind, .quote = net->config.quote};
	const struct wt_net_address *at;
	const struct wt_addr *from;

	*to = sender_of(about);
	*back = wt_net_look_up(net, to);
	if (!*back || wt_net_is_ours(net, to))
		return NULL;
	at = wt_net_address_at(net, (*back)->interface, to->family, to);
	from = at ? &at->addr : &net->own[to->family];
	if (!from->family)
		return NULL;
	*(to->family == WT_FAMILY_IPV4 ? &refusal.from.ipv4 : &refusal.from.ipv6) = *from;
	return wt_refuse(net->config.node, &net->limit, now, about, &refusal);
}

void wt_net_refuse(struct wt_net *net, wt_time now, struct wt_frame *frame, enum wt_refusal_kind kind, enum wt_drop cause)
{
	const struct wt_route *back;
	struct wt_addr to;
	struct wt_frame *answer = complain(net, now, frame, kind, &to, &back);
	struct wt_icmp_error error;

	if (net->config.lost && kind == WT_REFUSAL_HOST && wt_icmp_of_own(net, frame, &error))
		net->config.lost(net->config.arg, now, &error);
	wt_node_drop(net->config.node, now, frame, cause);
	if (answer)
		wt_net_forward(net, now, answer, back, &to);
}

/* ---- time --------------------------------------------------------------------------------------------- */

void wt_net_expire(struct wt_net *net, wt_time now)
{
	wt_neighbours_expire(&net->neighbours, now);
	if (net->fragments)
		wt_fragments_expire(net->fragments, now);
}
