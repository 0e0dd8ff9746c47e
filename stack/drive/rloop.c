/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One wake-up: read a batch of frames from the port that has some, give each to the graph, run the graph up to this moment,
 * write what ports have gathered, arm the timer at its next deadline.
 *
 * Each frame is stamped with a clock reading of its own, just after its read(). A reading costs 25 ns, the read itself
 * 700. One stamp for a batch of 64 would date the last frames up to 100 us back, before they arrived, and before the
 * answers of ours that caused them: round trips of zero. A batch is bounded so that a flooded port cannot starve the
 * others or the timer.
 *
 * The timerfd is armed with absolute times and never read: arming it again clears its expirations, which saves a call
 * per wake-up. Its lateness is what the kernel's scheduling adds, and is kept as a histogram. It never enters the
 * results: the graph runs each event with the time it was due. What does enter them is how late a frame leaves, and that is
 * what spinning is for (wt_rloop_set_release()): an idle watcher, so that libev polls every descriptor between two looks at
 * the clock, and what arrives meanwhile is not stamped late.
 */
#include "stack/drive/rloop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "stack/drive/port.h"

#define GUARD_START (80 * WT_US)
#define GUARD_MIN (5 * WT_US)
#define GUARD_MAX (250 * WT_US)
#define GUARD_STEP 100
#define BUDGET_MAX (20 * WT_MS)
#define SLEEP_COST (15 * WT_US) /* processor time of arming a timer, going to sleep and being woken by it, in a guest */
#define BATCH 64 /* frames read of one port before the others have their turn */

struct watch {
	struct watch *next;
	struct wt_rloop *rloop;
	struct wt_port *port;
	ev_io readable, writable;
};

struct wt_rloop {
	struct wt_graph *graph;
	struct ev_loop *ev;
	ev_io timer;
	int timer_fd;
	wt_time base;   /* CLOCK_MONOTONIC at scenario time 0 */
	int64_t epoch;  /* CLOCK_REALTIME at the same moment */
	wt_time armed;  /* scenario time the timer will fire at, WT_NEVER: not */
	enum wt_release release;
	ev_idle spin;   /* while it is active the loop polls and never sleeps */
	wt_time guard, spin_from, spun;
	wt_time budget, budget_at; /* spinning time left, as of when */
	bool spent;     /* the budget is, and has not half filled again */
	bool free;      /* this spin costs no more than the sleep would have */
	bool busy;      /* the graph is being run: calls from inside it do nothing */
	struct watch *watches;
	struct wt_lateness lateness;
};

static wt_time clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * WT_S + t.tv_nsec;
}

wt_time wt_rloop_clock(const struct wt_rloop *rloop)
{
	return clock_ns(CLOCK_MONOTONIC) - rloop->base;
}

static wt_time clock_of(const void *rloop)
{
	return wt_rloop_clock(rloop);
}

/* ---- arming -------------------------------------------------------------------------------------------- */

static void arm_at(struct wt_rloop *rloop, wt_time when)
{
	struct itimerspec spec = {0}; /* all zero: disarmed */

	if (when == rloop->armed)
		return;
	rloop->armed = when;
	if (when != WT_NEVER) {
		wt_time at = wt_time_add(when, rloop->base);

		spec.it_value.tv_sec = at / WT_S;
		spec.it_value.tv_nsec = at % WT_S;
	}
	timerfd_settime(rloop->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static void spin_start(struct wt_rloop *rloop, wt_time now, bool free)
{
	if (ev_is_active(&rloop->spin))
		return;
	rloop->spin_from = now;
	rloop->free = free;
	ev_idle_start(rloop->ev, &rloop->spin);
}

/* A spin that took longer than any guard was not ours for all that time: another process had the core. */
static wt_time spinning_for(const struct wt_rloop *rloop, wt_time now)
{
	return wt_time_min(now - rloop->spin_from, 2 * GUARD_MAX);
}

static void spin_stop(struct wt_rloop *rloop, wt_time now)
{
	if (!ev_is_active(&rloop->spin))
		return;
	ev_idle_stop(rloop->ev, &rloop->spin);
	if (rloop->free)
		return;
	rloop->spun += spinning_for(rloop, now);
	rloop->budget -= spinning_for(rloop, now);
}

/*
 * A wait too short to be worth a sleep is spun for and costs the budget nothing. The budget fills with time and holds enough for a
 * burst of releases. Where releases are so many that it runs out, they are spun for and slept for in long turns: one by one, every
 * other gap would be wrong by a wake-up's lateness.
 */
static bool may_spin(struct wt_rloop *rloop, wt_time now)
{
	if (!ev_is_active(&rloop->spin)) {
		rloop->budget += (wt_time)((double)(now - rloop->budget_at) * WT_RELEASE_SHARE);
		rloop->budget = wt_time_min(rloop->budget, BUDGET_MAX);
		rloop->budget_at = now;
		if (rloop->budget <= 0)
			rloop->spent = true;
		else if (rloop->budget >= BUDGET_MAX / 2)
			rloop->spent = false;
		return !rloop->spent;
	}
	if (rloop->free)
		return true;
	return now - rloop->spin_from < 2 * GUARD_MAX && spinning_for(rloop, now) < rloop->budget;
}

static void arm(struct wt_rloop *rloop)
{
	wt_time due = wt_graph_deadline(rloop->graph), now;
	bool free;

	if (rloop->release == WT_RELEASE_SLEEP) {
		arm_at(rloop, due);
		return;
	}
	if (rloop->release == WT_RELEASE_SPIN) {
		spin_start(rloop, 0, true);
		return;
	}
	now = wt_rloop_clock(rloop);
	free = due - now <= SLEEP_COST;
	if (free != rloop->free)
		spin_stop(rloop, now);
	if (!free && (due == WT_NEVER || !may_spin(rloop, now))) {
		spin_stop(rloop, now);
		arm_at(rloop, due);
	} else if (!free && due - now > rloop->guard) {
		spin_stop(rloop, now);
		arm_at(rloop, due - rloop->guard);
	} else {
		arm_at(rloop, WT_NEVER); /* one that has fired stays readable */
		spin_start(rloop, now, free);
	}
}

/*
 * A timer that woke us later than the guard moves it up, any other down, fifty times less: it comes to rest where one in
 * fifty is too late.
 */
static void calibrate(struct wt_rloop *rloop, wt_time late)
{
	rloop->guard += late > rloop->guard ? 50 * GUARD_STEP : -GUARD_STEP;
	rloop->guard = wt_time_min(wt_time_max(rloop->guard, GUARD_MIN), GUARD_MAX);
}

/* Frames that a port could not write are written when its descriptor says so. */
static void watch_writers(struct wt_rloop *rloop)
{
	for (struct watch *watch = rloop->watches; watch; watch = watch->next)
		if (watch->port->waiting.head && !ev_is_active(&watch->writable) && ev_is_active(&watch->readable))
			ev_io_start(rloop->ev, &watch->writable);
}

static void run(struct wt_rloop *rloop)
{
	rloop->busy = true;
	wt_graph_run(rloop->graph, wt_rloop_clock(rloop));
	for (struct watch *watch = rloop->watches; watch; watch = watch->next)
		wt_port_write(watch->port, wt_graph_now(rloop->graph));
	rloop->busy = false;
}

wt_time wt_rloop_catch_up(struct wt_rloop *rloop)
{
	if (!rloop->busy)
		run(rloop);
	return wt_graph_now(rloop->graph);
}

void wt_rloop_kick(struct wt_rloop *rloop)
{
	if (rloop->busy)
		return;
	run(rloop);
	watch_writers(rloop);
	arm(rloop);
}

/* ---- what wakes it ------------------------------------------------------------------------------------- */

static void note_lateness(struct wt_lateness *lateness, wt_time late)
{
	unsigned last = sizeof(lateness->bucket) / sizeof(lateness->bucket[0]) - 1;
	uint64_t us = late > 0 ? (uint64_t)late / 1000 : 0;
	unsigned bucket = us ? 64 - (unsigned)__builtin_clzll(us) : 0;

	lateness->count++;
	lateness->worst = wt_time_max(lateness->worst, late);
	lateness->bucket[bucket < last ? bucket : last]++;
}

static void on_timer(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct wt_rloop *rloop = watcher->data;

	if (rloop->armed != WT_NEVER) {
		wt_time late = wt_rloop_clock(rloop) - rloop->armed;

		note_lateness(&rloop->lateness, late);
		calibrate(rloop, late);
	}
	rloop->armed = -1; /* it has fired: arm it again whatever the deadline, or it stays readable */
	wt_rloop_kick(rloop);
}

static void on_spin(struct ev_loop *ev, ev_idle *watcher, int events)
{
	struct wt_rloop *rloop = watcher->data;
	wt_time now = wt_rloop_clock(rloop);

	if (wt_graph_deadline(rloop->graph) <= now || (rloop->release == WT_RELEASE_GUARD && !may_spin(rloop, now)))
		wt_rloop_kick(rloop);
}

static void stop(struct watch *watch)
{
	ev_io_stop(watch->rloop->ev, &watch->readable);
	ev_io_stop(watch->rloop->ev, &watch->writable);
}

static void on_readable(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct watch *watch = watcher->data;
	struct wt_rloop *rloop = watch->rloop;
	struct wt_port *port = watch->port;
	struct wt_frame *frame;
	int n = 0;

	rloop->busy = true;
	/* The packets of a big frame are all taken: the descriptor does not speak for them. */
	for (unsigned i = 0; (i < BATCH || port->cut.head) && (n = port->ops->read(port, &frame)) > 0; i++)
		if (frame)
			wt_graph_input(rloop->graph, &port->node, 1, wt_rloop_clock(rloop), frame);
	rloop->busy = false;
	if (n < 0)
		stop(watch);
	wt_rloop_kick(rloop);
	if (n < 0 && port->gone)
		port->gone(port, n); /* last: it may remove the port */
}

static void on_writable(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct watch *watch = watcher->data;

	wt_port_flush(watch->port, wt_rloop_catch_up(watch->rloop));
	if (!watch->port->waiting.head)
		ev_io_stop(ev, watcher);
	wt_rloop_kick(watch->rloop);
}

/* ---- making and ending --------------------------------------------------------------------------------- */

struct wt_rloop *wt_rloop_create(struct wt_graph *graph, struct ev_loop *ev)
{
	struct wt_rloop *rloop = calloc(1, sizeof(*rloop));
	wt_time before;

	if (!rloop)
		return NULL;
	rloop->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (rloop->timer_fd < 0) {
		int error = errno;

		free(rloop);
		errno = error;
		return NULL;
	}
	prctl(PR_SET_TIMERSLACK, 1);
	rloop->graph = graph;
	rloop->ev = ev;
	rloop->armed = WT_NEVER;
	rloop->guard = GUARD_START;
	rloop->budget = BUDGET_MAX;
	ev_idle_init(&rloop->spin, on_spin);
	rloop->spin.data = rloop;
	before = clock_ns(CLOCK_MONOTONIC);
	rloop->epoch = clock_ns(CLOCK_REALTIME);
	rloop->base = before + (clock_ns(CLOCK_MONOTONIC) - before) / 2;
	ev_io_init(&rloop->timer, on_timer, rloop->timer_fd, EV_READ);
	ev_set_priority(&rloop->timer, 1); /* before the ports */
	rloop->timer.data = rloop;
	wt_graph_set_clock(graph, clock_of, rloop);
	ev_io_start(ev, &rloop->timer);
	return rloop;
}

int wt_rloop_add_port(struct wt_rloop *rloop, struct wt_port *port)
{
	struct watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	*watch = (struct watch){.next = rloop->watches, .rloop = rloop, .port = port};
	port->clock = clock_of;
	port->clock_arg = rloop;
	ev_io_init(&watch->readable, on_readable, port->fd, EV_READ);
	ev_io_init(&watch->writable, on_writable, port->fd, EV_WRITE);
	watch->readable.data = watch->writable.data = watch;
	rloop->watches = watch;
	ev_io_start(rloop->ev, &watch->readable);
	return 0;
}

void wt_rloop_remove_port(struct wt_rloop *rloop, struct wt_port *port)
{
	for (struct watch **at = &rloop->watches; *at; at = &(*at)->next) {
		struct watch *watch = *at;

		if (watch->port != port)
			continue;
		stop(watch);
		port->clock = NULL;
		*at = watch->next;
		free(watch);
		return;
	}
}

void wt_rloop_destroy(struct wt_rloop *rloop)
{
	if (!rloop)
		return;
	while (rloop->watches)
		wt_rloop_remove_port(rloop, rloop->watches->port);
	wt_graph_set_clock(rloop->graph, NULL, NULL);
	ev_io_stop(rloop->ev, &rloop->timer);
	ev_idle_stop(rloop->ev, &rloop->spin);
	close(rloop->timer_fd);
	free(rloop);
}

void wt_rloop_set_release(struct wt_rloop *rloop, enum wt_release release)
{
	spin_stop(rloop, wt_rloop_clock(rloop));
	rloop->release = release;
	rloop->budget_at = wt_rloop_clock(rloop);
	if (release == WT_RELEASE_SPIN)
		arm_at(rloop, WT_NEVER);
	wt_rloop_kick(rloop);
}

wt_time wt_rloop_guard(const struct wt_rloop *rloop, wt_time *spun)
{
	*spun = rloop->spun;
	return rloop->guard;
}

int64_t wt_rloop_epoch(const struct wt_rloop *rloop)
{
	return rloop->epoch;
}

const struct wt_lateness *wt_rloop_lateness(const struct wt_rloop *rloop)
{
	return &rloop->lateness;
}
