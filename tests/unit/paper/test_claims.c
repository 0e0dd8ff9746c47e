/* SPDX-License-Identifier: BSD-2-Clause */
/* The claims inside the program, and the rules on results written for the purpose. */
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

static struct wt_claims claims;
static char dir[] = "/tmp/wavetank-claims-XXXXXX";

static void path_of(const char *object, const char *file, char out[128])
{
	snprintf(out, 128, "%s/%s%s%s", dir, object, *file ? "/" : "", file);
}

static unsigned repeats = 4;

/* runs.jsonl of a table of one row, four repeats: real as given, Reno and Tahoe at about 100. */
static void results(const char *object, const char *key, const double real[4])
{
	static const double other[] = {100, 104, 96, 101};
	char path[128];
	FILE *file;

	path_of(object, "", path);
	mkdir(path, 0777);
	path_of(object, "runs.jsonl", path);
	file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "{\"record\":\"plan\",\"table\":\"tcp-real-2001/%s\",\"seed\":1,\"repeats\":%u}\n", object, repeats);
	for (unsigned k = 0; k < repeats; k++)
		for (unsigned v = 0; v < 3; v++)
			fprintf(file, "{\"record\":\"run\",\"point\":\"0.99\",\"variant\":\"%s\",\"repeat\":%u,\"ok\":true,\"%s\":%.1f}\n",
				v == 0 ? "real" : v == 1 ? "reno" : "tahoe", k, key, v ? other[k] : real[k]);
	fprintf(file, "{\"record\":\"end\"}\n");
	fclose(file);
}

static const struct wt_claim *judged(const char *id)
{
	char err[300];

	if (wt_claims_load(&claims, err, sizeof(err)))
		fail_msg("%s", err);
	wt_claims_judge(&claims, dir);
	for (unsigned i = 0; i < claims.count; i++)
		if (!strcmp(claims.claim[i].id, id))
			return &claims.claim[i];
	fail_msg("no claim %s", id);
	return NULL;
}

static int setup(void **state)
{
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	static const char *const objects[] = {"table3", "table6"};
	char path[128];

	for (unsigned i = 0; i < 2; i++) {
		path_of(objects[i], "runs.jsonl", path);
		unlink(path);
		path_of(objects[i], "", path);
		rmdir(path);
	}
	return rmdir(dir);
}

static void a_hundred_claims_of_five_papers_each_with_a_rule_that_is_known(void **state)
{
	static const unsigned expected[] = {10, 27, 17, 24, 22};
	unsigned count[5] = {0}, later = 0;

	judged("003-T1");
	assert_int_equal(claims.count, 100);
	for (unsigned i = 0; i < claims.count; i++) {
		const struct wt_claim *claim = &claims.claim[i];

		count[claim->id[2] - '0']++;
		later += !strncmp(claim->judge, "later: ", 7);
		assert_int_equal(claim->verdict, WT_CLAIM_NOT_YET);
		assert_true(*claim->reason);
		if (!strncmp(claim->reason, "no such", 7) || !strncmp(claim->reason, "no claim", 8))
			fail_msg("%s: %s", claim->id, claim->reason);
	}
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(count[i], expected[i]);
	assert_int_equal(later, 76);
}

static void an_order_holds_fails_or_is_within_chance(void **state)
{
	results("table3", "goodput_kBps", (const double[]){110, 115, 105, 112});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_HOLDS);
	results("table3", "goodput_kBps", (const double[]){90, 95, 85, 92});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_FAILS);
	results("table3", "goodput_kBps", (const double[]){90, 115, 85, 112});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_UNDECIDED);
	assert_non_null(strstr(judged("003-T3")->reason, "within chance: TCP-Reno at 0.99, TCP-Tahoe at 0.99"));
	/* success, not goodput, is what Table 6 is about */
	results("table6", "success_percent", (const double[]){110, 115, 105, 112});
	assert_int_equal(judged("003-T6")->verdict, WT_CLAIM_HOLDS);
	results("table6", "goodput_kBps", (const double[]){110, 115, 105, 112});
	assert_int_equal(judged("003-T6")->verdict, WT_CLAIM_UNDECIDED);
}

/* Twice by 5 %, but of two comparisons one is so far off by chance in 10 % of cases; that both are far on the right side is not. */
static void a_claim_fails_by_all_comparisons_together_and_holds_by_each(void **state)
{
	results("table3", "goodput_kBps", (const double[]){99, 102, 93, 100}); /* t = -3.66, p = 0.035 for each */
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_UNDECIDED);
	results("table3", "goodput_kBps", (const double[]){98, 102, 93.5, 99}); /* t = -9.8 */
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_FAILS);
	results("table3", "goodput_kBps", (const double[]){101, 106, 99, 102});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_HOLDS);
}

/* However far apart: one run has no interval, and neither has what only one repeat of each finished. */
static void one_repeat_decides_no_claim(void **state)
{
	static const double far[] = {900, 900, 900, 900};

	repeats = 1;
	results("table3", "goodput_kBps", far);
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_UNDECIDED);
	assert_non_null(strstr(judged("003-T3")->reason, "within chance"));
	results("table3", "goodput_kBps", (const double[]){1, 1, 1, 1});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_UNDECIDED);
	repeats = 2;
	results("table3", "goodput_kBps", far);
	repeats = 4;
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_HOLDS);
}

static void results_that_are_none_are_named_with_their_line(void **state)
{
	char path[128];
	FILE *file;

	results("table3", "goodput_kBps", (const double[]){110, 115, 105, 112});
	path_of("table3", "runs.jsonl", path);
	file = fopen(path, "ae");
	fputs("{\"record\":\"run\",\"point\":\"0.99\",\"variant\":\"vegas\",\"repeat\":0,\"ok\":true}\n", file);
	fclose(file);
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_NOT_YET);
	assert_non_null(strstr(judged("003-T3")->reason, "runs.jsonl:15: not a record"));
	file = fopen(path, "we");
	fclose(file);
	assert_non_null(strstr(judged("003-T3")->reason, "no plan in it"));
}

static void a_bad_file_of_claims_is_refused(void **state)
{
	static const char *const bad[] = {"[claim a]\nobject = o\nclaim = c\nfaults = -\n", "[claim a]\nsubject = o\n", "[clam a]\nobject = o\n",
					  "[claim a]\nobject = o\n[claim b]\nobject = o\n[claim a]\nclaim = c\n"};
	char err[300];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(wt_claims_parse(bad[i], "bad.ini", &claims, err, sizeof(err)) < 0);
}

static void the_card_fits_a_hundred_columns_and_ends_with_the_count_of_verdicts(void **state)
{
	char *text = NULL, *save = NULL, *last = NULL, err[300];
	size_t len;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	assert_int_equal(wt_claims_load(&claims, err, sizeof(err)), 0);
	wt_claims_judge(&claims, dir);
	assert_int_equal(wt_claims_print(file, &claims, "003"), 24);
	assert_int_equal(wt_claims_print(file, &claims, "005"), 0);
	fclose(file);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t columns = 0;

		for (char *c = line; *c; c++)
			columns += ((unsigned char)*c & 0xc0) != 0x80;
		if (line[strlen(line) - 1] == ' ' || columns > 100)
			fail_msg("%zu columns: %s", columns, line);
		last = line;
	}
	assert_non_null(strstr(last, "24 claims: "));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundred_claims_of_five_papers_each_with_a_rule_that_is_known),
		cmocka_unit_test(an_order_holds_fails_or_is_within_chance),
		cmocka_unit_test(a_claim_fails_by_all_comparisons_together_and_holds_by_each),
		cmocka_unit_test(one_repeat_decides_no_claim),
		cmocka_unit_test(results_that_are_none_are_named_with_their_line),
		cmocka_unit_test(a_bad_file_of_claims_is_refused),
		cmocka_unit_test(the_card_fits_a_hundred_columns_and_ends_with_the_count_of_verdicts),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
