/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/sweep/store.h"

static char dir[] = "/tmp/sweep-store-XXXXXX", path[100], err[400];
static struct wt_sweep_store store;

static void add(const char *id, enum wt_sweep_outcome outcome, bool again, double goodput)
{
	static struct wt_sweep_result result;
	struct wt_json json;

	memset(&result, 0, sizeof(result));
	assert_non_null(wt_sweep_result_open(&result, &json));
	wt_sweep_result_head(&json, outcome, NULL);
	wt_json_object(&json, "metrics");
	wt_json_number(&json, "goodput_kBps", goodput);
	wt_json_end(&json);
	wt_sweep_result_close(&result, &json, outcome);
	assert_int_equal(wt_sweep_store_add(&store, id, &result, again, 1), 0);
}

static void open_store(bool write)
{
	assert_int_equal(wt_sweep_store_open(&store, dir, "goodput_kBps", err, sizeof(err)), 0);
	if (write && wt_sweep_store_write(&store, "done.jsonl", err, sizeof(err)))
		fail_msg("%s", err);
}

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void what_was_added_is_found_again_with_its_metric(void **state)
{
	const struct wt_sweep_done *done;
	char *text;

	open_store(true);
	assert_null(wt_sweep_store_find(&store, A));
	add(A, WT_SWEEP_OK, false, 12.5);
	add(B, WT_SWEEP_FAILED, false, 3);
	wt_sweep_store_close(&store);
	open_store(false);
	done = wt_sweep_store_find(&store, A);
	assert_non_null(done);
	assert_true(done->metric == 12.5);
	text = wt_sweep_store_text(&store, done);
	assert_non_null(strstr(text, "\"result\":{\"outcome\":\"ok\",\"why\":null,\"metrics\":{\"goodput_kBps\":12.5}}}"));
	free(text);
	done = wt_sweep_store_find(&store, B);
	assert_int_equal(done->outcome, WT_SWEEP_FAILED);
	assert_true(isnan(done->metric));
	wt_sweep_store_close(&store);
}

static void a_torn_line_is_not_seen_and_cut_away_by_the_next_writer(void **state)
{
	struct stat before, after;
	FILE *file;

	assert_int_equal(stat(path, &before), 0);
	file = fopen(path, "a");
	fputs("{\"record\":\"done\",\"id\":\"cccccccccc", file);
	fclose(file);
	open_store(false);
	assert_int_equal(store.count, 2);
	wt_sweep_store_close(&store);
	open_store(true);
	assert_int_equal(store.count, 2);
	wt_sweep_store_close(&store);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_size, after.st_size);
}

static void the_later_of_two_results_stands_and_what_is_to_be_done_again_is_forgotten_by_writers(void **state)
{
	open_store(true);
	add(A, WT_SWEEP_INVALID, true, 1);
	wt_sweep_store_close(&store);
	open_store(false);
	assert_int_equal(store.count, 2);
	assert_int_equal(wt_sweep_store_find(&store, A)->outcome, WT_SWEEP_INVALID);
	wt_sweep_store_close(&store);
	open_store(true);
	assert_null(wt_sweep_store_find(&store, A));
	assert_non_null(wt_sweep_store_find(&store, B));
	wt_sweep_store_close(&store);
}

static void many_runs_are_all_found(void **state)
{
	char id[WT_SWEEP_ID];

	open_store(true);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(id, sizeof(id), "%032x", i * 2654435761u);
		add(id, WT_SWEEP_OK, false, i);
	}
	wt_sweep_store_close(&store);
	open_store(false);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(id, sizeof(id), "%032x", i * 2654435761u);
		assert_non_null(wt_sweep_store_find(&store, id));
		assert_true(wt_sweep_store_find(&store, id)->metric == i);
	}
	wt_sweep_store_close(&store);
}

static int make(void **state)
{
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/done.jsonl", dir);
	return 0;
}

static int clean(void **state)
{
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_added_is_found_again_with_its_metric),
		cmocka_unit_test(a_torn_line_is_not_seen_and_cut_away_by_the_next_writer),
		cmocka_unit_test(the_later_of_two_results_stands_and_what_is_to_be_done_again_is_forgotten_by_writers),
		cmocka_unit_test(many_runs_are_all_found),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
