/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an air tells, in files: every frame in a capture (radiotap and 802.11); in a log, each frame that was lost at a station it was for,
 * and each answer that did not come.
 *
 *   {"time_ns":..,"event":"emulation:air_lost","data":{"node":"air","station":"n1","from":"n0","kind":"data","cause":"collision","frame":17}}
 *   {"time_ns":..,"event":"emulation:air_retry","data":{"node":"air","station":"n0","missing":"cts","frame":17}}
 *   {"time_ns":..,"event":"emulation:air_given_up","data":{"node":"air","station":"n0","frame":17}}
 */
#ifndef WT_STACK_RECORD_AIR_RECORD_H
#define WT_STACK_RECORD_AIR_RECORD_H

#include "stack/base/air.h"
#include "stack/record/capture.h"
#include "stack/record/journal.h"

struct wt_air_record {
	struct wt_air_sink sink; /* first */
	struct wt_capture *capture; /* with a file of the air; NULL: none */
	struct wt_journal *log;     /* NULL: none */
	const char *(*name)(void *arg, unsigned station);
	void *arg;
	uint8_t bytes[16 * 1024], ethernet[16 * 1024];
};

/* Sets the verbs; the rest is the caller's. */
void wt_air_record_init(struct wt_air_record *record);

#endif
