/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is a list of fragments, seven bytes each: datagram and flags, offset (in units of eight bytes, two bytes),
 * length (two bytes), fill byte, time step. They go through the reassembly and through a model that keeps one flag per
 * byte and applies the rules as written in fragment.h; both must agree on every whole datagram and on its bytes.
 * Four datagrams of one source: the model needs no eviction.
 */
#include <stdbool.h>
#include <string.h>

#include "stack/net/fragment.h"
#include "stack/wire/ethernet.h"
#include "tests/fuzz/fuzz.h"

#define FRAMES 16
#define ROOM 2048
#define HEADERS (WT_ETH_HEADER + WT_IPV4_HEADER)
#define DATAGRAMS 4
#define RECORD 7

struct model {
	bool used, condemned;
	wt_time due;
	uint32_t total; /* 0: not known */
	bool have[ROOM];
	uint8_t bytes[ROOM];
};

static struct model model[DATAGRAMS];
static struct wt_fragments fragments;

/* The model's step. True: the datagram is whole. */
static bool model_input(struct model *m, wt_time now, uint32_t start, uint32_t len, bool more, const uint8_t *piece)
{
	uint32_t end = start + len, known = 0, highest = 0;
	bool equal = true, whole;

	if (len == 0 || (more && len % 8) || end > UINT16_MAX - WT_IPV4_HEADER)
		return false;
	if (!m->used) {
		memset(m, 0, sizeof(*m));
		m->used = true;
		m->due = now + WT_FRAGMENT_TIMEOUT;
	}
	m->condemned = m->condemned || HEADERS + end > ROOM;
	if (m->condemned)
		return false;
	for (uint32_t i = 0; i < ROOM; i++)
		highest = m->have[i] ? i + 1 : highest;
	for (uint32_t i = start; i < end; i++) {
		known += m->have[i];
		equal = equal && (!m->have[i] || m->bytes[i] == piece[i - start]);
	}
	m->condemned = (m->total && end > m->total) || (!more && m->total && m->total != end) ||
		       (!more && end < highest) || (known && (known < len || !equal));
	if (m->condemned)
		return false;
	if (!more)
		m->total = end;
	memset(m->have + start, 1, len);
	memcpy(m->bytes + start, piece, len);
	whole = m->total > 0;
	for (uint32_t i = 0; i < m->total; i++)
		whole = whole && m->have[i];
	if (whole)
		m->used = false;
	return whole;
}

static void input(struct wt_node *node, struct wt_pool *pool, wt_time now, const uint8_t *record)
{
	struct model *m = &model[record[0] % DATAGRAMS];
	uint32_t start = (uint32_t)(record[1] | record[2] << 8) % 8192 * 8, len = (uint32_t)(record[3] | record[4] << 8) % (ROOM - HEADERS + 1);
	struct wt_ipv4 ip = {.src = wt_addr_ipv4(10, 0, 0, 2), .dst = wt_addr_ipv4(10, 0, 0, 1), .id = record[0] % DATAGRAMS,
			     .total_len = (uint16_t)(WT_IPV4_HEADER + len), .header_len = WT_IPV4_HEADER,
			     .frag_offset = (uint16_t)start, .more_fragments = record[0] & 4, .ttl = 64, .protocol = WT_IP_TCP};
	struct wt_frame *frame = wt_frame_new(pool), *whole;
	static uint8_t piece[ROOM];
	bool expected;

	CLAIM(frame);
	for (uint32_t i = 0; i < len; i++) /* by place, so that honest overlaps agree; fill makes dishonest ones */
		piece[i] = (uint8_t)((start + i) * 7 + (record[5] & 1));
	memset(wt_frame_own_bytes(frame), 0, HEADERS);
	memcpy(wt_frame_own_bytes(frame) + HEADERS, piece, len);
	frame->len = HEADERS + len;
	node->audit.in++;
	expected = model_input(m, now, start, len, ip.more_fragments, piece);
	whole = wt_fragments_input(&fragments, now, frame, &ip);
	CLAIM(expected == (whole != NULL));
	if (whole) {
		CLAIM(whole->len == HEADERS + m->total && whole->len <= whole->room);
		CLAIM(memcmp(wt_frame_own_bytes(whole) + HEADERS, m->bytes, m->total) == 0);
		node->audit.taken++;
		wt_frame_free(whole);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wt_pool *pool;
	struct wt_node node = {0};
	wt_time now = 0;

	if (!pool)
		pool = wt_pool_create(FRAMES, ROOM);
	if (!pool)
		exit(2);
	wt_fragments_init(&fragments, &node, pool);
	for (unsigned i = 0; i < DATAGRAMS; i++)
		model[i].used = false;
	/* the model walks all bytes for every record: bound its work, not that of the code under test */
	for (unsigned n = 0; n < 256 && size >= RECORD; n++, data += RECORD, size -= RECORD) {
		now += data[6] * WT_S / 4;
		wt_fragments_expire(&fragments, now);
		for (unsigned i = 0; i < DATAGRAMS; i++)
			model[i].used = model[i].used && now < model[i].due;
		input(&node, pool, now, data);
		CLAIM(wt_fragments_deadline(&fragments) > now);
		CLAIM(wt_audit_holds(&node.audit));
		CLAIM(wt_pool_free_count(pool) + node.audit.queued == FRAMES);
	}
	wt_fragments_finish(&fragments);
	CLAIM(wt_pool_free_count(pool) == FRAMES);
	return 0;
}
