/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/drive/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void wt_json_init(struct wt_json *json, FILE *out)
{
	*json = (struct wt_json){.out = out};
}

/* Bytes of the UTF-8 character at p (RFC 3629 4: no overlong forms, no surrogates), or 0 if it is none. */
static unsigned utf8_length(const unsigned char *p)
{
	unsigned length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

	for (unsigned i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}

/* Stands for itself in a JSON string. */
static inline bool plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* What is not plain: the bytes it takes of the text. */
static unsigned put_odd(FILE *out, const unsigned char *p)
{
	static const char escapes[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	const char *escape = strchr(escapes, *p);
	unsigned length = utf8_length(p);

	if (escape) {
		putc_unlocked('\\', out);
		putc_unlocked(letters[escape - escapes], out);
	} else if (*p < 0x20 || *p == 0x7f) {
		fprintf(out, "\\u%04x", *p);
	} else if (length) {
		fwrite(p, 1, length, out);
	} else {
		fputs("\\ufffd", out);
	}
	return length ? length : 1;
}

/* A character at a time into the stream's buffer, without its lock: a log of drops is mostly this. */
static void put_text(FILE *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	putc_unlocked('"', out);
	while (*p) {
		if (plain(*p))
			putc_unlocked(*p++, out);
		else
			p += put_odd(out, p);
	}
	putc_unlocked('"', out);
}

static void before(struct wt_json *json, const char *key)
{
	if (json->comma[json->depth] && json->depth)
		putc_unlocked(',', json->out);
	json->comma[json->depth] = true;
	if (key) {
		put_text(json->out, key);
		putc_unlocked(':', json->out);
	}
}

static void after(struct wt_json *json)
{
	if (!json->depth)
		putc_unlocked('\n', json->out);
}

static void open_level(struct wt_json *json, const char *key, char open, char close)
{
	before(json, key);
	assert(json->depth < WT_JSON_DEPTH);
	putc_unlocked(open, json->out);
	json->depth++;
	json->comma[json->depth] = false;
	json->close[json->depth] = close;
}

void wt_json_object(struct wt_json *json, const char *key)
{
	open_level(json, key, '{', '}');
}

void wt_json_array(struct wt_json *json, const char *key)
{
	open_level(json, key, '[', ']');
}

void wt_json_end(struct wt_json *json)
{
	assert(json->depth);
	putc_unlocked(json->close[json->depth--], json->out);
	after(json);
}

void wt_json_raw(struct wt_json *json, const char *key, const char *text)
{
	before(json, key);
	fputs(text, json->out);
	after(json);
}

void wt_json_string(struct wt_json *json, const char *key, const char *value)
{
	if (!value) {
		wt_json_raw(json, key, "null");
		return;
	}
	before(json, key);
	put_text(json->out, value);
	after(json);
}

static void put_decimal(struct wt_json *json, const char *key, uint64_t value, bool minus)
{
	char text[24], *p = text + sizeof(text);

	*--p = 0;
	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (minus)
		*--p = '-';
	before(json, key);
	while (*p)
		putc_unlocked(*p++, json->out);
	after(json);
}

void wt_json_u64(struct wt_json *json, const char *key, uint64_t value)
{
	put_decimal(json, key, value, false);
}

void wt_json_i64(struct wt_json *json, const char *key, int64_t value)
{
	put_decimal(json, key, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

void wt_json_number(struct wt_json *json, const char *key, double value)
{
	char text[40], *point;

	if (!isfinite(value)) {
		wt_json_raw(json, key, "null");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	point = strchr(text, ','); /* a program that called setlocale() */
	if (point)
		*point = '.';
	wt_json_raw(json, key, text);
}

void wt_json_bool(struct wt_json *json, const char *key, bool value)
{
	wt_json_raw(json, key, value ? "true" : "false");
}
