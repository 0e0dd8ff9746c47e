/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/results/trace_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/cli.h"

uint64_t wt_trace_u64(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

const char *wt_trace_string(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

void wt_trace_gauges(const struct wt_trace_line *line, wt_trace_gauge_fn *fn, void *arg)
{
	const struct wt_trace_info *info = wt_trace_info(line->type);
	const char *key;
	json_t *value;

	json_object_foreach(line->data, key, value) {
		unsigned i = 0;

		while (i < WT_TRACE_FIELDS && info->fields[i] && strcmp(info->fields[i], key))
			i++;
		if ((i == WT_TRACE_FIELDS || !info->fields[i]) && json_is_number(value))
			fn(arg, key, json_number_value(value));
	}
}

static unsigned type_of(const char *event)
{
	for (unsigned i = 0; i < WT_TRACE_TYPES; i++)
		if (!strcmp(wt_trace_info(i)->name, event))
			return i;
	if (!strcmp(event, "emulation:packet_dropped"))
		return WT_LINE_DROP;
	return !strcmp(event, "emulation:state_entered") ? WT_LINE_STATE : WT_LINE_OTHER;
}

static int one_line(json_t *root, wt_trace_line_fn *fn, void *arg)
{
	struct wt_trace_line line = {
		.host = wt_trace_string(root, "host"),
		.event = wt_trace_string(root, "event"),
		.time = json_integer_value(json_object_get(root, "time_ns")),
		.conn = (uint32_t)wt_trace_u64(root, "conn"),
		.data = json_object_get(root, "data"),
	};

	if (!*line.event || !json_is_integer(json_object_get(root, "time_ns")))
		return 0; /* the record of a scenario or of a run */
	line.type = type_of(line.event);
	if (line.type < WT_TRACE_TYPES) {
		const struct wt_trace_info *info = wt_trace_info(line.type);

		for (unsigned i = 0; i < WT_TRACE_FIELDS && info->fields[i]; i++)
			line.field[i] = wt_trace_u64(line.data, info->fields[i]);
	}
	return fn(arg, &line);
}

/* `torn`: the number of a last line that is cut off. */
static int read_lines(const char *path, wt_trace_line_fn *fn, void *arg, unsigned long *torn, char *err, size_t err_len)
{
	FILE *file = fopen(path, "re");
	unsigned long number = 0;
	char *text = NULL;
	size_t size = 0;
	ssize_t len;
	int result = 0;

	if (!file) {
		result = -errno;
		snprintf(err, err_len, "%s: %s", path, strerror(errno));
		return result;
	}
	while (!result && (len = getline(&text, &size, file)) > 0) {
		json_error_t error;
		json_t *root = json_loadb(text, (size_t)len, JSON_REJECT_DUPLICATES, &error);

		number++;
		if (json_is_object(root)) {
			result = one_line(root, fn, arg);
		} else if (text[len - 1] != '\n') {
			*torn = number;
		} else {
			snprintf(err, err_len, "%s:%lu: not a JSON object: %.80s", path, number, root ? "another value" : error.text);
			result = -EINVAL;
		}
		json_decref(root);
	}
	if (!result && ferror(file)) {
		result = errno ? -errno : -EIO;
		snprintf(err, err_len, "%s: %s", path, strerror(-result));
	}
	free(text);
	fclose(file);
	return result;
}

int wt_trace_read(const char *path, wt_trace_line_fn *fn, void *arg, char *err, size_t err_len)
{
	unsigned long torn;

	return read_lines(path, fn, arg, &torn, err, err_len);
}

static struct wt_trace_flow *flow_of(struct wt_trace_flows *flows, const struct wt_trace_line *line)
{
	struct wt_trace_flow *flow;

	for (unsigned i = 0; i < flows->count; i++)
		if (flows->flow[i].conn == line->conn && !strcmp(flows->flow[i].host, line->host))
			return &flows->flow[i];
	if (flows->count == WT_TRACE_FLOWS)
		return NULL;
	flow = &flows->flow[flows->count++];
	snprintf(flow->host, sizeof(flow->host), "%s", line->host);
	flow->conn = line->conn;
	flow->iss = line->type == WT_TRACE_SENT ? (uint32_t)line->field[0] - !(line->field[2] & 2) : 0;
	flow->opened = line->type == WT_TRACE_STATE && line->field[1] == 2; /* SYN-SENT */
	return flow;
}

static void host_of(struct wt_trace_flows *flows, const char *host)
{
	for (unsigned i = 0; i < flows->hosts; i++)
		if (!strcmp(flows->host[i], host))
			return;
	if (flows->hosts < sizeof(flows->host) / sizeof(flows->host[0]))
		snprintf(flows->host[flows->hosts++], sizeof(flows->host[0]), "%s", host);
}

/* A listener has a number, too, and goes from CLOSED to LISTEN and back. */
static bool of_listener(const struct wt_trace_line *line)
{
	enum { CLOSED = 0, LISTEN = 1 };

	return line->type == WT_TRACE_STATE && (line->field[1] == LISTEN || (line->field[0] == LISTEN && line->field[1] == CLOSED));
}

static int survey(void *arg, const struct wt_trace_line *line)
{
	struct wt_trace_flows *flows = arg;
	struct wt_trace_flow *flow;
	uint64_t end;

	flows->lines++;
	flows->last = line->time > flows->last ? line->time : flows->last;
	flows->drops += line->type == WT_LINE_DROP;
	flows->path |= !strncmp(line->event, "emulation:", 10) && line->type != WT_LINE_DROP;
	if (line->type >= WT_TRACE_TYPES)
		return 0;
	host_of(flows, line->host);
	flow = line->conn && !of_listener(line) ? flow_of(flows, line) : NULL;
	if (!flow || line->type != WT_TRACE_SENT)
		return 0;
	if (!flow->iss)
		flow->iss = (uint32_t)line->field[0] - !(line->field[2] & 2);
	end = (uint32_t)((uint32_t)line->field[0] + (uint32_t)line->field[1] - flow->iss);
	if (end > flow->end && end < 1u << 31)
		flow->end = end;
	flow->payload += line->field[1];
	flow->segments += line->field[1] > 0;
	return 0;
}

int wt_trace_survey(const char *path, struct wt_trace_flows *flows, char *err, size_t err_len)
{
	unsigned long torn = 0;
	int result;

	memset(flows, 0, sizeof(*flows));
	result = read_lines(path, survey, flows, &torn, err, err_len);
	if (torn)
		wt_say("%s:%lu: this last line is cut off, as kill -9 or a full disk leave it; the lines before it are used", path, torn);
	if (!result && !flows->lines) {
		snprintf(err, err_len, "%s has no event in it; --trace of sim, send and recv writes such files", path);
		result = -EINVAL;
	}
	return result;
}

bool wt_trace_is_log(const char *path, const struct wt_trace_flows *flows)
{
	struct stat facts;

	return !flows->count && (flows->lines || (!stat(path, &facts) && S_ISREG(facts.st_mode) && !facts.st_size));
}

bool wt_trace_sees_path(const struct wt_trace_flows *flows)
{
	return flows->hosts > 1 || flows->path;
}

const struct wt_trace_flow *wt_trace_choose(const struct wt_trace_flows *flows, const char *host, uint32_t conn)
{
	const struct wt_trace_flow *best = NULL;

	for (unsigned i = 0; i < flows->count; i++) {
		const struct wt_trace_flow *flow = &flows->flow[i];

		if ((host && strcmp(host, flow->host)) || (conn && conn != flow->conn))
			continue;
		if (!best || flow->payload > best->payload)
			best = flow;
	}
	return best;
}

bool wt_trace_drop_of(const struct wt_trace_flow *flow, const struct wt_trace_line *line, uint64_t *offset, uint64_t *payload)
{
	const json_t *packet = json_object_get(line->data, "packet");

	if (line->type != WT_LINE_DROP || !json_object_get(packet, "seq"))
		return false;
	*payload = wt_trace_u64(packet, "payload_bytes");
	*offset = (uint32_t)((uint32_t)wt_trace_u64(packet, "seq") - flow->iss);
	return *payload && *offset < flow->end;
}
