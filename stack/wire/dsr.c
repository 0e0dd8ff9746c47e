/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/dsr.h"

#include <string.h>

#include "stack/base/bytes.h"

enum { REQUEST = 1, REPLY = 2, ERROR = 3, ROUTE = 96, PAD1 = 224, PADN = 0 };

static bool read_addresses(const uint8_t *data, uint32_t len, struct wt_dsr_addresses *over)
{
	if (len % 4 || len / 4 > WT_DSR_MOST)
		return false;
	over->count = len / 4;
	for (unsigned i = 0; i < over->count; i++)
		over->at[i] = wt_get32(data + 4 * i);
	return true;
}

/* An option's data, `len` bytes; at: where the option begins. One of each kind counts, the last. */
static bool read_option(const uint8_t *data, uint32_t len, uint8_t type, uint32_t at, struct wt_dsr *dsr)
{
	switch (type) {
	case REQUEST:
		if (len < 6 || !read_addresses(data + 6, len - 6, &dsr->request.over))
			return false;
		dsr->request.id = wt_get16(data);
		dsr->request.target = wt_get32(data + 2);
		return dsr->has_request = true;
	case REPLY:
		return dsr->has_reply = len >= 5 && read_addresses(data + 1, len - 1, &dsr->reply.over);
	case ERROR:
		if (len < 10 || (data[0] == WT_DSR_NODE_UNREACHABLE && len < 14))
			return false;
		dsr->error = (struct wt_dsr_error){.type = data[0], .salvage = data[1] & 15, .source = wt_get32(data + 2),
						   .destination = wt_get32(data + 6), .unreachable = len < 14 ? 0 : wt_get32(data + 10)};
		return dsr->has_error = true;
	case ROUTE:
		if (len < 2 || !read_addresses(data + 2, len - 2, &dsr->route.over))
			return false;
		dsr->route.salvage = (uint8_t)(wt_get16(data) >> 6 & 15);
		dsr->route.left = data[1] & 63;
		dsr->route.at = at;
		return dsr->has_route = dsr->route.left <= dsr->route.over.count;
	default:
		return true;
	}
}

bool wt_dsr_parse(const uint8_t *data, uint32_t len, struct wt_dsr *dsr)
{
	uint32_t at = WT_DSR_HEADER;

	memset(dsr, 0, sizeof(*dsr));
	if (len < WT_DSR_HEADER || data[1] & 0x80) /* a flow state header */
		return false;
	dsr->next_header = data[0];
	dsr->len = WT_DSR_HEADER + (uint32_t)wt_get16(data + 2);
	if (dsr->len > len)
		return false;
	while (at < dsr->len) {
		if (data[at] == PAD1) {
			at++;
			continue;
		}
		if (dsr->len - at < 2 || data[at + 1] + 2u > dsr->len - at ||
		    !read_option(data + at + 2, data[at + 1], data[at], at, dsr))
			return false;
		at += data[at + 1] + 2u;
	}
	return true;
}

static uint32_t write_addresses(uint8_t *data, const struct wt_dsr_addresses *over)
{
	for (unsigned i = 0; i < over->count; i++)
		wt_put32(data + 4 * i, over->at[i]);
	return 4 * over->count;
}

static uint32_t begin(uint8_t *data, uint8_t type, uint32_t len)
{
	data[0] = type;
	data[1] = (uint8_t)len;
	return 2;
}

static uint32_t write_request(uint8_t *data, const struct wt_dsr_request *request)
{
	uint32_t at = begin(data, REQUEST, 6 + 4 * request->over.count);

	wt_put16(data + at, request->id);
	wt_put32(data + at + 2, request->target);
	return at + 6 + write_addresses(data + at + 6, &request->over);
}

static uint32_t write_error(uint8_t *data, const struct wt_dsr_error *error)
{
	uint32_t at = begin(data, ERROR, 14);

	data[at] = error->type;
	data[at + 1] = error->salvage;
	wt_put32(data + at + 2, error->source);
	wt_put32(data + at + 6, error->destination);
	wt_put32(data + at + 10, error->unreachable);
	return at + 14;
}

static uint32_t write_route(uint8_t *data, const struct wt_dsr_route *route)
{
	uint32_t at = begin(data, ROUTE, 2 + 4 * route->over.count);

	wt_put16(data + at, (uint16_t)(route->salvage << 6 | route->left));
	return at + 2 + write_addresses(data + at + 2, &route->over);
}

uint32_t wt_dsr_emit(uint8_t data[WT_DSR_ROOM], const struct wt_dsr *dsr)
{
	uint32_t at = WT_DSR_HEADER;

	if (dsr->has_request)
		at += write_request(data + at, &dsr->request);
	if (dsr->has_reply) {
		data[at++] = PAD1; /* its addresses then stand at a multiple of four */
		at += begin(data + at, REPLY, 1 + 4 * dsr->reply.over.count);
		data[at++] = 0;
		at += write_addresses(data + at, &dsr->reply.over);
	}
	if (dsr->has_error)
		at += write_error(data + at, &dsr->error);
	if (dsr->has_route)
		at += write_route(data + at, &dsr->route);
	while (at % 4)
		data[at++] = PAD1;
	data[0] = dsr->next_header;
	data[1] = 0;
	wt_put16(data + 2, (uint16_t)(at - WT_DSR_HEADER));
	return at;
}

void wt_dsr_step(uint8_t *data, const struct wt_dsr_route *route)
{
	data[route->at + 3]--; /* the low six bits, which are not 0 */
}
