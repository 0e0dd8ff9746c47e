/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavetank kernel send|recv: the bulk transfer of `send` and `recv` by the kernel's own TCP, as the yardstick in a lab. The same payload,
 * compared byte for byte, and the same clock: from connect() to the acknowledgement of the last byte, which the kernel tells (SIOCOUTQ).
 *
 *   sender: seed and size (8 bytes each) ► payload ► FIN     receiver: bytes and how many agreed (8 bytes each), FIN
 */
#include <endian.h>
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "stack/text/units.h"
#include "stack/record/json.h"
#include "tools/app/bulk.h"
#include "tools/common/cli.h"
#include "tools/common/kernel_names.h"
#include "tools/common/progress.h"
#include "tools/version.h"

extern const struct wt_command wt_command_kernel_send, wt_command_kernel_recv;

#define PORT "5755" /* next to that of our own stack */
#define CHUNK 65536

enum { OPT_PEER, OPT_SIZE, OPT_TIME, OPT_CONGESTION, OPT_SEED, OPT_TIMEOUT, OPT_JSON };
enum { OPT_RECV_CONGESTION };

static const struct wt_option send_options[] = {
	[OPT_PEER] = {'c', "client", "HOST", "where wavetank kernel recv listens"},
	[OPT_SIZE] = {'n', "bytes", "SIZE", "payload (default 5MiB)"},
	[OPT_TIME] = {'t', "time", "TIME", "send for this long instead"},
	[OPT_CONGESTION] = {'C', "congestion", "NAME", "the kernel's congestion control: cubic, reno, bbr (default: the system's)"},
	[OPT_SEED] = {0, "seed", "N", "of the payload (default 1)"},
	[OPT_TIMEOUT] = {0, "timeout", "TIME", "give up after this long (exit code 124)"},
	[OPT_JSON] = {'J', "json", NULL, "one JSON record on standard output"},
};

static const struct wt_option recv_options[] = {
	[OPT_RECV_CONGESTION] = {'C', "congestion", "NAME", "the kernel's congestion control of this end"},
};

struct kernel_transfer {
	const char *peer, *congestion;
	uint64_t size, seed, written;
	wt_time time, timeout;
	bool json;
	double start, acked, end; /* CLOCK_MONOTONIC, seconds */
	char active[16];
	uint64_t result[2]; /* bytes the receiver read; bytes that agreed */
	bool got_result;
	struct tcp_info info;
};

static int choose(int fd, const char *congestion)
{
	char names[300];

	if (!congestion || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion)) == 0)
		return WT_EXIT_OK;
	if (errno != ENOENT)
		return wt_fail(WT_EXIT_ENVIRONMENT, "the kernel's congestion control '%s': %s", congestion, strerror(errno));
	return wt_fail(WT_EXIT_ENVIRONMENT, "this kernel has no congestion control '%s'; it has %s", congestion,
		       wt_kernel_names(names, sizeof(names)));
}

/* Reads exactly len bytes, or to the end: the number read, or -errno. */
static ssize_t read_all(int fd, void *data, size_t len)
{
	size_t at = 0;

	while (at < len) {
		ssize_t n = read(fd, (char *)data + at, len - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			break;
		at += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)at;
}

/* ---- recv ------------------------------------------------------------------------------------------------- */

static int take_all(int fd)
{
	static uint8_t data[CHUNK];
	uint64_t head[2], result[2] = {0, 0};
	ssize_t n = read_all(fd, head, sizeof(head));

	if (n != sizeof(head))
		return wt_fail(WT_EXIT_CONNECTION, "the peer does not speak this protocol");
	while ((n = read(fd, data, sizeof(data))) > 0) {
		if (result[0] == result[1])
			result[1] += wt_bulk_agree(be64toh(head[0]), result[0], data, (size_t)n);
		result[0] += (uint64_t)n;
	}
	if (n < 0)
		return wt_fail(WT_EXIT_CONNECTION, "connection lost: %s", strerror(errno));
	wt_say("%llu bytes, %s", (unsigned long long)result[0], result[0] == result[1] ? "every byte verified" : "not the bytes that were sent");
	head[0] = htobe64(result[0]);
	head[1] = htobe64(result[1]);
	if (write(fd, head, sizeof(head)) != sizeof(head))
		return wt_fail(WT_EXIT_CONNECTION, "connection lost: %s", strerror(errno));
	return result[0] == result[1] ? WT_EXIT_OK : WT_EXIT_FAILED;
}

static int kernel_recv_main(int argc, char **argv)
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(5755)};
	int code, on = 1, listener, fd;
	const char *congestion = NULL;

	if (wt_args_read(argc, argv, &congestion, NULL, 0, NULL))
		return WT_EXIT_USAGE;
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	code = choose(listener, congestion);
	if (code)
		return code;
	if (bind(listener, (struct sockaddr *)&here, sizeof(here)) || listen(listener, 1))
		return wt_fail(WT_EXIT_ENVIRONMENT, "port " PORT ": %s", strerror(errno));
	wt_say("listening on port " PORT);
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		return wt_fail(WT_EXIT_CONNECTION, "accept: %s", strerror(errno));
	return take_all(fd);
}

/* ---- send ------------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t alarmed;

static void on_alarm(int number)
{
	alarmed = 1;
}

static int lost(const char *what)
{
	return alarmed ? wt_fail(WT_EXIT_TIMEOUT, "not finished in time") : wt_fail(WT_EXIT_CONNECTION, "%s: %s", what, strerror(errno));
}

static int open_connection(struct kernel_transfer *t)
{
	struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *peer;
	int error = getaddrinfo(t->peer, PORT, &hints, &peer), fd;
	socklen_t len = sizeof(t->active);

	if (error)
		return -wt_fail(WT_EXIT_USAGE, "%s: %s", t->peer, gai_strerror(error));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	error = choose(fd, t->congestion);
	t->start = wt_wall_clock();
	if (!error && connect(fd, peer->ai_addr, peer->ai_addrlen))
		error = lost(t->peer);
	freeaddrinfo(peer);
	getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, t->active, &len);
	return error ? -error : fd;
}

static int write_all(struct kernel_transfer *t, int fd)
{
	uint64_t head[2] = {htobe64(t->seed), htobe64(t->size)};
	static uint8_t data[CHUNK];

	if (write(fd, head, sizeof(head)) != sizeof(head))
		return lost("connection lost");
	while (!t->size || t->written < t->size) {
		size_t len = t->size && t->size - t->written < CHUNK ? (size_t)(t->size - t->written) : CHUNK;
		ssize_t n;

		if (t->time && wt_wall_clock() - t->start >= (double)t->time / 1e9)
			break;
		wt_bulk_fill(t->seed, t->written, data, len);
		n = write(fd, data, len);
		if (n < 0)
			return lost("connection lost");
		t->written += (uint64_t)n;
	}
	return WT_EXIT_OK;
}

/* Until everything, the FIN included, is acknowledged. */
static int await_ack(struct kernel_transfer *t, int fd)
{
	static const struct timespec pause = {.tv_nsec = 200000};
	socklen_t len = sizeof(t->info);
	int queued = 1;

	shutdown(fd, SHUT_WR);
	while (queued) {
		int error = 0;
		socklen_t error_len = sizeof(error);

		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_len);
		errno = error;
		if (error || alarmed || ioctl(fd, SIOCOUTQ, &queued))
			return lost("connection lost");
		if (queued)
			nanosleep(&pause, NULL);
	}
	t->acked = wt_wall_clock();
	getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t->info, &len);
	t->got_result = read_all(fd, t->result, sizeof(t->result)) == sizeof(t->result);
	t->result[0] = be64toh(t->result[0]);
	t->result[1] = be64toh(t->result[1]);
	if (!t->got_result)
		return lost("no result of the receiver");
	return t->result[1] == t->written ? WT_EXIT_OK : wt_fail(WT_EXIT_FAILED, "not the bytes that were sent");
}

static void print_record(const struct kernel_transfer *t, int code)
{
	double seconds = t->acked - t->start, goodput = code ? 0 : (double)t->written / seconds;
	struct wt_json json;

	if (!t->json) {
		if (!code)
			printf("%llu bytes in %.3f s: %.2f KB/s, %s, %u sent again, every byte verified\n", (unsigned long long)t->written, seconds,
			       goodput / 1000, t->active, t->info.tcpi_total_retrans);
		return;
	}
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "schema", "wavetank.kernel.1");
	wt_json_string(&json, "version", WT_VERSION);
	wt_json_string(&json, "commit", WT_COMMIT);
	wt_json_u64(&json, "seed", t->seed);
	wt_json_string(&json, "outcome", code ? "failed" : "complete");
	wt_json_u64(&json, "payload_bytes", t->written);
	wt_json_number(&json, "connection_time_s", code ? NAN : seconds);
	wt_json_number(&json, "goodput_kBps", code ? NAN : goodput / 1000);
	wt_json_number(&json, "goodput_bps", code ? NAN : goodput * 8);
	wt_json_object(&json, "sender");
	wt_json_string(&json, "module", t->active);
	wt_json_u64(&json, "mss_bytes", t->info.tcpi_snd_mss);
	wt_json_u64(&json, "sent_segs", t->info.tcpi_segs_out);
	wt_json_u64(&json, "retransmits_segs", t->info.tcpi_total_retrans);
	wt_json_u64(&json, "cwnd_bytes", (uint64_t)t->info.tcpi_snd_cwnd * t->info.tcpi_snd_mss);
	wt_json_number(&json, "srtt_s", (double)t->info.tcpi_rtt / 1e6);
	wt_json_end(&json);
	wt_json_object(&json, "receiver");
	wt_json_bool(&json, "verified", t->got_result && t->result[1] == t->written);
	wt_json_u64(&json, "payload_bytes", t->result[0]);
	wt_json_end(&json);
	wt_json_end(&json);
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct kernel_transfer *t = arg;

	switch (option) {
	case OPT_PEER: t->peer = value; return 0;
	case OPT_SIZE: return wt_parse_size(value, &t->size, err, err_len);
	case OPT_TIME: return wt_parse_time(value, &t->time, err, err_len);
	case OPT_CONGESTION: t->congestion = value; return 0;
	case OPT_SEED: return wt_parse_count(value, &t->seed, err, err_len);
	case OPT_TIMEOUT: return wt_parse_time(value, &t->timeout, err, err_len);
	case OPT_JSON: t->json = true; return 0;
	}
	return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': the peer follows -c", value);
}

static int kernel_send_main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = on_alarm}; /* no SA_RESTART: what waits is interrupted */
	struct kernel_transfer t = {.seed = 1};
	int fd, code = wt_args_each(argc, argv, take, &t);

	if (code)
		return code;
	if (!t.peer)
		return wt_fail(WT_EXIT_USAGE, "the peer is missing: -c HOST");
	if (!t.size && !t.time)
		t.size = 5 << 20;
	signal(SIGPIPE, SIG_IGN);
	sigaction(SIGALRM, &act, NULL);
	if (t.timeout)
		alarm((unsigned)((t.timeout + WT_S - 1) / WT_S));
	fd = open_connection(&t);
	code = fd < 0 ? -fd : write_all(&t, fd);
	if (!code)
		code = await_ack(&t, fd);
	print_record(&t, code);
	return code;
}

const struct wt_command wt_command_kernel_send = {
	.name = "kernel send", .arguments = "", .text = "send by the kernel's own TCP: the yardstick in a lab",
	.options = send_options, .option_count = sizeof(send_options) / sizeof(send_options[0]), .run = kernel_send_main,
	.notes = "  wavetank lab exec demo:b wavetank kernel recv &\n"
		 "  wavetank lab exec demo:a wavetank kernel send -c b -C cubic -n 5MiB",
};

const struct wt_command wt_command_kernel_recv = {
	.name = "kernel recv", .arguments = "", .text = "receive one transfer of kernel send by the kernel's own TCP",
	.options = recv_options, .option_count = sizeof(recv_options) / sizeof(recv_options[0]), .run = kernel_recv_main,
};
