/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion modules: three small tables, one algorithm per file.
 *
 *   sender    how much may be in flight        (reno, cubic, vegas, ...)
 *   recovery  what is lost, what to resend     (newreno, sack, rack, ...)
 *   receiver  sees every arriving segment, shapes every ACK, may own a TCP option   (standard, real, ...)
 *
 * A module has private state (the engine allocates state_size zeroed bytes), a parameter struct described by a
 * table, and hooks. A hook gets const facts and writes one output struct; it has no pointer to the connection,
 * no clock, no allocator. Outputs persist between calls: a hook sees what it wrote last. Unset hooks are skipped.
 *
 * Bytes and nanoseconds carry no suffix. To add a module: one file ending in one table, one word in
 * cc/meson.build. docs/adding-a-congestion-module.md walks through it.
 */
#ifndef WT_CC_CC_H
#define WT_CC_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/random.h"
#include "stack/text/params.h"
#include "stack/base/seq.h"
#include "stack/base/time.h"

/* ---- TCP options a module may own --------------------------------------------------------------------- */

#define WT_CC_OPTIONS_MAX 4 /* experimental options kept of one segment */

/* One TCP option of kind 253 or 254 (RFC 4727, RFC 6994). len counts kind and length bytes too; 0: no option. */
struct wt_cc_option {
	uint8_t kind, len;
	uint8_t data[38]; /* what follows kind and length */
};

struct wt_cc_options {
	unsigned count;
	struct wt_cc_option at[WT_CC_OPTIONS_MAX];
};

/* A line for the trace, written by a module; the engine forwards it when `set` and clears it. */
struct wt_cc_note {
	bool set;
	uint32_t type; /* enum wt_trace_type */
	uint64_t field[8];
};

/* The same of a sender, which has one number to tell: it stands in every connection. */
struct wt_cc_word {
	bool set;
	uint32_t type;
	uint64_t field;
};

enum wt_cc_event {
	WT_CC_ESTABLISHED, /* handshake done, mss and options known (env holds the final values) */
	WT_CC_RECOVERED,   /* recovery over */
	WT_CC_MSS,         /* sender: the path takes less (RFC 1191): env.mss is the new one; a loss follows if a segment was too large */
	WT_CC_IDLE,        /* sender: about to send after more than one RTO of silence (RFC 5681 4.1) */
	WT_CC_UNDO,        /* the last loss event was spurious, and recovery, if it is on, ends: everything as before it */
	WT_CC_FALLBACK,    /* the sender module asked for standard behaviour for the rest of the connection */
};

/* What the stack tells every module at start, and again (updated) with WT_CC_ESTABLISHED. */
struct wt_cc_env {
	wt_time now;
	uint32_t mss;            /* sender, recovery: effective send segment, options excluded. receiver: largest payload to expect */
	uint32_t buffer;         /* send buffer (sender) or receive buffer (receiver) */
	uint32_t initial_window; /* by the stack's setting: so many segments, or as RFC 5681 3.1 has it */
	uint32_t dupthresh;      /* duplicate ACKs that mean loss; 0 is taken as 3 (RFC 5681) */
	wt_time tick;            /* clock granularity of the stack */
	uint32_t slow_start_limit; /* stack setting: most segments that one ACK adds in slow start (L of RFC 3465); 0 is taken as 1 */
	bool increment_mss8;     /* stack setting: congestion avoidance adds the old BSD MSS/8 per ACK */
	bool timestamps;         /* negotiated (RFC 7323) */
	bool sack;               /* negotiated (RFC 2018) */
	bool packets;            /* stack setting: windows as ns-2's Linux agents have them (cc/shared/aimd.h) */
	struct wt_key key;       /* random, of this connection alone: wt_random_below(&key, n, bound) is a module's n-th draw */
};

/*
 * A whole set of parameters under one name. A module that has presets has a parameter "profile" (WT_PARAM_WORD)
 * whose words are their names: "profile=NAME" anywhere in the list is applied first, the others go on top of it.
 * So a parameter struct always holds plain values, whatever was written in which order.
 */
struct wt_cc_preset {
	const char *name, *text;
	const void *params; /* params_size bytes */
};

/* ---- facts about one ACK ------------------------------------------------------------------------------ */

enum wt_ack_flags {
	WT_ACK_DUP = 1,          /* duplicate ACK by RFC 5681 2 */
	WT_ACK_RECOVERY = 2,     /* recovery was in progress when this ACK arrived */
	WT_ACK_ECE = 4,          /* it tells of marks, and ECN is in force */
	/* the flight filled cwnd before this ACK, of a paced sender within the last round trip: growth is justified (RFC 5681, 7661) */
	WT_ACK_CWND_LIMITED = 8,
	WT_ACK_AFTER_RTO = 16,   /* data lost at the last timeout is still outstanding */
	WT_ACK_APP_LIMITED = 32, /* the rate sample spans a time in which the application left the window unused */
	WT_ACK_REORDERED = 64,   /* it is the first to report a segment, sent once, below one that was reported earlier */
	WT_ACK_LEAVES = 256,     /* recovery ends with it, and SACK told what had arrived before: newly_delivered is what this ACK adds */
	WT_ACK_PEER_LIMITED = 128, /* the peer's window, not cwnd, ends what may be sent */
};

/* Of the segments that an ACK is the first to report, the one that was sent last. */
struct wt_newest {
	uint32_t len;        /* 0: the ACK reports none */
	wt_seq end;          /* after its last octet */
	wt_time sent;        /* its last transmission */
	uint32_t inflight;   /* bytes in flight when it was sent, itself included */
	uint64_t total_lost; /* wt_ack.total_lost when it was sent */
	bool retransmitted;  /* it was sent more than once: which copy arrived is not known */
	bool earlier;        /* but the echoed timestamp is from before the last one */
	uint16_t later;      /* of its record: sent + later is the place among all transmissions (by_time) */
};

struct wt_ack {
	wt_time now;
	uint32_t flags;         /* enum wt_ack_flags */
	wt_seq ack;             /* SEG.ACK */
	wt_seq snd_nxt;         /* highest sequence number sent, plus one: what is sent from now on lies at or above it */
	uint32_t acked, sacked; /* newly, by this ACK; acked counts again what was SACKed before */
	uint32_t newly_delivered; /* bytes that this ACK is the first to report, by SEG.ACK or SACK: by so much `delivered` grew */
	uint32_t lost;          /* bytes that the recovery module held lost because of this ACK (recovery itself sees 0) */
	uint32_t dsacked;       /* bytes that the peer reports as received twice (D-SACK, RFC 2883) */
	uint32_t marked;        /* bytes that this ACK reports as marked CE: what it acknowledges, if it carries ECE (RFC 8257 3.3) */
	uint32_t inflight_before, inflight; /* bytes: sent, neither acked, SACKed nor held lost, before and after this ACK; `lost` is still in it */
	uint32_t dupacks;       /* in a row, this one included */
	uint32_t peer_window;
	wt_time rtt;            /* sample from this ACK, 0: none */
	wt_time srtt, min_rtt;  /* 0: none yet */
	uint64_t delivered, prior_delivered; /* rate sample (draft-cheng-iccrg-delivery-rate-estimation) */
	wt_time rate_interval;  /* 0: no sample */
	uint64_t total_lost;    /* bytes held lost since the connection began, each transmission counted */
	struct wt_newest newest;
	uint32_t tsval;         /* timestamp of the segment if timestamps are in use */
	bool has_tsval;
	const struct wt_cc_options *options; /* experimental options of the segment */
};

/* ---- sender: how much --------------------------------------------------------------------------------- */

enum wt_loss_why {
	WT_LOSS_DUPTHRESH, /* the recovery module entered recovery */
	WT_LOSS_RTO,       /* go-back: a timeout, a path that takes less, or a window that was closed over the flight */
	WT_LOSS_ECN,       /* the peer told of marks: at most once per window of data, also beside losses (RFC 3168 6.1.2) */
};

struct wt_loss {
	wt_time now, srtt;
	enum wt_loss_why why;
	uint32_t inflight;  /* FlightSize (RFC 5681) at the moment of detection, less what waits to be resent; ECN: before this ACK */
	uint32_t peer_window;
	uint32_t rto_count; /* WT_LOSS_RTO in a row without new data acked, this one included */
	bool dup_seen;      /* a duplicate ACK arrived since the retransmission timer was last (re)started */
	bool same;          /* of one event with the loss before it, as a timeout in recovery: WT_CC_UNDO restores what was before the first */
};

/* A segment with data, or a FIN, has left. */
struct wt_sent {
	wt_time now;
	wt_seq seq;
	uint32_t len, inflight; /* inflight: this segment included */
	bool retransmission;
};

/* The codepoint of new data, where ECN was agreed on (RFC 3168, RFC 9331). */
enum wt_cc_codepoint {
	WT_CC_ECT_SETTING, /* as the stack's setting `ect1` says */
	WT_CC_ECT0,
	WT_CC_ECT1,
	WT_CC_NOT_ECT,
};

#define WT_CC_GAUGES 4 /* numbers of its own that a sender module may show */

struct wt_sender_out {
	uint32_t cwnd;        /* bytes, never below 1 MSS */
	uint32_t ssthresh;    /* bytes, WT_SSTHRESH_INFINITE at first; informative for modules without one */
	uint32_t burst;       /* most bytes sent in answer to one event; 0: no limit */
	bool hold;            /* send nothing new; what is lost is resent all the same */
	bool fallback;        /* set once: the connection is standard TCP from here */
	uint64_t pacing_rate; /* bytes per second; 0: not paced */
	enum wt_cc_codepoint codepoint;
	struct wt_cc_word note;
	double gauge[WT_CC_GAUGES]; /* numbers of the module's own for traces, in the order of its table's `gauges` */
};

#define WT_SSTHRESH_INFINITE 0x7fffffffu

struct wt_sender_ops {
	const char *name, *text;      /* text: one line with the source */
	const char *default_recovery; /* recovery module that goes with it; NULL: that of the stack's preset (modern: rack) */
	const struct wt_param *params;
	size_t param_count, params_size, state_size;
	const void *params_default;   /* params_size bytes */
	const struct wt_cc_preset *presets; /* NULL: none; ends with a name of NULL */
	const char *const *gauges;    /* names of out->gauge, a unit at the end ("bandwidth_Bps"), NULL behind the last; NULL: none */
	uint32_t floor_segs;          /* the module never asks for less than so many segments; 0 is taken as 1 */
	bool own_window;              /* cwnd in recovery is the module's own: recovery sets no `limit` beside it */
	const char *default_receiver; /* receiver module that makes the protocol whole (TCP-Real, DCTCP); NULL: standard */
	bool answers_both;            /* a mark takes less than a loss, so a loss in a window that a mark has reduced is told too */

	/* params: the module keeps a copy; they are gone when init() returns */
	void (*init)(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out);
	void (*on_ack)(void *state, const struct wt_ack *ack, struct wt_sender_out *out);
	void (*on_loss)(void *state, const struct wt_loss *loss, struct wt_sender_out *out);
	void (*on_event)(void *state, enum wt_cc_event event, const struct wt_cc_env *env, struct wt_sender_out *out);
	void (*on_sent)(void *state, const struct wt_sent *sent, struct wt_sender_out *out);
	/* When on_timer() is wanted, WT_NEVER: not. Asked after each hook; the stack's clock may be coarse and make it later. */
	wt_time (*deadline)(const void *state);
	void (*on_timer)(void *state, wt_time now, struct wt_sender_out *out);
	/* Handshake. Out: the receiver module is asked first, the sender may add to what stands in *option.
	 * `attempt` counts from 0. In: the peer's options on SYN or SYN-ACK; called before our own SYN-ACK leaves. */
	void (*on_syn_out)(void *state, unsigned attempt, struct wt_cc_option *option);
	void (*on_syn_in)(void *state, const struct wt_cc_options *options);
};

/* ---- recovery: what is lost --------------------------------------------------------------------------- */

enum wt_tx_flags {
	WT_TX_SACKED = 1,
	WT_TX_LOST = 2,          /* held lost, waiting to be resent (cleared when it is) */
	WT_TX_RETRANSMITTED = 4, /* sent more than once */
	WT_TX_DELIVERED = 8,     /* was SACKED once, so `delivered` has it, whatever a timeout did to SACKED */
	WT_TX_CUT = 16,          /* goes on the record before it: the path's MSS shrank, and a segment was cut */
};

/* One segment as first sent. Records cover [snd_una, snd_nxt) without gaps, ascending. */
struct wt_tx_record {
	wt_seq seq;
	uint32_t len;       /* bytes of sequence space, FIN and SYN count one */
	uint8_t flags;      /* enum wt_tx_flags */
	bool app_limited;   /* it was sent while the application left the window unused */
	uint16_t later;     /* nanoseconds that `sent` is after the moment at which it left: by_time has no two transmissions of one time */
	uint32_t inflight;  /* bytes in flight after it was sent */
	wt_time sent;       /* last transmission, and `later` */
	uint64_t delivered; /* rate sample state at that moment */
	wt_time delivered_time, first_sent;
	uint64_t total_lost; /* as in wt_ack, when it was sent */
};

#define WT_TX_PAGE 16 /* records in a page of the scoreboard */

/* The scoreboard, read only. */
struct wt_outstanding {
	wt_seq snd_una, snd_nxt; /* snd_nxt: highest sequence number sent, plus one */
	uint32_t mss;
	uint32_t cwnd, ssthresh; /* the sender module's present word */
	uint32_t inflight;       /* bytes: sent, neither acked, SACKed nor held lost */
	wt_time rto;             /* the retransmission timeout in force, back-off included */
	wt_time srtt, min_rtt;   /* 0: none yet */
	wt_time oldest_sent;     /* of the records in flight (neither SACKed nor LOST) the earliest last transmission; by_time only; 0: none */
	wt_seq oldest_end;       /* the end of that record */
	uint32_t sacked, lost;   /* bytes by flag */
	uint32_t new_data;       /* bytes never sent that could go now but for the congestion window */
	wt_seq highest_sacked;   /* end of the highest SACKed record; snd_una if none */
	/* RFC 6675 4, IsLost(): what lies below and is not SACKed is lost. More than (DupThresh - 1) * SMSS bytes of SACKed records lie at and
	 * above it, where a SACKed record starts; snd_una if not so much is SACKed. Up to date in on_ack. */
	wt_seq loss_edge;
	/* record i is number (first + i) % WT_TX_PAGE of page[(first + i) / WT_TX_PAGE & mask], 0 <= i < count */
	struct wt_tx_record *const *page;
	uint32_t mask, first, count;
};

static inline const struct wt_tx_record *wt_tx_record_at(const struct wt_outstanding *out, uint32_t i)
{
	uint32_t serial = out->first + i;

	return &out->page[serial / WT_TX_PAGE & out->mask][serial % WT_TX_PAGE];
}

/*
 * The engine clears everything but `inflate`, `limit`, `new_first` and `idle` before each call. For one ACK it acts in this order:
 * recovery on_ack; marks; sender on_loss if `enter`; sender on_ack; recovery allow; sender on_loss of an ECN echo; WT_CC_RECOVERED to both if `leave`;
 * then it sends.
 * The first segment that a call with `enter` or `again` marks is resent at once, whatever the window says (RFC 5681 3.2
 * step 3, RFC 6582 3.2 step 3, RFC 6675 5 step 4.3); others as cwnd + inflate - in flight allows, lost before new data.
 */
struct wt_recovery_out {
	bool enter;      /* loss found: the sender module is asked with WT_LOSS_DUPTHRESH */
	bool leave;      /* recovery over. With enter: outside recovery it has no phase (Tahoe); in recovery the next one begins at once */
	bool mark;       /* every record in [snd_una, lost_to) that is neither SACKed nor marked becomes LOST */
	bool again;      /* with mark: also records already retransmitted (the retransmission is held lost) */
	bool sent_by;    /* every record in flight sent before sent_time, or at it and ending no higher than sent_end, is LOST; by_time only */
	bool probe;      /* one segment goes at once, whatever the windows say: new data, else the last one again (RFC 8985 7.3) */
	bool new_first;  /* new data goes before what is LOST (RFC 5682 2.1) */
	bool undo;       /* the last loss event was spurious: WT_CC_UNDO to all modules; nothing waits to be sent again */
	bool rescue;     /* the last record that is not SACKed becomes LOST, unless it was retransmitted (RFC 6675 NextSeg rule 4) */
	bool idle;       /* until something else comes, the module has nothing to say of ACKs of segments that were sent once, while nothing is SACKed,
			    LOST or in recovery; and need not be asked about them. Each on_ack says it anew */
	bool hold_timer; /* this ACK does not restart the retransmission timer (RFC 6582, impatient variant) */
	wt_time again_sent; /* with again: only records last sent by this time (RFC 8985); 0: whenever they were sent */
	wt_time sent_time;
	wt_seq lost_to, sent_end; /* lost_to: always the end of a record */
	uint32_t limit;  /* bytes that may be in flight instead of cwnd + inflate; 0: no such limit (RFC 9937) */
	uint32_t inflate; /* bytes that may be in flight beyond cwnd: dup-ACK inflation (RFC 5681 3.2), limited transmit */
};

struct wt_recovery_ops {
	const char *name, *text;
	const struct wt_param *params;
	size_t param_count, params_size, state_size;
	const void *params_default;
	const struct wt_cc_preset *presets;

	void (*init)(void *state, const void *params, const struct wt_cc_env *env);
	/* After the scoreboard took the ACK; runs before the sender's on_ack. */
	void (*on_ack)(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out);
	/* After marks and both sender hooks: how much may be in flight (`limit`). view: up to date, with the ssthresh in force. */
	void (*allow)(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out);
	/* WT_LOSS_RTO: the engine has left recovery and marked everything outstanding LOST, SACKed or not (RFC 2018 8). */
	void (*on_rto)(void *state, const struct wt_outstanding *view, struct wt_recovery_out *out);
	void (*on_event)(void *state, enum wt_cc_event event, const struct wt_cc_env *env);
	bool by_time; /* it marks by `sent_by`: the engine keeps the order of transmissions */
	bool sent_alone; /* on_sent looks at no view, and may be given NULL */
	/* A segment has left. Of *out it may set `limit` and `new_first` alone. */
	void (*on_sent)(void *state, const struct wt_sent *sent, const struct wt_outstanding *view, struct wt_recovery_out *out);
	wt_time (*deadline)(const void *state); /* as in wt_sender_ops */
	void (*on_timer)(void *state, wt_time now, const struct wt_outstanding *view, struct wt_recovery_out *out);
};

/* ---- receiver: every segment in, every ACK out -------------------------------------------------------- */

enum wt_rx_flags {
	WT_RX_IN_ORDER = 1,      /* advanced rcv_nxt */
	WT_RX_OUT_OF_ORDER = 2,  /* above a hole */
	WT_RX_DUPLICATE = 4,     /* brought nothing new */
	WT_RX_FILLED_HOLE = 8,   /* in order while data above it was waiting */
	WT_RX_PSH = 16,
	WT_RX_FIN = 32,
	WT_RX_CE = 64,           /* marked on its way (RFC 3168); only if ECN was agreed on */
};

/* One arriving segment with payload (or FIN), already accepted and stored. */
struct wt_rx_segment {
	wt_time now;      /* arrival of this packet */
	wt_seq seq;
	uint32_t len;     /* payload bytes */
	wt_seq rcv_nxt;   /* after it */
	uint32_t flags;   /* enum wt_rx_flags */
	bool has_ts;
	uint32_t tsval, tsecr; /* timestamps of the segment (RFC 7323): the peer's clock, and ours as it echoes it */
	wt_time echo_age;      /* since our segment that it echoes left, by our millisecond clock; negative: not known */
	uint32_t out_of_order; /* bytes waiting above holes, after it */
	const struct wt_cc_options *options;
};

enum wt_rx_verdict {
	WT_RX_DEFAULT = 0, /* the stack's delayed-ACK policy decides */
	WT_RX_ACK_NOW = 1,
	WT_RX_ACK_HOLD = 2, /* not because of this segment: the delayed-ACK timer still runs */
};

/* A segment with ACK is about to leave (every one, data-bearing too, SYN-ACK not). */
struct wt_rx_ack {
	wt_time now;
	wt_seq rcv_nxt;
	uint32_t free_window;      /* bytes of receive buffer free */
	wt_seq right_edge;         /* last advertised */
	unsigned option_room;      /* bytes of option space left for us, padding included */
	bool pure;                 /* no payload */
};

struct wt_rx_out {
	uint32_t window;            /* in: what the stack would advertise; the module may lower it (never below the last right edge, unless `shrinks`) */
	bool ece;                   /* in: does RFC 3168 want ECE here? The module may say otherwise; no word if ECN is not agreed on */
	struct wt_cc_option option; /* len 0: none */
	struct wt_cc_note note;
};

struct wt_receiver_ops {
	const char *name, *text;
	bool shrinks; /* its window may take back what was promised (RFC 9293 3.8.6 discourages that; Freeze-TCP, rLEDBAT do it) */
	const struct wt_param *params;
	size_t param_count, params_size, state_size;
	const void *params_default;
	const struct wt_cc_preset *presets;

	void (*init)(void *state, const void *params, const struct wt_cc_env *env);
	unsigned (*on_segment)(void *state, const struct wt_rx_segment *segment, struct wt_cc_note *note); /* enum wt_rx_verdict */
	void (*on_ack_out)(void *state, const struct wt_rx_ack *ack, struct wt_rx_out *out);
	wt_time (*deadline)(const void *state);              /* WT_NEVER: none */
	unsigned (*on_timer)(void *state, wt_time now);      /* enum wt_rx_verdict */
	void (*on_event)(void *state, enum wt_cc_event event, const struct wt_cc_env *env);
	void (*on_syn_out)(void *state, unsigned attempt, struct wt_cc_option *option);
	void (*on_syn_in)(void *state, const struct wt_cc_options *options);
};

/* ---- for all ------------------------------------------------------------------------------------------- */

#define WT_CC_PARAMS_MAX 256 /* largest params_size; `wavetank cc check` looks */

#endif
