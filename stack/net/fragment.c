/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/fragment.h"

#include "stack/base/ecn.h"
#include "stack/net/books.h"
#include "stack/wire/ethernet.h"

#define PAYLOAD (WT_ETH_HEADER + WT_IPV4_HEADER) /* where it is assembled */

void wt_fragments_init(struct wt_fragments *fragments, struct wt_node *node, struct wt_pool *pool)
{
	memset(fragments, 0, sizeof(*fragments));
	fragments->node = node;
	fragments->pool = pool;
	fragments->due = WT_NEVER;
}

void wt_fragments_finish(struct wt_fragments *fragments)
{
	for (unsigned i = 0; i < WT_FRAGMENT_SLOTS; i++)
		wt_frame_free(fragments->slot[i].frame);
}

/* ---- slots -------------------------------------------------------------------------------------------- */

static void update_due(struct wt_fragments *fragments)
{
	fragments->due = WT_NEVER;
	for (unsigned i = 0; i < WT_FRAGMENT_SLOTS; i++)
		if (fragments->slot[i].used)
			fragments->due = wt_time_min(fragments->due, fragments->slot[i].due);
}

/* The frame being assembled leaves the slot, counted as no longer queued. NULL if the slot is condemned. */
static struct wt_frame *take_frame(struct wt_fragments *fragments, struct wt_fragment_slot *slot)
{
	struct wt_frame *frame = slot->frame;

	if (frame)
		fragments->node->audit.queued--;
	slot->frame = NULL;
	return frame;
}

/* Drops what was assembled. The slot stays, to catch the fragments still to come. */
static void condemn(struct wt_fragments *fragments, wt_time now, struct wt_fragment_slot *slot, enum wt_drop cause)
{
	struct wt_frame *frame = take_frame(fragments, slot);

	if (frame)
		wt_node_drop(fragments->node, now, frame, cause);
}

/* RFC 791 3.2: source, destination, protocol and identification name a datagram. */
static bool same_datagram(const struct wt_ipv4 *a, const struct wt_ipv4 *b)
{
	return a->id == b->id && a->protocol == b->protocol && wt_addr_eq(&a->src, &b->src) &&
	       wt_addr_eq(&a->dst, &b->dst);
}

/* A slot for a new datagram: the source's oldest if it has its share, else a free one, else the oldest of all. */
static struct wt_fragment_slot *claim(struct wt_fragments *fragments, wt_time now, const struct wt_ipv4 *ip)
{
	struct wt_fragment_slot *empty = NULL, *oldest = NULL, *oldest_same = NULL, *slot;
	unsigned same = 0;

	for (unsigned i = 0; i < WT_FRAGMENT_SLOTS; i++) {
		slot = &fragments->slot[i];
		if (!slot->used) {
			empty = empty ? empty : slot;
			continue;
		}
		if (!oldest || slot->due < oldest->due)
			oldest = slot;
		if (!wt_addr_eq(&slot->ip.src, &ip->src))
			continue;
		same++;
		if (!oldest_same || slot->due < oldest_same->due)
			oldest_same = slot;
	}
	slot = same >= WT_FRAGMENT_PER_SOURCE ? oldest_same : empty ? empty : oldest;
	condemn(fragments, now, slot, WT_DROP_FRAGMENT);
	memset(slot, 0, sizeof(*slot));
	slot->frame = wt_books_make(fragments->node, fragments->pool, now);
	if (!slot->frame) {
		update_due(fragments);
		return NULL;
	}
	fragments->node->audit.queued++;
	slot->used = true;
	slot->ip = *ip;
	slot->due = wt_time_add(now, WT_FRAGMENT_TIMEOUT);
	update_due(fragments);
	return slot;
}

static struct wt_fragment_slot *find_slot(struct wt_fragments *fragments, wt_time now, const struct wt_ipv4 *ip)
{
	for (unsigned i = 0; i < WT_FRAGMENT_SLOTS; i++)
		if (fragments->slot[i].used && same_datagram(&fragments->slot[i].ip, ip))
			return &fragments->slot[i];
	return claim(fragments, now, ip);
}

/* ---- the bitmap --------------------------------------------------------------------------------------- */

/* The bits of units [first, end) that fall into word `word`. */
static uint64_t mask(uint32_t word, uint32_t first, uint32_t end)
{
	uint32_t low = word * 64, high = low + 64;

	low = first > low ? first - low : 0;
	high = end < high ? end - word * 64 : 64;
	return ~(uint64_t)0 << low & ~(uint64_t)0 >> (64 - high);
}

static uint32_t count_units(const struct wt_fragment_slot *slot, uint32_t first, uint32_t end)
{
	uint32_t count = 0;

	for (uint32_t word = first / 64; word <= (end - 1) / 64; word++)
		count += (uint32_t)__builtin_popcountll(slot->have[word] & mask(word, first, end));
	return count;
}

static void set_units(struct wt_fragment_slot *slot, uint32_t first, uint32_t end)
{
	for (uint32_t word = first / 64; word <= (end - 1) / 64; word++)
		slot->have[word] |= mask(word, first, end);
	slot->units += end - first;
}

/* ---- input -------------------------------------------------------------------------------------------- */

/* Does the piece [start, end) agree with the length known so far? Settles the length if it is the last one. */
static bool length_agrees(struct wt_fragment_slot *slot, const struct wt_ipv4 *ip, uint32_t end)
{
	if (!ip->more_fragments) {
		if (end < slot->highest || (slot->total && slot->total != end))
			return false;
		slot->total = end;
	}
	if (slot->total && end > slot->total)
		return false;
	slot->highest = end > slot->highest ? end : slot->highest;
	return PAYLOAD + end <= slot->frame->room;
}

/* Stores a piece. False: it contradicts what is there. */
static bool store(struct wt_fragment_slot *slot, const struct wt_frame *frame, const struct wt_ipv4 *ip)
{
	const uint8_t *piece = wt_frame_look(frame) + WT_ETH_HEADER + ip->header_len;
	uint32_t start = ip->frag_offset, len = (uint32_t)ip->total_len - ip->header_len, end = start + len;
	uint32_t first_unit = start / 8, end_unit = (end + 7) / 8, there;
	uint8_t *place;

	if (!length_agrees(slot, ip, end))
		return false;
	place = wt_frame_own_bytes(slot->frame) + PAYLOAD + start;
	there = count_units(slot, first_unit, end_unit);
	if (there)
		return there == end_unit - first_unit && memcmp(place, piece, len) == 0;
	memcpy(place, piece, len);
	set_units(slot, first_unit, end_unit);
	slot->ecn |= (uint8_t)(1 << (ip->tos & WT_ECN_MASK));
	if (start == 0) {
		slot->ip = *ip; /* RFC 791 3.2: the header of the whole is that of the first fragment */
		slot->has_first = true;
		memcpy(wt_frame_own_bytes(slot->frame), wt_frame_look(frame), WT_ETH_HEADER);
	}
	return true;
}

/* Takes the whole datagram out of its slot and puts a header in front. */
static struct wt_frame *finish(struct wt_fragments *fragments, wt_time now, struct wt_fragment_slot *slot)
{
	struct wt_frame *whole = take_frame(fragments, slot);
	struct wt_ipv4 ip = slot->ip;

	ip.total_len = (uint16_t)(WT_IPV4_HEADER + slot->total);
	ip.more_fragments = ip.dont_fragment = false;
	ip.frag_offset = 0;
	if (slot->ecn & 1 << WT_ECN_CE)
		ip.tos |= WT_ECN_CE;
	wt_ipv4_emit(wt_frame_own_bytes(whole) + WT_ETH_HEADER, &ip);
	whole->len = PAYLOAD + slot->total;
	whole->csum = WT_CSUM_NONE;
	whole->time = now;
	slot->used = false;
	update_due(fragments);
	return whole;
}

struct wt_frame *wt_fragments_input(struct wt_fragments *fragments, wt_time now, struct wt_frame *frame,
				    const struct wt_ipv4 *ip)
{
	uint32_t len = (uint32_t)ip->total_len - ip->header_len;
	struct wt_fragment_slot *slot = NULL;

	wt_fragments_expire(fragments, now);
	/* every piece but the last ends on a unit; none may reach past the largest datagram ("ping of death") */
	if (len > 0 && !(ip->more_fragments && len % 8) && ip->frag_offset + len <= UINT16_MAX - WT_IPV4_HEADER)
		slot = find_slot(fragments, now, ip);
	if (!slot || !slot->frame) {
		wt_node_drop(fragments->node, now, frame, WT_DROP_FRAGMENT);
		return NULL;
	}
	if (!store(slot, frame, ip)) {
		condemn(fragments, now, slot, WT_DROP_FRAGMENT);
		wt_node_drop(fragments->node, now, frame, WT_DROP_FRAGMENT);
		return NULL;
	}
	wt_books_take(fragments->node, frame);
	if (!slot->total || slot->units != (slot->total + 7) / 8)
		return NULL;
	/* RFC 3168 5.3: congestion marked on a packet that did not ask for it must not be hidden */
	if ((slot->ecn & 1 << WT_ECN_CE) && (slot->ecn & 1)) {
		condemn(fragments, now, slot, WT_DROP_FRAGMENT);
		return NULL;
	}
	return finish(fragments, now, slot);
}

void wt_fragments_expire(struct wt_fragments *fragments, wt_time now)
{
	if (now < fragments->due)
		return;
	for (unsigned i = 0; i < WT_FRAGMENT_SLOTS; i++) {
		struct wt_fragment_slot *slot = &fragments->slot[i];

		if (slot->used && now >= slot->due) {
			condemn(fragments, now, slot, WT_DROP_FRAGMENT_TIMEOUT);
			slot->used = false;
		}
	}
	update_due(fragments);
}
