/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A search leaves a path: the node and the place in it on each level, leaf first. Changes start in the leaf and go up the path. An inner node
 * repeats the start of the first interval of each child. A leaf that falls below a quarter joins a neighbour if both fit in three
 * quarters of one, so chunks are at least about an eighth full, whatever was taken out.
 */
#include "stack/base/ranges.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define LEAF_MOST 511u
#define SMALL_MOST 127u /* of a leaf in a piece, which is the only one */
#define INNER_MOST 340u
#define HEIGHT_MOST 6u /* 255 * 170^5 intervals: more than sequence space has */

struct node {
	uint32_t count;
	union {
		struct wt_range at[LEAF_MOST]; /* of a leaf: ascending, never touching */
		struct {
			wt_seq first[INNER_MOST];
			struct node *child[INNER_MOST];
		};
	};
};

_Static_assert(sizeof(struct node) <= WT_CHUNK, "a node is a chunk");
_Static_assert(offsetof(struct node, at) + SMALL_MOST * sizeof(struct wt_range) <= WT_PIECE, "a small leaf is a piece");
_Static_assert(offsetof(struct node, at) == offsetof(struct wt_ranges, few.at) - offsetof(struct wt_ranges, few), "few are a leaf, too");

struct path {
	struct node *node[HEIGHT_MOST]; /* [0] is the leaf */
	uint32_t at[HEIGHT_MOST];
};

void wt_ranges_init(struct wt_ranges *set, struct wt_chunks *pool, uint64_t bytes)
{
	uint64_t most = bytes / WT_CHUNK;

	*set = (struct wt_ranges){.pool = pool, .most = most < 4 ? 4 : most > UINT32_MAX ? UINT32_MAX : (uint32_t)most};
}

static struct node *new_node(struct wt_ranges *set)
{
	struct node *node = wt_chunk_take(set->pool);

	if (node) {
		node->count = 0;
		set->nodes++;
	}
	return node;
}

/* The leaf in the set itself, which begins like any other. */
static struct node *few(const struct wt_ranges *set)
{
	return (struct node *)(uintptr_t)&set->few;
}

static void free_node(struct wt_ranges *set, struct node *node)
{
	if (node == few(set))
		return;
	if (set->small)
		wt_piece_release(set->pool, node);
	else
		wt_chunk_release(set->pool, node);
	set->small = false;
	set->nodes--;
}

static void free_tree(struct wt_ranges *set, struct node *node, uint32_t level)
{
	for (uint32_t i = 0; level && i < node->count; i++)
		free_tree(set, node->child[i], level - 1);
	free_node(set, node);
}

void wt_ranges_clear(struct wt_ranges *set)
{
	if (set->root)
		free_tree(set, set->root, set->height);
	set->root = NULL;
	set->height = set->count = set->bytes = 0;
}

void wt_ranges_finish(struct wt_ranges *set)
{
	wt_ranges_clear(set);
	*set = (struct wt_ranges){0};
}

/* ---- searching ------------------------------------------------------------------------------------------- */

/* The first interval of a leaf that ends at or after `seq`: its count if there is none. */
static inline uint32_t in_leaf(const struct node *leaf, wt_seq seq)
{
	uint32_t low = 0, high = leaf->count;

	if (high <= WT_RANGES_FEW) {
		while (low < high && wt_seq_lt(leaf->at[low].end, seq))
			low++;
		return low;
	}
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (wt_seq_lt(leaf->at[middle].end, seq))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last child whose first interval starts at or before `seq`, or the first child. */
static uint32_t in_inner(const struct node *node, wt_seq seq)
{
	uint32_t low = 0, high = node->count;

	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (wt_seq_le(node->first[middle], seq))
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void descend(struct wt_ranges *set, struct path *path, uint32_t level, bool last)
{
	while (level-- > 0) {
		path->node[level] = path->node[level + 1]->child[path->at[level + 1]];
		path->at[level] = last ? path->node[level]->count - 1 : 0;
		set->steps++;
	}
}

/* From the end of a leaf to the beginning of the next one. False: there is none. */
static bool next_leaf(struct wt_ranges *set, struct path *path)
{
	for (uint32_t level = 1; level <= set->height; level++) {
		if (path->at[level] + 1 < path->node[level]->count) {
			path->at[level]++;
			descend(set, path, level, false);
			return true;
		}
	}
	return false;
}

static bool previous_leaf(struct wt_ranges *set, struct path *path)
{
	for (uint32_t level = 1; level <= set->height; level++) {
		if (path->at[level] > 0) {
			path->at[level]--;
			descend(set, path, level, true);
			return true;
		}
	}
	return false;
}

/* To the leaf in which [seq, ...) belongs, and in it to the first interval that ends at or after seq, or behind the last. */
static inline void seek_leaf(struct wt_ranges *set, wt_seq seq, struct path *path)
{
	struct node *node = set->root;

	for (uint32_t level = set->height; level > 0; level--) {
		path->node[level] = node;
		path->at[level] = in_inner(node, seq);
		node = node->child[path->at[level]];
	}
	path->node[0] = node;
	path->at[0] = in_leaf(node, seq);
	set->steps += set->height + 1;
}

/* To the first interval that ends at or after seq. False: there is none. */
static bool seek(struct wt_ranges *set, wt_seq seq, struct path *path)
{
	if (!set->root)
		return false;
	seek_leaf(set, seq, path);
	return path->at[0] < path->node[0]->count || next_leaf(set, path);
}

/* The same in a set that holds a few: NULL if there is none. */
static inline const struct wt_range *quick(struct wt_ranges *set, wt_seq seq)
{
	set->steps++;
	for (uint32_t i = 0; i < set->few.count; i++)
		if (wt_seq_ge(set->few.at[i].end, seq))
			return &set->few.at[i];
	return NULL;
}

static struct wt_range *here(const struct path *path)
{
	return &path->node[0]->at[path->at[0]];
}

bool wt_ranges_after(struct wt_ranges *set, wt_seq seq, struct wt_range *range)
{
	const struct wt_range *found;
	struct path path;

	if (set->root == few(set))
		found = quick(set, seq + 1);
	else
		found = seek(set, seq + 1, &path) ? here(&path) : NULL;
	if (!found)
		return false;
	*range = *found;
	return true;
}

bool wt_ranges_before(struct wt_ranges *set, wt_seq seq, struct wt_range *range)
{
	struct path path;

	if (!set->root)
		return false;
	if (set->root == few(set)) {
		uint32_t i = set->few.count;

		while (i && !wt_seq_lt(set->few.at[i - 1].start, seq))
			i--;
		set->steps++;
		if (i)
			*range = set->few.at[i - 1];
		return i;
	}
	seek_leaf(set, seq, &path);
	/* the one found ends at or after seq: it may start before */
	if (path.at[0] == path.node[0]->count || !wt_seq_lt(here(&path)->start, seq)) {
		if (path.at[0] > 0)
			path.at[0]--;
		else if (!previous_leaf(set, &path))
			return false;
	}
	*range = *here(&path);
	return true;
}

struct wt_range wt_ranges_first(const struct wt_ranges *set)
{
	const struct node *node = set->root;

	for (uint32_t level = set->height; level > 0; level--)
		node = node->child[0];
	return node->at[0];
}

struct wt_range wt_ranges_last(const struct wt_ranges *set)
{
	const struct node *node = set->root;

	for (uint32_t level = set->height; level > 0; level--)
		node = node->child[node->count - 1];
	return node->at[node->count - 1];
}

bool wt_ranges_contain(struct wt_ranges *set, wt_seq start, wt_seq end)
{
	const struct wt_range *found;
	struct path path;

	if (set->root == few(set))
		found = quick(set, end);
	else
		found = seek(set, end, &path) ? here(&path) : NULL;
	return found && wt_seq_le(found->start, start);
}

struct wt_range wt_ranges_merged(struct wt_ranges *set, wt_seq start, wt_seq end)
{
	struct wt_range whole = {start, end}, last;
	const struct wt_range *found;
	struct path path;

	if (set->root == few(set))
		found = quick(set, start);
	else
		found = seek(set, start, &path) ? here(&path) : NULL;
	if (!found || wt_seq_gt(found->start, end))
		return whole;
	whole.start = wt_seq_min(start, found->start);
	if (wt_ranges_before(set, end + 1, &last))
		whole.end = wt_seq_max(end, last.end);
	return whole;
}

/* ---- changing -------------------------------------------------------------------------------------------- */

/* What the node at `level` of the path begins with may have changed: says so above. */
static void update_first(const struct wt_ranges *set, struct path *path, uint32_t level)
{
	const struct node *node = path->node[level];
	wt_seq first = level ? node->first[0] : node->at[0].start;

	while (++level <= set->height) {
		path->node[level]->first[path->at[level]] = first;
		if (path->at[level] > 0)
			break;
	}
}

static void open_place(struct node *node, uint32_t level, uint32_t at)
{
	uint32_t behind = node->count++ - at;

	if (level == 0) {
		memmove(&node->at[at + 1], &node->at[at], behind * sizeof(node->at[0]));
		return;
	}
	memmove(&node->first[at + 1], &node->first[at], behind * sizeof(node->first[0]));
	memmove(&node->child[at + 1], &node->child[at], behind * sizeof(node->child[0]));
}

static void close_places(struct node *node, uint32_t level, uint32_t at, uint32_t count)
{
	uint32_t behind = node->count - at - count;

	node->count -= count;
	if (level == 0) {
		memmove(&node->at[at], &node->at[at + count], behind * sizeof(node->at[0]));
		return;
	}
	memmove(&node->first[at], &node->first[at + count], behind * sizeof(node->first[0]));
	memmove(&node->child[at], &node->child[at + count], behind * sizeof(node->child[0]));
}

/* What `from` holds from `at` on goes behind what `to` holds. */
static void move_tail(struct node *to, struct node *from, uint32_t level, uint32_t at)
{
	uint32_t count = from->count - at;

	if (level == 0) {
		memcpy(&to->at[to->count], &from->at[at], count * sizeof(to->at[0]));
	} else {
		memcpy(&to->first[to->count], &from->first[at], count * sizeof(to->first[0]));
		memcpy(&to->child[to->count], &from->child[at], count * sizeof(to->child[0]));
	}
	to->count += count;
	from->count = at;
}

static wt_seq first_of(const struct node *node, uint32_t level)
{
	return level ? node->first[0] : node->at[0].start;
}

/* A new root above the old one, which the path has as its only child. */
static void grow(struct wt_ranges *set, struct path *path)
{
	struct node *root = new_node(set), *old = set->root;

	assert(set->height + 1u < HEIGHT_MOST);
	root->count = 1;
	root->first[0] = first_of(old, set->height);
	root->child[0] = old;
	set->root = root;
	set->height++;
	path->node[set->height] = root;
	path->at[set->height] = 0;
}

/* Makes room in the node at `level` of the path, which is full; the path stays at the same place. The memory was reserved. */
static void split(struct wt_ranges *set, struct path *path, uint32_t level)
{
	uint32_t most = level ? INNER_MOST : LEAF_MOST, at;
	struct node *node = path->node[level], *right, *parent;

	if (node->count < most)
		return;
	if (level == set->height)
		grow(set, path);
	split(set, path, level + 1);
	right = new_node(set);
	/* what grows at its end leaves full nodes behind */
	move_tail(right, node, level, path->at[level] == most ? most - 1 : most / 2);
	parent = path->node[level + 1];
	at = path->at[level + 1] + 1;
	open_place(parent, level + 1, at);
	parent->first[at] = first_of(right, level);
	parent->child[at] = right;
	if (path->at[level] >= node->count + (level == 0)) {
		path->at[level] -= node->count;
		path->node[level] = right;
		path->at[level + 1] = at;
	}
}

/* A full leaf that is not of the full size becomes the next larger. False: no memory, and nothing changed. */
static bool lengthen(struct wt_ranges *set)
{
	struct node *old = set->root, *node;
	bool small = old == few(set);

	if ((!small && !set->small) || old->count < (small ? WT_RANGES_FEW : SMALL_MOST))
		return true;
	node = !set->most ? NULL : small ? wt_piece_take(set->pool) : wt_chunk_take(set->pool);
	if (!node)
		return false;
	node->count = 0;
	move_tail(node, old, 0, 0);
	free_node(set, old);
	set->root = node;
	set->small = small;
	set->nodes = 1;
	return true;
}

/* Chunks that one more interval at this path needs. */
static uint32_t nodes_needed(const struct wt_ranges *set, const struct path *path)
{
	uint32_t level = 0;

	while (level <= set->height && path->node[level]->count == (level ? INNER_MOST : LEAF_MOST))
		level++;
	return level + (level > set->height);
}

static bool insert(struct wt_ranges *set, wt_seq start, wt_seq end)
{
	struct path path;
	uint32_t needed;

	if (!set->root) {
		set->root = few(set);
		set->few.count = 0;
	}
	if (!lengthen(set))
		return false;
	seek_leaf(set, start, &path);
	needed = nodes_needed(set, &path);
	if (needed && (set->nodes + needed > set->most || !wt_chunks_reserve(set->pool, needed)))
		return false;
	split(set, &path, 0);
	open_place(path.node[0], 0, path.at[0]);
	*here(&path) = (struct wt_range){start, end};
	if (path.at[0] == 0)
		update_first(set, &path, 0);
	set->count++;
	set->bytes += end - start;
	return true;
}

static void drop_child(struct wt_ranges *set, struct path *path, uint32_t level);

/* Joins the node at `level` with its neighbour on the right, whose place the path takes. False: they do not fit. */
static bool join(struct wt_ranges *set, struct path *path, uint32_t level)
{
	struct node *parent = path->node[level + 1];
	uint32_t at = path->at[level + 1];

	if (at + 1 >= parent->count ||
	    parent->child[at]->count + parent->child[at + 1]->count > (level ? INNER_MOST : LEAF_MOST) * 3 / 4)
		return false;
	move_tail(parent->child[at], parent->child[at + 1], level, 0);
	path->at[level + 1]++;
	drop_child(set, path, level);
	return true;
}

/* The only leaf has so little left that the set itself has room for twice as much. */
static void settle_few(struct wt_ranges *set)
{
	struct node *leaf = set->root;

	if (!leaf || set->height || leaf == few(set) || leaf->count > WT_RANGES_FEW / 2)
		return;
	set->few.count = 0;
	set->root = few(set);
	move_tail(set->root, leaf, 0, 0);
	free_node(set, leaf);
}

/* The node at `level` lost something: gone if empty, joined to a neighbour if small; a root with an only child is none. */
static void mend(struct wt_ranges *set, struct path *path, uint32_t level)
{
	struct node *node = path->node[level];

	if (level == set->height) {
		while (set->root && (node = set->root)->count <= (set->height ? 1u : 0u)) {
			set->root = set->height ? node->child[0] : NULL;
			set->height -= set->height ? 1 : 0;
			free_node(set, node);
		}
		settle_few(set);
		return;
	}
	if (node->count == 0) {
		drop_child(set, path, level);
		return;
	}
	update_first(set, path, level);
	if (node->count >= (level ? INNER_MOST : LEAF_MOST) / 4 || join(set, path, level) || path->at[level + 1] == 0)
		return;
	path->at[level + 1]--;
	join(set, path, level);
}

/* The child that the path is at is empty. */
static void drop_child(struct wt_ranges *set, struct path *path, uint32_t level)
{
	struct node *parent = path->node[level + 1];
	uint32_t at = path->at[level + 1];

	free_node(set, parent->child[at]);
	close_places(parent, level + 1, at, 1);
	mend(set, path, level + 1);
}

/* Takes out the intervals that end at or before `end`, from the first that ends at or after `from` on. */
static void take_out(struct wt_ranges *set, wt_seq from, wt_seq end)
{
	struct path path;

	while (seek(set, from, &path) && wt_seq_le(here(&path)->end, end)) {
		struct node *leaf = path.node[0];
		uint32_t first = path.at[0], behind = in_leaf(leaf, end + 1);

		for (uint32_t i = first; i < behind; i++)
			set->bytes -= leaf->at[i].end - leaf->at[i].start;
		set->count -= behind - first;
		set->steps += behind - first;
		close_places(leaf, 0, first, behind - first);
		mend(set, &path, 0);
	}
}

/* The interval at the path is the last one that starts at or before `end`. */
static bool last_to(struct wt_ranges *set, const struct path *path, wt_seq end)
{
	struct path next = *path;

	if (++next.at[0] == next.node[0]->count && !next_leaf(set, &next))
		return true;
	return wt_seq_gt(here(&next)->start, end);
}

bool wt_ranges_add(struct wt_ranges *set, wt_seq start, wt_seq end, struct wt_range *merged)
{
	struct wt_range whole = {start, end}, *grown;
	struct path path;

	if (wt_seq_ge(start, end)) { /* nothing to add */
		whole.end = start;
	} else if (!seek(set, start, &path) || wt_seq_gt(here(&path)->start, end)) {
		if (!insert(set, start, end))
			return false;
	} else { /* the first that it touches grows; the others go */
		whole.end = wt_seq_max(end, here(&path)->end);
		if (wt_seq_gt(end, here(&path)->end) && !last_to(set, &path, end)) {
			whole = wt_ranges_merged(set, start, end);
			take_out(set, here(&path)->end + 1, whole.end);
			seek(set, start, &path);
		}
		grown = here(&path);
		whole.start = wt_seq_min(start, grown->start);
		set->bytes += (whole.end - whole.start) - (grown->end - grown->start);
		*grown = whole;
		if (path.at[0] == 0)
			update_first(set, &path, 0);
	}
	if (merged)
		*merged = whole;
	return true;
}

void wt_ranges_trim(struct wt_ranges *set, wt_seq seq)
{
	struct wt_range first;
	struct path path;

	if (!set->root)
		return;
	first = wt_ranges_first(set);
	if (wt_seq_le(first.end, seq)) {
		take_out(set, first.end, seq);
		if (!set->root)
			return;
		first = wt_ranges_first(set);
	}
	if (!wt_seq_lt(first.start, seq))
		return;
	seek(set, first.end, &path);
	set->bytes -= seq - first.start;
	here(&path)->start = seq;
	update_first(set, &path, 0);
}
