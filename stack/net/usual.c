/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/usual.h"

#include "stack/base/bytes.h"
#include "stack/base/checksum.h"
#include "stack/net/net.h"

enum { IP = WT_ETH_HEADER, TOS = IP + 1, LENGTH = IP + 2, ID = IP + 4, FRAGMENT = IP + 6, PROTOCOL = IP + 9, CSUM = IP + 10, ENDS = IP + 12 };

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Ethernet header, version, fragmentation, protocol, addresses: all but what differs from packet to packet and is no reason to refuse it. */
static inline bool alike(const uint8_t *a, const uint8_t *b)
{
	return !((load64(a) ^ load64(b)) | (load64(a + 7) ^ load64(b + 7)) | (load64(a + ENDS) ^ load64(b + ENDS)) |
		 (uint64_t)((a[FRAGMENT] ^ b[FRAGMENT]) | (a[FRAGMENT + 1] ^ b[FRAGMENT + 1]) | (a[PROTOCOL] ^ b[PROTOCOL])));
}

bool wt_usual_input(const struct wt_usual *usual, unsigned interface, struct wt_frame *frame, struct wt_ip_packet *packet)
{
	const uint8_t *head = wt_frame_head(frame);
	uint16_t length;

	if (!usual->in.known || usual->in.interface != interface || frame->len < WT_USUAL_HEAD || frame->fate != WT_FATE_UNDERWAY ||
	    !alike(head, usual->in.head))
		return false;
	if (frame->csum == WT_CSUM_NONE && wt_csum_fold(wt_csum_add(0, head + IP, WT_IPV4_HEADER)))
		return false;
	length = wt_get16(head + LENGTH);
	if (length < WT_IPV4_HEADER || length > frame->len - IP)
		return false;
	packet->ip.src = usual->in.src;
	packet->ip.dst = usual->in.dst;
	packet->ip.id = wt_get16(head + ID);
	packet->ip.total_len = length;
	packet->ip.header_len = WT_IPV4_HEADER;
	packet->ip.frag_offset = 0;
	packet->ip.dont_fragment = head[FRAGMENT] != 0;
	packet->ip.more_fragments = false;
	packet->ip.ttl = head[IP + 8];
	packet->ip.protocol = WT_IP_TCP;
	packet->ip.tos = head[TOS];
	packet->interface = interface;
	packet->frame = frame;
	packet->payload = wt_frame_head(frame) + WT_IP_PAYLOAD;
	packet->len = (uint32_t)length - WT_IPV4_HEADER;
	return true;
}

void wt_usual_heard(struct wt_net *net, unsigned interface, const struct wt_frame *frame, const struct wt_ip_packet *packet)
{
	const uint8_t *head = wt_frame_head(frame);

	if (net->config.forwards || frame->from_path || packet->frame != frame || packet->ip.header_len != WT_IPV4_HEADER)
		return;
	if (head[FRAGMENT] & 0xbf || head[FRAGMENT + 1]) /* anything but "do not fragment" */
		return;
	net->usual.in.known = true;
	net->usual.in.interface = interface;
	memcpy(net->usual.in.head, head, WT_USUAL_HEAD);
	net->usual.in.src = packet->ip.src;
	net->usual.in.dst = packet->ip.dst;
}

const struct wt_usual_out *wt_usual_way(const struct wt_net *net, const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol)
{
	const struct wt_usual_out *out = &net->usual.out;

	return out->known && out->protocol == protocol && wt_addr_eq(&out->dst, dst) && wt_addr_eq(&out->src, src) ? out : NULL;
}

void wt_usual_write(const struct wt_usual_out *out, uint8_t *head, uint16_t length, uint16_t id, uint8_t tos)
{
	memcpy(head, out->head, WT_USUAL_HEAD);
	head[TOS] = tos;
	wt_put16(head + LENGTH, length);
	wt_put16(head + ID, id);
	wt_put16(head + CSUM, wt_csum_fold(out->sum + tos + length + id));
}

bool wt_usual_output(struct wt_net *net, struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst, uint8_t protocol,
		     uint8_t tos)
{
	const struct wt_usual_out *out = wt_usual_way(net, src, dst, protocol);

	if (!out)
		return false;
	frame->mark = out->interface;
	wt_usual_write(out, wt_frame_own_head(frame), (uint16_t)(frame->len - IP), wt_net_id_after(net, out->id_hash), tos);
	return true;
}

void wt_usual_sent(struct wt_net *net, const struct wt_frame *frame, const struct wt_addr *src, const struct wt_addr *dst)
{
	struct wt_usual *usual = &net->usual;
	uint8_t *head = usual->out.head;

	wt_net_id_of(net, dst);
	usual->out.id_hash = net->id_hash;
	usual->out.known = true;
	usual->out.src = *src;
	usual->out.dst = *dst;
	usual->out.interface = frame->mark;
	memcpy(head, wt_frame_head(frame), WT_USUAL_HEAD);
	usual->out.protocol = head[PROTOCOL];
	head[TOS] = 0;
	wt_put16(head + LENGTH, 0);
	wt_put16(head + ID, 0);
	wt_put16(head + CSUM, 0);
	usual->out.sum = wt_csum_add(0, head + IP, WT_IPV4_HEADER);
}
