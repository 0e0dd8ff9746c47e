/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/drive/vloop.h"

wt_time wt_vloop_run(struct wt_graph *graph, wt_time until, const bool *stop)
{
	while (!(stop && *stop)) {
		wt_time due = wt_graph_deadline(graph);

		if (due == WT_NEVER)
			break;
		if (due > until) {
			wt_graph_run(graph, until); /* nothing is due: only time passes */
			break;
		}
		wt_graph_step(graph);
	}
	return wt_graph_now(graph);
}
