/* SPDX-License-Identifier: BSD-2-Clause */
/* From the words of a path to its stages. */
#include "emu/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu/stages/handoff.h"
#include "emu/path_parts.h"
#include "emu/stages/refuser.h"

/* One for both directions: handoffs are atomic. */
static const char handoff_stream[] = "shared.handoff";

const char *wt_path_place_name(const struct wt_path_place *place, char name[WT_PATH_NAME])
{
	if (place->which == 1)
		snprintf(name, WT_PATH_NAME, "%s", wt_stage_names[place->kind]);
	else
		snprintf(name, WT_PATH_NAME, "%s.%u", wt_stage_names[place->kind], place->which);
	return name;
}

const char *wt_path_stage_name(const struct wt_path *path, unsigned i, char name[WT_PATH_NAME])
{
	return wt_path_place_name(&path->place[i], name);
}


/* A share that is met twice in a row. */
double wt_path_share(const struct wt_stage_plan *stage, double share)
{
	return stage->twice ? share * (2 - share) : share;
}

struct wt_gilbert_config wt_path_gilbert(const struct wt_stage_plan *stage)
{
	struct wt_gilbert_config gilbert = stage->gilbert;

	for (unsigned i = 0; i < 2; i++)
		gilbert.drop[i] = wt_path_share(stage, gilbert.drop[i]);
	return gilbert;
}

/* "fwd.loss", and the second of its kind "fwd.loss.2". */
static void full_name(char name[24], const struct wt_path *path, const struct wt_path_place *place)
{
	if (place->which == 1)
		snprintf(name, 24, "%s.%s", path->direction, wt_stage_names[place->kind]);
	else
		snprintf(name, 24, "%s.%s.%u", path->direction, wt_stage_names[place->kind], place->which);
}

/* Shared histories are named without the direction, so that the n-th shared chain of one direction is the n-th of the other. */
struct wt_key wt_path_timeline(const struct wt_path *path, const struct wt_path_place *place)
{
	char name[24], stream[48];

	full_name(name, path, place);
	if (place->shared)
		snprintf(stream, sizeof(stream), "shared.%s.%u.timeline", wt_stage_names[place->kind], place->history);
	else if (place->history)
		snprintf(stream, sizeof(stream), "%s.timeline.%u", name, place->history);
	else
		snprintf(stream, sizeof(stream), "%s.timeline", name);
	return wt_key_derive(path->seed, stream);
}

struct wt_node *wt_path_build_drain(const struct wt_path *path, const struct wt_path_place *place)
{
	char name[24];

	full_name(name, path, place);
	return wt_drain_create(name);
}

int wt_path_build_gate(const struct wt_path *path, const struct wt_path_place *place, const char *expression, struct wt_node **node,
		       char *err, size_t err_len)
{
	char name[24];

	if (!path->gates) {
		snprintf(err, err_len, "\"only (%.40s)\": filters are not supported here", expression);
		return -EINVAL;
	}
	full_name(name, path, place);
	if (place->kind == WT_STAGE_FILTER)
		return path->gates->filter(node, name, expression, err, err_len);
	*node = path->gates->merge(name);
	return *node ? 0 : -ENOMEM;
}

static struct wt_node *build(const struct wt_path *path, const struct wt_stage_plan *stage, const struct wt_path_place *place)
{
	uint64_t seed = path->seed;
	struct wt_gilbert_config gilbert;
	struct wt_key key, timeline = wt_path_timeline(path, place), clock;
	char name[24];

	full_name(name, path, place);
	key = wt_key_derive(seed, name);
	switch (stage->kind) {
	case WT_STAGE_RATE:
		return wt_rate_create(name, &key, &stage->rate);
	case WT_STAGE_OUTAGE:
		return wt_outage_create(name, &key, stage->outages, stage->outage_count);
	case WT_STAGE_LOSS:
		return wt_loss_create(name, &key, &stage->loss);
	case WT_STAGE_GILBERT:
		gilbert = wt_path_gilbert(stage);
		return wt_gilbert_create(name, &key, &timeline, &gilbert);
	case WT_STAGE_MARKOV:
		return wt_markov_loss_create(name, &key, &timeline, &stage->chain);
	case WT_STAGE_ELLIOTT:
		return wt_elliott_create(name, &key, &timeline, &stage->elliott);
	case WT_STAGE_LIST:
		return wt_list_create(name, &stage->list);
	case WT_STAGE_DUPLICATE:
		return wt_duplicate_create(name, &key, stage->share);
	case WT_STAGE_REORDER:
		return wt_reorder_create(name, &key, stage->share, stage->held);
	case WT_STAGE_HOPS:
		return wt_hops_create(name, &stage->hops);
	case WT_STAGE_MTU:
		return wt_mtu_create(name, &stage->mtu);
	case WT_STAGE_HANDOFF:
		clock = wt_key_derive(seed, handoff_stream);
		return wt_handoff_create(name, &key, &clock, &stage->handoff);
	case WT_STAGE_CORRUPT:
		return wt_corrupt_create(name, &key, &timeline, &stage->corrupt);
	default:
		return wt_delay_create(name, &key, &stage->delay);
	}
}

static void limit_answers(struct wt_node *node, enum wt_stage_kind kind, const struct wt_refusal_rate *rate)
{
	if (node && (kind == WT_STAGE_HOPS || kind == WT_STAGE_MTU || kind == WT_STAGE_OUTAGE))
		((struct wt_refuser *)node)->limit.rate = *rate;
}

void wt_path_limit_answers(struct wt_path *path, const struct wt_refusal_rate *rate)
{
	path->answers = *rate;
	for (unsigned i = 0; i < path->count + path->spares; i++)
		limit_answers(path->stage[i], path->place[i].kind, rate);
}

void wt_path_fix(struct wt_path *path)
{
	for (unsigned i = 0; i < path->count; i++)
		if (path->place[i].kind == WT_STAGE_DELAY)
			wt_delay_fix(path->stage[i]);
}

struct wt_node *wt_path_build(const struct wt_path *path, const struct wt_stage_plan *stage, const struct wt_path_place *place)
{
	struct wt_node *node = build(path, stage, place);

	limit_answers(node, stage->kind, &path->answers);
	return node;
}

static const struct wt_handoff_config *handoff_of(const struct wt_path_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->stage[i].kind == WT_STAGE_HANDOFF)
			return &plan->stage[i].handoff;
	return NULL;
}

void wt_path_follow(const struct wt_path_plan *plan, struct wt_node *const *node, wt_time now)
{
	const struct wt_handoff_clock *clock = NULL;

	for (unsigned i = 0; i < plan->count; i++)
		if (plan->stage[i].kind == WT_STAGE_HANDOFF)
			clock = wt_handoff_clock_of(node[i]);
	for (unsigned i = 0; i < plan->count; i++) {
		if (plan->stage[i].kind == WT_STAGE_DELAY)
			wt_delay_follow(node[i], now, clock);
		else if (plan->stage[i].kind == WT_STAGE_RATE)
			wt_rate_follow(node[i], now, clock);
		else if (plan->stage[i].kind == WT_STAGE_LOSS)
			wt_loss_follow(node[i], now, clock);
	}
}

/* Does it treat what is sent in one piece as one? A delay does, unless each packet draws a part of its own. */
static bool takes_whole(const struct wt_stage_plan *stage)
{
	return stage->kind == WT_STAGE_MERGE || (stage->kind == WT_STAGE_DELAY && stage->delay.jitter == WT_JITTER_NONE);
}

void wt_path_places(const struct wt_path_plan *plan, struct wt_path_place place[WT_PATH_PLACES])
{
	uint8_t kinds[WT_STAGE_KINDS] = {0};
	uint32_t shared = 0;

	for (unsigned i = 0; i < plan->count; i++) {
		const struct wt_stage_plan *stage = &plan->stage[i];

		place[i] = (struct wt_path_place){.kind = (uint8_t)stage->kind, .which = ++kinds[stage->kind], .shared = stage->shared,
						  .whole = takes_whole(stage)};
		if (stage->shared)
			place[i].history = ++shared;
	}
}

bool wt_path_takes_whole(const struct wt_path_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (!takes_whole(&plan->stage[i]))
			return false;
	return true;
}

static int build_all(struct wt_path *path, const struct wt_path_plan *plan, const char *direction, uint64_t seed,
		     const struct wt_path_gates *gates, char *err, size_t err_len)
{
	int error = 0;

	snprintf(path->direction, sizeof(path->direction), "%s", direction);
	path->seed = seed;
	path->gates = gates;
	path->spares = path->histories = path->contents = 0;
	wt_path_places(plan, path->place);
	for (unsigned i = 0; i < plan->count && !error; i++) {
		const struct wt_path_place *place = &path->place[i];

		if (place->kind >= WT_STAGE_FILTER)
			error = wt_path_build_gate(path, place, plan->stage[i].expression, &path->stage[i], err, err_len);
		else
			error = (path->stage[i] = wt_path_build(path, &plan->stage[i], place)) ? 0 : -ENOMEM;
		path->count += !error;
		path->histories += place->shared;
	}
	if (error) {
		if (error == -ENOMEM)
			snprintf(err, err_len, "out of memory");
		wt_path_finish(path);
		return error;
	}
	wt_path_follow(plan, path->stage, 0);
	path->whole = wt_path_takes_whole(plan);
	return 0;
}

struct wt_samples *wt_path_samples(const struct wt_path *path, unsigned i, unsigned which)
{
	if (which)
		return path->place[i].kind == WT_STAGE_DELAY ? wt_delay_trace(path->stage[i]) : NULL;
	switch (path->place[i].kind) {
	case WT_STAGE_LOSS:
		return wt_loss_trace(path->stage[i]);
	case WT_STAGE_RATE:
		return wt_rate_trace(path->stage[i]);
	case WT_STAGE_LIST:
		return wt_list_trace(path->stage[i]);
	case WT_STAGE_DELAY:
		return wt_delay_samples(path->stage[i]);
	default:
		return NULL;
	}
}

struct wt_samples *wt_path_find_samples(const struct wt_path *path, const char *name, enum wt_samples_kind kind)
{
	for (unsigned i = 0; i < 2 * path->count; i++) {
		struct wt_samples *samples = wt_path_samples(path, i / 2, i % 2);

		if (samples && samples->kind == kind && !strcmp(samples->name, name))
			return samples;
	}
	return NULL;
}

int wt_path_read(struct wt_path_plan *plan, char text[WT_PATH_TEXT], const char *words, const struct wt_path_files *files, char *err,
		 size_t err_len)
{
	int error = wt_path_parse(plan, words, files, err, err_len);

	if (error)
		return error;
	if (!wt_path_format(plan, text, WT_PATH_TEXT)) {
		wt_path_plan_finish(plan);
		snprintf(err, err_len, "the path is too long: its normal form has more than %d characters", WT_PATH_TEXT - 1);
		return -EINVAL;
	}
	return 0;
}

static int plan_path(struct wt_path *path, struct wt_path_plan *plan, const char *words, struct wt_samples_cache *cache, char *err,
		     size_t err_len)
{
	const struct wt_path_files files = {.cache = cache};

	path->cache = cache;
	path->count = path->spares = 0;
	path->answers = (struct wt_refusal_rate){0};
	path->text[0] = 0;
	return wt_path_read(plan, path->text, words, &files, err, err_len);
}

int wt_path_init(struct wt_path *path, const char *words, const char *direction, uint64_t seed, char *err, size_t err_len)
{
	struct wt_path_plan plan;
	int error = plan_path(path, &plan, words, NULL, err, err_len);

	if (error)
		return error;
	if (strlen(direction) >= sizeof(path->direction)) {
		snprintf(err, err_len, "the name of a direction has at most %zu characters: \"%.40s\"",
			 sizeof(path->direction) - 1, direction);
		error = -EINVAL;
	} else {
		error = build_all(path, &plan, direction, seed, NULL, err, err_len);
	}
	wt_path_plan_finish(&plan);
	return error;
}

void wt_path_finish(struct wt_path *path)
{
	for (unsigned i = 0; i < path->count + path->spares; i++)
		path->stage[i]->ops->destroy(path->stage[i]);
	path->count = path->spares = 0;
}

uint64_t wt_path_sent_back(const struct wt_path *path)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < path->count + path->spares; i++)
		sum += ((const struct wt_stage *)path->stage[i])->back;
	return sum;
}

/* The n-th (from 0) shared stage of a plan, or NULL. */
static const struct wt_stage_plan *shared_stage(const struct wt_path_plan *plan, unsigned n)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->stage[i].shared && n-- == 0)
			return &plan->stage[i];
	return NULL;
}

/* Do two stages follow one history? Their drop shares may differ. */
static bool one_history(const struct wt_stage_plan *a, const struct wt_stage_plan *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == WT_STAGE_GILBERT)
		return a->gilbert.mean[0] == b->gilbert.mean[0] && a->gilbert.mean[1] == b->gilbert.mean[1] &&
		       a->gilbert.start == b->gilbert.start;
	return a->chain.states == b->chain.states && a->chain.start == b->chain.start &&
	       !memcmp(a->chain.mean, b->chain.mean, sizeof(a->chain.mean)) && !memcmp(a->chain.to, b->chain.to, sizeof(a->chain.to));
}

static int check_handoffs(const struct wt_path_plan *fwd, const struct wt_path_plan *rev, char *err, size_t err_len)
{
	const struct wt_handoff_config *a = handoff_of(fwd), *b = handoff_of(rev);

	if ((!a && !b) || (a && b && wt_handoff_one_timing(a, b)))
		return 0;
	snprintf(err, err_len, "a handoff happens in both directions at once: \"handoff\" must stand in fwd and rev, with the same "
		 "times and as many cells");
	return -EINVAL;
}

static int check_shared(const struct wt_path_plan *fwd, const struct wt_path_plan *rev, char *err, size_t err_len)
{
	for (unsigned n = 0;; n++) {
		const struct wt_stage_plan *a = shared_stage(fwd, n), *b = shared_stage(rev, n);

		if (!a && !b)
			return 0;
		if (!a || !b) {
			snprintf(err, err_len, "%s: \"loss %s ... shared\" needs its partner in %s", a ? "fwd" : "rev",
				 wt_stage_names[(a ? a : b)->kind], a ? "rev" : "fwd");
			return -EINVAL;
		}
		if (!one_history(a, b)) {
			snprintf(err, err_len,
				 "rev: \"loss %s ... shared\" must have the sojourns%s and the start of its partner in fwd; only "
				 "the drop shares may differ",
				 wt_stage_names[b->kind], b->kind == WT_STAGE_GILBERT ? "" : ", the jumps");
			return -EINVAL;
		}
	}
}

int wt_path_check_pair(const struct wt_path_plan *fwd, const struct wt_path_plan *rev, char *err, size_t err_len)
{
	int error = check_shared(fwd, rev, err, err_len);

	return error ? error : check_handoffs(fwd, rev, err, err_len);
}

static int build_pair(struct wt_path *fwd, struct wt_path_plan *fwd_plan, struct wt_path *rev, struct wt_path_plan *rev_plan,
		      uint64_t seed, const struct wt_path_gates *gates, char *err, size_t err_len)
{
	char why[300];
	int error = wt_path_check_pair(fwd_plan, rev_plan, err, err_len);

	if (error)
		return error;
	error = build_all(fwd, fwd_plan, "fwd", seed, gates, why, sizeof(why));
	if (error) {
		snprintf(err, err_len, "fwd: %s", why);
		return error;
	}
	error = build_all(rev, rev_plan, "rev", seed, gates, why, sizeof(why));
	if (error) {
		wt_path_finish(fwd);
		snprintf(err, err_len, "rev: %s", why);
	}
	return error;
}

int wt_path_init_filtered(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words, uint64_t seed,
			  const struct wt_path_gates *gates, struct wt_samples_cache *cache, char *err, size_t err_len)
{
	struct wt_path_plan fwd_plan, rev_plan;
	char why[300];
	int error = plan_path(fwd, &fwd_plan, fwd_words, cache, why, sizeof(why));

	if (error) {
		snprintf(err, err_len, "fwd: %s", why);
		return error;
	}
	error = plan_path(rev, &rev_plan, rev_words, cache, why, sizeof(why));
	if (error) {
		snprintf(err, err_len, "rev: %s", why);
	} else {
		error = build_pair(fwd, &fwd_plan, rev, &rev_plan, seed, gates, err, err_len);
		wt_path_plan_finish(&rev_plan);
	}
	wt_path_plan_finish(&fwd_plan);
	return error;
}

int wt_path_init_pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words, uint64_t seed, char *err,
		      size_t err_len)
{
	return wt_path_init_filtered(fwd, fwd_words, rev, rev_words, seed, NULL, NULL, err, err_len);
}
