/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/winner.h"

#include <errno.h>
#include <stdlib.h>

int wt_winner_grow(struct wt_winner *winner, uint32_t count)
{
	uint32_t leaves = winner->leaves ? winner->leaves : 2;
	struct wt_winner grown = {.last = winner->last};

	while (leaves < count)
		leaves *= 2;
	if (leaves == winner->leaves)
		return 0;
	grown.match = malloc(2 * (size_t)leaves * sizeof(*grown.match));
	if (!grown.match)
		return -ENOMEM;
	grown.leaves = leaves;
	for (uint32_t i = 0; i < leaves; i++)
		grown.match[leaves + i] = (struct wt_match){WT_NEVER, i};
	for (uint32_t node = leaves; node-- > 1;)
		grown.match[node] = grown.match[2 * node + grown.last];
	for (uint32_t i = 0; i < winner->leaves; i++)
		wt_winner_set(&grown, i, winner->match[winner->leaves + i].due);
	free(winner->match);
	*winner = grown;
	return 0;
}

void wt_winner_finish(struct wt_winner *winner)
{
	free(winner->match);
	*winner = (struct wt_winner){0};
}
