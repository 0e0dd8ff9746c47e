/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window of every ACK that leaves, against the rule and not against the engine: RFC 9293 3.8.6.2.2 says what a receiver may offer, and
 * the script knows what has come and what was read. Where the script does not write `win`, this does.
 *
 *   irs+1   read      ack                    offered   limit = read + buffer
 *     |......|.unread..|......................|.........|
 *
 * The right edge never moves left; never promises more than the buffer holds; moves by a segment or half a buffer or not at all; and moves
 * as soon as it can by so much. So it is known to the byte, or with scaling to one unit of the scale.
 */
#include <string.h>

#include "stack/wire/tcp.h"
#include "tools/script/runner/world.h"

/* The socket of this flow, or NULL: not accepted yet, or closed. A listener's is *listener. */
static const struct wt_script_socket *socket_of(const struct wt_script_world *world, const struct wt_script_flow *flow,
						const struct wt_script_socket **listener)
{
	*listener = NULL;
	for (unsigned i = 0; i < WT_SCRIPT_SOCKETS; i++) {
		const struct wt_script_socket *socket = &world->sockets[i];
		struct wt_tcp_info info;

		if (!socket->used || !socket->tcp)
			continue;
		if (socket->listening) {
			if (socket->port == flow->local.port)
				*listener = socket;
			continue;
		}
		wt_tcp_info(socket->tcp, &info);
		if (wt_endpoint_eq(&info.local, &flow->local) && wt_endpoint_eq(&info.remote, &flow->remote))
			return socket;
	}
	return NULL;
}

static bool wrong(struct wt_script_world *world, const char *how, uint32_t window, uint32_t expected)
{
	return wt_script_failed(world, world->line, "a segment that leaves offers a window of %u bytes: %s (expected %u)", window, how, expected);
}

/* In script numbers, as all here. */
static bool check_edge(struct wt_script_world *world, struct wt_script_flow *flow, uint32_t ack, uint32_t window)
{
	const struct wt_script_socket *listener, *socket = socket_of(world, flow, &listener);
	const struct wt_tcp_config *config = socket ? &socket->config : listener ? &listener->config : &world->options.tcp;
	uint32_t buffer = (uint32_t)config->settings.rcv_buffer;
	uint32_t mss = (uint32_t)config->settings.mss - (flow->extras.agreed & WT_SX_TIMESTAMPS ? 12 : 0); /* of what a segment can bring */
	uint32_t step = buffer / 2 < mss ? buffer / 2 : mss, unit = 1u << flow->our_shift, top = 65535u << flow->our_shift;
	bool fin = flow->has_fin && ack == flow->fin + 1;
	uint32_t limit = flow->base + (socket ? socket->read : 0) + buffer + fin, edge = ack + window;
	uint32_t most = limit - ack < top ? limit - ack : top;

	if (fin && (int32_t)(ack - flow->edge) > 0)
		flow->edge = ack; /* a FIN is taken right at the edge, where no octet is */
	/* rounding to the scale may take back less than one unit of it (RFC 7323 2.4) */
	if ((int32_t)(edge + unit - 1 - flow->edge) < 0)
		return wrong(world, "its right edge moves left", window, flow->edge - ack);
	flow->had_socket |= socket != NULL;
	if ((!socket && (!listener || flow->had_socket)) || (socket && socket->shut_read))
		return true; /* the application has closed it: nothing is read any more, or thrown away */
	if ((int32_t)(edge - limit) > 0 && (int32_t)(edge - flow->edge) > 0)
		return wrong(world, "more than the buffer has room for", window, most);
	if (config->receiver.ops && strcmp(config->receiver.ops->name, "standard") != 0)
		return true; /* a module may offer less */
	world->report->windows++;
	if ((int32_t)(edge - flow->edge) >= (int32_t)unit && edge - flow->edge + unit <= step && window < top) /* at the top the field moves it, not the buffer */
		return wrong(world, "its right edge moves by less than a segment and half the buffer", window, flow->edge - ack);
	if ((int32_t)(limit - (unit - 1) - flow->edge) >= (int32_t)step && window + unit <= most)
		return wrong(world, "it stays small although there is room for a segment or half the buffer", window, most);
	return true;
}

bool wt_script_window_sent(struct wt_script_world *world, struct wt_script_flow *flow, const struct wt_script_packet *packet)
{
	uint32_t window = packet->flags & WT_SYN ? packet->window : (uint32_t)packet->window << flow->our_shift;

	if (packet->flags & WT_RST)
		return true;
	if (packet->flags & WT_SYN) {
		flow->base = packet->ack;
		flow->syn_window = window;
		flow->has_base = packet->flags & WT_ACK;
		flow->had_socket = false;
		flow->edge = flow->base + window;
		return true;
	}
	if (!flow->has_base) { /* of an active open */
		if (!flow->has_irs || !flow->has_iss)
			return true;
		flow->has_base = true;
		flow->base = flow->irs + 1;
		flow->edge = flow->base + flow->syn_window;
	}
	if (!check_edge(world, flow, packet->ack, window))
		return false;
	if ((int32_t)(packet->ack + window - flow->edge) > 0)
		flow->edge = packet->ack + window;
	return true;
}
