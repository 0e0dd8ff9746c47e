/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stack/record/journal.h"
#include "tests/unit/unit.h"
#include "tools/results/trace_file.h"

#define JOURNAL "trace_file.jsonl"
#define ISS 4294967000u /* wraps after 296 bytes */

static char err[400];
static struct wt_trace_flows flows;

static void put(struct wt_trace_sink *sink, wt_time time, unsigned type, const uint64_t field[WT_TRACE_FIELDS])
{
	struct wt_trace_event event = {.time = time, .conn = 1, .type = type};

	memcpy(event.field, field, sizeof(event.field));
	sink->event(sink, &event);
}

static void put_state(struct wt_trace_sink *sink, wt_time time, uint32_t conn, uint64_t from, uint64_t to)
{
	struct wt_trace_event event = {.time = time, .conn = conn, .type = WT_TRACE_STATE, .field = {from, to}};

	sink->event(sink, &event);
}

#define PUT(time, type, ...) put(a, (time) * 1000000ll, WT_TRACE_##type, (const uint64_t[WT_TRACE_FIELDS]){__VA_ARGS__})

/* Handshake; two segments of 500 bytes, the second lost, sent again after a timeout; and what a path tells of the loss. */
static int make(void **state)
{
	struct wt_journal *journal = wt_journal_open(JOURNAL);
	struct wt_trace_sink *a = wt_journal_trace(journal, "a");
	FILE *file;

	put_state(a, 0, 2, 0, 1); /* a listener: no connection */
	PUT(0, STATE, 0, 2);
	PUT(0, SENT, ISS, 0, 2, 0, 65535, 1);
	PUT(30, RECEIVED, 77, 0, 18, ISS + 1u, 4000);
	PUT(30, STATE, 2, 4);
	PUT(30, SENT, ISS + 1u, 500, 16, 78, 65535, 3);
	PUT(31, SENT, (uint32_t)(ISS + 501u), 500, 16, 78, 65535, 3);
	PUT(60, RECEIVED, 78, 0, 16, (uint32_t)(ISS + 501u), 4000);
	PUT(60, METRICS, 2000, 2147483647, 500, 30000000, 15000000, 1000000000, 3, (uint32_t)(ISS + 501u));
	PUT(60, RTT, 30000000, 30000000, 1000000000);
	PUT(90, LOSS, (uint32_t)(ISS + 501u), (uint32_t)(ISS + 1001u), 1000);
	PUT(1060, RTO, (uint32_t)(ISS + 501u), 1000000000, 1, 1000);
	PUT(1060, SENT, (uint32_t)(ISS + 501u), 500, 16, 78, 65535, 2);
	PUT(1090, RECEIVED, 78, 0, 16, (uint32_t)(ISS + 1001u), 4000);
	PUT(1090, METRICS, 1000, 1000, 0, 30000000, 15000000, 1000000000, 5, (uint32_t)(ISS + 1001u));
	PUT(1090, RECOVERED, (uint32_t)(ISS + 1001u), 1000);
	put_state(a, 1090 * WT_MS, 2, 1, 0);
	wt_journal_close(journal);
	file = fopen(JOURNAL, "ae");
	fprintf(file, "{\"time_ns\":46000000,\"event\":\"emulation:packet_dropped\",\"data\":{\"node\":\"fwd.loss\",\"cause\":\"loss\","
		      "\"frame\":4,\"len_bytes\":554,\"burst\":1,\"packet\":{\"src\":\"10.0.0.1\",\"dst\":\"10.0.0.2\",\"protocol\":6,"
		      "\"id\":1,\"src_port\":1,\"dst_port\":2,\"seq\":%u,\"flags\":16,\"payload_bytes\":500}}}\n", ISS + 501u);
	return fclose(file);
}

static int unmake(void **state)
{
	return unlink(JOURNAL);
}

static char *text_of(int (*write)(FILE *))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(wt_trace_survey(JOURNAL, &flows, err, sizeof(err)), 0);
	assert_int_equal(write(out), 0);
	fclose(out);
	return text;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

static void a_survey_finds_the_connection_and_counts_across_the_wrap_of_sequence_numbers(void **state)
{
	assert_int_equal(wt_trace_survey(JOURNAL, &flows, err, sizeof(err)), 0);
	assert_int_equal(flows.lines, 18);
	assert_int_equal(flows.drops, 1);
	assert_int_equal(flows.count, 1);
	assert_string_equal(flows.flow[0].host, "a");
	assert_int_equal(flows.flow[0].iss, ISS);
	assert_int_equal(flows.flow[0].payload, 1500);
	assert_int_equal(flows.flow[0].segments, 3);
	assert_int_equal(flows.flow[0].end, 1001);
	assert_true(flows.flow[0].opened);
	assert_null(wt_trace_choose(&flows, "b", 0));
	assert_null(wt_trace_choose(&flows, NULL, 7));
	assert_ptr_equal(wt_trace_choose(&flows, "a", 1), &flows.flow[0]);
}

static int qlog(FILE *out)
{
	return wt_trace_qlog(out, JOURNAL, &flows, err, sizeof(err));
}

static void qlog_has_what_its_main_schema_asks_for(void **state)
{
	char *text = text_of(qlog);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *trace, *event;
	size_t i, j, events = 0;
	double last;

	assert_non_null(root);
	assert_string_equal(wt_trace_string(root, "qlog_version"), "0.4");
	assert_string_equal(wt_trace_string(root, "qlog_format"), "JSON");
	assert_int_equal(json_array_size(json_object_get(root, "traces")), 2);
	json_array_foreach(json_object_get(root, "traces"), i, trace) {
		const json_t *common = json_object_get(trace, "common_fields");

		assert_string_equal(wt_trace_string(json_object_get(trace, "vantage_point"), "type"), i ? "network" : "client");
		assert_string_equal(wt_trace_string(common, "time_format"), "relative");
		assert_true(json_is_number(json_object_get(common, "reference_time")));
		last = 0;
		json_array_foreach(json_object_get(trace, "events"), j, event) {
			double time = json_number_value(json_object_get(event, "time"));

			assert_true(json_is_number(json_object_get(event, "time")) && time >= last);
			assert_non_null(strchr(wt_trace_string(event, "name"), ':'));
			assert_true(json_is_object(json_object_get(event, "data")));
			last = time;
			events++;
		}
	}
	assert_int_equal(events, flows.lines);
	json_decref(root);
	free(text);
}

static void qlog_has_the_units_of_qlog(void **state)
{
	char *text = text_of(qlog);

	assert_int_equal(count(text, "\"recovery:metrics_updated\""), 3);
	assert_non_null(strstr(text, "\"time\":60,\"name\":\"recovery:metrics_updated\",\"group_id\":\"1\",\"data\":{\"congestion_window\":2000,"
				     "\"bytes_in_flight\":500,\"smoothed_rtt\":30,\"rtt_variance\":15,"));
	assert_int_equal(count(text, "\"ssthresh\":"), 1); /* 2 GiB is "not set" */
	assert_int_equal(count(text, "\"trigger\":\"retransmission\""), 1);
	assert_int_equal(count(text, "\"new\":\"established\""), 1);
	assert_int_equal(count(text, "\"emulation:packet_dropped\""), 1);
	free(text);
}

static int xpl(FILE *out)
{
	return wt_trace_xpl(out, JOURNAL, &flows.flow[0], err, sizeof(err));
}

static void xpl_begins_ends_and_counts_as_xplot_wants(void **state)
{
	char *text = text_of(xpl);

	assert_int_equal(strncmp(text, "timeval double\ntitle\n", 21), 0);
	assert_string_equal(text + strlen(text) - 4, "\ngo\n");
	assert_int_equal(count(text, "white\nline "), 2);
	assert_int_equal(count(text, "red\nline "), 1);
	assert_int_equal(count(text, "uarrow "), 3);
	assert_int_equal(count(text, "magenta\nx 0.046000000 501\n"), 1);
	assert_int_equal(count(text, "\nloss\n"), 1);
	assert_int_equal(count(text, "\nRTO\n"), 1);
	assert_non_null(strstr(text, "line 1.060000000 501 1.060000000 1001\n"));
	assert_non_null(strstr(text, "green\nline 0.030000000 1 0.060000000 1\nline 0.060000000 1 0.060000000 501\n"));
	free(text);
}

static int csv(FILE *out)
{
	return wt_trace_csv(out, JOURNAL, err, sizeof(err));
}

static void csv_has_one_row_per_event_and_as_many_columns_in_each(void **state)
{
	char *text = text_of(csv), *save = NULL;
	unsigned columns = 0, rows = 0;

	assert_int_equal(strncmp(text, "time_s,host,conn,event,old,new,seq,", 35), 0);
	for (char *line = strtok_r(text, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save), rows++) {
		if (!rows)
			columns = count(line, ",");
		assert_int_equal(count(line, ","), columns);
	}
	assert_int_equal(rows, flows.lines + 1);
	free(text);
}

static int stats(FILE *out)
{
	return wt_trace_stats(out, JOURNAL, &flows, true, err, sizeof(err));
}

static void numbers_are_those_of_the_events(void **state)
{
	char *text = text_of(stats);
	json_t *root = json_loads(text, 0, NULL), *one = json_array_get(json_object_get(root, "connections"), 0);

	assert_string_equal(wt_trace_string(root, "schema"), "wavetank.trace.1");
	assert_int_equal(wt_trace_u64(one, "acked_bytes"), 1000);
	assert_int_equal(wt_trace_u64(one, "sent_segs"), 4);
	assert_int_equal(wt_trace_u64(one, "payload_segs"), 3);
	assert_int_equal(wt_trace_u64(one, "retransmits_segs"), 1);
	assert_int_equal(wt_trace_u64(one, "received_segs"), 3);
	assert_int_equal(wt_trace_u64(one, "losses"), 1);
	assert_int_equal(wt_trace_u64(one, "timeouts"), 1);
	assert_int_equal(json_number_value(json_object_get(json_object_get(one, "rtt_ms"), "median")), 30);
	/* 2000 from 60 to 1090 ms, then the end */
	assert_true(fabs(json_number_value(json_object_get(json_object_get(one, "cwnd_bytes"), "mean")) - 2000) < 1e-6);
	assert_int_equal(wt_trace_u64(json_array_get(json_object_get(root, "drops"), 0), "frames"), 1);
	json_decref(root);
	free(text);
}

static void write_lines(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	fputs(text, file);
	fclose(file);
}

/* A journal of `send` knows one host, and nothing of what the path dropped: no count is not a count of nothing. */
static void drops_are_not_known_to_a_journal_without_events_of_the_path(void **state)
{
	static const char one[] = "{\"time_ns\":1,\"host\":\"a\",\"conn\":1,\"event\":\"recovery:loss_detected\",\"data\":{}}\n";
	static const char other[] = "{\"time_ns\":1,\"host\":\"b\",\"conn\":1,\"event\":\"recovery:loss_detected\",\"data\":{}}\n";
	static const char path[] = "{\"time_ns\":1,\"event\":\"emulation:path_changed\",\"data\":{}}\n";
	const struct { const char *first, *second; bool sees, log; } cases[] = {
		{one, "", false, false}, {one, other, true, false}, {one, path, true, false}, {path, "", true, true}, {"", "", false, true},
	};

	for (unsigned i = 0; i < 5; i++) {
		char text[400], *told = NULL;
		size_t len;
		FILE *out;

		snprintf(text, sizeof(text), "%s%s", cases[i].first, cases[i].second);
		write_lines("path.jsonl", text);
		assert_int_equal(wt_trace_survey("path.jsonl", &flows, err, sizeof(err)), *text ? 0 : -EINVAL);
		assert_int_equal(wt_trace_is_log("path.jsonl", &flows), cases[i].log);
		assert_int_equal(wt_trace_sees_path(&flows), cases[i].sees);
		out = open_memstream(&told, &len);
		assert_int_equal(wt_trace_stats(out, "path.jsonl", &flows, true, err, sizeof(err)), 0);
		fclose(out);
		assert_int_equal(strstr(told, "\"drops\":null") == NULL, cases[i].sees);
		free(told);
	}
	unlink("path.jsonl");
}

static void a_bad_line_is_named_and_a_cut_one_is_passed_over(void **state)
{
	static const char good[] = "{\"time_ns\":1,\"host\":\"a\",\"conn\":1,\"event\":\"recovery:loss_detected\",\"data\":{}}\n";
	char text[400];

	snprintf(text, sizeof(text), "%sno json\n%s", good, good);
	write_lines("bad.jsonl", text);
	assert_int_equal(wt_trace_survey("bad.jsonl", &flows, err, sizeof(err)), -EINVAL);
	assert_int_equal(strncmp(err, "bad.jsonl:2: ", 13), 0);
	snprintf(text, sizeof(text), "%s{\"time_ns\":2,\"ho", good);
	write_lines("bad.jsonl", text);
	assert_int_equal(wt_trace_survey("bad.jsonl", &flows, err, sizeof(err)), 0);
	assert_int_equal(flows.lines, 1);
	write_lines("bad.jsonl", "{\"schema\":\"wavetank.sim.1\"}\n");
	assert_int_equal(wt_trace_survey("bad.jsonl", &flows, err, sizeof(err)), -EINVAL);
	unlink("bad.jsonl");
	assert_int_equal(wt_trace_survey("bad.jsonl", &flows, err, sizeof(err)), -ENOENT);
}

static void data_of_other_types_harms_nobody(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	write_lines("odd.jsonl", "{\"time_ns\":1,\"host\":7,\"conn\":\"x\",\"event\":\"transport:packet_sent\",\"data\":[1]}\n"
				 "{\"time_ns\":-5,\"event\":\"emulation:packet_dropped\",\"data\":{\"packet\":{\"seq\":\"s\"}}}\n"
				 "{\"time_ns\":5,\"host\":\"a\",\"conn\":1,\"event\":\"recovery:timer_expired\"}\n"
				 "{\"time_ns\":6,\"host\":\"a\",\"conn\":1,\"event\":\"transport:packet_sent\",\"data\":{\"why\":99,\"len_bytes\":-1}}\n"
				 "{\"time_ns\":6,\"host\":\"a\",\"conn\":1,\"event\":\"other:thing\",\"data\":{\"why\":1e400}}");
	assert_int_equal(wt_trace_survey("odd.jsonl", &flows, err, sizeof(err)), 0);
	assert_int_equal(wt_trace_qlog(out, "odd.jsonl", &flows, err, sizeof(err)), 0);
	assert_int_equal(wt_trace_csv(out, "odd.jsonl", err, sizeof(err)), 0);
	assert_int_equal(wt_trace_xpl(out, "odd.jsonl", &flows.flow[0], err, sizeof(err)), 0);
	assert_int_equal(wt_trace_stats(out, "odd.jsonl", &flows, false, err, sizeof(err)), 0);
	fclose(out);
	free(text);
	unlink("odd.jsonl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_survey_finds_the_connection_and_counts_across_the_wrap_of_sequence_numbers),
		cmocka_unit_test(qlog_has_what_its_main_schema_asks_for),
		cmocka_unit_test(qlog_has_the_units_of_qlog),
		cmocka_unit_test(xpl_begins_ends_and_counts_as_xplot_wants),
		cmocka_unit_test(csv_has_one_row_per_event_and_as_many_columns_in_each),
		cmocka_unit_test(numbers_are_those_of_the_events),
		cmocka_unit_test(drops_are_not_known_to_a_journal_without_events_of_the_path),
		cmocka_unit_test(a_bad_line_is_named_and_a_cut_one_is_passed_over),
		cmocka_unit_test(data_of_other_types_harms_nobody),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
