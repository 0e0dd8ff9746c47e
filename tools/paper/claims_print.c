/* SPDX-License-Identifier: BSD-2-Clause */
/* The card of all claims, for people and for programs. */
#include <stdbool.h>
#include <string.h>

#include "tools/paper/claims.h"
#include "tools/common/wrap.h"

const struct wt_claim_paper *wt_claim_paper(const struct wt_claims *claims, const struct wt_claim *claim)
{
	for (unsigned i = 0; i < claims->papers; i++) {
		size_t len = strlen(claims->paper[i].number);

		if (!strncmp(claim->id, claims->paper[i].number, len) && claim->id[len] == '-')
			return &claims->paper[i];
	}
	return NULL;
}

bool wt_claim_is_of(const struct wt_claim *claim, const char *paper)
{
	return !paper || (!strncmp(claim->id, paper, strlen(paper)) && claim->id[strlen(paper)] == '-');
}

static void labelled(FILE *out, const char *label, const char *text)
{
	fprintf(out, "%12s%s", "", label);
	wt_wrap(out, text, 12, 12 + strlen(label));
}

static void print(FILE *out, const struct wt_claim *claim)
{
	char head[700];

	snprintf(head, sizeof(head), "%s: %s", claim->object, claim->text);
	fprintf(out, "%-9s   ", claim->id);
	wt_wrap(out, head, 12, 12);
	fprintf(out, "%12s%s: ", "", wt_claim_verdicts[claim->verdict]);
	wt_wrap(out, claim->reason, 12, 14 + strlen(wt_claim_verdicts[claim->verdict]));
	if (*claim->incomplete) {
		snprintf(head, sizeof(head), "runs of %s are missing; 'paper run' into the same folder adds them", claim->incomplete);
		labelled(out, "incomplete: ", head);
	}
	wt_claim_rests(claim, head, sizeof(head));
	if (*head)
		labelled(out, "", head);
	if (claim->verdict != WT_CLAIM_NOT_YET && strcmp(claim->faults, "-"))
		labelled(out, "faults in the print: ", claim->faults);
}

unsigned wt_claims_print(FILE *out, const struct wt_claims *claims, const char *paper)
{
	const struct wt_claim_paper *last = NULL;
	unsigned count[WT_CLAIM_VERDICTS] = {0}, all = 0, again = 0;
	char text[300];
	int at;

	for (unsigned i = 0; i < claims->count; i++) {
		const struct wt_claim *claim = &claims->claim[i];
		const struct wt_claim_paper *of = wt_claim_paper(claims, claim);

		if (!wt_claim_is_of(claim, paper))
			continue;
		if (of && of != last)
			fprintf(out, "%sPaper %s: %s\n\n", all ? "\n" : "", of->number, of->title);
		last = of;
		count[claim->verdict] += !claim->repeats;
		again += claim->repeats;
		all++;
		print(out, claim);
	}
	if (!all)
		return 0;
	fputc('\n', out);
	wt_wrap(out, "holds: every comparison is decided for it (95 % intervals of paired differences) · in part: some are level, or not judged "
		"here, and none is against it · fails: one is decided against it (5 % over all of the claim: Holm) · cannot be decided: some lie "
		"within chance · not judgeable: nothing could contradict it · not yet: nothing here to judge it by", 0, 0);
	at = snprintf(text, sizeof(text), "%u claims, %u distinct:", all, all - again);
	for (unsigned i = 0; i < WT_CLAIM_VERDICTS; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s %u %s", i ? "," : "", count[i], wt_claim_verdicts[i]);
	wt_wrap(out, text, 0, 0);
	return all;
}

void wt_claim_json(struct wt_json *json, const struct wt_claim *claim)
{
	char rests[700];

	wt_json_string(json, "id", claim->id);
	wt_json_string(json, "object", claim->object);
	wt_json_string(json, "claim", claim->text);
	wt_json_string(json, "known_faults", claim->faults);
	wt_json_string(json, "rule", claim->judge);
	wt_json_string(json, "verdict", wt_claim_verdicts[claim->verdict]);
	wt_json_string(json, "reason", claim->reason);
	wt_json_bool(json, "repeats", claim->repeats);
	wt_json_string(json, "incomplete", claim->incomplete);
	wt_claim_rests(claim, rests, sizeof(rests));
	wt_json_string(json, "rests", rests);
	wt_json_object(json, "changes");
	for (unsigned i = 0; i < claim->changes; i++)
		wt_json_string(json, claim->change[i].name, wt_claim_verdicts[claim->change[i].verdict]);
	wt_json_end(json);
}

unsigned wt_claims_print_json(FILE *out, const struct wt_claims *claims, const char *paper)
{
	unsigned all = 0;

	for (unsigned i = 0; i < claims->count; i++) {
		struct wt_json json;

		if (!wt_claim_is_of(&claims->claim[i], paper))
			continue;
		all++;
		wt_json_init(&json, out);
		wt_json_object(&json, NULL);
		wt_json_string(&json, "record", "claim");
		wt_claim_json(&json, &claims->claim[i]);
		wt_json_end(&json);
	}
	return all;
}

void wt_claims_totals(FILE *out, const struct wt_claims *claims)
{
	for (unsigned p = 0; p < claims->papers; p++) {
		unsigned count[WT_CLAIM_VERDICTS] = {0}, all = 0;

		for (unsigned i = 0; i < claims->count; i++)
			if (wt_claim_is_of(&claims->claim[i], claims->paper[p].number) && !claims->claim[i].repeats) {
				count[claims->claim[i].verdict]++;
				all++;
			}
		if (!all || count[WT_CLAIM_NOT_YET] == all)
			continue;
		fprintf(out, "claims of paper %s:", claims->paper[p].number);
		for (unsigned i = 0; i < WT_CLAIM_VERDICTS; i++)
			if (count[i])
				fprintf(out, " %u %s", count[i], wt_claim_verdicts[i]);
		fprintf(out, " (of %u distinct)\n", all);
	}
}
