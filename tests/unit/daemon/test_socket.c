/* SPDX-License-Identifier: BSD-2-Clause */
/* The control socket: what stands at its path, what many lines at once do, and what of a command is done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "emu/daemon/control.h"

struct calls {
	unsigned shown, set, words;
};

static void show(void *arg, FILE *out, bool json)
{
	((struct calls *)arg)->shown++;
	fputs("x\n", out);
}

static int set(void *arg, const struct wt_control_set *change, wt_time *now, char *said, size_t said_len)
{
	struct calls *calls = arg;
	char **words = change->words;

	calls->set++;
	for (calls->words = 0; words[calls->words];)
		calls->words++;
	return 0;
}

static const struct wt_control_ops ops = {show, set};

struct bench {
	struct ev_loop *ev;
	struct wt_control *control;
	struct calls calls;
	char path[64];
	int fd; /* a client's */
};

static void start(struct bench *bench)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char err[200];

	*bench = (struct bench){.ev = ev_loop_new(EVFLAG_AUTO)};
	strcpy(bench->path, "/tmp/wt-socket-XXXXXX");
	assert_non_null(mkdtemp(bench->path));
	strcat(bench->path, "/s");
	bench->control = wt_control_open(bench->path, bench->ev, &ops, &bench->calls, err, sizeof(err));
	assert_non_null(bench->control);
	bench->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	strcpy(address.sun_path, bench->path);
	assert_int_equal(connect(bench->fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ev_run(bench->ev, EVRUN_NOWAIT);
}

static void end(struct bench *bench)
{
	wt_control_close(bench->control);
	ev_loop_destroy(bench->ev);
	close(bench->fd);
	*strrchr(bench->path, '/') = 0;
	assert_int_equal(rmdir(bench->path), 0); /* the socket is gone */
}

static void say(const struct bench *bench, const char *text)
{
	assert_int_equal(send(bench->fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* connect() says of a file what it says of a socket that nobody listens at. */
static void a_file_at_the_path_is_refused_and_kept(void **state)
{
	char path[] = "/tmp/wt-file-XXXXXX", err[200];
	struct ev_loop *ev = ev_loop_new(EVFLAG_AUTO);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_null(wt_control_open(path, ev, &ops, NULL, err, sizeof(err)));
	assert_non_null(strstr(err, "a file of that name"));
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	close(fd);
	ev_loop_destroy(ev);
}

static void a_socket_left_behind_is_replaced(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char folder[] = "/tmp/wt-left-XXXXXX", path[64], err[200];
	struct ev_loop *ev = ev_loop_new(EVFLAG_AUTO);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct wt_control *control;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/s", folder);
	strcpy(address.sun_path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	control = wt_control_open(path, ev, &ops, NULL, err, sizeof(err));
	assert_non_null(control);
	wt_control_close(control);
	assert_int_equal(rmdir(folder), 0);
	ev_loop_destroy(ev);
}

static void of_many_lines_at_once_each_turn_takes_one_and_none_is_lost(void **state)
{
	enum { LINES = 3000 }; /* more bytes than a line may have */
	static char lines[LINES * 10 + 1];
	struct bench bench;
	char answer[64];
	unsigned answers = 0;

	start(&bench);
	for (unsigned i = 0; i < LINES; i++)
		memcpy(lines + (size_t)i * 10, "show text\n", 10);
	say(&bench, lines);
	for (unsigned i = 1; i <= LINES; i++) {
		ev_run(bench.ev, EVRUN_NOWAIT);
		assert_int_equal(bench.calls.shown, i);
		for (ssize_t n; (n = recv(bench.fd, answer, sizeof(answer), 0)) > 0;)
			answers += (unsigned)n / 2;
	}
	assert_int_equal(answers, LINES);
	end(&bench);
}

static void a_line_may_come_in_parts_but_not_without_end(void **state)
{
	static char long_line[20001];
	struct bench bench;
	char byte;

	start(&bench);
	say(&bench, "show ");
	ev_run(bench.ev, EVRUN_NOWAIT);
	say(&bench, "text\nshow text\nshow");
	for (unsigned i = 0; i < 5; i++)
		ev_run(bench.ev, EVRUN_NOWAIT);
	assert_int_equal(bench.calls.shown, 2);
	memset(long_line, 'x', sizeof(long_line) - 1);
	say(&bench, long_line);
	for (unsigned i = 0; i < 5; i++)
		ev_run(bench.ev, EVRUN_NOWAIT);
	while (recv(bench.fd, &byte, 1, 0) > 0)
		;
	assert_int_not_equal(errno, EAGAIN); /* it was shown out */
	end(&bench);
}

/* As many links as there are in any world: the line has the only bound. */
static void a_command_changes_as_many_links_as_its_line_has_room_for(void **state)
{
	enum { TARGETS = 900 };
	struct bench bench;
	char line[16384] = "set", answer[200] = "";

	start(&bench);
	for (unsigned i = 0; i < TARGETS; i++)
		strcat(line, "\tl.fwd\tdelay 1ms");
	strcat(line, "\n");
	assert_true(strlen(line) < sizeof(line) - 1);
	say(&bench, line);
	ev_run(bench.ev, EVRUN_NOWAIT);
	assert_int_equal(bench.calls.words, 2 * TARGETS);
	assert_true(recv(bench.fd, answer, sizeof(answer) - 1, 0) > 0);
	assert_string_equal(answer, "ok 0\n");
	end(&bench);
}

/* What has come so far: events, and those that were told to be lost; and whether the last line was about the latter. */
struct heard {
	unsigned events, lost;
	bool lost_last;
};

static void hear(const struct bench *bench, struct heard *heard)
{
	static char text[1 << 21];
	size_t len = 0;
	char *at = text;

	for (ssize_t n; len < sizeof(text) - 1 && (n = recv(bench->fd, text + len, sizeof(text) - 1 - len, 0)) > 0;)
		len += (size_t)n;
	text[len] = 0;
	for (char *line; (line = strsep(&at, "\n")) && *line;) {
		const char *count = strstr(line, "\"count\":");

		heard->lost_last = strstr(line, "emulation:events_lost");
		heard->lost += heard->lost_last ? (unsigned)atoi(count + 8) : 0;
		heard->events += strstr(line, "\"event\":\"test\"") != NULL;
	}
}

static void happen(const struct bench *bench, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		wt_json_i64(wt_control_begin(bench->control, i, "test"), "number", i);
		wt_control_end(bench->control);
	}
}

static void a_reader_that_stalls_is_told_how_many_events_it_lost_when_it_reads_again_and_at_the_end(void **state)
{
	enum { MANY = 20000 };
	struct heard heard = {0};
	struct bench bench;

	start(&bench);
	say(&bench, "events\n");
	ev_run(bench.ev, EVRUN_NOWAIT);
	happen(&bench, MANY);
	hear(&bench, &heard);
	assert_in_range(heard.events, 100, MANY - 100);
	assert_int_equal(heard.lost, 0);
	/* nothing more happens, and it is told all the same */
	ev_run(bench.ev, EVRUN_NOWAIT);
	hear(&bench, &heard);
	assert_int_equal(heard.events + heard.lost, MANY);
	happen(&bench, MANY);
	wt_control_close(bench.control);
	hear(&bench, &heard);
	assert_true(heard.lost_last);
	assert_int_equal(heard.events + heard.lost, 2 * MANY);
	ev_loop_destroy(bench.ev);
	close(bench.fd);
	*strrchr(bench.path, '/') = 0;
	assert_int_equal(rmdir(bench.path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_at_the_path_is_refused_and_kept),
		cmocka_unit_test(a_socket_left_behind_is_replaced),
		cmocka_unit_test(of_many_lines_at_once_each_turn_takes_one_and_none_is_lost),
		cmocka_unit_test(a_line_may_come_in_parts_but_not_without_end),
		cmocka_unit_test(a_command_changes_as_many_links_as_its_line_has_room_for),
		cmocka_unit_test(a_reader_that_stalls_is_told_how_many_events_it_lost_when_it_reads_again_and_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
