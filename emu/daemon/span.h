/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A link: a path each way between two nodes, with filters.
 *
 *   rate 10Mbit burst 0B limit 64KB | only (tcp dst port 80) { loss 20% } | delay 15ms
 *
 * `only (EXPRESSION) { WORDS }` stands where a group of words may: frames that match the expression of pcap-filter(7) pass its
 * stages, others go around them (filter.h). Everything else is words of emu/path.h. A direction is thus a row of segments,
 * each a path of its own, with a filter or without.
 */
#ifndef WT_EMU_DAEMON_SPAN_H
#define WT_EMU_DAEMON_SPAN_H

#include "emu/path.h"
#include "stack/drive/graph.h"

#define WT_SPAN_NAME 9 /* with its end */
#define WT_SPAN_TEXT 4096
#define WT_SPAN_SEGMENTS 8
#define WT_SPAN_NODES (WT_SPAN_SEGMENTS * (WT_PATH_STAGES + 2))

struct wt_segment {
	bool filtered;
	char expression[256];
	char words[WT_PATH_TEXT]; /* as given */
	struct wt_path path;
	struct wt_node *filter, *merge; /* around the path; NULL: no filter */
};

struct wt_leg {
	unsigned segments;
	struct wt_segment segment[WT_SPAN_SEGMENTS];
	unsigned count, in_graph; /* nodes, in the order frames meet them; the graph owns the first so many */
	struct wt_node *node[WT_SPAN_NODES];
	char text[WT_SPAN_TEXT];  /* normal form; empty: an ideal wire */
};

struct wt_span {
	char name[WT_SPAN_NAME];
	bool only;            /* the one link there is: its stages are "fwd.loss", not "NAME.fwd.loss" */
	uint64_t seed;
	struct wt_leg leg[2]; /* fwd, rev */
};

/* 0, or -EINVAL with one sentence in err, -ENOMEM. The seed of a link that is not the only one depends on its name, too. */
int wt_span_init(struct wt_span *link, const char *name, bool only, const char *const words[2], uint64_t seed, char *err,
		 size_t err_len);
/* Frees what no graph owns. */
void wt_span_finish(struct wt_span *link);
/* 0 or -ENOMEM. */
int wt_span_add(struct wt_span *link, struct wt_graph *graph);
void wt_leg_join(const struct wt_leg *leg, struct wt_graph *graph, struct wt_node *from, unsigned from_port, struct wt_node *to,
		 unsigned to_port);
/* Big frames (offload.h) may pass it as they are: no filter, and no stage that looks at single packets. */
bool wt_leg_whole(const struct wt_leg *leg);
/*
 * Other words while it runs, NULL: the direction keeps its own. All or nothing: -EINVAL with one sentence in err, and nothing
 * has changed; the stages and filters must be those there are (wt_path_change()). With a graph, its nodes are touched.
 */
int wt_span_try(const struct wt_span *link, const char *const words[2], wt_time now, char *err, size_t err_len); /* changes nothing */
int wt_span_change(struct wt_span *link, const char *const words[2], wt_time now, struct wt_graph *graph, char *err, size_t err_len);

#endif
