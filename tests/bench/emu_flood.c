/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Offers frames to a path faster than kernel sockets can: UDP over IPv4 from a packet socket, past the queueing discipline, to an
 * address no host has, so that the far kernel counts and forgets them.
 *
 *   emu_flood INTERFACE COUNT RATE SIZE      SIZE with the Ethernet header; RATE a second, 0: as fast as it goes
 *
 * Prints one JSON object: frames the kernel took, frames it refused, seconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { BATCH = 32, HEADERS = 42, LONGEST = 9014 };

static uint8_t bytes[BATCH][LONGEST];

static int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static void put16(uint8_t *at, unsigned value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

/* From 10.9.0.1 to 10.9.0.99 under a MAC address of nobody, without a UDP checksum. */
static void make(uint8_t *frame, size_t size)
{
	static const uint8_t head[HEADERS] = {
		2, 0, 0, 0, 0, 0x99, 2, 0, 0, 0, 0, 0x98, 8, 0,
		0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 9, 0, 1, 10, 9, 0, 99,
		0x1f, 0x40, 0x1f, 0x40};
	uint32_t sum = 0;

	memcpy(frame, head, sizeof(head));
	put16(frame + 16, (unsigned)size - 14);
	put16(frame + 38, (unsigned)size - 34);
	for (unsigned i = 14; i < 34; i += 2)
		sum += (unsigned)frame[i] << 8 | frame[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	put16(frame + 24, ~(sum + (sum >> 16)) & 0xffff);
}

static int open_socket(const char *interface)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(interface)};
	int fd = socket(AF_PACKET, SOCK_RAW, 0), on = 1, room = 1 << 24;

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	return setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) ? -1 : fd;
}

static int flood(int fd, uint64_t count, double rate, size_t size)
{
	struct mmsghdr message[BATCH];
	struct iovec part[BATCH];
	uint64_t sent = 0, refused = 0;
	int64_t from = clock_ns();

	memset(message, 0, sizeof(message));
	for (unsigned i = 0; i < BATCH; i++) {
		make(bytes[i], size);
		part[i] = (struct iovec){bytes[i], size};
		message[i].msg_hdr = (struct msghdr){.msg_iov = &part[i], .msg_iovlen = 1};
	}
	while (sent + refused < count) {
		uint64_t left = count - sent - refused;
		int n;

		while (rate && (double)(clock_ns() - from) * rate < (double)(sent + refused) * 1e9)
			;
		n = sendmmsg(fd, message, left < BATCH ? (unsigned)left : BATCH, 0);
		if (n > 0)
			sent += (unsigned)n;
		else if (errno == ENOBUFS)
			refused++;
		else
			return fail("sendmmsg");
	}
	printf("{\"sent\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"seconds\": %.6f}\n", sent, refused, (double)(clock_ns() - from) / 1e9);
	return 0;
}

int main(int argc, char **argv)
{
	size_t size = argc == 5 ? (size_t)atol(argv[4]) : 0;
	int fd;

	if (size < HEADERS || size > LONGEST) {
		fprintf(stderr, "usage: see the head of the source\n");
		return 2;
	}
	fd = open_socket(argv[1]);
	return fd < 0 ? fail(argv[1]) : flood(fd, strtoull(argv[2], NULL, 10), atof(argv[3]), size);
}
