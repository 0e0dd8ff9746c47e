/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a run for people. */
#include <inttypes.h>
#include <string.h>

#include "emu/daemon/record.h"
#include "stack/text/units.h"

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

static void text_node(const struct wt_node *node, bool gone, FILE *out)
{
	const struct wt_audit *audit = &node->audit;

	fprintf(out, gone ? "  (%s) in %" PRIu64 " out %" PRIu64 : "  %-14s in %-9" PRIu64 " out %-9" PRIu64, node->name, audit->in, audit->out);
	if (audit->marked)
		fprintf(out, "  marked %" PRIu64, audit->marked);
	if (audit->corrupted)
		fprintf(out, "  corrupted %" PRIu64, audit->corrupted);
	if (audit->made)
		fprintf(out, "  made %" PRIu64, audit->made);
	if (audit->withheld)
		fprintf(out, "  withheld %" PRIu64, audit->withheld);
	if (audit->taken)
		fprintf(out, "  taken %" PRIu64, audit->taken);
	if (audit->queued)
		fprintf(out, "  queued %" PRIu64, audit->queued);
	text_dropped(audit, out);
}

static void text_direction(const struct wt_daemon *daemon, FILE *out, unsigned link, unsigned direction)
{
	const struct wt_direction *way = &daemon->net.link[link].way[direction];
	struct wt_network_books books;

	fprintf(out, "%s%s%s  %s\n", daemon->world.links > 1 ? daemon->world.link[link].name : "", daemon->world.links > 1 ? "." : "",
		direction ? "rev" : "fwd", way->path.text[0] ? way->path.text : "(an ideal wire)");
	for (unsigned i = 0; i < way->count; i++)
		if (wt_direction_shown(way, way->node[i]))
			text_node(way->node[i], wt_direction_gone(way, way->node[i]), out);
	if (!wt_network_link_books(&daemon->net, link, direction, &books))
		return;
	fprintf(out, "  audit: %" PRIu64 " offered + %" PRIu64 " made %s %" PRIu64 " delivered + %" PRIu64 " dropped + %" PRIu64 " queued",
		books.offered, books.made, books.hold ? "=" : "IS NOT", books.delivered, books.dropped, books.queued);
	if (books.taken)
		fprintf(out, " + %" PRIu64 " sent back", books.taken);
	if (books.lost)
		fprintf(out, " + %" PRIu64 " lost at the port", books.lost);
	if (books.kernel)
		fprintf(out, " + %" PRIu64 " dropped by the kernel", books.kernel);
	fputc('\n', out);
}

static void text_ports(const struct wt_daemon *daemon, FILE *out)
{
	for (unsigned i = 0; i < daemon->world.hosts; i++) {
		const struct wt_port *port = daemon->net.port[i];

		fprintf(out, "port %s  %s  read %" PRIu64 "  written %" PRIu64 "  kernel drops %" PRIu64, daemon->world.host[i].name,
			daemon->world.host[i].place, port->node.audit.out, port->node.audit.taken, port->kernel_drops);
		if (port->oversize)
			fprintf(out, "  too long %" PRIu64, port->oversize);
		if (port->big_frames)
			fprintf(out, "  big frames %" PRIu64 " (%s)", port->big_frames, port->whole ? "passed whole" : "cut");
		if (port->stamps_refused)
			fprintf(out, "  arrival times are of reading (no kernel stamps: %s)", strerror(-port->stamps_refused));
		else if (port->hears && port->unstamped)
			fprintf(out, "  without a stamp %" PRIu64, port->unstamped);
		if (port->late.count)
			fprintf(out, "  lateness: half below %.0f us, 99%% below %.0f us, worst %.0f us", (double)wt_histogram_below(&port->late, 0.5) / 1000,
				(double)wt_histogram_below(&port->late, 0.99) / 1000, (double)port->late.worst / 1000);
		text_dropped(&port->node.audit, out);
	}
}

/* What the kernel did not take from us counts as well as what it did not give us: whichever it was is said. */
static void text_kernel_drops(const struct wt_port *port, FILE *out)
{
	uint64_t refused = port->node.audit.dropped[WT_DROP_WIRE];

	if (port->kernel_drops)
		fprintf(out, ": the kernel dropped %" PRIu64 " frames", port->kernel_drops);
	if (refused)
		fprintf(out, "%s refused %" PRIu64 " that were written", port->kernel_drops ? " and" : ": the kernel", refused);
}

static void text_where(const struct wt_daemon *daemon, const struct wt_verdict *verdict, enum wt_fault fault, FILE *out)
{
	const char *where = verdict->where[fault];
	unsigned i = 0;

	while (i < daemon->world.hosts && strcmp(daemon->world.host[i].name, where))
		i++;
	fprintf(out, " (%s%s", fault == WT_FAULT_SCRIPT ? "link " : i < daemon->world.hosts ? "port " : "", where);
	if (fault == WT_FAULT_BUSY)
		fprintf(out, " %.2g%% stolen", wt_verdict_steal(verdict) * 100);
	if (fault == WT_FAULT_KERNEL_DROPS && i < daemon->world.hosts)
		text_kernel_drops(daemon->net.port[i], out);
	fputc(')', out);
}

static void text_verdict(const struct wt_daemon *daemon, FILE *out)
{
	struct wt_verdict verdict = wt_daemon_judge(daemon);
	char late[40];

	fprintf(out, "verdict: %s", wt_verdict_valid(&verdict) ? "valid" : "NOT VALID");
	if (daemon->end == WT_DAEMON_WRITE_ERROR)
		fprintf(out, ", but cut short at %.3f s: %s could not be written (%s)", (double)daemon->ran / WT_S, daemon->unwritten,
			strerror(-daemon->end_detail));
	for (unsigned i = 0; i < WT_FAULTS; i++) {
		if (verdict.first[i] == WT_NEVER)
			continue;
		fprintf(out, ", %s", wt_fault_name((enum wt_fault)i));
		text_where(daemon, &verdict, (enum wt_fault)i, out);
		fprintf(out, " from %.3f s", (double)verdict.first[i] / WT_S);
	}
	fprintf(out, " (bounds: all but 1%% of the frames, or one, leave within %s, stolen at most %g%%)\n",
		wt_format_time(verdict.bounds.late, late, sizeof(late)), verdict.bounds.steal * 100);
}

static void text_lateness(const struct wt_daemon *daemon, FILE *out)
{
	const struct wt_lateness *lateness = wt_rloop_lateness(daemon->rloop);
	const struct wt_histogram *looks = &daemon->probe.late;

	if (lateness->count)
		fprintf(out, "lateness of %" PRIu64 " wake-ups: half below %.0f us, 99%% below %.0f us, worst %.0f us\n", lateness->count,
			(double)wt_lateness_below(lateness, 0.5) / 1000, (double)wt_lateness_below(lateness, 0.99) / 1000,
			(double)lateness->worst / 1000);
	if (looks->count)
		fprintf(out, "frames were dated when read; the loop looked for them up to %.0f us late (all but 1%% of %" PRIu64 " looks, or one)\n",
			(double)wt_verdict_lateness(looks) / 1000, looks->count);
}

void wt_daemon_record_text(const struct wt_daemon *daemon, FILE *out)
{
	const struct wt_identity *identity = &daemon->options.identity;

	fprintf(out, "ran %.3f s, seed %" PRIu64 ", release %s%s, processor time %.3f s, as user %u", (double)daemon->ran / WT_S, daemon->world.seed,
		wt_daemon_release_name(daemon->options.release), daemon->options.awake ? ", processors awake" : "", wt_daemon_cpu(daemon),
		(unsigned)daemon->uid);
	if (identity->uid == daemon->uid && identity->name[0])
		fprintf(out, " (%s)", identity->name);
	fputc('\n', out);
	for (unsigned i = 0; i < daemon->world.links; i++) {
		text_direction(daemon, out, i, 0);
		text_direction(daemon, out, i, 1);
	}
	for (unsigned i = 0; i < daemon->world.routers; i++)
		text_node(daemon->net.router[i], false, out);
	text_ports(daemon, out);
	text_lateness(daemon, out);
	fprintf(out, "audit: %s\n", wt_network_audit(&daemon->net) ? "every frame is accounted for in every node" : "BROKEN");
	text_verdict(daemon, out);
	fflush(out);
}
