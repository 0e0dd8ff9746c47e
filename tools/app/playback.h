/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The playback application: a listener who wants a fixed amount of a stream at fixed instants, such as 5 KB every 40 ms of a
 * stream of 1 Mbit/s, and counts how often it is there (VREAL of the TCP-Real paper, section 3).
 *
 * At each instant `read` bytes are taken if as many have arrived, which is a success; if not, nothing is taken, and the next
 * instant asks for the same bytes again: the player stands still, nothing is skipped. What arrived early waits in the
 * receive buffer of TCP and so closes its window. After `attempts` instants, or at the end of the stream, the count is over
 * and the rest is read as it comes.
 *
 * The other end either makes the stream as a live source does (`source=stream`: `read` bytes every `interval`, kept in the
 * application until TCP takes them), or writes as fast as TCP takes it (`bulk`: a stored film).
 */
#ifndef WT_TOOLS_APP_PLAYBACK_H
#define WT_TOOLS_APP_PLAYBACK_H

#include "stack/text/params.h"
#include "tools/app/bulk.h"

enum wt_playback_start {
	WT_PLAYBACK_CONNECT, /* the connection is accepted */
	WT_PLAYBACK_DATA,    /* its first payload byte is here */
	WT_PLAYBACK_FULL,    /* `read` bytes are here */
};

enum wt_playback_source { WT_PLAYBACK_STREAM, WT_PLAYBACK_BULK };

struct wt_playback_config {
	uint64_t read;     /* bytes */
	wt_time interval;
	uint64_t attempts; /* 0: to the end of the stream */
	uint64_t start;    /* enum wt_playback_start */
	wt_time preroll;   /* from there to the first attempt */
	uint64_t source;   /* enum wt_playback_source */
};

extern const struct wt_param wt_playback_params[];
extern const size_t wt_playback_param_count;

/* "playback" or "playback:interval=40ms,read=5KB". 0, or -EINVAL with one sentence in err. */
int wt_playback_parse(const char *words, struct wt_playback_config *config, char *err, size_t err_len);
/* A receive buffer that cannot hold one read would stop the player for ever: -EINVAL with a sentence. */
int wt_playback_check(const struct wt_playback_config *config, const struct wt_tcp_settings *receiver, char *err, size_t err_len);

/* Makes a server's connections players (config must outlive it); the counts are in the receiver's result. */
void wt_playback_serve(const struct wt_playback_config *config, struct wt_bulk_serve_config *serve);
/* Makes a sender the source of one. */
void wt_playback_send(const struct wt_playback_config *config, struct wt_bulk_send_config *send);
/* Payload where none is asked for: what the player counts, or else 5 MiB; config NULL: nothing plays. */
uint64_t wt_playback_size(const struct wt_playback_config *config);
/* Successes in % of attempts; NaN if there were none. */
double wt_playback_success(const struct wt_bulk_result *result);

#endif
