/* SPDX-License-Identifier: BSD-2-Clause */
/* A host's private parts: an internet layer with UDP and TCP on it. */
#ifndef WT_STACK_HOST_INTERNAL_H
#define WT_STACK_HOST_INTERNAL_H

#include "stack/host/host.h"
#include "stack/net/net.h"
#include "stack/net/udp.h"
#include "stack/tcp/tcb.h"

struct wt_host {
	struct wt_node node; /* first */
	struct wt_host_config config; /* with its MTU */
	bool whole;                   /* wt_pool_is_whole() */
	struct wt_net net;
	struct wt_udp_table udp;
	struct wt_tcp_stack tcp; /* its `now` is the host's */
	struct wt_heap timers;   /* of applications */
	uint32_t timer_order;
};

#endif
