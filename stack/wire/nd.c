/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/nd.h"

#include "stack/base/bytes.h"
#include "stack/base/checksum.h"
#include "stack/wire/checksum.h"

enum {
	HEADER = 24, /* with the target */
	SOURCE_OPTION = 1, TARGET_OPTION = 2, OPTION = 8,
	ROUTER = 0x80, SOLICITED = 0x40, OVERRIDE = 0x20,
};

/* RFC 4861 4.6: lengths in units of eight bytes, and never 0. Unknown options are passed over, of known ones the first counts. */
static bool parse_options(const uint8_t *data, uint32_t len, uint8_t wanted, struct wt_nd *nd)
{
	while (len) {
		uint32_t size = len >= 2 ? data[1] * 8u : 0;

		if (!size || size > len)
			return false;
		if (data[0] == wanted && size == OPTION && !nd->has_mac) {
			nd->has_mac = true;
			memcpy(nd->mac.bytes, data + 2, 6);
		}
		data += size;
		len -= size;
	}
	return true;
}

static bool is_unspecified(const struct wt_addr *addr)
{
	static const uint8_t none[16];

	return !memcmp(addr->bytes, none, sizeof(none));
}

bool wt_nd_parse(const struct wt_ipv6 *ip, const uint8_t *data, uint32_t len, struct wt_nd *nd)
{
	bool asks = len && data[0] == WT_ND_SOLICITATION, many = ip->dst.bytes[0] == 0xff;
	struct wt_addr group;

	if (len < HEADER || (!asks && data[0] != WT_ND_ADVERTISEMENT) || data[1] || ip->hop_limit != WT_ND_HOP_LIMIT)
		return false;
	if (wt_csum_fold(wt_csum_add(wt_csum_pseudo(&ip->src, &ip->dst, WT_IP_ICMPV6, len), data, len)))
		return false;
	*nd = (struct wt_nd){.type = data[0], .target = wt_addr_ipv6(data + 8)};
	if (nd->target.bytes[0] == 0xff || !parse_options(data + HEADER, len - HEADER, asks ? SOURCE_OPTION : TARGET_OPTION, nd))
		return false;
	if (!asks) {
		nd->router = data[4] & ROUTER;
		nd->solicited = data[4] & SOLICITED;
		nd->override = data[4] & OVERRIDE;
		return !(many && nd->solicited);
	}
	if (!is_unspecified(&ip->src))
		return true;
	group = wt_nd_group(&nd->target); /* somebody tries whether the address is free */
	return !nd->has_mac && wt_addr_eq(&ip->dst, &group);
}

void wt_nd_emit(uint8_t data[WT_ND_LEN], const struct wt_addr *src, const struct wt_addr *dst, const struct wt_nd *nd)
{
	memset(data, 0, WT_ND_LEN);
	data[0] = nd->type;
	data[4] = (uint8_t)((nd->router ? ROUTER : 0) | (nd->solicited ? SOLICITED : 0) | (nd->override ? OVERRIDE : 0));
	memcpy(data + 8, nd->target.bytes, 16);
	data[HEADER] = nd->type == WT_ND_SOLICITATION ? SOURCE_OPTION : TARGET_OPTION;
	data[HEADER + 1] = 1;
	memcpy(data + HEADER + 2, nd->mac.bytes, 6);
	wt_put16(data + 2, wt_csum_fold(wt_csum_add(wt_csum_pseudo(src, dst, WT_IP_ICMPV6, WT_ND_LEN), data, WT_ND_LEN)));
}

struct wt_addr wt_nd_group(const struct wt_addr *target)
{
	struct wt_addr group = {WT_FAMILY_IPV6, {0xff, 0x02, [11] = 1, [12] = 0xff}};

	memcpy(group.bytes + 13, target->bytes + 13, 3);
	return group;
}

struct wt_mac wt_nd_group_mac(const struct wt_addr *group)
{
	struct wt_mac mac = {{0x33, 0x33}};

	memcpy(mac.bytes + 2, group->bytes + 12, 4);
	return mac;
}

struct wt_addr wt_nd_link_local(const struct wt_mac *mac)
{
	const uint8_t *m = mac->bytes;

	return (struct wt_addr){WT_FAMILY_IPV6, {0xfe, 0x80, [8] = m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]}};
}
