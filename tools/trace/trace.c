/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank trace convert, stats, plot: what --trace wrote, for other tools and for the eye. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "stack/record/create.h"
#include "stack/record/json.h"
#include "tools/common/cli.h"
#include "tools/common/files_apart.h"
#include "tools/results/script.h"
#include "tools/results/trace_file.h"

extern const struct wt_command wt_command_trace_convert, wt_command_trace_stats, wt_command_trace_plot;

enum { OPT_OUTPUT, OPT_FORMAT, OPT_HOST, OPT_CONN };
enum { STATS_JSON };
enum { PLOT_OUTPUT, PLOT_KIND, PLOT_HOST, PLOT_CONN, PLOT_FROM, PLOT_TO };

static const struct wt_option convert_options[] = {
	[OPT_OUTPUT] = {'o', "output", "FILE|-", "write there; its ending chooses the format; -: standard output"},
	[OPT_FORMAT] = {0, "format", "NAME", "qlog, xpl or csv (default: by the ending of the output)"},
	[OPT_HOST] = {0, "host", "NAME", "xpl: of this host (default: the one that sent most)"},
	[OPT_CONN] = {0, "conn", "N", "xpl: of this connection"},
};

static const struct wt_option stats_options[] = {
	[STATS_JSON] = {0, "json", NULL, "one JSON line"},
};

static const struct wt_option plot_options[] = {
	[PLOT_OUTPUT] = {'o', "output", "FILE", "write there: .svg or .pdf"},
	[PLOT_KIND] = {0, "kind", "NAME", "sequence (default): the time-sequence graph; state: cwnd, RTT and gauges over time"},
	[PLOT_HOST] = {0, "host", "NAME", "of this host (default: the one that sent most)"},
	[PLOT_CONN] = {0, "conn", "N", "of this connection"},
	[PLOT_FROM] = {0, "from", "TIME", "begin there: 2s"},
	[PLOT_TO] = {0, "to", "TIME", "end there"},
};

struct words {
	const char *file, *log, *output, *format, *host;
	uint64_t conn;
	bool json;
	wt_time from, to; /* 0: not said */
};

static struct wt_trace_flows flows; /* large */

static int take_file(struct words *words, const char *value)
{
	if (words->file && (words->log || wt_current_command != &wt_command_trace_plot))
		return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one journal at a time", value);
	*(words->file ? &words->log : &words->file) = value;
	return WT_EXIT_OK;
}

/* Reads the line; `take` handles the options of one command. An exit code. */
static int parse(struct words *words, int argc, char **argv, wt_args_take *take)
{
	int code = wt_args_each(argc, argv, take, words);

	return code || words->file ? code : wt_fail(WT_EXIT_USAGE, "the journal is missing: sim, send and recv write one with --trace FILE");
}

/* A file that is not there, or not as it should be, is wrong usage; one that cannot be read is the environment. */
static int failed(int error, const char *err)
{
	return wt_fail(error == -EINVAL || error == -ENOENT || error == -EISDIR ? WT_EXIT_USAGE : WT_EXIT_ENVIRONMENT, "%s", err);
}

static const struct wt_trace_flow *choose(const struct words *words)
{
	const struct wt_trace_flow *flow = wt_trace_choose(&flows, words->host, (uint32_t)words->conn);

	if (!flow)
		wt_fail(WT_EXIT_USAGE, "%s: no such connection; 'wavetank trace stats' lists them", words->file);
	return flow;
}

static int take_convert(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct words *words = arg;

	switch (option) {
	case WT_ARGS_WORD: return take_file(words, value);
	case OPT_OUTPUT: words->output = strcmp(value, "-") ? value : NULL; break;
	case OPT_FORMAT: words->format = value; break;
	case OPT_HOST: words->host = value; break;
	case OPT_CONN: return wt_parse_count(value, &words->conn, err, err_len);
	}
	return 0;
}

static int write_as(FILE *out, const struct words *words, const char *format, char *err, size_t err_len)
{
	const struct wt_trace_flow *flow = NULL;

	if (!strcmp(format, "qlog"))
		return wt_trace_qlog(out, words->file, &flows, err, err_len);
	if (!strcmp(format, "csv"))
		return wt_trace_csv(out, words->file, err, err_len);
	flow = wt_trace_choose(&flows, words->host, (uint32_t)words->conn);
	if (flow)
		return wt_trace_xpl(out, words->file, flow, err, err_len);
	snprintf(err, err_len, "%s: no such connection; 'wavetank trace stats' lists them", words->file);
	return -EINVAL;
}

static bool is_regular(const char *path)
{
	struct stat there;

	return !stat(path, &there) && S_ISREG(there.st_mode);
}

static int convert_main(int argc, char **argv)
{
	static const char *const formats[] = {"qlog", "xpl", "csv"};
	struct words words = {0};
	const char *dot;
	char err[400], why[WT_CREATE_WHY];
	FILE *out;
	int code, error, known = 0;

	code = parse(&words, argc, argv, take_convert);
	if (code)
		return code;
	dot = words.output ? strrchr(words.output, '.') : NULL;
	if (!words.format && dot)
		words.format = dot + 1;
	for (unsigned i = 0; i < 3; i++)
		known |= words.format && !strcmp(words.format, formats[i]);
	if (!known && words.format)
		return wt_fail(WT_EXIT_USAGE, "'%s' is no format: expected qlog, xpl or csv", words.format);
	if (!known)
		return wt_fail(WT_EXIT_USAGE, "the output is missing: --output FILE.qlog, .xpl or .csv, or --format qlog, xpl or csv");
	if (wt_files_apart((const struct wt_named_file[]){{"the journal", words.file}, {"--output", words.output}}, 2, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	error = wt_trace_survey(words.file, &flows, err, sizeof(err));
	if (error)
		return failed(error, err);
	out = words.output ? wt_create_stream(words.output) : stdout;
	if (!out)
		return wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", words.output, wt_create_why(words.output, errno, why));
	error = write_as(out, &words, words.format, err, sizeof(err));
	code = error ? failed(error, err) : WT_EXIT_OK;
	if ((out == stdout ? fflush(out) : fclose(out)) && !code)
		code = wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", words.output ? words.output : "standard output", strerror(errno));
	if (code && words.output && is_regular(words.output))
		unlink(words.output); /* a part of it would be taken for all */
	if (!code && words.output)
		wt_say("%s: %" PRIu64 " events as %s", words.output, flows.lines, words.format);
	return code;
}

static int take_stats(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct words *words = arg;

	if (option == WT_ARGS_WORD)
		return take_file(words, value);
	words->json = true;
	return 0;
}

static int stats_main(int argc, char **argv)
{
	struct words words = {0};
	char err[400];
	int code, error;

	code = parse(&words, argc, argv, take_stats);
	if (code)
		return code;
	error = wt_trace_survey(words.file, &flows, err, sizeof(err));
	if (!error)
		error = wt_trace_stats(stdout, words.file, &flows, words.json, err, sizeof(err));
	if (error)
		return failed(error, err);
	return fflush(stdout) ? wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno)) : WT_EXIT_OK;
}

static int take_plot(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct words *words = arg;

	switch (option) {
	case WT_ARGS_WORD: return take_file(words, value);
	case PLOT_OUTPUT: words->output = value; break;
	case PLOT_HOST: words->host = value; break;
	case PLOT_CONN: return wt_parse_count(value, &words->conn, err, err_len);
	case PLOT_FROM: return wt_parse_time(value, &words->from, err, err_len);
	case PLOT_TO: return wt_parse_time(value, &words->to, err, err_len);
	case PLOT_KIND:
		if (strcmp(value, "sequence") && strcmp(value, "state")) {
			snprintf(err, err_len, "no kind '%s'; known: sequence, state", value);
			return -EINVAL;
		}
		words->format = value;
		break;
	}
	return 0;
}

static int check_log(const char *path)
{
	static struct wt_trace_flows of_log; /* large */
	char err[400];
	int error = wt_trace_survey(path, &of_log, err, sizeof(err));

	if (wt_trace_is_log(path, &of_log))
		return WT_EXIT_OK;
	return error ? failed(error, err) : wt_fail(WT_EXIT_USAGE, "%s: not the log of a path: it has connections", path);
}

static int plot_main(int argc, char **argv)
{
	struct words words = {.format = "sequence"};
	const struct wt_trace_flow *flow;
	const char *dot;
	struct wt_json json;
	char err[400], from[32];
	FILE *request;
	int code, error;

	code = parse(&words, argc, argv, take_plot);
	if (code)
		return code;
	dot = words.output ? strrchr(words.output, '.') : NULL;
	if (!dot || (strcmp(dot, ".svg") && strcmp(dot, ".pdf")))
		return wt_fail(WT_EXIT_USAGE, "--output %s: expected FILE.svg or FILE.pdf", words.output ? words.output : "is missing");
	if (wt_files_apart((const struct wt_named_file[]){{"the journal", words.file}, {"--output", words.output}}, 2, err, sizeof(err)))
		return wt_fail(WT_EXIT_USAGE, "%s", err);
	if (words.to && words.to <= words.from)
		return wt_fail(WT_EXIT_USAGE, "--to is not after --from");
	error = wt_trace_survey(words.file, &flows, err, sizeof(err));
	if (error)
		return failed(error, err);
	if (words.from >= flows.last)
		return wt_fail(WT_EXIT_USAGE, "--from %s is not before the last event of %s, at %.3f s", wt_format_time(words.from, from, sizeof(from)), words.file, (double)flows.last / 1e9);
	flow = choose(&words);
	if (!flow)
		return WT_EXIT_USAGE;
	if (words.log && (code = check_log(words.log)))
		return code;
	request = wt_report_request();
	if (!request)
		return wt_fail(WT_EXIT_ENVIRONMENT, "temporary file: %s", strerror(errno));
	wt_json_init(&json, request);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "command", "plot");
	wt_json_string(&json, "trace", words.file);
	wt_json_string(&json, "host", flow->host);
	wt_json_u64(&json, "conn", flow->conn);
	wt_json_u64(&json, "iss", flow->iss);
	wt_json_bool(&json, "sees_path", wt_trace_sees_path(&flows));
	wt_json_array(&json, "logs");
	if (words.log)
		wt_json_string(&json, NULL, words.log);
	wt_json_end(&json);
	wt_json_string(&json, "kind", words.format);
	wt_json_number(&json, "from_s", (double)words.from / 1e9);
	if (words.to)
		wt_json_number(&json, "to_s", (double)words.to / 1e9);
	wt_json_string(&json, "output", words.output);
	wt_json_end(&json);
	return wt_report_script(request);
}

const struct wt_command wt_command_trace_convert = {
	.name = "trace convert",
	.arguments = "FILE.jsonl",
	.text = "convert a journal to qlog, to a graph for xplot, or to CSV",
	.options = convert_options,
	.option_count = sizeof(convert_options) / sizeof(convert_options[0]),
	.run = convert_main,
	.notes = "  wavetank trace convert real.jsonl -o real.qlog\n"
		 "  wavetank trace convert real.jsonl -o real.xpl",
};

const struct wt_command wt_command_trace_stats = {
	.name = "trace stats",
	.arguments = "FILE.jsonl",
	.text = "summarize a journal per connection, and count drops by cause",
	.options = stats_options,
	.option_count = sizeof(stats_options) / sizeof(stats_options[0]),
	.run = stats_main,
};

const struct wt_command wt_command_trace_plot = {
	.name = "trace plot",
	.arguments = "FILE.jsonl [LOG.jsonl]",
	.text = "draw a journal: segments, ACKs, window and drops, or the sender's state",
	.options = plot_options,
	.option_count = sizeof(plot_options) / sizeof(plot_options[0]),
	.run = plot_main,
	.notes = "  wavetank trace plot real.jsonl -o real.svg\n"
		 "  wavetank trace plot real.jsonl --kind state --from 2s --to 5s -o state.pdf\n"
		 "LOG, of lab up --log or emu run --log: its drops are joined to the journal of send, by sequence number.\n"
		 "Needs Debian's python3-matplotlib.",
};
