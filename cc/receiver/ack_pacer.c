/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An ACK pacer: in-order data is acknowledged at most once in `interval`, evenly, so that ACKs which wait together for a radio or a
 * burst of data make no burst of new data (Zhang, Shenker and Clark 1991 on ACK compression; Aggarwal, Savage and Anderson 2000 on
 * pacing at the receiver).
 *
 * What RFC 5681 4.2 wants at once goes at once: an ACK above a hole, of a hole filled, of a duplicate, of a FIN. The stack's timer for delayed ACKs
 * runs beside it, so an interval longer than that has no effect.
 */
#include "cc/cc.h"

struct ack_pacer_params {
	wt_time interval;
};

struct ack_pacer {
	wt_time interval, next; /* next: no ACK of in-order data before it */
	bool waiting;           /* data waits for the next */
};

static void ack_pacer_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct ack_pacer *a = state;

	*a = (struct ack_pacer){.interval = ((const struct ack_pacer_params *)params)->interval};
}

static unsigned ack_pacer_on_segment(void *state, const struct wt_rx_segment *segment, struct wt_cc_note *note)
{
	struct ack_pacer *a = state;

	if (segment->flags & (WT_RX_OUT_OF_ORDER | WT_RX_DUPLICATE | WT_RX_FILLED_HOLE | WT_RX_FIN) || !segment->len)
		return WT_RX_ACK_NOW;
	if (segment->now >= a->next)
		return WT_RX_ACK_NOW;
	a->waiting = true;
	return WT_RX_ACK_HOLD;
}

/* Any ACK is the one of this interval. */
static void ack_pacer_on_ack_out(void *state, const struct wt_rx_ack *ack, struct wt_rx_out *out)
{
	struct ack_pacer *a = state;

	a->next = ack->now + a->interval;
	a->waiting = false;
}

static wt_time ack_pacer_deadline(const void *state)
{
	const struct ack_pacer *a = state;

	return a->waiting ? a->next : WT_NEVER;
}

static unsigned ack_pacer_on_timer(void *state, wt_time now)
{
	struct ack_pacer *a = state;

	if (!a->waiting)
		return WT_RX_DEFAULT;
	a->waiting = false;
	a->next = now + a->interval;
	return WT_RX_ACK_NOW;
}

static const struct wt_param ack_pacer_params[] = {
	{"interval", WT_PARAM_TIME, offsetof(struct ack_pacer_params, interval), "least time between two ACKs of in-order data", 1e3, 1e9, NULL},
};

static const struct ack_pacer_params ack_pacer_default = {.interval = 2 * WT_MS};

const struct wt_receiver_ops wt_receiver_ack_pacer = {
	.name = "ack_pacer",
	.text = "acknowledges data in order evenly, at most once in 2 ms (after Aggarwal, Savage and Anderson 2000)",
	.params = ack_pacer_params,
	.param_count = sizeof(ack_pacer_params) / sizeof(ack_pacer_params[0]),
	.params_size = sizeof(struct ack_pacer_params),
	.state_size = sizeof(struct ack_pacer),
	.params_default = &ack_pacer_default,
	.init = ack_pacer_init,
	.on_segment = ack_pacer_on_segment,
	.on_ack_out = ack_pacer_on_ack_out,
	.deadline = ack_pacer_deadline,
	.on_timer = ack_pacer_on_timer,
};
