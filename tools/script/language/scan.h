/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lexer of packet scripts: a cursor over text that knows its line.
 *
 * The language has no single token set ("P." is flags after "<", a syntax error elsewhere; "1:1001(1000)" is one
 * thing), so the parser asks for what it needs here instead of being handed tokens. Every function skips white
 * space and comments first and leaves the cursor where it was if the answer is no.
 */
#ifndef WT_TOOLS_SCRIPT_LANGUAGE_SCAN_H
#define WT_TOOLS_SCRIPT_LANGUAGE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/base/time.h"

#define WT_SCRIPT_ERROR 512
#define WT_SCAN_WORD 64

struct wt_scan {
	const char *file; /* for messages */
	const char *at, *end;
	unsigned line;
	bool failed;                 /* the first error wins; everything after it says no */
	char error[WT_SCRIPT_ERROR]; /* "FILE:LINE: sentence" */
};

void wt_scan_init(struct wt_scan *scan, const char *file, const char *text, size_t len);
/* Remembers "FILE:LINE: ..."; returns false, so: return wt_scan_fail(...). */
bool wt_scan_fail(struct wt_scan *scan, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails with what was expected and what stands there. */
bool wt_scan_expected(struct wt_scan *scan, const char *what);

void wt_scan_space(struct wt_scan *scan); /* blanks, // and # comments to the end of the line, C comments */
bool wt_scan_done(struct wt_scan *scan);  /* nothing left (or failed) */
char wt_scan_peek(struct wt_scan *scan);  /* the next character that means something, 0 at the end */
/* The literal stands here: skip it. A literal ending in a letter must end a word. */
bool wt_scan_is(struct wt_scan *scan, const char *literal);
bool wt_scan_need(struct wt_scan *scan, const char *literal); /* the same, or fails */
/* [A-Za-z_][A-Za-z0-9_]* */
bool wt_scan_word(struct wt_scan *scan, char word[WT_SCAN_WORD]);
/* Decimal or 0x hexadecimal, at most `max`; false without failing if no digit stands here, fails if too big. */
bool wt_scan_number(struct wt_scan *scan, uint64_t max, uint64_t *out);
bool wt_scan_need_number(struct wt_scan *scan, const char *what, uint64_t max, uint64_t *out);
/* Seconds with up to nine decimals, exact: "0.1", ".5", "3". */
bool wt_scan_seconds(struct wt_scan *scan, wt_time *out);
/* "0x" and an even number of hexadecimal digits into bytes; the count, or -1 after failing. */
int wt_scan_bytes(struct wt_scan *scan, uint8_t *out, size_t room);
/* Everything up to `closing`, which is skipped too; fails if it never comes. */
bool wt_scan_until(struct wt_scan *scan, const char *closing, const char **start, size_t *len);

#endif
