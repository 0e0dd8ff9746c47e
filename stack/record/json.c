/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/record/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void wt_json_init(struct wt_json *json, FILE *out)
{
	json->out = out;
	json->used = json->depth = 0;
	json->comma[0] = false;
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

static void spill(struct wt_json *json)
{
	fwrite_unlocked(json->text, 1, json->used, json->out);
	json->used = 0;
}

static inline void put(struct wt_json *json, char c)
{
	if (json->used == sizeof(json->text))
		spill(json);
	json->text[json->used++] = c;
}

/* What does not stand for itself in a JSON string, the end of a text with it. A table, since logs of drops are mostly text. */
__extension__ static const bool odd[256] = {[0 ... 0x1f] = true, ['"'] = true, ['\\'] = true, [0x7f ... 0xff] = true};

/* Up to the first odd character, or as far as there is room. */
static const unsigned char *put_plain(struct wt_json *json, const unsigned char *p)
{
	char *to = json->text + json->used, *end = json->text + sizeof(json->text);

	for (; !odd[*p] && to < end; p++)
		*to++ = (char)*p;
	json->used = (unsigned)(to - json->text);
	return p;
}

static void put_all(struct wt_json *json, const char *text, unsigned length)
{
	if (length > sizeof(json->text) - json->used) {
		spill(json);
		if (length > sizeof(json->text)) {
			fwrite_unlocked(text, 1, length, json->out);
			return;
		}
	}
	memcpy(json->text + json->used, text, length);
	json->used += length;
}

/* An odd character: the bytes it takes of the text. */
__attribute__((noinline)) static unsigned put_odd(struct wt_json *json, const unsigned char *p)
{
	static const char escapes[] = "\"\\\b\f\n\r\t";
	static const char letters[] = "\"\\bfnrt";
	static const char digits[] = "0123456789abcdef";
	const char *escape = strchr(escapes, *p);
	unsigned length = utf8_length(p);

	if (escape) {
		put(json, '\\');
		put(json, letters[escape - escapes]);
	} else if (*p < 0x20 || *p == 0x7f) {
		put_all(json, "\\u00", 4);
		put(json, digits[*p >> 4]);
		put(json, digits[*p & 15]);
	} else if (length) {
		put_all(json, (const char *)p, length);
	} else {
		put_all(json, "\\ufffd", 6);
	}
	return length ? length : 1;
}

static void put_text(struct wt_json *json, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	put(json, '"');
	while (*(p = put_plain(json, p))) {
		if (json->used == sizeof(json->text))
			spill(json);
		else
			p += put_odd(json, p);
	}
	put(json, '"');
}

static void before(struct wt_json *json, const char *key)
{
	if (json->comma[json->depth] && json->depth)
		put(json, ',');
	json->comma[json->depth] = true;
	if (key) {
		put_text(json, key);
		put(json, ':');
	}
}

static void after(struct wt_json *json)
{
	if (json->depth)
		return;
	put(json, '\n');
	spill(json);
}

static void open_level(struct wt_json *json, const char *key, char open, char close)
{
	before(json, key);
	assert(json->depth < WT_JSON_DEPTH);
	put(json, open);
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
	put(json, json->close[json->depth--]);
	after(json);
}

void wt_json_raw(struct wt_json *json, const char *key, const char *text)
{
	before(json, key);
	put_all(json, text, (unsigned)strlen(text));
	after(json);
}

void wt_json_string(struct wt_json *json, const char *key, const char *value)
{
	if (!value) {
		wt_json_raw(json, key, "null");
		return;
	}
	before(json, key);
	put_text(json, value);
	after(json);
}

/* Two digits for each division, and all of them in one move of DIGITS bytes, of which those behind count for nothing. */
static void put_decimal(struct wt_json *json, const char *key, uint64_t value, bool minus)
{
	enum { DIGITS = 24 };
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
				    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
				    "9899";
	char text[2 * DIGITS] = {0}, *end = text + DIGITS, *p = end;

	for (; value >= 10; value /= 100) {
		p -= 2;
		memcpy(p, pairs + value % 100 * 2, 2);
	}
	if (value || p == end)
		*--p = (char)('0' + value);
	if (minus)
		*--p = '-';
	before(json, key);
	if (json->used > sizeof(json->text) - DIGITS)
		spill(json);
	memcpy(json->text + json->used, p, DIGITS);
	json->used += (unsigned)(end - p);
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
