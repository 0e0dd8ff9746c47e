/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One of the connections of a run of `send`: it sends, asks (rr), fetches what the peer sends (-R), or sends datagrams (-u). What they have
 * in common is said once: they begin, are told to stop, are done, and have a result for people and as JSON.
 */
#ifndef WT_TOOLS_TRANSFER_STREAM_H
#define WT_TOOLS_TRANSFER_STREAM_H

#include "emu/world/result.h"
#include "tools/app/cbr.h"
#include "tools/app/rr.h"
#include "tools/app/transfer.h"

enum wt_send_stream_kind { WT_STREAM_SENDS, WT_STREAM_FETCHES, WT_STREAM_DATAGRAMS };

struct wt_send_stream {
	enum wt_send_stream_kind kind;
	unsigned id;                    /* from 1 */
	struct wt_transfer *transfer;
	void (*on_done)(void *arg, struct wt_send_stream *stream);
	void *arg;

	struct wt_bulk_sender sender;   /* SENDS */
	struct wt_rr rr;                /* if it asks */
	struct wt_bulk_server fetch;    /* FETCHES: of one connection, */
	struct wt_bulk_receiver got;    /* and how that ended */
	struct wt_cbr_sender datagrams; /* DATAGRAMS */
	struct wt_bulk_interval last;   /* of the latest line */
	bool begun, done;
	enum wt_bulk_fail fail;
	int error;
};

/* Begins to fetch, or to send datagrams. The fields above `sender` are the caller's. 0 or negative errno. */
int wt_send_stream_fetch(struct wt_send_stream *stream, const struct wt_endpoint *remote, const struct wt_bulk_request *request, wt_time omit);
int wt_send_stream_datagrams(struct wt_send_stream *stream, const struct wt_endpoint *remote, const struct wt_cbr_config *config, uint64_t count);
/* A line for people or a JSON line of an interval. */
void wt_send_stream_interval(struct wt_send_stream *stream, const struct wt_bulk_interval *interval);
/* It ends in order, or (now) at once. */
void wt_send_stream_stop(struct wt_send_stream *stream, bool now);
/* Did anything come back from the peer? */
bool wt_send_stream_connected(const struct wt_send_stream *stream);
double wt_send_stream_goodput(const struct wt_send_stream *stream); /* bytes per second */
uint64_t wt_send_stream_bytes(const struct wt_send_stream *stream); /* that arrived */
void wt_send_stream_sum(const struct wt_send_stream *stream, struct wt_flow_sum *sum);
void wt_send_stream_text(const struct wt_send_stream *stream);  /* one line, with its number */
/* Of one that sends, alone: all that is known of both ends. */
void wt_send_stream_summary(const struct wt_send_stream *stream);
/* An exit code, after a sentence if it is not 0. */
int wt_send_stream_judge(const struct wt_send_stream *stream, const struct wt_endpoint *remote);
void wt_send_stream_json(const struct wt_send_stream *stream);  /* one record */
void wt_send_stream_finish(struct wt_send_stream *stream);

/* Latencies of one connection: the first `idle` of an idle path, the others under load. */
void wt_send_latency_text(const struct wt_rr *rr, uint32_t idle);
void wt_send_latency_json(struct wt_json *json, const struct wt_rr *rr, uint32_t idle);

#endif
