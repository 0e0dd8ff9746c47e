/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank run: a program whose TCP is the engine's. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/host/host.h"
#include "tools/common/labs.h"

enum { OPT_CC, OPT_RCC, OPT_KERNELS, OPT_ENGINES };

static const struct wt_option options[] = {
	[OPT_CC] = {0, "cc", "MODULE", "sender module of the program's connections (default: the daemon's)"},
	[OPT_RCC] = {0, "rcc", "MODULE", "receiver module (default: the daemon's)"},
	[OPT_KERNELS] = {0, "kernels", NULL, "also use the engine for connections to the lab's kernels"},
	[OPT_ENGINES] = {0, "engines", "ADDRESSES", "outside a lab: the addresses of engines, 10.0.0.1 10.0.0.5-10.0.0.9"},
};

struct run {
	const char *cc, *rcc, *engines;
	bool kernels;
};

/* The addresses of all engines of the lab, with the kernels' if they are to be reached by the engine as well. NULL: no lab, or no memory. */
static char *lab_engines(bool kernels)
{
	const char *path = getenv("WAVETANK_HOSTS");
	FILE *file = path ? fopen(path, "re") : NULL;
	char line[200], text[64], name[64], *engines = NULL;
	struct wt_addr kernel, engine;
	size_t size = 0;
	FILE *out = file ? open_memstream(&engines, &size) : NULL;

	while (out && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %*s %63s", text, name) != 2 || !strstr(name, ".kernel") || !wt_addr_parse(text, &kernel))
			continue;
		for (unsigned i = 0; i < WT_LAB_ENGINES; i++) {
			engine = wt_lab_engine_addr(&kernel, i);
			fprintf(out, "%s ", wt_addr_format(&engine, text));
		}
		if (kernels)
			fprintf(out, "%s ", wt_addr_format(&kernel, text));
	}
	if (file)
		fclose(file);
	if (out)
		fclose(out);
	return engines;
}

static bool daemon_answers(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool answers;

	memcpy(un.sun_path + 1, WT_HOST_CONTROL, sizeof(WT_HOST_CONTROL) - 1);
	answers = fd >= 0 && connect(fd, (struct sockaddr *)&un, offsetof(struct sockaddr_un, sun_path) + sizeof(WT_HOST_CONTROL)) == 0;
	if (fd >= 0)
		close(fd);
	return answers;
}

/* Beside this program in a build tree, else where it is installed. */
static bool find_library(char path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *slash;

	self[len < 0 ? 0 : len] = 0;
	slash = strrchr(self, '/');
	if (slash && snprintf(path, PATH_MAX, "%.*s/preload/libwavetank-preload.so", (int)(slash - self), self) < PATH_MAX && access(path, R_OK) == 0)
		return true;
	snprintf(path, PATH_MAX, "%s/wavetank/libwavetank-preload.so", WT_LIBDIR);
	return access(path, R_OK) == 0;
}

/* What no library can be preloaded into runs over the kernel, and a lab refuses it: better said at once. */
static bool is_static(const char *program)
{
	unsigned char head[64], entry[56];
	FILE *file;
	bool dynamic = false;
	unsigned long offset = 0;
	unsigned size, count;

	file = fopen(program, "re");
	if (!file)
		return false;
	if (fread(head, 1, sizeof(head), file) != sizeof(head) || memcmp(head, "\177ELF\2\1", 6) != 0) { /* a script, or another machine's */
		fclose(file);
		return false;
	}
	memcpy(&offset, head + 32, 8);
	size = head[54] | (unsigned)head[55] << 8;
	count = head[56] | (unsigned)head[57] << 8;
	for (unsigned i = 0; i < count && size == sizeof(entry); i++)
		if (fseek(file, (long)(offset + i * size), SEEK_SET) == 0 && fread(entry, 1, size, file) == size && entry[0] == 3)
			dynamic = true; /* PT_INTERP */
	fclose(file);
	return !dynamic;
}

/* A program that gets another identity or capabilities by exec() ignores LD_PRELOAD (ld.so(8), secure-execution mode). Whom a user namespace
 * does not map, it shows as 65534, and the kernel takes no notice of such a bit. */
static bool is_privileged(const char *program)
{
	enum { UNMAPPED = 65534 };
	struct stat st;
	char value[64];

	if (stat(program, &st) < 0)
		return false;
	return (st.st_mode & S_ISUID && st.st_uid != geteuid() && st.st_uid != UNMAPPED) ||
	       ((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getegid() && st.st_gid != UNMAPPED) ||
	       (geteuid() && getxattr(program, "security.capability", value, sizeof(value)) > 0);
}

static bool find_program(const char *name, char path[PATH_MAX])
{
	const char *list = getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin";

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	while (*list) {
		size_t len = strcspn(list, ":");

		if (snprintf(path, PATH_MAX, "%.*s/%s", (int)len, len ? list : ".", name) < PATH_MAX && access(path, X_OK) == 0)
			return true;
		list += len + (list[len] == ':');
	}
	return false;
}

static int check_modules(const struct run *run)
{
	const struct wt_tcp_words words = {.sender = run->cc, .receiver = run->rcc};
	struct wt_tcp_config config;
	char err[400];

	if ((run->cc && strlen(run->cc) >= WT_HOST_MODULE) || (run->rcc && strlen(run->rcc) >= WT_HOST_MODULE))
		return wt_fail(WT_EXIT_USAGE, "a module with its parameters may have at most %d characters", WT_HOST_MODULE - 1);
	if ((run->cc && strchr(run->cc, '/')) || (run->rcc && strchr(run->rcc, '/')))
		return wt_fail(WT_EXIT_USAGE, "a module from a file is loaded by the daemon: wavetank host -C %s", run->cc ? run->cc : run->rcc);
	wt_tcp_config_init(&config);
	return wt_tcp_words_apply(&words, &config, err, sizeof(err)) ? wt_fail(WT_EXIT_USAGE, "%s", err) : WT_EXIT_OK;
}

static int set_environment(const struct run *run)
{
	char library[PATH_MAX], both[2 * PATH_MAX];
	const char *old = getenv("LD_PRELOAD");
	char *engines = run->engines ? strdup(run->engines) : lab_engines(run->kernels);

	if (!engines || !*engines)
		return wt_fail(WT_EXIT_USAGE, "the addresses of the engines are missing: outside a lab give --engines");
	if (!find_library(library))
		return wt_fail(WT_EXIT_ENVIRONMENT, "the library to preload is missing: %s", library);
	if (!daemon_answers())
		return wt_fail(WT_EXIT_ENVIRONMENT, "no engine daemon runs here: wavetank lab up --programs starts one on each host, wavetank host one here");
	snprintf(both, sizeof(both), "%s%s%s", library, old && *old ? ":" : "", old ? old : "");
	if (strpbrk(library, " :"))
		return wt_fail(WT_EXIT_ENVIRONMENT, "the library's path has a blank or a colon, which LD_PRELOAD cannot name: %s", library);
	setenv("LD_PRELOAD", both, 1);
	setenv("WAVETANK_ENGINES", engines, 1);
	if (run->cc)
		setenv("WAVETANK_CC", run->cc, 1);
	if (run->rcc)
		setenv("WAVETANK_RCC", run->rcc, 1);
	free(engines);
	return WT_EXIT_OK;
}

static int run_run(int argc, char **argv)
{
	struct run run = {0};
	struct wt_args args;
	char path[PATH_MAX];
	char **command;
	int option, code;

	wt_args_init(&args, wt_current_command, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END && option != WT_ARGS_WORD) {
		switch (option) {
		case WT_ARGS_BAD: return WT_EXIT_USAGE;
		case OPT_CC: run.cc = args.value; break;
		case OPT_RCC: run.rcc = args.value; break;
		case OPT_KERNELS: run.kernels = true; break;
		case OPT_ENGINES: run.engines = args.value; break;
		}
	}
	if (option == WT_ARGS_END)
		return wt_fail(WT_EXIT_USAGE, "the program is missing: wavetank run [OPTIONS] -- curl http://b.engine/");
	command = args.argv + args.at - 1;
	code = check_modules(&run);
	if (!code)
		code = set_environment(&run);
	if (code)
		return code;
	if (find_program(command[0], path)) {
		if (is_static(path))
			return wt_fail(WT_EXIT_USAGE, "%s is statically linked: nothing can be preloaded; see --socks and --redirect of wavetank host", path);
		if (is_privileged(path))
			return wt_fail(WT_EXIT_USAGE, "%s is setuid, setgid or has capabilities: nothing can be preloaded; see --socks and --redirect of wavetank host",
				       path);
		execv(path, command);
	} else {
		errno = ENOENT;
	}
	wt_fail(WT_EXIT_ENVIRONMENT, "cannot run '%s': %s", command[0], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

const struct wt_command wt_command_run = {
	.name = "run",
	.arguments = "-- COMMAND [ARGUMENTS]",
	.text = "run a program over the engine of this host",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run_run,
	.notes = "Connections to engine addresses and listeners are the engine's; all else stays the kernel's.\n\n"
		 "  wavetank lab up demo --programs --link 'delay 15ms loss 1%'\n"
		 "  wavetank lab exec demo:b wavetank run -- nginx\n"
		 "  wavetank lab exec demo:a wavetank run --cc real --rcc real -- curl http://b.engine/",
};
