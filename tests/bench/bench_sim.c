/* SPDX-License-Identifier: BSD-2-Clause */
/* The speed of virtual time: one saturated 10 Mbit/s flow, captures off. Best of three, because other work on the machine only slows. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/app/simulation.h"
#include "tools/words/tcp_words.h"

#define LINK "rate 10Mbit burst 0B limit 64KB delay 15ms"

static double measure(const char *sender, const char *receiver)
{
	struct wt_tcp_words a = {.sender = sender, .settings = "rcv_buffer=64KB,snd_buffer=64KB"}, b = a;
	double best = 0;
	char err[256];

	b.sender = NULL;
	b.receiver = receiver;
	for (unsigned i = 0; i < 3; i++) {
		struct wt_simulation_result result;
		struct wt_simulation simulation;
		struct wt_app_flow flow = {.time = 500 * WT_S};

		wt_simulation_init(&simulation);
		wt_tcp_config_init(&flow.a);
		wt_tcp_config_init(&flow.b);
		if (wt_tcp_words_apply(&a, &flow.a, err, sizeof(err)) || wt_tcp_words_apply(&b, &flow.b, err, sizeof(err)) ||
		    wt_simulation_pair(&simulation, LINK, LINK, &flow, 1, err, sizeof(err)) ||
		    wt_simulation_run(&simulation, &result, err, sizeof(err))) {
			fprintf(stderr, "%s\n", err);
			exit(1);
		}
		if (!wt_simulation_ok(&result) || wt_bulk_goodput(&result.flow[0]) < 1.15e6) {
			fprintf(stderr, "%s: not saturated\n", sender);
			exit(1);
		}
		if (wt_simulation_speed(&result) > best)
			best = wt_simulation_speed(&result);
		wt_simulation_result_finish(&result);
		wt_simulation_finish(&simulation);
	}
	return best;
}

int main(void)
{
	double newreno = measure("newreno", "standard"), real = measure("real", "real");

	printf("one saturated 10 Mbit/s flow, simulated seconds per wall second: newreno %.0f, real %.0f\n", newreno, real);
	return newreno >= 500 && real >= 500 ? 0 : 1;
}
