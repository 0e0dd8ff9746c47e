/* SPDX-License-Identifier: BSD-2-Clause */
/* rate: the link and its queue. */
#include <errno.h>

#include "emu/words.h"
#include "stack/base/units.h"

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
static int check_rate(struct wt_reader *reader, unsigned i, const struct wt_rate_config *rate, unsigned seen)
{
	char size[32];

	if (rate->rate < 1 || rate->rate > WT_RATE_MAX)
		return wt_reader_complain(reader, WT_WORD "a rate is from 1bit to 1000Gbit", WT_ABOUT(reader, i + 1));
	if (!(seen & 1))
		return wt_reader_complain(reader,
				WT_WORD "burst is missing: the bytes that may pass at once, for example \"burst %s\", or "
				     "\"burst 0B\" for a serial line",
				WT_ABOUT(reader, i), wt_format_size(at_least(bytes_of(rate->rate, 1), 3000), size, sizeof(size)));
	if (!(seen & 2))
		return wt_reader_complain(reader,
				WT_WORD "limit is missing: the bytes that may wait, for example \"limit %s\" (50 ms of the rate, at "
				     "least 64KB)",
				WT_ABOUT(reader, i), wt_format_size(at_least(bytes_of(rate->rate, 50), 64000), size, sizeof(size)));
	if (rate->burst > WT_BURST_MAX)
		return wt_reader_complain(reader, WT_WORD "burst is at most 1GB", WT_ABOUT(reader, i));
	if (rate->overhead > WT_OVERHEAD_MAX)
		return wt_reader_complain(reader, WT_WORD "overhead is at most 1KB a frame", WT_ABOUT(reader, i));
	if (rate->burst < FULL_FRAME + rate->overhead && rate->limit < FULL_FRAME)
		return wt_reader_complain(reader,
				WT_WORD "a full frame (1514B) fits neither the burst nor the limit and would never pass; "
				     "for example \"limit 64KB\"",
				WT_ABOUT(reader, i));
	return 0;
}

int wt_words_rate(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"burst", "limit", "overhead", NULL};
	uint64_t *const fields[] = {&stage->rate.burst, &stage->rate.limit, &stage->rate.overhead};
	unsigned at = reader->at - 1, seen = 0;
	int error = wt_reader_value(reader, WT_QUANTITY_RATE, &stage->rate.rate), index;

	stage->kind = WT_STAGE_RATE;
	if (error)
		return error;
	while ((index = wt_reader_option(reader, options, &seen)) >= 0) {
		error = wt_reader_value(reader, WT_QUANTITY_SIZE, fields[index]);
		if (error)
			return error;
	}
	return index == WT_BAD_OPTION ? -EINVAL : check_rate(reader, at, &stage->rate, seen);
}
