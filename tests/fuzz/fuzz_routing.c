/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is what comes to a mesh node of one routing protocol (ROUTING, set by the build): records of
 *     control byte, length, that many bytes of message.
 * Control: bits 0-1 from which of four neighbours; bits 2-3 what it is (a message to all, a message to us, a packet of data that the
 * message's first byte aims at a station, with the TTL bit one between others that is overheard, a frame of the node that comes back); bits 4-5 time passes (nothing, 1 ms, 1 s, 40 s); bit 6 the TTL is 1; bit 7 its
 * own host sends data to a station, too.
 *
 * Claims: the books balance and no frame is lost after every record; a deadline that was served lies in the future; what waits and what
 * is sent for one message is bounded; every way leads to another station than ours; every frame made has a sound header.
 */
#include "stack/base/bytes.h"
#include "stack/mesh/mesh.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/packet.h"
#include "stack/wire/udp.h"
#include "tests/fuzz/fuzz.h"

#define FRAMES 512
#define ROOM 2048
#define STATIONS 8

static struct {
	struct wt_pool *pool;
	struct wt_node *node;
	struct wt_routing_choice choice;
	struct wt_frame *sent; /* the last frame to one neighbour, for coming back */
	wt_time now;
} w;

static struct wt_addr station(unsigned i)
{
	return wt_addr_ipv4(10, 0, 0, (uint8_t)(i + 1));
}

static void start(void)
{
	struct wt_mesh_config config = {.name = "m", .address = station(0), .ports = 2, .kind = {WT_MESH_HOST, WT_MESH_LINK}, .seed = 1,
					.routing = &w.choice};

	if (!w.pool)
		w.pool = wt_pool_create(FRAMES, ROOM);
	if (!w.pool || wt_routing_choose(ROUTING, &w.choice, NULL, 0))
		exit(2);
	config.pool = w.pool;
	w.now = 0;
	w.node = wt_mesh_create(&config);
	if (!w.node)
		exit(2);
}

static void check_sent(const struct wt_frame *frame, unsigned port)
{
	struct wt_ipv4 ip;

	CLAIM(port < 2 && frame->len <= frame->room && frame->len > WT_ETH_HEADER);
	CLAIM(wt_get16(wt_frame_look(frame) + 12) == WT_ETH_IPV4);
	CLAIM(wt_ipv4_parse(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER, true, &ip) == WT_IPV4_OK);
}

static void settle(void)
{
	struct wt_frame *frame;
	unsigned port, count = 0;

	while ((frame = w.node->ops->output(w.node, w.now, &port))) {
		check_sent(frame, port);
		CLAIM(++count <= FRAMES);
		if (port == 1 && !(wt_frame_own_bytes(frame)[0] & 1) && !w.sent)
			w.sent = frame;
		else
			wt_frame_free(frame);
	}
	CLAIM(w.node->ops->deadline(w.node) > w.now);
	CLAIM(wt_audit_holds(&w.node->audit));
	CLAIM(wt_pool_free_count(w.pool) + w.node->audit.queued + (w.sent != NULL) == FRAMES);
	for (unsigned i = 0; i < wt_mesh_routes(wt_mesh_of(w.node)); i++) {
		const struct wt_mesh_route *route = wt_mesh_route_at(wt_mesh_of(w.node), i);

		CLAIM(route->dst != wt_mesh_address(wt_mesh_of(w.node)));
		CLAIM(!route->valid || (route->next && route->next != wt_mesh_address(wt_mesh_of(w.node))));
	}
}

/* by: the station whose hardware address the frame has, unless it is for all */
static void enter(unsigned port, unsigned from, unsigned by, const struct wt_addr *dst, uint8_t protocol, uint8_t ttl, const uint8_t *data, uint32_t len)
{
	struct wt_frame *frame = wt_frame_new(w.pool);
	const struct wt_addr src = station(from), next = station(by), all = wt_addr_ipv4(255, 255, 255, 255);
	const struct wt_mac everyone = {{255, 255, 255, 255, 255, 255}};
	uint8_t *ip = frame ? wt_frame_own_bytes(frame) + WT_ETH_HEADER : NULL;
	uint32_t udp = protocol == WT_IP_UDP ? WT_UDP_HEADER : 0;

	if (!frame)
		return;
	frame->len = WT_ETH_HEADER + WT_IPV4_HEADER + udp + len;
	wt_eth_emit(wt_frame_own_bytes(frame), &(struct wt_eth){wt_addr_eq(dst, &all) ? everyone : wt_mesh_mac(&next, port), wt_addr_mac(&src), WT_ETH_IPV4});
	wt_ipv4_emit(ip, &(struct wt_ipv4){.src = src, .dst = *dst, .total_len = (uint16_t)(WT_IPV4_HEADER + udp + len), .ttl = ttl,
					   .protocol = protocol});
	memcpy(ip + WT_IPV4_HEADER + udp, data, len);
	if (udp)
		wt_udp_emit(ip + WT_IPV4_HEADER, &src, dst, &(struct wt_udp_header){w.choice.ops->port, w.choice.ops->port, (uint16_t)(udp + len)});
	w.node->ops->input(w.node, port, w.now, frame);
	settle();
}

static void record(uint8_t control, const uint8_t *data, uint32_t len)
{
	const struct wt_addr all = wt_addr_ipv4(255, 255, 255, 255), own = station(0);
	struct wt_addr to = station(len ? data[0] % STATIONS : 1);
	uint8_t protocol = w.choice.ops->protocol ? w.choice.ops->protocol : WT_IP_UDP, ttl = control & 64 ? 1 : 30;
	unsigned from = 1 + (control & 3);
	struct wt_frame *back = w.sent;

	switch (control >> 2 & 3) {
	case 0:
		enter(1, from, 0, &all, protocol, ttl, data, len);
		break;
	case 1:
		enter(1, from, 0, &own, protocol, ttl, data, len);
		break;
	case 2:
		enter(1, from, control & 64 ? 5 : 0, &to, protocol == WT_IP_UDP ? 253 : protocol, ttl, data, len);
		break;
	default:
		if (!back)
			break;
		w.sent = NULL;
		back->fate = WT_FATE_NO_ACK;
		w.node->ops->input(w.node, 1, w.now, back);
		settle();
	}
	if (control & 128)
		enter(0, 0, 0, &to, 253, 64, data, len);
}

/* Time passes as a driver lets it: the node is called at each deadline it named. */
static void pass(wt_time until)
{
	unsigned calls = 0;

	while (w.node->ops->deadline(w.node) <= until) {
		w.now = wt_time_max(w.now, w.node->ops->deadline(w.node));
		settle();
		CLAIM(++calls <= 20000);
	}
	w.now = until;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const wt_time steps[] = {0, WT_MS, WT_S, 40 * WT_S};
	unsigned records = 0;

	start();
	while (size >= 2 && records++ < 200) {
		uint8_t control = data[0];
		uint32_t len = data[1];

		data += 2;
		size -= 2;
		len = len < size ? len : (uint32_t)size;
		pass(w.now + steps[control >> 4 & 3]);
		record(control, data, len);
		data += len;
		size -= len;
	}
	pass(w.now + 200 * WT_S);
	wt_frame_free(w.sent);
	w.sent = NULL;
	w.node->ops->destroy(w.node);
	CLAIM(wt_pool_free_count(w.pool) == FRAMES);
	return 0;
}
