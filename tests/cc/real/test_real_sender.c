/* SPDX-License-Identifier: BSD-2-Clause */
/* The TCP-Real sender: it obeys the receiver, within bounds, and falls back when there is nothing to obey. */
#include "tests/cc/cc_test.h"

#include "cc/tcp_real/real.h"
#include "stack/text/trace.h"

#define RTT (100 * WT_MS)
#define SILENT (-1)

struct bench {
	struct sender s;
	wt_time now;
	wt_seq una, nxt;
	uint32_t tsval;
};

static void start(struct bench *b, const char *text, struct wt_cc_env env)
{
	struct wt_cc_options peer = {1, {{253, 6, "TR\x10\x01"}}};
	struct wt_cc_option ours = {0};

	memset(b, 0, sizeof(*b));
	sender_start(&b->s, text, env);
	b->s.choice.ops->on_syn_out(b->s.state, 0, &ours);
	assert_int_equal(ours.data[3], WT_REAL_OBEYS);
	b->s.choice.ops->on_syn_in(b->s.state, &peer);
	sender_event(&b->s, WT_CC_ESTABLISHED);
	assert_false(b->s.out.fallback);
}

static void finish(struct bench *b)
{
	sender_finish(&b->s);
}

/* An ACK of `segments` new segments; level SILENT: without the option. */
static void ack(struct bench *b, uint32_t segments, int level)
{
	struct wt_cc_options options = {0};
	struct wt_ack a = {.now = b->now, .acked = segments * MSS, .srtt = RTT, .rtt = RTT, .options = &options,
			   .has_tsval = true, .tsval = ++b->tsval, .inflight = 10 * MSS, .inflight_before = 20 * MSS};

	if (level != SILENT)
		options = (struct wt_cc_options){
			1, {{253, 6, {'T', 'R', (uint8_t)(level >> 8), (uint8_t)level}}}};
	b->una += a.acked;
	a.ack = b->una;
	a.flags = segments ? WT_ACK_CWND_LIMITED : WT_ACK_DUP;
	b->s.choice.ops->on_ack(b->s.state, &a, &b->s.out);
}

static void send(struct bench *b, uint32_t segments, bool again)
{
	for (uint32_t i = 0; i < segments; i++) {
		struct wt_sent sent = {.now = b->now, .seq = again ? b->una : b->nxt, .len = MSS,
				       .retransmission = again};

		b->s.choice.ops->on_sent(b->s.state, &sent, &b->s.out);
		b->nxt += again ? 0 : MSS;
	}
}

static void timeout(struct bench *b, bool dup_seen, uint32_t count)
{
	struct wt_loss loss = {.now = b->now, .why = WT_LOSS_RTO, .inflight = count > 1 ? MSS : 20 * MSS, .dup_seen = dup_seen,
			       .rto_count = count, .srtt = RTT};

	b->s.choice.ops->on_loss(b->s.state, &loss, &b->s.out);
}

static uint32_t cwnd(const struct bench *b)
{
	return b->s.out.cwnd / MSS;
}

static void the_window_is_two_segments_per_level_and_duplicates_count_too(void **state)
{
	struct bench b;

	start(&b, "real:profile=paper", cc_env());
	assert_int_equal(cwnd(&b), 2);
	ack(&b, 100, 7);
	assert_int_equal(cwnd(&b), 14);
	assert_int_equal((int)b.s.out.gauge[0], 7);
	ack(&b, 0, 3);
	assert_int_equal(cwnd(&b), 6);
	ack(&b, 1, 0); /* no opinion */
	assert_int_equal(cwnd(&b), 6);
	finish(&b);
}

static void a_loss_leaves_the_window_to_the_receiver(void **state)
{
	struct bench b;

	start(&b, "real:profile=paper", cc_env());
	ack(&b, 100, 20);
	sender_loss(&b.s, WT_LOSS_DUPTHRESH, 40 * MSS, 0);
	assert_int_equal(cwnd(&b), 40);
	finish(&b);
}

static void old_acks_do_not_bring_back_old_levels(void **state)
{
	struct wt_cc_options options = {1, {{253, 6, {'T', 'R', 0, 20}}}};
	struct wt_ack old = {.options = &options, .srtt = RTT, .has_tsval = true, .flags = WT_ACK_DUP};
	struct bench b;

	start(&b, "real:profile=paper", cc_env());
	ack(&b, 100, 5);
	old.ack = b.una;
	old.tsval = b.tsval - 1;
	b.s.choice.ops->on_ack(b.s.state, &old, &b.s.out);
	assert_int_equal(cwnd(&b), 10);
	old.ack = b.una - MSS;
	old.tsval = b.tsval + 1;
	b.s.choice.ops->on_ack(b.s.state, &old, &b.s.out);
	assert_int_equal(cwnd(&b), 10);
	finish(&b);
	start(&b, "real:profile=paper,ts_check=off", cc_env());
	ack(&b, 100, 5);
	old.ack = b.una;
	old.tsval = b.tsval - 1;
	b.s.choice.ops->on_ack(b.s.state, &old, &b.s.out);
	assert_int_equal(cwnd(&b), 40);
	finish(&b);
}

static void a_receiver_that_lies_gets_no_faster_start_than_slow_start(void **state)
{
	static const int lies[] = {65535, 24, 0, 65535, 1, 30000};
	static const char *const texts[] = {"real", "real:profile=paper", "real:profile=paper,lmax=65535", "real:lmax=0"};

	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		struct wt_cc_env env = cc_env();
		struct bench b;
		uint32_t bound = 2;

		start(&b, texts[t], env);
		assert_true(cwnd(&b) <= bound);
		for (int i = 0; i < 200; i++) {
			ack(&b, i % 3 == 0, lies[i % 6]);
			bound += i % 3 == 0;
			assert_true(cwnd(&b) <= bound);
			assert_true(b.s.out.cwnd >= MSS);
		}
		finish(&b);
	}
}

static void a_level_is_clamped_to_the_highest_and_the_send_buffer(void **state)
{
	struct wt_cc_env env = cc_env();
	struct bench b;

	start(&b, "real:profile=paper", env);
	ack(&b, 900, 65535);
	assert_int_equal(cwnd(&b), 48);
	finish(&b);
	env.buffer = 30 * MSS;
	start(&b, "real:profile=paper", env);
	ack(&b, 900, 24);
	assert_int_equal(cwnd(&b), 30);
	finish(&b);
	start(&b, "real:profile=paper,lmax=0", env); /* what fills the buffer */
	ack(&b, 900, 24);
	assert_int_equal((int)b.s.out.gauge[0], 15);
	finish(&b);
}

static void a_timeout_without_any_duplicate_means_two_segments_until_the_next_word(void **state)
{
	struct bench b;

	start(&b, "real:profile=paper", cc_env());
	ack(&b, 100, 20);
	timeout(&b, false, 1);
	assert_int_equal(cwnd(&b), 2);
	ack(&b, 1, 20);
	assert_int_equal(cwnd(&b), 40);
	assert_int_equal(b.s.out.burst, 0);
	timeout(&b, true, 1);
	assert_int_equal(cwnd(&b), 40);
	timeout(&b, false, 1);
	sender_event(&b.s, WT_CC_UNDO);
	assert_int_equal(cwnd(&b), 40);
	finish(&b);
}

static void profile_safe_refills_by_two_segments_per_ack_after_a_timeout(void **state)
{
	struct bench b;

	start(&b, "real", cc_env());
	ack(&b, 100, 20);
	timeout(&b, true, 1);
	assert_int_equal(b.s.out.burst, 2 * MSS);
	ack(&b, 1, 20);
	assert_int_equal(b.s.out.burst, 2 * MSS);
	for (int i = 0; i < 39; i++)
		ack(&b, 1, 20);
	assert_int_equal(b.s.out.burst, 0); /* a window has been refilled */
	finish(&b);
}

static void a_first_ack_of_data_without_the_option_falls_back_at_once(void **state)
{
	struct bench b;

	start(&b, "real", cc_env());
	ack(&b, 0, SILENT); /* acknowledges nothing: no evidence */
	assert_false(b.s.out.fallback);
	ack(&b, 1, SILENT);
	assert_true(b.s.out.fallback);
	assert_true(b.s.out.note.set);
	assert_int_equal(b.s.out.note.type, WT_TRACE_FALLBACK);
	assert_int_equal(b.s.out.cwnd, 2 * MSS);
	assert_int_equal(b.s.out.ssthresh, WT_SSTHRESH_INFINITE);
	ack(&b, 1, 24); /* too late: slow start counts, the level does not */
	assert_int_equal(cwnd(&b), 3);
	sender_loss(&b.s, WT_LOSS_RTO, 3 * MSS, 1);
	assert_int_equal(cwnd(&b), 1);
	finish(&b);
}

static void options_missing_for_two_round_trips_fall_back_with_the_present_window(void **state)
{
	struct bench b;

	start(&b, "real", cc_env());
	ack(&b, 100, 10);
	b.now = WT_S;
	ack(&b, 1, SILENT);
	b.now += 2 * RTT - 1;
	ack(&b, 1, SILENT);
	assert_false(b.s.out.fallback);
	ack(&b, 1, 10); /* one option starts the count again */
	b.now += WT_S;
	ack(&b, 1, SILENT);
	ack(&b, 0, SILENT);
	assert_false(b.s.out.fallback);
	b.now += 2 * RTT;
	ack(&b, 1, SILENT);
	assert_true(b.s.out.fallback);
	assert_int_equal(cwnd(&b), 20);
	assert_int_equal(b.s.out.ssthresh, 20 * MSS);
	finish(&b);
}

static void a_handshake_without_agreement_is_newreno_from_the_initial_window(void **state)
{
	struct wt_cc_option ours = {0};
	struct wt_cc_options none = {0};
	struct sender s;

	sender_start(&s, "real", cc_env());
	s.choice.ops->on_syn_out(s.state, 0, &ours);
	s.choice.ops->on_syn_in(s.state, &none);
	sender_event(&s, WT_CC_ESTABLISHED);
	assert_true(s.out.fallback);
	assert_int_equal(s.out.cwnd, 2 * MSS);
	sender_ack(&s, MSS);
	assert_int_equal(s.out.cwnd, 3 * MSS);
	sender_finish(&s);
}

/* One round trip: 20 segments new, `again` resent, all acknowledged. */
static void round_trip(struct bench *b, uint32_t again, int level)
{
	send(b, 20, false);
	send(b, again, true);
	ack(b, 20, level);
}

static void much_resent_in_two_round_trips_caps_the_window_until_eight_calm_ones(void **state)
{
	struct bench b;
	int rounds;

	start(&b, "real", cc_env());
	ack(&b, 0, 20);
	send(&b, 1, false);
	ack(&b, 100, 20);
	b.nxt = b.una;
	round_trip(&b, 3, 20);
	assert_int_equal(cwnd(&b), 40);
	round_trip(&b, 3, 20); /* 3 of 23 is more than an eighth */
	assert_int_equal(cwnd(&b), 10); /* half of the 20 in flight */
	round_trip(&b, 0, 20);
	assert_int_equal(cwnd(&b), 11); /* one segment per round trip */
	for (rounds = 0; rounds < 100 && cwnd(&b) < 40; rounds++)
		round_trip(&b, 0, 20);
	assert_int_equal(rounds, 29);
	round_trip(&b, 0, 24);
	for (rounds = 0; rounds < 100 && cwnd(&b) < 48; rounds++)
		round_trip(&b, 0, 24);
	assert_true(rounds < 10);
	finish(&b);

	start(&b, "real:profile=paper", cc_env());
	send(&b, 1, false);
	ack(&b, 100, 20);
	b.nxt = b.una;
	for (int i = 0; i < 5; i++)
		round_trip(&b, 10, 20);
	assert_int_equal(cwnd(&b), 40);
	finish(&b);
}

static void an_eighth_resent_is_not_yet_too_much(void **state)
{
	struct bench b;

	start(&b, "real:cap_share=0.125", cc_env());
	send(&b, 1, false);
	ack(&b, 100, 20);
	b.nxt = b.una;
	for (int i = 0; i < 5; i++)
		round_trip(&b, 2, 20); /* 2 of 22 */
	assert_int_equal(cwnd(&b), 40);
	finish(&b);
}

static void two_timeouts_in_a_row_cap_the_window(void **state)
{
	struct bench b;

	start(&b, "real", cc_env());
	ack(&b, 100, 20);
	timeout(&b, true, 1);
	assert_int_equal(cwnd(&b), 40);
	timeout(&b, true, 2);
	assert_int_equal(cwnd(&b), 10);
	ack(&b, 1, 24);
	assert_int_equal(cwnd(&b), 10);
	finish(&b);
}

static void ecn_halves_whatever_the_level(void **state)
{
	struct wt_loss loss = {.why = WT_LOSS_ECN, .inflight = 40 * MSS, .srtt = RTT, .now = WT_S};
	struct bench b;

	start(&b, "real:profile=paper", cc_env());
	ack(&b, 100, 20);
	b.s.choice.ops->on_loss(b.s.state, &loss, &b.s.out);
	assert_int_equal(cwnd(&b), 20);
	ack(&b, 1, 24);
	assert_int_equal(cwnd(&b), 20);
	b.s.choice.ops->on_loss(b.s.state, &loss, &b.s.out);
	assert_int_equal(cwnd(&b), 10);
	finish(&b);
}

static void without_timestamps_the_round_trip_is_the_guard(void **state)
{
	for (int timestamps = 0; timestamps < 2; timestamps++) {
		struct wt_cc_env env = cc_env();
		struct wt_ack slow = {.acked = MSS, .rtt = 3 * RTT, .srtt = RTT};
		struct wt_cc_options options = {1, {{253, 6, {'T', 'R', 0, 20}}}};
		struct bench b;

		env.timestamps = timestamps;
		start(&b, "real", env);
		ack(&b, 100, 20);
		slow.ack = b.una + MSS;
		slow.options = &options;
		b.s.choice.ops->on_ack(b.s.state, &slow, &b.s.out);
		sender_loss(&b.s, WT_LOSS_DUPTHRESH, 40 * MSS, 0);
		assert_int_equal(cwnd(&b), timestamps ? 40 : 20);
		finish(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_window_is_two_segments_per_level_and_duplicates_count_too),
		cmocka_unit_test(a_loss_leaves_the_window_to_the_receiver),
		cmocka_unit_test(old_acks_do_not_bring_back_old_levels),
		cmocka_unit_test(a_receiver_that_lies_gets_no_faster_start_than_slow_start),
		cmocka_unit_test(a_level_is_clamped_to_the_highest_and_the_send_buffer),
		cmocka_unit_test(a_timeout_without_any_duplicate_means_two_segments_until_the_next_word),
		cmocka_unit_test(profile_safe_refills_by_two_segments_per_ack_after_a_timeout),
		cmocka_unit_test(a_first_ack_of_data_without_the_option_falls_back_at_once),
		cmocka_unit_test(options_missing_for_two_round_trips_fall_back_with_the_present_window),
		cmocka_unit_test(a_handshake_without_agreement_is_newreno_from_the_initial_window),
		cmocka_unit_test(much_resent_in_two_round_trips_caps_the_window_until_eight_calm_ones),
		cmocka_unit_test(an_eighth_resent_is_not_yet_too_much),
		cmocka_unit_test(two_timeouts_in_a_row_cap_the_window),
		cmocka_unit_test(ecn_halves_whatever_the_level),
		cmocka_unit_test(without_timestamps_the_round_trip_is_the_guard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
