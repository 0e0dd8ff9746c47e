/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scoreboard: one record per segment in flight, in a ring, ascending and without gaps.
 *
 *   snd_una                                            snd_nxt
 *      | record | record (SACKED) | record (LOST) | ... |
 *
 * Pushed at the right, popped by cumulative ACKs at the left, both O(1). What SACK blocks reported is kept as intervals too,
 * and of a block only the gaps between them are walked, so an ACK costs what it newly says, whatever blocks it repeats
 * (CVE-2019-11478). With REPORTED_MAX separate intervals the peer must close some before more are remembered. Bytes by flag are
 * kept, so the pipe is one subtraction.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stack/tcp/tcb.h"

#define REPORTED_MAX 2048

static struct wt_tx_record *at(const struct wt_scoreboard *board, uint32_t i)
{
	return &board->records[(board->view.first + i) & board->view.mask];
}

/* Moves the hint to the first LOST record; it only ever moves right between two marks, so the walk is paid once. */
void wt_board_settle(struct wt_scoreboard *board)
{
	if (board->view.lost == 0)
		return;
	while (!(at(board, board->lost_hint)->flags & WT_TX_LOST)) {
		board->lost_hint++;
		assert(board->lost_hint < board->view.count);
	}
}

int wt_board_init(struct wt_scoreboard *board, uint32_t least)
{
	uint32_t size = 256;

	while (size < least)
		size <<= 1;
	board->records = malloc(size * sizeof(*board->records));
	if (!board->records || wt_ranges_init(&board->reported, size / 2 < REPORTED_MAX ? size / 2 : REPORTED_MAX))
		return -ENOMEM;
	board->view.ring = board->records;
	board->view.mask = size - 1;
	return 0;
}

void wt_board_finish(struct wt_scoreboard *board)
{
	free(board->records);
	wt_ranges_finish(&board->reported);
	memset(board, 0, sizeof(*board));
}

/* Some slots are kept back so that records can be split when the path's MSS shrinks. */
bool wt_board_full(const struct wt_scoreboard *board)
{
	return board->view.count + 64 > board->view.mask;
}

struct wt_tx_record *wt_board_push(struct wt_scoreboard *board, wt_seq seq, uint32_t len)
{
	struct wt_tx_record *record;

	assert(!wt_board_full(board));
	record = at(board, board->view.count++);
	*record = (struct wt_tx_record){.seq = seq, .len = len};
	return record;
}

uint32_t wt_board_find(const struct wt_scoreboard *board, wt_seq seq)
{
	uint32_t low = 0, high = board->view.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct wt_tx_record *record = at(board, middle);

		if (wt_seq_le(record->seq + record->len, seq))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Record i lies wholly in what the peer has reported. */
static uint32_t take_record(struct wt_scoreboard *board, uint32_t i, struct wt_tx_record *newest)
{
	struct wt_outstanding *view = &board->view;
	struct wt_tx_record *record = at(board, i);

	if (record->flags & WT_TX_SACKED)
		return 0;
	if (record->flags & WT_TX_LOST) {
		record->flags &= (uint8_t)~WT_TX_LOST;
		view->lost -= record->len;
	}
	if (!(record->flags & WT_TX_DELIVERED)) {
		board->delivered += record->len;
		if (!newest->len || record->sent >= newest->sent)
			*newest = *record;
	}
	record->flags |= WT_TX_SACKED | WT_TX_DELIVERED;
	view->sacked += record->len;
	view->highest_sacked = wt_seq_max(view->highest_sacked, record->seq + record->len);
	return record->len;
}

/* The records that [from, to), news to us, completes within `known`. One of which a part is missing waits for the rest. */
static uint32_t take_gap(struct wt_scoreboard *board, wt_seq from, wt_seq to, const struct wt_range *known,
			 struct wt_tx_record *newest)
{
	uint32_t bytes = 0;

	for (uint32_t i = wt_board_find(board, from); i < board->view.count; i++) {
		const struct wt_tx_record *record = at(board, i);

		if (wt_seq_ge(record->seq, to))
			break;
		if (wt_seq_ge(record->seq, known->start) && wt_seq_le(record->seq + record->len, known->end))
			bytes += take_record(board, i, newest);
	}
	return bytes;
}

uint32_t wt_board_sack(struct wt_scoreboard *board, wt_seq start, wt_seq end, struct wt_tx_record *newest, bool *news)
{
	struct wt_ranges *reported = &board->reported;
	struct wt_range known = wt_ranges_merged(reported, start, end);
	uint32_t bytes = 0, i = wt_ranges_find(reported, start);
	wt_seq from = start;

	if (wt_ranges_contain(reported, start, end))
		return 0;
	/* only the gaps between what was reported before are walked; then they are closed, so nothing is walked twice */
	while (wt_seq_lt(from, end)) {
		bool last = i == reported->count || wt_seq_ge(reported->at[i].start, end);
		wt_seq to = last ? end : reported->at[i].start;

		if (wt_seq_lt(from, to))
			bytes += take_gap(board, from, to, &known, newest);
		from = last ? end : reported->at[i++].end;
	}
	*news = true;
	wt_board_settle(board);
	wt_ranges_add(reported, start, end, NULL);
	return bytes;
}

static void mark(struct wt_scoreboard *board, uint32_t i, wt_seq to, uint8_t except)
{
	for (; i < board->view.count; i++) {
		struct wt_tx_record *record = at(board, i);

		if (wt_seq_ge(record->seq, to))
			break;
		if (record->flags & except)
			continue;
		record->flags |= WT_TX_LOST;
		board->view.lost += record->len;
	}
}

void wt_board_mark_lost(struct wt_scoreboard *board, wt_seq to, bool again)
{
	uint32_t start = again ? 0 : wt_board_find(board, board->marked_to);

	mark(board, start, to, WT_TX_SACKED | WT_TX_LOST | (again ? 0 : WT_TX_RETRANSMITTED));
	board->marked_to = wt_seq_max(board->marked_to, to);
	if (start < board->lost_hint)
		board->lost_hint = start;
	wt_board_settle(board);
}

void wt_board_mark_last(struct wt_scoreboard *board)
{
	uint32_t i = board->view.count;

	while (i && at(board, i - 1)->flags & WT_TX_SACKED)
		i--;
	if (i-- == 0 || at(board, i)->flags & (WT_TX_LOST | WT_TX_RETRANSMITTED))
		return;
	at(board, i)->flags |= WT_TX_LOST;
	if (board->view.lost == 0)
		board->lost_hint = i;
	board->view.lost += at(board, i)->len;
}

void wt_board_mark_all(struct wt_scoreboard *board)
{
	/* RFC 2018 8: after a timeout the sender must not trust earlier SACKs */
	for (uint32_t i = 0; i < board->view.count; i++)
		at(board, i)->flags &= (uint8_t)~WT_TX_SACKED;
	board->view.sacked = 0;
	board->view.highest_sacked = board->view.snd_una;
	wt_ranges_clear(&board->reported);
	mark(board, 0, board->view.snd_nxt, WT_TX_LOST);
	board->marked_to = board->view.snd_nxt;
	board->lost_hint = 0;
	wt_board_settle(board);
}

/* Makes room after record i and cuts it to `len`. Rare: only when the path's MSS shrank below a segment's size. */
static void split(struct wt_scoreboard *board, uint32_t i, uint32_t len)
{
	if (board->view.count > board->view.mask)
		return; /* it goes out whole; the path may drop it until ACKs make room */
	for (uint32_t j = board->view.count; j > i; j--)
		*at(board, j) = *at(board, j - 1);
	board->view.count++;
	at(board, i)->len = len;
	at(board, i + 1)->seq += len;
	at(board, i + 1)->len -= len;
}

struct wt_tx_record *wt_board_next_lost(struct wt_scoreboard *board, uint32_t max_len)
{
	if (board->view.lost == 0)
		return NULL;
	if (at(board, board->lost_hint)->len > max_len)
		split(board, board->lost_hint, max_len);
	return at(board, board->lost_hint);
}

void wt_board_resent(struct wt_scoreboard *board, struct wt_tx_record *record)
{
	assert(record->flags & WT_TX_LOST);
	record->flags = (uint8_t)((record->flags & ~WT_TX_LOST) | WT_TX_RETRANSMITTED);
	board->view.lost -= record->len;
	wt_board_settle(board);
}
