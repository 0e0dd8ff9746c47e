/* SPDX-License-Identifier: BSD-2-Clause */
/* What determines a run, in normal form, and its name. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/results/tcp_json.h"
#include "tools/source.h"
#include "tools/sweep/point.h"

#define BLANKS " \t\n"

void wt_sweep_axes_json(struct wt_json *json, const struct wt_sweep *sweep, uint32_t point)
{
	wt_json_object(json, "axes");
	for (unsigned i = 0; i < sweep->axes; i++)
		wt_json_string(json, sweep->axis[i].name, wt_sweep_word(sweep, point, i));
	wt_json_end(json);
}

static void file_json(struct wt_json *json, const char *path)
{
	char text[WT_SHA256_TEXT];
	FILE *file = fopen(path, "re");
	struct wt_sha256 sha;
	uint8_t data[4096];
	size_t n;

	wt_sha256_init(&sha);
	while (file && (n = fread(data, 1, sizeof(data), file)) > 0)
		wt_sha256_add(&sha, data, n);
	if (file)
		fclose(file);
	wt_sha256_end(&sha, text);
	wt_json_string(json, path, text);
}

/* What a file holds is part of what determines a run: "rate trace FILE", "loss trace FILE", "jitter file FILE". */
static void files_json(struct wt_json *json, const char *words)
{
	char word[512];
	bool named = false;

	for (const char *at = words; *(at += strspn(at, BLANKS)); at += strcspn(at, BLANKS)) {
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, BLANKS), at);
		if (named)
			file_json(json, word);
		named = !named && (!strcmp(word, "trace") || !strcmp(word, "file"));
	}
}

static void app_json(struct wt_json *json, const struct wt_sweep_run *run)
{
	const struct wt_app_flow *flow = &run->flow;
	char text[64];

	wt_json_object(json, "app");
	wt_json_string(json, "name", flow->plays ? "playback" : flow->asks ? "rr" : flow->off ? "onoff" : "bulk");
	if (flow->asks || flow->off)
		wt_json_string(json, "words", run->text[WT_SWEEP_APP]);
	for (size_t i = 0; flow->plays && i < wt_playback_param_count; i++)
		wt_json_string(json, wt_playback_params[i].name, wt_param_format(&wt_playback_params[i], &flow->playback, text, sizeof(text)));
	wt_json_end(json);
	if (run->counts)
		wt_json_string(json, "tokens", run->text[WT_SWEEP_TOKENS]);
}

void wt_sweep_config_json(struct wt_json *json, const struct wt_sweep *sweep, const struct wt_sweep_run *run)
{
	const struct wt_app_flow *flow = &run->flow;

	wt_json_string(json, "backend", sweep->backend);
	if (strcmp(sweep->backend, "sim") != 0) {
		wt_json_number(json, "late_s", (double)sweep->bounds.late / 1e9);
		wt_json_number(json, "steal_share", sweep->bounds.steal);
	}
	if (*run->world) { /* its text is the normal form: what it says the same in other words is another run */
		wt_json_string(json, "world", run->world);
		for (unsigned i = 0; i < WT_SWEEP_WORLD; i++) /* for a flow that the world does not say */
			if (*run->text[i])
				wt_json_string(json, wt_sweep_param_name[i], run->text[i]);
		wt_json_object(json, "files");
		files_json(json, run->world);
		wt_json_end(json);
		if (*run->kernel)
			wt_json_string(json, "kernel_release", sweep->kernel);
		return;
	}
	wt_json_string(json, "stack", *run->kernel ? "kernel" : "user");
	wt_json_string(json, "fwd", run->fwd);
	wt_json_string(json, "rev", run->rev);
	wt_json_object(json, "files");
	files_json(json, run->fwd);
	files_json(json, run->rev);
	wt_json_end(json);
	wt_json_u64(json, "size_bytes", flow->size);
	wt_json_number(json, "time_s", (double)flow->time / 1e9);
	wt_json_u64(json, "flows", run->flows);
	wt_json_u64(json, "mtu_bytes", run->mtu ? run->mtu : 1500);
	wt_json_number(json, "limit_s", (double)run->limit / 1e9);
	app_json(json, run);
	if (*run->kernel) {
		wt_json_string(json, "kernel", run->kernel);
		wt_json_string(json, "kernel_release", sweep->kernel);
	} else {
		wt_tcp_config_json(json, "a", &flow->a);
		wt_tcp_config_json(json, "b", &flow->b);
	}
}

int wt_sweep_digest(const struct wt_sweep *sweep, const struct wt_sweep_run *run, char digest[WT_SHA256_TEXT])
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);
	struct wt_sha256 sha;
	struct wt_json json;

	if (!file)
		return -ENOMEM;
	wt_json_init(&json, file);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.sweep.1");
	wt_json_string(&json, "source", WT_SOURCE);
	wt_sweep_config_json(&json, sweep, run);
	wt_json_end(&json);
	if (fclose(file)) {
		free(text);
		return -ENOMEM;
	}
	wt_sha256_init(&sha);
	wt_sha256_add(&sha, text, len);
	wt_sha256_end(&sha, digest);
	free(text);
	return 0;
}

void wt_sweep_id(const char digest[WT_SHA256_TEXT], uint64_t seed, char id[WT_SWEEP_ID])
{
	char text[WT_SHA256_TEXT + 24], hash[WT_SHA256_TEXT];
	struct wt_sha256 sha;
	int len = snprintf(text, sizeof(text), "%s %" PRIu64, digest, seed);

	wt_sha256_init(&sha);
	wt_sha256_add(&sha, text, (size_t)len);
	wt_sha256_end(&sha, hash);
	snprintf(id, WT_SWEEP_ID, "%.32s", hash);
}
