/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of queues share: a rate stage from words, packets with an ECN field. */
#ifndef WT_TESTS_EMU_QUEUE_BENCH_H
#define WT_TESTS_EMU_QUEUE_BENCH_H

#include "stack/wire/packet.h"
#include "emu/path.h"
#include "tests/unit/emu/emu_bench.h"

static struct wt_path bench_path;

static inline struct wt_node *bench_words(const char *words)
{
	char err[300];

	if (wt_path_init(&bench_path, words, "fwd", 1, err, sizeof(err)))
		fail_msg("%s: %s", words, err);
	return bench_path.stage[0];
}

/* A whole IPv4 header with a right checksum. */
static inline struct wt_frame *bench_packet(uint32_t len, uint32_t tag, enum wt_ecn ecn, uint16_t port)
{
	struct wt_frame *frame = bench_tcp(len, 0);
	uint8_t *ip = wt_frame_own_bytes(frame) + WT_ETHERNET;

	ip[0] = 0x45;
	ip[1] = (uint8_t)ecn;
	wt_put16(ip + 2, (uint16_t)(len - WT_ETHERNET));
	ip[8] = 64;
	wt_put32(ip + 12, 0x0a000001);
	wt_put32(ip + 16, 0x0a000002);
	wt_packet_ipv4_checksum(ip);
	wt_put16(ip + 20, port);
	wt_put32(ip + 24, tag);
	return frame;
}

static inline uint32_t bench_packet_tag(const struct wt_frame *frame)
{
	return wt_get32(wt_frame_look(frame) + WT_ETHERNET + 24);
}

/* Is the header checksum right? */
static inline bool bench_header_holds(struct wt_frame *frame)
{
	uint8_t *ip = wt_frame_own_bytes(frame) + WT_ETHERNET;
	uint16_t was = wt_get16(ip + 10);

	wt_packet_ipv4_checksum(ip);
	return wt_get16(ip + 10) == was;
}

#endif
