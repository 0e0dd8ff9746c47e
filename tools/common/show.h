/* SPDX-License-Identifier: BSD-2-Clause */
/* Quantities for people: "5.24 MB", "9.73 Mbit/s", "31.2 ms". Each returns text. */
#ifndef WT_TOOLS_COMMON_SHOW_H
#define WT_TOOLS_COMMON_SHOW_H

#include "stack/base/time.h"

const char *wt_show_bytes(double bytes, char text[24]);
const char *wt_show_rate(double bit_per_s, char text[24]);
const char *wt_show_time(wt_time time, char text[24]);

#endif
