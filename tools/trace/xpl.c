/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time-sequence graph of tcptrace, for xplot: segments white between two arrows, those sent again red, the ACKs that came
 * back green, the edge of the window they opened yellow; a drop is a magenta cross with its cause. Offsets count from the SYN.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/results/trace_file.h"

struct graph {
	FILE *out;
	const struct wt_trace_flow *flow;
	bool answered;
	uint64_t ack, edge; /* of the last segment that came back */
	double time;
};

static void sent(struct graph *graph, double time, const struct wt_trace_line *line)
{
	uint64_t from = (uint32_t)((uint32_t)line->field[0] - graph->flow->iss), to = from + line->field[1];
	bool again = line->field[5] == 2; /* WT_SEND_RETRANSMIT */

	if (to > from) {
		fprintf(graph->out, "%s\nline %.9f %" PRIu64 " %.9f %" PRIu64 "\n", again ? "red" : "white", time, from, time, to);
		fprintf(graph->out, "darrow %.9f %" PRIu64 "\nuarrow %.9f %" PRIu64 "\n", time, from, time, to);
		if (again)
			fprintf(graph->out, "rtext %.9f %" PRIu64 "\nR\n", time, to);
	} else if (line->field[2] & 3) {
		fprintf(graph->out, "orange\ndiamond %.9f %" PRIu64 "\natext %.9f %" PRIu64 "\n%s\n", time, from, time, from,
			line->field[2] & 2 ? "SYN" : "FIN");
	}
}

static void step(struct graph *graph, const char *colour, double time, uint64_t before, uint64_t after)
{
	fprintf(graph->out, "%s\nline %.9f %" PRIu64 " %.9f %" PRIu64 "\n", colour, graph->time, before, time, before);
	if (after != before)
		fprintf(graph->out, "line %.9f %" PRIu64 " %.9f %" PRIu64 "\n", time, before, time, after);
}

static void came_back(struct graph *graph, double time, const struct wt_trace_line *line)
{
	uint64_t ack = (uint32_t)((uint32_t)line->field[3] - graph->flow->iss), edge = ack + line->field[4];

	if (!(line->field[2] & 16) || ack > 1u << 31)
		return;
	if (graph->answered) {
		step(graph, "green", time, graph->ack, ack);
		step(graph, "yellow", time, graph->edge, edge);
		if (ack == graph->ack)
			fprintf(graph->out, "green\ndtick %.9f %" PRIu64 "\n", time, ack);
	}
	graph->answered = true;
	graph->ack = ack;
	graph->edge = edge;
	graph->time = time;
}

static int draw(void *arg, const struct wt_trace_line *line)
{
	struct graph *graph = arg;
	double time = (double)line->time / 1e9;
	uint64_t offset, payload;

	if (wt_trace_drop_of(graph->flow, line, &offset, &payload))
		fprintf(graph->out, "magenta\nx %.9f %" PRIu64 "\nrtext %.9f %" PRIu64 "\n%s\n", time, offset, time, offset,
			wt_trace_string(line->data, "cause"));
	if (line->conn != graph->flow->conn || strcmp(line->host, graph->flow->host))
		return 0;
	if (line->type == WT_TRACE_SENT)
		sent(graph, time, line);
	else if (line->type == WT_TRACE_RECEIVED)
		came_back(graph, time, line);
	else if (line->type == WT_TRACE_RTO)
		fprintf(graph->out, "red\nbtext %.9f %" PRIu64 "\nRTO\n", time, (uint64_t)(uint32_t)((uint32_t)line->field[0] - graph->flow->iss));
	return 0;
}

int wt_trace_xpl(FILE *out, const char *path, const struct wt_trace_flow *flow, char *err, size_t err_len)
{
	struct graph graph = {.out = out, .flow = flow};
	int result;

	fprintf(out, "timeval double\ntitle\n%s, connection %" PRIu32 " (time sequence graph)\nxlabel\ntime (s)\nylabel\n"
		     "sequence offset (bytes)\n", flow->host, flow->conn);
	result = wt_trace_read(path, draw, &graph, err, err_len);
	fputs("go\n", out);
	return result;
}
