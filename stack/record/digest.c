/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/record/digest.h"

#include <stdlib.h>

#include "stack/base/random.h"
#include "stack/record/observer.h"

struct digest {
	struct wt_observer observer; /* first */
	uint64_t value;
};

static void see(struct wt_observer *observer, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct digest *digest = (struct digest *)observer;
	struct wt_key key = {digest->value, (uint64_t)now};

	/* A big offload frame gets its checksums when it is cut. */
	if (frame->csum == WT_CSUM_PARTIAL && !frame->gso_size)
		wt_frame_finish_csum(frame);
	key.k0 = wt_siphash(&key, wt_frame_look(frame), frame->len);
	key.k1 = frame->len;
	digest->value = wt_siphash_u64(&key, port);
}

struct wt_node *wt_digest_tap(const char *name)
{
	struct digest *digest = calloc(1, sizeof(*digest));

	if (!digest)
		return NULL;
	wt_observer_init(&digest->observer, name, see);
	return &digest->observer.node;
}

uint64_t wt_digest_value(const struct wt_node *tap)
{
	return ((const struct digest *)tap)->value;
}
