/* SPDX-License-Identifier: BSD-2-Clause */
/* The input is a sweep file. Claims: it is read or refused with a sentence, and so is each of its points. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tools/sweep/file.h"
#include "tools/sweep/point.h"

enum { LONGEST = 4000, POINTS = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wt_sweep *sweep;
	char err[1000] = "", *text;

	/* would read the machine's files */
	if (size > LONGEST || memmem(data, size, "trace", 5) || memmem(data, size, "file", 4) || memmem(data, size, "tokens", 6))
		return 0;
	sweep = sweep ? sweep : malloc(sizeof(*sweep));
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = 0;
	if (wt_sweep_parse(sweep, text, "fuzz.ini", err, sizeof(err)))
		CLAIM(err[0]);
	else if (sweep->points < POINTS && wt_sweep_check(sweep, err, sizeof(err)))
		CLAIM(err[0]);
	wt_sweep_finish(sweep);
	free(text);
	return 0;
}
