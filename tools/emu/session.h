/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session of its own for the emulator. Where the kernel shares processors among sessions (sched_autogroup), one that spins before all
 * others has its session's share used up on its own processor, and the other commands of that session starve on every other one. So it
 * runs as a child in a new session, and the process that was called stands in for it: ^C and signals pass, and its exit code is the child's.
 */
#ifndef WT_TOOLS_EMU_SESSION_H
#define WT_TOOLS_EMU_SESSION_H

#define WT_EMU_GOES_ON (-1)

/* In the child WT_EMU_GOES_ON; in the caller, when the child has ended, the exit code. */
int wt_emu_own_session(void);

#endif
