/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges what leaves the host: data, windows, acknowledgments, options; and what does not leave in time. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/swarm/watch.h"

static uint64_t segment_most(const struct watch *watch, const struct conn *conn)
{
	uint64_t most = settings_of(watch)->mss, peer = conn->syn[1].has_mss ? conn->syn[1].mss : 536, path = watch->run->plan->mtu - 40;

	most = peer < most ? peer : most;
	most = path < most ? path : most;
	return most < 88 ? 88 : most;
}

/* ---- acknowledgments ---------------------------------------------------------------------------------------------- */

static void check_sack(struct watch *watch, struct conn *conn, const struct seen *seen)
{
	unsigned i = 0;
	bool first = true;

	if (seen->tcp.sack_count && !conn->sack) {
		watch_fault(watch, conn, "SACK blocks without an agreement");
		return;
	}
	if (conn->waiting.full)
		return;
	if (seen->tcp.sack_count) {
		uint64_t from = place(seen->tcp.sack[0].start, conn->irs, conn->next), to = place(seen->tcp.sack[0].end, conn->irs, conn->next);
		bool whole = false;

		for (unsigned k = 0; k < conn->waiting.n; k++)
			whole |= conn->waiting.at[k].from == from && conn->waiting.at[k].to == to;
		if (to <= conn->next || !whole) { /* RFC 2883: it repeats what is here */
			i = 1;
			if (!(to <= conn->next || spans_cover(&conn->waiting, from, to)))
				watch_fault(watch, conn, "a D-SACK block of octets %" PRIu64 "-%" PRIu64 " that are not here", from, to);
		}
		if (conn->dsack && (from != conn->dsack_from || to != conn->dsack_to))
			watch_fault(watch, conn, "no D-SACK of %" PRIu64 "-%" PRIu64 ", which came twice", conn->dsack_from, conn->dsack_to);
	} else if (conn->dsack && conn->owed <= seen->now && !seen->len) {
		watch_fault(watch, conn, "no D-SACK of %" PRIu64 "-%" PRIu64 ", which came twice", conn->dsack_from, conn->dsack_to);
	}
	conn->dsack = false;
	if (conn->sack && !seen->len && conn->waiting.n && i == seen->tcp.sack_count)
		watch_fault(watch, conn, "data waits above a hole and no SACK block tells of it");
	for (; i < seen->tcp.sack_count; i++) {
		uint64_t from = place(seen->tcp.sack[i].start, conn->irs, conn->next), to = place(seen->tcp.sack[i].end, conn->irs, conn->next);
		bool known = false;

		for (unsigned k = 0; k < conn->waiting.n; k++)
			known |= conn->waiting.at[k].from == from && conn->waiting.at[k].to == to;
		if (!known)
			watch_fault(watch, conn, "a SACK block %" PRIu64 "-%" PRIu64 " that is no interval of what waits", from, to);
		if (first && conn->newest_block >= conn->next && !(conn->newest_block >= from && conn->newest_block < to))
			watch_fault(watch, conn, "the first SACK block is not that of the newest segment");
		first = false;
	}
}

static void check_window(struct watch *watch, struct conn *conn, const struct seen *seen, uint64_t ack)
{
	uint64_t edge = ack + ((uint64_t)seen->tcp.window << conn->scale[0]), before = conn->right, room, least;
	const struct app *app = app_of(watch, conn);

	room = 1 + app->got + settings_of(watch)->rcv_buffer + conn->fin_taken;
	if (edge > room && edge > before)
		watch_fault(watch, conn, "a window to %" PRIu64 ", but the buffer has room to %" PRIu64, edge, room);
	/* a window that is no whole unit of the scale moves left by less than one (RFC 7323 2.4) */
	if (!watch->run->config[watch->side].receiver.ops->shrinks && edge + (1u << conn->scale[0]) <= before)
		watch_fault(watch, conn, "the right edge moves left, from %" PRIu64 " to %" PRIu64, before, edge);
	if (edge > conn->right)
		conn->right = edge;
	if (!seen->len && !(seen->tcp.flags & (WT_FIN | WT_RST | WT_SYN)) && !conn->reason && watch->run->plan->standard &&
	    !settings_of(watch)->ack_delay_all && !app->over && conn->open &&
	    conn->segs < settings_of(watch)->ack_every && conn->owed > seen->now) {
		uint64_t mss = settings_of(watch)->mss, part = settings_of(watch)->rcv_buffer / settings_of(watch)->window_update_part;

		least = settings_of(watch)->window_update * mss;
		least = part < least ? part : least;
		if (edge < before + least / 2 && ack == conn->last_ack + (ack > conn->last_ack ? ack - conn->last_ack : 0) &&
		    seen->tcp.seq == conn->iss + (uint32_t)conn->top)
			watch_fault(watch, conn, "an ACK for no reason: number %" PRIu64 ", last %" PRIu64 ", window up by %" PRIu64, ack, conn->last_ack,
				    edge - before);
	}
}

static void check_ack(struct watch *watch, struct conn *conn, const struct seen *seen)
{
	uint64_t ack = place(seen->tcp.ack, conn->irs, conn->next);

	if (ack != conn->next && !conn->waiting.full)
		watch_fault(watch, conn, "it acknowledges %" PRIu64 ", and %" PRIu64 " is next", ack, conn->next);
	if (watch->run->plan->standard && !conn->doubt && !!(seen->tcp.flags & WT_ECE) != (conn->ecn && conn->echo))
		watch_fault(watch, conn, "ECE is %d, and the last mark or CWR says %d", !!(seen->tcp.flags & WT_ECE), conn->ecn && conn->echo);
	check_sack(watch, conn, seen);
	check_window(watch, conn, seen, ack);
	conn->last_ack = ack;
	conn->segs = 0;
	conn->owed = WT_NEVER;
	conn->held = false;
	if (!seen->len)
		conn->reason = false;
}

static void check_timestamp(struct watch *watch, struct conn *conn, const struct seen *seen)
{
	uint32_t passed = (uint32_t)(seen->now / WT_MS);

	if (seen->tcp.has_ts != conn->ts) {
		watch_fault(watch, conn, conn->ts ? "no timestamp, though both agreed" : "a timestamp, though nobody agreed");
		return;
	}
	if (!conn->ts)
		return;
	if (conn->has_tsval && seen->tcp.tsval - conn->tsval != passed - (uint32_t)conn->tsval_at)
		watch_fault(watch, conn, "the timestamp clock moved by %u, time by %u ms", seen->tcp.tsval - conn->tsval,
			    passed - (uint32_t)conn->tsval_at);
	conn->has_tsval = true;
	conn->tsval = seen->tcp.tsval;
	conn->tsval_at = passed;
	/* with more pieces than can be kept it is not known which segment counted */
	if (conn->open && !conn->waiting.full && seen->tcp.tsecr != conn->ts_recent)
		watch_fault(watch, conn, "it echoes %u, and %u was the last that counts", seen->tcp.tsecr, conn->ts_recent);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static void keep_piece(struct conn *conn, uint64_t from, uint64_t to, wt_time now)
{
	if (conn->count == FLIGHT) {
		conn->off = true;
		return;
	}
	*watch_piece(conn, conn->count++) = (struct piece){from, to, now, now, 1};
}

/* What is outstanding and was not SACKed, in whole segments. */
static uint64_t pipe(struct conn *conn)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < conn->count; i++) {
		const struct piece *piece = watch_piece(conn, i);

		bytes += spans_cover(&conn->sacked, piece->from, piece->to) ? 0 : piece->to - piece->from;
	}
	return bytes;
}

static void check_new(struct watch *watch, struct conn *conn, const struct seen *seen, uint64_t from, uint64_t to)
{
	const struct wt_tcp_settings *settings = settings_of(watch);
	const struct app *app = app_of(watch, conn);
	struct wt_tcp_info info;
	uint64_t flight = conn->top - conn->una;
	bool probe = seen->len <= 1 && from >= conn->edge, full = seen->len + seen->tcp.header_len - 20 >= segment_most(watch, conn);

	if (from != conn->top)
		watch_fault(watch, conn, "it sends %" PRIu64 "-%" PRIu64 ", and %" PRIu64 " is the next that was not sent", from, to, conn->top);
	if (from + seen->len > conn->edge && !probe)
		watch_fault(watch, conn, "data to %" PRIu64 ", and the window ends at %" PRIu64, from + seen->len, conn->edge);
	if (probe && seen->len && conn->wnd)
		watch_fault(watch, conn, "an octet beyond a window that is not closed");
	if (settings->nagle && seen->len && !full && !probe && !app->shut && !app->over && flight && 2 * (uint64_t)seen->len < conn->wnd_most && !watch->repath &&
	    from + seen->len == app->written + 1)
		watch_fault(watch, conn, "a small segment of %u while data is outstanding (Nagle)", seen->len);
	if (!app->over && app->tcp && !probe && seen->len && !watch->repath) {
		wt_tcp_info(app->tcp, &info);
		if (!info.in_recovery && info.in_flight > info.cwnd + info.inflate + !!(seen->tcp.flags & WT_FIN) && watch->run->plan->classic && watch->run->plan->reno)
			watch_fault(watch, conn, "%u bytes in flight, and cwnd is %u (and %u)", info.in_flight, info.cwnd, info.inflate);
		if (info.in_flight > pipe(conn) + to - from && !conn->lied && conn->una >= conn->gone)
			watch_fault(watch, conn, "it says %u bytes are in flight of %" PRIu64 " outstanding", info.in_flight, pipe(conn) + to - from);
		if (watch->run->plan->log && info.in_flight != pipe(conn) + to - from)
			for (unsigned i = 0; i < conn->count; i++)
				printf("   piece %" PRIu64 "-%" PRIu64 " times %u\n", watch_piece(conn, i)->from, watch_piece(conn, i)->to, watch_piece(conn, i)->times);
		if (!conn->again && !conn->resent && !conn->rto_at && !conn->lied && info.in_flight != pipe(conn) + to - from)
			watch_fault(watch, conn, "it says %u bytes are in flight, %" PRIu64 " are", info.in_flight, pipe(conn) + to - from);
	}
	conn->top = to;
	if (!flight) {
		conn->advanced = seen->now;
		conn->armed = conn->rtos;
		conn->running = 0;
	}
	keep_piece(conn, from, to, seen->now);
}

static void check_again(struct watch *watch, struct conn *conn, const struct seen *seen, uint64_t from, uint64_t to)
{
	bool reason = conn->una < conn->again || watch->repath || conn->wnd == 0 || (seen->len <= 1 && conn->wnd_most);

	if (to > conn->top)
		watch_fault(watch, conn, "a retransmission %" PRIu64 "-%" PRIu64 " goes beyond what was sent, %" PRIu64, from, to, conn->top);
	if (from < conn->una)
		watch_fault(watch, conn, "it sends %" PRIu64 " again, and %" PRIu64 " is acknowledged", from, conn->una);
	if (!conn->sacked.full && seen->len && conn->una < conn->again && spans_cover(&conn->sacked, from, to) && conn->una >= conn->gone && !watch->repath &&
	    !conn->lied)
		watch_fault(watch, conn, "it sends %" PRIu64 "-%" PRIu64 " again, which is SACKed", from, to);
	if (!reason && watch->run->plan->classic)
		watch_fault(watch, conn, "it sends %" PRIu64 " again, and nothing says that it is lost (%u duplicates, %" PRIu64 " SACKed)", from,
			    conn->dups, spans_bytes(&conn->sacked));
	if (from == conn->una) {
		conn->must_resend = false;
		conn->recover = conn->top; /* once per window of data (RFC 6582) */
	}
	conn->resent = true;
	for (unsigned k = 0; k < conn->count; k++) {
		struct piece *piece = watch_piece(conn, k);

		if (piece->from < to && from < piece->to) {
			piece->times++;
			piece->last = seen->now;
		}
	}
}

static void check_data(struct watch *watch, struct conn *conn, const struct seen *seen)
{
	uint64_t from = place(seen->tcp.seq, conn->iss, conn->top), to = from + seen->len + !!(seen->tcp.flags & WT_FIN);
	const struct app *app = app_of(watch, conn);

	if (seen->len + seen->tcp.header_len - 20 > segment_most(watch, conn))
		watch_fault(watch, conn, "a segment of %u and %u of options, at most %" PRIu64, seen->len, seen->tcp.header_len - 20,
			    segment_most(watch, conn));
	if (from + seen->len > app->written + 1)
		watch_fault(watch, conn, "it sends %" PRIu64 " of %" PRIu64 " that were written", from + seen->len, app->written);
	for (uint32_t i = 0; i < seen->len; i++)
		if (from > 0 && seen->payload[i] != octet((unsigned)(conn - watch->conn), watch->side, from - 1 + i)) {
			watch_fault(watch, conn, "a wrong byte leaves at %" PRIu64, from + i);
			break;
		}
	if (seen->tcp.flags & WT_FIN) {
		if (!app->shut && !app->over)
			watch_fault(watch, conn, "a FIN before the application shut down");
		if (from + seen->len != app->written + 1 && !app->aborted)
			watch_fault(watch, conn, "a FIN at %" PRIu64 ", and %" PRIu64 " were written", from + seen->len, app->written);
		conn->fin_out = true;
	}
	if (seen->len && from + seen->len == app->written + 1 && !(seen->tcp.flags & WT_PSH) && to > conn->top)
		watch_fault(watch, conn, "the last byte that was written leaves without PSH");
	if (conn->rtos && !conn->heard && (conn->since_rto += seen->len) > segment_most(watch, conn) && watch->run->plan->reno && !conn->lied && conn->open && !watch->repath && conn->wnd)
		watch_fault(watch, conn, "more than a segment after a timeout, before any ACK");
	if (to > conn->top)
		check_new(watch, conn, seen, from, to);
	else
		check_again(watch, conn, seen, from, to);
	conn->moved = seen->now;
}

void watch_out(struct watch *watch, struct conn *conn, const struct seen *seen)
{
	uint64_t seq;

	if (conn->off)
		return;
	if (seen->tcp.flags & WT_RST) {
		if (conn->open && seen->tcp.seq == conn->iss + (uint32_t)conn->top)
			conn->off = true;
		return;
	}
	if (seen->tcp.flags & WT_SYN) {
		if (conn->fin_taken && conn->fin_out && conn->una == conn->top)
			conn->off = true; /* it is over: an old copy of the peer's SYN opens another, which the peer refuses */
		if (conn->out && conn->open && !conn->off)
			watch_fault(watch, conn, "a SYN on an open connection");
		if (conn->off)
			return;
		conn->syn_again = conn->out;
		conn->doubt |= conn->out && ((conn->syn[0].flags ^ seen->tcp.flags) & (WT_ECE | WT_CWR));
		conn->out = true;
		conn->iss = seen->tcp.seq;
		conn->syn[0] = seen->tcp;
		conn->top = 1;
		conn->una = 0;
		if (seen->tcp.flags & WT_ACK) {
			conn->right = 1 + seen->tcp.window;
			conn->owed = WT_NEVER;
		} else {
			conn->right = 1 + seen->tcp.window;
		}
		return;
	}
	if (!conn->in || !conn->out || !conn->open)
		return;
	watch_agree(conn);
	if (conn->fin_taken && conn->fin_out && conn->una == conn->top) {
		conn->off = true; /* TIME-WAIT and the end of LAST-ACK are judged by what is left at the end */
		return;
	}
	check_timestamp(watch, conn, seen);
	check_ack(watch, conn, seen);
	seq = place(seen->tcp.seq, conn->iss, conn->top);
	if (seen->len || seen->tcp.flags & WT_FIN)
		check_data(watch, conn, seen);
	else if (seq != conn->top && seq + 1 != conn->una && !watch->run->plan->lies)
		watch_fault(watch, conn, "a segment without data at %" PRIu64 ", and %" PRIu64 " is next", seq, conn->top);
}

/* ---- what does not leave ------------------------------------------------------------------------------------------ */

/* The longest that the retransmission timer may run: five of the longest round trips bound srtt + 4 rttvar (RFC 6298), doubled each time. */
wt_time watch_timer_most(const struct watch *watch, const struct conn *conn)
{
	const struct wt_tcp_settings *settings = settings_of(watch);
	wt_time most = conn->rtt_most ? 5 * conn->rtt_most + 3 * settings->tick + settings->rto_var_min : settings->rto_initial;

	most = most < settings->rto_min ? settings->rto_min : most;
	if (conn->syn_again && most < 3 * WT_S)
		most = 3 * WT_S; /* RFC 6298 5.7 */
	for (unsigned i = 0; i < conn->armed && most < settings->rto_max; i++)
		most *= 2;
	most = most < settings->rto_max ? most : settings->rto_max;
	most += 2 * settings->tick;
	return most > conn->running ? most : conn->running;
}

/* An application that has read so much has to be told of: RFC 9293 3.8.6.2.2 again. */
static void check_told(struct watch *watch, struct conn *conn)
{
	const struct wt_tcp_settings *settings = settings_of(watch);
	uint64_t room = 1 + app_of(watch, conn)->got + settings->rcv_buffer, least = settings->window_update * settings->mss, silly;

	if (!watch->run->plan->standard || conn->fin_taken || conn->fin_out || conn->fin || !app_of(watch, conn)->tcp)
		return;
	/* more than the field can say, or could say in the last ACK: the next one tells of it */
	if (room > conn->next + (65535u << conn->scale[0]) || conn->right >= conn->last_ack + (65535u << conn->scale[0]))
		return;
	least = settings->rcv_buffer / settings->window_update_part < least ? settings->rcv_buffer / settings->window_update_part : least;
	/* no smaller step than half of the buffer or a segment is told at all (3.8.6.2.2), though a third of the buffer asks for it (xkernel) */
	silly = settings->rcv_buffer / 2 < settings->mss ? settings->rcv_buffer / 2 : settings->mss;
	least = least < silly ? silly : least;
	if (room > conn->right + least + (2u << conn->scale[0]))
		watch_fault(watch, conn, "there is room to %" PRIu64 ", and nobody is told: %" PRIu64, room, conn->right);
}

void watch_overdue(struct watch *watch, struct conn *conn, wt_time now)
{
	if (conn->off || !conn->open || app_of(watch, conn)->over)
		return;
	if (conn->owed < now)
		watch_fault(watch, conn, "an ACK was due at %.9f s: %u segments, %" PRIu64 " of %" PRIu64, (double)conn->owed / 1e9, conn->segs,
			    conn->last_ack, conn->next);
	check_told(watch, conn);
	if (conn->must_resend)
		watch_fault(watch, conn, "as many duplicate ACKs as it takes, and no fast retransmit of %" PRIu64, conn->una);
	conn->must_resend = false;
	if (conn->una < conn->top && now - conn->moved > watch_timer_most(watch, conn))
		watch_fault(watch, conn, "%" PRIu64 " bytes are outstanding for %.3f s, and no timer has run out", conn->top - conn->una,
			    (double)(now - conn->moved) / 1e9);
}
