/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Floods (RFC 4987; security 7, 8, 21): what a host holds stays bounded by its own books and by those of malloc, and somebody who
 * means it gets in.
 */
#include <malloc.h>

#include "tests/unit/tcp/forged.h"

static const struct wt_mac far_mac = {{2, 0, 0, 0, 0, 9}}; /* of the gateway, behind which all strangers are */

struct world {
	struct wt_pool *pool;
	struct wt_host *server, *client;
	struct wt_tcp *listener, *call, *accepted;
	struct wt_key key;
	uint64_t draws, frames, connected;
	wt_time now;
};

static uint32_t draw(struct world *world)
{
	return (uint32_t)wt_siphash_u64(&world->key, world->draws++);
}

static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static struct wt_host *make(struct world *world, uint8_t last, const struct wt_mac *mac, uint32_t connections)
{
	struct wt_host_config config = {
		.name = "host",
		.mac = *mac,
		.addr = wt_addr_ipv4(10, 0, 0, last),
		.prefix_len = 24,
		.gateway = wt_addr_ipv4(10, 0, 0, 254),
		.secret = wt_key_derive(last, "flood"),
		.max_connections = connections,
		.pool = world->pool,
		.neighbours = {{wt_addr_ipv4(10, 0, 0, 1), our_mac},
			       {wt_addr_ipv4(10, 0, 0, 2), peer_mac},
			       {wt_addr_ipv4(10, 0, 0, 254), far_mac}},
	};

	return wt_host_create(&config);
}

static void on_client(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct world *world = arg;

	if (events & WT_TCP_EV_CONNECTED) {
		world->connected++;
		assert_int_equal(wt_tcp_write(tcp, "hello", 5), 5);
	}
}

static void setup(struct world *world, unsigned backlog, uint32_t connections)
{
	struct wt_tcp_config tcp;

	*world = (struct world){.key = wt_key_derive(1, "strangers"), .now = WT_S};
	world->pool = wt_pool_create(2048, 2048);
	world->server = make(world, 1, &our_mac, connections);
	world->client = make(world, 2, &peer_mac, 100);
	wt_tcp_config_init(&tcp);
	world->listener = wt_tcp_listen(world->server, &(struct wt_endpoint){.port = 80}, backlog, &tcp);
	assert_non_null(world->listener);
}

static void finish(struct world *world)
{
	wt_host_destroy(world->server);
	wt_host_destroy(world->client);
	assert_int_equal(wt_pool_free_count(world->pool), wt_pool_count(world->pool));
	wt_pool_destroy(world->pool);
}

/* What both hosts have to say reaches the other one; strangers never answer. */
static void settle(struct world *world)
{
	struct wt_host *hosts[] = {world->server, world->client};

	for (unsigned idle = 0; idle < 2;) {
		for (unsigned i = 0; i < 2; i++) {
			struct wt_node *node = wt_host_node(hosts[i]), *peer = wt_host_node(hosts[!i]);
			unsigned port;
			struct wt_frame *frame = node->ops->output(node, world->now, &port);

			idle = frame ? 0 : idle + 1;
			if (!frame)
				continue;
			world->frames++;
			if (memcmp(wt_frame_own_bytes(frame), hosts[!i]->config.mac.bytes, 6) == 0)
				peer->ops->input(peer, 0, world->now, frame);
			else
				wt_frame_free(frame);
		}
	}
}

static void strange_syn(struct world *world)
{
	uint32_t who = draw(world);
	struct wt_tcp_header seg = {
		.src_port = (uint16_t)(who >> 8), .dst_port = 80, .seq = draw(world), .flags = WT_SYN, .window = 65535,
		.has_mss = true, .mss = 1460, .has_ts = true, .tsval = who, .has_wscale = true, .wscale = 7,
		.has_sack_permitted = true,
	};

	forge_from(world->server, wt_addr_ipv4(11, (uint8_t)(who >> 16), (uint8_t)(who >> 24), (uint8_t)(who | 1)), world->now, &seg,
		   0);
}

/* SYNs at 100,000/s of virtual time; the books are looked at as they come. */
static void flood(struct world *world, uint32_t syns)
{
	for (uint32_t i = 0; i < syns; i++) {
		world->now += 10 * WT_US;
		strange_syn(world);
		settle(world);
		assert_true(world->server->tcp.syns.count <= 512);
		assert_true(world->server->tcp.conns.count <= 4);
	}
}

static void a_million_syns_leave_memory_flat_and_a_client_gets_in(void **state)
{
	struct wt_endpoint server = {wt_addr_ipv4(10, 0, 0, 1), 80};
	struct wt_host_info info;
	struct wt_tcp_config tcp;
	struct world world;
	size_t before;
	wt_time began;

	setup(&world, 16, 64);
	flood(&world, 2000); /* every entry is taken */
	before = allocated();
	flood(&world, 500000);
	assert_true(allocated() <= before + 4096);
	print_message("memory after 500000 SYNs more: %+zd bytes\n", (ssize_t)(allocated() - before));

	wt_tcp_config_init(&tcp);
	tcp.callback = on_client;
	tcp.arg = &world;
	began = world.now;
	assert_non_null(wt_tcp_connect(world.client, &server, NULL, &tcp, world.now));
	while (!world.accepted && world.now - began < 3 * WT_S) {
		flood(&world, 1);
		world.accepted = wt_tcp_accept(world.listener);
	}
	assert_non_null(world.accepted);
	assert_int_equal(world.connected, 1);
	print_message("a client connects in %.3f ms\n", (double)(world.now - began) / WT_MS);
	before = allocated(); /* with the two ends of its connection */
	flood(&world, 498000);
	assert_true(allocated() <= before + 4096);
	print_message("memory after 498000 SYNs more: %+zd bytes\n", (ssize_t)(allocated() - before));
	wt_host_info(world.server, &info);
	assert_int_equal(wt_tcp_readable(world.accepted), 5);
	assert_int_equal(info.connections, 1);
	assert_true(info.count.cookies_sent >= 1000000 - 20 * 512); /* entries expire in between, none is kept longer than the timer */
	assert_int_equal(info.count.cookies_accepted, 1);
	/* what the server sent: a SYN-ACK for each SYN, and the timers of entries: 7 for each at most */
	assert_true(world.frames <= 1000000 + 4 * 512 + 8 * (1000000 - info.count.cookies_sent) + 16);

	/* when it is over the entries go by themselves, and the cookies too */
	for (unsigned i = 0; i < 400; i++) {
		world.now += WT_S;
		settle(&world);
	}
	wt_host_info(world.server, &info);
	assert_int_equal(info.half_open, 0);
	assert_int_equal(world.listener->half_open, 0);
	finish(&world);
}

/* Entries that expire are used again: three floods hold what one did. */
static void floods_that_follow_each_other_take_no_more_than_one(void **state)
{
	struct world world;
	uint64_t held = 0;

	setup(&world, 16, 64);
	for (unsigned i = 0; i < 3; i++) {
		flood(&world, 2000);
		held = held ? held : wt_host_memory(world.server);
		assert_int_equal(wt_host_memory(world.server), held);
		for (unsigned j = 0; j < 400; j++) {
			world.now += WT_S;
			settle(&world);
		}
		assert_int_equal(world.server->tcp.syns.count, 0);
	}
	finish(&world);
}

/* The ACK of a right cookie makes a connection only while SYN-ACKs with cookies may be on their way. */
static void without_a_flood_a_cookie_opens_nothing(void **state)
{
	struct wt_tcp_header seg = {.src_port = 5000, .dst_port = 80, .flags = WT_ACK, .seq = 1001, .window = 1000};
	struct wt_syn syn = {.entry.tuple = {{wt_addr_ipv4(10, 0, 0, 1), 80}, {wt_addr_ipv4(10, 0, 0, 2), 5000}}, .irs = 1000,
			     .mss = 1460};
	struct wt_host_info info;
	struct world world;

	setup(&world, 16, 64);
	for (unsigned flooded = 0; flooded < 2; flooded++) {
		if (flooded)
			flood(&world, 2000);
		world.server->tcp.now = world.now;
		seg.ack = wt_cookie_make(&world.server->tcp, &syn) + 1;
		forge(world.server, world.now, &seg, 0);
		settle(&world);
		wt_host_info(world.server, &info);
		assert_int_equal(info.count.cookies_accepted, flooded);
		assert_int_equal(info.connections, flooded);
		assert_int_equal(info.count.cookies_failed, 0);
	}
	finish(&world);
}

/* ---- TIME-WAIT ---------------------------------------------------------------------------------------------- */

static void move(struct world *world, struct wt_tcp *from, struct wt_tcp *to, uint32_t bytes)
{
	static uint8_t data[65536];
	uint32_t written = 0, read = 0;

	while (read < bytes) {
		ssize_t n = wt_tcp_write(from, data, bytes - written < sizeof(data) ? bytes - written : sizeof(data));

		written += n > 0 ? (uint32_t)n : 0;
		settle(world);
		while ((n = wt_tcp_read(to, data, sizeof(data))) > 0)
			read += (uint32_t)n;
		world->now += WT_MS;
	}
}

/* The server closes first; both ends are closed by their applications. */
static void connect_transfer_and_close(struct world *world, uint32_t bytes)
{
	struct wt_endpoint server = {wt_addr_ipv4(10, 0, 0, 1), 80};
	struct wt_tcp_config tcp;

	wt_tcp_config_init(&tcp);
	world->call = wt_tcp_connect(world->client, &server, NULL, &tcp, world->now);
	assert_non_null(world->call);
	settle(world);
	world->accepted = wt_tcp_accept(world->listener);
	assert_non_null(world->accepted);
	move(world, world->call, world->accepted, bytes);
	wt_tcp_close(world->accepted);
	settle(world);
	wt_tcp_close(world->call);
	settle(world);
	world->now += 10 * WT_MS;
}

static void three_hundred_time_waits_of_large_connections_hold_less_than_a_megabyte(void **state)
{
	struct wt_host_info info;
	struct world world;
	size_t before;

	setup(&world, 16, 16);
	connect_transfer_and_close(&world, 4 << 20); /* so that what stays for good is there */
	before = allocated();
	for (unsigned i = 0; i < 299; i++)
		connect_transfer_and_close(&world, 4 << 20);
	wt_host_info(world.server, &info);
	assert_int_equal(info.time_wait, 300);
	assert_int_equal(info.connections, 0);
	assert_true(allocated() - before < 100000);
	print_message("300 TIME-WAITs: %zu bytes in use, %zu for their table\n", allocated() - before, (size_t)300 * WT_SLOT_BYTES);
	assert_true(300 * WT_SLOT_BYTES < 1 << 20);
	world.now += 61 * WT_S;
	settle(&world);
	wt_host_info(world.server, &info);
	assert_int_equal(info.time_wait, 0);
	assert_int_equal(wt_host_connections(world.server), 0);
	finish(&world);
}

static void the_table_of_time_waits_has_a_bound(void **state)
{
	struct wt_host_info info;
	struct world world;

	setup(&world, 16, 16);
	world.server->tcp.config.max_time_wait = 100;
	for (unsigned i = 0; i < 250; i++)
		connect_transfer_and_close(&world, 1000);
	wt_host_info(world.server, &info);
	assert_int_equal(info.time_wait, 100);
	assert_int_equal(info.count.time_wait_cut, 150);
	finish(&world);
}

/* ---- memory ------------------------------------------------------------------------------------------------- */

static void a_host_short_of_memory_refuses_new_connections_and_no_others(void **state)
{
	struct wt_endpoint server = {wt_addr_ipv4(10, 0, 0, 1), 80};
	struct wt_tcp *accepted[40], *calls[40];
	struct wt_host_info info;
	struct wt_tcp_config tcp;
	struct world world;
	uint32_t held = 0;
	uint64_t before;

	setup(&world, 100, 100);
	world.server->tcp.config.memory = 100000;
	wt_tcp_config_init(&tcp);
	tcp.settings.syn_retries = 2;
	for (unsigned i = 0; i < 40; i++) {
		before = wt_host_memory(world.server);
		calls[i] = wt_tcp_connect(world.client, &server, NULL, &tcp, world.now);
		assert_non_null(calls[i]);
		settle(&world);
		accepted[held] = wt_tcp_accept(world.listener);
		assert_true(before < 75000 || !accepted[held]); /* none is made when three quarters are taken */
		held += accepted[held] != NULL;
		/* the last one may go beyond them by its block, and by what an idle one may cost beside it (test_attack.c) */
		assert_true(wt_host_memory(world.server) <= 75000 + world.listener->charged + 1024);
	}
	wt_host_info(world.server, &info);
	assert_true(held > 5 && held < 40);
	assert_int_equal(info.connections, held);
	assert_true(info.count.refused_memory >= 40 - held);
	move(&world, calls[0], accepted[0], 100000);
	/* who goes makes room for another */
	for (unsigned i = 0; i < 10; i++)
		wt_tcp_abort(accepted[i]);
	settle(&world);
	wt_tcp_connect(world.client, &server, NULL, &tcp, world.now);
	settle(&world);
	assert_non_null(wt_tcp_accept(world.listener));
	finish(&world);
}

/* A request of 5 bytes, 3000 in answer, and then silence. */
static struct wt_tcp *use_once(struct world *world)
{
	struct wt_endpoint server = {wt_addr_ipv4(10, 0, 0, 1), 80};
	struct wt_tcp_config tcp;
	struct wt_tcp *call;

	wt_tcp_config_init(&tcp);
	call = wt_tcp_connect(world->client, &server, NULL, &tcp, world->now);
	assert_non_null(call);
	settle(world);
	world->accepted = wt_tcp_accept(world->listener);
	assert_non_null(world->accepted);
	move(world, call, world->accepted, 5);
	move(world, world->accepted, call, 3000);
	world->now += WT_S; /* ACKs that were delayed */
	settle(world);
	return call;
}

/* A block of 1,664 bytes, modules, a template, places in the tables: no record waits and no byte. */
static void an_idle_connection_holds_little_and_all_of_them_are_found(void **state)
{
	enum { COUNT = 3000, MOST = 2500 };
	static struct wt_tcp *call[COUNT];
	struct world world;
	size_t before, each;

	setup(&world, 16, COUNT + 10);
	wt_host_destroy(world.client);
	world.client = make(&world, 2, &peer_mac, COUNT + 10);
	use_once(&world); /* what stays for good is there */
	before = allocated();
	for (unsigned i = 0; i < COUNT; i++)
		call[i] = use_once(&world);
	each = (allocated() - before) / COUNT / 2;
	print_message("%zu bytes in use for each end of an idle connection\n", each);
	assert_true(each <= MOST);
	for (unsigned i = 0; i < COUNT; i++)
		assert_ptr_equal(wt_demux_connection(&world.client->tcp, &call[i]->entry.tuple), call[i]);
	assert_in_range(world.client->tcp.table_mask + 1, COUNT, 2 * COUNT);
	finish(&world);
}

/* Security 20, RFC 6429: windows of 0 for ever, every probe answered. What is aborted is gone; what is closed ends by its retries. */
static void peers_that_never_open_their_window_hold_nothing_for_ever(void **state)
{
	struct wt_endpoint server = {wt_addr_ipv4(10, 0, 0, 1), 80};
	static uint8_t data[100000];
	struct wt_tcp *accepted[60];
	struct wt_host_info info;
	struct wt_tcp_config tcp;
	struct world world;
	uint64_t idle;

	setup(&world, 100, 100);
	idle = wt_host_memory(world.server);
	wt_tcp_config_init(&tcp);
	tcp.settings.rcv_buffer = 4096; /* nobody reads */
	for (unsigned i = 0; i < 60; i++) {
		assert_non_null(wt_tcp_connect(world.client, &server, NULL, &tcp, world.now));
		settle(&world);
		accepted[i] = wt_tcp_accept(world.listener);
		assert_non_null(accepted[i]);
		assert_true(wt_tcp_write(accepted[i], data, sizeof(data)) > 0);
	}
	for (unsigned i = 0; i < 3600; i++) { /* an hour: they stay, for the peers answer */
		world.now += WT_S;
		settle(&world);
	}
	wt_host_info(world.server, &info);
	assert_int_equal(info.connections, 60);
	for (unsigned i = 0; i < 30; i++)
		wt_tcp_abort(accepted[i]);
	settle(&world);
	wt_host_info(world.server, &info);
	assert_int_equal(info.connections, 30);
	for (unsigned i = 30; i < 60; i++)
		wt_tcp_close(accepted[i]);
	for (unsigned i = 0; i < 1200; i++) {
		world.now += WT_S;
		settle(&world);
	}
	wt_host_info(world.server, &info);
	assert_int_equal(info.connections, 0);
	assert_true(wt_host_memory(world.server) <= idle + 16384); /* blocks of slots stay */
	finish(&world);
}

/* ---- cookies ------------------------------------------------------------------------------------------------ */

static struct wt_syn some_syn(uint32_t n)
{
	return (struct wt_syn){
		.entry.tuple = {{wt_addr_ipv4(10, 0, 0, 1), 80}, {wt_addr_ipv4(12, 0, (uint8_t)(n >> 8), (uint8_t)n), 5000}},
		.irs = n * 2654435761u,
		.mss = (uint16_t)n,
	};
}

static void a_cookie_is_good_for_its_period_and_the_next(void **state)
{
	struct world world;

	setup(&world, 16, 16);
	for (uint32_t mss = 0; mss < 65536; mss += mss < 2000 ? 1 : 97) {
		struct wt_syn syn = some_syn(mss), other;

		world.server->tcp.now = WT_COOKIE_PERIOD * 7 + (wt_time)mss;
		syn.iss = wt_cookie_make(&world.server->tcp, &syn);
		other = syn;
		assert_true(wt_cookie_check(&world.server->tcp, &syn));
		assert_true(syn.mss <= mss || syn.mss == 88);
		assert_true(syn.mss >= 88 && syn.mss <= 8960);
		world.server->tcp.now += WT_COOKIE_PERIOD;
		assert_true(wt_cookie_check(&world.server->tcp, &syn));
		other.irs++;
		assert_false(wt_cookie_check(&world.server->tcp, &other));
		other.irs--;
		other.entry.tuple.remote.port++;
		assert_false(wt_cookie_check(&world.server->tcp, &other));
		world.server->tcp.now += WT_COOKIE_PERIOD;
		assert_false(wt_cookie_check(&world.server->tcp, &syn));
	}
	finish(&world);
}

/* Security 8. 16 of 2^32 numbers are good, so of 10^7 guesses 0.04 are: two would be one run in 1400. The draws are fixed. */
static void ten_million_guesses_find_no_cookie(void **state)
{
	struct world world;
	unsigned found = 0;

	setup(&world, 16, 16);
	world.server->tcp.now = WT_COOKIE_PERIOD * 7;
	for (uint32_t i = 0; i < 10000000; i += 2) {
		uint64_t guess = wt_siphash_u64(&world.key, i);
		struct wt_syn syn = some_syn(i / 1000);

		syn.iss = (uint32_t)guess;
		found += wt_cookie_check(&world.server->tcp, &syn);
		syn.iss = (uint32_t)(guess >> 32);
		found += wt_cookie_check(&world.server->tcp, &syn);
	}
	assert_true(found <= 1);
	finish(&world);
}

/* The bound itself: of the numbers with each index exactly those of two periods are good. */
static void of_every_index_two_numbers_are_good(void **state)
{
	struct world world;

	setup(&world, 16, 16);
	for (uint32_t index = 0; index < 8; index++) {
		struct wt_syn syn = some_syn(77);
		unsigned good = 0;

		world.server->tcp.now = WT_COOKIE_PERIOD * 7;
		/* one in 64 of all numbers with this index, around the good ones */
		for (unsigned period = 0; period < 2; period++) {
			static const uint16_t sizes[8] = {88, 536, 1024, 1220, 1360, 1440, 1460, 8960};
			wt_seq truth;

			syn.mss = sizes[index];
			world.server->tcp.now = WT_COOKIE_PERIOD * (6 + (wt_time)period);
			truth = wt_cookie_make(&world.server->tcp, &syn);
			assert_int_equal(truth & 7, index);
			world.server->tcp.now = WT_COOKIE_PERIOD * 7;
			for (uint32_t off = 0; off < 1 << 16; off++) {
				syn.iss = truth + (off - (1 << 15)) * 8;
				good += wt_cookie_check(&world.server->tcp, &syn);
			}
		}
		assert_int_equal(good, 2);
	}
	finish(&world);
}

static void options_come_back_from_the_timestamp_and_are_never_out_of_range(void **state)
{
	for (uint32_t now = 0xffffff00u, i = 0; i < 1000; i++, now++) {
		for (unsigned bits = 0; bits < 8; bits++) {
			for (uint8_t scale = 0; scale < 20; scale++) {
				struct wt_syn syn = {.offer = (uint8_t)(bits * 2 & (WT_SYN_WSCALE | WT_SYN_SACK)), .wscale = scale};
				struct wt_syn back = {0};
				uint32_t tsval;

				syn.offer |= bits & 4 ? WT_SYN_ECN : 0;
				tsval = wt_cookie_timestamp(now, &syn);
				assert_true(now - tsval < 128);
				wt_cookie_options(tsval, &back);
				assert_int_equal(back.offer, syn.offer);
				assert_true(!(syn.offer & WT_SYN_WSCALE) || back.wscale == (scale > 14 ? 14 : scale));
			}
		}
	}
	for (uint32_t any = 0; any < 4096; any++) {
		struct wt_syn back = {0};

		wt_cookie_options(any, &back);
		assert_true(!(back.offer & WT_SYN_WSCALE) || back.wscale <= 14);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_million_syns_leave_memory_flat_and_a_client_gets_in),
		cmocka_unit_test(floods_that_follow_each_other_take_no_more_than_one),
		cmocka_unit_test(without_a_flood_a_cookie_opens_nothing),
		cmocka_unit_test(three_hundred_time_waits_of_large_connections_hold_less_than_a_megabyte),
		cmocka_unit_test(the_table_of_time_waits_has_a_bound),
		cmocka_unit_test(a_host_short_of_memory_refuses_new_connections_and_no_others),
		cmocka_unit_test(an_idle_connection_holds_little_and_all_of_them_are_found),
		cmocka_unit_test(peers_that_never_open_their_window_hold_nothing_for_ever),
		cmocka_unit_test(a_cookie_is_good_for_its_period_and_the_next),
		cmocka_unit_test(ten_million_guesses_find_no_cookie),
		cmocka_unit_test(of_every_index_two_numbers_are_good),
		cmocka_unit_test(options_come_back_from_the_timestamp_and_are_never_out_of_range),
	};

	return cmocka_run_group_tests_name("host_flood", tests, NULL, NULL);
}
