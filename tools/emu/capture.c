/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank emu capture: a capture that begins and ends while the emulator runs. */
#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "emu/daemon/control.h"
#include "stack/record/create.h"
#include "stack/record/pcapng.h"
#include "tools/common/cli.h"
#include "tools/emu/control.h"

#define BUFFER (2 * WT_PCAPNG_BLOCK)

enum { PACKET = 6, PACKET_HEAD = 28 }; /* pcapng: the type of an enhanced packet block, and where its bytes begin */

struct copy {
	int from, to;
	bool filtered;
	struct bpf_program program;
	uint32_t used;
	uint8_t buffer[BUFFER];
};

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	ended = number;
}

/* Without SA_RESTART: poll() comes back. */
static void catch_signals(void)
{
	const struct sigaction end = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};

	sigaction(SIGINT, &end, NULL);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGHUP, &end, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
}

static bool write_all(int fd, const uint8_t *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && (errno != EINTR || ended))
			return false;
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static uint32_t number(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Heads always; of packets those that the filter takes. */
static bool wanted(const struct copy *copy, const uint8_t *block, uint32_t len)
{
	const struct pcap_pkthdr head = {.caplen = number(block + 20), .len = number(block + 24)};

	if (!copy->filtered || number(block) != PACKET || head.caplen > len - PACKET_HEAD)
		return true;
	return pcap_offline_filter(&copy->program, &head, block + PACKET_HEAD) != 0;
}

/* What is whole of the blocks that have come. */
static bool pass_on(struct copy *copy)
{
	uint32_t at = 0;
	bool written = true;

	while (copy->used - at >= 8 && written) {
		uint8_t *block = copy->buffer + at;
		uint32_t len = wt_pcapng_length(block);

		if (len < 12 || len > copy->used - at)
			break;
		if (wanted(copy, block, len))
			written = write_all(copy->to, block, len);
		at += len;
	}
	copy->used -= at;
	memmove(copy->buffer, copy->buffer + at, copy->used);
	return written;
}

/* Until the emulator or a signal ends it. A pipe that nobody reads any more is an ordinary end, too. */
static int copy_all(struct copy *copy)
{
	while (!ended) {
		struct pollfd both[] = {{.fd = copy->from, .events = POLLIN}, {.fd = copy->to}};
		ssize_t n;

		if (poll(both, 2, -1) < 0)
			continue;
		if (both[1].revents & POLLERR)
			break;
		if (!both[0].revents)
			continue;
		n = read(copy->from, copy->buffer + copy->used, BUFFER - copy->used);
		if (n <= 0)
			break;
		copy->used += (uint32_t)n;
		if (pass_on(copy))
			continue;
		return ended || errno == EPIPE ? WT_EXIT_OK : wt_fail(WT_EXIT_ENVIRONMENT, "the capture: %s", strerror(errno));
	}
	return WT_EXIT_OK;
}

/* Asks for the point, and reads the answer's first line. */
static int ask(int fd, const char *point)
{
	char text[300];
	size_t len = 0;

	len = (size_t)snprintf(text, sizeof(text), "capture %s\n", point);
	if (len >= sizeof(text) || strpbrk(point, "\n"))
		return wt_fail(WT_EXIT_USAGE, "'%.40s...' is not the name of a point", point);
	if (send(fd, text, len, MSG_NOSIGNAL) != (ssize_t)len)
		return wt_fail(WT_EXIT_CONNECTION, "the emulator: %s", strerror(errno));
	for (len = 0; len < sizeof(text) - 1 && read(fd, text + len, 1) == 1 && text[len] != '\n';)
		len++;
	text[len] = 0;
	if (!strcmp(text, "ok"))
		return WT_EXIT_OK;
	if (!len)
		return wt_fail(WT_EXIT_TIMEOUT, "the emulator gave no answer");
	return wt_fail(WT_EXIT_USAGE, "%s", !strncmp(text, "error ", 6) ? text + 6 : text);
}

static int compile(struct copy *copy, const char *filter)
{
	pcap_t *none = pcap_open_dead(DLT_EN10MB, WT_PCAPNG_CUT);
	int code = WT_EXIT_OK;

	if (!none || pcap_compile(none, &copy->program, filter, 1, PCAP_NETMASK_UNKNOWN))
		code = wt_fail(WT_EXIT_USAGE, "filter '%.60s': %s", filter, none ? pcap_geterr(none) : "out of memory");
	if (none)
		pcap_close(none);
	copy->filtered = !code;
	return code;
}

/* Only once there is something to write: a question that fails leaves no file. */
static int open_output(struct copy *copy, const char *output)
{
	char why[WT_CREATE_WHY];

	copy->to = output ? wt_create(output) : STDOUT_FILENO;
	return copy->to >= 0 ? WT_EXIT_OK : wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", output, wt_create_why(output, -copy->to, why));
}

int wt_emu_capture(const char *control, const char *point, const char *filter, const char *output)
{
	struct copy *copy = calloc(1, sizeof(*copy));
	char err[600];
	int code;

	if (!copy)
		return wt_fail(WT_EXIT_ENVIRONMENT, "out of memory");
	catch_signals();
	code = filter && *filter ? compile(copy, filter) : WT_EXIT_OK;
	copy->from = code ? -1 : wt_emu_connect(control, err, sizeof(err));
	if (!code && copy->from < 0)
		code = wt_fail(copy->from == -EACCES ? WT_EXIT_ENVIRONMENT : WT_EXIT_CONNECTION, "%s", err);
	if (!code)
		code = ask(copy->from, point);
	if (!code)
		code = open_output(copy, output);
	if (!code) {
		code = copy_all(copy);
		if (output && close(copy->to) && !code)
			code = wt_fail(WT_EXIT_ENVIRONMENT, "%s: %s", output, strerror(errno));
	}
	if (copy->from >= 0)
		close(copy->from);
	if (copy->filtered)
		pcap_freecode(&copy->program);
	free(copy);
	return code;
}

enum { OPT_CONTROL, OPT_OUTPUT, OPT_FILTER };

static const struct wt_option options[] = {
	[OPT_CONTROL] = {0, "control", "PATH", "the emulator's control socket (default: the lab's, or the only one in the usual place)"},
	[OPT_OUTPUT] = {'o', "output", "FILE|-", "write to FILE (default: standard output, which must not be a terminal)"},
	[OPT_FILTER] = {'f', "filter", "WORDS", "capture what these words of pcap-filter(7) match, such as 'tcp port 80'"},
};

struct request {
	const char *control, *output, *filter, *word[2];
	unsigned words;
	char lab_control[WT_LAB_PATH];
};

static int read_arguments(struct request *request, int argc, char **argv)
{
	const char *said[sizeof(options) / sizeof(options[0])] = {NULL};

	if (wt_args_read(argc, argv, said, request->word, 2, "one point at a time"))
		return WT_EXIT_USAGE;
	request->control = said[OPT_CONTROL];
	request->output = said[OPT_OUTPUT] && strcmp(said[OPT_OUTPUT], "-") ? said[OPT_OUTPUT] : NULL;
	request->filter = said[OPT_FILTER];
	request->words = request->word[0] ? request->word[1] ? 2 : 1 : 0;
	if (!request->words)
		return wt_fail(WT_EXIT_USAGE, "the point is missing: wavetank emu capture [LAB] a, or b, or drops");
	if (request->words == 2 && request->control)
		return wt_fail(WT_EXIT_USAGE, "unexpected argument '%s': --control names the emulator", request->word[1]);
	return WT_EXIT_OK;
}

static int find_emulator(struct request *request)
{
	bool found;
	int code;

	if (request->words < 2)
		return WT_EXIT_OK;
	code = wt_emu_lab(request->word[0], strlen(request->word[0]), request->lab_control, &found);
	request->control = request->lab_control;
	return code || found ? code : wt_fail(WT_EXIT_USAGE, "no lab '%.31s' is up; wavetank lab status lists them", request->word[0]);
}

static int capture_run(int argc, char **argv)
{
	struct request request = {0};
	int code = read_arguments(&request, argc, argv);

	if (!code)
		code = find_emulator(&request);
	if (code)
		return code;
	if (!request.output && isatty(STDOUT_FILENO))
		return wt_fail(WT_EXIT_USAGE, "standard output is a terminal; expected --output FILE, or a pipe to read the capture");
	return wt_emu_capture(request.control, request.word[request.words - 1], request.filter, request.output);
}

const struct wt_command wt_command_emu_capture = {
	.name = "emu capture",
	.arguments = "[LAB] POINT",
	.text = "capture at a port of a running emulator, or its drops, until ^C",
	.options = options,
	.option_count = sizeof(options) / sizeof(options[0]),
	.run = capture_run,
	.notes = "POINT is the name of a port (a, b; in a lab the name of a host), or drops: each dropped frame with its cause as a comment.\n\n"
		 "  wavetank emu capture demo a -o a.pcapng\n"
		 "  wavetank emu capture demo drops | tshark -r -\n"
		 "  wavetank emu capture demo b -f 'tcp port 80' | wireshark -k -i -",
};
