/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of a result by name. */
#ifndef WT_TOOLS_RESULTS_METRIC_H
#define WT_TOOLS_RESULTS_METRIC_H

#include <jansson.h>

/*
 * "goodput_kBps" is a number of the result's "metrics"; a path with dots leads through the objects of the result:
 * flow.tcp1.sender.timeouts, hop.narrow.fwd.dropped.queue (causes that dropped nothing and hops that never were are not written, and are 0). PATH/PATH is the ratio of
 * two. NaN: there is none.
 */
double wt_metric_of(const json_t *result, const char *path);

#endif
