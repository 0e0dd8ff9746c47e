/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/sweep/file.h"

static struct wt_sweep sweep;
static char err[600];

static int parse(const char *text)
{
	return wt_sweep_parse(&sweep, text, "t.ini", err, sizeof(err));
}

static void axes_multiply_with_the_last_one_fastest(void **state)
{
	char text[200];

	assert_int_equal(parse("[sweep]\nname = x\n[axes]\na = 1 2\nb = p q r\n[run]\nsize = {a}{b}\n"), 0);
	assert_int_equal(sweep.points, 6);
	assert_string_equal(wt_sweep_point_text(&sweep, 0, text, sizeof(text)), "a=1 b=p");
	assert_string_equal(wt_sweep_point_text(&sweep, 1, text, sizeof(text)), "a=1 b=q");
	assert_string_equal(wt_sweep_point_text(&sweep, 5, text, sizeof(text)), "a=2 b=r");
	wt_sweep_finish(&sweep);
}

static void words_are_parted_by_blanks_commas_at_their_ends_are_dropped_and_quotes_hold_together(void **state)
{
	static const char *const want[] = {"real:profile=paper,lmax=24", "reno", "rate 1Mbit burst 0B", "delay 1ms", "", "last"};

	assert_int_equal(parse("[sweep]\nname = x\n[axes]\na = real:profile=paper,lmax=24, reno 'rate 1Mbit burst 0B',\n  \"delay 1ms\" '' last\n"), 0);
	assert_int_equal(sweep.axis[0].words, 6);
	for (unsigned i = 0; i < 6; i++)
		assert_string_equal(sweep.axis[0].word[i], want[i]);
	wt_sweep_finish(&sweep);
}

static void variants_are_the_last_axis_unless_axes_names_it(void **state)
{
	assert_int_equal(parse("[sweep]\nname = x\n[axes]\na = 1 2\n[variant p]\nsender = reno\n[variant q]\nsender = tahoe\n"), 0);
	assert_int_equal(sweep.axes, 2);
	assert_string_equal(sweep.axis[1].name, "variant");
	assert_int_equal(sweep.points, 4);
	wt_sweep_finish(&sweep);
	assert_int_equal(parse("[sweep]\nname = x\n[axes]\nvariant = q\na = 1 2\n[variant p]\nsender = reno\n[variant q]\nsender = tahoe\n"), 0);
	assert_string_equal(sweep.axis[0].name, "variant");
	assert_int_equal(sweep.points, 2);
	wt_sweep_finish(&sweep);
}

static void values_go_on_in_indented_lines_and_comments_are_no_part_of_them(void **state)
{
	assert_int_equal(parse("; head\n# head\n[sweep]\n  # blanks before it\nname = x ; a comment\nstop = rel 2%\n  max 200\n[run]\nlink = delay 1ms\n\tloss 1% ; more\n"), 0);
	assert_string_equal(sweep.name, "x");
	assert_true(sweep.relative > 0.0199 && sweep.relative < 0.0201);
	assert_int_equal(sweep.most, 200);
	assert_string_equal(sweep.param[WT_SWEEP_LINK].text, "delay 1ms loss 1%");
	assert_int_equal(sweep.param[WT_SWEEP_LINK].line, 9);
	wt_sweep_finish(&sweep);
}

static void an_empty_variant_is_the_one_that_changes_nothing(void **state)
{
	assert_int_equal(parse("[sweep]\nname = x\n[variant plain]\n[variant p]\nsender = reno\n[ variant last]\n"), 0);
	assert_int_equal(sweep.points, 3);
	assert_string_equal(sweep.variant[0].name, "plain");
	assert_null(sweep.variant[0].param[WT_SWEEP_SENDER].text);
	assert_string_equal(sweep.variant[1].param[WT_SWEEP_SENDER].text, "reno");
	assert_string_equal(sweep.variant[2].name, "last");
	assert_null(sweep.variant[2].param[WT_SWEEP_SENDER].text);
	wt_sweep_finish(&sweep);
}

static void nothing_but_a_name_is_one_point_of_ten_repeats(void **state)
{
	assert_int_equal(parse("[sweep]\nname = x"), 0);
	assert_int_equal(sweep.points, 1);
	assert_int_equal(sweep.repeats, 10);
	assert_string_equal(sweep.backend, "sim");
	wt_sweep_finish(&sweep);
}

static void a_bad_file_is_refused_with_its_line_and_what_was_expected(void **state)
{
	static const struct {
		const char *text, *where, *what;
	} bad[] = {
		{"[sweep]\nnmae = x\n", "t.ini:2: ", "did you mean 'name'"},
		{"[sweep]\nname = a b\n", "t.ini:2: ", "expected letters"},
		{"[sweep]\nname = x\nrepeats = some\n", "t.ini:3: ", "repeats: 'some': expected 1 to"},
		{"[sweep]\nname = x\nlate = 3\n", "t.ini:3: ", "late: '3' has no unit"},
		{"[sweep]\nname = x\nrepeats = 0\n", "t.ini:3: ", "expected 1 to"},
		{"[sweep]\nname = x\nbackend = ether\n", "t.ini:3: ", "expected sim, tap or packet"},
		{"[sweep]\nname = x\nstop = 2%\n", "t.ini:3: ", "expected 'rel SHARE max N'"},
		{"[sweep]\nname = x\nrepeats = 5\nstop = rel 2% max 4\n", "t.ini:4: ", "at least repeats"},
		{"[sweep]\nname = x\nrepeats = 2\nstop = rel 2% max 4\n", "t.ini:4: ", "3 or more"},
		{"[sweep]\nname = x\n[axis]\na = 1\n", "t.ini:3: ", "expected [sweep], [axes], [run] or [variant NAME]"},
		{"[sweep]\nname = x\n[axes]\na =\n", "t.ini:4: ", "expected a list"},
		{"[sweep]\nname = x\n[axes]\na = 1 2\nb = 1\na = 3\n", "t.ini:6: ", "first on line 4"},
		{"[sweep]\nname = x\n[axes]\na = 1 2 1\n", "t.ini:4: ", "'1' twice"},
		{"[sweep]\nname = x\n[axes]\na = 'b c\n", "t.ini:4: ", "not closed"},
		{"[sweep]\nname = x\n[axes]\nseed = 1 2\n", "t.ini:4: ", "cannot name an axis"},
		{"[sweep]\nname = x\n[axes]\nvariant = p\n", "t.ini:4: ", "[variant p]"},
		{"[sweep]\nname = x\n[axes]\nvariant = q\n[variant p]\nsender = reno\n", "t.ini:4: ", "no section [variant q]"},
		{"[sweep]\nname = x\n[run]\nsneder = reno\n", "t.ini:4: ", "did you mean 'sender'"},
		{"[sweep]\nname = x\n[run]\nsize = 1MiB\nsize = 2MiB\n", "t.ini:5: ", "first on line 4"},
		{"[sweep]\nname = x\n[variant p]\nsender = reno\n[variant q]\nsender = reno\n[variant p]\nreceiver = real\n", "t.ini:7: ", "first on line 3"},
		{"[sweep]\nname = x\n[empty]\n", "t.ini:3: ", "expected [sweep], [axes]"},
		{"[sweep]\nname = x\n[variant]\nsender = reno\n", "t.ini:3: ", "[variant NAME]"},
		{"[sweep]\nname = x\n[variant a b]\n", "t.ini:3: ", "named by letters"},
		{"name = x\n[sweep]\n", "t.ini:1: ", "expected [sweep] first"},
		{"[sweep]\nname = x\nname = y\n", "t.ini:3: ", "first on line 2"},
		{"[sweep]\nmetric = jain\nname = x\nmetric = frames\n", "t.ini:4: ", "first on line 2"},
		{"[sweep]\nname = x\nseed = 9223372036854775807\n", "t.ini:3: ", "expected 0 to 92233720368"},
		{"[sweep]\nname = x\nstop = rel 2% max 20000000\n", "t.ini:3: ", "more than 10000000 runs"},
		{"\xef\xbb\xbf[sweep]\nname = x\nrepeats = z\n", "t.ini:3: ", "repeats: 'z': expected 1 to"},
		{"[sweep]\nname = x\nwhat\n", "t.ini:3: ", "neither [section] nor name = value"},
		{"[run]\nsize = 1MiB\n", "t.ini:2: ", "no name"},
		{"", "t.ini:1: ", "no name"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i].text), -22);
		if (!strstr(err, bad[i].where) || !strstr(err, bad[i].what))
			fail_msg("%s\n... is refused with: %s", bad[i].text, err);
		wt_sweep_finish(&sweep);
	}
}

static void a_line_too_long_for_the_reader_is_refused_and_not_cut(void **state)
{
	char *text = calloc(1, 70000);

	assert_non_null(text);
	strcpy(text, "[sweep]\nname = x\n[run]\nlink = ");
	memset(text + strlen(text), 'x', 60000);
	strcat(text, "\n");
	assert_int_equal(parse(text), -22);
	assert_non_null(strstr(err, "t.ini:4: the line is too long"));
	wt_sweep_finish(&sweep);
	free(text);
}

static void too_many_runs_are_refused(void **state)
{
	char text[8000] = "[sweep]\nname = x\nrepeats = 1000\n[axes]\n";

	for (unsigned axis = 0; axis < 3; axis++) {
		sprintf(text + strlen(text), "a%u =", axis);
		for (unsigned i = 0; i < 150; i++)
			sprintf(text + strlen(text), " %u%s", i, i % 30 == 29 ? "\n " : "");
		strcat(text, "\n");
	}
	assert_int_equal(parse(text), -22);
	assert_non_null(strstr(err, "more than 10000000 runs"));
	wt_sweep_finish(&sweep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(axes_multiply_with_the_last_one_fastest),
		cmocka_unit_test(words_are_parted_by_blanks_commas_at_their_ends_are_dropped_and_quotes_hold_together),
		cmocka_unit_test(variants_are_the_last_axis_unless_axes_names_it),
		cmocka_unit_test(values_go_on_in_indented_lines_and_comments_are_no_part_of_them),
		cmocka_unit_test(an_empty_variant_is_the_one_that_changes_nothing),
		cmocka_unit_test(nothing_but_a_name_is_one_point_of_ten_repeats),
		cmocka_unit_test(a_bad_file_is_refused_with_its_line_and_what_was_expected),
		cmocka_unit_test(a_line_too_long_for_the_reader_is_refused_and_not_cut),
		cmocka_unit_test(too_many_runs_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
