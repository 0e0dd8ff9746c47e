/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What paths cost in virtual time: frames of 64 and 1500 bytes through chains of stages, every drop written to a log.
 * Prints frames per second of its own CPU time, the best of three runs, since a shared machine only ever slows one down; and what
 * a frame costs in units of this machine: numbers of SipHash, each made of the one before. It fails where that is more than it may
 * be: the goal of 5 million frames of 64 bytes on the machine of docs/performance.md, and 3.5 million of 1500 (the goal is 2).
 *
 *     bench_emu [WORDS]         instead of the chains below
 *     bench_emu WORDS FRAMES    so many frames, once: for a profiler (docs/performance.md)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "emu/path.h"
#include "stack/base/bytes.h"
#include "stack/base/random.h"
#include "stack/drive/graph.h"
#include "stack/record/journal.h"
#include "tests/end_node.h"

enum { POOL = 4096, REPEATS = 3 };

static uint32_t count = 2000000;

static const struct {
	uint32_t len;
	double goal; /* million frames a second */
	double most; /* numbers a frame */
} sizes[] = {{64, 5, 18}, {1514, 2, 25}};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* its own, whoever else is busy */
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* One a microsecond: the bytes are written each time, as a host would. */
static double offer(struct wt_graph *graph, struct wt_node *first, struct wt_pool *pool, const uint8_t *bytes, uint32_t len)
{
	double start = seconds();

	for (uint32_t i = 0; i < count; i++) {
		struct wt_frame *frame = wt_frame_new(pool);

		if (!frame) {
			wt_graph_run(graph, (wt_time)i * WT_US);
			continue;
		}
		memcpy(wt_frame_own_bytes(frame), bytes, len);
		frame->len = len;
		wt_graph_input(graph, first, 0, (wt_time)i * WT_US, frame);
	}
	wt_graph_run(graph, WT_NEVER);
	return seconds() - start;
}

/* Of one number, which waits for the one before. */
static double reference(void)
{
	enum { NUMBERS = 1000000 };
	const struct wt_key key = {1, 2};
	double start = seconds();
	uint64_t number = 0;

	for (unsigned i = 0; i < NUMBERS; i++)
		number = wt_siphash_u64(&key, number);
	start = seconds() - start;
	return number ? start / NUMBERS : 1; /* the loop is not optimised away */
}

static double run(const char *words, uint32_t len, uint64_t *out)
{
	static const struct wt_node_ops ops = END_NODE_OPS(end_node_input);
	struct wt_node end = {.ops = &ops, .name = "end", .ports = 1};
	struct wt_pool *pool = wt_pool_create(POOL, 2048);
	struct wt_graph *graph = wt_graph_create();
	struct wt_journal *journal = wt_journal_open("/dev/null");
	struct wt_path path;
	uint8_t bytes[1514] = {0};
	char err[300];
	double took;

	if (wt_path_init(&path, words, "fwd", 1, err, sizeof(err))) {
		fprintf(stderr, "%s\n", err);
		exit(2);
	}
	bytes[12] = 8;
	bytes[14] = 0x45;
	wt_put16(bytes + 16, (uint16_t)(len - 14));
	bytes[23] = 6;
	for (unsigned i = 0; i < path.count; i++)
		wt_graph_add(graph, path.stage[i]);
	wt_graph_add(graph, &end);
	for (unsigned i = 0; i < path.count; i++)
		wt_graph_join(graph, path.stage[i], 1, i + 1 < path.count ? path.stage[i + 1] : &end, 0);
	wt_graph_set_drop_sink(graph, wt_journal_drops(journal, NULL));
	took = offer(graph, path.stage[0], pool, bytes, len);
	*out = end.audit.taken;
	wt_graph_destroy(graph);
	wt_journal_close(journal);
	wt_pool_destroy(pool);
	return took;
}

static double lower(double a, double b)
{
	return a < b ? a : b;
}

/* False: a frame costs more than it should. */
static bool measure(const char *words)
{
	bool fast = true;

	printf("%s\n", words);
	for (unsigned l = 0; l < 2; l++) {
		double took = 1e9, number = 1e9, ratio;
		uint64_t out = 0;

		for (unsigned i = 0; i < REPEATS; i++) {
			number = lower(number, reference());
			took = lower(took, run(words, sizes[l].len, &out));
		}
		ratio = took / count / number;
		printf("  %4u bytes: %5.2f M frames/s (goal %.0f); a frame costs %4.1f numbers of %.1f ns (at most %.1f)%s; %.2f%% arrive\n",
		       sizes[l].len, count / took / 1e6, sizes[l].goal, ratio, number * 1e9, sizes[l].most,
		       ratio > sizes[l].most ? ", TOO SLOW" : "", 100.0 * (double)out / count);
		fflush(stdout);
		fast &= ratio <= sizes[l].most;
	}
	return fast;
}

int main(int argc, char **argv)
{
	static const char *const chains[] = {
		"rate 100Gbit burst 0B limit 1MB loss gilbert on 1s 1% off 5s 0% duplicate 0.1% delay 100us",
		"rate 100Gbit burst 0B limit 1MB queue codel loss 0.1% corrupt 0.1% delay 100us",
		"rate 100Gbit burst 0B limit 1MB queue fq_codel loss elliott p 0.1% r 30% reorder 1% delay 10us delay 100us jitter normal 10us",
	};
	bool fast = true;
	uint64_t out;

	if (argc > 2) { /* nothing else in the profile */
		count = (uint32_t)strtoul(argv[2], NULL, 10);
		for (unsigned l = 0; l < 2; l++)
			run(argv[1], sizes[l].len, &out);
		return 0;
	}
	if (argc > 1)
		fast = measure(argv[1]);
	for (unsigned i = 0; argc == 1 && i < sizeof(chains) / sizeof(chains[0]); i++)
		fast &= measure(chains[i]);
	return fast ? 0 : 1;
}
