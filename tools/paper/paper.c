/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank paper list, show: the published tables that came with the program. */
#include "tools/paper/table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/common/wrap.h"

extern const struct wt_command wt_command_paper_list, wt_command_paper_show;

/* "tcp-real-2001/figure2" */
static const char *figure_name(const struct wt_paper *paper)
{
	const char *slash = strrchr(paper->figure, '/');

	return slash ? slash + 1 : paper->figure;
}

static bool prints_numbers(const struct wt_paper *paper)
{
	for (unsigned p = 0; p < paper->points; p++)
		for (unsigned v = 0; v < paper->variants; v++)
			if (!isnan(paper->point[p].cell[v].value))
				return true;
	return false;
}

static int list_main(int argc, char **argv)
{
	struct wt_args args;
	struct wt_paper paper;
	char err[300];
	int option;

	wt_args_init(&args, &wt_command_paper_list, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END)
		return option == WT_ARGS_BAD ? WT_EXIT_USAGE : wt_fail(WT_EXIT_USAGE, "unexpected word '%s'", args.value);
	for (unsigned i = 0; wt_paper_files[i].id; i++) {
		int error = wt_paper_load(wt_paper_files[i].id, &paper, err, sizeof(err));

		if (error && error != -ENODATA)
			return wt_fail(WT_EXIT_USAGE, "%s", err);
		printf("%-22s ", wt_paper_files[i].id);
		if (error)
			printf("%s: no numbers\n", paper.title);
		else
			printf("%s (%u x %u cells%s%s)\n", paper.title, paper.points, paper.variants, *paper.figure ? "; plotted in " : "",
			       *paper.figure ? figure_name(&paper) : "");
	}
	return WT_EXIT_OK;
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
	printf("\npublished %s%s, by %s:\n  %-6s", wt_paper_metrics[paper->metric].heading,
	       paper->metric == WT_PAPER_GOODPUT ? " and time in s" : "", *paper->axis ? paper->axis : "point", "");
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

static void show(const struct wt_paper *paper)
{
	char text[64], fwd[640], rev[640];
	const struct wt_paper_variant *v = &paper->variant[0];

	printf("%s: %s\n", paper->id, paper->title);
	wt_wrap(stdout, paper->source, 0, 0);
	if (*paper->figure)
		printf("its numbers are plotted in %s\n", figure_name(paper));
	putchar('\n');
	for (unsigned i = 0; i < paper->parameters; i++) {
		printf("  %-14s ", paper->parameter[i].name);
		wt_wrap(stdout, paper->parameter[i].text, 17, 17);
	}
	printf("\n  %-14s %s\n  %-14s %s\n  %-14s %s %s\n", "fwd", paper->fwd, "rev", paper->rev, "hosts", paper->preset,
	       paper->settings);
	for (unsigned i = 0; i < paper->variants; i++)
		printf("  %-14s sender %s, recovery %s, receiver %s\n", paper->variant[i].label, paper->variant[i].sender,
		       *paper->variant[i].recovery ? paper->variant[i].recovery : "(the sender's own)",
		       *paper->variant[i].receiver ? paper->variant[i].receiver : "standard");
	if (*paper->app)
		printf("  %-14s %s\n", "app", paper->app);
	if (*paper->meter)
		printf("  %-14s %s\n", "meter", paper->meter);
	for (unsigned i = 0; i < paper->changes; i++) {
		const char *name = paper->change[i].name;
		bool without = !strncmp(name, "without-", 8);
		char head[64];

		snprintf(head, sizeof(head), "  %s %s: ", without ? "--without" : "--preset", strchr(name, '-') + 1);
		fputs(head, stdout);
		wt_wrap(stdout, paper->change[i].text, 17, strlen(head));
	}
	show_numbers(paper);
	wt_paper_words(paper->fwd, paper->point[paper->points / 2].p, fwd, sizeof(fwd));
	wt_paper_words(paper->rev, paper->point[paper->points / 2].p, rev, sizeof(rev));
	printf("\none cell by hand (%s, %s):\n  wavetank sim --preset %s -S %s -n %s --seed %" PRIu64 "%s%s -C %s%s%s%s%s \\\n"
	       "    --fwd '%s' \\\n    --rev '%s'\nthe same event by event: with --trace cell.jsonl, then\n  wavetank report build cell.jsonl\n"
	       "all of it:\n  wavetank paper run %s\n",
	       v->label, paper->point[paper->points / 2].label, *paper->preset ? paper->preset : "modern",
	       *paper->settings ? paper->settings : "nagle=on", wt_format_size(paper->size, text, sizeof(text)), paper->seed,
	       *paper->app ? " --app " : "", paper->app,
	       v->sender, *v->recovery ? " --recovery " : "", v->recovery, *v->receiver ? " --rcc " : "", v->receiver, fwd, rev,
	       paper->id);
}

static int show_main(int argc, char **argv)
{
	const char *id = NULL;
	struct wt_args args;
	struct wt_paper paper;
	char err[300];
	int option;

	wt_args_init(&args, &wt_command_paper_show, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (id)
			return wt_fail(WT_EXIT_USAGE, "one table at a time; '%s' is too much", args.value);
		id = args.value;
	}
	if (!id)
		return wt_fail(WT_EXIT_USAGE, "which table? 'wavetank paper list' lists them");
	if (wt_paper_load(id, &paper, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	show(&paper);
	return WT_EXIT_OK;
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
	.text = "show a published table, and how it is re-created and why so",
	.run = show_main,
	.notes = "  wavetank paper show tcp-real-2001/table1\n"
		 "A file of your own: name it with its .ini. $WAVETANK_DATA/papers/TABLE.ini replaces the one inside.",
};
