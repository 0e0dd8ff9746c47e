/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The history of a continuous-time Markov chain of up to eight states, drawn on scenario time: an exponential sojourn in
 * each state, then a jump by that state's shares. As with two states (markov.h), the history is a function of key, means,
 * jumps and start alone, followed lazily.
 */
#ifndef WT_EMU_CHAIN_H
#define WT_EMU_CHAIN_H

#include "emu/stage.h"

struct wt_chain {
	struct wt_key key;
	const struct wt_chain_config *config;
	unsigned state;
	uint64_t sojourn; /* index of the present one, from 0 */
	wt_time since, until; /* it covers [since, until) */
	struct wt_node *node; /* whose sink is told of each state, once; NULL: nobody */
	uint64_t told;        /* states told so far */
	uint64_t before;      /* states of the histories before this one */
};

/* The config must stand as long as the chain; wt_chain_at() first if its values are to change. */
void wt_chain_init(struct wt_chain *chain, const struct wt_key *key, const struct wt_chain_config *config);
/* Another history from `now` on, by the config as it is now. wt_chain_at() first, by the old one. */
void wt_chain_renew(struct wt_chain *chain, wt_time now, const struct wt_key *key);
/* The config has another number of states: it begins as at the start, in a further sojourn. */
void wt_chain_restart(struct wt_chain *chain, wt_time now);
/* The state at `now`, which must not go back. */
unsigned wt_chain_at(struct wt_chain *chain, wt_time now);
/* Goes on to `now`; the state for those who log: its number from 1. */
void wt_chain_state(struct wt_chain *chain, wt_time now, struct wt_state *state);
/* Can each state be reached from each other one? Else there is no one stationary law, and no random start. */
bool wt_chain_connected(const struct wt_chain_config *config);
/* Shares of time in each state. Only for a connected chain. */
void wt_chain_stationary(const struct wt_chain_config *config, double share[WT_CHAIN_STATES]);

#endif
