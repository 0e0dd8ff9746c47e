/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/plan.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"

void wt_plan_init(struct wt_plan *plan)
{
	*plan = (struct wt_plan){.seed = 1, .frames = 16384, .bounds = WT_VERDICT_BOUNDS, .release = WT_RELEASE_GUARD, .cpu = -1,
				  .gather = true};
}

void wt_plan_finish(struct wt_plan *plan)
{
	for (unsigned i = 0; i < plan->links; i++) {
		free(plan->link[i].words[0]);
		free(plan->link[i].words[1]);
	}
	for (unsigned i = 0; i < plan->events; i++) {
		free(plan->event[i].words[0]);
		free(plan->event[i].words[1]);
	}
	for (unsigned i = 0; i < WT_PLAN_KEYS; i++)
		free(plan->said[i]);
	free(plan->capture);
	free(plan->log);
	free(plan->control);
	free(plan->user);
	free(plan->file);
	if (plan->shelf)
		wt_samples_clear(plan->shelf);
	free(plan->shelf);
	memset(plan, 0, sizeof(*plan));
}

int wt_plan_time(struct wt_plan *plan, const char *value, char *err, size_t err_len)
{
	int error = wt_parse_time(value, &plan->time, err, err_len);

	if (!error && !plan->time) {
		snprintf(err, err_len, "'%.40s' would end it before it begins: expected a time above 0", value);
		error = -EINVAL;
	}
	return error;
}

int wt_plan_text(char **to, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

int wt_plan_add_port(struct wt_plan *plan, const char *name, const char *where, char *err, size_t err_len)
{
	struct wt_plan_port *port = &plan->port[plan->ports];

	if (plan->ports == WT_PLAN_PORTS) {
		snprintf(err, err_len, "there are at most %d ports", WT_PLAN_PORTS);
		return -EINVAL;
	}
	*port = (struct wt_plan_port){0};
	snprintf(port->name, sizeof(port->name), "%s", name);
	snprintf(port->text, sizeof(port->text), "%s", where);
	plan->ports++;
	return *where ? wt_where_parse(&port->where, where, err, err_len) : 0;
}

struct wt_plan_link *wt_plan_add_link(struct wt_plan *plan, const char *name)
{
	struct wt_plan_link *link = &plan->link[plan->links];

	if (plan->links == WT_PLAN_LINKS)
		return NULL;
	*link = (struct wt_plan_link){0};
	snprintf(link->name, sizeof(link->name), "%s", name);
	plan->links++;
	return link;
}

int wt_plan_find_link(const struct wt_plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->links; i++)
		if (!strcmp(plan->link[i].name, name))
			return (int)i;
	return -1;
}

int wt_plan_begin(struct wt_plan *plan, const char *const words[2])
{
	unsigned kept = 0;

	for (unsigned i = 0; i < 2; i++) {
		if (words[i] && wt_plan_text(&plan->link[0].words[i], words[i]))
			return -ENOMEM;
		plan->link[0].words_line[i] = words[i] ? 0 : plan->link[0].words_line[i];
	}
	for (unsigned k = 0; k < plan->events; k++) {
		struct wt_plan_event *event = &plan->event[k];

		for (unsigned i = 0; i < 2 && event->at == 0; i++) {
			if (!words[i])
				continue;
			free(event->words[i]);
			event->words[i] = NULL;
		}
		if (event->words[0] || event->words[1])
			plan->event[kept++] = *event;
	}
	plan->events = kept;
	return 0;
}

/* ---- is it whole? -------------------------------------------------------------------------------------- */

static int complain(const struct wt_plan *plan, unsigned line, char *err, size_t err_len, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

static int complain(const struct wt_plan *plan, unsigned line, char *err, size_t err_len, const char *format, ...)
{
	va_list args;
	int n = line && plan->file ? snprintf(err, err_len, "%s:%u: ", plan->file, line) : 0;

	va_start(args, format);
	if (n >= 0 && (size_t)n < err_len)
		vsnprintf(err + n, err_len - (size_t)n, format, args);
	va_end(args);
	return -EINVAL;
}

static int check_ports(const struct wt_plan *plan, char *err, size_t err_len)
{
	for (unsigned i = 0; i < plan->ports; i++) {
		const struct wt_plan_port *port = &plan->port[i];

		if (!port->where.interface[0])
			return complain(plan, port->line, err, err_len, "port %s: interface is missing, such as interface = tap:wt0",
					port->name);
		for (unsigned k = 0; k < i; k++) {
			const struct wt_where *a = &port->where, *b = &plan->port[k].where;

			if (a->kind == b->kind && !strcmp(a->interface, b->interface) && !strcmp(a->space, b->space))
				return complain(plan, port->line, err, err_len, "both ports are %s", port->text);
		}
	}
	return 0;
}

/* How many links end there. */
static unsigned links_at(const struct wt_plan *plan, bool router, unsigned index)
{
	unsigned count = 0;

	for (unsigned i = 0; i < plan->links; i++)
		for (unsigned k = 0; k < 2; k++)
			count += plan->link[i].end[k].router == router && plan->link[i].end[k].index == index;
	return count;
}

static int check_link_ends(const struct wt_plan *plan, const struct wt_plan_link *link, char *err, size_t err_len)
{
	for (unsigned k = 0; k < 2; k++) {
		const struct wt_plan_end *end = &link->end[k], *other = &link->end[!k];

		if (end->router)
			continue;
		if (other->router && !wt_plan_has_gateway(&plan->port[end->index]))
			return complain(plan, plan->port[end->index].line, err, err_len,
					"port %s is linked to a router: gateway is missing, such as gateway = 10.0.1.1/24",
					plan->port[end->index].name);
		if (!other->router && wt_plan_has_gateway(&plan->port[end->index]))
			return complain(plan, plan->port[end->index].line, err, err_len,
					"port %s has a gateway, but its link leads to no router", plan->port[end->index].name);
	}
	return 0;
}

/* Have the networks behind two ports addresses in common? */
static bool overlap(const struct wt_plan_port *a, const struct wt_plan_port *b)
{
	bool found = false;

	for (unsigned family = WT_FAMILY_IPV4; family < WT_FAMILIES; family++)
		if (a->gateway[family].family && b->gateway[family].family)
			found |= wt_addr_in(&a->gateway[family], &b->gateway[family],
					    a->prefix[family] < b->prefix[family] ? a->prefix[family] : b->prefix[family]);
	return found;
}

/* A router finds a host by its network. */
static int check_networks(const struct wt_plan *plan, char *err, size_t err_len)
{
	for (unsigned i = 0; i < plan->ports; i++)
		for (unsigned k = 0; k < i; k++)
			if (overlap(&plan->port[k], &plan->port[i]))
				return complain(plan, plan->port[i].line, err, err_len,
						"port %s: its gateway is in the network of port %s; each needs a network of its own",
						plan->port[i].name, plan->port[k].name);
	return 0;
}

static int check_ends(struct wt_plan *plan, char *err, size_t err_len)
{
	int error = 0;

	if (plan->ports < 2)
		return complain(plan, 1, err, err_len, "two ports are needed, such as %s",
				plan->file ? "[port a] and [port b]" : "--port tap:wt0 --port tap:wt1");
	if (!plan->links && (plan->ports > 2 || plan->routers))
		return complain(plan, 1, err, err_len, "more than two ports, or routers, need links between them");
	if (!plan->links && !wt_plan_add_link(plan, "main"))
		return -ENOMEM;
	if (plan->links == 1 && plan->ports == 2 && !plan->routers && !plan->link[0].joined) {
		plan->link[0].end[0] = (struct wt_plan_end){false, 0};
		plan->link[0].end[1] = (struct wt_plan_end){false, 1};
		plan->link[0].joined = true;
	}
	for (unsigned i = 0; i < plan->links && !error; i++) {
		if (!plan->link[i].joined)
			return complain(plan, plan->link[i].line, err, err_len,
					"link %s: between is missing, such as between = a b", plan->link[i].name);
		error = check_link_ends(plan, &plan->link[i], err, err_len);
	}
	for (unsigned i = 0; i < plan->ports && !error; i++)
		if (links_at(plan, false, i) != 1)
			error = complain(plan, plan->port[i].line, err, err_len, "port %s has %u links, and must have one",
					 plan->port[i].name, links_at(plan, false, i));
	for (unsigned i = 0; i < plan->routers && !error; i++)
		if (!links_at(plan, true, i))
			error = complain(plan, plan->router[i].line, err, err_len, "no link leads to router %s", plan->router[i].name);
	return error ? error : check_networks(plan, err, err_len);
}

int wt_plan_make_link(const struct wt_plan *plan, unsigned index, struct wt_span *link, char *err, size_t err_len)
{
	const struct wt_plan_link *from = &plan->link[index];
	const char *words[2] = {from->words[0], from->words[1]};
	int error = wt_span_init(link, from->name, plan->links == 1, words, plan->seed, plan->shelf, err, err_len);

	if (!error)
		wt_span_limit_answers(link, &plan->icmp_limit);
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
	return words_line[rev] ? words_line[rev] + line - 1 : others;
}

static int by_time(const void *a, const void *b)
{
	const struct wt_plan_event *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Every change in its turn, on links that carry nothing. */
static int check_events(const struct wt_plan *plan, struct wt_span *link, char *err, size_t err_len)
{
	char why[300];

	for (unsigned i = 0; i < plan->events; i++) {
		const struct wt_plan_event *event = &plan->event[i];
		const char *words[2] = {event->words[0], event->words[1]};

		if (wt_span_change(&link[event->link], words, event->at, event->flush, why, sizeof(why)))
			return complain(plan, line_of(event->words_line, event->line, why), err, err_len, "%s%s%s", plan->links > 1 ? plan->link[event->link].name : "",
					plan->links > 1 ? ": " : "", why);
	}
	return 0;
}

static unsigned first_line(const struct wt_plan_link *link)
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

static int check_words(const struct wt_plan *plan, char *err, size_t err_len)
{
	struct wt_span *link = calloc(plan->links, sizeof(*link));
	unsigned made = 0;
	char why[300];
	int error = link && plan->shelf ? 0 : -ENOMEM;

	if (!error)
		plan->shelf->open = true;
	while (!error && made < plan->links) {
		error = wt_plan_make_link(plan, made, &link[made], why, sizeof(why));
		if (error)
			complain(plan, line_of(plan->link[made].words_line, first_line(&plan->link[made]), why), err, err_len, "%s%s%s",
				 plan->links > 1 ? plan->link[made].name : "", plan->links > 1 ? ": " : "", why);
		else
			made++;
	}
	if (!error)
		error = check_events(plan, link, err, err_len);
	if (plan->shelf)
		plan->shelf->open = false;
	while (made)
		wt_span_finish(&link[--made]);
	free(link);
	for (unsigned i = 0; i < plan->links; i++)
		join_lines(plan->link[i].words);
	for (unsigned i = 0; i < plan->events; i++)
		join_lines(plan->event[i].words);
	return error;
}

int wt_plan_check(struct wt_plan *plan, char *err, size_t err_len)
{
	int error;

	qsort(plan->event, plan->events, sizeof(plan->event[0]), by_time);
	snprintf(err, err_len, "out of memory");
	if (plan->steer && plan->cpu < 0) {
		snprintf(err, err_len, "steer: needs cpu, the processor the emulator stays on and the others receive for");
		return -EINVAL;
	}
	error = check_ports(plan, err, err_len);
	if (!error)
		error = check_ends(plan, err, err_len);
	if (!plan->shelf)
		plan->shelf = calloc(1, sizeof(*plan->shelf));
	return error ? error : check_words(plan, err, err_len);
}
