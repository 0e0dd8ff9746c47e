/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory on demand: chunks of 4 KiB from a pool that hands out first what came back last, so its bytes are still in the cache.
 *
 * The pool takes memory from the system in slabs and never beyond its cap; a slab's pages are touched only as chunks are first taken. Taking
 * and giving back a chunk is a few instructions and calls no allocator. What the pool refuses is counted. A chunk has counted holders: it
 * goes back when the last one lets it go. One pool serves one host: payload, records of what is in flight and intervals all come from it,
 * so its count is what the connections of the host hold beyond their control blocks.
 */
#ifndef WT_STACK_BASE_CHUNK_H
#define WT_STACK_BASE_CHUNK_H

#include <stdbool.h>
#include <stdint.h>

#define WT_CHUNK 4096u /* bytes; chunks are aligned to as many */
#define WT_PIECE 1024u /* a quarter of one, for what is mostly small */

struct wt_chunks;

/* A pool of at most `cap` bytes (0: no cap but the system's), or NULL with errno ENOMEM. Destroy accepts NULL; all chunks must be back. */
struct wt_chunks *wt_chunks_create(uint64_t cap);
void wt_chunks_destroy(struct wt_chunks *pool);

/* A chunk with one holder, its bytes undefined; NULL: the cap is reached or the system has none, counted. */
void *wt_chunk_take(struct wt_chunks *pool);
/* `at` is any address inside the chunk. */
void wt_chunk_hold(void *at);
void wt_chunk_release(struct wt_chunks *pool, void *at);
/* True: the next `count` takes succeed. False: they would not; counted as one refusal. */
bool wt_chunks_reserve(struct wt_chunks *pool, unsigned count);

/*
 * A piece has one holder. It is a quarter of a chunk that is cut when no quarter of another one is free, and whole again when all four came
 * back; the chunk counts as held meanwhile. Its bytes are undefined. NULL: no memory, counted. Releasing needs the piece's own address.
 */
void *wt_piece_take(struct wt_chunks *pool);
void wt_piece_release(struct wt_chunks *pool, void *piece);
/* True: the next take of a piece succeeds. False: it would not; counted. */
bool wt_pieces_reserve(struct wt_chunks *pool);

/* Tables beside chunks count too: false, and counted, if the cap forbids `bytes` more. Give them back by wt_chunks_uncharge(). */
bool wt_chunks_charge(struct wt_chunks *pool, uint64_t bytes);
void wt_chunks_uncharge(struct wt_chunks *pool, uint64_t bytes);

/* Bytes held now: chunks taken and tables charged. */
uint64_t wt_chunks_held(const struct wt_chunks *pool);
/* The most that were held at once. */
uint64_t wt_chunks_peak(const struct wt_chunks *pool);
/* Requests refused so far. */
uint64_t wt_chunks_refused(const struct wt_chunks *pool);

#endif
