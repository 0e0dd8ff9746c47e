/* SPDX-License-Identifier: BSD-2-Clause */
/* The store against a flat array, across the wrap of sequence space; and what it holds when. */
#include "tests/unit/unit.h"

#include "stack/base/random.h"
#include "stack/base/store.h"

#define WINDOW 300000u

static uint8_t byte_at(wt_seq seq)
{
	return (uint8_t)((seq * 2654435761u) >> 24);
}

static void fill(uint8_t *data, wt_seq seq, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		data[i] = byte_at(seq + i);
}

static void check(struct wt_store *store, wt_seq seq, uint32_t len)
{
	static uint8_t data[WINDOW];
	const uint8_t *piece;
	uint32_t got;

	wt_store_read(store, seq, data, len);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(data[i], byte_at(seq + i));
	for (; len; seq += got, len -= got) {
		got = wt_store_piece(store, seq, len, &piece);
		assert_in_range(got, 1, len);
		assert_int_equal(piece[got - 1], byte_at(seq + got - 1));
	}
}

/* A stream of many windows: bytes come in order and ahead, and are released in steps of any size. */
static void stream(wt_seq origin, uint64_t seed)
{
	struct wt_key key = wt_key_derive(seed, "store");
	struct wt_chunks *pool = wt_chunks_create(0);
	struct wt_store store;
	wt_seq read = origin, end = origin;
	static uint8_t data[WINDOW];

	wt_store_init(&store, pool, origin);
	for (uint64_t n = 0; n < 4000; n += 4) {
		uint32_t room = WINDOW - (end - read), len = (uint32_t)wt_random_below(&key, n, 1 + (room < 9000 ? room : 9000)), done;

		if (wt_random_below(&key, n + 1, 3) == 0 && room > len) { /* something ahead of a hole, which is put again below */
			uint32_t ahead = (uint32_t)wt_random_below(&key, n + 2, room - len);

			fill(data, end + ahead, len);
			assert_int_equal(wt_store_put(&store, end + ahead, data, len), len);
			check(&store, end + ahead, len);
			fill(data, end, ahead);
			assert_int_equal(wt_store_put(&store, end, data, ahead), ahead);
			end += ahead + len;
		} else {
			fill(data, end, len);
			assert_int_equal(wt_store_put(&store, end, data, len), len);
			end += len;
		}
		check(&store, read, end - read);
		done = wt_random_below(&key, n + 3, 20) ? (uint32_t)wt_random_below(&key, n + 3, end - read + 1) : end - read;
		read += done;
		wt_store_release(&store, read, end);
		assert_true(store.held <= (end - read + 2 * WT_CHUNK - 1) / WT_CHUNK);
		assert_int_equal(read == end, store.held == 0);
	}
	wt_store_finish(&store);
	assert_int_equal(wt_chunks_held(pool), 0);
	wt_chunks_destroy(pool);
}

static void a_stream_agrees_with_what_was_put_across_the_wrap(void **state)
{
	stream(1, 1);
	stream(0u - 100000, 2);
	stream(0x80000000u - 77777, 3);
}

static void a_hole_costs_nothing_and_an_empty_store_holds_nothing(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(0);
	struct wt_store store;
	uint8_t one = 1;

	wt_store_init(&store, pool, 77);
	assert_int_equal(wt_store_put(&store, 77 + 10 * WT_CHUNK, &one, 1), 1); /* 44 KB ahead */
	assert_int_equal(store.held, 1);
	assert_int_equal(wt_store_put(&store, 77 + (256u << 20), &one, 1), 1);
	assert_int_equal(store.held, 2);
	wt_store_release(&store, 77 + 11 * WT_CHUNK, 78 + (256u << 20));
	assert_int_equal(store.held, 1);
	wt_store_release(&store, 78 + (256u << 20), 78 + (256u << 20));
	assert_int_equal(store.held, 0);
	assert_int_equal(wt_chunks_held(pool), 0); /* the table of half a megabyte too */
	wt_store_finish(&store);
	wt_chunks_destroy(pool);
}

static void what_is_forgotten_goes_back_and_what_is_below_stays(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(0);
	static uint8_t data[20 * WT_CHUNK];
	struct wt_store store;

	wt_store_init(&store, pool, 5);
	fill(data, 5, sizeof(data));
	assert_int_equal(wt_store_put(&store, 5, data, sizeof(data)), sizeof(data));
	wt_store_forget(&store, 5 + 3 * WT_CHUNK + 1, 5 + sizeof(data));
	assert_int_equal(store.held, 4);
	check(&store, 5, 3 * WT_CHUNK + 1);
	wt_store_finish(&store);
	wt_chunks_destroy(pool);
}

static void what_somebody_holds_outlives_its_release(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(0);
	uint8_t data[1460], other[1460] = {0};
	struct wt_store store;
	const uint8_t *piece;

	wt_store_init(&store, pool, 1);
	fill(data, 1, sizeof(data));
	wt_store_put(&store, 1, data, sizeof(data));
	assert_int_equal(wt_store_piece(&store, 1, sizeof(data), &piece), sizeof(data));
	wt_chunk_hold((void *)(uintptr_t)piece);
	wt_store_release(&store, 1 + sizeof(data), 1 + sizeof(data));
	assert_int_equal(wt_chunks_held(pool), WT_CHUNK);
	wt_store_put(&store, 1 + sizeof(data), other, sizeof(other)); /* takes another one */
	assert_memory_equal(piece, data, sizeof(data));
	wt_chunk_release(pool, (void *)(uintptr_t)piece);
	wt_store_finish(&store);
	assert_int_equal(wt_chunks_held(pool), 0);
	wt_chunks_destroy(pool);
}

static void without_memory_it_takes_what_fits(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(3 * WT_CHUNK);
	static uint8_t data[5 * WT_CHUNK];
	struct wt_store store;

	wt_store_init(&store, pool, 1);
	fill(data, 1, sizeof(data));
	assert_int_equal(wt_store_put(&store, 1, data, sizeof(data)), 3 * WT_CHUNK);
	assert_true(wt_chunks_refused(pool) > 0);
	check(&store, 1, 3 * WT_CHUNK);
	wt_store_release(&store, 1 + WT_CHUNK, 1 + 3 * WT_CHUNK);
	assert_int_equal(wt_store_put(&store, 1 + 3 * WT_CHUNK, data + 3 * WT_CHUNK, WT_CHUNK), WT_CHUNK);
	check(&store, 1 + WT_CHUNK, 3 * WT_CHUNK);
	wt_store_finish(&store);
	wt_chunks_destroy(pool);
}

/* ---- filled by somebody else ------------------------------------------------------------------------------- */

/* A reading from a descriptor: it fills less than the room, or nothing. */
static void others_fill_what_the_store_gives_them_room_for(void **state)
{
	struct wt_key key = wt_key_derive(4, "room");
	struct wt_chunks *pool = wt_chunks_create(64 * WT_CHUNK);
	struct iovec piece[8];
	struct wt_store store;
	wt_seq origin = 0u - 200000, read = origin, end = origin;

	wt_store_init(&store, pool, origin);
	for (uint64_t n = 0; n < 8000; n += 4) {
		uint32_t asked = 0, done, left;
		unsigned count = wt_store_room(&store, end, 1 + (uint32_t)wt_random_below(&key, n, 40000), piece, 8), got;

		for (unsigned i = 0; i < count; i++)
			asked += (uint32_t)piece[i].iov_len;
		done = left = wt_random_below(&key, n + 1, 3) ? (uint32_t)wt_random_below(&key, n + 2, asked + 1) : 0;
		for (unsigned i = 0; left; i++) {
			uint32_t len = left < piece[i].iov_len ? left : (uint32_t)piece[i].iov_len;

			fill(piece[i].iov_base, end + done - left, len);
			left -= len;
		}
		wt_store_filled(&store, end, done, asked);
		end += done;
		assert_true(store.held <= (end - read + 2 * WT_CHUNK - 1) / WT_CHUNK);
		assert_int_equal(read == end, store.held == 0);
		check(&store, read, end - read);
		got = wt_store_pieces(&store, read, end - read, piece, 8);
		for (unsigned i = 0, at = 0; i < got; at += (uint32_t)piece[i++].iov_len)
			assert_int_equal(*(uint8_t *)piece[i].iov_base, byte_at(read + at));
		read += (uint32_t)wt_random_below(&key, n + 3, end - read + 1);
		wt_store_release(&store, read, end);
	}
	assert_true(end - origin > 1000000);
	wt_store_finish(&store);
	assert_int_equal(wt_chunks_held(pool), 0);
	wt_chunks_destroy(pool);
}

/* ---- patterns ---------------------------------------------------------------------------------------------- */

static void read_pattern(uint64_t key, uint64_t at, uint8_t *to, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		to[i] = (uint8_t)((key + at + i) * 0x9e3779b97f4a7c15u >> 56);
}

static const struct wt_pattern pattern = {read_pattern};

#define SPAN 30000u

struct model {
	struct wt_store store;
	wt_seq origin, read;
	bool valid[SPAN];
	uint8_t value[SPAN]; /* from `read` on */
};

static void put_model(struct model *model, uint32_t at, uint32_t len, const struct wt_extent *extent)
{
	assert_int_equal(wt_store_put_extent(&model->store, model->read + at, extent, len), len);
	wt_extent_read(extent, model->value + at, len);
	memset(model->valid + at, true, len);
}

static void check_model(struct model *model)
{
	for (uint32_t at = 0, len; at < SPAN; at += len) {
		static uint8_t got[SPAN];
		const uint8_t *piece;
		uint32_t some;

		for (len = 0; at + len < SPAN && model->valid[at + len]; len++)
			;
		if (!len) {
			len = 1;
			continue;
		}
		wt_store_read(&model->store, model->read + at, got, len);
		assert_memory_equal(got, model->value + at, len);
		some = wt_store_piece(&model->store, model->read + at, len, &piece);
		assert_in_range(some, 1, len);
		assert_memory_equal(piece, model->value + at, some);
	}
}

/* The last that was put at a place stands there, by name or not; the owner alone knows what is valid. */
static void names_and_bytes_agree_with_a_flat_array(void **state)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct wt_key key = wt_key_derive(seed, "names");
		struct wt_chunks *pool = wt_chunks_create(0);
		static struct model model;
		static uint8_t bytes[SPAN];

		memset(&model, 0, sizeof(model));
		model.read = model.origin = seed % 2 ? 0u - 50000 : 7;
		wt_store_init(&model.store, pool, model.origin);
		for (uint64_t n = 0; n < 2400; n += 6) {
			uint32_t at = (uint32_t)wt_random_below(&key, n, SPAN), len = 1 + (uint32_t)wt_random_below(&key, n + 1, SPAN - at < 3000 ? SPAN - at : 3000);
			struct wt_extent name = {.pattern = &pattern, .key = 5, .at = (uint64_t)(uint32_t)(model.read - model.origin) + at};
			uint64_t what = wt_random_below(&key, n + 2, 100);

			if (what < 2 * seed % 30) { /* bytes that are the pattern's; some runs see none */
				wt_extent_read(&name, bytes, len);
				name = wt_extent_of(bytes);
			} else if (what < 30 && seed % 3 == 0) {
				memset(bytes, (int)what, len);
				name = wt_extent_of(bytes);
			} else if (what < 32 && seed % 4 == 0) {
				name.key = 6;
			}
			put_model(&model, at, len, &name);
			if (n % 30 == 0)
				check_model(&model);
			if (wt_random_below(&key, n + 3, 4) == 0) {
				uint32_t done = (uint32_t)wt_random_below(&key, n + 4, 2 * SPAN) % (SPAN / 2), top = SPAN;

				while (top > done && !model.valid[top - 1])
					top--;
				model.read += done;
				wt_store_release(&model.store, model.read, model.read + (top - done));
				memmove(model.valid, model.valid + done, SPAN - done);
				memset(model.valid + SPAN - done, false, done);
				memmove(model.value, model.value + done, SPAN - done);
			}
		}
		check_model(&model);
		wt_store_finish(&model.store);
		assert_int_equal(wt_chunks_held(pool), 0);
		wt_chunks_destroy(pool);
	}
}

static void a_stream_by_name_takes_no_chunk_and_stays_a_name(void **state)
{
	struct wt_chunks *pool = wt_chunks_create(0);
	struct wt_extent name = {.pattern = &pattern, .key = 1, .at = 0}, got;
	static uint8_t data[900];
	struct wt_store store;
	wt_seq at = 0u - 100000;

	wt_store_init(&store, pool, at);
	for (unsigned i = 0; i < 1000; i++, at += sizeof(data), name.at += sizeof(data)) {
		if (i % 2) { /* the same, as bytes that were looked at */
			wt_extent_read(&name, data, sizeof(data));
			assert_int_equal(wt_store_put(&store, at, data, sizeof(data)), sizeof(data));
		} else {
			assert_int_equal(wt_store_put_extent(&store, at, &name, sizeof(data)), sizeof(data));
		}
		assert_true(wt_store_named(&store, at, sizeof(data), &got));
		assert_true(got.pattern == &pattern && got.key == 1 && got.at == name.at);
		assert_int_equal(wt_chunks_held(pool), 0);
		wt_store_release(&store, at + (uint32_t)sizeof(data), at + (uint32_t)sizeof(data));
	}
	wt_store_finish(&store);
	wt_chunks_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_agrees_with_what_was_put_across_the_wrap),
		cmocka_unit_test(a_hole_costs_nothing_and_an_empty_store_holds_nothing),
		cmocka_unit_test(what_is_forgotten_goes_back_and_what_is_below_stays),
		cmocka_unit_test(what_somebody_holds_outlives_its_release),
		cmocka_unit_test(without_memory_it_takes_what_fits),
		cmocka_unit_test(others_fill_what_the_store_gives_them_room_for),
		cmocka_unit_test(names_and_bytes_agree_with_a_flat_array),
		cmocka_unit_test(a_stream_by_name_takes_no_chunk_and_stays_a_name),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
