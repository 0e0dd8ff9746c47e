/* SPDX-License-Identifier: BSD-2-Clause */
/* The byte rings of a connection. The pages are touched as they are first used, so a large limit costs little. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stack/tcp/tcb.h"

int wt_ring_init(struct wt_ring *ring, uint32_t least, wt_seq origin)
{
	uint32_t size = 4096;

	while (size < least)
		size <<= 1;
	ring->bytes = malloc(size);
	if (!ring->bytes)
		return -ENOMEM;
	ring->size = size;
	ring->origin = origin;
	return 0;
}

void wt_ring_finish(struct wt_ring *ring)
{
	free(ring->bytes);
	*ring = (struct wt_ring){0};
}

void wt_ring_put(struct wt_ring *ring, wt_seq seq, const uint8_t *data, uint32_t len)
{
	uint32_t at = (seq - ring->origin) & (ring->size - 1);
	uint32_t first = ring->size - at < len ? ring->size - at : len;

	assert(len <= ring->size);
	memcpy(ring->bytes + at, data, first);
	memcpy(ring->bytes, data + first, len - first);
}

void wt_ring_get(const struct wt_ring *ring, wt_seq seq, uint8_t *data, uint32_t len)
{
	uint32_t at = (seq - ring->origin) & (ring->size - 1);
	uint32_t first = ring->size - at < len ? ring->size - at : len;

	assert(len <= ring->size);
	memcpy(data, ring->bytes + at, first);
	memcpy(data + first, ring->bytes, len - first);
}

uint32_t wt_ring_span(const struct wt_ring *ring, wt_seq seq, uint32_t len, const uint8_t **data)
{
	uint32_t at = (seq - ring->origin) & (ring->size - 1);

	*data = ring->bytes + at;
	return ring->size - at < len ? ring->size - at : len;
}
