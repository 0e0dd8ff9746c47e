/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gilbert's and Elliott's channel, one step with each packet: what netem calls gemodel.
 *
 *        ┌── p ──►┐
 *      good      bad        a packet passes with k in the good state, with h in the bad one;
 *        └◄── r ──┘         then the chain steps
 *
 * Each class of packets (wt_packets) has a chain of its own, so other traffic neither steps it nor meets its bursts. It
 * starts by its stationary law. A state is told when a packet meets it: it begins with that packet.
 */
#include "emu/stage.h"

enum { UNKNOWN, GOOD, BAD, CLASS_SHIFT = 48, IPV6 = 256, CLASSES = 512 };

struct elliott {
	struct wt_stage stage;
	struct wt_stream stream, steps;
	struct wt_elliott_config config;
	uint8_t state[CLASSES], told[CLASSES];
	uint64_t visit[CLASSES];
	wt_time since[CLASSES];
	unsigned met; /* the class of the packet before, and the state it met */
	uint8_t met_state;
};

static uint8_t start(const struct elliott *elliott, uint64_t class)
{
	double p = elliott->config.p, r = elliott->config.r;
	uint64_t number = class << CLASS_SHIFT | ((UINT64_C(1) << CLASS_SHIFT) - 1); /* no packet has it */

	/* neither p nor r: it stays good */
	return p + r > 0 && wt_random_unit(&elliott->steps.key, number) < p / (p + r) ? BAD : GOOD;
}

static void elliott_state(struct wt_node *node, wt_time now, struct wt_state *state)
{
	const struct elliott *elliott = (const struct elliott *)node;
	unsigned class = elliott->met;

	*state = (struct wt_state){.name = elliott->met_state == BAD ? "bad" : "good", .visit = elliott->visit[class],
				   .since = elliott->since[class], .ip_version = class < IPV6 ? 4 : 6, .protocol = (uint8_t)(class % IPV6)};
}

static void meet(struct elliott *elliott, unsigned class, uint8_t found, wt_time now)
{
	struct wt_node *node = &elliott->stage.node;
	struct wt_state state;

	elliott->met = class;
	elliott->met_state = found;
	if (elliott->told[class] == found)
		return;
	elliott->visit[class] += elliott->told[class] != UNKNOWN;
	elliott->told[class] = found;
	elliott->since[class] = now;
	elliott_state(node, now, &state);
	if (node->states)
		node->states->state(node->states, node, &state);
}

static bool passes(struct elliott *elliott, uint64_t number, wt_time now)
{
	const struct wt_elliott_config *config = &elliott->config;
	uint64_t class = number >> CLASS_SHIFT;
	uint8_t state = elliott->state[class];
	bool moves;

	if (state == UNKNOWN)
		state = start(elliott, class);
	meet(elliott, (unsigned)class, state, now);
	moves = wt_stream_strikes(&elliott->steps, number, state == GOOD ? config->p : config->r);
	elliott->state[class] = (state == GOOD) == moves ? BAD : GOOD;
	return wt_stream_strikes(&elliott->stream, number, state == GOOD ? config->k : config->h);
}

static int elliott_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct elliott *elliott = (struct elliott *)node;
	uint64_t number;

	if (wt_packets_next(&elliott->stage.packets, frame, &number) && !passes(elliott, number, now)) {
		wt_node_drop(node, now, frame, WT_DROP_ELLIOTT);
		return WT_KEPT;
	}
	return WT_ON;
}

static const struct wt_node_ops elliott_ops = {
	.pass = elliott_pass,
	.input = wt_stage_input,
	.state = elliott_state,
	.output = wt_stage_output,
	.deadline = wt_stage_deadline,
	.destroy = wt_stage_destroy,
};

struct wt_node *wt_elliott_create(const char *name, const struct wt_key *key, const struct wt_key *steps,
				  const struct wt_elliott_config *config)
{
	struct elliott *elliott = wt_stage_new(sizeof(*elliott), &elliott_ops, name);

	if (!elliott)
		return NULL;
	wt_stream_init(&elliott->stream, key);
	wt_stream_init(&elliott->steps, steps);
	elliott->config = *config;
	return &elliott->stage.node;
}

void wt_elliott_change(struct wt_node *node, wt_time now, const struct wt_elliott_config *config)
{
	((struct elliott *)node)->config = *config;
}
