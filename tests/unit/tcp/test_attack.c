/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A peer that lies at random. A host with a listener and an active connection is fed segments whose numbers lie near
 * the right ones; after each, the block's invariants are checked and what it sends must parse. Nothing may crash, hang,
 * grow without bound, or acknowledge what was never sent to it.
 */
#include <errno.h>

#include "stack/wire/checksum.h"
#include "tests/dice.h"
#include "tests/unit/tcp/forged.h"

struct world {
	struct wt_pool *pool;
	struct wt_host *host;
	struct wt_tcp *tcp, *listener;
	struct dice dice;
	wt_time now;
	uint64_t sent;
	wt_seq highest_ack; /* the most that was ever given to us, to compare with what is acknowledged */
};

static void drain(struct world *world)
{
	struct wt_node *node = wt_host_node(world->host);
	struct wt_frame *frame;
	unsigned port, burst = 0;

	while ((frame = node->ops->output(node, world->now, &port))) {
		struct wt_tcp_header seg;
		struct wt_ipv4 ip;

		wt_frame_finish_csum(frame);
		assert_int_equal(wt_ipv4_parse(wt_frame_own_bytes(frame) + 14, frame->len - 14, true, &ip), WT_IPV4_OK);
		assert_int_equal(ip.protocol, WT_IP_TCP);
		assert_true(wt_tcp_parse(wt_frame_own_bytes(frame) + 34, frame->len - 34, &seg));
		assert_int_equal(wt_csum_fold(wt_csum_add(wt_csum_pseudo(&ip.src, &ip.dst, WT_IP_TCP, frame->len - 34),
							  wt_frame_own_bytes(frame) + 34, frame->len - 34)), 0);
		assert_true(frame->len <= 1514);
		wt_frame_free(frame);
		world->sent++;
		assert_true(++burst < 10000);
	}
	assert_true(wt_audit_holds(&node->audit));
}

static void inject(struct world *world, struct wt_tcp_header *seg, uint32_t len)
{
	forge(world->host, world->now, seg, len);
	drain(world);
}

static void setup_with(struct world *world, uint64_t seed, uint64_t memory)
{
	struct wt_host_config config = victim_config(seed);
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), 80};
	struct wt_tcp_config tcp;

	config.max_connections = 64;
	config.max_half_open = 16;
	config.memory = memory;
	*world = (struct world){.dice.key = wt_key_derive(seed, "attack")};
	world->pool = config.pool = wt_pool_create(256, 2048);
	world->host = wt_host_create(&config);
	wt_tcp_config_init(&tcp);
	tcp.settings.snd_buffer = 65536;
	tcp.settings.rcv_buffer = 65536;
	world->listener = wt_tcp_listen(world->host, &(struct wt_endpoint){.port = 80}, 8, &tcp);
	world->tcp = wt_tcp_connect(world->host, &remote, &(struct wt_endpoint){.port = 5000}, &tcp, 0);
	assert_non_null(world->tcp);
	drain(world);
}

static void setup(struct world *world, uint64_t seed)
{
	setup_with(world, seed, 0);
}

/* Numbers near the truth: exact, off by little, off by a window, or anything. */
static wt_seq near(struct world *world, wt_seq truth)
{
	switch (roll(&world->dice, 8)) {
	case 0:
		return truth + (uint32_t)roll(&world->dice, 3000) - 1500;
	case 1:
		return truth + (uint32_t)roll(&world->dice, 200000) - 100000;
	case 2:
		return (wt_seq)roll(&world->dice, 0xffffffffu);
	default:
		return truth;
	}
}

static void lie(struct world *world)
{
	struct wt_tcp *tcp = world->tcp;
	struct wt_tcp_header seg = {
		.src_port = 80,
		.dst_port = 5000,
		.seq = near(world, tcp->rcv_nxt),
		.ack = near(world, roll(&world->dice, 2) ? tcp->snd_nxt : tcp->snd_una),
		.flags = (uint8_t)(roll(&world->dice, 6) ? WT_ACK : roll(&world->dice, 256)),
		.window = (uint16_t)(roll(&world->dice, 4) ? 30000 : roll(&world->dice, 65536)),
		.has_mss = roll(&world->dice, 2),
		.mss = (uint16_t)(roll(&world->dice, 4) ? 1460 : roll(&world->dice, 65536)),
		.has_wscale = roll(&world->dice, 2),
		.wscale = (uint8_t)roll(&world->dice, 20),
		.has_sack_permitted = roll(&world->dice, 4) != 0,
		.has_ts = roll(&world->dice, 8) != 0,
		.tsval = (uint32_t)(world->now / WT_MS) + (roll(&world->dice, 16) ? 0 : (uint32_t)roll(&world->dice, 0xffffffffu)),
		.tsecr = tcp->ts_offset + (uint32_t)(roll(&world->dice, 4) ? (uint64_t)(world->now / WT_MS) : roll(&world->dice, 0xffffffffu)),
	};

	if (seg.flags & WT_RST && roll(&world->dice, 10))
		seg.flags &= (uint8_t)~WT_RST;
	if (seg.flags & WT_FIN && roll(&world->dice, 10))
		seg.flags &= (uint8_t)~WT_FIN;
	seg.sack_count = (uint8_t)(roll(&world->dice, 3) ? 0 : roll(&world->dice, 4));
	for (unsigned i = 0; i < seg.sack_count; i++) {
		seg.sack[i].start = tcp->snd_una + (uint32_t)roll(&world->dice, 70000) - 2000;
		seg.sack[i].end = seg.sack[i].start + (uint32_t)roll(&world->dice, 20000) - 1000;
	}
	if (tcp->state == WT_TCP_SYN_SENT && roll(&world->dice, 2)) {
		seg.flags = WT_SYN | (roll(&world->dice, 3) ? WT_ACK : 0);
		seg.ack = tcp->snd_nxt;
		seg.seq = (wt_seq)roll(&world->dice, 0xffffffffu);
	}
	inject(world, &seg, roll(&world->dice, 3) ? 0 : (uint32_t)roll(&world->dice, 1200));
}

static void live(struct world *world)
{
	uint8_t buffer[3000] = {0};

	if (roll(&world->dice, 3) == 0)
		wt_tcp_write(world->tcp, buffer, roll(&world->dice, sizeof(buffer)) + 1);
	if (roll(&world->dice, 3) == 0)
		wt_tcp_read(world->tcp, buffer, sizeof(buffer));
	if (roll(&world->dice, 4000) == 0)
		wt_tcp_shutdown(world->tcp);
	world->now += (wt_time)roll(&world->dice, 20) * WT_MS + (roll(&world->dice, 500) ? 0 : 3 * WT_S);
	drain(world);
}

static void a_peer_that_lies_at_random_breaks_no_invariant(void **state)
{
	uint64_t established = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct world world;

		setup(&world, seed);
		for (unsigned i = 0; i < 1500 && world.tcp->state != WT_TCP_CLOSED; i++) {
			lie(&world);
			if (world.tcp->state >= WT_TCP_ESTABLISHED) {
				wt_tcb_check(world.tcp);
				established++;
			}
			live(&world);
		}
		wt_tcp_abort(world.tcp);
		wt_tcp_close(world.listener);
		drain(&world);
		assert_int_equal(wt_host_connections(world.host), 0);
		wt_host_destroy(world.host);
		assert_int_equal(wt_pool_free_count(world.pool), wt_pool_count(world.pool));
		wt_pool_destroy(world.pool);
	}
	assert_true(established > 20000); /* the lies got past the handshake, or the test tests nothing */
}

static void a_flood_of_syns_takes_no_more_than_half_of_the_entries(void **state)
{
	struct world world;
	struct wt_tcp_header seg = {.dst_port = 80, .flags = WT_SYN, .window = 1000};

	setup(&world, 1);
	for (uint32_t i = 0; i < 100000; i++) {
		seg.src_port = (uint16_t)i;
		seg.seq = i * 7919;
		inject(&world, &seg, 0);
	}
	assert_true(wt_host_connections(world.host) <= 8 + 1);
	/* half-open connections go away by themselves */
	for (unsigned i = 0; i < 3000; i++) {
		world.now += 100 * WT_MS;
		drain(&world);
	}
	assert_true(wt_host_connections(world.host) <= 1);
	wt_host_destroy(world.host);
	wt_pool_destroy(world.pool);
}

/* Security row 7: what expires is freed, not only closed, or every flood would take a piece of the table for good. */
static void half_open_connections_that_expire_leave_their_places(void **state)
{
	struct world world;
	struct wt_tcp_header seg = {.dst_port = 80, .flags = WT_SYN, .window = 1000};

	setup(&world, 2);
	for (unsigned flood = 0; flood < 20; flood++) {
		for (uint32_t i = 0; i < 100; i++) {
			seg.src_port = (uint16_t)(flood * 100 + i);
			inject(&world, &seg, 0);
		}
		for (unsigned i = 0; i < 300; i++) {
			world.now += WT_S;
			drain(&world);
		}
		assert_int_equal(world.host->tcp.syns.count, 0);
		assert_int_equal(world.listener->half_open, 0);
		assert_int_equal(world.host->tcp.count, 2); /* the listener, and the handle that its owner has not given up */
	}
	wt_host_destroy(world.host);
	wt_pool_destroy(world.pool);
}

/* A listener of one address may come while connections to it are half open at the listener of any: they stay with the one that answered. */
static void half_open_connections_stay_with_their_listener(void **state)
{
	struct wt_tuple tuple = {{wt_addr_ipv4(10, 0, 0, 1), 80}, {wt_addr_ipv4(10, 0, 0, 2), 7000}};
	struct wt_tcp_header syn = {.src_port = 7000, .dst_port = 80, .flags = WT_SYN, .window = 1000}, ack = syn;
	struct wt_tcp_config config;
	struct wt_tcp *bound;
	struct world world;

	setup(&world, 3);
	inject(&world, &syn, 0);
	wt_tcp_config_init(&config);
	bound = wt_tcp_listen(world.host, &tuple.local, 8, &config);
	assert_non_null(bound);
	ack = (struct wt_tcp_header){.src_port = 7000, .dst_port = 80, .flags = WT_ACK, .window = 1000, .seq = 1};
	ack.ack = half_open(world.host, &tuple)->iss + 1;
	inject(&world, &ack, 0);
	assert_int_equal(bound->half_open, 0);
	assert_int_equal(world.listener->half_open, 0);
	assert_null(wt_tcp_accept(bound));
	wt_tcp_abort(wt_tcp_accept(world.listener));
	drain(&world);
	/* one that comes now is the bound one's, whatever happens to the other */
	syn.src_port = tuple.remote.port = 7001;
	inject(&world, &syn, 0);
	assert_int_equal(bound->half_open, 1);
	wt_tcp_close(bound);
	assert_null(half_open(world.host, &tuple));
	syn.src_port = tuple.remote.port = 7002;
	inject(&world, &syn, 0);
	bound = wt_tcp_listen(world.host, &tuple.local, 8, &config);
	wt_tcp_close(world.listener);
	assert_null(half_open(world.host, &tuple));
	assert_int_equal(bound->half_open, 0);
	drain(&world);
	wt_host_destroy(world.host);
	wt_pool_destroy(world.pool);
}

static void connect_and_end(struct world *world, struct wt_tcp_header *seg)
{
	struct wt_tuple tuple = {{wt_addr_ipv4(10, 0, 0, 1), 80}, {wt_addr_ipv4(10, 0, 0, 2), 7000}};
	struct wt_tcp *tcp;
	uint8_t data[1000] = {0};

	inject(world, seg, 0);
	assert_non_null(half_open(world->host, &tuple));
	seg->flags = WT_ACK;
	seg->seq++;
	seg->ack = half_open(world->host, &tuple)->iss + 1;
	inject(world, seg, 0);
	tcp = wt_tcp_accept(world->listener);
	assert_non_null(tcp);
	for (unsigned i = 0; i < 300; i++) { /* faster than the clock that ISNs are taken from */
		wt_tcp_write(tcp, data, sizeof(data));
		drain(world);
		seg->ack = tcp->snd_nxt;
		inject(world, seg, 0);
	}
	wt_tcp_shutdown(tcp);
	drain(world);
	seg->ack = tcp->snd_nxt;
	seg->flags = WT_ACK | WT_FIN;
	inject(world, seg, 0);
	assert_int_equal(tcp->state, WT_TCP_TIME_WAIT);
}

/* RFC 9293 3.10.7.4, MAY-2, first condition: else its first bytes look like old duplicates, and old ones like its own. */
static void a_connection_that_follows_a_time_wait_starts_above_all_that_was_used(void **state)
{
	struct wt_tuple tuple = {{wt_addr_ipv4(10, 0, 0, 1), 80}, {wt_addr_ipv4(10, 0, 0, 2), 7000}};
	struct wt_tcp_header seg = {.src_port = 7000, .dst_port = 80, .flags = WT_SYN, .window = 60000};
	struct world world;
	struct wt_wait *wait;
	wt_seq last;

	setup(&world, 5);
	connect_and_end(&world, &seg);
	wait = (struct wt_wait *)wt_demux_find(&world.host->tcp, &tuple);
	assert_int_equal(wait->entry.kind, WT_DEMUX_WAIT);
	last = wait->snd_nxt;
	world.now += 100 * WT_MS;
	seg.flags = WT_SYN;
	seg.seq += 1000;
	inject(&world, &seg, 0);
	assert_non_null(half_open(world.host, &tuple));
	assert_true(wt_seq_gt(half_open(world.host, &tuple)->iss, last));
	wt_host_destroy(world.host);
	wt_pool_destroy(world.pool);
}

/*
 * Security row 15: one-byte segments out of order, in a scattered order. Each costs a few steps; memory is bounded in bytes of it, by the size of
 * the buffer; what is beyond is dropped by cause; and the window still moves.
 */
static void tiny_segments_out_of_order_stay_bounded(void **state)
{
	struct world world;
	struct wt_ranges *waiting;
	uint64_t before;
	struct wt_tcp_header syn = {.src_port = 80, .dst_port = 5000, .flags = WT_SYN | WT_ACK, .window = 60000};
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .flags = WT_ACK, .window = 60000};

	setup(&world, 3);
	syn.ack = world.tcp->snd_nxt;
	inject(&world, &syn, 0);
	assert_int_equal(world.tcp->state, WT_TCP_ESTABLISHED);
	seg.ack = world.tcp->snd_nxt;
	waiting = &world.tcp->waiting;
	for (uint32_t i = 0; i < 100000; i++) {
		before = waiting->steps;
		seg.seq = world.tcp->rcv_nxt + 2 + 2 * (i * 7919u % 30000);
		inject(&world, &seg, 1);
		assert_in_range(waiting->steps - before, 0, 40); /* SACK blocks of its ACK included */
		assert_true(waiting->nodes * WT_CHUNK <= 65536);
	}
	assert_in_range(waiting->count, 65536 / 16, 65536 / 8);
	assert_int_equal(wt_host_node(world.host)->audit.dropped[WT_DROP_MEMORY] + waiting->count +
			 world.tcp->tally.dup_segs_received, 100000);
	wt_tcb_check(world.tcp);
	seg.seq = world.tcp->rcv_nxt;
	inject(&world, &seg, 1400);
	assert_in_range(world.tcp->rcv_nxt - seg.seq, 1400, 1402);
	wt_host_destroy(world.host);
	wt_pool_destroy(world.pool);
}

/*
 * A host whose memory is used up by segments above holes drops more of them by cause, takes what is next in order all the same (what waits gives
 * way, RFC 2018 8), refuses the application's bytes, and is as good as new when the application has read.
 */
static void a_host_out_of_memory_moves_on(void **state)
{
	enum { CHUNKS = 6 };
	struct world world;
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .flags = WT_SYN | WT_ACK, .window = 60000};
	static uint8_t data[65536];
	uint64_t blocks;

	setup_with(&world, 5, 0);
	blocks = wt_host_memory(world.host) - WT_CHUNK; /* of both, with what they chose, but for the record of the SYN: they count too */
	wt_host_destroy(world.host);
	wt_pool_destroy(world.pool);
	setup_with(&world, 5, CHUNKS * WT_CHUNK + blocks);
	seg.ack = world.tcp->snd_nxt;
	inject(&world, &seg, 0);
	seg.flags = WT_ACK;
	for (uint32_t i = 0; i < 12; i++) { /* each in a chunk of its own */
		seg.seq = world.tcp->rcv_nxt + 3 * WT_CHUNK + WT_CHUNK * i;
		inject(&world, &seg, 1400);
	}
	assert_in_range(wt_host_memory(world.host) - blocks, (CHUNKS - 1) * WT_CHUNK, CHUNKS * WT_CHUNK);
	assert_in_range(world.tcp->waiting.count, 3, CHUNKS);
	assert_int_equal(wt_host_node(world.host)->audit.dropped[WT_DROP_MEMORY], 12 - world.tcp->waiting.count);
	assert_int_equal(wt_tcp_write(world.tcp, data, sizeof(data)), -ENOBUFS);
	for (uint32_t i = 0; i < 12; i++) {
		seg.seq = world.tcp->rcv_nxt;
		inject(&world, &seg, 1400);
		assert_int_equal(world.tcp->rcv_nxt, seg.seq + 1400);
		assert_int_equal(world.tcp->waiting.count, 0);
	}
	assert_in_range(world.tcp->tally.discarded_bytes, 3 * 1400, CHUNKS * 1400);
	wt_tcb_check(world.tcp);
	while (wt_tcp_read(world.tcp, data, sizeof(data)) > 0)
		;
	assert_in_range(wt_host_memory(world.host) - blocks, 0, 1024); /* what an idle connection may cost beyond its block */
	assert_in_range(wt_tcp_write(world.tcp, data, sizeof(data)), 1, CHUNKS * WT_CHUNK);
	wt_host_destroy(world.host);
	wt_pool_destroy(world.pool);
}

/* Security row 12: one segment acknowledged byte by byte must not open the window a thousandfold. */
static void dividing_an_ack_gains_nothing(void **state)
{
	struct world world;
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .flags = WT_SYN | WT_ACK, .window = 60000};
	uint8_t data[1460] = {0};
	uint32_t before;

	setup(&world, 4);
	seg.ack = world.tcp->snd_nxt;
	seg.has_mss = true;
	seg.mss = 1460;
	inject(&world, &seg, 0);
	wt_tcp_write(world.tcp, data, sizeof(data));
	drain(&world);
	before = world.tcp->out.cwnd;
	seg.flags = WT_ACK;
	seg.seq++;
	seg.has_mss = false;
	for (unsigned i = 0; i < 1460; i++) {
		seg.ack++;
		inject(&world, &seg, 0);
	}
	assert_int_equal(world.tcp->snd_una, world.tcp->snd_nxt);
	assert_true(world.tcp->out.cwnd <= before + 1460);
	wt_host_destroy(world.host);
	wt_pool_destroy(world.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peer_that_lies_at_random_breaks_no_invariant),
		cmocka_unit_test(a_flood_of_syns_takes_no_more_than_half_of_the_entries),
		cmocka_unit_test(half_open_connections_that_expire_leave_their_places),
		cmocka_unit_test(half_open_connections_stay_with_their_listener),
		cmocka_unit_test(a_connection_that_follows_a_time_wait_starts_above_all_that_was_used),
		cmocka_unit_test(tiny_segments_out_of_order_stay_bounded),
		cmocka_unit_test(a_host_out_of_memory_moves_on),
		cmocka_unit_test(dividing_an_ack_gains_nothing),
	};

	return cmocka_run_group_tests_name("host_attack", tests, NULL, NULL);
}
