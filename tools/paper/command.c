/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank paper run. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/paper/claims.h"
#include "tools/common/cli.h"
#include "tools/common/jobs.h"
#include "tools/lab/run.h"
#include "tools/paper/files.h"
#include "tools/paper/lab.h"
#include "tools/common/progress.h"

extern const struct wt_command wt_command_paper_run;

enum { OPT_REPEATS, OPT_POINTS, OPT_SEED, OPT_JOBS, OPT_BACKEND, OPT_WITHOUT, OPT_PRESET, OPT_CHANGES,
       OPT_UNTIL, OPT_MARGIN, OPT_LATE, OPT_STEAL, OPT_ATTEMPTS, OPT_RESUME, OPT_JSON, OPT_DIR };

static const struct wt_option options[] = {
	[OPT_REPEATS] = {0, "repeats", "N", "runs per cell (default: the table's own, 30; 3 in real time)"},
	[OPT_POINTS] = {0, "points", "LIST", "only these rows: 0,0.05,0.2"},
	[OPT_SEED] = {0, "seed", "N", "of repeat 0; repeat k runs with N + k (default: the table's own)"},
	[OPT_JOBS] = {0, "jobs", "N", "runs at a time (default: one per core; 8 labs in real time)"},
	[OPT_BACKEND] = {0, "backend", "NAME", "sim (default), tap or packet: the emulator daemon in real time, in labs"},
	[OPT_WITHOUT] = {0, "without", "RULE", "without a rule of ours that the table's file declares; 'paper show' names them"},
	[OPT_PRESET] = {0, "preset", "NAME", "under another stack, as the file declares it ('under NAME'), else with its settings"},
	[OPT_CHANGES] = {0, "changes", NULL, "of a whole paper: then also without each rule, and under each stack, that its files declare"},
	[OPT_UNTIL] = {0, "until-decided", NULL, "go on with three and nine times the repeats in rows whose order is open"},
	[OPT_MARGIN] = {0, "margin", "SHARE", "a difference shown to lie within this share is level (default 2%)"},
	[OPT_LATE] = {0, "late", "TIME", "in real time: the host was too busy if 1 % of the frames were later (default 1ms)"},
	[OPT_STEAL] = {0, "steal", "SHARE", "... or the hypervisor took a larger share of the processors (default 1%)"},
	[OPT_ATTEMPTS] = {0, "attempts", "N", "in real time: attempts at a run while the host is too busy (default 3)"},
	[OPT_RESUME] = {0, "resume", NULL, "go on with what stands in the results folder (needs -o)"},
	[OPT_JSON] = {0, "json", NULL, "the cells as JSON Lines"},
	[OPT_DIR] = {'o', "output", "DIR", "results folder (default results/TABLE-BACKEND, numbered)"},
};

#define LOOKS 3 /* at 1, 3 and 9 times the repeats */

struct command {
	struct wt_paper paper;
	struct wt_paper_plan plan;
	const char *id, *points, *dir;
	FILE *summary; /* a line per table goes there; NULL: nowhere */
	uint64_t repeats, jobs, seed;
	char change[64]; /* without-RULE, under-PRESET; empty: as the file has it */
	const char *preset;
	bool json, has_seed, resume, changes, until;
};

static volatile int interrupted;

static void on_signal(int number)
{
	interrupted = number;
}

static int take_count(const char *value, uint64_t *count, char *err, size_t err_len)
{
	int error = wt_parse_count(value, count, err, err_len);

	if (!error && !*count) {
		snprintf(err, err_len, "'%s': expected 1 or more", value);
		return -EINVAL;
	}
	return error;
}

static int take(struct command *command, int option, const char *value, char *err, size_t err_len)
{
	switch (option) {
	case WT_ARGS_WORD:
		if (command->id) {
			snprintf(err, err_len, "one table at a time; '%s' is too much", value);
			return -EINVAL;
		}
		command->id = value;
		return 0;
	case OPT_REPEATS: return take_count(value, &command->repeats, err, err_len);
	case OPT_JOBS: return take_count(value, &command->jobs, err, err_len);
	case OPT_SEED:
		command->has_seed = true;
		return wt_parse_count(value, &command->seed, err, err_len);
	case OPT_WITHOUT:
		snprintf(command->change, sizeof(command->change), "without-%s", value);
		return 0;
	case OPT_PRESET:
		command->preset = value;
		snprintf(command->change, sizeof(command->change), "under-%s", value);
		return 0;
	case OPT_CHANGES: command->changes = true; return 0;
	case OPT_UNTIL: command->until = true; return 0;
	case OPT_MARGIN: return wt_parse_share(value, &command->plan.margin, err, err_len);
	case OPT_LATE: return wt_parse_time(value, &command->plan.bounds.late, err, err_len);
	case OPT_STEAL: return wt_parse_share(value, &command->plan.bounds.steal, err, err_len);
	case OPT_ATTEMPTS: return take_count(value, &command->plan.attempts, err, err_len);
	case OPT_POINTS: command->points = value; return 0;
	case OPT_RESUME: command->resume = true; return 0;
	case OPT_JSON: command->json = true; return 0;
	case OPT_DIR: command->dir = value; return 0;
	case OPT_BACKEND:
		for (unsigned i = 0; i < 3; i++) {
			static const char *const names[] = {"sim", "tap", "packet"};

			if (!strcmp(value, names[i])) {
				command->plan.backend = names[i];
				return 0;
			}
		}
		snprintf(err, err_len, "no backend '%s'; known: sim, tap, packet", value);
		return -EINVAL;
	}
	return 0;
}

/* Rows named by their label, or by an equal number: "0" is "0.00". */
static int choose_points(struct command *command, char *err, size_t err_len)
{
	struct wt_paper_plan *plan = &command->plan;
	char list[256], *save = NULL;

	if (!command->points) {
		for (plan->points = 0; plan->points < command->paper.points; plan->points++)
			plan->point[plan->points] = plan->points;
		return 0;
	}
	snprintf(list, sizeof(list), "%s", command->points);
	for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned found = 0, seen = 0;

		for (; found < command->paper.points; found++) {
			double a, b;

			if (!strcmp(word, command->paper.point[found].label) ||
			    (!wt_parse_number(word, &a, NULL, 0) &&
			     !wt_parse_number(command->paper.point[found].label, &b, NULL, 0) && fabs(a - b) < 1e-9))
				break;
		}
		while (seen < plan->points && plan->point[seen] != found)
			seen++;
		if (found == command->paper.points || seen < plan->points) {
			size_t at = (size_t)snprintf(err, err_len, "%s row '%s'; there are:",
						     seen < plan->points ? "twice" : "no", word);

			for (unsigned i = 0; i < command->paper.points && at < err_len; i++)
				at += (size_t)snprintf(err + at, err_len - at, " %s", command->paper.point[i].label);
			return -EINVAL;
		}
		plan->point[plan->points++] = found;
	}
	if (!plan->points)
		snprintf(err, err_len, "no row named");
	return plan->points ? 0 : -EINVAL;
}

/* Declared by the table, or, of a preset, its settings alone. */
static int change(struct command *command, char *err, size_t err_len)
{
	struct wt_paper *paper = &command->paper;

	if (!*command->change)
		return 0;
	if (!command->preset || wt_paper_change_of(paper, command->change))
		return wt_paper_apply_change(paper, command->change, err, err_len);
	if (strlen(command->preset) >= sizeof(paper->preset)) {
		snprintf(err, err_len, "no preset '%s'", command->preset);
		return -EINVAL;
	}
	strcpy(paper->preset, command->preset);
	snprintf(paper->changed, sizeof(paper->changed), "%.39s", command->change);
	return 0;
}

static int complete(struct command *command, char *err, size_t err_len)
{
	struct wt_paper_plan *plan = &command->plan;
	bool sim = !strcmp(plan->backend, "sim");
	int error;

	if (!command->id) {
		snprintf(err, err_len, "which table? 'wavetank paper list' lists them");
		return -EINVAL;
	}
	error = wt_paper_load(command->id, &command->paper, err, err_len);
	if (error)
		return error;
	error = change(command, err, err_len);
	if (error)
		return error;
	if (!strcmp(command->paper.figure, command->id))
		wt_say("%s plots the numbers of %s, which is what runs", command->id, command->paper.id);
	plan->paper = &command->paper;
	plan->seed = command->has_seed ? command->seed : command->paper.seed;
	if (!command->repeats)
		command->repeats = sim ? command->paper.repeats : 3;
	if (command->repeats > 100000 || command->jobs > 1000) {
		snprintf(err, err_len, "at most 100000 repeats and 1000 jobs");
		return -EINVAL;
	}
	plan->first = plan->repeats = (uint32_t)command->repeats;
	plan->looks = command->until ? LOOKS : 1;
	plan->level = 0.05 / plan->looks;
	if (command->until)
		plan->repeats *= 9;
	plan->jobs = command->jobs ? (unsigned)command->jobs : sim ? wt_cores() : WT_LAB_RUNS;
	if (*command->paper.meter && !sim) {
		snprintf(err, err_len, "tokens are counted in virtual time only");
		return -EINVAL;
	}
	error = choose_points(command, err, err_len);
	return error ? error : wt_paper_check(plan, err, err_len);
}

/* The same rows in virtual time, often enough to have a narrow interval. */
static int compare(const struct command *command, const struct wt_paper_report *real)
{
	struct wt_paper_plan plan = command->plan;
	struct wt_paper_report *report = calloc(1, sizeof(*report));
	struct wt_paper_record *records;
	unsigned agree = 0, cells = 0;

	plan.backend = "sim";
	plan.jobs = wt_cores();
	plan.repeats = command->paper.repeats < 30 ? 30 : (uint32_t)command->paper.repeats;
	records = calloc(wt_paper_count(&plan), sizeof(*records));
	if (records && report && wt_paper_sweep(&plan, wt_paper_run_sim, records, NULL, &interrupted) >= 0 && !interrupted) {
		wt_paper_judge(&plan, records, report);
		agree = wt_paper_agreement(command->json ? stderr : stdout, &command->plan, real, report, plan.repeats, &cells);
	}
	free(records);
	free(report);
	return agree == cells && cells ? WT_EXIT_OK : WT_EXIT_FAILED;
}

static int conclude(struct command *command, struct wt_paper_files_out *out, const struct wt_paper_record *records, double wall)
{
	struct wt_paper_plan *plan = &command->plan;
	struct wt_paper_report *report = calloc(1, sizeof(*report));
	int code = WT_EXIT_OK, error;

	if (!report)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
	wt_paper_judge(plan, records, report);
	if (command->json)
		wt_paper_json(stdout, plan, report);
	else
		wt_paper_print(stdout, plan, report, wall);
	if (command->summary) {
		fprintf(command->summary, "%-24s ", plan->paper->id);
		wt_paper_summary(command->summary, plan, report);
	}
	error = wt_paper_files_close(out, plan, records, report, wall);
	for (uint32_t i = 0, shown = 0; i < wt_paper_count(plan) && shown < 5; i++)
		if (records[i].outcome == WT_PAPER_FAILED || records[i].outcome == WT_PAPER_INVALID) {
			struct wt_paper_place at = wt_paper_at(plan, i);

			shown++;
			wt_say("%s: %s at %s, seed %" PRIu64 ": %s", records[i].outcome == WT_PAPER_FAILED ? "failed" : "invalid", plan->paper->variant[at.variant].label,
			       plan->paper->point[plan->point[at.point]].label, plan->seed + at.repeat, records[i].why);
		}
	if (report->invalid)
		wt_say("where the host was too busy helps: " WT_LAB_HINT " (--late or --steal)");
	if (report->failed || report->invalid)
		code = WT_EXIT_SOME_FAILED;
	if (!interrupted && strcmp(plan->backend, "sim")) {
		int agreed = compare(command, report);

		code = code ? code : agreed;
	}
	if (!error)
		wt_say("results in %s: runs.jsonl, table.csv, table.txt%s%s", out->dir, interrupted ? "; what is missing: --resume -o " : "",
		       interrupted ? out->dir : "");
	free(report);
	if (error)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s; what is finished is kept, and --resume goes on", out->dir, strerror(-error));
	if (fflush(stdout) || ferror(stdout))
		return wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno));
	return interrupted ? 128 + interrupted : code;
}

/* A new folder, or what is done of an old one. An exit code. */
static int open_files(const struct command *command, struct wt_paper_files_out *out, struct wt_paper_record *records)
{
	char err[700];
	int error = command->resume ? wt_paper_files_resume(out, command->dir, &command->plan, records, err, sizeof(err)) : -ENOENT;

	if (error == -ENOENT && (!command->resume || command->summary)) /* of all tables some may not have been begun */
		error = wt_paper_files_open(out, command->dir, &command->plan, err, sizeof(err));
	if (!error)
		return WT_EXIT_OK;
	return wt_fail(command->resume && (error == -EINVAL || error == -ENOENT) ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err);
}

static int sweep(struct command *command)
{
	struct wt_paper_plan *plan = &command->plan;
	struct wt_paper_record *records = calloc(wt_paper_count(plan), sizeof(*records));
	struct wt_paper_files_out out;
	double from = wt_wall_clock();
	char already[40] = "";
	uint32_t before = 0;
	int64_t finished;
	int code;

	if (!records)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory for %u runs", wt_paper_count(plan));
	code = open_files(command, &out, records);
	if (code) {
		free(records);
		return code;
	}
	for (uint32_t i = 0; i < wt_paper_count(plan); i++)
		before += records[i].outcome != WT_PAPER_NOT_RUN;
	if (before)
		snprintf(already, sizeof(already), ", %u done already", before);
	wt_say("%s: %u runs on %s%s, %u at a time", plan->paper->id, wt_paper_count(plan), plan->backend, already, plan->jobs);
	finished = wt_paper_sweep(plan, strcmp(plan->backend, "sim") ? wt_paper_run_lab : wt_paper_run_sim, records, &out.store,
				  &interrupted);
	if (finished < 0)
		code = wt_fail(WT_EXIT_ENVIRONMENT, "no worker process: %s", strerror((int)-finished));
	else
		code = conclude(command, &out, records, before ? 0 : wt_wall_clock() - from); /* of all runs, or not told */
	free(records);
	return code;
}

/* ---- all tables of a paper ---------------------------------------------------------------------------- */

/* "tcp-real-2001" names all tables whose id begins so. */
static bool belongs(const char *table, const char *id)
{
	size_t len = strlen(id);

	return strncmp(table, id, len) == 0 && table[len] == '/';
}

/* A figure without numbers is listed, but there is nothing to run; and not every table declares every change. */
static bool can_run(const struct command *command, const char *id)
{
	struct wt_paper *paper = malloc(sizeof(*paper));
	char err[400];
	int error = paper ? wt_paper_load(id, paper, err, sizeof(err)) : 0;
	bool can = error != -ENODATA && (error || !paper || !*command->change || command->preset || wt_paper_change_of(paper, command->change));

	free(paper);
	return can;
}

static bool is_family(const char *id)
{
	for (unsigned i = 0; id && wt_paper_files[i].id; i++)
		if (belongs(wt_paper_files[i].id, id))
			return true;
	return false;
}

/* Runs or, to refuse a bad file before the first run, only checks each. */
static int each_table(const struct command *command, const char *dir, FILE *summary, bool check_only)
{
	struct command *one = malloc(sizeof(*one));
	int code = WT_EXIT_OK;

	if (!one)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
	for (unsigned i = 0; wt_paper_files[i].id && !interrupted; i++) {
		char name[600], err[400];
		int result = WT_EXIT_OK;

		if (!belongs(wt_paper_files[i].id, command->id) || !can_run(command, wt_paper_files[i].id))
			continue;
		*one = *command;
		one->id = wt_paper_files[i].id;
		snprintf(name, sizeof(name), "%s%s", dir, strchr(one->id, '/'));
		one->dir = name;
		one->summary = summary;
		if (complete(one, err, sizeof(err)))
			result = wt_fail(WT_EXIT_USAGE, "%s: %s", one->id, err);
		else if (!check_only)
			result = sweep(one);
		if (!check_only && !command->json)
			putchar('\n');
		if (result && result != WT_EXIT_SOME_FAILED && result != WT_EXIT_FAILED) {
			code = result;
			break;
		}
		code = result ? result : code;
	}
	free(one);
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
		FILE *file = wt_paper_files_create(dir, name);

		if (file)
			(i ? wt_claims_print : wt_claims_print_json)(file, claims, NULL);
		if (wt_paper_files_shut(file, dir, name))
			code = wt_fail(WT_EXIT_ENVIRONMENT, "%s/score: %s", dir, strerror(errno));
	}
	if (!command->json)
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
	if (!command->json)
		fputs(text, stdout);
	file = wt_paper_files_create(dir, "summary.txt");
	if (file)
		fputs(text, file);
	if (wt_paper_files_shut(file, dir, "summary.txt"))
		code = wt_fail(WT_EXIT_ENVIRONMENT, "%s/summary.txt: %s", dir, strerror(errno));
	free(text);
	return code;
}

/* Without each rule and under each stack that a table of the paper declares, each in a folder of its own. */
static int run_changes(const struct command *command, const char *dir)
{
	struct command *one = malloc(sizeof(*one));
	struct wt_paper_changes changes;
	int code = WT_EXIT_OK;

	if (!one)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
	wt_paper_changes_of(command->id, &changes);
	for (unsigned i = 0; i < changes.count && !interrupted && (!code || code == WT_EXIT_SOME_FAILED); i++) {
		char name[600];

		*one = *command;
		one->until = false; /* whether a verdict survives is asked with the table's own repeats */
		snprintf(one->change, sizeof(one->change), "%s", changes.name[i]);
		snprintf(name, sizeof(name), "%s/%s", dir, changes.name[i]);
		wt_say("%s", changes.name[i]);
		code = run_tables(one, name);
	}
	free(one);
	return code;
}

static int run_family(const struct command *command)
{
	double from = wt_wall_clock();
	char dir[512];
	int code = each_table(command, "", NULL, true);

	if (code)
		return code;
	if (command->dir)
		snprintf(dir, sizeof(dir), "%s", command->dir);
	else if (wt_paper_files_fresh(dir, command->id, command->plan.backend))
		return wt_fail(WT_EXIT_ENVIRONMENT, "no results folder: %s", strerror(errno));
	code = run_tables(command, dir);
	if (command->changes && !interrupted && (!code || code == WT_EXIT_SOME_FAILED))
		code = run_changes(command, dir);
	if (!interrupted) {
		int scored = score_family(command, dir);

		code = scored ? scored : code;
	}
	wt_say("%s: all tables in %.1f s, results in %s", command->id, wt_wall_clock() - from, dir);
	wt_say("a page of it: wavetank report build %s -o report.html · every claim: wavetank paper score --results %s", dir, dir);
	return code;
}

static int run_main(int argc, char **argv)
{
	static struct command command; /* large */
	struct wt_args args;
	char err[400];
	int option;

	command.plan.backend = "sim";
	command.plan.margin = 0.02;
	command.plan.attempts = WT_LAB_ATTEMPTS;
	command.plan.bounds = (struct wt_verdict_bounds)WT_VERDICT_BOUNDS;
	wt_args_init(&args, &wt_command_paper_run, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (take(&command, option, args.value, err, sizeof(err)))
			return option >= 0 ? wt_fail(WT_EXIT_USAGE, "--%s: %s", options[option].name, err)
					   : wt_fail(WT_EXIT_USAGE, "%s", err);
	}
	if (command.until && strcmp(command.plan.backend, "sim"))
		return wt_fail(WT_EXIT_USAGE, "--until-decided is for virtual time");
	if (command.changes && (!is_family(command.id) || *command.change))
		return wt_fail(WT_EXIT_USAGE, "--changes is for a whole paper, without --without and --preset");
	if (command.resume && !command.dir)
		return wt_fail(WT_EXIT_USAGE, "--resume: of which folder? -o DIR");
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is a full disk */
	if (is_family(command.id))
		return run_family(&command);
	if (complete(&command, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	return sweep(&command);
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
		 "left out. Whatever ends it, what is done is kept, and --resume goes on. Exit code 5: some runs failed or are invalid.",
};
