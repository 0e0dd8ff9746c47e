/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is a life: segments, ICMP errors and broken frames for a host with open connections, calls of its application, and time.
 * Its first four bytes choose modules, buffers, settings and what the application does when it is called back.
 *
 * Claims: whatever comes, each frame that leaves can be read and has right checksums; its payload is what the application wrote at that
 * place; nothing is acknowledged that nobody sent; bytes read are the bytes sent; the host rests; the books balance; the invariants of each
 * connection hold; and no frame is lost.
 */
#include "stack/wire/checksum.h"
#include "tests/fuzz/host_life.h"

enum { STEPS = 300, MOST_SENT = 60000 };

/* What the application does when it is called back, as bits of one byte. */
enum { ACCEPTS = 1, READS = 2, WRITES = 4, CLOSES_AT_EOF = 8, CLOSES_AT_ERROR = 16, WRITES_AT_ONCE = 32, SHUTS_DOWN = 64, ABORTS = 128 };

struct life life;

/* ---- the application -------------------------------------------------------------------------------------- */

static void forget(const struct wt_tcp *tcp)
{
	for (unsigned i = 0; i < HANDLES; i++)
		if (life.handle[i] == tcp)
			life.handle[i] = NULL;
}

static void keep(struct wt_tcp *tcp)
{
	for (unsigned i = 0; i < HANDLES; i++) {
		if (!life.handle[i]) {
			life.handle[i] = tcp;
			return;
		}
	}
	wt_tcp_abort(tcp);
}

static void read_some(struct wt_tcp *tcp, size_t most)
{
	uint8_t buffer[4096];

	while (most) {
		uint32_t at = tcp->read_seq - tcp->irs - 1;
		ssize_t got = wt_tcp_read(tcp, buffer, most < sizeof(buffer) ? most : sizeof(buffer));

		if (got <= 0)
			return;
		for (ssize_t i = 0; i < got && !life.unknown; i++)
			CLAIM(buffer[i] == stream_byte(at + (uint32_t)i));
		most -= (size_t)got;
	}
}

static void write_some(struct wt_tcp *tcp, uint32_t len)
{
	static uint8_t buffer[70000];
	uint32_t at;

	if (tcp->state == WT_TCP_LISTEN) {
		CLAIM(wt_tcp_write(tcp, buffer, 1) < 0);
		return;
	}
	at = tcp->snd_end - tcp->iss - 1;
	len = len < sizeof(buffer) ? len : sizeof(buffer);
	for (uint32_t i = 0; i < len; i++)
		buffer[i] = stream_byte(at + i);
	wt_tcp_write(tcp, buffer, len);
}

static void called_back(void *arg, struct wt_tcp *tcp, unsigned events, wt_time now)
{
	uint8_t habits = life.habits;
	struct wt_tcp *fresh;

	if (events & WT_TCP_EV_ACCEPT && habits & ACCEPTS)
		while ((fresh = wt_tcp_accept(tcp)))
			keep(fresh);
	if (events & WT_TCP_EV_READABLE && habits & READS)
		read_some(tcp, 100000);
	if (events & WT_TCP_EV_WRITABLE && habits & WRITES)
		write_some(tcp, 5000);
	if ((events & WT_TCP_EV_EOF && habits & CLOSES_AT_EOF) || (events & WT_TCP_EV_ERROR && habits & CLOSES_AT_ERROR)) {
		forget(tcp);
		wt_tcp_close(tcp);
		return;
	}
	if (events & WT_TCP_EV_CONNECTED && habits & WRITES_AT_ONCE)
		write_some(tcp, 20000);
	if (events & WT_TCP_EV_SENT && habits & SHUTS_DOWN)
		wt_tcp_shutdown(tcp);
	if (events & WT_TCP_EV_READABLE && habits & ABORTS && habits & WRITES_AT_ONCE) {
		forget(tcp);
		wt_tcp_abort(tcp);
	}
}

/* ---- what leaves ------------------------------------------------------------------------------------------ */

static void check_segment(const struct wt_frame *frame, const struct wt_ipv4 *ip)
{
	const uint8_t *tcp = wt_frame_look(frame) + HEADERS;
	uint32_t len = frame->len - HEADERS, payload;
	struct wt_tuple tuple = {{ip->src, 0}, {ip->dst, 0}};
	const struct wt_tcp *owner;
	struct wt_tcp_header seg;

	CLAIM(wt_tcp_parse(tcp, len, &seg));
	CLAIM(wt_csum_fold(wt_csum_add(wt_csum_pseudo(&ip->src, &ip->dst, WT_IP_TCP, len), tcp, len)) == 0);
	tuple.local.port = seg.src_port;
	tuple.remote.port = seg.dst_port;
	owner = wt_demux_connection(&life.host->tcp, &tuple);
	if (!owner || owner->state < WT_TCP_ESTABLISHED || seg.flags & WT_RST)
		return;
	payload = len - seg.header_len;
	for (uint32_t i = 0; i < payload; i++)
		CLAIM(tcp[seg.header_len + i] == stream_byte(seg.seq + i - owner->iss - 1));
	if (seg.flags & WT_ACK && !life.unknown && life.given[owner->conn % REMEMBERED].known &&
	    life.given[owner->conn % REMEMBERED].conn == owner->conn)
		CLAIM(wt_seq_le(seg.ack, life.given[owner->conn % REMEMBERED].top));
}

static void check_frame(struct wt_frame *frame)
{
	struct wt_ipv4 ip;
	struct wt_eth eth;

	CLAIM(frame->len <= frame->room && frame->len <= life.host->config.mtu + WT_ETH_HEADER);
	wt_frame_finish_csum(frame);
	CLAIM(wt_eth_parse(wt_frame_own_bytes(frame), frame->len, &eth));
	if (eth.type != WT_ETH_IPV4)
		return;
	CLAIM(wt_ipv4_parse(wt_frame_own_bytes(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, true, &ip) == WT_IPV4_OK);
	if (ip.protocol == WT_IP_TCP)
		check_segment(frame, &ip);
}

static void drain(unsigned most)
{
	struct wt_node *node = wt_host_node(life.host);
	struct wt_frame *frame;
	unsigned port, count = 0;

	while (count < most && (frame = node->ops->output(node, life.now, &port))) {
		check_frame(frame);
		wt_frame_free(frame);
		CLAIM(++count < MOST_SENT);
	}
	life.sent += count;
	if (count < most)
		CLAIM(node->ops->deadline(node) > life.now);
	CLAIM(wt_audit_holds(&node->audit));
	for (const struct wt_tcp *tcp = life.host->tcp.all; tcp; tcp = tcp->all_next)
		if (tcp->state >= WT_TCP_ESTABLISHED)
			wt_tcb_check(tcp);
}

/* ---- a life ----------------------------------------------------------------------------------------------- */

static struct wt_tcp *open_one(unsigned number)
{
	struct wt_tcp *tcp;
	unsigned count = 0;

	for (tcp = life.host->tcp.all; tcp; tcp = tcp->all_next)
		count += tcp->state != WT_TCP_LISTEN && tcp->state != WT_TCP_CLOSED;
	if (!count)
		return NULL;
	number %= count;
	for (tcp = life.host->tcp.all; tcp; tcp = tcp->all_next)
		if (tcp->state != WT_TCP_LISTEN && tcp->state != WT_TCP_CLOSED && !number--)
			return tcp;
	return NULL;
}

static void choose(void)
{
	static const char *const senders[] = {"newreno", "real", "reno", "tahoe", "dctcp", "real:profile=paper",
					      "real:profile=paper,opt=paper4", "newreno"};
	static const char *const receivers[] = {"standard", "real", "dctcp", "real:profile=paper", "real:profile=paper,opt=paper4",
						"standard", "standard", "standard"};
	struct wt_host_config config = {.name = "victim", .mac = our_mac, .addr = wt_addr_ipv4(10, 0, 0, 1), .prefix_len = 24,
					.secret = {1, 2}, .max_connections = 24, .pool = life.pool,
					.neighbours = {{wt_addr_ipv4(10, 0, 0, 2), peer_mac}}};
	uint8_t modules = u8(), buffers = u8(), settings = u8();
	struct wt_tcp_settings *tcp = &life.tcp.settings;
	char err[200];

	life.habits = u8();
	if (settings & 64)
		config.mtu = 576 + (uint32_t)(settings & 15) * 60;
	life.host = wt_host_create(&config);
	wt_tcp_config_init(&life.tcp);
	if (settings & 1)
		CLAIM(!wt_tcp_preset("bsd90", tcp, err, sizeof(err)));
	CLAIM(!wt_sender_choose(senders[modules & 7], &life.tcp.sender, err, sizeof(err)));
	CLAIM(!wt_receiver_choose(receivers[modules >> 3 & 7], &life.tcp.receiver, err, sizeof(err)));
	if (modules & 64)
		life.tcp.recovery.ops = NULL;
	tcp->snd_buffer = 2048u << (buffers & 7);
	tcp->rcv_buffer = 2048u << (buffers >> 3 & 7);
	if (buffers & 64)
		tcp->mss = 88 + (buffers & 31);
	tcp->ecn = settings & 2 ? WT_ECN_SETTING_ON : WT_ECN_SETTING_PASSIVE;
	tcp->nagle = !(settings & 4);
	if (settings & 8)
		tcp->keepalive = 5 * WT_S;
	if (settings & 16)
		tcp->ack_delay = 0;
	if (settings & 32)
		tcp->timestamps = tcp->sack = 0;
	life.tcp.callback = called_back;
	life.listener = wt_tcp_listen(life.host, &(struct wt_endpoint){.port = PORT}, 6, &life.tcp);
	if (settings & 128)
		life.handle[0] = NULL;
	else
		life.handle[0] = wt_tcp_connect(life.host, &(struct wt_endpoint){wt_addr_ipv4(10, 0, 0, 2), PORT},
						&(struct wt_endpoint){.port = OWN_PORT}, &life.tcp, life.now);
}

/* The connection of the first handle is open from the start. */
static void answer_first(void)
{
	static const uint8_t offer[6] = {'T', 'R', 0x10, 3, 0, 0};
	const struct wt_tcp *tcp = life.handle[0];
	struct wt_tcp_header seg = {.seq = 0xfffffff0u, .ack = tcp->snd_nxt, .window = 60000, .has_mss = true, .mss = 1460,
				    .has_wscale = true, .wscale = 3, .has_sack_permitted = true, .has_ts = true, .tsval = 1000,
				    .tsecr = tcp->ts_offset, .experiment_count = 1};

	seg.flags = WT_SYN | WT_ACK | (life.tcp.settings.ecn == WT_ECN_SETTING_ON ? WT_ECE : 0);
	seg.experiment[0] = (struct wt_tcp_experiment){253, sizeof(offer), offer};
	put(&tcp->entry.tuple.remote, OWN_PORT, &seg, (struct payload){0});
}

static void connect_somewhere(void)
{
	struct wt_endpoint peer = {wt_addr_ipv4(10, 0, 0, 2), (uint16_t)(PORT + u8() % 4)};
	struct wt_endpoint local = {.port = u8() & 1 ? OWN_PORT : 0};
	struct wt_tcp *tcp = wt_tcp_connect(life.host, &peer, &local, &life.tcp, life.now);

	if (tcp)
		keep(tcp);
}

static void call(uint8_t which)
{
	unsigned number = u8() % HANDLES;
	struct wt_tcp *tcp = life.handle[number];

	if (!tcp)
		return;
	if (which >= 3)
		life.handle[number] = NULL;
	switch (which) {
	case 0:
		write_some(tcp, u16());
		break;
	case 1:
		read_some(tcp, u16());
		break;
	case 2:
		wt_tcp_shutdown(tcp);
		break;
	case 3:
		wt_tcp_close(tcp);
		break;
	default:
		wt_tcp_abort(tcp);
		break;
	}
}

static void listen_or_not(uint8_t how)
{
	if ((how & 192) == 192 && life.listener) {
		wt_tcp_close(life.listener);
		life.listener = NULL;
	} else if (!life.listener) {
		life.listener = wt_tcp_listen(life.host, &(struct wt_endpoint){.port = PORT}, 1 + u8() % 8u, &life.tcp);
	}
}

/* Returns false if the host shall not rest after it. */
static bool step(uint8_t how)
{
	static const wt_time times[] = {0, 1, WT_MS, 10 * WT_MS, 50 * WT_MS, 200 * WT_MS, WT_S, 3 * WT_S, 20 * WT_S, 70 * WT_S, 700 * WT_S,
					25 * 86400 * WT_S};
	struct wt_tcp *tcp;

	switch (how & 31) {
	default:
		tcp = open_one(how >> 5);
		if (tcp)
			segment_for(tcp);
		return !(how & 128);
	case 16:
	case 17:
		life.now += times[u8() % (sizeof(times) / sizeof(*times))];
		return true;
	case 18:
	case 19:
	case 20:
	case 21:
	case 22:
		call((how & 31) - 18);
		return true;
	case 23:
		tcp = life.listener ? wt_tcp_accept(life.listener) : NULL;
		if (tcp)
			keep(tcp);
		return true;
	case 24:
		connect_somewhere();
		return true;
	case 25:
	case 26:
		syn_from_somewhere();
		return true;
	case 27:
		garbage(how);
		return true;
	case 28:
		tcp = open_one(u8());
		if (tcp)
			error_about(tcp);
		return true;
	case 29:
		drain(1 + u8() % 8u);
		return false;
	case 30:
		life.habits = u8();
		return true;
	case 31:
		listen_or_not(how);
		return true;
	}
}

static void give_all_up(void)
{
	for (unsigned i = 0; i < HANDLES; i++) {
		if (life.handle[i])
			wt_tcp_abort(life.handle[i]);
		life.handle[i] = NULL;
	}
	if (life.listener)
		wt_tcp_close(life.listener);
	life.listener = NULL;
	drain(100000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wt_pool *pool;

	if (size < 8)
		return 0;
	if (!pool)
		pool = wt_pool_create(FRAMES, ROOM);
	memset(&life, 0, sizeof(life));
	life.pool = pool;
	life.in = data;
	life.end = data + size;
	life.now = 1;
	choose();
	if (life.handle[0]) {
		drain(1000);
		answer_first();
		drain(1000);
	}
	for (unsigned steps = 0; life.in < life.end && steps < STEPS && life.sent < MOST_SENT; steps++)
		if (step(u8()))
			drain(100000);
	drain(100000);
	if (life.habits & ACCEPTS)
		give_all_up();
	wt_host_destroy(life.host);
	CLAIM(wt_pool_free_count(pool) == FRAMES);
	return 0;
}
