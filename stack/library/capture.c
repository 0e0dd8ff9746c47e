/* SPDX-License-Identifier: BSD-2-Clause */
#include <wavetank/capture.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stack/library/library.h"
#include "stack/record/capture.h"

struct wt_lib_capture {
	struct wt_lib_graph *graph;
	struct wt_capture *capture;
	struct wt_drop_sink *drops;
};

/* NULL: no memory, or a name is too long. */
static struct wt_capture *open_files(const struct wt_lib_graph *graph, const char *path, const char *const *points, unsigned count, char *err,
				     size_t err_len)
{
	int64_t epoch = graph->real ? wt_lib_real_epoch(graph->real) : WT_CAPTURE_EPOCH;
	char (*names)[WT_CAPTURE_POINT] = calloc(count + 1, sizeof(*names));
	struct wt_capture *capture;

	if (!names)
		return wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
	for (unsigned i = 0; i < count; i++) {
		if (!points[i] || !*points[i] || strlen(points[i]) >= WT_CAPTURE_POINT) {
			free(names);
			return wt_lib_refuse(EINVAL, err, err_len, "a point needs a name of 1 to %d characters", WT_CAPTURE_POINT - 1);
		}
		strcpy(names[i], points[i]);
	}
	capture = wt_capture_open(path, epoch, names, count, err, err_len);
	free(names);
	return capture;
}

struct wt_lib_capture *wt_lib_capture_open(struct wt_lib_graph *graph, const char *path, const char *const *points, unsigned count, char *err,
				     size_t err_len)
{
	struct wt_lib_capture *capture;

	if (graph->capture || !count)
		return wt_lib_refuse(count ? EBUSY : EINVAL, err, err_len, count ? "the graph has a capture" : "a capture needs a point");
	capture = calloc(1, sizeof(*capture));
	if (!capture)
		return wt_lib_refuse(ENOMEM, err, err_len, "out of memory");
	capture->capture = open_files(graph, path, points, count, err, err_len);
	if (!capture->capture) {
		free(capture);
		return NULL;
	}
	capture->graph = graph;
	capture->drops = wt_capture_drops(capture->capture, NULL);
	graph->capture = capture;
	wt_lib_graph_on_drop(graph, graph->dropped, graph->dropped_arg);
	return capture;
}

struct wt_drop_sink *wt_lib_capture_sink(struct wt_lib_capture *capture)
{
	return capture->drops;
}

struct wt_lib_node *wt_lib_capture_tap(struct wt_lib_capture *capture, const char *point)
{
	struct wt_node *tap;

	errno = ENOENT;
	tap = wt_capture_tap(capture->capture, point);
	if (!tap)
		return NULL;
	if (wt_graph_add(capture->graph->graph, tap) < 0) {
		tap->ops->destroy(tap);
		errno = ENOMEM;
		return NULL;
	}
	return (struct wt_lib_node *)tap;
}

int wt_lib_capture_flush(struct wt_lib_capture *capture)
{
	wt_capture_flush(capture->capture);
	return wt_capture_error(capture->capture);
}

int wt_lib_capture_close(struct wt_lib_capture *capture)
{
	int error = wt_capture_close(capture->capture);

	free(capture);
	return error;
}
