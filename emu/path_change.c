/* SPDX-License-Identifier: BSD-2-Clause */
/* Other words for a path that runs, in two steps: everything that can fail, on paths that stay as they are; then what cannot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/path_parts.h"

struct wt_path_change {
	unsigned sides;
	struct wt_path_side side[2];
};

/* ---- what can fail ----------------------------------------------------------------------------------------- */

/* The n-th (from 0) entry of a plan that shares its history, or -1. */
static int shared_entry(const struct wt_path_side *side, unsigned n)
{
	for (unsigned i = 0; i < side->plan.count; i++)
		if (side->place[i].shared && n-- == 0)
			return (int)i;
	return -1;
}

/* The number of the shared history it has; 0: none. */
static uint32_t shared_history(const struct wt_path_side *side, int i)
{
	const struct wt_path_place *old = i < 0 || side->old[i] == WT_PATH_NEW ? NULL : &side->path->place[side->old[i]];

	return old && old->shared ? old->history : 0;
}

static void set_history(struct wt_path_side *side, int i, uint32_t history)
{
	if (i < 0)
		return;
	side->renewed[i] = side->old[i] != WT_PATH_NEW;
	side->place[i].history = history;
}

/* A history goes on where it was; one that is shared from now on, or no more, or with another partner, is a new one. */
static void number_histories(struct wt_path_side *fwd, struct wt_path_side *rev)
{
	struct wt_path_side *sides[] = {fwd, rev};
	uint32_t last = rev && rev->path->histories > fwd->path->histories ? rev->path->histories : fwd->path->histories;
	int a, b;

	for (unsigned d = 0; d < 2 && sides[d]; d++) {
		struct wt_path_side *side = sides[d];

		for (unsigned i = 0; i < side->plan.count; i++) {
			const struct wt_path_place *old = side->old[i] == WT_PATH_NEW ? NULL : &side->path->place[side->old[i]];

			if (old && !old->shared && !side->place[i].shared)
				side->place[i].history = old->history;
			else if (old && old->shared && !side->place[i].shared)
				set_history(side, (int)i, ++last);
		}
	}
	for (unsigned n = 0; (a = shared_entry(fwd, n)) >= 0; n++) {
		uint32_t history = shared_history(fwd, a);

		b = rev ? shared_entry(rev, n) : -1;
		if (history && (!rev || history == shared_history(rev, b))) {
			fwd->place[a].history = history;
			if (b >= 0)
				rev->place[b].history = history;
			continue;
		}
		set_history(fwd, a, ++last);
		if (rev)
			set_history(rev, b, last);
	}
	fwd->histories = last;
	if (rev)
		rev->histories = last;
}

/* One direction alone keeps what both share. */
static int check_single(struct wt_path_side *side, const struct wt_path_plan *old, char *err, size_t err_len)
{
	bool same = !wt_path_check_pair(old, &side->plan, NULL, 0);
	int entry;

	for (unsigned n = 0; (entry = shared_entry(side, n)) >= 0; n++)
		same &= shared_history(side, entry) > 0;
	if (same)
		return 0;
	snprintf(err, err_len, "what is shared with the other direction can only be changed in both; this one is \"%.150s\"",
		 side->path->text);
	return -EINVAL;
}

/* Does a stage get other values of a file? */
static bool find_contents(const struct wt_path_side *side)
{
	bool found = false;

	for (unsigned i = 0; i < side->plan.count; i++) {
		const struct wt_stage_plan *stage = &side->plan.stage[i];
		const struct wt_samples *fresh[2] = {
			stage->kind == WT_STAGE_RATE ? stage->rate.trace : stage->kind == WT_STAGE_LIST ? stage->list.trace :
			stage->kind == WT_STAGE_LOSS ? stage->loss.trace : stage->delay.samples, stage->delay.trace};

		for (unsigned k = 0; k < 2; k++) {
			const struct wt_samples *old = side->old[i] == WT_PATH_NEW ? NULL : wt_path_samples(side->path, (unsigned)side->old[i], k);

			found |= fresh[k] && old && !wt_samples_equal(old, fresh[k]);
		}
	}
	return found;
}

static int prepare_side(struct wt_path_side *side, const char *words, bool single, char *err, size_t err_len)
{
	struct wt_path *path = side->path;
	const struct wt_path_files kept = {.path = path}, all = {.cache = path->cache, .path = path};
	struct wt_path_plan *old = malloc(sizeof(*old));
	char text[WT_PATH_TEXT];
	int error = old ? wt_path_read(&side->plan, side->text, words ? words : path->text, words ? &all : &kept, err, err_len) : -ENOMEM;

	/* what the stages were made of is read off them: no file has to be there any more */
	if (!error)
		error = wt_path_read(old, text, path->text, &kept, err, err_len);
	if (!error) {
		wt_path_match(side, old);
		side->contents = find_contents(side);
		error = single ? check_single(side, old, err, err_len) : 0;
		wt_path_plan_finish(old);
	}
	free(old);
	return error;
}

static int lay_out(struct wt_path_change *change, char *err, size_t err_len)
{
	char why[300];
	int error = 0;

	for (unsigned d = 0; d < change->sides && !error; d++) {
		error = wt_path_lay_out(&change->side[d], why, sizeof(why));
		if (error == -EINVAL)
			snprintf(err, err_len, "%s%s", change->sides == 1 ? "" : d ? "rev: " : "fwd: ", why);
	}
	return error;
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
		error = prepare_side(&change->side[d], words[d], !rev, why, sizeof(why));
		if (error == -EINVAL)
			snprintf(err, err_len, "%s%s", !rev ? "" : d ? "rev: " : "fwd: ", why);
	}
	if (!error && rev)
		error = wt_path_check_pair(&change->side[0].plan, &change->side[1].plan, err, err_len);
	if (!error) {
		number_histories(&change->side[0], rev ? &change->side[1] : NULL);
		error = lay_out(change, err, err_len);
	}
	if (error == -ENOMEM)
		snprintf(err, err_len, "out of memory");
	if (!error)
		return change;
	wt_path_cancel(change, false);
	return NULL;
}

unsigned wt_path_coming(const struct wt_path_change *change, unsigned direction, struct wt_node *node[WT_PATH_COMING])
{
	const struct wt_path_side *side = &change->side[direction];

	if (direction >= change->sides)
		return 0;
	memcpy(node, side->come, side->coming * sizeof(side->come[0]));
	return side->coming;
}

unsigned wt_path_line(const struct wt_path_change *change, unsigned direction, const struct wt_path_place **places)
{
	*places = change->side[direction].line_place;
	return direction < change->sides ? change->side[direction].count : 0;
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
	for (unsigned d = 0; d < change->sides; d++) {
		struct wt_path_side *side = &change->side[d];

		for (unsigned i = 0; i < side->plan.count; i++)
			if (side->fresh[i])
				side->fresh[i]->ops->destroy(side->fresh[i]);
		for (unsigned i = 0; i < side->coming && !in_graph; i++)
			side->come[i]->ops->destroy(side->come[i]);
	}
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
		wt_loss_change(node, now, &stage->loss);
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
	case WT_STAGE_DELAY:
		wt_delay_change(node, now, &stage->delay);
		break;
	default: /* a filter: its expression is exchanged */
		break;
	}
}

/* What it keeps goes to the drain that stands there from now on. */
static void let_go(struct wt_path *path, unsigned i, struct wt_node *drain, wt_time now)
{
	struct wt_frame_queue list = {0};

	if (path->place[i].kind == WT_STAGE_RATE)
		wt_rate_let_go(path->stage[i], now, &list);
	else if (path->place[i].kind == WT_STAGE_REORDER)
		wt_reorder_let_go(path->stage[i], now, &list);
	else if (path->place[i].kind == WT_STAGE_DELAY)
		wt_delay_let_go(path->stage[i], &list);
	else
		wt_drain_let_go(path->stage[i], &list);
	wt_drain_take(drain, &list);
}

/* It is silent about its states from now on, and follows no handoff. */
static void take_away(struct wt_path *path, unsigned i, wt_time now)
{
	struct wt_node *node = path->stage[i];
	struct wt_path_place *place = &path->place[i];
	struct wt_state state;

	if (place->kind == WT_STAGE_RATE)
		wt_rate_follow(node, now, NULL);
	else if (place->kind == WT_STAGE_DELAY)
		wt_delay_follow(node, now, NULL);
	else if (place->kind == WT_STAGE_LOSS)
		wt_loss_follow(node, now, NULL);
	if (node->states && node->ops->state)
		node->ops->state(node, now, &state); /* what was until now is told */
	place->states = node->states;
	node->states = NULL;
	place->gone = true;
}

static void take_away_rest(const struct wt_path_side *side, wt_time now)
{
	bool there[WT_PATH_NODES] = {false};

	for (unsigned i = 0; i < side->plan.count; i++)
		if (side->old[i] != WT_PATH_NEW)
			there[side->old[i]] = true;
	for (unsigned i = 0; i < side->path->count; i++)
		if (!there[i] && !side->path->place[i].gone)
			take_away(side->path, i, now);
}

/* A stage that is fresh, or was gone for a time. */
static void begin(const struct wt_path_side *side, unsigned i, wt_time now)
{
	struct wt_node *node = side->node[i];
	bool fresh = side->old[i] == WT_PATH_NEW;

	if (side->place[i].kind == WT_STAGE_HANDOFF)
		wt_handoff_restart(node, now);
	if (!fresh)
		node->states = side->path->place[side->old[i]].states;
	else if (side->place[i].kind == WT_STAGE_GILBERT)
		wt_gilbert_begin(node, now);
	else if (side->place[i].kind == WT_STAGE_MARKOV)
		wt_markov_loss_begin(node, now);
}

static void renew(const struct wt_path_side *side, unsigned i, wt_time now)
{
	struct wt_key key = wt_path_timeline(side->path, &side->place[i]);
	const struct wt_stage_plan *stage = &side->plan.stage[i];
	struct wt_gilbert_config gilbert = wt_path_gilbert(stage);

	if (stage->kind == WT_STAGE_GILBERT)
		wt_gilbert_renew(side->node[i], now, &key, &gilbert);
	else if (stage->kind == WT_STAGE_MARKOV)
		wt_markov_loss_renew(side->node[i], now, &key, &stage->chain);
}

static void set(const struct wt_path_side *side, unsigned i, wt_time now)
{
	bool begins = side->old[i] == WT_PATH_NEW || side->path->place[side->old[i]].gone;

	if (begins && side->place[i].kind == WT_STAGE_OUTAGE) /* it was nothing while it was gone, whatever was in its old words */
		wt_outage_begin(side->node[i], now);
	if (side->old[i] != WT_PATH_NEW)
		set_values(side->node[i], &side->plan.stage[i], now);
	if (begins)
		begin(side, i, now);
	if (side->renewed[i])
		renew(side, i, now);
	if (side->fresh[i])
		side->path->gates->exchange(side->node[i], side->fresh[i]);
}

/* The new line, and behind it what is in it no more. */
static void install(const struct wt_path_side *side)
{
	struct wt_path *path = side->path;
	unsigned all = path->count + path->spares, spares = 0;
	struct wt_node *spare[WT_PATH_NODES];
	struct wt_path_place place[WT_PATH_NODES];

	for (unsigned old = 0; old < all; old++) {
		bool in_line = false;

		for (unsigned i = 0; i < side->count && !in_line; i++)
			in_line = side->line[i] == path->stage[old];
		if (in_line)
			continue;
		spare[spares] = path->stage[old];
		place[spares++] = path->place[old];
	}
	memcpy(path->stage, side->line, side->count * sizeof(side->line[0]));
	memcpy(path->place, side->line_place, side->count * sizeof(side->line_place[0]));
	memcpy(path->stage + side->count, spare, spares * sizeof(spare[0]));
	memcpy(path->place + side->count, place, spares * sizeof(place[0]));
	path->count = side->count;
	path->spares = spares;
	path->histories = side->histories;
	path->contents += side->contents;
	path->whole = wt_path_takes_whole(&side->plan);
	memcpy(path->text, side->text, sizeof(path->text));
}

static void commit(struct wt_path_side *side, wt_time now, bool flush)
{
	struct wt_path *path = side->path;

	for (unsigned i = 0; flush && i < path->count; i++)
		if (path->place[i].kind == WT_STAGE_RATE)
			wt_rate_flush(path->stage[i], now);
	for (unsigned i = path->count; i-- > 0;) /* the oldest frames first */
		if (side->drain[i])
			let_go(path, i, side->drain[i], now);
	take_away_rest(side, now);
	/* the cells first: what a stage does at `now` depends on them */
	for (unsigned i = 0; i < side->plan.count; i++)
		if (side->place[i].kind == WT_STAGE_HANDOFF)
			set(side, i, now);
	wt_path_follow(&side->plan, side->node, now);
	for (unsigned i = 0; i < side->plan.count; i++)
		if (side->place[i].kind != WT_STAGE_HANDOFF)
			set(side, i, now);
	install(side);
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
