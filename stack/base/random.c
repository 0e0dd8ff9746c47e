/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/base/random.h"

#include <string.h>

__extension__ typedef unsigned __int128 u128;

/* eight little-endian bytes; written out, compilers see one load in it */
static inline uint64_t load_le(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 |
	       (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

/* SipHash's state and its three steps (Aumasson and Bernstein 2012, section 2). The round is one of numbers and of vectors of them. */
struct sip {
	uint64_t v0, v1, v2, v3;
};

#define ROTATED(v, bits) ((v) << (bits) | (v) >> (64 - (bits)))
#define SIP_ROUND(s) \
	do { \
		(s)->v0 += (s)->v1; \
		(s)->v1 = ROTATED((s)->v1, 13) ^ (s)->v0; \
		(s)->v0 = ROTATED((s)->v0, 32); \
		(s)->v2 += (s)->v3; \
		(s)->v3 = ROTATED((s)->v3, 16) ^ (s)->v2; \
		(s)->v0 += (s)->v3; \
		(s)->v3 = ROTATED((s)->v3, 21) ^ (s)->v0; \
		(s)->v2 += (s)->v1; \
		(s)->v1 = ROTATED((s)->v1, 17) ^ (s)->v2; \
		(s)->v2 = ROTATED((s)->v2, 32); \
	} while (0)

static inline void sip_start(struct sip *s, const struct wt_key *key)
{
	s->v0 = key->k0 ^ 0x736f6d6570736575;
	s->v1 = key->k1 ^ 0x646f72616e646f6d;
	s->v2 = key->k0 ^ 0x6c7967656e657261;
	s->v3 = key->k1 ^ 0x7465646279746573;
}

static inline void sip_word(struct sip *s, uint64_t word)
{
	s->v3 ^= word;
	SIP_ROUND(s);
	SIP_ROUND(s);
	s->v0 ^= word;
}

static inline uint64_t sip_end(struct sip *s)
{
	s->v2 ^= 0xff;
	for (unsigned i = 0; i < 4; i++)
		SIP_ROUND(s);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

uint64_t wt_siphash(const struct wt_key *key, const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t last = (uint64_t)len << 56;
	size_t left = len;
	struct sip s;

	sip_start(&s, key);
	for (; left >= 8; p += 8, left -= 8)
		sip_word(&s, load_le(p));
	if (len >= 8 && left) /* one load, which begins in the word before */
		last |= load_le(p + left - 8) >> (64 - 8 * left);
	else
		for (size_t i = 0; i < left; i++)
			last |= (uint64_t)p[i] << (8 * i);
	sip_word(&s, last);
	return sip_end(&s);
}

/* Inline in each of the numbers below: what a decision by chance costs is mostly this. */
__attribute__((always_inline)) static inline uint64_t hash_u64(const struct wt_key *key, uint64_t n)
{
	struct sip s;

	sip_start(&s, key);
	sip_word(&s, n);
	sip_word(&s, (uint64_t)8 << 56);
	return sip_end(&s);
}

uint64_t wt_siphash_u64(const struct wt_key *key, uint64_t n)
{
	return hash_u64(key, n);
}

/* ---- four numbers at once -------------------------------------------------------------------------------- */

#ifdef __x86_64__
typedef uint64_t lanes __attribute__((vector_size(32)));

struct sip_lanes {
	lanes v0, v1, v2, v3;
};

#define SIP_LANES_WORD(s, word) \
	do { \
		(s)->v3 ^= (word); \
		SIP_ROUND(s); \
		SIP_ROUND(s); \
		(s)->v0 ^= (word); \
	} while (0)

__attribute__((target("avx2"))) static void hash_four(const struct wt_key *key, uint64_t first, uint64_t number[4])
{
	const lanes n = {first, first + 1, first + 2, first + 3}, none = {0};
	struct sip_lanes wide, *s = &wide;
	struct sip one;
	lanes hash;

	sip_start(&one, key);
	wide = (struct sip_lanes){none + one.v0, none + one.v1, none + one.v2, none + one.v3};
	SIP_LANES_WORD(s, n);
	SIP_LANES_WORD(s, (uint64_t)8 << 56);
	wide.v2 ^= 0xff;
	for (unsigned i = 0; i < 4; i++)
		SIP_ROUND(s);
	hash = wide.v0 ^ wide.v1 ^ wide.v2 ^ wide.v3;
	memcpy(number, &hash, sizeof(hash));
}
#endif

void wt_stream_fetch(struct wt_stream *stream, uint64_t n)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2")) {
		stream->last = n | 3;
		hash_four(&stream->key, stream->last - 3, stream->number);
		return;
	}
#endif
	stream->number[n & 3] = hash_u64(&stream->key, n);
}

struct wt_key wt_key_derive(uint64_t seed, const char *name)
{
	/* two hashes under keys that differ in one word: the halves of the stream's key */
	const struct wt_key first = {seed, 0}, second = {seed, 1};
	size_t len = strlen(name);

	return (struct wt_key){wt_siphash(&first, name, len), wt_siphash(&second, name, len)};
}

double wt_random_unit(const struct wt_key *key, uint64_t n)
{
	return wt_unit(hash_u64(key, n));
}

uint64_t wt_random_below(const struct wt_key *key, uint64_t n, uint64_t bound)
{
	return (uint64_t)((u128)hash_u64(key, n) * bound >> 64);
}

double wt_random_exp(const struct wt_key *key, uint64_t n)
{
	/* 52 bits and a half: exact, symmetric in (0, 1), never 0 nor 1 */
	return -wt_log_unit(((double)(wt_siphash_u64(key, n) >> 12) + 0.5) * 0x1p-52);
}

/*
 * x = m 2^e with m in [sqrt(1/2), sqrt 2), so that no cancellation happens near 1 (there e = 0);
 * log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.1716. Term k of the series is below 0.0295^k / (2k + 1):
 * eleven of them reach double precision. Every operation is one IEEE operation in a fixed order.
 */
double wt_log_unit(double x)
{
	const double ln2_high = 0x1.62e42fee00000p-1; /* 33 bits: exact when multiplied by e */
	const double ln2_low = 0x1.a39ef35793c76p-33;
	uint64_t bits, upper;
	int exponent = 0;
	double m, s, z, z2, z4, series;

	if (!(x > 0)) /* outside the domain, NaN too: the smallest double's */
		x = 0x1p-1074;
	if (x < 0x1p-1022) { /* subnormal */
		x *= 0x1p54;
		exponent = -54;
	}
	memcpy(&bits, &x, sizeof(bits));
	/* m from [1, 2), and half of it from sqrt 2 on: by the bits, for a branch would be guessed wrong as often as not */
	exponent += (int)(bits >> 52 & 0x7ff) - 1023;
	bits &= 0x000fffffffffffff;
	upper = bits >= 0x6a09e667f3bcd;
	exponent += (int)upper;
	bits |= (0x3ff - upper) << 52;
	memcpy(&m, &bits, sizeof(m));
	s = (m - 1) / (m + 1);
	z = s * s;
	z2 = z * z;
	z4 = z2 * z2;
	/* z/3 + z^2/5 + ... + z^11/23, in groups that do not wait for each other */
	series = (1 / 3.0 + 1 / 5.0 * z) + (1 / 7.0 + 1 / 9.0 * z) * z2 + ((1 / 11.0 + 1 / 13.0 * z) + (1 / 15.0 + 1 / 17.0 * z) * z2) * z4 +
		 ((1 / 19.0 + 1 / 21.0 * z) + 1 / 23.0 * z2) * (z4 * z4);
	series *= z;
	return (double)exponent * ln2_high + ((double)exponent * ln2_low + (2 * s * series + 2 * s));
}
