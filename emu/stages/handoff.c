/* SPDX-License-Identifier: BSD-2-Clause */
/* Handoffs: their clock, and the stage that drops while one lasts. */
#include "emu/stages/handoff.h"

/* The next exponential number of the clock, to whole nanoseconds, and never none. */
static wt_time sojourn(struct wt_handoff_clock *clock, wt_time mean)
{
	return (wt_time)(wt_random_exp(&clock->key, clock->drawn++) * (double)mean) + 1;
}

void wt_handoff_init(struct wt_handoff_clock *clock, const struct wt_key *key, const struct wt_handoff_config *config)
{
	*clock = (struct wt_handoff_clock){.key = *key, .config = config};
	clock->next = config->random ? sojourn(clock, config->every) : config->at;
}

void wt_handoff_begin(struct wt_handoff_clock *clock, wt_time now)
{
	const struct wt_handoff_config *config = clock->config;
	wt_time late = now - config->at, rounds;

	clock->count = 0;
	clock->start = now;
	if (config->random) {
		clock->next = wt_time_add(now, sojourn(clock, config->every));
	} else if (late <= 0) {
		clock->next = config->at;
	} else {
		rounds = late / config->every + (late % config->every != 0);
		clock->next = __builtin_mul_overflow(rounds, config->every, &rounds) ? WT_NEVER : wt_time_add(config->at, rounds);
	}
}

bool wt_handoff_one_timing(const struct wt_handoff_config *a, const struct wt_handoff_config *b)
{
	return a->random == b->random && a->at == b->at && a->every == b->every && a->length == b->length && a->cells == b->cells;
}

void wt_handoff_copy(struct wt_handoff_clock *clock, struct wt_handoff_config *config, const struct wt_handoff_clock *from)
{
	*config = from ? *from->config : (struct wt_handoff_config){0};
	if (!from)
		return;
	*clock = *from;
	clock->config = config;
}

bool wt_handoff_step(struct wt_handoff_clock *clock, wt_time now)
{
	const struct wt_handoff_config *config = clock->config;
	wt_time start = clock->next;

	if (start > now || start == WT_NEVER)
		return false;
	clock->count++;
	clock->start = start;
	if (config->random) {
		clock->end = wt_time_add(start, sojourn(clock, config->length));
		clock->next = wt_time_add(clock->end, sojourn(clock, config->every));
	} else {
		clock->end = wt_time_add(start, config->length);
		clock->next = wt_time_add(start, config->every);
	}
	return true;
}

const struct wt_cell *wt_handoff_cell(struct wt_handoff_clock *clock, wt_time now)
{
	unsigned at;

	while (wt_handoff_step(clock, now))
		;
	at = (unsigned)(clock->count % (clock->config->cells + 1));
	return at ? &clock->config->cell[at - 1] : NULL;
}

/* ---- the stage ------------------------------------------------------------------------------------------- */

struct handoff {
	struct wt_stage stage;
	struct wt_handoff_clock clock;
	struct wt_handoff_config config;
	struct wt_stream stream;
	uint64_t before; /* cells until it came, or got other times */
	uint64_t told;   /* cells */
};

/* The cell one is in, for those who log: since the handoff to it began. */
static struct wt_state present(const struct handoff *handoff)
{
	static const char *const names[WT_CELLS + 1] = {"home", "cell-1", "cell-2", "cell-3", "cell-4"};
	const struct wt_handoff_clock *clock = &handoff->clock;

	return (struct wt_state){.name = names[clock->count % (handoff->config.cells + 1)], .visit = handoff->before + clock->count,
				 .since = clock->start};
}

static void tell(struct handoff *handoff)
{
	struct wt_node *node = &handoff->stage.node;
	struct wt_state state = present(handoff);

	if (!node->states || handoff->told > state.visit)
		return;
	handoff->told = state.visit + 1;
	node->states->state(node->states, node, &state);
}

static void follow(struct handoff *handoff, wt_time now)
{
	tell(handoff);
	while (wt_handoff_step(&handoff->clock, now))
		tell(handoff);
}

static void handoff_state(struct wt_node *node, wt_time now, struct wt_state *state)
{
	follow((struct handoff *)node, now);
	*state = present((struct handoff *)node);
}

static int handoff_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct handoff *handoff = (struct handoff *)node;

	bool during;

	follow(handoff, now);
	during = handoff->clock.count && now < handoff->clock.end;
	if (wt_packets_share(&handoff->stage.packets, &handoff->stream, frame, during ? handoff->config.drop : 0)) { /* they count at all times */
		wt_node_drop(node, now, frame, WT_DROP_HANDOFF);
		return WT_KEPT;
	}
	return WT_ON;
}

static const struct wt_node_ops handoff_ops = {
	.state = handoff_state,
	.pass = handoff_pass,
	.input = wt_stage_input,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_handoff_create(const char *name, const struct wt_key *key, const struct wt_key *clock,
				  const struct wt_handoff_config *config)
{
	struct handoff *handoff = wt_stage_new(sizeof(*handoff), &handoff_ops, name);

	if (!handoff)
		return NULL;
	wt_stream_init(&handoff->stream, key);
	handoff->config = *config;
	wt_handoff_init(&handoff->clock, clock, &handoff->config);
	return &handoff->stage.node;
}

void wt_handoff_change(struct wt_node *node, wt_time now, const struct wt_handoff_config *config)
{
	struct handoff *handoff = (struct handoff *)node;
	bool anew = !wt_handoff_one_timing(&handoff->config, config);

	/* what has happened until now happened by the old values */
	follow(handoff, now);
	handoff->config = *config;
	if (anew)
		wt_handoff_restart(node, now);
}

void wt_handoff_restart(struct wt_node *node, wt_time now)
{
	struct handoff *handoff = (struct handoff *)node;

	handoff->before += handoff->clock.count + (handoff->told > handoff->before + handoff->clock.count);
	wt_handoff_begin(&handoff->clock, now);
}

const struct wt_handoff_clock *wt_handoff_clock_of(const struct wt_node *node)
{
	return &((const struct handoff *)node)->clock;
}
