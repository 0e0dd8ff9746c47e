/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "tools/sweep/kernel.h"
#include "tools/sweep/point.h"

#define HEAD "[sweep]\nname = n\nbackend = tap\n"

static char err[600];

static char *digest_of(const char *text, const char *kernel, char digest[WT_SHA256_TEXT])
{
	static struct wt_sweep_run run;
	static struct wt_sweep sweep;

	assert_int_equal(wt_sweep_parse(&sweep, text, "t.ini", err, sizeof(err)), 0);
	snprintf(sweep.kernel, sizeof(sweep.kernel), "%s", kernel);
	assert_int_equal(wt_sweep_resolve(&sweep, 0, &run, err, sizeof(err)), 0);
	assert_int_equal(wt_sweep_digest(&sweep, &run, digest), 0);
	wt_sweep_finish(&sweep);
	return digest;
}

static void runs_of_the_kernels_stack_are_named_by_its_release_and_ours_are_not(void **state)
{
	char a[WT_SHA256_TEXT], b[WT_SHA256_TEXT];

	assert_string_not_equal(digest_of(HEAD "[run]\nstack = kernel:reno\n", "6.1.0", a), digest_of(HEAD "[run]\nstack = kernel:reno\n", "6.2.0", b));
	assert_string_equal(digest_of(HEAD "[run]\nstack = kernel:reno\n", "6.2.0", a), b);
	assert_string_equal(digest_of(HEAD "[run]\nstack = user:reno\n", "6.1.0", a), digest_of(HEAD "[run]\nstack = user:reno\n", "6.2.0", b));
}

/* A results folder with what begun under each of the releases, "%" this host's. The number of them; sweep->kernel is the choice. */
static unsigned choose(struct wt_sweep *sweep, const char *const releases[], unsigned count, char *found, size_t len)
{
	char dir[] = "/tmp/wt-kernel-XXXXXX", path[64], here[WT_KERNEL_RELEASE];
	struct wt_sweep_store store;
	unsigned kernels;
	FILE *file;

	wt_kernel_release(here);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/done.jsonl", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "{\"record\":\"start\",\"kernel\":\"%s\"}\n", *releases[i] == '%' ? here : releases[i]);
	fclose(file);
	memset(sweep, 0, sizeof(*sweep));
	assert_int_equal(wt_sweep_store_open(&store, dir, "goodput_kBps", err, sizeof(err)), 0);
	kernels = wt_sweep_kernel_choose(sweep, &store, found, len);
	wt_sweep_store_close(&store);
	unlink(path);
	rmdir(dir);
	return kernels;
}

static void what_is_read_is_of_this_kernel_if_there_is_any_else_of_the_first(void **state)
{
	char here[WT_KERNEL_RELEASE], found[200];
	struct wt_sweep sweep;

	wt_kernel_release(here);
	assert_int_equal(choose(&sweep, NULL, 0, found, sizeof(found)), 0);
	assert_string_equal(sweep.kernel, here);
	assert_int_equal(choose(&sweep, (const char *const[]){"other", "other"}, 2, found, sizeof(found)), 1);
	assert_string_equal(sweep.kernel, "other");
	assert_int_equal(choose(&sweep, (const char *const[]){"b", "a", "b"}, 3, found, sizeof(found)), 2);
	assert_string_equal(sweep.kernel, "b");
	assert_string_equal(found, "b, a");
	assert_int_equal(choose(&sweep, (const char *const[]){"other", "%"}, 2, found, sizeof(found)), 2);
	assert_string_equal(sweep.kernel, here);
	assert_int_equal(choose(&sweep, (const char *const[]){"other", "%"}, 2, found, 4), 2); /* no room for the list */
}

static void the_kernel_is_asked_what_it_has(void **state)
{
	char names[300];

	assert_true(wt_kernel_has("reno"));
	assert_false(wt_kernel_has("nosuch"));
	assert_non_null(strstr(wt_kernel_names(names, sizeof(names)), "reno"));
}

/* 0, or what is refused. */
static const char *check(const char *text)
{
	struct wt_sweep_state st;
	struct wt_sweep sweep;
	int error;

	assert_int_equal(wt_sweep_parse(&sweep, text, "t.ini", err, sizeof(err)), 0);
	assert_int_equal(wt_sweep_state_init(&st, &sweep, "/nonexistent", err, sizeof(err)), 0);
	assert_int_equal(wt_sweep_state_name(&st, err, sizeof(err)), 0);
	error = wt_sweep_kernel_check(&st, err, sizeof(err));
	wt_sweep_state_finish(&st);
	wt_sweep_finish(&sweep);
	return error ? err : NULL;
}

static void a_name_that_this_kernel_has_not_is_refused_where_it_stands(void **state)
{
	const char *why = check(HEAD "[axes]\nstack = user kernel:reno kernel:nosuch\n");

	assert_non_null(why);
	assert_non_null(strstr(why, "t.ini:5: stack: the kernel of this host has no congestion control 'nosuch'; it has "));
	assert_non_null(strstr(why, "(at stack=kernel:nosuch)"));
	assert_null(check(HEAD "[axes]\nstack = user kernel:reno\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_the_kernels_stack_are_named_by_its_release_and_ours_are_not),
		cmocka_unit_test(what_is_read_is_of_this_kernel_if_there_is_any_else_of_the_first),
		cmocka_unit_test(the_kernel_is_asked_what_it_has),
		cmocka_unit_test(a_name_that_this_kernel_has_not_is_refused_where_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
