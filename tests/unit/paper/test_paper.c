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
#include "tools/paper/judge.h"
#include "tools/sweep/point.h"

static const char small[] = "[sweep]\nname = x/y\ntitle = T\nrepeats = 4\n[axes]\np = 10% 20%\n"
			    "[run]\nsize = 1KiB\nlimit = 1min\nfwd = delay 1ms\n  loss {p}\nrev = delay 1ms\n"
			    "[variant a]\nlabel = A\nsender = reno\n[variant b]\nsender = tahoe\n[variant c]\nsender = real\n"
			    "[printed]\n0.1 = 100.0 KB/s 1 s, 50 KB/s 2 s, 80 KB/s 3 s\n0.2 = 10 KB/s 1 s, -, -\nsuspect 0.1 c = odd\n";

static struct wt_sweep sweep;

static int parse(const char *text, struct wt_paper *paper, char *err)
{
	int error;

	wt_sweep_finish(&sweep);
	error = wt_sweep_parse(&sweep, text, "t.ini", err, 400);
	if (!error)
		error = wt_paper_view(&sweep, 0, paper, err, 400);
	return error ? error : wt_sweep_check(&sweep, err, 400);
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

static void load(struct wt_sweep *table, const char *id)
{
	char err[600];

	if (wt_sweep_load(table, id, err, sizeof(err)))
		fail_msg("%s", err);
}

static void every_table_inside_the_program_is_a_sweep_whose_points_and_changes_can_be_run(void **state)
{
	static struct wt_sweep table;
	static struct wt_paper paper;
	char err[600];

	assert_non_null(wt_paper_files[0].id);
	for (unsigned i = 0; wt_paper_files[i].id; i++) {
		unsigned changes;

		if (!strcmp(wt_paper_files[i].id, "tcp-real-2001/figure1"))
			continue; /* no numbers */
		load(&table, wt_paper_files[i].id);
		assert_string_equal(table.name, wt_paper_files[i].id);
		for (unsigned t = 0; t < wt_paper_tables(&table); t++)
			if (wt_paper_view(&table, t, &paper, err, sizeof(err)))
				fail_msg("%s", err);
		changes = table.changes;
		for (unsigned c = 0; c <= changes; c++) {
			if (c < changes && (!table.change[c].text || wt_sweep_apply_change(&table, table.change[c].name, err, sizeof(err))))
				fail_msg("%s, change %u: %s", table.name, c, err);
			if (wt_sweep_check(&table, err, sizeof(err)))
				fail_msg("%s", err);
			wt_sweep_finish(&table);
			load(&table, wt_paper_files[i].id);
		}
		wt_sweep_finish(&table);
	}
}

/* Goodput times time is the size, in units of 1000 bytes, unless the cell is called suspect: guards against typing errors. */
static void the_printed_numbers_of_goodput_tables_belong_to_their_size_except_the_suspect_one(void **state)
{
	static struct wt_sweep_run run;
	static struct wt_sweep table;
	static struct wt_paper paper;
	char err[600];
	unsigned suspects = 0, cells = 0;

	for (unsigned i = 0; wt_paper_files[i].id; i++) {
		if (wt_sweep_load(&table, wt_paper_files[i].id, err, sizeof(err)) == 0) {
			assert_int_equal(wt_paper_view(&table, 0, &paper, err, sizeof(err)), 0);
			assert_int_equal(wt_sweep_resolve(&table, 0, &run, err, sizeof(err)), 0);
			for (unsigned p = 0; p < paper.points && !strcmp(paper.metric.name, "goodput") && !run.world[0]; p++) /* runs of one size */
				for (unsigned v = 0; v < paper.variants; v++) {
					const struct wt_paper_cell *cell = &paper.point[p].cell[v];
					double off = cell->value * cell->time * 1000 / (double)run.flow.size - 1;

					cells++;
					suspects += *cell->suspect != '\0';
					if ((fabs(off) < 0.003) != !*cell->suspect)
						fail_msg("%s %s %s", paper.id, paper.point[p].label, paper.variant[v].name);
				}
		}
		wt_sweep_finish(&table);
	}
	assert_int_equal(cells, 3 * (4 * 7 + 2));
	assert_int_equal(suspects, 1);
}

static unsigned notes_of(const struct wt_sweep *table, const char *section)
{
	unsigned count = 0;

	for (unsigned i = 0; i < table->notes; i++)
		count += !strcmp(table->note[i].section, section);
	return count;
}

static void a_table_based_on_another_has_its_set_up_and_its_own_rows(void **state)
{
	static const char based[] = "[sweep]\nbase = tcp-real-2001/table1\nname = x/y\ntitle = T\nmetric = success_percent\n[axes]\np = 30%\n"
				    "[run]\nfwd = delay 1ms loss {p}\nrev = delay 1ms\napp = playback\n[parameters]\ndelay = chosen: mine\n[printed]\n0.3 = 91.9 %, -, -\n";
	static struct wt_sweep base;
	static struct wt_paper mine;
	char err[600] = "";

	load(&base, "tcp-real-2001/table1");
	if (parse(based, &mine, err))
		fail_msg("%s", err);
	assert_string_equal(sweep.param[WT_SWEEP_SETTINGS].text, base.param[WT_SWEEP_SETTINGS].text);
	assert_string_equal(sweep.param[WT_SWEEP_REV].text, "delay 1ms");
	assert_int_equal(mine.variants, 3);
	assert_int_equal(notes_of(&sweep, "parameters"), notes_of(&base, "parameters"));
	assert_int_equal(notes_of(&sweep, "claims"), 0);
	assert_int_equal(mine.points, 1);
	assert_true(mine.point[0].cell[0].value == 91.9 && isnan(mine.point[0].cell[1].value));
	assert_true(isnan(mine.point[0].cell[2].value));
	assert_string_equal(mine.variant[0].label, "TCP-Real");
	wt_sweep_finish(&base);
}

static void every_figure_of_the_paper_is_a_table_or_a_reason(void **state)
{
	static struct wt_paper paper;
	char id[64], err[600];

	for (unsigned figure = 1; figure <= 12; figure++) {
		static const unsigned plots[13] = {[2] = 1, [3] = 2, [4] = 4, [5] = 5, [6] = 7, [7] = 8, [8] = 10, [9] = 11};
		int error;

		snprintf(id, sizeof(id), "tcp-real-2001/figure%u", figure);
		error = wt_paper_load(id, NULL, &paper, err, sizeof(err));
		assert_int_equal(error, figure == 1 ? -ENODATA : 0);
		if (figure == 1) {
			assert_non_null(strstr(err, "without numbers"));
			continue;
		}
		if (plots[figure])
			snprintf(id, sizeof(id), "tcp-real-2001/table%u", plots[figure]);
		assert_string_equal(paper.id, id);
	}
	assert_int_equal(wt_paper_load("tcp-real-2001/figure13", NULL, &paper, err, sizeof(err)), -ENOENT);
	assert_int_equal(wt_paper_load("figure2", NULL, &paper, err, sizeof(err)), -ENOENT);
}

static void a_set_up_of_ones_own_can_take_the_rows_of_a_table(void **state)
{
	static const char based[] = "[sweep]\nbase = tcp-real-2001/table1\nname = x/y\ntitle = T\nrows = tcp-real-2001/table2\n";
	static struct wt_sweep other;
	static struct wt_paper mine, rows;
	char err[600] = "";

	assert_int_equal(wt_paper_load("tcp-real-2001/table2", NULL, &rows, err, sizeof(err)), 0);
	load(&other, "tcp-real-2001/table2");
	if (parse(based, &mine, err))
		fail_msg("%s", err);
	assert_int_equal(mine.points, 7);
	for (unsigned p = 0; p < 7; p++) {
		assert_string_equal(mine.point[p].label, rows.point[p].label);
		assert_string_equal(sweep.axis[0].word[p], other.axis[0].word[p]);
		assert_true(mine.point[p].cell[2].value == rows.point[p].cell[2].value);
	}
	assert_string_not_equal(sweep.param[WT_SWEEP_FWD].text, other.param[WT_SWEEP_FWD].text);
	assert_int_equal(parse("[sweep]\nrows = nothing\n", &mine, err), -EINVAL);
	wt_sweep_finish(&other);
}

static void rows_are_the_points_in_their_order_and_a_cell_may_be_empty_or_suspect(void **state)
{
	static struct wt_paper paper;
	char err[600] = "", row[100];

	if (parse(small, &paper, err))
		fail_msg("%s", err);
	assert_string_equal(paper.variant[0].label, "A");
	assert_string_equal(paper.variant[1].label, "b");
	assert_true(isnan(paper.point[1].cell[1].value));
	assert_string_equal(paper.point[0].cell[2].suspect, "odd");
	for (uint32_t point = 0; point < 6; point++) {
		assert_int_equal(wt_sweep_row(&sweep, point), point / 3);
		assert_string_equal(wt_sweep_row_text(&sweep, point, row, sizeof(row)), point / 3 ? "0.2" : "0.1");
	}
}

/* [printed METRIC]: several numbers of the same runs. */
static void a_sweep_may_have_printed_numbers_of_several_metrics(void **state)
{
	static struct wt_paper paper;
	char text[1300], err[600] = "";

	snprintf(text, sizeof(text), "%s[printed flow.tcp1.sender.timeouts]\nwhat = time-outs\n0.1 = 1, 2, 3\n0.2 = 4, -, 6\n", small);
	if (parse(text, &paper, err))
		fail_msg("%s", err);
	assert_int_equal(wt_paper_tables(&sweep), 2);
	assert_string_equal(paper.metric.key, "kBps");
	assert_int_equal(wt_paper_view(&sweep, 1, &paper, err, sizeof(err)), 0);
	assert_string_equal(paper.metric.path, "flow.tcp1.sender.timeouts");
	assert_true(paper.point[1].cell[2].value == 6 && isnan(paper.point[1].cell[1].value));
	assert_string_equal(paper.metric.heading, "time-outs");
	assert_string_equal(paper.title, "T: time-outs");
}

static void a_bad_table_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} bad[] = {
		{"size = 1KiB", "size = 1", "t.ini:8:"},
		{"size = 1KiB", "sise = 1KiB", "t.ini:8: unknown key 'sise'"},
		{"[variant a]", "[variety a]", "unknown section"},
		{"sender = reno", "sander = reno", "unknown key 'sander'"},
		{"50 KB/s 2 s", "50 Kbps 2 s", "t.ini:21: '50 Kbps 2 s': expected a goodput and a time"},
		{"50 KB/s 2 s", "50 KB/s 2 s or so", "expected a goodput and a time"},
		{"50 KB/s 2 s", "-50 KB/s 2 s", "expected a goodput and a time"},
		{", -, -", ", -", "t.ini:22: 2 numbers in row 0.2: expected 3"},
		{"0.2 = 10", "0.1 = 10", "'0.1' appears twice, first on line 21"},
		{"0.2 = 10 KB/s 1 s, -, -\n", "", "1 rows are printed, and there are 2 points to run"},
		{"suspect 0.1 c", "suspect 0.1 d", "no such row and variant above"},
		{"name = x/y", "", "no name"},
		{"[sweep]", "[sweep]\nbase = nothing/here", "t.ini:2: base: 'nothing/here' is neither a file"},
		{"title = T", "base = tcp-real-2001/table1", "must be the first key"},
		{"[sweep]", "[sweep]\nseed = 7\nbase = tcp-real-2001/table1", "t.ini:3: 'base' must be"},
		{"title = T", "metric = speed", "expected a number"},
		{"title = T", "metric = success_percent", "expected a share"},
		{"[axes]", "[axes", "t.ini:5:"},
		{"[printed]", "[without x]\nrain = on\n[printed]", "unknown key 'rain' of [without x]"},
	};
	static struct wt_paper paper;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char err[600] = "";

		if (parse_with(bad[i].from, bad[i].to, &paper, err) == 0 || !strstr(err, bad[i].says))
			fail_msg("%s: '%s'", bad[i].to, err);
	}
}

/* ---- verdicts ----------------------------------------------------------------------------------------- */

static struct wt_paper paper;
static struct wt_paper_record records[24]; /* 4 repeats, 2 points, 3 variants */
static struct wt_paper_plan plan = {.paper = &paper, .backend = "sim", .repeats = 4};
static struct wt_paper_report report;

/* Goodputs of a cell by repeat; 0: failed. */
static void cell(unsigned point, unsigned variant, double a, double b, double c, double d)
{
	double goodput[] = {a, b, c, d};

	for (unsigned k = 0; k < 4; k++)
		records[(k * 2 + point) * 3 + variant] =
			(struct wt_paper_record){.outcome = goodput[k] > 0 ? WT_PAPER_OK : WT_PAPER_FAILED, .value = goodput[k]};
}

static int setup(void **state)
{
	char err[600];

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
	struct wt_paper_plan few = {.paper = &one, .backend = "sim", .repeats = repeats};
	struct wt_key key = wt_key_derive(7, "cells");
	unsigned match = 0, cells = 1000;
	uint64_t at = 0;

	one.variants = one.points = 1;
	for (unsigned c = 0; c < cells; c++) {
		double printed = 100 + 20 * (normal(&key, &at) + off);

		one.point[0].cell[0].value = skewed ? exp(printed / 100) : printed;
		for (uint32_t k = 0; k < repeats; k++) {
			double ours = 100 + 20 * normal(&key, &at);

			runs[k] = (struct wt_paper_record){.outcome = WT_PAPER_OK, .value = skewed ? exp(ours / 100) : ours};
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

/* Apart at once, and one thing that is wild: of the second more repeats could still say something. */
static void a_row_is_open_while_a_pair_is_neither_decided_nor_level(void **state)
{
	cell(0, 0, 100.1, 100.7, 100.4, 100.2);
	cell(0, 1, 70.3, 70.1, 70.9, 70.5);
	cell(0, 2, 40.2, 40.8, 40.1, 40.6);
	cell(1, 0, 60, 141, 100, 90);
	cell(1, 1, 100, 140, 60, 91);
	cell(1, 2, 61, 130, 101, 80);
	wt_paper_judge(&plan, records, &report);
	assert_false(report.row[0].open);
	assert_true(report.row[1].open);
}

/* Changes: behind the table's own words, where the last one counts; and a table based on another has them too. */
static void a_change_adds_its_words_and_a_change_that_is_none_is_refused(void **state)
{
	static struct wt_sweep table;
	static struct wt_sweep_run run;
	char err[600];

	load(&table, "tcp-real-2001/table5");
	assert_int_equal(wt_sweep_apply_change(&table, "under-xkernel", err, sizeof(err)), 0);
	assert_int_equal(wt_sweep_resolve(&table, 0, &run, err, sizeof(err)), 0);
	assert_string_equal(run.text[WT_SWEEP_PRESET], "xkernel");
	assert_non_null(strstr(run.text[WT_SWEEP_SETTINGS], "ack_every=6,"));
	assert_non_null(strstr(strstr(run.text[WT_SWEEP_SETTINGS], "ack_every=6,") + 1, "ack_every=1000"));
	assert_int_equal(wt_sweep_apply_change(&table, "without-wave_end_ack", err, sizeof(err)), 0);
	assert_int_equal(wt_sweep_resolve(&table, 0, &run, err, sizeof(err)), 0);
	assert_non_null(strstr(run.text[WT_SWEEP_RECEIVER], "opt=paper4,wave_ack=timeout"));
	assert_int_equal(wt_sweep_resolve(&table, 1, &run, err, sizeof(err)), 0);
	assert_string_equal(run.text[WT_SWEEP_RECEIVER], "standard");
	assert_string_equal(table.changed, "without-wave_end_ack");
	assert_true(wt_sweep_apply_change(&table, "without-rain", err, sizeof(err)) < 0);
	assert_non_null(strstr(err, "declares no 'without-rain'"));
	wt_sweep_finish(&table);
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
		cmocka_unit_test(every_table_inside_the_program_is_a_sweep_whose_points_and_changes_can_be_run),
		cmocka_unit_test(the_printed_numbers_of_goodput_tables_belong_to_their_size_except_the_suspect_one),
		cmocka_unit_test(a_table_based_on_another_has_its_set_up_and_its_own_rows),
		cmocka_unit_test(every_figure_of_the_paper_is_a_table_or_a_reason),
		cmocka_unit_test(a_set_up_of_ones_own_can_take_the_rows_of_a_table),
		cmocka_unit_test(rows_are_the_points_in_their_order_and_a_cell_may_be_empty_or_suspect),
		cmocka_unit_test(a_sweep_may_have_printed_numbers_of_several_metrics),
		cmocka_unit_test(a_bad_table_is_refused_with_its_line),
		cmocka_unit_test(a_perfect_model_matches_in_95_of_100_cells_whatever_the_repeats),
		cmocka_unit_test(the_interval_of_one_run_does_not_shrink_with_the_repeats),
		cmocka_unit_test(a_difference_shown_to_be_small_is_level_and_a_difference_not_shown_is_open),
		cmocka_unit_test_setup(a_row_is_open_while_a_pair_is_neither_decided_nor_level, setup),
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
