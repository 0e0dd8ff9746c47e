/* SPDX-License-Identifier: BSD-2-Clause */
/* Is a world whole? Each fault is told with its line, its word, and what was expected. */
#include "emu/world/world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/router/router.h"
#include "stack/text/units.h"

int wt_world_complain(const struct wt_world *world, unsigned line, char *err, size_t err_len, const char *format, ...)
{
	va_list args;
	int n = line && world->file ? snprintf(err, err_len, "%s:%u: ", world->file, line) : 0;

	va_start(args, format);
	if (n >= 0 && (size_t)n < err_len)
		vsnprintf(err + n, err_len - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- what there is ---------------------------------------------------------------------------------------- */

static const char *kind_of(const struct wt_world_host *host)
{
	return host->port ? "port" : "host";
}

static int check_places(const struct wt_world *world, char *err, size_t err_len)
{
	for (unsigned i = 0; i < world->hosts; i++) {
		const struct wt_world_host *host = &world->host[i];

		if (host->placement == WT_INSIDE)
			continue;
		if (host->station && !host->where.interface[0])
			return wt_world_complain(world, host->line, err, err_len, "station %s: interface is missing, such as interface = tap:wt0; "
						 "lab up --file makes one for each", host->name);
		if (!host->where.interface[0])
			return wt_world_complain(world, host->line, err, err_len, host->port ? "port %s: interface is missing, such as interface = tap:wt0" :
					"host %s: interface is missing, such as interface = tap:wt0; lab up --file makes one for each host",
					host->name);
		for (unsigned k = 0; k < i; k++) {
			const struct wt_interface_ref *a = &host->where, *b = &world->host[k].where;

			if (world->host[k].placement != WT_INSIDE && a->kind == b->kind && !strcmp(a->interface, b->interface) &&
			    !strcmp(a->space, b->space))
				return wt_world_complain(world, host->line, err, err_len, "both ports are %s", host->place);
		}
	}
	return 0;
}

/* How many links end there. */
static unsigned links_at(const struct wt_world *world, bool router, unsigned index)
{
	unsigned count = 0;

	for (unsigned i = 0; i < world->links; i++)
		for (unsigned k = 0; k < 2; k++)
			count += world->link[i].end[k].router == router && world->link[i].end[k].index == index;
	return count;
}

static int check_link_ends(const struct wt_world *world, const struct wt_world_link *link, char *err, size_t err_len)
{
	for (unsigned k = 0; k < 2; k++) {
		const struct wt_world_end *end = &link->end[k], *other = &link->end[!k];
		const struct wt_world_host *host = &world->host[end->index];

		if (end->router)
			continue;
		if (other->router && host->port && !wt_world_has_gateway(host))
			return wt_world_complain(world, host->line, err, err_len,
						 "port %s is linked to a router: gateway is missing, such as gateway = 10.0.1.1/24", host->name);
		if (host->station && !other->router)
			return wt_world_complain(world, link->line, err, err_len, "link %s: a link of station %s leads to a router, not to a host",
						 link->name, host->name);
		if (host->station)
			continue;
		if (!other->router && !host->numbered && wt_world_has_gateway(host))
			return wt_world_complain(world, host->line, err, err_len, "%s %s has a gateway, but its link leads to no router",
						 kind_of(host), host->name);
	}
	return 0;
}

/* Have the networks behind two ports addresses in common? */
static bool overlap(const struct wt_world_host *a, const struct wt_world_host *b)
{
	bool found = false;

	for (unsigned family = WT_FAMILY_IPV4; family < WT_FAMILIES; family++)
		if (a->gateway[family].family && b->gateway[family].family)
			found |= wt_addr_in(&a->gateway[family], &b->gateway[family],
					    a->prefix[family] < b->prefix[family] ? a->prefix[family] : b->prefix[family]);
	return found;
}

/* A router finds a host by its network. */
static int check_networks(const struct wt_world *world, char *err, size_t err_len)
{
	for (unsigned i = 0; i < world->hosts; i++)
		for (unsigned k = 0; k < i; k++)
			if (overlap(&world->host[k], &world->host[i]))
				return wt_world_complain(world, world->host[i].line, err, err_len,
						"%s %s: its gateway is in the network of %s %s; each needs a network of its own",
						kind_of(&world->host[i]), world->host[i].name, kind_of(&world->host[k]),
						world->host[k].name);
	return 0;
}

/* Addresses that were not said; docs/world.md. */
static void number_hosts(struct wt_world *world)
{
	for (unsigned i = 0; i < world->hosts; i++) {
		struct wt_world_host *host = &world->host[i];
		struct wt_addr *gateway = &host->gateway[WT_FAMILY_IPV4];
		unsigned n = i + 1, link = 0;
		struct wt_world_end next = wt_world_next(world, i, &link);

		if (host->numbered)
			continue;
		host->prefix_len = 24;
		if (!next.router) {
			host->address = wt_addr_ipv4(10, (uint8_t)(link >> 8), (uint8_t)link, (uint8_t)(i < next.index ? 1 : 2));
			host->mac = (struct wt_mac){{0x02, 0x77, 0x74, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n}};
			continue;
		}
		if (!wt_world_has_gateway(host)) {
			*gateway = wt_addr_ipv4(10, (uint8_t)(n >> 8), (uint8_t)n, 1);
			host->prefix[WT_FAMILY_IPV4] = 24;
		}
		if (!gateway->family)
			continue;
		host->prefix_len = host->prefix[WT_FAMILY_IPV4];
		host->address = wt_world_neighbour(gateway, host->prefix_len);
		host->mac = wt_addr_mac(&host->address);
	}
}

static int check_ends(struct wt_world *world, char *err, size_t err_len)
{
	int error = 0;

	if (world->hosts < 2)
		return wt_world_complain(world, 1, err, err_len, "two %s are needed, such as %s", world->file ? "hosts or ports" : "ports",
				world->file ? "[host a] and [host b]" : "--port tap:wt0 --port tap:wt1");
	if (!world->links && !world->air.there && (world->hosts > 2 || world->routers))
		return wt_world_complain(world, 1, err, err_len, "more than two hosts or ports, or routers, need links between them");
	if (!world->links && !world->air.there && !wt_world_add_link(world, "main"))
		return -ENOMEM;
	if (world->links == 1 && world->hosts == 2 && !world->air.there && !world->routers && !world->link[0].joined) {
		world->link[0].end[0] = (struct wt_world_end){false, 0};
		world->link[0].end[1] = (struct wt_world_end){false, 1};
		world->link[0].joined = true;
	}
	for (unsigned i = 0; i < world->links && !error; i++) {
		if (!world->link[i].joined)
			return wt_world_complain(world, world->link[i].line, err, err_len,
					"link %s: between is missing, such as between = a b", world->link[i].name);
		error = check_link_ends(world, &world->link[i], err, err_len);
	}
	for (unsigned i = 0; i < world->hosts && !error; i++)
		if (links_at(world, false, i) != 1 && !world->host[i].station)
			error = wt_world_complain(world, world->host[i].line, err, err_len, "%s %s has %u links, and must have one",
					 kind_of(&world->host[i]), world->host[i].name, links_at(world, false, i));
	for (unsigned i = 0; i < world->routers && !error; i++) {
		unsigned links = links_at(world, true, i);

		if (!links || links > WT_ROUTER_PORTS || i >= WT_ROUTER_PORTS)
			error = !links ? wt_world_complain(world, world->router[i].line, err, err_len, "no link leads to router %s", world->router[i].name) :
				wt_world_complain(world, world->router[i].line, err, err_len, "router %s: there are at most %d routers, each of at most %d links",
						  world->router[i].name, WT_ROUTER_PORTS, WT_ROUTER_PORTS);
	}
	if (!error)
		number_hosts(world);
	return error ? error : check_networks(world, err, err_len);
}

/* ---- flows ------------------------------------------------------------------------------------------------ */

static bool same_word(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* May they share a listener? */
static bool served_alike(const struct wt_world_flow *a, const struct wt_world_flow *b)
{
	return a->host[1] == b->host[1] && same_word(a->word[WT_FLOW_APP], b->word[WT_FLOW_APP]) &&
	       same_word(a->word[WT_FLOW_PRESET], b->word[WT_FLOW_PRESET]) && same_word(a->word[WT_FLOW_SETTINGS], b->word[WT_FLOW_SETTINGS]) &&
	       same_word(a->word[WT_FLOW_RECEIVER], b->word[WT_FLOW_RECEIVER]);
}

/* Flows that are served alike share a port of their host; one with a delay of its own is known by its other end. */
static void number_flows(struct wt_world *world)
{
	for (unsigned i = 0; i < world->flows; i++) {
		struct wt_world_flow *flow = &world->flow[i];

		flow->port = WT_FLOW_PORT;
		for (unsigned k = 0; k < i; k++) {
			if (served_alike(flow, &world->flow[k])) {
				flow->port = world->flow[k].port;
				break;
			}
			if (world->flow[k].host[1] == flow->host[1] && world->flow[k].port >= flow->port)
				flow->port = world->flow[k].port + 1;
		}
		flow->local_port = flow->delay ? (uint16_t)(WT_FLOW_LOCAL_PORT + i % 20000) : 0;
	}
}

/* Is there a gateway from the air to a router that has a way to this host? */
static bool leads_off_air(const struct wt_world *world, unsigned to)
{
	unsigned link;
	struct wt_world_end at = wt_world_next(world, to, &link);
	bool found = false;

	for (unsigned i = 0; i < world->links; i++)
		for (unsigned k = 0; k < 2; k++) {
			const struct wt_world_end *here = &world->link[i].end[k], *far = &world->link[i].end[!k];

			if (!here->router && world->host[here->index].station && far->router && at.router)
				found |= wt_world_distance(world, far->index, at.index) != UINT32_MAX;
		}
	return found;
}

static bool leads_by_links(const struct wt_world *world, unsigned from, unsigned to)
{
	unsigned link;
	struct wt_world_end a = wt_world_next(world, from, &link), b = wt_world_next(world, to, &link);

	if (!a.router || !b.router)
		return !a.router && a.index == to;
	return wt_world_distance(world, a.index, b.index) != UINT32_MAX;
}

/* Can packets go from one host to another? */
static bool leads_to(const struct wt_world *world, unsigned from, unsigned to)
{
	if (world->host[from].station || world->host[to].station)
		return (world->host[from].station && world->host[to].station) || leads_off_air(world, world->host[from].station ? to : from);
	return leads_by_links(world, from, to);
}

static int check_flow(const struct wt_world *world, const struct wt_world_flow *flow, char *err, size_t err_len)
{
	const char *name[2] = {world->host[flow->host[0]].name, world->host[flow->host[1]].name};
	char start[40];

	wt_format_time(flow->start, start, sizeof(start));
	for (unsigned i = 0; i < 2; i++)
		if (!world->host[flow->host[i]].address.family)
			return wt_world_complain(world, flow->line, err, err_len, "flow %s: host %s has no address of IPv4", flow->name, name[i]);
	if (!leads_to(world, flow->host[0], flow->host[1]))
		return wt_world_complain(world, flow->line, err, err_len, "flow %s: no links lead from %s to %s", flow->name, name[0], name[1]);
	if (flow->stop && flow->stop <= flow->start)
		return wt_world_complain(world, flow->line, err, err_len, "flow %s: expected a stop after its start, %s", flow->name, start);
	if (world->time && world->time <= flow->start)
		return wt_world_complain(world, flow->line, err, err_len, "flow %s: it starts at %s, after the end of the run", flow->name, start);
	return 0;
}

static int check_flows(struct wt_world *world, char *err, size_t err_len)
{
	int error = 0;

	for (unsigned i = 0; i < world->flows && !error; i++)
		error = check_flow(world, &world->flow[i], err, err_len);
	number_flows(world);
	return error;
}

/* ---- words ------------------------------------------------------------------------------------------------ */

int wt_world_make_link(const struct wt_world *world, unsigned index, struct wt_link *link, char *err, size_t err_len)
{
	const struct wt_world_link *from = &world->link[index];
	const char *words[2] = {from->words[0], from->words[1]};
	int error = wt_link_init(link, from->name, world->links == 1, words, world->seed, world->cache, err, err_len);

	if (!error)
		wt_link_limit_answers(link, &world->icmp_limit);
	return error;
}

/* The line of the words an error is about, "fwd: ..." or "rev: line 2: ...", which is cut out of it; of others where it is about none. */
static unsigned line_of(const unsigned words_line[2], unsigned others, char *why)
{
	bool rev = !strncmp(why, "rev: ", 5);
	unsigned line = 1;

	if (!rev && strncmp(why, "fwd: ", 5))
		return others;
	if (sscanf(why + 5, "line %u: ", &line) == 1) {
		const char *rest = strchr(why + 5, ':') + 2;

		memmove(why + 5, rest, strlen(rest) + 1);
	}
	if (words_line[rev] == WT_WORLD_NO_LINE)
		return 0;
	return words_line[rev] ? words_line[rev] + line - 1 : others;
}

static int by_time(const void *a, const void *b)
{
	const struct wt_world_event *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Every change in its turn, on links that carry nothing. */
static int check_events(const struct wt_world *world, struct wt_link *link, char *err, size_t err_len)
{
	char why[300];

	for (unsigned i = 0; i < world->events; i++) {
		const struct wt_world_event *event = &world->event[i];
		const char *words[2] = {event->words[0], event->words[1]};

		if (wt_link_change(&link[event->link], words, event->at, event->flush, why, sizeof(why)))
			return wt_world_complain(world, line_of(event->words_line, event->line, why), err, err_len, "%s%s%s", world->links > 1 ? world->link[event->link].name : "",
					world->links > 1 ? ": " : "", why);
	}
	return 0;
}

static unsigned first_line(const struct wt_world_link *link)
{
	return link->words_line[0] ? link->words_line[0] : link->line;
}

/* What was checked is one line. */
static void join_lines(char *const words[2])
{
	for (unsigned i = 0; i < 2; i++) {
		char *to = words[i];

		for (const char *at = to; at && *at; at++)
			if (*at != '\n' || at[1] != '\n')
				*to++ = *at == '\n' ? ' ' : *at;
		if (to)
			*to = 0;
	}
}

static int check_words(const struct wt_world *world, char *err, size_t err_len)
{
	struct wt_link *link = calloc(world->links, sizeof(*link));
	unsigned made = 0;
	char why[300];
	int error = link && world->cache ? 0 : -ENOMEM;

	if (!error)
		world->cache->open = true;
	while (!error && made < world->links) {
		error = wt_world_make_link(world, made, &link[made], why, sizeof(why));
		if (error)
			wt_world_complain(world, line_of(world->link[made].words_line, first_line(&world->link[made]), why), err, err_len, "%s%s%s",
				 world->links > 1 ? world->link[made].name : "", world->links > 1 ? ": " : "", why);
		else
			made++;
	}
	if (!error)
		error = check_events(world, link, err, err_len);
	if (world->cache)
		world->cache->open = false;
	while (made)
		wt_link_finish(&link[--made]);
	free(link);
	for (unsigned i = 0; i < world->links; i++)
		join_lines(world->link[i].words);
	for (unsigned i = 0; i < world->events; i++)
		join_lines(world->event[i].words);
	return error;
}

int wt_world_check(struct wt_world *world, char *err, size_t err_len)
{
	int error;

	if (world->events) /* no event, no array */
		qsort(world->event, world->events, sizeof(world->event[0]), by_time);
	snprintf(err, err_len, "out of memory");
	error = check_places(world, err, err_len);
	if (!error)
		error = wt_world_check_air(world, err, err_len);
	if (!error)
		error = check_ends(world, err, err_len);
	if (!error)
		error = check_flows(world, err, err_len);
	if (!world->cache)
		world->cache = calloc(1, sizeof(*world->cache));
	return error ? error : check_words(world, err, err_len);
}
