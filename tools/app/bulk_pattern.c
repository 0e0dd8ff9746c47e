/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The payload: byte p of stream `seed` is table[p mod 4096] ^ key(seed, p / 4096), word by word. A table of random
 * words makes any shift inside a block visible, the key of the block makes whole blocks and equal places of two blocks
 * differ; and filling or comparing costs one exclusive-or per eight bytes.
 *
 * Only 0x70 to 0x7f occur. With all 256 values tshark takes one segment in 60,000 for the beginning of another protocol (thrift
 * or TDS in random bytes) and from there on calls a sound capture malformed. It has no guess that begins so, and no keyword can be
 * spelt without vowels ("play" at byte 20 is DirectPlay).
 */
#include "tools/app/bulk.h"

#include <string.h>

#define BLOCK 4096u
#define LOW   0x0f0f0f0f0f0f0f0fu /* random bits of eight bytes */
#define HIGH  0x7070707070707070u /* and the bits that are always set */

static uint8_t table[BLOCK];

/* SplitMix64 (Steele, Lea and Flood 2014): a bijection of 64-bit numbers that scatters neighbours. */
static uint64_t scatter(uint64_t n)
{
	n += 0x9e3779b97f4a7c15u;
	n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
	n = (n ^ n >> 27) * 0x94d049bb133111ebu;
	return n ^ n >> 31;
}

static void store(uint8_t *p, uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		p[i] = (uint8_t)(word >> 8 * i);
}

static void make_table(void)
{
	static bool made;

	if (made)
		return;
	for (unsigned i = 0; i < BLOCK; i += 8)
		store(table + i, (scatter(~(uint64_t)i) & LOW) | HIGH);
	made = true;
}

static uint64_t load(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, 8);
	return word;
}

static void put(uint8_t *p, uint64_t word)
{
	memcpy(p, &word, 8);
}

/* `len` bytes of one block from offset `from` on. The key is stored bytes, so the words mean the same on any machine. Four words at a
 * time: this runs for every payload byte of every simulation. */
static void fill_block(const uint8_t key[8], size_t from, uint8_t *restrict out, size_t len)
{
	const uint8_t *in = table + from;
	uint64_t mask;
	size_t i = 0;

	for (; i < len && (from + i) % 8; i++)
		out[i] = in[i] ^ key[(from + i) % 8];
	mask = load(key);
	for (; i + 32 <= len; i += 32) {
		uint64_t a = load(in + i) ^ mask, b = load(in + i + 8) ^ mask, c = load(in + i + 16) ^ mask,
			 d = load(in + i + 24) ^ mask;

		put(out + i, a);
		put(out + i + 8, b);
		put(out + i + 16, c);
		put(out + i + 24, d);
	}
	for (; i < len; i++)
		out[i] = in[i] ^ key[(from + i) % 8];
}

void wt_bulk_fill(uint64_t seed, uint64_t at, uint8_t *data, size_t len)
{
	make_table();
	while (len) {
		size_t from = at % BLOCK, n = BLOCK - from < len ? BLOCK - from : len;
		uint8_t key[8];

		store(key, scatter(scatter(seed) ^ at / BLOCK) & LOW);
		fill_block(key, from, data, n);
		at += n;
		data += n;
		len -= n;
	}
}

size_t wt_bulk_agree(uint64_t seed, uint64_t at, const uint8_t *data, size_t len)
{
	uint8_t expected[2048];
	size_t good = 0;

	while (good < len) {
		size_t n = len - good < sizeof(expected) ? len - good : sizeof(expected);

		wt_bulk_fill(seed, at + good, expected, n);
		if (memcmp(expected, data + good, n) != 0) {
			size_t i = 0;

			while (expected[i] == data[good + i])
				i++;
			return good + i;
		}
		good += n;
	}
	return len;
}

static void read_stream(uint64_t key, uint64_t at, uint8_t *to, uint32_t len)
{
	wt_bulk_fill(key, at, to, len);
}

const struct wt_pattern wt_bulk_stream = {read_stream};
