/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world becomes nodes, joined in a graph: what is at each host as it was placed (an engine, or a port), routers, links.
 *
 *   engine or port ──► [capture] ──► [digest] ──► [delays of flows] ──► link ...
 *
 * Hosts are added first, in the world's order, then what stands beside them, routers, links: ties at one instant go in this order.
 */
#ifndef WT_EMU_WORLD_BUILD_H
#define WT_EMU_WORLD_BUILD_H

#include "emu/world/world.h"
#include "stack/record/air_record.h"
#include "stack/record/capture.h"
#include "stack/drive/graph.h"
#include "stack/host/host.h"

struct wt_network;

/* How. */
struct wt_world_build {
	uint64_t frames;        /* of memory */
	bool offload, gather;   /* of ports */
	bool merge;             /* with both: an engine's segments leave as big frames, and big frames are cut for it */
	enum wt_stamps stamps;
	bool digest;            /* of every frame at each host */
	bool whole;             /* wt_pool_make_whole() */
	bool own;               /* an engine and its wire, as `send` has them: captured at the engine alone, by its name */
	struct wt_trace_sink *(*trace)(void *arg, unsigned host); /* of engines; NULL: none */
	/* What is otherwise than the world says, when the ports are open. NULL: nothing. */
	void (*engine)(void *arg, const struct wt_network *net, struct wt_host_config *config);
	void *arg;
};

struct wt_network {
	const struct wt_world *world;
	struct wt_world_build build;
	struct wt_pool *pool, *big_pool; /* of frames; of big ones, with offloads */
	struct wt_graph *graph;
	/* by host; NULL where there is none */
	struct wt_port **port;
	struct wt_host **host;
	struct wt_node **tap, **digest, **delay;
	struct wt_node **mesh; /* of stations */
	struct wt_air *air;    /* NULL: none */
	struct wt_air_record record;
	struct wt_node **router;
	struct wt_link *link; /* world->links of them */
	struct wt_node **node; /* in the order they are added */
	unsigned nodes, in_graph;
};

/* Opens ports, makes engines and links. The world was checked and outlives the network. 0 or negative errno with a sentence in err;
 * finish either way. */
int wt_network_open(struct wt_network *net, const struct wt_world *world, const struct wt_world_build *build, char *err, size_t err_len);
/* Capture files (wt_capture_open()) for the points of a world: its engines as "host-NAME", its ports as "NAME". NULL with errno and err. */
struct wt_capture *wt_world_capture(const struct wt_world *world, const char *path, int64_t epoch, char *err, size_t err_len);
/* Adds everything to the graph, and joins it. `capture` NULL: without taps. 0 or negative errno. */
int wt_network_join(struct wt_network *net, struct wt_capture *capture);
/* Tells ports where big frames may pass whole, and where it matters when frames came: call again when the words of a link have changed. */
void wt_network_tell_ports(struct wt_network *net);
void wt_network_finish(struct wt_network *net);

/* What happens on the air is written down: either may be NULL. Before anything runs; both outlive the network. */
void wt_network_record_air(struct wt_network *net, struct wt_capture *capture, struct wt_journal *log);

int wt_network_add_routes(struct wt_network *net); /* routes.c; 0 or -ENOMEM */
/* build_air.c: makes the nodes of air and mesh and lists them, 0 or -ENOMEM; joins them; the port of a station's mesh node for a link. */
int wt_network_make_air(struct wt_network *net);
void wt_network_join_air(struct wt_network *net);
unsigned wt_network_wire(const struct wt_world *world, unsigned host, unsigned link);

#endif
