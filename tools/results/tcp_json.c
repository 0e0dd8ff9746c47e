/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/results/tcp_json.h"

#include "tools/modules/load.h"

static void settings_json(struct wt_json *json, const char *key, const struct wt_tcp_settings *settings)
{
	char text[64];

	wt_json_object(json, key);
	for (size_t i = 0; i < wt_tcp_param_count; i++)
		wt_json_string(json, wt_tcp_params[i].name, wt_param_format(&wt_tcp_params[i], settings, text, sizeof(text)));
	wt_json_end(json);
}

static void module_json(struct wt_json *json, const char *key, const void *ops, const char *name, const struct wt_param *params, size_t count,
			const void *values)
{
	const struct wt_cc_file *file = wt_cc_file_of(ops);
	char text[64];

	wt_json_object(json, key);
	wt_json_string(json, "name", name);
	if (file)
		wt_json_string(json, "sha256", file->sha256);
	for (size_t i = 0; i < count; i++)
		wt_json_string(json, params[i].name, wt_param_format(&params[i], values, text, sizeof(text)));
	wt_json_end(json);
}

void wt_tcp_config_json(struct wt_json *json, const char *key, const struct wt_tcp_config *config)
{
	wt_json_object(json, key);
	if (config->sender.ops)
		module_json(json, "sender", config->sender.ops, config->sender.ops->name, config->sender.ops->params,
			    config->sender.ops->param_count, config->sender.params);
	if (config->recovery.ops)
		module_json(json, "recovery", config->recovery.ops, config->recovery.ops->name, config->recovery.ops->params,
			    config->recovery.ops->param_count, config->recovery.params);
	if (config->receiver.ops)
		module_json(json, "receiver", config->receiver.ops, config->receiver.ops->name, config->receiver.ops->params,
			    config->receiver.ops->param_count, config->receiver.params);
	settings_json(json, "settings", &config->settings);
	wt_json_end(json);
}
