/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/kernel.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/point.h"

#define RELEASES 16

struct releases {
	unsigned count;
	char name[RELEASES][WT_KERNEL_RELEASE];
};

static void note_release(void *arg, const char *line)
{
	struct releases *releases = arg;
	json_t *root = json_loads(line, 0, NULL);
	const char *name = json_string_value(json_object_get(root, "kernel"));
	unsigned i = 0;

	while (name && i < releases->count && strncmp(releases->name[i], name, WT_KERNEL_RELEASE - 1))
		i++;
	if (name && i == releases->count && i < RELEASES)
		snprintf(releases->name[releases->count++], WT_KERNEL_RELEASE, "%s", name);
	json_decref(root);
}

unsigned wt_sweep_kernel_choose(struct wt_sweep *sweep, const struct wt_sweep_store *store, char *found, size_t len)
{
	struct releases releases = {0};
	char here[WT_KERNEL_RELEASE];
	unsigned i = 0;
	size_t at = 0;

	wt_kernel_release(here);
	wt_sweep_store_starts(store, note_release, &releases);
	while (i < releases.count && strcmp(releases.name[i], here))
		i++;
	snprintf(sweep->kernel, sizeof(sweep->kernel), "%s", i < releases.count || !releases.count ? here : releases.name[0]);
	for (i = 0; i < releases.count && at < len; i++)
		at += (size_t)snprintf(found + at, len - at, "%s%s", i ? ", " : "", releases.name[i]);
	return releases.count;
}

static bool missing(const struct wt_sweep_state *state, uint32_t point)
{
	for (uint32_t repeat = 0; repeat < state->point[point].wanted; repeat++)
		if (wt_sweep_ours(state, point, repeat) && !wt_sweep_find(state, point, repeat))
			return true;
	return false;
}

static int refuse(const struct wt_sweep *sweep, uint32_t point, const struct wt_sweep_run *run, char *err, size_t err_len)
{
	char names[300], at[300];

	snprintf(err, err_len, "%s:%u: stack: the kernel of this host has no congestion control '%s'; it has %s%s%s%s", sweep->file,
		 run->line[WT_SWEEP_STACK], run->kernel, wt_kernel_names(names, sizeof(names)), sweep->axes ? " (at " : "",
		 sweep->axes ? wt_sweep_point_text(sweep, point, at, sizeof(at)) : "", sweep->axes ? ")" : "");
	return -EINVAL;
}

int wt_sweep_kernel_check(const struct wt_sweep_state *state, char *err, size_t err_len)
{
	struct wt_sweep_run *run = malloc(sizeof(*run));
	int error = run ? 0 : -ENOMEM;

	snprintf(err, err_len, "no memory");
	for (uint32_t i = 0; i < state->sweep->points && !error && strcmp(state->sweep->backend, "sim") != 0; i++) {
		error = wt_sweep_resolve(state->sweep, i, run, err, err_len);
		if (!error && *run->kernel && !wt_kernel_has(run->kernel) && missing(state, i))
			error = refuse(state->sweep, i, run, err, err_len);
	}
	free(run);
	return error;
}
