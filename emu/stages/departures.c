/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/stages/departures.h"

#include <stdlib.h>

/* By doubling, so not for each frame. */
bool wt_departures_grow(struct wt_departures *all)
{
	struct wt_departures grown = *all;

	grown.room = all->room ? 2 * all->room : 16;
	grown.at = malloc(grown.room * sizeof(*grown.at));
	if (!grown.at)
		return false;
	for (uint32_t serial = all->first; serial != all->end; serial++)
		*wt_departures_at(&grown, serial) = *wt_departures_at(all, serial);
	free(all->at);
	*all = grown;
	return true;
}

bool wt_departures_make_room(struct wt_departures *all, wt_time now)
{
	while (all->first != all->gone && wt_departures_at(all, all->first)->leaves <= now)
		all->first++;
	return wt_departures_count(all) < all->room || wt_departures_grow(all);
}

void wt_departures_finish(struct wt_departures *all)
{
	free(all->at);
	*all = (struct wt_departures){0};
}
