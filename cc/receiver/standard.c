/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The standard receiver (RFC 9293, RFC 5681 4.2). What a receiver has to do for every sender is the stack's own
 * delayed-ACK policy; this module leaves it alone and owns no option, so it has no hook at all.
 */
#include "cc/cc.h"

const struct wt_receiver_ops wt_receiver_standard = {
	.name = "standard",
	.text = "the stack's own acknowledgement policy (RFC 5681 4.2)",
};
