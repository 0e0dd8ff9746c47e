/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges what the engine says of itself, its trace: round trips, timeouts, and the window of the Reno family. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/swarm/watch.h"

static struct conn *conn_of(struct watch *watch, uint32_t number)
{
	for (unsigned i = 0; i < watch->run->plan->flows; i++)
		if (watch->conn[i].number == number && number)
			return &watch->conn[i];
	if (!watch->last || watch->last->number || !number) /* that of a listener comes before any segment */
		return NULL;
	watch->last->number = number;
	return watch->last;
}

static wt_time apart(wt_time a, wt_time b)
{
	return a > b ? a - b : b - a;
}

/* RFC 6298 2, and 3: which segments a sample may be of. */
static void on_rtt(struct watch *watch, struct conn *conn, const struct wt_trace_event *event)
{
	const struct wt_tcp_settings *settings = settings_of(watch);
	wt_time sample = (wt_time)event->field[0], srtt = (wt_time)event->field[1], rto = (wt_time)event->field[2], own, slack;

	if (conn->advanced_by != watch->frames && conn->running < watch_timer_most(watch, conn))
		conn->running = watch_timer_most(watch, conn); /* a sample by SACK alone leaves a running timer as it is (RFC 6298 5.3) */
	conn->rtos = 0;
	conn->rto_gap = 0;
	if (conn->advanced_by == watch->frames)
		conn->armed = 0; /* the timer was started anew by this very ACK */
	if (watch->run->plan->log)
		printf("%12.9f %s %d round trip %.6f srtt %.6f rto %.6f\n", (double)watch->now / 1e9, watch->side ? "server" : "client",
		       (int)(conn - watch->conn), (double)sample / 1e9, (double)srtt / 1e9, (double)rto / 1e9);
	if (conn->una > 1 && conn->advanced_by == watch->frames) /* a timer that runs keeps its three seconds */
		conn->syn_again = false;
	if (settings->tick > 1 || settings->rto_formula != WT_RTO_RFC6298 || settings->rtt_forget) {
		conn->rtt_most = sample > conn->rtt_most ? sample + settings->tick : conn->rtt_most;
		return;
	}
	conn->rtt_most = sample > conn->rtt_most ? sample : conn->rtt_most;
	if (conn->srtt) {
		conn->rttvar += (apart(conn->srtt, sample) - conn->rttvar) / 4;
		conn->srtt += (sample - conn->srtt) / 8;
	} else {
		conn->srtt = sample;
		conn->rttvar = sample / 2;
	}
	own = 4 * conn->rttvar > settings->tick ? 4 * conn->rttvar : settings->tick;
	own = conn->srtt + (own > settings->rto_var_min ? own : settings->rto_var_min);
	slack = own / 100 + WT_US;
	if (apart(srtt, conn->srtt) > slack || apart(rto, own) > slack)
		watch_fault(watch, conn, "srtt %" PRId64 " and RTO %" PRId64 ", by RFC 6298 %" PRId64 " and %" PRId64, srtt, rto, conn->srtt, own);
	if (!conn->open || conn->lied || watch->run->plan->lies || conn->oldest == WT_NEVER)
		return;
	/* an echo may be of a later segment that brought no data: only without timestamps is there a least one */
	if (sample > watch->now - conn->oldest + 2 * WT_MS || (!conn->ts && sample + WT_US < watch->now - conn->newest))
		watch_fault(watch, conn, "a round trip of %" PRId64 " ns, and what was acknowledged was sent %" PRId64 " to %" PRId64 " ns ago", sample,
			    watch->now - conn->newest, watch->now - conn->oldest);
	if (!conn->ts && conn->ambiguous && !settings->rtt_one_at_a_time)
		watch_fault(watch, conn, "a round trip is measured of a segment sent twice (Karn)");
}

/* RFC 6298 5.4 to 5.6. */
static void on_rto(struct watch *watch, struct conn *conn, const struct wt_trace_event *event)
{
	const struct wt_tcp_settings *settings = settings_of(watch);
	/* what was sent in between without an ACK is a tail loss probe, which starts the timer anew (RFC 8985 7.3): nothing to compare with */
	wt_time gap = conn->rto_at && conn->moved <= conn->rto_at ? event->time - conn->rto_at : 0, slack = 2 * settings->tick;

	if (conn->open && conn->una < conn->top && conn->una >= conn->again && !conn->rtos && event->time - conn->advanced + slack < settings->rto_min)
		watch_fault(watch, conn, "a timeout %" PRId64 " ns after the last sign, and the least is %" PRId64, event->time - conn->advanced,
			    settings->rto_min);
	if (conn->rtos && !conn->heard && conn->rto_gap && gap) {
		wt_time most = 2 * conn->rto_gap < settings->rto_max ? 2 * conn->rto_gap : settings->rto_max;

		if (gap > most + slack || (settings->rto_backoff_most >= 30 && gap + 2 * slack < most))
			watch_fault(watch, conn, "a timeout after %" PRId64 " ns behind one of %" PRId64, gap, conn->rto_gap);
	}
	conn->rto_gap = conn->rtos && !conn->heard ? gap : 0;
	conn->rto_at = event->time;
	conn->armed = ++conn->rtos;
	conn->running = 0;
	conn->heard = false;
	conn->since_rto = 0;
	conn->again = conn->recover = conn->gone = conn->top;
	conn->must_resend = false;
	conn->moved = event->time;
	if (conn->open && conn->wnd && conn->una < conn->top && watch->run->plan->reno) {
		uint64_t mss = settings->mss;

		if (event->field[3] > mss)
			watch_fault(watch, conn, "cwnd %" PRIu64 " after a timeout", event->field[3]);
	}
	conn->lost_now = true;
}

/* RFC 5681 3.1: slow start adds what was acknowledged and at most `limit` segments; congestion avoidance a segment per window. */
static void check_growth(struct watch *watch, struct conn *conn, uint64_t cwnd, uint64_t mss)
{
	uint64_t limit = settings_of(watch)->slow_start_limit * mss, most = conn->acked_now < limit ? conn->acked_now : limit, grown;

	if (cwnd <= conn->cwnd)
		return;
	grown = cwnd - conn->cwnd;
	if (conn->cwnd < conn->ssthresh && grown > most)
		watch_fault(watch, conn, "cwnd grew by %" PRIu64 " for %" PRIu64 " bytes acknowledged, in slow start", grown, conn->acked_now);
	if (conn->cwnd >= conn->ssthresh && (grown > mss || conn->in_avoidance + 2 * mss < conn->cwnd))
		watch_fault(watch, conn, "cwnd grew by %" PRIu64 " from %" PRIu64 " for %" PRIu64 " bytes acknowledged, in congestion avoidance", grown,
			    conn->cwnd, conn->in_avoidance);
	if (conn->cwnd >= conn->ssthresh)
		conn->in_avoidance = conn->in_avoidance > conn->cwnd ? conn->in_avoidance - conn->cwnd : 0;
}

/* The window as the last ACK has left it: asked for before the next segment comes in. */
void watch_window(struct watch *watch, struct conn *conn)
{
	const struct wt_tcp_settings *settings = settings_of(watch);
	struct app *app = app_of(watch, conn);
	struct wt_tcp_info info;

	if (!watch->run->plan->reno || app->over || !app->tcp || !conn->open || conn->off)
		return;
	wt_tcp_info(app->tcp, &info);
	if (info.cwnd < info.snd_mss)
		watch_fault(watch, conn, "cwnd %u is less than a segment of %u", info.cwnd, info.snd_mss);
	if (info.ssthresh < 2 * info.snd_mss && !watch->repath && !settings->rtt_forget)
		watch_fault(watch, conn, "ssthresh %u is less than two segments of %u", info.ssthresh, info.snd_mss);
	if (conn->cwnd && !conn->lost_now && !info.in_recovery && !strcmp(watch->run->plan->preset, "modern"))
		check_growth(watch, conn, info.cwnd, info.snd_mss);
	conn->cwnd = info.cwnd;
	conn->ssthresh = info.ssthresh;
	conn->lost_now = false;
	conn->acked_now = 0;
}

/* RFC 5681 3.2 and equation (4). */
static void on_loss(struct watch *watch, struct conn *conn, const struct wt_trace_event *event)
{
	struct wt_tcp_info info;
	uint64_t flight = conn->top - conn->una + conn->acked_now, most;

	conn->lost_now = true;
	conn->recover = conn->top; /* also where a reduction was undone and the next loss finds its hole filled already */
	if (conn->una < conn->top)
		conn->again = conn->una < conn->again ? conn->again : conn->una + 1;
	if (!watch->run->plan->reno || app_of(watch, conn)->over || !app_of(watch, conn)->tcp)
		return;
	wt_tcp_info(app_of(watch, conn)->tcp, &info);
	most = flight / 2 > 2 * (uint64_t)info.snd_mss ? flight / 2 : 2 * (uint64_t)info.snd_mss;
	if (info.ssthresh > most && watch->run->plan->classic && !conn->ecn && !strcmp(watch->run->plan->preset, "modern") && !watch->repath && event->field[2] > most)
		watch_fault(watch, conn, "ssthresh %u and cwnd %" PRIu64 " after a loss with %" PRIu64 " in flight", info.ssthresh, event->field[2], flight);
	if (conn->dups < settings_of(watch)->dupthresh && !spans_bytes(&conn->sacked) && watch->run->plan->classic)
		watch_fault(watch, conn, "a loss is declared after %u duplicate ACKs", conn->dups);
}

void watch_event(struct watch *watch, const struct wt_trace_event *event)
{
	struct conn *conn = watch ? conn_of(watch, event->conn) : NULL;

	if (!conn || conn->off)
		return;
	watch->now = event->time;
	if (watch->run->plan->lies)
		conn->lied = true;
	switch (event->type) {
	case WT_TRACE_RTT:
		on_rtt(watch, conn, event);
		break;
	case WT_TRACE_RTO:
		on_rto(watch, conn, event);
		break;
	case WT_TRACE_UNDONE:
	case WT_TRACE_RECOVERED:
		conn->lost_now = true;
		break;
	case WT_TRACE_LOSS:
		on_loss(watch, conn, event);
		break;
	default:
		break;
	}
}
