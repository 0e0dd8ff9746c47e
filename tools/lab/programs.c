/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/lab/enter.h"

static _Noreturn void run(const struct wt_lab *lab, const struct wt_lab_place *host, int ready)
{
	char number[12], path[WT_LAB_PATH], self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *argv[] = {"wavetank", "host", "--ready-fd", number, NULL};
	sigset_t none;
	int log, exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	wt_lab_path(path, lab->name, "programs.log"); /* their words for people */
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	dup2(log, 2);
	self[len < 0 ? 0 : len] = 0;
	snprintf(number, sizeof(number), "%d", ready);
	wt_lab_set_environment(lab, host, self);
	if (wt_lab_enter_network(host->process.pid) < 0) {
		dprintf(2, "wavetank host: cannot enter host %s: %s\n", host->name, strerror(errno));
		_exit(WT_EXIT_ENVIRONMENT);
	}
	fexecve(exe, (char **)argv, environ);
	dprintf(2, "wavetank host: cannot start: %s\n", strerror(errno));
	_exit(WT_EXIT_ENVIRONMENT);
}

/* The last line it wrote. */
static void last_words(const struct wt_lab *lab, const struct wt_lab_place *host, char *err, size_t err_len)
{
	char path[WT_LAB_PATH], line[400];
	FILE *file;

	snprintf(err, err_len, "the engine daemon of host %s did not start", host->name);
	wt_lab_path(path, lab->name, "programs.log");
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		snprintf(err, err_len, "host %s: %.*s", host->name, (int)strcspn(line, "\n"), line);
	if (file)
		fclose(file);
}

int wt_lab_programs_start(const struct wt_lab *lab, char *err, size_t err_len)
{
	for (unsigned i = 0; i < lab->hosts; i++) {
		struct pollfd wait;
		int ready[2];
		char byte;
		pid_t child;

		if (pipe2(ready, 0) < 0 || (child = fork()) < 0) {
			snprintf(err, err_len, "cannot start a process: %s", strerror(errno));
			return WT_EXIT_ENVIRONMENT;
		}
		if (child == 0) {
			close(ready[0]);
			run(lab, &lab->host[i], ready[1]);
		}
		close(ready[1]);
		wait = (struct pollfd){.fd = ready[0], .events = POLLIN};
		if (poll(&wait, 1, 10000) <= 0 || read(ready[0], &byte, 1) != 1) {
			last_words(lab, &lab->host[i], err, err_len);
			return WT_EXIT_ENVIRONMENT;
		}
		close(ready[0]);
	}
	return WT_EXIT_OK;
}
