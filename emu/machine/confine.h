/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef WT_EMU_MACHINE_CONFINE_H
#define WT_EMU_MACHINE_CONFINE_H

#include <linux/capability.h>
#include <stdint.h>

#include "emu/machine/identity.h"

#define WT_KEEP(capability) (UINT32_C(1) << (capability)) /* of the first 32 */

/*
 * Gives up what is not needed once everything is open: no new privileges by any exec, another identity where there is one (NULL: none),
 * and no capability but those of `kept` that are held. 0 or negative errno.
 */
int wt_confine(const struct wt_identity *identity, uint32_t kept);

#endif
