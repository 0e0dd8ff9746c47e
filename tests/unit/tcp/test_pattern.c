/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a peer costs that SACKs in patterns, and what small writes and two ends that lost each other cost: bounds, whatever the order.
 */
#include "cc/choose.h"
#include "tests/unit/tcp/forged.h"

enum { ME, OTHER, ENDS };

struct end {
	struct wt_host *host;
	struct wt_tcp *tcp;
	struct wt_mac mac;
	struct wt_addr addr;
	uint64_t sent, acks; /* acks: without payload, SYN, FIN */
};

struct world {
	struct wt_pool *pool;
	struct end end[ENDS];
	wt_time now;
};

static void make(struct world *world, unsigned i, const struct wt_mac *mac, const struct wt_mac *peer)
{
	struct wt_host_config config = {.name = "end", .mac = *mac, .addr = wt_addr_ipv4(10, 0, 0, (uint8_t)(i + 1)), .prefix_len = 24,
					.secret = wt_key_derive(i, "pattern"), .pool = world->pool,
					.neighbours = {{wt_addr_ipv4(10, 0, 0, (uint8_t)(2 - i)), *peer}}};

	world->end[i] = (struct end){.host = wt_host_create(&config), .mac = *mac, .addr = config.addr};
	assert_non_null(world->end[i].host);
}

static void begin(struct world *world)
{
	*world = (struct world){.pool = wt_pool_create(512, 2048), .now = 1};
	make(world, ME, &our_mac, &peer_mac);
}

static void finish(struct world *world)
{
	for (unsigned i = 0; i < ENDS; i++)
		if (world->end[i].host)
			wt_host_destroy(world->end[i].host);
	wt_pool_destroy(world->pool);
}

/* What an end has to say goes to the other one, or nowhere if there is none. */
static void say(struct world *world, unsigned i)
{
	struct wt_node *node = wt_host_node(world->end[i].host);
	struct wt_frame *frame;
	unsigned port;

	while ((frame = node->ops->output(node, world->now, &port))) {
		const uint8_t *tcp = wt_frame_look(frame) + 34;

		world->end[i].sent++;
		world->end[i].acks += frame->len == 34 + (tcp[12] >> 4) * 4u && !(tcp[13] & (WT_SYN | WT_FIN));
		frame->time = world->now;
		if (world->end[1 - i].host) {
			struct wt_node *other = wt_host_node(world->end[1 - i].host);

			wt_frame_finish_csum(frame);
			other->ops->input(other, 0, world->now, frame);
		} else {
			wt_frame_free(frame);
		}
	}
}

/* A segment for an end, as if from the other one. */
static void give(struct world *world, unsigned i, struct wt_tcp_header *seg, uint32_t len)
{
	forge_between(world->end[i].host, wt_addr_ipv4(10, 0, 0, (uint8_t)(2 - i)), world->end[i].addr, world->now, seg, len);
}

/* ---- SACK in patterns ---------------------------------------------------------------------------------------- */

enum { PORT = 5000, BUFFER = 8 << 20, LEAST = 88 };

/* A connection to a peer made of thin air, with this MSS and a window of 1 GiB; all that is written may leave at once. */
static struct wt_tcp *connected(struct world *world, const char *recovery, uint16_t mss)
{
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = PORT, .seq = 77, .flags = WT_SYN | WT_ACK, .window = 65535, .has_mss = true, .mss = mss,
				    .has_wscale = true, .wscale = 14, .has_sack_permitted = true};
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), 80};
	struct wt_tcp_config config;
	struct wt_tcp *tcp;
	char err[256] = "";

	wt_tcp_config_init(&config);
	config.settings.snd_buffer = BUFFER;
	config.settings.timestamps = false;
	config.settings.nagle = false;
	assert_int_equal(wt_recovery_choose(recovery, &config.recovery, err, sizeof(err)), 0);
	tcp = world->end[ME].tcp = wt_tcp_connect(world->end[ME].host, &remote, &(struct wt_endpoint){.port = PORT}, &config, world->now);
	assert_non_null(tcp);
	say(world, ME);
	world->now += 10 * WT_MS;
	seg.ack = tcp->snd_nxt;
	give(world, ME, &seg, 0);
	seg = (struct wt_tcp_header){.src_port = 80, .dst_port = PORT, .seq = 78, .ack = tcp->snd_nxt, .flags = WT_ACK, .window = 65535};
	give(world, ME, &seg, 0);
	say(world, ME);
	assert_int_equal(tcp->state, WT_TCP_ESTABLISHED);
	tcp->out.cwnd = 1u << 30;
	return tcp;
}

static void fill(struct world *world, struct wt_tcp *tcp)
{
	static uint8_t data[65536];

	while (wt_tcp_write(tcp, data, sizeof(data)) > 0)
		;
	say(world, ME);
	assert_int_equal(tcp->snd_nxt, tcp->snd_end);
}

/* One block per ACK, each of one segment: [at, at + len) above `una`. */
static void sack(struct world *world, struct wt_tcp *tcp, wt_seq start, wt_seq end)
{
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = PORT, .seq = 78, .ack = tcp->snd_una, .flags = WT_ACK, .window = 65535, .sack_count = 1,
				    .sack = {{start, end}}};

	give(world, ME, &seg, 0);
}

/*
 * Security 17 and 19 (CVE-2019-11477, CVE-2019-5599). A peer with an MSS of 48 gets segments of the least size we send; more of them than a counter of
 * 16 bits holds are in flight, and every second one is SACKED, each by an ACK of its own, from the far end or in a scattered order. All together costs
 * a few steps for each segment and ACK, whatever looks for losses; the list of transmissions stays as long as the flight; and nothing breaks when all of
 * it is SACKED, when a timeout forgets it, and when it is acknowledged.
 */
static void pattern(const char *recovery, bool scattered)
{
	struct world world;
	struct wt_tcp *tcp;
	uint32_t count, half;
	uint64_t before;
	wt_seq una;

	begin(&world);
	tcp = connected(&world, recovery, 48);
	fill(&world, tcp);
	una = tcp->snd_una;
	count = tcp->board.view.count;
	half = count / 2;
	assert_in_range(count, 65536 + 1, BUFFER / LEAST + 1);
	before = tcp->board.steps;
	world.now += 20 * WT_MS;
	for (uint32_t i = 0; i < half - 1; i++) {
		uint32_t at = 2 * (scattered ? (uint32_t)((uint64_t)i * 7919 % (half - 1)) : half - 2 - i) + 1;

		sack(&world, tcp, una + at * LEAST, una + (at + 1) * LEAST);
		assert_true(tcp->order.count <= 2 * count);
	}
	assert_int_equal(tcp->board.view.sacked, (half - 1) * LEAST);
	assert_in_range(tcp->board.steps - before, half, 24 * (uint64_t)count);
	assert_true(!tcp->order.at || tcp->order.mask + 1 <= 4 * count);
	wt_tcb_check(tcp);
	sack(&world, tcp, una + LEAST, tcp->snd_nxt);
	assert_int_equal(tcp->board.view.sacked, tcp->snd_nxt - una - LEAST);
	wt_tcb_check(tcp);
	for (unsigned i = 0; i < 50 && !tcp->tally.timeouts; i++) {
		world.now += 100 * WT_MS;
		say(&world, ME);
	}
	assert_true(tcp->tally.timeouts > 0);
	wt_tcb_check(tcp);
	sack(&world, tcp, una + LEAST, tcp->snd_nxt);
	give(&world, ME, &(struct wt_tcp_header){.src_port = 80, .dst_port = PORT, .seq = 78, .ack = tcp->snd_nxt, .flags = WT_ACK, .window = 65535}, 0);
	assert_int_equal(tcp->snd_una, tcp->snd_nxt);
	assert_int_equal(tcp->board.view.count + tcp->board.view.sacked + tcp->board.view.lost, 0);
	wt_tcb_check(tcp);
	finish(&world);
}

static void every_second_of_ninety_thousand_segments_is_sacked_from_the_far_end(void **state)
{
	pattern("rack", false);
	pattern("sack", false);
}

static void every_second_of_ninety_thousand_segments_is_sacked_in_a_scattered_order(void **state)
{
	pattern("rack", true);
	pattern("sack", true);
}

/* A flight goes again when the peer opens its window over it. One that toggles it with each octet it acknowledges makes no walk over the flight of each. */
static void a_window_that_opens_with_each_octet_costs_a_few_walks(void **state)
{
	enum { TIMES = 5000 };
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = PORT, .seq = 78, .flags = WT_ACK};
	struct world world;
	struct wt_tcp *tcp;
	uint64_t before;

	begin(&world);
	tcp = connected(&world, "rack", 48);
	fill(&world, tcp);
	before = tcp->board.steps;
	for (uint32_t i = 0; i < TIMES; i++) {
		world.now += 10000;
		seg.ack = tcp->snd_una + 1;
		seg.window = 0;
		give(&world, ME, &seg, 0);
		say(&world, ME);
		seg.window = 65535;
		give(&world, ME, &seg, 0);
		say(&world, ME);
	}
	assert_in_range(tcp->board.steps - before, tcp->board.view.count, 10 * (uint64_t)tcp->board.view.count + 100 * TIMES);
	wt_tcb_check(tcp);
	finish(&world);
}

/* ---- small writes and small segments ------------------------------------------------------------------------- */

/* Security 35. What waits costs what it is long; what is in flight one record per octet; what was received and not read again what it is long. */
static void an_octet_at_a_time_costs_a_bounded_part_of_memory(void **state)
{
	enum { OCTETS = 100000, RECORD = 100 };
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = PORT, .seq = 78, .flags = WT_ACK, .window = 65535};
	struct world world;
	struct wt_tcp *tcp;
	uint64_t idle;

	begin(&world);
	tcp = connected(&world, "rack", 1460);
	idle = wt_host_memory(world.end[ME].host);
	for (uint32_t i = 0; i < OCTETS; i++) {
		assert_int_equal(wt_tcp_write(tcp, "x", 1), 1);
		say(&world, ME);
	}
	assert_int_equal(tcp->board.view.count, OCTETS);
	assert_in_range(wt_host_memory(world.end[ME].host) - idle, OCTETS, RECORD * OCTETS);
	seg.ack = tcp->snd_nxt;
	give(&world, ME, &seg, 0);
	tcp->out.cwnd = 1460;
	assert_true(wt_host_memory(world.end[ME].host) <= idle + 3 * WT_CHUNK); /* what is acknowledged holds nothing */
	for (uint32_t i = 0; i < OCTETS; i++)
		assert_int_equal(wt_tcp_write(tcp, "x", 1), 1);
	assert_in_range(wt_host_memory(world.end[ME].host) - idle, OCTETS, 2 * OCTETS);
	seg.ack = tcp->snd_nxt;
	for (uint32_t i = 0; i < 50000; i++) {
		seg.seq = tcp->rcv_nxt;
		give(&world, ME, &seg, 1);
		say(&world, ME);
	}
	assert_int_equal(wt_tcp_unread(tcp), 50000);
	assert_in_range(wt_host_memory(world.end[ME].host) - idle, OCTETS, 2 * (OCTETS + 50000));
	finish(&world);
}

/* ---- two ends out of step ------------------------------------------------------------------------------------ */

/*
 * Security 33: a stranger who knows the numbers gave each end 1000 octets in the name of the other, so each holds the other's segments for old and
 * answers them by an ACK, which acknowledges what the other never sent and is answered by an ACK. The wire takes a millisecond each way.
 */
static void two_ends_out_of_step_exchange_an_ack_each_half_second(void **state)
{
	enum { SECONDS = 10 };
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), 80};
	struct wt_tcp_config config;
	struct wt_tcp *listener;
	struct wt_tcp_header seg;
	struct world world;

	begin(&world);
	make(&world, OTHER, &peer_mac, &our_mac);
	wt_tcp_config_init(&config);
	listener = wt_tcp_listen(world.end[OTHER].host, &(struct wt_endpoint){.port = 80}, 8, &config);
	world.end[ME].tcp = wt_tcp_connect(world.end[ME].host, &remote, &(struct wt_endpoint){.port = PORT}, &config, world.now);
	for (unsigned i = 0; i < 4; i++)
		say(&world, i % 2);
	world.end[OTHER].tcp = wt_tcp_accept(listener);
	assert_non_null(world.end[OTHER].tcp);
	for (unsigned i = 0; i < ENDS; i++) {
		struct wt_tcp *to = world.end[i].tcp;
		uint32_t ms = to->ts_recent; /* the clock of the other one, as it was seen */

		seg = (struct wt_tcp_header){.src_port = to->entry.tuple.remote.port, .dst_port = to->entry.tuple.local.port, .seq = to->rcv_nxt,
					     .ack = to->snd_nxt, .flags = WT_ACK, .window = 65535, .has_ts = true, .tsval = ms};
		give(&world, i, &seg, 1000);
		assert_int_equal(wt_tcp_unread(to), 1000);
	}
	world.end[ME].acks = world.end[OTHER].acks = 0;
	assert_int_equal(wt_tcp_write(world.end[ME].tcp, "hello", 5), 5);
	for (unsigned i = 0; i < SECONDS * 1000 / 2; i++) {
		say(&world, ME);
		world.now += WT_MS;
		say(&world, OTHER);
		world.now += WT_MS;
	}
	assert_in_range(world.end[ME].acks, 1, 2 * SECONDS + 2);
	assert_in_range(world.end[OTHER].acks, 1, 2 * SECONDS + 2);
	finish(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_second_of_ninety_thousand_segments_is_sacked_from_the_far_end),
		cmocka_unit_test(every_second_of_ninety_thousand_segments_is_sacked_in_a_scattered_order),
		cmocka_unit_test(a_window_that_opens_with_each_octet_costs_a_few_walks),
		cmocka_unit_test(an_octet_at_a_time_costs_a_bounded_part_of_memory),
		cmocka_unit_test(two_ends_out_of_step_exchange_an_ack_each_half_second),
	};

	return cmocka_run_group_tests_name("host_pattern", tests, NULL, NULL);
}
