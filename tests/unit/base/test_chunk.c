/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/chunk.h"

static void the_chunk_that_came_back_last_is_handed_out_first(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(0);
	void *a = wt_chunk_take(pool), *b = wt_chunk_take(pool);

	assert_ptr_not_equal(a, b);
	assert_int_equal((uintptr_t)a % WT_CHUNK, 0);
	wt_chunk_release(pool, a);
	wt_chunk_release(pool, b);
	assert_ptr_equal(wt_chunk_take(pool), b);
	assert_ptr_equal(wt_chunk_take(pool), a);
	wt_chunk_release(pool, a);
	wt_chunk_release(pool, b);
	wt_chunks_destroy(pool);
}

static void a_chunk_stays_until_its_last_holder_lets_it_go(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(0);
	uint8_t *a = wt_chunk_take(pool);

	wt_chunk_hold(a + 1000); /* by any address in it */
	wt_chunk_release(pool, a);
	assert_int_equal(wt_chunks_held(pool), WT_CHUNK);
	assert_ptr_not_equal(wt_chunk_take(pool), a);
	wt_chunk_release(pool, a + 4095);
	assert_int_equal(wt_chunks_held(pool), WT_CHUNK);
	assert_ptr_equal(wt_chunk_take(pool), a);
	wt_chunk_release(pool, a);
	assert_int_equal(wt_chunks_peak(pool), 2 * WT_CHUNK);
	wt_chunk_release(pool, a + WT_CHUNK); /* the second one: slabs are cut in order */
	wt_chunks_destroy(pool);
}

static void no_two_holders_share_a_byte_over_many_slabs(void **state)
{
	enum { COUNT = 1000 };
	struct wt_chunks *pool = wt_chunks_create(0);
	uint16_t *at[COUNT];

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < COUNT; i++) {
			at[i] = wt_chunk_take(pool);
			for (unsigned j = 0; j < WT_CHUNK / 2; j++)
				at[i][j] = (uint16_t)i;
		}
		assert_int_equal(wt_chunks_held(pool), COUNT * WT_CHUNK);
		for (unsigned i = 0; i < COUNT; i++) {
			for (unsigned j = 0; j < WT_CHUNK / 2; j++)
				assert_int_equal(at[i][j], i);
			wt_chunk_release(pool, at[i]);
		}
	}
	assert_int_equal(wt_chunks_held(pool), 0);
	wt_chunks_destroy(pool);
}

static void the_cap_bounds_chunks_and_tables_together_and_refusals_are_counted(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(10 * WT_CHUNK + 100);
	void *at[10];

	assert_true(wt_chunks_charge(pool, WT_CHUNK));
	for (unsigned i = 0; i < 9; i++)
		assert_non_null(at[i] = wt_chunk_take(pool));
	assert_null(wt_chunk_take(pool));
	assert_false(wt_chunks_reserve(pool, 1));
	assert_false(wt_chunks_charge(pool, 101));
	assert_true(wt_chunks_charge(pool, 100));
	assert_int_equal(wt_chunks_refused(pool), 3);
	wt_chunks_uncharge(pool, WT_CHUNK + 100);
	assert_true(wt_chunks_reserve(pool, 1));
	assert_false(wt_chunks_reserve(pool, 2));
	assert_non_null(at[9] = wt_chunk_take(pool));
	for (unsigned i = 0; i < 10; i++)
		wt_chunk_release(pool, at[i]);
	assert_int_equal(wt_chunks_held(pool), 0);
	wt_chunks_destroy(pool);
}

static void four_pieces_share_a_chunk_and_give_it_back_whole(void **state)
{
	enum { COUNT = 400 };
	struct wt_chunks *pool = wt_chunks_create(0);
	uint8_t *at[COUNT];

	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < COUNT; i++) {
			at[i] = wt_piece_take(pool);
			assert_int_equal((uintptr_t)at[i] % WT_PIECE, 0);
			memset(at[i], (int)i, WT_PIECE);
		}
		assert_int_equal(wt_chunks_held(pool), COUNT / 4 * WT_CHUNK);
		for (unsigned i = 0; i < COUNT; i++)
			for (unsigned j = 0; j < WT_PIECE; j++)
				assert_int_equal(at[i][j], (uint8_t)i);
		for (unsigned i = 1; i <= COUNT; i++) /* in another order in each round: 401 is a prime */
			wt_piece_release(pool, at[i * (7 * round + 1) % 401 - 1]);
		assert_int_equal(wt_chunks_held(pool), 0);
	}
	wt_chunks_destroy(pool);
}

static void the_cap_bounds_pieces_by_the_chunks_they_are_cut_from(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(2 * WT_CHUNK);
	void *chunk = wt_chunk_take(pool), *piece[4];

	for (unsigned i = 0; i < 4; i++)
		assert_non_null(piece[i] = wt_piece_take(pool));
	assert_false(wt_pieces_reserve(pool));
	assert_null(wt_piece_take(pool));
	assert_int_equal(wt_chunks_refused(pool), 2);
	wt_piece_release(pool, piece[1]);
	assert_true(wt_pieces_reserve(pool));
	assert_false(wt_chunks_reserve(pool, 1)); /* the others still hold the chunk */
	wt_piece_release(pool, piece[3]);
	assert_ptr_equal(wt_piece_take(pool), piece[3]);
	wt_piece_release(pool, piece[0]);
	wt_piece_release(pool, piece[3]);
	wt_piece_release(pool, piece[2]);
	assert_true(wt_chunks_reserve(pool, 1));
	wt_chunk_release(pool, chunk);
	wt_chunks_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_chunk_that_came_back_last_is_handed_out_first),
		cmocka_unit_test(a_chunk_stays_until_its_last_holder_lets_it_go),
		cmocka_unit_test(no_two_holders_share_a_byte_over_many_slabs),
		cmocka_unit_test(four_pieces_share_a_chunk_and_give_it_back_whole),
		cmocka_unit_test(the_cap_bounds_pieces_by_the_chunks_they_are_cut_from),
		cmocka_unit_test(the_cap_bounds_chunks_and_tables_together_and_refusals_are_counted),
	};

	return cmocka_run_group_tests_name("chunk", tests, NULL, NULL);
}
