/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parser is strict, because a path misread is an experiment lost: every quantity carries its unit, a queue has a stated
 * depth and limit, and a word that means nothing is an error, with its place and the nearest word that means something.
 */
#include "emu/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/markov.h"
#include "stack/base/params.h"
#include "stack/base/units.h"

#define WORDS_MAX 256

struct words {
	char buffer[2 * 2048];
	const char *word[WORDS_MAX + 1];
	unsigned place[WORDS_MAX + 1]; /* as people count: from 1, bars not counted */
	unsigned count, at;
	char *err;
	size_t err_len;
};

static const char bar[] = "|";
static const char *const stage_words[] = {"rate", "outage", "loss", "duplicate", "reorder", "delay", NULL};

static int complain(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int complain(struct words *words, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (words->err_len)
		vsnprintf(words->err, words->err_len, format, args);
	va_end(args);
	return -EINVAL;
}

/* About the word at index i. Words are shown cut: an error is one line. */
#define ABOUT(i) words->place[i], words->word[i]
#define WORD "word %u \"%.40s\": "

static int split(struct words *words, const char *text)
{
	char *to = words->buffer;
	unsigned place = 0;

	if (strlen(text) >= sizeof(words->buffer) / 2)
		return complain(words, "the path has more than %zu characters", sizeof(words->buffer) / 2 - 1);
	while (*text) {
		if (isspace((unsigned char)*text)) {
			text++;
			continue;
		}
		if (words->count == WORDS_MAX)
			return complain(words, "the path has more than %d words", WORDS_MAX);
		if (*text == '|') {
			words->place[words->count] = place;
			words->word[words->count++] = bar;
			text++;
			continue;
		}
		words->place[words->count] = ++place;
		words->word[words->count++] = to;
		while (*text && !isspace((unsigned char)*text) && *text != '|')
			*to++ = isprint((unsigned char)*text) ? *text : '?', text++;
		*to++ = 0;
	}
	return 0;
}

static bool more(const struct words *words)
{
	return words->at < words->count && words->word[words->at] != bar;
}

static int find(const char *const *list, const char *word)
{
	for (int i = 0; list[i]; i++)
		if (!strcmp(list[i], word))
			return i;
	return -1;
}

struct candidates {
	const char *const *first, *const *second;
};

static const char *candidate(const void *ctx, size_t i)
{
	const struct candidates *candidates = ctx;
	size_t n = 0;

	while (candidates->first[n]) {
		if (n == i)
			return candidates->first[n];
		n++;
	}
	return candidates->second[i - n];
}

/* The word at index i is none of `first` (of the stage it stands in) nor of the stages' names. */
static int unknown(struct words *words, unsigned i, const char *const *first)
{
	static const char *const none[] = {NULL};
	struct candidates candidates = {first ? first : none, stage_words};
	const char *nearest = wt_nearest_word(words->word[i], candidate, &candidates);

	if (nearest)
		return complain(words, WORD "not known here; did you mean \"%s\"?", ABOUT(i), nearest);
	return complain(words, WORD "not known here; a stage is one of rate, outage, loss, duplicate, reorder, delay",
			ABOUT(i));
}

enum { NO_OPTION = -1, BAD_OPTION = -2 };

/* The next word as an index of `options`; NO_OPTION if another stage, a bar or the end comes; BAD_OPTION: err is set.
 * `seen` has a bit per option: none may be given twice. */
static int option(struct words *words, const char *const *options, unsigned *seen)
{
	int index;

	if (!more(words))
		return NO_OPTION;
	index = find(options, words->word[words->at]);
	if (index < 0) {
		if (find(stage_words, words->word[words->at]) >= 0)
			return NO_OPTION;
		unknown(words, words->at, options);
		return BAD_OPTION;
	}
	if (*seen & 1u << index) {
		complain(words, WORD "given twice", ABOUT(words->at));
		return BAD_OPTION;
	}
	*seen |= 1u << index;
	words->at++;
	return index;
}

enum quantity { TIME, SIZE, RATE, SHARE };

/* The value after the word just taken. */
static int value(struct words *words, enum quantity quantity, void *out)
{
	static const char *const examples[] = {"a time such as \"15ms\"", "a size such as \"20KB\"",
					       "a rate such as \"10Mbit\"", "a share such as \"20%\""};
	char why[200] = "";
	const char *text;
	int error = -EINVAL;

	if (!more(words))
		return complain(words, WORD "%s must follow", ABOUT(words->at - 1), examples[quantity]);
	text = words->word[words->at];
	switch (quantity) {
	case TIME:
		error = wt_parse_time(text, out, why, sizeof(why));
		if (!error && *(wt_time *)out < 0)
			return complain(words, WORD "a time here cannot be negative", ABOUT(words->at));
		break;
	case SIZE:
		error = wt_parse_size(text, out, why, sizeof(why));
		break;
	case RATE:
		error = wt_parse_rate(text, out, why, sizeof(why));
		break;
	case SHARE:
		error = wt_parse_share(text, out, why, sizeof(why));
		break;
	}
	if (error) /* `why` quotes the word */
		return complain(words, "word %u, after \"%.40s\": %s", words->place[words->at], words->word[words->at - 1], why);
	words->at++;
	return 0;
}

static uint64_t at_least(uint64_t value, uint64_t least)
{
	return value > least ? value : least;
}

/* rate bit/s for `ms` milliseconds, in bytes, rounded up to whole KB. */
static uint64_t bytes_of(uint64_t rate, uint64_t ms)
{
	return (rate / 8000 * ms + 999) / 1000 * 1000;
}

enum { FULL_FRAME = 1514 };

/* A depth and a limit chosen by the program would decide the experiment unseen: they are asked for, with a suggestion. */
static int check_rate(struct words *words, unsigned i, const struct wt_rate_config *rate, unsigned seen)
{
	char size[32];

	if (rate->rate < 1 || rate->rate > WT_RATE_MAX)
		return complain(words, WORD "a rate is from 1bit to 1000Gbit", ABOUT(i + 1));
	if (!(seen & 1))
		return complain(words,
				WORD "burst is missing: the bytes that may pass at once, for example \"burst %s\", or "
				     "\"burst 0B\" for a serial line",
				ABOUT(i), wt_format_size(at_least(bytes_of(rate->rate, 1), 3000), size, sizeof(size)));
	if (!(seen & 2))
		return complain(words,
				WORD "limit is missing: the bytes that may wait, for example \"limit %s\" (50 ms of the rate, at "
				     "least 64KB)",
				ABOUT(i), wt_format_size(at_least(bytes_of(rate->rate, 50), 64000), size, sizeof(size)));
	if (rate->burst > WT_BURST_MAX)
		return complain(words, WORD "burst is at most 1GB", ABOUT(i));
	if (rate->overhead > WT_OVERHEAD_MAX)
		return complain(words, WORD "overhead is at most 1KB a frame", ABOUT(i));
	if (rate->burst < FULL_FRAME + rate->overhead && rate->limit < FULL_FRAME)
		return complain(words,
				WORD "a full frame (1514B) fits neither the burst nor the limit and would never pass; "
				     "for example \"limit 64KB\"",
				ABOUT(i));
	return 0;
}

static int parse_rate(struct words *words, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"burst", "limit", "overhead", NULL};
	uint64_t *const fields[] = {&stage->rate.burst, &stage->rate.limit, &stage->rate.overhead};
	unsigned at = words->at - 1, seen = 0;
	int error = value(words, RATE, &stage->rate.rate), index;

	if (error)
		return error;
	while ((index = option(words, options, &seen)) >= 0) {
		error = value(words, SIZE, fields[index]);
		if (error)
			return error;
	}
	return index == BAD_OPTION ? -EINVAL : check_rate(words, at, &stage->rate, seen);
}

static int parse_outage(struct words *words, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"at", "every", "for", NULL};
	unsigned at = words->at - 1, seen = 0;
	struct wt_outage *outage;
	int index;

	if (stage->outage_count == WT_OUTAGES_MAX)
		return complain(words, WORD "more than %d outages in one stage", ABOUT(at), WT_OUTAGES_MAX);
	outage = &stage->outages[stage->outage_count++];
	while ((index = option(words, options, &seen)) >= 0) {
		wt_time *const fields[] = {&outage->at, &outage->period, &outage->length};
		int error = value(words, TIME, fields[index]);

		if (error)
			return error;
	}
	if (index == BAD_OPTION)
		return -EINVAL;
	if (!(seen & 4))
		return complain(words, WORD "for is missing: how long, such as \"for 500ms\"", ABOUT(at));
	if (!(seen & 3))
		return complain(words, WORD "when is missing: \"at 10s\" or \"every 5s\"", ABOUT(at));
	if (!(seen & 2))
		return 0;
	if (outage->period <= outage->length)
		return complain(words, WORD "\"every\" must be longer than \"for\"", ABOUT(at));
	if (!(seen & 1))
		outage->at = outage->period;
	return 0;
}

static int parse_start(struct words *words, enum wt_markov_start *start)
{
	static const char *const starts[] = {"off", "on", "random", NULL};
	int index = more(words) ? find(starts, words->word[words->at]) : -1;

	if (index < 0)
		return complain(words, WORD "one of random, on, off must follow", ABOUT(words->at - 1));
	*start = (enum wt_markov_start)index;
	words->at++;
	return 0;
}

static int parse_gilbert(struct words *words, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"off", "on", "shared", "start", NULL};
	struct wt_gilbert_config *gilbert = &stage->gilbert;
	unsigned at = words->at - 1, seen = 0;
	int index;

	stage->kind = WT_STAGE_GILBERT;
	gilbert->start = WT_MARKOV_START_RANDOM;
	while ((index = option(words, options, &seen)) >= 0) {
		int error = 0;

		if (index < 2) {
			error = value(words, TIME, &gilbert->mean[index]);
			if (!error && (gilbert->mean[index] < WT_MARKOV_MEAN_MIN || gilbert->mean[index] > WT_MARKOV_MEAN_MAX))
				error = complain(words, WORD "a mean sojourn is from 100us to 10000h", ABOUT(words->at - 1));
			if (!error)
				error = value(words, SHARE, &gilbert->drop[index]);
		} else if (index == 2) {
			stage->shared = true;
		} else {
			error = parse_start(words, &gilbert->start);
		}
		if (error)
			return error;
	}
	if (index == BAD_OPTION)
		return -EINVAL;
	if (!(seen & 2))
		return complain(words, WORD "on is missing: mean sojourn and drop share, such as \"on 1s 20%%\"", ABOUT(at));
	if (!(seen & 1))
		return complain(words, WORD "off is missing: mean sojourn and drop share, such as \"off 1s 0%%\"", ABOUT(at));
	return 0;
}

static int parse_loss(struct words *words, struct wt_stage_plan *stage)
{
	if (more(words) && !strcmp(words->word[words->at], "gilbert")) {
		words->at++;
		return parse_gilbert(words, stage);
	}
	/* "loss gilbet on ..." is a misspelt model, not a misspelt share */
	if (more(words) && isalpha((unsigned char)words->word[words->at][0])) {
		static const char *const models[] = {"gilbert", NULL};

		if (find(stage_words, words->word[words->at]) < 0)
			return unknown(words, words->at, models);
	}
	return value(words, SHARE, &stage->share);
}

static int parse_reorder(struct words *words, struct wt_stage_plan *stage)
{
	unsigned at = words->at - 1;
	int error = value(words, SHARE, &stage->share);

	if (error)
		return error;
	if (!more(words) || strcmp(words->word[words->at], "delay"))
		return complain(words, WORD "\"delay T\" must follow the share: how long a packet is held, such as \"delay 5ms\"",
				ABOUT(at));
	words->at++;
	return value(words, TIME, &stage->delay);
}

/* One stage from its words; the first has been taken. */
static int parse_stage(struct words *words, enum wt_stage_kind kind, struct wt_stage_plan *stage)
{
	switch (kind) {
	case WT_STAGE_RATE:
		return parse_rate(words, stage);
	case WT_STAGE_OUTAGE:
		return parse_outage(words, stage);
	case WT_STAGE_LOSS:
		return parse_loss(words, stage);
	case WT_STAGE_DUPLICATE:
		return value(words, SHARE, &stage->share);
	case WT_STAGE_REORDER:
		return parse_reorder(words, stage);
	default:
		return value(words, TIME, &stage->delay);
	}
}

static struct wt_stage_plan *find_stage(struct wt_path_plan *plan, unsigned group, enum wt_stage_kind kind)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (plan->stage[i].group == group && plan->stage[i].kind == kind)
			return &plan->stage[i];
	return NULL;
}

/* Keeps the list in passing order: by group, then by kind. */
static void insert(struct wt_path_plan *plan, const struct wt_stage_plan *stage)
{
	unsigned i = plan->count++;

	for (; i > 0 && (plan->stage[i - 1].group > stage->group ||
			 (plan->stage[i - 1].group == stage->group && plan->stage[i - 1].kind > stage->kind));
	     i--)
		plan->stage[i] = plan->stage[i - 1];
	plan->stage[i] = *stage;
}

static int parse_one(struct words *words, struct wt_path_plan *plan, unsigned group)
{
	static const enum wt_stage_kind kinds[] = {WT_STAGE_RATE, WT_STAGE_OUTAGE, WT_STAGE_LOSS, WT_STAGE_DUPLICATE,
						   WT_STAGE_REORDER, WT_STAGE_DELAY};
	unsigned at = words->at++;
	int index = find(stage_words, words->word[at]), error;
	struct wt_stage_plan *earlier, stage;

	if (index < 0)
		return unknown(words, at, NULL);
	if (kinds[index] == WT_STAGE_OUTAGE && (earlier = find_stage(plan, group, WT_STAGE_OUTAGE)))
		return parse_outage(words, earlier);
	stage = (struct wt_stage_plan){.kind = kinds[index], .group = group};
	error = parse_stage(words, kinds[index], &stage);
	if (error)
		return error;
	if (find_stage(plan, group, stage.kind))
		return complain(words, WORD "given twice; to pass such a stage twice, separate the two by \"|\"", ABOUT(at));
	if (plan->count == WT_PATH_STAGES)
		return complain(words, WORD "a path has at most %d stages", ABOUT(at), WT_PATH_STAGES);
	insert(plan, &stage);
	return 0;
}

int wt_path_parse(struct wt_path_plan *plan, const char *text, char *err, size_t err_len)
{
	struct words words = {.err = err, .err_len = err ? err_len : 0};
	unsigned group = 0, stages = 0;
	int error = split(&words, text);

	plan->count = 0;
	while (!error && words.at < words.count) {
		if (words.word[words.at] == bar) {
			if (!stages || words.at + 1 == words.count)
				return complain(&words, "after word %u: a \"|\" stands between two stages", words.place[words.at]);
			words.at++;
			group++;
			stages = 0;
			continue;
		}
		error = parse_one(&words, plan, group);
		stages++;
	}
	return error;
}
