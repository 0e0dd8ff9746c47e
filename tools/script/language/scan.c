/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/script/language/scan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wt_scan_init(struct wt_scan *scan, const char *file, const char *text, size_t len)
{
	memset(scan, 0, sizeof(*scan));
	scan->file = file;
	scan->at = text;
	scan->end = text + len;
	scan->line = 1;
}

bool wt_scan_fail(struct wt_scan *scan, const char *format, ...)
{
	int used;
	va_list list;

	if (scan->failed)
		return false;
	scan->failed = true;
	used = snprintf(scan->error, sizeof(scan->error), "%.300s:%u: ", scan->file, scan->line);
	va_start(list, format);
	vsnprintf(scan->error + used, sizeof(scan->error) - (size_t)used, format, list);
	va_end(list);
	return false;
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

bool wt_scan_expected(struct wt_scan *scan, const char *what)
{
	char shown[32];
	size_t n = 0;

	wt_scan_space(scan);
	if (scan->at == scan->end)
		return wt_scan_fail(scan, "expected %s, but the script ends here", what);
	while (n < sizeof(shown) - 1 && scan->at + n < scan->end && !isspace((unsigned char)scan->at[n])) {
		shown[n] = isprint((unsigned char)scan->at[n]) ? scan->at[n] : '?';
		n++;
	}
	shown[n] = 0;
	return wt_scan_fail(scan, "expected %s before '%s'", what, shown);
}

static bool starts(const struct wt_scan *scan, const char *literal)
{
	size_t len = strlen(literal);

	return (size_t)(scan->end - scan->at) >= len && memcmp(scan->at, literal, len) == 0;
}

static void skip_line(struct wt_scan *scan)
{
	while (scan->at < scan->end && *scan->at != '\n')
		scan->at++;
}

void wt_scan_space(struct wt_scan *scan)
{
	while (!scan->failed && scan->at < scan->end) {
		if (*scan->at == '\n') {
			scan->line++;
			scan->at++;
		} else if (isspace((unsigned char)*scan->at)) {
			scan->at++;
		} else if (*scan->at == '#' || starts(scan, "//")) {
			skip_line(scan);
		} else if (starts(scan, "/*")) {
			const char *start;
			size_t len;

			scan->at += 2;
			wt_scan_until(scan, "*/", &start, &len);
		} else {
			return;
		}
	}
}

bool wt_scan_done(struct wt_scan *scan)
{
	wt_scan_space(scan);
	return scan->failed || scan->at == scan->end;
}

char wt_scan_peek(struct wt_scan *scan)
{
	return wt_scan_done(scan) ? 0 : *scan->at;
}

bool wt_scan_is(struct wt_scan *scan, const char *literal)
{
	size_t len = strlen(literal);

	if (wt_scan_done(scan) || !starts(scan, literal))
		return false;
	if (word_char(literal[len - 1]) && scan->at + len < scan->end && word_char(scan->at[len]))
		return false;
	scan->at += len;
	return true;
}

bool wt_scan_need(struct wt_scan *scan, const char *literal)
{
	char quoted[40];

	if (wt_scan_is(scan, literal))
		return true;
	snprintf(quoted, sizeof(quoted), "'%s'", literal);
	return wt_scan_expected(scan, quoted);
}

bool wt_scan_word(struct wt_scan *scan, char word[WT_SCAN_WORD])
{
	size_t n = 0;

	if (wt_scan_done(scan) || !word_char(*scan->at) || isdigit((unsigned char)*scan->at))
		return false;
	while (scan->at + n < scan->end && word_char(scan->at[n])) {
		if (n == WT_SCAN_WORD - 1)
			return wt_scan_fail(scan, "a word is longer than %d characters", WT_SCAN_WORD - 1);
		word[n] = scan->at[n];
		n++;
	}
	word[n] = 0;
	scan->at += n;
	return true;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

bool wt_scan_number(struct wt_scan *scan, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;
	int base = 10;

	if (wt_scan_done(scan) || !isdigit((unsigned char)*scan->at))
		return false;
	if ((starts(scan, "0x") || starts(scan, "0X")) && scan->end - scan->at > 2 && digit_value(scan->at[2]) < 16) {
		base = 16;
		scan->at += 2;
	}
	while (scan->at < scan->end && digit_value(*scan->at) < base) {
		uint64_t digit = (uint64_t)digit_value(*scan->at);

		if (value > (max - (digit <= max ? digit : max)) / (uint64_t)base || digit > max)
			return wt_scan_fail(scan, "a number is larger than %llu", (unsigned long long)max);
		value = value * (uint64_t)base + digit;
		scan->at++;
	}
	*out = value;
	return true;
}

bool wt_scan_need_number(struct wt_scan *scan, const char *what, uint64_t max, uint64_t *out)
{
	return wt_scan_number(scan, max, out) || wt_scan_expected(scan, what);
}

bool wt_scan_seconds(struct wt_scan *scan, wt_time *out)
{
	uint64_t whole = 0;
	wt_time unit = WT_S / 10, part = 0;
	const char *dot, *start;

	if (wt_scan_done(scan))
		return false;
	start = scan->at;
	/* "0...0.2" is a zero, then dots that mean "until" */
	if (*scan->at != '.' && !wt_scan_number(scan, 1000000000u, &whole))
		return false;
	dot = scan->at;
	if (dot < scan->end && *dot == '.' && dot + 1 < scan->end && isdigit((unsigned char)dot[1])) {
		for (scan->at++; scan->at < scan->end && isdigit((unsigned char)*scan->at); scan->at++) {
			if (!unit)
				return wt_scan_fail(scan, "a time has more than nine decimals");
			part += unit * (*scan->at - '0');
			unit /= 10;
		}
	} else if (dot == start) {
		return false;
	}
	*out = (wt_time)whole * WT_S + part;
	return true;
}

int wt_scan_bytes(struct wt_scan *scan, uint8_t *out, size_t room)
{
	size_t n = 0;

	if (wt_scan_done(scan) || !starts(scan, "0x")) {
		wt_scan_expected(scan, "bytes as 0x and hexadecimal digits");
		return -1;
	}
	for (scan->at += 2; scan->end - scan->at >= 1 && digit_value(*scan->at) < 16; scan->at += 2) {
		if (scan->end - scan->at < 2 || digit_value(scan->at[1]) >= 16) {
			wt_scan_fail(scan, "bytes need an even number of hexadecimal digits");
			return -1;
		}
		if (n == room) {
			wt_scan_fail(scan, "more than %zu bytes do not fit here", room);
			return -1;
		}
		out[n++] = (uint8_t)(digit_value(scan->at[0]) << 4 | digit_value(scan->at[1]));
	}
	return (int)n;
}

bool wt_scan_until(struct wt_scan *scan, const char *closing, const char **start, size_t *len)
{
	unsigned line = scan->line;

	*start = scan->at;
	for (; scan->at < scan->end; scan->at++) {
		if (starts(scan, closing)) {
			*len = (size_t)(scan->at - *start);
			scan->at += strlen(closing);
			return true;
		}
		if (*scan->at == '\n')
			scan->line++;
	}
	scan->line = line;
	return wt_scan_fail(scan, "'%s' never comes", closing);
}
