/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a run: what came, what became of it and why, and how punctual the daemon was. */
#include <inttypes.h>
#include <string.h>

#include "emu/daemon/daemon.h"
#include "stack/base/units.h"
#include "stack/drive/json.h"

static const char *const direction_names[] = {"fwd", "rev"};

static const char *end_name(enum wt_daemon_end end)
{
	static const char *const names[] = {"running", "signal", "time", "port-gone", "write-error"};

	return names[end];
}

/* An upper bound of the lateness below which `share` of the wake-ups stayed. */
static wt_time lateness_below(const struct wt_lateness *lateness, double share)
{
	uint64_t sum = 0;
	unsigned buckets = sizeof(lateness->bucket) / sizeof(lateness->bucket[0]);

	for (unsigned i = 0; i < buckets; i++) {
		sum += lateness->bucket[i];
		if ((double)sum >= share * (double)lateness->count)
			return wt_time_min(((wt_time)1 << i) * WT_US, lateness->worst);
	}
	return lateness->worst;
}

static void json_dropped(struct wt_json *json, const struct wt_audit *audit)
{
	wt_json_object(json, "dropped");
	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		if (audit->dropped[cause])
			wt_json_u64(json, wt_drop_name((enum wt_drop)cause), audit->dropped[cause]);
	wt_json_end(json);
}

static void json_stage(struct wt_json *json, const struct wt_node *node)
{
	wt_json_object(json, NULL);
	wt_json_string(json, "stage", node->name);
	wt_json_u64(json, "in", node->audit.in);
	wt_json_u64(json, "made", node->audit.made);
	wt_json_u64(json, "out", node->audit.out);
	wt_json_u64(json, "queued", node->audit.queued);
	json_dropped(json, &node->audit);
	wt_json_end(json);
}

static void json_direction(const struct wt_daemon *daemon, struct wt_json *json, unsigned direction)
{
	const struct wt_path *path = &daemon->path[direction];
	struct wt_daemon_books books;

	wt_daemon_books(daemon, direction, &books);
	wt_json_object(json, direction_names[direction]);
	wt_json_string(json, "path", path->text);
	wt_json_u64(json, "offered", books.offered);
	wt_json_u64(json, "made", books.made);
	wt_json_u64(json, "delivered", books.delivered);
	wt_json_u64(json, "dropped", books.dropped);
	wt_json_u64(json, "queued", books.queued);
	wt_json_array(json, "stages");
	for (unsigned i = 0; i < path->count; i++)
		json_stage(json, path->stage[i]);
	wt_json_end(json);
	wt_json_end(json);
}

static void json_ports(const struct wt_daemon *daemon, struct wt_json *json)
{
	wt_json_array(json, "ports");
	for (unsigned i = 0; i < 2; i++) {
		const struct wt_port *port = daemon->port[i];

		wt_json_object(json, NULL);
		wt_json_string(json, "port", daemon->config.port[i]);
		wt_json_u64(json, "read", port->node.audit.out);
		wt_json_u64(json, "written", port->node.audit.taken);
		json_dropped(json, &port->node.audit);
		wt_json_u64(json, "kernel_drops", port->kernel_drops);
		wt_json_u64(json, "oversize", port->oversize);
		wt_json_end(json);
	}
	wt_json_end(json);
}

static void json_lateness(const struct wt_daemon *daemon, struct wt_json *json)
{
	const struct wt_lateness *lateness = wt_rloop_lateness(daemon->rloop);

	wt_json_object(json, "lateness");
	wt_json_u64(json, "wakeups", lateness->count);
	wt_json_i64(json, "p50_below_ns", lateness_below(lateness, 0.5));
	wt_json_i64(json, "p99_below_ns", lateness_below(lateness, 0.99));
	wt_json_i64(json, "worst_ns", lateness->worst);
	wt_json_array(json, "below_power_of_two_us");
	for (unsigned i = 0; i < sizeof(lateness->bucket) / sizeof(lateness->bucket[0]); i++)
		wt_json_u64(json, NULL, lateness->bucket[i]);
	wt_json_end(json);
	wt_json_end(json);
}

/* Does the law hold in every node and along both directions? */
static bool audit_holds(const struct wt_daemon *daemon)
{
	struct wt_daemon_books fwd, rev;
	const struct wt_node *broken;

	wt_daemon_books(daemon, 0, &fwd);
	wt_daemon_books(daemon, 1, &rev);
	return fwd.hold && rev.hold && wt_graph_audit(daemon->graph, &broken);
}

void wt_daemon_record_json(const struct wt_daemon *daemon, FILE *out)
{
	struct wt_json json;

	wt_json_init(&json, out);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.emu.1");
	wt_json_string(&json, "record", "end");
	wt_json_string(&json, "ended_by", end_name(daemon->end));
	wt_json_i64(&json, "ended_detail", daemon->end_detail);
	wt_json_u64(&json, "seed", daemon->config.seed);
	wt_json_i64(&json, "epoch_ns", wt_rloop_epoch(daemon->rloop));
	wt_json_i64(&json, "ran_ns", daemon->ran);
	json_direction(daemon, &json, 0);
	json_direction(daemon, &json, 1);
	json_ports(daemon, &json);
	json_lateness(daemon, &json);
	wt_json_bool(&json, "audit_holds", audit_holds(daemon));
	wt_json_end(&json);
	fflush(out);
}

static void text_dropped(const struct wt_audit *audit, FILE *out)
{
	const char *before = "dropped";

	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++) {
		if (!audit->dropped[cause])
			continue;
		fprintf(out, "  %s %" PRIu64 " %s", before, audit->dropped[cause], wt_drop_name((enum wt_drop)cause));
		before = "+";
	}
	fputc('\n', out);
}

static void text_direction(const struct wt_daemon *daemon, FILE *out, unsigned direction)
{
	const struct wt_path *path = &daemon->path[direction];
	struct wt_daemon_books books;

	wt_daemon_books(daemon, direction, &books);
	fprintf(out, "%s  %s\n", direction_names[direction], path->count ? path->text : "(an ideal wire)");
	for (unsigned i = 0; i < path->count; i++) {
		const struct wt_audit *audit = &path->stage[i]->audit;

		fprintf(out, "  %-14s in %-9" PRIu64 " out %-9" PRIu64, path->stage[i]->name, audit->in, audit->out);
		if (audit->made)
			fprintf(out, "  made %" PRIu64, audit->made);
		if (audit->queued)
			fprintf(out, "  queued %" PRIu64, audit->queued);
		text_dropped(audit, out);
	}
	fprintf(out, "  audit: %" PRIu64 " offered + %" PRIu64 " made %s %" PRIu64 " delivered + %" PRIu64 " dropped + %" PRIu64
		     " queued\n",
		books.offered, books.made, books.hold ? "=" : "IS NOT", books.delivered, books.dropped, books.queued);
}

void wt_daemon_record_text(const struct wt_daemon *daemon, FILE *out)
{
	const struct wt_lateness *lateness = wt_rloop_lateness(daemon->rloop);

	fprintf(out, "ran %.3f s, seed %" PRIu64 "\n", (double)daemon->ran / WT_S, daemon->config.seed);
	text_direction(daemon, out, 0);
	text_direction(daemon, out, 1);
	for (unsigned i = 0; i < 2; i++) {
		const struct wt_port *port = daemon->port[i];

		fprintf(out, "port %c  %s  read %" PRIu64 "  written %" PRIu64 "  kernel drops %" PRIu64, 'a' + i,
			daemon->config.port[i], port->node.audit.out, port->node.audit.taken, port->kernel_drops);
		if (port->oversize)
			fprintf(out, "  too long %" PRIu64, port->oversize);
		text_dropped(&port->node.audit, out);
	}
	fprintf(out, "lateness of %" PRIu64 " wake-ups: half below %.0f us, 99%% below %.0f us, worst %.0f us\n", lateness->count,
		(double)lateness_below(lateness, 0.5) / 1000, (double)lateness_below(lateness, 0.99) / 1000,
		(double)lateness->worst / 1000);
	fprintf(out, "audit: %s\n", audit_holds(daemon) ? "every frame is accounted for in every node" : "BROKEN");
	fflush(out);
}
