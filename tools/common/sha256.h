/* SPDX-License-Identifier: BSD-2-Clause */
/* SHA-256 (FIPS 180-4): names for things by what they contain. Not for secrets. */
#ifndef WT_TOOLS_COMMON_SHA256_H
#define WT_TOOLS_COMMON_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define WT_SHA256_TEXT 65 /* hexadecimal, with the final 0 */

struct wt_sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void wt_sha256_init(struct wt_sha256 *sha);
void wt_sha256_add(struct wt_sha256 *sha, const void *data, size_t len);
/* Ends it; text in lower case. */
void wt_sha256_end(struct wt_sha256 *sha, char text[WT_SHA256_TEXT]);

#endif
