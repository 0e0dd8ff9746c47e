/* SPDX-License-Identifier: BSD-2-Clause */
/* The input is a published table and its claims. Claims of ours: both are read, or refused with a sentence. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/paper/claims.h"
#include "tools/paper/table.h"

enum { LONGEST = 6000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wt_sweep sweep;
	static struct wt_paper *paper;
	static struct wt_claims *claims;
	char err[1000] = "", *text;

	if (size > LONGEST)
		return 0;
	paper = paper ? paper : malloc(sizeof(*paper));
	claims = claims ? claims : malloc(sizeof(*claims));
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = 0;
	if (wt_sweep_parse(&sweep, text, "fuzz.ini", err, sizeof(err)) || wt_paper_view(&sweep, 0, paper, err, sizeof(err)))
		CLAIM(err[0]);
	wt_sweep_finish(&sweep);
	err[0] = 0;
	if (wt_claims_parse(text, "fuzz.ini", claims, err, sizeof(err)))
		CLAIM(err[0]);
	free(text);
	return 0;
}
