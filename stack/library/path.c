/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavetank/path.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/link.h"
#include "stack/library/library.h"

struct wt_lib_link {
	struct wt_lib_link *next;
	struct wt_lib_graph *graph;
	struct wt_samples_cache *cache;
	struct wt_link span;
};

static bool good_name(const struct wt_lib_graph *graph, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (!len || len >= WT_LINK_NAME)
		return false;
	for (const struct wt_lib_link *link = graph->links; link; link = link->next)
		if (!strcmp(link->span.name, name))
			return false;
	return true;
}

/* The graph keeps what was added to it: so the link stays, whatever happens after that. */
struct wt_lib_link *wt_lib_link_create(struct wt_lib_graph *graph, const char *name, struct wt_lib_node *a, unsigned a_port, struct wt_lib_node *b,
				 unsigned b_port, const char *fwd, const char *rev, uint64_t seed, char *err, size_t err_len)
{
	const char *const words[2] = {fwd, rev};
	struct wt_lib_link *link;
	int error;

	if (!good_name(graph, name))
		return wt_lib_refuse(EINVAL, err, err_len, "a link needs a name of 1 to %d characters that no other link of the graph has", WT_LINK_NAME - 1);
	link = calloc(1, sizeof(*link));
	if (!link)
		return wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
	link->graph = graph;
	error = wt_link_init(&link->span, name, false, words, seed, NULL, err, err_len);
	if (error) {
		wt_link_finish(&link->span);
		free(link);
		errno = -error;
		return error == -ENOMEM ? wt_lib_refuse(ENOMEM, err, err_len, "out of memory") : NULL;
	}
	wt_lib_enter(graph);
	link->next = graph->links;
	graph->links = link;
	if (wt_link_add(&link->span, graph->graph))
		return wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
	wt_direction_join(&link->span.way[0], graph->graph, wt_lib_inner_node(a), a_port, wt_lib_inner_node(b), b_port);
	wt_direction_join(&link->span.way[1], graph->graph, wt_lib_inner_node(b), b_port, wt_lib_inner_node(a), a_port);
	wt_lib_settle(graph, NULL);
	return link;
}

void wt_lib_links_free(struct wt_lib_link *links)
{
	struct wt_lib_link *next;

	for (; links; links = next) {
		next = links->next;
		wt_link_finish(&links->span);
		free(links);
	}
}

int wt_lib_link_change(struct wt_lib_link *link, const char *fwd, const char *rev, char *err, size_t err_len)
{
	const char *const words[2] = {fwd, rev};
	int error;

	wt_lib_enter(link->graph);
	error = wt_link_change(&link->span, words, wt_graph_now(link->graph->graph), false, err, err_len);
	wt_lib_settle(link->graph, NULL);
	return error;
}

const char *wt_lib_link_words(const struct wt_lib_link *link, bool reverse)
{
	return link->span.way[reverse].path.text;
}

/* What came into the first stage and left by the last; what all of them dropped, made and hold. */
void wt_lib_link_books(const struct wt_lib_link *link, bool reverse, struct wt_lib_books *books)
{
	const struct wt_direction *way = &link->span.way[reverse];

	*books = (struct wt_lib_books){0};
	for (unsigned i = 0; i < way->count; i++) {
		const struct wt_audit *audit = &way->node[i]->audit;

		books->in = i ? books->in : audit->in;
		books->out = audit->out;
		books->made += audit->made;
		books->taken += audit->taken;
		books->dropped += wt_audit_dropped(audit);
		books->queued += audit->queued;
	}
}
