/* SPDX-License-Identifier: BSD-2-Clause */
/* From the words of a path to its stages. */
#include "emu/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu/words.h"

#define DIRECTION_MAX 8

/* One for both directions: handoffs are atomic. */
static const char handoff_stream[] = "shared.handoff";

static const char *const kind_names[WT_STAGE_KINDS] = {
	[WT_STAGE_MTU] = "mtu",
	[WT_STAGE_RATE] = "rate",
	[WT_STAGE_OUTAGE] = "outage",
	[WT_STAGE_HANDOFF] = "handoff",
	[WT_STAGE_LOSS] = "loss",
	[WT_STAGE_GILBERT] = "gilbert",
	[WT_STAGE_MARKOV] = "markov",
	[WT_STAGE_ELLIOTT] = "elliott",
	[WT_STAGE_LIST] = "list",
	[WT_STAGE_CORRUPT] = "corrupt",
	[WT_STAGE_DUPLICATE] = "duplicate",
	[WT_STAGE_REORDER] = "reorder",
	[WT_STAGE_DELAY] = "delay",
};

/* "fwd.loss", and the second of its kind "fwd.loss.2". */
static void stage_name(char name[24], const char *direction, enum wt_stage_kind kind, unsigned which)
{
	if (which == 1)
		snprintf(name, 24, "%s.%s", direction, kind_names[kind]);
	else
		snprintf(name, 24, "%s.%s.%u", direction, kind_names[kind], which);
}

/*
 * The key of a chain's timeline. Shared timelines are named without the direction, so that the n-th shared chain of one
 * direction is the n-th of the other.
 */
static struct wt_key timeline_key(const char *name, enum wt_stage_kind kind, bool shared, unsigned which_shared, uint64_t seed)
{
	char stream[48];

	if (shared)
		snprintf(stream, sizeof(stream), "shared.%s.%u.timeline", kind_names[kind], which_shared);
	else
		snprintf(stream, sizeof(stream), "%s.timeline", name);
	return wt_key_derive(seed, stream);
}

/* A share that is met twice in a row. */
static double share_of(const struct wt_stage_plan *stage, double share)
{
	return stage->twice ? share * (2 - share) : share;
}

static struct wt_gilbert_config gilbert_of(const struct wt_stage_plan *stage)
{
	struct wt_gilbert_config gilbert = stage->gilbert;

	for (unsigned i = 0; i < 2; i++)
		gilbert.drop[i] = share_of(stage, gilbert.drop[i]);
	return gilbert;
}

static struct wt_node *build(const struct wt_stage_plan *stage, const char *name, unsigned which_shared, uint64_t seed)
{
	struct wt_key key = wt_key_derive(seed, name);
	struct wt_key timeline = timeline_key(name, stage->kind, stage->shared, which_shared, seed);
	struct wt_gilbert_config gilbert;
	struct wt_key clock;

	switch (stage->kind) {
	case WT_STAGE_RATE:
		return wt_rate_create(name, &key, &stage->rate);
	case WT_STAGE_OUTAGE:
		return wt_outage_create(name, &key, stage->outages, stage->outage_count);
	case WT_STAGE_LOSS:
		return wt_loss_create(name, &key, share_of(stage, stage->share));
	case WT_STAGE_GILBERT:
		gilbert = gilbert_of(stage);
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

static const struct wt_handoff_config *handoff_of(const struct wt_path_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->stage[i].kind == WT_STAGE_HANDOFF)
			return &plan->stage[i].handoff;
	return NULL;
}

/* The stages that a handoff changes learn of it; those it does not name are not slowed by it. */
static void follow(struct wt_path *path, const struct wt_path_plan *plan, wt_time now, uint64_t seed)
{
	struct wt_key clock = wt_key_derive(seed, handoff_stream);
	const struct wt_handoff_config *handoff = handoff_of(plan);

	for (unsigned i = 0; handoff && i < plan->count; i++) {
		if (plan->stage[i].kind == WT_STAGE_DELAY)
			wt_delay_follow(path->stage[i], now, &clock, handoff);
		else if (plan->stage[i].kind == WT_STAGE_RATE)
			wt_rate_follow(path->stage[i], now, &clock, handoff);
		else if (plan->stage[i].kind == WT_STAGE_LOSS)
			wt_loss_follow(path->stage[i], now, &clock, handoff);
	}
}

/* Does it treat what is sent in one piece as one? A delay does, unless each packet draws a part of its own. */
static bool takes_whole(const struct wt_path_plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->stage[i].kind != WT_STAGE_DELAY || plan->stage[i].delay.jitter != WT_JITTER_NONE)
			return false;
	return true;
}

static int build_all(struct wt_path *path, const struct wt_path_plan *plan, const char *direction, uint64_t seed)
{
	unsigned kinds[WT_STAGE_KINDS] = {0}, shared = 0;

	for (unsigned i = 0; i < plan->count; i++) {
		const struct wt_stage_plan *stage = &plan->stage[i];
		char name[24];

		stage_name(name, direction, stage->kind, ++kinds[stage->kind]);
		shared += stage->shared;
		path->stage[i] = build(stage, name, shared, seed);
		if (!path->stage[i]) {
			wt_path_finish(path);
			return -ENOMEM;
		}
		path->count++;
	}
	follow(path, plan, 0, seed);
	path->whole = takes_whole(plan);
	return 0;
}

static int read_words(struct wt_path_plan *plan, char text[WT_PATH_TEXT], const char *words, char *err, size_t err_len)
{
	int error = wt_path_parse(plan, words, err, err_len);

	if (error)
		return error;
	if (!wt_path_format(plan, text, WT_PATH_TEXT)) {
		wt_path_plan_finish(plan);
		snprintf(err, err_len, "the path is too long: its normal form has more than %d characters", WT_PATH_TEXT - 1);
		return -EINVAL;
	}
	return 0;
}

static int plan_path(struct wt_path *path, struct wt_path_plan *plan, const char *words, char *err, size_t err_len)
{
	path->count = 0;
	path->text[0] = 0;
	return read_words(plan, path->text, words, err, err_len);
}

int wt_path_init(struct wt_path *path, const char *words, const char *direction, uint64_t seed, char *err, size_t err_len)
{
	struct wt_path_plan plan;
	int error = plan_path(path, &plan, words, err, err_len);

	if (error)
		return error;
	if (strlen(direction) > DIRECTION_MAX) {
		snprintf(err, err_len, "the name of a direction has at most %d characters: \"%.40s\"", DIRECTION_MAX, direction);
		error = -EINVAL;
	} else {
		error = build_all(path, &plan, direction, seed);
	}
	wt_path_plan_finish(&plan);
	return error;
}

void wt_path_finish(struct wt_path *path)
{
	while (path->count) {
		struct wt_node *node = path->stage[--path->count];

		node->ops->destroy(node);
	}
}

uint64_t wt_path_sent_back(const struct wt_path *path)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < path->count; i++)
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

static bool one_timing(const struct wt_handoff_config *a, const struct wt_handoff_config *b)
{
	return a->random == b->random && a->at == b->at && a->every == b->every && a->length == b->length && a->cells == b->cells;
}

static int check_handoffs(const struct wt_path_plan *fwd, const struct wt_path_plan *rev, char *err, size_t err_len)
{
	const struct wt_handoff_config *a = handoff_of(fwd), *b = handoff_of(rev);

	if ((!a && !b) || (a && b && one_timing(a, b)))
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
				 kind_names[(a ? a : b)->kind], a ? "rev" : "fwd");
			return -EINVAL;
		}
		if (!one_history(a, b)) {
			snprintf(err, err_len,
				 "rev: \"loss %s ... shared\" must have the sojourns%s and the start of its partner in fwd; only "
				 "the drop shares may differ",
				 kind_names[b->kind], b->kind == WT_STAGE_GILBERT ? "" : ", the jumps");
			return -EINVAL;
		}
	}
}

static int build_pair(struct wt_path *fwd, struct wt_path_plan *fwd_plan, struct wt_path *rev, struct wt_path_plan *rev_plan,
		      uint64_t seed, char *err, size_t err_len)
{
	int error = check_shared(fwd_plan, rev_plan, err, err_len);

	if (!error)
		error = check_handoffs(fwd_plan, rev_plan, err, err_len);
	if (error)
		return error;
	error = build_all(fwd, fwd_plan, "fwd", seed);
	if (!error)
		error = build_all(rev, rev_plan, "rev", seed);
	if (error) {
		wt_path_finish(fwd);
		snprintf(err, err_len, "out of memory");
	}
	return error;
}

int wt_path_init_pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words,
		      uint64_t seed, char *err, size_t err_len)
{
	struct wt_path_plan fwd_plan, rev_plan;
	char why[300];
	int error = plan_path(fwd, &fwd_plan, fwd_words, why, sizeof(why));

	if (error) {
		snprintf(err, err_len, "fwd: %s", why);
		return error;
	}
	error = plan_path(rev, &rev_plan, rev_words, why, sizeof(why));
	if (error) {
		snprintf(err, err_len, "rev: %s", why);
	} else {
		error = build_pair(fwd, &fwd_plan, rev, &rev_plan, seed, err, err_len);
		wt_path_plan_finish(&rev_plan);
	}
	wt_path_plan_finish(&fwd_plan);
	return error;
}

/* ---- changes while it runs ------------------------------------------------------------------------------- */

static void change(struct wt_node *node, const struct wt_stage_plan *stage, wt_time now)
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
		wt_loss_change(node, now, share_of(stage, stage->share));
		break;
	case WT_STAGE_GILBERT:
		gilbert = gilbert_of(stage);
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

/* New words of one direction, understood but not yet in force. */
struct change {
	struct wt_path_plan plan;
	char text[WT_PATH_TEXT];
};

/* What cannot be changed of a stage: a sentence, or NULL. */
static const char *cannot(const struct wt_stage_plan *old, const struct wt_stage_plan *new)
{
	if (old->kind != new->kind || old->group != new->group)
		return "a change keeps the stages of a path";
	if (old->kind == WT_STAGE_MARKOV && old->chain.states != new->chain.states)
		return "a change keeps the number of states of a chain";
	if (old->kind == WT_STAGE_HANDOFF && !one_timing(&old->handoff, &new->handoff))
		return "a change keeps the times of handoffs and the number of cells";
	if (old->kind != WT_STAGE_RATE)
		return NULL;
	if (!old->rate.trace != !new->rate.trace)
		return "a rate cannot become a trace, nor a trace a rate";
	if (old->rate.queue.kind != new->rate.queue.kind || old->rate.queue.flows != new->rate.queue.flows)
		return "a change keeps the kind of a queue and its number of flows";
	return NULL;
}

static int compare(const struct wt_path_plan *old, const struct wt_path_plan *new, const struct wt_path *path, char *err,
		   size_t err_len)
{
	const char *why = old->count == new->count ? NULL : "a change keeps the stages of a path";

	for (unsigned i = 0; !why && i < old->count; i++)
		why = cannot(&old->stage[i], &new->stage[i]);
	if (!why)
		return 0;
	snprintf(err, err_len, "%s; this one is \"%.150s\"", why, path->text);
	return -EINVAL;
}

/* Reads the new words and compares them with the old ones. `single`: the other direction stays as it is. */
static int prepare(struct change *change, const struct wt_path *path, const char *words, bool single, char *err, size_t err_len)
{
	struct change old;
	int error = read_words(&change->plan, change->text, words, err, err_len);

	if (error)
		return error;
	error = read_words(&old.plan, old.text, path->text, err, err_len);
	if (!error) {
		error = compare(&old.plan, &change->plan, path, err, err_len);
		if (!error && single && check_shared(&old.plan, &change->plan, NULL, 0)) {
			snprintf(err, err_len, "what is shared with the other direction can only be changed in both");
			error = -EINVAL;
		}
		wt_path_plan_finish(&old.plan);
	}
	if (error)
		wt_path_plan_finish(&change->plan);
	return error;
}

static void commit(const struct change *changed, struct wt_path *path, wt_time now)
{
	/* the cells first: what a stage does at `now` depends on them */
	follow(path, &changed->plan, now, 0); /* the clocks run already: the seed is not asked for */
	for (unsigned i = 0; i < path->count; i++)
		change(path->stage[i], &changed->plan.stage[i], now);
	memcpy(path->text, changed->text, sizeof(path->text));
	path->whole = takes_whole(&changed->plan);
}

int wt_path_change(struct wt_path *path, const char *words, wt_time now, char *err, size_t err_len)
{
	struct change changed;
	int error = prepare(&changed, path, words, true, err, err_len);

	if (error)
		return error;
	commit(&changed, path, now);
	wt_path_plan_finish(&changed.plan);
	return 0;
}

int wt_path_change_pair(struct wt_path *fwd, const char *fwd_words, struct wt_path *rev, const char *rev_words, wt_time now,
			char *err, size_t err_len)
{
	struct change changed[2];
	char why[300];
	int error = prepare(&changed[0], fwd, fwd_words ? fwd_words : fwd->text, false, why, sizeof(why));

	if (error) {
		snprintf(err, err_len, "fwd: %s", why);
		return error;
	}
	error = prepare(&changed[1], rev, rev_words ? rev_words : rev->text, false, why, sizeof(why));
	if (error) {
		snprintf(err, err_len, "rev: %s", why);
	} else {
		error = check_shared(&changed[0].plan, &changed[1].plan, err, err_len);
		if (!error) {
			commit(&changed[0], fwd, now);
			commit(&changed[1], rev, now);
		}
		wt_path_plan_finish(&changed[1].plan);
	}
	wt_path_plan_finish(&changed[0].plan);
	return error;
}
