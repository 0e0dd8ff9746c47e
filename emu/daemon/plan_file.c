/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plan from an INI file. libinih does the lexing; lines are counted, and sections seen, where it asks for the next line, so
 * that an error names its line and a section without keys is one.
 */
#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/daemon/plan.h"
#include "emu/daemon/schedule.h"
#include "stack/text/params.h"
#include "stack/text/units.h"

enum section { SECTION_NONE, SECTION_EMULATOR, SECTION_PORT, SECTION_ROUTER, SECTION_LINK, SECTION_AT, SECTION_SCHEDULE };

struct parse {
	struct wt_plan *plan;
	FILE *file;
	unsigned line;
	bool continued; /* the line begins with a blank: it belongs to the key before */
	enum section section;
	unsigned sections;
	wt_time at, every;
	uint64_t times;
	char note[100];
	bool flush;
	unsigned scheduled; /* link */
	char *template[2]; /* words with columns in them, by direction */
	struct wt_schedule schedule;
	unsigned first_event; /* of the section */
	unsigned section_events, section_line; /* changes before it, and where it begins */
	bool failed;
	unsigned bad_line;
	char why[400];
};

/* Keeps the first complaint. */
static int refuse(struct parse *parse, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int refuse(struct parse *parse, const char *format, ...)
{
	va_list args;

	if (parse->failed)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(parse->why, sizeof(parse->why), format, args);
	va_end(args);
	parse->failed = true;
	parse->bad_line = parse->line;
	return -EINVAL;
}

static const char *word_at(const void *list, size_t i)
{
	return ((const char *const *)list)[i];
}

static int unknown(struct parse *parse, const char *what, const char *word, const char *const *known)
{
	const char *nearest = wt_nearest_word(word, word_at, known);
	char list[200] = "";

	if (nearest)
		return refuse(parse, "%s \"%.40s\" is not known here; did you mean \"%s\"?", what, word, nearest);
	for (unsigned i = 0; known[i]; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "", known[i]);
	return refuse(parse, "%s \"%.40s\" is not known here; expected one of %s", what, word, list);
}

static int find(const char *const *list, const char *word)
{
	for (int i = 0; list[i]; i++)
		if (!strcmp(list[i], word))
			return i;
	return -1;
}

/* ---- sections ------------------------------------------------------------------------------------------ */

static bool good_name(struct parse *parse, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	if (*name && strlen(name) < WT_SPAN_NAME && !name[strspn(name, letters)])
		return true;
	refuse(parse, "\"%.40s\" is no name: expected 1 to %d letters, digits, - or _", name, WT_SPAN_NAME - 1);
	return false;
}

static int find_end(const struct wt_plan *plan, const char *name, struct wt_plan_end *end)
{
	for (unsigned i = 0; i < plan->ports; i++)
		if (!strcmp(plan->port[i].name, name))
			return *end = (struct wt_plan_end){false, i}, 0;
	for (unsigned i = 0; i < plan->routers; i++)
		if (!strcmp(plan->router[i].name, name))
			return *end = (struct wt_plan_end){true, i}, 0;
	return -EINVAL;
}

static int open_end(struct parse *parse, const char *name, bool router)
{
	struct wt_plan *plan = parse->plan;
	struct wt_plan_end end;
	char why[200];

	if (!good_name(parse, name))
		return -EINVAL;
	if (!find_end(plan, name, &end))
		return refuse(parse, "there is a port or router \"%s\" already", name);
	if (!router) {
		parse->section = SECTION_PORT;
		if (wt_plan_add_port(plan, name, "", why, sizeof(why)))
			return refuse(parse, "%s", why);
		plan->port[plan->ports - 1].line = parse->line;
		return 0;
	}
	parse->section = SECTION_ROUTER;
	if (plan->routers == WT_PLAN_ROUTERS)
		return refuse(parse, "there are at most %d routers", WT_PLAN_ROUTERS);
	plan->router[plan->routers] = (struct wt_plan_router){.line = parse->line};
	snprintf(plan->router[plan->routers++].name, WT_SPAN_NAME, "%s", name);
	return 0;
}

static int open_link(struct parse *parse, const char *name)
{
	struct wt_plan_link *link;

	parse->section = SECTION_LINK;
	if (!*name)
		name = "main";
	if (!good_name(parse, name))
		return -EINVAL;
	if (wt_plan_find_link(parse->plan, name) >= 0)
		return refuse(parse, "there is a link \"%s\" already", name);
	link = wt_plan_add_link(parse->plan, name);
	if (!link)
		return refuse(parse, "there are at most %d links", WT_PLAN_LINKS);
	link->line = parse->line;
	return 0;
}

/* [at 10s], [at 10s every 20s times 5] */
static int open_at(struct parse *parse, char *words)
{
	static const char expected[] = "expected [at TIME] or [at TIME every TIME times N], such as [at 10s]";
	char *word[6] = {NULL}, *rest = words;
	unsigned count = 0;
	char why[200];
	wt_time last;

	for (char *one; count < 6 && (one = strtok_r(rest, " \t", &rest));)
		word[count++] = one;
	parse->section = SECTION_AT;
	parse->sections++;
	parse->times = 1;
	parse->every = 0;
	parse->note[0] = 0;
	parse->flush = false;
	parse->first_event = parse->plan->events;
	if (count != 1 && !(count == 5 && !strcmp(word[1], "every") && !strcmp(word[3], "times")))
		return refuse(parse, "%s", expected);
	if (wt_parse_time(word[0], &parse->at, why, sizeof(why)) ||
	    (count == 5 && (wt_parse_time(word[2], &parse->every, why, sizeof(why)) ||
			    wt_parse_count(word[4], &parse->times, why, sizeof(why)))))
		return refuse(parse, "%s", why);
	if (count == 5 && parse->every <= 0)
		return refuse(parse, "every: '%.40s' is no interval: expected a time above 0", word[2]);
	if (parse->at < 0 || parse->times < 1 || parse->times > WT_PLAN_EVENTS)
		return refuse(parse, "times cannot be negative, and 1 to %d times are possible", WT_PLAN_EVENTS);
	if (__builtin_mul_overflow(parse->every, (wt_time)parse->times, &last) || __builtin_add_overflow(parse->at, last, &last))
		return refuse(parse, "the last of %" PRIu64 " times is later than there are nanoseconds", parse->times);
	return 0;
}

/* [schedule] of the only link, [schedule NAME] */
static int open_schedule(struct parse *parse, const char *name)
{
	int link = *name ? wt_plan_find_link(parse->plan, name) : parse->plan->links == 1 ? 0 : -1;

	parse->section = SECTION_SCHEDULE;
	if (link < 0)
		return refuse(parse, "expected [schedule NAME] with the name of a link above, or [schedule] of the only one");
	parse->scheduled = (unsigned)link;
	parse->schedule.columns = 0;
	for (unsigned i = 0; i < 2; i++) {
		free(parse->template[i]);
		parse->template[i] = NULL;
	}
	return 0;
}

/* A change that changes nothing would lose its note. */
static void close_section(struct parse *parse)
{
	bool changes = parse->section == SECTION_AT || parse->section == SECTION_SCHEDULE;
	char why[200];

	if (!parse->failed && changes && parse->plan->events == parse->section_events) {
		refuse(parse, parse->section == SECTION_AT ? "nothing changes here: fwd, rev or both, and the words, are missing"
							   : "no row stands here, such as 10s = VALUE...");
		parse->bad_line = parse->section_line;
	}
	if (!parse->failed && parse->section == SECTION_SCHEDULE && wt_schedule_check(&parse->schedule, parse->template, why, sizeof(why))) {
		refuse(parse, "%s", why);
		parse->bad_line = parse->section_line;
	}
	parse->section_events = parse->plan->events;
	parse->section_line = parse->line;
}

static int open_section(struct parse *parse, char *header)
{
	static const char *const known[] = {"emulator", "port", "router", "link", "at", "schedule", NULL};
	char *name = header + strcspn(header, " \t");

	close_section(parse);
	if (*name) {
		*name++ = 0;
		name += strspn(name, " \t");
	}
	switch (find(known, header)) {
	case 0:
		parse->section = SECTION_EMULATOR;
		return *name ? refuse(parse, "[emulator] has no name") : 0;
	case 1: return open_end(parse, name, false);
	case 2: return open_end(parse, name, true);
	case 3: return open_link(parse, name);
	case 4: return open_at(parse, name);
	case 5: return open_schedule(parse, name);
	}
	return unknown(parse, "section", header, known);
}

/* What libinih reads lines with. */
static char *next_line(char *to, int room, void *stream)
{
	struct parse *parse = stream;
	char *line = fgets(to, room, parse->file), *at, *end;
	char header[120];

	if (!line)
		return NULL;
	parse->line++;
	if (!strchr(line, '\n') && !feof(parse->file)) {
		refuse(parse, "the line has more than %d characters; it may go on in the next if that begins with a blank", room - 2);
		return NULL;
	}
	parse->continued = *line == ' ' || *line == '\t';
	at = line + strspn(line, " \t");
	end = *at == '[' ? strchr(at, ']') : NULL;
	if (*at == '[' && !end && !parse->continued)
		refuse(parse, "the name of a section ends with ], such as [emulator]");
	if (end && !parse->continued) {
		snprintf(header, sizeof(header), "%.*s", (int)(end - at - 1), at + 1);
		open_section(parse, header);
	}
	return line;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

const char *const wt_plan_key[] = {"seed", "time", "frames", "capture", "log", "control", "release", "cpu", "late", "steal",
				   "ports", "realtime", "offload", "seccomp", "awake", "steer", "writes", "arrival", "icmp-limit",
				   "user", NULL};

static int emulator_key(struct parse *parse, const char *key, const char *value)
{
	static const char *const releases[] = {"sleep", "guard", "spin", NULL}, *const ends[] = {"end", "wait", NULL};
	static const char *const writes[] = {"gather", "single", NULL}, *const arrivals[] = {"kernel", "ring", "read", NULL};
	struct wt_plan *plan = parse->plan;
	char why[300] = "out of memory";
	uint64_t n = 0;
	int error = 0, which = -1, at = find(wt_plan_key, key);

	if (at >= 0 && plan->said[at])
		return refuse(parse, "%s is given twice", key);
	if (at >= 0 && wt_plan_text(&plan->said[at], value))
		return refuse(parse, "%s", why);
	switch (at) {
	case 0: error = wt_parse_count(value, &plan->seed, why, sizeof(why)); break;
	case 1: error = wt_plan_time(plan, value, why, sizeof(why)); break;
	case 2:
		error = wt_parse_count(value, &plan->frames, why, sizeof(why));
		if (!error && (plan->frames < 64 || plan->frames > 1 << 20))
			return refuse(parse, "frames: '%s' is not from 64 to 1048576", value);
		break;
	case 3: error = wt_plan_text(&plan->capture, value); break;
	case 4: error = wt_plan_text(&plan->log, value); break;
	case 5: error = wt_plan_text(&plan->control, value); break;
	case 6:
		which = find(releases, value);
		if (which < 0)
			return unknown(parse, "release", value, releases);
		plan->release = (enum wt_release)which;
		break;
	case 7:
		error = wt_parse_count(value, &n, why, sizeof(why));
		plan->cpu = n < 1024 ? (int)n : 1024;
		break;
	case 8: error = wt_parse_time(value, &plan->bounds.late, why, sizeof(why)); break;
	case 9: error = wt_parse_share(value, &plan->bounds.steal, why, sizeof(why)); break;
	case 10:
		which = find(ends, value);
		if (which < 0)
			return unknown(parse, "ports", value, ends);
		plan->wait_ports = which;
		break;
	case 11:
	case 12:
	case 13:
	case 14:
	case 15:
		error = wt_parse_bool(value, &n, why, sizeof(why));
		*(bool *[]){&plan->realtime, &plan->offload, &plan->seccomp, &plan->awake, &plan->steer}[at - 11] = n;
		break;
	case 16:
		which = find(writes, value);
		if (which < 0)
			return unknown(parse, "writes", value, writes);
		plan->gather = which == 0;
		break;
	case 17:
		which = find(arrivals, value);
		if (which < 0)
			return unknown(parse, "arrival", value, arrivals);
		plan->stamps = (enum wt_stamps)which;
		break;
	case 18: error = wt_refusal_rate_parse(value, &plan->icmp_limit, why, sizeof(why)); break;
	case 19: error = wt_plan_text(&plan->user, value); break;
	default: return unknown(parse, "key", key, wt_plan_key);
	}
	return error ? refuse(parse, "%s: %s", key, why) : 0;
}

static int read_addresses(struct parse *parse, const char *value, struct wt_addr addr[WT_FAMILIES], unsigned prefix[WT_FAMILIES])
{
	char why[300];

	return wt_plan_addresses(value, addr, prefix, why, sizeof(why)) ? refuse(parse, "%s", why) : 0;
}

static int port_key(struct parse *parse, const char *key, const char *value)
{
	static const char *const keys[] = {"interface", "gateway", NULL};
	struct wt_plan_port *port = &parse->plan->port[parse->plan->ports - 1];
	char why[300];

	switch (find(keys, key)) {
	case 0:
		snprintf(port->text, sizeof(port->text), "%s", value);
		return wt_where_parse(&port->where, value, why, sizeof(why)) ? refuse(parse, "%s", why) : 0;
	case 1: return read_addresses(parse, value, port->gateway, port->prefix);
	}
	return unknown(parse, "key", key, keys);
}

static int router_key(struct parse *parse, const char *key, const char *value)
{
	static const char *const keys[] = {"address", NULL};

	if (find(keys, key) < 0)
		return unknown(parse, "key", key, keys);
	return read_addresses(parse, value, parse->plan->router[parse->plan->routers - 1].address, NULL);
}

/* Words may go on over several lines, which stay apart until they are checked if their first one's number is kept. */
static int add_words(struct parse *parse, char **words, unsigned *line, const char *key, const char *value)
{
	unsigned last = line ? *line : 0;
	char *joined;

	if (*words && !parse->continued)
		return refuse(parse, "%s: the words of a direction are given twice; both gives them to fwd and rev", key);
	if (!*words && line)
		*line = parse->line;
	for (const char *end = line && *words ? *words : ""; *end; end++)
		last += *end == '\n';
	if (asprintf(&joined, "%s%*s%s", *words ? *words : "", *words ? line ? (int)(parse->line - last) : 1 : 0, "", value) < 0)
		return refuse(parse, "out of memory");
	for (size_t at = *words ? strlen(*words) : 0; *words && line && last < parse->line; last++)
		joined[at++] = '\n';
	free(*words);
	*words = joined;
	return 0;
}

static int between(struct parse *parse, struct wt_plan_link *link, const char *value)
{
	char text[80];
	char *rest = text, *word[3] = {NULL};
	unsigned count = 0;

	snprintf(text, sizeof(text), "%s", value);
	for (char *one; count < 3 && (one = strtok_r(rest, " \t", &rest));)
		word[count++] = one;
	if (count != 2)
		return refuse(parse, "between: expected two names of ports or routers, such as between = a r1");
	for (unsigned i = 0; i < 2; i++)
		if (find_end(parse->plan, word[i], &link->end[i]))
			return refuse(parse, "between: there is no port or router \"%.40s\" above", word[i]);
	if (!strcmp(word[0], word[1]))
		return refuse(parse, "between: a link has two different ends, not \"%.40s\" twice", word[0]);
	link->joined = true;
	return 0;
}

static int link_key(struct parse *parse, const char *key, const char *value)
{
	static const char *const keys[] = {"fwd", "rev", "both", "between", NULL};
	struct wt_plan_link *link = &parse->plan->link[parse->plan->links - 1];
	int which = find(keys, key), error = 0;

	if (which < 0)
		return unknown(parse, "key", key, keys);
	if (which == 3)
		return between(parse, link, value);
	for (int i = 0; i < 2 && !error; i++)
		if (which == i || which == 2)
			error = add_words(parse, &link->words[i], &link->words_line[i], key, value);
	return error;
}

/* The event of this section at its n-th time for a link; NULL: no room. */
static struct wt_plan_event *event_for(struct parse *parse, uint64_t n, unsigned link)
{
	struct wt_plan *plan = parse->plan;
	wt_time at = parse->at + (wt_time)n * parse->every;
	struct wt_plan_event *event;

	for (unsigned i = parse->first_event; i < plan->events; i++)
		if (plan->event[i].at == at && plan->event[i].link == link)
			return &plan->event[i];
	if (plan->events == WT_PLAN_EVENTS)
		return NULL;
	event = &plan->event[plan->events++];
	*event = (struct wt_plan_event){.at = at, .section = parse->sections, .link = link, .flush = parse->flush,
					.line = parse->line};
	snprintf(event->note, sizeof(event->note), "%s", parse->note);
	return event;
}

/* note and queue: of the whole section, wherever they stand in it. */
static int of_section(struct parse *parse, bool queue, const char *value)
{
	static const char *const policies[] = {"keep", "flush", NULL};
	struct wt_plan *plan = parse->plan;
	int policy = queue ? find(policies, value) : parse->flush;

	if (policy < 0)
		return refuse(parse, "queue: '%.40s' is none of keep, flush", value);
	parse->flush = policy;
	if (!queue)
		snprintf(parse->note, sizeof(parse->note), "%s", value);
	for (unsigned i = parse->first_event; i < plan->events; i++) {
		plan->event[i].flush = parse->flush;
		snprintf(plan->event[i].note, sizeof(plan->event[i].note), "%s", parse->note);
	}
	return 0;
}

/* fwd, rev, both of the only link; NAME.fwd, NAME.rev, NAME.both of others. */
static int at_key(struct parse *parse, const char *key, const char *value)
{
	static const char *const keys[] = {"fwd", "rev", "both", "note", "queue", "NAME.fwd", "NAME.rev", "NAME.both", NULL};
	struct wt_plan *plan = parse->plan;
	const char *dot = strchr(key, '.'), *direction = dot ? dot + 1 : key;
	int which = find(keys, direction), link = 0, error = 0;
	char name[60];

	if (which < 0 || which > 4 || (which >= 3 && dot))
		return unknown(parse, "key", key, keys);
	if (which >= 3)
		return of_section(parse, which == 4, value);
	if (dot) {
		snprintf(name, sizeof(name), "%.*s", (int)(dot - key), key);
		link = wt_plan_find_link(plan, name);
	}
	if (link < 0 || (!dot && plan->links != 1))
		return refuse(parse, "%.40s: expected NAME.fwd, NAME.rev or NAME.both with the name of a link above", key);
	for (uint64_t n = 0; n < parse->times && !error; n++) {
		struct wt_plan_event *event = event_for(parse, n, (unsigned)link);

		if (!event)
			return refuse(parse, "there are at most %d changes", WT_PLAN_EVENTS);
		for (int i = 0; i < 2 && !error; i++)
			if (which == i || which == 2)
				error = add_words(parse, &event->words[i], &event->words_line[i], key, value);
	}
	return error;
}

/* A row: the words that hold from its time on. */
static int schedule_row(struct parse *parse, const char *key, const char *value)
{
	struct wt_plan_event *event;
	char why[300];

	if (wt_parse_time(key, &parse->at, why, sizeof(why)))
		return refuse(parse, "%s", why);
	if (parse->at < 0 || !parse->schedule.columns || (!parse->template[0] && !parse->template[1]))
		return refuse(parse, "a row begins with its time, not negative, and stands below \"columns\" and the words of fwd, rev or both");
	for (unsigned i = parse->section_events; i < parse->plan->events; i++)
		if (parse->plan->event[i].at == parse->at)
			return refuse(parse, "a row for the time %.40s stands above", key);
	parse->sections++;
	parse->every = 0;
	parse->note[0] = 0;
	parse->flush = false;
	parse->first_event = parse->plan->events;
	event = event_for(parse, 0, parse->scheduled);
	if (!event)
		return refuse(parse, "there are at most %d changes", WT_PLAN_EVENTS);
	for (unsigned i = 0; i < 2; i++) {
		if (!parse->template[i])
			continue;
		event->words[i] = wt_schedule_words(&parse->schedule, parse->template[i], value, why, sizeof(why));
		if (!event->words[i])
			return refuse(parse, "%s", why);
	}
	return 0;
}

static int schedule_key(struct parse *parse, const char *key, const char *value)
{
	static const char *const keys[] = {"fwd", "rev", "both", "columns", "TIME", NULL};
	int which = find(keys, key), error = 0;
	char why[300];

	if (*key >= '0' && *key <= '9')
		return parse->continued ? refuse(parse, "a row does not go on in the next line") : schedule_row(parse, key, value);
	if (which < 0 || which == 4)
		return unknown(parse, "key", key, keys);
	if (which == 3)
		return wt_schedule_columns(&parse->schedule, value, why, sizeof(why)) ? refuse(parse, "%s", why) : 0;
	for (int i = 0; i < 2 && !error; i++)
		if (which == i || which == 2)
			error = add_words(parse, &parse->template[i], NULL, key, value);
	return error;
}

static int on_key(void *user, const char *section, const char *key, const char *value)
{
	static int (*const readers[])(struct parse *, const char *, const char *) = {
		[SECTION_EMULATOR] = emulator_key, [SECTION_PORT] = port_key, [SECTION_ROUTER] = router_key,
		[SECTION_LINK] = link_key, [SECTION_AT] = at_key, [SECTION_SCHEDULE] = schedule_key};
	struct parse *parse = user;

	if (parse->failed)
		return 0;
	if (parse->section == SECTION_NONE)
		refuse(parse, "\"%.40s\" stands before any section, such as [emulator]", key);
	else if (parse->continued && parse->section != SECTION_LINK && parse->section != SECTION_AT &&
		 parse->section != SECTION_SCHEDULE)
		refuse(parse, "only words of a path go on in the next line");
	else
		readers[parse->section](parse, key, value);
	return !parse->failed;
}

int wt_plan_read(struct wt_plan *plan, const char *file, char *err, size_t err_len)
{
	struct parse parse = {.plan = plan, .file = fopen(file, "re")};
	int line;

	if (!parse.file) {
		snprintf(err, err_len, "%s: %s", file, strerror(errno));
		return -EINVAL;
	}
	line = wt_plan_text(&plan->file, file) ? -2 : ini_parse_stream(next_line, &parse, on_key, &parse);
	if (line > 0 && !parse.failed) {
		parse.line = (unsigned)line;
		refuse(&parse, "expected [SECTION] or key = value");
	}
	if (ferror(parse.file) && !parse.failed)
		refuse(&parse, "%s", strerror(errno));
	close_section(&parse);
	fclose(parse.file);
	free(parse.template[0]);
	free(parse.template[1]);
	if (line < 0 && !parse.failed)
		refuse(&parse, "out of memory");
	if (parse.failed) {
		snprintf(err, err_len, "%s:%u: %s", file, parse.bad_line ? parse.bad_line : 1, parse.why);
		return -EINVAL;
	}
	return 0;
}
