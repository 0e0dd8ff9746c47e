/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The host as a node: frames in, callbacks to the application, frames out, one deadline.
 *
 *   input()    frame -> IP -> TCP: blocks change, connections with something to say join the output queue
 *   output()   first what the application wants to know, then what is due, then the next frame
 *   deadline() now if anything is ready, else the earliest of IP's, the connections' and the application's timers
 *
 * Callbacks run only from output(), so no application ever re-enters the processing of a segment.
 */
#include <errno.h>
#include <stdlib.h>

#include "stack/net/books.h"
#include "stack/tcp/tcb.h"
#include "stack/wire/icmp.h"

#define CONTAINER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define ICMP_QUOTE (576 - WT_IPV4_HEADER - WT_ICMP_HEADER) /* RFC 1812 4.3.2.3 */
#define APP_TIMERS 16 /* room for at first */

/* ---- queues and timers ------------------------------------------------------------------------------------- */

void wt_host_wants_output(struct wt_tcp *tcp)
{
	struct wt_host *host = tcp->host;

	if (tcp->in_output)
		return;
	tcp->in_output = true;
	tcp->output_next = NULL;
	if (host->output_tail)
		host->output_tail->output_next = tcp;
	else
		host->output_head = tcp;
	host->output_tail = tcp;
}

static void pop_output(struct wt_host *host)
{
	struct wt_tcp *tcp = host->output_head;

	host->output_head = tcp->output_next;
	if (!host->output_head)
		host->output_tail = NULL;
	tcp->in_output = false;
	wt_tcb_release(tcp);
}

static void push_ready(struct wt_tcp *tcp)
{
	struct wt_host *host = tcp->host;

	tcp->in_ready = true;
	tcp->ready_next = NULL;
	if (host->ready_tail)
		host->ready_tail->ready_next = tcp;
	else
		host->ready_head = tcp;
	host->ready_tail = tcp;
}

void wt_host_notify(struct wt_tcp *tcp, unsigned events)
{
	if (tcp->handle == WT_HANDLE_NONE)
		return;
	tcp->events |= events;
	/* in the accept queue events wait for the one who accepts */
	if (!tcp->in_ready && tcp->handle == WT_HANDLE_APP && tcp->config.callback)
		push_ready(tcp);
}

static void tell_applications(struct wt_host *host)
{
	struct wt_tcp *tcp;

	while ((tcp = host->ready_head)) {
		unsigned events = tcp->events;

		tcp->events = 0;
		if (tcp->handle == WT_HANDLE_APP && tcp->config.callback && events)
			tcp->config.callback(tcp->config.arg, tcp, events, host->now);
		host->ready_head = tcp->ready_next;
		if (!host->ready_head)
			host->ready_tail = NULL;
		tcp->in_ready = false;
		if (tcp->events && tcp->handle == WT_HANDLE_APP && tcp->config.callback)
			push_ready(tcp);
		else
			wt_tcb_release(tcp);
	}
}

void wt_host_rearm(struct wt_tcp *tcp)
{
	wt_time due = WT_NEVER;

	for (unsigned i = 0; i < WT_TIMERS; i++)
		due = wt_time_min(due, tcp->timer[i]);
	wt_heap_set(&tcp->host->conns, &tcp->heap, due);
}

int wt_host_timer_set(struct wt_host *host, struct wt_host_timer *timer, wt_time due)
{
	struct wt_heap *heap = &host->timers;

	if (due != WT_NEVER && !timer->entry.position && heap->count == heap->room &&
	    wt_heap_grow(heap, heap->room ? 2 * heap->room : APP_TIMERS))
		return -ENOMEM;
	if (!timer->entry.order)
		timer->entry.order = ++host->timer_order;
	wt_heap_set(heap, &timer->entry, due);
	return 0;
}

void wt_host_trace(struct wt_host *host, const struct wt_trace_event *event)
{
	host->config.trace->event(host->config.trace, event);
}

static void run_timers(struct wt_host *host)
{
	struct wt_heap_entry *entry;

	while ((entry = wt_heap_min(&host->conns)) && entry->due <= host->now)
		wt_tcp_run_timers(CONTAINER(entry, struct wt_tcp, heap));
	while ((entry = wt_heap_min(&host->waits)) && entry->due <= host->now)
		wt_wait_end(host, wt_wait_of(entry));
	while ((entry = wt_heap_min(&host->timers)) && entry->due <= host->now) {
		struct wt_host_timer *timer = CONTAINER(entry, struct wt_host_timer, entry);

		wt_heap_set(&host->timers, entry, WT_NEVER);
		timer->fire(timer, host->now);
	}
	wt_net_expire(&host->net, host->now);
}

/* ---- the node ------------------------------------------------------------------------------------------------ */

static bool tcp_csum_ok(const struct wt_ip_packet *packet)
{
	uint64_t sum;

	/* PARTIAL: it never left this process or machine, so nothing could corrupt it */
	if (packet->frame->csum != WT_CSUM_NONE)
		return true;
	sum = wt_csum_pseudo(&packet->ip.src, &packet->ip.dst, WT_IP_TCP, packet->len);
	return wt_csum_fold(wt_csum_add(sum, packet->payload, packet->len)) == 0;
}

static void input_tcp(struct wt_host *host, const struct wt_ip_packet *packet)
{
	struct wt_tcp_header seg;
	struct wt_tuple tuple;

	if (!wt_tcp_parse(packet->payload, packet->len, &seg)) {
		wt_node_drop(&host->node, host->now, packet->frame, WT_DROP_TCP_HEADER);
		return;
	}
	if (!tcp_csum_ok(packet)) {
		wt_node_drop(&host->node, host->now, packet->frame, WT_DROP_TCP_CSUM);
		return;
	}
	seg.ecn = packet->ip.tos & WT_ECN_MASK;
	tuple = (struct wt_tuple){{packet->ip.dst, seg.dst_port}, {packet->ip.src, seg.src_port}};
	host->no_memory = false;
	wt_tcp_input(host, &tuple, &seg, packet->payload + seg.header_len, packet->len - seg.header_len);
	if (host->no_memory)
		wt_node_drop(&host->node, host->now, packet->frame, WT_DROP_MEMORY);
	else
		wt_books_take(&host->node, packet->frame);
}

static void host_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_host *host = (struct wt_host *)node;
	struct wt_ip_packet packet;
	struct wt_icmp_error error;

	host->now = now;
	node->audit.in++;
	switch (wt_net_input(&host->net, port, now, frame, &packet)) {
	case WT_IP_IS_TCP:
		input_tcp(host, &packet);
		break;
	case WT_IP_IS_ICMP:
		if (!wt_icmp_input(&host->net, now, &packet, &error))
			break;
		if (error.protocol == WT_IP_TCP)
			wt_tcp_icmp(host, &error);
		else
			wt_udp_icmp(&host->udp, &error);
		break;
	case WT_IP_IS_UDP:
		wt_udp_input(&host->udp, now, &packet);
		break;
	case WT_IP_IS_OTHER:
		wt_icmp_refuse(&host->net, now, &packet, WT_REFUSAL_PROTOCOL, WT_DROP_PROTOCOL);
		break;
	case WT_IP_DONE:
		break;
	}
}

static struct wt_frame *host_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_host *host = (struct wt_host *)node;
	struct wt_heap_entry *syn;
	struct wt_frame *frame;

	host->now = now;
	*port = 0;
	run_timers(host);
	tell_applications(host);
	wt_udp_tell(&host->udp, now);
	frame = wt_books_release(node, &host->net.ready);
	while (!frame && (syn = wt_heap_min(&host->syns)) && syn->due <= now)
		frame = wt_syn_timeout(host, wt_syn_of(syn));
	while (!frame && host->output_head) {
		bool more;

		frame = wt_tcp_output(host->output_head, &more);
		if (!more)
			pop_output(host);
	}
	if (frame)
		node->audit.out++;
	return frame;
}

static wt_time host_deadline(const struct wt_node *node)
{
	const struct wt_host *host = (const struct wt_host *)node;
	const struct wt_heap *heaps[] = {&host->conns, &host->syns, &host->waits, &host->timers};
	wt_time due = wt_net_deadline(&host->net);

	if (host->ready_head || host->output_head || host->udp.ready_head)
		return host->now;
	for (unsigned i = 0; i < sizeof(heaps) / sizeof(heaps[0]); i++)
		if (heaps[i]->count)
			due = wt_time_min(due, wt_heap_min(heaps[i])->due);
	return due;
}

static void host_destroy(struct wt_node *node)
{
	struct wt_host *host = (struct wt_host *)node;

	while (host->all) {
		struct wt_tcp *tcp = host->all;

		wt_demux_remove(host, &tcp->entry);
		wt_tcb_free(tcp);
	}
	wt_udp_finish(&host->udp);
	wt_net_finish(&host->net);
	wt_heap_finish(&host->conns);
	wt_heap_finish(&host->timers);
	wt_heap_finish(&host->syns);
	wt_heap_finish(&host->waits);
	wt_slots_finish(&host->slots, host->chunks);
	wt_chunks_destroy(host->chunks);
	free(host->table);
	free(host);
}

static const struct wt_node_ops host_ops = {host_input, host_output, host_deadline, host_destroy};

/* ---- life ------------------------------------------------------------------------------------------------------ */

static struct wt_key subkey(const struct wt_key *secret, uint64_t n)
{
	return (struct wt_key){wt_siphash_u64(secret, 2 * n), wt_siphash_u64(secret, 2 * n + 1)};
}

static void derive_keys(struct wt_host *host)
{
	const struct wt_key *secret = &host->config.secret;

	host->key_isn = subkey(secret, 1);
	host->key_port = subkey(secret, 2);
	host->key_ts = subkey(secret, 3);
	host->key_hash = subkey(secret, 4);
	host->key_phase = subkey(secret, 5);
	host->key_module = subkey(secret, 6);
	host->key_cookie = subkey(secret, 8);
	host->port_counter = (uint32_t)wt_siphash_u64(secret, 6);
}

/* 0 or -ENOMEM. */
static int init_net(struct wt_host *host)
{
	static const struct wt_addr everywhere = {.family = WT_FAMILY_IPV4};
	const struct wt_host_config *config = &host->config;
	const struct wt_net_config net = {
		.interfaces = 1,
		.reassembles = true,
		.rate = {WT_ICMP_BURST, WT_ICMP_INTERVAL},
		.quote = ICMP_QUOTE,
		.secret = subkey(&config->secret, 7),
		.node = &host->node,
		.pool = config->pool,
	};
	int error = wt_net_init(&host->net, &net);

	if (error)
		return error;
	wt_net_set_mac(&host->net, 0, &config->mac, config->mtu);
	error = wt_net_add_address(&host->net, 0, &config->addr, config->prefix_len);
	if (!error && config->gateway.family)
		error = wt_net_add_route(&host->net, &everywhere, 0, 0, &config->gateway);
	for (unsigned i = 0; i < WT_STATIC_NEIGHBOURS && config->neighbours[i].addr.family; i++)
		wt_neighbours_add(&host->net.neighbours, 0, &config->neighbours[i].addr, &config->neighbours[i].mac);
	wt_udp_init(&host->udp, &host->net);
	return error;
}

struct wt_host *wt_host_create(const struct wt_host_config *config)
{
	uint32_t mtu = config->mtu ? config->mtu : 1500;
	struct wt_host *host;

	if (mtu < WT_HOST_MTU_MIN) {
		errno = EINVAL;
		return NULL;
	}
	host = calloc(1, sizeof(*host));
	if (!host)
		return NULL;
	host->config = *config;
	host->config.mtu = mtu;
	if (!host->config.max_connections)
		host->config.max_connections = 1024;
	if (!host->config.memory)
		host->config.memory = (uint64_t)1 << 30;
	if (!host->config.max_half_open)
		host->config.max_half_open = 1024;
	if (!host->config.max_time_wait)
		host->config.max_time_wait = 8192;
	host->node.ops = &host_ops;
	host->node.ports = 1;
	memcpy(host->node.name, config->name, sizeof(config->name));
	derive_keys(host);
	if (wt_heap_init(&host->conns, host->config.max_connections + 1) ||
	    wt_demux_init(host) || init_net(host) || !(host->chunks = wt_chunks_create(host->config.memory))) {
		wt_net_finish(&host->net);
		free(host->table);
		wt_heap_finish(&host->conns);
		wt_heap_finish(&host->timers);
		free(host);
		errno = ENOMEM;
		return NULL;
	}
	return host;
}

void wt_host_destroy(struct wt_host *host)
{
	if (host)
		host_destroy(&host->node);
}

int wt_host_add_address(struct wt_host *host, const struct wt_addr *addr, unsigned prefix_len)
{
	if (addr->family != WT_FAMILY_IPV4 || !wt_source_usable(addr) || prefix_len > 32)
		return -EINVAL;
	return wt_net_add_address(&host->net, 0, addr, prefix_len);
}

struct wt_udp_table *wt_host_udp(struct wt_host *host)
{
	return &host->udp;
}

struct wt_node *wt_host_node(struct wt_host *host)
{
	return &host->node;
}

wt_time wt_host_now(const struct wt_host *host)
{
	return host->now;
}

uint64_t wt_host_memory(const struct wt_host *host)
{
	return wt_chunks_held(host->chunks);
}

uint32_t wt_host_connections(const struct wt_host *host)
{
	struct wt_host_info info;

	wt_host_info(host, &info);
	return info.connections + info.half_open + info.time_wait;
}

void wt_host_info(const struct wt_host *host, struct wt_host_info *info)
{
	*info = (struct wt_host_info){.half_open = host->syns.count, .memory = wt_host_memory(host), .time_wait = host->waits.count, .count = host->counts};
	for (const struct wt_tcp *tcp = host->all; tcp; tcp = tcp->all_next)
		info->connections += tcp->state != WT_TCP_CLOSED && tcp->state != WT_TCP_LISTEN && tcp->state != WT_TCP_TIME_WAIT;
}

bool wt_host_info_at(const struct wt_host_info *info, unsigned i, const char **name, uint64_t *value)
{
	const struct {
		const char *name;
		uint64_t value;
	} all[] = {
		{"half_open", info->half_open},
		{"time_wait", info->time_wait},
		{"memory_bytes", info->memory},
		{"accept_full", info->count.accept_full},
		{"table_full", info->count.table_full},
		{"refused_memory", info->count.refused_memory},
		{"cookies_sent", info->count.cookies_sent},
		{"cookies_accepted", info->count.cookies_accepted},
		{"cookies_failed", info->count.cookies_failed},
		{"time_wait_cut", info->count.time_wait_cut},
	};

	if (i >= sizeof(all) / sizeof(all[0]))
		return false;
	*name = all[i].name;
	*value = all[i].value;
	return true;
}
