/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happened to frames and channels, as one line of JSON each; the journal writes them to a file, the control socket of
 * the daemon to whoever listens.
 *
 *   {"time_ns":1500,"event":"emulation:packet_dropped","data":{"node":"fwd.gilbert","cause":"markov","frame":17,"len_bytes":1514,
 *    "burst":2,"state":"on","visit":3,"packet":{"src":"10.0.0.1","dst":"10.0.0.2","protocol":6,"id":7,"src_port":1025,...}}}
 *   {"time_ns":1200,"event":"emulation:state_entered","data":{"node":"fwd.gilbert","state":"on","visit":3}}
 */
#ifndef WT_STACK_RECORD_EVENT_JSON_H
#define WT_STACK_RECORD_EVENT_JSON_H

#include "stack/base/node.h"
#include "stack/record/json.h"

/*
 * Where each node stands in a burst: drops in a row. Of frames as they come a row is ended by one that came in and was kept; of
 * frames that waited in a queue, as CoDel's, by one that went on. A queue can have both, and then has two rows.
 */
struct wt_bursts {
	struct wt_burst {
		uint64_t mark, position;
	} (*node)[2]; /* by index in its graph; [1]: of frames that waited */
	unsigned count;
};

/* The position, from 1, of the drop that is just happening at `node`; 0 if memory is short. */
uint64_t wt_bursts_next(struct wt_bursts *bursts, const struct wt_node *node);
void wt_bursts_finish(struct wt_bursts *bursts);

void wt_event_drop(struct wt_json *json, const struct wt_node *node, wt_time now, const struct wt_frame *frame, enum wt_drop cause,
		  uint64_t burst);
void wt_event_state(struct wt_json *json, const struct wt_node *node, const struct wt_state *state);
/* Begins an event of any other name: data is open, the caller adds to it and closes both. */
void wt_event_begin(struct wt_json *json, wt_time now, const char *event);

#endif
