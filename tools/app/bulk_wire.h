/* SPDX-License-Identifier: BSD-2-Clause */
/* Request, result and report of the bulk application as bytes, in network order. */
#ifndef WT_TOOLS_APP_BULK_WIRE_H
#define WT_TOOLS_APP_BULK_WIRE_H

#include "tools/app/bulk.h"

#define WT_BULK_REQUEST 32
#define WT_BULK_RESULT 96
#define WT_BULK_REPORT 96

void wt_bulk_put_request(uint8_t wire[WT_BULK_REQUEST], const struct wt_bulk_request *request);
bool wt_bulk_get_request(const uint8_t wire[WT_BULK_REQUEST], struct wt_bulk_request *request);
void wt_bulk_put_result(uint8_t wire[WT_BULK_RESULT], const struct wt_bulk_result *result);
bool wt_bulk_get_result(const uint8_t wire[WT_BULK_RESULT], struct wt_bulk_result *result);
void wt_bulk_put_report(uint8_t wire[WT_BULK_REPORT], const struct wt_bulk_report *report);
bool wt_bulk_get_report(const uint8_t wire[WT_BULK_REPORT], struct wt_bulk_report *report);

#endif
