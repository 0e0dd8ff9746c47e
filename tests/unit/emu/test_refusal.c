/* SPDX-License-Identifier: BSD-2-Clause */
/* ICMP and ICMPv6 about packets that stages drop: when, from whom, how often, and every byte of it. */
#include "tests/unit/emu/queue_bench.h"

#include <errno.h>
#include <stdlib.h>

#include "emu/stages/refuser.h"
#include "stack/wire/checksum.h"

enum { IP6 = 14, UPPER = 54, UDP = 17, ICMP6 = 58 };

static const char host[] = "2001:db8::a", peer[] = "2001:db8::b";

static struct wt_addr at(const char *text)
{
	struct wt_addr addr;

	assert_true(wt_addr_parse(text, &addr));
	return addr;
}

/* From host to peer, with pattern bytes behind the header. */
static struct wt_frame *packet6(uint32_t len, uint8_t protocol, uint8_t hop_limit)
{
	struct wt_frame *frame = bench_frame(0x86dd, protocol, len, 0);
	struct wt_addr from = at(host), to = at(peer);

	for (uint32_t i = UPPER; i < len; i++)
		wt_frame_own_bytes(frame)[i] = (uint8_t)(i * 7);
	memset(wt_frame_own_bytes(frame), 2, 6);
	memset(wt_frame_own_bytes(frame) + 6, 4, 6);
	wt_frame_own_bytes(frame)[IP6] = 0x60;
	wt_put16(wt_frame_own_bytes(frame) + IP6 + 4, (uint16_t)(len - UPPER));
	wt_frame_own_bytes(frame)[IP6 + 7] = hop_limit;
	memcpy(wt_frame_own_bytes(frame) + IP6 + 8, from.bytes, 16);
	memcpy(wt_frame_own_bytes(frame) + IP6 + 24, to.bytes, 16);
	return frame;
}

static struct wt_frame *packet4(uint32_t len, uint8_t protocol, uint8_t ttl)
{
	struct wt_frame *frame = bench_packet(len, 7, 0, 80);

	memset(wt_frame_own_bytes(frame), 2, 6);
	memset(wt_frame_own_bytes(frame) + 6, 4, 6);
	wt_frame_own_bytes(frame)[14 + 8] = ttl;
	wt_frame_own_bytes(frame)[14 + 9] = protocol;
	wt_put16(wt_frame_own_bytes(frame) + 20, 0x4000);
	wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + 14);
	return frame;
}

/* What the stage says about the frame, or NULL. */
static struct wt_frame *told(struct wt_node *node, wt_time now, struct wt_frame *frame)
{
	struct wt_frame *answer;
	unsigned port = 9;

	bench_input(node, now, frame);
	answer = node->ops->output(node, now, &port);
	assert_true(wt_audit_holds(&node->audit));
	assert_true(!answer || port == 0);
	if (answer)
		assert_int_equal(answer->time, now);
	return answer;
}

struct expected {
	uint8_t type, code, ttl;
	uint32_t rest;
	const char *from;
	uint32_t quoted;
};

static void check6(struct wt_frame *answer, const struct wt_frame *about, const struct expected *expected)
{
	struct wt_addr src = at(expected->from), dst = {.family = WT_FAMILY_IPV6};
	const uint8_t *ip;
	uint32_t len;

	assert_non_null(answer);
	ip = wt_frame_own_bytes(answer) + IP6;
	len = wt_get16(ip + 4);
	memcpy(dst.bytes, wt_frame_look(about) + IP6 + 8, 16);
	assert_memory_equal(wt_frame_own_bytes(answer), wt_frame_look(about) + 6, 6);
	assert_int_equal(wt_get16(wt_frame_own_bytes(answer) + 12), 0x86dd);
	assert_int_equal(ip[0], 0x6c);
	assert_int_equal(ip[6], ICMP6);
	assert_int_equal(ip[7], expected->ttl);
	assert_memory_equal(ip + 8, src.bytes, 16);
	assert_memory_equal(ip + 24, dst.bytes, 16);
	assert_int_equal(answer->len, UPPER + len);
	assert_int_equal(len, 8 + expected->quoted);
	assert_int_equal(ip[40], expected->type);
	assert_int_equal(ip[41], expected->code);
	assert_int_equal(wt_get32(ip + 44), expected->rest);
	assert_memory_equal(ip + 48, wt_frame_look(about) + IP6, expected->quoted);
	assert_int_equal(wt_csum_fold(wt_csum_add(wt_csum_pseudo(&src, &dst, ICMP6, len), ip + 40, len)), 0);
	wt_frame_free(answer);
}

static void check4(struct wt_frame *answer, const struct wt_frame *about, const struct expected *expected)
{
	struct wt_addr src = at(expected->from);
	const uint8_t *ip;

	assert_non_null(answer);
	ip = wt_frame_own_bytes(answer) + 14;
	assert_memory_equal(wt_frame_own_bytes(answer), wt_frame_look(about) + 6, 6);
	assert_true(bench_header_holds(answer));
	assert_int_equal(answer->len, 14 + 28 + expected->quoted);
	assert_int_equal(wt_get16(ip + 2), 28 + expected->quoted);
	assert_int_equal(ip[8], expected->ttl);
	assert_int_equal(ip[9], BENCH_ICMP);
	assert_memory_equal(ip + 12, src.bytes, 4);
	assert_memory_equal(ip + 16, wt_frame_look(about) + 14 + 12, 4);
	assert_int_equal(ip[20], expected->type);
	assert_int_equal(ip[21], expected->code);
	assert_int_equal(wt_get32(ip + 24), expected->rest);
	assert_memory_equal(ip + 28, wt_frame_look(about) + 14, expected->quoted);
	assert_int_equal(wt_csum_fold(wt_csum_add(0, ip + 20, 8 + expected->quoted)), 0);
	wt_frame_free(answer);
}

static void a_packet_that_ends_at_a_router_is_told_by_that_router(void **state)
{
	static const char *const six[] = {"2001:db8:0:1::ffff:ffff", "2001:db8:0:1:0:1::", "2001:db8:0:1:0:1:0:1"};
	static const char *const four[] = {"10.1.2.254", "10.1.2.255", "10.1.3.0"};
	struct wt_node *node = bench_words("hops 3 from 10.1.2.254 2001:db8:0:1::ffff:ffff");

	for (unsigned i = 0; i < 4; i++) {
		unsigned router = i ? i - 1 : 0; /* 0 should not have come: the first one notices */
		struct wt_frame *frame = packet6(100, BENCH_TCP, (uint8_t)i), *copy = wt_frame_copy(frame);

		check6(told(node, i, frame), copy, &(struct expected){3, 0, (uint8_t)(255 - router), 0, six[router], 86});
		wt_frame_free(copy);
		frame = packet4(100, BENCH_TCP, (uint8_t)i);
		copy = wt_frame_copy(frame);
		check4(told(node, i, frame), copy, &(struct expected){11, 0, (uint8_t)(255 - router), 0, four[router], 28});
		wt_frame_free(copy);
	}
	assert_true(bench_passes(node, 9, packet6(100, BENCH_TCP, 4)));
	assert_true(bench_passes(node, 9, packet4(100, BENCH_TCP, 4)));
	assert_int_equal(node->audit.dropped[WT_DROP_TTL], 8);
	wt_path_finish(&bench_path);
	node = bench_words("hops 3 silent");
	assert_null(told(node, 0, packet6(100, BENCH_TCP, 3)));
	assert_int_equal(node->audit.made, 0);
	wt_path_finish(&bench_path);
}

static void without_an_address_of_its_own_an_answer_comes_from_where_the_packet_went(void **state)
{
	struct wt_node *node = bench_words("outage at 0s for 1s unreachable from 10.9.9.9");
	struct wt_frame *frame = packet6(100, BENCH_TCP, 64), *copy = wt_frame_copy(frame);

	check6(told(node, 0, frame), copy, &(struct expected){1, 3, 255, 0, peer, 86});
	wt_frame_free(copy);
	frame = packet4(100, BENCH_TCP, 64);
	copy = wt_frame_copy(frame);
	check4(told(node, 0, frame), copy, &(struct expected){3, 1, 255, 0, "10.9.9.9", 28});
	wt_frame_free(copy);
	wt_path_finish(&bench_path);
	node = bench_words("outage at 0s for 1s unreachable from 2001:db8::9");
	frame = packet4(100, BENCH_TCP, 64);
	copy = wt_frame_copy(frame);
	check4(told(node, 0, frame), copy, &(struct expected){3, 1, 255, 0, "10.0.0.2", 28});
	wt_frame_free(copy);
	wt_path_finish(&bench_path);
}

static void a_packet_too_big_is_told_the_mtu_and_quoted_up_to_1280_bytes(void **state)
{
	struct wt_node *node = bench_words("mtu 1400B from 2001:db8::1");
	struct wt_frame *frame = packet6(14 + 1401, BENCH_TCP, 64), *copy = wt_frame_copy(frame);

	assert_true(bench_passes(node, 0, packet6(14 + 1400, BENCH_TCP, 64)));
	check6(told(node, 5, frame), copy, &(struct expected){2, 0, 255, 1400, "2001:db8::1", 1280 - 48});
	wt_frame_free(copy);
	assert_int_equal(node->audit.dropped[WT_DROP_MTU], 1);
	wt_path_finish(&bench_path);
}

static void to_ipv6_no_link_is_smaller_than_1280(void **state)
{
	struct wt_node *node = bench_words("mtu 576B drop");
	struct wt_frame *frame = packet6(14 + 1281, BENCH_TCP, 64), *copy = wt_frame_copy(frame);

	assert_true(bench_passes(node, 0, packet6(14 + 1280, BENCH_TCP, 64)));
	check6(told(node, 0, frame), copy, &(struct expected){2, 0, 255, 1280, peer, 1280 - 48});
	wt_frame_free(copy);
	frame = packet4(14 + 577, BENCH_TCP, 64);
	copy = wt_frame_copy(frame);
	check4(told(node, 0, frame), copy, &(struct expected){3, 4, 255, 576, "10.0.0.2", 28});
	wt_frame_free(copy);
	wt_path_finish(&bench_path);
}

/* Sets a run of bytes of a frame: offset from the IP header, how many, which. */
struct patch {
	const char *what;
	uint8_t protocol;
	struct {
		int at;
		uint8_t count, value;
	} set[6];
};

static void patch(struct wt_frame *frame, const struct patch *patch)
{
	for (unsigned i = 0; i < 6; i++)
		memset(wt_frame_own_bytes(frame) + 14 + patch->set[i].at, patch->set[i].value, patch->set[i].count);
}

static void the_texts_say_about_what_of_ipv6_nobody_is_told(void **state)
{
	static const struct patch none[] = {
		{"an ICMPv6 error", ICMP6, {{40, 1, 1}}}, {"the last of the errors", ICMP6, {{40, 1, 127}}},
		{"a redirect", ICMP6, {{40, 1, 137}}}, {"a solicitation", ICMP6, {{40, 1, 135}}},
		{"a group", UDP, {{24, 1, 0xff}}}, {"a group of the link", UDP, {{-14, 1, 0x33}}},
		{"a broadcast of the link", UDP, {{-14, 6, 0xff}}}, {"a sender that is many", UDP, {{-8, 1, 0x33}}},
		{"no source", UDP, {{8, 16, 0}}}, {"a group as source", UDP, {{8, 1, 0xff}}},
		{"a loopback as source", UDP, {{8, 15, 0}, {23, 1, 1}}}, {"a destination that cannot answer", UDP, {{24, 15, 0}, {39, 1, 1}}},
		{"another version", UDP, {{0, 1, 0x40}}}, {"fewer bytes than it says", UDP, {{5, 1, 200}}},
		{"a later fragment of an ICMPv6 message", 44, {{40, 1, ICMP6}, {42, 2, 1}}},
		{"a later fragment of who knows what", 44, {{40, 1, 60}, {42, 2, 1}}},
		{"an error behind a first fragment's header", 44, {{40, 1, ICMP6}, {42, 2, 0}, {48, 1, 3}}},
		{"an error behind options", 0, {{40, 1, 60}, {41, 1, 0}, {48, 1, ICMP6}, {49, 1, 1}, {64, 1, 2}}},
		{"headers that go on behind the end", 60, {{40, 1, UDP}, {41, 1, 200}}},
		{"an ICMPv6 message without a type", 60, {{4, 1, 0}, {5, 1, 8}, {40, 1, ICMP6}, {41, 1, 0}}},
		{"a header that is cut off", 43, {{4, 1, 0}, {5, 1, 7}, {40, 1, UDP}, {41, 1, 0}}},
	};
	static const struct patch some[] = {
		{"an echo request", ICMP6, {{40, 1, 128}}}, {"an echo reply", ICMP6, {{40, 1, 129}}},
		{"a later fragment of a datagram", 44, {{40, 1, UDP}, {42, 2, 1}}},
		{"a first fragment of a ping", 44, {{40, 1, ICMP6}, {42, 2, 0}, {48, 1, 128}}},
		{"a ping behind an authentication header", 51, {{40, 1, ICMP6}, {41, 1, 4}, {64, 1, 128}}},
		{"what is encrypted", 50, {{40, 1, 0}}}, {"nothing at all", 59, {{4, 2, 0}}},
	};
	struct wt_node *node = bench_words("hops 1 from 2001:db8::1 | outage at 0s for 1s unreachable");
	struct wt_frame *frame, *answer;

	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		frame = packet6(200, none[i].protocol, 1);
		patch(frame, &none[i]);
		answer = told(bench_path.stage[1], 0, frame);
		if (answer)
			fail_msg("told about %s", none[i].what);
	}
	for (unsigned i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		frame = packet6(200, some[i].protocol, 1);
		patch(frame, &some[i]);
		answer = told(node, 0, frame);
		if (!answer)
			fail_msg("not told about %s", some[i].what);
		wt_frame_free(answer);
	}
	assert_int_equal(bench_path.stage[1]->audit.made, 0);
	assert_int_equal(node->audit.made, sizeof(some) / sizeof(some[0]));
	wt_path_finish(&bench_path);
}

static void a_chain_of_headers_is_followed_so_far_and_no_further(void **state)
{
	struct wt_node *node = bench_words("outage at 0s for 1s unreachable");

	for (unsigned headers = 0; headers < 12; headers++) {
		struct wt_frame *frame = packet6(200, headers ? 60 : UDP, 64), *answer;

		memset(wt_frame_own_bytes(frame) + UPPER, 0, 100);
		for (unsigned i = 0; i < headers; i++)
			wt_frame_own_bytes(frame)[UPPER + 8 * i] = i + 1 < headers ? 60 : UDP;
		answer = told(node, 0, frame);
		assert_int_equal(!!answer, headers <= 8);
		wt_frame_free(answer);
	}
	wt_path_finish(&bench_path);
}

/* Refuses a copy of the first bytes of a frame that ends where a sanitizer sees it. */
static void refuse_cut(struct wt_node *node, struct wt_frame *frame, uint32_t len)
{
	struct wt_refusal_limit limit = {0};
	struct wt_frame *cut = wt_frame_new(bench_pool);
	uint8_t *bytes = malloc(len ? len : 1), *was = cut->inside.bytes;

	memcpy(bytes, wt_frame_look(frame), len);
	cut->inside.bytes = bytes;
	cut->len = cut->room = len;
	wt_frame_free(wt_refuse(node, &limit, 0, cut, &(struct wt_refusal){.kind = WT_REFUSAL_HOST}));
	cut->inside.bytes = was;
	cut->room = BENCH_ROOM;
	wt_frame_free(cut);
	free(bytes);
}

static void no_byte_is_read_behind_the_end_of_a_packet_cut_short(void **state)
{
	struct wt_node *node = bench_words("outage at 0s for 1s unreachable");

	for (uint32_t len = 0; len < 120; len++) {
		for (unsigned protocol = 0; protocol < 64; protocol++) {
			struct wt_frame *six = packet6(200, (uint8_t)protocol, 64), *four = packet4(200, (uint8_t)protocol, 64);

			if (len >= UPPER)
				wt_put16(wt_frame_own_bytes(six) + IP6 + 4, (uint16_t)(len - UPPER));
			if (len >= 34)
				wt_put16(wt_frame_own_bytes(four) + 16, (uint16_t)(len - 14));
			wt_frame_own_bytes(four)[14] = protocol & 1 ? 0x45 : 0x4f;
			wt_packet_ipv4_checksum(wt_frame_own_bytes(four) + 14);
			refuse_cut(node, six, len);
			refuse_cut(node, four, len);
			wt_frame_free(six);
			wt_frame_free(four);
		}
	}
	wt_path_finish(&bench_path);
}

static void about_what_many_got_only_its_size_is_told_and_by_an_address_of_ones_own(void **state)
{
	static const struct patch group = {"", UDP, {{24, 1, 0xff}, {25, 1, 0x0e}, {-14, 1, 0x33}}};
	struct wt_node *node = bench_words("mtu 1300B");
	struct wt_frame *frame = packet6(1400, UDP, 64), *copy;

	patch(frame, &group);
	assert_null(told(node, 0, frame));
	wt_path_finish(&bench_path);
	node = bench_words("mtu 1300B from 2001:db8::1");
	frame = packet6(1400, UDP, 64);
	patch(frame, &group);
	copy = wt_frame_copy(frame);
	frame = told(node, 0, frame);
	assert_non_null(frame);
	assert_false(wt_frame_own_bytes(frame)[6] & 1);
	check6(frame, copy, &(struct expected){2, 0, 255, 1300, "2001:db8::1", 1280 - 48});
	wt_frame_free(copy);
	wt_path_finish(&bench_path);
}

static void the_texts_say_about_what_of_ipv4_nobody_is_told(void **state)
{
	static const struct patch none[] = {
		{"an ICMP error", BENCH_ICMP, {{20, 1, 3}}}, {"a redirect", BENCH_ICMP, {{20, 1, 5}}},
		{"a later fragment", UDP, {{7, 1, 1}}}, {"a group", UDP, {{16, 1, 224}}}, {"everybody", UDP, {{16, 4, 255}}},
		{"a broadcast of the link", UDP, {{-14, 6, 255}}}, {"no source", UDP, {{12, 4, 0}}},
		{"a loopback as source", UDP, {{12, 1, 127}}}, {"a group as source", UDP, {{12, 1, 239}}},
		{"another version", UDP, {{0, 1, 0x65}}}, {"a header too short", UDP, {{0, 1, 0x44}}},
		{"more bytes than there are", UDP, {{2, 1, 1}}}, {"fewer bytes than its header", UDP, {{2, 1, 0}, {3, 1, 19}}},
		{"an ICMP message without a type", BENCH_ICMP, {{2, 1, 0}, {3, 1, 20}}},
	};
	struct wt_node *node = bench_words("outage at 0s for 1s unreachable");
	struct wt_frame *frame;

	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		frame = packet4(200, none[i].protocol, 64);
		patch(frame, &none[i]);
		wt_packet_ipv4_checksum(wt_frame_own_bytes(frame) + 14);
		if (told(node, 0, frame))
			fail_msg("told about %s", none[i].what);
	}
	frame = packet4(200, UDP, 64);
	wt_frame_own_bytes(frame)[14 + 11] ^= 1;
	assert_null(told(node, 0, frame)); /* a header whose checksum is wrong */
	frame = packet4(200, BENCH_ICMP, 64);
	wt_frame_own_bytes(frame)[34] = 8;
	frame = told(node, 0, frame);
	assert_non_null(frame); /* a ping */
	wt_frame_free(frame);
	assert_int_equal(node->audit.made, 1);
	wt_path_finish(&bench_path);
}

static void answers_are_limited_by_a_bucket_in_scenario_time(void **state)
{
	struct wt_node *node = bench_words("hops 1");
	unsigned made = 0;

	for (unsigned i = 0; i < 250; i++) { /* 100 at once */
		struct wt_frame *answer = told(node, WT_S, packet6(100, UDP, 1));

		assert_int_equal(!!answer, i < 100);
		wt_frame_free(answer);
	}
	assert_int_equal(node->audit.withheld, 150);
	assert_int_equal(node->audit.made, 100);
	assert_null(told(node, WT_S + 10 * WT_MS - 1, packet4(100, UDP, 1)));
	for (wt_time now = WT_S + 10 * WT_MS; now < 2 * WT_S; now += WT_MS) { /* then one each 10 ms */
		struct wt_frame *answer = told(node, now, packet4(100, UDP, 1));

		made += !!answer;
		wt_frame_free(answer);
	}
	assert_int_equal(made, 99);
	for (unsigned i = 0; i < 150; i++) /* never more than 100, however long nothing was */
		wt_frame_free(told(node, 1000 * WT_S, packet4(100, UDP, 1)));
	assert_int_equal(node->audit.made, 100 + 99 + 100);
	/* what may not be told costs nothing */
	for (unsigned i = 0; i < 150; i++)
		assert_null(told(node, 2000 * WT_S, bench_frame(0x0800, UDP, 100, 0)));
	assert_int_equal(node->audit.withheld, 150 + 1 + 891 + 50);
	wt_path_finish(&bench_path);
}

/* Of so many packets at one instant. */
static unsigned answers_to(struct wt_node *node, wt_time now, unsigned packets)
{
	uint64_t before = node->audit.made;

	while (packets--)
		wt_frame_free(told(node, now, packet6(1400, UDP, 1)));
	return (unsigned)(node->audit.made - before);
}

static void the_limit_is_what_it_was_told_of_stages_that_come_later_too(void **state)
{
	struct wt_node *node = bench_words("hops 1");
	struct wt_refusal_rate rate;
	unsigned seen = 0;
	char err[200];

	assert_int_equal(wt_refusal_rate_parse("1000/s burst 5", &rate, err, sizeof(err)), 0);
	wt_path_limit_answers(&bench_path, &rate);
	assert_int_equal(answers_to(node, WT_S, 20), 5);
	assert_int_equal(answers_to(node, WT_S + 2 * WT_MS, 20), 2);
	assert_int_equal(wt_path_change(&bench_path, "hops 0 | mtu 1280B | outage at 4s for 1s unreachable", 2 * WT_S, err, sizeof(err)), 0);
	for (unsigned i = 0; i < bench_path.count; i++) {
		if (!strcmp(bench_path.stage[i]->name, "fwd.hops"))
			continue;
		assert_int_equal(answers_to(bench_path.stage[i], 4 * WT_S, 20), 5);
		seen++;
	}
	assert_int_equal(seen, 2);
	wt_path_finish(&bench_path);
	node = bench_words("mtu 1280B");
	assert_int_equal(answers_to(node, 0, 150), 100);
	wt_path_finish(&bench_path);
}

static void a_limit_that_is_none_is_refused_in_one_line(void **state)
{
	static const char *const bad[] = {"", "100", "/s", "0/s", "1000001/s", "100/s burst", "100/s burst 0", "100/s burst x", "100/s  burst 9", "1/min",
					  "12345678901234567890/s", "-1/s", "1/s burst 99999999999"};
	struct wt_refusal_rate rate = {7, 7};
	char err[200];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_refusal_rate_parse(bad[i], &rate, err, sizeof(err)), -EINVAL);
		assert_non_null(strstr(err, "expected N/s or N/s burst N"));
		assert_true(rate.burst == 7 && rate.each == 7);
	}
	assert_int_equal(wt_refusal_rate_parse("8/s", &rate, err, sizeof(err)), 0);
	assert_true(rate.burst == 100 && rate.each == 125 * WT_MS);
}

static void an_answer_without_memory_is_counted_and_a_small_frame_holds_a_short_quote(void **state)
{
	struct wt_node *node = bench_words("hops 1");
	struct wt_pool *kept = bench_pool, *small = wt_pool_create(2, 300), *one = wt_pool_create(1, 2000);
	struct wt_frame *frame, *copy;

	bench_pool = small;
	frame = packet6(300, UDP, 1);
	bench_pool = kept;
	copy = packet6(300, UDP, 1);
	check6(told(node, 0, frame), copy, &(struct expected){3, 0, 255, 0, peer, 300 - 14 - 48});
	wt_frame_free(copy);
	bench_pool = one;
	assert_null(told(node, 0, packet6(300, UDP, 1)));
	assert_null(told(node, 0, packet4(300, UDP, 1)));
	bench_pool = kept;
	assert_int_equal(node->audit.made, 3);
	assert_int_equal(node->audit.dropped[WT_DROP_POOL], 2);
	wt_path_finish(&bench_path);
	wt_pool_destroy(small);
	wt_pool_destroy(one);
}

static void a_checksum_left_open_is_closed_in_the_quote(void **state)
{
	struct wt_node *node = bench_words("hops 1");
	struct wt_frame *frame = packet6(200, UDP, 1), *copy;

	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = UPPER;
	frame->csum_offset = 6;
	copy = wt_frame_copy(frame);
	wt_frame_finish_csum(copy);
	check6(told(node, 0, frame), copy, &(struct expected){3, 0, 255, 0, peer, 186});
	wt_frame_free(copy);
	wt_path_finish(&bench_path);
}

static void what_belongs_to_the_link_passes_no_router_and_so_all_of_them(void **state)
{
	static const struct patch own[] = {
		{"a solicitation", ICMP6, {{7, 1, 255}, {40, 1, 135}}}, {"an advertisement", ICMP6, {{7, 1, 255}, {40, 1, 136}}},
		{"a router's advertisement", ICMP6, {{7, 1, 255}, {40, 1, 134}}},
		{"from an address of the link", UDP, {{8, 1, 0xfe}, {9, 1, 0xbf}}}, {"to one", UDP, {{24, 1, 0xfe}, {25, 1, 0x80}}},
		{"to a group of the link", 0, {{24, 1, 0xff}, {25, 1, 2}}},
	};
	static const struct patch others[] = {
		{"a solicitation from afar", ICMP6, {{7, 1, 254}, {40, 1, 135}}}, {"a ping", ICMP6, {{7, 1, 255}, {40, 1, 128}}},
		{"to a group of the site", UDP, {{24, 1, 0xff}, {25, 1, 5}}}, {"from elsewhere", UDP, {{8, 1, 0xfe}, {9, 1, 0xc0}}},
		{"a solicitation in fragments", 44, {{7, 1, 255}, {40, 1, ICMP6}, {41, 7, 0}, {48, 1, 135}}},
	};
	struct wt_node *node = bench_words("hops 5");

	for (unsigned i = 0; i < 6; i++) {
		struct wt_frame *frame = packet6(200, own[i].protocol, 1), *out;
		uint8_t was;

		patch(frame, &own[i]);
		was = wt_frame_own_bytes(frame)[IP6 + 7];
		bench_input(node, 0, frame);
		out = bench_output(node, 0);
		if (!out || wt_frame_own_bytes(out)[IP6 + 7] != was)
			fail_msg("%s did not pass as it was", own[i].what);
		wt_frame_free(out);
	}
	for (unsigned i = 0; i < 5; i++) {
		struct wt_frame *frame = packet6(200, others[i].protocol, 64), *out;
		uint8_t was;

		patch(frame, &others[i]);
		was = wt_frame_own_bytes(frame)[IP6 + 7];
		bench_input(node, 0, frame);
		out = bench_output(node, 0);
		if (!out || wt_frame_own_bytes(out)[IP6 + 7] != was - 5)
			fail_msg("%s was not counted down", others[i].what);
		wt_frame_free(out);
	}
	for (unsigned i = 0; i < 9; i++) {
		static const struct {
			const char *what, src[5], dst[5];
			unsigned lowered;
		} ipv4[] = {
			{"to a group of the link", "\x0a\0\0\1", "\xe0\0\0\x16", 0}, {"to everybody", "\0\0\0\0", "\xff\xff\xff\xff", 0},
			{"from an address of the link", "\xa9\xfe\1\2", "\x0a\0\0\1", 0}, {"to one", "\x0a\0\0\1", "\xa9\xfe\xff\1", 0},
			{"to another group", "\x0a\0\0\1", "\xe0\0\1\1", 5}, {"to a private group", "\x0a\0\0\1", "\xef\0\0\1", 5},
			{"to a host", "\x0a\0\0\1", "\x0a\0\0\2", 5}, {"to 169.253", "\x0a\0\0\1", "\xa9\xfd\0\2", 5},
			{"to 255.255.255.254", "\x0a\0\0\1", "\xff\xff\xff\xfe", 5},
		};
		struct wt_frame *frame = packet4(100, UDP, 64), *out;

		memcpy(wt_frame_own_bytes(frame) + 26, ipv4[i].src, 4);
		memcpy(wt_frame_own_bytes(frame) + 30, ipv4[i].dst, 4);
		wt_frame_own_bytes(frame)[22] = 64;
		bench_input(node, 0, frame);
		out = bench_output(node, 0);
		if (!out || wt_frame_own_bytes(out)[22] != 64 - ipv4[i].lowered)
			fail_msg("%s", ipv4[i].what);
		wt_frame_free(out);
	}
	wt_path_finish(&bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(a_packet_that_ends_at_a_router_is_told_by_that_router),
		BENCH_TEST(without_an_address_of_its_own_an_answer_comes_from_where_the_packet_went),
		BENCH_TEST(a_packet_too_big_is_told_the_mtu_and_quoted_up_to_1280_bytes),
		BENCH_TEST(to_ipv6_no_link_is_smaller_than_1280),
		BENCH_TEST(the_texts_say_about_what_of_ipv6_nobody_is_told),
		BENCH_TEST(a_chain_of_headers_is_followed_so_far_and_no_further),
		BENCH_TEST(no_byte_is_read_behind_the_end_of_a_packet_cut_short),
		BENCH_TEST(about_what_many_got_only_its_size_is_told_and_by_an_address_of_ones_own),
		BENCH_TEST(the_texts_say_about_what_of_ipv4_nobody_is_told),
		BENCH_TEST(answers_are_limited_by_a_bucket_in_scenario_time),
		BENCH_TEST(the_limit_is_what_it_was_told_of_stages_that_come_later_too),
		BENCH_TEST(a_limit_that_is_none_is_refused_in_one_line),
		BENCH_TEST(an_answer_without_memory_is_counted_and_a_small_frame_holds_a_short_quote),
		BENCH_TEST(a_checksum_left_open_is_closed_in_the_quote),
		BENCH_TEST(what_belongs_to_the_link_passes_no_router_and_so_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
