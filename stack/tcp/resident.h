/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The small residents of the demux table: what a host keeps of a connection before it is made and after it is over. Each is a
 * slot of at most 128 bytes, without buffers and without modules. Slots come in blocks, which the host keeps until its end.
 */
#ifndef WT_STACK_TCP_RESIDENT_H
#define WT_STACK_TCP_RESIDENT_H

#include <stdbool.h>

#include "stack/base/heap.h"
#include "stack/base/seq.h"
#include "stack/tcp/demux.h"
#include "stack/wire/tcp.h"

#define WT_SLOT_BYTES 128

struct wt_slots {
	struct wt_slot *free;        /* those that nobody uses */
	struct wt_slot_block *blocks;
};

/* A zeroed slot, or NULL: out of memory. Finish frees them all, used or not. */
void *wt_slot_take(struct wt_slots *slots);
void wt_slot_give(struct wt_slots *slots, void *slot);
void wt_slots_finish(struct wt_slots *slots);

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
void wt_wait_end(struct wt_host *host, struct wt_wait *wait);
/* RFC 6191, RFC 9293 3.10.7.4: may this SYN begin a new connection of the same tuple? */
bool wt_wait_reopens(const struct wt_wait *wait, const struct wt_tcp_header *seg);
void wt_wait_input(struct wt_host *host, struct wt_wait *wait, const struct wt_tcp_header *seg, uint32_t len);

#endif
