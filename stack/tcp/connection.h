/* SPDX-License-Identifier: BSD-2-Clause */
/* What an application and the engine both know of a connection: its states, its events, its configuration, its numbers. */
#ifndef WT_STACK_TCP_CONNECTION_H
#define WT_STACK_TCP_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cc/choose.h"
#include "stack/base/seq.h"
#include "stack/base/time.h"
#include "stack/tcp/settings.h"
#include "stack/text/addr.h"

struct wt_tcp;

enum wt_tcp_state { /* RFC 9293 3.3.2 */
	WT_TCP_CLOSED,
	WT_TCP_LISTEN,
	WT_TCP_SYN_SENT,
	WT_TCP_SYN_RECEIVED,
	WT_TCP_ESTABLISHED,
	WT_TCP_FIN_WAIT_1,
	WT_TCP_FIN_WAIT_2,
	WT_TCP_CLOSE_WAIT,
	WT_TCP_CLOSING,
	WT_TCP_LAST_ACK,
	WT_TCP_TIME_WAIT,
	WT_TCP_STATES,
};

const char *wt_tcp_state_name(enum wt_tcp_state state); /* "ESTABLISHED" */

enum wt_tcp_event {
	WT_TCP_EV_ACCEPT = 1,    /* listener: wt_tcp_accept() has one */
	WT_TCP_EV_CONNECTED = 2,
	WT_TCP_EV_READABLE = 4,  /* new bytes to read */
	WT_TCP_EV_WRITABLE = 8,  /* room in the send buffer after it was full */
	WT_TCP_EV_EOF = 16,      /* the peer's FIN is next after the readable bytes */
	WT_TCP_EV_SENT = 32,     /* everything written was acknowledged, FIN included if there was one */
	WT_TCP_EV_ERROR = 64,    /* reset, timed out, unreachable: wt_tcp_error() says which; state is CLOSED */
	WT_TCP_EV_CLOSED = 128,  /* state is CLOSED (or TIME-WAIT): nothing more will come */
	WT_TCP_EV_PUSHED = 256,  /* beside READABLE: the peer had no more to send after some of these bytes (PSH), or they stood above a hole */
};

typedef void wt_tcp_callback(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now);

struct wt_tcp_config {
	struct wt_tcp_settings settings;
	const char *preset;                 /* a name of wt_tcp_preset_names; it lives as long as the program. NULL: modern */
	struct wt_sender_choice sender;     /* ops NULL: the preset's */
	struct wt_recovery_choice recovery; /* ops NULL: the sender's own, or else the preset's */
	struct wt_receiver_choice receiver; /* ops NULL: standard */
	wt_tcp_callback *callback;          /* NULL: poll with wt_tcp_info() */
	void *arg;
};

/* What `%{ ... }%` of packet scripts, --json and traces ask. Bytes and nanoseconds. */
struct wt_tcp_info {
	enum wt_tcp_state state;
	uint32_t conn; /* number in trace events */
	struct wt_endpoint local, remote;
	bool window_scaling, timestamps, sack, ecn; /* in force; ecn: for what we send */
	uint32_t snd_mss, rcv_mss;
	wt_seq iss, irs, snd_una, snd_nxt, rcv_nxt;
	uint32_t snd_wnd, rcv_wnd; /* windows in force, bytes */
	uint32_t cwnd, ssthresh, in_flight, inflate;
	uint64_t pacing_rate;      /* bytes per second; 0: not paced */
	const char *const *gauges; /* names of the sender module's own numbers; ends with NULL; NULL: none */
	double gauge[WT_CC_GAUGES];
	bool in_recovery, fallback;
	uint32_t dupacks, backoff;
	wt_time srtt, rttvar, rto, min_rtt;
	wt_time mean_rtt; /* of all samples since the connection began; 0: there was none */
	uint64_t bytes_sent, bytes_acked, bytes_received; /* payload; sent counts first transmissions */
	uint64_t segs_sent, segs_received;                /* all segments */
	uint64_t retransmits_segs, retransmits_bytes, fast_recoveries, timeouts;
	uint64_t dup_segs_received, out_of_order_segs_received;
	uint64_t discarded_bytes;     /* SACKed before, dropped for want of memory for what was next in order (RFC 2018 8) */
	uint64_t sack_blocks_ignored; /* of the peer's, for want of memory for another interval */
	uint64_t ce_received_segs;  /* payload that came marked, and was taken */
	uint64_t ece_received_segs; /* ACKs that told us of marks */
	uint64_t cwr_sent_segs, ecn_reductions;
	uint32_t unsent;  /* in the send buffer, not yet sent */
	uint32_t unread;
	const char *sender, *recovery, *receiver; /* module names */
	int soft_error; /* negative errno of the last ICMP error since the peer was heard (RFC 5461); 0: none */
};

/* What a host has met and turned away since it was made. */
struct wt_tcp_counts {
	uint64_t accept_full;      /* SYNs and third segments dropped: as many connections as may wait to be accepted do */
	uint64_t table_full;       /* the same: the host has max_connections */
	uint64_t refused_memory;   /* opens of ours, SYNs and third segments: three quarters of `memory` are taken */
	uint64_t cookies_sent;     /* SYN-ACKs of SYNs that found max_half_open entries */
	uint64_t cookies_accepted; /* connections made from them: standard TCP, without options of modules */
	uint64_t cookies_failed;   /* ACKs in that time that were none */
	uint64_t time_wait_cut; /* TIME-WAITs that ended before their time, to make room for others */
};

#endif
