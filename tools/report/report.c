/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank report build, open: results and journals as one page. What is drawn and written is in tools/report (Python). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/paper/calibration.h"
#include "tools/paper/claims.h"
#include "tools/paper/explain.h"
#include "tools/common/cli.h"
#include "tools/common/files_apart.h"
#include "tools/common/host_facts.h"
#include "tools/report/compare.h"
#include "tools/results/leaders.h"
#include "tools/results/script.h"
#include "tools/results/statistics.h"
#include "tools/results/trace_file.h"
#include "tools/version.h"

extern const struct wt_command wt_command_report_build, wt_command_report_open;

#define INPUTS 64

enum { OPT_OUTPUT, OPT_TITLE, OPT_NO_FILES };

static const struct wt_option build_options[] = {
	[OPT_OUTPUT] = {'o', "output", "FILE", "the page (default report.html in the folder named first)"},
	[OPT_TITLE] = {0, "title", "TEXT", "its heading"},
	[OPT_NO_FILES] = {0, "no-figures", NULL, "no figures as files of their own beside the page"},
};

struct build {
	const char *output, *title;
	bool no_files;
	unsigned folders, journals, families;
	char folder[INPUTS][512];
	const char *family[INPUTS]; /* folders of folders: all of a paper, perhaps */
	const char *journal[INPUTS];
	bool full;
};

static void add_folder(void *arg, const char *dir)
{
	struct build *build = arg;

	build->full |= build->folders == INPUTS;
	if (!build->full)
		snprintf(build->folder[build->folders++], sizeof(build->folder[0]), "%s", dir);
}

/* A folder of results, a folder of such folders, a journal, or TABLE@BACKEND. */
static int add(struct build *build, const char *word)
{
	char dir[512], err[400];
	struct stat facts;

	if (!stat(word, &facts) && !S_ISDIR(facts.st_mode)) {
		build->full |= build->journals == INPUTS;
		if (!build->full)
			build->journal[build->journals++] = word;
	} else if (!wt_results_folders(word, add_folder, build)) {
		if (wt_results_find(word, dir, sizeof(dir), err, sizeof(err)))
			return wt_fail(WT_EXIT_USAGE, "%s", err);
		add_folder(build, dir);
	} else if (build->folders && strcmp(build->folder[build->folders - 1], word) && build->families < INPUTS) {
		build->family[build->families++] = word;
	}
	return build->full ? wt_fail(WT_EXIT_USAGE, "at most %d folders and %d journals", INPUTS, INPUTS) : WT_EXIT_OK;
}

/* What is worked out from runs is worked out here, for the page as for `report stats`; sweeps have no cells in their files at all. */
static void statistics(struct wt_json *json, const struct build *build)
{
	static struct wt_results results; /* large */
	char err[400];

	wt_json_object(json, "statistics");
	for (unsigned i = 0; i < build->folders; i++) {
		if (!wt_results_load(&results, build->folder[i], err, sizeof(err))) {
			wt_json_object(json, build->folder[i]);
			wt_json_bool(json, "sweep", !results.printed);
			wt_json_string(json, "series", results.series);
			wt_json_string(json, "baseline", results.baseline);
			wt_json_u64(json, "draws", WT_BOOTSTRAP_DRAWS);
			wt_json_array(json, "cells");
			wt_report_stats_json(json, &results);
			wt_json_end(json);
			wt_json_string(json, "better", wt_metric_least(results.metric) < 0 ? "unknown" : wt_metric_least(results.metric) ? "less" : "more");
			wt_json_array(json, "leaders");
			wt_leaders_json(json, &results);
			wt_json_end(json);
			wt_json_end(json);
		}
		wt_results_finish(&results);
	}
	wt_json_end(json);
}

static void calibration(struct wt_json *json, const char *dir)
{
	static struct wt_calibration measured; /* large */
	static struct wt_explanation explanation; /* larger */
	char err[300];

	if (wt_calibration_load(&measured, err, sizeof(err)) || !wt_calibration_measure(&measured, dir))
		return;
	wt_json_object(json, "calibration");
	wt_calibration_json(json, &measured);
	wt_json_end(json);
	wt_explain(&explanation, dir);
	wt_json_object(json, "explanation");
	wt_explain_json(json, &explanation);
	wt_json_end(json);
}

/* The card of claims, judged by each folder that holds all of a paper. */
static int cards(struct wt_json *json, const struct build *build)
{
	struct wt_claims *claims = malloc(sizeof(*claims));
	char err[300] = "no memory";

	wt_json_array(json, "cards");
	for (unsigned f = 0; f < build->families && claims; f++) {
		unsigned judged = 0;

		if (wt_claims_load(claims, err, sizeof(err)))
			break;
		wt_claims_judge(claims, build->family[f]);
		for (unsigned i = 0; i < claims->count; i++)
			judged += claims->claim[i].verdict != WT_CLAIM_NOT_YET;
		*err = '\0';
		if (!judged)
			continue;
		wt_json_object(json, NULL);
		wt_json_string(json, "folder", build->family[f]);
		wt_json_array(json, "claims");
		for (unsigned i = 0; i < claims->count; i++) {
			const struct wt_claim_paper *paper = wt_claim_paper(claims, &claims->claim[i]);

			wt_json_object(json, NULL);
			wt_json_string(json, "paper", paper ? paper->number : "");
			wt_json_string(json, "title", paper ? paper->title : "");
			wt_claim_json(json, &claims->claim[i]);
			wt_json_end(json);
		}
		wt_json_end(json);
		calibration(json, build->family[f]);
		wt_json_end(json);
	}
	wt_json_end(json);
	free(claims);
	return build->families && *err ? wt_fail(WT_EXIT_INTERNAL, "%s", err) : WT_EXIT_OK;
}

/* Pairs of folders with the same table: do they agree? */
static int comparisons(struct wt_json *json, const struct build *build)
{
	static struct wt_results a, b; /* large */
	char err[400];
	int error = 0;

	statistics(json, build);
	wt_json_array(json, "comparisons");
	for (unsigned i = 0; i < build->folders && !error; i++) {
		error = wt_results_load(&a, build->folder[i], err, sizeof(err));
		for (unsigned j = 0; j < i && !error; j++) {
			error = wt_results_load(&b, build->folder[j], err, sizeof(err));
			if (!error && !strcmp(a.table, b.table) && !strcmp(a.metric, b.metric)) {
				wt_json_object(json, NULL);
				wt_json_string(json, "a", a.dir);
				wt_json_string(json, "b", b.dir);
				wt_json_array(json, "cells");
				wt_report_compare(NULL, json, &a, &b);
				wt_json_end(json);
				wt_json_end(json);
			}
			wt_results_finish(&b);
		}
		wt_results_finish(&a);
	}
	wt_json_end(json);
	return error ? wt_fail(error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err) : WT_EXIT_OK;
}

static bool is_records(const char *path)
{
	char head[64] = "";
	FILE *file = fopen(path, "re");

	if (file && !fgets(head, sizeof(head), file))
		*head = '\0';
	if (file)
		fclose(file);
	return strstr(head, "\"wavetank.sim.") != NULL;
}

/* Of records only whole lines are used: one that is killed while it writes leaves another at the end. */
static void tell_if_cut(const char *path)
{
	FILE *file = fopen(path, "re");

	if (file && !fseek(file, -1, SEEK_END) && fgetc(file) != '\n')
		wt_say("%s: the last line is cut off, as kill -9 or a full disk leave it; the lines before it are used", path);
	if (file)
		fclose(file);
}

/* One journal for the page. A path's log is none: the page joins it to the journals, packet by packet. */
static int one_journal(struct wt_json *json, const char *path, bool *log)
{
	static struct wt_trace_flows flows; /* large */
	const struct wt_trace_flow *flow;
	char err[400];
	int error = wt_trace_survey(path, &flows, err, sizeof(err));

	*log = (!error || error == -EINVAL) && wt_trace_is_log(path, &flows);
	if (*log)
		return WT_EXIT_OK;
	if (error)
		return wt_fail(error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err);
	flow = wt_trace_choose(&flows, NULL, 0);
	if (!flow)
		return wt_fail(WT_EXIT_USAGE, "%s has no connection in it", path);
	wt_json_object(json, NULL);
	wt_json_string(json, "path", path);
	wt_json_string(json, "host", flow->host);
	wt_json_u64(json, "conn", flow->conn);
	wt_json_u64(json, "iss", flow->iss);
	wt_json_bool(json, "sees_path", wt_trace_sees_path(&flows));
	wt_json_end(json);
	return WT_EXIT_OK;
}

static int journals(struct wt_json *json, const struct build *build)
{
	bool log[INPUTS] = {false};
	int code = WT_EXIT_OK;
	unsigned logs = 0;

	wt_json_array(json, "journals");
	for (unsigned i = 0; i < build->journals && !code; i++) {
		if (!is_records(build->journal[i]))
			code = one_journal(json, build->journal[i], &log[i]);
		logs += log[i];
	}
	if (code)
		return code;
	if (logs == build->journals && !build->folders)
		return wt_fail(WT_EXIT_USAGE, "%s: the log of a path has no connection; name the journal of a sender (send --trace) beside it",
			       build->journal[0]);
	wt_json_end(json);
	wt_json_array(json, "logs");
	for (unsigned i = 0; i < build->journals; i++)
		if (log[i])
			wt_json_string(json, NULL, build->journal[i]);
	wt_json_end(json);
	wt_json_array(json, "records");
	for (unsigned i = 0; i < build->journals; i++)
		if (is_records(build->journal[i])) {
			tell_if_cut(build->journal[i]);
			wt_json_string(json, NULL, build->journal[i]);
		}
	wt_json_end(json);
	return WT_EXIT_OK;
}

static int build(struct build *build)
{
	char output[600];
	struct wt_json json;
	FILE *request = wt_report_request();
	int code;

	if (!request)
		return wt_fail(WT_EXIT_ENVIRONMENT, "temporary file: %s", strerror(errno));
	if (!build->output)
		snprintf(output, sizeof(output), "%s%sreport.html", build->families ? build->family[0] : build->folders ? build->folder[0] : "",
			 build->folders ? "/" : "");
	wt_json_init(&json, request);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "command", "build");
	wt_json_string(&json, "output", build->output ? build->output : output);
	wt_json_string(&json, "title", build->title);
	wt_json_bool(&json, "files", !build->no_files);
	wt_json_string(&json, "version", WT_VERSION);
	wt_json_string(&json, "commit", WT_COMMIT);
	wt_host_facts(&json, "machine");
	wt_json_array(&json, "folders");
	for (unsigned i = 0; i < build->folders; i++)
		wt_json_string(&json, NULL, build->folder[i]);
	wt_json_end(&json);
	code = journals(&json, build);
	if (!code)
		code = comparisons(&json, build);
	if (!code)
		code = cards(&json, build);
	if (code) {
		fclose(request);
		return code;
	}
	wt_json_end(&json);
	return wt_report_script(request);
}

/* The page in place of what it is made from. */
static int overwrites(const struct build *build, char *err, size_t err_len)
{
	char runs[600];
	int error = 0;

	for (unsigned i = 0; i < build->journals && !error; i++)
		error = wt_files_apart((const struct wt_named_file[]){{"the journal", build->journal[i]}, {"--output", build->output}}, 2, err, err_len);
	for (unsigned i = 0; i < build->folders && !error; i++) {
		snprintf(runs, sizeof(runs), "%.580s/runs.jsonl", build->folder[i]);
		error = wt_files_apart((const struct wt_named_file[]){{"the results", runs}, {"--output", build->output}}, 2, err, err_len);
	}
	return error;
}

static int build_main(int argc, char **argv)
{
	static struct build work; /* large */
	struct wt_args args;
	int option, code;
	char err[600];

	wt_args_init(&args, &wt_command_report_build, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		switch (option) {
		case WT_ARGS_BAD: return WT_EXIT_USAGE;
		case OPT_OUTPUT: work.output = args.value; break;
		case OPT_TITLE: work.title = args.value; break;
		case OPT_NO_FILES: work.no_files = true; break;
		default:
			code = add(&work, args.value);
			if (code)
				return code;
		}
	}
	if (overwrites(&work, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (!work.folders && !work.journals)
		return wt_fail(WT_EXIT_USAGE, "nothing to report on: name a results folder, TABLE@BACKEND or a journal (--trace)");
	return build(&work);
}

/* The newest report.html of the folders below results/, and of results/ and this folder. */
static void newest(const char *path, char *best, size_t len, struct timespec *when)
{
	struct stat facts;

	if (stat(path, &facts) || (*best && (facts.st_mtim.tv_sec < when->tv_sec ||
	    (facts.st_mtim.tv_sec == when->tv_sec && facts.st_mtim.tv_nsec <= when->tv_nsec))))
		return;
	*when = facts.st_mtim;
	snprintf(best, len, "%s", path);
}

struct latest {
	char path[600];
	struct timespec when;
};

static void look(void *arg, const char *dir)
{
	struct latest *latest = arg;
	char path[600];

	snprintf(path, sizeof(path), "%.580s/report.html", dir);
	newest(path, latest->path, sizeof(latest->path), &latest->when);
}

static int open_main(int argc, char **argv)
{
	struct latest latest = {{0}, {0, 0}};
	const char *page = NULL;
	char whole[PATH_MAX];

	if (wt_args_read(argc, argv, NULL, &page, 1, "one page at a time"))
		return WT_EXIT_USAGE;
	snprintf(latest.path, sizeof(latest.path), "%s", page ? page : "");
	if (!*latest.path) {
		look(&latest, ".");
		look(&latest, "results");
		wt_results_folders("results", look, &latest);
	}
	if (!*latest.path)
		return wt_fail(WT_EXIT_USAGE, "no report.html here or below results/; 'wavetank report build' makes one");
	if (!realpath(latest.path, whole))
		return wt_fail(errno == ENOENT || errno == ENOTDIR ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s: %s", latest.path, strerror(errno));
	printf("file://%s\n", whole);
	fflush(stdout);
	if (getenv("DISPLAY") || getenv("WAYLAND_DISPLAY")) {
		execlp("xdg-open", "xdg-open", whole, (char *)NULL);
		wt_say("no xdg-open to show it: open the address in a browser");
	}
	return WT_EXIT_OK;
}

const struct wt_command wt_command_report_build = {
	.name = "report build",
	.arguments = "WHAT...",
	.text = "make one HTML page with figures from results and journals",
	.options = build_options,
	.option_count = sizeof(build_options) / sizeof(build_options[0]),
	.run = build_main,
	.notes = "  wavetank report build results/tcp-real-2001-table1-sim -o report.html\n"
		 "  wavetank report build table1@sim table1@tap real.jsonl -o report.html\n"
		 "WHAT: a results folder, a folder of them, TABLE@BACKEND (the newest), a journal (--trace), records of sim --json,\n"
		 "or, beside the journal of send, the log of the path (lab up --log): its drops are joined to the journal.\n"
		 "Figures go beside the page as SVG and PDF too. Needs Debian's python3-matplotlib.",
};

const struct wt_command wt_command_report_open = {
	.name = "report open",
	.arguments = "[FILE]",
	.text = "show a report in the browser, and print its address",
	.run = open_main,
	.notes = "Without FILE: the newest report.html here or below results/.",
};
