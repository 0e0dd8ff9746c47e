/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/file.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/params.h"
#include "stack/text/units.h"
#include "tools/lab/run.h"

#define TEXT_MAX (4u << 20)
#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* which libinih passes over */

const char *const wt_sweep_param_name[WT_SWEEP_PARAMS] = {
	"stack", "sender", "recovery", "receiver", "preset", "settings", "link", "fwd", "rev", "mtu", "size", "time", "flows", "limit",
	"app", "tokens",
};

static const char *const sweep_keys[] = {"name", "backend", "repeats", "seed", "stop", "metric", "attempts", "late", "steal", NULL};
#define SWEEP_KEYS (sizeof(sweep_keys) / sizeof(sweep_keys[0]))

struct parse {
	struct wt_sweep *sweep;
	/* Where libinih is: lines are handed to it one at a time. */
	const char *next;
	unsigned line, too_long;
	bool indented;
	/* The entry being read; continuation lines are joined to it. */
	char section[80], key[80], value[WT_SWEEP_VALUE * 8];
	unsigned at;
	bool pending, failed;
	char heading[80];                  /* the section we are in, from its own line: libinih tells no empty ones */
	unsigned key_line[SWEEP_KEYS];     /* of [sweep], where they stand; 0: nowhere */
	unsigned fault_line;
	char why[400];
};

static int refuse(struct parse *parse, unsigned line, const char *format, ...)
{
	va_list ap;

	if (parse->failed) /* the first fault is told */
		return -EINVAL;
	parse->failed = true;
	parse->fault_line = line;
	va_start(ap, format);
	vsnprintf(parse->why, sizeof(parse->why), format, ap);
	va_end(ap);
	return -EINVAL;
}

static const char *next_param(const void *ctx, size_t i)
{
	return i < WT_SWEEP_PARAMS ? wt_sweep_param_name[i] : NULL;
}

static const char *next_sweep_key(const void *ctx, size_t i)
{
	return sweep_keys[i];
}

static int unknown(struct parse *parse, const char *what, const char *(*next)(const void *, size_t))
{
	const char *near = wt_nearest_word(parse->key, next, NULL);
	char known[200] = "";

	for (size_t i = 0; next(NULL, i); i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i ? ", " : "", next(NULL, i));
	return refuse(parse, parse->at, "unknown key '%s' in [%s]%s%s%s; expected %s: %s", parse->key, parse->heading,
		      near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", what, known);
}

/* "rel 2% max 200" */
static int stop_rule(struct parse *parse, char *err, size_t err_len)
{
	struct wt_sweep *sweep = parse->sweep;
	char share[40], most[40], more[2];

	if (sscanf(parse->value, "rel %39s max %39s %1s", share, most, more) != 2 ||
	    wt_parse_share(share, &sweep->relative, NULL, 0) || !(sweep->relative > 0) ||
	    wt_parse_count(most, &sweep->most, NULL, 0) || !sweep->most) {
		snprintf(err, err_len, "'%.100s' stop: expected 'rel SHARE max N', such as rel 2%% max 200", parse->value);
		return -EINVAL;
	}
	return 0;
}

static bool name_ok(const char *name)
{
	if (!*name || strlen(name) > 60)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("-_.", *name))
			return false;
	return true;
}

static int keep(char **out, const char *text)
{
	free(*out);
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

static int count_of(struct parse *parse, uint64_t *out, uint64_t most, char *err, size_t err_len)
{
	int error = wt_parse_count(parse->value, out, err, err_len);

	if (!error && (!*out || *out > most)) {
		snprintf(err, err_len, "'%.100s' %s: expected 1 to %llu", parse->value, parse->key, (unsigned long long)most);
		return -EINVAL;
	}
	return error;
}

static int seed_of(struct parse *parse, char *err, size_t err_len)
{
	int error = wt_parse_count(parse->value, &parse->sweep->seed, err, err_len);

	if (!error && parse->sweep->seed > (uint64_t)WT_SWEEP_SEED) {
		snprintf(err, err_len, "'%.100s' seed: expected 0 to %lld", parse->value, (long long)WT_SWEEP_SEED);
		return -EINVAL;
	}
	return error;
}

static bool first_of_its_kind(struct parse *parse)
{
	for (size_t i = 0; sweep_keys[i]; i++)
		if (!strcmp(parse->key, sweep_keys[i])) {
			if (parse->key_line[i])
				refuse(parse, parse->at, "'%s' stands twice, first on line %u", parse->key, parse->key_line[i]);
			parse->key_line[i] = parse->at;
		}
	return !parse->failed;
}

static int sweep_key(struct parse *parse, char *err, size_t err_len)
{
	struct wt_sweep *sweep = parse->sweep;
	const char *key = parse->key, *value = parse->value;

	if (!first_of_its_kind(parse))
		return -EINVAL;
	if (!strcmp(key, "name")) {
		snprintf(err, err_len, "'%.100s' name: expected letters, digits, - _ and . (it names the results folder)", value);
		return name_ok(value) && value[0] != '.' ? keep(&sweep->name, value) : -EINVAL;
	}
	if (!strcmp(key, "metric")) {
		sweep->metric_line = parse->at;
		return keep(&sweep->metric, value);
	}
	if (!strcmp(key, "repeats"))
		return count_of(parse, &sweep->repeats, 1000000, err, err_len);
	if (!strcmp(key, "attempts"))
		return count_of(parse, &sweep->attempts, 100, err, err_len);
	if (!strcmp(key, "seed"))
		return seed_of(parse, err, err_len);
	if (!strcmp(key, "late"))
		return wt_parse_time(value, &sweep->bounds.late, err, err_len);
	if (!strcmp(key, "steal"))
		return wt_parse_share(value, &sweep->bounds.steal, err, err_len);
	if (!strcmp(key, "stop"))
		return stop_rule(parse, err, err_len);
	if (strcmp(key, "backend") != 0)
		return unknown(parse, "one of", next_sweep_key);
	snprintf(err, err_len, "'%.100s' backend: expected sim, tap or packet", value);
	if (strcmp(value, "sim") != 0 && strcmp(value, "tap") != 0 && strcmp(value, "packet") != 0)
		return -EINVAL;
	snprintf(sweep->backend, sizeof(sweep->backend), "%.7s", value);
	return 0;
}

static int param_key(struct parse *parse, struct wt_sweep_value *params)
{
	for (unsigned i = 0; i < WT_SWEEP_PARAMS; i++)
		if (!strcmp(parse->key, wt_sweep_param_name[i])) {
			if (params[i].text)
				return refuse(parse, parse->at, "'%s' stands twice, first on line %u", parse->key, params[i].line);
			params[i].line = parse->at;
			return keep(&params[i].text, parse->value);
		}
	return unknown(parse, "one of", next_param);
}

/* ---- axes ----------------------------------------------------------------------------------------------- */

/* The next word of a list: blanks part words, a comma at a word's end is dropped, quotes hold words with blanks together. */
static int next_word(const char **from, char *out, size_t len)
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

static int add_word(struct wt_sweep_axis *axis, const char *word)
{
	char **more = realloc(axis->word, (axis->words + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	axis->word = more;
	axis->word[axis->words] = strdup(word);
	return axis->word[axis->words] ? (int)++axis->words : -ENOMEM;
}

static int axis_key(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_sweep_axis *axis = &sweep->axis[sweep->axes];
	char word[WT_SWEEP_VALUE];
	const char *from = parse->value;
	int more;

	for (unsigned i = 0; i < sweep->axes; i++)
		if (!strcmp(sweep->axis[i].name, parse->key))
			return refuse(parse, parse->at, "axis '%s' stands twice, first on line %u", parse->key, sweep->axis[i].line);
	if (sweep->axes == WT_SWEEP_AXES)
		return refuse(parse, parse->at, "axis '%s' is too much: expected at most %d axes", parse->key, WT_SWEEP_AXES);
	if (!name_ok(parse->key) || !strcmp(parse->key, "seed"))
		return refuse(parse, parse->at, "'%s' cannot name an axis: expected letters, digits, - _ and .", parse->key);
	axis->line = parse->at;
	sweep->axes++;
	if (keep(&axis->name, parse->key))
		return -ENOMEM;
	while ((more = next_word(&from, word, sizeof(word))) > 0) {
		for (unsigned i = 0; i < axis->words; i++)
			if (!strcmp(axis->word[i], word))
				return refuse(parse, parse->at, "axis '%s' has the word '%s' twice", parse->key, word);
		if (axis->words == WT_SWEEP_WORDS)
			return refuse(parse, parse->at, "axis '%s' has more than %d words", parse->key, WT_SWEEP_WORDS);
		if (add_word(axis, word) < 0)
			return -ENOMEM;
	}
	if (more < 0)
		return refuse(parse, parse->at, "axis '%s': %s", parse->key, more == -EINVAL ? "a quote is not closed" : "a word is too long");
	if (!axis->words)
		return refuse(parse, parse->at, "axis '%s' has no words: expected a list, such as 0%% 1%% 5%%", parse->key);
	return 0;
}

/* A section of its own even if it is empty: the variant that changes nothing. */
static int begin_variant(struct parse *parse, const char *name)
{
	struct wt_sweep *sweep = parse->sweep;

	for (unsigned i = 0; i < sweep->variants; i++)
		if (!strcmp(sweep->variant[i].name, name))
			return refuse(parse, parse->line, "[variant %s] stands twice, first on line %u", name, sweep->variant[i].line);
	if (!name_ok(name) || sweep->variants == WT_SWEEP_VARIANTS)
		return refuse(parse, parse->line, "[variant %s]: expected at most %d variants, named by letters, digits, - _ and .", name,
			      WT_SWEEP_VARIANTS);
	sweep->variant[sweep->variants].line = parse->line;
	return keep(&sweep->variant[sweep->variants++].name, name);
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* The entry is whole: continuation lines have been joined. */
static int take(struct parse *parse)
{
	char err[300] = "no memory";
	int error;

	if (!parse->pending || parse->failed)
		return 0;
	parse->pending = false;
	if (!strcmp(parse->heading, "sweep"))
		error = sweep_key(parse, err, sizeof(err));
	else if (!strcmp(parse->heading, "axes"))
		error = axis_key(parse);
	else if (!strcmp(parse->heading, "run"))
		error = param_key(parse, parse->sweep->param);
	else if (*parse->heading)
		error = param_key(parse, parse->sweep->variant[parse->sweep->variants - 1].param);
	else
		error = refuse(parse, parse->at, "'%s' stands before any section; expected [sweep] first", parse->key);
	return error ? refuse(parse, parse->at, "%s", err) : 0;
}

/* "[NAME]", which ends what stood before it. */
static int begin_section(struct parse *parse, const char *line)
{
	size_t len = strcspn(line, "]\n");
	const char *from = line;
	int error = take(parse);

	while (len > 1 && isspace((unsigned char)from[1])) {
		from++;
		len--;
	}
	if (error || line[strcspn(line, "]\n")] != ']')
		return error; /* libinih finds that */
	if (len > sizeof(parse->heading))
		return refuse(parse, parse->line, "too long: '%.40s'", line);
	snprintf(parse->heading, sizeof(parse->heading), "%.*s", (int)len - 1, from + 1);
	if (!strncmp(parse->heading, "variant ", 8))
		return begin_variant(parse, parse->heading + 8);
	if (!strcmp(parse->heading, "sweep") || !strcmp(parse->heading, "axes") || !strcmp(parse->heading, "run"))
		return 0;
	return refuse(parse, parse->line, "unknown section [%s]; expected [sweep], [axes], [run] or [variant NAME]", parse->heading);
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
	struct parse *parse = arg;
	size_t len = strlen(parse->value);

	if (parse->indented && parse->pending && !strcmp(section, parse->section) && !strcmp(key, parse->key)) {
		if (len + strlen(value) + 2 > sizeof(parse->value))
			return refuse(parse, parse->line, "the value of '%s' is too long", key) == 0;
		snprintf(parse->value + len, sizeof(parse->value) - len, " %.*s", without_comment(value), value);
		return 1;
	}
	take(parse);
	if (strlen(section) >= sizeof(parse->section) || strlen(key) >= sizeof(parse->key) || strlen(value) >= sizeof(parse->value))
		return refuse(parse, parse->line, "too long: '%.40s'", key) == 0;
	snprintf(parse->section, sizeof(parse->section), "%s", section);
	snprintf(parse->key, sizeof(parse->key), "%s", key);
	snprintf(parse->value, sizeof(parse->value), "%s", value);
	parse->at = parse->line;
	parse->pending = true;
	return !parse->failed;
}

/* libinih asks for lines in the manner of fgets(). We count them, which it does not tell its handlers. */
static char *on_read(char *out, int len, void *arg)
{
	struct parse *parse = arg;
	size_t n = strcspn(parse->next, "\n");

	if (!*parse->next || len < 2)
		return NULL;
	parse->line++;
	parse->indented = *parse->next == ' ' || *parse->next == '\t';
	if (parse->next[parse->line == 1 ? strspn(parse->next, BYTE_ORDER_MARK) : 0] == '[')
		begin_section(parse, strchr(parse->next, '['));
	if (n > (size_t)len - 2) {
		if (!parse->too_long)
			parse->too_long = parse->line;
		snprintf(out, (size_t)len, "\n");
	} else {
		memcpy(out, parse->next, n);
		out[n] = '\n';
		out[n + 1] = '\0';
	}
	parse->next += n + (parse->next[n] == '\n');
	return out;
}

/* [variant NAME] sections are an axis, the last one unless [axes] says `variant` itself. */
static int add_variants(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_sweep_axis *axis = NULL;

	for (unsigned i = 0; i < sweep->axes; i++)
		if (!strcmp(sweep->axis[i].name, "variant"))
			axis = &sweep->axis[i];
	if (!sweep->variants && axis)
		return refuse(parse, axis->line, "axis 'variant' needs sections: expected [variant %s]", axis->word[0]);
	for (unsigned w = 0; axis && w < axis->words; w++) {
		unsigned i = 0;

		while (i < sweep->variants && strcmp(sweep->variant[i].name, axis->word[w]))
			i++;
		if (i == sweep->variants)
			return refuse(parse, axis->line, "axis 'variant': no section [variant %s]", axis->word[w]);
	}
	if (!sweep->variants || axis)
		return 0;
	if (sweep->axes == WT_SWEEP_AXES)
		return refuse(parse, sweep->variant[0].line, "variants are an axis too: expected at most %d axes", WT_SWEEP_AXES);
	axis = &sweep->axis[sweep->axes++];
	axis->line = sweep->variant[0].line;
	if (keep(&axis->name, "variant"))
		return -ENOMEM;
	for (unsigned i = 0; i < sweep->variants; i++)
		if (add_word(axis, sweep->variant[i].name) < 0)
			return -ENOMEM;
	return 0;
}

static int complete(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	uint64_t points = 1, most;

	if (!sweep->name)
		return refuse(parse, parse->line, "no name: expected 'name = ...' in [sweep]");
	if (add_variants(parse))
		return -EINVAL;
	if (sweep->relative > 0 && sweep->most < sweep->repeats)
		return refuse(parse, parse->line, "stop: max %llu is below repeats %llu", (unsigned long long)sweep->most,
			      (unsigned long long)sweep->repeats);
	if (sweep->relative > 0 && sweep->repeats < 3)
		return refuse(parse, parse->line, "stop needs an interval: expected repeats of 3 or more");
	most = sweep->relative > 0 ? sweep->most : sweep->repeats;
	for (unsigned i = 0; i < sweep->axes; i++) {
		points *= sweep->axis[i].words;
		if (points * most > WT_SWEEP_RUNS)
			return refuse(parse, sweep->axis[i].line, "more than %u runs", WT_SWEEP_RUNS);
	}
	if (most > WT_SWEEP_RUNS)
		return refuse(parse, parse->line, "more than %u runs", WT_SWEEP_RUNS);
	sweep->points = (uint32_t)points;
	return 0;
}

int wt_sweep_parse(struct wt_sweep *sweep, const char *text, const char *name, char *err, size_t err_len)
{
	struct parse *parse = calloc(1, sizeof(*parse));
	int line, error;

	memset(sweep, 0, sizeof(*sweep));
	sweep->seed = 1;
	sweep->repeats = 10;
	sweep->attempts = WT_LAB_ATTEMPTS;
	sweep->bounds = (struct wt_verdict_bounds)WT_VERDICT_BOUNDS;
	snprintf(sweep->backend, sizeof(sweep->backend), "sim");
	snprintf(err, err_len, "%s: no memory", name);
	if (!parse || keep(&sweep->file, name) || keep(&sweep->metric, "goodput_kBps")) {
		free(parse);
		return -ENOMEM;
	}
	parse->sweep = sweep;
	parse->next = text;
	line = ini_parse_stream(on_read, parse, on_entry, parse);
	if (parse->too_long && (!parse->failed || parse->too_long <= parse->fault_line)) {
		parse->failed = false;
		refuse(parse, parse->too_long, "the line is too long; continue on the next line, indented");
	}
	if (line > 0 && !parse->failed)
		refuse(parse, (unsigned)line, "neither [section] nor name = value");
	take(parse);
	error = parse->failed || complete(parse) ? -EINVAL : 0;
	if (parse->failed)
		snprintf(err, err_len, "%s:%u: %s", name, parse->fault_line, parse->why);
	free(parse);
	return error;
}

int wt_sweep_load(struct wt_sweep *sweep, const char *path, char *err, size_t err_len)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(TEXT_MAX + 1) : NULL;
	size_t len = text ? fread(text, 1, TEXT_MAX, file) : 0;
	int error = 0;

	memset(sweep, 0, sizeof(*sweep));
	if (!file || !text || ferror(file))
		error = !file || text ? -errno : -ENOMEM;
	else if (!feof(file))
		error = -EFBIG;
	if (error) {
		snprintf(err, err_len, "%s: %s", path, strerror(-error));
	} else if (memchr(text, 0, len)) {
		error = -EINVAL;
		snprintf(err, err_len, "%s:1: not a text file", path);
	} else {
		text[len] = '\0';
		error = wt_sweep_parse(sweep, text, path, err, err_len);
	}
	free(text);
	if (file)
		fclose(file);
	return error;
}

static void free_params(struct wt_sweep_value *params)
{
	for (unsigned i = 0; i < WT_SWEEP_PARAMS; i++)
		free(params[i].text);
}

void wt_sweep_finish(struct wt_sweep *sweep)
{
	free(sweep->file);
	free(sweep->name);
	free(sweep->metric);
	free_params(sweep->param);
	for (unsigned i = 0; i < sweep->variants; i++) {
		free(sweep->variant[i].name);
		free_params(sweep->variant[i].param);
	}
	for (unsigned i = 0; i < sweep->axes; i++) {
		for (unsigned w = 0; w < sweep->axis[i].words; w++)
			free(sweep->axis[i].word[w]);
		free(sweep->axis[i].word);
		free(sweep->axis[i].name);
	}
	memset(sweep, 0, sizeof(*sweep));
}

const char *wt_sweep_word(const struct wt_sweep *sweep, uint32_t point, unsigned axis)
{
	for (unsigned i = sweep->axes - 1; i > axis; i--)
		point /= sweep->axis[i].words;
	return sweep->axis[axis].word[point % sweep->axis[axis].words];
}

const char *wt_sweep_point_text(const struct wt_sweep *sweep, uint32_t point, char *text, size_t len)
{
	size_t at = 0;

	snprintf(text, len, "%s", sweep->axes ? "" : "the only point");
	for (unsigned i = 0; i < sweep->axes && at < len; i++)
		at += (size_t)snprintf(text + at, len - at, "%s%s=%s", i ? " " : "", sweep->axis[i].name, wt_sweep_word(sweep, point, i));
	return text;
}
