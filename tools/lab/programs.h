/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine daemons of a lab: `wavetank host` on each of its hosts (lab up --programs). */
#ifndef WT_TOOLS_LAB_PROGRAMS_H
#define WT_TOOLS_LAB_PROGRAMS_H

#include <stddef.h>

#include "tools/common/labs.h"

/* Starts them, by the keeper, as its children, and waits until programs may come. An exit code, not 0 with one sentence in err. */
int wt_lab_programs_start(const struct wt_lab *lab, char *err, size_t err_len);

#endif
