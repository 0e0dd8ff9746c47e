/* SPDX-License-Identifier: BSD-2-Clause */
/* loss markov: a chain of several states, each with its mean sojourn, drop share and jumps. */
#include <errno.h>
#include <string.h>

#include "emu/chain.h"
#include "emu/words/words.h"
#include "stack/text/units.h"

enum { STATE, TO, SHARED, START };

/* The number of a state; whether there is one is seen at the end. */
static int read_number(struct wt_reader *reader, unsigned *number)
{
	const char *word = wt_reader_word(reader, "the number of a state");
	uint64_t value;

	if (!word)
		return -EINVAL;
	if (wt_parse_count(word, &value, NULL, 0) || value < 1 || value > WT_CHAIN_STATES)
		return wt_reader_complain(reader, WT_WORD "states are numbered from 1 to %d as they are written",
					  WT_ABOUT(reader, reader->at - 1), WT_CHAIN_STATES);
	*number = (unsigned)value;
	return 0;
}

static int read_state(struct wt_reader *reader, struct wt_chain_config *chain)
{
	unsigned i = chain->states;
	int error;

	if (i == WT_CHAIN_STATES)
		return wt_reader_complain(reader, WT_WORD "a chain has at most %d states", WT_ABOUT(reader, reader->at - 1),
					  WT_CHAIN_STATES);
	chain->states++;
	error = wt_words_mean(reader, &chain->mean[i]);
	return error ? error : wt_reader_value(reader, WT_QUANTITY_SHARE, &chain->drop[i]);
}

static int read_to(struct wt_reader *reader, struct wt_chain_config *chain)
{
	unsigned at = reader->at - 1, number, from = chain->states - 1;

	if (!chain->states)
		return wt_reader_complain(reader, WT_WORD "a state must stand before", WT_ABOUT(reader, at));
	if (read_number(reader, &number))
		return -EINVAL;
	if (number == chain->states)
		return wt_reader_complain(reader, WT_WORD "a state is left for another one", WT_ABOUT(reader, reader->at - 1));
	chain->listed[from] = true;
	return wt_reader_value(reader, WT_QUANTITY_SHARE, &chain->to[from][number - 1]);
}

static int read_start(struct wt_reader *reader, struct wt_chain_config *chain)
{
	return wt_reader_take(reader, "random") ? 0 : read_number(reader, &chain->start);
}

/* Jumps that are not written: to each other state alike. */
static int complete(struct wt_reader *reader, unsigned at, struct wt_chain_config *chain)
{
	if (chain->states < 2)
		return wt_reader_complain(reader, WT_WORD "at least two states must follow, such as \"state 5s 0%% state 500ms 99%%\"",
					  WT_ABOUT(reader, at));
	if (chain->start > chain->states)
		return wt_reader_complain(reader, WT_WORD "there is no state %u", WT_ABOUT(reader, at), chain->start);
	for (unsigned i = 0; i < chain->states; i++) {
		double total = 0;

		for (unsigned k = 0; k < WT_CHAIN_STATES; k++) {
			if (!chain->listed[i])
				chain->to[i][k] = k != i && k < chain->states ? 1.0 / (chain->states - 1) : 0;
			if (k >= chain->states && chain->to[i][k] > 0)
				return wt_reader_complain(reader, WT_WORD "there is no state %u", WT_ABOUT(reader, at), k + 1);
			total += chain->to[i][k];
		}
		if (total < 1 - 1e-9 || total > 1 + 1e-9)
			return wt_reader_complain(reader, WT_WORD "the shares of \"to\" of state %u must make 100%%",
						  WT_ABOUT(reader, at), i + 1);
	}
	if (!chain->start && !wt_chain_connected(chain))
		return wt_reader_complain(reader, WT_WORD "not every state can be reached from every other: say where it starts, such "
						  "as \"start 1\"", WT_ABOUT(reader, at));
	return 0;
}

int wt_words_markov(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"state", "to", "shared", "start", NULL};
	struct wt_chain_config *chain = &stage->chain;
	unsigned at = reader->at - 1, seen = 0;
	int index, error = 0;

	stage->kind = WT_STAGE_MARKOV;
	while (!error && (index = wt_reader_option(reader, options, &seen)) >= 0) {
		seen &= ~(1u << STATE | 1u << TO);
		if (index == STATE)
			error = read_state(reader, chain);
		else if (index == TO)
			error = read_to(reader, chain);
		else if (index == START)
			error = read_start(reader, chain);
		else
			stage->shared = true;
	}
	if (error || index == WT_BAD_OPTION)
		return -EINVAL;
	return complete(reader, at, chain);
}
