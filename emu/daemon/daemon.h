/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The emulator as a program: the nodes of a world (emu/world/build.h) in real time.
 *
 *      port a ──[tap a]──► fwd stages ──[tap b]──► port b
 *      port a ◄──[tap a]── rev stages ◄──[tap b]── port b       (the taps only with a capture)
 *
 * Its life is the one people expect of a daemon: parse everything, open everything, give up privileges, say it is ready,
 * loop; on SIGHUP read its file again; on SIGINT or SIGTERM flush, write a complete record, and exit 0 if nothing was wrong: a
 * signal is how a daemon is asked to finish.
 */
#ifndef WT_EMU_DAEMON_DAEMON_H
#define WT_EMU_DAEMON_DAEMON_H

#include <ev.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "emu/machine/priority.h"
#include "emu/daemon/control.h"
#include "emu/machine/socket_cleanup.h"
#include "emu/world/books.h"
#include "emu/machine/notify.h"
#include "emu/daemon/options.h"
#include "emu/machine/lateness_probe.h"
#include "emu/world/change.h"
#include "emu/machine/steer.h"
#include "emu/daemon/tokens.h"
#include "emu/daemon/verdict.h"
#include "emu/daemon/watch.h"
#include "stack/record/journal.h"
#include "stack/drive/rloop.h"

enum wt_daemon_end { WT_DAEMON_RUNNING, WT_DAEMON_SIGNAL, WT_DAEMON_TIME, WT_DAEMON_PORT_GONE, WT_DAEMON_WRITE_ERROR };

struct wt_daemon {
	struct wt_world world;
	struct wt_options options;
	int ready_fd; /* -1: none */
	uid_t uid;    /* whose it is once everything is open */
	char folder[PATH_MAX]; /* that it was started in; empty: it has no name */
	bool quiet;   /* nothing on standard error but what went wrong */
	struct wt_priority claim;
	struct wt_network net;
	struct wt_steering steering;
	struct wt_socket_cleanup cleanup;
	struct ev_loop *ev;
	struct wt_rloop *rloop;
	struct wt_capture *capture;
	struct wt_journal *journal;
	struct wt_control *control;
	struct wt_watchers *watchers;
	struct wt_tokens tokens;
	struct wt_script script;
	struct wt_lateness_probe probe;
	struct wt_verdict verdict;
	wt_time late_since; /* the share of late frames has been above the bound from then on; WT_NEVER: it is not */
	struct wt_notify notify;
	ev_signal on_int, on_term, on_hup;
	ev_timer every_tick, at_end, watchdog;
	unsigned ticks;
	bool *away; /* ports that are gone and waited for */
	wt_time ran;
	enum wt_daemon_end end;
	int end_detail; /* the signal, or a negative errno */
	const char *unwritten; /* the first of the options' files that could not be written; NULL: all could */
	unsigned end_port; /* which port is gone */
};

/* Opens ports and files of its world, which has been checked, and gives up privileges. 0 or negative errno with a sentence. */
int wt_daemon_open(struct wt_daemon *daemon, char *err, size_t err_len);
/* Runs until told to end; daemon->end says why. */
void wt_daemon_run(struct wt_daemon *daemon);
/* Writes what is buffered and closes the files: 0 or the first error of writing. */
int wt_daemon_close_files(struct wt_daemon *daemon);
/* Closes everything, and finishes world and options. Accepts one that failed to open, or was never opened. */
void wt_daemon_finish(struct wt_daemon *daemon);

/*
 * New words for links while it runs. Targets: "fwd", "rev", "both" of the only link, "NAME.fwd" ... of others, for the whole path; "fwd.delay",
 * "NAME.fwd.loss.2" for one stage of it. All at one instant, and the names of stages that are gone in `said`, between blanks; or -EINVAL with
 * a sentence there and nothing has changed. reload.c
 */
int wt_daemon_set(struct wt_daemon *daemon, const struct wt_control_set *set, wt_time *now, char *said, size_t said_len);
/* Reads the file again: words of links, and what is still to come of the script. 0 and how many links have others, or -EINVAL and none has. */
int wt_daemon_reload(struct wt_daemon *daemon, unsigned *changed, char *err, size_t err_len);

/* Words of links have changed: what depends on them follows. */
void wt_daemon_changed(struct wt_daemon *daemon);
/* An event for the log and for those who listen: keys and values, NULL at the end. */
void wt_daemon_note(struct wt_daemon *daemon, wt_time now, const char *event, ...) __attribute__((sentinel));
/* The verdict as it would be if the run ended now. */
struct wt_verdict wt_daemon_judge(const struct wt_daemon *daemon);
/* The record of the run: "end", or "show" while it goes on. */
void wt_daemon_record_json(const struct wt_daemon *daemon, const char *record, FILE *out);
void wt_daemon_record_text(const struct wt_daemon *daemon, FILE *out);

#endif
