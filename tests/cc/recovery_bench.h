/* SPDX-License-Identifier: BSD-2-Clause */
/* A recovery module with a board of its own, for sequences worked out by hand: segments of MSS bytes, the first byte is 0. */
#ifndef WT_TESTS_CC_RECOVERY_BENCH_H
#define WT_TESTS_CC_RECOVERY_BENCH_H

#include "tests/cc/cc_test.h"

#define RING 64

struct bench {
	struct wt_recovery_choice choice;
	void *state;
	struct wt_recovery_out out;
	struct wt_tx_record ring[RING], *page[RING / WT_TX_PAGE];
	struct wt_outstanding view;
	uint32_t dupacks;
};

/* `text` names the module; so many segments are in flight. */
static inline void start(struct bench *b, const char *text, uint32_t segments)
{
	struct wt_cc_env env = cc_env();
	char err[512] = "";

	memset(b, 0, sizeof(*b));
	if (wt_recovery_choose(text, &b->choice, err, sizeof(err)))
		fail_msg("%s", err);
	b->state = calloc(1, b->choice.ops->state_size);
	b->choice.ops->init(b->state, b->choice.params, &env);
	for (uint32_t i = 0; i < RING; i++)
		b->ring[i] = (struct wt_tx_record){.seq = i * MSS, .len = MSS};
	b->view = (struct wt_outstanding){.mss = MSS, .cwnd = 10 * MSS, .snd_nxt = segments * MSS, .count = segments};
	wt_board_pages(&b->view, b->page, b->ring, RING);
}

static inline void finish(struct bench *b)
{
	free(b->state);
}

#endif
