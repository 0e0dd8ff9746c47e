/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions per ACK of every sender module: see tools/cc/cost.h. Window modules are to stay below 150, modules with a model of the path below 600. */
#include <stdio.h>
#include <string.h>

#include "tools/cc/cost.h"

int main(void)
{
	for (size_t i = 0; wt_senders[i]; i++) {
		struct wt_sender_choice choice;
		struct wt_cc_cost cost;
		int error;

		wt_sender_choose(wt_senders[i]->name, &choice, NULL, 0);
		error = wt_cc_cost(&choice, 200, &cost);
		if (error) {
			printf("%-12s not counted: %s\n", wt_senders[i]->name, strerror(-error));
			return 1;
		}
		printf("%-12s %6.1f instructions per ACK, at most %u\n", wt_senders[i]->name, cost.mean, cost.most);
	}
	return 0;
}
