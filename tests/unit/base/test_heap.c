/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/heap.h"
#include "stack/base/random.h"

#define ENTRIES 100

/* The model: walk all. */
static struct wt_heap_entry *earliest(struct wt_heap_entry *entry)
{
	struct wt_heap_entry *best = NULL;

	for (unsigned i = 0; i < ENTRIES; i++)
		if (entry[i].due != WT_NEVER &&
		    (!best || entry[i].due < best->due || (entry[i].due == best->due && entry[i].order < best->order)))
			best = &entry[i];
	return best;
}

static void random_operations_agree_with_a_walk_over_all(void **state)
{
	struct wt_key key = wt_key_derive(1, "heap");
	struct wt_heap_entry entry[ENTRIES];
	struct wt_heap heap;

	assert_int_equal(wt_heap_init(&heap, ENTRIES), 0);
	assert_null(wt_heap_min(&heap));
	for (unsigned i = 0; i < ENTRIES; i++)
		entry[i] = (struct wt_heap_entry){.due = WT_NEVER, .order = (i * 37) % ENTRIES};
	for (uint64_t n = 0; n < 50000; n++) {
		uint64_t draw = wt_siphash_u64(&key, n);
		struct wt_heap_entry *which = draw % 5 == 0 ? wt_heap_min(&heap) : &entry[(draw >> 8) % ENTRIES];

		if (n == 25000) /* as full as it is: everything stays in its place */
			assert_int_equal(wt_heap_grow(&heap, 2 * ENTRIES), 0);
		if (!which)
			continue;
		/* few different times, so that ties are common */
		wt_heap_set(&heap, which, (draw >> 32) % 3 == 0 ? WT_NEVER : (wt_time)((draw >> 40) % 50));
		assert_ptr_equal(wt_heap_min(&heap), earliest(entry));
		if (heap.count)
			assert_ptr_equal(heap.slots[wt_heap_min(&heap)->position].entry, wt_heap_min(&heap));
	}
	wt_heap_finish(&heap);
	for (unsigned i = 0; i < ENTRIES; i++)
		assert_int_equal(entry[i].position, 0);
}

static void entries_due_together_come_in_their_order(void **state)
{
	struct wt_heap_entry entry[ENTRIES];
	struct wt_heap heap;

	wt_heap_init(&heap, ENTRIES);
	for (unsigned i = 0; i < ENTRIES; i++) {
		entry[i] = (struct wt_heap_entry){.order = (i * 61) % ENTRIES};
		wt_heap_set(&heap, &entry[i], 5);
	}
	for (unsigned i = 0; i < ENTRIES; i++) {
		assert_int_equal(wt_heap_min(&heap)->order, i);
		wt_heap_set(&heap, wt_heap_min(&heap), WT_NEVER);
	}
	assert_null(wt_heap_min(&heap));
	wt_heap_finish(&heap);
}

static void removing_what_is_not_in_the_heap_does_nothing(void **state)
{
	struct wt_heap_entry entry = {0};
	struct wt_heap heap;

	wt_heap_init(&heap, 1);
	wt_heap_set(&heap, &entry, WT_NEVER);
	assert_int_equal(heap.count, 0);
	wt_heap_set(&heap, &entry, 3);
	wt_heap_set(&heap, &entry, 4); /* moves: needs no more room */
	assert_int_equal(heap.count, 1);
	assert_int_equal(wt_heap_min(&heap)->due, 4);
	wt_heap_finish(&heap);
	wt_heap_finish(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_operations_agree_with_a_walk_over_all),
		cmocka_unit_test(entries_due_together_come_in_their_order),
		cmocka_unit_test(removing_what_is_not_in_the_heap_does_nothing),
	};

	return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
