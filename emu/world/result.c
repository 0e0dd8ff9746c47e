/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/world/result.h"

#include <inttypes.h>
#include <math.h>

#include "stack/text/units.h"

void wt_flow_sum_add(struct wt_flow_sum *sum, uint64_t payload, double goodput, uint64_t segs, uint64_t retransmits_segs)
{
	sum->flows++;
	sum->payload += payload;
	sum->goodput += goodput;
	sum->squares += goodput * goodput;
	sum->segs += segs;
	sum->retransmits_segs += retransmits_segs;
}

double wt_flow_sum_jain(const struct wt_flow_sum *sum)
{
	return sum->squares > 0 ? sum->goodput * sum->goodput / (sum->flows * sum->squares) : NAN;
}

void wt_flow_sum_text(FILE *out, const struct wt_flow_sum *sum)
{
	char size[32];

	fprintf(out, "[SUM] %u flows: %s, %.2f KB/s (%.4g Mbit/s), %" PRIu64 " segments, %" PRIu64 " sent again, Jain's index %.4f\n", sum->flows,
		sum->payload ? wt_format_size(sum->payload, size, sizeof(size)) : "0B", sum->goodput / 1000, sum->goodput * 8e-6, sum->segs,
		sum->retransmits_segs, wt_flow_sum_jain(sum));
}

void wt_flow_sum_json(struct wt_json *json, const struct wt_flow_sum *sum)
{
	wt_json_object(json, "sum");
	wt_json_u64(json, "flows", sum->flows);
	wt_json_u64(json, "payload_bytes", sum->payload);
	wt_json_number(json, "goodput_kBps", sum->goodput / 1000);
	wt_json_number(json, "goodput_bps", sum->goodput * 8);
	wt_json_u64(json, "sent_segs", sum->segs);
	wt_json_u64(json, "retransmits_segs", sum->retransmits_segs);
	wt_json_number(json, "jain", wt_flow_sum_jain(sum));
	wt_json_end(json);
}

void wt_hops_text(FILE *out, const struct wt_world *world, struct wt_hop_books (*hop)[2])
{
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++) {
			const struct wt_hop_books *books = &hop[i][d];
			bool any = false;

			if (!books->stages)
				continue;
			fprintf(out, "  hop  %s.%s: in %" PRIu64 ", out %" PRIu64, world->link[i].name, d ? "rev" : "fwd", books->in, books->out);
			for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
				if (books->dropped[cause]) {
					fprintf(out, "%s %s %" PRIu64, any ? "," : ", dropped", wt_drop_name(cause), books->dropped[cause]);
					any = true;
				}
			if (books->made)
				fprintf(out, ", made %" PRIu64, books->made);
			if (books->marked)
				fprintf(out, ", marked %" PRIu64, books->marked);
			if (books->queued)
				fprintf(out, ", under way %" PRIu64, books->queued);
			fprintf(out, "%s\n", books->hold ? "" : ", THE BOOKS DO NOT BALANCE");
		}
}

void wt_hop_books_json(struct wt_json *json, const struct wt_hop_books *books)
{
	uint64_t dropped = 0;

	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		dropped += books->dropped[cause];
	wt_json_u64(json, "in", books->in);
	wt_json_u64(json, "made", books->made);
	wt_json_u64(json, "out", books->out);
	wt_json_u64(json, "queued", books->queued);
	wt_json_u64(json, "back", books->back);
	wt_json_u64(json, "marked", books->marked);
	wt_json_u64(json, "dropped_frames", dropped);
	wt_json_object(json, "dropped");
	for (unsigned cause = 0; cause < WT_DROP_CAUSES; cause++)
		if (books->dropped[cause])
			wt_json_u64(json, wt_drop_name(cause), books->dropped[cause]);
	wt_json_end(json);
	wt_json_bool(json, "holds", books->hold);
}

static void hop_json(struct wt_json *json, const char *link, unsigned direction, const struct wt_hop_books *books)
{
	wt_json_object(json, NULL);
	wt_json_string(json, "link", link);
	wt_json_string(json, "direction", direction ? "rev" : "fwd");
	wt_hop_books_json(json, books);
	wt_json_end(json);
}

void wt_hops_json(struct wt_json *json, const struct wt_world *world, struct wt_hop_books (*hop)[2])
{
	wt_json_array(json, "hops");
	for (unsigned i = 0; i < world->links; i++)
		for (unsigned d = 0; d < 2; d++)
			if (hop[i][d].stages)
				hop_json(json, world->link[i].name, d, &hop[i][d]);
	wt_json_end(json);
}

void wt_network_hops_json(struct wt_json *json, const struct wt_network *net)
{
	struct wt_hop_books books;

	wt_json_array(json, "hops");
	for (unsigned i = 0; i < net->world->links; i++)
		for (unsigned d = 0; d < 2; d++) {
			wt_network_hop_books(net, i, d, &books);
			if (books.stages)
				hop_json(json, net->world->link[i].name, d, &books);
		}
	wt_json_end(json);
}
