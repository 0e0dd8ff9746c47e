/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No routing: frames pass between host and link as they are, of any protocol. For hosts that route themselves, such as the kernels of a lab
 * in whose namespaces a routing daemon runs. An engine needs another module: it does not forward.
 */
#include "stack/mesh/routing.h"

const struct wt_routing_ops wt_routing_none = {
	.name = "none",
	.text = "frames as they are, for kernels with a routing daemon",
	.params_size = 0,
	.state_size = 0,
	.transparent = true,
};
