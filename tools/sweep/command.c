/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank sweep plan|run|resume|status|merge. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/common/ending.h"
#include "tools/results/statistics.h"
#include "tools/sweep/command.h"
#include "tools/sweep/files.h"
#include "tools/sweep/kernel.h"
#include "tools/sweep/lab.h"

extern const struct wt_command wt_command_sweep_plan, wt_command_sweep_run, wt_command_sweep_resume, wt_command_sweep_status,
	wt_command_sweep_merge;

#define TABLE_ROWS 60

enum { OPT_DIR, OPT_STATS, OPT_JOBS, OPT_SHARD };

static const struct wt_option run_options[] = {
	[OPT_DIR] = {'o', "output", "DIR", "results folder (default results/NAME)"},
	[OPT_STATS] = {0, "stats", NULL, "at the end quantiles, bootstrap intervals, ratios, orders: as report stats"},
	[OPT_JOBS] = {0, "jobs", "N", "runs at a time (default: one per core; 8 labs in real time)"},
	[OPT_SHARD] = {0, "shard", "I/N", "only part I (from 0) of N; merge puts the parts together"},
};

static const struct wt_option plan_options[] = {
	[OPT_DIR] = {'o', "output", "DIR", "results folder (default results/NAME)"},
	[OPT_JOBS - 1] = {0, "jobs", "N", "runs at a time (default: one per core; 8 labs in real time)"},
	[OPT_SHARD - 1] = {0, "shard", "I/N", "only part I (from 0) of N; merge puts the parts together"},
};

static const struct wt_option merge_options[] = {
	[OPT_DIR] = {'o', "output", "DIR", "results folder (default results/NAME)"},
	[OPT_STATS] = {0, "stats", NULL, "quantiles, bootstrap intervals, ratios, orders: as report stats"},
};

static const struct wt_option dir_options[] = {
	[OPT_DIR] = {'o', "output", "DIR", "results folder (default results/NAME)"},
};

static volatile int interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

/* ---- arguments ------------------------------------------------------------------------------------------ */

struct command {
	struct wt_sweep sweep;
	struct wt_sweep_state state;
	const char *file, *dir;
	char own_dir[128];
	uint64_t jobs, shard, shards;
	bool stats;
};

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct command *command = arg;
	char part[24], of[24], more[2];

	if (wt_current_command == &wt_command_sweep_plan && option > OPT_DIR)
		option++; /* its table has no --stats */
	switch (option) {
	case WT_ARGS_WORD:
		if (!command->file) {
			command->file = value;
			return 0;
		}
		snprintf(err, err_len, "unexpected argument '%s': one sweep at a time", value);
		return -EINVAL;
	case OPT_DIR:
		command->dir = value;
		return 0;
	case OPT_STATS:
		command->stats = true;
		return 0;
	case OPT_JOBS:
		if (wt_parse_count(value, &command->jobs, err, err_len) == 0 && command->jobs >= 1 && command->jobs <= 1000)
			return 0;
		snprintf(err, err_len, "'%s': expected 1 to 1000", value);
		return -EINVAL;
	}
	if (sscanf(value, "%23[0-9]/%23[0-9]%1s", part, of, more) == 2 && wt_parse_count(part, &command->shard, NULL, 0) == 0 &&
	    wt_parse_count(of, &command->shards, NULL, 0) == 0 && command->shard < command->shards && command->shards <= 100000)
		return 0;
	snprintf(err, err_len, "'%s': expected I/N with I from 0 to N-1, such as 0/8", value);
	return -EINVAL;
}

int wt_sweep_open(struct wt_sweep *sweep, const char *file)
{
	char err[800];
	int error;

	if (!file)
		return wt_fail(WT_EXIT_USAGE, "the sweep is missing: %s FILE.ini", wt_current_command->name);
	error = wt_sweep_load(sweep, file, err, sizeof(err));
	if (!error)
		error = wt_sweep_check(sweep, err, sizeof(err));
	return error ? wt_fail(error == -ENOMEM ? WT_EXIT_ENVIRONMENT : WT_EXIT_USAGE, "%s", err) : WT_EXIT_OK;
}

static bool uses_kernel(const struct wt_sweep *sweep)
{
	struct wt_sweep_run *run = malloc(sizeof(*run));
	char scrap[300];
	bool uses = false;

	for (uint32_t i = 0; run && !uses && i < sweep->points && strcmp(sweep->backend, "sim") != 0; i++)
		uses = wt_sweep_resolve(sweep, i, run, scrap, sizeof(scrap)) == 0 && *run->kernel;
	free(run);
	return uses;
}

/* Runs that are done here are of this kernel; those that are read may be of another. */
static int name_runs(struct command *command, char *err, size_t err_len)
{
	char found[500];

	if (wt_current_command != &wt_command_sweep_status && wt_current_command != &wt_command_sweep_merge)
		wt_kernel_release(command->sweep.kernel);
	else if (wt_sweep_kernel_choose(&command->sweep, &command->state.store, found, sizeof(found)) > 1 && uses_kernel(&command->sweep))
		wt_say("%s: hosts with the kernels %s worked on this sweep; of the runs of the kernel's TCP only those of %s count here",
		       command->dir, found, command->sweep.kernel);
	return wt_sweep_state_name(&command->state, err, err_len);
}

/* Reads arguments, sweep file and what is done. An exit code. */
static int begin(struct command *command, int argc, char **argv)
{
	char err[800];
	int code;

	memset(command, 0, sizeof(*command));
	wt_on_ending(on_signal);
	code = wt_args_each(argc, argv, take, command);
	if (code)
		return code;
	code = wt_sweep_open(&command->sweep, command->file);
	if (code)
		return code;
	wt_sweep_folder(&command->sweep, "", command->own_dir, sizeof(command->own_dir));
	if (!command->dir)
		command->dir = command->own_dir;
	if (wt_sweep_state_init(&command->state, &command->sweep, command->dir, err, sizeof(err)) || name_runs(command, err, sizeof(err)))
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	command->state.jobs = command->jobs ? (unsigned)command->jobs : !strcmp(command->sweep.backend, "sim") ? wt_cores() : WT_LAB_RUNS;
	if (command->shards && wt_sweep_state_shard(&command->state, (uint32_t)command->shard, (uint32_t)command->shards))
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
	wt_sweep_settle(&command->state);
	return WT_EXIT_OK;
}

static int finish(struct command *command, int code)
{
	wt_sweep_state_finish(&command->state);
	wt_sweep_finish(&command->sweep);
	return code;
}

/* ---- what is printed -------------------------------------------------------------------------------------- */

static const char *duration(double seconds, char *text, size_t len)
{
	if (!(seconds >= 0))
		snprintf(text, len, "unknown");
	else if (seconds < 100)
		snprintf(text, len, "%.3g s", seconds);
	else if (seconds < 6000)
		snprintf(text, len, "%.0f min", seconds / 60);
	else
		snprintf(text, len, "%.1f h", seconds / 3600);
	return text;
}

static void print_points(const struct wt_sweep_state *state)
{
	const struct wt_sweep *sweep = state->sweep;
	char text[300];
	int width = 10;

	for (uint32_t i = 0; i < sweep->points && i < TABLE_ROWS; i++) {
		int len = (int)strlen(wt_sweep_point_text(sweep, i, text, sizeof(text)));

		width = len > width ? len : width;
	}
	printf("%-*s %6s  %12s   %s\n", width, "point", "runs", sweep->metric, "95 %");
	for (uint32_t i = 0; i < sweep->points && i < TABLE_ROWS; i++) {
		const struct wt_sweep_point *point = &state->point[i];

		printf("%-*s %6u", width, wt_sweep_point_text(sweep, i, text, sizeof(text)), point->done);
		if (point->mean.n)
			printf("  %12.4g", point->mean.mean);
		else
			printf("  %12s", "-");
		if (point->mean.n > 1)
			printf(" ± %.3g", point->mean.half);
		if (point->failed || point->invalid)
			printf("  (%u failed, %u invalid)", point->failed, point->invalid);
		printf("\n");
	}
	if (sweep->points > TABLE_ROWS)
		printf("... and %u points more, in the result file\n", sweep->points - TABLE_ROWS);
}

static void print_totals(const struct wt_sweep_state *state)
{
	struct wt_sweep_totals totals;
	char text[300];

	wt_sweep_totals(state, &totals);
	printf("%" PRIu64 " of %" PRIu64 " runs done, %" PRIu64 " failed, %" PRIu64 " invalid; %" PRIu64 " of %u points settled\n", totals.done,
	       totals.wanted, totals.failed, totals.invalid, totals.settled, state->sweep->points);
	if (isfinite(totals.worst))
		printf("worst interval: ±%.2g %% at %s\n", totals.worst * 100,
		       wt_sweep_point_text(state->sweep, totals.worst_point, text, sizeof(text)));
}

/* ---- plan --------------------------------------------------------------------------------------------------- */

/* Seconds of one core for all that is missing; points never measured cost what the others cost on average. */
static double cost_left(const struct wt_sweep_state *state)
{
	double wall = 0, timed = 0, left = 0;

	for (uint32_t i = 0; i < state->sweep->points; i++) {
		wall += state->point[i].wall;
		timed += state->point[i].timed;
	}
	for (uint32_t i = 0; i < state->sweep->points; i++) {
		const struct wt_sweep_point *point = &state->point[i];
		double one = point->timed ? point->wall / point->timed : timed > 0 ? wall / timed : NAN;

		for (uint32_t r = 0; r < point->wanted; r++)
			if (wt_sweep_ours(state, i, r) && !wt_sweep_find(state, i, r))
				left += one;
	}
	return left;
}

static int plan_main(int argc, char **argv)
{
	static struct command command;
	struct wt_sweep_totals totals;
	char text[64], err[1200];
	double bytes, left;
	int code = begin(&command, argc, argv);
	const struct wt_sweep *sweep = &command.sweep;
	bool known = true;

	if (code)
		return finish(&command, code);
	if (wt_sweep_kernel_check(&command.state, err, sizeof(err)))
		wt_say("note: %s: those runs need another host", err);
	wt_sweep_totals(&command.state, &totals);
	for (uint32_t i = 0; i < sweep->points; i++)
		known = known && command.state.point[i].timed;
	bytes = totals.done == totals.wanted ? NAN : wt_sweep_probe(&command.state, known ? 0 : 5, &interrupted);
	if (interrupted)
		return finish(&command, 128 + interrupted);
	left = cost_left(&command.state);
	printf("%s: %u points", sweep->name, sweep->points);
	for (unsigned i = 0; i < sweep->axes; i++)
		printf("%s%s (%u)", i ? " x " : " = ", sweep->axis[i].name, sweep->axis[i].words);
	printf("\nruns:  %" PRIu64, totals.wanted);
	if (sweep->relative > 0)
		printf(" to %" PRIu64 " (until the 95 %% interval is within %g %% of the mean)", (uint64_t)sweep->points * sweep->most,
		       sweep->relative * 100);
	printf(", %" PRIu64 " done, %" PRIu64 " to do, on %s\n", totals.done, totals.wanted - totals.done, sweep->backend);
	printf("time:  %s on %u at a time", duration(left / command.state.jobs, text, sizeof(text)), command.state.jobs);
	printf(" (%s of one)\n", duration(left, text, sizeof(text)));
	/* Each run stands in a done file with some 150 bytes about the host, and in the result file with its axes. */
	if (!isfinite(bytes))
		bytes = 1100;
	printf("disk:  %.3g MB in %s\n", (double)(totals.wanted - totals.done) * (bytes * 2 + 550) / 1e6, command.dir);
	return finish(&command, WT_EXIT_OK);
}

/* What the result files hold. An exit code. */
static int print_results(const struct command *command)
{
	if (command->stats)
		return wt_report_stats_folder(command->dir, false);
	print_points(&command->state);
	return WT_EXIT_OK;
}

/* ---- run ---------------------------------------------------------------------------------------------------- */

static int conclude(struct command *command, int error)
{
	struct wt_sweep_totals totals;
	char err[800];
	int code;

	if (!command->shards && (!error || error == -EINTR) && wt_sweep_compose(&command->state, err, sizeof(err)))
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	code = command->shards ? 0 : print_results(command);
	print_totals(&command->state);
	wt_sweep_totals(&command->state, &totals);
	wt_say("%s: %s", command->dir, command->shards ? "when all shards are done, wavetank sweep merge puts them together" :
	       totals.done == totals.wanted ? "runs.jsonl, facts.jsonl" : "incomplete; wavetank sweep resume goes on");
	if (totals.invalid)
		wt_say("the host was too busy in some runs; try " WT_LAB_HINT " (late = or steal = in [sweep])");
	if (error && error != -EINTR)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s; finished runs are kept", command->dir, strerror(-error));
	return interrupted ? 128 + interrupted : code ? code : totals.failed || totals.invalid ? WT_EXIT_SOME_FAILED : WT_EXIT_OK;
}

/* A folder that has been used for another sweep, or for this one before its file was changed. */
static void tell_others(const struct command *command)
{
	uint64_t others = wt_sweep_others(&command->state);

	if (others)
		wt_say("note: %s also keeps %" PRIu64 " runs of other settings or seeds than %s has now; the result leaves them out", command->dir,
		       others, command->file);
}

static int execute(struct command *command)
{
	struct wt_sweep_totals totals;
	char name[64] = "done.jsonl", err[1200];

	if (wt_sweep_kernel_check(&command->state, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (command->shards)
		snprintf(name, sizeof(name), "done-%" PRIu64 "-of-%" PRIu64 ".jsonl", command->shard, command->shards);
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is a full disk */
	if (wt_sweep_begin(&command->state, name, err, sizeof(err)))
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	wt_sweep_totals(&command->state, &totals);
	wt_say("%s: %" PRIu64 " runs%s, %" PRIu64 " done already, %u at a time", command->sweep.name, totals.wanted,
	       command->sweep.relative > 0 ? " or more" : "", totals.done, command->state.jobs);
	tell_others(command);
	return conclude(command, wt_sweep_execute(&command->state, &interrupted));
}

static int run_main(int argc, char **argv)
{
	static struct command command;
	int code = begin(&command, argc, argv);

	return finish(&command, code ? code : execute(&command));
}

static int resume_main(int argc, char **argv)
{
	static struct command command;
	int code = begin(&command, argc, argv);

	if (!code && !command.state.store.files)
		code = wt_fail(WT_EXIT_USAGE, "%s: no results to resume; 'wavetank sweep run' starts the sweep", command.dir);
	return finish(&command, code ? code : execute(&command));
}

/* ---- status, merge -------------------------------------------------------------------------------------------- */

static int status_main(int argc, char **argv)
{
	static struct command command;
	int code = begin(&command, argc, argv);
	char text[64];

	if (code)
		return finish(&command, code);
	tell_others(&command);
	printf("%s in %s: ", command.sweep.name, command.dir);
	print_totals(&command.state);
	printf("left: %s of one core; files: %u\n", duration(cost_left(&command.state), text, sizeof(text)), command.state.store.files);
	print_points(&command.state);
	return finish(&command, WT_EXIT_OK);
}

static int merge_main(int argc, char **argv)
{
	static struct command command;
	struct wt_sweep_totals totals;
	int code = begin(&command, argc, argv);
	char err[800];

	if (!code && !command.state.store.files)
		code = wt_fail(WT_EXIT_USAGE, "%s: no done*.jsonl to merge", command.dir);
	if (!code && wt_sweep_compose(&command.state, err, sizeof(err)))
		code = wt_fail(WT_EXIT_ENVIRONMENT, "%s", err);
	if (!code) {
		tell_others(&command);
		code = print_results(&command);
		print_totals(&command.state);
		wt_sweep_totals(&command.state, &totals);
		if (totals.done < totals.wanted)
			code = wt_fail(WT_EXIT_FAILED, "%" PRIu64 " runs are missing, as the last line of runs.jsonl records", totals.wanted - totals.done);
		else if (totals.failed || totals.invalid)
			code = WT_EXIT_SOME_FAILED;
	}
	return finish(&command, code);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const struct wt_command wt_command_sweep_plan = {
	.name = "sweep plan", .arguments = "FILE", .text = "estimate a sweep before it starts: runs, time, disk",
	.options = plan_options, .option_count = COUNT(plan_options), .run = plan_main,
	.notes = "The time is estimated from finished runs, or from a few trial runs whose results are discarded (5 s at most; trials of a\n"
		 "real-time sweep run in virtual time).",
};

const struct wt_command wt_command_sweep_run = {
	.name = "sweep run", .arguments = "FILE", .text = "do the missing runs of a sweep",
	.options = run_options, .option_count = COUNT(run_options), .run = run_main,
	.notes = "  wavetank sweep plan loss.ini && wavetank sweep run loss.ini\n"
		 "  parallel wavetank sweep run loss.ini --shard {}/8 ::: $(seq 0 7) && wavetank sweep merge loss.ini\n"
		 "Results do not depend on --jobs or shards. Finished runs are kept, even after an interruption. Exit code 5: some runs failed.",
};

const struct wt_command wt_command_sweep_resume = {
	.name = "sweep resume", .arguments = "FILE", .text = "continue a sweep that was interrupted",
	.options = run_options, .option_count = COUNT(run_options), .run = resume_main,
	.notes = "The same as sweep run, but the results folder must exist.",
};

const struct wt_command wt_command_sweep_status = {
	.name = "sweep status", .arguments = "FILE", .text = "show how many runs of a sweep are done, by this machine and by others",
	.options = dir_options, .option_count = COUNT(dir_options), .run = status_main,
};

const struct wt_command wt_command_sweep_merge = {
	.name = "sweep merge", .arguments = "FILE", .text = "join the parts of a sweep; the result is that of one machine",
	.options = merge_options, .option_count = COUNT(merge_options), .run = merge_main,
	.notes = "Reads every done*.jsonl of the results folder and writes runs.jsonl and facts.jsonl. Exit code 1: runs are missing.",
};
