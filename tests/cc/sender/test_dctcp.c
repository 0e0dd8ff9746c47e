/* SPDX-License-Identifier: BSD-2-Clause */
/* DCTCP, by hand from RFC 8257 3: what is echoed, the share of marked bytes, and the window it leaves. */
#include "tests/cc/cc_test.h"

#define ONE 1024u /* alpha 1, as the tests count it */

static void sent(struct sender *s, wt_seq seq, uint32_t len)
{
	struct wt_sent fact = {.seq = seq, .len = len};

	s->choice.ops->on_sent(s->state, &fact, &s->out);
}

static void acked(struct sender *s, wt_seq ack, uint32_t len, bool marked)
{
	struct wt_ack fact = {.ack = ack, .acked = len, .flags = marked ? WT_ACK_ECE : 0};

	s->choice.ops->on_ack(s->state, &fact, &s->out);
}

/* Windows of 16 segments of which `marks` are marked; what alpha is afterwards. */
static uint32_t windows(struct sender *s, wt_seq *at, unsigned count, unsigned marks)
{
	for (unsigned w = 0; w < count; w++) {
		sent(s, *at, 16 * MSS);
		for (unsigned i = 1; i <= 16; i++)
			acked(s, *at + i * MSS, MSS, i <= marks);
		*at += 16 * MSS;
	}
	return (uint32_t)(s->out.gauge[0] * ONE);
}

/* alpha := 15/16 alpha + 1/16 share: from 1, unmarked windows leave (15/16)^n. */
static void alpha_is_the_smoothed_share_of_marked_bytes(void **state)
{
	wt_seq at = 0u - 40 * MSS; /* numbers wrap on the way */
	struct sender s;

	sender_start(&s, "dctcp", cc_env());
	assert_int_equal((uint32_t)(s.out.gauge[0] * ONE), ONE);
	sent(&s, at, MSS);
	acked(&s, at + MSS, MSS, false); /* what ends the first window is the first ACK beyond it */
	assert_int_equal((uint32_t)(s.out.gauge[0] * ONE), ONE);
	at += MSS;
	for (unsigned i = 0; i < 200; i++)
		windows(&s, &at, 1, 4);
	assert_in_range((uint32_t)(s.out.gauge[0] * ONE), ONE / 4 - 8, ONE / 4 + 8);
	windows(&s, &at, 200, 16);
	assert_in_range((uint32_t)(s.out.gauge[0] * ONE), ONE - 8, ONE);
	windows(&s, &at, 200, 0);
	assert_in_range((uint32_t)(s.out.gauge[0] * ONE), 0, 8);
	sender_finish(&s);
}

static void a_mark_takes_half_of_alpha_off_the_window(void **state)
{
	static const struct {
		const char *module;
		uint32_t window;
	} cases[] = {{"dctcp", 8000}, {"dctcp:alpha=0.5", 12000}, {"dctcp:alpha=0.125", 15000}, {"dctcp:alpha=0", 16000}};

	for (unsigned i = 0; i < 4; i++) {
		struct sender s;

		sender_start(&s, cases[i].module, cc_env());
		s.out.cwnd = 16 * MSS;
		sender_loss(&s, WT_LOSS_ECN, 16 * MSS, 0);
		assert_int_equal(s.out.cwnd, cases[i].window);
		assert_int_equal(s.out.ssthresh, cases[i].window);
		sender_finish(&s);
	}
}

/* RFC 8257 3.5: a loss is a loss. */
static void losses_halve_and_timeouts_leave_one_segment_whatever_alpha(void **state)
{
	struct sender s;

	sender_start(&s, "dctcp:alpha=0.1", cc_env());
	s.out.cwnd = 16 * MSS;
	sender_loss(&s, WT_LOSS_DUPTHRESH, 16 * MSS, 0);
	assert_int_equal(s.out.cwnd, 8 * MSS);
	sender_loss(&s, WT_LOSS_RTO, 8 * MSS, 1);
	assert_int_equal(s.out.cwnd, MSS);
	sender_finish(&s);
}

static void the_receiver_echoes_what_came_last_and_tells_of_changes_at_once(void **state)
{
	static const bool marks[] = {false, true, true, false, true};
	const struct wt_rx_ack ack = {.option_room = 40};
	struct wt_receiver_choice choice;
	char err[256];
	void *module;

	assert_int_equal(wt_receiver_choose("dctcp", &choice, err, sizeof(err)), 0);
	module = calloc(1, choice.ops->state_size);
	for (unsigned i = 0; i < 5; i++) {
		struct wt_rx_segment segment = {.len = MSS, .flags = WT_RX_IN_ORDER | (marks[i] ? WT_RX_CE : 0)};
		struct wt_rx_out out = {.ece = true}; /* RFC 3168 waits for CWR */
		struct wt_cc_note note = {0};

		assert_int_equal(choice.ops->on_segment(module, &segment, &note),
				 marks[i] != (i && marks[i - 1]) ? WT_RX_ACK_NOW : WT_RX_DEFAULT);
		choice.ops->on_ack_out(module, &ack, &out);
		assert_int_equal(out.ece, marks[i]);
	}
	free(module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alpha_is_the_smoothed_share_of_marked_bytes),
		cmocka_unit_test(a_mark_takes_half_of_alpha_off_the_window),
		cmocka_unit_test(losses_halve_and_timeouts_leave_one_segment_whatever_alpha),
		cmocka_unit_test(the_receiver_echoes_what_came_last_and_tells_of_changes_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
