/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How strong a frame arrives: Friis' equation up to the cross-over distance, the two-ray ground model beyond it (Rappaport, Wireless
 * Communications, 4.6): Pr = Pt Gt Gr ht^2 hr^2 / (d^4 L). No fading, no obstacles, no sum of interference.
 */
#ifndef WT_EMU_AIR_RADIO_H
#define WT_EMU_AIR_RADIO_H

#include "stack/base/time.h"

struct wt_radio {
	double power;     /* sent, W */
	double frequency; /* Hz */
	double height;    /* of every antenna, m */
	double gain;      /* of every antenna */
	double loss;      /* of the system, at least 1 */
	double receive;   /* W: from there on a frame can be received, */
	double sense;     /* and from here on the medium is seen to be busy; at most `receive` */
	double capture;   /* a frame survives one that comes later and is so many times weaker; 0: none survives */
};

/* 914 MHz, received up to 250 m, sensed up to 550 m: the numbers of the studies. */
extern const struct wt_radio wt_radio_default;

/* At a distance whose square is given, m2; W. */
double wt_radio_power(const struct wt_radio *radio, double square);
/* How far a power of at least `least` W reaches, m: of the two-ray model, or of Friis' equation below the cross-over. */
double wt_radio_reach(const struct wt_radio *radio, double least);
/* On the way; rounded up, at least 1 ns: so of three stations no detour is shorter than the way, in whole nanoseconds, too. */
wt_time wt_radio_delay(double square);

#endif
