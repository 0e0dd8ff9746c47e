/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of the host's fuzz target: the one life there is at a time, and the bytes it is drawn from. */
#ifndef WT_TESTS_FUZZ_HOST_LIFE_H
#define WT_TESTS_FUZZ_HOST_LIFE_H

#include <string.h>

#include "stack/host/internal.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/tcp.h"
#include "tests/fuzz/fuzz.h"

enum { FRAMES = 4096, ROOM = 1600, HANDLES = 12, REMEMBERED = 256 };
enum { HEADERS = WT_ETH_HEADER + WT_IPV4_HEADER, PORT = 80, OWN_PORT = 5000 };

struct life {
	const uint8_t *in, *end;
	struct wt_host *host;
	struct wt_pool *pool;
	wt_time now;
	struct wt_tcp_config tcp;
	struct wt_tcp *listener, *handle[HANDLES];
	uint8_t habits;
	bool unknown; /* bytes were sent that no one wrote down: contents are not compared */
	unsigned sent;
	struct {
		uint32_t conn;
		wt_seq top; /* of what the peer has sent */
		bool known;
	} given[REMEMBERED];
};

extern struct life life;

static const struct wt_mac our_mac = {{2, 0, 0, 0, 0, 1}}, peer_mac = {{2, 0, 0, 0, 0, 2}};

/* ---- bytes of the input ----------------------------------------------------------------------------------- */

static inline uint8_t u8(void)
{
	return life.in < life.end ? *life.in++ : 0;
}

static inline uint16_t u16(void)
{
	uint16_t low = u8();

	return (uint16_t)(low | u8() << 8);
}

static inline uint32_t u32(void)
{
	uint32_t low = u16();

	return low | (uint32_t)u16() << 16;
}

static inline uint8_t stream_byte(uint32_t offset)
{
	return (uint8_t)(offset * 31 + (offset >> 8) * 7 + (offset >> 16));
}

/* ---- host_peer.c: what comes ------------------------------------------------------------------------------ */

struct payload {
	uint32_t offset, len; /* in the peer's stream */
	uint8_t tos;
	const uint8_t *options; /* raw ones instead of the header's, or NULL */
	unsigned options_len;
};

/* A segment from an end of the peer's to a port of ours. */
void put(const struct wt_endpoint *from, uint16_t to, struct wt_tcp_header *seg, struct payload payload);
/* Drawn from the input: near the numbers of a connection; a SYN; an ICMP error about a connection; anything. */
void segment_for(const struct wt_tcp *tcp);
void syn_from_somewhere(void);
void error_about(const struct wt_tcp *tcp);
void garbage(uint8_t how);

#endif
