/* SPDX-License-Identifier: BSD-2-Clause */
/* The input is an emulator file. Claims: it is read or refused with a sentence; what is read makes its links or says why not. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emu/daemon/plan.h"
#include "emu/daemon/span.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST = 6000 };

static void make_links(const struct wt_plan *plan)
{
	char err[1000] = "";

	for (unsigned i = 0; i < plan->links; i++) {
		struct wt_span span;

		if (wt_plan_make_link(plan, i, &span, err, sizeof(err)))
			CLAIM(err[0]);
		else
			wt_span_finish(&span);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wt_plan *plan;
	static int fd = -1;
	char name[64], err[1000] = "";

	if (size > LONGEST || memmem(data, size, "trace", 5) || memmem(data, size, "file", 4)) /* would read the machine's files */
		return 0;
	if (!plan) {
		fd = memfd_create("plan", 0);
		plan = malloc(sizeof(*plan));
	}
	if (!plan || ftruncate(fd, 0) || pwrite(fd, data, size, 0) < 0)
		return 0;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	wt_plan_init(plan);
	if (wt_plan_read(plan, name, err, sizeof(err)) || wt_plan_check(plan, err, sizeof(err)))
		CLAIM(err[0]);
	else
		make_links(plan);
	wt_plan_finish(plan);
	return 0;
}
