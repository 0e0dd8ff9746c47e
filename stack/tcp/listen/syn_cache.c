/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SYN-RECEIVED of a listener: RFC 9293 3.10.7.2 and 3.10.7.4, in a small entry (the SYN cache of RFC 4987 3.5).
 *
 *   SYN            an entry, and the SYN-ACK
 *   third segment  the connection with its buffers and modules, as if it had been there since the SYN
 *
 * The entry keeps what the SYN said. Whenever the block of the connection is needed it is made again from that (revive()): for
 * the moment of a SYN-ACK on the stack, for good with the third segment. So options of modules, ECN and the numbers come from
 * the same code as those of any other connection. When a listener or the host has its most entries, SYN-ACKs carry cookies.
 *
 * A simultaneous open is no matter of a listener: it stays in input.c.
 */
#include <errno.h>

#include "stack/tcp/tcb.h"

/* ---- entry and block ---------------------------------------------------------------------------------------- */

static void keep_options(struct wt_syn *syn, const struct wt_tcp_header *seg)
{
	for (unsigned i = 0; i < seg->experiment_count; i++) {
		const struct wt_tcp_experiment *from = &seg->experiment[i];
		uint8_t *to = syn->options + syn->option_bytes;

		if (from->len < 2 || syn->option_bytes + from->len > WT_SYN_OPTIONS)
			continue; /* it does not fit beside what stacks send; then it was not offered */
		to[0] = from->kind;
		to[1] = from->len;
		memcpy(to + 2, from->data, from->len - 2u);
		syn->option_bytes = (uint8_t)(syn->option_bytes + from->len);
	}
}

static void fill(struct wt_syn *syn, const struct wt_tuple *tuple, const struct wt_tcp_header *seg, wt_time now)
{
	bool ecn = (seg->flags & (WT_ECE | WT_CWR)) == (WT_ECE | WT_CWR);

	syn->entry.kind = WT_DEMUX_SYN;
	syn->entry.tuple = *tuple;
	syn->irs = seg->seq;
	syn->window = seg->window;
	syn->mss = seg->mss;
	syn->wscale = seg->wscale;
	syn->tsval = seg->tsval;
	syn->offer = (uint8_t)((seg->has_mss ? WT_SYN_MSS : 0) | (seg->has_wscale ? WT_SYN_WSCALE : 0) |
			       (seg->has_sack_permitted ? WT_SYN_SACK : 0) | (seg->has_ts ? WT_SYN_TS : 0) |
			       (ecn ? WT_SYN_ECN : 0));
	syn->sent = now;
}

/* The SYN, back from its entry. The data of options points into the entry. */
static struct wt_tcp_header syn_of(const struct wt_syn *syn)
{
	struct wt_tcp_header seg = {
		.src_port = syn->entry.tuple.remote.port,
		.dst_port = syn->entry.tuple.local.port,
		.seq = syn->irs,
		.flags = WT_SYN | (syn->offer & WT_SYN_ECN ? WT_ECE | WT_CWR : 0),
		.window = syn->window,
		.has_mss = syn->offer & WT_SYN_MSS,
		.mss = syn->mss,
		.has_wscale = syn->offer & WT_SYN_WSCALE,
		.wscale = syn->wscale,
		.has_sack_permitted = syn->offer & WT_SYN_SACK,
		.has_ts = syn->offer & WT_SYN_TS,
		.tsval = syn->tsval,
	};

	for (unsigned at = 0; at < syn->option_bytes; at += syn->options[at + 1])
		seg.experiment[seg.experiment_count++] =
			(struct wt_tcp_experiment){syn->options[at], syn->options[at + 1], syn->options + at + 2};
	return seg;
}

/* The block of the connection in SYN-RECEIVED, without buffers; with modules, or for a cookie without. */
static int revive(struct wt_tcp *tcp, const struct wt_syn *syn, bool modules)
{
	struct wt_tcp_header seg = syn_of(syn);

	wt_tcb_number(tcp, syn->iss);
	tcp->ecn.syns = syn->ecn;
	tcp->state = WT_TCP_SYN_RECEIVED;
	if (modules && wt_cc_attach(tcp))
		return -ENOMEM;
	wt_tcp_learn_syn(tcp, &seg);
	return 0;
}

/* A block for the moment, on the caller's stack; wt_cc_detach() ends it. */
static int borrow(struct wt_tcp *tcp, const struct wt_tcp *listener, const struct wt_syn *syn, bool modules)
{
	wt_tcb_init(tcp, listener->stack, listener->config, &syn->entry.tuple);
	tcp->conn = syn->timer.order;
	tcp->rtt.backoff = syn->attempt;
	return revive(tcp, syn, modules);
}

/* Do the modules hear or say something in a SYN? Else a SYN-ACK needs none. */
static bool speak_in_syn(const struct wt_tcp_config *config)
{
	const struct wt_sender_ops *sender = config->sender.ops;
	const struct wt_receiver_ops *receiver = config->receiver.ops;

	return sender->on_syn_in || sender->on_syn_out || receiver->on_syn_in || receiver->on_syn_out;
}

/* All SYN-ACKs up to this attempt, as the modules meet them; the last one stands in *seg. */
static void say(struct wt_tcp *tcp, unsigned attempt, struct wt_tcp_header *seg, struct wt_cc_option *option)
{
	for (tcp->syn_attempt = 0;; tcp->syn_attempt++) {
		wt_tcp_write_syn(tcp, seg, option);
		if (tcp->syn_attempt == attempt)
			return;
	}
}

/* There is one: it takes its entries with it when it closes. */
static struct wt_tcp *listener_of(struct wt_tcp_stack *stack, const struct wt_syn *syn)
{
	static const struct wt_addr any;
	const struct wt_endpoint *local = &syn->entry.tuple.local;

	return wt_demux_listener_at(stack, syn->any ? &any : &local->addr, local->port);
}

/* ---- SYN-ACK -------------------------------------------------------------------------------------------------- */

/* The SYN-ACK. heard: flags of a SYN that came again; 0: a new attempt, for which the timer starts. Without memory for modules it is as good as lost. */
static struct wt_frame *answer(struct wt_tcp *listener, struct wt_syn *syn, unsigned heard)
{
	struct wt_tcp_stack *stack = listener->stack;
	struct wt_frame *frame = NULL;
	struct wt_cc_option option;
	struct wt_tcp_header seg;
	struct wt_tcp tcp;
	bool ready = !borrow(&tcp, listener, syn, speak_in_syn(listener->config));

	if (!heard)
		wt_resident_arm(&stack->syns, &syn->timer, wt_tcp_ticks_from_now(&tcp, wt_rtt_timeout(&tcp.rtt, &tcp.config->settings)));
	if (ready) {
		if (heard)
			wt_ecn_syn_arrived(&tcp, heard);
		say(&tcp, syn->attempt, &seg, &option);
		syn->ecn = tcp.ecn.syns;
		syn->sends += syn->sends < 255;
		frame = wt_tcp_build_alone(stack, syn->timer.order, &syn->entry.tuple, &seg, 0, WT_SEND_SYN);
	}
	wt_cc_detach(&tcp);
	return frame;
}

static void answer_now(struct wt_tcp *listener, struct wt_syn *syn, unsigned heard)
{
	wt_tcp_keep(listener->stack, answer(listener, syn, heard));
}

static void send_cookie(struct wt_tcp *listener, struct wt_syn *syn)
{
	struct wt_tcp_stack *stack = listener->stack;
	struct wt_cc_option option;
	struct wt_tcp_header seg;
	struct wt_tcp tcp;

	if (!(syn->offer & WT_SYN_TS) || !listener->config->settings.timestamps)
		syn->offer &= WT_SYN_MSS; /* nothing else would come back */
	if (!(syn->offer & WT_SYN_MSS))
		syn->mss = 536;
	syn->offer |= WT_SYN_MSS;
	syn->iss = wt_cookie_make(stack, syn);
	borrow(&tcp, listener, syn, false);
	say(&tcp, 0, &seg, &option);
	if (!(seg.flags & WT_ECE))
		syn->offer &= (uint8_t)~WT_SYN_ECN; /* not agreed on */
	if (seg.has_ts)
		seg.tsval = wt_cookie_timestamp(seg.tsval, syn);
	stack->counts.cookies_sent++;
	stack->cookies_until = wt_time_add(stack->now, 2 * WT_COOKIE_PERIOD);
	wt_tcp_send_alone(stack, 0, &syn->entry.tuple, &seg, 0, WT_SEND_SYN);
}

static void send_reset(const struct wt_tcp *listener, const struct wt_syn *syn, wt_seq seq, wt_seq ack, unsigned flags)
{
	struct wt_tcp tcp;

	borrow(&tcp, listener, syn, false);
	wt_tcp_reset(&tcp, seq, ack, flags);
}

/* ---- life of an entry ------------------------------------------------------------------------------------------- */

void wt_syn_end(struct wt_tcp_stack *stack, struct wt_syn *syn)
{
	wt_demux_remove(stack, &syn->entry);
	wt_heap_set(&stack->syns, &syn->timer, WT_NEVER);
	wt_slot_give(&stack->slots, syn);
}

/* No connection comes of it. */
static void give_up(struct wt_tcp *listener, struct wt_syn *syn)
{
	listener->half_open--;
	wt_trace(listener->stack, syn->timer.order, STATE, WT_TCP_SYN_RECEIVED, WT_TCP_CLOSED);
	wt_syn_end(listener->stack, syn);
}

bool wt_syn_has_room(const struct wt_tcp *listener)
{
	uint32_t most = listener->stack->config.max_half_open;

	return listener->stack->syns.count < most && listener->half_open < (most + 1) / 2;
}

void wt_syn_arrived(struct wt_tcp *listener, const struct wt_tuple *tuple, const struct wt_tcp_header *seg, const wt_seq *above)
{
	struct wt_tcp_stack *stack = listener->stack;
	struct wt_syn cookie = {0}, *syn = wt_syn_has_room(listener) ? wt_slot_take(&stack->slots, stack->chunks) : NULL;

	if (!syn) {
		fill(&cookie, tuple, seg, stack->now);
		if (!above) /* else a cookie could not be above all that was used (RFC 6191) */
			send_cookie(listener, &cookie);
		return;
	}
	fill(syn, tuple, seg, stack->now);
	keep_options(syn, seg);
	syn->any = !listener->entry.tuple.local.addr.family;
	syn->iss = wt_tcp_first_number(stack, tuple, above);
	syn->timer.order = stack->next_conn + 1;
	if (wt_resident_arm(&stack->syns, &syn->timer, stack->now)) { /* answer() says when */
		wt_slot_give(&stack->slots, syn);
		return;
	}
	stack->next_conn++;
	listener->half_open++;
	wt_demux_add(stack, &syn->entry);
	wt_trace(stack, syn->timer.order, STATE, WT_TCP_CLOSED, WT_TCP_SYN_RECEIVED);
	answer_now(listener, syn, 0);
}

struct wt_frame *wt_syn_timeout(struct wt_tcp_stack *stack, struct wt_syn *syn)
{
	struct wt_tcp *listener = listener_of(stack, syn);
	struct wt_rtt rtt;

	if (syn->attempt >= listener->config->settings.syn_retries) {
		give_up(listener, syn);
		return NULL;
	}
	syn->attempt++;
	wt_rtt_init(&rtt, &listener->config->settings);
	rtt.backoff = syn->attempt;
	wt_trace(stack, syn->timer.order, RTO, syn->iss, (uint64_t)wt_rtt_timeout(&rtt, &listener->config->settings), rtt.backoff, 0);
	return answer(listener, syn, 0);
}

void wt_syn_close(struct wt_tcp *listener)
{
	struct wt_tcp_stack *stack = listener->stack;

	/* what takes the place of one that is removed is looked at again or was looked at */
	for (uint32_t i = stack->syns.count; i > 0; i = i > stack->syns.count ? stack->syns.count : i) {
		struct wt_syn *syn = wt_syn_of(stack->syns.slots[i].entry);

		if (listener_of(stack, syn) != listener) {
			i--;
			continue;
		}
		send_reset(listener, syn, syn->iss + 1, syn->irs + 1, WT_RST | WT_ACK);
		give_up(listener, syn);
	}
}

/* ---- the third segment ---------------------------------------------------------------------------------------- */

/*
 * What happened since the SYN happens to the block, at its time: the modules meet the SYN, each SYN-ACK and its sending. A SYN-ACK
 * that was sent more than once gives a round trip by timestamps only (Karn), one that was a cookie gives none.
 */
static int replay(struct wt_tcp *tcp, const struct wt_syn *syn)
{
	bool cookie = !syn->sends;
	unsigned again = syn->sends > 1 ? syn->sends - 1u : 0;
	struct wt_cc_option option;
	struct wt_tcp_header seg;

	if (revive(tcp, syn, true) || !wt_board_reserve(&tcp->board))
		return -ENOMEM;
	wt_tcb_receive(tcp, syn->irs);
	if (cookie)
		wt_ecn_syn_flags(tcp); /* an option that was not sent is not asked for */
	else
		say(tcp, syn->attempt, &seg, &option);
	tcp->rto_count = tcp->rtt.backoff = syn->attempt;
	wt_tcp_note_syn(tcp, cookie || again);
	tcp->tally.timeouts = syn->attempt;
	tcp->tally.retransmits_segs = again;
	tcp->tally.segs_sent = 1 + again;
	return 0;
}

/* The connection, in SYN-RECEIVED, or NULL: no room for it. */
static struct wt_tcp *promote(struct wt_tcp *listener, const struct wt_syn *syn)
{
	struct wt_tcp_stack *stack = listener->stack;
	struct wt_tcp *tcp = wt_tcb_new(stack, listener->config, WT_DEMUX_CONNECTION, &syn->entry.tuple, syn->timer.order);
	wt_time now = stack->now;
	int failed;

	if (!tcp)
		return NULL;
	stack->now = syn->sent;
	failed = replay(tcp, syn);
	stack->now = now;
	if (failed) {
		wt_demux_remove(stack, &tcp->entry);
		wt_tcb_free(tcp);
		return NULL;
	}
	tcp->handle = WT_HANDLE_QUEUE;
	tcp->listener = listener;
	tcp->callback = listener->callback;
	tcp->arg = listener->arg;
	listener->half_open++; /* until the segment at hand is through */
	return tcp;
}

/* What the checks let pass, with the right acknowledgment. */
static void complete(struct wt_tcp *listener, struct wt_syn *syn, const struct wt_tcp_header *seg, const struct wt_extent *payload,
		     uint32_t len)
{
	struct wt_tcp_stack *stack = listener->stack;
	struct wt_tcp *tcp;

	/* without room the entry stays, and its next SYN-ACK asks for this segment again */
	if (wt_tcp_no_room(listener))
		return;
	tcp = promote(listener, syn);
	if (!tcp)
		return;
	listener->half_open--;
	wt_syn_end(stack, syn);
	wt_tcp_connection_input(tcp, seg, payload, len);
}

static void acknowledge(struct wt_tcp *listener, struct wt_syn *syn)
{
	struct wt_tcp_stack *stack = listener->stack;
	struct wt_tcp_header seg = {.seq = syn->iss + 1, .flags = WT_ACK};
	struct wt_tcp tcp;

	borrow(&tcp, listener, syn, false);
	seg.ack = tcp.rcv_nxt;
	seg.window = wt_tcp_window_now(&tcp);
	seg.has_ts = tcp.ts_ok;
	seg.tsval = wt_secret_timestamp(stack, &syn->entry.tuple);
	seg.tsecr = tcp.ts_recent;
	wt_tcp_send_alone(stack, syn->timer.order, &syn->entry.tuple, &seg, tcp.rcv_wscale, WT_SEND_ACK);
}

/* 3.10.7.4 for SYN-RECEIVED, up to the acknowledgment */
static enum wt_resident_verdict judge(const struct wt_tcp *listener, const struct wt_syn *syn, const struct wt_tcp_header *seg,
				      uint32_t len)
{
	const struct wt_tcp_settings *settings = &listener->config->settings;
	struct wt_resident_view view = {
		.rcv_nxt = syn->irs + 1,
		.rcv_adv = syn->irs + 1 + (uint32_t)(settings->rcv_buffer < 65535 ? settings->rcv_buffer : 65535),
		.ts_ok = (syn->offer & WT_SYN_TS) && settings->timestamps,
		.ts_recent = syn->tsval,
	};

	return wt_resident_check(&view, seg, len);
}

void wt_syn_input(struct wt_tcp_stack *stack, struct wt_syn *syn, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len)
{
	struct wt_tcp *listener = listener_of(stack, syn);
	enum wt_resident_verdict verdict = judge(listener, syn, seg, len);
	bool take = verdict == WT_RESIDENT_TAKE, reset = seg->flags & WT_RST;

	if (take && !reset && seg->ack == syn->iss + 1) {
		complete(listener, syn, seg, payload, len);
		return;
	}
	wt_trace(stack, syn->timer.order, RECEIVED, seg->seq, len, seg->flags, seg->ack, seg->window, seg->ecn);
	if ((seg->flags & (WT_SYN | WT_ACK | WT_RST)) == WT_SYN && seg->seq == syn->irs)
		answer_now(listener, syn, seg->flags); /* the peer did not get our SYN-ACK */
	else if (take && reset)
		give_up(listener, syn);
	else if (take)
		send_reset(listener, syn, seg->ack, 0, WT_RST);
	else if (verdict == WT_RESIDENT_ACK ||
		 (verdict == WT_RESIDENT_CHALLENGE && wt_resident_may_challenge(&syn->challenged_ms, stack->now)))
		acknowledge(listener, syn);
}

/* A cookie is believed only while SYN-ACKs with cookies may be on their way. */
bool wt_syn_cookie_input(struct wt_tcp *listener, const struct wt_tuple *tuple, const struct wt_tcp_header *seg,
			 const struct wt_extent *payload, uint32_t len)
{
	struct wt_tcp_stack *stack = listener->stack;
	struct wt_tcp_header first = {.seq = seg->seq - 1, .window = seg->window, .has_ts = seg->has_ts, .tsval = seg->tsval};
	struct wt_tcp_header unmeasured = *seg;
	struct wt_syn syn = {0};
	struct wt_tcp *tcp;

	if (stack->now >= stack->cookies_until)
		return false;
	fill(&syn, tuple, &first, stack->now);
	syn.iss = seg->ack - 1;
	if (!wt_cookie_check(stack, &syn)) {
		stack->counts.cookies_failed++;
		return false;
	}
	if (syn.offer & WT_SYN_TS)
		wt_cookie_options(seg->tsecr, &syn);
	if (wt_tcp_no_room(listener))
		return true;
	tcp = promote(listener, &syn);
	if (!tcp)
		return true;
	stack->counts.cookies_accepted++;
	unmeasured.tsecr = 0; /* its low bits were no time */
	wt_tcp_connection_input(tcp, &unmeasured, payload, len);
	return true;
}
