/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 1071 2: the ones' complement sum does not care about byte order (the result comes out swapped) nor about
 * word size (carries out of a wide lane are added back at the bottom). So we add 64-bit lanes in memory order,
 * fold once at the end and swap two bytes. Four independent sums keep the carry chains of a core busy.
 */
#include "stack/base/checksum.h"

#include <string.h>

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* a + b with the carry added back */
static inline uint64_t add_carry(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum + (sum < b);
}

static inline uint32_t fold16(uint64_t sum)
{
	return (uint16_t)~wt_csum_fold(sum);
}

uint64_t wt_csum_add(uint64_t sum, const uint8_t *data, size_t len)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, tail = 0;
	uint32_t folded;

	for (; len >= 32; data += 32, len -= 32) {
		a = add_carry(a, load64(data));
		b = add_carry(b, load64(data + 8));
		c = add_carry(c, load64(data + 16));
		d = add_carry(d, load64(data + 24));
	}
	for (; len >= 8; data += 8, len -= 8)
		a = add_carry(a, load64(data));
	/* the rest, padded with zero bytes: they add nothing (RFC 1071 4.1) */
	if (len) {
		memcpy(&tail, data, len);
		b = add_carry(b, tail);
	}
	folded = fold16(add_carry(add_carry(a, b), add_carry(c, d)));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	folded = __builtin_bswap16((uint16_t)folded);
#endif
	return sum + folded;
}
