/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lab run: a world in real time, by one command.
 *
 *   lab run ──┬── host a1: a network namespace of its own, in it the TAP wt0; on that an engine, or the kernel, with the flows of a1
 *             ├── host a2 ...
 *             └── emulator: `wavetank emu run -f FILE`, with the other ends of the TAPs: routers, links and what changes
 *
 * All of it ends with this process. The hosts share a clock: flows begin at times that count from one instant, told to each before.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "emu/daemon/options.h"
#include "stack/port/port.h"
#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/common/ending.h"
#include "tools/common/json_copy.h"
#include "tools/lab/kernel_host.h"
#include "tools/common/interfaces.h"
#include "tools/lab/space.h"
#include "tools/common/labs.h"
#include "tools/lab/world_host.h"
#include "tools/lab/world_result.h"

extern const struct wt_command wt_command_lab_run;

enum { OPT_SEED, OPT_TIME, OPT_BACKEND, OPT_LATE, OPT_STEAL, OPT_JSON };

static const struct wt_option options[] = {
	[OPT_SEED] = {0, "seed", "N", "seed of all random draws (default: the file's, or 1)"},
	[OPT_TIME] = {'t', "time", "TIME", "the run ends after this time (default: the file's, or when all flows are done)"},
	[OPT_BACKEND] = {0, "backend", "NAME", "auto, tap or packet (default auto: tap where it works)"},
	[OPT_LATE] = {0, "late", "TIME", "the run is valid if 99 % of the frames leave at most this late (default: the file's, or 1ms)"},
	[OPT_STEAL] = {0, "steal", "SHARE", "... and the hypervisor takes at most this share of the processors (default: the file's, or 1%)"},
	[OPT_JSON] = {'J', "json", NULL, "the result as one JSON line, as sim --json has it"},
};

/* From when all are ready to when they begin, so that each has been told; and what a run may take beyond its time. */
enum { READY_MS = 200, READY_EACH_MS = 3, LATE_S = 20, CUT_S = 5 };

struct host {
	pid_t pid;
	int talk; /* a byte each way: its namespace is there; configure it; it is ready. Then the time of the start */
	int out;  /* its lines */
	bool done, kernel;
	size_t len;
};

struct lab {
	const char *file;
	struct wt_world world;
	struct wt_options options;
	struct wt_app_flow *flow;
	struct host *host;
	char **text; /* by host: its lines */
	const char *backend;
	bool veth;
	pid_t emulator;
	int record; /* what it writes: a file in memory */
	int64_t began;  /* scenario time 0 by the clock of the wall; 0: not told yet */
	int64_t cut_at; /* when it was interrupted, by the signal `cut`; 0: it was not */
	int cut;
	bool json;
	char err[600];
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static int complain(struct lab *lab, const char *what, int error)
{
	snprintf(lab->err, sizeof(lab->err), "%s: %s", what, strerror(error));
	return WT_EXIT_ENVIRONMENT;
}

/* ---- a host: from here on a process of its own ------------------------------------------------------------ */

static int64_t wall_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * WT_S + now.tv_nsec;
}

static _Noreturn void be_host(struct lab *lab, unsigned i, int talk, int out, pid_t parent)
{
	char byte = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0); /* only the parent gets a signal to the group (a terminal, timeout(1)); it ends us when it has our lines */
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, SIG_IGN); /* until the flows begin */
	if (getppid() != parent || unshare(CLONE_NEWNET) < 0)
		_exit(WT_EXIT_ENVIRONMENT);
	/* router solicitations have no place in a measurement */
	wt_net_sysctl("ipv6/conf/all/disable_ipv6", "1");
	wt_net_sysctl("ipv6/conf/default/disable_ipv6", "1");
	if (write(talk, &byte, 1) != 1 || read(talk, &byte, 1) != 1)
		_exit(WT_EXIT_ENVIRONMENT);
	if (lab->veth)
		wt_offloads_off(WT_LAB_INTERFACE);
	/* the interface's queue stands between the host and the emulator's own queue; it must not be the one that drops */
	if (wt_net_up("lo") || wt_net_queue_length(WT_LAB_INTERFACE, 10000) || (lab->host[i].kernel && wt_kernel_host_mac(&lab->world, i)) ||
	    wt_net_up(WT_LAB_INTERFACE))
		_exit(WT_EXIT_ENVIRONMENT);
	wt_net_wait_running(WT_LAB_INTERFACE);
	if (lab->options.realtime && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}))
		_exit(wt_fail(WT_EXIT_ENVIRONMENT, "realtime: host %s: %s", lab->world.host[i].name, strerror(errno)));
	_exit((lab->host[i].kernel ? wt_kernel_host_run : wt_world_host_run)(&lab->world, lab->flow, i, talk, out));
}

static int start_host(struct lab *lab, unsigned i)
{
	struct host *host = &lab->host[i];
	pid_t parent = getpid();
	int pair[2], lines[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) || pipe2(lines, O_CLOEXEC))
		return complain(lab, "host", errno);
	host->pid = fork();
	if (host->pid == 0) {
		close(pair[0]);
		close(lines[0]);
		be_host(lab, i, pair[1], lines[1], parent);
	}
	close(pair[1]);
	close(lines[1]);
	host->talk = pair[0];
	host->out = lines[0];
	if (host->pid < 0 || read(host->talk, &byte, 1) != 1) {
		snprintf(lab->err, sizeof(lab->err), "host %s: no namespace of its own; wavetank doctor says why", lab->world.host[i].name);
		return WT_EXIT_ENVIRONMENT;
	}
	return WT_EXIT_OK;
}

/* Its interface is one end of a veth pair, and the emulator has the other, here. */
static int make_veth(struct lab *lab, unsigned i)
{
	char name[IFNAMSIZ];
	int result;

	snprintf(name, sizeof(name), "e%u", i);
	result = wt_net_veth(name, WT_LAB_INTERFACE, lab->host[i].pid);
	if (!result)
		result = wt_offloads_off(name);
	return !result || result == -EOPNOTSUPP ? wt_net_up(name) : result;
}

static int make_veths(struct lab *lab)
{
	int result = 0;

	wt_net_sysctl("ipv6/conf/all/disable_ipv6", "1");
	wt_net_sysctl("ipv6/conf/default/disable_ipv6", "1");
	for (unsigned i = 0; i < lab->world.hosts && !result; i++)
		result = make_veth(lab, i);
	return result ? complain(lab, "cannot make a veth pair", -result) : WT_EXIT_OK;
}

/* ---- the emulator ----------------------------------------------------------------------------------------- */

static _Noreturn void be_emulator(const struct lab *lab, int ready)
{
	unsigned hosts = lab->world.hosts, count = 0;
	const char **word = calloc(2 * hosts + 20, sizeof(*word));
	char seed[24], fd[12], late[32], steal[32];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0); /* as in be_host() */
	snprintf(seed, sizeof(seed), "%" PRIu64, lab->world.seed);
	snprintf(fd, sizeof(fd), "%d", ready);
	wt_format_share(lab->options.bounds.steal, steal, sizeof(steal));
	wt_format_time(lab->options.bounds.late, late, sizeof(late));
	for (const char *const *one = (const char *const[]){"wavetank", "emu", "run", "--quiet", "--json", "--file", lab->file, "--seed", seed,
							     "--ready-fd", fd, "--late", late, "--steal", steal, NULL}; word && *one; one++)
		word[count++] = *one;
	for (unsigned i = 0; i < hosts && word; i++) {
		char *port;

		if ((lab->veth ? asprintf(&port, "%s=packet:e%u", lab->world.host[i].name, i) :
				 asprintf(&port, "%s=tap:" WT_LAB_INTERFACE "@/proc/%d/ns/net", lab->world.host[i].name, (int)lab->host[i].pid)) < 0)
			_exit(WT_EXIT_ENVIRONMENT);
		word[count++] = "--port";
		word[count++] = port;
	}
	dup2(lab->record, STDOUT_FILENO);
	if (word)
		execv("/proc/self/exe", (char *const *)(uintptr_t)word);
	_exit(WT_EXIT_ENVIRONMENT);
}

static int start_emulator(struct lab *lab)
{
	int ready[2];
	char byte;
	ssize_t got;

	lab->record = memfd_create("record", MFD_CLOEXEC);
	if (lab->record < 0 || pipe(ready) || fcntl(ready[0], F_SETFD, FD_CLOEXEC))
		return complain(lab, "emulator", errno);
	lab->emulator = fork();
	if (lab->emulator == 0)
		be_emulator(lab, ready[1]);
	close(ready[1]);
	got = read(ready[0], &byte, 1);
	close(ready[0]);
	if (lab->emulator > 0 && got == 1)
		return WT_EXIT_OK;
	snprintf(lab->err, sizeof(lab->err), "the emulator did not start"); /* it has said why */
	return WT_EXIT_ENVIRONMENT;
}

/* ---- the run ---------------------------------------------------------------------------------------------- */

/* Has each host configure its interface, until all are ready. */
static int configure(struct lab *lab)
{
	char byte;

	for (unsigned i = 0; i < lab->world.hosts; i++)
		if (write(lab->host[i].talk, "", 1) != 1)
			return complain(lab, "host", errno);
	for (unsigned i = 0; i < lab->world.hosts; i++)
		if (read(lab->host[i].talk, &byte, 1) != 1) {
			snprintf(lab->err, sizeof(lab->err), "host %s: cannot configure its interface", lab->world.host[i].name);
			return WT_EXIT_ENVIRONMENT;
		}
	return WT_EXIT_OK;
}

/* The emulator makes TAPs, and the hosts configure them; of veth pairs both ends are up before it opens them. */
static int make_ready(struct lab *lab)
{
	int code = lab->veth ? make_veths(lab) : start_emulator(lab);

	if (!code)
		code = configure(lab);
	return code || !lab->veth ? code : start_emulator(lab);
}

/* Tells all when it begins. */
static int begin(struct lab *lab)
{
	int64_t at;

	at = wall_clock() + (READY_MS + (int64_t)READY_EACH_MS * lab->world.hosts) * WT_MS;
	for (unsigned i = 0; i < lab->world.hosts; i++)
		if (write(lab->host[i].talk, &at, sizeof(at)) != sizeof(at))
			return complain(lab, "host", errno);
	lab->began = at;
	return WT_EXIT_OK;
}

/* What a host has written; false: it has ended. */
static bool take_lines(struct host *host, char **text)
{
	char *more = realloc(*text, host->len + 65537);
	ssize_t got = more ? read(host->out, more + host->len, 65536) : -1;

	*text = more ? more : *text;
	if (got <= 0)
		return false;
	host->len += (size_t)got;
	more[host->len] = 0;
	host->done |= host->len >= 5 && !strcmp(more + host->len - 5, "done\n");
	return true;
}

/*
 * Interrupted: every engine says what its flows have done until now, for which it has CUT_S. A second signal, or one before the flows begin,
 * leaves no result.
 */
static int cut(struct lab *lab, int64_t *until)
{
	int number = interrupted;

	interrupted = 0;
	if (lab->cut || !lab->began || wall_clock() < lab->began) {
		snprintf(lab->err, sizeof(lab->err), "interrupted");
		return 128 + number;
	}
	lab->cut = number;
	lab->cut_at = wall_clock();
	*until = lab->cut_at + CUT_S * WT_S;
	for (unsigned i = 0; i < lab->world.hosts; i++) {
		kill(lab->host[i].pid, SIGUSR1);
		lab->host[i].done |= lab->host[i].kernel;
	}
	return WT_EXIT_OK;
}

/* Until every host is done, one has died, or it takes too long. */
static int wait_for_all(struct lab *lab)
{
	unsigned hosts = lab->world.hosts, left = hosts;
	struct pollfd *wait = calloc(hosts, sizeof(*wait));
	wt_time time = lab->world.time ? lab->world.time : lab->world.limit;
	int64_t until = wall_clock() + time + LATE_S * WT_S;
	int code = wait ? WT_EXIT_OK : complain(lab, "lab", ENOMEM);

	while (!code && left) {
		if (interrupted) {
			code = cut(lab, &until);
		} else if (wall_clock() > until) {
			if (lab->cut)
				break;
			snprintf(lab->err, sizeof(lab->err), "not finished in time");
			code = WT_EXIT_TIMEOUT;
		}
		left = 0;
		for (unsigned i = 0; i < hosts; i++) {
			wait[i] = (struct pollfd){.fd = lab->host[i].done ? -1 : lab->host[i].out, .events = POLLIN};
			left += !lab->host[i].done;
		}
		if (code || !left || poll(wait, hosts, 200) <= 0)
			continue;
		for (unsigned i = 0; i < hosts && !code; i++)
			if (wait[i].revents && !take_lines(&lab->host[i], &lab->text[i])) {
				snprintf(lab->err, sizeof(lab->err), "host %s ended early", lab->world.host[i].name);
				code = WT_EXIT_ENVIRONMENT;
			}
	}
	free(wait);
	return code;
}

static void end_hosts(struct lab *lab, int signal_number)
{
	for (unsigned i = 0; lab->host && i < lab->world.hosts; i++) {
		if (lab->host[i].pid <= 0)
			continue;
		kill(lab->host[i].pid, signal_number);
		waitpid(lab->host[i].pid, NULL, 0);
		lab->host[i].pid = 0;
	}
}

/*
 * The emulator first, in order: its record is of the run. A run that failed has none, and its hosts go first: one that is not up yet would
 * complain of a TAP that is gone.
 */
static void end_all(struct lab *lab, bool failed)
{
	if (failed)
		end_hosts(lab, SIGKILL);
	if (lab->emulator > 0) {
		kill(lab->emulator, SIGTERM);
		waitpid(lab->emulator, NULL, 0);
	}
	end_hosts(lab, SIGTERM);
}

/* The last line of the emulator's output. */
static json_t *read_record(const struct lab *lab)
{
	off_t len = lseek(lab->record, 0, SEEK_END);
	char *text = len > 0 ? calloc(1, (size_t)len + 1) : NULL;
	json_t *record = text && pread(lab->record, text, (size_t)len, 0) == len ? wt_json_last_line(text) : NULL;

	free(text);
	return record;
}

static int conclude(struct lab *lab)
{
	json_t *record = read_record(lab), *flows = wt_world_result_flows(&lab->world, lab->text);
	int code = wt_world_result_tell(&lab->world, lab->veth ? "packet" : "tap", lab->json, flows, record, lab->cut);

	json_decref(record);
	json_decref(flows);
	if (lab->cut)
		return wt_fail(128 + lab->cut, "interrupted: the result is of the first %.3f s", (double)(lab->cut_at - lab->began) / WT_S);
	return code;
}

/* ---- the command ------------------------------------------------------------------------------------------ */

/* What the command line says, which goes before the file. */
struct said {
	bool seeded;
	uint64_t seed;
	wt_time time;
	struct wt_verdict_bounds bounds;
};

struct line {
	struct lab *lab;
	struct said *said;
};

static int take_time(const char *value, struct said *said, char *err, size_t err_len)
{
	int error = wt_parse_time(value, &said->time, err, err_len);

	if (!error && said->time <= 0)
		return wt_invalid(err, err_len, "expected more than 0s");
	return error;
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct said *said = ((struct line *)arg)->said;
	struct lab *lab = ((struct line *)arg)->lab;

	switch (option) {
	case WT_ARGS_WORD:
		if (lab->file)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one file at a time", value);
		lab->file = value;
		return 0;
	case OPT_JSON: lab->json = true; return 0;
	case OPT_SEED: said->seeded = true; return wt_parse_count(value, &said->seed, err, err_len);
	case OPT_TIME: return take_time(value, said, err, err_len);
	case OPT_LATE: return wt_parse_time(value, &said->bounds.late, err, err_len);
	case OPT_STEAL: return wt_parse_share(value, &said->bounds.steal, err, err_len);
	case OPT_BACKEND:
		lab->backend = value;
		if (!strcmp(value, "auto") || !strcmp(value, "tap") || !strcmp(value, "packet"))
			return 0;
		snprintf(err, err_len, "'%.40s': expected auto, tap or packet", value);
		return -EINVAL;
	}
	return 0;
}

static int read_line(struct lab *lab, int argc, char **argv)
{
	struct said said = {.bounds = {.late = -1, .steal = -1}};
	const struct wt_world_keys keys = {wt_options_of_file, &lab->options};
	char err[800] = "";
	int code = wt_args_each(argc, argv, take, &(struct line){lab, &said});

	if (code)
		return code;
	if (!lab->file)
		return wt_fail(WT_EXIT_USAGE, "the file is missing: wavetank lab run FILE, see wavetank-emu.conf(5)");
	if (wt_world_read(&lab->world, lab->file, &keys, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	lab->world.seed = said.seeded ? said.seed : lab->world.seed;
	lab->world.time = said.time > 0 ? said.time : lab->world.time;
	lab->options.bounds.late = said.bounds.late >= 0 ? said.bounds.late : lab->options.bounds.late;
	lab->options.bounds.steal = said.bounds.steal >= 0 ? said.bounds.steal : lab->options.bounds.steal;
	for (unsigned i = 0; i < lab->world.hosts; i++)
		lab->world.host[i].placement = WT_INSIDE; /* of our own making */
	if (wt_options_check(&lab->options, err, sizeof(err)) || wt_options_files(&lab->options, lab->options.capture, lab->options.log,
	    lab->options.control, err, sizeof(err)) || wt_options_user(&lab->options, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (wt_world_check(&lab->world, err, sizeof(err)) || !(lab->flow = wt_flows_resolve(&lab->world, err, sizeof(err))))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (!lab->world.flows)
		return wt_fail(WT_EXIT_USAGE, "%s: [flow NAME] is missing: no host sends anything", lab->file);
	return WT_EXIT_OK;
}

static int run(struct lab *lab)
{
	bool rootless;
	int result, code = WT_EXIT_OK;

	wt_on_ending(on_signal);
	lab->host = calloc(lab->world.hosts, sizeof(*lab->host));
	lab->text = calloc(lab->world.hosts, sizeof(*lab->text));
	result = lab->host && lab->text ? wt_space_unshare(CLONE_NEWNET, &rootless) : -ENOMEM;
	if (result)
		return complain(lab, "no namespaces here; wavetank doctor says why", -result);
	result = strcmp(lab->backend, "packet") ? wt_space_probe_tap() : 0;
	if (result && strcmp(lab->backend, "auto"))
		return complain(lab, "no TAP device here (wavetank doctor says how to open it): /dev/net/tun", -result);
	lab->veth = result || !strcmp(lab->backend, "packet");
	for (unsigned i = 0; i < lab->world.flows; i++)
		for (unsigned end = 0; end < 2; end++)
			lab->host[lab->world.flow[i].host[end]].kernel |= lab->flow[i].kernel != NULL;
	for (unsigned i = 0; i < lab->world.hosts && !code; i++)
		code = start_host(lab, i);
	if (!code)
		code = make_ready(lab);
	if (!code)
		code = begin(lab);
	if (!code)
		return wait_for_all(lab);
	if (!interrupted)
		return code;
	/* a signal came during the start: the failure is its effect, not a fault of this machine */
	snprintf(lab->err, sizeof(lab->err), "interrupted");
	return 128 + interrupted;
}

static int run_main(int argc, char **argv)
{
	static struct lab lab; /* large */
	int code = wt_lab_refuse_inside();

	if (code)
		return code;
	lab.record = -1;
	lab.backend = "auto";
	wt_world_init(&lab.world);
	wt_options_init(&lab.options, &lab.world);
	code = read_line(&lab, argc, argv);
	if (!code) {
		code = run(&lab);
		end_all(&lab, code != WT_EXIT_OK);
		code = code ? wt_fail(code, "%s", lab.err) : conclude(&lab);
	}
	for (unsigned i = 0; lab.text && i < lab.world.hosts; i++)
		free(lab.text[i]);
	free(lab.text);
	free(lab.host);
	free(lab.flow);
	wt_world_finish(&lab.world);
	wt_options_finish(&lab.options);
	return code;
}

const struct wt_command wt_command_lab_run = {
	.name = "lab run",
	.arguments = "FILE",
	.text = "run a world file in real time, with a namespace and a TAP for each host",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run_main,
	.notes = "The same file and the same result as sim -f. Works without root where user namespaces and /dev/net/tun do.\n\n"
		 "  wavetank lab run dumbbell.conf -t 10s",
};
