/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RACK-TLP (RFC 8985): a segment is lost when one that was sent later has been delivered, and more than a round trip and a
 * reordering window has passed since it left. What counts is the time of the last transmission, so a lost retransmission is
 * found like any other loss, and reordering within the window costs nothing.
 *
 *   lost  if  sent before the newest delivered segment  and  sent + rack.rtt + reo_wnd <= now
 *
 * reo_wnd is 0 until reordering was seen, then a quarter of the least round trip, and one more quarter for each round trip in
 * which D-SACKs told of needless retransmissions, never more than the smoothed round trip (6.2 step 4). Round trips are taken by the
 * times of transmission, which are exact and all different, so a coarse clock (`tick`) delays timers and nothing else.
 *
 * A tail of losses makes no later segment arrive. So when two round trips pass without an ACK, one segment goes as a probe
 * (7, Tail Loss Probe): new data, or the last segment again. If a repeated last segment is acknowledged without a D-SACK, it
 * was a loss, and the window is reduced for it (7.4).
 *
 * Beside it, each to be switched off: PRR sets the flight in recovery (RFC 9937); F-RTO finds that a timeout was needless by
 * sending new data after the first ACK that follows it (RFC 5682 3.1); then everything is as before the timeout.
 *
 * The reordering timer runs to the moment at which all segments that were sent before the newest delivered one are due, where
 * 6.2 step 5 has the largest remainder of one of them: later by less than the gap between two segments. Without SACK the
 * module is NewReno.
 */
#include "cc/shared/dupack.h"
#include "cc/shared/prr.h"

#define REO_PERSIST 16 /* recoveries for which a widened reordering window stays (6.2 step 4) */

enum frto { FRTO_NONE, FRTO_FIRST, FRTO_SECOND };

struct rack_params {
	uint64_t tlp, prr, frto;
	wt_time ack_delay;
};

struct rack {
	struct rack_params params;
	struct wt_dupack fast; /* for a peer without SACK */
	struct wt_prr prr;
	wt_time armed; /* the retransmission timer began to run about here: the last new ACK, or the first segment of a flight */
	bool sack, in, after_rto, reordering;
	uint32_t dupthresh, mult, persist;
	wt_seq recover;            /* what must be acknowledged to end recovery */
	bool has_dsack_round;
	wt_seq dsack_round;
	/* of the delivered segment that was sent last; rtt 0: none yet */
	wt_time sent, rtt;
	wt_seq end;
	wt_time min_rtt; /* by the times of transmission: the stack's own is no finer than its clock */
	wt_time reo_due, probe_due; /* timers */
	bool probing, probed, probe_again; /* a probe is about to leave; one is out; it was sent before */
	wt_seq probe_end;
	enum frto frto;
};

static const struct wt_dupack_rule without_sack = {.partial = true, .once = true, .limited_transmit = true, .impatient = true};

static void take_env(struct rack *r, const struct wt_cc_env *env)
{
	r->sack = env->sack;
	r->dupthresh = env->dupthresh ? env->dupthresh : 3;
}

static void rack_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct rack *r = state;

	*r = (struct rack){.params = *(const struct rack_params *)params, .mult = 1, .reo_due = WT_NEVER, .probe_due = WT_NEVER};
	wt_dupack_init(&r->fast, env);
	take_env(r, env);
}

static bool sent_after(wt_time sent, wt_seq end, wt_time other, wt_seq other_end)
{
	return sent > other || (sent == other && wt_seq_gt(end, other_end));
}

/*
 * 6.2 steps 1 and 2. An answer sooner than any round trip is to an earlier copy, and so is an older timestamp's. The least round trip is by
 * the moment of sending; the place among all transmissions is up to some microseconds later, and a quarter of those is no reordering.
 */
static void take_newest(struct rack *r, const struct wt_ack *ack, wt_time handshake)
{
	const struct wt_newest *newest = &ack->newest;
	wt_time sent = newest->sent + newest->later, rtt = ack->now > newest->sent ? ack->now - newest->sent : 1;
	wt_time least = r->min_rtt ? r->min_rtt : handshake;

	if (!newest->len || (newest->retransmitted && (newest->earlier || rtt < least)))
		return;
	if (!newest->retransmitted && (!r->min_rtt || rtt < r->min_rtt))
		r->min_rtt = rtt;
	r->rtt = wt_time_max(1, ack->now - sent);
	if (!r->sent || sent_after(sent, newest->end, r->sent, r->end)) {
		r->sent = sent;
		r->end = newest->end;
	}
}

/* 6.2 step 4. */
static void widen(struct rack *r, const struct wt_ack *ack)
{
	if (r->has_dsack_round && wt_seq_ge(ack->ack, r->dsack_round))
		r->has_dsack_round = false; /* for good: 2 GiB from here it would lie ahead again */
	if (!ack->dsacked || r->has_dsack_round)
		return;
	r->has_dsack_round = true;
	r->dsack_round = ack->snd_nxt;
	r->mult++;
	r->persist = REO_PERSIST;
}

static void ended(struct rack *r)
{
	if (r->persist && --r->persist == 0)
		r->mult = 1;
}

static wt_time window(const struct rack *r, const struct wt_outstanding *view)
{
	wt_time reo = r->min_rtt / 4 * r->mult, most = view->srtt > r->rtt ? view->srtt : r->rtt; /* a coarse clock may take srtt for nothing */

	if (!r->reordering && (r->in || r->after_rto || view->sacked >= r->dupthresh * view->mss))
		return 0;
	return reo < most ? reo : most;
}

/* 6.2 step 5: true if anything is found lost. A coarse clock is no reason to wait: times of transmission are exact. */
static bool detect(struct rack *r, wt_time now, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	wt_time reo = window(r, view), due = now - r->rtt - reo;

	r->reo_due = WT_NEVER;
	if (!r->rtt || !view->oldest_sent || !sent_after(r->sent, r->end, view->oldest_sent, view->oldest_end))
		return false;
	if (view->oldest_sent > due) {
		r->reo_due = r->sent + r->rtt + reo;
		return false;
	}
	out->sent_by = true;
	out->sent_time = due < r->sent ? due + 1 : r->sent;
	out->sent_end = due < r->sent ? view->snd_una : r->end - 1;
	if (due < r->sent) /* others, sent later but before the newest, may become due */
		r->reo_due = r->sent + r->rtt + reo;
	return true;
}

static void enter(struct rack *r, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	static const struct wt_ack none = {0};

	r->in = true;
	r->recover = view->snd_nxt;
	r->probe_due = WT_NEVER;
	r->probed = false; /* the window is reduced now, so what the probe tells no longer matters */
	out->enter = true;
	out->lost_to = view->snd_una;
	if (r->params.prr)
		wt_prr_enter(&r->prr, ack ? ack : &none, view, out);
}

/* 7.2: two round trips, and what a lone segment's ACK may be delayed; no later than the timeout, which runs since `armed`. */
static wt_time probe_at(const struct rack *r, wt_time now, const struct wt_outstanding *view)
{
	wt_time due = view->srtt ? 2 * view->srtt : WT_S, expires = r->armed + view->rto;

	if (view->srtt && view->inflight <= view->mss)
		due += r->params.ack_delay;
	due = now + due < expires ? now + due : expires;
	return due > now ? due : now + 1;
}

static void schedule_probe(struct rack *r, wt_time now, const struct wt_outstanding *view)
{
	bool wanted = r->params.tlp && r->sack && !r->in && !r->after_rto && !r->probed && !view->sacked && view->snd_una != view->snd_nxt;

	r->probe_due = wanted ? probe_at(r, now, view) : WT_NEVER;
}

/* 7.4: what an ACK at or above the end of a probe says of it. True: the probe repaired a loss. */
static bool judge_probe(struct rack *r, const struct wt_ack *ack)
{
	if (!r->probed || wt_seq_lt(ack->ack, r->probe_end))
		return false;
	if (!r->probe_again || ack->dsacked) {
		r->probed = false;
		return false;
	}
	if (wt_seq_gt(ack->ack, r->probe_end)) {
		r->probed = false;
		return true;
	}
	if (ack->flags & WT_ACK_DUP && !ack->sacked) /* both copies arrived */
		r->probed = false;
	return false;
}

/*
 * RFC 5682 3.1. Step 2: the first ACK of new data that leaves something open lets new data go first; duplicates before it
 * decide nothing. Step 3: if the next ACK reports what was sent once and was outstanding at the timeout, the timeout was
 * spurious; if it reports anything sent after it, the rest is lost.
 */
static void judge_timeout(struct rack *r, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	bool moved = ack->acked > 0, beyond = wt_seq_gt(view->highest_sacked, r->recover) || wt_seq_gt(view->snd_una, r->recover);

	if (r->frto == FRTO_NONE || !(moved || ack->flags & WT_ACK_DUP))
		return;
	if (r->frto == FRTO_FIRST && !moved)
		return;
	if (r->frto == FRTO_FIRST && wt_seq_lt(view->snd_una, r->recover) && !beyond && view->new_data) {
		r->frto = FRTO_SECOND;
		out->new_first = true;
		return;
	}
	if (r->frto == FRTO_SECOND && !beyond && ack->newly_delivered && !ack->newest.retransmitted)
		out->undo = true;
	r->frto = FRTO_NONE;
	out->new_first = false;
}

static void by_time(struct rack *r, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	bool lost, repaired;

	take_newest(r, ack, view->min_rtt);
	r->reordering |= (ack->flags & WT_ACK_REORDERED) != 0;
	widen(r, ack);
	if ((r->in || r->after_rto) && wt_seq_ge(view->snd_una, r->recover)) {
		out->leave = r->in;
		r->in = r->after_rto = false;
		wt_prr_end(&r->prr, out);
		ended(r);
	}
	judge_timeout(r, ack, view, out);
	repaired = judge_probe(r, ack);
	lost = detect(r, ack->now, view, out);
	if (lost && !r->in && !r->after_rto)
		enter(r, ack, view, out);
	else if (repaired && !r->in && !r->after_rto && !out->leave)
		out->enter = out->leave = true; /* one reduction, no recovery: the probe has repaired it */
	if (ack->acked) {
		r->armed = ack->now;
		schedule_probe(r, ack->now, view);
	} else if (view->sacked || r->in) {
		r->probe_due = WT_NEVER;
	}
}

static void rack_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct rack *r = state;

	if (r->sack)
		by_time(r, ack, view, out);
	else
		wt_dupack_on_ack(&r->fast, &without_sack, ack, view, out);
}

static void rack_allow(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct rack *r = state;

	wt_prr_allow(&r->prr, ack, view, out);
}

static void rack_on_sent(void *state, const struct wt_sent *sent, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct rack *r = state;

	wt_prr_sent(&r->prr, sent);
	if (r->probing) {
		r->probing = false;
		r->probed = true;
		r->probe_again = sent->retransmission;
		r->probe_end = view->snd_nxt;
	} else if (!sent->retransmission) {
		if (sent->inflight <= sent->len)
			r->armed = sent->now;
		schedule_probe(r, sent->now, view);
	}
}

static void rack_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct rack *r = state;

	wt_dupack_on_rto(&r->fast, view, out);
	wt_prr_end(&r->prr, out);
	/* after a second timeout, or one in recovery, what arrives may be a copy (RFC 5682 3.1 step 1) */
	r->frto = r->params.frto && r->sack && !r->after_rto && !r->in ? FRTO_FIRST : FRTO_NONE;
	r->in = r->probed = r->probing = false;
	r->after_rto = true;
	r->recover = view->snd_nxt;
	r->reo_due = r->probe_due = WT_NEVER;
}

static wt_time rack_deadline(const void *state)
{
	const struct rack *r = state;

	return r->reo_due < r->probe_due ? r->reo_due : r->probe_due;
}

static void rack_on_timer(void *state, wt_time now, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct rack *r = state;

	if (r->reo_due <= now) {
		bool lost = detect(r, now, view, out);

		r->reo_due = r->reo_due <= now ? WT_NEVER : r->reo_due;
		if (lost && !r->in && !r->after_rto)
			enter(r, NULL, view, out);
		else if (r->probe_due == WT_NEVER) /* after an undo: F-RTO's is behind the ACK that should have armed it (7.2) */
			schedule_probe(r, now, view);
	}
	if (r->probe_due <= now) {
		r->probe_due = WT_NEVER;
		r->probing = out->probe = !r->in && view->snd_una != view->snd_nxt;
	}
}

static void rack_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct rack *r = state;

	wt_dupack_on_event(&r->fast, event, env);
	if (event == WT_CC_ESTABLISHED)
		take_env(r, env);
	if (event == WT_CC_UNDO) {
		r->reordering |= r->in; /* what was held lost had been overtaken; no step of RFC 8985 sees it, as it was sent again */
		r->in = r->after_rto = r->prr.on = false;
		r->frto = FRTO_NONE;
		r->reo_due = r->sack ? env->now : WT_NEVER; /* what is in flight again may be lost, whatever came before the undo (Linux asks at once, too) */
	}
}

static const struct wt_param rack_params[] = {
	{"tlp", WT_PARAM_BOOL, offsetof(struct rack_params, tlp), "probe a silent tail after two round trips (RFC 8985 7)", 0, 0, NULL},
	{"prr", WT_PARAM_BOOL, offsetof(struct rack_params, prr), "the flight in recovery by proportional rate reduction (RFC 9937)", 0, 0,
	 NULL},
	{"frto", WT_PARAM_BOOL, offsetof(struct rack_params, frto), "find needless timeouts by new data after them (RFC 5682)", 0, 0, NULL},
	{"ack_delay", WT_PARAM_TIME, offsetof(struct rack_params, ack_delay),
	 "what a receiver may delay the ACK of a lone segment (RFC 8985 7.2)", 0, 1e9, NULL},
};

static const struct rack_params rack_default = {.tlp = 1, .prr = 1, .frto = 1, .ack_delay = 200 * WT_MS};

const struct wt_recovery_ops wt_recovery_rack = {
	.name = "rack",
	.text = "loss by time of transmission, probes of the tail, PRR, F-RTO; NewReno without SACK (RFC 8985, 9937, 5682)",
	.params = rack_params,
	.param_count = sizeof(rack_params) / sizeof(rack_params[0]),
	.params_size = sizeof(struct rack_params),
	.state_size = sizeof(struct rack),
	.params_default = &rack_default,
	.by_time = true,
	.init = rack_init,
	.on_ack = rack_on_ack,
	.allow = rack_allow,
	.on_rto = rack_on_rto,
	.on_event = rack_on_event,
	.on_sent = rack_on_sent,
	.deadline = rack_deadline,
	.on_timer = rack_on_timer,
};
