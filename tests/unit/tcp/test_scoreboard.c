/* SPDX-License-Identifier: BSD-2-Clause */
/* The scoreboard against a model of one flag word per byte, across the wrap of sequence space. */
#include <string.h>

#include "stack/base/random.h"
#include "stack/tcp/tcb.h"
#include "tests/unit/tcp/cmocka_head.h"
#include "tests/unit/chunk_pool.h"

#define SPAN 20000
#define ENOUGH 25 /* bytes SACKed above the loss edge */

struct model {
	wt_seq start; /* sequence number of byte 0 */
	uint32_t una, nxt;
	bool sacked[SPAN], lost[SPAN];
};

static uint32_t count(const struct model *model, const bool *flag)
{
	uint32_t n = 0;

	for (uint32_t i = model->una; i < model->nxt; i++)
		n += flag[i];
	return n;
}

/* Where records start is a multiple of 10. */
static void compare_edge(struct wt_scoreboard *board, const struct model *model)
{
	uint32_t bytes = 0, edge = model->nxt;

	while (edge > model->una && bytes <= ENOUGH)
		bytes += model->sacked[--edge];
	wt_board_find_edge(board, ENOUGH);
	assert_int_equal(board->view.loss_edge - model->start, bytes <= ENOUGH ? model->una : edge / 10 * 10);
}

static void compare(struct wt_scoreboard *board, const struct model *model, bool edge)
{
	uint32_t sum = 0;

	if (edge)
		compare_edge(board, model);
	assert_int_equal(board->view.sacked, count(model, model->sacked));
	assert_int_equal(board->view.lost, count(model, model->lost));
	for (uint32_t i = 0; i < board->view.count; i++) {
		const struct wt_tx_record *record = wt_tx_record_at(&board->view, i);
		uint32_t at = record->seq - model->start;

		assert_int_equal(at, model->una + sum);
		for (uint32_t j = at; j < at + record->len; j++) {
			assert_int_equal(!!(record->flags & WT_TX_SACKED), model->sacked[j]);
			assert_int_equal(!!(record->flags & WT_TX_LOST), model->lost[j]);
		}
		sum += record->len;
	}
	assert_int_equal(sum, model->nxt - model->una);
}

static void acknowledge(struct wt_scoreboard *board, struct model *model, uint32_t to)
{
	for (; model->una < to; model->una += 10)
		wt_board_pop(board, 10);
	board->view.snd_una = model->start + to;
	board->marked_to = wt_seq_max(board->marked_to, board->view.snd_una);
	wt_ranges_trim(&board->reported, board->view.snd_una);
}

/* one record per 10 bytes; acknowledgments at record boundaries, as the model has no partial records */
static void one_run(uint64_t seed)
{
	struct wt_key key = wt_key_derive(seed, "scoreboard");
	struct wt_scoreboard board = {0};
	struct model *model = test_calloc(1, sizeof(*model));
	uint64_t n = 0;

	model->start = 0xffffffffu - 3000; /* wraps on the way */
	wt_board_init(&board, pool, SPAN);
	board.view.snd_una = board.view.snd_nxt = board.marked_to = board.view.highest_sacked = model->start;
	while (model->nxt + 10 < SPAN) {
		struct wt_tx_record newest = {0}, *record;
		bool known = false;
		uint32_t a = model->una + 10 * (uint32_t)wt_random_below(&key, n++, (model->nxt - model->una) / 10 + 1);
		uint32_t b = a + 10 * (uint32_t)wt_random_below(&key, n++, (model->nxt - a) / 10 + 1);

		switch (wt_random_below(&key, n++, 9)) {
		case 0: case 1: case 2: case 3:
			assert_true(wt_board_reserve(&board));
			wt_board_push(&board, model->start + model->nxt, 10);
			model->nxt += 10;
			board.view.snd_nxt += 10;
			break;
		case 4: {
			uint32_t fresh = 0;

			for (uint32_t i = a; i < b; i++) {
				fresh += !model->sacked[i];
				model->sacked[i] = true;
				model->lost[i] = false;
			}
			assert_int_equal(wt_board_sack(&board, model->start + a, model->start + b, &newest, &known), fresh);
			break;
		}
		case 5:
			wt_board_mark_again(&board, model->start + b, 0);
			for (uint32_t i = model->una; i < b; i++)
				model->lost[i] |= !model->sacked[i];
			break;
		case 6:
			record = wt_board_next_lost(&board, 1000);
			if (!record) {
				assert_int_equal(count(model, model->lost), 0);
				break;
			}
			for (uint32_t i = model->una; i < record->seq - model->start; i++)
				assert_false(model->lost[i]); /* it is the first */
			memset(model->lost + (record->seq - model->start), 0, record->len);
			wt_board_resent(&board, record);
			break;
		case 7:
			if (wt_random_below(&key, n++, 40) == 0) {
				wt_board_mark_all(&board);
				for (uint32_t i = model->una; i < model->nxt; i++) {
					model->sacked[i] = false;
					model->lost[i] = true;
				}
			}
			break;
		case 8: /* seldom, so that there is much in flight; then all of it now and then */
			if (!wt_random_below(&key, n++, 10))
				acknowledge(&board, model, wt_random_below(&key, n++, 4) ? b : model->nxt);
			break;
		}
		compare(&board, model, n % 3 == 0); /* an ACK may SACK and pop before the edge is looked for */
	}
	wt_board_finish(&board);
	assert_int_equal(wt_chunks_held(pool), 0);
	test_free(model);
}

static void it_agrees_with_a_model_of_single_bytes(void **state)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		one_run(seed);
}

static void push(struct wt_scoreboard *board, wt_seq seq, uint32_t len)
{
	assert_true(wt_board_reserve(board));
	wt_board_push(board, seq, len);
	board->view.snd_nxt = seq + len;
}

static void fill(struct wt_scoreboard *board, uint32_t count, uint32_t len)
{
	for (uint32_t i = 0; i < count; i++)
		push(board, i * len, len);
}

static void a_record_longer_than_the_path_takes_is_split_when_resent(void **state)
{
	struct wt_scoreboard board = {0};
	struct wt_tx_record *record;

	wt_board_init(&board, pool, 1);
	push(&board, 0, 1460);
	push(&board, 1460, 100);
	board.view.snd_nxt = 1560;
	wt_board_mark_all(&board);
	for (wt_seq seq = 0; seq < 1460; seq += record->len) {
		record = wt_board_next_lost(&board, 536);
		assert_int_equal(record->seq, seq);
		assert_int_equal(record->len, 1460 - seq < 536 ? 1460 - seq : 536);
		wt_board_resent(&board, record);
	}
	assert_int_equal(board.view.lost, 100);
	wt_board_finish(&board);
}

/* A path's MSS shrinks under a window of many segments (RFC 1191): cutting them all is two walks, not one for each. */
static void cutting_a_whole_window_costs_two_walks(void **state)
{
	enum { COUNT = 46000 };
	struct wt_scoreboard board;
	struct wt_tx_record *record;
	uint64_t before;
	wt_seq seq = 0;

	wt_board_init(&board, pool, 64u << 20);
	fill(&board, COUNT, 1448);
	wt_board_mark_all(&board);
	before = board.steps;
	while ((record = wt_board_next_lost(&board, 1400))) {
		assert_int_equal(record->seq, seq);
		assert_int_equal(record->len, seq % 1448 ? 48 : 1400);
		seq += record->len;
		wt_board_resent(&board, record);
	}
	assert_int_equal(seq, COUNT * 1448);
	assert_int_equal(board.view.count, 2 * COUNT);
	assert_in_range(board.steps - before, COUNT, 2 * COUNT);
	wt_board_finish(&board);
}

/* Somebody on the path says again and again that it is one octet narrower: a segment is at most two records, and each message costs three walks. */
static void a_path_that_shrinks_again_and_again_leaves_two_records_of_a_segment(void **state)
{
	enum { COUNT = 4000, LEAST = 736 };
	struct wt_scoreboard board;
	struct wt_tx_record *record;
	uint64_t before;
	wt_seq seq = 0;

	wt_board_init(&board, pool, 64u << 20);
	fill(&board, COUNT, 1448);
	for (uint32_t len = 1447; len >= LEAST; len--) {
		before = board.steps;
		wt_board_mark_all(&board);
		record = wt_board_next_lost(&board, len);
		assert_true(record->seq == 0 && record->len == len);
		wt_board_resent(&board, record);
		assert_int_equal(board.view.count, 2 * COUNT);
		assert_int_equal(board.view.lost, COUNT * 1448 - len);
		assert_in_range(board.steps - before, 0, 5 * COUNT); /* to mark 2 COUNT, to join as many, to cut COUNT */
	}
	wt_board_mark_all(&board);
	for (; (record = wt_board_next_lost(&board, LEAST)); seq += record->len) {
		assert_int_equal(record->seq, seq);
		wt_board_resent(&board, record);
	}
	assert_int_equal(seq, COUNT * 1448);
	wt_board_finish(&board);
}

/* Pieces are one segment again only where all of them wait: what was SACKed between stays as it is. */
static void pieces_with_one_sacked_between_them_are_not_joined(void **state)
{
	struct wt_scoreboard board;
	struct wt_tx_record newest = {0}, *record;
	bool news;

	wt_board_init(&board, pool, 1 << 20);
	push(&board, 0, 1400);
	push(&board, 1400, 1400);
	wt_board_mark_all(&board);
	record = wt_board_next_lost(&board, 500); /* 500 500 400 twice */
	assert_int_equal(board.view.count, 6);
	for (unsigned i = 0; i < 2; i++, record = wt_board_next_lost(&board, 500))
		wt_board_resent(&board, record);
	wt_board_sack(&board, 500, 1000, &newest, &news);
	assert_true(news && record->seq == 1000 && record->len == 400);
	record = wt_board_next_lost(&board, 390); /* 500, 500 SACKED, 390 10, and 390 390 390 230 of the second */
	assert_true(record->seq == 1000 && record->len == 390);
	assert_int_equal(board.view.count, 8);
	assert_int_equal(board.view.lost, 1800);
	assert_int_equal(board.view.sacked, 500);
	wt_board_finish(&board);
}

/*
 * A window of 64 MB with 10 % loss: what an ACK costs, in records looked at and tree nodes visited, when segments arrive in order around
 * the holes, when blocks come in a bad order, and when the peer SACKs every second octet.
 */
static void ack_after_ack(struct wt_scoreboard *board, const wt_seq *start, const wt_seq *end, uint32_t acks, uint64_t *worst,
			  double *mean)
{
	struct wt_tx_record newest, *record;
	uint64_t begin = board->steps + board->reported.steps;
	bool news;

	*worst = 0;
	for (uint32_t i = 0; i < acks; i++) {
		uint64_t before = board->steps + board->reported.steps;

		newest.len = 0;
		for (uint32_t block = 0; block < 4 && block <= i; block++) /* the newest and three that repeat */
			wt_board_sack(board, start[i - block], end[i - block], &newest, &news);
		wt_board_find_edge(board, 2 * 1448);
		wt_board_mark_lost(board, board->view.loss_edge);
		if ((record = wt_board_next_lost(board, 1448)))
			wt_board_resent(board, record);
		*worst = board->steps + board->reported.steps - before > *worst ? board->steps + board->reported.steps - before : *worst;
	}
	*mean = (double)(board->steps + board->reported.steps - begin) / acks;
}

static void an_ack_costs_a_few_steps_at_a_window_of_64_megabytes(void **state)
{
	enum { COUNT = 46000 };
	static wt_seq start[COUNT], end[COUNT];
	struct wt_key key = wt_key_derive(1, "ten percent");
	struct wt_scoreboard board;
	uint64_t worst;
	double mean;

	for (unsigned order = 0; order < 4; order++) {
		uint32_t acks = 0;

		wt_board_init(&board, pool, 64u << 20);
		for (uint32_t i = 0; i < COUNT; i++)
			push(&board, i * 1448, 1448);
		for (uint32_t i = 1; i < COUNT; i++) {
			/* in order; from the top down; from both ends to the middle; an octet of each, in a scattered order */
			uint32_t n = order == 0 ? i : order == 1 ? COUNT - i : order == 2 ? (i % 2 ? i / 2 + 1 : COUNT - i / 2) : i * 7919u % COUNT;

			if (order == 3 ? n == 0 : !wt_random_below(&key, n, 10))
				continue;
			start[acks] = n * 1448 + (order == 3 ? 7 : 0);
			end[acks++] = n * 1448 + (order == 3 ? 8 : 1448);
		}
		ack_after_ack(&board, start, end, acks, &worst, &mean);
		print_message("order %u: %u ACKs, %u intervals, mean %.1f steps, worst %u\n", order, acks, board.reported.count, mean,
			      (unsigned)worst);
		assert_true(mean < 60);
		if (order != 1 && order != 2) /* there an edge that jumps marks many records at once, each of them once */
			assert_in_range(worst, 1, 200);
		wt_board_finish(&board);
	}
	assert_int_equal(wt_chunks_held(pool), 0);
}

/* SACK of every second octet (CVE-2019-5599): bounded in bytes of memory, and what is ignored is counted. */
static void blocks_beyond_the_bound_of_memory_are_ignored_and_counted(void **state)
{
	struct wt_scoreboard board;
	struct wt_tx_record newest = {0};
	uint64_t before;
	bool news = false;

	wt_board_init(&board, pool, 65536);
	push(&board, 0, 1000000);
	for (uint32_t i = 0; i < 100000; i++)
		wt_board_sack(&board, 10 * i, 10 * i + 1, &newest, &news);
	assert_in_range(board.reported.nodes, 1, 65536 / WT_CHUNK);
	assert_in_range(board.reported.count, 7000, 100000);
	assert_int_equal(board.ignored + board.reported.count, 100000);
	before = board.steps;
	for (uint32_t i = 0; i < 1000; i++) /* what is ignored is not walked either */
		wt_board_sack(&board, 900005, 900006, &newest, &news);
	assert_int_equal(board.steps, before);
	assert_int_equal(wt_board_sack(&board, 0, 1000000, &newest, &news), 1000000); /* needs none */
	wt_board_finish(&board);
}

static void a_pool_at_its_cap_refuses_a_record_and_keeps_the_others(void **state)
{
	struct wt_chunks *small = wt_chunks_create(8 * WT_CHUNK);
	struct wt_scoreboard board;
	uint32_t count = 0;

	wt_board_init(&board, small, 0);
	while (wt_board_reserve(&board))
		push(&board, 10 * count++, 10);
	assert_int_equal(count, 7 * (WT_CHUNK / WT_PIECE) * WT_TX_PAGE); /* a part of the eighth went into the table */
	assert_true(wt_chunks_refused(small) > 0);
	wt_board_pop(&board, 10);
	assert_false(wt_board_reserve(&board));
	for (uint32_t i = 1; i < WT_TX_PAGE; i++)
		wt_board_pop(&board, 10);
	assert_true(wt_board_reserve(&board));
	wt_board_finish(&board);
	assert_int_equal(wt_chunks_held(small), 0);
	wt_chunks_destroy(small);
}

/* CVE-2019-11478: the same blocks again cost nothing, however many records they cover. */
static void a_repeated_block_is_not_walked_again(void **state)
{
	struct wt_scoreboard board = {0};
	struct wt_tx_record newest = {0};
	bool known = false;

	wt_board_init(&board, pool, 100000);
	fill(&board, 100000, 10);
	assert_int_equal(wt_board_sack(&board, 10, 999000, &newest, &known), 998990);
	/* 100,000 times 100,000 records would be 10^10 steps: this ends at once or the test times out */
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(wt_board_sack(&board, 10, 999000, &newest, &known), 0);
	wt_board_finish(&board);
}

/* Blocks that alternate, so that the last ACK never said the same: still only what is new costs anything. */
static void blocks_that_alternate_are_not_walked_again(void **state)
{
	struct wt_scoreboard board = {0};
	struct wt_tx_record newest = {0};
	bool news = false;

	wt_board_init(&board, pool, 100000);
	fill(&board, 100000, 10);
	wt_board_sack(&board, 10, 999000, &newest, &news);
	news = false;
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(wt_board_sack(&board, i % 2 ? 10 : 20, i % 2 ? 999000 : 30, &newest, &news), 0);
	assert_false(news);
	wt_board_finish(&board);
}

/* A peer that cuts segments reports parts; the record is SACKed when the last octet is in, whatever the order. */
static void a_record_reported_in_parts_is_sacked_when_all_of_it_was(void **state)
{
	struct wt_scoreboard board = {0};
	struct wt_tx_record newest = {0};
	bool news = false;

	wt_board_init(&board, pool, 1);
	push(&board, 0, 100);
	push(&board, 100, 100);
	board.view.snd_nxt = 200;
	assert_int_equal(wt_board_sack(&board, 150, 200, &newest, &news), 0);
	assert_true(news);
	news = false;
	assert_int_equal(wt_board_sack(&board, 160, 170, &newest, &news), 0);
	assert_false(news);
	assert_int_equal(wt_board_sack(&board, 100, 120, &newest, &news), 0);
	assert_int_equal(wt_board_sack(&board, 110, 160, &newest, &news), 100);
	assert_true(news);
	assert_int_equal(board.view.sacked, 100);
	assert_int_equal(wt_board_sack(&board, 50, 200, &newest, &news), 0);
	assert_int_equal(wt_board_sack(&board, 0, 50, &newest, &news), 100);
	wt_board_finish(&board);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_agrees_with_a_model_of_single_bytes),
		cmocka_unit_test(a_record_longer_than_the_path_takes_is_split_when_resent),
		cmocka_unit_test(cutting_a_whole_window_costs_two_walks),
		cmocka_unit_test(a_path_that_shrinks_again_and_again_leaves_two_records_of_a_segment),
		cmocka_unit_test(pieces_with_one_sacked_between_them_are_not_joined),
		cmocka_unit_test(an_ack_costs_a_few_steps_at_a_window_of_64_megabytes),
		cmocka_unit_test(blocks_beyond_the_bound_of_memory_are_ignored_and_counted),
		cmocka_unit_test(a_pool_at_its_cap_refuses_a_record_and_keeps_the_others),
		cmocka_unit_test(a_repeated_block_is_not_walked_again),
		cmocka_unit_test(blocks_that_alternate_are_not_walked_again),
		cmocka_unit_test(a_record_reported_in_parts_is_sacked_when_all_of_it_was),
	};

	return cmocka_run_group_tests_name("host_scoreboard", tests, make_pool, end_pool);
}
