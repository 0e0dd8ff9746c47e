/* SPDX-License-Identifier: BSD-2-Clause */
/* Text files inside the program: what tools/embed.c makes of them. */
#ifndef WT_TOOLS_COMMON_EMBEDDED_H
#define WT_TOOLS_COMMON_EMBEDDED_H

#include <stddef.h>

struct wt_embedded {
	const char *id, *text; /* the path below tools/data/FOLDER without its ending; the last one is all NULL */
};

#endif
