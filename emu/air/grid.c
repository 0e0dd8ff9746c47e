/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/air/grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_PER_POINT = 4 };

/* The box of all points, and cells not so small that most of a wide field would be empty ones. */
static void measure(struct wt_grid *grid, const struct wt_point *at, unsigned points, double width)
{
	struct wt_point high = points ? at[0] : (struct wt_point){0, 0};
	double area, least;

	grid->low = high;
	for (unsigned i = 1; i < points; i++) {
		grid->low.x = at[i].x < grid->low.x ? at[i].x : grid->low.x;
		grid->low.y = at[i].y < grid->low.y ? at[i].y : grid->low.y;
		high.x = at[i].x > high.x ? at[i].x : high.x;
		high.y = at[i].y > high.y ? at[i].y : high.y;
	}
	area = (high.x - grid->low.x + width) * (high.y - grid->low.y + width);
	least = sqrt(area / (CELLS_PER_POINT * (points + 1)));
	grid->width = width > least ? width : least;
	grid->columns = (unsigned)((high.x - grid->low.x) / grid->width) + 1;
	grid->rows = (unsigned)((high.y - grid->low.y) / grid->width) + 1;
}

static int make_room(struct wt_grid *grid, unsigned points)
{
	unsigned cells = grid->columns * grid->rows + 1;

	if (cells > grid->cell_room) {
		free(grid->first);
		grid->first = malloc(cells * sizeof(*grid->first));
		grid->cell_room = grid->first ? cells : 0;
	}
	if (points > grid->room) {
		free(grid->point);
		grid->point = malloc(points * sizeof(*grid->point));
		grid->room = grid->point ? points : 0;
	}
	return grid->first && (grid->point || !points) ? 0 : -ENOMEM;
}

static unsigned place(double at, double low, double width, unsigned count)
{
	double cell = (at - low) / width;

	if (!(cell > 0))
		return 0;
	return cell < count ? (unsigned)cell : count - 1;
}

static unsigned cell_of(const struct wt_grid *grid, struct wt_point at)
{
	return place(at.y, grid->low.y, grid->width, grid->rows) * grid->columns + place(at.x, grid->low.x, grid->width, grid->columns);
}

int wt_grid_fill(struct wt_grid *grid, const struct wt_point *at, unsigned points, double width)
{
	unsigned cells;

	measure(grid, at, points, width);
	if (make_room(grid, points))
		return -ENOMEM;
	cells = grid->columns * grid->rows;
	memset(grid->first, 0, (cells + 1) * sizeof(*grid->first));
	for (unsigned i = 0; i < points; i++)
		grid->first[cell_of(grid, at[i])]++;
	for (unsigned cell = 1; cell <= cells; cell++) /* where each ends */
		grid->first[cell] += grid->first[cell - 1];
	for (unsigned i = points; i-- > 0;)
		grid->point[--grid->first[cell_of(grid, at[i])]] = i;
	grid->points = points;
	return 0;
}

void wt_grid_finish(struct wt_grid *grid)
{
	free(grid->first);
	free(grid->point);
	*grid = (struct wt_grid){0};
}

void wt_grid_near(const struct wt_grid *grid, struct wt_point at, void (*each)(void *arg, unsigned point), void *arg)
{
	unsigned column = place(at.x, grid->low.x, grid->width, grid->columns), row = place(at.y, grid->low.y, grid->width, grid->rows);

	for (unsigned y = row ? row - 1 : 0; y <= row + 1 && y < grid->rows; y++)
		for (unsigned x = column ? column - 1 : 0; x <= column + 1 && x < grid->columns; x++) {
			unsigned cell = y * grid->columns + x;

			for (unsigned i = grid->first[cell]; i < grid->first[cell + 1]; i++)
				each(arg, grid->point[i]);
		}
}
