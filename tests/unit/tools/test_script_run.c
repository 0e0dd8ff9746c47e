/* SPDX-License-Identifier: BSD-2-Clause */
/* The runner itself: that wrong scripts fail, at once, and say why. That right ones pass is what tests/script shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tools/script/runner/world.h"

#define HEAD "--stack=timestamps=off,sack=off,window_scaling=off\n"
#define OPEN HEAD "+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n" \
	"+0 < S 0:0(0) win 65535 <mss 1460>\n+0 > S. 0:0(0) ack 1 <mss 1460>\n+.1 < . 1:1(0) ack 1 win 65535\n" \
	"+0 accept(3, ..., ...) = 4\n" /* lines 1 to 8 */

static struct wt_script_report report;

static bool run_with(const struct wt_script_options *options, const char *text)
{
	struct wt_script script;
	char error[WT_SCRIPT_ERROR];
	bool passed;

	if (wt_script_parse(&script, "x.pkt", text, strlen(text), error))
		fail_msg("%s", error);
	passed = wt_script_run(&script, options, NULL, &report);
	wt_script_finish(&script);
	return passed;
}

static bool run(const char *text)
{
	struct wt_script_options options;

	wt_script_options_init(&options);
	return run_with(&options, text);
}

static void assert_says(const char *text, const char *says)
{
	assert_false(run(text));
	if (!strstr(report.text, says))
		fail_msg("said '%s', not '%s'", report.text, says);
}

static void a_right_script_passes(void **state)
{
	if (!run(OPEN "+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1\n+.1 < . 1:1(0) ack 11 win 65535\n+5 %{ snd_una == 11 }%\n"))
		fail_msg("%s", report.text);
}

static void a_packet_nobody_expects_fails_at_its_own_time(void **state)
{
	assert_says(OPEN "+0 write(4, ..., 10) = 10\n+5 read(4, ..., 10) = -1 EAGAIN\n",
		    "x.pkt:10: a packet that the script does not expect\n  got       0.100000 > P. 1:11(10) ack 1");
}

static void a_packet_must_be_expected_before_another_arrives(void **state)
{
	const char *rest = "+0 write(4, ..., 10) = 10\n+0 < P. 1:11(10) ack 1 win 65535\n+0 > P. 1:11(10) ack 1\n+.04 > . 11:11(0) ack 11\n";
	char text[2000];

	snprintf(text, sizeof(text), OPEN "%s", rest);
	assert_says(text, "x.pkt:10: a packet that the script does not expect");
	snprintf(text, sizeof(text), "--loose_order\n" OPEN "%s", rest);
	if (!run(text))
		fail_msg("%s", report.text);
}

static void an_inbound_segment_too_large_for_a_frame_fails(void **state)
{
	assert_says(OPEN "+.1 < . 1:3001(3000) ack 1 win 65535\n", "x.pkt:9: a segment of 3000 bytes does not fit into a frame");
	assert_says(OPEN "+.1 < . 1:1880(1879) ack 1 win 65535\n", "x.pkt:9: a segment of 1879 bytes does not fit into a frame");
	if (!run(OPEN "+.1 < . 1:1879(1878) ack 1 win 65535\n+.04 > . 1:1(0) ack 1879\n"))
		fail_msg("%s", report.text);
}

static void an_mtu_without_room_for_a_segment_is_refused(void **state)
{
	assert_says("--mtu=127\n" OPEN, "x.pkt:1: an MTU of '127' is below 128");
	if (!run("--mtu=128\n+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"))
		fail_msg("%s", report.text);
}

static void a_packet_left_over_at_the_end_fails(void **state)
{
	assert_says(OPEN "+0 write(4, ..., 10) = 10\n", "does not expect");
}

static void a_packet_that_does_not_come_fails_at_its_time(void **state)
{
	assert_says(OPEN "+.5 > P. 1:11(10) ack 1\n", "x.pkt:9: the expected packet did not come\n  expected  0.600000 > P. 1:11(10)");
}

static void a_packet_too_early_fails(void **state)
{
	assert_says(OPEN "+0 write(4, ..., 10) = 10\n+.001 > P. 1:11(10) ack 1\n", "it came too early");
}

static void both_packets_are_shown_where_they_differ(void **state)
{
	assert_says(OPEN "+0 write(4, ..., 10) = 10\n+0 > . 1:9(8) ack 2 win 5 <nop,nop,TS val 1 ecr 2>\n",
		    "differs in flags, payload length, ack, win, options\n"
		    "  expected  0.100000 > . 1:9(8) ack 2 win 5 <nop,nop,TS val 1 ecr 2>\n"
		    "  got       0.100000 > P. 1:11(10) ack 1 win 65535");
}

static void tolerance_forgives_time_and_nothing_else(void **state)
{
	struct wt_script_options options;
	const char *late = OPEN "+0 write(4, ..., 10) = 10\n+.001 > P. 1:11(10) ack 1\n";

	wt_script_options_init(&options);
	options.tolerance = 2 * WT_MS;
	assert_true(run_with(&options, late));
	options.tolerance = WT_MS / 2;
	assert_false(run_with(&options, late));
	options.tolerance = 2 * WT_MS;
	assert_false(run_with(&options, OPEN "+0 write(4, ..., 10) = 10\n+.001 > P. 1:11(10) ack 2\n"));
}

static void a_long_expected_packet_may_come_in_pieces_unless_strict(void **state)
{
	const char *rest = "+0 write(4, ..., 2920) = 2920\n+0 > P. 1:2921(2920) ack 1\n";
	char text[2000];

	snprintf(text, sizeof(text), OPEN "%s", rest);
	assert_true(run(text));
	snprintf(text, sizeof(text), "--strict_segments\n" OPEN "%s", rest);
	assert_says(text, "payload length");
}

static void a_call_with_another_result_fails(void **state)
{
	assert_says(OPEN "+0 read(4, ..., 10) = 5\n", "x.pkt:9: read() returned -1 EAGAIN, expected 5");
	assert_says(OPEN "+0 read(4, ..., 10) = -1 EPIPE\n", "read() failed with EAGAIN, expected EPIPE");
	assert_says(OPEN "+0 flock(4) = 0\n", "no such call");
}

static void a_blocking_call_returns_when_it_can(void **state)
{
	const char *right = OPEN "+0...0.2 read(4, ..., 10) = 10\n+.2 < P. 1:11(10) ack 1 win 65535\n+.04 > . 1:1(0) ack 11\n";

	if (!run(right))
		fail_msg("%s", report.text);
	assert_says(OPEN "+0...0.3 read(4, ..., 10) = 10\n+.2 < P. 1:11(10) ack 1 win 65535\n", "returned at 0.300000, not at 0.400000");
	assert_says(OPEN "+0...0.1 read(4, ..., 10) = 10\n+.2 < P. 1:11(10) ack 1 win 65535\n", "still blocks after 0.200000");
	assert_says(OPEN "+0...0.1 read(4, ..., 10) = 10\n", "never returned");
}

static void corrupted_data_is_noticed(void **state)
{
	assert_says(OPEN "+0 < P. 1:11(10) ack 1 win 65535 fill 0xee\n+0 read(4, ..., 10) = 10\n", "byte 0 of the stream reads 0xee");
}

static void a_wrong_question_is_a_bad_script_and_a_false_one_a_failure(void **state)
{
	assert_says(OPEN "+0 %{ nonsense == 1 }%\n", "unknown name 'nonsense'");
	assert_true(report.bad);
	assert_says(OPEN "+0 %{ cwnd == 1 }%\n", "cwnd is 14600");
	assert_false(report.bad);
	assert_says("+0 %{ cwnd == 1 }%\n", "none is open here");
}

static void an_option_nobody_knows_is_a_bad_script(void **state)
{
	assert_says("--color=red\n+0 %{ 1 }%\n", "x.pkt:1: unknown option --color=red");
	assert_true(report.bad);
	assert_says("--stack=colour=red\n+0 %{ 1 }%\n", "x.pkt:1:");
	assert_says("-C=rno\n+0 %{ 1 }%\n", "did you mean 'reno'");
}

static void an_event_in_the_past_is_a_bad_script(void **state)
{
	assert_says("+1 %{ 1 }%\n.5 < R 0:0(0)\n", "due at 0.500000, but it is already 1.000000");
}

static void the_same_script_runs_the_same_twice(void **state)
{
	char first[64];
	const char *text = HEAD "+0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 connect(3, ..., ...) = -1 EINPROGRESS\n+0 > S 0:0(0) win 1\n";

	assert_false(run(text));
	snprintf(first, sizeof(first), "%.63s", report.text);
	assert_false(run(text));
	assert_memory_equal(first, report.text, strlen(first));
}

/* ---- with what a script leaves open ------------------------------------------------------------------------ */

#define LOST OPEN "+0 write(4, ..., 8760) = 8760\n+0 > P. 1:8761(8760) ack 1\n+.1 < . 1:1(0) ack 1 win 65535\n+0 < . 1:1(0) ack 1 win 65535\n" \
	"+0 < . 1:1(0) ack 1 win 65535\n+0 > . 1:1461(1460) ack 1\n"

static bool run_adding(const char *words, const char *text)
{
	struct wt_script_options options;
	char error[200];

	wt_script_options_init(&options);
	options.with = wt_script_with(words, error, sizeof(error));
	assert_true(options.with);
	return run_with(&options, text);
}

static void options_a_script_leaves_open_are_added_and_really_negotiated(void **state)
{
	static const char *const questions[] = {"timestamps", "sack", "window_scaling"};
	char text[1000];

	for (unsigned i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), LOST "+0 %%{ %s, snd_mss == 1460 }%%\n", questions[i]);
		if (!run_adding(questions[i], text))
			fail_msg("%s: %s", questions[i], report.text);
		assert_int_equal(report.with, 1u << i);
		assert_false(run(text));
	}
	assert_true(run_adding("sack", LOST "+0 %{ in_recovery, in_flight == 8760 - 3 * 1460 }%\n")); /* the blocks took those out of the pipe */
	assert_false(run(LOST "+0 %{ in_flight == 8760 - 3 * 1460 }%\n"));
}

static void what_a_script_mentions_or_refuses_is_not_added(void **state)
{
	static const char refuses[] = "--without=\"sack,merge: no reason at all\"\n" LOST;
	struct wt_script_options options;

	assert_true(run_adding("sack", "+0 < S 0:0(0) win 65535 <mss 1460,sackOK>\n+0 > R. 0:0(0) ack 1\n"));
	assert_int_equal(report.with, 0);
	assert_true(run_adding("sack", refuses));
	assert_int_equal(report.with, 0);
	assert_int_equal(report.packets, 0);
	assert_true(run_adding("timestamps,sack", refuses));
	assert_int_equal(report.with, 1);
	assert_string_equal(report.why, "sack,merge: no reason at all");
	wt_script_options_init(&options);
	options.with = 2;
	options.insist = true;
	assert_true(run_with(&options, refuses));
	assert_int_equal(report.with, 2);
	assert_says("--without=sack\n" LOST, "gives no reason");
	assert_says("--without=\"sacks: no\"\n" LOST, "'sacks': expected timestamps, sack");
}

static void packets_of_an_instant_come_together_and_change_nothing(void **state)
{
	if (!run_adding("merge", LOST "+0 %{ in_recovery }%\n"))
		fail_msg("%s", report.text);
	assert_int_equal(report.together, 3);
}

static void windows_are_known_without_a_word_about_them(void **state)
{
	assert_true(run("--stack=rcv_buffer=4000B\n" OPEN "+0 < P. 1:1001(1000) ack 1 win 65535\n+.04 > . 1:1(0) ack 1001\n"));
	assert_int_equal(report.windows, 1);
}

/* A world with a listener of 8000 bytes, whose peer's SYN had the number 0, and that has offered 8000. */
static struct wt_script_world *offering(struct wt_script *script)
{
	static struct wt_script_world world;

	memset(&world, 0, sizeof(world));
	memset(&report, 0, sizeof(report));
	script->file = (char *)(uintptr_t)"x.pkt";
	world.script = script;
	world.report = &report;
	world.flows[0].local.port = 80;
	world.sockets[0] = (struct wt_script_socket){.used = true, .listening = true, .port = 80, .tcp = (struct wt_tcp *)&world};
	wt_tcp_config_init(&world.sockets[0].config);
	world.sockets[0].config.settings.rcv_buffer = 8000;
	world.sockets[0].config.settings.mss = 1000;
	assert_true(wt_script_window_sent(&world, &world.flows[0], &(struct wt_script_packet){.flags = 0x12, .ack = 1, .window = 8000}));
	return &world;
}

static void each_part_of_the_rule_of_windows_is_looked_at(void **state)
{
	static const struct {
		uint32_t ack;
		uint16_t window;
		const char *says; /* NULL: it is right */
	} cases[] = {
		{501, 7500, NULL},
		{501, 7499, "moves left"},
		{501, 7501, "more than the buffer has room for"},
		{501, 8000, "more than the buffer has room for"},
		{8001, 0, NULL},
		{8001, 1000, "more than the buffer has room for"},
	};
	struct wt_script_world *world;
	struct wt_script script;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_script_packet packet = {.flags = 0x10, .ack = cases[i].ack, .window = cases[i].window};

		world = offering(&script);
		assert_int_equal(wt_script_window_sent(world, &world->flows[0], &packet), !cases[i].says);
		if (cases[i].says && !strstr(report.text, cases[i].says))
			fail_msg("%u:%u said '%s', not '%s'", cases[i].ack, cases[i].window, report.text, cases[i].says);
	}
	for (uint16_t opened = 0; opened <= 2000; opened += 100) { /* a SYN offered 6000 of the 8000: the edge waits for a segment, then it must move */
		struct wt_script_packet packet = {.flags = 0x10, .ack = 1, .window = (uint16_t)(6000 + opened)};

		world = offering(&script);
		world->flows[0].edge = 6001;
		assert_int_equal(wt_script_window_sent(world, &world->flows[0], &packet), opened == 2000);
		assert_true(opened == 2000 || strstr(report.text, opened && opened < 1000 ? "less than a segment" : "stays small"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_right_script_passes),
		cmocka_unit_test(a_packet_nobody_expects_fails_at_its_own_time),
		cmocka_unit_test(a_packet_must_be_expected_before_another_arrives),
		cmocka_unit_test(a_packet_left_over_at_the_end_fails),
		cmocka_unit_test(an_inbound_segment_too_large_for_a_frame_fails),
		cmocka_unit_test(an_mtu_without_room_for_a_segment_is_refused),
		cmocka_unit_test(a_packet_that_does_not_come_fails_at_its_time),
		cmocka_unit_test(a_packet_too_early_fails),
		cmocka_unit_test(both_packets_are_shown_where_they_differ),
		cmocka_unit_test(tolerance_forgives_time_and_nothing_else),
		cmocka_unit_test(a_long_expected_packet_may_come_in_pieces_unless_strict),
		cmocka_unit_test(a_call_with_another_result_fails),
		cmocka_unit_test(a_blocking_call_returns_when_it_can),
		cmocka_unit_test(corrupted_data_is_noticed),
		cmocka_unit_test(a_wrong_question_is_a_bad_script_and_a_false_one_a_failure),
		cmocka_unit_test(an_option_nobody_knows_is_a_bad_script),
		cmocka_unit_test(an_event_in_the_past_is_a_bad_script),
		cmocka_unit_test(the_same_script_runs_the_same_twice),
		cmocka_unit_test(options_a_script_leaves_open_are_added_and_really_negotiated),
		cmocka_unit_test(what_a_script_mentions_or_refuses_is_not_added),
		cmocka_unit_test(packets_of_an_instant_come_together_and_change_nothing),
		cmocka_unit_test(windows_are_known_without_a_word_about_them),
		cmocka_unit_test(each_part_of_the_rule_of_windows_is_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
