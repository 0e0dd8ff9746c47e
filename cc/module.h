/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A congestion module in a file of its own, built outside the tree: one exported symbol with everything that a program needs to know
 * before it calls the first hook. The last line of such a module is
 *
 *   WT_CC_LOADABLE(&my_sender, NULL, NULL);     sender, recovery, receiver: at least one
 *
 * and `-C ./my.so:gain=1.25`, `--recovery ./my.so`, `--rcc ./my.so` choose from it. Compiles as C11 and as C++17.
 */
#ifndef WT_CC_MODULE_H
#define WT_CC_MODULE_H

#include "cc/cc.h"

/* Counts every change of cc.h that the sizes below do not show: an order of fields, a meaning, a hook. */
#define WT_CC_ABI 1

/* The structs that a program and a module share; a program refuses a module to which one of them has another size. */
#define WT_CC_SHARED(X)                                                                                                    \
	X(wt_sender_ops) X(wt_recovery_ops) X(wt_receiver_ops) X(wt_param) X(wt_cc_preset) X(wt_cc_env) X(wt_cc_options)   \
	X(wt_cc_note) X(wt_cc_word) X(wt_ack) X(wt_loss) X(wt_sent) X(wt_sender_out) X(wt_tx_record) X(wt_outstanding)                   \
	X(wt_recovery_out) X(wt_rx_segment) X(wt_rx_ack) X(wt_rx_out)

#define WT_CC_SIZE(name) (uint32_t)sizeof(struct name),
#define WT_CC_ONE(name) +1
#define WT_CC_SIZES (0 WT_CC_SHARED(WT_CC_ONE))

struct wt_cc_loadable {
	uint32_t abi;   /* WT_CC_ABI; first in every version, with `sizes` after it */
	uint32_t sizes; /* how many follow */
	uint32_t size[WT_CC_SIZES];
	const struct wt_sender_ops *sender;     /* NULL: it has none */
	const struct wt_recovery_ops *recovery;
	const struct wt_receiver_ops *receiver;
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct wt_cc_loadable wt_cc_loadable __attribute__((visibility("default")));
#ifdef __cplusplus
}
#endif

#define WT_CC_LOADABLE(sender, recovery, receiver) \
	const struct wt_cc_loadable wt_cc_loadable = {WT_CC_ABI, WT_CC_SIZES, {WT_CC_SHARED(WT_CC_SIZE)}, sender, recovery, receiver}

#endif
