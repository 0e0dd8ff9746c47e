/* SPDX-License-Identifier: BSD-2-Clause */
/* What an attacker off the path must not guess: all from the host's secret, by keyed hash. */
#include "stack/host/tcb.h"

static uint64_t hash_tuple(const struct wt_key *key, const struct wt_endpoint *local, const struct wt_endpoint *remote)
{
	struct {
		struct wt_endpoint local, remote;
	} tuple;

	memset(&tuple, 0, sizeof(tuple)); /* padding must not decide */
	tuple.local.addr = local->addr;
	tuple.local.port = local->port;
	tuple.remote.addr = remote->addr;
	tuple.remote.port = remote->port;
	return wt_siphash(key, &tuple, sizeof(tuple));
}

/* RFC 6528 3: ISN = M + F(tuple, key), M a 4 microsecond clock. */
wt_seq wt_secret_isn(const struct wt_host *host, const struct wt_endpoint *local, const struct wt_endpoint *remote)
{
	return (wt_seq)(host->now / 4000) + (wt_seq)hash_tuple(&host->key_isn, local, remote);
}

/* RFC 7323 5.4: timestamps start at an offset of their own per pair of addresses. */
uint32_t wt_secret_ts_offset(const struct wt_host *host, const struct wt_addr *local, const struct wt_addr *remote)
{
	struct wt_endpoint a = {.addr = *local}, b = {.addr = *remote};

	return (uint32_t)hash_tuple(&host->key_ts, &a, &b);
}

/* RFC 6056 3.3.3: a keyed start per destination, then upwards by a counter. */
uint16_t wt_secret_port(struct wt_host *host, const struct wt_endpoint *remote)
{
	const unsigned low = 32768, span = 60999 - 32768 + 1; /* Linux's default range */
	struct wt_endpoint local = {.addr = host->config.addr};
	uint64_t offset = hash_tuple(&host->key_port, &local, remote);

	for (unsigned tries = 0; tries < span; tries++) {
		uint16_t port = (uint16_t)(low + (offset + host->port_counter++) % span);

		local.port = port;
		if (!wt_demux_port_used(host, port) && !wt_demux_find(host, &local, remote))
			return port;
	}
	return 0;
}
