/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tools/report/compare.h"
#include "tools/results/statistics.h"
#include "tools/results/metric.h"
#include "tools/results/results.h"

static char err[400], place[] = "/tmp/wavetank-results-XXXXXX", back[512];
static struct wt_results a, b;

static void sweep(const char *dir, const char *backend, double first, double second, bool cut)
{
	char path[200];
	FILE *file;

	mkdir("results", 0777);
	snprintf(path, sizeof(path), "results/%s", dir);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "results/%s/runs.jsonl", dir);
	file = fopen(path, "we");
	fprintf(file, "{\"schema\":\"wavetank.sweep.1\",\"record\":\"plan\",\"name\":\"book/table1\",\"backend\":\"%s\",\"metric\":"
		      "\"success_percent\"}\n", backend);
	for (unsigned i = 0; i < 4; i++)
		fprintf(file, "{\"record\":\"run\",\"row\":\"%s\",\"variant\":\"reno\",\"repeat\":%u,\"outcome\":\"%s\","
			"\"metrics\":{\"success_percent\":%g}}\n", i % 2 ? "0.1" : "0", i / 2, i == 2 && cut ? "failed" : "ok", (i % 2 ? second : first) + (double)(i / 2));
	fputs(cut ? "{\"record\":\"ru" : "{\"record\":\"end\",\"complete\":true}\n", file);
	fclose(file);
}

static int make(void **state)
{
	struct timespec old[2] = {{1000, 0}, {1000, 0}};

	assert_non_null(getcwd(back, sizeof(back)));
	assert_non_null(mkdtemp(place));
	assert_int_equal(chdir(place), 0);
	sweep("old", "sim", 1, 2, false);
	assert_int_equal(utimensat(AT_FDCWD, "results/old/runs.jsonl", old, 0), 0);
	sweep("new", "sim", 50, 90, false);
	sweep("tap", "tap", 50.5, 20, true);
	return 0;
}

static int unmake(void **state)
{
	static const char *const names[] = {"old", "new", "tap"};
	char path[100];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "results/%s/runs.jsonl", names[i]);
		unlink(path);
		snprintf(path, sizeof(path), "results/%s", names[i]);
		rmdir(path);
	}
	rmdir("results");
	assert_int_equal(chdir(back), 0);
	return rmdir(place);
}

static void a_table_at_a_backend_is_its_newest_folder(void **state)
{
	char dir[200];

	assert_int_equal(wt_results_find("table1@sim", dir, sizeof(dir), err, sizeof(err)), 0);
	assert_string_equal(dir, "results/new");
	assert_int_equal(wt_results_find("book/table1@tap", dir, sizeof(dir), err, sizeof(err)), 0);
	assert_string_equal(dir, "results/tap");
	assert_int_equal(wt_results_find("results/old", dir, sizeof(dir), err, sizeof(err)), 0);
	assert_string_equal(dir, "results/old");
	assert_int_equal(wt_results_find("table1@packet", dir, sizeof(dir), err, sizeof(err)), -ENOENT);
	assert_int_equal(wt_results_find("able1@sim", dir, sizeof(dir), err, sizeof(err)), -ENOENT);
	assert_int_equal(wt_results_find("nowhere", dir, sizeof(dir), err, sizeof(err)), -ENOENT);
}

static void results_are_read_in_the_metric_of_their_table_and_failed_runs_left_out(void **state)
{
	const struct wt_results_cell *cell;

	assert_int_equal(wt_results_load(&a, "results/tap", err, sizeof(err)), 0);
	assert_string_equal(a.metric, "success_percent");
	assert_false(a.ended);
	assert_int_equal(a.cells, 2);
	cell = wt_results_cell(&a, "0", "reno");
	assert_int_equal(cell->count, 2);
	assert_int_equal(cell->mean.n, 1);
	assert_true(cell->mean.mean == 50.5);
	wt_results_finish(&a);
	assert_int_equal(wt_results_load(&a, "results/none", err, sizeof(err)), -ENOENT);
	wt_results_finish(&a);
}

static void cells_of_one_distribution_agree_and_others_differ(void **state)
{
	struct wt_comparison sum;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(wt_results_load(&a, "results/new", err, sizeof(err)), 0);
	assert_int_equal(wt_results_load(&b, "results/tap", err, sizeof(err)), 0);
	sum = wt_report_compare(out, NULL, &a, &b);
	fclose(out);
	assert_int_equal(sum.cells, 2);
	assert_int_equal(sum.agree, 1);
	assert_int_equal(sum.empty, 0);
	assert_non_null(strstr(text, "DIFFER"));
	free(text);
	wt_results_finish(&a);
	wt_results_finish(&b);
}

static void a_file_that_is_no_sweep_is_refused(void **state)
{
	FILE *file;

	mkdir("results/bad", 0777);
	file = fopen("results/bad/runs.jsonl", "we");
	fputs("{\"record\":\"run\"}\n", file);
	fclose(file);
	assert_int_equal(wt_results_load(&a, "results/bad", err, sizeof(err)), -EINVAL);
	wt_results_finish(&a);
	file = fopen("results/bad/runs.jsonl", "we");
	fputs("{\"record\":\"plan\"}\nrubbish\n", file);
	fclose(file);
	assert_int_equal(wt_results_load(&a, "results/bad", err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "runs.jsonl:2: "));
	wt_results_finish(&a);
	unlink("results/bad/runs.jsonl");
	rmdir("results/bad");
}

/* Two rows of two protocols that do not stand together, a run that failed, one that is missing, two flows. */
static void the_statistics_of_a_sweep_pair_repeats_and_compare_orders(void **state)
{
	static const struct {
		const char *sender, *loss;
		double goodput[3]; /* by repeat; 0: failed, -1: not there */
	} cell[] = {
		{"reno", "1%", {10, 20, 30}}, {"reno", "2%", {8, 16, -1}}, {"tahoe", "1%", {5, 0, 15}}, {"tahoe", "2%", {12, -1, 15}},
	};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len), *file;

	mkdir("results/sweep", 0777);
	file = fopen("results/sweep/runs.jsonl", "we");
	fputs("{\"schema\":\"wavetank.sweep.1\",\"record\":\"plan\",\"name\":\"s\",\"backend\":\"sim\",\"metric\":\"goodput_kBps\",\"axes\":"
	      "[{\"name\":\"sender\"},{\"name\":\"loss\"}]}\n", file);
	for (unsigned c = 0; c < 4; c++)
		for (unsigned r = 3; r-- > 0;)
			if (cell[c].goodput[r] >= 0)
				fprintf(file, "{\"record\":\"run\",\"repeat\":%u,\"axes\":{\"sender\":\"%s\",\"loss\":\"%s\"},\"outcome\":\"%s\","
					"\"metrics\":{\"goodput_kBps\":%g,\"jain\":0.5},\"flow\":{\"tcp1\":{},\"tcp2\":{}}}\n", r, cell[c].sender, cell[c].loss,
					cell[c].goodput[r] > 0 ? "ok" : "failed", cell[c].goodput[r]);
	fclose(file);
	assert_int_equal(wt_results_load(&a, "results/sweep", err, sizeof(err)), 0);
	assert_string_equal(a.baseline, "reno");
	wt_report_stats_print(out, &a);
	fclose(out);
	/* tahoe at 1%: 5 and 15 beside 10 and 30 */
	assert_non_null(strstr(text, "1%\n  reno                     3       20 ± 24.84    10..30               11      15      20      25      29 "));
	assert_non_null(strstr(text, "  tahoe                    2       10 ± 63.53    5..15               5.5     7.5      10    12.5    14.5     0.5 0.5..0.5      0.500\n"
				      "  order: reno > tahoe (Kendall tau to the first row 1)\n2%\n"));
	/* at 2% only repeat 0 is a pair: 12 over 8 */
	assert_non_null(strstr(text, " 1.5 -             0.500\n  order: tahoe > reno (Kendall tau to the first row -1)\n"));
	free(text);
	wt_results_finish(&a);
	unlink("results/sweep/runs.jsonl");
	rmdir("results/sweep");
}

static void a_metric_is_a_path_in_the_result(void **state)
{
	static const char text[] = "{\"metrics\":{\"jain\":0.5},\"flow\":{\"a.1\":{\"sender\":{\"timeouts\":3}},\"b\":{\"goodput_kBps\":null}},"
				   "\"hop\":{\"n\":{\"fwd\":{\"in\":8,\"out\":6,\"dropped\":{\"queue\":2}}}}}";
	static const struct {
		const char *path;
		double value;
	} good[] = {{"jain", 0.5}, {"flow.a.1.sender.timeouts", 3}, {"hop.n.fwd.dropped.queue", 2}, {"hop.n.fwd.dropped.loss", 0},
		    {"hop.n.fwd.out/hop.n.fwd.in", 0.75}};
	static const char *const none[] = {"goodput_kBps", "flow.b.goodput_kBps", "flow.c.goodput_kBps", "flow.a.1.sender", "hop.n.fwd.dropped.queue.more",
					   "hop.n.fwd.in/hop.n.fwd.none", "."};
	json_t *result = json_loads(text, 0, NULL);

	assert_non_null(result);
	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(wt_metric_of(result, good[i].path) == good[i].value);
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (!isnan(wt_metric_of(result, none[i])))
			fail_msg("%s is %g", none[i], wt_metric_of(result, none[i]));
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_metric_is_a_path_in_the_result),
		cmocka_unit_test(a_table_at_a_backend_is_its_newest_folder),
		cmocka_unit_test(results_are_read_in_the_metric_of_their_table_and_failed_runs_left_out),
		cmocka_unit_test(cells_of_one_distribution_agree_and_others_differ),
		cmocka_unit_test(a_file_that_is_no_sweep_is_refused),
		cmocka_unit_test(the_statistics_of_a_sweep_pair_repeats_and_compare_orders),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
