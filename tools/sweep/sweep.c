/* SPDX-License-Identifier: BSD-2-Clause */
/* A sweep that was read: its words, its changes, its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/file.h"
#include "tools/words/ini_text.h"

int wt_sweep_param_of(const char *key)
{
	for (int i = 0; i < WT_SWEEP_PARAMS; i++)
		if (!strcmp(key, wt_sweep_param_name[i]))
			return i;
	return -1;
}

static void set_line(unsigned *line, unsigned to)
{
	if (!*line || !to)
		*line = to;
}

static void set_lines_of(struct wt_sweep_value params[WT_SWEEP_PARAMS], unsigned to)
{
	for (unsigned i = 0; i < WT_SWEEP_PARAMS; i++)
		set_line(&params[i].line, to);
}

void wt_sweep_set_lines(struct wt_sweep *sweep, unsigned to)
{
	set_line(&sweep->metric_line, to);
	set_lines_of(sweep->param, to);
	for (unsigned i = 0; i < sweep->axes; i++)
		set_line(&sweep->axis[i].line, to);
	for (unsigned i = 0; i < sweep->variants; i++) {
		set_line(&sweep->variant[i].line, to);
		set_lines_of(sweep->variant[i].param, to);
	}
	for (unsigned i = 0; i < sweep->notes; i++)
		set_line(&sweep->note[i].line, to);
	for (unsigned i = 0; i < sweep->changes; i++)
		set_line(&sweep->change[i].line, to);
}

static void free_params(struct wt_sweep_value *params)
{
	for (unsigned i = 0; i < WT_SWEEP_PARAMS; i++)
		free(params[i].text);
}

static void free_section(struct wt_sweep_variant *section)
{
	free(section->axis);
	free(section->name);
	free(section->label);
	free_params(section->param);
	for (unsigned i = 0; i < section->names; i++) {
		free(section->own[i].name);
		free(section->own[i].value.text);
	}
	free(section->own);
}

static void free_change(struct wt_sweep_change *change)
{
	free(change->name);
	free(change->text);
	for (unsigned i = 0; i < change->edits; i++) {
		free(change->edit[i].variant);
		free(change->edit[i].text);
	}
	free(change->edit);
}

void wt_sweep_forget_notes(struct wt_sweep *sweep, bool all)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < sweep->notes; i++) {
		struct wt_sweep_note *note = &sweep->note[i];

		if (!all && !strcmp(note->section, "parameters")) {
			sweep->note[kept++] = *note;
			continue;
		}
		free(note->section);
		free(note->key);
		free(note->text);
	}
	sweep->notes = kept;
}

void wt_sweep_forget_axes(struct wt_sweep *sweep)
{
	for (unsigned i = 0; i < sweep->axes; i++) {
		for (unsigned w = 0; w < sweep->axis[i].words; w++)
			free(sweep->axis[i].word[w]);
		free(sweep->axis[i].word);
		free(sweep->axis[i].name);
	}
	sweep->axes = 0;
}

void wt_sweep_finish(struct wt_sweep *sweep)
{
	char *texts[] = {sweep->file, sweep->name, sweep->metric, sweep->title, sweep->source, sweep->heading, sweep->figure,
			 sweep->unavailable, sweep->changed};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	free_params(sweep->param);
	for (unsigned i = 0; i < sweep->variants; i++)
		free_section(&sweep->variant[i]);
	for (unsigned i = 0; i < sweep->changes; i++)
		free_change(&sweep->change[i]);
	free(sweep->change);
	wt_sweep_forget_axes(sweep);
	wt_sweep_forget_notes(sweep, true);
	free(sweep->note);
	memset(sweep, 0, sizeof(*sweep));
}

void wt_sweep_folder(const struct wt_sweep *sweep, const char *end, char *dir, size_t len)
{
	snprintf(dir, len, "results/%s%s", sweep->name, end);
	for (char *c = dir + strlen("results/"); *c; c++)
		if (*c == '/')
			*c = '-';
}

uint64_t wt_sweep_most(const struct wt_sweep *sweep)
{
	uint64_t most = sweep->relative > 0 ? sweep->most : sweep->repeats;

	for (unsigned look = 1; look < sweep->looks; look++)
		most *= 3;
	return most;
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

int wt_sweep_series(const struct wt_sweep *sweep)
{
	for (unsigned i = 0; i < sweep->axes; i++)
		if (!strcmp(sweep->axis[i].name, "variant"))
			return (int)i;
	return (int)sweep->axes - 1;
}

const char *wt_sweep_label(const struct wt_sweep *sweep, const char *word)
{
	int series = wt_sweep_series(sweep);

	for (unsigned i = 0; i < sweep->variants; i++)
		if (!strcmp(sweep->variant[i].axis, sweep->axis[series].name) && !strcmp(sweep->variant[i].name, word) && sweep->variant[i].label)
			return sweep->variant[i].label;
	return word;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

bool wt_sweep_is_table(const struct wt_sweep *sweep)
{
	for (unsigned i = 0; i < sweep->notes; i++)
		if (!strncmp(sweep->note[i].section, "printed", 7))
			return true;
	return false;
}

uint32_t wt_sweep_row(const struct wt_sweep *sweep, uint32_t point)
{
	int series = wt_sweep_series(sweep);
	uint32_t row = 0, place = 1;

	for (unsigned i = sweep->axes; i-- > 0;) {
		if ((int)i != series) {
			row += point % sweep->axis[i].words * place;
			place *= sweep->axis[i].words;
		}
		point /= sweep->axis[i].words;
	}
	return row;
}

const char *wt_sweep_row_text(const struct wt_sweep *sweep, uint32_t point, char *text, size_t len)
{
	int series = wt_sweep_series(sweep);
	uint32_t row = wt_sweep_row(sweep, point);
	const char *section = NULL;
	size_t at = 0;

	for (unsigned i = 0; i < sweep->notes; i++) {
		const struct wt_sweep_note *note = &sweep->note[i];

		if (strncmp(note->section, "printed", 7) || wt_ini_name(note->key, "note") || wt_ini_name(note->key, "suspect") || !strcmp(note->key, "what") ||
		    (section && strcmp(section, note->section)))
			continue;
		section = note->section;
		if (!row--) {
			snprintf(text, len, "%s", note->key);
			return text;
		}
	}
	*text = '\0';
	for (unsigned i = 0; i < sweep->axes && at < len; i++)
		if ((int)i != series)
			at += (size_t)snprintf(text + at, len - at, "%s%s", at ? " " : "", wt_sweep_word(sweep, point, i));
	return text;
}

/* ---- changes ---------------------------------------------------------------------------------------------- */

const struct wt_sweep_change *wt_sweep_change_of(const struct wt_sweep *sweep, const char *name)
{
	for (unsigned i = 0; i < sweep->changes; i++)
		if (!strcmp(sweep->change[i].name, name))
			return &sweep->change[i];
	return NULL;
}

/* In place of what stands there; settings and parameters of modules behind it: after a comma, or a colon where only a module's name stands. */
static int edit_value(struct wt_sweep_value *value, const struct wt_sweep_edit *edit)
{
	bool settings = edit->param == WT_SWEEP_SETTINGS;
	bool adds = settings || edit->param == WT_SWEEP_SENDER || edit->param == WT_SWEEP_RECOVERY || edit->param == WT_SWEEP_RECEIVER;
	const char *before = adds && value->text ? value->text : "";
	char *text;

	if (asprintf(&text, "%s%s%s", before, !*before ? "" : settings || strchr(before, ':') ? "," : ":", edit->text) < 0)
		return -ENOMEM;
	free(value->text);
	value->text = text;
	return 0;
}

/* Of all: in [run], and in each variant that says it for itself. */
static int make_edit(struct wt_sweep *sweep, const struct wt_sweep_edit *edit)
{
	int error = edit->variant ? 0 : edit_value(&sweep->param[edit->param], edit);

	for (unsigned i = 0; i < sweep->variants && !error; i++) {
		struct wt_sweep_variant *variant = &sweep->variant[i];

		if (edit->variant ? !strcmp(variant->axis, "variant") && !strcmp(variant->name, edit->variant) : variant->param[edit->param].text != NULL)
			error = edit_value(&variant->param[edit->param], edit);
	}
	return error;
}

int wt_sweep_apply_change(struct wt_sweep *sweep, const char *name, char *err, size_t err_len)
{
	const struct wt_sweep_change *change = wt_sweep_change_of(sweep, name);
	int error = 0;

	if (!change) {
		snprintf(err, err_len, "%s declares no '%s'", sweep->name, name);
		return -EINVAL;
	}
	free(sweep->changed);
	sweep->changed = strdup(name);
	for (unsigned i = 0; i < change->edits && !error; i++)
		error = make_edit(sweep, &change->edit[i]);
	return sweep->changed ? error : -ENOMEM;
}

/* ---- notes ------------------------------------------------------------------------------------------------ */

bool wt_sweep_is_notes(const char *section)
{
	static const char *const names[] = {"printed", "claims", "parameters", "expected"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(section, names[i]))
			return true;
	return wt_ini_name(section, "printed") != NULL;
}
