/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/winner.h"

#include <errno.h>
#include <stdlib.h>

static void name_leaves(struct wt_winner *winner)
{
	winner->flip = winner->last ? winner->leaves - 1 : 0;
	for (uint32_t i = 0; i < winner->leaves; i++)
		winner->match[winner->first + (i ^ winner->flip)].leaf = i;
}

void wt_winner_reverse(struct wt_winner *winner)
{
	winner->last = true;
	name_leaves(winner);
}

int wt_winner_grow(struct wt_winner *winner, uint32_t count)
{
	struct wt_winner grown = {.leaves = winner->leaves ? winner->leaves : 4, .last = winner->last};

	while (grown.leaves < count)
		grown.leaves *= 4;
	if (grown.leaves == winner->leaves)
		return 0;
	grown.first = (grown.leaves - 1) / 3;
	grown.match = malloc(((size_t)grown.first + grown.leaves) * sizeof(*grown.match));
	if (!grown.match)
		return -ENOMEM;
	for (uint32_t node = 0; node < grown.first + grown.leaves; node++)
		grown.match[node] = (struct wt_match){WT_NEVER, 0};
	name_leaves(&grown);
	for (uint32_t i = 0; i < winner->leaves; i++)
		wt_winner_set(&grown, i, winner->match[winner->first + (i ^ winner->flip)].due);
	free(winner->match);
	*winner = grown;
	return 0;
}

void wt_winner_finish(struct wt_winner *winner)
{
	free(winner->match);
	*winner = (struct wt_winner){0};
}
