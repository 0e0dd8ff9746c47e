/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "stack/library/library.h"

struct wtl_timer {
	struct wt_host_timer timer; /* first */
	struct wtl_timer *next;
	struct wtl_host *host;
	void (*fire)(void *arg, wt_time now);
	void *arg;
};

static void on_fire(struct wt_host_timer *timer, wt_time now)
{
	struct wtl_timer *outer = (struct wtl_timer *)timer;

	outer->fire(outer->arg, now);
}

struct wtl_timer *wtl_timer_create(struct wtl_host *host, void (*fire)(void *arg, wt_time now), void *arg)
{
	struct wtl_timer *timer = calloc(1, sizeof(*timer));

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

int wtl_timer_set(struct wtl_timer *timer, wt_time due)
{
	int error;

	wtl_enter(timer->host->graph);
	error = wt_host_timer_set(timer->host->host, &timer->timer, due);
	wtl_settle(timer->host->graph, wt_host_node(timer->host->host));
	return error;
}

void wtl_timer_destroy(struct wtl_timer *timer)
{
	if (!timer)
		return;
	wtl_timer_set(timer, WT_NEVER);
	for (struct wtl_timer **at = &timer->host->timers; *at; at = &(*at)->next)
		if (*at == timer) {
			*at = timer->next;
			break;
		}
	free(timer);
}

/* With their host: nothing is armed any more. */
void wtl_timers_free(struct wtl_timer *timers)
{
	struct wtl_timer *next;

	for (; timers; timers = next) {
		next = timers->next;
		wt_host_timer_set(timers->host->host, &timers->timer, WT_NEVER);
		free(timers);
	}
}
