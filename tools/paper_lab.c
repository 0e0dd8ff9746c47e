/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A real-time run is what a person would type: lab up, recv on b, send on a, lab down, by this same program. The lab is made and taken
 * down for every run, so that nothing of one run is left for the next.
 */
#include "tools/paper_lab.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/base/units.h"
#include "tools/child.h"
#include "tools/progress.h"

#define UP_SECONDS 60   /* for lab up and down: some dozens may come up at once on two cores */
#define RUN_SECONDS 7200

struct lab_run {
	const struct wt_paper_plan *plan;
	const struct wt_paper_variant *variant;
	struct wt_paper_record *record;
	const volatile int *stop;
	char program[PATH_MAX], name[32], host[2][40], seed[24], size[32];
	char fwd[640], rev[640], app[256];
};

static void fail(struct lab_run *run, const char *what, const char *text)
{
	struct wt_paper_record *record = run->record;
	size_t len = strcspn(text, "\n");

	if (run->stop && *run->stop) {
		record->outcome = WT_PAPER_STOPPED;
		return;
	}
	record->outcome = WT_PAPER_FAILED;
	snprintf(record->why, sizeof(record->why), "%s: %.*s", what, (int)(len < 120 ? len : 120), text);
}

static bool lab_up(struct lab_run *run)
{
	struct wt_words words = {0};
	struct wt_child child;
	char text[512] = "";
	int error;

	wt_words_add(&words, run->program);
	wt_words_add(&words, "lab");
	wt_words_add(&words, "up");
	wt_words_add(&words, run->name);
	wt_words_option(&words, "--backend", run->plan->backend);
	wt_words_option(&words, "--fwd", run->fwd);
	wt_words_option(&words, "--rev", run->rev);
	wt_words_option(&words, "--seed", run->seed);
	error = wt_child_start_words(&child, &words, false, true);
	if (error) {
		fail(run, "lab up", strerror(-error));
		return false;
	}
	/* Not to end of file: what stays running in the lab may hold the pipe. */
	while (!wt_child_read(child.err, text, sizeof(text), "\n", 1, run->stop) && !(run->stop && *run->stop)) {
		char scrap[2] = "";

		if (wt_child_read(child.err, scrap, sizeof(scrap), NULL, 0.05, NULL))
			break;
	}
	error = wt_child_end(&child, UP_SECONDS, NULL); /* never cut short: half a lab is harder to take down */
	if (error)
		fail(run, "lab up", *text ? text : "failed");
	return error == 0;
}

static void lab_down(struct lab_run *run)
{
	struct wt_words words = {0};
	struct wt_child child;

	wt_words_add(&words, run->program);
	wt_words_add(&words, "lab");
	wt_words_add(&words, "down");
	wt_words_add(&words, run->name);
	if (wt_child_start_words(&child, &words, false, false) == 0)
		wt_child_end(&child, UP_SECONDS, NULL);
}

static void stack_words(const struct lab_run *run, struct wt_words *words)
{
	wt_words_option(words, "--preset", run->plan->paper->preset);
	wt_words_option(words, "-S", run->plan->paper->settings);
}

static int start_recv(const struct lab_run *run, struct wt_child *child)
{
	struct wt_words words = {0};

	wt_words_add(&words, run->program);
	wt_words_add(&words, "lab");
	wt_words_add(&words, "exec");
	wt_words_add(&words, run->host[1]);
	wt_words_add(&words, run->program);
	wt_words_add(&words, "recv");
	wt_words_add(&words, "-1");
	wt_words_option(&words, "-i", "0");
	stack_words(run, &words);
	wt_words_option(&words, "--rcc", run->variant->receiver);
	wt_words_option(&words, "--app", run->app);
	return wt_child_start_words(child, &words, false, true);
}

static int start_send(const struct lab_run *run, struct wt_child *child)
{
	struct wt_words words = {0};

	wt_words_add(&words, run->program);
	wt_words_add(&words, "lab");
	wt_words_add(&words, "exec");
	wt_words_add(&words, run->host[0]);
	wt_words_add(&words, run->program);
	wt_words_add(&words, "send");
	wt_words_option(&words, "-c", "b");
	wt_words_option(&words, "-n", run->size);
	wt_words_option(&words, "-i", "0");
	wt_words_add(&words, "--json");
	wt_words_option(&words, "--seed", run->seed);
	stack_words(run, &words);
	wt_words_option(&words, "-C", run->variant->sender);
	wt_words_option(&words, "--recovery", run->variant->recovery);
	wt_words_option(&words, "--app", run->app);
	return wt_child_start_words(child, &words, true, true);
}

/* Takes the numbers out of send's record, the last line. */
static void parse(struct lab_run *run, char *text)
{
	struct wt_paper_record *record = run->record;
	const char *outcome = NULL;
	json_t *root, *sender, *played;
	char *line;

	while (*text && text[strlen(text) - 1] == '\n')
		text[strlen(text) - 1] = '\0';
	line = strrchr(text, '\n');
	root = json_loads(line ? line + 1 : text, 0, NULL);
	json_unpack(root, "{s:s}", "outcome", &outcome);
	if (!outcome || strcmp(outcome, "complete")) {
		fail(run, "send", outcome ? outcome : "no record");
	} else {
		record->outcome = WT_PAPER_OK;
		record->goodput = json_number_value(json_object_get(root, "goodput_kBps"));
		record->time = json_number_value(json_object_get(root, "connection_time_s"));
		record->simulated = record->time;
		played = json_object_get(json_object_get(root, "receiver"), "playback");
		record->tokens = record->tokens_spread = NAN; /* the daemon's bucket is not watched */
		record->success = played ? json_number_value(json_object_get(played, "success_percent")) : NAN;
		sender = json_object_get(root, "sender");
		record->sent_segs = (uint64_t)json_integer_value(json_object_get(sender, "sent_segs"));
		record->retransmits_segs = (uint64_t)json_integer_value(json_object_get(sender, "retransmits_segs"));
		record->fast_recoveries = (uint64_t)json_integer_value(json_object_get(sender, "fast_recoveries"));
		record->timeouts = (uint64_t)json_integer_value(json_object_get(sender, "timeouts"));
	}
	json_decref(root);
}

static void transfer(struct lab_run *run)
{
	struct wt_child recv = {.out = -1, .err = -1}, send = {.out = -1, .err = -1};
	char text[512] = "", *out = calloc(1, 65536);
	int error = out ? start_recv(run, &recv) : -ENOMEM;

	if (error) {
		fail(run, "recv", strerror(-error));
	} else if (!wt_child_read(recv.err, text, sizeof(text), "listening", UP_SECONDS, run->stop)) {
		fail(run, "recv", *text ? text : "does not listen");
	} else if ((error = start_send(run, &send)) != 0) {
		fail(run, "send", strerror(-error));
	} else {
		bool whole = wt_child_read(send.out, out, 65536, NULL, RUN_SECONDS, run->stop);

		*text = '\0';
		wt_child_read(send.err, text, sizeof(text), NULL, 1, run->stop);
		if (whole && *out)
			parse(run, out);
		else
			fail(run, "send", *text ? text : whole ? "no record" : "not finished in time");
	}
	wt_child_end(&send, 5, run->stop);
	wt_child_end(&recv, 0, run->stop); /* it may still wait for an ACK that was lost; we have its result */
	free(out);
}

void wt_paper_run_lab(const struct wt_paper_plan *plan, uint32_t index, struct wt_paper_record *record, const volatile int *stop)
{
	struct wt_paper_place at = wt_paper_at(plan, index);
	struct lab_run run = {.plan = plan, .variant = &plan->paper->variant[at.variant], .record = record, .stop = stop};
	const char *p = plan->paper->point[plan->point[at.point]].p;
	ssize_t len = readlink("/proc/self/exe", run.program, sizeof(run.program) - 1);
	double from = wt_wall_clock();

	if (len <= 0) {
		fail(&run, "/proc/self/exe", strerror(errno));
		return;
	}
	wt_paper_words(plan->paper->fwd, p, run.fwd, sizeof(run.fwd));
	wt_paper_words(plan->paper->rev, p, run.rev, sizeof(run.rev));
	wt_paper_words(plan->paper->app, p, run.app, sizeof(run.app));
	snprintf(run.name, sizeof(run.name), "paper-%d-%" PRIu32, (int)getppid(), index);
	for (unsigned i = 0; i < 2; i++)
		snprintf(run.host[i], sizeof(run.host[i]), "%s:%c", run.name, 'a' + (int)i);
	snprintf(run.seed, sizeof(run.seed), "%" PRIu64, plan->seed + at.repeat);
	wt_format_size(plan->paper->size, run.size, sizeof(run.size));
	if (lab_up(&run))
		transfer(&run);
	lab_down(&run); /* also after a failed lab up: whatever stands of it */
	record->wall = wt_wall_clock() - from;
}

static bool compare_cell(FILE *out, const char *point, const char *variant, const struct wt_mean *a, const struct wt_mean *b,
			 size_t comparisons)
{
	bool agree = wt_means_agree(a, b, comparisons);
	/* Without losses the runs hardly differ, and what is left is the machine's own lateness. */
	bool close = !agree && a->n && b->n && fabs(a->mean / b->mean - 1) <= 0.01;

	fprintf(out, "  %-5s %-10s %8.2f ± %-7.2f %8.2f ± %-7.2f %s\n", point, variant, a->mean, isnan(a->half) ? 0 : a->half, b->mean,
		isnan(b->half) ? 0 : b->half,
		agree ? "agree" : close ? "agree within 1 %" : a->n && b->n ? "DIFFER" : "nothing to compare");
	return agree || close;
}

unsigned wt_paper_agreement(FILE *out, const struct wt_paper_plan *plan, const struct wt_paper_report *real,
			    const struct wt_paper_report *virtual_time, unsigned virtual_repeats, unsigned *cells)
{
	const struct wt_paper *paper = plan->paper;
	unsigned agree = 0;
	size_t comparisons = (size_t)plan->points * paper->variants;

	*cells = 0;
	fprintf(out, "\n%s (%u runs) beside virtual time (%u runs), %s, mean and 95 %% interval:\n", plan->backend, plan->repeats,
		virtual_repeats, wt_paper_metrics[paper->metric].unit);
	for (unsigned p = 0; p < plan->points; p++)
		for (unsigned v = 0; v < paper->variants; v++) {
			agree += compare_cell(out, v ? "" : paper->point[plan->point[p]].label, paper->variant[v].label,
					      &real->row[p].cell[v].ours, &virtual_time->row[p].cell[v].ours, comparisons);
			++*cells;
		}
	fprintf(out, "agree: %u of %u (one distribution explains both: two-sample t, 5 %% over all cells; or means within 1 %%)\n",
		agree, *cells);
	return agree;
}
