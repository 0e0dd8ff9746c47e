/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stack/record/digest.h"
#include "stack/drive/graph.h"
#include "stack/drive/vloop.h"
#include "tests/unit/toy_graph.h"

static void events_run_by_time_and_then_by_node_index(void **state)
{
	struct toy_source sources[3];
	static const wt_time first[3] = {20, 10, 20};

	for (int i = 0; i < 3; i++) {
		char name[8];

		snprintf(name, sizeof(name), "s%d", i);
		toy_source_init(&sources[i], name, pool, first[i], 10, 2);
		assert_int_equal(wt_graph_add(graph, &sources[i].node), 0);
		assert_int_equal(sources[i].node.index, i);
	}
	wt_graph_add(graph, &sink.node);
	for (unsigned i = 0; i < 3; i++)
		wt_graph_join(graph, &sources[i].node, 0, &sink.node, i);
	wt_graph_run(graph, 25);
	assert_int_equal(sink.count, 4);
	assert_int_equal(sink.got[0].time, 10);
	assert_int_equal(sink.got[0].port, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(sink.got[1 + i].time, 20);
		assert_int_equal(sink.got[1 + i].port, i);
	}
	assert_int_equal(wt_graph_now(graph), 25);
	assert_int_equal(wt_graph_deadline(graph), 30);
	wt_graph_run(graph, WT_NEVER);
	assert_int_equal(sink.count, 6);
	assert_int_equal(wt_graph_now(graph), 30);
	assert_int_equal(wt_graph_deadline(graph), WT_NEVER);
	assert_false(wt_graph_step(graph));
}

/* A port tells by it how late a frame is (wt_port_stats); a source need not set it. */
static void a_frame_carries_the_time_at_which_it_was_handed_over(void **state)
{
	struct toy_source source;

	toy_source_init(&source, "source", pool, 100, 50, 3);
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	wt_graph_run(graph, WT_NEVER);
	assert_int_equal(sink.count, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sink.got[i].stamp, 100 + 50 * i);
}

static void a_late_driver_runs_every_event_with_its_own_due_time(void **state)
{
	struct toy_source source;
	struct toy_delay delay;

	toy_source_init(&source, "source", pool, 100, 100, 50);
	toy_delay_init(&delay, "delay", 30);
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &delay.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &delay.node, 0);
	wt_graph_join(graph, &delay.node, 1, &sink.node, 0);
	for (wt_time late = 0; late < 6000; late += 777)
		wt_graph_run(graph, late);
	assert_int_equal(sink.count, 50);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(sink.got[i].time, 100 * (i + 1) + 30);
}

static void a_frame_from_outside_enters_after_what_was_due_before_it(void **state)
{
	struct toy_source source;
	struct wt_frame *frame = wt_frame_new(pool);

	frame->len = 60;
	wt_put32(wt_frame_own_bytes(frame), 99);
	toy_source_init(&source, "source", pool, 10, 10, 2);
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	wt_graph_input(graph, &sink.node, 1, 15, frame);
	assert_int_equal(sink.count, 2);
	assert_int_equal(sink.got[0].time, 10);
	assert_int_equal(sink.got[1].time, 15);
	assert_int_equal(sink.got[1].number, 99);
	assert_int_equal(wt_graph_now(graph), 15);
	/* A moment that is over already counts as now. */
	frame = wt_frame_new(pool);
	frame->len = 60;
	wt_graph_input(graph, &sink.node, 1, 3, frame);
	assert_int_equal(sink.got[2].time, 15);
}

static unsigned unrouted;

static void note_drop(struct wt_drop_sink *drops, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		      enum wt_drop cause)
{
	assert_int_equal(cause, WT_DROP_UNROUTED);
	assert_string_equal(node->name, "source");
	assert_int_equal(frame->time, 0);
	unrouted++;
}

static void a_port_that_leads_nowhere_counts_unrouted_drops(void **state)
{
	struct toy_source source;
	struct wt_drop_sink drops = {note_drop};

	toy_source_init(&source, "source", pool, 10, 10, 5);
	wt_graph_add(graph, &source.node);
	wt_graph_set_drop_sink(graph, &drops);
	wt_graph_run(graph, 1000);
	assert_int_equal(unrouted, 5);
	assert_int_equal(source.node.audit.dropped[WT_DROP_UNROUTED], 5);
	assert_int_equal(source.node.audit.out, 0);
	assert_true(wt_graph_audit(graph, NULL));
}

static void a_touched_node_is_asked_again_at_once(void **state)
{
	struct toy_source source;

	toy_source_init(&source, "source", pool, 0, 0, 0);
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	wt_graph_run(graph, 50);
	assert_int_equal(wt_graph_deadline(graph), WT_NEVER);
	source.left = 2;
	source.due = 50;
	source.period = 25;
	wt_graph_touch(graph, &source.node);
	assert_int_equal(sink.count, 1);
	assert_int_equal(sink.got[0].time, 50);
	assert_int_equal(wt_graph_deadline(graph), 75);
}

/* A sink that, as an application called back by a host would, sets off a source from inside its input. */
static struct toy_source *set_off;

static void touching_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	toy_sink_input(node, port, now, frame);
	if (set_off->number == 0) {
		set_off->left = 1;
		set_off->due = now;
	}
	wt_graph_touch(graph, &set_off->node);
}

static void a_touch_from_inside_a_node_is_done_before_the_instant_is_over(void **state)
{
	static const struct wt_node_ops ops = {touching_input, end_node_output, end_node_deadline, NULL};
	struct toy_source source, other;

	toy_source_init(&source, "source", pool, 40, 1, 1);
	toy_source_init(&other, "other", pool, 0, 0, 0);
	set_off = &other;
	sink.node.ops = &ops;
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &other.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	wt_graph_join(graph, &other.node, 0, &sink.node, 1);
	assert_true(wt_graph_step(graph)); /* time 0: the new nodes are asked */
	assert_true(wt_graph_step(graph));
	assert_int_equal(sink.count, 2);
	assert_int_equal(sink.got[1].port, 1);
	assert_int_equal(sink.got[1].time, 40);
}

static void a_deadline_in_the_past_means_now(void **state)
{
	struct toy_source source;

	wt_graph_run(graph, 500);
	toy_source_init(&source, "source", pool, -100, 100, 3);
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	assert_int_equal(wt_graph_deadline(graph), 500);
	wt_graph_run(graph, 1000);
	assert_int_equal(sink.count, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(sink.got[i].time, 500);
}

static void many_nodes_find_their_places_as_the_graph_grows(void **state)
{
	static struct toy_source sources[100];

	wt_graph_add(graph, &sink.node);
	for (unsigned i = 0; i < 100; i++) {
		char name[8];

		snprintf(name, sizeof(name), "s%u", i);
		toy_source_init(&sources[i], name, pool, 1000 - 10 * i, 1, 1);
		wt_graph_add(graph, &sources[i].node);
		wt_graph_join(graph, &sources[i].node, 0, &sink.node, 0);
		wt_graph_run(graph, 1 + i / 50); /* deadlines are in the heap when it grows */
	}
	assert_int_equal(wt_graph_count(graph), 101);
	assert_ptr_equal(wt_graph_node(graph, 7), &sources[6].node);
	assert_null(wt_graph_node(graph, 101));
	wt_graph_run(graph, 5000);
	assert_int_equal(sink.count, 100);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(sink.got[i].time, 10 + 10 * i);
}

/* ---- nodes that decide at once --------------------------------------------------------------------------- */

static unsigned decided, put;

/* Even numbers are held, odd ones pass. */
static int gate_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	decided++;
	if (wt_get32(wt_frame_own_bytes(frame)) % 2)
		return 1;
	toy_delay_input(node, port, now, frame);
	node->audit.in--;
	return WT_KEPT;
}

static void gate_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	put++;
	node->audit.in++;
	if (gate_pass(node, port, now, frame) == WT_KEPT)
		return;
	node->audit.queued++;
	frame->time = now;
	frame->mark = 1;
	wt_frame_queue_push(&((struct toy_delay *)node)->queue, frame);
}

static const struct wt_node_ops gate_ops = {gate_input, toy_delay_output, toy_delay_deadline, .pass = gate_pass};

/* Ten frames, every `period` from 10 on, through a gate that holds the even ones for `hold`. */
static void run_gate(struct toy_delay *gate, wt_time period, wt_time hold)
{
	static struct toy_source source;

	toy_source_init(&source, "source", pool, 10, period, 10);
	toy_delay_init(gate, "gate", hold);
	gate->node.ops = &gate_ops;
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &gate->node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &gate->node, 0);
	wt_graph_join(graph, &gate->node, 1, &sink.node, 0);
	decided = put = 0;
	wt_graph_run(graph, WT_NEVER);
	assert_int_equal(decided, 10);
	assert_int_equal(sink.count, 10);
	assert_int_equal(gate->node.audit.in, 10);
	assert_int_equal(gate->node.audit.out, 10);
	assert_true(wt_graph_audit(graph, NULL));
}

static void a_frame_that_passes_overtakes_only_what_is_held_for_later(void **state)
{
	struct toy_delay gate;

	run_gate(&gate, 10, 15);
	assert_int_equal(put, 0);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(sink.got[i].number, i ^ 1);
		assert_int_equal(sink.got[i].time, i % 2 ? 10 + 10 * (i - 1) + 15 : 20 + 10 * i);
	}
}

static void a_frame_that_passes_goes_behind_what_is_due_at_the_same_instant(void **state)
{
	struct toy_delay gate;

	run_gate(&gate, 10, 10); /* the held one is due when the next one comes, and the source is run first */
	assert_int_equal(put, 5);
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(sink.got[i].number, i);
}

/* ---- nodes that break the rules ------------------------------------------------------------------------ */

static void leaking_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	wt_frame_free(frame);
}

static void forgetful_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	node->audit.in++;
	wt_frame_free(frame);
}

static struct wt_frame *uncounted_output(struct wt_node *node, wt_time now, unsigned *port)
{
	return wt_frame_new(pool);
}

static wt_time always_now(const struct wt_node *node)
{
	return 0;
}

static int leaking_pass(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	wt_frame_free(frame);
	return WT_KEPT;
}

static int straight_on(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	return 1;
}

static int far_off(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	return 7;
}

static void run_until_broken(const struct wt_node_ops *ops)
{
	struct toy_source source;

	toy_source_init(&source, "source", pool, 10, 10, 5);
	sink.node.ops = ops;
	snprintf(sink.node.name, sizeof(sink.node.name), "liar");
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	wt_graph_run(graph, 1000);
}

static void frames_that_circle_stop_a_run_that_may_and_it_runs_no_further(void **state)
{
	struct toy_delay a, b;
	bool stopped = false;

	toy_delay_init(&a, "a", 0);
	toy_delay_init(&b, "b", 0);
	wt_graph_set_checked(graph, false);
	wt_graph_add(graph, &a.node);
	wt_graph_add(graph, &b.node);
	wt_graph_join(graph, &a.node, 1, &b.node, 0);
	wt_graph_join(graph, &b.node, 1, &a.node, 0);
	wt_graph_may_circle(graph, 1000, &stopped);
	wt_graph_input(graph, &a.node, 0, 5, wt_frame_new(pool));
	assert_true(stopped && wt_graph_circles(graph));
	assert_int_equal(wt_vloop_run(graph, 1000, &stopped), 5);
	wt_graph_run(graph, 1000);
	assert_int_equal(wt_graph_now(graph), 5);
	assert_int_equal(a.node.audit.queued + b.node.audit.queued, 1);
	wt_frame_queue_clear(&a.queue);
	wt_frame_queue_clear(&b.queue);
}

static void run_a_circle(const struct wt_node_ops *ops)
{
	struct toy_delay a, b;
	struct wt_frame *frame = wt_frame_new(pool);

	toy_delay_init(&a, "liar", 0);
	toy_delay_init(&b, "liar", 0);
	if (ops)
		a.node.ops = b.node.ops = ops;
	wt_graph_set_checked(graph, false);
	wt_graph_add(graph, &a.node);
	wt_graph_add(graph, &b.node);
	wt_graph_join(graph, &a.node, 1, &b.node, 0);
	wt_graph_join(graph, &b.node, 1, &a.node, 0);
	wt_graph_input(graph, &a.node, 0, 5, frame);
}

/* Runs it in a child; its last words must hold `words`, and it must have aborted. */
static void expect_abort(void (*run)(const struct wt_node_ops *ops), const struct wt_node_ops *ops, const char *words)
{
	char text[512] = "";
	size_t used = 0;
	int pipes[2], status;
	ssize_t n;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		struct rlimit none = {0, 0};

		setrlimit(RLIMIT_CORE, &none);
		signal(SIGABRT, SIG_DFL);
		dup2(pipes[1], 2);
		run(ops);
		_exit(0);
	}
	close(pipes[1]);
	while (used < sizeof(text) - 1 && (n = read(pipes[0], text + used, sizeof(text) - 1 - used)) > 0)
		used += (size_t)n;
	close(pipes[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_non_null(strstr(text, "node liar"));
	assert_non_null(strstr(text, words));
}

static void a_node_that_lies_about_its_frames_aborts_by_name(void **state)
{
	static const struct wt_node_ops leaks = {leaking_input, end_node_output, end_node_deadline, NULL};
	static const struct wt_node_ops forgets = {forgetful_input, end_node_output, end_node_deadline, NULL};
	static const struct wt_node_ops conjures = {toy_sink_input, uncounted_output, always_now, NULL};

	static const struct wt_node_ops lets_go = {toy_sink_input, end_node_output, end_node_deadline, .pass = leaking_pass};
	static const struct wt_node_ops errs = {toy_sink_input, end_node_output, end_node_deadline, .pass = far_off};

	expect_abort(run_until_broken, &leaks, "input() did not count");
	expect_abort(run_until_broken, &forgets, "law of conservation");
	expect_abort(run_until_broken, &conjures, "output() did not count");
	expect_abort(run_until_broken, &lets_go, "law of conservation does not hold after pass()");
	expect_abort(run_until_broken, &errs, "by a port it does not have");
}

static void a_node_that_stops_time_aborts_by_name(void **state)
{
	static const struct wt_node_ops stalls = {toy_sink_input, end_node_output, always_now, NULL};
	static const struct wt_node_ops passes = {toy_sink_input, end_node_output, end_node_deadline, .pass = straight_on};

	expect_abort(run_until_broken, &stalls, "has nothing");
	expect_abort(run_a_circle, NULL, "without delay");
	expect_abort(run_a_circle, &passes, "without delay");
}

/* ---- the loop in virtual time -------------------------------------------------------------------------- */

static bool stop;

static void stopping_input(struct wt_node *node, unsigned port, wt_time now, struct wt_frame *frame)
{
	toy_sink_input(node, port, now, frame);
	stop = sink.count == 3;
}

static void the_virtual_loop_ends_at_its_time_at_stop_or_when_nothing_is_due(void **state)
{
	static const struct wt_node_ops ops = {stopping_input, end_node_output, end_node_deadline, NULL};
	struct toy_source source;

	toy_source_init(&source, "source", pool, 10, 10, 10);
	sink.node.ops = &ops;
	wt_graph_add(graph, &source.node);
	wt_graph_add(graph, &sink.node);
	wt_graph_join(graph, &source.node, 0, &sink.node, 0);
	assert_int_equal(wt_vloop_run(graph, 15, NULL), 15);
	assert_int_equal(sink.count, 1);
	assert_int_equal(wt_vloop_run(graph, 1000, &stop), 30);
	assert_int_equal(wt_vloop_run(graph, 1000, &stop), 30);
	assert_int_equal(wt_vloop_run(graph, 100, NULL), 100);
	assert_int_equal(wt_vloop_run(graph, WT_NEVER, NULL), 100);
	assert_int_equal(sink.count, 10);
}

static uint64_t digest_of_a_run(wt_time step, wt_time period)
{
	struct wt_graph *run = wt_graph_create();
	struct wt_node *tap = wt_digest_tap("tap");
	struct toy_source a, b;
	struct toy_delay delay;
	struct toy_sink end;
	uint64_t value;

	toy_source_init(&a, "a", pool, 7, period, 100);
	toy_source_init(&b, "b", pool, 7, 14, 50);
	toy_delay_init(&delay, "delay", 28);
	toy_sink_init(&end, "end", 2);
	wt_graph_add(run, &a.node);
	wt_graph_add(run, &b.node);
	wt_graph_add(run, &delay.node);
	wt_graph_add(run, tap);
	wt_graph_add(run, &end.node);
	wt_graph_join(run, &a.node, 0, &delay.node, 0);
	wt_graph_join(run, &b.node, 0, &delay.node, 0);
	wt_graph_join(run, &delay.node, 1, tap, 0);
	wt_graph_join(run, tap, 1, &end.node, 0);
	for (wt_time t = step; t < 2000; t += step)
		wt_graph_run(run, t);
	value = wt_digest_value(tap);
	assert_int_equal(end.count, 150);
	wt_graph_destroy(run);
	return value;
}

static void the_same_graph_gives_the_same_digest_however_it_is_driven(void **state)
{
	uint64_t one = digest_of_a_run(1, 7);

	assert_true(one != 0);
	assert_true(one == digest_of_a_run(1, 7));
	assert_true(one == digest_of_a_run(333, 7));
	assert_true(one != digest_of_a_run(1, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(events_run_by_time_and_then_by_node_index),
		CASE(a_frame_carries_the_time_at_which_it_was_handed_over),
		CASE(a_late_driver_runs_every_event_with_its_own_due_time),
		CASE(a_frame_from_outside_enters_after_what_was_due_before_it),
		CASE(a_port_that_leads_nowhere_counts_unrouted_drops),
		CASE(a_touched_node_is_asked_again_at_once),
		CASE(a_touch_from_inside_a_node_is_done_before_the_instant_is_over),
		CASE(a_deadline_in_the_past_means_now),
		CASE(many_nodes_find_their_places_as_the_graph_grows),
		CASE(a_frame_that_passes_overtakes_only_what_is_held_for_later),
		CASE(a_frame_that_passes_goes_behind_what_is_due_at_the_same_instant),
		CASE(a_node_that_lies_about_its_frames_aborts_by_name),
		CASE(frames_that_circle_stop_a_run_that_may_and_it_runs_no_further),
		CASE(a_node_that_stops_time_aborts_by_name),
		CASE(the_virtual_loop_ends_at_its_time_at_stop_or_when_nothing_is_due),
		CASE(the_same_graph_gives_the_same_digest_however_it_is_driven),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
