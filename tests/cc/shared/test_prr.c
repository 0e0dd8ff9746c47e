/* SPDX-License-Identifier: BSD-2-Clause */
/* Proportional rate reduction by hand (RFC 9937 6): what one ACK lets go, in bytes. A flight of ten segments, ssthresh of seven. */
#include "tests/cc/cc_test.h"

#include "cc/shared/prr.h"

static struct wt_outstanding view = {.mss = MSS, .ssthresh = 7 * MSS, .snd_nxt = 10 * MSS, .count = 10};

static void begin(struct wt_prr *prr, struct wt_recovery_out *out)
{
	struct wt_ack none = {0};

	*out = (struct wt_recovery_out){0};
	wt_prr_enter(prr, &none, &view, out);
	assert_int_equal(out->limit, MSS);
	wt_prr_sent(prr, &(struct wt_sent){.len = MSS, .retransmission = true}); /* the fast retransmit */
}

static uint32_t allowed(struct wt_prr *prr, uint32_t inflight, struct wt_ack ack, struct wt_recovery_out *out)
{
	view.inflight = inflight;
	wt_prr_allow(prr, &ack, &view, out);
	return out->limit - inflight;
}

static void above_the_threshold_its_share_of_what_was_delivered_goes_rounded_up(void **state)
{
	struct wt_recovery_out out;
	struct wt_prr prr;

	begin(&prr, &out);
	assert_int_equal(allowed(&prr, 9 * MSS, (struct wt_ack){.newly_delivered = 2001}, &out), 1401 - MSS); /* 1400.7 of 2001, less what went */
	assert_int_equal(allowed(&prr, 8 * MSS, (struct wt_ack){.newly_delivered = 1999}, &out), 2800 - MSS);
}

static void below_the_threshold_a_segment_more_goes_only_if_nothing_more_was_lost(void **state)
{
	struct wt_ack ack = {.newly_delivered = MSS, .acked = MSS};
	struct wt_recovery_out out;
	struct wt_prr prr;

	begin(&prr, &out);
	assert_int_equal(allowed(&prr, 3 * MSS, ack, &out), 2 * MSS);
	begin(&prr, &out);
	ack.lost = MSS;
	assert_int_equal(allowed(&prr, 3 * MSS, ack, &out), MSS);
	begin(&prr, &out);
	ack.lost = ack.acked = 0;
	assert_int_equal(allowed(&prr, 3 * MSS, ack, &out), MSS);
	begin(&prr, &out);
	assert_int_equal(allowed(&prr, 6500, (struct wt_ack){.newly_delivered = MSS, .acked = MSS}, &out), 500); /* not beyond ssthresh */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(above_the_threshold_its_share_of_what_was_delivered_goes_rounded_up),
		cmocka_unit_test(below_the_threshold_a_segment_more_goes_only_if_nothing_more_was_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
