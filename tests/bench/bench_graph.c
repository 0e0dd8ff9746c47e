/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the graph itself costs: a sender with a window, a path of four stages each way, a receiver that answers every
 * second frame. Prints data frames per second of wall time, unchecked and checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stack/drive/graph.h"
#include "stack/drive/vloop.h"
#include "tests/unit/toy_nodes.h"

#define WINDOW 64

struct end {
	struct wt_node node;
	struct wt_pool *pool;
	uint32_t credit;  /* frames it may send now */
	uint32_t got, every; /* answers one in `every` frames, or none */
	uint32_t len;
};

static void end_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct end *end = (struct end *)node;

	node->audit.in++;
	node->audit.taken++;
	end->got++;
	end->credit += end->every ? end->got % end->every == 0 : 2;
	wt_frame_free(frame);
}

static struct wt_frame *end_output(struct wt_node *node, wt_time now, unsigned *port)
{
	struct end *end = (struct end *)node;
	struct wt_frame *frame;

	if (!end->credit)
		return NULL;
	end->credit--;
	frame = wt_frame_new(end->pool);
	frame->len = end->len;
	wt_put32(wt_frame_own_bytes(frame), end->got);
	node->audit.made++;
	node->audit.out++;
	return frame;
}

static wt_time end_deadline(const struct wt_node *node)
{
	return ((const struct end *)node)->credit ? 0 : WT_NEVER;
}

static void end_init(struct end *end, const char *name, struct wt_pool *pool, uint32_t credit, uint32_t every, uint32_t len)
{
	static const struct wt_node_ops ops = {end_input, end_output, end_deadline, NULL};

	*end = (struct end){.node = {.ops = &ops, .ports = 1}, .pool = pool, .credit = credit, .every = every, .len = len};
	snprintf(end->node.name, sizeof(end->node.name), "%s", name);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run(bool checked)
{
	static const wt_time delays[4] = {15 * WT_MS, 1200 * WT_US, 0, 0};
	struct wt_pool *pool = wt_pool_create(4 * WINDOW, 2048);
	struct wt_graph *graph = wt_graph_create();
	struct end sender, receiver;
	struct toy_delay stages[4];
	double start, took;

	end_init(&sender, "sender", pool, WINDOW, 0, 1514);
	end_init(&receiver, "receiver", pool, 0, 2, 66);
	wt_graph_add(graph, &sender.node);
	wt_graph_add(graph, &receiver.node);
	for (unsigned i = 0; i < 4; i++) {
		char name[16];

		snprintf(name, sizeof(name), "stage%u", i);
		toy_delay_init(&stages[i], name, delays[i]);
		wt_graph_add(graph, &stages[i].node);
		if (i)
			wt_graph_join_both(graph, &stages[i - 1].node, 1, &stages[i].node, 0);
	}
	wt_graph_join_both(graph, &sender.node, 0, &stages[0].node, 0);
	wt_graph_join_both(graph, &stages[3].node, 1, &receiver.node, 0);
	wt_graph_set_checked(graph, checked);
	start = seconds();
	wt_vloop_run(graph, 1000 * WT_S, NULL);
	took = seconds() - start;
	printf("graph%s: %u data frames and %u answers over 4 stages in %.2f s: %.2f M data frames/s\n", checked ? ", checked" : "",
	       receiver.got, sender.got, took, receiver.got / took / 1e6);
	wt_graph_destroy(graph);
	for (unsigned i = 0; i < 4; i++)
		wt_frame_queue_clear(&stages[i].queue);
	wt_pool_destroy(pool);
}

int main(void)
{
	run(false);
	run(true);
	return 0;
}
