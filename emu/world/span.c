/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/span.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/cutter.h"
#include "emu/world/filter.h"
#include "emu/words/words.h"
#include "stack/base/random.h"

static const char *const direction_names[] = {"fwd", "rev"};

/* ---- nodes --------------------------------------------------------------------------------------------- */

/* "fwd.loss" becomes "LINK.fwd.loss". */
static void name_node(const struct wt_span *link, unsigned direction, const char *what, char *out, size_t len)
{
	snprintf(out, len, "%s%s%s.%s", link->only ? "" : link->name, link->only ? "" : ".", direction_names[direction], what);
}

static void name_all(const struct wt_span *link, unsigned direction)
{
	const struct wt_path *path = &link->leg[direction].path;
	char what[WT_PATH_NAME];

	for (unsigned i = 0; i < path->count; i++)
		name_node(link, direction, wt_path_stage_name(path, i, what), path->stage[i]->name, sizeof(path->stage[i]->name));
}

/*
 * Where big frames may come from a delay, in which they were when a change brought stages that look at packets: cut[i], if one stands in
 * front of place i. Ports cut what they read from then on.
 */
static unsigned find_cuts(const struct wt_path_place *place, unsigned count, bool cut[WT_PATH_NODES])
{
	bool behind_delay = false;
	unsigned cuts = 0;

	for (unsigned i = 0; i < count; i++) {
		cut[i] = behind_delay && !place[i].whole;
		cuts += cut[i];
		if (cut[i])
			behind_delay = false;
		if (place[i].kind == WT_STAGE_DELAY || place[i].kind == WT_STAGE_DRAIN)
			behind_delay = true;
	}
	return cuts;
}

/* In the order frames meet them, and behind them those they do not meet any more. */
static void line_up(const struct wt_span *link, struct wt_leg *leg)
{
	const struct wt_path *path = &leg->path;
	bool cut[WT_PATH_NODES] = {false};

	leg->count = leg->cutting = 0;
	if (link->pool && leg->cutters) /* made by a change, so many as its line needs */
		find_cuts(path->place, path->count, cut);
	for (unsigned i = 0; i < path->count + path->spares; i++) {
		if (i < path->count && cut[i])
			leg->node[leg->count++] = leg->cutter[leg->cutting++];
		leg->node[leg->count++] = path->stage[i];
	}
	for (unsigned i = leg->cutting; i < leg->cutters; i++)
		leg->node[leg->count++] = leg->cutter[i];
}

int wt_span_init(struct wt_span *link, const char *name, bool only, const char *const words[2], uint64_t seed,
		 struct wt_samples_shelf *shelf, char *err, size_t err_len)
{
	char stream[40];
	int error;

	memset(link, 0, sizeof(*link));
	snprintf(link->name, sizeof(link->name), "%s", name);
	link->only = only;
	if (!only) {
		struct wt_key key;

		snprintf(stream, sizeof(stream), "link.%s.0", name);
		key = wt_key_derive(seed, stream);
		seed = wt_siphash_u64(&key, 0);
	}
	error = wt_path_init_filtered(&link->leg[0].path, words[0] ? words[0] : "", &link->leg[1].path, words[1] ? words[1] : "", seed,
				      &wt_filter_gates, shelf, err, err_len);
	if (error)
		return error;
	for (unsigned i = 0; i < 2; i++) {
		name_all(link, i);
		line_up(link, &link->leg[i]);
	}
	return 0;
}

void wt_span_limit_answers(struct wt_span *link, const struct wt_refusal_rate *rate)
{
	for (unsigned i = 0; i < 2; i++)
		wt_path_limit_answers(&link->leg[i].path, rate);
}

void wt_span_finish(struct wt_span *link)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_leg *leg = &link->leg[i];

		for (unsigned n = leg->in_graph; n < leg->count; n++)
			leg->node[n]->ops->destroy(leg->node[n]);
		leg->count = leg->in_graph = leg->cutters = leg->path.count = leg->path.spares = 0;
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
	const struct wt_path *path = &leg->path;
	struct wt_node *from = leg->from, *filter = NULL;
	unsigned from_port = leg->from_port, in_line = path->count + leg->cutting;

	for (unsigned i = 0, n = 0; n < in_line; n++) {
		struct wt_node *node = leg->node[n];
		unsigned kind = node == path->stage[i] ? path->place[i++].kind : WT_STAGE_KINDS; /* else it cuts */

		wt_graph_join(leg->graph, from, from_port, node, 0);
		from = node;
		from_port = kind == WT_STAGE_MERGE ? 2 : 1;
		if (kind == WT_STAGE_FILTER)
			filter = node;
		else if (kind == WT_STAGE_MERGE)
			wt_graph_join(leg->graph, filter, 2, node, 1);
		else /* what a stage says to the sender (ICMP) goes straight back */
			wt_graph_join(leg->graph, node, 0, leg->from, leg->from_port);
	}
	wt_graph_join(leg->graph, from, from_port, leg->to, leg->to_port);
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
	return leg->path.whole;
}

/* ---- changes ------------------------------------------------------------------------------------------- */

struct wt_span_change {
	struct wt_span *link;
	unsigned directions; /* that get words, as bits */
	bool in_graph;       /* what is to come */
	struct wt_path_change *path;
	unsigned cutters[2]; /* that come */
	struct wt_node *cutter[2][WT_SPAN_CUTTERS];
};

static int prepare_cutters(struct wt_span_change *change, unsigned direction)
{
	const struct wt_leg *leg = &change->link->leg[direction];
	const struct wt_path_place *places;
	unsigned count = wt_path_line(change->path, direction, &places);
	bool cut[WT_PATH_NODES];
	unsigned cuts = find_cuts(places, count, cut);

	for (unsigned n = leg->cutters; n < cuts; n++) {
		char what[WT_PATH_NAME] = "cut", name[40];

		if (n)
			snprintf(what, sizeof(what), "cut.%u", n + 1);
		name_node(change->link, direction, what, name, sizeof(name));
		change->cutter[direction][change->cutters[direction]] = wt_cutter_create(name, change->link->pool);
		if (!change->cutter[direction][change->cutters[direction]])
			return -ENOMEM;
		change->cutters[direction]++;
	}
	return 0;
}

struct wt_span_change *wt_span_prepare(struct wt_span *link, const char *const words[2], char *err, size_t err_len)
{
	struct wt_span_change *change = calloc(1, sizeof(*change));
	int error = change ? 0 : -ENOMEM;

	snprintf(err, err_len, "out of memory");
	if (!change)
		return NULL;
	change->link = link;
	change->directions = (words[0] ? 1u : 0) | (words[1] ? 2u : 0);
	change->path = wt_path_prepare(&link->leg[0].path, words[0], &link->leg[1].path, words[1], err, err_len);
	if (!change->path)
		error = -EINVAL;
	for (unsigned i = 0; i < 2 && !error && link->pool; i++) {
		error = prepare_cutters(change, i);
		if (error)
			snprintf(err, err_len, "out of memory");
	}
	if (!error)
		return change;
	wt_span_cancel(change);
	return NULL;
}

int wt_span_admit(struct wt_span_change *change, char *err, size_t err_len)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_graph *graph = change->link->leg[i].graph;
		struct wt_node *node[WT_PATH_COMING + WT_SPAN_CUTTERS];
		unsigned count = wt_path_coming(change->path, i, node);

		for (unsigned k = 0; k < change->cutters[i]; k++)
			node[count++] = change->cutter[i][k];
		for (unsigned k = 0; graph && k < count; k++) {
			change->in_graph = true;
			if (wt_graph_add(graph, node[k])) {
				snprintf(err, err_len, "out of memory");
				return -ENOMEM;
			}
		}
	}
	return 0;
}

void wt_span_cancel(struct wt_span_change *change)
{
	if (!change)
		return;
	wt_path_cancel(change->path, change->in_graph);
	for (unsigned i = 0; i < 2 && !change->in_graph; i++)
		for (unsigned k = 0; k < change->cutters[i]; k++)
			change->cutter[i][k]->ops->destroy(change->cutter[i][k]);
	free(change);
}

void wt_span_commit(struct wt_span_change *change, wt_time now, bool flush)
{
	struct wt_span *link = change->link;

	wt_path_commit(change->path, now, flush ? change->directions : 0);
	for (unsigned i = 0; i < 2; i++) {
		struct wt_leg *leg = &link->leg[i];

		for (unsigned k = 0; k < change->cutters[i]; k++)
			leg->cutter[leg->cutters++] = change->cutter[i][k];
		name_all(link, i);
		line_up(link, leg);
		if (!leg->graph)
			continue;
		leg->in_graph = leg->count;
		join(leg);
	}
	free(change);
}

static const struct wt_path_place *place_of(const struct wt_leg *leg, const struct wt_node *node)
{
	const struct wt_path *path = &leg->path;

	for (unsigned i = 0; i < path->count + path->spares; i++)
		if (path->stage[i] == node)
			return &path->place[i];
	return NULL; /* it cuts */
}

bool wt_leg_gone(const struct wt_leg *leg, const struct wt_node *node)
{
	const struct wt_path_place *place = place_of(leg, node);

	return !place || place->gone;
}

bool wt_leg_shown(const struct wt_leg *leg, const struct wt_node *node)
{
	return node->audit.in || !wt_leg_gone(leg, node);
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
