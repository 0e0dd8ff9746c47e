/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two rings of io_uring(7), without liburing: what is needed of them is one page. Requests go in at `tail` of the submission
 * ring, results come out at `head` of the completion ring; both are shared with the kernel, hence the ordered loads and stores. With
 * RWF_NOWAIT a request ends within the call that submits it, so nothing is under way between two calls.
 */
#include "stack/port/batch.h"

#include <errno.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stack/port/offload.h"

struct wt_ring {
	int fd;
	uint8_t *shared; /* both rings' indices, and the results */
	size_t shared_len, requests_len;
	struct io_uring_sqe *request;
	uint32_t *head, *tail, *index, mask;     /* submission */
	uint32_t *done_head, *done_tail, done_mask; /* completion */
	struct io_uring_cqe *result;
};

static void ring_close(struct wt_ring *ring)
{
	if (ring->request)
		munmap(ring->request, ring->requests_len);
	if (ring->shared)
		munmap(ring->shared, ring->shared_len);
	if (ring->fd >= 0)
		close(ring->fd);
	free(ring);
}

static void *map(int fd, size_t len, off_t what)
{
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, what);

	return at == MAP_FAILED ? NULL : at;
}

static struct wt_ring *ring_open(void)
{
	struct io_uring_params params = {0};
	struct wt_ring *ring = calloc(1, sizeof(*ring));
	size_t requests, results;

	if (!ring)
		return NULL;
	ring->fd = (int)syscall(SYS_io_uring_setup, WT_BATCH_FRAMES, &params);
	if (ring->fd < 0 || !(params.features & IORING_FEAT_SINGLE_MMAP))
		goto fail;
	requests = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
	results = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	ring->shared_len = requests > results ? requests : results;
	ring->requests_len = params.sq_entries * sizeof(struct io_uring_sqe);
	ring->shared = map(ring->fd, ring->shared_len, IORING_OFF_SQ_RING);
	ring->request = map(ring->fd, ring->requests_len, IORING_OFF_SQES);
	if (!ring->shared || !ring->request)
		goto fail;
	ring->head = (uint32_t *)(ring->shared + params.sq_off.head);
	ring->tail = (uint32_t *)(ring->shared + params.sq_off.tail);
	ring->index = (uint32_t *)(ring->shared + params.sq_off.array);
	ring->mask = *(uint32_t *)(ring->shared + params.sq_off.ring_mask);
	ring->done_head = (uint32_t *)(ring->shared + params.cq_off.head);
	ring->done_tail = (uint32_t *)(ring->shared + params.cq_off.tail);
	ring->done_mask = *(uint32_t *)(ring->shared + params.cq_off.ring_mask);
	ring->result = (struct io_uring_cqe *)(ring->shared + params.cq_off.cqes);
	return ring;
fail:
	ring_close(ring);
	return NULL;
}

struct wt_batch *wt_batch_open(bool headers, bool socket)
{
	struct wt_batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return NULL;
	batch->headers = headers;
	batch->ring = socket ? NULL : ring_open();
	if (socket || batch->ring)
		return batch;
	free(batch);
	return NULL;
}

void wt_batch_close(struct wt_batch *batch)
{
	if (!batch)
		return;
	for (unsigned i = 0; i < batch->count; i++)
		wt_frame_free(batch->entry[i].frame);
	if (batch->ring)
		ring_close(batch->ring);
	free(batch);
}

void wt_batch_add(struct wt_batch *batch, struct wt_frame *frame)
{
	struct wt_batch_entry *entry = &batch->entry[batch->count++];

	entry->frame = frame;
	entry->error = -EINPROGRESS;
	if (batch->headers)
		wt_offload_header(frame, &entry->header);
	entry->parts[0] = (struct iovec){&entry->header, sizeof(entry->header)};
	entry->parts[1] = (struct iovec){wt_frame_own_bytes(frame), frame->len};
}

static void request(struct wt_ring *ring, uint32_t tail, const struct wt_batch_entry *entry, bool header, int fd, unsigned number)
{
	uint32_t at = tail & ring->mask;

	ring->request[at] = (struct io_uring_sqe){
		.opcode = header ? IORING_OP_WRITEV : IORING_OP_WRITE,
		.fd = fd,
		.addr = (uintptr_t)(header ? (const void *)entry->parts : wt_frame_look(entry->frame)),
		.len = header ? 2 : entry->frame->len,
		.rw_flags = RWF_NOWAIT,
		.user_data = number,
	};
	ring->index[at] = at;
}

static void collect(struct wt_batch *batch)
{
	struct wt_ring *ring = batch->ring;
	uint32_t head = *ring->done_head;

	for (; head != __atomic_load_n(ring->done_tail, __ATOMIC_ACQUIRE); head++) {
		const struct io_uring_cqe *result = &ring->result[head & ring->done_mask];

		batch->entry[result->user_data].error = result->res < 0 ? result->res : 0;
	}
	__atomic_store_n(ring->done_head, head, __ATOMIC_RELEASE);
}

/* The kernel ends a call at the first frame it refuses, and says why when that one stands first. */
static void send_all(struct wt_batch_entry *entry, unsigned count, bool headers, int fd)
{
	struct mmsghdr message[WT_BATCH_FRAMES];
	unsigned at = 0;
	int n;

	for (unsigned i = 0; i < count; i++)
		message[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = entry[i].parts + !headers, .msg_iovlen = 1u + headers}};
	while (at < count) {
		n = sendmmsg(fd, message + at, count - at, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			entry[at++].error = -errno;
		for (; n > 0; n--)
			entry[at++].error = 0;
	}
}

bool wt_batch_write(struct wt_batch *batch, unsigned from, unsigned count, int fd)
{
	struct wt_ring *ring = batch->ring;
	uint32_t tail, left;
	long n;

	if (!ring) {
		send_all(batch->entry + from, count, batch->headers, fd);
		return true;
	}
	tail = *ring->tail;
	for (unsigned i = from; i < from + count; i++)
		request(ring, tail++, &batch->entry[i], batch->headers, fd, i);
	__atomic_store_n(ring->tail, tail, __ATOMIC_RELEASE);
	while ((left = tail - __atomic_load_n(ring->head, __ATOMIC_ACQUIRE))) {
		n = syscall(SYS_io_uring_enter, ring->fd, left, left, IORING_ENTER_GETEVENTS, NULL, 0);
		if (n < 0 && errno != EINTR)
			break;
		collect(batch);
	}
	collect(batch);
	for (unsigned i = from; i < from + count; i++)
		if (batch->entry[i].error == -EINPROGRESS || batch->entry[i].error == -EOPNOTSUPP)
			return false;
	return true;
}
