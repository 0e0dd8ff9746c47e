/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/chain.h"

#include <string.h>

/* Number 0 of the stream decides a random start; sojourn k is number 2k + 1, the jump that ends it 2k + 2. */
static wt_time sojourn(const struct wt_chain *chain)
{
	double length = wt_random_exp(&chain->key, 2 * chain->sojourn + 1) * (double)chain->config->mean[chain->state];

	return (wt_time)length + 1; /* to whole nanoseconds, and never none */
}

/* The first index at which the running sum of shares exceeds u; the last with any share if rounding leaves a gap. */
static unsigned pick(const double *share, unsigned count, double u)
{
	unsigned last = 0;

	for (unsigned i = 0; i < count; i++) {
		if (share[i] <= 0)
			continue;
		last = i;
		if (u < share[i])
			return i;
		u -= share[i];
	}
	return last;
}

static unsigned start(const struct wt_chain *chain)
{
	double share[WT_CHAIN_STATES];

	if (chain->config->start)
		return chain->config->start - 1;
	wt_chain_stationary(chain->config, share);
	return pick(share, chain->config->states, wt_random_unit(&chain->key, 0));
}

void wt_chain_init(struct wt_chain *chain, const struct wt_key *key, const struct wt_chain_config *config)
{
	*chain = (struct wt_chain){.key = *key, .config = config};
	chain->state = start(chain);
	chain->until = sojourn(chain);
}

void wt_chain_renew(struct wt_chain *chain, wt_time now, const struct wt_key *key)
{
	struct wt_chain next;

	wt_chain_init(&next, key, chain->config);
	next.node = chain->node;
	next.told = chain->told;
	next.before = chain->before + chain->sojourn + (chain->told > chain->before + chain->sojourn);
	next.since = now;
	next.until = wt_time_add(next.until, now);
	*chain = next;
}

void wt_chain_restart(struct wt_chain *chain, wt_time now)
{
	chain->state = start(chain);
	chain->sojourn++;
	chain->since = now;
	chain->until = wt_time_add(now, sojourn(chain));
}

static struct wt_state present(const struct wt_chain *chain)
{
	static const char *const names[WT_CHAIN_STATES] = {"1", "2", "3", "4", "5", "6", "7", "8"};

	return (struct wt_state){.name = names[chain->state], .visit = chain->before + chain->sojourn, .since = chain->since};
}

static void tell(struct wt_chain *chain)
{
	struct wt_state state = present(chain);

	if (!chain->node || !chain->node->states || chain->told > state.visit)
		return;
	chain->told = state.visit + 1;
	chain->node->states->state(chain->node->states, chain->node, &state);
}

void wt_chain_state(struct wt_chain *chain, wt_time now, struct wt_state *state)
{
	wt_chain_at(chain, now);
	*state = present(chain);
}

unsigned wt_chain_at(struct wt_chain *chain, wt_time now)
{
	tell(chain);
	while (now >= chain->until && chain->until != WT_NEVER) {
		chain->state = pick(chain->config->to[chain->state], chain->config->states,
				    wt_random_unit(&chain->key, 2 * chain->sojourn + 2));
		chain->sojourn++;
		chain->since = chain->until;
		chain->until = wt_time_add(chain->since, sojourn(chain));
		tell(chain);
	}
	return chain->state;
}

bool wt_chain_connected(const struct wt_chain_config *config)
{
	for (unsigned from = 0; from < config->states; from++) {
		unsigned seen = 1u << from, before;

		do {
			before = seen;
			for (unsigned i = 0; i < config->states; i++)
				for (unsigned k = 0; seen >> i & 1 && k < config->states; k++)
					if (config->to[i][k] > 0)
						seen |= 1u << k;
		} while (seen != before);
		if (seen != (1u << config->states) - 1)
			return false;
	}
	return true;
}

/*
 * The law of the jumps by the elimination of Grassmann, Taksar and Heyman (1985), which subtracts nothing and so loses no
 * digits; then weighted by how long each state lasts.
 */
void wt_chain_stationary(const struct wt_chain_config *config, double share[WT_CHAIN_STATES])
{
	double to[WT_CHAIN_STATES][WT_CHAIN_STATES], total = 0;
	unsigned n = config->states;

	memcpy(to, config->to, sizeof(to));
	for (unsigned last = n; last-- > 1;) {
		double down = 0;

		for (unsigned j = 0; j < last; j++)
			down += to[last][j];
		for (unsigned i = 0; i < last; i++)
			to[i][last] /= down;
		for (unsigned i = 0; i < last; i++)
			for (unsigned j = 0; j < last; j++)
				to[i][j] += to[i][last] * to[last][j];
	}
	share[0] = 1;
	for (unsigned j = 1; j < n; j++) {
		share[j] = 0;
		for (unsigned i = 0; i < j; i++)
			share[j] += share[i] * to[i][j];
	}
	for (unsigned i = 0; i < n; i++) {
		share[i] *= (double)config->mean[i];
		total += share[i];
	}
	for (unsigned i = 0; i < n; i++)
		share[i] /= total;
}
