/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/transfer/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "tools/app/bulk_json.h"
#include "tools/app/bulk_text.h"
#include "tools/app/bulk_wire.h"

static void over(struct wt_send_stream *stream, enum wt_bulk_fail fail, int error)
{
	stream->done = true;
	stream->fail = fail;
	stream->error = error;
	stream->on_done(stream->arg, stream);
}

/* ---- fetching ----------------------------------------------------------------------------------------- */

static void on_fetch_interval(void *arg, struct wt_bulk_receiver *receiver, const struct wt_bulk_interval *interval)
{
	wt_send_stream_interval(arg, interval);
}

static void on_fetched(void *arg, struct wt_bulk_receiver *receiver)
{
	struct wt_send_stream *stream = arg;
	bool refused = receiver->fail == WT_BULK_BROKEN && !receiver->result.bytes;

	stream->got = *receiver;
	over(stream, refused ? WT_BULK_CONNECT : receiver->fail, receiver->error);
}

int wt_send_stream_fetch(struct wt_send_stream *stream, const struct wt_endpoint *remote, const struct wt_bulk_request *request, wt_time omit)
{
	struct wt_transfer *transfer = stream->transfer;
	const struct wt_bulk_serve_config config = {.interval = transfer->interval, .on_interval = on_fetch_interval, .on_done = on_fetched,
						    .omit = omit, .arg = stream};

	stream->kind = WT_STREAM_FETCHES;
	stream->begun = true;
	return wt_bulk_fetch(&stream->fetch, &config, transfer->station.host, remote, &transfer->tcp, request,
			     wt_rloop_clock(transfer->station.rloop));
}

/* ---- datagrams ---------------------------------------------------------------------------------------- */

static void on_datagrams_sent(void *arg, struct wt_cbr_sender *sender)
{
	over(arg, sender->reports ? WT_BULK_OK : WT_BULK_BROKEN, sender->reports ? 0 : sender->told ? -ECONNREFUSED : -ETIMEDOUT);
}

int wt_send_stream_datagrams(struct wt_send_stream *stream, const struct wt_endpoint *remote, const struct wt_cbr_config *config, uint64_t count)
{
	struct wt_station *station = &stream->transfer->station;

	stream->kind = WT_STREAM_DATAGRAMS;
	stream->begun = true;
	stream->datagrams = (struct wt_cbr_sender){.config = *config, .datagrams = count, .flow = stream->id, .asks = true,
						   .epoch = wt_rloop_epoch(station->rloop), .on_done = on_datagrams_sent, .arg = stream};
	return wt_cbr_send(&stream->datagrams, station->host, remote, 0, wt_rloop_clock(station->rloop));
}

/* ---- all ---------------------------------------------------------------------------------------------- */

void wt_send_stream_interval(struct wt_send_stream *stream, const struct wt_bulk_interval *interval)
{
	stream->last = *interval;
	wt_transfer_interval(stream->transfer, stream->id, stream->kind == WT_STREAM_SENDS, interval);
}

void wt_send_stream_stop(struct wt_send_stream *stream, bool now)
{
	wt_time clock = wt_rloop_clock(stream->transfer->station.rloop);

	if (stream->done || !stream->begun)
		return;
	if (stream->kind == WT_STREAM_FETCHES)
		wt_bulk_serve_stop(&stream->fetch);
	else if (stream->kind == WT_STREAM_SENDS && (now || !stream->sender.connected))
		wt_bulk_send_cancel(&stream->sender, clock);
	else if (stream->kind == WT_STREAM_SENDS)
		wt_bulk_send_stop(&stream->sender);
	else if (now)
		over(stream, WT_BULK_CANCELLED, 0);
	else
		wt_cbr_stop(&stream->datagrams);
}

bool wt_send_stream_connected(const struct wt_send_stream *stream)
{
	const struct wt_bulk_receiver *receiver = stream->fetch.receivers;

	return stream->done || (stream->kind == WT_STREAM_SENDS ? stream->sender.connected : stream->kind == WT_STREAM_DATAGRAMS ||
				(receiver && receiver->result.bytes));
}

double wt_send_stream_goodput(const struct wt_send_stream *stream)
{
	switch (stream->kind) {
	case WT_STREAM_SENDS: return wt_bulk_goodput(&stream->sender);
	case WT_STREAM_FETCHES: return wt_bulk_received_goodput(&stream->got);
	default: return stream->datagrams.report.goodput;
	}
}

uint64_t wt_send_stream_bytes(const struct wt_send_stream *stream)
{
	switch (stream->kind) {
	case WT_STREAM_SENDS: return wt_bulk_delivered(&stream->sender);
	case WT_STREAM_FETCHES: return stream->got.result.bytes;
	default: return stream->datagrams.report.bytes;
	}
}

void wt_send_stream_sum(const struct wt_send_stream *stream, struct wt_flow_sum *sum)
{
	const struct wt_cbr_sender *cbr = &stream->datagrams;
	struct wt_flow_part part;

	if (stream->kind == WT_STREAM_SENDS)
		part = wt_bulk_part(&stream->sender);
	else if (stream->kind == WT_STREAM_FETCHES)
		part = wt_bulk_received_part(&stream->got);
	else /* each datagram has its place in time, the last one, too */
		part = (struct wt_flow_part){.from = cbr->start, .to = cbr->last + (wt_time)((double)cbr->config.size * 8e9 / (double)cbr->config.rate),
					     .bytes = cbr->report.bytes, .payload = cbr->report.bytes, .goodput = cbr->report.goodput, .segs = cbr->sent};
	wt_flow_sum_add(sum, &part);
}

void wt_send_stream_text(const struct wt_send_stream *stream)
{
	static const char *const way[] = {"sent", "fetched", "datagrams"};
	char bytes[24], rate[24], rtt[24];

	printf("[%3u] %s, %s: %s, %s", stream->id, way[stream->kind], wt_bulk_fail_text(stream->fail),
	       wt_show_bytes((double)wt_send_stream_bytes(stream), bytes), wt_show_rate(wt_send_stream_goodput(stream) * 8, rate));
	if (stream->kind == WT_STREAM_SENDS) {
		printf(", %" PRIu64 " sent again, RTT %s\n", stream->sender.info.retransmits_segs, wt_show_time(stream->sender.info.srtt, rtt));
		if (stream->sender.config.rr)
			wt_rr_text(stdout, &stream->rr);
	} else if (stream->kind == WT_STREAM_FETCHES) {
		if (stream->got.got_report)
			printf(", %" PRIu64 " sent again, RTT %s", stream->got.report.retransmits_segs, wt_show_time(stream->got.report.mean_rtt, rtt));
		printf("%s, %" PRIu64 " duplicate, %" PRIu64 " out of order\n",
		       stream->got.result.verified && stream->got.result.bytes ? ", every byte verified" : "",
		       stream->got.result.dup_segs, stream->got.result.out_of_order_segs);
	} else {
		printf("\n");
		wt_cbr_text(stdout, &stream->datagrams, &stream->datagrams.report);
	}
}

static void fetched_json(struct wt_json *json, const struct wt_send_stream *stream)
{
	const struct wt_bulk_receiver *got = &stream->got;

	wt_json_string(json, "outcome", wt_bulk_fail_text(stream->fail));
	wt_json_string(json, "error", stream->error ? strerrorname_np(-stream->error) : NULL);
	wt_json_u64(json, "payload_bytes", got->result.bytes);
	wt_json_number(json, "goodput_bps", wt_send_stream_goodput(stream) * 8);
	wt_bulk_report_json(json, got->got_report ? &got->report : NULL);
	wt_bulk_receiver_json(json, &got->result);
}

void wt_send_stream_json(const struct wt_send_stream *stream)
{
	static const char *const role[] = {"sender", "receiver", "sender"};
	const struct wt_tcp_info *info = stream->kind == WT_STREAM_FETCHES ? &stream->got.info : &stream->sender.info;
	uint64_t head = stream->transfer->raw ? 0 : WT_BULK_REQUEST, acked = info->bytes_acked;
	struct wt_json json;

	wt_transfer_record(stream->transfer, &json, role[stream->kind], info);
	wt_json_u64(&json, "stream", stream->id);
	if (stream->kind == WT_STREAM_SENDS) {
		wt_json_u64(&json, "acked_bytes", acked > head ? acked - head : 0);
		wt_bulk_json(&json, &stream->sender);
	} else if (stream->kind == WT_STREAM_FETCHES) {
		fetched_json(&json, stream);
	} else {
		wt_cbr_json(&json, &stream->datagrams, stream->datagrams.reports ? &stream->datagrams.report : NULL);
	}
	wt_json_end(&json);
	fflush(stdout);
}

void wt_send_stream_finish(struct wt_send_stream *stream)
{
	wt_bulk_send_finish(&stream->sender);
	wt_rr_finish(&stream->rr);
	wt_cbr_finish(&stream->datagrams);
}

void wt_send_stream_summary(const struct wt_send_stream *stream)
{
	const struct wt_bulk_sender *s = &stream->sender;
	const struct wt_bulk_result *r = &s->result;
	const struct wt_sender_facts facts = wt_sender_facts(&s->info);
	double goodput = wt_bulk_goodput(s);
	char bytes[24], rate[24];

	if (!s->connected)
		return;
	printf("%s%s: %s %sin %.3f s", wt_bulk_fail_text(s->fail), stream->transfer->signal ? " (interrupted)" : "",
	       wt_show_bytes((double)wt_bulk_delivered(s), bytes), s->acked ? "" : "delivered ", (double)((s->acked ? s->acked : s->end) - s->start) / 1e9);
	if (goodput > 0)
		printf(", %.2f KB/s (%s)", goodput / 1000, wt_show_rate(goodput * 8, rate));
	printf("%s\n  sender    ", s->got_result && r->verified ? ", every byte verified" : "");
	wt_sender_text(stdout, &facts);
	if (s->got_result) {
		printf("\n  receiver  ");
		wt_receiver_text(stdout, r->receiver, r->segs, r->dup_segs, r->out_of_order_segs);
	}
	putchar('\n');
	if (s->info.ecn) {
		printf("  ecn       ");
		wt_ecn_text(stdout, s->got_result ? r : NULL, &s->info);
		putchar('\n');
	}
	if (s->info.fallback)
		wt_say("note: the peer does not take part in %s, so the sender fell back to standard behaviour; start recv with --rcc %s",
		       s->info.sender, s->info.sender);
}

int wt_send_stream_judge(const struct wt_send_stream *stream, const struct wt_endpoint *remote)
{
	char text[WT_ADDR_TEXT];

	wt_addr_format(&remote->addr, text);
	switch (stream->fail) {
	case WT_BULK_OK:
		return WT_EXIT_OK;
	case WT_BULK_CANCELLED:
		return stream->transfer->timed_out ? wt_fail(WT_EXIT_TIMEOUT, "not finished within --timeout") :
		       stream->transfer->signal ? 128 + stream->transfer->signal : WT_EXIT_CONNECTION;
	case WT_BULK_MISMATCH:
		return wt_fail(WT_EXIT_FAILED, "%s: first difference at byte %" PRIu64, wt_bulk_fail_text(stream->fail),
			       stream->kind == WT_STREAM_SENDS ? stream->sender.result.bad_at : stream->got.result.bad_at);
	case WT_BULK_CONNECT:
		return wt_fail(WT_EXIT_CONNECTION, "no connection to %s port %u: %s%s", text, remote->port, strerror(-stream->error),
			       stream->error == -ECONNREFUSED ? "; is wavetank recv running there?" : "");
	default:
		return wt_fail(WT_EXIT_CONNECTION, "%s: %s port %u%s%s", wt_bulk_fail_text(stream->fail), text, remote->port,
			       stream->error ? ": " : "", stream->error ? strerror(-stream->error) : "");
	}
}

void wt_send_latency_text(const struct wt_rr *rr, uint32_t idle)
{
	for (unsigned loaded = 0; loaded < 2; loaded++) {
		uint32_t from = loaded ? idle : 0, to = loaded ? rr->samples : idle;

		printf("  latency %s: %u round trips of 64 B", loaded ? "under load" : "idle", to - from);
		if (to > from)
			printf("; in ms: p50 %.3f, p95 %.3f, p99 %.3f, max %.3f", (double)wt_rr_percentile(rr, from, to, 50) / 1e6,
			       (double)wt_rr_percentile(rr, from, to, 95) / 1e6, (double)wt_rr_percentile(rr, from, to, 99) / 1e6,
			       (double)wt_rr_percentile(rr, from, to, 100) / 1e6);
		putchar('\n');
	}
}

void wt_send_latency_json(struct wt_json *json, const struct wt_rr *rr, uint32_t idle)
{
	for (unsigned loaded = 0; loaded < 2; loaded++) {
		uint32_t from = loaded ? idle : 0, to = loaded ? rr->samples : idle;

		wt_json_object(json, loaded ? "latency_loaded" : "latency_idle");
		wt_json_u64(json, "round_trips", to - from);
		wt_json_number(json, "p50_s", (double)wt_rr_percentile(rr, from, to, 50) / 1e9);
		wt_json_number(json, "p95_s", (double)wt_rr_percentile(rr, from, to, 95) / 1e9);
		wt_json_number(json, "p99_s", (double)wt_rr_percentile(rr, from, to, 99) / 1e9);
		wt_json_number(json, "max_s", (double)wt_rr_percentile(rr, from, to, 100) / 1e9);
		wt_json_end(json);
	}
}
