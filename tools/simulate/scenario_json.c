/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/app/bulk_json.h"
#include "tools/simulate/scenario.h"
#include "tools/results/stats.h"
#include "tools/results/tcp_json.h"
#include "tools/version.h"

/* Jain's index of the flows' goodputs. */
static double fairness(const struct wt_scenario_result *result)
{
	double *goodput = calloc(result->flows, sizeof(*goodput)), index = NAN;

	for (unsigned i = 0; i < result->flows && goodput; i++)
		goodput[i] = wt_bulk_goodput(&result->flow[i]);
	if (goodput)
		index = wt_jain(goodput, result->flows);
	free(goodput);
	return index;
}

void wt_scenario_json(FILE *out, const struct wt_scenario *scenario, const struct wt_scenario_result *result)
{
	struct wt_json json;
	char digest[24];

	wt_json_init(&json, out);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.sim.1");
	wt_json_string(&json, "version", WT_VERSION);
	wt_json_string(&json, "backend", "sim");
	wt_json_u64(&json, "seed", scenario->seed);
	for (unsigned i = 0; i < 2; i++)
		wt_json_string(&json, i ? "rev" : "fwd", result->path[i]);
	for (unsigned i = 0; i < 2; i++)
		if (strcmp(result->path[i], result->path_end[i]))
			wt_json_string(&json, i ? "rev_end" : "fwd_end", result->path_end[i]);
	wt_tcp_config_json(&json, "a", &scenario->a);
	wt_tcp_config_json(&json, "b", &scenario->b);
	if (scenario->rival_a)
		wt_tcp_config_json(&json, "rival_a", scenario->rival_a);
	if (scenario->rival_b)
		wt_tcp_config_json(&json, "rival_b", scenario->rival_b);
	wt_json_bool(&json, "ok", wt_scenario_ok(result));
	wt_json_bool(&json, "out_of_time", result->out_of_time);
	wt_json_number(&json, "simulated_s", (double)result->simulated / 1e9);
	wt_json_number(&json, "wall_s", result->wall_s);
	wt_json_u64(&json, "frames", result->frames);
	wt_json_u64(&json, "frames_a", result->frames_of[0]);
	wt_json_u64(&json, "frames_b", result->frames_of[1]);
	wt_json_u64(&json, "marked_frames", result->marked);
	wt_json_object(&json, "dropped_frames");
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		if (result->dropped[i])
			wt_json_u64(&json, wt_drop_name(i), result->dropped[i]);
	wt_json_end(&json);
	if (scenario->digest) {
		snprintf(digest, sizeof(digest), "%016" PRIx64, result->digest);
		wt_json_string(&json, "digest", digest);
	}
	if (scenario->tokens) {
		static const char *const units[] = {"tokens_per_slot", "tokens_per_busy_slot", "tokens_per_round"};

		for (unsigned i = 0; i < WT_TOKEN_UNITS; i++)
			wt_json_number(&json, units[i], result->tokens[i].mean);
	}
	if (result->flows > 1)
		wt_json_number(&json, "jain", fairness(result));
	wt_json_array(&json, "flows");
	for (unsigned i = 0; i < result->flows; i++) {
		wt_json_object(&json, NULL);
		wt_bulk_json(&json, &result->flow[i]);
		wt_json_end(&json);
	}
	wt_json_end(&json);
	wt_json_end(&json);
}
