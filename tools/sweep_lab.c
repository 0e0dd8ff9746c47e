/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep_lab.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/base/units.h"
#include "tools/child.h"
#include "tools/progress.h"

#define UP_SECONDS 60 /* for lab up and down: some dozens may come up at once */
#define TEXT_BYTES 65536

struct lab {
	const struct wt_sweep *sweep;
	const struct wt_sweep_run *run;
	struct wt_sweep_result *result;
	const volatile int *stop;
	char program[PATH_MAX], host[2][48], seed[24], why[300];
	const char *name;
	char *record, *emulator; /* of send, and of the emulator at its end */
};

static bool stopped(const struct lab *lab)
{
	return lab->stop && *lab->stop;
}

static bool fail(struct lab *lab, const char *what, const char *text)
{
	if (!*lab->why)
		snprintf(lab->why, sizeof(lab->why), "%s: %.*s", what, (int)strcspn(text, "\n"), text);
	return false;
}

/* ---- the lab ---------------------------------------------------------------------------------------------- */

static bool up(struct lab *lab)
{
	struct wt_words words = {0};
	struct wt_child child;
	char text[600] = "";
	int error;

	wt_words_add(&words, lab->program);
	wt_words_add(&words, "lab");
	wt_words_add(&words, "up");
	wt_words_add(&words, lab->name);
	wt_words_option(&words, "--backend", lab->sweep->backend);
	wt_words_option(&words, "--fwd", lab->run->fwd);
	wt_words_option(&words, "--rev", lab->run->rev);
	wt_words_option(&words, "--seed", lab->seed);
	error = wt_child_start_words(&child, &words, false, true);
	if (error)
		return fail(lab, "lab up", strerror(-error));
	/* Not to end of file: what stays running in the lab may hold the pipe. */
	while (!wt_child_read(child.err, text, sizeof(text), "\n", 1, lab->stop) && !stopped(lab)) {
		char scrap[2] = "";

		if (wt_child_read(child.err, scrap, sizeof(scrap), NULL, 0.05, NULL))
			break;
	}
	error = wt_child_end(&child, UP_SECONDS, NULL); /* never cut short: half a lab is harder to take down */
	return error ? fail(lab, "lab up", *text ? text : "failed") : true;
}

static void down(struct lab *lab)
{
	struct wt_words words = {0};
	struct wt_child child;

	wt_words_add(&words, lab->program);
	wt_words_add(&words, "lab");
	wt_words_add(&words, "down");
	wt_words_add(&words, "--json");
	wt_words_add(&words, lab->name);
	if (wt_child_start_words(&child, &words, true, false))
		return;
	wt_child_read(child.out, lab->emulator, TEXT_BYTES, NULL, UP_SECONDS, NULL);
	wt_child_end(&child, UP_SECONDS, NULL);
}

/* "lab exec NAME:host" and this program. */
static void say_exec(const struct lab *lab, struct wt_words *words, unsigned host, const char *command)
{
	wt_words_add(words, lab->program);
	wt_words_add(words, "lab");
	wt_words_add(words, "exec");
	wt_words_add(words, lab->host[host]);
	wt_words_add(words, lab->program);
	wt_words_add(words, command);
}

/* ---- the transfer ----------------------------------------------------------------------------------------- */

static void say_stack(const struct lab *lab, struct wt_words *words)
{
	wt_words_option(words, "--preset", lab->run->text[WT_SWEEP_PRESET]);
	wt_words_option(words, "-S", lab->run->text[WT_SWEEP_SETTINGS]);
	wt_words_option(words, "--app", lab->run->scenario.playback ? lab->run->text[WT_SWEEP_APP] : "");
}

static int start_recv(const struct lab *lab, struct wt_child *child)
{
	struct wt_words words = {0};

	if (*lab->run->kernel) {
		say_exec(lab, &words, 1, "kernel");
		wt_words_add(&words, "recv");
		wt_words_option(&words, "-C", lab->run->kernel);
		return wt_child_start_words(child, &words, false, true);
	}
	say_exec(lab, &words, 1, "recv");
	wt_words_add(&words, "-1");
	wt_words_option(&words, "-i", "0");
	say_stack(lab, &words);
	wt_words_option(&words, "--rcc", lab->run->text[WT_SWEEP_RECEIVER]);
	return wt_child_start_words(child, &words, false, true);
}

static int start_send(const struct lab *lab, struct wt_child *child)
{
	char size[32], time[32], limit[32];
	struct wt_words words = {0};

	say_exec(lab, &words, 0, *lab->run->kernel ? "kernel" : "send");
	if (*lab->run->kernel)
		wt_words_add(&words, "send");
	wt_words_option(&words, "-c", "b");
	if (lab->run->scenario.size)
		wt_words_option(&words, "-n", wt_format_size(lab->run->scenario.size, size, sizeof(size)));
	if (lab->run->scenario.time)
		wt_words_option(&words, "-t", wt_format_time(lab->run->scenario.time, time, sizeof(time)));
	wt_words_option(&words, "--timeout", wt_format_time(lab->run->scenario.limit, limit, sizeof(limit)));
	wt_words_add(&words, "--json");
	wt_words_option(&words, "--seed", lab->seed);
	if (*lab->run->kernel) {
		wt_words_option(&words, "-C", lab->run->kernel);
		return wt_child_start_words(child, &words, true, true);
	}
	wt_words_option(&words, "-i", "0");
	say_stack(lab, &words);
	wt_words_option(&words, "-C", lab->run->text[WT_SWEEP_SENDER]);
	wt_words_option(&words, "--recovery", lab->run->text[WT_SWEEP_RECOVERY]);
	return wt_child_start_words(child, &words, true, true);
}

static bool transfer(struct lab *lab)
{
	struct wt_child recv = {.out = -1, .err = -1}, send = {.out = -1, .err = -1};
	double limit = (double)lab->run->scenario.limit / 1e9 + 30;
	char text[600] = "";
	bool whole = false;
	int error = start_recv(lab, &recv);

	if (error)
		fail(lab, "recv", strerror(-error));
	else if (!wt_child_read(recv.err, text, sizeof(text), "listening", UP_SECONDS, lab->stop))
		fail(lab, "recv", *text ? text : "does not listen");
	else if ((error = start_send(lab, &send)) != 0)
		fail(lab, "send", strerror(-error));
	else {
		whole = wt_child_read(send.out, lab->record, TEXT_BYTES, NULL, limit, lab->stop);
		*text = '\0';
		wt_child_read(send.err, text, sizeof(text), NULL, 1, lab->stop);
		if (!whole || !*lab->record)
			whole = fail(lab, "send", *text ? text : whole ? "no record" : "not finished in time");
	}
	wt_child_end(&send, 5, lab->stop);
	wt_child_end(&recv, 0, lab->stop); /* it may still wait for an ACK that was lost; we have its result */
	return whole;
}

/* ---- the result ------------------------------------------------------------------------------------------- */

bool wt_sweep_lab_valid(const char *record, wt_time late, char *why, size_t why_len)
{
	json_t *root = json_loads(record, 0, NULL);
	const json_t *verdict = json_object_get(root, "verdict"), *faults = json_object_get(verdict, "faults"), *entry;
	const char *found = NULL;
	json_int_t worst = 0;
	size_t i;

	json_array_foreach(json_object_get(root, "ports"), i, entry) {
		json_int_t p99 = json_integer_value(json_object_get(json_object_get(entry, "late"), "p99_ns"));

		worst = p99 > worst ? p99 : worst;
	}
	json_array_foreach(faults, i, entry) {
		const char *name = json_string_value(json_object_get(entry, "fault"));

		if (name && (strcmp(name, "late") != 0 || !late))
			found = name;
	}
	if (!json_is_object(verdict))
		snprintf(why, why_len, "the emulator left no record");
	else if (found)
		snprintf(why, why_len, "the host was too busy: %s; 99 %% of the frames were less than %.3g ms late", found, (double)worst / 1e6);
	else if (late && worst > late)
		snprintf(why, why_len, "the host was too busy: 1 %% of the frames were more than %.3g ms late", (double)worst / 1e6);
	else
		*why = '\0';
	json_decref(root);
	return !*why;
}

/* The last line of send's output. */
static json_t *last_record(char *text)
{
	char *line;

	while (*text && text[strlen(text) - 1] == '\n')
		text[strlen(text) - 1] = '\0';
	line = strrchr(text, '\n');
	return json_loads(line ? line + 1 : text, 0, NULL);
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

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

static void metrics_json(struct wt_json *json, const json_t *record, const json_t *emulator)
{
	static const char *const counts[] = {"sent_segs", "retransmits_segs", "fast_recoveries", "timeouts"};
	const json_t *sender = json_object_get(record, "sender"), *player = json_object_get(json_object_get(record, "receiver"), "playback");

	wt_json_object(json, "metrics");
	wt_json_number(json, "goodput_kBps", number(record, "goodput_kBps"));
	wt_json_number(json, "connection_time_s", number(record, "connection_time_s"));
	for (unsigned i = 0; i < 4; i++)
		wt_json_number(json, counts[i], number(sender, counts[i]));
	wt_json_number(json, "dropped_frames", number(json_object_get(emulator, "fwd"), "dropped") +
						       number(json_object_get(emulator, "rev"), "dropped"));
	wt_json_number(json, "frames", number(json_object_get(emulator, "fwd"), "offered") +
					       number(json_object_get(emulator, "rev"), "offered"));
	if (player)
		wt_json_number(json, "success_percent", number(player, "success_percent"));
	wt_json_end(json);
}

static void copy(struct wt_json *json, const json_t *record, const char *key)
{
	char *text = json_dumps(json_object_get(record, key), JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

	wt_json_raw(json, key, text ? text : "null");
	free(text);
}

static enum wt_sweep_outcome conclude(struct lab *lab, bool whole)
{
	static const char *const kept[] = {"outcome", "payload_bytes", "connection_time_s", "goodput_kBps", "sender", "receiver", "noise"};
	json_t *record = whole ? last_record(lab->record) : NULL, *emulator = json_loads(lab->emulator, 0, NULL);
	const char *outcome = json_string_value(json_object_get(record, "outcome"));
	enum wt_sweep_outcome result = WT_SWEEP_OK;
	struct wt_json json;
	char busy[200];

	if (whole && (!outcome || strcmp(outcome, "complete")))
		fail(lab, "send", outcome ? outcome : "no record");
	if (*lab->why)
		result = WT_SWEEP_FAILED;
	else if (!wt_sweep_lab_valid(lab->emulator, lab->sweep->late, busy, sizeof(busy)))
		result = WT_SWEEP_INVALID;
	else if (number(json_object_get(record, "noise"), "kernel_drops") > 0) {
		result = WT_SWEEP_INVALID;
		snprintf(busy, sizeof(busy), "the kernel dropped frames at the sender");
	}
	if (wt_sweep_result_open(lab->result, &json)) {
		wt_sweep_result_head(&json, result, result == WT_SWEEP_INVALID ? busy : lab->why);
		metrics_json(&json, record, emulator);
		drops_json(&json, emulator);
		wt_json_array(&json, "flows");
		wt_json_object(&json, NULL);
		for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			copy(&json, record, kept[i]);
		wt_json_end(&json);
		wt_json_end(&json);
		copy(&json, emulator, "verdict");
		wt_sweep_result_close(lab->result, &json, result);
	}
	json_decref(record);
	json_decref(emulator);
	return result;
}

void wt_sweep_lab_work(const struct wt_sweep *sweep, const struct wt_sweep_run *run, uint64_t seed, const char *name,
		       struct wt_sweep_result *result, const volatile int *stop)
{
	struct lab lab = {.sweep = sweep, .run = run, .result = result, .stop = stop, .name = name};
	ssize_t len = readlink("/proc/self/exe", lab.program, sizeof(lab.program) - 1);
	enum wt_sweep_outcome outcome = WT_SWEEP_FAILED;
	double from = wt_wall_clock();

	lab.record = malloc(TEXT_BYTES);
	lab.emulator = malloc(TEXT_BYTES);
	snprintf(lab.seed, sizeof(lab.seed), "%" PRIu64, seed);
	for (unsigned i = 0; i < 2; i++)
		snprintf(lab.host[i], sizeof(lab.host[i]), "%s:%c", name, 'a' + (int)i);
	if (len <= 0 || !lab.record || !lab.emulator) {
		wt_sweep_fail(result, WT_SWEEP_FAILED, strerror(len <= 0 ? errno : ENOMEM));
	} else {
		for (uint64_t attempt = 1; attempt <= sweep->attempts && !stopped(&lab); attempt++) {
			bool whole;

			*lab.record = *lab.emulator = *lab.why = '\0';
			whole = up(&lab) && transfer(&lab);
			down(&lab); /* also after a failed lab up: whatever stands of it */
			outcome = stopped(&lab) ? WT_SWEEP_STOPPED : conclude(&lab, whole);
			result->attempts = (uint32_t)attempt;
			if (outcome != WT_SWEEP_INVALID)
				break;
		}
		if (stopped(&lab) && outcome != WT_SWEEP_OK)
			result->outcome = WT_SWEEP_STOPPED;
	}
	free(lab.record);
	free(lab.emulator);
	result->wall = wt_wall_clock() - from;
}
