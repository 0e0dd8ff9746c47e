/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/lab/host.h"

static int open_output(const char *lab, const char *file)
{
	char path[WT_LAB_PATH];

	wt_lab_path(path, lab, file);
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* The options that lab up has from emu run, where they were given. `cpu` has room for a number. How many words. */
static int say_options(const struct wt_lab *lab, const char **argv, char cpu[12])
{
	const struct {
		const char *option, *value;
	} text[] = {{"--icmp-limit", lab->icmp_limit}, {"--capture", lab->capture}, {"--log", lab->log}, {"--file", lab->file},
		    {"--release", lab->release}, {"--cpu", cpu}};
	const struct {
		const char *option;
		bool is;
	} flag[] = {{"--offload", lab->offload}, {"--realtime", lab->realtime}, {"--awake", lab->awake}};
	int argc = 0;

	*cpu = '\0';
	if (lab->cpu >= 0)
		snprintf(cpu, 12, "%d", lab->cpu);
	for (unsigned i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		if (!text[i].value[0])
			continue;
		argv[argc++] = text[i].option;
		argv[argc++] = text[i].value;
	}
	for (unsigned i = 0; i < sizeof(flag) / sizeof(flag[0]); i++)
		if (flag[i].is)
			argv[argc++] = flag[i].option;
	return argc;
}

/* "tap:wt0@...", and before it the name where a file has the host. On the heap. */
static char *say_port(const struct wt_lab *lab, unsigned i)
{
	const struct wt_lab_place *host = &lab->host[i];
	const char *name = lab->file[0] ? host->name : "", *is = *name ? "=" : "";
	char *port;
	int n = strcmp(lab->backend, "tap") == 0 ?
			asprintf(&port, "%s%stap:%s@/proc/%d/ns/net", name, is, WT_LAB_INTERFACE, (int)host->process.pid) :
			asprintf(&port, "%s%spacket:e%.8s", name, is, host->name);

	return n < 0 ? NULL : port;
}

static _Noreturn void run(const struct wt_lab *lab, int ready)
{
	char seed[24], fd[12], late[32], steal[32], socket[WT_LAB_PATH];
	char cpu[12];
	const char **argv = calloc(40 + 2 * lab->hosts, sizeof(*argv));
	int argc = 0;
	sigset_t none;

	if (!argv)
		_exit(WT_EXIT_ENVIRONMENT);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid(); /* with a share of the processors of its own, see wt_claim_wants_session() */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(open_output(lab->name, "emu.jsonl"), 1);
	dup2(open_output(lab->name, "emu.log"), 2);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)lab->seed);
	snprintf(fd, sizeof(fd), "%d", ready);
	wt_format_share(lab->bounds.steal, steal, sizeof(steal));
	argv[argc++] = "wavetank";
	argv[argc++] = "emu";
	argv[argc++] = "run";
	argv[argc++] = "--json";
	for (unsigned i = 0; i < lab->hosts; i++) {
		argv[argc++] = "--port";
		argv[argc++] = say_port(lab, i);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (lab->file[0] && !lab->given[i])
			continue;
		argv[argc++] = i ? "--rev" : "--fwd";
		argv[argc++] = i ? lab->rev : lab->fwd;
	}
	argv[argc++] = "--seed";
	argv[argc++] = seed;
	argv[argc++] = "--ready-fd";
	argv[argc++] = fd;
	argv[argc++] = "--late";
	argv[argc++] = wt_format_time(lab->bounds.late, late, sizeof(late));
	argv[argc++] = "--steal";
	argv[argc++] = steal;
	wt_lab_path(socket, lab->name, "emu.sock");
	if (strlen(socket) < sizeof(((struct sockaddr_un *)0)->sun_path)) {
		argv[argc++] = "--control";
		argv[argc++] = socket;
	}
	argc += say_options(lab, argv + argc, cpu);
	argv[argc] = NULL;
	if (lab->file[0] && chdir(lab->folder) < 0) { /* the file's relative names count from there */
		dprintf(2, "cannot enter %s: %s\n", lab->folder, strerror(errno));
		_exit(WT_EXIT_ENVIRONMENT);
	}
	execv("/proc/self/exe", (char **)argv);
	dprintf(2, "cannot start the emulator: %s\n", strerror(errno));
	_exit(WT_EXIT_ENVIRONMENT);
}

int wt_lab_emulator_start(struct wt_lab_emulator *emulator, const struct wt_lab *lab, char *err, size_t err_len)
{
	int ready[2], outer[2], status;
	char byte;
	struct pollfd wait;

	if (pipe2(ready, 0) < 0 || pipe2(outer, O_CLOEXEC) < 0 || (emulator->inner = fork()) < 0) {
		snprintf(err, err_len, "cannot start a process: %s", strerror(errno));
		return WT_EXIT_ENVIRONMENT;
	}
	if (emulator->inner == 0) {
		pid_t self = wt_lab_outer_pid();

		close(ready[0]);
		if (write(outer[1], &self, sizeof(self)) != sizeof(self))
			_exit(WT_EXIT_ENVIRONMENT);
		run(lab, ready[1]);
	}
	close(ready[1]);
	close(outer[1]);
	if (read(outer[0], &emulator->outer, sizeof(emulator->outer)) != sizeof(emulator->outer))
		emulator->outer = 0;
	close(outer[0]);
	wait = (struct pollfd){.fd = ready[0], .events = POLLIN};
	if (poll(&wait, 1, 10000) == 0) {
		snprintf(err, err_len, "the emulator did not open its ports within 10 s");
		return WT_EXIT_TIMEOUT;
	}
	if (read(ready[0], &byte, 1) == 1) {
		close(ready[0]);
		return WT_EXIT_OK;
	}
	if (waitpid(emulator->inner, &status, 0) < 0 || !WIFEXITED(status))
		status = WT_EXIT_INTERNAL << 8;
	wt_lab_last_words(lab->name, err, err_len);
	if (!strncmp(err, "emu run: ", 9)) /* who started the lab did not call this command */
		memmove(err, err + 9, err_len - 9);
	if (!*err)
		snprintf(err, err_len, "the emulator ended without a word");
	return WEXITSTATUS(status) ? WEXITSTATUS(status) : WT_EXIT_INTERNAL;
}
