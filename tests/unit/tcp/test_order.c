/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of transmissions against a walk over all records, through losses, SACKs, copies, partial ACKs, timeouts and undos. */
#include "stack/base/random.h"
#include "stack/tcp/tcb.h"
#include "tests/unit/chunk_pool.h"
#include "tests/unit/tcp/cmocka_head.h"

static struct wt_scoreboard board;
static struct wt_sent_order order;

static void transmit(struct wt_tx_record *record)
{
	record->sent = wt_order_time(&order, 0);
	wt_order_push(&order, pool, record);
}

static void begin(wt_seq start)
{
	order = (struct wt_sent_order){0};
	wt_board_init(&board, pool, 1u << 20);
	board.view.snd_una = board.view.snd_nxt = board.marked_to = board.view.highest_sacked = start;
}

static void end(void)
{
	wt_order_finish(&order, pool);
	wt_board_finish(&board);
	assert_int_equal(wt_chunks_held(pool), 0);
}

static void send_new(uint32_t count)
{
	while (count-- > 0) {
		assert_true(wt_board_reserve(&board));
		transmit(wt_board_push(&board, board.view.snd_nxt, 10));
		board.view.snd_nxt += 10;
	}
}

static void send_again(void)
{
	struct wt_tx_record *record = wt_board_next_lost(&board, 4);

	if (!record)
		return;
	wt_board_resent(&board, record);
	transmit(record);
}

static void acknowledge(wt_seq to)
{
	const struct wt_tx_record *record;

	while ((record = wt_board_first(&board)) && wt_seq_lt(record->seq, to))
		wt_board_pop(&board, to - record->seq < record->len ? to - record->seq : record->len);
	board.view.snd_una = to;
	board.marked_to = wt_seq_max(board.marked_to, to);
	wt_ranges_trim(&board.reported, to);
}

static const struct wt_tx_record *earliest(void)
{
	const struct wt_tx_record *found = NULL;

	for (uint32_t i = 0; i < board.view.count; i++) {
		const struct wt_tx_record *record = wt_tx_record_at(&board.view, i);

		if (!(record->flags & (WT_TX_SACKED | WT_TX_LOST)) && (!found || record->sent < found->sent))
			found = record;
	}
	return found;
}

static void the_front_is_the_earliest_in_flight_whatever_came(void **state)
{
	struct wt_key key = wt_key_derive(1, "order");
	uint64_t n = 0;

	begin(0xffffffffu - 5000);
	for (unsigned step = 0; step < 40000; step++) {
		uint32_t flight = board.view.snd_nxt - board.view.snd_una;
		wt_seq a = board.view.snd_una + (uint32_t)wt_random_below(&key, n++, flight + 1);
		wt_seq b = a + (uint32_t)wt_random_below(&key, n++, board.view.snd_nxt - a + 1);
		struct wt_tx_record newest = {0};
		bool news;

		switch (wt_random_below(&key, n++, 12)) {
		case 0: case 1: case 2:
			if (flight < 1500)
				send_new(3);
			break;
		case 3:
			if (a != b)
				wt_board_sack(&board, a, b, &newest, &news);
			break;
		case 4:
			wt_order_mark(&order, &board, order.last - (wt_time)wt_random_below(&key, n++, 100), board.view.snd_una);
			break;
		case 11:
			wt_board_mark_tail(&board);
			break;
		case 5: case 6: case 7:
			send_again();
			break;
		case 8:
			if (!wt_random_below(&key, n++, 5))
				acknowledge(a);
			break;
		case 9:
			if (!wt_random_below(&key, n++, 20))
				wt_board_mark_all(&board);
			break;
		case 10:
			if (!wt_random_below(&key, n++, 8)) {
				wt_order_unmark(&order, pool, &board);
				assert_int_equal(board.view.lost, 0);
			}
			break;
		}
		assert_ptr_equal(wt_order_front(&order, &board), earliest());
	}
	end();
}

/* CVE-2019-5599: every second segment SACKed, then a timeout, an undo, and the same again: a few steps for each record of each round. */
static void what_an_undo_puts_back_costs_a_few_steps_for_each_record(void **state)
{
	enum { COUNT = 20000, ROUNDS = 20 };
	uint32_t room;

	begin(0);
	send_new(COUNT);
	room = order.mask + 1;
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t before = board.steps;
		struct wt_tx_record newest = {0};
		bool news;

		for (uint32_t i = 1; i < COUNT; i += 2) {
			wt_board_sack(&board, i * 10, i * 10 + 10, &newest, &news);
			wt_order_front(&order, &board);
		}
		wt_order_mark(&order, &board, order.last + 1, 0);
		assert_null(wt_order_front(&order, &board));
		wt_board_mark_all(&board);
		wt_order_unmark(&order, pool, &board);
		assert_int_equal(order.count, COUNT / 2); /* the others are SACKED, as before the timeout */
		assert_int_equal(board.view.sacked, COUNT / 2 * 10);
		assert_int_equal(wt_order_front(&order, &board)->seq, 0);
		assert_in_range(board.steps - before, COUNT, 20 * COUNT);
	}
	assert_int_equal(order.mask + 1, room); /* nothing piles up */
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_front_is_the_earliest_in_flight_whatever_came),
		cmocka_unit_test(what_an_undo_puts_back_costs_a_few_steps_for_each_record),
	};

	return cmocka_run_group_tests_name("host_order", tests, make_pool, end_pool);
}
