/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank emu run: the emulator daemon between two ports. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "emu/daemon/daemon.h"
#include "stack/base/units.h"
#include "stack/drive/json.h"
#include "tools/cli.h"

extern const struct wt_command wt_command_emu_run;

enum {
	OPT_PORT, OPT_FWD, OPT_REV, OPT_LINK, OPT_SEED, OPT_TIME, OPT_CAPTURE, OPT_LOG, OPT_FRAMES, OPT_CHECK, OPT_JSON, OPT_READY_FD,
	OPT_DIE,
};

static const struct wt_option options[] = {
	[OPT_PORT] = {0, "port", "PORT", "given twice, a then b: tap:NAME or packet:INTERFACE, with @NAMESPACE if in another"},
	[OPT_FWD] = {0, "fwd", "WORDS", "path from a to b (default: an ideal wire)"},
	[OPT_REV] = {0, "rev", "WORDS", "path from b to a"},
	[OPT_LINK] = {0, "link", "WORDS", "the same words both ways"},
	[OPT_SEED] = {0, "seed", "N", "of everything random (default 1)"},
	[OPT_TIME] = {'t', "time", "TIME", "end after this time (default: when told to)"},
	[OPT_CAPTURE] = {0, "capture", "FILE", "pcapng of what passes both ports, and of drops with their cause"},
	[OPT_LOG] = {0, "log", "FILE", "drops as JSON Lines, joinable to the capture"},
	[OPT_FRAMES] = {0, "frames", "N", "frames of memory, 2 KiB each, for all that is under way (default 16384)"},
	[OPT_CHECK] = {'n', "check", NULL, "only read the words and print them in normal form; open nothing"},
	[OPT_JSON] = {0, "json", NULL, "records as JSON Lines"},
	[OPT_READY_FD] = {0, "ready-fd", "N", "write the line \"ready\" to descriptor N when packets pass, and close it"},
	[OPT_DIE] = {0, "die-with-parent", NULL, "end, as if by SIGTERM, when the parent process does"},
};

struct emu {
	struct wt_daemon_config config;
	unsigned ports;
	bool check, json, die;
};

static int take_count(const char *value, uint64_t min, uint64_t max, uint64_t *out, char *err, size_t err_len)
{
	uint64_t n;
	int error = wt_parse_count(value, &n, err, err_len);

	if (error)
		return error;
	if (n < min || n > max) {
		snprintf(err, err_len, "'%s' is not from %" PRIu64 " to %" PRIu64, value, min, max);
		return -EINVAL;
	}
	*out = n;
	return 0;
}

static int take_port(struct emu *emu, const char *value, char *err, size_t err_len)
{
	if (emu->ports == 2) {
		snprintf(err, err_len, "there are two ports, '%.60s' is a third", value);
		return -EINVAL;
	}
	emu->config.port[emu->ports++] = value;
	return 0;
}

static int take(struct emu *emu, int option, const char *value, char *err, size_t err_len)
{
	struct wt_daemon_config *config = &emu->config;
	uint64_t fd;
	int error;

	switch (option) {
	case OPT_PORT: return take_port(emu, value, err, err_len);
	case OPT_FWD: config->words[0] = value; return 0;
	case OPT_REV: config->words[1] = value; return 0;
	case OPT_LINK: config->words[0] = config->words[1] = value; return 0;
	case OPT_SEED: return take_count(value, 0, UINT64_MAX, &config->seed, err, err_len);
	case OPT_TIME: return wt_parse_time(value, &config->time, err, err_len);
	case OPT_CAPTURE: config->capture = value; return 0;
	case OPT_LOG: config->log = value; return 0;
	case OPT_FRAMES: return take_count(value, 64, 1 << 20, &config->frames, err, err_len);
	case OPT_CHECK: emu->check = true; return 0;
	case OPT_JSON: emu->json = true; return 0;
	case OPT_READY_FD:
		error = take_count(value, 0, 1 << 20, &fd, err, err_len);
		if (!error)
			config->ready_fd = (int)fd;
		return error;
	case OPT_DIE: emu->die = true; return 0;
	}
	snprintf(err, err_len, "unknown option");
	return -EINVAL;
}

/* The first record: what is about to run, or, with -n, what would. */
static void print_start(const struct emu *emu, const struct wt_daemon *daemon)
{
	static const char *const names[] = {"fwd", "rev"};
	struct wt_json json;

	if (!emu->json) {
		FILE *out = emu->check ? stdout : stderr;

		if (!emu->check && wt_quiet)
			return;
		for (unsigned i = 0; i < 2; i++)
			fprintf(out, "%s  %s\n", names[i], daemon->path[i].count ? daemon->path[i].text : "(an ideal wire)");
		if (!emu->check)
			fprintf(out, "running between %s and %s, seed %" PRIu64 "; ^C ends it\n", emu->config.port[0],
				emu->config.port[1], emu->config.seed);
		return;
	}
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.emu.1");
	wt_json_string(&json, "record", emu->check ? "check" : "run");
	wt_json_u64(&json, "seed", emu->config.seed);
	for (unsigned i = 0; i < 2; i++)
		wt_json_string(&json, names[i], daemon->path[i].text);
	wt_json_end(&json);
	fflush(stdout);
}

static bool books_hold(const struct wt_daemon *daemon)
{
	struct wt_daemon_books fwd, rev;
	const struct wt_node *broken;

	wt_daemon_books(daemon, 0, &fwd);
	wt_daemon_books(daemon, 1, &rev);
	return fwd.hold && rev.hold && wt_graph_audit(daemon->graph, &broken);
}

/* Files are closed before the record is judged: a disk may fill with the last block. */
static int conclude(const struct emu *emu, struct wt_daemon *daemon)
{
	int error = wt_daemon_close_files(daemon);

	if (emu->json)
		wt_daemon_record_json(daemon, stdout);
	else
		wt_daemon_record_text(daemon, stdout);
	if (!books_hold(daemon))
		return wt_fail(WT_EXIT_INTERNAL, "the audit does not balance: a frame was lost without a cause");
	if (daemon->end == WT_DAEMON_PORT_GONE)
		return wt_fail(WT_EXIT_ENVIRONMENT, "the interface of %s is gone: %s", emu->config.port[daemon->end_port],
			       strerror(-daemon->end_detail));
	if (!error && daemon->end == WT_DAEMON_WRITE_ERROR)
		error = daemon->end_detail;
	if (error)
		return wt_fail(WT_EXIT_ENVIRONMENT, "writing the capture or log: %s; what was written so far is whole", strerror(-error));
	if (ferror(stdout))
		return wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno));
	return WT_EXIT_OK;
}

static int run(const struct emu *emu, struct wt_daemon *daemon)
{
	char err[300];
	int code;

	if (emu->check) {
		print_start(emu, daemon);
		return fflush(stdout) ? wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno)) : WT_EXIT_OK;
	}
	if (emu->die)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (wt_daemon_open(daemon, err, sizeof(err)))
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	print_start(emu, daemon);
	wt_daemon_run(daemon);
	code = conclude(emu, daemon);
	return code;
}

static int emu_run_main(int argc, char **argv)
{
	struct emu emu = {.config = {.seed = 1, .frames = 16384, .ready_fd = -1, .words = {"", ""}}};
	static struct wt_daemon daemon;
	struct wt_args args;
	char err[300];
	int option, code;

	wt_args_init(&args, &wt_command_emu_run, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD)
			return wt_fail(WT_EXIT_USAGE, "unexpected word '%s'; paths are given by --fwd and --rev", args.value);
		if (take(&emu, option, args.value, err, sizeof(err)))
			return wt_fail(WT_EXIT_USAGE, "--%s: %s", options[option].name, err);
	}
	if (emu.ports != 2 && !(emu.check && !emu.ports))
		return wt_fail(WT_EXIT_USAGE, "two ports are needed, such as --port tap:wt0 --port tap:wt1");
	if (!emu.ports) { /* -n of paths alone */
		emu.config.port[0] = "tap:a";
		emu.config.port[1] = "tap:b";
	}
	if (wt_daemon_init(&daemon, &emu.config, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	code = run(&emu, &daemon);
	wt_daemon_finish(&daemon);
	return code;
}

const struct wt_command wt_command_emu_run = {
	.name = "emu run",
	.arguments = "",
	.text = "emulate a path between two interfaces, in real time, until told to end",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = emu_run_main,
	.notes = "  wavetank emu run --port tap:wt0@a --port tap:wt0@b --link 'delay 15ms loss gilbert on 1s 20% off 1s 0% shared'\n"
		 "  wavetank emu run -n --fwd 'rate 2Mbit burst 0B limit 64KB | loss 1% delay 15ms'\n"
		 "Words of a path: rate R burst B limit L [overhead N]; delay T; loss P; loss gilbert on T P off T P [shared]\n"
		 "[start random|on|off]; outage at T for T; outage every T for T [at T]; duplicate P; reorder P delay T.\n"
		 "SIGINT and SIGTERM end it with a complete record and exit code 0: that is how a daemon is asked to finish.",
};
