/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each point and the drops have a file of their own, because Wireshark takes a file for what one point saw: a frame that is in it
 * twice looks like a retransmission.
 * Blocks are made in a buffer and leave in pieces of a quarter of a megabyte. A write that fails half way (disk full)
 * is cut back to the last whole block, and the error sticks: nothing is written after it.
 */
#include "stack/record/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stack/record/create.h"
#include "stack/record/observer.h"
#include "stack/record/pcapng.h"

#define BUFFER (2 * WT_PCAPNG_BLOCK)

struct file {
	int fd;
	int error;
	off_t written; /* whole blocks in the file */
	uint32_t used; /* whole blocks in the buffer */
	uint32_t interfaces;
	uint8_t buffer[BUFFER];
};

/* Where the frames of one point go: an interface of a file. A device has one file for all. */
struct point {
	char name[WT_CAPTURE_POINT];
	struct file *file;
	uint32_t interface;
};

struct wt_capture {
	int64_t epoch;
	int error; /* the first of any file */
	struct wt_drop_sink drops;
	struct wt_drop_sink *next_drops;
	unsigned points, files; /* the last point holds drops */
	struct point air; /* its file NULL: nobody asked for one */
	struct point *point;
	struct file **file;
};

struct tap {
	struct wt_observer observer; /* first */
	struct wt_capture *capture;
	const struct point *point;
};

/* ---- making blocks ------------------------------------------------------------------------------------- */

static void flush(struct file *file);

/* Where the next block begins, with room for one of any kind; NULL after an error. */
static uint8_t *begin(struct file *file)
{
	if (file->used + WT_PCAPNG_BLOCK > BUFFER)
		flush(file);
	return file->error ? NULL : file->buffer + file->used;
}

static void end(struct file *file, const uint8_t *after)
{
	file->used = (uint32_t)(after - file->buffer);
}

static uint32_t interface_new(struct file *file, const char *name, unsigned linktype)
{
	uint8_t *start = begin(file);

	if (start)
		end(file, wt_pcapng_interface(start, name, linktype));
	return file->interfaces++;
}

static void packet(struct wt_capture *capture, const struct point *point, wt_time now, const struct wt_frame *frame,
		   enum wt_pcapng_way way, const char *comment)
{
	const struct wt_pcapng_facts facts = {
		.interface = point->interface,
		.time_ns = (uint64_t)(capture->epoch + now),
		.way = way,
		.has_id = true,
		.id = frame->id,
		.comment = comment,
	};
	uint8_t *start = begin(point->file);

	if (start)
		end(point->file, wt_pcapng_frame(start, &facts, frame));
}

/* ---- the file ------------------------------------------------------------------------------------------ */

/* Where the last block that lies wholly within `len` bytes of the buffer ends. */
static uint32_t whole_blocks(const struct file *file, uint32_t len)
{
	uint32_t at = 0;

	while (at + 8 <= len && at + wt_pcapng_length(file->buffer + at) <= len)
		at += wt_pcapng_length(file->buffer + at);
	return at;
}

static void flush(struct file *file)
{
	uint32_t done = 0;

	while (!file->error && done < file->used) {
		ssize_t n = write(file->fd, file->buffer + done, file->used - done);

		if (n >= 0) {
			done += (uint32_t)n;
		} else if (errno != EINTR) {
			file->error = -errno;
			done = whole_blocks(file, done);
			/* Not a regular file, or a file system in trouble: the first error is the one to tell. */
			if (ftruncate(file->fd, file->written + done)) {
			}
		}
	}
	file->written += done;
	file->used = 0;
}

static void flush_all(struct wt_capture *capture)
{
	for (unsigned i = 0; i < capture->files; i++) {
		flush(capture->file[i]);
		if (!capture->error)
			capture->error = capture->file[i]->error;
	}
}

void wt_capture_flush(struct wt_capture *capture)
{
	flush_all(capture);
}

/* "run.pcapng" and the point "b": "run-b.pcapng". */
char *wt_capture_name(const char *path, const char *point)
{
	const char *base = strrchr(path, '/'), *dot = strrchr(base ? base + 1 : path, '.');
	int stem = (int)(dot && dot != path && dot[-1] != '/' ? dot - path : (long)strlen(path));
	char *name = NULL;

	return asprintf(&name, "%.*s-%s%s", stem, path, point, path + stem) < 0 ? NULL : name;
}

static struct file *open_file(struct wt_capture *capture, const char *path, char *err, size_t err_len)
{
	struct file *file = malloc(sizeof(*file));
	char why[WT_CREATE_WHY];

	snprintf(err, err_len, "no memory");
	errno = ENOMEM;
	if (!file)
		return NULL;
	memset(file, 0, offsetof(struct file, buffer));
	file->fd = wt_create(path);
	if (file->fd < 0) {
		errno = -file->fd;
		snprintf(err, err_len, "%s: %s", path, wt_create_why(path, errno, why));
		errno = -file->fd;
		free(file);
		return NULL;
	}
	file->used = (uint32_t)(wt_pcapng_section(file->buffer) - file->buffer);
	return capture->file[capture->files++] = file;
}

/* The first point has the file that was named; a device, a pipe or a terminal has all of them. */
static int open_point(struct wt_capture *capture, const char *path, const char *name, bool together, char *err, size_t err_len)
{
	struct point *point = &capture->point[capture->points];
	char *own = NULL;

	snprintf(point->name, sizeof(point->name), "%s", name);
	if (capture->points && together) {
		point->file = capture->file[0];
	} else {
		own = capture->points ? wt_capture_name(path, name) : NULL;
		point->file = open_file(capture, own ? own : path, err, err_len);
		free(own);
	}
	if (!point->file)
		return -errno;
	point->interface = interface_new(point->file, name, WT_LINKTYPE_ETHERNET);
	capture->points++;
	return 0;
}

/* The heads of files are written at once: a full disk is seen now, and what it leaves of a file can be read. */
static int begin_files(struct wt_capture *capture)
{
	flush_all(capture);
	return capture->error;
}

/* Those of a capture that was not opened; files, not devices. */
static void remove_files(struct wt_capture *capture, const char *path)
{
	struct stat there;

	for (unsigned i = 0; i < capture->points; i++) {
		struct file *file = capture->point[i].file;
		char *own = i ? wt_capture_name(path, capture->point[i].name) : NULL;

		if (!fstat(file->fd, &there) && S_ISREG(there.st_mode))
			unlink(own ? own : path);
		file->used = 0;
		free(own);
	}
}

struct wt_capture *wt_capture_open(const char *path, int64_t epoch, char (*points)[WT_CAPTURE_POINT], unsigned count, char *err,
				   size_t err_len)
{
	struct wt_capture *capture = calloc(1, sizeof(*capture));
	struct stat status;
	bool together = !stat(path, &status) && !S_ISREG(status.st_mode);
	int error = 0;

	snprintf(err, err_len, "no memory");
	errno = ENOMEM;
	if (!capture)
		return NULL;
	capture->epoch = epoch;
	capture->point = calloc(count + 1, sizeof(*capture->point));
	capture->file = calloc(count + 2, sizeof(*capture->file)); /* and of the air */
	if (!capture->point || !capture->file)
		error = -ENOMEM;
	for (unsigned i = 0; i <= count && !error; i++)
		error = open_point(capture, path, i < count ? points[i] : "drops", together, err, err_len);
	if (!error && (together || begin_files(capture) == 0))
		return capture;
	if (!error) {
		error = capture->error;
		snprintf(err, err_len, "%s: %s", path, strerror(-error));
	}
	remove_files(capture, path);
	wt_capture_close(capture);
	errno = -error;
	return NULL;
}

int wt_capture_open_air(struct wt_capture *capture, const char *path, char *err, size_t err_len)
{
	char *own = capture->files > 1 ? wt_capture_name(path, WT_CAPTURE_AIR) : NULL;

	capture->air.file = own ? open_file(capture, own, err, err_len) : capture->file[0];
	free(own);
	if (!capture->air.file)
		return -errno;
	capture->air.interface = interface_new(capture->air.file, WT_CAPTURE_AIR, WT_LINKTYPE_RADIOTAP);
	return 0;
}

void wt_capture_air(struct wt_capture *capture, wt_time now, const uint8_t *bytes, uint32_t len, uint64_t id)
{
	const struct wt_pcapng_facts facts = {
		.interface = capture->air.interface,
		.time_ns = (uint64_t)(capture->epoch + now),
		.has_id = id != 0,
		.id = id,
	};
	uint8_t *start = begin(capture->air.file);

	if (start)
		end(capture->air.file, wt_pcapng_bytes(start, &facts, bytes, len));
}

int wt_capture_close(struct wt_capture *capture)
{
	int error;

	if (!capture)
		return 0;
	flush_all(capture);
	for (unsigned i = 0; i < capture->files; i++) {
		if (close(capture->file[i]->fd) && !capture->error)
			capture->error = -errno;
		free(capture->file[i]);
	}
	error = capture->error;
	free(capture->point);
	free(capture->file);
	free(capture);
	return error;
}

int wt_capture_error(const struct wt_capture *capture)
{
	for (unsigned i = 0; i < capture->files && !capture->error; i++)
		if (capture->file[i]->error)
			return capture->file[i]->error;
	return capture->error;
}

/* ---- what feeds it ------------------------------------------------------------------------------------- */

static void see(struct wt_observer *observer, unsigned port, wt_time now, struct wt_frame *frame)
{
	struct tap *tap = (struct tap *)observer;

	if (frame->fate != WT_FATE_UNDERWAY)
		return; /* it stands there as sent: nothing arrived */
	packet(tap->capture, tap->point, now, frame, port ? WT_PCAPNG_IN : WT_PCAPNG_OUT, NULL);
}

struct wt_node *wt_capture_tap(struct wt_capture *capture, const char *name)
{
	struct tap *tap = calloc(1, sizeof(*tap));
	unsigned i = 0;

	while (i < capture->points && strcmp(capture->point[i].name, name))
		i++;
	if (!tap || i == capture->points) {
		free(tap);
		return NULL;
	}
	wt_observer_init(&tap->observer, name, see);
	tap->capture = capture;
	tap->point = &capture->point[i];
	return &tap->observer.node;
}

static void on_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		    enum wt_drop cause)
{
	struct wt_capture *capture = (struct wt_capture *)((char *)sink - offsetof(struct wt_capture, drops));
	char comment[100];

	snprintf(comment, sizeof(comment), "dropped: %s at %s", wt_drop_name(cause), node->name);
	packet(capture, &capture->point[capture->points - 1], now, frame, WT_PCAPNG_NEITHER, comment);
	if (capture->next_drops)
		capture->next_drops->drop(capture->next_drops, node, now, frame, cause);
}

struct wt_drop_sink *wt_capture_drops(struct wt_capture *capture, struct wt_drop_sink *next)
{
	capture->drops.drop = on_drop;
	capture->next_drops = next;
	return &capture->drops;
}
