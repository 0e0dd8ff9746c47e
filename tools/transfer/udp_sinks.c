/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/transfer/udp_sinks.h"

#include <errno.h>
#include <stdlib.h>

#define UNASKED (5 * WT_S)
#define AFTER_TOLD WT_S /* a sender that asks says how many there are: what is missing so long after is lost */

struct wt_udp_sink {
	struct wt_cbr_sink sink; /* first */
	struct wt_udp_sinks *sinks;
	struct wt_endpoint from;
	uint32_t flow;
	bool told;               /* on_flow was called; it stays to answer who asks again */
	struct wt_host_timer unasked; /* all came, and nobody asks */
	struct wt_udp_sink *next;
};

static void tell(struct wt_udp_sink *sink)
{
	struct wt_cbr_report report = wt_cbr_report_of(&sink->sink);

	if (sink->told)
		return;
	sink->told = true;
	wt_host_timer_set(sink->sinks->host, &sink->unasked, WT_NEVER);
	sink->sinks->on_flow(sink->sinks->arg, &sink->from, &report);
}

static void on_unasked(struct wt_host_timer *timer, wt_time now)
{
	tell(timer->arg);
}

/* Who sends asks when it is done: its answer leaves first. */
static void on_done(void *arg, struct wt_cbr_sink *done)
{
	struct wt_udp_sink *sink = arg;

	if (done->told)
		tell(sink);
	else
		wt_host_timer_set(sink->sinks->host, &sink->unasked, wt_time_add(wt_host_now(sink->sinks->host), UNASKED));
}

static void forget(struct wt_udp_sinks *sinks, struct wt_udp_sink **at)
{
	struct wt_udp_sink *sink = *at;

	*at = sink->next;
	wt_host_timer_set(sinks->host, &sink->sink.timer, WT_NEVER);
	wt_host_timer_set(sinks->host, &sink->unasked, WT_NEVER);
	wt_cbr_sink_finish(&sink->sink);
	free(sink);
	sinks->count--;
}

static void make_room(struct wt_udp_sinks *sinks)
{
	struct wt_udp_sink **oldest = &sinks->sink;

	for (struct wt_udp_sink **at = &sinks->sink; *at; at = &(*at)->next)
		if ((*at)->sink.last < (*oldest)->sink.last)
			oldest = at;
	if (*oldest)
		forget(sinks, oldest);
}

/* The sink of this flow, a new one for its first datagram; NULL: no memory. */
static struct wt_udp_sink *sink_of(struct wt_udp_sinks *sinks, const struct wt_udp_datagram *in, uint32_t flow)
{
	const struct wt_cbr_config any = {.rate = 1000000, .size = 1000};
	struct wt_udp_sink *sink;

	for (sink = sinks->sink; sink; sink = sink->next)
		if (sink->flow == flow && sink->from.port == in->from.port && wt_addr_eq(&sink->from.addr, &in->from.addr))
			return sink;
	if (sinks->count >= WT_UDP_SINKS)
		make_room(sinks);
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		return NULL;
	if (wt_cbr_await(&sink->sink, &any, sinks->host, on_done, sink)) {
		free(sink);
		return NULL;
	}
	sink->sink.epoch = sinks->epoch;
	sink->sinks = sinks;
	sink->unasked = (struct wt_host_timer){.fire = on_unasked, .arg = sink};
	sink->from = in->from;
	sink->flow = flow;
	sink->next = sinks->sink;
	sinks->sink = sink;
	sinks->count++;
	return sink;
}

static void on_datagram(void *arg, struct wt_udp *udp, unsigned events, wt_time now)
{
	struct wt_udp_sinks *sinks = arg;
	struct wt_udp_datagram in;

	wt_udp_error(udp, NULL);
	while (sinks->udp && wt_udp_peek(udp, &in)) {
		struct wt_udp_sink *sink;
		uint32_t flow;

		sink = wt_cbr_is_datagram(&in, &flow) ? sink_of(sinks, &in, flow) : NULL;
		if (sink) {
			wt_time told = sink->sink.told;

			wt_cbr_take(&sink->sink, udp, &in);
			if (sink->sink.told && sink->sink.done)
				tell(sink);
			if (!told && sink->sink.told && !sink->sink.done) {
				sink->sink.silence = AFTER_TOLD;
				wt_host_timer_set(sinks->host, &sink->sink.timer, wt_time_add(now, AFTER_TOLD));
			}
		} else {
			sinks->strange++;
		}
		if (sinks->udp)
			wt_udp_consume(udp);
	}
}

int wt_udp_sinks_open(struct wt_udp_sinks *sinks, struct wt_host *host, uint16_t port, wt_time epoch,
		      void (*on_flow)(void *arg, const struct wt_endpoint *from, const struct wt_cbr_report *report), void *arg)
{
	*sinks = (struct wt_udp_sinks){.host = host, .epoch = epoch, .on_flow = on_flow, .arg = arg};
	sinks->udp = wt_udp_open(wt_host_udp(host), &(struct wt_endpoint){.port = port}, on_datagram, sinks);
	return sinks->udp ? 0 : -errno;
}

void wt_udp_sinks_stop(struct wt_udp_sinks *sinks)
{
	wt_udp_close(sinks->udp);
	sinks->udp = NULL;
	while (sinks->sink)
		forget(sinks, &sinks->sink);
}
