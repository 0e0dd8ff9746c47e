/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep file, as docs/man/wavetank-sweep.5.scd describes it: what is run (parameters), what is varied (axes: each a list of words),
 * how often. A point is one word of every axis; points are counted with the last axis fastest.
 *
 * A published table is a sweep with printed numbers: what the paper prints, claims and states stands in notes, which are read by
 * tools/paper. A table based on another takes over everything but those that are its own.
 */
#ifndef WT_TOOLS_SWEEP_FILE_H
#define WT_TOOLS_SWEEP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emu/daemon/verdict.h"
#include "tools/common/embedded.h"
#include "tools/common/kernel_names.h"

#define WT_SWEEP_AXES 12
#define WT_SWEEP_WORDS 1000     /* of one axis */
#define WT_SWEEP_VARIANTS 64
#define WT_SWEEP_VALUE 1000
#define WT_SWEEP_RUNS 10000000u
#define WT_SWEEP_SEED (INT64_MAX - (int64_t)WT_SWEEP_RUNS) /* at most, so that those of all repeats are seeds of labs too */

/* Parameters of a run, in the order of file.c's table. */
enum wt_sweep_param {
	WT_SWEEP_STACK, WT_SWEEP_SENDER, WT_SWEEP_RECOVERY, WT_SWEEP_RECEIVER, WT_SWEEP_PRESET, WT_SWEEP_SETTINGS, WT_SWEEP_LINK,
	WT_SWEEP_FWD, WT_SWEEP_REV, WT_SWEEP_MTU, WT_SWEEP_SIZE, WT_SWEEP_TIME, WT_SWEEP_FLOWS, WT_SWEEP_LIMIT,
	WT_SWEEP_APP, WT_SWEEP_TOKENS, WT_SWEEP_WORLD, WT_SWEEP_PARAMS
};

extern const struct wt_embedded wt_paper_files[]; /* the tables that came with the program */
extern const struct wt_embedded wt_paper_worlds[]; /* and the worlds that they name */
extern const char *const wt_sweep_param_name[WT_SWEEP_PARAMS];

struct wt_sweep_value {
	char *text; /* NULL: not given */
	unsigned line;
};

/* A name that a section of an axis gives a value: {NAME} stands for it. */
struct wt_sweep_name {
	char *name;
	struct wt_sweep_value value;
};

/* [variant NAME], or [AXIS WORD] of another axis: what holds at that word. */
struct wt_sweep_variant {
	char *axis, *name, *label;
	unsigned line, names;
	struct wt_sweep_value param[WT_SWEEP_PARAMS];
	struct wt_sweep_name *own; /* of other axes than `variant` */
};

struct wt_sweep_axis {
	char *name;
	unsigned line, words;
	char **word;
};

/* [printed], [printed METRIC], [claims], [parameters], [expected]: entries as they stand. */
struct wt_sweep_note {
	char *section, *key, *text;
	unsigned line;
};
bool wt_sweep_is_notes(const char *section);

/*
 * Another way to run it all: [without RULE] switches off a rule of ours, so that a verdict can say whether it rests on it; [under PRESET] is
 * another stack. What it does not name stays; settings and parameters of modules are added behind the file's own, where the last word
 * counts.
 */
struct wt_sweep_edit {
	enum wt_sweep_param param;
	char *variant; /* NULL: every one */
	char *text;
};

struct wt_sweep_change {
	char *name; /* "without-wave_end_ack", "under-xkernel" */
	char *text;
	unsigned line, edits;
	struct wt_sweep_edit *edit;
};

struct wt_sweep {
	char *file, *name, *metric;
	char *title, *source, *heading, *figure, *unavailable; /* of a published table; NULL: not said */
	unsigned metric_line; /* 0: the default */
	char backend[8]; /* "sim", "tap", "packet" */
	uint64_t seed, repeats, most, attempts;
	struct wt_verdict_bounds bounds; /* in real time, of a run while the host is not too busy */
	double relative; /* stop rule: half of the 95 % interval over the mean; 0: `repeats` runs of each point */
	unsigned axes, variants;
	struct wt_sweep_axis axis[WT_SWEEP_AXES]; /* [variant NAME] sections become the axis "variant" */
	struct wt_sweep_variant variant[WT_SWEEP_VARIANTS];
	struct wt_sweep_value param[WT_SWEEP_PARAMS];
	unsigned notes, changes;
	struct wt_sweep_note *note;
	struct wt_sweep_change *change;
	char *changed; /* the name of the change that was made; NULL: none */
	unsigned looks; /* at the orders of a table's rows: after `repeats` runs, three times as many, ...; 0: it is no table. By: */
	double level, margin, cells; /* see tools/paper/judge.h */
	uint32_t points;
	char kernel[WT_KERNEL_RELEASE]; /* release of the kernel whose TCP runs: part of the names of those runs. Not in the file */
};

/*
 * Parses `text`; `name` is for messages. 0, -ENODATA (`unavailable`: nothing to run, err says why), or -EINVAL with "FILE:LINE: what, and what
 * was expected" in err. Finish in any case.
 */
int wt_sweep_parse(struct wt_sweep *sweep, const char *text, const char *name, char *err, size_t err_len);
/*
 * The same by name: a file (its path, with .ini at its end), else a table that came with the program ("tcp-real-2001/table1"), from
 * $WAVETANK_DATA/papers/ID.ini if that is there. The id of a figure that plots a table's numbers is that table. Also -ENOENT, or an error of
 * the file.
 */
int wt_sweep_load(struct wt_sweep *sweep, const char *word, char *err, size_t err_len);
/* The text that a word names, malloc'ed, or NULL with *error and a sentence; the name for messages goes to `name`. */
char *wt_sweep_text(const char *word, char name[512], int *error, char *err, size_t err_len);
/* The same of a world that a sweep names: a file in its folder. */
char *wt_sweep_world_text(const struct wt_sweep *sweep, const char *word, char name[512], int *error, char *err, size_t err_len);
void wt_sweep_finish(struct wt_sweep *sweep);

/* The word of an axis at a point. */
const char *wt_sweep_word(const struct wt_sweep *sweep, uint32_t point, unsigned axis);
/* "loss=5% variant=real" into text; returns it. */
const char *wt_sweep_point_text(const struct wt_sweep *sweep, uint32_t point, char *text, size_t len);
/* The parameter of that name; -1: it is none. */
int wt_sweep_param_of(const char *key);
/*
 * For the reader. Lines of a base are none of this file: 0 to forget them, so that what stands there may be said again; in the end those that
 * are still 0 become `to`.
 */
void wt_sweep_set_lines(struct wt_sweep *sweep, unsigned to);
/* For the reader: the notes but [parameters], or all of them; the axes. */
void wt_sweep_forget_notes(struct wt_sweep *sweep, bool all);
void wt_sweep_forget_axes(struct wt_sweep *sweep);

/* Where results go if nobody says: results/NAME and `end`, slashes as dashes. */
void wt_sweep_folder(const struct wt_sweep *sweep, const char *end, char *dir, size_t len);
/* Repeats of a point at most. */
uint64_t wt_sweep_most(const struct wt_sweep *sweep);
/* The axis whose words are the columns of a table: "variant", else the last one; -1: there is none. */
int wt_sweep_series(const struct wt_sweep *sweep);
/* What stands for a word of the series in print. */
const char *wt_sweep_label(const struct wt_sweep *sweep, const char *word);

/* Does it have printed numbers? */
bool wt_sweep_is_table(const struct wt_sweep *sweep);
/* The row of a point, where the series makes the columns; and its name: of [printed] where there is one, else its words. */
uint32_t wt_sweep_row(const struct wt_sweep *sweep, uint32_t point);
const char *wt_sweep_row_text(const struct wt_sweep *sweep, uint32_t point, char *text, size_t len);

/* The change of that name; NULL: none is declared. */
const struct wt_sweep_change *wt_sweep_change_of(const struct wt_sweep *sweep, const char *name);
/* Makes it. 0, -EINVAL with a sentence in err (it declares none), -ENOMEM. */
int wt_sweep_apply_change(struct wt_sweep *sweep, const char *name, char *err, size_t err_len);

#endif
