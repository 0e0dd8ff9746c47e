/* SPDX-License-Identifier: BSD-2-Clause */
/* The stages of few words: outage, duplicate, reorder, delay. */
#include <errno.h>

#include "emu/words.h"

int wt_words_outage(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	static const char *const options[] = {"at", "every", "for", NULL};
	unsigned at = reader->at - 1, seen = 0;
	struct wt_outage *outage;
	int index;

	stage->kind = WT_STAGE_OUTAGE;
	if (stage->outage_count == WT_OUTAGES_MAX)
		return wt_reader_complain(reader, WT_WORD "more than %d outages in one stage", WT_ABOUT(reader, at), WT_OUTAGES_MAX);
	outage = &stage->outages[stage->outage_count++];
	while ((index = wt_reader_option(reader, options, &seen)) >= 0) {
		wt_time *const fields[] = {&outage->at, &outage->period, &outage->length};
		int error = wt_reader_value(reader, WT_QUANTITY_TIME, fields[index]);

		if (error)
			return error;
	}
	if (index == WT_BAD_OPTION)
		return -EINVAL;
	if (!(seen & 4))
		return wt_reader_complain(reader, WT_WORD "for is missing: how long, such as \"for 500ms\"", WT_ABOUT(reader, at));
	if (!(seen & 3))
		return wt_reader_complain(reader, WT_WORD "when is missing: \"at 10s\" or \"every 5s\"", WT_ABOUT(reader, at));
	if (!(seen & 2))
		return 0;
	if (outage->period <= outage->length)
		return wt_reader_complain(reader, WT_WORD "\"every\" must be longer than \"for\"", WT_ABOUT(reader, at));
	if (!(seen & 1))
		outage->at = outage->period;
	return 0;
}

int wt_words_reorder(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	unsigned at = reader->at - 1;
	int error = wt_reader_value(reader, WT_QUANTITY_SHARE, &stage->share);

	stage->kind = WT_STAGE_REORDER;
	if (error)
		return error;
	if (!wt_reader_take(reader, "delay"))
		return wt_reader_complain(reader, WT_WORD "\"delay T\" must follow the share: how long a packet is held, such as \"delay 5ms\"",
				WT_ABOUT(reader, at));
	return wt_reader_value(reader, WT_QUANTITY_TIME, &stage->delay);
}

int wt_words_duplicate(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	stage->kind = WT_STAGE_DUPLICATE;
	return wt_reader_value(reader, WT_QUANTITY_SHARE, &stage->share);
}

int wt_words_delay(struct wt_reader *reader, struct wt_stage_plan *stage)
{
	stage->kind = WT_STAGE_DELAY;
	return wt_reader_value(reader, WT_QUANTITY_TIME, &stage->delay);
}
