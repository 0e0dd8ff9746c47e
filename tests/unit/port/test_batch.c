/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches without a device: what they write to a pipe, and what becomes of frames where the kernel does not do it. With one: test_port. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stack/port/batch.h"
#include "stack/port/interface.h"

static struct wt_pool *pool;
static unsigned written;

static struct wt_frame *frame_of(uint32_t len, uint8_t fill)
{
	struct wt_frame *frame = wt_frame_new(pool);

	memset(wt_frame_own_bytes(frame), fill, len);
	frame->len = len;
	return frame;
}

static struct wt_batch *batch_or_skip(bool headers)
{
	struct wt_batch *batch = wt_batch_open(headers, false);

	if (batch)
		return batch;
	print_message("skipped: no io_uring here\n");
	skip();
	return NULL;
}

static int setup(void **state)
{
	written = 0;
	pool = wt_pool_create(64, 256);
	return !pool;
}

static int teardown(void **state)
{
	assert_int_equal(wt_pool_free_count(pool), 64);
	wt_pool_destroy(pool);
	return 0;
}

static void frames_are_written_in_order_again_and_again(void **state)
{
	struct wt_batch *batch = batch_or_skip(false);
	int fd[2];

	assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
	for (unsigned round = 0; round < 200; round++) { /* indices of the rings go around */
		unsigned count = 2 + round % (WT_BATCH_FRAMES - 1);
		uint8_t got[WT_BATCH_FRAMES * 3];

		for (unsigned i = 0; i < count; i++)
			wt_batch_add(batch, frame_of(3, (uint8_t)(round + i)));
		assert_true(wt_batch_write(batch, 0, batch->count, fd[1]));
		assert_int_equal(read(fd[0], got, sizeof(got)), 3 * count);
		for (unsigned i = 0; i < count; i++) {
			assert_int_equal(batch->entry[i].error, 0);
			assert_int_equal(got[3 * i + 2], (uint8_t)(round + i));
			wt_frame_free(batch->entry[i].frame);
		}
		batch->count = 0;
	}
	close(fd[0]);
	close(fd[1]);
	wt_batch_close(batch);
}

static void a_header_stands_in_front_where_it_belongs(void **state)
{
	struct wt_batch *batch = batch_or_skip(true);
	struct wt_frame *frame = frame_of(100, 7);
	struct virtio_net_hdr header;
	uint8_t got[400];
	int fd[2];

	assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
	frame->csum = WT_CSUM_PARTIAL;
	frame->csum_start = 34;
	frame->csum_offset = 6;
	wt_batch_add(batch, frame);
	wt_batch_add(batch, frame_of(50, 8));
	assert_true(wt_batch_write(batch, 0, batch->count, fd[1]));
	assert_int_equal(read(fd[0], got, sizeof(got)), 150 + 2 * sizeof(header));
	memcpy(&header, got, sizeof(header));
	assert_int_equal(header.csum_start, 34);
	assert_int_equal(got[sizeof(header)], 7);
	assert_int_equal(got[100 + 2 * sizeof(header)], 8);
	close(fd[0]);
	close(fd[1]);
	wt_batch_close(batch); /* with the frames */
}

static void refusals_are_told_frame_by_frame(void **state)
{
	struct wt_batch *batch = batch_or_skip(false);
	int fd[2];

	assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
	while (write(fd[1], "full", 1) == 1)
		;
	for (unsigned i = 0; i < 3; i++)
		wt_batch_add(batch, frame_of(60, 0));
	assert_true(wt_batch_write(batch, 0, batch->count, fd[1]));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(batch->entry[i].error, -EAGAIN);
	assert_true(wt_batch_write(batch, 0, batch->count, -1));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(batch->entry[i].error, -EBADF);
	close(fd[0]);
	close(fd[1]);
	wt_batch_close(batch);
}

/* Of a pair of sockets, the reader's buffer full: what is refused is told, what was taken before is not sent again. */
static void a_socket_takes_a_batch_in_one_call(void **state)
{
	struct wt_batch *batch = wt_batch_open(true, true);
	unsigned taken = 0, read_back = 0;
	int fd[2], small = 1;
	uint8_t got[400];
	ssize_t n;

	assert_non_null(batch);
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, fd), 0);
	setsockopt(fd[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	for (unsigned i = 0; i < WT_BATCH_FRAMES; i++)
		wt_batch_add(batch, frame_of(200, (uint8_t)i));
	assert_true(wt_batch_write(batch, 0, batch->count, fd[1]));
	while (taken < WT_BATCH_FRAMES && !batch->entry[taken].error)
		taken++;
	assert_in_range(taken, 1, WT_BATCH_FRAMES - 1);
	for (unsigned i = taken; i < WT_BATCH_FRAMES; i++)
		assert_int_equal(batch->entry[i].error, -EAGAIN);
	for (; (n = read(fd[0], got, sizeof(got))) > 0; read_back++) {
		assert_int_equal(n, 200 + sizeof(struct virtio_net_hdr));
		assert_int_equal(got[n - 1], read_back);
	}
	assert_int_equal(read_back, taken);
	close(fd[0]);
	close(fd[1]);
	wt_batch_close(batch); /* with the frames */
}

static int count_write(struct wt_port *port, const struct wt_frame *frame)
{
	written++;
	return 0;
}

static wt_time clock_at_0(const void *arg)
{
	return 0;
}

/* A file that cannot be written without waiting stands for a kernel whose TAP cannot. */
static void where_the_kernel_does_not_do_it_frames_are_written_one_by_one(void **state)
{
	static const struct wt_port_ops ops = {.write = count_write};
	struct wt_batch *batch = batch_or_skip(false);
	struct wt_port *port = wt_port_new("none", &ops, pool);
	bool refused;

	port->fd = memfd_create("batch", 0);
	wt_batch_add(batch, frame_of(60, 0));
	wt_batch_add(batch, frame_of(60, 0));
	refused = !wt_batch_write(batch, 0, batch->count, port->fd);
	wt_batch_close(batch);
	wt_port_gather(port);
	port->clock = clock_at_0;
	for (unsigned i = 0; i < 5; i++)
		port->node.ops->input(&port->node, 0, 0, frame_of(60, 0));
	assert_int_equal(wt_port_holds(port), 5);
	wt_port_write(port, 0);
	assert_int_equal(port->node.audit.taken, 5);
	assert_int_equal(written, refused ? 5 : 0);
	assert_true(refused == !port->batch);
	port->node.ops->input(&port->node, 0, 0, frame_of(60, 0));
	wt_port_write(port, 0);
	assert_int_equal(port->node.audit.taken, 6);
	assert_true(wt_audit_holds(&port->node.audit));
	if (!refused)
		print_message("this kernel writes such a file without waiting\n");
	wt_port_close(port);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		CASE(frames_are_written_in_order_again_and_again),
		CASE(a_header_stands_in_front_where_it_belongs),
		CASE(refusals_are_told_frame_by_frame),
		CASE(a_socket_takes_a_batch_in_one_call),
		CASE(where_the_kernel_does_not_do_it_frames_are_written_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
