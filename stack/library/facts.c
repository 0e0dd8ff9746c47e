/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as text, versions, names of modules. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wavetank/cc.h>
#include <wavetank/version.h>

#include "cc/choose.h"
#include "cc/module.h"
#include "stack/text/addr.h"

int wt_lib_addr_parse(const char *text, struct wt_lib_addr *addr)
{
	struct wt_addr inner;

	if (!wt_addr_parse(text, &inner))
		return -EINVAL;
	addr->family = inner.family;
	memcpy(addr->bytes, inner.bytes, sizeof(addr->bytes));
	return 0;
}

const char *wt_lib_addr_format(const struct wt_lib_addr *addr, char text[WT_LIB_ADDR_TEXT])
{
	struct wt_addr inner = {.family = addr->family};

	memcpy(inner.bytes, addr->bytes, sizeof(inner.bytes));
	return wt_addr_format(&inner, text);
}

int wt_lib_endpoint_parse(const char *text, struct wt_lib_endpoint *endpoint)
{
	const char *colon = strrchr(text, ':');
	char addr[WT_LIB_ADDR_TEXT], *end;
	unsigned long port;

	if (!colon || (size_t)(colon - text) >= sizeof(addr) || colon[1] < '0' || colon[1] > '9')
		return -EINVAL;
	memcpy(addr, text, (size_t)(colon - text));
	addr[colon - text] = 0;
	port = strtoul(colon + 1, &end, 10);
	if (*end || !port || port > 65535)
		return -EINVAL;
	endpoint->port = (uint16_t)port;
	return wt_lib_addr_parse(addr, &endpoint->addr);
}

const char *wt_lib_version(void)
{
	return WT_LIB_VERSION;
}

uint32_t wt_lib_cc_abi(void)
{
	return WT_CC_ABI;
}

const char *wt_lib_cc_name(unsigned i, const char **table)
{
	for (unsigned n = 0; wt_senders[n]; n++)
		if (!i--)
			return *table = "sender", wt_senders[n]->name;
	for (unsigned n = 0; wt_recoveries[n]; n++)
		if (!i--)
			return *table = "recovery", wt_recoveries[n]->name;
	for (unsigned n = 0; wt_receivers[n]; n++)
		if (!i--)
			return *table = "receiver", wt_receivers[n]->name;
	return NULL;
}
