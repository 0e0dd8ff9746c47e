/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world from a file (wavetank-emu.conf(5)): hosts, routers, links and what changes when, in virtual time. Its hosts are yours to
 * use. [flow] sections are checked, and not run: applications are the program's own. [emulator] is passed over.
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_WORLD_H
#define WT_STACK_INCLUDE_WAVETANK_WORLD_H

#include <wavetank/host.h>

WTL_BEGIN_DECLS

struct wtl_world;

/* Reads, checks and builds. Every host without a place is an engine. NULL with errno EINVAL or ENOMEM; err begins "FILE:LINE: ". */
WT_API struct wtl_world *wtl_world_load(const char *file, uint64_t seed, char *err, size_t err_len);
/* Destroys its graph and its hosts too. Accepts NULL. */
WT_API void wtl_world_destroy(struct wtl_world *world);
/* To run it: wtl_virtual_run(). Owned by the world. */
WT_API struct wtl_graph *wtl_world_graph(struct wtl_world *world);
WT_API unsigned wtl_world_hosts(const struct wtl_world *world);
/* NULL: there is no such host. */
WT_API struct wtl_host *wtl_world_host(struct wtl_world *world, const char *name);
/* The address of a host. -ENOENT: there is no such host. */
WT_API int wtl_world_address(const struct wtl_world *world, const char *name, struct wtl_addr *addr);

WTL_END_DECLS

#endif
