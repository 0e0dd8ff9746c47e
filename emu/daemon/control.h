/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control socket: a Unix stream socket for its owner alone (mode 0600). A client sends one line and reads the answer:
 *
 *   show json | show text                     the record of the run so far
 *   set<TAB>TARGET<TAB>WORDS[<TAB>TARGET...]   "ok TIME_NS", or "error SENTENCE" and nothing has changed
 *   set flush<TAB>TARGET...                   the same, and what waits in queues in front of rates is dropped
 *   events                                    every event from now on, as the log has them, until the client leaves
 *   capture POINT                             "ok", and then pcapng from now on, until the client leaves (watch.h); or "error SENTENCE"
 *
 * What a client asked for that has closed its end meanwhile is not done: it may have given up. One that has sent all, and only says so
 * (shutdown), gets its answer. A client that does not read its events loses some, and is told how many; it never holds up the path.
 */
#ifndef WT_EMU_DAEMON_CONTROL_H
#define WT_EMU_DAEMON_CONTROL_H

#include <ev.h>
#include <sys/types.h>

#include "stack/base/node.h"
#include "stack/record/event_json.h"

struct wt_control;

/* The socket as we made it: another in its place is another's. */
struct wt_control_file {
	char path[108]; /* empty: none */
	dev_t device;
	ino_t inode;
};

/* What paths are to become. */
struct wt_control_set {
	bool flush;         /* what waits in queues is dropped */
	const char *folder; /* that relative names of files count from: the caller's; NULL: not said */
	char **words;       /* targets and words, NULL at the end */
};

struct wt_control_ops {
	void (*show)(void *arg, FILE *out, bool json);
	/* 0 and what the change has removed, perhaps nothing, in `said`; or -EINVAL with a sentence there. *now: when it happened. */
	int (*set)(void *arg, const struct wt_control_set *set, wt_time *now, char *said, size_t said_len);
	/* Takes the client's socket, and answers; or negative errno with a sentence in `said`. */
	int (*capture)(void *arg, int fd, const char *point, char *said, size_t said_len);
};

/* "auto": the place for it, named after the process: /run/wavetank or $XDG_RUNTIME_DIR/wavetank. 0, or negative errno with a sentence. */
int wt_control_place(const char *path, char *out, size_t len, char *err, size_t err_len);
/* Makes the socket; one that a killed process left is replaced, one that is listened at is not. NULL with errno and a sentence. */
struct wt_control *wt_control_open(const char *path, struct ev_loop *ev, const struct wt_control_ops *ops, void *arg, char *err,
				   size_t err_len);
const char *wt_control_path(const struct wt_control *control);
const struct wt_control_file *wt_control_file(const struct wt_control *control);
/* Closes, and removes the file if we may. Accepts NULL. */
void wt_control_close(struct wt_control *control);
/* Removes the file if it is there and nobody listens. */
void wt_control_remove(const struct wt_control_file *file);

/* For those who read events; each passes the news on to `next`. */
struct wt_drop_sink *wt_control_drops(struct wt_control *control, struct wt_drop_sink *next);
struct wt_state_sink *wt_control_states(struct wt_control *control, struct wt_state_sink *next);
/* Another event: NULL if nobody listens; else data is open until wt_control_end(). */
struct wt_json *wt_control_begin(struct wt_control *control, wt_time now, const char *event);
void wt_control_end(struct wt_control *control);

/* How long the other side waits for a daemon: one that is stopped, or hung, accepts connections and never answers. */
#define WT_CONTROL_PATIENCE 10 /* s */
/*
 * The other side: connects to a daemon. `path` NULL: the only one there is. A descriptor on which an operation fails with EAGAIN after
 * WT_CONTROL_PATIENCE, or negative errno with a sentence, -ETIMEDOUT if connecting took that long.
 */
int wt_control_connect(const char *path, char *err, size_t err_len);

#endif
