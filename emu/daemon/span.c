/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/span.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/daemon/filter.h"
#include "emu/words.h"
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
	if (skip(open + 1, " \t\n") == close - 1) { /* libpcap would take it for everything */
		snprintf(err, err_len, "\"only ()\": expected an expression, such as only (tcp dst port 80); what is for all packets needs no filter");
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
	if (!leg->segments) /* an ideal wire, until a change makes more of it */
		leg->segment[leg->segments++] = (struct wt_segment){0};
	return error;
}

static int format(struct wt_leg *leg, char *err, size_t err_len)
{
	size_t at = 0;

	leg->text[0] = 0;
	for (unsigned i = 0; i < leg->segments; i++) {
		const struct wt_segment *segment = &leg->segment[i];
		int n;

		if (!segment->filtered && !segment->path.text[0])
			continue;
		n = snprintf(leg->text + at, sizeof(leg->text) - at, segment->filtered ? "%sonly (%s) { %s }" : "%s%s%.0s",
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

/* The nodes of one segment in the order frames meet them, and then those they do not meet any more. */
static unsigned nodes_of(const struct wt_segment *segment, struct wt_node *node[WT_PATH_NODES + 2])
{
	const struct wt_path *path = &segment->path;
	unsigned count = 0;

	if (segment->filter)
		node[count++] = segment->filter;
	for (unsigned i = 0; i < path->count; i++)
		node[count++] = path->stage[i];
	if (segment->merge)
		node[count++] = segment->merge;
	for (unsigned i = path->count; i < path->count + path->spares; i++)
		node[count++] = path->stage[i];
	return count;
}

static void name_all(const struct wt_span *link, unsigned direction)
{
	const struct wt_leg *leg = &link->leg[direction];
	char what[WT_PATH_NAME];

	for (unsigned n = 0; n < leg->segments; n++) {
		const struct wt_path *path = &leg->segment[n].path;

		for (unsigned i = 0; i < path->count; i++)
			name_node(link, direction, n, wt_path_stage_name(path, i, what), path->stage[i]->name, sizeof(path->stage[i]->name));
	}
}

static void line_up(struct wt_leg *leg)
{
	leg->count = 0;
	for (unsigned n = 0; n < leg->segments; n++)
		leg->count += nodes_of(&leg->segment[n], leg->node + leg->count);
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
	for (unsigned i = 0; i < 2; i++) {
		name_all(link, i);
		line_up(&link->leg[i]);
	}
	return 0;
}

void wt_span_finish(struct wt_span *link)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_leg *leg = &link->leg[i];
		unsigned at = 0;

		for (unsigned n = 0; n < leg->segments; n++) {
			struct wt_node *node[WT_PATH_NODES + 2];
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

static void join(const struct wt_leg *leg)
{
	struct wt_graph *graph = leg->graph;
	struct wt_node *from = leg->from;
	unsigned from_port = leg->from_port;

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
			wt_graph_join(graph, segment->path.stage[i], 0, leg->from, leg->from_port);
			from = segment->path.stage[i];
			from_port = 1;
		}
		if (segment->merge) {
			wt_graph_join(graph, from, from_port, segment->merge, 0);
			from = segment->merge;
			from_port = 2;
		}
	}
	wt_graph_join(graph, from, from_port, leg->to, leg->to_port);
}

void wt_leg_join(struct wt_leg *leg, struct wt_graph *graph, struct wt_node *from, unsigned from_port, struct wt_node *to,
		 unsigned to_port)
{
	leg->graph = graph;
	leg->from = from;
	leg->from_port = from_port;
	leg->to = to;
	leg->to_port = to_port;
	join(leg);
}

bool wt_leg_whole(const struct wt_leg *leg)
{
	for (unsigned n = 0; n < leg->segments; n++)
		if (leg->segment[n].filtered || !leg->segment[n].path.whole)
			return false;
	return true;
}

/* ---- changes ------------------------------------------------------------------------------------------- */

struct wt_span_change {
	struct wt_span *link;
	unsigned segments, directions; /* directions that get words, as bits */
	bool in_graph;                 /* what is to come */
	struct wt_path unused;         /* the other side of a segment that one direction alone has */
	struct wt_path_change *path[WT_SPAN_SEGMENTS];
};

static int same_filters(const struct wt_leg *leg, const struct wt_leg *wanted, const char *direction, char *err, size_t err_len)
{
	bool same = leg->segments == wanted->segments;

	for (unsigned n = 0; same && n < leg->segments; n++)
		same = leg->segment[n].filtered == wanted->segment[n].filtered &&
		       !strcmp(leg->segment[n].expression, wanted->segment[n].expression);
	if (same)
		return 0;
	snprintf(err, err_len, "%s: a change keeps the filters of a path and where they stand; this one is \"%.200s\"", direction,
		 leg->text[0] ? leg->text : "an ideal wire");
	return -EINVAL;
}

static unsigned segments_of(const struct wt_span *link)
{
	return link->leg[link->leg[1].segments > link->leg[0].segments].segments;
}

static int prepare_paths(struct wt_span_change *change, const struct wt_leg *wanted, char *err, size_t err_len)
{
	struct wt_span *link = change->link;

	for (; change->segments < segments_of(link); change->segments++) {
		struct wt_path *path[2];
		const char *words[2];

		for (unsigned i = 0, n = change->segments; i < 2; i++) {
			bool there = n < link->leg[i].segments;

			path[i] = there ? &link->leg[i].segment[n].path : &change->unused;
			words[i] = there && change->directions & 1u << i ? wanted[i].segment[n].words : NULL;
		}
		change->path[change->segments] = wt_path_prepare(path[0], words[0], path[1], words[1], err, err_len);
		if (!change->path[change->segments])
			return -EINVAL;
	}
	return 0;
}

int wt_span_admit(struct wt_span_change *change, char *err, size_t err_len)
{
	struct wt_node *node[WT_PATH_STAGES];

	for (unsigned n = 0; n < change->segments; n++) {
		for (unsigned i = 0; i < 2; i++) {
			struct wt_graph *graph = change->link->leg[i].graph;
			unsigned count = graph ? wt_path_coming(change->path[n], i, node) : 0;

			for (unsigned k = 0; k < count; k++) {
				change->in_graph = true;
				if (wt_graph_add(graph, node[k])) {
					snprintf(err, err_len, "out of memory");
					return -ENOMEM;
				}
			}
		}
	}
	return 0;
}

static int prepare(struct wt_span_change *change, const char *const words[2], char *err, size_t err_len)
{
	struct wt_leg *wanted = calloc(2, sizeof(*wanted));
	char why[300];
	int error = wanted ? 0 : -ENOMEM;

	snprintf(err, err_len, "out of memory");
	for (unsigned i = 0; i < 2 && !error; i++) {
		if (!words[i])
			continue;
		change->directions |= 1u << i;
		error = split(&wanted[i], words[i], why, sizeof(why));
		if (error)
			snprintf(err, err_len, "%s: %s", direction_names[i], why);
		else
			error = same_filters(&change->link->leg[i], &wanted[i], direction_names[i], err, err_len);
	}
	if (!error)
		error = prepare_paths(change, wanted, err, err_len);
	free(wanted);
	return error;
}

struct wt_span_change *wt_span_prepare(struct wt_span *link, const char *const words[2], char *err, size_t err_len)
{
	struct wt_span_change *change = calloc(1, sizeof(*change));

	if (!change) {
		snprintf(err, err_len, "out of memory");
		return NULL;
	}
	change->link = link;
	if (!prepare(change, words, err, err_len))
		return change;
	wt_span_cancel(change);
	return NULL;
}

void wt_span_cancel(struct wt_span_change *change)
{
	for (unsigned n = 0; change && n < change->segments; n++)
		wt_path_cancel(change->path[n], change->in_graph);
	free(change);
}

void wt_span_commit(struct wt_span_change *change, wt_time now, bool flush)
{
	struct wt_span *link = change->link;
	char unused[1];

	for (unsigned n = 0; n < change->segments; n++)
		wt_path_commit(change->path[n], now, flush ? change->directions : 0);
	for (unsigned i = 0; i < 2; i++) {
		struct wt_leg *leg = &link->leg[i];

		format(leg, unused, sizeof(unused));
		name_all(link, i);
		line_up(leg);
		if (!leg->graph)
			continue;
		leg->in_graph = leg->count;
		join(leg);
	}
	free(change);
}

static const struct wt_path_place *place_of(const struct wt_leg *leg, const struct wt_node *node)
{
	for (unsigned n = 0; n < leg->segments; n++) {
		const struct wt_path *path = &leg->segment[n].path;

		for (unsigned i = 0; i < path->count + path->spares; i++)
			if (path->stage[i] == node)
				return &path->place[i];
	}
	return NULL; /* a filter */
}

bool wt_leg_gone(const struct wt_leg *leg, const struct wt_node *node)
{
	const struct wt_path_place *place = place_of(leg, node);

	return place && place->gone;
}

bool wt_leg_rate(const struct wt_leg *leg, const struct wt_node *node, struct wt_rate_counts *counts)
{
	const struct wt_path_place *place = place_of(leg, node);

	if (!place || place->kind != WT_STAGE_RATE)
		return false;
	wt_rate_counts(node, counts);
	return true;
}

void wt_span_touch(const struct wt_span *link)
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned n = 0; link->leg[i].graph && n < link->leg[i].count; n++)
			wt_graph_touch(link->leg[i].graph, link->leg[i].node[n]);
}

int wt_span_change(struct wt_span *link, const char *const words[2], wt_time now, bool flush, char *err, size_t err_len)
{
	struct wt_span_change *change = wt_span_prepare(link, words, err, err_len);

	if (!change)
		return -EINVAL;
	if (wt_span_admit(change, err, err_len)) {
		wt_span_cancel(change);
		return -ENOMEM;
	}
	wt_span_commit(change, now, flush);
	wt_span_touch(link);
	return 0;
}
