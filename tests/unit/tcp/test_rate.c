/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rate samples by arithmetic (draft-cheng-iccrg-delivery-rate-estimation 3): a sender module that only notes what it is told,
 * and a peer made of thin air. Segments of 1000 bytes, a window of ten; times in milliseconds.
 */
#include "tests/unit/tcp/forged.h"

static struct wt_ack told; /* the facts of the last ACK */

static void note_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	out->cwnd = 10000;
}

static void note_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	told = *ack;
}

static void note_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	out->cwnd = 10000;
}

static const struct wt_sender_ops notes = {
	.name = "notes", .text = "", .state_size = 1, .init = note_init, .on_ack = note_ack, .on_event = note_event};

struct bench {
	struct wt_pool *pool;
	struct wt_host *host;
	struct wt_tcp *tcp;
	wt_time now;
};

static void drain(struct bench *b)
{
	struct wt_node *node = wt_host_node(b->host);
	struct wt_frame *frame;
	unsigned port;

	while ((frame = node->ops->output(node, b->now, &port)))
		wt_frame_free(frame);
}

/* The peer acknowledges `segments` whole ones at `ms`, and SACKs [from, to) of them; from == to: none. */
static void ack(struct bench *b, unsigned ms, uint32_t segments, uint32_t from, uint32_t to)
{
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = b->tcp->entry.tuple.local.port, .seq = 1, .flags = WT_ACK, .window = 60000};

	seg.ack = b->tcp->iss + 1 + segments * 1000;
	if (from != to) {
		seg.sack_count = 1;
		seg.sack[0].start = b->tcp->iss + 1 + from * 1000;
		seg.sack[0].end = b->tcp->iss + 1 + to * 1000;
	}
	b->now = ms * WT_MS;
	told = (struct wt_ack){0};
	forge(b->host, b->now, &seg, 0);
	drain(b);
}

/* Timers fire at their times. */
static void let_time_pass(struct bench *b, unsigned ms)
{
	struct wt_node *node = wt_host_node(b->host);

	while (node->ops->deadline(node) <= ms * WT_MS) {
		b->now = node->ops->deadline(node);
		drain(b);
	}
	b->now = ms * WT_MS;
	drain(b);
}

/* Connected at 20 ms, so the round trip is 20 ms; ten segments leave at once. Returns the bytes delivered so far (the SYN's). */
static uint64_t start(struct bench *b)
{
	struct wt_endpoint peer = {wt_addr_ipv4(10, 0, 0, 2), 80};
	struct wt_host_config config = {
		.name = "a",
		.mac = our_mac,
		.addr = wt_addr_ipv4(10, 0, 0, 1),
		.prefix_len = 24,
		.secret = wt_key_derive(1, "secret"),
		.neighbours = {{wt_addr_ipv4(10, 0, 0, 2), peer_mac}},
	};
	struct wt_tcp_header seg = {.src_port = 80, .flags = WT_SYN | WT_ACK, .window = 60000, .has_mss = true, .mss = 1000,
				    .has_sack_permitted = true};
	static const uint8_t bytes[40000];
	struct wt_tcp_config tcp;

	*b = (struct bench){.pool = config.pool = wt_pool_create(256, 2048)};
	b->host = wt_host_create(&config);
	wt_tcp_config_init(&tcp);
	wt_recovery_choose("sack", &tcp.recovery, NULL, 0); /* no probes of the tail before the timer */
	tcp.sender.ops = &notes;
	tcp.settings.timestamps = tcp.settings.window_scaling = 0;
	b->tcp = wt_tcp_connect(b->host, &peer, NULL, &tcp, 0);
	assert_non_null(b->tcp);
	drain(b);
	seg.dst_port = b->tcp->entry.tuple.local.port;
	seg.ack = b->tcp->iss + 1;
	b->now = 20 * WT_MS;
	forge(b->host, b->now, &seg, 0);
	assert_int_equal(wt_tcp_write(b->tcp, bytes, sizeof(bytes)), sizeof(bytes));
	drain(b);
	assert_int_equal(b->tcp->snd_nxt - b->tcp->snd_una, 10000);
	return b->tcp->board.delivered;
}

static void finish(struct bench *b)
{
	wt_tcp_abort(b->tcp);
	drain(b);
	wt_host_destroy(b->host);
	wt_pool_destroy(b->pool);
}

static void expect(uint64_t delivered, uint64_t since, unsigned interval_ms, unsigned sent_ms)
{
	assert_int_equal(told.delivered, delivered);
	assert_int_equal(told.prior_delivered, since);
	assert_int_equal(told.rate_interval, interval_ms * WT_MS);
	assert_int_equal(told.newest.sent, sent_ms * WT_MS);
}

static void sacks_and_retransmissions_give_samples(void **state)
{
	struct bench b;
	uint64_t before = start(&b);

	ack(&b, 40, 0, 1, 3); /* two of the first ten; 10 and 11 leave */
	expect(before + 2000, before, 20, 20);
	ack(&b, 50, 0, 1, 6); /* 0 is lost and goes again, with new ones */
	expect(before + 5000, before, 30, 20);
	ack(&b, 60, 0, 1, 12); /* 11 left at 40, when 2000 were delivered: delivered_time moves with SACKs */
	expect(before + 11000, before + 2000, 20, 40);
	ack(&b, 70, 12, 0, 0); /* the copy of 0 left at 50, when 5000 were delivered and the newest of these had left at 20 */
	expect(before + 12000, before + 5000, 30, 50);
	finish(&b);
}

static void what_is_sacked_again_after_a_timeout_counts_once(void **state)
{
	struct bench b;
	uint64_t before = start(&b);

	ack(&b, 40, 0, 1, 3);
	let_time_pass(&b, 400);
	assert_int_equal(b.tcp->tally.timeouts, 1);
	ack(&b, 401, 0, 1, 3);
	assert_int_equal(told.sacked, 2000);
	expect(before + 2000, 0, 0, 0);
	ack(&b, 402, 3, 0, 0);
	assert_int_equal(told.delivered, before + 3000);
	finish(&b);
}

/* The first copy was only late: it answers for the second within less than any round trip. */
static void an_interval_below_the_least_round_trip_is_no_sample(void **state)
{
	struct bench b;
	uint64_t before = start(&b);

	let_time_pass(&b, 241); /* the timer: 200 ms above the round trip of 20, after 20 */
	assert_int_equal(b.tcp->tally.timeouts, 1);
	ack(&b, 245, 1, 0, 0);
	expect(before + 1000, before, 0, 240);
	finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sacks_and_retransmissions_give_samples),
		cmocka_unit_test(what_is_sacked_again_after_a_timeout_counts_once),
		cmocka_unit_test(an_interval_below_the_least_round_trip_is_no_sample),
	};

	return cmocka_run_group_tests_name("host_rate", tests, NULL, NULL);
}
