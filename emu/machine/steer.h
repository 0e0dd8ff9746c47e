/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Receive packet steering (RPS). A kernel receives what is written to a TAP in the writer's own time: its IP and TCP run on the
 * emulator's processor, and take most of it. Steered, they run on the others. That pays where receiving is work (TCP), and costs where
 * it is not (floods of datagrams): an interrupt between processors each time. A processor with more waiting for it than
 * net.core.netdev_max_backlog drops frames that the emulator has written; they are watched for.
 */
#ifndef WT_EMU_MACHINE_STEER_H
#define WT_EMU_MACHINE_STEER_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/daemon/options.h"

struct wt_steering {
	int helper;    /* the socket to the process that sets and restores; 0: none */
	int fd;        /* /proc/net/softnet_stat; 0: nothing is steered */
	uint64_t from; /* frames dropped by the processors' queues before */
};

/* If the options say so, starts the process that will do it: before there is memory, a processor of our own or a priority that it would
 * share. 0, or a negative errno and one sentence. */
int wt_steer_prepare(struct wt_steering *steering, const struct wt_options *options, char *err, size_t err_len);
/* Then, if the options say so, has what is written to its open TAP ports received on all processors but the emulator's, until
 * wt_steer_finish(), or until this process ends in whatever way. 0, or a negative errno and one sentence. */
int wt_steer(struct wt_steering *steering, const struct wt_options *options, char *err, size_t err_len);
/* Has any processor dropped frames since, of whomever? */
bool wt_steer_drops(const struct wt_steering *steering);
/* A device that stays is steered again as it was before. Safe to call on a zeroed struct. */
void wt_steer_finish(struct wt_steering *steering);

/* Sum of the second column of /proc/net/softnet_stat, a line for each processor. */
uint64_t wt_softnet_dropped(const char *text);

#endif
