/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "tests/cc/cc_test.h"

static char err[512];

static void a_name_alone_means_the_defaults(void **state)
{
	struct wt_sender_choice choice;

	MUST(wt_sender_choose("reno", &choice, err, sizeof(err)));
	assert_string_equal(choice.ops->name, "reno");
	assert_memory_equal(choice.params, choice.ops->params_default, choice.ops->params_size);
	MUST(wt_sender_choose("reno:", &choice, NULL, 0));
	assert_memory_equal(choice.params, choice.ops->params_default, choice.ops->params_size);
}

static void an_unknown_name_is_refused_with_the_nearest_and_all_known_ones(void **state)
{
	struct wt_sender_choice choice;
	struct wt_recovery_choice recovery;
	struct wt_receiver_choice receiver;

	assert_int_equal(wt_sender_choose("rno", &choice, err, sizeof(err)), -EINVAL);
	assert_ptr_equal(strstr(err, "no sender module 'rno'; did you mean 'reno'? known: "), err);
	for (size_t i = 0; wt_senders[i]; i++)
		assert_non_null(strstr(err, wt_senders[i]->name));
	assert_int_equal(wt_recovery_choose("xyzzy:a=1", &recovery, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "no recovery module 'xyzzy'; known: tahoe"));
	assert_int_equal(wt_receiver_choose("", &receiver, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_receiver_choose(NULL, &receiver, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_receiver_choose("standart", &receiver, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "did you mean 'standard'?"));
}

static void a_bad_parameter_is_refused_in_one_sentence_with_the_module(void **state)
{
	struct wt_sender_choice choice;
	struct wt_recovery_choice recovery;

	assert_int_equal(wt_sender_choose("real:lmx=3", &choice, err, sizeof(err)), -EINVAL);
	assert_non_null(strstr(err, "module 'real': "));
	assert_non_null(strstr(err, "lmax"));
	assert_int_equal(wt_sender_choose("real:lmax=70000", &choice, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_sender_choose("real:profile=papr", &choice, err, sizeof(err)), -EINVAL);
	assert_int_equal(wt_recovery_choose("real:fr_mode=sack", &recovery, err, sizeof(err)), -EINVAL);
	assert_null(strchr(err, '\n'));
}

/* The text of one parameter of a choice. */
static const char *value(const struct wt_recovery_choice *choice, const char *name)
{
	static char text[64];

	for (size_t i = 0; i < choice->ops->param_count; i++)
		if (!strcmp(choice->ops->params[i].name, name))
			return wt_param_format(&choice->ops->params[i], choice->params, text, sizeof(text));
	fail_msg("no parameter %s", name);
	return NULL;
}

static void a_profile_sets_all_and_what_is_given_goes_on_top_in_any_order(void **state)
{
	static const char *const texts[] = {"real:profile=paper,once=on", "real:once=on,profile=paper"};

	for (int i = 0; i < 2; i++) {
		struct wt_recovery_choice choice;

		MUST(wt_recovery_choose(texts[i], &choice, err, sizeof(err)));
		assert_string_equal(value(&choice, "profile"), "paper");
		assert_string_equal(value(&choice, "fr_mode"), "single");
		assert_string_equal(value(&choice, "once"), "on");
		assert_string_equal(value(&choice, "limited_transmit"), "off");
	}
	{
		struct wt_recovery_choice choice;

		MUST(wt_recovery_choose("real:profile=paper-slow", &choice, err, sizeof(err)));
		assert_string_equal(value(&choice, "profile"), "paper-slow");
		MUST(wt_recovery_choose("real", &choice, err, sizeof(err)));
		assert_string_equal(value(&choice, "profile"), "safe");
		assert_string_equal(value(&choice, "fr_mode"), "newreno");
	}
}

static void recovery_follows_the_senders_profile(void **state)
{
	struct wt_recovery_choice recovery;
	struct wt_sender_choice sender;

	MUST(wt_sender_choose("real:lmax=30,profile=paper", &sender, err, sizeof(err)));
	wt_recovery_follow(&sender, "sack", NULL, &recovery);
	assert_string_equal(recovery.ops->name, "real");
	assert_string_equal(value(&recovery, "fr_mode"), "single");
	MUST(wt_sender_choose("real", &sender, err, sizeof(err)));
	wt_recovery_follow(&sender, "sack", NULL, &recovery);
	assert_string_equal(value(&recovery, "fr_mode"), "newreno");
	MUST(wt_sender_choose("tahoe", &sender, err, sizeof(err)));
	wt_recovery_follow(&sender, "sack", NULL, &recovery);
	assert_string_equal(recovery.ops->name, "tahoe");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_alone_means_the_defaults),
		cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest_and_all_known_ones),
		cmocka_unit_test(a_bad_parameter_is_refused_in_one_sentence_with_the_module),
		cmocka_unit_test(recovery_follows_the_senders_profile),
		cmocka_unit_test(a_profile_sets_all_and_what_is_given_goes_on_top_in_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
