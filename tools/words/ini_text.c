/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/words/ini_text.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int wt_ini_refuse(struct wt_ini *ini, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(ini->why, sizeof(ini->why), format, ap);
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

/* libinih calls again with the same name for every continuation line. */
static int on_line(void *arg, const char *section, const char *key, const char *value)
{
	struct wt_ini *ini = arg;
	size_t len;

	if (ini->error)
		return 0; /* it goes on after an error; the first one is told */
	ini->more = !strcmp(section, ini->section) && !strcmp(key, ini->key);
	len = ini->more ? strlen(ini->value) : 0;
	snprintf(ini->section, sizeof(ini->section), "%s", section);
	snprintf(ini->key, sizeof(ini->key), "%s", key);
	if (len + strlen(value) + 2 > sizeof(ini->value)) {
		ini->error = wt_ini_refuse(ini, "value of '%s' is too long", key);
		return 0;
	}
	snprintf(ini->value + len, sizeof(ini->value) - len, "%s%s", ini->more ? " " : "", value);
	ini->error = ini->take(ini);
	return !ini->error;
}

int wt_ini_parse(struct wt_ini *ini, const char *text, const char *name, char *err, size_t err_len)
{
	int line = ini_parse_string(text, on_line, ini);

	if (!line)
		return 0;
	snprintf(err, err_len, "%s:%d: %s", name, line, ini->error ? ini->why : "neither [section] nor name = value");
	return ini->error ? ini->error : -EINVAL;
}
