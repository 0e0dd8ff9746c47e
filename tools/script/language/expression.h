/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Questions inside %{ ... }%: statements separated by commas, semicolons or lines, each of which must be true.
 * Arithmetic, comparison (chained as in Python), and/or/not, min max abs, numbers with units, strings.
 */
#ifndef WT_TOOLS_SCRIPT_LANGUAGE_EXPRESSION_H
#define WT_TOOLS_SCRIPT_LANGUAGE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

struct wt_expression_value {
	bool is_text;
	double number; /* exact for whole numbers below 2^53 */
	char text[48];
};

/* The value of a name, or false with a sentence in error. */
typedef bool wt_expression_lookup(void *context, const char *name, struct wt_expression_value *value, char *error,
				  size_t error_len);

/*
 * 1: every statement holds. 0: one does not; error says which and the value of every name in it. -EINVAL: error
 * says what cannot be read. `file` and `line` are where the code starts. lookup NULL: only the syntax is checked.
 */
int wt_expression_check(const char *file, unsigned line, const char *code, size_t len, wt_expression_lookup *lookup,
			void *context, char *error, size_t error_len);

#endif
