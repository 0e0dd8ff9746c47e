/* SPDX-License-Identifier: BSD-2-Clause */
/* The emulator of a lab: `wavetank emu run` as a child of the keeper. */
#ifndef WT_TOOLS_LAB_EMULATOR_H
#define WT_TOOLS_LAB_EMULATOR_H

#include "tools/common/labs.h"

struct wt_lab_emulator {
	pid_t inner, outer;
};

/* Starts it and waits until its ports are open. An exit code, not 0 with a sentence in err. */
int wt_lab_emulator_start(struct wt_lab_emulator *emulator, const struct wt_lab *lab, char *err, size_t err_len);

#endif
