/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An engine on a TAP device inside a poll loop of one's own: an echo server that the kernel's programs can reach.
 *
 *   cc tap.c $(pkg-config --cflags --libs wavetank) -o tap
 *   ./tap tap0 10.9.0.2/24 7        and in another shell (all as root, or in a namespace of your own)
 *   ip address add 10.9.0.1/24 dev tap0 && nc 10.9.0.2 7
 *
 * The loop also reads standard input, as a program would that has other things to do: its end ends the program, and each line prints
 * how many connections there are.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wavetank/host.h>
#include <wavetank/real.h>

/* What could not be written back yet, per connection. */
struct echo {
	size_t len;
	bool eof;
	char data[65536];
};

static void on_echo(void *arg, struct wt_lib_tcp *tcp, unsigned events, wt_time now)
{
	struct echo *echo = (struct echo *)arg;
	ssize_t n = -1;

	(void)now;
	if (events & (WT_LIB_TCP_ERROR | WT_LIB_TCP_CLOSED)) {
		wt_lib_tcp_close(tcp);
		free(echo);
		return;
	}
	do {
		while (echo->len && (n = wt_lib_tcp_write(tcp, echo->data, echo->len)) > 0) {
			echo->len -= (size_t)n;
			memmove(echo->data, echo->data + n, echo->len);
		}
		if (echo->len || echo->eof)
			break;
		n = wt_lib_tcp_read(tcp, echo->data, sizeof(echo->data));
		if (n == 0) {
			echo->eof = true;
			wt_lib_tcp_shutdown(tcp); /* WT_LIB_TCP_CLOSED follows */
		}
		echo->len = n > 0 ? (size_t)n : 0;
	} while (n > 0);
}

static void on_listener(void *arg, struct wt_lib_tcp *listener, unsigned events, wt_time now)
{
	struct wt_lib_tcp *tcp;
	struct echo *echo;

	(void)arg, (void)events;
	while ((tcp = wt_lib_tcp_accept(listener, NULL, NULL))) {
		echo = (struct echo *)calloc(1, sizeof(*echo));
		if (!echo) {
			wt_lib_tcp_abort(tcp);
			continue;
		}
		wt_lib_tcp_set_callback(tcp, on_echo, echo);
		on_echo(echo, tcp, WT_LIB_TCP_READABLE, now);
	}
}

static int loop(struct wt_lib_real *real, struct wt_lib_host *host)
{
	struct pollfd fds[2];
	char line[256];
	int error;

	fds[0].fd = wt_lib_real_fd(real);
	fds[1].fd = STDIN_FILENO;
	fds[0].events = fds[1].events = POLLIN;
	while (poll(fds, 2, -1) >= 0) {
		if (fds[0].revents && (error = wt_lib_real_turn(real)) < 0) {
			fprintf(stderr, "tap: the device is gone: %s\n", strerror(-error));
			return 1;
		}
		if (fds[1].revents) {
			if (read(STDIN_FILENO, line, sizeof(line)) <= 0)
				return 0;
			printf("%u connections\n", wt_lib_host_connections(host));
			fflush(stdout);
		}
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct wt_lib_graph *graph = wt_lib_graph_create(0);
	struct wt_lib_real *real = graph ? wt_lib_real_create(graph) : NULL;
	struct wt_lib_host_config config;
	struct wt_lib_tcp_config tcp;
	struct wt_lib_node *device;
	struct wt_lib_host *host;
	char err[WT_LIB_ERR] = "no real time";
	int code = 1;

	if (argc != 4) {
		fprintf(stderr, "usage: tap DEVICE ADDRESS/PREFIX PORT\n");
		wt_lib_graph_destroy(graph);
		return 2;
	}
	device = real ? wt_lib_tap_open(real, argv[1], err, sizeof(err)) : NULL;
	wt_lib_host_config_init(&config);
	config.address = argv[2];
	host = device ? wt_lib_host_create(graph, &config, err, sizeof(err)) : NULL;
	wt_lib_tcp_config_init(&tcp);
	tcp.callback = on_listener;
	if (host) {
		wt_lib_graph_join(graph, wt_lib_host_node(host), 0, device, 0);
		if (wt_lib_tcp_listen(host, (uint16_t)atoi(argv[3]), 16, &tcp, err, sizeof(err))) {
			printf("ready\n");
			fflush(stdout);
			err[0] = 0;
			code = loop(real, host);
		}
	}
	if (err[0])
		fprintf(stderr, "tap: %s\n", err);
	wt_lib_graph_destroy(graph);
	return code;
}
