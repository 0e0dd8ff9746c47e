/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/aodv.h"

#include "stack/base/bytes.h"

/* Extensions: a type, a length, as many bytes. */
static bool extensions_hold(const uint8_t *data, uint32_t len)
{
	while (len) {
		if (len < 2 || data[1] + 2u > len)
			return false;
		len -= data[1] + 2u;
		data += data[1] + 2u;
	}
	return true;
}

unsigned wt_aodv_type(const uint8_t *data, uint32_t len)
{
	uint32_t least = 0;

	if (len < 2)
		return 0;
	switch (data[0]) {
	case WT_AODV_RREQ:
		least = WT_AODV_RREQ_LEN;
		break;
	case WT_AODV_RREP:
		least = WT_AODV_RREP_LEN;
		break;
	case WT_AODV_RERR: /* at least one (5.3) */
		least = len < 4 || !data[3] ? 0 : 4 + 8u * data[3];
		break;
	case WT_AODV_RREP_ACK:
		least = 2;
	}
	return least && len >= least && extensions_hold(data + least, len - least) ? data[0] : 0;
}

void wt_aodv_parse_rreq(const uint8_t *data, struct wt_aodv_rreq *rreq)
{
	*rreq = (struct wt_aodv_rreq){.flags = data[1], .hops = data[3], .id = wt_get32(data + 4), .dst = wt_get32(data + 8),
				      .dst_seq = wt_get32(data + 12), .orig = wt_get32(data + 16), .orig_seq = wt_get32(data + 20)};
}

void wt_aodv_parse_rrep(const uint8_t *data, struct wt_aodv_rrep *rrep)
{
	*rrep = (struct wt_aodv_rrep){.flags = data[1], .prefix = data[2] & 31, .hops = data[3], .dst = wt_get32(data + 4),
				      .dst_seq = wt_get32(data + 8), .orig = wt_get32(data + 12), .lifetime_ms = wt_get32(data + 16)};
}

void wt_aodv_parse_rerr(const uint8_t *data, struct wt_aodv_rerr *rerr)
{
	rerr->flags = data[1];
	rerr->count = data[3];
	for (unsigned i = 0; i < rerr->count; i++) {
		rerr->lost[i].dst = wt_get32(data + 4 + 8 * i);
		rerr->lost[i].seq = wt_get32(data + 8 + 8 * i);
	}
}

void wt_aodv_emit_rreq(uint8_t data[WT_AODV_RREQ_LEN], const struct wt_aodv_rreq *rreq)
{
	data[0] = WT_AODV_RREQ;
	data[1] = rreq->flags;
	data[2] = 0;
	data[3] = rreq->hops;
	wt_put32(data + 4, rreq->id);
	wt_put32(data + 8, rreq->dst);
	wt_put32(data + 12, rreq->dst_seq);
	wt_put32(data + 16, rreq->orig);
	wt_put32(data + 20, rreq->orig_seq);
}

void wt_aodv_emit_rrep(uint8_t data[WT_AODV_RREP_LEN], const struct wt_aodv_rrep *rrep)
{
	data[0] = WT_AODV_RREP;
	data[1] = rrep->flags;
	data[2] = rrep->prefix;
	data[3] = rrep->hops;
	wt_put32(data + 4, rrep->dst);
	wt_put32(data + 8, rrep->dst_seq);
	wt_put32(data + 12, rrep->orig);
	wt_put32(data + 16, rrep->lifetime_ms);
}

uint32_t wt_aodv_emit_rerr(uint8_t data[WT_AODV_RERR_LEN], const struct wt_aodv_rerr *rerr)
{
	data[0] = WT_AODV_RERR;
	data[1] = rerr->flags;
	data[2] = 0;
	data[3] = rerr->count;
	for (unsigned i = 0; i < rerr->count; i++) {
		wt_put32(data + 4 + 8 * i, rerr->lost[i].dst);
		wt_put32(data + 8 + 8 * i, rerr->lost[i].seq);
	}
	return 4 + 8u * rerr->count;
}
