/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the daemon is told beside its world: the keys of [emulator], which are the options of `emu run`, too. seed and icmp-limit are the
 * world's.
 */
#ifndef WT_EMU_DAEMON_OPTIONS_H
#define WT_EMU_DAEMON_OPTIONS_H

#include "emu/machine/identity.h"
#include "emu/daemon/verdict.h"
#include "emu/world/world.h"
#include "stack/drive/rloop.h"

#define WT_OPTION_KEYS 20

extern const char *const wt_option_key[WT_OPTION_KEYS + 1]; /* NULL behind the last */

struct wt_options {
	struct wt_world *world;      /* whose seed and limit of answers are set */
	uint64_t frames;             /* of memory */
	wt_time time;                /* ends by itself after this, 0: never */
	struct wt_verdict_bounds bounds;
	struct wt_identity identity; /* of `user`, looked up */
	enum wt_release release;
	int cpu;                     /* the one to stay on, -1: any */
	bool realtime;               /* before every ordinary process: SCHED_FIFO */
	bool awake;                  /* no processor sleeps deeply while it runs */
	bool steer;                  /* kernels receive what TAP ports write on the other processors */
	bool gather;                 /* TAP ports write many frames in one system call where the kernel can */
	enum wt_stamps stamps;       /* frames are dated by the kernel's where it gives them */
	bool offload;                /* ports with offloads: big frames, unfinished checksums */
	bool seccomp;                /* take the filter of system calls */
	bool wait_ports;             /* ports may vanish and come back */
	char *capture, *log, *control; /* paths, or NULL */
	char *user;                  /* whose identity is taken once everything is open, or NULL */
	char *said[WT_OPTION_KEYS];  /* the file's, key by key as it stands there, whatever the command line says; NULL: not */
	unsigned line[WT_OPTION_KEYS]; /* of the file, where `said` is not NULL */
};

void wt_options_init(struct wt_options *options, struct wt_world *world);
void wt_options_finish(struct wt_options *options); /* frees the texts */
/* One key and its value. 0, or -EINVAL with a sentence that does not name the key. */
int wt_options_take(struct wt_options *options, const char *key, const char *value, char *err, size_t err_len);
/* For wt_world_read(): `arg` are the options. The sentence names the key. */
int wt_options_of_file(void *arg, unsigned line, const char *key, const char *value, char *err, size_t err_len);
/* Does the file say this key? */
bool wt_options_said(const struct wt_options *options, const char *key);
/*
 * Each 0, or -EINVAL with a sentence, which begins "FILE:LINE: " if the value is the file's. check: do the options go together? files: do the
 * folders of these three exist (NULL: not looked at)? Only those that the file names are looked at; relative names count from the current
 * folder. user: looks `user` up on this machine and sets `identity`.
 */
int wt_options_check(const struct wt_options *options, char *err, size_t err_len);
int wt_options_files(const struct wt_options *options, const char *capture, const char *log, const char *control, char *err, size_t err_len);
int wt_options_user(struct wt_options *options, char *err, size_t err_len);

#endif
