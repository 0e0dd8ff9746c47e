/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One wake-up is a turn() of a few rounds. A round reads a batch of frames from each port that has some, gives them to the graph in the
 * order in which they came, runs the graph up to the horizon, and writes what ports have gathered. Then the timer is armed at
 * the next deadline. Whatever wakes the loop, it goes this way.
 *
 * The horizon is the time up to which all frames have been read: the clock before the reading, or, where a batch ended with its port not
 * yet empty, the last frame read of that port. So a loop that was away for a while does what it has missed in the order of scenario
 * time. Frames past the horizon are held for the next round. Which ports have frames is libev's word, and where stamps are exact it has
 * to be young: if it may be older than AWAY all ports are read. So no frame is dated later than it came by more than that.
 *
 * When did a frame come? By the kernel's stamp, where a port has such (port.h); else when it was read. The stamp is CLOCK_REALTIME's, which
 * may be set while frames wait: one that lies in the future or far back is not believed, and time never goes back. A reading of
 * the clock costs 25 ns, the read itself 700. One reading for a batch would date its last frames before they came, and before the answers of
 * ours that caused them: round trips of zero. A batch is bounded so that a flooded port cannot starve the others or the
 * timer.
 *
 * System calls cost more than what the graph does with a frame. Where nothing spins, a timer that fires early is left as it is: the deadline
 * of a host moves later with each ACK, and one wake-up for nothing then arms it anew. A port whose frames come in a rhythm (rhythm.h) is
 * read as often as it will have some. Where stamps date frames all reads are made: they say up to when the port was empty.
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

#include "stack/drive/rhythm.h"
#include "stack/port/port.h"

#define GUARD_START (80 * WT_US)
#define GUARD_MIN (5 * WT_US)
#define GUARD_MAX (250 * WT_US)
#define GUARD_STEP 100
#define BUDGET_MAX (20 * WT_MS)
#define SLEEP_COST (15 * WT_US) /* processor time of arming a timer, going to sleep and being woken by it, in a guest */
#define BATCH 32 /* frames read of one port in a round, */
#define LONG_BATCH 128 /* and of one that says whether more follow: each batch has an ACK, which costs as much as some frames */
#define ROUNDS 4 /* before libev has its turn */
#define AWAY (100 * WT_US)
#define OLD (60 * WT_S) /* a stamp from further back is no stamp */
#define CLOCKS_APART (10 * WT_US) /* at most, two readings for a comparison */
#define COMPARE_EVERY WT_MS

struct watch {
	struct watch *next;
	struct wt_rloop *rloop;
	struct wt_port *port;
	ev_io readable, writable;
	bool ready;                  /* not known to be empty */
	int error;                   /* the device is gone, which has not been told yet */
	struct wt_frame_queue held;  /* read, and not yet given to the graph; frame->time: when they came */
	wt_time last;                /* when the last of them came */
	struct wt_rhythm rhythm;     /* of its readings */
};

struct wt_rloop {
	struct wt_graph *graph;
	struct ev_loop *ev;
	ev_io timer;
	int timer_fd;
	wt_time base;   /* CLOCK_MONOTONIC at scenario time 0 */
	int64_t epoch;  /* CLOCK_REALTIME at the same moment */
	int64_t zero;   /* the same, by what CLOCK_REALTIME shows now */
	bool stamps;    /* a port has them */
	wt_time looked; /* at the clock, by look() */
	wt_time asked;  /* no earlier than then libev, or we, looked which ports have frames */
	unsigned iteration; /* libev's, when we looked */
	wt_time compared; /* the clocks were then */
	bool held;      /* frames are, and no descriptor will wake us for them */
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

	if (when == rloop->armed || (rloop->release == WT_RELEASE_SLEEP && rloop->armed >= 0 && rloop->armed < when))
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
	wt_time due = rloop->held ? rloop->looked : wt_graph_deadline(rloop->graph), now;
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

static void stop(struct watch *watch)
{
	ev_io_stop(watch->rloop->ev, &watch->readable);
	ev_io_stop(watch->rloop->ev, &watch->writable);
}

/* ---- frames, in the order in which they came ------------------------------------------------------------ */

/*
 * Two readings of one clock around one of the other. They are taken again if the processor was taken away in between, and what was
 * known before holds if that does not help.
 */
static void compare_clocks(struct wt_rloop *rloop)
{
	for (unsigned i = 0; i < 3; i++) {
		wt_time before = wt_rloop_clock(rloop);
		int64_t real = clock_ns(CLOCK_REALTIME);
		wt_time apart = wt_rloop_clock(rloop) - before;

		if (apart > CLOCKS_APART)
			continue;
		rloop->zero = real - before - apart / 2;
		rloop->compared = before;
		return;
	}
}

/* At the clock. If libev has asked the kernel in between, it has done so since the last look. */
static wt_time look(struct wt_rloop *rloop)
{
	if (rloop->iteration != ev_iteration(rloop->ev))
		rloop->asked = rloop->looked;
	rloop->iteration = ev_iteration(rloop->ev);
	rloop->looked = wt_rloop_clock(rloop);
	return rloop->looked;
}

/* When the frame just read came, by its stamp; -1: it has none that can be. */
static wt_time came(const struct watch *watch)
{
	const struct wt_rloop *rloop = watch->rloop;
	wt_time time = watch->port->stamp - (watch->port->stamp_clock == CLOCK_MONOTONIC ? rloop->base : rloop->zero);

	if (!watch->port->stamp || time <= rloop->looked - OLD || (time > rloop->looked && time > wt_rloop_clock(rloop)))
		return -1;
	return time;
}

/*
 * Frames without a stamp came no later than the first frame with one behind them; if there is none among what was read, no earlier than the one
 * before them, and that is taken if still more wait in the port: none of them came just now.
 */
static void date_others(struct watch *watch, struct wt_frame *from, wt_time time)
{
	for (struct wt_frame *frame = from; frame && frame->time < 0; frame = frame->next) {
		wt_time read = -frame->time;

		frame->time = wt_time_max(time >= 0 && time < read ? time : read, watch->last);
		watch->last = frame->time;
		watch->port->unstamped++;
	}
}

/* Reads a batch. The time up to which the port has been read. The packets of a big frame are all taken: the descriptor does not speak
 * for them. Until it is dated a frame without a stamp has the time of its reading, negative. */
static wt_time take(struct watch *watch)
{
	struct wt_port *port = watch->port;
	struct wt_frame *frame, *others = NULL;
	uint32_t held = watch->held.frames, few = port->stamps ? 0 : wt_rhythm_next(&watch->rhythm), most = few ? held + few : port->says_more ? LONG_BATCH : BATCH;
	wt_time stamped = -1;
	int n = 1;

	for (uint32_t i = held; (i < most || port->cut.head) && (n = port->ops->read(port, &frame)) > 0; i++) {
		wt_time time;

		if (!frame)
			continue;
		time = came(watch);
		wt_frame_queue_push(&watch->held, frame);
		if (time < 0) {
			frame->time = -wt_rloop_clock(watch->rloop);
			others = others ? others : frame;
			continue;
		}
		frame->time = stamped = wt_time_max(time, watch->last);
		*(stamped - time < AWAY ? &port->stamped : &port->unstamped) += 1; /* of a port time never goes back */
		date_others(watch, others, stamped);
		others = NULL;
		watch->last = stamped;
	}
	watch->ready = n > 0 && !few;
	wt_rhythm_note(&watch->rhythm, watch->held.frames - held);
	date_others(watch, others, watch->ready ? stamped : -1);
	if (n < 0) {
		watch->error = n;
		stop(watch);
	}
	return watch->ready && watch->held.head ? watch->last : WT_NEVER;
}

static struct watch *earliest(const struct wt_rloop *rloop, wt_time horizon)
{
	struct watch *first = NULL;

	for (struct watch *watch = rloop->watches; watch; watch = watch->next)
		if (watch->held.head && watch->held.head->time <= (first ? first->held.head->time - 1 : horizon))
			first = watch;
	return first;
}

/* True: there is more to do. */
static bool one_round(struct wt_rloop *rloop)
{
	wt_time now = look(rloop), horizon = now;
	bool away = rloop->stamps && now - rloop->asked > AWAY, ready = false, held = false;
	struct watch *watch;

	if (away)
		rloop->asked = now;
	if (rloop->stamps && now - rloop->compared > COMPARE_EVERY)
		compare_clocks(rloop);
	for (watch = rloop->watches; watch; watch = watch->next)
		if (watch->ready || ev_clear_pending(rloop->ev, &watch->readable) || (away && ev_is_active(&watch->readable)))
			horizon = wt_time_min(horizon, take(watch));
	while ((watch = earliest(rloop, horizon))) {
		struct wt_frame *frame = wt_frame_queue_pop(&watch->held);

		frame->more = watch->port->says_more && watch->held.head && watch->held.head->time <= horizon;
		wt_graph_input(rloop->graph, &watch->port->node, 1, wt_time_max(frame->time, wt_graph_now(rloop->graph)), frame);
	}
	wt_graph_run(rloop->graph, wt_time_max(horizon, wt_graph_now(rloop->graph)));
	for (watch = rloop->watches; watch; watch = watch->next) {
		wt_port_write(watch->port, wt_graph_now(rloop->graph));
		ready |= watch->ready;
		held |= watch->held.head != NULL;
	}
	rloop->held = held && !ready;
	return held || ready;
}

/* The last thing in a turn: whoever is told may remove the port. */
static void tell_gone(struct wt_rloop *rloop)
{
	struct watch *watch = rloop->watches;

	while (watch) {
		struct wt_port *port = watch->port;
		int error = watch->error;

		if (!error || watch->held.head) {
			watch = watch->next;
			continue;
		}
		watch->error = 0;
		if (port->gone)
			port->gone(port, error);
		watch = rloop->watches;
	}
}

static void turn(struct wt_rloop *rloop)
{
	rloop->busy = true;
	for (unsigned i = 0; i < ROUNDS && one_round(rloop); i++)
		;
	rloop->busy = false;
	watch_writers(rloop);
	arm(rloop);
	tell_gone(rloop);
}

wt_time wt_rloop_catch_up(struct wt_rloop *rloop)
{
	wt_time now = wt_rloop_clock(rloop);

	if (rloop->busy)
		return wt_graph_now(rloop->graph);
	rloop->busy = true;
	do
		one_round(rloop);
	while (wt_graph_now(rloop->graph) < now);
	rloop->busy = false;
	if (rloop->held) /* who only looks at the graph does not kick it */
		arm(rloop);
	return wt_graph_now(rloop->graph);
}

void wt_rloop_kick(struct wt_rloop *rloop)
{
	if (!rloop->busy)
		turn(rloop);
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
	turn(rloop);
}

static void on_spin(struct ev_loop *ev, ev_idle *watcher, int events)
{
	struct wt_rloop *rloop = watcher->data;
	wt_time now = look(rloop);

	if (rloop->held || wt_graph_deadline(rloop->graph) <= now || (rloop->release == WT_RELEASE_GUARD && !may_spin(rloop, now)))
		turn(rloop);
}

static void on_readable(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct watch *watch = watcher->data;

	watch->ready = true;
	turn(watch->rloop);
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
	rloop->base = clock_ns(CLOCK_MONOTONIC);
	rloop->zero = clock_ns(CLOCK_REALTIME);
	compare_clocks(rloop);
	rloop->epoch = rloop->zero;
	ev_io_init(&rloop->timer, on_timer, rloop->timer_fd, EV_READ);
	ev_set_priority(&rloop->timer, 1); /* before the ports, which the turn reads too */
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
	rloop->stamps |= port->stamps;
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
		wt_frame_queue_clear(&watch->held);
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

int wt_rloop_timer(const struct wt_rloop *rloop)
{
	return rloop->timer_fd;
}

int64_t wt_rloop_epoch(const struct wt_rloop *rloop)
{
	return rloop->epoch;
}

const struct wt_lateness *wt_rloop_lateness(const struct wt_rloop *rloop)
{
	return &rloop->lateness;
}
