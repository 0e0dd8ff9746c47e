/* SPDX-License-Identifier: BSD-2-Clause */
/* One host in virtual time. Its frames have an Ethernet header, which packetdrill does not know. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "adapter.h"
#include "stack/base/bytes.h"
#include "stack/base/random.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ethernet.h"
#include "stack/wire/ipv4.h"
#include "stack/wire/tcp.h"

#define FRAMES 2048
#define ROOM 2048
#define BIG_FRAMES 64 /* of those that arrive, which may be as large as IPv4 allows */
#define BIG_ROOM (65535 + WT_ETH_HEADER)
#define RESTLESS 100000 /* outputs at one instant: the host is in a loop */

struct pd_world pd;

static void __attribute__((noreturn)) fail(const char *what, const char *value)
{
	fprintf(stderr, "packetdrill adapter: %s%s%s\n", what, *value ? ": " : "", value);
	exit(2);
}

static bool parse_addr(const char *text, struct wt_addr *addr)
{
	unsigned a, b, c, d;
	char rest;

	if (sscanf(text, "%u.%u.%u.%u%c", &a, &b, &c, &d, &rest) != 4 || (a | b | c | d) > 255)
		return false;
	*addr = wt_addr_ipv4((uint8_t)a, (uint8_t)b, (uint8_t)c, (uint8_t)d);
	return true;
}

static void parse_flags(const char *flags, uint32_t *mtu)
{
	char copy[256], *state = NULL;

	snprintf(copy, sizeof(copy), "%s", flags ? flags : "");
	for (char *word = strtok_r(copy, ",", &state); word; word = strtok_r(NULL, ",", &state)) {
		if (!strncmp(word, "local=", 6)) {
			if (!parse_addr(word + 6, &pd.local))
				fail("local= needs an IPv4 address", word);
		} else if (!strncmp(word, "mtu=", 4)) {
			*mtu = (uint32_t)atoi(word + 4);
			snprintf(pd.set[pd.sets++ % PD_SETS], sizeof(pd.set[0]), "mss=%uB", *mtu > WT_HOST_MTU_MIN ? *mtu - 40 : WT_TCP_MSS_MIN);
			*mtu = *mtu > WT_HOST_MTU_MIN ? *mtu : WT_HOST_MTU_MIN;
		} else if (!strncmp(word, "set=", 4)) {
			snprintf(pd.set[pd.sets++ % PD_SETS], sizeof(pd.set[0]), "%s", word + 4);
		} else if (!strncmp(word, "states=", 7)) {
			snprintf(pd.states, sizeof(pd.states), "%s", word + 7);
		} else if (!strcmp(word, "sysctls=off")) {
			pd.no_sysctls = true;
		} else if (!strcmp(word, "push=off")) {
			pd.no_push = true;
		} else if (!strcmp(word, "verbose")) {
			pd.verbose = true;
		} else {
			fail("unknown flag (local=, mtu=, set=NAME=VALUE, states=FILE, sysctls=off, push=off, verbose)", word);
		}
	}
}

static void note_drop(struct wt_drop_sink *sink, const struct wt_node *node, wt_time now, const struct wt_frame *frame,
		      enum wt_drop cause)
{
	const uint8_t *to = wt_frame_look(frame) + WT_ETH_HEADER + 16;

	if (pd.verbose)
		fprintf(stderr, "packetdrill adapter: %lld us: the host drops a packet to %u.%u.%u.%u: %s\n", (long long)(now / WT_US), to[0],
			to[1], to[2], to[3], wt_drop_text(cause));
}

void pd_world_build(const char *flags)
{
	static struct wt_drop_sink drops = {note_drop};
	struct wt_host_config config = {
		.name = "host",
		.mac = {{2, 0, 0, 0, 0, 1}},
		.prefix_len = 32,
		.mtu = 1500,
		.secret = wt_key_derive(1, "packetdrill"),
	};

	memset(&pd, 0, sizeof(pd));
	pd.local = wt_addr_ipv4(192, 168, 0, 1);
	pd.now = 1000 * WT_S;
	parse_flags(flags, &config.mtu);
	config.addr = pd.local;
	config.gateway = wt_addr_ipv4(192, 168, 255, 254);
	config.neighbours[0].addr = config.gateway;
	config.neighbours[0].mac = (struct wt_mac){{2, 0, 0, 0, 0, 2}};
	config.prefix_len = 16;
	pd.pool = config.pool = wt_pool_create(FRAMES, ROOM);
	pd.arriving = wt_pool_create(BIG_FRAMES, BIG_ROOM);
	pd.host = pd.pool && pd.arriving ? wt_host_create(&config) : NULL;
	if (!pd.host)
		fail("no host: out of memory, or an MTU that is too small", "");
	pd.node = wt_host_node(pd.host);
	pd.node->drops = &drops;
}

void pd_world_end(void)
{
	for (unsigned i = 0; i < PD_SOCKETS; i++)
		if (pd.sockets[i].used && pd.sockets[i].fd >= 0)
			close(pd.sockets[i].fd); /* packetdrill may have done so: then this fails, and nothing is lost */
	wt_host_destroy(pd.host);
	wt_frame_queue_clear(&pd.sent);
	wt_pool_destroy(pd.pool);
	wt_pool_destroy(pd.arriving);
	memset(&pd, 0, sizeof(pd));
}

/* ---- datagrams ----------------------------------------------------------------------------------------------- */

/* packetdrill does not look at the TCP checksum of what leaves; a wrong one ends the process. */
static void check_sum(const uint8_t *packet, uint32_t len)
{
	struct wt_ipv4 ip;

	if (wt_ipv4_parse(packet, len, true, &ip) != WT_IPV4_OK)
		fail("the host sent a broken IPv4 header", "");
	if (ip.protocol != WT_IP_TCP)
		return;
	len = ip.total_len - ip.header_len;
	if (wt_csum_fold(wt_csum_add(wt_csum_pseudo(&ip.src, &ip.dst, WT_IP_TCP, len), packet + ip.header_len, len)))
		fail("the host sent a wrong TCP checksum", "");
}

static void clear_push(uint8_t *packet)
{
	uint8_t *tcp = packet + 4 * (packet[0] & 15);
	uint32_t sum;

	if (packet[9] != WT_IP_TCP || !(tcp[13] & 8))
		return;
	tcp[13] &= (uint8_t)~8;
	sum = wt_get16(tcp + 16) + 8u; /* RFC 1624: the complement of the sum grows by what the sum lost */
	wt_put16(tcp + 16, (uint16_t)(sum > 0xffff ? sum - 0xffff : sum));
}

static void keep(struct wt_frame *frame)
{
	struct wt_eth eth;

	frame->time = pd.now;
	wt_frame_finish_csum(frame);
	wt_eth_parse(wt_frame_look(frame), frame->len, &eth);
	if (eth.type != WT_ETH_IPV4) {
		wt_frame_free(frame);
		return;
	}
	if (pd.no_push)
		clear_push(wt_frame_own_bytes(frame) + WT_ETH_HEADER);
	check_sum(wt_frame_look(frame) + WT_ETH_HEADER, frame->len - WT_ETH_HEADER);
	wt_frame_queue_push(&pd.sent, frame);
}

wt_time pd_deadline(void)
{
	return pd.node->ops->deadline(pd.node);
}

void pd_settle(void)
{
	struct wt_frame *frame;
	unsigned port, count = 0;

	do {
		while ((frame = pd.node->ops->output(pd.node, pd.now, &port)))
			keep(frame);
		if (++count > RESTLESS)
			fail("the host never rests: its deadline stays in the past", "");
	} while (pd_deadline() <= pd.now);
	if (!wt_audit_holds(&pd.node->audit))
		fail("the host's frames do not add up", "");
	pd_tell_states();
}

void pd_set_time(wt_time to)
{
	pd.now = to;
}

void pd_inject(const void *packet, size_t len)
{
	struct wt_eth eth = {.type = WT_ETH_IPV4, .dst = {{2, 0, 0, 0, 0, 1}}, .src = {{2, 0, 0, 0, 0, 2}}};
	struct wt_frame *frame = wt_frame_new(pd.arriving);

	if (!frame || len + WT_ETH_HEADER > BIG_ROOM)
		fail("a packet does not fit into a frame, or none is free", "");
	wt_eth_emit(wt_frame_own_bytes(frame), &eth);
	memcpy(wt_frame_own_bytes(frame) + WT_ETH_HEADER, packet, len);
	frame->len = WT_ETH_HEADER + (uint32_t)len;
	frame->csum = WT_CSUM_NONE;
	frame->time = pd.now;
	pd.node->ops->input(pd.node, 0, pd.now, frame);
	pd_settle();
}

size_t pd_take(void *packet, size_t room, wt_time *at)
{
	struct wt_frame *frame = wt_frame_queue_pop(&pd.sent);
	size_t len;

	if (!frame)
		return 0;
	len = frame->len - WT_ETH_HEADER;
	if (len > room)
		len = room;
	memcpy(packet, wt_frame_look(frame) + WT_ETH_HEADER, len);
	*at = frame->time;
	wt_frame_free(frame);
	return len;
}
