/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Request and response: a client sends a request on a standing connection, waits for the whole response, thinks, and asks again. What
 * counts is how long each took, from when TCP was given the first byte of the request to when the last byte of the response was read.
 *
 * Both ends are those of the bulk application (bulk.h): wt_bulk_send() with `rr` asks, every wt_bulk_serve() answers. Requests and
 * responses are the bulk pattern, under the seed and under its complement, and both are compared.
 */
#ifndef WT_TOOLS_APP_RR_H
#define WT_TOOLS_APP_RR_H

#include <stdio.h>

#include "stack/record/json.h"
#include "stack/text/params.h"
#include "tools/app/bulk.h"

struct wt_rr_config {
	uint64_t request, response; /* bytes */
	uint64_t requests;          /* so many in all; 0: until it is stopped */
	wt_time think;              /* from a response to the next request */
};

/* "rr" or "rr:request=64B,response=1KB,think=10ms,requests=100". 0, or -EINVAL with one sentence in err. */
int wt_rr_parse(const char *words, struct wt_rr_config *config, char *err, size_t err_len);

#define WT_RR_SAMPLES (1u << 22) /* latencies that are kept; those that follow count in mean, least and most alone */

struct wt_rr {
	struct wt_rr_config config; /* the caller's; the rest is zero at first */
	uint64_t seed, asked_bytes, answered_bytes;
	size_t to_write;            /* of the request at hand */
	uint64_t left;              /* of its response */
	wt_time asked_at, next_at;
	bool broken;                /* a response differs from what it should be */
	uint64_t done;              /* transactions */
	double sum;                 /* ns */
	wt_time least, most;
	wt_time first_asked, last_answered;
	wt_time *sample;            /* in their order */
	uint32_t samples, room;
};

void wt_rr_finish(struct wt_rr *rr);

/* Latencies in ns: of a share of the transactions from `from` up to `to` (not with it), exact, by the nearest rank; 0 if there are none. */
wt_time wt_rr_percentile(const struct wt_rr *rr, uint32_t from, uint32_t to, double percent);
double wt_rr_rate(const struct wt_rr *rr); /* transactions per second */

/* An object "rr" in the open one; a line. */
void wt_rr_json(struct wt_json *json, const struct wt_rr *rr);
void wt_rr_text(FILE *out, const struct wt_rr *rr);

/* ---- for the bulk application ------------------------------------------------------------------------- */

struct wt_bulk_sender;

/* A connection begins: fills in its request. */
void wt_rr_begin(struct wt_rr *rr, uint64_t seed, struct wt_bulk_request *request);
/* The next bytes to write, at most len; 0 at the end; WT_BULK_LATER: not before *at, or before more was taken. */
size_t wt_rr_next(struct wt_rr *rr, const struct wt_bulk_sender *sender, uint8_t *data, size_t len, wt_time *at);
/* Bytes of a response that are still to come; and some of them. */
uint64_t wt_rr_awaits(const struct wt_rr *rr);
void wt_rr_take(struct wt_rr *rr, const uint8_t *data, size_t len, wt_time now);
bool wt_rr_broken(const struct wt_rr *rr);
/* The other end: the argument of adopt() is the request. */
extern const struct wt_bulk_reader wt_rr_reader;

#endif
