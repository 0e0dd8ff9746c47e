/* SPDX-License-Identifier: BSD-2-Clause */
/* Stamps of frames: found again in memory that this test fills as the kernel or the program in the filter would, and the kernel's own, in a
 * namespace of this process. */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
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
#include "stack/port/arrival_source.h"
#include "stack/port/port.h"
#include "tests/unit/port/own_namespace.h"

enum { SLOTS = 16, MAC_AT = 66, SEEN = 62, FIRST = 1000 /* s: the clock of these tests */ };

/* ---- memory of ours --------------------------------------------------------------------------------------- */

static const bool by_ring = false, by_filter = true;
static uint8_t *ring;
static struct wt_arrival_memory *memory; /* of a filter; NULL: the ring */
static struct wt_arrival *arrival;
static unsigned next_slot, lost;

static int setup_memory(void **state)
{
	size_t len = sizeof(*memory) + SLOTS * sizeof(memory->slot[0]);

	next_slot = lost = 0;
	if (*(const bool *)*state) {
		memory = aligned_alloc(64, len);
		memset(memory, 0xff, len);
		arrival = wt_arrival_filter_over(memory, SLOTS);
	} else {
		ring = aligned_alloc(64, SLOTS * WT_ARRIVAL_RING_SLOT);
		memset(ring, 0, SLOTS * WT_ARRIVAL_RING_SLOT);
		arrival = wt_arrival_ring_over(ring, SLOTS);
	}
	return !arrival;
}

static int teardown_memory(void **state)
{
	wt_arrival_close(arrival);
	free(ring);
	free(memory);
	ring = NULL;
	memory = NULL;
	return 0;
}

static void make(uint8_t bytes[1514], uint32_t number)
{
	for (unsigned i = 0; i < 1514; i++)
		bytes[i] = (uint8_t)(i * 5);
	wt_put32(bytes + 40, number);
}

static struct tpacket2_hdr *fill_ring(const uint8_t *bytes, uint32_t len, wt_time stamp)
{
	struct tpacket2_hdr *slot = (struct tpacket2_hdr *)(ring + (size_t)next_slot * WT_ARRIVAL_RING_SLOT);

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

/* As the program does it: a slot is taken, then filled. */
static void fill_slot(uint64_t number, const uint8_t *bytes, uint32_t len, wt_time stamp)
{
	struct wt_arrival_slot *slot = &memory->slot[number % SLOTS];

	slot->stamp = (uint64_t)(FIRST * WT_S + stamp);
	slot->print = wt_arrival_print(bytes, len);
	slot->sum = number + slot->stamp + slot->print;
}

static void fill(const uint8_t *bytes, uint32_t len, wt_time stamp)
{
	if (memory)
		fill_slot(memory->next++, bytes, len, stamp);
	else
		fill_ring(bytes, len, stamp);
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

static void short_frames_are_found(void **state)
{
	uint8_t bytes[1514];

	make(bytes, 1);
	for (uint32_t len = 14; len < 80; len++) {
		fill(bytes, len, len * WT_US);
		assert_int_equal(wt_arrival_of(arrival, bytes, len), FIRST * WT_S + len * WT_US);
	}
}

/* What is behind the bytes that are looked at does not count, all of the others do, and so does the length. */
static void frames_that_differ_have_different_numbers(void **state)
{
	uint8_t bytes[1514];
	uint64_t print;

	make(bytes, 1);
	print = wt_arrival_print(bytes, 1514);
	assert_int_not_equal(wt_arrival_print(bytes, 1513), print);
	for (unsigned i = 0; i < 80; i++) {
		bytes[i] ^= 1;
		assert_true((wt_arrival_print(bytes, 1514) == print) == (i >= SEEN));
		bytes[i] ^= 1;
	}
}

static void a_tag_that_a_ring_keeps_beside_the_frame_is_where_the_reader_finds_it(void **state)
{
	uint8_t bytes[1514], read[1518];

	make(bytes, 1);
	for (uint32_t len = 14; len <= 1514; len += 100) {
		struct tpacket2_hdr *slot = fill_ring(bytes, len, len * WT_US);

		slot->tp_vlan_tci = 0x6007;
		slot->tp_status |= TP_STATUS_VLAN_VALID;
		memcpy(read, bytes, 12);
		wt_put32(read + 12, 0x81006007);
		memcpy(read + 16, bytes + 12, len - 12);
		assert_int_equal(wt_arrival_of(arrival, read, len + 4), FIRST * WT_S + len * WT_US);
	}
}

/* Nobody waits for the reader: the oldest are gone. */
static void a_reader_that_was_overrun_goes_on_with_what_is_left(void **state)
{
	const unsigned more[] = {1, 5, SLOTS - 1, SLOTS, SLOTS + 1, 10 * SLOTS + 3};
	uint32_t first = 0;

	for (unsigned i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		uint32_t end = first + SLOTS + more[i];

		for (uint32_t n = first; n < end; n++)
			take_in(n, n * WT_US);
		assert_int_equal(came(end - SLOTS - 1), -1);
		for (uint32_t n = end - SLOTS; n < end; n++)
			assert_int_equal(came(n), n * WT_US);
		first = end;
	}
}

/* Every mixture of two writings of one slot, of frames that differ and of frames alike. */
static void a_slot_that_is_half_written_is_never_believed(void **state)
{
	uint8_t bytes[1514];

	for (unsigned alike = 0; alike < 2; alike++) {
		for (unsigned written = 0; written < 7; written++) {
			uint64_t number = memory->next;
			bool whole;
			struct wt_arrival_slot before = memory->slot[number % SLOTS], *slot = &memory->slot[number % SLOTS];

			make(bytes, alike ? 7 : (uint32_t)number);
			memory->next++;
			fill_slot(number, bytes, sizeof(bytes), (wt_time)number * WT_US);
			if (!(written & 1))
				slot->stamp = before.stamp;
			if (!(written & 2))
				slot->print = before.print;
			if (!(written & 4))
				slot->sum = before.sum;
			whole = (written & 5) == 5 && before.print == wt_arrival_print(bytes, sizeof(bytes)); /* there was no more to write */
			assert_int_equal(came(alike ? 7 : (uint32_t)number), whole ? (wt_time)number * WT_US : -1);
			fill_slot(number, bytes, sizeof(bytes), (wt_time)number * WT_US);
			assert_int_equal(came(alike ? 7 : (uint32_t)number), whole ? -1 : (wt_time)number * WT_US);
			for (unsigned i = 1; i < SLOTS; i++) { /* once around, to the same slot */
				take_in(7, (wt_time)memory->next * WT_US);
				assert_int_not_equal(came(7), -1);
			}
		}
	}
}

/* Another processor is slow: those behind its slot go without a stamp until it is done, and it is not lost itself. */
static void a_slot_that_is_taken_but_not_filled_holds_up_what_is_behind_it_and_no_more(void **state)
{
	uint8_t bytes[1514];
	uint64_t slow;

	take_in(1, WT_US);
	slow = memory->next++;
	take_in(3, 3 * WT_US);
	take_in(4, 4 * WT_US);
	assert_int_equal(came(1), WT_US);
	assert_int_equal(came(3), -1);
	make(bytes, 2);
	fill_slot(slow, bytes, sizeof(bytes), 2 * WT_US);
	assert_int_equal(came(2), 2 * WT_US);
	assert_int_equal(came(4), 4 * WT_US);
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

static int64_t clock_now(const struct wt_port *port)
{
	struct timespec t;

	clock_gettime(port->stamp_clock, &t);
	return t.tv_sec * WT_S + t.tv_nsec;
}

/* A frame of this kernel, by an interface; past what listens there, if wanted. */
static void send_long(const char *interface, uint32_t number, uint32_t len, bool tag, int bypass)
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(interface), .sll_protocol = htons(0x88b5)};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	uint8_t bytes[1514];

	make(bytes, number);
	memset(bytes, 0xff, 6);
	memset(bytes + 6, 2, 6);
	wt_put32(bytes + 12, tag ? 0x81006007 : 0x88b50000);
	wt_put16(bytes + 16, 0x88b5);
	assert_int_equal(setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &bypass, sizeof(bypass)), 0);
	assert_int_equal(sendto(fd, bytes, len, 0, (struct sockaddr *)&address, sizeof(address)), len);
	close(fd);
}

static void send_by(const char *interface, uint32_t number, int bypass)
{
	send_long(interface, number, 100, false, bypass);
}

/* Reads until a frame of that length comes, with that number, if it is long enough for one; its stamp. */
static int64_t stamp_of_long(struct wt_port *port, uint32_t number, uint32_t len)
{
	struct pollfd fd = {.fd = port->fd, .events = POLLIN};
	struct wt_frame *frame;

	for (unsigned i = 0; i < 200; i++) {
		while (port->ops->read(port, &frame) > 0) {
			bool found = frame && frame->len == len && (len < 44 || wt_get32(wt_frame_own_bytes(frame) + 40) == number);

			wt_frame_free(frame);
			if (found)
				return port->stamp;
		}
		poll(&fd, 1, 10);
	}
	fail_msg("frame %u did not come", number);
	return 0;
}

static int64_t stamp_of(struct wt_port *port, uint32_t number)
{
	return stamp_of_long(port, number, 100);
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
		int64_t before = clock_now(port), after, stamp;

		send_by(sender, i, 0);
		after = clock_now(port);
		usleep(30000);
		stamp = stamp_of(port, i);
		assert_true(stamp >= before && stamp <= after);
	}
}

static struct wt_port *open_tap(struct wt_pool *big, bool filter)
{
	struct wt_port *tap;

	need(!no_namespace, no_namespace);
	need(!access("/dev/net/tun", R_OK | W_OK), "/dev/net/tun cannot be opened here");
	tap = wt_tap_open_big("wttap", pool, big, err, sizeof(err));
	if (!tap)
		print_error("%s\n", err);
	assert_non_null(tap);
	if (filter) {
		struct wt_arrival *trial = wt_arrival_filter_open(tap->fd);
		bool may = trial || (errno != EPERM && errno != ENOSYS);

		wt_arrival_close(trial);
		if (!may)
			wt_port_close(tap);
		need(may, "this process may not load programs into the kernel");
	}
	wt_port_stamp(tap, filter);
	assert_string_equal(tap->stamp_source, filter ? "filter" : "ring");
	send_by("wttap", 77, 0);
	assert_int_equal(stamp_of(tap, 77), 0); /* not asked for yet */
	wt_port_hear(tap);
	assert_true(tap->stamps && tap->hears && !tap->stamps_refused);
	return tap;
}

static void a_tap_dates_a_frame_when_the_kernel_sent_it(void **state)
{
	struct wt_pool *big = wt_pool_create(2, WT_PORT_BIG);
	bool filter = *(const bool *)*state;

	for (unsigned i = 0; i < 2; i++) { /* with offloads, too */
		struct wt_port *tap = open_tap(i ? big : NULL, filter);

		check_stamps(tap, "wttap");
		send_by("wttap", 10, 1);
		assert_true((stamp_of(tap, 10) != 0) == filter); /* no packet socket has heard it */
		check_stamps(tap, "wttap");
		wt_port_close(tap);
	}
	wt_pool_destroy(big);
}

static void check_lengths(struct wt_port *tap, const char *sender, uint32_t from, bool tag)
{
	int64_t before = clock_now(tap);

	for (uint32_t len = from; len <= 1514; len += len < 80 ? 1 : 239) {
		int64_t stamp;

		send_long(sender, 1000 + len, len, tag, 0);
		stamp = stamp_of_long(tap, 1000 + len, len);
		assert_true(stamp >= before && stamp <= clock_now(tap));
		before = stamp;
	}
}

static void a_tap_dates_frames_of_all_lengths(void **state)
{
	struct wt_port *tap = open_tap(NULL, *(const bool *)*state);

	check_lengths(tap, "wttap", 14, false);
	wt_port_close(tap);
}

/* What a kernel has received has its tag beside it, and a bridge sends it on so. */
static void a_tap_dates_frames_whose_tags_come_beside_them(void **state)
{
	struct wt_port *tap = open_tap(NULL, *(const bool *)*state);
	bool bridge = !system("ip link add wtbr type bridge 2>/dev/null");

	if (!bridge)
		wt_port_close(tap);
	need(bridge, "this kernel has no bridges");
	shell("ip link add wtva type veth peer name wtvb && ip link set wtvb master wtbr && ip link set wttap master wtbr &&"
	      " ip link set wtbr up && ip link set wtvb up && ip link set wtva up &&"
	      " for i in $(seq 200); do [ $(bridge link | grep -c 'state forwarding') = 2 ] && break; sleep 0.01; done");
	check_lengths(tap, "wtva", 24, true);
	check_lengths(tap, "wtva", 24, false);
	wt_port_close(tap);
	shell("ip link set wtva down && ip link del wtva && ip link del wtbr");
}

static void a_tap_that_comes_back_has_its_stamps_again(void **state)
{
	struct wt_port *tap = open_tap(NULL, *(const bool *)*state);
	struct wt_frame *frame;

	shell("ip link del wttap");
	while (tap->ops->read(tap, &frame) >= 0)
		;
	assert_int_equal(wt_port_reopen(tap), 0);
	assert_int_equal(tap->stamps_refused, 0);
	check_stamps(tap, "wttap");
	wt_port_close(tap);
}

/* What stays behind us may have a filter of somebody else's, and would keep ours. */
static void the_filter_of_a_tap_that_is_not_ours_alone_is_left_alone(void **state)
{
	struct wt_port *tap = open_tap(NULL, true);
	struct wt_frame *frame;

	shell("ip link del wttap && ip tuntap add wttap mode tap && ip link set wttap up");
	while (tap->ops->read(tap, &frame) >= 0)
		;
	assert_int_equal(wt_port_reopen(tap), 0);
	assert_int_equal(tap->stamps_refused, -EBUSY);
	send_by("wttap", 1, 0);
	assert_int_equal(stamp_of(tap, 1), 0);
	wt_port_close(tap);
	tap = wt_tap_open("wttap", pool, err, sizeof(err));
	assert_non_null(tap);
	wt_port_stamp(tap, true);
	assert_string_equal(tap->stamp_source, "ring");
	wt_port_hear(tap);
	check_stamps(tap, "wttap");
	wt_port_close(tap);
	shell("ip link del wttap");
}

static void a_packet_socket_dates_a_frame_when_the_other_end_sent_it(void **state)
{
	struct wt_port *port;

	need(!no_namespace, no_namespace);
	shell("ip link add wtva type veth peer name wtvb && ip link set wtva up && ip link set wtvb up &&"
	      " for i in $(seq 100); do ip -br link show wtva | grep -q ' UP ' && break; sleep 0.01; done");
	port = wt_packet_open("wtvb", pool, err, sizeof(err));
	assert_non_null(port);
	wt_port_stamp(port, true);
	send_by("wtva", 4, 0);
	assert_int_equal(stamp_of(port, 4), 0);
	wt_port_hear(port);
	assert_true(port->stamps && port->hears && !port->stamps_refused);
	/* the kernel begins to stamp a little after it was asked: until then a frame is stamped when it is read */
	for (int64_t now = 0, stamp = 1; stamp > now; stamp = stamp_of(port, 5)) {
		send_by("wtva", 5, 0);
		now = clock_now(port);
		usleep(1000);
	}
	check_stamps(port, "wtva");
	wt_port_close(port);
	shell("ip link del wtva");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define OVER(name, source) {#name " " #source, name, setup_memory, teardown_memory, (void *)&source}
#define BOTH(name) OVER(name, by_ring), OVER(name, by_filter)
		BOTH(a_frame_that_was_read_has_its_own_stamp_round_and_round_the_ring),
		BOTH(frames_that_the_device_dropped_are_skipped),
		BOTH(a_frame_that_nothing_matches_has_no_stamp_and_takes_none_from_others),
		OVER(a_ring_that_was_full_leaves_gaps_and_nothing_else, by_ring),
		BOTH(frames_alike_have_their_stamps_in_order),
		BOTH(what_was_dropped_is_forgotten_when_the_device_was_empty),
		BOTH(more_frames_dropped_than_are_kept_push_out_the_oldest),
		BOTH(short_frames_are_found),
		OVER(a_tag_that_a_ring_keeps_beside_the_frame_is_where_the_reader_finds_it, by_ring),
		OVER(a_reader_that_was_overrun_goes_on_with_what_is_left, by_filter),
		OVER(a_slot_that_is_half_written_is_never_believed, by_filter),
		OVER(a_slot_that_is_taken_but_not_filled_holds_up_what_is_behind_it_and_no_more, by_filter),
		cmocka_unit_test(frames_that_differ_have_different_numbers),
#define KERNEL(name, source) {#name " " #source, name, setup_pool, teardown_pool, (void *)&source}
#define KERNELS(name) KERNEL(name, by_ring), KERNEL(name, by_filter)
		KERNELS(a_tap_dates_a_frame_when_the_kernel_sent_it),
		KERNELS(a_tap_dates_frames_of_all_lengths),
		KERNELS(a_tap_dates_frames_whose_tags_come_beside_them),
		KERNELS(a_tap_that_comes_back_has_its_stamps_again),
		KERNEL(the_filter_of_a_tap_that_is_not_ours_alone_is_left_alone, by_filter),
		KERNEL(a_packet_socket_dates_a_frame_when_the_other_end_sent_it, by_ring),
	};

	no_namespace = own_namespace_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
