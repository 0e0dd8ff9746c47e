/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/net/ip_fixture.h"

#include "stack/base/random.h"

/* Byte i of every test datagram is i (mod 256), so a piece is named by its place. */
static enum wt_ip_verdict piece_from(struct fixture *f, struct wt_addr src, wt_time now, uint16_t id, uint32_t start,
				     uint32_t len, bool more, struct wt_ip_packet *packet)
{
	struct wt_ipv4 ip = {.src = src, .id = id, .frag_offset = (uint16_t)start, .more_fragments = more, .protocol = WT_IP_TCP};

	return wt_net_input(&f->net, 0, now, arriving(f, ip, len, (uint8_t)start), packet);
}

static enum wt_ip_verdict piece(struct fixture *f, wt_time now, uint16_t id, uint32_t start, uint32_t len, bool more,
				struct wt_ip_packet *packet)
{
	return piece_from(f, f->peer, now, id, start, len, more, packet);
}

static void expect_whole(struct fixture *f, const struct wt_ip_packet *packet, uint32_t len)
{
	assert_int_equal(packet->len, len);
	assert_int_equal(packet->frame->len, WT_IP_PAYLOAD + len);
	for (uint32_t i = 0; i < len; i++)
		assert_int_equal(packet->payload[i], (uint8_t)i);
	assert_int_equal(packet->frame->csum, WT_CSUM_NONE);
	assert_int_equal(wt_csum_fold(wt_csum_add(0, wt_frame_own_bytes(packet->frame) + 14, 20)), 0);
	assert_true(wt_addr_eq(&packet->ip.dst, &f->us));
	assert_false(packet->ip.more_fragments || packet->ip.frag_offset);
	wt_books_take(&f->node, packet->frame);
}

static void pieces_in_any_order_make_the_whole(void **state)
{
	static const unsigned orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	static const uint32_t start[3] = {0, 512, 1024}, len[3] = {512, 512, 333};
	struct fixture *f = *state;
	struct wt_ip_packet packet;

	for (uint16_t order = 0; order < 6; order++)
		for (unsigned i = 0; i < 3; i++) {
			unsigned which = orders[order][i];

			assert_int_equal(piece(f, 0, order, start[which], len[which], which < 2, &packet),
					 i == 2 ? WT_IP_IS_TCP : WT_IP_DONE);
			if (i == 2)
				expect_whole(f, &packet, 1357);
		}
	assert_int_equal(wt_fragments_deadline(f->net.fragments), WT_NEVER);
	assert_int_equal(wt_audit_dropped(&f->node.audit), 0);
}

static void random_cuts_in_random_order_with_duplicates_make_the_whole(void **state)
{
	struct fixture *f = *state;
	struct wt_key key = wt_key_derive(1, "fragments");
	uint64_t n = 0;

	for (uint16_t id = 0; id < 300; id++) {
		uint32_t total = 16 + (uint32_t)wt_random_below(&key, n++, 3000), cut[64], pieces = 0, seen = 0;
		bool sent[64] = {false};
		struct wt_ip_packet packet;

		for (uint32_t at = 0; at < total; at += 8 * (1 + (uint32_t)wt_random_below(&key, n++, 40)))
			if (pieces < 63)
				cut[pieces++] = at;
		cut[pieces] = total;
		for (enum wt_ip_verdict verdict = WT_IP_DONE; verdict == WT_IP_DONE;) {
			uint32_t i = (uint32_t)wt_random_below(&key, n++, pieces); /* repeats some before all are there */

			verdict = piece(f, 0, id, cut[i], cut[i + 1] - cut[i], i + 1 < pieces, &packet);
			seen += !sent[i];
			sent[i] = true;
			if (pieces == 1)
				break; /* not a fragment at all */
			assert_int_equal(verdict, seen == pieces ? WT_IP_IS_TCP : WT_IP_DONE);
		}
		expect_whole(f, &packet, total);
	}
	assert_int_equal(wt_audit_dropped(&f->node.audit), 0);
}

static void an_overlap_with_other_bytes_condemns_the_datagram_and_what_still_comes(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;

	piece(f, 0, 1, 0, 64, true, &packet);
	piece(f, 0, 1, 56, 64, true, &packet); /* half new: bytes 56 to 63 again */
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT], 2); /* the datagram and the fragment */
	piece(f, 0, 1, 0, 64, true, &packet);
	assert_int_equal(piece(f, 0, 1, 64, 64, false, &packet), WT_IP_DONE);
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT], 4);
	/* another datagram is not concerned, and after the timeout neither is this one */
	piece(f, 0, 2, 0, 64, true, &packet);
	assert_int_equal(piece(f, 0, 2, 64, 64, false, &packet), WT_IP_IS_TCP);
	expect_whole(f, &packet, 128);
	wt_net_expire(&f->net, WT_FRAGMENT_TIMEOUT);
	piece(f, WT_FRAGMENT_TIMEOUT, 1, 0, 64, true, &packet);
	assert_int_equal(piece(f, WT_FRAGMENT_TIMEOUT, 1, 64, 64, false, &packet), WT_IP_IS_TCP);
	expect_whole(f, &packet, 128);
}

static void a_repeated_place_with_other_bytes_condemns(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;
	struct wt_ipv4 ip = {.id = 1, .more_fragments = true, .protocol = WT_IP_TCP};

	piece(f, 0, 1, 0, 64, true, &packet);
	wt_net_input(&f->net, 0, 0, arriving(f, ip, 64, 1), &packet);
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT], 2);
}

static void lengths_that_disagree_condemn(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;

	piece(f, 0, 1, 128, 64, false, &packet);
	piece(f, 0, 1, 192, 64, true, &packet); /* behind the end */
	piece(f, 0, 2, 128, 64, false, &packet);
	piece(f, 0, 2, 64, 64, false, &packet); /* another end */
	piece(f, 0, 3, 128, 64, true, &packet);
	piece(f, 0, 3, 8, 64, false, &packet); /* an end before what is there */
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT], 6);
}

static void impossible_pieces_are_dropped_without_a_slot(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;

	piece(f, 0, 1, 0, 63, true, &packet);      /* not the last, not a multiple of eight */
	piece(f, 0, 1, 0, 0, true, &packet);       /* nothing */
	piece(f, 0, 1, 65528, 16, false, &packet); /* past 65535 */
	piece(f, 0, 1, 65512, 8, false, &packet);  /* past it with the header */
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT], 4);
	assert_int_equal(wt_fragments_deadline(f->net.fragments), WT_NEVER);
}

static void a_datagram_larger_than_a_frame_is_refused(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;

	piece(f, 0, 1, 4080, 8, true, &packet);
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT], 2);
	/* one that fits to the byte is not: 4096 - 34 = 4062 */
	piece(f, 0, 2, 2000, 2062, false, &packet);
	assert_int_equal(piece(f, 0, 2, 0, 2000, true, &packet), WT_IP_IS_TCP);
	expect_whole(f, &packet, 4062);
}

static void an_unfinished_datagram_is_dropped_after_thirty_seconds(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;

	piece(f, 5 * WT_S, 1, 0, 64, true, &packet);
	piece(f, 9 * WT_S, 1, 64, 64, true, &packet); /* does not prolong it (RFC 1122 3.3.2) */
	assert_int_equal(wt_net_deadline(&f->net), 35 * WT_S);
	wt_net_expire(&f->net, 35 * WT_S - 1);
	assert_int_equal(wt_audit_dropped(&f->node.audit), 0);
	wt_net_expire(&f->net, 35 * WT_S);
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT_TIMEOUT], 1);
	assert_int_equal(wt_net_deadline(&f->net), WT_NEVER);
}

static void one_source_cannot_take_the_slots_of_another(void **state)
{
	struct fixture *f = *state;
	struct wt_addr attacker = wt_addr_ipv4(10, 0, 0, 66);
	struct wt_ip_packet packet;

	piece(f, 0, 1, 0, 64, true, &packet);
	for (uint16_t id = 0; id < 1000; id++)
		piece_from(f, attacker, 1 + id, id, 0, 64, true, &packet);
	assert_int_equal(f->node.audit.queued, 1 + WT_FRAGMENT_PER_SOURCE);
	assert_int_equal(piece(f, 2000, 1, 64, 64, false, &packet), WT_IP_IS_TCP);
	expect_whole(f, &packet, 128);
}

static void many_sources_are_bounded_by_the_slots_and_the_oldest_goes(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;

	piece(f, 0, 1, 0, 64, true, &packet);
	for (unsigned i = 0; i < 500; i++)
		piece_from(f, wt_addr_ipv4(11, 0, (uint8_t)(i >> 8), (uint8_t)i), 1 + i, 7, 0, 64, true, &packet);
	assert_int_equal(f->node.audit.queued, WT_FRAGMENT_SLOTS);
	assert_int_equal(piece(f, 900, 1, 64, 64, false, &packet), WT_IP_DONE); /* its first half is gone */
	/* a datagram that arrives together still gets through */
	piece(f, 901, 2, 0, 64, true, &packet);
	assert_int_equal(piece(f, 902, 2, 64, 64, false, &packet), WT_IP_IS_TCP);
	expect_whole(f, &packet, 128);
}

static void protocol_and_identification_keep_datagrams_apart(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;
	struct wt_ipv4 udp = {.id = 1, .frag_offset = 64, .protocol = WT_IP_UDP};

	piece(f, 0, 1, 0, 64, true, &packet);
	assert_int_equal(wt_net_input(&f->net, 0, 0, arriving(f, udp, 64, 64), &packet), WT_IP_DONE);
	assert_int_equal(piece(f, 0, 2, 64, 64, false, &packet), WT_IP_DONE);
	assert_int_equal(piece(f, 0, 1, 64, 64, false, &packet), WT_IP_IS_TCP);
	expect_whole(f, &packet, 128);
}

static void a_congestion_mark_on_any_piece_marks_the_whole(void **state)
{
	struct fixture *f = *state;
	struct wt_ip_packet packet;
	struct wt_ipv4 first = {.id = 1, .more_fragments = true, .protocol = WT_IP_TCP, .tos = 2},
		       last = {.id = 1, .frag_offset = 64, .protocol = WT_IP_TCP, .tos = 3};

	wt_net_input(&f->net, 0, 0, arriving(f, first, 64, 0), &packet);
	assert_int_equal(wt_net_input(&f->net, 0, 0, arriving(f, last, 64, 64), &packet), WT_IP_IS_TCP);
	assert_int_equal(packet.ip.tos, 3);
	expect_whole(f, &packet, 128);
	/* RFC 3168 5.3: marked beside not-capable is dropped */
	first.id = last.id = 2;
	first.tos = 0;
	wt_net_input(&f->net, 0, 0, arriving(f, first, 64, 0), &packet);
	assert_int_equal(wt_net_input(&f->net, 0, 0, arriving(f, last, 64, 64), &packet), WT_IP_DONE);
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT], 1);
}

static void an_exhausted_pool_drops_the_fragment(void **state)
{
	struct fixture *f = *state;
	struct wt_ipv4 ip = {.id = 1, .more_fragments = true, .protocol = WT_IP_TCP};
	struct wt_frame *frame = arriving(f, ip, 64, 0), *held[POOL_FRAMES];
	struct wt_ip_packet packet;
	unsigned count = 0;

	while ((held[count] = wt_frame_new(f->pool)))
		count++;
	assert_int_equal(wt_net_input(&f->net, 0, 0, frame, &packet), WT_IP_DONE);
	assert_int_equal(f->node.audit.dropped[WT_DROP_POOL], 1);
	assert_int_equal(f->node.audit.dropped[WT_DROP_FRAGMENT], 1);
	while (count)
		wt_frame_free(held[--count]);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(pieces_in_any_order_make_the_whole),
		T(random_cuts_in_random_order_with_duplicates_make_the_whole),
		T(an_overlap_with_other_bytes_condemns_the_datagram_and_what_still_comes),
		T(a_repeated_place_with_other_bytes_condemns),
		T(lengths_that_disagree_condemn),
		T(impossible_pieces_are_dropped_without_a_slot),
		T(a_datagram_larger_than_a_frame_is_refused),
		T(an_unfinished_datagram_is_dropped_after_thirty_seconds),
		T(one_source_cannot_take_the_slots_of_another),
		T(many_sources_are_bounded_by_the_slots_and_the_oldest_goes),
		T(protocol_and_identification_keep_datagrams_apart),
		T(a_congestion_mark_on_any_piece_marks_the_whole),
		T(an_exhausted_pool_drops_the_fragment),
	};

	return cmocka_run_group_tests_name("fragment", tests, NULL, NULL);
}
