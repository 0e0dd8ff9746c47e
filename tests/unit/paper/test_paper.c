/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stack/base/random.h"
#include "tools/paper/run.h"

static const char small[] = "[table]\nid = x/y\ntitle = T\nsize = 1KiB\nrepeats = 4\nlimit = 1min\n"
			    "[path]\nfwd = delay 1ms\n  loss {p}\nrev = delay 1ms\n"
			    "[variant a]\nlabel = A\nsender = reno\n[variant b]\nsender = tahoe\n[variant c]\nsender = real\n"
			    "[point 0.1]\np = 10%\na = 100.0 KB/s 1 s\nb = 50 KB/s 2 s\nc = 80 KB/s 3 s\nsuspect c = odd\n"
			    "[point 0.2]\np = 20%\na = 10 KB/s 1 s\n";

static int parse(const char *text, struct wt_paper *paper, char *err)
{
	return wt_paper_parse(text, "t.ini", paper, err, 300);
}

/* `small` with one piece replaced. */
static int parse_with(const char *from, const char *to, struct wt_paper *paper, char *err)
{
	char text[1200];
	const char *at = strstr(small, from);

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - small), small, to, at + strlen(from));
	return parse(text, paper, err);
}

static void every_table_inside_the_program_parses_and_its_cells_are_valid_scenarios(void **state)
{
	struct wt_paper *paper = calloc(1, sizeof(*paper));
	char err[300];

	assert_non_null(wt_paper_files[0].id);
	for (unsigned i = 0; wt_paper_files[i].id; i++) {
		struct wt_paper_plan plan = {.paper = paper, .backend = "sim", .repeats = 1};

		if (!strcmp(wt_paper_files[i].id, "tcp-real-2001/figure1"))
			continue; /* no numbers */
		if (wt_paper_load(wt_paper_files[i].id, paper, err, sizeof(err)))
			fail_msg("%s", err);
		assert_string_equal(paper->id, wt_paper_files[i].id);
		for (; plan.points < paper->points; plan.points++)
			plan.point[plan.points] = plan.points;
		if (wt_paper_check(&plan, err, sizeof(err)))
			fail_msg("%s", err);
		for (unsigned c = 0; c < paper->changes; c++) {
			struct wt_paper *changed = malloc(sizeof(*changed));

			*changed = *paper;
			plan.paper = changed;
			if (!*changed->change[c].text || wt_paper_apply_change(changed, paper->change[c].name, err, sizeof(err)) ||
			    wt_paper_check(&plan, err, sizeof(err)))
				fail_msg("%s, %s: %s", paper->id, paper->change[c].name, err);
			free(changed);
		}
	}
	free(paper);
}

/* Goodput times time is the size, in units of 1000 bytes, unless the cell is called suspect: guards against typing errors. */
static void the_printed_numbers_of_goodput_tables_belong_to_their_size_except_the_suspect_one(void **state)
{
	struct wt_paper *paper = calloc(1, sizeof(*paper));
	char err[300];
	unsigned suspects = 0, cells = 0;

	for (unsigned i = 0; wt_paper_files[i].id; i++) {
		if (wt_paper_load(wt_paper_files[i].id, paper, err, sizeof(err)) == -ENODATA)
			continue;
		assert_string_equal(paper->id, wt_paper_files[i].id);
		for (unsigned p = 0; p < paper->points && paper->metric == WT_PAPER_GOODPUT; p++)
			for (unsigned v = 0; v < paper->variants; v++) {
				const struct wt_paper_cell *cell = &paper->point[p].cell[v];
				double off = cell->value * cell->time * 1000 / (double)paper->size - 1;

				cells++;
				suspects += *cell->suspect != '\0';
				if ((fabs(off) < 0.003) != !*cell->suspect)
					fail_msg("%s %s %s", paper->id, paper->point[p].label, paper->variant[v].name);
			}
	}
	assert_int_equal(cells, 3 * (4 * 7 + 2));
	assert_int_equal(suspects, 1);
	free(paper);
}

static void a_table_based_on_another_has_its_set_up_and_its_own_rows(void **state)
{
	static const char based[] = "[table]\nbase = tcp-real-2001/table1\nid = x/y\ntitle = T\nmetric = success\n[path]\nrev = delay 1ms\n"
				    "[parameters]\ndelay = chosen: mine\n[point 0.3]\np = 30%\nreal = 91.9 %\nreno = -\n";
	struct wt_paper *mine = calloc(1, sizeof(*mine)), *base = calloc(1, sizeof(*base));
	char err[300] = "";

	assert_int_equal(wt_paper_load("tcp-real-2001/table1", base, err, sizeof(err)), 0);
	if (parse(based, mine, err))
		fail_msg("%s", err);
	assert_string_equal(mine->fwd, base->fwd);
	assert_string_equal(mine->rev, "delay 1ms");
	assert_int_equal(mine->variants, 3);
	assert_int_equal(mine->parameters, base->parameters);
	assert_int_equal(mine->points, 1);
	assert_true(mine->point[0].cell[0].value == 91.9 && isnan(mine->point[0].cell[1].value));
	assert_true(isnan(mine->point[0].cell[2].value));
	free(mine);
	free(base);
}

static void every_figure_of_the_paper_is_a_table_or_a_reason(void **state)
{
	struct wt_paper *paper = calloc(1, sizeof(*paper));
	char id[64], err[300];

	for (unsigned figure = 1; figure <= 12; figure++) {
		static const unsigned plots[13] = {[2] = 1, [3] = 2, [4] = 4, [5] = 5, [6] = 7, [7] = 8, [8] = 10, [9] = 11};
		int error;

		snprintf(id, sizeof(id), "tcp-real-2001/figure%u", figure);
		error = wt_paper_load(id, paper, err, sizeof(err));
		assert_int_equal(error, figure == 1 ? -ENODATA : 0);
		if (figure == 1)
			assert_non_null(strstr(err, "without numbers"));
		if (plots[figure])
			snprintf(id, sizeof(id), "tcp-real-2001/table%u", plots[figure]);
		assert_string_equal(paper->id, id);
	}
	assert_int_equal(wt_paper_load("tcp-real-2001/figure13", paper, err, sizeof(err)), -ENOENT);
	assert_int_equal(wt_paper_load("figure2", paper, err, sizeof(err)), -ENOENT);
	free(paper);
}

static void a_set_up_of_ones_own_can_take_the_rows_of_a_table(void **state)
{
	static const char based[] = "[table]\nbase = tcp-real-2001/table1\nid = x/y\ntitle = T\nrows = tcp-real-2001/table2\n";
	struct wt_paper *mine = calloc(1, sizeof(*mine)), *rows = calloc(1, sizeof(*rows));
	char err[300] = "";

	assert_int_equal(wt_paper_load("tcp-real-2001/table2", rows, err, sizeof(err)), 0);
	if (parse(based, mine, err))
		fail_msg("%s", err);
	assert_int_equal(mine->points, 7);
	assert_memory_equal(mine->point, rows->point, sizeof(rows->point));
	assert_string_not_equal(mine->fwd, rows->fwd);
	assert_int_equal(parse("[table]\nrows = nothing\n", mine, err), -EINVAL);
	free(mine);
	free(rows);
}

static void continued_lines_are_joined_and_p_is_filled_in(void **state)
{
	struct wt_paper paper;
	char err[300] = "", words[64];

	if (parse(small, &paper, err))
		fail_msg("%s", err);
	assert_string_equal(paper.fwd, "delay 1ms loss {p}");
	wt_paper_words(paper.fwd, "20%", words, sizeof(words));
	assert_string_equal(words, "delay 1ms loss 20%");
	assert_string_equal(paper.variant[0].label, "A");
	assert_string_equal(paper.variant[1].label, "b");
	assert_true(isnan(paper.point[1].cell[1].value));
	assert_string_equal(paper.point[0].cell[2].suspect, "odd");
}

static void a_bad_table_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} bad[] = {
		{"size = 1KiB", "size = 1", "t.ini:4:"},
		{"size = 1KiB", "sise = 1KiB", "t.ini:4: unknown key 'sise'"},
		{"[variant a]", "[variety a]", "unknown section"},
		{"sender = reno", "sander = reno", "unknown key 'sander'"},
		{"50 KB/s 2 s", "50 Kbps 2 s", "expected a goodput and a time"},
		{"50 KB/s 2 s", "50 KB/s 2 s or so", "expected a goodput and a time"},
		{"50 KB/s 2 s", "-50 KB/s 2 s", "expected a goodput and a time"},
		{"b = 50", "d = 50", "unknown key 'd' of point 0.1"},
		{"repeats = 4", "", "missing: repeats"},
		{"p = 20%", "note = n", "has no p"},
		{"[table]", "[table]\nbase = nothing/here", "t.ini:2: base: no published table 'nothing/here'"},
		{"size = 1KiB", "base = tcp-real-2001/table1", "expected it as the first key"},
		{"[table]", "[table]\nseed = 7\nbase = tcp-real-2001/table1", "t.ini:3: 'base' takes over all"},
		{"size = 1KiB", "metric = speed", "no metric 'speed'"},
		{"size = 1KiB", "size = 1KiB\nmetric = success", "expected a share"},
		{"[path]", "[path", "t.ini:7:"},
	};
	struct wt_paper paper;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char err[300] = "";

		if (parse_with(bad[i].from, bad[i].to, &paper, err) == 0 || !strstr(err, bad[i].says))
			fail_msg("%s: '%s'", bad[i].to, err);
	}
}

/* ---- verdicts ----------------------------------------------------------------------------------------- */

static struct wt_paper paper;
static struct wt_paper_record records[24]; /* 4 repeats, 2 points, 3 variants */
static struct wt_paper_plan plan = {.paper = &paper, .backend = "sim", .points = 2, .point = {0, 1}, .repeats = 4};
static struct wt_paper_report report;

/* Goodputs of a cell by repeat; 0: failed. */
static void cell(unsigned point, unsigned variant, double a, double b, double c, double d)
{
	double goodput[] = {a, b, c, d};

	for (unsigned k = 0; k < 4; k++)
		records[(k * 2 + point) * 3 + variant] =
			(struct wt_paper_record){.outcome = goodput[k] > 0 ? WT_PAPER_OK : WT_PAPER_FAILED, .goodput = goodput[k]};
}

static int setup(void **state)
{
	char err[300];

	memset(records, 0, sizeof(records));
	return parse(small, &paper, err);
}

static void cells_match_are_near_or_differ(void **state)
{
	cell(0, 0, 99, 101, 98, 103);      /* holds 100 */
	cell(0, 1, 54, 54.1, 53.9, 54);    /* 8 % off */
	cell(0, 2, 300, 300, 300, 300);    /* suspect, whatever it is */
	cell(1, 0, 20, 20, 20, 20);        /* twice too much */
	cell(1, 1, 0, 0, 0, 0);            /* every run failed */
	wt_paper_judge(&plan, records, &report);
	assert_string_equal(report.row[0].cell[0].verdict, "match");
	assert_string_equal(report.row[0].cell[1].verdict, "near");
	assert_string_equal(report.row[0].cell[2].verdict, "suspect");
	assert_string_equal(report.row[1].cell[0].verdict, "differs");
	assert_string_equal(report.row[1].cell[1].verdict, "failed");
	assert_string_equal(report.row[1].cell[2].verdict, "n/a");
	assert_int_equal(report.runs, 20);
	assert_int_equal(report.failed, 4);
}

static void an_order_agrees_only_if_every_pair_is_decided(void **state)
{
	cell(0, 0, 60, 61, 62, 63);
	cell(0, 1, 20, 21, 22, 23);
	cell(0, 2, 1000, 1, 1000, 1); /* suspect: left out */
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_AGREES);
	assert_true(report.row[0].tau == 1);
	assert_string_equal(report.row[0].cell[0].verdict, "rank");
	/* the same losses move both: pairs decide where plain intervals would overlap */
	cell(0, 0, 10, 40, 90, 200);
	cell(0, 1, 9, 38, 89, 198);
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_AGREES);
	cell(0, 1, 11, 38, 95, 190);
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_UNDECIDED);
	cell(0, 1, 30, 61, 112, 221);
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_DIFFERS);
	assert_true(report.row[0].tau == -1);
	/* the same in every repeat: not the order that is printed, but not the contrary either, and no repeat will change it */
	cell(0, 1, 10, 40, 90, 200);
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_LEVEL);
	/* one usable cell: nothing to order */
	assert_int_equal(report.row[1].order, WT_ORDER_NONE);
}

/* One of three pairs is against the paper by 5 % in more than 5 % of rows; that each of three is for it is not. */
static void a_row_differs_by_all_its_pairs_together_and_agrees_by_each(void **state)
{
	*paper.point[0].cell[2].suspect = '\0';
	paper.point[0].cell[2].value = 10;
	cell(0, 0, 99, 102, 93, 100);
	cell(0, 1, 100, 104, 96, 101); /* t = 3.66, p = 0.035 */
	cell(0, 2, 40, 160, 20, 180);  /* anything */
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_UNDECIDED);
	cell(0, 1, 101, 104, 95.5, 102); /* t = 9.8, p = 0.0023 */
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_DIFFERS);
	cell(0, 1, 98, 100, 90, 99); /* t = -3.66 */
	cell(0, 2, 97, 98, 87, 98);
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_AGREES);
}

/* The first two protocols of a row are printed with one number, the third, where there is one, behind them. */
static int setup_tied(void **state)
{
	int error = setup(state);

	paper.point[0].cell[1].value = paper.point[0].cell[0].value;
	*paper.point[0].cell[2].suspect = '\0';
	paper.point[0].cell[2].value = NAN;
	return error;
}

static void a_tie_in_print_states_no_order_whichever_of_ours_is_ahead(void **state)
{
	for (unsigned ahead = 0; ahead < 2; ahead++) {
		paper.point[0].cell[2].value = NAN;
		cell(0, ahead, 60, 61, 62, 63);
		cell(0, 1 - ahead, 20, 21, 22, 23);
		cell(0, 2, 4, 5, 6, 7);
		wt_paper_judge(&plan, records, &report);
		assert_int_equal(report.row[0].order, WT_ORDER_NONE);
		assert_true(isnan(report.row[0].tau));
		assert_string_equal(report.row[0].cell[0].verdict, "differs");
		paper.point[0].cell[2].value = 10;
		wt_paper_judge(&plan, records, &report);
		assert_int_equal(report.row[0].order, WT_ORDER_AGREES);
		assert_true(fabs(report.row[0].tau - 2 / sqrt(6)) < 1e-12);
	}
}

/* Two pairs have an order; p = 0.021 against one is beyond chance as one of two, but would not be as one of three. */
static void a_tie_in_print_is_not_counted_among_the_pairs_judged_together(void **state)
{
	paper.point[0].cell[2].value = 200; /* printed first */
	cell(0, 0, 99, 102, 93, 100);
	cell(0, 1, 99, 100, 96, 97);
	cell(0, 2, 97.9, 99.75, 89.85, 98.5);
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_DIFFERS);
}

/* However far apart: one run has no interval. */
/* ---- the yardstick of a cell --------------------------------------------------------------------------- */

static double normal(const struct wt_key *key, uint64_t *at)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++) /* near enough: a sum of twelve uniform draws */
		sum += wt_random_unit(key, (*at)++);
	return sum;
}

/* Share of cells that match when the printed run is `off` standard deviations from the middle of our runs. skewed: exp() of normal draws. */
static double matched(uint32_t repeats, double off, bool skewed)
{
	static struct wt_paper one;
	static struct wt_paper_record runs[100];
	struct wt_paper_plan few = {.paper = &one, .backend = "sim", .points = 1, .repeats = repeats};
	struct wt_key key = wt_key_derive(7, "cells");
	unsigned match = 0, cells = 1000;
	uint64_t at = 0;

	one.variants = 1;
	for (unsigned c = 0; c < cells; c++) {
		double printed = 100 + 20 * (normal(&key, &at) + off);

		one.point[0].cell[0].value = skewed ? exp(printed / 100) : printed;
		for (uint32_t k = 0; k < repeats; k++) {
			double ours = 100 + 20 * normal(&key, &at);

			runs[k] = (struct wt_paper_record){.outcome = WT_PAPER_OK, .goodput = skewed ? exp(ours / 100) : ours};
		}
		wt_paper_judge(&few, runs, &report);
		match += !strcmp(report.row[0].cell[0].verdict, "match");
	}
	return (double)match / cells;
}

/*
 * A perfect model, whose runs and the printed run are draws of one and the same thing, matches in 95 % of cells, with however many repeats;
 * with the interval of the mean it was 80 % of three and 12 % of a hundred. A wrong one does not get better by more repeats.
 */
static void a_perfect_model_matches_in_95_of_100_cells_whatever_the_repeats(void **state)
{
	static const uint32_t repeats[] = {3, 10, 30, 100};

	for (unsigned i = 0; i < 4; i++) {
		double normally = matched(repeats[i], 0, false), skewed = matched(repeats[i], 0, true), wrong = matched(repeats[i], 5, false);

		if (fabs(normally - 0.95) > 0.02 || fabs(skewed - 0.95) > 0.02)
			fail_msg("%u repeats: %.3f and %.3f of the cells match", repeats[i], normally, skewed);
		if (repeats[i] >= 10 && wrong > 0.05)
			fail_msg("%u repeats: %.3f match, five deviations off", repeats[i], wrong);
	}
}

/* Twice the same runs: what they were alone. */
static void the_interval_of_one_run_does_not_shrink_with_the_repeats(void **state)
{
	struct wt_mean few = {.n = 30, .mean = 100, .deviation = 10}, many = {.n = 3000, .mean = 100, .deviation = 10};

	assert_true(wt_prediction_half(&few, 0.05) > 20 && wt_prediction_half(&few, 0.05) < 21);
	assert_true(wt_prediction_half(&many, 0.05) > 19.5 && wt_prediction_half(&many, 0.05) < 19.7);
	assert_true(wt_interval_half(&many, 0.05) < wt_interval_half(&few, 0.05) / 9);
}

/* ---- orders: decided, level, or open -------------------------------------------------------------------- */

static void a_difference_shown_to_be_small_is_level_and_a_difference_not_shown_is_open(void **state)
{
	static const double a[] = {100, 140, 60, 90, 110}, near[] = {100.5, 139.8, 60.4, 90.1, 109.9}, wild[] = {60, 141, 100, 90, 111};
	struct wt_paper_pair pair = wt_paper_compare(a, near, 5, 0.05, 0.02);

	assert_true(pair.level && !pair.same);
	assert_false(wt_paper_compare(a, near, 5, 0.05, 0.001).level);
	assert_false(wt_paper_compare(a, wild, 5, 0.05, 0.02).level);
	assert_true(wt_paper_compare(a, a, 5, 0.05, 0).same);
	assert_false(wt_paper_compare(a, near, 1, 0.05, 0.5).level);
}

static unsigned runs_of_row[2];

static void run_toy(const struct wt_paper_plan *toy, uint32_t index, struct wt_paper_record *record, const volatile int *stop)
{
	struct wt_paper_place at = wt_paper_at(toy, index);
	struct wt_key key = wt_key_derive(3, "toy");
	double noise = wt_random_unit(&key, index);

	/* row 0: apart at once; row 1: one thing, and wild */
	record->outcome = WT_PAPER_OK;
	record->goodput = at.point ? 50 + 100 * noise : 100 - 30 * at.variant + noise;
}

/* Rows decided at the first look are spared the rest; those still open go on to the last. */
static void a_row_runs_until_it_is_decided(void **state)
{
	static struct wt_paper_record runs[2 * 3 * 90];
	struct wt_paper_plan looks = {.paper = &paper, .backend = "sim", .points = 2, .point = {0, 1}, .repeats = 90, .first = 10, .looks = 3,
				      .level = 0.05 / 3, .margin = 0.02, .jobs = 1};
	volatile int never = 0;

	memset(runs, 0, sizeof(runs));
	memset(runs_of_row, 0, sizeof(runs_of_row));
	assert_int_equal(wt_paper_sweep(&looks, run_toy, runs, NULL, &never), 3 * 10 + 3 * 90);
	for (uint32_t i = 0; i < wt_paper_count(&looks); i++)
		runs_of_row[wt_paper_at(&looks, i).point] += runs[i].outcome == WT_PAPER_OK;
	assert_int_equal(runs_of_row[0], 30);
	assert_int_equal(runs_of_row[1], 270);
	wt_paper_judge(&looks, runs, &report);
	assert_true(report.complete && report.row[1].open && !report.row[0].open);
}

/* Changes: behind the table's own words, where the last one counts; and a table based on another has them too. */
static void a_change_adds_its_words_and_a_change_that_is_none_is_refused(void **state)
{
	static struct wt_paper table;
	char err[300];

	assert_int_equal(wt_paper_load("tcp-real-2001/table5", &table, err, sizeof(err)), 0);
	assert_int_equal(wt_paper_apply_change(&table, "under-xkernel", err, sizeof(err)), 0);
	assert_string_equal(table.preset, "xkernel");
	assert_non_null(strstr(table.settings, "ack_every=6,"));
	assert_non_null(strstr(strstr(table.settings, "ack_every=6,") + 1, "ack_every=1000"));
	assert_int_equal(wt_paper_apply_change(&table, "without-wave_end_ack", err, sizeof(err)), 0);
	assert_non_null(strstr(table.variant[0].receiver, "opt=paper4,wave_ack=timeout"));
	assert_string_equal(table.variant[1].receiver, "standard");
	assert_string_equal(table.changed, "without-wave_end_ack");
	assert_true(wt_paper_apply_change(&table, "without-rain", err, sizeof(err)) < 0);
	assert_non_null(strstr(err, "declares no 'without-rain'"));
}

static void of_a_single_repeat_no_order_is_beyond_chance(void **state)
{
	cell(0, 0, 60, 61, 62, 63);
	cell(0, 1, 20, 21, 22, 23);
	plan.repeats = 1;
	wt_paper_judge(&plan, records, &report);
	plan.repeats = 4;
	assert_int_equal(report.row[0].order, WT_ORDER_UNDECIDED);
	assert_string_equal(report.row[0].cell[0].verdict, "differs");
	/* the same with more repeats of which all but one failed */
	cell(0, 0, 60, 0, 0, 63);
	cell(0, 1, 20, 21, 22, 0);
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].order, WT_ORDER_UNDECIDED);
}

static void a_run_that_failed_takes_its_pair_out_and_no_other(void **state)
{
	cell(0, 0, 60, 0, 62, 63);
	cell(0, 1, 20, 21, 0, 23);
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].cell[0].ours.n, 3);
	assert_int_equal(report.row[0].cell[0].failed, 1);
	assert_int_equal(report.row[0].order, WT_ORDER_AGREES);
}

static void a_run_on_a_host_too_busy_is_left_out_and_counted_and_so_are_repetitions(void **state)
{
	cell(0, 0, 99, 101, 98, 300);
	cell(0, 1, 20, 21, 22, 23);
	cell(0, 2, 5, 6, 7, 8);
	cell(1, 0, 1, 1, 1, 1);
	for (unsigned k = 0; k < 4; k++)
		records[(k * 2 + 1) * 3].outcome = WT_PAPER_INVALID;
	records[(3 * 2 + 0) * 3].outcome = WT_PAPER_INVALID;
	records[(3 * 2 + 0) * 3].attempts = 3;
	records[(2 * 2 + 0) * 3].attempts = 2;
	records[(1 * 2 + 0) * 3].attempts = 1;
	wt_paper_judge(&plan, records, &report);
	assert_int_equal(report.row[0].cell[0].ours.n, 3);
	assert_int_equal(report.row[0].cell[0].invalid, 1);
	assert_int_equal(report.row[0].cell[0].failed, 0);
	assert_string_equal(report.row[0].cell[0].verdict, "match"); /* without the 300 */
	assert_string_equal(report.row[1].cell[0].verdict, "invalid");
	assert_int_equal(report.invalid, 5);
	assert_int_equal(report.runs, 16);
	assert_int_equal(report.repeated, 2);
	assert_int_equal(report.repetitions, 3);
}

static void runs_are_numbered_repeat_by_repeat(void **state)
{
	struct wt_paper_place at = wt_paper_at(&plan, 17);

	assert_int_equal(wt_paper_count(&plan), 24);
	assert_int_equal(at.repeat, 2);
	assert_int_equal(at.point, 1);
	assert_int_equal(at.variant, 2);
	assert_ptr_equal(wt_paper_record(&plan, records, 2, 1, 2), &records[17]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_inside_the_program_parses_and_its_cells_are_valid_scenarios),
		cmocka_unit_test(the_printed_numbers_of_goodput_tables_belong_to_their_size_except_the_suspect_one),
		cmocka_unit_test(a_table_based_on_another_has_its_set_up_and_its_own_rows),
		cmocka_unit_test(every_figure_of_the_paper_is_a_table_or_a_reason),
		cmocka_unit_test(a_set_up_of_ones_own_can_take_the_rows_of_a_table),
		cmocka_unit_test(continued_lines_are_joined_and_p_is_filled_in),
		cmocka_unit_test(a_bad_table_is_refused_with_its_line),
		cmocka_unit_test(a_perfect_model_matches_in_95_of_100_cells_whatever_the_repeats),
		cmocka_unit_test(the_interval_of_one_run_does_not_shrink_with_the_repeats),
		cmocka_unit_test(a_difference_shown_to_be_small_is_level_and_a_difference_not_shown_is_open),
		cmocka_unit_test_setup(a_row_runs_until_it_is_decided, setup),
		cmocka_unit_test(a_change_adds_its_words_and_a_change_that_is_none_is_refused),
		cmocka_unit_test_setup(cells_match_are_near_or_differ, setup),
		cmocka_unit_test_setup(an_order_agrees_only_if_every_pair_is_decided, setup),
		cmocka_unit_test_setup(a_row_differs_by_all_its_pairs_together_and_agrees_by_each, setup),
		cmocka_unit_test_setup(a_tie_in_print_states_no_order_whichever_of_ours_is_ahead, setup_tied),
		cmocka_unit_test_setup(a_tie_in_print_is_not_counted_among_the_pairs_judged_together, setup_tied),
		cmocka_unit_test_setup(of_a_single_repeat_no_order_is_beyond_chance, setup),
		cmocka_unit_test_setup(a_run_that_failed_takes_its_pair_out_and_no_other, setup),
		cmocka_unit_test_setup(a_run_on_a_host_too_busy_is_left_out_and_counted_and_so_are_repetitions, setup),
		cmocka_unit_test_setup(runs_are_numbered_repeat_by_repeat, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
