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

#include "tools/simulate/scenario.h"
#include "tools/words/tcp_words.h"

struct setup {
	const char *preset, *settings, *sender, *recovery, *receiver, *fwd, *rev;
	uint64_t size, seed;
};

static inline void prepare(struct wt_scenario *scenario, const struct setup *setup)
{
	struct wt_tcp_words a = {.preset = setup->preset, .settings = setup->settings, .sender = setup->sender,
				 .recovery = setup->recovery};
	struct wt_tcp_words b = {.preset = setup->preset, .settings = setup->settings, .receiver = setup->receiver};
	char err[256];

	wt_scenario_init(scenario);
	if (wt_tcp_words_apply(&a, &scenario->a, err, sizeof(err)) || wt_tcp_words_apply(&b, &scenario->b, err, sizeof(err)))
		fail_msg("%s", err);
	scenario->fwd = setup->fwd;
	scenario->rev = setup->rev;
	scenario->size = setup->size;
	scenario->seed = setup->seed ? setup->seed : 1;
}

/* Runs, or fails the test. The result is finished already: its flow is copied to *flow. */
static inline struct wt_scenario_result run(const struct wt_scenario *scenario, struct wt_bulk_sender *flow)
{
	struct wt_scenario_result result;
	char err[256];

	if (wt_scenario_run(scenario, &result, err, sizeof(err)))
		fail_msg("%s", err);
	*flow = result.flow[0];
	wt_scenario_finish(&result);
	return result;
}

static inline void assert_whole(const struct wt_scenario_result *result, const struct wt_bulk_sender *flow, uint64_t size)
{
	if (!wt_scenario_ok(result))
		fail_msg("%s (%d)%s after %.3f simulated seconds", wt_bulk_fail_text(result->fail), result->error,
			 result->out_of_time ? ", out of time" : "", (double)result->simulated / 1e9);
	assert_true(flow->got_result && flow->result.verified && flow->result.compared);
	assert_true(flow->result.bytes == size);
}

#endif
