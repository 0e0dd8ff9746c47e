/* SPDX-License-Identifier: BSD-2-Clause */
/* What the settings of a paper's tables were fitted to (tools/data/papers/PAPER/calibration.ini), and what they then predict. */
#ifndef WT_TOOLS_PAPER_CALIBRATION_H
#define WT_TOOLS_PAPER_CALIBRATION_H

#include <stddef.h>
#include <stdio.h>

#include "stack/record/json.h"

#define WT_CALIBRATION_FAMILIES 8
#define WT_CALIBRATION_TABLES 16

/* Cells of ours beside the printed ones: how far off, as a factor (geometric mean of the larger over the smaller). */
struct wt_misfit {
	unsigned cells, near; /* near: the printed value lies in the 95 % interval of one run of ours, or within 10 % */
	double logs;
};

struct wt_calibration_table {
	char name[24];
	struct wt_misfit fitted, predicted;
};

struct wt_calibration_family {
	char name[48];
	char choices[400], why[400], fitted[200];
	unsigned tables;
	struct wt_calibration_table table[WT_CALIBRATION_TABLES];
};

struct wt_calibration {
	char choices[400], why[400]; /* of all families */
	unsigned families;
	struct wt_calibration_family family[WT_CALIBRATION_FAMILIES];
};

/* The one inside the program. 0, or -EINVAL with a sentence in err. */
int wt_calibration_load(struct wt_calibration *calibration, char *err, size_t err_len);
int wt_calibration_parse(const char *text, const char *name, struct wt_calibration *calibration, char *err, size_t err_len);
/* Measures it by the results of `wavetank paper run tcp-real-2001 -o DIR`. Returns how many tables have results there. */
unsigned wt_calibration_measure(struct wt_calibration *calibration, const char *dir);

/* "1.08"; NaN: no cells. */
double wt_misfit_factor(const struct wt_misfit *misfit);
struct wt_misfit wt_misfit_sum(const struct wt_calibration_family *family, int fitted);
void wt_calibration_print(FILE *out, const struct wt_calibration *calibration);
/* As the members of an object that is open. */
void wt_calibration_json(struct wt_json *json, const struct wt_calibration *calibration);

#endif
