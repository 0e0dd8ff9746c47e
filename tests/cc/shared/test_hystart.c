/* SPDX-License-Identifier: BSD-2-Clause */
/* HyStart++ by hand (RFC 9406 4): when it slows down, when it ends, and that it is for the first slow start alone. */
#include "tests/cc/cc_test.h"

#include "cc/shared/hystart.h"

static wt_seq sent;

/* A round of ten ACKs of a segment each, with this round-trip time; the bytes that the window grew by. */
static uint32_t a_round(struct wt_hystart *h, wt_time rtt, bool *leave)
{
	uint32_t grown = 0;

	*leave = false;
	for (unsigned i = 0; i < 10; i++) {
		struct wt_ack ack = {.acked = MSS, .rtt = rtt};
		bool now;

		sent += MSS;
		ack.ack = sent;
		ack.snd_nxt = sent + 9 * MSS;
		grown += wt_hystart_grow(h, &ack, MSS, false, &now);
		*leave |= now;
	}
	return grown;
}

static void slow_start_goes_on_at_a_quarter_and_ends_after_five_rounds(void **state)
{
	struct wt_hystart h = {0};
	bool leave;
	unsigned rounds = 0;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(a_round(&h, 50 * WT_MS, &leave), 10 * MSS);
	a_round(&h, 60 * WT_MS, &leave); /* an eighth of 50 ms is 6.25 */
	assert_true(h.conservative);
	for (uint32_t grown; grown = a_round(&h, 60 * WT_MS, &leave), !leave; rounds++)
		assert_int_equal(grown, 10 * MSS / 4);
	assert_int_equal(rounds, 4); /* and the one in which it began */
	assert_true(h.over);
}

/* RFC 9406 4.2: eight samples of a round trip are asked for; and a round trip as short as before says that the rise was none. */
static void few_samples_say_nothing_and_a_short_round_trip_takes_it_back(void **state)
{
	struct wt_hystart h = {0};
	bool leave;

	a_round(&h, 50 * WT_MS, &leave);
	a_round(&h, 50 * WT_MS, &leave);
	for (unsigned i = 0; i < 7; i++) {
		struct wt_ack ack = {.acked = MSS, .rtt = 90 * WT_MS};

		sent += MSS;
		ack.ack = sent;
		ack.snd_nxt = sent + 9 * MSS;
		wt_hystart_grow(&h, &ack, MSS, false, &leave);
		assert_false(h.conservative);
	}
	h = (struct wt_hystart){0};
	a_round(&h, 50 * WT_MS, &leave);
	a_round(&h, 50 * WT_MS, &leave);
	a_round(&h, 60 * WT_MS, &leave);
	assert_true(h.conservative);
	a_round(&h, 50 * WT_MS, &leave);
	assert_false(h.conservative);
}

static void a_slow_start_after_the_first_is_the_plain_one(void **state)
{
	struct wt_hystart h = {0};
	bool leave;

	(void)state;
	a_round(&h, 50 * WT_MS, &leave);
	a_round(&h, 50 * WT_MS, &leave);
	a_round(&h, 60 * WT_MS, &leave);
	assert_true(h.conservative);
	h.over = true; /* as a loss does */
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(a_round(&h, 90 * WT_MS, &leave), 10 * MSS);
		assert_false(leave);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_start_goes_on_at_a_quarter_and_ends_after_five_rounds),
		cmocka_unit_test(few_samples_say_nothing_and_a_short_round_trip_takes_it_back),
		cmocka_unit_test(a_slow_start_after_the_first_is_the_plain_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
