/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper_table.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/units.h"

#define TEXT_MAX 65536
#define BASE_DEPTH 4

const struct wt_paper_metric wt_paper_metrics[WT_PAPER_METRICS] = {
	[WT_PAPER_GOODPUT] = {"goodput", "KB/s", "kBps", "goodput in KB/s (1000 bytes)"},
	[WT_PAPER_SUCCESS] = {"success", "%", "percent", "successful reads of the application in %"},
	[WT_PAPER_TOKENS] = {"tokens", "KB", "kB", "tokens used per round trip in KB (one token: a packet of 1 KB)"},
};

struct parse {
	struct wt_paper *paper;
	char section[80], key[80]; /* of the line before: the same again is a continuation */
	char value[600];
	bool failed;
	unsigned depth; /* of tables based on tables */
	char why[300];
};

static int parse_text(const char *text, const char *name, unsigned depth, struct wt_paper *paper, char *err, size_t err_len);
static int load(const char *id, unsigned depth, struct wt_paper *paper, char *err, size_t err_len);


static int refuse(struct parse *parse, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(parse->why, sizeof(parse->why), format, ap);
	va_end(ap);
	return -EINVAL;
}

static int copy(struct parse *parse, char *out, size_t len)
{
	if (strlen(parse->value) >= len)
		return refuse(parse, "value of '%s' is longer than %zu characters", parse->key, len - 1);
	snprintf(out, len, "%s", parse->value);
	return 0;
}

/* A pointer to the text after "word " if section is "word NAME". */
static const char *name_after(const char *section, const char *word)
{
	size_t len = strlen(word);

	return strncmp(section, word, len) == 0 && section[len] == ' ' ? section + len + 1 : NULL;
}

/* Everything of another table but its rows. What [table] said before `base` would be lost, so it comes first. */
static int take_base(struct parse *parse)
{
	struct wt_paper *paper = parse->paper;

	if (*paper->id || paper->variants || *paper->fwd)
		return refuse(parse, "'base' must be the first key of the file");
	if (parse->depth >= BASE_DEPTH)
		return refuse(parse, "tables based on tables more than %d deep", BASE_DEPTH);
	if (load(parse->value, parse->depth + 1, paper, parse->why, sizeof(parse->why)))
		return -EINVAL;
	*paper->id = *paper->title = *paper->figure = '\0';
	paper->points = 0;
	memset(paper->point, 0, sizeof(paper->point));
	return 0;
}

/* The rows of another table with its printed numbers, where only the set-up differs. */
static int take_rows(struct parse *parse)
{
	struct wt_paper *from, *paper = parse->paper;
	int error;

	if (parse->depth >= BASE_DEPTH)
		return refuse(parse, "tables based on tables more than %d deep", BASE_DEPTH);
	from = malloc(sizeof(*from));
	error = from ? load(parse->value, parse->depth + 1, from, parse->why, sizeof(parse->why)) : -ENOMEM;
	if (!error) {
		paper->points = from->points;
		memcpy(paper->point, from->point, sizeof(paper->point));
	}
	free(from);
	return error ? -EINVAL : 0;
}

static int take_metric(struct parse *parse)
{
	struct wt_paper *paper = parse->paper;

	if (paper->points)
		return refuse(parse, "'metric' comes before the points");
	for (unsigned i = 0; i < WT_PAPER_METRICS; i++)
		if (!strcmp(parse->value, wt_paper_metrics[i].name)) {
			paper->metric = i;
			return 0;
		}
	return refuse(parse, "no metric '%s'; known: goodput, success, tokens", parse->value);
}

static int table_key(struct parse *parse)
{
	struct wt_paper *paper = parse->paper;
	const char *key = parse->key, *value = parse->value;

	if (!strcmp(key, "base"))
		return take_base(parse);
	if (!strcmp(key, "rows"))
		return take_rows(parse);
	if (!strcmp(key, "metric"))
		return take_metric(parse);
	if (!strcmp(key, "figure"))
		return copy(parse, paper->figure, sizeof(paper->figure));
	if (!strcmp(key, "unavailable"))
		return copy(parse, paper->unavailable, sizeof(paper->unavailable));
	if (!strcmp(key, "id"))
		return copy(parse, paper->id, sizeof(paper->id));
	if (!strcmp(key, "title"))
		return copy(parse, paper->title, sizeof(paper->title));
	if (!strcmp(key, "source"))
		return copy(parse, paper->source, sizeof(paper->source));
	if (!strcmp(key, "axis"))
		return copy(parse, paper->axis, sizeof(paper->axis));
	if (!strcmp(key, "size"))
		return wt_parse_size(value, &paper->size, parse->why, sizeof(parse->why));
	if (!strcmp(key, "limit"))
		return wt_parse_time(value, &paper->limit, parse->why, sizeof(parse->why));
	if (!strcmp(key, "seed"))
		return wt_parse_count(value, &paper->seed, parse->why, sizeof(parse->why));
	if (!strcmp(key, "repeats"))
		return wt_parse_count(value, &paper->repeats, parse->why, sizeof(parse->why));
	return refuse(parse, "unknown key '%s' in [table]", key);
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
			return refuse(parse, "too many variants, or '%s' is too long a name", name);
		variant = &paper->variant[paper->variants++];
		snprintf(variant->name, sizeof(variant->name), "%s", name);
		snprintf(variant->label, sizeof(variant->label), "%s", name);
	}
	if (!strcmp(parse->key, "label"))
		return copy(parse, variant->label, sizeof(variant->label));
	if (!strcmp(parse->key, "sender"))
		return copy(parse, variant->sender, sizeof(variant->sender));
	if (!strcmp(parse->key, "recovery"))
		return copy(parse, variant->recovery, sizeof(variant->recovery));
	if (!strcmp(parse->key, "receiver"))
		return copy(parse, variant->receiver, sizeof(variant->receiver));
	return refuse(parse, "unknown key '%s' of variant %s", parse->key, name);
}

/* "237.65 KB/s 22.06 s", "91.9 %", "11.12 KB", or "-" where nothing is printed */
static int published(struct parse *parse, struct wt_paper_cell *cell)
{
	const char *unit = wt_paper_metrics[parse->paper->metric].unit;
	bool timed = parse->paper->metric == WT_PAPER_GOODPUT;
	size_t len = strlen(unit);
	int used = 0, more = 0;
	const char *rest;

	if (!strcmp(parse->value, "-"))
		return 0;
	if (sscanf(parse->value, "%lf %n", &cell->value, &used) == 1 && used && cell->value > 0) {
		rest = parse->value + used;
		if (!strncmp(rest, unit, len)) {
			rest += len;
			if (timed && sscanf(rest, " %lf s%n", &cell->time, &more) == 1 && more && !rest[more] && cell->time > 0)
				return 0;
			if (!timed && !*rest)
				return 0;
		}
	}
	return refuse(parse, "'%s': expected %s", parse->value,
		      timed ? "a goodput and a time, such as 237.65 KB/s 22.06 s" :
		      parse->paper->metric == WT_PAPER_SUCCESS ? "a share such as 91.9 %" : "tokens such as 11.12 KB");
}

static int point_key(struct parse *parse, const char *label)
{
	struct wt_paper *paper = parse->paper;
	struct wt_paper_point *point = paper->points ? &paper->point[paper->points - 1] : NULL;
	const char *suspect = name_after(parse->key, "suspect");

	if (!point || strcmp(point->label, label)) {
		if (paper->points == WT_PAPER_POINTS || strlen(label) >= sizeof(point->label))
			return refuse(parse, "too many points, or '%s' is too long a label", label);
		point = &paper->point[paper->points++];
		snprintf(point->label, sizeof(point->label), "%s", label);
		for (unsigned i = 0; i < WT_PAPER_VARIANTS; i++)
			point->cell[i].value = point->cell[i].time = NAN;
	}
	if (!strcmp(parse->key, "p"))
		return copy(parse, point->p, sizeof(point->p));
	if (!strcmp(parse->key, "note"))
		return copy(parse, point->note, sizeof(point->note));
	for (unsigned i = 0; i < paper->variants; i++) {
		if (!strcmp(parse->key, paper->variant[i].name))
			return published(parse, &point->cell[i]);
		if (suspect && !strcmp(suspect, paper->variant[i].name))
			return copy(parse, point->cell[i].suspect, sizeof(point->cell[i].suspect));
	}
	return refuse(parse, "unknown key '%s' of point %s (variants come before points)", parse->key, label);
}

static int parameter_key(struct parse *parse)
{
	struct wt_paper *paper = parse->paper;
	struct wt_paper_parameter *parameter = NULL;

	for (unsigned i = 0; i < paper->parameters; i++)
		if (!strcmp(paper->parameter[i].name, parse->key))
			parameter = &paper->parameter[i];
	if (!parameter) {
		if (paper->parameters == WT_PAPER_PARAMETERS || strlen(parse->key) >= sizeof(parameter->name))
			return refuse(parse, "too many parameters, or '%s' is too long a name", parse->key);
		parameter = &paper->parameter[paper->parameters++];
		strcpy(parameter->name, parse->key);
	}
	return copy(parse, parameter->text, sizeof(parameter->text));
}

static int take(struct parse *parse)
{
	struct wt_paper *paper = parse->paper;
	const char *name;

	if (!strcmp(parse->section, "table"))
		return table_key(parse);
	if (!strcmp(parse->section, "path") && !strcmp(parse->key, "fwd"))
		return copy(parse, paper->fwd, sizeof(paper->fwd));
	if (!strcmp(parse->section, "path") && !strcmp(parse->key, "rev"))
		return copy(parse, paper->rev, sizeof(paper->rev));
	if (!strcmp(parse->section, "hosts") && !strcmp(parse->key, "preset"))
		return copy(parse, paper->preset, sizeof(paper->preset));
	if (!strcmp(parse->section, "hosts") && !strcmp(parse->key, "settings"))
		return copy(parse, paper->settings, sizeof(paper->settings));
	if (!strcmp(parse->section, "application") && !strcmp(parse->key, "app"))
		return copy(parse, paper->app, sizeof(paper->app));
	if (!strcmp(parse->section, "application") && !strcmp(parse->key, "meter"))
		return copy(parse, paper->meter, sizeof(paper->meter));
	if (!strcmp(parse->section, "parameters"))
		return parameter_key(parse);
	name = name_after(parse->section, "variant");
	if (name)
		return variant_key(parse, name);
	name = name_after(parse->section, "point");
	if (name)
		return point_key(parse, name);
	return refuse(parse, "unknown section or key: [%s] %s", parse->section, parse->key);
}

/* libinih calls again with the same name for every continuation line: the value grows, and is taken anew. */
static int on_line(void *arg, const char *section, const char *key, const char *value)
{
	struct parse *parse = arg;
	bool more = !strcmp(section, parse->section) && !strcmp(key, parse->key);
	size_t len = more ? strlen(parse->value) : 0;

	if (parse->failed)
		return 0; /* it goes on after an error; the first one is told */
	snprintf(parse->section, sizeof(parse->section), "%s", section);
	snprintf(parse->key, sizeof(parse->key), "%s", key);
	if (len + strlen(value) + 2 > sizeof(parse->value)) {
		refuse(parse, "value of '%s' is too long", key);
		parse->failed = true;
		return 0;
	}
	snprintf(parse->value + len, sizeof(parse->value) - len, "%s%s", more ? " " : "", value);
	parse->failed = take(parse) != 0;
	return !parse->failed;
}

static int complete(struct parse *parse)
{
	const struct wt_paper *paper = parse->paper;

	if (*paper->unavailable)
		return refuse(parse, "%s", paper->unavailable);
	if (!*paper->id || !*paper->title || !*paper->fwd || !paper->size || !paper->repeats || !paper->limit)
		return refuse(parse, "[table] needs id, title, size, repeats and limit, and [path] needs fwd");
	if (!paper->points || !paper->variants)
		return refuse(parse, "no variant or no point");
	for (unsigned i = 0; i < paper->variants; i++)
		if (!*paper->variant[i].sender)
			return refuse(parse, "variant %s has no sender", paper->variant[i].name);
	for (unsigned i = 0; i < paper->points; i++)
		if (!*paper->point[i].p)
			return refuse(parse, "point %s has no p", paper->point[i].label);
	return 0;
}

static int parse_text(const char *text, const char *name, unsigned depth, struct wt_paper *paper, char *err, size_t err_len)
{
	struct parse parse = {.paper = paper, .depth = depth};
	int line;

	memset(paper, 0, sizeof(*paper));
	line = ini_parse_string(text, on_line, &parse);
	if (line) {
		snprintf(err, err_len, "%s:%d: %s", name, line, *parse.why ? parse.why : "neither [section] nor name = value");
		return -EINVAL;
	}
	if (complete(&parse)) {
		snprintf(err, err_len, "%s: %s", name, parse.why);
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
