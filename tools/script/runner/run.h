/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs one script against a host, in process and in virtual time: exact to the nanosecond and the same every time.
 */
#ifndef WT_TOOLS_SCRIPT_RUNNER_RUN_H
#define WT_TOOLS_SCRIPT_RUNNER_RUN_H

#include <stdio.h>

#include "stack/host/host.h"
#include "tools/script/language/script.h"

/* "timestamps,sack,window_scaling,merge" as bits; 0 and a sentence if there is another word. */
unsigned wt_script_with(const char *words, char *error, size_t error_len);

/* What the command line and the head of a script choose. */
struct wt_script_options {
	wt_time tolerance;
	bool strict_segments;  /* an expected packet is one packet on the wire */
	bool loose_order;      /* packets may arrive before those that left at the same time are expected */
	bool ignore_timestamps;
	uint32_t remote_isn;   /* where the script's sequence numbers begin on the wire */
	bool has_local_isn;
	uint32_t local_isn;    /* what our first initial sequence number shall be */
	struct wt_addr local, remote;
	uint16_t bind_port, connect_port, remote_port;
	uint64_t mtu, secret, max_connections, max_half_open, max_time_wait;
	unsigned with;         /* what to add to scripts that leave it open, as bits WT_SX_* */
	unsigned without;      /* what a script says it cannot be run with ... */
	char why[400];         /* ... and its reasons */
	bool insist;           /* add it all the same */
	struct wt_tcp_config tcp;
	char preset[24]; /* the one given last; modules start from their profile of that name */
};

void wt_script_options_init(struct wt_script_options *options);
/* One "--name=value". 0, or -EINVAL with a sentence in error. */
int wt_script_options_set(struct wt_script_options *options, const char *name, const char *value, char *error,
			  size_t error_len);

#define WT_SCRIPT_REPORT 2048

struct wt_script_report {
	bool bad;   /* not a failure but a script that cannot be run */
	unsigned packets;
	unsigned with;     /* bits that were added; if options.with and none could be, the script was not run */
	unsigned without;  /* bits that the script says it cannot be run with */
	unsigned windows;  /* known by the rule and compared */
	unsigned together; /* packets that came with others of their instant */
	char why[400];     /* the script's reasons not to be run with all */
	char text[WT_SCRIPT_REPORT]; /* why, with FILE:LINE; may have several lines */
};

/* True if everything went as the script says. `log` (or NULL) gets every packet in script notation, as TAP comments. */
bool wt_script_run(const struct wt_script *script, const struct wt_script_options *defaults, FILE *log,
		   struct wt_script_report *report);

#endif
