/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/app/bulk_json.h"
#include "tools/results/stats.h"
#include "tools/sweep/lab.h"
#include "tools/sweep/point.h"

#define LAB_SECONDS 1.5 /* to bring one up and down */

static const char *const metrics[] = {"goodput_kBps", "connection_time_s", "sent_segs", "retransmits_segs", "fast_recoveries",
				      "timeouts", "ecn_reductions", "dropped_frames", "marked_frames", "frames", "simulated_s", "jain",
				      "rtt_s", "rtt_p95_s", "success_percent", "tokens_per_slot", "tokens_per_busy_slot", "tokens_per_round",
				      "tokens_kB", "tokens_spread",
				      "transactions_per_s", "latency_p50_s", "latency_p95_s", "latency_p99_s", "links_lost"};

const char *wt_sweep_metric_name(unsigned index)
{
	return index < sizeof(metrics) / sizeof(metrics[0]) ? metrics[index] : NULL;
}

bool wt_sweep_metric_known(const char *name)
{
	if (strchr(name, '.')) /* a path, which the first result may not have yet */
		return true;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
		if (!strcmp(metrics[i], name))
			return true;
	return false;
}

const char *wt_sweep_metric_lacks(const char *name, const struct wt_sweep *sweep, const struct wt_sweep_run *run)
{
	static const char *const ours[] = {"fast_recoveries", "timeouts", "ecn_reductions"};
	bool real_time = strcmp(sweep->backend, "sim") != 0;

	if (*run->world)
		return !strcmp(name, "success_percent") || !strncmp(name, "tokens_", 7) || !strncmp(name, "latency_", 8) ||
		       !strcmp(name, "transactions_per_s") ? "a path of two hosts, not a world" : NULL;
	if (!strcmp(name, "links_lost"))
		return "a world of stations";
	if (!strcmp(name, "success_percent"))
		return run->flow.plays ? NULL : "app = playback";
	if (!strcmp(name, "transactions_per_s") || !strncmp(name, "latency_", 8))
		return run->flow.asks ? NULL : "app = rr";
	if (!strncmp(name, "tokens_", 7))
		return run->counts ? NULL : "tokens = tokens";
	if (!strcmp(name, "simulated_s"))
		return real_time ? "backend = sim" : NULL;
	for (unsigned i = 0; i < sizeof(ours) / sizeof(ours[0]) && *run->kernel; i++)
		if (!strcmp(name, ours[i]))
			return "our own stack: the kernel does not tell it";
	return NULL;
}

const char *wt_sweep_metrics(char *text, size_t len)
{
	size_t at = 0;

	*text = '\0';
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && at < len; i++)
		at += (size_t)snprintf(text + at, len - at, "%s%s", i ? ", " : "", metrics[i]);
	return text;
}

static const char *outcome_name(enum wt_sweep_outcome outcome)
{
	return outcome == WT_SWEEP_OK ? "ok" : outcome == WT_SWEEP_INVALID ? "invalid" : "failed";
}

FILE *wt_sweep_result_open(struct wt_sweep_result *result, struct wt_json *json)
{
	FILE *file = fmemopen(result->text, sizeof(result->text), "w");

	if (file)
		wt_json_init(json, file);
	return file;
}

void wt_sweep_result_head(struct wt_json *json, enum wt_sweep_outcome outcome, const char *why)
{
	wt_json_object(json, NULL);
	wt_json_string(json, "outcome", outcome_name(outcome));
	wt_json_string(json, "why", why && *why ? why : NULL);
}

void wt_sweep_result_close(struct wt_sweep_result *result, struct wt_json *json, enum wt_sweep_outcome outcome)
{
	bool whole;

	wt_json_end(json);
	whole = fflush(json->out) == 0 && !ferror(json->out);
	fclose(json->out);
	result->outcome = outcome;
	result->len = (uint32_t)strcspn(result->text, "\n");
	result->text[result->len] = '\0';
	if (!whole)
		wt_sweep_fail(result, WT_SWEEP_FAILED, "the result is too large");
}

void wt_sweep_fail(struct wt_sweep_result *result, enum wt_sweep_outcome outcome, const char *why)
{
	struct wt_json json;

	if (!wt_sweep_result_open(result, &json))
		return;
	wt_sweep_result_head(&json, outcome, why);
	wt_json_object(&json, "metrics");
	wt_json_end(&json);
	wt_sweep_result_close(result, &json, outcome);
}

/* Of those that ask: the mean over the flows of each one's rate and percentiles. */
static void rr_json(struct wt_json *json, const struct wt_simulation_result *result, bool ok)
{
	static const double percent[] = {50, 95, 99};
	static const char *const names[] = {"latency_p50_s", "latency_p95_s", "latency_p99_s"};
	double rate = 0, latency[3] = {0};

	for (unsigned i = 0; i < result->flows; i++) {
		rate += wt_rr_rate(&result->rr[i]) / result->flows;
		for (unsigned k = 0; k < 3; k++)
			latency[k] += (double)wt_rr_percentile(&result->rr[i], 0, UINT32_MAX, percent[k]) / 1e9 / result->flows;
	}
	wt_json_number(json, "transactions_per_s", ok ? rate : NAN);
	for (unsigned k = 0; k < 3; k++)
		wt_json_number(json, names[k], ok ? latency[k] : NAN);
}

/* Of players: successes of all in % of their attempts. Of a meter: the mean of each unit. */
static void app_json(struct wt_json *json, const struct wt_simulation *simulation, const struct wt_simulation_result *result, bool ok)
{
	static const char *const units[] = {"tokens_per_slot", "tokens_per_busy_slot", "tokens_per_round"};
	double sum = 0;

	if (!result->flows)
		return;
	for (unsigned i = 0; i < result->flows && simulation->flow[0].plays; i++)
		sum += wt_playback_success(&result->flow[i].result);
	if (simulation->flow[0].plays)
		wt_json_number(json, "success_percent", ok ? sum / result->flows : NAN);
	if (simulation->flow[0].asks)
		rr_json(json, result, ok);
	for (unsigned i = 0; i < WT_TOKEN_UNITS && simulation->tokens; i++)
		wt_json_number(json, units[i], ok ? result->tokens[i].mean : NAN);
	if (simulation->tokens) { /* per what the words say */
		wt_json_number(json, "tokens_kB", ok ? result->tokens[simulation->tokens->per].mean : NAN);
		wt_json_number(json, "tokens_spread", ok ? result->tokens[simulation->tokens->per].spread : NAN);
	}
}

/* Of TCP flows: the mean of their mean round trips, and what 95 % of all their round trips stayed below (to one part in sixteen). */
static void rtt_json(struct wt_json *json, const struct wt_simulation_result *result, bool ok)
{
	struct wt_histogram all = {0};
	double rtt = 0;
	unsigned flows = 0;

	for (unsigned i = 0; i < result->flows; i++)
		if (!wt_simulation_is_datagrams(result, i) && result->flow[i].info.mean_rtt > 0) {
			rtt += (double)result->flow[i].info.mean_rtt / 1e9;
			wt_histogram_merge(&all, &result->flow[i].rtts);
			flows++;
		}
	wt_json_number(json, "rtt_s", ok && flows ? rtt / flows : NAN);
	wt_json_number(json, "rtt_p95_s", ok && all.count ? (double)wt_histogram_below(&all, 0.95) / 1e9 : NAN);
	wt_histogram_finish(&all);
}

/* Of stations: links that the air said to be broken, a frame given up each. */
static void air_json(struct wt_json *json, const struct wt_simulation *simulation, const struct wt_simulation_result *result)
{
	uint64_t lost = 0;

	if (!result->air)
		return;
	for (unsigned i = 0; i < simulation->world.air.stations; i++)
		lost += result->air[i].turned[WT_AIR_GIVEN_UP];
	wt_json_u64(json, "links_lost", lost);
}

static void metrics_json(struct wt_json *json, const struct wt_simulation *simulation, const struct wt_simulation_result *result, bool ok)
{
	uint64_t recoveries = 0, timeouts = 0, reductions = 0, dropped = 0;
	struct wt_flow_sum sum = wt_simulation_sum(result);
	double longest = 0;

	for (unsigned i = 0; i < result->flows; i++) {
		const struct wt_bulk_sender *s = &result->flow[i];
		double time = s->acked > s->start ? (double)(s->acked - s->start) / 1e9 : 0;

		if (wt_simulation_is_datagrams(result, i))
			continue;
		longest = time > longest ? time : longest;
		recoveries += s->info.fast_recoveries;
		timeouts += s->info.timeouts;
		reductions += s->info.ecn_reductions;
	}
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		dropped += result->dropped[i];
	wt_json_object(json, "metrics");
	wt_json_number(json, "goodput_kBps", ok ? wt_flow_sum_goodput(&sum) / 1000 : NAN);
	wt_json_number(json, "connection_time_s", ok ? longest : NAN);
	wt_json_u64(json, "sent_segs", sum.segs);
	wt_json_u64(json, "retransmits_segs", sum.retransmits_segs);
	wt_json_u64(json, "fast_recoveries", recoveries);
	wt_json_u64(json, "timeouts", timeouts);
	wt_json_u64(json, "ecn_reductions", reductions);
	wt_json_u64(json, "dropped_frames", dropped);
	wt_json_u64(json, "marked_frames", result->marked);
	wt_json_u64(json, "frames", result->frames);
	wt_json_number(json, "simulated_s", (double)result->simulated / 1e9);
	wt_json_number(json, "jain", ok ? wt_flow_sum_jain(&sum) : NAN);
	rtt_json(json, result, ok);
	air_json(json, simulation, result);
	app_json(json, simulation, result, ok);
	wt_json_end(json);
}

/* Of many flows the numbers that one compares: all of all would not fit. */
static void short_json(struct wt_json *json, const struct wt_bulk_sender *s)
{
	wt_json_string(json, "outcome", wt_bulk_outcome(s));
	wt_json_number(json, "goodput_kBps", wt_bulk_goodput(s) / 1000);
	wt_json_u64(json, "sent_segs", s->info.segs_sent);
	wt_json_u64(json, "retransmits_segs", s->info.retransmits_segs);
	wt_json_u64(json, "timeouts", s->info.timeouts);
	wt_json_number(json, "srtt_s", (double)s->info.srtt / 1e9);
}

/* {"tcp1": {...}}: by name, so that a metric is a path, flow.tcp1.goodput_kBps. */
static void flows_json(struct wt_json *json, const struct wt_simulation *simulation, const struct wt_simulation_result *result)
{
	wt_json_object(json, "flow");
	for (unsigned i = 0; i < result->flows; i++) {
		wt_json_object(json, simulation->world.flow[i].name);
		if (wt_simulation_is_datagrams(result, i)) {
			struct wt_cbr_report report = wt_cbr_report_of(&result->datagram_sink[i]);

			wt_cbr_json(json, &result->datagram_sender[i], &report);
		} else {
			(result->flows > WT_SWEEP_FLOWS_WHOLE ? short_json : wt_bulk_json)(json, &result->flow[i]);
		}
		wt_flow_ways_json(json, &simulation->world, i, result->simulated);
		wt_json_end(json);
	}
	wt_json_end(json);
}

/* {"narrow": {"fwd": {...}, "rev": {...}}} */
static void hops_json(struct wt_json *json, const struct wt_simulation *simulation, const struct wt_simulation_result *result)
{
	wt_json_object(json, "hop");
	for (unsigned i = 0; i < result->links; i++) {
		wt_json_object(json, simulation->world.link[i].name);
		for (unsigned d = 0; d < 2; d++) {
			wt_json_object(json, d ? "rev" : "fwd");
			wt_hop_books_json(json, &result->hop[i][d]);
			wt_json_end(json);
		}
		wt_json_end(json);
	}
	wt_json_end(json);
}

static void simulation_json(struct wt_sweep_result *out, const struct wt_simulation *simulation, const struct wt_simulation_result *result)
{
	bool ok = wt_simulation_ok(result);
	struct wt_json json;
	char why[200] = "";

	if (result->out_of_time)
		snprintf(why, sizeof(why), "not finished after %.0f simulated seconds", (double)result->simulated / 1e9);
	else if (!ok)
		snprintf(why, sizeof(why), "%s%s%s", wt_bulk_fail_text(result->fail), result->error ? ": " : "",
			 result->error ? strerror(-result->error) : "");
	if (!wt_sweep_result_open(out, &json))
		return;
	wt_sweep_result_head(&json, ok ? WT_SWEEP_OK : WT_SWEEP_FAILED, why);
	metrics_json(&json, simulation, result, ok);
	wt_json_object(&json, "dropped_frames");
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		if (result->dropped[i])
			wt_json_u64(&json, wt_drop_name(i), result->dropped[i]);
	wt_json_end(&json);
	flows_json(&json, simulation, result);
	if (simulation->world.links > 1)
		hops_json(&json, simulation, result);
	wt_sweep_result_close(out, &json, ok ? WT_SWEEP_OK : WT_SWEEP_FAILED);
}

/* 0: it ran, and the result is to be finished; the simulation is, in any case. */
static int simulate(struct wt_sweep_run *run, uint64_t seed, struct wt_simulation *simulation, struct wt_simulation_result *result,
		    const volatile int *stop, char *err, size_t err_len)
{
	int error = wt_sweep_simulation(run, seed, simulation, err, err_len);

	simulation->interrupt = stop;
	return error ? error : wt_simulation_run(simulation, result, err, err_len);
}

static void work_sim(struct wt_sweep_run *run, uint64_t seed, struct wt_sweep_result *out, const volatile int *stop)
{
	struct wt_simulation_result result;
	struct wt_simulation simulation;
	char err[300];

	if (simulate(run, seed, &simulation, &result, stop, err, sizeof(err))) {
		wt_sweep_fail(out, WT_SWEEP_FAILED, err);
	} else {
		out->wall = result.wall_s;
		if (result.interrupted)
			out->outcome = WT_SWEEP_STOPPED;
		else
			simulation_json(out, &simulation, &result);
		wt_simulation_result_finish(&result);
	}
	wt_simulation_finish(&simulation);
}

void wt_sweep_work(const struct wt_sweep *sweep, uint32_t point, uint64_t repeat, struct wt_sweep_result *result, const volatile int *stop)
{
	struct wt_sweep_run *run = malloc(sizeof(*run));
	char err[600] = "no memory";

	memset(result, 0, offsetof(struct wt_sweep_result, text));
	if (!run || wt_sweep_resolve(sweep, point, run, err, sizeof(err)))
		wt_sweep_fail(result, WT_SWEEP_FAILED, err);
	else if (strcmp(sweep->backend, "sim") != 0)
		wt_sweep_lab_work(sweep, run, sweep->seed + repeat, result, stop);
	else
		work_sim(run, sweep->seed + repeat, result, stop);
	free(run);
}

/* The kernel's stack is taken for ours: the path decides most of the time. */
void wt_sweep_predict(const struct wt_sweep *sweep, uint32_t point, struct wt_sweep_result *result, const volatile int *stop)
{
	struct wt_sweep_run *run = malloc(sizeof(*run));
	struct wt_simulation_result predicted;
	struct wt_simulation simulation;
	char err[600];

	memset(result, 0, offsetof(struct wt_sweep_result, text));
	if (run && !wt_sweep_resolve(sweep, point, run, err, sizeof(err))) {
		if (!simulate(run, sweep->seed, &simulation, &predicted, stop, err, sizeof(err))) {
			result->wall = (double)predicted.simulated / 1e9 + LAB_SECONDS;
			simulation_json(result, &simulation, &predicted);
			if (predicted.interrupted)
				result->outcome = WT_SWEEP_STOPPED;
			wt_simulation_result_finish(&predicted);
		}
		wt_simulation_finish(&simulation);
	}
	free(run);
}
