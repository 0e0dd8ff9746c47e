/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine and the build a result comes from: nothing that may stand in a result file that is compared. */
#ifndef WT_TOOLS_COMMON_HOST_FACTS_H
#define WT_TOOLS_COMMON_HOST_FACTS_H

#include "stack/record/json.h"

#ifdef __clang__
#define WT_COMPILER __VERSION__ /* says that it is Clang */
#else
#define WT_COMPILER "gcc " __VERSION__
#endif

/* The processors' name; empty where the machine does not say. */
void wt_host_cpu(char *out, size_t len);
/* An object `key`: kernel, machine, cpu, cores, governor (null where the machine does not say). No name of the machine. */
void wt_host_facts(struct wt_json *json, const char *key);

#endif
