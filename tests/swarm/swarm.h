/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of the swarm: a scenario drawn from one number, its run, and the oracles that watch it. */
#ifndef WT_TESTS_SWARM_SWARM_H
#define WT_TESTS_SWARM_SWARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "emu/world/change.h"
#include "tools/words/tcp_words.h"

/* ---- draw.c ------------------------------------------------------------------------------------------------- */

struct draw {
	struct wt_key key;
	uint64_t n;
};

uint64_t below(struct draw *draw, uint64_t bound);
bool chance(struct draw *draw, unsigned percent);
const char *pick(struct draw *draw, const char *const *words, size_t count);
void append(char *out, size_t len, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PICK(draw, ...) pick(draw, (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

/* ---- plan.c: what is run ------------------------------------------------------------------------------------ */

enum { FLOWS_MAX = 6 };
enum { BLOCKS = 2 * (64 * 128 + 8) }; /* bytes: of a host's entries of half-open and waiting connections, which are kept */

/* What one application does. Times are of the host's clock. */
struct habits {
	uint64_t bytes;          /* it writes, then shuts its side down */
	uint64_t chunk, read;    /* at most so many at a time; 0: as many as there are */
	wt_time pause, rest;     /* between two writes; between two reads */
	uint64_t abort_at;       /* aborts when it has read so many; 0: never */
	bool closes;             /* it closes then, though more is to come */
};

/* What the words of a direction may do to frames: by it an oracle knows whether it applies. */
struct facts {
	uint64_t rate, burst, limit; /* bits a second, bytes, bytes; 0: no rate */
	wt_time delay, extra;        /* the least; how much more single frames may wait */
	bool drops, reorders, copies, damages, narrows, marks, shifts; /* shifts: delay or rate change while it runs */
};

struct plan {
	uint64_t seed;
	uint64_t without;   /* elements left out, a bit each, by number */
	unsigned elements;
	char path[2][1024], settings[320];
	const char *preset, *ecn;
	char sender[64], recovery[64], receiver[64];
	bool scalable, standard, classic, reno; /* receiver "standard"; recovery of RFC 6675 and older; sender of the Reno family */
	struct facts facts[2];
	char change[2][1024]; /* words from `change_at` on; empty: none */
	wt_time change_at;
	uint32_t mtu;
	bool log;           /* each segment is printed */
	unsigned flows, lies; /* lies: bits of liar.c; 0: the peer is honest */
	struct habits habits[FLOWS_MAX][2];
};

void plan_draw(uint64_t seed, uint64_t without, struct plan *plan);
void plan_show(const struct plan *plan);
/* All that was drawn. */
void plan_text(const struct plan *plan, char *out, size_t len);

/* ---- run.c --------------------------------------------------------------------------------------------------- */

struct watch;
struct run;

struct app {
	struct run *run;
	unsigned flow, side;
	const struct habits *habits;
	struct wt_tcp *tcp;
	uint64_t written, got;
	bool shut, eof, over, aborted; /* over: the handle is given up */
	int error;
	struct wt_host_timer writer, reader;
	wt_time write_at, read_at; /* not before */
	wt_time ended;
};

struct run {
	const struct plan *plan;
	struct wt_world world;
	struct wt_network net;
	struct wt_script script;
	struct wt_tcp_config config[2];
	struct app app[FLOWS_MAX][2];
	struct watch *watch[2];
	struct wt_trace_sink sink[2];
	unsigned over;
	bool stop, quit; /* quit: a connection was given up by a time-out */
	bool failed;
	char wrong[320];
	uint64_t digest;
	uint64_t memory[2]; /* of the hosts, before anything is connected */
	uint64_t lost;  /* frames dropped, whatever the cause */
	wt_time ended;
};

/* The first fault is kept. */
void fault(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The octet of a stream at an offset. */
uint8_t octet(unsigned flow, unsigned side, uint64_t offset);
/* NULL, or the fault in run->wrong. */
enum how { CHECKED, PLAIN, REVERSED }; /* with audits of each step, without, with ties of nodes reversed */
const char *run_plan(struct run *run, const struct plan *plan, enum how how);

/* ---- watch.c: the wire at a host ----------------------------------------------------------------------------- */

struct watch *watch_new(struct run *run, unsigned side);
struct wt_node *watch_node(struct watch *watch);
void watch_number(struct watch *watch, unsigned flow, uint32_t number); /* of a connection that the host opens itself */
void watch_event(struct watch *watch, const struct wt_trace_event *event);
/* Has a connection of this host sent the same as often as it may, unheard? */
bool watch_gave_up(const struct watch *watch);
/* A quiet moment, at the end or between two frames: is anything overdue? */
void watch_rest(struct watch *watch, wt_time now);

/* ---- liar.c, law.c, field.c ---------------------------------------------------------------------------------- */

enum { LIE_OPTIMISTIC = 1, LIE_DIVISION = 2, LIE_SACK = 4, LIE_WINDOW = 8, LIE_BLIND = 16, LIE_OVERLAP = 32, LIES = 63 };

struct wt_node *liar_new(struct wt_pool *pool, const struct plan *plan);
/* A path alone, with frames of no host, against arithmetic. NULL or a sentence. */
const char *law_run(uint64_t seed, bool verbose);
void law_words(uint64_t seed, char *out, size_t len);
/* Stations on the air. NULL or a sentence. cut: what fails is cut down first, shown, and *without says which elements it does not need. */
const char *field_run(uint64_t seed, uint64_t *without, bool cut, bool verbose);
void field_words(uint64_t seed, char *out, size_t len);

#endif
