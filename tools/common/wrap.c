/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/wrap.h"

#include <stdbool.h>
#include <string.h>

#define COLUMNS 100

/* Bytes that go on with a character are no columns of their own. */
static size_t columns(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += (text[i] & 0xc0) != 0x80;
	return n;
}

void wt_wrap(FILE *out, const char *text, size_t indent, size_t at)
{
	bool begun = false; /* a word stands in this line already */

	text += strspn(text, " ");
	while (*text) {
		size_t len = strcspn(text, " "), wide = columns(text, len);

		if (begun && at + 1 + wide > COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
			begun = false;
		}
		fprintf(out, "%s%.*s", begun ? " " : "", (int)len, text);
		at += wide + begun;
		begun = true;
		text += len + strspn(text + len, " ");
	}
	fputc('\n', out);
}
