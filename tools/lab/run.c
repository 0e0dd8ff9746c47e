/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "tools/common/child.h"
#include "tools/common/progress.h"

#define UP_SECONDS 60 /* for lab up and down: some dozens may come up at once on two cores */
#define TEXT_BYTES 65536

struct lab {
	const struct wt_lab_job *job;
	struct wt_lab_result *result;
	char program[PATH_MAX], name[32], host[2][40], seed[24], owner[16];
	char record[TEXT_BYTES], emulator[TEXT_BYTES];
};

static bool stopped(const struct lab *lab)
{
	return lab->job->stop && *lab->job->stop;
}

/* The first reason is told. */
static bool fail(struct lab *lab, const char *what, const char *text)
{
	if (!*lab->result->why)
		snprintf(lab->result->why, sizeof(lab->result->why), "%s: %.*s", what, (int)strcspn(text, "\n"), text);
	return false;
}

/* ---- the lab ---------------------------------------------------------------------------------------------- */

static bool up(struct lab *lab)
{
	struct wt_words words = {0};
	struct wt_child child;
	char text[600] = "", late[32], steal[32];
	int error;

	wt_format_share(lab->job->bounds.steal, steal, sizeof(steal));
	wt_words_add(&words, lab->program);
	wt_words_add(&words, "lab");
	wt_words_add(&words, "up");
	wt_words_add(&words, lab->name);
	wt_words_option(&words, "--backend", lab->job->backend);
	wt_words_option(&words, "--fwd", lab->job->fwd);
	wt_words_option(&words, "--rev", lab->job->rev);
	wt_words_option(&words, "--seed", lab->seed);
	wt_words_option(&words, "--owner", lab->owner);
	wt_words_option(&words, "--late", wt_format_time(lab->job->bounds.late, late, sizeof(late)));
	wt_words_option(&words, "--steal", steal);
	error = wt_child_start_words(&child, &words, false, true);
	if (error)
		return fail(lab, "lab up", strerror(-error));
	/* Not to end of file: what stays running in the lab may hold the pipe. */
	while (!wt_child_read(child.err, text, sizeof(text), "\n", 1, lab->job->stop) && !stopped(lab)) {
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
	wt_child_read(child.out, lab->emulator, sizeof(lab->emulator), NULL, UP_SECONDS, NULL);
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

static bool by_kernel(const struct lab *lab)
{
	return lab->job->kernel && *lab->job->kernel;
}

static void say_stack(const struct lab *lab, struct wt_words *words)
{
	wt_words_option(words, "-i", "0");
	wt_words_option(words, "--preset", lab->job->preset);
	wt_words_option(words, "-S", lab->job->settings);
	wt_words_option(words, "--app", lab->job->app);
}

static int start_recv(const struct lab *lab, struct wt_child *child)
{
	struct wt_words words = {0};

	say_exec(lab, &words, 1, by_kernel(lab) ? "kernel" : "recv");
	if (by_kernel(lab)) {
		wt_words_add(&words, "recv");
		wt_words_option(&words, "-C", lab->job->kernel);
	} else {
		wt_words_add(&words, "-1");
		say_stack(lab, &words);
		wt_words_option(&words, "--rcc", lab->job->receiver && *lab->job->receiver ? lab->job->receiver : "standard");
	}
	return wt_child_start_words(child, &words, false, true);
}

static int start_send(const struct lab *lab, struct wt_child *child)
{
	const struct wt_lab_job *job = lab->job;
	char size[32], time[32], limit[32];
	struct wt_words words = {0};

	say_exec(lab, &words, 0, by_kernel(lab) ? "kernel" : "send");
	if (by_kernel(lab))
		wt_words_add(&words, "send");
	wt_words_option(&words, "-c", "b");
	if (job->size)
		wt_words_option(&words, "-n", wt_format_size(job->size, size, sizeof(size)));
	if (job->time)
		wt_words_option(&words, "-t", wt_format_time(job->time, time, sizeof(time)));
	wt_words_option(&words, "--timeout", wt_format_time(job->limit, limit, sizeof(limit)));
	wt_words_add(&words, "--json");
	wt_words_option(&words, "--seed", lab->seed);
	if (by_kernel(lab)) {
		wt_words_option(&words, "-C", job->kernel);
	} else {
		say_stack(lab, &words);
		wt_words_option(&words, "-C", job->sender);
		wt_words_option(&words, "--recovery", job->recovery);
	}
	return wt_child_start_words(child, &words, true, true);
}

static bool transfer(struct lab *lab)
{
	struct wt_child recv = {.out = -1, .err = -1}, send = {.out = -1, .err = -1};
	double limit = (double)lab->job->limit / 1e9 + 30;
	char text[600] = "";
	bool whole = false;
	int error = start_recv(lab, &recv);

	if (error)
		fail(lab, "recv", strerror(-error));
	else if (!wt_child_read(recv.err, text, sizeof(text), "listening", UP_SECONDS, lab->job->stop))
		fail(lab, "recv", *text ? text : "does not listen");
	else if ((error = start_send(lab, &send)) != 0)
		fail(lab, "send", strerror(-error));
	else {
		whole = wt_child_read(send.out, lab->record, sizeof(lab->record), NULL, limit, lab->job->stop);
		*text = '\0';
		wt_child_read(send.err, text, sizeof(text), NULL, 1, lab->job->stop);
		if (!whole || !*lab->record)
			whole = fail(lab, "send", *text ? text : whole ? "no record" : "not finished in time");
	}
	wt_child_end(&send, 5, lab->job->stop);
	wt_child_end(&recv, 0, lab->job->stop); /* it may still wait for an ACK that was lost; we have its result */
	return whole;
}

/* ---- the judgement ---------------------------------------------------------------------------------------- */

double wt_lab_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* What 99 % of the frames were less late than, ns: of the loop and of each port. */
static json_int_t lateness(const json_t *emulator)
{
	json_int_t worst = json_integer_value(json_object_get(json_object_get(emulator, "lateness"), "judged_ns"));
	const json_t *port;
	size_t i;

	json_array_foreach(json_object_get(emulator, "ports"), i, port) {
		json_int_t judged = json_integer_value(json_object_get(json_object_get(port, "late"), "judged_ns"));

		worst = judged > worst ? judged : worst;
	}
	return worst;
}

bool wt_lab_valid(const json_t *emulator, char *why, size_t why_len)
{
	const json_t *verdict = json_object_get(emulator, "verdict"), *fault;
	size_t len, i;

	*why = '\0';
	if (!json_is_object(verdict)) {
		snprintf(why, why_len, "the emulator left no record");
		return false;
	}
	json_array_foreach(json_object_get(verdict, "faults"), i, fault) {
		const char *name = json_string_value(json_object_get(fault, "fault"));

		len = strlen(why);
		snprintf(why + len, why_len - len, "%s%s", len ? ", " : "the host was too busy: ", name ? name : "?");
	}
	len = strlen(why);
	if (len)
		snprintf(why + len, why_len - len, "; 99 %% of the frames were less than %.3g ms late, %.2g %% of the processors' time was stolen",
			 (double)lateness(emulator) / 1e6, json_number_value(json_object_get(verdict, "steal_share")) * 100);
	return !len;
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

enum wt_lab_outcome wt_lab_judge(struct wt_lab_result *result)
{
	char busy[sizeof(result->why)];
	bool told = json_is_object(json_object_get(result->emulator, "verdict"));
	bool valid = wt_lab_valid(result->emulator, busy, sizeof(busy));

	if (valid && wt_lab_number(json_object_get(result->record, "noise"), "kernel_drops") > 0) {
		snprintf(busy, sizeof(busy), "the host was too busy: the kernel dropped frames at the sender");
		valid = false;
	}
	if (*result->why && (valid || !told))
		return WT_LAB_FAILED;
	if (valid)
		return WT_LAB_OK;
	snprintf(result->why, sizeof(result->why), "%s", busy);
	return WT_LAB_INVALID;
}

static enum wt_lab_outcome judge(struct lab *lab, bool whole)
{
	struct wt_lab_result *result = lab->result;
	const char *outcome;

	result->record = whole ? last_record(lab->record) : NULL;
	result->emulator = json_loads(lab->emulator, 0, NULL);
	outcome = json_string_value(json_object_get(result->record, "outcome"));
	if (whole && (!outcome || strcmp(outcome, "complete")))
		fail(lab, "send", outcome ? outcome : "no record");
	return stopped(lab) ? WT_LAB_STOPPED : wt_lab_judge(result);
}

static void forget(struct wt_lab_result *result)
{
	json_decref(result->record);
	json_decref(result->emulator);
	result->record = result->emulator = NULL;
	*result->why = '\0';
}

/* The names of two labs at a time differ: a process makes one at a time. */
static int begin(struct lab *lab)
{
	ssize_t len = readlink("/proc/self/exe", lab->program, sizeof(lab->program) - 1);

	if (len <= 0)
		return -errno;
	snprintf(lab->name, sizeof(lab->name), "sweep-%d-%d", (int)getppid(), (int)getpid());
	for (unsigned i = 0; i < 2; i++)
		snprintf(lab->host[i], sizeof(lab->host[i]), "%s:%c", lab->name, 'a' + (int)i);
	snprintf(lab->seed, sizeof(lab->seed), "%" PRIu64, lab->job->seed);
	snprintf(lab->owner, sizeof(lab->owner), "%d", (int)getpid());
	return 0;
}

void wt_lab_run(const struct wt_lab_job *job, struct wt_lab_result *result)
{
	struct lab *lab = calloc(1, sizeof(*lab));
	double from = wt_wall_clock();
	int error = lab ? 0 : -ENOMEM;

	*result = (struct wt_lab_result){.outcome = WT_LAB_STOPPED};
	if (lab) {
		lab->job = job;
		lab->result = result;
		error = begin(lab);
	}
	if (error) {
		result->outcome = WT_LAB_FAILED;
		snprintf(result->why, sizeof(result->why), "%s", strerror(-error));
	}
	while (!error && result->attempts < job->attempts && !stopped(lab)) {
		bool whole;

		forget(result);
		*lab->record = *lab->emulator = '\0';
		whole = up(lab) && transfer(lab);
		down(lab); /* also after a failed lab up: whatever stands of it */
		result->attempts++;
		result->outcome = judge(lab, whole);
		if (result->outcome != WT_LAB_INVALID)
			break;
	}
	if (!error && result->outcome == WT_LAB_INVALID && stopped(lab))
		result->outcome = WT_LAB_STOPPED; /* it would have been tried again */
	free(lab);
	result->wall = wt_wall_clock() - from;
}

void wt_lab_result_finish(struct wt_lab_result *result)
{
	forget(result);
}
