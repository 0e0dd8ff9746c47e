/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet script as data: head options and a list of timed events. docs/packet-scripts.md holds the grammar.
 * Numbers are the script's own: sequence numbers relative, windows as in the header field.
 */
#ifndef WT_TOOLS_SCRIPT_LANGUAGE_SCRIPT_H
#define WT_TOOLS_SCRIPT_LANGUAGE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/text/addr.h"
#include "tools/script/language/scan.h"

/* ---- packets ------------------------------------------------------------------------------------------ */

enum wt_script_tcp_option_kind {
	WT_SO_EOL,
	WT_SO_NOP,
	WT_SO_MSS,
	WT_SO_WSCALE,
	WT_SO_SACK_PERMITTED,
	WT_SO_SACK,
	WT_SO_TIMESTAMP,
	WT_SO_EXPERIMENT, /* kind 253 or 254 with bytes */
	WT_SO_RAW,        /* bytes as they are, kind and length included */
};

#define WT_SCRIPT_TCP_OPTIONS 40
#define WT_SCRIPT_SACK_BLOCKS 4

struct wt_script_tcp_option {
	enum wt_script_tcp_option_kind kind;
	uint8_t number; /* of an experiment: 253 or 254 */
	uint8_t len;    /* bytes in `bytes`, blocks in `sack` */
	bool any_tsval, any_tsecr;
	uint32_t value; /* mss, wscale, TSval */
	uint32_t tsecr;
	union {
		uint8_t bytes[40];
		struct {
			uint32_t start, end;
		} sack[WT_SCRIPT_SACK_BLOCKS];
	};
};

enum wt_script_packet_kind { WT_SP_TCP, WT_SP_ICMP, WT_SP_RAW };

/* What is wrong on purpose with an inbound segment. */
struct wt_script_damage {
	bool bad_checksum, zero_checksum, bad_ip_checksum;
	bool has_doff, has_ip_length, has_fill;
	uint8_t doff; /* words */
	uint8_t fill; /* every payload byte, instead of the stream's */
	uint16_t ip_length;
	uint16_t pad; /* bytes after the datagram, as Ethernet pads */
};

struct wt_script_packet {
	enum wt_script_packet_kind kind;
	bool has_from, has_to;
	struct wt_endpoint from, to; /* family NONE or port 0: the usual one */
	/* TCP */
	bool has_ecn;
	uint8_t ecn; /* enum wt_ecn, of the IP header */
	uint8_t flags;
	uint32_t start, len; /* sequence number and payload */
	bool has_ack, has_window, has_urgent;
	uint32_t ack;
	uint16_t window, urgent;
	bool any_options; /* <...> */
	unsigned option_count;
	struct wt_script_tcp_option *options;
	struct wt_script_damage damage;
	/* ICMP */
	uint8_t icmp_type, icmp_code;
	uint32_t icmp_rest, icmp_len; /* identifier and sequence, or MTU; echo payload */
	bool has_quote;
	uint32_t quote_start, quote_len;
	/* raw: a whole IP datagram */
	uint8_t *bytes;
	unsigned byte_count;
};

/* ---- calls -------------------------------------------------------------------------------------------- */

enum wt_script_value_kind { WT_SV_ANY, WT_SV_NUMBER, WT_SV_STRING, WT_SV_LIST, WT_SV_STRUCT };

struct wt_script_value {
	enum wt_script_value_kind kind;
	int64_t number;
	char text[WT_SCAN_WORD];       /* string, or the field's name inside a struct */
	unsigned count;
	struct wt_script_value *items; /* list and struct */
};

#define WT_SCRIPT_ARGUMENTS 6

struct wt_script_call {
	char name[WT_SCAN_WORD];
	unsigned count;
	struct wt_script_value arguments[WT_SCRIPT_ARGUMENTS];
	bool any_result;
	int64_t result;
	int error; /* positive errno expected with result -1; 0: not looked at */
};

/* ---- events ------------------------------------------------------------------------------------------- */

enum wt_script_when {
	WT_AT_ABSOLUTE,
	WT_AT_RELATIVE, /* to the event before */
	WT_AT_ANY,      /* "*": whenever it comes */
};

enum wt_script_event_kind { WT_SE_INBOUND, WT_SE_OUTBOUND, WT_SE_CALL, WT_SE_CODE };

struct wt_script_event {
	enum wt_script_event_kind kind;
	unsigned line;
	enum wt_script_when when;
	bool range;    /* from..to: a packet may come in between; a call may block until `to` */
	wt_time from, to;
	struct wt_script_packet packet;
	struct wt_script_call call;
	const char *code; /* of a code block: points into the script's text */
	size_t code_len;
	unsigned code_line;
};

struct wt_script_setting {
	char name[WT_SCAN_WORD];
	char *value; /* NULL: a flag */
	unsigned line;
};

struct wt_script {
	char *file, *text; /* owned copies */
	unsigned setting_count, event_count;
	struct wt_script_setting *settings;
	struct wt_script_event *events;
};

/* 0, or -EINVAL (a sentence with FILE:LINE in error), or -ENOMEM. Finish after success or failure. */
int wt_script_parse(struct wt_script *script, const char *file, const char *text, size_t len,
		    char error[WT_SCRIPT_ERROR]);
void wt_script_finish(struct wt_script *script);

/* ---- names the parser and the runner share -------------------------------------------------------------- */

/* "SOL_SOCKET" and friends, errno names included. */
bool wt_script_symbol(const char *name, int64_t *value);
bool wt_script_errno(const char *name, int *value);
const char *wt_script_errno_name(int error); /* "EAGAIN", or "errno 200" */

#endif
