/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/record/journal.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/record/create.h"
#include "stack/record/event_json.h"
#include "stack/text/addr.h"

#define BUFFER (256 * 1024)
#define LONGEST_LINE (16 * 1024)

struct trace_sink {
	struct wt_trace_sink sink; /* first */
	struct wt_journal *journal;
	struct trace_sink *next;
	char name[32];
};

struct wt_journal {
	FILE *file;
	off_t written; /* whole lines in the file */
	struct wt_json json;
	int error;
	struct trace_sink *traces;
	struct wt_drop_sink drops;
	struct wt_drop_sink *next_drops;
	struct wt_state_sink states;
	struct wt_bursts bursts;
	char buffer[BUFFER];
};

struct wt_journal *wt_journal_open(const char *path)
{
	struct wt_journal *journal = calloc(1, sizeof(*journal));

	if (!journal)
		return NULL;
	journal->file = wt_create_stream(path);
	if (!journal->file) {
		int error = errno;

		free(journal);
		errno = error;
		return NULL;
	}
	setvbuf(journal->file, journal->buffer, _IOFBF, BUFFER); /* of our own: glibc takes no other's size */
	wt_json_init(&journal->json, journal->file);
	return journal;
}

/* A line, unless an error came before: the first one sticks, and nothing is written after it. */
static bool begin_line(struct wt_journal *journal)
{
	if (journal->error)
		return false;
	wt_json_object(&journal->json, NULL);
	return true;
}

/* A write failed half way, as on a disk that fills: the file is cut back to its last whole line. The buffer still has what was to be written. */
static void cut(struct wt_journal *journal)
{
	off_t at = lseek(fileno(journal->file), 0, SEEK_CUR), len = at - journal->written;

	if (at < 0 || len < 0 || len > BUFFER)
		return;
	while (len && journal->buffer[len - 1] != '\n')
		len--;
	/* Not a regular file, or a file system in trouble: the first error is the one to tell. */
	if (ftruncate(fileno(journal->file), journal->written + len)) {
	}
}

/* Lines leave the buffer whole, and the buffer in one piece: whoever is killed leaves a file that can be read. */
static void write_out(struct wt_journal *journal)
{
	size_t len = __fpending(journal->file);

	if (journal->error)
		return;
	errno = 0;
	if (!fflush(journal->file)) {
		journal->written += (off_t)len;
		return;
	}
	journal->error = errno ? -errno : -EIO;
	cut(journal);
	__fpurge(journal->file);
}

static void check(struct wt_journal *journal)
{
	if (__fpending(journal->file) > BUFFER - LONGEST_LINE)
		write_out(journal);
}

static void end_line(struct wt_journal *journal)
{
	wt_json_end(&journal->json);
	check(journal);
}

/* An address is for people. */
static void write_field(struct wt_json *json, const char *name, uint64_t value)
{
	static const char suffix[] = "_ipv4";
	size_t len = strlen(name);
	struct wt_addr addr = wt_addr_ipv4((uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value);
	char text[WT_ADDR_TEXT];

	if (len < sizeof(suffix) || strcmp(name + len - (sizeof(suffix) - 1), suffix))
		wt_json_u64(json, name, value);
	else
		wt_json_string(json, name, wt_addr_format(&addr, text));
}

static void on_event(struct wt_trace_sink *sink, const struct wt_trace_event *event)
{
	struct trace_sink *trace = (struct trace_sink *)sink;
	const struct wt_trace_info *info = wt_trace_info(event->type);
	struct wt_json *json = &trace->journal->json;

	if (!begin_line(trace->journal))
		return;
	wt_json_i64(json, "time_ns", event->time);
	wt_json_string(json, "host", trace->name);
	wt_json_u64(json, "conn", event->conn);
	wt_json_string(json, "event", info->name);
	wt_json_object(json, "data");
	for (unsigned i = 0; i < WT_TRACE_FIELDS && info->fields[i]; i++)
		write_field(json, info->fields[i], event->field[i]);
	for (unsigned i = 0; event->gauges && event->gauges[i]; i++)
		wt_json_number(json, event->gauges[i], event->gauge[i]);
	wt_json_end(json);
	end_line(trace->journal);
}

struct wt_trace_sink *wt_journal_trace(struct wt_journal *journal, const char *name)
{
	struct trace_sink *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	trace->sink.event = on_event;
	trace->journal = journal;
	snprintf(trace->name, sizeof(trace->name), "%s", name);
	trace->next = journal->traces;
	journal->traces = trace;
	return &trace->sink;
}

static void on_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		    enum wt_drop cause)
{
	struct wt_journal *journal = (struct wt_journal *)((char *)sink - offsetof(struct wt_journal, drops));

	if (!journal->error) {
		wt_event_drop(&journal->json, node, now, frame, cause, wt_bursts_next(&journal->bursts, node));
		check(journal);
	}
	if (journal->next_drops)
		journal->next_drops->drop(journal->next_drops, node, now, frame, cause);
}

struct wt_drop_sink *wt_journal_drops(struct wt_journal *journal, struct wt_drop_sink *next)
{
	journal->drops.drop = on_drop;
	journal->next_drops = next;
	return &journal->drops;
}

static void on_state(struct wt_state_sink *sink, const struct wt_node *node, const struct wt_state *state)
{
	struct wt_journal *journal = (struct wt_journal *)((char *)sink - offsetof(struct wt_journal, states));

	if (journal->error)
		return;
	wt_event_state(&journal->json, node, state);
	check(journal);
}

struct wt_state_sink *wt_journal_states(struct wt_journal *journal)
{
	journal->states.state = on_state;
	return &journal->states;
}

struct wt_json *wt_journal_begin(struct wt_journal *journal, wt_time now, const char *event)
{
	if (journal->error)
		return NULL;
	wt_event_begin(&journal->json, now, event);
	return &journal->json;
}

void wt_journal_end(struct wt_journal *journal)
{
	wt_json_end(&journal->json);
	end_line(journal);
}

int wt_journal_flush(struct wt_journal *journal)
{
	write_out(journal);
	return journal->error;
}

int wt_journal_close(struct wt_journal *journal)
{
	int error;

	if (!journal)
		return 0;
	write_out(journal);
	error = journal->error;
	if (fclose(journal->file) && !error)
		error = -errno;
	while (journal->traces) {
		struct trace_sink *trace = journal->traces;

		journal->traces = trace->next;
		free(trace);
	}
	wt_bursts_finish(&journal->bursts);
	free(journal);
	return error;
}
