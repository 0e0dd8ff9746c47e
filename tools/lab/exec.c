/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab exec: a command on a host of a lab. It joins the lab's user, pid, network and mount namespaces; the pid namespace only
 * takes children, so we fork, wait and pass the exit code on.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/lab/enter.h"
#include "tools/common/labs.h"
#include "tools/lab/outside.h"

static volatile sig_atomic_t command_pid;

static void pass_on(int number)
{
	if (command_pid > 0)
		kill((pid_t)command_pid, number);
}

/* `parent` is a descriptor of the process that ran `lab exec`. It may have ended before we asked for its signal; its pid says nothing in here. */
static _Noreturn void become(char **argv, int parent)
{
	struct pollfd ended = {.fd = parent, .events = POLLIN};

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (poll(&ended, 1, 0) == 1)
		_exit(128 + SIGTERM);
	execvp(argv[0], argv);
	wt_fail(WT_EXIT_ENVIRONMENT, "cannot run '%s': %s", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* What outlives the lab, from before we enter it. */
struct outside {
	int keeper; /* a descriptor of the process; -1: unknown */
	int folder;
};

static struct outside remember(const struct wt_lab *lab)
{
	char path[WT_LAB_PATH];

	wt_lab_path(path, lab->name, NULL);
	return (struct outside){.keeper = pidfd_open(lab->keeper.pid, 0), .folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
}

/* The exit code of a command that was killed. If its lab ended by itself, as for a full disk, that is the reason, and nobody else says it. */
static int killed(const struct wt_lab *lab, const struct outside *outside, int number)
{
	struct pollfd keeper = {.fd = outside->keeper, .events = POLLIN};
	char words[600];

	if (number != SIGKILL || poll(&keeper, 1, 1000) != 1 || wt_lab_was_ended_at(outside->folder))
		return 128 + number;
	wt_lab_last_words_at(outside->folder, words, sizeof(words));
	return wt_fail(WT_EXIT_ENVIRONMENT, "lab %s has ended by itself, and with it the command%s%s", lab->name, *words ? ": " : "", words);
}

static int run_there(const struct wt_lab *lab, const struct wt_lab_place *host, char **argv)
{
	const struct outside outside = remember(lab);
	static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	struct sigaction pass = {.sa_handler = pass_on};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	sigset_t block, old;
	int result = wt_lab_enter_all(host->process.pid), status;
	const int us = pidfd_open(getpid(), 0);
	pid_t child;

	if (result < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot enter lab '%s': %s", lab->name, strerror(-result));
	self[len < 0 ? 0 : len] = 0;
	wt_lab_set_environment(lab, host, self);
	/* A signal between fork and the handler must not be lost. */
	sigfillset(&block);
	sigprocmask(SIG_BLOCK, &block, &old);
	child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		become(argv, us);
	}
	if (child < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot fork: %s", strerror(errno));
	command_pid = child;
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		sigaction(passed[i], &pass, NULL);
	/* The terminal sends these to the whole foreground group; the command decides, we wait for it. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigprocmask(SIG_SETMASK, &old, NULL);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return wt_fail(WT_EXIT_INTERNAL, "lost the command: %s", strerror(errno));
	/* Not exit(): what runs there may fork (a sanitizer's leak check does), and our children live in another pid namespace now. */
	_exit(WIFSIGNALED(status) ? killed(lab, &outside, WTERMSIG(status)) : WEXITSTATUS(status));
}

static int exec_run(int argc, char **argv)
{
	struct wt_lab lab;
	struct wt_args args;
	char err[200], name[WT_LAB_NAME];
	const char *where = NULL, *colon;
	const struct wt_lab_place *host;
	int option, lock;
	bool found;

	wt_args_init(&args, wt_current_command, argc, argv);
	while ((option = wt_args_next(&args)) == WT_ARGS_WORD && !where)
		where = args.value;
	if (option == WT_ARGS_BAD)
		return WT_EXIT_USAGE;
	colon = where ? strchr(where, ':') : NULL;
	if (!colon || !colon[1] || colon - where >= WT_LAB_NAME)
		return wt_fail(WT_EXIT_USAGE, "%s%s%s; wavetank lab exec NAME:a COMMAND, or NAME:b", where ? "'" : "",
			       where ? where : "the host is missing", where ? "' is not a host of a lab" : "");
	if (option == WT_ARGS_END)
		return wt_fail(WT_EXIT_USAGE, "the command is missing: wavetank lab exec %s COMMAND", where);
	if (wt_lab_refuse_inside())
		return WT_EXIT_USAGE;
	lock = wt_labs_lock(err, sizeof(err));
	if (lock < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	wt_outside_recover();
	snprintf(name, sizeof(name), "%.*s", (int)(colon - where), where);
	found = wt_lab_find(name, &lab);
	close(lock);
	if (!found)
		return wt_fail(WT_EXIT_USAGE, "no lab '%s' is up; wavetank lab status lists them", name);
	host = wt_lab_host(&lab, colon + 1);
	if (!host)
		return wt_fail(WT_EXIT_USAGE, "'%s' is no host; lab '%s' has %u, %s to %s", where, name, lab.hosts, lab.host[0].name,
			       lab.host[lab.hosts - 1].name);
	return run_there(&lab, host, args.argv + args.at - 1);
}

const struct wt_command wt_command_lab_exec = {
	.name = "lab exec",
	.arguments = "NAME:HOST COMMAND [ARGUMENTS]",
	.text = "run a command on a host of a lab; its exit code passes through",
	.run = exec_run,
	.notes = "If the lab ends by itself meanwhile, as when the disk of its capture is full, one line says why, and the exit code is 3.\n"
		 "The command sees the host's network, WAVETANK_LAB, WAVETANK_HOST, WAVETANK_PORT and WAVETANK_ADDRESS, and the names\n"
		 "a, b (kernel addresses), a.engine, b.engine. 126 and 127: the command cannot be run, as in a shell.\n\n"
		 "  wavetank lab exec demo:b iperf3 -s -1 &\n"
		 "  wavetank lab exec demo:a iperf3 -c b -C cubic\n"
		 "  wavetank lab exec demo:a wavetank send -c b -n 5MiB",
};
