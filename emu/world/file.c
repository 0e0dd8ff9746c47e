/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world from an INI file. libinih does the lexing; lines are counted, and sections seen, where it asks for the next line, so
 * that an error names its line and a section without keys is one.
 */
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/file.h"
#include "stack/text/params.h"
#include "stack/text/units.h"

int wt_file_refuse(struct wt_world_file *file, const char *format, ...)
{
	va_list args;

	if (file->failed)
		return -EINVAL;
	va_start(args, format);
	vsnprintf(file->why, sizeof(file->why), format, args);
	va_end(args);
	file->failed = true;
	file->bad_line = file->line;
	return -EINVAL;
}

static const char *word_at(const void *list, size_t i)
{
	return ((const char *const *)list)[i];
}

int wt_world_unknown(const char *what, const char *word, const char *const *known, char *err, size_t err_len)
{
	const char *nearest = wt_nearest_word(word, word_at, known);
	char list[200] = "";

	for (unsigned i = 0; known[i]; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "", known[i]);
	if (nearest)
		snprintf(err, err_len, "%s \"%.40s\" is not known here; did you mean \"%s\"?", what, word, nearest);
	else
		snprintf(err, err_len, "%s \"%.40s\" is not known here; expected one of %s", what, word, list);
	return -EINVAL;
}

int wt_file_unknown(struct wt_world_file *file, const char *what, const char *word, const char *const *known)
{
	char why[300];

	wt_world_unknown(what, word, known, why, sizeof(why));
	return wt_file_refuse(file, "%s", why);
}

int wt_file_find(const char *const *list, const char *word)
{
	for (int i = 0; list[i]; i++)
		if (!strcmp(list[i], word))
			return i;
	return -1;
}

/* ---- sections ------------------------------------------------------------------------------------------ */

bool wt_file_good_name(struct wt_world_file *file, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	if (*name && strlen(name) < WT_WORLD_NAME && !name[strspn(name, letters)])
		return true;
	wt_file_refuse(file, "\"%.40s\" is not a name: expected 1 to %d letters, digits, - or _", name, WT_WORLD_NAME - 1);
	return false;
}

static int find_end(const struct wt_world *world, const char *name, struct wt_world_end *end)
{
	int host = wt_world_find_host(world, name), router;

	if (host >= 0)
		return *end = (struct wt_world_end){false, (unsigned)host}, 0;
	router = wt_world_find_router(world, name);
	if (router < 0)
		return -EINVAL;
	*end = (struct wt_world_end){true, (unsigned)router};
	return 0;
}

/* A host, a port or a router. */
static int open_end(struct wt_world_file *file, const char *name, enum wt_section section)
{
	struct wt_world *world = file->world;
	struct wt_world_router *router;
	struct wt_world_host *host;
	struct wt_world_end end;

	file->section = section;
	if (!wt_file_good_name(file, name))
		return -EINVAL;
	if (!find_end(world, name, &end))
		return wt_file_refuse(file, "there is a host, port or router \"%s\" already", name);
	if (section == WT_SECTION_ROUTER) {
		router = wt_world_add_router(world, name);
		if (!router)
			return wt_file_refuse(file, "out of memory");
		router->line = file->line;
		return 0;
	}
	host = wt_world_add_host(world, name);
	if (!host)
		return wt_file_refuse(file, "out of memory");
	host->port = section == WT_SECTION_PORT;
	host->line = file->line;
	return 0;
}

int wt_file_add_station(struct wt_world_file *file, const char *name)
{
	enum wt_section section = file->section;
	int error = open_end(file, name, WT_SECTION_HOST);

	file->section = section;
	if (!error)
		file->world->host[file->world->hosts - 1].station = true;
	return error;
}

static int open_link(struct wt_world_file *file, const char *name)
{
	struct wt_world_link *link;

	file->section = WT_SECTION_LINK;
	if (!*name)
		name = "main";
	if (!wt_file_good_name(file, name))
		return -EINVAL;
	if (wt_world_find_link(file->world, name) >= 0)
		return wt_file_refuse(file, "there is a link \"%s\" already", name);
	link = wt_world_add_link(file->world, name);
	if (!link)
		return wt_file_refuse(file, "out of memory");
	link->line = file->line;
	return 0;
}

int wt_file_open_only(struct wt_world_file *file, enum wt_section section, const char *header, const char *name)
{
	bool again = file->opened & 1u << section;

	file->section = section;
	file->opened |= 1u << section;
	if (*name)
		return wt_file_refuse(file, "[%s] takes no name: there is one in a file", header);
	return again ? wt_file_refuse(file, "there is a section [%s] above already", header) : 0;
}

static int open_section(struct wt_world_file *file, char *header)
{
	static const char *const known[] = {"emulator", "port", "host", "router", "link", "at", "schedule", "flow", "run", "air", "station",
					   "stations", NULL};
	char *name = header + strcspn(header, " \t");

	wt_file_close_changes(file);
	wt_file_close_flow(file);
	wt_file_close_stations(file);
	file->section_line = file->line;
	file->said[0] = 0;
	if (*name) {
		*name++ = 0;
		name += strspn(name, " \t");
	}
	switch (wt_file_find(known, header)) {
	case 0: return wt_file_open_only(file, WT_SECTION_EMULATOR, header, name);
	case 1: return open_end(file, name, WT_SECTION_PORT);
	case 2: return open_end(file, name, WT_SECTION_HOST);
	case 3: return open_end(file, name, WT_SECTION_ROUTER);
	case 4: return open_link(file, name);
	case 5: return wt_file_open_at(file, name);
	case 6: return wt_file_open_schedule(file, name);
	case 7: return wt_file_open_flow(file, name);
	case 8: return wt_file_open_run(file, name);
	case 9: return wt_file_open_air(file, name);
	case 10:
		file->section = WT_SECTION_STATION;
		return wt_file_add_station(file, name);
	case 11: return wt_file_open_stations(file, name);
	}
	return wt_file_unknown(file, "section", header, known);
}

/* What libinih reads lines with. */
static char *next_line(char *to, int room, void *stream)
{
	struct wt_world_file *file = stream;
	ssize_t len = getline(&file->text, &file->text_room, file->file);
	char *line = file->text, *at, *end;
	char header[120];

	if (len < 0)
		return NULL;
	file->line++;
	if (strlen(line) < (size_t)len) {
		wt_file_refuse(file, "a byte 0 follows \"%.40s\": expected text", line);
		return NULL;
	}
	if (len >= room) {
		wt_file_refuse(file, "the line has more than %d characters; it may go on in the next if that begins with a blank", room - 2);
		return NULL;
	}
	if (file->line == 1 && !strncmp(line, "\xef\xbb\xbf", 3)) /* the mark of UTF-8 that some editors write */
		line += 3;
	file->continued = *line == ' ' || *line == '\t';
	at = line + strspn(line, " \t");
	end = *at == '[' ? strchr(at, ']') : NULL;
	if (*at == '[' && !end && !file->continued)
		wt_file_refuse(file, "the name of a section ends with ], such as [emulator]");
	if (end && !file->continued && end[1 + strspn(end + 1, " \t\r\n")] && !strchr(";#", end[1 + strspn(end + 1, " \t\r\n")])) {
		wt_file_refuse(file, "\"%.*s\": expected nothing after the ] of a section", (int)strcspn(end + 1 + strspn(end + 1, " \t"), "\r\n"),
			       end + 1 + strspn(end + 1, " \t"));
	} else if (end && !file->continued) {
		snprintf(header, sizeof(header), "%.*s", (int)(end - at - 1), at + 1);
		open_section(file, header);
	}
	return strcpy(to, line);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

static int emulator_key(struct wt_world_file *file, const char *key, const char *value)
{
	char why[300];

	return file->emulator->take(file->emulator->arg, file->line, key, value, why, sizeof(why)) ? wt_file_refuse(file, "%s", why) : 0;
}

static int read_addresses(struct wt_world_file *file, const char *value, struct wt_addr addr[WT_FAMILIES], unsigned prefix[WT_FAMILIES])
{
	char why[300];

	return wt_world_addresses(value, addr, prefix, why, sizeof(why)) ? wt_file_refuse(file, "%s", why) : 0;
}

static int host_key(struct wt_world_file *file, const char *key, const char *value)
{
	static const char *const host_keys[] = {"interface", "gateway", "mtu", NULL}, *const port_keys[] = {"interface", "gateway", NULL};
	struct wt_world_host *host = &file->world->host[file->world->hosts - 1];
	const char *const *keys = host->port ? port_keys : host_keys;
	char why[300];
	uint64_t mtu;

	switch (wt_file_find(keys, key)) {
	case 0: return wt_world_place(host, WT_OUTSIDE, value, why, sizeof(why)) ? wt_file_refuse(file, "%s", why) : 0;
	case 1: return read_addresses(file, value, host->gateway, host->prefix);
	case 2:
		if (wt_parse_size(value, &mtu, why, sizeof(why)))
			return wt_file_refuse(file, "mtu: %s", why);
		if (mtu < 68 || mtu > 9000)
			return wt_file_refuse(file, "mtu: '%.40s': expected 68B to 9000B", value);
		host->mtu = (uint32_t)mtu;
		return 0;
	}
	return wt_file_unknown(file, "key", key, keys);
}

static int router_key(struct wt_world_file *file, const char *key, const char *value)
{
	static const char *const keys[] = {"address", NULL};

	if (wt_file_find(keys, key) < 0)
		return wt_file_unknown(file, "key", key, keys);
	return read_addresses(file, value, file->world->router[file->world->routers - 1].address, NULL);
}

int wt_file_add_words(struct wt_world_file *file, char **words, unsigned *line, const char *key, const char *value)
{
	unsigned last = line ? *line : 0;
	char *joined;

	if (*words && !file->continued)
		return wt_file_refuse(file, "%s: the words of a direction are given twice; both gives them to fwd and rev", key);
	if (!*words && line)
		*line = file->line;
	for (const char *end = line && *words ? *words : ""; *end; end++)
		last += *end == '\n';
	if (asprintf(&joined, "%s%*s%s", *words ? *words : "", *words ? line ? (int)(file->line - last) : 1 : 0, "", value) < 0)
		return wt_file_refuse(file, "out of memory");
	for (size_t at = *words ? strlen(*words) : 0; *words && line && last < file->line; last++)
		joined[at++] = '\n';
	free(*words);
	*words = joined;
	return 0;
}

int wt_file_two(struct wt_world_file *file, const char *key, const char *value, char text[80], char *word[2], const char *expected)
{
	char *rest = text, *one;
	unsigned count = 0;

	for (snprintf(text, 80, "%s", value); (one = strtok_r(rest, " \t", &rest)); count++)
		if (count < 2)
			word[count] = one;
	return count == 2 ? 0 : wt_file_refuse(file, "%s: '%.60s': expected %s", key, value, expected);
}

static int between(struct wt_world_file *file, struct wt_world_link *link, const char *value)
{
	char text[80], *word[2];

	if (wt_file_two(file, "between", value, text, word, "two names of hosts, ports or routers, such as between = a r1"))
		return -EINVAL;
	for (unsigned i = 0; i < 2; i++)
		if (find_end(file->world, word[i], &link->end[i]))
			return wt_file_refuse(file, "between: there is no host, port or router \"%.40s\" above", word[i]);
	if (!strcmp(word[0], word[1]))
		return wt_file_refuse(file, "between: a link has two different ends, not \"%.40s\" twice", word[0]);
	link->joined = true;
	return 0;
}

static int link_key(struct wt_world_file *file, const char *key, const char *value)
{
	static const char *const keys[] = {"fwd", "rev", "both", "between", NULL};
	struct wt_world_link *link = &file->world->link[file->world->links - 1];
	int which = wt_file_find(keys, key), error = 0;

	if (which < 0)
		return wt_file_unknown(file, "key", key, keys);
	if (which == 3)
		return between(file, link, value);
	for (int i = 0; i < 2 && !error; i++)
		if (which == i || which == 2)
			error = wt_file_add_words(file, &link->words[i], &link->words_line[i], key, value);
	return error;
}

/* Words of a direction say so themselves, as both gives them to two; a station goes more than once; a schedule has rows. */
static bool given_twice(struct wt_world_file *file, const char *key)
{
	char word[48];
	size_t len = strlen(file->said);

	if (file->continued || file->section == WT_SECTION_AT || file->section == WT_SECTION_SCHEDULE ||
	    (file->section == WT_SECTION_LINK && strcmp(key, "between") != 0) || !strcmp(key, "go"))
		return false;
	snprintf(word, sizeof(word), " %.40s ", key);
	if (strstr(file->said, word))
		return true;
	snprintf(file->said + len, sizeof(file->said) - len, "%s", word);
	return false;
}

static int on_key(void *user, const char *section, const char *key, const char *value)
{
	static int (*const readers[])(struct wt_world_file *, const char *, const char *) = {
		[WT_SECTION_EMULATOR] = emulator_key, [WT_SECTION_PORT] = host_key, [WT_SECTION_HOST] = host_key,
		[WT_SECTION_ROUTER] = router_key, [WT_SECTION_LINK] = link_key, [WT_SECTION_AT] = wt_file_at_key,
		[WT_SECTION_SCHEDULE] = wt_file_schedule_key, [WT_SECTION_FLOW] = wt_file_flow_key, [WT_SECTION_RUN] = wt_file_run_key,
		[WT_SECTION_AIR] = wt_file_air_key, [WT_SECTION_STATION] = wt_file_station_key, [WT_SECTION_STATIONS] = wt_file_stations_key};
	struct wt_world_file *file = user;

	if (file->failed)
		return 0;
	if (file->section == WT_SECTION_NONE)
		wt_file_refuse(file, "\"%.40s\" stands before any section, such as [emulator]", key);
	else if (file->continued && file->section != WT_SECTION_LINK && file->section != WT_SECTION_AT &&
		 file->section != WT_SECTION_SCHEDULE)
		wt_file_refuse(file, "only words of a path go on in the next line");
	else if (given_twice(file, key))
		wt_file_refuse(file, "%.40s is given twice in this section", key);
	else
		readers[file->section](file, key, value);
	return !file->failed;
}

static void read_all(struct wt_world_file *file, const char *name)
{
	int line = wt_world_text(&file->world->file, name) ? -2 : ini_parse_stream(next_line, file, on_key, file);

	if (line > 0 && !file->failed) {
		file->line = (unsigned)line;
		wt_file_refuse(file, "expected [SECTION] or key = value");
	}
	if (ferror(file->file) && !file->failed)
		wt_file_refuse(file, "%s", strerror(errno));
	wt_file_close_changes(file);
	wt_file_close_flow(file);
	wt_file_close_stations(file);
	if (line < 0 && !file->failed)
		wt_file_refuse(file, "out of memory");
}

static int read_stream(struct wt_world *world, FILE *stream, const char *name, const struct wt_world_keys *emulator, char *err, size_t err_len)
{
	struct wt_world_file file = {.world = world, .emulator = emulator, .file = stream};

	if (!file.file) {
		snprintf(err, err_len, "%s: %s", name, strerror(errno));
		return -EINVAL;
	}
	read_all(&file, name);
	fclose(file.file);
	free(file.text);
	free(file.template[0]);
	free(file.template[1]);
	free(file.note);
	if (!file.failed)
		return 0;
	snprintf(err, err_len, "%s:%u: %s", name, file.bad_line ? file.bad_line : 1, file.why);
	return -EINVAL;
}

int wt_world_read(struct wt_world *world, const char *name, const struct wt_world_keys *emulator, char *err, size_t err_len)
{
	return read_stream(world, fopen(name, "re"), name, emulator, err, err_len);
}

int wt_world_parse(struct wt_world *world, const char *text, const char *name, const struct wt_world_keys *emulator, char *err, size_t err_len)
{
	return read_stream(world, fmemopen((char *)(uintptr_t)text, strlen(text), "r"), name, emulator, err, err_len);
}
