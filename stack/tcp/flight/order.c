/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transmissions of what is in flight, the earliest first: what RACK asks by (RFC 8985), where the scoreboard is ordered by
 * sequence number. Each transmission is one entry; an entry whose record was acknowledged, SACKed, held lost or sent again
 * since is stale, and goes when it comes to the front. So each entry is looked at once, and the front is always in flight.
 *
 * Kept only for recovery modules that mark by time. Without memory for more the order ends here: what is not in it waits for
 * the retransmission timer.
 */
#include <stdlib.h>

#include "stack/tcp/tcb.h"

struct wt_sent_entry {
	wt_seq seq;
	wt_time sent;
};

static struct wt_sent_entry *entry(const struct wt_sent_order *order, uint32_t i)
{
	return &order->at[(order->first + i) & order->mask];
}

static bool grow(struct wt_sent_order *order, struct wt_chunks *pool)
{
	uint32_t room = order->at ? 2 * (order->mask + 1) : 32;
	struct wt_sent_entry *at;

	if (!wt_chunks_charge(pool, room * sizeof(*at)))
		return false;
	at = malloc(room * sizeof(*at));
	if (!at) {
		wt_chunks_uncharge(pool, room * sizeof(*at));
		return false;
	}
	for (uint32_t i = 0; i < order->count; i++)
		at[i] = *entry(order, i);
	wt_order_finish(order, pool, order->count);
	order->at = at;
	order->mask = room - 1;
	return true;
}

void wt_order_finish(struct wt_sent_order *order, struct wt_chunks *pool, uint32_t count)
{
	if (order->at)
		wt_chunks_uncharge(pool, (order->mask + 1) * sizeof(*order->at));
	free(order->at);
	*order = (struct wt_sent_order){.count = count, .last = order->last};
}

wt_time wt_order_time(struct wt_sent_order *order, wt_time now)
{
	order->last = wt_time_max(now, order->last + 1);
	return order->last;
}

void wt_order_push(struct wt_sent_order *order, struct wt_chunks *pool, const struct wt_tx_record *record)
{
	if ((!order->at || order->count > order->mask) && !grow(order, pool))
		return;
	*entry(order, order->count++) = (struct wt_sent_entry){record->seq, record->sent};
}

const struct wt_tx_record *wt_order_front(struct wt_sent_order *order, struct wt_scoreboard *board)
{
	for (; order->count; order->first++, order->count--) {
		const struct wt_sent_entry *e = entry(order, 0);
		const struct wt_tx_record *record = wt_board_at(board, e->seq);

		if (record && record->sent == e->sent && !(record->flags & (WT_TX_SACKED | WT_TX_LOST)))
			return record;
	}
	return NULL;
}

void wt_order_mark(struct wt_sent_order *order, struct wt_scoreboard *board, wt_time sent, wt_seq end)
{
	const struct wt_tx_record *record;

	while ((record = wt_order_front(order, board)) &&
	       (record->sent < sent || (record->sent == sent && wt_seq_le(record->seq + record->len, end))))
		wt_board_mark_at(board, record->seq);
}
