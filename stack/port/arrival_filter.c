/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program in the TAP's filter, which the kernel runs for each frame just before it goes into the queue: in effect
 *
 *     print = wt_arrival_print(frame as it will be read);
 *     number = next++;                      // atomic: several processors may be sending
 *     slot[number % SLOTS] = {now, print, number + now + print};
 *     return all of the frame;
 *
 * Nobody gives slots back. The reader knows by the number what lap a slot is of: the last one, then nothing new has come; its own; or a
 * later one, then it has been overrun, and goes on with the oldest there is. A slot that is being written does not add up and
 * counts as not there yet, whatever order its stores become visible in. It holds up those behind it: if a processor is interrupted
 * there, what others send meanwhile is read without a stamp.
 *
 * A filter belongs to the device, not to us, and the kernel does not say whether there is one. So only a device that goes with our
 * descriptor gets it, however we end: one that is persistent may have another's, and would keep ours.
 *
 * Loading takes CAP_BPF; setting takes no privilege, so a device that was made anew after all was given up has its stamps, too.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stack/base/time.h"
#include "stack/port/arrival_source.h"

#define SLOTS WT_ARRIVAL_KEPT
#define SLOT_SHIFT 5
#define CLOCKS_APART (100 * WT_US) /* at most, the kernel's two ways of reading one clock */
#define MEMORY (sizeof(struct wt_arrival_memory) + SLOTS * sizeof(struct wt_arrival_slot))

_Static_assert(sizeof(struct wt_arrival_slot) == 1 << SLOT_SHIFT, "slots are found by a shift");
_Static_assert(sizeof(struct wt_arrival_memory) == 64, "a cache line");

/* ---- reading --------------------------------------------------------------------------------------------- */

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void collect(struct wt_arrival *arrival)
{
	const struct wt_arrival_memory *memory = arrival->memory;

	for (;;) {
		const struct wt_arrival_slot *slot = &memory->slot[arrival->next % arrival->slots];
		uint64_t stamp = load(&slot->stamp), print = load(&slot->print), number = load(&slot->sum) - stamp - print;

		if (number == arrival->next) {
			wt_arrival_keep(arrival, print, (int64_t)stamp);
			arrival->next++;
			continue;
		}
		if (number == arrival->next - arrival->slots || load(&memory->next) - arrival->next <= arrival->slots)
			return;
		arrival->next = load(&memory->next) - arrival->slots;
	}
}

/* ---- the program ----------------------------------------------------------------------------------------- */

/* What is in the program's registers all the time. Helpers take R1 to R4 and spoil R0 to R5; R10 is the end of the stack. */
enum { FRAME = BPF_REG_6, PRINT, NOW, FACTOR };
enum { ROOM = 8 * WT_ARRIVAL_WORDS, TAG_AT = 12, TAG = 4, SHORTEST = 14, INSTRUCTIONS = 160 };

struct program {
	struct bpf_insn insn[INSTRUCTIONS];
	unsigned count;
};

static void put(struct program *program, unsigned code, unsigned to, unsigned from, int off, int64_t value)
{
	program->insn[program->count++] = (struct bpf_insn){
		.code = (uint8_t)code, .dst_reg = (uint8_t)(to & 15), .src_reg = (uint8_t)(from & 15), .off = (int16_t)off, .imm = (int32_t)value};
}

#define SET(to, from) put(program, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define SET_TO(to, value) put(program, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value)
#define CHANGE(to, op, from) put(program, BPF_ALU64 | (op) | BPF_X, to, from, 0, 0)
#define CHANGE_BY(to, op, value) put(program, BPF_ALU64 | (op) | BPF_K, to, 0, 0, value)
#define TO_NETWORK_ORDER16(to) put(program, BPF_ALU | BPF_END | BPF_TO_BE, to, 0, 0, 16)
#define READ(size, to, at, off) put(program, BPF_LDX | BPF_MEM | (size), to, at, off, 0)
#define WRITE(size, at, off, from) put(program, BPF_STX | BPF_MEM | (size), at, from, off, 0)
#define WRITE_ZERO(at, off) put(program, BPF_ST | BPF_MEM | BPF_DW, at, 0, off, 0)
#define FETCH_ADD(at, with) put(program, BPF_STX | BPF_ATOMIC | BPF_DW, at, with, 0, BPF_ADD | BPF_FETCH)
#define CALL(helper) put(program, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##helper)
#define EXIT() put(program, BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define FIELD(name) ((int)offsetof(struct __sk_buff, name))
#define SLOT(name) ((int)(offsetof(struct wt_arrival_memory, slot) + offsetof(struct wt_arrival_slot, name)))

/* If the register compares so: to where land() says. */
static unsigned jump(struct program *program, unsigned op, unsigned reg, int32_t value)
{
	put(program, BPF_JMP | op | BPF_K, reg, 0, 0, value);
	return program->count - 1;
}

static void land(struct program *program, unsigned from)
{
	program->insn[from].off = (int16_t)(program->count - from - 1);
}

/* A constant of 64 bits, or, with `kind`, the address of the value of a map. */
static void set_wide(struct program *program, unsigned to, unsigned kind, uint64_t value)
{
	put(program, BPF_LD | BPF_IMM | BPF_DW, to, kind, 0, (int64_t)(value & UINT32_MAX));
	put(program, 0, 0, 0, 0, (int64_t)(value >> 32));
}

/* R4 bytes, or `most`, from byte `from` of the frame to byte `to` of the room. */
static void load_bytes(struct program *program, int from, int to, int most)
{
	unsigned fits = jump(program, BPF_JLE, BPF_REG_4, most);

	SET_TO(BPF_REG_4, most);
	land(program, fits);
	SET(BPF_REG_1, FRAME);
	SET_TO(BPF_REG_2, from);
	SET(BPF_REG_3, BPF_REG_10);
	CHANGE_BY(BPF_REG_3, BPF_ADD, to - ROOM);
	CALL(skb_load_bytes);
}

/* Into PRINT the length, into the room the first bytes, both of the frame as it will be read: with the tag that the kernel keeps beside it. A
 * frame too short for one of Ethernet: to where land() says. */
static unsigned look(struct program *program)
{
	unsigned runt, tagged, plain;

	for (int at = 0; at < ROOM; at += 8)
		WRITE_ZERO(BPF_REG_10, at - ROOM);
	READ(BPF_W, PRINT, FRAME, FIELD(len));
	runt = jump(program, BPF_JLT, PRINT, SHORTEST);
	READ(BPF_W, BPF_REG_1, FRAME, FIELD(vlan_present));
	SET(BPF_REG_4, PRINT);
	tagged = jump(program, BPF_JNE, BPF_REG_1, 0);
	load_bytes(program, 0, 0, WT_ARRIVAL_SEEN);
	plain = jump(program, BPF_JA, 0, 0);
	land(program, tagged);
	load_bytes(program, 0, 0, TAG_AT);
	READ(BPF_W, BPF_REG_1, FRAME, FIELD(vlan_proto)); /* as on the wire */
	WRITE(BPF_H, BPF_REG_10, TAG_AT - ROOM, BPF_REG_1);
	READ(BPF_W, BPF_REG_1, FRAME, FIELD(vlan_tci));
	TO_NETWORK_ORDER16(BPF_REG_1);
	WRITE(BPF_H, BPF_REG_10, TAG_AT + 2 - ROOM, BPF_REG_1);
	SET(BPF_REG_4, PRINT);
	CHANGE_BY(BPF_REG_4, BPF_SUB, TAG_AT);
	load_bytes(program, TAG_AT, TAG_AT + TAG, WT_ARRIVAL_SEEN - TAG_AT - TAG);
	CHANGE_BY(PRINT, BPF_ADD, TAG);
	land(program, plain);
	return runt;
}

static void write_program(struct program *program, int map)
{
	unsigned runt;

	SET(FRAME, BPF_REG_1);
	runt = look(program);
	set_wide(program, FACTOR, 0, WT_ARRIVAL_FACTOR);
	for (int at = 0; at < ROOM; at += 8) {
		READ(BPF_DW, BPF_REG_1, BPF_REG_10, at - ROOM);
		CHANGE(PRINT, BPF_XOR, BPF_REG_1);
		CHANGE(PRINT, BPF_MUL, FACTOR);
		SET(BPF_REG_1, PRINT);
		CHANGE_BY(BPF_REG_1, BPF_RSH, WT_ARRIVAL_SHIFT);
		CHANGE(PRINT, BPF_XOR, BPF_REG_1);
	}
	CALL(ktime_get_ns);
	SET(NOW, BPF_REG_0);
	set_wide(program, BPF_REG_1, BPF_PSEUDO_MAP_VALUE, (uint32_t)map);
	SET_TO(BPF_REG_2, 1);
	FETCH_ADD(BPF_REG_1, BPF_REG_2);
	SET(BPF_REG_3, BPF_REG_2);
	CHANGE_BY(BPF_REG_3, BPF_AND, SLOTS - 1);
	CHANGE_BY(BPF_REG_3, BPF_LSH, SLOT_SHIFT);
	CHANGE(BPF_REG_1, BPF_ADD, BPF_REG_3);
	WRITE(BPF_DW, BPF_REG_1, SLOT(stamp), NOW);
	WRITE(BPF_DW, BPF_REG_1, SLOT(print), PRINT);
	CHANGE(BPF_REG_2, BPF_ADD, NOW);
	CHANGE(BPF_REG_2, BPF_ADD, PRINT);
	WRITE(BPF_DW, BPF_REG_1, SLOT(sum), BPF_REG_2);
	land(program, runt);
	SET_TO(BPF_REG_0, INT32_MAX); /* bytes to keep of the frame; 0 would drop it */
	EXIT();
}

/* ---- loading and setting --------------------------------------------------------------------------------- */

static int bpf(int command, union bpf_attr *attr)
{
	int fd = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

	return fd < 0 ? -errno : fd;
}

/* An array of one value, which programs find without asking, and we by mmap(). */
static int make_map(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = sizeof(uint32_t);
	attr.value_size = MEMORY;
	attr.max_entries = 1;
	attr.map_flags = BPF_F_MMAPABLE;
	return bpf(BPF_MAP_CREATE, &attr);
}

static int load_program(int map)
{
	struct program program = {.count = 0};
	union bpf_attr attr;

	write_program(&program, map);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)program.insn;
	attr.insn_cnt = program.count;
	attr.license = (uintptr_t) "BSD";
	memcpy(attr.prog_name, "wt_arrival", sizeof("wt_arrival"));
	return bpf(BPF_PROG_LOAD, &attr);
}

static bool goes_with_us(int tap)
{
	struct ifreq request = {.ifr_flags = 0};

	return !ioctl(tap, TUNGETIFF, &request) && !(request.ifr_flags & IFF_PERSIST);
}

static int set_program(struct wt_arrival *arrival, int tap, int index)
{
	(void)index;
	if (!goes_with_us(tap))
		return -EBUSY;
	return ioctl(tap, TUNSETFILTEREBPF, &arrival->fd) ? -errno : 0;
}

static void close_memory(struct wt_arrival *arrival)
{
	if (arrival->fd >= 0)
		munmap(arrival->memory, MEMORY);
}

struct wt_arrival *wt_arrival_filter_over(struct wt_arrival_memory *memory, uint32_t slots)
{
	static const struct wt_arrival_source source = {"filter", CLOCK_MONOTONIC, collect, set_program, close_memory};

	memory->next = 0;
	for (uint32_t i = 0; i < slots; i++) /* of the lap before the first */
		memory->slot[i] = (struct wt_arrival_slot){.sum = (uint64_t)i - slots};
	return wt_arrival_new(&source, memory, slots);
}

static int64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * WT_S + now.tv_nsec;
}

/* The program's clock is the machine's, ours that of our time namespace: it is believed only after it has dated a frame that we know of, which
 * the kernel lets it see without its Ethernet header. */
static bool tells_the_time(struct wt_arrival *arrival)
{
	enum { HEADER = 14 };
	uint8_t frame[HEADER + 2 * ROOM] = {[HEADER + 5] = 1};
	int64_t before = clock_now(), stamp;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)arrival->fd;
	attr.test.data_in = (uintptr_t)frame;
	attr.test.data_size_in = sizeof(frame);
	if (bpf(BPF_PROG_TEST_RUN, &attr))
		return false;
	stamp = wt_arrival_of(arrival, frame + HEADER, sizeof(frame) - HEADER);
	return stamp >= before - CLOCKS_APART && stamp <= clock_now() + CLOCKS_APART;
}

struct wt_arrival *wt_arrival_filter_open(int tap)
{
	struct wt_arrival *arrival = NULL;
	void *memory = MAP_FAILED;
	int map, program;

	map = program = goes_with_us(tap) ? make_map() : -EBUSY;
	if (map >= 0) {
		memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, map, 0);
		program = memory == MAP_FAILED ? -errno : load_program(map);
		close(map); /* program and mapping keep it */
	}
	if (program >= 0)
		arrival = wt_arrival_filter_over(memory, SLOTS);
	if (arrival) {
		arrival->fd = program;
		if (tells_the_time(arrival))
			return arrival;
		wt_arrival_close(arrival);
		errno = EINVAL;
		return NULL;
	}
	if (memory != MAP_FAILED)
		munmap(memory, MEMORY);
	if (program >= 0)
		close(program);
	errno = program < 0 ? -program : ENOMEM;
	return NULL;
}
