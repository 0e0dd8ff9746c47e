/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world from a file (wavetank-emu.conf(5)): hosts, routers, links and what changes when, in virtual time. Its hosts are yours to
 * use. [flow] sections are checked, and not run: applications are the program's own. [emulator] is passed over.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_WORLD_H
#define WT_STACK_INCLUDE_WAVETANK_WORLD_H

#include <wavetank/host.h>

WT_LIB_BEGIN_DECLS

struct wt_lib_world;

/* Reads, checks and builds. Every host without a place is an engine. NULL with errno EINVAL or ENOMEM; err begins "FILE:LINE: ". */
WT_API struct wt_lib_world *wt_lib_world_load(const char *file, uint64_t seed, char *err, size_t err_len);
/* Destroys its graph and its hosts too. Accepts NULL. */
WT_API void wt_lib_world_destroy(struct wt_lib_world *world);
/* To run it: wt_lib_virtual_run(). Owned by the world. */
WT_API struct wt_lib_graph *wt_lib_world_graph(struct wt_lib_world *world);
WT_API unsigned wt_lib_world_hosts(const struct wt_lib_world *world);
/* NULL: there is no such host. */
WT_API struct wt_lib_host *wt_lib_world_host(struct wt_lib_world *world, const char *name);
/* The address of a host. -ENOENT: there is no such host. */
WT_API int wt_lib_world_address(const struct wt_lib_world *world, const char *name, struct wt_lib_addr *addr);

WT_LIB_END_DECLS

#endif
