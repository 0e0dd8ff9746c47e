/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of a run for people. */
#include <inttypes.h>
#include <string.h>

#include "emu/daemon/record.h"

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
	const struct wt_leg *leg = &daemon->net.link[link].leg[direction];
	struct wt_net_books books;

	fprintf(out, "%s%s%s  %s\n", daemon->plan.links > 1 ? daemon->plan.link[link].name : "", daemon->plan.links > 1 ? "." : "",
		direction ? "rev" : "fwd", leg->path.text[0] ? leg->path.text : "(an ideal wire)");
	for (unsigned i = 0; i < leg->count; i++)
		if (wt_leg_shown(leg, leg->node[i]))
			text_node(leg->node[i], wt_leg_gone(leg, leg->node[i]), out);
	if (!wt_net_link_books(&daemon->net, link, direction, &books))
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
	for (unsigned i = 0; i < daemon->plan.ports; i++) {
		const struct wt_port *port = daemon->net.port[i];

		fprintf(out, "port %s  %s  read %" PRIu64 "  written %" PRIu64 "  kernel drops %" PRIu64, daemon->plan.port[i].name,
			daemon->plan.port[i].text, port->node.audit.out, port->node.audit.taken, port->kernel_drops);
		if (port->oversize)
			fprintf(out, "  too long %" PRIu64, port->oversize);
		if (port->big_frames)
			fprintf(out, "  big frames %" PRIu64 " (%s)", port->big_frames, port->whole ? "passed whole" : "cut");
		if (port->stamps_refused)
			fprintf(out, "  dated when read (no stamps: %s)", strerror(-port->stamps_refused));
		else if (port->hears && port->unstamped)
			fprintf(out, "  without a stamp %" PRIu64, port->unstamped);
		if (port->late.count)
			fprintf(out, "  lateness: half below %.0f us, 99%% below %.0f us, worst %.0f us", (double)wt_histogram_below(&port->late, 0.5) / 1000,
				(double)wt_histogram_below(&port->late, 0.99) / 1000, (double)port->late.worst / 1000);
		text_dropped(&port->node.audit, out);
	}
}

static void text_verdict(const struct wt_daemon *daemon, FILE *out)
{
	struct wt_verdict verdict = wt_daemon_judge(daemon);

	fprintf(out, "verdict: %s", wt_verdict_valid(&verdict) ? "valid" : "NOT VALID");
	for (unsigned i = 0; i < WT_FAULTS; i++)
		if (verdict.first[i] != WT_NEVER)
			fprintf(out, ", %s from %.3f s", wt_fault_name((enum wt_fault)i), (double)verdict.first[i] / WT_S);
	fprintf(out, " (bounds: all but 1%% of the frames, or one, leave within %.0f us, stolen at most %g%%)\n", (double)verdict.bounds.late / 1000,
		verdict.bounds.steal * 100);
}

void wt_daemon_record_text(const struct wt_daemon *daemon, FILE *out)
{
	const struct wt_lateness *lateness = wt_rloop_lateness(daemon->rloop);

	fprintf(out, "ran %.3f s, seed %" PRIu64 ", release %s%s, processor time %.3f s\n", (double)daemon->ran / WT_S, daemon->plan.seed,
		wt_daemon_release_name(daemon->plan.release), daemon->plan.awake ? ", processors awake" : "", wt_daemon_cpu(daemon));
	for (unsigned i = 0; i < daemon->plan.links; i++) {
		text_direction(daemon, out, i, 0);
		text_direction(daemon, out, i, 1);
	}
	for (unsigned i = 0; i < daemon->plan.routers; i++)
		text_node(daemon->net.router[i], false, out);
	text_ports(daemon, out);
	if (lateness->count)
		fprintf(out, "lateness of %" PRIu64 " wake-ups: half below %.0f us, 99%% below %.0f us, worst %.0f us\n", lateness->count,
			(double)wt_lateness_below(lateness, 0.5) / 1000, (double)wt_lateness_below(lateness, 0.99) / 1000,
			(double)lateness->worst / 1000);
	fprintf(out, "audit: %s\n", wt_net_audit(&daemon->net) ? "every frame is accounted for in every node" : "BROKEN");
	text_verdict(daemon, out);
	fflush(out);
}
