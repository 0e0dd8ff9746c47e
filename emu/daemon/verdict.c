/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/verdict.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STEAL_NOISE 5 /* ticks of 10 ms: fewer say nothing */

const char *wt_fault_name(enum wt_fault fault)
{
	static const char *const names[WT_FAULTS] = {"late", "busy", "kernel-drops", "memory", "too-long", "malformed", "port-gone",
							  "script", "audit"};

	return names[fault];
}

bool wt_ticks_parse(const char *text, struct wt_ticks *ticks)
{
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;

	if (sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &user, &nice,
		   &system, &idle, &iowait, &irq, &softirq, &steal) != 8)
		return false;
	*ticks = (struct wt_ticks){.all = user + nice + system + idle + iowait + irq + softirq + steal, .steal = steal};
	return true;
}

static bool read_ticks(const struct wt_verdict *verdict, struct wt_ticks *ticks)
{
	char text[400];
	ssize_t n = verdict->stat_fd < 0 ? -1 : pread(verdict->stat_fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = 0;
	return wt_ticks_parse(text, ticks);
}

void wt_verdict_init(struct wt_verdict *verdict, struct wt_verdict_bounds bounds)
{
	*verdict = (struct wt_verdict){.bounds = bounds};
	for (unsigned i = 0; i < WT_FAULTS; i++)
		verdict->first[i] = WT_NEVER;
	verdict->stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (read_ticks(verdict, &verdict->from))
		verdict->to = verdict->from;
}

void wt_verdict_finish(struct wt_verdict *verdict)
{
	if (verdict->stat_fd >= 0)
		close(verdict->stat_fd);
	verdict->stat_fd = -1;
}

bool wt_verdict_fault(struct wt_verdict *verdict, enum wt_fault fault, const char *where, wt_time now)
{
	if (verdict->first[fault] != WT_NEVER)
		return false;
	verdict->first[fault] = now;
	snprintf(verdict->where[fault], sizeof(verdict->where[fault]), "%s", where);
	return true;
}

double wt_verdict_steal(const struct wt_verdict *verdict)
{
	uint64_t all = verdict->to.all - verdict->from.all;

	return all ? (double)(verdict->to.steal - verdict->from.steal) / (double)all : 0;
}

bool wt_verdict_busy(struct wt_verdict *verdict)
{
	struct wt_ticks now;

	if (read_ticks(verdict, &now) && now.all >= verdict->from.all && now.steal >= verdict->from.steal)
		verdict->to = now;
	return verdict->to.steal - verdict->from.steal >= STEAL_NOISE && wt_verdict_steal(verdict) > verdict->bounds.steal;
}

wt_time wt_verdict_lateness(const struct wt_histogram *late)
{
	return wt_histogram_but(late, late->count < 100 ? 1 : late->count / 100);
}

bool wt_verdict_late(const struct wt_verdict *verdict, const struct wt_histogram *late)
{
	return wt_verdict_lateness(late) > verdict->bounds.late;
}

bool wt_verdict_valid(const struct wt_verdict *verdict)
{
	for (unsigned i = 0; i < WT_FAULTS; i++)
		if (verdict->first[i] != WT_NEVER)
			return false;
	return true;
}
