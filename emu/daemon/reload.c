/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes from outside while it runs: by the control socket, and by the file that is read again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "emu/daemon/daemon.h"
#include "emu/words/words.h"
#include "stack/text/params.h"

/* New words for each link, by its index; NULL: as they are. */
struct change {
	const char *(*words)[2];
	char *(*edited)[2]; /* the heap's: words of the path with other stages in them; `words` leads there */
	struct wt_link_change **prepared;
	char *gone;         /* room for the names of stages that the change takes away, between blanks; NULL: nobody asks */
	size_t gone_len;
	unsigned links;
	bool flush; /* what waits in front of rates */
	bool whole; /* a link that has these words already is not told of */
	unsigned changed; /* links, filled in */
};

static int change_init(struct change *change, unsigned links, char *err, size_t err_len)
{
	change->links = links;
	change->words = calloc(links, sizeof(*change->words));
	change->edited = calloc(links, sizeof(*change->edited));
	change->prepared = calloc(links, sizeof(*change->prepared));
	snprintf(err, err_len, "out of memory");
	return change->words && change->edited && change->prepared ? 0 : -ENOMEM;
}

static void change_finish(struct change *change)
{
	for (unsigned i = 0; i < change->links && change->edited; i++)
		for (unsigned d = 0; d < 2; d++)
			free(change->edited[i][d]);
	free(change->edited);
	free(change->words);
	free(change->prepared);
}

static const char *link_at(const void *ctx, size_t i)
{
	const struct wt_world *world = ctx;

	return i < world->links ? world->link[i].name : NULL;
}

/* A link of that name there is none: the nearest, and all. */
static int no_link(const struct wt_world *world, const char *name, char *err, size_t err_len)
{
	const char *nearest = wt_nearest_word(name, link_at, world);
	char list[300] = "";

	for (unsigned i = 0; i < world->links && strlen(list) + WT_WORLD_NAME + 2 < sizeof(list); i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "", world->link[i].name);
	snprintf(err, err_len, "no link '%s'; %s%s%sthere %s: %s", name, nearest ? "did you mean '" : "", nearest ? nearest : "",
		 nearest ? "'? " : "", world->links > 1 ? "are" : "is", list);
	return -EINVAL;
}

/* "fwd", "both.loss.2": directions as bits, and the stage, NULL: the whole path. 0: it begins with no direction. */
static unsigned read_direction(const char *text, const char **stage)
{
	static const char *const names[] = {"fwd", "rev", "both"};
	size_t len = strcspn(text, ".");

	*stage = text[len] ? text + len + 1 : NULL;
	for (unsigned i = 0; i < 3; i++)
		if (strlen(names[i]) == len && !strncmp(text, names[i], len))
			return i + 1;
	return 0;
}

/* "fwd", "bott.both", "bott.fwd.delay": which link, which directions as bits, and which stage. */
static int find_target(const struct wt_daemon *daemon, const char *target, unsigned *link, unsigned *directions, const char **stage, char *err,
		       size_t err_len)
{
	const struct wt_world *world = &daemon->world;
	bool bare = read_direction(target, stage);
	const char *dot = bare ? NULL : strchr(target, '.'), *direction = dot ? dot + 1 : target;
	char name[41];
	int found = 0;

	snprintf(name, sizeof(name), "%.*s", dot ? (int)(dot - target) : 0, target);
	if (dot)
		found = wt_world_find_link(world, name);
	if (found < 0)
		return no_link(world, name, err, err_len);
	*directions = read_direction(direction, stage);
	if (!*directions || (!dot && world->links > 1)) {
		const char *of = world->links > 1 ? world->link[0].name : "", *mark = world->links > 1 ? "." : "";

		snprintf(err, err_len, "'%.40s' is no target: expected fwd, rev or both%s, such as %s%sfwd", target,
			 world->links > 1 ? " of a link" : "", of, mark);
		return -EINVAL;
	}
	*link = (unsigned)found;
	return 0;
}

/* Adds the names of stages to a list, or takes away those that are still there: a set of names between blanks. */
static void name_stages(const struct wt_link *link, unsigned d, char *list, size_t len, bool still)
{
	const struct wt_path *path = &link->way[d].path;

	for (unsigned i = 0; i < path->count; i++) {
		char name[WT_PATH_NAME], word[80], *found;
		size_t n, at = strlen(list);

		if (path->place[i].gone || path->place[i].kind >= WT_STAGE_FILTER)
			continue;
		n = (size_t)snprintf(word, sizeof(word), " %s%s%s.%s", link->only ? "" : link->name, link->only ? "" : ".", d ? "rev" : "fwd",
				     wt_path_stage_name(path, i, name));
		if (!still) {
			snprintf(list + at, len - at, "%s", word);
			continue;
		}
		for (found = strstr(list, word); found && found[n] && found[n] != ' ';)
			found = strstr(found + 1, word);
		if (found)
			memmove(found, found + n, strlen(found + n) + 1);
	}
}

/* Tells of it, too, unless it came with all links of a file and is none. */
static void commit(struct wt_daemon *daemon, struct wt_link *link, struct wt_link_change *prepared, struct change *change, const char *by,
		   wt_time now)
{
	char *before[2] = {strdup(link->way[0].path.text), strdup(link->way[1].path.text)};
	uint32_t contents[2] = {link->way[0].path.contents, link->way[1].path.contents};
	bool changed = change->flush || !change->whole;

	for (unsigned d = 0; d < 2 && change->gone; d++)
		name_stages(link, d, change->gone, change->gone_len, false);
	wt_link_commit(prepared, now, change->flush);
	for (unsigned d = 0; d < 2; d++) {
		if (change->gone)
			name_stages(link, d, change->gone, change->gone_len, true);
		changed |= !before[d] || strcmp(before[d], link->way[d].path.text) || contents[d] != link->way[d].path.contents;
		free(before[d]);
	}
	change->changed += changed;
	if (changed)
		wt_daemon_note(daemon, now, "emulation:path_changed", "link", link->name, "fwd", link->way[0].path.text, "rev",
			       link->way[1].path.text, "queue", change->flush ? "flush" : "keep", "by", by, NULL);
}

/* Everything is tried before anything is done. */
static int apply(struct wt_daemon *daemon, struct change *change, const char *by, wt_time *now, char *err, size_t err_len)
{
	struct wt_link_change **prepared = change->prepared;
	struct wt_network *net = &daemon->net;
	int error = 0;

	*now = wt_rloop_catch_up(daemon->rloop);
	for (unsigned i = 0; i < daemon->world.links && !error; i++) {
		if (!change->words[i][0] && !change->words[i][1])
			continue;
		prepared[i] = wt_link_prepare(&net->link[i], change->words[i], err, err_len);
		error = prepared[i] ? 0 : -EINVAL;
	}
	for (unsigned i = 0; i < daemon->world.links && !error; i++)
		error = prepared[i] ? wt_link_admit(prepared[i], err, err_len) : 0;
	for (unsigned i = 0; i < daemon->world.links; i++) {
		if (!prepared[i] || error)
			wt_link_cancel(prepared[i]);
		else
			commit(daemon, &net->link[i], prepared[i], change, by, *now);
	}
	wt_daemon_changed(daemon);
	/* only now, with all links changed, is any of them looked at again */
	for (unsigned i = 0; i < daemon->world.links && !error; i++)
		if (prepared[i])
			wt_link_touch(&net->link[i]);
	wt_rloop_kick(daemon->rloop);
	return error;
}

/* What may not be read might be for whoever we were at the start: a sentence that says so, of whatever file, says who we are now. */
static int who_reads(const struct wt_daemon *daemon, int error, char *err, size_t err_len)
{
	const struct wt_identity *identity = &daemon->options.identity;
	size_t len = strlen(err);

	if (error && identity->changes && identity->uid == daemon->uid && strstr(err, strerror(EACCES)))
		snprintf(err + len, err_len - len, " (the emulator is user %u now: --user)", (unsigned)daemon->uid);
	return error;
}

/* One direction of a link gets words, or one stage of it does. */
static int take_words(struct wt_daemon *daemon, struct change *change, unsigned link, unsigned d, const char *target, const char *stage,
		      const char *words, char *err, size_t err_len)
{
	const struct wt_path *path = &daemon->net.link[link].way[d].path;
	const char **now = &change->words[link][d];
	char **edited = &change->edited[link][d], *text;
	int error;

	if (*now && (!stage || !*edited)) {
		snprintf(err, err_len, "'%.40s': one direction is given words twice", target);
		return -EINVAL;
	}
	if (!stage) {
		*now = words;
		return 0;
	}
	text = malloc(WT_PATH_TEXT);
	snprintf(err, err_len, "out of memory");
	error = text ? wt_path_edit(path, *now ? *now : path->text, stage, words, text, err, err_len) : -ENOMEM;
	if (error) {
		free(text);
		return error;
	}
	free(*edited);
	*now = *edited = text;
	return 0;
}

static int take_targets(struct wt_daemon *daemon, struct change *change, char **words, char *err, size_t err_len)
{
	int error = 0;

	if (!words[0]) {
		snprintf(err, err_len, "a target and its words are needed, such as fwd 'delay 30ms'");
		return -EINVAL;
	}
	for (unsigned i = 0; words[i] && !error; i += 2) {
		unsigned link, directions;
		const char *stage;

		error = find_target(daemon, words[i], &link, &directions, &stage, err, err_len);
		if (!error && !words[i + 1]) {
			snprintf(err, err_len, "words must follow the target '%.40s'", words[i]);
			return -EINVAL;
		}
		for (unsigned d = 0; d < 2 && !error; d++)
			if (directions & 1u << d)
				error = take_words(daemon, change, link, d, words[i], stage, words[i + 1], err, err_len);
	}
	return error;
}

int wt_daemon_set(struct wt_daemon *daemon, const struct wt_control_set *set, wt_time *now, char *said, size_t said_len)
{
	char gone[2000] = "";
	struct change change = {.flush = set->flush, .gone = gone, .gone_len = sizeof(gone)};
	struct wt_samples_cache *cache = daemon->world.cache;
	int error = change_init(&change, daemon->world.links, said, said_len);

	/* names from our own folder stay as they are: they are known by them */
	cache->folder = set->folder && strcmp(set->folder, daemon->folder) ? set->folder : NULL;
	if (!error)
		error = take_targets(daemon, &change, set->words, said, said_len);
	if (!error)
		error = apply(daemon, &change, "control", now, said, said_len);
	cache->folder = NULL;
	if (!error)
		snprintf(said, said_len, "%s", gone + (*gone == ' '));
	change_finish(&change);
	return who_reads(daemon, error, said, said_len);
}

/* ---- the file, again --------------------------------------------------------------------------------------- */

/* The line of the new file, 0: of it as a whole. */
static int same(bool is, const struct wt_world *new, unsigned line, const char *what, char *err, size_t err_len)
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

static bool same_host(const struct wt_world_host *old, const struct wt_world_host *new)
{
	return !strcmp(old->name, new->name) && old->port == new->port && old->mtu == new->mtu &&
	       !memcmp(old->gateway, new->gateway, sizeof(old->gateway)) && !memcmp(old->prefix, new->prefix, sizeof(old->prefix));
}

static bool same_flow(const struct wt_world_flow *old, const struct wt_world_flow *new)
{
	return !strcmp(old->name, new->name) && old->host[0] == new->host[0] && old->host[1] == new->host[1] && old->delay == new->delay;
}

static int compare(const struct wt_world *old, const struct wt_world *new, char *err, size_t err_len)
{
	int error = same(old->hosts == new->hosts && old->routers == new->routers && old->links == new->links, new, 0,
			 "the number of ports, routers and links", err, err_len);

	for (unsigned i = 0; i < old->hosts && !error; i++)
		error = same(same_host(&old->host[i], &new->host[i]) && same_text(old->host[i].place, new->host[i].place), new,
			     new->host[i].line, "ports and gateways", err, err_len);
	for (unsigned i = 0; i < old->routers && !error; i++)
		error = same(!strcmp(old->router[i].name, new->router[i].name) &&
			     !memcmp(old->router[i].address, new->router[i].address, sizeof(old->router[i].address)),
			     new, new->router[i].line, "routers", err, err_len);
	for (unsigned i = 0; i < old->links && !error; i++)
		error = same(!strcmp(old->link[i].name, new->link[i].name) &&
			     !memcmp(old->link[i].end, new->link[i].end, sizeof(old->link[i].end)),
			     new, new->link[i].line, "what links join", err, err_len);
	if (!error)
		error = same(old->flows == new->flows, new, 0, "the number of flows", err, err_len);
	for (unsigned i = 0; i < old->flows && !error; i++)
		error = same(same_flow(&old->flow[i], &new->flow[i]), new, new->flow[i].line, "flows", err, err_len);
	return error;
}

static int compare_options(const struct wt_options *old, const struct wt_options *new, char *err, size_t err_len)
{
	int error = 0;

	for (unsigned i = 0; i < WT_OPTION_KEYS && !error; i++)
		error = same(same_text(old->said[i], new->said[i]), new->world, 0, wt_option_key[i], err, err_len);
	return error;
}

/* The words a link has at `now` by its file: the first ones, and those of events up to then. */
static void words_at(const struct wt_world *world, wt_time now, struct change *change)
{
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++)
			change->words[i][d] = world->link[i].words[d] ? world->link[i].words[d] : "";
	for (unsigned i = 0; i < world->events && world->event[i].at < now; i++)
		for (unsigned d = 0; d < 2; d++)
			if (world->event[i].words[d])
				change->words[world->event[i].link][d] = world->event[i].words[d];
}

static void exchange_bytes(void *a, void *b, size_t len)
{
	uint8_t *x = a, *y = b;

	for (size_t i = 0; i < len; i++) {
		uint8_t kept = x[i];

		x[i] = y[i];
		y[i] = kept;
	}
}

#define EXCHANGE(a, b) exchange_bytes(&(a), &(b), sizeof(a))

/* The new world brings its links and events; files, bounds and the rest stay as they were opened. */
static void exchange(struct wt_world *old, struct wt_world *new)
{
	EXCHANGE(old->link, new->link);
	EXCHANGE(old->event, new->event);
	EXCHANGE(old->events, new->events);
	EXCHANGE(old->event_room, new->event_room);
}

/* Hosts whose place was given from outside stand where they were. */
static int keep_places(const struct wt_world *old, struct wt_world *new, char *err, size_t err_len)
{
	int error = 0;

	for (unsigned i = 0; i < old->hosts && i < new->hosts && !error; i++)
		if (old->host[i].placement == WT_NAMESPACE)
			error = wt_world_place(&new->host[i], WT_NAMESPACE, old->host[i].place, err, err_len);
	return error;
}

static int read_again(const struct wt_daemon *daemon, struct wt_world *new, char *err, size_t err_len)
{
	struct wt_options options;
	const struct wt_world_keys keys = {wt_options_of_file, &options};
	int error;

	wt_options_init(&options, new);
	options.cpu = daemon->options.cpu; /* the command line may have said which, and the file what needs one */
	error = wt_world_read(new, daemon->world.file, &keys, err, err_len);
	if (!error)
		error = keep_places(&daemon->world, new, err, err_len);
	if (!error)
		error = wt_options_check(&options, err, err_len);
	if (!error)
		error = wt_world_check(new, err, err_len);
	if (!error)
		error = compare_options(&daemon->options, &options, err, err_len);
	if (!error)
		error = compare(&daemon->world, new, err, err_len);
	wt_options_finish(&options);
	return error;
}

/* Files that words name are read again, too: links know where that cache is. */
static int change_to(struct wt_daemon *daemon, struct wt_world *new, struct change *change, wt_time from, char *err, size_t err_len)
{
	wt_time now;
	int error = change_init(change, new->links, err, err_len);

	if (error)
		return error;
	words_at(new, from, change);
	EXCHANGE(*daemon->world.cache, *new->cache);
	error = apply(daemon, change, "file", &now, err, err_len);
	if (error) {
		EXCHANGE(*daemon->world.cache, *new->cache);
		return error;
	}
	exchange(&daemon->world, new);
	daemon->script.next = 0;
	while (daemon->script.next < daemon->world.events && daemon->world.event[daemon->script.next].at < from)
		daemon->script.next++;
	wt_graph_touch(daemon->net.graph, &daemon->script.node);
	wt_rloop_kick(daemon->rloop);
	return 0;
}

int wt_daemon_reload(struct wt_daemon *daemon, unsigned *changed, char *err, size_t err_len)
{
	struct change change = {.whole = true};
	struct wt_world new;
	struct stat facts;
	wt_time from = wt_rloop_catch_up(daemon->rloop);
	int error;

	if (!stat(daemon->world.file, &facts) && !S_ISREG(facts.st_mode)) { /* the frames would wait for whoever writes to a pipe */
		snprintf(err, err_len, "%s: only a regular file can be read again", daemon->world.file);
		return -EINVAL;
	}
	wt_world_init(&new);
	error = read_again(daemon, &new, err, err_len);
	if (!error)
		error = change_to(daemon, &new, &change, from, err, err_len);
	*changed = change.changed;
	change_finish(&change);
	wt_world_finish(&new);
	return who_reads(daemon, error, err, err_len);
}
