/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stack/record/create.h"
#include "stack/text/units.h"
#include "tools/app/bulk_json.h"
#include "tools/common/ending.h"
#include "tools/common/files_apart.h"
#include "tools/results/tcp_json.h"
#include "tools/app/path_events.h"
#include "tools/version.h"

#define LIVE_INTERVAL (100 * WT_MS) /* of --live */
#define GRACE_S 2.0 /* from the first ^C to giving up on an orderly end */

/* ---- options ------------------------------------------------------------------------------------------ */

void wt_transfer_init(struct wt_transfer *transfer)
{
	memset(transfer, 0, sizeof(*transfer));
	transfer->port = WT_TRANSFER_PORT;
	transfer->interval = WT_S;
	transfer->station.claim = -1;
	wt_tcp_config_init(&transfer->tcp);
}

static int add_setting(struct wt_transfer *transfer, const char *prefix, const char *value)
{
	size_t len = strlen(transfer->settings), room = sizeof(transfer->settings) - len;

	if ((size_t)snprintf(transfer->settings + len, room, "%s%s%s", len ? "," : "", prefix, value) >= room)
		return wt_fail(WT_EXIT_USAGE, "too many stack settings");
	transfer->words.settings = transfer->settings;
	return WT_EXIT_OK;
}

static int set_time(wt_time *to, const char *option, const char *value)
{
	char err[200];

	if (wt_parse_time(value, to, err, sizeof(err)) < 0)
		return wt_fail(WT_EXIT_USAGE, "--%s: %s", option, err);
	return *to < 0 ? wt_fail(WT_EXIT_USAGE, "--%s: a time cannot be negative", option) : WT_EXIT_OK;
}

static int set_port(struct wt_transfer *transfer, const char *value)
{
	uint64_t port;

	if (wt_parse_count(value, &port, NULL, 0) < 0 || port < 1 || port > 65535)
		return wt_fail(WT_EXIT_USAGE, "--tcp-port: '%s' is not a port number from 1 to 65535", value);
	transfer->port = (uint16_t)port;
	return WT_EXIT_OK;
}

static int set_seed(struct wt_transfer *transfer, const char *value)
{
	char err[200];

	if (wt_parse_count(value, &transfer->station_config.seed, err, sizeof(err)) < 0)
		return wt_fail(WT_EXIT_USAGE, "--seed: %s", err);
	transfer->station_config.seeded = true;
	return WT_EXIT_OK;
}

static int set_app(struct wt_transfer *transfer, const char *value)
{
	char err[200];

	transfer->asks = !strncmp(value, "rr", 2);
	transfer->plays = !transfer->asks;
	if (transfer->asks ? wt_rr_parse(value, &transfer->rr, err, sizeof(err)) : wt_playback_parse(value, &transfer->playback, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "--app: %s", err);
	return WT_EXIT_OK;
}

static int set_memory(struct wt_transfer *transfer, const char *value)
{
	char err[200];

	if (wt_parse_size(value, &transfer->station_config.memory, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "--memory: %s", err);
	if (transfer->station_config.memory < 65536)
		return wt_fail(WT_EXIT_USAGE, "--memory: %s is too little for a connection; the least is 64KB", value);
	return WT_EXIT_OK;
}

int wt_transfer_option(struct wt_transfer *transfer, int option, const char *value)
{
	switch (option) {
	case WT_T_TCP_PORT: return set_port(transfer, value);
	case WT_T_INTERVAL: return set_time(&transfer->interval, "interval", value);
	case WT_T_TIMEOUT: return set_time(&transfer->timeout, "timeout", value);
	case WT_T_SET: return add_setting(transfer, "", value);
	case WT_T_MSS: return add_setting(transfer, "mss=", value);
	case WT_T_SEED: return set_seed(transfer, value);
	case WT_T_APP: return set_app(transfer, value);
	case WT_T_MEMORY: return set_memory(transfer, value);
	case WT_T_SENDER: transfer->words.sender = value; break;
	case WT_T_RECOVERY: transfer->words.recovery = value; break;
	case WT_T_RECEIVER: transfer->words.receiver = value; break;
	case WT_T_PRESET: transfer->words.preset = value; break;
	case WT_T_LIVE: transfer->live = true; break;
	case WT_T_RAW: transfer->raw = true; break;
	case WT_T_OFFLOAD: transfer->station_config.offload = true; break;
	case WT_T_LOGFILE: transfer->logfile = value; break;
	case WT_T_JSON:
	case WT_T_JSON_STREAM: transfer->json = true; break;
	case WT_T_CAPTURE: transfer->station_config.capture = value; break;
	case WT_T_TRACE: transfer->station_config.trace = value; break;
	case WT_T_PORT: transfer->station_config.port = value; break;
	case WT_T_ADDRESS: transfer->station_config.address = value; break;
	case WT_T_MAC: transfer->station_config.mac = value; break;
	case WT_T_GATEWAY: transfer->station_config.gateway = value; break;
	}
	return WT_EXIT_OK;
}

int wt_transfer_files(const struct wt_transfer *transfer, const char *what, const char *other)
{
	const struct wt_named_file file[] = {
		{what, other && strcmp(other, "-") != 0 ? other : NULL},
		{"--capture", transfer->station_config.capture}, {"--trace", transfer->station_config.trace}, {"--logfile", transfer->logfile},
	};
	char err[600];

	return wt_files_apart(file, sizeof(file) / sizeof(file[0]), err, sizeof(err)) ? wt_fail(WT_EXIT_USAGE, "%s", err) : WT_EXIT_OK;
}

/* ---- running ------------------------------------------------------------------------------------------ */

static void stop(struct wt_transfer *transfer, bool now)
{
	transfer->on_stop(transfer->arg, now);
	if (transfer->station.host)
		wt_station_touch(&transfer->station);
}

static void on_signal(struct ev_loop *ev, ev_signal *watcher, int events)
{
	struct wt_transfer *transfer = watcher->data;
	bool again = transfer->signal != 0;

	if (!again)
		transfer->signal = watcher->signum;
	ev_timer_start(ev, &transfer->grace);
	stop(transfer, again);
}

static void on_grace(struct ev_loop *ev, ev_timer *watcher, int events)
{
	stop(watcher->data, true);
}

static void on_limit(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct wt_transfer *transfer = watcher->data;

	transfer->timed_out = true;
	stop(transfer, true);
}

/* It takes the place of standard output. */
static int open_logfile(const char *path)
{
	int fd = wt_create(path);
	char why[WT_CREATE_WHY];

	if (fd < 0)
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot write %s: %s", path, wt_create_why(path, -fd, why));
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	wt_stdout_name = path;
	return WT_EXIT_OK;
}

int wt_transfer_start(struct wt_transfer *transfer)
{
	char err[800];
	int code;

	if (transfer->logfile && (code = open_logfile(transfer->logfile)))
		return code;
	if (wt_tcp_words_apply(&transfer->words, &transfer->tcp, err, sizeof(err)) < 0)
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	code = wt_station_init(&transfer->station, &transfer->station_config, err, sizeof(err));
	if (code)
		return wt_fail(code, "%s", err);
	ev_signal_init(&transfer->on_int, on_signal, SIGINT);
	ev_signal_init(&transfer->on_term, on_signal, SIGTERM);
	ev_signal_init(&transfer->on_hup, on_signal, SIGHUP);
	ev_timer_init(&transfer->grace, on_grace, GRACE_S, 0.);
	ev_timer_init(&transfer->limit, on_limit, (double)transfer->timeout / 1e9, 0.);
	transfer->on_int.data = transfer->on_term.data = transfer->on_hup.data = transfer;
	transfer->grace.data = transfer->limit.data = transfer;
	ev_signal_start(transfer->station.ev, &transfer->on_int);
	ev_signal_start(transfer->station.ev, &transfer->on_term);
	if (!wt_hangup_ignored())
		ev_signal_start(transfer->station.ev, &transfer->on_hup);
	if (transfer->timeout)
		ev_timer_start(transfer->station.ev, &transfer->limit);
	return WT_EXIT_OK;
}

static void on_path_drop(void *arg, const char *cause)
{
	wt_live_flows_drop(arg, cause);
}

/* Lines of intervals would stand in the view; the record of --json goes elsewhere, or it would, too. */
int wt_transfer_view(struct wt_transfer *transfer, const char *peer, unsigned streams, bool sends)
{
	char err[200], title[160] = "wavetank recv";

	if (!transfer->live)
		return WT_EXIT_OK;
	if (isatty(STDOUT_FILENO) && transfer->json)
		return wt_fail(WT_EXIT_USAGE, "--live and --json cannot share the terminal; redirect the JSON, or add --logfile FILE");
	if (peer)
		snprintf(title, sizeof(title), "wavetank send to %.60s, %u %s, sender %s", peer, streams ? streams : 1,
			 streams > 1 ? "streams" : "stream", transfer->tcp.sender.ops->name);
	transfer->view = wt_live_flows_open(title, sends, err, sizeof(err));
	if (!transfer->view)
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (!transfer->json)
		transfer->interval = LIVE_INTERVAL;
	transfer->path = wt_path_events_open(transfer->station.ev, on_path_drop, transfer->view);
	return WT_EXIT_OK;
}

void wt_transfer_aside(void)
{
	if (wt_before_message)
		wt_before_message();
}

void wt_transfer_run(struct wt_transfer *transfer)
{
	ev_run(transfer->station.ev, 0);
	wt_path_events_close(transfer->path);
	wt_live_flows_close(transfer->view);
	transfer->path = NULL;
	transfer->view = NULL;
}

void wt_transfer_end(struct wt_transfer *transfer)
{
	ev_break(transfer->station.ev, EVBREAK_ALL);
}

int wt_transfer_finish(struct wt_transfer *transfer, int code)
{
	char why[600];

	if (transfer->station.ev) {
		ev_signal_stop(transfer->station.ev, &transfer->on_int);
		ev_signal_stop(transfer->station.ev, &transfer->on_term);
		ev_signal_stop(transfer->station.ev, &transfer->on_hup);
	}
	wt_path_events_close(transfer->path);
	wt_live_flows_close(transfer->view);
	wt_station_finish(&transfer->station, why, sizeof(why));
	if (transfer->timed_out)
		code = WT_EXIT_TIMEOUT;
	else if (transfer->signal)
		code = 128 + transfer->signal;
	return *why ? wt_fail(code ? code : WT_EXIT_ENVIRONMENT, "%s", why) : code;
}

/* ---- for people --------------------------------------------------------------------------------------- */

/* Spaces from the pacing column to the first gauge. */
static int gauge_gap(const char *pacing)
{
	int gap = 14 - (int)strlen(pacing);

	return gap > 1 ? gap : 1;
}

static void print_interval(struct wt_transfer *transfer, unsigned id, bool sends, const struct wt_bulk_interval *interval)
{
	double seconds = (double)(interval->to - interval->from) / 1e9;
	const char *const *gauges = sends && transfer->tcp.sender.ops ? transfer->tcp.sender.ops->gauges : NULL;
	char bytes[24], rate[24], cwnd[24], rtt[24], pacing[24], span[32];

	if (!transfer->header) {
		printf(sends ? "[ ID] Interval         Transfer   Goodput       Retr  Cwnd      RTT       Pacing" :
			       "[ ID] Interval         Transfer   Goodput");
		for (unsigned i = 0; gauges && gauges[i]; i++)
			printf("%s%s", i ? "  " : "        ", gauges[i]);
		putchar('\n');
	}
	transfer->header = true;
	snprintf(span, sizeof(span), "%.2f-%.2f s", (double)interval->from / 1e9, (double)interval->to / 1e9);
	wt_show_bytes((double)interval->bytes, bytes);
	wt_show_rate(seconds > 0 ? (double)interval->bytes * 8 / seconds : 0, rate);
	if (!sends) {
		printf("[%3u] %-16s %-10s %s\n", id, span, bytes, rate);
	} else {
		wt_show_bytes(interval->info.cwnd, cwnd);
		wt_show_time(interval->info.srtt, rtt);
		wt_show_rate((double)interval->info.pacing_rate * 8, pacing);
		printf("[%3u] %-16s %-10s %-13s %-5" PRIu64 " %-9s %-9s %s", id, span, bytes, rate, interval->retransmits_segs, cwnd, rtt,
		       interval->info.pacing_rate ? pacing : "-");
		for (unsigned i = 0; gauges && gauges[i]; i++)
			printf("%*s%-*.6g", i ? 2 : gauge_gap(interval->info.pacing_rate ? pacing : "-"), "", (int)strlen(gauges[i]),
			       interval->info.gauge[i]);
		putchar('\n');
	}
	fflush(stdout);
}

void wt_transfer_interval(struct wt_transfer *transfer, unsigned id, bool sends, const struct wt_bulk_interval *interval)
{
	const struct wt_tcp_info *info = &interval->info;
	struct wt_json json;

	if (transfer->view)
		wt_live_flows_interval(transfer->view, id, interval);
	if (!transfer->json) {
		if (!wt_quiet && !transfer->view)
			print_interval(transfer, id, sends, interval);
		return;
	}
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.interval.1");
	wt_json_u64(&json, "id", id);
	wt_json_number(&json, "from_s", (double)interval->from / 1e9);
	wt_json_number(&json, "to_s", (double)interval->to / 1e9);
	wt_json_u64(&json, "payload_bytes", interval->bytes);
	wt_json_u64(&json, "total_bytes", interval->total);
	wt_json_number(&json, "goodput_bps", interval->to > interval->from ? (double)interval->bytes * 8e9 /
		       (double)(interval->to - interval->from) : 0);
	wt_json_u64(&json, "retransmits_segs", interval->retransmits_segs);
	if (sends) {
		wt_json_u64(&json, "cwnd_bytes", info->cwnd);
		wt_json_u64(&json, "ssthresh_bytes", info->ssthresh);
		wt_json_u64(&json, "in_flight_bytes", info->in_flight);
		wt_gauges_json(&json, info);
	}
	wt_json_number(&json, "srtt_s", (double)info->srtt / 1e9);
	wt_json_number(&json, "rttvar_s", (double)info->rttvar / 1e9);
	wt_json_u64(&json, "rcv_wnd_bytes", info->rcv_wnd);
	wt_json_u64(&json, "snd_wnd_bytes", info->snd_wnd);
	wt_json_end(&json);
	fflush(stdout);
}

/* ---- the record --------------------------------------------------------------------------------------- */

static void endpoint_json(struct wt_json *json, const char *key, const struct wt_endpoint *endpoint)
{
	char text[WT_ADDR_TEXT];

	wt_json_object(json, key);
	wt_json_string(json, "address", wt_addr_format(&endpoint->addr, text));
	wt_json_u64(json, "port", endpoint->port);
	wt_json_end(json);
}

static void host_record(struct wt_json *json, const struct wt_host *host)
{
	struct wt_host_info info;
	const char *name;
	uint64_t value;

	wt_host_info(host, &info);
	wt_json_object(json, "host");
	for (unsigned i = 0; wt_host_info_at(&info, i, &name, &value); i++)
		wt_json_u64(json, name, value);
	wt_json_end(json);
}

void wt_transfer_record(struct wt_transfer *transfer, struct wt_json *json, const char *role, const struct wt_tcp_info *info)
{
	const struct wt_station *station = &transfer->station;
	const struct wt_lateness *late = wt_rloop_lateness(station->rloop);
	time_t start = (time_t)(wt_rloop_epoch(station->rloop) / WT_S);
	char text[32];
	struct tm tm;

	wt_json_init(json, stdout);
	wt_json_object(json, NULL);
	wt_json_string(json, "schema", "wavetank.transfer.1");
	wt_json_string(json, "version", WT_VERSION);
	wt_json_string(json, "commit", WT_COMMIT);
	wt_json_string(json, "role", role);
	wt_json_string(json, "backend", station->interface);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&start, &tm));
	wt_json_string(json, "start", text);
	if (transfer->station_config.seeded)
		wt_json_u64(json, "seed", transfer->station_config.seed);
	else
		wt_json_string(json, "seed", NULL);
	wt_json_bool(json, "partial", transfer->signal || transfer->timed_out);
	endpoint_json(json, "local", &info->local);
	endpoint_json(json, "remote", &info->remote);
	wt_json_object(json, "requested");
	wt_json_string(json, "preset", transfer->words.preset ? transfer->words.preset : "modern");
	wt_json_string(json, "settings", transfer->words.settings);
	wt_json_string(json, "sender", transfer->words.sender);
	wt_json_string(json, "recovery", transfer->words.recovery);
	wt_json_string(json, "receiver", transfer->words.receiver);
	wt_json_end(json);
	wt_tcp_config_json(json, "stack", &transfer->tcp);
	wt_json_object(json, "noise");
	wt_port_refresh(station->port);
	wt_json_u64(json, "kernel_drops", station->port->kernel_drops);
	wt_json_u64(json, "timer_wakeups", late->count);
	wt_json_number(json, "timer_worst_late_s", (double)late->worst / 1e9);
	wt_json_end(json);
	host_record(json, station->host);
}
