/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/segmenter_node.h"
#include "emu/world/filter.h"
#include "emu/words/words.h"
#include "stack/base/random.h"

static const char *const direction_names[] = {"fwd", "rev"};

/* ---- nodes --------------------------------------------------------------------------------------------- */

/* "fwd.loss" becomes "LINK.fwd.loss". */
static void name_node(const struct wt_link *link, unsigned direction, const char *what, char *out, size_t len)
{
	snprintf(out, len, "%s%s%s.%s", link->only ? "" : link->name, link->only ? "" : ".", direction_names[direction], what);
}

static void name_all(const struct wt_link *link, unsigned direction)
{
	const struct wt_path *path = &link->way[direction].path;
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
static void line_up(const struct wt_link *link, struct wt_direction *way)
{
	const struct wt_path *path = &way->path;
	bool cut[WT_PATH_NODES] = {false};

	way->count = way->cutting = 0;
	if (link->pool && way->segmenters) /* made by a change, so many as its line needs */
		find_cuts(path->place, path->count, cut);
	for (unsigned i = 0; i < path->count + path->spares; i++) {
		if (i < path->count && cut[i])
			way->node[way->count++] = way->segmenter[way->cutting++];
		way->node[way->count++] = path->stage[i];
	}
	for (unsigned i = way->cutting; i < way->segmenters; i++)
		way->node[way->count++] = way->segmenter[i];
}

int wt_link_init(struct wt_link *link, const char *name, bool only, const char *const words[2], uint64_t seed,
		 struct wt_samples_cache *cache, char *err, size_t err_len)
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
	error = wt_path_init_filtered(&link->way[0].path, words[0] ? words[0] : "", &link->way[1].path, words[1] ? words[1] : "", seed,
				      &wt_filter_gates, cache, err, err_len);
	if (error)
		return error;
	for (unsigned i = 0; i < 2; i++) {
		name_all(link, i);
		line_up(link, &link->way[i]);
	}
	return 0;
}

void wt_link_limit_answers(struct wt_link *link, const struct wt_refusal_rate *rate)
{
	for (unsigned i = 0; i < 2; i++)
		wt_path_limit_answers(&link->way[i].path, rate);
}

void wt_link_finish(struct wt_link *link)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_direction *way = &link->way[i];

		for (unsigned n = way->in_graph; n < way->count; n++)
			way->node[n]->ops->destroy(way->node[n]);
		way->count = way->in_graph = way->segmenters = way->path.count = way->path.spares = 0;
	}
}

/* ---- in a graph ---------------------------------------------------------------------------------------- */

int wt_link_add(struct wt_link *link, struct wt_graph *graph)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_direction *way = &link->way[i];

		for (; way->in_graph < way->count; way->in_graph++) {
			int error = wt_graph_add(graph, way->node[way->in_graph]);

			if (error)
				return error;
		}
	}
	return 0;
}

static void join(const struct wt_direction *way)
{
	const struct wt_path *path = &way->path;
	struct wt_node *from = way->from, *filter = NULL;
	unsigned from_port = way->from_port, in_line = path->count + way->cutting;

	for (unsigned i = 0, n = 0; n < in_line; n++) {
		struct wt_node *node = way->node[n];
		unsigned kind = node == path->stage[i] ? path->place[i++].kind : WT_STAGE_KINDS; /* else it cuts */

		wt_graph_join(way->graph, from, from_port, node, 0);
		from = node;
		from_port = kind == WT_STAGE_MERGE ? 2 : 1;
		if (kind == WT_STAGE_FILTER)
			filter = node;
		else if (kind == WT_STAGE_MERGE)
			wt_graph_join(way->graph, filter, 2, node, 1);
		else /* what a stage says to the sender (ICMP) goes straight back */
			wt_graph_join(way->graph, node, 0, way->from, way->from_port);
	}
	wt_graph_join(way->graph, from, from_port, way->to, way->to_port);
}

void wt_direction_join(struct wt_direction *way, struct wt_graph *graph, struct wt_node *from, unsigned from_port, struct wt_node *to,
		 unsigned to_port)
{
	way->graph = graph;
	way->from = from;
	way->from_port = from_port;
	way->to = to;
	way->to_port = to_port;
	join(way);
}

bool wt_direction_whole(const struct wt_direction *way)
{
	return way->path.whole;
}

/* ---- changes ------------------------------------------------------------------------------------------- */

struct wt_link_change {
	struct wt_link *link;
	unsigned directions; /* that get words, as bits */
	bool in_graph;       /* what is to come */
	struct wt_path_change *path;
	unsigned segmenters[2]; /* that come */
	struct wt_node *segmenter[2][WT_LINK_SEGMENTERS];
};

static int prepare_segmenters(struct wt_link_change *change, unsigned direction)
{
	const struct wt_direction *way = &change->link->way[direction];
	const struct wt_path_place *places;
	unsigned count = wt_path_line(change->path, direction, &places);
	bool cut[WT_PATH_NODES];
	unsigned cuts = find_cuts(places, count, cut);

	for (unsigned n = way->segmenters; n < cuts; n++) {
		char what[WT_PATH_NAME] = "cut", name[40];

		if (n)
			snprintf(what, sizeof(what), "cut.%u", n + 1);
		name_node(change->link, direction, what, name, sizeof(name));
		change->segmenter[direction][change->segmenters[direction]] = wt_segmenter_create(name, change->link->pool);
		if (!change->segmenter[direction][change->segmenters[direction]])
			return -ENOMEM;
		change->segmenters[direction]++;
	}
	return 0;
}

struct wt_link_change *wt_link_prepare(struct wt_link *link, const char *const words[2], char *err, size_t err_len)
{
	struct wt_link_change *change = calloc(1, sizeof(*change));
	int error = change ? 0 : -ENOMEM;

	snprintf(err, err_len, "out of memory");
	if (!change)
		return NULL;
	change->link = link;
	change->directions = (words[0] ? 1u : 0) | (words[1] ? 2u : 0);
	change->path = wt_path_prepare(&link->way[0].path, words[0], &link->way[1].path, words[1], err, err_len);
	if (!change->path)
		error = -EINVAL;
	for (unsigned i = 0; i < 2 && !error && link->pool; i++) {
		error = prepare_segmenters(change, i);
		if (error)
			snprintf(err, err_len, "out of memory");
	}
	if (!error)
		return change;
	wt_link_cancel(change);
	return NULL;
}

int wt_link_admit(struct wt_link_change *change, char *err, size_t err_len)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_graph *graph = change->link->way[i].graph;
		struct wt_node *node[WT_PATH_COMING + WT_LINK_SEGMENTERS];
		unsigned count = wt_path_coming(change->path, i, node);

		for (unsigned k = 0; k < change->segmenters[i]; k++)
			node[count++] = change->segmenter[i][k];
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

void wt_link_cancel(struct wt_link_change *change)
{
	if (!change)
		return;
	wt_path_cancel(change->path, change->in_graph);
	for (unsigned i = 0; i < 2 && !change->in_graph; i++)
		for (unsigned k = 0; k < change->segmenters[i]; k++)
			change->segmenter[i][k]->ops->destroy(change->segmenter[i][k]);
	free(change);
}

/* What enters a line is what its first node is given, what leaves it is what its last one lets go forwards: so far. */
static void ends_of(const struct wt_direction *way, uint64_t *in, uint64_t *out)
{
	unsigned in_line = way->path.count + way->cutting;
	const struct wt_node *last = in_line ? way->node[in_line - 1] : NULL;

	*in = last ? way->node[0]->audit.in : 0;
	*out = last ? last->audit.out - ((const struct wt_stage *)last)->back : 0;
}

void wt_direction_passed(const struct wt_direction *way, uint64_t *in, uint64_t *out)
{
	ends_of(way, in, out);
	*in += way->in - way->in_then;
	*out += way->out - way->out_then;
}

/* Before the line becomes another one. */
static void note_passed(struct wt_direction *way)
{
	uint64_t in, out;

	wt_direction_passed(way, &in, &out);
	way->in = in;
	way->out = out;
}

void wt_link_commit(struct wt_link_change *change, wt_time now, bool flush)
{
	struct wt_link *link = change->link;

	for (unsigned i = 0; i < 2; i++)
		note_passed(&link->way[i]);
	wt_path_commit(change->path, now, flush ? change->directions : 0);
	for (unsigned i = 0; i < 2; i++) {
		struct wt_direction *way = &link->way[i];

		for (unsigned k = 0; k < change->segmenters[i]; k++)
			way->segmenter[way->segmenters++] = change->segmenter[i][k];
		name_all(link, i);
		line_up(link, way);
		ends_of(way, &way->in_then, &way->out_then);
		if (!way->graph)
			continue;
		way->in_graph = way->count;
		join(way);
	}
	free(change);
}

static const struct wt_path_place *place_of(const struct wt_direction *way, const struct wt_node *node)
{
	const struct wt_path *path = &way->path;

	for (unsigned i = 0; i < path->count + path->spares; i++)
		if (path->stage[i] == node)
			return &path->place[i];
	return NULL; /* it cuts */
}

bool wt_direction_gone(const struct wt_direction *way, const struct wt_node *node)
{
	const struct wt_path_place *place = place_of(way, node);

	return !place || place->gone;
}

bool wt_direction_shown(const struct wt_direction *way, const struct wt_node *node)
{
	return node->audit.in || !wt_direction_gone(way, node);
}

bool wt_direction_rate(const struct wt_direction *way, const struct wt_node *node, struct wt_rate_counts *counts)
{
	const struct wt_path_place *place = place_of(way, node);

	if (!place || place->kind != WT_STAGE_RATE)
		return false;
	wt_rate_counts(node, counts);
	return true;
}

void wt_link_touch(const struct wt_link *link)
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned n = 0; link->way[i].graph && n < link->way[i].count; n++)
			wt_graph_touch(link->way[i].graph, link->way[i].node[n]);
}

int wt_link_change(struct wt_link *link, const char *const words[2], wt_time now, bool flush, char *err, size_t err_len)
{
	struct wt_link_change *change = wt_link_prepare(link, words, err, err_len);

	if (!change)
		return -EINVAL;
	if (wt_link_admit(change, err, err_len)) {
		wt_link_cancel(change);
		return -ENOMEM;
	}
	wt_link_commit(change, now, flush);
	wt_link_touch(link);
	return 0;
}
