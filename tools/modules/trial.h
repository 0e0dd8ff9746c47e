/* SPDX-License-Identifier: BSD-2-Clause */
/* What the rules for the three kinds of module share: random facts from a seed, memory that tells of writes beyond it. */
#ifndef WT_TOOLS_MODULES_TRIAL_H
#define WT_TOOLS_MODULES_TRIAL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/random.h"
#include "stack/text/trace.h"
#include "tools/modules/check.h"

#define EVENTS 10000u
#define GUARD 64u

/* Notes that a rule was tried, and if it was not kept how. Returns kept. */
bool wt_cc_keep(struct wt_cc_report *report, enum wt_cc_rule rule, bool kept, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

void wt_cc_check_sender(const struct wt_sender_ops *ops, unsigned trials, struct wt_cc_report *report);
void wt_cc_check_recovery(const struct wt_recovery_ops *ops, unsigned trials, struct wt_cc_report *report);
void wt_cc_check_receiver(const struct wt_receiver_ops *ops, unsigned trials, struct wt_cc_report *report);

/* A stream of numbers that depends on the seed alone. */
struct dice {
	struct wt_key key;
	uint64_t n;
};

static inline uint32_t roll(struct dice *dice, uint32_t bound)
{
	return (uint32_t)wt_random_below(&dice->key, dice->n++, bound);
}

/* Memory with a guarded fringe. */
struct guarded {
	uint8_t *memory;
	size_t size;
};

static inline struct guarded guarded_new(size_t size)
{
	size_t all = (size + 2 * GUARD + 15) & ~(size_t)15;
	struct guarded g = {aligned_alloc(16, all), size};

	if (!g.memory)
		abort();
	memset(g.memory, 0xa5, all);
	memset(g.memory + GUARD, 0, size);
	return g;
}

static inline void *inside(const struct guarded *g)
{
	return g->memory + GUARD;
}

/* Frees it. */
static inline void guarded_end(struct guarded *g, const char *name, struct wt_cc_report *report)
{
	bool whole = true;

	for (size_t i = 0; i < GUARD; i++)
		whole &= g->memory[i] == 0xa5 && g->memory[GUARD + g->size + i] == 0xa5;
	wt_cc_keep(report, WT_CC_RULE_MEMORY, whole, "it wrote beside its %s of %zu bytes", name, g->size);
	free(g->memory);
}

static inline uint64_t mix(uint64_t digest, const void *data, size_t len)
{
	struct wt_key key = {digest, 1};

	return wt_siphash(&key, data, len);
}

static inline struct wt_cc_env any_env(struct dice *dice)
{
	static const uint32_t sizes[] = {1, 48, 536, 1000, 1448, 8948, 65483};
	uint32_t mss = sizes[roll(dice, 7)];

	return (struct wt_cc_env){
		.mss = mss,
		.buffer = roll(dice, 4) ? mss * (1 + roll(dice, 500)) : roll(dice, mss),
		.initial_window = roll(dice, 8) ? mss * (1 + roll(dice, 10)) : 0,
		.dupthresh = roll(dice, 5),
		.tick = roll(dice, 2) ? 1 : 500 * WT_MS,
		.slow_start_limit = roll(dice, 5),
		.increment_mss8 = roll(dice, 2),
		.timestamps = roll(dice, 2),
		.sack = roll(dice, 2),
	};
}

static inline void any_options(struct dice *dice, struct wt_cc_options *options)
{
	memset(options, 0, sizeof(*options));
	options->count = roll(dice, 3) ? 1 : roll(dice, WT_CC_OPTIONS_MAX + 1);
	for (unsigned i = 0; i < options->count; i++) {
		struct wt_cc_option *o = &options->at[i];

		*o = (struct wt_cc_option){253, 6, {'T', 'R', (uint8_t)(roll(dice, 4) ? 0 : roll(dice, 256)),
						    (uint8_t)roll(dice, 256)}};
		if (!roll(dice, 8))
			*o = (struct wt_cc_option){(uint8_t)(253 + roll(dice, 2)), (uint8_t)roll(dice, 41),
						   {(uint8_t)roll(dice, 256), (uint8_t)roll(dice, 256)}};
	}
}

/* Parameters for a trial: one preset after the other, or the defaults. */
static inline const void *any_params(const struct wt_cc_preset *presets, const void *defaults, uint64_t seed)
{
	size_t count = 0;

	while (presets && presets[count].name)
		count++;
	return count ? presets[seed % count].params : defaults;
}

#endif
