/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wavetank kernel load: a client of `serve`, or of `kernel serve`, by the kernel's own TCP, as small as it can be, so that what is measured
 * is the other end. One JSON line says how long it took, and what processor time it cost here.
 *
 *   pull   reads so many bytes of the source              ask    requests of 64 bytes, each echoed, one after the other
 *   push   writes so many bytes to be discarded           open   opens a connection, reads its one byte and the end, again and again
 *   idle   opens so many connections to the echo, asks on each once, says so, and holds them until its standard input ends
 *   active the same, but then asks on all of them before it reads from any, ten times
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stack/record/json.h"
#include "stack/text/units.h"
#include "tools/common/cli.h"
#include "tools/common/progress.h"

extern const struct wt_command wt_command_kernel_load;

enum { OPT_PEER, OPT_COUNT };
enum { ECHO = 7, DISCARD = 9, BYTE = 17, SOURCE = 19, REQUEST = 64, ROUNDS = 10 };

static const struct wt_option options[] = {
	[OPT_PEER] = {'c', "client", "ADDRESS", "where the services are"},
	[OPT_COUNT] = {'n', "number", "N", "bytes, requests or connections (default 1000)"},
};

struct load {
	struct in_addr peer;
	const char *word; /* which load; NULL: not named */
	uint64_t count;
	double *time; /* of each request or connection, microseconds; NULL: not kept */
};

static uint8_t bytes[1 << 18];

static int open_to(const struct load *load, uint16_t port)
{
	struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = load->peer};
	struct timeval patience = {.tv_sec = 20};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5); /* what `serve` has; a system's default may pace */
	if (!connect(fd, (struct sockaddr *)&there, sizeof(there)))
		return fd;
	close(fd);
	return -1;
}

/* ---- the loads: false with errno --------------------------------------------------------------------------- */

static bool pull(const struct load *load)
{
	int fd = open_to(load, SOURCE);
	uint64_t got = 0;
	ssize_t n = 1;

	for (; fd >= 0 && n > 0 && got < load->count; got += n > 0 ? (uint64_t)n : 0)
		n = recv(fd, bytes, sizeof(bytes), 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && got >= load->count;
}

/* Over when the other end has read all, and says so by its FIN. */
static bool push(const struct load *load)
{
	int fd = open_to(load, DISCARD);
	uint64_t sent = 0;
	ssize_t n = 1;

	for (; fd >= 0 && n > 0 && sent < load->count; sent += n > 0 ? (uint64_t)n : 0)
		n = send(fd, bytes, load->count - sent < sizeof(bytes) ? (size_t)(load->count - sent) : sizeof(bytes), MSG_NOSIGNAL);
	if (fd < 0)
		return false;
	shutdown(fd, SHUT_WR);
	n = n > 0 ? recv(fd, bytes, 1, 0) : -1;
	close(fd);
	return n == 0;
}

static bool ask_once(int fd)
{
	size_t got = 0;
	ssize_t n = send(fd, bytes, REQUEST, MSG_NOSIGNAL);

	for (; n > 0 && got < REQUEST; got += n > 0 ? (size_t)n : 0)
		n = recv(fd, bytes, REQUEST - got, 0);
	return got == REQUEST;
}

static bool ask(const struct load *load)
{
	int fd = open_to(load, ECHO);
	bool fine = fd >= 0;

	for (uint64_t i = 0; fine && i < load->count; i++) {
		double start = wt_wall_clock();

		fine = ask_once(fd);
		load->time[i] = (wt_wall_clock() - start) * 1e6;
	}
	if (fd >= 0)
		close(fd);
	return fine;
}

static bool open_many(const struct load *load)
{
	bool fine = true;

	for (uint64_t i = 0; fine && i < load->count; i++) {
		double start = wt_wall_clock();
		int fd = open_to(load, BYTE);

		fine = fd >= 0 && recv(fd, bytes, 2, MSG_WAITALL) == 1;
		load->time[i] = (wt_wall_clock() - start) * 1e6;
		if (fd >= 0)
			close(fd);
	}
	return fine;
}

/* Connections to the echo, each used once; NULL: not all of them. The descriptors are closed with the process, by a reset: thousands of
 * TIME-WAITs would keep the ports of the next run. */
static int *open_all(const struct load *load)
{
	struct rlimit files = {1 << 20, 1 << 20};
	struct linger reset = {.l_onoff = 1};
	int *fd = calloc(load->count, sizeof(*fd));

	setrlimit(RLIMIT_NOFILE, &files);
	for (uint64_t i = 0; fd && i < load->count; i++) {
		fd[i] = open_to(load, ECHO);
		setsockopt(fd[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		if (fd[i] < 0 || !ask_once(fd[i])) {
			free(fd);
			return NULL;
		}
	}
	return fd;
}

static bool idle(const struct load *load)
{
	int *fd = open_all(load);

	free(fd);
	return fd;
}

static bool active(const struct load *load)
{
	int *fd = open_all(load);
	bool fine = fd;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (uint64_t i = 0; fine && i < load->count; i++)
			fine = send(fd[i], bytes, REQUEST, MSG_NOSIGNAL) == REQUEST;
		for (uint64_t i = 0; fine && i < load->count; i++)
			fine = recv(fd[i], bytes, REQUEST, MSG_WAITALL) == REQUEST;
	}
	free(fd);
	return fine;
}

static const struct {
	const char *name;
	bool (*run)(const struct load *load);
	bool timed;
} loads[] = {{"pull", pull, false}, {"push", push, false}, {"ask", ask, true}, {"open", open_many, true}, {"idle", idle, false},
	   {"active", active, false}};

/* ---- the command ------------------------------------------------------------------------------------------- */

static int less(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_record(const struct load *load, const char *name, double seconds)
{
	struct rusage usage;
	struct wt_json json;

	getrusage(RUSAGE_SELF, &usage);
	wt_json_init(&json, stdout);
	wt_json_object(&json, NULL);
	wt_json_string(&json, "load", name);
	wt_json_u64(&json, "count", load->count);
	wt_json_number(&json, "seconds", seconds);
	wt_json_number(&json, "cpu_s", (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
		       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	if (load->time) {
		qsort(load->time, load->count, sizeof(*load->time), less);
		wt_json_number(&json, "p50_us", load->time[load->count / 2]);
		wt_json_number(&json, "p99_us", load->time[load->count * 99 / 100]);
	}
	wt_json_end(&json);
	fflush(stdout);
}

static int take(void *arg, int option, const char *value, char *err, size_t err_len)
{
	struct load *load = arg;

	if (option == WT_ARGS_WORD && load->word)
		return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': one load at a time", value);
	if (option == WT_ARGS_WORD) {
		load->word = value;
		return WT_EXIT_OK;
	}
	if (option == OPT_PEER)
		return inet_pton(AF_INET, value, &load->peer) == 1 ? WT_EXIT_OK : wt_fail(WT_EXIT_USAGE, "--client: '%s' is not an IPv4 address", value);
	if (wt_parse_count(value, &load->count, err, err_len) < 0)
		return -EINVAL;
	return load->count ? WT_EXIT_OK : wt_fail(WT_EXIT_USAGE, "--number: expected at least 1");
}

static int run(int argc, char **argv)
{
	unsigned which, known = sizeof(loads) / sizeof(loads[0]);
	struct load load = {.count = 1000};
	const char *word;
	int code = wt_args_each(argc, argv, take, &load);
	double start;
	bool fine;

	if (code)
		return code;
	word = load.word;
	for (which = 0; which < known && (!word || strcmp(loads[which].name, word)); which++)
		;
	if (which == known)
		return wt_fail(WT_EXIT_USAGE, "'%s' is not a load; known: pull, push, ask, open, idle, active", word ? word : "");
	if (!load.peer.s_addr)
		return wt_fail(WT_EXIT_USAGE, "the peer is missing: -c ADDRESS");
	if (loads[which].timed && (load.count > 1u << 26 || !(load.time = calloc(load.count, sizeof(*load.time)))))
		return wt_fail(WT_EXIT_USAGE, "--number: more than fit into memory");
	start = wt_wall_clock();
	fine = loads[which].run(&load);
	if (!fine)
		code = wt_fail(WT_EXIT_CONNECTION, "%s: %s", word, errno ? strerror(errno) : "the peer ended early");
	else
		print_record(&load, word, wt_wall_clock() - start);
	while (fine && (loads[which].run == idle || loads[which].run == active) && read(STDIN_FILENO, bytes, sizeof(bytes)) > 0)
		;
	free(load.time);
	return code;
}

const struct wt_command wt_command_kernel_load = {
	.name = "kernel load", .arguments = "pull|push|ask|open|idle|active", .text = "a client of serve or kernel serve by the kernel's own TCP",
	.options = options, .option_count = sizeof(options) / sizeof(options[0]), .run = run,
	.notes = "  wavetank kernel load pull -c 10.0.0.2 -n 1000000000\n"
		 "  wavetank kernel load ask -c 10.0.0.2 -n 10000",
};
