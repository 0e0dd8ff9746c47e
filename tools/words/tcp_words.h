/* SPDX-License-Identifier: BSD-2-Clause */
/* A TCP configuration from the words of a command line or a data file. */
#ifndef WT_TOOLS_WORDS_TCP_WORDS_H
#define WT_TOOLS_WORDS_TCP_WORDS_H

#include "stack/host/host.h"

/* Each NULL: leave what the configuration says. */
struct wt_tcp_words {
	const char *preset;    /* "bsd90" */
	const char *settings;  /* "mss=1024B,tick=500ms", applied after the preset */
	const char *sender;    /* "real:profile=paper" */
	const char *recovery;  /* NULL: the sender's default */
	const char *receiver;
	const char *profile;   /* modules that have a profile of that name ("xkernel") start from it; NULL: the preset's name */
};

/* 0, or -EINVAL with one sentence in err. */
int wt_tcp_words_apply(const struct wt_tcp_words *words, struct wt_tcp_config *config, char *err, size_t err_len);

#endif
