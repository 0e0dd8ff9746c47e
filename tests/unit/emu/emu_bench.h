/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the emulator's stages share: frames of a kind, and a bench that drives one stage by hand. */
#ifndef WT_TESTS_EMU_BENCH_H
#define WT_TESTS_EMU_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "emu/stage.h"
#include "stack/base/bytes.h"

enum { BENCH_TCP = 6, BENCH_ICMP = 1, BENCH_ROOM = 2048, BENCH_FRAMES = 4096 };

static struct wt_pool *bench_pool;

/* Behind addresses and ports, so that packets of different tags are of one flow. */
static inline unsigned bench_tag_at(const struct wt_frame *frame)
{
	return wt_get16(wt_frame_look(frame) + 12) == 0x86dd ? 58 : 38;
}

/* An Ethernet frame of `len` bytes that holds `tag`, perhaps behind its end. */
static inline struct wt_frame *bench_frame(unsigned type, unsigned protocol, uint32_t len, uint32_t tag)
{
	struct wt_frame *frame = wt_frame_new(bench_pool);

	assert_non_null(frame);
	memset(wt_frame_own_bytes(frame), 0, len < 64 ? 64 : len);
	frame->len = len;
	wt_put16(wt_frame_own_bytes(frame) + 12, (uint16_t)type);
	wt_frame_own_bytes(frame)[14 + (type == 0x86dd ? 6 : 9)] = (uint8_t)protocol;
	wt_put32(wt_frame_own_bytes(frame) + bench_tag_at(frame), tag);
	return frame;
}

static inline struct wt_frame *bench_tcp(uint32_t len, uint32_t tag)
{
	return bench_frame(0x0800, BENCH_TCP, len, tag);
}

/* The same packet on its way to another address: another flow. */
static inline struct wt_frame *bench_to(struct wt_frame *frame, uint32_t address)
{
	wt_put32(wt_frame_own_bytes(frame) + 30, address);
	return frame;
}

static inline struct wt_frame *bench_arp(void)
{
	return bench_frame(0x0806, 0, 60, 0xffffffff);
}

static inline uint32_t bench_tag(const struct wt_frame *frame)
{
	return wt_get32(wt_frame_look(frame) + bench_tag_at(frame));
}

static inline void bench_input(struct wt_node *node, wt_time now, struct wt_frame *frame)
{
	node->ops->input(node, 0, now, frame);
	assert_true(wt_audit_holds(&node->audit));
}

/* The next frame that leaves at or before `now`, or NULL. */
static inline struct wt_frame *bench_output(struct wt_node *node, wt_time now)
{
	unsigned port = 99;
	struct wt_frame *frame = node->ops->output(node, now, &port);

	assert_true(wt_audit_holds(&node->audit));
	if (frame)
		assert_int_equal(port, 1);
	return frame;
}

/* Runs to the stage's own deadline and takes what is due there; its time in *time. False: nothing is ever due. */
static inline bool bench_next(struct wt_node *node, wt_time *time, uint32_t *tag)
{
	wt_time due = node->ops->deadline(node);
	struct wt_frame *frame;

	if (due == WT_NEVER)
		return false;
	frame = bench_output(node, due);
	assert_non_null(frame);
	*time = frame->time;
	*tag = bench_tag(frame);
	assert_int_equal(*time, due);
	wt_frame_free(frame);
	return true;
}

/* One packet through a stage that does not wait: did it pass? */
static inline bool bench_passes(struct wt_node *node, wt_time now, struct wt_frame *frame)
{
	struct wt_frame *out;

	bench_input(node, now, frame);
	out = bench_output(node, now);
	wt_frame_free(out);
	return out;
}

static inline int bench_setup(void **state)
{
	bench_pool = wt_pool_create(BENCH_FRAMES, BENCH_ROOM);
	return bench_pool ? 0 : -1;
}

/* Every frame must have come back. */
static inline int bench_teardown(void **state)
{
	uint32_t held = wt_pool_count(bench_pool) - wt_pool_free_count(bench_pool);

	wt_pool_destroy(bench_pool);
	return held ? -1 : 0;
}

#define BENCH_TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)

#endif
