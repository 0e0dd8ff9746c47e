/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The small residents of the demux table: what a host keeps of a connection before it is made and after it is over. Each is a
 * slot of at most 128 bytes, without buffers and without modules. Slots come in blocks, which the host keeps until its end.
 */
#ifndef WT_STACK_TCP_RESIDENT_H
#define WT_STACK_TCP_RESIDENT_H

#include <stdbool.h>

#include "stack/base/extent.h"
#include "stack/base/heap.h"
#include "stack/base/seq.h"
#include "stack/tcp/demux.h"
#include "stack/wire/tcp.h"

#define WT_SLOT_BYTES 128

struct wt_slots {
	struct wt_slot *free;        /* those that nobody uses */
	struct wt_slot_block *blocks;
};

struct wt_chunks;

/* A zeroed slot, charged to the pool; NULL: no memory. Finish frees them all, used or not. */
void *wt_slot_take(struct wt_slots *slots, struct wt_chunks *pool);
void wt_slot_give(struct wt_slots *slots, void *slot);
void wt_slots_finish(struct wt_slots *slots, struct wt_chunks *pool);

/* Puts an entry into a heap that grows by need: 0 or -ENOMEM, and then it is not in the heap. */
int wt_resident_arm(struct wt_heap *heap, struct wt_heap_entry *entry, wt_time due);

/* ---- the checks of RFC 9293 3.10.7.4 that need only these numbers -------------------------------------- */

struct wt_resident_view {
	wt_seq rcv_nxt, rcv_adv;
	bool ts_ok;
	uint32_t ts_recent;
};

enum wt_resident_verdict {
	WT_RESIDENT_IGNORE,
	WT_RESIDENT_ACK,       /* answer with an ACK */
	WT_RESIDENT_CHALLENGE, /* the same, if the last challenge is long enough ago */
	WT_RESIDENT_TAKE,      /* a reset that fits exactly, or a segment with ACK whose number of acknowledgment is to be judged */
};

/* Sequence number, PAWS, RST and SYN (RFC 5961 3 and 4). seg_len: payload bytes. */
enum wt_resident_verdict wt_resident_check(const struct wt_resident_view *view, const struct wt_tcp_header *seg, uint32_t len);
/* 3.10.7.4, table 6: seg_len counts SYN and FIN too. */
bool wt_seq_acceptable(wt_seq rcv_nxt, wt_seq rcv_adv, wt_seq seq, uint32_t seg_len);
/* RFC 5961 7: at most one challenge in half a second. *last_ms is the resident's own; true: send it. */
bool wt_resident_may_challenge(uint32_t *last_ms, wt_time now);

/* ---- SYN-RECEIVED ----------------------------------------------------------------------------------------- */

#define WT_SYN_OPTIONS 20 /* bytes of experimental options that stand beside all others of today in a SYN */

/* What the SYN offered. Without the bit the field means nothing. */
enum wt_syn_offer {
	WT_SYN_MSS = 1,
	WT_SYN_WSCALE = 2,
	WT_SYN_SACK = 4,
	WT_SYN_TS = 8,
	WT_SYN_ECN = 16,
};

struct wt_syn {
	struct wt_demux_entry entry; /* first */
	struct wt_heap_entry timer;  /* order: the number of the connection */
	wt_time sent;                /* when the first SYN-ACK left, which is when the SYN came */
	wt_seq iss, irs;
	uint32_t tsval, challenged_ms;
	uint16_t window, mss;
	uint8_t offer;    /* enum wt_syn_offer */
	uint8_t wscale;
	uint8_t attempt;  /* timeouts so far */
	uint8_t sends;    /* SYN-ACKs so far, at most 255; 0: a cookie; when it left is unknown */
	uint8_t ecn;      /* as struct wt_tcp_ecn.syns */
	bool any;         /* it belongs to who listens at any address, whoever else may listen at this one meanwhile */
	uint8_t option_bytes;
	uint8_t options[WT_SYN_OPTIONS]; /* experimental ones, as in the segment */
};

static inline struct wt_syn *wt_syn_of(struct wt_heap_entry *timer)
{
	return (struct wt_syn *)((char *)timer - offsetof(struct wt_syn, timer));
}

/* Has the listener or the host its most entries already? */
bool wt_syn_has_room(const struct wt_tcp *listener);
/* A SYN for a listener that has room to accept. above: see wt_tcp_first_number(). */
void wt_syn_arrived(struct wt_tcp *listener, const struct wt_tuple *tuple, const struct wt_tcp_header *seg, const wt_seq *above);
/* Any other segment for the entry: the third of the handshake makes the connection. */
void wt_syn_input(struct wt_tcp_stack *stack, struct wt_syn *syn, const struct wt_tcp_header *seg, const struct wt_extent *payload, uint32_t len);
/* The SYN-ACK was not answered in time: it goes again, or the entry ends. The frame, or NULL. */
struct wt_frame *wt_syn_timeout(struct wt_tcp_stack *stack, struct wt_syn *syn);
/* A segment with ACK for a listener that knows nothing of it. False: it is no answer to a cookie. */
bool wt_syn_cookie_input(struct wt_tcp *listener, const struct wt_tuple *tuple, const struct wt_tcp_header *seg,
			 const struct wt_extent *payload, uint32_t len);
/* The listener is closed: its half-open connections are reset. */
void wt_syn_close(struct wt_tcp *listener);
void wt_syn_end(struct wt_tcp_stack *stack, struct wt_syn *syn);

/* syn_cookie.c: what of a SYN can be kept in the numbers of its SYN-ACK (RFC 4987 3.6) */
wt_seq wt_cookie_make(const struct wt_tcp_stack *stack, const struct wt_syn *syn);
/* Is `iss` a cookie of ours for this tuple and irs, and young enough? Then syn->mss is filled in. */
bool wt_cookie_check(const struct wt_tcp_stack *stack, struct wt_syn *syn);
/* The timestamp of a SYN-ACK with the other options in its lowest bits, and them back from what came as its echo. */
uint32_t wt_cookie_timestamp(uint32_t tsval, const struct wt_syn *syn);
void wt_cookie_options(uint32_t tsecr, struct wt_syn *syn);
#define WT_COOKIE_PERIOD (30 * WT_S) /* a cookie is good until the end of the period after its own */

/* ---- TIME-WAIT ------------------------------------------------------------------------------------------ */

struct wt_wait {
	struct wt_demux_entry entry; /* first */
	struct wt_heap_entry timer;  /* order: the number of the connection */
	struct wt_tcp *owner;        /* the block that an application still holds, or NULL */
	wt_time last;                /* the wait lasts so long, and again after each FIN */
	wt_seq snd_nxt, rcv_nxt;
	uint32_t max_snd_wnd, ts_recent, challenged_ms;
	uint16_t window; /* as in the last ACK */
	uint8_t rcv_wscale, snd_wscale;
	bool ts_ok;
};

static inline struct wt_wait *wt_wait_of(struct wt_heap_entry *timer)
{
	return (struct wt_wait *)((char *)timer - offsetof(struct wt_wait, timer));
}

/* The connection has sent and received both FINs: an entry takes its place in the table. The block lives as long as its handle. */
void wt_wait_begin(struct wt_tcp *tcp);
/* The wait is over: for its time, for an abort or for a new connection. */
void wt_wait_end(struct wt_tcp_stack *stack, struct wt_wait *wait);
/* RFC 6191, RFC 9293 3.10.7.4: may this SYN begin a new connection of the same tuple? */
bool wt_wait_reopens(const struct wt_wait *wait, const struct wt_tcp_header *seg);
void wt_wait_input(struct wt_tcp_stack *stack, struct wt_wait *wait, const struct wt_tcp_header *seg, uint32_t len);

#endif
