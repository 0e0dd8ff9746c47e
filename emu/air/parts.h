/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the air share.
 *
 *   air.c      the node, its events in order of time, what leaves by its ports
 *   channel.c  who hears a frame, when and how strongly
 *   receiver.c one frame at a time at each station: busy medium, collisions, capture
 *   dcf.c      when a station may send: slots, inter-frame spaces, back-off
 *   exchange.c what it sends: RTS, CTS, data, ACK, and what comes next when one does not come
 *   waiting.c  the interface queue
 */
#ifndef WT_EMU_AIR_PARTS_H
#define WT_EMU_AIR_PARTS_H

#include "emu/air/air.h"
#include "emu/air/grid.h"
#include "stack/base/heap.h"

enum { WT_AIR_GROUP = -2, WT_AIR_NOBODY = -1 }; /* in place of a station's number */

/* A station that hears a frame. */
struct wt_hearer {
	unsigned station;
	wt_time delay;
	double power;
};

/* A frame under way. */
struct wt_signal {
	struct wt_heap_entry starts, ends; /* at the next hearer */
	struct wt_air_sending sending;     /* what of it is told */
	int to;                            /* station, or WT_AIR_GROUP, WT_AIR_NOBODY */
	wt_time nav;                       /* for how long the exchange goes on behind it */
	struct wt_frame *owned;            /* a frame for a group: nobody waits for it any more */
	const struct wt_hearer *hearer;    /* in order of delay */
	struct wt_hearer *room;            /* its own list, where stations move */
	unsigned hearers, started, ended, size;
	struct wt_signal *next_free;
};

enum wt_timer {
	WT_TIMER_NONE,
	WT_TIMER_BACKOFF,  /* the medium was idle long enough */
	WT_TIMER_RESPONSE, /* SIFS before CTS, ACK or data is over */
	WT_TIMER_SENT,     /* the last bit has left */
	WT_TIMER_TIMEOUT,  /* nothing came */
};

enum wt_await { WT_AWAIT_NOTHING, WT_AWAIT_CTS, WT_AWAIT_ACK };

struct wt_air_station {
	struct wt_heap_entry timer; /* first */
	enum wt_timer what;
	const struct wt_track *track;
	unsigned hint;
	uint8_t mac[6];
	bool listens; /* wt_air_listen() */
	struct wt_air_count count;

	/* receiver.c */
	unsigned sensed;                /* frames of others on the air here */
	const struct wt_signal *locked; /* the one the receiver is at; NULL: none */
	double locked_power;
	wt_time locked_end, locked_from, sensed_from; /* locked_from: of the first of those that ran into each other */
	bool readable, spoiled;         /* strong enough, and begun while the station was silent; something came over it */
	enum wt_air_end end;            /* if spoiled: how */
	bool sending;

	/* dcf.c */
	wt_time idle_since, nav, counting_from;
	bool eifs;
	int slots;                      /* of back-off that are left; -1: none is due */
	unsigned cw;
	struct wt_key key;
	uint64_t draws;

	/* exchange.c */
	struct wt_signal *own;          /* what it sends, or what it will send at the end of SIFS */
	enum wt_await await;
	struct wt_frame *frame;         /* being sent to one station or a group; NULL: none */
	int to;
	uint32_t len;                   /* on the air */
	bool first, taken, sent;        /* of the first queue; the receiver has it; it was on the air */
	unsigned short_count, long_count;
	uint16_t sequence;

	/* waiting.c */
	struct wt_frame_queue queue[2]; /* routing messages, the rest */

	/* channel.c */
	struct wt_hearer *near;         /* stations that may hear it */
	unsigned nears, near_room;
	uint64_t near_of;               /* the filling of the grid they are of */
	bool near_settled;              /* powers and delays hold: nobody moves */
};

struct wt_air_out {
	struct wt_frame *frame;
	unsigned port;
};

struct wt_air {
	struct wt_node node; /* first */
	struct wt_air_config config;
	struct wt_air_sink *sink;
	unsigned stations;
	struct wt_air_station *station;
	struct wt_heap heap;
	struct wt_signal *unused;  /* a list */
	struct wt_signal **signal; /* all there are */
	unsigned signals, signal_room;
	struct wt_air_out *out;    /* a ring */
	unsigned out_head, outs, out_room;
	unsigned *by_mac, mac_mask; /* open hash: station + 1 */

	/* what follows from the configuration */
	wt_time difs, eifs, cts_time, ack_time, timeout;
	double reach;              /* metres: of sensing */

	/* channel.c */
	struct wt_grid grid;
	struct wt_point *at;       /* room for places */
	double fastest;            /* of any station, m/s */
	wt_time filled;            /* when the grid was */
	uint64_t fillings;
};

/* air.c */
int wt_air_find(const struct wt_air *air, const uint8_t mac[6]);
void wt_air_leave(struct wt_air *air, unsigned port, struct wt_frame *frame); /* which is counted as queued */
void wt_air_set_timer(struct wt_air *air, struct wt_air_station *station, enum wt_timer what, wt_time due);
static inline unsigned wt_air_number(const struct wt_air *air, const struct wt_air_station *station)
{
	return (unsigned)(station - air->station);
}

/* channel.c: a signal of the pool, NULL: no memory; it goes on the air now; it is over everywhere */
struct wt_signal *wt_signal_new(struct wt_air *air);
void wt_signal_send(struct wt_air *air, struct wt_signal *signal, wt_time now);
void wt_signal_over(struct wt_air *air, struct wt_signal *signal);
enum { WT_ORDER_END, WT_ORDER_TIMER, WT_ORDER_START, WT_ORDER_SHIFT = 30 }; /* of events at one nanosecond */

/* receiver.c */
void wt_receiver_start(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, double power, wt_time now);
void wt_receiver_end(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, double power, wt_time now);
void wt_receiver_mute(struct wt_air_station *station); /* it begins to send */

/* dcf.c */
bool wt_dcf_is_idle(const struct wt_air_station *station);
void wt_dcf_draw(struct wt_air_station *station); /* the slots of a back-off that begins now */
void wt_dcf_grow(struct wt_air *air, struct wt_air_station *station); /* the window, after a failure */
void wt_dcf_busy(struct wt_air *air, struct wt_air_station *station, wt_time now);
void wt_dcf_go_on(struct wt_air *air, struct wt_air_station *station, wt_time now); /* something has changed: may it count, may it send? */
void wt_dcf_over(struct wt_air *air, struct wt_air_station *station, wt_time now);  /* its back-off is */

/* exchange.c */
bool wt_exchange_has(const struct wt_air_station *station); /* anything to send */
void wt_exchange_begin(struct wt_air *air, struct wt_air_station *station, wt_time now);
void wt_exchange_respond(struct wt_air *air, struct wt_air_station *station, wt_time now);
void wt_exchange_sent(struct wt_air *air, struct wt_air_station *station, wt_time now);
void wt_exchange_timeout(struct wt_air *air, struct wt_air_station *station, wt_time now);
void wt_exchange_received(struct wt_air *air, struct wt_air_station *station, const struct wt_signal *signal, wt_time now);
void wt_exchange_spoiled(struct wt_air *air, struct wt_air_station *station, wt_time now); /* a frame ended that could not be read */

/* waiting.c */
void wt_waiting_add(struct wt_air *air, struct wt_air_station *station, wt_time now, struct wt_frame *frame);
struct wt_frame *wt_waiting_take(struct wt_air_station *station, bool *first);
/* All that wait for one station go back. */
void wt_waiting_return(struct wt_air *air, struct wt_air_station *station, const uint8_t mac[6]);

#endif
