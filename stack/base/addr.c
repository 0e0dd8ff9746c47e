/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/addr.h"

#include <arpa/inet.h>

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

const char *wt_addr_format(const struct wt_addr *addr, char text[WT_ADDR_TEXT])
{
	int family = addr->family == WT_FAMILY_IPV6 ? AF_INET6 : AF_INET;

	if (addr->family == WT_FAMILY_NONE || !inet_ntop(family, addr->bytes, text, WT_ADDR_TEXT))
		strcpy(text, "none");
	return text;
}
