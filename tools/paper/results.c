/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/results.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPEATS_MAX 100000

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static int take_plan(struct wt_paper_results *results, json_t *line)
{
	const char *table = NULL;
	json_int_t seed = -1, repeats = 0;

	if (json_unpack(line, "{s:s, s:I, s:I, s?:F, s?:F}", "table", &table, "seed", &seed, "repeats", &repeats, "level",
			&results->plan.level, "margin", &results->plan.margin) ||
	    strcmp(table, results->paper.id) || repeats < 1 || repeats > REPEATS_MAX || results->records)
		return -EINVAL;
	results->plan.seed = (uint64_t)seed;
	results->plan.repeats = (uint32_t)repeats;
	results->records = calloc(wt_paper_count(&results->plan), sizeof(*results->records));
	return results->records ? 0 : -ENOMEM;
}

int wt_paper_record_parse(const struct wt_paper_plan *plan, const json_t *line, uint32_t *index, struct wt_paper_record *record)
{
	const struct wt_paper *paper = plan->paper;
	const char *point = NULL, *variant = NULL, *why = "";
	json_int_t repeat = -1, attempts = 0;
	unsigned p = 0, v = 0;
	int ok = 0, invalid = 0;

	if (json_unpack((json_t *)(uintptr_t)line, "{s:s, s:s, s:I, s:b, s?:b, s?:I, s?:s}", "point", &point, "variant", &variant, "repeat",
			&repeat, "ok", &ok, "invalid", &invalid, "attempts", &attempts, "why", &why) ||
	    repeat < 0 || repeat >= plan->repeats)
		return -EINVAL;
	while (p < plan->points && strcmp(paper->point[plan->point[p]].label, point))
		p++;
	while (v < paper->variants && strcmp(paper->variant[v].name, variant))
		v++;
	if (p == plan->points || v == paper->variants)
		return -EINVAL;
	*index = ((uint32_t)repeat * plan->points + p) * paper->variants + v;
	*record = (struct wt_paper_record){
		.outcome = ok ? WT_PAPER_OK : invalid ? WT_PAPER_INVALID : WT_PAPER_FAILED,
		.attempts = (uint32_t)attempts,
		.goodput = number(line, "goodput_kBps"),
		.time = number(line, "connection_time_s"),
		.success = number(line, "success_percent"),
		.tokens = number(line, "tokens_kB"),
		.tokens_spread = number(line, "tokens_spread"),
		.simulated = number(line, "simulated_s"),
		.sent_segs = (uint64_t)json_integer_value(json_object_get(line, "sent_segs")),
		.retransmits_segs = (uint64_t)json_integer_value(json_object_get(line, "retransmits_segs")),
		.fast_recoveries = (uint64_t)json_integer_value(json_object_get(line, "fast_recoveries")),
		.timeouts = (uint64_t)json_integer_value(json_object_get(line, "timeouts")),
		.dropped_frames = (uint64_t)json_integer_value(json_object_get(line, "dropped_frames")),
	};
	snprintf(record->why, sizeof(record->why), "%s", why);
	return 0;
}

static int take_run(struct wt_paper_results *results, json_t *line)
{
	struct wt_paper_record record;
	uint32_t index;

	if (!results->records || wt_paper_record_parse(&results->plan, line, &index, &record))
		return -EINVAL;
	results->records[index] = record;
	return 0;
}

static int take(struct wt_paper_results *results, const char *text)
{
	json_t *line = json_loads(text, 0, NULL);
	const char *kind = json_string_value(json_object_get(line, "record"));
	int error = -EINVAL;

	if (kind && !strcmp(kind, "plan"))
		error = take_plan(results, line);
	else if (kind && !strcmp(kind, "run"))
		error = take_run(results, line);
	else if (kind && (!strcmp(kind, "cell") || !strcmp(kind, "end")))
		error = 0;
	json_decref(line);
	return error;
}

int wt_paper_results_load(struct wt_paper_results *results, const char *dir, const char *family, const char *object, char *err,
			  size_t err_len)
{
	char path[700], id[96], *text = NULL; /* the plan is a long line */
	size_t room = 0;
	FILE *file;
	int error;

	memset(results, 0, sizeof(*results));
	snprintf(id, sizeof(id), "%s/%s", family, object);
	error = wt_paper_load(id, &results->paper, err, err_len);
	if (error)
		return -EINVAL;
	results->plan.paper = &results->paper;
	results->plan.backend = "sim";
	for (; results->plan.points < results->paper.points; results->plan.points++)
		results->plan.point[results->plan.points] = results->plan.points;
	snprintf(path, sizeof(path), "%s/%s/runs.jsonl", dir, object);
	file = fopen(path, "re");
	if (!file) {
		error = -errno;
		snprintf(err, err_len, "%s: %s", path, strerror(-error));
		return error;
	}
	for (unsigned line = 1; !error && getline(&text, &room, file) > 0; line++) {
		error = take(results, text);
		if (error)
			snprintf(err, err_len, "%s:%u: not a record of %s", path, line, id);
	}
	if (!error && !results->records) {
		snprintf(err, err_len, "%s: no plan in it", path);
		error = -EINVAL;
	}
	free(text);
	fclose(file);
	if (error)
		wt_paper_results_finish(results);
	return error;
}

void wt_paper_results_finish(struct wt_paper_results *results)
{
	free(results->records);
	results->records = NULL;
}

double wt_paper_results_value(const struct wt_paper_results *results, unsigned repeat, unsigned point, unsigned variant)
{
	const struct wt_paper_record *record = wt_paper_record(&results->plan, results->records, repeat, point, variant);

	return record->outcome == WT_PAPER_OK ? wt_paper_value(&results->paper, record) : NAN;
}
