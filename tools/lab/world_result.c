/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lab/world_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/world/result.h"
#include "stack/text/units.h"
#include "tools/app/bulk_text.h"
#include "tools/common/cli.h"
#include "tools/common/json_copy.h"

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static bool is_datagrams(const json_t *flow)
{
	return json_object_get(flow, "datagrams");
}

/* Both ends of a flow of datagrams are known: what left and did not come is lost. */
static void count_lost(json_t *flow)
{
	json_t *datagrams = json_object_get(flow, "datagrams");
	double sent = number(datagrams, "sent"), lost = sent - number(datagrams, "received");

	json_object_set_new(datagrams, "lost", json_integer((json_int_t)(lost > 0 ? lost : 0)));
	json_object_set_new(datagrams, "loss_percent", json_real(lost > 0 ? 100 * lost / sent : 0));
}

/* The other end of a flow of which one is known. */
static void join(json_t *flow, json_t *other)
{
	const json_t *sender = json_object_get(flow, "payload_bytes") ? flow : other, *sink = sender == flow ? other : flow;
	bool sent = !strcmp(text_of(sender, "outcome"), "complete"), over = sent && !strcmp(text_of(sink, "outcome"), "complete");

	json_object_update_recursive(flow, other);
	count_lost(flow);
	over |= sent && !number(json_object_get(flow, "datagrams"), "lost"); /* the sink at another host is not told how many there are */
	json_object_set_new(flow, "outcome", json_string(over ? "complete" : "unfinished"));
}

/* The flows' objects by their numbers, from all hosts. */
json_t *wt_world_result_flows(const struct wt_world *world, char *const *text)
{
	json_t *all = json_array(), *flow;

	for (unsigned i = 0; i < world->flows; i++)
		json_array_append_new(all, json_null());
	for (unsigned i = 0; i < world->hosts; i++) {
		char *rest = text[i], *line;

		while (rest && (line = strsep(&rest, "\n"))) {
			flow = *line == '{' ? json_loads(line, 0, NULL) : NULL;
			if (flow && json_is_object(json_array_get(all, (size_t)number(flow, "flow"))))
				join(json_array_get(all, (size_t)number(flow, "flow")), flow);
			else if (flow)
				json_array_set(all, (size_t)number(flow, "flow"), flow);
			json_decref(flow);
		}
	}
	return all;
}

/* A flow's start is its time in the run, which all hosts begin at once. */
static void add_part(struct wt_flow_sum *sum, const json_t *flow, const json_t *sender, bool cut)
{
	double start = number(flow, "start_s");
	struct wt_flow_part part = {
		.from = (wt_time)(start * 1e9), .to = (wt_time)((start + number(flow, "connection_time_s")) * 1e9),
		.payload = (uint64_t)number(flow, cut ? "delivered_bytes" : "payload_bytes"), .goodput = number(flow, "goodput_bps") / 8,
		.segs = (uint64_t)number(sender, "sent_segs"), .retransmits_segs = (uint64_t)number(sender, "retransmits_segs"),
	};

	part.bytes = part.payload;
	wt_flow_sum_add(sum, &part);
}

/* Did each come to its end, or to the run's? `why` gets the first that did not. */
static bool add_up(const struct wt_world *world, const json_t *flows, struct wt_flow_sum *sum, char *why, size_t why_len)
{
	const json_t *flow;
	char limit[32];
	size_t i;

	json_array_foreach(flows, i, flow) {
		const json_t *sender = json_object_get(flow, "sender");
		bool cut = json_object_get(flow, "delivered_bytes");

		if (is_datagrams(flow)) /* their sum is not the flows', as in virtual time */
			continue;
		if (!*why && cut && !world->time) /* it had no end but its own */
			snprintf(why, why_len, "%s: not finished within %s", text_of(flow, "name"), wt_format_time(world->limit, limit, sizeof(limit)));
		else if (!*why && !cut && strcmp(text_of(flow, "outcome"), "complete"))
			snprintf(why, why_len, "%s: %s", text_of(flow, "name"), *text_of(flow, "why") ? text_of(flow, "why") : text_of(flow, "outcome"));
		add_part(sum, flow, sender, cut);
	}
	return !*why;
}

static void print_datagrams(const json_t *flow)
{
	const json_t *datagrams = json_object_get(flow, "datagrams");

	printf("%s %s-%s %s: %.0f datagrams, %.0f arrived, %.0f lost (%.3g %%), %.0f duplicate, %.0f late\n", text_of(flow, "name"), text_of(flow, "from"),
	       text_of(flow, "to"), text_of(flow, "outcome"), number(datagrams, "sent"), number(datagrams, "received"), number(datagrams, "lost"),
	       number(datagrams, "loss_percent"), number(datagrams, "duplicate"), number(datagrams, "late"));
	printf("  udp  %.2f KB/s (%.4g Mbit/s), delay in ms: min %.3f, mean %.3f, max %.3f; jitter %.3f ms\n", number(flow, "goodput_kBps"),
	       number(flow, "goodput_bps") * 1e-6, number(datagrams, "delay_min_s") * 1e3, number(datagrams, "delay_mean_s") * 1e3,
	       number(datagrams, "delay_max_s") * 1e3, number(datagrams, "jitter_s") * 1e3);
}

static void print_rr(const json_t *rr)
{
	printf("  rr   %.0f transactions, %.1f per second; latency in ms: min %.3f, mean %.3f, p50 %.3f, p90 %.3f, p95 %.3f, p99 %.3f, "
	       "max %.3f\n", number(rr, "transactions"), number(rr, "transactions_per_s"), number(rr, "latency_min_s") * 1e3,
	       number(rr, "latency_mean_s") * 1e3, number(rr, "latency_p50_s") * 1e3, number(rr, "latency_p90_s") * 1e3,
	       number(rr, "latency_p95_s") * 1e3, number(rr, "latency_p99_s") * 1e3, number(rr, "latency_max_s") * 1e3);
}

/* The books of a hop, read back from the emulator's record. */
static struct wt_hop_books books_of(const json_t *hop)
{
	const json_t *dropped = json_object_get(hop, "dropped");
	struct wt_hop_books books = {.in = (uint64_t)number(hop, "in"), .made = (uint64_t)number(hop, "made"), .out = (uint64_t)number(hop, "out"),
				     .queued = (uint64_t)number(hop, "queued"), .marked = (uint64_t)number(hop, "marked"),
				     .hold = json_is_true(json_object_get(hop, "holds"))};

	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		books.dropped[cause] = (uint64_t)number(dropped, wt_drop_name(cause));
	return books;
}

/* The words that the links began with. */
static void print_paths(const struct wt_world *world)
{
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++) {
			const char *words = world->link[i].words[d];

			printf("  %s%s%s  %s\n", world->links > 1 ? world->link[i].name : "", world->links > 1 ? "." : "", d ? "rev" : "fwd",
			       words && *words ? words : "(an ideal wire)");
		}
}

static void print_text(const struct wt_world *world, const json_t *flows, const json_t *record, const struct wt_flow_sum *sum)
{
	const json_t *flow, *hop, *fault;
	size_t i;

	json_array_foreach(flows, i, flow) {
		const json_t *sender = json_object_get(flow, "sender");
		const struct wt_sender_facts facts = {
			.sender = text_of(sender, "module"), .recovery = text_of(sender, "recovery"),
			.fallback = json_is_true(json_object_get(sender, "fallback")), .segs = (uint64_t)number(sender, "sent_segs"),
			.retransmits = (uint64_t)number(sender, "retransmits_segs"), .timeouts = (uint64_t)number(sender, "timeouts"),
			.fast_recoveries = (uint64_t)number(sender, "fast_recoveries"), .mean_rtt = (wt_time)(number(sender, "mean_rtt_s") * 1e9),
		};

		if (json_is_null(flow))
			continue;
		if (is_datagrams(flow)) {
			print_datagrams(flow);
			continue;
		}
		printf("%s %s-%s %s: %.0fB in %.3f s: %.2f KB/s (%.4g Mbit/s)\n  %s  ",
		       text_of(flow, "name"), text_of(flow, "from"), text_of(flow, "to"), text_of(flow, "outcome"),
		       number(flow, json_object_get(flow, "delivered_bytes") ? "delivered_bytes" : "payload_bytes"), number(flow, "connection_time_s"),
		       number(flow, "goodput_kBps"), number(flow, "goodput_bps") * 1e-6, text_of(flow, "from"));
		wt_sender_text(stdout, &facts);
		putchar('\n');
		if (json_object_get(flow, "rr"))
			print_rr(json_object_get(flow, "rr"));
	}
	if (world->flows > 1)
		wt_flow_sum_text(stdout, sum);
	print_paths(world);
	json_array_foreach(json_object_get(record, "hops"), i, hop) {
		const struct wt_hop_books books = books_of(hop);

		wt_hop_text(stdout, text_of(hop, "link"), text_of(hop, "direction"), &books);
	}
	printf("  verdict %s", json_is_true(json_object_get(json_object_get(record, "verdict"), "valid")) ? "valid" : "NOT VALID:");
	json_array_foreach(json_object_get(json_object_get(record, "verdict"), "faults"), i, fault)
		printf("%s %s (%s)", i ? "," : "", text_of(fault, "fault"), text_of(fault, "where"));
	printf("\n");
}

static void print_json(const struct wt_world *world, const char *backend, const json_t *flows, const json_t *record, const struct wt_flow_sum *sum,
		       bool good)
{
	static const char *const kept[] = {"hops", "verdict", "lateness", "ports"};
	struct wt_json json;

	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.sim.1");
	wt_json_string(&json, "backend", backend);
	wt_json_u64(&json, "seed", world->seed);
	wt_json_bool(&json, "ok", good);
	if (world->flows > 1) {
		wt_json_number(&json, "jain", wt_flow_sum_jain(sum));
		wt_flow_sum_json(&json, sum);
	}
	wt_json_copy(&json, "flows", flows);
	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		wt_json_copy(&json, kept[i], json_object_get(record, kept[i]));
	wt_json_end(&json);
}

int wt_world_result_tell(const struct wt_world *world, const char *backend, bool in_json, const json_t *flows, const json_t *record, bool cut)
{
	bool valid = json_is_true(json_object_get(json_object_get(record, "verdict"), "valid")), good;
	struct wt_flow_sum sum = {0};
	char why[300] = "";

	good = add_up(world, flows, &sum, why, sizeof(why));
	if (in_json)
		print_json(world, backend, flows, record, &sum, good && valid && !cut);
	else
		print_text(world, flows, record, &sum);
	if (cut)
		return WT_EXIT_OK;
	if (!good)
		return wt_fail(WT_EXIT_CONNECTION, "%s", why);
	return valid ? WT_EXIT_OK : wt_fail(WT_EXIT_FAILED, "the run is not valid: the host was too busy, see its verdict");
}
