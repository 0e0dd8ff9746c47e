/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "tools/bulk_json.h"
#include "tools/scenario.h"
#include "tools/version.h"

static void settings_json(struct wt_json *json, const char *key, const struct wt_tcp_settings *settings)
{
	char text[64];

	wt_json_object(json, key);
	for (size_t i = 0; i < wt_tcp_param_count; i++)
		wt_json_string(json, wt_tcp_params[i].name, wt_param_format(&wt_tcp_params[i], settings, text, sizeof(text)));
	wt_json_end(json);
}

static void module_json(struct wt_json *json, const char *key, const char *name, const struct wt_param *params, size_t count,
			const void *values)
{
	char text[64];

	wt_json_object(json, key);
	wt_json_string(json, "name", name);
	for (size_t i = 0; i < count; i++)
		wt_json_string(json, params[i].name, wt_param_format(&params[i], values, text, sizeof(text)));
	wt_json_end(json);
}

static void host_json(struct wt_json *json, const char *key, const struct wt_tcp_config *config)
{
	wt_json_object(json, key);
	if (config->sender.ops)
		module_json(json, "sender", config->sender.ops->name, config->sender.ops->params,
			    config->sender.ops->param_count, config->sender.params);
	if (config->recovery.ops)
		module_json(json, "recovery", config->recovery.ops->name, config->recovery.ops->params,
			    config->recovery.ops->param_count, config->recovery.params);
	if (config->receiver.ops)
		module_json(json, "receiver", config->receiver.ops->name, config->receiver.ops->params,
			    config->receiver.ops->param_count, config->receiver.params);
	settings_json(json, "settings", &config->settings);
	wt_json_end(json);
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
	wt_json_string(&json, "fwd", result->fwd);
	wt_json_string(&json, "rev", result->rev);
	host_json(&json, "a", &scenario->a);
	host_json(&json, "b", &scenario->b);
	wt_json_bool(&json, "ok", wt_scenario_ok(result));
	wt_json_bool(&json, "out_of_time", result->out_of_time);
	wt_json_number(&json, "simulated_s", (double)result->simulated / 1e9);
	wt_json_number(&json, "wall_s", result->wall_s);
	wt_json_u64(&json, "frames", result->frames);
	wt_json_object(&json, "dropped_frames");
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++)
		if (result->dropped[i])
			wt_json_u64(&json, wt_drop_name(i), result->dropped[i]);
	wt_json_end(&json);
	if (scenario->digest) {
		snprintf(digest, sizeof(digest), "%016" PRIx64, result->digest);
		wt_json_string(&json, "digest", digest);
	}
	wt_json_array(&json, "flows");
	for (unsigned i = 0; i < result->flows; i++) {
		wt_json_object(&json, NULL);
		wt_bulk_json(&json, &result->flow[i]);
		wt_json_end(&json);
	}
	wt_json_end(&json);
	wt_json_end(&json);
}
