/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/bulk_json.h"

#include <string.h>

#include "tools/app/playback.h"
#include "tools/app/rr.h"

static double seconds(wt_time t)
{
	return (double)t / 1e9;
}

void wt_gauges_json(struct wt_json *json, const struct wt_tcp_info *info)
{
	wt_json_u64(json, "pacing_rate_Bps", info->pacing_rate);
	for (unsigned i = 0; info->gauges && info->gauges[i]; i++)
		wt_json_number(json, info->gauges[i], info->gauge[i]);
}

/* Of all round trips, upper bounds to one part in sixteen. */
static void rtts_json(struct wt_json *json, const struct wt_histogram *rtts)
{
	static const unsigned shares[] = {1, 5, 10, 25, 50, 75, 90, 95, 99};
	char name[8];

	if (!rtts->count)
		return;
	wt_json_object(json, "rtt_percentiles_s");
	for (unsigned i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		snprintf(name, sizeof(name), "p%u", shares[i]);
		wt_json_number(json, name, seconds(wt_histogram_below(rtts, shares[i] / 100.0)));
	}
	wt_json_end(json);
}

static void sender_json(struct wt_json *json, const struct wt_bulk_sender *s)
{
	const struct wt_tcp_info *info = &s->info;

	wt_json_object(json, "sender");
	wt_json_string(json, "module", info->sender);
	wt_json_string(json, "recovery", info->recovery);
	wt_json_bool(json, "fallback", info->fallback);
	wt_json_u64(json, "mss_bytes", info->snd_mss);
	wt_json_u64(json, "sent_segs", info->segs_sent);
	wt_json_u64(json, "retransmits_segs", info->retransmits_segs);
	wt_json_u64(json, "retransmits_bytes", info->retransmits_bytes);
	wt_json_u64(json, "fast_recoveries", info->fast_recoveries);
	wt_json_u64(json, "timeouts", info->timeouts);
	wt_json_bool(json, "ecn", info->ecn);
	wt_json_u64(json, "ece_received_segs", info->ece_received_segs);
	wt_json_u64(json, "ecn_reductions", info->ecn_reductions);
	wt_json_u64(json, "cwr_sent_segs", info->cwr_sent_segs);
	wt_json_u64(json, "cwnd_bytes", info->cwnd);
	wt_gauges_json(json, info);
	wt_json_number(json, "srtt_s", seconds(info->srtt));
	wt_json_number(json, "min_rtt_s", seconds(info->min_rtt));
	wt_json_number(json, "mean_rtt_s", seconds(info->mean_rtt));
	rtts_json(json, &s->rtts);
	wt_json_number(json, "rto_s", seconds(info->rto));
	wt_json_end(json);
}

void wt_bulk_report_json(struct wt_json *json, const struct wt_bulk_report *report)
{
	if (!report) {
		wt_json_string(json, "sender", NULL);
		return;
	}
	wt_json_object(json, "sender");
	wt_json_string(json, "module", report->sender);
	wt_json_string(json, "recovery", report->recovery);
	wt_json_u64(json, "payload_bytes", report->bytes);
	wt_json_u64(json, "sent_segs", report->segs);
	wt_json_u64(json, "retransmits_segs", report->retransmits_segs);
	wt_json_u64(json, "retransmits_bytes", report->retransmits_bytes);
	wt_json_u64(json, "fast_recoveries", report->fast_recoveries);
	wt_json_u64(json, "timeouts", report->timeouts);
	wt_json_number(json, "min_rtt_s", seconds(report->min_rtt));
	wt_json_number(json, "mean_rtt_s", seconds(report->mean_rtt));
	wt_json_end(json);
}

void wt_bulk_playback_json(struct wt_json *json, const struct wt_bulk_result *r)
{
	if (!r->attempts)
		return;
	wt_json_object(json, "playback");
	wt_json_u64(json, "attempts", r->attempts);
	wt_json_u64(json, "successes", r->successes);
	wt_json_number(json, "success_percent", wt_playback_success(r));
	wt_json_end(json);
}

void wt_bulk_receiver_json(struct wt_json *json, const struct wt_bulk_result *r)
{
	wt_json_object(json, "receiver");
	wt_json_string(json, "module", r->receiver);
	wt_json_bool(json, "verified", r->compared && r->verified);
	wt_json_u64(json, "payload_bytes", r->bytes);
	wt_json_number(json, "first_byte_s", seconds(r->first));
	wt_json_number(json, "last_byte_s", seconds(r->last));
	wt_json_u64(json, "received_segs", r->segs);
	wt_json_u64(json, "duplicate_segs", r->dup_segs);
	wt_json_u64(json, "out_of_order_segs", r->out_of_order_segs);
	wt_json_u64(json, "ce_segs", r->ce_segs);
	wt_bulk_playback_json(json, r);
	wt_json_end(json);
}

void wt_bulk_json(struct wt_json *json, const struct wt_bulk_sender *s)
{
	double goodput = wt_bulk_goodput(s);

	wt_json_string(json, "outcome", wt_bulk_outcome(s));
	wt_json_string(json, "error", s->error ? strerrorname_np(-s->error) : NULL);
	wt_json_u64(json, "payload_bytes", s->written);
	if (s->cut)
		wt_json_u64(json, "delivered_bytes", s->delivered);
	if (s->arrival) {
		wt_json_number(json, "arrival_s", seconds(s->arrival));
		wt_json_number(json, "arrival_kBps", (double)s->delivered / 1000 / seconds(s->arrival));
	}
	wt_json_number(json, "connection_time_s", s->acked > s->start ? seconds(s->acked - s->start) : s->cut ? seconds(s->end - s->start) : 0);
	wt_json_number(json, "goodput_kBps", goodput / 1000);
	wt_json_number(json, "goodput_bps", goodput * 8);
	sender_json(json, s);
	if (s->config.rr)
		wt_rr_json(json, s->config.rr);
	if (s->got_result)
		wt_bulk_receiver_json(json, &s->result);
	else
		wt_json_string(json, "receiver", NULL);
}
