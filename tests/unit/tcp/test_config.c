/* SPDX-License-Identifier: BSD-2-Clause */
/* What connections choose is held once for all that chose the same, changed for one of them alone, and given back with the last one. */
#include <errno.h>

#include "tests/unit/tcp/forged.h"

#define CALLS 100

static struct wt_host *make(struct wt_pool *pool, uint64_t memory)
{
	struct wt_host_config config = {
		.name = "host", .mac = our_mac, .addr = wt_addr_ipv4(10, 0, 0, 1), .prefix_len = 24, .secret = wt_key_derive(1, "config"),
		.pool = pool, .memory = memory,
	};

	return wt_host_create(&config);
}

static struct wt_tcp *call(struct wt_host *host, const struct wt_tcp_config *config)
{
	return wt_tcp_connect(host, &(struct wt_endpoint){wt_addr_ipv4(10, 0, 0, 2), 80}, NULL, config, WT_S);
}

static void choose(struct wt_tcp_config *config, const char *sender)
{
	wt_tcp_config_init(config);
	assert_int_equal(wt_sender_choose(sender, &config->sender, NULL, 0), 0);
}

static void connections_that_chose_the_same_share_it(void **state)
{
	struct wt_pool *pool = wt_pool_create(16, 2048);
	struct wt_host *host = make(pool, 0);
	struct wt_tcp_config plain, again, gentle, other;
	struct wt_tcp *first, *calls[CALLS];
	uint64_t each;

	choose(&plain, "cubic");
	choose(&again, "cubic:beta=70%"); /* its default, written out */
	choose(&gentle, "cubic:beta=80%");
	choose(&other, "reno");
	again.arg = &again; /* whom to call is the connection's own */
	first = call(host, &plain);
	each = wt_host_memory(host);
	for (unsigned i = 0; i < CALLS; i++) {
		calls[i] = call(host, i % 2 ? &again : &plain);
		assert_ptr_equal(wt_tcp_get_config(calls[i]), wt_tcp_get_config(first));
	}
	each = (wt_host_memory(host) - each) / CALLS;
	assert_true(each < sizeof(struct wt_tcp_config) + sizeof(struct wt_tcp));
	assert_ptr_not_equal(wt_tcp_get_config(call(host, &gentle)), wt_tcp_get_config(first));
	assert_ptr_not_equal(wt_tcp_get_config(call(host, &other)), wt_tcp_get_config(first));
	plain.settings.ack_every = 1;
	assert_ptr_not_equal(wt_tcp_get_config(call(host, &plain)), wt_tcp_get_config(first));
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

static void a_change_is_of_one_connection_and_memory_comes_back(void **state)
{
	struct wt_pool *pool = wt_pool_create(16, 2048);
	struct wt_host *host = make(pool, 0);
	struct wt_node *node = wt_host_node(host);
	struct wt_tcp_settings settings;
	struct wt_tcp_config config;
	struct wt_tcp *calls[3];
	uint64_t shared;
	unsigned port;

	choose(&config, "cubic");
	for (unsigned i = 0; i < 3; i++)
		calls[i] = call(host, &config);
	shared = wt_host_memory(host);
	settings = config.settings;
	settings.nagle = 0;
	assert_int_equal(wt_tcp_adjust(calls[0], &settings), 0);
	assert_int_equal(wt_tcp_get_config(calls[0])->settings.nagle, 0);
	assert_int_equal(wt_tcp_get_config(calls[1])->settings.nagle, 1);
	assert_int_equal(wt_tcp_adjust(calls[2], &settings), 0);
	assert_ptr_equal(wt_tcp_get_config(calls[0]), wt_tcp_get_config(calls[2]));
	choose(&config, "vegas");
	assert_int_equal(wt_tcp_exchange_sender(calls[2], &config.sender), 0);
	assert_string_equal(wt_tcp_get_config(calls[2])->sender.ops->name, "vegas");
	assert_string_equal(wt_tcp_get_config(calls[1])->sender.ops->name, "cubic");
	assert_int_equal(wt_tcp_get_config(calls[2])->settings.nagle, 0);
	choose(&config, "cubic");
	settings.nagle = 1;
	assert_int_equal(wt_tcp_exchange_sender(calls[2], &config.sender), 0);
	assert_int_equal(wt_tcp_adjust(calls[2], &settings), 0);
	assert_int_equal(wt_tcp_adjust(calls[0], &settings), 0);
	assert_ptr_equal(wt_tcp_get_config(calls[0]), wt_tcp_get_config(calls[1]));
	assert_int_equal(wt_host_memory(host), shared);
	for (unsigned i = 0; i < 3; i++)
		wt_tcp_abort(calls[i]);
	node->ops->output(node, WT_S, &port); /* they leave its queue */
	assert_int_equal(wt_host_memory(host), 0);
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

static struct wt_tcp *accepted(struct wt_host *host, struct wt_tcp *listener, uint16_t port)
{
	struct wt_tuple tuple = {{wt_addr_ipv4(10, 0, 0, 1), 80}, {wt_addr_ipv4(10, 0, 0, 2), port}};
	struct wt_tcp_header seg = {.src_port = port, .dst_port = 80, .seq = 1000, .flags = WT_SYN, .window = 65535};
	struct wt_syn *syn;

	forge(host, WT_S, &seg, 0);
	syn = half_open(host, &tuple);
	assert_non_null(syn);
	seg.seq++;
	seg.flags = WT_ACK;
	seg.ack = syn->iss + 1;
	forge(host, WT_S, &seg, 0);
	return wt_tcp_accept(listener);
}

static void nothing(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
}

static void what_is_accepted_shares_with_its_listener_as_it_is_then(void **state)
{
	struct wt_pool *pool = wt_pool_create(64, 2048);
	struct wt_host *host = make(pool, 0);
	struct wt_tcp *listener, *before, *after;
	struct wt_tcp_config config;

	choose(&config, "cubic");
	config.callback = nothing;
	config.arg = &config;
	listener = wt_tcp_listen(host, &(struct wt_endpoint){.port = 80}, 8, &config);
	before = accepted(host, listener, 1025);
	assert_ptr_equal(wt_tcp_get_config(before), wt_tcp_get_config(listener));
	assert_ptr_equal(before->callback, nothing);
	assert_ptr_equal(before->arg, &config);
	choose(&config, "reno");
	assert_int_equal(wt_tcp_exchange_sender(listener, &config.sender), 0);
	after = accepted(host, listener, 1026);
	assert_ptr_equal(wt_tcp_get_config(after), wt_tcp_get_config(listener));
	assert_string_equal(wt_tcp_get_config(after)->sender.ops->name, "reno");
	assert_string_equal(wt_tcp_get_config(before)->sender.ops->name, "cubic");
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

static void without_memory_for_a_change_nothing_changes(void **state)
{
	struct wt_pool *pool = wt_pool_create(16, 2048);
	struct wt_host *host = make(pool, 1 << 20);
	const struct wt_tcp_config *chosen;
	struct wt_tcp_settings settings;
	struct wt_tcp_config config;
	struct wt_tcp *tcp;
	uint64_t rest;

	choose(&config, "cubic");
	tcp = call(host, &config);
	call(host, &config);
	chosen = wt_tcp_get_config(tcp);
	settings = config.settings;
	settings.nagle = 0;
	rest = (1 << 20) - wt_host_memory(host);
	assert_true(wt_chunks_charge(host->tcp.chunks, rest));
	assert_int_equal(wt_tcp_adjust(tcp, &settings), -ENOMEM);
	choose(&config, "reno");
	assert_int_equal(wt_tcp_exchange_sender(tcp, &config.sender), -ENOMEM);
	assert_ptr_equal(wt_tcp_get_config(tcp), chosen);
	wt_chunks_uncharge(host->tcp.chunks, rest);
	assert_int_equal(wt_tcp_adjust(tcp, &settings), 0);
	assert_int_equal(wt_tcp_get_config(tcp)->settings.nagle, 0);
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

static void leave_at(struct wt_node *node, wt_time now)
{
	struct wt_frame *frame;
	unsigned port;

	while ((frame = node->ops->output(node, now, &port)))
		wt_frame_free(frame);
}

static void a_user_timeout_that_is_set_later_counts_from_when_the_waiting_began(void **state)
{
	struct wt_pool *pool = wt_pool_create(16, 2048);
	struct wt_host *host = make(pool, 0);
	struct wt_node *node = wt_host_node(host);
	struct wt_tcp_settings settings;
	struct wt_tcp_config config;
	struct wt_tcp *tcp;

	choose(&config, "cubic");
	tcp = call(host, &config); /* at one second */
	leave_at(node, WT_S);
	settings = config.settings;
	settings.user_timeout = WT_S / 2;
	assert_int_equal(wt_tcp_adjust(tcp, &settings), 0);
	leave_at(node, WT_S);
	assert_int_equal(node->ops->deadline(node), WT_S + WT_S / 2);
	settings.user_timeout = 0;
	assert_int_equal(wt_tcp_adjust(tcp, &settings), 0);
	leave_at(node, WT_S);
	assert_true(node->ops->deadline(node) > WT_S + WT_S / 2);
	settings.user_timeout = WT_S / 4;
	assert_int_equal(wt_tcp_adjust(tcp, &settings), 0);
	leave_at(node, WT_S + WT_S / 4);
	assert_int_equal(wt_tcp_error(tcp), -ETIMEDOUT);
	wt_host_destroy(host);
	wt_pool_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_that_chose_the_same_share_it),
		cmocka_unit_test(a_change_is_of_one_connection_and_memory_comes_back),
		cmocka_unit_test(what_is_accepted_shares_with_its_listener_as_it_is_then),
		cmocka_unit_test(a_user_timeout_that_is_set_later_counts_from_when_the_waiting_began),
		cmocka_unit_test(without_memory_for_a_change_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
