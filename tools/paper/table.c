/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/words/ini_text.h"

#define TEXT_MAX 65536
#define BASE_DEPTH 4

const struct wt_paper_metric wt_paper_metrics[WT_PAPER_METRICS] = {
	[WT_PAPER_GOODPUT] = {"goodput", "KB/s", "kBps", "goodput in KB/s (1000 bytes)"},
	[WT_PAPER_SUCCESS] = {"success", "%", "percent", "successful reads of the application in %"},
	[WT_PAPER_TOKENS] = {"tokens", "KB", "kB", "tokens used per round trip in KB (one token: a packet of 1 KB)"},
};

struct parse {
	struct wt_ini ini; /* first: what is told of an entry leads back to this */
	struct wt_paper *paper;
	bool begun, based; /* there was an entry; it was `base` */
	unsigned depth; /* of tables based on tables */
};

static int parse_text(const char *text, const char *name, unsigned depth, struct wt_paper *paper, char *err, size_t err_len);
static int load(const char *id, unsigned depth, struct wt_paper *paper, char *err, size_t err_len);

/* Loads the table that the value names. */
static int load_other(struct parse *parse, struct wt_paper *out)
{
	char why[sizeof(parse->ini.why) - sizeof(parse->ini.key)];
	int error = parse->depth < BASE_DEPTH ? load(parse->ini.value, parse->depth + 1, out, why, sizeof(why)) : -ELOOP;

	if (!error)
		return 0;
	if (error != -ELOOP)
		return wt_ini_refuse(&parse->ini, "%s: %s", parse->ini.key, why);
	wt_ini_refuse(&parse->ini, "%s: a chain of more than %d tables, or one that leads back to itself", parse->ini.key, BASE_DEPTH);
	return error;
}

/* Everything of another table but its rows. What the file said before would be lost, so it comes first. */
static int take_base(struct parse *parse, bool begun)
{
	struct wt_paper *paper = parse->paper;
	int error;

	if (begun)
		return wt_ini_refuse(&parse->ini, "'base' takes over all of another table: expected it as the first key of the file");
	error = load_other(parse, paper);
	if (error)
		return error;
	parse->based = true;
	*paper->id = *paper->title = *paper->figure = '\0';
	paper->points = 0;
	memset(paper->point, 0, sizeof(paper->point));
	return 0;
}

/* The rows of another table with its printed numbers, where only the set-up differs. */
static int take_rows(struct parse *parse)
{
	struct wt_paper *from = malloc(sizeof(*from)), *paper = parse->paper;
	int error = from ? load_other(parse, from) : -ENOMEM;

	if (!error) {
		paper->points = from->points;
		memcpy(paper->point, from->point, sizeof(paper->point));
	}
	free(from);
	return error;
}

static int take_metric(struct parse *parse)
{
	struct wt_paper *paper = parse->paper;

	if (paper->points)
		return wt_ini_refuse(&parse->ini, "'metric' comes before the points");
	for (unsigned i = 0; i < WT_PAPER_METRICS; i++)
		if (!strcmp(parse->ini.value, wt_paper_metrics[i].name)) {
			paper->metric = i;
			return 0;
		}
	return wt_ini_refuse(&parse->ini, "no metric '%s'; known: goodput, success, tokens", parse->ini.value);
}

static int table_key(struct parse *parse)
{
	struct wt_paper *paper = parse->paper;
	const char *key = parse->ini.key, *value = parse->ini.value;

	if (!strcmp(key, "rows"))
		return take_rows(parse);
	if (!strcmp(key, "metric"))
		return take_metric(parse);
	if (!strcmp(key, "figure"))
		return wt_ini_copy(&parse->ini, paper->figure, sizeof(paper->figure));
	if (!strcmp(key, "unavailable"))
		return wt_ini_copy(&parse->ini, paper->unavailable, sizeof(paper->unavailable));
	if (!strcmp(key, "id"))
		return wt_ini_copy(&parse->ini, paper->id, sizeof(paper->id));
	if (!strcmp(key, "title"))
		return wt_ini_copy(&parse->ini, paper->title, sizeof(paper->title));
	if (!strcmp(key, "source"))
		return wt_ini_copy(&parse->ini, paper->source, sizeof(paper->source));
	if (!strcmp(key, "axis"))
		return wt_ini_copy(&parse->ini, paper->axis, sizeof(paper->axis));
	if (!strcmp(key, "size"))
		return wt_parse_size(value, &paper->size, parse->ini.why, sizeof(parse->ini.why));
	if (!strcmp(key, "limit"))
		return wt_parse_time(value, &paper->limit, parse->ini.why, sizeof(parse->ini.why));
	if (!strcmp(key, "seed"))
		return wt_parse_count(value, &paper->seed, parse->ini.why, sizeof(parse->ini.why));
	if (!strcmp(key, "repeats"))
		return wt_parse_count(value, &paper->repeats, parse->ini.why, sizeof(parse->ini.why));
	return wt_ini_refuse(&parse->ini, "unknown key '%s' in [table]", key);
}

static int variant_key(struct parse *parse, const char *name)
{
	struct wt_paper *paper = parse->paper;
	struct wt_paper_variant *variant = NULL;

	for (unsigned i = 0; i < paper->variants; i++)
		if (!strcmp(paper->variant[i].name, name))
			variant = &paper->variant[i];
	if (!variant) {
		if (paper->variants == WT_PAPER_VARIANTS || strlen(name) >= sizeof(variant->name))
			return wt_ini_refuse(&parse->ini, "too many variants, or '%s' is too long a name", name);
		variant = &paper->variant[paper->variants++];
		snprintf(variant->name, sizeof(variant->name), "%s", name);
		snprintf(variant->label, sizeof(variant->label), "%s", name);
	}
	if (!strcmp(parse->ini.key, "label"))
		return wt_ini_copy(&parse->ini, variant->label, sizeof(variant->label));
	if (!strcmp(parse->ini.key, "sender"))
		return wt_ini_copy(&parse->ini, variant->sender, sizeof(variant->sender));
	if (!strcmp(parse->ini.key, "recovery"))
		return wt_ini_copy(&parse->ini, variant->recovery, sizeof(variant->recovery));
	if (!strcmp(parse->ini.key, "receiver"))
		return wt_ini_copy(&parse->ini, variant->receiver, sizeof(variant->receiver));
	return wt_ini_refuse(&parse->ini, "unknown key '%s' of variant %s", parse->ini.key, name);
}

/* "237.65 KB/s 22.06 s", "91.9 %", "11.12 KB", or "-" where nothing is printed */
static int published(struct parse *parse, struct wt_paper_cell *cell)
{
	const char *unit = wt_paper_metrics[parse->paper->metric].unit;
	bool timed = parse->paper->metric == WT_PAPER_GOODPUT;
	size_t len = strlen(unit);
	int used = 0, more = 0;
	const char *rest;

	if (!strcmp(parse->ini.value, "-"))
		return 0;
	if (sscanf(parse->ini.value, "%lf %n", &cell->value, &used) == 1 && used && cell->value > 0) {
		rest = parse->ini.value + used;
		if (!strncmp(rest, unit, len)) {
			rest += len;
			if (timed && sscanf(rest, " %lf s%n", &cell->time, &more) == 1 && more && !rest[more] && cell->time > 0)
				return 0;
			if (!timed && !*rest)
				return 0;
		}
	}
	return wt_ini_refuse(&parse->ini, "'%s': expected %s", parse->ini.value,
		      timed ? "a goodput and a time, such as 237.65 KB/s 22.06 s" :
		      parse->paper->metric == WT_PAPER_SUCCESS ? "a share such as 91.9 %" : "tokens such as 11.12 KB");
}

static int point_key(struct parse *parse, const char *label)
{
	struct wt_paper *paper = parse->paper;
	struct wt_paper_point *point = paper->points ? &paper->point[paper->points - 1] : NULL;
	const char *suspect = wt_ini_name(parse->ini.key, "suspect");

	if (!point || strcmp(point->label, label)) {
		if (paper->points == WT_PAPER_POINTS || strlen(label) >= sizeof(point->label))
			return wt_ini_refuse(&parse->ini, "too many points, or '%s' is too long a label", label);
		point = &paper->point[paper->points++];
		snprintf(point->label, sizeof(point->label), "%s", label);
		for (unsigned i = 0; i < WT_PAPER_VARIANTS; i++)
			point->cell[i].value = point->cell[i].time = NAN;
	}
	if (!strcmp(parse->ini.key, "p"))
		return wt_ini_copy(&parse->ini, point->p, sizeof(point->p));
	if (!strcmp(parse->ini.key, "note"))
		return wt_ini_copy(&parse->ini, point->note, sizeof(point->note));
	for (unsigned i = 0; i < paper->variants; i++) {
		if (!strcmp(parse->ini.key, paper->variant[i].name))
			return published(parse, &point->cell[i]);
		if (suspect && !strcmp(suspect, paper->variant[i].name))
			return wt_ini_copy(&parse->ini, point->cell[i].suspect, sizeof(point->cell[i].suspect));
	}
	return wt_ini_refuse(&parse->ini, "unknown key '%s' of point %s (variants come before points)", parse->ini.key, label);
}

static int parameter_key(struct parse *parse)
{
	struct wt_paper *paper = parse->paper;
	struct wt_paper_parameter *parameter = NULL;

	for (unsigned i = 0; i < paper->parameters; i++)
		if (!strcmp(paper->parameter[i].name, parse->ini.key))
			parameter = &paper->parameter[i];
	if (!parameter) {
		if (paper->parameters == WT_PAPER_PARAMETERS || strlen(parse->ini.key) >= sizeof(parameter->name))
			return wt_ini_refuse(&parse->ini, "too many parameters, or '%s' is too long a name", parse->ini.key);
		parameter = &paper->parameter[paper->parameters++];
		strcpy(parameter->name, parse->ini.key);
	}
	return wt_ini_copy(&parse->ini, parameter->text, sizeof(parameter->text));
}

static struct wt_paper_change *change_named(struct wt_paper *paper, const char *kind, const char *name)
{
	char full[96];

	snprintf(full, sizeof(full), "%s-%s", kind, name);
	for (unsigned i = 0; i < paper->changes; i++)
		if (!strcmp(paper->change[i].name, full))
			return &paper->change[i];
	if (paper->changes == WT_PAPER_CHANGES || strlen(full) >= sizeof(paper->change[0].name))
		return NULL;
	memset(&paper->change[paper->changes], 0, sizeof(paper->change[0]));
	strcpy(paper->change[paper->changes].name, full);
	return &paper->change[paper->changes++];
}

/* [without RULE], [under PRESET]: text, preset, settings, and for a protocol "sender NAME", "recovery NAME", "receiver NAME". */
static int change_key(struct parse *parse, const char *kind, const char *name)
{
	struct wt_paper *paper = parse->paper;
	struct wt_paper_change *change = change_named(paper, kind, name);
	struct wt_ini *ini = &parse->ini;

	if (!change)
		return wt_ini_refuse(ini, "too many changes, or '%s' is too long a name", name);
	if (!strcmp(ini->key, "text"))
		return wt_ini_copy(ini, change->text, sizeof(change->text));
	if (!strcmp(ini->key, "preset"))
		return wt_ini_copy(ini, change->preset, sizeof(change->preset));
	if (!strcmp(ini->key, "settings"))
		return wt_ini_copy(ini, change->settings, sizeof(change->settings));
	for (unsigned i = 0; i < paper->variants; i++) {
		const struct {
			const char *word;
			char *out;
		} keys[] = {{"sender", change->variant[i].sender}, {"recovery", change->variant[i].recovery},
			    {"receiver", change->variant[i].receiver}};

		for (unsigned k = 0; k < 3; k++) {
			const char *of = wt_ini_name(ini->key, keys[k].word);

			if (of && !strcmp(of, paper->variant[i].name))
				return wt_ini_copy(ini, keys[k].out, sizeof(change->variant[i].sender));
		}
	}
	return wt_ini_refuse(ini, "unknown key '%s' of [%s %s] (variants come before it)", ini->key, kind, name);
}

static int take(struct wt_ini *ini)
{
	struct parse *parse = (struct parse *)ini;
	struct wt_paper *paper = parse->paper;
	const char *name;
	bool begun = parse->begun;

	parse->begun = true;
	if (!strcmp(ini->section, "table") && !strcmp(ini->key, "base"))
		return take_base(parse, begun);
	if (!strcmp(parse->ini.section, "table"))
		return table_key(parse);
	if (!strcmp(parse->ini.section, "path") && !strcmp(parse->ini.key, "fwd"))
		return wt_ini_copy(&parse->ini, paper->fwd, sizeof(paper->fwd));
	if (!strcmp(parse->ini.section, "path") && !strcmp(parse->ini.key, "rev"))
		return wt_ini_copy(&parse->ini, paper->rev, sizeof(paper->rev));
	if (!strcmp(parse->ini.section, "hosts") && !strcmp(parse->ini.key, "preset"))
		return wt_ini_copy(&parse->ini, paper->preset, sizeof(paper->preset));
	if (!strcmp(parse->ini.section, "hosts") && !strcmp(parse->ini.key, "settings"))
		return wt_ini_copy(&parse->ini, paper->settings, sizeof(paper->settings));
	if (!strcmp(parse->ini.section, "application") && !strcmp(parse->ini.key, "app"))
		return wt_ini_copy(&parse->ini, paper->app, sizeof(paper->app));
	if (!strcmp(parse->ini.section, "application") && !strcmp(parse->ini.key, "meter"))
		return wt_ini_copy(&parse->ini, paper->meter, sizeof(paper->meter));
	if (!strcmp(parse->ini.section, "parameters"))
		return parameter_key(parse);
	name = wt_ini_name(parse->ini.section, "variant");
	if (name)
		return variant_key(parse, name);
	name = wt_ini_name(parse->ini.section, "point");
	if (name)
		return point_key(parse, name);
	name = wt_ini_name(parse->ini.section, "without");
	if (name)
		return change_key(parse, "without", name);
	name = wt_ini_name(parse->ini.section, "under");
	if (name)
		return change_key(parse, "under", name);
	return wt_ini_refuse(&parse->ini, "unknown section or key: [%s] %s", parse->ini.section, parse->ini.key);
}

static int missing(struct parse *parse)
{
	const struct wt_paper *paper = parse->paper;

	return wt_ini_refuse(&parse->ini, "missing:%s%s%s%s%s%s%s", *paper->id ? "" : " id", *paper->title ? "" : " title",
			     paper->size ? "" : " size", paper->repeats ? "" : " repeats", paper->limit ? "" : " limit",
			     *paper->fwd ? "" : " fwd (in [path])", parse->based ? "; a base does not give id and title" : "");
}

static int complete(struct parse *parse)
{
	const struct wt_paper *paper = parse->paper;

	if (*paper->unavailable)
		return wt_ini_refuse(&parse->ini, "%s", paper->unavailable);
	if (!*paper->id || !*paper->title || !*paper->fwd || !paper->size || !paper->repeats || !paper->limit)
		return missing(parse);
	if (!paper->variants)
		return wt_ini_refuse(&parse->ini, "no variant: expected [variant NAME]");
	if (!paper->points)
		return wt_ini_refuse(&parse->ini, "no row%s: expected [point LABEL], or rows = TABLE in [table]",
				     parse->based ? " (a base does not give its own)" : "");
	for (unsigned i = 0; i < paper->variants; i++)
		if (!*paper->variant[i].sender)
			return wt_ini_refuse(&parse->ini, "variant %s has no sender", paper->variant[i].name);
	for (unsigned i = 0; i < paper->points; i++)
		if (!*paper->point[i].p)
			return wt_ini_refuse(&parse->ini, "point %s has no p", paper->point[i].label);
	return 0;
}

static int parse_text(const char *text, const char *name, unsigned depth, struct wt_paper *paper, char *err, size_t err_len)
{
	struct parse parse = {.ini.take = take, .paper = paper, .depth = depth};
	int error;

	memset(paper, 0, sizeof(*paper));
	error = wt_ini_parse(&parse.ini, text, name, err, err_len);
	if (error)
		return error;
	if (complete(&parse)) {
		snprintf(err, err_len, "%s: %s", name, parse.ini.why);
		return *paper->unavailable ? -ENODATA : -EINVAL;
	}
	return 0;
}

int wt_paper_parse(const char *text, const char *name, struct wt_paper *paper, char *err, size_t err_len)
{
	return parse_text(text, name, 0, paper, err, err_len);
}

static int load_file(const char *path, unsigned depth, struct wt_paper *paper, char *err, size_t err_len)
{
	FILE *file = fopen(path, "re");
	char *text;
	size_t len;
	int error;

	if (!file) {
		error = -errno;
		snprintf(err, err_len, "%s: %s", path, strerror(-error));
		return error;
	}
	text = calloc(1, TEXT_MAX + 1);
	len = text ? fread(text, 1, TEXT_MAX, file) : 0;
	if (!text || ferror(file) || !feof(file)) {
		error = !text ? -ENOMEM : ferror(file) ? -EIO : -EFBIG;
		snprintf(err, err_len, "%s: %s", path, strerror(-error));
	} else if (memchr(text, 0, len)) {
		error = -EINVAL;
		snprintf(err, err_len, "%s: not a text file", path);
	} else {
		error = parse_text(text, path, depth, paper, err, err_len);
	}
	free(text);
	fclose(file);
	return error;
}

static int load(const char *id, unsigned depth, struct wt_paper *paper, char *err, size_t err_len)
{
	const char *data = getenv("WAVETANK_DATA");
	size_t len = strlen(id);
	char path[512];

	if (len > 4 && !strcmp(id + len - 4, ".ini"))
		return load_file(id, depth, paper, err, err_len);
	if (data && *data && !strstr(id, "..")) {
		int error;

		snprintf(path, sizeof(path), "%s/papers/%s.ini", data, id);
		error = load_file(path, depth, paper, err, err_len);
		if (error != -ENOENT)
			return error;
	}
	for (unsigned i = 0; wt_paper_files[i].id; i++)
		if (!strcmp(wt_paper_files[i].id, id))
			return parse_text(wt_paper_files[i].text, id, depth, paper, err, err_len);
	snprintf(err, err_len, "no published table '%s'; 'wavetank paper list' names them", id);
	return -ENOENT;
}

/* A figure that plots the numbers of a table is that table. */
static int load_plotted(const char *id, struct wt_paper *paper)
{
	char ignored[400];

	for (unsigned i = 0; wt_paper_files[i].id; i++)
		if (strstr(wt_paper_files[i].text, id) && load(wt_paper_files[i].id, 0, paper, ignored, sizeof(ignored)) == 0 &&
		    !strcmp(paper->figure, id))
			return 0;
	return -ENOENT;
}

int wt_paper_load(const char *id, struct wt_paper *paper, char *err, size_t err_len)
{
	int error = load(id, 0, paper, err, err_len);

	return error == -ENOENT && *id && load_plotted(id, paper) == 0 ? 0 : error;
}

void wt_paper_words(const char *words, const char *p, char *out, size_t len)
{
	size_t at = 0;

	*out = '\0';
	while (*words && at + 1 < len) {
		if (!strncmp(words, "{p}", 3)) {
			at += (size_t)snprintf(out + at, len - at, "%s", p);
			words += 3;
		} else {
			out[at++] = *words++;
			out[at] = '\0';
		}
	}
}
