/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an emulator is to be: ports, routers, the links between them, what changes when; and the options of the daemon. From the
 * command line, or from a file (wavetank-emu.conf(5)):
 *
 *   [port a]                       [link bott]                        [at 10s]
 *   interface = tap:wt0@left       between = r1 r2                    bott.fwd = rate 1Mbit burst 0B limit 64KB
 *   gateway = 10.0.1.1/24          both = rate 2Mbit burst 0B ...     note = the radio fades
 *
 * Everything is checked before anything is opened: words of every link, and every change in its turn.
 */
#ifndef WT_EMU_DAEMON_PLAN_H
#define WT_EMU_DAEMON_PLAN_H

#include "emu/machine/identity.h"
#include "emu/daemon/span.h"
#include "emu/daemon/verdict.h"
#include "emu/daemon/where.h"
#include "stack/text/addr.h"
#include "stack/drive/rloop.h"

#define WT_PLAN_PORTS 16
#define WT_PLAN_ROUTERS 16
#define WT_PLAN_LINKS 32
#define WT_PLAN_EVENTS 1024
#define WT_PLAN_KEYS 20

extern const char *const wt_plan_key[WT_PLAN_KEYS + 1]; /* of [emulator]; NULL behind the last */

struct wt_plan_port {
	char name[WT_SPAN_NAME];
	char text[300]; /* the place as given */
	struct wt_where where;
	struct wt_addr gateway[WT_FAMILIES]; /* the addresses of the router this port's link leads to; none: no router there */
	unsigned prefix[WT_FAMILIES];
	unsigned line; /* of the file, 0: the command line */
};

struct wt_plan_router {
	char name[WT_SPAN_NAME];
	struct wt_addr address[WT_FAMILIES]; /* whose messages it sends where it has no gateway address */
	unsigned line;
};

/* Does it say the addresses of a router? */
static inline bool wt_plan_has_gateway(const struct wt_plan_port *port)
{
	return port->gateway[WT_FAMILY_IPV4].family || port->gateway[WT_FAMILY_IPV6].family;
}

/* An end of a link: a port or a router. */
struct wt_plan_end {
	bool router;
	unsigned index;
};

struct wt_plan_link {
	char name[WT_SPAN_NAME];
	struct wt_plan_end end[2];
	bool joined;
	char *words[2];
	unsigned line, words_line[2];
};

/* One link's new words at a time. Those of one [at] section follow each other and share time and section. */
struct wt_plan_event {
	wt_time at;
	unsigned section, link;
	char *words[2]; /* NULL: as before */
	bool flush;     /* what waits in front of the rates of these directions is dropped */
	char note[100];
	unsigned line, words_line[2];
};

struct wt_plan {
	unsigned ports, routers, links, events;
	struct wt_plan_port port[WT_PLAN_PORTS];
	struct wt_plan_router router[WT_PLAN_ROUTERS];
	struct wt_plan_link link[WT_PLAN_LINKS];
	struct wt_plan_event event[WT_PLAN_EVENTS]; /* in order of time once they are checked */
	uint64_t seed, frames;
	char *said[WT_PLAN_KEYS]; /* the file's [emulator], key by key as it stands there, whatever the command line says; NULL: not */
	wt_time time;         /* ends by itself after this, 0: never */
	struct wt_verdict_bounds bounds;
	struct wt_identity identity; /* the same, looked up */
	struct wt_refusal_rate icmp_limit; /* of the answers of each stage and router */
	enum wt_release release;
	int cpu;              /* the one to stay on, -1: any */
	bool realtime;        /* before every ordinary process: SCHED_FIFO */
	bool awake;           /* no processor sleeps deeply while it runs */
	bool steer;           /* kernels receive what TAP ports write on the other processors */
	bool gather;          /* TAP ports write many frames in one system call where the kernel can */
	enum wt_stamps stamps; /* frames are dated by the kernel's where it gives them */
	bool offload;         /* ports with offloads: big frames, unfinished checksums */
	bool seccomp;         /* take the filter of system calls */
	bool wait_ports;      /* ports may vanish and come back */
	char *capture, *log, *control; /* paths, or NULL */
	char *user;           /* whose identity is taken once everything is open, or NULL */
	char *file;           /* where it was read, or NULL */
	struct wt_samples_shelf *shelf; /* files that words of links and events name: wt_plan_check() reads them */
};

/* The heap holds the texts: finish frees them. */
void wt_plan_init(struct wt_plan *plan);
void wt_plan_finish(struct wt_plan *plan);

/* Reads a file over the plan, which keeps what the file does not say. 0, or -EINVAL: err begins "FILE:LINE: ". */
int wt_plan_read(struct wt_plan *plan, const char *file, char *err, size_t err_len);

/* For readers: each 0 or -EINVAL with a sentence. Text is copied. */
int wt_plan_add_port(struct wt_plan *plan, const char *name, const char *where, char *err, size_t err_len);
struct wt_plan_link *wt_plan_add_link(struct wt_plan *plan, const char *name);
/* "10.0.1.1/24, 2001:db8:1::1/64" by family; without lengths if prefix is NULL. Places of addresses not named are left alone. */
int wt_plan_addresses(const char *value, struct wt_addr addr[WT_FAMILIES], unsigned prefix[WT_FAMILIES], char *err, size_t err_len);
int wt_plan_text(char **to, const char *text);
int wt_plan_time(struct wt_plan *plan, const char *value, char *err, size_t err_len);
int wt_plan_find_link(const struct wt_plan *plan, const char *name); /* index, or -1 */

/* Other words for the only link, by direction, NULL: as they are; instead of those of changes at 0, too. To be checked again. */
int wt_plan_begin(struct wt_plan *plan, const char *const words[2]);

/*
 * Is it whole? Two ports and one link without ends: the link joins them; no link: an ideal wire. Checks the words of links and
 * events, and reads the files they name: no change of the script has to read one later. 0 or -EINVAL; err begins "FILE:LINE: " where
 * there is a file.
 */
int wt_plan_check(struct wt_plan *plan, char *err, size_t err_len);
/* The link of a plan in its first words; wt_span_finish() later. */
int wt_plan_make_link(const struct wt_plan *plan, unsigned index, struct wt_span *link, char *err, size_t err_len);

#endif
