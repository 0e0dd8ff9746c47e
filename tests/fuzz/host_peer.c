/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes to the host of fuzz_host.c, drawn from the input. */
#include "stack/wire/checksum.h"
#include "stack/wire/icmp.h"
#include "tests/fuzz/host_life.h"

/* The number itself, close to it, or anywhere. */
static wt_seq near(wt_seq number)
{
	uint8_t how = u8();

	switch (how & 7) {
	case 0:
	case 1:
	case 2:
		return number;
	case 3:
		return number + (how >> 3);
	case 4:
		return number - (how >> 3);
	case 5:
		return number + u16();
	case 6:
		return number - u16();
	default:
		return number + u32();
	}
}

/* Records and intervals that the host's connections have looked at since they began; *most: what one packet may add at the very worst. */
static uint64_t work(uint64_t *most)
{
	uint64_t steps = 0;

	*most = 100;
	for (const struct wt_tcp *tcp = life.host->tcp.all; tcp; tcp = tcp->all_next) {
		steps += tcp->board.steps + tcp->board.reported.steps + tcp->waiting.steps;
		*most += 8 * ((uint64_t)tcp->board.view.count + tcp->board.reported.count + tcp->waiting.count);
	}
	return steps;
}

/* The work of one packet has a bound (security 26): a walk that does not end, or is done again and again, is seen with the packet that causes it. */
static void arrive(struct wt_frame *frame)
{
	uint64_t most, unused, before = work(&most), after;

	life.host->node.ops->input(&life.host->node, 0, life.now, frame);
	after = work(&unused);
	CLAIM(after < before || after - before <= most); /* fewer: a connection is gone */
}

static uint32_t put_header(uint8_t *tcp, struct wt_tcp_header *seg, const struct payload *payload)
{
	struct wt_tcp_header bare = *seg;
	uint32_t len = WT_TCP_HEADER + payload->options_len;

	if (!payload->options) {
		len = wt_tcp_emit_len(seg);
		wt_tcp_emit(tcp, seg);
		return len;
	}
	bare.has_mss = bare.has_wscale = bare.has_sack_permitted = bare.has_ts = false;
	bare.sack_count = bare.experiment_count = 0;
	wt_tcp_emit(tcp, &bare);
	tcp[12] = (uint8_t)(len / 4 << 4);
	memcpy(tcp + WT_TCP_HEADER, payload->options, payload->options_len);
	return len;
}

void put(const struct wt_endpoint *from, uint16_t to, struct wt_tcp_header *seg, struct payload payload)
{
	struct wt_frame *frame = wt_frame_new(life.pool);
	struct wt_eth eth = {our_mac, peer_mac, WT_ETH_IPV4};
	struct wt_ipv4 ip = {.src = from->addr, .dst = life.host->config.addr, .ttl = 64, .protocol = WT_IP_TCP, .tos = payload.tos};
	uint32_t header;

	if (!frame)
		return;
	seg->src_port = from->port;
	seg->dst_port = to;
	header = put_header(wt_frame_own_bytes(frame) + HEADERS, seg, &payload);
	if (HEADERS + header + payload.len > ROOM)
		payload.len = ROOM - HEADERS - header;
	ip.total_len = (uint16_t)(WT_IPV4_HEADER + header + payload.len);
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_ipv4_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &ip);
	for (uint32_t i = 0; i < payload.len; i++)
		wt_frame_own_bytes(frame)[HEADERS + header + i] = stream_byte(payload.offset + i);
	frame->len = HEADERS + header + payload.len;
	frame->csum = WT_CSUM_VALID;
	arrive(frame);
}

static void draw_sack(const struct wt_tcp *tcp, struct wt_tcp_header *seg)
{
	uint32_t flight = tcp->snd_nxt - tcp->snd_una;

	seg->sack_count = (uint8_t)(u8() % 5);
	for (unsigned i = 0; i < seg->sack_count; i++) {
		uint32_t how = u8();

		if (how & 1) { /* inside what is under way */
			seg->sack[i].start = tcp->snd_una + (uint32_t)((uint64_t)flight * (how >> 1) / 128);
			seg->sack[i].end = seg->sack[i].start + flight / (2 + (how >> 5));
		} else {
			seg->sack[i].start = near(tcp->snd_una) + (uint32_t)u8() * 100;
			seg->sack[i].end = near(seg->sack[i].start + 100 * (uint32_t)u8());
		}
	}
}

static void draw_experiments(struct wt_tcp_header *seg, uint8_t data[5][38])
{
	seg->experiment_count = (uint8_t)(u8() % 5);
	for (unsigned i = 0; i < seg->experiment_count; i++) {
		uint8_t how = u8();
		unsigned len = how & 4 ? 6 : 2 + u8() % 39u;

		memset(data[i], 0, 38);
		for (unsigned k = 0; k + 2 < len; k++)
			data[i][k] = how & 2 && k < 2 ? (uint8_t)"TR"[k] : u8();
		seg->experiment[i] = (struct wt_tcp_experiment){(uint8_t)(253 + (how & 1)), (uint8_t)len, data[i]};
	}
}

static uint8_t draw_flags(void)
{
	uint8_t how = u8();

	if ((how & 0xf0) == 0xf0)
		return u8();
	return (uint8_t)(WT_ACK | ((how & 0x87) == 0x87 ? WT_FIN : 0) | ((how & 0x30) == 0x30 ? WT_ECE : 0) | (how & 0x40 ? WT_PSH : 0));
}

/* What the peer has sent to this connection so far: no ACK may say more. */
static void note_given(const struct wt_tcp *tcp, wt_seq end)
{
	unsigned slot = tcp->conn % REMEMBERED;

	if (tcp->state < WT_TCP_SYN_RECEIVED || !tcp->irs) {
		life.given[slot].known = false;
		return;
	}
	if (!life.given[slot].known || life.given[slot].conn != tcp->conn) {
		life.given[slot].known = true;
		life.given[slot].conn = tcp->conn;
		life.given[slot].top = wt_seq_max(end, tcp->rcv_nxt + 1);
	}
	if (wt_seq_gt(end, life.given[slot].top) && wt_seq_diff(end, tcp->rcv_nxt) > 0)
		life.given[slot].top = end;
}

static void draw_options(const struct wt_tcp *tcp, uint8_t how, struct wt_tcp_header *seg, uint8_t data[5][38])
{
	if ((how & 0x89) == 0x89 ? !tcp->ts_ok : tcp->ts_ok) {
		seg->has_ts = true;
		seg->tsval = (how & 0x40 ? near(tcp->ts_recent) : tcp->ts_recent) + (uint32_t)(how >> 7);
		seg->tsecr = near(tcp->ts_offset + (uint32_t)(life.now / WT_MS));
	}
	if (how & 2) {
		seg->has_mss = seg->has_wscale = seg->has_sack_permitted = true;
		seg->mss = u16();
		seg->wscale = u8();
	}
	if (how & 4)
		draw_sack(tcp, seg);
	if (how & 8)
		draw_experiments(seg, data);
}

void segment_for(const struct wt_tcp *tcp)
{
	struct wt_tcp_header seg = {.flags = draw_flags()};
	uint8_t options = u8(), tos = u8() & 3, how = u8(), raw[40], data[5][38];
	struct payload payload = {.tos = tos};
	struct wt_endpoint remote = tcp->entry.tuple.remote;

	seg.seq = how & 2 ? near(tcp->rcv_nxt) : tcp->rcv_nxt + (how & 4 ? (uint32_t)(how >> 3) * 100 : 0);
	seg.ack = how & 1    ? near(tcp->snd_una)
		  : how & 8  ? tcp->snd_nxt
		  : how & 16 ? tcp->snd_una
			     : tcp->snd_una + (tcp->snd_nxt - tcp->snd_una) / 2;
	seg.window = how & 64 ? u16() : 60000;
	seg.ecn = tos;
	draw_options(tcp, options, &seg, data);
	if (options & 16) {
		payload.options = raw;
		payload.options_len = (1 + u8() % 10u) * 4;
		for (unsigned i = 0; i < payload.options_len; i++)
			raw[i] = u8();
	}
	payload.len = options & 32 ? u16() % 1460 : options & 64 ? u8() : 0;
	payload.offset = seg.seq - tcp->irs - 1;
	note_given(tcp, seg.seq + payload.len + !!(seg.flags & WT_FIN) + !!(seg.flags & WT_SYN));
	if (seg.flags & WT_SYN && payload.len)
		life.unknown = true; /* its bytes stand one place further */
	put(&remote, tcp->entry.tuple.local.port, &seg, payload);
}

void syn_from_somewhere(void)
{
	struct wt_endpoint from = {wt_addr_ipv4(10, 0, 0, 2), (uint16_t)(7000 + u8() % 16)};
	uint8_t how = u8();
	struct wt_tcp_header syn = {.flags = WT_SYN | (how & 16 ? WT_ECE | WT_CWR : 0),
				    .has_mss = how & 1, .has_wscale = how & 2, .has_sack_permitted = how & 4, .has_ts = how & 8};

	syn.seq = u32();
	syn.window = u16();
	syn.mss = u16();
	syn.wscale = u8();
	syn.tsval = u32();
	put(&from, PORT, &syn, (struct payload){0});
}

void error_about(const struct wt_tcp *tcp)
{
	struct wt_frame *frame = wt_frame_new(life.pool);
	struct wt_eth eth = {our_mac, peer_mac, WT_ETH_IPV4};
	struct wt_ipv4 ip = {.src = tcp->entry.tuple.remote.addr, .dst = life.host->config.addr, .total_len = 56, .ttl = 64,
			     .protocol = WT_IP_ICMP};
	struct wt_ipv4 quoted = {.src = life.host->config.addr, .dst = tcp->entry.tuple.remote.addr, .total_len = 1000, .ttl = 60,
				 .protocol = WT_IP_TCP};
	uint8_t type = u8(), code = u8(), *icmp, *ports;
	uint16_t mtu = u16();
	wt_seq seq = near(tcp->snd_una);

	if (!frame)
		return;
	icmp = wt_frame_own_bytes(frame) + HEADERS;
	ports = icmp + 8 + WT_IPV4_HEADER;
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	wt_ipv4_emit(wt_frame_own_bytes(frame) + WT_ETH_HEADER, &ip);
	memset(icmp, 0, 8);
	icmp[0] = type & 1 ? 3 : type;
	icmp[1] = type & 2 ? 4 : type & 1 ? code % 16 : code;
	wt_put16(icmp + 6, mtu);
	wt_ipv4_emit(icmp + 8, &quoted);
	wt_put16(ports, tcp->entry.tuple.local.port);
	wt_put16(ports + 2, tcp->entry.tuple.remote.port);
	wt_put32(ports + 4, seq);
	frame->len = HEADERS + 36;
	wt_put16(icmp + 2, wt_csum_fold(wt_csum_add(0, icmp, 36)));
	frame->csum = WT_CSUM_NONE;
	arrive(frame);
}

void garbage(uint8_t how)
{
	struct wt_frame *frame = wt_frame_new(life.pool);
	struct wt_eth eth = {our_mac, peer_mac, WT_ETH_IPV4};
	unsigned len = u8();

	if (!frame)
		return;
	frame->len = len;
	for (unsigned i = 0; i < len; i++)
		wt_frame_own_bytes(frame)[i] = u8();
	if (how & 32 && len >= WT_ETH_HEADER)
		wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	frame->csum = how & 64 ? WT_CSUM_VALID : WT_CSUM_NONE;
	life.unknown = true;
	arrive(frame);
}
