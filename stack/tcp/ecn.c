/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explicit congestion notification: RFC 3168 6.1, all that TCP has to do for it.
 *
 *   SYNs      what was sent and heard decides what each direction may do
 *   receiver  a CE mark sets ECE on every ACK until CWR comes
 *   sender    ECE reduces the window once per window of data; CWR tells the peer of every reduction
 *
 * Which reduction it is, the sender module says (WT_LOSS_ECN). docs/ecn.md has the rules in short.
 */
#include "stack/tcp/tcb.h"

/* What the SYNs and SYN-ACKs of a connection were, in either direction: setup or plain (6.1.1). */
enum {
	SENT_SETUP = 1,
	SENT_PLAIN = 2,
	HEARD_SETUP = 4,
	HEARD_PLAIN = 8,
};

#define BOTH (WT_ECE | WT_CWR)

/* ---- handshake ------------------------------------------------------------------------------------------------- */

static void note_syn(struct wt_tcp *tcp, unsigned what)
{
	struct wt_tcp_ecn *ecn = &tcp->ecn;

	ecn->syns |= (uint8_t)what;
	/* 6.1.1: no ECT after anything plain; but marks that the peer may cause by our offer are answered all the same */
	ecn->sends = ecn->syns == (SENT_SETUP | HEARD_SETUP);
	ecn->echoes = (ecn->syns & (SENT_SETUP | HEARD_PLAIN)) == SENT_SETUP;
}

uint8_t wt_ecn_syn_flags(struct wt_tcp *tcp)
{
	uint64_t wanted = tcp->config->settings.ecn;
	bool setup;

	if (tcp->state == WT_TCP_SYN_RECEIVED) /* asked, and nothing plain was said: agree */
		setup = wanted != WT_ECN_SETTING_OFF && (tcp->ecn.syns & ~SENT_SETUP) == HEARD_SETUP;
	else /* a path that swallows such SYNs must not swallow the connection (6.1.1.1) */
		setup = wanted == WT_ECN_SETTING_ON && !tcp->syn_attempt;
	note_syn(tcp, setup ? SENT_SETUP : SENT_PLAIN);
	return !setup ? 0 : tcp->state == WT_TCP_SYN_RECEIVED ? WT_ECE : BOTH;
}

/* A SYN-ACK with both flags is the reflection of our SYN by a host that knows nothing of them: plain. */
void wt_ecn_syn_arrived(struct wt_tcp *tcp, unsigned flags)
{
	note_syn(tcp, (flags & BOTH) == (flags & WT_ACK ? WT_ECE : BOTH) ? HEARD_SETUP : HEARD_PLAIN);
}

/* ---- receiver: 6.1.3 ------------------------------------------------------------------------------------------- */

unsigned wt_ecn_data(struct wt_tcp *tcp, const struct wt_tcp_header *seg)
{
	struct wt_tcp_ecn *ecn = &tcp->ecn;
	bool marked = seg->ecn == WT_ECN_CE, news = marked && !ecn->echo;

	if (seg->flags & WT_CWR) {
		news = true; /* its window may be a single segment now, which must not wait for a delayed ACK */
		ecn->echo = false;
	}
	if (marked) {
		ecn->echo = true;
		tcp->tally.ce_received_segs++;
	}
	if (news)
		tcp->ack_now = true;
	return marked ? WT_RX_CE : 0;
}

/* ---- sender: 6.1.2 --------------------------------------------------------------------------------------------- */

void wt_ecn_reduced(struct wt_tcp *tcp, bool by_mark)
{
	struct wt_tcp_ecn *ecn = &tcp->ecn;

	if (!ecn->sends)
		return;
	if (by_mark || ecn->by_mark) {
		ecn->mark.reduced = !by_mark && ecn->reduced;
		ecn->mark.say_cwr = !by_mark && ecn->say_cwr;
		ecn->mark.reduced_at = ecn->reduced_at;
	}
	ecn->reduced = true;
	ecn->by_mark = by_mark;
	ecn->reduced_at = tcp->snd_nxt;
	ecn->say_cwr = true;
}

/* CWR is not said of a reduction that does not stand, and a mark in the flight is the first that reduces (6.1.2). */
void wt_ecn_undone(struct wt_tcp *tcp)
{
	struct wt_tcp_ecn *ecn = &tcp->ecn;

	if (ecn->by_mark)
		return;
	ecn->reduced = ecn->mark.reduced && wt_seq_le(tcp->snd_una, ecn->mark.reduced_at);
	ecn->reduced_at = ecn->mark.reduced_at;
	ecn->say_cwr = ecn->mark.say_cwr;
	ecn->by_mark = ecn->reduced || ecn->say_cwr;
}

bool wt_ecn_answered(const struct wt_tcp *tcp)
{
	return tcp->ecn.reduced && tcp->ecn.by_mark && wt_seq_lt(tcp->snd_una, tcp->ecn.reduced_at) &&
	       !tcp->config->sender.ops->answers_both;
}

/*
 * A window of one segment cannot be halved: what comes next waits for as long as the retransmission timer would. That
 * timer, as the persist timer, would send a probe; so the one of pacing does it.
 */
static void wait_a_timeout(struct wt_tcp *tcp)
{
	tcp->pace_at = wt_tcp_ticks_from_now(tcp, wt_rtt_timeout(&tcp->rtt, &tcp->config->settings));
	wt_tcp_set_timer(tcp, WT_TIMER_PACE, tcp->pace_at);
	wt_tcp_arm_rexmt(tcp);
}

void wt_ecn_echoed(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t acked)
{
	struct wt_tcp_ecn *ecn = &tcp->ecn;
	bool smallest = tcp->out.cwnd <= wt_tcp_send_mss(tcp);

	tcp->tally.ece_received_segs++;
	if (seg->ack != tcp->snd_una || (ecn->reduced && wt_seq_le(tcp->snd_una, ecn->reduced_at)))
		return; /* an ACK from before, or about data from before the last reduction */
	tcp->tally.ecn_reductions++;
	wt_cc_loss(tcp, WT_LOSS_ECN, acked);
	wt_ecn_reduced(tcp, true);
	if (smallest)
		wait_a_timeout(tcp);
	wt_trace(tcp->stack, tcp->conn, ECN, tcp->snd_una, ecn->reduced_at, tcp->out.cwnd);
}

static uint8_t codepoint(const struct wt_tcp *tcp)
{
	switch (tcp->out.codepoint) {
	case WT_CC_ECT0:
		return WT_ECN_ECT0;
	case WT_CC_ECT1:
		return WT_ECN_ECT1;
	case WT_CC_NOT_ECT:
		return WT_ECN_NOT_ECT;
	case WT_CC_ECT_SETTING:
		break;
	}
	return tcp->config->settings.ect1 ? WT_ECN_ECT1 : WT_ECN_ECT0;
}

/* New payload leaves: ECT, and CWR if there is something to tell. */
void wt_ecn_mark_data(struct wt_tcp *tcp, struct wt_tcp_header *seg)
{
	struct wt_tcp_ecn *ecn = &tcp->ecn;

	seg->ecn = codepoint(tcp);
	if (!ecn->say_cwr)
		return;
	ecn->say_cwr = ecn->mark.say_cwr = false;
	seg->flags |= WT_CWR;
	tcp->tally.cwr_sent_segs++;
}
