/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>

#include "stack/text/params.h"
#include "stack/base/time.h"

struct object {
	wt_time wait, idle;
	uint64_t room, rate, count, on, mode;
	double number, share;
};

static const char *const modes[] = {"paper", "paper-slow", "safe", NULL};

static const struct wt_param table[] = {
	{"wait", WT_PARAM_TIME, offsetof(struct object, wait), "a time", 1e6, 60e9, NULL},
	{"idle", WT_PARAM_TIMER, offsetof(struct object, idle), "a timer that may be off", 1e9, 60e9, NULL},
	{"room", WT_PARAM_SIZE, offsetof(struct object, room), "a size", 0, 0, NULL},
	{"rate", WT_PARAM_RATE, offsetof(struct object, rate), "a rate", 0, 0, NULL},
	{"count", WT_PARAM_COUNT, offsetof(struct object, count), "a count", 2, 24, NULL},
	{"number", WT_PARAM_NUMBER, offsetof(struct object, number), "a number", -1, 1.5, NULL},
	{"share", WT_PARAM_SHARE, offsetof(struct object, share), "a share", 0, 0, NULL},
	{"on", WT_PARAM_BOOL, offsetof(struct object, on), "a switch", 0, 0, NULL},
	{"profile", WT_PARAM_WORD, offsetof(struct object, mode), "a word", 0, 0, modes},
};
#define COUNT (sizeof(table) / sizeof(table[0]))

static int set(struct object *object, const char *list, char *err)
{
	return wt_param_set_list(table, COUNT, object, list, err, 512);
}

static void a_list_sets_every_type(void **state)
{
	struct object o = {0};
	char err[512];

	assert_int_equal(set(&o, "wait=15ms,room=64KiB,rate=10Mbit,count=24,number=-0.25,share=20%,on=yes,profile=safe", err), 0);
	assert_int_equal(o.wait, 15 * WT_MS);
	assert_int_equal(o.room, 65536);
	assert_int_equal(o.rate, 10000000);
	assert_int_equal(o.count, 24);
	assert_true(o.number == -0.25 && o.share == 0.2);
	assert_int_equal(o.on, 1);
	assert_int_equal(o.mode, 2);
	assert_int_equal(set(&o, "", err), 0);
	assert_int_equal(wt_param_set_list(table, COUNT, &o, NULL, err, sizeof(err)), 0);
}

static void a_timer_is_off_or_within_its_bounds(void **state)
{
	struct object o = {.idle = 7};
	char err[512];

	assert_int_equal(set(&o, "idle=1ns", err), -22);
	assert_string_equal(err, "idle: '1ns' is out of range: expected 0 or 1s to 60s");
	assert_int_equal(o.idle, 7);
	assert_int_equal(set(&o, "idle=1s", err), 0);
	assert_int_equal(o.idle, WT_S);
	assert_int_equal(set(&o, "idle=0s", err), 0);
	assert_int_equal(o.idle, 0);
}

static void every_value_prints_as_text_that_sets_it_again(void **state)
{
	static const char *const lists[] = {
		"wait=1ms,room=0,rate=56Kbit,count=2,number=0.1,share=0.1%,on=off,profile=paper",
		"wait=1min,room=5MiB,rate=1Gbit,count=24,number=1.5,share=100%,on=on,profile=paper-slow",
		"wait=1234567ns,room=1B,rate=1bit,count=17,number=1e-300,share=33.33333333333333%,on=on,profile=safe",
	};
	char err[512], text[64], value[64];

	for (unsigned i = 0; i < 3; i++) {
		struct object o = {0}, again = {0};

		assert_int_equal(set(&o, lists[i], err), 0);
		for (unsigned p = 0; p < COUNT; p++) {
			snprintf(text, sizeof(text), "%s=%s", table[p].name, wt_param_format(&table[p], &o, value, sizeof(value)));
			assert_int_equal(set(&again, text, err), 0);
		}
		assert_memory_equal(&o, &again, sizeof(o));
	}
}

static void an_unknown_name_lists_the_nearest_and_the_known(void **state)
{
	struct object o = {0};
	char err[512];

	assert_int_equal(set(&o, "profil=paper", err), -EINVAL);
	assert_non_null(strstr(err, "profil"));
	assert_non_null(strstr(err, "did you mean 'profile'"));
	assert_non_null(strstr(err, "count"));
	assert_int_equal(set(&o, "zzzzzzzzzz=1", err), -EINVAL);
	assert_null(strstr(err, "did you mean"));
	assert_int_equal(set(&o, "profile=papr", err), -EINVAL);
	assert_non_null(strstr(err, "did you mean 'paper'"));
}

static void a_list_of_the_known_that_does_not_fit_ends_with_a_whole_word_and_a_count(void **state)
{
	struct object o = {0};
	char err[128], whole[128];

	assert_int_equal(wt_param_set_list(table, COUNT, &o, "zzzz=1", whole, sizeof(whole)), -EINVAL);
	assert_string_equal(whole, "no parameter 'zzzz'; known: wait, idle, room, rate, count, number, share, on, profile");
	for (size_t len = strlen(whole) + 1; len > strlen("no parameter 'zzzz'; known: 8 more"); len--) {
		size_t end;
		unsigned more, words = 1;

		wt_param_set_list(table, COUNT, &o, "zzzz=1", err, len);
		if (len == strlen(whole) + 1) {
			assert_string_equal(err, whole);
			continue;
		}
		end = strstr(err, " and ") ? (size_t)(strstr(err, " and ") - err) : strlen("no parameter 'zzzz'; known:");
		assert_memory_equal(err, whole, end);
		assert_true(whole[end] == ',' || whole[end] == ' ');
		assert_int_equal(sscanf(err + end, whole[end] == ',' ? " and %u more" : "%u more", &more), 1);
		for (size_t i = 0; i < end; i++)
			words += err[i] == ',';
		assert_int_equal(more, whole[end] == ',' ? COUNT - words : COUNT);
	}
}

static void bad_values_and_bounds_are_refused_with_the_name_and_change_nothing(void **state)
{
	static const char *const bad[] = {"wait=15", "wait=1us", "wait=61s", "count=1", "count=25", "count=-3", "number=2", "number=x",
					  "share=120%", "on=perhaps", "profile=", "room=64", "rate=10Kbps", "wait", "wait=", "=1", ",",
					  "count=3,", "count=3,,on=yes", "count 3"};
	struct object o = {.wait = 5, .count = 7}, before = o;
	char err[512];

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err[0] = '\0';
		o = before;
		assert_int_equal(set(&o, bad[i], err), -EINVAL);
		assert_true(strlen(err) > 10);
		if (strncmp(bad[i], "count=3", 7)) /* those set the first, then stop */
			assert_memory_equal(&o, &before, sizeof(o));
	}
	set(&o, "wait=1us", err);
	assert_non_null(strstr(err, "wait"));
	assert_non_null(strstr(err, "1ms to 60s"));
}

static void overlong_input_is_refused(void **state)
{
	struct object o = {0};
	char err[512], text[400];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(set(&o, text, err), -EINVAL);
	text[200] = '=';
	assert_int_equal(set(&o, text, err), -EINVAL);
	memcpy(text, "count=", 6);
	text[200] = 'a';
	assert_int_equal(set(&o, text, err), -EINVAL);
}

static const char *next(const void *ctx, size_t i)
{
	return ((const char *const *)ctx)[i];
}

static void the_nearest_word_is_within_three_edits(void **state)
{
	static const char *const words[] = {"reno", "newreno", "tahoe", "real", "send", "doctor", NULL};

	assert_string_equal(wt_nearest_word("rno", next, words), "reno");
	assert_string_equal(wt_nearest_word("newrneo", next, words), "newreno");
	assert_string_equal(wt_nearest_word("sned", next, words), "send");
	assert_string_equal(wt_nearest_word("doktor", next, words), "doctor");
	assert_null(wt_nearest_word("xyzzyplugh", next, words));
	assert_null(wt_nearest_word("tab", next, words)); /* three edits from "tahoe", of five letters */
	assert_null(wt_nearest_word("", next, words + 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_sets_every_type),
		cmocka_unit_test(a_timer_is_off_or_within_its_bounds),
		cmocka_unit_test(every_value_prints_as_text_that_sets_it_again),
		cmocka_unit_test(an_unknown_name_lists_the_nearest_and_the_known),
		cmocka_unit_test(a_list_of_the_known_that_does_not_fit_ends_with_a_whole_word_and_a_count),
		cmocka_unit_test(bad_values_and_bounds_are_refused_with_the_name_and_change_nothing),
		cmocka_unit_test(overlong_input_is_refused),
		cmocka_unit_test(the_nearest_word_is_within_three_edits),
	};

	return cmocka_run_group_tests_name("params", tests, NULL, NULL);
}
