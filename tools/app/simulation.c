/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/simulation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emu/world/change.h"
#include "stack/text/units.h"
#include "stack/record/create.h"
#include "stack/record/digest.h"
#include "stack/record/journal.h"
#include "stack/drive/vloop.h"
#include "tools/app/flow_run.h"

/* What one run owns. Everything may be NULL: teardown() copes with any half-built state. */
struct run {
	const struct wt_simulation *simulation;
	const struct wt_world *world;
	struct wt_simulation_result *result;
	struct wt_network net;
	struct wt_script script; /* what changes when */
	struct wt_capture *capture;
	struct wt_journal *journal, *log; /* of the engines; of the paths alone */
	struct wt_flow_run flows;
	struct wt_token_meter meter;
	FILE *tokens_trace;
	bool stop, refused;
	char *err;
	size_t err_len;
};

void wt_simulation_init(struct wt_simulation *simulation)
{
	*simulation = (struct wt_simulation){0};
	wt_world_init(&simulation->world);
}

void wt_simulation_finish(struct wt_simulation *simulation)
{
	wt_world_finish(&simulation->world);
	free(simulation->flow);
	simulation->flow = NULL;
}

int wt_simulation_resolve(struct wt_simulation *simulation, char *err, size_t err_len)
{
	int error;

	for (unsigned i = 0; i < simulation->world.hosts; i++)
		simulation->world.host[i].placement = WT_INSIDE;
	error = wt_world_check(&simulation->world, err, err_len);
	if (error)
		return error;
	free(simulation->flow);
	simulation->flow = wt_flows_resolve(&simulation->world, err, err_len);
	if (!simulation->flow)
		return -EINVAL;
	return simulation->foretells ? 0 : wt_flows_ours(&simulation->world, simulation->flow, err, err_len);
}

int wt_simulation_pair(struct wt_simulation *simulation, const char *fwd, const char *rev, const struct wt_app_flow *flow, unsigned flows,
		       char *err, size_t err_len)
{
	struct wt_world *world = &simulation->world;
	int error = wt_world_pair(world, fwd, rev);
	char name[24];

	snprintf(err, err_len, "out of memory");
	for (unsigned i = 0; i < flows && !error; i++) {
		snprintf(name, sizeof(name), "tcp%u", i + 1);
		error = wt_world_add_flow(world, name, 0, 1);
	}
	simulation->flow = calloc(flows, sizeof(*simulation->flow));
	for (unsigned i = 0; i < flows && simulation->flow; i++)
		simulation->flow[i] = *flow;
	if (error || !simulation->flow)
		return -ENOMEM;
	if (flow->plays && wt_playback_check(&flow->playback, &flow->b.settings, err, err_len))
		return -EINVAL;
	return wt_world_check(world, err, err_len);
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

enum { ROUTING_BUFFER = 128 /* packets that wait for a way at a station, and messages */ };

/*
 * Frames in flight: a window of each flow both ways with every segment waiting, sent again and duplicated, and their ACKs; of datagrams
 * those of one second; of a station on the air, its queue and what waits for a way.
 * More than that is a pool drop, counted like any other.
 */
static uint32_t pool_size(const struct wt_simulation *simulation)
{
	const struct wt_world_air *air = &simulation->world.air;
	uint64_t count = 1024 + (uint64_t)air->stations * (air->config.queue + ROUTING_BUFFER);

	for (unsigned i = 0; i < simulation->world.flows; i++) {
		const struct wt_app_flow *flow = &simulation->flow[i];

		count += flow->datagrams ? flow->cbr.rate / flow->cbr.size / 8 : (flow->a.settings.snd_buffer / flow->a.settings.mss + 2) * 4;
	}
	return count > 200000 ? 200000 : (uint32_t)count;
}

static struct wt_trace_sink *sink_of(void *arg, unsigned host)
{
	struct run *run = arg;
	struct wt_trace_sink *own = host < 2 ? run->simulation->sink[host] : NULL;

	if (own || !run->journal)
		return own;
	return wt_journal_trace(run->journal, run->world->host[host].name);
}

static int watch_tokens(struct run *run)
{
	if (!run->simulation->tokens)
		return 0;
	return wt_token_watch(&run->meter, run->simulation->tokens, &run->net.link[0].way[0].path, &run->flows.sender[0], run->tokens_trace,
			      run->err, run->err_len);
}

static void on_changed(void *arg, wt_time now, const struct wt_world_event *event, const char *refused)
{
	struct run *run = arg;
	const char *name = refused ? "emulation:change_refused" : "emulation:path_changed";
	struct wt_json *json = run->log ? wt_journal_begin(run->log, now, name) : NULL;
	const struct wt_link *link = &run->net.link[event->link];

	if (!json)
		return;
	wt_json_string(json, "link", link->name);
	wt_json_string(json, "fwd", link->way[0].path.text);
	wt_json_string(json, "rev", link->way[1].path.text);
	wt_json_string(json, "queue", event->flush ? "flush" : "keep");
	wt_json_string(json, "by", "script");
	wt_json_string(json, refused ? "reason" : "note", refused ? refused : event->note ? event->note : "");
	wt_journal_end(run->log);
}

/* The words that links have now. */
static int keep_words(const struct run *run, char *(**path)[2])
{
	bool all = true;

	*path = calloc(run->world->links, sizeof(**path));
	for (unsigned i = 0; i < run->world->links && *path; i++)
		for (unsigned d = 0; d < 2; d++)
			all &= ((*path)[i][d] = strdup(run->net.link[i].way[d].path.text)) != NULL;
	return *path && all ? 0 : -ENOMEM;
}

static int open_files(struct run *run)
{
	const struct wt_simulation *simulation = run->simulation;

	errno = 0;
	if (simulation->capture &&
	    !(run->capture = wt_world_capture(run->world, simulation->capture, WT_CAPTURE_EPOCH, run->err, run->err_len)))
		return -errno;
	if (simulation->trace && !(run->journal = wt_journal_open(simulation->trace)))
		return not_written(run, simulation->trace);
	if (simulation->log && !(run->log = wt_journal_open(simulation->log)))
		return not_written(run, simulation->log);
	if (simulation->tokens_trace && !(run->tokens_trace = wt_create_stream(simulation->tokens_trace)))
		return not_written(run, simulation->tokens_trace);
	return 0;
}

static void set_sinks(struct run *run)
{
	struct wt_drop_sink *sink = run->simulation->drops;

	if (run->capture)
		sink = wt_capture_drops(run->capture, sink);
	if (run->journal)
		sink = wt_journal_drops(run->journal, sink);
	if (run->log)
		sink = wt_journal_drops(run->log, sink);
	wt_graph_set_drop_sink(run->net.graph, sink);
	if (run->log)
		wt_graph_set_state_sink(run->net.graph, wt_journal_states(run->log));
}

/*
 * How many frames may be handed on at one instant. Whoever writes for a time on paths that take none would never come to its end; what a
 * bucket lets pass at once is less. A size comes to its end, however large it is.
 */
static uint64_t most_at_once(const struct wt_simulation *simulation)
{
	enum { FOR_A_TIME = 1 << 22, EACH_SEGMENT = 1 << 10 };
	const uint64_t longest = (uint64_t)1 << 40;
	uint64_t most = FOR_A_TIME;

	for (unsigned i = 0; i < simulation->world.flows; i++) {
		uint64_t segments = simulation->flow[i].size / simulation->flow[i].a.settings.mss + 1;

		if (simulation->flow[i].time || !simulation->flow[i].size)
			return FOR_A_TIME;
		most += (segments < longest ? segments : longest) * EACH_SEGMENT;
	}
	return most;
}

static int build(struct run *run)
{
	const struct wt_simulation *simulation = run->simulation;
	const struct wt_world_build how = {.frames = pool_size(simulation), .digest = simulation->digest, .whole = simulation->long_way,
					   .trace = sink_of, .arg = run};
	int error = open_files(run);

	if (!error)
		error = wt_network_open(&run->net, run->world, &how, run->err, run->err_len);
	if (error)
		return error;
	wt_graph_set_checked(run->net.graph, simulation->checked);
	if (simulation->ties_reversed)
		wt_graph_reverse_ties(run->net.graph);
	wt_graph_may_circle(run->net.graph, most_at_once(simulation), &run->stop);
	wt_graph_interrupt(run->net.graph, simulation->interrupt);
	wt_graph_may_ahead(run->net.graph, !simulation->long_way);
	set_sinks(run);
	error = wt_network_join(&run->net, run->capture);
	for (unsigned i = 0; i < run->world->links && !error && !run->world->events; i++)
		for (unsigned d = 0; d < 2; d++)
			wt_path_fix(&run->net.link[i].way[d].path);
	if (!error)
		wt_network_record_air(&run->net, run->capture, run->log);
	if (!error && simulation->on_built)
		simulation->on_built(simulation->arg, &run->net);
	wt_script_init(&run->script, run->world, run->net.link, run->net.graph, 0);
	run->script.changed = on_changed;
	run->script.arg = run;
	if (!error)
		error = wt_graph_add(run->net.graph, &run->script.node);
	if (error)
		return complain(run, error, "graph");
	wt_graph_run(run->net.graph, 0); /* what the script changes at 0 holds before anything is sent */
	if (keep_words(run, &run->result->path))
		return complain(run, -ENOMEM, "paths");
	if (run->log)
		wt_graph_tell_states(run->net.graph);
	return 0;
}

static int close_file(struct run *run, int error, int closed, const char *path)
{
	if (closed && !error)
		complain(run, closed, path);
	return error ? error : closed;
}

static int teardown(struct run *run)
{
	int error = 0;

	wt_flow_run_stop(&run->flows);
	wt_network_finish(&run->net);
	if (run->capture)
		error = close_file(run, error, wt_capture_close(run->capture), run->simulation->capture);
	if (run->journal)
		error = close_file(run, error, wt_journal_close(run->journal), run->simulation->trace);
	if (run->log)
		error = close_file(run, error, wt_journal_close(run->log), run->simulation->log);
	if (run->tokens_trace)
		error = close_file(run, error, ferror(run->tokens_trace) | fclose(run->tokens_trace) ? -EIO : 0, run->simulation->tokens_trace);
	return error;
}

/* ---- running ------------------------------------------------------------------------------------------ */

static void on_over(void *arg)
{
	((struct run *)arg)->stop = true;
}

static void on_error(void *arg, const char *sentence)
{
	struct run *run = arg;

	snprintf(run->err, run->err_len, "%s", sentence);
	run->refused = run->stop = true;
}

static void on_interval(void *arg, const struct wt_bulk_interval *interval)
{
	const struct run *run = arg;

	run->simulation->on_interval(run->simulation->arg, interval);
}

static int start(struct run *run)
{
	const struct wt_simulation *simulation = run->simulation;
	int error;

	run->flows = (struct wt_flow_run){
		.world = run->world, .flow = simulation->flow, .host = run->net.host, .seed = run->world->seed, .interval = simulation->interval,
		.on_interval = simulation->on_interval ? on_interval : NULL, .on_over = on_over, .on_error = on_error, .arg = run,
	};
	error = wt_flow_run_start(&run->flows, 0, run->err, run->err_len);
	if (!error)
		error = watch_tokens(run);
	for (unsigned i = run->world->hosts; i-- > 0 && !error;)
		wt_graph_touch(run->net.graph, wt_host_node(run->net.host[i]));
	return error;
}

/* Without time between two frames the first instant does not end. */
static int circles(struct run *run)
{
	char at[32];

	snprintf(run->err, run->err_len, "--time needs a delay or a rate on the path: without one, simulated time never advances "
		 "(it stands at %s; fwd '%.200s', rev '%.200s')",
		 wt_format_time(wt_graph_now(run->net.graph), at, sizeof(at)), run->net.link[0].way[0].path.text,
		 run->net.link[0].way[1].path.text);
	return -EINVAL;
}

static bool interrupted(const struct wt_simulation *simulation)
{
	return simulation->interrupt && *simulation->interrupt;
}

static int drive(struct run *run)
{
	const struct wt_simulation *simulation = run->simulation;
	wt_time limit = run->world->time ? run->world->time : run->world->limit, now = 0;

	while (!run->stop && now < limit && !interrupted(simulation)) {
		now = wt_vloop_run(run->net.graph, wt_time_min(wt_time_add(now, WT_S), limit), &run->stop);
		if (!run->stop && wt_graph_deadline(run->net.graph) == WT_NEVER)
			break; /* nothing will ever happen again: a deadlock, reported as out of time */
	}
	run->result->interrupted = interrupted(simulation);
	if (wt_graph_circles(run->net.graph) && !run->result->interrupted)
		return circles(run);
	if (run->refused)
		return -EADDRNOTAVAIL;
	wt_graph_tell_states(run->net.graph);
	run->result->simulated = now;
	run->result->ended = !run->stop && run->world->time && now >= run->world->time;
	run->result->out_of_time = !run->stop && !run->result->interrupted && !run->result->ended;
	return 0;
}

static int account(struct run *run)
{
	struct wt_simulation_result *result = run->result;
	const struct wt_network *net = &run->net;

	for (unsigned i = 0; i < wt_graph_count(net->graph); i++) {
		const struct wt_audit *audit = &wt_graph_node(net->graph, i)->audit;

		for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
			result->dropped[cause] += audit->dropped[cause];
		result->marked += audit->marked;
	}
	for (unsigned i = 0; i < run->world->hosts; i++) {
		uint64_t made = wt_host_node(net->host[i])->audit.made;

		result->frames += made;
		if (i < 2)
			result->frames_of[i] = made;
		if (net->digest[i])
			result->digest = result->digest * 0x100000001b3u ^ wt_digest_value(net->digest[i]);
	}
	if (run->simulation->tokens)
		wt_token_finish(&run->meter, result->tokens);
	wt_flow_run_cut(&run->flows, result->simulated);
	result->fail = run->flows.fail;
	result->error = run->flows.error;
	result->flows = run->world->flows;
	result->links = run->world->links;
	result->hop = calloc(run->world->links, sizeof(*result->hop));
	for (unsigned i = 0; i < run->world->links && result->hop; i++)
		for (unsigned d = 0; d < 2; d++)
			wt_network_hop_books(net, i, d, &result->hop[i][d]);
	result->air = run->world->air.stations ? calloc(run->world->air.stations, sizeof(*result->air)) : NULL;
	for (unsigned i = 0; i < run->world->air.stations && result->air; i++)
		result->air[i] = *wt_air_count(net->air, i);
	return keep_words(run, &result->path_end) || !result->hop ? complain(run, -ENOMEM, "result") : 0;
}

static double wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int wt_simulation_run(const struct wt_simulation *simulation, struct wt_simulation_result *result, char *err, size_t err_len)
{
	struct run run = {.simulation = simulation, .world = &simulation->world, .result = result, .err = err, .err_len = err_len};
	double from = wall_clock();
	int error;

	memset(result, 0, sizeof(*result));
	error = build(&run);
	if (!error)
		error = start(&run);
	if (!error)
		error = drive(&run);
	if (!error)
		error = account(&run);
	result->file_error = teardown(&run);
	result->wall_s = wall_clock() - from;
	result->flow = run.flows.sender;
	result->datagram_sender = run.flows.datagram_sender;
	result->datagram_sink = run.flows.datagram_sink;
	result->rr = run.flows.rr;
	run.flows.sender = NULL;
	run.flows.rr = NULL;
	run.flows.datagram_sender = NULL;
	run.flows.datagram_sink = NULL;
	wt_flow_run_finish(&run.flows);
	result->links = run.world->links;
	result->flows = run.world->flows;
	if (error)
		wt_simulation_result_finish(result);
	return error;
}

void wt_simulation_result_finish(struct wt_simulation_result *result)
{
	for (unsigned i = 0; i < result->links; i++)
		for (unsigned d = 0; d < 2; d++) {
			if (result->path)
				free(result->path[i][d]);
			if (result->path_end)
				free(result->path_end[i][d]);
		}
	free(result->path);
	free(result->path_end);
	free(result->air);
	free(result->hop);
	for (unsigned i = 0; result->rr && i < result->flows; i++)
		wt_rr_finish(&result->rr[i]);
	free(result->rr);
	result->rr = NULL;
	for (unsigned i = 0; result->flow && i < result->flows; i++)
		wt_bulk_send_finish(&result->flow[i]);
	free(result->flow);
	for (unsigned i = 0; result->datagram_sender && i < result->flows; i++)
		wt_cbr_finish(&result->datagram_sender[i]);
	for (unsigned i = 0; result->datagram_sink && i < result->flows; i++)
		wt_cbr_sink_finish(&result->datagram_sink[i]);
	free(result->datagram_sender);
	free(result->datagram_sink);
	result->datagram_sender = NULL;
	result->datagram_sink = NULL;
	result->path = result->path_end = NULL;
	result->air = NULL;
	result->hop = NULL;
	result->flow = NULL;
}

bool wt_simulation_ok(const struct wt_simulation_result *result)
{
	return !result->fail && !result->out_of_time && !result->interrupted && !result->file_error;
}

bool wt_simulation_is_datagrams(const struct wt_simulation_result *result, unsigned flow)
{
	return result->datagram_sender && result->datagram_sender[flow].config.size;
}

double wt_simulation_speed(const struct wt_simulation_result *result)
{
	return result->wall_s > 0 ? (double)result->simulated / 1e9 / result->wall_s : 0;
}

struct wt_flow_sum wt_simulation_sum(const struct wt_simulation_result *result)
{
	struct wt_flow_sum sum = {0};

	for (unsigned i = 0; i < result->flows; i++) {
		struct wt_flow_part part = wt_bulk_part(&result->flow[i]);

		if (!wt_simulation_is_datagrams(result, i))
			wt_flow_sum_add(&sum, &part);
	}
	return sum;
}
