/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/words/ini_text.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (4u << 20)
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* which libinih passes over */

static int refuse(struct wt_ini *ini, unsigned line, const char *format, va_list ap)
{
	if (ini->error)
		return -EINVAL;
	ini->error = -EINVAL;
	ini->fault_line = line ? line : 1; /* of an empty file, too */
	vsnprintf(ini->why, sizeof(ini->why), format, ap);
	return -EINVAL;
}

int wt_ini_refuse(struct wt_ini *ini, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	refuse(ini, ini->line, format, ap);
	va_end(ap);
	return -EINVAL;
}

int wt_ini_refuse_at(struct wt_ini *ini, unsigned line, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	refuse(ini, line, format, ap);
	va_end(ap);
	return -EINVAL;
}

int wt_ini_copy(struct wt_ini *ini, char *out, size_t len)
{
	if (strlen(ini->value) >= len)
		return wt_ini_refuse(ini, "value of '%s' is longer than %zu characters", ini->key, len - 1);
	snprintf(out, len, "%s", ini->value);
	return 0;
}

const char *wt_ini_name(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncmp(text, word, len) == 0 && text[len] == ' ' ? text + len + 1 : NULL;
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* A reader of a quantity writes its sentence to `why`; without one, no memory. */
static int told(struct wt_ini *ini, int error)
{
	if (!error)
		return 0;
	if (!ini->error) {
		ini->fault_line = ini->line;
		if (!*ini->why)
			snprintf(ini->why, sizeof(ini->why), "%s", strerror(-error));
	}
	ini->error = error;
	return error;
}

/* The entry is whole: continuation lines have been joined. */
static int take(struct wt_ini *ini)
{
	if (!ini->pending || ini->error)
		return 0;
	ini->pending = false;
	*ini->why = '\0';
	return told(ini, ini->take(ini));
}

/* "[NAME]", which ends what stood before it. */
static void begin(struct wt_ini *ini, const char *line)
{
	size_t len = strcspn(line, "]\n");
	const char *rest;

	take(ini);
	if (ini->error || line[len] != ']')
		return; /* libinih finds that */
	rest = line + len + 1 + strspn(line + len + 1, " \t\r");
	if (*rest && !strchr("\n;#", *rest)) {
		wt_ini_refuse_at(ini, ini->read, "'%.*s': expected nothing after the ] of a section", (int)strcspn(rest, "\r\n") , rest);
		return;
	}
	for (line++, len--; len && isspace((unsigned char)*line); line++)
		len--;
	ini->line = ini->read;
	if (len >= sizeof(ini->heading)) {
		wt_ini_refuse(ini, "too long: '%.40s'", line);
		return;
	}
	snprintf(ini->heading, sizeof(ini->heading), "%.*s", (int)len, line);
	snprintf(ini->section, sizeof(ini->section), "%s", ini->heading);
	*ini->why = '\0';
	if (ini->begin)
		told(ini, ini->begin(ini));
}

/* libinih strips comments from the first line of a value only. */
static int without_comment(const char *value)
{
	for (const char *at = value; *at; at++)
		if (*at == ';' && (at == value || isspace((unsigned char)at[-1]))) {
			while (at > value && isspace((unsigned char)at[-1]))
				at--;
			return (int)(at - value);
		}
	return (int)strlen(value);
}

static int on_entry(void *arg, const char *section, const char *key, const char *value)
{
	struct wt_ini *ini = arg;
	size_t len = strlen(ini->value);

	if (ini->indented && ini->pending && !strcmp(section, ini->told) && !strcmp(key, ini->key)) {
		if (len + strlen(value) + 2 > sizeof(ini->value))
			return wt_ini_refuse_at(ini, ini->read, "the value of '%s' is too long", key) == 0;
		snprintf(ini->value + len, sizeof(ini->value) - len, " %.*s", without_comment(value), value);
		return 1;
	}
	take(ini);
	if (strlen(section) >= sizeof(ini->told) || strlen(key) >= sizeof(ini->key) || strlen(value) >= sizeof(ini->value))
		return wt_ini_refuse_at(ini, ini->read, "too long: '%.40s'", key) == 0;
	snprintf(ini->told, sizeof(ini->told), "%s", section);
	snprintf(ini->section, sizeof(ini->section), "%s", ini->heading);
	snprintf(ini->key, sizeof(ini->key), "%s", key);
	snprintf(ini->value, sizeof(ini->value), "%s", value);
	ini->line = ini->read;
	ini->pending = true;
	return !ini->error;
}

/* libinih asks for lines in the manner of fgets(). We count them, which it does not tell its handlers. */
static char *on_read(char *out, int len, void *arg)
{
	struct wt_ini *ini = arg;
	size_t n = strcspn(ini->next, "\n");

	if (!*ini->next || len < 2)
		return NULL;
	ini->read++;
	ini->indented = *ini->next == ' ' || *ini->next == '\t';
	if (ini->next[ini->read == 1 ? strspn(ini->next, BYTE_ORDER_MARK) : 0] == '[')
		begin(ini, strchr(ini->next, '['));
	if (n > (size_t)len - 2) {
		if (!ini->too_long)
			ini->too_long = ini->read;
		snprintf(out, (size_t)len, "\n");
	} else {
		memcpy(out, ini->next, n);
		out[n] = '\n';
		out[n + 1] = '\0';
	}
	ini->next += n + (ini->next[n] == '\n');
	return out;
}

int wt_ini_parse(struct wt_ini *ini, const char *text, const char *name, char *err, size_t err_len)
{
	int line;

	ini->next = text;
	line = ini_parse_stream(on_read, ini, on_entry, ini);
	if (ini->too_long && (!ini->error || ini->too_long <= ini->fault_line)) {
		ini->error = 0;
		wt_ini_refuse_at(ini, ini->too_long, "the line is too long; continue on the next line, indented");
	}
	if (line > 0 && ini->error && (unsigned)line < ini->fault_line)
		ini->error = 0; /* the first fault is told */
	if (line > 0)
		wt_ini_refuse_at(ini, (unsigned)line, "neither [section] nor name = value");
	take(ini);
	ini->line = ini->read;
	if (ini->error)
		snprintf(err, err_len, "%s:%u: %s", name, ini->fault_line, ini->why);
	return ini->error;
}

int wt_ini_word(const char **from, char *out, size_t len)
{
	const char *at = *from;
	size_t n = 0;
	char quote = 0;

	while (isspace((unsigned char)*at))
		at++;
	if (!*at)
		return 0;
	if (*at == '"' || *at == '\'')
		quote = *at++;
	for (; *at && (quote ? *at != quote : !isspace((unsigned char)*at)); at++) {
		if (n + 1 >= len)
			return -ENAMETOOLONG;
		out[n++] = *at;
	}
	if (quote && *at++ != quote)
		return -EINVAL;
	if (!quote && n && out[n - 1] == ',')
		n--;
	else if (quote && *at == ',')
		at++;
	out[n] = '\0';
	*from = at;
	return 1;
}

char *wt_ini_file(const char *path, int *error, char *err, size_t err_len)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(TEXT_MAX + 1) : NULL;
	size_t len = text ? fread(text, 1, TEXT_MAX, file) : 0;

	*error = !file || (text && ferror(file)) ? -errno : !text ? -ENOMEM : !feof(file) ? -EFBIG : 0;
	if (*error) {
		snprintf(err, err_len, "%s: %s", path, strerror(-*error));
	} else if (memchr(text, 0, len)) {
		*error = -EINVAL;
		snprintf(err, err_len, "%s:1: not a text file", path);
	}
	if (file)
		fclose(file);
	if (*error) {
		free(text);
		return NULL;
	}
	text[len] = '\0';
	return text;
}
