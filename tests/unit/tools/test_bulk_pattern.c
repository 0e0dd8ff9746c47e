/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tools/app/bulk_wire.h"

#define LEN 40000

static uint8_t whole[LEN];

static int setup(void **state)
{
	wt_bulk_fill(7, 0, whole, LEN);
	return 0;
}

static void any_piece_equals_the_same_piece_of_the_whole(void **state)
{
	uint8_t piece[5000];

	for (size_t at = 0; at < 9000; at += 37)
		for (size_t len = 1; len < sizeof(piece); len = len * 3 + 1) {
			wt_bulk_fill(7, at, piece, len);
			assert_memory_equal(piece, whole + at, len);
			assert_int_equal(wt_bulk_agree(7, at, whole + at, len), len);
		}
}

static void a_lost_or_repeated_piece_is_seen_at_once(void **state)
{
	/* Whatever is missing or doubled, the stream goes on with bytes of another place: 16 bytes of it must differ. */
	for (size_t shift = 1; shift <= 16384; shift++) {
		assert_true(wt_bulk_agree(7, 5000, whole + 5000 + shift, 16) < 16);
		if (shift <= 5000)
			assert_true(wt_bulk_agree(7, 5000, whole + 5000 - shift, 16) < 16);
	}
}

static void segments_swapped_across_blocks_are_seen(void **state)
{
	for (size_t block = 1; block < 9; block++)
		assert_true(wt_bulk_agree(7, 1024, whole + 1024 + block * 4096, 8) < 8);
}

static void another_seed_is_another_stream(void **state)
{
	assert_true(wt_bulk_agree(8, 0, whole, 16) < 16);
}

static void the_first_wrong_byte_is_named(void **state)
{
	uint8_t copy[LEN];

	memcpy(copy, whole, LEN);
	for (size_t at = 0; at < LEN; at += 997) {
		copy[at] ^= 1;
		assert_int_equal(wt_bulk_agree(7, 0, copy, LEN), at);
		copy[at] ^= 1;
	}
}

static void request_and_result_survive_the_wire(void **state)
{
	uint8_t request[WT_BULK_REQUEST], wire[WT_BULK_RESULT];
	struct wt_bulk_result in = {.bytes = 5242880, .bad_at = 1ull << 40, .verified = false, .compared = true,
				    .first = 3, .last = 4 * WT_S, .segs = 5, .dup_segs = 6, .out_of_order_segs = 7, .ce_segs = 0xfedcba98,
				    .receiver = "real", .attempts = 0xffffff, .successes = 0xabcdef}, out;
	struct wt_bulk_request asked = {.size = 1ull << 35, .seed = ~0ull, .kind = WT_BULK_ASKS, .streams = 10000, .time_ms = 0xfedcba98}, got;

	wt_bulk_put_request(request, &asked);
	assert_true(wt_bulk_get_request(request, &got));
	assert_true(got.size == asked.size && got.seed == asked.seed && got.kind == asked.kind && got.streams == asked.streams &&
		    got.time_ms == asked.time_ms);
	request[24] = 99;
	assert_false(wt_bulk_get_request(request, &got));
	request[24] = WT_BULK_SENDS;
	request[3] ^= 1;
	assert_false(wt_bulk_get_request(request, &got));
	wt_bulk_put_result(wire, &in);
	assert_true(wt_bulk_get_result(wire, &out));
	assert_true(in.bytes == out.bytes && in.bad_at == out.bad_at && in.verified == out.verified);
	assert_true(in.compared == out.compared && in.first == out.first && in.last == out.last);
	assert_true(in.segs == out.segs && in.dup_segs == out.dup_segs && in.out_of_order_segs == out.out_of_order_segs &&
		    in.ce_segs == out.ce_segs);
	assert_true(in.attempts == out.attempts && in.successes == out.successes);
	assert_string_equal(in.receiver, out.receiver);
	memset(wire + 72, 0x1b, 24); /* a terminal escape instead of a module name */
	assert_true(wt_bulk_get_result(wire, &out));
	assert_string_equal(out.receiver, "");
	memset(wire + 8, 0, 3); /* more successes than attempts */
	assert_true(wt_bulk_get_result(wire, &out));
	assert_true(out.attempts == 0 && out.successes == 0);
	wire[7]++;
	assert_false(wt_bulk_get_result(wire, &out));
}

static void a_report_survives_the_wire(void **state)
{
	uint8_t wire[WT_BULK_REPORT];
	struct wt_bulk_report in = {.bytes = 1ull << 40, .segs = 1ull << 33, .retransmits_segs = 5, .retransmits_bytes = 1ull << 34, .fast_recoveries = 6,
				    .timeouts = 7, .mean_rtt = 8 * WT_S, .min_rtt = 9, .sender = "fifteen-letters", .recovery = "rack"}, out;

	wt_bulk_put_report(wire, &in);
	assert_true(wt_bulk_get_report(wire, &out));
	assert_memory_equal(&in, &out, sizeof(in));
	memset(wire + 64, 0x1b, 32); /* a terminal escape instead of a module name */
	assert_true(wt_bulk_get_report(wire, &out));
	assert_string_equal(out.sender, "");
	wire[7]++;
	assert_false(wt_bulk_get_report(wire, &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_piece_equals_the_same_piece_of_the_whole),
		cmocka_unit_test(a_lost_or_repeated_piece_is_seen_at_once),
		cmocka_unit_test(segments_swapped_across_blocks_are_seen),
		cmocka_unit_test(another_seed_is_another_stream),
		cmocka_unit_test(the_first_wrong_byte_is_named),
		cmocka_unit_test(request_and_result_survive_the_wire),
		cmocka_unit_test(a_report_survives_the_wire),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
