/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/simulate/scenario.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emu/daemon/script.h"
#include "emu/daemon/span.h"
#include "stack/text/units.h"
#include "stack/record/capture.h"
#include "stack/record/create.h"
#include "stack/record/digest.h"
#include "stack/drive/graph.h"
#include "stack/record/journal.h"
#include "stack/drive/vloop.h"

/* What one run owns. Everything may be NULL: teardown() copes with any half-built state. */
struct run {
	const struct wt_scenario *scenario;
	struct wt_scenario_result *result;
	struct wt_pool *pool;
	struct wt_graph *graph;
	struct wt_host *host[2];
	struct wt_node *tap[2], *digest[2]; /* at a, at b; NULL: not asked for */
	struct wt_span span;     /* the paths, and their filters */
	struct wt_script script; /* what changes when */
	struct wt_capture *capture;
	struct wt_journal *journal, *log; /* of the engines; of the path alone */
	struct wt_bulk_server server, rival; /* rival: port and configuration of every other flow, if asked for */
	struct wt_token_meter meter;
	FILE *tokens_trace;
	unsigned senders_done, receivers_done;
	bool stop;
	char *err;
	size_t err_len;
};

void wt_scenario_init(struct wt_scenario *scenario)
{
	memset(scenario, 0, sizeof(*scenario));
	wt_tcp_config_init(&scenario->a);
	wt_tcp_config_init(&scenario->b);
	scenario->flows = 1;
	scenario->seed = 1;
}

static int complain(struct run *run, int error, const char *what)
{
	snprintf(run->err, run->err_len, "%s: %s", what, strerror(-error));
	return error;
}

static int not_written(struct run *run, const char *path)
{
	int error = errno ? errno : ENOMEM;
	char why[WT_CREATE_WHY];

	snprintf(run->err, run->err_len, "%s: %s", path, wt_create_why(path, error, why));
	return -error;
}

/* ---- building ----------------------------------------------------------------------------------------- */

/*
 * Frames in flight: a window of each flow both ways with every segment waiting, sent again and duplicated, and their ACKs.
 * More than that is a pool drop, counted like any other.
 */
static uint32_t pool_size(const struct wt_scenario *scenario)
{
	uint64_t window = scenario->a.settings.snd_buffer / scenario->a.settings.mss + 2;
	uint64_t count = 1024 + window * 4 * (scenario->flows ? scenario->flows : 1);

	return count > 200000 ? 200000 : (uint32_t)count;
}

static int add(struct run *run, struct wt_node *node)
{
	int error = node ? wt_graph_add(run->graph, node) : -ENOMEM;

	if (error && node && node->ops->destroy)
		node->ops->destroy(node);
	return error ? complain(run, error, "graph") : 0;
}

static struct wt_trace_sink *sink_of(const struct run *run, unsigned side)
{
	struct wt_trace_sink *own = side ? run->scenario->sink_b : run->scenario->sink_a;

	if (own || !run->journal)
		return own;
	return wt_journal_trace(run->journal, side ? "b" : "a");
}

static int build_host(struct run *run, unsigned side)
{
	static const char *const names[] = {"a", "b"};
	struct wt_host_config config = {
		.mac = {{0x02, 0x77, 0x74, 0, 0, (uint8_t)(1 + side)}},
		.addr = wt_addr_ipv4(10, 0, 0, (uint8_t)(1 + side)),
		.prefix_len = 24,
		.mtu = run->scenario->mtu,
		.secret = wt_key_derive(run->scenario->seed, side ? "host.b" : "host.a"),
		.pool = run->pool,
		.trace = sink_of(run, side),
	};

	snprintf(config.name, sizeof(config.name), "%s", names[side]);
	config.neighbours[0].addr = wt_addr_ipv4(10, 0, 0, (uint8_t)(2 - side));
	config.neighbours[0].mac = (struct wt_mac){{0x02, 0x77, 0x74, 0, 0, (uint8_t)(2 - side)}};
	run->host[side] = wt_host_create(&config);
	if (!run->host[side])
		return complain(run, -ENOMEM, "host");
	return add(run, wt_host_node(run->host[side]));
}

static int build_paths(struct run *run)
{
	const struct wt_scenario *scenario = run->scenario;
	const char *words[2] = {scenario->fwd, scenario->rev};
	int error = wt_span_init(&run->span, "main", true, words, scenario->seed, scenario->shelf, run->err,
				 run->err_len);

	if (error)
		return error;
	wt_span_limit_answers(&run->span, &scenario->icmp_limit);
	if (scenario->tokens)
		error = wt_token_watch(&run->meter, scenario->tokens, &run->span.leg[0].path,
				       &run->result->flow[0], run->tokens_trace, run->err, run->err_len);
	if (error)
		return error;
	error = wt_span_add(&run->span, run->graph);
	return error ? complain(run, error, "graph") : 0;
}

static void on_changed(void *arg, wt_time now, const struct wt_plan_event *event, const char *refused)
{
	struct run *run = arg;
	const char *name = refused ? "emulation:change_refused" : "emulation:path_changed";
	struct wt_json *json = run->log ? wt_journal_begin(run->log, now, name) : NULL;

	if (!json)
		return;
	wt_json_string(json, "link", run->span.name);
	wt_json_string(json, "fwd", run->span.leg[0].path.text);
	wt_json_string(json, "rev", run->span.leg[1].path.text);
	wt_json_string(json, "queue", event->flush ? "flush" : "keep");
	wt_json_string(json, "by", "script");
	wt_json_string(json, refused ? "reason" : "note", refused ? refused : event->note);
	wt_journal_end(run->log);
}

static void keep_words(const struct run *run, char path[2][WT_PATH_TEXT])
{
	for (unsigned i = 0; i < 2; i++)
		snprintf(path[i], WT_PATH_TEXT, "%s", run->span.leg[i].path.text);
}

static int build_script(struct run *run)
{
	int error;

	if (!run->scenario->plan)
		return 0;
	wt_script_init(&run->script, run->scenario->plan, &run->span, run->graph, 0);
	run->script.changed = on_changed;
	run->script.arg = run;
	error = wt_graph_add(run->graph, &run->script.node);
	return error ? complain(run, error, "graph") : 0;
}

static int build_taps(struct run *run, unsigned side)
{
	const struct wt_scenario *scenario = run->scenario;
	int error;

	if (scenario->capture) {
		run->tap[side] = wt_capture_tap(run->capture, side ? "host-b" : "host-a");
		error = add(run, run->tap[side]);
		if (error)
			return error;
	}
	if (scenario->digest) {
		run->digest[side] = wt_digest_tap(side ? "digest.b" : "digest.a");
		return add(run, run->digest[side]);
	}
	return 0;
}

/* Joins `from` and its port to the next node of one direction. Taps stand by a with port 0 towards a, by b with port 0 towards b. */
static void join(struct run *run)
{
	for (unsigned side = 0; side < 2; side++) {
		struct wt_node *at = wt_host_node(run->host[side]);
		unsigned port = 0, far = !side, to_port = 0;
		struct wt_node *to = wt_host_node(run->host[far]);

#define NEXT(node, in, out) (wt_graph_join(run->graph, at, port, (node), (in)), at = (node), port = (out))
		if (run->tap[side])
			NEXT(run->tap[side], 0, 1);
		if (run->digest[side])
			NEXT(run->digest[side], 0, 1);
#undef NEXT
#define BEFORE(node, in, out) (wt_graph_join(run->graph, (node), (out), to, to_port), to = (node), to_port = (in))
		if (run->tap[far])
			BEFORE(run->tap[far], 1, 0);
		if (run->digest[far])
			BEFORE(run->digest[far], 1, 0);
#undef BEFORE
		wt_leg_join(&run->span.leg[side], run->graph, at, port, to, to_port);
	}
}

static int open_files(struct run *run)
{
	struct wt_drop_sink *sink = NULL;

	if (run->scenario->capture) {
		run->capture = wt_capture_open(run->scenario->capture, WT_CAPTURE_EPOCH);
		if (!run->capture)
			return not_written(run, run->scenario->capture);
		sink = wt_capture_drops(run->capture, sink);
	}
	if (run->scenario->trace) {
		run->journal = wt_journal_open(run->scenario->trace);
		if (!run->journal)
			return not_written(run, run->scenario->trace);
		sink = wt_journal_drops(run->journal, sink);
	}
	if (run->scenario->log) {
		run->log = wt_journal_open(run->scenario->log);
		if (!run->log)
			return not_written(run, run->scenario->log);
		sink = wt_journal_drops(run->log, sink);
	}
	if (run->scenario->tokens_trace) {
		run->tokens_trace = wt_create_stream(run->scenario->tokens_trace);
		if (!run->tokens_trace)
			return not_written(run, run->scenario->tokens_trace);
	}
	if (sink)
		wt_graph_set_drop_sink(run->graph, sink);
	return 0;
}

/*
 * How many frames may be handed on at one instant. Whoever writes for a time on paths that take none would never come to its end; what a
 * bucket lets pass at once is less. A size comes to its end, however large it is.
 */
static uint64_t most_at_once(const struct wt_scenario *scenario)
{
	enum { FOR_A_TIME = 1 << 22, EACH_SEGMENT = 1 << 10 };
	const uint64_t longest = (uint64_t)1 << 40;
	uint64_t segments = scenario->size / scenario->a.settings.mss + 1;

	if (scenario->time)
		return FOR_A_TIME;
	return FOR_A_TIME + (segments < longest ? segments : longest) * EACH_SEGMENT * (scenario->flows ? scenario->flows : 1);
}

static int build(struct run *run)
{
	int error;

	run->pool = wt_pool_create(pool_size(run->scenario), (run->scenario->mtu ? run->scenario->mtu : 1500) + 14);
	run->graph = wt_graph_create();
	if (!run->pool || !run->graph)
		return complain(run, -ENOMEM, "graph");
	wt_graph_set_checked(run->graph, run->scenario->checked);
	if (run->scenario->ties_reversed)
		wt_graph_reverse_ties(run->graph);
	wt_graph_may_circle(run->graph, most_at_once(run->scenario), &run->stop);
	errno = 0;
	error = open_files(run);
	for (unsigned side = 0; side < 2 && !error; side++)
		error = build_host(run, side);
	for (unsigned side = 0; side < 2 && !error; side++)
		error = build_taps(run, side);
	if (!error)
		error = build_paths(run);
	if (!error)
		error = build_script(run);
	if (error)
		return error;
	join(run);
	if (run->log)
		wt_graph_set_state_sink(run->graph, wt_journal_states(run->log));
	wt_graph_run(run->graph, 0); /* what the script changes at 0 holds before anything is sent */
	keep_words(run, run->result->path);
	if (run->log)
		wt_graph_tell_states(run->graph);
	return 0;
}

static int teardown(struct run *run)
{
	int error = 0, more;

	run->server.config.on_done = run->rival.config.on_done = NULL; /* the result stands */
	if (run->host[1]) {
		wt_bulk_serve_stop(&run->server);
		wt_bulk_serve_stop(&run->rival);
	}
	/* Hosts go with the graph if it owns them. */
	for (unsigned side = 0; side < 2; side++)
		if (run->host[side] && wt_host_node(run->host[side])->ops->destroy)
			run->host[side] = NULL;
	wt_graph_destroy(run->graph);
	wt_span_finish(&run->span);
	for (unsigned side = 0; side < 2; side++)
		wt_host_destroy(run->host[side]);
	wt_pool_destroy(run->pool);
	error = run->capture ? wt_capture_close(run->capture) : 0;
	if (error)
		complain(run, error, run->scenario->capture);
	more = run->journal ? wt_journal_close(run->journal) : 0;
	if (more)
		complain(run, more, run->scenario->trace);
	error = error ? error : more;
	more = run->log ? wt_journal_close(run->log) : 0;
	if (more)
		complain(run, more, run->scenario->log);
	error = error ? error : more;
	if (run->tokens_trace && (ferror(run->tokens_trace) | fclose(run->tokens_trace)) && !error)
		error = complain(run, -EIO, run->scenario->tokens_trace);
	return error;
}

/* ---- running ------------------------------------------------------------------------------------------ */

/* Over when every sender is done and, unless something failed, every receiver's FIN is acknowledged. */
static void check_over(struct run *run)
{
	if (run->senders_done == run->result->flows && (run->result->fail || run->receivers_done == run->result->flows))
		run->stop = true;
}

static void note_failure(struct run *run, enum wt_bulk_fail fail, int error)
{
	if (fail && !run->result->fail) {
		run->result->fail = fail;
		run->result->error = error;
	}
}

static void on_sender_done(void *arg, struct wt_bulk_sender *sender)
{
	struct run *run = arg;

	run->senders_done++;
	note_failure(run, sender->fail, sender->error);
	check_over(run);
}

static void on_receiver_done(void *arg, struct wt_bulk_receiver *receiver)
{
	struct run *run = arg;

	run->receivers_done++;
	note_failure(run, receiver->fail, receiver->error);
	check_over(run);
}

static void on_interval(void *arg, const struct wt_bulk_interval *interval)
{
	const struct run *run = arg;

	run->scenario->on_interval(run->scenario->arg, interval);
}

static int start(struct run *run)
{
	const struct wt_scenario *scenario = run->scenario;
	struct wt_bulk_serve_config serve = {.max = WT_SCENARIO_FLOWS, .on_done = on_receiver_done, .arg = run};
	struct wt_endpoint remote = {.addr = wt_addr_ipv4(10, 0, 0, 2), .port = WT_SCENARIO_PORT};
	int error = 0;

	if (scenario->playback) {
		error = wt_playback_check(scenario->playback, &scenario->b.settings, run->err, run->err_len);
		if (error)
			return error;
		wt_playback_serve(scenario->playback, &serve);
	}
	error = wt_bulk_serve(&run->server, &serve, run->host[1], WT_SCENARIO_PORT, &scenario->b);
	if (!error && scenario->rival_b)
		error = wt_bulk_serve(&run->rival, &serve, run->host[1], WT_SCENARIO_PORT + 1, scenario->rival_b);
	if (error)
		return complain(run, error, "listen");
	for (unsigned i = 0; i < run->result->flows; i++) {
		struct wt_bulk_send_config send = {.size = scenario->size, .time = scenario->time, .seed = scenario->seed + i,
						   .on_done = on_sender_done, .arg = run};
		bool rival = scenario->rival_a && i % 2;

		remote.port = WT_SCENARIO_PORT + rival;
		if (scenario->playback)
			wt_playback_send(scenario->playback, &send);
		if (i == 0 && scenario->interval && scenario->on_interval) {
			send.interval = scenario->interval;
			send.on_interval = on_interval;
		}
		error = wt_bulk_send(&run->result->flow[i], &send, run->host[0], &remote, 0,
				     rival ? scenario->rival_a : &scenario->a, 0);
		if (error)
			return complain(run, error, "connect");
	}
	wt_graph_touch(run->graph, wt_host_node(run->host[1]));
	wt_graph_touch(run->graph, wt_host_node(run->host[0]));
	return 0;
}

/* Without time between two frames the first instant does not end. */
static int circles(struct run *run)
{
	char at[32];

	snprintf(run->err, run->err_len, "frames go to and fro and take no time, so that it stands still at %s: who writes for a time "
		 "needs a delay or a rate in one direction (fwd '%.200s', rev '%.200s')",
		 wt_format_time(wt_graph_now(run->graph), at, sizeof(at)), run->span.leg[0].path.text, run->span.leg[1].path.text);
	return -EINVAL;
}

static int drive(struct run *run)
{
	const struct wt_scenario *scenario = run->scenario;
	wt_time limit = scenario->limit ? scenario->limit : 24 * 3600 * WT_S, now = 0;

	while (!run->stop && now < limit) {
		if (scenario->interrupt && *scenario->interrupt) {
			run->result->interrupted = true;
			break;
		}
		now = wt_vloop_run(run->graph, wt_time_min(wt_time_add(now, WT_S), limit), &run->stop);
		if (!run->stop && wt_graph_deadline(run->graph) == WT_NEVER)
			break; /* nothing will ever happen again: a deadlock, reported as out of time */
	}
	if (wt_graph_circles(run->graph))
		return circles(run);
	wt_graph_tell_states(run->graph);
	run->result->simulated = now;
	run->result->out_of_time = !run->stop && !run->result->interrupted;
	return 0;
}

static void account(struct run *run)
{
	struct wt_scenario_result *result = run->result;

	keep_words(run, result->path_end);
	for (unsigned i = 0; i < wt_graph_count(run->graph); i++) {
		const struct wt_audit *audit = &wt_graph_node(run->graph, i)->audit;

		for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
			result->dropped[cause] += audit->dropped[cause];
		result->marked += audit->marked;
	}
	for (unsigned side = 0; side < 2; side++) {
		result->frames_of[side] = wt_host_node(run->host[side])->audit.made;
		result->frames += result->frames_of[side];
		if (run->digest[side])
			result->digest = result->digest * 0x100000001b3u ^ wt_digest_value(run->digest[side]);
	}
	if (run->scenario->tokens)
		wt_token_finish(&run->meter, result->tokens);
	/* What an unfinished flow had come to. */
	for (unsigned i = 0; i < result->flows; i++) {
		struct wt_bulk_sender *sender = &result->flow[i];

		if (sender->tcp)
			wt_tcp_info(sender->tcp, &sender->info);
		sender->tcp = NULL; /* goes with its host */
	}
}

static double wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int wt_scenario_run(const struct wt_scenario *scenario, struct wt_scenario_result *result, char *err, size_t err_len)
{
	struct run run = {.scenario = scenario, .result = result, .err = err, .err_len = err_len};
	double from = wall_clock();
	int error, closed;

	memset(result, 0, sizeof(*result));
	result->flows = scenario->flows ? scenario->flows : 1;
	if (result->flows > WT_SCENARIO_FLOWS)
		return complain(&run, -EINVAL, "flows");
	result->flow = calloc(result->flows, sizeof(*result->flow));
	error = result->flow ? build(&run) : complain(&run, -ENOMEM, "flows");
	if (!error)
		error = start(&run);
	if (!error)
		error = drive(&run);
	if (!error)
		account(&run);
	closed = teardown(&run);
	result->wall_s = wall_clock() - from;
	if (!error)
		error = closed;
	if (error)
		wt_scenario_finish(result);
	return error;
}

void wt_scenario_finish(struct wt_scenario_result *result)
{
	free(result->flow);
	result->flow = NULL;
}

bool wt_scenario_ok(const struct wt_scenario_result *result)
{
	return !result->fail && !result->out_of_time && !result->interrupted;
}

double wt_scenario_speed(const struct wt_scenario_result *result)
{
	return result->wall_s > 0 ? (double)result->simulated / 1e9 / result->wall_s : 0;
}
