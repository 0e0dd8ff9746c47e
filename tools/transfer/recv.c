/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank recv: the other end of send. Serves any number of connections until interrupted, or one with -1. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack/record/create.h"
#include "tools/app/bulk_json.h"
#include "tools/app/bulk_text.h"
#include "tools/app/transfer.h"
#include "tools/transfer/udp_sinks.h"

enum { OPT_SERVER = WT_T_OPTIONS, OPT_ONE, OPT_OUTPUT };

static const struct wt_option options[] = {
	WT_TRANSFER_TABLE,
	[OPT_SERVER] = {'s', "server", NULL, "accepted for compatibility with iperf3; has no effect"},
	[OPT_ONE] = {'1', "one-off", NULL, "end after one run of send, with all its streams"},
	[OPT_OUTPUT] = {'o', "output", "FILE|-", "write the payload to FILE, - for standard output"},
};

struct recv {
	struct wt_transfer transfer;
	struct wt_bulk_server server;
	struct wt_udp_sinks sinks;
	ev_timer leave;
	const char *output;
	int fd;
	bool one, stopping;
	int code;      /* of the last connection */
	unsigned done; /* connections */
	int write_error;
};

/* ---- one connection ----------------------------------------------------------------------------------- */

/* A full disk must not stop the transfer: what was written stays, the exit code tells. */
static void write_payload(void *arg, struct wt_bulk_receiver *receiver, const uint8_t *data, size_t len)
{
	struct recv *recv = arg;

	while (len && !recv->write_error) {
		ssize_t written = write(recv->fd, data, len);

		if (written < 0 && errno != EINTR) {
			recv->write_error = errno;
			wt_fail(WT_EXIT_ENVIRONMENT, "writing %s: %s; the rest is only counted", recv->output, strerror(errno));
		} else if (written > 0) {
			data += written;
			len -= (size_t)written;
		}
	}
}

static void on_accept(void *arg, struct wt_bulk_receiver *receiver)
{
	struct wt_tcp_info info;
	char text[WT_ADDR_TEXT];

	wt_tcp_info(receiver->tcp, &info);
	wt_say("connection from %s port %u", wt_addr_format(&info.remote.addr, text), info.remote.port);
}

static void on_interval(void *arg, struct wt_bulk_receiver *receiver, const struct wt_bulk_interval *interval)
{
	struct recv *recv = arg;

	/* The listener is the host's connection 1. */
	wt_transfer_interval(&recv->transfer, interval->info.conn - 1, false, interval);
}

static int judge_sent(const struct wt_bulk_sender *sender)
{
	if (sender->fail == WT_BULK_OK || sender->fail == WT_BULK_CANCELLED)
		return WT_EXIT_OK;
	return wt_fail(WT_EXIT_CONNECTION, "%s%s%s", wt_bulk_fail_text(sender->fail), sender->error ? ": " : "",
		       sender->error ? strerror(-sender->error) : "");
}

static void end_if_over(struct recv *recv)
{
	if (recv->one && wt_bulk_run_over(&recv->server))
		wt_transfer_end(&recv->transfer);
}

/* Payload that the peer wanted has been sent (send -R). */
static void on_sent(void *arg, struct wt_bulk_sender *sender)
{
	struct recv *recv = arg;
	char bytes[24], rate[24];
	struct wt_json json;

	if (recv->transfer.json) {
		wt_transfer_record(&recv->transfer, &json, "sender", &sender->info);
		wt_bulk_json(&json, sender);
		wt_json_end(&json);
		fflush(stdout);
	} else {
		wt_transfer_aside();
		printf("sent, %s: %s, %s, %" PRIu64 " sent again\n", wt_bulk_fail_text(sender->fail), wt_show_bytes((double)sender->written, bytes),
		       wt_show_rate(wt_bulk_goodput(sender) * 8, rate), sender->info.retransmits_segs);
		fflush(stdout);
	}
	recv->code = judge_sent(sender);
	end_if_over(recv);
}

static void print_record(struct recv *recv, const struct wt_bulk_receiver *receiver)
{
	const struct wt_bulk_result *r = &receiver->result;
	struct wt_transfer *transfer = &recv->transfer;
	struct wt_json json;

	wt_transfer_record(transfer, &json, "receiver", &receiver->info);
	wt_json_string(&json, "outcome", wt_bulk_fail_text(receiver->fail));
	wt_json_string(&json, "error", receiver->error ? strerrorname_np(-receiver->error) : NULL);
	wt_json_u64(&json, "payload_bytes", r->bytes);
	wt_json_number(&json, "first_byte_s", (double)r->first / 1e9);
	wt_json_number(&json, "last_byte_s", (double)r->last / 1e9);
	wt_json_number(&json, "goodput_bps", r->last > 0 ? (double)r->bytes * 8e9 / (double)r->last : 0);
	wt_json_string(&json, "sender", NULL);
	wt_json_object(&json, "receiver");
	wt_json_string(&json, "module", receiver->info.receiver);
	wt_json_bool(&json, "verified", r->compared && r->verified && receiver->fail == WT_BULK_OK);
	wt_json_u64(&json, "announced_bytes", receiver->size);
	wt_json_u64(&json, "received_segs", receiver->info.segs_received);
	wt_json_u64(&json, "duplicate_segs", receiver->info.dup_segs_received);
	wt_json_u64(&json, "out_of_order_segs", receiver->info.out_of_order_segs_received);
	wt_json_u64(&json, "ce_segs", receiver->info.ce_received_segs);
	wt_bulk_playback_json(&json, r);
	wt_json_end(&json);
	wt_json_end(&json);
	fflush(stdout);
}

static void print_summary(const struct recv *recv, const struct wt_bulk_receiver *receiver)
{
	const struct wt_bulk_result *r = &receiver->result;
	FILE *out = recv->fd == STDOUT_FILENO ? stderr : stdout;
	char bytes[24], rate[24];

	wt_transfer_aside();
	wt_show_bytes((double)r->bytes, bytes);
	wt_show_rate(r->last > 0 ? (double)r->bytes * 8e9 / (double)r->last : 0, rate);
	fprintf(out, "%s: %s in %.3f s (%s)%s; ", wt_bulk_fail_text(receiver->fail), bytes, (double)r->last / 1e9, rate,
		r->compared && r->verified && receiver->fail == WT_BULK_OK ? ", every byte verified" : "");
	wt_receiver_text(out, receiver->info.receiver, receiver->info.segs_received, receiver->info.dup_segs_received,
			 receiver->info.out_of_order_segs_received);
	putc('\n', out);
	if (r->attempts)
		fprintf(out, "%" PRIu32 " of %" PRIu32 " reads there in time: %.2f %%\n",
			r->successes, r->attempts, wt_playback_success(r));
	fflush(stdout);
}

static void on_done(void *arg, struct wt_bulk_receiver *receiver)
{
	struct recv *recv = arg;

	if (recv->one && !receiver->spoke && !recv->stopping) { /* a port scan, say: -1 is for whoever sends something */
		wt_say("a connection ended without a byte; still listening");
		return;
	}
	recv->done++;
	if (recv->transfer.json)
		print_record(recv, receiver);
	else
		print_summary(recv, receiver);
	if (receiver->fail == WT_BULK_MISMATCH)
		recv->code = wt_fail(WT_EXIT_FAILED, "%s: first difference at byte %" PRIu64, wt_bulk_fail_text(receiver->fail),
				     receiver->result.bad_at);
	else if (receiver->fail == WT_BULK_IDLE)
		wt_say("closed a silent connection to accept another");
	else if (receiver->fail != WT_BULK_OK && receiver->fail != WT_BULK_CANCELLED)
		recv->code = wt_fail(WT_EXIT_CONNECTION, "%s%s%s", wt_bulk_fail_text(receiver->fail), receiver->error ? ": " : "",
				     receiver->error ? strerror(-receiver->error) : "");
	else
		recv->code = WT_EXIT_OK;
	if (!receiver->begun && recv->one) /* who never said what it wants ends the one run, too */
		wt_transfer_end(&recv->transfer);
	end_if_over(recv);
}

/* ---- the command -------------------------------------------------------------------------------------- */

/* A server has nothing to finish in order: what is open is reset, and its record says partial. */
static void on_stop(void *arg, bool now)
{
	struct recv *recv = arg;

	recv->stopping = true;
	wt_bulk_serve_stop(&recv->server);
	wt_udp_sinks_stop(&recv->sinks);
	wt_transfer_end(&recv->transfer);
}

/* A flow of datagrams is over. */
static void on_flow(void *arg, const struct wt_endpoint *from, const struct wt_cbr_report *report)
{
	struct recv *recv = arg;
	char text[WT_ADDR_TEXT], rate[24];
	struct wt_json json;

	if (recv->transfer.json) {
		wt_transfer_record(&recv->transfer, &json, "receiver", &(struct wt_tcp_info){.remote = *from});
		wt_cbr_json(&json, NULL, report);
		wt_json_end(&json);
	} else {
		wt_transfer_aside();
		printf("datagrams from %s port %u: %" PRIu64 " arrived, %" PRIu64 " lost (%.3g %%), %" PRIu64 " duplicate, %" PRIu64 " late, %s, jitter %.3f ms\n",
		       wt_addr_format(&from->addr, text), from->port, report->received, report->lost,
		       100.0 * (double)report->lost / (double)(report->lost + report->received + !report->received), report->duplicates, report->late,
		       wt_show_rate(report->goodput * 8, rate), report->jitter / 1e6);
	}
	fflush(stdout);
	recv->code = WT_EXIT_OK;
	if (recv->one) /* a report that is lost is asked for again */
		ev_timer_start(recv->transfer.station.ev, &recv->leave);
}

static void on_leave(struct ev_loop *ev, ev_timer *watcher, int events)
{
	wt_transfer_end(watcher->data);
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct recv *recv = arg;

	switch (option) {
	case WT_ARGS_WORD: return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': recv takes only options", value);
	case OPT_SERVER: return WT_EXIT_OK;
	case OPT_ONE: recv->one = true; return WT_EXIT_OK;
	case OPT_OUTPUT: recv->output = value; return WT_EXIT_OK;
	}
	return wt_transfer_option(&recv->transfer, option, value);
}

static int open_output(struct recv *recv)
{
	int code = wt_transfer_files(&recv->transfer, "--output", recv->output);
	char why[WT_CREATE_WHY];

	if (code || !recv->output)
		return code;
	if (strcmp(recv->output, "-") == 0) {
		if (recv->transfer.json)
			return wt_fail(WT_EXIT_USAGE, "--output - and --json cannot share standard output");
		recv->transfer.interval = 0;
		recv->fd = STDOUT_FILENO;
		return WT_EXIT_OK;
	}
	recv->fd = wt_create(recv->output);
	return recv->fd < 0 ? wt_fail(WT_EXIT_ENVIRONMENT, "cannot write %s: %s", recv->output, wt_create_why(recv->output, -recv->fd, why)) :
			      WT_EXIT_OK;
}

static int begin(struct recv *recv)
{
	struct wt_transfer *transfer = &recv->transfer;
	struct wt_tcp_settings *settings = &transfer->tcp.settings;
	struct wt_bulk_serve_config config = {
		.raw = transfer->raw, .sink = recv->fd >= 0 ? write_payload : NULL, .interval = transfer->interval,
		.most = recv->one && transfer->raw, .one_run = recv->one, .on_sent = transfer->plays ? NULL : on_sent, .on_accept = on_accept, .on_interval = on_interval, .on_done = on_done, .arg = recv,
	};
	char text[WT_ADDR_TEXT];
	char err[200];
	int result;

	ev_timer_init(&recv->leave, on_leave, 0.7, 0.);
	recv->leave.data = transfer;
	if (transfer->plays) {
		if (wt_playback_check(&transfer->playback, &transfer->tcp.settings, err, sizeof(err)))
			return wt_fail(WT_EXIT_USAGE, "--app: %s", err);
		wt_playback_serve(&transfer->playback, &config);
	}
	/* Who only listens would never learn that the sender is gone: 20 s of silence, then 9 probes in 90 s. */
	if (!settings->keepalive) {
		settings->keepalive = 20 * WT_S;
		settings->keepalive_interval = 10 * WT_S;
	}
	result = wt_bulk_serve(&recv->server, &config, transfer->station.host, transfer->port, &transfer->tcp);
	if (result < 0)
		return wt_fail(WT_EXIT_CONNECTION, "cannot listen on port %u: %s", transfer->port, strerror(-result));
	if (!transfer->raw)
		result = wt_udp_sinks_open(&recv->sinks, transfer->station.host, transfer->port, wt_rloop_epoch(transfer->station.rloop), on_flow, recv);
	if (result < 0)
		return wt_fail(WT_EXIT_CONNECTION, "cannot take datagrams at port %u: %s", transfer->port, strerror(-result));
	wt_say("listening on %s port %u", wt_addr_format(&transfer->station.addr, text), transfer->port);
	wt_station_touch(&transfer->station);
	return WT_EXIT_OK;
}

static int recv_run(int argc, char **argv)
{
	struct recv recv = {.fd = -1};
	int code;

	wt_transfer_init(&recv.transfer);
	recv.transfer.words.receiver = "real"; /* has a part in the connection only if the peer's SYN offers TCP-Real */
	recv.transfer.on_stop = on_stop;
	recv.transfer.arg = &recv;
	recv.transfer.station_config.first_address_only = true;
	code = wt_args_each(argc, argv, take, &recv);
	if (!code)
		code = open_output(&recv);
	if (!code)
		code = wt_transfer_start(&recv.transfer);
	if (!code)
		code = wt_transfer_view(&recv.transfer, NULL, 0, false);
	if (!code)
		code = begin(&recv);
	if (!code) {
		wt_transfer_run(&recv.transfer);
		recv.stopping = true;
		wt_bulk_serve_stop(&recv.server);
		wt_udp_sinks_stop(&recv.sinks);
		wt_station_touch(&recv.transfer.station);
		code = recv.code;
		if (recv.transfer.timed_out)
			code = wt_fail(WT_EXIT_TIMEOUT, "stopped by --timeout");
	}
	code = wt_transfer_finish(&recv.transfer, code);
	if (recv.fd > STDOUT_FILENO && close(recv.fd) < 0)
		recv.write_error = errno;
	return !code && recv.write_error ? WT_EXIT_ENVIRONMENT : code;
}

const struct wt_command wt_command_recv = {
	.name = "recv",
	.text = "receive, answer or send back: the other end of send",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = recv_run,
	.notes = "  wavetank lab exec demo:b wavetank recv -1\n"
		 "  wavetank recv -1 --raw -o file --port tap:wt0 --address 10.0.0.2/24",
};
