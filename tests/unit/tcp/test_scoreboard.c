/* SPDX-License-Identifier: BSD-2-Clause */
/* The scoreboard against a model of one flag word per byte, across the wrap of sequence space. */
#include <string.h>

#include "stack/base/random.h"
#include "stack/tcp/tcb.h"
#include "tests/unit/tcp/cmocka_head.h"

#define SPAN 20000

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

static void compare(const struct wt_scoreboard *board, const struct model *model)
{
	uint32_t sum = 0;

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

/* one record per 10 bytes; acknowledgments at record boundaries, as the model has no partial records */
static void one_run(uint64_t seed)
{
	struct wt_key key = wt_key_derive(seed, "scoreboard");
	struct wt_scoreboard board = {0};
	struct model *model = test_calloc(1, sizeof(*model));
	uint64_t n = 0;

	model->start = 0xffffffffu - 3000; /* wraps on the way */
	assert_int_equal(wt_board_init(&board, SPAN / 10 + 100), 0);
	board.view.snd_una = board.view.snd_nxt = board.marked_to = board.view.highest_sacked = model->start;
	while (model->nxt + 10 < SPAN) {
		struct wt_tx_record newest = {0}, *record;
		bool known = false;
		uint32_t a = model->una + 10 * (uint32_t)wt_random_below(&key, n++, (model->nxt - model->una) / 10 + 1);
		uint32_t b = a + 10 * (uint32_t)wt_random_below(&key, n++, (model->nxt - a) / 10 + 1);

		switch (wt_random_below(&key, n++, 8)) {
		case 0: case 1: case 2: case 3:
			if (wt_board_full(&board))
				break;
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
			wt_board_mark_lost(&board, model->start + b, true);
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
		}
		compare(&board, model);
	}
	wt_board_finish(&board);
	test_free(model);
}

static void it_agrees_with_a_model_of_single_bytes(void **state)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		one_run(seed);
}

static void a_record_longer_than_the_path_takes_is_split_when_resent(void **state)
{
	struct wt_scoreboard board = {0};
	struct wt_tx_record *record;

	assert_int_equal(wt_board_init(&board, 1), 0);
	wt_board_push(&board, 0, 1460);
	wt_board_push(&board, 1460, 100);
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

/* CVE-2019-11478: the same blocks again cost nothing, however many records they cover. */
static void a_repeated_block_is_not_walked_again(void **state)
{
	struct wt_scoreboard board = {0};
	struct wt_tx_record newest = {0};
	bool known = false;

	assert_int_equal(wt_board_init(&board, 100000), 0);
	for (uint32_t i = 0; i < 100000; i++)
		wt_board_push(&board, i * 10, 10);
	board.view.snd_nxt = 1000000;
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

	assert_int_equal(wt_board_init(&board, 100000), 0);
	for (uint32_t i = 0; i < 100000; i++)
		wt_board_push(&board, i * 10, 10);
	board.view.snd_nxt = 1000000;
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

	assert_int_equal(wt_board_init(&board, 1), 0);
	wt_board_push(&board, 0, 100);
	wt_board_push(&board, 100, 100);
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
		cmocka_unit_test(a_repeated_block_is_not_walked_again),
		cmocka_unit_test(blocks_that_alternate_are_not_walked_again),
		cmocka_unit_test(a_record_reported_in_parts_is_sacked_when_all_of_it_was),
	};

	return cmocka_run_group_tests_name("host_scoreboard", tests, NULL, NULL);
}
