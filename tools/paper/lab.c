/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/lab.h"

#include <math.h>
#include <stdio.h>

#include "tools/lab/run.h"

static void take_record(struct wt_paper_record *record, const json_t *sent)
{
	const json_t *sender = json_object_get(sent, "sender");

	record->goodput = wt_lab_number(sent, "goodput_kBps");
	record->time = record->simulated = wt_lab_number(sent, "connection_time_s");
	record->success = wt_lab_number(json_object_get(json_object_get(sent, "receiver"), "playback"), "success_percent");
	record->tokens = record->tokens_spread = NAN; /* the daemon's bucket is not watched */
	record->sent_segs = (uint64_t)json_integer_value(json_object_get(sender, "sent_segs"));
	record->retransmits_segs = (uint64_t)json_integer_value(json_object_get(sender, "retransmits_segs"));
	record->fast_recoveries = (uint64_t)json_integer_value(json_object_get(sender, "fast_recoveries"));
	record->timeouts = (uint64_t)json_integer_value(json_object_get(sender, "timeouts"));
}

void wt_paper_run_lab(const struct wt_paper_plan *plan, uint32_t index, struct wt_paper_record *record, const volatile int *stop)
{
	static const enum wt_paper_outcome outcomes[] = {
		[WT_LAB_STOPPED] = WT_PAPER_STOPPED,
		[WT_LAB_OK] = WT_PAPER_OK,
		[WT_LAB_FAILED] = WT_PAPER_FAILED,
		[WT_LAB_INVALID] = WT_PAPER_INVALID,
	};
	struct wt_paper_place at = wt_paper_at(plan, index);
	const struct wt_paper *paper = plan->paper;
	const struct wt_paper_variant *variant = &paper->variant[at.variant];
	const char *p = paper->point[plan->point[at.point]].p;
	char fwd[640], rev[640], app[256];
	const struct wt_lab_job job = {
		.kind = "paper",
		.backend = plan->backend,
		.fwd = fwd,
		.rev = rev,
		.preset = paper->preset,
		.settings = paper->settings,
		.app = app,
		.sender = variant->sender,
		.recovery = variant->recovery,
		.receiver = variant->receiver,
		.seed = plan->seed + at.repeat,
		.size = paper->size,
		.limit = paper->limit,
		.bounds = plan->bounds,
		.attempts = plan->attempts,
		.stop = stop,
	};
	struct wt_lab_result lab;

	wt_paper_words(paper->fwd, p, fwd, sizeof(fwd));
	wt_paper_words(paper->rev, p, rev, sizeof(rev));
	wt_paper_words(paper->app, p, app, sizeof(app));
	wt_lab_run(&job, &lab);
	record->outcome = outcomes[lab.outcome];
	record->attempts = lab.attempts;
	record->wall = lab.wall;
	snprintf(record->why, sizeof(record->why), "%.159s", lab.why);
	if (lab.record)
		take_record(record, lab.record);
	wt_lab_result_finish(&lab);
}

static bool compare_cell(FILE *out, const char *point, const char *variant, const struct wt_mean *a, const struct wt_mean *b,
			 size_t comparisons)
{
	enum wt_agreement verdict = wt_means_judge(a, b, comparisons);
	char real[40], sim[40];

	fprintf(out, "  %-5s %-10s %s %s %s\n", point, variant, wt_mean_text(real, a), wt_mean_text(sim, b), wt_agreement_names[verdict]);
	return verdict == WT_AGREE || verdict == WT_AGREE_CLOSE;
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
