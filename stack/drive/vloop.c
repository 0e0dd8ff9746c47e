/* SPDX-License-Identifier: BSD-2-Clause */
#include "stack/drive/vloop.h"

wt_time wt_vloop_run(struct wt_graph *graph, wt_time until, const bool *stop)
{
	static const bool never = false;

	if (wt_graph_run_while(graph, until, stop ? stop : &never))
		wt_graph_run(graph, until); /* nothing is due: only time passes */
	return wt_graph_now(graph);
}
