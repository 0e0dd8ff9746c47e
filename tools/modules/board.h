/* SPDX-License-Identifier: BSD-2-Clause */
/* A scoreboard made by hand, for rules and tests of recovery modules. */
#ifndef WT_TOOLS_MODULES_BOARD_H
#define WT_TOOLS_MODULES_BOARD_H

#include "cc/cc.h"

/* Pages for the records of a board made by hand. */
static inline void wt_board_pages(struct wt_outstanding *view, struct wt_tx_record **page, struct wt_tx_record *ring, uint32_t count)
{
	for (uint32_t i = 0; i < count / WT_TX_PAGE; i++)
		page[i] = &ring[i * WT_TX_PAGE];
	view->page = page;
	view->mask = count / WT_TX_PAGE - 1;
}

/* What the scoreboard says of such a board, each by its definition in cc.h and a walk over all records. */
static inline void wt_board_settle(struct wt_outstanding *view)
{
	uint32_t bytes = 0;

	view->highest_sacked = wt_seq_max(view->highest_sacked, view->snd_una);
	view->loss_edge = view->snd_una;
	for (uint32_t i = view->count; i-- > 0 && bytes <= 2 * view->mss;) {
		const struct wt_tx_record *record = wt_tx_record_at(view, i);

		if (!(record->flags & WT_TX_SACKED))
			continue;
		bytes += record->len;
		if (bytes > 2 * view->mss)
			view->loss_edge = record->seq;
	}
}

#endif
