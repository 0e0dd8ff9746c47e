/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of chains by keyed hash of the tuple, so that nobody can aim at one chain. */
#include "stack/tcp/demux.h"

#include <errno.h>
#include <stdlib.h>

#include "stack/tcp/tcb.h"

int wt_demux_init(struct wt_host *host)
{
	uint32_t size = 64;

	while (size < host->config.max_connections + host->config.max_half_open + host->config.max_time_wait)
		size <<= 1;
	host->table = calloc(size, sizeof(*host->table));
	if (!host->table)
		return -ENOMEM;
	host->table_mask = size - 1;
	return 0;
}

static struct wt_demux_entry **chain(struct wt_host *host, const struct wt_tuple *tuple)
{
	return &host->table[wt_secret_tuple(&host->key_hash, tuple) & host->table_mask];
}

void wt_demux_add(struct wt_host *host, struct wt_demux_entry *entry)
{
	struct wt_demux_entry **head = chain(host, &entry->tuple);

	entry->next = *head;
	*head = entry;
}

void wt_demux_remove(struct wt_host *host, struct wt_demux_entry *entry)
{
	for (struct wt_demux_entry **link = chain(host, &entry->tuple); *link; link = &(*link)->next) {
		if (*link == entry) {
			*link = entry->next;
			entry->next = NULL;
			return;
		}
	}
}

struct wt_demux_entry *wt_demux_find(struct wt_host *host, const struct wt_tuple *tuple)
{
	struct wt_demux_entry *entry = *chain(host, tuple);

	while (entry && !wt_tuple_eq(&entry->tuple, tuple))
		entry = entry->next;
	return entry;
}

struct wt_tcp *wt_demux_connection(struct wt_host *host, const struct wt_tuple *tuple)
{
	struct wt_demux_entry *entry = wt_demux_find(host, tuple);

	return entry && entry->kind == WT_DEMUX_CONNECTION ? (struct wt_tcp *)entry : NULL;
}

struct wt_tcp *wt_demux_listener(struct wt_host *host, const struct wt_endpoint *local)
{
	struct wt_tuple exact = {.local = *local}, any = {.local.port = local->port};
	struct wt_demux_entry *entry = wt_demux_find(host, &exact);

	if (!entry)
		entry = wt_demux_find(host, &any);
	return (struct wt_tcp *)entry;
}
