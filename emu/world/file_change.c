/* SPDX-License-Identifier: BSD-2-Clause */
/* [at] and [schedule]: what changes when. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/file.h"
#include "stack/text/units.h"

#define TIMES 1000000 /* of one section: what is more is a mistake */

static void begin_section(struct wt_world_file *file)
{
	file->sections++;
	free(file->note);
	file->note = NULL;
	file->flush = false;
	file->first_event = file->world->events;
}

/* [at 10s], [at 10s every 20s times 5] */
int wt_file_open_at(struct wt_world_file *file, char *words)
{
	static const char expected[] = "expected [at TIME] or [at TIME every TIME times N], such as [at 10s]";
	char *word[6] = {NULL}, *rest = words;
	unsigned count = 0;
	char why[200];
	wt_time last;

	for (char *one; count < 6 && (one = strtok_r(rest, " \t", &rest));)
		word[count++] = one;
	file->section = WT_SECTION_AT;
	file->times = 1;
	file->every = 0;
	begin_section(file);
	if (count != 1 && !(count == 5 && !strcmp(word[1], "every") && !strcmp(word[3], "times")))
		return wt_file_refuse(file, "%s", expected);
	if (wt_parse_time(word[0], &file->at, why, sizeof(why)) ||
	    (count == 5 && (wt_parse_time(word[2], &file->every, why, sizeof(why)) ||
			    wt_parse_count(word[4], &file->times, why, sizeof(why)))))
		return wt_file_refuse(file, "%s", why);
	if (count == 5 && file->every <= 0)
		return wt_file_refuse(file, "every: '%.40s' is no interval: expected a time above 0", word[2]);
	if (file->times < 1 || file->times > TIMES)
		return wt_file_refuse(file, "times: '%.40s': expected 1 to %d", word[4], TIMES);
	if (__builtin_mul_overflow(file->every, (wt_time)file->times, &last) || __builtin_add_overflow(file->at, last, &last))
		return wt_file_refuse(file, "the last of %" PRIu64 " times is later than there are nanoseconds", file->times);
	return 0;
}

/* [schedule] of the only link, [schedule NAME] */
int wt_file_open_schedule(struct wt_world_file *file, const char *name)
{
	int link = *name ? wt_world_find_link(file->world, name) : file->world->links == 1 ? 0 : -1;

	file->section = WT_SECTION_SCHEDULE;
	if (link < 0 && *name)
		return wt_file_refuse(file, "there is no link \"%.40s\" above", name);
	if (link < 0)
		return wt_file_refuse(file, "expected [schedule NAME] with the name of a link above: there %s %u", file->world->links == 1 ? "is" : "are", file->world->links);
	file->scheduled = (unsigned)link;
	file->schedule.columns = 0;
	file->latest = -1;
	for (unsigned i = 0; i < 2; i++) {
		free(file->template[i]);
		file->template[i] = NULL;
	}
	return 0;
}

/* A change that changes nothing would lose its note. */
void wt_file_close_changes(struct wt_world_file *file)
{
	bool changes = file->section == WT_SECTION_AT || file->section == WT_SECTION_SCHEDULE;
	char why[200];

	if (!file->failed && changes && file->world->events == file->section_events) {
		wt_file_refuse(file, file->section == WT_SECTION_AT ? "the change is missing: expected fwd, rev or both with the words of a path"
							   : "expected a row, such as 10s = VALUE...");
		file->bad_line = file->section_line;
	}
	if (!file->failed && file->section == WT_SECTION_SCHEDULE && wt_schedule_check(&file->schedule, file->template, why, sizeof(why))) {
		wt_file_refuse(file, "%s", why);
		file->bad_line = file->section_line;
	}
	file->section_events = file->world->events;
}

/* The event of this section at its n-th time for a link, from the cursor on: those of a link stand in the order of their times. NULL: no
 * memory. */
static struct wt_world_event *event_for(struct wt_world_file *file, uint64_t n, unsigned link, unsigned *cursor)
{
	struct wt_world *world = file->world;
	wt_time at = file->at + (wt_time)n * file->every;
	struct wt_world_event *event;

	for (; *cursor < world->events; ++*cursor)
		if (world->event[*cursor].at == at && world->event[*cursor].link == link)
			return &world->event[(*cursor)++];
	event = wt_world_add_event(world);
	if (!event)
		return NULL;
	*cursor = world->events;
	event->at = at;
	event->section = file->sections;
	event->link = link;
	event->flush = file->flush;
	event->line = file->line;
	if (file->note && wt_world_text(&event->note, file->note))
		return NULL;
	return event;
}

/* note and queue: of the whole section, wherever they stand in it. */
static int of_section(struct wt_world_file *file, bool queue, const char *value)
{
	static const char *const policies[] = {"keep", "flush", NULL};
	struct wt_world *world = file->world;
	int policy = queue ? wt_file_find(policies, value) : file->flush;

	if (policy < 0)
		return wt_file_refuse(file, "queue: '%.40s': expected keep or flush", value);
	file->flush = policy;
	if (!queue && wt_world_text(&file->note, value))
		return wt_file_refuse(file, "out of memory");
	for (unsigned i = file->first_event; i < world->events; i++) {
		world->event[i].flush = file->flush;
		if (file->note && wt_world_text(&world->event[i].note, file->note))
			return wt_file_refuse(file, "out of memory");
	}
	return 0;
}

/* fwd, rev, both of the only link; NAME.fwd, NAME.rev, NAME.both of others. */
int wt_file_at_key(struct wt_world_file *file, const char *key, const char *value)
{
	static const char *const keys[] = {"fwd", "rev", "both", "note", "queue", "NAME.fwd", "NAME.rev", "NAME.both", NULL};
	struct wt_world *world = file->world;
	const char *dot = strchr(key, '.'), *direction = dot ? dot + 1 : key;
	int which = wt_file_find(keys, direction), link = 0, error = 0;
	unsigned cursor = file->first_event;
	char name[60];

	if (which < 0 || which > 4 || (which >= 3 && dot))
		return wt_file_unknown(file, "key", key, keys);
	if (which >= 3)
		return of_section(file, which == 4, value);
	if (dot) {
		snprintf(name, sizeof(name), "%.*s", (int)(dot - key), key);
		link = wt_world_find_link(world, name);
	}
	if (link < 0 || (!dot && world->links != 1))
		return wt_file_refuse(file, "%.40s: expected NAME.fwd, NAME.rev or NAME.both with the name of a link above", key);
	for (uint64_t n = 0; n < file->times && !error; n++) {
		struct wt_world_event *event = event_for(file, n, (unsigned)link, &cursor);

		if (!event)
			return wt_file_refuse(file, "out of memory");
		for (int i = 0; i < 2 && !error; i++)
			if (which == i || which == 2)
				error = wt_file_add_words(file, &event->words[i], &event->words_line[i], key, value);
	}
	return error;
}

/* A row: the words that hold from its time on. */
static int schedule_row(struct wt_world_file *file, const char *key, const char *value)
{
	struct wt_world_event *event;
	char why[300];

	if (wt_parse_time(key, &file->at, why, sizeof(why)))
		return wt_file_refuse(file, "%s", why);
	if (file->at < 0 || !file->schedule.columns || (!file->template[0] && !file->template[1]))
		return wt_file_refuse(file, "a row begins with its time, not negative, and stands below \"columns\" and the words of fwd, rev or both");
	if (file->at <= file->latest)
		return wt_file_refuse(file, "%.40s: expected a time after that of the row above", key);
	file->latest = file->at;
	file->every = 0;
	begin_section(file);
	event = event_for(file, 0, file->scheduled, &file->first_event);
	if (!event)
		return wt_file_refuse(file, "out of memory");
	for (unsigned i = 0; i < 2; i++) {
		if (!file->template[i])
			continue;
		event->words[i] = wt_schedule_words(&file->schedule, file->template[i], value, why, sizeof(why));
		if (!event->words[i])
			return wt_file_refuse(file, "%s", why);
	}
	return 0;
}

int wt_file_schedule_key(struct wt_world_file *file, const char *key, const char *value)
{
	static const char *const keys[] = {"fwd", "rev", "both", "columns", "TIME", NULL};
	int which = wt_file_find(keys, key), error = 0;
	char why[300];

	if (*key >= '0' && *key <= '9')
		return file->continued ? wt_file_refuse(file, "a row does not go on in the next line") : schedule_row(file, key, value);
	if (which < 0 || which == 4)
		return wt_file_unknown(file, "key", key, keys);
	if (which == 3)
		return wt_schedule_columns(&file->schedule, value, why, sizeof(why)) ? wt_file_refuse(file, "%s", why) : 0;
	for (int i = 0; i < 2 && !error; i++)
		if (which == i || which == 2)
			error = wt_file_add_words(file, &file->template[i], NULL, key, value);
	return error;
}
