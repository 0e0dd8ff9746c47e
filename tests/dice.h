/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers of a test, the same in every build. */
#ifndef WT_TESTS_DICE_H
#define WT_TESTS_DICE_H

#include "stack/base/random.h"

struct dice {
	struct wt_key key;
	uint64_t n; /* how many were drawn */
};

/* Below `bound`. */
static inline uint64_t roll(struct dice *dice, uint64_t bound)
{
	return wt_random_below(&dice->key, dice->n++, bound);
}

#endif
