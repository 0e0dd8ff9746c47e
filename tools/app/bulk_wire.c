/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * request   magic 8 | size 8 | seed 4 | rate in kbit/s 4 | kind 1 | streams 1 | their upper bits 2 | milliseconds 4. Seed is 8 and there is no rate unless payload is wanted. Of request and response: size is the size of each, 4 and 4
 * result    magic 8 | attempts 3 | successes 3 | flags 2 | bytes 8 | bad_at 8 | first 8 | last 8 | segs 8 | dup_segs 8 | out_of_order_segs 8 | module 20 | ce_segs 4
 * report    magic 8 | bytes 8 | segs 8 | retransmits 8 | retransmitted bytes 8 | fast recoveries 4 | timeouts 4 | mean RTT 8 | least RTT 8 | sender 16 | recovery 16
 */
#include "tools/app/bulk_wire.h"

#include <string.h>

#include "stack/base/bytes.h"

/* The last byte is the version. */
static const uint8_t request_magic[8] = {'w', 't', 'b', 'u', 'l', 'k', '?', 1};
static const uint8_t result_magic[8] = {'w', 't', 'b', 'u', 'l', 'k', '=', 1};
static const uint8_t report_magic[8] = {'w', 't', 'b', 'u', 'l', 'k', '!', 1};

enum { FLAG_VERIFIED = 1, FLAG_COMPARED = 2, COUNT_MASK = 0xffffff };

static void put64(uint8_t *p, uint64_t v)
{
	wt_put32(p, (uint32_t)(v >> 32));
	wt_put32(p + 4, (uint32_t)v);
}

static uint64_t get64(const uint8_t *p)
{
	return (uint64_t)wt_get32(p) << 32 | wt_get32(p + 4);
}

void wt_bulk_put_request(uint8_t wire[WT_BULK_REQUEST], const struct wt_bulk_request *request)
{
	memset(wire, 0, WT_BULK_REQUEST);
	memcpy(wire, request_magic, 8);
	put64(wire + 8, request->size);
	put64(wire + 16, request->kind == WT_BULK_WANTS ? request->seed << 32 | (request->rate / 1000 & UINT32_MAX) : request->seed);
	wire[24] = (uint8_t)request->kind;
	wire[25] = (uint8_t)request->streams;
	wt_put16(wire + 26, (uint16_t)(request->streams >> 8)); /* a second field: version 1 of the format had 8 bits */
	wt_put32(wire + 28, request->time_ms);
}

bool wt_bulk_get_request(const uint8_t wire[WT_BULK_REQUEST], struct wt_bulk_request *request)
{
	request->size = get64(wire + 8);
	request->seed = get64(wire + 16);
	request->kind = wire[24];
	request->streams = (unsigned)wt_get16(wire + 26) << 8 | wire[25];
	request->time_ms = wt_get32(wire + 28);
	request->rate = request->kind == WT_BULK_WANTS ? (request->seed & UINT32_MAX) * 1000 : 0;
	request->seed >>= request->kind == WT_BULK_WANTS ? 32 : 0;
	return memcmp(wire, request_magic, 8) == 0 && request->kind <= WT_BULK_WANTS && request->kind != 2;
}

void wt_bulk_put_result(uint8_t wire[WT_BULK_RESULT], const struct wt_bulk_result *result)
{
	memcpy(wire, result_magic, 8);
	put64(wire + 8, (uint64_t)(result->attempts & COUNT_MASK) << 40 | (uint64_t)(result->successes & COUNT_MASK) << 16 |
	      (result->verified ? FLAG_VERIFIED : 0) | (result->compared ? FLAG_COMPARED : 0));
	put64(wire + 16, result->bytes);
	put64(wire + 24, result->bad_at);
	put64(wire + 32, (uint64_t)result->first);
	put64(wire + 40, (uint64_t)result->last);
	put64(wire + 48, result->segs);
	put64(wire + 56, result->dup_segs);
	put64(wire + 64, result->out_of_order_segs);
	memset(wire + 72, 0, 24);
	memcpy(wire + 72, result->receiver, strnlen(result->receiver, 19));
	wt_put32(wire + 92, result->ce_segs);
}

/* It comes from a peer: printable or nothing. */
static void get_name(char *name, const uint8_t *wire, unsigned most)
{
	for (unsigned i = 0; i < most; i++)
		name[i] = wire[i] >= 33 && wire[i] < 127 ? (char)wire[i] : '\0';
}

bool wt_bulk_get_result(const uint8_t wire[WT_BULK_RESULT], struct wt_bulk_result *result)
{
	uint64_t flags = get64(wire + 8);

	memset(result, 0, sizeof(*result));
	result->verified = flags & FLAG_VERIFIED;
	result->compared = flags & FLAG_COMPARED;
	result->attempts = (uint32_t)(flags >> 40);
	result->successes = (uint32_t)(flags >> 16) & COUNT_MASK;
	if (result->successes > result->attempts) /* a peer's word */
		result->successes = result->attempts;
	result->bytes = get64(wire + 16);
	result->bad_at = get64(wire + 24);
	result->first = (wt_time)(get64(wire + 32) & INT64_MAX);
	result->last = (wt_time)(get64(wire + 40) & INT64_MAX);
	result->segs = get64(wire + 48);
	result->dup_segs = get64(wire + 56);
	result->out_of_order_segs = get64(wire + 64);
	result->ce_segs = wt_get32(wire + 92);
	get_name(result->receiver, wire + 72, 19);
	return memcmp(wire, result_magic, 8) == 0;
}

void wt_bulk_put_report(uint8_t wire[WT_BULK_REPORT], const struct wt_bulk_report *report)
{
	memset(wire, 0, WT_BULK_REPORT);
	memcpy(wire, report_magic, 8);
	put64(wire + 8, report->bytes);
	put64(wire + 16, report->segs);
	put64(wire + 24, report->retransmits_segs);
	put64(wire + 32, report->retransmits_bytes);
	wt_put32(wire + 40, report->fast_recoveries);
	wt_put32(wire + 44, report->timeouts);
	put64(wire + 48, (uint64_t)report->mean_rtt);
	put64(wire + 56, (uint64_t)report->min_rtt);
	memcpy(wire + 64, report->sender, strnlen(report->sender, 15));
	memcpy(wire + 80, report->recovery, strnlen(report->recovery, 15));
}

bool wt_bulk_get_report(const uint8_t wire[WT_BULK_REPORT], struct wt_bulk_report *report)
{
	memset(report, 0, sizeof(*report));
	report->bytes = get64(wire + 8);
	report->segs = get64(wire + 16);
	report->retransmits_segs = get64(wire + 24);
	report->retransmits_bytes = get64(wire + 32);
	report->fast_recoveries = wt_get32(wire + 40);
	report->timeouts = wt_get32(wire + 44);
	report->mean_rtt = (wt_time)(get64(wire + 48) & INT64_MAX);
	report->min_rtt = (wt_time)(get64(wire + 56) & INT64_MAX);
	get_name(report->sender, wire + 64, 15);
	get_name(report->recovery, wire + 80, 15);
	return memcmp(wire, report_magic, 8) == 0;
}
