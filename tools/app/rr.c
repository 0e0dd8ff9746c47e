/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/rr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name, type, text, min, max) {#name, WT_PARAM_##type, offsetof(struct wt_rr_config, name), text, min, max, NULL}

static const struct wt_param params[] = {
	FIELD(request, SIZE, "bytes of a request", 1, 1e9),
	FIELD(response, SIZE, "bytes of a response", 1, 1e9),
	FIELD(think, TIME, "from a response to the next request", 0, 1e15),
	FIELD(requests, COUNT, "so many, then it ends; 0: until it is stopped", 0, 1e15),
};

int wt_rr_parse(const char *words, struct wt_rr_config *config, char *err, size_t err_len)
{
	*config = (struct wt_rr_config){.request = 64, .response = 1024};
	if (strncmp(words, "rr", 2) || (words[2] && words[2] != ':')) {
		snprintf(err, err_len, "'%.40s': expected rr:request=64B,response=1KiB,think=0s,requests=0", words);
		return -EINVAL;
	}
	return wt_param_set_list(params, sizeof(params) / sizeof(params[0]), config, words[2] ? words + 3 : "", err, err_len);
}

void wt_rr_finish(struct wt_rr *rr)
{
	free(rr->sample);
	rr->sample = NULL;
	rr->samples = rr->room = 0;
}

/* ---- the client ----------------------------------------------------------------------------------------- */

void wt_rr_begin(struct wt_rr *rr, uint64_t seed, struct wt_bulk_request *request)
{
	rr->seed = seed;
	request->kind = WT_BULK_ASKS;
	request->size = rr->config.request << 32 | rr->config.response;
}

uint64_t wt_rr_awaits(const struct wt_rr *rr)
{
	return rr->to_write ? 0 : rr->left;
}

bool wt_rr_broken(const struct wt_rr *rr)
{
	return rr->broken || rr->left;
}

/* Who is told to stop in the middle of a transaction still ends it. */
static bool begins_another(struct wt_rr *rr, const struct wt_bulk_sender *sender, wt_time now)
{
	if (sender->stopped || (rr->config.requests && rr->done >= rr->config.requests))
		return false;
	if (!rr->done && !rr->asked_bytes)
		rr->first_asked = now;
	rr->asked_at = now;
	rr->to_write = rr->config.request;
	rr->left = rr->config.response;
	return true;
}

size_t wt_rr_next(struct wt_rr *rr, const struct wt_bulk_sender *sender, uint8_t *data, size_t len, wt_time *at)
{
	wt_time now = wt_host_now(sender->host);

	if (!rr->to_write) {
		if (rr->left)
			return WT_BULK_LATER;
		if (!sender->stopped && now < rr->next_at) {
			*at = rr->next_at;
			return WT_BULK_LATER;
		}
		if (!begins_another(rr, sender, now))
			return 0;
	}
	len = len < rr->to_write ? len : rr->to_write;
	wt_bulk_fill(rr->seed, rr->asked_bytes, data, len);
	rr->asked_bytes += len;
	rr->to_write -= len;
	return len;
}

static void count(struct wt_rr *rr, wt_time latency)
{
	uint32_t room = rr->room ? 2 * rr->room : 1024;
	wt_time *grown = rr->samples == rr->room && room <= WT_RR_SAMPLES ? realloc(rr->sample, room * sizeof(*grown)) : NULL;

	if (grown) {
		rr->sample = grown;
		rr->room = room;
	}
	if (rr->samples < rr->room)
		rr->sample[rr->samples++] = latency;
	rr->least = rr->done ? wt_time_min(rr->least, latency) : latency;
	rr->most = wt_time_max(rr->most, latency);
	rr->sum += (double)latency;
	rr->done++;
}

void wt_rr_take(struct wt_rr *rr, const uint8_t *data, size_t len, wt_time now)
{
	rr->broken |= wt_bulk_agree(~rr->seed, rr->answered_bytes, data, len) < len;
	rr->answered_bytes += len;
	rr->left -= len;
	if (rr->left)
		return;
	count(rr, now - rr->asked_at);
	rr->last_answered = now;
	rr->next_at = wt_time_add(now, rr->config.think);
}

/* ---- the server ----------------------------------------------------------------------------------------- */

struct answers {
	uint64_t request, response; /* bytes of each */
	uint64_t have;              /* of the request that is coming */
	uint64_t owed, written;     /* of responses */
};

static bool adopt(const void *arg, struct wt_bulk_receiver *receiver, wt_time now)
{
	const struct wt_bulk_request *request = arg;
	struct answers *answers = calloc(1, sizeof(*answers));

	receiver->app = answers;
	if (!answers)
		return false;
	answers->request = request->size >> 32;
	answers->response = request->size & UINT32_MAX;
	return answers->request && answers->response;
}

/* False: there is no more room now. */
static bool write_some(struct wt_bulk_receiver *receiver, struct answers *answers)
{
	uint8_t data[4096];
	size_t len = answers->owed < sizeof(data) ? (size_t)answers->owed : sizeof(data);
	ssize_t n;

	wt_bulk_fill(~receiver->seed, answers->written, data, len);
	n = wt_tcp_write(receiver->tcp, data, len);
	if (n <= 0)
		return false;
	answers->owed -= (uint64_t)n;
	answers->written += (uint64_t)n;
	return true;
}

/* One request at a time, so that who sends many and reads nothing is read no further. */
static void on_data(struct wt_bulk_receiver *receiver, wt_time now)
{
	struct answers *answers = receiver->app;

	for (;;) {
		size_t taken;

		while (answers->owed)
			if (!write_some(receiver, answers))
				return;
		taken = wt_bulk_pull(receiver, (size_t)(answers->request - answers->have), now);
		answers->have += taken;
		if (answers->have == answers->request) {
			answers->have = 0;
			answers->owed = answers->response;
		} else if (!taken) {
			return;
		}
	}
}

static void release(struct wt_bulk_receiver *receiver)
{
	free(receiver->app);
	receiver->app = NULL;
}

const struct wt_bulk_reader wt_rr_reader = {adopt, on_data, release};

/* ---- results -------------------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b)
{
	const wt_time *one = a, *two = b;

	return *one < *two ? -1 : *one > *two;
}

wt_time wt_rr_percentile(const struct wt_rr *rr, uint32_t from, uint32_t to, double percent)
{
	uint32_t count, rank;
	wt_time *copy, value;

	to = to < rr->samples ? to : rr->samples;
	count = from < to ? to - from : 0;
	copy = count ? malloc(count * sizeof(*copy)) : NULL;
	if (!copy)
		return 0;
	memcpy(copy, rr->sample + from, count * sizeof(*copy));
	qsort(copy, count, sizeof(*copy), by_length);
	rank = (uint32_t)(percent / 100 * count);
	rank += (double)rank < percent / 100 * count; /* the least rank that so many do not exceed */
	value = copy[rank ? rank - 1 : 0];
	free(copy);
	return value;
}

double wt_rr_rate(const struct wt_rr *rr)
{
	wt_time time = rr->last_answered - rr->first_asked;

	return rr->done && time > 0 ? (double)rr->done * 1e9 / (double)time : 0;
}

static double percentile(const struct wt_rr *rr, double percent, double unit)
{
	return (double)wt_rr_percentile(rr, 0, UINT32_MAX, percent) / unit;
}

void wt_rr_json(struct wt_json *json, const struct wt_rr *rr)
{
	wt_json_object(json, "rr");
	wt_json_u64(json, "request_bytes", rr->config.request);
	wt_json_u64(json, "response_bytes", rr->config.response);
	wt_json_u64(json, "transactions", rr->done);
	wt_json_number(json, "transactions_per_s", wt_rr_rate(rr));
	wt_json_number(json, "latency_min_s", (double)rr->least / 1e9);
	wt_json_number(json, "latency_mean_s", rr->done ? rr->sum / (double)rr->done / 1e9 : 0);
	wt_json_number(json, "latency_p50_s", percentile(rr, 50, 1e9));
	wt_json_number(json, "latency_p90_s", percentile(rr, 90, 1e9));
	wt_json_number(json, "latency_p95_s", percentile(rr, 95, 1e9));
	wt_json_number(json, "latency_p99_s", percentile(rr, 99, 1e9));
	wt_json_number(json, "latency_max_s", (double)rr->most / 1e9);
	wt_json_end(json);
}

void wt_rr_text(FILE *out, const struct wt_rr *rr)
{
	fprintf(out, "  rr   %" PRIu64 " transactions, %.1f per second; latency in ms: min %.3f, mean %.3f, p50 %.3f, p90 %.3f, p95 %.3f, "
		"p99 %.3f, max %.3f\n", rr->done, wt_rr_rate(rr), (double)rr->least / 1e6, rr->done ? rr->sum / (double)rr->done / 1e6 : 0,
		percentile(rr, 50, 1e6), percentile(rr, 90, 1e6), percentile(rr, 95, 1e6), percentile(rr, 99, 1e6), (double)rr->most / 1e6);
}
