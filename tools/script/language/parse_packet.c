/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/wire/icmp.h"
#include "stack/wire/tcp.h"
#include "tools/script/language/packet.h"
#include "tools/script/language/parse.h"

static bool number(struct wt_scan *scan, const char *what, uint64_t max, uint32_t *out)
{
	uint64_t value = 0;

	if (!wt_scan_need_number(scan, what, max, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

/* "192.0.2.1:2001", "192.0.2.1" or ":2001" */
static bool parse_endpoint(struct wt_scan *scan, struct wt_endpoint *endpoint)
{
	uint32_t part[4], port;

	memset(endpoint, 0, sizeof(*endpoint));
	if (wt_scan_peek(scan) != ':') {
		for (int i = 0; i < 4; i++)
			if ((i && !wt_scan_need(scan, ".")) || !number(scan, "an IPv4 address", 255, &part[i]))
				return false;
		endpoint->addr = wt_addr_ipv4((uint8_t)part[0], (uint8_t)part[1], (uint8_t)part[2], (uint8_t)part[3]);
	}
	if (wt_scan_is(scan, ":")) {
		if (!number(scan, "a port", 65535, &port))
			return false;
		endpoint->port = (uint16_t)port;
	}
	return true;
}

/* START:END(LENGTH), which must agree */
static bool parse_range(struct wt_scan *scan, uint32_t *start, uint32_t *len)
{
	uint32_t end;

	if (!number(scan, "a sequence number", UINT32_MAX, start) || !wt_scan_need(scan, ":") ||
	    !number(scan, "the sequence number after the payload", UINT32_MAX, &end) || !wt_scan_need(scan, "(") ||
	    !number(scan, "the payload length", 65535, len) || !wt_scan_need(scan, ")"))
		return false;
	if (end - *start != *len)
		return wt_scan_fail(scan, "%u:%u(%u) does not add up: %u bytes from %u end at %u", *start, end, *len,
				    *len, *start, *start + *len);
	return true;
}

static bool parse_flags(struct wt_scan *scan, uint8_t *flags)
{
	static const char letters[] = "FSRP.UEW"; /* in the order of the header's bits */
	const char *begin, *found;

	wt_scan_space(scan);
	begin = scan->at;
	if (wt_scan_is(scan, "-"))
		return true;
	for (; scan->at < scan->end && *scan->at && (found = strchr(letters, *scan->at)); scan->at++)
		*flags |= (uint8_t)(1u << (found - letters));
	return scan->at > begin || wt_scan_expected(scan, "TCP flags (of F S R P . U E W, or - for none)");
}

/* ---- TCP options -------------------------------------------------------------------------------------- */

static bool parse_sack(struct wt_scan *scan, struct wt_script_tcp_option *option)
{
	do {
		uint32_t start, end;

		if (option->len == WT_SCRIPT_SACK_BLOCKS)
			return wt_scan_fail(scan, "more than %d SACK blocks do not fit", WT_SCRIPT_SACK_BLOCKS);
		if (!number(scan, "a SACK block START:END", UINT32_MAX, &start) || !wt_scan_need(scan, ":") ||
		    !number(scan, "the end of a SACK block", UINT32_MAX, &end))
			return false;
		option->sack[option->len].start = start;
		option->sack[option->len].end = end;
		option->len++;
	} while (wt_scan_peek(scan) >= '0' && wt_scan_peek(scan) <= '9');
	return true;
}

static bool parse_timestamp(struct wt_scan *scan, struct wt_script_tcp_option *option)
{
	if (!wt_scan_need(scan, "val"))
		return false;
	option->any_tsval = wt_scan_is(scan, "*");
	if (!option->any_tsval && !number(scan, "a TSval", UINT32_MAX, &option->value))
		return false;
	if (!wt_scan_need(scan, "ecr"))
		return false;
	option->any_tsecr = wt_scan_is(scan, "*");
	return option->any_tsecr || number(scan, "a TSecr", UINT32_MAX, &option->tsecr);
}

/* TCP-Real's option: "real LEVEL" with experiment identifier, "real4 LEVEL" without (docs/packet-scripts.md) */
static bool parse_real(struct wt_scan *scan, bool with_id, struct wt_script_tcp_option *option)
{
	uint32_t level;

	if (!number(scan, "a wave level", 65535, &level))
		return false;
	option->kind = WT_SO_EXPERIMENT;
	option->number = 253;
	if (with_id) {
		option->bytes[option->len++] = WT_SCRIPT_REAL_EXID >> 8;
		option->bytes[option->len++] = WT_SCRIPT_REAL_EXID & 0xff;
	}
	option->bytes[option->len++] = (uint8_t)(level >> 8);
	option->bytes[option->len++] = (uint8_t)level;
	return true;
}

static bool parse_bytes(struct wt_scan *scan, struct wt_script_tcp_option *option, unsigned room)
{
	int count = wt_scan_bytes(scan, option->bytes, room);

	option->len = (uint8_t)(count < 0 ? 0 : count);
	return count >= 0;
}

static bool parse_option(struct wt_scan *scan, struct wt_script_tcp_option *option)
{
	static const struct {
		const char *word;
		enum wt_script_tcp_option_kind kind;
		uint32_t max; /* of the number that follows; 0: none */
	} plain[] = {
		{"eol", WT_SO_EOL, 0},         {"nop", WT_SO_NOP, 0},         {"sackOK", WT_SO_SACK_PERMITTED, 0},
		{"mss", WT_SO_MSS, UINT16_MAX}, {"wscale", WT_SO_WSCALE, 255},
	};

	memset(option, 0, sizeof(*option));
	for (unsigned i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (!wt_scan_is(scan, plain[i].word))
			continue;
		option->kind = plain[i].kind;
		return !plain[i].max || number(scan, "the option's value", plain[i].max, &option->value);
	}
	if (wt_scan_is(scan, "sack")) {
		option->kind = WT_SO_SACK;
		return parse_sack(scan, option);
	}
	if (wt_scan_is(scan, "TS")) {
		option->kind = WT_SO_TIMESTAMP;
		return parse_timestamp(scan, option);
	}
	if (wt_scan_is(scan, "real4"))
		return parse_real(scan, false, option);
	if (wt_scan_is(scan, "real"))
		return parse_real(scan, true, option);
	option->kind = WT_SO_EXPERIMENT;
	option->number = 253;
	if (wt_scan_is(scan, "exp-253"))
		return parse_bytes(scan, option, 38);
	option->number = 254;
	if (wt_scan_is(scan, "exp-254"))
		return parse_bytes(scan, option, 38);
	option->kind = WT_SO_RAW;
	if (wt_scan_is(scan, "raw"))
		return parse_bytes(scan, option, 40);
	return wt_scan_expected(scan, "a TCP option (mss, nop, eol, sackOK, sack, TS, wscale, real, real4, exp-253, "
				      "exp-254, raw)");
}

static unsigned option_size(const struct wt_script_tcp_option *option)
{
	switch (option->kind) {
	case WT_SO_EOL:
	case WT_SO_NOP:
		return 1;
	case WT_SO_MSS:
		return 4;
	case WT_SO_WSCALE:
		return 3;
	case WT_SO_SACK_PERMITTED:
		return 2;
	case WT_SO_SACK:
		return 2 + 8u * option->len;
	case WT_SO_TIMESTAMP:
		return 10;
	case WT_SO_EXPERIMENT:
		return 2u + option->len;
	case WT_SO_RAW:
		return option->len;
	}
	return 0;
}

static bool parse_options(struct wt_scan *scan, struct wt_script_packet *packet)
{
	unsigned size = 0;

	if (wt_scan_is(scan, "...")) {
		packet->any_options = true;
		return wt_scan_need(scan, ">");
	}
	if (wt_scan_is(scan, ">"))
		return true;
	packet->options = calloc(WT_SCRIPT_TCP_OPTIONS, sizeof(*packet->options));
	if (!packet->options)
		return wt_scan_fail(scan, "out of memory");
	do {
		if (packet->option_count == WT_SCRIPT_TCP_OPTIONS)
			return wt_scan_fail(scan, "more than %d TCP options", WT_SCRIPT_TCP_OPTIONS);
		if (!parse_option(scan, &packet->options[packet->option_count]))
			return false;
		size += option_size(&packet->options[packet->option_count++]);
		if (size > WT_TCP_OPTIONS_ROOM)
			return wt_scan_fail(scan, "TCP options of more than %d bytes do not fit a header", WT_TCP_OPTIONS_ROOM);
	} while (wt_scan_is(scan, ","));
	return wt_scan_need(scan, ">");
}

/* ---- segments ------------------------------------------------------------------------------------------ */

/* One word of damage; false without failing if none stands here. */
static bool parse_damage(struct wt_scan *scan, struct wt_script_damage *damage)
{
	uint32_t value;

	if (wt_scan_is(scan, "badsum"))
		damage->bad_checksum = true;
	else if (wt_scan_is(scan, "zerosum"))
		damage->zero_checksum = true;
	else if (wt_scan_is(scan, "badipsum"))
		damage->bad_ip_checksum = true;
	else if (wt_scan_is(scan, "doff") && number(scan, "a data offset", 15, &value)) {
		damage->has_doff = true;
		damage->doff = (uint8_t)value;
	} else if (wt_scan_is(scan, "iplen") && number(scan, "an IP total length", 65535, &value)) {
		damage->has_ip_length = true;
		damage->ip_length = (uint16_t)value;
	} else if (wt_scan_is(scan, "pad") && number(scan, "a count of bytes", 100, &value)) {
		damage->pad = (uint16_t)value;
	} else if (wt_scan_is(scan, "fill") && number(scan, "a byte", 255, &value)) {
		damage->has_fill = true;
		damage->fill = (uint8_t)value;
	} else {
		return false;
	}
	return !scan->failed;
}

/* packetdrill's words for the ECN field, in brackets before the flags */
static bool parse_ecn(struct wt_scan *scan, struct wt_script_packet *packet)
{
	if (!wt_scan_is(scan, "["))
		return true;
	for (unsigned i = 0; i < 4; i++) {
		if (!wt_scan_is(scan, wt_script_ecn_words[i]))
			continue;
		packet->has_ecn = true;
		packet->ecn = (uint8_t)i;
		return wt_scan_need(scan, "]");
	}
	return wt_scan_expected(scan, "an ECN field (noecn, ect0, ect1, ce)");
}

static bool parse_field(struct wt_scan *scan, const char *word, uint32_t max, bool *has, uint32_t *value)
{
	if (!wt_scan_is(scan, word))
		return true;
	*has = true;
	return number(scan, "a number", max, value);
}

static bool check_tcp(struct wt_scan *scan, bool outbound, const struct wt_script_packet *packet)
{
	bool damaged = false;
	const struct wt_script_damage none = {0};

	damaged = memcmp(&none, &packet->damage, sizeof(none)) != 0;
	if (outbound && damaged)
		return wt_scan_fail(scan, "only inbound packets can be damaged");
	if ((packet->flags & WT_ACK) && !packet->has_ack)
		return wt_scan_fail(scan, "a packet with the flag '.' needs 'ack NUMBER'");
	if (outbound && !(packet->flags & WT_ACK) && packet->has_ack)
		return wt_scan_fail(scan, "'ack' needs the flag '.'");
	if (!outbound && packet->any_options)
		return wt_scan_fail(scan, "<...> stands only in expected packets");
	if (!outbound && !packet->has_window && !(packet->flags & WT_RST))
		return wt_scan_fail(scan, "an inbound packet needs 'win NUMBER'");
	return true;
}

static bool parse_tcp(struct wt_scan *scan, bool outbound, struct wt_script_packet *packet)
{
	uint32_t window = 0, urgent = 0;
	bool options = false;

	packet->kind = WT_SP_TCP;
	if (!parse_ecn(scan, packet) || !parse_flags(scan, &packet->flags) || !parse_range(scan, &packet->start, &packet->len) ||
	    !parse_field(scan, "ack", UINT32_MAX, &packet->has_ack, &packet->ack) ||
	    !parse_field(scan, "win", UINT16_MAX, &packet->has_window, &window) ||
	    !parse_field(scan, "urg", UINT16_MAX, &packet->has_urgent, &urgent))
		return false;
	packet->window = (uint16_t)window;
	packet->urgent = (uint16_t)urgent;
	while (!scan->failed) {
		if (parse_damage(scan, &packet->damage))
			continue;
		if (scan->failed || options || !wt_scan_is(scan, "<"))
			break;
		options = true;
		if (!parse_options(scan, packet))
			return false;
	}
	return !scan->failed && check_tcp(scan, outbound, packet);
}

/* ---- ICMP and raw --------------------------------------------------------------------------------------- */

static bool parse_icmp(struct wt_scan *scan, bool outbound, struct wt_script_packet *packet)
{
	char type[WT_SCAN_WORD], code[WT_SCAN_WORD] = "";
	uint32_t id = 0, sequence = 0;

	packet->kind = WT_SP_ICMP;
	if (!wt_scan_word(scan, type))
		return wt_scan_expected(scan, "an ICMP type (unreachable, time_exceeded, source_quench, echo_request ...)");
	if (!strcmp(type, "unreachable") || !strcmp(type, "time_exceeded") || !strcmp(type, "parameter_problem"))
		if (!wt_scan_word(scan, code))
			return wt_scan_expected(scan, "an ICMP code such as frag_needed, port_unreachable, ttl");
	if (!wt_script_icmp_numbers(type, code, &packet->icmp_type, &packet->icmp_code))
		return wt_scan_fail(scan, "unknown ICMP message '%s%s%s'", type, *code ? " " : "", code);
	if (wt_scan_is(scan, "mtu") && !number(scan, "an MTU", 65535, &packet->icmp_rest))
		return false;
	if (wt_scan_is(scan, "id") && !number(scan, "an identifier", 65535, &id))
		return false;
	if (wt_scan_is(scan, "seq") && !number(scan, "a sequence number", 65535, &sequence))
		return false;
	packet->icmp_rest |= id << 16 | sequence;
	if (wt_scan_is(scan, "("))
		return number(scan, "a payload length", 1400, &packet->icmp_len) && wt_scan_need(scan, ")");
	if (wt_scan_is(scan, "[")) {
		packet->has_quote = true;
		return parse_range(scan, &packet->quote_start, &packet->quote_len) && wt_scan_need(scan, "]");
	}
	if (!outbound && packet->icmp_type != WT_ICMP_ECHO_REQUEST && packet->icmp_type != WT_ICMP_ECHO_REPLY)
		return wt_scan_expected(scan, "the packet the message is about, [START:END(LENGTH)]");
	return !scan->failed;
}

static bool parse_raw(struct wt_scan *scan, bool outbound, struct wt_script_packet *packet)
{
	uint8_t bytes[1500];
	int count;

	packet->kind = WT_SP_RAW;
	if (outbound)
		return wt_scan_fail(scan, "only inbound packets can be raw");
	count = wt_scan_bytes(scan, bytes, sizeof(bytes));
	if (count < 0)
		return false;
	packet->bytes = malloc((size_t)count + 1);
	if (!packet->bytes)
		return wt_scan_fail(scan, "out of memory");
	memcpy(packet->bytes, bytes, (size_t)count);
	packet->byte_count = (unsigned)count;
	return true;
}

bool wt_script_parse_packet(struct wt_scan *scan, bool outbound, struct wt_script_packet *packet)
{
	packet->has_from = wt_scan_is(scan, "from");
	if (packet->has_from && !parse_endpoint(scan, &packet->from))
		return false;
	packet->has_to = wt_scan_is(scan, "to");
	if (packet->has_to && !parse_endpoint(scan, &packet->to))
		return false;
	if (wt_scan_is(scan, "icmp"))
		return parse_icmp(scan, outbound, packet);
	if (wt_scan_is(scan, "raw"))
		return parse_raw(scan, outbound, packet);
	return parse_tcp(scan, outbound, packet);
}

void wt_script_packet_finish(struct wt_script_packet *packet)
{
	free(packet->options);
	free(packet->bytes);
	packet->options = NULL;
	packet->bytes = NULL;
}
