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
 *
 * Bytes of a pattern (extent.h) take no chunk: from the seam on the store knows them by name. Other bytes put there are compared with the
 * pattern, and are news only if they differ: then what is named is written out, and the store holds bytes as before.
 */
#ifndef WT_STACK_BASE_STORE_H
#define WT_STACK_BASE_STORE_H

#include <sys/uio.h>

#include "stack/base/chunk.h"
#include "stack/base/extent.h"
#include "stack/base/seq.h"

#define WT_STORE_FEW 4 /* chunks in a table inside the store */

/* Zero-initialised is empty and takes nothing. */
struct wt_store {
	struct wt_chunks *pool;
	struct wt_extent pattern; /* the byte at `seam`, if pattern.pattern: what was put from there on is that pattern, and takes no chunk */
	wt_seq seam, end;         /* end: behind the highest byte put by pattern */
	wt_seq released;    /* what lies below was given back */
	uint32_t held;      /* chunks */
	wt_seq top;         /* behind the highest byte put in a chunk, while chunks are held */
	wt_seq origin;      /* sequence number of byte 0 of chunk 0 */
	uint32_t mask;
	uint8_t **chunk;    /* number n, or NULL, is at n & mask */
	uint8_t *window;          /* a chunk for wt_store_piece() of a pattern; NULL: none yet */
	uint8_t *few[WT_STORE_FEW];
};

/* Empty, from sequence number `origin` on. The pool must outlive the store, which must not move. Finish accepts a zeroed one. */
void wt_store_init(struct wt_store *store, struct wt_chunks *pool, wt_seq origin);
void wt_store_finish(struct wt_store *store);

/* Copies in; [seq, seq + len) lies at or above what was released. The bytes taken: fewer than `len` if there is no memory for more. */
uint32_t wt_store_put(struct wt_store *store, wt_seq seq, const uint8_t *data, uint32_t len);
/* The same by reference: a pattern is kept as one where the store can, else as bytes. */
uint32_t wt_store_put_extent(struct wt_store *store, wt_seq seq, const struct wt_extent *extent, uint32_t len);
/* The name of the bytes at `seq`, if they are a pattern's: true, and all `len` of them are. */
bool wt_store_named(const struct wt_store *store, wt_seq seq, uint32_t len, struct wt_extent *extent);
/* Of `len` bytes from `seq` those before a pattern begins. */
uint32_t wt_store_unnamed(const struct wt_store *store, wt_seq seq, uint32_t len);
/* Copies out what was put. */
void wt_store_read(const struct wt_store *store, wt_seq seq, uint8_t *data, uint32_t len);
/* Where the bytes at `seq` lie: at most `len`, as far as they are contiguous. A pattern's lie there until the next call. 0: no memory for them. */
uint32_t wt_store_piece(struct wt_store *store, wt_seq seq, uint32_t len, const uint8_t **data);
/* The same in up to `most` pieces, of which one that is a pattern's is the last. The count. */
unsigned wt_store_pieces(struct wt_store *store, wt_seq seq, uint32_t len, struct iovec *piece, unsigned most);
/* Room for up to `len` bytes behind all that was put, in at most `most` pieces that somebody else fills: the count, 0 without memory. Then
 * wt_store_filled() says that the first `done` of these `len` bytes stand there; nothing is put in between. */
unsigned wt_store_room(struct wt_store *store, wt_seq seq, uint32_t len, struct iovec *piece, unsigned most);
void wt_store_filled(struct wt_store *store, wt_seq seq, uint32_t done, uint32_t len);
/* Bytes below `seq` are done with; `end` is behind the last that is not. All chunks go back if there is none. */
void wt_store_release(struct wt_store *store, wt_seq seq, wt_seq end);
/* Bytes from `seq` on are forgotten; `end` is behind the highest that was put. */
void wt_store_forget(struct wt_store *store, wt_seq seq, wt_seq end);

#endif
