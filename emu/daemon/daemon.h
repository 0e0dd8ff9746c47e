/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator as a program: two ports and a path each way between them, in real time.
 *
 *      port a ──[tap a]──► fwd stages ──[tap b]──► port b
 *      port a ◄──[tap a]── rev stages ◄──[tap b]── port b       (the taps only with a capture)
 *
 * Its life is the one people expect of a daemon: parse everything, open everything, give up privileges, say it is ready,
 * loop; on SIGINT or SIGTERM flush, write a complete record, and exit 0 if nothing was wrong: a signal is how a daemon
 * is asked to finish.
 */
#ifndef WT_EMU_DAEMON_DAEMON_H
#define WT_EMU_DAEMON_DAEMON_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "emu/daemon/where.h"
#include "emu/path.h"
#include "stack/drive/capture.h"
#include "stack/drive/graph.h"
#include "stack/drive/journal.h"
#include "stack/drive/rloop.h"

struct wt_daemon_config {
	const char *port[2];  /* see where.h */
	const char *words[2]; /* fwd: from port 0 to port 1; rev */
	uint64_t seed;
	uint64_t frames;      /* of the pool: bounds the memory */
	wt_time time;         /* ends by itself after this, 0: never */
	const char *capture, *log; /* or NULL */
	int ready_fd;         /* -1: none */
};

enum wt_daemon_end { WT_DAEMON_RUNNING, WT_DAEMON_SIGNAL, WT_DAEMON_TIME, WT_DAEMON_PORT_GONE, WT_DAEMON_WRITE_ERROR };

struct wt_daemon {
	struct wt_daemon_config config;
	struct wt_where where[2];
	struct wt_path path[2];
	unsigned ports_in_graph, stages_in_graph[2]; /* the graph owns the first so many */
	struct wt_pool *pool;
	struct wt_port *port[2];
	struct wt_graph *graph;
	struct ev_loop *ev;
	struct wt_rloop *rloop;
	struct wt_capture *capture;
	struct wt_journal *journal;
	struct wt_node *tap[2];
	ev_signal on_int, on_term;
	ev_timer every_second, at_end;
	wt_time ran;
	enum wt_daemon_end end;
	int end_detail; /* the signal, or a negative errno */
	int end_port;   /* which port is gone */
};

/* Reads the words of ports and paths, and keeps their normal form. 0 or -EINVAL with one sentence in err. */
int wt_daemon_init(struct wt_daemon *daemon, const struct wt_daemon_config *config, char *err, size_t err_len);
/* Opens ports and files and gives up privileges. 0 or negative errno with one sentence in err. */
int wt_daemon_open(struct wt_daemon *daemon, char *err, size_t err_len);
/* Runs until told to end; daemon->end says why. Files are whole afterwards. */
void wt_daemon_run(struct wt_daemon *daemon);
/* Writes what is buffered and closes the files: 0 or the first error of writing. */
int wt_daemon_close_files(struct wt_daemon *daemon);
/* Closes everything. Accepts one that failed to open, or was only parsed. */
void wt_daemon_finish(struct wt_daemon *daemon);

/* The books of one direction, from what was read of one port to what was written to the other. */
struct wt_daemon_books {
	uint64_t offered, made, delivered, dropped, queued;
	bool hold;
};

void wt_daemon_books(const struct wt_daemon *daemon, unsigned direction, struct wt_daemon_books *books);
/* The record of the run. */
void wt_daemon_record_json(const struct wt_daemon *daemon, FILE *out);
void wt_daemon_record_text(const struct wt_daemon *daemon, FILE *out);

#endif
