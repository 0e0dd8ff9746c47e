/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/bulk_text.h"

#include <inttypes.h>

struct wt_sender_facts wt_sender_facts(const struct wt_tcp_info *info)
{
	return (struct wt_sender_facts){
		.sender = info->sender, .recovery = info->recovery, .fallback = info->fallback, .segs = info->segs_sent,
		.retransmits = info->retransmits_segs, .fast_recoveries = info->fast_recoveries, .timeouts = info->timeouts,
		.mean_rtt = info->mean_rtt,
	};
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

void wt_sender_text(FILE *out, const struct wt_sender_facts *facts)
{
	fprintf(out, "%s%s%s%s: %" PRIu64 " segment%s sent, %" PRIu64 " of them again, %" PRIu64 " fast recover%s, %" PRIu64 " timeout%s",
		facts->sender, *facts->recovery ? ", recovery " : " of the kernel", facts->recovery, facts->fallback ? " (fell back)" : "", facts->segs, plural(facts->segs), facts->retransmits,
		facts->fast_recoveries, facts->fast_recoveries == 1 ? "y" : "ies", facts->timeouts, plural(facts->timeouts));
	if (facts->mean_rtt)
		fprintf(out, ", mean RTT %.1f ms", (double)facts->mean_rtt / 1e6);
}

void wt_receiver_text(FILE *out, const char *module, uint64_t segs, uint64_t duplicate, uint64_t out_of_order)
{
	fprintf(out, "module %s: %" PRIu64 " segment%s received, %" PRIu64 " duplicate, %" PRIu64 " out of order", module, segs, plural(segs), duplicate,
		out_of_order);
}

void wt_ecn_text(FILE *out, const struct wt_bulk_result *result, const struct wt_tcp_info *sender)
{
	if (result)
		fprintf(out, "%" PRIu32 " segment%s arrived marked CE, ", result->ce_segs, plural(result->ce_segs));
	fprintf(out, "%" PRIu64 " ACK%s with ECE, %" PRIu64 " window reduction%s", sender->ece_received_segs, plural(sender->ece_received_segs),
		sender->ecn_reductions, plural(sender->ecn_reductions));
}
