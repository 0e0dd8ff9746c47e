/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay DIRECTORY [MUTATIONS [SEED]]: runs the fuzz target over every file of a corpus, in the order of their names,
 * then over MUTATIONS inputs derived from them, or with "60s" for so many seconds. The n-th mutation of a seed is always the same, so a failure is
 * repeated by running it again; its bytes are left in the file named on stderr.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "stack/base/random.h"
#include "tests/fuzz/fuzz.h"

#define SEEDS_MAX 256
#define INPUT_MAX 8192
#define CPU_LIMIT_MS 250 /* of processor time, so that a busy machine is no failure */
#define ENDLESS_S 20     /* likewise: an input that never ends is saved, too */

struct input {
	uint8_t data[INPUT_MAX];
	size_t size;
};

static struct input *seeds, current;
static unsigned seed_count;

/* ---- one run ------------------------------------------------------------------------------------------ */

static const char crash_file[] = "crash-input.bin";

static void save_input(void)
{
	FILE *file = fopen(crash_file, "wb");

	if (file) {
		fwrite(current.data, 1, current.size, file);
		fclose(file);
	}
}

static void on_crash(int signal_number)
{
	static const char text[] = "replay: the input that failed is in crash-input.bin\n";
	ssize_t written;

	signal(signal_number, SIG_DFL);
	save_input(); /* not async-signal-safe in theory; there is nothing left to lose */
	written = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)written;
	raise(signal_number);
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double run(void)
{
	const struct itimerval patience = {.it_value.tv_sec = ENDLESS_S};
	double start = cpu_ms(), spent;

	setitimer(ITIMER_PROF, &patience, NULL);
	LLVMFuzzerTestOneInput(current.data, current.size);
	spent = cpu_ms() - start;
	if (spent > CPU_LIMIT_MS) {
		save_input();
		fprintf(stderr, "replay: an input of %zu bytes took %.0f ms; it is in %s\n", current.size, spent, crash_file);
		exit(1);
	}
	return spent;
}

/* ---- mutation ----------------------------------------------------------------------------------------- */

struct dice {
	struct wt_key key;
	uint64_t n;
};

static uint32_t roll(struct dice *dice, uint64_t sides)
{
	return sides ? (uint32_t)wt_random_below(&dice->key, dice->n++, sides) : 0;
}

/* Replaces `gone` bytes at `at` by `len` bytes, as far as there is room. */
static void splice(struct input *input, size_t at, size_t gone, const uint8_t *bytes, size_t len)
{
	uint8_t copy[INPUT_MAX];
	size_t rest;

	gone = gone < input->size - at ? gone : input->size - at;
	rest = input->size - at - gone;
	if (at + len + rest > INPUT_MAX)
		return;
	if (len)
		memcpy(copy, bytes, len); /* may lie inside the input itself */
	memmove(input->data + at + len, input->data + at + gone, rest);
	if (len)
		memcpy(input->data + at, copy, len);
	input->size = at + len + rest;
}

static void mutate(struct input *input, struct dice *dice)
{
	static const uint8_t edges[] = {0, 1, 2, 7, 8, 20, 40, 60, 127, 128, 253, 254, 255};
	size_t at = roll(dice, input->size + 1), from = roll(dice, input->size), len;
	const struct input *other = &seeds[roll(dice, seed_count)];
	uint8_t byte;

	switch (roll(dice, 8)) {
	case 0:
		if (at < input->size)
			input->data[at] ^= (uint8_t)(1 << roll(dice, 8));
		break;
	case 1:
		byte = edges[roll(dice, sizeof(edges))];
		splice(input, at, 1, &byte, 1);
		break;
	case 2:
		byte = (uint8_t)roll(dice, 256);
		splice(input, at, 1, &byte, 1);
		break;
	case 3:
		byte = (uint8_t)roll(dice, 256);
		splice(input, at, 0, &byte, 1);
		break;
	case 4:
		splice(input, at, 1 + roll(dice, 16), NULL, 0);
		break;
	case 5: /* a piece of itself once more */
		len = roll(dice, input->size - from + 1);
		splice(input, at, roll(dice, 2) ? len : 0, input->data + from, len);
		break;
	case 6: /* a piece of another */
		from = roll(dice, other->size);
		splice(input, at, 0, other->data + from, roll(dice, other->size - from + 1));
		break;
	default: /* a number up or down */
		if (at < input->size)
			input->data[at] = (uint8_t)(input->data[at] + roll(dice, 9) - 4);
		break;
	}
}

/* ---- corpus ------------------------------------------------------------------------------------------- */

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static bool read_corpus(const char *directory)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, compare_names);

	if (count < 0) {
		fprintf(stderr, "replay: %s: %s\n", directory, strerror(errno));
		return false;
	}
	for (int i = 0; i < count; i++) {
		char path[4096];
		FILE *file = NULL;

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && seed_count < SEEDS_MAX)
			file = fopen(path, "rb");
		if (file) {
			seeds[seed_count].size = fread(seeds[seed_count].data, 1, INPUT_MAX, file);
			seed_count++;
			fclose(file);
		}
		free(names[i]);
	}
	free(names);
	if (!seed_count)
		fprintf(stderr, "replay: %s holds no seeds\n", directory);
	return seed_count > 0;
}

/* "20000", or "60s" of wall time. */
static bool more(const char *text, uint64_t done, time_t begin)
{
	char *end;
	uint64_t limit = strtoull(text, &end, 10);

	return *end == 's' ? (uint64_t)(time(NULL) - begin) < limit : done < limit;
}

int main(int argc, char **argv)
{
	const char *limit = argc > 2 ? argv[2] : "20000";
	uint64_t n = 0, seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	time_t begin = time(NULL);
	double slowest = 0;

	seeds = calloc(SEEDS_MAX, sizeof(*seeds));
	if (argc < 2 || !seeds || !read_corpus(argv[1]))
		return 2;
	signal(SIGABRT, on_crash);
	signal(SIGSEGV, on_crash);
	signal(SIGPROF, on_crash);
	for (unsigned i = 0; i < seed_count; i++) {
		double spent;

		current = seeds[i];
		spent = run();
		slowest = spent > slowest ? spent : slowest;
	}
	for (; more(limit, n, begin); n++) {
		struct dice dice = {wt_key_derive(seed ^ n << 20, "mutation"), 0};
		double spent;

		current = seeds[roll(&dice, seed_count)];
		for (uint32_t steps = 1 + roll(&dice, 8); steps; steps--)
			mutate(&current, &dice);
		spent = run();
		slowest = spent > slowest ? spent : slowest;
	}
	printf("%u seeds and %llu mutations, slowest %.2f ms\n", seed_count, (unsigned long long)n, slowest);
	free(seeds);
	return 0;
}
