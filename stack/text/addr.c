/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/text/addr.h"

#include <arpa/inet.h>
#include <stdlib.h>

bool wt_addr_parse(const char *text, struct wt_addr *addr)
{
	memset(addr, 0, sizeof(*addr)); /* addresses are compared as bytes */
	if (inet_pton(AF_INET, text, addr->bytes) == 1)
		addr->family = WT_FAMILY_IPV4;
	else if (inet_pton(AF_INET6, text, addr->bytes) == 1)
		addr->family = WT_FAMILY_IPV6;
	else
		memset(addr, 0, sizeof(*addr));
	return addr->family != WT_FAMILY_NONE;
}

/* Every line of a log has two. */
static void format_ipv4(const uint8_t bytes[4], char *to)
{
	for (unsigned i = 0; i < 4; i++) {
		unsigned value = bytes[i];

		if (i)
			*to++ = '.';
		if (value >= 100)
			*to++ = (char)('0' + value / 100);
		if (value >= 10)
			*to++ = (char)('0' + value / 10 % 10);
		*to++ = (char)('0' + value % 10);
	}
	*to = 0;
}

bool wt_addr_in(const struct wt_addr *addr, const struct wt_addr *network, unsigned prefix)
{
	unsigned bytes = prefix / 8, bits = prefix % 8;

	if (addr->family != network->family || memcmp(addr->bytes, network->bytes, bytes))
		return false;
	return !bits || !((addr->bytes[bytes] ^ network->bytes[bytes]) >> (8 - bits));
}

const char *wt_addr_format(const struct wt_addr *addr, char text[WT_ADDR_TEXT])
{
	if (addr->family == WT_FAMILY_IPV4)
		format_ipv4(addr->bytes, text);
	else if (addr->family == WT_FAMILY_NONE || !inet_ntop(AF_INET6, addr->bytes, text, WT_ADDR_TEXT))
		strcpy(text, "none");
	return text;
}

bool wt_mac_parse(const char *text, struct wt_mac *mac)
{
	for (unsigned i = 0; i < 6; i++) {
		size_t len = strspn(text, "0123456789abcdefABCDEF");

		if (len < 1 || len > 2 || text[len] != (i < 5 ? ':' : 0))
			return false;
		mac->bytes[i] = (uint8_t)strtoul(text, NULL, 16);
		text += len + 1;
	}
	return !(mac->bytes[0] & 1);
}
