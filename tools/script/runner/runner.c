/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The runner: time, and events in their order.
 *
 * The host is a node; its three verbs are called here directly. Time moves from deadline to deadline of the host and
 * stops at each event. Rules that make a script exact:
 *   - what the host has to do at an instant (timers) is done before the script's events of that instant;
 *   - a packet the host sends must be expected before time goes on, so a packet nobody wrote down fails at its own time;
 *   - nor may another packet arrive before it is expected: so an answer belongs to what was said last (--loose_order: it may);
 *   - an expected packet must have come by its time, so a missing one fails then and not at the end.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "stack/wire/ethernet.h"
#include "tools/script/runner/world.h"

#define POOL_FRAMES 512
#define RESTLESS 100000 /* outputs at one instant: the host is in a loop */

static const struct wt_mac host_mac = {{0x02, 0, 0, 0, 0, 1}};
static const struct wt_mac peer_mac = {{0x02, 0, 0, 0, 0, 2}};

bool wt_script_failed(struct wt_script_world *world, unsigned line, const char *format, ...)
{
	struct wt_script_report *report = world->report;
	va_list list;
	int used;

	if (report->text[0])
		return false;
	used = snprintf(report->text, sizeof(report->text), "%.300s:%u: ", world->script->file, line);
	va_start(list, format);
	vsnprintf(report->text + used, sizeof(report->text) - (size_t)used, format, list);
	va_end(list);
	return false;
}

const char *wt_script_time_text(wt_time time, char text[32])
{
	if (time % 1000)
		snprintf(text, 32, "%lld.%09lld", (long long)(time / WT_S), (long long)(time % WT_S));
	else
		snprintf(text, 32, "%lld.%06lld", (long long)(time / WT_S), (long long)(time % WT_S / 1000));
	return text;
}

/* ---- time ------------------------------------------------------------------------------------------------- */

static bool call_finish(struct wt_script_world *world, const struct wt_script_event *event, int64_t result, int error);

/* A blocked call is tried again whenever something may have changed. */
static bool retry_blocked(struct wt_script_world *world)
{
	const struct wt_script_event *event = world->blocked.event;
	char now[32], end[32];
	int64_t result;
	int error;

	if (!event)
		return true;
	if (!wt_script_call_do(world, event, &result, &error))
		return false;
	if (result == -1 && (error == EAGAIN || error == EINPROGRESS || error == EALREADY))
		return true;
	world->blocked.event = NULL;
	if (world->now + world->options.tolerance < world->blocked.end)
		return wt_script_failed(world, event->line, "%s() returned at %s, not at %s", event->call.name,
					wt_script_time_text(world->now, now), wt_script_time_text(world->blocked.end, end));
	return call_finish(world, event, result, error);
}

wt_time wt_script_deadline(const struct wt_script_world *world)
{
	wt_time due = world->node->ops->deadline(world->node);

	return due == WT_NEVER ? WT_NEVER : due - world->base;
}

static bool output_all(struct wt_script_world *world, unsigned line)
{
	struct wt_frame *frame;
	unsigned port, count = 0;
	char now[32];

	if (world->burst) {
		wt_script_burst_settle(world);
		return !world->report->text[0];
	}

	do {
		while ((frame = world->node->ops->output(world->node, world->base + world->now, &port))) {
			wt_script_sent(world, frame);
			if (++count > POOL_FRAMES)
				return wt_script_failed(world, line, "more than %d packets left the host at %s", POOL_FRAMES,
							wt_script_time_text(world->now, now));
		}
		if (++count > RESTLESS)
			return wt_script_failed(world, line, "the host never rests at %s: its deadline stays in the past",
						wt_script_time_text(world->now, now));
	} while (wt_script_deadline(world) <= world->now);
	return !world->report->text[0];
}

bool wt_script_settle(struct wt_script_world *world, unsigned line)
{
	bool waiting = world->blocked.event;

	if (!output_all(world, line) || !retry_blocked(world))
		return false;
	if (waiting && !output_all(world, line))
		return false;
	return wt_audit_holds(&world->node->audit) ||
	       wt_script_failed(world, line, "the host's frames do not add up (conservation law)");
}

/* Before time goes on: nothing may lie around that should have been expected, nothing block that should not. */
static bool check_leaving(struct wt_script_world *world, wt_time to, unsigned line)
{
	const struct wt_script_blocked *blocked = &world->blocked;
	char text[32];

	if (world->sent.head && to > world->sent.head->time + world->options.tolerance)
		return wt_script_unexpected(world, NULL, line);
	if (blocked->event && to > wt_time_add(blocked->end, world->options.tolerance))
		return wt_script_failed(world, blocked->event->line, "%s() still blocks after %s", blocked->event->call.name,
					wt_script_time_text(blocked->end, text));
	return true;
}

bool wt_script_advance(struct wt_script_world *world, wt_time to, unsigned line)
{
	if (!wt_script_settle(world, line))
		return false;
	while (world->now < to) {
		wt_time next = wt_time_min(wt_script_deadline(world), to);

		if (!check_leaving(world, next, line))
			return false;
		world->now = next;
		if (!wt_script_settle(world, line))
			return false;
	}
	return true;
}

/* ---- events ------------------------------------------------------------------------------------------------ */

static bool call_finish(struct wt_script_world *world, const struct wt_script_event *event, int64_t result, int error)
{
	const struct wt_script_call *call = &event->call;
	const char *got = result < 0 ? wt_script_errno_name(error) : "";

	if (call->any_result)
		return true;
	if (result != call->result)
		return wt_script_failed(world, event->line, "%s() returned %lld%s%s, expected %lld%s%s", call->name,
					(long long)result, *got ? " " : "", got, (long long)call->result, call->error ? " " : "",
					call->error ? wt_script_errno_name(call->error) : "");
	if (call->error && call->error != error) {
		char name[32];

		snprintf(name, sizeof(name), "%s", got);
		return wt_script_failed(world, event->line, "%s() failed with %s, expected %s", call->name, name,
					wt_script_errno_name(call->error));
	}
	return true;
}

static bool do_call(struct wt_script_world *world, const struct wt_script_event *event, wt_time end)
{
	int64_t result;
	int error = 0;

	if (event->range && world->blocked.event)
		return wt_script_failed(world, event->line, "%s() of line %u still blocks; only one call can",
					world->blocked.event->call.name, world->blocked.event->line);
	if (!wt_script_call_do(world, event, &result, &error))
		return false;
	if (event->range && result == -1 && (error == EAGAIN || error == EINPROGRESS)) {
		world->blocked.event = event;
		world->blocked.end = end;
		return true;
	}
	if (event->range && end > world->now + world->options.tolerance)
		return wt_script_failed(world, event->line, "%s() returned at once; the range says it blocks", event->call.name);
	return call_finish(world, event, result, error);
}

static bool do_code(struct wt_script_world *world, const struct wt_script_event *event)
{
	char error[WT_SCRIPT_ERROR];
	int status = wt_expression_check(world->script->file, event->code_line, event->code, event->code_len, wt_script_fact,
					 world, error, sizeof(error));

	if (status == 1)
		return true;
	world->report->bad = status < 0;
	if (!world->report->text[0])
		snprintf(world->report->text, sizeof(world->report->text), "%s", error);
	return false;
}

static bool do_inbound(struct wt_script_world *world, const struct wt_script_event *event)
{
	if (event < world->script->events + world->given)
		return true; /* it came with one before it */
	if (world->sent.head && !world->options.loose_order)
		return wt_script_unexpected(world, NULL, event->line);
	if (world->burst)
		wt_script_burst_give(world, event);
	else if (!wt_script_inject(world, event))
		return false;
	return wt_script_settle(world, event->line);
}

static bool do_event(struct wt_script_world *world, const struct wt_script_event *event)
{
	wt_time base = event->when == WT_AT_RELATIVE ? world->last : 0;
	wt_time from = base + event->from, to = base + event->to;
	char a[32], b[32];

	world->line = event->line;
	if (event->kind == WT_SE_OUTBOUND) {
		if (event->when == WT_AT_ANY) {
			from = world->last;
			to = WT_NEVER;
		}
		return wt_script_expect(world, event, from, to);
	}
	if (from < world->now && from + world->options.tolerance < world->now) {
		world->report->bad = true;
		return wt_script_failed(world, event->line, "the event is due at %s, but it is already %s",
					wt_script_time_text(from, a), wt_script_time_text(world->now, b));
	}
	if (!wt_script_advance(world, from, event->line))
		return false;
	world->last = from;
	switch (event->kind) {
	case WT_SE_INBOUND:
		return do_inbound(world, event);
	case WT_SE_CALL:
		return do_call(world, event, to) && wt_script_settle(world, event->line);
	default:
		return do_code(world, event);
	}
}

/* ---- the world -------------------------------------------------------------------------------------------- */

static void trace_event(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct wt_script_world *world = (void *)((char *)sink - offsetof(struct wt_script_world, trace));

	if (event->type != WT_TRACE_STATE || !event->conn || event->conn >= WT_SCRIPT_CONNECTIONS)
		return;
	if (event->field[1] == WT_TCP_LISTEN || event->field[0] == WT_TCP_LISTEN)
		if (event->field[1] != WT_TCP_SYN_RECEIVED)
			return;
	if (!world->states[event->conn] && event->field[1] != WT_TCP_CLOSED && event->conn > world->newest)
		world->newest = event->conn;
	world->states[event->conn] = (uint8_t)event->field[1];
}

static void note_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		      enum wt_drop cause)
{
	struct wt_script_world *world = (void *)((char *)sink - offsetof(struct wt_script_world, drops));
	char text[32];

	if (world->log)
		fprintf(world->log, "# %s   dropped by the host: %s\n", wt_script_time_text(now - world->base, text), wt_drop_text(cause));
}

static bool apply_settings(struct wt_script_world *world)
{
	const struct wt_script *script = world->script;
	char error[256];

	for (unsigned i = 0; i < script->setting_count; i++) {
		const struct wt_script_setting *setting = &script->settings[i];

		if (wt_script_options_set(&world->options, setting->name, setting->value, error, sizeof(error))) {
			world->report->bad = true;
			return wt_script_failed(world, setting->line, "%s", error);
		}
	}
	return true;
}

static bool build_world(struct wt_script_world *world)
{
	const struct wt_script_options *options = &world->options;
	struct wt_host_config config = {
		.name = "host",
		.mac = host_mac,
		.addr = options->local,
		.prefix_len = 24,
		.mtu = (uint32_t)options->mtu,
		.secret = wt_key_derive(options->secret, "host"),
		.max_connections = (uint32_t)options->max_connections,
		.max_half_open = (uint32_t)options->max_half_open,
		.max_time_wait = (uint32_t)options->max_time_wait,
		.trace = &world->trace,
	};

	config.gateway = options->local;
	config.gateway.bytes[3] = options->local.bytes[3] == 254 ? 253 : 254;
	config.neighbours[0].addr = config.gateway;
	config.neighbours[0].mac = peer_mac;
	world->trace.event = trace_event;
	world->drops.drop = note_drop;
	world->pool = config.pool = wt_pool_create(POOL_FRAMES, WT_SCRIPT_FRAME);
	world->host = world->pool ? wt_host_create(&config) : NULL;
	if (!world->host)
		return wt_script_failed(world, 1, "out of memory");
	world->node = wt_host_node(world->host);
	world->node->drops = &world->drops;
	world->current_socket = -1;
	world->flow_count = 1;
	world->flows[0].local = (struct wt_endpoint){options->local, options->bind_port};
	world->flows[0].remote = (struct wt_endpoint){options->remote, options->remote_port};
	world->flows[0].remote_isn = options->remote_isn;
	if (world->with & WT_SX_MERGE && !wt_script_burst_open(world))
		return wt_script_failed(world, 1, "out of memory");
	return true;
}

static void finish_world(struct wt_script_world *world)
{
	uint32_t total;

	wt_script_burst_close(world);
	wt_host_destroy(world->host);
	wt_frame_queue_clear(&world->sent);
	if (world->pool) {
		total = wt_pool_count(world->pool);
		if (wt_pool_free_count(world->pool) != total)
			wt_script_failed(world, 1, "the host lost %u frames of the pool", total - wt_pool_free_count(world->pool));
	}
	wt_pool_destroy(world->pool);
}

/* One run of a world that knows its options. */
static bool run_world(struct wt_script_world *world)
{
	const struct wt_script *script = world->script;
	const struct wt_script_blocked *blocked = &world->blocked;
	bool passed = build_world(world);

	for (unsigned i = 0; passed && i < script->event_count; i++)
		passed = do_event(world, &script->events[i]);
	if (passed && blocked->event) /* it may still return in time */
		passed = wt_script_advance(world, blocked->end, blocked->event->line) &&
			 (!blocked->event ||
			  wt_script_failed(world, blocked->event->line, "%s() never returned", blocked->event->call.name));
	if (passed && world->sent.head)
		passed = wt_script_unexpected(world, NULL, script->events[script->event_count - 1].line);
	finish_world(world);
	return passed && !world->report->text[0];
}

/*
 * An initial sequence number moves with a 4 microsecond clock (RFC 6528 3), so the host's clock can be set such that our
 * first one is what the script asks for; a first run tells what it is at time zero.
 */
static wt_time base_for(const struct wt_script_world *world, uint32_t wanted)
{
	return world->knows_iss ? (wt_time)(uint32_t)(wanted - world->first_iss) * 4 * WT_US : 0;
}

bool wt_script_run(const struct wt_script *script, const struct wt_script_options *defaults, FILE *log,
		   struct wt_script_report *report)
{
	struct wt_script_world *world = calloc(1, sizeof(*world)), start;
	bool passed;

	memset(report, 0, sizeof(*report));
	if (!world) {
		snprintf(report->text, sizeof(report->text), "%.300s: out of memory", script->file);
		return false;
	}
	world->script = script;
	world->options = *defaults;
	world->report = report;
	passed = apply_settings(world);
	memcpy(report->why, world->options.why, sizeof(report->why));
	report->without = world->options.without;
	wt_script_extend_init(world);
	if (passed && world->options.with && !world->with) { /* nothing to add: it is the same run again */
		free(world);
		return true;
	}
	start = *world;
	if (passed && world->options.has_local_isn) {
		run_world(world);
		start.base = base_for(world, world->options.local_isn);
		report->bad = false;
		report->packets = report->windows = report->together = 0;
		report->text[0] = 0;
	}
	if (passed) {
		*world = start;
		world->log = log;
		passed = run_world(world);
	}
	free(world);
	return passed;
}
