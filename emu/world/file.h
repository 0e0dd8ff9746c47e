/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the reader share: file.c lines, sections and what there is; file_change.c changes; file_flow.c flows and the run;
 * file_air.c the air and its stations (air.h). */
#ifndef WT_EMU_WORLD_FILE_H
#define WT_EMU_WORLD_FILE_H

#include <stdio.h>

#include "emu/world/schedule.h"
#include "emu/world/world.h"

enum wt_section {
	WT_SECTION_NONE, WT_SECTION_EMULATOR, WT_SECTION_PORT, WT_SECTION_HOST, WT_SECTION_ROUTER, WT_SECTION_LINK, WT_SECTION_AT,
	WT_SECTION_SCHEDULE, WT_SECTION_FLOW, WT_SECTION_RUN, WT_SECTION_AIR, WT_SECTION_STATION, WT_SECTION_STATIONS,
};

struct wt_world_file {
	struct wt_world *world;
	const struct wt_world_keys *emulator;
	FILE *file;
	char *text; /* its line at hand */
	size_t text_room;
	unsigned line;
	bool continued; /* the line begins with a blank: it belongs to the key before */
	enum wt_section section;
	unsigned section_line; /* where it begins */
	unsigned opened;       /* bits: the sections so far that a file has once */
	char said[400];        /* its keys so far, each between blanks */

	/* of [at] and [schedule] */
	unsigned sections;
	wt_time at, every;
	uint64_t times;
	char *note;
	bool flush;
	unsigned scheduled; /* link */
	char *template[2];  /* words with columns in them, by direction */
	struct wt_schedule schedule;
	wt_time latest;     /* of its rows so far */
	unsigned first_event, section_events; /* of the section; changes before it */

	/* of [flow] */
	bool joined, reverse;
	unsigned ends; /* bits: its length was said by bytes (1), by stop (2) */
	uint64_t count;

	char stations[WT_WORLD_NAME]; /* of [stations]: how their names begin */

	bool failed;
	unsigned bad_line;
	char why[400];
};

/* Keeps the first complaint. -EINVAL. */
int wt_file_refuse(struct wt_world_file *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A word that is none of a list: the nearest, or all. */
int wt_file_unknown(struct wt_world_file *file, const char *what, const char *word, const char *const *known);
int wt_file_find(const char *const *list, const char *word); /* index, or -1 */
/* A section that a file has once, and that takes no name, begins. 0 or -EINVAL. */
int wt_file_open_only(struct wt_world_file *file, enum wt_section section, const char *header, const char *name);
bool wt_file_good_name(struct wt_world_file *file, const char *name);
/* Words may go on over several lines, which stay apart until they are checked if their first one's number is kept. */
int wt_file_add_words(struct wt_world_file *file, char **words, unsigned *line, const char *key, const char *value);
/* "a b": two names. The rest goes on with them; 0 or -EINVAL. */
int wt_file_two(struct wt_world_file *file, const char *key, const char *value, char text[80], char *word[2], const char *expected);

/* file_change.c: the sections of changes begin and end, and their keys. Each 0 or -EINVAL. */
int wt_file_open_at(struct wt_world_file *file, char *words);
int wt_file_open_schedule(struct wt_world_file *file, const char *name);
void wt_file_close_changes(struct wt_world_file *file);
int wt_file_at_key(struct wt_world_file *file, const char *key, const char *value);
int wt_file_schedule_key(struct wt_world_file *file, const char *key, const char *value);

/* A host that is a station, of this section. 0 or -EINVAL. */
int wt_file_add_station(struct wt_world_file *file, const char *name);

/* file_flow.c */
int wt_file_open_flow(struct wt_world_file *file, const char *name);
int wt_file_open_run(struct wt_world_file *file, const char *name);
void wt_file_close_flow(struct wt_world_file *file);
int wt_file_flow_key(struct wt_world_file *file, const char *key, const char *value);
int wt_file_run_key(struct wt_world_file *file, const char *key, const char *value);

#endif
