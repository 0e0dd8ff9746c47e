/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/samples.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emu/loss/copies.h"
#include "stack/text/units.h"

struct reading {
	struct wt_samples *samples;
	size_t room;
	unsigned line;
	char *err;
	size_t err_len;
};

static bool fail(struct reading *reading, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct reading *reading, const char *format, ...)
{
	char why[160];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	if (reading->err_len && reading->line)
		snprintf(reading->err, reading->err_len, "%.200s:%u: %s", reading->samples->name, reading->line, why);
	else if (reading->err_len)
		snprintf(reading->err, reading->err_len, "%.200s: %s", reading->samples->name, why);
	return false;
}

static bool add(struct reading *reading, int64_t value)
{
	struct wt_samples *samples = reading->samples;

	if (samples->count == WT_SAMPLES_MAX)
		return fail(reading, "more than %u values", WT_SAMPLES_MAX);
	if (samples->count == reading->room) {
		size_t room = reading->room ? reading->room * 2 : 256;
		int64_t *grown = malloc(room * sizeof(*grown));

		if (!grown)
			return fail(reading, "out of memory");
		if (samples->count)
			memcpy(grown, samples->value, samples->count * sizeof(*grown));
		free(samples->value);
		samples->value = grown;
		reading->room = room;
	}
	samples->value[samples->count++] = value;
	return true;
}

static bool take_time(struct reading *reading, const char *word)
{
	wt_time value;
	char why[120];

	if (wt_parse_time(word, &value, why, sizeof(why)))
		return fail(reading, "%s", why);
	if (value < 0)
		return fail(reading, "a time here cannot be negative");
	return add(reading, value);
}

static bool take_plain_time(struct reading *reading, char *word)
{
	return take_time(reading, word);
}

static bool take_trace(struct reading *reading, char *word)
{
	const struct wt_samples *samples = reading->samples;
	uint64_t value;

	if (wt_parse_count(word, &value, NULL, 0) || value > (uint64_t)(WT_NEVER / WT_MS / 1000))
		return fail(reading, "'%.40s' is not a time in whole milliseconds", word);
	if (samples->count && samples->value[samples->count - 1] > (int64_t)value * WT_MS)
		return fail(reading, "%.40s ms is before the line above", word);
	return add(reading, (int64_t)value * WT_MS);
}

/* Of pairs: is this above the number two places before? */
static bool rises(const struct reading *reading, int64_t value)
{
	const struct wt_samples *samples = reading->samples;

	return !samples->count || value > samples->value[samples->count - 2];
}

/* "10s,40ms": the time, and what stands behind the comma. */
static char *take_step(struct reading *reading, char *word, const char *example)
{
	char *comma = strchr(word, ','), why[120];
	wt_time at;

	if (!comma || !comma[1]) {
		fail(reading, "'%.40s': expected a time and a value between which a comma stands, such as %s", word, example);
		return NULL;
	}
	*comma = 0;
	if (wt_parse_time(word, &at, why, sizeof(why)))
		fail(reading, "%s", why);
	else if (!rises(reading, at))
		fail(reading, "%.40s is not after the time before", word);
	else if (add(reading, at))
		return comma + 1;
	return NULL;
}

static bool take_delay(struct reading *reading, char *word)
{
	const char *value = take_step(reading, word, "10s,40ms");

	return value && take_time(reading, value);
}

static bool take_share(struct reading *reading, char *word)
{
	const char *value = take_step(reading, word, "10s,5%");
	char why[120];
	double share;
	int64_t bits;

	if (!value)
		return false;
	if (wt_parse_share(value, &share, why, sizeof(why)))
		return fail(reading, "%s", why);
	memcpy(&bits, &share, sizeof(bits));
	return add(reading, bits);
}

/* "17" or "100-120", both from 1, the second not below the first. Cuts the word. */
static bool range_of(char *word, int64_t range[2])
{
	char *dash = strchr(word, '-');
	uint64_t value[2];

	if (dash)
		*dash = 0;
	if (wt_parse_count(word, &value[0], NULL, 0) || wt_parse_count(dash ? dash + 1 : word, &value[1], NULL, 0))
		return false;
	range[0] = (int64_t)value[0];
	range[1] = (int64_t)value[1];
	return value[0] && value[1] >= value[0] && value[1] <= INT64_MAX;
}

static bool take_number(struct reading *reading, char *word)
{
	const struct wt_samples *samples = reading->samples;
	char said[41];
	int64_t range[2];

	snprintf(said, sizeof(said), "%.40s", word);
	if (!range_of(word, range) || (samples->count && range[0] <= samples->value[samples->count - 1]))
		return fail(reading, "'%s' is not a packet number (from 1) or a range above those before it", said);
	return add(reading, range[0]) && add(reading, range[1]);
}

/* Packets above those before them, or the same with copies above those before. */
static bool take_copies(struct reading *reading, char *word)
{
	const struct wt_samples *samples = reading->samples;
	const int64_t *before = samples->count ? &samples->value[samples->count - 4] : NULL;
	char said[41], *colon = strchr(word, ':');
	int64_t range[4];

	snprintf(said, sizeof(said), "%.40s", word);
	if (colon)
		*colon = 0;
	if (!colon || !range_of(word, range) || !range_of(colon + 1, range + 2) || range[1] > WT_COPIES_LAST || range[3] > UINT32_MAX ||
	    (before && range[0] <= before[1] && (range[0] != before[0] || range[1] != before[1] || range[2] <= before[3])))
		return fail(reading, "'%s' is not a packet with its copies, such as 17:2 or 40-45:1-3, above those before it (to %d)", said, WT_COPIES_LAST);
	for (unsigned i = 0; i < 4; i++)
		if (!add(reading, range[i]))
			return false;
	return true;
}

static bool take_bits(struct reading *reading, char *word)
{
	for (; *word; word++) {
		if (*word != '0' && *word != '1')
			return fail(reading, "'%.40s': only 0 (passes) and 1 (lost) may stand here", word);
		if (!add(reading, *word == '1'))
			return false;
	}
	return true;
}

/* One line without its end: values between spaces, until a #. */
static bool take_line(struct reading *reading, char *text, enum wt_samples_kind kind)
{
	static bool (*const take[])(struct reading *reading, char *word) = {
		[WT_SAMPLES_TIMES] = take_plain_time, [WT_SAMPLES_TRACE] = take_trace, [WT_SAMPLES_BITS] = take_bits,
		[WT_SAMPLES_NUMBERS] = take_number, [WT_SAMPLES_COPIES] = take_copies, [WT_SAMPLES_DELAYS] = take_delay, [WT_SAMPLES_SHARES] = take_share,
	};

	reading->line++;
	while (*text && *text != '#') {
		char *word = text, end;

		while (*text && *text != '#' && !isspace((unsigned char)*text))
			text++;
		end = *text;
		*text = 0;
		if (*word && !take[kind](reading, word))
			return false;
		*text = end;
		if (isspace((unsigned char)end))
			text++;
	}
	return true;
}

static bool take_file(struct reading *reading, FILE *file, enum wt_samples_kind kind)
{
	enum { LINE = 65536 };
	char *line = malloc(LINE);
	size_t len = 0;
	bool good = line;
	int c;

	while (good && (c = getc(file)) != EOF) {
		if (c == '\n') {
			line[len] = 0;
			len = 0;
			good = take_line(reading, line, kind);
		} else if (!c || len == LINE - 1) {
			reading->line++;
			good = fail(reading, c ? "the line is too long" : "not a text file");
		} else {
			line[len++] = (char)c;
		}
	}
	if (good) {
		line[len] = 0;
		good = !ferror(file) && take_line(reading, line, kind);
	}
	free(line);
	return good;
}

/* Without waiting: a pipe would have the reader wait for whoever writes, and the frames for the reader. */
static FILE *open_file(struct reading *reading)
{
	int fd = open(reading->samples->name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), error = errno;
	struct stat facts;
	FILE *file = NULL;

	if (fd < 0) {
		fail(reading, "cannot be read (%s)", error == ENOENT ? "there is no such file" : error == EACCES ? "Permission denied" : "not allowed, or not a file");
		return NULL;
	}
	if (fstat(fd, &facts) || !S_ISREG(facts.st_mode))
		fail(reading, "cannot be read (not a regular file)");
	else if (facts.st_size > (off_t)WT_SAMPLES_BYTES)
		fail(reading, "has more than %u MiB", WT_SAMPLES_BYTES >> 20);
	else if (!(file = fdopen(fd, "r")))
		fail(reading, "out of memory");
	if (!file)
		close(fd);
	return file;
}

struct wt_samples *wt_samples_read(const char *name, enum wt_samples_kind kind, char *err, size_t err_len)
{
	struct wt_samples *samples = calloc(1, sizeof(*samples));
	struct reading reading = {.samples = samples, .err = err, .err_len = err ? err_len : 0};
	size_t len = strlen(name) + 1;
	FILE *file = NULL;
	bool good = false;

	if (samples)
		samples->name = malloc(len);
	if (!samples || !samples->name) {
		if (reading.err_len)
			snprintf(err, err_len, "out of memory");
		wt_samples_release(samples);
		return NULL;
	}
	samples->holders = 1;
	samples->kind = kind;
	memcpy(samples->name, name, len);
	file = open_file(&reading);
	if (file) {
		good = take_file(&reading, file, kind);
		reading.line = 0;
		if (ferror(file))
			good = fail(&reading, "cannot be read to its end");
		fclose(file);
		if (good && !samples->count)
			good = fail(&reading, "holds no value");
		if (good && kind == WT_SAMPLES_TRACE && !samples->value[samples->count - 1])
			good = fail(&reading, "the last time is the length of the trace and must be above 0");
	}
	if (good)
		return samples;
	samples->holders = 1;
	wt_samples_release(samples);
	return NULL;
}

bool wt_samples_in_pairs(const char *name)
{
	struct wt_samples samples = {.name = (char *)name};
	struct reading reading = {.samples = &samples};
	FILE *file = open_file(&reading);
	bool comment = false, pairs = false, word = false;
	int c;

	while (file && (c = getc(file)) != EOF && !pairs) {
		comment = c == '#' || (comment && c != '\n');
		if (!comment && isspace((unsigned char)c) && word)
			break;
		word |= !comment && !isspace((unsigned char)c);
		pairs = !comment && c == ',';
	}
	if (file)
		fclose(file);
	return pairs;
}

int64_t wt_samples_at(const struct wt_samples *samples, wt_time now, wt_time every)
{
	uint32_t low = 0, high = samples->count / 2; /* the first pair that is still to come, behind the very first */

	now = every ? now % every : now;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (samples->value[2 * (size_t)middle] <= now)
			low = middle + 1;
		else
			high = middle;
	}
	return samples->value[2 * (size_t)(low ? low - 1 : 0) + 1];
}

double wt_samples_share_at(const struct wt_samples *samples, wt_time now, wt_time every)
{
	int64_t bits = wt_samples_at(samples, now, every);
	double share;

	memcpy(&share, &bits, sizeof(share));
	return share;
}

wt_time wt_samples_last_time(const struct wt_samples *samples)
{
	return samples->value[samples->count - 2];
}

bool wt_samples_equal(const struct wt_samples *a, const struct wt_samples *b)
{
	return a == b || (a->count == b->count && !memcmp(a->value, b->value, a->count * sizeof(*a->value)));
}

struct wt_samples *wt_samples_hold(struct wt_samples *samples)
{
	if (samples)
		samples->holders++;
	return samples;
}

void wt_samples_release(struct wt_samples *samples)
{
	if (!samples || samples->holders-- > 1)
		return;
	free(samples->name);
	free(samples->value);
	free(samples);
}

struct wt_samples *wt_samples_find(const struct wt_samples_cache *cache, const char *name, enum wt_samples_kind kind)
{
	struct wt_samples *samples = cache->first;

	while (samples && (samples->kind != kind || strcmp(samples->name, name)))
		samples = samples->next;
	return samples;
}

void wt_samples_put(struct wt_samples_cache *cache, struct wt_samples *samples)
{
	samples->next = cache->first;
	cache->first = wt_samples_hold(samples);
}

void wt_samples_clear(struct wt_samples_cache *cache)
{
	while (cache->first) {
		struct wt_samples *samples = cache->first;

		cache->first = samples->next;
		wt_samples_release(samples);
	}
}
