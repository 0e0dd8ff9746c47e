/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "stack/record/journal.h"
#include "tests/unit/scratch.h"
#include "tests/unit/toy_nodes.h"

static char path[SCRATCH_PATH];
static int scratch;

static int setup(void **state)
{
	scratch = scratch_file(path);
	return scratch < 0;
}

static int teardown(void **state)
{
	return close(scratch);
}

static unsigned told;

static void tell(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		 enum wt_drop cause)
{
	told++;
}

static void events_and_drops_become_lines_in_order(void **state)
{
	struct wt_journal *journal = wt_journal_open(path);
	struct wt_drop_sink next = {tell};
	struct wt_trace_sink *a = wt_journal_trace(journal, "a");
	struct wt_drop_sink *drops = wt_journal_drops(journal, &next);
	struct wt_trace_event event = {.time = 1500, .conn = 2, .type = WT_TRACE_RTT, .field = {15000000, 15, 200}};
	struct wt_pool *pool = wt_pool_create(4, 100);
	struct wt_frame *frame = wt_frame_new(pool);
	struct toy_sink node;
	char text[1000] = "";
	FILE *file;

	toy_sink_init(&node, "fwd.0.loss", 1);
	node.node.drops = drops;
	frame->len = 60;
	frame->id = 17;
	a->event(a, &event);
	wt_node_drop(&node.node, 2500, frame, WT_DROP_LOSS);
	assert_int_equal(told, 1);
	assert_int_equal(wt_journal_close(journal), 0);
	file = fopen(path, "r");
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	assert_string_equal(text,
			    "{\"time_ns\":1500,\"host\":\"a\",\"conn\":2,\"event\":\"recovery:rtt_sampled\",\"data\":"
			    "{\"rtt_ns\":15000000,\"srtt_ns\":15,\"rto_ns\":200}}\n"
			    "{\"time_ns\":2500,\"event\":\"emulation:packet_dropped\",\"data\":"
			    "{\"node\":\"fwd.0.loss\",\"cause\":\"loss\",\"frame\":17,\"len_bytes\":60,\"burst\":1}}\n");
	wt_pool_destroy(pool);
}

/* Fate of a TCP segment of four bytes in IPv6, behind a header for every hop; `fragment`: in a later fragment of a packet instead. */
static const char *line_of_ipv6(bool fragment)
{
	static const uint8_t packet[] = {
		2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd,
		0x60, 0x01, 0x23, 0x45, 0, 32, 0, 64, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
		6, 0, 0, 8, 0, 0, 0, 0, /* as options: one without meaning of no bytes; as a fragment: of offset 1 */
		0x9c, 0x40, 0x23, 0x28, 0, 0, 5, 0xa9, 0, 0, 0, 1, 0x50, 0x10, 0xff, 0xff, 0, 0, 0, 0, 1, 2, 3, 4,
	};
	static char text[1000];
	struct wt_journal *journal = wt_journal_open(path);
	struct wt_pool *pool = wt_pool_create(1, 200);
	struct wt_frame *frame = wt_frame_new(pool);
	struct toy_sink node;
	FILE *file;

	toy_sink_init(&node, "a", 1);
	node.node.drops = wt_journal_drops(journal, NULL);
	memcpy(wt_frame_own_bytes(frame), packet, sizeof(packet));
	if (fragment)
		wt_frame_own_bytes(frame)[20] = 44;
	frame->len = sizeof(packet);
	wt_node_drop(&node.node, 1, frame, WT_DROP_LOSS);
	assert_int_equal(wt_journal_close(journal), 0);
	file = fopen(path, "r");
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	wt_pool_destroy(pool);
	assert_non_null(strstr(text, "\"packet\""));
	return strstr(text, "\"packet\"");
}

static void a_dropped_ipv6_packet_is_known_by_what_its_headers_say(void **state)
{
	assert_string_equal(line_of_ipv6(false), "\"packet\":{\"src\":\"fd00::1\",\"dst\":\"fd00::2\",\"protocol\":6,\"flow_label\":74565,"
						 "\"src_port\":40000,\"dst_port\":9000,\"seq\":1449,\"flags\":16,\"payload_bytes\":4}}}\n");
	assert_string_equal(line_of_ipv6(true), "\"packet\":{\"src\":\"fd00::1\",\"dst\":\"fd00::2\",\"protocol\":6,\"flow_label\":74565}}}\n");
}

static void a_full_disk_is_reported_at_close(void **state)
{
	struct wt_journal *journal = wt_journal_open("/dev/full");
	struct wt_trace_sink *a;
	struct wt_trace_event event = {.type = WT_TRACE_RTT};

	if (!journal)
		skip();
	a = wt_journal_trace(journal, "a");
	for (unsigned i = 0; i < 10000; i++)
		a->event(a, &event);
	assert_int_equal(wt_journal_close(journal), -ENOSPC);
	journal = wt_journal_open("/dev/full");
	a = wt_journal_trace(journal, "a");
	a->event(a, &event);
	assert_int_equal(wt_journal_close(journal), -ENOSPC);
}

static void a_write_that_fails_half_way_leaves_whole_lines_and_sticks(void **state)
{
	struct rlimit old, small = {600001, RLIM_INFINITY};
	struct wt_journal *journal = wt_journal_open(path);
	struct wt_trace_sink *a = wt_journal_trace(journal, "a");
	struct wt_trace_event event = {.conn = 2, .type = WT_TRACE_RTT, .field = {15000000, 15, 200}};
	FILE *file;
	long size;

	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	for (unsigned i = 0; i < 10000; i++)
		a->event(a, &event);
	assert_int_equal(wt_journal_flush(journal), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	a->event(a, &event);
	assert_null(wt_journal_begin(journal, 0, "x"));
	assert_int_equal(wt_journal_close(journal), -EFBIG);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fseek(file, -1, SEEK_END), 0);
	assert_int_equal(fgetc(file), '\n');
	size = ftell(file);
	assert_in_range(size, 599700, 600000);
	fclose(file);
}

static void a_file_that_cannot_be_made_gives_its_errno(void **state)
{
	assert_null(wt_journal_open("/nonexistent/journal"));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(wt_journal_close(NULL), 0);
}

/* Whoever is killed, whenever, leaves lines: what has reached the file ends with one. */
static void only_whole_lines_reach_the_file(void **state)
{
	struct wt_journal *journal = wt_journal_open(path);
	struct wt_trace_sink *a = wt_journal_trace(journal, "a");
	struct wt_trace_event event = {.conn = 2, .type = WT_TRACE_RTT, .field = {15000000, 15, 200}};
	FILE *file = fopen(path, "r");
	long before = 0, writes = 0;

	assert_non_null(file);
	for (unsigned i = 0; i < 20000; i++) {
		event.time = i * 12345;
		a->event(a, &event);
		assert_int_equal(fseek(file, 0, SEEK_END), 0);
		if (ftell(file) == before)
			continue;
		before = ftell(file);
		writes++;
		assert_int_equal(fseek(file, -1, SEEK_END), 0);
		assert_int_equal(fgetc(file), '\n');
	}
	assert_in_range(writes, 5, 50); /* of a quarter of a megabyte */
	fclose(file);
	assert_int_equal(wt_journal_close(journal), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(only_whole_lines_reach_the_file),
		CASE(events_and_drops_become_lines_in_order),
		CASE(a_dropped_ipv6_packet_is_known_by_what_its_headers_say),
		CASE(a_full_disk_is_reported_at_close),
		CASE(a_write_that_fails_half_way_leaves_whole_lines_and_sticks),
		CASE(a_file_that_cannot_be_made_gives_its_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
