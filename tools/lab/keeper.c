/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/keeper.h"

#include <errno.h>
#include <fcntl.h>
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
#include "tools/lab/net.h"
#include "tools/lab/space.h"

/* What the keeper tells `lab up`, in one packet. */
struct report {
	int code; /* enum wt_exit */
	char message[400];
	char backend[8];
	pid_t keeper, emulator, host[2]; /* as the caller's /proc numbers them */
};

struct keeper {
	struct wt_lab *lab;
	int up; /* socket to `lab up` */
	int owner; /* readable when the owner has ended; -1: none */
	struct wt_lab_host host[2];
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
	static const char *const name[] = {"ea", "eb"};

	wt_net_sysctl("ipv6/conf/all/disable_ipv6", "1");
	wt_net_sysctl("ipv6/conf/default/disable_ipv6", "1");
	for (unsigned i = 0; i < 2; i++) {
		int result = wt_net_veth(name[i], WT_LAB_INTERFACE, keeper->host[i].inner);

		if (result == 0 && !keeper->lab->offload)
			result = wt_offloads_off(name[i]);
		if (result == 0)
			result = wt_net_up(name[i]);
		if (result < 0)
			give_up(keeper, WT_EXIT_ENVIRONMENT, "cannot make a veth pair: %s", strerror(-result));
	}
}

static void start_all(struct keeper *keeper)
{
	struct wt_lab *lab = keeper->lab;
	char err[300];
	int result;

	for (unsigned i = 0; i < 2; i++) {
		result = wt_lab_host_start(&keeper->host[i], lab->name, i);
		if (result < 0)
			give_up(keeper, WT_EXIT_ENVIRONMENT, "cannot start host %c: %s", 'a' + i, strerror(-result));
	}
	choose_backend(keeper);
	if (strcmp(lab->backend, "packet") == 0)
		make_veths(keeper);
	/* In the packet backend both ends of a pair must be up before the emulator binds; in the tap backend it makes wt0. */
	for (unsigned pass = 0; pass < 2; pass++) {
		if (pass == (strcmp(lab->backend, "packet") == 0)) {
			result = wt_lab_emulator_start(&keeper->emulator, lab, keeper->host[0].outer, keeper->host[1].outer, err,
						       sizeof(err));
			if (result)
				give_up(keeper, result, "%s", err);
			continue;
		}
		for (unsigned i = 0; i < 2; i++) {
			result = wt_lab_host_configure(&keeper->host[i], lab->offload, err, sizeof(err));
			if (result < 0)
				give_up(keeper, WT_EXIT_ENVIRONMENT, "host %c: %s", 'a' + i, err);
		}
	}
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
			if (gone == keeper->emulator.inner || gone == keeper->host[0].inner || gone == keeper->host[1].inner)
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
	char byte;

	report.keeper = wt_lab_outer_pid();
	start_all(&keeper);
	snprintf(report.backend, sizeof(report.backend), "%s", lab->backend);
	report.emulator = keeper.emulator.outer;
	for (unsigned i = 0; i < 2; i++)
		report.host[i] = keeper.host[i].outer;
	if (send(up, &report, sizeof(report), MSG_NOSIGNAL) < 0 || read(up, &byte, 1) != 1)
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

int wt_lab_start(struct wt_lab *lab, int *commit, char *err, size_t err_len)
{
	struct wt_lab_process *const process[] = {&lab->keeper, &lab->emulator, &lab->host[0], &lab->host[1]};
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
	lab->keeper.pid = report.keeper;
	lab->emulator.pid = report.emulator;
	for (unsigned i = 0; i < 2; i++)
		lab->host[i].pid = report.host[i];
	for (unsigned i = 0; i < 4; i++)
		process[i]->start = wt_process_start(process[i]->pid);
	*commit = pair[0];
	return WT_EXIT_OK;
}
