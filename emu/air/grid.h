/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is near: stations in square cells as wide as a frame is heard, so that the hearers of a frame are looked for in nine cells,
 * however many stations there are.
 */
#ifndef WT_EMU_AIR_GRID_H
#define WT_EMU_AIR_GRID_H

#include "emu/mobility/track.h"

struct wt_grid {
	double width; /* of a cell, m */
	struct wt_point low;
	unsigned columns, rows, points, room;
	unsigned *first; /* by cell, columns * rows + 1: its points begin there in `point` */
	unsigned *point; /* by cell, then ascending */
	unsigned cell_room;
};

/* Sorts points into cells at least so wide. 0 or -ENOMEM; finish frees. */
int wt_grid_fill(struct wt_grid *grid, const struct wt_point *at, unsigned points, double width);
void wt_grid_finish(struct wt_grid *grid);
/* Calls for every point of the nine cells around `at`: all that are within a cell's width are among them. */
void wt_grid_near(const struct wt_grid *grid, struct wt_point at, void (*each)(void *arg, unsigned point), void *arg);

#endif
