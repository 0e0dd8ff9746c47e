/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/flow_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A flow's start and stop at their times. */
struct wt_flow_timer {
	struct wt_flow_run *run;
	unsigned flow;
	struct wt_host_timer start, stop;
};

static struct wt_host *host_of(const struct wt_flow_run *run, unsigned flow, unsigned end)
{
	return run->host[run->world->flow[flow].host[end]];
}

/* Over when every sender is done and, unless something failed, every receiver's FIN is acknowledged. */
static void check_over(struct wt_flow_run *run)
{
	if (run->senders_done == run->senders && (run->fail || run->receivers_done == run->receivers))
		run->on_over(run->arg);
}

static void note_failure(struct wt_flow_run *run, enum wt_bulk_fail fail, int error)
{
	if (fail && !run->fail) {
		run->fail = fail;
		run->error = error;
	}
}

static void on_sender_done(void *arg, struct wt_bulk_sender *sender)
{
	struct wt_flow_run *run = arg;

	run->senders_done++;
	note_failure(run, sender->fail, sender->error);
	check_over(run);
}

static void on_receiver_done(void *arg, struct wt_bulk_receiver *receiver)
{
	struct wt_flow_run *run = arg;

	run->receivers_done++;
	note_failure(run, receiver->fail, receiver->error);
	check_over(run);
}

static void on_datagrams_sent(void *arg, struct wt_cbr_sender *sender)
{
	struct wt_flow_run *run = arg;
	unsigned flow = (unsigned)(sender - run->datagram_sender);

	run->senders_done++;
	if (run->datagram_sink[flow].host)
		wt_cbr_expect(&run->datagram_sink[flow], sender->sent, sender->last);
	check_over(run);
}

static void on_datagrams_done(void *arg, struct wt_cbr_sink *sink)
{
	struct wt_flow_run *run = arg;

	run->receivers_done++;
	check_over(run);
}

static void on_interval(void *arg, const struct wt_bulk_interval *interval)
{
	const struct wt_flow_run *run = arg;

	run->on_interval(run->arg, interval);
}

/* ---- receiving -------------------------------------------------------------------------------------------- */

static bool is_served(const struct wt_flow_run *run, unsigned flow)
{
	const struct wt_world_flow *this = &run->world->flow[flow];

	for (unsigned i = 0; i < flow; i++)
		if (run->world->flow[i].host[1] == this->host[1] && run->world->flow[i].port == this->port)
			return true;
	return false;
}

/* The sink of a flow, and the socket that flows to one port share. */
static int serve_datagrams(struct wt_flow_run *run, unsigned i)
{
	struct wt_cbr_sink *sink = &run->datagram_sink[i];
	int error;

	error = wt_cbr_await(sink, &run->flow[i].cbr, host_of(run, i, 1), on_datagrams_done, run);
	sink->epoch = run->epoch;
	if (error || is_served(run, i))
		return error;
	error = wt_cbr_serve(&run->datagram_server[run->datagram_servers], run->datagram_sink, run->world->flows, sink->host,
			     run->world->flow[i].port);
	run->datagram_servers += !error;
	return error;
}

static int serve(struct wt_flow_run *run, char *err, size_t err_len)
{
	int error = 0;

	for (unsigned i = 0; i < run->world->flows && !error; i++) {
		struct wt_bulk_serve_config config = {.max = run->world->flows + 1, .on_done = on_receiver_done, .arg = run};

		if (!host_of(run, i, 1))
			continue;
		run->receivers++;
		if (run->flow[i].datagrams) {
			error = serve_datagrams(run, i);
			continue;
		}
		if (is_served(run, i))
			continue;
		wt_flow_serve_config(&run->flow[i], &config);
		error = wt_bulk_serve(&run->server[run->servers], &config, host_of(run, i, 1), run->world->flow[i].port, &run->flow[i].b);
		run->servers += !error;
	}
	if (error)
		snprintf(err, err_len, "listen: %s", strerror(-error));
	return error;
}

/* ---- sending ---------------------------------------------------------------------------------------------- */

static int begin_datagrams(struct wt_flow_run *run, unsigned i, const struct wt_endpoint *remote, wt_time now)
{
	struct wt_cbr_sender *sender = &run->datagram_sender[i];
	const struct wt_app_flow *flow = &run->flow[i];

	sender->config = flow->cbr;
	sender->datagrams = (flow->size + flow->cbr.size - 1) / flow->cbr.size;
	sender->flow = i;
	sender->epoch = run->epoch;
	sender->on_done = on_datagrams_sent;
	sender->arg = run;
	return wt_cbr_send(sender, host_of(run, i, 0), remote, run->world->flow[i].local_port, now);
}

static int begin(struct wt_flow_run *run, unsigned i, wt_time now)
{
	const struct wt_world_flow *said = &run->world->flow[i];
	struct wt_bulk_send_config config = {.seed = run->seed + i, .on_done = on_sender_done, .arg = run};
	struct wt_endpoint remote = {.addr = run->world->host[said->host[1]].address, .port = said->port};

	if (run->flow[i].datagrams)
		return begin_datagrams(run, i, &remote, now);
	wt_flow_send_config(&run->flow[i], &run->rr[i], &config);
	if (!config.size && !config.time) /* to its stop, or to the end of the run */
		config.time = WT_NEVER / 2;
	if (i == 0 && run->interval && run->on_interval) {
		config.interval = run->interval;
		config.on_interval = on_interval;
	}
	return wt_bulk_send(&run->sender[i], &config, host_of(run, i, 0), &remote, said->local_port, &run->flow[i].a, now);
}

static void on_start(struct wt_host_timer *timer, wt_time now)
{
	struct wt_flow_timer *flow = timer->arg;
	struct wt_flow_run *run = flow->run;
	int error = begin(run, flow->flow, now);
	char sentence[100];

	if (!error)
		return;
	run->sender[flow->flow].host = NULL;
	snprintf(sentence, sizeof(sentence), "flow %.24s: connect: %s", run->world->flow[flow->flow].name, strerror(-error));
	run->on_error(run->arg, sentence);
}

static void on_stop(struct wt_host_timer *timer, wt_time now)
{
	struct wt_flow_timer *flow = timer->arg;

	if (flow->run->sender[flow->flow].host)
		wt_bulk_send_stop(&flow->run->sender[flow->flow]);
	if (flow->run->flow[flow->flow].datagrams && flow->run->datagram_sender[flow->flow].host)
		wt_cbr_stop(&flow->run->datagram_sender[flow->flow]);
}

static int send_all(struct wt_flow_run *run, wt_time now, char *err, size_t err_len)
{
	int error = 0;

	for (unsigned i = 0; i < run->world->flows && !error; i++) {
		const struct wt_world_flow *said = &run->world->flow[i];
		struct wt_flow_timer *timer = &run->timer[i];
		struct wt_host *host = host_of(run, i, 0);

		if (!host)
			continue;
		run->senders++;
		*timer = (struct wt_flow_timer){.run = run, .flow = i, .start = {.fire = on_start}, .stop = {.fire = on_stop}};
		timer->start.arg = timer->stop.arg = timer;
		if (said->start > now)
			wt_host_timer_set(host, &timer->start, said->start);
		else
			error = begin(run, i, now);
		if (said->stop)
			wt_host_timer_set(host, &timer->stop, said->stop);
	}
	if (error)
		snprintf(err, err_len, "connect: %s", strerror(-error));
	return error;
}

static bool make_datagrams(struct wt_flow_run *run)
{
	unsigned flows = run->world->flows;
	bool any = false;

	for (unsigned i = 0; i < flows; i++)
		any |= run->flow[i].datagrams;
	if (!any)
		return true;
	run->datagram_sender = calloc(flows, sizeof(*run->datagram_sender));
	run->datagram_sink = calloc(flows, sizeof(*run->datagram_sink));
	run->datagram_server = calloc(flows, sizeof(*run->datagram_server));
	return run->datagram_sender && run->datagram_sink && run->datagram_server;
}

int wt_flow_run_start(struct wt_flow_run *run, wt_time now, char *err, size_t err_len)
{
	unsigned flows = run->world->flows;
	int error;

	run->sender = calloc(flows, sizeof(*run->sender));
	run->rr = calloc(flows, sizeof(*run->rr));
	run->server = calloc(flows, sizeof(*run->server));
	run->timer = calloc(flows, sizeof(*run->timer));
	snprintf(err, err_len, "out of memory");
	error = run->sender && run->rr && run->server && run->timer && make_datagrams(run) ? serve(run, err, err_len) : -ENOMEM;
	return error ? error : send_all(run, now, err, err_len);
}

/* What the receiver of a flow counts by now, or NULL. */
static const struct wt_bulk_result *received(const struct wt_flow_run *run, unsigned flow)
{
	for (unsigned i = 0; i < run->servers; i++)
		if (run->server[i].host == host_of(run, flow, 1) && run->server[i].port == run->world->flow[flow].port)
			return wt_bulk_result_now(&run->server[i], &run->sender[flow].info.local);
	return NULL;
}

void wt_flow_run_cut(struct wt_flow_run *run, wt_time now)
{
	for (unsigned i = 0; i < run->world->flows; i++) {
		struct wt_bulk_sender *sender = &run->sender[i];
		const struct wt_bulk_result *result;

		if (!sender->host)
			continue;
		wt_bulk_send_cut(sender, now);
		result = sender->cut && !sender->config.rr ? received(run, i) : NULL;
		if (!result)
			continue;
		sender->result = *result;
		sender->got_result = true;
		sender->arrival = result->last - result->first;
	}
}

void wt_flow_run_stop(struct wt_flow_run *run)
{
	for (unsigned i = 0; i < run->servers; i++) {
		run->server[i].config.on_done = NULL; /* the result stands */
		wt_bulk_serve_stop(&run->server[i]);
	}
	run->servers = 0;
	for (unsigned i = 0; i < run->datagram_servers; i++)
		wt_cbr_serve_stop(&run->datagram_server[i]);
	run->datagram_servers = 0;
}

void wt_flow_run_finish(struct wt_flow_run *run)
{
	for (unsigned i = 0; run->rr && i < run->world->flows; i++)
		wt_rr_finish(&run->rr[i]);
	free(run->rr);
	for (unsigned i = 0; run->sender && i < run->world->flows; i++)
		wt_bulk_send_finish(&run->sender[i]);
	free(run->sender);
	free(run->server);
	free(run->timer);
	for (unsigned i = 0; run->datagram_sender && i < run->world->flows; i++)
		wt_cbr_finish(&run->datagram_sender[i]);
	for (unsigned i = 0; run->datagram_sink && i < run->world->flows; i++)
		wt_cbr_sink_finish(&run->datagram_sink[i]);
	free(run->datagram_sender);
	free(run->datagram_sink);
	free(run->datagram_server);
	run->datagram_sender = NULL;
	run->datagram_sink = NULL;
	run->datagram_server = NULL;
	run->sender = NULL;
	run->rr = NULL;
	run->server = NULL;
	run->timer = NULL;
}
