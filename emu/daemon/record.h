/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two forms of the record (record.c, record_text.c) share. */
#ifndef WT_EMU_DAEMON_RECORD_H
#define WT_EMU_DAEMON_RECORD_H

#include "emu/daemon/daemon.h"

const char *wt_daemon_end_name(enum wt_daemon_end end);
const char *wt_daemon_release_name(enum wt_release release);
double wt_daemon_cpu(const struct wt_daemon *daemon); /* s, of the process */
wt_time wt_lateness_below(const struct wt_lateness *lateness, double share);

#endif
