/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of congestion modules share. */
#ifndef WT_TESTS_CC_TEST_H
#define WT_TESTS_CC_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cc/choose.h"
#include "tools/modules/board.h"

#define MSS 1000u
#define MUST(x) assert_int_equal((x), 0)

static inline struct wt_cc_env cc_env(void)
{
	return (struct wt_cc_env){
		.mss = MSS, .buffer = 1000 * MSS, .initial_window = 2 * MSS, .dupthresh = 3, .tick = WT_MS,
		.timestamps = true,
	};
}

/* A sender module with its state and output. */
struct sender {
	struct wt_sender_choice choice;
	void *state;
	struct wt_sender_out out;
	struct wt_cc_env env;
};

static inline void sender_start(struct sender *s, const char *text, struct wt_cc_env env)
{
	char err[512] = "";

	memset(s, 0, sizeof(*s));
	if (wt_sender_choose(text, &s->choice, err, sizeof(err)))
		fail_msg("%s", err);
	s->env = env;
	s->state = calloc(1, s->choice.ops->state_size ? s->choice.ops->state_size : 1);
	s->choice.ops->init(s->state, s->choice.params, &s->env, &s->out);
}

static inline void sender_event(struct sender *s, enum wt_cc_event event)
{
	if (s->choice.ops->on_event)
		s->choice.ops->on_event(s->state, event, &s->env, &s->out);
}

static inline void sender_finish(struct sender *s)
{
	free(s->state);
}

/* An ACK of `acked` new bytes, the window having been full. */
static inline void sender_ack(struct sender *s, uint32_t acked)
{
	struct wt_ack ack = {.acked = acked, .flags = WT_ACK_CWND_LIMITED, .srtt = 100 * WT_MS};

	if (s->choice.ops->on_ack)
		s->choice.ops->on_ack(s->state, &ack, &s->out);
}

static inline void sender_loss(struct sender *s, enum wt_loss_why why, uint32_t inflight, uint32_t rto_count)
{
	struct wt_loss loss = {.why = why, .inflight = inflight, .peer_window = 64 * MSS, .rto_count = rto_count,
			       .srtt = 100 * WT_MS, .same = why == WT_LOSS_RTO && rto_count > 1};

	if (s->choice.ops->on_loss)
		s->choice.ops->on_loss(s->state, &loss, &s->out);
}

#endif
