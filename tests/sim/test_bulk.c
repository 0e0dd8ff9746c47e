/* SPDX-License-Identifier: BSD-2-Clause */
/* The bulk application on two hosts with a wire between them: orders of events that a transfer that goes well never sees. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/path.h"
#include "stack/drive/graph.h"
#include "stack/drive/vloop.h"
#include "tools/app/bulk_wire.h"

#define PORT 5001

static struct {
	struct wt_pool *pool;
	struct wt_graph *graph;
	struct wt_host *host[2];
	struct wt_tcp_config tcp;
	struct wt_bulk_server server;
	unsigned receivers_done, senders_done, intervals, accepted;
	uint64_t interval_bytes;
	struct wt_bulk_receiver last; /* copy of the receiver that ended last */
	uint8_t sunk[100000];
	size_t sunk_len;
} w;

static void setup_hosts(const char *words)
{
	struct wt_path path[2];
	char err[200];

	memset(&w, 0, sizeof(w));
	w.pool = wt_pool_create(20000, 1514);
	w.graph = wt_graph_create();
	wt_graph_set_checked(w.graph, true);
	wt_tcp_config_init(&w.tcp);
	for (unsigned i = 0; i < 2; i++) {
		struct wt_host_config config = {
			.mac = {{2, 0, 0, 0, 0, (uint8_t)(1 + i)}}, .addr = wt_addr_ipv4(10, 0, 0, (uint8_t)(1 + i)), .prefix_len = 24,
			.secret = wt_key_derive(5, i ? "b" : "a"), .pool = w.pool,
		};

		config.neighbours[0].addr = wt_addr_ipv4(10, 0, 0, (uint8_t)(2 - i));
		config.neighbours[0].mac = (struct wt_mac){{2, 0, 0, 0, 0, (uint8_t)(2 - i)}};
		strcpy(config.name, i ? "b" : "a");
		w.host[i] = wt_host_create(&config);
		assert_non_null(w.host[i]);
		assert_int_equal(wt_graph_add(w.graph, wt_host_node(w.host[i])), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(wt_path_init(&path[i], words, i ? "rev" : "fwd", 3, err, sizeof(err)), 0);
		assert_int_equal(path[i].count, 1);
		assert_int_equal(wt_graph_add(w.graph, path[i].stage[0]), 0);
		wt_graph_join(w.graph, wt_host_node(w.host[i]), 0, path[i].stage[0], 0);
		wt_graph_join(w.graph, path[i].stage[0], 1, wt_host_node(w.host[!i]), 0);
	}
}

static int setup(void **state)
{
	setup_hosts("delay 1ms");
	return 0;
}

static int teardown(void **state)
{
	const struct wt_node *broken = NULL;
	bool owned = wt_host_node(w.host[0])->ops->destroy != NULL;

	wt_bulk_serve_stop(&w.server);
	assert_true(wt_graph_audit(w.graph, &broken));
	wt_graph_destroy(w.graph);
	for (unsigned i = 0; i < 2 && !owned; i++)
		wt_host_destroy(w.host[i]);
	assert_int_equal(wt_pool_free_count(w.pool), wt_pool_count(w.pool));
	wt_pool_destroy(w.pool);
	return 0;
}

static void on_receiver_done(void *arg, struct wt_bulk_receiver *receiver)
{
	w.receivers_done++;
	w.last = *receiver;
}

static void on_sender_done(void *arg, struct wt_bulk_sender *sender)
{
	w.senders_done++;
	assert_null(sender->tcp);
	wt_bulk_send_finish(sender);
}

static void sink(void *arg, struct wt_bulk_receiver *receiver, const uint8_t *data, size_t len)
{
	assert_true(w.sunk_len + len <= sizeof(w.sunk));
	memcpy(w.sunk + w.sunk_len, data, len);
	w.sunk_len += len;
}

static void serve(struct wt_bulk_serve_config config)
{
	config.on_done = on_receiver_done;
	assert_int_equal(wt_bulk_serve(&w.server, &config, w.host[1], PORT, &w.tcp), 0);
	wt_graph_touch(w.graph, wt_host_node(w.host[1]));
}

static void start(struct wt_bulk_sender *sender, struct wt_bulk_send_config config, uint16_t port)
{
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), port};

	config.on_done = on_sender_done;
	assert_int_equal(wt_bulk_send(sender, &config, w.host[0], &remote, 0, &w.tcp, wt_graph_now(w.graph)), 0);
	wt_graph_touch(w.graph, wt_host_node(w.host[0]));
}

static void run_for(wt_time time)
{
	wt_vloop_run(w.graph, wt_graph_now(w.graph) + time, NULL);
}

/* ---- the protocol ------------------------------------------------------------------------------------- */

static void both_ends_agree_on_what_was_sent_and_when(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){0});
	start(&sender, (struct wt_bulk_send_config){.size = 100000, .seed = 9}, PORT);
	run_for(20 * WT_S);
	assert_int_equal(sender.fail, WT_BULK_OK);
	assert_true(w.senders_done == 1 && w.receivers_done == 1);
	assert_true(sender.got_result && sender.result.verified && sender.result.bytes == 100000);
	assert_true(w.last.result.verified && w.last.fail == WT_BULK_OK);
	assert_string_equal(sender.result.receiver, "standard");
	/* one wire is 1 ms: the SYN-ACK is back after 2 */
	assert_true(sender.start == 0 && sender.connected == 2 * WT_MS);
	assert_true(sender.acked > sender.connected && sender.end >= sender.acked);
	assert_true(wt_bulk_goodput(&sender) == 100000 * 1e9 / (double)sender.acked);
}

static void nobody_listening_is_connection_refused(void **state)
{
	struct wt_bulk_sender sender;

	start(&sender, (struct wt_bulk_send_config){.size = 10}, PORT);
	run_for(WT_S);
	assert_int_equal(sender.fail, WT_BULK_CONNECT);
	assert_int_equal(sender.error, -ECONNREFUSED);
	assert_true(wt_bulk_goodput(&sender) == 0);
}

static void a_stranger_at_the_receiver_is_reset(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){0});
	start(&sender, (struct wt_bulk_send_config){.size = 5000, .raw = true}, PORT); /* no request */
	run_for(30 * WT_S);
	assert_int_equal(w.last.fail, WT_BULK_PROTOCOL);
	assert_int_equal(sender.fail, WT_BULK_BROKEN);
	assert_int_equal(sender.error, -ECONNRESET);
}

static void a_stranger_that_says_less_than_a_request_is_no_transfer(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){0});
	start(&sender, (struct wt_bulk_send_config){.size = 10, .raw = true}, PORT);
	run_for(30 * WT_S);
	assert_int_equal(w.last.fail, WT_BULK_PROTOCOL);
	assert_int_equal(w.server.count, 0);
}

static void a_receiver_that_answers_nothing_is_a_failure_for_the_sender(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){.raw = true}); /* takes anything, tells nothing */
	start(&sender, (struct wt_bulk_send_config){.size = 5000}, PORT);
	run_for(30 * WT_S);
	assert_int_equal(sender.fail, WT_BULK_PROTOCOL);
	assert_false(sender.got_result);
}

/* ---- raw ---------------------------------------------------------------------------------------------- */

static size_t source(void *arg, uint8_t *data, size_t len)
{
	size_t *left = arg, n = *left < len ? *left : len;

	memset(data, 'x', n);
	*left -= n;
	return n;
}

static void raw_streams_carry_the_sources_bytes_and_nothing_else(void **state)
{
	struct wt_bulk_sender sender;
	size_t left = 70000;

	serve((struct wt_bulk_serve_config){.raw = true, .sink = sink});
	start(&sender, (struct wt_bulk_send_config){.raw = true, .source = source, .arg = &left}, PORT);
	run_for(30 * WT_S);
	assert_int_equal(sender.fail, WT_BULK_OK);
	assert_int_equal(w.sunk_len, 70000);
	for (size_t i = 0; i < w.sunk_len; i++)
		assert_int_equal(w.sunk[i], 'x');
	assert_false(w.last.result.compared);
	assert_int_equal(w.last.fail, WT_BULK_OK);
}

static void a_raw_receiver_that_knows_the_seed_finds_the_first_wrong_byte(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){.raw = true, .raw_compare = true, .raw_seed = 2});
	start(&sender, (struct wt_bulk_send_config){.raw = true, .size = 50000, .seed = 2}, PORT);
	run_for(30 * WT_S);
	assert_true(w.last.result.compared && w.last.result.verified);
	start(&sender, (struct wt_bulk_send_config){.raw = true, .size = 50000, .seed = 3}, PORT);
	run_for(30 * WT_S);
	assert_int_equal(w.last.fail, WT_BULK_MISMATCH);
	assert_true(w.last.result.bad_at < 8);
}

/* ---- ending early ------------------------------------------------------------------------------------- */

static void a_stopped_sender_ends_in_order_and_says_so(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){0});
	start(&sender, (struct wt_bulk_send_config){.size = 1ull << 40}, PORT);
	run_for(200 * WT_MS);
	wt_bulk_send_stop(&sender);
	wt_graph_touch(w.graph, wt_host_node(w.host[0]));
	run_for(60 * WT_S);
	assert_int_equal(sender.fail, WT_BULK_CANCELLED);
	assert_true(sender.got_result && sender.result.bytes == sender.written);
	assert_false(sender.result.verified); /* shorter than announced */
	assert_true(sender.result.bad_at == sender.written);
	assert_int_equal(w.last.fail, WT_BULK_SHORT); /* and not: other bytes than were sent */
}

static void a_cancelled_sender_resets(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){0});
	start(&sender, (struct wt_bulk_send_config){.size = 1ull << 40}, PORT);
	run_for(100 * WT_MS);
	wt_bulk_send_cancel(&sender, wt_graph_now(w.graph));
	wt_graph_touch(w.graph, wt_host_node(w.host[0]));
	run_for(WT_S);
	assert_int_equal(sender.fail, WT_BULK_CANCELLED);
	assert_int_equal(w.last.fail, WT_BULK_BROKEN);
	assert_int_equal(w.last.error, -ECONNRESET);
}

static void a_connection_more_than_allowed_is_reset_and_the_others_go_on(void **state)
{
	static struct wt_bulk_sender sender[3];

	serve((struct wt_bulk_serve_config){.max = 2});
	for (unsigned i = 0; i < 2; i++)
		start(&sender[i], (struct wt_bulk_send_config){.time = WT_S}, PORT);
	run_for(100 * WT_MS);
	start(&sender[2], (struct wt_bulk_send_config){.time = WT_S}, PORT);
	run_for(60 * WT_S);
	assert_int_equal(sender[0].fail, WT_BULK_OK);
	assert_int_equal(sender[1].fail, WT_BULK_OK);
	assert_int_equal(sender[2].fail, WT_BULK_BROKEN);
	assert_int_equal(sender[2].error, -ECONNRESET);
	assert_int_equal(w.server.refused, 1);
	assert_int_equal(w.server.count, 0);
}

static void silent_peers_do_not_lock_a_sender_out(void **state)
{
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), PORT};
	struct wt_bulk_sender sender, second;

	serve((struct wt_bulk_serve_config){.max = 64});
	for (unsigned i = 0; i < 64; i++)
		assert_non_null(wt_tcp_connect(w.host[0], &remote, NULL, &w.tcp, wt_graph_now(w.graph)));
	wt_graph_touch(w.graph, wt_host_node(w.host[0]));
	run_for(WT_S);
	assert_int_equal(w.server.count, 64);
	start(&sender, (struct wt_bulk_send_config){.size = 100000}, PORT);
	start(&second, (struct wt_bulk_send_config){.size = 100000}, PORT);
	run_for(20 * WT_S);
	assert_int_equal(sender.fail, WT_BULK_OK);
	assert_int_equal(second.fail, WT_BULK_OK);
	assert_int_equal(w.server.evicted, 2);
	assert_int_equal(w.server.refused, 0);
	assert_int_equal(w.server.count, 62);
}

static void who_spoke_lately_keeps_its_place_and_who_fell_silent_loses_it(void **state)
{
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), PORT};
	struct wt_bulk_sender late;
	struct wt_tcp *tcp;

	w.tcp.settings.keepalive = WT_S; /* time stands still where nothing happens; a probe is no word */
	serve((struct wt_bulk_serve_config){.max = 1, .raw = true});
	tcp = wt_tcp_connect(w.host[0], &remote, NULL, &w.tcp, 0);
	assert_int_equal(wt_tcp_write(tcp, "hello", 5), 5);
	wt_graph_touch(w.graph, wt_host_node(w.host[0]));
	run_for(5 * WT_S);
	start(&late, (struct wt_bulk_send_config){.size = 1000, .raw = true}, PORT);
	run_for(9 * WT_S);
	assert_int_equal(late.fail, WT_BULK_BROKEN);
	assert_int_equal(w.server.refused, 1);
	start(&late, (struct wt_bulk_send_config){.size = 1000, .raw = true}, PORT);
	run_for(2 * WT_S);
	assert_int_equal(late.fail, WT_BULK_OK);
	assert_int_equal(w.server.evicted, 1);
	assert_int_equal(wt_tcp_error(tcp), -ECONNRESET);
}

static void a_stopped_server_resets_what_is_open(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){0});
	start(&sender, (struct wt_bulk_send_config){.size = 1ull << 40}, PORT);
	run_for(100 * WT_MS);
	wt_bulk_serve_stop(&w.server);
	wt_graph_touch(w.graph, wt_host_node(w.host[1]));
	run_for(WT_S);
	assert_int_equal(w.last.fail, WT_BULK_CANCELLED);
	assert_int_equal(sender.fail, WT_BULK_BROKEN);
}

static void nothing_to_bound_it_is_refused(void **state)
{
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), PORT};
	struct wt_bulk_send_config config = {0};
	struct wt_bulk_sender sender;

	assert_int_equal(wt_bulk_send(&sender, &config, w.host[0], &remote, 0, &w.tcp, 0), -EINVAL);
}

/* ---- intervals ---------------------------------------------------------------------------------------- */

static void on_interval(void *arg, const struct wt_bulk_interval *interval)
{
	assert_true(interval->to - interval->from == 50 * WT_MS);
	assert_true(interval->total == w.interval_bytes + interval->bytes);
	w.interval_bytes = interval->total;
	w.intervals++;
}

static void intervals_follow_each_other_and_add_up(void **state)
{
	struct wt_bulk_sender sender;

	serve((struct wt_bulk_serve_config){0});
	start(&sender, (struct wt_bulk_send_config){.time = WT_S, .interval = 50 * WT_MS, .on_interval = on_interval}, PORT);
	run_for(60 * WT_S);
	assert_int_equal(sender.fail, WT_BULK_OK);
	assert_true(w.intervals >= 20);
	assert_true(w.interval_bytes > 0 && w.interval_bytes <= sender.written);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(both_ends_agree_on_what_was_sent_and_when),
		TEST(nobody_listening_is_connection_refused),
		TEST(a_stranger_at_the_receiver_is_reset),
		TEST(a_stranger_that_says_less_than_a_request_is_no_transfer),
		TEST(a_receiver_that_answers_nothing_is_a_failure_for_the_sender),
		TEST(raw_streams_carry_the_sources_bytes_and_nothing_else),
		TEST(a_raw_receiver_that_knows_the_seed_finds_the_first_wrong_byte),
		TEST(a_stopped_sender_ends_in_order_and_says_so),
		TEST(a_cancelled_sender_resets),
		TEST(a_connection_more_than_allowed_is_reset_and_the_others_go_on),
		TEST(silent_peers_do_not_lock_a_sender_out),
		TEST(who_spoke_lately_keeps_its_place_and_who_fell_silent_loses_it),
		TEST(a_stopped_server_resets_what_is_open),
		TEST(nothing_to_bound_it_is_refused),
		TEST(intervals_follow_each_other_and_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
