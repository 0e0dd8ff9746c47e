/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cc/contest.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/random.h"
#include "stack/base/seq.h"
#include "stack/text/trace.h"
#include "tools/app/simulation.h"
#include "tools/results/stats.h"

#define SPREAD (100 * WT_MS) /* of the starts */
enum { SPAN = WT_CC_BINS / 20 };
#define FAIR 0.95

/* What the events of one connection come to. */
struct tally {
	struct wt_cc_lane *lane;
	double *rtt;   /* s, every sample */
	size_t samples, room;
	wt_seq iss, una;
	bool begun;
	unsigned in_bin[WT_CC_BINS];
};

struct watch {
	struct wt_trace_sink sink;
	const struct wt_cc_contest *contest;
	struct tally tally[WT_CC_FLOWS];
	bool no_memory;
};

static unsigned bin_of(const struct wt_cc_contest *contest, wt_time time)
{
	wt_time bin = time / (contest->time / WT_CC_BINS);

	return bin < WT_CC_BINS ? (unsigned)bin : WT_CC_BINS - 1;
}

static void add_rtt(struct watch *watch, struct tally *t, double rtt, unsigned bin)
{
	if (t->samples == t->room) {
		size_t room = t->room ? 2 * t->room : 1024;
		double *more = realloc(t->rtt, room * sizeof(*more));

		if (!more) {
			watch->no_memory = true;
			return;
		}
		t->rtt = more;
		t->room = room;
	}
	t->rtt[t->samples++] = rtt;
	t->lane->rtt[bin] = t->in_bin[bin]++ ? t->lane->rtt[bin] + rtt : rtt;
}

static void on_event(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct watch *watch = (struct watch *)(void *)((char *)sink - offsetof(struct watch, sink));
	struct tally *t;
	unsigned bin;

	if (!event->conn || event->conn > watch->contest->flows || event->time > watch->contest->time)
		return;
	t = &watch->tally[event->conn - 1];
	bin = bin_of(watch->contest, event->time);
	if (event->type == WT_TRACE_RTT)
		add_rtt(watch, t, (double)event->field[0] / 1e9, bin);
	if (event->type != WT_TRACE_METRICS)
		return;
	if (t->begun && wt_seq_gt((wt_seq)event->field[7], t->una))
		t->lane->delivered[bin] += (wt_seq)event->field[7] - t->una;
	t->una = (wt_seq)event->field[7];
	t->begun = true;
	t->lane->cwnd[bin] = (double)event->field[0];
}

static void settle(struct tally *t, const struct wt_bulk_sender *flow)
{
	struct wt_cc_lane *lane = t->lane;
	struct wt_mean mean = wt_mean_of(t->rtt, t->samples);

	lane->goodput = 8 * wt_bulk_goodput(flow);
	lane->resent = flow->info.segs_sent ? (double)flow->info.retransmits_segs / (double)flow->info.segs_sent : 0;
	lane->rtt_mean = t->samples ? mean.mean : NAN;
	lane->rtt_p99 = wt_quantile(t->rtt, t->samples, 0.99);
	for (unsigned i = 0; i < WT_CC_BINS; i++) {
		lane->rtt[i] = t->in_bin[i] ? lane->rtt[i] / t->in_bin[i] : NAN;
		if (i && isnan(lane->cwnd[i]))
			lane->cwnd[i] = lane->cwnd[i - 1];
	}
}

static int simulate(struct watch *watch, struct wt_simulation *simulation, struct wt_simulation_result *result, char *err, size_t err_len)
{
	const struct wt_cc_contest *contest = watch->contest;
	struct wt_key key = wt_key_derive(contest->seed, "compare");
	int error = wt_simulation_pair(simulation, contest->fwd, contest->rev, contest->flow[0], contest->flows, err, err_len);

	if (error)
		return error;
	simulation->world.seed = contest->seed;
	simulation->world.time = contest->time;
	simulation->sink[0] = &watch->sink;
	for (unsigned i = 0; i < contest->flows; i++) {
		struct wt_cc_lane *lane = watch->tally[i].lane;

		lane->start = (i ? contest->late : 0) + (wt_time)wt_random_below(&key, i, SPREAD);
		simulation->flow[i] = *contest->flow[i];
		simulation->world.flow[i].start = lane->start;
	}
	return wt_simulation_run(simulation, result, err, err_len);
}

int wt_cc_contest_run(const struct wt_cc_contest *contest, struct wt_cc_lane *lane, char *err, size_t err_len)
{
	struct watch *watch = calloc(1, sizeof(*watch));
	struct wt_simulation_result result;
	struct wt_simulation simulation;
	int error;

	snprintf(err, err_len, "out of memory");
	if (!watch)
		return -ENOMEM;
	*watch = (struct watch){.sink = {on_event}, .contest = contest};
	memset(lane, 0, contest->flows * sizeof(*lane));
	for (unsigned i = 0; i < contest->flows; i++) {
		watch->tally[i].lane = &lane[i];
		for (unsigned bin = 0; bin < WT_CC_BINS; bin++)
			lane[i].cwnd[bin] = NAN;
	}
	wt_simulation_init(&simulation);
	error = simulate(watch, &simulation, &result, err, err_len);
	for (unsigned i = 0; !error && i < contest->flows; i++)
		settle(&watch->tally[i], &result.flow[i]);
	if (!error) {
		wt_simulation_result_finish(&result);
		error = watch->no_memory ? -ENOMEM : 0;
	}
	wt_simulation_finish(&simulation);
	for (unsigned i = 0; i < contest->flows; i++)
		free(watch->tally[i].rtt);
	free(watch);
	return error;
}

double wt_cc_contest_jain(const struct wt_cc_lane *lane, unsigned lanes, unsigned from, unsigned to)
{
	double share[WT_CC_FLOWS] = {0};

	for (unsigned i = 0; i < lanes; i++)
		for (unsigned bin = from; bin < to; bin++)
			share[i] += lane[i].delivered[bin];
	return wt_jain(share, lanes);
}

double wt_cc_contest_convergence(const struct wt_cc_contest *contest, const struct wt_cc_lane *lane)
{
	wt_time last = 0;

	for (unsigned i = 0; i < contest->flows; i++)
		last = wt_time_max(last, lane[i].start);
	for (unsigned bin = bin_of(contest, last) + 1; bin + 2 * SPAN <= WT_CC_BINS; bin++)
		if (wt_cc_contest_jain(lane, contest->flows, bin, bin + SPAN) >= FAIR &&
		    wt_cc_contest_jain(lane, contest->flows, bin + SPAN, bin + 2 * SPAN) >= FAIR)
			return (double)bin * (double)contest->time / 1e9 / WT_CC_BINS - (double)last / 1e9;
	return NAN;
}
