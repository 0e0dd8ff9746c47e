/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WT_EMU_DAEMON_CONFINE_H
#define WT_EMU_DAEMON_CONFINE_H

#include <stdbool.h>

/*
 * Gives up what is not needed once everything is open: no new privileges by any exec, and no capability, but for
 * CAP_NET_ADMIN if `keep_net_admin` (a packet port switches offloads on again when it closes, one that vanished is opened again). 0 or negative errno.
 */
int wt_confine(bool keep_net_admin);

#endif
