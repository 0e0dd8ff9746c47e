/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As many routers as it is told, in one place: the TTL (hop limit) of an IP packet is lowered by their number, and a packet that
 * one of them would have thrown away is, with "time exceeded" to its sender (RFC 1812 5.3.1).
 */
#include "emu/packet.h"
#include "emu/stage.h"

struct hops {
	struct wt_stage stage;
	struct wt_frame_queue back; /* answers, on their way to the sender */
	struct wt_hops_config config;
};

static void expire(struct hops *hops, wt_time now, struct wt_frame *frame)
{
	struct wt_node *node = &hops->stage.node;
	struct wt_frame *answer = hops->config.silent ? NULL : wt_packet_time_exceeded(frame);

	if (answer) {
		node->audit.made++;
		node->audit.queued++;
		answer->time = now;
		wt_frame_queue_push(&hops->back, answer);
	}
	wt_node_drop(node, now, frame, WT_DROP_TTL);
}

static void hops_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct hops *hops = (struct hops *)node;
	uint8_t *ip = frame->data + WT_ETHERNET;
	unsigned version = wt_packet_version(frame);
	uint8_t *ttl = version == 4 ? ip + 8 : ip + 7;

	node->audit.in++;
	frame->time = now;
	if (version && hops->config.hops) {
		if (*ttl <= hops->config.hops) {
			expire(hops, now, frame);
			return;
		}
		*ttl = (uint8_t)(*ttl - hops->config.hops);
		if (version == 4)
			wt_packet_ipv4_checksum_lowered(ip, (uint16_t)(hops->config.hops << 8)); /* the high byte of its word */
	}
	wt_stage_ready(&hops->stage, frame);
}

static struct wt_frame *hops_output(struct wt_node *node, wt_time now, unsigned *port)
{
	return wt_stage_output_both((struct wt_stage *)node, &((struct hops *)node)->back, now, port);
}

static wt_time hops_deadline(const struct wt_node *node)
{
	const struct hops *hops = (const struct hops *)node;

	return hops->back.head ? hops->back.head->time : wt_stage_deadline(node);
}

static void hops_destroy(struct wt_node *node)
{
	if (node)
		wt_frame_queue_clear(&((struct hops *)node)->back);
	wt_stage_destroy(node);
}

static const struct wt_node_ops hops_ops = {
	.input = hops_input,
	.output = hops_output,
	.deadline = hops_deadline,
	.destroy = hops_destroy,
};

struct wt_node *wt_hops_create(const char *name, const struct wt_hops_config *config)
{
	struct hops *hops = wt_stage_new(sizeof(*hops), &hops_ops, name);

	if (!hops)
		return NULL;
	hops->config = *config;
	return &hops->stage.node;
}

void wt_hops_change(struct wt_node *node, wt_time now, const struct wt_hops_config *config)
{
	((struct hops *)node)->config = *config;
}
