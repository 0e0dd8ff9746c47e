/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Security row 40: an application that reads, writes, closes, aborts, accepts, connects, and closes its listener inside
 * callbacks, at random, while peers open, send, close and reset at random. Nothing may be used after it is freed (the
 * sanitizers watch), and when all is given up nothing may be left.
 */
#include "tests/dice.h"
#include "tests/unit/tcp/forged.h"

struct world {
	struct wt_pool *pool;
	struct wt_host *host;
	struct wt_tcp *listener;
	struct wt_tcp_config config;
	struct dice dice;
	uint64_t accepted, ended;
	wt_time now;
};

static void drain(struct world *world)
{
	struct wt_node *node = wt_host_node(world->host);
	struct wt_frame *frame;
	unsigned port, burst = 0;

	while ((frame = node->ops->output(node, world->now, &port))) {
		wt_frame_free(frame);
		assert_true(++burst < 10000);
	}
	assert_true(node->ops->deadline(node) > world->now);
	assert_true(wt_audit_holds(&node->audit));
}

static void inject(struct world *world, struct wt_tcp_header *seg, uint32_t len)
{
	forge(world->host, world->now, seg, len);
	if (roll(&world->dice, 3)) /* sometimes several segments come before the application runs */
		drain(world);
}

/* Writing without a copy. */
static void fill(struct world *world, struct wt_tcp *tcp)
{
	struct iovec piece[3];
	size_t room = 0;

	for (unsigned i = wt_tcp_room(tcp, roll(&world->dice, 20000), piece, 3); i; i--)
		room += piece[i - 1].iov_len;
	assert_true(room <= wt_tcp_writable(tcp));
	wt_tcp_filled(tcp, roll(&world->dice, room + 1), room);
	wt_tcp_expect_room(tcp, roll(&world->dice, 20000));
}

static void on_event(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct world *world = arg;
	uint8_t buffer[2000] = {0};

	for (unsigned i = 0; i < 3; i++) {
		switch (roll(&world->dice, 12)) {
		case 0:
			wt_tcp_close(tcp);
			world->ended++;
			return;
		case 1:
			wt_tcp_abort(tcp);
			world->ended++;
			return;
		case 2:
			wt_tcp_shutdown(tcp);
			break;
		case 3:
			wt_tcp_write(tcp, buffer, roll(&world->dice, sizeof(buffer)) + 1);
			break;
		case 4:
			fill(world, tcp);
			break;
		case 5:
			if (world->listener && roll(&world->dice, 8) == 0) {
				wt_tcp_close(world->listener);
				world->listener = NULL;
			}
			break;
		default:
			wt_tcp_read(tcp, buffer, sizeof(buffer));
			break;
		}
	}
	if (events & WT_TCP_EV_CLOSED) {
		wt_tcp_close(tcp);
		world->ended++;
	}
}

static void on_accept(void *arg, struct wt_tcp *listener, unsigned events, wt_time now)
{
	struct world *world = arg;
	struct wt_tcp *tcp;

	if (events & (WT_TCP_EV_CLOSED | WT_TCP_EV_ERROR))
		return;
	while (roll(&world->dice, 4) && (tcp = wt_tcp_accept(listener))) {
		wt_tcp_set_callback(tcp, on_event, world);
		world->accepted++;
		if (roll(&world->dice, 8) == 0) {
			wt_tcp_abort(tcp);
			world->ended++;
		}
	}
	if (roll(&world->dice, 20) == 0) {
		wt_tcp_close(listener);
		world->listener = NULL;
	}
}

static void setup(struct world *world, uint64_t seed)
{
	struct wt_host_config config = victim_config(seed);

	config.max_connections = 24;
	*world = (struct world){.dice.key = wt_key_derive(seed, "callbacks")};
	world->pool = config.pool = wt_pool_create(256, 2048);
	world->host = wt_host_create(&config);
	wt_tcp_config_init(&world->config);
	world->config.settings.snd_buffer = world->config.settings.rcv_buffer = 8192;
	world->config.settings.timestamps = 0;
	world->config.arg = world;
}

/* The peer's next segment on one of a few four-tuples: mostly what would be right there, by a look into the block. */
static void peer(struct world *world)
{
	struct wt_tcp_header seg = {
		.src_port = (uint16_t)(6000 + roll(&world->dice, 40)), .dst_port = 80, .flags = WT_SYN, .window = 20000};
	struct wt_tuple tuple = {{wt_addr_ipv4(10, 0, 0, 1), 80}, {wt_addr_ipv4(10, 0, 0, 2), seg.src_port}};
	struct wt_tcp *tcp = wt_demux_connection(&world->host->tcp, &tuple);
	struct wt_syn *syn = half_open(world->host, &tuple);
	uint32_t len = 0;

	seg.seq = (wt_seq)roll(&world->dice, 0xffffffffu);
	if (syn && roll(&world->dice, 30)) {
		seg.flags = WT_ACK | (roll(&world->dice, 8) ? 0 : WT_FIN) | (roll(&world->dice, 20) ? 0 : WT_RST);
		seg.seq = syn->irs + (roll(&world->dice, 5) ? 1 : 300);
		seg.ack = syn->iss + (roll(&world->dice, 3) != 0);
		len = roll(&world->dice, 2) ? (uint32_t)roll(&world->dice, 1000) : 0;
	} else if (tcp && roll(&world->dice, 30)) {
		seg.flags = WT_ACK | (roll(&world->dice, 8) ? 0 : WT_FIN) | (roll(&world->dice, 20) ? 0 : WT_RST);
		seg.seq = tcp->rcv_nxt + (roll(&world->dice, 5) ? 0 : 300);
		seg.ack = roll(&world->dice, 3) ? tcp->snd_nxt : tcp->snd_una;
		seg.window = roll(&world->dice, 6) ? 20000 : 0;
		len = roll(&world->dice, 2) ? (uint32_t)roll(&world->dice, 1000) : 0;
	}
	inject(world, &seg, len);
}

static void call(struct world *world)
{
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), (uint16_t)(6000 + roll(&world->dice, 40))};
	struct wt_tcp_config config = world->config;

	if (!world->listener) {
		config.callback = on_accept;
		world->listener = wt_tcp_listen(world->host, &(struct wt_endpoint){.port = 80}, 6, &config);
	}
	config.callback = on_event;
	if (roll(&world->dice, 10) == 0)
		wt_tcp_connect(world->host, &remote, &(struct wt_endpoint){.port = 80}, &config, world->now);
}

static void an_application_may_do_anything_in_a_callback(void **state)
{
	uint64_t accepted = 0, ended = 0;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct world world;

		setup(&world, seed);
		for (unsigned i = 0; i < 1000; i++) {
			call(&world);
			peer(&world);
			world.now += roll(&world.dice, 300) ? (wt_time)roll(&world.dice, 50) * WT_MS : 20 * WT_S;
			if (roll(&world.dice, 2))
				drain(&world);
			assert_true(world.host->tcp.count <= 24 + 1);
		}
		accepted += world.accepted;
		ended += world.ended;
		wt_host_destroy(world.host);
		assert_int_equal(wt_pool_free_count(world.pool), wt_pool_count(world.pool));
		wt_pool_destroy(world.pool);
	}
	assert_true(accepted > 1000 && ended > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_application_may_do_anything_in_a_callback),
	};

	return cmocka_run_group_tests_name("host_callbacks", tests, NULL, NULL);
}
