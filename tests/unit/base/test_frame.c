/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/checksum.h"
#include "stack/base/frame.h"

static void an_exhausted_pool_gives_null_and_recovers(void **state)
{
	struct wt_pool *pool = wt_pool_create(3, 100);
	struct wt_frame *frame[3];

	for (int i = 0; i < 3; i++)
		assert_non_null(frame[i] = wt_frame_new(pool));
	assert_null(wt_frame_new(pool));
	assert_null(wt_frame_copy(frame[0]));
	assert_int_equal(wt_pool_free_count(pool), 0);
	wt_frame_free(frame[1]);
	assert_int_equal(wt_pool_free_count(pool), 1);
	assert_non_null(frame[1] = wt_frame_new(pool));
	for (int i = 0; i < 3; i++)
		wt_frame_free(frame[i]);
	assert_int_equal(wt_pool_free_count(pool), wt_pool_count(pool));
	wt_pool_destroy(pool);
}

static void frames_do_not_share_bytes_or_cache_lines(void **state)
{
	struct wt_pool *pool = wt_pool_create(16, 100);
	struct wt_frame *frame[16];

	for (int i = 0; i < 16; i++) {
		frame[i] = wt_frame_new(pool);
		assert_int_equal((uintptr_t)frame[i] % 64, 0);
		assert_int_equal((uintptr_t)wt_frame_own_bytes(frame[i]) % 64, 0);
		assert_int_equal(frame[i]->room, 100);
		memset(wt_frame_own_bytes(frame[i]), i, 100);
	}
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 100; j++)
			assert_int_equal(wt_frame_own_bytes(frame[i])[j], i);
	wt_pool_destroy(pool);
}

static void a_new_frame_has_fresh_metadata_and_the_next_id(void **state)
{
	struct wt_pool *pool = wt_pool_create(1, 64);
	struct wt_frame *frame = wt_frame_new(pool);
	uint8_t *data = wt_frame_own_bytes(frame);
	uint64_t id = frame->id;

	frame->time = 7;
	frame->len = 9;
	frame->csum = WT_CSUM_PARTIAL;
	frame->mark = 1;
	frame->gso_size = 3;
	wt_frame_free(frame);
	frame = wt_frame_new(pool);
	assert_ptr_equal(wt_frame_own_bytes(frame), data);
	assert_int_equal(frame->room, 64);
	assert_int_equal(frame->id, id + 1);
	assert_int_equal(frame->time | frame->len | frame->csum | frame->mark | frame->gso_size, 0);
	assert_null(frame->next);
	wt_pool_destroy(pool);
}

static void a_copy_has_everything_but_the_id(void **state)
{
	struct wt_pool *pool = wt_pool_create(2, 64);
	struct wt_frame *frame = wt_frame_new(pool), *copy;

	memset(wt_frame_own_bytes(frame), 0xa5, 60);
	frame->len = 60;
	frame->time = 12345;
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = 34;
	frame->csum_offset = 16;
	frame->gso_size = 20;
	frame->mark = 3;
	copy = wt_frame_copy(frame);
	assert_int_equal(copy->len, 60);
	assert_memory_equal(wt_frame_own_bytes(copy), wt_frame_own_bytes(frame), 60);
	assert_ptr_not_equal(wt_frame_own_bytes(copy), wt_frame_own_bytes(frame));
	assert_int_equal(copy->time, 12345);
	assert_int_equal(copy->csum, WT_CSUM_PARTIAL);
	assert_int_equal(copy->csum_start, 34);
	assert_int_equal(copy->csum_offset, 16);
	assert_int_equal(copy->gso_size, 20);
	assert_int_equal(copy->mark, 3);
	assert_int_not_equal(copy->id, frame->id);
	wt_pool_destroy(pool);
}

static void a_partial_checksum_is_completed_over_what_follows_its_start(void **state)
{
	struct wt_pool *pool = wt_pool_create(1, 128);
	struct wt_frame *frame = wt_frame_new(pool);
	uint64_t pseudo = 0x4321;

	for (unsigned i = 0; i < 101; i++)
		wt_frame_own_bytes(frame)[i] = (uint8_t)(i * 37);
	frame->len = 101;
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = 34;
	frame->csum_offset = 16;
	wt_frame_own_bytes(frame)[50] = 0x43;
	wt_frame_own_bytes(frame)[51] = 0x21;
	wt_frame_finish_csum(frame);
	assert_int_equal(frame->csum, WT_CSUM_VALID);
	assert_int_equal(wt_csum_fold(wt_csum_add(pseudo, wt_frame_own_bytes(frame) + 34, 101 - 34)), 0);
	/* and only once */
	wt_frame_own_bytes(frame)[50] ^= 1;
	wt_frame_finish_csum(frame);
	assert_int_not_equal(wt_csum_fold(wt_csum_add(pseudo, wt_frame_own_bytes(frame) + 34, 101 - 34)), 0);
	wt_pool_destroy(pool);
}

/* RFC 768, RFC 8200 8.1: one datagram in 65536 would be taken for one without a checksum, and over IPv6 refused. */
static void a_udp_checksum_that_comes_to_nothing_is_sent_as_all_ones(void **state)
{
	struct wt_pool *pool = wt_pool_create(1, 100);
	struct wt_frame *frame = wt_frame_new(pool);

	for (unsigned offset = 6; offset <= 16; offset += 10) { /* of UDP, of TCP */
		memset(wt_frame_own_bytes(frame), 0, 100);
		frame->len = 74;
		wt_frame_own_bytes(frame)[60] = wt_frame_own_bytes(frame)[61] = 0xff; /* the sum of all is ffff, and its complement 0 */
		frame->csum = WT_CSUM_PARTIAL;
		frame->csum_start = 34;
		frame->csum_offset = (uint16_t)offset;
		wt_frame_finish_csum(frame);
		assert_int_equal(wt_frame_own_bytes(frame)[34 + offset], offset == 6 ? 0xff : 0);
		assert_int_equal(wt_frame_own_bytes(frame)[35 + offset], offset == 6 ? 0xff : 0);
		assert_int_equal(wt_csum_fold(wt_csum_add(0, wt_frame_own_bytes(frame) + 34, 40)), 0);
	}
	wt_frame_free(frame);
	wt_pool_destroy(pool);
}

static void checksum_offsets_outside_the_frame_write_nothing(void **state)
{
	struct wt_pool *pool = wt_pool_create(1, 64);
	struct wt_frame *frame = wt_frame_new(pool);
	uint8_t before[64];

	memset(wt_frame_own_bytes(frame), 0x5a, 64);
	memcpy(before, wt_frame_own_bytes(frame), 64);
	frame->len = 60;
	for (uint32_t start = 0; start <= UINT16_MAX; start += 59) {
		frame->csum = WT_CSUM_PARTIAL;
		frame->csum_start = (uint16_t)start;
		frame->csum_offset = (uint16_t)(start > 59 ? 65535 : 59 - start);
		wt_frame_finish_csum(frame);
		assert_int_equal(frame->csum, WT_CSUM_NONE);
		assert_memory_equal(wt_frame_own_bytes(frame), before, 64);
	}
	wt_pool_destroy(pool);
}

static void a_queue_is_first_in_first_out_and_counts(void **state)
{
	struct wt_pool *pool = wt_pool_create(5, 64);
	struct wt_frame_queue queue = {0};
	struct wt_frame *frame[5];

	assert_null(wt_frame_queue_pop(&queue));
	for (unsigned i = 0; i < 5; i++) {
		frame[i] = wt_frame_new(pool);
		frame[i]->len = 10 + i;
		wt_frame_queue_push(&queue, frame[i]);
	}
	assert_int_equal(queue.frames, 5);
	assert_int_equal(queue.bytes, 60);
	for (unsigned i = 0; i < 3; i++)
		assert_ptr_equal(wt_frame_queue_pop(&queue), frame[i]);
	assert_int_equal(queue.bytes, 27);
	wt_frame_queue_push(&queue, frame[0]);
	assert_int_equal(queue.frames, 3);
	wt_frame_queue_clear(&queue);
	assert_null(queue.head);
	assert_null(queue.tail);
	assert_int_equal(queue.frames + queue.bytes, 0);
	assert_int_equal(wt_pool_free_count(pool), 3); /* two were popped and are still out */
	wt_pool_destroy(pool);
}

static void null_and_impossible_pools_are_handled(void **state)
{
	struct wt_pool *pool = wt_pool_create(0, 64);

	assert_non_null(pool);
	assert_null(wt_frame_new(pool));
	wt_pool_destroy(pool);
	wt_pool_destroy(NULL);
	wt_frame_free(NULL);
}

static void read_pattern(uint64_t key, uint64_t at, uint8_t *to, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		to[i] = (uint8_t)(key * 31 + (at + i) * 7);
}

static void a_frame_apart_has_the_bytes_of_one_that_was_written(void **state)
{
	static const struct wt_pattern pattern = {read_pattern};
	struct wt_extent rest = {.pattern = &pattern, .key = 3, .at = 1000}, tail;
	struct wt_pool *pool = wt_pool_create(4, 200);
	uint8_t expected[150], copied[150];
	struct wt_frame *frame = wt_frame_new(pool), *copy, *bare = wt_frame_new(pool);
	uint32_t from;

	for (unsigned i = 0; i < 54; i++)
		expected[i] = (uint8_t)i;
	read_pattern(3, 1000, expected + 54, 96);
	memcpy(wt_frame_set_apart(frame, 54, &rest, 96), expected, 54);
	assert_int_equal(frame->len, 150);
	for (unsigned times = 0; times < 2; times++) { /* looking changes nothing */
		assert_memory_equal(wt_frame_look(frame), expected, 150);
		assert_ptr_equal(wt_frame_rest(frame, &from)->pattern, &pattern);
		assert_int_equal(from, 54);
	}
	wt_frame_own_head(frame)[22] = expected[22] = 63; /* nor does it fix what the headers say */
	assert_memory_equal(wt_frame_look(frame), expected, 150);
	copy = wt_frame_copy(frame);
	wt_frame_own_bytes(frame)[100] ^= 1; /* the bytes are the truth from here on */
	assert_null(wt_frame_rest(frame, &from));
	assert_int_equal(frame->room, 200);
	assert_int_equal(wt_frame_look(frame)[100], expected[100] ^ 1);
	assert_memory_equal(wt_frame_look(copy), expected, 150);
	tail = wt_extent_from(&rest, 10);
	wt_extent_read(&tail, copied, 86);
	assert_memory_equal(copied, expected + 64, 86);
	memcpy(wt_frame_set_apart(bare, 54, NULL, 0), expected, 54);
	assert_null(wt_frame_rest(bare, &from));
	assert_memory_equal(wt_frame_look(bare), expected, 54);
	assert_memory_equal(wt_frame_own_bytes(bare), expected, 54);
	wt_pool_destroy(pool);
}

static unsigned written, let_go;

static void write_facts(const struct wt_frame *frame, uint8_t *head)
{
	written++;
	memset(head, (int)frame->facts[0], 54);
}

static void forget_facts(struct wt_frame *frame)
{
	let_go += (unsigned)frame->facts[0];
}

static const struct wt_frame_maker facts_maker = {write_facts, forget_facts};

static struct wt_frame *with_facts(struct wt_pool *pool, const struct wt_extent *rest, uint32_t len)
{
	struct wt_frame *frame = wt_frame_new_facts(pool, &facts_maker, 54, rest, len);

	written = let_go = 0;
	frame->facts[0] = 7;
	assert_non_null(wt_frame_beside(frame));
	assert_true(wt_frame_has_facts(frame, &facts_maker));
	return frame;
}

static void facts_are_written_for_whoever_looks(void **state)
{
	static const struct wt_pattern pattern = {read_pattern};
	struct wt_extent rest = {.pattern = &pattern, .key = 3, .at = 1000};
	struct wt_pool *pool = wt_pool_create(4, 200);
	struct wt_frame *frame = with_facts(pool, &rest, 20), *copy;
	uint8_t expected[74];

	(void)state;
	memset(expected, 7, 54);
	read_pattern(3, 1000, expected + 54, 20);
	assert_int_equal(frame->len, 74);
	assert_int_equal(written, 0);
	assert_memory_equal(wt_frame_head(frame), expected, 54);
	assert_memory_equal(wt_frame_look(frame), expected, 74);
	assert_int_equal(written, 1);
	assert_null(wt_frame_beside(frame)); /* headers stand there */
	assert_true(wt_frame_has_facts(frame, &facts_maker)); /* looking changes nothing */
	copy = wt_frame_copy(frame);
	assert_false(wt_frame_has_facts(copy, &facts_maker));
	wt_frame_own_head(frame)[20] = 9; /* from now on the bytes are the truth */
	assert_false(wt_frame_has_facts(frame, &facts_maker));
	assert_int_equal(let_go, 7);
	assert_memory_equal(wt_frame_look(copy), expected, 74);
	expected[20] = 9;
	assert_memory_equal(wt_frame_look(frame), expected, 74);
	wt_frame_free(frame);
	wt_frame_free(copy);
	assert_int_equal(let_go, 7);
	wt_frame_free(with_facts(pool, NULL, 0)); /* nobody looked */
	assert_int_equal(written, 0);
	assert_int_equal(let_go, 7);
	frame = with_facts(pool, &rest, 20);
	wt_frame_own_bytes(frame)[20] = 9;
	assert_memory_equal(wt_frame_look(frame), expected, 74);
	assert_int_equal(let_go, 7);
	wt_frame_free(frame);
	assert_int_equal(let_go, 7);
	wt_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exhausted_pool_gives_null_and_recovers),
		cmocka_unit_test(frames_do_not_share_bytes_or_cache_lines),
		cmocka_unit_test(a_new_frame_has_fresh_metadata_and_the_next_id),
		cmocka_unit_test(a_copy_has_everything_but_the_id),
		cmocka_unit_test(a_partial_checksum_is_completed_over_what_follows_its_start),
		cmocka_unit_test(a_udp_checksum_that_comes_to_nothing_is_sent_as_all_ones),
		cmocka_unit_test(checksum_offsets_outside_the_frame_write_nothing),
		cmocka_unit_test(facts_are_written_for_whoever_looks),
		cmocka_unit_test(a_frame_apart_has_the_bytes_of_one_that_was_written),
		cmocka_unit_test(a_queue_is_first_in_first_out_and_counts),
		cmocka_unit_test(null_and_impossible_pools_are_handled),
	};

	return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
