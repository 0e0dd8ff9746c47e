/* SPDX-License-Identifier: BSD-2-Clause */
/* A graph that checks its books, a pool and a sink for each test: setup() and teardown() of its group. */
#ifndef WT_TESTS_UNIT_TOY_GRAPH_H
#define WT_TESTS_UNIT_TOY_GRAPH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "stack/drive/graph.h"
#include "tests/unit/toy_nodes.h"

static struct wt_pool *pool;
static struct wt_graph *graph;
static struct toy_sink sink;

static int setup(void **state)
{
	pool = wt_pool_create(256, 2048);
	graph = wt_graph_create();
	wt_graph_set_checked(graph, true);
	toy_sink_init(&sink, "sink", 4);
	return !pool || !graph;
}

static int teardown(void **state)
{
	wt_graph_destroy(graph);
	assert_int_equal(wt_pool_free_count(pool), wt_pool_count(pool));
	wt_pool_destroy(pool);
	return 0;
}

#endif
