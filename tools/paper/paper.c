/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank paper list, show: the published tables that came with the program. */
#include "tools/paper/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/common/wrap.h"
#include "tools/sweep/point.h"

extern const struct wt_command wt_command_paper_list, wt_command_paper_show;

/* "tcp-real-2001/figure2" */
static const char *figure_name(const struct wt_sweep *sweep)
{
	const char *slash = strrchr(sweep->figure, '/');

	return slash ? slash + 1 : sweep->figure;
}

static bool prints_numbers(const struct wt_paper *paper)
{
	for (unsigned p = 0; p < paper->points; p++)
		for (unsigned v = 0; v < paper->variants; v++)
			if (!isnan(paper->point[p].cell[v].value))
				return true;
	return false;
}

/* A line of the list. An exit code. */
static int list_one(const char *id)
{
	static struct wt_sweep sweep; /* large */
	static struct wt_paper paper;
	char err[700];
	int error = wt_sweep_load(&sweep, id, err, sizeof(err));

	if (!error)
		error = wt_paper_view(&sweep, 0, &paper, err, sizeof(err));
	if (!error || error == -ENODATA)
		printf("%-22s ", id);
	if (error == -ENODATA)
		printf("%s: no numbers\n", sweep.title ? sweep.title : id);
	else if (!error)
		printf("%s (%u x %u cells%s%s)\n", paper.title, paper.points, paper.variants, sweep.figure ? "; plotted in " : "",
		       sweep.figure ? figure_name(&sweep) : "");
	wt_sweep_finish(&sweep);
	return error && error != -ENODATA ? wt_fail(WT_EXIT_USAGE, "%s", err) : WT_EXIT_OK;
}

static int list_main(int argc, char **argv)
{
	int code = wt_args_read(argc, argv, NULL, NULL, 0, NULL);

	for (unsigned i = 0; wt_paper_files[i].id && !code; i++)
		code = list_one(wt_paper_files[i].id);
	return code;
}

static void show_cell(const struct wt_paper_cell *cell)
{
	const char *mark = *cell->suspect ? "?" : " ";

	if (isnan(cell->time))
		printf(" %17.2f%s", cell->value, mark);
	else
		printf(" %8.2f %8.2f%s", cell->value, cell->time, mark);
}

static void show_numbers(const struct wt_paper *paper)
{
	if (!prints_numbers(paper)) {
		printf("\npublished: a plot without numbers, of %u rows by %s\n", paper->points, *paper->axis ? paper->axis : "point");
		return;
	}
	printf("\npublished %s%s, by %s:\n  %-6s", paper->metric.heading,
	       !strcmp(paper->metric.name, "goodput") ? " and time in s" : "", *paper->axis ? paper->axis : "point", "");
	for (unsigned v = 0; v < paper->variants; v++)
		printf(" %18s", paper->variant[v].label);
	putchar('\n');
	for (unsigned p = 0; p < paper->points; p++) {
		const struct wt_paper_point *point = &paper->point[p];

		printf("  %-6s", point->label);
		for (unsigned v = 0; v < paper->variants; v++)
			if (isnan(point->cell[v].value))
				printf(" %18s", "-");
			else
				show_cell(&point->cell[v]);
		putchar('\n');
	}
	for (unsigned p = 0; p < paper->points; p++) {
		if (*paper->point[p].note) {
			printf("  %-6s ", paper->point[p].label);
			wt_wrap(stdout, paper->point[p].note, 9, 9);
		}
		for (unsigned v = 0; v < paper->variants; v++)
			if (*paper->point[p].cell[v].suspect)
				printf("  %s %s (?): %s\n", paper->point[p].label, paper->variant[v].label,
				       paper->point[p].cell[v].suspect);
	}
}

static void show_set_up(const struct wt_sweep *sweep, const struct wt_paper *paper)
{
	static const enum wt_sweep_param shown[] = {WT_SWEEP_WORLD, WT_SWEEP_LINK, WT_SWEEP_FWD, WT_SWEEP_REV};

	putchar('\n');
	for (unsigned i = 0; i < 4; i++)
		if (sweep->param[shown[i]].text)
			printf("  %-14s %s\n", wt_sweep_param_name[shown[i]], sweep->param[shown[i]].text);
	printf("  %-14s %s %s\n", "hosts", wt_paper_param(sweep, NULL, WT_SWEEP_PRESET), wt_paper_param(sweep, NULL, WT_SWEEP_SETTINGS));
	for (unsigned i = 0; i < paper->variants; i++) {
		const char *name = paper->variant[i].name, *sender = wt_paper_param(sweep, name, WT_SWEEP_SENDER);
		const char *recovery = wt_paper_param(sweep, name, WT_SWEEP_RECOVERY), *receiver = wt_paper_param(sweep, name, WT_SWEEP_RECEIVER);

		printf("  %-14s sender %s, recovery %s, receiver %s\n", paper->variant[i].label, *sender ? sender : "(default)",
		       *recovery ? recovery : "(the sender's own)", *receiver ? receiver : "standard");
	}
	if (sweep->param[WT_SWEEP_APP].text)
		printf("  %-14s %s\n", "app", sweep->param[WT_SWEEP_APP].text);
	if (sweep->param[WT_SWEEP_TOKENS].text)
		printf("  %-14s %s\n", "meter", sweep->param[WT_SWEEP_TOKENS].text);
	for (unsigned i = 0; i < sweep->changes; i++) {
		const char *name = sweep->change[i].name;
		char head[96];

		snprintf(head, sizeof(head), "  %s %s: ", !strncmp(name, "without-", 8) ? "--without" : "--preset", strchr(name, '-') + 1);
		fputs(head, stdout);
		wt_wrap(stdout, sweep->change[i].text ? sweep->change[i].text : "", 17, strlen(head));
	}
}

/* The command for the cell in the middle, if it is one of sim's. */
static void show_cell_by_hand(const struct wt_sweep *sweep, const struct wt_paper *paper)
{
	struct wt_sweep_run *run = malloc(sizeof(*run));
	uint32_t point = 0;
	char err[600];

	for (uint32_t i = 0; i < sweep->points; i++)
		if (wt_sweep_row(sweep, i) == paper->points / 2 && !strcmp(wt_sweep_word(sweep, i, (unsigned)wt_sweep_series(sweep)), paper->variant[0].name)) {
			point = i;
			break;
		}
	if (run && !wt_sweep_resolve(sweep, point, run, err, sizeof(err)) && !*run->world) {
		const char *recovery = run->text[WT_SWEEP_RECOVERY], *receiver = run->text[WT_SWEEP_RECEIVER], *app = run->text[WT_SWEEP_APP];

		printf("\none cell by hand (%s, %s):\n  wavetank sim --preset %s -S %s -n %s --seed %" PRIu64 "%s%s -C %s%s%s%s%s \\\n"
		       "    --fwd '%s' \\\n    --rev '%s'\nthe same event by event: with --trace cell.jsonl, then\n  wavetank report build cell.jsonl\n",
		       paper->variant[0].label, paper->point[paper->points / 2].label,
		       *run->text[WT_SWEEP_PRESET] ? run->text[WT_SWEEP_PRESET] : "modern",
		       *run->text[WT_SWEEP_SETTINGS] ? run->text[WT_SWEEP_SETTINGS] : "nagle=on", run->text[WT_SWEEP_SIZE], sweep->seed,
		       *app ? " --app " : "", app, run->text[WT_SWEEP_SENDER], *recovery ? " --recovery " : "", recovery,
		       *receiver ? " --rcc " : "", receiver, *run->text[WT_SWEEP_FWD] ? run->text[WT_SWEEP_FWD] : run->text[WT_SWEEP_LINK],
		       *run->text[WT_SWEEP_REV] ? run->text[WT_SWEEP_REV] : run->text[WT_SWEEP_LINK]);
	}
	free(run);
}

/* An exit code. */
static int show(const struct wt_sweep *sweep)
{
	static struct wt_paper paper; /* large */
	char err[700];

	if (wt_paper_view(sweep, 0, &paper, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	printf("%s: %s\n", paper.id, paper.title);
	wt_wrap(stdout, paper.source, 0, 0);
	if (sweep->figure)
		printf("its numbers are plotted in %s\n", figure_name(sweep));
	putchar('\n');
	for (unsigned i = 0; i < sweep->notes; i++)
		if (!strcmp(sweep->note[i].section, "parameters")) {
			printf("  %-14s ", sweep->note[i].key);
			wt_wrap(stdout, sweep->note[i].text, 17, 17);
		}
	show_set_up(sweep, &paper);
	for (unsigned table = 0; table < wt_paper_tables(sweep); table++) {
		if (table && wt_paper_view(sweep, table, &paper, err, sizeof(err)))
			return wt_fail(WT_EXIT_USAGE, "%s", err);
		show_numbers(&paper);
	}
	show_cell_by_hand(sweep, &paper);
	printf("all of it:\n  wavetank paper run %s\n", paper.id);
	return WT_EXIT_OK;
}

static int show_main(int argc, char **argv)
{
	static struct wt_sweep sweep; /* large */
	const char *id = NULL;
	char err[700];
	int code;

	if (wt_args_read(argc, argv, NULL, &id, 1, "one table at a time"))
		return WT_EXIT_USAGE;
	if (!id)
		return wt_fail(WT_EXIT_USAGE, "the table is missing; 'wavetank paper list' lists them");
	code = wt_sweep_load(&sweep, id, err, sizeof(err)) ? wt_fail(WT_EXIT_USAGE, "%s", err) : show(&sweep);
	wt_sweep_finish(&sweep);
	return code;
}

const struct wt_command wt_command_paper_list = {
	.name = "paper list",
	.arguments = "",
	.text = "list the published tables that can be re-created",
	.run = list_main,
};

const struct wt_command wt_command_paper_show = {
	.name = "paper show",
	.arguments = "TABLE",
	.text = "show a published table, its settings, and the reason for each",
	.run = show_main,
	.notes = "  wavetank paper show tcp-real-2001/table1\n"
		 "A file of your own: name it with its .ini. $WAVETANK_DATA/papers/TABLE.ini replaces the one inside.",
};
