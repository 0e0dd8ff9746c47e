/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules over whole tables, and the expected throughput of stations that move, on numbers whose answer is arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tools/paper/claims.h"
#include "tools/paper/expected.h"

#define FAMILY "multihop-highspeed"

enum { REPEATS = 4 };

static const char *const variants[] = {"hstcp", "stcp", "cubic", "ctcp"};
static const double noise[REPEATS] = {-1, 1, 0.5, -0.5};
static char dir[] = "/tmp/wavetank-tables-XXXXXX";

static FILE *begin(unsigned table)
{
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/" FAMILY "/table%u", dir, table);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/" FAMILY "/table%u/runs.jsonl", dir, table);
	file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "{\"record\":\"plan\",\"name\":\"" FAMILY "/table%u\",\"seed\":1,\"most_repeats\":%u,\"margin\":0.02}\n", table, REPEATS);
	return file;
}

static void run_of(FILE *file, const char *row, unsigned v, unsigned k, double goodput, const char *ways)
{
	fprintf(file, "{\"record\":\"run\",\"row\":\"%s\",\"variant\":\"%s\",\"repeat\":%u,\"outcome\":\"ok\",\"flow\":{\"far\":{\"goodput_kBps\":%.6f%s}}}\n",
		row, variants[v], k, goodput, ways);
}

/* A string of h hops carries most / h, give or take one. */
static void string_table(unsigned table, double most)
{
	FILE *file = begin(table);

	for (unsigned h = 1; h <= 7; h++)
		for (unsigned v = 0; v < 4; v++)
			for (unsigned k = 0; k < REPEATS; k++)
				run_of(file, (const char[2]){(char)('0' + h)}, v, k, most / h + noise[k], "");
	fclose(file);
}

/* Half of the time the pair is one hop apart, a quarter two, an eighth eight, an eighth without a way. */
static void moving_table(unsigned table, const char *routing, double goodput)
{
	FILE *file = begin(table);

	for (unsigned v = 0; v < 4; v++)
		for (unsigned k = 0; k < REPEATS; k++)
			run_of(file, routing, v, k, goodput + noise[k] * (v + 1), ",\"ways\":{\"none\":0.125,\"1\":0.5,\"2\":0.25,\"8\":0.125}");
	fclose(file);
}

static int setup(void **state)
{
	char path[160];

	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/" FAMILY, dir);
	return mkdir(path, 0777);
}

static int teardown(void **state)
{
	char path[160];

	for (unsigned table = 1; table <= 6; table++) {
		snprintf(path, sizeof(path), "%s/" FAMILY "/table%u/runs.jsonl", dir, table);
		unlink(path);
		snprintf(path, sizeof(path), "%s/" FAMILY "/table%u", dir, table);
		rmdir(path);
	}
	snprintf(path, sizeof(path), "%s/" FAMILY, dir);
	rmdir(path);
	return rmdir(dir);
}

static enum wt_claim_verdict verdict(const char *id)
{
	static struct wt_claims claims; /* large */
	char err[300];

	assert_int_equal(wt_claims_load(&claims, err, sizeof(err)), 0);
	wt_claims_judge(&claims, dir);
	for (unsigned i = 0; i < claims.count; i++)
		if (!strcmp(claims.claim[i].id, id))
			return claims.claim[i].verdict;
	fail_msg("no claim %s", id);
	return WT_CLAIM_NOT_YET;
}

/* 0.5 x 3000 + 0.25 x 1500 of a string that carries 3000 / h: 1875, of which 1500 are 80 %. Eight hops and no way count as nothing. */
static void test_the_expectation_is_the_papers_equation(void **state)
{
	struct wt_sweep *sweep = malloc(sizeof(*sweep));
	struct wt_paper_results results;
	struct wt_paper_expectation e;
	char path[160], err[900];

	string_table(1, 3000);
	moving_table(4, "dsdv", 1500);
	assert_int_equal(wt_sweep_load(sweep, FAMILY "/table4", err, sizeof(err)), 0);
	assert_true(wt_paper_expects(sweep));
	assert_int_equal(wt_paper_results_load(&results, dir, "", FAMILY "/table4", NULL, err, sizeof(err)), 0);
	wt_paper_results_dir(dir, FAMILY "/table4", path, sizeof(path));
	if (wt_paper_expect(sweep, &results, path, &e, NULL, err, sizeof(err)))
		fail_msg("%s", err);
	for (unsigned v = 0; v < 4; v++) {
		assert_float_equal(e.of[v].expected, 1875, 1e-6);
		assert_float_equal(e.of[v].measured, 1500, 1e-6);
		assert_float_equal(e.of[v].share, 0.8, 1e-9);
		/* Student's 3.182 of 3 degrees, the deviation of the noise, over the root of 4 and the expectation */
		assert_float_equal(e.of[v].share_half, 3.18245 * sqrt(2.5 / 3) * (v + 1) / 2 / 1875, 1e-5);
	}
	assert_float_equal(e.hops[0], 0.25, 1e-9);
	assert_float_equal(e.hops[1], 0.5, 1e-9);
	assert_float_equal(e.hops[3], 0, 1e-9);
	assert_float_equal(e.of[0].printed, 1385.606 / 8, 1e-3);
	assert_float_equal(e.of[0].printed_share, 872.5324 / 1385.606, 1e-5);
	wt_paper_results_finish(&results);
	wt_sweep_finish(sweep);
	free(sweep);
}

static void test_a_table_is_above_another_falls_and_reaches_more(void **state)
{
	string_table(1, 3000);
	string_table(2, 2900);
	string_table(3, 1000);
	assert_int_equal(verdict("002-C1"), WT_CLAIM_HOLDS);    /* each falls */
	assert_int_equal(verdict("002-C3"), WT_CLAIM_HOLDS);    /* the second above the third */
	string_table(3, 3000);
	assert_int_equal(verdict("002-C3"), WT_CLAIM_FAILS);
	string_table(3, 2900);
	assert_int_equal(verdict("002-C3"), WT_CLAIM_FAILS);    /* the same runs are level everywhere */
	moving_table(4, "dsdv", 500);
	moving_table(5, "aodv", 1000);
	moving_table(6, "dsr", 1500);
	assert_int_equal(verdict("002-C9"), WT_CLAIM_HOLDS);    /* table 6 reaches more than 5, that more than 4 */
	moving_table(6, "dsr", 900);
	assert_int_equal(verdict("002-C9"), WT_CLAIM_FAILS);
	string_table(3, 1000);                                  /* less was expected of it, so it reaches more */
	assert_int_equal(verdict("002-C9"), WT_CLAIM_HOLDS);
}

static void test_without_the_string_table_there_is_no_verdict(void **state)
{
	char path[160];

	moving_table(5, "aodv", 1000);
	snprintf(path, sizeof(path), "%s/" FAMILY "/table2/runs.jsonl", dir);
	unlink(path);
	assert_int_equal(verdict("002-TV"), WT_CLAIM_NOT_YET);
	string_table(2, 8 * 374.6); /* kB/s: that of one hop in print */
	assert_int_not_equal(verdict("002-TV"), WT_CLAIM_NOT_YET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_expectation_is_the_papers_equation),
		cmocka_unit_test(test_a_table_is_above_another_falls_and_reaches_more),
		cmocka_unit_test(test_without_the_string_table_there_is_no_verdict),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
