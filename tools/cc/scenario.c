/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/cc/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/samples.h"
#include "stack/base/seq.h"
#include "stack/text/trace.h"
#include "tools/app/simulation.h"
#include "tools/words/tcp_words.h"

#define MSS WT_CC_SCENARIO_MSS
#define LIST "drops" /* under this name the numbers stand in the cache of files */

const struct wt_cc_scenario wt_cc_scenarios[] = {
	{"limited", "window limited, no loss", 20, 30, 10, 0, 1, 0, {0}, false},
	{"overflow", "not limited: the queue overflows", 58, 1000, 10, 0, 1, 0, {0}, false},
	{"one-drop", "one drop", 20, 60, 10, 200, 1, 200, {0}, false},
	{"three-apart", "three apart", 20, 60, 10, 200, 1, 200, {1000, 3000}, false},
	{"three-in-a-row", "three in a row", 20, 60, 10, 200, 1, 202, {0}, false},
	{"eight-in-a-window", "eight in a window", 20, 60, 10, 200, 2, 214, {0}, false},
	{"lost-retransmission", "a lost retransmission", 20, 60, 10, 200, 1, 200, {0}, true},
	{"every-200th", "every 200th, 100 Mbit/s", 180, 1000, 100, 200, 200, 149800, {0}, false},
	{"every-2000th", "every 2000th, 100 Mbit/s", 120, 1000, 100, 2000, 2000, 398000, {0}, false},
	{NULL, NULL, 0, 0, 0, 0, 0, 0, {0}, false},
};

/* One run. The sender's events come as to any sink. */
struct run {
	struct wt_trace_sink sink;
	const struct wt_cc_scenario *scenario;
	void (*sample)(void *arg, const struct wt_cc_sample *sample); /* NULL: only the copy is wanted */
	void *arg;
	struct wt_cc_sample now;
	wt_time end;
	wt_seq iss;
	bool begun;
	uint32_t sent, copies; /* data packets; of the first that is lost */
	uint32_t copy;         /* the number that its second transmission had */
};

static uint64_t packets(const struct run *run, uint64_t una)
{
	uint32_t bytes = (uint32_t)una - run->iss - 1;

	return bytes > UINT32_MAX / 2 ? 0 : bytes / MSS;
}

static void note_sent(struct run *run, const struct wt_trace_event *event)
{
	if (!run->begun)
		run->iss = (wt_seq)event->field[0];
	run->begun = true;
	if (!event->field[1])
		return;
	run->sent++;
	if (((uint32_t)event->field[0] - run->iss - 1) / MSS + 1 == run->scenario->first && ++run->copies == 2)
		run->copy = run->sent;
}

static void tell(struct run *run, const struct wt_trace_event *event, const char *name, uint64_t una, uint64_t cwnd)
{
	run->now.time = event->time;
	run->now.event = name;
	run->now.cwnd = (uint32_t)cwnd;
	if (packets(run, una) > run->now.acked)
		run->now.acked = packets(run, una);
	if (run->sample && event->time <= run->end)
		run->sample(run->arg, &run->now);
}

static void on_event(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct run *run = (struct run *)(void *)((char *)sink - offsetof(struct run, sink));
	const uint64_t *field = event->field;

	switch (event->type) {
	case WT_TRACE_SENT: note_sent(run, event); break;
	case WT_TRACE_METRICS:
		run->now.ssthresh = (uint32_t)field[1];
		run->now.flight = (uint32_t)field[2];
		tell(run, event, "ack", field[7], field[0]);
		break;
	case WT_TRACE_LOSS: tell(run, event, "loss", field[0], field[2]); break;
	case WT_TRACE_RTO: tell(run, event, "timeout", field[0], field[3]); break;
	case WT_TRACE_RECOVERED: tell(run, event, "recovered", field[0], field[1]); break;
	case WT_TRACE_ECN: tell(run, event, "mark", field[0], field[2]); break;
	case WT_TRACE_UNDONE:
		run->now.ssthresh = (uint32_t)field[2];
		tell(run, event, "undo", field[0], field[1]);
		break;
	}
}

/* The numbers of lost frames, as if they had been read from a file. The first frame is the SYN. */
static int put_drops(struct wt_simulation *simulation, const struct wt_cc_scenario *s, uint32_t copy)
{
	uint32_t regular = s->first ? (s->last - s->first) / s->step + 1 : 0, count = 0;
	struct wt_samples *samples = calloc(1, sizeof(*samples));
	const uint32_t more[] = {copy, s->also[0], s->also[1]};

	simulation->world.cache = calloc(1, sizeof(*simulation->world.cache));
	if (!samples || !simulation->world.cache || !(samples->name = strdup(LIST)) ||
	    !(samples->value = calloc(regular + 3, 2 * sizeof(*samples->value)))) {
		wt_samples_release(samples);
		return -ENOMEM;
	}
	samples->kind = WT_SAMPLES_NUMBERS;
	for (uint32_t i = 0; i < regular; i++, count++)
		samples->value[2 * count] = samples->value[2 * count + 1] = s->first + i * s->step + 1;
	for (uint32_t i = 0; i < 3; i++)
		if (more[i]) {
			samples->value[2 * count] = samples->value[2 * count + 1] = more[i] + 1;
			count++;
		}
	samples->count = 2 * count; /* values */
	wt_samples_put(simulation->world.cache, samples);
	return 0;
}

static int resolve(const struct wt_cc_scenario *scenario, const struct wt_cc_scenario_words *words, struct wt_app_flow *flow, char *err,
		   size_t err_len)
{
	char settings[256];
	struct wt_tcp_words a, b;
	int error;

	snprintf(settings, sizeof(settings), "mss=1000B,timestamps=off,initial_window=2,slow_start_limit=1,ack_every=1,snd_buffer=1MiB,rcv_buffer=%uB,"
		 "window_scaling=%s", scenario->window * MSS, scenario->window * MSS > 65535 ? "on" : "off");
	wt_tcp_config_init(&flow->a);
	wt_tcp_config_init(&flow->b);
	a = (struct wt_tcp_words){.preset = words->preset, .settings = settings, .sender = words->sender, .recovery = words->recovery};
	b = (struct wt_tcp_words){.preset = words->preset, .settings = settings, .receiver = words->receiver};
	error = wt_tcp_words_apply(&a, &flow->a, err, err_len);
	if (!error)
		error = wt_tcp_words_apply(&b, &flow->b, err, err_len);
	a = (struct wt_tcp_words){.settings = words->settings};
	if (!error)
		error = wt_tcp_words_apply(&a, &flow->a, err, err_len);
	return error ? error : wt_tcp_words_apply(&a, &flow->b, err, err_len);
}

static int once(const struct wt_cc_scenario *s, const struct wt_cc_scenario_words *words, struct run *run, uint32_t copy, char *err,
		size_t err_len)
{
	struct wt_simulation simulation;
	struct wt_simulation_result result;
	struct wt_app_flow flow = {0};
	char fwd[128], rev[128];
	int error;

	snprintf(fwd, sizeof(fwd), "rate %uMbit burst 0B limit %uB delay %ums%s", s->rate, WT_CC_SCENARIO_QUEUE * (MSS + 54), WT_CC_SCENARIO_DELAY_MS,
		 s->first ? " | loss list file " LIST : "");
	snprintf(rev, sizeof(rev), "rate %uMbit burst 0B limit 1MB delay %ums", s->rate, WT_CC_SCENARIO_DELAY_MS);
	error = resolve(s, words, &flow, err, err_len);
	if (error)
		return error;
	wt_simulation_init(&simulation);
	snprintf(err, err_len, "out of memory");
	error = s->first ? put_drops(&simulation, s, copy) : 0;
	simulation.world.time = run->end;
	simulation.sink[0] = &run->sink;
	if (!error)
		error = wt_simulation_pair(&simulation, fwd, rev, &flow, 1, err, err_len);
	if (!error)
		error = wt_simulation_run(&simulation, &result, err, err_len);
	for (unsigned i = 0; !error && words->dropped && i < WT_DROP_CAUSES; i++)
		*words->dropped += result.dropped[i];
	if (!error)
		wt_simulation_result_finish(&result);
	wt_simulation_finish(&simulation);
	return error;
}

int wt_cc_scenario_run(const struct wt_cc_scenario *scenario, const struct wt_cc_scenario_words *words,
		       void (*sample)(void *arg, const struct wt_cc_sample *sample), void *arg, char *err, size_t err_len)
{
	wt_time end = words->time ? words->time : (wt_time)scenario->seconds * WT_S;
	struct run first = {.sink = {on_event}, .scenario = scenario, .end = end}, run = first;
	int error = scenario->again ? once(scenario, words, &first, 0, err, err_len) : 0; /* it tells which number the copy has */

	run.sample = sample;
	run.arg = arg;
	if (words->dropped)
		*words->dropped = 0;
	return error ? error : once(scenario, words, &run, first.copy, err, err_len);
}
