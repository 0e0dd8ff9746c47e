/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank mobility show: what a pattern amounts to for a network. */
#include <stdio.h>
#include <stdlib.h>

#include "emu/world/world.h"
#include "stack/record/json.h"
#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/mobility/pattern_file.h"

extern const struct wt_command wt_command_mobility_show;

enum { OPT_RANGE, OPT_BETWEEN, OPT_STEP, OPT_TIME, OPT_JSON };

static const struct wt_option options[] = {
	[OPT_RANGE] = {0, "range", "DISTANCE", "how far a link reaches (default 250m)"},
	[OPT_BETWEEN] = {0, "between", "PAIR", "whose hops are counted (default the first and the last station)"},
	[OPT_STEP] = {0, "step", "TIME", "between two looks (default 1s)"},
	[OPT_TIME] = {'t', "time", "TIME", "how long (default: to the last change of a way)"},
	[OPT_JSON] = {'J', "json", NULL, "one JSON line"},
};

struct words {
	double range;
	unsigned from, to;
	bool pair, json;
	wt_time step, time;
	const char *file;
};

static int take(struct words *words, int option, const char *value, char *err, size_t err_len)
{
	char rest;

	switch (option) {
	case OPT_RANGE: return wt_world_measure(value, "m", 0, &words->range, err, err_len);
	case OPT_BETWEEN:
		words->pair = true;
		snprintf(err, err_len, "'%.40s': expected two numbers of stations, such as '0 29'", value);
		return sscanf(value, "%u %u%c", &words->from, &words->to, &rest) == 2 && words->from != words->to ? 0 : -1;
	case OPT_STEP: return wt_parse_time(value, &words->step, err, err_len);
	case OPT_TIME: return wt_parse_time(value, &words->time, err, err_len);
	}
	words->json = true;
	return 0;
}

static void print_json(const struct words *words, const struct wt_movement *pattern, const struct wt_movement_facts *facts)
{
	struct wt_json json;
	char name[16];

	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.mobility.1");
	wt_json_u64(&json, "stations", pattern->count);
	wt_json_number(&json, "time_s", (double)words->time / 1e9);
	wt_json_number(&json, "range_m", words->range);
	wt_json_u64(&json, "from", words->from);
	wt_json_u64(&json, "to", words->to);
	wt_json_object(&json, "hop_shares");
	for (unsigned i = 0; i < WT_PATTERN_HOPS; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if (facts->hops[i] > 0)
			wt_json_number(&json, name, facts->hops[i]);
	}
	wt_json_end(&json);
	wt_json_number(&json, "hop_changes_per_s", facts->route_changes);
	wt_json_number(&json, "neighbours", facts->neighbours);
	wt_json_number(&json, "links_made_per_s", facts->links_made);
	wt_json_number(&json, "links_lost_per_s", facts->links_lost);
	wt_json_number(&json, "connected_pairs", facts->connected);
	wt_json_number(&json, "speed_m_per_s", facts->speed);
	wt_json_end(&json);
}

static void print(const struct words *words, const struct wt_movement *pattern, const struct wt_movement_facts *facts)
{
	printf("%u stations, %.0f s: mean speed %.2f m/s, %.1f neighbours within %.0f m, %.1f %% of all pairs have a way\n", pattern->count,
	       (double)words->time / 1e9, facts->speed, facts->neighbours, words->range, 100 * facts->connected);
	printf("links: %.3f made and %.3f lost per second\n", facts->links_made, facts->links_lost);
	printf("from %u to %u: the number of hops changes %.3f times per second\n", words->from, words->to, facts->route_changes);
	for (unsigned i = 0; i < WT_PATTERN_HOPS; i++)
		if (facts->hops[i] > 0 && i)
			printf("  %2u hop%s %6.1f %% of the time\n", i, i == 1 ? " " : "s", 100 * facts->hops[i]);
	if (facts->hops[0] > 0)
		printf("  no way  %6.1f %% of the time\n", 100 * facts->hops[0]);
}

static int show(struct words *words)
{
	struct wt_movement pattern = {0};
	struct wt_movement_facts facts;
	char why[400];
	int code = WT_EXIT_OK;

	if (wt_world_read_pattern(&pattern, words->file, why, sizeof(why))) {
		wt_movement_finish(&pattern);
		return wt_fail(WT_EXIT_USAGE, "%s", why);
	}
	words->to = words->pair ? words->to : pattern.count - 1;
	words->time = words->time > 0 ? words->time : wt_movement_length(&pattern);
	if (pattern.count < 2 || words->from >= pattern.count || words->to >= pattern.count || words->step <= 0)
		code = wt_fail(WT_EXIT_USAGE, "expected two of %u stations, and a step above 0", pattern.count);
	else if (wt_movement_describe(&pattern, words->range, words->step, words->time, words->from, words->to, &facts))
		code = wt_fail(WT_EXIT_ENVIRONMENT, "out of memory");
	else if (words->json)
		print_json(words, &pattern, &facts);
	else
		print(words, &pattern, &facts);
	wt_movement_finish(&pattern);
	return code;
}

static int run(int argc, char **argv)
{
	struct words words = {.range = 250, .step = WT_S};
	struct wt_args args;
	char why[300];
	int option;

	wt_args_init(&args, &wt_command_mobility_show, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == WT_ARGS_WORD && words.file)
			return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one file at a time", args.value);
		if (option == WT_ARGS_WORD)
			words.file = args.value;
		else if (take(&words, option, args.value, why, sizeof(why)))
			return wt_fail(WT_EXIT_USAGE, "--%s: %s", options[option].name, why);
	}
	return words.file ? show(&words) : wt_fail(WT_EXIT_USAGE, "the movement file is missing");
}

const struct wt_command wt_command_mobility_show = {
	"mobility show", "FILE", "summarize a movement file: hops, changes of links, neighbours, speed", options,
	sizeof(options) / sizeof(options[0]), run, NULL,
};
