/* SPDX-License-Identifier: BSD-2-Clause */
/* rate: the link, its limit and its queue. */
#include <errno.h>
#include <string.h>

#include "emu/queue/queue.h"
#include "emu/words/words.h"
#include "stack/text/units.h"

static uint64_t at_least(uint64_t value, uint64_t least)
{
	return value > least ? value : least;
}

/* rate bit/s for `ms` milliseconds, in bytes, rounded up to whole KB. */
static uint64_t bytes_of(uint64_t rate, uint64_t ms)
{
	return (rate / 8000 * ms + 999) / 1000 * 1000;
}

enum { FULL_FRAME = 1514, PARAMS_FROM = 8 };
enum { BURST, LIMIT, OVERHEAD, EVERY, QUEUE, OPTIONS };

static const char *const options[] = {"burst", "limit", "overhead", "every", "queue"};

/* About a rate of bits or bytes a second: for a suggestion. */
static uint64_t bits_of(const struct wt_rate_config *rate)
{
	if (rate->trace)
		return 0;
	return rate->every ? (uint64_t)((double)rate->lump * 8e9 / (double)rate->every) : rate->rate;
}

/* A depth and a limit chosen by the program would decide the experiment unseen: they are asked for, with a suggestion. */
static int check_given(struct wt_reader *reader, unsigned i, const struct wt_rate_config *rate, unsigned seen)
{
	char size[32];

	if (rate->trace && seen & (1u << BURST | 1u << EVERY))
		return wt_reader_complain(reader, WT_WORD "a trace sets the times itself: it takes neither burst nor every",
					  WT_ABOUT(reader, i));
	if (!rate->trace && !(seen & 1u << BURST))
		return wt_reader_complain(reader,
					  WT_WORD "burst is missing: the bytes that may pass at once, for example \"burst %s\", or "
						  "\"burst 0B\" for a serial line",
					  WT_ABOUT(reader, i),
					  wt_format_size(at_least(bytes_of(bits_of(rate), 1), 3000), size, sizeof(size)));
	if (!(seen & 1u << LIMIT))
		return wt_reader_complain(reader,
					  WT_WORD "limit is missing: the bytes that may wait, for example \"limit %s\" (50 ms of "
						  "the rate, at least 64KB)",
					  WT_ABOUT(reader, i),
					  wt_format_size(at_least(bytes_of(bits_of(rate), 50), 64000), size, sizeof(size)));
	if (rate->lump && !rate->every)
		return wt_reader_complain(reader, WT_WORD "\"every\" is missing: how often these bytes arrive, such as \"every 30ms\"",
					  WT_ABOUT(reader, i));
	if (!rate->lump && rate->every)
		return wt_reader_complain(reader, WT_WORD "every needs a size, such as \"rate 20KB every 30ms\"", WT_ABOUT(reader, i));
	return 0;
}

static int check_red(struct wt_reader *reader, unsigned i, const struct wt_queue_config *queue)
{
	if (queue->kind != WT_QUEUE_RED || (queue->min && queue->max > queue->min))
		return 0;
	if (!queue->min || !queue->max)
		return wt_reader_complain(reader, WT_WORD "queue red needs min and max, such as \"min 15KB max 45KB\"",
					  WT_ABOUT(reader, i));
	return wt_reader_complain(reader, WT_WORD "min must be below max", WT_ABOUT(reader, i));
}

static int check_rate(struct wt_reader *reader, unsigned i, const struct wt_rate_config *rate, unsigned seen)
{
	int error = check_given(reader, i, rate, seen);

	if (error)
		return error;
	if (rate->burst > WT_BURST_MAX)
		return wt_reader_complain(reader, WT_WORD "burst is at most 1GB", WT_ABOUT(reader, i));
	if (rate->overhead > WT_OVERHEAD_MAX)
		return wt_reader_complain(reader, WT_WORD "overhead is at most 1KB a frame", WT_ABOUT(reader, i));
	if (!rate->packets && rate->burst < FULL_FRAME + rate->overhead && rate->limit < FULL_FRAME)
		return wt_reader_complain(reader,
					  WT_WORD "a full frame (1514B) fits neither the burst nor the limit and would never pass; "
						  "for example \"limit 64KB\"",
					  WT_ABOUT(reader, i));
	if (rate->packets && rate->burst < FULL_FRAME + rate->overhead && !rate->limit)
		return wt_reader_complain(reader, WT_WORD "a full frame (1514B) does not fit the burst and no packet may wait",
					  WT_ABOUT(reader, i));
	return check_red(reader, i, &rate->queue);
}

/* "10Mbit", "20KB" of a bucket filled in lumps, or "trace FILE". */
static int read_speed(struct wt_reader *reader, struct wt_rate_config *rate)
{
	unsigned at = reader->at;
	int error;

	if (wt_reader_take(reader, "trace")) {
		rate->trace = wt_reader_file(reader, WT_SAMPLES_TRACE);
		return rate->trace ? 0 : -EINVAL;
	}
	if (wt_reader_more(reader) && !wt_parse_size(reader->word[at], &rate->lump, NULL, 0)) {
		reader->at++;
		if (rate->lump && rate->lump <= WT_BURST_MAX)
			return 0;
		return wt_reader_complain(reader, WT_WORD "expected a size from 1B to 1GB", WT_ABOUT(reader, at));
	}
	error = wt_reader_value(reader, WT_QUANTITY_RATE, &rate->rate);
	if (!error && (rate->rate < 1 || rate->rate > WT_RATE_MAX))
		return wt_reader_complain(reader, WT_WORD "a rate is from 1bit to 1000Gbit", WT_ABOUT(reader, at));
	return error;
}

/* "64KB" or "50packets". */
static int read_limit(struct wt_reader *reader, struct wt_rate_config *rate)
{
	const char *word = wt_reader_more(reader) ? reader->word[reader->at] : "";
	size_t digits = strspn(word, "0123456789");
	char number[24];

	if (!digits || digits >= sizeof(number) || (strcmp(word + digits, "packets") && strcmp(word + digits, "packet")))
		return wt_reader_value(reader, WT_QUANTITY_SIZE, &rate->limit);
	memcpy(number, word, digits);
	number[digits] = 0;
	if (wt_parse_count(number, &rate->limit, NULL, 0))
		return wt_reader_complain(reader, WT_WORD "too many packets", WT_ABOUT(reader, reader->at));
	rate->packets = true;
	reader->at++;
	return 0;
}

static int read_kind(struct wt_reader *reader, struct wt_queue_config *queue)
{
	static const char what[] = "one of the queues tail, head, red, codel, fq_codel, pie, dualpi2";
	const char *names[WT_QUEUE_KINDS + 1] = {NULL};
	const char *word = wt_reader_word(reader, what);
	int kind;

	if (!word)
		return -EINVAL;
	for (unsigned i = 0; i < WT_QUEUE_KINDS; i++)
		names[i] = wt_queue_kinds[i].name;
	kind = wt_reader_find(names, word);
	if (kind < 0)
		return wt_reader_complain(reader, WT_WORD "expected %s", WT_ABOUT(reader, reader->at - 1), what);
	*queue = wt_queue_kinds[kind].defaults;
	return 0;
}

static int read_param(struct wt_reader *reader, struct wt_queue_config *queue, const struct wt_param *param)
{
	const char *value = "on", *shown;
	char why[200];

	if (param->type != WT_PARAM_BOOL)
		value = wt_reader_word(reader, "a value");
	shown = reader->word[reader->at - 1];
	if (!value)
		return -EINVAL;
	if (!wt_param_set(param, 1, queue, param->name, value, why, sizeof(why)))
		return 0;
	return wt_reader_complain(reader, WT_WORD "%s", reader->place[reader->at - 1], shown, why);
}

static int read_option(struct wt_reader *reader, struct wt_rate_config *rate, int index)
{
	switch (index) {
	case BURST:
		return wt_reader_value(reader, WT_QUANTITY_SIZE, &rate->burst);
	case LIMIT:
		return read_limit(reader, rate);
	case OVERHEAD:
		return wt_reader_value(reader, WT_QUANTITY_SIZE, &rate->overhead);
	case EVERY:
		if (wt_reader_value(reader, WT_QUANTITY_TIME, &rate->every))
			return -EINVAL;
		if (rate->every)
			return 0;
		return wt_reader_complain(reader, WT_WORD "expected a period of at least 1ns", WT_ABOUT(reader, reader->at - 1));
	case QUEUE:
		return read_kind(reader, &rate->queue);
	default:
		return read_param(reader, &rate->queue, &wt_queue_kinds[rate->queue.kind].params[index - PARAMS_FROM]);
	}
}

int wt_words_rate(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	struct wt_rate_config *rate = &stage->rate;
	unsigned at = reader->at - 1, seen = 0;
	int error, index = 0;

	stage->kind = WT_STAGE_RATE;
	error = read_speed(reader, rate);
	while (!error) {
		const struct wt_queue_kind_info *kind = &wt_queue_kinds[rate->queue.kind];
		/* the names before PARAMS_FROM are the rate's, those after it the queue's; the gap repeats a name */
		const char *names[PARAMS_FROM + 8 + 1] = {NULL};

		for (unsigned i = 0; i < PARAMS_FROM; i++)
			names[i] = options[i < OPTIONS ? i : 0];
		for (unsigned i = 0; i < kind->count; i++)
			names[PARAMS_FROM + i] = kind->params[i].name;
		index = wt_reader_option(reader, names, &seen);
		if (index < 0)
			break;
		error = read_option(reader, rate, index);
	}
	if (error || index == WT_BAD_OPTION)
		return -EINVAL;
	return check_rate(reader, at, rate, seen);
}
