/* SPDX-License-Identifier: BSD-2-Clause */
/* What the verbs of `wavetank sweep` share. */
#ifndef WT_TOOLS_SWEEP_COMMAND_H
#define WT_TOOLS_SWEEP_COMMAND_H

#include "tools/common/cli.h"
#include "tools/sweep/file.h"

/* Loads and checks; a bad file is told in one line. An exit code; finish the sweep in any case. */
int wt_sweep_open(struct wt_sweep *sweep, const char *file);

#endif
