/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/tokens.h"

#include <stdlib.h>
#include <string.h>

static void tell(struct wt_tokens *tokens, struct wt_token_interval *interval, wt_time to)
{
	struct wt_json *json[2] = {
		tokens->journal ? wt_journal_begin(tokens->journal, to, "emulation:tokens_consumed") : NULL,
		tokens->control ? wt_control_begin(tokens->control, to, "emulation:tokens_consumed") : NULL,
	};

	for (unsigned i = 0; i < 2; i++) {
		if (!json[i])
			continue;
		wt_json_string(json[i], "node", interval->node->name);
		wt_json_i64(json[i], "from_ns", interval->from);
		wt_json_u64(json[i], "tokens_bytes", interval->bytes);
		wt_json_u64(json[i], "frames", interval->frames);
	}
	if (json[0])
		wt_journal_end(tokens->journal);
	if (json[1])
		wt_control_end(tokens->control);
	interval->bytes = interval->frames = 0;
}

static void consumed(struct wt_rate_log *log, const struct wt_node *node, wt_time time, const struct wt_frame *frame, uint64_t bytes)
{
	struct wt_tokens *tokens = (struct wt_tokens *)log;
	struct wt_token_interval *interval = &tokens->interval[node->index];

	if (interval->bytes && time >= interval->from + interval->every)
		tell(tokens, interval, interval->from + interval->every);
	if (!interval->bytes)
		interval->from = time - time % interval->every;
	interval->bytes += bytes;
	interval->frames++;
}

void wt_tokens_tell(struct wt_tokens *tokens, wt_time now)
{
	for (unsigned i = 0; i < tokens->count; i++) {
		struct wt_token_interval *interval = &tokens->interval[i];

		if (interval->bytes && now >= interval->from + interval->every)
			tell(tokens, interval, interval->from + interval->every);
	}
}

void wt_tokens_end(struct wt_tokens *tokens, wt_time now)
{
	wt_tokens_tell(tokens, now);
	for (unsigned i = 0; i < tokens->count; i++)
		if (tokens->interval[i].bytes)
			tell(tokens, &tokens->interval[i], now);
}

/* Tokens come in lumps of another interval, or no longer. */
static void watch(struct wt_tokens *tokens, struct wt_node *node, wt_time now)
{
	struct wt_token_interval *interval = &tokens->interval[node->index];
	wt_time every = wt_rate_every(node);

	if (every == interval->every)
		return;
	if (interval->bytes)
		tell(tokens, interval, now);
	*interval = (struct wt_token_interval){.node = node, .every = every};
	wt_rate_set_log(node, every ? &tokens->log : NULL);
}

static void watch_leg(struct wt_tokens *tokens, const struct wt_direction *way, wt_time now)
{
	struct wt_rate_counts counts;

	for (unsigned i = 0; i < way->count; i++)
		if (way->node[i]->index < tokens->count && wt_direction_rate(way, way->node[i], &counts))
			watch(tokens, way->node[i], now);
}

void wt_tokens_watch(struct wt_tokens *tokens, const struct wt_network *net, wt_time now)
{
	unsigned count = wt_graph_count(net->graph);

	if (!tokens->journal && !tokens->control)
		return;
	tokens->log.consumed = consumed;
	if (count > tokens->count) {
		struct wt_token_interval *more = realloc(tokens->interval, count * sizeof(*more));

		if (!more)
			return;
		memset(more + tokens->count, 0, (count - tokens->count) * sizeof(*more));
		tokens->interval = more;
		tokens->count = count;
	}
	for (unsigned i = 0; i < net->world->links; i++)
		for (unsigned direction = 0; direction < 2; direction++)
			watch_leg(tokens, &net->link[i].way[direction], now);
}

void wt_tokens_finish(struct wt_tokens *tokens)
{
	free(tokens->interval);
	*tokens = (struct wt_tokens){0};
}
