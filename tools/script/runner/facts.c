/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names a script may ask for: those of struct wt_tcp_info (bytes, nanoseconds) and those of Linux's TCP_INFO
 * (segments, microseconds), about the connection opened or accepted last.
 */
#include <stdio.h>
#include <string.h>

#include "tools/script/runner/world.h"

/* One snapshot with what translates it into script numbers. */
struct snapshot {
	struct wt_tcp_info info;
	struct wt_script_world *world;
};

static double segments(uint32_t bytes, const struct snapshot *s)
{
	if (bytes >= WT_SSTHRESH_INFINITE)
		return WT_SSTHRESH_INFINITE;
	return s->info.snd_mss ? bytes / s->info.snd_mss : 0;
}

/* Linux numbers the states another way. */
static double linux_state(enum wt_tcp_state state)
{
	static const uint8_t numbers[WT_TCP_STATES] = {
		[WT_TCP_CLOSED] = 7,     [WT_TCP_LISTEN] = 10,    [WT_TCP_SYN_SENT] = 2,   [WT_TCP_SYN_RECEIVED] = 3,
		[WT_TCP_ESTABLISHED] = 1, [WT_TCP_FIN_WAIT_1] = 4, [WT_TCP_FIN_WAIT_2] = 5, [WT_TCP_CLOSE_WAIT] = 8,
		[WT_TCP_CLOSING] = 11,   [WT_TCP_LAST_ACK] = 9,   [WT_TCP_TIME_WAIT] = 6,
	};

	return numbers[state];
}

/* 0 open, 1 disorder, 3 recovery, 4 loss; 2 (CWR) is not told apart. */
static double linux_ca_state(const struct wt_tcp_info *info)
{
	if (info->in_recovery)
		return 3;
	return info->backoff ? 4 : info->dupacks ? 1 : 0;
}

#define PLAIN(field)                                                                                                   \
	static double get_##field(const struct snapshot *s)                                                            \
	{                                                                                                              \
		return (double)s->info.field;                                                                          \
	}

PLAIN(conn) PLAIN(window_scaling) PLAIN(timestamps) PLAIN(sack) PLAIN(snd_mss) PLAIN(rcv_mss) PLAIN(snd_wnd)
PLAIN(rcv_wnd) PLAIN(cwnd) PLAIN(ssthresh) PLAIN(in_flight) PLAIN(inflate) PLAIN(pacing_rate) PLAIN(in_recovery)
PLAIN(fallback) PLAIN(dupacks) PLAIN(backoff) PLAIN(srtt) PLAIN(rttvar) PLAIN(rto) PLAIN(min_rtt) PLAIN(bytes_sent)
PLAIN(bytes_acked) PLAIN(bytes_received) PLAIN(segs_sent) PLAIN(segs_received) PLAIN(retransmits_segs)
PLAIN(retransmits_bytes) PLAIN(fast_recoveries) PLAIN(timeouts) PLAIN(dup_segs_received)
PLAIN(out_of_order_segs_received) PLAIN(sack_blocks_ignored) PLAIN(discarded_bytes) PLAIN(unsent) PLAIN(unread) PLAIN(ecn) PLAIN(ce_received_segs)
PLAIN(ece_received_segs) PLAIN(cwr_sent_segs) PLAIN(ecn_reductions)

#define DERIVED(name, expression)                                                                                      \
	static double get_##name(const struct snapshot *s)                                                             \
	{                                                                                                              \
		return (double)(expression);                                                                           \
	}

DERIVED(level, s->info.gauge[0])
DERIVED(snd_una, s->info.snd_una - s->info.iss)
DERIVED(snd_nxt, s->info.snd_nxt - s->info.iss)
DERIVED(rcv_nxt, s->info.rcv_nxt - s->world->options.remote_isn)
DERIVED(connections, wt_host_connections(s->world->host))
DERIVED(tcpi_state, linux_state(s->info.state))
DERIVED(tcpi_ca_state, linux_ca_state(&s->info))
DERIVED(tcpi_options, (s->info.timestamps ? 1 : 0) | (s->info.sack ? 2 : 0) | (s->info.window_scaling ? 4 : 0) |
			    (s->info.ecn ? 8 : 0))
DERIVED(tcpi_snd_cwnd, segments(s->info.cwnd, s))
DERIVED(tcpi_snd_ssthresh, segments(s->info.ssthresh, s))
DERIVED(tcpi_unacked, s->info.snd_mss ? (s->info.snd_nxt - s->info.snd_una + s->info.snd_mss - 1) / s->info.snd_mss : 0)
DERIVED(tcpi_rto, s->info.rto / WT_US)
DERIVED(tcpi_rtt, s->info.srtt / WT_US)
DERIVED(tcpi_rttvar, s->info.rttvar / WT_US)
DERIVED(tcpi_min_rtt, s->info.min_rtt / WT_US)

typedef double getter(const struct snapshot *s);

static const struct {
	const char *name;
	getter *get;
} facts[] = {
#define FACT(field) {#field, get_##field}
	FACT(conn), FACT(window_scaling), FACT(timestamps), FACT(sack), FACT(snd_mss), FACT(rcv_mss), FACT(snd_wnd),
	FACT(rcv_wnd), FACT(cwnd), FACT(ssthresh), FACT(in_flight), FACT(inflate), FACT(pacing_rate), FACT(in_recovery),
	FACT(fallback), FACT(dupacks), FACT(backoff), FACT(srtt), FACT(rttvar), FACT(rto), FACT(min_rtt), FACT(bytes_sent),
	FACT(bytes_acked), FACT(bytes_received), FACT(segs_sent), FACT(segs_received), FACT(retransmits_segs),
	FACT(retransmits_bytes), FACT(fast_recoveries), FACT(timeouts), FACT(dup_segs_received),
	FACT(ecn), FACT(ce_received_segs), FACT(ece_received_segs), FACT(cwr_sent_segs), FACT(ecn_reductions),
	FACT(sack_blocks_ignored), FACT(discarded_bytes), FACT(out_of_order_segs_received), FACT(unsent), FACT(unread), FACT(snd_una), FACT(snd_nxt), FACT(rcv_nxt),
	FACT(connections), FACT(tcpi_state), FACT(tcpi_ca_state), FACT(tcpi_options), FACT(tcpi_snd_cwnd),
	FACT(tcpi_snd_ssthresh), FACT(tcpi_unacked), FACT(tcpi_rto), FACT(tcpi_rtt), FACT(tcpi_rttvar),
	FACT(tcpi_min_rtt),
	{"level", get_level}, {"alpha", get_level}, /* the first gauge: TCP-Real, DCTCP */
	{"tcpi_snd_mss", get_snd_mss}, {"tcpi_rcv_mss", get_rcv_mss}, {"tcpi_backoff", get_backoff},
	{"tcpi_retransmits", get_backoff}, {"tcpi_total_retrans", get_retransmits_segs},
	{"tcpi_bytes_acked", get_bytes_acked}, {"tcpi_bytes_received", get_bytes_received},
	{"tcpi_bytes_sent", get_bytes_sent}, {"tcpi_bytes_retrans", get_retransmits_bytes},
	{"tcpi_segs_out", get_segs_sent}, {"tcpi_segs_in", get_segs_received}, {"tcpi_notsent_bytes", get_unsent},
};

static getter *find(const char *name)
{
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!strcmp(facts[i].name, name))
			return facts[i].get;
	return NULL;
}

/* Names whose value is the name of a congestion module. */
static bool module(const char *name)
{
	return !strcmp(name, "sender") || !strcmp(name, "recovery") || !strcmp(name, "receiver");
}

/* "FIN_WAIT_1": a name in an expression has no hyphen. */
static void state_word(enum wt_tcp_state state, char *text)
{
	strcpy(text, wt_tcp_state_name(state));
	for (; *text; text++)
		if (*text == '-')
			*text = '_';
}

/* Names that are true of no connection in particular. */
static bool constant(const char *name, struct wt_expression_value *value)
{
	static const char *const linux_ca[] = {"TCP_CA_Open", "TCP_CA_Disorder", "TCP_CA_CWR", "TCP_CA_Recovery", "TCP_CA_Loss"};

	for (unsigned i = 0; i < WT_TCP_STATES; i++) {
		state_word(i, value->text);
		if (!strcmp(name, value->text)) {
			value->is_text = true;
			return true;
		}
	}
	for (unsigned i = 0; i < 5; i++) {
		if (!strcmp(name, linux_ca[i])) {
			value->number = i;
			return true;
		}
	}
	if (!strcmp(name, "INFINITE")) {
		value->number = WT_SSTHRESH_INFINITE;
		return true;
	}
	return false;
}

/* drop_tcp_csum: what the host dropped, by cause */
static bool dropped(const struct wt_script_world *world, const char *name, struct wt_expression_value *value)
{
	if (strncmp(name, "drop_", 5))
		return false;
	for (unsigned i = 0; i < WT_DROP_CAUSES; i++) {
		const char *cause = wt_drop_name(i);
		size_t n = 0;

		while (cause[n] && name[5 + n] == (cause[n] == '-' ? '_' : cause[n]))
			n++;
		if (!cause[n] && !name[5 + n]) {
			value->number = (double)world->node->audit.dropped[i];
			return true;
		}
	}
	return false;
}

/* The state is known from trace events even when nobody holds the connection: before accept(), after close(). */
static void state_text(const struct wt_script_world *world, const struct wt_script_socket *socket, char *text)
{
	uint32_t conn = socket && socket->conn ? socket->conn : world->newest;
	enum wt_tcp_state state = WT_TCP_CLOSED;
	struct wt_tcp_info info;

	if (socket && socket->tcp) {
		wt_tcp_info(socket->tcp, &info);
		state = info.state;
	} else if (conn && conn < WT_SCRIPT_CONNECTIONS) {
		state = world->states[conn];
	}
	state_word(state, text);
}

static bool of_host(struct wt_script_world *world, const char *name, struct wt_expression_value *value)
{
	struct wt_host_info info;
	const char *known;
	uint64_t number;

	if (!strcmp(name, "connections")) {
		value->number = wt_host_connections(world->host);
		return true;
	}
	wt_host_info(world->host, &info);
	for (unsigned i = 0; wt_host_info_at(&info, i, &known, &number); i++) {
		if (!strcmp(name, known)) {
			value->number = (double)number;
			return true;
		}
	}
	return false;
}

bool wt_script_fact(void *context, const char *name, struct wt_expression_value *value, char *error, size_t error_len)
{
	struct wt_script_world *world = context;
	struct wt_script_socket *socket = world->current_socket < 0 ? NULL : &world->sockets[world->current_socket];
	struct snapshot s = {.world = world};
	bool known;

	if (constant(name, value) || dropped(world, name, value))
		return true;
	if (!strcmp(name, "state")) {
		value->is_text = true;
		state_text(world, socket, value->text);
		return true;
	}
	if (of_host(world, name, value))
		return true;
	known = module(name) || find(name);
	if (!known) {
		snprintf(error, error_len, "unknown name '%s'", name);
		return false;
	}
	if (!socket || !socket->tcp) {
		snprintf(error, error_len, "'%s' asks about a connection, but none is open here", name);
		return false;
	}
	wt_tcp_info(socket->tcp, &s.info);
	value->is_text = module(name);
	if (value->is_text)
		snprintf(value->text, sizeof(value->text), "%s",
			 !strcmp(name, "sender") ? s.info.sender : !strcmp(name, "recovery") ? s.info.recovery : s.info.receiver);
	else
		value->number = find(name)(&s);
	return true;
}
