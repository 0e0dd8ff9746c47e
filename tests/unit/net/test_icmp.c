/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/net/ip_fixture.h"

static int setup_with_neighbour(void **state)
{
	struct fixture *f;

	setup(state);
	f = *state;
	return wt_neighbours_add(&f->net.neighbours, 0, &f->peer, &peer_mac) ? 0 : -1;
}

/* An ICMP message from the peer with `len` bytes of body. */
static bool hear(struct fixture *f, const struct wt_icmp *icmp, const uint8_t *body, uint32_t len, struct wt_icmp_error *error)
{
	struct wt_frame *frame = arriving(f, (struct wt_ipv4){.protocol = WT_IP_ICMP}, WT_ICMP_HEADER + len, 0);
	struct wt_ip_packet packet;

	if (len)
		memcpy(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD + WT_ICMP_HEADER, body, len);
	wt_icmp_emit(wt_frame_own_bytes(frame) + WT_IP_PAYLOAD, WT_ICMP_HEADER + len, icmp);
	assert_int_equal(wt_net_input(&f->net, 0, 0, frame, &packet), WT_IP_IS_ICMP);
	return wt_icmp_input(&f->net, 0, &packet, error);
}

/* The next ready frame as ICMP; *body points into a copy. */
static uint32_t leaving_icmp(struct fixture *f, struct wt_icmp *icmp, struct wt_ipv4 *ip, const uint8_t **body)
{
	static uint8_t copy[POOL_ROOM];
	struct wt_frame *frame = leaving(f);
	uint32_t len;

	assert_non_null(frame);
	assert_int_equal(wt_ipv4_parse(wt_frame_own_bytes(frame) + 14, frame->len - 14, true, ip), WT_IPV4_OK);
	assert_int_equal(ip->protocol, WT_IP_ICMP);
	assert_true(wt_addr_eq(&ip->dst, &f->peer) && wt_addr_eq(&ip->src, &f->us));
	len = frame->len - WT_IP_PAYLOAD;
	memcpy(copy, wt_frame_own_bytes(frame) + WT_IP_PAYLOAD, len);
	wt_frame_free(frame);
	assert_true(wt_icmp_parse(copy, len, icmp));
	*body = copy + WT_ICMP_HEADER;
	return len - WT_ICMP_HEADER;
}

static void an_echo_request_comes_back_with_its_data(void **state)
{
	struct fixture *f = *state;
	struct wt_icmp icmp = {WT_ICMP_ECHO_REQUEST, 0, 0xbeef0001};
	uint8_t data[1472];
	const uint8_t *body;
	struct wt_ipv4 ip;

	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7);
	for (uint32_t len = 0; len <= sizeof(data); len += 46) {
		icmp.type = WT_ICMP_ECHO_REQUEST;
		assert_false(hear(f, &icmp, data, len, NULL));
		assert_int_equal(leaving_icmp(f, &icmp, &ip, &body), len);
		assert_int_equal(icmp.type, WT_ICMP_ECHO_REPLY);
		assert_int_equal(icmp.rest, 0xbeef0001);
		assert_memory_equal(body, data, len);
	}
	icmp.type = WT_ICMP_ECHO_REQUEST;
	hear(f, &icmp, data, 1472, NULL);
	leaving_icmp(f, &icmp, &ip, &body);
	assert_int_equal(ip.total_len, 1500);
}

static void an_echo_request_longer_than_the_mtu_is_not_answered(void **state)
{
	struct fixture *f = *state;
	uint8_t data[1473] = {0};

	hear(f, &(struct wt_icmp){WT_ICMP_ECHO_REQUEST, 0, 0}, data, sizeof(data), NULL);
	assert_null(leaving(f));
	assert_int_equal(f->node.audit.taken, 1);
}

static void a_wrong_checksum_is_dropped(void **state)
{
	struct fixture *f = *state;
	struct wt_frame *frame = arriving(f, (struct wt_ipv4){.protocol = WT_IP_ICMP}, 20, 0);
	struct wt_ip_packet packet;

	wt_net_input(&f->net, 0, 0, frame, &packet);
	assert_false(wt_icmp_input(&f->net, 0, &packet, NULL));
	frame = arriving(f, (struct wt_ipv4){.protocol = WT_IP_ICMP}, 7, 0);
	wt_net_input(&f->net, 0, 0, frame, &packet);
	assert_false(wt_icmp_input(&f->net, 0, &packet, NULL));
	assert_int_equal(f->node.audit.dropped[WT_DROP_ICMP], 2);
}

/* The first `len` bytes of a TCP segment of ours, as an error would quote it. */
static void quote(struct fixture *f, uint8_t data[28])
{
	struct wt_ipv4 ip = {.src = f->us, .dst = f->peer, .protocol = WT_IP_TCP, .total_len = 1500, .ttl = 3};

	wt_ipv4_emit(data, &ip);
	wt_put16(data + 20, 40000);
	wt_put16(data + 22, 80);
	wt_put32(data + 24, 0xdeadbeef);
}

static void an_error_about_our_segment_names_connection_and_sequence(void **state)
{
	struct fixture *f = *state;
	struct wt_icmp_error error;
	uint8_t data[28];

	quote(f, data);
	assert_true(hear(f, &(struct wt_icmp){WT_ICMP_UNREACHABLE, WT_ICMP_PORT_UNREACHABLE, 1400}, data, 28, &error));
	assert_int_equal(error.type, WT_ICMP_UNREACHABLE);
	assert_int_equal(error.code, WT_ICMP_PORT_UNREACHABLE);
	assert_int_equal(error.mtu, 0);
	assert_true(wt_addr_eq(&error.tuple.local.addr, &f->us) && wt_addr_eq(&error.tuple.remote.addr, &f->peer));
	assert_int_equal(error.tuple.local.port, 40000);
	assert_int_equal(error.tuple.remote.port, 80);
	assert_int_equal(error.seq, 0xdeadbeef);
	assert_true(wt_addr_eq(&error.from, &f->peer));
	assert_true(hear(f, &(struct wt_icmp){WT_ICMP_UNREACHABLE, WT_ICMP_FRAGMENTATION_NEEDED, 0xffff0578}, data, 28, &error));
	assert_int_equal(error.mtu, 1400);
	assert_int_equal(error.protocol, WT_IP_TCP);
	data[9] = WT_IP_UDP;
	assert_true(hear(f, &(struct wt_icmp){WT_ICMP_UNREACHABLE, WT_ICMP_PORT_UNREACHABLE, 0}, data, 28, &error));
	assert_int_equal(error.protocol, WT_IP_UDP);
	data[9] = WT_IP_TCP;
	assert_true(hear(f, &(struct wt_icmp){WT_ICMP_TIME_EXCEEDED, 0, 0}, data, 28, &error));
	assert_null(leaving(f)); /* never an error about an error */
}

static void errors_whose_quote_is_not_our_segment_are_ignored(void **state)
{
	struct fixture *f = *state;
	const struct wt_icmp icmp = {WT_ICMP_UNREACHABLE, 0, 0};
	struct wt_icmp_error error;
	uint8_t data[28];

	quote(f, data);
	for (uint32_t len = 0; len < 28; len++)
		assert_false(hear(f, &icmp, data, len, &error));
	data[9] = 132;
	assert_false(hear(f, &icmp, data, 28, &error));
	quote(f, data);
	data[15]++; /* not our address */
	assert_false(hear(f, &icmp, data, 28, &error));
	quote(f, data);
	data[7] = 1; /* a later fragment: no ports in it */
	assert_false(hear(f, &icmp, data, 28, &error));
	quote(f, data);
	data[0] = 0x46; /* options, and so too short */
	assert_false(hear(f, &icmp, data, 28, &error));
	data[0] = 0x44;
	assert_false(hear(f, &icmp, data, 28, &error));
	data[0] = 0x65;
	assert_false(hear(f, &icmp, data, 28, &error));
	quote(f, data);
	wt_put16(data + 2, 27); /* total length without a sequence number */
	assert_false(hear(f, &icmp, data, 28, &error));
	assert_int_equal(wt_audit_dropped(&f->node.audit), 0);
}

static void source_quench_and_unknown_types_are_ignored(void **state)
{
	struct fixture *f = *state;
	struct wt_icmp_error error;
	uint8_t data[28];

	quote(f, data);
	for (unsigned type = 0; type < 256; type++)
		if (type != WT_ICMP_UNREACHABLE && type != WT_ICMP_TIME_EXCEEDED && type != WT_ICMP_ECHO_REQUEST)
			assert_false(hear(f, &(struct wt_icmp){(uint8_t)type, 0, 0}, data, 28, &error));
	assert_null(leaving(f));
}

static void refuse(struct fixture *f, wt_time now, uint8_t protocol, enum wt_refusal_kind kind, uint32_t len)
{
	struct wt_ip_packet packet;

	assert_int_equal(wt_net_input(&f->net, 0, now, arriving(f, (struct wt_ipv4){.protocol = protocol}, len, 9), &packet),
			 protocol == WT_IP_UDP ? WT_IP_IS_UDP : WT_IP_IS_OTHER);
	wt_icmp_refuse(&f->net, now, &packet, kind, WT_DROP_PROTOCOL);
}

static void a_protocol_nobody_speaks_is_refused_with_its_quote(void **state)
{
	struct fixture *f = *state;
	struct wt_icmp icmp;
	struct wt_ipv4 ip, quoted;
	const uint8_t *body;

	refuse(f, 0, WT_IP_UDP, WT_REFUSAL_PORT, 40);
	assert_int_equal(leaving_icmp(f, &icmp, &ip, &body), 60);
	assert_int_equal(icmp.type, WT_ICMP_UNREACHABLE);
	assert_int_equal(icmp.code, WT_ICMP_PORT_UNREACHABLE);
	assert_int_equal(wt_ipv4_parse(body, 60, true, &quoted), WT_IPV4_OK);
	assert_int_equal(quoted.protocol, WT_IP_UDP);
	assert_int_equal(body[20], 9);
	refuse(f, 0, 132, WT_REFUSAL_PROTOCOL, 1400);
	assert_int_equal(leaving_icmp(f, &icmp, &ip, &body), 548);
	assert_int_equal(ip.total_len, 576);
	assert_int_equal(icmp.code, WT_ICMP_PROTOCOL_UNREACHABLE);
	assert_int_equal(f->node.audit.dropped[WT_DROP_PROTOCOL], 2);
}

static unsigned refusals(struct fixture *f, wt_time now, unsigned tries)
{
	struct wt_frame *frame;
	unsigned count = 0;

	for (unsigned i = 0; i < tries; i++)
		refuse(f, now, WT_IP_UDP, WT_REFUSAL_PORT, 8);
	for (; (frame = leaving(f)); count++)
		wt_frame_free(frame);
	return count;
}

static void refusals_are_limited_by_logical_time(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(refusals(f, 0, 40), WT_ICMP_BURST);
	assert_int_equal(refusals(f, WT_ICMP_INTERVAL - 1, 5), 0);
	assert_int_equal(refusals(f, WT_ICMP_INTERVAL, 5), 1);
	assert_int_equal(refusals(f, 4 * WT_ICMP_INTERVAL, 5), 3);
	assert_int_equal(refusals(f, 1000 * WT_ICMP_INTERVAL, 40), WT_ICMP_BURST);
	assert_int_equal(refusals(f, 1001 * WT_ICMP_INTERVAL - 1, 1), 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup_with_neighbour, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(an_echo_request_comes_back_with_its_data),
		T(an_echo_request_longer_than_the_mtu_is_not_answered),
		T(a_wrong_checksum_is_dropped),
		T(an_error_about_our_segment_names_connection_and_sequence),
		T(errors_whose_quote_is_not_our_segment_are_ignored),
		T(source_quench_and_unknown_types_are_ignored),
		T(a_protocol_nobody_speaks_is_refused_with_its_quote),
		T(refusals_are_limited_by_logical_time),
	};

	return cmocka_run_group_tests_name("icmp", tests, NULL, NULL);
}
