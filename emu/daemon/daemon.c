/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/daemon/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/machine/confine.h"
#include "emu/machine/seccomp.h"
#include "stack/record/create.h"

#define TICK 0.1 /* s: how often the books are looked at */
#define TICKS_PER_SECOND 10

/* ---- events for the log and for listeners ---------------------------------------------------------------- */

void wt_daemon_note(struct wt_daemon *daemon, wt_time now, const char *event, ...)
{
	struct wt_json *to[2] = {daemon->journal ? wt_journal_begin(daemon->journal, now, event) : NULL,
				 daemon->control ? wt_control_begin(daemon->control, now, event) : NULL};
	const char *key, *value;
	va_list args;

	va_start(args, event);
	while ((key = va_arg(args, const char *))) {
		value = va_arg(args, const char *);
		for (unsigned i = 0; i < 2; i++)
			if (to[i])
				wt_json_string(to[i], key, value);
	}
	va_end(args);
	if (to[0])
		wt_journal_end(daemon->journal);
	if (to[1])
		wt_control_end(daemon->control);
}

static void fault(struct wt_daemon *daemon, enum wt_fault which, const char *where)
{
	wt_time now = wt_graph_now(daemon->net.graph);

	if (wt_verdict_fault(&daemon->verdict, which, where, now))
		wt_daemon_note(daemon, now, "emulation:fault", "fault", wt_fault_name(which), "where", where, NULL);
}

void wt_daemon_changed(struct wt_daemon *daemon)
{
	wt_network_tell_ports(&daemon->net);
	wt_tokens_watch(&daemon->tokens, &daemon->net, wt_graph_now(daemon->net.graph));
}

static void on_changed(void *arg, wt_time now, const struct wt_world_event *event, const char *refused)
{
	struct wt_daemon *daemon = arg;
	const struct wt_link *changed = &daemon->net.link[event->link];

	wt_daemon_changed(daemon);
	if (refused) {
		wt_daemon_note(daemon, now, "emulation:change_refused", "link", changed->name, "by", "script", "reason", refused, NULL);
		fault(daemon, WT_FAULT_SCRIPT, changed->name);
	} else
		wt_daemon_note(daemon, now, "emulation:path_changed", "link", changed->name, "fwd", changed->way[0].path.text, "rev",
			       changed->way[1].path.text, "queue", event->flush ? "flush" : "keep", "by", "script", "note",
			       event->note ? event->note : "", NULL);
}

/* ---- opening --------------------------------------------------------------------------------------------- */

static int open_files(struct wt_daemon *daemon, char *err, size_t err_len)
{
	const struct wt_options *options = &daemon->options;
	char why[WT_CREATE_WHY];
	int error;

	if (options->capture) {
		daemon->capture = wt_world_capture(&daemon->world, options->capture, wt_rloop_epoch(daemon->rloop), err, err_len);
		if (!daemon->capture)
			return -errno;
	}
	if (options->log) {
		daemon->journal = wt_journal_open(options->log);
		if (!daemon->journal) {
			error = errno;
			snprintf(err, err_len, "%s: %s", options->log, wt_create_why(options->log, error, why));
			return -error;
		}
	}
	return 0;
}

static void show(void *arg, FILE *out, bool json)
{
	struct wt_daemon *daemon = arg;

	daemon->ran = wt_rloop_catch_up(daemon->rloop);
	if (json)
		wt_daemon_record_json(daemon, "show", out);
	else
		wt_daemon_record_text(daemon, out);
}

static int set(void *arg, const struct wt_control_set *change, wt_time *now, char *said, size_t said_len)
{
	return wt_daemon_set(arg, change, now, said, said_len);
}

static int capture(void *arg, int fd, const char *point, char *said, size_t said_len)
{
	struct wt_daemon *daemon = arg;

	return wt_watchers_add(daemon->watchers, fd, point, said, said_len);
}

static int open_control(struct wt_daemon *daemon, char *err, size_t err_len)
{
	static const struct wt_control_ops ops = {show, set, capture};
	char path[300];
	int error;

	if (!daemon->options.control)
		return 0;
	error = wt_control_place(daemon->options.control, path, sizeof(path), err, err_len);
	if (error)
		return error;
	daemon->watchers = wt_watchers_create(daemon->ev, &daemon->net, wt_rloop_epoch(daemon->rloop));
	if (!daemon->watchers) {
		snprintf(err, err_len, "out of memory");
		return -ENOMEM;
	}
	daemon->control = wt_control_open(path, daemon->ev, &ops, daemon, err, err_len);
	if (!daemon->control)
		return -errno;
	wt_socket_cleanup_watch(&daemon->cleanup, daemon->control);
	return 0;
}

static int open_all(struct wt_daemon *daemon, char *err, size_t err_len)
{
	const struct wt_options *options = &daemon->options;
	const struct wt_world_build build = {
		.frames = options->frames,
		.offload = options->offload,
		.gather = options->gather && !options->seccomp, /* what a ring is asked to do is hidden from a filter of system calls */
		.stamps = options->stamps,
	};
	int error;

	daemon->away = calloc(daemon->world.hosts, sizeof(*daemon->away));
	if (!daemon->away) {
		snprintf(err, err_len, "out of memory");
		return -ENOMEM;
	}

	if (!getcwd(daemon->folder, sizeof(daemon->folder)))
		daemon->folder[0] = 0;
	wt_identity_choose(&daemon->options.identity);
	error = wt_steer_prepare(&daemon->steering, &daemon->options, err, err_len);
	if (!error)
		error = wt_socket_cleanup_prepare(&daemon->cleanup, &daemon->options, err, err_len);
	if (!error)
		error = wt_priority(&daemon->claim, &daemon->options, err, err_len);
	if (error)
		return error;
	wt_notify_open(&daemon->notify);
	wt_verdict_init(&daemon->verdict, daemon->options.bounds);
	daemon->late_since = WT_NEVER;
	error = wt_network_open(&daemon->net, &daemon->world, &build, err, err_len);
	if (!error)
		error = wt_steer(&daemon->steering, &daemon->options, err, err_len);
	if (error)
		return error;
	snprintf(err, err_len, "out of memory or descriptors");
	daemon->ev = ev_default_loop(EVFLAG_AUTO);
	daemon->rloop = daemon->ev ? wt_rloop_create(daemon->net.graph, daemon->ev) : NULL;
	if (!daemon->rloop)
		return -ENOMEM;
	error = open_files(daemon, err, err_len);
	return error ? error : open_control(daemon, err, err_len);
}

static void set_sinks(struct wt_daemon *daemon)
{
	struct wt_state_sink *states = daemon->journal ? wt_journal_states(daemon->journal) : NULL;
	struct wt_drop_sink *drops = NULL;

	if (daemon->journal)
		drops = wt_journal_drops(daemon->journal, drops);
	if (daemon->capture)
		drops = wt_capture_drops(daemon->capture, drops);
	if (daemon->control) {
		drops = wt_control_drops(daemon->control, wt_watchers_drops(daemon->watchers, drops));
		states = wt_control_states(daemon->control, states);
	}
	wt_graph_set_drop_sink(daemon->net.graph, drops);
	wt_graph_set_state_sink(daemon->net.graph, states);
	wt_graph_tell_states(daemon->net.graph);
	daemon->tokens.journal = daemon->journal;
	daemon->tokens.control = daemon->control;
	wt_tokens_watch(&daemon->tokens, &daemon->net, 0);
}

int wt_daemon_open(struct wt_daemon *daemon, char *err, size_t err_len)
{
	int error = open_all(daemon, err, err_len);
	bool keep = daemon->options.wait_ports;

	if (error)
		return error;
	snprintf(err, err_len, "out of memory");
	error = wt_network_join(&daemon->net, daemon->capture);
	if (error)
		return error;
	wt_script_init(&daemon->script, &daemon->world, daemon->net.link, daemon->net.graph, 0);
	daemon->script.changed = on_changed;
	daemon->script.arg = daemon;
	wt_lateness_probe_init(&daemon->probe, &daemon->net, daemon->rloop);
	error = wt_graph_add(daemon->net.graph, &daemon->script.node);
	if (!error)
		error = wt_graph_add(daemon->net.graph, &daemon->probe.node);
	set_sinks(daemon);
	if (!error)
		wt_graph_run(daemon->net.graph, 0); /* what the script changes at 0 holds before any frame comes, and is what is said to run */
	for (unsigned i = 0; i < daemon->world.hosts && !error; i++) {
		keep |= daemon->world.host[i].where.kind == WT_INTERFACE_REF_PACKET;
		wt_port_count_from_now(daemon->net.port[i]); /* what comes while others are still being opened is not of the run */
		error = wt_rloop_add_port(daemon->rloop, daemon->net.port[i]);
	}
	if (error)
		return error;
	error = wt_confine(&daemon->options.identity, keep ? WT_KEEP(CAP_NET_ADMIN) : 0);
	daemon->uid = geteuid();
	if (error)
		snprintf(err, err_len, "cannot give up privileges: %s", strerror(-error));
	else if (daemon->options.seccomp && (error = wt_seccomp()))
		snprintf(err, err_len, "cannot take the filter of system calls: %s", strerror(-error));
	return error;
}

/* ---- running --------------------------------------------------------------------------------------------- */

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

/* Frames do not wait for whoever should read our standard error and does not: the log has it, too. */
static bool may_say(void)
{
	struct pollfd to = {.fd = STDERR_FILENO, .events = POLLOUT};

	return poll(&to, 1, 0) == 1 && to.revents & POLLOUT;
}

static void say_reloaded(const struct wt_daemon *daemon, unsigned changed, const char *refused)
{
	if (!may_say())
		return;
	if (refused)
		fprintf(stderr, "wavetank emu run: not read again: %s\n", refused);
	else if (!daemon->quiet)
		fprintf(stderr, "wavetank emu run: read again: %u of %u links changed\n", changed, daemon->world.links);
}

static void on_hup(struct ev_loop *ev, ev_signal *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;
	unsigned changed = 0;
	char err[500];
	int error;

	if (!daemon->world.file) { /* the terminal is gone */
		end(daemon, WT_DAEMON_SIGNAL, SIGHUP);
		return;
	}
	wt_notify_reloading(&daemon->notify);
	error = wt_daemon_reload(daemon, &changed, err, sizeof(err));
	say_reloaded(daemon, changed, error ? err : NULL);
	if (error)
		wt_daemon_note(daemon, wt_graph_now(daemon->net.graph), "emulation:change_refused", "by", "file", "reason", err, NULL);
	wt_notify_say(&daemon->notify, "READY=1");
}

/* The loop counts from when it last looked at the clock, which may be before scenario time 0: what is missing is waited for. */
static void on_end(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;
	wt_time left = daemon->options.time - wt_rloop_clock(daemon->rloop);

	if (left <= 0) {
		end(daemon, WT_DAEMON_TIME, 0);
		return;
	}
	ev_now_update(ev);
	ev_timer_set(watcher, (double)left / WT_S, 0.);
	ev_timer_start(ev, watcher);
}

static void on_watchdog(struct ev_loop *ev, ev_timer *watcher, int events)
{
	wt_notify_say(&((struct wt_daemon *)watcher->data)->notify, "WATCHDOG=1");
}

static unsigned index_of(const struct wt_daemon *daemon, const struct wt_port *port)
{
	unsigned i = 0;

	while (daemon->net.port[i] != port)
		i++;
	return i;
}

static void say_port(const struct wt_daemon *daemon, unsigned i, const char *what)
{
	if (!daemon->quiet && may_say())
		fprintf(stderr, "wavetank emu run: port %s (%s) is %s\n", daemon->world.host[i].name, daemon->world.host[i].place, what);
}

static void on_gone(struct wt_port *port, int error)
{
	struct wt_daemon *daemon = port->user;
	unsigned i = index_of(daemon, port);

	fault(daemon, WT_FAULT_PORT_GONE, daemon->world.host[i].name);
	wt_daemon_note(daemon, wt_graph_now(daemon->net.graph), "emulation:port_gone", "port", daemon->world.host[i].name, NULL);
	if (daemon->options.wait_ports) {
		daemon->away[i] = true;
		wt_rloop_remove_port(daemon->rloop, port);
		say_port(daemon, i, "gone; it is waited for");
		return;
	}
	daemon->end_port = i;
	end(daemon, WT_DAEMON_PORT_GONE, error);
}

static void try_again(struct wt_daemon *daemon, unsigned i)
{
	struct wt_port *port = daemon->net.port[i];

	if (wt_port_reopen(port) || wt_rloop_add_port(daemon->rloop, port))
		return;
	daemon->away[i] = false;
	wt_port_refresh(port);
	wt_daemon_note(daemon, wt_rloop_catch_up(daemon->rloop), "emulation:port_back", "port", daemon->world.host[i].name, NULL);
	wt_rloop_kick(daemon->rloop);
	say_port(daemon, i, "back");
}

/* Where most are too late: a port's name, or the loop, for which frames wait that are dated when they are read. NULL: nowhere. */
static const char *latest(const struct wt_daemon *daemon)
{
	const struct wt_histogram *most = &daemon->probe.late;
	const char *where = "loop";

	for (unsigned i = 0; i < daemon->world.hosts; i++) {
		const struct wt_histogram *late = &daemon->net.port[i]->late;

		if (wt_verdict_lateness(late) <= wt_verdict_lateness(most))
			continue;
		most = late;
		where = daemon->world.host[i].name;
	}
	return wt_verdict_late(&daemon->verdict, most) ? where : NULL;
}

/* The books, of which the kernel keeps a part. */
static void look(struct wt_daemon *daemon)
{
	uint64_t pool = 0;
	bool late = latest(daemon);

	for (unsigned i = 0; i < daemon->world.hosts; i++) {
		struct wt_port *port = daemon->net.port[i];
		int error;

		if (daemon->away[i]) {
			try_again(daemon, i);
			continue;
		}
		error = wt_port_refresh(port);
		if (error) {
			on_gone(port, error);
			continue;
		}
		if (port->kernel_drops || port->node.audit.dropped[WT_DROP_WIRE])
			fault(daemon, WT_FAULT_KERNEL_DROPS, daemon->world.host[i].name);
		if (port->oversize)
			fault(daemon, WT_FAULT_TOO_LONG, daemon->world.host[i].name);
		if (port->node.audit.dropped[WT_DROP_MALFORMED])
			fault(daemon, WT_FAULT_MALFORMED, daemon->world.host[i].name);
	}
	if (wt_steer_drops(&daemon->steering))
		fault(daemon, WT_FAULT_KERNEL_DROPS, "backlog");
	if (!late || daemon->late_since == WT_NEVER)
		daemon->late_since = late ? wt_graph_now(daemon->net.graph) : WT_NEVER;
	for (unsigned i = 0; i < wt_graph_count(daemon->net.graph); i++)
		pool += wt_graph_node(daemon->net.graph, i)->audit.dropped[WT_DROP_POOL];
	if (pool)
		fault(daemon, WT_FAULT_MEMORY, "pool");
	if (!wt_network_audit(&daemon->net))
		fault(daemon, WT_FAULT_AUDIT, "audit");
	if (wt_verdict_busy(&daemon->verdict))
		fault(daemon, WT_FAULT_BUSY, "hypervisor");
}

/* Notes the first file with an error, which it returns. */
static int unwritten(struct wt_daemon *daemon, const char *path, int error)
{
	if (error && !daemon->unwritten)
		daemon->unwritten = path;
	return error;
}

/* A capture can be followed while it grows, and a full disk is noticed when it fills, not at the end. */
static void flush(struct wt_daemon *daemon)
{
	int error = 0;

	wt_tokens_tell(&daemon->tokens, wt_rloop_catch_up(daemon->rloop));
	wt_graph_tell_states(daemon->net.graph);
	if (daemon->capture) {
		wt_capture_flush(daemon->capture);
		error = unwritten(daemon, daemon->options.capture, wt_capture_error(daemon->capture));
	}
	if (daemon->journal && !error)
		error = unwritten(daemon, daemon->options.log, wt_journal_flush(daemon->journal));
	if (error)
		end(daemon, WT_DAEMON_WRITE_ERROR, error);
}

static void on_tick(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct wt_daemon *daemon = watcher->data;

	look(daemon);
	wt_notify_again(&daemon->notify);
	if (++daemon->ticks % TICKS_PER_SECOND == 0)
		flush(daemon);
	wt_rloop_kick(daemon->rloop);
}

static void say_ready(struct wt_daemon *daemon)
{
	static const char word[] = "ready\n";

	wt_notify_say(&daemon->notify, "READY=1");
	if (daemon->ready_fd < 0)
		return;
	/* nobody listening is no reason to fail: whoever asked may have gone */
	if (write(daemon->ready_fd, word, sizeof(word) - 1) < 0)
		errno = 0;
	close(daemon->ready_fd);
}

static void start_watchers(struct wt_daemon *daemon)
{
	double watchdog = (double)daemon->notify.watchdog / WT_S;

	ev_signal_init(&daemon->on_int, on_signal, SIGINT);
	ev_signal_init(&daemon->on_term, on_signal, SIGTERM);
	ev_signal_init(&daemon->on_hup, on_hup, SIGHUP);
	ev_timer_init(&daemon->every_tick, on_tick, TICK, TICK);
	ev_timer_init(&daemon->at_end, on_end, (double)daemon->options.time / WT_S, 0.);
	ev_timer_init(&daemon->watchdog, on_watchdog, watchdog, watchdog);
	daemon->on_int.data = daemon->on_term.data = daemon->on_hup.data = daemon;
	daemon->every_tick.data = daemon->at_end.data = daemon->watchdog.data = daemon;
	ev_signal_start(daemon->ev, &daemon->on_int);
	ev_signal_start(daemon->ev, &daemon->on_term);
	ev_signal_start(daemon->ev, &daemon->on_hup);
	ev_timer_start(daemon->ev, &daemon->every_tick);
	if (daemon->options.time)
		ev_timer_start(daemon->ev, &daemon->at_end);
	if (daemon->notify.watchdog)
		ev_timer_start(daemon->ev, &daemon->watchdog);
}

/* Signals stay caught, with nobody to ask any more: an end that has begun comes to its record, however often one is asked for. */
static void stop_watchers(struct wt_daemon *daemon)
{
	ev_timer_stop(daemon->ev, &daemon->every_tick);
	ev_timer_stop(daemon->ev, &daemon->at_end);
	ev_timer_stop(daemon->ev, &daemon->watchdog);
}

void wt_daemon_run(struct wt_daemon *daemon)
{
	start_watchers(daemon);
	for (unsigned i = 0; i < daemon->world.hosts; i++) {
		daemon->net.port[i]->gone = on_gone;
		daemon->net.port[i]->user = daemon;
	}
	wt_rloop_set_release(daemon->rloop, daemon->options.release);
	wt_rloop_kick(daemon->rloop);
	flush(daemon); /* whoever kills it finds files with their heads */
	say_ready(daemon);
	ev_run(daemon->ev, 0);
	wt_notify_say(&daemon->notify, "STOPPING=1");
	daemon->ran = wt_rloop_catch_up(daemon->rloop);
	stop_watchers(daemon);
	wt_tokens_end(&daemon->tokens, daemon->ran);
	wt_graph_tell_states(daemon->net.graph);
	look(daemon);
	daemon->verdict = wt_daemon_judge(daemon);
}

/* ---- ending ---------------------------------------------------------------------------------------------- */

struct wt_verdict wt_daemon_judge(const struct wt_daemon *daemon)
{
	struct wt_verdict verdict = daemon->verdict;
	const char *late = latest(daemon);

	if (late)
		wt_verdict_fault(&verdict, WT_FAULT_LATE, late,
				 daemon->late_since != WT_NEVER ? daemon->late_since : wt_graph_now(daemon->net.graph));
	return verdict;
}

int wt_daemon_close_files(struct wt_daemon *daemon)
{
	int error, journal_error;

	if (daemon->net.graph) {
		wt_graph_set_drop_sink(daemon->net.graph, NULL);
		wt_graph_set_state_sink(daemon->net.graph, NULL);
	}
	error = unwritten(daemon, daemon->options.capture, wt_capture_close(daemon->capture));
	journal_error = unwritten(daemon, daemon->options.log, wt_journal_close(daemon->journal));
	wt_control_close(daemon->control);
	wt_watchers_destroy(daemon->watchers);
	wt_socket_cleanup_finish(&daemon->cleanup);
	daemon->capture = NULL;
	daemon->journal = NULL;
	daemon->control = NULL;
	daemon->watchers = NULL;
	daemon->tokens.journal = NULL;
	daemon->tokens.control = NULL;
	return error ? error : journal_error;
}

void wt_daemon_finish(struct wt_daemon *daemon)
{
	wt_daemon_close_files(daemon);
	wt_rloop_destroy(daemon->rloop);
	wt_tokens_finish(&daemon->tokens);
	wt_network_finish(&daemon->net);
	wt_histogram_finish(&daemon->probe.late);
	wt_steer_finish(&daemon->steering);
	wt_claim_finish(&daemon->claim);
	if (daemon->ev) {
		wt_verdict_finish(&daemon->verdict);
		wt_notify_close(&daemon->notify);
		ev_loop_destroy(daemon->ev);
	}
	wt_world_finish(&daemon->world);
	wt_options_finish(&daemon->options);
	free(daemon->away);
	memset(daemon, 0, sizeof(*daemon));
}
