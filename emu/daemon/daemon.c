/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/daemon/confine.h"

enum { FRAME_ROOM = 2048 };

int wt_daemon_init(struct wt_daemon *daemon, const struct wt_daemon_config *config, char *err, size_t err_len)
{
	int error;

	*daemon = (struct wt_daemon){.config = *config};
	for (unsigned i = 0; i < 2; i++) {
		error = wt_where_parse(&daemon->where[i], config->port[i], err, err_len);
		if (error)
			return error;
	}
	if (daemon->where[0].kind == daemon->where[1].kind && !strcmp(daemon->where[0].interface, daemon->where[1].interface) &&
	    !strcmp(daemon->where[0].space, daemon->where[1].space)) {
		snprintf(err, err_len, "both ports are %s", config->port[0]);
		return -EINVAL;
	}
	return wt_path_init_pair(&daemon->path[0], config->words[0], &daemon->path[1], config->words[1], config->seed, err,
				 err_len);
}

/* ---- opening ------------------------------------------------------------------------------------------- */

static int open_ports(struct wt_daemon *daemon, char *err, size_t err_len)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wt_port *port = wt_where_open(&daemon->where[i], daemon->pool, err, err_len);

		if (!port)
			return -errno;
		/* two interfaces of one name may stand in two namespaces; nodes are told apart by side */
		snprintf(port->node.name, sizeof(port->node.name), "port.%c", 'a' + i);
		daemon->port[i] = port;
	}
	return 0;
}

static int open_files(struct wt_daemon *daemon, char *err, size_t err_len)
{
	const struct wt_daemon_config *config = &daemon->config;

	if (config->capture) {
		daemon->capture = wt_capture_open(config->capture, wt_rloop_epoch(daemon->rloop));
		if (!daemon->capture) {
			snprintf(err, err_len, "%s: %s", config->capture, strerror(errno));
			return -errno;
		}
	}
	if (config->log) {
		daemon->journal = wt_journal_open(config->log);
		if (!daemon->journal) {
			snprintf(err, err_len, "%s: %s", config->log, strerror(errno));
			return -errno;
		}
	}
	return 0;
}

static int add(struct wt_daemon *daemon, struct wt_node *node)
{
	return node ? wt_graph_add(daemon->graph, node) : -ENOMEM;
}

/* Hands the nodes to the graph, which then owns them. */
static int add_nodes(struct wt_daemon *daemon)
{
	int error;

	for (unsigned i = 0; i < 2; i++) {
		error = add(daemon, &daemon->port[i]->node);
		if (error)
			return error;
		daemon->ports_in_graph++;
	}
	for (unsigned i = 0; i < 2 && daemon->capture; i++) {
		daemon->tap[i] = wt_capture_tap(daemon->capture, i ? "b" : "a");
		error = add(daemon, daemon->tap[i]);
		if (error)
			return error;
	}
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned n = 0; n < daemon->path[i].count; n++) {
			error = add(daemon, daemon->path[i].stage[n]);
			if (error)
				return error;
			daemon->stages_in_graph[i]++;
		}
	}
	return 0;
}

/* The end of the graph that faces the paths on one side: the tap's inner port, or the port itself. */
static struct wt_node *inner(const struct wt_daemon *daemon, unsigned side, unsigned *port)
{
	*port = daemon->tap[side] ? 1 : 0;
	return daemon->tap[side] ? daemon->tap[side] : &daemon->port[side]->node;
}

static void join(struct wt_daemon *daemon)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct wt_path *path = &daemon->path[i];
		unsigned from_port, to_port;
		struct wt_node *from = inner(daemon, i, &from_port), *to = inner(daemon, !i, &to_port);

		if (daemon->tap[i])
			wt_graph_join_both(daemon->graph, &daemon->port[i]->node, 0, daemon->tap[i], 0);
		for (unsigned n = 0; n < path->count; n++) {
			wt_graph_join(daemon->graph, from, from_port, path->stage[n], 0);
			from = path->stage[n];
			from_port = 1;
		}
		wt_graph_join(daemon->graph, from, from_port, to, to_port);
	}
}

static void set_sinks(struct wt_daemon *daemon)
{
	struct wt_drop_sink *sink = NULL;

	if (daemon->journal)
		sink = wt_journal_drops(daemon->journal, sink);
	if (daemon->capture)
		sink = wt_capture_drops(daemon->capture, sink);
	wt_graph_set_drop_sink(daemon->graph, sink);
}

static int open_all(struct wt_daemon *daemon, char *err, size_t err_len)
{
	int error;

	snprintf(err, err_len, "out of memory");
	daemon->pool = wt_pool_create((uint32_t)daemon->config.frames, FRAME_ROOM);
	daemon->graph = wt_graph_create();
	daemon->ev = ev_default_loop(EVFLAG_AUTO);
	if (!daemon->pool || !daemon->graph || !daemon->ev)
		return -ENOMEM;
	error = open_ports(daemon, err, err_len);
	if (error)
		return error;
	snprintf(err, err_len, "out of memory or descriptors");
	daemon->rloop = wt_rloop_create(daemon->graph, daemon->ev);
	if (!daemon->rloop)
		return -errno;
	return open_files(daemon, err, err_len);
}

int wt_daemon_open(struct wt_daemon *daemon, char *err, size_t err_len)
{
	int error = open_all(daemon, err, err_len);
	bool packet = daemon->where[0].kind == WT_WHERE_PACKET || daemon->where[1].kind == WT_WHERE_PACKET;

	if (error)
		return error;
	snprintf(err, err_len, "out of memory");
	error = add_nodes(daemon);
	if (error)
		return error;
	join(daemon);
	set_sinks(daemon);
	for (unsigned i = 0; i < 2 && !error; i++)
		error = wt_rloop_add_port(daemon->rloop, daemon->port[i]);
	if (error)
		return error;
	error = wt_confine(packet);
	if (error)
		snprintf(err, err_len, "cannot give up privileges: %s", strerror(-error));
	return error;
}

/* ---- running ------------------------------------------------------------------------------------------- */

static void end(struct wt_daemon *daemon, enum wt_daemon_end why, int detail)
{
	if (daemon->end == WT_DAEMON_RUNNING) {
		daemon->end = why;
		daemon->end_detail = detail;
	}
	ev_break(daemon->ev, EVBREAK_ALL);
}

static void on_signal(struct ev_loop *ev, ev_signal *watcher, int events)
{
	end(watcher->data, WT_DAEMON_SIGNAL, watcher->signum);
}

static void on_end(struct ev_loop *ev, ev_timer *watcher, int events)
{
	end(watcher->data, WT_DAEMON_TIME, 0);
}

static void on_gone(struct wt_port *port, int error)
{
	struct wt_daemon *daemon = port->user;

	daemon->end_port = port == daemon->port[1];
	end(daemon, WT_DAEMON_PORT_GONE, error);
}

/* A capture can be followed while it grows, and a full disk is noticed when it fills, not at the end. */
static void on_second(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;
	int error = 0;

	if (daemon->capture) {
		wt_capture_flush(daemon->capture);
		error = wt_capture_error(daemon->capture);
	}
	if (daemon->journal && !error)
		error = wt_journal_flush(daemon->journal);
	if (error)
		end(daemon, WT_DAEMON_WRITE_ERROR, error);
}

static void say_ready(int fd)
{
	static const char word[] = "ready\n";

	if (fd < 0)
		return;
	/* nobody listening is no reason to fail: whoever asked may have gone */
	if (write(fd, word, sizeof(word) - 1) < 0)
		errno = 0;
	close(fd);
}

void wt_daemon_run(struct wt_daemon *daemon)
{
	struct ev_loop *ev = daemon->ev;

	signal(SIGPIPE, SIG_IGN);
	ev_signal_init(&daemon->on_int, on_signal, SIGINT);
	ev_signal_init(&daemon->on_term, on_signal, SIGTERM);
	ev_timer_init(&daemon->every_second, on_second, 1., 1.);
	ev_timer_init(&daemon->at_end, on_end, (double)daemon->config.time / WT_S, 0.);
	daemon->on_int.data = daemon->on_term.data = daemon->every_second.data = daemon->at_end.data = daemon;
	ev_signal_start(ev, &daemon->on_int);
	ev_signal_start(ev, &daemon->on_term);
	ev_now_update(ev); /* relative timers count from the loop's time, which is that of its creation */
	ev_timer_start(ev, &daemon->every_second);
	if (daemon->config.time)
		ev_timer_start(ev, &daemon->at_end);
	for (unsigned i = 0; i < 2; i++) {
		daemon->port[i]->gone = on_gone;
		daemon->port[i]->user = daemon;
	}
	wt_rloop_kick(daemon->rloop);
	say_ready(daemon->config.ready_fd);
	ev_run(ev, 0);
	daemon->ran = wt_rloop_clock(daemon->rloop);
	ev_timer_stop(ev, &daemon->every_second);
	ev_timer_stop(ev, &daemon->at_end);
	ev_signal_stop(ev, &daemon->on_int);
	ev_signal_stop(ev, &daemon->on_term);
	for (unsigned i = 0; i < 2; i++)
		wt_port_refresh(daemon->port[i]);
}

/* ---- ending -------------------------------------------------------------------------------------------- */

int wt_daemon_close_files(struct wt_daemon *daemon)
{
	int error, journal_error;

	if (daemon->graph)
		wt_graph_set_drop_sink(daemon->graph, NULL);
	error = wt_capture_close(daemon->capture);
	journal_error = wt_journal_close(daemon->journal);
	daemon->capture = NULL;
	daemon->journal = NULL;
	return error ? error : journal_error;
}

void wt_daemon_finish(struct wt_daemon *daemon)
{
	wt_daemon_close_files(daemon);
	wt_rloop_destroy(daemon->rloop);
	wt_graph_destroy(daemon->graph);
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned n = daemon->stages_in_graph[i]; n < daemon->path[i].count; n++)
			daemon->path[i].stage[n]->ops->destroy(daemon->path[i].stage[n]);
		if (i >= daemon->ports_in_graph)
			wt_port_close(daemon->port[i]);
	}
	wt_pool_destroy(daemon->pool);
	if (daemon->ev)
		ev_loop_destroy(daemon->ev);
	*daemon = (struct wt_daemon){0};
}

void wt_daemon_books(const struct wt_daemon *daemon, unsigned direction, struct wt_daemon_books *books)
{
	const struct wt_path *path = &daemon->path[direction];
	const struct wt_port *from = daemon->port[direction], *to = daemon->port[!direction];

	*books = (struct wt_daemon_books){
		.offered = from->node.audit.out,
		.delivered = to->node.audit.taken,
		.dropped = to->node.audit.dropped[WT_DROP_WIRE],
		.queued = to->waiting.frames,
	};
	for (unsigned i = 0; i < path->count; i++) {
		const struct wt_audit *audit = &path->stage[i]->audit;

		books->made += audit->made;
		books->dropped += wt_audit_dropped(audit);
		books->queued += audit->queued;
	}
	books->hold = books->offered + books->made == books->delivered + books->dropped + books->queued;
}
