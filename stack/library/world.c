/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavetank/world.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/build.h"
#include "emu/world/change.h"
#include "stack/library/library.h"

#define FRAMES 65536

struct wt_lib_world {
	struct wt_world world;
	struct wt_network net;
	struct wt_script script;
	struct wt_lib_graph *graph;
	struct wt_lib_host **host;
};

/* Everything becomes an engine: a world that names interfaces is for `wavetank emu` and `wavetank lab`. */
static void place(struct wt_world *world)
{
	for (unsigned i = 0; i < world->hosts; i++)
		world->host[i].placement = WT_INSIDE;
}

/* [emulator] is about the emulator as a process. */
static int pass_over(void *arg, unsigned line, const char *key, const char *value, char *err, size_t err_len)
{
	return 0;
}

static int build(struct wt_lib_world *world, char *err, size_t err_len)
{
	const struct wt_world_build how = {.frames = FRAMES};
	int error = wt_network_open(&world->net, &world->world, &how, err, err_len);

	if (!error)
		error = wt_network_join(&world->net, NULL);
	if (error)
		return error;
	if (world->world.events) {
		wt_script_init(&world->script, &world->world, world->net.link, world->net.graph, 0);
		error = wt_graph_add(world->net.graph, &world->script.node);
	}
	if (!error)
		world->graph = wt_lib_graph_wrap(world->net.graph, world->net.pool, true);
	world->host = calloc(world->world.hosts + 1, sizeof(struct wt_lib_host *));
	if (error || !world->graph || !world->host)
		return -ENOMEM;
	for (unsigned i = 0; i < world->world.hosts; i++) {
		world->host[i] = wt_lib_host_wrap(world->graph, world->net.host[i]);
		if (!world->host[i])
			return -ENOMEM;
	}
	return 0;
}

struct wt_lib_world *wt_lib_world_load(const char *file, uint64_t seed, char *err, size_t err_len)
{
	const struct wt_world_keys keys = {.take = pass_over};
	struct wt_lib_world *world = calloc(1, sizeof(*world));
	int error;

	if (!world)
		return wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
	wt_world_init(&world->world);
	error = wt_world_read(&world->world, file, &keys, err, err_len);
	world->world.seed = seed;
	place(&world->world);
	if (!error)
		error = wt_world_check(&world->world, err, err_len);
	if (!error)
		error = build(world, err, err_len);
	if (!error)
		return world;
	wt_lib_world_destroy(world);
	return error == -ENOMEM ? wt_lib_refuse(ENOMEM, err, err_len, "out of memory") : (errno = -error, NULL);
}

void wt_lib_world_destroy(struct wt_lib_world *world)
{
	if (!world)
		return;
	wt_lib_graph_destroy(world->graph);
	wt_network_finish(&world->net);
	wt_world_finish(&world->world);
	free(world->host);
	free(world);
}

struct wt_lib_graph *wt_lib_world_graph(struct wt_lib_world *world)
{
	return world->graph;
}

unsigned wt_lib_world_hosts(const struct wt_lib_world *world)
{
	return world->world.hosts;
}

struct wt_lib_host *wt_lib_world_host(struct wt_lib_world *world, const char *name)
{
	int i = wt_world_find_host(&world->world, name);

	return i < 0 ? NULL : world->host[i];
}

int wt_lib_world_address(const struct wt_lib_world *world, const char *name, struct wt_lib_addr *addr)
{
	int i = wt_world_find_host(&world->world, name);

	if (i < 0)
		return -ENOENT;
	addr->family = world->world.host[i].address.family;
	memcpy(addr->bytes, world->world.host[i].address.bytes, sizeof(addr->bytes));
	return 0;
}
