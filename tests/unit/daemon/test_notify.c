/* SPDX-License-Identifier: BSD-2-Clause */
/* What the service manager is told, also where its queue is full. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "emu/machine/notify.h"

static int manager, somebody;
static struct wt_notify notify;
static struct sockaddr_un address;
static socklen_t address_len;

/* A manager at an abstract address of its own, and somebody else who speaks to it. */
static int setup(void **state)
{
	char path[60];

	snprintf(path, sizeof(path), "@wavetank-test-notify-%d", (int)getpid());
	address = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(address.sun_path, path, strlen(path));
	address.sun_path[0] = 0;
	address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	somebody = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bind(manager, (struct sockaddr *)&address, address_len) || setenv("NOTIFY_SOCKET", path, 1) ||
	    connect(somebody, (struct sockaddr *)&address, address_len))
		return -1;
	wt_notify_open(&notify);
	return notify.fd < 0;
}

static int teardown(void **state)
{
	wt_notify_close(&notify);
	return close(manager) | close(somebody);
}

static void fill(void)
{
	while (send(somebody, "x", 1, 0) == 1)
		;
	assert_int_equal(errno, EAGAIN);
}

/* The next words that are not somebody's; NULL: none. */
static const char *heard(void)
{
	static char words[200];
	ssize_t n;

	do {
		n = recv(manager, words, sizeof(words) - 1, 0);
		words[n > 0 ? n : 0] = 0;
	} while (n > 0 && !strcmp(words, "x"));
	return n > 0 ? words : NULL;
}

static void words_are_said_at_once_where_there_is_room(void **state)
{
	wt_notify_say(&notify, "READY=1");
	wt_notify_say(&notify, "WATCHDOG=1");
	assert_string_equal(heard(), "READY=1");
	assert_string_equal(heard(), "WATCHDOG=1");
	assert_null(heard());
}

static void what_a_full_queue_had_no_room_for_is_said_later_in_its_order(void **state)
{
	fill();
	wt_notify_say(&notify, "READY=1");
	wt_notify_say(&notify, "WATCHDOG=1");
	wt_notify_say(&notify, "WATCHDOG=1");
	wt_notify_reloading(&notify);
	wt_notify_again(&notify);
	assert_null(heard());
	wt_notify_say(&notify, "READY=1"); /* behind what waits */
	assert_string_equal(heard(), "READY=1");
	assert_string_equal(heard(), "WATCHDOG=1");
	assert_int_equal(strncmp(heard(), "RELOADING=1\nMONOTONIC_USEC=", 27), 0);
	assert_string_equal(heard(), "READY=1");
	assert_null(heard());
	wt_notify_again(&notify);
	assert_null(heard());
}

static void of_more_than_can_be_kept_the_last_are(void **state)
{
	char words[20];

	fill();
	for (unsigned i = 0; i < 3 * WT_NOTIFY_WAITING; i++) {
		snprintf(words, sizeof(words), "STATUS=%u", i);
		wt_notify_say(&notify, words);
	}
	assert_null(heard());
	wt_notify_again(&notify);
	for (unsigned i = 2 * WT_NOTIFY_WAITING; i < 3 * WT_NOTIFY_WAITING; i++) {
		snprintf(words, sizeof(words), "STATUS=%u", i);
		assert_string_equal(heard(), words);
	}
	assert_null(heard());
}

static void a_manager_that_has_gone_is_not_waited_for(void **state)
{
	fill();
	wt_notify_say(&notify, "READY=1");
	assert_int_equal(notify.waiting, 1);
	close(manager);
	wt_notify_again(&notify);
	wt_notify_say(&notify, "STOPPING=1");
	assert_int_equal(notify.waiting, 0);
	manager = dup(somebody);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(words_are_said_at_once_where_there_is_room),
		T(what_a_full_queue_had_no_room_for_is_said_later_in_its_order),
		T(of_more_than_can_be_kept_the_last_are),
		T(a_manager_that_has_gone_is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
