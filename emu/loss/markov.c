/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/loss/markov.h"

/* Number 0 of the stream decides a random start; sojourn k is number k + 1. */
static wt_time sojourn(const struct wt_markov *chain)
{
	double length = wt_random_exp(&chain->key, chain->sojourn + 1) * (double)chain->mean[chain->state];

	return (wt_time)length + 1; /* to whole nanoseconds, and never none */
}

void wt_markov_init(struct wt_markov *chain, const struct wt_key *key, const wt_time mean[2],
		    enum wt_markov_start start)
{
	double total = (double)mean[0] + (double)mean[1];

	*chain = (struct wt_markov){.key = *key, .mean = {mean[0], mean[1]}};
	/* random: the stationary share of time; sojourns have no memory, so the chain is stationary from 0 on */
	if (start == WT_MARKOV_START_RANDOM)
		chain->state = wt_random_unit(key, 0) < (double)mean[1] / total;
	else
		chain->state = start == WT_MARKOV_START_ON;
	chain->until = sojourn(chain);
}

void wt_markov_renew(struct wt_markov *chain, wt_time now, const struct wt_key *key, const wt_time mean[2], enum wt_markov_start start)
{
	struct wt_markov next;

	wt_markov_init(&next, key, mean, start);
	next.node = chain->node;
	next.told = chain->told;
	next.before = chain->before + chain->sojourn + (chain->told > chain->before + chain->sojourn);
	wt_markov_shift(&next, now);
	*chain = next;
}

void wt_markov_shift(struct wt_markov *chain, wt_time from)
{
	chain->since = wt_time_add(chain->since, from);
	chain->until = wt_time_add(chain->until, from);
}

static struct wt_state present(const struct wt_markov *chain)
{
	return (struct wt_state){.name = chain->state ? "on" : "off", .visit = chain->before + chain->sojourn, .since = chain->since};
}

static void tell(struct wt_markov *chain)
{
	struct wt_state state = present(chain);

	if (!chain->node || !chain->node->states || chain->told > state.visit)
		return;
	chain->told = state.visit + 1;
	chain->node->states->state(chain->node->states, chain->node, &state);
}

unsigned wt_markov_at(struct wt_markov *chain, wt_time now)
{
	tell(chain);
	while (now >= chain->until && chain->until != WT_NEVER) {
		chain->since = chain->until;
		chain->state ^= 1;
		chain->sojourn++;
		chain->until = wt_time_add(chain->since, sojourn(chain));
		tell(chain);
	}
	return chain->state;
}

void wt_markov_state(struct wt_markov *chain, wt_time now, struct wt_state *state)
{
	wt_markov_at(chain, now);
	*state = present(chain);
}
