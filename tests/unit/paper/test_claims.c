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
static double other_tahoe = 0; /* Tahoe beside Reno */
static char dir[] = "/tmp/wavetank-claims-XXXXXX";

static const char *in = ""; /* "without-RULE/" */
static double margin;

static void path_of(const char *object, const char *file, char out[128])
{
	snprintf(out, 128, "%s/%s%s%s%s", dir, in, object, *file ? "/" : "", file);
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
	fprintf(file, "{\"record\":\"plan\",\"name\":\"tcp-real-2001/%s\",\"seed\":1,\"most_repeats\":%u,\"margin\":%.2f}\n", object, repeats, margin);
	for (unsigned k = 0; k < repeats; k++)
		for (unsigned v = 0; v < 3; v++)
			fprintf(file, "{\"record\":\"run\",\"row\":\"0.99\",\"variant\":\"%s\",\"repeat\":%u,\"outcome\":\"ok\",\"metrics\":{\"%s\":%.1f}}\n",
				v == 0 ? "real" : v == 1 ? "reno" : "tahoe", k, key, v ? other[k] + (v == 2 ? other_tahoe : 0) : real[k]);
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
	unsigned count[5] = {0};

	judged("003-T1");
	assert_int_equal(claims.count, 100);
	for (unsigned i = 0; i < claims.count; i++) {
		const struct wt_claim *claim = &claims.claim[i];

		count[claim->id[2] - '0']++;
		if (!strncmp(claim->judge, "equation", 8) || !strncmp(claim->judge, "shown", 5))
			assert_true(claim->verdict == WT_CLAIM_HOLDS || claim->verdict == WT_CLAIM_PARTLY);
		else if (!strncmp(claim->judge, "never: ", 7))
			assert_int_equal(claim->verdict, WT_CLAIM_NOT_JUDGEABLE);
		else
			assert_int_equal(claim->verdict, WT_CLAIM_NOT_YET);
		assert_true(*claim->reason);
		if (!strncmp(claim->reason, "no such", 7) || !strncmp(claim->reason, "no claim", 8))
			fail_msg("%s: %s", claim->id, claim->reason);
	}
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(count[i], expected[i]);
}

static void an_order_holds_fails_or_is_within_chance(void **state)
{
	results("table3", "goodput_kBps", (const double[]){110, 115, 105, 112});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_HOLDS);
	results("table3", "goodput_kBps", (const double[]){90, 95, 85, 92});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_FAILS);
	results("table3", "goodput_kBps", (const double[]){90, 115, 85, 112});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_UNDECIDED);
	assert_non_null(strstr(judged("003-T3")->reason, "within chance: TCP-Reno at 0.99"));
	assert_non_null(strstr(judged("003-T3")->reason, "in 0 of 1 comparisons (1 more are the same runs)"));
	other_tahoe = 0.5;
	results("table3", "goodput_kBps", (const double[]){90, 115, 85, 112});
	assert_non_null(strstr(judged("003-T3")->reason, "within chance: TCP-Reno at 0.99, TCP-Tahoe at 0.99"));
	other_tahoe = 0;
	/* success, not goodput, is what Table 6 is about */
	results("table6", "success_percent", (const double[]){110, 115, 105, 112});
	assert_int_equal(judged("003-T6")->verdict, WT_CLAIM_HOLDS);
	results("table6", "goodput_kBps", (const double[]){110, 115, 105, 112});
	assert_int_equal(judged("003-T6")->verdict, WT_CLAIM_UNDECIDED);
}

/* Twice by 5 %, but of two comparisons one is so far off by chance in 10 % of cases; that both are far on the right side is not. */
static void a_claim_fails_by_all_comparisons_together_and_holds_by_each(void **state)
{
	other_tahoe = 0.1; /* or their runs were the same runs, and there would be one comparison */
	results("table3", "goodput_kBps", (const double[]){99, 102, 93, 100}); /* t = -3.66, p = 0.035 for each */
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_UNDECIDED);
	results("table3", "goodput_kBps", (const double[]){98, 102, 93.5, 99}); /* t = -9.8 */
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_FAILS);
	results("table3", "goodput_kBps", (const double[]){101, 106, 99, 102});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_HOLDS);
	other_tahoe = 0;
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

/* All runs are level within 2 %: shown, not open. Ahead of one and level with the other is a part of the claim. */
static void what_is_shown_to_be_level_is_no_lead_and_not_open(void **state)
{
	results("table3", "goodput_kBps", (const double[]){100.2, 104.1, 96.2, 101.1});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_HOLDS); /* results without a margin: 0.15 %, beyond chance */
	margin = 0.02;
	results("table3", "goodput_kBps", (const double[]){100.2, 104.1, 96.2, 101.1});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_FAILS);
	assert_non_null(strstr(judged("003-T3")->reason, "level: TCP-Reno at 0.99"));
	other_tahoe = -20;
	results("table3", "goodput_kBps", (const double[]){100.2, 104.1, 96.2, 101.1});
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_PARTLY);
	other_tahoe = margin = 0;
}

/* DIR/without-RULE/TABLE is judged by the same rule, and the claim says what changes. */
static void a_verdict_says_on_which_rules_it_rests_and_which_it_survives(void **state)
{
	char path[128], text[700];

	results("table3", "goodput_kBps", (const double[]){110, 115, 105, 112});
	path_of("without-wave_end_ack", "", path);
	mkdir(path, 0777);
	path_of("without-n_minus_1", "", path);
	mkdir(path, 0777);
	in = "without-wave_end_ack/";
	results("table3", "goodput_kBps", (const double[]){90, 95, 85, 92});
	in = "without-n_minus_1/";
	results("table3", "goodput_kBps", (const double[]){120, 125, 115, 122});
	in = "";
	assert_int_equal(judged("003-T3")->verdict, WT_CLAIM_HOLDS);
	assert_int_equal(judged("003-T3")->changes, 2);
	wt_claim_rests(judged("003-T3"), text, sizeof(text));
	assert_string_equal(text, "rests on: wave_end_ack (without it: fails); the same without: n_minus_1");
	in = "without-n_minus_1/";
	results("table3", "goodput_kBps", (const double[]){90, 115, 85, 112});
	in = "";
	wt_claim_rests(judged("003-T3"), text, sizeof(text));
	assert_string_equal(text, "rests on: wave_end_ack (without it: fails); not decided without: n_minus_1");
	wt_claim_rests(judged("003-T9"), text, sizeof(text));
	assert_string_equal(text, "");
	for (unsigned i = 0; i < 2; i++) {
		static const char *const of[] = {"without-wave_end_ack", "without-n_minus_1"};

		path_of(of[i], "table3/runs.jsonl", path);
		unlink(path);
		path_of(of[i], "table3", path);
		rmdir(path);
		path_of(of[i], "", path);
		assert_int_equal(rmdir(path), 0);
	}
}

/* order TABLE ROW METRIC A over B, near TABLE SHARE: of a table of another paper, in DIR/table1. */
static void an_order_within_a_row_and_the_nearness_of_numbers_are_judged_in_the_metric_they_name(void **state)
{
	static const char *const variants[] = {"tahoe", "reno", "newreno", "sack", "fack", "vegas", "hstcp", "cubic", "hstcp-sack", "cubic-sack"};
	char path[128];
	FILE *file;

	path_of("table1", "", path);
	mkdir(path, 0777);
	path_of("table1", "runs.jsonl", path);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs("{\"record\":\"plan\",\"name\":\"tcp-variants/table1\",\"seed\":1,\"most_repeats\":2}\n", file);
	for (unsigned r = 0; r < 2; r++)
		for (unsigned v = 0; v < 10; v++) /* the sooner named, the more; but no goodput but at 2 Gb */
			fprintf(file, "{\"record\":\"run\",\"row\":\"2Gb\",\"variant\":\"%s\",\"repeat\":%u,\"outcome\":\"ok\","
				"\"flow\":{\"tcp\":{\"goodput_kBps\":%u}},\"hop\":{\"l02\":{\"fwd\":{\"in\":400000}}}}\n", variants[v], r, 100 - v);
	fclose(file);
	assert_int_equal(judged("004-C5")->verdict, WT_CLAIM_FAILS); /* newreno over vegas, but not over reno and tahoe */
	assert_non_null(strstr(judged("004-C5")->reason, "in 1 of 3 comparisons; the contrary: NewReno over Tahoe at 2Gb, NewReno over Reno at 2Gb"));
	assert_int_equal(judged("004-C3")->verdict, WT_CLAIM_FAILS);
	assert_int_equal(judged("004-F6")->verdict, WT_CLAIM_FAILS); /* as 004-C3 */
	assert_int_equal(judged("004-C1")->verdict, WT_CLAIM_UNDECIDED);
	/* generated packets: within 10 % of 400000 are six of the eight printed at 2 Gb, and nothing else was run */
	assert_non_null(strstr(judged("004-T1")->reason, "6 of "));
	unlink(path);
	path_of("table1", "", path);
	rmdir(path);
}

/* One printed number wrong by 2 % and the equation fails; so do not any numbers fit. */
static void an_equation_holds_for_the_printed_numbers_and_not_for_others(void **state)
{
	double weight[WT_CLAIM_TERMS], worst;
	char err[300];

	assert_int_equal(wt_claims_load(&claims, err, sizeof(err)), 0);
	assert_int_equal(claims.equations, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct wt_claim_equation e = claims.equation[i];

		assert_true(wt_claim_solve(&e, weight, &worst) && worst <= e.tolerance);
		for (unsigned row = 0; row < e.rows; row++) {
			struct wt_claim_equation bad = e;

			bad.sum[row] *= 1.02;
			assert_true(wt_claim_solve(&bad, weight, &worst));
			if (worst <= bad.tolerance)
				fail_msg("equation %s holds with row %u wrong by 2 %% (%.4f)", e.id, row, worst);
		}
		e.rows = e.terms;
		assert_false(wt_claim_solve(&e, weight, &worst));
	}
}

/* A claim that packet scripts show names files that are there, each run by the suite `script`. */
static void the_packet_scripts_that_show_a_claim_are_there(void **state)
{
	char err[300], list[240], path[400], *save = NULL;
	unsigned found = 0;

	assert_int_equal(wt_claims_load(&claims, err, sizeof(err)), 0);
	for (unsigned i = 0; i < claims.count; i++) {
		if (strncmp(claims.claim[i].judge, "shown", 5))
			continue;
		snprintf(list, sizeof(list), "%s", strchr(claims.claim[i].judge, ' '));
		for (char *word = strtok_r(list, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
			snprintf(path, sizeof(path), "%s/tests/script/%s.pkt", WT_SOURCE_ROOT, word);
			if (access(path, R_OK))
				fail_msg("%s: no script %s", claims.claim[i].id, path);
			found++;
		}
	}
	assert_int_equal(found, 6);
}

static void results_that_are_none_are_named_with_their_line(void **state)
{
	char path[128];
	FILE *file;

	results("table3", "goodput_kBps", (const double[]){110, 115, 105, 112});
	path_of("table3", "runs.jsonl", path);
	file = fopen(path, "ae");
	fputs("{\"record\":\"run\",\"row\":\"0.99\",\"variant\":\"vegas\",\"repeat\":0,\"outcome\":\"ok\"}\n", file);
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
	char *text = NULL, *copy, *save = NULL, *last = NULL, err[300];
	size_t len;
	FILE *file = open_memstream(&text, &len);

	assert_non_null(file);
	assert_int_equal(wt_claims_load(&claims, err, sizeof(err)), 0);
	wt_claims_judge(&claims, dir);
	assert_int_equal(wt_claims_print(file, &claims, "003"), 24);
	assert_int_equal(wt_claims_print(file, &claims, "005"), 0);
	fclose(file);
	copy = strdup(text);
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t columns = 0;

		for (char *c = line; *c; c++)
			columns += ((unsigned char)*c & 0xc0) != 0x80;
		if (line[strlen(line) - 1] == ' ' || columns > 100)
			fail_msg("%zu columns: %s", columns, line);
		last = line;
	}
	assert_non_null(strstr(text, "24 claims, 16 distinct: "));
	assert_non_null(strstr(last, "judgeable"));
	free(copy);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundred_claims_of_five_papers_each_with_a_rule_that_is_known),
		cmocka_unit_test(an_order_holds_fails_or_is_within_chance),
		cmocka_unit_test(a_claim_fails_by_all_comparisons_together_and_holds_by_each),
		cmocka_unit_test(one_repeat_decides_no_claim),
		cmocka_unit_test(what_is_shown_to_be_level_is_no_lead_and_not_open),
		cmocka_unit_test(a_verdict_says_on_which_rules_it_rests_and_which_it_survives),
		cmocka_unit_test(an_order_within_a_row_and_the_nearness_of_numbers_are_judged_in_the_metric_they_name),
		cmocka_unit_test(an_equation_holds_for_the_printed_numbers_and_not_for_others),
		cmocka_unit_test(the_packet_scripts_that_show_a_claim_are_there),
		cmocka_unit_test(results_that_are_none_are_named_with_their_line),
		cmocka_unit_test(a_bad_file_of_claims_is_refused),
		cmocka_unit_test(the_card_fits_a_hundred_columns_and_ends_with_the_count_of_verdicts),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
