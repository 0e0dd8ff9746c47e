/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Other words for a path that runs, in two steps: everything that can fail, on paths that stay as they are; then what cannot.
 *
 *   old line    rate ── loss ── delay            new words   rate ... corrupt ... loss
 *
 *   new line    rate ── corrupt ── loss ── (delay, until it is empty)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/path_parts.h"

enum { NEW = -1 };

/* One direction. */
struct side {
	struct wt_path *path;
	struct wt_path_plan plan;
	char text[WT_PATH_TEXT];
	int old[WT_PATH_STAGES]; /* of each stage of the plan: which of path->stage it is, or NEW */
	struct wt_node *node[WT_PATH_STAGES];
	struct wt_path_place place[WT_PATH_STAGES];
	unsigned shared;
};

struct wt_path_change {
	unsigned sides;
	struct side side[2];
};

/* ---- what can fail ----------------------------------------------------------------------------------------- */

/* Stages that keep frames: their order among each other is the order of what they keep. */
static bool keeps(unsigned kind)
{
	return kind == WT_STAGE_RATE || kind == WT_STAGE_REORDER || kind == WT_STAGE_DELAY;
}

static int find_old(const struct wt_path *path, const struct wt_path_place *place)
{
	for (unsigned i = 0; i < path->count + path->spares; i++)
		if (path->place[i].kind == place->kind && path->place[i].which == place->which)
			return (int)i;
	return NEW;
}

/* Finds what stays, and what comes back; names what is new. A sentence why not, or NULL. */
static const char *match(struct side *side)
{
	const struct wt_path *path = side->path;
	unsigned nodes = path->count + path->spares;
	int last = NEW;

	wt_path_places(&side->plan, side->place);
	side->shared = path->shared;
	for (unsigned i = 0; i < side->plan.count; i++) {
		struct wt_path_place *place = &side->place[i];
		int old = side->old[i] = find_old(path, place);

		if (old == NEW) {
			place->shared = place->shared ? (uint8_t)++side->shared : 0;
			nodes++;
			continue;
		}
		if (!place->shared != !path->place[old].shared)
			return "a change can neither share a history nor part it";
		place->shared = path->place[old].shared;
		if (!keeps(place->kind) || old >= (int)path->count)
			continue;
		if (old < last)
			return "a change keeps the order of rates, reordering stages and delays";
		last = old;
	}
	return nodes > WT_PATH_NODES || side->shared > UINT8_MAX ? "this path has been given too many stages" : NULL;
}

/* What is compared with the words so far. */
static int compare(struct side *side, bool single, char *err, size_t err_len)
{
	struct wt_path_plan *old = malloc(sizeof(*old));
	const struct wt_handoff_config *before, *after = wt_path_handoff(&side->plan);
	const char *why = match(side);
	char text[WT_PATH_TEXT];
	int error = old ? wt_path_read(old, text, side->path->text, err, err_len) : -ENOMEM;

	if (error) {
		free(old);
		return error;
	}
	before = wt_path_handoff(old);
	if (!why && (!before != !after || (before && !wt_path_one_timing(before, after))))
		why = "a change can neither add a handoff nor take it away, and keeps its times and the number of cells";
	if (!why && single && (side->shared != side->path->shared || wt_path_check_pair(old, &side->plan, NULL, 0)))
		why = "what is shared with the other direction can only be changed in both";
	if (why)
		snprintf(err, err_len, "%s; this one is \"%.150s\"", why, side->path->text);
	wt_path_plan_finish(old);
	free(old);
	return why ? -EINVAL : 0;
}

/* The stages that come, and memory for those that stay. */
static int provide(struct side *side)
{
	for (unsigned i = 0; i < side->plan.count; i++) {
		const struct wt_stage_plan *stage = &side->plan.stage[i];

		if (side->old[i] == NEW)
			side->node[i] = wt_path_build(side->path, stage, &side->place[i]);
		else
			side->node[i] = side->path->stage[side->old[i]];
		if (!side->node[i] || (stage->kind == WT_STAGE_RATE && wt_rate_prepare(side->node[i], &stage->rate)))
			return -ENOMEM;
	}
	return 0;
}

static int prepare_side(struct side *side, const char *words, bool single, char *err, size_t err_len)
{
	int error = wt_path_read(&side->plan, side->text, words ? words : side->path->text, err, err_len);

	return error ? error : compare(side, single, err, err_len);
}

/* The n-th shared chain of one direction and that of the other must be one. */
static bool same_partners(const struct wt_path_change *change)
{
	uint8_t number[2][WT_PATH_STAGES] = {{0}};

	for (unsigned d = 0; d < 2; d++)
		for (unsigned i = 0, n = 0; i < change->side[d].plan.count; i++)
			if (change->side[d].place[i].shared)
				number[d][n++] = change->side[d].place[i].shared;
	return !memcmp(number[0], number[1], sizeof(number[0]));
}

static int check_both(const struct wt_path_change *change, char *err, size_t err_len)
{
	int error = wt_path_check_pair(&change->side[0].plan, &change->side[1].plan, err, err_len);

	if (error || same_partners(change))
		return error;
	snprintf(err, err_len, "chains that share a history keep their partners: give fwd and rev the same row of them");
	return -EINVAL;
}

struct wt_path_change *wt_path_prepare(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words,
				       char *err, size_t err_len)
{
	struct wt_path_change *change = calloc(1, sizeof(*change));
	const char *words[2] = {fwd_words, rev_words};
	char why[300];
	int error = change ? 0 : -ENOMEM;

	for (unsigned d = 0; d < 2 && change && !error && (d == 0 || rev); d++) {
		change->side[d].path = d ? rev : fwd;
		change->sides++;
		snprintf(why, sizeof(why), "out of memory");
		error = prepare_side(&change->side[d], words[d], !rev, why, sizeof(why));
		if (error)
			snprintf(err, err_len, "%s%s", !rev ? "" : d ? "rev: " : "fwd: ", why);
	}
	if (!error && rev)
		error = check_both(change, err, err_len);
	for (unsigned d = 0; d < 2 && !error && d < change->sides; d++)
		error = provide(&change->side[d]);
	if (error == -ENOMEM)
		snprintf(err, err_len, "out of memory");
	if (!error)
		return change;
	wt_path_cancel(change, false);
	return NULL;
}

unsigned wt_path_coming(const struct wt_path_change *change, unsigned direction, struct wt_node *node[WT_PATH_STAGES])
{
	const struct side *side = &change->side[direction];
	unsigned count = 0;

	for (unsigned i = 0; direction < change->sides && i < side->plan.count; i++)
		if (side->old[i] == NEW)
			node[count++] = side->node[i];
	return count;
}

static void release(struct wt_path_change *change)
{
	for (unsigned d = 0; d < change->sides; d++)
		wt_path_plan_finish(&change->side[d].plan);
	free(change);
}

void wt_path_cancel(struct wt_path_change *change, bool in_graph)
{
	if (!change)
		return;
	for (unsigned d = 0; d < change->sides && !in_graph; d++)
		for (unsigned i = 0; i < change->side[d].plan.count; i++)
			if (change->side[d].old[i] == NEW && change->side[d].node[i])
				change->side[d].node[i]->ops->destroy(change->side[d].node[i]);
	release(change);
}

/* ---- what cannot ------------------------------------------------------------------------------------------- */

static void set_values(struct wt_node *node, const struct wt_stage_plan *stage, wt_time now)
{
	struct wt_gilbert_config gilbert;

	switch (stage->kind) {
	case WT_STAGE_RATE:
		wt_rate_change(node, now, &stage->rate);
		break;
	case WT_STAGE_OUTAGE:
		wt_outage_change(node, now, stage->outages, stage->outage_count);
		break;
	case WT_STAGE_LOSS:
		wt_loss_change(node, now, wt_path_share(stage, stage->share));
		break;
	case WT_STAGE_GILBERT:
		gilbert = wt_path_gilbert(stage);
		wt_gilbert_change(node, now, &gilbert);
		break;
	case WT_STAGE_MARKOV:
		wt_markov_loss_change(node, now, &stage->chain);
		break;
	case WT_STAGE_ELLIOTT:
		wt_elliott_change(node, now, &stage->elliott);
		break;
	case WT_STAGE_LIST:
		wt_list_change(node, now, &stage->list);
		break;
	case WT_STAGE_DUPLICATE:
		wt_duplicate_change(node, now, stage->share);
		break;
	case WT_STAGE_REORDER:
		wt_reorder_change(node, now, stage->share, stage->held);
		break;
	case WT_STAGE_HOPS:
		wt_hops_change(node, now, &stage->hops);
		break;
	case WT_STAGE_MTU:
		wt_mtu_change(node, now, &stage->mtu);
		break;
	case WT_STAGE_HANDOFF:
		wt_handoff_change(node, now, &stage->handoff);
		break;
	case WT_STAGE_CORRUPT:
		wt_corrupt_change(node, now, &stage->corrupt);
		break;
	default:
		wt_delay_change(node, now, &stage->delay);
	}
}

/* It lets go of what it keeps, touches nothing that still comes, and is silent about its states. */
static void take_away(struct wt_path *path, unsigned i, wt_time now)
{
	static const struct wt_handoff_config nothing;
	static const struct wt_delay_config none;
	static const struct wt_key no_key;
	struct wt_node *node = path->stage[i];
	struct wt_path_place *place = &path->place[i];
	struct wt_state state;

	if (place->kind == WT_STAGE_RATE) {
		wt_rate_follow(node, now, &no_key, &nothing);
		wt_rate_open(node, now);
	} else if (place->kind == WT_STAGE_DELAY) {
		wt_delay_follow(node, now, &no_key, &nothing);
		wt_delay_change(node, now, &none);
	} else if (place->kind == WT_STAGE_REORDER) {
		wt_reorder_change(node, now, 0, 0);
	}
	if (node->states && node->ops->state)
		node->ops->state(node, now, &state); /* what was until now is told */
	place->states = node->states;
	node->states = NULL;
	place->gone = true;
}

static void take_away_rest(const struct side *side, wt_time now)
{
	bool stays[WT_PATH_NODES] = {false};

	for (unsigned i = 0; i < side->plan.count; i++)
		if (side->old[i] != NEW)
			stays[side->old[i]] = true;
	for (unsigned i = 0; i < side->path->count; i++)
		if (!stays[i] && !side->path->place[i].gone)
			take_away(side->path, i, now);
}

/* A stage that is fresh, or was gone for a time. */
static void begin(const struct side *side, unsigned i, wt_time now)
{
	struct wt_node *node = side->node[i];

	if (side->place[i].kind == WT_STAGE_OUTAGE)
		wt_outage_begin(node, now);
	if (side->old[i] != NEW)
		node->states = side->path->place[side->old[i]].states;
	else if (side->place[i].kind == WT_STAGE_GILBERT)
		wt_gilbert_begin(node, now);
	else if (side->place[i].kind == WT_STAGE_MARKOV)
		wt_markov_loss_begin(node, now);
}

struct line {
	unsigned count;
	struct wt_node *stage[WT_PATH_NODES];
	struct wt_path_place place[WT_PATH_NODES];
};

static void put(struct line *line, struct wt_node *node, const struct wt_path_place *place)
{
	line->stage[line->count] = node;
	line->place[line->count++] = *place;
}

/*
 * Where a stage that is gone but still keeps frames runs empty: behind those it stood behind and in front of what keeps frames
 * older than its own, and there as early as can be, so that its frames meet the stages that came.
 */
static unsigned place_of_gone(const struct side *side, int gone)
{
	unsigned behind = 0, before = side->plan.count;

	for (unsigned i = 0; i < side->plan.count; i++) {
		int old = side->old[i];

		if (old != NEW && old < gone)
			behind = i + 1;
		if (keeps(side->place[i].kind) && old > gone && old < (int)side->path->count && i < before)
			before = i;
	}
	return behind < before ? behind : before;
}

/* The plan's stages in their order, between them what has to run empty first, and the rest behind. */
static void arrange(struct side *side)
{
	struct wt_path *path = side->path;
	unsigned all = path->count + path->spares, in_line;
	struct line line = {0};

	for (unsigned i = 0; i < side->plan.count; i++)
		if (side->old[i] != NEW)
			path->place[side->old[i]].gone = false;
	for (unsigned i = 0; i <= side->plan.count; i++) {
		for (unsigned old = 0; old < path->count; old++)
			if (path->place[old].gone && path->stage[old]->audit.queued && place_of_gone(side, (int)old) == i)
				put(&line, path->stage[old], &path->place[old]);
		if (i < side->plan.count)
			put(&line, side->node[i], &side->place[i]);
	}
	in_line = line.count;
	for (unsigned old = 0; old < all; old++)
		if (path->place[old].gone && !path->stage[old]->audit.queued)
			put(&line, path->stage[old], &path->place[old]);
	path->count = in_line;
	path->spares = line.count - in_line;
	memcpy(path->stage, line.stage, line.count * sizeof(line.stage[0]));
	memcpy(path->place, line.place, line.count * sizeof(line.place[0]));
}

static void commit(struct side *side, wt_time now, bool flush)
{
	struct wt_path *path = side->path;

	for (unsigned i = 0; flush && i < path->count; i++)
		if (path->place[i].kind == WT_STAGE_RATE)
			wt_rate_flush(path->stage[i], now);
	take_away_rest(side, now);
	/* the cells first: what a stage does at `now` depends on them */
	wt_path_follow(path, &side->plan, side->node, now);
	for (unsigned i = 0; i < side->plan.count; i++) {
		if (side->old[i] != NEW)
			set_values(side->node[i], &side->plan.stage[i], now);
		if (side->old[i] == NEW || path->place[side->old[i]].gone)
			begin(side, i, now);
	}
	arrange(side);
	path->shared = side->shared;
	path->whole = wt_path_takes_whole(&side->plan);
	memcpy(path->text, side->text, sizeof(path->text));
}

void wt_path_commit(struct wt_path_change *change, wt_time now, unsigned flush)
{
	for (unsigned d = 0; d < change->sides; d++)
		commit(&change->side[d], now, flush & 1u << d);
	release(change);
}

/* ---- both steps -------------------------------------------------------------------------------------------- */

int wt_path_change_pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words, wt_time now,
			char *err, size_t err_len)
{
	struct wt_path_change *change = wt_path_prepare(fwd, fwd_words, rev, rev_words, err, err_len);

	if (!change)
		return -EINVAL;
	wt_path_commit(change, now, 0);
	return 0;
}

int wt_path_change(struct wt_path *path, const char *words, wt_time now, char *err, size_t err_len)
{
	return wt_path_change_pair(path, words, NULL, NULL, now, err, err_len);
}
