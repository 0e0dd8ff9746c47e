/* SPDX-License-Identifier: BSD-2-Clause */
/* wavetank emu show, set, events: what a running emulator is asked and told over its control socket. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "emu/daemon/control.h"
#include "tools/common/cli.h"
#include "tools/common/labs.h"
#include "tools/emu/control.h"

extern const struct wt_command wt_command_emu_show, wt_command_emu_set, wt_command_emu_events;

enum { OPT_CONTROL, OPT_JSON, OPT_QUEUE = OPT_JSON };

#define CONTROL {0, "control", "PATH", "the emulator's control socket (default: the lab's, or the only one in the usual place)"}

static const struct wt_option options[] = {
	[OPT_CONTROL] = CONTROL,
	[OPT_JSON] = {0, "json", NULL, "the record as one JSON line"},
};

static const struct wt_option set_options[] = {
	[OPT_CONTROL] = CONTROL,
	[OPT_QUEUE] = {0, "queue", "HOW", "keep the waiting packets (the default), or flush: drop them first, with that cause"},
};

struct request {
	const char *control;
	bool json, flush;
	char lab[WT_LAB_NAME], lab_control[WT_LAB_PATH]; /* whose emulator; empty: of no lab */
	char unknown[WT_LAB_NAME];                       /* stood before a direction and is no lab: a link, if there is an emulator */
	char line[14000];                                /* of set: targets and their words, each after a tab */
	unsigned targets, worded;                        /* targets, and those that words follow */
};

int wt_emu_lab(const char *name, size_t len, char control[WT_LAB_PATH], bool *found)
{
	struct wt_lab lab = {0};
	char word[WT_LAB_NAME], text[700];
	bool ended;
	int lock;

	*found = false;
	if (len >= sizeof(word))
		return WT_EXIT_OK;
	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	lock = wt_lab_name_ok(word) ? wt_labs_lock(text, sizeof(text)) : -EINVAL;
	if (lock < 0)
		return WT_EXIT_OK;
	ended = wt_lab_ended(word, text, sizeof(text));
	*found = !ended && wt_lab_find(word, &lab);
	wt_lab_finish(&lab);
	close(lock);
	if (*found)
		wt_lab_path(control, word, "emu.sock");
	return ended ? wt_fail(WT_EXIT_CONNECTION, "%s", text) : WT_EXIT_OK;
}

struct names {
	unsigned count;
	char text[200];
};

static void add_name(void *arg, const struct wt_lab *lab)
{
	struct names *names = arg;
	size_t len = strlen(names->text);

	if (names->count == 0)
		snprintf(names->text, sizeof(names->text), "%s", lab->name);
	else if (len + strlen(lab->name) + 8 < sizeof(names->text))
		snprintf(names->text + len, sizeof(names->text) - len, ", %s", lab->name);
	names->count++;
}

int wt_emu_connect(const char *control, char *err, size_t err_len)
{
	int fd = wt_control_connect(control, err, err_len), lock;
	struct names names = {0};
	char scrap[700];

	if (fd != -ENOENT || control)
		return fd;
	lock = wt_labs_lock(scrap, sizeof(scrap));
	if (lock < 0)
		return fd;
	wt_labs_scan(add_name, &names);
	close(lock);
	if (names.count)
		snprintf(err, err_len, "no emulator outside a lab listens; expected the name of a lab that is up: %s", names.text);
	return fd;
}

static int take_lab(struct request *request, const char *name, size_t len, bool *found)
{
	int code = wt_emu_lab(name, len, request->lab_control, found);

	if (*found)
		snprintf(request->lab, sizeof(request->lab), "%.*s", (int)len, name);
	return code;
}

/* "delay", "loss.2" */
static bool is_stage(const char *word)
{
	static const char *const names[] = {"hops", "mtu", "rate", "outage", "handoff", "loss", "gilbert", "markov", "elliott", "list", "corrupt",
					    "duplicate", "reorder", "delay"};
	size_t len = strcspn(word, ".");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i]) == len && !strncmp(word, names[i], len))
			return !word[len] || (word[len + 1] && !word[len + 1 + strspn(word + len + 1, "0123456789")]);
	return false;
}

/* fwd, rev, both, or a stage behind one of them and a dot. */
static bool is_direction(const char *word)
{
	static const char *const names[] = {"fwd", "rev", "both"};
	size_t len = strcspn(word, ".");

	for (size_t i = 0; i < 3; i++)
		if (strlen(names[i]) == len && !strncmp(word, names[i], len))
			return !word[len] || is_stage(word + len + 1);
	return false;
}

/* With a lab's or link's name in front of it, or both. */
static bool is_target(const char *word)
{
	for (unsigned names = 0; word && names < 3; names++) {
		if (is_direction(word))
			return true;
		word = strchr(word, '.');
		word = word ? word + 1 : NULL;
	}
	return false;
}

/* fwd, LINK.fwd of several links, or LAB.fwd; or one stage of it, as in fwd.delay. */
static int take_target(struct request *request, const char *word)
{
	const char *dot = strchr(word, '.');
	size_t len = dot ? (size_t)(dot - word) : 0;
	bool same = !request->targets || (strlen(request->lab) == len && !strncmp(request->lab, word, len)), found = false;
	int code = dot && !request->control && !request->targets ? take_lab(request, word, len, &found) : WT_EXIT_OK;

	if (code)
		return code;
	if (found || (*request->lab && same))
		word = dot + 1;
	else if (*request->lab)
		return wt_fail(WT_EXIT_USAGE, "'%.60s': one command changes one emulator; lab %s was named before", word, request->lab);
	else if (dot && !request->control && !request->targets && !is_direction(word))
		snprintf(request->unknown, sizeof(request->unknown), "%.*s", (int)len, word);
	request->targets++;
	snprintf(request->line + strlen(request->line), sizeof(request->line) - strlen(request->line), "\t%s", word);
	return WT_EXIT_OK;
}

/* The words of a path may come as one argument or as many. */
static int take_words(struct request *request, const char *words)
{
	bool first = request->worded < request->targets;
	const char *dot = strrchr(words, '.');

	if (!request->targets && dot)
		return wt_fail(WT_EXIT_USAGE, "'%.60s': no direction or stage '%.30s'; expected fwd, rev or both, or a stage of one, such as %.*s.fwd.delay",
			       words, dot + 1, (int)(strcspn(words, ".") > 30 ? 30 : strcspn(words, ".")), words);
	if (!request->targets)
		return wt_fail(WT_EXIT_USAGE, "'%.60s': expected a target first: fwd, rev or both, LAB.fwd or LINK.fwd and so on", words);
	request->worded = request->targets;
	snprintf(request->line + strlen(request->line), sizeof(request->line) - strlen(request->line), "%c%s", first ? '\t' : ' ', words);
	return WT_EXIT_OK;
}

static int take_change(struct request *request, const char *word)
{
	if (strpbrk(word, "\t\n") || strlen(request->line) + strlen(word) + 8 > sizeof(request->line))
		return wt_fail(WT_EXIT_USAGE, "'%.60s' has a tab or a line break, or is too long", word);
	if (is_target(word) && request->worded < request->targets)
		return wt_fail(WT_EXIT_USAGE, "'%.60s': expected the words of the path for the target before it", word);
	return is_target(word) ? take_target(request, word) : take_words(request, word);
}

static int read_policy(struct request *request, const char *value)
{
	request->flush = !strcmp(value, "flush");
	return request->flush || !strcmp(value, "keep") ? 0 : wt_fail(WT_EXIT_USAGE, "--queue: '%.40s': expected keep or flush", value);
}

static int name_lab(struct request *request, const char *word)
{
	bool found;
	int code;

	if (*request->lab || request->control)
		return wt_fail(WT_EXIT_USAGE, "unexpected word '%.60s': one emulator is named already", word);
	code = take_lab(request, word, strlen(word), &found);
	return code || found ? code : wt_fail(WT_EXIT_USAGE, "no lab '%.31s' is up; wavetank lab status lists them", word);
}

static int read_arguments(struct request *request, const struct wt_command *command, int argc, char **argv)
{
	struct wt_args args;
	int option, code;

	wt_args_init(&args, command, argc, argv);
	while ((option = wt_args_next(&args)) != WT_ARGS_END) {
		if (option == WT_ARGS_BAD)
			return WT_EXIT_USAGE;
		if (option == OPT_CONTROL)
			request->control = args.value;
		if (option == OPT_JSON && command != &wt_command_emu_set)
			request->json = true;
		if (option == OPT_QUEUE && command == &wt_command_emu_set && read_policy(request, args.value))
			return WT_EXIT_USAGE;
		if (option != WT_ARGS_WORD)
			continue;
		code = command == &wt_command_emu_set ? take_change(request, args.value) : name_lab(request, args.value);
		if (code)
			return code;
	}
	if (!request->control && *request->lab)
		request->control = request->lab_control;
	return WT_EXIT_OK;
}

static int send_line(int fd, const char *first, const char *rest)
{
	char line[16100];
	int n = snprintf(line, sizeof(line), "%s%s\n", first, rest);

	return send(fd, line, (size_t)n, MSG_NOSIGNAL) == n ? 0 : -1;
}

/* errno says why there was no answer; EAGAIN is the patience of wt_control_connect(). */
static int no_answer(void)
{
	if (errno == EAGAIN)
		return wt_fail(WT_EXIT_TIMEOUT, "the emulator gave no answer in %d s: it is stopped or hangs; the request will not be carried out later",
			       WT_CONTROL_PATIENCE);
	return wt_fail(WT_EXIT_CONNECTION, "the emulator: %s", strerror(errno));
}

/* Copies what the daemon says to standard output. */
static int copy(int fd)
{
	char bytes[65536];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (fwrite(bytes, 1, (size_t)n, stdout) != (size_t)n || fflush(stdout))
			return wt_fail(WT_EXIT_ENVIRONMENT, "standard output: %s", strerror(errno));
	return n < 0 ? no_answer() : WT_EXIT_OK;
}

static int open_control(const struct request *request, int *fd)
{
	char err[600];

	*fd = wt_emu_connect(request->control, err, sizeof(err));
	if (*fd >= 0)
		return WT_EXIT_OK;
	if (*fd == -ENOENT && *request->unknown)
		return wt_fail(WT_EXIT_USAGE, "no lab '%s' is up, and no other emulator listens; wavetank lab status lists the labs", request->unknown);
	return wt_fail(*fd == -ETIMEDOUT ? WT_EXIT_TIMEOUT : *fd == -EACCES ? WT_EXIT_ENVIRONMENT : WT_EXIT_CONNECTION, "%s", err);
}

static int show_main(int argc, char **argv)
{
	struct request request = {0};
	int code = read_arguments(&request, &wt_command_emu_show, argc, argv), fd;

	if (code)
		return code;
	code = open_control(&request, &fd);
	if (code)
		return code;
	if (send_line(fd, request.json ? "show json" : "show text", "") || shutdown(fd, SHUT_WR))
		code = wt_fail(WT_EXIT_CONNECTION, "the emulator: %s", strerror(errno));
	else
		code = copy(fd);
	close(fd);
	return code;
}

/* "set flush in /home/me": names of files that are relative count from here. A folder that cannot stand in a line is not said. */
static void write_head(const struct request *request, char *head, size_t len)
{
	char here[PATH_MAX];
	bool known = getcwd(here, sizeof(here)) && here[0] == '/' && !strpbrk(here, "\t\n") && strlen(here) < len - 20;

	snprintf(head, len, "set%s%s%s", request->flush ? " flush" : "", known ? " in " : "", known ? here : "");
}

/* "ok NOW NAMES": when, and what is no longer there. */
static void say_changed(const char *answer)
{
	char *rest;
	double at = (double)strtoll(answer, &rest, 10) / 1e9;

	if (*rest == ' ')
		wt_say("changed at %.6f s of the scenario; no longer in the path:%s\n"
		       "  words for fwd are the whole path; one stage alone is changed by its name, as in: fwd.delay 30ms", at, rest);
	else
		wt_say("changed at %.6f s of the scenario", at);
}

static int set_main(int argc, char **argv)
{
	struct request request = {0};
	int code = read_arguments(&request, &wt_command_emu_set, argc, argv), fd;
	char answer[700] = "", head[2000];
	size_t len = 0;
	ssize_t n = 0;

	if (code)
		return code;
	if (!request.targets || request.worded < request.targets)
		return wt_fail(WT_EXIT_USAGE, "expected a target and the words of its path, such as fwd delay 30ms");
	code = open_control(&request, &fd);
	if (code)
		return code;
	write_head(&request, head, sizeof(head));
	if (send_line(fd, head, request.line) || shutdown(fd, SHUT_WR)) {
		close(fd);
		return wt_fail(WT_EXIT_CONNECTION, "the emulator: %s", strerror(errno));
	}
	while (len < sizeof(answer) - 1 && (n = read(fd, answer + len, sizeof(answer) - 1 - len)) > 0)
		len += (size_t)n;
	if (n < 0)
		code = no_answer();
	close(fd);
	if (code)
		return code;
	answer[strcspn(answer, "\n")] = 0;
	if (!strncmp(answer, "error ", 6))
		return wt_fail(WT_EXIT_USAGE, "%s", answer + 6);
	if (strncmp(answer, "ok ", 3))
		return wt_fail(WT_EXIT_CONNECTION, "the emulator gave no answer");
	say_changed(answer + 3);
	return WT_EXIT_OK;
}

static int events_main(int argc, char **argv)
{
	static const struct timeval forever = {0};
	struct request request = {0};
	int code = read_arguments(&request, &wt_command_emu_events, argc, argv), fd;
	char ok[3];
	ssize_t n;

	if (code)
		return code;
	code = open_control(&request, &fd);
	if (code)
		return code;
	n = send_line(fd, "events", "") ? -1 : recv(fd, ok, sizeof(ok), MSG_WAITALL);
	if (n == sizeof(ok) && !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &forever, sizeof(forever))) /* nothing may happen for long */
		code = copy(fd);
	else
		code = n < 0 ? no_answer() : wt_fail(WT_EXIT_CONNECTION, "the emulator gave no answer");
	close(fd);
	return code;
}

const struct wt_command wt_command_emu_show = {
	.name = "emu show",
	.arguments = "[LAB]",
	.text = "print the current record of a running emulator",
	.options = options,
	.option_count = 2,
	.run = show_main,
};

const struct wt_command wt_command_emu_set = {
	.name = "emu set",
	.arguments = "TARGET WORDS [TARGET WORDS]...",
	.text = "change paths of a running emulator, all at one instant; packets on the way are kept",
	.options = set_options,
	.option_count = 2,
	.run = set_main,
	.notes = "  wavetank emu set fwd.delay 30ms rev.loss 2%\n"
		 "  wavetank emu set demo.fwd rate 10Mbit burst 20KB limit 64KB delay 15ms loss 2%\n"
		 "  wavetank emu set fwd 'outage every 5s for 500ms | delay 15ms' rev 'delay 15ms loss 5%'\n"
		 "  wavetank emu set --queue flush both 'rate 2Mbit burst 0B limit 64KB queue codel delay 40ms'\n"
		 "TARGET: fwd, rev or both; LAB.fwd and so on of a lab's emulator, LINK.fwd of several links (main: the only link, if unnamed).\n"
		 "WORDS replace the whole path; any words that a run may begin with are allowed. TARGET.STAGE, with the stage's name in the record,\n"
		 "changes that stage alone, to a value (30ms, 5Mbit) or to other words. Packets on the way keep their order. If one word is wrong,\n"
		 "nothing changes.",
};

const struct wt_command wt_command_emu_events = {
	.name = "emu events",
	.arguments = "[LAB]",
	.text = "print the events of a running emulator, in the format of its log, until it ends",
	.options = options,
	.option_count = 1,
	.run = events_main,
};
