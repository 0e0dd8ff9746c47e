/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank send: transfers over a real port, one or several side by side, to the peer or from it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "tools/app/bulk_json.h"
#include "tools/app/bulk_wire.h"
#include "tools/transfer/stream.h"

enum {
	OPT_CONNECT = WT_T_OPTIONS, OPT_CLIENT, OPT_BYTES, OPT_TIME, OPT_FILE, OPT_PARALLEL, OPT_REVERSE, OPT_BIDIR, OPT_LENGTH, OPT_RATE, OPT_UDP,
	OPT_OMIT, OPT_LATENCY,
};

#define STREAMS 10000 /* at most: ports of one address are fewer than 65,536, and both directions need some */
#define IDLE_PROBES 5 /* of --latency, before anything else begins */

static const struct wt_option options[] = {
	WT_TRANSFER_TABLE,
	[OPT_CONNECT] = {'c', "connect", "HOST", "the peer: an address, or in a lab b, b.kernel"},
	[OPT_CLIENT] = {0, "client", "HOST", "the same, as iperf3 calls it"},
	[OPT_BYTES] = {'n', "bytes", "SIZE", "payload (default 5MiB)"},
	[OPT_TIME] = {'t', "time", "TIME", "send for this long instead; bytes not yet sent by then are dropped"},
	[OPT_FILE] = {'F', "file", "FILE|-", "with --raw: the bytes of FILE, - for standard input"},
	[OPT_PARALLEL] = {'P', "parallel", "N", "number of parallel streams, at most 10000"},
	[OPT_REVERSE] = {'R', "reverse", NULL, "the peer sends and we receive"},
	[OPT_BIDIR] = {0, "bidir", NULL, "send and receive at once, -P streams each way"},
	[OPT_LENGTH] = {'l', "length", "SIZE", "bytes per write, at most 16KiB, or per datagram (default 1460B)"},
	[OPT_RATE] = {'b', "bitrate", "RATE", "rate of each stream, 0: no limit (default: no limit; with -u 1Mbit)"},
	[OPT_UDP] = {'u', "udp", NULL, "datagrams at a constant rate: loss, delay and jitter at the other end"},
	[OPT_OMIT] = {'O', "omit", "TIME", "leave the first TIME out of the goodput; -t grows by it"},
	[OPT_LATENCY] = {0, "latency", "TIME", "also send a small request TIME after each answer: latency of the idle and of the loaded path"},
};

struct send {
	struct wt_transfer transfer;
	const char *peer, *file;
	uint64_t size, length, rate;
	wt_time time, omit, latency;
	uint64_t parallel;
	bool reverse, bidir, udp;
	bool unlimited;     /* --bitrate 0, as iperf3 has it */
	struct wt_endpoint remote;
	struct wt_send_stream *stream; /* `streams` of them, and behind them that of --latency */
	unsigned streams, done;
	struct wt_send_stream *probe;  /* of --latency; NULL: there is none */
	uint32_t idle;                 /* latencies of it that were measured idle */
	uint64_t seed;
	int failed;         /* an exit code: the load could not begin */
	ev_timer progress, linger, patience, load;
	bool bar;           /* a bar is on the terminal */
	int fd;             /* of file; -1: none */
	bool waits;         /* the file may have nothing yet: a pipe, a terminal */
	ev_io readable;
};

/* ---- progress on a terminal --------------------------------------------------------------------------- */

static void clear_bar(struct send *send)
{
	if (send->bar)
		fputs("\r\033[K", stderr);
	send->bar = false;
}

/* Of the first stream, which stands for all. */
static void on_progress(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct send *send = watcher->data;
	const struct wt_bulk_sender *sender = &send->stream[0].sender;
	wt_time elapsed = wt_rloop_clock(send->transfer.station.rloop) - sender->start;
	char bytes[24], rate[24], bar[61] = "";
	struct wt_tcp_info info;
	double share, seconds = (double)elapsed / 1e9;

	if (!sender->tcp || elapsed <= 0)
		return;
	wt_tcp_info(sender->tcp, &info);
	share = send->size ? (double)info.bytes_acked / (double)send->size : (double)elapsed / (double)(send->time ? send->time : elapsed);
	if (share > 1)
		share = 1;
	for (unsigned i = 0; i < 20; i++)
		strcat(bar, i < (unsigned)(share * 20) ? "\u2588" : "\u2591");
	fprintf(stderr, "\r\033[K%s %3.0f%%  %s  %s", bar, share * 100, wt_show_bytes((double)info.bytes_acked, bytes),
		wt_show_rate((double)info.bytes_acked * 8 / seconds, rate));
	if (share > 0.01)
		fprintf(stderr, "  eta %.0f s", seconds * (1 - share) / share);
	fflush(stderr);
	send->bar = true;
}

/* ---- the file ----------------------------------------------------------------------------------------- */

static size_t read_file(void *arg, uint8_t *data, size_t len)
{
	struct send *send = ((struct wt_send_stream *)arg)->arg;
	ssize_t got = read(send->fd, data, len);

	if (got >= 0)
		return (size_t)got;
	if (errno == EAGAIN || errno == EINTR) {
		ev_io_start(send->transfer.station.ev, &send->readable);
		return WT_BULK_LATER;
	}
	wt_fail(WT_EXIT_ENVIRONMENT, "reading %s: %s", send->file, strerror(errno));
	return 0;
}

static void on_readable(struct ev_loop *ev, ev_io *watcher, int events)
{
	struct send *send = watcher->data;

	ev_io_stop(ev, watcher);
	wt_bulk_send_wake(&send->stream[0].sender);
	wt_station_touch(&send->transfer.station);
}

static int open_file(struct send *send)
{
	struct stat st;

	send->fd = strcmp(send->file, "-") == 0 ? dup(STDIN_FILENO) : open(send->file, O_RDONLY | O_CLOEXEC);
	if (send->fd < 0 || fstat(send->fd, &st) < 0)
		return wt_fail(WT_EXIT_USAGE, "cannot read %s: %s", send->file, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return wt_fail(WT_EXIT_USAGE, "cannot read %s: it is a directory", send->file);
	send->waits = !S_ISREG(st.st_mode);
	if (send->waits) /* an engine that blocks on its input sends no ACK */
		fcntl(send->fd, F_SETFL, fcntl(send->fd, F_GETFL) | O_NONBLOCK);
	return WT_EXIT_OK;
}

/* ---- the streams -------------------------------------------------------------------------------------- */

static void on_interval(void *arg, const struct wt_bulk_interval *interval)
{
	struct wt_send_stream *stream = arg;
	struct send *send = stream->arg;

	clear_bar(send);
	if (stream->sender.connected && stream != send->probe)
		wt_send_stream_interval(stream, interval);
}

/* A SYN nobody answers is repeated for three minutes; nobody should have to guess what we are waiting for. */
static void on_patience(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct send *send = watcher->data;
	char text[WT_ADDR_TEXT];

	if (!wt_send_stream_connected(send->probe ? send->probe : &send->stream[0]))
		wt_say("no answer from %s port %u yet; is wavetank recv running there? (--timeout limits the wait)",
		       wt_addr_format(&send->remote.addr, text), send->remote.port);
}

static void on_linger(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct send *send = watcher->data;

	wt_transfer_end(&send->transfer);
}

/* From when on nobody needs us, in seconds. */
static double longest_wait(const struct send *send)
{
	double longest = 0;

	for (unsigned i = 0; i < send->streams; i++) {
		const struct wt_bulk_sender *sender = &send->stream[i].sender;
		bool lossy = sender->info.retransmits_segs || sender->info.dup_segs_received ||
			     (sender->got_result && (sender->result.dup_segs || sender->result.out_of_order_segs));
		bool reset = sender->fail == WT_BULK_CANCELLED && sender->info.bytes_acked < sender->info.bytes_sent;
		double wait = 2e-9 * (double)sender->info.rto;

		if (send->stream[i].kind != WT_STREAM_SENDS || !(reset || (sender->fail == WT_BULK_OK && !sender->config.raw && lossy)))
			continue;
		if (wait > longest)
			longest = wait < 3 ? wait : 3;
	}
	return longest;
}

/*
 * Where packets were lost our last ACK may be, too; the peer would then repeat its FIN to nobody. So we stay, as TIME-WAIT would
 * have us, for two of its time-outs. On a clean path nobody has to wait. A full queue may drop our reset: the ACKs of what is still on
 * its way then bring another one from us.
 */
static void on_done(void *arg, struct wt_send_stream *stream)
{
	struct send *send = arg;
	double wait;

	if (stream == send->probe && send->done < send->streams) /* the others end by themselves, or have failed too */
		return;
	send->done += stream != send->probe;
	if (send->done < send->streams)
		return;
	if (send->probe && !send->probe->done) {
		wt_send_stream_stop(send->probe, false);
		return;
	}
	wait = longest_wait(send);
	if (wait <= 0) {
		wt_transfer_end(&send->transfer);
		return;
	}
	ev_timer_set(&send->linger, wait, 0.);
	ev_timer_start(send->transfer.station.ev, &send->linger);
}

static void on_sender_done(void *arg, struct wt_bulk_sender *sender)
{
	struct wt_send_stream *stream = arg;

	stream->done = true;
	stream->fail = sender->fail;
	stream->error = sender->error;
	stream->on_done(stream->arg, stream);
}

static void on_stop(void *arg, bool now)
{
	struct send *send = arg;
	bool all = true;

	for (unsigned i = 0; i < send->streams; i++) {
		all &= send->stream[i].done || !send->stream[i].begun;
		wt_send_stream_stop(&send->stream[i], now);
	}
	if (send->probe && now)
		wt_send_stream_stop(send->probe, true);
	if (all)
		wt_transfer_end(&send->transfer);
}

static int take_number(struct send *send, int option, const char *value)
{
	char err[200];
	int error;

	switch (option) {
	case OPT_BYTES: error = wt_parse_size(value, &send->size, err, sizeof(err)); break;
	case OPT_TIME: error = wt_parse_time(value, &send->time, err, sizeof(err)); break;
	case OPT_PARALLEL: error = wt_parse_count(value, &send->parallel, err, sizeof(err)); break;
	case OPT_LENGTH: error = wt_parse_size(value, &send->length, err, sizeof(err)); break;
	case OPT_RATE: error = wt_parse_rate(value, &send->rate, err, sizeof(err)); break;
	case OPT_OMIT: error = wt_parse_time(value, &send->omit, err, sizeof(err)); break;
	default: error = wt_parse_time(value, &send->latency, err, sizeof(err)); break;
	}
	if (error)
		return wt_fail(WT_EXIT_USAGE, "--%s: %s", options[option].name, err);
	if (option == OPT_BYTES && !send->size)
		return wt_fail(WT_EXIT_USAGE, "--bytes: expected more than 0B");
	if (option == OPT_TIME && send->time <= 0)
		return wt_fail(WT_EXIT_USAGE, "--time: expected more than 0s");
	if (option == OPT_PARALLEL && (!send->parallel || send->parallel > STREAMS))
		return wt_fail(WT_EXIT_USAGE, "--parallel: expected 1 to %d streams", STREAMS);
	if (option == OPT_LENGTH && (!send->length || send->length > 16384))
		return wt_fail(WT_EXIT_USAGE, "--length: expected 1B to 16KiB");
	send->unlimited |= option == OPT_RATE && !send->rate;
	if (option == OPT_RATE && send->rate && send->rate < 1000)
		return wt_fail(WT_EXIT_USAGE, "--bitrate: expected at least 1Kbit, or 0 for no limit");
	if ((option == OPT_OMIT && send->omit < 0) || (option == OPT_LATENCY && send->latency <= 0))
		return wt_fail(WT_EXIT_USAGE, "--%s: expected a time above 0s", options[option].name);
	return WT_EXIT_OK;
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct send *send = arg;

	switch (option) {
	case WT_ARGS_WORD: return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': the peer follows -c", value);
	case OPT_CONNECT:
	case OPT_CLIENT: send->peer = value; return WT_EXIT_OK;
	case OPT_FILE: send->file = value; return WT_EXIT_OK;
	case OPT_REVERSE: send->reverse = true; return WT_EXIT_OK;
	case OPT_BIDIR: send->bidir = true; return WT_EXIT_OK;
	case OPT_UDP: send->udp = true; return WT_EXIT_OK;
	case OPT_BYTES:
	case OPT_TIME:
	case OPT_PARALLEL:
	case OPT_LENGTH:
	case OPT_RATE:
	case OPT_OMIT:
	case OPT_LATENCY: return take_number(send, option, value);
	}
	return wt_transfer_option(&send->transfer, option, value);
}

/* What goes with what. */
static int check_streams(struct send *send)
{
	const struct wt_transfer *transfer = &send->transfer;
	bool several = send->parallel > 1 || send->reverse || send->bidir || send->udp || send->latency;

	if (several && (transfer->raw || transfer->plays))
		return wt_fail(WT_EXIT_USAGE, "--%s sends one stream: it cannot be combined with -P, -R, --bidir, -u or --latency", transfer->raw ? "raw" : "app playback");
	if (send->udp && (send->reverse || send->bidir || transfer->asks || send->latency || send->omit || transfer->live))
		return wt_fail(WT_EXIT_USAGE, "--udp cannot be combined with -R, --bidir, -O, --app, --latency or --live; for datagrams from the peer, run send -u there");
	if (send->udp && send->unlimited)
		return wt_fail(WT_EXIT_USAGE, "--udp needs a rate: --bitrate 1Mbit");
	if (send->udp && send->length && (send->length < WT_CBR_HEADER || send->length > 1472))
		return wt_fail(WT_EXIT_USAGE, "--length: a datagram has 24B to 1472B");
	if (transfer->asks && (send->reverse || send->bidir || send->rate || send->length || send->omit || send->size))
		return wt_fail(WT_EXIT_USAGE, "--app rr sends requests: it cannot be combined with -n, -R, --bidir, -b, -l or -O");
	if (send->reverse && send->bidir)
		return wt_fail(WT_EXIT_USAGE, "--reverse and --bidir cannot be combined");
	if (transfer->asks && !send->time && !transfer->rr.requests)
		send->time = 10 * WT_S;
	if (send->udp && !send->size && !send->time)
		send->time = 10 * WT_S;
	if (send->time)
		send->time += send->omit;
	return WT_EXIT_OK;
}

static int check_options(struct send *send)
{
	char err[200];

	if (!send->peer)
		return wt_fail(WT_EXIT_USAGE, "the peer is missing: wavetank send -c HOST");
	if (send->file && !send->transfer.raw)
		return wt_fail(WT_EXIT_USAGE, "--file requires --raw");
	if (send->file && (send->size || send->time))
		return wt_fail(WT_EXIT_USAGE, "--file cannot be combined with --bytes or --time: the file sets the length");
	if (send->size && send->time)
		return wt_fail(WT_EXIT_USAGE, "--bytes and --time cannot be combined");
	if (check_streams(send))
		return WT_EXIT_USAGE;
	if (!send->size && !send->time && !send->file && !send->transfer.asks)
		send->size = wt_playback_size(send->transfer.plays ? &send->transfer.playback : NULL);
	if (wt_station_resolve(send->peer, &send->remote.addr, err, sizeof(err)) < 0)
		return wt_fail(WT_EXIT_USAGE, "--connect: %s", err);
	send->remote.port = send->transfer.port;
	if (wt_transfer_files(&send->transfer, "--file", send->file))
		return WT_EXIT_USAGE;
	return send->file ? open_file(send) : WT_EXIT_OK;
}

static int begin_sender(struct send *send, struct wt_send_stream *stream, const struct wt_rr_config *rr)
{
	struct wt_transfer *transfer = &send->transfer;
	bool probe = stream == send->probe;
	struct wt_bulk_send_config config = {
		.size = rr ? 0 : send->size, .time = probe ? 0 : send->time, .sharp = !rr, .raw = transfer->raw, .source = send->file ? read_file : NULL,
		.length = (size_t)send->length, .omit = send->omit, .streams = send->streams + !!send->probe, .interval = transfer->interval,
		.on_interval = on_interval, .on_done = on_sender_done, .seed = send->seed + stream->id - 1, .arg = stream,
	};

	if (transfer->plays)
		wt_playback_send(&transfer->playback, &config);
	wt_bulk_send_rate(&config, send->rate);
	if (rr) {
		stream->rr = (struct wt_rr){.config = *rr};
		config.rr = &stream->rr;
	}
	stream->begun = true;
	return wt_bulk_send(&stream->sender, &config, transfer->station.host, &send->remote, 0, &transfer->tcp,
			    wt_rloop_clock(transfer->station.rloop));
}

static int begin_stream(struct send *send, struct wt_send_stream *stream)
{
	struct wt_bulk_request request = {
		.size = send->size, .seed = (send->seed + stream->id) & UINT32_MAX, .rate = send->rate, .kind = WT_BULK_WANTS,
		.streams = send->streams + !!send->probe, .time_ms = (uint32_t)(send->time / WT_MS),
	};
	struct wt_cbr_config cbr = {.rate = send->rate ? send->rate : 1000000, .size = send->length ? send->length : 1460};
	uint64_t count;

	if (send->udp) {
		count = send->size ? (send->size + cbr.size - 1) / cbr.size : (uint64_t)((double)send->time / 8e9 * (double)cbr.rate / (double)cbr.size);
		return wt_send_stream_datagrams(stream, &send->remote, &cbr, count ? count : 1);
	}
	if (send->reverse || (send->bidir && stream->id > send->parallel))
		return wt_send_stream_fetch(stream, &send->remote, &request, send->omit);
	return begin_sender(send, stream, send->transfer.asks ? &send->transfer.rr : NULL);
}

static int complain(const struct send *send, int error)
{
	char text[WT_ADDR_TEXT];

	return wt_fail(WT_EXIT_CONNECTION, "no connection to %s port %u: %s", wt_addr_format(&send->remote.addr, text), send->remote.port,
		       strerror(-error));
}

static int begin_load(struct send *send)
{
	int error = 0;

	send->idle = send->probe ? send->probe->rr.samples : 0;
	for (unsigned i = 0; i < send->streams && !error; i++)
		error = begin_stream(send, &send->stream[i]);
	if (error)
		return complain(send, error);
	if (!send->transfer.json && !send->transfer.view && !wt_quiet && isatty(STDERR_FILENO) && send->streams == 1 && send->stream[0].kind == WT_STREAM_SENDS)
		ev_timer_start(send->transfer.station.ev, &send->progress);
	wt_station_touch(&send->transfer.station);
	return WT_EXIT_OK;
}

/* The latencies of an idle path are measured: now the load. If there are none yet, it waits a little longer. */
static void on_load(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct send *send = watcher->data;

	if (send->probe->done) {
		wt_transfer_end(&send->transfer);
	} else if (!send->probe->rr.samples) {
		ev_timer_set(watcher, 0.1, 0.);
		ev_timer_start(ev, watcher);
	} else if ((send->failed = begin_load(send))) {
		wt_transfer_end(&send->transfer);
	}
}

static int make_streams(struct send *send)
{
	struct wt_transfer *transfer = &send->transfer;

	send->parallel = send->parallel ? send->parallel : 1;
	send->streams = (unsigned)send->parallel * (send->bidir ? 2 : 1);
	send->stream = calloc(send->streams + 1, sizeof(*send->stream));
	if (!send->stream)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
	for (unsigned i = 0; i <= send->streams; i++) {
		send->stream[i].id = i + 1;
		send->stream[i].transfer = transfer;
		send->stream[i].on_done = on_done;
		send->stream[i].arg = send;
	}
	if (send->latency)
		send->probe = &send->stream[send->streams];
	send->seed = transfer->station_config.seed;
	if (!transfer->station_config.seeded && getrandom(&send->seed, sizeof(send->seed), 0) != sizeof(send->seed))
		return wt_fail(WT_EXIT_ENVIRONMENT, "cannot read random numbers: %s", strerror(errno));
	return WT_EXIT_OK;
}

static int begin(struct send *send)
{
	const struct wt_rr_config ping = {.request = 64, .response = 64, .think = send->latency};
	struct wt_transfer *transfer = &send->transfer;
	int code = make_streams(send), error;

	if (code)
		return code;
	ev_io_init(&send->readable, on_readable, send->fd < 0 ? 0 : send->fd, EV_READ);
	ev_timer_init(&send->linger, on_linger, 1., 0.);
	ev_timer_init(&send->progress, on_progress, 0.2, 0.2);
	ev_timer_init(&send->patience, on_patience, 3., 0.);
	ev_timer_init(&send->load, on_load, IDLE_PROBES * (double)send->latency / 1e9, 0.);
	ev_timer_start(transfer->station.ev, &send->patience);
	send->readable.data = send->linger.data = send->patience.data = send->progress.data = send->load.data = send;
	if (!send->probe)
		return begin_load(send);
	error = begin_sender(send, send->probe, &ping);
	if (error)
		return complain(send, error);
	ev_timer_start(transfer->station.ev, &send->load);
	wt_station_touch(&transfer->station);
	return WT_EXIT_OK;
}

/* ---- results ------------------------------------------------------------------------------------------ */

/* The first fault of any. */
static int judge(const struct send *send)
{
	int code = send->failed ? send->failed : send->probe ? wt_send_stream_judge(send->probe, &send->remote) : WT_EXIT_OK;

	for (unsigned i = 0; i < send->streams && !code; i++)
		code = wt_send_stream_judge(&send->stream[i], &send->remote);
	return code;
}

static void report_sum(const struct send *send, const struct wt_flow_sum *sum)
{
	struct wt_json json;

	if (!send->transfer.json) {
		if (send->streams > 1)
			wt_flow_sum_text(stdout, sum);
		if (send->probe)
			wt_send_latency_text(&send->probe->rr, send->idle);
		return;
	}
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.sum.1");
	wt_json_number(&json, "jain", wt_flow_sum_jain(sum));
	wt_flow_sum_json(&json, sum);
	if (send->probe)
		wt_send_latency_json(&json, &send->probe->rr, send->idle);
	wt_json_end(&json);
}

/* One stream that we send has the summary it always had; of several each has a line, and then comes their sum. */
static void report(struct send *send)
{
	struct wt_flow_sum sum = {0};
	bool counted = false; /* something after --omit */

	for (unsigned i = 0; i < send->streams; i++) {
		counted |= send->stream[i].sender.omitted || send->stream[i].got.omitted;
		wt_send_stream_sum(&send->stream[i], &sum);
		if (send->transfer.json)
			wt_send_stream_json(&send->stream[i]);
		else if (send->streams == 1 && send->stream[i].kind == WT_STREAM_SENDS)
			wt_send_stream_summary(&send->stream[i]);
		else
			wt_send_stream_text(&send->stream[i]);
	}
	if (send->omit && !counted)
		wt_say("note: the run ended within --omit, so its goodput includes the beginning");
	if (!send->transfer.json && send->streams == 1 && send->stream[0].sender.config.rr)
		wt_rr_text(stdout, &send->stream[0].rr);
	if (send->streams > 1 || send->probe)
		report_sum(send, &sum);
	fflush(stdout);
}

static int send_run(int argc, char **argv)
{
	struct send *send = calloc(1, sizeof(*send));
	int code;

	if (!send)
		return wt_fail(WT_EXIT_ENVIRONMENT, "no memory");
	send->fd = -1;
	wt_transfer_init(&send->transfer);
	send->transfer.on_stop = on_stop;
	send->transfer.arg = send;
	code = wt_args_each(argc, argv, take, send);
	if (!code)
		code = check_options(send);
	if (!code)
		code = wt_transfer_start(&send->transfer);
	if (!code)
		code = wt_transfer_view(&send->transfer, send->peer, (unsigned)send->parallel, !send->reverse);
	if (!code)
		code = begin(send);
	if (!code) {
		if (send->done < send->streams)
			wt_transfer_run(&send->transfer);
		clear_bar(send);
		report(send);
		code = judge(send);
	}
	code = wt_transfer_finish(&send->transfer, code);
	for (unsigned i = 0; send->stream && i <= send->streams; i++)
		wt_send_stream_finish(&send->stream[i]);
	free(send->stream);
	if (send->fd >= 0)
		close(send->fd);
	free(send);
	return code;
}

const struct wt_command wt_command_send = {
	.name = "send",
	.text = "send bulk data, requests or datagrams over our stack",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = send_run,
	.notes = "  wavetank lab exec demo:a wavetank send -c b -n 5MiB -C real --rcc real --capture demo.pcapng\n"
		 "  wavetank send -c b -P 4 --bidir -t 10s -O 2s\n"
		 "  wavetank send -c b -t 10s --latency 100ms\n"
		 "  wavetank send -c b -u -b 2Mbit -l 200B -t 10s\n"
		 "  wavetank send --port tap:wt0 --address 10.0.0.2/24 -c 10.0.0.1 -p 9000 --raw -F - < file",
};
