/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When handoffs happen. Every stage that changes with one follows a clock of its own, and all clocks of one key and one
 * timing tell the same: so both directions, and the stages of each, change at one instant without knowing of each other.
 *
 *        start 1   end 1             start 2   end 2
 *   ───────█████████████──────────────██████████──────►     cell 0 │ cell 1 ....................│ cell 2 ...
 */
#ifndef WT_EMU_STAGES_HANDOFF_H
#define WT_EMU_STAGES_HANDOFF_H

#include "emu/stage.h"

struct wt_handoff_clock {
	struct wt_key key;
	const struct wt_handoff_config *config;
	uint64_t count;       /* handoffs begun */
	uint64_t drawn;       /* of random times: numbers of the stream used */
	wt_time next;         /* when the next begins */
	wt_time start, end;   /* of the one begun last */
};

/* The config must stand as long as the clock. */
void wt_handoff_init(struct wt_handoff_clock *clock, const struct wt_key *key, const struct wt_handoff_config *config);
/* It comes at `now`, or its times are others from then on: one is at home, and the next handoff is the first not before. */
void wt_handoff_begin(struct wt_handoff_clock *clock, wt_time now);
/* Do two configs change cells at the same times? */
bool wt_handoff_one_timing(const struct wt_handoff_config *a, const struct wt_handoff_config *b);
/* A stage that follows takes clock and config over; NULL: it follows none (config->every is 0). */
void wt_handoff_copy(struct wt_handoff_clock *clock, struct wt_handoff_config *config, const struct wt_handoff_clock *from);
/* Goes on to the next handoff, which begins at clock->next <= now; false: none has begun until now. */
bool wt_handoff_step(struct wt_handoff_clock *clock, wt_time now);
/* Goes on to `now`. The cell one is in: NULL at home, where the stages' own words hold. */
const struct wt_cell *wt_handoff_cell(struct wt_handoff_clock *clock, wt_time now);

#endif
