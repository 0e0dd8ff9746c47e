/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP segment header and options (RFC 9293 3.1, RFC 7323, RFC 2018, RFC 6994). Parse and emit are inverse. */
#ifndef WT_STACK_WIRE_TCP_H
#define WT_STACK_WIRE_TCP_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/bytes.h"
#include "stack/base/seq.h"

#define WT_TCP_HEADER 20
#define WT_TCP_OPTIONS_ROOM 40
#define WT_TCP_SACK_BLOCKS 4
#define WT_TCP_EXPERIMENTS 4

enum wt_tcp_flags { WT_FIN = 1, WT_SYN = 2, WT_RST = 4, WT_PSH = 8, WT_ACK = 16, WT_URG = 32, WT_ECE = 64, WT_CWR = 128 };

/* An experimental option (kinds 253, 254), raw: `data` points into the segment after kind and length. */
struct wt_tcp_experiment {
	uint8_t kind, len; /* len counts kind and length bytes */
	const uint8_t *data;
};

struct wt_tcp_header {
	uint16_t src_port, dst_port;
	wt_seq seq, ack;
	uint8_t flags; /* enum wt_tcp_flags */
	uint8_t header_len; /* bytes, options included; set by parse */
	uint16_t window, urgent;
	uint8_t ecn; /* enum wt_ecn of the IP header around it: of the host, neither parsed nor emitted here */
	/* options; `has` bits say which were there */
	bool has_mss, has_wscale, has_sack_permitted, has_ts;
	uint16_t mss;
	uint8_t wscale; /* as sent, not clamped */
	uint32_t tsval, tsecr;
	uint8_t sack_count;
	struct {
		wt_seq start, end;
	} sack[WT_TCP_SACK_BLOCKS];
	uint8_t experiment_count;
	struct wt_tcp_experiment experiment[WT_TCP_EXPERIMENTS];
};

/* Nothing in it; of options the counts and flags say so, and the rest is not written. */
static inline void wt_tcp_header_begin(struct wt_tcp_header *tcp)
{
	tcp->src_port = tcp->dst_port = tcp->window = tcp->urgent = 0;
	tcp->seq = tcp->ack = tcp->tsval = tcp->tsecr = 0;
	tcp->flags = tcp->header_len = tcp->ecn = tcp->sack_count = tcp->experiment_count = 0;
	tcp->has_mss = tcp->has_wscale = tcp->has_sack_permitted = tcp->has_ts = false;
}

/*
 * data: the whole segment, `len` bytes by the IP header. False if the header is malformed (data offset below 20 or past the end,
 * an option with length 0, 1 or running past the header: RFC 9293 3.1 MUST-7). Unknown options are skipped (MUST-6), an option
 * of known kind but wrong length is ignored. MSS and window scale and SACK-permitted count only with SYN.
 */
bool wt_tcp_parse(const uint8_t *data, uint32_t len, struct wt_tcp_header *tcp);
/* No options: 20 bytes. */
static inline bool wt_tcp_plain(const struct wt_tcp_header *tcp)
{
	return !(tcp->flags & WT_SYN) && !tcp->has_ts && !tcp->sack_count && !tcp->experiment_count;
}

/*
 * Bytes of header that emit() will write: 20 + options padded to four. Layout: on SYN mss, sackOK+TS or nop,nop padding, wscale;
 * otherwise nop,nop,TS then nop,nop,SACK; experiments last, each padded with NOPs in front.
 * Options that do not fit are left out from the end of: experiment, SACK blocks (experiments win over the last SACK block).
 */
uint32_t wt_tcp_emit_len_with_options(struct wt_tcp_header *tcp);
uint8_t *wt_tcp_emit_options(uint8_t *p, const struct wt_tcp_header *tcp); /* gives the byte behind them */

static inline uint32_t wt_tcp_emit_len(struct wt_tcp_header *tcp)
{
	return wt_tcp_plain(tcp) ? WT_TCP_HEADER : wt_tcp_emit_len_with_options(tcp);
}

/* Writes the header with checksum field zero; call emit_len first (it settles what fits). Returns the length. */
static inline uint32_t wt_tcp_emit(uint8_t *data, const struct wt_tcp_header *tcp)
{
	uint8_t *end = data + WT_TCP_HEADER;

	if (!wt_tcp_plain(tcp))
		end = wt_tcp_emit_options(end, tcp);
	wt_put16(data, tcp->src_port);
	wt_put16(data + 2, tcp->dst_port);
	wt_put32(data + 4, tcp->seq);
	wt_put32(data + 8, tcp->ack);
	data[12] = (uint8_t)((end - data) / 4 << 4);
	data[13] = tcp->flags;
	wt_put16(data + 14, tcp->window);
	wt_put16(data + 16, 0);
	wt_put16(data + 18, tcp->urgent);
	return (uint32_t)(end - data);
}

#endif
