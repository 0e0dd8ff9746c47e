/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Randomness without state: the n-th number of a stream is a keyed hash of n.
 *
 * A stream is named, and its key derives from (seed, name). So two runs that differ in one node draw the same
 * numbers everywhere else, and packet 17 of a direction meets the same fate whatever came before it.
 */
#ifndef WT_STACK_BASE_RANDOM_H
#define WT_STACK_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct wt_key {
	uint64_t k0, k1;
};

/* SipHash-2-4 (Aumasson and Bernstein 2012) of `len` bytes. */
uint64_t wt_siphash(const struct wt_key *key, const void *data, size_t len);
/* SipHash-2-4 of the eight little-endian bytes of n: the n-th number of the stream. */
uint64_t wt_siphash_u64(const struct wt_key *key, uint64_t n);

/* The key of the stream `name` under `seed`. */
struct wt_key wt_key_derive(uint64_t seed, const char *name);

/* 53 bits of a number, uniform in [0, 1). */
static inline double wt_unit(uint64_t number)
{
	return (double)(number >> 11) * 0x1p-53;
}

/* The n-th number as that. */
double wt_random_unit(const struct wt_key *key, uint64_t n);

/*
 * A stream for one who asks for most of its numbers in their order: the n-th number is the same, but a processor that can makes
 * four at a time.
 */
struct wt_stream {
	struct wt_key key;
	uint64_t last; /* place of the last of `number`; 0: there are none */
	uint64_t number[4];
};

static inline void wt_stream_init(struct wt_stream *stream, const struct wt_key *key)
{
	stream->key = *key;
	stream->last = 0;
}

void wt_stream_fetch(struct wt_stream *stream, uint64_t n);

static inline uint64_t wt_stream_number(struct wt_stream *stream, uint64_t n)
{
	if ((n | 3) != stream->last)
		wt_stream_fetch(stream, n);
	return stream->number[n & 3];
}

/* Is the n-th number below `share`? Nothing is hashed where the share alone decides: numbers have no state to keep in step. */
static inline bool wt_stream_strikes(struct wt_stream *stream, uint64_t n, double share)
{
	return share > 0 && (share >= 1 || wt_unit(wt_stream_number(stream, n)) < share);
}

/* Uniform in [0, bound), bound > 0, bias below 2^-32 for bound below 2^32. */
uint64_t wt_random_below(const struct wt_key *key, uint64_t n, uint64_t bound);
/* Exponential with mean 1, in (0, 37). Our own logarithm: bit-identical on every build. */
double wt_random_exp(const struct wt_key *key, uint64_t n);
/* Natural logarithm of x in (0, 1], within 1e-14 relative; only + - * / on doubles (no libm). */
double wt_log_unit(double x);

#ifdef __cplusplus
}
#endif

#endif
