/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers with units are read exactly: digits and an optional fraction as an integer over a power of ten, times
 * the unit, which must come out whole. "1.5s" is 1500000000 ns; "0.1B" is an error and not a rounding.
 */
#include "stack/text/units.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define SHARE_ZEROS 8 /* of a percentage behind the point, before an exponent says how many */

__extension__ typedef unsigned __int128 u128;

struct unit {
	const char *name;
	uint64_t scale;
	bool alias; /* read, never written */
};

static const struct unit time_units[] = {
	{"ns", 1},       {"us", 1000},          {"ms", 1000000},          {"s", 1000000000},
	{"min", 60000000000}, {"h", 3600000000000}, {NULL},
};
static const struct unit size_units[] = {
	{"B", 1},      {"KB", 1000},      {"kB", 1000, true},  {"KiB", 1 << 10}, {"MB", 1000000},
	{"MiB", 1 << 20}, {"GB", 1000000000}, {"GiB", 1 << 30}, {NULL},
};
static const struct unit rate_units[] = {
	{"bit", 1},         {"Bps", 8, true},       {"Kbit", 1000},        {"kbit", 1000, true},
	{"kBps", 8000, true}, {"KBps", 8000, true}, {"Mbit", 1000000},     {"MBps", 8000000, true},
	{"Gbit", 1000000000}, {"GBps", 8000000000, true}, {NULL},
};

static const char time_expected[] = "a time with its unit (ns us ms s min h), such as 15ms";
static const char size_expected[] = "a size with its unit (B KB MB GB, KiB MiB GiB), such as 64KB";
static const char rate_expected[] = "a rate with its unit (bit Kbit Mbit Gbit, Bps kBps MBps), such as 10Mbit";

int wt_invalid(char *err, size_t err_len, const char *format, ...)
{
	va_list args;

	if (err && err_len) {
		va_start(args, format);
		vsnprintf(err, err_len, format, args);
		va_end(args);
	}
	return -EINVAL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* digits [ . digits ]: mantissa / 10^places. The end of it, or NULL if it is no number or has too many digits. */
static const char *read_decimal(const char *text, uint64_t *mantissa, unsigned *places)
{
	const char *p = text;
	unsigned digits = 0;
	bool point = false;

	*mantissa = 0;
	*places = 0;
	for (;; p++) {
		if (*p == '.' && !point && digits) {
			point = true;
			continue;
		}
		if (!is_digit(*p))
			break;
		digits++;
		*places += point;
		if (*places > 19 || __builtin_mul_overflow(*mantissa, (uint64_t)10, mantissa) ||
		    __builtin_add_overflow(*mantissa, (uint64_t)(*p - '0'), mantissa))
			return NULL;
	}
	return digits && is_digit(p[-1]) ? p : NULL;
}

static int parse_with_unit(const char *text, const struct unit *units, const char *expected, uint64_t max,
			   uint64_t *out, char *err, size_t err_len)
{
	const struct unit *unit = units;
	uint64_t mantissa, divisor = 1;
	unsigned places;
	const char *suffix = read_decimal(text, &mantissa, &places);
	u128 value;

	if (!suffix)
		return wt_invalid(err, err_len, "'%.40s' is not %s", text, expected);
	if (!*suffix) {
		if (mantissa) /* a bare number could be read two ways; zero is the same in every unit */
			return wt_invalid(err, err_len, "'%.40s' has no unit: expected %s", text, expected);
		*out = 0;
		return 0;
	}
	while (unit->name && strcmp(unit->name, suffix))
		unit++;
	if (!unit->name)
		return wt_invalid(err, err_len, "'%.40s' has an unknown unit '%.20s': expected %s", text, suffix, expected);
	for (; places; places--)
		divisor *= 10;
	value = (u128)mantissa * unit->scale;
	if (value % divisor)
		return wt_invalid(err, err_len, "'%.40s' is not a whole number of %s", text, units->name);
	if (value / divisor > max)
		return wt_invalid(err, err_len, "'%.40s' is too large", text);
	*out = (uint64_t)(value / divisor);
	return 0;
}

int wt_parse_time(const char *text, wt_time *out, char *err, size_t err_len)
{
	uint64_t value;
	int rc = parse_with_unit(text, time_units, time_expected, INT64_MAX, &value, err, err_len);

	if (!rc)
		*out = (wt_time)value;
	return rc;
}

int wt_parse_size(const char *text, uint64_t *out, char *err, size_t err_len)
{
	return parse_with_unit(text, size_units, size_expected, UINT64_MAX, out, err, err_len);
}

int wt_parse_rate(const char *text, uint64_t *bit_per_s, char *err, size_t err_len)
{
	size_t len = strlen(text);

	/* "Kbps": kilobits to some, kilobytes to tc and to the TCP-Real tables */
	if (len >= 3 && !strcmp(text + len - 3, "bps"))
		return wt_invalid(err, err_len, "'%.40s' could mean bits or bytes a second: write Kbit or kBps", text);
	return parse_with_unit(text, rate_units, rate_expected, UINT64_MAX, bit_per_s, err, err_len);
}

/* "e-7" behind the digits of a number; 0 if there is none. The end of it, or NULL. */
static const char *read_exponent(const char *text, int *exponent)
{
	const char *digit = text + 1;
	int value = 0;

	*exponent = 0;
	if (*text != 'e')
		return text;
	digit += *digit == '-' || *digit == '+';
	if (!is_digit(*digit))
		return NULL;
	for (; is_digit(*digit); digit++)
		if ((value = value * 10 + (*digit - '0')) > 999)
			return NULL;
	*exponent = text[1] == '-' ? -value : value;
	return digit;
}

int wt_parse_share(const char *text, double *out, char *err, size_t err_len)
{
	size_t whole = strspn(text, DIGITS), places = text[whole] == '.' ? strspn(text + whole + 1, DIGITS) : 0;
	size_t len = text[whole] == '.' ? whole + 1 + places : whole;
	int exponent;
	const char *end = whole && (places || text[whole] != '.') && len <= 40 ? read_exponent(text + len, &exponent) : NULL;
	bool percent = end && !strcmp(end, "%");
	char number[64];
	double value;

	if (!end || (*end && !percent))
		return wt_invalid(err, err_len, "'%.40s' is not a share: expected a percentage such as 20%%", text);
	/* one conversion, so that 0.1% and 0.001 are the same double */
	snprintf(number, sizeof(number), "%.*se%d", (int)len, text, exponent - (percent ? 2 : 0));
	value = strtod(number, NULL);
	if (value != 0 && !percent) /* a fraction to some, a percentage to tc(8); zero is the same in both */
		return value > 1 ? wt_invalid(err, err_len, "'%.40s' has no unit: write %.40s%%", text, text) :
				   wt_invalid(err, err_len, "'%.40s' has no unit: write %.40s%% or %s", text, text,
					wt_format_share(value, number, sizeof(number)));
	if (value > 1)
		return wt_invalid(err, err_len, "'%.40s' is not between 0%% and 100%%", text);
	*out = value;
	return 0;
}

int wt_parse_count(const char *text, uint64_t *out, char *err, size_t err_len)
{
	uint64_t value = 0;
	const char *p = text;

	for (; is_digit(*p); p++)
		if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return wt_invalid(err, err_len, "'%.40s' is too large", text);
	if (p == text || *p)
		return wt_invalid(err, err_len, "'%.40s' is not a whole number", text);
	*out = value;
	return 0;
}

int wt_parse_number(const char *text, double *out, char *err, size_t err_len)
{
	char *end;
	double value;

	/* strtod reads more than we allow: blanks, hexadecimal, inf, nan */
	if (!*text || text[strspn(text, "0123456789+-.eE")])
		return wt_invalid(err, err_len, "'%.40s' is not a number", text);
	value = strtod(text, &end);
	if (end == text || *end)
		return wt_invalid(err, err_len, "'%.40s' is not a number", text);
	if (!(value - value == 0))
		return wt_invalid(err, err_len, "'%.40s' is too large", text);
	*out = value;
	return 0;
}

int wt_parse_bool(const char *text, uint64_t *out, char *err, size_t err_len)
{
	static const char *const words[] = {"off", "on", "no", "yes", "false", "true", "0", "1"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i])) {
			*out = i & 1;
			return 0;
		}
	return wt_invalid(err, err_len, "'%.40s': expected on or off", text);
}

/* value / scale as a decimal and the unit's name; false if that is no finite decimal. */
static bool write_in_unit(char text[64], uint64_t value, const struct unit *unit)
{
	uint64_t rest = value % unit->scale;
	int at = snprintf(text, 64, "%llu", (unsigned long long)(value / unit->scale));

	if (rest)
		text[at++] = '.';
	for (unsigned places = 0; rest; places++) {
		if (places == 15)
			return false;
		rest *= 10; /* scale is below 2^42: no overflow */
		text[at++] = (char)('0' + rest / unit->scale);
		rest %= unit->scale;
	}
	snprintf(text + at, 64 - (size_t)at, "%s", unit->name);
	return true;
}

/* The shortest text in a unit not larger than the value ("100ms", not "0.1s"); of two, the larger unit. */
static const char *format_with_unit(uint64_t value, const struct unit *units, char *text, size_t len)
{
	char best[64] = "0", candidate[64];

	if (value)
		write_in_unit(best, value, &units[0]);
	for (const struct unit *unit = units; unit->name; unit++)
		if (!unit->alias && value >= unit->scale && write_in_unit(candidate, value, unit) &&
		    strlen(candidate) <= strlen(best))
			strcpy(best, candidate);
	snprintf(text, len, "%s", best);
	return text;
}

const char *wt_format_time(wt_time value, char *text, size_t len)
{
	char number[64];

	if (value >= 0)
		return format_with_unit((uint64_t)value, time_units, text, len);
	/* a difference, for people: durations that are read back are never negative */
	snprintf(text, len, "-%s", format_with_unit(-(uint64_t)value, time_units, number, sizeof(number)));
	return text;
}

const char *wt_format_size(uint64_t value, char *text, size_t len)
{
	format_with_unit(value, size_units, text, len);
	if (!value)
		snprintf(text, len, "0B");
	return text;
}

const char *wt_format_rate(uint64_t bit_per_s, char *text, size_t len)
{
	return format_with_unit(bit_per_s, rate_units, text, len);
}

/* The fewest digits that read back: of the number and of the percentage they are the same, two places apart. */
const char *wt_format_share(double value, char *text, size_t len)
{
	char scientific[40], digits[20] = "";
	int count = 0, at;

	if (!(value > 0)) {
		snprintf(text, len, "0%%");
		return text;
	}
	do
		snprintf(scientific, sizeof(scientific), "%.*e", count++, value);
	while (count < 17 && strtod(scientific, NULL) != value);
	digits[0] = scientific[0];
	memcpy(digits + 1, scientific + 2, (size_t)count - 1);
	at = atoi(strchr(scientific, 'e') + 1) + 3; /* digits before the point of the percentage */
	if (at <= -SHARE_ZEROS)
		snprintf(text, len, "%c%s%se%d%%", digits[0], count > 1 ? "." : "", digits + 1, at - 1);
	else if (at <= 0)
		snprintf(text, len, "0.%.*s%s%%", -at, "00000000", digits);
	else if (at >= count)
		snprintf(text, len, "%s%.*s%%", digits, at - count, "00000000");
	else
		snprintf(text, len, "%.*s.%s%%", at, digits, digits + at);
	return text;
}
