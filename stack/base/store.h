/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a connection's buffer, by sequence number, in chunks that are taken when bytes are put and given back when the bytes are done with.
 *
 *        end of what was released            highest byte put
 *      ... |   chunk   |   (hole)  |   chunk   | ...
 *
 * Which bytes are valid is the owner's knowledge; a chunk is there if a byte of it was put since it was last given back. A hole costs nothing, an
 * empty store holds no chunk. A chunk has counted holders (chunk.h): who wants bytes to outlive wt_store_release(), such as a frame with
 * payload by reference, asks wt_store_piece() for where they lie and holds that chunk.
 */
#ifndef WT_STACK_BASE_STORE_H
#define WT_STACK_BASE_STORE_H

#include "stack/base/chunk.h"
#include "stack/base/seq.h"

#define WT_STORE_FEW 4 /* chunks in a table inside the store */

/* Zero-initialised is empty and takes nothing. */
struct wt_store {
	struct wt_chunks *pool;
	uint8_t **chunk;    /* number n, or NULL, is at n & mask */
	uint32_t mask;
	wt_seq origin;      /* sequence number of byte 0 of chunk 0 */
	wt_seq released;    /* what lies below was given back */
	uint32_t held;      /* chunks */
	uint8_t *few[WT_STORE_FEW];
};

/* Empty, from sequence number `origin` on. The pool must outlive the store, which must not move. Finish accepts a zeroed one. */
void wt_store_init(struct wt_store *store, struct wt_chunks *pool, wt_seq origin);
void wt_store_finish(struct wt_store *store);

/* Copies in; [seq, seq + len) lies at or above what was released. The bytes taken: fewer than `len` if there is no memory for more. */
uint32_t wt_store_put(struct wt_store *store, wt_seq seq, const uint8_t *data, uint32_t len);
/* Copies out what was put. */
void wt_store_read(const struct wt_store *store, wt_seq seq, uint8_t *data, uint32_t len);
/* Where the bytes at `seq` lie: at most `len`, as far as they are contiguous. */
uint32_t wt_store_piece(const struct wt_store *store, wt_seq seq, uint32_t len, const uint8_t **data);
/* Bytes below `seq` are done with; `end` is behind the last that is not. All chunks go back if there is none. */
void wt_store_release(struct wt_store *store, wt_seq seq, wt_seq end);
/* Bytes from `seq` on are forgotten; `end` is behind the highest that was put. */
void wt_store_forget(struct wt_store *store, wt_seq seq, wt_seq end);

#endif
