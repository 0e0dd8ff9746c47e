/* SPDX-License-Identifier: BSD-2-Clause */
/* Loss of stated packets: by their numbers, or by a file of 0s and 1s that starts again at its end. */
#include "emu/stage.h"

struct listed {
	struct wt_stage stage;
	struct wt_list_config config;
};

/* Pairs of first and last, rising. */
static bool is_in(const struct wt_samples *numbers, int64_t number)
{
	uint32_t low = 0, high = numbers->count / 2;

	while (low < high) { /* the first range that does not end before it */
		uint32_t middle = low + (high - low) / 2;

		if (numbers->value[2 * (size_t)middle + 1] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < numbers->count / 2 && numbers->value[2 * (size_t)low] <= number;
}

static bool is_listed(const struct wt_list_config *config, uint64_t place)
{
	unsigned low = 0, high = config->count;

	if (config->trace)
		return config->trace->kind == WT_SAMPLES_NUMBERS ? is_in(config->trace, (int64_t)place + 1) :
								   config->trace->value[place % config->trace->count];
	while (low < high) { /* the first range that does not end before it */
		unsigned middle = (low + high) / 2;

		if (config->range[middle].last < place + 1)
			low = middle + 1;
		else
			high = middle;
	}
	return low < config->count && config->range[low].first <= place + 1;
}

static int listed_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct listed *listed = (struct listed *)node;
	uint64_t number;

	if (wt_packets_next(&listed->stage.packets, frame, &number) &&
	    is_listed(&listed->config, number & ((UINT64_C(1) << 48) - 1))) {
		wt_node_drop(node, now, frame, WT_DROP_LIST);
		return WT_KEPT;
	}
	return WT_ON;
}

static void listed_destroy(struct wt_node *node)
{
	if (node)
		wt_samples_release(((struct listed *)node)->config.trace);
	wt_stage_destroy(node);
}

static const struct wt_node_ops listed_ops = {
	.pass = listed_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = listed_destroy,
};

struct wt_node *wt_list_create(const char *name, const struct wt_list_config *config)
{
	struct listed *listed = wt_stage_new(sizeof(*listed), &listed_ops, name);

	if (!listed)
		return NULL;
	listed->config = *config;
	wt_samples_hold(config->trace);
	return &listed->stage.node;
}

void wt_list_change(struct wt_node *node, wt_time now, const struct wt_list_config *config)
{
	struct listed *listed = (struct listed *)node;
	struct wt_samples *old = listed->config.trace;

	wt_samples_hold(config->trace);
	listed->config = *config;
	wt_samples_release(old);
}

struct wt_samples *wt_list_trace(const struct wt_node *node)
{
	return ((const struct listed *)node)->config.trace;
}
