/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank cc compare: sender modules alone, among their like, and against each other, over one path in virtual time. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/record/json.h"
#include "stack/text/units.h"
#include "tools/cc/contest.h"
#include "tools/modules/load.h"
#include "tools/common/cli.h"
#include "tools/results/script.h"
#include "tools/results/stats.h"
#include "tools/results/tcp_json.h"
#include "tools/words/path_words.h"
#include "tools/words/tcp_words.h"

extern const struct wt_command wt_command_cc_compare;

enum { OPT_FWD, OPT_REV, OPT_LINK, OPT_TIME, OPT_FLOWS, OPT_REPEATS, OPT_SEED, OPT_PRESET, OPT_SETTING, OPT_PICTURE, OPT_JSON };

static const struct wt_option options[] = {
	[OPT_FWD] = {0, "fwd", "WORDS", "path from sender to receiver: 'rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%'"},
	[OPT_REV] = {0, "rev", "WORDS", "path back"},
	[OPT_LINK] = {0, "link", "WORDS", "the same words both ways"},
	[OPT_TIME] = {'t', "time", "TIME", "of each run (default 60s)"},
	[OPT_FLOWS] = {'P', "parallel", "N", "flows of one module that share the path (default 2, at most 32)"},
	[OPT_REPEATS] = {0, "repeats", "N", "runs of each kind, with the same seeds for every module (default 10, at most 1000)"},
	[OPT_SEED] = {0, "seed", "N", "of the first run (default 1)"},
	[OPT_PRESET] = {0, "preset", "NAME", "stack settings of both hosts: modern, bsd90, xkernel, ns2"},
	[OPT_SETTING] = {'S', "set", "NAME=VALUE,...", "stack settings of both hosts; once"},
	[OPT_PICTURE] = {0, "picture", "FILE", "SVG: windows, round trips and deliveries over time, delay against throughput"},
	[OPT_JSON] = {0, "json", NULL, "the result as one JSON line"},
};

enum { MODULES = 12, REPEATS = 1000 };

/* What is measured of a module, a sample per run. */
enum measure { GOODPUT, RESENT, RTT_MEAN, RTT_P99, JAIN, CONVERGENCE, MIXED, MEASURES };

static const struct {
	const char *key, *title;
	double scale; /* of the text */
} measures[MEASURES] = {
	[GOODPUT] = {"goodput_bps", "goodput Mbit/s", 1e-6},
	[RESENT] = {"resent_share", "sent again %", 100},
	[RTT_MEAN] = {"rtt_mean_s", "mean RTT ms", 1000},
	[RTT_P99] = {"rtt_p99_s", "p99 RTT ms", 1000},
	[JAIN] = {"jain", "Jain", 1},
	[CONVERGENCE] = {"convergence_s", "convergence s", 1},
	[MIXED] = {"mixed_goodput_bps", "goodput Mbit/s", 1e-6},
};

struct entrant {
	const char *word;
	struct wt_app_flow flow;
	double sample[MEASURES][REPEATS];
	struct wt_cc_lane first; /* alone, with the first seed */
};

struct compare {
	struct wt_path_words path;
	const char *preset, *settings, *picture;
	wt_time time;
	uint64_t flows, repeats, seed;
	bool json;
	unsigned count;
	struct entrant entrant[MODULES];
	double mixed_jain[REPEATS];
	struct wt_cc_lane lane[WT_CC_FLOWS];
};

/* ---- the runs ---------------------------------------------------------------------------------------------- */

static int contest_of(struct compare *c, uint64_t seed, unsigned flows, wt_time late, const struct entrant *all, struct wt_cc_contest *contest,
		      char *err, size_t err_len)
{
	const char *fwd = c->path.words[0], *rev = c->path.words[1];

	*contest = (struct wt_cc_contest){.fwd = fwd, .rev = rev, .time = c->time, .late = late, .seed = seed, .flows = flows};
	for (unsigned i = 0; i < flows; i++)
		contest->flow[i] = all ? &all->flow : &c->entrant[i].flow;
	return wt_cc_contest_run(contest, c->lane, err, err_len);
}

static int run_module(struct compare *c, struct entrant *e, unsigned run, char *err, size_t err_len)
{
	struct wt_cc_contest contest;
	int error = contest_of(c, c->seed + run, 1, 0, e, &contest, err, err_len);

	if (error)
		return error;
	e->sample[GOODPUT][run] = c->lane[0].goodput;
	e->sample[RESENT][run] = c->lane[0].resent;
	e->sample[RTT_MEAN][run] = c->lane[0].rtt_mean;
	e->sample[RTT_P99][run] = c->lane[0].rtt_p99;
	if (run == 0)
		e->first = c->lane[0];
	if (c->flows < 2)
		return 0;
	error = contest_of(c, c->seed + run, (unsigned)c->flows, c->time / 4, e, &contest, err, err_len);
	if (error)
		return error;
	e->sample[JAIN][run] = wt_cc_contest_jain(c->lane, (unsigned)c->flows, WT_CC_BINS / 2, WT_CC_BINS);
	e->sample[CONVERGENCE][run] = wt_cc_contest_convergence(&contest, c->lane);
	return 0;
}

static int run_all(struct compare *c, char *err, size_t err_len)
{
	struct wt_cc_contest contest;
	int error = 0;

	for (unsigned run = 0; run < c->repeats && !error; run++) {
		for (unsigned i = 0; i < c->count && !error; i++)
			error = run_module(c, &c->entrant[i], run, err, err_len);
		if (error || c->count < 2)
			continue;
		error = contest_of(c, c->seed + run, c->count, 0, NULL, &contest, err, err_len);
		for (unsigned i = 0; i < c->count && !error; i++)
			c->entrant[i].sample[MIXED][run] = c->lane[i].goodput;
		c->mixed_jain[run] = error ? NAN : wt_cc_contest_jain(c->lane, c->count, WT_CC_BINS / 2, WT_CC_BINS);
	}
	return error;
}

/* ---- the result ---------------------------------------------------------------------------------------------- */

static bool shown(const struct compare *c, enum measure m)
{
	return m < JAIN || (m < MIXED ? c->flows > 1 : c->count > 1);
}

static struct wt_mean scaled(const double *sample, size_t n, double scale)
{
	struct wt_mean mean = wt_mean_of(sample, n);

	mean.mean *= scale;
	mean.deviation *= scale;
	mean.half *= scale;
	return mean;
}

static void print_block(const struct compare *c, enum measure from, enum measure to)
{
	char text[40];

	printf("  %-24s", "");
	for (enum measure m = from; m <= to; m++)
		printf("  %-20s", measures[m].title);
	putchar('\n');
	for (unsigned i = 0; i < c->count; i++) {
		const struct entrant *e = &c->entrant[i];

		printf("  %-24s", e->word);
		for (enum measure m = from; m <= to; m++) {
			struct wt_mean mean = scaled(e->sample[m], c->repeats, measures[m].scale);

			printf("  %-20s", wt_mean_text(text, &mean));
			if (m == CONVERGENCE)
				printf(" in %zu of %" PRIu64, mean.n, c->repeats);
		}
		putchar('\n');
	}
}

static void print_text(const struct compare *c)
{
	char time[32], text[40];
	struct wt_mean mean = wt_mean_of(c->mixed_jain, c->repeats);

	printf("%" PRIu64 " runs of %s each, seeds from %" PRIu64 "; means with 95 %% intervals\n\nalone\n", c->repeats,
	       wt_format_time(c->time, time, sizeof(time)), c->seed);
	print_block(c, GOODPUT, RTT_P99);
	if (c->flows > 1) {
		printf("\n%" PRIu64 " flows of it, all but one from a quarter of the time on; Jain's index of the second half\n", c->flows);
		print_block(c, JAIN, CONVERGENCE);
	}
	if (c->count > 1) {
		printf("\nall together, a flow of each; Jain's index of the second half %s\n", wt_mean_text(text, &mean));
		print_block(c, MIXED, MIXED);
	}
	wt_cc_files_text(stdout);
}

static void mean_json(struct wt_json *json, const char *key, const double *sample, size_t n)
{
	struct wt_mean mean = wt_mean_of(sample, n);

	wt_json_object(json, key);
	wt_json_number(json, "mean", mean.n ? mean.mean : NAN);
	wt_json_number(json, "half", mean.half);
	wt_json_u64(json, "n", mean.n);
	wt_json_array(json, "runs");
	for (size_t i = 0; i < n; i++)
		wt_json_number(json, NULL, sample[i]);
	wt_json_end(json);
	wt_json_end(json);
}

static void series_json(struct wt_json *json, const char *key, const double *value, double scale)
{
	wt_json_array(json, key);
	for (unsigned i = 0; i < WT_CC_BINS; i++)
		wt_json_number(json, NULL, value[i] * scale);
	wt_json_end(json);
}

static void result_json(struct wt_json *json, const struct compare *c, const char *key)
{
	double slice = (double)c->time / 1e9 / WT_CC_BINS;

	wt_json_object(json, key);
	wt_json_string(json, "schema", "wavetank.cc-compare.1");
	wt_json_string(json, "fwd", c->path.words[0] ? c->path.words[0] : "");
	wt_json_string(json, "rev", c->path.words[1] ? c->path.words[1] : "");
	wt_json_number(json, "time_s", (double)c->time / 1e9);
	wt_json_u64(json, "flows", c->flows);
	wt_json_u64(json, "repeats", c->repeats);
	wt_json_u64(json, "seed", c->seed);
	wt_json_number(json, "slice_s", slice);
	wt_json_array(json, "modules");
	for (unsigned i = 0; i < c->count; i++) {
		const struct entrant *e = &c->entrant[i];

		wt_json_object(json, NULL);
		wt_json_string(json, "module", e->word);
		for (enum measure m = 0; m < MEASURES; m++)
			if (shown(c, m))
				mean_json(json, measures[m].key, e->sample[m], c->repeats);
		series_json(json, "cwnd_bytes", e->first.cwnd, 1);
		series_json(json, "rtt_s", e->first.rtt, 1);
		series_json(json, "delivered_bps", e->first.delivered, 8 / slice);
		wt_tcp_config_json(json, "a", &e->flow.a);
		wt_tcp_config_json(json, "b", &e->flow.b);
		wt_json_end(json);
	}
	wt_json_end(json);
	if (c->count > 1)
		mean_json(json, "mixed_jain", c->mixed_jain, c->repeats);
	wt_json_end(json);
}

static int draw(const struct compare *c)
{
	FILE *request = wt_report_request();
	struct wt_json json;

	if (!request)
		return wt_fail(WT_EXIT_ENVIRONMENT, "temporary file: %s", strerror(errno));
	wt_json_init(&json, request);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "command", "compare");
	wt_json_string(&json, "output", c->picture);
	result_json(&json, c, "comparison");
	wt_json_end(&json);
	return wt_report_script(request);
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static int take_number(const char *value, uint64_t *to, uint64_t most, char *err, size_t err_len)
{
	int error = wt_parse_count(value, to, err, err_len);

	if (!error && (*to < 1 || *to > most)) {
		snprintf(err, err_len, "'%.40s': expected 1 to %" PRIu64, value, most);
		error = -EINVAL;
	}
	return error;
}

static int add(struct compare *c, const char *word, char *err, size_t err_len)
{
	struct entrant *e = &c->entrant[c->count];

	if (c->count == MODULES) {
		snprintf(err, err_len, "unexpected argument '%.40s': at most %d modules", word, MODULES);
		return -EINVAL;
	}
	e->word = word;
	c->count++;
	return 0;
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct compare *c = arg;
	int error;

	switch (option) {
	case WT_ARGS_WORD: return add(c, value, err, err_len);
	case OPT_FWD: return wt_path_words_take(&c->path, WT_PATH_FWD, value, err, err_len);
	case OPT_REV: return wt_path_words_take(&c->path, WT_PATH_REV, value, err, err_len);
	case OPT_LINK: return wt_path_words_take(&c->path, WT_PATH_LINK, value, err, err_len);
	case OPT_FLOWS: return take_number(value, &c->flows, WT_CC_FLOWS, err, err_len);
	case OPT_REPEATS: return take_number(value, &c->repeats, REPEATS, err, err_len);
	case OPT_SEED: return wt_parse_count(value, &c->seed, err, err_len);
	case OPT_PRESET: c->preset = value; return 0;
	case OPT_SETTING: c->settings = value; return 0;
	case OPT_PICTURE: c->picture = value; return 0;
	case OPT_JSON: c->json = true; return 0;
	}
	error = wt_parse_time(value, &c->time, err, err_len);
	if (!error && c->time < WT_S) {
		snprintf(err, err_len, "'%.40s': expected at least 1s", value);
		error = -EINVAL;
	}
	return error;
}

/* The sender module, and the receiver module that makes its protocol whole. */
static int resolve(const struct compare *c, struct entrant *e, char *err, size_t err_len)
{
	struct wt_tcp_words a = {.preset = c->preset, .settings = c->settings, .sender = e->word}, b = {.preset = c->preset, .settings = c->settings};
	int error;

	wt_tcp_config_init(&e->flow.a);
	wt_tcp_config_init(&e->flow.b);
	error = wt_tcp_words_apply(&a, &e->flow.a, err, err_len);
	if (!error)
		b.receiver = e->flow.a.sender.ops->default_receiver;
	return error ? error : wt_tcp_words_apply(&b, &e->flow.b, err, err_len);
}

static int read_line(struct compare *c, int argc, char **argv)
{
	char err[800];
	int code = wt_args_each(argc, argv, take, c);

	if (code)
		return code;
	if (!c->count)
		return wt_fail(WT_EXIT_USAGE, "the sender modules are missing; wavetank cc list names them all");
	for (unsigned i = 0; i < c->count; i++)
		if (resolve(c, &c->entrant[i], err, sizeof(err)))
			return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (!c->path.words[0] && !c->path.words[1])
		return wt_fail(WT_EXIT_USAGE, "the path is missing: --link 'rate 10Mbit burst 0B limit 64KB delay 15ms'");
	return 0;
}

static int run(int argc, char **argv)
{
	struct compare *c = calloc(1, sizeof(*c));
	struct wt_json json;
	char err[800];
	int code, error;

	if (!c)
		return wt_fail(WT_EXIT_ENVIRONMENT, "out of memory");
	c->time = 60 * WT_S;
	c->flows = 2;
	c->repeats = 10;
	c->seed = 1;
	code = read_line(c, argc, argv);
	if (!code && (error = run_all(c, err, sizeof(err))))
		code = wt_fail(error == -EINVAL ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err);
	if (!code && c->json) {
		wt_json_init(&json, stdout);
		result_json(&json, c, NULL);
	} else if (!code) {
		print_text(c);
	}
	if (!code && c->picture)
		code = draw(c);
	free(c);
	return code;
}

const struct wt_command wt_command_cc_compare = {
	.name = "cc compare",
	.arguments = "MODULE...",
	.text = "compare sender modules over one path: alone, several of one kind, and against each other",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = run,
	.notes = "In virtual time. A module brings its usual recovery, and the receiver module that makes its protocol whole.\n"
		 "  wavetank cc compare reno cubic --link 'rate 10Mbit burst 0B limit 64KB delay 15ms' --picture c.svg\n"
		 "Convergence: from the last start until Jain's index is at least 0.95 in two twentieths of the time on end.",
};
