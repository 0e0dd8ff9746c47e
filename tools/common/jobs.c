/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/jobs.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDLE UINT32_MAX

struct worker {
	pid_t pid; /* 0: none */
	int fd;
	void *result; /* shared with it; what nobody writes costs no memory */
	uint32_t job; /* IDLE: none */
};

struct pool {
	const struct wt_jobs *jobs;
	struct worker *workers;
	struct pollfd *polls;
	unsigned count, alive;
	uint32_t next, finished;
	bool told; /* workers were told to end */
};

/* Zeroes a result, and gives back the memory of what the one before it had. */
static void clear(const struct wt_jobs *jobs, void *result)
{
	if (madvise(result, jobs->result_size, MADV_REMOVE))
		memset(result, 0, jobs->result_size);
}

unsigned wt_cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* ---- in the worker ------------------------------------------------------------------------------------ */

static volatile int told_to_stop;

static void on_term(int number)
{
	told_to_stop = number;
}

/* A message is a job's number, one packet of a SOCK_SEQPACKET pair each way: no partial reads. */
static void worker_main(const struct wt_jobs *jobs, int fd, void *result)
{
	struct sigaction act = {.sa_handler = on_term};
	uint32_t index;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigaction(SIGTERM, &act, NULL);
	signal(SIGINT, SIG_IGN); /* ^C and a terminal's end go to the whole group; the parent decides */
	signal(SIGHUP, SIG_IGN);
	while (!told_to_stop && recv(fd, &index, sizeof(index), 0) == sizeof(index)) {
		clear(jobs, result);
		jobs->work(jobs->arg, index, result, &told_to_stop);
		if (send(fd, &index, sizeof(index), MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* ---- in the parent ------------------------------------------------------------------------------------ */

static int start(struct pool *pool, struct worker *worker)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fflush(NULL);
	worker->pid = fork();
	if (worker->pid < 0) {
		int error = -errno;

		worker->pid = 0;
		close(pair[0]);
		close(pair[1]);
		return error;
	}
	if (worker->pid == 0) {
		for (unsigned i = 0; i < pool->count; i++)
			if (pool->workers[i].fd >= 0)
				close(pool->workers[i].fd);
		close(pair[0]);
		worker_main(pool->jobs, pair[1], worker->result);
	}
	close(pair[1]);
	worker->fd = pair[0];
	worker->job = IDLE;
	pool->alive++;
	return 0;
}

/* The worker is gone, or will be: its descriptor is closed, its job lost. */
static void reap(struct pool *pool, struct worker *worker)
{
	close(worker->fd);
	worker->fd = -1;
	while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
		;
	worker->pid = 0;
	pool->alive--;
	if (worker->job != IDLE && !pool->told) {
		pool->finished++;
		clear(pool->jobs, worker->result);
		pool->jobs->done(pool->jobs->arg, worker->job, worker->result, true);
	}
	worker->job = IDLE;
}

/* Gives the worker its next job; with none left, closes its end, at which it exits. */
static void feed(struct pool *pool, struct worker *worker)
{
	if (pool->told || pool->next == pool->jobs->count) {
		reap(pool, worker);
		return;
	}
	worker->job = pool->next++;
	if (send(worker->fd, &worker->job, sizeof(worker->job), MSG_NOSIGNAL) < 0)
		reap(pool, worker);
}

static void hear(struct pool *pool, struct worker *worker)
{
	uint32_t index;
	ssize_t n = recv(worker->fd, &index, sizeof(index), 0);

	if (n < 0 && errno == EINTR)
		return;
	if (n != sizeof(index) || index != worker->job) {
		reap(pool, worker);
		if (!pool->told && pool->next < pool->jobs->count && start(pool, worker) == 0)
			feed(pool, worker);
		return;
	}
	worker->job = IDLE;
	pool->finished++;
	pool->jobs->done(pool->jobs->arg, index, worker->result, false);
	feed(pool, worker);
}

static void tell(struct pool *pool)
{
	pool->told = true;
	for (unsigned i = 0; i < pool->count; i++)
		if (pool->workers[i].pid)
			kill(pool->workers[i].pid, SIGTERM);
}

static void loop(struct pool *pool)
{
	while (pool->alive) {
		if (pool->jobs->interrupt && *pool->jobs->interrupt && !pool->told)
			tell(pool);
		for (unsigned i = 0; i < pool->count; i++)
			pool->polls[i] = (struct pollfd){.fd = pool->workers[i].fd, .events = POLLIN};
		if (poll(pool->polls, pool->count, 500) > 0)
			for (unsigned i = 0; i < pool->count; i++)
				if (pool->polls[i].revents && pool->workers[i].pid)
					hear(pool, &pool->workers[i]);
		if (pool->jobs->tick)
			pool->jobs->tick(pool->jobs->arg, pool->finished);
	}
}

static int prepare(const struct wt_jobs *jobs, struct worker *worker)
{
	void *result = mmap(NULL, jobs->result_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	worker->fd = -1;
	worker->result = result == MAP_FAILED ? NULL : result;
	return worker->result ? 0 : -ENOMEM;
}

int64_t wt_jobs_run(const struct wt_jobs *jobs)
{
	struct pool pool = {.jobs = jobs};
	int error = 0;

	if (!jobs->count)
		return 0;
	if (jobs->result_size > WT_JOB_RESULT_MAX)
		return -EMSGSIZE;
	pool.count = jobs->workers ? jobs->workers : wt_cores();
	if (pool.count > jobs->count)
		pool.count = jobs->count;
	pool.workers = calloc(pool.count, sizeof(*pool.workers));
	pool.polls = calloc(pool.count, sizeof(*pool.polls));
	if (!pool.workers || !pool.polls)
		error = -ENOMEM;
	for (unsigned i = 0; i < pool.count && !error; i++)
		error = prepare(jobs, &pool.workers[i]);
	for (unsigned i = 0; i < pool.count && !error; i++) {
		error = start(&pool, &pool.workers[i]);
		if (error && pool.alive) { /* fewer will do */
			error = 0;
			break;
		}
	}
	for (unsigned i = 0; i < pool.count && !error; i++)
		if (pool.workers[i].pid && pool.workers[i].job == IDLE)
			feed(&pool, &pool.workers[i]);
	if (!error)
		loop(&pool);
	for (unsigned i = 0; i < pool.count && pool.workers; i++)
		if (pool.workers[i].result)
			munmap(pool.workers[i].result, jobs->result_size);
	free(pool.workers);
	free(pool.polls);
	return error ? error : (int64_t)pool.finished;
}
