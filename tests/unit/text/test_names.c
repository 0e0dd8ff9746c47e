/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables made from drop.def and trace.def, and the books of a node. */
#include "tests/unit/unit.h"

#include "stack/base/node.h"
#include "stack/text/trace.h"

static void every_drop_cause_has_a_name_of_its_own(void **state)
{
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++) {
		assert_true(strlen(wt_drop_name(i)) > 0);
		assert_true(strlen(wt_drop_text(i)) > 0);
		assert_null(strpbrk(wt_drop_name(i), " ,\"=")); /* used as a word in files */
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(wt_drop_name(i), wt_drop_name(j));
	}
}

static void every_trace_event_has_a_name_a_text_and_fields(void **state)
{
	for (unsigned i = 0; i < WT_TRACE_TYPES; i++) {
		const struct wt_trace_info *info = wt_trace_info(i);
		unsigned fields = 0;

		assert_non_null(strchr(info->name, ':'));
		assert_true(strlen(info->text) > 0);
		while (info->fields[fields])
			fields++;
		assert_in_range(fields, 1, WT_TRACE_FIELDS);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(info->name, wt_trace_info(j)->name);
	}
	assert_string_equal(wt_trace_info(WT_TRACE_METRICS)->fields[0], "cwnd_bytes");
}

struct counting_sink {
	struct wt_drop_sink sink;
	unsigned calls;
	enum wt_drop cause;
	uint64_t id;
};

static void note_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		      enum wt_drop cause)
{
	struct counting_sink *counting = (struct counting_sink *)sink;

	counting->calls++;
	counting->cause = cause;
	counting->id = frame->id;
}

static void a_drop_is_counted_told_and_freed(void **state)
{
	struct wt_pool *pool = wt_pool_create(1, 64);
	struct counting_sink sink = {{note_drop}};
	struct wt_node node = {.drops = &sink.sink};
	struct wt_frame *frame = wt_frame_new(pool);
	uint64_t id = frame->id;

	node.audit.in = 1;
	assert_false(wt_audit_holds(&node.audit));
	wt_node_drop(&node, 5, frame, WT_DROP_LOSS);
	assert_true(wt_audit_holds(&node.audit));
	assert_int_equal(wt_audit_dropped(&node.audit), 1);
	assert_int_equal(sink.calls, 1);
	assert_int_equal(sink.cause, WT_DROP_LOSS);
	assert_int_equal(sink.id, id);
	assert_int_equal(wt_pool_free_count(pool), 1);
	wt_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_drop_cause_has_a_name_of_its_own),
		cmocka_unit_test(every_trace_event_has_a_name_a_text_and_fields),
		cmocka_unit_test(a_drop_is_counted_told_and_freed),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
