/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pcapng (draft-ietf-opsawg-pcapng): one section, little-endian on every machine, blocks of
 *
 *     type | total length | body, padded to 4 | options | total length again
 *
 * A section header, an interface description when a tap or the drop sink appears, and an enhanced packet block
 * per frame. Blocks are made in a buffer and leave in pieces of a quarter of a megabyte. A write that fails
 * half way (disk full) is cut back to the last whole block, and the error sticks: nothing is written after it.
 */
#include "stack/record/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/record/create.h"
#include "stack/record/observer.h"

#define FRAME_MAX (128u * 1024) /* longer frames are cut, their length is noted */
#define BLOCK_MAX (FRAME_MAX + 256)
#define BUFFER (2 * BLOCK_MAX)

enum { BLOCK_INTERFACE = 1, BLOCK_PACKET = 6, BLOCK_SECTION = 0x0a0d0d0a };
enum { OPT_END = 0, OPT_COMMENT = 1, OPT_FLAGS = 2, OPT_IF_NAME = 2, OPT_USER_APPL = 4, OPT_PACKET_ID = 5, OPT_TSRESOL = 9 };
enum { FLAG_INBOUND = 1, FLAG_OUTBOUND = 2 };
enum { LINKTYPE_ETHERNET = 1 };

struct wt_capture {
	int fd;
	int error;
	int64_t epoch;
	off_t written;   /* whole blocks in the file */
	uint32_t used;   /* whole blocks in the buffer */
	uint32_t interfaces;
	uint32_t drops_interface;
	struct wt_drop_sink drops;
	struct wt_drop_sink *next_drops;
	uint8_t buffer[BUFFER];
};

struct tap {
	struct wt_through through; /* first */
	struct wt_capture *capture;
	uint32_t interface;
};

/* ---- making blocks ------------------------------------------------------------------------------------- */

static uint8_t *put_le16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	return p + 2;
}

static uint8_t *put_le32(uint8_t *p, uint32_t v)
{
	return put_le16(put_le16(p, v & 0xffff), v >> 16);
}

static uint32_t get_le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint8_t *pad(uint8_t *p, uint32_t len)
{
	while (len++ & 3)
		*p++ = 0;
	return p;
}

static uint8_t *put_option(uint8_t *p, unsigned code, const void *value, uint32_t len)
{
	p = put_le16(put_le16(p, code), len);
	memcpy(p, value, len);
	return pad(p + len, len);
}

static void flush(struct wt_capture *capture);

/* Room for one block of any kind, its type and a place for its length written; NULL after an error. */
static uint8_t *begin(struct wt_capture *capture, uint32_t type)
{
	if (capture->used + BLOCK_MAX > BUFFER)
		flush(capture);
	if (capture->error)
		return NULL;
	return put_le32(put_le32(capture->buffer + capture->used, type), 0);
}

static void end(struct wt_capture *capture, uint8_t *p)
{
	uint8_t *start = capture->buffer + capture->used;
	uint32_t len;

	p = put_le16(put_le16(p, OPT_END), 0);
	len = (uint32_t)(p + 4 - start);
	put_le32(p, len);
	put_le32(start + 4, len);
	capture->used += len;
}

static void section(struct wt_capture *capture)
{
	uint8_t *p = begin(capture, BLOCK_SECTION);

	p = put_le32(p, 0x1a2b3c4d); /* byte order */
	p = put_le16(put_le16(p, 1), 0);
	p = put_le32(put_le32(p, UINT32_MAX), UINT32_MAX); /* section length: not stated */
	end(capture, put_option(p, OPT_USER_APPL, "wavetank", 8));
}

static uint32_t interface_new(struct wt_capture *capture, const char *name)
{
	uint8_t *p = begin(capture, BLOCK_INTERFACE);

	if (p) {
		p = put_le16(put_le16(p, LINKTYPE_ETHERNET), 0);
		p = put_le32(p, 0); /* frames are not cut */
		p = put_option(p, OPT_IF_NAME, name, (uint32_t)strnlen(name, 64));
		end(capture, put_option(p, OPT_TSRESOL, "\x09", 1)); /* 10^-9 s */
	}
	return capture->interfaces++;
}

static void packet(struct wt_capture *capture, uint32_t interface, wt_time now, const struct wt_frame *frame,
		   unsigned direction, const char *comment)
{
	uint64_t time = (uint64_t)(capture->epoch + now);
	uint32_t len = frame->len < FRAME_MAX ? frame->len : FRAME_MAX;
	uint8_t *p = begin(capture, BLOCK_PACKET);
	uint8_t bytes[8];

	if (!p)
		return;
	p = put_le32(p, interface);
	p = put_le32(put_le32(p, (uint32_t)(time >> 32)), (uint32_t)time);
	p = put_le32(put_le32(p, len), frame->len);
	memcpy(p, frame->data, len);
	if (frame->csum == WT_CSUM_PARTIAL && len == frame->len) {
		struct wt_frame shadow = *frame; /* the frame itself stays as it is */

		shadow.data = p;
		wt_frame_finish_csum(&shadow);
	}
	p = pad(p + len, len);
	if (comment)
		p = put_option(p, OPT_COMMENT, comment, (uint32_t)strnlen(comment, 100));
	if (direction) {
		put_le32(bytes, direction);
		p = put_option(p, OPT_FLAGS, bytes, 4);
	}
	put_le32(put_le32(bytes, (uint32_t)frame->id), (uint32_t)(frame->id >> 32));
	end(capture, put_option(p, OPT_PACKET_ID, bytes, 8));
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* Where the last block that lies wholly within `len` bytes of the buffer ends. */
static uint32_t whole_blocks(const struct wt_capture *capture, uint32_t len)
{
	uint32_t at = 0;

	while (at + 8 <= len && at + get_le32(capture->buffer + at + 4) <= len)
		at += get_le32(capture->buffer + at + 4);
	return at;
}

static void flush(struct wt_capture *capture)
{
	uint32_t done = 0;

	while (!capture->error && done < capture->used) {
		ssize_t n = write(capture->fd, capture->buffer + done, capture->used - done);

		if (n >= 0) {
			done += (uint32_t)n;
		} else if (errno != EINTR) {
			capture->error = -errno;
			done = whole_blocks(capture, done);
			/* Not a regular file, or a file system in trouble: the first error is the one to tell. */
			if (ftruncate(capture->fd, capture->written + done)) {
			}
		}
	}
	capture->written += done;
	capture->used = 0;
}

void wt_capture_flush(struct wt_capture *capture)
{
	flush(capture);
}

struct wt_capture *wt_capture_open(const char *path, int64_t epoch)
{
	struct wt_capture *capture = malloc(sizeof(*capture));

	if (!capture)
		return NULL;
	memset(capture, 0, offsetof(struct wt_capture, buffer));
	capture->epoch = epoch;
	capture->fd = wt_create(path);
	if (capture->fd < 0) {
		int error = -capture->fd;

		free(capture);
		errno = error;
		return NULL;
	}
	section(capture);
	return capture;
}

int wt_capture_close(struct wt_capture *capture)
{
	int error;

	if (!capture)
		return 0;
	flush(capture);
	if (close(capture->fd) && !capture->error)
		capture->error = -errno;
	error = capture->error;
	free(capture);
	return error;
}

int wt_capture_error(const struct wt_capture *capture)
{
	return capture->error;
}

/* ---- what feeds it ------------------------------------------------------------------------------------- */

static void see(struct wt_through *through, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct tap *tap = (struct tap *)through;

	packet(tap->capture, tap->interface, now, frame, port ? FLAG_INBOUND : FLAG_OUTBOUND, NULL);
}

struct wt_node *wt_capture_tap(struct wt_capture *capture, const char *name)
{
	struct tap *tap = calloc(1, sizeof(*tap));

	if (!tap)
		return NULL;
	wt_through_init(&tap->through, name, see);
	tap->capture = capture;
	tap->interface = interface_new(capture, name);
	return &tap->through.node;
}

static void on_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		    enum wt_drop cause)
{
	struct wt_capture *capture = (struct wt_capture *)((char *)sink - offsetof(struct wt_capture, drops));
	char comment[100];

	snprintf(comment, sizeof(comment), "dropped: %s at %s", wt_drop_name(cause), node->name);
	packet(capture, capture->drops_interface, now, frame, 0, comment);
	if (capture->next_drops)
		capture->next_drops->drop(capture->next_drops, node, now, frame, cause);
}

struct wt_drop_sink *wt_capture_drops(struct wt_capture *capture, struct wt_drop_sink *next)
{
	capture->drops_interface = interface_new(capture, "drops");
	capture->drops.drop = on_drop;
	capture->next_drops = next;
	return &capture->drops;
}
