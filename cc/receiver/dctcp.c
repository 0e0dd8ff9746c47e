/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DCTCP's receiver (RFC 8257 3.2): an ACK says whether what it is about was marked, whatever CWR says. With delayed ACKs a
 * change is acknowledged at once; the RFC has what waited before the change acknowledged on its own first, here it goes with
 * the change, so up to ack_every - 1 segments per change are counted on the wrong side.
 */
#include "cc/cc.h"

struct dctcp {
	bool marked; /* the last segment was */
};

static unsigned dctcp_on_segment(void *state, const struct wt_rx_segment *segment, struct wt_cc_note *note)
{
	struct dctcp *d = state;
	bool marked = segment->flags & WT_RX_CE, changed = marked != d->marked;

	if (!segment->len)
		return WT_RX_DEFAULT;
	d->marked = marked;
	return changed ? WT_RX_ACK_NOW : WT_RX_DEFAULT;
}

static void dctcp_on_ack_out(void *state, const struct wt_rx_ack *ack, struct wt_rx_out *out)
{
	struct dctcp *d = state;

	out->ece = d->marked;
}

const struct wt_receiver_ops wt_receiver_dctcp = {
	.name = "dctcp",
	.text = "echoes each ECN mark as it came, for the sender dctcp (RFC 8257)",
	.state_size = sizeof(struct dctcp),
	.on_segment = dctcp_on_segment,
	.on_ack_out = dctcp_on_ack_out,
};
