/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzz harness for a protocol of one's own: its parser meets every division of the stream into segments that a lossy path can make,
 * deterministically, a few thousand runs a second.
 *
 *   clang -g -fsanitize=fuzzer,address,undefined -DFUZZING fuzz.c $(pkg-config --cflags --libs wavetank) -o fuzz && ./fuzz
 *   cc -g fuzz.c $(pkg-config --cflags --libs wavetank) -o fuzz && ./fuzz FILE...       to run single inputs again
 *
 * The protocol: records of one length byte and as many bytes. Put your parser in place of `struct parser`. The property: what
 * the parser makes of the stream does not depend on how it was cut.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wavetank/host.h>
#include <wavetank/path.h>
#include <wavetank/virtual.h>

/* ---- your protocol ------------------------------------------------------------------------------------- */

struct parser {
	unsigned left;
	size_t records;
	uint32_t hash; /* of all records and their lengths, FNV-1a */
};

static void parse(struct parser *parser, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		parser->hash = (parser->hash ^ data[i]) * 16777619u;
		if (parser->left) {
			parser->left--;
		} else {
			parser->left = data[i];
			parser->records++;
		}
	}
}

/* ---- the harness --------------------------------------------------------------------------------------- */

struct run {
	struct parser server;
	const uint8_t *data;
	size_t len, written, step; /* the client writes `step` bytes at a time */
	bool done;
};

static void on_server(void *arg, struct wt_lib_tcp *tcp, unsigned events, wt_time now)
{
	struct run *run = (struct run *)arg;
	struct wt_lib_tcp *child;
	uint8_t data[700]; /* odd on purpose */
	ssize_t n;

	if (events & WT_LIB_TCP_ACCEPT) {
		while ((child = wt_lib_tcp_accept(tcp, on_server, arg)))
			on_server(arg, child, WT_LIB_TCP_READABLE, now);
		return;
	}
	while ((n = wt_lib_tcp_read(tcp, data, sizeof(data))) > 0)
		parse(&run->server, data, (size_t)n);
	if (n == 0) {
		run->done = true;
		wt_lib_tcp_close(tcp);
	}
}

static void on_client(void *arg, struct wt_lib_tcp *tcp, unsigned events, wt_time now)
{
	struct run *run = (struct run *)arg;
	ssize_t n;

	(void)now;
	if (!(events & (WT_LIB_TCP_CONNECTED | WT_LIB_TCP_WRITABLE)))
		return;
	while (run->written < run->len) {
		size_t len = run->len - run->written < run->step ? run->len - run->written : run->step;

		n = wt_lib_tcp_write(tcp, run->data + run->written, len);
		if (n <= 0)
			return;
		run->written += (size_t)n;
	}
	wt_lib_tcp_shutdown(tcp);
}

static struct wt_lib_host *make_host(struct wt_lib_graph *graph, const char *name, const char *address)
{
	struct wt_lib_host_config config;

	wt_lib_host_config_init(&config);
	config.name = name;
	config.address = address;
	config.seeded = true;
	return wt_lib_host_create(graph, &config, NULL, 0);
}

static void must(bool what, const char *why)
{
	if (what)
		return;
	fprintf(stderr, "fuzz: %s\n", why);
	abort();
}

#ifdef __cplusplus
extern "C"
#endif
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parser whole = {0, 0, 2166136261u};
	struct wt_lib_tcp_config config;
	struct wt_lib_endpoint to;
	struct wt_lib_graph *graph;
	struct wt_lib_host *a, *b;
	struct run run;
	char words[200];

	if (size < 4)
		return 0;
	memset(&run, 0, sizeof(run));
	run.server.hash = whole.hash;
	run.step = data[0] + 1u;
	run.data = data + 4;
	run.len = size - 4;
	snprintf(words, sizeof(words), "delay 5ms loss %u%% duplicate %u%% reorder %u%% delay 2ms", data[1] % 30u, data[2] % 10u, data[2] / 16u);
	graph = wt_lib_graph_create(2048);
	a = graph ? make_host(graph, "a", "10.0.0.1/24") : NULL;
	b = a ? make_host(graph, "b", "10.0.0.2/24") : NULL;
	must(b && wt_lib_link_create(graph, "path", wt_lib_host_node(a), 0, wt_lib_host_node(b), 0, words, "delay 5ms", data[3], words, sizeof(words)),
	     words);
	wt_lib_graph_check(graph, true);
	wt_lib_tcp_config_init(&config);
	config.callback = on_server;
	config.arg = &run;
	must(wt_lib_tcp_listen(b, 1, 1, &config, NULL, 0) != NULL, "listen");
	config.callback = on_client;
	config.settings = data[3] & 1 ? "nagle=off,mss=200B" : NULL;
	wt_lib_endpoint_parse("10.0.0.2:1", &to);
	must(wt_lib_tcp_connect(a, &to, &config, words, sizeof(words)) != NULL, words);
	wt_lib_virtual_run(graph, 3600 * WT_S, &run.done);
	parse(&whole, run.data, run.len);
	must(run.done, "the stream did not end");
	must(run.server.records == whole.records && run.server.hash == whole.hash, "the parser saw another stream");
	must(wt_lib_graph_audit(graph, NULL), "frames are missing");
	wt_lib_graph_destroy(graph);
	return 0;
}

#ifndef FUZZING
int main(int argc, char **argv)
{
	static uint8_t data[1 << 20];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t len;

		if (!file) {
			perror(argv[i]);
			return 2;
		}
		len = fread(data, 1, sizeof(data), file);
		fclose(file);
		LLVMFuzzerTestOneInput(data, len);
	}
	printf("%d inputs\n", argc - 1);
	return 0;
}
#endif
