/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank send: one bulk transfer over a real port. */
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
#include "tools/app/bulk_text.h"
#include "tools/app/bulk_wire.h"
#include "tools/transfer/transfer.h"

enum { OPT_CONNECT = WT_T_OPTIONS, OPT_CLIENT, OPT_BYTES, OPT_TIME, OPT_FILE };

static const struct wt_option options[] = {
	WT_TRANSFER_TABLE,
	[OPT_CONNECT] = {'c', "connect", "HOST", "the peer: an address, or in a lab b, b.kernel"},
	[OPT_CLIENT] = {0, "client", "HOST", "the same, as iperf3 calls it"},
	[OPT_BYTES] = {'n', "bytes", "SIZE", "payload (default 5MiB)"},
	[OPT_TIME] = {'t', "time", "TIME", "send for this long instead; bytes not yet sent by then are dropped"},
	[OPT_FILE] = {'F', "file", "FILE", "with --raw: the bytes of FILE, - for standard input"},
};

struct send {
	struct wt_transfer transfer;
	const char *peer, *file;
	uint64_t size;
	wt_time time;
	struct wt_endpoint remote;
	struct wt_bulk_sender sender;
	ev_timer progress, linger, patience;
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

static void on_progress(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct send *send = watcher->data;
	wt_time elapsed = wt_rloop_clock(send->transfer.station.rloop) - send->sender.start;
	char bytes[24], rate[24], bar[61] = "";
	struct wt_tcp_info info;
	double share, seconds = (double)elapsed / 1e9;

	if (!send->sender.tcp || elapsed <= 0)
		return;
	wt_tcp_info(send->sender.tcp, &info);
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
	struct send *send = arg;
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
	wt_bulk_send_wake(&send->sender);
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

/* ---- the transfer ------------------------------------------------------------------------------------- */

static void on_interval(void *arg, const struct wt_bulk_interval *interval)
{
	struct send *send = arg;

	clear_bar(send);
	if (send->sender.connected)
		wt_transfer_interval(&send->transfer, 1, true, interval);
}

/* A SYN nobody answers is repeated for three minutes; nobody should have to guess what we are waiting for. */
static void on_patience(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct send *send = watcher->data;
	char text[WT_ADDR_TEXT];

	if (!send->sender.connected && !send->sender.done)
		wt_say("no answer from %s port %u yet; is wavetank recv running there? (--timeout limits the wait)",
		       wt_addr_format(&send->remote.addr, text), send->remote.port);
}

static void on_linger(struct ev_loop *ev, ev_timer *watcher, int events)
{
	struct send *send = watcher->data;

	wt_transfer_end(&send->transfer);
}

/*
 * Where packets were lost our last ACK may be, too; the peer would then repeat its FIN to nobody. So we stay, as TIME-WAIT would
 * have us, for two of its time-outs. On a clean path nobody has to wait.
 */
static void on_done(void *arg, struct wt_bulk_sender *sender)
{
	struct send *send = arg;
	bool lossy = sender->info.retransmits_segs || sender->info.dup_segs_received ||
		     (sender->got_result && (sender->result.dup_segs || sender->result.out_of_order_segs));
	double wait = 2e-9 * (double)sender->info.rto;

	if (sender->fail != WT_BULK_OK || sender->config.raw || !lossy) {
		wt_transfer_end(&send->transfer);
		return;
	}
	ev_timer_set(&send->linger, wait < 3 ? wait : 3, 0.);
	ev_timer_start(send->transfer.station.ev, &send->linger);
}

static void on_stop(void *arg, bool now)
{
	struct send *send = arg;

	if (send->sender.done)
		wt_transfer_end(&send->transfer);
	else if (now || !send->sender.connected)
		wt_bulk_send_cancel(&send->sender, wt_rloop_clock(send->transfer.station.rloop));
	else
		wt_bulk_send_stop(&send->sender);
}

static int take_options(struct send *send, int argc, char **argv)
{
	struct wt_args args;
	char err[200];
	int option, code = WT_EXIT_OK;

	wt_args_init(&args, wt_current_command, argc, argv);
	while (!code && (option = wt_args_next(&args)) != WT_ARGS_END) {
		switch (option) {
		case WT_ARGS_BAD:
			return WT_EXIT_USAGE;
		case WT_ARGS_WORD:
			return wt_fail(WT_EXIT_USAGE, "what is '%s'? the peer goes behind -c", args.value);
		case OPT_CONNECT:
		case OPT_CLIENT:
			send->peer = args.value;
			break;
		case OPT_BYTES:
			if (wt_parse_size(args.value, &send->size, err, sizeof(err)) < 0)
				return wt_fail(WT_EXIT_USAGE, "--bytes: %s", err);
			if (!send->size)
				return wt_fail(WT_EXIT_USAGE, "--bytes: nothing to send");
			break;
		case OPT_TIME:
			if (wt_parse_time(args.value, &send->time, err, sizeof(err)) < 0)
				return wt_fail(WT_EXIT_USAGE, "--time: %s", err);
			break;
		case OPT_FILE:
			send->file = args.value;
			break;
		default:
			code = wt_transfer_option(&send->transfer, option, args.value);
		}
	}
	return code;
}

static int check_options(struct send *send)
{
	char err[200];

	if (!send->peer)
		return wt_fail(WT_EXIT_USAGE, "to whom? wavetank send -c HOST");
	if (send->file && !send->transfer.raw)
		return wt_fail(WT_EXIT_USAGE, "--file goes with --raw");
	if (send->file && (send->size || send->time))
		return wt_fail(WT_EXIT_USAGE, "--file has its own length; leave --bytes and --time out");
	if (send->size && send->time)
		return wt_fail(WT_EXIT_USAGE, "--bytes or --time, not both");
	if (!send->size && !send->time && !send->file)
		send->size = wt_playback_size(send->transfer.plays ? &send->transfer.playback : NULL);
	if (wt_station_resolve(send->peer, &send->remote.addr, err, sizeof(err)) < 0)
		return wt_fail(WT_EXIT_USAGE, "--connect: %s", err);
	send->remote.port = send->transfer.port;
	if (wt_transfer_files(&send->transfer, "--file", send->file))
		return WT_EXIT_USAGE;
	return send->file ? open_file(send) : WT_EXIT_OK;
}

static int begin(struct send *send)
{
	struct wt_transfer *transfer = &send->transfer;
	struct wt_bulk_send_config config = {
		.size = send->size, .time = send->time, .sharp = true, .raw = transfer->raw, .source = send->file ? read_file : NULL,
		.interval = transfer->interval, .on_interval = on_interval, .on_done = on_done, .arg = send,
	};
	char text[WT_ADDR_TEXT];
	int result;

	if (transfer->plays)
		wt_playback_send(&transfer->playback, &config);
	config.seed = transfer->station_config.seed;
	if (!transfer->station_config.seeded && getrandom(&config.seed, sizeof(config.seed), 0) != sizeof(config.seed))
		return wt_fail(WT_EXIT_ENVIRONMENT, "no random numbers: %s", strerror(errno));
	ev_io_init(&send->readable, on_readable, send->fd < 0 ? 0 : send->fd, EV_READ);
	ev_timer_init(&send->linger, on_linger, 1., 0.);
	ev_timer_init(&send->progress, on_progress, 0.2, 0.2);
	ev_timer_init(&send->patience, on_patience, 3., 0.);
	ev_timer_start(transfer->station.ev, &send->patience);
	send->readable.data = send->linger.data = send->patience.data = send->progress.data = send;
	result = wt_bulk_send(&send->sender, &config, transfer->station.host, &send->remote, 0, &transfer->tcp,
			      wt_rloop_clock(transfer->station.rloop));
	if (result < 0)
		return wt_fail(WT_EXIT_CONNECTION, "no connection to %s port %u: %s", wt_addr_format(&send->remote.addr, text),
			       send->remote.port, strerror(-result));
	if (!transfer->json && !wt_quiet && isatty(STDERR_FILENO))
		ev_timer_start(transfer->station.ev, &send->progress);
	wt_station_touch(&transfer->station);
	return WT_EXIT_OK;
}

/* ---- results ------------------------------------------------------------------------------------------ */

static void print_summary(const struct send *send)
{
	const struct wt_bulk_sender *s = &send->sender;
	const struct wt_bulk_result *r = &s->result;
	const struct wt_sender_facts facts = wt_sender_facts(&s->info);
	double goodput = wt_bulk_goodput(s);
	char bytes[24], rate[24];

	if (!s->connected)
		return;
	printf("%s%s: %s in %.3f s", wt_bulk_fail_text(s->fail), send->transfer.signal ? " (interrupted)" : "",
	       wt_show_bytes((double)s->written, bytes), (double)((s->acked ? s->acked : s->end) - s->start) / 1e9);
	if (goodput > 0)
		printf(", %.2f KB/s (%s)", goodput / 1000, wt_show_rate(goodput * 8, rate));
	printf("%s\n  sender    ", s->got_result && r->verified ? ", every byte verified" : "");
	wt_sender_text(stdout, &facts);
	if (s->got_result) {
		printf("\n  receiver  ");
		wt_receiver_text(stdout, r->receiver, r->segs, r->dup_segs, r->out_of_order_segs);
	}
	putchar('\n');
	if (s->info.ecn)
		printf("  ecn       %" PRIu32 " segments came marked, %" PRIu64 " ACKs said so, %" PRIu64 " reductions of the window\n",
		       r->ce_segs, s->info.ece_received_segs, s->info.ecn_reductions);
	if (s->info.fallback)
		wt_say("note: the peer does not take part in %s, so the sender fell back to standard behaviour; start recv with --rcc %s",
		       s->info.sender, s->info.sender);
}

static int judge(const struct send *send)
{
	const struct wt_bulk_sender *s = &send->sender;
	char text[WT_ADDR_TEXT];

	wt_addr_format(&send->remote.addr, text);
	switch (s->fail) {
	case WT_BULK_OK:
		return WT_EXIT_OK;
	case WT_BULK_CANCELLED:
		return send->transfer.timed_out ? wt_fail(WT_EXIT_TIMEOUT, "not finished within --timeout") :
		       send->transfer.signal ? 128 + send->transfer.signal : WT_EXIT_CONNECTION;
	case WT_BULK_MISMATCH:
		return wt_fail(WT_EXIT_FAILED, "%s: first difference at byte %" PRIu64, wt_bulk_fail_text(s->fail), s->result.bad_at);
	case WT_BULK_CONNECT:
		return wt_fail(WT_EXIT_CONNECTION, "no connection to %s port %u: %s%s", text, send->remote.port, strerror(-s->error),
			       s->error == -ECONNREFUSED ? "; is wavetank recv running there?" : "");
	default:
		return wt_fail(WT_EXIT_CONNECTION, "%s: %s port %u%s%s", wt_bulk_fail_text(s->fail), text, send->remote.port,
			       s->error ? ": " : "", s->error ? strerror(-s->error) : "");
	}
}

static void report(struct send *send)
{
	struct wt_transfer *transfer = &send->transfer;
	uint64_t head = transfer->raw ? 0 : WT_BULK_REQUEST, acked = send->sender.info.bytes_acked;
	struct wt_json json;

	if (!transfer->json) {
		print_summary(send);
		return;
	}
	wt_transfer_record(transfer, &json, "sender", &send->sender.info);
	wt_json_u64(&json, "acked_bytes", acked > head ? acked - head : 0);
	wt_bulk_json(&json, &send->sender);
	wt_json_end(&json);
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
	code = take_options(send, argc, argv);
	if (!code)
		code = check_options(send);
	if (!code)
		code = wt_transfer_start(&send->transfer);
	if (!code)
		code = begin(send);
	if (!code) {
		if (!send->sender.done)
			wt_transfer_run(&send->transfer);
		clear_bar(send);
		report(send);
		code = judge(send);
	}
	code = wt_transfer_finish(&send->transfer, code);
	if (send->fd >= 0)
		close(send->fd);
	free(send);
	return code;
}

const struct wt_command wt_command_send = {
	.name = "send",
	.text = "send bulk data over our TCP through a real port",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = send_run,
	.notes = "  wavetank lab exec demo:a wavetank send -c b -n 5MiB -C real --rcc real --capture demo.pcapng\n"
		 "  wavetank send --port tap:wt0 --address 10.0.0.2/24 -c 10.0.0.1 -p 9000 --raw -F - < file",
};
