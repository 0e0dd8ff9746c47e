/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures a path from outside, with plain kernel sockets: numbered UDP datagrams that carry the time they were sent, and the
 * kernel's time stamp of each arrival, so that no wake-up of ours is in the figures.
 *
 *   emu_traffic send ADDRESS COUNT GAP_NS SIZE [FIRST]  one each GAP_NS; 0: as fast as the kernel takes them; FIRST of them at once
 *   emu_traffic recv COUNT                         until as many have come, or none for half a second; prints one JSON object
 *   emu_traffic tcp-send ADDRESS SECONDS | tcp-recv    prints bits per second
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 7779, BATCH = 32 };

static int64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static struct sockaddr_in peer(const char *address)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};

	if (address)
		inet_pton(AF_INET, address, &to.sin_addr);
	return to;
}

/* Sleeps until shortly before the time, then spins: the sender shall not be what is measured. */
static void wait_until(int64_t when)
{
	int64_t early = when - 60000;
	struct timespec t = {.tv_sec = early / 1000000000, .tv_nsec = early % 1000000000};

	if (early > clock_ns(CLOCK_MONOTONIC))
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	while (clock_ns(CLOCK_MONOTONIC) < when)
		;
}

static int send_all(const char *address, uint64_t count, int64_t gap, size_t size, uint64_t first)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), room = 1 << 24;
	struct sockaddr_in to = peer(address);
	struct mmsghdr message[BATCH];
	struct iovec part[BATCH];
	static uint8_t bytes[BATCH][9000];
	int64_t next = clock_ns(CLOCK_MONOTONIC) + 1000000, from;
	unsigned most = gap ? 1 : BATCH;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) || size < 16 || size > sizeof(bytes[0]))
		return fail("socket");
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	memset(message, 0, sizeof(message));
	for (unsigned i = 0; i < BATCH; i++) {
		part[i] = (struct iovec){bytes[i], size};
		message[i].msg_hdr = (struct msghdr){.msg_iov = &part[i], .msg_iovlen = 1};
	}
	from = clock_ns(CLOCK_MONOTONIC);
	for (uint64_t n = 0; n < count; n += most, next += n > first ? gap : 0) {
		int64_t now;

		if (gap)
			wait_until(next);
		now = clock_ns(CLOCK_REALTIME);
		for (unsigned i = 0; i < most; i++) {
			uint64_t number = n + i;

			memcpy(bytes[i], &number, 8);
			memcpy(bytes[i] + 8, &now, 8);
		}
		if (sendmmsg(fd, message, most, 0) < 0)
			continue;
	}
	printf("{\"seconds\": %.6f}\n", (double)(clock_ns(CLOCK_MONOTONIC) - from) / 1e9);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_quantiles(const char *name, int64_t *value, uint64_t count)
{
	static const double share[] = {0, 0.01, 0.5, 0.9, 0.99, 0.999, 1};

	qsort(value, count, sizeof(*value), by_value);
	printf(", \"%s\": [", name);
	for (unsigned i = 0; i < 7; i++)
		printf("%s%" PRId64, i ? ", " : "", count ? value[(uint64_t)(share[i] * (double)(count - 1))] : 0);
	printf("]");
}

static int64_t stamp_of(struct msghdr *message)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		struct timespec t;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&t, CMSG_DATA(c), sizeof(t));
		return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
	}
	return 0;
}

static int receive_all(uint64_t most)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1, room = 1 << 28;
	struct timeval patience = {.tv_sec = 20}, silence = {.tv_usec = 500000};
	struct sockaddr_in here = peer(NULL);
	int64_t *delay = calloc(most, sizeof(*delay)), *at = calloc(most, sizeof(*at));
	uint64_t got = 0, bytes = 0, disorder = 0, last = 0;

	if (fd < 0 || !delay || !at || bind(fd, (struct sockaddr *)&here, sizeof(here)))
		return fail("socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	fprintf(stderr, "listening\n");
	while (got < most) {
		uint8_t data[9000];
		char control[256];
		struct iovec part = {data, sizeof(data)};
		struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
		ssize_t n = recvmsg(fd, &message, 0);
		uint64_t number;
		int64_t sent;

		if (n < 16)
			break;
		if (!got)
			setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence));
		memcpy(&number, data, 8);
		memcpy(&sent, data + 8, 8);
		disorder += got && number < last;
		last = number;
		at[got] = stamp_of(&message);
		delay[got] = at[got] - sent;
		bytes += (uint64_t)n + 42; /* as frames */
		got++;
	}
	printf("{\"count\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"disorder\": %" PRIu64 ", \"seconds\": %.9f", got, bytes, disorder,
	       got ? (double)(at[got - 1] - at[0]) / 1e9 : 0);
	print_quantiles("delay_ns", delay, got);
	for (uint64_t i = 0; i + 1 < got; i++)
		at[i] = at[i + 1] - at[i];
	print_quantiles("gap_ns", at, got ? got - 1 : 0);
	printf("}\n");
	return 0;
}

static int tcp_send(const char *address, double seconds)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in to = peer(address);
	static char bytes[1 << 18];
	int64_t until;

	/* the machine's default may be one that paces; where there is no such module it stays */
	setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		return fail("connect");
	until = clock_ns(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e9);
	while (clock_ns(CLOCK_MONOTONIC) < until)
		if (write(fd, bytes, sizeof(bytes)) < 0)
			return fail("write");
	return 0;
}

static int tcp_receive(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1, from;
	struct sockaddr_in here = peer(NULL);
	static char bytes[1 << 18];
	int64_t start;
	uint64_t got = 0;
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof(here)) || listen(fd, 1))
		return fail("listen");
	fprintf(stderr, "listening\n");
	from = accept(fd, NULL, NULL);
	start = clock_ns(CLOCK_MONOTONIC);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		got += (uint64_t)n;
	printf("{\"bits_per_second\": %.0f}\n", (double)got * 8e9 / (double)(clock_ns(CLOCK_MONOTONIC) - start));
	return 0;
}

int main(int argc, char **argv)
{
	if ((argc == 6 || argc == 7) && !strcmp(argv[1], "send"))
		return send_all(argv[2], strtoull(argv[3], NULL, 10), atoll(argv[4]), (size_t)atol(argv[5]),
				argc == 7 ? strtoull(argv[6], NULL, 10) : 0);
	if (argc == 3 && !strcmp(argv[1], "recv"))
		return receive_all(strtoull(argv[2], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "tcp-send"))
		return tcp_send(argv[2], atof(argv[3]));
	if (argc == 2 && !strcmp(argv[1], "tcp-recv"))
		return tcp_receive();
	fprintf(stderr, "usage: see the head of the source\n");
	return 2;
}
