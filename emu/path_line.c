/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line of a path that is given other words: what was in front of a frame stays in front of it.
 *
 *   old line    rate ── loss ── delay            new words   delay | rate corrupt
 *
 *   new line    delay ── rate ── corrupt ── [drain: what was in the delay]
 *
 * Whatever keeps frames and cannot stay in its place, because it goes or because others that keep frames stand differently to it, leaves
 * them to a drain there. So each frame is where it was, in front of those it was in front of, and every later one passes the drain behind
 * it. A filter whose stages leave frames behind stands around their drains: frames that went around it still do.
 *
 *   only (udp) {delay}   becomes   only (tcp) {delay}:   (udp)── drain ──┬──(tcp)── delay ──┬──
 *                                                          └─────────────┘    └─────────────┘
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu/path_parts.h"

/* More that only stand around drains, and they go: then every frame passes those drains. */
enum { LEAVING_FILTERS = 8 };

static bool keeps(unsigned kind)
{
	return kind == WT_STAGE_RATE || kind == WT_STAGE_REORDER || kind == WT_STAGE_DELAY || kind == WT_STAGE_DRAIN;
}

/* ---- what was there ------------------------------------------------------------------------------------------ */

static int find_old(const struct wt_path *path, const struct wt_path_place *place)
{
	for (unsigned i = 0; i < path->count + path->spares; i++)
		if (path->place[i].kind == place->kind && path->place[i].which == place->which)
			return (int)i;
	return WT_PATH_NEW;
}

static unsigned merge_in_plan(const struct wt_path_plan *plan, unsigned filter)
{
	while (plan->stage[filter].kind != WT_STAGE_MERGE)
		filter++;
	return filter;
}

/* Of the filter at `filter`, in the line or among the spares. */
static unsigned merge_of(const struct wt_path *path, unsigned filter)
{
	const struct wt_path_place merge = {.kind = WT_STAGE_MERGE, .which = path->place[filter].which};

	return (unsigned)find_old(path, &merge);
}

static bool taken(const struct wt_path_side *side, unsigned old)
{
	for (unsigned i = 0; i < side->plan.count; i++)
		if (side->old[i] == (int)old)
			return true;
	return false;
}

/* The first filter of the line with this expression that is not another's yet. `plan` has them in the same order. */
static int find_filter(const struct wt_path_side *side, const struct wt_path_plan *plan, const char *expression)
{
	const struct wt_path *path = side->path;

	for (unsigned i = 0, n = 0; i < path->count; i++) {
		if (path->place[i].kind != WT_STAGE_FILTER || path->place[i].gone)
			continue;
		while (plan->stage[n].kind != WT_STAGE_FILTER)
			n++;
		if (!strcmp(plan->stage[n++].expression, expression) && !taken(side, i))
			return (int)i;
	}
	return WT_PATH_NEW;
}

static void find_all(struct wt_path_side *side, const struct wt_path_plan *old)
{
	int filter = WT_PATH_OPEN;

	for (unsigned i = 0; i < side->plan.count; i++)
		side->old[i] = WT_PATH_NEW;
	for (unsigned i = 0; i < side->plan.count; i++) {
		switch (side->place[i].kind) {
		case WT_STAGE_FILTER:
			side->filter[i] = WT_PATH_OPEN;
			side->old[i] = find_filter(side, old, side->plan.stage[i].expression);
			filter = (int)i;
			break;
		case WT_STAGE_MERGE:
			side->filter[i] = WT_PATH_OPEN;
			if (side->old[filter] != WT_PATH_NEW)
				side->old[i] = (int)merge_of(side->path, (unsigned)side->old[filter]);
			filter = WT_PATH_OPEN;
			break;
		default:
			side->filter[i] = filter;
			side->old[i] = find_old(side->path, &side->place[i]);
		}
	}
}

/* ---- what may stay ------------------------------------------------------------------------------------------- */

/* The filter around a place of the old line. */
static int filter_around(const struct wt_path *path, int at)
{
	while (--at >= 0 && path->place[at].kind != WT_STAGE_MERGE)
		if (path->place[at].kind == WT_STAGE_FILTER)
			return at;
	return WT_PATH_OPEN;
}

/* Does it stand to all that stay as it did? */
static bool fits(const struct wt_path_side *side, unsigned i)
{
	for (unsigned k = 0; k < side->plan.count; k++)
		if (side->stays[k] && (k < i) != (side->old[k] < side->old[i]))
			return false;
	return true;
}

static bool in_line(const struct wt_path_side *side, unsigned i)
{
	int old = side->old[i];

	return old != WT_PATH_NEW && old < (int)side->path->count && !side->path->place[old].gone;
}

static bool stay_filter(struct wt_path_side *side, unsigned i)
{
	unsigned merge = merge_in_plan(&side->plan, i);

	if (!side->stays[i] && in_line(side, i) && fits(side, i) && fits(side, merge))
		side->stays[i] = side->stays[merge] = true;
	return side->stays[i];
}

static void stay(struct wt_path_side *side, unsigned i)
{
	int filter = side->filter[i];

	if (side->place[i].kind == WT_STAGE_FILTER) {
		stay_filter(side, i);
		return;
	}
	if (side->place[i].kind == WT_STAGE_MERGE || !in_line(side, i))
		return;
	if (filter_around(side->path, side->old[i]) != (filter == WT_PATH_OPEN ? WT_PATH_OPEN : side->old[filter]))
		return;
	if (filter == WT_PATH_OPEN || stay_filter(side, (unsigned)filter))
		side->stays[i] = fits(side, i);
}

void wt_path_match(struct wt_path_side *side, const struct wt_path_plan *old)
{
	/* those that let frames go at once if they move stay first; what keeps none may stand anywhere */
	static const unsigned first[] = {WT_STAGE_RATE, WT_STAGE_REORDER, WT_STAGE_DELAY, WT_STAGE_FILTER};

	wt_path_places(&side->plan, side->place);
	find_all(side, old);
	for (unsigned n = 0; n < sizeof(first) / sizeof(first[0]); n++)
		for (unsigned i = 0; i < side->plan.count; i++)
			if (side->place[i].kind == first[n])
				stay(side, i);
	for (unsigned i = 0; i < side->plan.count; i++)
		if (!side->stays[i])
			stay(side, i);
}

/* ---- what comes ---------------------------------------------------------------------------------------------- */

static bool remains(const struct wt_path_side *side, unsigned old)
{
	for (unsigned i = 0; i < side->plan.count; i++)
		if (side->stays[i] && side->old[i] == (int)old)
			return true;
	return false;
}

static bool lets_go(const struct wt_path_side *side, unsigned old)
{
	const struct wt_path *path = side->path;

	return keeps(path->place[old].kind) && path->stage[old]->audit.queued && !remains(side, old);
}

/* A filter of the line that does not stay: does anything between it and its merge let frames go? */
static bool leaves(const struct wt_path_side *side, unsigned filter)
{
	for (unsigned i = filter; i < side->path->count && side->path->place[i].kind != WT_STAGE_MERGE; i++)
		if (lets_go(side, i))
			return true;
	return false;
}

static void come(struct wt_path_side *side, struct wt_node *node)
{
	side->come[side->coming++] = node;
}

/* A pair that nothing needs any more, or WT_PATH_NEW. */
static int free_filter(const struct wt_path_side *side)
{
	const struct wt_path *path = side->path;

	for (unsigned i = 0; i < path->count + path->spares; i++)
		if (path->place[i].kind == WT_STAGE_FILTER && !taken(side, i) && (i >= path->count || !leaves(side, i)))
			return (int)i;
	return WT_PATH_NEW;
}

static uint8_t next_of(const struct wt_path_side *side, unsigned kind)
{
	uint8_t count = 1;

	for (unsigned i = 0; i < side->path->count + side->path->spares; i++)
		count += side->path->place[i].kind == kind;
	for (unsigned i = 0; i < side->plan.count; i++)
		count += side->place[i].kind == kind && side->node[i] && side->old[i] == WT_PATH_NEW;
	return count;
}

/* One that stays, or is free, or a new one; with its merge. */
static int make_filter(struct wt_path_side *side, unsigned i, char *err, size_t err_len)
{
	unsigned merge = merge_in_plan(&side->plan, i);
	const char *expression = side->plan.stage[i].expression;
	bool same = side->old[i] != WT_PATH_NEW;
	struct wt_node *fresh = NULL;
	int error;

	if (same && !side->stays[i] && leaves(side, (unsigned)side->old[i]))
		same = false;
	if (!same) {
		side->old[i] = free_filter(side);
		side->old[merge] = side->old[i] == WT_PATH_NEW ? WT_PATH_NEW : (int)merge_of(side->path, (unsigned)side->old[i]);
		side->place[i].which = side->place[merge].which = next_of(side, WT_STAGE_FILTER);
		error = wt_path_build_gate(side->path, &side->place[i], expression, &fresh, err, err_len);
		if (error)
			return error;
	}
	if (side->old[i] != WT_PATH_NEW) {
		side->node[i] = side->path->stage[side->old[i]];
		side->fresh[i] = fresh;
		side->node[merge] = side->path->stage[side->old[merge]];
		side->place[i].which = side->place[merge].which = side->path->place[side->old[i]].which;
		return 0;
	}
	come(side, fresh);
	error = wt_path_build_gate(side->path, &side->place[merge], expression, &side->node[merge], err, err_len);
	if (error)
		return error;
	come(side, side->node[merge]);
	side->node[i] = fresh;
	return 0;
}

static int make(struct wt_path_side *side, unsigned i, char *err, size_t err_len)
{
	const struct wt_stage_plan *stage = &side->plan.stage[i];

	if (stage->kind == WT_STAGE_MERGE)
		return 0;
	if (stage->kind == WT_STAGE_FILTER)
		return make_filter(side, i, err, err_len);
	if (side->old[i] == WT_PATH_NEW) {
		side->node[i] = wt_path_build(side->path, stage, &side->place[i]);
		if (side->node[i])
			come(side, side->node[i]);
	} else {
		side->node[i] = side->path->stage[side->old[i]];
	}
	if (!side->node[i] || (stage->kind == WT_STAGE_RATE && wt_rate_prepare(side->node[i], &stage->rate)))
		return -ENOMEM;
	return 0;
}

/* ---- the line ------------------------------------------------------------------------------------------------ */

static void put(struct wt_path_side *side, struct wt_node *node, const struct wt_path_place *place)
{
	side->line[side->count] = node;
	side->line_place[side->count++] = *place;
}

static bool in_new_line(const struct wt_path_side *side, const struct wt_node *node)
{
	for (unsigned i = 0; i < side->count; i++)
		if (side->line[i] == node)
			return true;
	return false;
}

/* An empty one there is, or a new one. NULL: no memory. */
static struct wt_node *put_drain(struct wt_path_side *side)
{
	const struct wt_path *path = side->path;
	struct wt_path_place place = {.kind = WT_STAGE_DRAIN, .gone = true, .whole = true, .which = 1};
	struct wt_node *node = NULL;

	for (unsigned i = 0; i < path->count + path->spares && !node; i++) {
		if (path->place[i].kind != WT_STAGE_DRAIN)
			continue;
		if (!path->stage[i]->audit.queued && !in_new_line(side, path->stage[i])) {
			node = path->stage[i];
			place = path->place[i];
		} else {
			place.which++;
		}
	}
	if (!node) {
		for (unsigned i = 0; i < side->count; i++) /* made for this line */
			for (unsigned k = 0; k < side->coming; k++)
				place.which += side->line_place[i].kind == WT_STAGE_DRAIN && side->line[i] == side->come[k];
		node = wt_path_build_drain(path, &place);
		if (!node)
			return NULL;
		come(side, node);
	}
	put(side, node, &place);
	return node;
}

/* What of the old line from `old` on has frames to let go, up to the next that stays; neighbours share a drain. */
static int put_leaving(struct wt_path_side *side, unsigned old, bool filters)
{
	const struct wt_path *path = side->path;
	struct wt_node *drain = NULL;
	bool inside = false;

	for (; old < path->count && !remains(side, old); old++) {
		struct wt_path_place place = path->place[old];

		place.gone = place.whole = true;
		if (filters && (place.kind == WT_STAGE_MERGE ? inside : place.kind == WT_STAGE_FILTER && leaves(side, old))) {
			inside = place.kind == WT_STAGE_FILTER;
			put(side, path->stage[old], &place);
			drain = NULL;
		} else if (lets_go(side, old)) {
			if (!drain)
				drain = put_drain(side);
			if (!drain)
				return -ENOMEM;
			side->drain[old] = drain;
		}
	}
	return 0;
}

static bool few_leave(const struct wt_path_side *side)
{
	unsigned count = 0;

	for (unsigned i = 0; i < side->path->count; i++)
		count += side->path->place[i].kind == WT_STAGE_FILTER && !remains(side, i) && leaves(side, i);
	return count <= LEAVING_FILTERS;
}

int wt_path_lay_out(struct wt_path_side *side, char *err, size_t err_len)
{
	bool filters = few_leave(side);
	int error = 0;

	for (unsigned i = 0; i < side->plan.count && !error; i++)
		error = make(side, i, err, err_len);
	if (!error)
		error = put_leaving(side, 0, filters);
	for (unsigned i = 0; i < side->plan.count && !error; i++) {
		put(side, side->node[i], &side->place[i]);
		if (side->stays[i])
			error = put_leaving(side, (unsigned)side->old[i] + 1, filters);
	}
	return error;
}
