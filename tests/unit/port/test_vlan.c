/* SPDX-License-Identifier: BSD-2-Clause */
/* Packet sockets on a veth pair: tagged frames, whose tags the kernel takes off in front of them; and what a run leaves on the interface. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stack/base/bytes.h"
#include "stack/port/offload.h"
#include "stack/wire/checksum.h"
#include "stack/wire/ipv4.h"
#include "tests/unit/port/own_namespace.h"

enum { TAG_AT = 12, TYPE_AT = 16, IP_AT = 18, TCP_AT = 38, PAYLOAD_AT = 58, TAG = 0x6007 /* priority 3, VLAN 7 */ };

static struct wt_pool *pool;
static char err[200];

static int setup(void **state)
{
	pool = wt_pool_create(64, 2048);
	shell("ip link add wtva type veth peer name wtvb && ip link set wtva up && ip link set wtvb up &&"
	      " for i in $(seq 100); do ip -br link show wtva | grep -q ' UP ' && break; sleep 0.01; done");
	return !pool;
}

static int teardown(void **state)
{
	shell("ip link del wtva");
	assert_int_equal(wt_pool_free_count(pool), wt_pool_count(pool));
	wt_pool_destroy(pool);
	return 0;
}

static struct wt_frame *next_of(struct wt_port *port, uint16_t type)
{
	struct pollfd fd = {.fd = port->fd, .events = POLLIN};
	struct wt_frame *frame;

	for (unsigned i = 0; i < 200; i++) {
		while (port->ops->read(port, &frame) > 0) {
			if (frame && wt_get16(wt_frame_own_bytes(frame) + TAG_AT) == type)
				return frame;
			wt_frame_free(frame);
		}
		poll(&fd, 1, 10);
	}
	return NULL;
}

static void write_raw(const struct virtio_net_hdr *header, uint8_t *bytes, size_t len)
{
	struct iovec parts[2] = {{(void *)header, sizeof(*header)}, {bytes, len}};
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex("wtva")};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1;

	memset(bytes, 2, TAG_AT);
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)), 0);
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(writev(fd, parts, 2), sizeof(*header) + len);
	close(fd);
}

static void put_tag(uint8_t *bytes, uint16_t type)
{
	wt_put16(bytes + TAG_AT, type);
	wt_put16(bytes + TAG_AT + 2, TAG);
}

/* Customers' tags and those of providers (802.1ad); and what has none gets none. */
static void a_tag_passes_as_it_is(void **state)
{
	static const struct {
		size_t len;
		uint16_t type;
	} cases[] = {{64, 0x8100}, {1518, 0x8100}, {64, 0x88a8}, {64, 0x88b5}};
	const struct virtio_net_hdr nothing = {0};
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));
	uint8_t bytes[2048];

	assert_non_null(b);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_frame *frame;

		for (unsigned k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)(k * 7);
		put_tag(bytes, cases[i].type);
		wt_put16(bytes + TYPE_AT, 0x88b5);
		write_raw(&nothing, bytes, cases[i].len);
		frame = next_of(b, cases[i].type);
		assert_non_null(frame);
		assert_int_equal(frame->len, cases[i].len);
		assert_memory_equal(wt_frame_own_bytes(frame), bytes, cases[i].len);
		wt_frame_free(frame);
	}
	wt_port_close(b);
}

/* The kernel counts from the start of a frame without its tag. */
static void a_checksum_that_is_left_to_compute_lies_behind_the_tag(void **state)
{
	const struct virtio_net_hdr header = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .csum_start = TCP_AT, .csum_offset = 16};
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));
	struct wt_frame *frame;
	uint8_t bytes[200] = {0};

	assert_non_null(b);
	put_tag(bytes, 0x8100);
	wt_put16(bytes + TYPE_AT, 0x0800);
	bytes[IP_AT] = 0x45;
	bytes[TCP_AT + 12] = 5 << 4;
	write_raw(&header, bytes, sizeof(bytes));
	frame = next_of(b, 0x8100);
	assert_non_null(frame);
	assert_int_equal(frame->csum, WT_CSUM_PARTIAL);
	assert_int_equal(frame->csum_start, TCP_AT);
	assert_memory_equal(wt_frame_own_bytes(frame), bytes, sizeof(bytes));
	wt_frame_free(frame);
	wt_port_close(b);
}

/* A big frame: its tail lies in another piece of memory, and where its checksum begins is behind the tag. */
static void a_tag_passes_in_front_of_a_big_frame(void **state)
{
	enum { EACH = 1400, COUNT = 10 };
	struct virtio_net_hdr header = {.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM, .gso_type = VIRTIO_NET_HDR_GSO_TCPV4, .hdr_len = PAYLOAD_AT,
					.gso_size = EACH, .csum_start = TCP_AT, .csum_offset = 16};
	static uint8_t bytes[PAYLOAD_AT + EACH * COUNT];
	struct wt_ipv4 ip = {.src = wt_addr_ipv4(10, 99, 0, 1), .dst = wt_addr_ipv4(10, 99, 0, 2), .ttl = 64, .protocol = 6,
			     .dont_fragment = true, .total_len = 40 + EACH * COUNT, .header_len = 20};
	struct wt_port *b = wt_packet_open("wtvb", pool, err, sizeof(err));

	assert_non_null(b);
	put_tag(bytes, 0x8100);
	wt_put16(bytes + TYPE_AT, 0x0800);
	wt_ipv4_emit(bytes + IP_AT, &ip);
	bytes[TCP_AT + 12] = 5 << 4;
	wt_put16(bytes + TCP_AT + 16, (uint16_t)~wt_csum_fold(wt_csum_pseudo(&ip.src, &ip.dst, 6, 20 + EACH * COUNT)));
	for (unsigned i = 0; i < EACH * COUNT; i++)
		bytes[PAYLOAD_AT + i] = (uint8_t)(i % 251);
	write_raw(&header, bytes, sizeof(bytes));
	for (unsigned i = 0; i < COUNT; i++) {
		struct wt_frame *frame = next_of(b, 0x8100);

		assert_non_null(frame);
		assert_int_equal(wt_get16(wt_frame_own_bytes(frame) + TAG_AT + 2), TAG);
		assert_int_equal(frame->len, PAYLOAD_AT + EACH);
		assert_int_equal(wt_get32(wt_frame_own_bytes(frame) + TCP_AT + 4), i * EACH);
		assert_memory_equal(wt_frame_own_bytes(frame) + PAYLOAD_AT, bytes + PAYLOAD_AT + (size_t)i * EACH, EACH);
		assert_int_equal(frame->csum_start, TCP_AT);
		wt_frame_free(frame);
	}
	wt_port_close(b);
}

/* ---- what a killed run leaves ----------------------------------------------------------------------------- */

static bool is_on(uint32_t command)
{
	struct ethtool_value value = {.cmd = command};
	struct ifreq request = {.ifr_data = (void *)&value};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), result;

	strcpy(request.ifr_name, "wtva");
	result = ioctl(fd, SIOCETHTOOL, &request);
	close(fd);
	assert_int_equal(result, 0);
	return value.data;
}

static void alias_is(const char *wanted)
{
	char text[100] = "";
	FILE *file = popen("ip -d link show wtva | sed -n 's/^ *alias //p'", "r");

	assert_non_null(file);
	if (fgets(text, sizeof(text), file))
		text[strcspn(text, "\n")] = 0;
	pclose(file);
	assert_memory_equal(text, wanted, strlen(wanted) + 1);
}

/* Opens a port and ends without closing it. */
static void be_killed(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (!wt_packet_open("wtva", pool, err, sizeof(err)))
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static void the_run_after_a_killed_one_restores_what_was_before_both(void **state)
{
	struct wt_port *port;

	assert_true(is_on(ETHTOOL_GTXCSUM) && is_on(ETHTOOL_GTSO) && is_on(ETHTOOL_GGSO));
	be_killed();
	assert_false(is_on(ETHTOOL_GTXCSUM) || is_on(ETHTOOL_GTSO) || is_on(ETHTOOL_GGSO));
	be_killed(); /* twice: the second finds nothing on */
	port = wt_packet_open("wtva", pool, err, sizeof(err));
	assert_non_null(port);
	wt_port_close(port);
	assert_true(is_on(ETHTOOL_GTXCSUM) && is_on(ETHTOOL_GTSO) && is_on(ETHTOOL_GGSO));
	alias_is("");
	/* an alias of the user's is not written over, and what was off stays off */
	shell("ip link set wtva alias mine");
	be_killed();
	port = wt_packet_open("wtva", pool, err, sizeof(err));
	assert_non_null(port);
	wt_port_close(port);
	assert_false(is_on(ETHTOOL_GTXCSUM));
	alias_is("mine");
}

int main(void)
{
	const char *reason = own_namespace_enter();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_tag_passes_as_it_is, setup, teardown),
		cmocka_unit_test_setup_teardown(a_checksum_that_is_left_to_compute_lies_behind_the_tag, setup, teardown),
		cmocka_unit_test_setup_teardown(a_tag_passes_in_front_of_a_big_frame, setup, teardown),
		cmocka_unit_test_setup_teardown(the_run_after_a_killed_one_restores_what_was_before_both, setup, teardown),
	};

	if (reason) {
		printf("skipped: %s\n", reason);
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
