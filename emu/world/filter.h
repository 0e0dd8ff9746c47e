/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who passes a group of stages: two nodes around it.
 *
 *            match ┌─► stages ─┐
 *   ──► filter ────┤           ├──► merge ──►
 *             else └───────────┘
 *
 * The filter is an expression of pcap-filter(7), compiled by libpcap. Both nodes pass a frame on at the instant it comes.
 */
#ifndef WT_EMU_WORLD_FILTER_H
#define WT_EMU_WORLD_FILTER_H

#include "emu/path.h"

extern const struct wt_path_gates wt_filter_gates;

#endif
