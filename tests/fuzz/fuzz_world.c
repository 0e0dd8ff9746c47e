/* SPDX-License-Identifier: BSD-2-Clause */
/* The input is a world file. Claims: it is read or refused with a sentence; what is read makes its links and flows or says why not. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/daemon/options.h"
#include "tests/fuzz/fuzz.h"
#include "tools/app/flow.h"

enum { LONGEST = 6000, MANY = 20000 };

static void make_all(const struct wt_world *world)
{
	struct wt_app_flow flow;
	char err[1000] = "";

	for (unsigned i = 0; i < world->links; i++) {
		struct wt_link link;

		if (wt_world_make_link(world, i, &link, err, sizeof(err)))
			CLAIM(err[0]);
		else
			wt_link_finish(&link);
	}
	for (unsigned i = 0; i < world->flows && i < MANY; i++)
		if (wt_flow_resolve(world, i, &flow, err, sizeof(err)))
			CLAIM(err[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct wt_options options;
	const struct wt_world_keys keys = {wt_options_of_file, &options};
	char name[64], err[1000] = "";
	struct wt_world world;

	if (size > LONGEST || memmem(data, size, "trace", 5) || memmem(data, size, "file", 4)) /* would read the machine's files */
		return 0;
	if (memmem(data, size, "times", 5) && memmem(data, size, "000", 3)) /* a million changes: right, and slow */
		return 0;
	if (fd < 0)
		fd = memfd_create("world", 0);
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) < 0)
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	wt_world_init(&world);
	wt_options_init(&options, &world);
	if (wt_world_read(&world, name, &keys, err, sizeof(err))) {
		CLAIM(err[0]);
	} else {
		for (unsigned i = 0; i < world.hosts; i++)
			world.host[i].placement = world.host[i].port ? world.host[i].placement : WT_INSIDE;
		if (wt_world_check(&world, err, sizeof(err)))
			CLAIM(err[0]);
		else
			make_all(&world);
	}
	wt_world_finish(&world);
	wt_options_finish(&options);
	return 0;
}
