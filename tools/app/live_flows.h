/* SPDX-License-Identifier: BSD-2-Clause */
/* --live: windows, round trips, goodput, retransmissions and drops of the flows of this process, on the terminal. */
#ifndef WT_TOOLS_APP_LIVE_FLOWS_H
#define WT_TOOLS_APP_LIVE_FLOWS_H

#include "tools/app/bulk.h"

struct wt_live_flows;

/* sends: there are windows to show. NULL with a sentence in err. */
struct wt_live_flows *wt_live_flows_open(const char *title, bool sends, char *err, size_t err_len);
/* One interval of the flow `id`. The view gets the sum of all flows, and the mean of their round trips, once each has told. */
void wt_live_flows_interval(struct wt_live_flows *flows, unsigned id, const struct wt_bulk_interval *interval);
/* A frame was dropped on the path. */
void wt_live_flows_drop(struct wt_live_flows *flows, const char *cause);
void wt_live_flows_close(struct wt_live_flows *flows);

#endif
