/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/python.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/ending.h"

/* Debian's, because its matplotlib is the one we know; a Python of the user's may stand before it in the PATH. */
#define PYTHON "/usr/bin/python3"
#define WORDS 32

static bool found(char *path, size_t len, const char *folder, const char *between, const char *room, const char *script)
{
	int n = snprintf(path, len, "%s/%s%s/%s", folder, between, room, script);

	return n > 0 && (size_t)n < len && access(path, R_OK) == 0;
}

/* Beside the program in a build folder; below share/ of its prefix once installed. */
static bool find(char *path, size_t len, const char *room, const char *script)
{
	const char *data = getenv("WAVETANK_DATA");
	char program[512];
	ssize_t n;

	if (data && *data && found(path, len, data, "", room, script))
		return true;
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (n > 0) {
		char *slash;

		program[n] = '\0';
		slash = strrchr(program, '/');
		if (slash)
			*slash = '\0';
		if (found(path, len, program, "", room, script) || found(path, len, program, "../share/wavetank/", room, script))
			return true;
	}
	return found(path, len, WT_DATADIR, "wavetank/", room, script);
}

static volatile pid_t child;

static void pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

/* -B: no compiled files into a folder that may be everybody's. The signals stay blocked: the script unblocks them when it has handlers. */
static void become(const char *path, int input, const char *const *words, pid_t parent)
{
	const char *argv[WORDS + 4] = {PYTHON, "-B", path};
	unsigned count = 3;

	while (*words && count < WORDS + 3)
		argv[count++] = *words++;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent && (input < 0 || dup2(input, 0) == 0))
		execv(PYTHON, (char *const *)argv);
	_exit(WT_EXIT_ENVIRONMENT);
}

int wt_python_run(const char *room, const char *script, const char *package, int input, const char *const *words)
{
	pid_t parent = getpid();
	sigset_t set, before;
	char path[600];
	int status = 0;

	if (access(PYTHON, X_OK))
		return wt_fail(WT_EXIT_ENVIRONMENT, "no " PYTHON ": apt-get install %s", package);
	if (!find(path, sizeof(path), room, script))
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s is not installed beside this program; $WAVETANK_DATA/%s may hold it", script, room);
	fflush(NULL);
	wt_ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &before); /* one that comes before the child is known would end us alone */
	child = fork();
	if (child == 0)
		become(path, input, words, parent);
	wt_on_ending(pass_on);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (child < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no process: %s", strerror(errno));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
