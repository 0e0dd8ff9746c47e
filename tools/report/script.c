/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/report/script.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/cli.h"

/* Debian's, because its matplotlib is the one we know; a Python of the user's may stand before it in the PATH. */
#define PYTHON "/usr/bin/python3"

FILE *wt_report_request(void)
{
	return tmpfile();
}

static bool found(char *path, size_t len, const char *folder, const char *rest)
{
	int n = snprintf(path, len, "%s/%s/report.py", folder, rest);

	return n > 0 && (size_t)n < len && access(path, R_OK) == 0;
}

/* Beside the program in a build folder; below share/ of its prefix once installed. */
static bool find(char *path, size_t len)
{
	const char *data = getenv("WAVETANK_DATA");
	char program[512];
	ssize_t n;

	if (data && *data && found(path, len, data, "report"))
		return true;
	n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	if (n > 0) {
		char *slash;

		program[n] = '\0';
		slash = strrchr(program, '/');
		if (slash)
			*slash = '\0';
		if (found(path, len, program, "report") || found(path, len, program, "../share/wavetank/report"))
			return true;
	}
	return found(path, len, WT_DATADIR, "wavetank/report");
}

static volatile pid_t child;

/* The script ends its own processes, and takes away what it has begun. */
static void pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

int wt_report_script(FILE *request)
{
	char script[600];
	int status = 0;

	if (fflush(request) || ferror(request) || fseek(request, 0, SEEK_SET)) {
		fclose(request);
		return wt_fail(WT_EXIT_ENVIRONMENT, "temporary file: %s", strerror(errno));
	}
	if (!find(script, sizeof(script)) || access(PYTHON, X_OK)) {
		bool python = access(PYTHON, X_OK) == 0;

		fclose(request);
		return python ? wt_fail(WT_EXIT_ENVIRONMENT, "report.py is not installed beside this program; $WAVETANK_DATA/report may hold it")
			      : wt_fail(WT_EXIT_ENVIRONMENT, "no " PYTHON ", which draws figures: apt-get install python3-matplotlib");
	}
	fflush(NULL);
	child = fork();
	if (child == 0) {
		/* -B: no compiled files into a folder that may be everybody's */
		if (dup2(fileno(request), 0) == 0)
			execl(PYTHON, PYTHON, "-B", script, wt_quiet ? "--quiet" : (char *)NULL, (char *)NULL);
		_exit(WT_EXIT_ENVIRONMENT);
	}
	fclose(request);
	signal(SIGINT, pass_on);
	signal(SIGTERM, pass_on);
	if (child < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no process: %s", strerror(errno));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
