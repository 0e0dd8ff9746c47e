/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ICMP errors about our segments: RFC 1191 (path MTU), RFC 1122 4.2.3.9 and RFC 5461 (hard and soft errors), RFC 5927 (forged
 * ones). An error is believed only if it quotes something in flight, and even then it ends no open connection.
 */
#include <errno.h>

#include "stack/tcp/tcb.h"
#include "stack/wire/icmp.h"

#define MTU_LEAST 576 /* of a path: RFC 5927 7 calls less an attack */

/* RFC 1191 5 and 7.1: a router from before RFC 1191 says 0. The next lower plateau of what did not fit is tried. */
static uint32_t plateau_below(uint32_t len)
{
	static const uint16_t plateaus[] = {32000, 17914, 8166, 4352, 2002, 1492, 1006, MTU_LEAST};

	for (unsigned i = 0; i < sizeof(plateaus) / sizeof(*plateaus); i++)
		if (plateaus[i] < len)
			return plateaus[i];
	return 0;
}

/* Some BSDs count the header twice in what they quote (RFC 1191 5), so the length is never above what we may have sent. */
static uint32_t next_hop_mtu(const struct wt_tcp *tcp, const struct wt_icmp_error *error)
{
	uint32_t sent = tcp->path_mss + wt_tcp_headers(tcp);

	return error->mtu ? error->mtu : plateau_below(error->quoted_len < sent ? error->quoted_len : sent);
}

static bool flight_fits(const struct wt_tcp *tcp)
{
	const struct wt_outstanding *view = &tcp->board.view;

	for (uint32_t i = 0; i < view->count; i++)
		if (wt_tx_record_at(view, i)->len > wt_tcp_send_mss(tcp))
			return false;
	return true;
}

static void path_shrank(struct wt_tcp *tcp, uint32_t mtu)
{
	if (mtu < MTU_LEAST || mtu - wt_tcp_headers(tcp) >= tcp->path_mss)
		return;
	tcp->path_mss = mtu - wt_tcp_headers(tcp);
	wt_tcp_limit_mss(tcp);
	wt_cc_event(tcp, WT_CC_MSS);
	if (!flight_fits(tcp))
		wt_tcp_go_back(tcp); /* RFC 1191 6.4: one segment, then slow start */
}

void wt_tcp_icmp(struct wt_tcp_stack *stack, const struct wt_icmp_error *error)
{
	struct wt_tcp *tcp = wt_demux_connection(stack, &error->tuple);

	if (!tcp)
		return;
	/* only about something in flight: a blind attacker does not know it (RFC 5927 4.1) */
	if (!(wt_seq_ge(error->seq, tcp->snd_una) && wt_seq_lt(error->seq, tcp->snd_nxt)))
		return;
	if (error->type == WT_ICMP_UNREACHABLE && error->code == WT_ICMP_FRAGMENTATION_NEEDED) {
		path_shrank(tcp, next_hop_mtu(tcp, error));
		return;
	}
	tcp->soft_error = wt_icmp_errno(error); /* what the application is told if this is the last that was heard */
	/* hard errors kill only a connection that is not synchronized (RFC 5927 5.2, RFC 9293 3.9.2.2) */
	if (tcp->state == WT_TCP_SYN_SENT && tcp->soft_error == -ECONNREFUSED)
		wt_tcb_end(tcp, -ECONNREFUSED);
}
