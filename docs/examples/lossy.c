/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two hosts over a lossy path, in memory and in virtual time: no privilege, no device, no waiting.
 *
 *   cc lossy.c $(pkg-config --cflags --libs wavetank) -o lossy && ./lossy [CAPTURE.pcapng]
 *
 * Sends 1 MB from a to b, compares what arrives, and prints when it was there. It prints the same each time.
 */
#include <stdio.h>
#include <string.h>

#include <wavetank/capture.h>
#include <wavetank/host.h>
#include <wavetank/path.h>
#include <wavetank/virtual.h>

#define SIZE 1000000u
#define CHUNK 16384u

struct run {
	size_t written, got, wrong, drops;
	bool done;
};

static unsigned char byte_at(size_t i)
{
	return (unsigned char)(i * 131 + i / 251);
}

static void on_server(void *arg, struct wt_lib_tcp *tcp, unsigned events, wt_time now)
{
	struct run *run = (struct run *)arg;
	unsigned char data[CHUNK];
	struct wt_lib_tcp *child;
	ssize_t n;

	(void)now;
	if (events & WT_LIB_TCP_ACCEPT) {
		while ((child = wt_lib_tcp_accept(tcp, on_server, arg)))
			on_server(arg, child, WT_LIB_TCP_READABLE, now);
		return;
	}
	while ((n = wt_lib_tcp_read(tcp, data, sizeof(data))) > 0)
		for (ssize_t i = 0; i < n; i++, run->got++)
			run->wrong += data[i] != byte_at(run->got);
	if (n == 0) { /* the peer's FIN: all is here */
		run->done = true;
		wt_lib_tcp_close(tcp);
	}
}

static void on_client(void *arg, struct wt_lib_tcp *tcp, unsigned events, wt_time now)
{
	struct run *run = (struct run *)arg;
	unsigned char data[CHUNK];
	ssize_t n;

	(void)now;
	if (!(events & (WT_LIB_TCP_CONNECTED | WT_LIB_TCP_WRITABLE)))
		return;
	while (run->written < SIZE) {
		size_t len = SIZE - run->written < CHUNK ? SIZE - run->written : CHUNK;

		for (size_t i = 0; i < len; i++)
			data[i] = byte_at(run->written + i);
		n = wt_lib_tcp_write(tcp, data, len);
		if (n <= 0)
			return; /* full: WT_LIB_TCP_WRITABLE comes when there is room */
		run->written += (size_t)n;
	}
	wt_lib_tcp_shutdown(tcp);
}

static void on_drop(void *arg, const struct wt_lib_node *node, wt_time now, struct wt_lib_frame *frame, const char *cause)
{
	struct run *run = (struct run *)arg;

	(void)node, (void)now, (void)frame, (void)cause;
	run->drops++;
}

static struct wt_lib_host *make_host(struct wt_lib_graph *graph, const char *name, const char *address, char *err)
{
	struct wt_lib_host_config config;

	wt_lib_host_config_init(&config);
	config.name = name;
	config.address = address;
	config.seeded = true;
	config.seed = 1;
	return wt_lib_host_create(graph, &config, err, WT_LIB_ERR);
}

/* a, and its capture where one is wanted, at one end of the link; b at the other. */
static bool build(struct wt_lib_graph *graph, struct wt_lib_host *a, struct wt_lib_host *b, const char *file, char *err)
{
	static const char *const point[] = {"a"};
	struct wt_lib_node *end = wt_lib_host_node(a);
	struct wt_lib_capture *capture;
	unsigned port = 0;

	if (file) {
		capture = wt_lib_capture_open(graph, file, point, 1, err, WT_LIB_ERR);
		if (!capture)
			return false;
		end = wt_lib_capture_tap(capture, "a");
		wt_lib_graph_join(graph, wt_lib_host_node(a), 0, end, 0);
		port = 1;
	}
	return wt_lib_link_create(graph, "path", end, port, wt_lib_host_node(b), 0, "rate 10Mbit burst 0B limit 64KB delay 15ms loss 1%",
			       "delay 15ms", 1, err, WT_LIB_ERR) != NULL;
}

int main(int argc, char **argv)
{
	struct wt_lib_graph *graph = wt_lib_graph_create(0);
	struct run run;
	struct wt_lib_tcp_config config;
	struct wt_lib_endpoint to;
	struct wt_lib_host *a, *b;
	wt_time end;
	char err[WT_LIB_ERR] = "out of memory";

	memset(&run, 0, sizeof(run));
	a = graph ? make_host(graph, "a", "10.0.0.1/24", err) : NULL;
	b = a ? make_host(graph, "b", "10.0.0.2/24", err) : NULL;
	if (!b || !build(graph, a, b, argc > 1 ? argv[1] : NULL, err)) {
		fprintf(stderr, "lossy: %s\n", err);
		wt_lib_graph_destroy(graph);
		return 1;
	}
	wt_lib_graph_check(graph, true);
	wt_lib_graph_on_drop(graph, on_drop, &run);
	wt_lib_tcp_config_init(&config);
	config.sender = "cubic";
	config.callback = on_server;
	config.arg = &run;
	wt_lib_tcp_listen(b, 80, 5, &config, err, sizeof(err));
	config.callback = on_client;
	wt_lib_endpoint_parse("10.0.0.2:80", &to);
	wt_lib_tcp_connect(a, &to, &config, err, sizeof(err));
	end = wt_lib_virtual_run(graph, 60 * WT_S, &run.done);
	printf("%zu bytes, %zu wrong, %zu frames lost, %.6f s\n", run.got, run.wrong, run.drops, (double)end / 1e9);
	end = wt_lib_graph_audit(graph, NULL) && run.got == SIZE && !run.wrong ? 0 : 1;
	wt_lib_graph_destroy(graph);
	return (int)end;
}
