/* SPDX-License-Identifier: BSD-2-Clause */
/* What senders do when the peer tells of ECN marks (RFC 3168 6.1.2). That they are asked once per window is the engine's part. */
#include "tests/cc/cc_test.h"

/* Tahoe sees no loss in a mark, so no slow start from one segment either. */
static void ecn_halves_and_its_ack_opens_nothing(void **state)
{
	static const char *const names[] = {"tahoe", "reno", "newreno"};

	for (unsigned i = 0; i < 3; i++) {
		struct wt_loss loss = {.why = WT_LOSS_ECN, .inflight = 16000, .srtt = 100 * WT_MS, .now = WT_S};
		struct wt_ack ack = {.acked = 1000, .flags = WT_ACK_ECE | WT_ACK_CWND_LIMITED};
		struct sender s;

		sender_start(&s, names[i], cc_env());
		s.out.cwnd = 16000;
		s.choice.ops->on_loss(s.state, &loss, &s.out);
		assert_int_equal(s.out.cwnd, 8000);
		assert_int_equal(s.out.ssthresh, 8000);
		s.out.ssthresh = 16000;
		s.choice.ops->on_ack(s.state, &ack, &s.out);
		assert_int_equal(s.out.cwnd, 8000);
		ack.flags = WT_ACK_CWND_LIMITED;
		s.choice.ops->on_ack(s.state, &ack, &s.out);
		assert_int_equal(s.out.cwnd, 9000);
		sender_finish(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ecn_halves_and_its_ack_opens_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
