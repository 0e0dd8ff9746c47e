/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recovery by SACK (RFC 6675): the scoreboard says which holes are lost, and the pipe, not a count of duplicate
 * ACKs, says when the next segment may go.
 *
 *   snd_una        loss_edge               highest_sacked     snd_nxt
 *      |  lost, lost, |  more than DupThresh-1 segments SACKed |  in flight |
 *
 * IsLost() (4) holds for a segment if more than (DupThresh - 1) * SMSS bytes above it are SACKed; so everything
 * un-SACKed below one boundary is lost, which the scoreboard keeps (view->loss_edge), however large the window is. The
 * discontiguous half of IsLost() (DupThresh separate runs) is covered by the byte count, except for runs of less than a
 * segment each, which count less here.
 *
 * NextSeg() (4): what is lost goes first (1), then new data (2); that is the engine's order. If neither is there and the
 * pipe has room, holes below the highest SACKed byte go though they are not held lost (3), and once per recovery the last
 * segment of the flight (4), without which a lost tail would wait for the timer. What goes by (3) is in the pipe once here,
 * twice in RFC 6675: the first copy is taken for lost.
 *
 * RFC 6675 leaves a lost retransmission to the timer; so does `lost_retransmission=timer`. Otherwise a copy is held lost when
 * something sent more than a quarter of the least round trip after it has been delivered: the rule and the reordering window
 * of RACK (RFC 8985 6.2). The copies are looked at when the first outstanding segment is one of these: once per round trip.
 * RFC 5681 4.3 wants the window to be reduced a second time then (`reduce`); Linux does not (`resend`).
 *
 * The flight in recovery follows PRR (RFC 9937) as in Linux; `prr=off` lets it follow cwnd alone, as RFC 6675 5 has it: half a window of
 * ACKs then goes unanswered, and what follows comes at once.
 *
 * Without SACK the module is NewReno.
 */
#include "cc/shared/dupack.h"
#include "cc/shared/prr.h"

enum { LOST_AGAIN_RESEND, LOST_AGAIN_REDUCE, LOST_AGAIN_TIMER };

struct sack_params {
	uint64_t profile, lost_retransmission, early_retransmit, prr;
};

struct sack {
	struct sack_params params;
	struct wt_dupack fast; /* for a peer without SACK */
	struct wt_prr prr;
	bool sack, in;
	bool rescued;    /* NextSeg() (4), once per recovery */
	wt_seq rescued_end; /* the end of the segment that was rescued */
	wt_seq marked;   /* in recovery: what lies below was marked, if it was not SACKed */
	bool has_recover;
	wt_seq recover; /* 5.1: no second entry below it after a timeout */
	uint32_t dupthresh;
};

static const struct wt_dupack_rule without_sack = {.partial = true, .once = true, .limited_transmit = true, .impatient = true};

static void take_env(struct sack *s, const struct wt_cc_env *env)
{
	s->sack = env->sack;
	s->dupthresh = env->dupthresh ? env->dupthresh : 3;
}

static void sack_init(void *state, const void *params, const struct wt_cc_env *env)
{
	struct sack *s = state;

	s->params = *(const struct sack_params *)params;
	wt_dupack_init(&s->fast, env);
	take_env(s, env);
}

/* Index of the first record at or above `seq`, which is the start of a record or the end of the last. */
static uint32_t record_from(const struct wt_outstanding *view, wt_seq seq)
{
	uint32_t low = 0, high = view->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (wt_seq_lt(wt_tx_record_at(view, middle)->seq, seq))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void mark_to(struct sack *s, struct wt_recovery_out *out, wt_seq boundary)
{
	s->marked = boundary;
	out->mark = true;
	out->again = false;
	out->lost_to = boundary;
}

static void enter(struct sack *s, const struct wt_outstanding *view, wt_seq boundary, struct wt_recovery_out *out)
{
	s->in = true;
	s->rescued = false;
	s->marked = view->snd_una;
	s->recover = view->snd_nxt;
	s->has_recover = true;
	out->enter = true;
	out->inflate = 0;
	/* step 4.3: the first segment goes whatever the boundary says */
	if (boundary == view->snd_una)
		wt_dupack_mark_first(view, out);
	else
		mark_to(s, out, boundary);
}

static wt_seq first_end(const struct wt_outstanding *view)
{
	const struct wt_tx_record *first = wt_tx_record_at(view, 0);

	return first->seq + first->len;
}

static wt_time reordering(const struct wt_ack *ack)
{
	return ack->min_rtt / 4 + 1;
}

/* The first outstanding segment was resent, and what was sent well after that copy has arrived. */
static bool lost_again(const struct sack *s, const struct wt_ack *ack, const struct wt_outstanding *view)
{
	const struct wt_tx_record *first = wt_tx_record_at(view, 0);

	if (s->params.lost_retransmission == LOST_AGAIN_TIMER || !view->count || !ack->newest.len)
		return false;
	if ((first->flags & (WT_TX_RETRANSMITTED | WT_TX_LOST)) != WT_TX_RETRANSMITTED)
		return false;
	/* the rescued segment was never held lost, so the copy that has arrived is probably its first, older than the copies of the holes */
	if (s->rescued && ack->newest.retransmitted && ack->newest.end == s->rescued_end)
		return false;
	/* an answer within less than any round trip is to an earlier copy of that segment: it says nothing (RFC 8985 6.2 step 2) */
	return ack->now - ack->newest.sent >= ack->min_rtt && first->sent <= ack->newest.sent - reordering(ack);
}

/* What is SACKed or was resent needs no mark; each record is passed over once. */
static void skip_marked(struct sack *s, const struct wt_outstanding *view)
{
	s->marked = wt_seq_max(s->marked, view->snd_una);
	for (uint32_t i = record_from(view, s->marked); i < view->count; i++) {
		const struct wt_tx_record *record = wt_tx_record_at(view, i);

		if (!(record->flags & (WT_TX_SACKED | WT_TX_RETRANSMITTED | WT_TX_LOST)))
			break;
		s->marked = record->seq + record->len;
	}
}

/* NextSeg() (3) and (4): the pipe has room, and neither lost nor new data is there to fill it. */
static void fill_pipe(struct sack *s, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	uint32_t room = view->cwnd > ack->inflight ? (view->cwnd - ack->inflight) / view->mss : 0;
	wt_seq upto = s->marked;

	if (view->new_data || view->lost)
		return;
	for (uint32_t i = record_from(view, s->marked); room && i < view->count; i++) {
		const struct wt_tx_record *record = wt_tx_record_at(view, i);

		if (wt_seq_ge(record->seq, view->highest_sacked))
			break;
		if (record->flags & (WT_TX_SACKED | WT_TX_RETRANSMITTED))
			continue;
		upto = record->seq + record->len;
		room--;
	}
	if (upto != s->marked) {
		mark_to(s, out, upto);
	} else if (room && !s->rescued) {
		s->rescued = true;
		s->rescued_end = view->snd_nxt;
		out->rescue = true;
	}
}

static void in_recovery(struct sack *s, const struct wt_ack *ack, const struct wt_outstanding *view, wt_seq boundary,
			struct wt_recovery_out *out)
{
	skip_marked(s, view);
	if (lost_again(s, ack, view)) {
		out->enter = s->params.lost_retransmission == LOST_AGAIN_REDUCE;
		mark_to(s, out, wt_seq_max(s->marked, first_end(view)));
		out->again = true;
		out->again_sent = ack->newest.sent - reordering(ack);
	} else if (wt_seq_gt(boundary, s->marked)) {
		mark_to(s, out, boundary);
	} else {
		fill_pipe(s, ack, view, out);
	}
}

static void by_sack(struct sack *s, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	wt_seq boundary = view->loss_edge;
	bool lost = wt_seq_gt(boundary, view->snd_una);
	uint32_t enough = s->params.early_retransmit ? wt_dupack_early(view, s->dupthresh) : s->dupthresh;

	if (s->has_recover && wt_seq_ge(view->snd_una, s->recover))
		s->has_recover = false;
	if (s->in && !s->has_recover) {
		s->in = false;
		wt_prr_end(&s->prr, out);
		out->leave = true; /* alone: together with `enter` it would mean that there is no recovery at all */
		return;
	}
	if (s->in) {
		in_recovery(s, ack, view, boundary, out);
		return;
	}
	if (!s->has_recover && (lost || ack->dupacks >= enough) && view->count) {
		enter(s, view, boundary, out);
		if (s->params.prr)
			wt_prr_enter(&s->prr, ack, view, out);
	}
}

static void sack_on_ack(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct sack *s = state;

	if (s->sack) {
		by_sack(s, ack, view, out);
		out->idle = !s->in && !s->has_recover;
	} else {
		wt_dupack_on_ack(&s->fast, &without_sack, ack, view, out);
		out->idle = false;
	}
}

static void sack_on_rto(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct sack *s = state;

	wt_dupack_on_rto(&s->fast, view, out);
	wt_prr_end(&s->prr, out);
	s->in = false;
	s->has_recover = true;
	s->recover = view->snd_nxt;
	out->inflate = 0;
}

static void sack_on_event(void *state, enum wt_cc_event event, const struct wt_cc_env *env)
{
	struct sack *s = state;

	wt_dupack_on_event(&s->fast, event, env);
	if (event == WT_CC_ESTABLISHED)
		take_env(s, env);
	if (event == WT_CC_UNDO)
		s->in = s->has_recover = s->prr.on = false;
}

static void sack_allow(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct sack *s = state;

	wt_prr_allow(&s->prr, ack, view, out);
}

static void sack_on_sent(void *state, const struct wt_sent *sent, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	struct sack *s = state;

	wt_prr_sent(&s->prr, sent);
}

static const char *const lost_again_words[] = {"resend", "reduce", "timer", NULL};

static const char *const profile_words[] = {"rfc6675", "ns2", NULL};

static const struct wt_param sack_params[] = {
	{"profile", WT_PARAM_WORD, offsetof(struct sack_params, profile), "set of all parameters; others given go on top", 0, 0, profile_words},
	{"lost_retransmission", WT_PARAM_WORD, offsetof(struct sack_params, lost_retransmission),
	 "resend (Linux), also reduce the window (RFC 5681 4.3), or wait for the timer (RFC 6675)", 0, 0, lost_again_words},
	{"early_retransmit", WT_PARAM_BOOL, offsetof(struct sack_params, early_retransmit),
	 "with two or three segments in flight and no new data, one or two duplicate ACKs mean loss (RFC 5827)", 0, 1, NULL},
	{"prr", WT_PARAM_BOOL, offsetof(struct sack_params, prr), "the flight in recovery by proportional rate reduction (RFC 9937)", 0, 0, NULL},
};

static const struct sack_params sack_default = {.lost_retransmission = LOST_AGAIN_RESEND, .prr = 1};
static const struct sack_params ns2 = {.profile = 1, .lost_retransmission = LOST_AGAIN_TIMER};

static const struct wt_cc_preset presets[] = {
	{"rfc6675", "as RFC 6675 has it, with PRR", &sack_default},
	{"ns2", "ns-2's Agent/TCP/Sack1: the pipe alone, a lost retransmission waits for the timer", &ns2},
	{NULL, NULL, NULL},
};

const struct wt_recovery_ops wt_recovery_sack = {
	.name = "sack",
	.text = "every hole the SACK scoreboard shows, as the pipe allows; NewReno without SACK (RFC 6675)",
	.params = sack_params,
	.param_count = sizeof(sack_params) / sizeof(sack_params[0]),
	.params_size = sizeof(struct sack_params),
	.state_size = sizeof(struct sack),
	.params_default = &sack_default,
	.presets = presets,
	.init = sack_init,
	.on_ack = sack_on_ack,
	.on_rto = sack_on_rto,
	.on_event = sack_on_event,
	.allow = sack_allow,
	.on_sent = sack_on_sent,
	.sent_alone = true,
};
