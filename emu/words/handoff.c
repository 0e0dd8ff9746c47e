/* SPDX-License-Identifier: BSD-2-Clause */
/* handoff: when, how long, what is lost meanwhile, and what holds afterwards. */
#include <errno.h>

#include "emu/loss/markov.h"
#include "emu/words/words.h"

enum { EVERY, MEAN, FOR, AT, DROP, FLUSH, KEEP, THEN, TO_DELAY, TO_RATE, TO_LOSS };

#define CELL (1u << TO_DELAY | 1u << TO_RATE | 1u << TO_LOSS)

/* The cell whose values are read: the first `to-` word makes it, and `then`. */
static int read_cell(struct wt_reader *reader, struct wt_handoff_config *handoff, int index)
{
	struct wt_cell *cell;
	unsigned at = reader->at;
	int error;

	if (!handoff->cells)
		handoff->cells = 1;
	cell = &handoff->cell[handoff->cells - 1];
	if (index == TO_DELAY) {
		cell->has_delay = true;
		return wt_reader_value(reader, WT_QUANTITY_TIME, &cell->delay);
	}
	if (index == TO_LOSS) {
		cell->has_loss = true;
		return wt_reader_value(reader, WT_QUANTITY_SHARE, &cell->loss);
	}
	cell->has_rate = true;
	error = wt_reader_value(reader, WT_QUANTITY_RATE, &cell->rate);
	if (!error && (cell->rate < 1 || cell->rate > WT_RATE_MAX))
		return wt_reader_complain(reader, WT_WORD "a rate is from 1bit to 1000Gbit", WT_ABOUT(reader, at));
	return error;
}

static int read_then(struct wt_reader *reader, struct wt_handoff_config *handoff, unsigned *seen)
{
	if (!(*seen & CELL))
		return wt_reader_complain(reader, WT_WORD "the values after the first handoff must come before \"then\", such as \"to-delay 60ms\"",
					  WT_ABOUT(reader, reader->at - 1));
	if (handoff->cells == WT_CELLS)
		return wt_reader_complain(reader, WT_WORD "at most %d cells besides the one at home", WT_ABOUT(reader, reader->at - 1),
					  WT_CELLS);
	handoff->cells++;
	*seen &= ~(CELL | 1u << THEN);
	return 0;
}

static int read_option(struct wt_reader *reader, struct wt_handoff_config *handoff, int index, unsigned *seen)
{
	switch (index) {
	case MEAN:
		handoff->random = true;
		return wt_words_mean(reader, &handoff->every);
	case EVERY:
		return wt_reader_value(reader, WT_QUANTITY_TIME, &handoff->every);
	case FOR:
		return wt_reader_value(reader, WT_QUANTITY_TIME, &handoff->length);
	case AT:
		return wt_reader_value(reader, WT_QUANTITY_TIME, &handoff->at);
	case DROP:
		return wt_reader_value(reader, WT_QUANTITY_SHARE, &handoff->drop);
	case FLUSH:
		handoff->flush = true;
		return 0;
	case KEEP:
		return 0;
	case THEN:
		return read_then(reader, handoff, seen);
	default:
		return read_cell(reader, handoff, index);
	}
}

static int check(struct wt_reader *reader, unsigned at, struct wt_handoff_config *handoff, unsigned seen)
{
	if (!(seen & (1u << EVERY | 1u << MEAN)) || (seen & 1u << EVERY && handoff->random))
		return wt_reader_complain(reader, WT_WORD "when is missing: \"every 30s\", or \"mean 30s\" for exponential times",
					  WT_ABOUT(reader, at));
	if (!(seen & 1u << FOR))
		return wt_reader_complain(reader, WT_WORD "for is missing: how long packets are lost, such as \"for 200ms\"",
					  WT_ABOUT(reader, at));
	if (handoff->random && handoff->length && (handoff->length < WT_MARKOV_MEAN_MIN || handoff->length > WT_MARKOV_MEAN_MAX))
		return wt_reader_complain(reader, WT_WORD "a mean length is from 100us to 10000h", WT_ABOUT(reader, at));
	if (handoff->random && seen & 1u << AT)
		return wt_reader_complain(reader, WT_WORD "\"at\" requires \"every\"", WT_ABOUT(reader, at));
	if (!handoff->random && handoff->every <= handoff->length)
		return wt_reader_complain(reader, WT_WORD "\"every\" must be longer than \"for\"", WT_ABOUT(reader, at));
	if (!handoff->random && handoff->every < WT_MARKOV_MEAN_MIN)
		return wt_reader_complain(reader, WT_WORD "handoffs are at least 100us apart", WT_ABOUT(reader, at));
	if (seen & 1u << FLUSH && seen & 1u << KEEP)
		return wt_reader_complain(reader, WT_WORD "either flush or keep", WT_ABOUT(reader, at));
	if (handoff->cells > 1 && !(seen & CELL))
		return wt_reader_complain(reader, WT_WORD "a value must follow \"then\", such as \"to-delay 5ms\"", WT_ABOUT(reader, at));
	return 0;
}

int wt_words_handoff(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"every", "mean",	   "for",     "at",	 "drop", "flush",
					      "keep",  "then", "to-delay", "to-rate", "to-loss", NULL};
	struct wt_handoff_config *handoff = &stage->handoff;
	unsigned at = reader->at - 1, seen = 0;
	int index, error = 0;

	stage->kind = WT_STAGE_HANDOFF;
	handoff->drop = 1;
	while (!error && (index = wt_reader_option(reader, options, &seen)) >= 0)
		error = read_option(reader, handoff, index, &seen);
	if (error || index == WT_BAD_OPTION || check(reader, at, handoff, seen))
		return -EINVAL;
	if (!(seen & 1u << AT) && !handoff->random)
		handoff->at = handoff->every;
	return 0;
}
