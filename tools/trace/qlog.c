/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A journal as qlog, main schema 0.4 (draft-ietf-quic-qlog-main-schema-04) in its JSON form: one trace per host, and one for
 * the path between them. qlog was made for QUIC: where its events fit they carry its field names and units (milliseconds,
 * bytes), and what is TCP's or ours is in the namespaces tcp, tcpreal and emulation. A segment has no packet number; its
 * place among the segments sent stands for it. Times count from the scenario's zero.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stack/record/json.h"
#include "tools/results/trace_file.h"
#include "tools/version.h"

struct qlog {
	struct wt_json json;
	const char *host; /* NULL: the path */
	uint64_t sent, received;
};

static const char *const states[] = {"closed", "listen", "syn_sent", "syn_received", "established", "fin_wait_1",
				     "fin_wait_2", "close_wait", "closing", "last_ack", "time_wait"};
static const char *const reasons[] = {"nothing", "syn", "retransmit", "data", "probe", "ack", "keepalive"};

static const char *name_of(const char *const *names, size_t count, uint64_t value)
{
	return value < count ? names[value] : "unknown";
}
static const char *const ecn[] = {"Not-ECT", "ECT(1)", "ECT(0)", "CE"};
#define NAME(names, value) name_of(names, sizeof(names) / sizeof(names[0]), value)

static void ms(struct wt_json *json, const char *key, uint64_t ns)
{
	wt_json_number(json, key, (double)ns / 1e6);
}

static void segment(struct qlog *qlog, const struct wt_trace_line *line)
{
	struct wt_json *json = &qlog->json;
	bool sent = line->type == WT_TRACE_SENT;

	wt_json_object(json, "header");
	wt_json_string(json, "packet_type", "unknown");
	wt_json_u64(json, "packet_number", sent ? qlog->sent++ : qlog->received++);
	wt_json_end(json);
	wt_json_object(json, "raw");
	wt_json_u64(json, "payload_length", line->field[1]);
	wt_json_end(json);
	if (sent && line->field[5] == 2)
		wt_json_string(json, "trigger", "retransmission");
	wt_json_object(json, "tcp");
	wt_json_u64(json, "seq", line->field[0]);
	wt_json_u64(json, "ack", line->field[3]);
	wt_json_u64(json, "flags", line->field[2]);
	wt_json_u64(json, "window", line->field[4]);
	wt_json_string(json, "ecn", NAME(ecn, line->field[sent ? 6 : 5]));
	if (sent)
		wt_json_string(json, "why", NAME(reasons, line->field[5]));
	wt_json_end(json);
}

static void gauge(void *arg, const char *name, double value)
{
	wt_json_number(arg, name, value);
}

static void metrics(struct wt_json *json, const struct wt_trace_line *line)
{
	wt_json_u64(json, "congestion_window", line->field[0]);
	if (line->field[1] < 1u << 30) /* above: not set yet */
		wt_json_u64(json, "ssthresh", line->field[1]);
	wt_json_u64(json, "bytes_in_flight", line->field[2]);
	if (line->field[3]) {
		ms(json, "smoothed_rtt", line->field[3]);
		ms(json, "rtt_variance", line->field[4]);
	}
	if (line->field[6])
		wt_json_u64(json, "pacing_rate", line->field[6] * 8); /* bits per second (qlog) */
	wt_json_object(json, "tcp");
	ms(json, "rto", line->field[5]);
	wt_json_u64(json, "snd_una", line->field[7]);
	wt_trace_gauges(line, gauge, json);
	wt_json_end(json);
}

static void rest(struct wt_json *json, const struct wt_trace_line *line)
{
	char *text;

	switch (line->type) {
	case WT_TRACE_STATE:
		wt_json_string(json, "old", NAME(states, line->field[0]));
		wt_json_string(json, "new", NAME(states, line->field[1]));
		return;
	case WT_TRACE_RTT:
		ms(json, "latest_rtt", line->field[0]);
		ms(json, "smoothed_rtt", line->field[1]);
		return;
	case WT_TRACE_LOSS:
		wt_json_string(json, "new", "recovery");
		break;
	case WT_TRACE_ECN:
		wt_json_string(json, "new", "congestion_avoidance");
		wt_json_string(json, "trigger", "ecn");
		break;
	case WT_TRACE_RECOVERED:
		wt_json_string(json, "old", "recovery");
		wt_json_string(json, "new", "congestion_avoidance");
		break;
	case WT_TRACE_RTO:
		wt_json_string(json, "timer_type", "pto");
		wt_json_string(json, "event_type", "expired");
		break;
	}
	text = json_dumps(line->data ? line->data : json_null(), JSON_COMPACT | JSON_ENCODE_ANY);
	wt_json_raw(json, line->type < WT_TRACE_TYPES ? "tcp" : "frame", text ? text : "null");
	free(text);
}

/* The name under which an event goes. */
static const char *name(const struct wt_trace_line *line)
{
	switch (line->type) {
	case WT_TRACE_RTT: return "recovery:metrics_updated";
	case WT_TRACE_STATE: return "tcp:connection_state_updated";
	case WT_TRACE_LOSS:
	case WT_TRACE_ECN:
	case WT_TRACE_RECOVERED: return "recovery:congestion_state_updated";
	case WT_TRACE_RTO: return "recovery:loss_timer_updated";
	default: return line->event;
	}
}

static int event(void *arg, const struct wt_trace_line *line)
{
	struct qlog *qlog = arg;
	struct wt_json *json = &qlog->json;
	char group[16];

	if (line->type == WT_LINE_OTHER || (qlog->host ? strcmp(line->host, qlog->host) != 0 : *line->host != '\0'))
		return 0;
	wt_json_object(json, NULL);
	wt_json_number(json, "time", (double)line->time / 1e6);
	wt_json_string(json, "name", name(line));
	if (qlog->host) {
		snprintf(group, sizeof(group), "%" PRIu32, line->conn);
		wt_json_string(json, "group_id", group);
	}
	wt_json_object(json, "data");
	if (line->type == WT_TRACE_SENT || line->type == WT_TRACE_RECEIVED)
		segment(qlog, line);
	else if (line->type == WT_TRACE_METRICS)
		metrics(json, line);
	else
		rest(json, line);
	wt_json_end(json);
	wt_json_end(json);
	return 0;
}

static int trace(struct qlog *qlog, const char *path, const char *type, char *err, size_t err_len)
{
	struct wt_json *json = &qlog->json;
	int result;

	wt_json_object(json, NULL);
	wt_json_string(json, "title", qlog->host ? qlog->host : "path");
	wt_json_object(json, "vantage_point");
	wt_json_string(json, "name", qlog->host ? qlog->host : "path");
	wt_json_string(json, "type", type);
	wt_json_end(json);
	wt_json_object(json, "common_fields");
	wt_json_string(json, "time_format", "relative");
	wt_json_number(json, "reference_time", 0);
	wt_json_array(json, "protocol_type");
	wt_json_string(json, NULL, "TCP");
	wt_json_end(json);
	wt_json_end(json);
	wt_json_array(json, "events");
	result = wt_trace_read(path, event, qlog, err, err_len);
	wt_json_end(json);
	wt_json_end(json);
	return result;
}

static bool opens(const struct wt_trace_flows *flows, const char *host)
{
	for (unsigned i = 0; i < flows->count; i++)
		if (flows->flow[i].opened && !strcmp(flows->flow[i].host, host))
			return true;
	return false;
}

int wt_trace_qlog(FILE *out, const char *path, const struct wt_trace_flows *flows, char *err, size_t err_len)
{
	struct qlog qlog = {0};
	struct wt_json *json = &qlog.json;
	int result = 0;

	wt_json_init(json, out);
	wt_json_object(json, NULL);
	wt_json_string(json, "qlog_version", "0.4");
	wt_json_string(json, "qlog_format", "JSON");
	wt_json_string(json, "title", path);
	wt_json_string(json, "description", "written by wavetank " WT_VERSION " " WT_COMMIT);
	wt_json_array(json, "traces");
	for (unsigned i = 0; i < flows->hosts && !result; i++) {
		qlog.host = flows->host[i];
		qlog.sent = qlog.received = 0;
		result = trace(&qlog, path, opens(flows, qlog.host) ? "client" : "server", err, err_len);
	}
	qlog.host = NULL;
	if (!result)
		result = trace(&qlog, path, "network", err, err_len);
	wt_json_end(json);
	wt_json_end(json);
	return result;
}
