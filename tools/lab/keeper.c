/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stack/port/port.h"
#include "tools/common/cli.h"
#include "tools/lab/emulator.h"
#include "tools/lab/host.h"
#include "tools/common/interfaces.h"
#include "tools/lab/programs.h"
#include "tools/lab/space.h"

/* What the keeper tells `lab up`, in one packet; if all is well another follows, the hosts' processes. */
struct report {
	int code; /* enum wt_exit */
	char message[400];
	char backend[8];
	pid_t keeper, emulator; /* as the caller's /proc numbers them, and the hosts' */
};

struct keeper {
	struct wt_lab *lab;
	int up; /* socket to `lab up` */
	int owner; /* readable when the owner has ended; -1: none */
	struct wt_lab_host *host; /* as many as the lab has */
	struct wt_lab_emulator emulator;
};

static _Noreturn void give_up(struct keeper *keeper, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Ends the keeper, and with it all that was started. */
static _Noreturn void give_up(struct keeper *keeper, int code, const char *format, ...)
{
	struct report report = {.code = code};
	va_list ap;

	va_start(ap, format);
	vsnprintf(report.message, sizeof(report.message), format, ap);
	va_end(ap);
	send(keeper->up, &report, sizeof(report), MSG_NOSIGNAL);
	_exit(code);
}

/* ---- starting ----------------------------------------------------------------------------------------- */

static void choose_backend(struct keeper *keeper)
{
	struct wt_lab *lab = keeper->lab;
	int tap = keeper->host[0].tap;

	if (strcmp(lab->backend, "auto") == 0)
		strcpy(lab->backend, tap == 0 ? "tap" : "packet");
	else if (strcmp(lab->backend, "tap") == 0 && tap < 0)
		give_up(keeper, WT_EXIT_ENVIRONMENT, "no TAP device here: /dev/net/tun: %s; use --backend packet, or see wavetank doctor",
			strerror(-tap));
}

/* The keeper's ends of the veth pairs, and the hosts' ends through them. */
static void make_veths(struct keeper *keeper)
{
	wt_net_sysctl("ipv6/conf/all/disable_ipv6", "1");
	wt_net_sysctl("ipv6/conf/default/disable_ipv6", "1");
	for (unsigned i = 0; i < keeper->lab->hosts; i++) {
		char name[IFNAMSIZ];
		int result;

		snprintf(name, sizeof(name), "e%.8s", keeper->lab->host[i].name);
		result = wt_net_veth(name, WT_LAB_INTERFACE, keeper->host[i].inner);
		if (result == 0 && !keeper->lab->offload)
			result = wt_offloads_off(name);
		if (result == 0)
			result = wt_net_up(name);
		if (result < 0)
			give_up(keeper, WT_EXIT_ENVIRONMENT, "cannot make a veth pair: %s", strerror(-result));
	}
}

static void start_all(struct keeper *keeper)
{
	struct wt_lab *lab = keeper->lab;
	char err[300];
	int result;

	keeper->host = calloc(lab->hosts, sizeof(*keeper->host));
	if (!keeper->host)
		give_up(keeper, WT_EXIT_ENVIRONMENT, "no memory");
	for (unsigned i = 0; i < lab->hosts; i++) {
		result = wt_lab_host_start(&keeper->host[i], lab, i);
		if (result < 0)
			give_up(keeper, WT_EXIT_ENVIRONMENT, "cannot start host %s: %s", lab->host[i].name, strerror(-result));
		lab->host[i].process.pid = keeper->host[i].outer;
	}
	choose_backend(keeper);
	if (strcmp(lab->backend, "packet") == 0)
		make_veths(keeper);
	/* In the packet backend both ends of a pair must be up before the emulator binds; in the tap backend it makes wt0. */
	for (unsigned pass = 0; pass < 2; pass++) {
		if (pass == (strcmp(lab->backend, "packet") == 0)) {
			result = wt_lab_emulator_start(&keeper->emulator, lab, err, sizeof(err));
			if (result)
				give_up(keeper, result, "%s", err);
			continue;
		}
		for (unsigned i = 0; i < lab->hosts; i++) {
			result = wt_lab_host_configure(&keeper->host[i], lab->offload, err, sizeof(err));
			if (result < 0)
				give_up(keeper, WT_EXIT_ENVIRONMENT, "host %s: %s", lab->host[i].name, err);
		}
	}
	if (lab->programs && (result = wt_lab_programs_start(lab, err, sizeof(err))) != 0)
		give_up(keeper, result, "%s", err);
}

/* ---- living ------------------------------------------------------------------------------------------- */

/* Tells the emulator to end in order (its capture is flushed), for at most three seconds. */
static _Noreturn void end_in_order(struct keeper *keeper, const sigset_t *set)
{
	struct timespec limit = {.tv_sec = 3};

	kill(keeper->emulator.inner, SIGTERM);
	while (sigtimedwait(set, NULL, &limit) >= 0) {
		pid_t gone;

		while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
			if (gone == keeper->emulator.inner)
				_exit(0);
	}
	_exit(1);
}

static bool is_host(const struct keeper *keeper, pid_t pid)
{
	for (unsigned i = 0; i < keeper->lab->hosts; i++)
		if (keeper->host[i].inner == pid)
			return true;
	return false;
}

static _Noreturn void live(struct keeper *keeper)
{
	enum { SIGNAL, OWNER };
	struct pollfd wait[] = {[SIGNAL] = {.events = POLLIN}, [OWNER] = {.fd = keeper->owner, .events = POLLIN}};
	struct signalfd_siginfo info;
	sigset_t set;
	pid_t gone;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	wait[SIGNAL].fd = signalfd(-1, &set, SFD_CLOEXEC);
	for (;;) {
		/* Before waiting: one of ours may have ended before we asked. As process 1 we also bury the orphans of lab exec. */
		while ((gone = waitpid(-1, NULL, WNOHANG)) > 0)
			if (gone == keeper->emulator.inner || is_host(keeper, gone))
				_exit(1);
		if (poll(wait, 2, -1) < 0)
			continue;
		if (wait[OWNER].revents || (wait[SIGNAL].revents && read(wait[SIGNAL].fd, &info, sizeof(info)) == sizeof(info) &&
					    info.ssi_signo == SIGTERM))
			end_in_order(keeper, &set);
	}
}

/* Process 1 of the lab. */
static _Noreturn void keep(struct wt_lab *lab, int up, int owner)
{
	struct keeper keeper = {.lab = lab, .up = up, .owner = owner};
	struct report report = {.code = WT_EXIT_OK};
	size_t size = lab->hosts * sizeof(pid_t);
	pid_t *host = malloc(size);
	char byte;

	if (!host)
		_exit(1);
	report.keeper = wt_lab_outer_pid();
	start_all(&keeper);
	snprintf(report.backend, sizeof(report.backend), "%s", lab->backend);
	report.emulator = keeper.emulator.outer;
	for (unsigned i = 0; i < lab->hosts; i++)
		host[i] = keeper.host[i].outer;
	if (send(up, &report, sizeof(report), MSG_NOSIGNAL) < 0 || send(up, host, size, MSG_NOSIGNAL) < 0 || read(up, &byte, 1) != 1)
		_exit(1); /* `lab up` died, or thought better of it */
	close(up);
	live(&keeper);
}

/* Between `lab up` and the keeper: a session of its own, nothing of the caller's open, new namespaces. */
static _Noreturn void detach(struct wt_lab *lab, int up)
{
	struct keeper keeper = {.lab = lab, .up = 3};
	bool rootless;
	sigset_t set;
	int null, result, owner = -1;
	pid_t child;

	setsid();
	signal(SIGHUP, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	if (up != 3)
		dup3(up, 3, O_CLOEXEC);
	close_range(4, ~0u, 0);
	if (lab->owner.pid && (owner = pidfd_open(lab->owner.pid, 0)) < 0) /* while its number means something */
		give_up(&keeper, WT_EXIT_ENVIRONMENT, "the owner of the lab, process %d: %s", (int)lab->owner.pid, strerror(errno));
	if (chdir("/") < 0)
		_exit(WT_EXIT_ENVIRONMENT);
	result = wt_space_unshare(CLONE_NEWPID | CLONE_NEWNET, &rootless);
	if (result < 0)
		give_up(&keeper, WT_EXIT_ENVIRONMENT, "no namespaces here (%s); wavetank doctor says why and what to do",
			strerror(-result));
	child = fork();
	if (child == 0)
		keep(lab, 3, owner);
	if (child < 0)
		give_up(&keeper, WT_EXIT_ENVIRONMENT, "cannot fork: %s", strerror(errno));
	_exit(0);
}

/* The numbers of all that was started, and since when they mean that. False: the keeper has died. */
static bool take_processes(struct wt_lab *lab, const struct report *report, int up)
{
	size_t size = lab->hosts * sizeof(pid_t);
	pid_t *host = malloc(size);
	bool came = host && recv(up, host, size, 0) == (ssize_t)size;

	lab->keeper = (struct wt_lab_process){report->keeper, wt_process_start(report->keeper)};
	lab->emulator = (struct wt_lab_process){report->emulator, wt_process_start(report->emulator)};
	for (unsigned i = 0; i < lab->hosts && came; i++)
		lab->host[i].process = (struct wt_lab_process){host[i], wt_process_start(host[i])};
	free(host);
	return came;
}

int wt_lab_start(struct wt_lab *lab, int *commit, char *err, size_t err_len)
{
	struct report report;
	int pair[2];
	ssize_t got;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 || (child = fork()) < 0) {
		snprintf(err, err_len, "cannot start a process: %s", strerror(errno));
		return WT_EXIT_ENVIRONMENT;
	}
	if (child == 0) {
		close(pair[0]);
		detach(lab, pair[1]);
	}
	close(pair[1]);
	waitpid(child, NULL, 0);
	got = recv(pair[0], &report, sizeof(report), 0);
	if (got != sizeof(report)) {
		snprintf(err, err_len, "the lab's keeper died while starting");
		close(pair[0]);
		return WT_EXIT_INTERNAL;
	}
	if (report.code) {
		snprintf(err, err_len, "%.*s", (int)sizeof(report.message), report.message);
		close(pair[0]);
		return report.code;
	}
	memcpy(lab->backend, report.backend, sizeof(lab->backend));
	if (!take_processes(lab, &report, pair[0])) {
		snprintf(err, err_len, "the lab's keeper died while starting");
		close(pair[0]);
		return WT_EXIT_INTERNAL;
	}
	*commit = pair[0];
	return WT_EXIT_OK;
}
