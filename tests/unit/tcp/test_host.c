/* SPDX-License-Identifier: BSD-2-Clause */
/* What a host is made of, and what it refuses to be made of; a receiver module that lowers the window. */
#include <errno.h>

#include "tests/unit/tcp/forged.h"

static struct wt_host_config host_config(void)
{
	return (struct wt_host_config){
		.name = "host",
		.mac = our_mac,
		.addr = wt_addr_ipv4(10, 0, 0, 1),
		.prefix_len = 24,
		.secret = {1, 2},
		.neighbours = {{wt_addr_ipv4(10, 0, 0, 2), peer_mac}},
	};
}

static unsigned drain(struct wt_host *host, wt_time now)
{
	struct wt_node *node = wt_host_node(host);
	struct wt_frame *frame;
	unsigned port, count = 0;

	while ((frame = node->ops->output(node, now, &port))) {
		assert_true(frame->len <= host->config.mtu + WT_ETH_HEADER);
		wt_frame_free(frame);
		count++;
	}
	return count;
}

static void a_name_may_fill_its_field(void **state)
{
	struct wt_host_config config = host_config();
	struct wt_host *host;

	memset(config.name, 'n', sizeof(config.name)); /* no room for an end */
	host = wt_host_create(&config);
	assert_non_null(host);
	assert_int_equal(strlen(wt_host_node(host)->name), sizeof(config.name));
	wt_host_destroy(host);
}

/* A connection to 10.0.0.2:80 with timestamps and SACK. */
static struct wt_tcp *connected(struct wt_host *host, const struct wt_tcp_config *config)
{
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), 80};
	struct wt_tcp *tcp = wt_tcp_connect(host, &remote, &(struct wt_endpoint){.port = 5000}, config, 1);
	struct wt_tcp_header seg = {
		.src_port = 80,
		.dst_port = 5000,
		.seq = 1000,
		.flags = WT_SYN | WT_ACK,
		.window = 65535,
		.has_mss = true,
		.mss = 1460,
		.has_sack_permitted = true,
		.has_ts = true,
		.tsval = 1,
	};

	assert_non_null(tcp);
	drain(host, 1);
	seg.ack = tcp->snd_nxt;
	seg.tsecr = tcp->ts_offset;
	forge(host, 1, &seg, 0);
	drain(host, 1);
	assert_int_equal(tcp->state, WT_TCP_ESTABLISHED);
	return tcp;
}

static void flagged_at(struct wt_host *host, struct wt_tcp *tcp, wt_seq seq, uint32_t len, uint8_t flags)
{
	struct wt_tcp_header seg = {.src_port = 80, .dst_port = 5000, .seq = seq, .ack = tcp->snd_nxt, .flags = WT_ACK | flags,
				    .window = 65535, .has_ts = true, .tsval = 1, .tsecr = tcp->ts_offset};

	forge(host, 1, &seg, len);
}

static void data_at(struct wt_host *host, struct wt_tcp *tcp, wt_seq seq, uint32_t len)
{
	flagged_at(host, tcp, seq, len, 0);
}

static void the_least_mtu_leaves_room_beside_every_option(void **state)
{
	struct wt_host_config config = host_config();
	struct wt_tcp_config choice;
	struct wt_host *host;
	struct wt_tcp *tcp;
	uint8_t bytes[1000] = {0};

	wt_tcp_config_init(&choice);
	config.mtu = WT_HOST_MTU_MIN - 1;
	errno = 0;
	assert_null(wt_host_create(&config));
	assert_int_equal(errno, EINVAL);
	config.mtu = WT_HOST_MTU_MIN;
	config.pool = wt_pool_create(64, 2048);
	host = wt_host_create(&config);
	assert_non_null(host);
	tcp = connected(host, &choice);
	for (uint32_t i = 1; i <= 4; i++) {
		data_at(host, tcp, tcp->rcv_nxt + 2 * i, 1);
		drain(host, 1);
	}
	assert_int_equal(wt_tcp_write(tcp, bytes, sizeof(bytes)), sizeof(bytes)); /* beside three blocks and a timestamp */
	assert_true(drain(host, 1) >= 5);
	wt_tcb_check(tcp);
	wt_host_destroy(host);
	wt_pool_destroy(config.pool);
}

/* Where the ACK of two full segments goes. What is written, and an ACK with blocks, has no template. */
static struct wt_mac way_of_ack(struct wt_host *host, struct wt_tcp *tcp)
{
	struct wt_node *node = wt_host_node(host);
	struct wt_frame *frame;
	struct wt_mac to;
	unsigned port;

	for (unsigned i = 0; i < 2; i++)
		data_at(host, tcp, tcp->rcv_nxt, 1448);
	frame = node->ops->output(node, 1, &port);
	assert_non_null(frame);
	memcpy(to.bytes, wt_frame_head(frame), sizeof(to.bytes));
	wt_frame_free(frame);
	assert_int_equal(drain(host, 1), 0);
	return to;
}

/* What a connection remembers of the way of its segments holds no longer than what the host knows of its neighbours. */
static void a_neighbour_that_changes_is_found_by_open_connections(void **state)
{
	const struct wt_addr peer = wt_addr_ipv4(10, 0, 0, 2);
	const struct wt_mac other = {{2, 0, 0, 0, 0, 3}};
	struct wt_host_config config = host_config();
	struct wt_tcp_config choice;
	struct wt_host *host;
	struct wt_tcp *tcp;
	struct wt_mac to;

	wt_tcp_config_init(&choice);
	config.pool = wt_pool_create(64, 2048);
	host = wt_host_create(&config);
	assert_non_null(host);
	tcp = connected(host, &choice);
	for (unsigned i = 0; i < 3; i++) {
		to = way_of_ack(host, tcp);
		assert_memory_equal(&to, &peer_mac, sizeof(to));
	}
	assert_non_null(tcp->template); /* or there is nothing to forget */
	assert_true(wt_neighbours_add(&host->net.neighbours, 0, &peer, &other));
	for (unsigned i = 0; i < 3; i++) {
		to = way_of_ack(host, tcp);
		assert_memory_equal(&to, &other, sizeof(to));
	}
	wt_host_destroy(host);
	wt_pool_destroy(config.pool);
}

static void note_events(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	(void)tcp;
	(void)now;
	*(unsigned *)arg |= events;
}

/* What the application is told once a segment has come. */
static unsigned told(struct wt_host *host, unsigned *events)
{
	*events = 0;
	drain(host, 1);
	return *events;
}

static void bytes_are_pushed_by_their_sender_or_by_the_end_of_a_hole(void **state)
{
	struct wt_host_config config = host_config();
	struct wt_tcp_config choice;
	struct wt_host *host;
	struct wt_tcp *tcp;
	unsigned events;

	wt_tcp_config_init(&choice);
	config.pool = wt_pool_create(16, 2048);
	host = wt_host_create(&config);
	tcp = connected(host, &choice);
	wt_tcp_set_callback(tcp, note_events, &events);
	data_at(host, tcp, tcp->rcv_nxt, 100);
	told(host, &events); /* that it is connected as well */
	data_at(host, tcp, tcp->rcv_nxt, 100);
	assert_int_equal(told(host, &events), WT_TCP_EV_READABLE);
	flagged_at(host, tcp, tcp->rcv_nxt, 100, WT_PSH);
	assert_int_equal(told(host, &events), WT_TCP_EV_READABLE | WT_TCP_EV_PUSHED);
	flagged_at(host, tcp, tcp->rcv_nxt + 100, 100, WT_PSH);
	assert_int_equal(told(host, &events), 0);
	data_at(host, tcp, tcp->rcv_nxt, 100);
	assert_int_equal(told(host, &events), WT_TCP_EV_READABLE | WT_TCP_EV_PUSHED);
	data_at(host, tcp, tcp->rcv_nxt, 100);
	assert_int_equal(told(host, &events), WT_TCP_EV_READABLE);
	wt_host_destroy(host);
	wt_pool_destroy(config.pool);
}

static void offer_10_kb(void *receiver, const struct wt_rx_ack *ack, struct wt_rx_out *out)
{
	(void)receiver;
	(void)ack;
	out->window = 10000;
}

static void a_receiver_that_lowers_its_window_leaves_every_second_segment_unacknowledged(void **state)
{
	struct wt_host_config config = host_config();
	struct wt_tcp_config choice;
	struct wt_receiver_ops ops;
	struct wt_host *host;
	struct wt_tcp *tcp;
	uint8_t bytes[2000];
	unsigned acks = 0;

	wt_tcp_config_init(&choice);
	wt_receiver_choose("standard", &choice.receiver, NULL, 0);
	ops = *choice.receiver.ops;
	ops.on_ack_out = offer_10_kb;
	choice.receiver.ops = &ops;
	choice.settings.window_scaling = 0;
	config.pool = wt_pool_create(64, 2048);
	host = wt_host_create(&config);
	tcp = connected(host, &choice);
	/* the window of our SYN is used up first: the right edge never moves left */
	while (wt_seq_diff(tcp->rcv_adv, tcp->rcv_nxt) > 10000) {
		data_at(host, tcp, tcp->rcv_nxt, 1000);
		assert_true(wt_tcp_read(tcp, bytes, sizeof(bytes)) > 0);
		drain(host, 1);
	}
	for (unsigned i = 0; i < 100; i++) {
		data_at(host, tcp, tcp->rcv_nxt, 1000);
		assert_int_equal(wt_tcp_read(tcp, bytes, sizeof(bytes)), 1000);
		acks += drain(host, 1);
	}
	assert_in_range(acks, 49, 51);
	wt_host_destroy(host);
	wt_pool_destroy(config.pool);
}

/* The next segment that leaves: flags, and from where. */
static unsigned leaving(struct wt_host *host, struct wt_addr *from)
{
	struct wt_tcp_header seg = {0};
	struct wt_ipv4 ip;
	unsigned port;
	struct wt_frame *frame = wt_host_node(host)->ops->output(wt_host_node(host), 1, &port);

	assert_non_null(frame);
	assert_int_equal(wt_ipv4_parse(wt_frame_own_bytes(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, true, &ip), WT_IPV4_OK);
	assert_true(wt_tcp_parse(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD, (uint32_t)ip.total_len - ip.header_len, &seg));
	*from = ip.src;
	wt_frame_free(frame);
	return seg.flags;
}

static void each_address_of_a_host_has_connections_of_its_own(void **state)
{
	const struct wt_addr first = wt_addr_ipv4(10, 0, 0, 1), second = wt_addr_ipv4(10, 0, 0, 9), stranger = wt_addr_ipv4(10, 0, 0, 8);
	struct wt_endpoint remote = {wt_addr_ipv4(10, 0, 0, 2), 80};
	struct wt_tcp_header syn = {.src_port = 7000, .dst_port = 90, .seq = 1, .flags = WT_SYN, .window = 65535};
	struct wt_host_config config = host_config();
	struct wt_tcp_config choice;
	struct wt_host *host;
	struct wt_addr from;

	wt_tcp_config_init(&choice);
	config.pool = wt_pool_create(64, 2048);
	host = wt_host_create(&config);
	assert_int_equal(wt_host_add_address(host, &second, 24), 0);
	assert_int_equal(wt_host_add_address(host, &second, 24), -EEXIST);
	assert_int_equal(wt_host_add_address(host, &(struct wt_addr){WT_FAMILY_IPV4, {224, 0, 0, 1}}, 24), -EINVAL);
	/* both are from port 5000 to the same remote endpoint */
	assert_non_null(wt_tcp_connect(host, &remote, &(struct wt_endpoint){second, 5000}, &choice, 1));
	assert_int_equal(leaving(host, &from), WT_SYN);
	assert_true(wt_addr_eq(&from, &second));
	assert_non_null(wt_tcp_connect(host, &remote, &(struct wt_endpoint){.port = 5000}, &choice, 1));
	assert_int_equal(leaving(host, &from), WT_SYN);
	assert_true(wt_addr_eq(&from, &first));
	assert_null(wt_tcp_connect(host, &remote, &(struct wt_endpoint){second, 5000}, &choice, 1));
	assert_int_equal(errno, EADDRINUSE);
	assert_null(wt_tcp_connect(host, &remote, &(struct wt_endpoint){stranger, 5000}, &choice, 1));
	assert_int_equal(errno, EADDRNOTAVAIL);
	/* who listens at one address is not at the other */
	assert_null(wt_tcp_listen(host, &(struct wt_endpoint){stranger, 90}, 1, &choice));
	assert_int_equal(errno, EADDRNOTAVAIL);
	assert_non_null(wt_tcp_listen(host, &(struct wt_endpoint){second, 90}, 1, &choice));
	forge_between(host, remote.addr, first, 1, &syn, 0);
	assert_int_equal(leaving(host, &from), WT_RST | WT_ACK);
	assert_true(wt_addr_eq(&from, &first));
	forge_between(host, remote.addr, second, 1, &syn, 0);
	assert_int_equal(leaving(host, &from), WT_SYN | WT_ACK);
	assert_true(wt_addr_eq(&from, &second));
	wt_host_destroy(host);
	wt_pool_destroy(config.pool);
}

/* ---- without memory ------------------------------------------------------------------------------------------- */

/* A stranger's handshake, as far as it gets. */
static struct wt_tcp *shake_hands(struct wt_host *host, struct wt_tcp *listener, struct wt_tcp_header seg)
{
	const struct wt_tuple tuple = {{host->config.addr, seg.dst_port}, {wt_addr_ipv4(10, 0, 0, 2), seg.src_port}};
	struct wt_syn *syn;

	forge(host, 1, &seg, 0);
	drain(host, 1);
	syn = half_open(host, &tuple);
	if (!syn)
		return NULL;
	seg.flags = WT_ACK;
	seg.seq++;
	seg.ack = syn->iss + 1;
	forge(host, 1, &seg, 0);
	drain(host, 1);
	return wt_tcp_accept(listener);
}

/* Somewhere between too little for a listener and enough for a connection there is enough for all of it but the record of its SYN. */
static void a_host_that_can_pay_for_nothing_refuses_it(void **state)
{
	const struct wt_tcp_header syn = {.src_port = 7000, .dst_port = 90, .seq = 1, .flags = WT_SYN, .window = 65535};
	unsigned refused = 0, made = 0;

	for (uint64_t memory = 8000; memory < 40000; memory += 500) {
		struct wt_host_config config = host_config();
		struct wt_tcp_config choice;
		struct wt_tcp *listener;
		struct wt_host *host;

		wt_tcp_config_init(&choice);
		config.pool = wt_pool_create(64, 2048);
		config.memory = memory;
		host = wt_host_create(&config);
		assert_non_null(host);
		listener = wt_tcp_listen(host, &(struct wt_endpoint){.port = 90}, 1, &choice);
		if (listener && shake_hands(host, listener, syn))
			made++;
		else
			refused += listener != NULL;
		wt_host_destroy(host);
		wt_pool_destroy(config.pool);
	}
	assert_true(made && refused);
}

/* With a sanitizer too much is NULL, as without. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void say_nothing(void *module, unsigned attempt, struct wt_cc_option *option)
{
}

/* The timer runs all the same, and the next SYN-ACK leaves when it should. */
static void a_syn_ack_without_memory_for_its_modules_is_as_good_as_lost(void **state)
{
	struct wt_tcp_header syn = {.src_port = 7000, .dst_port = 90, .seq = 1, .flags = WT_SYN, .window = 65535};
	struct wt_host_config config = host_config();
	struct wt_tcp_config choice;
	struct wt_receiver_ops ops;
	struct wt_host *host;
	struct wt_node *node;
	size_t bytes;

	wt_tcp_config_init(&choice);
	assert_int_equal(wt_receiver_choose("standard", &choice.receiver, NULL, 0), 0);
	ops = *choice.receiver.ops;
	ops.on_syn_out = say_nothing;
	choice.receiver.ops = &ops;
	config.pool = wt_pool_create(64, 2048);
	host = wt_host_create(&config);
	node = wt_host_node(host);
	assert_non_null(wt_tcp_listen(host, &(struct wt_endpoint){.port = 90}, 1, &choice));
	bytes = ops.state_size;
	ops.state_size = (size_t)1 << 62;
	forge(host, 1, &syn, 0);
	assert_int_equal(drain(host, 1), 0);
	assert_int_equal(node->ops->deadline(node), choice.settings.rto_initial + 1);
	ops.state_size = bytes;
	assert_int_equal(drain(host, choice.settings.rto_initial), 0);
	assert_int_equal(drain(host, choice.settings.rto_initial + 1), 1);
	assert_int_equal(node->ops->deadline(node), 3 * choice.settings.rto_initial + 1);
	wt_host_destroy(host);
	wt_pool_destroy(config.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_may_fill_its_field),
		cmocka_unit_test(the_least_mtu_leaves_room_beside_every_option),
		cmocka_unit_test(a_neighbour_that_changes_is_found_by_open_connections),
		cmocka_unit_test(each_address_of_a_host_has_connections_of_its_own),
		cmocka_unit_test(bytes_are_pushed_by_their_sender_or_by_the_end_of_a_hole),
		cmocka_unit_test(a_host_that_can_pay_for_nothing_refuses_it),
		cmocka_unit_test(a_syn_ack_without_memory_for_its_modules_is_as_good_as_lost),
		cmocka_unit_test(a_receiver_that_lowers_its_window_leaves_every_second_segment_unacknowledged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
