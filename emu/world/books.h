/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of the frames: of a whole network, of one link between two hosts, of each hop. */
#ifndef WT_EMU_WORLD_BOOKS_H
#define WT_EMU_WORLD_BOOKS_H

#include "emu/world/build.h"

/*
 * The books of a whole network, from what came in at the hosts to what was given to them; and of one direction of a link that joins two
 * of them. `offered`: read by ports, or lost before that, and sent by engines; `lost`: in a port, in want of memory or too long; `kernel`:
 * by the kernel, at its end of a port. `made`: by stages and by routers. `taken`: by routers; of a link, answers of its stages that went
 * back where they came from.
 */
struct wt_network_books {
	uint64_t offered, made, delivered, taken, dropped, lost, kernel, queued;
	bool hold;
};

/* One direction of a link, from its nodes: in + made = out + dropped + queued + back. Frames; none of a link without stages. */
struct wt_hop_books {
	uint64_t in, made, out, queued;
	uint64_t back;   /* answers that went back where the frames they are about came from */
	uint64_t marked; /* given a CE mark */
	uint64_t dropped[WT_DROP_CAUSES];
	unsigned stages; /* 0: an ideal wire, nobody counts */
	bool hold;
};

void wt_network_books(const struct wt_network *net, struct wt_network_books *books);
/* False: the link does not join two hosts. */
bool wt_network_link_books(const struct wt_network *net, unsigned link, unsigned direction, struct wt_network_books *books);
void wt_network_hop_books(const struct wt_network *net, unsigned link, unsigned direction, struct wt_hop_books *books);
/* Does the law hold in every node and from end to end? */
bool wt_network_audit(const struct wt_network *net);

#endif
