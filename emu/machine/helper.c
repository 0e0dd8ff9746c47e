/* SPDX-License-Identifier: BSD-2-Clause */
#include "emu/machine/helper.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

bool wt_helper_heard(int link)
{
	char byte;
	ssize_t n;

	do
		n = read(link, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static void begin(int link)
{
	static const int asked_to_end[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	/* whoever asks a group of processes to end asks the emulator, too */
	for (unsigned i = 0; i < sizeof(asked_to_end) / sizeof(asked_to_end[0]); i++)
		signal(asked_to_end[i], SIG_IGN);
	/* what its starter waits for the end of is not kept open */
	if (link > 0)
		close_range(0, (unsigned)link - 1, 0);
	close_range((unsigned)link + 1, ~0u, 0);
}

int wt_helper_start(void (*work)(void *arg, int link), void *arg)
{
	pid_t child;
	int link[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, link))
		return -errno;
	child = fork();
	if (child == 0) {
		if (fork() == 0) {
			begin(link[1]);
			work(arg, link[1]);
		}
		_exit(0);
	}
	close(link[1]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (child > 0)
		return link[0];
	close(link[0]);
	return -EAGAIN;
}

void wt_helper_finish(int link)
{
	if (!link)
		return;
	shutdown(link, SHUT_WR);
	wt_helper_heard(link);
	close(link);
}
