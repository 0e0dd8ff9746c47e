/* SPDX-License-Identifier: BSD-2-Clause */
/* What an attacker off the path must not guess: all from the host's secret, by keyed hash. */
#include "stack/tcp/tcb.h"

struct wt_key wt_secret_subkey(const struct wt_key *secret, uint64_t n)
{
	return (struct wt_key){wt_siphash_u64(secret, 2 * n), wt_siphash_u64(secret, 2 * n + 1)};
}

uint64_t wt_secret_tuple(const struct wt_key *key, const struct wt_tuple *tuple)
{
	struct wt_tuple copy;

	memset(&copy, 0, sizeof(copy)); /* padding must not decide */
	copy.local.addr = tuple->local.addr;
	copy.local.port = tuple->local.port;
	copy.remote.addr = tuple->remote.addr;
	copy.remote.port = tuple->remote.port;
	return wt_siphash(key, &copy, sizeof(copy));
}

/* RFC 6528 3: ISN = M + F(tuple, key), M a 4 microsecond clock. */
wt_seq wt_secret_isn(const struct wt_tcp_stack *stack, const struct wt_tuple *tuple)
{
	return (wt_seq)(stack->now / 4000) + (wt_seq)wt_secret_tuple(&stack->key_isn, tuple);
}

/* RFC 7323 5.4: timestamps start at an offset of their own per pair of addresses. */
uint32_t wt_secret_ts_offset(const struct wt_tcp_stack *stack, const struct wt_addr *local, const struct wt_addr *remote)
{
	struct wt_tuple tuple = {{.addr = *local}, {.addr = *remote}};

	return (uint32_t)wt_secret_tuple(&stack->key_ts, &tuple);
}

uint32_t wt_secret_timestamp(const struct wt_tcp_stack *stack, const struct wt_tuple *tuple)
{
	return wt_secret_ts_offset(stack, &tuple->local.addr, &tuple->remote.addr) + (uint32_t)(stack->now / WT_MS);
}

/* RFC 6056 3.3.3: a keyed start per destination, then upwards by a counter. */
uint16_t wt_secret_port(struct wt_tcp_stack *stack, const struct wt_addr *local, const struct wt_endpoint *remote)
{
	const unsigned low = 32768, span = 60999 - 32768 + 1; /* Linux's default range */
	struct wt_tuple tuple = {{.addr = *local}, *remote};
	uint64_t offset = wt_secret_tuple(&stack->key_port, &tuple);

	for (unsigned tries = 0; tries < span; tries++) {
		uint16_t port = (uint16_t)(low + (offset + stack->port_counter++) % span);

		tuple.local.port = port;
		if (!wt_demux_listener(stack, &tuple.local) && !wt_demux_find(stack, &tuple))
			return port;
	}
	return 0;
}
