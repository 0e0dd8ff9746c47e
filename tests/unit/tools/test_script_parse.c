/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "stack/wire/tcp.h"
#include "tools/script/language/packet.h"
#include "tools/script/language/script.h"

static struct wt_script script;
static char error[WT_SCRIPT_ERROR];

static int parse(const char *text)
{
	wt_script_finish(&script);
	return wt_script_parse(&script, "x.pkt", text, strlen(text), error);
}

static const struct wt_script_packet *packet(const char *text)
{
	assert_int_equal(parse(text), 0);
	return &script.events[0].packet;
}

static void assert_error(const char *text, const char *message)
{
	assert_int_equal(parse(text), -EINVAL);
	if (!strstr(error, message))
		fail_msg("'%s' says '%s', not '%s'", text, error, message);
}

static int teardown(void **state)
{
	wt_script_finish(&script);
	return 0;
}

static void options_stand_at_the_head(void **state)
{
	assert_int_equal(parse("--preset=bsd90\n-C=real:profile=paper\n--x=\"a b\"\n--flag\n+0 %{ 1 }%"), 0);
	assert_int_equal(script.setting_count, 4);
	assert_string_equal(script.settings[0].name, "preset");
	assert_string_equal(script.settings[0].value, "bsd90");
	assert_string_equal(script.settings[1].name, "C");
	assert_string_equal(script.settings[1].value, "real:profile=paper");
	assert_string_equal(script.settings[2].value, "a b");
	assert_null(script.settings[3].value);
	assert_int_equal(script.settings[3].line, 4);
}

static void times_are_relative_absolute_ranges_or_any(void **state)
{
	assert_int_equal(parse("+.1 > . 1:1(0) ack 1 0.5 > . 1:1(0) ack 1 +0~+.2 > . 1:1(0) ack 1 1...2 > . 1:1(0) ack 1 "
			       "* > . 1:1(0) ack 1 %{ 1 }%"), 0);
	assert_int_equal(script.event_count, 6);
	assert_int_equal(script.events[0].when, WT_AT_RELATIVE);
	assert_int_equal(script.events[0].from, 100 * WT_MS);
	assert_int_equal(script.events[1].when, WT_AT_ABSOLUTE);
	assert_true(script.events[2].range);
	assert_int_equal(script.events[2].to, 200 * WT_MS);
	assert_true(script.events[3].range);
	assert_int_equal(script.events[4].when, WT_AT_ANY);
	assert_int_equal(script.events[5].kind, WT_SE_CODE);
}

static void a_packet_has_flags_numbers_and_a_window(void **state)
{
	const struct wt_script_packet *p = packet("+0 < SFRPU.EW 1:11(10) ack 7 win 300 urg 5");

	assert_int_equal(p->flags, 0xff);
	assert_int_equal(p->start, 1);
	assert_int_equal(p->len, 10);
	assert_int_equal(p->ack, 7);
	assert_int_equal(p->window, 300);
	assert_int_equal(p->urgent, 5);
	assert_int_equal(packet("+0 < - 1:1(0) win 3")->flags, 0);
}

static void sequence_numbers_wrap(void **state)
{
	assert_int_equal(packet("+0 < . 4294967290:4(10) ack 1 win 1")->len, 10);
}

static void every_option_can_be_said(void **state)
{
	const struct wt_script_packet *p =
		packet("+0 < S 0:0(0) win 1 <mss 1460,sackOK,TS val 3 ecr 4,nop,wscale 7,eol,sack 1:2>");

	assert_int_equal(p->option_count, 7);
	assert_int_equal(p->options[0].value, 1460);
	assert_int_equal(p->options[2].tsecr, 4);
	assert_int_equal(p->options[6].len, 1);
	assert_int_equal(p->options[6].sack[0].end, 2);
	p = packet("+0 < S 0:0(0) win 1 <exp-254 0xabcd,real 24,real4 8,raw 0x4203ff,sack 1:2 3:4>");
	assert_int_equal(p->options[0].number, 254);
	assert_memory_equal(p->options[1].bytes, "TR\0\x18", 4);
	assert_int_equal(p->options[2].len, 2);
	assert_int_equal(p->options[3].kind, WT_SO_RAW);
	assert_int_equal(p->options[4].sack[1].end, 4);
}

static void ends_can_be_named(void **state)
{
	const struct wt_script_packet *p = packet("+0 < from 10.1.2.3:99 to :80 R 0:0(0)");
	char text[WT_ADDR_TEXT];

	assert_string_equal(wt_addr_format(&p->from.addr, text), "10.1.2.3");
	assert_int_equal(p->from.port, 99);
	assert_int_equal(p->to.addr.family, WT_FAMILY_NONE);
	assert_int_equal(p->to.port, 80);
}

static void icmp_quotes_a_packet(void **state)
{
	const struct wt_script_packet *p = packet("+0 < icmp unreachable frag_needed mtu 1200 [1:1461(1460)]");

	assert_int_equal(p->kind, WT_SP_ICMP);
	assert_int_equal(p->icmp_type, 3);
	assert_int_equal(p->icmp_code, 4);
	assert_int_equal(p->icmp_rest, 1200);
	assert_true(p->has_quote);
	assert_int_equal(p->quote_len, 1460);
}

static void calls_have_arguments_and_a_result(void **state)
{
	const struct wt_script_call *c;

	assert_int_equal(parse("+0 setsockopt(4, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = -1 EINVAL (Invalid argument)"),
			 0);
	c = &script.events[0].call;
	assert_string_equal(c->name, "setsockopt");
	assert_int_equal(c->count, 5);
	assert_int_equal(c->arguments[1].number, SOL_SOCKET);
	assert_int_equal(c->arguments[3].kind, WT_SV_STRUCT);
	assert_string_equal(c->arguments[3].items[0].text, "onoff");
	assert_int_equal(c->result, -1);
	assert_int_equal(c->error, EINVAL);
	assert_int_equal(parse("+0 f(..., [1, 2], \"reno\", MSG_DONTWAIT|MSG_PEEK) = ..."), 0);
	c = &script.events[0].call;
	assert_int_equal(c->arguments[0].kind, WT_SV_ANY);
	assert_int_equal(c->arguments[1].count, 2);
	assert_string_equal(c->arguments[2].text, "reno");
	assert_int_equal(c->arguments[3].number, MSG_DONTWAIT | MSG_PEEK);
	assert_true(c->any_result);
}

static void mistakes_are_named_with_file_and_line(void **state)
{
	assert_error("\n\n+0 < Q 0:0(0) win 1", "x.pkt:3: expected TCP flags");
	assert_error("+0 < . 1:12(10) ack 1 win 1", "does not add up");
	assert_error("+0 < . 1:1(0) win 1", "needs 'ack NUMBER'");
	assert_error("+0 < . 1:1(0) ack 1", "needs 'win NUMBER'");
	assert_error("+0 > S 0:0(0) ack 1", "'ack' needs the flag");
	assert_error("+0 < S 0:0(0) win 1 <...>", "only in expected packets");
	assert_error("+0 > . 1:1(0) ack 1 badsum", "only inbound packets");
	assert_error("+0 < S 0:0(0) win 1 <mss>", "the option's value");
	assert_error("+0 < S 0:0(0) win 1 <mss 65536>", "larger than 65535");
	assert_error("+0 < S 0:0(0) win 1 <ms 5>", "a TCP option");
	assert_error("+0 < S 0:0(0) win 1 <sack 1:2 3:4 5:6 7:8,TS val 1 ecr 2>", "do not fit a header");
	assert_error("* < R 0:0(0)", "needs one exact time");
	assert_error("* read(4, ..., 5) = 5", "only an expected packet");
	assert_error("+0 `sysctl -q net.ipv4.tcp_sack=1`", "shell commands are not run");
	assert_error("+0 read(4, ..., NOPE) = 5", "unknown name 'NOPE'");
	assert_error("+0 read(4) = -1 EWHAT", "unknown error name 'EWHAT'");
	assert_error("+0 read(4) = 0 EAGAIN", "only after -1");
	assert_error("+0 read(4", "the script ends here");
	assert_error("+.2~+.1 > . 1:1(0) ack 1", "ends before it begins");
	assert_error("+0 %{ cwnd = 10 }%", "write '=='");
	assert_error("+0 %{ cwnd == }%", "expected a number");
	assert_error("+0 %{ cwnd", "'}%' never comes");
	assert_error("+0 < icmp unreachable nonsense [1:2(1)]", "unknown ICMP message");
	assert_error("+0 < icmp unreachable port_unreachable", "the packet the message is about");
	assert_error("+0 read({a={b={c={d={e=1}}}}}) = 0", "nested too deeply");
	assert_error("", "no event");
	assert_error("--x=1\n", "no event");
}

static void a_packet_formats_as_it_was_written(void **state)
{
	static const char *const lines[] = {
		"S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,TS val 1 ecr 2,nop,wscale 7>",
		"FP. 1:1001(1000) ack 1 <nop,nop,sack 1:2 3:4>",
		"R 5:5(0)",
		"- 0:0(0) win 9",
		". 1:1(0) ack 1 <nop,nop,real 24>",
		". 1:1(0) ack 1 <nop,nop,exp-254 0x0102>",
		"PU. 1:2(1) ack 1 win 0 urg 7 <...>",
		". 1:1(0) ack 1 <nop,nop,TS val * ecr 9>",
		"from 10.0.0.1:5 to :80 R 0:0(0)",
		"icmp unreachable port_unreachable [1:2(1)]",
		"icmp echo_reply id 3 seq 4 (56)",
	};
	char line[200], text[700];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(line, sizeof(line), "+0 > %s", lines[i]);
		assert_string_equal(wt_script_packet_format(packet(line), text, sizeof(text)), lines[i]);
	}
}

static void a_packet_that_is_built_reads_back_the_same(void **state)
{
	struct wt_script_flow flow = {.local = {wt_addr_ipv4(192, 168, 0, 1), 8080}, .remote = {wt_addr_ipv4(192, 0, 2, 1), 40000}};
	struct wt_script_tcp_option options[WT_SCRIPT_TCP_OPTIONS];
	uint8_t data[WT_SCRIPT_FRAME];
	struct wt_script_packet back;
	char what[200];
	uint32_t len;
	const struct wt_script_packet *p =
		packet("+0 < P. 1:1001(1000) ack 77 win 300 <nop,nop,TS val 3 ecr 4,nop,nop,sack 1:2 3:4>");

	len = wt_script_packet_build(p, &flow, data);
	assert_int_equal(len, 20 + 20 + 12 + 20 + 1000);
	assert_true(wt_script_packet_read(data, len, &flow, options, &back, what, sizeof(what)));
	assert_true(wt_script_packet_same(p, &back, what, sizeof(what)));
	back.window++;
	back.start++;
	assert_false(wt_script_packet_same(p, &back, what, sizeof(what)));
	assert_string_equal(what, "sequence number, win");
	data[len - 1] ^= 1;
	assert_false(wt_script_packet_read(data, len, &flow, options, &back, what, sizeof(what)));
	assert_string_equal(what, "a wrong TCP checksum");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_stand_at_the_head),
		cmocka_unit_test(times_are_relative_absolute_ranges_or_any),
		cmocka_unit_test(a_packet_has_flags_numbers_and_a_window),
		cmocka_unit_test(sequence_numbers_wrap),
		cmocka_unit_test(every_option_can_be_said),
		cmocka_unit_test(ends_can_be_named),
		cmocka_unit_test(icmp_quotes_a_packet),
		cmocka_unit_test(calls_have_arguments_and_a_result),
		cmocka_unit_test(mistakes_are_named_with_file_and_line),
		cmocka_unit_test(a_packet_formats_as_it_was_written),
		cmocka_unit_test(a_packet_that_is_built_reads_back_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
