/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many frames will a reading of a port find? Few often come in a rhythm: one each time in a dialogue, one and two in turn where clients
 * connect one after the other. Who has read as many as there will be needs no read that fails: the poll that follows in any case says as
 * well whether there is more. Now and then a port is read until it is empty all the same, so that one that has become busy is noticed.
 */
#ifndef WT_STACK_DRIVE_RHYTHM_H
#define WT_STACK_DRIVE_RHYTHM_H

#include <stdint.h>

enum {
	WT_RHYTHM_FEW = 3,    /* frames of a reading, at most, have a rhythm, */
	WT_RHYTHM_SURE = 4,   /* that is known after it was so often the same */
	WT_RHYTHM_AGAIN = 16, /* of so many readings one is done until the port is empty */
};

struct wt_rhythm {
	unsigned readings, found; /* found: frames by the last one; 0: none, or more than few */
	struct {
		uint8_t frames, sure;
	} next[WT_RHYTHM_FEW + 1]; /* after a reading that found so many: what the one behind it found, the last `sure` times */
};

/* Frames that the next reading will find; 0: it is not known. */
static inline unsigned wt_rhythm_next(const struct wt_rhythm *rhythm)
{
	if (rhythm->next[rhythm->found].sure < WT_RHYTHM_SURE || rhythm->readings % WT_RHYTHM_AGAIN == 0)
		return 0;
	return rhythm->next[rhythm->found].frames;
}

/* So many has one found. */
static inline void wt_rhythm_note(struct wt_rhythm *rhythm, unsigned frames)
{
	unsigned few = frames <= WT_RHYTHM_FEW ? frames : 0, last = rhythm->found;

	rhythm->readings++;
	if (rhythm->next[last].frames != few)
		rhythm->next[last].sure = 0;
	else if (rhythm->next[last].sure < WT_RHYTHM_SURE)
		rhythm->next[last].sure++;
	rhythm->next[last].frames = (uint8_t)few;
	rhythm->found = few;
}

#endif
