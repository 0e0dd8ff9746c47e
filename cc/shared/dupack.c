/* SPDX-License-Identifier: BSD-2-Clause */
#include "cc/shared/dupack.h"

static uint32_t at_most(uint32_t value, uint32_t ceiling)
{
	return value < ceiling ? value : ceiling;
}

static uint32_t flight(const struct wt_outstanding *view)
{
	return view->snd_nxt - view->snd_una;
}

void wt_dupack_init(struct wt_dupack *fast, const struct wt_cc_env *env)
{
	*fast = (struct wt_dupack){.dupthresh = env->dupthresh ? env->dupthresh : 3};
}

void wt_dupack_on_event(struct wt_dupack *fast, enum wt_cc_event event, const struct wt_cc_env *env)
{
	if (event == WT_CC_ESTABLISHED)
		fast->dupthresh = env->dupthresh ? env->dupthresh : 3;
	if (event == WT_CC_UNDO) {
		fast->in = false;
		fast->inflation = 0;
	}
}

static void mark(const struct wt_tx_record *last, struct wt_recovery_out *out)
{
	out->mark = true;
	out->again = true;
	out->lost_to = last->seq + last->len;
}

void wt_dupack_mark_first(const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	if (view->count)
		mark(wt_tx_record_at(view, 0), out);
}

void wt_dupack_mark_all(const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	if (view->count)
		mark(wt_tx_record_at(view, view->count - 1), out);
}

/*
 * What the sender may have in flight beyond cwnd. The RFCs count SACKed data as in flight and let every duplicate ACK
 * add a segment for it; the engine has already taken SACKed data out, so with SACK that part must not count twice.
 */
static void put_inflation(struct wt_dupack *fast, const struct wt_dupack_rule *rule, const struct wt_outstanding *view,
			  struct wt_recovery_out *out)
{
	uint32_t most = rule->one_window ? view->cwnd : fast->inflation_max;

	fast->inflation = at_most(fast->inflation, most);
	out->inflate = fast->inflation > view->sacked ? fast->inflation - view->sacked : 0;
}

/*
 * RFC 6582 4.1: below `recover`, three duplicate ACKs mean a loss if the last new ACK moved by at most four segments:
 * a jump over everything received out of order says that they are echoes of needless retransmissions.
 */
static bool really_lost(const struct wt_dupack *fast, const struct wt_outstanding *view)
{
	return view->cwnd > view->mss && fast->has_previous &&
	       (uint64_t)(fast->highest - fast->previous) <= (uint64_t)4 * view->mss;
}

static void enter(struct wt_dupack *fast, const struct wt_dupack_rule *rule, const struct wt_outstanding *view,
		  struct wt_recovery_out *out)
{
	/* "covers more than recover" (RFC 6582 3.2 step 2): beyond everything sent when recovery last began */
	if (rule->once && fast->has_recover && !wt_seq_gt(view->snd_una, fast->recover) &&
	    !(rule->heuristic && really_lost(fast, view)))
		return;
	fast->in = true;
	fast->has_recover = true;
	fast->had_partial = false;
	fast->recover = view->snd_nxt;
	/* As many inflations as segments outstanding (RFC 5681 3.2, against the bogus ACKs of Savage et al.) */
	fast->inflation_max = flight(view);
	fast->inflation = rule->no_inflation ? 0 : fast->dupthresh * view->mss;
	out->enter = true;
	if (rule->whole_window)
		wt_dupack_mark_all(view, out);
	else
		wt_dupack_mark_first(view, out);
	put_inflation(fast, rule, view, out);
}

uint32_t wt_dupack_early(const struct wt_outstanding *view, uint32_t dupthresh)
{
	uint32_t segments = view->mss ? (flight(view) + view->mss - 1) / view->mss : 0;

	return segments > 1 && segments < 4 && segments <= dupthresh && !view->new_data ? segments - 1 : dupthresh;
}

static void duplicate(struct wt_dupack *fast, const struct wt_dupack_rule *rule, const struct wt_ack *ack,
		      const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	uint32_t enough = rule->early ? wt_dupack_early(view, fast->dupthresh) : fast->dupthresh;

	if (fast->in) {
		if (!rule->no_inflation)
			fast->inflation += view->mss;
		put_inflation(fast, rule, view, out);
	} else if (ack->dupacks == enough) {
		out->inflate = 0;
		enter(fast, rule, view, out);
	} else if (rule->limited_transmit && ack->dupacks < fast->dupthresh) {
		uint32_t extra = at_most(ack->dupacks, 2) * view->mss;

		out->inflate = extra > view->sacked ? extra - view->sacked : 0;
	}
}

/* A partial ACK (RFC 6582 3.2 step 3): resend the next hole, take out what was acknowledged, put back one segment. */
static void partial(struct wt_dupack *fast, const struct wt_dupack_rule *rule, const struct wt_ack *ack,
		    const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	uint32_t deflate = ack->acked >= view->mss ? ack->acked - view->mss : ack->acked;

	wt_dupack_mark_first(view, out);
	fast->inflation -= at_most(deflate, fast->inflation);
	put_inflation(fast, rule, view, out);
	out->hold_timer = rule->impatient && fast->had_partial;
	fast->had_partial = true;
}

void wt_dupack_on_ack(struct wt_dupack *fast, const struct wt_dupack_rule *rule, const struct wt_ack *ack,
		    const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	if (!ack->acked) {
		if (ack->flags & WT_ACK_DUP)
			duplicate(fast, rule, ack, view, out);
		return;
	}
	fast->has_previous = true;
	fast->previous = view->snd_una - ack->acked;
	fast->highest = view->snd_una;
	if (fast->has_recover && wt_seq_gt(view->snd_una, fast->recover))
		fast->has_recover = false; /* or it would lie ahead again 2 GiB from here */
	out->inflate = 0;
	if (!fast->in)
		return;
	if (rule->partial && wt_seq_lt(view->snd_una, fast->recover)) {
		partial(fast, rule, ack, view, out);
		return;
	}
	fast->in = false;
	fast->inflation = 0;
	out->leave = true;
}

void wt_dupack_on_rto(struct wt_dupack *fast, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	fast->in = false;
	fast->inflation = 0;
	fast->has_recover = true;
	fast->recover = view->snd_nxt; /* RFC 6582 3.2 step 4 */
	out->inflate = 0;
}
