/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/shared/hystart.h"

/* RFC 9406 4.3 */
#define SAMPLES 8
#define LEAST_RISE (4 * WT_MS)
#define MOST_RISE (16 * WT_MS)
#define RISE_DIVISOR 8
#define GROWTH_DIVISOR 4
#define ROUNDS 5

static wt_time rise(wt_time base)
{
	wt_time part = base / RISE_DIVISOR;

	return part < LEAST_RISE ? LEAST_RISE : part > MOST_RISE ? MOST_RISE : part;
}

static void sample(struct wt_hystart *h, const struct wt_ack *ack)
{
	if (!ack->rtt)
		return;
	h->samples++;
	if (!h->current_min || ack->rtt < h->current_min)
		h->current_min = ack->rtt;
}

static void judge(struct wt_hystart *h)
{
	if (h->samples < SAMPLES || !h->current_min)
		return;
	if (!h->conservative && h->last_min && h->current_min >= h->last_min + rise(h->last_min)) {
		h->baseline = h->current_min;
		h->conservative = true;
		h->rounds = 0;
	} else if (h->conservative && h->current_min < h->baseline) {
		h->conservative = false;
	}
}

uint32_t wt_hystart_grow(struct wt_hystart *h, const struct wt_ack *ack, uint32_t mss, bool paced, bool *leave)
{
	uint64_t step = ack->acked, most = (uint64_t)WT_HYSTART_LIMIT * mss;

	*leave = false;
	if (h->over)
		return ack->acked;
	if (!paced && step > most)
		step = most;
	if (wt_round_over(&h->round, ack)) {
		h->last_min = h->current_min;
		h->current_min = 0;
		h->samples = 0;
		if (h->conservative && ++h->rounds >= ROUNDS)
			*leave = h->over = true;
	}
	sample(h, ack);
	judge(h);
	return (uint32_t)(h->conservative ? step / GROWTH_DIVISOR : step);
}
