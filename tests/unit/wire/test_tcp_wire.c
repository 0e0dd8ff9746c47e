/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include "stack/base/bytes.h"
#include "stack/base/random.h"
#include "stack/wire/tcp.h"

/* A header with the given options, padded with END to four. Returns its length. */
static uint32_t build(uint8_t *data, uint8_t flags, const uint8_t *options, uint32_t len)
{
	uint32_t padded = (len + 3) & ~3u;

	memset(data, 0, WT_TCP_HEADER + 40);
	data[12] = (uint8_t)((WT_TCP_HEADER + padded) / 4 << 4);
	data[13] = flags;
	if (len)
		memcpy(data + WT_TCP_HEADER, options, len);
	return WT_TCP_HEADER + padded;
}

static bool parse(uint8_t flags, const uint8_t *options, uint32_t len, struct wt_tcp_header *tcp)
{
	static uint8_t data[WT_TCP_HEADER + 40];

	return wt_tcp_parse(data, build(data, flags, options, len), tcp);
}

static void short_or_overlong_headers_are_malformed(void **state)
{
	struct wt_tcp_header tcp;
	uint8_t data[60] = {0};

	for (uint32_t len = 0; len < WT_TCP_HEADER; len++)
		assert_false(wt_tcp_parse(data, len, &tcp));
	for (unsigned offset = 0; offset < 16; offset++)
		for (uint32_t len = 20; len <= 60; len++) {
			data[12] = (uint8_t)(offset << 4);
			assert_int_equal(wt_tcp_parse(data, len, &tcp), offset >= 5 && offset * 4 <= len);
		}
}

static void every_kind_with_length_zero_one_or_past_the_end_is_malformed(void **state)
{
	struct wt_tcp_header tcp;

	for (unsigned kind = 2; kind < 256; kind++)
		for (unsigned len = 0; len < 256; len++) {
			uint8_t options[40] = {(uint8_t)kind, (uint8_t)len};

			assert_int_equal(parse(WT_SYN, options, 40, &tcp), len >= 2 && len <= 40);
			/* the same at the very end: kind without length, then length with nothing behind */
			memset(options, 1, sizeof(options));
			options[39] = (uint8_t)kind;
			assert_false(parse(WT_SYN, options, 40, &tcp));
			options[38] = (uint8_t)kind;
			options[39] = (uint8_t)len;
			assert_int_equal(parse(WT_SYN, options, 40, &tcp), len == 2);
		}
}

static void nothing_behind_the_end_of_options_is_read(void **state)
{
	static const uint8_t options[] = {0, 2, 4, 5, 0xb4, 8, 0, 0};
	struct wt_tcp_header tcp;

	assert_true(parse(WT_SYN, options, sizeof(options), &tcp));
	assert_false(tcp.has_mss);
}

static void known_kinds_of_wrong_length_are_ignored(void **state)
{
	static const uint8_t kinds[] = {2, 3, 4, 5, 8}, right[] = {4, 3, 2, 10, 10};
	struct wt_tcp_header tcp;

	for (unsigned i = 0; i < sizeof(kinds); i++)
		for (uint8_t len = 2; len <= 40; len++) {
			uint8_t options[40] = {kinds[i], len};
			bool sack = kinds[i] == 5 && (len == 10 || len == 18 || len == 26 || len == 34);

			assert_true(parse(WT_SYN, options, 40, &tcp));
			assert_int_equal(tcp.has_mss || tcp.has_wscale || tcp.has_sack_permitted || tcp.has_ts || tcp.sack_count,
					 len == right[i] || sack);
		}
}

static void syn_options_count_only_with_syn(void **state)
{
	static const uint8_t options[] = {2, 4, 5, 0xb4, 4, 2, 3, 3, 7, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1};
	struct wt_tcp_header tcp;

	assert_true(parse(WT_SYN, options, sizeof(options), &tcp));
	assert_true(tcp.has_mss && tcp.has_sack_permitted && tcp.has_wscale && tcp.has_ts);
	assert_int_equal(tcp.mss, 1460);
	assert_int_equal(tcp.wscale, 7);
	assert_int_equal(tcp.tsval, 1);
	assert_int_equal(tcp.tsecr, 2);
	assert_true(parse(WT_ACK, options, sizeof(options), &tcp));
	assert_false(tcp.has_mss || tcp.has_sack_permitted || tcp.has_wscale);
	assert_true(tcp.has_ts);
}

static void more_experiments_than_room_are_skipped(void **state)
{
	uint8_t options[40];
	struct wt_tcp_header tcp;

	for (unsigned i = 0; i < 10; i++)
		memcpy(options + 4 * i, (uint8_t[]){(uint8_t)(253 + i % 2), 4, 0x54, (uint8_t)i}, 4);
	assert_true(parse(WT_ACK, options, 40, &tcp));
	assert_int_equal(tcp.experiment_count, WT_TCP_EXPERIMENTS);
	assert_int_equal(tcp.experiment[3].kind, 254);
	assert_int_equal(tcp.experiment[3].len, 4);
	assert_int_equal(tcp.experiment[3].data[1], 3);
}

static void the_syn_layout_is_the_usual_one(void **state)
{
	struct wt_tcp_header tcp = {.flags = WT_SYN, .has_mss = true, .mss = 1460, .has_sack_permitted = true,
				    .has_ts = true, .tsval = 0x01020304, .has_wscale = true, .wscale = 7};
	static const uint8_t expected[] = {2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7};
	uint8_t data[60];

	assert_int_equal(wt_tcp_emit_len(&tcp), 40);
	assert_int_equal(wt_tcp_emit(data, &tcp), 40);
	assert_memory_equal(data + 20, expected, sizeof(expected));
}

static void the_layout_of_an_ack_pads_in_front(void **state)
{
	static const uint8_t wave[4] = {0x54, 0x52, 1, 2};
	struct wt_tcp_header tcp = {.flags = WT_ACK, .has_ts = true, .tsval = 1, .tsecr = 2, .sack_count = 1, .sack = {{5, 6}},
				    .experiment_count = 1, .experiment = {{253, 6, wave}}};
	static const uint8_t expected[] = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1, 5, 10, 0, 0, 0, 5,
					   0, 0, 0, 6, 1, 1, 253, 6, 0x54, 0x52, 1, 2};
	uint8_t data[60];

	assert_int_equal(wt_tcp_emit_len(&tcp), 52);
	assert_int_equal(wt_tcp_emit(data, &tcp), 52);
	assert_memory_equal(data + 20, expected, sizeof(expected));
}

static void an_experiment_of_six_bytes_leaves_two_sack_blocks_beside_timestamps(void **state)
{
	static const uint8_t body[40] = {0};
	struct wt_tcp_header tcp = {.flags = WT_ACK, .has_ts = true, .sack_count = 4,
				    .experiment_count = 1, .experiment = {{253, 6, body}}};

	assert_int_equal(wt_tcp_emit_len(&tcp), 60);
	assert_int_equal(tcp.sack_count, 2);
	assert_int_equal(tcp.experiment_count, 1);
	/* one that can never fit costs no SACK block */
	tcp.sack_count = 4;
	tcp.experiment[0].len = 30;
	assert_int_equal(wt_tcp_emit_len(&tcp), 20 + 12 + 28);
	assert_int_equal(tcp.sack_count, 3);
	assert_int_equal(tcp.experiment_count, 0);
}

static void draw_header(const struct wt_key *key, uint64_t n, uint8_t body[40], struct wt_tcp_header *tcp)
{
	uint64_t draw[4];

	for (unsigned i = 0; i < 4; i++)
		draw[i] = wt_siphash_u64(key, 4 * n + i);
	*tcp = (struct wt_tcp_header){
		.src_port = (uint16_t)draw[0], .dst_port = (uint16_t)(draw[0] >> 16), .seq = (uint32_t)(draw[0] >> 32),
		.ack = (uint32_t)draw[1], .flags = (uint8_t)(draw[1] >> 32), .window = (uint16_t)(draw[1] >> 40),
		.urgent = (uint16_t)draw[2], .has_ts = draw[2] >> 16 & 1, .sack_count = (draw[2] >> 17) % 5,
		.experiment_count = (draw[2] >> 20) % 5,
	};
	if (tcp->flags & WT_SYN) {
		tcp->has_mss = draw[2] >> 24 & 1;
		tcp->has_wscale = draw[2] >> 25 & 1;
		tcp->has_sack_permitted = draw[2] >> 26 & 1;
		tcp->mss = tcp->has_mss ? (uint16_t)draw[3] : 0;
		tcp->wscale = tcp->has_wscale ? (uint8_t)(draw[3] >> 16) : 0;
	}
	tcp->tsval = tcp->has_ts ? (uint32_t)(draw[3] >> 20) : 0;
	tcp->tsecr = tcp->has_ts ? (uint32_t)(draw[3] >> 30) : 0;
	for (unsigned i = 0; i < 40; i++)
		body[i] = (uint8_t)(draw[i % 4] >> i);
	for (unsigned i = 0; i < tcp->sack_count; i++) {
		tcp->sack[i].start = (uint32_t)draw[i] * 3;
		tcp->sack[i].end = (uint32_t)draw[i] * 5;
	}
	for (unsigned i = 0; i < tcp->experiment_count; i++)
		tcp->experiment[i] = (struct wt_tcp_experiment){
			(uint8_t)(253 + (draw[i] & 1)), (uint8_t)(2 + (draw[i] >> 40) % (draw[i] & 2 ? 8 : 38)), body};
}

static void random_headers_survive_emit_and_parse(void **state)
{
	struct wt_key key = wt_key_derive(1, "tcp headers");

	for (uint64_t n = 0; n < 50000; n++) {
		struct wt_tcp_header out, in;
		uint8_t data[64], body[40];
		uint32_t len;

		memset(data, 0xee, sizeof(data));
		draw_header(&key, n, body, &out);
		len = wt_tcp_emit_len(&out);
		assert_in_range(len, 20, 60);
		assert_int_equal(wt_tcp_emit(data, &out), len);
		for (unsigned i = len; i < sizeof(data); i++)
			assert_int_equal(data[i], 0xee);
		assert_int_equal(wt_get16(data + 16), 0);
		memset(&in, 0, sizeof(in));
		assert_true(wt_tcp_parse(data, len, &in));
		assert_int_equal(in.header_len, len);
		assert_int_equal(in.experiment_count, out.experiment_count);
		for (unsigned i = 0; i < in.experiment_count; i++) {
			assert_int_equal(in.experiment[i].kind, out.experiment[i].kind);
			assert_int_equal(in.experiment[i].len, out.experiment[i].len);
			assert_memory_equal(in.experiment[i].data, body, in.experiment[i].len - 2);
		}
		assert_int_equal(in.sack_count, out.sack_count);
		assert_memory_equal(in.sack, out.sack, in.sack_count * sizeof(in.sack[0]));
		assert_true(in.src_port == out.src_port && in.dst_port == out.dst_port && in.seq == out.seq && in.ack == out.ack);
		assert_true(in.flags == out.flags && in.window == out.window && in.urgent == out.urgent);
		assert_true(in.has_mss == out.has_mss && in.has_wscale == out.has_wscale && in.has_ts == out.has_ts &&
			    in.has_sack_permitted == out.has_sack_permitted);
		assert_true(in.mss == out.mss && in.wscale == out.wscale && in.tsval == out.tsval && in.tsecr == out.tsecr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_or_overlong_headers_are_malformed),
		cmocka_unit_test(every_kind_with_length_zero_one_or_past_the_end_is_malformed),
		cmocka_unit_test(nothing_behind_the_end_of_options_is_read),
		cmocka_unit_test(known_kinds_of_wrong_length_are_ignored),
		cmocka_unit_test(syn_options_count_only_with_syn),
		cmocka_unit_test(more_experiments_than_room_are_skipped),
		cmocka_unit_test(the_syn_layout_is_the_usual_one),
		cmocka_unit_test(the_layout_of_an_ack_pads_in_front),
		cmocka_unit_test(an_experiment_of_six_bytes_leaves_two_sack_blocks_beside_timestamps),
		cmocka_unit_test(random_headers_survive_emit_and_parse),
	};

	return cmocka_run_group_tests_name("tcp_wire", tests, NULL, NULL);
}
