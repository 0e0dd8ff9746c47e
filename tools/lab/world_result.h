/* SPDX-License-Identifier: BSD-2-Clause */
/* What a world in real time came to: its flows, from the lines of its hosts, and the emulator's last record, printed as sim -f prints them. */
#ifndef WT_TOOLS_LAB_WORLD_RESULT_H
#define WT_TOOLS_LAB_WORLD_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "emu/world/world.h"

/* The flows' objects by their numbers (null: not known), from what each host has written; cuts the texts (NULL: a host wrote nothing). */
json_t *wt_world_result_flows(const struct wt_world *world, char *const *text);
/*
 * Prints the result. An exit code, with a sentence on standard error if a flow failed or the run is not valid. cut: the run was interrupted; it is
 * not "ok" then, and why its flows have not ended need not be said.
 */
int wt_world_result_tell(const struct wt_world *world, const char *backend, bool in_json, const json_t *flows, const json_t *record, bool cut);

#endif
