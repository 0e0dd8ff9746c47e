/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/app/live_flows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/live.h"
#include "tools/common/show.h"

enum { CWND, RTT, GOODPUT, RESENT, FIRST_DROP };

struct cause {
	int row;
	char name[24];
	uint64_t frames; /* since the last sample */
};

struct wt_live_flows {
	struct wt_live *live;
	bool sends;
	unsigned last; /* the flow that told last; one that is not above it begins a new round */
	unsigned told, timed;
	wt_time from, to;
	double sum[FIRST_DROP];
	unsigned causes;
	struct cause cause[WT_LIVE_ROWS];
};

static const char *show_count(double value, char text[24])
{
	snprintf(text, 24, value < 10 ? "%.1f /s" : "%.0f /s", value);
	return text;
}

static const char *show_rtt(double value, char text[24])
{
	return wt_show_time((wt_time)value, text);
}

struct wt_live_flows *wt_live_flows_open(const char *title, bool sends, char *err, size_t err_len)
{
	struct wt_live *live = wt_live_open(title, err, err_len);
	struct wt_live_flows *flows = live ? calloc(1, sizeof(*flows)) : NULL;

	if (!flows) {
		if (live)
			snprintf(err, err_len, "no memory");
		wt_live_close(live);
		return NULL;
	}
	flows->live = live;
	flows->sends = sends;
	if (sends)
		wt_live_add(live, "cwnd", wt_show_bytes);
	wt_live_add(live, "RTT", show_rtt);
	wt_live_add(live, "goodput", wt_show_rate);
	if (sends)
		wt_live_add(live, "sent again", show_count);
	return flows;
}

/* What all flows told of one interval. */
static void push(struct wt_live_flows *flows)
{
	double seconds = (double)(flows->to - flows->from) / 1e9, value[WT_LIVE_ROWS] = {0}, *at = value;

	if (flows->sends)
		*at++ = flows->sum[CWND];
	*at++ = flows->timed ? flows->sum[RTT] / flows->timed : (double)NAN;
	*at++ = flows->sum[GOODPUT];
	if (flows->sends)
		*at++ = flows->sum[RESENT];
	for (unsigned i = 0; i < flows->causes; i++) {
		value[flows->cause[i].row] = (double)flows->cause[i].frames / seconds;
		flows->cause[i].frames = 0;
	}
	wt_live_push(flows->live, (double)flows->to / 1e9, value);
	memset(flows->sum, 0, sizeof(flows->sum));
	flows->told = flows->timed = 0;
}

void wt_live_flows_interval(struct wt_live_flows *flows, unsigned id, const struct wt_bulk_interval *interval)
{
	double seconds = (double)(interval->to - interval->from) / 1e9;

	if (interval->to <= interval->from)
		return;
	if (flows->told && id <= flows->last)
		push(flows);
	flows->last = id;
	flows->told++;
	flows->from = interval->from;
	flows->to = interval->to;
	flows->sum[CWND] += interval->info.cwnd;
	flows->sum[GOODPUT] += (double)interval->bytes * 8 / seconds;
	flows->sum[RESENT] += (double)interval->retransmits_segs / seconds;
	if (interval->info.srtt > 0) {
		flows->sum[RTT] += (double)interval->info.srtt;
		flows->timed++;
	}
}

void wt_live_flows_drop(struct wt_live_flows *flows, const char *cause)
{
	struct cause *one = flows->cause;
	char name[40];

	while (one < flows->cause + flows->causes && strcmp(one->name, cause))
		one++;
	if (one == flows->cause + flows->causes) {
		snprintf(name, sizeof(name), "drop %s", cause);
		one->row = wt_live_add(flows->live, name, show_count);
		if (one->row < 0)
			return; /* the screen has no more room: the result counts them all */
		snprintf(one->name, sizeof(one->name), "%s", cause);
		flows->causes++;
	}
	one->frames++;
}

void wt_live_flows_close(struct wt_live_flows *flows)
{
	if (!flows)
		return;
	if (flows->told)
		push(flows);
	wt_live_close(flows->live);
	free(flows);
}
