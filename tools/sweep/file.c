/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/params.h"
#include "stack/text/units.h"
#include "tools/sweep/lab.h"
#include "tools/words/ini_text.h"

#define BASE_DEPTH 4

const char *const wt_sweep_param_name[WT_SWEEP_PARAMS] = {
	"stack", "sender", "recovery", "receiver", "preset", "settings", "link", "fwd", "rev", "mtu", "size", "time", "flows", "limit",
	"app", "tokens", "world",
};

static const char *const sweep_keys[] = {"name", "backend", "repeats", "seed", "stop", "metric", "attempts", "late", "steal", "title",
					 "source", "axis", "figure", "unavailable", "base", "rows", NULL};
#define SWEEP_KEYS (sizeof(sweep_keys) / sizeof(sweep_keys[0]))
#define SECTIONS "[sweep], [axes], [run] or [variant NAME], of a table [printed METRIC], [claims], [parameters], [expected], [without RULE] or [under PRESET]"

struct parse {
	struct wt_ini ini; /* first: what is told of an entry leads back to this */
	struct wt_sweep *sweep;
	struct wt_sweep_variant *section; /* the one we are in */
	struct wt_sweep_change *change;
	unsigned key_line[SWEEP_KEYS];    /* of [sweep], where they stand; 0: nowhere */
	unsigned depth, base_line;        /* of files based on files; where the base is named */
	bool begun;                       /* there was an entry */
};

static int parse_text(struct wt_sweep *sweep, const char *text, const char *name, unsigned depth, char *err, size_t err_len);

static const char *next_param(const void *ctx, size_t i)
{
	return i < WT_SWEEP_PARAMS ? wt_sweep_param_name[i] : NULL;
}

static const char *next_sweep_key(const void *ctx, size_t i)
{
	return sweep_keys[i];
}

static int unknown(struct wt_ini *ini, const char *(*next)(const void *, size_t))
{
	const char *near = wt_nearest_word(ini->key, next, NULL);
	char known[240] = "";

	for (size_t i = 0; next(NULL, i); i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i ? ", " : "", next(NULL, i));
	return wt_ini_refuse(ini, "unknown key '%s' in [%s]%s%s%s; expected one of: %s", ini->key, ini->section,
			     near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "", known);
}

static bool name_ok(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return *name && strlen(name) <= 60 && !name[strspn(name, letters)];
}

static int keep(char **out, const char *text)
{
	free(*out);
	*out = strdup(text);
	return *out ? 0 : -ENOMEM;
}

/* A new last one of a list on the heap, all zero; NULL: no memory. */
static void *grow(void *list, unsigned *count, size_t size)
{
	char *more = realloc(*(void **)list, (*count + 1) * size);

	if (!more)
		return NULL;
	memcpy(list, &more, sizeof(more));
	return memset(more + (*count)++ * size, 0, size);
}

/* ---- [sweep] ---------------------------------------------------------------------------------------------- */

/* "rel 2% max 200" */
static int stop_rule(struct wt_ini *ini, struct wt_sweep *sweep)
{
	char share[40], most[40], more[2];

	if (sscanf(ini->value, "rel %39s max %39s %1s", share, most, more) != 2 ||
	    wt_parse_share(share, &sweep->relative, NULL, 0) || !(sweep->relative > 0) ||
	    wt_parse_count(most, &sweep->most, NULL, 0) || !sweep->most)
		return wt_ini_refuse(ini, "stop: '%.100s': expected 'rel SHARE max N', such as rel 2%% max 200", ini->value);
	return 0;
}

static int count_of(struct wt_ini *ini, uint64_t *out, uint64_t least, uint64_t most)
{
	if (wt_parse_count(ini->value, out, NULL, 0) || *out < least || *out > most)
		return wt_ini_refuse(ini, "%s: '%.100s': expected %" PRIu64 " to %" PRIu64, ini->key, ini->value, least, most);
	return 0;
}

/* late, steal */
static int bound_of(struct wt_ini *ini, struct wt_verdict_bounds *bounds, bool late)
{
	char why[200];
	int error = late ? wt_parse_time(ini->value, &bounds->late, why, sizeof(why)) : wt_parse_share(ini->value, &bounds->steal, why, sizeof(why));

	return error ? wt_ini_refuse(ini, "%s: %s", ini->key, why) : 0;
}

static int take_name(struct wt_ini *ini, struct wt_sweep *sweep)
{
	const char *slash = strchr(ini->value, '/');
	char paper[64];

	snprintf(paper, sizeof(paper), "%.*s", slash ? (int)(slash - ini->value) : 1, ini->value);
	if (!name_ok(slash ? slash + 1 : ini->value) || !name_ok(paper) || *ini->value == '.')
		return wt_ini_refuse(ini, "name: '%.100s': expected letters, digits, - _ and . (it names the results folder), or PAPER/TABLE",
				     ini->value);
	return keep(&sweep->name, ini->value);
}

static int take_backend(struct wt_ini *ini, struct wt_sweep *sweep)
{
	if (strcmp(ini->value, "sim") != 0 && strcmp(ini->value, "tap") != 0 && strcmp(ini->value, "packet") != 0)
		return wt_ini_refuse(ini, "backend: '%.100s': expected sim, tap or packet", ini->value);
	snprintf(sweep->backend, sizeof(sweep->backend), "%.7s", ini->value);
	return 0;
}

/* Another file by its name. */
static int load_other(struct parse *parse, struct wt_sweep *out)
{
	struct wt_ini *ini = &parse->ini;
	char name[512], why[500];
	int error = 0;
	char *text;

	text = parse->depth < BASE_DEPTH ? wt_sweep_text(ini->value, name, &error, why, sizeof(why)) : NULL;
	if (text)
		error = parse_text(out, text, name, parse->depth + 1, why, sizeof(why));
	free(text);
	if (error && error != -ELOOP)
		return wt_ini_refuse(ini, "%s: %s", ini->key, why);
	if (!error && text)
		return 0;
	wt_ini_refuse(ini, "%s: the files of base form a loop, or a chain of more than %d", ini->key, BASE_DEPTH);
	return -ELOOP;
}

static int take_base(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	char *file = sweep->file;
	int error;

	if (parse->begun)
		return wt_ini_refuse(&parse->ini, "'base' must be the first key of the file");
	sweep->file = NULL;
	wt_sweep_finish(sweep);
	error = load_other(parse, sweep);
	free(sweep->file);
	sweep->file = file;
	if (error)
		return error;
	parse->base_line = parse->ini.line;
	free(sweep->name);
	free(sweep->title);
	free(sweep->figure);
	sweep->name = sweep->title = sweep->figure = NULL;
	wt_sweep_forget_notes(sweep, false);
	wt_sweep_set_lines(sweep, 0);
	return 0;
}

/* The printed numbers of another table with the axes they belong to, where only the set-up differs. */
static int take_rows(struct parse *parse)
{
	struct wt_sweep *from = calloc(1, sizeof(*from)), *sweep = parse->sweep;
	int error = from ? load_other(parse, from) : -ENOMEM;
	struct wt_sweep_note *mine;

	if (!error) {
		wt_sweep_forget_axes(sweep);
		memcpy(sweep->axis, from->axis, sizeof(sweep->axis));
		sweep->axes = from->axes;
		from->axes = 0;
	}
	for (unsigned i = 0; i < from->notes && !error; i++) {
		struct wt_sweep_note *note = &from->note[i];

		if (strncmp(note->section, "printed", 7))
			continue;
		mine = grow(&sweep->note, &sweep->notes, sizeof(*mine));
		if (!mine || keep(&mine->section, note->section) || keep(&mine->key, note->key) || keep(&mine->text, note->text))
			error = -ENOMEM;
		else
			mine->line = parse->ini.line;
	}
	if (from)
		wt_sweep_finish(from);
	free(from);
	return error;
}

static int sweep_key(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_ini *ini = &parse->ini;
	char **const text[] = {&sweep->title, &sweep->source, &sweep->heading, &sweep->figure, &sweep->unavailable}; /* keys 9 to 13 */
	unsigned key = 0;

	while (sweep_keys[key] && strcmp(sweep_keys[key], ini->key))
		key++;
	if (!sweep_keys[key])
		return unknown(ini, next_sweep_key);
	if (parse->key_line[key])
		return wt_ini_refuse(ini, "'%s' appears twice, first on line %u", ini->key, parse->key_line[key]);
	parse->key_line[key] = ini->line;
	switch (key) {
	case 0: return take_name(ini, sweep);
	case 1: return take_backend(ini, sweep);
	case 2: return count_of(ini, &sweep->repeats, 1, 1000000);
	case 3: return count_of(ini, &sweep->seed, 0, (uint64_t)WT_SWEEP_SEED);
	case 4: return stop_rule(ini, sweep);
	case 5:
		sweep->metric_line = ini->line;
		return keep(&sweep->metric, ini->value);
	case 6: return count_of(ini, &sweep->attempts, 1, 100);
	case 7:
	case 8: return bound_of(ini, &sweep->bounds, key == 7);
	case 14: return take_base(parse);
	case 15: return take_rows(parse);
	}
	return keep(text[key - 9], ini->value);
}

static int take_value(struct wt_ini *ini, struct wt_sweep_value *value)
{
	if (value->text && value->line)
		return wt_ini_refuse(ini, "'%s' appears twice, first on line %u", ini->key, value->line);
	value->line = ini->line;
	return keep(&value->text, ini->value);
}

/* A key of [run], or of the section of a word; `section` NULL: of [run]. */
static int param_key(struct wt_ini *ini, struct wt_sweep_value *params, struct wt_sweep_variant *section)
{
	int param = wt_sweep_param_of(ini->key);
	struct wt_sweep_name *own;

	if (param >= 0)
		return take_value(ini, &params[param]);
	if (section && !strcmp(ini->key, "label"))
		return keep(&section->label, ini->value);
	if (!section || !strcmp(section->axis, "variant"))
		return unknown(ini, next_param);
	for (unsigned i = 0; i < section->names; i++)
		if (!strcmp(section->own[i].name, ini->key))
			return take_value(ini, &section->own[i].value);
	own = grow(&section->own, &section->names, sizeof(*own));
	return own && !keep(&own->name, ini->key) ? take_value(ini, &own->value) : -ENOMEM;
}

/* ---- axes ----------------------------------------------------------------------------------------------- */

static int add_word(struct wt_sweep_axis *axis, const char *word)
{
	char **more = realloc(axis->word, (axis->words + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	axis->word = more;
	axis->word[axis->words] = strdup(word);
	return axis->word[axis->words] ? (int)++axis->words : -ENOMEM;
}

/* An axis of the base is said anew. */
static struct wt_sweep_axis *axis_named(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_ini *ini = &parse->ini;
	struct wt_sweep_axis *axis = NULL;

	for (unsigned i = 0; i < sweep->axes; i++)
		if (!strcmp(sweep->axis[i].name, ini->key))
			axis = &sweep->axis[i];
	if (axis && axis->line)
		wt_ini_refuse(ini, "axis '%s' appears twice, first on line %u", ini->key, axis->line);
	else if (!axis && sweep->axes == WT_SWEEP_AXES)
		wt_ini_refuse(ini, "axis '%s': a sweep has at most %d axes", ini->key, WT_SWEEP_AXES);
	else if (!name_ok(ini->key) || !strcmp(ini->key, "seed"))
		wt_ini_refuse(ini, "'%s' cannot name an axis: expected letters, digits, - _ and .", ini->key);
	if (ini->error)
		return NULL;
	if (!axis) {
		axis = &sweep->axis[sweep->axes];
		memset(axis, 0, sizeof(*axis));
		if (keep(&axis->name, ini->key))
			return NULL;
		sweep->axes++;
	}
	while (axis->words)
		free(axis->word[--axis->words]);
	axis->line = ini->line;
	return axis;
}

static int axis_key(struct parse *parse)
{
	struct wt_ini *ini = &parse->ini;
	struct wt_sweep_axis *axis = axis_named(parse);
	char word[WT_SWEEP_VALUE];
	const char *from = ini->value;
	int more;

	if (!axis)
		return ini->error ? ini->error : -ENOMEM;
	while ((more = wt_ini_word(&from, word, sizeof(word))) > 0) {
		for (unsigned i = 0; i < axis->words; i++)
			if (!strcmp(axis->word[i], word))
				return wt_ini_refuse(ini, "axis '%s' has the word '%s' twice", ini->key, word);
		if (axis->words == WT_SWEEP_WORDS)
			return wt_ini_refuse(ini, "axis '%s' has more than %d words", ini->key, WT_SWEEP_WORDS);
		if (add_word(axis, word) < 0)
			return -ENOMEM;
	}
	if (more < 0)
		return wt_ini_refuse(ini, "axis '%s': %s", ini->key, more == -EINVAL ? "a quote is not closed" : "a word is too long");
	if (!axis->words)
		return wt_ini_refuse(ini, "axis '%s' has no words: expected a list, such as 0%% 1%% 5%%", ini->key);
	return 0;
}

/* ---- sections --------------------------------------------------------------------------------------------- */

/* A section of its own even if it is empty: the variant that changes nothing. One of the base is added to. */
static int begin_variant(struct parse *parse, const char *axis, const char *name)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_ini *ini = &parse->ini;
	struct wt_sweep_variant *section = NULL;

	for (unsigned i = 0; i < sweep->variants && !section; i++)
		if (!strcmp(sweep->variant[i].axis, axis) && !strcmp(sweep->variant[i].name, name))
			section = &sweep->variant[i];
	if (section && section->line)
		return wt_ini_refuse(ini, "[%s] appears twice, first on line %u", ini->section, section->line);
	if (!section) {
		if (!name_ok(name) || sweep->variants == WT_SWEEP_VARIANTS)
			return wt_ini_refuse(ini, "[%s]: expected at most %d variants, named by letters, digits, - _ and .", ini->section,
					     WT_SWEEP_VARIANTS);
		section = &sweep->variant[sweep->variants++];
		if (keep(&section->axis, axis) || keep(&section->name, name))
			return -ENOMEM;
	}
	section->line = ini->line;
	parse->section = section;
	return 0;
}

static int begin_change(struct parse *parse, const char *kind, const char *name)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_ini *ini = &parse->ini;
	char full[128];

	snprintf(full, sizeof(full), "%s-%s", kind, name);
	if (!name_ok(full))
		return wt_ini_refuse(ini, "[%s]: expected a name of letters, digits, - _ and .", ini->section);
	parse->change = NULL;
	for (unsigned i = 0; i < sweep->changes; i++)
		if (!strcmp(sweep->change[i].name, full))
			parse->change = &sweep->change[i];
	if (parse->change && parse->change->line)
		return wt_ini_refuse(ini, "[%s] appears twice, first on line %u", ini->section, parse->change->line);
	if (!parse->change) {
		parse->change = grow(&sweep->change, &sweep->changes, sizeof(*sweep->change));
		if (!parse->change || keep(&parse->change->name, full))
			return -ENOMEM;
	}
	parse->change->line = ini->line;
	return 0;
}

static int begin(struct wt_ini *ini)
{
	struct parse *parse = (struct parse *)ini;
	struct wt_sweep *sweep = parse->sweep;
	const char *name;

	parse->section = NULL;
	parse->change = NULL;
	if (!strcmp(ini->section, "sweep") || !strcmp(ini->section, "axes") || !strcmp(ini->section, "run") || wt_sweep_is_notes(ini->section))
		return 0;
	if ((name = wt_ini_name(ini->section, "variant")))
		return begin_variant(parse, "variant", name);
	if ((name = wt_ini_name(ini->section, "without")))
		return begin_change(parse, "without", name);
	if ((name = wt_ini_name(ini->section, "under")))
		return begin_change(parse, "under", name);
	for (unsigned i = 0; i < sweep->axes; i++)
		if ((name = wt_ini_name(ini->section, sweep->axis[i].name)))
			for (unsigned w = 0; w < sweep->axis[i].words; w++)
				if (!strcmp(sweep->axis[i].word[w], name))
					return begin_variant(parse, sweep->axis[i].name, name);
	return wt_ini_refuse(ini, "unknown section [%s]; expected " SECTIONS, ini->section);
}

/* One of the same section and key in the base is replaced, and so is a value that goes on. */
static int take_note(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_ini *ini = &parse->ini;
	struct wt_sweep_note *note = NULL;

	for (unsigned i = 0; i < sweep->notes && !note; i++)
		if (!strcmp(sweep->note[i].section, ini->section) && !strcmp(sweep->note[i].key, ini->key))
			note = &sweep->note[i];
	if (note && note->line)
		return wt_ini_refuse(ini, "'%s' appears twice, first on line %u", ini->key, note->line);
	if (!note)
		note = grow(&sweep->note, &sweep->notes, sizeof(*note));
	if (!note || keep(&note->section, ini->section) || keep(&note->key, ini->key) || keep(&note->text, ini->value))
		return -ENOMEM;
	note->line = ini->line;
	return 0;
}

/* text, a parameter of all, or "PARAMETER VARIANT" of one. */
static int change_key(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_ini *ini = &parse->ini;
	size_t len = strcspn(ini->key, " ");
	const char *variant = ini->key[len] ? ini->key + len + 1 : NULL;
	struct wt_sweep_edit *edit;
	bool known = !variant;
	char word[80];
	int param;

	if (!strcmp(ini->key, "text"))
		return keep(&parse->change->text, ini->value);
	snprintf(word, sizeof(word), "%.*s", (int)len, ini->key);
	param = wt_sweep_param_of(word);
	for (unsigned i = 0; i < sweep->variants && variant; i++)
		known |= !strcmp(sweep->variant[i].axis, "variant") && !strcmp(sweep->variant[i].name, variant);
	if (param < 0 || !known)
		return wt_ini_refuse(ini, "unknown key '%s' of [%s]: expected text, preset, settings, or sender, recovery or receiver with the "
				     "name of a variant above", ini->key, ini->section);
	for (unsigned i = 0; i < parse->change->edits; i++) {
		edit = &parse->change->edit[i];
		if (edit->param == (enum wt_sweep_param)param && (variant ? edit->variant && !strcmp(edit->variant, variant) : !edit->variant))
			return keep(&edit->text, ini->value);
	}
	edit = grow(&parse->change->edit, &parse->change->edits, sizeof(*edit));
	if (!edit || keep(&edit->text, ini->value) || (variant && keep(&edit->variant, variant)))
		return -ENOMEM;
	edit->param = (enum wt_sweep_param)param;
	return 0;
}

static int take(struct wt_ini *ini)
{
	struct parse *parse = (struct parse *)ini;
	int error;

	if (!strcmp(ini->section, "sweep"))
		error = sweep_key(parse);
	else if (!strcmp(ini->section, "axes"))
		error = axis_key(parse);
	else if (!strcmp(ini->section, "run"))
		error = param_key(ini, parse->sweep->param, NULL);
	else if (parse->section)
		error = param_key(ini, parse->section->param, parse->section);
	else if (parse->change)
		error = change_key(parse);
	else if (wt_sweep_is_notes(ini->section))
		error = take_note(parse);
	else
		error = wt_ini_refuse(ini, "'%s' stands before any section; expected [sweep] first", ini->key);
	parse->begun = true;
	return error;
}

/* [variant NAME] sections are an axis, the last one unless [axes] says `variant` itself. */
static int add_variants(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_sweep_axis *axis = NULL;
	unsigned first = 0, count = 0;

	for (unsigned i = sweep->variants; i-- > 0;)
		if (!strcmp(sweep->variant[i].axis, "variant")) {
			first = sweep->variant[i].line;
			count++;
		}
	for (unsigned i = 0; i < sweep->axes; i++)
		if (!strcmp(sweep->axis[i].name, "variant"))
			axis = &sweep->axis[i];
	if (!count && axis)
		return wt_ini_refuse_at(&parse->ini, axis->line, "axis 'variant' needs sections: expected [variant %s]", axis->word[0]);
	for (unsigned w = 0; axis && w < axis->words; w++) {
		unsigned i = 0;

		while (i < sweep->variants && (strcmp(sweep->variant[i].axis, "variant") || strcmp(sweep->variant[i].name, axis->word[w])))
			i++;
		if (i == sweep->variants)
			return wt_ini_refuse_at(&parse->ini, axis->line, "axis 'variant': no section [variant %s]", axis->word[w]);
	}
	if (!count || axis)
		return 0;
	if (sweep->axes == WT_SWEEP_AXES)
		return wt_ini_refuse_at(&parse->ini, first, "variants are an axis too: expected at most %d axes", WT_SWEEP_AXES);
	axis = &sweep->axis[sweep->axes];
	memset(axis, 0, sizeof(*axis));
	if (keep(&axis->name, "variant"))
		return -ENOMEM;
	sweep->axes++;
	axis->line = first;
	for (unsigned i = 0; i < sweep->variants; i++)
		if (!strcmp(sweep->variant[i].axis, "variant") && add_word(axis, sweep->variant[i].name) < 0)
			return -ENOMEM;
	return 0;
}

static int complete(struct parse *parse)
{
	struct wt_sweep *sweep = parse->sweep;
	struct wt_ini *ini = &parse->ini;
	uint64_t points = 1, most;

	if (sweep->unavailable)
		return 0;
	if (!sweep->name)
		return wt_ini_refuse(ini, "no name: expected 'name = ...' in [sweep]%s", parse->base_line ? "; a base does not give its own" : "");
	wt_sweep_set_lines(sweep, parse->base_line ? parse->base_line : 1);
	if (add_variants(parse))
		return -EINVAL;
	for (unsigned i = 0; i < sweep->changes; i++)
		if (!sweep->change[i].edits)
			return wt_ini_refuse_at(ini, sweep->change[i].line ? sweep->change[i].line : parse->base_line,
						"[%s] changes nothing: expected preset, settings, or another parameter", sweep->change[i].name);
	if (sweep->relative > 0 && (sweep->most < sweep->repeats || sweep->repeats < 3))
		return wt_ini_refuse(ini, "stop: expected repeats of 3 or more, and a max of at least repeats");
	most = sweep->relative > 0 ? sweep->most : sweep->repeats;
	for (unsigned i = 0; i < sweep->axes; i++) {
		points *= sweep->axis[i].words;
		if (points * most > WT_SWEEP_RUNS)
			return wt_ini_refuse_at(ini, sweep->axis[i].line, "more than %u runs", WT_SWEEP_RUNS);
	}
	if (most > WT_SWEEP_RUNS)
		return wt_ini_refuse(ini, "more than %u runs", WT_SWEEP_RUNS);
	sweep->points = (uint32_t)points;
	return 0;
}

static int parse_text(struct wt_sweep *sweep, const char *text, const char *name, unsigned depth, char *err, size_t err_len)
{
	struct parse *parse = calloc(1, sizeof(*parse));
	int error;

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
	parse->ini.take = take;
	parse->ini.begin = begin;
	parse->sweep = sweep;
	parse->depth = depth;
	error = wt_ini_parse(&parse->ini, text, name, err, err_len);
	if (!error && !depth && complete(parse)) {
		error = parse->ini.error ? parse->ini.error : -ENOMEM;
		if (parse->ini.error)
			snprintf(err, err_len, "%s:%u: %s", name, parse->ini.fault_line, parse->ini.why);
	}
	if (!error && !depth && sweep->unavailable) {
		error = -ENODATA;
		snprintf(err, err_len, "%s: %s", name, sweep->unavailable);
	}
	free(parse);
	return error;
}

int wt_sweep_parse(struct wt_sweep *sweep, const char *text, const char *name, char *err, size_t err_len)
{
	return parse_text(sweep, text, name, 0, err, err_len);
}
