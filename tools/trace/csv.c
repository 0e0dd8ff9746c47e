/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A journal as one CSV table: one row per event, one column per field name of any event, empty where an event does not have
 * it. The columns are the same for every journal, so that tables can be put below each other.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/results/trace_file.h"

#define COLUMNS 64

static const char *const of_path[] = {"node", "cause", "state", "visit", "frame", "burst", "payload_bytes"};
#define OF_PATH (sizeof(of_path) / sizeof(of_path[0]))

struct table {
	FILE *out;
	unsigned count;
	const char *column[COLUMNS];
};

static void add(struct table *table, const char *name)
{
	for (unsigned i = 0; i < table->count; i++)
		if (!strcmp(table->column[i], name))
			return;
	if (table->count < COLUMNS)
		table->column[table->count++] = name;
}

static void text(FILE *out, const char *value)
{
	if (!strpbrk(value, ",\"\r\n")) {
		fputs(value, out);
		return;
	}
	putc('"', out);
	for (; *value; value++) {
		if (*value == '"')
			putc('"', out);
		putc(*value, out);
	}
	putc('"', out);
}

static int row(void *arg, const struct wt_trace_line *line)
{
	struct table *table = arg;
	const json_t *packet = json_object_get(line->data, "packet");

	if (line->type == WT_LINE_OTHER)
		return 0;
	fprintf(table->out, "%.9f,", (double)line->time / 1e9);
	text(table->out, line->host);
	fprintf(table->out, ",%" PRIu32 ",", line->conn);
	text(table->out, line->event);
	for (unsigned i = 0; i < table->count; i++) {
		const json_t *value = json_object_get(line->data, table->column[i]);

		if (!value)
			value = json_object_get(packet, table->column[i]);
		putc(',', table->out);
		if (json_is_string(value))
			text(table->out, json_string_value(value));
		else if (json_is_integer(value))
			fprintf(table->out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	}
	fputs("\r\n", table->out);
	return 0;
}

int wt_trace_csv(FILE *out, const char *path, char *err, size_t err_len)
{
	struct table table = {.out = out};

	for (unsigned i = 0; i < WT_TRACE_TYPES; i++)
		for (unsigned j = 0; j < WT_TRACE_FIELDS && wt_trace_info(i)->fields[j]; j++)
			add(&table, wt_trace_info(i)->fields[j]);
	for (unsigned i = 0; i < OF_PATH; i++)
		add(&table, of_path[i]);
	fputs("time_s,host,conn,event", out);
	for (unsigned i = 0; i < table.count; i++)
		fprintf(out, ",%s", table.column[i]);
	fputs("\r\n", out);
	return wt_trace_read(path, row, &table, err, err_len);
}
