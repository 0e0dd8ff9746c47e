/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stack/record/create.h"

static char dir[] = "/tmp/wt-create-XXXXXX", why[WT_CREATE_WHY];

static int enter(void **state)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	return chdir("/") || rmdir(dir);
}

/* Another process that has written to a file and keeps it open until it is killed. */
static pid_t writer(const char *path)
{
	int told[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(told), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		int fd = wt_create(path);

		if (fd < 0 || write(fd, "first\n", 6) != 6 || write(told[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(told[1]);
	assert_int_equal(read(told[0], &byte, 1), 1);
	close(told[0]);
	return child;
}

static off_t size_of(const char *path)
{
	struct stat facts;

	assert_int_equal(stat(path, &facts), 0);
	return facts.st_size;
}

static void what_another_writes_is_refused_by_any_name_and_stays_as_it_is(void **state)
{
	pid_t child = writer("log");
	char expected[80];

	assert_int_equal(link("log", "hard"), 0);
	assert_int_equal(symlink("log", "soft"), 0);
	assert_int_equal(wt_create("log"), -EBUSY);
	assert_int_equal(wt_create("hard"), -EBUSY);
	assert_int_equal(wt_create("soft"), -EBUSY);
	assert_int_equal(size_of("log"), 6);
	snprintf(expected, sizeof(expected), "process %d (", (int)child);
	wt_create_why("soft", EBUSY, why);
	/* a process namespace of its own, or a file system of layers, hides who it is */
	assert_true(strstr(why, " is writing it"));
	assert_true(!strncmp(why, expected, strlen(expected)) || !strncmp(why, "another process", 15));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink("hard");
	unlink("soft");
	unlink("log");
}

static void whoever_is_killed_leaves_no_lock(void **state)
{
	pid_t child = writer("log");
	int fd;

	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	fd = wt_create("log");
	assert_true(fd >= 0);
	assert_int_equal(size_of("log"), 0);
	assert_int_equal(wt_create("log"), -EBUSY); /* nor twice by one */
	close(fd);
	unlink("log");
}

static void a_file_that_was_renamed_meanwhile_is_in_nobodys_way(void **state)
{
	pid_t child = writer("log");
	int fd;

	assert_int_equal(rename("log", "log.1"), 0);
	fd = wt_create("log");
	assert_true(fd >= 0);
	assert_int_equal(size_of("log.1"), 6);
	close(fd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink("log");
	unlink("log.1");
}

static void devices_and_pipes_take_everybodys(void **state)
{
	int a = wt_create("/dev/null"), b = wt_create("/dev/null"), pipes[2], one, other;
	char path[40];

	assert_true(a >= 0 && b >= 0);
	assert_int_equal(pipe(pipes), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", pipes[1]);
	one = wt_create(path);
	other = wt_create(path);
	assert_true(one >= 0 && other >= 0);
	close(one);
	close(other);
	close(pipes[0]);
	close(pipes[1]);
	close(a);
	close(b);
}

static void other_reasons_are_those_of_the_system(void **state)
{
	assert_int_equal(wt_create("nowhere/x"), -ENOENT);
	assert_string_equal(wt_create_why("nowhere/x", ENOENT, why), strerror(ENOENT));
	assert_null(wt_create_stream("nowhere/x"));
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_another_writes_is_refused_by_any_name_and_stays_as_it_is),
		cmocka_unit_test(whoever_is_killed_leaves_no_lock),
		cmocka_unit_test(a_file_that_was_renamed_meanwhile_is_in_nobodys_way),
		cmocka_unit_test(devices_and_pipes_take_everybodys),
		cmocka_unit_test(other_reasons_are_those_of_the_system),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
