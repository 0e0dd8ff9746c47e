/* SPDX-License-Identifier: BSD-2-Clause */
/* A published table run another way: without a rule of ours, or under another stack. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/paper/table.h"

const struct wt_paper_change *wt_paper_change_of(const struct wt_paper *paper, const char *name)
{
	for (unsigned i = 0; i < paper->changes; i++)
		if (!strcmp(paper->change[i].name, name))
			return &paper->change[i];
	return NULL;
}

/* `more` behind what stands there: after a comma, or after a colon where only a module's name stands. */
static bool add(char *out, size_t len, const char *more, bool module)
{
	size_t at = strlen(out);

	if (!*more)
		return true;
	return snprintf(out + at, len - at, "%s%s", !at ? "" : module && !strchr(out, ':') ? ":" : ",", more) < (int)(len - at);
}

int wt_paper_apply_change(struct wt_paper *paper, const char *name, char *err, size_t err_len)
{
	const struct wt_paper_change *change = wt_paper_change_of(paper, name);
	bool fits;

	if (!change) {
		snprintf(err, err_len, "%s declares no '%s'", paper->id, name);
		return -EINVAL;
	}
	snprintf(paper->changed, sizeof(paper->changed), "%s", name);
	if (*change->preset)
		snprintf(paper->preset, sizeof(paper->preset), "%s", change->preset);
	fits = add(paper->settings, sizeof(paper->settings), change->settings, false);
	for (unsigned i = 0; i < paper->variants; i++) {
		struct wt_paper_variant *v = &paper->variant[i];

		fits = fits && add(v->sender, sizeof(v->sender), change->variant[i].sender, true) &&
		       add(v->recovery, sizeof(v->recovery), change->variant[i].recovery, true) &&
		       add(v->receiver, sizeof(v->receiver), change->variant[i].receiver, true);
	}
	if (!fits)
		snprintf(err, err_len, "%s %s: the settings or parameters get too long", paper->id, name);
	return fits ? 0 : -EINVAL;
}

void wt_paper_changes_of(const char *family, struct wt_paper_changes *changes)
{
	struct wt_paper *paper = malloc(sizeof(*paper));
	size_t len = strlen(family);
	char err[400];

	changes->count = 0;
	for (unsigned i = 0; paper && wt_paper_files[i].id; i++) {
		if (strncmp(wt_paper_files[i].id, family, len) != 0 || wt_paper_files[i].id[len] != '/' ||
		    wt_paper_load(wt_paper_files[i].id, paper, err, sizeof(err)))
			continue;
		for (unsigned k = 0; k < paper->changes; k++) {
			unsigned known = 0;

			while (known < changes->count && strcmp(changes->name[known], paper->change[k].name))
				known++;
			if (known < changes->count || known == WT_PAPER_CHANGES)
				continue;
			changes->of[known] = paper->change[k];
			changes->name[known] = changes->of[known].name;
			changes->count++;
		}
	}
	free(paper);
}
