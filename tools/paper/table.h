/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A published table as a data file (tools/data/papers): what was varied, how the runs are set up, what was printed. INI; the
 * sections are those of tcp-real-2001/table1.ini, which is the reference for the format.
 */
#ifndef WT_TOOLS_PAPER_TABLE_H
#define WT_TOOLS_PAPER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/time.h"

#define WT_PAPER_POINTS 16
#define WT_PAPER_VARIANTS 8
#define WT_PAPER_PARAMETERS 48
#define WT_PAPER_CHANGES 12

/* What a table counts. Its column names are NAME_mean_UNIT and so on. */
struct wt_paper_metric {
	const char *name;    /* "goodput" */
	const char *unit;    /* as in a data file: "KB/s" */
	const char *key;     /* in column names: "kBps" */
	const char *heading; /* for people */
};

enum { WT_PAPER_GOODPUT, WT_PAPER_SUCCESS, WT_PAPER_TOKENS, WT_PAPER_METRICS };
extern const struct wt_paper_metric wt_paper_metrics[WT_PAPER_METRICS];

struct wt_paper_cell {
	double value;   /* in the table's metric, as printed; NaN: not printed */
	double time;    /* seconds, as printed, beside a goodput; NaN */
	char suspect[200]; /* why the printed value is not to be trusted; empty: it may be */
};

struct wt_paper_point {
	char label[16];
	char p[16]; /* what {p} stands for: "33.3333%" */
	char note[200];
	struct wt_paper_cell cell[WT_PAPER_VARIANTS];
};

struct wt_paper_variant {
	char name[16], label[24];
	char sender[160], recovery[160], receiver[160]; /* empty: the default */
};

struct wt_paper_parameter {
	char name[32];
	char text[400]; /* "stated: ..." or "chosen: ..." */
};

/*
 * Another way to run the table, declared in its file: [without RULE] switches off a rule of ours, so that a verdict can say whether it
 * rests on it; [under PRESET] is another stack. What it does not name stays; settings and module parameters are added behind
 * the table's own, where the last word counts.
 */
struct wt_paper_change {
	char name[40]; /* "without-wave_end_ack", "under-xkernel" */
	char text[240];
	char preset[24], settings[160];
	struct {
		char sender[80], recovery[80], receiver[80]; /* parameters */
	} variant[WT_PAPER_VARIANTS];
};

struct wt_paper {
	char id[64], title[160], source[320], axis[64];
	char figure[64]; /* the published figure that plots these numbers: "tcp-real-2001/figure2"; empty: none */
	char unavailable[200]; /* why there is nothing to run: a figure without numbers; empty: there is */
	char fwd[512], rev[512];
	char preset[24], settings[256];
	char meter[96]; /* words of the token meter (tools/app/token_meter.h); empty: none */
	char app[256]; /* words of the application (tools/app/playback.h); empty: bulk */
	unsigned metric; /* WT_PAPER_GOODPUT ... */
	uint64_t size, seed, repeats;
	wt_time limit;
	unsigned points, variants, parameters, changes;
	struct wt_paper_change change[WT_PAPER_CHANGES];
	char changed[40]; /* the name of the change that was applied; empty: none */
	struct wt_paper_point point[WT_PAPER_POINTS];
	struct wt_paper_variant variant[WT_PAPER_VARIANTS];
	struct wt_paper_parameter parameter[WT_PAPER_PARAMETERS];
};

/* A table that came with the program. */
struct wt_paper_file {
	const char *id, *text;
};
extern const struct wt_paper_file wt_paper_files[]; /* ends with id NULL */

/*
 * Parses. `base = ID` in [table] takes over everything of that table but its rows, to be changed; `rows = ID` takes those. `name`
 * is for messages. 0, or -EINVAL with one sentence in err ("table1.ini:12: unknown key 'szie'").
 */
int wt_paper_parse(const char *text, const char *name, struct wt_paper *paper, char *err, size_t err_len);
/*
 * By id, from $WAVETANK_DATA/papers/ID.ini if that is set and the file exists, else from the program itself; or, if `id` ends
 * with ".ini", from that file. The id of a figure that plots a table's numbers is that table. -ENOENT, -ENODATA (a figure without
 * numbers), -EINVAL, or an error of the file, each with a sentence in err.
 */
int wt_paper_load(const char *id, struct wt_paper *paper, char *err, size_t err_len);
/* The change of that name; NULL: the table declares none. */
const struct wt_paper_change *wt_paper_change_of(const struct wt_paper *paper, const char *name);
/* The names of all changes that the tables of a paper ("tcp-real-2001") declare, in their order. */
struct wt_paper_changes {
	unsigned count;
	struct wt_paper_change of[WT_PAPER_CHANGES]; /* as the first table has it */
	const char *name[WT_PAPER_CHANGES];          /* of[i].name */
};
void wt_paper_changes_of(const char *family, struct wt_paper_changes *changes);
/* Makes the table the changed one. 0, or -EINVAL with a sentence in err: it declares no such change, or a text gets too long. */
int wt_paper_apply_change(struct wt_paper *paper, const char *name, char *err, size_t err_len);
/* The words of a path with {p} filled in. */
void wt_paper_words(const char *words, const char *p, char *out, size_t len);

#endif
