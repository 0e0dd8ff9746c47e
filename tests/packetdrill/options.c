/* SPDX-License-Identifier: BSD-2-Clause */
/* Socket options, and TCP_INFO as Linux numbers it: segments and microseconds. */
#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "adapter.h"
#include "stack/tcp/tcb.h"

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

/* packetdrill takes what is at least as long as the structure it knows, which is longer than older headers have it; zero is unknown. */
union long_info {
	struct tcp_info info;
	uint8_t all[512];
};

int pd_lacks(const char *what, int error)
{
	fprintf(stderr, "packetdrill adapter: the engine has no %s\n", what);
	return -error;
}

/* Options that Linux has and we have not, or only as words. */
static int lacks_option(int level, int name)
{
	static const struct {
		int level, name;
		const char *what;
	} known[] = {
		{IPPROTO_TCP, TCP_FASTOPEN, "TCP Fast Open"},
		{IPPROTO_TCP, TCP_FASTOPEN_CONNECT, "TCP Fast Open"},
		{IPPROTO_TCP, TCP_FASTOPEN_KEY, "TCP Fast Open"},
		{IPPROTO_TCP, TCP_FASTOPEN_NO_COOKIE, "TCP Fast Open"},
		{IPPROTO_TCP, TCP_CORK, "TCP_CORK"},
		{IPPROTO_TCP, TCP_NOTSENT_LOWAT, "TCP_NOTSENT_LOWAT"},
		{IPPROTO_TCP, TCP_INQ, "TCP_INQ"},
		{IPPROTO_TCP, TCP_MD5SIG, "TCP MD5 signatures"},
		{SOL_SOCKET, SO_ZEROCOPY, "SO_ZEROCOPY"},
		{SOL_SOCKET, SO_TIMESTAMPING, "SO_TIMESTAMPING"},
		{IPPROTO_IP, 0, "options of IP"},
	};
	char text[64];

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].level == level && (known[i].name == name || !known[i].name))
			return pd_lacks(known[i].what, level == SOL_SOCKET ? ENOTSUP : ENOPROTOOPT);
	snprintf(text, sizeof(text), "socket option %d of level %d", name, level);
	return pd_lacks(text, ENOPROTOOPT);
}

static uint32_t segments(uint64_t bytes, uint32_t mss)
{
	return (uint32_t)(mss ? bytes / mss : 0);
}

static uint8_t linux_state(enum wt_tcp_state state)
{
	static const uint8_t numbers[WT_TCP_STATES] = {
		[WT_TCP_CLOSED] = 7,      [WT_TCP_LISTEN] = 10,    [WT_TCP_SYN_SENT] = 2,   [WT_TCP_SYN_RECEIVED] = 3,
		[WT_TCP_ESTABLISHED] = 1, [WT_TCP_FIN_WAIT_1] = 4, [WT_TCP_FIN_WAIT_2] = 5, [WT_TCP_CLOSE_WAIT] = 8,
		[WT_TCP_CLOSING] = 11,    [WT_TCP_LAST_ACK] = 9,   [WT_TCP_TIME_WAIT] = 6,
	};

	return numbers[state];
}

/* Open, Disorder, CWR, Recovery, Loss. */
static uint8_t linux_ca_state(const struct wt_tcp *tcp)
{
	if (tcp->after_rto)
		return 4;
	if (tcp->in_recovery)
		return 3;
	if (tcp->ecn.reduced && wt_seq_lt(tcp->snd_una, tcp->ecn.reduced_at))
		return 2;
	return tcp->board.view.sacked || tcp->dupacks ? 1 : 0;
}

/* What is out, by segment as it was sent. */
static void count_flight(const struct wt_tcp *tcp, struct tcp_info *out)
{
	const struct wt_outstanding *view = &tcp->board.view;

	for (uint32_t i = 0; i < view->count; i++) {
		const struct wt_tx_record *record = wt_tx_record_at(view, i);

		out->tcpi_unacked++;
		out->tcpi_sacked += (record->flags & WT_TX_SACKED) != 0;
		out->tcpi_lost += (record->flags & WT_TX_LOST) != 0 || (record->flags & (WT_TX_RETRANSMITTED | WT_TX_SACKED)) == WT_TX_RETRANSMITTED;
		out->tcpi_retrans += (record->flags & (WT_TX_RETRANSMITTED | WT_TX_SACKED | WT_TX_LOST)) == WT_TX_RETRANSMITTED;
	}
}

static void fill_info(struct pd_socket *socket, struct tcp_info *out)
{
	const struct wt_tcp *tcp = socket->tcp;
	struct wt_tcp_info info;

	if (!tcp) {
		out->tcpi_state = 7;
		return;
	}
	wt_tcp_info(tcp, &info);
	out->tcpi_state = linux_state(info.state);
	if (socket->listening || info.state == WT_TCP_CLOSED)
		return;
	count_flight(tcp, out);
	out->tcpi_ca_state = linux_ca_state(tcp);
	out->tcpi_retransmits = out->tcpi_backoff = (uint8_t)info.backoff;
	out->tcpi_options = (uint8_t)(info.timestamps | info.sack << 1 | info.window_scaling << 2 | info.ecn << 3);
	out->tcpi_snd_wscale = tcp->snd_wscale & 15u;
	out->tcpi_rcv_wscale = tcp->rcv_wscale & 15u;
	out->tcpi_rto = (uint32_t)(info.rto / WT_US);
	out->tcpi_snd_mss = info.snd_mss;
	out->tcpi_rcv_mss = info.rcv_mss;
	out->tcpi_advmss = (uint32_t)socket->config.settings.mss - (info.timestamps ? 12 : 0);
	out->tcpi_rtt = (uint32_t)(info.srtt / WT_US);
	out->tcpi_rttvar = (uint32_t)(info.rttvar / WT_US);
	out->tcpi_min_rtt = info.min_rtt ? (uint32_t)(info.min_rtt / WT_US) : UINT32_MAX;
	out->tcpi_snd_cwnd = segments(info.cwnd, info.snd_mss);
	out->tcpi_snd_ssthresh = info.ssthresh >= WT_SSTHRESH_INFINITE ? 0x7fffffff : segments(info.ssthresh, info.snd_mss);
	out->tcpi_reordering = (uint32_t)socket->config.settings.dupthresh;
	out->tcpi_total_retrans = (uint32_t)info.retransmits_segs;
	out->tcpi_bytes_acked = info.bytes_acked;
	out->tcpi_bytes_received = info.bytes_received;
	out->tcpi_bytes_sent = info.bytes_sent;
	out->tcpi_bytes_retrans = info.retransmits_bytes;
	out->tcpi_segs_out = (uint32_t)info.segs_sent;
	out->tcpi_segs_in = (uint32_t)info.segs_received;
	out->tcpi_notsent_bytes = info.unsent;
	out->tcpi_delivered = segments(tcp->board.delivered + info.snd_mss - 1, info.snd_mss);
	out->tcpi_last_data_recv = (uint32_t)((pd.now - tcp->last_heard) / WT_MS);
}

/* ---- options that are numbers -------------------------------------------------------------------------------------- */

static void update_keepalive(struct pd_socket *socket)
{
	socket->config.settings.keepalive = socket->keepalive ? (wt_time)socket->keepidle_s * WT_S : 0;
}

/* Those that may change on an open connection. */
static int adjust(struct pd_socket *socket)
{
	return socket->tcp ? wt_tcp_adjust(socket->tcp, &socket->config.settings) : 0;
}

static int set_linger(struct pd_socket *socket, const void *value, socklen_t len)
{
	struct linger linger;

	if (len < sizeof(linger))
		return -EINVAL;
	memcpy(&linger, value, sizeof(linger));
	socket->linger_abort = linger.l_onoff && !linger.l_linger;
	return 0;
}

static int set_socket_level(struct pd_socket *socket, int name, int number)
{
	struct wt_tcp_settings *settings = &socket->config.settings;

	switch (name) {
	case SO_REUSEADDR:
	case SO_REUSEPORT:
	case SO_PRIORITY:
	case SO_MARK:
		return 0;
	case SO_SNDBUF:
		socket->snd_said = number < 2304 ? 4608 : 2 * (uint64_t)number;
		settings->snd_buffer = socket->snd_said;
		return adjust(socket);
	case SO_RCVBUF:
		socket->rcv_said = number < 1152 ? 2304 : 2 * (uint64_t)number;
		settings->rcv_buffer = socket->rcv_said / 2;
		return socket->tcp ? -EOPNOTSUPP : 0;
	case SO_KEEPALIVE:
		socket->keepalive = number != 0;
		update_keepalive(socket);
		return adjust(socket);
	default:
		return lacks_option(SOL_SOCKET, name);
	}
}

static int set_tcp_level(struct pd_socket *socket, int name, int number)
{
	struct wt_tcp_settings *settings = &socket->config.settings;

	switch (name) {
	case TCP_NODELAY:
		settings->nagle = number == 0;
		return adjust(socket);
	case TCP_MAXSEG:
		settings->mss = (uint64_t)number;
		return socket->tcp ? -EOPNOTSUPP : 0;
	case TCP_KEEPIDLE:
		socket->keepidle_s = (uint64_t)number;
		update_keepalive(socket);
		return adjust(socket);
	case TCP_KEEPINTVL:
		settings->keepalive_interval = number * WT_S;
		return adjust(socket);
	case TCP_KEEPCNT:
		settings->keepalive_probes = (uint64_t)number;
		return adjust(socket);
	case TCP_USER_TIMEOUT:
		socket->user_timeout_ms = (uint64_t)number;
		settings->user_timeout = number * WT_MS;
		return socket->tcp ? -EOPNOTSUPP : 0;
	default:
		return lacks_option(IPPROTO_TCP, name);
	}
}

int pd_setsockopt(struct pd_socket *socket, int level, int name, const void *value, socklen_t len)
{
	char word[64] = "", why[256];
	int number;

	if (level == SOL_SOCKET && name == SO_LINGER)
		return set_linger(socket, value, len);
	if (level == IPPROTO_TCP && name == TCP_CONGESTION) {
		memcpy(word, value, len < sizeof(word) - 1 ? len : sizeof(word) - 1);
		return wt_sender_choose(!strcmp(word, "reno") ? "newreno" : word, &socket->config.sender, why, sizeof(why)) ? -ENOENT :
		       socket->tcp ? wt_tcp_exchange_sender(socket->tcp, &socket->config.sender) : 0;
	}
	if (level == IPPROTO_IP)
		return lacks_option(level, name);
	if (len < sizeof(number))
		return -EINVAL;
	memcpy(&number, value, sizeof(number));
	if (level == SOL_SOCKET)
		return set_socket_level(socket, name, number);
	return level == IPPROTO_TCP ? set_tcp_level(socket, name, number) : lacks_option(level, name);
}

static int give(void *value, socklen_t *len, const void *from, size_t size)
{
	if (*len > size)
		*len = (socklen_t)size;
	memcpy(value, from, *len);
	return 0;
}

/* The number of an option, or a negative errno. */
static int64_t number_of(struct pd_socket *socket, int level, int name)
{
	const struct wt_tcp_settings *settings = &socket->config.settings;
	struct wt_tcp_info info;

	if (level == SOL_SOCKET) {
		switch (name) {
		case SO_ERROR: return -pd_socket_error(socket);
		case SO_SNDBUF: return (int64_t)(socket->snd_said ? socket->snd_said : settings->snd_buffer);
		case SO_RCVBUF: return (int64_t)(socket->rcv_said ? socket->rcv_said : settings->rcv_buffer);
		case SO_KEEPALIVE: return socket->keepalive;
		case SO_TYPE: return SOCK_STREAM;
		case SO_PROTOCOL: return IPPROTO_TCP;
		default: return lacks_option(level, name);
		}
	}
	switch (name) {
	case TCP_NODELAY: return !settings->nagle;
	case TCP_KEEPIDLE: return (int64_t)socket->keepidle_s;
	case TCP_KEEPINTVL: return settings->keepalive_interval / WT_S;
	case TCP_KEEPCNT: return (int64_t)settings->keepalive_probes;
	case TCP_USER_TIMEOUT: return (int64_t)socket->user_timeout_ms;
	case TCP_MAXSEG:
		if (!socket->tcp || socket->listening)
			return (int64_t)settings->mss;
		wt_tcp_info(socket->tcp, &info);
		return info.snd_mss;
	default: return lacks_option(level, name);
	}
}

int pd_getsockopt(struct pd_socket *socket, int level, int name, void *value, socklen_t *len)
{
	const char *sender = socket->config.sender.ops->name;
	uint32_t memory[9] = {0};
	union long_info long_info;
	int64_t number;
	int small;

	if (level == IPPROTO_TCP && name == TCP_INFO) {
		memset(&long_info, 0, sizeof(long_info));
		fill_info(socket, &long_info.info);
		return give(value, len, &long_info, sizeof(long_info));
	}
	if (level == IPPROTO_TCP && name == TCP_CC_INFO)
		return give(value, len, "", 0);
	if (level == SOL_SOCKET && name == SO_MEMINFO)
		return give(value, len, memory, sizeof(memory));
	if (level == IPPROTO_TCP && name == TCP_CONGESTION)
		return give(value, len, !strcmp(sender, "newreno") ? "reno" : sender, strlen(sender) + 1);
	if (level != SOL_SOCKET && level != IPPROTO_TCP)
		return lacks_option(level, name);
	number = number_of(socket, level, name);
	if (number < 0)
		return (int)number;
	small = (int)number;
	return give(value, len, &small, sizeof(small));
}

int pd_ioctl(struct pd_socket *socket, unsigned long request, int *value)
{
	struct wt_tcp_info info = {0};

	if (socket->listening)
		return -EINVAL;
	if (socket->tcp)
		wt_tcp_info(socket->tcp, &info);
	switch (request) {
	case SIOCINQ: *value = (int)info.unread; return 0;
	case SIOCOUTQ: *value = (int)(info.snd_nxt - info.snd_una + info.unsent); return 0;
	case SIOCOUTQNSD: *value = (int)info.unsent; return 0;
	default: return -EOPNOTSUPP;
	}
}
