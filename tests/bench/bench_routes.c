/* SPDX-License-Identifier: BSD-2-Clause */
/* What a router pays to find a way: by how many routes it has, half of them of each of two lengths. Not a test. */
#include <stdio.h>
#include <time.h>

#include "stack/net/net.h"

enum { QUESTIONS = 1000000 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static struct wt_addr address(unsigned n)
{
	return wt_addr_ipv4(10, (uint8_t)(n >> 8), (uint8_t)n, 1);
}

static double measure(unsigned routes)
{
	struct wt_net net;
	double from;
	unsigned lost = 0;

	if (wt_net_init(&net, &(struct wt_net_config){.interfaces = 1, .forwards = true}))
		return 0;
	for (unsigned n = 0; n < routes; n++) {
		struct wt_addr network = address(n);

		if (wt_net_add_route(&net, &network, n % 2 ? 24 : 25, 0, &network))
			return 0;
	}
	from = now_ns();
	for (unsigned i = 0; i < QUESTIONS; i++) { /* never the one before, which a net remembers */
		struct wt_addr to = address((i * 7919u) % routes);

		to.bytes[3] = (uint8_t)(2 + i % 100);
		lost += !wt_net_route(&net, &to);
	}
	from = (now_ns() - from) / QUESTIONS;
	wt_net_finish(&net);
	return lost ? -1 : from;
}

int main(void)
{
	static const unsigned many[] = {2, 10, 100, 1000, 10000};

	for (unsigned i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		printf("%5u routes: %.0f ns to find one\n", many[i], measure(many[i]));
	return 0;
}
