/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory and checks that the small residents share. */
#include "stack/tcp/resident.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/chunk.h"

#define BLOCK_SLOTS 64

struct wt_slot {
	struct wt_slot *next;
	uint8_t rest[WT_SLOT_BYTES - sizeof(struct wt_slot *)];
};

struct wt_slot_block {
	struct wt_slot_block *next;
	struct wt_slot slots[BLOCK_SLOTS];
};

static_assert(sizeof(struct wt_slot) == WT_SLOT_BYTES, "a slot has no padding");
static_assert(sizeof(struct wt_syn) <= WT_SLOT_BYTES, "a half-open connection fits in a slot");
static_assert(sizeof(struct wt_wait) <= WT_SLOT_BYTES, "a TIME-WAIT entry fits in a slot");

void *wt_slot_take(struct wt_slots *slots, struct wt_chunks *pool)
{
	struct wt_slot *slot;

	if (!slots->free) {
		struct wt_slot_block *block;

		if (!wt_chunks_charge(pool, sizeof(*block)))
			return NULL;
		block = malloc(sizeof(*block));
		if (!block) {
			wt_chunks_uncharge(pool, sizeof(*block));
			return NULL;
		}
		block->next = slots->blocks;
		slots->blocks = block;
		for (unsigned i = 0; i < BLOCK_SLOTS; i++)
			wt_slot_give(slots, &block->slots[i]);
	}
	slot = slots->free;
	slots->free = slot->next;
	memset(slot, 0, sizeof(*slot));
	return slot;
}

void wt_slot_give(struct wt_slots *slots, void *slot)
{
	((struct wt_slot *)slot)->next = slots->free;
	slots->free = slot;
}

void wt_slots_finish(struct wt_slots *slots, struct wt_chunks *pool)
{
	while (slots->blocks) {
		struct wt_slot_block *block = slots->blocks;

		slots->blocks = block->next;
		wt_chunks_uncharge(pool, sizeof(*block));
		free(block);
	}
	slots->free = NULL;
}

int wt_resident_arm(struct wt_heap *heap, struct wt_heap_entry *entry, wt_time due)
{
	if (!entry->position && heap->count == heap->room && wt_heap_grow(heap, heap->room ? 2 * heap->room : BLOCK_SLOTS))
		return -ENOMEM;
	wt_heap_set(heap, entry, due);
	return 0;
}

/* ---- checks ------------------------------------------------------------------------------------------- */

bool wt_seq_acceptable(wt_seq rcv_nxt, wt_seq rcv_adv, wt_seq seq, uint32_t seg_len)
{
	uint32_t window = rcv_adv - rcv_nxt;

	if (seg_len == 0)
		return seq - rcv_nxt <= window;
	return seq - rcv_nxt < window || seq + seg_len - 1 - rcv_nxt < window;
}

enum wt_resident_verdict wt_resident_check(const struct wt_resident_view *view, const struct wt_tcp_header *seg, uint32_t len)
{
	bool reset = seg->flags & WT_RST, fin = seg->flags & WT_FIN;

	if (!reset && (seg->flags & WT_SYN))
		return WT_RESIDENT_CHALLENGE;
	if (view->ts_ok && !reset) {
		if (!seg->has_ts)
			return WT_RESIDENT_IGNORE; /* RFC 7323 3.2 */
		if ((int32_t)(seg->tsval - view->ts_recent) < 0)
			return len || fin ? WT_RESIDENT_ACK : WT_RESIDENT_CHALLENGE;
	}
	if (!wt_seq_acceptable(view->rcv_nxt, view->rcv_adv, seg->seq, len + fin))
		return reset ? WT_RESIDENT_IGNORE : len || fin ? WT_RESIDENT_ACK : WT_RESIDENT_CHALLENGE;
	if (reset)
		return seg->seq == view->rcv_nxt ? WT_RESIDENT_TAKE : WT_RESIDENT_CHALLENGE;
	return seg->flags & WT_ACK ? WT_RESIDENT_TAKE : WT_RESIDENT_IGNORE;
}

bool wt_resident_may_challenge(uint32_t *last_ms, wt_time now)
{
	uint32_t ms = (uint32_t)(now / WT_MS);

	if (*last_ms && ms - *last_ms < 500)
		return false;
	*last_ms = ms ? ms : 1; /* 0: there was none */
	return true;
}
