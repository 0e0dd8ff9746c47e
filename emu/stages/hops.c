/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As many routers as it is told, in one place: the TTL (hop limit) of an IP packet is lowered by their number, and a packet that
 * one of them would have thrown away is, with "time exceeded" to its sender (RFC 1812 5.3.1, RFC 4443 3.3). What no router would
 * pass on, because it belongs to the link, stays as it is: ARP, neighbour discovery, addresses of the link.
 */
#include "stack/wire/packet.h"
#include "emu/stages/refuser.h"

struct hops {
	struct wt_refuser refuser;
	struct wt_hops_config config;
};

/* The TTL says which of the routers it was. */
static void expire(struct hops *hops, wt_time now, struct wt_frame *frame, unsigned ttl)
{
	const struct wt_refusal refusal = {.kind = WT_REFUSAL_HOPS, .router = ttl ? ttl - 1 : 0, .from = hops->config.from};

	wt_refuser_drop(&hops->refuser, now, frame, WT_DROP_TTL, hops->config.silent ? NULL : &refusal);
}

static int hops_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct hops *hops = (struct hops *)node;
	uint8_t *ip = wt_frame_own_head(frame) + WT_ETHERNET;
	unsigned version = wt_packet_version(frame);
	uint8_t *ttl = version == 4 ? ip + 8 : ip + 7;

	if (version && hops->config.hops && !wt_packet_of_link(frame)) {
		if (*ttl <= hops->config.hops) {
			expire(hops, now, frame, *ttl);
			return WT_KEPT;
		}
		*ttl = (uint8_t)(*ttl - hops->config.hops);
		if (version == 4)
			wt_packet_ipv4_checksum_lowered(ip, (uint16_t)(hops->config.hops << 8)); /* the high byte of its word */
	}
	return WT_ON;
}

static const struct wt_node_ops hops_ops = {
	.pass = hops_pass,
	.input = wt_stage_input,
	.output = wt_refuser_output,
	.deadline = wt_refuser_deadline,
	.destroy = wt_refuser_destroy,
};

struct wt_node *wt_hops_create(const char *name, const struct wt_hops_config *config)
{
	struct hops *hops = wt_stage_new(sizeof(*hops), &hops_ops, name);

	if (!hops)
		return NULL;
	hops->config = *config;
	return &hops->refuser.stage.node;
}

void wt_hops_change(struct wt_node *node, wt_time now, const struct wt_hops_config *config)
{
	((struct hops *)node)->config = *config;
}
