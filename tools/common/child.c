/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/progress.h"

static void become(char *const argv[], int out, int err)
{
	int null = open("/dev/null", O_RDWR);

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	setpgid(0, 0);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	dup2(null, STDIN_FILENO);
	dup2(out >= 0 ? out : null, STDOUT_FILENO);
	dup2(err >= 0 ? err : null, STDERR_FILENO);
	execv(argv[0], argv);
	_exit(127);
}

int wt_child_start(struct wt_child *child, char *const argv[], bool want_out, bool want_err)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1};

	*child = (struct wt_child){.out = -1, .err = -1};
	if (want_out && pipe2(out, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	if (want_err && pipe2(err, O_CLOEXEC | O_NONBLOCK)) {
		int error = -errno;

		if (want_out) {
			close(out[0]);
			close(out[1]);
		}
		return error;
	}
	if (want_out)
		fcntl(out[1], F_SETFL, 0); /* the child may block on us, we not on it */
	if (want_err)
		fcntl(err[1], F_SETFL, 0);
	child->pid = fork();
	if (child->pid == 0)
		become(argv, out[1], err[1]);
	if (want_out)
		close(out[1]);
	if (want_err)
		close(err[1]);
	child->out = out[0];
	child->err = err[0];
	if (child->pid < 0) {
		int error = -errno;

		child->pid = 0;
		wt_child_end(child, 0, NULL);
		return error;
	}
	return 0;
}

bool wt_child_read(int fd, char *text, size_t len, const char *until, double seconds, const volatile int *stop)
{
	double end = wt_wall_clock() + seconds;
	size_t at = strlen(text);
	char scrap[1024];

	while (!(stop && *stop) && wt_wall_clock() < end) {
		struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (until && strstr(text, until))
			return true;
		if (poll(&poll_fd, 1, 200) <= 0)
			continue;
		n = read(fd, scrap, sizeof(scrap));
		if (n == 0)
			return !until;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		for (ssize_t i = 0; i < n && at + 1 < len; i++)
			text[at++] = scrap[i];
		text[at] = '\0';
	}
	return false;
}

/* Has it ended within `seconds`? */
static bool wait_for(struct wt_child *child, double seconds, int *status, const volatile int *stop)
{
	double end = wt_wall_clock() + seconds;
	struct timespec pause = {.tv_nsec = 20000000};

	for (;;) {
		pid_t pid = waitpid(child->pid, status, WNOHANG);

		if (pid == child->pid || (pid < 0 && errno != EINTR))
			return true;
		if (wt_wall_clock() >= end || (stop && *stop))
			return false;
		nanosleep(&pause, NULL);
	}
}

int wt_child_end(struct wt_child *child, double seconds, const volatile int *stop)
{
	int status = 0;
	bool forced = false;

	/* Not before it ended: a closed pipe would end it by SIGPIPE. */
	if (child->pid && !wait_for(child, seconds, &status, stop)) {
		forced = true;
		kill(child->pid, SIGTERM);
		if (!wait_for(child, 5, &status, NULL)) {
			kill(child->pid, SIGKILL);
			wait_for(child, 5, &status, NULL);
		}
	}
	child->pid = 0;
	if (child->out >= 0)
		close(child->out);
	if (child->err >= 0)
		close(child->err);
	child->out = child->err = -1;
	return forced ? 124 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void wt_words_add(struct wt_words *words, const char *word)
{
	if (words->count + 1 < WT_WORDS_MAX)
		words->at[words->count++] = word;
}

void wt_words_option(struct wt_words *words, const char *option, const char *value)
{
	if (value && *value) {
		wt_words_add(words, option);
		wt_words_add(words, value);
	}
}

int wt_child_start_words(struct wt_child *child, const struct wt_words *words, bool want_out, bool want_err)
{
	/* execv() takes char *const[] for history's sake and does not write to it. */
	return wt_child_start(child, (char *const *)(uintptr_t)words->at, want_out, want_err);
}
