/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Paths from words, as in `wavetank sim --link 'rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%'`; wavetank-link(7) has them all.
 *
 * A link is a path each way between two nodes. Its stages are nodes of the graph; their random numbers depend on the link's
 * name, the direction, the kind of the stage and the seed alone.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_PATH_H
#define WT_STACK_INCLUDE_WAVETANK_PATH_H

#include <wavetank/graph.h>

WT_LIB_BEGIN_DECLS

struct wt_lib_link;

/*
 * A link from port a_port of a to port b_port of b: `fwd` is the path of frames from a to b, `rev` that of frames from b to a. "" or NULL: an ideal
 * wire. The name has 1 to 8 characters and is unique in the graph. NULL with errno EINVAL or ENOMEM, and a sentence in err.
 */
WT_API struct wt_lib_link *wt_lib_link_create(struct wt_lib_graph *graph, const char *name, struct wt_lib_node *a, unsigned a_port, struct wt_lib_node *b,
					unsigned b_port, const char *fwd, const char *rev, uint64_t seed, char *err, size_t err_len);
/* Other words while frames are under way; NULL: that direction stays as it is. All or nothing: 0, or -EINVAL with a sentence. */
WT_API int wt_lib_link_change(struct wt_lib_link *link, const char *fwd, const char *rev, char *err, size_t err_len);
/* The words in force, in normal form. reverse false: fwd. */
WT_API const char *wt_lib_link_words(const struct wt_lib_link *link, bool reverse);
/* Frames of one direction: came in, went out, dropped by its stages, under way. An ideal wire counts none. */
WT_API void wt_lib_link_books(const struct wt_lib_link *link, bool reverse, struct wt_lib_books *books);

WT_LIB_END_DECLS

#endif
