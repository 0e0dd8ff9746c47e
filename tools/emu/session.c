/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/emu/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/cli.h"

static volatile sig_atomic_t emulator;

static void pass_on(int number)
{
	kill((pid_t)emulator, number);
}

/* The emulator's stand-in where it was called: its signals go there, its end is ours. */
static int stand_in(const sigset_t *old)
{
	static const int passed[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction pass = {.sa_handler = pass_on};
	int status;

	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		sigaction(passed[i], &pass, NULL);
	sigprocmask(SIG_SETMASK, old, NULL);
	while (waitpid((pid_t)emulator, &status, 0) < 0)
		if (errno != EINTR)
			return wt_fail(WT_EXIT_INTERNAL, "lost the emulator: %s", strerror(errno));
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int wt_emu_own_session(void)
{
	pid_t caller = getpid();
	sigset_t block, old;

	fflush(NULL);
	sigfillset(&block); /* a signal between fork and the handler must not be lost */
	sigprocmask(SIG_BLOCK, &block, &old);
	emulator = (sig_atomic_t)fork();
	if (emulator < 0) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot fork: %s", strerror(errno));
	}
	if (emulator)
		return stand_in(&old);
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != caller) /* it had ended before that was said */
		raise(SIGTERM);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return WT_EMU_GOES_ON;
}
