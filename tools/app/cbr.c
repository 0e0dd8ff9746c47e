/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/cbr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack/base/bytes.h"
#include "stack/base/ecn.h"
#include "stack/text/units.h"

enum { MAGIC = 'W' << 8 | 'T', LAST = 1, ASK = 2, REPORT = 4, AT_FLOW = 4, AT_NUMBER = 8, AT_TIME = 16 };

#define FIELD(name, type, text, min, max) {#name, WT_PARAM_##type, offsetof(struct wt_cbr_config, name), text, min, max, NULL}

const struct wt_param wt_cbr_params[] = {
	FIELD(rate, RATE, "payload per second", 1, 1e12),
	FIELD(size, SIZE, "payload of each datagram", WT_CBR_HEADER, 65507),
};
const size_t wt_cbr_param_count = sizeof(wt_cbr_params) / sizeof(wt_cbr_params[0]);

int wt_cbr_parse(const char *words, struct wt_cbr_config *config, char *err, size_t err_len)
{
	int error;

	*config = (struct wt_cbr_config){.rate = 1000000, .size = 1000};
	if (strncmp(words, "cbr", 3) || (words[3] && words[3] != ':')) {
		snprintf(err, err_len, "'%.40s': expected cbr:rate=1Mbit,size=1000B", words);
		return -EINVAL;
	}
	error = wt_param_set_list(wt_cbr_params, wt_cbr_param_count, config, words[3] ? words + 4 : "", err, err_len);
	if (!error && config->size * 8 * 1000000000u / config->rate < 1) {
		snprintf(err, err_len, "the rate means more than one datagram per nanosecond");
		error = -EINVAL;
	}
	return error;
}

/* ---- sender ------------------------------------------------------------------------------------------- */

static wt_time when(const struct wt_cbr_sender *sender, uint64_t number)
{
	__extension__ unsigned __int128 ns = number;

	return wt_time_add(sender->start, (wt_time)(ns * sender->config.size * 8 * 1000000000u / sender->config.rate));
}

static void end(struct wt_cbr_sender *sender)
{
	sender->done = true;
	wt_host_timer_set(sender->host, &sender->timer, WT_NEVER);
	if (sender->on_done)
		sender->on_done(sender->arg, sender);
}

static void put64(uint8_t *at, uint64_t value)
{
	wt_put32(at, (uint32_t)(value >> 32));
	wt_put32(at + 4, (uint32_t)value);
}

static uint64_t get64(const uint8_t *at)
{
	return (uint64_t)wt_get32(at) << 32 | wt_get32(at + 4);
}

/* Nothing more is sent. Who asks goes on until it knows. */
static void finish_sending(struct wt_cbr_sender *sender)
{
	if (sender->done || sender->over)
		return;
	sender->over = true;
	if (sender->asks && sender->sent)
		wt_host_timer_set(sender->host, &sender->timer, wt_time_add(wt_host_now(sender->host), WT_CBR_ASK));
	else
		end(sender);
}

static void ask(struct wt_cbr_sender *sender, wt_time now)
{
	if (sender->asked++ >= WT_CBR_ASKS) {
		end(sender);
		return;
	}
	wt_put16(sender->payload + 2, ASK);
	put64(sender->payload + AT_NUMBER, sender->sent);
	sender->failed += wt_udp_send(sender->udp, &sender->remote, sender->payload, WT_CBR_HEADER, now) != 0;
	wt_host_timer_set(sender->host, &sender->timer, wt_time_add(now, WT_CBR_ASK));
}

static void send_one(struct wt_cbr_sender *sender, wt_time now)
{
	bool last = sender->sent + 1 == sender->datagrams;

	wt_put16(sender->payload + 2, last ? LAST : 0);
	put64(sender->payload + AT_NUMBER, sender->sent);
	put64(sender->payload + AT_TIME, (uint64_t)(now + sender->epoch));
	sender->failed += wt_udp_send(sender->udp, &sender->remote, sender->payload, sender->config.size, now) != 0;
	sender->sent++;
	sender->last = now;
}

/* Who is woken late sends what it owes. */
static void on_time(struct wt_host_timer *timer, wt_time now)
{
	struct wt_cbr_sender *sender = timer->arg;

	if (sender->over) {
		ask(sender, now);
		return;
	}
	while (when(sender, sender->sent) <= now) {
		send_one(sender, now);
		if (sender->sent == sender->datagrams) {
			finish_sending(sender);
			return;
		}
	}
	wt_host_timer_set(sender->host, timer, when(sender, sender->sent));
}

/* ---- reports ------------------------------------------------------------------------------------------ */

static void put_report(uint8_t wire[WT_CBR_REPORT], uint32_t flow, const struct wt_cbr_report *report)
{
	const uint64_t value[] = {
		report->received, report->bytes, report->lost, report->duplicates, report->late, report->ce, (uint64_t)report->goodput,
		(uint64_t)(wt_time)report->delay_mean, (uint64_t)report->jitter, (uint64_t)report->jitter_max, (uint64_t)report->delay_min,
		(uint64_t)report->delay_p50, (uint64_t)report->delay_p95, (uint64_t)report->delay_p99, (uint64_t)report->delay_max, report->done,
	};

	memset(wire, 0, WT_CBR_REPORT);
	wt_put16(wire, MAGIC);
	wt_put16(wire + 2, REPORT);
	wt_put32(wire + AT_FLOW, flow);
	for (unsigned i = 0; i < sizeof(value) / sizeof(value[0]); i++)
		put64(wire + WT_CBR_HEADER + 8 * i, value[i]);
}

static bool get_report(const struct wt_udp_datagram *in, uint32_t flow, struct wt_cbr_report *report)
{
	uint64_t value[16];

	if (in->len != WT_CBR_REPORT || wt_get16(in->data) != MAGIC || wt_get16(in->data + 2) != REPORT || wt_get32(in->data + AT_FLOW) != flow)
		return false;
	for (unsigned i = 0; i < 16; i++)
		value[i] = get64(in->data + WT_CBR_HEADER + 8 * i);
	*report = (struct wt_cbr_report){
		value[0], value[1], value[2], value[3], value[4], value[5], (double)value[6], (double)(wt_time)value[7], (double)value[8],
		(double)value[9], (wt_time)value[10], (wt_time)value[11], (wt_time)value[12], (wt_time)value[13], (wt_time)value[14], value[15] != 0,
	};
	return true;
}

static void on_answer(void *arg, struct wt_udp *udp, unsigned events, wt_time now)
{
	struct wt_cbr_sender *sender = arg;
	struct wt_udp_datagram in;

	sender->told += wt_udp_error(udp, NULL) != 0;
	while (wt_udp_peek(udp, &in)) {
		sender->reports += sender->over && get_report(&in, sender->flow, &sender->report);
		wt_udp_consume(udp);
	}
	if (sender->over && !sender->done && sender->reports && (!sender->report.lost || sender->reports >= WT_CBR_REPORTS))
		end(sender);
}

/* ---- the sender's calls ------------------------------------------------------------------------------- */

int wt_cbr_send(struct wt_cbr_sender *sender, struct wt_host *host, const struct wt_endpoint *remote, uint16_t local_port, wt_time now)
{
	const struct wt_endpoint local = {.port = local_port};
	int error;

	sender->payload = calloc(1, sender->config.size > WT_CBR_HEADER ? sender->config.size : WT_CBR_HEADER);
	sender->udp = sender->payload ? wt_udp_open(wt_host_udp(host), &local, on_answer, sender) : NULL;
	if (!sender->udp)
		return sender->payload ? -errno : -ENOMEM;
	error = wt_udp_check(sender->udp, remote, sender->config.size);
	if (error) {
		wt_udp_close(sender->udp);
		return error;
	}
	sender->host = host;
	sender->remote = *remote;
	sender->start = now;
	sender->timer = (struct wt_host_timer){.fire = on_time, .arg = sender};
	wt_put16(sender->payload, MAGIC);
	wt_put32(sender->payload + AT_FLOW, sender->flow);
	return wt_host_timer_set(host, &sender->timer, now);
}

void wt_cbr_stop(struct wt_cbr_sender *sender)
{
	finish_sending(sender);
}

void wt_cbr_finish(struct wt_cbr_sender *sender)
{
	free(sender->payload);
	sender->payload = NULL;
}

/* ---- sink --------------------------------------------------------------------------------------------- */

void wt_cbr_sink_finish(struct wt_cbr_sink *sink)
{
	wt_histogram_finish(&sink->delay);
}

static uint64_t *word_of(struct wt_cbr_sink *sink, uint64_t number, uint64_t *bit)
{
	*bit = (uint64_t)1 << number % 64;
	return &sink->have[number / 64 % (WT_CBR_WINDOW / 64)];
}

/* Is it the first with this number? */
static bool is_new(struct wt_cbr_sink *sink, uint64_t number)
{
	uint64_t bit, *word;

	bool late = number < sink->next;

	if (late && sink->next - number > WT_CBR_WINDOW) {
		sink->late++;
		return true;
	}
	if (!late && number - sink->next >= WT_CBR_WINDOW)
		memset(sink->have, 0, sizeof(sink->have));
	else
		for (uint64_t n = sink->next; n <= number; n++) { /* places of numbers that leave the window */
			word = word_of(sink, n, &bit);
			*word &= ~bit;
		}
	sink->next = late ? sink->next : number + 1;
	word = word_of(sink, number, &bit);
	if (*word & bit)
		return false;
	*word |= bit;
	sink->late += late;
	return true;
}

/* RFC 3550 6.4.1: J += (|D| - J) / 16, D the difference of two transit times in the order of arrival. */
static void measure(struct wt_cbr_sink *sink, wt_time sent, wt_time now)
{
	wt_time transit = now - sent, difference = transit - sink->transit;

	wt_histogram_add(&sink->delay, transit);
	sink->delay_sum += (double)transit;
	if (!sink->received) {
		sink->first = now;
		sink->delay_min = transit;
	} else {
		sink->jitter += ((double)(difference < 0 ? -difference : difference) - sink->jitter) / 16;
	}
	sink->delay_min = wt_time_min(sink->delay_min, transit);
	sink->jitter_max = sink->jitter > sink->jitter_max ? sink->jitter : sink->jitter_max;
	sink->transit = transit;
	sink->last = now;
}

static void conclude(struct wt_cbr_sink *sink)
{
	if (sink->done)
		return;
	sink->done = true;
	wt_host_timer_set(sink->host, &sink->timer, WT_NEVER);
	if (sink->on_done)
		sink->on_done(sink->arg, sink);
}

/* It looks at intervals: arrivals, and the end that a sender announces, set no timer. */
static void on_look(struct wt_host_timer *timer, wt_time now)
{
	struct wt_cbr_sink *sink = timer->arg;
	wt_time heard = wt_time_max(sink->last, sink->told);
	bool begun = sink->received || sink->announced;

	if (begun && now - heard >= sink->silence)
		conclude(sink);
	else
		wt_host_timer_set(sink->host, timer, wt_time_add(begun ? heard : now, sink->silence));
}

int wt_cbr_await(struct wt_cbr_sink *sink, const struct wt_cbr_config *config, struct wt_host *host,
		 void (*on_done)(void *arg, struct wt_cbr_sink *sink), void *arg)
{
	double interval = (double)config->size * 8e9 / (double)config->rate;

	*sink = (struct wt_cbr_sink){
		.on_done = on_done, .arg = arg, .host = host, .timer = {.fire = on_look, .arg = sink},
		.silence = interval < 1e15 ? WT_CBR_SILENCE + (wt_time)(4 * interval) : WT_NEVER,
	};
	return wt_host_timer_set(host, &sink->timer, wt_time_add(wt_host_now(host), sink->silence));
}

bool wt_cbr_is_datagram(const struct wt_udp_datagram *in, uint32_t *flow)
{
	if (in->len < WT_CBR_HEADER || wt_get16(in->data) != MAGIC || wt_get16(in->data + 2) & REPORT || get64(in->data + AT_NUMBER) > UINT64_MAX / 2)
		return false;
	*flow = wt_get32(in->data + AT_FLOW);
	return true;
}

static void answer(struct wt_cbr_sink *sink, struct wt_udp *udp, const struct wt_udp_datagram *in)
{
	struct wt_cbr_report report = wt_cbr_report_of(sink);
	uint8_t wire[WT_CBR_REPORT];

	put_report(wire, wt_get32(in->data + AT_FLOW), &report);
	wt_udp_send(udp, &in->from, wire, sizeof(wire), in->time); /* one that is lost is asked for again */
}

void wt_cbr_take(struct wt_cbr_sink *sink, struct wt_udp *udp, const struct wt_udp_datagram *in)
{
	uint64_t number = get64(in->data + AT_NUMBER);

	if (wt_get16(in->data + 2) & ASK) {
		wt_cbr_expect(sink, number, in->time);
		answer(sink, udp, in);
		return;
	}
	if (wt_get16(in->data + 2) & LAST)
		sink->announced = number + 1;
	if (!is_new(sink, number)) {
		sink->duplicates++;
		return;
	}
	measure(sink, (wt_time)get64(in->data + AT_TIME) - sink->epoch, in->time);
	sink->received++;
	sink->bytes += in->len;
	sink->ce += in->ecn == WT_ECN_CE;
	if (sink->announced && sink->received >= sink->announced)
		conclude(sink);
}

static void on_datagram(void *arg, struct wt_udp *udp, unsigned events, wt_time now)
{
	struct wt_cbr_server *server = arg;
	struct wt_udp_datagram in;

	wt_udp_error(udp, NULL);
	while (server->udp && wt_udp_peek(udp, &in)) {
		uint32_t flow;

		if (wt_cbr_is_datagram(&in, &flow) && flow < server->count && server->sink[flow].host)
			wt_cbr_take(&server->sink[flow], udp, &in);
		else
			server->strange++;
		wt_udp_consume(udp);
	}
}

int wt_cbr_serve(struct wt_cbr_server *server, struct wt_cbr_sink *sinks, uint32_t count, struct wt_host *host, uint16_t port)
{
	*server = (struct wt_cbr_server){.sink = sinks, .count = count};
	server->udp = wt_udp_open(wt_host_udp(host), &(struct wt_endpoint){.port = port}, on_datagram, server);
	return server->udp ? 0 : -errno;
}

void wt_cbr_serve_stop(struct wt_cbr_server *server)
{
	wt_udp_close(server->udp);
	server->udp = NULL;
}

void wt_cbr_expect(struct wt_cbr_sink *sink, uint64_t sent, wt_time now)
{
	sink->announced = sent;
	sink->told = now;
	if (sink->received >= sent)
		conclude(sink);
}

uint64_t wt_cbr_lost(const struct wt_cbr_sink *sink)
{
	uint64_t all = sink->announced > sink->next ? sink->announced : sink->next;

	return all > sink->received ? all - sink->received : 0;
}

double wt_cbr_goodput(const struct wt_cbr_sink *sink)
{
	if (sink->received < 2 || sink->last <= sink->first)
		return 0;
	return (double)sink->bytes * (double)(sink->received - 1) / (double)sink->received / ((double)(sink->last - sink->first) / 1e9);
}

/* ---- results ------------------------------------------------------------------------------------------ */

struct wt_cbr_report wt_cbr_report_of(const struct wt_cbr_sink *sink)
{
	return (struct wt_cbr_report){
		.received = sink->received, .bytes = sink->bytes, .lost = wt_cbr_lost(sink), .duplicates = sink->duplicates, .late = sink->late,
		.ce = sink->ce, .goodput = wt_cbr_goodput(sink), .delay_mean = sink->received ? sink->delay_sum / (double)sink->received : 0,
		.jitter = sink->jitter, .jitter_max = sink->jitter_max, .delay_min = sink->delay_min,
		.delay_p50 = wt_histogram_below(&sink->delay, 0.5), .delay_p95 = wt_histogram_below(&sink->delay, 0.95),
		.delay_p99 = wt_histogram_below(&sink->delay, 0.99), .delay_max = sink->delay.worst, .done = sink->done,
	};
}

static double seconds(double ns)
{
	return ns / 1e9;
}

static const char *outcome(const struct wt_cbr_sender *sender, const struct wt_cbr_report *report)
{
	return (!sender || sender->done) && (!report || report->done) ? "complete" : "unfinished";
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static void sent_json(struct wt_json *json, const struct wt_cbr_sender *sender)
{
	wt_json_u64(json, "sent", sender->sent);
	wt_json_u64(json, "not_sent", sender->failed);
	wt_json_u64(json, "icmp_errors", sender->told);
}

static void received_json(struct wt_json *json, const struct wt_cbr_report *report)
{
	wt_json_u64(json, "received", report->received);
	wt_json_u64(json, "lost", report->lost);
	wt_json_number(json, "loss_percent", percent(report->lost, report->lost + report->received));
	wt_json_u64(json, "duplicate", report->duplicates);
	wt_json_u64(json, "late", report->late);
	wt_json_u64(json, "ce", report->ce);
	wt_json_number(json, "delay_min_s", seconds((double)report->delay_min));
	wt_json_number(json, "delay_mean_s", seconds(report->delay_mean));
	wt_json_number(json, "delay_p50_s", seconds((double)report->delay_p50));
	wt_json_number(json, "delay_p95_s", seconds((double)report->delay_p95));
	wt_json_number(json, "delay_p99_s", seconds((double)report->delay_p99));
	wt_json_number(json, "delay_max_s", seconds((double)report->delay_max));
	wt_json_number(json, "jitter_s", seconds(report->jitter));
	wt_json_number(json, "jitter_max_s", seconds(report->jitter_max));
}

void wt_cbr_json(struct wt_json *json, const struct wt_cbr_sender *sender, const struct wt_cbr_report *report)
{
	wt_json_string(json, "outcome", outcome(sender, report));
	wt_json_string(json, "error", NULL);
	if (sender)
		wt_json_u64(json, "payload_bytes", sender->sent * sender->config.size);
	if (report) {
		wt_json_u64(json, "delivered_bytes", report->bytes);
		wt_json_number(json, "goodput_kBps", report->goodput / 1000);
		wt_json_number(json, "goodput_bps", report->goodput * 8);
	}
	wt_json_object(json, "datagrams");
	if (sender)
		sent_json(json, sender);
	if (report)
		received_json(json, report);
	wt_json_end(json);
}

void wt_cbr_text(FILE *out, const struct wt_cbr_sender *sender, const struct wt_cbr_report *report)
{
	char rate[32];

	fprintf(out, "%s: %" PRIu64 " datagrams of %" PRIu64 " B at %s, %" PRIu64 " arrived, %" PRIu64 " lost (%.3g %%), %" PRIu64 " duplicate, %" PRIu64
		" late", outcome(sender, report), sender->sent, sender->config.size, wt_format_rate(sender->config.rate, rate, sizeof(rate)),
		report->received, report->lost, percent(report->lost, report->lost + report->received), report->duplicates, report->late);
	if (sender->told)
		fprintf(out, ", %" PRIu64 " ICMP errors", sender->told);
	fprintf(out, "\n  udp  %.2f KB/s (%.4g Mbit/s), delay in ms: min %.3f, mean %.3f, max %.3f; jitter %.3f ms\n",
		report->goodput / 1000, report->goodput * 8e-6, (double)report->delay_min / 1e6, report->delay_mean / 1e6,
		(double)report->delay_max / 1e6, report->jitter / 1e6);
}
