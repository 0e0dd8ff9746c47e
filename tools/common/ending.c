/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/common/ending.h"

#include <stddef.h>

bool wt_hangup_ignored(void)
{
	struct sigaction now;

	return !sigaction(SIGHUP, NULL, &now) && now.sa_handler == SIG_IGN;
}

void wt_on_ending(void (*handler)(int number))
{
	signal(SIGINT, handler);
	signal(SIGTERM, handler);
	if (!wt_hangup_ignored())
		signal(SIGHUP, handler);
}

void wt_ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}
