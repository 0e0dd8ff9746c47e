/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tables' settings were fitted to: the file inside the program, and how it is measured on results written for the purpose. */
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

#include "tools/paper/calibration.h"
#include "tools/paper/table.h"

static struct wt_calibration calibration;

static void load(void)
{
	char err[300];

	if (wt_calibration_load(&calibration, err, sizeof(err)))
		fail_msg("%s", err);
}

static void every_table_belongs_to_one_family(void **state)
{
	load();
	for (unsigned i = 0; wt_paper_files[i].id; i++) {
		const char *name = strchr(wt_paper_files[i].id, '/') + 1;
		unsigned found = 0;

		if (strncmp(wt_paper_files[i].id, "tcp-real-2001/", 14) != 0)
			continue;
		for (unsigned f = 0; f < calibration.families; f++)
			for (unsigned t = 0; t < calibration.family[f].tables; t++)
				found += !strcmp(calibration.family[f].table[t].name, name);
		if (found != (strcmp(name, "figure1") != 0))
			fail_msg("%s is in %u families", name, found);
	}
}

static void what_a_family_was_fitted_to_are_rows_and_protocols_of_its_tables(void **state)
{
	struct wt_paper *paper = calloc(1, sizeof(*paper));

	load();
	for (unsigned f = 0; f < calibration.families; f++) {
		char list[200], *save = NULL, err[300];

		snprintf(list, sizeof(list), "%s", calibration.family[f].fitted);
		for (char *one = strtok_r(list, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
			char *words = NULL, *table = strtok_r(one, " ", &words), *variant = strtok_r(NULL, " ", &words), *row, id[64];
			unsigned own = 0, known = 0;

			for (unsigned t = 0; t < calibration.family[f].tables; t++)
				own += !strcmp(calibration.family[f].table[t].name, table);
			assert_int_equal(own, 1);
			snprintf(id, sizeof(id), "tcp-real-2001/%s", table);
			assert_int_equal(wt_paper_load(id, NULL, paper, err, sizeof(err)), 0);
			for (unsigned v = 0; v < paper->variants; v++)
				known += !strcmp(variant, "*") || !strcmp(variant, paper->variant[v].name);
			assert_true(known);
			while ((row = strtok_r(NULL, " ", &words))) {
				known = 0;
				for (unsigned p = 0; p < paper->points; p++)
					known += !strcmp(row, paper->point[p].label);
				assert_int_equal(known, 1);
			}
		}
	}
	free(paper);
}

static void fitted_cells_and_predicted_ones_are_measured_apart(void **state)
{
	static const char *const variants[] = {"real", "reno", "tahoe"};
	static const double ours[] = {549.67 * 2, 310.98 / 2, 308.75 * 1.05}; /* of Table 3: twice, half, 5 % more */
	char dir[] = "/tmp/wavetank-calibration-XXXXXX", path[96];
	struct wt_misfit fitted, predicted;
	FILE *file;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/table3", dir);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/table3/runs.jsonl", dir);
	file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "{\"record\":\"plan\",\"name\":\"tcp-real-2001/table3\",\"seed\":1,\"most_repeats\":2}\n");
	for (unsigned k = 0; k < 2; k++)
		for (unsigned v = 0; v < 3; v++)
			fprintf(file, "{\"record\":\"run\",\"row\":\"0.99\",\"variant\":\"%s\",\"repeat\":%u,\"outcome\":\"ok\",\"metrics\":{\"goodput_kBps\":%.4f}}\n",
				variants[v], k, ours[v]);
	fclose(file);
	load();
	assert_int_equal(wt_calibration_measure(&calibration, dir), 1);
	fitted = wt_misfit_sum(&calibration.family[2], 1);
	predicted = wt_misfit_sum(&calibration.family[2], 0);
	assert_int_equal(fitted.cells, 2);
	assert_int_equal(fitted.near, 0);
	assert_true(fabs(wt_misfit_factor(&fitted) - 2) < 1e-6);
	assert_int_equal(predicted.cells, 1);
	assert_int_equal(predicted.near, 1);
	assert_true(fabs(wt_misfit_factor(&predicted) - 1.05) < 1e-6);
	unlink(path);
	path[strlen(dir) + 7] = '\0';
	rmdir(path);
	rmdir(dir);
	assert_int_equal(wt_calibration_measure(&calibration, dir), 0);
}

static void a_bad_file_is_refused_with_its_line(void **state)
{
	static const char *const bad[] = {"[all]\nwhat = x\n", "[families]\nwhy = x\n", "[family a]\nchoices = x\n", "[family a]\ntables = x\n"};
	char err[300];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		*err = '\0';
		assert_int_not_equal(wt_calibration_parse(bad[i], "c.ini", &calibration, err, sizeof(err)), 0);
		assert_non_null(strstr(err, "c.ini"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_belongs_to_one_family),
		cmocka_unit_test(what_a_family_was_fitted_to_are_rows_and_protocols_of_its_tables),
		cmocka_unit_test(fitted_cells_and_predicted_ones_are_measured_apart),
		cmocka_unit_test(a_bad_file_is_refused_with_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
