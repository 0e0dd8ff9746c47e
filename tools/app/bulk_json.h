/* SPDX-License-Identifier: BSD-2-Clause */
/* One finished transfer with both ends, as `sim`, `send --json` and the paper runs write and read it. */
#ifndef WT_TOOLS_APP_BULK_JSON_H
#define WT_TOOLS_APP_BULK_JSON_H

#include "stack/record/json.h"
#include "tools/app/bulk.h"

/*
 * Writes keys into the object that is open:
 *   "outcome" ("complete" or the failure), "error" (errno name or null), "payload_bytes", "connection_time_s",
 *   "goodput_kBps" (1000 bytes a second, the papers' KB/s), "goodput_bps" (bit a second),
 *   "sender": {module, recovery, counters ...}, "receiver": {module, verified, counters ...} or null
 */
void wt_bulk_json(struct wt_json *json, const struct wt_bulk_sender *sender);
/* "pacing_rate_Bps" and the sender module's gauges, under their own names, into the object that is open. */
void wt_gauges_json(struct wt_json *json, const struct wt_tcp_info *info);
/* "playback": {attempts, successes, success_percent} if the receiver played. */
void wt_bulk_playback_json(struct wt_json *json, const struct wt_bulk_result *result);
/* The object "receiver" in the open one. */
/* The counts that a sender reported; NULL if it did not. */
void wt_bulk_report_json(struct wt_json *json, const struct wt_bulk_report *report);
void wt_bulk_receiver_json(struct wt_json *json, const struct wt_bulk_result *result);

#endif
