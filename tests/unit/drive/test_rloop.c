/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "stack/port/interface.h"
#include "stack/drive/rloop.h"
#include "tests/unit/pair_port.h"
#include "tests/unit/toy_nodes.h"

static struct wt_pool *pool;
static struct wt_graph *graph;
static struct ev_loop *ev;
static struct wt_rloop *rloop;
static struct toy_sink sink;

static int setup(void **state)
{
	pool = wt_pool_create(4096, 2048);
	graph = wt_graph_create();
	wt_graph_set_checked(graph, true);
	ev = ev_loop_new(EVFLAG_AUTO);
	rloop = wt_rloop_create(graph, ev);
	toy_sink_init(&sink, "sink", 2);
	wt_graph_add(graph, &sink.node);
	return !pool || !rloop;
}

static int teardown(void **state)
{
	wt_rloop_destroy(rloop);
	wt_graph_destroy(graph);
	ev_loop_destroy(ev);
	assert_int_equal(wt_pool_free_count(pool), wt_pool_count(pool));
	wt_pool_destroy(pool);
	return 0;
}

static void too_late(struct ev_loop *loop, ev_timer *timer, int events)
{
	*(bool *)timer->data = true;
}

/* Runs the loop until the sink has `count` frames; false if that takes more than five seconds. */
static bool run_until_count(unsigned count)
{
	bool late = false;
	ev_timer limit;

	ev_timer_init(&limit, too_late, 5, 0);
	limit.data = &late;
	ev_timer_start(ev, &limit);
	wt_rloop_kick(rloop);
	while (sink.count < count && !late)
		ev_run(ev, EVRUN_ONCE);
	ev_timer_stop(ev, &limit);
	return !late;
}

static void events_run_with_their_due_times_and_lateness_is_kept_apart(void **state)
{
	const struct wt_lateness *lateness = wt_rloop_lateness(rloop);
	struct toy_source source;
	struct toy_delay delay;
	uint64_t sum = 0;

	toy_source_init(&source, "source", pool, 2 * WT_MS, 2 * WT_MS, 50);
	toy_delay_init(&delay, "delay", 500 * WT_US);
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &delay.node);
	wt_graph_join(graph, &source.node, 0, &delay.node, 0);
	wt_graph_join(graph, &delay.node, 1, &sink.node, 0);
	assert_true(run_until_count(50));
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(sink.got[i].time, 2 * WT_MS * (i + 1) + 500 * WT_US);
		assert_int_equal(sink.got[i].number, i);
	}
	assert_true(wt_rloop_clock(rloop) >= sink.got[49].time);
	assert_in_range(lateness->count, 1, 100); /* fewer than events where one wake-up served two */
	assert_true(lateness->worst > 0 && lateness->worst < 5 * WT_S);
	for (unsigned i = 0; i < 24; i++)
		sum += lateness->bucket[i];
	assert_int_equal(sum, lateness->count);
}

/* 100 events 2 ms apart; returns how long it took. */
static wt_time run_events(struct toy_source *source)
{
	wt_time from = wt_rloop_clock(rloop);

	toy_source_init(source, "source", pool, from + 2 * WT_MS, 2 * WT_MS, 100);
	wt_graph_add(graph, &source->node);
	wt_graph_join(graph, &source->node, 0, &sink.node, 0);
	wt_graph_touch(graph, &source->node);
	assert_true(run_until_count(100));
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(sink.got[i].time, from + 2 * WT_MS * (i + 1));
	return wt_rloop_clock(rloop) - from;
}

static void a_guard_spins_before_each_deadline_within_its_share(void **state)
{
	struct toy_source source;
	wt_time took, guard, spun;

	wt_rloop_set_release(rloop, WT_RELEASE_GUARD);
	took = run_events(&source);
	guard = wt_rloop_guard(rloop, &spun);
	assert_true(guard >= 5 * WT_US && guard <= 250 * WT_US);
	assert_true(spun > 0);
	/* the share, what the budget may have saved, and one turn in which another process had the core */
	assert_true(spun < (wt_time)(WT_RELEASE_SHARE * (double)took) + 100 * WT_MS);
	wt_rloop_set_release(rloop, WT_RELEASE_SLEEP);
}

/* Wants to be run so often that all time would be spun; notes how long the loop has. */
struct ticker {
	struct wt_node node;
	wt_time due, every, spun, since, longest; /* longest: time in which no spin ended */
};

static struct wt_frame *tick(struct wt_node *node, wt_time now, unsigned *port)
{
	struct ticker *ticker = (struct ticker *)node;
	wt_time spun;

	wt_rloop_guard(rloop, &spun);
	if (spun != ticker->spun)
		ticker->since = now;
	ticker->spun = spun;
	ticker->longest = wt_time_max(ticker->longest, now - ticker->since);
	ticker->due = now + ticker->every;
	return NULL;
}

static wt_time next_tick(const struct wt_node *node)
{
	return ((const struct ticker *)node)->due;
}

static const struct wt_node_ops ticker_ops = {toy_sink_input, tick, next_tick, NULL};

/* Until that time is over, or there was a turn of `enough`. */
static struct ticker run_ticker(wt_time every, wt_time how_long, wt_time enough)
{
	wt_time from = wt_rloop_clock(rloop);
	static struct ticker ticker;

	ticker = (struct ticker){.node = {.ops = &ticker_ops, .name = "ticker"}, .due = from, .since = from, .every = every};
	wt_rloop_set_release(rloop, WT_RELEASE_GUARD);
	wt_graph_add(graph, &ticker.node);
	wt_rloop_kick(rloop);
	while (wt_rloop_clock(rloop) < from + how_long && ticker.longest < enough)
		ev_run(ev, EVRUN_ONCE);
	wt_rloop_set_release(rloop, WT_RELEASE_SLEEP);
	return ticker;
}

/* Eight per cent of the time, but spent in long turns: half the budget's 20 ms take 125 ms to come in. A busy host spends it slowly. */
static void a_guard_that_has_spent_its_share_sleeps_for_a_long_turn(void **state)
{
	assert_true(run_ticker(100 * WT_US, 10 * WT_S, 100 * WT_MS).longest >= 100 * WT_MS);
}

/* A busy host may make a wait longer than it was to be; but not each of some ten thousand. */
static void a_wait_shorter_than_a_sleep_is_spun_for_whatever_the_share(void **state)
{
	run_ticker(4 * WT_US, 600 * WT_MS, WT_NEVER);
	assert_in_range(wt_rloop_lateness(rloop)->count, 0, 1000);
}

static void a_spinning_loop_never_arms_its_timer(void **state)
{
	struct toy_source source;
	uint64_t before = wt_rloop_lateness(rloop)->count;

	wt_rloop_set_release(rloop, WT_RELEASE_SPIN);
	run_events(&source);
	assert_int_equal(wt_rloop_lateness(rloop)->count, before);
	wt_rloop_set_release(rloop, WT_RELEASE_SLEEP);
}

static void a_node_touched_from_outside_is_served_when_the_loop_is_kicked(void **state)
{
	struct toy_source source;
	wt_time now;

	toy_source_init(&source, "source", pool, 0, 0, 0);
	wt_graph_add(graph, &source.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	wt_rloop_kick(rloop);
	now = wt_rloop_catch_up(rloop);
	assert_int_equal(now, wt_graph_now(graph));
	source.left = 3;
	source.due = now;
	source.period = WT_MS;
	wt_graph_touch(graph, &source.node);
	assert_int_equal(sink.count, 1);
	assert_in_range(sink.got[0].time, now, wt_rloop_clock(rloop));
	assert_true(run_until_count(3));
	assert_int_equal(sink.got[2].time, now + 2 * WT_MS);
}

static void what_is_touched_after_a_silence_happens_now_and_not_at_the_last_event(void **state)
{
	struct toy_source source;
	wt_time before;

	toy_source_init(&source, "source", pool, 0, 0, 0);
	wt_graph_add(graph, &source.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	wt_rloop_kick(rloop);
	usleep(20000);
	before = wt_rloop_clock(rloop);
	source.left = 1;
	wt_graph_touch(graph, &source.node);
	assert_int_equal(sink.count, 1);
	assert_in_range(sink.got[0].time, before, wt_rloop_clock(rloop));
}

static void time_zero_is_the_moment_of_creation_on_both_clocks(void **state)
{
	struct timespec t;
	int64_t realtime;
	wt_time now = wt_rloop_clock(rloop);

	clock_gettime(CLOCK_REALTIME, &t);
	realtime = t.tv_sec * WT_S + t.tv_nsec;
	assert_true(now >= 0 && now < 10 * WT_S);
	assert_true(llabs(wt_rloop_epoch(rloop) + now - realtime) < 100 * WT_MS);
}

/* ---- a port whose kernel is a socket pair -------------------------------------------------------------- */

static int pair_end;
static int gone_error;

static void on_gone(struct wt_port *port, int error)
{
	gone_error = error;
	assert_string_equal(port->user, "mine");
}

static struct wt_port *pair_port(void)
{
	struct wt_port *port = pair_port_new(pool, &pair_end);

	port->gone = on_gone;
	port->user = (void *)(uintptr_t)"mine";
	gone_error = 0;
	assert_int_equal(wt_graph_add(graph, &port->node), 0);
	assert_int_equal(wt_rloop_add_port(rloop, port), 0);
	return port;
}

static void frames_of_a_port_enter_in_order_with_the_time_they_were_read(void **state)
{
	struct wt_port *port = pair_port();
	uint8_t bytes[60] = {0};
	wt_time before, after;

	wt_graph_join(graph, &port->node, 0, &sink.node, 1);
	before = wt_rloop_clock(rloop);
	for (unsigned i = 0; i < 100; i++) {
		wt_put32(bytes, i);
		assert_int_equal(send(pair_end, bytes, sizeof(bytes), 0), sizeof(bytes));
	}
	assert_true(run_until_count(100));
	after = wt_rloop_clock(rloop);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(sink.got[i].number, i);
		assert_in_range(sink.got[i].time, i ? sink.got[i - 1].time : before, after);
	}
	assert_true(sink.got[0].time < sink.got[99].time); /* each has a reading of its own */
	assert_int_equal(port->node.audit.in, 100);
	assert_int_equal(port->node.audit.out, 100);
	close(pair_end);
}

static void give_numbered(struct wt_port *port, uint32_t number)
{
	struct wt_frame *frame = wt_frame_new(pool);

	frame->len = 2000;
	wt_put32(wt_frame_own_bytes(frame), number);
	wt_graph_input(graph, &port->node, 0, 0, frame);
}

static void wake(struct ev_loop *loop, ev_timer *timer, int events)
{
	sink.count = 1;
}

static void what_the_kernel_refuses_for_now_waits_in_order_and_then_is_dropped(void **state)
{
	struct wt_port *port = pair_port();
	unsigned sent = 0, before;
	uint8_t bytes[2048];
	ev_timer pause;
	ssize_t n;

	/* Nobody reads the other end: its buffer fills, then the waiting room, then frames are lost. */
	while (!port->node.audit.dropped[WT_DROP_WIRE] && sent < 4000)
		give_numbered(port, sent++);
	assert_int_equal(port->node.audit.queued, WT_PORT_WAITING);
	assert_int_equal(port->node.audit.taken, sent - 1 - WT_PORT_WAITING);
	assert_int_equal(port->last_error, -EAGAIN);
	/* With room for one, the next frame still comes after those that wait. */
	assert_int_equal(recv(pair_end, bytes, sizeof(bytes), MSG_DONTWAIT), 2000);
	assert_int_equal(wt_get32(bytes), 0);
	wt_port_flush(port, 0);
	assert_int_equal(recv(pair_end, bytes, sizeof(bytes), MSG_DONTWAIT), 2000);
	assert_int_equal(wt_get32(bytes), 1);
	give_numbered(port, sent - 1);
	wt_rloop_kick(rloop);
	for (unsigned i = 2; i < sent; i++) {
		while ((n = recv(pair_end, bytes, sizeof(bytes), MSG_DONTWAIT)) < 0)
			ev_run(ev, EVRUN_ONCE);
		assert_int_equal(n, 2000);
		assert_int_equal(wt_get32(bytes), i);
	}
	assert_int_equal(port->node.audit.queued, 0);
	assert_int_equal(port->node.audit.taken, sent);
	/* With nothing to write the loop sleeps, though the descriptor is writable. */
	ev_run(ev, EVRUN_NOWAIT);
	ev_run(ev, EVRUN_NOWAIT);
	assert_int_equal(ev_pending_count(ev), 0);
	before = ev_iteration(ev);
	sink.count = 0;
	ev_timer_init(&pause, wake, 0.05, 0);
	ev_timer_start(ev, &pause);
	while (!sink.count)
		ev_run(ev, EVRUN_ONCE);
	assert_in_range(ev_iteration(ev) - before, 1, 5);
	assert_true(wt_graph_audit(graph, NULL));
	close(pair_end);
}

static void a_device_that_goes_away_is_told_once_and_no_longer_watched(void **state)
{
	struct wt_port *port = pair_port();

	close(pair_end);
	wt_rloop_kick(rloop);
	ev_run(ev, EVRUN_ONCE);
	assert_int_equal(gone_error, -ENODEV);
	gone_error = 0;
	ev_run(ev, EVRUN_NOWAIT);
	assert_int_equal(gone_error, 0);
	wt_rloop_remove_port(rloop, port);
}

/* ---- ports that say when a frame came -------------------------------------------------------------------- */

static int stamped_read(struct wt_port *port, struct wt_frame **frame)
{
	int n = pair_read(port, frame);

	port->stamp = n > 0 ? (int64_t)((uint64_t)wt_get32(wt_frame_look(*frame) + 4) << 32 | wt_get32(wt_frame_look(*frame) + 8)) : 0;
	return n;
}

/* Its other end, in *end. */
static struct wt_port *stamped_port(const char *name, int *end)
{
	static const struct wt_port_ops ops = {stamped_read, pair_write, pair_refresh};
	struct wt_port *port = wt_port_new(name, &ops, pool);
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	port->fd = fds[0];
	*end = fds[1];
	port->stamps = true;
	assert_int_equal(wt_graph_add(graph, &port->node), 0);
	assert_int_equal(wt_rloop_add_port(rloop, port), 0);
	wt_graph_join(graph, &port->node, 0, &sink.node, 1);
	return port;
}

/* A frame that the kernel stamped at that scenario time. */
static void send_stamped(int end, uint32_t number, wt_time came)
{
	uint64_t stamp = (uint64_t)(wt_rloop_epoch(rloop) + came);
	uint8_t bytes[60] = {0};

	wt_put32(bytes, number);
	wt_put32(bytes + 4, (uint32_t)(stamp >> 32));
	wt_put32(bytes + 8, (uint32_t)stamp);
	assert_int_equal(send(end, bytes, sizeof(bytes), 0), sizeof(bytes));
}

/* As far as two readings of two clocks at the start and now may differ. */
static void assert_near(wt_time time, wt_time wanted)
{
	assert_in_range(time, wanted - 10 * WT_US, wanted + 10 * WT_US);
}

static void a_loop_that_was_away_does_what_it_missed_in_the_order_of_time(void **state)
{
	enum { EACH = 150 }; /* several batches */
	struct wt_port *port[2];
	struct toy_source source;
	int end[2];

	port[0] = stamped_port("one", &end[0]);
	port[1] = stamped_port("two", &end[1]);
	toy_source_init(&source, "source", pool, 2 * WT_MS, 5 * WT_MS, 3);
	wt_graph_add(graph, &source.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	usleep(40000);
	for (unsigned i = 0; i < EACH; i++) { /* one has a frame each 100 us, the other all at the end */
		send_stamped(end[0], i, WT_MS + i * 100 * WT_US);
		send_stamped(end[1], EACH + i, 14 * WT_MS + i * 20 * WT_US + 7 * WT_US);
	}
	assert_true(run_until_count(2 * EACH + 3));
	for (unsigned i = 0; i < sink.count; i++) {
		unsigned n = sink.got[i].number;

		assert_true(!i || sink.got[i].time >= sink.got[i - 1].time);
		if (sink.got[i].port == 0)
			assert_int_equal(sink.got[i].time, 2 * WT_MS + n * 5 * WT_MS);
		else if (n < EACH)
			assert_near(sink.got[i].time, WT_MS + n * 100 * WT_US);
		else
			assert_near(sink.got[i].time, 14 * WT_MS + (n - EACH) * 20 * WT_US + 7 * WT_US);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(port[i]->stamped, EACH);
		assert_int_equal(port[i]->unstamped, 0);
		close(end[i]);
	}
}

static void catching_up_reads_what_came_before(void **state)
{
	int end;

	stamped_port("one", &end);
	wt_rloop_kick(rloop);
	usleep(20000);
	for (unsigned i = 0; i < 200; i++)
		send_stamped(end, i, 10 * WT_MS + i * WT_US);
	assert_true(wt_rloop_catch_up(rloop) >= 20 * WT_MS);
	assert_int_equal(sink.count, 200);
	assert_near(sink.got[0].time, 10 * WT_MS);
	close(end);
}

static void a_stamp_that_cannot_be_is_not_believed_and_time_does_not_go_back(void **state)
{
	struct wt_port *port;
	int end;

	port = stamped_port("one", &end);
	usleep(20000);
	send_stamped(end, 0, 3 * WT_MS);
	send_stamped(end, 1, 2 * WT_MS);       /* earlier than the one before */
	send_stamped(end, 2, -10 * WT_S);      /* the clock was set forward */
	send_stamped(end, 3, 3600 * WT_S);     /* back */
	send_stamped(end, 4, -wt_rloop_epoch(rloop)); /* no stamp */
	assert_true(run_until_count(5));
	assert_near(sink.got[0].time, 3 * WT_MS);
	assert_int_equal(sink.got[1].time, sink.got[0].time);
	for (unsigned i = 2; i < 5; i++)
		assert_in_range(sink.got[i].time, wt_time_max(20 * WT_MS, sink.got[i - 1].time), wt_rloop_clock(rloop));
	assert_int_equal(port->stamped, 1);
	assert_int_equal(port->unstamped, 4);
	close(end);
}

static void a_port_may_stamp_by_the_clock_of_the_loop(void **state)
{
	struct wt_port *port;
	struct timespec now;
	int end;

	port = stamped_port("one", &end);
	port->stamp_clock = CLOCK_MONOTONIC;
	usleep(20000);
	clock_gettime(CLOCK_MONOTONIC, &now);
	send_stamped(end, 0, now.tv_sec * WT_S + now.tv_nsec - wt_rloop_clock(rloop) + 3 * WT_MS - wt_rloop_epoch(rloop));
	send_stamped(end, 1, 4 * WT_MS); /* by the other clock, decades away */
	assert_true(run_until_count(2));
	assert_near(sink.got[0].time, 3 * WT_MS);
	assert_true(sink.got[1].time >= 20 * WT_MS);
	assert_int_equal(port->stamped, 1);
	assert_int_equal(port->unstamped, 1);
	close(end);
}

/* Those behind it keep their own times. The loop reads 32 at once: the last of those has nobody behind it, but others follow. */
static void a_frame_without_a_stamp_came_between_those_around_it(void **state)
{
	enum { COUNT = 100, ONE = 3, TWO = 4, LAST_OF_BATCH = 31 };
	struct wt_port *port;
	int end;

	port = stamped_port("one", &end);
	usleep(20000);
	for (unsigned i = 0; i < COUNT; i++) {
		bool none = i == ONE || i == TWO || i == LAST_OF_BATCH || i == COUNT - 1;

		send_stamped(end, i, none ? -wt_rloop_epoch(rloop) : 10 * WT_MS + i * 20 * WT_US);
	}
	assert_true(run_until_count(COUNT));
	for (unsigned i = 0; i < COUNT - 1; i++)
		if (i != ONE && i != TWO && i != LAST_OF_BATCH)
			assert_near(sink.got[i].time, 10 * WT_MS + i * 20 * WT_US);
	assert_int_equal(sink.got[ONE].time, sink.got[TWO + 1].time);
	assert_int_equal(sink.got[TWO].time, sink.got[TWO + 1].time);
	assert_int_equal(sink.got[LAST_OF_BATCH].time, sink.got[LAST_OF_BATCH - 1].time);
	assert_in_range(sink.got[COUNT - 1].time, 20 * WT_MS, wt_rloop_clock(rloop));
	assert_int_equal(port->stamped, COUNT - 4);
	assert_int_equal(port->unstamped, 4);
	close(end);
}

static void a_device_that_goes_away_leaves_the_frames_it_gave(void **state)
{
	struct wt_port *port;
	int end;

	port = stamped_port("one", &end);
	port->gone = on_gone;
	port->user = (void *)(uintptr_t)"mine";
	gone_error = 0;
	usleep(5000);
	for (unsigned i = 0; i < 100; i++)
		send_stamped(end, i, WT_MS);
	close(end);
	while (!gone_error)
		ev_run(ev, EVRUN_ONCE);
	assert_int_equal(sink.count, 100);
	wt_rloop_remove_port(rloop, port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(events_run_with_their_due_times_and_lateness_is_kept_apart),
		CASE(a_guard_spins_before_each_deadline_within_its_share),
		CASE(a_guard_that_has_spent_its_share_sleeps_for_a_long_turn),
		CASE(a_wait_shorter_than_a_sleep_is_spun_for_whatever_the_share),
		CASE(a_spinning_loop_never_arms_its_timer),
		CASE(a_node_touched_from_outside_is_served_when_the_loop_is_kicked),
		CASE(what_is_touched_after_a_silence_happens_now_and_not_at_the_last_event),
		CASE(time_zero_is_the_moment_of_creation_on_both_clocks),
		CASE(frames_of_a_port_enter_in_order_with_the_time_they_were_read),
		CASE(what_the_kernel_refuses_for_now_waits_in_order_and_then_is_dropped),
		CASE(a_device_that_goes_away_is_told_once_and_no_longer_watched),
		CASE(a_loop_that_was_away_does_what_it_missed_in_the_order_of_time),
		CASE(catching_up_reads_what_came_before),
		CASE(a_stamp_that_cannot_be_is_not_believed_and_time_does_not_go_back),
		CASE(a_port_may_stamp_by_the_clock_of_the_loop),
		CASE(a_frame_without_a_stamp_came_between_those_around_it),
		CASE(a_device_that_goes_away_leaves_the_frames_it_gave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
