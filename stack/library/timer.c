/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "stack/library/library.h"

struct wt_lib_timer {
	struct wt_host_timer timer; /* first */
	struct wt_lib_timer *next;
	struct wt_lib_host *host;
	void (*fire)(void *arg, wt_time now);
	void *arg;
};

static void on_fire(struct wt_host_timer *timer, wt_time now)
{
	struct wt_lib_timer *outer = (struct wt_lib_timer *)timer;

	outer->fire(outer->arg, now);
}

struct wt_lib_timer *wt_lib_timer_create(struct wt_lib_host *host, void (*fire)(void *arg, wt_time now), void *arg)
{
	struct wt_lib_timer *timer = calloc(1, sizeof(*timer));

	if (!timer)
		return NULL;
	timer->timer.fire = on_fire;
	timer->fire = fire;
	timer->arg = arg;
	timer->host = host;
	timer->next = host->timers;
	host->timers = timer;
	return timer;
}

int wt_lib_timer_set(struct wt_lib_timer *timer, wt_time due)
{
	int error;

	wt_lib_enter(timer->host->graph);
	error = wt_host_timer_set(timer->host->host, &timer->timer, due);
	wt_lib_settle(timer->host->graph, wt_host_node(timer->host->host));
	return error;
}

void wt_lib_timer_destroy(struct wt_lib_timer *timer)
{
	if (!timer)
		return;
	wt_lib_timer_set(timer, WT_NEVER);
	for (struct wt_lib_timer **at = &timer->host->timers; *at; at = &(*at)->next)
		if (*at == timer) {
			*at = timer->next;
			break;
		}
	free(timer);
}

/* With their host: nothing is armed any more. */
void wt_lib_timers_free(struct wt_lib_timer *timers)
{
	struct wt_lib_timer *next;

	for (; timers; timers = next) {
		next = timers->next;
		wt_host_timer_set(timers->host->host, &timers->timer, WT_NEVER);
		free(timers);
	}
}
