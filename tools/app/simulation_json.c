/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/app/bulk_json.h"
#include "tools/app/simulation.h"
#include "tools/results/tcp_json.h"
#include "tools/version.h"

/* The words of links at the start, and where they were others in the end, those. */
static void paths_json(struct wt_json *json, const struct wt_world *world, const struct wt_simulation_result *result)
{
	static const char *const names[2][2] = {{"fwd", "rev"}, {"fwd_end", "rev_end"}};

	if (world->links > 1)
		wt_json_object(json, "links");
	for (unsigned i = 0; i < world->links; i++) {
		if (world->links > 1)
			wt_json_object(json, world->link[i].name);
		for (unsigned d = 0; d < 2; d++)
			wt_json_string(json, names[0][d], result->path[i][d]);
		for (unsigned d = 0; d < 2; d++)
			if (strcmp(result->path[i][d], result->path_end[i][d]))
				wt_json_string(json, names[1][d], result->path_end[i][d]);
		if (world->links > 1)
			wt_json_end(json);
	}
	if (world->links > 1)
		wt_json_end(json);
}

/* Of both ends of the first flow; of a second that is another, as rivals. In a world of more links, of each flow by itself. */
static void config_json(struct wt_json *json, const struct wt_simulation *simulation)
{
	const struct wt_app_flow *flow = simulation->flow;
	unsigned kinds = simulation->world.flows > 1 && memcmp(&flow[0], &flow[1], sizeof(flow[0])) ? 2 : 1;

	for (unsigned i = 0; i < kinds; i++) {
		wt_tcp_config_json(json, i ? "rival_a" : "a", &flow[i].a);
		wt_tcp_config_json(json, i ? "rival_b" : "b", &flow[i].b);
	}
}

static void datagrams_json(struct wt_json *json, const struct wt_cbr_sender *sender, const struct wt_cbr_sink *sink)
{
	struct wt_cbr_report report = wt_cbr_report_of(sink);

	wt_cbr_json(json, sender, &report);
}

void wt_simulation_json(FILE *out, const struct wt_simulation *simulation, const struct wt_simulation_result *result)
{
	struct wt_json json;
	struct wt_flow_sum sum;
	char digest[24];

	wt_json_init(&json, out);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.sim.1");
	wt_json_string(&json, "version", WT_VERSION);
	wt_json_string(&json, "backend", "sim");
	wt_json_u64(&json, "seed", simulation->world.seed);
	paths_json(&json, &simulation->world, result);
	config_json(&json, simulation);
	wt_json_bool(&json, "ok", wt_simulation_ok(result));
	wt_json_bool(&json, "out_of_time", result->out_of_time);
	wt_json_number(&json, "simulated_s", (double)result->simulated / 1e9);
	wt_json_number(&json, "wall_s", result->wall_s);
	wt_json_u64(&json, "frames", result->frames);
	for (unsigned i = 0; i < 2 && simulation->world.hosts == 2; i++)
		wt_json_u64(&json, i ? "frames_b" : "frames_a", result->frames_of[i]);
	wt_json_u64(&json, "marked_frames", result->marked);
	wt_json_object(&json, "dropped_frames");
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		if (result->dropped[i])
			wt_json_u64(&json, wt_drop_name(i), result->dropped[i]);
	wt_json_end(&json);
	if (simulation->digest) {
		snprintf(digest, sizeof(digest), "%016" PRIx64, result->digest);
		wt_json_string(&json, "digest", digest);
	}
	if (simulation->tokens) {
		static const char *const units[] = {"tokens_per_slot", "tokens_per_busy_slot", "tokens_per_round"};

		for (unsigned i = 0; i < WT_TOKEN_UNITS; i++)
			wt_json_number(&json, units[i], result->tokens[i].mean);
	}
	sum = wt_simulation_sum(result);
	if (sum.flows > 1) {
		wt_json_number(&json, "jain", wt_flow_sum_jain(&sum));
		wt_flow_sum_json(&json, &sum);
	}
	wt_json_array(&json, "flows");
	for (unsigned i = 0; i < result->flows; i++) {
		wt_json_object(&json, NULL);
		wt_flow_json(&json, &simulation->world, i);
		if (wt_simulation_is_datagrams(result, i))
			datagrams_json(&json, &result->datagram_sender[i], &result->datagram_sink[i]);
		else
			wt_bulk_json(&json, &result->flow[i]);
		wt_json_end(&json);
	}
	wt_json_end(&json);
	wt_hops_json(&json, &simulation->world, result->hop);
	wt_air_json(&json, &simulation->world, result->air, result->simulated);
	wt_json_end(&json);
}
