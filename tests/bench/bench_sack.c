/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What one ACK costs at large windows when 10 % of a window's segments are lost: at the sender (four SACK blocks, the loss edge, marks, the next
 * segment to resend) and at the receiver (a segment above holes, the blocks of its ACK). Segments of 1448 bytes. Not a test.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stack/base/random.h"
#include "stack/tcp/tcb.h"

enum { MSS = 1448 };

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double sender(struct wt_chunks *pool, uint32_t count, const struct wt_key *key)
{
	struct wt_scoreboard board;
	struct wt_tx_record newest, *record;
	struct wt_range last[4] = {{0}};
	uint32_t acks = 0;
	double begin;
	bool news;

	wt_board_init(&board, pool, UINT32_MAX);
	for (uint32_t i = 0; i < count && wt_board_reserve(&board); i++)
		wt_board_push(&board, i * MSS, MSS);
	begin = now_ns();
	for (uint32_t i = 1; i < count; i++) {
		wt_seq start = i * MSS;

		if (!wt_random_below(key, i, 10))
			continue;
		if (last[0].end == start) {
			last[0].end += MSS;
		} else {
			memmove(&last[1], &last[0], 3 * sizeof(last[0]));
			last[0] = (struct wt_range){start, start + MSS};
		}
		newest.len = 0;
		for (unsigned block = 0; block < 4 && last[block].end; block++)
			wt_board_sack(&board, last[block].start, last[block].end, &newest, &news);
		wt_board_find_edge(&board, 2 * MSS);
		wt_board_mark_lost(&board, board.view.loss_edge);
		if ((record = wt_board_next_lost(&board, MSS)))
			wt_board_resent(&board, record);
		acks++;
	}
	begin = (now_ns() - begin) / acks;
	wt_board_finish(&board);
	return begin;
}

static double receiver(struct wt_chunks *pool, uint32_t count, const struct wt_key *key, bool scattered)
{
	struct wt_ranges set;
	struct wt_range block;
	uint32_t acks = 0;
	double begin;

	wt_ranges_init(&set, pool, UINT32_MAX);
	begin = now_ns();
	for (uint32_t i = 1; i < count; i++) {
		wt_seq start = (scattered ? (uint32_t)((uint64_t)i * 2654435761u % count) : i) * MSS;

		if (!wt_random_below(key, i, 10))
			continue;
		wt_ranges_add(&set, start, start + MSS, NULL);
		wt_ranges_after(&set, start, &block);
		block = wt_ranges_last(&set);
		for (unsigned n = 0; n < 3 && wt_ranges_before(&set, block.start, &block); n++)
			;
		acks++;
	}
	begin = (now_ns() - begin) / acks;
	wt_ranges_finish(&set);
	return begin;
}

int main(void)
{
	struct wt_chunks *pool = wt_chunks_create(0);
	struct wt_key key = wt_key_derive(1, "bench");

	for (uint32_t megabytes = 1; pool && megabytes <= 1024; megabytes *= 4) {
		uint32_t count = (uint32_t)(((uint64_t)megabytes << 20) / MSS);

		printf("window %4u MB, %6u segments: sender %4.0f ns per ACK; receiver %4.0f ns in order, %4.0f ns scattered\n", megabytes,
		       count, sender(pool, count, &key), receiver(pool, count, &key, false), receiver(pool, count, &key, true));
	}
	wt_chunks_destroy(pool);
	return 0;
}
