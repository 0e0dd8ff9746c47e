/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/words/netem.h"
#include "emu/words/reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "emu/path_parts.h"
#include "stack/text/params.h"
#include "stack/text/units.h"

static const char bar[] = "|";

const char *const wt_reader_stages[] = {"hops",    "mtu",       "rate",      "outage",  "handoff", "loss",
					"corrupt", "duplicate", "reorder", "delay",   NULL};

int wt_reader_complain(struct wt_reader *reader, const char *format, ...)
{
	unsigned line = reader->about ? reader->line[reader->about - 1] : 1;
	size_t n = 0;
	va_list args;

	va_start(args, format);
	if (reader->err_len && line > 1)
		n = (size_t)snprintf(reader->err, reader->err_len, "line %u: ", line);
	if (n < reader->err_len)
		vsnprintf(reader->err + n, reader->err_len - n, format, args);
	va_end(args);
	return -EINVAL;
}

unsigned wt_reader_about(struct wt_reader *reader, unsigned i)
{
	reader->about = i + 1;
	return reader->place[i];
}

static int split(struct wt_reader *reader, const char *text, unsigned line)
{
	char *to = reader->buffer;
	unsigned place = 0;

	if (strlen(text) >= WT_READER_TEXT)
		return wt_reader_complain(reader, "the path has more than %d characters", WT_READER_TEXT - 1);
	while (*text) {
		if (isspace((unsigned char)*text)) {
			line += *text++ == '\n';
			continue;
		}
		reader->line[reader->count] = line;
		if (*text == '|') {
			reader->place[reader->count] = place;
			reader->word[reader->count++] = bar;
			text++;
			continue;
		}
		reader->place[reader->count] = ++place;
		reader->word[reader->count++] = to;
		while (*text && !isspace((unsigned char)*text) && *text != '|')
			*to++ = iscntrl((unsigned char)*text) ? '?' : *text, text++; /* names may be of any letters */
		*to++ = 0;
	}
	return 0;
}

bool wt_reader_more(const struct wt_reader *reader)
{
	return reader->at < reader->count && reader->word[reader->at] != bar;
}

int wt_reader_find(const char *const *list, const char *word)
{
	for (int i = 0; list[i]; i++)
		if (!strcmp(list[i], word))
			return i;
	return -1;
}

struct candidates {
	const char *const *first, *const *second;
};

static const char *candidate(const void *ctx, size_t i)
{
	const struct candidates *candidates = ctx;
	size_t n = 0;

	while (candidates->first[n]) {
		if (n == i)
			return candidates->first[n];
		n++;
	}
	return candidates->second[i - n];
}

/* The word at index i is none of `first` (of the stage it stands in) nor of the stages' names. */
int wt_reader_unknown(struct wt_reader *reader, unsigned i, const char *const *first)
{
	static const char *const none[] = {NULL};
	struct candidates candidates = {first ? first : none, wt_reader_stages};
	const char *nearest = wt_nearest_word(reader->word[i], candidate, &candidates);
	char list[200] = "";
	size_t at = 0;

	if (!strcmp(reader->word[i], "only"))
		return wt_reader_complain(reader, WT_WORD "a filter is a group of its own: only (EXPRESSION) { WORDS }", WT_ABOUT(reader, i));
	if (wt_netem_hint(reader, i, list, sizeof(list)))
		return wt_reader_complain(reader, WT_WORD "%s", WT_ABOUT(reader, i), list);
	if (nearest)
		return wt_reader_complain(reader, WT_WORD "not known here; did you mean \"%s\"?", WT_ABOUT(reader, i), nearest);
	for (size_t n = 0; wt_reader_stages[n] && at < sizeof(list); n++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, n ? ", %s" : "%s", wt_reader_stages[n]);
	return wt_reader_complain(reader, WT_WORD "not known here; a stage is one of %s", WT_ABOUT(reader, i), list);
}

/* The next word as an index of `options`; WT_NO_OPTION if another stage, a bar or the end comes; WT_BAD_OPTION: err is set.
 * `seen` has a bit per option: none may be given twice. */
int wt_reader_option(struct wt_reader *reader, const char *const *options, unsigned *seen)
{
	int index;

	if (!wt_reader_more(reader))
		return WT_NO_OPTION;
	index = wt_reader_find(options, reader->word[reader->at]);
	if (index < 0) {
		if (wt_reader_find(wt_reader_stages, reader->word[reader->at]) >= 0)
			return WT_NO_OPTION;
		wt_reader_unknown(reader, reader->at, options);
		return WT_BAD_OPTION;
	}
	if (*seen & 1u << index) {
		wt_reader_complain(reader, WT_WORD "given twice", WT_ABOUT(reader, reader->at));
		return WT_BAD_OPTION;
	}
	*seen |= 1u << index;
	reader->at++;
	return index;
}

/* The value after the word just taken. */
int wt_reader_value(struct wt_reader *reader, enum wt_quantity quantity, void *out)
{
	static const char *const examples[] = {"a time such as \"15ms\"", "a size such as \"20KB\"",
					       "a rate such as \"10Mbit\"", "a share such as \"20%\""};
	char why[200] = "";
	const char *text;
	int error = -EINVAL;

	if (!wt_reader_more(reader))
		return wt_reader_complain(reader, WT_WORD "%s must follow", WT_ABOUT(reader, reader->at - 1), examples[quantity]);
	text = reader->word[reader->at];
	switch (quantity) {
	case WT_QUANTITY_TIME:
		error = wt_parse_time(text, out, why, sizeof(why));
		if (!error && *(wt_time *)out < 0)
			return wt_reader_complain(reader, WT_WORD "a time here cannot be negative", WT_ABOUT(reader, reader->at));
		break;
	case WT_QUANTITY_SIZE:
		error = wt_parse_size(text, out, why, sizeof(why));
		break;
	case WT_QUANTITY_RATE:
		error = wt_parse_rate(text, out, why, sizeof(why));
		break;
	case WT_QUANTITY_SHARE:
		error = wt_parse_share(text, out, why, sizeof(why));
		break;
	}
	if (error) /* `why` quotes the word */
		return wt_reader_complain(reader, "word %u, after \"%.40s\": %s", wt_reader_about(reader, reader->at),
					  reader->word[reader->at - 1], why);
	reader->at++;
	return 0;
}

int wt_reader_init(struct wt_reader *reader, const char *text, unsigned line, const struct wt_path_files *files, char *err,
		   size_t err_len)
{
	reader->files = files;
	reader->count = reader->at = reader->about = 0;
	reader->err = err;
	reader->err_len = err ? err_len : 0;
	return split(reader, text, line);
}

bool wt_reader_is_bar(const struct wt_reader *reader, unsigned i)
{
	return reader->word[i] == bar;
}

bool wt_reader_take(struct wt_reader *reader, const char *word)
{
	if (!wt_reader_more(reader) || strcmp(reader->word[reader->at], word))
		return false;
	reader->at++;
	return true;
}

const char *wt_reader_word(struct wt_reader *reader, const char *what)
{
	if (wt_reader_more(reader))
		return reader->word[reader->at++];
	wt_reader_complain(reader, WT_WORD "%s must follow", WT_ABOUT(reader, reader->at - 1), what);
	return NULL;
}

/* The name of the file that the next word names, in `path` where a folder stands in front of it; NULL: err is set. */
static const char *file_name(struct wt_reader *reader, char path[WT_READER_TEXT])
{
	const struct wt_samples_cache *cache = reader->files->cache;
	const char *name = wt_reader_word(reader, "the name of a file");

	if (!name || !cache || !cache->folder || name[0] == '/')
		return name;
	if (snprintf(path, WT_READER_TEXT, "%s/%s", cache->folder, name) < WT_READER_TEXT && !path[strcspn(path, " \t\n|")])
		return path;
	wt_reader_complain(reader, "word %u: the folder %.200s cannot stand in words (a blank or |, or too long): change to another one",
			   wt_reader_about(reader, reader->at - 1), cache->folder);
	return NULL;
}

static struct wt_samples *find_file(const struct wt_path_files *files, const char *name, enum wt_samples_kind kind)
{
	struct wt_samples *samples = files->cache ? wt_samples_find(files->cache, name, kind) : NULL;

	return samples || !files->path ? samples : wt_path_find_samples(files->path, name, kind);
}

static struct wt_samples *read_file(struct wt_reader *reader, const char *name, enum wt_samples_kind kind)
{
	const struct wt_path_files *files = reader->files;
	struct wt_samples *samples;
	char why[400];

	samples = wt_samples_read(name, kind, why, sizeof(why));
	if (!samples)
		wt_reader_complain(reader, "word %u: %s", wt_reader_about(reader, reader->at - 1), why);
	else if (files->cache && files->cache->open)
		wt_samples_put(files->cache, samples);
	return samples;
}

struct wt_samples *wt_reader_file(struct wt_reader *reader, enum wt_samples_kind kind)
{
	return wt_reader_file_of_two(reader, kind, kind);
}

struct wt_samples *wt_reader_file_of_two(struct wt_reader *reader, enum wt_samples_kind kind, enum wt_samples_kind pairs)
{
	char path[WT_READER_TEXT];
	const char *name = file_name(reader, path);
	struct wt_samples *samples;

	if (!name)
		return NULL;
	samples = find_file(reader->files, name, kind);
	if (!samples)
		samples = find_file(reader->files, name, pairs);
	if (samples)
		return wt_samples_hold(samples);
	return read_file(reader, name, kind != pairs && wt_samples_in_pairs(name) ? pairs : kind);
}
