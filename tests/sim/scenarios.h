/* SPDX-License-Identifier: BSD-2-Clause */
/* What the scenario tests share: cmocka, a scenario from words, a run that must succeed. */
#ifndef WT_TESTS_SIM_SCENARIOS_H
#define WT_TESTS_SIM_SCENARIOS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tools/app/simulation.h"
#include "tools/words/tcp_words.h"

struct setup {
	const char *preset, *settings, *sender, *recovery, *receiver, *fwd, *rev;
	uint64_t size, seed;
};

/* Two hosts, a path each way, and flows from a to b, all alike but for rivals: every other one. */
struct scenario {
	struct wt_simulation how; /* what is watched; its world is made by simulate() */
	const char *fwd, *rev;
	struct wt_app_flow flow;
	const struct wt_app_flow *rival;
	unsigned flows;
	uint32_t mtu; /* of both hosts; 0: 1500 */
	uint64_t seed;
};

static inline void prepare(struct scenario *scenario, const struct setup *setup)
{
	struct wt_tcp_words a = {.preset = setup->preset, .settings = setup->settings, .sender = setup->sender,
				 .recovery = setup->recovery};
	struct wt_tcp_words b = {.preset = setup->preset, .settings = setup->settings, .receiver = setup->receiver};
	char err[256];

	*scenario = (struct scenario){.fwd = setup->fwd, .rev = setup->rev, .flows = 1, .seed = setup->seed ? setup->seed : 1};
	wt_tcp_config_init(&scenario->flow.a);
	wt_tcp_config_init(&scenario->flow.b);
	if (wt_tcp_words_apply(&a, &scenario->flow.a, err, sizeof(err)) || wt_tcp_words_apply(&b, &scenario->flow.b, err, sizeof(err)))
		fail_msg("%s", err);
	scenario->flow.size = setup->size;
}

static inline int simulate(const struct scenario *scenario, struct wt_simulation_result *result, char *err, size_t err_len)
{
	struct wt_simulation simulation = scenario->how;
	int error;

	wt_world_init(&simulation.world);
	simulation.world.seed = scenario->seed;
	error = wt_simulation_pair(&simulation, scenario->fwd, scenario->rev, &scenario->flow, scenario->flows, err, err_len);
	for (unsigned i = 0; i < 2 && scenario->mtu && !error; i++)
		simulation.world.host[i].mtu = scenario->mtu;
	for (unsigned i = 1; i < scenario->flows && scenario->rival && !error; i += 2) {
		simulation.flow[i].a = scenario->rival->a;
		simulation.flow[i].b = scenario->rival->b;
		simulation.world.flow[i].port++; /* they are served by their own */
	}
	if (!error)
		error = wt_simulation_run(&simulation, result, err, err_len);
	wt_simulation_finish(&simulation);
	return error;
}

/* Runs, or fails the test. The result is finished already: its flow is copied to *flow. */
static inline struct wt_simulation_result run(const struct scenario *scenario, struct wt_bulk_sender *flow)
{
	struct wt_simulation_result result;
	char err[256];

	if (simulate(scenario, &result, err, sizeof(err)))
		fail_msg("%s", err);
	*flow = result.flow[0];
	wt_simulation_result_finish(&result);
	return result;
}

static inline void assert_whole(const struct wt_simulation_result *result, const struct wt_bulk_sender *flow, uint64_t size)
{
	if (!wt_simulation_ok(result))
		fail_msg("%s (%d)%s after %.3f simulated seconds", wt_bulk_fail_text(result->fail), result->error,
			 result->out_of_time ? ", out of time" : "", (double)result->simulated / 1e9);
	assert_true(flow->got_result && flow->result.verified && flow->result.compared);
	assert_true(flow->result.bytes == size);
}

/* Runs what the words say, watched as `how` has it (NULL: it is not watched); all of it has to arrive. */
static inline struct wt_simulation_result run_whole(const struct setup *setup, const struct wt_simulation *how, struct wt_bulk_sender *flow)
{
	struct wt_simulation_result result;
	struct scenario scenario;

	prepare(&scenario, setup);
	if (how)
		scenario.how = *how;
	result = run(&scenario, flow);
	assert_whole(&result, flow, setup->size);
	return result;
}

#endif
