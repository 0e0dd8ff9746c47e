/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/span.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/daemon/filter.h"
#include "stack/base/random.h"

static const char *const direction_names[] = {"fwd", "rev"};

/* ---- segments ------------------------------------------------------------------------------------------ */

static const char *skip(const char *at, const char *what)
{
	return at + strspn(at, what);
}

/* "only", and then an opening parenthesis: where the next filter begins, or the end. */
static const char *find_only(const char *text)
{
	for (const char *at = text; *at; at++)
		if (!strncmp(at, "only", 4) && (at == text || isspace((unsigned char)at[-1]) || at[-1] == '|') &&
		    *skip(at + 4, " \t\n") == '(')
			return at;
	return text + strlen(text);
}

/* What follows the closing partner of the bracket at `at`; NULL: there is none. */
static const char *partner(const char *at, char open, char close)
{
	unsigned depth = 0;

	for (; *at; at++) {
		if (*at == open)
			depth++;
		else if (*at == close && --depth == 0)
			return at + 1;
	}
	return NULL;
}

static int copy(char *to, size_t room, const char *from, const char *end, char *err, size_t err_len)
{
	while (end > from && (isspace((unsigned char)end[-1]) || end[-1] == '|'))
		end--;
	if ((size_t)(end - from) >= room) {
		snprintf(err, err_len, "\"%.40s...\" has more than %zu characters", from, room - 1);
		return -EINVAL;
	}
	memcpy(to, from, (size_t)(end - from));
	to[end - from] = 0;
	return 0;
}

/* One filter, from "only" on; *rest is what follows it. */
static int read_only(struct wt_segment *segment, const char *text, const char **rest, char *err, size_t err_len)
{
	const char *open = skip(text + 4, " \t\n"), *close = partner(open, '(', ')'), *brace, *end;
	int error;

	brace = close ? skip(close, " \t\n") : NULL;
	end = brace && *brace == '{' ? partner(brace, '{', '}') : NULL;
	if (!end) {
		snprintf(err, err_len, "\"%.40s\": expected only (EXPRESSION) { WORDS }", text);
		return -EINVAL;
	}
	segment->filtered = true;
	error = copy(segment->expression, sizeof(segment->expression), open + 1, close - 1, err, err_len);
	if (!error)
		error = copy(segment->words, sizeof(segment->words), skip(brace + 1, " \t\n"), end - 1, err, err_len);
	*rest = end;
	return error;
}

static int split(struct wt_leg *leg, const char *text, char *err, size_t err_len)
{
	int error = 0;

	leg->segments = 0;
	while (!error && *(text = skip(text, " \t\n|"))) {
		const char *only = find_only(text);

		if (leg->segments == WT_SPAN_SEGMENTS) {
			snprintf(err, err_len, "more than %d parts with and without filters", WT_SPAN_SEGMENTS);
			return -EINVAL;
		}
		leg->segment[leg->segments].filtered = only == text;
		if (only == text) {
			error = read_only(&leg->segment[leg->segments++], text, &text, err, err_len);
		} else {
			error = copy(leg->segment[leg->segments].words, sizeof(leg->segment[0].words), text, only, err, err_len);
			leg->segments++;
			text = only;
		}
	}
	return error;
}

static int format(struct wt_leg *leg, char *err, size_t err_len)
{
	size_t at = 0;

	leg->text[0] = 0;
	for (unsigned i = 0; i < leg->segments; i++) {
		const struct wt_segment *segment = &leg->segment[i];
		int n = snprintf(leg->text + at, sizeof(leg->text) - at, segment->filtered ? "%sonly (%s) { %s }" : "%s%s%.0s",
				 at ? " | " : "", segment->filtered ? segment->expression : segment->path.text, segment->path.text);

		at += (size_t)n;
		if (at >= sizeof(leg->text)) {
			snprintf(err, err_len, "a direction has more than %d characters", WT_SPAN_TEXT - 1);
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- making -------------------------------------------------------------------------------------------- */

/* Segments of both directions are made in pairs: chains shared between the directions are partners in one. */
static int make_paths(struct wt_span *link, unsigned n, char *err, size_t err_len)
{
	struct wt_path unused = {0};
	struct wt_segment *fwd = n < link->leg[0].segments ? &link->leg[0].segment[n] : NULL;
	struct wt_segment *rev = n < link->leg[1].segments ? &link->leg[1].segment[n] : NULL;
	uint64_t seed = link->seed;
	char stream[40];

	if (!link->only || n) {
		struct wt_key key;

		snprintf(stream, sizeof(stream), "link.%s.%u", link->only ? "" : link->name, n);
		key = wt_key_derive(link->seed, stream);
		seed = wt_siphash_u64(&key, 0);
	}
	return wt_path_init_pair(fwd ? &fwd->path : &unused, fwd ? fwd->words : "", rev ? &rev->path : &unused, rev ? rev->words : "",
				 seed, err, err_len);
}

/* "fwd.loss" becomes "LINK.fwd.loss", in a later segment "LINK.fwd.2.loss". */
static void name_node(const struct wt_span *link, unsigned direction, unsigned n, const char *what, char *out, size_t len)
{
	char which[12] = "";

	if (n)
		snprintf(which, sizeof(which), ".%u", n + 1);
	snprintf(out, len, "%s%s%s%s.%s", link->only ? "" : link->name, link->only ? "" : ".", direction_names[direction], which, what);
}

static int make_gates(struct wt_span *link, unsigned direction, unsigned n, char *err, size_t err_len)
{
	struct wt_segment *segment = &link->leg[direction].segment[n];
	char name[40];
	int error;

	if (!segment->filtered)
		return 0;
	name_node(link, direction, n, "filter", name, sizeof(name));
	error = wt_filter_create(&segment->filter, name, segment->expression, err, err_len);
	if (error)
		return error;
	name_node(link, direction, n, "merge", name, sizeof(name));
	segment->merge = wt_merge_create(name);
	return segment->merge ? 0 : -ENOMEM;
}

/* The nodes of one segment in the order frames meet them. */
static unsigned nodes_of(const struct wt_segment *segment, struct wt_node *node[WT_PATH_STAGES + 2])
{
	unsigned count = 0;

	if (segment->filter)
		node[count++] = segment->filter;
	for (unsigned i = 0; i < segment->path.count; i++)
		node[count++] = segment->path.stage[i];
	if (segment->merge)
		node[count++] = segment->merge;
	return count;
}

static void line_up(struct wt_span *link, unsigned direction)
{
	struct wt_leg *leg = &link->leg[direction];

	for (unsigned n = 0; n < leg->segments; n++) {
		struct wt_path *path = &leg->segment[n].path;

		for (unsigned i = 0; i < path->count; i++) {
			char old[sizeof(path->stage[i]->name)], *stage;

			memcpy(old, path->stage[i]->name, sizeof(old));
			stage = strchr(old, '.');
			name_node(link, direction, n, stage ? stage + 1 : old, path->stage[i]->name, sizeof(old));
		}
		leg->count += nodes_of(&leg->segment[n], leg->node + leg->count);
	}
}

int wt_span_init(struct wt_span *link, const char *name, bool only, const char *const words[2], uint64_t seed, char *err,
		 size_t err_len)
{
	unsigned segments;
	char why[300];
	int error = 0;

	memset(link, 0, sizeof(*link));
	snprintf(link->name, sizeof(link->name), "%s", name);
	link->only = only;
	link->seed = seed;
	for (unsigned i = 0; i < 2 && !error; i++) {
		error = split(&link->leg[i], words[i] ? words[i] : "", why, sizeof(why));
		if (error)
			snprintf(err, err_len, "%s: %s", direction_names[i], why);
	}
	segments = link->leg[link->leg[1].segments > link->leg[0].segments].segments;
	for (unsigned n = 0; n < segments && !error; n++)
		error = make_paths(link, n, err, err_len);
	for (unsigned i = 0; i < 2 && !error; i++) {
		for (unsigned n = 0; n < link->leg[i].segments && !error; n++) {
			error = make_gates(link, i, n, why, sizeof(why));
			if (error)
				snprintf(err, err_len, "%s: %s", direction_names[i], why);
		}
		if (!error)
			error = format(&link->leg[i], err, err_len);
	}
	if (error) {
		wt_span_finish(link);
		return error;
	}
	line_up(link, 0);
	line_up(link, 1);
	return 0;
}

void wt_span_finish(struct wt_span *link)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_leg *leg = &link->leg[i];
		unsigned at = 0;

		for (unsigned n = 0; n < leg->segments; n++) {
			struct wt_node *node[WT_PATH_STAGES + 2];
			unsigned count = nodes_of(&leg->segment[n], node);

			for (unsigned k = 0; k < count; k++, at++)
				if (at >= leg->in_graph)
					node[k]->ops->destroy(node[k]);
		}
		leg->segments = leg->count = leg->in_graph = 0;
	}
}

/* ---- in a graph ---------------------------------------------------------------------------------------- */

int wt_span_add(struct wt_span *link, struct wt_graph *graph)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_leg *leg = &link->leg[i];

		for (; leg->in_graph < leg->count; leg->in_graph++) {
			int error = wt_graph_add(graph, leg->node[leg->in_graph]);

			if (error)
				return error;
		}
	}
	return 0;
}

void wt_leg_join(const struct wt_leg *leg, struct wt_graph *graph, struct wt_node *from, unsigned from_port, struct wt_node *to,
		 unsigned to_port)
{
	struct wt_node *start = from;
	unsigned start_port = from_port;

	for (unsigned n = 0; n < leg->segments; n++) {
		const struct wt_segment *segment = &leg->segment[n];

		if (segment->filter) {
			wt_graph_join(graph, from, from_port, segment->filter, 0);
			wt_graph_join(graph, segment->filter, 2, segment->merge, 1);
			from = segment->filter;
			from_port = 1;
		}
		for (unsigned i = 0; i < segment->path.count; i++) {
			wt_graph_join(graph, from, from_port, segment->path.stage[i], 0);
			/* what a stage says to the sender (ICMP) goes straight back */
			wt_graph_join(graph, segment->path.stage[i], 0, start, start_port);
			from = segment->path.stage[i];
			from_port = 1;
		}
		if (segment->merge) {
			wt_graph_join(graph, from, from_port, segment->merge, 0);
			from = segment->merge;
			from_port = 2;
		}
	}
	wt_graph_join(graph, from, from_port, to, to_port);
}

bool wt_leg_whole(const struct wt_leg *leg)
{
	for (unsigned n = 0; n < leg->segments; n++)
		if (leg->segment[n].filtered || !leg->segment[n].path.whole)
			return false;
	return true;
}

/* ---- changes ------------------------------------------------------------------------------------------- */

/* Applies new words, split into segments already, to every pair of paths. */
static int change_paths(struct wt_span *link, const struct wt_leg *wanted[2], wt_time now, char *err, size_t err_len)
{
	unsigned segments = link->leg[link->leg[1].segments > link->leg[0].segments].segments;
	struct wt_path unused = {0};

	for (unsigned n = 0; n < segments; n++) {
		struct wt_path *path[2];
		const char *words[2];
		int error;

		for (unsigned i = 0; i < 2; i++) {
			bool there = n < link->leg[i].segments;

			path[i] = there ? &link->leg[i].segment[n].path : &unused;
			words[i] = !there ? "" : wanted[i] ? wanted[i]->segment[n].words : NULL;
		}
		error = wt_path_change_pair(path[0], words[0], path[1], words[1], now, err, err_len);
		if (error)
			return error;
	}
	for (unsigned i = 0; i < 2; i++)
		format(&link->leg[i], err, err_len);
	return 0;
}

static int same_filters(const struct wt_leg *leg, const struct wt_leg *wanted, const char *direction, char *err, size_t err_len)
{
	bool same = leg->segments == wanted->segments;

	for (unsigned n = 0; same && n < leg->segments; n++)
		same = leg->segment[n].filtered == wanted->segment[n].filtered &&
		       !strcmp(leg->segment[n].expression, wanted->segment[n].expression);
	if (same)
		return 0;
	snprintf(err, err_len, "%s: a change keeps the stages and filters of a path; this one is \"%.200s\"", direction, leg->text);
	return -EINVAL;
}

/* On a copy of the link first: what it takes, the link takes, too. */
static int rehearse(const struct wt_span *link, const struct wt_leg *wanted[2], wt_time now, char *err, size_t err_len)
{
	struct wt_span *copied = malloc(sizeof(*copied));
	const char *words[2] = {link->leg[0].text, link->leg[1].text};
	int error;

	if (!copied) {
		snprintf(err, err_len, "out of memory");
		return -ENOMEM;
	}
	error = wt_span_init(copied, link->name, link->only, words, link->seed, err, err_len);
	if (!error) {
		error = change_paths(copied, wanted, now, err, err_len);
		wt_span_finish(copied);
	}
	free(copied);
	return error;
}

/* Reads new words into two legs of the caller, and rehearses them. */
static int prepare(const struct wt_span *link, const char *const words[2], struct wt_leg leg[2], const struct wt_leg *wanted[2],
		   wt_time now, char *err, size_t err_len)
{
	char why[300];
	int error = 0;

	for (unsigned i = 0; i < 2 && !error; i++) {
		wanted[i] = words[i] ? &leg[i] : NULL;
		if (!words[i])
			continue;
		error = split(&leg[i], words[i], why, sizeof(why));
		if (error)
			snprintf(err, err_len, "%s: %s", direction_names[i], why);
		else
			error = same_filters(&link->leg[i], &leg[i], direction_names[i], err, err_len);
	}
	return error ? error : rehearse(link, wanted, now, err, err_len);
}

int wt_span_try(const struct wt_span *link, const char *const words[2], wt_time now, char *err, size_t err_len)
{
	struct wt_leg *leg = calloc(2, sizeof(*leg));
	const struct wt_leg *wanted[2];
	int error = -ENOMEM;

	snprintf(err, err_len, "out of memory");
	if (leg)
		error = prepare(link, words, leg, wanted, now, err, err_len);
	free(leg);
	return error;
}

int wt_span_change(struct wt_span *link, const char *const words[2], wt_time now, struct wt_graph *graph, char *err, size_t err_len)
{
	struct wt_leg *leg = calloc(2, sizeof(*leg));
	const struct wt_leg *wanted[2];
	int error = -ENOMEM;

	snprintf(err, err_len, "out of memory");
	if (leg)
		error = prepare(link, words, leg, wanted, now, err, err_len);
	if (!error)
		error = change_paths(link, wanted, now, err, err_len);
	for (unsigned i = 0; graph && i < 2 && !error; i++)
		for (unsigned n = 0; n < link->leg[i].count; n++)
			wt_graph_touch(graph, link->leg[i].node[n]);
	free(leg);
	return error;
}
