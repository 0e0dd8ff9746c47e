/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/icmp.h"

#include "stack/base/bytes.h"
#include "stack/base/checksum.h"

bool wt_icmp_parse(const uint8_t *data, uint32_t len, struct wt_icmp *icmp)
{
	if (len < WT_ICMP_HEADER || wt_csum_fold(wt_csum_add(0, data, len)) != 0)
		return false;
	icmp->type = data[0];
	icmp->code = data[1];
	icmp->rest = wt_get32(data + 4);
	return true;
}

void wt_icmp_emit(uint8_t *data, uint32_t len, const struct wt_icmp *icmp)
{
	data[0] = icmp->type;
	data[1] = icmp->code;
	wt_put16(data + 2, 0);
	wt_put32(data + 4, icmp->rest);
	wt_put16(data + 2, wt_csum_fold(wt_csum_add(0, data, len)));
}
