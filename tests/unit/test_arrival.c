/* SPDX-License-Identifier: BSD-2-Clause */
/* Stamps of frames: found again in a ring that this test fills as the kernel would, and the kernel's own, in a namespace of this process. */
#include "unit.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "stack/base/bytes.h"
#include "stack/base/time.h"
#include "stack/drive/arrival.h"
#include "stack/drive/port.h"
#include "tests/unit/own_namespace.h"

enum { SLOTS = 16, MAC_AT = 66, SEEN = 62, FIRST = 1000 /* s: the clock of these tests */ };

/* ---- a ring of ours ------------------------------------------------------------------------------------- */

static uint8_t *ring;
static struct wt_arrival *arrival;
static unsigned next_slot, lost;

static int setup_ring(void **state)
{
	ring = aligned_alloc(64, SLOTS * WT_ARRIVAL_SLOT);
	memset(ring, 0, SLOTS * WT_ARRIVAL_SLOT);
	arrival = wt_arrival_over(ring, SLOTS);
	next_slot = lost = 0;
	return !arrival;
}

static int teardown_ring(void **state)
{
	wt_arrival_close(arrival);
	free(ring);
	return 0;
}

static void make(uint8_t bytes[1514], uint32_t number)
{
	for (unsigned i = 0; i < 1514; i++)
		bytes[i] = (uint8_t)(i * 5);
	wt_put32(bytes + 40, number);
}

static struct tpacket2_hdr *fill(const uint8_t *bytes, uint32_t len, wt_time stamp)
{
	struct tpacket2_hdr *slot = (struct tpacket2_hdr *)(ring + (size_t)next_slot * WT_ARRIVAL_SLOT);

	if (slot->tp_status != TP_STATUS_KERNEL) {
		lost++;
		return NULL;
	}
	*slot = (struct tpacket2_hdr){.tp_len = len, .tp_snaplen = len < SEEN ? len : SEEN, .tp_mac = MAC_AT,
				      .tp_sec = (uint32_t)(FIRST + stamp / WT_S), .tp_nsec = (uint32_t)(stamp % WT_S)};
	memcpy((uint8_t *)slot + MAC_AT, bytes, slot->tp_snaplen);
	slot->tp_status = TP_STATUS_USER;
	next_slot = (next_slot + 1) % SLOTS;
	return slot;
}

/* The kernel takes frame `number` in at that time of the test. */
static void take_in(uint32_t number, wt_time stamp)
{
	uint8_t bytes[1514];

	make(bytes, number);
	fill(bytes, sizeof(bytes), stamp);
}

/* When did it come? In time of the test; -1: not known. */
static wt_time came(uint32_t number)
{
	uint8_t bytes[1514];
	int64_t stamp;

	make(bytes, number);
	stamp = wt_arrival_of(arrival, bytes, sizeof(bytes));
	return stamp ? stamp - FIRST * WT_S : -1;
}

static void a_frame_that_was_read_has_its_own_stamp_round_and_round_the_ring(void **state)
{
	for (uint32_t n = 0; n < 10 * SLOTS; n += 3) {
		for (uint32_t i = n; i < n + 3; i++)
			take_in(i, i * WT_US);
		for (uint32_t i = n; i < n + 3; i++)
			assert_int_equal(came(i), i * WT_US);
	}
	assert_int_equal(lost, 0);
}

static void frames_that_the_device_dropped_are_skipped(void **state)
{
	for (uint32_t i = 0; i < 12; i++)
		take_in(i, i * WT_US);
	assert_int_equal(came(0), 0);
	assert_int_equal(came(7), 7 * WT_US);
	assert_int_equal(came(3), -1); /* time does not go back */
	assert_int_equal(came(11), 11 * WT_US);
}

static void a_frame_that_nothing_matches_has_no_stamp_and_takes_none_from_others(void **state)
{
	take_in(1, WT_US);
	assert_int_equal(came(99), -1);
	assert_int_equal(came(1), WT_US);
	assert_int_equal(came(1), -1);
}

static void a_ring_that_was_full_leaves_gaps_and_nothing_else(void **state)
{
	for (uint32_t i = 0; i < SLOTS + 5; i++)
		take_in(i, i * WT_US);
	assert_int_equal(lost, 5);
	assert_int_equal(came(0), 0);
	for (uint32_t i = SLOTS + 5; i < SLOTS + 10; i++)
		take_in(i, i * WT_US);
	for (uint32_t i = 1; i < SLOTS + 10; i++)
		assert_int_equal(came(i), i >= SLOTS && i < SLOTS + 5 ? -1 : i * WT_US);
}

static void frames_alike_have_their_stamps_in_order(void **state)
{
	for (unsigned i = 0; i < 5; i++)
		take_in(7, i * WT_US);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(came(7), i * WT_US);
}

static void what_was_dropped_is_forgotten_when_the_device_was_empty(void **state)
{
	for (unsigned i = 0; i < 6; i++)
		take_in(7, i * WT_MS);
	assert_int_equal(came(7), 0);
	assert_int_equal(came(7), WT_MS);
	wt_arrival_empty(arrival, FIRST * WT_S + 5 * WT_MS + 500 * WT_US); /* the last may be on its way still */
	take_in(7, 20 * WT_MS);
	assert_int_equal(came(7), 5 * WT_MS);
	assert_int_equal(came(7), 20 * WT_MS);
	assert_int_equal(came(7), -1);
}

static void more_frames_dropped_than_are_kept_push_out_the_oldest(void **state)
{
	enum { COUNT = 20000, KEPT = 16384 };

	for (uint32_t i = 0; i < COUNT; i++) {
		take_in(7, i * WT_US);
		came(UINT32_MAX);
	}
	assert_int_equal(came(7), (COUNT - KEPT) * WT_US);
}

static void short_frames_and_tagged_ones_are_found(void **state)
{
	uint8_t bytes[1518], read[1518];
	struct tpacket2_hdr *slot;

	make(bytes, 1);
	for (uint32_t len = 14; len < 80; len++) {
		fill(bytes, len, len * WT_US);
		assert_int_equal(wt_arrival_of(arrival, bytes, len), FIRST * WT_S + len * WT_US);
	}
	for (uint32_t len = 14; len <= 1514; len += 100) {
		slot = fill(bytes, len, len * WT_US); /* the kernel keeps the tag beside the frame, the reader gets it inside */
		slot->tp_vlan_tci = 0x6007;
		slot->tp_status |= TP_STATUS_VLAN_VALID;
		memcpy(read, bytes, 12);
		wt_put32(read + 12, 0x81006007);
		memcpy(read + 16, bytes + 12, len - 12);
		assert_int_equal(wt_arrival_of(arrival, read, len + 4), FIRST * WT_S + len * WT_US);
	}
}

/* ---- the kernel's ---------------------------------------------------------------------------------------- */

static struct wt_pool *pool;
static const char *no_namespace;
static char err[200];

static int setup_pool(void **state)
{
	pool = wt_pool_create(64, 2048);
	return !pool;
}

static int teardown_pool(void **state)
{
	assert_int_equal(wt_pool_free_count(pool), wt_pool_count(pool));
	wt_pool_destroy(pool);
	return 0;
}

static int64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * WT_S + t.tv_nsec;
}

/* A frame of this kernel, by an interface; past what listens there, if wanted. */
static void send_by(const char *interface, uint32_t number, int bypass)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(interface), .sll_protocol = htons(0x88b5)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	uint8_t bytes[1514];

	make(bytes, number);
	memset(bytes, 2, 12);
	wt_put16(bytes + 12, 0x88b5);
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &bypass, sizeof(bypass)), 0);
	assert_int_equal(sendto(fd, bytes, 100, 0, (struct sockaddr *)&address, sizeof(address)), 100);
	close(fd);
}

/* Reads the frame; its stamp. */
static int64_t stamp_of(struct wt_port *port, uint32_t number)
{
	struct pollfd fd = {.fd = port->fd, .events = POLLIN};
	struct wt_frame *frame;

	for (unsigned i = 0; i < 200; i++) {
		while (port->ops->read(port, &frame) > 0) {
			bool found = frame && frame->len == 100 && wt_get32(frame->data + 40) == number;

			wt_frame_free(frame);
			if (found)
				return port->stamp;
		}
		poll(&fd, 1, 10);
	}
	fail_msg("frame %u did not come", number);
	return 0;
}

static void need(bool it, const char *what)
{
	if (it)
		return;
	print_message("skipped: %s\n", what);
	skip();
}

/* Read 30 ms after it was sent, it is dated when it was sent. */
static void check_stamps(struct wt_port *port, const char *sender)
{
	for (uint32_t i = 0; i < 3; i++) {
		int64_t before = clock_now(), after, stamp;

		send_by(sender, i, 0);
		after = clock_now();
		usleep(30000);
		stamp = stamp_of(port, i);
		assert_true(stamp >= before && stamp <= after);
	}
}

static struct wt_port *open_tap(struct wt_pool *big)
{
	struct wt_port *tap;

	need(!no_namespace, no_namespace);
	need(!access("/dev/net/tun", R_OK | W_OK), "/dev/net/tun cannot be opened here");
	tap = wt_tap_open_big("wttap", pool, big, err, sizeof(err));
	if (!tap)
		print_error("%s\n", err);
	assert_non_null(tap);
	wt_port_stamp(tap);
	send_by("wttap", 77, 0);
	assert_int_equal(stamp_of(tap, 77), 0); /* not asked for yet */
	wt_port_hear(tap);
	assert_true(tap->stamps && tap->hears && !tap->stamps_refused);
	return tap;
}

static void a_tap_dates_a_frame_when_the_kernel_sent_it(void **state)
{
	struct wt_pool *big = wt_pool_create(2, WT_PORT_BIG);

	for (unsigned i = 0; i < 2; i++) { /* with offloads, too */
		struct wt_port *tap = open_tap(i ? big : NULL);

		check_stamps(tap, "wttap");
		send_by("wttap", 10, 1);
		assert_int_equal(stamp_of(tap, 10), 0); /* nobody has heard it */
		check_stamps(tap, "wttap");
		wt_port_close(tap);
	}
	wt_pool_destroy(big);
}

static void a_tap_that_comes_back_has_its_stamps_again(void **state)
{
	struct wt_port *tap = open_tap(NULL);
	struct wt_frame *frame;

	shell("ip link del wttap");
	while (tap->ops->read(tap, &frame) >= 0)
		;
	assert_int_equal(wt_port_reopen(tap), 0);
	assert_int_equal(tap->stamps_refused, 0);
	check_stamps(tap, "wttap");
	wt_port_close(tap);
}

static void a_packet_socket_dates_a_frame_when_the_other_end_sent_it(void **state)
{
	struct wt_port *port;

	need(!no_namespace, no_namespace);
	shell("ip link add wtva type veth peer name wtvb && ip link set wtva up && ip link set wtvb up &&"
	      " for i in $(seq 100); do ip -br link show wtva | grep -q ' UP ' && break; sleep 0.01; done");
	port = wt_packet_open("wtvb", pool, err, sizeof(err));
	assert_non_null(port);
	wt_port_stamp(port);
	send_by("wtva", 4, 0);
	assert_int_equal(stamp_of(port, 4), 0);
	wt_port_hear(port);
	assert_true(port->stamps && port->hears && !port->stamps_refused);
	/* the kernel begins to stamp a little after it was asked: until then a frame is stamped when it is read */
	for (int64_t now = 0, stamp = 1; stamp > now; stamp = stamp_of(port, 5)) {
		send_by("wtva", 5, 0);
		now = clock_now();
		usleep(1000);
	}
	check_stamps(port, "wtva");
	wt_port_close(port);
	shell("ip link del wtva");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define RING(name) cmocka_unit_test_setup_teardown(name, setup_ring, teardown_ring)
		RING(a_frame_that_was_read_has_its_own_stamp_round_and_round_the_ring),
		RING(frames_that_the_device_dropped_are_skipped),
		RING(a_frame_that_nothing_matches_has_no_stamp_and_takes_none_from_others),
		RING(a_ring_that_was_full_leaves_gaps_and_nothing_else),
		RING(frames_alike_have_their_stamps_in_order),
		RING(what_was_dropped_is_forgotten_when_the_device_was_empty),
		RING(more_frames_dropped_than_are_kept_push_out_the_oldest),
		RING(short_frames_and_tagged_ones_are_found),
#define KERNEL(name) cmocka_unit_test_setup_teardown(name, setup_pool, teardown_pool)
		KERNEL(a_tap_dates_a_frame_when_the_kernel_sent_it),
		KERNEL(a_tap_that_comes_back_has_its_stamps_again),
		KERNEL(a_packet_socket_dates_a_frame_when_the_other_end_sent_it),
	};

	no_namespace = own_namespace_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
