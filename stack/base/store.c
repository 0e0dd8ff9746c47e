/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of chunks is a ring of pointers that grows with the span of what is held: four inside the store, then a table that the pool is
 * charged for. Chunk numbers wrap with sequence numbers; a table's size divides their count, so the mask stays right.
 */
#include "stack/base/store.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BITS 12
#define KEPT 64u /* a table of more slots is given back with the last chunk */

_Static_assert(1u << CHUNK_BITS == WT_CHUNK, "the bits of a place in a chunk");

static uint32_t number_of(const struct wt_store *store, wt_seq seq)
{
	return (seq - store->origin) >> CHUNK_BITS;
}

static uint32_t place_of(const struct wt_store *store, wt_seq seq)
{
	return (seq - store->origin) & (WT_CHUNK - 1);
}

static uint8_t **slot_of(const struct wt_store *store, wt_seq seq)
{
	return &store->chunk[number_of(store, seq) & store->mask];
}

static void use_inline_table(struct wt_store *store)
{
	memset(store->few, 0, sizeof(store->few));
	store->chunk = store->few;
	store->mask = WT_STORE_FEW - 1;
}

void wt_store_init(struct wt_store *store, struct wt_chunks *pool, wt_seq origin)
{
	*store = (struct wt_store){.pool = pool, .origin = origin, .released = origin};
	use_inline_table(store);
}

static void free_table(struct wt_store *store)
{
	if (store->chunk == store->few || !store->chunk)
		return;
	wt_chunks_uncharge(store->pool, (store->mask + 1) * sizeof(store->chunk[0]));
	free(store->chunk);
	use_inline_table(store);
}

static void drop_slot(struct wt_store *store, uint8_t **slot)
{
	if (*slot) {
		wt_chunk_release(store->pool, *slot);
		*slot = NULL;
		store->held--;
	}
}

static void drop_all(struct wt_store *store)
{
	for (uint32_t i = 0; store->held; i++)
		drop_slot(store, &store->chunk[i]);
	if (store->mask >= KEPT)
		free_table(store);
}

void wt_store_finish(struct wt_store *store)
{
	drop_all(store);
	free_table(store);
	*store = (struct wt_store){0};
}

/* A table for `span` chunks. False: no memory. */
static bool grow(struct wt_store *store, uint32_t span)
{
	uint32_t size = store->mask + 1, first = number_of(store, store->released);
	uint8_t **table;

	while (size < span)
		size *= 2;
	if (!wt_chunks_charge(store->pool, size * sizeof(table[0])))
		return false;
	table = calloc(size, sizeof(table[0]));
	if (!table) {
		wt_chunks_uncharge(store->pool, size * sizeof(table[0]));
		return false;
	}
	for (uint32_t n = first; n != first + store->mask + 1; n++)
		table[n & (size - 1)] = store->chunk[n & store->mask];
	free_table(store);
	store->chunk = table;
	store->mask = size - 1;
	return true;
}

/* The chunk at `seq` exists from here on. */
static bool take_chunk(struct wt_store *store, wt_seq seq)
{
	/* counted from the chunk of what was released, whose place is `back` bytes into it */
	uint32_t back = place_of(store, store->released), span = ((seq - store->released + back) >> CHUNK_BITS) + 1;
	uint8_t **slot;

	if (!store->pool || (span > store->mask + 1 && !grow(store, span)))
		return false;
	slot = slot_of(store, seq);
	if (*slot)
		return true;
	*slot = wt_chunk_take(store->pool);
	store->held += *slot != NULL;
	return *slot;
}

/* Knowing that a piece is at most a chunk, the compiler would write a string instruction, which is slower than the library for a segment. */
static void copy(uint8_t *to, const uint8_t *from, uint32_t len)
{
	__asm__("" : "+r"(len));
	memcpy(to, from, len);
}

uint32_t wt_store_put(struct wt_store *store, wt_seq seq, const uint8_t *data, uint32_t len)
{
	uint32_t done = 0, piece;

	for (; done < len; done += piece) {
		uint32_t place = place_of(store, seq + done);

		piece = WT_CHUNK - place < len - done ? WT_CHUNK - place : len - done;
		if (!take_chunk(store, seq + done))
			break;
		copy(*slot_of(store, seq + done) + place, data + done, piece);
	}
	return done;
}

uint32_t wt_store_piece(const struct wt_store *store, wt_seq seq, uint32_t len, const uint8_t **data)
{
	uint32_t place = place_of(store, seq);

	*data = *slot_of(store, seq) + place;
	return WT_CHUNK - place < len ? WT_CHUNK - place : len;
}

void wt_store_read(const struct wt_store *store, wt_seq seq, uint8_t *data, uint32_t len)
{
	while (len) {
		const uint8_t *from;
		uint32_t piece = wt_store_piece(store, seq, len, &from);

		copy(data, from, piece);
		seq += piece;
		data += piece;
		len -= piece;
	}
}

void wt_store_release(struct wt_store *store, wt_seq seq, wt_seq end)
{
	wt_seq from = store->released - place_of(store, store->released);

	if (seq == end) {
		drop_all(store);
	} else {
		for (; (int32_t)(seq - from) >= (int32_t)WT_CHUNK && store->held; from += WT_CHUNK)
			drop_slot(store, slot_of(store, from));
	}
	store->released = seq;
}

void wt_store_forget(struct wt_store *store, wt_seq seq, wt_seq end)
{
	seq += (WT_CHUNK - place_of(store, seq)) & (WT_CHUNK - 1);
	for (; wt_seq_lt(seq, end); seq += WT_CHUNK)
		drop_slot(store, slot_of(store, seq));
}
