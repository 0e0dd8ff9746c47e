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

#include "cc/cc.h"

#define MSS 1000u
#define MUST(x) assert_int_equal((x), 0)

static inline struct wt_cc_env cc_env(void)
{
	return (struct wt_cc_env){
		.mss = MSS, .buffer = 1000 * MSS, .initial_window = 2 * MSS, .dupthresh = 3, .tick = WT_MS,
		.timestamps = true,
	};
}

/* Pages for the records of a board made by hand. */
static inline void cc_pages(struct wt_outstanding *view, struct wt_tx_record **page, struct wt_tx_record *ring, uint32_t count)
{
	for (uint32_t i = 0; i < count / WT_TX_PAGE; i++)
		page[i] = &ring[i * WT_TX_PAGE];
	view->page = page;
	view->mask = count / WT_TX_PAGE - 1;
}

/* What the scoreboard says of such a board, each by its definition in cc.h and a walk over all records. */
static inline void cc_settle(struct wt_outstanding *view)
{
	uint32_t bytes = 0;

	view->highest_sacked = wt_seq_max(view->highest_sacked, view->snd_una);
	view->loss_edge = view->snd_una;
	for (uint32_t i = view->count; i-- > 0 && bytes <= 2 * MSS;) {
		const struct wt_tx_record *record = wt_tx_record_at(view, i);

		if (!(record->flags & WT_TX_SACKED))
			continue;
		bytes += record->len;
		if (bytes > 2 * MSS)
			view->loss_edge = record->seq;
	}
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
			       .srtt = 100 * WT_MS};

	if (s->choice.ops->on_loss)
		s->choice.ops->on_loss(s->state, &loss, &s->out);
}

#endif
