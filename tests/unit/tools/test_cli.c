/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "tools/common/cli.h"

enum { ONE, NUMBER, NAME };

static const struct wt_option options[] = {
	[ONE] = {'1', "one", NULL, "a flag"},
	[NUMBER] = {'n', "number", "N", "an argument"},
	[NAME] = {0, "name", "NAME", "only long"},
};

static const struct wt_command command = {.name = "try", .text = "a command", .options = options, .option_count = 3};

/* What the cursor says about one command line, as text: "1 n=5 word END". */
static void expect(const char *wanted, int argc, char **argv)
{
	char said[256] = "", piece[64];
	struct wt_args args;
	int option;

	wt_args_init(&args, &command, argc, argv);
	do {
		option = wt_args_next(&args);
		snprintf(piece, sizeof(piece), "%s%s%s%s", option >= 0 ? options[option].name : "", option >= 0 && args.value ? "=" : "",
			 args.value && option != WT_ARGS_BAD ? args.value : "",
			 option == WT_ARGS_END ? "END" : option == WT_ARGS_BAD ? "BAD" : " ");
		strcat(said, piece);
	} while (option != WT_ARGS_END && option != WT_ARGS_BAD);
	assert_string_equal(said, wanted);
}

#define EXPECT(wanted, ...)                                                                                    \
	do {                                                                                                    \
		const char *line[] = {"try", __VA_ARGS__, NULL};                                                      \
		expect(wanted, (int)(sizeof(line) / sizeof(line[0])) - 1, (char **)line);                                \
	} while (0)

static void options_and_words_come_in_the_order_given(void **state)
{
	EXPECT("one number=5 word END", "-1", "-n", "5", "word");
	EXPECT("word number=5 other END", "word", "--number", "5", "other");
	EXPECT("- END", "-");
}

static void letters_may_share_a_dash_and_the_last_may_carry_its_argument(void **state)
{
	EXPECT("one number=5 END", "-1n5");
	EXPECT("one one number=5 END", "-11n", "5");
}

static void a_long_option_takes_its_argument_after_an_equals_sign_too(void **state)
{
	EXPECT("number=5 name=a=b END", "--number=5", "--name=a=b");
	EXPECT("name= END", "--name=");
}

static void an_argument_may_look_like_an_option(void **state)
{
	EXPECT("number=-1 END", "-n", "-1");
	EXPECT("name=--one END", "--name", "--one");
}

static void after_two_dashes_everything_is_a_word(void **state)
{
	EXPECT("one -1 -- END", "-1", "--", "-1", "--");
}

static void wrong_options_are_bad(void **state)
{
	EXPECT("BAD", "-x");
	EXPECT("BAD", "--nmae", "x");
	EXPECT("one BAD", "-1", "-n");
	EXPECT("BAD", "--name");
	EXPECT("BAD", "--one=yes");
}

static void quiet_is_taken_by_every_command(void **state)
{
	wt_quiet = false;
	EXPECT("one END", "--quiet", "-1");
	assert_true(wt_quiet);
	wt_quiet = false;
}

/* What the whole line comes to, as text: "one= n=5 a b", or the exit code. */
static void expect_read(const char *wanted, unsigned words, int argc, char **argv)
{
	const char *value[3] = {NULL}, *word[2] = {NULL};
	char said[256] = "";
	int code;

	wt_current_command = &command;
	code = wt_args_read(argc, argv, value, word, words, "so many at a time");
	wt_current_command = NULL;
	for (unsigned i = 0; i < 3 && !code; i++)
		if (value[i])
			snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s=%s ", options[i].name, value[i]);
	for (unsigned i = 0; i < 2 && !code; i++)
		if (word[i])
			snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s ", word[i]);
	assert_int_equal(code, wanted ? WT_EXIT_OK : WT_EXIT_USAGE);
	if (wanted)
		assert_string_equal(said, wanted);
}

#define READ(wanted, words, ...)                                                                               \
	do {                                                                                                    \
		const char *line[] = {"try", __VA_ARGS__, NULL};                                                      \
		expect_read(wanted, words, (int)(sizeof(line) / sizeof(line[0])) - 1, (char **)line);                    \
	} while (0)

static void a_whole_line_is_read_into_values_and_at_most_so_many_words(void **state)
{
	READ("one= number=5 a b ", 2, "a", "-1", "-n", "5", "b");
	READ("number=7 ", 0, "-n", "5", "--number", "7");
	READ("name= a ", 1, "--name", "", "a");
	READ(NULL, 2, "a", "b", "c");
	READ(NULL, 0, "a");
	READ(NULL, 2, "-x");
}

static void every_command_is_described_and_no_letter_or_name_is_used_twice(void **state)
{
	for (size_t c = 0; c < wt_command_count; c++) {
		const struct wt_command *one = wt_commands[c];

		assert_non_null(one->run);
		assert_true(one->text && *one->text);
		for (size_t i = 0; i < one->option_count; i++) {
			const struct wt_option *option = &one->options[i];

			assert_true(option->name && *option->name && option->text && *option->text);
			for (size_t j = 0; j < i; j++) {
				assert_string_not_equal(option->name, one->options[j].name);
				assert_true(!option->letter || option->letter != one->options[j].letter);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_and_words_come_in_the_order_given),
		cmocka_unit_test(letters_may_share_a_dash_and_the_last_may_carry_its_argument),
		cmocka_unit_test(a_long_option_takes_its_argument_after_an_equals_sign_too),
		cmocka_unit_test(an_argument_may_look_like_an_option),
		cmocka_unit_test(after_two_dashes_everything_is_a_word),
		cmocka_unit_test(wrong_options_are_bad),
		cmocka_unit_test(quiet_is_taken_by_every_command),
		cmocka_unit_test(a_whole_line_is_read_into_values_and_at_most_so_many_words),
		cmocka_unit_test(every_command_is_described_and_no_letter_or_name_is_used_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
