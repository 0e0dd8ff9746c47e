/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>

#include "tests/swarm/swarm.h"

uint64_t below(struct draw *draw, uint64_t bound)
{
	return wt_random_below(&draw->key, draw->n++, bound);
}

bool chance(struct draw *draw, unsigned percent)
{
	return below(draw, 100) < percent;
}

const char *pick(struct draw *draw, const char *const *words, size_t count)
{
	return words[below(draw, count)];
}

void append(char *out, size_t len, const char *format, ...)
{
	size_t at = strlen(out);
	va_list ap;

	va_start(ap, format);
	vsnprintf(out + at, len - at, format, ap);
	va_end(ap);
}
