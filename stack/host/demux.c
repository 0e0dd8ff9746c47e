/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which connection a segment belongs to: a table of chains by keyed hash of the four-tuple, so that nobody can aim
 * at one chain. Listeners stand in the same table under their port with an empty remote end.
 */
#include <errno.h>
#include <stdlib.h>

#include "stack/host/tcb.h"

int wt_demux_init(struct wt_host *host)
{
	uint32_t size = 64;

	while (size < host->config.max_connections)
		size <<= 1;
	host->table = calloc(size, sizeof(*host->table));
	if (!host->table)
		return -ENOMEM;
	host->table_mask = size - 1;
	return 0;
}

/* The local address is always the host's own, so the local port is enough of that end. */
static struct wt_tcp **chain(struct wt_host *host, uint16_t local_port, const struct wt_endpoint *remote)
{
	uint8_t bytes[sizeof(remote->addr) + 4];

	memcpy(bytes, &remote->addr, sizeof(remote->addr));
	memcpy(bytes + sizeof(remote->addr), &remote->port, 2);
	memcpy(bytes + sizeof(remote->addr) + 2, &local_port, 2);
	return &host->table[wt_siphash(&host->key_hash, bytes, sizeof(bytes)) & host->table_mask];
}

void wt_demux_add(struct wt_tcp *tcp)
{
	struct wt_tcp **head = chain(tcp->host, tcp->local.port, &tcp->remote);

	tcp->hash_next = *head;
	*head = tcp;
}

void wt_demux_remove(struct wt_tcp *tcp)
{
	for (struct wt_tcp **link = chain(tcp->host, tcp->local.port, &tcp->remote); *link; link = &(*link)->hash_next) {
		if (*link == tcp) {
			*link = tcp->hash_next;
			tcp->hash_next = NULL;
			return;
		}
	}
}

struct wt_tcp *wt_demux_find(struct wt_host *host, const struct wt_endpoint *local, const struct wt_endpoint *remote)
{
	struct wt_tcp *tcp = *chain(host, local->port, remote);

	while (tcp && !(tcp->local.port == local->port && wt_endpoint_eq(&tcp->remote, remote)))
		tcp = tcp->hash_next;
	return tcp;
}

struct wt_tcp *wt_demux_listener(struct wt_host *host, uint16_t port)
{
	static const struct wt_endpoint nobody;
	struct wt_endpoint local = {.port = port};

	return wt_demux_find(host, &local, &nobody);
}

bool wt_demux_port_used(struct wt_host *host, uint16_t port)
{
	return wt_demux_listener(host, port) != NULL;
}
