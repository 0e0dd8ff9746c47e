/* SPDX-License-Identifier: BSD-2-Clause */
/* loss in its kinds; the chain of several states is in markov.c. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/loss/copies.h"
#include "emu/loss/markov.h"
#include "emu/words/words.h"
#include "stack/text/units.h"

static int parse_start(struct wt_reader *reader, enum wt_markov_start *start)
{
	static const char *const starts[] = {"off", "on", "random", NULL};
	int index = wt_reader_more(reader) ? wt_reader_find(starts, reader->word[reader->at]) : -1;

	if (index < 0)
		return wt_reader_complain(reader, WT_WORD "expected random, on or off", WT_ABOUT(reader, reader->at - 1));
	*start = (enum wt_markov_start)index;
	reader->at++;
	return 0;
}

int wt_words_mean(struct wt_reader *reader, wt_time *mean)
{
	int error = wt_reader_value(reader, WT_QUANTITY_TIME, mean);

	if (!error && (*mean < WT_MARKOV_MEAN_MIN || *mean > WT_MARKOV_MEAN_MAX))
		return wt_reader_complain(reader, WT_WORD "a mean sojourn is from 100us to 10000h", WT_ABOUT(reader, reader->at - 1));
	return error;
}

static int read_gilbert(struct wt_reader *reader, struct wt_stage_plan *stage, int index)
{
	struct wt_gilbert_config *gilbert = &stage->gilbert;
	int error = 0;

	switch (index) {
	case 0:
	case 1:
		error = wt_words_mean(reader, &gilbert->mean[index]);
		return error ? error : wt_reader_value(reader, WT_QUANTITY_SHARE, &gilbert->drop[index]);
	case 2:
		stage->shared = true;
		return 0;
	case 3:
		return parse_start(reader, &gilbert->start);
	default:
		stage->twice = true;
		return 0;
	}
}

static int parse_gilbert(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"off", "on", "shared", "start", "twice", NULL};
	unsigned at = reader->at - 1, seen = 0;
	int index;

	stage->kind = WT_STAGE_GILBERT;
	stage->gilbert.start = WT_MARKOV_START_RANDOM;
	while ((index = wt_reader_option(reader, options, &seen)) >= 0)
		if (read_gilbert(reader, stage, index))
			return -EINVAL;
	if (index == WT_BAD_OPTION)
		return -EINVAL;
	if (!(seen & 2))
		return wt_reader_complain(reader, WT_WORD "on is missing: mean sojourn and drop share, such as \"on 1s 20%%\"",
					  WT_ABOUT(reader, at));
	if (!(seen & 1))
		return wt_reader_complain(reader, WT_WORD "off is missing: mean sojourn and drop share, such as \"off 1s 0%%\"",
					  WT_ABOUT(reader, at));
	return 0;
}

/* "3packets", "2.5packets": at least 1. */
static int read_burst(struct wt_reader *reader, double *burst)
{
	const char *word = wt_reader_word(reader, "a number of packets such as \"3packets\"");
	size_t digits = word ? strspn(word, "0123456789.") : 0;
	char number[24] = "";

	if (!word)
		return -EINVAL;
	if (digits && digits < sizeof(number) && !strcmp(word + digits, "packets"))
		memcpy(number, word, digits);
	if (!number[0] || wt_parse_number(number, burst, NULL, 0) || !(*burst >= 1))
		return wt_reader_complain(reader, WT_WORD "a mean burst is a number of packets from 1 on, such as \"3packets\"",
					  WT_ABOUT(reader, reader->at - 1));
	return 0;
}

enum { P, R, H, K, MEAN, BURST };

/* From what people measure to what the model wants: all are lost in the bad state, none in the good one. */
static int derive_elliott(struct wt_reader *reader, unsigned at, double mean, double burst, struct wt_elliott_config *config)
{
	config->r = 1 / burst;
	config->p = mean < 1 ? config->r * mean / (1 - mean) : 2;
	if (config->p > 1)
		return wt_reader_complain(reader, WT_WORD "no channel loses so much in bursts so short: the mean is at most burst / (burst + 1)",
					  WT_ABOUT(reader, at));
	return 0;
}

static int parse_elliott(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"p", "r", "h", "k", "mean", "burst", NULL};
	struct wt_elliott_config *config = &stage->elliott;
	double mean = 0, burst = 0;
	double *const fields[] = {&config->p, &config->r, &config->h, &config->k, &mean};
	unsigned at = reader->at - 1, seen = 0;
	int index;

	stage->kind = WT_STAGE_ELLIOTT;
	config->k = 1;
	while ((index = wt_reader_option(reader, options, &seen)) >= 0)
		if (index == BURST ? read_burst(reader, &burst) : wt_reader_value(reader, WT_QUANTITY_SHARE, fields[index]))
			return -EINVAL;
	if (index == WT_BAD_OPTION)
		return -EINVAL;
	if (seen == (1u << MEAN | 1u << BURST))
		return derive_elliott(reader, at, mean, burst, config);
	if (!(seen >> MEAN) && (seen & 3) == 3)
		return 0;
	return wt_reader_complain(reader, WT_WORD "either p and r (and h, k) must follow, such as \"p 1%% r 30%%\", or mean and burst, "
					  "such as \"mean 9%% burst 3packets\"", WT_ABOUT(reader, at));
}

/* "17" or "100-120"; 0 where a number is missing. */
static struct wt_list_range read_range(const char **text)
{
	struct wt_list_range range = {0, 0};
	char *end;

	if (!isdigit((unsigned char)**text))
		return range;
	range.first = range.last = strtoull(*text, &end, 10);
	if (*end == '-')
		range.last = isdigit((unsigned char)*++end) ? strtoull(end, &end, 10) : 0;
	*text = end;
	return range;
}

/* Rising: packets above those before them, or other copies of the same ones. */
static bool good_range(const struct wt_list_config *list, const struct wt_list_range *range)
{
	const struct wt_list_range *before = list->count ? &list->range[list->count - 1] : NULL;
	bool same = before && list->copies && range->first == before->first && range->last == before->last && range->copy > before->copies;

	if (list->copies && (!range->copy || range->copies < range->copy || range->last > WT_COPIES_LAST))
		return false;
	return range->first && range->last >= range->first && range->last <= WT_LIST_LAST && (!before || same || range->first > before->last);
}

/* "3,17,100-120": from 1, rising. With copies "17:2,40-45:1-3". */
static int parse_ranges(struct wt_reader *reader, const char *text, const char *expected, struct wt_list_config *list)
{
	for (;;) {
		struct wt_list_range range = read_range(&text);

		if (list->copies && *text == ':') {
			struct wt_list_range copies;

			text++;
			copies = read_range(&text);
			range.copy = (uint32_t)(copies.first < UINT32_MAX ? copies.first : UINT32_MAX);
			range.copies = (uint32_t)(copies.last < UINT32_MAX ? copies.last : UINT32_MAX);
		}
		if (list->count == WT_LIST_MAX)
			return wt_reader_complain(reader, "word %u: at most %d numbers and ranges", wt_reader_about(reader, reader->at - 1),
						  WT_LIST_MAX);
		if (!good_range(list, &range) || (*text && *text != ','))
			return wt_reader_complain(reader, WT_WORD "expected %s", WT_ABOUT(reader, reader->at - 1), expected);
		list->range[list->count++] = range;
		if (!*text++)
			return 0;
	}
}

static int parse_stated(struct wt_reader *reader, struct wt_stage_plan *stage, bool copies, enum wt_samples_kind file, const char *expected)
{
	const char *text = wt_reader_word(reader, expected);

	stage->kind = WT_STAGE_LIST;
	stage->list.copies = copies;
	if (!text)
		return -EINVAL;
	if (strcmp(text, "file"))
		return parse_ranges(reader, text, expected, &stage->list);
	stage->list.trace = wt_reader_file(reader, file);
	return stage->list.trace ? 0 : -EINVAL;
}

static int parse_list(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	return parse_stated(reader, stage, false, WT_SAMPLES_NUMBERS, "numbers of packets from 1, rising, such as \"3,17,100-120\"");
}

static int parse_copy(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	return parse_stated(reader, stage, true, WT_SAMPLES_COPIES,
			    "packets of a flow from 1, rising to 1000000, each with its copies, such as \"17:2,40-45:1-3\"");
}

/* "every 60s" behind a trace over time. */
static int parse_every(struct wt_reader *reader, const struct wt_samples *trace, wt_time *every)
{
	unsigned at = reader->at;

	if (!wt_reader_take(reader, "every"))
		return 0;
	if (wt_reader_value(reader, WT_QUANTITY_TIME, every))
		return -EINVAL;
	return *every > wt_samples_last_time(trace) ? 0 : wt_reader_complain(reader, WT_WORD "\"every\" must be longer than the last time of the file",
									   WT_ABOUT(reader, at));
}

/* By packet, or over time. */
static int parse_trace(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	struct wt_samples *trace = wt_reader_file_of_two(reader, WT_SAMPLES_BITS, WT_SAMPLES_SHARES);

	if (!trace)
		return -EINVAL;
	if (trace->kind == WT_SAMPLES_BITS) {
		stage->kind = WT_STAGE_LIST;
		stage->list.trace = trace;
		return 0;
	}
	stage->kind = WT_STAGE_LOSS;
	stage->loss.trace = trace;
	return parse_every(reader, trace, &stage->loss.every);
}

int wt_words_loss(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const models[] = {"gilbert", "markov", "elliott", "list", "copy", "trace", "twice", NULL};
	static int (*const parsers[])(struct wt_reader *reader, struct wt_stage_plan *stage) = {
		parse_gilbert, wt_words_markov, parse_elliott, parse_list, parse_copy, parse_trace,
	};
	int index = wt_reader_more(reader) ? wt_reader_find(models, reader->word[reader->at]) : -1;

	stage->kind = WT_STAGE_LOSS;
	if (index >= 0) {
		reader->at++;
		if ((size_t)index < sizeof(parsers) / sizeof(parsers[0]))
			return parsers[index](reader, stage);
		stage->loss.twice = true;
	} else if (wt_reader_more(reader) && isalpha((unsigned char)reader->word[reader->at][0])) {
		/* "loss gilbet on ..." is a misspelt model, not a misspelt share */
		if (wt_reader_find(wt_reader_stages, reader->word[reader->at]) < 0)
			return wt_reader_unknown(reader, reader->at, models);
	}
	return wt_reader_value(reader, WT_QUANTITY_SHARE, &stage->loss.share);
}
