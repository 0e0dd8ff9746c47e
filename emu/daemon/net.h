/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes of a plan: ports, taps of a capture, routers, links; joined in a graph. */
#ifndef WT_EMU_DAEMON_NET_H
#define WT_EMU_DAEMON_NET_H

#include "emu/daemon/plan.h"
#include "stack/record/capture.h"
#include "stack/drive/graph.h"

struct wt_net {
	const struct wt_plan *plan;
	struct wt_pool *pool, *big_pool; /* of frames; of big ones, with offloads */
	struct wt_graph *graph;
	struct wt_port *port[WT_PLAN_PORTS];
	struct wt_node *tap[WT_PLAN_PORTS]; /* with a capture */
	struct wt_node *router[WT_PLAN_ROUTERS];
	struct wt_span *link; /* plan->links of them */
	unsigned ports_in_graph;
};

/* Opens the ports and makes the links. 0 or negative errno with a sentence in err; finish either way. */
int wt_net_open(struct wt_net *net, const struct wt_plan *plan, char *err, size_t err_len);
/* Joins everything. `capture` NULL: without taps. 0 or negative errno. */
int wt_net_join(struct wt_net *net, struct wt_capture *capture);
/* Tells ports where big frames may pass whole, and where it matters when frames came: call again when the words of a link have changed. */
void wt_net_tell_ports(struct wt_net *net);
void wt_net_finish(struct wt_net *net);

/*
 * The books of a whole net, from what ports read to what they wrote; and of one direction of a link that joins two ports.
 * `offered`: read by ports, or lost before that; `lost`: in a port, in want of memory or too long; `kernel`: by the kernel, at its end of a
 * port. `made`: by stages and by routers. `taken`: by routers; of a link, answers of its stages that went back where they came from
 */
struct wt_net_books {
	uint64_t offered, made, delivered, taken, dropped, lost, kernel, queued;
	bool hold;
};

void wt_net_books(const struct wt_net *net, struct wt_net_books *books);
/* False: the link does not join two ports. */
bool wt_net_link_books(const struct wt_net *net, unsigned link, unsigned direction, struct wt_net_books *books);
/* Does the law hold in every node and from end to end? */
bool wt_net_audit(const struct wt_net *net);

#endif
