/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/node.h"

const char *wt_drop_name(enum wt_drop cause)
{
	static const char *const names[] = {
#define WT_DROP(id, name, text) name,
#include "stack/base/drop.def"
#undef WT_DROP
	};

	return names[cause];
}

const char *wt_drop_text(enum wt_drop cause)
{
	static const char *const texts[] = {
#define WT_DROP(id, name, text) text,
#include "stack/base/drop.def"
#undef WT_DROP
	};

	return texts[cause];
}

uint64_t wt_audit_dropped(const struct wt_audit *audit)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		sum += audit->dropped[i];
	return sum;
}

bool wt_audit_holds(const struct wt_audit *audit)
{
	return audit->in + audit->made ==
	       audit->out + audit->taken + wt_audit_dropped(audit) + audit->queued;
}

void wt_node_drop(struct wt_node *node, wt_time now, struct wt_frame *frame, enum wt_drop cause)
{
	node->audit.dropped[cause]++;
	if (node->drops)
		node->drops->drop(node->drops, node, now, frame, cause);
	wt_frame_free(frame);
}
