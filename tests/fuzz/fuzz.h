/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fuzz target is a file with this one function. Two mains drive it: replay.c (every compiler; corpus plus a fixed
 * number of deterministic mutations, part of the test suite) and libFuzzer's (clang, -Dfuzzing=true, as long as you like).
 */
#ifndef WT_TESTS_FUZZ_FUZZ_H
#define WT_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns 0; what must never happen aborts. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An oracle's claim about the code under test; stays on in every build. */
#define CLAIM(condition) \
	((condition) ? (void)0 : (fprintf(stderr, "%s:%d: broken claim: %s\n", __FILE__, __LINE__, #condition), abort()))

#endif
