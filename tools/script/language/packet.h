/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the numbers of a script and the bytes of a wire. */
#ifndef WT_TOOLS_SCRIPT_LANGUAGE_PACKET_H
#define WT_TOOLS_SCRIPT_LANGUAGE_PACKET_H

#include "cc/tcp_real/real.h"
#include "tools/script/language/script.h"

/* Experiment identifier in "real LEVEL". */
#define WT_SCRIPT_REAL_EXID WT_REAL_EXID

#define WT_SX_SENT 128 /* segments remembered */

/* extend.c: what a script leaves open and a run adds, as bits. */
enum { WT_SX_TIMESTAMPS = 1, WT_SX_SACK = 2, WT_SX_SCALING = 4, WT_SX_MERGE = 8 };

/* Of one connection: what both sides have said, and what the other side has of ours. */
struct wt_script_extras {
	uint8_t offered, said, agreed;     /* WT_SX_*: in our SYN, in the peer's, in both */
	bool has_una, holed;
	uint16_t window;                   /* of the peer's last ACK */
	uint32_t recent;                   /* the timestamp it echoes (RFC 7323 4.3: TS.Recent) */
	uint32_t una;                      /* it has acknowledged so far */
	uint32_t hole_end, sacked;         /* `holed`: it has this above a hole */
	unsigned count;                    /* sent so far; the last WT_SX_SENT of them */
	struct {
		uint32_t start, end, tsval;
	} sent[WT_SX_SENT];
};

/*
 * One connection as the script sees it. The peer is the script: its sequence numbers go on the wire plus
 * remote_isn. Ours are counted from the initial sequence number of the first SYN that left; our timestamps so
 * that the first one that left is what the script called it.
 */
struct wt_script_flow {
	struct wt_endpoint local, remote;
	uint32_t remote_isn;
	bool has_iss, has_irs, has_ts;
	uint32_t iss;     /* on the wire */
	uint32_t irs;     /* in script numbers: where the peer's stream begins */
	uint32_t ts_base; /* wire TSval - script TSval */
	bool our_scaling, peer_scaling, scaling; /* offered; in force */
	uint8_t our_offer, our_shift;            /* of the windows we offer: said in our SYN; in force */
	bool has_base, had_socket, has_fin, has_top; /* what has come, for window.c and extend.c, in script numbers: */
	uint32_t base;                           /* its first byte */
	uint32_t edge, syn_window;               /* offered so far; with our SYN */
	uint32_t fin, top;                       /* the number of its FIN; the end of what came */
	struct wt_script_extras extras;
};

#define WT_SCRIPT_FRAME 2048
#define WT_SCRIPT_SEGMENT 1898 /* most octets of an inbound TCP segment, header included: the rest is for what surrounds it */

/* Byte `offset` of the stream either side sends. */
uint8_t wt_script_stream_byte(uint32_t offset);

/* Writes the IP datagram (and padding) of an inbound packet; its length, or 0 if it is a segment above WT_SCRIPT_SEGMENT. */
uint32_t wt_script_packet_build(const struct wt_script_packet *packet, const struct wt_script_flow *flow,
				uint8_t data[WT_SCRIPT_FRAME]);

/*
 * Reads an outbound IP datagram in script numbers. `options` has room for WT_SCRIPT_TCP_OPTIONS. False with a sentence
 * in error if the stack sent something broken: a bad checksum, a payload that is not what was written.
 */
bool wt_script_packet_read(const uint8_t *data, uint32_t len, const struct wt_script_flow *flow,
			   struct wt_script_tcp_option *options, struct wt_script_packet *packet, char *error,
			   size_t error_len);

/* In script notation, without a time. Returns text. */
const char *wt_script_packet_format(const struct wt_script_packet *packet, char *text, size_t len);
/* The names of the fields that differ into `text`; true if none does. Lengths are compared by the caller's leave. */
bool wt_script_packet_same(const struct wt_script_packet *expected, const struct wt_script_packet *live, char *text,
			   size_t len);

/* The words of an ECN field, "noecn" first, in the order of its values. */
extern const char *const wt_script_ecn_words[4];

/* "unreachable", "frag_needed" and back; code may be "". */
bool wt_script_icmp_numbers(const char *type, const char *code, uint8_t *type_out, uint8_t *code_out);
const char *wt_script_icmp_names(uint8_t type, uint8_t code);

#endif
