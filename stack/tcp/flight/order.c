/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transmissions of what is in flight, the earliest first: what RACK asks by (RFC 8985), where the scoreboard is ordered by
 * sequence number. Each transmission is one entry and stands for every record between its ends that has its time: for the rest
 * of a segment that was acknowledged in part, and for all pieces of one that was cut. An entry whose records were acknowledged,
 * SACKed, held lost or sent again since is stale, and goes when it comes to the front. So each entry is looked at once, and the
 * front is always in flight.
 *
 * Entries leave at the front alone. So after an undo a record that is in flight again lacks its entry if and only if it was sent
 * before the front; such records are put in front of it, sorted, at the price of O(log n) for each that had been held lost.
 *
 * Kept only for recovery modules that mark by time. Without memory for more the order ends here: what is not in it waits for
 * the retransmission timer.
 */
#include <stdlib.h>

#include "stack/tcp/tcb.h"

struct wt_sent_entry {
	wt_seq seq, end;
	wt_time sent;
};

static struct wt_sent_entry *entry(const struct wt_sent_order *order, uint32_t i)
{
	return &order->at[(order->first + i) & order->mask];
}

/* The first ring is a piece of the pool; one that it is too small for is a table beside the pool's chunks. */
#define FIRST_ROOM (uint32_t)(WT_PIECE / sizeof(struct wt_sent_entry))

static struct wt_sent_entry *new_ring(struct wt_chunks *pool, uint32_t room)
{
	struct wt_sent_entry *at;

	if (room == FIRST_ROOM)
		return wt_piece_take(pool);
	if (!wt_chunks_charge(pool, room * sizeof(*at)))
		return NULL;
	at = malloc(room * sizeof(*at));
	if (!at)
		wt_chunks_uncharge(pool, room * sizeof(*at));
	return at;
}

static void free_ring(struct wt_chunks *pool, struct wt_sent_entry *at, uint32_t room)
{
	if (room == FIRST_ROOM) {
		wt_piece_release(pool, at);
		return;
	}
	wt_chunks_uncharge(pool, room * sizeof(*at));
	free(at);
}

static bool grow(struct wt_sent_order *order, struct wt_chunks *pool)
{
	uint32_t room = order->at ? 2 * (order->mask + 1) : FIRST_ROOM;
	struct wt_sent_entry *at = new_ring(pool, room);

	if (!at)
		return false;
	for (uint32_t i = 0; i < order->count; i++)
		at[i] = *entry(order, i);
	if (order->at)
		free_ring(pool, order->at, order->mask + 1);
	order->at = at;
	order->mask = room - 1;
	order->first = 0;
	return true;
}

void wt_order_finish(struct wt_sent_order *order, struct wt_chunks *pool)
{
	if (order->at)
		free_ring(pool, order->at, order->mask + 1);
	*order = (struct wt_sent_order){.last = order->last};
}

wt_time wt_order_time(struct wt_sent_order *order, wt_time now)
{
	order->last = wt_time_max(now, order->last + 1);
	return order->last;
}

static bool has_room(struct wt_sent_order *order, struct wt_chunks *pool)
{
	return (order->at && order->count <= order->mask) || grow(order, pool);
}

static struct wt_sent_entry entry_of(const struct wt_tx_record *record)
{
	return (struct wt_sent_entry){record->seq, record->seq + record->len, record->sent};
}

void wt_order_push(struct wt_sent_order *order, struct wt_chunks *pool, const struct wt_tx_record *record)
{
	if (has_room(order, pool))
		*entry(order, order->count++) = entry_of(record);
}

const struct wt_tx_record *wt_order_front(struct wt_sent_order *order, struct wt_scoreboard *board)
{
	for (; order->count; order->first++, order->count--) {
		struct wt_sent_entry *e = entry(order, 0);
		const struct wt_tx_record *record;

		board->steps++;
		for (; (record = wt_board_from(board, e->seq)) && wt_seq_lt(record->seq, e->end); e->seq = record->seq + record->len) {
			if (record->sent == e->sent && !(record->flags & (WT_TX_SACKED | WT_TX_LOST)))
				return record;
		}
	}
	return NULL;
}

/* ---- an undo ------------------------------------------------------------------------------------------------- */

static bool before(const struct wt_sent_entry *a, const struct wt_sent_entry *b)
{
	return a->sent < b->sent || (a->sent == b->sent && wt_seq_lt(a->seq, b->seq));
}

static void swap(struct wt_sent_entry *a, struct wt_sent_entry *b)
{
	struct wt_sent_entry old = *a;

	*a = *b;
	*b = old;
}

static void sift(struct wt_sent_order *order, uint32_t i, uint32_t count)
{
	for (uint32_t child; (child = 2 * i + 1) < count; i = child) {
		if (child + 1 < count && before(entry(order, child), entry(order, child + 1)))
			child++;
		if (!before(entry(order, i), entry(order, child)))
			return;
		swap(entry(order, i), entry(order, child));
	}
}

/* The first `count` entries, by a heap: in the ring itself, and no order in which they came makes it slow. */
static void sort(struct wt_sent_order *order, uint32_t count)
{
	for (uint32_t i = count / 2; i-- > 0;)
		sift(order, i, count);
	while (count-- > 1) {
		swap(entry(order, 0), entry(order, count));
		sift(order, 0, count);
	}
}

void wt_order_unmark(struct wt_sent_order *order, struct wt_chunks *pool, struct wt_scoreboard *board)
{
	struct wt_sent_entry front = order->count ? *entry(order, 0) : (struct wt_sent_entry){.sent = WT_NEVER};
	const struct wt_tx_record *record;
	uint32_t back = 0;

	while ((record = wt_board_unmark(board))) {
		struct wt_sent_entry again = entry_of(record);

		if (record->flags & WT_TX_SACKED || !order->at || !before(&again, &front) || !has_room(order, pool))
			continue;
		order->first--;
		order->count++;
		*entry(order, 0) = again;
		back++;
	}
	sort(order, back);
}

/* ---- by time ------------------------------------------------------------------------------------------------- */

void wt_order_mark(struct wt_sent_order *order, struct wt_scoreboard *board, wt_time sent, wt_seq end)
{
	const struct wt_tx_record *record;

	while ((record = wt_order_front(order, board)) &&
	       (record->sent < sent || (record->sent == sent && wt_seq_le(record->seq + record->len, end))))
		wt_board_mark_at(board, record->seq);
}
