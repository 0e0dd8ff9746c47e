/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments that come together: in one big frame they are what they would be one by one; read in one go they may have one ACK. */
#include "tests/unit/tcp/forged.h"

enum { MSS = 1000, NOTES = 64 };

struct seen {
	struct {
		wt_seq seq;
		uint32_t len;
		unsigned flags;
	} note[NOTES];
	unsigned count;
};

struct left {
	struct {
		wt_seq seq;
		uint32_t len;
		unsigned flags;
		uint64_t sum; /* of the payload */
	} segment[NOTES];
	unsigned count, frames;
};

struct end {
	struct wt_pool *pool, *big;
	struct wt_host *host;
	struct wt_tcp *tcp;
	wt_time now;
	unsigned sent;
	struct wt_receiver_ops ops;
	struct seen seen;
	struct left left;
};

static struct seen *noted; /* of the host that is given a frame */

static unsigned note_segment(void *receiver, const struct wt_rx_segment *segment, struct wt_cc_note *note)
{
	assert_true(noted->count < NOTES);
	noted->note[noted->count].seq = segment->seq;
	noted->note[noted->count].len = segment->len;
	noted->note[noted->count++].flags = segment->flags;
	return WT_RX_DEFAULT;
}

/* The segments with payload that a frame is, or that a device makes of it. */
static void note_left(struct left *left, const struct wt_frame *frame)
{
	const uint8_t *bytes = wt_frame_look(frame), *tcp = bytes + 34;
	uint32_t header = 34 + (tcp[12] >> 4) * 4u, slice = frame->gso_size ? frame->gso_size : MSS;

	assert_int_equal(wt_get16(bytes + 16) + 14, frame->len);
	assert_true(frame->gso_size ? frame->len > header + slice : frame->len <= header + slice);
	for (uint32_t at = header; at < frame->len; at += slice) {
		unsigned i = left->count++;
		bool last = at + slice >= frame->len;

		assert_true(i < NOTES);
		left->segment[i].seq = wt_get32(tcp + 4) + at - header;
		left->segment[i].len = last ? frame->len - at : slice;
		left->segment[i].flags = last ? tcp[13] : tcp[13] & ~(unsigned)(WT_PSH | WT_FIN);
		left->segment[i].sum = 0;
		for (uint32_t k = 0; k < left->segment[i].len; k++)
			left->segment[i].sum = left->segment[i].sum * 31 + bytes[at + k];
	}
	left->frames += frame->len > header;
}

static void drain(struct end *end)
{
	struct wt_node *node = wt_host_node(end->host);
	struct wt_frame *frame;
	unsigned port;

	while ((frame = node->ops->output(node, end->now, &port))) {
		note_left(&end->left, frame);
		wt_frame_free(frame);
		end->sent++;
	}
	assert_true(wt_audit_holds(&node->audit));
}

/* A segment, or a big frame of segments of `slice`, before which the host has sent all it has. */
static void give(struct end *end, wt_seq seq, unsigned flags, uint32_t len, uint32_t slice, bool more)
{
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .seq = seq, .ack = end->tcp->snd_nxt, .flags = (uint8_t)(WT_ACK | flags),
				    .window = 65535};
	struct wt_eth eth = {our_mac, peer_mac, WT_ETH_IPV4};
	struct wt_ipv4 ip = {.src = wt_addr_ipv4(10, 0, 0, 2), .dst = wt_addr_ipv4(10, 0, 0, 1), .ttl = 64, .protocol = WT_IP_TCP};
	struct wt_frame *frame = wt_frame_new(end->pool);
	uint8_t *bytes = wt_frame_own_bytes(frame);
	uint32_t header = wt_tcp_emit_len(&seg);

	ip.total_len = (uint16_t)(20 + header + len);
	wt_eth_emit(bytes, &eth);
	wt_ipv4_emit(bytes + 14, &ip);
	wt_tcp_emit(bytes + 34, &seg);
	for (uint32_t i = 0; i < len; i++)
		bytes[34 + header + i] = (uint8_t)((seq + i) * 7);
	frame->len = 34 + header + len;
	frame->csum = WT_CSUM_VALID;
	frame->gso_size = (uint16_t)slice;
	frame->more = more;
	noted = &end->seen;
	wt_host_node(end->host)->ops->input(wt_host_node(end->host), 0, end->now, frame);
	drain(end);
}

static void begin(struct end *end, bool watches, bool drains, bool big)
{
	struct wt_host_config config = {.name = "host", .mac = our_mac, .addr = wt_addr_ipv4(10, 0, 0, 1), .prefix_len = 24, .secret = {1, 2},
					.neighbours = {{wt_addr_ipv4(10, 0, 0, 2), peer_mac}}};
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), 80};
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .seq = 999, .flags = WT_SYN | WT_ACK, .window = 65535, .has_mss = true,
				    .mss = MSS, .has_sack_permitted = true};
	struct wt_tcp_config choice;

	*end = (struct end){.now = 1};
	wt_tcp_config_init(&choice);
	choice.settings.timestamps = 0;
	choice.settings.mss = MSS;
	choice.settings.ack_drain = drains;
	wt_receiver_choose("standard", &choice.receiver, NULL, 0);
	end->ops = *choice.receiver.ops;
	end->ops.on_segment = watches ? note_segment : NULL;
	choice.receiver.ops = &end->ops;
	end->pool = config.pool = wt_pool_create(16, 70000);
	end->big = config.big_pool = big ? wt_pool_create(4, 70000) : NULL;
	end->host = wt_host_create(&config);
	end->tcp = wt_tcp_connect(end->host, &remote, &(struct wt_endpoint){.port = 5000}, &choice, end->now);
	drain(end);
	seg.ack = end->tcp->snd_nxt;
	forge(end->host, end->now, &seg, 0);
	drain(end);
	assert_int_equal(end->tcp->state, WT_TCP_ESTABLISHED);
	end->sent = 0;
}

static void finish(struct end *end)
{
	wt_host_destroy(end->host);
	assert_int_equal(wt_pool_free_count(end->pool), 16);
	wt_pool_destroy(end->pool);
	assert_true(!end->big || wt_pool_free_count(end->big) == 4);
	wt_pool_destroy(end->big);
}

/* ---- big frames ------------------------------------------------------------------------------------------ */

/* To one host as a big frame, to the other as the segments that a card would have made of it. */
static void give_both(struct end *whole, struct end *cut, wt_seq seq, unsigned flags, uint32_t len)
{
	give(whole, seq, flags, len, MSS, false);
	for (uint32_t at = 0; at < len; at += MSS) {
		bool last = at + MSS >= len;

		give(cut, seq + at, last ? flags : flags & ~(unsigned)(WT_PSH | WT_FIN), last ? len - at : MSS, 0, false);
	}
}

static void same(struct end *whole, struct end *cut, uint64_t bytes)
{
	struct wt_tcp_info a, b;
	const uint8_t *data;
	wt_seq seq = 1000;
	size_t len;

	wt_tcp_info(whole->tcp, &a);
	wt_tcp_info(cut->tcp, &b);
	assert_int_equal(whole->seen.count, cut->seen.count);
	assert_memory_equal(&whole->seen, &cut->seen, sizeof(whole->seen));
	assert_int_equal(a.segs_received, b.segs_received);
	assert_int_equal(a.out_of_order_segs_received, b.out_of_order_segs_received);
	assert_int_equal(a.bytes_received, bytes);
	assert_int_equal(b.bytes_received, bytes);
	assert_int_equal(a.rcv_nxt, b.rcv_nxt);
	while ((len = wt_tcp_peek(whole->tcp, &data)) > 0) {
		for (size_t i = 0; i < len; i++)
			assert_int_equal(data[i], (uint8_t)((seq + i) * 7));
		seq += (wt_seq)len;
		wt_tcp_consume(whole->tcp, len);
	}
	assert_int_equal(seq, 1000 + bytes);
}

static void a_big_frame_is_taken_and_told_as_its_segments(void **state)
{
	struct end whole, cut;

	begin(&whole, true, false, false);
	begin(&cut, true, false, false);
	give_both(&whole, &cut, 1000, 0, 10 * MSS);
	give_both(&whole, &cut, 1000 + 10 * MSS, WT_PSH, 3 * MSS + 300);
	give_both(&whole, &cut, 1000 + 18 * MSS, 0, 2 * MSS); /* above a hole */
	give_both(&whole, &cut, 1000 + 13 * MSS + 300, WT_PSH, 5 * MSS - 300);
	give_both(&whole, &cut, 1000 + 20 * MSS, WT_PSH | WT_FIN, 1700);
	assert_int_equal(whole.seen.count, 10 + 4 + 2 + 5 + 2);
	assert_true(whole.sent < cut.sent / 2); /* one ACK for a frame, not for two segments */
	same(&whole, &cut, 20 * MSS + 1700);
	finish(&whole);
	finish(&cut);
}

/* The boundaries of what is left are those of the frame. */
static void old_octets_in_front_of_a_big_frame_move_no_boundary(void **state)
{
	struct end whole;

	begin(&whole, true, false, false);
	give(&whole, 1000, 0, 1500, 0, false);
	give(&whole, 1000, WT_PSH, 4 * MSS, MSS, false);
	assert_int_equal(whole.seen.count, 1 + 3);
	assert_int_equal(whole.seen.note[1].seq, 2500);
	assert_int_equal(whole.seen.note[1].len, 500);
	assert_int_equal(whole.seen.note[2].len, MSS);
	assert_int_equal(whole.seen.note[3].seq, 1000 + 3 * MSS);
	same(&whole, &whole, 4 * MSS);
	finish(&whole);
}

static void acked(struct end *end, uint32_t bytes, struct wt_range sacked)
{
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .seq = 1000, .ack = end->tcp->iss + 1 + bytes, .flags = WT_ACK, .window = 65535};

	if (sacked.end != sacked.start) {
		seg.sack_count = 1;
		seg.sack[0].start = end->tcp->iss + 1 + sacked.start;
		seg.sack[0].end = end->tcp->iss + 1 + sacked.end;
	}
	end->now += WT_MS;
	forge(end->host, end->now, &seg, 0);
	drain(end);
}

/* After each step: the same segments have left, and the same is known of them. */
static void both_acked(struct end *whole, struct end *cut, uint32_t bytes, struct wt_range sacked)
{
	struct wt_tcp_info a, b;

	acked(whole, bytes, sacked);
	acked(cut, bytes, sacked);
	wt_tcp_info(whole->tcp, &a);
	wt_tcp_info(cut->tcp, &b);
	assert_int_equal(whole->left.count, cut->left.count);
	assert_memory_equal(whole->left.segment, cut->left.segment, sizeof(whole->left.segment));
	assert_int_equal(whole->tcp->board.view.count, cut->tcp->board.view.count);
	assert_int_equal(a.segs_sent, b.segs_sent);
	assert_int_equal(a.bytes_sent, b.bytes_sent);
	assert_int_equal(a.retransmits_segs, b.retransmits_segs);
	assert_int_equal(a.cwnd, b.cwnd);
	assert_int_equal(a.in_flight, b.in_flight);
	wt_tcb_check(whole->tcp);
}

/* Losses are repaired segment by segment, since each has its record; and the FIN rides on a segment. */
static void a_big_frame_leaves_as_its_segments_would(void **state)
{
	static uint8_t data[24 * MSS + 300];
	struct end end[2];

	for (uint32_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + i / 251);
	for (unsigned i = 0; i < 2; i++) {
		begin(&end[i], false, false, i == 0);
		assert_int_equal(wt_tcp_write(end[i].tcp, data, sizeof(data)), sizeof(data));
		wt_tcp_shutdown(end[i].tcp);
		drain(&end[i]);
	}
	assert_int_equal(end[0].left.count, 10);
	assert_int_equal(end[0].left.frames, 1);
	both_acked(&end[0], &end[1], 3 * MSS, (struct wt_range){0}); /* six more, */
	assert_int_equal(end[0].left.frames, 2);
	both_acked(&end[0], &end[1], 3 * MSS, (struct wt_range){5 * MSS, 6 * MSS});
	both_acked(&end[0], &end[1], 3 * MSS, (struct wt_range){5 * MSS, 8 * MSS});
	both_acked(&end[0], &end[1], 3 * MSS, (struct wt_range){5 * MSS, 10 * MSS}); /* of which the first two are lost */
	assert_true(end[0].tcp->tally.retransmits_segs >= 1);
	both_acked(&end[0], &end[1], 16 * MSS, (struct wt_range){0});
	for (uint32_t at = 18 * MSS; !end[0].tcp->fin_sent; at += 2 * MSS)
		both_acked(&end[0], &end[1], at, (struct wt_range){0});
	both_acked(&end[0], &end[1], sizeof(data) + 1, (struct wt_range){0});
	assert_int_equal(end[0].tcp->state, WT_TCP_FIN_WAIT_2);
	for (unsigned i = 0; i < 2; i++)
		finish(&end[i]);
}

/* Without a frame they are as good as lost, and the timer sends them one by one. */
static void a_big_frame_for_which_none_is_free_is_lost(void **state)
{
	static uint8_t data[4 * MSS];
	struct wt_frame *held[4];
	struct end end;

	begin(&end, false, false, true);
	for (unsigned i = 0; i < 4; i++)
		held[i] = wt_frame_new(end.big);
	assert_int_equal(wt_tcp_write(end.tcp, data, sizeof(data)), sizeof(data));
	drain(&end);
	assert_int_equal(end.left.count, 0);
	assert_int_equal(end.tcp->board.view.count, 4);
	assert_int_equal(wt_host_node(end.host)->audit.dropped[WT_DROP_POOL], 1);
	for (unsigned i = 0; i < 4; i++)
		wt_frame_free(held[i]);
	end.now += 10 * WT_S;
	drain(&end);
	assert_true(end.left.count > 0 && end.left.segment[0].len == MSS);
	wt_tcp_abort(end.tcp);
	drain(&end);
	finish(&end);
}

/* ---- ACKs ------------------------------------------------------------------------------------------------ */

static unsigned acks_of_ten(bool watches, bool drains)
{
	struct end end;
	unsigned sent;

	begin(&end, watches, drains, false);
	for (unsigned i = 0; i < 10; i++)
		give(&end, 1000 + i * MSS, 0, MSS, 0, i < 9);
	sent = end.sent;
	finish(&end);
	return sent;
}

static void what_was_read_together_has_one_ack_if_the_setting_says_so(void **state)
{
	assert_int_equal(acks_of_ten(false, false), 5);
	assert_int_equal(acks_of_ten(false, true), 1);
	assert_int_equal(acks_of_ten(true, true), 5); /* a module that watches segments has its ACKs */
}

static void an_ack_that_waits_is_sent_at_a_hole_and_by_the_timer(void **state)
{
	struct end end;

	begin(&end, false, true, false);
	for (unsigned i = 0; i < 4; i++)
		give(&end, 1000 + i * MSS, 0, MSS, 0, true);
	assert_int_equal(end.sent, 0);
	give(&end, 1000 + 6 * MSS, 0, MSS, 0, true);
	assert_int_equal(end.sent, 1);
	give(&end, 1000 + 4 * MSS, 0, 2 * MSS, MSS, true); /* fills the hole: at once, too */
	assert_int_equal(end.sent, 2);
	end.tcp->ack_quick = 0;
	for (unsigned i = 7; i < 11; i++)
		give(&end, 1000 + i * MSS, 0, MSS, 0, true);
	assert_int_equal(end.sent, 2);
	end.now += 40 * WT_MS; /* the frame that was to follow did not */
	drain(&end);
	assert_int_equal(end.sent, 3);
	wt_tcp_abort(end.tcp); /* while it is on the list */
	drain(&end);
	finish(&end);
}

/* ---- room ------------------------------------------------------------------------------------------------ */

static void count_writable(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	if (events & WT_TCP_EV_WRITABLE)
		++*(unsigned *)arg;
}

static void who_asks_for_much_room_is_told_when_there_is_so_much(void **state)
{
	static uint8_t data[8 * MSS];
	struct wt_tcp_settings settings;
	unsigned told = 0;
	struct end end;
	wt_seq una;

	begin(&end, false, false, false);
	settings = wt_tcp_get_config(end.tcp)->settings;
	settings.snd_buffer = 8 * MSS;
	wt_tcp_adjust(end.tcp, &settings);
	wt_tcp_set_callback(end.tcp, count_writable, &told);
	assert_int_equal(wt_tcp_write(end.tcp, data, sizeof(data)), 8 * MSS);
	una = end.tcp->snd_una;
	drain(&end);
	wt_tcp_expect_room(end.tcp, 3 * MSS);
	for (unsigned acked = 1; acked <= 5; acked++) {
		struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .seq = 1000, .ack = una + acked * MSS, .flags = WT_ACK, .window = 65535};

		forge(end.host, end.now, &seg, 0);
		drain(&end);
		assert_int_equal(told, acked >= 3);
	}
	wt_tcp_expect_room(end.tcp, 100 * MSS); /* more than there can ever be is all */
	assert_int_equal(end.tcp->room_low, 8 * MSS);
	settings.snd_buffer = 4 * MSS;
	wt_tcp_adjust(end.tcp, &settings);
	assert_int_equal(end.tcp->room_low, 4 * MSS);
	wt_tcp_abort(end.tcp);
	drain(&end);
	finish(&end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_big_frame_is_taken_and_told_as_its_segments),
		cmocka_unit_test(a_big_frame_leaves_as_its_segments_would),
		cmocka_unit_test(a_big_frame_for_which_none_is_free_is_lost),
		cmocka_unit_test(old_octets_in_front_of_a_big_frame_move_no_boundary),
		cmocka_unit_test(what_was_read_together_has_one_ack_if_the_setting_says_so),
		cmocka_unit_test(an_ack_that_waits_is_sent_at_a_hole_and_by_the_timer),
		cmocka_unit_test(who_asks_for_much_room_is_told_when_there_is_so_much),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
