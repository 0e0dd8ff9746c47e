/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel of this host and its congestion controls. */
#ifndef WT_TOOLS_COMMON_KERNEL_NAMES_H
#define WT_TOOLS_COMMON_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define WT_KERNEL_RELEASE 65 /* as uname() gives it, with the final 0 */

void wt_kernel_release(char text[WT_KERNEL_RELEASE]);
/* Asks the kernel, which may load a module for it. False: it has none of that name. */
bool wt_kernel_has(const char *congestion);
/* "reno, cubic": those that are loaded; return text. */
const char *wt_kernel_names(char *text, size_t len);

#endif
