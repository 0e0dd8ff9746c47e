/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A link: a path each way between two nodes, with filters (filter.h) in a graph.
 *
 *   rate 10Mbit burst 0B limit 64KB | only (tcp dst port 80) { loss 20% } | delay 15ms
 */
#ifndef WT_EMU_WORLD_LINK_H
#define WT_EMU_WORLD_LINK_H

#include "emu/path.h"
#include "emu/stage.h"
#include "stack/drive/graph.h"

#define WT_LINK_NAME 9 /* with its end */
#define WT_LINK_SEGMENTERS 64
#define WT_LINK_NODES (WT_PATH_NODES + WT_LINK_SEGMENTERS)

struct wt_direction {
	struct wt_path path;
	unsigned segmenters, cutting; /* that there are; that stand in the line now, the first so many */
	struct wt_node *segmenter[WT_LINK_SEGMENTERS];
	unsigned count, in_graph; /* nodes, in the order frames meet them, those taken away last; the graph owns the first so many */
	struct wt_node *node[WT_LINK_NODES];
	uint64_t in, out;             /* frames that came and left before the line was as it is now, */
	uint64_t in_then, out_then;   /* and what its first node had been given by then, its last one let go */
	struct wt_graph *graph;       /* that it is joined in, or NULL */
	struct wt_node *from, *to;
	unsigned from_port, to_port;
};

struct wt_link {
	char name[WT_LINK_NAME];
	bool only;            /* the one link there is: its stages are "fwd.loss", not "NAME.fwd.loss" */
	struct wt_pool *pool; /* of packets, where big frames come that a change may have to cut (segmenter.h); NULL: none do */
	struct wt_direction way[2]; /* fwd, rev */
};

/* 0, or -EINVAL with one sentence in err, -ENOMEM. The seed of a link that is not the only one depends on its name, too. The cache
 * (samples.h; may be NULL) lasts longer. */
int wt_link_init(struct wt_link *link, const char *name, bool only, const char *const words[2], uint64_t seed,
		 struct wt_samples_cache *cache, char *err, size_t err_len);
/* See wt_path_limit_answers(): both directions. */
void wt_link_limit_answers(struct wt_link *link, const struct wt_refusal_rate *rate);
/* Frees what no graph owns. */
void wt_link_finish(struct wt_link *link);
/* 0 or -ENOMEM. */
int wt_link_add(struct wt_link *link, struct wt_graph *graph);
void wt_direction_join(struct wt_direction *way, struct wt_graph *graph, struct wt_node *from, unsigned from_port, struct wt_node *to,
		 unsigned to_port);
/* Big frames (offload.h) may pass it as they are: no filter, and no stage that looks at single packets. */
bool wt_direction_whole(const struct wt_direction *way);
/*
 * Other words while it runs, at this instant; NULL: the direction keeps its own (see wt_path_prepare()). All or nothing: what is refused
 * (NULL, one sentence in err) changes nothing, and what is prepared and admitted cannot fail any more. No frame may move in between.
 * `flush`: what waits in front of the rates of directions that get words is dropped.
 */
struct wt_link_change;

struct wt_link_change *wt_link_prepare(struct wt_link *link, const char *const words[2], char *err, size_t err_len);
/* What comes is put into the graph, before anything changes: 0 or -ENOMEM. */
int wt_link_admit(struct wt_link_change *change, char *err, size_t err_len);
void wt_link_commit(struct wt_link_change *change, wt_time now, bool flush); /* frees it; then touch */
void wt_link_cancel(struct wt_link_change *change); /* accepts NULL */
/* Frames that have come to it and left it, whatever stages it had when. */
void wt_direction_passed(const struct wt_direction *way, uint64_t *in, uint64_t *out);
/* The counts of a node that is a rate; false: it is none. */
bool wt_direction_rate(const struct wt_direction *way, const struct wt_node *node, struct wt_rate_counts *counts);
/* Has a change taken this node of the way away, or put it there only for what was under way? */
bool wt_direction_gone(const struct wt_direction *way, const struct wt_node *node);
/* Such a one that no frame has met is nobody's business. */
bool wt_direction_shown(const struct wt_direction *way, const struct wt_node *node);
/* Its nodes are asked anew for frames and deadlines. */
void wt_link_touch(const struct wt_link *link);
/* All of it, for one link alone. 0 or -EINVAL with a sentence. */
int wt_link_change(struct wt_link *link, const char *const words[2], wt_time now, bool flush, char *err, size_t err_len);

#endif
