/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The air: one node that is a wireless channel together with the MACs of all its stations (IEEE 802.11 DCF), a port per station. Carrier
 * sense and collisions are no frames, so they cannot be nodes of their own. docs/wireless-model.md says what it does, exactly.
 *
 *   Ethernet frame in by port s ──► queue of station s ──► DIFS, back-off, RTS, CTS, data, ACK ──► a copy out by the port of the receiver
 *                                                        └─► given up: the frame itself out by port s, frame->fate = WT_FATE_NO_ACK
 *
 * Ports carry Ethernet frames. A frame for a station's hardware address is for that station; one for a group address goes to all that
 * hear it, without RTS and ACK; one for an address that no station has is sent and given up.
 */
#ifndef WT_EMU_AIR_AIR_H
#define WT_EMU_AIR_AIR_H

#include "emu/air/radio.h"
#include "emu/air/rates.h"
#include "emu/mobility/track.h"
#include "stack/base/air.h"
#include "stack/base/random.h"

struct wt_air_config {
	char name[32];
	struct wt_radio radio;
	struct wt_air_phy phy;
	const struct wt_air_rate *data, *basic; /* of frames to one station; of RTS, CTS, ACK and frames to a group. Of one kind */
	uint32_t rts;            /* frames to one station longer than so many bytes on the air begin with RTS; UINT32_MAX: none */
	uint32_t queue;          /* frames that wait at a station, the one being sent apart */
	unsigned short_retries;  /* a frame is given up after so many RTS without CTS, or, without RTS, frames without ACK */
	unsigned long_retries;   /* and after so many frames without ACK that a CTS had let go */
	bool eifs;               /* false: DIFS also after frames that could not be read */
	bool captured_nav;       /* a frame that another one survived sets the NAV to its end and EIFS, as in ns-2; the standard has no such rule */
	bool purge;              /* with a frame given up, all that wait for the same station come back too */
	uint64_t seed;
};

/* 802.11 DSSS, 2 and 1 Mbit/s, RTS before every frame, 50 frames, 7 and 4 retries. */
void wt_air_config_init(struct wt_air_config *config);
/* Sets both rates and what goes with them. 0, or -EINVAL: no such rates, or one of DSSS and one of OFDM. */
int wt_air_set_rates(struct wt_air_config *config, uint32_t data_kbps, uint32_t basic_kbps, bool short_preamble);

struct wt_air;

/* With so many stations, none of which has a place yet. Copies of frames are from the pools of their originals. NULL: no memory. The graph
 * owns the node. */
struct wt_air *wt_air_create(const struct wt_air_config *config, unsigned stations);
struct wt_node *wt_air_node(struct wt_air *air);
/* Address and way of a station; the track outlives the air. Before the first frame. */
void wt_air_place(struct wt_air *air, unsigned station, const uint8_t mac[6], const struct wt_track *track);
/* From its port come also the frames to single stations that it hears and that are for others: to be looked at. */
void wt_air_listen(struct wt_air *air, unsigned station);
void wt_air_set_sink(struct wt_air *air, struct wt_air_sink *sink);

enum { WT_AIR_ASK = 20 /* bytes of RTS */, WT_AIR_ANSWER = 14 /* of CTS and ACK */, WT_AIR_HEADER = 24, WT_AIR_FCS = 4 };

/* Bytes on the air of an Ethernet frame: another header, and an FCS. */
static inline uint32_t wt_air_len(uint32_t ethernet)
{
	return ethernet < 14 ? WT_AIR_HEADER + WT_AIR_FCS : ethernet - 14 + WT_AIR_HEADER + WT_AIR_FCS;
}

/* Of one station, since the start. */
struct wt_air_count {
	uint64_t sent[WT_AIR_KINDS], received[WT_AIR_KINDS]; /* frames on the air; those for it, or for all */
	uint64_t heard[WT_AIR_ENDS];  /* what became here of frames strong enough to be received, whoever they were for */
	uint64_t turned[WT_AIR_TURNS];
	uint64_t weak;                /* frames that were sensed only */
	uint64_t duplicates;          /* data that came again since an ACK was lost */
	wt_time on_air[WT_AIR_KINDS]; /* its own sending */
	wt_time routing;              /* of that, data of the first queue */
	wt_time busy;                 /* it sensed others */
	wt_time collided;             /* of that, it was at frames of which a collision left none to read */
	/* the books of its port: in = acked + sent to all + returned + dropped + waiting */
	uint64_t in, acked, to_all, returned, dropped, waiting;
	uint64_t delivered;           /* to its port, of others */
	uint64_t overheard;           /* to its port, between others */
};

const struct wt_air_count *wt_air_count(struct wt_air *air, unsigned station);

#endif
