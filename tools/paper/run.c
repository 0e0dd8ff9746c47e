/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/paper/expected.h"
#include "tools/paper/results.h"
#include "tools/sweep/files.h"
#include "tools/sweep/kernel.h"
#include "tools/sweep/lab.h"

#define LOOKS 3 /* at 1, 3 and 9 times the repeats */
#define BESIDE 30 /* repeats in virtual time beside real time: enough for a narrow interval */

/* ---- what is run ------------------------------------------------------------------------------------------ */

/* The row that a word names by its label or by an equal number: "0" is "0.00". */
static int find_row(const struct wt_paper *paper, const char *word)
{
	double a, b;

	for (unsigned p = 0; p < paper->points; p++)
		if (!strcmp(word, paper->point[p].label) ||
		    (!wt_parse_number(word, &a, NULL, 0) && !wt_parse_number(paper->point[p].label, &b, NULL, 0) && fabs(a - b) < 1e-9))
			return (int)p;
	return -1;
}

/* The axis whose words are the rows; NULL: several make them. */
static struct wt_sweep_axis *row_axis(struct wt_sweep *sweep)
{
	int series = wt_sweep_series(sweep);

	return sweep->axes == 2 && series >= 0 ? &sweep->axis[!series] : NULL;
}

/* Rows that are not named go: their words, and their printed numbers. */
static void keep_rows(struct wt_sweep *sweep, struct wt_sweep_axis *axis, const struct wt_paper *paper, const bool *wanted)
{
	unsigned kept = 0, notes = 0;

	for (unsigned i = 0; i < sweep->notes; i++) {
		struct wt_sweep_note *note = &sweep->note[i];
		bool goes = false;

		for (unsigned p = 0; p < paper->points && !strncmp(note->section, "printed", 7); p++) {
			const char *label = paper->point[p].label, *in = strchr(note->key, ' ') ? strchr(note->key, ' ') + 1 : note->key;

			goes |= !wanted[p] && !strncmp(in, label, strlen(label)) && (!in[strlen(label)] || in[strlen(label)] == ' ');
		}
		if (goes) {
			free(note->section);
			free(note->key);
			free(note->text);
		} else {
			sweep->note[notes++] = *note;
		}
	}
	sweep->notes = notes;
	for (unsigned p = 0; p < axis->words; p++)
		if (wanted[p])
			axis->word[kept++] = axis->word[p];
		else
			free(axis->word[p]);
	sweep->points = sweep->points / axis->words * kept;
	axis->words = kept;
}

static int choose_rows(struct wt_sweep *sweep, const struct wt_paper *paper, const char *points, char *err, size_t err_len)
{
	struct wt_sweep_axis *axis = row_axis(sweep);
	bool wanted[WT_PAPER_POINTS] = {false};
	char list[256], *save = NULL;

	if (!axis) {
		snprintf(err, err_len, "--points: the rows of %s are not values of one axis", paper->id);
		return -EINVAL;
	}
	snprintf(list, sizeof(list), "%s", points);
	for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		int row = find_row(paper, word);

		if (row < 0 || wanted[row]) {
			size_t at = (size_t)snprintf(err, err_len, "%s row '%s'; there are:", row < 0 ? "no" : "twice", word);

			for (unsigned i = 0; i < paper->points && at < err_len; i++)
				at += (size_t)snprintf(err + at, err_len - at, " %s", paper->point[i].label);
			return -EINVAL;
		}
		wanted[row] = true;
	}
	keep_rows(sweep, axis, paper, wanted);
	if (!sweep->points)
		snprintf(err, err_len, "no row named");
	return sweep->points ? 0 : -EINVAL;
}

/* Declared by the table, or, of a preset, its settings alone. */
static int make_change(const struct wt_paper_job *job, struct wt_sweep *sweep, char *err, size_t err_len)
{
	if (!*job->change)
		return 0;
	if (!job->preset || wt_sweep_change_of(sweep, job->change))
		return wt_sweep_apply_change(sweep, job->change, err, err_len);
	free(sweep->param[WT_SWEEP_PRESET].text);
	sweep->param[WT_SWEEP_PRESET].text = strdup(job->preset);
	free(sweep->changed);
	sweep->changed = strdup(job->change);
	return sweep->param[WT_SWEEP_PRESET].text && sweep->changed ? 0 : -ENOMEM;
}

int wt_paper_prepare(const struct wt_paper_job *job, struct wt_sweep *sweep, char *err, size_t err_len)
{
	struct wt_paper *paper = malloc(sizeof(*paper));
	int error = wt_sweep_load(sweep, job->id, err, err_len);

	if (!error && job->backend)
		snprintf(sweep->backend, sizeof(sweep->backend), "%s", job->backend);
	if (!error) {
		sweep->repeats = job->repeats ? job->repeats : strcmp(sweep->backend, "sim") ? 3 : sweep->repeats;
		sweep->seed = job->has_seed ? job->seed : sweep->seed;
		sweep->attempts = job->attempts ? job->attempts : sweep->attempts;
		sweep->bounds.late = job->bounds.late ? job->bounds.late : sweep->bounds.late;
		sweep->bounds.steal = job->bounds.steal >= 0 ? job->bounds.steal : sweep->bounds.steal;
		sweep->looks = job->until ? LOOKS : 1;
		sweep->level = WT_PAPER_LEVEL / sweep->looks;
		sweep->margin = job->margin;
		sweep->cells = job->cells;
		error = make_change(job, sweep, err, err_len);
	}
	if (!error)
		error = paper ? wt_paper_view(sweep, 0, paper, err, err_len) : -ENOMEM;
	if (!error && job->points)
		error = choose_rows(sweep, paper, job->points, err, err_len);
	for (unsigned i = 0; i < wt_paper_tables(sweep) && !error; i++)
		error = wt_paper_view(sweep, i, paper, err, err_len);
	free(paper);
	return error ? error : wt_sweep_check(sweep, err, err_len);
}

/* ---- what is made of it ------------------------------------------------------------------------------------ */

/* A table of the folder's runs, judged. 0 or negative errno; finish the results after 0. */
static int judge(const struct wt_sweep *sweep, unsigned table, const char *dir, struct wt_paper_results *results, struct wt_paper_report *report,
		 char *err, size_t err_len)
{
	int error;

	memset(results, 0, sizeof(*results));
	error = wt_paper_view(sweep, table, &results->paper, err, err_len);
	if (!error)
		error = wt_paper_results_read(results, dir, err, err_len);
	if (!error)
		wt_paper_judge(&results->plan, results->records, report);
	return error;
}

struct outcome {
	struct wt_paper_results results;
	struct wt_paper_report report;
};

/* Rows in which more repeats could still say something get three times as many. True: there are such. */
static bool look(struct wt_sweep_state *state, const char *dir)
{
	const struct wt_sweep *sweep = state->sweep;
	struct outcome *now = malloc(sizeof(*now));
	char err[900];
	bool more = false;

	for (unsigned table = 0; now && table < wt_paper_tables(sweep); table++) {
		if (judge(sweep, table, dir, &now->results, &now->report, err, sizeof(err)))
			continue;
		for (uint32_t point = 0; point < sweep->points; point++)
			if (now->report.row[wt_sweep_row(sweep, point)].open && state->point[point].wanted < wt_sweep_most(sweep)) {
				state->point[point].wanted *= 3;
				more = true;
			}
		wt_paper_results_finish(&now->results);
	}
	free(now);
	return more;
}

/* tokens-POINT-VARIANT.csv: the curves behind a mean number of tokens, of the first repeat. */
static int token_traces(const struct wt_sweep *sweep, const char *dir)
{
	struct wt_sweep_run *run = malloc(sizeof(*run));
	int series = wt_sweep_series(sweep), error = run ? 0 : -ENOMEM;
	char path[900], row[100], err[600];

	for (uint32_t point = 0; point < sweep->points && !error; point++) {
		struct wt_simulation_result result;
		struct wt_simulation simulation;

		error = wt_sweep_resolve(sweep, point, run, err, sizeof(err));
		if (error || !run->counts)
			continue;
		wt_sweep_row_text(sweep, point, row, sizeof(row));
		for (char *c = row; *c; c++)
			*c = *c == ' ' ? '-' : *c;
		snprintf(path, sizeof(path), "%s/tokens-%s-%s.csv", dir, row, wt_sweep_word(sweep, point, (unsigned)series));
		error = wt_sweep_simulation(run, sweep->seed, &simulation, err, sizeof(err));
		simulation.tokens_trace = path;
		if (!error)
			error = wt_simulation_run(&simulation, &result, err, sizeof(err));
		if (!error) {
			error = result.file_error;
			wt_simulation_result_finish(&result);
		}
		wt_simulation_finish(&simulation);
	}
	free(run);
	return error;
}

/* table.csv, or of a sweep with several tables table-METRIC.csv. */
static int write_csv(const struct outcome *now, const char *dir, unsigned tables)
{
	char name[120];
	FILE *file;

	snprintf(name, sizeof(name), tables > 1 ? "table-%s.csv" : "table.csv", now->results.paper.metric.path);
	for (char *c = name; *c; c++)
		*c = *c == '/' ? '-' : *c; /* of a ratio */
	file = wt_sweep_create(dir, name);
	if (file)
		wt_paper_csv(file, &now->results.plan, &now->report);
	return wt_sweep_shut(file, 0, dir, name);
}

struct writing {
	const struct wt_paper_job *job;
	const char *dir;
	FILE *text, *lines;
	double wall;
	bool quiet;
};

/* One table to all that is written. */
static int write_table(const struct writing *to, const struct wt_sweep *sweep, struct outcome *now)
{
	const struct wt_paper_plan *plan = &now->results.plan;

	if (to->text)
		wt_paper_print(to->text, plan, &now->report, 0);
	if (to->lines) {
		wt_paper_describe(to->lines, plan, sweep);
		wt_paper_json(to->lines, plan, &now->report);
	}
	if (!to->quiet && to->job->json)
		wt_paper_json(stdout, plan, &now->report);
	else if (!to->quiet)
		wt_paper_print(stdout, plan, &now->report, to->wall);
	if (to->job->summary && !to->quiet) {
		fprintf(to->job->summary, "%-24s %s%s", plan->paper->id, wt_paper_tables(sweep) > 1 ? plan->paper->metric.path : "",
			wt_paper_tables(sweep) > 1 ? " " : "");
		wt_paper_summary(to->job->summary, plan, &now->report);
	}
	return write_csv(now, to->dir, wt_paper_tables(sweep));
}

static void tell_failures(const struct wt_paper_results *results)
{
	const struct wt_paper_plan *plan = &results->plan;

	for (uint32_t i = 0, shown = 0; i < wt_paper_count(plan) && shown < 5; i++) {
		const struct wt_paper_record *record = &results->records[i];
		struct wt_paper_place at = wt_paper_at(plan, i);

		if (record->outcome != WT_PAPER_FAILED && record->outcome != WT_PAPER_INVALID)
			continue;
		shown++;
		wt_say("%s: %s at %s, seed %" PRIu64 ": %s", record->outcome == WT_PAPER_FAILED ? "failed" : "invalid",
		       plan->paper->variant[at.variant].label, plan->paper->point[at.point].label, plan->seed + at.repeat, record->why);
	}
}

/* Behind the table: what was expected of it, if its file says how and the string table has been run. */
static void write_expectation(const struct writing *to, const struct wt_sweep *sweep, const struct wt_paper_results *results)
{
	struct wt_paper_expectation *e = calloc(1, sizeof(*e));
	char err[900];

	if (e && wt_paper_expect(sweep, results, to->dir, e, NULL, err, sizeof(err))) {
		wt_say("no expected throughput: %s", err);
	} else if (e) {
		if (to->text)
			wt_paper_expectation_print(to->text, &results->paper, e);
		if (!to->quiet && !to->job->json)
			wt_paper_expectation_print(stdout, &results->paper, e);
	}
	free(e);
}

/* All tables of the folder: printed, and written beside the runs. 0 or negative errno; *report: of the first. */
static int write_all(struct writing *to, const struct wt_sweep *sweep, struct wt_paper_report *report, char *err, size_t err_len)
{
	struct outcome *now = malloc(sizeof(*now));
	int error = now ? 0 : -ENOMEM;

	*err = '\0';
	to->text = wt_sweep_create(to->dir, "table.txt");
	to->lines = wt_sweep_create(to->dir, "table.jsonl");
	for (unsigned table = 0; table < wt_paper_tables(sweep) && !error; table++) {
		error = judge(sweep, table, to->dir, &now->results, &now->report, err, err_len);
		if (error)
			break;
		if (table && !to->quiet && !to->job->json)
			putchar('\n');
		error = write_table(to, sweep, now);
		if (!table && wt_paper_expects(sweep))
			write_expectation(to, sweep, &now->results);
		if (!table) {
			*report = now->report;
			if (!to->quiet)
				tell_failures(&now->results);
		}
		wt_paper_results_finish(&now->results);
	}
	error = wt_sweep_shut(to->text, error, to->dir, "table.txt");
	error = wt_sweep_shut(to->lines, error, to->dir, "table.jsonl");
	free(now);
	if (error && !*err)
		snprintf(err, err_len, "%s: %s; finished runs are kept", to->dir, strerror(-error));
	return error;
}

/* ---- running ---------------------------------------------------------------------------------------------- */

/* Runs what is missing into `dir`, look by look, and writes runs.jsonl. 0, -EINTR, or negative errno with a sentence. */
static int work(const struct wt_paper_job *job, struct wt_sweep *sweep, const char *dir, uint64_t *before, char *err, size_t err_len)
{
	struct wt_sweep_totals totals;
	struct wt_sweep_state state;
	char already[48] = "";
	int error = wt_sweep_state_init(&state, sweep, dir, err, err_len);

	wt_kernel_release(sweep->kernel);
	state.jobs = job->jobs ? (unsigned)job->jobs : !strcmp(sweep->backend, "sim") ? wt_cores() : WT_LAB_RUNS;
	if (!error)
		error = wt_sweep_state_name(&state, err, err_len);
	if (!error)
		error = wt_sweep_kernel_check(&state, err, err_len);
	if (!error)
		error = wt_sweep_begin(&state, "done.jsonl", err, err_len);
	if (!error) {
		wt_sweep_totals(&state, &totals);
		*before = totals.done;
		if (totals.done)
			snprintf(already, sizeof(already), ", %" PRIu64 " done already", totals.done);
		wt_say("%s: %" PRIu64 " runs%s on %s%s, %u at a time", sweep->name, totals.wanted, sweep->looks > 1 ? " or more" : "",
		       sweep->backend, already, state.jobs);
		if (wt_sweep_others(&state))
			wt_say("note: %s also keeps %" PRIu64 " runs of other settings, seeds or rows; the table leaves them out", dir, wt_sweep_others(&state));
		snprintf(err, err_len, "no worker process");
	}
	do {
		int composed;

		if (error)
			break;
		error = wt_sweep_execute(&state, job->interrupt);
		if (error && error != -EINTR)
			snprintf(err, err_len, "%s: %s; finished runs are kept", dir, strerror(-error));
		composed = error && error != -EINTR ? error : wt_sweep_compose(&state, err, err_len);
		error = error ? error : composed;
	} while (!error && look(&state, dir));
	wt_sweep_state_finish(&state);
	return error;
}

/* The same rows in virtual time, in a folder of their own: do the two agree? */
static int compare(const struct wt_paper_job *job, const struct wt_sweep *real_sweep, const struct wt_paper_report *real, const char *dir)
{
	struct wt_paper_job beside = *job;
	struct wt_sweep *sweep = malloc(sizeof(*sweep));
	struct outcome *now = malloc(sizeof(*now)), *then = malloc(sizeof(*then));
	unsigned agree = 0, cells = 0;
	char below[600], err[900] = "no memory";
	uint64_t before;

	beside.backend = "sim";
	beside.repeats = real_sweep->repeats > BESIDE ? real_sweep->repeats : BESIDE;
	beside.jobs = 0;
	snprintf(below, sizeof(below), "%.580s/virtual-time", dir);
	if (sweep && now && then && !wt_paper_prepare(&beside, sweep, err, sizeof(err)) &&
	    !work(&beside, sweep, below, &before, err, sizeof(err)) && !judge(sweep, 0, below, &now->results, &now->report, err, sizeof(err))) {
		if (!judge(real_sweep, 0, dir, &then->results, &then->report, err, sizeof(err))) {
			agree = wt_paper_agreement(job->json ? stderr : stdout, &then->results.plan, real, &now->report, (unsigned)beside.repeats, &cells);
			wt_paper_results_finish(&then->results);
		}
		wt_paper_results_finish(&now->results);
	} else {
		wt_say("%s", err);
	}
	if (sweep)
		wt_sweep_finish(sweep);
	free(sweep);
	free(now);
	free(then);
	return agree == cells && cells ? WT_EXIT_OK : WT_EXIT_FAILED;
}

/* What a person sees at the end. An exit code. */
static int conclude(const struct wt_paper_job *job, struct wt_sweep *sweep, const char *dir, double wall)
{
	struct writing to = {.job = job, .dir = dir, .wall = wall};
	struct wt_paper_report *report = calloc(1, sizeof(*report));
	char err[900] = "no memory";
	int code = WT_EXIT_OK, error = report ? write_all(&to, sweep, report, err, sizeof(err)) : -ENOMEM;

	if (!error)
		error = token_traces(sweep, dir);
	if (!error && report->invalid)
		wt_say("the host was too busy in some runs; try " WT_LAB_HINT " (--late or --steal)");
	if (!error && (report->failed || report->invalid))
		code = WT_EXIT_SOME_FAILED;
	if (!error && !*job->interrupt && strcmp(sweep->backend, "sim")) {
		int agreed = compare(job, sweep, report, dir);

		code = code ? code : agreed;
	}
	free(report);
	if (error)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s", *err ? err : strerror(-error));
	wt_say("results in %s: runs.jsonl, table.csv, table.txt%s", dir, *job->interrupt ? "; the same command goes on with what is missing" : "");
	return *job->interrupt ? 128 + *job->interrupt : code;
}

int wt_paper_run(const struct wt_paper_job *job, struct wt_sweep *sweep, const char *dir)
{
	double from = wt_wall_clock();
	char own[200], end[20], err[900];
	uint64_t before = 0;
	int error;

	snprintf(end, sizeof(end), "-%s", sweep->backend);
	wt_sweep_folder(sweep, end, own, sizeof(own));
	dir = dir ? dir : own;
	error = work(job, sweep, dir, &before, err, sizeof(err));
	if (error && error != -EINTR)
		return wt_fail(error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err);
	return conclude(job, sweep, dir, before ? 0 : wt_wall_clock() - from); /* the time of all runs, or not told */
}
