/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/lab.h"

#include <stdlib.h>

#include "tools/lab/run.h"

static void drops_json(struct wt_json *json, const json_t *emulator)
{
	static const char *const directions[] = {"fwd", "rev"};
	uint64_t dropped[WT_DROP_CAUSES] = {0};

	for (unsigned d = 0; d < 2; d++) {
		const json_t *stages = json_object_get(json_object_get(emulator, directions[d]), "stages"), *stage;
		size_t i;

		json_array_foreach(stages, i, stage)
			for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
				dropped[cause] += (uint64_t)json_integer_value(
					json_object_get(json_object_get(stage, "dropped"), wt_drop_name(cause)));
	}
	wt_json_object(json, "dropped_frames");
	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		if (dropped[cause])
			wt_json_u64(json, wt_drop_name(cause), dropped[cause]);
	wt_json_end(json);
}

static double marks(const json_t *emulator, const char *direction)
{
	const json_t *stages = json_object_get(json_object_get(emulator, direction), "stages"), *stage;
	double sum = 0;
	size_t i;

	json_array_foreach(stages, i, stage)
		sum += (double)json_integer_value(json_object_get(stage, "marked"));
	return sum;
}

static void metrics_json(struct wt_json *json, const json_t *record, const json_t *emulator)
{
	static const char *const counts[] = {"sent_segs", "retransmits_segs", "fast_recoveries", "timeouts", "ecn_reductions"};
	const json_t *sender = json_object_get(record, "sender"), *player = json_object_get(json_object_get(record, "receiver"), "playback");

	wt_json_object(json, "metrics");
	wt_json_number(json, "goodput_kBps", wt_lab_number(record, "goodput_kBps"));
	wt_json_number(json, "connection_time_s", wt_lab_number(record, "connection_time_s"));
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		wt_json_number(json, counts[i], wt_lab_number(sender, counts[i]));
	wt_json_number(json, "dropped_frames", wt_lab_number(json_object_get(emulator, "fwd"), "dropped") +
						       wt_lab_number(json_object_get(emulator, "rev"), "dropped"));
	wt_json_number(json, "marked_frames", marks(emulator, "fwd") + marks(emulator, "rev"));
	wt_json_number(json, "frames", wt_lab_number(json_object_get(emulator, "fwd"), "offered") +
					       wt_lab_number(json_object_get(emulator, "rev"), "offered"));
	if (player)
		wt_json_number(json, "success_percent", wt_lab_number(player, "success_percent"));
	wt_json_end(json);
}

static void copy(struct wt_json *json, const json_t *record, const char *key)
{
	char *text = json_dumps(json_object_get(record, key), JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

	wt_json_raw(json, key, text ? text : "null");
	free(text);
}

/* The numbers of an invalid run are kept too, beside the reason not to believe them. */
static void result_json(struct wt_sweep_result *out, const struct wt_lab_result *lab, enum wt_sweep_outcome outcome)
{
	static const char *const kept[] = {"outcome", "payload_bytes", "connection_time_s", "goodput_kBps", "sender", "receiver", "noise"};
	struct wt_json json;

	if (!wt_sweep_result_open(out, &json))
		return;
	wt_sweep_result_head(&json, outcome, lab->why);
	metrics_json(&json, lab->record, lab->emulator);
	drops_json(&json, lab->emulator);
	wt_json_u64(&json, "attempts", lab->attempts);
	wt_json_object(&json, "flow");
	wt_json_object(&json, "tcp1");
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		copy(&json, lab->record, kept[i]);
	wt_json_end(&json);
	wt_json_end(&json);
	copy(&json, lab->emulator, "verdict");
	wt_sweep_result_close(out, &json, outcome);
}

void wt_sweep_lab_work(const struct wt_sweep *sweep, const struct wt_sweep_run *run, uint64_t seed, struct wt_sweep_result *result,
		       const volatile int *stop)
{
	static const enum wt_sweep_outcome outcomes[] = {
		[WT_LAB_STOPPED] = WT_SWEEP_STOPPED,
		[WT_LAB_OK] = WT_SWEEP_OK,
		[WT_LAB_FAILED] = WT_SWEEP_FAILED,
		[WT_LAB_INVALID] = WT_SWEEP_INVALID,
	};
	const struct wt_lab_job job = {
		.backend = sweep->backend,
		.fwd = run->fwd,
		.rev = run->rev,
		.preset = run->text[WT_SWEEP_PRESET],
		.settings = run->text[WT_SWEEP_SETTINGS],
		.app = run->flow.plays ? run->text[WT_SWEEP_APP] : NULL,
		.sender = run->text[WT_SWEEP_SENDER],
		.recovery = run->text[WT_SWEEP_RECOVERY],
		.receiver = run->text[WT_SWEEP_RECEIVER],
		.kernel = run->kernel,
		.seed = seed,
		.size = run->flow.size,
		.time = run->flow.time,
		.limit = run->limit,
		.bounds = sweep->bounds,
		.attempts = sweep->attempts,
		.stop = stop,
	};
	struct wt_lab_result lab;

	wt_lab_run(&job, &lab);
	result->outcome = outcomes[lab.outcome];
	result->attempts = lab.attempts;
	result->wall = lab.wall;
	if (lab.outcome != WT_LAB_STOPPED)
		result_json(result, &lab, outcomes[lab.outcome]);
	wt_lab_result_finish(&lab);
}
