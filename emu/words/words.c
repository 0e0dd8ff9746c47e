/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of stages between bars and in filters, each group put into passing order. The words of a stage are read in words_*.c. */
#include "emu/words/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* In the order of wt_reader_stages. */
static int (*const parsers[])(struct wt_reader *reader, struct wt_stage_plan *stage) = {
	wt_words_hops,    wt_words_mtu,       wt_words_rate,    wt_words_outage,  wt_words_handoff, wt_words_loss,
	wt_words_corrupt, wt_words_duplicate, wt_words_reorder, wt_words_delay,
};

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

static void stage_finish(struct wt_stage_plan *stage)
{
	wt_samples_release(stage->rate.trace);
	wt_samples_release(stage->list.trace);
	wt_samples_release(stage->loss.trace);
	wt_samples_release(stage->delay.samples);
	wt_samples_release(stage->delay.trace);
}

void wt_path_plan_finish(struct wt_path_plan *plan)
{
	while (plan->count)
		stage_finish(&plan->stage[--plan->count]);
}

/* A handoff that names a rate, a delay or a loss, or flushes, needs the one stage that it means. */
static int check_handoff(struct wt_reader *reader, const struct wt_path_plan *plan, const struct wt_stage_plan *stage)
{
	static const enum wt_stage_kind kinds[] = {WT_STAGE_DELAY, WT_STAGE_RATE, WT_STAGE_LOSS};
	static const char *const words[] = {"to-delay", "to-rate", "to-loss"}, *const names[] = {"delay", "rate", "loss"};
	const struct wt_handoff_config *handoff = &stage->handoff;
	bool wanted[3] = {false, handoff->flush, false}, to_rate = false;

	for (unsigned i = 0; i < handoff->cells; i++) {
		wanted[0] |= handoff->cell[i].has_delay;
		to_rate |= handoff->cell[i].has_rate;
		wanted[2] |= handoff->cell[i].has_loss;
	}
	wanted[1] |= to_rate;
	for (unsigned k = 0; k < 3; k++) {
		unsigned found = 0;

		for (unsigned i = 0; wanted[k] && i < plan->count; i++) {
			found += plan->stage[i].kind == kinds[k];
			if (to_rate && plan->stage[i].kind == WT_STAGE_RATE && !plan->stage[i].rate.rate)
				return wt_reader_complain(reader, "handoff: to-rate needs a plain rate, neither a trace nor lumps");
		}
		if (wanted[k] && found != 1)
			return wt_reader_complain(reader, "handoff: %s needs a stage \"%s\" in the same direction, and only one",
						  k == 1 && !to_rate ? "flush" : words[k], names[k]);
	}
	return 0;
}

static int check_handoffs(struct wt_reader *reader, const struct wt_path_plan *plan)
{
	unsigned found = 0;

	for (unsigned i = 0; i < plan->count; i++) {
		if (plan->stage[i].kind != WT_STAGE_HANDOFF)
			continue;
		if (found++)
			return wt_reader_complain(reader, "handoff: a direction can have only one");
		if (check_handoff(reader, plan, &plan->stage[i]))
			return -EINVAL;
	}
	return 0;
}

/* Takes its samples over. */
static int place(struct wt_reader *reader, struct wt_path_plan *plan, const struct wt_stage_plan *stage, unsigned at)
{
	unsigned stages = 0;

	if (find_stage(plan, stage->group, stage->kind))
		return wt_reader_complain(reader, WT_WORD "given twice; to pass such a stage twice, separate the two by \"|\"",
					  WT_ABOUT(reader, at));
	for (unsigned i = 0; i < plan->count; i++)
		stages += plan->stage[i].kind < WT_STAGE_FILTER;
	if (stages == WT_PATH_STAGES)
		return wt_reader_complain(reader, WT_WORD "a path has at most %d stages", WT_ABOUT(reader, at), WT_PATH_STAGES);
	insert(plan, stage);
	return 0;
}

static int parse_one(struct wt_reader *reader, struct wt_path_plan *plan, unsigned group)
{
	unsigned at = reader->at++;
	int index = wt_reader_find(wt_reader_stages, reader->word[at]), error;
	struct wt_stage_plan *earlier, stage = {.group = group};

	if (index < 0)
		return wt_reader_unknown(reader, at, NULL);
	if (parsers[index] == wt_words_outage && (earlier = find_stage(plan, group, WT_STAGE_OUTAGE)))
		return wt_words_outage(reader, earlier);
	error = parsers[index](reader, &stage);
	if (!error)
		error = place(reader, plan, &stage, at);
	if (error)
		stage_finish(&stage);
	return error;
}

/* Words without a filter; they begin another group. */
static int parse_part(struct wt_path_plan *plan, unsigned *group, const char *text, unsigned line, const struct wt_path_files *files,
		      char *err, size_t err_len)
{
	struct wt_reader reader;
	unsigned stages = 0;
	int error = wt_reader_init(&reader, text, line, files, err, err_len);

	++*group;
	while (!error && reader.at < reader.count) {
		if (wt_reader_is_bar(&reader, reader.at)) {
			if (!stages || reader.at + 1 == reader.count)
				return wt_reader_complain(&reader, "after word %u: a \"|\" stands between two stages", wt_reader_about(&reader, reader.at));
			reader.at++;
			++*group;
			stages = 0;
			continue;
		}
		error = parse_one(&reader, plan, *group);
		stages++;
	}
	return error;
}

static int bar_alone(char *err, size_t err_len)
{
	snprintf(err, err_len, "a \"|\" beside a filter stands between it and a stage or another filter");
	return -EINVAL;
}

/* The line that `at` stands in. */
static unsigned line_at(const char *text, const char *at)
{
	unsigned line = 1;

	while (text < at)
		line += *text++ == '\n';
	return line;
}

/* A filter, what stands inside, and its end. *text goes to what follows, and the bar between. */
static int parse_filter(struct wt_path_plan *plan, unsigned *group, const char *all, const char **text,
			const struct wt_path_files *files, char *err, size_t err_len)
{
	struct wt_stage_plan *filter = &plan->stage[plan->count], *merge;
	char words[WT_READER_TEXT];
	const char *inside;
	unsigned filters = 0;
	int error;

	for (unsigned i = 0; i < plan->count; i++)
		filters += plan->stage[i].kind == WT_STAGE_FILTER;
	if (filters == WT_PATH_FILTERS) {
		snprintf(err, err_len, "a path has at most %d filters", WT_PATH_FILTERS);
		return -EINVAL;
	}
	*filter = (struct wt_stage_plan){.group = ++*group};
	error = wt_words_filter(text, filter, words, &inside, err, err_len);
	if (error)
		return error;
	plan->count++;
	error = parse_part(plan, group, words, line_at(all, inside), files, err, err_len);
	if (error)
		return error;
	merge = &plan->stage[plan->count++];
	*merge = (struct wt_stage_plan){.kind = WT_STAGE_MERGE, .group = ++*group};
	if (**text != '|')
		return 0;
	*text = wt_words_skip(*text + 1);
	return **text ? 0 : bar_alone(err, err_len);
}

static int parse_all(struct wt_path_plan *plan, const char *text, const struct wt_path_files *files, char *err, size_t err_len)
{
	const char *all = text;
	unsigned group = 0;
	int error = 0;

	if (!*wt_words_find_filter(text))
		return parse_part(plan, &group, text, 1, files, err, err_len);
	for (text = wt_words_skip(text); !error && *text;) {
		const char *filter = wt_words_find_filter(text), *end = filter;
		char words[WT_READER_TEXT];

		if (filter == text) {
			error = parse_filter(plan, &group, all, &text, files, err, err_len);
			continue;
		}
		if (*filter) { /* the bar in front of it */
			while (isspace((unsigned char)end[-1]))
				end--;
			if (end[-1] == '|' && --end == text)
				return bar_alone(err, err_len);
		}
		error = wt_words_copy(words, sizeof(words), text, end, err, err_len);
		if (!error)
			error = parse_part(plan, &group, words, line_at(all, text), files, err, err_len);
		text = filter;
	}
	return error;
}

int wt_path_parse(struct wt_path_plan *plan, const char *text, const struct wt_path_files *files, char *err, size_t err_len)
{
	struct wt_reader nothing;
	int error;

	plan->count = 0;
	error = parse_all(plan, text, files, err, err_len);
	if (!error)
		error = wt_reader_init(&nothing, "", 1, files, err, err_len);
	if (!error)
		error = check_handoffs(&nothing, plan);
	if (error)
		wt_path_plan_finish(plan);
	return error;
}
