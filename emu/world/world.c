/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const wt_flow_word_name[] = {"app", "preset", "settings", "sender", "recovery", "receiver", "stack", NULL};

void wt_world_init(struct wt_world *world)
{
	*world = (struct wt_world){.seed = 1, .limit = WT_WORLD_LIMIT};
	wt_world_air_init(&world->air);
}

static void finish_flow(struct wt_world_flow *flow)
{
	free(flow->name);
	for (unsigned i = 0; i < WT_FLOW_WORDS; i++)
		free(flow->word[i]);
}

void wt_world_finish(struct wt_world *world)
{
	for (unsigned i = 0; i < world->hosts; i++) {
		free(world->host[i].place);
		free(world->host[i].routing);
		wt_track_finish(&world->host[i].track);
	}
	wt_world_air_finish(&world->air);
	for (unsigned i = 0; i < world->links; i++) {
		free(world->link[i].words[0]);
		free(world->link[i].words[1]);
	}
	for (unsigned i = 0; i < world->events; i++) {
		free(world->event[i].words[0]);
		free(world->event[i].words[1]);
		free(world->event[i].note);
	}
	for (unsigned i = 0; i < world->flows; i++)
		finish_flow(&world->flow[i]);
	finish_flow(&world->each);
	free(world->host);
	free(world->router);
	free(world->link);
	free(world->event);
	free(world->flow);
	free(world->file);
	if (world->cache)
		wt_samples_clear(world->cache);
	free(world->cache);
	memset(world, 0, sizeof(*world));
}

/* ---- lists ------------------------------------------------------------------------------------------------ */

/* Room for one more, all zero, in a list of `count`; NULL: no memory, and the list is as it was. */
static void *grow(void *list, unsigned count, unsigned *room, size_t size)
{
	unsigned more = *room ? 2 * *room : 8;
	char *grown = list;

	if (count == *room) {
		grown = realloc(list, more * size);
		if (!grown)
			return NULL;
		*room = more;
	}
	memset(grown + count * size, 0, size);
	return grown;
}

#define ADD(world, list, count, room)                                                                                  \
	void *grown = grow((world)->list, (world)->count, &(world)->room, sizeof(*(world)->list));                     \
                                                                                                                       \
	if (!grown)                                                                                                    \
		return NULL;                                                                                           \
	(world)->list = grown;                                                                                         \
	return &(world)->list[(world)->count++]

static struct wt_world_host *new_host(struct wt_world *world)
{
	ADD(world, host, hosts, host_room);
}

static struct wt_world_router *new_router(struct wt_world *world)
{
	ADD(world, router, routers, router_room);
}

static struct wt_world_link *new_link(struct wt_world *world)
{
	ADD(world, link, links, link_room);
}

struct wt_world_event *wt_world_add_event(struct wt_world *world)
{
	ADD(world, event, events, event_room);
}

static struct wt_world_flow *new_flow(struct wt_world *world)
{
	ADD(world, flow, flows, flow_room);
}

struct wt_world_host *wt_world_add_host(struct wt_world *world, const char *name)
{
	struct wt_world_host *host = new_host(world);

	if (host)
		snprintf(host->name, sizeof(host->name), "%s", name);
	return host;
}

struct wt_world_router *wt_world_add_router(struct wt_world *world, const char *name)
{
	struct wt_world_router *router = new_router(world);

	if (router)
		snprintf(router->name, sizeof(router->name), "%s", name);
	return router;
}

struct wt_world_link *wt_world_add_link(struct wt_world *world, const char *name)
{
	struct wt_world_link *link = new_link(world);

	if (link)
		snprintf(link->name, sizeof(link->name), "%s", name);
	return link;
}

int wt_world_add_flow(struct wt_world *world, const char *name, unsigned from, unsigned to)
{
	const struct wt_world_flow *each = &world->each;
	struct wt_world_flow *flow = new_flow(world);
	int error = flow ? wt_world_text(&flow->name, name) : -ENOMEM;

	if (error)
		return error;
	flow->host[0] = from;
	flow->host[1] = to;
	flow->start = each->start;
	flow->stop = each->stop;
	flow->bytes = each->bytes;
	flow->delay = each->delay;
	for (unsigned i = 0; i < WT_FLOW_WORDS && !error; i++) {
		flow->word_line[i] = each->word_line[i];
		error = each->word[i] ? wt_world_text(&flow->word[i], each->word[i]) : 0;
	}
	return error;
}

int wt_world_pair(struct wt_world *world, const char *fwd, const char *rev)
{
	const char *const words[] = {fwd, rev};
	struct wt_world_link *link;
	int error = 0;

	for (unsigned i = 0; i < 2; i++) {
		struct wt_world_host *host = wt_world_add_host(world, i ? "b" : "a");

		if (!host)
			return -ENOMEM;
		host->placement = WT_INSIDE;
	}
	link = wt_world_add_link(world, "main");
	for (unsigned i = 0; i < 2 && link && !error; i++)
		error = words[i] ? wt_world_text(&link->words[i], words[i]) : 0;
	return link ? error : -ENOMEM;
}

int wt_world_place(struct wt_world_host *host, enum wt_placement placement, const char *place, char *err, size_t err_len)
{
	host->placement = placement;
	snprintf(err, err_len, "out of memory");
	if (wt_world_text(&host->place, place))
		return -ENOMEM;
	return wt_interface_ref_parse(&host->where, place, err, err_len);
}

/* ---- finding ---------------------------------------------------------------------------------------------- */

int wt_world_find_host(const struct wt_world *world, const char *name)
{
	for (unsigned i = 0; i < world->hosts; i++)
		if (!strcmp(world->host[i].name, name))
			return (int)i;
	return -1;
}

int wt_world_find_router(const struct wt_world *world, const char *name)
{
	for (unsigned i = 0; i < world->routers; i++)
		if (!strcmp(world->router[i].name, name))
			return (int)i;
	return -1;
}

int wt_world_find_link(const struct wt_world *world, const char *name)
{
	for (unsigned i = 0; i < world->links; i++)
		if (!strcmp(world->link[i].name, name))
			return (int)i;
	return -1;
}

int wt_world_text(char **to, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

struct wt_world_end wt_world_next(const struct wt_world *world, unsigned host, unsigned *link)
{
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned k = 0; k < 2; k++)
			if (!world->link[i].end[k].router && world->link[i].end[k].index == host) {
				*link = i;
				return world->link[i].end[!k];
			}
	return (struct wt_world_end){false, host}; /* a world that was not checked */
}

/* Ends at a router of the first so many links. */
static unsigned ends_at(const struct wt_world *world, unsigned router, unsigned links)
{
	unsigned count = 0;

	for (unsigned i = 0; i < links; i++)
		for (unsigned k = 0; k < 2; k++)
			count += world->link[i].end[k].router && world->link[i].end[k].index == router;
	return count;
}

unsigned wt_world_router_ports(const struct wt_world *world, unsigned router)
{
	return ends_at(world, router, world->links);
}

unsigned wt_world_router_port(const struct wt_world *world, unsigned router, unsigned link)
{
	return ends_at(world, router, link);
}

int wt_world_begin(struct wt_world *world, const char *const words[2])
{
	unsigned kept = 0;

	if (!world->links && !wt_world_add_link(world, "main")) /* two hosts alone: an ideal wire between them */
		return -ENOMEM;
	for (unsigned i = 0; i < 2; i++) {
		if (words[i] && wt_world_text(&world->link[0].words[i], words[i]))
			return -ENOMEM;
		world->link[0].words_line[i] = words[i] ? WT_WORLD_NO_LINE : world->link[0].words_line[i];
	}
	for (unsigned k = 0; k < world->events; k++) {
		struct wt_world_event *event = &world->event[k];

		for (unsigned i = 0; i < 2 && event->at == 0; i++) {
			if (!words[i])
				continue;
			free(event->words[i]);
			event->words[i] = NULL;
		}
		if (event->words[0] || event->words[1])
			world->event[kept++] = *event;
		else
			free(event->note);
	}
	world->events = kept;
	return 0;
}
