/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/claims.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#include "tools/paper_table.h"

extern const struct wt_paper_file wt_claim_files[];

const char *const wt_claim_verdicts[WT_CLAIM_VERDICTS] = {
	[WT_CLAIM_NOT_YET] = "not yet",
	[WT_CLAIM_HOLDS] = "holds",
	[WT_CLAIM_FAILS] = "fails",
	[WT_CLAIM_ARTEFACT] = "artefact",
	[WT_CLAIM_UNDECIDED] = "cannot be decided",
};

struct parse {
	struct wt_claims *claims;
	char key[32];
	struct wt_claim *last;
	const char *why;
};

/* Continuation lines come with the same key again and are joined. */
static int append(char *out, size_t size, const char *value)
{
	size_t len = strlen(out);

	if (len + strlen(value) + 2 > size)
		return -1;
	snprintf(out + len, size - len, "%s%s", len ? " " : "", value);
	return 0;
}

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
static int paper_line(struct parse *parse, const char *number, const char *key, const char *value)
{
	struct wt_claims *claims = parse->claims;
	struct wt_claim_paper *paper;

	for (unsigned i = 0; i < claims->papers; i++)
		if (!strcmp(claims->paper[i].number, number))
			goto twice;
	if (strcmp(key, "title") || claims->papers == WT_CLAIM_PAPERS || strlen(number) >= sizeof(paper->number) ||
	    strlen(value) >= sizeof(paper->title))
		goto twice;
	paper = &claims->paper[claims->papers++];
	snprintf(paper->number, sizeof(paper->number), "%s", number);
	snprintf(paper->title, sizeof(paper->title), "%s", value);
	return 1;
twice:
	parse->why = "expected [paper NUMBER] with one title, each paper once";
	return 0;
}

static int on_line(void *arg, const char *section, const char *key, const char *value)
{
	struct parse *parse = arg;
	struct wt_claim *claim;
	int error;

	if (!strncmp(section, "paper ", 6))
		return paper_line(parse, section + 6, key, value);
	if (strncmp(section, "claim ", 6) || !(claim = claim_of(parse, section + 6))) {
		parse->why = "expected [claim ID], each once";
		return 0;
	}
	if (!strcmp(key, "object"))
		error = append(claim->object, sizeof(claim->object), value);
	else if (!strcmp(key, "claim"))
		error = append(claim->text, sizeof(claim->text), value);
	else if (!strcmp(key, "faults"))
		error = append(claim->faults, sizeof(claim->faults), value);
	else if (!strcmp(key, "judge"))
		error = append(claim->judge, sizeof(claim->judge), value);
	else
		error = -1;
	if (error)
		parse->why = "unknown key, or too long a value";
	return !error;
}

int wt_claims_parse(const char *text, const char *name, struct wt_claims *claims, char *err, size_t err_len)
{
	struct parse parse = {.claims = claims};
	int line;

	memset(claims, 0, sizeof(*claims));
	line = ini_parse_string(text, on_line, &parse);
	if (line) {
		snprintf(err, err_len, "%s:%d: %s", name, line, parse.why ? parse.why : "neither [section] nor name = value");
		return -EINVAL;
	}
	for (unsigned i = 0; i < claims->count; i++)
		if (!*claims->claim[i].object || !*claims->claim[i].text || !*claims->claim[i].faults || !*claims->claim[i].judge) {
			snprintf(err, err_len, "%s: claim %s needs object, claim, faults and judge", name, claims->claim[i].id);
			return -EINVAL;
		}
	return 0;
}

int wt_claims_load(struct wt_claims *claims, char *err, size_t err_len)
{
	return wt_claims_parse(wt_claim_files[0].text, wt_claim_files[0].id, claims, err, err_len);
}
