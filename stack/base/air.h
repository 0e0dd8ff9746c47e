/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a wireless channel tells: every frame that a station sends, what each other station made of it, and what became of the
 * exchange. The channel (emu/air) knows no file; who writes one (stack/record) knows no channel.
 */
#ifndef WT_STACK_BASE_AIR_H
#define WT_STACK_BASE_AIR_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/base/node.h"

enum wt_air_kind { WT_AIR_RTS, WT_AIR_CTS, WT_AIR_ACK, WT_AIR_DATA, WT_AIR_KINDS };

/* One frame on the air. */
struct wt_air_sending {
	enum wt_air_kind kind;
	unsigned from;        /* station */
	uint8_t to[6];        /* whom it is for */
	uint8_t by[6];        /* the station that sends it; CTS and ACK do not carry it */
	uint32_t len;         /* bytes behind the PLCP header: MAC header, payload, FCS */
	uint32_t rate_kbps;
	bool ofdm;
	uint16_t mhz;
	uint16_t duration_us; /* for how long the exchange goes on behind it */
	uint16_t sequence;    /* of data */
	bool retry;           /* of data: it was sent before */
	wt_time start, end;   /* at the sender */
	const struct wt_frame *frame; /* of data: the Ethernet frame; NULL */
};

/* What a station made of a frame that was strong enough to be received. */
enum wt_air_end {
	WT_AIR_RECEIVED,
	WT_AIR_COLLIDED, /* another frame came while it lasted, or it came while another lasted */
	WT_AIR_CAPTURED, /* it came while a frame lasted that was so much stronger that it survived this one */
	WT_AIR_DEAF,     /* the station itself was sending */
	WT_AIR_ENDS,
};

/* What became of a frame to one station, at its sender. */
enum wt_air_turn {
	WT_AIR_NO_CTS, /* the RTS was not answered */
	WT_AIR_NO_ACK, /* the frame was not */
	WT_AIR_GIVEN_UP, /* that was the last retry */
	WT_AIR_ACKED,
	WT_AIR_TURNS,
};

struct wt_air_sink {
	/* as it starts */
	void (*sent)(struct wt_air_sink *sink, const struct wt_node *air, const struct wt_air_sending *sending);
	/* as it ends at a station; for_it: sent to this station, or to all */
	void (*heard)(struct wt_air_sink *sink, const struct wt_node *air, wt_time now, unsigned station,
		      const struct wt_air_sending *sending, bool for_it, enum wt_air_end end);
	void (*turned)(struct wt_air_sink *sink, const struct wt_node *air, wt_time now, unsigned station, const struct wt_frame *frame,
		       enum wt_air_turn turn);
};

#endif
