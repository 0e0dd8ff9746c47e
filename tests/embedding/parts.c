/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of libwavetank that no example uses: nodes of one's own, timers, links that change, modules, worlds, refusals.
 * Built by embedding.py against the installed tree, as C and as C++. Prints "parts: ok". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wavetank/capture.h>
#include <wavetank/cc.h>
#include <wavetank/path.h>
#include <wavetank/real.h>
#include <wavetank/version.h>
#include <wavetank/virtual.h>
#include <wavetank/world.h>

#include <cc/module.h>

#define MUST(what)                                                                        \
	do {                                                                              \
		if (!(what)) {                                                            \
			fprintf(stderr, "parts: line %d: %s: %s\n", __LINE__, #what, err); \
			exit(1);                                                          \
		}                                                                         \
	} while (0)

static char err[WT_LIB_ERR];

/* ---- a node that holds every frame for a millisecond and drops every tenth that carries data ---------------------------- */

struct hold {
	struct wt_lib_frame *frame[64];
	wt_time due[64];
	unsigned port[64], head, tail, seen, big;
};

static void hold_input(void *arg, struct wt_lib_node *node, unsigned port, wt_time now, struct wt_lib_frame *frame)
{
	struct hold *hold = (struct hold *)arg;

	hold->seen++;
	if (wt_lib_frame_len(frame) > 200 && ++hold->big % 10 == 0) {
		wt_lib_node_drop(node, now, frame);
		return;
	}
	hold->frame[hold->tail % 64] = frame;
	hold->due[hold->tail % 64] = now + WT_MS;
	hold->port[hold->tail++ % 64] = !port;
}

static struct wt_lib_frame *hold_output(void *arg, struct wt_lib_node *node, wt_time now, unsigned *port)
{
	struct hold *hold = (struct hold *)arg;

	(void)node;
	if (hold->head == hold->tail || hold->due[hold->head % 64] > now)
		return NULL;
	*port = hold->port[hold->head % 64];
	return hold->frame[hold->head++ % 64];
}

static wt_time hold_deadline(void *arg)
{
	struct hold *hold = (struct hold *)arg;

	return hold->head == hold->tail ? WT_NEVER : hold->due[hold->head % 64];
}

static void hold_destroy(void *arg)
{
	struct hold *hold = (struct hold *)arg;

	for (; hold->head != hold->tail; hold->head++)
		wt_lib_frame_free(hold->frame[hold->head % 64]);
	free(hold);
}

static struct wt_lib_node_ops hold_ops(void)
{
	struct wt_lib_node_ops ops;

	memset(&ops, 0, sizeof(ops));
	ops.size = sizeof(ops);
	ops.input = hold_input;
	ops.output = hold_output;
	ops.deadline = hold_deadline;
	ops.destroy = hold_destroy;
	return ops;
}

static struct wt_lib_host *make_host(struct wt_lib_graph *graph, const char *name, const char *address)
{
	struct wt_lib_host_config config;

	wt_lib_host_config_init(&config);
	config.name = name;
	config.address = address;
	config.seeded = true;
	return wt_lib_host_create(graph, &config, err, sizeof(err));
}

static void count_bytes(void *arg, struct wt_lib_tcp *tcp, unsigned events, wt_time now)
{
	struct wt_lib_tcp *child;
	char data[4096];
	ssize_t n;

	(void)events, (void)now;
	while (events & WT_LIB_TCP_ACCEPT && (child = wt_lib_tcp_accept(tcp, count_bytes, arg)))
		count_bytes(arg, child, WT_LIB_TCP_READABLE, now);
	while (!(events & WT_LIB_TCP_ACCEPT) && (n = wt_lib_tcp_read(tcp, data, sizeof(data))) > 0)
		*(size_t *)arg += (size_t)n;
}

static unsigned fired;

static void on_fire(void *arg, wt_time now)
{
	MUST(now == 2 * WT_S && arg == &fired);
	fired++;
}

/* A sender of our own, so small that it is known what it does: two segments in flight. */
static void two_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	(void)params;
	*(uint32_t *)state = env->mss;
	out->cwnd = 2 * env->mss;
}

static void two_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	(void)ack;
	out->cwnd = 2 * *(uint32_t *)state;
}

static struct wt_cc_loadable own_module(struct wt_sender_ops *ops)
{
	static const struct wt_cc_loadable like = {WT_CC_ABI, WT_CC_SIZES, {WT_CC_SHARED(WT_CC_SIZE)}, NULL, NULL, NULL};
	struct wt_cc_loadable module = like;

	memset(ops, 0, sizeof(*ops));
	ops->name = "two";
	ops->text = "two segments";
	ops->state_size = sizeof(uint32_t);
	ops->init = two_init;
	ops->on_ack = two_ack;
	module.sender = ops;
	return module;
}

static void test_nodes(void)
{
	struct wt_lib_graph *graph = wt_lib_graph_create(0);
	struct hold *hold = (struct hold *)calloc(1, sizeof(*hold));
	struct wt_lib_node_ops ops = hold_ops();
	struct wt_lib_node *node = wt_lib_node_create(graph, "hold", 2, &ops, hold);
	struct wt_lib_host *a = make_host(graph, "a", "10.0.0.1/24"), *b = make_host(graph, "b", "10.0.0.2/24");
	struct wt_sender_ops two;
	struct wt_cc_loadable module = own_module(&two);
	struct wt_lib_tcp_config config;
	struct wt_lib_tcp_info info;
	struct wt_lib_endpoint to;
	struct wt_lib_timer *timer;
	struct wt_lib_books books;
	struct wt_lib_tcp *tcp;
	static char data[50000];
	size_t got = 0;

	MUST(node && a && b && !strcmp(wt_lib_node_name(node), "hold"));
	wt_lib_graph_check(graph, true);
	wt_lib_graph_join(graph, wt_lib_host_node(a), 0, node, 0);
	wt_lib_graph_join(graph, node, 1, wt_lib_host_node(b), 0);
	wt_lib_tcp_config_init(&config);
	config.callback = count_bytes;
	config.arg = &got;
	MUST(wt_lib_tcp_listen(b, 9, 1, &config, err, sizeof(err)));
	MUST(!wt_lib_tcp_listen(b, 9, 1, &config, err, sizeof(err)) && errno == EADDRINUSE);
	wt_lib_endpoint_parse("10.0.0.2:9", &to);
	config.callback = NULL;
	config.module = &module;
	tcp = wt_lib_tcp_connect(a, &to, &config, err, sizeof(err));
	MUST(tcp && wt_lib_tcp_write(tcp, data, sizeof(data)) == (ssize_t)sizeof(data));
	timer = wt_lib_timer_create(a, on_fire, &fired);
	MUST(timer && !wt_lib_timer_set(timer, 2 * WT_S));
	wt_lib_virtual_run(graph, 600 * WT_S, NULL);
	info.size = sizeof(info);
	MUST(!wt_lib_tcp_info(tcp, &info) && !strcmp(info.sender, "two") && info.bytes_acked == sizeof(data) && info.retransmits_segs > 0);
	info.size = 8;
	MUST(!wt_lib_tcp_info(tcp, &info) && info.size == 8);
	MUST(got == sizeof(data) && fired == 1 && wt_lib_graph_audit(graph, NULL));
	wt_lib_node_books(node, &books);
	MUST(books.in == hold->seen && books.dropped == hold->big / 10 && books.dropped >= 3 && books.in == books.out + books.dropped && !books.queued);
	module.abi++;
	MUST(!wt_lib_tcp_connect(a, &to, &config, err, sizeof(err)) && errno == EINVAL && strstr(err, "ABI"));
	wt_lib_timer_destroy(timer);
	wt_lib_tcp_close(tcp);
	wt_lib_graph_destroy(graph); /* with handles that nobody closed */
}

static void test_links(void)
{
	struct wt_lib_graph *graph = wt_lib_graph_create(100);
	struct wt_lib_host *a = make_host(graph, "a", "10.0.0.1/24"), *b = make_host(graph, "b", "10.0.0.2/24");
	struct wt_lib_node *x = wt_lib_host_node(a), *y = wt_lib_host_node(b);
	struct wt_lib_books books;
	struct wt_lib_frame *frame, *copy;
	struct wt_lib_link *link;

	MUST(!wt_lib_link_create(graph, "l", x, 0, y, 0, "delai 5ms", NULL, 1, err, sizeof(err)) && errno == EINVAL && strstr(err, "delay"));
	MUST(!wt_lib_link_create(graph, "toolongname", x, 0, y, 0, "", NULL, 1, err, sizeof(err)) && errno == EINVAL);
	link = wt_lib_link_create(graph, "l", x, 0, y, 0, "delay 5ms", NULL, 1, err, sizeof(err));
	MUST(link && !strcmp(wt_lib_link_words(link, false), "delay 5ms") && !*wt_lib_link_words(link, true));
	MUST(wt_lib_link_change(link, "loss 2", NULL, err, sizeof(err)) == -EINVAL && !strcmp(wt_lib_link_words(link, false), "delay 5ms"));
	MUST(!wt_lib_link_change(link, "delay 7ms", "loss 100%", err, sizeof(err)) && !strcmp(wt_lib_link_words(link, false), "delay 7ms"));
	frame = wt_lib_frame_new(wt_lib_graph_pool(graph), "0123456789abcdef", 16);
	MUST(frame && wt_lib_frame_len(frame) == 16 && !memcmp(wt_lib_frame_bytes(frame), "0123456789abcdef", 16));
	MUST(wt_lib_frame_resize(frame, 1 << 20) == -EMSGSIZE && !wt_lib_frame_resize(frame, 60));
	memset(wt_lib_frame_bytes(frame) + 16, 0, 44);
	copy = wt_lib_frame_copy(frame);
	MUST(copy && wt_lib_frame_len(copy) == 60 && wt_lib_frame_id(copy) != wt_lib_frame_id(frame) && wt_lib_pool_free_count(wt_lib_graph_pool(graph)) == 98);
	wt_lib_graph_input(graph, y, 0, frame); /* no Ethernet that a host knows: dropped there */
	wt_lib_frame_free(copy);
	wt_lib_virtual_run(graph, WT_S, NULL);
	wt_lib_link_books(link, false, &books);
	MUST(wt_lib_pool_free_count(wt_lib_graph_pool(graph)) == 100 && books.in == 0 && wt_lib_graph_deadline(graph) == WT_NEVER);
	wt_lib_node_books(y, &books);
	MUST(books.in == 1 && books.dropped == 1);
	wt_lib_graph_destroy(graph);
}

static void test_refusals(void)
{
	struct wt_lib_graph *graph = wt_lib_graph_create(100);
	struct wt_lib_node_ops ops = hold_ops();
	struct wt_lib_host_config config;
	struct wt_lib_tcp_config tcp;
	struct wt_lib_host *host;
	struct wt_lib_addr addr;
	struct wt_lib_endpoint to;

	wt_lib_host_config_init(&config);
	MUST(!wt_lib_host_create(graph, &config, err, sizeof(err)) && errno == EINVAL && strstr(err, "address"));
	config.address = "10.0.0.1/24";
	config.mtu = 20;
	MUST(!wt_lib_host_create(graph, &config, err, sizeof(err)) && errno == EINVAL && strstr(err, "MTU"));
	config.mtu = 0;
	config.size = 4;
	MUST(!wt_lib_host_create(graph, &config, NULL, 0) && errno == EINVAL);
	host = make_host(graph, "h", "10.0.0.1/24");
	wt_lib_tcp_config_init(&tcp);
	tcp.sender = "cubik";
	MUST(!wt_lib_tcp_listen(host, 1, 1, &tcp, err, sizeof(err)) && errno == EINVAL && strstr(err, "cubic"));
	MUST(!wt_lib_tcp_listen(host, 1, 1, &tcp, NULL, 0) && errno == EINVAL);
	ops.output = NULL;
	MUST(!wt_lib_node_create(graph, "n", 1, &ops, NULL) && errno == EINVAL);
	MUST(wt_lib_addr_parse("10.0.0", &addr) == -EINVAL && wt_lib_endpoint_parse("10.0.0.1", &to) == -EINVAL);
	MUST(wt_lib_endpoint_parse("10.0.0.1:65536", &to) == -EINVAL && !wt_lib_endpoint_parse("10.0.0.1:65535", &to) && to.port == 65535);
	wt_lib_graph_destroy(graph);
	wt_lib_graph_destroy(NULL);
}

static void test_world(const char *file)
{
	struct wt_lib_world *world = wt_lib_world_load(file, 1, err, sizeof(err));
	struct wt_lib_tcp_config config;
	struct wt_lib_endpoint to;
	struct wt_lib_tcp *tcp;
	size_t got = 0;

	MUST(world && wt_lib_world_hosts(world) == 2 && !wt_lib_world_host(world, "nobody"));
	wt_lib_tcp_config_init(&config);
	config.callback = count_bytes;
	config.arg = &got;
	MUST(wt_lib_tcp_listen(wt_lib_world_host(world, "b"), 9, 1, &config, err, sizeof(err)));
	to.port = 9;
	MUST(!wt_lib_world_address(world, "b", &to.addr));
	tcp = wt_lib_tcp_connect(wt_lib_world_host(world, "a"), &to, NULL, err, sizeof(err));
	MUST(tcp && wt_lib_tcp_write(tcp, err, sizeof(err)) == (ssize_t)sizeof(err));
	wt_lib_virtual_run(wt_lib_world_graph(world), 10 * WT_S, NULL);
	MUST(got == sizeof(err));
	wt_lib_world_destroy(world);
	MUST(!wt_lib_world_load("/nonexistent/world.conf", 1, err, sizeof(err)) && errno == EINVAL && *err);
}

static void test_real(void)
{
	struct wt_lib_graph *graph = wt_lib_graph_create(100);
	struct wt_lib_real *real = wt_lib_real_create(graph);
	struct wt_lib_host *a = make_host(graph, "a", "10.0.0.1/24"), *b = make_host(graph, "b", "10.0.0.2/24");
	struct wt_lib_tcp_config config;
	struct wt_lib_endpoint to;
	struct wt_lib_tcp *tcp;
	size_t got = 0;

	MUST(real && !wt_lib_real_create(graph) && errno == EBUSY && wt_lib_real_fd(real) >= 0);
	MUST(!wt_lib_tap_open(real, "a name that is too long", err, sizeof(err)) && *err);
	MUST(wt_lib_link_create(graph, "l", wt_lib_host_node(a), 0, wt_lib_host_node(b), 0, "delay 1ms", "delay 1ms", 1, err, sizeof(err)));
	wt_lib_tcp_config_init(&config);
	config.callback = count_bytes;
	config.arg = &got;
	MUST(wt_lib_tcp_listen(b, 9, 1, &config, err, sizeof(err)));
	wt_lib_endpoint_parse("10.0.0.2:9", &to);
	tcp = wt_lib_tcp_connect(a, &to, NULL, err, sizeof(err));
	MUST(tcp && wt_lib_tcp_write(tcp, err, sizeof(err)) == (ssize_t)sizeof(err));
	while (got < sizeof(err) && wt_lib_real_now(real) < 60 * WT_S)
		MUST(!wt_lib_real_turn(real));
	MUST(got == sizeof(err) && wt_lib_real_now(real) >= 4 * WT_MS);
	wt_lib_graph_destroy(graph);
}

int main(int argc, char **argv)
{
	const char *table = NULL;
	unsigned names = 0;

	while (wt_lib_cc_name(names, &table))
		names++;
	MUST(argc == 2 && names > 20 && !strcmp(table, "receiver") && wt_lib_cc_abi() == WT_CC_ABI && !strcmp(wt_lib_version(), WT_LIB_VERSION));
	test_nodes();
	test_links();
	test_refusals();
	test_world(argv[1]);
	test_real();
	printf("parts: ok\n");
	return 0;
}
