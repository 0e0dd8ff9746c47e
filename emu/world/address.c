/* SPDX-License-Identifier: BSD-2-Clause */
/* The addresses of a router in a world: one of each family at most, between commas. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu/world/world.h"
#include "stack/wire/packet.h"
#include "stack/net/refusal.h"
#include "stack/base/bytes.h"
#include "stack/text/units.h"

/* What stands behind the network in an address of IPv4. */
static uint32_t host_of(const struct wt_addr *addr, uint64_t bits)
{
	return wt_get32(addr->bytes) & UINT32_MAX >> bits;
}

/* "10.0.1.1", or "10.0.1.1/24" if `bits` of its network are wanted. */
static int read_one(char *text, struct wt_addr *addr, unsigned *bits, char *err, size_t err_len)
{
	static const unsigned least[WT_FAMILIES] = {0, 8, 16}, most[WT_FAMILIES] = {0, 30, 127};
	char *slash = strchr(text, '/');
	uint64_t n = 0;
	bool good;

	if (slash)
		*slash = 0;
	good = wt_addr_parse(text, addr) && wt_source_usable(addr) && !wt_ipv6_is_link_local(addr->bytes) && !bits == !slash;
	if (slash)
		*slash = '/';
	if (!good) {
		snprintf(err, err_len, "'%.60s' is not the address of a router%s", text,
			 bits ? " with the length of its network, such as 10.0.1.1/24 or 2001:db8:1::1/64" : ", such as 10.255.0.1");
		return -EINVAL;
	}
	if (!bits)
		return 0;
	if (wt_parse_count(slash + 1, &n, NULL, 0) || n < least[addr->family] || n > most[addr->family]) {
		snprintf(err, err_len, "'%.60s': the length of a network is from 8 to 30 bits of IPv4, from 16 to 127 of IPv6", text);
		return -EINVAL;
	}
	if (addr->family == WT_FAMILY_IPV4 && (!host_of(addr, n) || host_of(addr, n) == UINT32_MAX >> n)) {
		snprintf(err, err_len, "'%.60s' is the %s address of its network, and no host's", text, host_of(addr, n) ? "broadcast" : "network");
		return -EINVAL;
	}
	*bits = (unsigned)n;
	return 0;
}

int wt_world_addresses(const char *value, struct wt_addr addr[WT_FAMILIES], unsigned prefix[WT_FAMILIES], char *err, size_t err_len)
{
	char text[200], *rest = text, *one;
	struct wt_addr found;
	unsigned bits;

	snprintf(text, sizeof(text), "%s", value);
	one = strtok_r(rest, ", \t", &rest);
	do {
		if (read_one(one ? one : text, &found, prefix ? &bits : NULL, err, err_len))
			return -EINVAL;
		if (addr[found.family].family) {
			snprintf(err, err_len, "'%.100s': one address of IPv4 and one of IPv6 at most, between commas", value);
			return -EINVAL;
		}
		addr[found.family] = found;
		if (prefix)
			prefix[found.family] = bits;
	} while ((one = strtok_r(rest, ", \t", &rest)));
	return 0;
}

struct wt_addr wt_world_neighbour(const struct wt_addr *gateway, unsigned prefix)
{
	uint32_t network = wt_get32(gateway->bytes) & UINT32_MAX << (32 - prefix);
	uint32_t host = network + (host_of(gateway, prefix) == 2 ? 1 : 2);

	return wt_addr_ipv4((uint8_t)(host >> 24), (uint8_t)(host >> 16), (uint8_t)(host >> 8), (uint8_t)host);
}
