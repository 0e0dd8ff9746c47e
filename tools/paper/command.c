/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank paper run. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/paper/claims.h"
#include "tools/common/cli.h"
#include "tools/common/ending.h"
#include "tools/common/jobs.h"
#include "tools/paper/run.h"
#include "tools/sweep/files.h"
#include "tools/common/progress.h"
#include "tools/sweep/lab.h"

extern const struct wt_command wt_command_paper_run;

enum { OPT_REPEATS, OPT_POINTS, OPT_SEED, OPT_JOBS, OPT_BACKEND, OPT_WITHOUT, OPT_PRESET, OPT_CHANGES,
       OPT_UNTIL, OPT_MARGIN, OPT_CELLS, OPT_LATE, OPT_STEAL, OPT_ATTEMPTS, OPT_JSON, OPT_DIR };

static const struct wt_option options[] = {
	[OPT_REPEATS] = {0, "repeats", "N", "runs per cell (default: the table's own, 30; 3 in real time)"},
	[OPT_POINTS] = {0, "points", "LIST", "only these rows: 0,0.05,0.2"},
	[OPT_SEED] = {0, "seed", "N", "of repeat 0; repeat k runs with N + k (default: the table's own)"},
	[OPT_JOBS] = {0, "jobs", "N", "runs at a time (default: one per core; 8 labs in real time)"},
	[OPT_BACKEND] = {0, "backend", "NAME", "sim (default), tap or packet: the emulator daemon in real time, in labs"},
	[OPT_WITHOUT] = {0, "without", "RULE", "without a rule of ours that the table's file declares; 'paper show' names them"},
	[OPT_PRESET] = {0, "preset", "NAME", "under another stack, as the file declares it ('under NAME'), else with its settings"},
	[OPT_CHANGES] = {0, "changes", NULL, "of a whole paper: then also without each rule, and under each stack, that its files declare"},
	[OPT_UNTIL] = {0, "until-decided", NULL, "go on with three and nine times the repeats in rows whose order or cells are open"},
	[OPT_MARGIN] = {0, "margin", "SHARE", "a difference shown to lie within this share is level (default 2%)"},
	[OPT_CELLS] = {0, "cells", "SHARE", "how often the word on a cell may be wrong (default 5%; 0: by these runs alone)"},
	[OPT_LATE] = {0, "late", "TIME", "in real time: the host was too busy if 1 % of the frames were later (default 1ms)"},
	[OPT_STEAL] = {0, "steal", "SHARE", "... or the hypervisor took a larger share of the processors (default 1%)"},
	[OPT_ATTEMPTS] = {0, "attempts", "N", "in real time: attempts at a run while the host is too busy (default 3)"},
	[OPT_JSON] = {0, "json", NULL, "the cells as JSON Lines"},
	[OPT_DIR] = {'o', "output", "DIR", "results folder (default results/TABLE-BACKEND); finished runs there are not repeated"},
};

struct command {
	struct wt_paper_job job;
	const char *dir;
	bool changes;
};

static volatile int interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static int take_count(const char *value, uint64_t *count, uint64_t most, char *err, size_t err_len)
{
	int error = wt_parse_count(value, count, err, err_len);

	if (!error && (!*count || *count > most)) {
		snprintf(err, err_len, "'%s': expected 1 to %" PRIu64, value, most);
		return -EINVAL;
	}
	return error;
}

static int take_backend(struct wt_paper_job *job, const char *value, char *err, size_t err_len)
{
	static const char *const names[] = {"sim", "tap", "packet"};

	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(value, names[i])) {
			job->backend = names[i];
			return 0;
		}
	snprintf(err, err_len, "no backend '%s'; known: sim, tap, packet", value);
	return -EINVAL;
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct command *command = arg;
	struct wt_paper_job *job = &command->job;

	switch (option) {
	case WT_ARGS_WORD:
		if (job->id) {
			snprintf(err, err_len, "unexpected argument '%s': one table at a time", value);
			return -EINVAL;
		}
		job->id = value;
		return 0;
	case OPT_REPEATS: return take_count(value, &job->repeats, 100000, err, err_len);
	case OPT_JOBS: return take_count(value, &job->jobs, 1000, err, err_len);
	case OPT_SEED:
		job->has_seed = true;
		return wt_parse_count(value, &job->seed, err, err_len);
	case OPT_WITHOUT: snprintf(job->change, sizeof(job->change), "without-%s", value); return 0;
	case OPT_PRESET:
		job->preset = value;
		snprintf(job->change, sizeof(job->change), "under-%s", value);
		return 0;
	case OPT_CHANGES: command->changes = true; return 0;
	case OPT_UNTIL: job->until = true; return 0;
	case OPT_MARGIN: return wt_parse_share(value, &job->margin, err, err_len);
	case OPT_CELLS: return wt_parse_share(value, &job->cells, err, err_len);
	case OPT_LATE: return wt_parse_time(value, &job->bounds.late, err, err_len);
	case OPT_STEAL: return wt_parse_share(value, &job->bounds.steal, err, err_len);
	case OPT_ATTEMPTS: return take_count(value, &job->attempts, 100, err, err_len);
	case OPT_POINTS: job->points = value; return 0;
	case OPT_JSON: job->json = true; return 0;
	case OPT_DIR: command->dir = value; return 0;
	}
	return take_backend(job, value, err, err_len);
}

static int run_table(const struct wt_paper_job *job, const char *dir, bool check_only)
{
	struct wt_sweep *sweep = malloc(sizeof(*sweep));
	char err[900] = "the table is missing; 'wavetank paper list' lists them";
	int error = sweep && job->id ? wt_paper_prepare(job, sweep, err, sizeof(err)) : -EINVAL, code = WT_EXIT_OK;

	if (error) {
		code = wt_fail(error == -ENOMEM ? WT_EXIT_ENVIRONMENT : WT_EXIT_USAGE, "%s", err);
	} else {
		if (sweep->figure && !strcmp(sweep->figure, job->id) && !check_only)
			wt_say("%s plots the numbers of %s: running %s", job->id, sweep->name, sweep->name);
		code = check_only ? WT_EXIT_OK : wt_paper_run(job, sweep, dir);
	}
	if (sweep && job->id)
		wt_sweep_finish(sweep);
	free(sweep);
	return code;
}

/* ---- all tables of a paper ---------------------------------------------------------------------------- */

/* A figure without numbers is listed, but there is nothing to run; and not every table declares every change. */
static bool can_run(const struct wt_paper_job *job, const char *id)
{
	struct wt_sweep *sweep = malloc(sizeof(*sweep));
	char err[600];
	int error = sweep ? wt_sweep_load(sweep, id, err, sizeof(err)) : -ENOMEM;
	bool can = error != -ENODATA && (error || !*job->change || job->preset || wt_sweep_change_of(sweep, job->change));

	if (sweep)
		wt_sweep_finish(sweep);
	free(sweep);
	return can;
}

static bool is_family(const char *id)
{
	for (unsigned i = 0; id && wt_paper_files[i].id; i++)
		if (wt_paper_belongs(wt_paper_files[i].id, id))
			return true;
	return false;
}

/* Runs or, to refuse a bad file before the first run, only checks each. */
static int each_table(const struct command *command, const char *dir, FILE *summary, bool check_only)
{
	int code = WT_EXIT_OK;

	for (unsigned i = 0; wt_paper_files[i].id && !interrupted; i++) {
		struct wt_paper_job job = command->job;
		char name[600];
		int result;

		if (!wt_paper_belongs(wt_paper_files[i].id, job.id) || !can_run(&job, wt_paper_files[i].id))
			continue;
		job.id = wt_paper_files[i].id;
		job.summary = summary;
		snprintf(name, sizeof(name), "%.500s%s", dir, strchr(job.id, '/'));
		result = run_table(&job, name, check_only);
		if (!check_only && !job.json)
			putchar('\n');
		if (result && result != WT_EXIT_SOME_FAILED && result != WT_EXIT_FAILED)
			return result;
		code = result ? result : code;
	}
	return code;
}

/* What the results say of the claims: score.jsonl and score.txt, and the count of verdicts for the summary. */
static int score_family(const struct command *command, const char *dir)
{
	struct wt_claims *claims = malloc(sizeof(*claims));
	char err[300] = "no memory";
	int code = WT_EXIT_OK;

	if (!claims || wt_claims_load(claims, err, sizeof(err))) {
		free(claims);
		return wt_fail(WT_EXIT_INTERNAL, "%s", err);
	}
	wt_claims_judge(claims, dir);
	for (unsigned i = 0; i < 2; i++) {
		const char *name = i ? "score.txt" : "score.jsonl";
		FILE *file = wt_sweep_create(dir, name);

		if (file)
			(i ? wt_claims_print : wt_claims_print_json)(file, claims, NULL);
		if (wt_sweep_shut(file, 0, dir, name))
			code = wt_fail(WT_EXIT_ENVIRONMENT, "%s/score: %s", dir, strerror(errno));
	}
	if (!command->job.json)
		wt_claims_totals(stdout, claims);
	free(claims);
	return code;
}

/* All tables into `dir`, with summary.txt and the card. */
static int run_tables(const struct command *command, const char *dir)
{
	char *text = NULL;
	FILE *summary, *file;
	size_t len;
	int code;

	summary = open_memstream(&text, &len);
	if (!summary)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
	code = each_table(command, dir, summary, false);
	fclose(summary);
	if (!command->job.json)
		fputs(text, stdout);
	file = wt_sweep_create(dir, "summary.txt");
	if (file)
		fputs(text, file);
	if (wt_sweep_shut(file, 0, dir, "summary.txt"))
		code = wt_fail(WT_EXIT_ENVIRONMENT, "%s/summary.txt: %s", dir, strerror(errno));
	free(text);
	return code;
}

/* Without each rule and under each stack that a table of the paper declares, each in a folder of its own. */
static int run_changes(const struct command *command, const char *dir)
{
	struct wt_paper_changes changes;
	int code = WT_EXIT_OK;

	wt_paper_changes_of(command->job.id, &changes);
	for (unsigned i = 0; i < changes.count && !interrupted && (!code || code == WT_EXIT_SOME_FAILED); i++) {
		struct command one = *command;
		char name[600];

		one.job.until = false; /* whether a verdict survives is asked with the table's own repeats */
		snprintf(one.job.change, sizeof(one.job.change), "%s", changes.name[i]);
		snprintf(name, sizeof(name), "%.500s/%s", dir, changes.name[i]);
		wt_say("%s", changes.name[i]);
		code = run_tables(&one, name);
	}
	return code;
}

static int run_family(const struct command *command)
{
	double from = wt_wall_clock();
	const char *backend = command->job.backend ? command->job.backend : "sim";
	char own[200];
	const char *dir = command->dir ? command->dir : own;
	int code = each_table(command, "", NULL, true);

	if (code)
		return code;
	snprintf(own, sizeof(own), "results/%.100s-%s", command->job.id, backend);
	code = run_tables(command, dir);
	if (command->changes && !interrupted && (!code || code == WT_EXIT_SOME_FAILED))
		code = run_changes(command, dir);
	if (!interrupted) {
		int scored = score_family(command, dir);

		code = scored ? scored : code;
	}
	if (interrupted)
		wt_say("%s: ended by a signal after %.1f s; the same command goes on with what is missing", command->job.id, wt_wall_clock() - from);
	else
		wt_say("%s: all tables in %.1f s, results in %s", command->job.id, wt_wall_clock() - from, dir);
	wt_say("report: wavetank report build %s -o report.html · claims: wavetank paper score --results %s", dir, dir);
	return code;
}

static int run_main(int argc, char **argv)
{
	struct command command = {.job = {.margin = WT_PAPER_MARGIN, .cells = WT_PAPER_CELLS, .bounds.steal = -1, .interrupt = &interrupted}};
	int code = wt_args_each(argc, argv, take, &command);

	if (code)
		return code;
	if (command.job.until && command.job.backend && strcmp(command.job.backend, "sim"))
		return wt_fail(WT_EXIT_USAGE, "--until-decided is for virtual time");
	if (command.changes && (!is_family(command.job.id) || *command.job.change))
		return wt_fail(WT_EXIT_USAGE, "--changes is for a whole paper, without --without and --preset");
	wt_on_ending(on_signal);
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is a full disk */
	return is_family(command.job.id) ? run_family(&command) : run_table(&command.job, command.dir, false);
}

const struct wt_command wt_command_paper_run = {
	.name = "paper run",
	.arguments = "TABLE|PAPER",
	.text = "re-create a published table, or all of a paper, and compare",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run_main,
	.notes = "  wavetank paper run tcp-real-2001/table1\n"
		 "  wavetank paper run tcp-real-2001 --repeats 30\n"
		 "  wavetank paper run tcp-real-2001/table1 --backend tap --points 0,0.05,0.2 --repeats 3\n"
		 "  wavetank paper run tcp-real-2001 --until-decided --changes -o all\n"
		 "Results do not depend on --jobs. --until-decided looks after N, 3 N and 9 N repeats, each time at a third of 5 %, so that chance\n"
		 "alone decides a pair in at most 5 % of cases; rows in which each pair is decided or level stop earlier. In real time the same rows are run in virtual time too, and each cell says whether\n"
		 "the two agree (exit code 1 if one does not); a run while the host was too busy is repeated, then recorded as invalid and\n"
		 "left out. Finished runs are always kept, and the same command does the missing ones. Exit code 5: some runs failed or are invalid.",
};
