/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The transmission control block: what the files of stack/tcp share.
 *
 * Send side: everything in [snd_una, snd_nxt) is covered by records in the scoreboard; bytes written but not sent
 * follow up to snd_end in the store. There is no going back of snd_nxt: what is to be sent again is a record marked
 * LOST, so go-back-N, fast retransmit and (later) RACK are the same mechanism with other marks.
 *
 * Receive side: payload is stored at once at its place, in order or not; `waiting` holds the intervals
 * above rcv_nxt.
 *
 * Data flows one way: input.c changes this block, output.c asks it "what segment next, and why" and writes it.
 */
#ifndef WT_STACK_TCP_TCB_H
#define WT_STACK_TCP_TCB_H

#include "stack/base/ecn.h"
#include "stack/base/histogram.h"
#include "stack/base/ranges.h"
#include "stack/base/store.h"
#include "stack/tcp/connection.h"
#include "stack/net/icmp.h"
#include "stack/tcp/resident.h"
#include "stack/tcp/segment.h"
#include "stack/tcp/stack.h"
#include "stack/wire/checksum.h"
#include "stack/wire/tcp.h"
#include "stack/base/bytes.h"

/* ---- pieces ------------------------------------------------------------------------------------------- */

#define WT_BOARD_FEW 2 /* pages of records in a table inside the block */

/* What was sent and is not acknowledged. `view` is what recovery modules see. */
struct wt_scoreboard {
	struct wt_outstanding view;
	uint64_t delivered;          /* bytes acknowledged or SACKed, each once */
	wt_seq fack;                 /* end of the highest record that earlier ACKs reported */
	wt_seq marked_to;            /* records below are SACKed, LOST or were resent since their mark */
	uint32_t edge;               /* serial number of the record at view.loss_edge, if edge_known */
	uint32_t edge_bytes;         /* SACKed in it and above */
	bool edge_known;
	bool reordered;              /* the ACK at hand reports a record, sent once, below fack */
	uint32_t ignored;            /* SACK blocks, for want of memory for another interval */
	uint32_t steps;              /* records looked at since the beginning, modulo 2^32: the work, for tests to count */
	struct wt_ranges reported;   /* what SACK blocks have said, to the octet */
	struct wt_tx_record **page;  /* view.page, writable */
	uint64_t *lost, *lost_pages; /* bits: per page the LOST records, and the pages that have any */
	struct wt_tx_record *few_pages[WT_BOARD_FEW];
	uint64_t few_lost[WT_BOARD_FEW], few_lost_pages;
	void *table;                 /* what page, lost and lost_pages point into; NULL: the few */
	struct wt_chunks *pool;
};

struct wt_rtt {
	wt_time srtt, rttvar, rto, min_rtt; /* srtt 0: no sample yet */
	wt_time sum;                        /* of all samples */
	struct wt_histogram *watch;         /* of all samples too; NULL: nobody asked */
	uint32_t samples;
	unsigned backoff;                   /* doublings in force */
	wt_seq timed_seq;
	bool timing;                        /* rtt_one_at_a_time: a segment is being timed */
	wt_time timed_at;
};

/* ecn.c */
struct wt_tcp_ecn {
	uint8_t syns;  /* what SYNs said, sent and heard */
	bool sends;    /* we may send ECT, and ECE counts */
	bool echoes;   /* marks are answered with ECE */
	bool echo;     /* now: until CWR comes */
	bool say_cwr;  /* with the next new payload */
	bool reduced;  /* the window was; what ACKs say up to reduced_at is about before */
	bool by_mark;  /* because of ECE */
	wt_seq reduced_at;
	struct { /* the same of the last mark's reduction, for when that of a loss after it is undone */
		bool reduced, say_cwr;
		wt_seq reduced_at;
	} mark;
};

/* undo.c: the last reduction for a loss, while it may prove spurious */
struct wt_tcp_undo {
	uint64_t since;           /* tally.bytes_acked at that moment */
	wt_seq from, to;          /* the flight then */
	uint32_t resent, copies;  /* segments sent again since; of these not reported as duplicates yet */
	bool armed;
	bool by_time;             /* the next ACK of new data decides by its echoed timestamp */
	bool again;               /* one of those segments left more than once */
	bool tells;               /* the peer has sent a D-SACK: it would tell of what came twice */
	struct wt_range counted;  /* the last D-SACK that was taken for a copy; empty: none */
	uint32_t first_ts;        /* timestamp of the first of them, or of an earlier copy that was not acknowledged when it left */
	bool copied;              /* copies are outstanding, of this loss or an earlier one, below resent_to */
	wt_seq resent_to;
};

/* order.c: transmissions, the earliest first */
struct wt_sent_order {
	struct wt_sent_entry *at;
	uint32_t mask, first, count;
	wt_time last; /* of the last transmission */
};

enum wt_timer {
	WT_TIMER_RECOVERY, /* the recovery module's; before the next: a probe that is due with the timeout goes instead of it (RFC 8985 7.2) */
	WT_TIMER_REXMT,
	WT_TIMER_SENDER,   /* the sender module's */
	WT_TIMER_ACK,
	WT_TIMER_MODULE,   /* the receiver module's */
	WT_TIMER_PACE,
	WT_TIMER_WAIT,
	WT_TIMER_KEEP,
	WT_TIMER_USER,     /* user_timeout */
	WT_TIMERS,
};

/* Why a segment leaves: trace and tests read it. */
enum wt_send_why {
	WT_SEND_NOTHING,
	WT_SEND_SYN,
	WT_SEND_RETRANSMIT,
	WT_SEND_DATA, /* FIN may ride on it */
	WT_SEND_PROBE,
	WT_SEND_ACK,
	WT_SEND_KEEPALIVE,
};

#define WT_SACK_RECENT 8 /* twice what one segment reports: some are delivered before they are reported again */

/* What a connection counts of itself; struct wt_tcp_info says what each is. */
struct wt_tcp_tally {
	uint64_t bytes_sent, bytes_acked, bytes_received, segs_sent, segs_received;
	uint64_t retransmits_segs, retransmits_bytes, fast_recoveries, timeouts;
	uint64_t dup_segs_received, out_of_order_segs_received, discarded_bytes;
	uint64_t ce_received_segs, ece_received_segs, cwr_sent_segs, ecn_reductions;
};

enum wt_handle { WT_HANDLE_APP, WT_HANDLE_QUEUE, WT_HANDLE_NONE }; /* who holds the connection */

/* ---- the connection ----------------------------------------------------------------------------------- */

/*
 * In the order in which a segment that brings nothing special touches them, so that thousands of connections take turns at few lines of the
 * cache each: what decides, the two sequence spaces, queues and timers, measurements, modules, buffers. What is rare stands at the end.
 */
struct wt_tcp {
	_Alignas(WT_CACHE_LINE) struct wt_demux_entry entry; /* first */
	struct wt_wait *wait;        /* in TIME-WAIT: the entry that has its place in the table */

	struct wt_tcp_stack *stack;
	const struct wt_tcp_config *config; /* shared by all of the stack that chose the same */
	enum wt_tcp_state state : 8;
	enum wt_handle handle : 8;
	uint8_t snd_wscale, rcv_wscale;
	bool wscale_ok, ts_ok, sack_ok;
	bool fin_queued, fin_acked;
	bool fin_taken;   /* rcv_nxt is past it */
	bool eof_told;
	bool ack_now;
	bool in_output, in_ready, in_held, ack_held; /* it stands in that queue of the stack; held: its ACK waits for more frames */
	union {
		struct {
			bool long_way;   /* not plain.c's: the state is not ESTABLISHED or FIN-WAIT-1, or a trace listens */
			bool probe;      /* the persist timer fired: one octet into a closed window, or the override of SWS avoidance */
			bool tail_probe; /* the recovery module asked for one segment of new data, whatever the window */
			bool keep_probe;
			bool fin_sent;
			bool fin_seen;   /* a FIN stands at fin_seq */
			bool has_dsack;
			bool after_rto;
		};
		uint64_t special; /* 0: none of these */
	};
	bool force;       /* the next LOST record goes out whatever the window */
	bool idle_told;
	bool metrics_due; /* an ACK moved the numbers: they are told when what it let go has been sent */
	bool reopened;    /* the peer opened its window over this flight, and it went again for that */
	bool was_full;    /* wt_tcp_write() refused or cut: tell when there is room, room_low at least */
	bool sent_told;   /* WT_TCP_EV_SENT was given for the present data */
	bool in_recovery, dup_seen, modules_ready;
	bool timed;       /* a module has deadlines */
	bool fallback;    /* the sender module's, noticed */
	unsigned events;

	/* send sequence space */
	wt_seq iss, snd_una, snd_nxt, snd_end; /* snd_end: after the last byte written */
	uint32_t snd_wnd, max_snd_wnd;
	wt_seq snd_wl1, snd_wl2;
	uint32_t send_mss; /* payload of a full segment: the least limit, without the timestamp option (wt_tcp_limit_mss()) */
	uint32_t burst_left;
	wt_seq full_end; /* snd_nxt when the flight filled cwnd last */

	/* receive sequence space */
	wt_seq rcv_nxt, rcv_adv, last_ack_sent; /* rcv_adv: right edge advertised */
	wt_seq read_seq;    /* next byte for the application */
	struct {
		wt_seq rcv_nxt, read_seq;
		uint16_t field; /* 0: none is known */
	} window;           /* plain.c: the window field that stands for these two */
	uint32_t rcv_word;  /* the window that the receiver module asked for last, if below what there is room for; else UINT32_MAX */
	unsigned ack_segs;  /* in-order segments not acknowledged yet */
	unsigned ack_quick; /* so many more are acknowledged one by one */

	int soft_error;     /* negative errno of the last ICMP error since the peer was heard, 0: none */
	unsigned keep_count;
	unsigned rto_count, go_backs; /* go_backs: timeouts and other goings back since snd_una moved */
	uint32_t dupacks;
	int error;          /* negative errno that ended it, 0: none */
	uint32_t conn;      /* its number */
	struct wt_tcp *output_next, *ready_next; /* queues of the stack */
	wt_tcp_callback *callback;
	void *arg;
	struct wt_template *template; /* of segments that leave; NULL: they have all their bytes */
	wt_time last_heard, last_sent, pace_at; /* pace_at: earliest next data segment of a paced sender */
	wt_time waits_since; /* nothing that waits was acknowledged since then; WT_NEVER: nothing waits */
	struct wt_heap_entry heap; /* first of its timers */
	wt_time timer[WT_TIMERS];

	struct wt_tcp_tally tally;
	struct wt_rtt rtt;
	struct wt_tcp_ecn ecn;
	uint32_t charged;           /* bytes of the block and its modules, to the pool of the stack */
	uint64_t total_lost;        /* bytes held lost since the beginning */
	uint64_t app_limited;       /* board.delivered until which samples are limited by the application; 0: they are not */
	wt_time delivered_time, first_sent; /* when board.delivered last grew; when the newest delivered record was sent */
	wt_time shortest; /* round trip of a segment sent once, by times of transmission; 0: none yet */

	/* congestion modules */
	void *sender, *recovery, *receiver; /* private states */
	struct wt_recovery_out verdict;
	struct wt_sender_out out;

	/* buffers, and what is in flight */
	struct wt_store rcv;
	struct wt_ranges waiting;
	struct wt_store snd;
	struct wt_scoreboard board;
	struct wt_sent_order order; /* kept if the recovery module marks by time */
	struct wt_tcp_undo undo;

	/* rare */
	uint64_t pseudo;  /* sum of the pseudo-header without its length */
	uint64_t module_key; /* what modules draw by, besides iss */
	struct wt_template *heard; /* of the peer's segments, if it is a host of ours */
	uint32_t room_low;
	uint32_t peer_mss, path_mss; /* payload limits, options included */
	unsigned syn_attempt;
	wt_time syn_at;   /* when our first SYN left */
	wt_seq irs, fin_seq, rto_high;
	unsigned sack_recents;
	union {
		wt_seq sack_recent[WT_SACK_RECENT]; /* a number in each interval that changed, the last one first (RFC 2018 4) */
		struct {                            /* of a listener, to which no segment with data belongs */
			struct wt_tcp *accept_head, *accept_tail;
			unsigned backlog, half_open, acceptable; /* half_open: SYN entries, and blocks in SYN-RECEIVED */
		};
	};
	struct wt_range dsack;
	wt_time challenge_at; /* earliest next challenge ACK */
	uint32_t ts_recent, ts_offset;
	wt_time ts_recent_at;
	struct wt_tcp *all_prev, *all_next;
	struct wt_tcp *held_next; /* of those whose ACK waits for more frames */
	struct wt_tcp *listener;  /* of a connection in its backlog */
	struct wt_tcp *accept_next;
};

/*
 * The SYN's number is no place in the stream. Only in the handshake can a number be the SYN's: later, 4 GB on, another
 * octet has it again, and from 2 GB on it even seems to lie ahead.
 */
static inline wt_seq wt_tcp_past_syn(const struct wt_tcp *tcp, wt_seq seq)
{
	return tcp->state < WT_TCP_ESTABLISHED && seq == tcp->iss ? seq + 1 : seq;
}

/* Bytes written and not sent once. (Once the FIN is out there are none, and snd_nxt is past snd_end.) */
static inline uint32_t wt_tcp_unsent(const struct wt_tcp *tcp)
{
	return tcp->fin_sent ? 0 : tcp->snd_end - wt_tcp_past_syn(tcp, tcp->snd_nxt);
}

/* secrets.c: what must not be guessed */
uint64_t wt_secret_tuple(const struct wt_key *key, const struct wt_tuple *tuple);
wt_seq wt_secret_isn(const struct wt_tcp_stack *stack, const struct wt_tuple *tuple);
uint32_t wt_secret_ts_offset(const struct wt_tcp_stack *stack, const struct wt_addr *local, const struct wt_addr *remote);
uint32_t wt_secret_timestamp(const struct wt_tcp_stack *stack, const struct wt_tuple *tuple); /* TSval of now */
uint16_t wt_secret_port(struct wt_tcp_stack *stack, const struct wt_addr *local, const struct wt_endpoint *remote); /* 0: none free */

/* config.c: what connections choose, held once for all of a stack that chose the same. Nobody changes one that is held. */
/* An equal one, or a copy without callback; release ends it. NULL: no memory. */
const struct wt_tcp_config *wt_config_hold(struct wt_tcp_stack *stack, const struct wt_tcp_config *wanted);
void wt_config_release(struct wt_tcp_stack *stack, const struct wt_tcp_config *config);
int wt_config_change(struct wt_tcp *tcp, const struct wt_tcp_config *wanted); /* of this connection alone. 0, or -ENOMEM */

/* tcb.c: life of a connection */
/* What every block begins with; it belongs to no list and no table. */
void wt_tcb_init(struct wt_tcp *tcp, struct wt_tcp_stack *stack, const struct wt_tcp_config *config, const struct wt_tuple *tuple);
/* Would a new connection go beyond max_connections, or is too little memory left? Counted. */
bool wt_tcb_refused(struct wt_tcp_stack *stack);
/* A block in the table. conn: its number, 0: the next one. NULL with errno ENOMEM. */
struct wt_tcp *wt_tcb_new(struct wt_tcp_stack *stack, const struct wt_tcp_config *config, enum wt_demux_kind kind,
			  const struct wt_tuple *tuple, uint32_t conn);
/* The initial sequence number. above: the last number of the tuple's previous connection, or NULL. */
wt_seq wt_tcp_first_number(const struct wt_tcp_stack *stack, const struct wt_tuple *tuple, const wt_seq *above);
void wt_tcb_number(struct wt_tcp *tcp, wt_seq iss); /* our end of the sequence space begins there */
void wt_tcb_receive(struct wt_tcp *tcp, wt_seq irs); /* the peer's SYN came */
void wt_tcb_set_state(struct wt_tcp *tcp, enum wt_tcp_state state);
void wt_tcb_drop_sent(struct wt_tcp *tcp); /* all that was sent is acknowledged, and nothing more will be: frees its buffers */
__attribute__((cold)) void wt_tcb_end(struct wt_tcp *tcp, int error); /* state CLOSED, out of the demux; frees if nobody holds it */
void wt_tcb_free(struct wt_tcp *tcp);
void wt_tcb_release(struct wt_tcp *tcp); /* frees one that is out of the table and that nobody holds */
void wt_tcb_check(const struct wt_tcp *tcp); /* invariants, asserted */

/* input.c, in the order of RFC 9293 3.10.7 */
void wt_tcp_input(struct wt_tcp_stack *stack, const struct wt_tuple *tuple, const struct wt_tcp_header *seg, const struct wt_extent *payload,
		  uint32_t len);
/* A segment for a connection with a block. */
void wt_tcp_connection_input(struct wt_tcp *tcp, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len);
__attribute__((cold)) void wt_tcp_enter_time_wait(struct wt_tcp *tcp);

/* icmp.c */
void wt_tcp_icmp(struct wt_tcp_stack *stack, const struct wt_icmp_error *error);

/* passive.c: segments for listeners and for nobody */
void wt_tcp_input_closed(struct wt_tcp_stack *stack, const struct wt_tuple *tuple, const struct wt_tcp_header *seg, uint32_t len);
void wt_tcp_input_listen(struct wt_tcp *listener, const struct wt_tuple *tuple, const struct wt_tcp_header *seg,
			 const struct wt_extent *payload, uint32_t len, const wt_seq *above); /* see wt_tcp_first_number() */
/* As many connections wait to be accepted as may, or wt_tcb_refused(). Counted. */
bool wt_tcp_no_room(struct wt_tcp *listener);
void wt_tcp_learn_syn(struct wt_tcp *tcp, const struct wt_tcp_header *seg);
__attribute__((cold)) void wt_tcp_established(struct wt_tcp *tcp);

/* ack.c */
/* SEG.ACK is within [snd_una - max window, snd_nxt]: the caller has checked it (RFC 5961 5). len: of the payload. */
void wt_tcp_ack(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len);
/* The same of a plain one with the numbers of the ACK alone (plain.c): false, and nothing has happened, if there is more to it than that. */
bool wt_tcp_plain_ack(struct wt_tcp *tcp, const struct wt_facts *seg, uint32_t window);

/* RFC 9293 3.10.7.4: only newer segments may move the window. */
static inline bool wt_tcp_newer(const struct wt_tcp *tcp, wt_seq seq, wt_seq ack)
{
	return wt_seq_lt(tcp->snd_wl1, seq) || (tcp->snd_wl1 == seq && wt_seq_le(tcp->snd_wl2, ack));
}

void wt_tcp_rto(struct wt_tcp *tcp);
void wt_tcp_go_back(struct wt_tcp *tcp);
__attribute__((cold)) void wt_tcp_give_up(struct wt_tcp *tcp); /* R2: nobody answers (RFC 9293 3.8.3) */

static inline uint32_t wt_tcp_pipe(const struct wt_tcp *tcp)
{
	return tcp->snd_nxt - tcp->snd_una - tcp->board.view.sacked - tcp->board.view.lost;
}

/* data.c */
void wt_tcp_kept_fin(struct wt_tcp *tcp);
void wt_tcp_data(struct wt_tcp *tcp, const struct wt_tcp_header *seg, wt_seq seq, const struct wt_extent *payload, uint32_t len, bool fin);
void wt_tcp_old_data(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t len);
void wt_tcp_decide_ack(struct wt_tcp *tcp, unsigned flags, unsigned verdict); /* of a segment: enum wt_rx_flags, and the receiver module's word */
uint32_t wt_tcp_window(struct wt_tcp *tcp); /* bytes to advertise from rcv_nxt, before the module's word */
uint32_t wt_tcp_syn_window(const struct wt_tcp *tcp); /* the field of a SYN */

static inline uint32_t wt_tcp_unread(const struct wt_tcp *tcp)
{
	return tcp->rcv_nxt - (tcp->fin_taken ? 1 : 0) - tcp->read_seq;
}

void wt_tcp_window_opened(struct wt_tcp *tcp);

/* ecn.c */
uint8_t wt_ecn_syn_flags(struct wt_tcp *tcp);                  /* of the SYN or SYN-ACK that leaves now */
void wt_ecn_syn_arrived(struct wt_tcp *tcp, unsigned flags);
unsigned wt_ecn_data(struct wt_tcp *tcp, const struct wt_tcp_header *seg); /* payload in the window came, and we echo: WT_RX_CE or 0 */
void wt_ecn_mark_data(struct wt_tcp *tcp, struct wt_tcp_header *seg);      /* new payload leaves */
void wt_ecn_echoed(struct wt_tcp *tcp, const struct wt_tcp_header *seg, uint32_t acked); /* an ACK with ECE came */
void wt_ecn_reduced(struct wt_tcp *tcp, bool by_mark);         /* the window was reduced, for whatever reason */
void wt_ecn_undone(struct wt_tcp *tcp);                        /* the last reduction, for a loss, is taken back */
bool wt_ecn_answered(const struct wt_tcp *tcp); /* a loss found now is of a window that ECE has reduced enough already */

/* options.c: what stands in the header of a segment that leaves, besides its numbers */
void wt_tcp_add_timestamp(const struct wt_tcp *tcp, struct wt_tcp_header *seg);
/* Window, SACK blocks and the receiver module's option. `pure`: a bare ACK. What the module says is left in *out, which lives as long as *seg. */
void wt_tcp_add_ack(struct wt_tcp *tcp, struct wt_tcp_header *seg, bool pure, struct wt_rx_out *out);
uint16_t wt_tcp_window_now(struct wt_tcp *tcp); /* the field of an ACK, before the receiver module's word */
void wt_tcp_add_syn_options(struct wt_tcp *tcp, struct wt_tcp_header *seg, struct wt_cc_option *option);

/* output.c */
enum wt_tcp_more {
	WT_TCP_NO_MORE, /* there was nothing to send */
	WT_TCP_MORE,    /* it is to be asked again */
	WT_TCP_QUIET,   /* unless something touches the connection before, there will be nothing more: it needs not be asked again */
};

struct wt_frame *wt_tcp_output(struct wt_tcp *tcp, enum wt_tcp_more *more);
void wt_tcp_note_data(struct wt_tcp *tcp, uint32_t len); /* so much new sequence space is on its way: it has a record, and the modules are told */
__attribute__((cold)) void wt_tcp_reset(struct wt_tcp *tcp, wt_seq seq, wt_seq ack, unsigned flags); /* of a connection, which goes on */
void wt_tcp_send_reset(struct wt_tcp_stack *stack, const struct wt_tuple *tuple, wt_seq seq, wt_seq ack, unsigned flags);
uint32_t wt_tcp_sendable(const struct wt_tcp *tcp); /* bytes of new data that could go now but for the congestion window */
/*
 * A segment without payload of a small resident leaves; ports are filled in. conn, wscale (of the window field), why: for the trace.
 */
struct wt_frame *wt_tcp_build_alone(struct wt_tcp_stack *stack, uint32_t conn, const struct wt_tuple *tuple, struct wt_tcp_header *seg,
				    unsigned wscale, enum wt_send_why why);
void wt_tcp_keep(struct wt_tcp_stack *stack, struct wt_frame *frame); /* leaves in its turn; NULL: nothing */
/* Both. */
void wt_tcp_send_alone(struct wt_tcp_stack *stack, uint32_t conn, const struct wt_tuple *tuple, struct wt_tcp_header *seg,
		       unsigned wscale, enum wt_send_why why);
/* The SYN or SYN-ACK of this attempt: the modules are asked. The option must live as long as the header. */
void wt_tcp_write_syn(struct wt_tcp *tcp, struct wt_tcp_header *seg, struct wt_cc_option *option);
void wt_tcp_note_syn(struct wt_tcp *tcp, bool again); /* it leaves for the first time. again: it did before this block was */
/* Bytes of a packet in front of options and payload: the header of the connection's address family, and TCP's. */
static inline uint32_t wt_tcp_headers(const struct wt_tcp *tcp)
{
	return wt_net_headroom(tcp->entry.tuple.local.addr.family) - WT_ETH_HEADER + WT_TCP_HEADER;
}
void wt_tcp_limit_mss(struct wt_tcp *tcp); /* sets send_mss: after a change of peer_mss, path_mss or ts_ok */
uint32_t wt_tcp_full_payload(const struct wt_tcp *tcp); /* what send_mss must be */

static inline uint32_t wt_tcp_send_mss(const struct wt_tcp *tcp)
{
	return tcp->send_mss;
}

/* timer.c */
void wt_tcp_move_timer(struct wt_tcp *tcp, enum wt_timer timer, wt_time due);
static inline void wt_tcp_set_timer(struct wt_tcp *tcp, enum wt_timer timer, wt_time due)
{
	if (tcp->timer[timer] != due)
		wt_tcp_move_timer(tcp, timer, due);
}

/* plain.c: segments that bring and need nothing special. Both say false of one that has to go the long way, and nothing has happened then. */
bool wt_plain_input(struct wt_tcp *tcp, const struct wt_facts *seg, const struct wt_extent *payload, uint32_t len);
bool wt_plain_output(struct wt_tcp *tcp, struct wt_frame **frame, enum wt_tcp_more *more); /* what wt_tcp_output() would say */

/* What the congestion window lets go beyond what is in flight. */
static inline uint32_t wt_tcp_window_left(const struct wt_tcp *tcp)
{
	bool limited = tcp->verdict.limit && !tcp->config->sender.ops->own_window;
	uint64_t window = limited ? tcp->verdict.limit : (uint64_t)tcp->out.cwnd + tcp->verdict.inflate;
	uint32_t pipe = wt_tcp_pipe(tcp);

	return pipe < window ? (uint32_t)(window - pipe) : 0;
}

/* A segment with ACK leaves; `field` is its window, in units of `scale`. */
static inline void wt_tcp_note_acked(struct wt_tcp *tcp, uint16_t field, unsigned scale)
{
	tcp->rcv_adv = wt_seq_max(tcp->rcv_adv, tcp->rcv_nxt + ((uint32_t)field << scale));
	if (tcp->wait)
		tcp->wait->window = field;
	tcp->last_ack_sent = tcp->rcv_nxt;
	tcp->ack_now = tcp->ack_held = false;
	tcp->ack_segs = 0;
	wt_tcp_set_timer(tcp, WT_TIMER_ACK, WT_NEVER);
}

void wt_tcp_run_timers(struct wt_tcp *tcp);
void wt_tcp_heard(struct wt_tcp *tcp);
void wt_tcp_arm_user(struct wt_tcp *tcp);  /* by user_timeout and by what has waited since when */
void wt_tcp_arm_rexmt(struct wt_tcp *tcp); /* (re)starts or stops it by what is outstanding */
wt_time wt_tcp_tick_at(const struct wt_tcp *tcp, wt_time due); /* the first tick of the clock at or after due */
wt_time wt_tcp_ticks_from_now(const struct wt_tcp *tcp, wt_time delay);
wt_time wt_tcp_elapsed(const struct wt_tcp *tcp, wt_time from);

/* rtt.c */
void wt_rtt_init(struct wt_rtt *rtt, const struct wt_tcp_settings *settings);
/* `unsure`: by how much the round trip may have been longer than the sample, by the clock that was read; min_rtt keeps clear of it. */
void wt_rtt_sample(struct wt_rtt *rtt, const struct wt_tcp_settings *settings, wt_time sample, wt_time unsure);
wt_time wt_rtt_timeout(const struct wt_rtt *rtt, const struct wt_tcp_settings *settings); /* with back-off, clamped */

/* scoreboard.c. The pool must outlive the board; `buffer` bytes bound what SACK blocks may take. */
void wt_board_init(struct wt_scoreboard *board, struct wt_chunks *pool, uint64_t buffer);
void wt_board_finish(struct wt_scoreboard *board);
bool wt_board_reserve(struct wt_scoreboard *board); /* false: no memory for another record */
struct wt_tx_record *wt_board_push(struct wt_scoreboard *board, wt_seq seq, uint32_t len); /* after wt_board_reserve() */
struct wt_tx_record *wt_board_first(const struct wt_scoreboard *board); /* NULL: none */
void wt_board_pop(struct wt_scoreboard *board, uint32_t len); /* takes that many bytes off the first record, and it if none are left */
/* Takes a SACK block: bytes of records newly SACKed. *newest: the one sent last of those delivered for the first time, if
 * it was sent no earlier than what stands there; *news is set if any octet was unknown. */
uint32_t wt_board_sack(struct wt_scoreboard *board, wt_seq start, wt_seq end, struct wt_tx_record *newest, bool *news);
/* A record is reported for the first time: was a higher one before it (RFC 8985 6.2 step 3)? */
void wt_board_reported(struct wt_scoreboard *board, const struct wt_tx_record *record);
void wt_board_find_edge(struct wt_scoreboard *board, uint32_t enough); /* view.loss_edge, by more than `enough` bytes */
/* Records below `to` become LOST unless SACKed: those not marked before, or (again) whatever was sent by that time; 0: ever. */
void wt_board_mark_lost(struct wt_scoreboard *board, wt_seq to);
void wt_board_mark_again(struct wt_scoreboard *board, wt_seq to, wt_time sent_by);
void wt_board_mark_all(struct wt_scoreboard *board);
void wt_board_mark_last(struct wt_scoreboard *board); /* the last record that is not SACKed, unless it was resent */
/* The first LOST record, which is in flight again; NULL: none is left, so nothing waits to be sent again. */
const struct wt_tx_record *wt_board_unmark(struct wt_scoreboard *board);
struct wt_tx_record *wt_board_first_lost(const struct wt_scoreboard *board); /* NULL: none */
struct wt_tx_record *wt_board_next_lost(struct wt_scoreboard *board, uint32_t max_len); /* splits it if longer; NULL */
void wt_board_resent(struct wt_scoreboard *board, struct wt_tx_record *record); /* the first LOST one */

/* The first record that ends behind seq; NULL: none. */
const struct wt_tx_record *wt_board_from(struct wt_scoreboard *board, wt_seq seq);
void wt_board_mark_at(struct wt_scoreboard *board, wt_seq seq); /* that record becomes LOST */
void wt_board_mark_tail(struct wt_scoreboard *board);           /* the last record that is not SACKed, resent or not */

/* order.c */
wt_time wt_order_time(struct wt_sent_order *order, wt_time now); /* now, or just after the transmission before: no two have one time */
void wt_order_push(struct wt_sent_order *order, struct wt_chunks *pool, const struct wt_tx_record *record);
const struct wt_tx_record *wt_order_front(struct wt_sent_order *order, struct wt_scoreboard *board); /* NULL: nothing in flight */
/* LOST: all in flight sent before `sent`, or at it and ending no higher than `end`. */
void wt_order_mark(struct wt_sent_order *order, struct wt_scoreboard *board, wt_time sent, wt_seq end);
/* Nothing is LOST any more, and what was has its place again, or is SACKED if it was before a timeout. Without memory, or with no order, it has none. */
void wt_order_unmark(struct wt_sent_order *order, struct wt_chunks *pool, struct wt_scoreboard *board);
void wt_order_finish(struct wt_sent_order *order, struct wt_chunks *pool); /* nothing is in flight: gives its memory back */
/* undo.c */
void wt_undo(struct wt_tcp *tcp, bool by_dsack); /* at once: what the modules were told of the last loss is taken back */
/* The window is about to be reduced. False: for the event that it was reduced for before. */
bool wt_undo_begin(struct wt_tcp *tcp, enum wt_loss_why why);
/* A copy left: end, after the segment; again, it is not the first copy. */
void wt_undo_resent(struct wt_tcp *tcp, const struct wt_tcp_header *seg, wt_seq end, bool again);
void wt_undo_ack(struct wt_tcp *tcp, const struct wt_tcp_header *seg, bool advanced,
		 uint32_t dsacked); /* after the scoreboard, before the modules */

/* cc.c: the engine's side of the module tables */
/* Another sender module, which begins with the window and threshold in force. 0 or -ENOMEM. */
int wt_cc_exchange(struct wt_tcp *tcp, const struct wt_sender_choice *sender);
int wt_cc_attach(struct wt_tcp *tcp); /* 0 or -ENOMEM; detach ends either */
void wt_cc_detach(struct wt_tcp *tcp);
size_t wt_cc_bytes(const struct wt_tcp_config *config); /* of the states that attach allocates */
__attribute__((cold)) void wt_cc_event(struct wt_tcp *tcp, enum wt_cc_event event);
/* acked: payload that the ACK at hand took off the flight, which that ACK speaks of */
void wt_cc_loss(struct wt_tcp *tcp, enum wt_loss_why why, uint32_t acked);
/* After a hook of the recovery module that answers in tcp->verdict: what it wants is done. advanced: an ACK moved snd_una. */
void wt_cc_apply(struct wt_tcp *tcp, bool advanced);
void wt_cc_fresh_verdict(struct wt_tcp *tcp); /* cleared but for what stays in force */
void wt_cc_leave(struct wt_tcp *tcp);         /* recovery is over, if the verdict says so */
void wt_cc_set_timers(struct wt_tcp *tcp);
static inline void wt_cc_rearm(struct wt_tcp *tcp) /* the timers of the modules, by their deadlines */
{
	if (tcp->timed)
		wt_cc_set_timers(tcp);
}

const struct wt_outstanding *wt_cc_view(struct wt_tcp *tcp); /* the scoreboard for a recovery module, brought up to date */
void wt_cc_sent(struct wt_tcp *tcp, const struct wt_sent *sent); /* tells both modules */
void wt_cc_timeout(struct wt_tcp *tcp, enum wt_timer timer);
void wt_cc_settle(struct wt_tcp *tcp); /* after any sender hook: bounds, notes, fallback */
__attribute__((cold)) void wt_cc_tell_metrics(const struct wt_tcp *tcp); /* recovery:metrics_updated, with the gauges of the sender module, */
static inline void wt_cc_trace(struct wt_tcp *tcp)                       /* if an ACK has made it due */
{
	if (tcp->metrics_due && tcp->stack->config.trace)
		wt_cc_tell_metrics(tcp);
	tcp->metrics_due = false;
}

__attribute__((cold)) void wt_cc_tell_note(struct wt_tcp *tcp, struct wt_cc_note *note);

static inline void wt_cc_note(struct wt_tcp *tcp, struct wt_cc_note *note)
{
	if (note->set)
		wt_cc_tell_note(tcp, note);
}

const struct wt_cc_options *wt_cc_options_of(const struct wt_tcp_header *seg, struct wt_cc_options *buffer);

#endif
