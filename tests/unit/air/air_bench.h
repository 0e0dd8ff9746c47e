/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the air share: stations at places, frames from one to another, and a loop in place of a graph. */
#ifndef WT_TESTS_AIR_BENCH_H
#define WT_TESTS_AIR_BENCH_H

#include "tests/unit/unit.h"

#include "emu/air/air.h"
#include "stack/base/bytes.h"

enum { BENCH_STATIONS = 128, BENCH_ROOM = 2048, BENCH_FRAMES = 16384 };

struct bench {
	struct wt_air_config config;
	struct wt_air *air;
	struct wt_node *node;
	struct wt_pool *pool;
	unsigned stations;
	struct wt_track track[BENCH_STATIONS];
	wt_time now;
	uint64_t frames; /* that have come out, to all */
	/* a frame came out by the port of a station; the bench frees it behind this. NULL: nobody asks */
	void (*on_frame)(struct bench *bench, unsigned station, const struct wt_frame *frame);
	uint64_t got[BENCH_STATIONS], back[BENCH_STATIONS], bytes[BENCH_STATIONS];
	wt_time last[BENCH_STATIONS]; /* when the last came */
};

static inline void bench_mac(uint8_t mac[6], unsigned station)
{
	memcpy(mac, "\x02\x77\x74\0\0\0", 6);
	wt_put16(mac + 4, (uint16_t)station);
}

static inline void bench_open(struct bench *bench, unsigned stations, const struct wt_point *at)
{
	uint8_t mac[6];

	bench->stations = stations;
	bench->pool = wt_pool_create(BENCH_FRAMES, BENCH_ROOM);
	bench->air = wt_air_create(&bench->config, stations);
	bench->node = wt_air_node(bench->air);
	for (unsigned i = 0; i < stations; i++) {
		bench_mac(mac, i);
		wt_track_stand(&bench->track[i], 0, at[i]);
		wt_air_place(bench->air, i, mac, &bench->track[i]);
	}
}

static inline void bench_close(struct bench *bench)
{
	bench->node->ops->destroy(bench->node);
	assert_int_equal(wt_pool_free_count(bench->pool), BENCH_FRAMES);
	wt_pool_destroy(bench->pool);
	for (unsigned i = 0; i < bench->stations; i++)
		wt_track_finish(&bench->track[i]);
}

/* The books of every station, and of the node. */
static inline void bench_audit(struct bench *bench)
{
	uint64_t in = 0, delivered = 0;

	assert_true(wt_audit_holds(&bench->node->audit));
	for (unsigned i = 0; i < bench->stations; i++) {
		const struct wt_air_count *count = wt_air_count(bench->air, i);

		assert_int_equal(count->in, count->acked + count->to_all + count->returned + count->dropped + count->waiting);
		in += count->in;
		delivered += count->delivered + count->overheard;
	}
	assert_int_equal(in, bench->node->audit.in);
	assert_int_equal(delivered + bench->node->audit.dropped[WT_DROP_POOL], bench->node->audit.made);
}

/* An IP packet of `len` bytes; to 0xffff: to all. */
static inline void bench_send(struct bench *bench, unsigned from, unsigned to, uint32_t len, uint8_t tos)
{
	struct wt_frame *frame = wt_frame_new(bench->pool);

	assert_non_null(frame);
	frame->len = 14 + len;
	memset(wt_frame_own_bytes(frame), 0, frame->len);
	if (to == 0xffff)
		memset(wt_frame_own_bytes(frame), 0xff, 6);
	else
		bench_mac(wt_frame_own_bytes(frame), to);
	bench_mac(wt_frame_own_bytes(frame) + 6, from);
	wt_put16(wt_frame_own_bytes(frame) + 12, 0x0800);
	wt_frame_own_bytes(frame)[14] = 0x45;
	wt_frame_own_bytes(frame)[15] = tos;
	bench->node->ops->input(bench->node, from, bench->now, frame);
	assert_true(wt_audit_holds(&bench->node->audit));
}

static inline void bench_take(struct bench *bench, unsigned station, struct wt_frame *frame)
{
	bench->frames++;
	bench->last[station] = bench->now;
	if (frame->fate == WT_FATE_NO_ACK) {
		bench->back[station]++;
	} else {
		bench->got[station]++;
		bench->bytes[station] += frame->len - 14;
	}
	if (bench->on_frame)
		bench->on_frame(bench, station, frame);
	wt_frame_free(frame);
}

static inline void bench_run(struct bench *bench, wt_time until)
{
	for (;;) {
		wt_time due = bench->node->ops->deadline(bench->node);
		struct wt_frame *frame;
		unsigned port = 0;

		if (due > until)
			break;
		bench->now = due > bench->now ? due : bench->now;
		frame = bench->node->ops->output(bench->node, bench->now, &port);
		assert_true(wt_audit_holds(&bench->node->audit));
		if (frame)
			bench_take(bench, port, frame);
	}
	bench->now = until;
	bench_audit(bench);
}

#endif
