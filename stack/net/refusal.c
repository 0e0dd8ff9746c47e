/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/refusal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "stack/wire/packet.h"
#include "stack/base/bytes.h"
#include "stack/base/checksum.h"
#include "stack/text/units.h"

enum {
	IPV4_HEADER = 20, IPV6_HEADER = 40, ICMP_HEADER = 8,
	ICMP = 1, ICMPV6 = 58,
	IPV4_QUOTED = 8, /* bytes of the payload, RFC 792 */
	ECHO_REPLY = 0, ECHO_REQUEST = 8,
	INFORMATIONAL = 128, /* from this type on an ICMPv6 message is no error */
	CONTROL = 0xc0, /* the class of internetwork control, RFC 1812 4.3.2.5 */
	USUAL_BURST = 100, USUAL_EACH = 10 * WT_MS,
	MOST = 1000000, /* answers at once, and in a second */
};

static const struct {
	uint8_t type, code, type6, code6;
} messages[] = {
	[WT_REFUSAL_HOPS] = {11, 0, 3, 0},
	[WT_REFUSAL_SIZE] = {3, 4, 2, 0},
	[WT_REFUSAL_ROUTE] = {3, 0, 1, 0},
	[WT_REFUSAL_HOST] = {3, 1, 1, 3},
	[WT_REFUSAL_PORT] = {3, 3, 1, 4},
	[WT_REFUSAL_PROTOCOL] = {3, 2, 0, 0},
};

/* What an answer needs to know of the packet it is about. */
struct subject {
	unsigned version;
	uint32_t quoted; /* bytes from the IP header on */
	struct wt_addr source; /* of the answer */
};

bool wt_source_usable(const struct wt_addr *addr)
{
	static const uint8_t zero[15];
	const uint8_t *bytes = addr->bytes;

	if (addr->family == WT_FAMILY_IPV4)
		return bytes[0] && bytes[0] != 127 && bytes[0] < 224;
	/* neither a group nor the unspecified address nor the loopback's */
	return addr->family == WT_FAMILY_IPV6 && bytes[0] != 0xff && (bytes[15] > 1 || memcmp(bytes, zero, sizeof(zero)));
}

struct wt_addr wt_source_behind(const struct wt_addr *addr, unsigned by)
{
	struct wt_addr behind = *addr;

	for (unsigned i = addr->family == WT_FAMILY_IPV4 ? 4 : 16; i-- && by;) {
		by += behind.bytes[i];
		behind.bytes[i] = (uint8_t)by;
		by >>= 8;
	}
	return behind;
}

static int number(const char *text, const char *end, uint64_t *out)
{
	char digits[8];
	int error = snprintf(digits, sizeof(digits), "%.*s", (int)(end - text), text) < (int)sizeof(digits) ? 0 : -EINVAL;

	if (!error)
		error = wt_parse_count(digits, out, NULL, 0);
	return error || *out < 1 || *out > MOST ? -EINVAL : 0;
}

int wt_refusal_rate_parse(const char *text, struct wt_refusal_rate *rate, char *err, size_t err_len)
{
	static const char burst[] = "/s burst ";
	const char *slash = text + strcspn(text, "/");
	uint64_t per_s, at_once = USUAL_BURST;
	bool plain = !strcmp(slash, "/s"), full = !strncmp(slash, burst, sizeof(burst) - 1);
	const char *rest = full ? slash + sizeof(burst) - 1 : slash;

	if ((!plain && !full) || number(text, slash, &per_s) || (full && number(rest, rest + strlen(rest), &at_once))) {
		snprintf(err, err_len, "'%.40s' is not a limit: expected N/s or N/s burst N, such as 100/s burst 100, each from 1 to %d",
			 text, MOST);
		return -EINVAL;
	}
	*rate = (struct wt_refusal_rate){.burst = (uint32_t)at_once, .each = WT_S / (wt_time)per_s};
	return 0;
}

static bool spend(struct wt_refusal_limit *limit, wt_time now)
{
	uint32_t burst = limit->rate.burst ? limit->rate.burst : USUAL_BURST;
	wt_time each = limit->rate.each ? limit->rate.each : USUAL_EACH;

	if (limit->full - now > (burst - 1) * each)
		return false;
	limit->full = wt_time_max(limit->full, now) + each;
	return true;
}

static struct wt_addr address4(const uint8_t *bytes)
{
	return wt_addr_ipv4(bytes[0], bytes[1], bytes[2], bytes[3]);
}

/* RFC 1122 3.2.2 and RFC 1812 4.3.2.7: the header must hold; not about ICMP errors, later fragments, what many got, nor to
 * whom nobody can be told by. */
static bool may_ipv4(const struct wt_frame *frame, uint32_t quote, struct subject *subject)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETHERNET;
	uint32_t header = (ip[0] & 15u) * 4, len = frame->len - WT_ETHERNET, total = wt_get16(ip + 2);
	struct wt_addr sender = address4(ip + 12);

	if (ip[0] >> 4 != 4 || header < IPV4_HEADER || header > total || total > len || !wt_packet_ipv4_checksum_holds(ip))
		return false;
	if (wt_frame_look(frame)[0] & 1 || ip[16] >= 224 || (wt_get16(ip + 6) & 0x1fff) || !wt_source_usable(&sender))
		return false;
	quote = quote ? quote : header + IPV4_QUOTED;
	subject->quoted = total < quote ? total : quote;
	return ip[9] != ICMP || (total > header && (ip[header] == ECHO_REPLY || ip[header] == ECHO_REQUEST));
}

/* RFC 4443 2.4(e). A later fragment hides the type of an ICMPv6 message; a chain of headers that cannot be followed hides all. Neighbour
 * discovery is the link's own, and no router's to complain about. */
static bool may_ipv6(const struct wt_frame *frame, enum wt_refusal_kind kind, struct subject *subject)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETHERNET;
	struct wt_addr sender = wt_addr_ipv6(ip + 8);
	struct wt_ipv6_upper upper;

	if (kind == WT_REFUSAL_PROTOCOL || !wt_ipv6_upper(ip, frame->len - WT_ETHERNET, &upper) || !wt_source_usable(&sender))
		return false;
	if ((wt_frame_look(frame)[0] & 1 || ip[24] == 0xff) && kind != WT_REFUSAL_SIZE)
		return false;
	subject->quoted = upper.end;
	if (upper.later)
		return upper.protocol != ICMPV6 && !wt_ipv6_is_extension(upper.protocol);
	return upper.protocol != ICMPV6 || (upper.at < upper.end && ip[upper.at] >= INFORMATIONAL && !wt_ipv6_is_discovery(ip[upper.at]));
}

static bool may(const struct wt_frame *frame, const struct wt_refusal *refusal, struct subject *subject)
{
	const uint8_t *ip = wt_frame_look(frame) + WT_ETHERNET;
	const struct wt_addr *from;

	subject->version = wt_packet_version(frame);
	if (!subject->version || wt_frame_look(frame)[6] & 1)
		return false;
	if (subject->version == 4 ? !may_ipv4(frame, refusal->quote, subject) : !may_ipv6(frame, refusal->kind, subject))
		return false;
	from = subject->version == 4 ? &refusal->from.ipv4 : &refusal->from.ipv6;
	if (from->family)
		subject->source = wt_source_behind(from, refusal->router);
	else
		subject->source = subject->version == 4 ? address4(ip + 16) : wt_addr_ipv6(ip + 24);
	return wt_source_usable(&subject->source);
}

/* Type and code, what they are about, and the packet behind them; the checksum is 0. Returns where the message begins. */
static uint8_t *message(struct wt_frame *answer, uint32_t at, uint8_t type, uint8_t code, const struct wt_refusal *refusal,
			const struct wt_frame *about, uint32_t quoted)
{
	uint8_t *to = wt_frame_own_bytes(answer) + at;

	memset(to, 0, ICMP_HEADER);
	to[0] = type;
	to[1] = code;
	if (refusal->kind == WT_REFUSAL_SIZE)
		wt_put32(to + 4, refusal->mtu);
	memcpy(to + ICMP_HEADER, wt_frame_look(about) + WT_ETHERNET, quoted);
	answer->len = at + ICMP_HEADER + quoted;
	return to;
}

static void write_ipv4(struct wt_frame *answer, const struct wt_frame *about, const struct wt_refusal *refusal,
		       const struct subject *subject)
{
	uint8_t *ip = wt_frame_own_bytes(answer) + WT_ETHERNET;
	uint8_t *body = message(answer, WT_ETHERNET + IPV4_HEADER, messages[refusal->kind].type, messages[refusal->kind].code, refusal,
				about, subject->quoted);

	memset(ip, 0, IPV4_HEADER);
	ip[0] = 0x45;
	ip[1] = CONTROL;
	wt_put16(ip + 2, (uint16_t)(answer->len - WT_ETHERNET));
	ip[8] = (uint8_t)(WT_REFUSAL_TTL - refusal->router);
	ip[9] = ICMP;
	memcpy(ip + 12, subject->source.bytes, 4);
	memcpy(ip + 16, wt_frame_look(about) + WT_ETHERNET + 12, 4);
	wt_packet_ipv4_checksum(ip);
	wt_put16(body + 2, wt_csum_fold(wt_csum_add(0, body, ICMP_HEADER + subject->quoted)));
}

static void write_ipv6(struct wt_frame *answer, const struct wt_frame *about, const struct wt_refusal *refusal,
		       const struct subject *subject)
{
	uint8_t *ip = wt_frame_own_bytes(answer) + WT_ETHERNET;
	uint32_t room = answer->room - WT_ETHERNET, most = room < WT_IPV6_MTU ? room : WT_IPV6_MTU;
	uint32_t rest = most - IPV6_HEADER - ICMP_HEADER, len;

	message(answer, WT_ETHERNET + IPV6_HEADER, messages[refusal->kind].type6, messages[refusal->kind].code6, refusal, about,
		subject->quoted < rest ? subject->quoted : rest);
	len = answer->len - WT_ETHERNET - IPV6_HEADER;
	memset(ip, 0, IPV6_HEADER);
	wt_put16(ip, 0x6000 | CONTROL << 4);
	wt_put16(ip + 4, (uint16_t)len);
	ip[6] = ICMPV6;
	ip[7] = (uint8_t)(WT_REFUSAL_TTL - refusal->router);
	memcpy(ip + 8, subject->source.bytes, 16);
	memcpy(ip + 24, wt_frame_look(about) + WT_ETHERNET + 8, 16);
	wt_ipv6_icmp_checksum(ip, IPV6_HEADER, len);
}

static struct wt_frame *build(const struct wt_frame *about, const struct wt_refusal *refusal, const struct subject *subject)
{
	static const uint8_t nobody[6] = {0x02, 0x77, 0x74, 0x10, 0xff, 0xff}; /* for what came to a group, which sends nothing */
	uint32_t least = WT_ETHERNET + (subject->version == 4 ? IPV4_HEADER + ICMP_HEADER + subject->quoted :
							     IPV6_HEADER + ICMP_HEADER + IPV6_HEADER);
	struct wt_frame *answer = wt_frame_new(about->pool);

	if (!answer || answer->room < least) {
		wt_frame_free(answer);
		return NULL;
	}
	memcpy(wt_frame_own_bytes(answer), wt_frame_look(about) + 6, 6);
	memcpy(wt_frame_own_bytes(answer) + 6, wt_frame_look(about)[0] & 1 ? nobody : wt_frame_look(about), 6);
	memcpy(wt_frame_own_bytes(answer) + 12, wt_frame_look(about) + 12, 2);
	(subject->version == 4 ? write_ipv4 : write_ipv6)(answer, about, refusal, subject);
	return answer;
}

struct wt_frame *wt_refuse(struct wt_node *node, struct wt_refusal_limit *limit, wt_time now, struct wt_frame *about,
			   const struct wt_refusal *refusal)
{
	struct subject subject = {0};
	struct wt_frame *answer;

	wt_frame_finish_csum(about);
	if (!may(about, refusal, &subject))
		return NULL;
	if (!spend(limit, now)) {
		node->audit.withheld++;
		return NULL;
	}
	node->audit.made++;
	answer = build(about, refusal, &subject);
	if (!answer) {
		node->audit.dropped[WT_DROP_POOL]++;
		return NULL;
	}
	answer->time = now;
	answer->from_path = 1;
	return answer;
}
