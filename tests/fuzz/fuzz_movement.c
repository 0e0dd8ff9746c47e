/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input is a movement file, of ns-2's setdest or of BonnMotion. Claims: it is read, or refused with a sentence and a line of it; every
 * station then has a place at every time, and no way leads back in time; the shares of hops between two stations are shares.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "emu/mobility/pattern.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST = 20000, STATIONS = 50 };

static void places(const struct wt_track *track)
{
	for (unsigned i = 0; i < track->pieces; i++) {
		struct wt_point at = wt_track_at(track, track->piece[i].from, NULL);

		CLAIM(!i || track->piece[i].from >= track->piece[i - 1].from);
		CLAIM(isfinite(at.x) && isfinite(at.y));
	}
}

static void hops(const struct wt_movement *pattern)
{
	const struct wt_track *track[STATIONS];
	double share[WT_PATTERN_HOPS], sum = 0;

	for (unsigned i = 0; i < pattern->count; i++)
		track[i] = &pattern->track[i];
	CLAIM(!wt_movement_hops(track, pattern->count, 250, &(struct wt_time_span){0, 20 * WT_S, WT_S}, 0, pattern->count - 1, share));
	for (unsigned i = 0; i < WT_PATTERN_HOPS; i++) {
		CLAIM(share[i] >= 0);
		sum += share[i];
	}
	CLAIM(fabs(sum - 1) < 1e-9);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[LONGEST + 1];
	struct wt_movement pattern = {0};
	char err[300] = "";
	unsigned line = 0;
	int error;

	if (size > LONGEST)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	error = wt_movement_read(&pattern, text, &line, err, sizeof(err));
	CLAIM(!error || error == -ENOMEM || (line && *err));
	for (unsigned i = 0; i < pattern.count && !error; i++)
		places(&pattern.track[i]);
	if (!error && pattern.count > 1 && pattern.count <= STATIONS)
		hops(&pattern);
	wt_movement_finish(&pattern);
	return 0;
}
