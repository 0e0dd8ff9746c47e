/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SYN cookies (Bernstein 1996, RFC 4987 3.6): the initial sequence number of a SYN-ACK is a keyed hash of the tuple, the peer's
 * number and the time, so the ACK that comes back proves that its sender received it, and nothing had to be kept.
 *
 *   bits 31..3   hash of tuple, irs, period and MSS index
 *   bits 2..0    index of the MSS
 *
 * For one tuple and irs 8 indices of 2 periods are good: 16 of 2^32 numbers, so a guess succeeds with 2^-28. What else was
 * agreed on stands in the low six bits of our timestamp, which the peer echoes: window scale, SACK, ECN. Without timestamps
 * there is none of them. Options of congestion modules are never kept.
 */
#include "stack/tcp/tcb.h"

/* The most common ones and a floor; a peer's MSS is rounded down to one of them. */
static const uint16_t sizes[8] = {88, 536, 1024, 1220, 1360, 1440, 1460, 8960};

struct facts {
	uint64_t tuple, period;
	uint32_t irs, index;
};

static struct facts facts_of(const struct wt_tcp_stack *stack, const struct wt_syn *syn, unsigned index)
{
	return (struct facts){
		.tuple = wt_secret_tuple(&stack->key_cookie, &syn->entry.tuple),
		.period = (uint64_t)(stack->now / WT_COOKIE_PERIOD),
		.irs = syn->irs,
		.index = index,
	};
}

static wt_seq cookie(const struct wt_tcp_stack *stack, const struct facts *facts)
{
	return ((uint32_t)wt_siphash(&stack->key_cookie, facts, sizeof(*facts)) & ~7u) | facts->index;
}

wt_seq wt_cookie_make(const struct wt_tcp_stack *stack, const struct wt_syn *syn)
{
	struct facts facts = facts_of(stack, syn, 7);

	while (facts.index && sizes[facts.index] > syn->mss)
		facts.index--;
	return cookie(stack, &facts);
}

bool wt_cookie_check(const struct wt_tcp_stack *stack, struct wt_syn *syn)
{
	struct facts facts = facts_of(stack, syn, syn->iss & 7);
	bool good = cookie(stack, &facts) == syn->iss;

	if (!good && facts.period) {
		facts.period--;
		good = cookie(stack, &facts) == syn->iss;
	}
	if (!good)
		return false;
	syn->mss = sizes[facts.index];
	syn->offer |= WT_SYN_MSS;
	return true;
}

#define NO_SCALE 15u
#define SACK_BIT 16u
#define ECN_BIT 32u
#define ALL_BITS 63u

uint32_t wt_cookie_timestamp(uint32_t tsval, const struct wt_syn *syn)
{
	uint32_t bits = syn->offer & WT_SYN_WSCALE ? (syn->wscale > 14 ? 14u : syn->wscale) : NO_SCALE, marked;

	bits |= (syn->offer & WT_SYN_SACK ? SACK_BIT : 0) | (syn->offer & WT_SYN_ECN ? ECN_BIT : 0);
	marked = (tsval & ~ALL_BITS) | bits;
	/* never ahead of our clock, or the segments that follow would look old to the peer */
	return (int32_t)(marked - tsval) > 0 ? marked - (ALL_BITS + 1) : marked;
}

void wt_cookie_options(uint32_t tsecr, struct wt_syn *syn)
{
	uint32_t scale = tsecr & NO_SCALE;

	syn->wscale = (uint8_t)scale;
	syn->offer |= (uint8_t)((scale != NO_SCALE ? WT_SYN_WSCALE : 0) | (tsecr & SACK_BIT ? WT_SYN_SACK : 0) |
				(tsecr & ECN_BIT ? WT_SYN_ECN : 0));
}
