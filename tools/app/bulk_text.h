/* SPDX-License-Identifier: BSD-2-Clause */
/* One line for people about each end of a bulk transfer: the same words in virtual time, over a port and in a lab. */
#ifndef WT_TOOLS_APP_BULK_TEXT_H
#define WT_TOOLS_APP_BULK_TEXT_H

#include <stdio.h>

#include "tools/app/bulk.h"

struct wt_sender_facts {
	const char *sender, *recovery; /* modules */
	bool fallback;                 /* the peer takes no part in the sender's protocol */
	uint64_t segs, retransmits, fast_recoveries, timeouts;
	wt_time mean_rtt;              /* of all samples; 0: none */
};

struct wt_sender_facts wt_sender_facts(const struct wt_tcp_info *info);
/* "newreno, recovery sack: 3460 segments, 37 sent again, 9 fast recoveries, 0 timeouts, mean RTT 34.4 ms", without a newline. */
void wt_sender_text(FILE *out, const struct wt_sender_facts *facts);
/* "standard: 3423 segments, 0 duplicate, 216 out of order", without a newline. */
void wt_receiver_text(FILE *out, const char *module, uint64_t segs, uint64_t duplicate, uint64_t out_of_order);
/* "12 segments arrived marked CE, 203 ACKs with ECE, 10 window reductions", without a newline. result NULL: the receiver's count is not known. */
void wt_ecn_text(FILE *out, const struct wt_bulk_result *result, const struct wt_tcp_info *sender);

#endif
