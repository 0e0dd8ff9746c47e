/* SPDX-License-Identifier: BSD-2-Clause */
/* Receivers that shape a sender by their window or their ACKs: rledbat, freeze, ack_pacer, worked out by hand. */
#include "tests/cc/cc_test.h"

struct receiver {
	struct wt_receiver_choice choice;
	void *state;
};

static void start(struct receiver *r, const char *text)
{
	struct wt_cc_env env = cc_env();
	char err[256] = "";

	memset(r, 0, sizeof(*r));
	if (wt_receiver_choose(text, &r->choice, err, sizeof(err)))
		fail_msg("%s", err);
	r->state = calloc(1, r->choice.ops->state_size);
	r->choice.ops->init(r->state, r->choice.params, &env);
}

static uint32_t window_at(struct receiver *r, wt_time now, wt_seq rcv_nxt, wt_seq edge)
{
	struct wt_rx_ack ack = {.now = now, .rcv_nxt = rcv_nxt, .right_edge = edge, .free_window = 1000000};
	struct wt_rx_out out = {.window = 1000000};

	r->choice.ops->on_ack_out(r->state, &ack, &out);
	return out.window;
}

static unsigned data_at(struct receiver *r, wt_time now, wt_seq seq, unsigned flags, wt_time echo_age)
{
	struct wt_rx_segment s = {.now = now, .seq = seq, .len = MSS, .rcv_nxt = seq + MSS, .flags = flags, .has_ts = true, .echo_age = echo_age};
	struct wt_cc_note note = {0};

	return r->choice.ops->on_segment(r->state, &s, &note);
}

/* Outages at 5 s and 15 s for 3 s: closed from 4.9 s to 8 s, then three ACKs, and again from 14.9 s. */
static void freeze_closes_ahead_of_the_outage_and_wakes_the_sender_with_three_acks(void **state)
{
	struct receiver r;
	wt_time due;

	start(&r, "freeze:at=5s,every=10s,lasts=3s,ahead=100ms");
	assert_int_equal(window_at(&r, 0, 0, 0), 1000000);
	assert_int_equal(r.choice.ops->deadline(r.state), 4900 * WT_MS);
	assert_int_equal(r.choice.ops->on_timer(r.state, 4900 * WT_MS), WT_RX_ACK_NOW);
	assert_int_equal(window_at(&r, 4900 * WT_MS, 0, 50000), 0);
	due = r.choice.ops->deadline(r.state);
	assert_int_equal(due, 8 * WT_S);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(r.choice.ops->on_timer(r.state, due), WT_RX_ACK_NOW);
		assert_int_equal(window_at(&r, due, 0, 50000), 1000000);
		due = r.choice.ops->deadline(r.state);
		assert_true(i == 2 || due < 8 * WT_S + WT_MS);
	}
	assert_int_equal(due, 14900 * WT_MS);
	free(r.state);
}

static void freeze_without_a_schedule_does_nothing(void **state)
{
	struct receiver r;

	start(&r, "freeze");
	assert_true(r.choice.ops->deadline(r.state) == WT_NEVER);
	assert_int_equal(window_at(&r, WT_S, 0, 0), 1000000);
	free(r.state);
}

static void the_ack_pacer_acknowledges_once_in_its_interval_but_a_hole_at_once(void **state)
{
	struct receiver r;

	start(&r, "ack_pacer:interval=10ms");
	assert_int_equal(data_at(&r, 100 * WT_MS, 0, WT_RX_IN_ORDER, 0), WT_RX_ACK_NOW);
	window_at(&r, 100 * WT_MS, 1000, 0);
	assert_int_equal(data_at(&r, 101 * WT_MS, 1000, WT_RX_IN_ORDER, 0), WT_RX_ACK_HOLD);
	assert_int_equal(data_at(&r, 102 * WT_MS, 2000, WT_RX_IN_ORDER, 0), WT_RX_ACK_HOLD);
	assert_int_equal(r.choice.ops->deadline(r.state), 110 * WT_MS);
	assert_int_equal(data_at(&r, 103 * WT_MS, 5000, WT_RX_OUT_OF_ORDER, 0), WT_RX_ACK_NOW);
	window_at(&r, 103 * WT_MS, 3000, 0);
	assert_true(r.choice.ops->deadline(r.state) == WT_NEVER);
	assert_int_equal(data_at(&r, 104 * WT_MS, 3000, WT_RX_IN_ORDER | WT_RX_FILLED_HOLE, 0), WT_RX_ACK_NOW);
	window_at(&r, 104 * WT_MS, 6000, 0);
	assert_int_equal(data_at(&r, 105 * WT_MS, 6000, WT_RX_IN_ORDER, 0), WT_RX_ACK_HOLD);
	assert_int_equal(r.choice.ops->on_timer(r.state, 114 * WT_MS), WT_RX_ACK_NOW);
	free(r.state);
}

/* Base 40 ms: GAIN = 1/ceil(120/40) = 1/3. At 100 ms, queue 60 ms = T: +1/3 segment a round trip; at 160 ms, twice T, -W/2 + ... at most -W/2. */
static void rledbat_grows_to_its_target_and_halves_at_twice_of_it(void **state)
{
	struct receiver r;
	uint32_t before, after;
	wt_seq seq = 0;

	start(&r, "rledbat");
	for (unsigned i = 0; i < 30; i++, seq += MSS)
		data_at(&r, i * WT_MS, seq, WT_RX_IN_ORDER, 40 * WT_MS);
	assert_int_equal(window_at(&r, 0, seq, seq), 10000 + 29000 / 3); /* ten segments, and a third of each but the first, which only measures */
	for (unsigned i = 0; i < 4; i++, seq += MSS)
		data_at(&r, 100 * WT_MS, seq, WT_RX_IN_ORDER, 86 * WT_MS);
	before = window_at(&r, 0, seq, seq);
	for (unsigned i = 0; i < before / MSS; i++, seq += MSS)
		data_at(&r, 200 * WT_MS, seq, WT_RX_IN_ORDER, 86 * WT_MS);
	after = window_at(&r, 0, seq, seq);
	assert_in_range(after - before, 300, 340); /* one window of data: 1000/3 bytes, less the part of a segment that did not fit */
	for (unsigned i = 0; i < 4; i++, seq += MSS)
		data_at(&r, 300 * WT_MS, seq, WT_RX_IN_ORDER, 250 * WT_MS);
	before = window_at(&r, 0, seq, seq);
	for (unsigned i = 0; i < before / MSS; i++, seq += MSS)
		data_at(&r, 400 * WT_MS, seq, WT_RX_IN_ORDER, 250 * WT_MS);
	after = window_at(&r, 0, seq, seq);
	assert_in_range(after, before / 2, before * 2 / 3); /* continuous: exp(-1/2) = 0.61 */
	/* sent again: half; but what was promised is not taken back */
	before = after;
	data_at(&r, 600 * WT_MS, seq - 20 * MSS, WT_RX_IN_ORDER | WT_RX_FILLED_HOLE, -1);
	after = window_at(&r, 0, seq, seq);
	assert_in_range(after, before / 2 - 1, before / 2 + 1);
	assert_int_equal(window_at(&r, 0, seq, seq + 100000), 100000);
	free(r.state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(freeze_closes_ahead_of_the_outage_and_wakes_the_sender_with_three_acks),
		cmocka_unit_test(freeze_without_a_schedule_does_nothing),
		cmocka_unit_test(the_ack_pacer_acknowledges_once_in_its_interval_but_a_hole_at_once),
		cmocka_unit_test(rledbat_grows_to_its_target_and_halves_at_twice_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
