/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank cc trace: the window of a module over time, in the named scenarios. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stack/record/json.h"
#include "stack/text/units.h"
#include "tools/cc/scenario.h"
#include "tools/common/cli.h"
#include "tools/words/tcp_words.h"

extern const struct wt_command wt_command_cc_trace;

enum { OPT_SCENARIO, OPT_CSV, OPT_POINTS, OPT_TIME, OPT_RECOVERY, OPT_RECEIVER, OPT_PRESET, OPT_SETTING, OPT_LIST, OPT_JSON };

static const struct wt_option options[] = {
	[OPT_SCENARIO] = {0, "scenario", "NAME", "one of --list, or all (the default)"},
	[OPT_CSV] = {0, "csv", NULL, "a line for each change of the window, instead of the summary"},
	[OPT_POINTS] = {0, "points", "N", "with --csv: N lines at even times, with the events since the line before"},
	[OPT_TIME] = {'t', "time", "TIME", "instead of the scenario's own time"},
	[OPT_RECOVERY] = {0, "recovery", "MODULE", "recovery module (default: the sender module's own)"},
	[OPT_RECEIVER] = {0, "rcc", "MODULE", "receiver module at the other end (default standard)"},
	[OPT_PRESET] = {0, "preset", "NAME", "stack settings of both hosts: modern, bsd90, xkernel, ns2; the scenario's go on top"},
	[OPT_SETTING] = {'S', "set", "NAME=VALUE,...", "stack settings of both hosts, on top of the scenario's; once"},
	[OPT_LIST] = {0, "list", NULL, "the scenarios"},
	[OPT_JSON] = {0, "json", NULL, "with --list: one line of JSON per scenario; else one per summary"},
};

struct trace {
	struct wt_cc_scenario_words words;
	const struct wt_cc_scenario *scenario; /* the one under way */
	const char *asked;
	uint64_t points;
	bool csv, list, json, headed;

	struct wt_cc_sample last;
	wt_time end;
	uint64_t point;           /* lines printed */
	unsigned losses, timeouts, undone, marks; /* since the last line, or in all */
	double area;              /* of the window over time: byte nanoseconds */
	wt_time begin;
	wt_time first_cut, last_cut; /* the times of the first and the newest */
	uint64_t dropped; /* frames that the path lost */
};

/* ---- one line at each change, or at even times ----------------------------------------------------------- */

/* Before the first result: nothing stands above a refusal. */
static void head(struct trace *t)
{
	if (!t->headed && t->csv)
		puts("scenario,time_s,cwnd_bytes,ssthresh_bytes,in_flight_bytes,acked_segs,event");
	else if (!t->headed && !t->json)
		printf("%-20s %8s %8s %6s %9s %8s %6s %7s\n", "scenario", "window", "acked", "cuts", "between_s", "timeouts", "undone", "dropped");
	t->headed = true;
}

static void line(struct trace *t, wt_time time, const char *event)
{
	head(t);
	printf("%s,%.6f,%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%s\n", t->scenario->name, (double)time / 1e9, t->last.cwnd, t->last.ssthresh,
	       t->last.flight, t->last.acked, event);
}

static void count(struct trace *t, const char *event)
{
	bool loss = !strcmp(event, "loss"), timeout = !strcmp(event, "timeout");

	if (loss || timeout) {
		t->first_cut = t->losses + t->timeouts ? t->first_cut : t->last.time;
		t->last_cut = t->last.time;
	}
	t->losses += loss;
	t->timeouts += timeout;
	t->undone += !strcmp(event, "undo");
	t->marks += !strcmp(event, "mark");
}

static void point_line(struct trace *t, wt_time time)
{
	char text[96] = "";
	const struct {
		const char *name;
		unsigned *n;
	} counts[] = {{"loss", &t->losses}, {"timeout", &t->timeouts}, {"undo", &t->undone}, {"mark", &t->marks}};

	for (unsigned i = 0; i < 4; i++) {
		size_t len = strlen(text);

		if (*counts[i].n)
			snprintf(text + len, sizeof(text) - len, "%s%s %u", len ? " " : "", counts[i].name, *counts[i].n);
		*counts[i].n = 0;
	}
	line(t, time, text);
	t->point++;
}

/* The lines whose time is over before this one. */
static void points_until(struct trace *t, wt_time time)
{
	while (t->points && t->point < t->points) {
		wt_time next = t->end / (wt_time)t->points * (wt_time)(t->point + 1);

		if (next >= time)
			return;
		point_line(t, next);
	}
}

static uint32_t window(const struct trace *t, const struct wt_cc_sample *s)
{
	uint32_t peer = t->scenario->window * WT_CC_SCENARIO_MSS;

	return s->cwnd < peer ? s->cwnd : peer;
}

static void on_sample(void *arg, const struct wt_cc_sample *sample)
{
	struct trace *t = arg;

	if (t->csv && t->points)
		points_until(t, sample->time);
	if (t->last.event)
		t->area += (double)(sample->time - t->last.time) * window(t, &t->last);
	else
		t->begin = sample->time;
	t->last = *sample;
	count(t, sample->event);
	if (t->csv && !t->points)
		line(t, sample->time, sample->event);
}

/* ---- the command --------------------------------------------------------------------------------------------- */

static void summary(struct trace *t)
{
	double mean = t->last.event && t->end > t->begin ?
		(t->area + (double)(t->end - t->last.time) * window(t, &t->last)) / (double)(t->end - t->begin) / WT_CC_SCENARIO_MSS : 0;
	unsigned cuts = t->losses + t->timeouts;
	double between = cuts > 1 ? (double)(t->last_cut - t->first_cut) / WT_S / (cuts - 1) : 0;
	struct wt_json json;
	char apart[32];

	head(t);
	if (!t->json) {
		snprintf(apart, sizeof(apart), cuts > 1 ? "%.3f" : "-", between);
		printf("%-20s %8.3f %8" PRIu64 " %6u %9s %8u %6u %7" PRIu64 "\n", t->scenario->name, mean, t->last.acked, cuts, apart, t->timeouts,
		       t->undone, t->dropped);
		return;
	}
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.cc-trace.1");
	wt_json_string(&json, "scenario", t->scenario->name);
	wt_json_number(&json, "mean_window_segs", mean);
	wt_json_u64(&json, "acked_segs", t->last.acked);
	wt_json_u64(&json, "cuts", t->losses + t->timeouts);
	if (cuts > 1)
		wt_json_number(&json, "between_cuts_s", between);
	wt_json_u64(&json, "timeouts", t->timeouts);
	wt_json_u64(&json, "undone", t->undone);
	wt_json_u64(&json, "dropped_frames", t->dropped);
	wt_json_end(&json);
}

static int run_one(struct trace *t)
{
	char err[700];
	int error;

	t->last = (struct wt_cc_sample){0};
	t->losses = t->timeouts = t->undone = t->marks = 0;
	t->point = 0;
	t->area = 0;
	t->words.dropped = &t->dropped;
	t->end = t->words.time ? t->words.time : (wt_time)t->scenario->seconds * WT_S;
	error = wt_cc_scenario_run(t->scenario, &t->words, on_sample, t, err, sizeof(err));
	if (error)
		return wt_fail(error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err);
	if (t->csv)
		points_until(t, WT_NEVER);
	else
		summary(t);
	return 0;
}

static const char *next_name(const void *ctx, size_t i)
{
	return wt_cc_scenarios[i].name;
}

static int run_all(struct trace *t)
{
	bool all = !t->asked || !strcmp(t->asked, "all"), found = false;
	const char *near;
	int code = 0;

	for (t->scenario = wt_cc_scenarios; t->scenario->name; t->scenario++)
		found |= all || !strcmp(t->scenario->name, t->asked);
	if (!found) {
		near = wt_nearest_word(t->asked, next_name, NULL);
		return wt_fail(WT_EXIT_USAGE, "no scenario '%.40s'; %s%s%sall: wavetank cc trace --list", t->asked, near ? "did you mean '" : "",
			       near ? near : "", near ? "'? " : "");
	}
	for (t->scenario = wt_cc_scenarios; !code && t->scenario->name; t->scenario++)
		if (all || !strcmp(t->scenario->name, t->asked))
			code = run_one(t);
	return code;
}

static void list_drops(struct wt_json *json, const struct wt_cc_scenario *s)
{
	wt_json_array(json, "lost_packets");
	for (uint32_t n = s->first; n && n <= s->last; n += s->step)
		wt_json_u64(json, NULL, n);
	for (unsigned i = 0; i < 2 && s->also[i]; i++)
		wt_json_u64(json, NULL, s->also[i]);
	wt_json_end(json);
}

static int list(bool as_json)
{
	struct wt_json json;

	wt_json_init(&json, stdout);
	for (const struct wt_cc_scenario *s = wt_cc_scenarios; s->name; s++) {
		if (!as_json) {
			printf("%-20s %s (%u s, %u Mbit/s, window %u segments)\n", s->name, s->text, s->seconds, s->rate, s->window);
			continue;
		}
		wt_json_object(&json, NULL);
		wt_json_string(&json, "schema", "wavetank.cc-scenario.1");
		wt_json_string(&json, "name", s->name);
		wt_json_string(&json, "text", s->text);
		wt_json_u64(&json, "time_s", s->seconds);
		wt_json_u64(&json, "window_segs", s->window);
		wt_json_u64(&json, "rate_bps", s->rate * 1000000ull);
		wt_json_u64(&json, "queue_frames", WT_CC_SCENARIO_QUEUE);
		list_drops(&json, s);
		wt_json_bool(&json, "and_first_copy", s->again);
		wt_json_end(&json);
	}
	return 0;
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct trace *t = arg;

	switch (option) {
	case WT_ARGS_WORD:
		if (t->words.sender)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one module at a time", value);
		t->words.sender = value;
		return 0;
	case OPT_SCENARIO: t->asked = value; return 0;
	case OPT_CSV: t->csv = true; return 0;
	case OPT_TIME: return wt_parse_time(value, &t->words.time, err, err_len);
	case OPT_RECOVERY: t->words.recovery = value; return 0;
	case OPT_RECEIVER: t->words.receiver = value; return 0;
	case OPT_PRESET: t->words.preset = value; return 0;
	case OPT_SETTING: t->words.settings = value; return 0;
	case OPT_LIST: t->list = true; return 0;
	case OPT_JSON: t->json = true; return 0;
	}
	snprintf(err, err_len, "'%.40s': expected 1 to 100000", value);
	if (wt_parse_count(value, &t->points, NULL, 0) || t->points < 1 || t->points > 100000)
		return -EINVAL;
	return 0;
}

static int run(int argc, char **argv)
{
	struct trace t = {0};
	int code = wt_args_each(argc, argv, take, &t);

	if (code)
		return code;
	if (t.words.time < 0 || (t.points && !t.csv) || (t.csv && t.json))
		return wt_fail(WT_EXIT_USAGE, "%s", t.csv ? "--csv and --json: one of them" : t.points ? "--points: with --csv" : "--time: expected more than 0");
	if (t.list)
		return list(t.json);
	if (!t.words.sender)
		return wt_fail(WT_EXIT_USAGE, "the sender module is missing; wavetank cc list names them all");
	return run_all(&t);
}

const struct wt_command wt_command_cc_trace = {
	.name = "cc trace",
	.arguments = "[MODULE]",
	.text = "trace a sender module's window over time, in scenarios with stated losses",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "One bulk flow in virtual time: segments of 1000 bytes, 15 ms each way, a queue of 50 frames, every segment acknowledged,\n"
		 "SACK on, timestamps off. The summary: the mean of the window (at most the receiver's) in segments, packets acknowledged, cuts\n"
		 "and the mean time from one to the next, and the frames that the path dropped.\n"
		 "  wavetank cc trace cubic\n"
		 "  wavetank cc trace cubic --scenario three-in-a-row --csv",
};
