/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/paper/claims.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/text/units.h"
#include "tools/words/ini_text.h"
#include "tools/paper/table.h"

extern const struct wt_embedded wt_claim_files[];

const char *const wt_claim_verdicts[WT_CLAIM_VERDICTS] = {
	[WT_CLAIM_NOT_YET] = "not yet",
	[WT_CLAIM_HOLDS] = "holds",
	[WT_CLAIM_PARTLY] = "holds in part",
	[WT_CLAIM_FAILS] = "fails",
	[WT_CLAIM_UNDECIDED] = "cannot be decided",
	[WT_CLAIM_NOT_JUDGEABLE] = "not judgeable",
};

struct parse {
	struct wt_ini ini; /* first: what is told of an entry leads back to this */
	struct wt_claims *claims;
	struct wt_claim *last;
};

static struct wt_claim *claim_of(struct parse *parse, const char *id)
{
	struct wt_claims *claims = parse->claims;
	struct wt_claim *claim;

	if (parse->last && !strcmp(parse->last->id, id))
		return parse->last;
	for (unsigned i = 0; i < claims->count; i++)
		if (!strcmp(claims->claim[i].id, id))
			return NULL;
	if (claims->count == WT_CLAIMS_MAX || strlen(id) >= sizeof(claim->id))
		return NULL;
	claim = &claims->claim[claims->count++];
	memset(claim, 0, sizeof(*claim));
	snprintf(claim->id, sizeof(claim->id), "%s", id);
	parse->last = claim;
	return claim;
}

/* [paper 003]: its title. */
static int take_paper(struct parse *parse, const char *number)
{
	struct wt_claims *claims = parse->claims;
	struct wt_claim_paper *paper = &claims->paper[claims->papers];

	for (unsigned i = 0; i < claims->papers; i++)
		if (!strcmp(claims->paper[i].number, number))
			return wt_ini_refuse(&parse->ini, "[paper %s] appears twice", number);
	if (strcmp(parse->ini.key, "title"))
		return wt_ini_refuse(&parse->ini, "unknown key '%s' in [paper %s], expected title", parse->ini.key, number);
	if (claims->papers == WT_CLAIM_PAPERS || strlen(number) >= sizeof(paper->number))
		return wt_ini_refuse(&parse->ini, "too many papers, or '%s' is too long a number", number);
	claims->papers++;
	snprintf(paper->number, sizeof(paper->number), "%s", number);
	return wt_ini_copy(&parse->ini, paper->title, sizeof(paper->title));
}

/* [equation ID]: tolerance, and a "row NAME" for each printed sum: "354.708 = 750.64 376.10 ..." */
static int take_equation(struct parse *parse, const char *id)
{
	struct wt_claims *claims = parse->claims;
	struct wt_claim_equation *equation = claims->equations ? &claims->equation[claims->equations - 1] : NULL;
	struct wt_ini *ini = &parse->ini;
	unsigned terms = 0;
	int at = 0, used;

	if (!equation || strcmp(equation->id, id)) {
		if (claims->equations == WT_CLAIM_EQUATIONS || strlen(id) >= sizeof(equation->id))
			return wt_ini_refuse(ini, "too many equations, or '%s' is too long a name", id);
		equation = &claims->equation[claims->equations++];
		strcpy(equation->id, id);
	}
	if (!strcmp(ini->key, "tolerance"))
		return wt_parse_share(ini->value, &equation->tolerance, ini->why, sizeof(ini->why));
	if (!wt_ini_name(ini->key, "row") || equation->rows == WT_CLAIM_ROWS ||
	    sscanf(ini->value, "%lf =%n", &equation->sum[equation->rows], &at) != 1 || !at)
		return wt_ini_refuse(ini, "'%s': expected tolerance, or row NAME = SUM = TERM TERM ...", ini->value);
	while (terms < WT_CLAIM_TERMS && sscanf(ini->value + at, "%lf%n", &equation->term[equation->rows][terms], &used) == 1) {
		terms++;
		at += used;
	}
	if (ini->value[at] || !terms || (equation->rows && terms != equation->terms))
		return wt_ini_refuse(ini, "'%s': not as many terms as the row above, or none", ini->value);
	equation->terms = terms;
	equation->rows++;
	return 0;
}

static int take(struct wt_ini *ini)
{
	struct parse *parse = (struct parse *)ini;
	const char *name = wt_ini_name(ini->section, "paper");
	struct wt_claim *claim;

	if (name)
		return take_paper(parse, name);
	name = wt_ini_name(ini->section, "equation");
	if (name)
		return take_equation(parse, name);
	name = wt_ini_name(ini->section, "claim");
	claim = name ? claim_of(parse, name) : NULL;
	if (!claim)
		return wt_ini_refuse(ini, "expected [claim ID], each once");
	if (!strcmp(ini->key, "object"))
		return wt_ini_copy(ini, claim->object, sizeof(claim->object));
	if (!strcmp(ini->key, "claim"))
		return wt_ini_copy(ini, claim->text, sizeof(claim->text));
	if (!strcmp(ini->key, "faults"))
		return wt_ini_copy(ini, claim->faults, sizeof(claim->faults));
	if (!strcmp(ini->key, "judge"))
		claim->repeats = !strncmp(ini->value, "as ", 3);
	if (!strcmp(ini->key, "judge"))
		return wt_ini_copy(ini, claim->judge, sizeof(claim->judge));
	return wt_ini_refuse(ini, "unknown key '%s' in [%s]", ini->key, ini->section);
}

int wt_claims_parse(const char *text, const char *name, struct wt_claims *claims, char *err, size_t err_len)
{
	struct parse parse = {.ini.take = take, .claims = claims};
	int error;

	memset(claims, 0, sizeof(*claims));
	error = wt_ini_parse(&parse.ini, text, name, err, err_len);
	if (error)
		return error;
	for (unsigned i = 0; i < claims->count; i++)
		if (!*claims->claim[i].object || !*claims->claim[i].text || !*claims->claim[i].faults || !*claims->claim[i].judge) {
			snprintf(err, err_len, "%s: claim %s needs object, claim, faults and judge", name, claims->claim[i].id);
			return -EINVAL;
		}
	return 0;
}

#define IN_TABLE "in its table"

/* [claims] of a table: its rule, in which the table itself need not be named. */
static int take_rule(struct wt_claims *claims, const struct wt_sweep *sweep, const struct wt_sweep_note *note, char *err, size_t err_len)
{
	for (unsigned i = 0; i < claims->count; i++) {
		struct wt_claim *claim = &claims->claim[i];

		if (strcmp(claim->id, note->key))
			continue;
		if (strcmp(claim->judge, IN_TABLE))
			break;
		snprintf(claim->judge, sizeof(claim->judge), "%s%s%s", note->text, strchr(note->text, ' ') ? "" : " ",
			 strchr(note->text, ' ') ? "" : sweep->name);
		return 0;
	}
	snprintf(err, err_len, "%s:%u: claim %s: expected one of claims.ini whose rule is '" IN_TABLE "'", sweep->file, note->line, note->key);
	return -EINVAL;
}

static int take_rules(struct wt_claims *claims, struct wt_sweep *sweep, const char *table, char *err, size_t err_len)
{
	int error = wt_sweep_load(sweep, table, err, err_len);

	for (unsigned i = 0; i < sweep->notes && !error; i++)
		if (!strcmp(sweep->note[i].section, "claims"))
			error = take_rule(claims, sweep, &sweep->note[i], err, err_len);
	wt_sweep_finish(sweep);
	return error == -ENODATA ? 0 : error;
}

int wt_claims_load(struct wt_claims *claims, char *err, size_t err_len)
{
	struct wt_sweep *sweep = malloc(sizeof(*sweep));
	int error = wt_claims_parse(wt_claim_files[0].text, wt_claim_files[0].id, claims, err, err_len);

	for (unsigned i = 0; wt_paper_files[i].id && !error && sweep; i++)
		error = take_rules(claims, sweep, wt_paper_files[i].id, err, err_len);
	free(sweep);
	return error;
}

/* Where the name stands in "a,b>c"; NULL: nowhere. */
static const char *find(const char *list, const char *name)
{
	const char *at = strstr(list, name);
	size_t len = strlen(name);

	while (at && ((at != list && !strchr(",>", at[-1])) || !strchr(",>", at[len])))
		at = strstr(at + 1, name);
	return at;
}

bool wt_claim_orders(const char *first, const char *others, const char *a, const char *b)
{
	const char *of_a = find(first, a), *of_b = find(first, b);

	return of_a && (find(others, b) || (strchr(first, '>') && of_b && of_a < of_b));
}
