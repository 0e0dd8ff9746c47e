/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/wait.h>

#include <cmocka.h>

#include "tools/common/jobs.h"

struct result {
	uint32_t square;
	char filler[900];
};

struct seen {
	unsigned done[64], lost[64], count;
	volatile int interrupt;
	unsigned interrupt_after;
};

static void work(void *arg, uint32_t index, void *result, const volatile int *stop)
{
	((struct result *)result)->square = index * index;
}

static void dies_at_seven(void *arg, uint32_t index, void *result, const volatile int *stop)
{
	if (index == 7)
		raise(SIGKILL);
	work(arg, index, result, stop);
}

static void waits_for_the_end(void *arg, uint32_t index, void *result, const volatile int *stop)
{
	struct timespec pause = {.tv_nsec = 1000000};

	for (unsigned i = 0; !*stop && i < 20000; i++)
		nanosleep(&pause, NULL);
	((struct result *)result)->square = 4711;
}

static void done(void *arg, uint32_t index, const void *result, bool lost)
{
	struct seen *seen = arg;

	if (lost)
		seen->lost[index]++;
	else
		seen->done[index] = 1 + ((const struct result *)result)->square;
	seen->count++;
}

static void tick(void *arg, uint32_t finished)
{
	struct seen *seen = arg;

	seen->interrupt = 2;
}

static void nothing_is_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void every_job_is_done_once_whatever_the_number_of_workers(void **state)
{
	for (unsigned workers = 1; workers <= 9; workers += 4) {
		struct seen seen = {0};
		struct wt_jobs jobs = {.count = 40, .workers = workers, .result_size = sizeof(struct result), .work = work,
				       .done = done, .arg = &seen};

		assert_int_equal(wt_jobs_run(&jobs), 40);
		for (unsigned i = 0; i < 40; i++)
			assert_int_equal(seen.done[i], 1 + i * i);
		assert_int_equal(seen.count, 40);
		nothing_is_left();
	}
}

static void a_worker_that_dies_costs_one_job(void **state)
{
	for (unsigned workers = 1; workers <= 3; workers++) {
		struct seen seen = {0};
		struct wt_jobs jobs = {.count = 20, .workers = workers, .result_size = sizeof(struct result),
				       .work = dies_at_seven, .done = done, .arg = &seen};

		assert_int_equal(wt_jobs_run(&jobs), 20);
		assert_int_equal(seen.lost[7], 1);
		assert_int_equal(seen.count, 20);
		for (unsigned i = 0; i < 20; i++)
			assert_int_equal(seen.done[i], i == 7 ? 0 : 1 + i * i);
		nothing_is_left();
	}
}

static void an_interrupt_ends_running_jobs_and_starts_no_new_ones(void **state)
{
	struct seen seen = {0};
	struct wt_jobs jobs = {.count = 50, .workers = 2, .result_size = sizeof(struct result), .work = waits_for_the_end,
			       .done = done, .tick = tick, .arg = &seen, .interrupt = &seen.interrupt};

	assert_in_range(wt_jobs_run(&jobs), 0, 2);
	assert_true(seen.count <= 2);
	nothing_is_left();
}

static void no_jobs_are_no_work_and_too_large_results_are_refused(void **state)
{
	struct wt_jobs jobs = {.count = 0, .result_size = 8, .work = work, .done = done};

	assert_int_equal(wt_jobs_run(&jobs), 0);
	jobs.count = 1;
	jobs.result_size = WT_JOB_RESULT_MAX + 1;
	assert_int_equal(wt_jobs_run(&jobs), -EMSGSIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_job_is_done_once_whatever_the_number_of_workers),
		cmocka_unit_test(a_worker_that_dies_costs_one_job),
		cmocka_unit_test(an_interrupt_ends_running_jobs_and_starts_no_new_ones),
		cmocka_unit_test(no_jobs_are_no_work_and_too_large_results_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
