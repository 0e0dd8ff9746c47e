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
	if (store->window)
		wt_chunk_release(store->pool, store->window);
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

static uint32_t put_bytes(struct wt_store *store, wt_seq seq, const struct wt_extent *extent, uint32_t len)
{
	uint32_t done = 0, piece;

	if (!store->held)
		store->top = seq;
	for (; done < len; done += piece) {
		uint32_t place = place_of(store, seq + done);
		struct wt_extent rest = wt_extent_from(extent, done);
		uint8_t *to;

		piece = WT_CHUNK - place < len - done ? WT_CHUNK - place : len - done;
		if (!take_chunk(store, seq + done))
			break;
		to = *slot_of(store, seq + done) + place;
		if (rest.pattern)
			rest.pattern->read(rest.key, rest.at, to, piece);
		else
			copy(to, rest.bytes, piece);
		store->top = wt_seq_max(store->top, seq + done + piece);
	}
	return done;
}

/* ---- a pattern --------------------------------------------------------------------------------------------- */

static struct wt_extent named_at(const struct wt_store *store, wt_seq seq)
{
	return wt_extent_from(&store->pattern, seq - store->seam);
}

/* From now on there is no pattern: what is named becomes bytes. False: no memory; the pattern stays. */
static bool write_out(struct wt_store *store)
{
	wt_seq from = wt_seq_max(store->seam, store->released);
	struct wt_extent extent = named_at(store, from);

	if (wt_seq_gt(store->end, from) && put_bytes(store, from, &extent, store->end - from) < store->end - from)
		return false;
	store->pattern.pattern = NULL;
	return true;
}

/* Are these bytes what the pattern says they are? */
static bool agrees(const struct wt_store *store, wt_seq seq, const uint8_t *data, uint32_t len)
{
	uint8_t expected[256];

	for (uint32_t done = 0; done < len; done += sizeof(expected)) {
		uint32_t piece = len - done < sizeof(expected) ? len - done : sizeof(expected);
		struct wt_extent extent = named_at(store, seq + done);

		wt_extent_read(&extent, expected, piece);
		if (memcmp(expected, data + done, piece))
			return false;
	}
	return true;
}

uint32_t wt_store_unnamed(const struct wt_store *store, wt_seq seq, uint32_t len)
{
	uint32_t ahead;

	if (!store->pattern.pattern)
		return len;
	if (wt_seq_ge(seq, store->seam))
		return 0;
	ahead = store->seam - seq;
	return ahead < len ? ahead : len;
}

bool wt_store_named(const struct wt_store *store, wt_seq seq, uint32_t len, struct wt_extent *extent)
{
	if (!len || wt_store_unnamed(store, seq, len))
		return false;
	*extent = named_at(store, seq);
	return true;
}

/* Does the name fit what is here already? If nothing is, or nothing above it, it becomes the store's. */
static bool takes_name(struct wt_store *store, wt_seq seq, const struct wt_extent *extent, uint32_t len)
{
	struct wt_extent *own = &store->pattern;
	bool clear = !store->held || wt_seq_le(store->top, seq);

	if (!own->pattern) {
		if (!clear)
			return false;
		*own = *extent;
		store->seam = seq;
		store->end = seq + len;
		return true;
	}
	if (own->pattern != extent->pattern || own->key != extent->key || own->at - extent->at != (uint64_t)(int64_t)(int32_t)(store->seam - seq))
		return false;
	if (wt_seq_lt(seq, store->seam)) {
		if (!clear)
			return false;
		*own = *extent;
		store->seam = seq;
	}
	store->end = wt_seq_max(store->end, seq + len);
	return true;
}

uint32_t wt_store_put_extent(struct wt_store *store, wt_seq seq, const struct wt_extent *extent, uint32_t len)
{
	struct wt_extent rest;
	uint32_t before, done;

	if (!len)
		return 0;
	if (extent->pattern && store->pool && takes_name(store, seq, extent, len))
		return len;
	before = wt_store_unnamed(store, seq, len);
	done = put_bytes(store, seq, extent, before);
	if (done < before || before == len)
		return done;
	rest = wt_extent_from(extent, before);
	if (!rest.pattern && agrees(store, seq + before, rest.bytes, len - before)) {
		store->end = wt_seq_max(store->end, seq + len);
		return len;
	}
	return write_out(store) ? before + put_bytes(store, seq + before, &rest, len - before) : before;
}

uint32_t wt_store_put(struct wt_store *store, wt_seq seq, const uint8_t *data, uint32_t len)
{
	struct wt_extent extent = wt_extent_of(data);

	return wt_store_put_extent(store, seq, &extent, len);
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

static uint32_t piece_in_chunk(const struct wt_store *store, wt_seq seq, uint32_t len, const uint8_t **data)
{
	uint32_t place = place_of(store, seq);

	*data = *slot_of(store, seq) + place;
	return WT_CHUNK - place < len ? WT_CHUNK - place : len;
}

uint32_t wt_store_piece(struct wt_store *store, wt_seq seq, uint32_t len, const uint8_t **data)
{
	uint32_t before = wt_store_unnamed(store, seq, len);
	struct wt_extent extent;

	if (before)
		return piece_in_chunk(store, seq, before, data);
	if (!store->window)
		store->window = wt_chunk_take(store->pool);
	if (!store->window || !wt_store_named(store, seq, len, &extent))
		return 0;
	len = len < WT_CHUNK ? len : WT_CHUNK;
	wt_extent_read(&extent, store->window, len);
	*data = store->window;
	return len;
}

void wt_store_read(const struct wt_store *store, wt_seq seq, uint8_t *data, uint32_t len)
{
	uint32_t before = wt_store_unnamed(store, seq, len);
	struct wt_extent extent;

	for (len -= before; before;) {
		const uint8_t *from;
		uint32_t piece = piece_in_chunk(store, seq, before, &from);

		copy(data, from, piece);
		seq += piece;
		data += piece;
		before -= piece;
	}
	if (wt_store_named(store, seq, len, &extent))
		wt_extent_read(&extent, data, len);
}

unsigned wt_store_pieces(struct wt_store *store, wt_seq seq, uint32_t len, struct iovec *piece, unsigned most)
{
	bool named = false;
	unsigned count;

	for (count = 0; len && count < most && !named; count++) {
		const uint8_t *at;
		uint32_t n;

		named = !wt_store_unnamed(store, seq, 1);
		n = wt_store_piece(store, seq, len, &at);
		if (!n)
			break;
		piece[count] = (struct iovec){.iov_base = (void *)(uintptr_t)at, .iov_len = n};
		seq += n;
		len -= n;
	}
	return count;
}

/* ---- filled by somebody else -------------------------------------------------------------------------------- */

unsigned wt_store_room(struct wt_store *store, wt_seq seq, uint32_t len, struct iovec *piece, unsigned most)
{
	unsigned count = 0;

	if (store->pattern.pattern && !write_out(store))
		return 0;
	if (!store->held)
		store->top = seq;
	for (; len && count < most && take_chunk(store, seq); count++) {
		const uint8_t *at;
		uint32_t n = piece_in_chunk(store, seq, len, &at);

		piece[count] = (struct iovec){.iov_base = (void *)(uintptr_t)at, .iov_len = n};
		seq += n;
		len -= n;
	}
	return count;
}

void wt_store_filled(struct wt_store *store, wt_seq seq, uint32_t done, uint32_t len)
{
	if (done)
		store->top = wt_seq_max(store->top, seq + done);
	if (!done && store->released == seq)
		drop_all(store);
	else
		wt_store_forget(store, seq + done, seq + len);
}

/* ---- giving back ------------------------------------------------------------------------------------------- */

/* The seam stays within reach of what is still asked for. */
static void move_seam(struct wt_store *store, wt_seq seq)
{
	if (!store->pattern.pattern || !wt_seq_gt(seq, store->seam))
		return;
	store->pattern.at += seq - store->seam;
	store->seam = seq;
}

void wt_store_release(struct wt_store *store, wt_seq seq, wt_seq end)
{
	wt_seq from;

	move_seam(store, seq);
	if (!store->held) {
		store->released = seq;
		return;
	}
	from = store->released - place_of(store, store->released);
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
	wt_seq first = store->released - place_of(store, store->released);

	seq += (WT_CHUNK - place_of(store, seq)) & (WT_CHUNK - 1);
	for (; wt_seq_lt(seq, end) && (seq - first) >> CHUNK_BITS <= store->mask; seq += WT_CHUNK) /* what is named may lie beyond the table */
		drop_slot(store, slot_of(store, seq));
}
