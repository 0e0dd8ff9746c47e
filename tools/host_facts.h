/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine a result comes from. */
#ifndef WT_TOOLS_HOST_FACTS_H
#define WT_TOOLS_HOST_FACTS_H

#include "stack/drive/json.h"

/* An object `key`: kernel, machine, cpu, cores, governor (null where the machine does not say). No name of the machine. */
void wt_host_facts(struct wt_json *json, const char *key);

#endif
