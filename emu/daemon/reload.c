/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes from outside while it runs: by the control socket, and by the file that is read again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "emu/daemon/daemon.h"
#include "stack/text/params.h"

/* New words for each link, by its index; NULL: as they are. */
struct change {
	const char *words[WT_PLAN_LINKS][2];
	bool flush; /* what waits in front of rates */
	bool whole; /* a link that has these words already is not told of */
	unsigned changed; /* links, filled in */
};

static const char *link_at(const void *ctx, size_t i)
{
	const struct wt_plan *plan = ctx;

	return i < plan->links ? plan->link[i].name : NULL;
}

/* A link of that name there is none: the nearest, and all. */
static int no_link(const struct wt_plan *plan, const char *name, char *err, size_t err_len)
{
	const char *nearest = wt_nearest_word(name, link_at, plan);
	char list[WT_PLAN_LINKS * (WT_SPAN_NAME + 1) + 1] = "";

	for (unsigned i = 0, at = 0; i < plan->links; i++)
		at += (unsigned)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "", plan->link[i].name);
	snprintf(err, err_len, "no link '%s'; %s%s%sthere %s: %s", name, nearest ? "did you mean '" : "", nearest ? nearest : "",
		 nearest ? "'? " : "", plan->links > 1 ? "are" : "is", list);
	return -EINVAL;
}

/* "fwd", "bott.both": which link, and which directions as bits. */
static int find_target(const struct wt_daemon *daemon, const char *target, unsigned *link, unsigned *directions, char *err, size_t err_len)
{
	const struct wt_plan *plan = &daemon->plan;
	const char *dot = strchr(target, '.'), *direction = dot ? dot + 1 : target;
	char name[41];
	int found = 0;

	snprintf(name, sizeof(name), "%.*s", dot ? (int)(dot - target) : 0, target);
	if (dot)
		found = wt_plan_find_link(plan, name);
	if (found < 0)
		return no_link(plan, name, err, err_len);
	*directions = !strcmp(direction, "fwd") ? 1 : !strcmp(direction, "rev") ? 2 : !strcmp(direction, "both") ? 3 : 0;
	if (!*directions || (!dot && plan->links > 1)) {
		const char *of = plan->links > 1 ? plan->link[0].name : "", *mark = plan->links > 1 ? "." : "";

		snprintf(err, err_len, "'%.40s' is no target: expected fwd, rev or both%s, such as %s%sfwd", target,
			 plan->links > 1 ? " of a link" : "", of, mark);
		return -EINVAL;
	}
	*link = (unsigned)found;
	return 0;
}

/* Tells of it, too, unless it came with all links of a file and is none. */
static void commit(struct wt_daemon *daemon, struct wt_span *link, struct wt_span_change *prepared, struct change *change, const char *by,
		   wt_time now)
{
	char *before[2] = {strdup(link->leg[0].path.text), strdup(link->leg[1].path.text)};
	uint32_t contents[2] = {link->leg[0].path.contents, link->leg[1].path.contents};
	bool changed = change->flush || !change->whole;

	wt_span_commit(prepared, now, change->flush);
	for (unsigned d = 0; d < 2; d++) {
		changed |= !before[d] || strcmp(before[d], link->leg[d].path.text) || contents[d] != link->leg[d].path.contents;
		free(before[d]);
	}
	change->changed += changed;
	if (changed)
		wt_daemon_note(daemon, now, "emulation:path_changed", "link", link->name, "fwd", link->leg[0].path.text, "rev",
			       link->leg[1].path.text, "queue", change->flush ? "flush" : "keep", "by", by, NULL);
}

/* Everything is tried before anything is done. */
static int apply(struct wt_daemon *daemon, struct change *change, const char *by, wt_time *now, char *err, size_t err_len)
{
	struct wt_span_change *prepared[WT_PLAN_LINKS] = {NULL};
	struct wt_net *net = &daemon->net;
	int error = 0;

	*now = wt_rloop_catch_up(daemon->rloop);
	for (unsigned i = 0; i < daemon->plan.links && !error; i++) {
		if (!change->words[i][0] && !change->words[i][1])
			continue;
		prepared[i] = wt_span_prepare(&net->link[i], change->words[i], err, err_len);
		error = prepared[i] ? 0 : -EINVAL;
	}
	for (unsigned i = 0; i < daemon->plan.links && !error; i++)
		error = prepared[i] ? wt_span_admit(prepared[i], err, err_len) : 0;
	for (unsigned i = 0; i < daemon->plan.links; i++) {
		if (!prepared[i] || error)
			wt_span_cancel(prepared[i]);
		else
			commit(daemon, &net->link[i], prepared[i], change, by, *now);
	}
	wt_daemon_changed(daemon);
	/* only now, with all links changed, is any of them looked at again */
	for (unsigned i = 0; i < daemon->plan.links && !error; i++)
		if (prepared[i])
			wt_span_touch(&net->link[i]);
	wt_rloop_kick(daemon->rloop);
	return error;
}

/* What may not be read might be for whoever we were at the start: a sentence that says so, of whatever file, says who we are now. */
static int who_reads(const struct wt_daemon *daemon, int error, char *err, size_t err_len)
{
	const struct wt_identity *identity = &daemon->plan.identity;
	size_t len = strlen(err);

	if (error && identity->changes && identity->uid == daemon->uid && strstr(err, strerror(EACCES)))
		snprintf(err + len, err_len - len, " (the emulator is user %u now: --user)", (unsigned)daemon->uid);
	return error;
}

int wt_daemon_set(struct wt_daemon *daemon, bool flush, char **words, wt_time *now, char *err, size_t err_len)
{
	struct change change = {.flush = flush};
	int error;

	if (!words[0]) {
		snprintf(err, err_len, "a target and its words are needed, such as fwd 'delay 30ms'");
		return -EINVAL;
	}
	for (unsigned i = 0; words[i]; i += 2) {
		unsigned link, directions;

		error = find_target(daemon, words[i], &link, &directions, err, err_len);
		if (error)
			return error;
		if (!words[i + 1]) {
			snprintf(err, err_len, "words must follow the target '%.40s'", words[i]);
			return -EINVAL;
		}
		for (unsigned d = 0; d < 2; d++) {
			if (!(directions & 1u << d))
				continue;
			if (change.words[link][d]) {
				snprintf(err, err_len, "'%.40s': one direction is given words twice", words[i]);
				return -EINVAL;
			}
			change.words[link][d] = words[i + 1];
		}
	}
	return who_reads(daemon, apply(daemon, &change, "control", now, err, err_len), err, err_len);
}

/* ---- the file, again --------------------------------------------------------------------------------------- */

/* The line of the new file, 0: of it as a whole. */
static int same(bool is, const struct wt_plan *new, unsigned line, const char *what, char *err, size_t err_len)
{
	char where[20] = "";

	if (is)
		return 0;
	if (line)
		snprintf(where, sizeof(where), "%u: ", line);
	snprintf(err, err_len, "%s:%s%s cannot change while it runs; stop it and start it again", new->file, line ? where : " ", what);
	return -EINVAL;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static int compare(const struct wt_plan *old, const struct wt_plan *new, char *err, size_t err_len)
{
	int error = same(old->ports == new->ports && old->routers == new->routers && old->links == new->links, new, 0,
			 "the number of ports, routers and links", err, err_len);

	for (unsigned i = 0; i < WT_PLAN_KEYS && !error; i++)
		error = same(same_text(old->said[i], new->said[i]), new, 0, wt_plan_key[i], err, err_len);
	for (unsigned i = 0; i < old->ports && !error; i++)
		error = same(!strcmp(old->port[i].name, new->port[i].name) && !strcmp(old->port[i].text, new->port[i].text) &&
			     !memcmp(old->port[i].gateway, new->port[i].gateway, sizeof(old->port[i].gateway)) &&
				     !memcmp(old->port[i].prefix, new->port[i].prefix, sizeof(old->port[i].prefix)),
			     new, new->port[i].line, "ports and gateways", err, err_len);
	for (unsigned i = 0; i < old->routers && !error; i++)
		error = same(!strcmp(old->router[i].name, new->router[i].name) &&
			     !memcmp(old->router[i].address, new->router[i].address, sizeof(old->router[i].address)),
			     new, new->router[i].line, "routers", err, err_len);
	for (unsigned i = 0; i < old->links && !error; i++)
		error = same(!strcmp(old->link[i].name, new->link[i].name) &&
			     !memcmp(old->link[i].end, new->link[i].end, sizeof(old->link[i].end)),
			     new, new->link[i].line, "what links join", err, err_len);
	return error;
}

/* The words a link has at `now` by its file: the first ones, and those of events up to then. */
static void words_at(const struct wt_plan *plan, wt_time now, struct change *change)
{
	for (unsigned i = 0; i < plan->links; i++)
		for (unsigned d = 0; d < 2; d++)
			change->words[i][d] = plan->link[i].words[d] ? plan->link[i].words[d] : "";
	for (unsigned i = 0; i < plan->events && plan->event[i].at < now; i++)
		for (unsigned d = 0; d < 2; d++)
			if (plan->event[i].words[d])
				change->words[plan->event[i].link][d] = plan->event[i].words[d];
}

/* The new plan brings its links and events; files, bounds and the rest stay as they were opened. */
static void exchange(struct wt_plan *old, struct wt_plan *new)
{
	unsigned events = old->events, most = events > new->events ? events : new->events;

	for (unsigned i = 0; i < old->links; i++) {
		struct wt_plan_link link = old->link[i];

		old->link[i] = new->link[i];
		new->link[i] = link;
	}
	for (unsigned i = 0; i < most; i++) {
		struct wt_plan_event event = old->event[i];

		old->event[i] = new->event[i];
		new->event[i] = event;
	}
	old->events = new->events;
	new->events = events;
}

/* Files that words name are read again, too. */
static void exchange_files(struct wt_plan *old, struct wt_plan *new)
{
	struct wt_samples_shelf shelf = *old->shelf; /* links know where it is */

	*old->shelf = *new->shelf;
	*new->shelf = shelf;
}

int wt_daemon_reload(struct wt_daemon *daemon, unsigned *changed, char *err, size_t err_len)
{
	struct wt_plan *new = malloc(sizeof(*new));
	struct change change = {.whole = true};
	struct stat facts;
	wt_time from = wt_rloop_catch_up(daemon->rloop), now;
	int error;

	if (!new) {
		snprintf(err, err_len, "out of memory");
		return -ENOMEM;
	}
	if (!stat(daemon->plan.file, &facts) && !S_ISREG(facts.st_mode)) { /* the frames would wait for whoever writes to a pipe */
		free(new);
		snprintf(err, err_len, "%s: only a regular file can be read again", daemon->plan.file);
		return -EINVAL;
	}
	wt_plan_init(new);
	new->cpu = daemon->plan.cpu; /* the command line may have said which, and the file what needs one */
	error = wt_plan_read(new, daemon->plan.file, err, err_len);
	if (!error)
		error = wt_plan_check(new, err, err_len);
	if (!error)
		error = compare(&daemon->plan, new, err, err_len);
	if (!error) {
		words_at(new, from, &change);
		exchange_files(&daemon->plan, new);
		error = apply(daemon, &change, "file", &now, err, err_len);
		if (error)
			exchange_files(&daemon->plan, new);
	}
	if (!error) {
		exchange(&daemon->plan, new);
		daemon->script.next = 0;
		while (daemon->script.next < daemon->plan.events && daemon->plan.event[daemon->script.next].at < from)
			daemon->script.next++;
		wt_graph_touch(daemon->net.graph, &daemon->script.node);
		wt_rloop_kick(daemon->rloop);
	}
	*changed = change.changed;
	wt_plan_finish(new);
	free(new);
	return who_reads(daemon, error, err, err_len);
}
