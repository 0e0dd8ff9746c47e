/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/stages/departures.h"

#include <stdlib.h>

/* By doubling, so not for each frame. */
bool wt_departures_grow(struct wt_departures *all)
{
	uint32_t room = all->room ? 2 * all->room : 16;
	struct wt_departure *at = malloc(room * sizeof(*at));

	if (!at)
		return false;
	for (uint32_t i = 0; i < all->count; i++)
		at[i] = *wt_departures_at(all, i);
	free(all->at);
	all->at = at;
	all->room = room;
	all->first = 0;
	return true;
}

void wt_departures_finish(struct wt_departures *all)
{
	free(all->at);
	*all = (struct wt_departures){0};
}
