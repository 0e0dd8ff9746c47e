/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 1071 2: the ones' complement sum does not care about byte order (the result comes out swapped) nor about
 * word size (carries out of a wide lane are added back at the bottom). So we add 64-bit lanes in memory order,
 * fold once at the end and swap two bytes. Four independent sums keep the carry chains of a core busy. Payload is added 64 bytes at a time
 * where the processor has AVX2.
 */
#include "stack/base/checksum.h"

#include <stdbool.h>
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

#if defined(__x86_64__)
#include <immintrin.h>

enum { WIDE = 64 };

/* Of `len` bytes, a multiple of WIDE: 32-bit words in 64-bit lanes, which carry nothing out for 4 GB. */
__attribute__((target("avx2"))) static uint64_t add_wide(const uint8_t *data, size_t len)
{
	const __m256i low = _mm256_set1_epi64x(0xffffffff);
	__m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
	uint64_t lane[4];

	for (; len; data += WIDE, len -= WIDE) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(const void *)data);
		__m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(data + 32));

		a = _mm256_add_epi64(a, _mm256_and_si256(x, low));
		b = _mm256_add_epi64(b, _mm256_srli_epi64(x, 32));
		c = _mm256_add_epi64(c, _mm256_and_si256(y, low));
		d = _mm256_add_epi64(d, _mm256_srli_epi64(y, 32));
	}
	a = _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d));
	_mm256_storeu_si256((__m256i *)(void *)lane, a);
	return add_carry(add_carry(lane[0], lane[1]), add_carry(lane[2], lane[3]));
}

static bool is_wide(size_t len)
{
	return len >= 4 * WIDE && __builtin_cpu_supports("avx2");
}
#else
enum { WIDE = 64 };

static uint64_t add_wide(const uint8_t *data, size_t len)
{
	return 0;
}

static bool is_wide(size_t len)
{
	return false;
}
#endif

uint64_t wt_csum_add(uint64_t sum, const uint8_t *data, size_t len)
{
	uint64_t a = 0, b = 0, c = 0, d = 0, tail = 0;
	uint32_t folded;

	if (is_wide(len)) {
		size_t wide = len - len % WIDE;

		a = add_wide(data, wide);
		data += wide;
		len -= wide;
	}
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
