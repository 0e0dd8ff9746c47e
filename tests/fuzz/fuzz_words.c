/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is the words of a path, or of both directions with a zero byte between them. Claims: words are read or refused with a sentence;
 * the normal form is read as the same path; a path that runs takes the other direction's words, or refuses them with a sentence.
 */
#include <string.h>

#include "emu/world/filter.h"
#include "emu/words/words.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST = 2000, CHANGES = 4 };

/* Words that name files would read the machine's. */
static bool names_files(const char *words)
{
	return strstr(words, "file") || strstr(words, "trace");
}

static void normal_form(const char *words)
{
	struct wt_path_plan plan, again;
	char text[WT_PATH_TEXT], second[WT_PATH_TEXT], err[600] = "";

	if (wt_path_parse(&plan, words, NULL, err, sizeof(err))) {
		CLAIM(err[0] && strlen(err) < sizeof(err) - 1);
		return;
	}
	if (wt_path_format(&plan, text, sizeof(text))) {
		if (wt_path_parse(&again, text, NULL, err, sizeof(err))) {
			fprintf(stderr, "the normal form '%s' of '%s' is refused: %s\n", text, words, err);
			abort();
		}
		CLAIM(wt_path_format(&again, second, sizeof(second)));
		if (strcmp(text, second)) {
			fprintf(stderr, "'%s'\nhas the normal form '%s'\nand that has '%s'\n", words, text, second);
			abort();
		}
		wt_path_plan_finish(&again);
	}
	wt_path_plan_finish(&plan);
}

static void run_and_change(const char *a, const char *b)
{
	struct wt_path fwd, rev;
	char err[600] = "";

	if (wt_path_init_filtered(&fwd, a, &rev, b, 7, &wt_filter_gates, NULL, err, sizeof(err))) {
		CLAIM(err[0]);
		return;
	}
	for (unsigned i = 0; i < CHANGES; i++) {
		err[0] = 0;
		if (wt_path_change_pair(&fwd, i & 1 ? a : b, &rev, i & 1 ? b : a, (wt_time)(i + 1) * WT_S, err, sizeof(err)))
			CLAIM(err[0]);
	}
	wt_path_finish(&fwd);
	wt_path_finish(&rev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char a[LONGEST + 1], b[LONGEST + 1];
	const uint8_t *between = size ? memchr(data, 0, size) : NULL;
	size_t first = between ? (size_t)(between - data) : size, second = between ? size - first - 1 : 0;

	if (size > LONGEST)
		return 0;
	memcpy(a, data, first);
	a[first] = 0;
	if (second)
		memcpy(b, between + 1, second);
	b[second] = 0;
	if (names_files(a) || names_files(b))
		return 0;
	normal_form(a);
	run_and_change(a, b);
	return 0;
}
