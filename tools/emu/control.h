/* SPDX-License-Identifier: BSD-2-Clause */
/* What the commands share that ask a running emulator. */
#ifndef WT_TOOLS_EMU_CONTROL_H
#define WT_TOOLS_EMU_CONTROL_H

#include "tools/common/labs.h"

/*
 * Is this the name of a living lab? Then *found, and `control` is the socket of its emulator. For a lab that has ended by itself it
 * says so and returns an exit code; else WT_EXIT_OK.
 */
int wt_emu_lab(const char *name, size_t len, char control[WT_LAB_PATH], bool *found);

/*
 * Copies the capture of a point from the emulator that listens at `control` (NULL: the only one there is) to a file (NULL: standard output),
 * until a signal, the end of the emulator, or until nobody reads it. filter: libpcap's words for what is copied; NULL: everything. An exit code, after one line on failure.
 */
int wt_emu_capture(const char *control, const char *point, const char *filter, const char *output);

/* wt_control_connect(). Where no emulator was named and none is found outside of labs, the sentence names the labs that are up. */
int wt_emu_connect(const char *control, char *err, size_t err_len);

#endif
