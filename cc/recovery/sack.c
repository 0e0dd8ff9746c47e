/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recovery by SACK (RFC 6675): the scoreboard says which holes are lost, and the pipe, not a count of duplicate
 * ACKs, says when the next segment may go.
 *
 *   snd_una        boundary                highest_sacked     snd_nxt
 *      |  lost, lost, |  more than DupThresh-1 segments SACKed |  in flight |
 *
 * IsLost() (4) holds for a segment if more than (DupThresh - 1) * SMSS bytes above it are SACKed; so everything
 * un-SACKed below one boundary is lost, and the boundary is found by walking down from the highest SACKed byte until
 * enough have been counted: a few records, however large the window is. The discontiguous half of IsLost() (DupThresh
 * separate runs) is covered by the byte count, except for runs of less than a segment each, which count less here.
 *
 * Differences from RFC 6675: the rescue retransmission of NextSeg() (4) is not made, so a lost tail waits for the
 * timer; NextSeg() (3), data that is not held lost, is left to the timer as well. Without SACK the module is NewReno.
 */
#include "cc/shared/dupack.h"

struct sack {
	struct wt_fast fast; /* for a peer without SACK */
	bool sack, in;
	bool has_recover;
	wt_seq recover; /* 5.1: no second entry below it after a timeout */
	uint32_t dupthresh;
};

static const struct wt_fast_rule without_sack = {.partial = true, .once = true, .limited_transmit = true, .impatient = true};

static void take_env(struct sack *s, const struct wt_cc_env *env)
{
	s->sack = env->sack;
	s->dupthresh = env->dupthresh ? env->dupthresh : 3;
}

static void sack_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct sack *s = state;

	wt_fast_init(&s->fast, env);
	take_env(s, env);
}

/* Index of the record that ends at `end`, which is the end of a SACKed one. */
static uint32_t record_before(const struct wt_outstanding *view, wt_seq end)
{
	uint32_t low = 0, high = view->count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (wt_seq_lt(wt_tx_record_at(view, middle)->seq, end))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* What lies below is lost wherever it is not SACKed; snd_una if nothing is. */
static wt_seq loss_boundary(const struct sack *s, const struct wt_outstanding *view)
{
	uint32_t enough = (s->dupthresh - 1) * view->mss, bytes = 0;

	if (view->sacked <= enough || view->count == 0)
		return view->snd_una;
	for (uint32_t i = record_before(view, view->highest_sacked);; i--) {
		const struct wt_tx_record *record = wt_tx_record_at(view, i);

		if (record->flags & WT_TX_SACKED)
			bytes += record->len;
		if (bytes > enough)
			return record->seq;
		if (i == 0)
			return view->snd_una;
	}
}

static void mark_to(struct wt_recovery_out *out, wt_seq boundary)
{
	out->mark = true;
	out->again = false;
	out->lost_to = boundary;
}

static void enter(struct sack *s, const struct wt_outstanding *view, wt_seq boundary, struct wt_recovery_out *out)
{
	s->in = true;
	s->recover = view->snd_nxt;
	s->has_recover = true;
	out->enter = true;
	out->inflate = 0;
	/* step 4.3: the first segment goes whatever the boundary says */
	if (boundary == view->snd_una)
		wt_fast_mark_first(view, out);
	else
		mark_to(out, boundary);
}

static void by_sack(struct sack *s, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	wt_seq boundary = loss_boundary(s, view);
	bool lost = wt_seq_gt(boundary, view->snd_una);

	if (s->has_recover && wt_seq_ge(view->snd_una, s->recover))
		s->has_recover = false;
	if (s->in && !s->has_recover) {
		s->in = false;
		out->leave = true; /* alone: together with `enter` it would mean that there is no recovery at all */
		return;
	}
	if (s->in) {
		if (lost)
			mark_to(out, boundary);
		return;
	}
	if (!s->has_recover && (lost || ack->dupacks >= s->dupthresh) && view->count)
		enter(s, view, boundary, out);
}

static void sack_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct sack *s = state;

	if (s->sack)
		by_sack(s, ack, view, out);
	else
		wt_fast_on_ack(&s->fast, &without_sack, ack, view, out);
}

static void sack_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct sack *s = state;

	wt_fast_on_rto(&s->fast, view, out);
	s->in = false;
	s->has_recover = true;
	s->recover = view->snd_nxt;
	out->inflate = 0;
}

static void sack_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct sack *s = state;

	wt_fast_on_event(&s->fast, event, env);
	if (event == WT_CC_ESTABLISHED)
		take_env(s, env);
}

const struct wt_recovery_ops wt_recovery_sack = {
	.name = "sack",
	.text = "every hole the SACK scoreboard shows, as the pipe allows; NewReno without SACK (RFC 6675)",
	.state_size = sizeof(struct sack),
	.init = sack_init,
	.on_ack = sack_on_ack,
	.on_rto = sack_on_rto,
	.on_event = sack_on_event,
};
