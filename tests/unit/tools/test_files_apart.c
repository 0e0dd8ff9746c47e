/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/common/files_apart.h"

static char dir[] = "/tmp/wt-apart-XXXXXX", err[600];

static int enter(void **state)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	return chdir("/") || rmdir(dir);
}

static bool apart(const char *a, const char *b)
{
	const struct wt_named_file file[] = {{"--capture", a}, {"--trace", NULL}, {"--log", b}};

	return wt_files_apart(file, 3, err, sizeof(err)) == 0;
}

static void a_file_is_itself_under_any_name(void **state)
{
	FILE *file = fopen("there", "w");

	assert_non_null(file);
	fclose(file);
	assert_int_equal(symlink("there", "soft"), 0);
	assert_int_equal(link("there", "hard"), 0);
	assert_false(apart("there", "there"));
	assert_string_equal(err, "--capture and --log are one file, there; expected two");
	assert_false(apart("there", "./there"));
	assert_false(apart("soft", "hard"));
	assert_true(apart("there", "elsewhere"));
	assert_true(apart(NULL, "there"));
	unlink("soft");
	unlink("hard");
	unlink("there");
}

static void what_words_name_is_not_written(void **state)
{
	const struct wt_named_file file[] = {{"--capture", NULL}, {"--log", "./there"}};
	struct wt_samples_cache cache = {0};
	FILE *trace = fopen("there", "w");

	assert_non_null(trace);
	fputs("10\n", trace);
	fclose(trace);
	wt_samples_put(&cache, wt_samples_read("there", WT_SAMPLES_TRACE, err, sizeof(err)));
	wt_samples_release(cache.first);
	assert_int_equal(wt_files_apart_from_words(file, 2, &cache, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "--log and a file that words name are one file, ./there; expected two");
	assert_int_equal(wt_files_apart_from_words(file, 1, &cache, err, sizeof(err)), 0);
	wt_samples_clear(&cache);
	unlink("there");
}

static void so_is_one_that_does_not_exist_yet(void **state)
{
	char whole[100];

	snprintf(whole, sizeof(whole), "%s/x", dir);
	assert_false(apart("x", "x"));
	assert_false(apart("x", "./x"));
	assert_false(apart(whole, "x"));
	assert_true(apart("x", "y"));
	assert_true(apart("nowhere/x", "nowhere/x")); /* opening them tells what is wrong */
}

static void so_is_one_that_links_lead_to(void **state)
{
	char whole[100];

	snprintf(whole, sizeof(whole), "%s/x", dir);
	assert_int_equal(symlink("x", "one"), 0);
	assert_int_equal(symlink("./one", "two"), 0);
	assert_int_equal(symlink(whole, "three"), 0);
	assert_int_equal(symlink("itself", "itself"), 0);
	assert_false(apart("x", "one"));
	assert_false(apart("two", "three"));
	assert_true(apart("two", "y"));
	assert_true(apart("itself", "x"));
	unlink("one");
	unlink("two");
	unlink("three");
	unlink("itself");
}

static void what_is_no_file_may_take_everything(void **state)
{
	assert_true(apart("/dev/null", "/dev/null"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_itself_under_any_name),
		cmocka_unit_test(what_words_name_is_not_written),
		cmocka_unit_test(so_is_one_that_does_not_exist_yet),
		cmocka_unit_test(so_is_one_that_links_lead_to),
		cmocka_unit_test(what_is_no_file_may_take_everything),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
