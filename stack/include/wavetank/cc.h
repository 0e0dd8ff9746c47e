/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Congestion modules of yours: tables of hooks, given to connections by wt_lib_tcp_config.module. Their headers are those of
 * wavetank-module.pc and have an ABI number of their own, WT_CC_ABI: a table built for another number is refused.
 *
 *     #include <cc/module.h>
 *     static const struct wt_sender_ops mine = {.name = "mine", ...};
 *     WT_CC_LOADABLE(&mine, NULL, NULL);
 *     config.module = &wt_cc_loadable;
 */
#ifndef WT_STACK_INCLUDE_WAVETANK_CC_H
#define WT_STACK_INCLUDE_WAVETANK_CC_H

#include <wavetank/types.h>

WT_LIB_BEGIN_DECLS

/* The number the library was built with. */
WT_API uint32_t wt_lib_cc_abi(void);
/* The name of the module at place i from 0, and its table: "sender", "recovery" or "receiver". NULL: no more. */
WT_API const char *wt_lib_cc_name(unsigned i, const char **table);

WT_LIB_END_DECLS

#endif
