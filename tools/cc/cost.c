/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cc/cost.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MSS = 1448, SETTLE = 2000, EVERY = 37 };

/* 100 Mbit/s of frames of 1514 bytes, in segments; the queue holds as many as the path. */
#define SEGMENT_TIME 121120
#define BASE (40 * WT_MS)
#define PIPE (BASE / SEGMENT_TIME)

struct path {
	const struct wt_sender_ops *ops;
	void *state;
	struct wt_sender_out out;
	struct wt_ack ack;
	struct wt_sent sent;
	wt_time lossless_until; /* at most one loss per round trip */
};

/* Shared with the process that counts: what is to be counted is under way. */
static volatile sig_atomic_t *counting;

static void start(struct path *path, const struct wt_sender_choice *choice)
{
	struct wt_cc_env env = {
		.mss = MSS, .buffer = 1u << 26, .initial_window = 10 * MSS, .dupthresh = 3, .tick = 1, .slow_start_limit = 2, .timestamps = true,
		.sack = true,
	};

	path->ops = choice->ops;
	path->state = calloc(1, choice->ops->state_size ? choice->ops->state_size : 1);
	if (!path->state)
		_exit(1);
	if (path->ops->init)
		path->ops->init(path->state, choice->params, &env, &path->out);
	if (path->ops->on_event)
		path->ops->on_event(path->state, WT_CC_ESTABLISHED, &env, &path->out);
}

/* The facts of the next ACK. */
static void next_ack(struct path *path)
{
	struct wt_ack *ack = &path->ack;
	uint32_t window = path->out.cwnd;
	wt_time rtt = (wt_time)(window / MSS) * SEGMENT_TIME;

	rtt = rtt > BASE ? rtt : BASE;
	ack->now += rtt / (window / MSS ? window / MSS : 1);
	ack->flags = WT_ACK_CWND_LIMITED;
	ack->acked = MSS;
	ack->ack += MSS;
	ack->snd_nxt = wt_seq_max(ack->snd_nxt, ack->ack - MSS + window);
	ack->inflight_before = window;
	ack->inflight = window - MSS;
	ack->peer_window = 1u << 30;
	ack->rtt = ack->srtt = rtt;
	ack->min_rtt = BASE;
	ack->prior_delivered = ack->delivered > window ? ack->delivered - window : 0;
	ack->delivered += MSS;
	ack->rate_interval = rtt;
	ack->newest = (struct wt_newest){.len = MSS, .end = ack->ack, .sent = ack->now - rtt, .inflight = window, .total_lost = ack->total_lost};
	path->sent = (struct wt_sent){.now = ack->now, .seq = ack->snd_nxt, .len = MSS, .inflight = window};
}

/* What the engine calls for it. */
static void hooks(struct path *path)
{
	const struct wt_sender_ops *ops = path->ops;

	if (ops->on_ack)
		ops->on_ack(path->state, &path->ack, &path->out);
	if (ops->on_sent)
		ops->on_sent(path->state, &path->sent, &path->out);
	if (ops->deadline && ops->deadline(path->state) <= path->ack.now)
		ops->on_timer(path->state, path->ack.now, &path->out);
}

static void overflow(struct path *path)
{
	struct wt_loss loss = {.now = path->ack.now, .srtt = path->ack.srtt, .why = WT_LOSS_DUPTHRESH, .inflight = path->out.cwnd,
			       .peer_window = 1u << 30};

	if (path->out.cwnd / MSS <= 2 * PIPE || path->ack.now < path->lossless_until)
		return;
	path->lossless_until = path->ack.now + path->ack.srtt;
	path->ack.total_lost += MSS;
	if (path->ops->on_loss)
		path->ops->on_loss(path->state, &loss, &path->out);
}

static void child(const struct wt_sender_choice *choice, uint32_t acks)
{
	struct path path = {0};

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	start(&path, choice);
	for (uint32_t i = 0; i < SETTLE + acks * EVERY; i++) {
		bool counted = i >= SETTLE && i % EVERY == 0;

		next_ack(&path);
		if (counted) {
			raise(SIGSTOP);
			*counting = 1;
		}
		hooks(&path);
		*counting = 0;
		overflow(&path);
	}
	_exit(0);
}

/* Single steps from where the child stopped to the end of the hooks. False: it is gone. */
static bool count(pid_t pid, uint32_t *steps)
{
	bool begun = false;
	int status;

	for (*steps = 0; !begun || *counting; *steps += begun) {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
			return false;
		begun |= *counting != 0;
	}
	return true;
}

static int follow(pid_t pid, struct wt_cc_cost *cost)
{
	uint64_t sum = 0;
	uint32_t steps;
	int status;

	for (;;) {
		if (waitpid(pid, &status, 0) < 0)
			return -errno;
		if (!WIFSTOPPED(status))
			break;
		if (!count(pid, &steps))
			return -ESRCH;
		sum += steps;
		cost->most = steps > cost->most ? steps : cost->most;
		cost->acks++;
		if (ptrace(PTRACE_CONT, pid, NULL, NULL))
			return -errno;
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) || !cost->acks)
		return -EPERM;
	cost->mean = (double)sum / cost->acks;
	return 0;
}

int wt_cc_cost(const struct wt_sender_choice *choice, uint32_t acks, struct wt_cc_cost *cost)
{
	void *shared = mmap(NULL, sizeof(*counting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;
	int error;

	*cost = (struct wt_cc_cost){0};
	if (shared == MAP_FAILED)
		return -errno;
	counting = shared;
	pid = fork();
	if (pid == 0)
		child(choice, acks);
	error = pid < 0 ? -errno : follow(pid, cost);
	if (error && pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	munmap(shared, sizeof(*counting));
	return error;
}
