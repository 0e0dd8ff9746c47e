/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavetank/path.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/link.h"
#include "stack/library/library.h"

struct wtl_link {
	struct wtl_link *next;
	struct wtl_graph *graph;
	struct wt_samples_cache *shelf;
	struct wt_link span;
};

static bool good_name(const struct wtl_graph *graph, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (!len || len >= WT_LINK_NAME)
		return false;
	for (const struct wtl_link *link = graph->links; link; link = link->next)
		if (!strcmp(link->span.name, name))
			return false;
	return true;
}

/* The graph keeps what was added to it: so the link stays, whatever happens after that. */
struct wtl_link *wtl_link_create(struct wtl_graph *graph, const char *name, struct wtl_node *a, unsigned a_port, struct wtl_node *b,
				 unsigned b_port, const char *fwd, const char *rev, uint64_t seed, char *err, size_t err_len)
{
	const char *const words[2] = {fwd, rev};
	struct wtl_link *link;
	int error;

	if (!good_name(graph, name))
		return wtl_refuse(EINVAL, err, err_len, "a link needs a name of 1 to %d characters that no other link of the graph has", WT_LINK_NAME - 1);
	link = calloc(1, sizeof(*link));
	if (!link)
		return wtl_refuse(ENOMEM, err, err_len, "out of memory");
	link->graph = graph;
	error = wt_link_init(&link->span, name, false, words, seed, NULL, err, err_len);
	if (error) {
		wt_link_finish(&link->span);
		free(link);
		errno = -error;
		return error == -ENOMEM ? wtl_refuse(ENOMEM, err, err_len, "out of memory") : NULL;
	}
	wtl_enter(graph);
	link->next = graph->links;
	graph->links = link;
	if (wt_link_add(&link->span, graph->graph))
		return wtl_refuse(ENOMEM, err, err_len, "out of memory");
	wt_direction_join(&link->span.way[0], graph->graph, wtl_inner_node(a), a_port, wtl_inner_node(b), b_port);
	wt_direction_join(&link->span.way[1], graph->graph, wtl_inner_node(b), b_port, wtl_inner_node(a), a_port);
	wtl_settle(graph, NULL);
	return link;
}

void wtl_links_free(struct wtl_link *links)
{
	struct wtl_link *next;

	for (; links; links = next) {
		next = links->next;
		wt_link_finish(&links->span);
		free(links);
	}
}

int wtl_link_change(struct wtl_link *link, const char *fwd, const char *rev, char *err, size_t err_len)
{
	const char *const words[2] = {fwd, rev};
	int error;

	wtl_enter(link->graph);
	error = wt_link_change(&link->span, words, wt_graph_now(link->graph->graph), false, err, err_len);
	wtl_settle(link->graph, NULL);
	return error;
}

const char *wtl_link_words(const struct wtl_link *link, bool reverse)
{
	return link->span.way[reverse].path.text;
}

/* What came into the first stage and left by the last; what all of them dropped, made and hold. */
void wtl_link_books(const struct wtl_link *link, bool reverse, struct wtl_books *books)
{
	const struct wt_direction *way = &link->span.way[reverse];

	*books = (struct wtl_books){0};
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
