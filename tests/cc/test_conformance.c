/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every module of the registry, and the documentation's example, keeps the rules of tools/modules/check.h; and each rule finds a module that
 * breaks it on purpose.
 */
#include "tests/cc/cc_test.h"
#include "tools/modules/modules.h"

extern const struct wt_sender_ops wt_sender_steps;

enum { TRIALS = 6 };

static void check_subject(const struct wt_cc_subject *subject)
{
	struct wt_cc_described m = wt_cc_describe(subject);
	struct wt_cc_report report;
	const char *verdict;
	char text[300];

	wt_cc_check(subject, TRIALS, &report);
	verdict = wt_cc_check_verdict(&report, text, sizeof(text));
	if (verdict)
		fail_msg("%s %s: %s", m.table, m.name, verdict);
}

static void every_module_keeps_every_rule(void **state)
{
	struct wt_cc_subject subject;
	size_t i = 0;

	for (; wt_cc_subject_at(i, &subject); i++)
		check_subject(&subject);
	assert_true(i >= 16);
	check_subject(&(struct wt_cc_subject){.sender = &wt_sender_steps});
}

static void names_are_unique_in_their_table_and_can_be_chosen(void **state)
{
	struct wt_cc_subject a, b;
	struct wt_sender_choice sender;

	for (size_t i = 0; wt_cc_subject_at(i, &a); i++)
		for (size_t j = 0; j < i && wt_cc_subject_at(j, &b); j++)
			assert_true(strcmp(wt_cc_describe(&a).table, wt_cc_describe(&b).table) ||
				    strcmp(wt_cc_describe(&a).name, wt_cc_describe(&b).name));
	for (size_t i = 0; wt_senders[i]; i++) {
		MUST(wt_sender_choose(wt_senders[i]->name, &sender, NULL, 0));
		assert_ptr_equal(sender.ops, wt_senders[i]);
	}
}

/* ---- faults made on purpose ------------------------------------------------------------------------------- */

static void broken(const struct wt_cc_subject *subject, enum wt_cc_rule rule, const char *words)
{
	struct wt_cc_report report;

	MUST(wt_cc_check_apart(subject, 2, &report));
	if (!strstr(report.broken[rule], words) || !report.broken[rule][0])
		fail_msg("rule %s: '%s', expected '%s'; the module %s", wt_cc_rule_info[rule].name, report.broken[rule], words, report.ended);
}

static void nothing_on_ack(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	out->cwnd = 0;
}

static void counts_acks(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	out->cwnd += ack->acked && out->cwnd < 1u << 30 ? 1000 : 0;
}

static void beside_its_state(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	((uint8_t *)state)[wt_sender_steps.state_size] = 1;
}

static void remembers(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	static uint32_t calls;

	out->cwnd = 1u << 20 | (++calls & 0xffff);
}

static void deaf_init(void *state, const void *params, const struct wt_cc_env *env, struct wt_sender_out *out)
{
	out->cwnd = 1 << 20;
}

static void deaf_loss(void *state, const struct wt_loss *loss, struct wt_sender_out *out)
{
	out->note = (struct wt_cc_word){.set = true, .type = 10000};
}

static void crash(void *state, const struct wt_ack *ack, struct wt_sender_out *out)
{
	abort();
}

static wt_time always(const void *state)
{
	return 0;
}

static void sender_timer_runs(void *state, wt_time now, struct wt_sender_out *out)
{
}

static void long_option(void *state, unsigned attempt, struct wt_cc_option *option)
{
	option->len = 41;
}

static void each_rule_for_senders_finds_its_fault(void **state)
{
	struct wt_sender_ops faulty;
	struct wt_cc_subject subject = {.sender = &faulty};
	struct wt_cc_report report;

#define FAULT(rule, words, ...)                                   \
	do {                                                      \
		faulty = wt_sender_steps;                         \
		__VA_ARGS__;                                      \
		broken(&subject, WT_CC_RULE_##rule, words);       \
	} while (0)
	FAULT(TABLE, "init is not set", faulty.init = NULL);
	FAULT(TABLE, "deadline", faulty.on_timer = sender_timer_runs);
	FAULT(TABLE, "no ':,= /'", faulty.name = "a b");
	FAULT(TABLE, "params_size 300", faulty.params_size = 300);
	FAULT(PARAMETERS, "lies beyond params_size", faulty.params_size = 8);
	FAULT(COMPANIONS, "'nobody'", faulty.default_recovery = "nobody");
	FAULT(WINDOW, "cwnd is 0 bytes", faulty.on_ack = nothing_on_ack);
	FAULT(WINDOW, "floor", faulty.floor_segs = 4);
	FAULT(BYTES, "1000 ACKs of one byte", faulty.on_ack = counts_acks);
	FAULT(MARKS, "a mark makes 64000 of 64000", faulty.on_loss = deaf_loss);
	FAULT(MARKS, "the ACK with the mark", faulty.on_ack = counts_acks);
	FAULT(OUTPUTS, "a note of type 10000", faulty.on_loss = deaf_loss);
	FAULT(OPTION, "41 bytes on SYN", faulty.on_syn_out = long_option);
	FAULT(TIMER, "the deadline is not later", faulty.deadline = always; faulty.on_timer = sender_timer_runs);
	FAULT(MEMORY, "beside its state of", faulty.on_ack = beside_its_state);
	FAULT(REPEATS, "ended twice in two ways", faulty.on_ack = remembers);
	FAULT(RESPONDS, "end alike", faulty.init = deaf_init; faulty.on_ack = NULL; faulty.on_loss = NULL; faulty.on_event = NULL);
#undef FAULT
	faulty = wt_sender_steps;
	faulty.on_ack = crash;
	MUST(wt_cc_check_apart(&subject, 1, &report));
	assert_non_null(strstr(report.ended, "a hook crashed"));
}

static void marks_beside_a_record(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	out->mark = view->count != 0;
	out->lost_to = view->snd_una + 1;
}

static void enters_again(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	out->enter = true;
}

static void inflates(void *state, const struct wt_ack *ack, const struct wt_outstanding *view, struct wt_recovery_out *out)
{
	out->inflate += 1u << 20;
}

static void each_rule_for_recoveries_finds_its_fault(void **state)
{
	struct wt_recovery_ops faulty = *wt_recoveries[0];
	struct wt_cc_subject subject = {.recovery = &faulty};

	faulty.on_ack = marks_beside_a_record;
	broken(&subject, WT_CC_RULE_RECORDS, "1 bytes above snd_una");
	faulty.on_ack = enters_again;
	broken(&subject, WT_CC_RULE_PHASES, "`enter` while recovery is on");
	faulty.on_ack = inflates;
	broken(&subject, WT_CC_RULE_INFLATE, "inflate 1048576");
	faulty.on_ack = NULL;
	broken(&subject, WT_CC_RULE_TABLE, "on_ack is not set");
}

static void promises_more(void *state, const struct wt_rx_ack *ack, struct wt_rx_out *out)
{
	out->window++;
	out->option = (struct wt_cc_option){.kind = 8, .len = 10};
}

static unsigned answers_badly(void *state, const struct wt_rx_segment *segment, struct wt_cc_note *note)
{
	return 77;
}

static void each_rule_for_receivers_finds_its_fault(void **state)
{
	struct wt_receiver_ops faulty = *wt_receivers[0];
	struct wt_cc_subject subject = {.receiver = &faulty};

	faulty.on_ack_out = promises_more;
	faulty.on_segment = answers_badly;
	broken(&subject, WT_CC_RULE_EDGE, "were offered");
	broken(&subject, WT_CC_RULE_OPTION, "an option of kind 8");
	broken(&subject, WT_CC_RULE_OUTPUTS, "answers 77");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_module_keeps_every_rule),
		cmocka_unit_test(names_are_unique_in_their_table_and_can_be_chosen),
		cmocka_unit_test(each_rule_for_senders_finds_its_fault),
		cmocka_unit_test(each_rule_for_recoveries_finds_its_fault),
		cmocka_unit_test(each_rule_for_receivers_finds_its_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
