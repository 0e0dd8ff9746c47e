/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavetank kernel serve: the services of `serve` by the kernel's own TCP, one thread on epoll: the yardstick of `bench`. An echo here is for
 * requests: it is written at once, and its client reads before it asks again.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tools/common/cli.h"

extern const struct wt_command wt_command_kernel_serve;

enum { ECHO = 7, DISCARD = 9, BYTE = 17, SOURCE = 19, LISTENER = 1 << 16, EVENTS = 256 };

static uint8_t bytes[1 << 18];

static int watch(int poller, int fd, unsigned service, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.u64 = (uint64_t)service << 32 | (uint32_t)fd};

	return epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event);
}

static int listen_at(int poller, uint16_t port)
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5); /* what `serve` has; a system's default may pace */
	if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof(here)) || listen(fd, 4096) || watch(poller, fd, port | LISTENER, EPOLLIN))
		return wt_fail(WT_EXIT_ENVIRONMENT, "port %u: %s", port, strerror(errno));
	return WT_EXIT_OK;
}

static void take_new(int poller, int listener, unsigned service)
{
	int fd, on = 1;

	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		if (service == BYTE || watch(poller, fd, service, service == SOURCE ? EPOLLIN | EPOLLOUT : EPOLLIN)) {
			send(fd, "b", 1, MSG_NOSIGNAL);
			close(fd);
		}
	}
}

static void serve(int fd, unsigned service)
{
	ssize_t n = recv(fd, bytes, sizeof(bytes), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN)) {
		close(fd);
		return;
	}
	if (service == ECHO && n > 0 && send(fd, bytes, (size_t)n, MSG_NOSIGNAL) != n)
		close(fd);
	while (service == SOURCE && send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) == (ssize_t)sizeof(bytes))
		;
}

static int run(int argc, char **argv)
{
	static const uint16_t ports[] = {ECHO, DISCARD, BYTE, SOURCE};
	struct rlimit files = {1 << 20, 1 << 20};
	struct epoll_event event[EVENTS];
	int poller, code = wt_args_read(argc, argv, NULL, NULL, 0, NULL);

	if (code)
		return code;
	setrlimit(RLIMIT_NOFILE, &files);
	poller = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned i = 0; i < sizeof(ports) / sizeof(ports[0]) && !code; i++)
		code = listen_at(poller, ports[i]);
	if (code)
		return code;
	wt_say("serving by the kernel: echo 7, discard 9, source 19, byte 17");
	for (;;) {
		int count = epoll_wait(poller, event, EVENTS, -1);

		for (int i = 0; i < count; i++) {
			unsigned service = (unsigned)(event[i].data.u64 >> 32);

			if (service & LISTENER)
				take_new(poller, (int)(uint32_t)event[i].data.u64, service & 0xffff);
			else
				serve((int)(uint32_t)event[i].data.u64, service);
		}
	}
}

const struct wt_command wt_command_kernel_serve = {
	.name = "kernel serve", .arguments = "", .text = "the services of serve by the kernel's own TCP: the yardstick of bench",
	.options = NULL, .option_count = 0, .run = run,
};
