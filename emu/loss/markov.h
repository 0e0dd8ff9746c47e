/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The history of a two-state continuous-time Markov chain: exponential sojourns, drawn on scenario time.
 *
 *   off ─────────┐     off ──┐      sojourn k lasts mean[state] * E_k, E_k the k-th exponential number of the key
 *                └ on ─┘     └ on ─ ...
 *
 * The history is a function of (key, means, start) alone: it is advanced lazily when somebody asks, and who asks, when
 * and how often changes nothing. So two directions that hold the same key see the same history.
 */
#ifndef WT_EMU_LOSS_MARKOV_H
#define WT_EMU_LOSS_MARKOV_H

#include <stdint.h>

#include "emu/stage.h"

/* Bounds on a mean sojourn: below, a second of idle time would cost more draws than it is worth; above, a sojourn
 * could leave the range of wt_time. */
#define WT_MARKOV_MEAN_MIN (100 * WT_US)
#define WT_MARKOV_MEAN_MAX (3600 * WT_S * 10000)

struct wt_markov {
	struct wt_key key;
	wt_time mean[2];
	unsigned state;       /* 0 off, 1 on */
	uint64_t sojourn;     /* index of the present one, from 0 */
	wt_time since, until; /* it covers [since, until) */
	struct wt_node *node; /* whose sink is told of each state; NULL: nobody */
	uint64_t told;        /* states told so far */
	uint64_t before;      /* states of the histories before this one */
};

void wt_markov_init(struct wt_markov *chain, const struct wt_key *key, const wt_time mean[2],
		    enum wt_markov_start start);
/* Another history from `now` on. wt_markov_at() first. */
void wt_markov_renew(struct wt_markov *chain, wt_time now, const struct wt_key *key, const wt_time mean[2], enum wt_markov_start start);
/* The history of a fresh chain begins at `from`, not at 0. */
void wt_markov_shift(struct wt_markov *chain, wt_time from);
/* The state at `now`, which must not go back. */
unsigned wt_markov_at(struct wt_markov *chain, wt_time now);
/* The same, for a node's verb of that name. */
void wt_markov_state(struct wt_markov *chain, wt_time now, struct wt_state *state);

#endif
