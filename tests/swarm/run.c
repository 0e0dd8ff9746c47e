/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A scenario runs: two hosts, applications at both ends of each flow, a watch on the wire at each host, and a liar between the first
 * host and the path if the plan has one.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "stack/drive/vloop.h"
#include "stack/record/digest.h"
#include "tests/swarm/swarm.h"

#define LONGEST (20 * 3600 * WT_S)

void fault(struct run *run, const char *format, ...)
{
	va_list ap;

	if (run->failed)
		return;
	run->failed = run->stop = true;
	va_start(ap, format);
	vsnprintf(run->wrong, sizeof(run->wrong), format, ap);
	va_end(ap);
	if (run->plan->log)
		printf("--- %s\n", run->wrong);
}

uint8_t octet(unsigned flow, unsigned side, uint64_t offset)
{
	uint64_t n = (offset + 1) * 0x9e3779b97f4a7c15u + flow * 77 + side * 1001;

	return (uint8_t)(n >> 56 ^ n >> 23);
}

static struct wt_host *host_of(const struct app *app)
{
	return app->run->net.host[app->side];
}

/* ---- applications ------------------------------------------------------------------------------------------- */

static void app_over(struct app *app, wt_time now)
{
	struct run *run = app->run;

	if (app->over)
		return;
	app->over = true;
	app->ended = now;
	wt_host_timer_set(host_of(app), &app->writer, WT_NEVER);
	wt_host_timer_set(host_of(app), &app->reader, WT_NEVER);
	if (++run->over == 2 * run->plan->flows)
		run->stop = true;
}

static void app_write(struct app *app, wt_time now)
{
	uint8_t buffer[4096];

	while (!app->over && app->written < app->habits->bytes && now >= app->write_at) {
		uint64_t len = app->habits->bytes - app->written, most = app->habits->chunk;
		ssize_t took;

		len = most && len > most ? most : len;
		len = len > sizeof(buffer) ? sizeof(buffer) : len;
		for (uint64_t i = 0; i < len; i++)
			buffer[i] = octet(app->flow, app->side, app->written + i);
		took = wt_tcp_write(app->tcp, buffer, len);
		if (took == -EAGAIN || took == -ENOBUFS)
			return;
		if (took <= 0)
			return;
		app->written += (uint64_t)took;
		if (app->habits->pause) {
			app->write_at = now + app->habits->pause;
			wt_host_timer_set(host_of(app), &app->writer, app->write_at);
		}
	}
	if (!app->over && app->written == app->habits->bytes && !app->shut) {
		app->shut = true;
		wt_tcp_shutdown(app->tcp);
	}
}

static void app_maybe_close(struct app *app, wt_time now)
{
	const struct app *peer = &app->run->app[app->flow][!app->side];
	uint64_t all = peer->aborted ? peer->written : peer->habits->bytes; /* who closes early writes no more */

	if (app->over || !app->eof || !app->shut || wt_tcp_readable(app->tcp))
		return;
	if (app->got != all)
		fault(app->run, "%s of flow %u met the end after %" PRIu64 " of %" PRIu64 " bytes", app->side ? "server" : "client", app->flow, app->got, all);
	app_over(app, now);
	wt_tcp_close(app->tcp);
}

static void app_read(struct app *app, wt_time now)
{
	uint8_t buffer[4096];

	while (!app->over && now >= app->read_at) {
		uint64_t most = app->habits->read && app->habits->read < sizeof(buffer) ? app->habits->read : sizeof(buffer);
		ssize_t got = wt_tcp_read(app->tcp, buffer, most);

		if (got == 0)
			app->eof = true;
		if (got <= 0)
			break;
		for (ssize_t i = 0; i < got; i++)
			if (buffer[i] != octet(app->flow, !app->side, app->got + (uint64_t)i)) {
				fault(app->run, "%s of flow %u read a wrong byte at %" PRIu64, app->side ? "server" : "client", app->flow,
				      app->got + (uint64_t)i);
				return;
			}
		app->got += (uint64_t)got;
		if (app->habits->abort_at && app->got >= app->habits->abort_at) {
			app->aborted = true;
			app_over(app, now);
			if (app->habits->closes)
				wt_tcp_close(app->tcp); /* data that comes after that is refused by a reset (RFC 2525 2.17) */
			else
				wt_tcp_abort(app->tcp);
			return;
		}
		if (app->habits->rest) {
			app->read_at = now + app->habits->rest;
			wt_host_timer_set(host_of(app), &app->reader, app->read_at);
		}
	}
	app_maybe_close(app, now);
}

static void on_writer(struct wt_host_timer *timer, wt_time now)
{
	app_write(timer->arg, now);
	app_maybe_close(timer->arg, now);
}

static void on_reader(struct wt_host_timer *timer, wt_time now)
{
	app_read(timer->arg, now);
}

/* It ended by an error: which ones are legal? */
static void app_error(struct app *app, wt_time now)
{
	const struct plan *plan = app->run->plan;
	const struct app *peer = &app->run->app[app->flow][!app->side];
	bool lossy = plan->facts[0].drops || plan->facts[1].drops || plan->facts[0].narrows || plan->facts[0].damages || plan->facts[1].damages;

	app->error = wt_tcp_error(app->tcp);
	if (app->error == -ETIMEDOUT || app->error == -EHOSTUNREACH)
		app->run->quit = true;
	else if (app->error != -ECONNRESET && app->error != -ECONNREFUSED)
		fault(app->run, "an error that no peer and no path can have caused: %s", strerror(-app->error));
	if (!plan->lies && (app->error == -ETIMEDOUT || app->error == -EHOSTUNREACH) && !lossy)
		fault(app->run, "a time-out on a path that drops nothing by itself");
	/* no liar knows the one number that a reset must have (RFC 5961 3) */
	if (app->error == -ECONNRESET && !peer->aborted && !peer->over && !peer->error)
		fault(app->run, "a reset that nobody asked for");
	app_over(app, now);
	wt_tcp_close(app->tcp);
}

static void on_event(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct app *app = arg;

	(void)tcp;
	if (app->over)
		return;
	if (events & WT_TCP_EV_ERROR) {
		app_error(app, now);
		return;
	}
	if (events & (WT_TCP_EV_READABLE | WT_TCP_EV_EOF))
		app_read(app, now);
	if (!app->over && events & (WT_TCP_EV_CONNECTED | WT_TCP_EV_WRITABLE | WT_TCP_EV_SENT))
		app_write(app, now);
	if (!app->over)
		app_maybe_close(app, now);
}

static void app_take(struct app *app, struct wt_tcp *tcp)
{
	app->tcp = tcp;
	wt_tcp_set_callback(tcp, on_event, app);
}

/* The listener's: arg is the server of the flow. */
static void on_accept(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	struct app *app = arg;
	struct wt_tcp *fresh = events & WT_TCP_EV_ACCEPT ? wt_tcp_accept(tcp) : NULL;

	if (!fresh)
		return;
	if (app->tcp) {
		wt_tcp_abort(fresh);
		return;
	}
	app_take(app, fresh);
	app_write(app, now);
	if (!app->over)
		app_read(app, now);
}

static int start(struct run *run)
{
	struct wt_tcp *listener[FLOWS_MAX];
	struct wt_tcp_info info;

	for (unsigned i = 0; i < run->plan->flows; i++) {
		struct wt_tcp_config server = run->config[1], client = run->config[0];
		struct wt_endpoint to = {run->world.host[1].address, (uint16_t)(5001 + i)}, own = {.port = (uint16_t)(20001 + i)};

		for (unsigned side = 0; side < 2; side++) {
			struct app *app = &run->app[i][side];

			*app = (struct app){.run = run, .flow = i, .side = side, .habits = &run->plan->habits[i][side]};
			app->writer = (struct wt_host_timer){.fire = on_writer, .arg = app};
			app->reader = (struct wt_host_timer){.fire = on_reader, .arg = app};
		}
		server.callback = on_accept;
		server.arg = &run->app[i][1];
		listener[i] = wt_tcp_listen(run->net.host[1], &to, 4, &server);
		client.callback = on_event;
		client.arg = &run->app[i][0];
		run->app[i][0].tcp = wt_tcp_connect(run->net.host[0], &to, &own, &client, 0);
		if (!listener[i] || !run->app[i][0].tcp)
			return -errno;
		run->memory[1] = wt_host_memory(run->net.host[1]);
		app_take(&run->app[i][0], run->app[i][0].tcp);
		wt_tcp_info(run->app[i][0].tcp, &info);
		watch_number(run->watch[0], i, info.conn);
	}
	return 0;
}

/* ---- the world ----------------------------------------------------------------------------------------------- */

static void on_trace_a(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct run *run = (struct run *)(void *)((char *)sink - offsetof(struct run, sink[0]));

	watch_event(run->watch[0], event);
}

static void on_trace_b(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct run *run = (struct run *)(void *)((char *)sink - offsetof(struct run, sink[1]));

	watch_event(run->watch[1], event);
}

static struct wt_trace_sink *sink_of(void *arg, unsigned host)
{
	return &((struct run *)arg)->sink[host];
}

static int make_world(struct run *run, char *err, size_t err_len)
{
	const struct plan *plan = run->plan;
	struct wt_world_event *event;
	int error;

	wt_world_init(&run->world);
	run->world.seed = plan->seed;
	error = wt_world_pair(&run->world, plan->path[0], plan->path[1]);
	if (!error && plan->change_at) {
		event = wt_world_add_event(&run->world);
		event->at = plan->change_at;
		error = wt_world_text(&event->words[0], plan->change[0]) || wt_world_text(&event->words[1], plan->change[1]);
	}
	for (unsigned i = 0; i < 2; i++)
		run->world.host[i].mtu = plan->mtu;
	return error ? error : wt_world_check(&run->world, err, err_len);
}

/* The watches stand beside the hosts, the liar beyond the first one's. */
static int join(struct run *run)
{
	struct wt_graph *graph = run->net.graph;
	struct wt_node *liar = run->plan->lies ? liar_new(run->net.pool, run->plan) : NULL;
	int error = 0;

	for (unsigned i = 0; i < 2 && !error; i++) {
		run->watch[i] = watch_new(run, i);
		error = wt_graph_add(graph, watch_node(run->watch[i]));
		wt_graph_join_both(graph, wt_host_node(run->net.host[i]), 0, watch_node(run->watch[i]), 0);
		if (i || !liar) {
			wt_graph_join_both(graph, watch_node(run->watch[i]), 1, run->net.digest[i], 0);
			continue;
		}
		error = wt_graph_add(graph, liar);
		wt_graph_join_both(graph, watch_node(run->watch[i]), 1, liar, 0);
		wt_graph_join_both(graph, liar, 1, run->net.digest[i], 0);
	}
	return error;
}

static int build(struct run *run, enum how mode, char *err, size_t err_len)
{
	const struct wt_world_build how = {.frames = 10000, .digest = true, .trace = sink_of, .arg = run};
	int error = make_world(run, err, err_len);

	run->sink[0].event = on_trace_a;
	run->sink[1].event = on_trace_b;
	if (!error)
		error = wt_network_open(&run->net, &run->world, &how, err, err_len);
	if (error)
		return error;
	wt_graph_set_checked(run->net.graph, mode != PLAIN);
	if (mode == REVERSED)
		wt_graph_reverse_ties(run->net.graph);
	error = wt_network_join(&run->net, NULL);
	if (!error)
		error = join(run);
	wt_script_init(&run->script, &run->world, run->net.link, run->net.graph, 0);
	if (!error)
		error = wt_graph_add(run->net.graph, &run->script.node);
	snprintf(err, err_len, "out of memory");
	return error ? error : start(run);
}

/* ---- afterwards ---------------------------------------------------------------------------------------------- */

static bool pending(const struct run *run)
{
	struct wt_host_info info;
	bool some = false;

	for (unsigned i = 0; i < 2; i++) {
		wt_host_info(run->net.host[i], &info);
		some |= info.connections || info.time_wait;
	}
	return some;
}

/* Whoever is told of nothing any more has to be given up by the clock: 2 MSL, the retransmissions of a FIN, 20 s of FIN-WAIT-2. */
static wt_time wind_down(struct run *run, wt_time now)
{
	wt_time until = now + 700 * WT_S;
	bool never = false;

	while (now < until && pending(run) && !run->failed && wt_graph_deadline(run->net.graph) != WT_NEVER)
		now = wt_vloop_run(run->net.graph, now + WT_S, &never);
	if (pending(run) && !run->failed)
		fault(run, "a connection is left over, long after the applications gave their handles up");
	for (unsigned i = 0; i < 2 && !run->failed; i++)
		/* listeners, and the blocks that entries of half-open and waiting connections come from, are kept */
		if (wt_host_memory(run->net.host[i]) > run->memory[i] + BLOCKS)
			fault(run, "host %s holds %" PRIu64 " bytes for no connection", run->world.host[i].name, wt_host_memory(run->net.host[i]));
	return now;
}

static void account(struct run *run)
{
	for (unsigned i = 0; i < wt_graph_count(run->net.graph); i++)
		run->lost += wt_audit_dropped(&wt_graph_node(run->net.graph, i)->audit);
	for (unsigned i = 0; i < 2; i++)
		run->digest = run->digest * 0x100000001b3u ^ wt_digest_value(run->net.digest[i]);
}

/*
 * The longest that a transfer may take: what the least rate and the applications' pauses need, twice; slow start; and for each frame
 * that was lost, two timeouts of the longest kind that the plan's settings allow.
 */
static wt_time patience(const struct run *run)
{
	const struct plan *plan = run->plan;
	wt_time time = 30 * WT_S, round = 0;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < plan->flows; i++)
		for (unsigned side = 0; side < 2; side++) {
			const struct habits *own = &plan->habits[i][side], *other = &plan->habits[i][!side];

			bytes += own->bytes;
			if (own->pause)
				time += (wt_time)(own->bytes / own->chunk + 1) * own->pause;
			if (own->rest)
				time += (wt_time)(other->bytes / (own->read < 4096 ? own->read : 4096) + 1) * (own->rest + 500 * WT_MS);
		}
	for (unsigned d = 0; d < 2; d++) {
		if (plan->facts[d].rate)
			time += (wt_time)(bytes * 20 * WT_S / (plan->facts[d].rate / 8));
		round += plan->facts[d].delay + plan->facts[d].extra + (plan->facts[d].rate ? (wt_time)(plan->facts[d].limit * 8 * WT_S / plan->facts[d].rate) : 0);
	}
	/* a window of one segment, each waiting for a delayed ACK, is the worst there is without losses */
	return time + (wt_time)(bytes / 88 + 40) * (round + 500 * WT_MS) + (wt_time)run->lost * 20 * WT_S;
}

static void drive(struct run *run)
{
	wt_time now = 0;
	bool aborts = false;

	for (unsigned i = 0; i < run->plan->flows; i++)
		aborts |= run->plan->habits[i][0].abort_at || run->plan->habits[i][1].abort_at;
	while (!run->stop && now < (run->plan->lies ? 120 * WT_S : LONGEST)) {
		now = wt_vloop_run(run->net.graph, now + WT_S, &run->stop);
		watch_rest(run->watch[0], now);
		watch_rest(run->watch[1], now);
		if (!run->stop && wt_graph_deadline(run->net.graph) == WT_NEVER)
			break; /* nothing will ever happen again */
		if (aborts && now > 900 * WT_S)
			break; /* a lost reset leaves a peer that only listens waiting for ever: that is TCP */
	}
	account(run);
	run->ended = now;
	if (run->failed || run->plan->lies || aborts)
		return;
	if (!run->stop && (watch_gave_up(run->watch[0]) || watch_gave_up(run->watch[1]))) {
		run->quit = true; /* whoever only listens never learns of it */
		return;
	}
	if (!run->stop)
		fault(run, "neither finished nor given up after %" PRId64 " s", now / WT_S);
	else if (!run->quit && now > patience(run))
		fault(run, "it took %.1f s, and arithmetic says at most %.1f s", (double)now / 1e9, (double)patience(run) / 1e9);
	if (!run->failed)
		wind_down(run, now);
}

static void abandon(struct run *run)
{
	for (unsigned i = 0; i < run->plan->flows; i++)
		for (unsigned side = 0; side < 2; side++) {
			struct app *app = &run->app[i][side];

			if (app->run && app->tcp && !app->over) {
				app->over = true;
				wt_tcp_abort(app->tcp);
			}
		}
}

const char *run_plan(struct run *run, const struct plan *plan, enum how how)
{
	struct wt_tcp_words a = {plan->preset, plan->settings, plan->sender, *plan->recovery ? plan->recovery : NULL, plan->receiver, NULL};
	struct wt_tcp_words b = a;
	char err[256];

	*run = (struct run){.plan = plan};
	wt_tcp_config_init(&run->config[0]);
	wt_tcp_config_init(&run->config[1]);
	if (wt_tcp_words_apply(&a, &run->config[0], err, sizeof(err)) || wt_tcp_words_apply(&b, &run->config[1], err, sizeof(err)) ||
	    build(run, how, err, sizeof(err))) {
		fault(run, "refused: %s", err);
	} else {
		drive(run);
		abandon(run);
	}
	wt_network_finish(&run->net);
	wt_world_finish(&run->world);
	return run->failed ? run->wrong : NULL;
}
