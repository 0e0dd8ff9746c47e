/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a run for programs: what came, what became of it and why, how punctual the daemon was, and whether it counts. */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "emu/daemon/daemon.h"
#include "emu/daemon/record.h"
#include "emu/world/result.h"
#include "stack/record/json.h"

const char *wt_daemon_end_name(enum wt_daemon_end end)
{
	static const char *const names[] = {"running", "signal", "time", "port-gone", "write-error"};

	return names[end];
}

const char *wt_daemon_release_name(enum wt_release release)
{
	static const char *const names[] = {"sleep", "guard", "spin"};

	return names[release];
}

double wt_daemon_cpu(const struct wt_daemon *daemon)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* An upper bound of the lateness below which `share` of the wake-ups stayed. */
wt_time wt_lateness_below(const struct wt_lateness *lateness, double share)
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

static void json_node(struct wt_json *json, const struct wt_node *node, const struct wt_direction *way)
{
	struct wt_rate_counts counts;

	wt_json_object(json, NULL);
	wt_json_string(json, "stage", node->name);
	wt_json_u64(json, "in", node->audit.in);
	wt_json_u64(json, "made", node->audit.made);
	wt_json_u64(json, "out", node->audit.out);
	if (node->audit.taken)
		wt_json_u64(json, "taken", node->audit.taken);
	wt_json_u64(json, "queued", node->audit.queued);
	if (node->audit.corrupted)
		wt_json_u64(json, "corrupted", node->audit.corrupted);
	if (node->audit.marked)
		wt_json_u64(json, "marked", node->audit.marked);
	if (node->audit.withheld)
		wt_json_u64(json, "withheld", node->audit.withheld);
	json_dropped(json, &node->audit);
	if (way && wt_direction_rate(way, node, &counts)) {
		wt_json_u64(json, "waiting_bytes", counts.waiting_bytes);
		wt_json_number(json, "pressure", counts.pressure);
	}
	if (way && wt_direction_gone(way, node))
		wt_json_bool(json, "gone", true);
	wt_json_end(json);
}

static void json_books(struct wt_json *json, const struct wt_network_books *books)
{
	wt_json_u64(json, "offered", books->offered);
	wt_json_u64(json, "made", books->made);
	wt_json_u64(json, "delivered", books->delivered);
	if (books->taken)
		wt_json_u64(json, "taken", books->taken);
	wt_json_u64(json, "dropped", books->dropped);
	wt_json_u64(json, "lost", books->lost);
	wt_json_u64(json, "kernel_drops", books->kernel);
	wt_json_u64(json, "queued", books->queued);
}

static void json_direction(const struct wt_daemon *daemon, struct wt_json *json, unsigned link, unsigned direction)
{
	const struct wt_direction *way = &daemon->net.link[link].way[direction];
	struct wt_network_books books;

	wt_json_object(json, direction ? "rev" : "fwd");
	wt_json_string(json, "path", way->path.text);
	if (wt_network_link_books(&daemon->net, link, direction, &books))
		json_books(json, &books);
	wt_json_array(json, "stages");
	for (unsigned i = 0; i < way->count; i++)
		if (wt_direction_shown(way, way->node[i]))
			json_node(json, way->node[i], way);
	wt_json_end(json);
	wt_json_end(json);
}

/* Of one link its directions; of more a list, and what became of it all. */
static void json_links(const struct wt_daemon *daemon, struct wt_json *json)
{
	struct wt_network_books books;

	if (daemon->world.links == 1 && !daemon->world.routers) {
		json_direction(daemon, json, 0, 0);
		json_direction(daemon, json, 0, 1);
		return;
	}
	wt_json_array(json, "links");
	for (unsigned i = 0; i < daemon->world.links; i++) {
		wt_json_object(json, NULL);
		wt_json_string(json, "link", daemon->world.link[i].name);
		json_direction(daemon, json, i, 0);
		json_direction(daemon, json, i, 1);
		wt_json_end(json);
	}
	wt_json_end(json);
	wt_json_array(json, "routers");
	for (unsigned i = 0; i < daemon->world.routers; i++)
		json_node(json, daemon->net.router[i], NULL);
	wt_json_end(json);
	wt_network_books(&daemon->net, &books);
	wt_json_object(json, "total");
	json_books(json, &books);
	wt_json_end(json);
}

static void json_late(struct wt_json *json, const struct wt_histogram *late)
{
	wt_json_object(json, "late");
	wt_json_u64(json, "frames", late->count);
	wt_json_i64(json, "p50_ns", wt_histogram_below(late, 0.5));
	wt_json_i64(json, "p99_ns", wt_histogram_below(late, 0.99));
	wt_json_i64(json, "p999_ns", wt_histogram_below(late, 0.999));
	wt_json_i64(json, "worst_ns", late->worst);
	wt_json_i64(json, "judged_ns", wt_verdict_lateness(late));
	wt_json_end(json);
}

/* How the frames that came were dated. */
static void json_arrival(struct wt_json *json, const struct wt_port *port)
{
	wt_json_object(json, "arrival");
	wt_json_string(json, "by", port->hears ? "kernel" : "read");
	if (port->hears)
		wt_json_string(json, "source", port->stamp_source);
	wt_json_u64(json, "stamped", port->stamped);
	wt_json_u64(json, "unstamped", port->unstamped);
	if (port->stamps_refused)
		wt_json_string(json, "refused", strerror(-port->stamps_refused));
	wt_json_end(json);
}

static void json_ports(const struct wt_daemon *daemon, struct wt_json *json)
{
	wt_json_array(json, "ports");
	for (unsigned i = 0; i < daemon->world.hosts; i++) {
		const struct wt_port *port = daemon->net.port[i];

		wt_json_object(json, NULL);
		wt_json_string(json, "name", daemon->world.host[i].name);
		wt_json_string(json, "port", daemon->world.host[i].place);
		wt_json_u64(json, "read", port->node.audit.out);
		wt_json_u64(json, "written", port->node.audit.taken);
		json_dropped(json, &port->node.audit);
		wt_json_u64(json, "kernel_drops", port->kernel_drops);
		wt_json_u64(json, "oversize", port->oversize);
		wt_json_string(json, "writes", port->batch ? "gather" : "single");
		if (port->big_pool) {
			wt_json_u64(json, "big", port->big_frames);
			wt_json_bool(json, "whole", port->whole);
		}
		json_arrival(json, port);
		json_late(json, &port->late);
		wt_json_end(json);
	}
	wt_json_end(json);
}

static void json_lateness(const struct wt_daemon *daemon, struct wt_json *json)
{
	const struct wt_lateness *lateness = wt_rloop_lateness(daemon->rloop);
	wt_time spun, guard = wt_rloop_guard(daemon->rloop, &spun);

	wt_json_object(json, "lateness");
	wt_json_u64(json, "wakeups", lateness->count);
	wt_json_i64(json, "p50_below_ns", wt_lateness_below(lateness, 0.5));
	wt_json_i64(json, "p99_below_ns", wt_lateness_below(lateness, 0.99));
	wt_json_i64(json, "worst_ns", lateness->worst);
	wt_json_i64(json, "judged_ns", wt_verdict_lateness(&daemon->probe.late));
	wt_json_array(json, "below_power_of_two_us");
	for (unsigned i = 0; i < sizeof(lateness->bucket) / sizeof(lateness->bucket[0]); i++)
		wt_json_u64(json, NULL, lateness->bucket[i]);
	wt_json_end(json);
	wt_json_string(json, "release", wt_daemon_release_name(daemon->options.release));
	wt_json_bool(json, "awake", daemon->options.awake);
	wt_json_i64(json, "guard_ns", guard);
	wt_json_i64(json, "spun_ns", spun);
	wt_json_number(json, "cpu_s", wt_daemon_cpu(daemon));
	wt_json_end(json);
}

static void json_verdict(const struct wt_daemon *daemon, struct wt_json *json)
{
	struct wt_verdict verdict = wt_daemon_judge(daemon);

	wt_json_object(json, "verdict");
	wt_json_bool(json, "valid", wt_verdict_valid(&verdict));
	wt_json_array(json, "faults");
	for (unsigned i = 0; i < WT_FAULTS; i++) {
		if (verdict.first[i] == WT_NEVER)
			continue;
		wt_json_object(json, NULL);
		wt_json_string(json, "fault", wt_fault_name((enum wt_fault)i));
		wt_json_i64(json, "first_ns", verdict.first[i]);
		wt_json_string(json, "where", verdict.where[i]);
		wt_json_end(json);
	}
	wt_json_end(json);
	wt_json_i64(json, "late_bound_ns", verdict.bounds.late);
	wt_json_number(json, "steal_share", wt_verdict_steal(&verdict));
	wt_json_number(json, "steal_bound", verdict.bounds.steal);
	wt_json_end(json);
}

void wt_daemon_record_json(const struct wt_daemon *daemon, const char *record, FILE *out)
{
	struct wt_json json;

	wt_json_init(&json, out);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.emu.1");
	wt_json_string(&json, "record", record);
	wt_json_string(&json, "ended_by", wt_daemon_end_name(daemon->end));
	wt_json_i64(&json, "ended_detail", daemon->end_detail);
	if (daemon->unwritten)
		wt_json_string(&json, "unwritten", daemon->unwritten);
	wt_json_i64(&json, "epoch_ns", wt_rloop_epoch(daemon->rloop));
	wt_json_i64(&json, "ran_ns", daemon->ran);
	wt_json_u64(&json, "seed", daemon->world.seed);
	wt_json_u64(&json, "uid", daemon->uid);
	json_links(daemon, &json);
	wt_network_hops_json(&json, &daemon->net);
	json_ports(daemon, &json);
	json_lateness(daemon, &json);
	json_verdict(daemon, &json);
	wt_json_bool(&json, "audit_holds", wt_network_audit(&daemon->net));
	wt_json_end(&json);
	fflush(out);
}
