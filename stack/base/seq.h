/* SPDX-License-Identifier: BSD-2-Clause */
/* Sequence numbers: modulo 2^32, compared by signed difference (RFC 9293 3.4). Never compare them with <. */
#ifndef WT_STACK_BASE_SEQ_H
#define WT_STACK_BASE_SEQ_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t wt_seq;

static inline int32_t wt_seq_diff(wt_seq a, wt_seq b)
{
	return (int32_t)(a - b);
}

static inline bool wt_seq_lt(wt_seq a, wt_seq b)
{
	return wt_seq_diff(a, b) < 0;
}

static inline bool wt_seq_le(wt_seq a, wt_seq b)
{
	return wt_seq_diff(a, b) <= 0;
}

static inline bool wt_seq_gt(wt_seq a, wt_seq b)
{
	return wt_seq_diff(a, b) > 0;
}

static inline bool wt_seq_ge(wt_seq a, wt_seq b)
{
	return wt_seq_diff(a, b) >= 0;
}

static inline wt_seq wt_seq_max(wt_seq a, wt_seq b)
{
	return wt_seq_gt(a, b) ? a : b;
}

static inline wt_seq wt_seq_min(wt_seq a, wt_seq b)
{
	return wt_seq_lt(a, b) ? a : b;
}

#endif
