/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/shared/prr.h"

void wt_prr_enter(struct wt_prr *prr, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	uint32_t flight = view->snd_nxt - view->snd_una - view->sacked + ack->newly_delivered;

	*prr = (struct wt_prr){.on = true, .flight = flight ? flight : view->mss};
	out->limit = view->mss; /* the fast retransmit alone, until an ACK says more */
}

void wt_prr_allow(struct wt_prr *prr, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	uint64_t news = ack->newly_delivered, count = 0;

	if (!prr->on || !news)
		return;
	prr->delivered += news;
	if (view->inflight > view->ssthresh) {
		uint64_t share = (prr->delivered * view->ssthresh + prr->flight - 1) / prr->flight;

		count = share > prr->out ? share - prr->out : 0;
	} else {
		count = prr->delivered > prr->out ? prr->delivered - prr->out : 0;
		count = count > news ? count : news;
		if (ack->acked && !ack->lost) /* SafeACK: it moves snd_una and tells of no further loss */
			count += view->mss;
		if (count > view->ssthresh - view->inflight)
			count = view->ssthresh - view->inflight;
	}
	if (!prr->out && count < view->mss) /* the fast retransmit goes in any case */
		count = view->mss;
	out->limit = view->inflight + (uint32_t)count;
	if (out->limit < view->mss)
		out->limit = view->mss;
}

void wt_prr_sent(struct wt_prr *prr, const struct wt_sent *sent)
{
	if (prr->on)
		prr->out += sent->len;
}

void wt_prr_end(struct wt_prr *prr, struct wt_recovery_out *out)
{
	prr->on = false;
	out->limit = 0;
}
