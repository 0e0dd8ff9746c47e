/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the labs that are up: one folder per lab, LABS/NAME, holding state.json (written last, in one rename), the
 * emulator's records and log, and a hosts file. LABS is the first that belongs to us of $XDG_RUNTIME_DIR/wavetank/labs, /run/wavetank/labs
 * (root), /tmp/wavetank-UID/labs.
 *
 * A state is believed only while its keeper lives: same pid and same start time, seen from the same pid namespace. Any lab
 * command removes the folders of keepers that are gone.
 */
#ifndef WT_TOOLS_COMMON_LABS_H
#define WT_TOOLS_COMMON_LABS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "emu/daemon/verdict.h"
#include "stack/text/addr.h"

#define WT_LAB_NAME 32
#define WT_LAB_PATH 256
#define WT_LAB_WORDS 4096
#define WT_LAB_INTERFACE "wt0"
#define WT_LAB_ENGINES 4 /* engine addresses of each host */

struct wt_lab_process {
	pid_t pid;
	uint64_t start; /* clock ticks since boot, of /proc/PID/stat: tells a reused pid */
};

/* A host of a lab: its namespace, and the address of the kernel there. */
struct wt_lab_place {
	char name[16];
	struct wt_lab_process process;
	struct wt_addr addr;
	unsigned prefix_len;
	struct wt_addr gateway; /* the router its link leads to, if it does: family none where it leads to a host */
	struct wt_mac gateway_mac;
};

struct wt_lab {
	char name[WT_LAB_NAME];
	char backend[8]; /* "tap" or "packet" */
	char fwd[WT_LAB_WORDS], rev[WT_LAB_WORDS];
	char capture[WT_LAB_PATH], log[WT_LAB_PATH]; /* empty: none */
	char file[WT_LAB_PATH], folder[WT_LAB_PATH]; /* of the emulator's plan, and what its relative names count from; empty: words alone */
	bool given[2]; /* a direction has words of the command line, which go before the file's */
	struct wt_verdict_bounds bounds;
	bool realtime, awake; /* as emu run has them */
	char release[8];      /* empty: as usual */
	int cpu;              /* -1: any */
	bool programs; /* an engine daemon on each host */
	bool offload; /* big frames and unfinished checksums may pass */
	char icmp_limit[32]; /* empty: as usual */
	uint64_t seed;
	int64_t created; /* seconds since 1970 */
	struct wt_lab_process keeper, emulator;
	unsigned hosts;
	struct wt_lab_place *host; /* on the heap: wt_lab_finish() */
	struct wt_lab_process owner; /* pid 0: none; else the lab ends with it, and lab down --all leaves it alone */
};

/* The address plan of a lab of two: kernel 10.77.0.1 and .2 in a network of 24 bits. Engines everywhere stand 100, 102, 104 .. behind their
 * kernel: .101 .103 .. and .102 .104 .. */
struct wt_addr wt_lab_kernel_addr(unsigned host);
struct wt_addr wt_lab_engine_addr(const struct wt_addr *kernel, unsigned i);
/* Another host, all zero but for its name; NULL: no memory. Those given before may have moved. */
struct wt_lab_place *wt_lab_add_host(struct wt_lab *lab, const char *name);
/* NULL: there is none of that name. */
const struct wt_lab_place *wt_lab_host(const struct wt_lab *lab, const char *name);
/* Two hosts and one path between them? */
static inline bool wt_lab_is_pair(const struct wt_lab *lab)
{
	return lab->hosts == 2 && !lab->host[0].gateway.family;
}
/* Frees the hosts. */
void wt_lab_finish(struct wt_lab *lab);

bool wt_lab_name_ok(const char *name);
/* Finds or makes LABS and locks it; the descriptor to close, or negative errno with a sentence in err. */
int wt_labs_lock(char *err, size_t err_len);
/* LABS/NAME/FILE; file NULL: the folder. Valid after wt_labs_lock(). */
void wt_lab_path(char path[WT_LAB_PATH], const char *name, const char *file);

/* Under the lock. Load: 0, -ENOENT, or -EINVAL (unreadable); finish after 0. */
int wt_lab_load(const char *name, struct wt_lab *lab);
int wt_lab_store(const struct wt_lab *lab);
void wt_lab_remove(const char *name);
/* The last line the emulator wrote for people, without the program's name; empty if there is none. */
void wt_lab_last_words(const char *name, char *text, size_t len);
/* The same of a lab whose folder is open. */
void wt_lab_last_words_at(int folder, char *text, size_t len);
/* Was the emulator told to end, by its last record in the open folder of its lab? Also true where the folder is empty: lab down was there. */
bool wt_lab_was_ended_at(int folder);
/* Removes what dead keepers left, and says so. Calls `each` (may be NULL) for every living lab, in order of name. Their count. */
unsigned wt_labs_scan(void (*each)(void *arg, const struct wt_lab *lab), void *arg);

/* Has the lab of that name ended by itself? Then what is left of it is removed; a sentence says so, with its last words and its capture. */
bool wt_lab_ended(const char *name, char *sentence, size_t len);
/* The living lab of that name; finish it. False: there is none. */
bool wt_lab_find(const char *name, struct wt_lab *lab);

/* WT_EXIT_USAGE after one line if this process runs inside a lab, else WT_EXIT_OK. */
int wt_lab_refuse_inside(void);

uint64_t wt_process_start(pid_t pid); /* 0: no such process */
bool wt_process_alive(const struct wt_lab_process *process);

#endif
