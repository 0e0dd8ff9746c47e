/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/token_meter.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/base/seq.h"

static const char *const units[] = {"slot", "busy", "round", NULL};

#define FIELD(name, type, text, min, max, words) \
	{#name, WT_PARAM_##type, offsetof(struct wt_token_config, name), text, min, max, words}

static const struct wt_param params[] = {
	FIELD(token, SIZE, "bytes of a frame that make one token", 1, 1 << 30, NULL),
	FIELD(slot, TIME, "the path's own round trip", 1e3, 1e12, NULL),
	FIELD(per, WORD, "what is traced", 0, 0, units),
};

int wt_token_parse(const char *words, struct wt_token_config *config, char *err, size_t err_len)
{
	static const char name[] = "tokens";
	size_t len = sizeof(name) - 1;

	*config = (struct wt_token_config){.token = 1078, .slot = 30 * WT_MS};
	if (strncmp(words, name, len) || (words[len] && words[len] != ':')) {
		snprintf(err, err_len, "'%s': expected tokens, as in tokens:token=1078B,slot=30ms,per=round", words);
		return -EINVAL;
	}
	return wt_param_set_list(params, sizeof(params) / sizeof(params[0]), config, words[len] ? words + len + 1 : "", err, err_len);
}

static void add(struct wt_token_meter *meter, enum wt_token_unit unit, wt_time from, wt_time to, double tokens)
{
	meter->sums[unit].n++;
	meter->sums[unit].sum += tokens;
	meter->sums[unit].squares += tokens * tokens;
	if (meter->trace && meter->config.per == unit)
		fprintf(meter->trace, "%.6f,%.6f,%.4f\r\n", (double)from / 1e9, (double)(to - from) / 1e9, tokens);
}

/* Slots up to the one of `now` are over; what none has seen yet were idle. */
static void pass_slots(struct wt_token_meter *meter, int64_t until)
{
	wt_time length = meter->config.slot;

	for (; meter->slot < until; meter->slot++) {
		wt_time from = meter->slot * length;

		add(meter, WT_TOKEN_SLOT, from, from + length, meter->slot_tokens);
		if (meter->slot_tokens > 0)
			add(meter, WT_TOKEN_BUSY, from, from + length, meter->slot_tokens);
		meter->slot_tokens = 0;
	}
}

/* Of a frame of ours: TCP in IPv4, whole headers. */
static wt_seq sequence(const struct wt_frame *frame)
{
	return wt_get32(wt_frame_head(frame) + 14 + (wt_frame_head(frame)[14] & 0x0f) * 4 + 4);
}

static void consumed(struct wt_rate_log *log, const struct wt_node *node, wt_time time, const struct wt_frame *frame, uint64_t bytes)
{
	struct wt_token_meter *meter = (struct wt_token_meter *)log;
	double tokens = (double)bytes / (double)meter->config.token;
	struct wt_tcp_info info;

	if (!meter->flow->tcp || meter->flow->acked) /* the result's acknowledgements are no part of it */
		return;
	pass_slots(meter, time / meter->config.slot);
	meter->slot_tokens += tokens;
	wt_tcp_info(meter->flow->tcp, &info);
	if (meter->in_round && wt_seq_ge(info.snd_una, meter->mark)) {
		add(meter, WT_TOKEN_ROUND, meter->round_from, time, meter->round_tokens);
		meter->in_round = false;
	}
	if (!meter->in_round) {
		meter->in_round = true;
		meter->round_from = time;
		meter->round_tokens = 0;
		meter->mark = sequence(frame) + 1;
	}
	meter->round_tokens += tokens;
	meter->last = time;
}

int wt_token_watch(struct wt_token_meter *meter, const struct wt_token_config *config, struct wt_path *path,
		   const struct wt_bulk_sender *flow, FILE *trace, char *err, size_t err_len)
{
	memset(meter, 0, sizeof(*meter));
	meter->log.consumed = consumed;
	meter->config = *config;
	meter->flow = flow;
	meter->trace = trace;
	for (unsigned i = 0; i < path->count; i++)
		if (!strcmp(path->stage[i]->name, "fwd.rate")) {
			if (trace)
				fputs("from_s,duration_s,tokens_kB\r\n", trace);
			wt_rate_set_log(path->stage[i], &meter->log);
			return 0;
		}
	snprintf(err, err_len, "--tokens requires a rate on the path from the sender");
	return -EINVAL;
}

void wt_token_finish(struct wt_token_meter *meter, struct wt_token_count count[WT_TOKEN_UNITS])
{
	wt_time end = meter->flow->acked ? meter->flow->acked : meter->last;

	pass_slots(meter, end / meter->config.slot + 1);
	if (meter->in_round)
		add(meter, WT_TOKEN_ROUND, meter->round_from, end, meter->round_tokens);
	for (unsigned i = 0; i < WT_TOKEN_UNITS; i++) {
		double n = (double)meter->sums[i].n, mean = n ? meter->sums[i].sum / n : NAN;
		double variance = n ? meter->sums[i].squares / n - mean * mean : NAN;

		count[i] = (struct wt_token_count){meter->sums[i].n, mean, mean > 0 ? sqrt(variance > 0 ? variance : 0) / mean : NAN};
	}
}
