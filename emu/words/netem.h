/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of netem, tc(8) and Mahimahi in a place where ours mean nothing: what to write instead. */
#ifndef WT_EMU_WORDS_NETEM_H
#define WT_EMU_WORDS_NETEM_H

#include "emu/words/reader.h"

/* The word at index i means nothing here. One sentence in `text` if it would mean something to netem; false: it would not. */
bool wt_netem_hint(const struct wt_reader *reader, unsigned i, char *text, size_t len);

#endif
