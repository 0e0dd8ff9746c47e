/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab exec: a command on a host of a lab. It joins the lab's user, pid, network and mount namespaces; the pid namespace only
 * takes children, so we fork, wait and pass the exit code on.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/lab/state.h"

static volatile sig_atomic_t command_pid;

static void pass_on(int number)
{
	if (command_pid > 0)
		kill((pid_t)command_pid, number);
}

/* 1: entered; 0: ours already; negative errno. */
static int enter(pid_t pid, const char *type, int flag)
{
	char path[64];
	struct stat ours, theirs;
	int fd, result;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", type);
	if (stat(path, &ours) < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, type);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &theirs) < 0)
		result = -errno;
	else if (ours.st_ino == theirs.st_ino)
		result = 0; /* setns() into one's own user namespace is refused */
	else
		result = setns(fd, flag) < 0 ? -errno : 1;
	close(fd);
	return result;
}

/* Then chroot(2), which takes a capability, is not needed. */
static bool is_root(int fd)
{
	struct stat there, root;

	return !fstat(fd, &there) && !stat("/", &root) && there.st_dev == root.st_dev && there.st_ino == root.st_ino;
}

static int enter_all(pid_t pid)
{
	static const struct {
		const char *type;
		int flag;
	} spaces[] = {{"user", CLONE_NEWUSER}, {"pid", CLONE_NEWPID}, {"net", CLONE_NEWNET}, {"mnt", CLONE_NEWNS}};
	char cwd[PATH_MAX], root[64];
	bool known = getcwd(cwd, sizeof(cwd)) != NULL;
	int fd;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		int result = enter(pid, spaces[i].type, spaces[i].flag);

		if (result < 0) {
			close(fd);
			return result;
		}
	}
	/* The mount namespace took us to its root. The lab's may be another, where lab up was called in a chroot. */
	if (fchdir(fd) < 0 || (!is_root(fd) && chroot(".") < 0)) {
		close(fd);
		return -errno;
	}
	close(fd);
	if (!known || chdir(cwd) < 0)
		return chdir("/") < 0 ? -errno : 0;
	return 0;
}

/* Our own folder goes first in PATH, so that `lab exec demo:a wavetank send` is this same program. */
static void set_environment(const struct wt_lab *lab, const struct wt_lab_place *host, const char *self)
{
	char path[8192], address[WT_ADDR_TEXT + 4], gateway[WT_ADDR_TEXT + 20], hosts[WT_LAB_PATH];
	const char *old = getenv("PATH"), *slash = strrchr(self, '/');
	struct wt_addr addr = wt_lab_engine_addr(&host->addr, 0);
	const uint8_t *mac = host->gateway_mac.bytes;

	wt_addr_format(&addr, address);
	snprintf(address + strlen(address), 4, "/%u", host->prefix_len % 100);
	wt_addr_format(&host->gateway, gateway);
	snprintf(gateway + strlen(gateway), 20, " %02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	wt_lab_path(hosts, lab->name, "hosts");
	setenv("WAVETANK_LAB", lab->name, 1);
	setenv("WAVETANK_HOST", host->name, 1);
	setenv("WAVETANK_PORT", "packet:" WT_LAB_INTERFACE, 1);
	setenv("WAVETANK_ADDRESS", address, 1);
	setenv("WAVETANK_HOSTS", hosts, 1);
	if (host->gateway.family)
		setenv("WAVETANK_GATEWAY", gateway, 1);
	if (slash && snprintf(path, sizeof(path), "%.*s:%s", (int)(slash - self), self, old ? old : "/usr/bin:/bin") < (int)sizeof(path))
		setenv("PATH", path, 1);
}

static _Noreturn void become(char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	execvp(argv[0], argv);
	wt_fail(WT_EXIT_ENVIRONMENT, "cannot run '%s': %s", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static int run_there(const struct wt_lab *lab, const struct wt_lab_place *host, char **argv)
{
	static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	struct sigaction pass = {.sa_handler = pass_on};
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	sigset_t block, old;
	int result = enter_all(host->process.pid), status;
	pid_t child;

	if (result < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot enter lab '%s': %s", lab->name, strerror(-result));
	self[len < 0 ? 0 : len] = 0;
	set_environment(lab, host, self);
	/* A signal between fork and the handler must not be lost. */
	sigfillset(&block);
	sigprocmask(SIG_BLOCK, &block, &old);
	child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		become(argv);
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
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
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
		return wt_fail(WT_EXIT_USAGE, "%s%s%swhere? wavetank lab exec NAME:a COMMAND, or NAME:b", where ? "'" : "",
			       where ? where : "", where ? "' is no host; " : "");
	if (option == WT_ARGS_END)
		return wt_fail(WT_EXIT_USAGE, "which command? wavetank lab exec %s COMMAND", where);
	if (wt_lab_refuse_inside())
		return WT_EXIT_USAGE;
	lock = wt_labs_lock(err, sizeof(err));
	if (lock < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
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
	.notes = "The command sees the host's network, WAVETANK_LAB, WAVETANK_HOST, WAVETANK_PORT and WAVETANK_ADDRESS, and the names\n"
		 "a, b (kernel addresses), a.engine, b.engine. 126 and 127: the command cannot be run, as in a shell.\n\n"
		 "  wavetank lab exec demo:b iperf3 -s -1 &\n"
		 "  wavetank lab exec demo:a iperf3 -c b -C cubic\n"
		 "  wavetank lab exec demo:a wavetank send -c b -n 5MiB",
};
