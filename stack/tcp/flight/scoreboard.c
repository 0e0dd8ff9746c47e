/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scoreboard: one record per segment in flight, ascending and without gaps.
 *
 *   snd_una                    loss_edge               snd_nxt
 *      | record | record (LOST) | record (SACKED) | ... |
 *
 * Pushed at the right, popped by cumulative ACKs at the left, both O(1). Records stand in pages, which are pieces of the host's pool, taken as
 * they are needed; a ring of pointers to them doubles with the window. So an idle connection holds none, and the window is the only bound.
 *
 * What an ACK costs is what it newly says. What SACK blocks reported is kept as intervals too, and of a block only the gaps between them are
 * walked, whatever blocks it repeats (CVE-2019-11478). The first LOST record is found by bits, one per record and one per
 * page. The loss edge only moves right. Bytes by flag are kept, so the pipe is one subtraction.
 *
 * The intervals may take as much memory as the send buffer. A block that would need more is ignored and counted: SACK is advice, and
 * what was not remembered is sent again at worst (RFC 2018 5).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "stack/tcp/tcb.h"

#define PAGES_KEPT 128u /* a table of more is given back when nothing is in flight */

_Static_assert(WT_TX_PAGE <= 64, "a page has one word of bits");
_Static_assert(sizeof(struct wt_tx_record) * WT_TX_PAGE <= WT_PIECE, "a page is a piece");

static uint32_t slot_of(const struct wt_scoreboard *board, uint32_t serial)
{
	return serial / WT_TX_PAGE & board->view.mask;
}

static struct wt_tx_record *at(const struct wt_scoreboard *board, uint32_t i)
{
	uint32_t serial = board->view.first + i;

	return &board->page[slot_of(board, serial)][serial % WT_TX_PAGE];
}

/* ---- pages ------------------------------------------------------------------------------------------------- */

static void use_inline_table(struct wt_scoreboard *board)
{
	board->page = board->few_pages;
	board->lost = board->few_lost;
	board->lost_pages = &board->few_lost_pages;
	board->view.page = board->page;
	board->view.mask = WT_BOARD_FEW - 1;
	board->table = NULL;
}

void wt_board_init(struct wt_scoreboard *board, struct wt_chunks *pool, uint64_t buffer)
{
	memset(board, 0, sizeof(*board));
	board->pool = pool;
	wt_ranges_init(&board->reported, pool, buffer);
	use_inline_table(board);
}

static size_t table_size(uint32_t pages)
{
	return (size_t)pages * (sizeof(struct wt_tx_record *) + sizeof(uint64_t)) + (pages + 63) / 64 * sizeof(uint64_t);
}

static void free_table(struct wt_scoreboard *board)
{
	if (board->table) {
		wt_chunks_uncharge(board->pool, table_size(board->view.mask + 1));
		free(board->table);
	}
}

/* Twice the table. False: no memory. */
static bool grow(struct wt_scoreboard *board)
{
	struct wt_scoreboard old = *board;
	uint32_t pages = 2 * (board->view.mask + 1), first = board->view.first / WT_TX_PAGE;
	char *table;

	if (!wt_chunks_charge(board->pool, table_size(pages)))
		return false;
	table = calloc(1, table_size(pages));
	if (!table) {
		wt_chunks_uncharge(board->pool, table_size(pages));
		return false;
	}
	board->table = table;
	board->page = (struct wt_tx_record **)(void *)table;
	board->lost = (uint64_t *)(void *)(table + pages * sizeof(board->page[0]));
	board->lost_pages = board->lost + pages;
	board->view.page = board->page;
	board->view.mask = pages - 1;
	for (uint32_t page = first; page != first + old.view.mask + 1; page++) {
		uint32_t from = page & old.view.mask, to = page & board->view.mask;

		board->page[to] = old.page[from];
		board->lost[to] = old.lost[from];
		board->lost_pages[to / 64] |= (uint64_t)(old.lost[from] != 0) << to % 64;
	}
	if (old.table)
		free_table(&old);
	return true;
}

static uint32_t pages_used(const struct wt_scoreboard *board)
{
	return board->view.count ? (board->view.first % WT_TX_PAGE + board->view.count - 1) / WT_TX_PAGE + 1 : 0;
}

bool wt_board_reserve(struct wt_scoreboard *board)
{
	if (board->view.count && (board->view.first + board->view.count) % WT_TX_PAGE)
		return true;
	if (pages_used(board) > board->view.mask && !grow(board))
		return false;
	return wt_pieces_reserve(board->pool);
}

/* A place behind the last record. Its memory was reserved. */
static void extend(struct wt_scoreboard *board)
{
	uint32_t serial = board->view.first + board->view.count;

	if (board->view.count == 0 || serial % WT_TX_PAGE == 0)
		board->page[slot_of(board, serial)] = wt_piece_take(board->pool);
	board->view.count++;
}

static void drop_page(struct wt_scoreboard *board, uint32_t serial)
{
	wt_piece_release(board->pool, board->page[slot_of(board, serial)]);
	if (board->view.count)
		return;
	board->view.first = 0; /* nothing in flight: the next flight begins with a page of its own */
	board->edge_known = false;
	if (board->view.mask >= PAGES_KEPT) {
		free_table(board);
		use_inline_table(board);
	}
}

static void shrink(struct wt_scoreboard *board)
{
	uint32_t serial = board->view.first + --board->view.count;

	if (board->view.count == 0 || serial % WT_TX_PAGE == 0)
		drop_page(board, serial);
}

void wt_board_finish(struct wt_scoreboard *board)
{
	while (board->view.count)
		shrink(board);
	free_table(board);
	wt_ranges_finish(&board->reported);
	memset(board, 0, sizeof(*board));
}

/* ---- which are LOST ---------------------------------------------------------------------------------------- */

static void note_lost(struct wt_scoreboard *board, uint32_t serial, bool lost)
{
	uint32_t slot = slot_of(board, serial);
	uint64_t bit = (uint64_t)1 << serial % WT_TX_PAGE, page = (uint64_t)1 << slot % 64;

	if (lost) {
		board->lost[slot] |= bit;
		board->lost_pages[slot / 64] |= page;
	} else if (!(board->lost[slot] &= ~bit)) {
		board->lost_pages[slot / 64] &= ~page;
	}
}

static void set_lost(struct wt_scoreboard *board, uint32_t i, struct wt_tx_record *record)
{
	record->flags |= WT_TX_LOST;
	board->view.lost += record->len;
	note_lost(board, board->view.first + i, true);
}

static void clear_lost(struct wt_scoreboard *board, uint32_t i, struct wt_tx_record *record)
{
	record->flags &= (uint8_t)~WT_TX_LOST;
	board->view.lost -= record->len;
	note_lost(board, board->view.first + i, false);
}

/* Index of the first LOST record; there is one. A word of bits tells of 64 pages, so the largest window has less than a thousand words. */
static uint32_t first_lost(const struct wt_scoreboard *board)
{
	uint32_t slots = board->view.mask + 1, words = (slots + 63) / 64, start = slot_of(board, board->view.first);
	uint32_t word = start / 64, slot;
	uint64_t bits = board->lost_pages[word] & ~(uint64_t)0 << start % 64;

	while (!bits) { /* round the ring: at last the word of the start again, where bits below the start are its end */
		word = word + 1 < words ? word + 1 : 0;
		bits = board->lost_pages[word];
	}
	slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
	return ((slot - start) & board->view.mask) * WT_TX_PAGE + (uint32_t)__builtin_ctzll(board->lost[slot]) -
	       board->view.first % WT_TX_PAGE;
}

struct wt_tx_record *wt_board_first_lost(const struct wt_scoreboard *board)
{
	return board->view.lost ? at(board, first_lost(board)) : NULL;
}

/* ---- both ends ----------------------------------------------------------------------------------------------- */

struct wt_tx_record *wt_board_push(struct wt_scoreboard *board, wt_seq seq, uint32_t len)
{
	struct wt_tx_record *record;

	extend(board);
	record = at(board, board->view.count - 1);
	*record = (struct wt_tx_record){.seq = seq, .len = len};
	return record;
}

struct wt_tx_record *wt_board_first(const struct wt_scoreboard *board)
{
	return board->view.count ? at(board, 0) : NULL;
}

void wt_board_pop(struct wt_scoreboard *board, uint32_t len)
{
	struct wt_outstanding *view = &board->view;
	struct wt_tx_record *record = at(board, 0);
	uint32_t serial = view->first;

	if (record->flags & WT_TX_SACKED) {
		view->sacked -= len;
		board->edge_bytes -= board->edge == serial ? len : 0;
	}
	if (record->flags & WT_TX_LOST)
		view->lost -= len;
	if (len < record->len) { /* a cut segment: its rest stays */
		record->seq += len;
		record->len -= len;
		return;
	}
	if (record->flags & WT_TX_LOST)
		note_lost(board, serial, false);
	board->edge += board->edge == serial;
	view->first++;
	view->count--;
	if (view->count == 0 || view->first % WT_TX_PAGE == 0)
		drop_page(board, serial);
}

/* ---- searching ----------------------------------------------------------------------------------------------- */

static bool ends_behind(const struct wt_scoreboard *board, uint32_t i, wt_seq seq)
{
	const struct wt_tx_record *record = at(board, i);

	return wt_seq_gt(record->seq + record->len, seq);
}

/* Segments are mostly of one length, so a proportion is near; from there in growing steps, then by halves. */
static uint32_t find(struct wt_scoreboard *board, wt_seq seq)
{
	uint32_t count = board->view.count, low = 0, high = count, step = 1, probe, offset, span;

	if (count == 0 || wt_seq_le(seq, at(board, 0)->seq))
		return 0;
	offset = seq - at(board, 0)->seq;
	span = at(board, count - 1)->seq + at(board, count - 1)->len - at(board, 0)->seq;
	if (offset >= span)
		return count;
	probe = (uint32_t)((uint64_t)offset * count / span);
	while (low < high) {
		board->steps++;
		if (ends_behind(board, probe, seq)) {
			high = probe;
			probe = step && high - low > step ? high - step : low + (high - low) / 2;
		} else {
			low = probe + 1;
			probe = step && high - low > step ? low + step : low + (high - low) / 2;
		}
		step = step < UINT32_MAX / 2 ? step * 2 : 0;
	}
	return low;
}

/* ---- what SACK says ------------------------------------------------------------------------------------------ */

void wt_board_reported(struct wt_scoreboard *board, const struct wt_tx_record *record)
{
	if (!(record->flags & WT_TX_RETRANSMITTED) && wt_seq_le(record->seq + record->len, board->fack))
		board->reordered = true;
}

/* Record i lies wholly in what the peer has reported. */
static uint32_t take_record(struct wt_scoreboard *board, uint32_t i, struct wt_tx_record *newest)
{
	struct wt_outstanding *view = &board->view;
	struct wt_tx_record *record = at(board, i);

	if (record->flags & WT_TX_SACKED)
		return 0;
	if (record->flags & WT_TX_LOST)
		clear_lost(board, i, record);
	if (!(record->flags & WT_TX_DELIVERED)) {
		board->delivered += record->len;
		wt_board_reported(board, record);
		if (!newest->len || record->sent >= newest->sent)
			*newest = *record;
	}
	record->flags |= WT_TX_SACKED | WT_TX_DELIVERED;
	view->sacked += record->len;
	if (board->edge_known && i >= board->edge - view->first)
		board->edge_bytes += record->len;
	view->highest_sacked = wt_seq_max(view->highest_sacked, record->seq + record->len);
	return record->len;
}

/* The records that [from, to), news to us, completes within `known`. One of which a part is missing waits for the rest. */
static uint32_t take_gap(struct wt_scoreboard *board, wt_seq from, wt_seq to, const struct wt_range *known,
			 struct wt_tx_record *newest)
{
	uint32_t bytes = 0;

	for (uint32_t i = find(board, from); i < board->view.count; i++) {
		const struct wt_tx_record *record = at(board, i);

		if (wt_seq_ge(record->seq, to))
			break;
		board->steps++;
		if (wt_seq_ge(record->seq, known->start) && wt_seq_le(record->seq + record->len, known->end))
			bytes += take_record(board, i, newest);
	}
	return bytes;
}

uint32_t wt_board_sack(struct wt_scoreboard *board, wt_seq start, wt_seq end, struct wt_tx_record *newest, bool *news)
{
	struct wt_ranges *reported = &board->reported;
	struct wt_range known, old;
	uint32_t bytes = 0;
	bool apart, more;

	if (wt_ranges_contain(reported, start, end))
		return 0;
	apart = !wt_ranges_before(reported, end + 1, &old) || wt_seq_lt(old.end, start);
	/* one more interval needs memory; what touches one does not */
	if (apart && !wt_ranges_add(reported, start, end, NULL)) {
		board->ignored++;
		return 0;
	}
	*news = true;
	known = wt_ranges_merged(reported, start, end);
	if (apart)
		return take_gap(board, start, end, &known, newest);
	/* only the gaps between what was reported before are walked; then they are closed, so nothing is walked twice */
	for (wt_seq from = start; wt_seq_lt(from, end); from = more ? old.end : end) {
		more = wt_ranges_after(reported, from, &old) && wt_seq_lt(old.start, end);
		if (wt_seq_lt(from, more ? old.start : end))
			bytes += take_gap(board, from, more ? old.start : end, &known, newest);
	}
	wt_ranges_add(reported, start, end, NULL);
	return bytes;
}

/* The edge goes right while enough is SACKed at and above it; so each record is passed once, whatever ACKs come. */
void wt_board_find_edge(struct wt_scoreboard *board, uint32_t enough)
{
	struct wt_outstanding *view = &board->view;
	const struct wt_tx_record *record;

	view->loss_edge = view->snd_una;
	if (view->sacked <= enough) {
		board->edge_known = false;
		return;
	}
	if (!board->edge_known || board->edge_bytes <= enough) {
		board->edge = view->first;
		board->edge_bytes = view->sacked;
		board->edge_known = true;
	}
	while (record = at(board, board->edge - view->first),
	       !(record->flags & WT_TX_SACKED) || board->edge_bytes - record->len > enough) {
		if (record->flags & WT_TX_SACKED)
			board->edge_bytes -= record->len;
		board->edge++;
		board->steps++;
	}
	view->loss_edge = record->seq;
}

/* ---- what is to be sent again -------------------------------------------------------------------------------- */

static void mark(struct wt_scoreboard *board, uint32_t i, wt_seq to, uint8_t except, wt_time sent_by)
{
	for (; i < board->view.count; i++) {
		struct wt_tx_record *record = at(board, i);

		if (wt_seq_ge(record->seq, to))
			break;
		board->steps++;
		if (!(record->flags & except) && record->sent <= sent_by)
			set_lost(board, i, record);
	}
}

void wt_board_mark_again(struct wt_scoreboard *board, wt_seq to, wt_time sent_by)
{
	mark(board, 0, to, WT_TX_SACKED | WT_TX_LOST, sent_by ? sent_by : WT_NEVER);
	board->marked_to = wt_seq_max(board->marked_to, to);
}

void wt_board_mark_lost(struct wt_scoreboard *board, wt_seq to)
{
	if (wt_seq_ge(board->marked_to, to))
		return;
	mark(board, find(board, board->marked_to), to, WT_TX_SACKED | WT_TX_LOST | WT_TX_RETRANSMITTED, WT_NEVER);
	board->marked_to = wt_seq_max(board->marked_to, to);
}

void wt_board_mark_last(struct wt_scoreboard *board)
{
	uint32_t i = board->view.count;

	while (i && at(board, i - 1)->flags & WT_TX_SACKED)
		i--;
	if (i-- && !(at(board, i)->flags & (WT_TX_LOST | WT_TX_RETRANSMITTED)))
		set_lost(board, i, at(board, i));
}

const struct wt_tx_record *wt_board_from(struct wt_scoreboard *board, wt_seq seq)
{
	uint32_t i = find(board, seq);

	return i < board->view.count ? at(board, i) : NULL;
}

void wt_board_mark_at(struct wt_scoreboard *board, wt_seq seq)
{
	uint32_t i = find(board, seq);

	if (i < board->view.count && !(at(board, i)->flags & (WT_TX_SACKED | WT_TX_LOST)))
		set_lost(board, i, at(board, i));
}

void wt_board_mark_tail(struct wt_scoreboard *board)
{
	uint32_t i = board->view.count;

	while (i && at(board, i - 1)->flags & WT_TX_SACKED)
		i--;
	if (i-- && !(at(board, i)->flags & WT_TX_LOST))
		set_lost(board, i, at(board, i));
}

void wt_board_mark_all(struct wt_scoreboard *board)
{
	/* RFC 2018 8: after a timeout the sender must not trust earlier SACKs */
	for (uint32_t i = 0; i < board->view.count; i++)
		at(board, i)->flags &= (uint8_t)~WT_TX_SACKED;
	board->view.sacked = 0;
	board->edge_known = false;
	board->view.highest_sacked = board->view.snd_una;
	wt_ranges_clear(&board->reported);
	mark(board, 0, board->view.snd_nxt, WT_TX_LOST, WT_NEVER);
	board->marked_to = board->view.snd_nxt;
}

const struct wt_tx_record *wt_board_unmark(struct wt_scoreboard *board)
{
	struct wt_tx_record *record, newest = {0};
	bool news;
	uint32_t i;

	if (!board->view.lost) {
		board->marked_to = board->view.snd_una;
		return NULL;
	}
	i = first_lost(board);
	record = at(board, i);
	clear_lost(board, i, record);
	if (record->flags & WT_TX_DELIVERED) /* a timeout has forgotten it, and there was no reason to */
		wt_board_sack(board, record->seq, record->seq + record->len, &newest, &news);
	return record;
}

static bool too_long(const struct wt_tx_record *record, uint32_t len)
{
	return (record->flags & WT_TX_LOST) && record->len > len;
}

static void place(struct wt_scoreboard *board, uint32_t i, const struct wt_tx_record *record)
{
	*at(board, i) = *record;
	note_lost(board, board->view.first + i, record->flags & WT_TX_LOST);
}

/*
 * Pieces of one segment that all wait to be resent are one record again before it is cut anew. Else each message of a router, one octet lower than
 * the last, would leave a record more of every segment in flight, and the work would grow with the square of the messages.
 */
static void join(struct wt_scoreboard *board)
{
	uint32_t last = 0;

	for (uint32_t i = 1; i < board->view.count; i++) {
		struct wt_tx_record *before = at(board, last), *record = at(board, i);

		board->steps++;
		if ((record->flags & WT_TX_CUT) && (record->flags & before->flags & WT_TX_LOST) && !((record->flags ^ before->flags) & WT_TX_DELIVERED)) {
			before->len += record->len;
			before->flags |= record->flags & WT_TX_RETRANSMITTED;
		} else if (++last != i) {
			place(board, last, record);
		}
	}
	while (board->view.count > last + 1) {
		note_lost(board, board->view.first + board->view.count - 1, false);
		shrink(board);
	}
}

/*
 * The path's MSS shrank below a segment's size: all LOST records longer than `len` are cut, in one pass from the right, so that the work is that
 * of two walks with join(), and not one for each of them. Without memory for that they go out whole; the path may drop them until ACKs make room.
 */
static void split(struct wt_scoreboard *board, uint32_t len)
{
	uint32_t count, more = 0, to;

	join(board);
	count = board->view.count;
	for (uint32_t i = 0; i < count; i++)
		more += too_long(at(board, i), len) ? (at(board, i)->len - 1) / len : 0;
	for (to = count; to < count + more && wt_board_reserve(board); to++) {
		extend(board);
		at(board, to)->flags = 0;
	}
	if (to < count + more) {
		while (board->view.count > count)
			shrink(board);
		return;
	}
	board->edge_known = false;
	for (uint32_t i = count; i-- > 0 && to > i + 1;) {
		struct wt_tx_record whole = *at(board, i), piece = whole;
		uint32_t pieces = too_long(&whole, len) ? (whole.len - 1) / len + 1 : 1;

		board->steps++;
		while (pieces-- > 0) {
			piece.seq = whole.seq + pieces * len;
			piece.len = whole.seq + whole.len - piece.seq;
			piece.flags = pieces ? whole.flags | WT_TX_CUT : whole.flags;
			whole.len -= piece.len;
			place(board, --to, &piece);
		}
	}
}

struct wt_tx_record *wt_board_next_lost(struct wt_scoreboard *board, uint32_t max_len)
{
	if (board->view.lost && wt_board_first_lost(board)->len > max_len)
		split(board, max_len);
	return wt_board_first_lost(board);
}

void wt_board_resent(struct wt_scoreboard *board, struct wt_tx_record *record)
{
	uint32_t i = first_lost(board);

	assert(record == at(board, i) && (record->flags & WT_TX_LOST));
	clear_lost(board, i, record);
	record->flags |= WT_TX_RETRANSMITTED;
}
