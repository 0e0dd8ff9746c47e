/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring is TPACKET_V2's: slots of 128 bytes that kernel and reader give to each other by a word of status, without system calls.
 * (TPACKET_V3 gives blocks, and a block that is not full only after a timeout.) Slots are given back at once: what they said is kept in a longer
 * list of our own, each frame as a number made of its length and first bytes. So the kernel's ring is full only if we were away
 * for as many frames as it has slots, four times as many as the TAP itself can hold; and looking for a frame that is not there
 * costs a few microseconds at worst.
 */
#include "stack/drive/arrival.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stack/base/bytes.h"
#include "stack/base/time.h"

#define SLOTS 8192
#define BLOCK (64 * 1024)
#define KEPT 16384 /* a power of two */
#define SEEN 62   /* bytes of a frame in a slot, behind 66 of the kernel's: up to the time stamp of TCP over IPv4 */
#define UNDER_WAY WT_MS /* from the stamp to the queue of the TAP it takes the kernel a microsecond, but it may be interrupted there */

struct wt_arrival {
	int fd;          /* -1: the ring is somebody else's */
	uint8_t *ring;
	uint32_t slots, next; /* next: the slot the kernel fills next */
	uint32_t from, to;    /* what is kept: from <= i < to, at i % KEPT */
	uint64_t print[KEPT];
	int64_t stamp[KEPT];
};

/* ---- frames as numbers ---------------------------------------------------------------------------------- */

static uint64_t fingerprint(const uint8_t *data, uint32_t len)
{
	uint32_t seen = len < SEEN ? len : SEEN;
	uint64_t print = len, word;

	while (seen) {
		uint32_t n = seen < sizeof(word) ? seen : sizeof(word);

		word = 0;
		memcpy(&word, data, n);
		print = (print ^ word) * 0x9e3779b97f4a7c15u; /* odd, so no frame's number hangs on its last bytes alone */
		print ^= print >> 29;
		data += n;
		seen -= n;
	}
	return print;
}

/* Of a frame whose VLAN tag the kernel keeps beside it, and puts in for the reader. */
static uint64_t tagged_fingerprint(const struct tpacket2_hdr *slot, const uint8_t *data)
{
	enum { AT = 12, TAG = 4 };
	uint8_t bytes[SEEN + TAG];
	uint32_t seen = slot->tp_snaplen < SEEN ? slot->tp_snaplen : SEEN;

	if (seen < AT)
		return 0;
	memcpy(bytes, data, AT);
	wt_put16(bytes + AT, slot->tp_status & TP_STATUS_VLAN_TPID_VALID ? slot->tp_vlan_tpid : ETH_P_8021Q);
	wt_put16(bytes + AT + 2, slot->tp_vlan_tci);
	memcpy(bytes + AT + TAG, data + AT, seen - AT);
	return fingerprint(bytes, slot->tp_len + TAG);
}

/* ---- the ring -------------------------------------------------------------------------------------------- */

static void keep(struct wt_arrival *arrival, uint64_t print, int64_t stamp)
{
	if (arrival->to - arrival->from == KEPT)
		arrival->from++;
	arrival->print[arrival->to % KEPT] = print;
	arrival->stamp[arrival->to % KEPT] = stamp;
	arrival->to++;
}

static void collect(struct wt_arrival *arrival)
{
	for (;;) {
		struct tpacket2_hdr *slot = (struct tpacket2_hdr *)(arrival->ring + (size_t)arrival->next * WT_ARRIVAL_SLOT);
		const uint8_t *data;

		if (!(__atomic_load_n(&slot->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
			return;
		data = (const uint8_t *)slot + slot->tp_mac;
		keep(arrival, slot->tp_status & TP_STATUS_VLAN_VALID ? tagged_fingerprint(slot, data) : fingerprint(data, slot->tp_len),
		     slot->tp_sec * WT_S + slot->tp_nsec);
		__atomic_store_n(&slot->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		arrival->next = arrival->next + 1 == arrival->slots ? 0 : arrival->next + 1;
	}
}

int64_t wt_arrival_of(struct wt_arrival *arrival, const uint8_t *data, uint32_t len)
{
	uint64_t print = fingerprint(data, len);

	if (arrival->from == arrival->to) /* stay within few cache lines */
		arrival->from = arrival->to = 0;
	collect(arrival);
	for (uint32_t i = arrival->from; i != arrival->to; i++) {
		if (arrival->print[i % KEPT] != print)
			continue;
		arrival->from = i + 1;
		return arrival->stamp[i % KEPT];
	}
	return 0;
}

void wt_arrival_empty(struct wt_arrival *arrival, int64_t now)
{
	while (arrival->from != arrival->to && arrival->stamp[arrival->from % KEPT] < now - UNDER_WAY)
		arrival->from++;
}

/* ---- the socket ------------------------------------------------------------------------------------------ */

/* Only what leaves by the device, not what we write into it; the first bytes. */
static int set_filter(int fd)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_PKTTYPE)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SEEN),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) ? -errno : 0;
}

static int set_ring(struct wt_arrival *arrival)
{
	const struct tpacket_req ring = {
		.tp_block_size = BLOCK,
		.tp_block_nr = SLOTS * WT_ARRIVAL_SLOT / BLOCK,
		.tp_frame_size = WT_ARRIVAL_SLOT,
		.tp_frame_nr = SLOTS,
	};
	const int version = TPACKET_V2;
	void *at;

	if (setsockopt(arrival->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(arrival->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		return -errno;
	at = mmap(NULL, (size_t)SLOTS * WT_ARRIVAL_SLOT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, arrival->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	arrival->ring = at;
	return 0;
}

int wt_arrival_bind(struct wt_arrival *arrival, int index)
{
	const struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = index};

	return bind(arrival->fd, (const struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

struct wt_arrival *wt_arrival_over(void *ring, uint32_t slots)
{
	struct wt_arrival *arrival = calloc(1, sizeof(*arrival));

	if (!arrival)
		return NULL;
	arrival->fd = -1;
	arrival->ring = ring;
	arrival->slots = slots;
	return arrival;
}

struct wt_arrival *wt_arrival_open(void)
{
	struct wt_arrival *arrival = wt_arrival_over(NULL, SLOTS);
	int error;

	if (!arrival)
		return NULL;
	/* Protocol 0: nothing is heard before bind(). */
	arrival->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	error = arrival->fd < 0 ? -errno : set_filter(arrival->fd);
	if (!error)
		error = set_ring(arrival);
	if (!error)
		return arrival;
	wt_arrival_close(arrival);
	errno = -error;
	return NULL;
}

void wt_arrival_close(struct wt_arrival *arrival)
{
	if (!arrival)
		return;
	if (arrival->fd >= 0) {
		if (arrival->ring)
			munmap(arrival->ring, (size_t)SLOTS * WT_ARRIVAL_SLOT);
		close(arrival->fd);
	}
	free(arrival);
}
