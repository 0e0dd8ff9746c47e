/* SPDX-License-Identifier: BSD-2-Clause */
/* Loss of stated packets: by their numbers, by the copies of packets, or by a file of 0s and 1s that starts again at its end. */
#include "emu/loss/copies.h"
#include "emu/stage.h"

struct list {
	struct wt_stage stage;
	struct wt_list_config config;
	struct wt_copies copies; /* counted while words ask for them */
};

static uint32_t ranges(const struct wt_list_config *config)
{
	return !config->trace ? config->count : config->trace->count / (config->copies ? 4 : 2);
}

/* Of the words, or of a file: pairs of first and last, with copies four values. */
static struct wt_list_range range_at(const struct wt_list_config *config, uint32_t i)
{
	const int64_t *value;

	if (!config->trace)
		return config->range[i];
	value = config->trace->value + (size_t)i * (config->copies ? 4 : 2);
	return (struct wt_list_range){.first = (uint64_t)value[0], .last = (uint64_t)value[1],
				      .copy = config->copies ? (uint32_t)value[2] : 0, .copies = config->copies ? (uint32_t)value[3] : 0};
}

/* The first range that does not end before a number; there are as many as ranges() if all do. */
static uint32_t find(const struct wt_list_config *config, uint64_t number)
{
	uint32_t low = 0, high = ranges(config);

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (range_at(config, middle).last < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_listed(const struct wt_list_config *config, uint64_t place)
{
	uint32_t at;

	if (config->trace && config->trace->kind == WT_SAMPLES_BITS)
		return config->trace->value[place % config->trace->count];
	at = find(config, place + 1);
	return at < ranges(config) && range_at(config, at).first <= place + 1;
}

/* Of one packet there may be several ranges of copies. */
static bool is_listed_copy(const struct wt_list_config *config, const struct wt_copy *copy)
{
	for (uint32_t at = find(config, copy->packet); at < ranges(config); at++) {
		struct wt_list_range range = range_at(config, at);

		if (range.first > copy->packet)
			return false;
		if (copy->copy >= range.copy && copy->copy <= range.copies)
			return true;
	}
	return false;
}

/* Its number is taken in any case: other words may ask for it later. */
static bool is_lost(struct list *list, const struct wt_frame *frame)
{
	const struct wt_list_config *config = &list->config;
	struct wt_copy copy;
	uint64_t number;

	if (!wt_packets_next(&list->stage.packets, frame, &number))
		return false;
	if (!config->copies)
		return is_listed(config, number & ((UINT64_C(1) << 48) - 1));
	return wt_copies_next(&list->copies, frame, range_at(config, ranges(config) - 1).last, &copy) && is_listed_copy(config, &copy);
}

static int list_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	if (!is_lost((struct list *)node, frame))
		return WT_ON;
	wt_node_drop(node, now, frame, WT_DROP_LIST);
	return WT_KEPT;
}

static void list_destroy(struct wt_node *node)
{
	if (node) {
		wt_samples_release(((struct list *)node)->config.trace);
		wt_copies_finish(&((struct list *)node)->copies);
	}
	wt_stage_destroy(node);
}

static const struct wt_node_ops list_ops = {
	.pass = list_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = list_destroy,
};

struct wt_node *wt_list_create(const char *name, const struct wt_list_config *config)
{
	struct list *list = wt_stage_new(sizeof(*list), &list_ops, name);

	if (!list)
		return NULL;
	list->config = *config;
	wt_samples_hold(config->trace);
	return &list->stage.node;
}

void wt_list_change(struct wt_node *node, wt_time now, const struct wt_list_config *config)
{
	struct list *list = (struct list *)node;
	struct wt_samples *old = list->config.trace;

	wt_samples_hold(config->trace);
	if (!config->copies || !list->config.copies)
		wt_copies_finish(&list->copies); /* what passed in between would be missing */
	list->config = *config;
	wt_samples_release(old);
}

struct wt_samples *wt_list_trace(const struct wt_node *node)
{
	return ((const struct list *)node)->config.trace;
}
