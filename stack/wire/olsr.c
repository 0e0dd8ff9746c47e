/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/wire/olsr.h"

#include "stack/base/bytes.h"

enum { HELLO_HEAD = 4, GROUP_HEAD = 4, SCALE = 16 * 16 /* of C = 1/16 s, in sixteenths */ };

int wt_olsr_next(uint8_t *data, uint32_t len, uint32_t *at, struct wt_olsr_message *message)
{
	uint8_t *head;
	uint32_t size;

	if (len < WT_OLSR_HEADER + WT_OLSR_MESSAGE || wt_get16(data) != len)
		return -1;
	if (!*at)
		*at = WT_OLSR_HEADER;
	if (*at == len)
		return 0;
	if (len - *at < WT_OLSR_MESSAGE)
		return -1;
	head = data + *at;
	size = wt_get16(head + 2);
	if (size < WT_OLSR_MESSAGE || size > len - *at)
		return -1;
	*message = (struct wt_olsr_message){.type = head[0], .validity = wt_olsr_time(head[1]), .size = size, .orig = wt_get32(head + 4), .ttl = head[8],
					    .hops = head[9], .seq = wt_get16(head + 10), .head = head, .body = head + WT_OLSR_MESSAGE,
					    .len = size - WT_OLSR_MESSAGE};
	*at += size;
	return 1;
}

uint32_t wt_olsr_finish(uint8_t *data, uint16_t seq, uint32_t messages)
{
	wt_put16(data, (uint16_t)(WT_OLSR_HEADER + messages));
	wt_put16(data + 2, seq);
	return WT_OLSR_HEADER + messages;
}

void wt_olsr_emit(uint8_t *data, const struct wt_olsr_message *message)
{
	data[0] = message->type;
	data[1] = wt_olsr_time_code(message->validity);
	wt_put16(data + 2, (uint16_t)(WT_OLSR_MESSAGE + message->len));
	wt_put32(data + 4, message->orig);
	data[8] = message->ttl;
	data[9] = message->hops;
	wt_put16(data + 10, message->seq);
}

int wt_olsr_next_group(const uint8_t *body, uint32_t len, uint32_t *at, struct wt_olsr_group *group)
{
	uint32_t size;

	if (len < HELLO_HEAD)
		return -1;
	if (!*at)
		*at = HELLO_HEAD;
	if (*at == len)
		return 0;
	if (len - *at < GROUP_HEAD)
		return -1;
	size = wt_get16(body + *at + 2);
	if (size < GROUP_HEAD || size > len - *at || size % 4 || body[*at] > 15 || body[*at] >> 2 > WT_OLSR_MPR_NEIGHBOUR)
		return -1;
	*group = (struct wt_olsr_group){.link = body[*at] & 3, .neighbour = body[*at] >> 2, .count = (size - GROUP_HEAD) / 4,
					.addresses = body + *at + GROUP_HEAD};
	*at += size;
	return 1;
}

/* value = C (1 + a/16) 2^b, C = 1/16 s, a the high four bits, b the low ones. */
wt_time wt_olsr_time(uint8_t code)
{
	return WT_S / SCALE * ((16 + (code >> 4)) << (code & 15));
}

uint8_t wt_olsr_time_code(wt_time time)
{
	for (unsigned b = 0; b < 16; b++)
		for (unsigned a = 0; a < 16; a++)
			if (wt_olsr_time((uint8_t)(a << 4 | b)) >= time)
				return (uint8_t)(a << 4 | b);
	return 255;
}
