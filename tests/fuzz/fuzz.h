/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzz target is a file with this one function. Two mains drive it: replay.c (every compiler; corpus plus a fixed
 * number of deterministic mutations, part of the test suite) and libFuzzer's (clang, -Dfuzzing=true, as long as you like).
 */
#ifndef WT_TESTS_FUZZ_FUZZ_H
#define WT_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Inputs are records: a control byte, two bytes of length (low first) and so many bytes of data; the last may be cut short. */
struct fuzz_record {
	const uint8_t *data;
	uint32_t len;
	uint8_t control;
};

/* The next record; what is left begins at *data. False: none. */
static inline bool fuzz_next(const uint8_t **data, size_t *size, struct fuzz_record *record)
{
	uint32_t len;

	if (*size < 3)
		return false;
	len = (*data)[1] | (uint32_t)(*data)[2] << 8;
	*size -= 3;
	*record = (struct fuzz_record){*data + 3, len < *size ? len : (uint32_t)*size, **data};
	*data = record->data + record->len;
	*size -= record->len;
	return true;
}

/* How long nothing comes before a record, by two bits: from nothing to what outlasts every entry of a neighbour or a fragment. In ns. */
static inline int64_t fuzz_pause(unsigned bits)
{
	static const int64_t pause[] = {0, 1000000, 1000000000, 40000000000};

	return pause[bits & 3];
}

/* Returns 0; what must never happen aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An oracle's claim about the code under test; stays on in every build. */
#define CLAIM(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "%s:%d: broken claim: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif
