/* SPDX-License-Identifier: BSD-2-Clause */
/* A pool of chunks for all tests of a group: make_pool() and end_pool() are its setup and teardown. */
#ifndef WT_TESTS_UNIT_CHUNK_POOL_H
#define WT_TESTS_UNIT_CHUNK_POOL_H

#include "stack/base/chunk.h"

static struct wt_chunks *pool;

static int make_pool(void **state)
{
	pool = wt_chunks_create(0);
	return pool ? 0 : -1;
}

static int end_pool(void **state)
{
	wt_chunks_destroy(pool);
	return 0;
}

#endif
