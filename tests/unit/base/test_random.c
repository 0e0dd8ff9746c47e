/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stack/base/random.h"

#define DRAWS 200000

static void siphash_gives_the_reference_vectors(void **state)
{
	/* key 00..0f, input 00 01 02 ...: the published vectors of SipHash-2-4 for lengths 0 to 15 */
	static const uint64_t expected[] = {
		0x726fdb47dd0e0e31, 0x74f839c593dc67fd, 0x0d6c8009d9a94f5a, 0x85676696d7fb7e2d,
		0xcf2794e0277187b7, 0x18765564cd99a68d, 0xcbc9466e58fee3ce, 0xab0200f58b01d137,
		0x93f5f5799a932462, 0x9e0082df0ba9e4b0, 0x7a5dbbc594ddb9f3, 0xf4b32f46226bada7,
		0x751e8fbc860ee5fb, 0x14ea5627c0843d90, 0xf723ca908e7af2ee, 0xa129ca6149be45e5,
	};
	struct wt_key key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
	uint8_t input[16];

	for (unsigned i = 0; i < 16; i++) {
		input[i] = (uint8_t)i;
		assert_true(wt_siphash(&key, input, i) == expected[i]);
	}
}

static void the_hash_of_a_number_is_that_of_its_little_endian_bytes(void **state)
{
	struct wt_key key = {1, 2};
	uint64_t n = 0x1122334455667788;
	uint8_t bytes[8] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};

	assert_true(wt_siphash_u64(&key, n) == wt_siphash(&key, bytes, 8));
}

static void streams_of_other_names_or_seeds_are_other_streams(void **state)
{
	struct wt_key a = wt_key_derive(1, "fwd.0.loss"), b = wt_key_derive(1, "rev.0.loss"),
		      c = wt_key_derive(2, "fwd.0.loss"), again = wt_key_derive(1, "fwd.0.loss");

	assert_memory_equal(&a, &again, sizeof(a));
	assert_memory_not_equal(&a, &b, sizeof(a));
	assert_memory_not_equal(&a, &c, sizeof(a));
	assert_true(a.k0 != a.k1);
}

static void a_key_is_the_same_in_every_build(void **state)
{
	struct wt_key key = wt_key_derive(7, "fwd.0.loss");

	/* recorded once: a change here changes every published result */
	assert_true(wt_siphash_u64(&key, 0) == 0x02faef205cffceb5);
	assert_true(wt_random_exp(&key, 1) == 0x1.dd5cbc10db89ep-1);
}

static void a_stream_gives_the_numbers_of_its_key_in_whatever_order(void **state)
{
	static const uint64_t starts[] = {0, 1, 6, UINT64_C(6) << 48, (UINT64_C(6) << 48) + 3, UINT64_MAX - 9, 4, 0};
	struct wt_key key = wt_key_derive(3, "fwd.loss");
	struct wt_stream stream = {.key = key}; /* zeroed: it has no numbers yet */

	for (unsigned i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		for (uint64_t n = starts[i]; n < starts[i] + 9; n++)
			assert_true(wt_stream_number(&stream, n) == wt_siphash_u64(&key, n));
	for (uint64_t n = 1000; n-- > 0;) {
		double unit = wt_random_unit(&key, n);

		assert_true(wt_stream_strikes(&stream, n, nextafter(unit, 1)));
		assert_false(wt_stream_strikes(&stream, n, unit));
	}
	key = wt_key_derive(3, "rev.loss");
	wt_stream_init(&stream, &key);
	assert_true(wt_stream_number(&stream, 0) == wt_siphash_u64(&key, 0));
	assert_true(wt_stream_strikes(&stream, 5, 1));
	assert_false(wt_stream_strikes(&stream, 5, 0));
}

static void unit_draws_are_uniform_by_chi_square(void **state)
{
	struct wt_key key = wt_key_derive(3, "uniform");
	unsigned count[256] = {0};
	double chi = 0, expected = DRAWS / 256.0;

	for (uint64_t n = 0; n < DRAWS; n++) {
		double u = wt_random_unit(&key, n);

		assert_true(u >= 0 && u < 1);
		count[(unsigned)(u * 256)]++;
	}
	for (unsigned i = 0; i < 256; i++)
		chi += (count[i] - expected) * (count[i] - expected) / expected;
	/* 255 degrees of freedom: the 0.1 % and 99.9 % points */
	assert_true(chi > 190 && chi < 331);
}

static void neighbouring_draws_are_uncorrelated(void **state)
{
	struct wt_key key = wt_key_derive(4, "lag");
	double sum = 0;

	for (uint64_t n = 0; n < DRAWS; n++)
		sum += (wt_random_unit(&key, n) - 0.5) * (wt_random_unit(&key, n + 1) - 0.5);
	/* mean of products: standard deviation 1/12 / sqrt(n); four of them */
	assert_true(fabs(sum / DRAWS) < 4.0 / 12 / sqrt(DRAWS));
}

static void draws_below_a_bound_are_below_it_and_uniform(void **state)
{
	struct wt_key key = wt_key_derive(5, "below");
	unsigned count[6] = {0};
	double chi = 0;

	for (uint64_t n = 0; n < DRAWS; n++) {
		uint64_t v = wt_random_below(&key, n, 6);

		assert_true(v < 6);
		count[v]++;
		assert_int_equal(wt_random_below(&key, n, 1), 0);
		assert_true(wt_random_below(&key, n, UINT64_MAX) < UINT64_MAX);
	}
	for (unsigned i = 0; i < 6; i++)
		chi += (count[i] - DRAWS / 6.0) * (count[i] - DRAWS / 6.0) / (DRAWS / 6.0);
	assert_true(chi < 20.5); /* 5 degrees of freedom, 99.9 % */
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void exponential_draws_have_the_mean_variance_and_shape(void **state)
{
	struct wt_key key = wt_key_derive(6, "exp");
	double *draw = malloc(DRAWS * sizeof(*draw)), sum = 0, squares = 0, worst = 0;

	assert_non_null(draw);
	for (uint64_t n = 0; n < DRAWS; n++) {
		draw[n] = wt_random_exp(&key, n);
		assert_true(draw[n] > 0 && draw[n] < 37);
		sum += draw[n];
		squares += (draw[n] - 1) * (draw[n] - 1);
	}
	assert_true(fabs(sum / DRAWS - 1) < 4 / sqrt(DRAWS));
	assert_true(fabs(squares / DRAWS - 1) < 4 * sqrt(8.0 / DRAWS)); /* variance of (x-1)^2 is 8 */
	/* Kolmogorov and Smirnov, 0.1 % point */
	qsort(draw, DRAWS, sizeof(*draw), compare);
	for (unsigned i = 0; i < DRAWS; i++) {
		double cdf = 1 - exp(-draw[i]);

		worst = fmax(worst, fmax(cdf - (double)i / DRAWS, (i + 1.0) / DRAWS - cdf));
	}
	assert_true(worst < 1.95 / sqrt(DRAWS));
	free(draw);
}

static bool close_to_libm(double x)
{
	double expected = log(x), got = wt_log_unit(x);

	return x == 1 ? got == 0 : fabs(got / expected - 1) < 1e-14;
}

static void the_logarithm_is_within_1e_14_everywhere_in_the_unit_interval(void **state)
{
	struct wt_key key = wt_key_derive(8, "log");

	for (uint64_t n = 0; n < DRAWS; n++) {
		double u = wt_random_unit(&key, n);

		assert_true(u == 0 || close_to_libm(u));
		assert_true(close_to_libm(1 - ldexp(u, -(int)(n % 50))));
	}
	for (int e = 0; e >= -1074; e--)
		assert_true(close_to_libm(ldexp(1, e)));
	assert_true(close_to_libm(M_SQRT1_2));
	assert_true(close_to_libm(nextafter(M_SQRT1_2, 0)));
	assert_true(close_to_libm(nextafter(1, 0)));
}

static void the_logarithm_of_nonsense_is_finite(void **state)
{
	assert_true(isfinite(wt_log_unit(0)) && isfinite(wt_log_unit(-1)) && isfinite(wt_log_unit(NAN)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(siphash_gives_the_reference_vectors),
		cmocka_unit_test(the_hash_of_a_number_is_that_of_its_little_endian_bytes),
		cmocka_unit_test(streams_of_other_names_or_seeds_are_other_streams),
		cmocka_unit_test(a_key_is_the_same_in_every_build),
		cmocka_unit_test(a_stream_gives_the_numbers_of_its_key_in_whatever_order),
		cmocka_unit_test(unit_draws_are_uniform_by_chi_square),
		cmocka_unit_test(neighbouring_draws_are_uncorrelated),
		cmocka_unit_test(draws_below_a_bound_are_below_it_and_uniform),
		cmocka_unit_test(exponential_draws_have_the_mean_variance_and_shape),
		cmocka_unit_test(the_logarithm_is_within_1e_14_everywhere_in_the_unit_interval),
		cmocka_unit_test(the_logarithm_of_nonsense_is_finite),
	};

	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
