/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Round-trip time and the retransmission timeout: RFC 6298, with the clock granularity G as a setting.
 *
 * With a coarse tick a sample is a number of whole ticks (as BSD counts them: tick boundaries passed), and the timeout is
 * a whole number of ticks; both roundings happen here and in wt_tcp_ticks_from_now(), nowhere else.
 */
#include "stack/tcp/tcb.h"

void wt_rtt_init(struct wt_rtt *rtt, const struct wt_tcp_settings *settings)
{
	*rtt = (struct wt_rtt){.rto = settings->rto_initial};
}

static wt_time distance(wt_time a, wt_time b)
{
	return a > b ? a - b : b - a;
}

/*
 * What the timeout is above the smoothed round trip. With a sample per ACK RTTVAR is that of a few segments, and falls to nothing while
 * a queue builds up and holds the retransmission back for more than the round trip of before: rto_var_min is what is left then.
 */
static wt_time above(const struct wt_rtt *rtt, const struct wt_tcp_settings *settings)
{
	if (settings->rto_formula == WT_RTO_BSD43)
		return 2 * rtt->rttvar;
	return wt_time_max(wt_time_max(settings->tick, settings->rto_var_min), 4 * rtt->rttvar);
}

void wt_rtt_sample(struct wt_rtt *rtt, const struct wt_tcp_settings *settings, wt_time sample, wt_time unsure)
{
	/* a sample below the clock's resolution still is one: RFC 6298 works with 0, "no sample yet" must not */
	if (sample < 1)
		sample = 1;
	if (rtt->srtt == 0) { /* 2.2 */
		if (settings->rtt_first_tick)
			sample += settings->tick - sample % settings->tick;
		rtt->srtt = sample;
		rtt->rttvar = sample / 2;
		rtt->min_rtt = sample + unsure;
	} else { /* 2.3, beta 1/4 before alpha 1/8 */
		rtt->rttvar += (distance(rtt->srtt, sample) - rtt->rttvar) / 4;
		rtt->srtt += (sample - rtt->srtt) / 8;
		rtt->min_rtt = wt_time_min(rtt->min_rtt, sample + unsure);
		if (rtt->srtt < 1)
			rtt->srtt = 1;
	}
	rtt->rto = rtt->srtt + above(rtt, settings);
	if (settings->rto_formula == WT_RTO_BSD43)
		rtt->rto -= rtt->rto % settings->tick;
	rtt->sum += sample;
	rtt->samples++;
	rtt->backoff = 0; /* Karn: an unambiguous sample ends the back-off */
}

wt_time wt_rtt_timeout(const struct wt_rtt *rtt, const struct wt_tcp_settings *settings)
{
	wt_time rto = wt_time_max(rtt->rto, settings->rto_min); /* 2.4 */

	for (unsigned i = 0; i < rtt->backoff && i < settings->rto_backoff_most && rto < settings->rto_max; i++)
		rto *= 2; /* 5.5 */
	return wt_time_min(rto, settings->rto_max); /* 2.5 */
}
