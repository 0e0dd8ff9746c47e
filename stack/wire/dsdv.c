/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/dsdv.h"

#include <string.h>

#include "stack/base/bytes.h"

int wt_dsdv_count(const uint8_t *data, uint32_t len)
{
	unsigned count = len < WT_DSDV_HEADER ? 0 : wt_get16(data + 2);

	if (!count || (data[0] != WT_DSDV_FULL && data[0] != WT_DSDV_PART) || len != WT_DSDV_HEADER + WT_DSDV_ENTRY * count)
		return -1;
	return (int)count;
}

void wt_dsdv_parse(const uint8_t *data, unsigned i, struct wt_dsdv_entry *entry)
{
	data += WT_DSDV_HEADER + WT_DSDV_ENTRY * i;
	*entry = (struct wt_dsdv_entry){wt_get32(data), wt_get32(data + 4), data[8]};
}

void wt_dsdv_emit(uint8_t *data, unsigned i, const struct wt_dsdv_entry *entry)
{
	data += WT_DSDV_HEADER + WT_DSDV_ENTRY * i;
	memset(data, 0, WT_DSDV_ENTRY);
	wt_put32(data, entry->dst);
	wt_put32(data + 4, entry->seq);
	data[8] = entry->metric;
}

uint32_t wt_dsdv_finish(uint8_t *data, unsigned kind, unsigned count)
{
	data[0] = (uint8_t)kind;
	data[1] = 0;
	wt_put16(data + 2, (uint16_t)count);
	return WT_DSDV_HEADER + WT_DSDV_ENTRY * count;
}
