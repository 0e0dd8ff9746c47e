/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets in script notation, and what differs between two of them. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stack/base/ecn.h"
#include "stack/wire/icmp.h"
#include "stack/wire/tcp.h"
#include "tools/script/language/packet.h"

struct out {
	char *text;
	size_t len, used;
};

static void put(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct out *out, const char *format, ...)
{
	va_list list;
	int n;

	if (out->used + 1 >= out->len)
		return;
	va_start(list, format);
	n = vsnprintf(out->text + out->used, out->len - out->used, format, list);
	va_end(list);
	out->used += n < 0 ? 0 : (size_t)n;
	if (out->used >= out->len)
		out->used = out->len - 1;
}

/* ---- ICMP names ------------------------------------------------------------------------------------------ */

static const struct icmp_name {
	const char *type, *code;
	uint8_t type_number, code_number;
} icmp_names[] = {
	{"unreachable", "net_unreachable", 3, 0},
	{"unreachable", "host_unreachable", 3, 1},
	{"unreachable", "protocol_unreachable", 3, 2},
	{"unreachable", "port_unreachable", 3, 3},
	{"unreachable", "frag_needed", 3, 4},
	{"unreachable", "source_route_failed", 3, 5},
	{"unreachable", "admin_prohibited", 3, 13},
	{"time_exceeded", "ttl", 11, 0},
	{"time_exceeded", "reassembly", 11, 1},
	{"parameter_problem", "pointer", 12, 0},
	{"source_quench", "", 4, 0},
	{"echo_request", "", 8, 0},
	{"echo_reply", "", 0, 0},
};

bool wt_script_icmp_numbers(const char *type, const char *code, uint8_t *type_out, uint8_t *code_out)
{
	for (size_t i = 0; i < sizeof(icmp_names) / sizeof(icmp_names[0]); i++) {
		if (strcmp(icmp_names[i].type, type) || strcmp(icmp_names[i].code, code))
			continue;
		*type_out = icmp_names[i].type_number;
		*code_out = icmp_names[i].code_number;
		return true;
	}
	return false;
}

const char *wt_script_icmp_names(uint8_t type, uint8_t code)
{
	static char text[64];

	for (size_t i = 0; i < sizeof(icmp_names) / sizeof(icmp_names[0]); i++) {
		if (icmp_names[i].type_number != type || icmp_names[i].code_number != code)
			continue;
		snprintf(text, sizeof(text), "%s%s%s", icmp_names[i].type, *icmp_names[i].code ? " " : "",
			 icmp_names[i].code);
		return text;
	}
	snprintf(text, sizeof(text), "type %u code %u", type, code);
	return text;
}

const char *const wt_script_ecn_words[4] = {"noecn", "ect1", "ect0", "ce"};

/* ---- formatting ------------------------------------------------------------------------------------------- */

static void put_endpoint(struct out *out, const char *word, const struct wt_endpoint *endpoint)
{
	char text[WT_ADDR_TEXT];

	put(out, "%s %s", word, endpoint->addr.family ? wt_addr_format(&endpoint->addr, text) : "");
	put(out, endpoint->port ? ":%u " : " ", endpoint->port);
}

static void put_hex(struct out *out, const uint8_t *bytes, unsigned count)
{
	put(out, "0x");
	for (unsigned i = 0; i < count; i++)
		put(out, "%02x", bytes[i]);
}

static bool is_real(const struct wt_script_tcp_option *option)
{
	return option->number == 253 && option->len == 4 && option->bytes[0] == WT_SCRIPT_REAL_EXID >> 8 &&
	       option->bytes[1] == (WT_SCRIPT_REAL_EXID & 0xff);
}

static void put_option(struct out *out, const struct wt_script_tcp_option *option)
{
	switch (option->kind) {
	case WT_SO_EOL:
		put(out, "eol");
		break;
	case WT_SO_NOP:
		put(out, "nop");
		break;
	case WT_SO_MSS:
		put(out, "mss %u", option->value);
		break;
	case WT_SO_WSCALE:
		put(out, "wscale %u", option->value);
		break;
	case WT_SO_SACK_PERMITTED:
		put(out, "sackOK");
		break;
	case WT_SO_SACK:
		put(out, "sack");
		for (unsigned i = 0; i < option->len; i++)
			put(out, " %u:%u", option->sack[i].start, option->sack[i].end);
		break;
	case WT_SO_TIMESTAMP:
		put(out, option->any_tsval ? "TS val *" : "TS val %u", option->value);
		put(out, option->any_tsecr ? " ecr *" : " ecr %u", option->tsecr);
		break;
	case WT_SO_EXPERIMENT:
		if (is_real(option)) {
			put(out, "real %u", option->bytes[2] << 8 | option->bytes[3]);
			break;
		}
		put(out, "exp-%u ", option->number);
		put_hex(out, option->bytes, option->len);
		break;
	case WT_SO_RAW:
		put(out, "raw ");
		put_hex(out, option->bytes, option->len);
		break;
	}
}

static void put_flags(struct out *out, uint8_t flags)
{
	static const char letters[] = "FSRP.UEW", order[] = "SFRPEWU."; /* packets read "S.", "P." */

	if (!flags)
		put(out, "-");
	for (unsigned i = 0; order[i]; i++)
		if (flags & 1u << (strchr(letters, order[i]) - letters))
			put(out, "%c", order[i]);
}

static void put_tcp(struct out *out, const struct wt_script_packet *packet)
{
	if (packet->ecn || packet->has_ecn)
		put(out, "[%s] ", wt_script_ecn_words[packet->ecn & WT_ECN_MASK]);
	put_flags(out, packet->flags);
	put(out, " %u:%u(%u)", packet->start, packet->start + packet->len, packet->len);
	if (packet->has_ack)
		put(out, " ack %u", packet->ack);
	if (packet->has_window)
		put(out, " win %u", packet->window);
	if (packet->has_urgent)
		put(out, " urg %u", packet->urgent);
	if (packet->any_options)
		put(out, " <...>");
	else if (packet->option_count) {
		for (unsigned i = 0; i < packet->option_count; i++) {
			put(out, i ? "," : " <");
			put_option(out, &packet->options[i]);
		}
		put(out, ">");
	}
}

const char *wt_script_packet_format(const struct wt_script_packet *packet, char *text, size_t len)
{
	struct out out = {text, len, 0};

	text[0] = 0;
	if (packet->has_from)
		put_endpoint(&out, "from", &packet->from);
	if (packet->has_to)
		put_endpoint(&out, "to", &packet->to);
	if (packet->kind == WT_SP_TCP) {
		put_tcp(&out, packet);
	} else if (packet->kind == WT_SP_ICMP) {
		put(&out, "icmp %s", wt_script_icmp_names(packet->icmp_type, packet->icmp_code));
		if (packet->icmp_type == WT_ICMP_ECHO_REPLY || packet->icmp_type == WT_ICMP_ECHO_REQUEST)
			put(&out, " id %u seq %u (%u)", packet->icmp_rest >> 16, packet->icmp_rest & 0xffff, packet->icmp_len);
		if (packet->has_quote)
			put(&out, " [%u:%u(%u)]", packet->quote_start, packet->quote_start + packet->quote_len,
			    packet->quote_len);
	} else {
		put(&out, "raw ");
		put_hex(&out, packet->bytes, packet->byte_count);
	}
	return text;
}

/* ---- comparing -------------------------------------------------------------------------------------------- */

static void differ(struct out *out, bool differs, const char *field)
{
	if (differs)
		put(out, "%s%s", out->used ? ", " : "", field);
}

static bool option_same(const struct wt_script_tcp_option *a, const struct wt_script_tcp_option *b)
{
	if (a->kind != b->kind || a->len != b->len || a->number != b->number)
		return false;
	switch (a->kind) {
	case WT_SO_MSS:
	case WT_SO_WSCALE:
		return a->value == b->value;
	case WT_SO_TIMESTAMP:
		return (a->any_tsval || a->value == b->value) && (a->any_tsecr || a->tsecr == b->tsecr);
	case WT_SO_SACK:
		return memcmp(a->sack, b->sack, a->len * sizeof(a->sack[0])) == 0;
	case WT_SO_EXPERIMENT:
	case WT_SO_RAW:
		return memcmp(a->bytes, b->bytes, a->len) == 0;
	default:
		return true;
	}
}

static bool options_same(const struct wt_script_packet *expected, const struct wt_script_packet *live)
{
	if (expected->any_options)
		return true;
	if (expected->option_count != live->option_count)
		return false;
	for (unsigned i = 0; i < expected->option_count; i++)
		if (!option_same(&expected->options[i], &live->options[i]))
			return false;
	return true;
}

static bool endpoint_same(bool has, const struct wt_endpoint *said, const struct wt_endpoint *live)
{
	return !has || ((!said->addr.family || wt_addr_eq(&said->addr, &live->addr)) &&
			(!said->port || said->port == live->port));
}

bool wt_script_packet_same(const struct wt_script_packet *expected, const struct wt_script_packet *live, char *text,
			   size_t len)
{
	struct out out = {text, len, 0};

	text[0] = 0;
	differ(&out, !endpoint_same(expected->has_from, &expected->from, &live->from), "source");
	differ(&out, !endpoint_same(expected->has_to, &expected->to, &live->to), "destination");
	if (expected->kind != live->kind) {
		differ(&out, true, "protocol");
	} else if (expected->kind == WT_SP_TCP) {
		differ(&out, expected->has_ecn && expected->ecn != live->ecn, "ECN field");
		differ(&out, expected->flags != live->flags, "flags");
		differ(&out, expected->start != live->start, "sequence number");
		differ(&out, expected->len != live->len, "payload length");
		differ(&out, expected->has_ack && live->has_ack && expected->ack != live->ack, "ack");
		differ(&out, expected->has_window && expected->window != live->window, "win");
		differ(&out, expected->has_urgent && expected->urgent != live->urgent, "urg");
		differ(&out, !options_same(expected, live), "options");
	} else {
		bool echo = expected->icmp_type == WT_ICMP_ECHO_REPLY;

		differ(&out, expected->icmp_type != live->icmp_type, "type");
		differ(&out, expected->icmp_code != live->icmp_code, "code");
		differ(&out, echo && expected->icmp_rest != live->icmp_rest, "id or seq");
		differ(&out, echo && expected->icmp_len != live->icmp_len, "payload length");
	}
	return !out.used;
}
