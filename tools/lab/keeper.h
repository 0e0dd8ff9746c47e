/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process behind a lab.
 *
 *   lab up ──fork──► (unshare) ──fork──► keeper: process 1 of a pid namespace of its own
 *                                          ├── host a: holds a network and a mount namespace, else sleeps
 *                                          ├── host b: the same, and so on where a file has more
 *                                          └── emulator: `wavetank emu run`, in the keeper's network namespace
 *
 * Everything that ever runs in the lab, `lab exec` commands included, is in the keeper's pid namespace. So when the keeper
 * ends, by `lab down`, with the lab's owner or by SIGKILL, the kernel kills the rest, and with the last process the namespaces and their
 * interfaces go. When a host or the emulator ends, the keeper ends.
 *
 *   tap     the emulator owns a TAP device wt0 in each host's namespace
 *   packet  veth pairs: wt0 in a host, ea or eb in the keeper's namespace, where the emulator has packet sockets; offloads
 *           are off at all four ends, because a packet socket would see unfinished checksums and 64 KB frames
 */
#ifndef WT_TOOLS_LAB_KEEPER_H
#define WT_TOOLS_LAB_KEEPER_H

#include <stddef.h>

#include "tools/common/labs.h"

/*
 * Starts the lab that `lab` describes (backend "auto", "tap" or "packet"; replaced by the one in use) and fills in its
 * processes. The folder LABS/NAME exists. Returns an exit code, not 0 with one sentence in err. On success *commit is a
 * descriptor: write a byte to let the lab live on; if it closes unwritten the lab ends.
 */
int wt_lab_start(struct wt_lab *lab, int *commit, char *err, size_t err_len);

#endif
