/* SPDX-License-Identifier: BSD-2-Clause */
/* loss in its kinds. */
#include <ctype.h>
#include <errno.h>

#include "emu/markov.h"
#include "emu/words.h"

static int parse_start(struct wt_reader *reader, enum wt_markov_start *start)
{
	static const char *const starts[] = {"off", "on", "random", NULL};
	int index = wt_reader_more(reader) ? wt_reader_find(starts, reader->word[reader->at]) : -1;

	if (index < 0)
		return wt_reader_complain(reader, WT_WORD "one of random, on, off must follow", WT_ABOUT(reader, reader->at - 1));
	*start = (enum wt_markov_start)index;
	reader->at++;
	return 0;
}

static int parse_gilbert(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"off", "on", "shared", "start", NULL};
	struct wt_gilbert_config *gilbert = &stage->gilbert;
	unsigned at = reader->at - 1, seen = 0;
	int index;

	stage->kind = WT_STAGE_GILBERT;
	gilbert->start = WT_MARKOV_START_RANDOM;
	while ((index = wt_reader_option(reader, options, &seen)) >= 0) {
		int error = 0;

		if (index < 2) {
			error = wt_reader_value(reader, WT_QUANTITY_TIME, &gilbert->mean[index]);
			if (!error && (gilbert->mean[index] < WT_MARKOV_MEAN_MIN || gilbert->mean[index] > WT_MARKOV_MEAN_MAX))
				error = wt_reader_complain(reader, WT_WORD "a mean sojourn is from 100us to 10000h", WT_ABOUT(reader, reader->at - 1));
			if (!error)
				error = wt_reader_value(reader, WT_QUANTITY_SHARE, &gilbert->drop[index]);
		} else if (index == 2) {
			stage->shared = true;
		} else {
			error = parse_start(reader, &gilbert->start);
		}
		if (error)
			return error;
	}
	if (index == WT_BAD_OPTION)
		return -EINVAL;
	if (!(seen & 2))
		return wt_reader_complain(reader, WT_WORD "on is missing: mean sojourn and drop share, such as \"on 1s 20%%\"", WT_ABOUT(reader, at));
	if (!(seen & 1))
		return wt_reader_complain(reader, WT_WORD "off is missing: mean sojourn and drop share, such as \"off 1s 0%%\"", WT_ABOUT(reader, at));
	return 0;
}

int wt_words_loss(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	stage->kind = WT_STAGE_LOSS;
	if (wt_reader_take(reader, "gilbert"))
		return parse_gilbert(reader, stage);
	/* "loss gilbet on ..." is a misspelt model, not a misspelt share */
	if (wt_reader_more(reader) && isalpha((unsigned char)reader->word[reader->at][0])) {
		static const char *const models[] = {"gilbert", NULL};

		if (wt_reader_find(wt_reader_stages, reader->word[reader->at]) < 0)
			return wt_reader_unknown(reader, reader->at, models);
	}
	return wt_reader_value(reader, WT_QUANTITY_SHARE, &stage->share);
}
