/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sweep/lab.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "tools/common/child.h"
#include "tools/common/json_copy.h"
#include "tools/common/progress.h"

enum { UP_S = 60 /* some dozens may come up at once on two cores */, RESULT_BYTES = 1 << 20 };

/* ---- the world -------------------------------------------------------------------------------------------- */

/* What flows are told, as a world's file says it. */
static void write_words(FILE *file, const struct wt_sweep_run *run)
{
	static const enum wt_sweep_param said[] = {WT_SWEEP_APP, WT_SWEEP_PRESET, WT_SWEEP_SETTINGS, WT_SWEEP_SENDER, WT_SWEEP_RECOVERY,
						   WT_SWEEP_RECEIVER};

	if (*run->kernel) {
		fprintf(file, "stack = kernel:%s\n", run->kernel);
		return;
	}
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (*run->text[said[i]])
			fprintf(file, "%s = %s\n", wt_sweep_param_name[said[i]], run->text[said[i]]);
}

/* Two hosts and their flows: what wt_simulation_pair() makes in virtual time. */
static void write_pair(FILE *file, const struct wt_sweep_run *run)
{
	char text[32];

	fprintf(file, "[run]\nlimit = %s\n", wt_format_time(run->limit, text, sizeof(text)));
	write_words(file, run);
	if (!*run->kernel && !*run->text[WT_SWEEP_RECEIVER])
		fprintf(file, "receiver = standard\n"); /* not the one that its sender would bring */
	if (run->flow.time)
		fprintf(file, "stop = %s\n", wt_format_time(run->flow.time, text, sizeof(text)));
	else if (!run->flow.asks)
		fprintf(file, "bytes = %s\n", wt_format_size(run->flow.size, text, sizeof(text)));
	for (unsigned i = 0; i < 2; i++) {
		fprintf(file, "[host %c]\n", 'a' + (int)i);
		if (run->mtu)
			fprintf(file, "mtu = %uB\n", run->mtu);
	}
	fprintf(file, "[link main]\nbetween = a b\n");
	if (*run->fwd)
		fprintf(file, "fwd = %s\n", run->fwd);
	if (*run->rev)
		fprintf(file, "rev = %s\n", run->rev);
	for (unsigned i = 0; i < run->flows; i++)
		fprintf(file, "[flow tcp%u]\nbetween = a b\n", i + 1);
}

/* A descriptor that children inherit, or negative errno. A world without flows gets one, as in virtual time. */
static int write_world(const struct wt_sweep_run *run)
{
	int fd = memfd_create("world", 0), error = 0;
	FILE *file = fd < 0 ? NULL : fdopen(dup(fd), "w");

	if (!file)
		return -errno;
	if (!*run->world) {
		write_pair(file, run);
	} else {
		fputs(run->world, file);
		if (*run->world_flow) {
			fprintf(file, "\n%s", run->world_flow);
			write_words(file, run);
		}
	}
	if (fclose(file)) {
		error = -errno;
		close(fd);
	}
	return error ? error : fd;
}

/* ---- the judgement ---------------------------------------------------------------------------------------- */

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* What 99 % of the frames were less late than, ns: of the loop and of each port. */
static json_int_t lateness(const json_t *result)
{
	json_int_t worst = json_integer_value(json_object_get(json_object_get(result, "lateness"), "judged_ns"));
	const json_t *port;
	size_t i;

	json_array_foreach(json_object_get(result, "ports"), i, port) {
		json_int_t judged = json_integer_value(json_object_get(json_object_get(port, "late"), "judged_ns"));

		worst = judged > worst ? judged : worst;
	}
	return worst;
}

/* Was the host too busy, by the verdict, or by what a host's kernel dropped? Then `why` has the reason. */
static bool too_busy(const json_t *result, char *why, size_t why_len)
{
	const json_t *verdict = json_object_get(result, "verdict"), *fault, *flow;
	double drops = 0;
	size_t len = 0, i;

	*why = '\0';
	json_array_foreach(json_object_get(verdict, "faults"), i, fault) {
		const char *name = json_string_value(json_object_get(fault, "fault"));

		len = strlen(why);
		snprintf(why + len, why_len - len, "%s%s", len ? ", " : "the host was too busy: ", name ? name : "?");
	}
	len = strlen(why);
	if (len)
		snprintf(why + len, why_len - len, "; 99 %% of the frames left less than %.3g ms late, %.2g %% of the processors' time was stolen",
			 (double)lateness(result) / 1e6, json_number_value(json_object_get(verdict, "steal_share")) * 100);
	json_array_foreach(json_object_get(result, "flows"), i, flow)
		drops += json_number_value(json_object_get(flow, "kernel_drops")) + json_number_value(json_object_get(flow, "kernel_drops_b"));
	if (!len && drops > 0)
		snprintf(why, why_len, "the host was too busy: the kernel dropped frames at a host of the lab");
	return *why;
}

enum wt_sweep_outcome wt_sweep_lab_judge(const json_t *result, char *why, size_t why_len)
{
	bool told = json_is_object(json_object_get(result, "verdict"));
	char busy[300];

	if (told && too_busy(result, busy, sizeof(busy))) {
		snprintf(why, why_len, "%s", busy);
		return WT_SWEEP_INVALID;
	}
	if (told && json_is_true(json_object_get(result, "ok")))
		return WT_SWEEP_OK;
	if (!*why)
		snprintf(why, why_len, "lab run left no result");
	return WT_SWEEP_FAILED;
}

/* ---- the result ------------------------------------------------------------------------------------------- */

static const json_t *player(const json_t *flow)
{
	return json_object_get(json_object_get(flow, "receiver"), "playback");
}

/* A number of each flow's object, or of what is said there: summed over all. NaN where none has it. */
static double total(const json_t *flows, const char *inside, const char *key)
{
	const json_t *flow;
	double sum = NAN;
	size_t i;

	json_array_foreach(flows, i, flow) {
		double value = number(*inside ? json_object_get(flow, inside) : flow, key);

		if (!isnan(value))
			sum = isnan(sum) ? value : sum + value;
	}
	return sum;
}

static double over_hops(const json_t *result, const char *key)
{
	double sum = total(json_object_get(result, "hops"), "", key);

	return isnan(sum) ? 0 : sum;
}

/* Of applications: means over the flows. */
static void app_json(struct wt_json *json, const json_t *flows)
{
	static const char *const rr[] = {"transactions_per_s", "latency_p50_s", "latency_p95_s", "latency_p99_s"};
	double success = 0, count = (double)json_array_size(flows);
	const json_t *flow;
	bool plays = false;
	size_t i;

	json_array_foreach(flows, i, flow) {
		plays |= player(flow) != NULL;
		success += player(flow) ? number(player(flow), "success_percent") : 0;
	}
	if (plays)
		wt_json_number(json, "success_percent", success / count);
	for (i = 0; i < sizeof(rr) / sizeof(rr[0]); i++)
		if (!isnan(total(flows, "rr", rr[i])))
			wt_json_number(json, rr[i], total(flows, "rr", rr[i]) / (i ? count : 1));
}

static void metrics_json(struct wt_json *json, const json_t *result)
{
	static const char *const counts[] = {"sent_segs", "retransmits_segs", "fast_recoveries", "timeouts", "ecn_reductions"};
	const json_t *flows = json_object_get(result, "flows"), *sum = json_object_get(result, "sum"), *flow; /* sum: of several flows */
	double longest = 0;
	size_t i;

	json_array_foreach(flows, i, flow)
		longest = fmax(longest, number(flow, "connection_time_s"));
	wt_json_object(json, "metrics");
	wt_json_number(json, "goodput_kBps", sum ? number(sum, "goodput_kBps") : total(flows, "", "goodput_kBps"));
	wt_json_number(json, "connection_time_s", longest);
	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		wt_json_number(json, counts[i], total(flows, "sender", counts[i]));
	wt_json_number(json, "dropped_frames", over_hops(result, "dropped_frames"));
	wt_json_number(json, "marked_frames", over_hops(result, "marked"));
	wt_json_number(json, "frames", over_hops(result, "in"));
	wt_json_number(json, "jain", json_array_size(flows) > 1 ? number(result, "jain") : 1);
	app_json(json, flows);
	wt_json_end(json);
}

static void drops_json(struct wt_json *json, const json_t *hops)
{
	wt_json_object(json, "dropped_frames");
	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++) {
		double dropped = total(hops, "dropped", wt_drop_name(cause));

		if (dropped > 0)
			wt_json_u64(json, wt_drop_name(cause), (uint64_t)dropped);
	}
	wt_json_end(json);
}

/* {"tcp1": {...}}, as in virtual time; of many flows without what each end counted. */
static void flows_json(struct wt_json *json, const json_t *flows)
{
	bool whole = json_array_size(flows) <= WT_SWEEP_FLOWS_WHOLE;
	const json_t *flow, *value;
	const char *key;
	size_t i;

	wt_json_object(json, "flow");
	json_array_foreach(flows, i, flow) {
		const char *name = json_string_value(json_object_get(flow, "name"));

		wt_json_object(json, name ? name : "?");
		json_object_foreach((json_t *)(uintptr_t)flow, key, value)
			if (strcmp(key, "flow") && strcmp(key, "name") && strcmp(key, "requested") && (whole || !json_is_object(value)))
				wt_json_copy(json, key, value);
		wt_json_end(json);
	}
	wt_json_end(json);
}

/* {"narrow": {"fwd": {...}, "rev": {...}}}; both directions of a link follow each other. */
static void hops_json(struct wt_json *json, const json_t *hops)
{
	const char *open = NULL;
	const json_t *hop;
	size_t i;

	wt_json_object(json, "hop");
	json_array_foreach(hops, i, hop) {
		const char *link = json_string_value(json_object_get(hop, "link"));

		if (!open || strcmp(open, link)) {
			if (open)
				wt_json_end(json);
			wt_json_object(json, link);
		}
		open = link;
		wt_json_copy(json, json_string_value(json_object_get(hop, "direction")), hop);
	}
	if (open)
		wt_json_end(json);
	wt_json_end(json);
}

/* The numbers of an invalid run are kept too, beside the reason not to believe them. */
static void write_result(struct wt_sweep_result *out, const struct wt_sweep_run *run, const json_t *result, const char *why)
{
	const json_t *hops = json_object_get(result, "hops");
	enum wt_sweep_outcome outcome = (enum wt_sweep_outcome)out->outcome;
	struct wt_json json;

	if (!wt_sweep_result_open(out, &json))
		return;
	wt_sweep_result_head(&json, outcome, why);
	metrics_json(&json, result);
	drops_json(&json, hops);
	wt_json_u64(&json, "attempts", out->attempts);
	flows_json(&json, json_object_get(result, "flows"));
	if (*run->world)
		hops_json(&json, hops);
	wt_json_copy(&json, "verdict", json_object_get(result, "verdict"));
	wt_sweep_result_close(out, &json, outcome);
}

/* ---- the run ---------------------------------------------------------------------------------------------- */

struct attempt {
	const struct wt_sweep *sweep;
	const struct wt_sweep_run *run;
	uint64_t seed;
	int world; /* a descriptor of its text */
	char *text; /* RESULT_BYTES of them */
	const volatile int *stop;
};

/* Once. What it said on standard error goes to `why`. */
static json_t *lab_run(const struct attempt *attempt, char *why, size_t why_len)
{
	char program[PATH_MAX] = "", world[40], seed[24], late[32], steal[32];
	struct wt_words words = {0};
	struct wt_child child;
	int error = readlink("/proc/self/exe", program, sizeof(program) - 1) > 0 ? 0 : -errno;

	snprintf(world, sizeof(world), "/proc/self/fd/%d", attempt->world);
	snprintf(seed, sizeof(seed), "%" PRIu64, attempt->seed);
	wt_format_share(attempt->sweep->bounds.steal, steal, sizeof(steal));
	for (const char *const *word = (const char *const[]){program, "lab", "run", "--json", world, NULL}; *word; word++)
		wt_words_add(&words, *word);
	wt_words_option(&words, "--backend", attempt->sweep->backend);
	wt_words_option(&words, "--seed", seed);
	wt_words_option(&words, "--late", wt_format_time(attempt->sweep->bounds.late, late, sizeof(late)));
	wt_words_option(&words, "--steal", steal);
	*attempt->text = *why = '\0';
	if (!error)
		error = wt_child_start_words(&child, &words, true, true);
	if (error) {
		snprintf(why, why_len, "lab run: %s", strerror(-error));
		return NULL;
	}
	/* lab run keeps the time of the run itself */
	wt_child_read(child.out, attempt->text, RESULT_BYTES, NULL, (double)attempt->run->limit / 1e9 + UP_S, attempt->stop);
	wt_child_read(child.err, why, why_len, NULL, 1, attempt->stop);
	why[strcspn(why, "\n")] = '\0';
	if (!strncmp(why, "wavetank lab run: ", 18))
		memmove(why, why + 18, strlen(why + 18) + 1);
	wt_child_end(&child, UP_S, attempt->stop);
	return wt_json_last_line(attempt->text);
}

static void try(const struct attempt *attempt, struct wt_sweep_result *out)
{
	const volatile int *stop = attempt->stop;
	json_t *result = NULL;
	char why[300] = "";

	out->outcome = WT_SWEEP_STOPPED;
	while (out->attempts < attempt->sweep->attempts && !(stop && *stop)) {
		json_decref(result);
		result = lab_run(attempt, why, sizeof(why));
		out->attempts++;
		out->outcome = stop && *stop ? WT_SWEEP_STOPPED : wt_sweep_lab_judge(result, why, sizeof(why));
		if (out->outcome != WT_SWEEP_INVALID)
			break;
	}
	if (out->outcome == WT_SWEEP_INVALID && stop && *stop)
		out->outcome = WT_SWEEP_STOPPED; /* it would have been tried again */
	if (out->outcome != WT_SWEEP_STOPPED)
		write_result(out, attempt->run, result, why);
	json_decref(result);
}

void wt_sweep_lab_work(const struct wt_sweep *sweep, const struct wt_sweep_run *run, uint64_t seed, struct wt_sweep_result *result,
		       const volatile int *stop)
{
	struct attempt attempt = {.sweep = sweep, .run = run, .seed = seed, .stop = stop, .world = write_world(run), .text = malloc(RESULT_BYTES)};
	double from = wt_wall_clock();

	if (attempt.world < 0 || !attempt.text)
		wt_sweep_fail(result, WT_SWEEP_FAILED, strerror(attempt.world < 0 ? -attempt.world : ENOMEM));
	else
		try(&attempt, result);
	if (attempt.world >= 0)
		close(attempt.world);
	free(attempt.text);
	result->wall = wt_wall_clock() - from;
}
