/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world: what a run is made of. Hosts, routers, the links between them, what changes when, and flows; from a file
 * (wavetank-emu.conf(5)) or made by a program. docs/world.md says what each means.
 *
 *   [host a1]                      [link narrow]                      [flow one]
 *   [router left]                  between = left right               between = a1 b1
 *                                  both = rate 2Mbit burst 0B ...     bytes = 5MiB
 *
 * Everything is checked before anything is opened: words of every link, and every change in its turn. The lists grow; texts are on the
 * heap, and lines are those of the file, 0 where there is none.
 */
#ifndef WT_EMU_WORLD_WORLD_H
#define WT_EMU_WORLD_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/net/refusal.h"
#include "emu/samples.h"
#include "emu/world/air.h"
#include "emu/world/link.h"
#include "emu/world/interface_ref.h"
#include "stack/text/addr.h"
#include "stack/base/time.h"

#define WT_WORLD_NO_LINE UINT32_MAX /* words that stand in no file, whatever file the rest is from */
#define WT_WORLD_NAME WT_LINK_NAME /* of hosts, routers and links, with its end */

/* Where a host is. The reader knows only of what has an interface; who starts the run places the others. */
enum wt_placement {
	WT_UNPLACED,
	WT_INSIDE,    /* an engine of ours, a node of the graph */
	WT_NAMESPACE, /* behind a TAP in a network namespace that was made for it: its addresses are those said here */
	WT_OUTSIDE,   /* behind an interface that is given: whoever is there, with whatever addresses */
};

struct wt_world_host {
	char name[WT_WORLD_NAME];
	enum wt_placement placement;
	char *place;            /* "tap:wt0@left"; NULL: none */
	struct wt_interface_ref where;  /* the same, parsed */
	bool port;              /* a [port]: the hosts behind it, and their addresses, are unknown */
	struct wt_addr gateway[WT_FAMILIES]; /* the addresses of the router its link leads to; none: no router there */
	unsigned prefix[WT_FAMILIES];
	bool numbered;          /* address, prefix_len and mac are given; else the checker gives them */
	struct wt_addr address; /* of IPv4, its own */
	unsigned prefix_len;
	struct wt_mac mac;
	uint32_t mtu;           /* 0: 1500 */
	bool station;           /* of the air: then it may have several links, or none */
	unsigned number;        /* among stations: its port of the air */
	struct wt_track track;
	char *routing;          /* words of its own routing module; NULL: as [air] says */
	unsigned routing_line;
	unsigned line;
};

struct wt_world_router {
	char name[WT_WORLD_NAME];
	struct wt_addr address[WT_FAMILIES]; /* whose messages it sends where it has no gateway address */
	unsigned line;
};

/* An end of a link: a host or a router. */
struct wt_world_end {
	bool router;
	unsigned index;
};

struct wt_world_link {
	char name[WT_WORLD_NAME];
	struct wt_world_end end[2];
	bool joined;
	char *words[2];
	unsigned line, words_line[2];
};

/* One link's new words at a time. Those of one [at] section follow each other and share time and section. */
struct wt_world_event {
	wt_time at;
	unsigned section, link;
	char *words[2]; /* NULL: as before */
	bool flush;     /* what waits in front of the rates of these directions is dropped */
	char *note;     /* or NULL */
	unsigned line, words_line[2];
};

/* What a flow says of its ends, in words that the world does not read. */
enum wt_flow_word {
	WT_FLOW_APP, WT_FLOW_PRESET, WT_FLOW_SETTINGS, WT_FLOW_SENDER, WT_FLOW_RECOVERY, WT_FLOW_RECEIVER, WT_FLOW_STACK,
	WT_FLOW_WORDS,
};

extern const char *const wt_flow_word_name[WT_FLOW_WORDS + 1]; /* NULL behind the last */

struct wt_world_flow {
	char *name;
	unsigned host[2]; /* data go from the first to the second */
	wt_time start;
	wt_time stop;     /* it stops writing; 0: with the run, or by size */
	uint64_t bytes;   /* payload; 0: as much as there is time for */
	wt_time delay;    /* of its own, added to the way of its data: its round trip is that much longer */
	char *word[WT_FLOW_WORDS]; /* NULL: not said */
	unsigned word_line[WT_FLOW_WORDS];
	uint16_t port, local_port; /* of TCP, at the second and at the first host; set by the checker. local_port 0: any */
	unsigned line;
};

struct wt_world {
	char *file; /* where it was read, or NULL */
	unsigned hosts, routers, links, events, flows;
	unsigned host_room, router_room, link_room, event_room, flow_room;
	struct wt_world_host *host;
	struct wt_world_router *router;
	struct wt_world_link *link;
	struct wt_world_event *event; /* in order of time once they are checked */
	struct wt_world_flow *flow;
	struct wt_world_air air;
	struct wt_world_flow each;    /* what flows are that do not say otherwise: [run] */
	uint64_t seed;
	wt_time time;                 /* the run ends then, whatever goes on; 0: when all flows are done */
	wt_time limit;                /* a run without an end of its own has failed then */
	struct wt_refusal_rate icmp_limit; /* of the answers of each stage and router */
	struct wt_samples_cache *cache;    /* files that words of links and events name: wt_world_check() reads them */
};

#define WT_FLOW_PORT 5001        /* the first at each host */
#define WT_FLOW_LOCAL_PORT 20001 /* of flows with a delay of their own, each another */
#define WT_WORLD_LIMIT (24 * 3600 * WT_S)

/* False: its time ends after the limit that was given, so that one of the two has no effect. */
static inline bool wt_world_time_ok(const struct wt_world *world)
{
	return world->time <= world->limit || world->limit == WT_WORLD_LIMIT;
}

/* The heap holds the lists and texts: finish frees them. Also after a failed read. */
void wt_world_init(struct wt_world *world);
void wt_world_finish(struct wt_world *world);

/* Whose the keys of [emulator] are; `line` is where the file has one. 0, or -EINVAL and one sentence. */
struct wt_world_keys {
	int (*take)(void *arg, unsigned line, const char *key, const char *value, char *err, size_t err_len);
	void *arg;
};

/* Reads a file over the world, which keeps what the file does not say. 0, or -EINVAL: err begins "FILE:LINE: ". */
int wt_world_read(struct wt_world *world, const char *file, const struct wt_world_keys *emulator, char *err, size_t err_len);

/* The same from a text, which is not empty; `name` is for messages. */
int wt_world_parse(struct wt_world *world, const char *text, const char *name, const struct wt_world_keys *emulator, char *err, size_t err_len);

/* A sentence about a word that is none of a list: the nearest, or all of them. -EINVAL. */
int wt_world_unknown(const char *what, const char *word, const char *const *known, char *err, size_t err_len);

/* Each a new last one, all zero but for its name, or NULL: no memory. Those given before may have moved. */
struct wt_world_host *wt_world_add_host(struct wt_world *world, const char *name);
struct wt_world_router *wt_world_add_router(struct wt_world *world, const char *name);
struct wt_world_link *wt_world_add_link(struct wt_world *world, const char *name);
struct wt_world_event *wt_world_add_event(struct wt_world *world);
/* As [run] says; 0 or -ENOMEM. */
int wt_world_add_flow(struct wt_world *world, const char *name, unsigned from, unsigned to);
/* Two hosts a and b, inside, and a link "main" of these words (NULL: an ideal wire). 0 or -ENOMEM. */
int wt_world_pair(struct wt_world *world, const char *fwd, const char *rev);
/* Puts a host somewhere, in place of where it was. 0, or -EINVAL with a sentence, -ENOMEM. */
int wt_world_place(struct wt_world_host *host, enum wt_placement placement, const char *place, char *err, size_t err_len);

/* Indices, or -1. */
int wt_world_find_host(const struct wt_world *world, const char *name);
int wt_world_find_router(const struct wt_world *world, const char *name);
int wt_world_find_link(const struct wt_world *world, const char *name);
/* A copy in place of what stands there. 0 or -ENOMEM. */
int wt_world_text(char **to, const char *text);
/* "10.0.1.1/24, 2001:db8:1::1/64" by family; without lengths if prefix is NULL. Places of addresses not named are left alone. */
int wt_world_addresses(const char *value, struct wt_addr addr[WT_FAMILIES], unsigned prefix[WT_FAMILIES], char *err, size_t err_len);
/* Does it say the addresses of a router? */
static inline bool wt_world_has_gateway(const struct wt_world_host *host)
{
	return host->gateway[WT_FAMILY_IPV4].family || host->gateway[WT_FAMILY_IPV6].family;
}

/* Other words for the only link, by direction, NULL: as they are; instead of those of changes at 0, too. To be checked again. */
int wt_world_begin(struct wt_world *world, const char *const words[2]);

/*
 * Is it whole? Two hosts and one link without ends: the link joins them; no link: an ideal wire. Gives hosts their addresses and flows
 * their ports, checks the words of links and events, and reads the files they name: no change has to read one later. 0 or -EINVAL; err
 * begins "FILE:LINE: " where there is a file.
 */
int wt_world_check(struct wt_world *world, char *err, size_t err_len);
/* -EINVAL, and err: the place of a fault, where there is a file, and the sentence. */
int wt_world_complain(const struct wt_world *world, unsigned line, char *err, size_t err_len, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* A link in its first words; wt_link_finish() later. */
int wt_world_make_link(const struct wt_world *world, unsigned index, struct wt_link *link, char *err, size_t err_len);

/* The end of the only link of a host that faces it. */
struct wt_world_end wt_world_next(const struct wt_world *world, unsigned host, unsigned *link);
/* How many links a router has, and the number of one of them among these: its port. */
unsigned wt_world_router_ports(const struct wt_world *world, unsigned router);
unsigned wt_world_router_port(const struct wt_world *world, unsigned router, unsigned link);
/* Links between two routers, by the fewest; UINT32_MAX: no way. */
uint32_t wt_world_distance(const struct wt_world *world, unsigned from, unsigned to);
/* The first host of a network of IPv4 beside its gateway; .2 where that is .1. */
struct wt_addr wt_world_neighbour(const struct wt_addr *gateway, unsigned prefix);

#endif
