/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet socket on the device hears every frame on its way into it, past the queueing discipline, cut and summed as it will be read, and
 * gets the kernel's stamp with it. The ring is TPACKET_V2's: slots of 128 bytes that kernel and reader give to each other by a word of status,
 * without system calls. (TPACKET_V3 gives blocks, and a block that is not full only after a timeout.) Slots are given back at once, so the
 * ring is full only if we were away for as many frames as it has slots, four times as many as the TAP itself can hold.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "stack/base/bytes.h"
#include "stack/base/time.h"
#include "stack/port/arrival_source.h"

#define SLOTS 8192
#define BLOCK (64 * 1024)
#define SEEN WT_ARRIVAL_SEEN /* bytes of a frame in a slot, behind 66 of the kernel's */

/* Of a frame whose VLAN tag the kernel keeps beside it, and puts in for the reader. */
static uint64_t tagged_print(const struct tpacket2_hdr *slot, const uint8_t *data)
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
	return wt_arrival_print(bytes, slot->tp_len + TAG);
}

static void collect(struct wt_arrival *arrival)
{
	for (;;) {
		struct tpacket2_hdr *slot =
			(struct tpacket2_hdr *)((uint8_t *)arrival->memory + arrival->next % arrival->slots * WT_ARRIVAL_RING_SLOT);
		const uint8_t *data;

		if (!(__atomic_load_n(&slot->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
			return;
		data = (const uint8_t *)slot + slot->tp_mac;
		wt_arrival_keep(arrival,
				slot->tp_status & TP_STATUS_VLAN_VALID ? tagged_print(slot, data) : wt_arrival_print(data, slot->tp_len),
				slot->tp_sec * WT_S + slot->tp_nsec);
		__atomic_store_n(&slot->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		arrival->next++;
	}
}

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
		.tp_block_nr = SLOTS * WT_ARRIVAL_RING_SLOT / BLOCK,
		.tp_frame_size = WT_ARRIVAL_RING_SLOT,
		.tp_frame_nr = SLOTS,
	};
	const int version = TPACKET_V2;
	void *at;

	if (setsockopt(arrival->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(arrival->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		return -errno;
	at = mmap(NULL, (size_t)SLOTS * WT_ARRIVAL_RING_SLOT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, arrival->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	arrival->memory = at;
	return 0;
}

static int bind_socket(struct wt_arrival *arrival, int tap, int index)
{
	const struct sockaddr_ll address = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = index};

	(void)tap;
	return bind(arrival->fd, (const struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

static void close_ring(struct wt_arrival *arrival)
{
	if (arrival->fd >= 0 && arrival->memory)
		munmap(arrival->memory, (size_t)SLOTS * WT_ARRIVAL_RING_SLOT);
}

struct wt_arrival *wt_arrival_ring_over(void *slots, uint32_t count)
{
	static const struct wt_arrival_source source = {"ring", CLOCK_REALTIME, collect, bind_socket, close_ring};

	return wt_arrival_new(&source, slots, count);
}

struct wt_arrival *wt_arrival_ring_open(void)
{
	struct wt_arrival *arrival = wt_arrival_ring_over(NULL, SLOTS);
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
