/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank emu run: the emulator daemon. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "emu/daemon/daemon.h"
#include "stack/text/units.h"
#include "stack/record/json.h"
#include "tools/common/cli.h"
#include "tools/common/files_apart.h"
#include "tools/emu/session.h"
#include "tools/words/path_words.h"

extern const struct wt_command wt_command_emu_run;

enum {
	OPT_FILE, OPT_PORT, OPT_FWD, OPT_REV, OPT_LINK, OPT_SEED, OPT_TIME, OPT_CAPTURE, OPT_LOG, OPT_FRAMES, OPT_RELEASE, OPT_CPU, OPT_REALTIME, OPT_AWAKE, OPT_STEER,
	OPT_OFFLOAD, OPT_WRITES, OPT_ARRIVAL, OPT_LATE, OPT_STEAL, OPT_ICMP_LIMIT, OPT_CONTROL, OPT_USER, OPT_WAIT, OPT_SECCOMP,
	OPT_STRICT, OPT_CHECK, OPT_JSON, OPT_READY_FD, OPT_DIE,
};

static const struct wt_option options[] = {
	[OPT_FILE] = {'f', "file", "FILE", "ports, links and what changes when from a file, see wavetank-emu.conf(5)"},
	[OPT_PORT] = {0, "port", "PORT", "twice, a then b: tap:NAME or packet:INTERFACE, @NAMESPACE; NAME=PORT: where a host of the file is"},
	[OPT_FWD] = {0, "fwd", "WORDS", "path from a to b (default: an ideal wire)"},
	[OPT_REV] = {0, "rev", "WORDS", "path from b to a"},
	[OPT_LINK] = {0, "link", "WORDS", "the same words both ways"},
	[OPT_SEED] = {0, "seed", "N", "seed of all random draws (default 1)"},
	[OPT_TIME] = {'t', "time", "TIME", "end after this time (default: when told to)"},
	[OPT_CAPTURE] = {0, "capture", "FILE", "pcapng at the first port; FILE-b and FILE-drops beside it"},
	[OPT_LOG] = {0, "log", "FILE", "drops, states of stages, changes and faults as JSON Lines; frame ids match the capture"},
	[OPT_FRAMES] = {0, "frames", "N", "number of frame buffers, 2 KiB each (default 16384)"},
	[OPT_RELEASE] = {0, "release", "HOW", "wait by sleep, guard (sleep, then spin; the default) or spin (needs a core)"},
	[OPT_CPU] = {0, "cpu", "N", "stay on this processor"},
	[OPT_REALTIME] = {0, "realtime", NULL, "run before every ordinary process (SCHED_FIFO; a spinning one: niceness -20)"},
	[OPT_AWAKE] = {0, "awake", NULL, "keep the machine's idle processors from sleeping deeply meanwhile: wake-ups three times as prompt"},
	[OPT_STEER] = {0, "steer", NULL, "with --cpu: let kernels receive what TAP ports write on the other processors"},
	[OPT_OFFLOAD] = {0, "offload", NULL, "let kernels leave checksums and cutting to the emulator, which passes big frames whole where it may"},
	[OPT_WRITES] = {0, "writes", "HOW", "gather (the default: a port writes many frames in one call, a TAP by io_uring if it is there) or single"},
	[OPT_ARRIVAL] = {0, "arrival", "HOW", "arrival time of a frame: kernel (the kernel's stamp, the default), ring (stamps by packet sockets only) or read (when it was read)"},
	[OPT_LATE] = {0, "late", "TIME", "the run is valid if 99 % of the frames leave at most this late (default 1ms)"},
	[OPT_STEAL] = {0, "steal", "SHARE", "... and the hypervisor takes at most this share of the processors (default 1%)"},
	[OPT_ICMP_LIMIT] = {0, "icmp-limit", "LIMIT", "ICMP errors of each stage and router, N/s or N/s burst N (default 100/s burst 100)"},
	[OPT_CONTROL] = {0, "control", "PATH", "make a control socket for emu show, set, events and capture; auto: in the usual place"},
	[OPT_USER] = {0, "user", "NAME", "user to switch to after the ports are open, by name or number (default: the caller of sudo, else nobody)"},
	[OPT_WAIT] = {0, "wait-ports", NULL, "wait for a port that vanishes, and use it again when it is back"},
	[OPT_SECCOMP] = {0, "seccomp", NULL, "after the ports are open, forbid every system call that the emulator does not need"},
	[OPT_STRICT] = {0, "strict", NULL, "exit with 1 if the run is not valid"},
	[OPT_CHECK] = {'n', "check", NULL, "only read the words or the file, and print their normal form; open nothing"},
	[OPT_JSON] = {0, "json", NULL, "records as JSON Lines"},
	[OPT_READY_FD] = {0, "ready-fd", "N", "write the line \"ready\" to descriptor N when packets pass, and close it"},
	[OPT_DIE] = {0, "die-with-parent", NULL, "end, as if by SIGTERM, when the parent process does"},
};

struct emu {
	const char *file;
	struct wt_path_words path;
	pid_t parent;
	bool check, json, die, strict;
	bool again; /* the line is read once more, over the file */
	bool named; /* a port says which host of a file it is */
};

/* "tap:wt0": one of the two there are without a file. "a=tap:wt0": where host a of the file is. */
static int take_port(struct emu *emu, struct wt_world *world, const char *value, char *err, size_t err_len)
{
	const char *equals = strchr(value, '='), *colon = strchr(value, ':');
	struct wt_world_host *host;
	char name[40];
	int found;

	if (equals && (!colon || equals < colon)) {
		snprintf(name, sizeof(name), "%.*s", (int)(equals - value), value);
		emu->named = true;
		found = emu->again ? wt_world_find_host(world, name) : 0;
		if (found < 0) {
			snprintf(err, err_len, "there is no host '%s' in %s", name, emu->file);
			return -EINVAL;
		}
		return emu->again ? wt_world_place(&world->host[found], WT_NAMESPACE, equals + 1, err, err_len) : 0;
	}
	if (world->hosts == 2) {
		snprintf(err, err_len, "unexpected --port '%.60s': expected two ports", value);
		return -EINVAL;
	}
	host = wt_world_add_host(world, world->hosts ? "b" : "a");
	snprintf(err, err_len, "out of memory");
	if (!host)
		return -ENOMEM;
	host->port = true;
	return wt_world_place(host, WT_OUTSIDE, value, err, err_len);
}

static int take_ready(struct wt_daemon *daemon, const char *value, char *err, size_t err_len)
{
	uint64_t fd;
	int error = wt_parse_count(value, &fd, err, err_len);

	if (!error && (fd < 3 || fd > 1 << 20 || fcntl((int)fd, F_GETFD) < 0)) { /* it is closed: not the standard ones */
		snprintf(err, err_len, "descriptor %s is not open, or not from 3 on", value);
		error = -EINVAL;
	}
	if (!error)
		daemon->ready_fd = (int)fd;
	return error;
}

static int take(struct emu *emu, struct wt_daemon *daemon, int option, const char *value, char *err, size_t err_len)
{
	switch (option) {
	case OPT_FILE: emu->file = value; return 0;
	case OPT_PORT: return take_port(emu, &daemon->world, value, err, err_len);
	case OPT_FWD: return wt_path_words_take(&emu->path, WT_PATH_FWD, value, err, err_len);
	case OPT_REV: return wt_path_words_take(&emu->path, WT_PATH_REV, value, err, err_len);
	case OPT_LINK: return wt_path_words_take(&emu->path, WT_PATH_LINK, value, err, err_len);
	case OPT_STRICT: emu->strict = true; return 0;
	case OPT_CHECK: emu->check = true; return 0;
	case OPT_JSON: emu->json = true; return 0;
	case OPT_DIE: emu->die = true; return 0;
	case OPT_READY_FD: return take_ready(daemon, value, err, err_len);
	case OPT_WAIT: daemon->options.wait_ports = true; return 0;
	}
	/* the others are keys of a file, too, some of which are there or not */
	return wt_options_take(&daemon->options, options[option].name, value ? value : "yes", err, err_len);
}

/* ---- the world -------------------------------------------------------------------------------------------- */

/* The file first, then what the command line says instead of it: of what the only path begins with. */
static int world_of_file(struct emu *emu, struct wt_daemon *daemon, char *err, size_t err_len)
{
	const struct wt_world_keys keys = {wt_options_of_file, &daemon->options};

	bool words = emu->path.words[0] || emu->path.words[1];
	int error;

	if (daemon->world.hosts) {
		snprintf(err, err_len, "--port: with a file, give the host that is at the port, such as a=tap:wt0");
		return -EINVAL;
	}
	error = wt_world_read(&daemon->world, emu->file, &keys, err, err_len);
	if (error || !words)
		return error;
	if (daemon->world.links > 1) {
		snprintf(err, err_len, "--fwd, --rev and --link require a file with one link; %.200s has %u", emu->file, daemon->world.links);
		return -EINVAL;
	}
	snprintf(err, err_len, "out of memory");
	return wt_world_begin(&daemon->world, emu->path.words);
}

static int world_of_words(struct emu *emu, struct wt_daemon *daemon, char *err, size_t err_len)
{
	struct wt_world *world = &daemon->world;
	struct wt_world_link *link;

	if (emu->check && !world->hosts) { /* -n of paths alone */
		take_port(emu, world, "tap:a", err, err_len);
		take_port(emu, world, "tap:b", err, err_len);
	}
	link = wt_world_add_link(world, "main");
	snprintf(err, err_len, "out of memory");
	for (unsigned i = 0; i < 2; i++)
		if (!link || wt_world_text(&link->words[i], emu->path.words[i] ? emu->path.words[i] : ""))
			return -ENOMEM;
	return 0;
}

/* With -n a host may be nowhere: what is read is only looked at. */
static int check(const struct emu *emu, struct wt_daemon *daemon, char *err, size_t err_len)
{
	for (unsigned i = 0; i < daemon->world.hosts && emu->check; i++)
		if (!daemon->world.host[i].port && daemon->world.host[i].placement == WT_UNPLACED)
			daemon->world.host[i].placement = WT_INSIDE;
	return wt_options_check(&daemon->options, err, err_len) || wt_world_check(&daemon->world, err, err_len) ? -EINVAL : 0;
}

/* ---- records --------------------------------------------------------------------------------------------- */

static void print_text(const struct emu *emu, const struct wt_world *world, const struct wt_link *link)
{
	FILE *out = emu->check ? stdout : stderr;
	char when[40];

	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++)
			fprintf(out, "%s%s%s  %s\n", world->links > 1 ? world->link[i].name : "", world->links > 1 ? "." : "", d ? "rev" : "fwd",
				link[i].way[d].path.text[0] ? link[i].way[d].path.text : "(an ideal wire)");
	for (unsigned i = 0; i < world->events && emu->check; i++)
		for (unsigned d = 0; d < 2; d++)
			if (world->event[i].words[d] && world->event[i].at > 0)
				fprintf(out, "at %s  %s.%s  %s%s\n", wt_format_time(world->event[i].at, when, sizeof(when)),
					world->link[world->event[i].link].name, d ? "rev" : "fwd", world->event[i].words[d],
					world->event[i].flush ? "  (flush)" : "");
	if (emu->check)
		return;
	fprintf(out, "running between");
	for (unsigned i = 0; i < world->hosts; i++)
		fprintf(out, "%s %s", i ? " and" : "", world->host[i].place);
	fprintf(out, ", seed %" PRIu64 "; ^C ends it\n", world->seed);
}

/* The first record: what is about to run, or, with -n, what would. */
static void print_start(const struct emu *emu, const struct wt_daemon *daemon, const struct wt_link *link)
{
	const struct wt_world *world = &daemon->world;
	struct wt_json json;

	if (!emu->json) {
		if (emu->check || !wt_quiet)
			print_text(emu, world, link);
		if (daemon->control && !wt_quiet)
			fprintf(stderr, "control %s\n", wt_control_path(daemon->control));
		return;
	}
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.emu.1");
	wt_json_string(&json, "record", emu->check ? "check" : "run");
	wt_json_u64(&json, "seed", world->seed);
	if (world->links > 1)
		wt_json_object(&json, "links");
	for (unsigned i = 0; i < world->links; i++) {
		if (world->links > 1)
			wt_json_object(&json, world->link[i].name);
		wt_json_string(&json, "fwd", link[i].way[0].path.text);
		wt_json_string(&json, "rev", link[i].way[1].path.text);
		if (world->links > 1)
			wt_json_end(&json);
	}
	if (world->links > 1)
		wt_json_end(&json);
	if (daemon->control)
		wt_json_string(&json, "control", wt_control_path(daemon->control));
	wt_json_end(&json);
	fflush(stdout);
}

static int print_check(const struct emu *emu, const struct wt_daemon *daemon)
{
	const struct wt_world *world = &daemon->world;
	struct wt_link *link = calloc(world->links, sizeof(*link));
	char err[300];

	for (unsigned i = 0; link && i < world->links; i++)
		wt_world_make_link(world, i, &link[i], err, sizeof(err)); /* it was checked */
	for (unsigned i = 0; link && i < world->events && world->event[i].at == 0; i++) {
		const char *words[2] = {world->event[i].words[0], world->event[i].words[1]};

		wt_link_change(&link[world->event[i].link], words, 0, false, err, sizeof(err));
	}
	if (link)
		print_start(emu, daemon, link);
	for (unsigned i = 0; link && i < daemon->world.links; i++)
		wt_link_finish(&link[i]);
	free(link);
	return fflush(stdout) ? wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno)) : WT_EXIT_OK;
}

/* Files are closed before the record is judged: a disk may fill with the last block. */
static int conclude(const struct emu *emu, struct wt_daemon *daemon)
{
	int error = wt_daemon_close_files(daemon);

	if (error && daemon->end != WT_DAEMON_PORT_GONE) { /* the record is all that lab down sees of it */
		daemon->end = WT_DAEMON_WRITE_ERROR;
		daemon->end_detail = error;
	}
	if (emu->json)
		wt_daemon_record_json(daemon, "end", stdout);
	else
		wt_daemon_record_text(daemon, stdout);
	if (!wt_network_audit(&daemon->net))
		return wt_fail(WT_EXIT_INTERNAL, "the audit does not balance: a frame was lost without a cause");
	if (daemon->end == WT_DAEMON_PORT_GONE)
		return wt_fail(WT_EXIT_ENVIRONMENT, "the interface of %s is gone: %s", daemon->world.host[daemon->end_port].place,
			       strerror(-daemon->end_detail));
	if (daemon->end == WT_DAEMON_WRITE_ERROR)
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot write %s: %s; the run ends here, and what was written before can be read",
			       daemon->unwritten, strerror(-daemon->end_detail));
	if (ferror(stdout))
		return wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno));
	if (emu->strict && !wt_verdict_valid(&daemon->verdict))
		return wt_fail(WT_EXIT_FAILED, "the run is not valid, see its verdict");
	return WT_EXIT_OK;
}

static int run(const struct emu *emu, struct wt_daemon *daemon)
{
	char err[500];

	if (emu->check)
		return print_check(emu, daemon);
	if (emu->die) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != emu->parent) /* it had ended before that was said */
			return wt_fail(WT_EXIT_ENVIRONMENT, "--die-with-parent: the parent has ended already");
	}
	if (wt_claim_wants_session(&daemon->options)) {
		int code = wt_emu_own_session();

		if (code != WT_EMU_GOES_ON)
			return code;
	}
	daemon->quiet = wt_quiet;
	signal(SIGPIPE, SIG_IGN); /* a reader that has gone is an error of writing, not an end without a record */
	if (wt_daemon_open(daemon, err, sizeof(err)))
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	print_start(emu, daemon, daemon->net.link);
	if (ferror(stdout))
		return wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno));
	wt_daemon_run(daemon);
	return conclude(emu, daemon);
}

/* Reads the line twice where there is a file: what it says of the daemon overrides what the file says. */
static int read_line(struct emu *emu, struct wt_daemon *daemon, int argc, char **argv, bool again)
{
	struct wt_args args;
	char err[300];
	int option;

	wt_args_init(&args, &wt_command_emu_run, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD)
			return wt_fail(WT_EXIT_USAGE, "unexpected word '%s'; paths are given by --fwd and --rev", args.value);
		if (again && (option == OPT_FWD || option == OPT_REV || option == OPT_LINK))
			continue; /* they have replaced what the file says */
		if (take(emu, daemon, option, args.value, err, sizeof(err)))
			return wt_fail(WT_EXIT_USAGE, "--%s: %s", options[option].name, err);
	}
	if (emu->named && !emu->file)
		return wt_fail(WT_EXIT_USAGE, "--port NAME=PORT requires --file");
	if (again || !emu->file)
		return WT_EXIT_OK;
	emu->again = true;
	if (world_of_file(emu, daemon, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	return read_line(emu, daemon, argc, argv, true);
}

static int files_apart(const struct emu *emu, const struct wt_daemon *daemon, char *err, size_t err_len)
{
	const struct wt_named_file file[] = {
		{"--file", emu->file}, {"--capture", daemon->options.capture}, {"--log", daemon->options.log}};

	return wt_files_apart_from_words(file, sizeof(file) / sizeof(file[0]), daemon->world.cache, err, err_len);
}

static int emu_run_main(int argc, char **argv)
{
	static struct wt_daemon daemon;
	struct emu emu = {.parent = getppid()};
	char err[500];
	int code;

	wt_world_init(&daemon.world);
	wt_options_init(&daemon.options, &daemon.world);
	daemon.ready_fd = -1;
	code = read_line(&emu, &daemon, argc, argv, false);
	if (!code && ((!emu.file && world_of_words(&emu, &daemon, err, sizeof(err))) || check(&emu, &daemon, err, sizeof(err)) ||
		      files_apart(&emu, &daemon, err, sizeof(err)) || wt_options_files(&daemon.options, daemon.options.capture, daemon.options.log,
				       daemon.options.control, err, sizeof(err)) ||
		      wt_options_user(&daemon.options, err, sizeof(err))))
		code = wt_fail(WT_EXIT_USAGE, "%s", err);
	if (!code)
		code = run(&emu, &daemon);
	wt_daemon_finish(&daemon);
	return code;
}

const struct wt_command wt_command_emu_run = {
	.name = "emu run",
	.arguments = "",
	.text = "emulate a path between two interfaces in real time until a signal ends it",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = emu_run_main,
	.notes = "  wavetank emu run --port tap:wt0@a --port tap:wt0@b \\\n"
		 "      --link 'delay 15ms loss gilbert on 1s 20% off 1s 0% shared'\n"
		 "  wavetank emu run -n --fwd 'rate 2Mbit burst 0B limit 64KB | loss 1% delay 15ms'\n"
		 "  wavetank emu run -f path.conf --control auto\n"
		 "Words of a path, all of them in wavetank-link(7): hops N; mtu SIZE; rate R burst B limit L [queue KIND ...]; rate SIZE every T ...;\n"
		 "rate trace FILE ...; outage at T for T; outage every T for T; handoff every T for T ...; loss P; loss gilbert on T P off T P;\n"
		 "loss markov state ...; loss elliott ...; loss list N,N-N; loss trace FILE; corrupt P; duplicate P; reorder P delay T;\n"
		 "delay T [jitter ...]; between bars another group; only (EXPRESSION) { WORDS } for some packets.\n"
		 "SIGINT and SIGTERM end it with a complete record and exit code 0: that is how a daemon is asked to finish.",
};
