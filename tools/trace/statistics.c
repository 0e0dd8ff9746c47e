/* SPDX-License-Identifier: BSD-2-Clause */
/* What a journal amounts to: per connection of a host, and the drops by node and cause. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cc/cc.h"
#include "stack/base/ecn.h"
#include "stack/record/json.h"
#include "tools/results/trace_file.h"

/* A quantity that keeps its value until it changes: its mean is over time. */
struct gauge {
	bool set;
	double value, min, max, area, from, since, mean;
};

struct numbers {
	wt_time first, last;
	uint64_t sent, payload, received, retransmits, acked, losses, timeouts, marked, reductions;
	struct gauge cwnd, in_flight, pacing, own[WT_CC_GAUGES];
	char names[WT_CC_GAUGES][32]; /* of own */
	unsigned owns;
	double now;
	double *rtt; /* ms */
	size_t rtts, room;
};

struct drops {
	char node[48], cause[32];
	uint64_t frames, bytes;
};

#define KINDS_OF_DROPS 64

struct stats {
	const struct wt_trace_flows *flows;
	struct numbers *numbers; /* by flow */
	struct drops drops[KINDS_OF_DROPS];
	unsigned kinds;
};

static void gauge_to(struct gauge *gauge, double time, double value)
{
	if (!gauge->set)
		*gauge = (struct gauge){true, value, value, value, 0, time, time, value};
	gauge->area += gauge->value * (time - gauge->since);
	gauge->value = value;
	gauge->since = time;
	gauge->min = fmin(gauge->min, value);
	gauge->max = fmax(gauge->max, value);
}

/* A number that the congestion module shows, under its own name. */
static void own_gauge(void *arg, const char *name, double value)
{
	struct numbers *n = arg;
	unsigned i = 0;

	while (i < n->owns && strcmp(n->names[i], name))
		i++;
	if (i == WT_CC_GAUGES)
		return;
	if (i == n->owns)
		snprintf(n->names[n->owns++], sizeof(n->names[0]), "%s", name);
	gauge_to(&n->own[i], n->now, value);
}

static int add_rtt(struct numbers *numbers, double value)
{
	if (numbers->rtts == numbers->room) {
		size_t room = numbers->room ? numbers->room * 2 : 256;
		double *grown = realloc(numbers->rtt, room * sizeof(double));

		if (!grown)
			return -ENOMEM;
		numbers->rtt = grown;
		numbers->room = room;
	}
	numbers->rtt[numbers->rtts++] = value;
	return 0;
}

static void add_drop(struct stats *stats, const struct wt_trace_line *line)
{
	const char *node = wt_trace_string(line->data, "node"), *cause = wt_trace_string(line->data, "cause");
	unsigned i = 0;

	while (i < stats->kinds && (strcmp(stats->drops[i].node, node) || strcmp(stats->drops[i].cause, cause)))
		i++;
	if (i == KINDS_OF_DROPS)
		return;
	if (i == stats->kinds) {
		stats->kinds++;
		snprintf(stats->drops[i].node, sizeof(stats->drops[i].node), "%s", node);
		snprintf(stats->drops[i].cause, sizeof(stats->drops[i].cause), "%s", cause);
	}
	stats->drops[i].frames++;
	stats->drops[i].bytes += wt_trace_u64(line->data, "len_bytes");
}

static int count(void *arg, const struct wt_trace_line *line)
{
	struct stats *stats = arg;
	struct numbers *n = NULL;
	double time = (double)line->time / 1e9;
	uint64_t acked;

	if (line->type == WT_LINE_DROP)
		add_drop(stats, line);
	for (unsigned i = 0; i < stats->flows->count && !n; i++)
		if (stats->flows->flow[i].conn == line->conn && !strcmp(stats->flows->flow[i].host, line->host))
			n = &stats->numbers[i];
	if (!n || line->type >= WT_TRACE_TYPES)
		return 0;
	if (n->first < 0)
		n->first = line->time;
	n->last = line->time;
	switch (line->type) {
	case WT_TRACE_SENT:
		n->sent++;
		n->payload += line->field[1] > 0;
		n->retransmits += line->field[5] == 2;
		break;
	case WT_TRACE_RECEIVED:
		n->received++;
		n->marked += line->field[5] == WT_ECN_CE;
		break;
	case WT_TRACE_METRICS:
		gauge_to(&n->cwnd, time, (double)line->field[0]);
		gauge_to(&n->in_flight, time, (double)line->field[2]);
		gauge_to(&n->pacing, time, (double)line->field[6]);
		n->now = time;
		wt_trace_gauges(line, own_gauge, n);
		acked = (uint32_t)((uint32_t)line->field[7] - stats->flows->flow[n - stats->numbers].iss) - 1;
		if (acked > n->acked && acked < 1u << 31)
			n->acked = acked;
		break;
	case WT_TRACE_LOSS:
		n->losses++;
		break;
	case WT_TRACE_ECN:
		n->reductions++;
		break;
	case WT_TRACE_RTO:
		n->timeouts++;
		break;
	case WT_TRACE_RTT:
		return add_rtt(n, (double)line->field[0] / 1e6);
	}
	return 0;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const struct numbers *n, double share)
{
	return n->rtts ? n->rtt[(size_t)((double)(n->rtts - 1) * share + 0.5)] : NAN;
}

static double mean(const struct gauge *gauge)
{
	return gauge->set ? gauge->mean : NAN;
}

static void finish(struct numbers *n)
{
	double end = (double)n->last / 1e9;
	struct gauge *gauges[3 + WT_CC_GAUGES] = {&n->cwnd, &n->in_flight, &n->pacing};

	if (n->rtts) /* no sample, no array */
		qsort(n->rtt, n->rtts, sizeof(double), rising);
	for (unsigned i = 0; i < n->owns; i++)
		gauges[3 + i] = &n->own[i];
	for (unsigned i = 0; i < 3 + n->owns; i++) {
		struct gauge *gauge = gauges[i];

		if (!gauge->set || end <= gauge->from)
			continue;
		gauge_to(gauge, end, gauge->value);
		gauge->mean = gauge->area / (end - gauge->from);
	}
}

static void print_flow(FILE *out, const struct wt_trace_flow *flow, const struct numbers *n)
{
	double seconds = (double)(n->last - n->first) / 1e9;

	fprintf(out, "%s connection %" PRIu32 ": %.3f s", flow->host, flow->conn, seconds);
	if (n->acked && seconds > 0)
		fprintf(out, ", %" PRIu64 " bytes acknowledged, %.2f KB/s", n->acked, (double)n->acked / seconds / 1e3);
	fprintf(out, "\n  segments   %" PRIu64 " sent, %" PRIu64 " of them with payload, %" PRIu64 " again; %" PRIu64 " received\n", n->sent,
		n->payload, n->retransmits, n->received);
	fprintf(out, "  losses     %" PRIu64 " detected, %" PRIu64 " timeouts\n", n->losses, n->timeouts);
	if (n->marked || n->reductions)
		fprintf(out, "  ecn        %" PRIu64 " came marked, %" PRIu64 " reductions because the peer said so\n", n->marked,
			n->reductions);
	if (n->rtts)
		fprintf(out, "  rtt        min %.3f, median %.3f, p95 %.3f, max %.3f ms of %zu samples\n", quantile(n, 0),
			quantile(n, 0.5), quantile(n, 0.95), quantile(n, 1), n->rtts);
	if (n->cwnd.set)
		fprintf(out, "  cwnd       min %.0f, mean %.0f, max %.0f bytes; in flight max %.0f\n", n->cwnd.min, mean(&n->cwnd),
			n->cwnd.max, n->in_flight.max);
	if (n->pacing.set && n->pacing.max > 0)
		fprintf(out, "  pacing     min %.0f, mean %.0f, max %.0f bytes per second\n", n->pacing.min, mean(&n->pacing), n->pacing.max);
	for (unsigned i = 0; i < n->owns; i++)
		fprintf(out, "  %-10s min %g, mean %.6g, max %g\n", n->names[i], n->own[i].min, mean(&n->own[i]), n->own[i].max);
}

static void json_gauge(struct wt_json *json, const char *key, const struct gauge *gauge)
{
	wt_json_object(json, key);
	wt_json_number(json, "min", gauge->set ? gauge->min : NAN);
	wt_json_number(json, "mean", mean(gauge));
	wt_json_number(json, "max", gauge->set ? gauge->max : NAN);
	wt_json_end(json);
}

static void json_flow(struct wt_json *json, const struct wt_trace_flow *flow, const struct numbers *n)
{
	wt_json_object(json, NULL);
	wt_json_string(json, "host", flow->host);
	wt_json_u64(json, "conn", flow->conn);
	wt_json_number(json, "duration_s", (double)(n->last - n->first) / 1e9);
	wt_json_u64(json, "acked_bytes", n->acked);
	wt_json_u64(json, "sent_segs", n->sent);
	wt_json_u64(json, "payload_segs", n->payload);
	wt_json_u64(json, "retransmits_segs", n->retransmits);
	wt_json_u64(json, "received_segs", n->received);
	wt_json_u64(json, "losses", n->losses);
	wt_json_u64(json, "timeouts", n->timeouts);
	wt_json_u64(json, "marked_segs", n->marked);
	wt_json_u64(json, "ecn_reductions", n->reductions);
	wt_json_u64(json, "rtt_samples", n->rtts);
	wt_json_object(json, "rtt_ms");
	wt_json_number(json, "min", quantile(n, 0));
	wt_json_number(json, "median", quantile(n, 0.5));
	wt_json_number(json, "p95", quantile(n, 0.95));
	wt_json_number(json, "max", quantile(n, 1));
	wt_json_end(json);
	json_gauge(json, "cwnd_bytes", &n->cwnd);
	json_gauge(json, "in_flight_bytes", &n->in_flight);
	json_gauge(json, "pacing_rate_Bps", &n->pacing);
	for (unsigned i = 0; i < n->owns; i++)
		json_gauge(json, n->names[i], &n->own[i]);
	wt_json_end(json);
}

/* None in a journal that cannot hold any is no evidence. */
static bool knows_drops(const struct stats *stats)
{
	return stats->kinds || wt_trace_sees_path(stats->flows);
}

static void print_json_drops(struct wt_json *json, const struct stats *stats)
{
	wt_json_array(json, "drops");
	for (unsigned i = 0; i < stats->kinds; i++) {
		wt_json_object(json, NULL);
		wt_json_string(json, "node", stats->drops[i].node);
		wt_json_string(json, "cause", stats->drops[i].cause);
		wt_json_u64(json, "frames", stats->drops[i].frames);
		wt_json_u64(json, "bytes", stats->drops[i].bytes);
		wt_json_end(json);
	}
	wt_json_end(json);
}

static void print_json(FILE *out, const struct stats *stats)
{
	struct wt_json json;

	wt_json_init(&json, out);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.trace.1");
	wt_json_u64(&json, "events", stats->flows->lines);
	wt_json_array(&json, "connections");
	for (unsigned i = 0; i < stats->flows->count; i++)
		json_flow(&json, &stats->flows->flow[i], &stats->numbers[i]);
	wt_json_end(&json);
	if (!knows_drops(stats))
		wt_json_string(&json, "drops", NULL);
	else
		print_json_drops(&json, stats);
	wt_json_end(&json);
}

int wt_trace_stats(FILE *out, const char *path, const struct wt_trace_flows *flows, bool json, char *err, size_t err_len)
{
	struct stats stats = {.flows = flows, .numbers = calloc(flows->count + 1, sizeof(struct numbers))};
	int result = -ENOMEM;

	snprintf(err, err_len, "no memory");
	for (unsigned i = 0; i < flows->count && stats.numbers; i++)
		stats.numbers[i].first = -1;
	if (stats.numbers)
		result = wt_trace_read(path, count, &stats, err, err_len);
	for (unsigned i = 0; i < flows->count && !result; i++)
		finish(&stats.numbers[i]);
	if (!result && json) {
		print_json(out, &stats);
	} else if (!result) {
		for (unsigned i = 0; i < flows->count; i++)
			print_flow(out, &flows->flow[i], &stats.numbers[i]);
		for (unsigned i = 0; i < stats.kinds; i++)
			fprintf(out, "dropped at %s, %s: %" PRIu64 " frames, %" PRIu64 " bytes\n", stats.drops[i].node,
				stats.drops[i].cause, stats.drops[i].frames, stats.drops[i].bytes);
		if (!knows_drops(&stats))
			fprintf(out, "drops are not known: this journal holds no events of the path\n");
	}
	for (unsigned i = 0; i < flows->count && stats.numbers; i++)
		free(stats.numbers[i].rtt);
	free(stats.numbers);
	return result;
}
