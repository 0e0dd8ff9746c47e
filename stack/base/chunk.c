/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slab is 64 chunks, aligned to its own size, so an address leads to its slab by a mask. The first chunk of a slab holds the counts of
 * holders of the others. Chunks that were never taken are cut from the newest slab one by one; those that came back form a stack, linked
 * through their first bytes. Slabs stay until the pool ends.
 *
 * The holders of a chunk that was cut are its pieces in use. Its free pieces stand in a list of all such, in both directions: when the last piece in
 * use comes back, the others leave the list from where they are.
 */
#include "stack/base/chunk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define SLAB_CHUNKS 64u
#define SLAB ((size_t)SLAB_CHUNKS * WT_CHUNK)

struct slab {
	struct slab *next;
	uint32_t holders[SLAB_CHUNKS]; /* [0] is this header's own, unused */
};

struct free_chunk {
	struct free_chunk *next;
};

struct free_piece {
	struct free_piece *next, **link;
};

struct wt_chunks {
	struct free_chunk *free;
	struct free_piece *pieces;
	struct slab *slabs;  /* the newest first */
	unsigned fresh;      /* chunks of the newest slab from here on were never taken */
	uint64_t cap, held, peak, refused;
	uint64_t spare;      /* chunks on the stack and fresh ones */
};

static struct slab *slab_of(void *at)
{
	return (struct slab *)((uintptr_t)at & ~(uintptr_t)(SLAB - 1));
}

static uint32_t *holders_of(void *at)
{
	return &slab_of(at)->holders[((uintptr_t)at & (SLAB - 1)) / WT_CHUNK];
}

struct wt_chunks *wt_chunks_create(uint64_t cap)
{
	struct wt_chunks *pool = calloc(1, sizeof(*pool));

	if (!pool) {
		errno = ENOMEM;
		return NULL;
	}
	pool->cap = cap ? cap : UINT64_MAX;
	pool->fresh = SLAB_CHUNKS;
	return pool;
}

void wt_chunks_destroy(struct wt_chunks *pool)
{
	if (!pool)
		return;
	assert(pool->held == 0);
	while (pool->slabs) {
		struct slab *next = pool->slabs->next;

		free(pool->slabs);
		pool->slabs = next;
	}
	free(pool);
}

static bool add_slab(struct wt_chunks *pool)
{
	struct slab *slab = aligned_alloc(SLAB, SLAB);

	if (!slab)
		return false;
	/* what is left of the slab before it goes on the stack, or it would be forgotten */
	while (pool->fresh < SLAB_CHUNKS) {
		struct free_chunk *chunk = (struct free_chunk *)((uint8_t *)pool->slabs + (size_t)pool->fresh++ * WT_CHUNK);

		chunk->next = pool->free;
		pool->free = chunk;
	}
	slab->next = pool->slabs;
	pool->slabs = slab;
	pool->fresh = 1;
	pool->spare += SLAB_CHUNKS - 1;
	return true;
}

static bool within_cap(const struct wt_chunks *pool, uint64_t bytes)
{
	return bytes <= pool->cap && pool->held <= pool->cap - bytes;
}

bool wt_chunks_reserve(struct wt_chunks *pool, unsigned count)
{
	bool ok = within_cap(pool, (uint64_t)count * WT_CHUNK);

	while (ok && pool->spare < count)
		ok = add_slab(pool);
	pool->refused += !ok;
	return ok;
}

static void count_up(struct wt_chunks *pool, uint64_t bytes)
{
	pool->held += bytes;
	if (pool->held > pool->peak)
		pool->peak = pool->held;
}

void *wt_chunk_take(struct wt_chunks *pool)
{
	void *at;

	if (!wt_chunks_reserve(pool, 1))
		return NULL;
	if (pool->free) {
		at = pool->free;
		pool->free = pool->free->next;
	} else {
		at = (uint8_t *)pool->slabs + (size_t)pool->fresh++ * WT_CHUNK;
	}
	pool->spare--;
	count_up(pool, WT_CHUNK);
	*holders_of(at) = 1;
	return at;
}

void wt_chunk_hold(void *at)
{
	assert(*holders_of(at) > 0);
	++*holders_of(at);
}

void wt_chunk_release(struct wt_chunks *pool, void *at)
{
	struct free_chunk *chunk = (struct free_chunk *)((uintptr_t)at & ~(uintptr_t)(WT_CHUNK - 1));

	assert(*holders_of(at) > 0);
	if (--*holders_of(at))
		return;
	chunk->next = pool->free;
	pool->free = chunk;
	pool->spare++;
	pool->held -= WT_CHUNK;
}

/* ---- pieces ------------------------------------------------------------------------------------------------ */

static void link_piece(struct wt_chunks *pool, struct free_piece *piece)
{
	piece->next = pool->pieces;
	piece->link = &pool->pieces;
	if (piece->next)
		piece->next->link = &piece->next;
	pool->pieces = piece;
}

static void unlink_piece(struct free_piece *piece)
{
	*piece->link = piece->next;
	if (piece->next)
		piece->next->link = piece->link;
}

bool wt_pieces_reserve(struct wt_chunks *pool)
{
	return pool->pieces || wt_chunks_reserve(pool, 1);
}

void *wt_piece_take(struct wt_chunks *pool)
{
	struct free_piece *piece = pool->pieces;
	uint8_t *chunk;

	if (piece) {
		unlink_piece(piece);
		++*holders_of(piece);
		return piece;
	}
	chunk = wt_chunk_take(pool);
	for (uint32_t at = WT_CHUNK - WT_PIECE; chunk && at; at -= WT_PIECE)
		link_piece(pool, (struct free_piece *)(void *)(chunk + at));
	return chunk;
}

void wt_piece_release(struct wt_chunks *pool, void *piece)
{
	uint8_t *chunk = (uint8_t *)((uintptr_t)piece & ~(uintptr_t)(WT_CHUNK - 1));

	if (*holders_of(piece) > 1) {
		--*holders_of(piece);
		link_piece(pool, piece);
		return;
	}
	for (uint8_t *other = chunk; other < chunk + WT_CHUNK; other += WT_PIECE)
		if (other != piece)
			unlink_piece((struct free_piece *)(void *)other);
	wt_chunk_release(pool, chunk);
}

/* ---- what is held ------------------------------------------------------------------------------------------- */

bool wt_chunks_charge(struct wt_chunks *pool, uint64_t bytes)
{
	bool ok = within_cap(pool, bytes);

	if (ok)
		count_up(pool, bytes);
	else
		pool->refused++;
	return ok;
}

void wt_chunks_uncharge(struct wt_chunks *pool, uint64_t bytes)
{
	assert(pool->held >= bytes);
	pool->held -= bytes;
}

uint64_t wt_chunks_held(const struct wt_chunks *pool)
{
	return pool->held;
}

uint64_t wt_chunks_peak(const struct wt_chunks *pool)
{
	return pool->peak;
}

uint64_t wt_chunks_refused(const struct wt_chunks *pool)
{
	return pool->refused;
}
