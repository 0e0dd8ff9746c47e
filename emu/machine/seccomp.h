/* SPDX-License-Identifier: BSD-2-Clause */
/* A filter of system calls (seccomp(2)) for what a daemon does once everything is open: seccomp.def lists the calls. */
#ifndef WT_EMU_MACHINE_SECCOMP_H
#define WT_EMU_MACHINE_SECCOMP_H

/* From here on any other call ends the process (SIGSYS): no program can be started, no socket made, no file opened for writing, no
 * memory made executable. Needs no_new_privs. 0 or negative errno; -ENOSYS: not on this processor. */
int wt_seccomp(void);

#endif
