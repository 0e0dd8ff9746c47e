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

#include "stack/host/internal.h"
#include "stack/net/books.h"
#include "stack/wire/icmp.h"

#define CONTAINER(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define ICMP_QUOTE (576 - WT_IPV4_HEADER - WT_ICMP_HEADER) /* RFC 1812 4.3.2.3 */
#define APP_TIMERS 16 /* room for at first */

/* ---- queues and timers ------------------------------------------------------------------------------------- */

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

static void run_timers(struct wt_host *host)
{
	wt_tcp_stack_expire(&host->tcp);
	while (wt_heap_is_due(&host->timers, host->tcp.now)) {
		struct wt_host_timer *timer = CONTAINER(wt_heap_min(&host->timers), struct wt_host_timer, entry);

		wt_heap_set(&host->timers, &timer->entry, WT_NEVER);
		timer->fire(timer, host->tcp.now);
	}
	if (wt_net_deadline(&host->net) <= host->tcp.now)
		wt_net_expire(&host->net, host->tcp.now);
}

/* ---- the node ------------------------------------------------------------------------------------------------ */

static void on_error(void *arg, wt_time now, const struct wt_icmp_error *error)
{
	struct wt_host *host = arg;

	if (error->protocol == WT_IP_TCP)
		wt_tcp_icmp(&host->tcp, error);
	else
		wt_udp_icmp(&host->udp, error);
}

static void host_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct wt_host *host = (struct wt_host *)node;
	struct wt_ip_packet packet;
	struct wt_icmp_error error;
	bool more = frame->more;

	host->tcp.now = now;
	host->tcp.more = more;
	node->audit.in++;
	if (wt_segment_input(&host->tcp, port, frame))
		goto taken;
	switch (wt_net_input(&host->net, port, now, frame, &packet)) {
	case WT_IP_IS_TCP:
		wt_tcp_stack_input(&host->tcp, &packet);
		break;
	case WT_IP_IS_ICMP:
		if (!wt_icmp_input(&host->net, now, &packet, &error))
			break;
		on_error(host, now, &error);
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
taken:
	if (!more && host->tcp.held)
		wt_tcp_stack_drained(&host->tcp);
}

static struct wt_frame *host_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct wt_host *host = (struct wt_host *)node;
	struct wt_frame *frame;

	host->tcp.now = now;
	*port = 0;
	run_timers(host);
	wt_tcp_stack_tell(&host->tcp);
	if (host->udp.ready_head)
		wt_udp_tell(&host->udp, now);
	frame = wt_books_release(node, &host->net.ready);
	if (!frame)
		frame = wt_tcp_stack_output(&host->tcp);
	if (!frame)
		return NULL;
	node->audit.out++;
	if (host->whole) {
		wt_frame_finish_csum(frame);
		frame->csum = WT_CSUM_NONE;
	}
	return frame;
}

static wt_time host_deadline(const struct wt_node *node)
{
	const struct wt_host *host = (const struct wt_host *)node;
	wt_time due;

	if (host->udp.ready_head)
		return host->tcp.now;
	due = wt_tcp_stack_deadline(&host->tcp);
	if (due <= host->tcp.now) /* nothing is due earlier but what is late already */
		return due;
	due = wt_time_min(due, wt_net_deadline(&host->net));
	return wt_time_min(due, wt_heap_due(&host->timers));
}

static void host_destroy(struct wt_node *node)
{
	struct wt_host *host = (struct wt_host *)node;

	wt_tcp_stack_finish(&host->tcp);
	wt_udp_finish(&host->udp);
	wt_net_finish(&host->net);
	wt_heap_finish(&host->timers);
	free(host);
}

static const struct wt_node_ops host_ops = {host_input, host_output, host_deadline, host_destroy, .answers = true, .yields = true};

/* ---- life ------------------------------------------------------------------------------------------------------ */

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
		.lost = on_error,
		.arg = host,
		.secret = wt_secret_subkey(&config->secret, 7),
		.node = &host->node,
		.pool = config->pool,
		.big_pool = config->big_pool,
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

/* 0 or -ENOMEM. */
static int init_tcp(struct wt_host *host)
{
	const struct wt_host_config *config = &host->config;
	const struct wt_tcp_stack_config tcp = {
		.net = &host->net,
		.trace = config->trace,
		.secret = config->secret,
		.mtu = config->mtu,
		.max_connections = config->max_connections ? config->max_connections : 1024,
		.max_half_open = config->max_half_open ? config->max_half_open : 1024,
		.max_time_wait = config->max_time_wait ? config->max_time_wait : 8192,
		.memory = config->memory ? config->memory : (uint64_t)1 << 30,
	};

	return wt_tcp_stack_init(&host->tcp, &tcp);
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
	host->whole = wt_pool_is_whole(config->pool);
	host->node.ops = &host_ops;
	host->node.ports = 1;
	memcpy(host->node.name, config->name, sizeof(config->name));
	if (init_tcp(host) || init_net(host)) {
		host_destroy(&host->node);
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
	return host->tcp.now;
}

uint64_t wt_host_memory(const struct wt_host *host)
{
	return wt_chunks_held(host->tcp.chunks);
}

uint32_t wt_host_connections(const struct wt_host *host)
{
	struct wt_host_info info;

	wt_host_info(host, &info);
	return info.connections + info.half_open + info.time_wait;
}

void wt_host_info(const struct wt_host *host, struct wt_host_info *info)
{
	*info = (struct wt_host_info){.half_open = host->tcp.syns.count, .memory = wt_host_memory(host), .time_wait = host->tcp.waits.count,
				      .count = host->tcp.counts};
	for (const struct wt_tcp *tcp = host->tcp.all; tcp; tcp = tcp->all_next)
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
