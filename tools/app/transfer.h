/* SPDX-License-Identifier: BSD-2-Clause */
/* What send and recv share: options, signals and time-outs, the interval lines, the head of the JSON record. */
#ifndef WT_TOOLS_APP_TRANSFER_H
#define WT_TOOLS_APP_TRANSFER_H

#include "stack/record/json.h"
#include "tools/app/bulk.h"
#include "tools/app/playback.h"
#include "tools/app/rr.h"
#include "tools/app/live_flows.h"
#include "tools/common/cli.h"
#include "tools/app/station.h"
#include "tools/common/show.h"
#include "tools/words/tcp_words.h"

#define WT_TRANSFER_PORT 5754 /* 0x5754 is "WT"; 5201 would talk to iperf3 servers, which do not understand us */

/* The shared options stand first in both tables. */
enum {
	WT_T_TCP_PORT, WT_T_INTERVAL, WT_T_SENDER, WT_T_RECOVERY, WT_T_RECEIVER, WT_T_PRESET, WT_T_SET, WT_T_MSS, WT_T_RAW,
	WT_T_JSON, WT_T_JSON_STREAM, WT_T_CAPTURE, WT_T_TRACE, WT_T_TIMEOUT, WT_T_PORT, WT_T_ADDRESS, WT_T_MAC, WT_T_GATEWAY,
	WT_T_SEED, WT_T_APP, WT_T_MEMORY, WT_T_OFFLOAD, WT_T_LOGFILE, WT_T_LIVE, WT_T_OPTIONS
};

#define WT_TRANSFER_TABLE                                                                                                      \
	[WT_T_TCP_PORT] = {'p', "tcp-port", "PORT", "TCP port (default 5754)"},                                                \
	[WT_T_INTERVAL] = {'i', "interval", "TIME", "time between lines (default 1s; 0: none)"},                               \
	[WT_T_SENDER] = {'C', "congestion", "MODULE", "sender module with parameters: real:profile=paper"},                    \
	[WT_T_RECOVERY] = {0, "recovery", "MODULE", "recovery module (default: the sender module's own)"},                     \
	[WT_T_RECEIVER] = {0, "rcc", "MODULE", "receiver module of this end (default of recv: real, of send: standard)"},  \
	[WT_T_PRESET] = {0, "preset", "NAME", "stack settings: modern (default), bsd90"},                                      \
	[WT_T_SET] = {'S', "set", "NAME=VALUE,...", "stack settings on top of the preset; may be repeated"},                   \
	[WT_T_MSS] = {'M', "set-mss", "SIZE", "largest segment: short for -S mss=SIZE"},                                       \
	[WT_T_RAW] = {0, "raw", NULL, "plain bytes for nc and the like: no header, no result exchange"},                       \
	[WT_T_JSON] = {'J', "json", NULL, "JSON Lines on standard output: intervals, then the record"},                        \
	[WT_T_JSON_STREAM] = {0, "json-stream", NULL, "the same, as iperf3 calls it"},                                         \
	[WT_T_CAPTURE] = {0, "capture", "FILE", "pcapng of this end"},                                                         \
	[WT_T_TRACE] = {0, "trace", "FILE", "engine events as JSON Lines"},                                                    \
	[WT_T_TIMEOUT] = {0, "timeout", "TIME", "give up after this long (exit code 124)"},                                    \
	[WT_T_PORT] = {0, "port", "PORT", "tap:NAME or packet:INTERFACE (in a lab: known)"},                                   \
	[WT_T_ADDRESS] = {0, "address", "A/PREFIX", "our address, not the kernel's (in a lab: known)"},                        \
	[WT_T_MAC] = {0, "mac", "MAC", "our MAC address (default: derived from the address)"},                                         \
	[WT_T_GATEWAY] = {0, "gateway", "ADDRESS", "router for other networks"},                                               \
	[WT_T_SEED] = {0, "seed", "N", "secrets of the stack and payload from N (default: fresh)"},                                 \
	[WT_T_APP] = {0, "app", "WORDS", "playback:interval=40ms,read=5KB: send makes the stream, recv plays it; send: rr:..."}, \
	[WT_T_MEMORY] = {0, "memory", "SIZE", "memory limit of all connections of this end (default 1GiB)"}, \
	[WT_T_OFFLOAD] = {0, "offload", NULL, "checksums and cutting of segments are the kernel's: 64 KB frames on the port"}, \
	[WT_T_LOGFILE] = {0, "logfile", "FILE", "write to FILE instead of standard output"}, \
	[WT_T_LIVE] = {0, "live", NULL, "small graphs of window, round trip, goodput and drops on the terminal while it runs"}

struct wt_path_events;

struct wt_transfer {
	struct wt_station_config station_config;
	struct wt_tcp_words words;
	char settings[512];
	struct wt_tcp_config tcp;
	uint16_t port;
	wt_time interval, timeout;
	bool json, raw, live;
	const char *logfile;
	bool asks;
	struct wt_rr_config rr; /* if it asks */
	bool plays;
	struct wt_playback_config playback; /* if it plays */

	struct wt_station station;
	struct wt_live_flows *view; /* --live; NULL: none */
	struct wt_path_events *path; /* what the lab's emulator drops, for the view; NULL: not known */
	/* Asked to end: in order, or (`now`) at once. */
	void (*on_stop)(void *arg, bool now);
	void *arg;
	ev_signal on_int, on_term, on_hup;
	ev_timer grace, limit;
	int signal; /* the first that came; 0: none */
	bool timed_out, header;
};

void wt_transfer_init(struct wt_transfer *transfer);
/* One shared option. 0, or WT_EXIT_USAGE after one line. */
int wt_transfer_option(struct wt_transfer *transfer, int option, const char *value);
/* Before anything is opened: `other`, which the option `what` names (NULL or "-": nothing), capture and trace are different files. An exit code. */
int wt_transfer_files(const struct wt_transfer *transfer, const char *what, const char *other);
/* After all options: builds the TCP configuration, opens the station, catches signals. An exit code. */
int wt_transfer_start(struct wt_transfer *transfer);
/* --live: opens the view, where that was asked for. peer NULL: of recv. An exit code. */
int wt_transfer_view(struct wt_transfer *transfer, const char *peer, unsigned streams, bool sends);
/* Before a result is printed while the view may be there: the terminal is as it was. */
void wt_transfer_aside(void);
/* Runs until wt_transfer_end(). */
void wt_transfer_run(struct wt_transfer *transfer);
void wt_transfer_end(struct wt_transfer *transfer);
/* Closes everything. The exit code: `code`, or the signal's, or 124, or 3 when capture or trace could not be written. */
int wt_transfer_finish(struct wt_transfer *transfer, int code);

/* One interval, for people or as JSON line. `id` counts connections from 1. */
void wt_transfer_interval(struct wt_transfer *transfer, unsigned id, bool sends, const struct wt_bulk_interval *interval);
/* Opens the record and writes what both ends have in common. */
void wt_transfer_record(struct wt_transfer *transfer, struct wt_json *json, const char *role, const struct wt_tcp_info *info);

#endif
