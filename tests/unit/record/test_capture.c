/* SPDX-License-Identifier: BSD-2-Clause */
/* Captures are read back twice: by a few lines of our own, byte for byte, and by tshark and capinfos where they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stack/record/capture.h"
#include "stack/record/digest.h"
#include "stack/drive/graph.h"
#include "stack/wire/checksum.h"
#include "tests/unit/toy_nodes.h"

#define FOLDER "/tmp/wt_capture_XXXXXX"

static char folder[] = FOLDER, path[sizeof(FOLDER) + 16], other[sizeof(FOLDER) + 16], *path_right, *path_drops, why[400];
static struct wt_pool *pool;

static int setup(void **state)
{
	snprintf(folder, sizeof(folder), FOLDER);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/run.pcapng", folder);
	snprintf(other, sizeof(other), "%s/other.pcapng", folder);
	path_right = wt_capture_name(path, "right");
	path_drops = wt_capture_name(path, "drops");
	pool = wt_pool_create(64, 2048);
	return !pool || !path_right || !path_drops;
}

static int teardown(void **state)
{
	static const char *const names[] = {"run", "run-right", "run-drops", "other", "other-right", "other-drops"};
	char name[sizeof(FOLDER) + 32];

	for (unsigned i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "%s/%s.pcapng", folder, names[i]);
		unlink(name);
	}
	assert_int_equal(rmdir(folder), 0);
	free(path_right);
	free(path_drops);
	assert_int_equal(wt_pool_free_count(pool), wt_pool_count(pool));
	wt_pool_destroy(pool);
	return 0;
}

/* UDP from 10.0.0.1 to 10.0.0.2 with `len` bytes of data, its checksum left to be finished. */
static struct wt_frame *datagram(uint32_t len)
{
	static const uint8_t ip_header[20] = {0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
	struct wt_addr src = wt_addr_ipv4(10, 0, 0, 1), dst = wt_addr_ipv4(10, 0, 0, 2);
	struct wt_frame *frame = wt_frame_new(pool);
	uint8_t *ip = wt_frame_own_bytes(frame) + 14, *udp = ip + 20;

	memset(wt_frame_own_bytes(frame), 2, 12);
	wt_put16(wt_frame_own_bytes(frame) + 12, 0x0800);
	memcpy(ip, ip_header, 20);
	wt_put16(ip + 2, (uint16_t)(28 + len));
	wt_put16(ip + 10, wt_csum_fold(wt_csum_add(0, ip, 20)));
	wt_put16(udp, 40000);
	wt_put16(udp + 2, 40001);
	wt_put16(udp + 4, (uint16_t)(8 + len));
	wt_put16(udp + 6, (uint16_t)~wt_csum_fold(wt_csum_pseudo(&src, &dst, 17, 8 + len)));
	memset(udp + 8, 'x', len);
	frame->len = 42 + len;
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = 34;
	frame->csum_offset = 6;
	return frame;
}

static struct wt_capture *open_points(const char *to, int64_t epoch)
{
	static char points[2][WT_CAPTURE_POINT] = {"left", "right"};

	return wt_capture_open(to, epoch, points, 2, why, sizeof(why));
}

/* A run: a frame each way through the tap on the left, one through the tap on the right; and one that is dropped. */
static int write_run(const char *to)
{
	struct wt_capture *capture = open_points(to, WT_CAPTURE_EPOCH);
	struct wt_graph *graph = wt_graph_create();
	struct wt_node *tap = wt_capture_tap(capture, "left"), *right = wt_capture_tap(capture, "right");
	struct wt_frame *frame;
	struct toy_sink ends;
	int error;

	toy_sink_init(&ends, "ends", 3);
	wt_graph_set_checked(graph, true);
	wt_graph_add(graph, tap);
	wt_graph_add(graph, right);
	wt_graph_add(graph, &ends.node);
	wt_graph_set_drop_sink(graph, wt_capture_drops(capture, NULL));
	wt_graph_join(graph, tap, 1, &ends.node, 0);
	wt_graph_join(graph, tap, 0, &ends.node, 1);
	wt_graph_join(graph, right, 1, &ends.node, 2);
	frame = datagram(17);
	frame->id = 0x100000001;
	wt_graph_input(graph, tap, 0, 1, frame);
	frame = datagram(18);
	frame->id = 2;
	wt_graph_input(graph, tap, 1, 1500000000, frame);
	frame = datagram(19);
	frame->id = 4;
	wt_graph_input(graph, right, 0, 1500000000, frame);
	frame = datagram(1000);
	frame->id = 3;
	wt_node_drop(&ends.node, 1500000001, frame, WT_DROP_QUEUE);
	assert_int_equal(ends.count, 3);
	assert_int_equal(wt_capture_error(capture), 0);
	wt_graph_destroy(graph);
	error = wt_capture_close(capture);
	return error;
}

struct file {
	uint8_t bytes[65536];
	size_t len;
};

static void slurp(const char *from, struct file *file)
{
	int fd = open(from, O_RDONLY);
	ssize_t n;

	file->len = 0;
	while ((n = read(fd, file->bytes + file->len, sizeof(file->bytes) - file->len)) > 0)
		file->len += (size_t)n;
	close(fd);
}

static uint32_t le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Type of the block at *at, which is moved on; its body in *body. Checks both lengths. 0 at the end. */
static uint32_t next_block(const struct file *file, size_t *at, const uint8_t **body)
{
	const uint8_t *p = file->bytes + *at;
	uint32_t len;

	if (*at == file->len)
		return 0;
	assert_true(*at + 12 <= file->len);
	len = le32(p + 4);
	assert_int_equal(len % 4, 0);
	assert_true(*at + len <= file->len);
	assert_int_equal(le32(p + len - 4), len);
	*at += len;
	*body = p + 8;
	return le32(p);
}

static uint64_t timestamp(const uint8_t *body)
{
	return (uint64_t)le32(body + 4) << 32 | le32(body + 8);
}

/* What stands before the packets of a file with the frames of one point. */
static void header(const struct file *file, const char *interface, size_t *at)
{
	const uint8_t *body;
	uint32_t len = (uint32_t)strlen(interface);

	assert_int_equal(next_block(file, at, &body), 0x0a0d0d0a);
	assert_int_equal(le32(body), 0x1a2b3c4d);
	assert_memory_equal(body + 16, "\x04\0\x08\0wavetank\0\0\0\0", 16);
	assert_int_equal(next_block(file, at, &body), 1);
	assert_memory_equal(body, "\x01\0\0\0\0\0\0\0\x02\0", 10);
	assert_int_equal(body[10], len);
	assert_memory_equal(body + 12, interface, len);
	assert_memory_equal(body + 12 + (len + 3) / 4 * 4, "\x09\0\x01\0\x09\0\0\0\0\0\0\0", 12);
}

static void every_byte_of_a_capture_is_where_the_format_wants_it(void **state)
{
	static struct file file;
	const uint8_t *body;
	size_t at = 0;

	assert_int_equal(write_run(path), 0);
	slurp(path, &file);
	header(&file, "left", &at);
	assert_int_equal(next_block(&file, &at, &body), 6);
	assert_int_equal(le32(body), 0);
	assert_true(timestamp(body) == (uint64_t)WT_CAPTURE_EPOCH + 1);
	assert_int_equal(le32(body + 12), 59);
	assert_int_equal(le32(body + 16), 59);
	assert_int_equal(body[20 + 42], 'x');
	/* one byte of padding, outbound, the frame's id */
	assert_memory_equal(body + 20 + 59, "\0\x02\0\x04\0\x02\0\0\0\x05\0\x08\0\x01\0\0\0\x01\0\0\0\0\0\0\0", 25);

	assert_int_equal(next_block(&file, &at, &body), 6);
	assert_true(timestamp(body) == (uint64_t)WT_CAPTURE_EPOCH + 1500000000);
	assert_memory_equal(body + 20 + 60, "\x02\0\x04\0\x01\0\0\0", 8); /* inbound */

	assert_int_equal(next_block(&file, &at, &body), 0);

	slurp(path_right, &file);
	header(&file, "right", (at = 0, &at));
	assert_int_equal(next_block(&file, &at, &body), 6);
	assert_int_equal(le32(body + 12), 61);
	assert_int_equal(next_block(&file, &at, &body), 0);

	slurp(path_drops, &file);
	header(&file, "drops", (at = 0, &at));
	assert_int_equal(next_block(&file, &at, &body), 6);
	assert_int_equal(le32(body), 0);
	assert_memory_equal(body + 20 + 1042 + 2, "\x01\0\x16\0dropped: queue at ends\0\0", 28);
	assert_int_equal(next_block(&file, &at, &body), 0);
}

static void a_pipe_takes_all_points_as_interfaces_of_one_stream(void **state)
{
	static struct file file;
	const uint8_t *body;
	char name[32];
	int ends[2];
	size_t at = 0;

	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[1]);
	assert_int_equal(write_run(name), 0);
	close(ends[1]);
	for (ssize_t n; (n = read(ends[0], file.bytes + file.len, sizeof(file.bytes) - file.len)) > 0;)
		file.len += (size_t)n;
	close(ends[0]);
	assert_int_equal(next_block(&file, &at, &body), 0x0a0d0d0a);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(next_block(&file, &at, &body), 1);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(next_block(&file, &at, &body), 6);
		assert_int_equal(le32(body), i < 2 ? 0 : i - 1);
	}
	assert_int_equal(next_block(&file, &at, &body), 0);
}

static void the_file_of_a_point_is_named_after_the_first_one(void **state)
{
	static const char *const names[][2] = {{"run.pcapng", "run-b.pcapng"}, {"run", "run-b"}, {"a.b/run", "a.b/run-b"},
					       {"./.run", "./.run-b"}, {"/x/run.1.pcapng", "/x/run.1-b.pcapng"}};

	for (unsigned i = 0; i < 5; i++) {
		char *name = wt_capture_name(names[i][0], "b");

		assert_string_equal(name, names[i][1]);
		free(name);
	}
}

static void equal_runs_write_equal_files(void **state)
{
	static struct file a, b;

	assert_int_equal(write_run(path), 0);
	sleep(1); /* no clock of the machine may show */
	assert_int_equal(write_run(other), 0);
	slurp(path, &a);
	slurp(other, &b);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.bytes, b.bytes, a.len);
}

/* The answer of a command, or NULL if there is no such program. */
static const char *answer(const char *program, const char *arguments)
{
	static char text[4096];
	char command[512];
	size_t n;
	FILE *pipe;

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	if (system(command))
		return NULL;
	snprintf(command, sizeof(command), "%s %s 2>/dev/null", program, arguments);
	pipe = popen(command, "r");
	n = fread(text, 1, sizeof(text) - 1, pipe);
	text[n] = 0;
	assert_int_equal(pclose(pipe), 0);
	return text;
}

static void tshark_reads_it_with_good_checksums_comments_and_interfaces(void **state)
{
	char arguments[400];
	const char *text;

	assert_int_equal(write_run(path), 0);
	snprintf(arguments, sizeof(arguments),
		 "-r %s -o udp.check_checksum:TRUE -o ip.check_checksum:TRUE -T fields -e frame.interface_name -e frame.time_epoch"
		 " -e udp.checksum.status -e ip.checksum.status -e frame.packet_id -e frame.comment -e _ws.malformed",
		 path);
	text = answer("tshark", arguments);
	if (!text)
		skip();
	assert_string_equal(text, "left\t978307200.000000001\t1\t1\t4294967297\t\t\n"
				  "left\t978307201.500000000\t1\t1\t2\t\t\n");
	snprintf(arguments, sizeof(arguments), "-r %s -T fields -e frame.interface_name -e frame.time_epoch -e frame.packet_id -e frame.comment",
		 path_drops);
	text = answer("tshark", arguments);
	assert_string_equal(text, "drops\t978307201.500000001\t3\tdropped: queue at ends\n");
	snprintf(arguments, sizeof(arguments), "-c -M %s", path);
	text = answer("capinfos", arguments);
	if (text)
		assert_non_null(strstr(text, "Number of packets:   2"));
}

static void a_tap_leaves_the_frame_as_it_came(void **state)
{
	struct wt_capture *capture = open_points(path, 0);
	struct wt_node *tap = wt_capture_tap(capture, "left");
	struct wt_frame *frame = datagram(100), *copy = wt_frame_copy(frame);
	unsigned port = 9;

	tap->ops->input(tap, 1, 5, frame);
	assert_int_equal(tap->audit.queued, 1);
	assert_ptr_equal(tap->ops->output(tap, 5, &port), frame);
	assert_int_equal(port, 0);
	assert_int_equal(frame->csum, WT_CSUM_PARTIAL);
	assert_memory_equal(wt_frame_own_bytes(frame), wt_frame_own_bytes(copy), copy->len);
	assert_true(wt_audit_holds(&tap->audit));
	wt_frame_free(frame);
	wt_frame_free(copy);
	tap->ops->destroy(tap);
	assert_int_equal(wt_capture_close(capture), 0);
}

static void a_digest_does_not_depend_on_who_finishes_the_checksum(void **state)
{
	struct wt_node *a = wt_digest_tap("a"), *b = wt_digest_tap("b");
	struct wt_frame *frame = datagram(100), *copy = wt_frame_copy(frame);

	wt_frame_finish_csum(copy);
	a->ops->input(a, 0, 5, frame);
	b->ops->input(b, 0, 5, copy);
	assert_true(wt_digest_value(a) == wt_digest_value(b) && wt_digest_value(a) != 0);
	a->ops->destroy(a);
	b->ops->destroy(b);
}

static void put_frames(struct wt_capture *capture, unsigned count)
{
	struct wt_node *tap = wt_capture_tap(capture, "left");
	unsigned port;

	for (unsigned i = 0; i < count; i++) {
		tap->ops->input(tap, 0, i, datagram(1400));
		wt_frame_free(tap->ops->output(tap, i, &port));
	}
	tap->ops->destroy(tap);
}

static void a_write_that_fails_half_way_leaves_whole_blocks_and_sticks(void **state)
{
	struct rlimit old, small = {1000001, RLIM_INFINITY};
	static struct file file;
	struct wt_capture *capture;
	struct stat status;
	uint32_t block = 0;
	long tail;
	int fd;

	getrlimit(RLIMIT_FSIZE, &old);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	capture = open_points(path, 0);
	setrlimit(RLIMIT_FSIZE, &small);
	put_frames(capture, 2000);
	assert_int_equal(wt_capture_error(capture), -EFBIG);
	assert_int_equal(wt_capture_close(capture), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	stat(path, &status);
	assert_in_range(status.st_size, 990000, 1000001);
	/* The last four bytes are the length of a whole block that ends there. */
	fd = open(path, O_RDONLY);
	tail = status.st_size - 4;
	assert_int_equal(pread(fd, file.bytes, 4, tail), 4);
	block = le32(file.bytes);
	assert_int_equal(pread(fd, file.bytes, block, status.st_size - block), block);
	close(fd);
	assert_int_equal(le32(file.bytes), 6);
	assert_int_equal(le32(file.bytes + 4), block);
}

static void a_full_disk_is_told_and_a_bad_path_refused(void **state)
{
	struct wt_capture *capture = open_points("/dev/full", 0);

	if (capture) {
		put_frames(capture, 1);
		assert_int_equal(wt_capture_close(capture), -ENOSPC);
	}
	assert_null(open_points("/nonexistent/capture", 0));
	assert_int_equal(errno, ENOENT);
	assert_string_equal(why, "/nonexistent/capture: No such file or directory");
	assert_int_equal(wt_capture_close(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(every_byte_of_a_capture_is_where_the_format_wants_it),
		CASE(a_pipe_takes_all_points_as_interfaces_of_one_stream),
		CASE(the_file_of_a_point_is_named_after_the_first_one),
		CASE(equal_runs_write_equal_files),
		CASE(tshark_reads_it_with_good_checksums_comments_and_interfaces),
		CASE(a_tap_leaves_the_frame_as_it_came),
		CASE(a_digest_does_not_depend_on_who_finishes_the_checksum),
		CASE(a_write_that_fails_half_way_leaves_whole_blocks_and_sticks),
		CASE(a_full_disk_is_told_and_a_bad_path_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
