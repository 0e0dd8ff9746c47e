/* SPDX-License-Identifier: BSD-2-Clause */
/* Routes that were written from outside (wt_mesh_set_route()), and never change. A link that fails loses its packets. */
#include "stack/mesh/routing.h"

static int static_init(struct wt_mesh *mesh, void *state, const void *params)
{
	return 0;
}

static void static_message(void *state, wt_time now, struct wt_mesh_message *message)
{
}

const struct wt_routing_ops wt_routing_static = {
	.name = "static",
	.text = "routes as told, which never change",
	.init = static_init,
	.on_message = static_message,
};
