/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where bytes are to be had: in memory, or from a pattern that says what any of them is. A stream of test data is such a pattern: it is
 * sent, carried, stored and compared by its name (pattern, key, place), and its bytes are made when somebody looks.
 */
#ifndef WT_STACK_BASE_EXTENT_H
#define WT_STACK_BASE_EXTENT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct wt_pattern {
	/* Writes bytes [at, at + len) of the stream `key`. The same each time. */
	void (*read)(uint64_t key, uint64_t at, uint8_t *to, uint32_t len);
};

struct wt_extent {
	const struct wt_pattern *pattern; /* of static life; NULL: in memory */
	const uint8_t *bytes;             /* in memory: the first */
	uint64_t key, at;                 /* of a pattern */
};

static inline struct wt_extent wt_extent_of(const void *bytes)
{
	return (struct wt_extent){.bytes = bytes};
}

/* The same without its first `len` bytes. */
static inline struct wt_extent wt_extent_from(const struct wt_extent *extent, uint32_t len)
{
	struct wt_extent rest = *extent;

	if (rest.pattern)
		rest.at += len;
	else
		rest.bytes += len;
	return rest;
}

static inline void wt_extent_read(const struct wt_extent *extent, uint8_t *to, uint32_t len)
{
	if (extent->pattern)
		extent->pattern->read(extent->key, extent->at, to, len);
	else
		memcpy(to, extent->bytes, len);
}

#endif
