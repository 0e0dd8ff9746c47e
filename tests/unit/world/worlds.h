/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of worlds share: one from a text, run in virtual time. */
#ifndef WT_TESTS_UNIT_WORLD_WORLDS_H
#define WT_TESTS_UNIT_WORLD_WORLDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "emu/daemon/options.h"
#include "tools/app/simulation.h"

/* Reads and checks the text as a file. 0, or the error; the file's name in err is cut off. */
static inline int read_world(struct wt_simulation *simulation, const char *text, char *err, size_t err_len)
{
	struct wt_options options;
	const struct wt_world_keys keys = {wt_options_of_file, &options};
	char path[] = "/tmp/test_world_XXXXXX", why[900];
	int fd = mkstemp(path), error;

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	wt_simulation_init(simulation);
	wt_options_init(&options, &simulation->world);
	error = wt_world_read(&simulation->world, path, &keys, why, sizeof(why));
	if (!error)
		error = wt_simulation_resolve(simulation, why, sizeof(why));
	if (error)
		snprintf(err, err_len, "%s", strncmp(why, path, strlen(path)) ? why : why + strlen(path) + 1);
	wt_options_finish(&options);
	unlink(path);
	return error;
}

static inline void must_read(struct wt_simulation *simulation, const char *text)
{
	char err[900];

	if (read_world(simulation, text, err, sizeof(err)))
		fail_msg("%s", err);
}

static inline void must_run(const struct wt_simulation *simulation, struct wt_simulation_result *result)
{
	char err[900];

	if (wt_simulation_run(simulation, result, err, sizeof(err)))
		fail_msg("%s", err);
	if (!wt_simulation_ok(result))
		fail_msg("%s", wt_bulk_fail_text(result->fail));
	for (unsigned i = 0; i < result->links; i++)
		assert_true(result->hop[i][0].hold && result->hop[i][1].hold);
}

#endif
