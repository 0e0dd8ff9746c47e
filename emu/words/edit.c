/* SPDX-License-Identifier: BSD-2-Clause */
/* One stage of a path gets other words; the rest of the path stays as it is written. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "emu/path_parts.h"
#include "emu/words/words.h"

/* The entry of that name, as records have it ("delay", "loss.2"); -1: there is none, and err lists those that are. */
static int find(const struct wt_path_plan *plan, const char *stage, char *err, size_t err_len)
{
	struct wt_path_place place[WT_PATH_PLACES];
	char name[WT_PATH_NAME], list[300] = "";

	wt_path_places(plan, place);
	for (unsigned i = 0; i < plan->count; i++) {
		size_t at = strlen(list);

		if (plan->stage[i].kind >= WT_STAGE_FILTER)
			continue;
		wt_path_place_name(&place[i], name);
		if (!strcmp(name, stage))
			return (int)i;
		snprintf(list + at, sizeof(list) - at, "%s%s", at ? ", " : "", name);
	}
	snprintf(err, err_len, "there is no stage '%.40s' in this path%s%s; words for the whole path may add one", stage,
		 *list ? ", which has " : "", list);
	return -1;
}

/* How many words in front of its first value. */
static unsigned head_of(const struct wt_stage_plan *stage)
{
	switch (stage->kind) {
	case WT_STAGE_GILBERT:
	case WT_STAGE_MARKOV:
	case WT_STAGE_ELLIOTT:
	case WT_STAGE_LIST:
		return 2;
	default:
		return stage->kind == WT_STAGE_LOSS && stage->loss.twice ? 2 : 1;
	}
}

/* The text behind so many words and the blanks that follow. */
static const char *behind(const char *text, unsigned words)
{
	while (words--) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return text;
}

/* `value` is one value, which takes the place of the first; or all words of the stage, with or without its name. */
static int write_stage(const struct wt_stage_plan *stage, const char *value, char *to, size_t len)
{
	struct wt_path_plan one = {.count = 1};
	char old[WT_PATH_TEXT];
	const char *values, *rest = "";
	int head, n;

	one.stage[0] = *stage;
	one.stage[0].group = 0;
	if (!wt_path_format(&one, old, sizeof(old)))
		return -EINVAL;
	values = behind(old, head_of(stage));
	head = (int)(values - old);
	if (!strncmp(value, old, strcspn(old, " ") + 1))
		head = 0;
	else if (*value && !value[strcspn(value, " \t")])
		rest = behind(values, 1);
	n = snprintf(to, len, "%.*s%s%s%s", head, old, value, *rest ? " " : "", rest);
	return n < (int)len ? 0 : -EINVAL;
}

int wt_path_edit(const struct wt_path *path, const char *words, const char *stage, const char *value, char text[WT_PATH_TEXT], char *err,
		 size_t err_len)
{
	const struct wt_path_files files = {.cache = path->cache, .path = path};
	struct wt_path_plan plan, one;
	struct wt_stage_plan old;
	char fresh[WT_PATH_TEXT];
	int at, error = wt_path_parse(&plan, words, &files, err, err_len);

	if (error)
		return error;
	at = find(&plan, stage, err, err_len);
	error = at < 0 ? -EINVAL : write_stage(&plan.stage[at], value, fresh, sizeof(fresh));
	if (at >= 0 && error)
		snprintf(err, err_len, "the words of stage '%.40s' are too long", stage);
	if (!error)
		error = wt_path_parse(&one, fresh, &files, err, err_len);
	if (error) {
		wt_path_plan_finish(&plan);
		return error;
	}
	old = plan.stage[at];
	if (one.count != 1 || one.stage[0].kind != old.kind) {
		snprintf(err, err_len, "'%.100s' is not this one stage: words for the whole path may put others in its place", value);
		error = -EINVAL;
	} else {
		plan.stage[at] = one.stage[0];
		plan.stage[at].group = old.group;
		one.stage[0] = old; /* whose samples go with it */
		if (!wt_path_format(&plan, text, WT_PATH_TEXT)) {
			snprintf(err, err_len, "the path is too long: its normal form has more than %d characters", WT_PATH_TEXT - 1);
			error = -EINVAL;
		}
	}
	wt_path_plan_finish(&one);
	wt_path_plan_finish(&plan);
	return error;
}
