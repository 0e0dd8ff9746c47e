/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/net/lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16, LONGEST = 128 };

static struct wt_addr network_of(const struct wt_addr *addr, unsigned length)
{
	struct wt_addr network = *addr;

	if (length < LONGEST) {
		network.bytes[length / 8] &= (uint8_t)(0xff00 >> length % 8);
		memset(network.bytes + length / 8 + 1, 0, 15 - length / 8);
	}
	return network;
}

static uint32_t hash_of(const struct wt_addr *addr, uint8_t kind)
{
	uint64_t half[2], mixed;

	memcpy(half, addr->bytes, sizeof(half));
	mixed = (half[0] ^ kind) * UINT64_C(0x9e3779b97f4a7c15);
	mixed = (mixed ^ mixed >> 32 ^ half[1] ^ (uint64_t)addr->family << 56) * UINT64_C(0xd6e8feb86659fd93);
	return (uint32_t)(mixed >> 32);
}

/* Where it is, or would be. */
static struct wt_lookup_place *place_of(struct wt_lookup_place *place, uint32_t room, const struct wt_addr *addr, uint8_t kind)
{
	uint32_t at = hash_of(addr, kind) & (room - 1);

	while (place[at].addr.family && (place[at].kind != kind || !wt_addr_eq(&place[at].addr, addr)))
		at = (at + 1) & (room - 1);
	return &place[at];
}

static int grow(struct wt_lookup *lookup)
{
	uint32_t room = lookup->room ? lookup->room * 2 : FIRST_ROOM;
	struct wt_lookup_place *grown;

	if (lookup->count < lookup->room / 2)
		return 0;
	grown = calloc(room, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	for (uint32_t i = 0; i < lookup->room; i++)
		if (lookup->place[i].addr.family)
			*place_of(grown, room, &lookup->place[i].addr, lookup->place[i].kind) = lookup->place[i];
	free(lookup->place);
	lookup->place = grown;
	lookup->room = room;
	return 0;
}

int wt_lookup_add(struct wt_lookup *lookup, const struct wt_addr *addr, uint8_t kind, uint32_t value)
{
	struct wt_addr key = kind <= LONGEST ? network_of(addr, kind) : *addr;
	struct wt_lookup_place *place;

	if (grow(lookup))
		return -ENOMEM;
	place = place_of(lookup->place, lookup->room, &key, kind);
	if (place->addr.family)
		return 0;
	*place = (struct wt_lookup_place){key, kind, value};
	lookup->count++;
	if (kind <= LONGEST)
		lookup->lengths[key.family][kind / 64] |= UINT64_C(1) << kind % 64;
	return 0;
}

uint32_t wt_lookup_exact(const struct wt_lookup *lookup, const struct wt_addr *addr, uint8_t kind)
{
	const struct wt_lookup_place *place = lookup->room && addr->family ? place_of(lookup->place, lookup->room, addr, kind) : NULL;

	return place && place->addr.family ? place->value : WT_LOOKUP_NONE;
}

uint32_t wt_lookup_longest(const struct wt_lookup *lookup, const struct wt_addr *addr)
{
	for (unsigned word = 3; word-- > 0;)
		for (uint64_t left = lookup->lengths[addr->family][word]; left;) {
			unsigned bit = 63 - (unsigned)__builtin_clzll(left), length = word * 64 + bit;
			struct wt_addr network = network_of(addr, length);
			uint32_t value = wt_lookup_exact(lookup, &network, (uint8_t)length);

			if (value != WT_LOOKUP_NONE)
				return value;
			left &= ~(UINT64_C(1) << bit);
		}
	return WT_LOOKUP_NONE;
}

void wt_lookup_finish(struct wt_lookup *lookup)
{
	free(lookup->place);
	*lookup = (struct wt_lookup){0};
}
