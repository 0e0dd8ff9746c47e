/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>

#include "stack/base/random.h"
#include "stack/text/units.h"

static void good_times_are_read_exactly(void **state)
{
	static const struct {
		const char *text;
		wt_time value;
	} good[] = {
		{"0", 0}, {"0s", 0}, {"0.0ms", 0}, {"15ms", 15 * WT_MS}, {"1.5s", 1500 * WT_MS}, {"1us", 1000}, {"7ns", 7},
		{"2min", 120 * WT_S}, {"1h", 3600 * WT_S}, {"0.5h", 1800 * WT_S}, {"0.000000001s", 1}, {"007ms", 7 * WT_MS},
		{"9223372036854775807ns", INT64_MAX}, {"0.1ms", 100000}, {"1.10ms", 1100000},
	};
	wt_time out;

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(wt_parse_time(good[i].text, &out, NULL, 0), 0);
		assert_int_equal(out, good[i].value);
	}
}

static void good_sizes_and_rates_are_read_exactly(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} sizes[] = {{"0", 0}, {"1B", 1}, {"64KB", 64000}, {"64kB", 64000}, {"64KiB", 65536}, {"5MiB", 5 << 20}, {"1.5MB", 1500000},
		     {"2GB", 2000000000}, {"1GiB", 1 << 30}, {"0.5KiB", 512}},
	  rates[] = {{"0", 0}, {"10Mbit", 10000000}, {"56Kbit", 56000}, {"56kbit", 56000}, {"1Gbit", 1000000000}, {"1.5Mbit", 1500000},
		     {"100Bps", 800}, {"1kBps", 8000}, {"1KBps", 8000}, {"2MBps", 16000000}, {"1bit", 1}, {"0.125Bps", 1}};
	uint64_t out;

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(wt_parse_size(sizes[i].text, &out, NULL, 0), 0);
		assert_int_equal(out, sizes[i].value);
	}
	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		assert_int_equal(wt_parse_rate(rates[i].text, &out, NULL, 0), 0);
		assert_int_equal(out, rates[i].value);
	}
}

static void bad_quantities_are_refused_with_one_sentence_and_no_change(void **state)
{
	static const char *const times[] = {"", "ms", "15", "15 ms", "15m", "15MS", "-1s", "+1s", "1e3s", "0.1ns", "1..5s", ".5s", "5.s",
					    "9223372036854775808ns", "99999999999999999999h", "inf", "0x10ms", "1s ", "292471209h"};
	static const char *const sizes[] = {"", "64", "64K", "64k", "64Kb", "64MBps", "0.5B", "-1KB", "1.3KiB", "99999999999GiB", "KB"};
	static const char *const rates[] = {"", "10", "10M", "10Kbps", "10Mbps", "10bps", "1Mb", "0.5bit", "10MB", "-1Mbit", "20%"};
	char err[200];
	wt_time t;
	uint64_t v;

	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		t = -7;
		err[0] = '\0';
		assert_int_equal(wt_parse_time(times[i], &t, err, sizeof(err)), -EINVAL);
		assert_int_equal(t, -7);
		assert_non_null(strstr(err, times[i]));
		assert_true(strlen(err) > 10);
	}
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		assert_int_equal(wt_parse_size(sizes[i], &v, err, sizeof(err)), -EINVAL);
	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		assert_int_equal(wt_parse_rate(rates[i], &v, NULL, 0), -EINVAL);
}

static void a_bare_number_and_kbps_are_told_apart_in_the_message(void **state)
{
	char err[200], tiny[4];
	uint64_t v;

	wt_parse_rate("10", &v, err, sizeof(err));
	assert_non_null(strstr(err, "no unit"));
	wt_parse_rate("10Kbps", &v, err, sizeof(err));
	assert_non_null(strstr(err, "bits or bytes"));
	wt_parse_rate("10", &v, tiny, sizeof(tiny)); /* cut, not overrun */
	assert_int_equal(strlen(tiny), 3);
}

static void shares_counts_numbers_and_words_have_their_grammar(void **state)
{
	double d;
	uint64_t v;
	static const char *const bad_shares[] = {"", "%", "101%", "1.01", "-1%", "20 %", "20%%", "nan", "0x1p-1", ".5", "5.", "5.%",
					   "e-3", "1e", "1e-", "1e--3", "1e-1000", "1e1", "1E-3", "1e-3e", "1e3%",
					   "0.2", "1", "1e-7", "20"};
	static const char *const bad_counts[] = {"", "-1", "1.0", "0x10", "18446744073709551616", "1 ", "ten"};
	static const char *const bad_numbers[] = {"", "nan", "inf", "1e999", "0x10", " 1", "1 ", "1,5", "e", "--1"};

	assert_true(!wt_parse_share("20%", &d, NULL, 0) && d == 0.2);
	assert_true(!wt_parse_share("0.1%", &d, NULL, 0) && d == 0.001);
	assert_true(!wt_parse_share("0", &d, NULL, 0) && d == 0);
	assert_true(!wt_parse_share("0.0", &d, NULL, 0) && d == 0);
	assert_true(!wt_parse_share("1e-5%", &d, NULL, 0) && d == 1e-7);
	assert_true(!wt_parse_share("2.5e+1%", &d, NULL, 0) && d == 0.25);
	assert_true(!wt_parse_share("100%", &d, NULL, 0) && d == 1);
	for (unsigned i = 0; i < sizeof(bad_shares) / sizeof(bad_shares[0]); i++)
		assert_int_equal(wt_parse_share(bad_shares[i], &d, NULL, 0), -EINVAL);
	assert_true(!wt_parse_count("18446744073709551615", &v, NULL, 0) && v == UINT64_MAX);
	for (unsigned i = 0; i < sizeof(bad_counts) / sizeof(bad_counts[0]); i++)
		assert_int_equal(wt_parse_count(bad_counts[i], &v, NULL, 0), -EINVAL);
	assert_true(!wt_parse_number("-1.5e3", &d, NULL, 0) && d == -1500);
	for (unsigned i = 0; i < sizeof(bad_numbers) / sizeof(bad_numbers[0]); i++)
		assert_int_equal(wt_parse_number(bad_numbers[i], &d, NULL, 0), -EINVAL);
	assert_true(!wt_parse_bool("yes", &v, NULL, 0) && v == 1);
	assert_true(!wt_parse_bool("off", &v, NULL, 0) && v == 0);
	assert_int_equal(wt_parse_bool("maybe", &v, NULL, 0), -EINVAL);
}

/* A bare number is a fraction to some and a percentage to tc(8): both readings are named. */
static void a_share_without_its_percent_sign_is_refused_with_both_readings(void **state)
{
	char err[200];
	double d;

	assert_int_equal(wt_parse_share("1", &d, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "'1' has no unit: write 1% or 100%");
	assert_int_equal(wt_parse_share("0.05", &d, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "'0.05' has no unit: write 0.05% or 5%");
	assert_int_equal(wt_parse_share("20", &d, err, sizeof(err)), -EINVAL);
	assert_string_equal(err, "'20' has no unit: write 20%");
}

static void values_print_in_the_unit_people_use(void **state)
{
	char text[64];

	assert_string_equal(wt_format_time(15 * WT_MS, text, sizeof(text)), "15ms");
	assert_string_equal(wt_format_time(100 * WT_MS, text, sizeof(text)), "100ms");
	assert_string_equal(wt_format_time(1500 * WT_MS, text, sizeof(text)), "1.5s");
	assert_string_equal(wt_format_time(0, text, sizeof(text)), "0");
	assert_string_equal(wt_format_time(-15 * WT_MS, text, sizeof(text)), "-15ms");
	assert_string_equal(wt_format_size(65536, text, sizeof(text)), "64KiB");
	assert_string_equal(wt_format_size(64000, text, sizeof(text)), "64KB");
	assert_string_equal(wt_format_size(5 << 20, text, sizeof(text)), "5MiB");
	assert_string_equal(wt_format_rate(10000000, text, sizeof(text)), "10Mbit");
	assert_string_equal(wt_format_share(0, text, sizeof(text)), "0%");
	assert_string_equal(wt_format_share(1, text, sizeof(text)), "100%");
	assert_string_equal(wt_format_share(0.2, text, sizeof(text)), "20%");
	assert_string_equal(wt_format_share(1.0 / 16, text, sizeof(text)), "6.25%");
	assert_string_equal(wt_format_share(0.999, text, sizeof(text)), "99.9%");
	assert_string_equal(wt_format_share(0.01, text, sizeof(text)), "1%");
	assert_string_equal(wt_format_share(0.001, text, sizeof(text)), "0.1%");
	assert_string_equal(wt_format_share(5e-7, text, sizeof(text)), "0.00005%");
	assert_string_equal(wt_format_share(1.25e-30, text, sizeof(text)), "1.25e-28%");
}

static void every_share_reads_back_to_the_same_double(void **state)
{
	struct wt_key key = wt_key_derive(10, "units");
	char text[48];
	double back;

	for (uint64_t n = 0; n < 100000; n++) {
		uint64_t bits = wt_siphash_u64(&key, n);
		double value;

		if (n % 3) { /* near 0 and near 1, as far as there are doubles */
			bits &= UINT64_C(0x3fffffffffffffff);
			memcpy(&value, &bits, sizeof(value));
			value = value < 1 ? value : 1 / value;
		} else {
			value = (double)(bits >> 11) * 0x1p-53;
		}
		assert_true(strlen(wt_format_share(value, text, sizeof(text))) < sizeof(text) - 1);
		assert_int_equal(wt_parse_share(text, &back, NULL, 0), 0);
		assert_true(back == value);
	}
}

static void what_is_printed_reads_back_to_the_same_value(void **state)
{
	struct wt_key key = wt_key_derive(9, "units");
	char text[64];
	uint64_t v;
	wt_time t;

	for (uint64_t n = 0; n < 20000; n++) {
		uint64_t value = wt_siphash_u64(&key, n) >> (n % 64);

		assert_int_equal(wt_parse_size(wt_format_size(value, text, sizeof(text)), &v, NULL, 0), 0);
		assert_true(v == value);
		if (value <= INT64_MAX) {
			assert_int_equal(wt_parse_time(wt_format_time((wt_time)value, text, sizeof(text)), &t, NULL, 0), 0);
			assert_true(t == (wt_time)value);
		}
		assert_int_equal(wt_parse_rate(wt_format_rate(value, text, sizeof(text)), &v, NULL, 0), 0);
		assert_true(v == value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_times_are_read_exactly),
		cmocka_unit_test(good_sizes_and_rates_are_read_exactly),
		cmocka_unit_test(bad_quantities_are_refused_with_one_sentence_and_no_change),
		cmocka_unit_test(a_bare_number_and_kbps_are_told_apart_in_the_message),
		cmocka_unit_test(shares_counts_numbers_and_words_have_their_grammar),
		cmocka_unit_test(a_share_without_its_percent_sign_is_refused_with_both_readings),
		cmocka_unit_test(values_print_in_the_unit_people_use),
		cmocka_unit_test(every_share_reads_back_to_the_same_double),
		cmocka_unit_test(what_is_printed_reads_back_to_the_same_value),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
