/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The largest packet of the link behind. An IPv4 packet that is larger and may be fragmented is (RFC 791); one that may not
 * be is dropped, and its sender told the size that fits (RFC 1191, RFC 4443 3.2). To IPv6 no link is smaller than 1280 bytes: a link
 * that is has to carry that much by means of its own (RFC 8200 section 5), and a host does not believe less (RFC 8201 section 4).
 */
#include <string.h>

#include "stack/wire/packet.h"
#include "emu/stages/refuser.h"
#include "stack/base/bytes.h"

enum { DONT_FRAGMENT = 0x4000, MORE_FRAGMENTS = 0x2000, OFFSET = 0x1fff };

struct mtu {
	struct wt_refuser refuser;
	struct wt_mtu_config config;
};

/* One fragment: `len` payload bytes from `from` on, behind a copy of the header. */
static struct wt_frame *piece(const struct wt_frame *whole, unsigned header, unsigned from, unsigned len, bool more)
{
	struct wt_frame *frame = wt_frame_new(whole->pool);
	uint8_t *ip;

	if (!frame || frame->room < WT_ETHERNET + header + len) {
		wt_frame_free(frame);
		return NULL;
	}
	memcpy(wt_frame_own_bytes(frame), wt_frame_look(whole), WT_ETHERNET + header);
	memcpy(wt_frame_own_bytes(frame) + WT_ETHERNET + header, wt_frame_look(whole) + WT_ETHERNET + header + from, len);
	frame->len = WT_ETHERNET + header + len;
	frame->from_path = whole->from_path;
	ip = wt_frame_own_bytes(frame) + WT_ETHERNET;
	wt_put16(ip + 2, (uint16_t)(header + len));
	wt_put16(ip + 6, (uint16_t)(((wt_get16(ip + 6) & OFFSET) + from / 8) | (wt_get16(ip + 6) & MORE_FRAGMENTS) |
				    (more ? MORE_FRAGMENTS : 0)));
	wt_packet_ipv4_checksum(ip);
	return frame;
}

/* The frame becomes the first fragment; the others are new. Those there is no memory for are counted as made and lost. */
static void fragment(struct mtu *mtu, wt_time now, struct wt_frame *frame, unsigned header, unsigned payload)
{
	struct wt_node *node = &mtu->refuser.stage.node;
	unsigned each = ((unsigned)mtu->config.mtu - header) & ~7u;
	uint8_t *ip = wt_frame_own_bytes(frame) + WT_ETHERNET;
	struct wt_frame_queue others = {0};
	struct wt_frame *other;

	wt_frame_finish_csum(frame);
	for (unsigned from = each; from < payload; from += each) {
		unsigned len = payload - from < each ? payload - from : each;

		node->audit.made++;
		other = piece(frame, header, from, len, from + len < payload);
		if (other)
			wt_frame_queue_push(&others, other);
		else
			node->audit.dropped[WT_DROP_POOL]++;
	}
	frame->len = WT_ETHERNET + header + each;
	frame->csum = WT_CSUM_NONE;
	wt_put16(ip + 2, (uint16_t)(header + each));
	wt_put16(ip + 6, wt_get16(ip + 6) | MORE_FRAGMENTS);
	wt_packet_ipv4_checksum(ip);
	frame->time = now;
	wt_stage_ready(&mtu->refuser.stage, frame);
	while ((other = wt_frame_queue_pop(&others))) {
		other->time = now;
		wt_stage_ready(&mtu->refuser.stage, other);
	}
}

static void refuse(struct mtu *mtu, wt_time now, struct wt_frame *frame, unsigned most)
{
	const struct wt_refusal refusal = {.kind = WT_REFUSAL_SIZE, .mtu = most, .from = mtu->config.from};

	wt_refuser_drop(&mtu->refuser, now, frame, WT_DROP_MTU, mtu->config.silent ? NULL : &refusal);
}

static int mtu_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct mtu *mtu = (struct mtu *)node;
	const uint8_t *ip = wt_frame_head(frame) + WT_ETHERNET;
	unsigned version = wt_packet_version(frame), header, total, most = (unsigned)mtu->config.mtu;

	total = version == 4 ? wt_get16(ip + 2) : version == 6 ? frame->len - WT_ETHERNET : 0;
	if (version == 6 && most < WT_IPV6_MTU)
		most = WT_IPV6_MTU;
	if (total <= most)
		return WT_ON;
	header = (ip[0] & 15u) * 4;
	/* a header that lies about its length is nobody's to cut */
	if (version != 4 || mtu->config.drop || wt_get16(ip + 6) & DONT_FRAGMENT || header < 20 || total <= header ||
	    WT_ETHERNET + total > frame->len)
		refuse(mtu, now, frame, most);
	else if (!wt_packet_ipv4_checksum_holds(ip)) /* that of a fragment would be right: RFC 1812 5.2.2 */
		wt_node_drop(node, now, frame, WT_DROP_IP_CSUM);
	else
		fragment(mtu, now, frame, header, total - header);
	return WT_KEPT;
}

static const struct wt_node_ops mtu_ops = {
	.pass = mtu_pass,
	.input = wt_stage_input,
	.output = wt_refuser_output,
	.deadline = wt_refuser_deadline,
	.destroy = wt_refuser_destroy,
};

struct wt_node *wt_mtu_create(const char *name, const struct wt_mtu_config *config)
{
	struct mtu *mtu = wt_stage_new(sizeof(*mtu), &mtu_ops, name);

	if (!mtu)
		return NULL;
	mtu->config = *config;
	return &mtu->refuser.stage.node;
}

void wt_mtu_change(struct wt_node *node, wt_time now, const struct wt_mtu_config *config)
{
	((struct mtu *)node)->config = *config;
}
