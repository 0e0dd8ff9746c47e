/* SPDX-License-Identifier: BSD-2-Clause */
/* CUBIC's memory of the last maximum (RFC 9438 4.7, 4.8) and of the first slow start, by hand. */
#include "tests/cc/feed.h"

static void begin(struct sender *s)
{
	sender_start(s, "cubic", cc_env());
	sender_event(s, WT_CC_ESTABLISHED);
}

static void lose(struct sender *s, uint32_t cwnd)
{
	s->out.cwnd = cwnd;
	sender_loss(s, WT_LOSS_DUPTHRESH, cwnd, 0);
}

static void a_loss_below_the_last_maximum_lowers_it_further_and_an_undo_brings_it_back(void **state)
{
	struct sender s;

	begin(&s);
	lose(&s, 40 * MSS);
	assert_true(s.out.gauge[0] == 40);
	lose(&s, 30 * MSS);
	assert_true(s.out.gauge[0] > 25.49 && s.out.gauge[0] < 25.51); /* 30 (1 + 0.7) / 2 */
	sender_event(&s, WT_CC_UNDO);
	sender_ack(&s, 0);
	lose(&s, 45 * MSS);
	assert_true(s.out.gauge[0] == 45);
	lose(&s, 42 * MSS);
	sender_event(&s, WT_CC_UNDO);
	lose(&s, 44 * MSS); /* below 45, which the undo brought back, and not below what the undone loss had made of 42 */
	assert_true(s.out.gauge[0] > 37.39 && s.out.gauge[0] < 37.41);
	sender_finish(&s);
}

/* RFC 9406 4.3: HyStart++ is for the first slow start; the one after a timeout doubles whatever the round trips are. */
static void after_a_loss_slow_start_does_not_ask_for_round_trips(void **state)
{
	struct sender s;
	wt_seq sent = 0;
	uint32_t before;

	begin(&s);
	s.out.cwnd = 400 * MSS;
	sender_loss(&s, WT_LOSS_RTO, 400 * MSS, 1);
	assert_int_equal(s.out.cwnd, MSS);
	s.out.cwnd = before = 10 * MSS;
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < 10; i++) {
			struct wt_ack ack = {.now = (round + 1) * WT_S, .acked = MSS, .newly_delivered = MSS, .flags = WT_ACK_CWND_LIMITED,
					     .rtt = (50 + 20 * round) * WT_MS, .srtt = 50 * WT_MS};

			sent += MSS;
			ack.ack = sent;
			ack.snd_nxt = sent + 9 * MSS;
			s.choice.ops->on_ack(s.state, &ack, &s.out);
		}
	}
	assert_int_equal(s.out.cwnd, before + 40 * MSS);
	sender_finish(&s);
}

/* RFC 3465 2.2, RFC 9406 4.2: one ACK of ten segments adds L segments, the stack's L without HyStart++ and after it, eight with it. */
static void without_hystart_one_ack_adds_what_the_stack_allows(void **state)
{
	const struct {
		const char *module;
		bool lost;
		uint32_t added;
	} row[] = {{"cubic", false, 8}, {"cubic", true, 2}, {"cubic:hystart=off", false, 2}};
	struct wt_cc_env env = cc_env();
	struct sender s;

	(void)state;
	env.slow_start_limit = 2;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		sender_start(&s, row[i].module, env);
		sender_event(&s, WT_CC_ESTABLISHED);
		if (row[i].lost)
			lose(&s, 400 * MSS);
		s.out.cwnd = 20 * MSS;
		sender_ack(&s, 10 * MSS);
		assert_int_equal(s.out.cwnd, (20 + row[i].added) * MSS);
		sender_finish(&s);
	}
}

static void slow_start_ends_at_ssthresh_and_not_beyond(void **state)
{
	struct sender s;

	(void)state;
	begin(&s);
	s.out.cwnd = 20 * MSS;
	s.out.ssthresh = 20 * MSS + MSS / 2;
	sender_ack(&s, 4 * MSS);
	assert_int_equal(s.out.cwnd, s.out.ssthresh);
	sender_finish(&s);
}

/*
 * RFC 9438 4.8: the first congestion avoidance after a timeout begins at its own window with K = 0, whatever W_max was. 4.3: W_est grows by
 * 3 (1 - 0.7) / (1 + 0.7) = 0.529 segments per round trip until it reaches cwnd_prior, the window before the timeout, then by 1.
 */
static void after_a_timeout_the_window_is_not_sought_that_was_there_before(void **state)
{
	struct feed f;

	feed_start(&f, "cubic");
	feed_window(&f, 100);
	feed_loss(&f, WT_LOSS_RTO);
	assert_int_equal(f.s.out.ssthresh, 70 * MSS);
	feed_window(&f, 70);
	feed_rounds(&f, 10, 10 * WT_MS);
	NEAR(f.s.out.gauge[0], 70, 0.01);
	NEAR(f.s.out.gauge[1], 0, 0);
	NEAR(feed_segs(&f), 75.29, 0.1); /* the cubic is at 70 + 0.4 0.1^3; with K of 100 segments it would be at 80 */
	feed_rounds(&f, 60, 10 * WT_MS);
	NEAR(feed_segs(&f), 113, 0.5); /* 57 round trips to 100, and a segment in each of the other 13 */
	sender_finish(&f.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_hystart_one_ack_adds_what_the_stack_allows),
		cmocka_unit_test(slow_start_ends_at_ssthresh_and_not_beyond),
		cmocka_unit_test(a_loss_below_the_last_maximum_lowers_it_further_and_an_undo_brings_it_back),
		cmocka_unit_test(after_a_timeout_the_window_is_not_sought_that_was_there_before),
		cmocka_unit_test(after_a_loss_slow_start_does_not_ask_for_round_trips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
