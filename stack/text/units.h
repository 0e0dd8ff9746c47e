/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Quantities as people write them: "15ms", "10Mbit", "64KB", "5MiB", "20%". A bare number is an error where it
 * could be read two ways (the TCP-Real tables print "Kbps" for kilobytes a second).
 */
#ifndef WT_STACK_TEXT_UNITS_H
#define WT_STACK_TEXT_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "stack/base/time.h"

/* Writes one sentence to err, which may be NULL. Returns -EINVAL, so: return wt_invalid(err, err_len, "..."). */
int wt_invalid(char *err, size_t err_len, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Each returns 0, or -EINVAL with one sentence in err: what stood there and what was expected. err may be NULL. */
int wt_parse_time(const char *text, wt_time *out, char *err, size_t err_len);     /* ns us ms s min h; "0" alone is fine */
int wt_parse_size(const char *text, uint64_t *out, char *err, size_t err_len);    /* B KB MB GB (1000) KiB MiB GiB (1024) */
int wt_parse_rate(const char *text, uint64_t *bit_per_s, char *err, size_t err_len); /* bit Kbit Mbit Gbit, Bps kBps MBps */
int wt_parse_share(const char *text, double *out, char *err, size_t err_len);     /* "20%", "1e-5%", or a bare 0: in [0, 1] */
int wt_parse_count(const char *text, uint64_t *out, char *err, size_t err_len);   /* a whole number */
int wt_parse_number(const char *text, double *out, char *err, size_t err_len);    /* any finite number */
int wt_parse_bool(const char *text, uint64_t *out, char *err, size_t err_len);    /* on off yes no true false 1 0 */

/* The shortest exact text the parser reads back ("15ms", "64KiB", "10Mbit"). Return text. */
const char *wt_format_time(wt_time value, char *text, size_t len);
const char *wt_format_size(uint64_t value, char *text, size_t len);
const char *wt_format_rate(uint64_t bit_per_s, char *text, size_t len);
const char *wt_format_share(double value, char *text, size_t len); /* a percentage */

#endif
