/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of tens of thousands of segments: what is in the window is kept, however many holes it has. */
#include "stack/base/seq.h"
#include "stack/wire/tcp.h"
#include "tests/sim/scenarios.h"

/*
 * 10 Gbit/s, 30 ms, a queue of half the product: slow start overshoots, and thousands of holes come at once. The queue's drops are all that is
 * sent again, nothing arrives twice, no host forgets anything for want of intervals or memory, and no timer has to help. (With at most 2048
 * intervals there were three times as many retransmissions, a timeout, and 3.1 Gbit/s.)
 * Without PRR (recovery sack:prr=off) a second overflow follows the first, and 5.1 Gbit/s are left.
 */
static void a_slow_start_overshoot_at_10_gigabits_loses_only_what_the_queue_dropped(void **state)
{
	struct setup setup = {.sender = "newreno", .recovery = "sack", .settings = "snd_buffer=128MB,rcv_buffer=128MB",
			      .fwd = "rate 10Gbit burst 0B limit 20MB delay 15ms", .rev = "rate 10Gbit burst 0B limit 20MB delay 15ms",
			      .size = 1000000000};
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;
	double goodput;

	result = run_whole(&setup, NULL, &flow);
	goodput = (double)setup.size * 8e9 / (double)result.simulated;
	print_message("%.0f Mbit/s, %u dropped by the queue, %u sent again, %.1f s wall\n", goodput / 1e6,
		      (unsigned)result.dropped[WT_DROP_QUEUE], (unsigned)flow.info.retransmits_segs, result.wall_s);
	assert_true(result.dropped[WT_DROP_QUEUE] > 10000);
	assert_int_equal(flow.info.retransmits_segs, result.dropped[WT_DROP_QUEUE]);
	assert_int_equal(flow.result.dup_segs, 0);
	assert_int_equal(result.dropped[WT_DROP_MEMORY], 0);
	assert_int_equal(flow.info.timeouts, 0);
	assert_true(goodput >= 5.5e9);
}

/* What a journal shows of a flow without losses: every byte sent and not acknowledged is in flight. Counted here by the segments alone. */
struct flight {
	struct wt_trace_sink sink;
	wt_seq sent, una; /* after the last byte sent; acknowledged */
	wt_time acked;    /* when the last ACK came */
	unsigned acks, lines, empty, late;
	uint64_t worst;   /* bytes by which a line was off */
};

static void watch_flight(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct flight *f = (struct flight *)sink;

	if (event->type == WT_TRACE_SENT) {
		f->sent = (wt_seq)event->field[0] + (uint32_t)event->field[1] + ((event->field[2] & (WT_SYN | WT_FIN)) != 0);
	} else if (event->type == WT_TRACE_RECEIVED && wt_seq_gt((wt_seq)event->field[3], f->una) && !(event->field[2] & WT_SYN)) {
		f->una = (wt_seq)event->field[3];
		f->acked = event->time;
		f->acks++;
	} else if (event->type == WT_TRACE_METRICS) {
		uint64_t flying = f->sent - f->una, off = flying > event->field[2] ? flying - event->field[2] : event->field[2] - flying;

		f->lines++;
		f->empty += event->field[2] == 0;
		f->late += event->time != f->acked;
		f->worst = off > f->worst ? off : f->worst;
	}
}

static void metrics_tell_what_is_in_flight_after_an_ack_has_let_segments_go(void **state)
{
	/* one segment at a time: before sending there would be nothing in flight at every single ACK */
	struct setup setup = {.sender = "newreno", .settings = "snd_buffer=2KiB", .fwd = "rate 10Mbit burst 0B limit 1MB delay 5ms",
			      .rev = "delay 5ms", .size = 200000};
	struct flight flight = {.sink = {watch_flight}};
	struct wt_bulk_sender flow;

	run_whole(&setup, &(struct wt_simulation){.sink[0] = &flight.sink}, &flow);
	assert_true(flight.lines > 90 && flight.lines <= flight.acks);
	assert_int_equal(flight.worst, 0);
	assert_int_equal(flight.late, 0);
	assert_true(flight.empty <= 2); /* the last data, the last FIN */
}

struct at_a_second {
	struct wt_trace_sink sink;
	uint64_t cwnd;
};

static void watch_window(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	if (event->type == WT_TRACE_METRICS && event->time <= WT_S)
		((struct at_a_second *)sink)->cwnd = event->field[0];
}

/*
 * A paced sender's flight fills the window later than the ACKs come that widened it, and is full all the same once per round trip: slow start doubles.
 * 100 ms without a queue: at one second ten round trips have passed, the first for the handshake, the second for its first window. (Where only the
 * flight at the ACK counted, there were 125 segments.)
 */
static void a_paced_window_doubles_in_slow_start_as_well(void **state)
{
	struct setup setup = {.sender = "prague", .settings = "mss=1000B,timestamps=off,snd_buffer=32MB,rcv_buffer=32MB,initial_window=10,ack_every=1",
			      .fwd = "rate 10Gbit burst 0B limit 100MB delay 50ms", .rev = "delay 50ms"};
	struct at_a_second window = {.sink = {watch_window}};
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;
	struct scenario scenario;

	prepare(&scenario, &setup);
	scenario.how.sink[0] = &window.sink;
	scenario.flow.time = WT_S;
	result = run(&scenario, &flow);
	assert_true(wt_simulation_ok(&result));
	assert_in_range(window.cwnd / 1000, 10 << 7, 10 << 9);
}

/* And one that never fills it does not: the send buffer holds 40 segments. */
static void a_paced_window_that_is_not_filled_does_not_grow(void **state)
{
	struct setup setup = {.sender = "prague", .settings = "mss=1000B,timestamps=off,snd_buffer=40KB,rcv_buffer=32MB,initial_window=10,ack_every=1",
			      .fwd = "rate 10Gbit burst 0B limit 100MB delay 50ms", .rev = "delay 50ms"};
	struct wt_simulation_result result;
	struct wt_bulk_sender flow;
	struct scenario scenario;

	prepare(&scenario, &setup);
	scenario.flow.time = 20 * WT_S;
	result = run(&scenario, &flow);
	assert_true(wt_simulation_ok(&result));
	assert_in_range(flow.info.cwnd / 1000, 40, 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_tell_what_is_in_flight_after_an_ack_has_let_segments_go),
		cmocka_unit_test(a_paced_window_doubles_in_slow_start_as_well),
		cmocka_unit_test(a_paced_window_that_is_not_filled_does_not_grow),
		cmocka_unit_test(a_slow_start_overshoot_at_10_gigabits_loses_only_what_the_queue_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
